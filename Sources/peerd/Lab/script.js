"use strict";
// What people read, in English and Korean.
const words = {
  en: {
    title: "PeerSync laboratory", token: "Token (behind the # of the printed address)", enter: "Enter",
    devices: "Devices", links: "Links", store: "Store", timeline: "Timeline", story: "Story", line: "Line",
    storyHelp: "What is done here, as lines of a story. Any line can be played by hand.",
    playLine: "Play", save: "Save the story",
    same: n => `All ${n} running devices hold the same.`, differ: n => `The running devices hold ${n} different states.`,
    doing: line => `Doing: ${line}`, failed: why => `Not done: ${why}`, ready: "Ready.",
    lost: "The laboratory has stopped. What is shown here is old.", wrong: "The token is wrong.",
    running: "running", stopped: "stopped", online: "online", offline: "offline", clock: "clock",
    until: (id, date, left) => `${id} until ${date} (${left})`, over: (id, date) => `${id} ended on ${date}`, never: id => `${id}: nothing bought`,
    days: n => n === 1 ? "1 day left" : `${n} days left`, nothing: "Nothing yet.",
    credit: c => `${c.balance} ${c.id}, ${c.available} to spend here` + (c.debt ? `, ${c.debt} owed` : ""),
    owns: list => `Owns ${list}`, entitled: list => `Entitled to ${list}`, connected: list => `Connected with ${list}`, alone: "Connected with nobody",
    buy: "Buy", product: "Product", spend: id => `Spend 1 ${id}`, goOffline: "Go offline", goOnline: "Go online",
    kill: "Kill", start: "Start", backup: "Back up", restore: "Restore the backup", clockOff: "Clock", right: "right",
    day: n => `${n > 0 ? "+" : "−"}${Math.abs(n)} ${Math.abs(n) === 1 ? "day" : "days"}`,
    remove: name => `Remove ${name}`, cut: "Cut", mend: "Mend", cutState: "cut", openState: "open",
    advance: what => `Time on by ${what}`, aDay: "a day", aMonth: "a month", fails: "Payments fail", fixes: "Payments go through",
    refund: name => `Refund ${name}`, bought: p => `${p.name}: ${p.device} bought ${p.product}`, refunded: "refunded",
    now: "now", time: t => `It is ${t} on the devices.`, run: (d, l, a, b) => `${d}: ${l} from ${a} to ${b}`,
  },
  ko: {
    title: "PeerSync 실험실", token: "토큰 (출력된 주소의 # 뒤)", enter: "들어가기",
    devices: "기기", links: "연결", store: "스토어", timeline: "시간표", story: "이야기", line: "줄",
    storyHelp: "여기서 한 일이 이야기의 줄로 남습니다. 줄을 직접 입력해 실행할 수도 있습니다.",
    playLine: "실행", save: "이야기 저장",
    same: n => `실행 중인 기기 ${n}대가 모두 같은 내용을 가지고 있습니다.`, differ: n => `실행 중인 기기들의 상태가 ${n}가지로 서로 다릅니다.`,
    doing: line => `실행 중: ${line}`, failed: why => `실행하지 못했습니다: ${why}`, ready: "준비되었습니다.",
    lost: "실험실이 종료되었습니다. 여기 보이는 내용은 이전 것입니다.", wrong: "토큰이 올바르지 않습니다.",
    running: "실행 중", stopped: "꺼짐", online: "온라인", offline: "오프라인", clock: "시계",
    until: (id, date, left) => `${id}: ${date}까지 (${left})`, over: (id, date) => `${id}: ${date}에 끝남`, never: id => `${id}: 구매 없음`,
    days: n => `${n}일 남음`, nothing: "아직 없습니다.",
    credit: c => `${c.id} ${c.balance}개, 여기서 ${c.available}개 사용 가능` + (c.debt ? `, ${c.debt}개 부족` : ""),
    owns: list => `보유: ${list}`, entitled: list => `이용 권한: ${list}`, connected: list => `연결됨: ${list}`, alone: "연결된 기기 없음",
    buy: "구매", product: "상품", spend: id => `${id} 1개 사용`, goOffline: "오프라인으로", goOnline: "온라인으로",
    kill: "강제 종료", start: "시작", backup: "백업", restore: "백업 복원", clockOff: "시계", right: "정확함",
    day: n => `${n > 0 ? "+" : "−"}${Math.abs(n)}일`,
    remove: name => `${name} 제거`, cut: "끊기", mend: "잇기", cutState: "끊김", openState: "이어짐",
    advance: what => `시간을 ${what} 보내기`, aDay: "하루", aMonth: "한 달", fails: "결제 실패", fixes: "결제 정상화",
    refund: name => `${name} 환불`, bought: p => `${p.name}: ${p.device}에서 ${p.product} 구매`, refunded: "환불됨",
    now: "지금", time: t => `기기의 시각은 ${t}입니다.`, run: (d, l, a, b) => `${d}: ${l}, ${a}부터 ${b}까지`,
  },
};
const DAY = 86_400_000;
let language = (sessionStorage.getItem("language") ?? navigator.language).startsWith("ko") ? "ko" : "en";
let text = words[language], state = null, token = "", connection = null;
const element = id => document.getElementById(id);

// One element with what is in it.
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick" || name === "onchange") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child != null));
  return made;
}
function draw(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
const date = value => new Date(value).toLocaleDateString(language, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
const moment = value => new Date(value).toLocaleString(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }) + " UTC";

// Each button plays one line of the story language.
const play = line => fetch("/v1/lab/lines", {
  method: "POST", headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" }, body: JSON.stringify({ line }),
}).catch(() => fail(text.lost));
const act = (label, line, id) => make("button", { type: "button", id, disabled: state.busy != null, onclick: () => play(line()) }, label);

// A name that no purchase of the story has yet.
function newName() {
  let number = state.purchases.length + 1;
  while (state.story.some(line => line.split(" ").includes("p" + number))) number++;
  return "p" + number;
}
let spends = 0;
const newSpend = () => `s${Date.now().toString(36)}${spends++}`;

// The same digest has the same colour everywhere.
const colour = digest => `hsl(${parseInt(digest.slice(0, 6), 16) % 360} 60% 45%)`;

function lineOf(line, now) {
  if (!line.expires) return make("p", {}, text.never(line.id));
  if (!line.active) return make("p", {}, text.over(line.id, date(line.expires)));
  const run = line.runs.at(-1), start = Date.parse(run?.start ?? now), end = Date.parse(line.expires);
  const words = text.until(line.id, date(line.expires), text.days(line.daysRemaining));
  return make("div", {}, make("p", {}, words),
    make("meter", { min: 0, max: Math.max(1, end - start), value: Math.max(0, end - Date.parse(now)), "aria-label": words }));
}
function card(device) {
  const { name, status } = device, others = state.devices.filter(other => other.name !== name);
  const box = make("article", { class: device.isRunning ? "card" : "card stopped", id: "device-" + name, "aria-label": name });
  const digest = status && make("span", { class: "digest", title: status.digest }, status.digest.slice(0, 8));
  if (digest) digest.style.color = colour(status.digest);
  box.append(make("div", { class: "row" }, make("h3", {}, name),
    make("span", { class: device.isRunning ? "good" : "warning" }, device.isRunning ? text.running : text.stopped),
    status && make("span", { class: status.online ? "good" : "warning" }, status.online ? text.online : text.offline), digest || null));
  if (status) {
    for (const warning of device.warnings) box.append(make("p", { class: "warning" }, "⚠ " + warning));
    for (const line of status.lines) box.append(lineOf(line, status.time.now));
    for (const plan of status.subscriptions) box.append(make("p", {}, plan.sentence ?? `${plan.productId}: ${plan.state}`));
    for (const credit of status.credits) box.append(make("p", {}, text.credit(credit)));
    if (status.purchased.length) box.append(make("p", {}, text.owns(status.purchased.join(", "))));
    const entitled = status.entitlements.filter(one => one.active).map(one => one.id);
    if (entitled.length) box.append(make("p", {}, text.entitled(entitled.join(", "))));
    const met = status.peers.filter(peer => peer.connected).map(peer => peer.name);
    box.append(make("p", { class: "quiet" }, met.length ? text.connected(met.join(", ")) : text.alone));
    const choice = make("select", { "aria-label": `${text.product}, ${name}`, id: "product-" + name },
      ...state.products.map(product => make("option", { value: product.id }, product.id)));
    choice.value = chosen[name] ?? state.products[0]?.id ?? "";
    choice.addEventListener("change", () => { chosen[name] = choice.value; });
    box.append(make("div", { class: "row" }, choice, act(text.buy, () => `${name} buys ${choice.value} in the store as ${newName()}`, "buy-" + name)));
    box.append(make("div", { class: "row" }, make("span"),
      ...status.credits.filter(credit => credit.balance > 0).map(credit =>
        act(text.spend(credit.id), () => `${name} spends ${credit.id} 1 as ${newSpend()}`, `spend-${name}-${credit.id}`)),
      status.online ? act(text.goOffline, () => `offline ${name}`, "offline-" + name) : act(text.goOnline, () => `online ${name}`, "online-" + name),
      act(text.kill, () => `crash ${name}`, "kill-" + name), act(text.backup, () => `backup ${name}`, "backup-" + name)));
    const clock = make("select", { "aria-label": `${text.clockOff}, ${name}`, id: "clock-" + name, disabled: state.busy != null },
      ...[0, 1, 30, 400, -1, -30, -400].map(days => make("option", { value: days }, days ? text.day(days) : text.right)));
    clock.value = Math.round(device.clockOffset / DAY);
    clock.addEventListener("change", () => play(`clock ${name} ${clock.value >= 0 ? "+" : "-"}${Math.abs(clock.value)}d`));
    box.append(make("div", { class: "row" }, make("span", { class: "quiet" }, text.clockOff), clock,
      ...others.filter(other => status.peers.some(peer => peer.name === other.name))
        .map(other => act(text.remove(other.name), () => `${name} removes ${other.name}`, `remove-${name}-${other.name}`))));
  } else if (!device.isRunning) {
    box.append(make("div", { class: "row" }, make("span"), act(text.start, () => `start ${name}`, "start-" + name)));
  }
  if (device.hasBackup) box.append(make("div", { class: "row" }, make("span"), act(text.restore, () => `restore ${name}`, "restore-" + name)));
  return box;
}
const chosen = {};

function drawLinks() {
  return make("ul", {}, ...state.links.map(({ left, right, isCut }) => make("li", {}, `${left} – ${right}: `,
    make("span", { class: isCut ? "warning" : "good" }, isCut ? text.cutState : text.openState), " ",
    act(isCut ? text.mend : text.cut, () => `${isCut ? "mend" : "cut"} ${left} ${right}`, `link-${left}-${right}`))));
}
function drawStore() {
  const refunded = new Set(state.story.filter(line => line.startsWith("store refunds ")).map(line => line.split(" ")[2]));
  const now = state.devices.map(device => device.status?.time.now).filter(Boolean).sort().at(-1);
  return make("div", {}, now ? make("p", {}, text.time(moment(now))) : null,
    make("div", { class: "row" }, make("span"), act(text.advance(text.aDay), () => "store advances P1D", "day"),
      act(text.advance(text.aMonth), () => "store advances P1M", "month"), act(text.fails, () => "store fails billing", "fails"),
      act(text.fixes, () => "store fixes billing", "fixes")),
    make("ul", { id: "purchases" }, ...state.purchases.map(purchase => make("li", {}, text.bought(purchase) + " ",
      refunded.has(purchase.name) ? make("span", { class: "warning" }, text.refunded)
        : act(text.refund(purchase.name), () => `store refunds ${purchase.name}`, "refund-" + purchase.name)))));
}
function drawTimeline() {
  const rows = state.devices.filter(device => device.status)
    .flatMap(device => device.status.lines.flatMap(line => line.runs.map(run => ({ device: device.name, line: line.id, ...run }))));
  if (!rows.length) return make("p", { class: "quiet" }, text.nothing);
  const now = Date.parse(state.devices.find(device => device.status).status.time.now);
  const from = Math.min(now, ...rows.map(row => Date.parse(row.start))) - 5 * DAY, to = Math.max(now, ...rows.map(row => Date.parse(row.end))) + 5 * DAY;
  const height = 22, width = 960, left = 90, at = time => left + (width - left) * (time - from) / (to - from);
  const names = [...new Set(rows.map(row => row.device))], tall = names.length * height + 30;
  const picture = draw("svg", { viewBox: `0 0 ${width} ${tall}`, role: "img", "aria-label": rows.map(row => text.run(row.device, row.line, date(row.start), date(row.end))).join("; ") });
  const first = new Date(from);
  for (let month = 1; month < 240; month++) {
    const time = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
    if (time > to) break;
    picture.append(draw("line", { class: "grid", x1: at(time), x2: at(time), y1: 0, y2: tall - 20 }));
    if (month % Math.ceil((to - from) / (30 * DAY) / 8) === 0) {
      const label = draw("text", { x: at(time) + 2, y: tall - 6 });
      label.textContent = new Date(time).toLocaleDateString(language, { year: "2-digit", month: "short", timeZone: "UTC" });
      picture.append(label);
    }
  }
  names.forEach((name, index) => {
    const label = draw("text", { x: 0, y: index * height + 15 });
    label.textContent = name;
    picture.append(label);
    for (const row of rows.filter(row => row.device === name)) {
      const title = draw("title", {});
      title.textContent = text.run(row.device, row.line, date(row.start), date(row.end));
      picture.append(draw("rect", { class: "run", x: at(Date.parse(row.start)), width: Math.max(2, at(Date.parse(row.end)) - at(Date.parse(row.start))), y: index * height + 3, height: height - 7, rx: 3 }, title));
    }
  });
  picture.append(draw("line", { class: "now", x1: at(now), x2: at(now), y1: 0, y2: tall - 20 }));
  return picture;
}
function show() {
  if (!state) return;
  const focus = document.activeElement?.id;
  const digests = state.devices.filter(device => device.status).map(device => device.status.digest), kinds = new Set(digests).size;
  element("agreement").textContent = digests.length ? (kinds === 1 ? text.same(digests.length) : text.differ(kinds)) : "";
  element("agreement").className = kinds === 1 ? "good" : "warning";
  element("state").textContent = state.busy ? text.doing(state.busy) : state.problem ? text.failed(state.problem) : text.ready;
  element("state").className = state.problem && !state.busy ? "warning" : "";
  element("devices").replaceChildren(...state.devices.map(card));
  element("links").replaceChildren(drawLinks());
  element("store").replaceChildren(drawStore());
  element("timeline").replaceChildren(drawTimeline());
  const story = element("story"), isAtEnd = story.scrollTop + story.clientHeight >= story.scrollHeight - 4;
  story.replaceChildren(...state.story.map(line => make("li", {}, line)));
  if (isAtEnd) story.scrollTop = story.scrollHeight;
  // What had the focus was drawn anew.
  if (focus && document.activeElement?.id !== focus) element(focus)?.focus();
}
function speak() {
  text = words[language];
  document.documentElement.lang = language;
  document.title = text.title;
  for (const labelled of document.querySelectorAll("[data-text]")) labelled.textContent = text[labelled.dataset.text];
  element("language").textContent = language === "ko" ? "English" : "한국어";
  element("language").lang = language === "ko" ? "en" : "ko";
  show();
}
function fail(problem) {
  element("state").textContent = problem;
  element("state").className = "warning";
  element("entrance").hidden = false;
}
async function follow(signal) {
  const answer = await fetch("/v1/lab/events", { headers: { Authorization: "Bearer " + token }, signal });
  if (answer.status === 401) { sessionStorage.removeItem("token"); throw new Error(text.wrong); }
  if (!answer.ok) throw new Error(String(answer.status));
  sessionStorage.setItem("token", token);
  element("entrance").hidden = true;
  element("content").hidden = false;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(text.lost);
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    const last = events.findLast(event => event.includes("data: "))?.split("\n").find(line => line.startsWith("data: "));
    if (last) { state = JSON.parse(last.slice(6)); show(); }
  }
}
function enter(given) {
  connection?.abort();
  connection = new AbortController();
  const { signal } = connection;
  token = given;
  // No header takes other characters.
  if (!/^[!-~]+$/.test(token)) return fail(text.wrong);
  follow(signal).catch(error => { if (!signal.aborted) fail(error instanceof TypeError ? text.lost : error.message); });
}
element("entrance").addEventListener("submit", event => { event.preventDefault(); enter(element("token").value.trim()); });
element("language").addEventListener("click", () => {
  language = language === "ko" ? "en" : "ko";
  sessionStorage.setItem("language", language);
  speak();
});
element("play").addEventListener("submit", async event => {
  event.preventDefault();
  const line = element("line").value.trim();
  const answer = await play(line);
  if (answer?.ok) element("line").value = "";
});
element("save").addEventListener("click", async () => {
  const answer = await fetch("/v1/lab/story", { headers: { Authorization: "Bearer " + token } });
  const link = make("a", { href: URL.createObjectURL(await answer.blob()), download: "lab-story.txt" });
  link.click();
  URL.revokeObjectURL(link.href);
});
function takeGiven() {
  const given = location.hash.slice(1);
  if (given) history.replaceState(null, "", location.pathname);
  return given;
}
addEventListener("hashchange", () => { const given = takeGiven(); if (given) enter(given); });
speak();
const given = takeGiven() || sessionStorage.getItem("token");
if (given) enter(given);
