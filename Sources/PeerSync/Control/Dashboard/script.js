// One device: how it stands, what it can do, its group, and what has happened.
Object.assign(words.en, {
  title: "PeerSync", token: "Token (in api.json in the data directory)", enter: "Show", skip: "Skip to the device", standing: "How it stands", timeline: "Timeline", actions: "What it can do",
  purchases: "Purchases", group: "Group", history: "History", notifications: "Notifications of the store", environments: {}, state: (s, n) => `${s.online ? "Online" : "Offline"}, ${s.device.environment}, ${n === 1 ? "alone in its group" : `${n} devices in the group`}`,
  clock: t => `Its clock: ${t}`,
  buy: "Buy", product: "Product", price: (name, price) => price ? `${name}, ${price}` : name, willEnd: d => `until ${d} if bought now`, spend: id => `Spend 1 (${id})`, goOffline: "Go offline", goOnline: "Go online",
  grant: "Grant", revoke: "Take grants back", entitlement: "Entitlement", setDate: "Set date", noDate: "No date", needsDate: "Choose a date first.", hasIt: name => `${name} is owned already: nothing was bought.`, subscribes: (name, day) => `${name} is subscribed already until ${day}: nothing was bought.`, comesLater: (name, now, day) => `Nothing was bought now: ${now} becomes ${name} at its next renewal, on ${day}.`, waits: name => `${name} waits for approval: nothing is granted until then.`, lineName: "Line", endDate: "End", refund: "Refund", dated: line => `${line} stays as it is: its explicit date stands in for this purchase, and a refund does not change that date.`, doing: "Doing it …", notDone: why => `Not done: ${why}`,
  when: "When", what: "What", who: "Device", stands: "State", connected1: "connected", apart: "not connected", lastSeen: t => `, last seen ${t}`, thisOne: "this device", remove: "Remove …", removeIt: "Remove", sure: name => `${name} is removed from the group for good. What it decides from then on counts nowhere else.`,
  invite: "Invite a device", invited: t => `Good for one device until ${t}.`, onNewDevice: "On the new device:", onThisMachine: "On another device of this machine:", onSameNetwork: "On the new device, on the same network:", codeAlone: "On the same network the code alone is enough:", reachedByNobody: option => ["No other machine can reach this device, which listens on this one alone: run it with ", option, "."], noURL: "There is no URL: this machine has no address that means anything elsewhere.", qr: "QR code of the invitation", empty: "Nothing yet.", taken: n => `${n} decisions of removed devices were taken back.`, lostCredits: (n, id, by, counts, named) => `${n} ${id} of lost devices were taken over by ${named ? `a device that ${by} names` : by}.` + (counts ? "" : " They were not lost: it does not count."), by: t => `by ${t}`, putIn: (who, list) => `${who ?? "a device not known here"} put ${list} into the catalogue`, notConnected: "Not connected.", warnings: "Warnings",
});
Object.assign(words.ko, {
  title: "PeerSync", token: "토큰 (데이터 디렉터리의 api.json)", enter: "보기", skip: "기기로 건너뛰기", standing: "현재 상태", timeline: "시간표", actions: "할 수 있는 일",
  purchases: "구입", group: "그룹", history: "기록", notifications: "스토어의 알림", environments: { sandbox: "샌드박스", production: "실제 스토어", xcode: "Xcode" },
  state: (s, n) => `${s.online ? "온라인" : "오프라인"}, ${text.environments[s.device.environment] ?? s.device.environment}, ${n === 1 ? "그룹에 혼자" : `그룹에 기기 ${n}대`}`,
  clock: t => `이 기기의 시계: ${t}`,
  buy: "구입", product: "상품", price: (name, price) => price ? `${name}, ${price}` : name, willEnd: d => `지금 사면 ${d}까지`, spend: id => `${id} 1개 사용`, goOffline: "오프라인으로", goOnline: "온라인으로",
  grant: "부여", revoke: "부여 취소", entitlement: "권한", setDate: "날짜 정하기", noDate: "날짜 없음", needsDate: "먼저 날짜를 고르세요.", hasIt: name => `이미 가지고 있어 구입하지 않았습니다: ${name}`, subscribes: (name, day) => `${day}까지 이미 구독 중이어서 구입하지 않았습니다: ${name}`, comesLater: (name, now, day) => `지금 구입한 것은 없습니다. ${day}에 갱신될 때 바뀝니다: ${now} → ${name}`, waits: name => `승인을 기다립니다. 그때까지는 아무것도 제공되지 않습니다: ${name}`, lineName: "이용 기간", endDate: "끝", refund: "환불", dated: line => `‘${line}’ 이용 기간은 그대로입니다. 정해진 날짜가 이 구입을 대신하며, 환불해도 그 날짜는 바뀌지 않습니다.`, doing: "실행 중 …", notDone: why => `실행하지 못했습니다: ${why}`,
  when: "언제", what: "무엇", who: "기기", stands: "상태", connected1: "연결됨", apart: "연결 안 됨", lastSeen: t => `, 마지막 확인 ${t}`, thisOne: "이 기기", remove: "제거 …", removeIt: "제거", sure: name => `${name} 기기를 그룹에서 영구히 제거합니다. 이후 그 기기의 결정은 다른 곳에서 인정되지 않습니다.`,
  invite: "기기 초대", invited: t => `${t}까지 기기 한 대에 쓸 수 있습니다.`, onNewDevice: "새 기기에서:", onThisMachine: "이 컴퓨터의 다른 기기에서:", onSameNetwork: "같은 네트워크에 있는 새 기기에서:", codeAlone: "같은 네트워크에서는 코드만으로 충분합니다:", reachedByNobody: option => ["다른 컴퓨터는 이 기기에 연결할 수 없습니다. 다른 컴퓨터에서도 쓰려면 ", option, " 옵션으로 실행하세요."], noURL: "URL은 없습니다. 이 컴퓨터에는 다른 곳에서 쓸 수 있는 주소가 없습니다.", qr: "초대 QR 코드", empty: "아직 없습니다.", taken: n => `제거된 기기의 결정 ${n}개가 취소되었습니다.`, lostCredits: (n, id, by, counts, named) => `잃어버린 기기의 ${id} ${n}개를 ${named ? `‘${by}’ 기기가 알린 다른 기기` : by}에서 넘겨받았습니다.` + (counts ? "" : " 그 기기는 분실되지 않았으므로 인정되지 않습니다."), by: t => `${t}까지`, putIn: (who, list) => `${who ? `‘${who}’ 기기` : "알 수 없는 기기"}에서 ‘${list}’ 상품을 카탈로그에 넣었습니다`, notConnected: "연결되지 않았습니다.", warnings: "경고",
});
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone, query = () => `language=${language}&zone=${encodeURIComponent(zone)}`;
const localTime = value => value ? moment(value, zone) : "–";
let status = null, doing = false, invitation = null, facts = { products: [], devices: [], removed: [], events: [], notifications: [] }, loaded = "";
const problems = {}, chosen = {};
const get = path => ask("GET", path);
const nameOf = id => facts.products.find(product => product.id === id)?.displayName ?? id;
const isRemoved = () => facts.removed.some(one => one.id === status.device.id);

async function act(place, method, path, body) {
  if (doing) return null;
  doing = true;
  problems[place] = "";
  redraw();
  try { return await ask(method, path, body); } catch (error) { problems[place] = text.notDone(error.message); return null; } finally { doing = false; loaded = ""; redraw(); }
}
const busy = () => doing || !wire.isOpen;
const push = (id, label, does, { kind = "", name = null } = {}) => button(id, label, does, { kind, name, isBusy: busy() });
const choice = (id, label, options) => make("select", { id, "aria-label": label, onchange: event => { chosen[id] = event.currentTarget.value; redraw(); } },
  options.map(([value, words]) => make("option", { value, selected: value === (chosen[id] ?? options[0][0]) }, words)));
const picked = id => element(id).value, part = encodeURIComponent;

const expire = expires => act("actions", "PUT", `/v1/lines/${part(picked("line"))}/expiration`, { expires });
// Without a date all cover would be taken away: that has a button of its own.
function setDate(day) {
  if (day) return expire(day + "T00:00:00Z");
  problems.actions = text.needsDate;
  redraw();
  element("end").focus();
}
async function takeAway() {
  if (await confirmed(text.sureNoDate(picked("line")), text.takeAway)) expire(null);
}
async function buy() {
  const id = picked("product"), made = await act("actions", "POST", "/v1/purchases", { productId: id });
  if (!made || made.bought) return;
  const is = made.transaction, name = nameOf(id);
  problems.actions = !is ? text.waits(name) : is.productId !== id ? text.comesLater(name, nameOf(is.productId), date(is.expiresDate))
    : is.expiresDate ? text.subscribes(name, date(is.expiresDate)) : text.hasIt(name);
  redraw();
}
async function refund(transactionId) {
  const made = await act("purchases", "POST", "/v1/refunds", { transactionId });
  if (!made?.dated) return;
  problems.purchases = text.dated(made.dated);
  redraw();
}
function actionsOf() {
  const { products } = facts, lines = status.lines.map(line => line.id), rights = status.entitlements.map(one => one.id);
  const product = products.find(one => one.id === (chosen.product ?? products[0]?.id));
  return [
    products.length ? make("div", { class: "row", id: "buying" }, choice("product", text.product, products.map(one => [one.id, text.price(one.displayName ?? one.id, one.price ? `${one.price} ${one.currency ?? ""}` : "")])),
      push("buy", text.buy, buy, { kind: "main" }),
      product?.expiresIfBought ? make("span", { class: "quiet" }, text.willEnd(date(product.expiresIfBought))) : null) : null,
    make("div", { class: "row", id: "switches" }, status.credits.filter(credit => credit.balance > 0).map(credit => push("spend-" + credit.id, text.spend(credit.id), () => act("actions", "POST", `/v1/credits/${part(credit.id)}/spends`, { amount: 1 }))),
      push("network", status.online ? text.goOffline : text.goOnline, () => act("actions", "PUT", "/v1/network", { online: !status.online }))),
    lines.length ? make("div", { class: "row", id: "dates" }, choice("line", text.lineName, lines.map(id => [id, id])), make("input", { type: "date", id: "end", "aria-label": text.endDate }),
      push("set-date", text.setDate, () => setDate(picked("end"))), push("no-date", text.noDate, takeAway, { kind: "danger" })) : null,
    rights.length ? make("div", { class: "row", id: "rights" }, choice("right", text.entitlement, rights.map(id => [id, id])), push("grant", text.grant, () => act("actions", "PUT", `/v1/grants/${part(picked("right"))}`, {})),
      push("revoke", text.revoke, () => act("actions", "DELETE", `/v1/grants/${part(picked("right"))}`), { kind: "danger" })) : null,
  ];
}
const table = (heads, rows, id) => make("table", { id }, make("thead", {}, make("tr", {}, heads.map(head => make("th", { scope: "col" }, head)))), make("tbody", {}, rows));
const cells = (...contents) => make("tr", {}, contents.map(content => make("td", {}, content)));
function purchasesOf() {
  const bought = proofs.get(status.device.id)?.transactions ?? [];
  if (!bought.length) return make("p", { class: "quiet" }, text.empty);
  return table([text.when, text.what, text.who, text.stands], [...bought].reverse().map(one => cells(localTime(one.purchaseDate), nameOf(one.productId) + (one.quantity > 1 ? ` ×${one.quantity}` : ""), one.device?.name ?? "–",
    one.revocationDate ? make("span", { class: "warning" }, text.refunded) : isRemoved() ? "" : push("refund-" + one.transactionId, text.refund, () => refund(one.transactionId), { name: `${text.refund}: ${one.productId}, ${localTime(one.purchaseDate)}` }))));
}
function groupOf() {
  const removing = one => push("remove-" + one.id, text.remove, async () => { if (await confirmed(text.sure(one.name), text.removeIt)) act("group", "DELETE", "/v1/devices/" + part(one.id)); }, { kind: "danger", name: `${text.remove} ${one.name}` });
  const taken = facts.takenBack?.count, lost = status.credits.flatMap(credit => credit.fromLost.map(one => text.lostCredits(one.amount, credit.id, one.by, one.counts, one.named)));
  return [table([text.who, text.stands, ""], [
    ...facts.devices.map(one => cells(one.name, one.self ? text.thisOne : (one.connected ? text.connected1 : text.apart + (one.lastSeen ? text.lastSeen(localTime(one.lastSeen)) : "")), one.self || isRemoved() ? "" : removing(one))),
    ...facts.removed.map(one => cells(one.name, make("span", { class: "warning" }, text.removed), ""))]),
    taken ? make("p", { class: "warning" }, text.taken(taken)) : null, lost.map(words => make("p", { class: "warning" }, words)),
    isRemoved() ? null : make("p", {}, push("invite", text.invite, invite))];
}
async function invite() {
  const made = await act("group", "POST", "/v1/invitations");
  if (!made) return;
  invitation = made;
  try { if (made.url) invitation.rows = (await get("/v1/qrcode?text=" + part(made.url))).rows; } catch { /* The address alone will do. */ }
  redraw();
}
function invitationOf() {
  if (!invitation) return [];
  const { rows } = invitation, width = rows?.length ?? 0;
  // As `peerd invite` says it: by no address that the other device cannot reach.
  const { url, announced } = invitation, code = invitation.code.match(/.{1,4}/g).join("-"), isHere = /^peersync:\/\/(127\.|\[::1\])/.test(url ?? "");
  const join = words => make("p", { class: "code" }, make("code", { id: "join" }, `peerd join --data DIR ${words}`));
  const ways = !url ? [text.onSameNetwork, join(code), make("p", {}, text.noURL)]
    : isHere ? [text.onThisMachine, join(url), make("p", { class: "warning" }, text.reachedByNobody(make("code", { class: "whole" }, "--lan")))]
      : [text.onNewDevice, join(url), announced ? make("p", {}, text.codeAlone, " ", make("code", { id: "code" }, code)) : null];
  return [make("p", {}, ways[0]), ways.slice(1), make("p", { class: "quiet" }, text.invited(localTime(invitation.expires))),
    rows ? draw("svg", { id: "qr", class: "qr", viewBox: `0 0 ${width} ${width}`, role: "img", "aria-label": text.qr, "shape-rendering": "crispEdges" },
      draw("path", { fill: "#000", d: rows.flatMap((row, y) => [...row].map((dark, x) => dark === "1" ? `M${x} ${y}h1v1h-1z` : "")).join("") })) : null];
}
// Products that one device put into the catalogue one after another are one line, as `peerd history` has it.
function historyOf() {
  const lines = [], listed = names => names.slice(0, 4).join(", ") + (names.length > 4 ? `, … (${names.length})` : "");
  for (const [place, one] of facts.events.entries()) {
    const last = lines.at(-1), isProduct = one.type === "product" && one.product;
    if (isProduct && last?.products.length && last.one.device?.id === one.device?.id) last.products.push(nameOf(one.product.id));
    else lines.push({ one, said: facts.sentences?.[place] ?? one.type, products: isProduct ? [nameOf(one.product.id)] : [] });
  }
  const rows = lines.map(({ one, said, products }) => cells(one.learned ? text.by(localTime(one.time)) : localTime(one.time), products.length > 1 ? text.putIn(one.device?.name, listed(products)) : withDatesGlued(said)));
  return rows.length ? table([text.when, text.what], rows.reverse()) : make("p", { class: "quiet" }, text.empty);
}
const notificationsOf = () => facts.notifications.length ? table([text.when, text.what], [...facts.notifications].reverse().slice(0, 50).map(one => cells(localTime(one.signedDate), [one.notificationType, one.subtype, one.productId && nameOf(one.productId)].filter(Boolean).join(", "))))
  : make("p", { class: "quiet" }, text.empty);

// What the status does not say; asked again when it says something else.
async function load() {
  const mark = [status.digest, status.group.members, status.warnings, status.peers.map(peer => [peer.device, peer.connected]), language, wire.isOpen].join();
  if (mark === loaded || !wire.isOpen) return;
  loaded = mark;
  try {
    const [{ products }, { devices, removed, takenBack }, { events, sentences }, { notifications }] = await Promise.all([get("/v1/products"), get("/v1/devices"), get(`/v1/history?limit=50&${query()}`), get("/v1/notifications")]);
    facts = { products, devices, removed, takenBack, events, sentences, notifications };
  } catch { if (loaded === mark) loaded = ""; return; }
  await prove(status.device.id, status, facts.products, get, () => {});
  redraw();
}
function redraw() {
  if (!status) return;
  element("name").textContent = status.device.name;
  document.title = `${status.device.name} – PeerSync`;
  if (wire.isOpen) {
    element("state").textContent = isRemoved() ? text.removed : doing ? text.doing : text.state(status, status.group.members);
    element("state").className = isRemoved() || !status.online ? "warning" : "";
  }
  show("warnings", warningsOf(status.warnings, status.warningsInKorean));
  show("standing", make("div", { class: "card" }, make("div", { class: "row apart" }, make("span", { class: "quiet" }, text.clock(localTime(status.time.wall))), digestOf(status)), standingOf(status, nameOf)));
  element("actions").parentElement.hidden = isRemoved();
  show("actions", isRemoved() ? null : actionsOf());
  element("warnings").setAttribute("aria-label", text.warnings);
  show("purchases", purchasesOf());
  show("group", groupOf());
  show("invitation", invitationOf());
  show("history", historyOf());
  show("notifications", notificationsOf());
  show("timeline", timelineOf([{ who: status.device.name, proof: proofs.get(status.device.id) }], status.time.now, [...facts.devices, ...facts.removed].map(one => one.name).sort(), nameOf));
  for (const place of ["actions", "purchases", "group"]) element("problem-" + place).textContent = problems[place] ?? "";
  load();
}
let ended = "notConnected";
function say(end) {
  ended = end;
  element("state").textContent = text[end];
  element("state").className = "warning";
  element("entrance").hidden = end !== "wrong";
  element("content").classList.toggle("old", end === "lost");
  redraw();
}
function take(change) {
  status = change.status;
  element("entrance").hidden = true;
  element("content").hidden = false;
  element("content").classList.remove("old");
  redraw();
}
const enter = token => connect(token, () => "/v1/events?full=true&" + query(), { take, say });
element("entrance").onsubmit = event => { event.preventDefault(); enter(element("token").value.trim()); element("token").value = ""; };
element("language").onclick = () => {
  language = language === "ko" ? "en" : "ko";
  sessionStorage.setItem("language", language);
  speak();
  loaded = "";
  redraw();
  if (wire.isOpen) enter(wire.token); else element("state").textContent = text[ended];
};
addEventListener("resize", redraw);
addEventListener("hashchange", () => { const given = takeGiven(); if (given && given !== "main") enter(given); });
speak();
element("state").textContent = text.notConnected;
const given = takeGiven() || sessionStorage.getItem("token");
if (given) enter(given);
