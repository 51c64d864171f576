// What both pages show of a device: how it stands, who holds what, and the timeline.
Object.assign(words.en, {
  language: "Language", cancel: "Cancel", until: (id, date, left) => `${id} until ${date} (${left})`, again: (start, end) => `again from ${start} until ${end}`,
  over: (id, date) => `${id} ended on ${date}`, never: id => `${id}: no days left`, days: n => glued(n === 1 ? "1 day left" : `${n} days left`), scale: years => `A full bar is ${years === 1 ? "a year" : `${years} years`}.`,
  credit: c => `${c.balance} ${c.id}, ${c.available} to spend here`, debt: c => `${c.debt} ${c.id} owed: the next purchase pays ${c.debt === 1 ? "it" : "them"} first`, holders: list => `held by ${list}`,
  holder: (who, n) => `${who}: ${n}`, self: "this device", earlier: "an earlier life of it", nobody: "nobody yet", unknown: "an unknown device", gone: name => `${name} (removed)`,
  owns: list => `Owns ${list}`, entitled: list => `Entitled to ${list}`, connected: list => `Connected with ${list}`, alone: "Connected with nobody",
  digestIs: digest => `The same pattern is the same content. Digest: ${digest}`, online: "online", offline: "offline", removed: "removed", runs: "Runs", run: (a, b) => `${a} to ${b}`,
  nothing: "Nothing bought yet.", now: "now", timelineOf: who => `What ${who} counts`, block: (b, a, z) => `${b.what}, ${a} to ${z}${b.by ? `, bought on ${b.by}` : ""}: ${b.counted}${b.contribution ? ` (${b.contribution})` : ""}`,
  counts: { startedRun: () => "started a run", joinedRun: () => "joined the run", prorated: h => `refunded in part, ${h.amount} days left`, revoked: () => "refunded or revoked", covered: () => "covered by the explicit date", unknownProduct: () => "unknown product or period", unverified: () => "unverified", environmentMismatch: () => "of another environment or app", owned: () => "bought for good", credits: h => `bought ${h.amount} credits`, subscription: h => `paid until ${date(h.until)}`, upgraded: () => "replaced by an upgrade" },
  states: { subscribed: "subscribed", inGracePeriod: "grace period", inBillingRetry: "billing retry", expired: "expired", revoked: "revoked" }, adds: words => words, refundOf: (b, a, z) => `${b.what}, bought on ${a}${b.by ? ` on ${b.by}` : ""}: refunded on ${z}${b.isDated ? "; the explicit date stands in for it, and stays" : ""}`,
  explicit: "explicit date", sureNoDate: id => `All cover of ${id} is taken away on every device. What was bought so far does not bring it back.`, takeAway: "Take it away", refunded: "refunded", grace: "grace period", retry: "the store tries to bill", choose: "Choose a block to read how it counted.", boughtOn: name => `bought on ${name}`,
  lost: "The connection is lost; it is tried again. What is shown here is old.", wrong: "The token is wrong.",
});
Object.assign(words.ko, {
  language: "언어", cancel: "취소", until: (id, date, left) => `${id}: ${date}까지 (${left})`, again: (start, end) => `${start}부터 ${end}까지 다시`,
  over: (id, date) => `${id}: ${date}에 끝남`, never: id => `${id}: 남은 기간 없음`, days: n => glued(`${n}일 남음`), scale: years => `막대가 가득 차면 ${years}년입니다.`,
  credit: c => `${c.id} ${c.balance}개, 여기서 ${c.available}개 사용 가능`, debt: c => `${c.id} ${c.debt}개 부족: 다음에 구입한 것에서 먼저 채웁니다`, holders: list => `보유: ${list}`,
  holder: (who, n) => `${who} ${n}개`, self: "이 기기", earlier: "이 기기의 이전 상태", nobody: "아직 없음", unknown: "알 수 없는 기기", gone: name => `${name} (제거됨)`,
  owns: list => `구입함: ${list}`, entitled: list => `권한: ${list}`, connected: list => `연결됨: ${list}`, alone: "연결된 기기 없음",
  digestIs: digest => `무늬가 같으면 내용이 같습니다. 다이제스트: ${digest}`, online: "온라인", offline: "오프라인", removed: "제거됨", runs: "기간", run: (a, b) => `${a}부터 ${b}까지`,
  nothing: "아직 구입이 없습니다.", now: "지금", timelineOf: who => `${who}의 계산`, block: (b, a, z) => `${b.what}, ${a}부터 ${z}까지${b.by ? `, ${b.by}에서 구입` : ""}: ${b.counted}${b.contribution ? ` (${b.contribution})` : ""}`,
  counts: { startedRun: () => "새 구간 시작", joinedRun: () => "구간을 이음", prorated: h => `일부 환불, ${h.amount}일 남음`, revoked: () => "환불 또는 취소", covered: () => "정해진 날짜로 대신함", unknownProduct: () => "상품이나 기간을 알 수 없음", unverified: () => "확인되지 않음", environmentMismatch: () => "다른 환경이나 앱의 거래", owned: () => "영구 구입", credits: h => `크레딧 ${h.amount}개 구입`, subscription: h => `${date(h.until)}까지 구독`, upgraded: () => "업그레이드로 대체됨" },
  states: { subscribed: "구독 중", inGracePeriod: "유예 기간", inBillingRetry: "결제 재시도", expired: "만료됨", revoked: "취소됨" }, adds: words => words.replace(/ months?/g, "개월").replace(/ days?/g, "일"), refundOf: (b, a, z) => `${b.what}, ${a}에${b.by ? ` ${b.by}에서` : ""} 구입: ${z}에 환불${b.isDated ? ". 정해진 날짜가 대신하므로 그 날짜는 그대로입니다" : ""}`,
  explicit: "정해진 날짜", sureNoDate: id => `모든 기기에서 ‘${id}’ 이용 기간을 없앱니다. 지금까지 구입한 것으로는 되살아나지 않습니다.`, takeAway: "없애기", refunded: "환불됨", grace: "유예 기간", retry: "스토어가 결제를 다시 시도하는 기간", choose: "블록을 선택하면 어떻게 계산되었는지 보입니다.", boughtOn: name => `${name}에서 구입`,
  lost: "연결이 끊겨 다시 시도하고 있습니다. 여기 보이는 내용은 이전 것입니다.", wrong: "토큰이 올바르지 않습니다.",
});

// The same digest has the same pattern in the same colour everywhere, beside text that can be read on any ground. A square alone would be
// taken for a device.
function digestOf(status) {
  // Five columns of which the last two mirror the first two, a bit of the digest for each square.
  const bits = parseInt(status.digest.slice(0, 6), 16), fill = `oklch(62% .14 ${parseInt(status.digest.slice(6, 9), 16) % 360})`, squares = [];
  for (let place = 0; place < 15; place++) if (bits >> place & 1) for (const x of new Set([place % 3, 4 - place % 3])) squares.push(`M${x} ${Math.floor(place / 3)}h1v1h-1z`);
  return make("span", { class: "digest", title: text.digestIs(status.digest) }, draw("svg", { class: "seal", viewBox: "0 0 5 5", "aria-hidden": "true" }, draw("path", { d: squares.join(""), fill })), status.digest.slice(0, 8));
}
// The run of a line that counts now; none where it is over.
const presentOf = (line, now) => line.active ? line.runs.find(run => Date.parse(run.start) <= Date.parse(now) && Date.parse(now) < Date.parse(run.end)) : null;
// All bars of a page have one scale, so that what is as long lasts as long: whole years, as many as the longest takes. A date
// may be set to the year 9999: beyond as many years as this bars are full, and the timeline ends.
const MOST_YEARS = 20;
const yearsOf = statuses => Math.min(MOST_YEARS, Math.max(1, ...statuses.flatMap(({ lines, time }) => lines.map(line => Math.ceil((Date.parse(presentOf(line, time.now)?.end ?? time.now) - Date.parse(time.now)) / YEAR)))));
function lineOf(line, now, years) {
  if (!line.expires) return make("p", { class: "quiet" }, text.never(line.id));
  const later = line.runs.filter(run => Date.parse(run.start) > Date.parse(now)).map(run => text.again(date(run.start), date(run.end))), present = presentOf(line, now);
  if (!present) return make("p", {}, text.over(line.id, date(line.runs.findLast(run => Date.parse(run.end) <= Date.parse(now))?.end ?? line.expires)), later.map(words => "; " + words));
  const said = text.until(line.id, date(present.end), text.days(line.daysRemaining));
  return make("div", {}, make("p", {}, said, later.map(words => "; " + words)),
    make("meter", { min: 0, max: years * YEAR, value: Date.parse(present.end) - Date.parse(now), "aria-label": said, title: text.scale(years) }));
}
// Holders may have less than nothing: what one lacks others make up for, and where the total is nothing nobody has any to spend.
function creditOf(credit) {
  if (credit.debt > 0) return make("p", {}, text.debt(credit));
  const who = { this: () => text.self, earlier: () => text.earlier, nobody: () => text.nobody, unknown: () => text.unknown, member: one => one.name, removed: one => text.gone(one.name) };
  const held = (credit.balance > 0 ? credit.holders : []).filter(one => one.rights > 0).map(one => text.holder((who[one.kind] ?? who.unknown)(one), one.rights)).join(", ");
  return make("p", {}, text.credit(credit), held ? make("span", { class: "quiet" }, ` – ${text.holders(held)}`) : null);
}
const warningsOf = (list, korean) => {
  const isTold = language === "ko" && korean?.length === list.length;
  return (isTold ? korean : list).map(warning => make("p", { class: "warning", lang: isTold ? "ko" : "en" }, "⚠ " + warning));
};
// How a device stands, without what can be done about it.
function standingOf(status, named = id => id, years = yearsOf([status])) {
  const entitled = status.entitlements.filter(one => one.active).map(one => one.id), met = status.peers.filter(peer => peer.connected).map(peer => peer.name);
  return [
    status.lines.map(line => lineOf(line, status.time.now, years)),
    status.subscriptions.map(plan => make("p", {}, (plan.sentences ?? [`${named(plan.productId)}: ${text.states[plan.state] ?? plan.state}`]).map(withDatesGlued).join(" "))),
    status.credits.filter(credit => credit.balance || credit.debt || credit.holders.length).map(creditOf),
    status.purchased.length ? make("p", {}, text.owns(status.purchased.map(named).join(", "))) : null,
    entitled.length ? make("p", {}, text.entitled(entitled.join(", "))) : null,
    make("p", { class: "quiet" }, met.length ? text.connected(met.join(", ")) : text.alone),
  ];
}

// The proofs of what can have dates, and who bought what: asked again when the facts have changed.
const proofs = new Map();
async function prove(who, status, products, get, changed) {
  const known = proofs.get(who), dated = products.filter(product => product.line || product.type === "autoRenewableSubscription");
  const ids = [...new Set(dated.flatMap(product => product.entitlements))].filter(id => status.entitlements.some(one => one.id === id));
  const mark = [status.digest, status.subscriptions.map(plan => plan.state), ids].join();
  if (known?.mark === mark) return;
  proofs.set(who, { ...known, mark });
  try {
    const whys = await Promise.all(ids.map(id => get(`/v1/entitlements/${encodeURIComponent(id)}/why`)));
    const transactions = [];
    for (let after = ""; after !== null;) {
      const page = await get(`/v1/transactions?limit=10000${after}`);
      transactions.push(...page.transactions);
      after = page.next === null ? null : `&after=${encodeURIComponent(page.next)}`;
    }
    if (proofs.get(who)?.mark !== mark) return;
    const lines = new Map(whys.flatMap(why => why.lines).map(line => [line.id, line]));
    const plans = new Map(whys.flatMap(why => why.subscriptions).map(plan => [plan.originalTransactionId, plan]));
    proofs.set(who, { mark, lines: [...lines.values()], plans: [...plans.values()], transactions });
    changed();
  } catch { if (proofs.get(who)?.mark === mark) proofs.delete(who); }
}
// The blocks of a line, as `why` counts them: each purchase from where the one before ends.
function blocksOf(line, buyer) {
  const blocks = [], first = new Map(line.runs.filter(run => run.transactions.length).map(run => [run.transactions[0], run.start]));
  let end = null;
  if (line.register?.expires) {
    const run = line.runs.find(run => run.start < line.register.expires && line.register.expires <= run.end);
    if (run) blocks.push({ kind: "date", what: text.explicit, start: run.start, end: line.register.expires, counted: text.explicit });
    end = line.register.expires;
  }
  for (const { transaction, counted, how, contribution, end: until } of line.steps) {
    const block = { id: transaction.transactionId, what: transaction.productId, by: buyer.get(transaction.transactionId), counted: text.counts[how?.kind]?.(how) ?? counted, contribution: text.adds(contribution) };
    if (until) {
      const start = first.get(block.id) ?? end ?? transaction.purchaseDate;
      blocks.push({ ...block, kind: "block", start, end: until });
      end = until;
    } else if (transaction.revocationDate) blocks.push({ ...block, kind: "refunded", isDated: how?.kind === "covered", start: transaction.purchaseDate, end: transaction.revocationDate });
  }
  return blocks;
}
function blocksOfPlan(plan, transactions, buyer) {
  const blocks = transactions.filter(one => one.originalTransactionId === plan.originalTransactionId && one.expiresDate).map(one => ({
    id: one.transactionId, kind: one.revocationDate ? "refunded" : "block", what: one.productId, by: buyer.get(one.transactionId), start: one.purchaseDate,
    end: one.revocationDate ?? one.expiresDate, counted: one.revocationDate ? text.refunded : text.states[plan.state] ?? plan.state, contribution: "" }));
  const rest = (kind, end) => ({ kind, what: plan.productId, start: plan.expires, end, counted: text[kind], contribution: "" });
  if (plan.expires && plan.accessUntil > plan.expires) blocks.push(rest("grace", plan.accessUntil));
  if (plan.expires && plan.retryUntil > plan.expires) blocks.push(rest("retry", plan.retryUntil));
  return blocks;
}
// Letters of Korean are twice as wide as others.
const wide = words => [...words].reduce((sum, letter) => sum + (letter > "\u1100" ? 12 : 7.5), 0);
// As much of a name as there is room for.
function fitted(name, room) {
  const letters = [...name];
  if (wide(name) <= room) return name;
  while (letters.length > 1 && wide(letters.join("") + "…") > room) letters.pop();
  return letters.join("") + "…";
}
// Where blocks lie, and how many lanes there are below them: what was refunded has lanes of its own, for others count at the same time.
function lanesOf(blocks, at, width) {
  const ends = [];
  for (const one of blocks) [one.x, one.wide, one.lane] = [Math.min(at(Date.parse(one.start)), width - 5), Math.max(5, at(Date.parse(one.end)) - at(Date.parse(one.start))), 0];
  for (const one of blocks.filter(block => block.kind === "refunded").sort((a, b) => a.x - b.x)) {
    one.wide = Math.max(18, one.wide);
    one.x = Math.min(one.x, width - one.wide);
    const free = ends.findIndex(end => end <= one.x);
    one.lane = free < 0 ? ends.length + 1 : free + 1;
    ends[one.lane - 1] = one.x + one.wide + 1;
  }
  return ends.length;
}
let chosenBlock = "", chosenSaid = "";
// Rows are devices, or the lines of one; colours are devices that bought.
function timelineOf(shown, now, devices, named = id => id) {
  const rows = shown.flatMap(({ who, proof }) => {
    if (!proof?.transactions) return [];
    const buyer = new Map(proof.transactions.map(one => [one.transactionId, one.device?.name]));
    return [...proof.lines.map(line => ({ who, what: line.id, blocks: blocksOf(line, buyer) })),
      ...proof.plans.map(plan => ({ who, what: named(plan.productId), blocks: blocksOfPlan(plan, proof.transactions, buyer) }))].filter(row => row.blocks.length);
  });
  if (!rows.length) return [make("p", { class: "quiet" }, text.nothing)];
  chosenSaid = "";
  const time = Date.parse(now), blocks = rows.flatMap(row => row.blocks), far = MOST_YEARS * YEAR;
  const low = Math.max(time - far, Math.min(time, ...blocks.map(one => Date.parse(one.start)))), high = Math.min(time + far, Math.max(time, ...blocks.map(one => Date.parse(one.end))));
  const from = low - (high - low) * .02 - DAY, to = high + (high - low) * .02 + DAY, width = Math.max(280, (element("timeline").clientWidth || 900) - 2);
  const at = value => Math.round(width * (Math.min(to, Math.max(from, value)) - from) / (to - from) * 10) / 10;
  let tall = 18;
  for (const row of rows) {
    const lanes = lanesOf(row.blocks, at, width);
    row.top = tall;
    tall += 40 + 14 * lanes;
  }
  tall += 22;
  const picture = draw("svg", { id: "timeline-picture", width, height: tall, viewBox: `0 0 ${width} ${tall}`, role: "group", "aria-label": text.timeline },
    draw("defs", {}, draw("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, draw("rect", { class: "ground", width: 6, height: 6 }), draw("line", { class: "now", x1: 0, x2: 0, y1: 0, y2: 6 }))));
  const months = Math.ceil((to - from) / (30 * DAY) / Math.max(2, Math.floor(width / 90))), first = new Date(from);
  for (let month = 1, end = 0; month < 1200; month += months) {
    const tick = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
    if (tick > to) break;
    picture.append(draw("line", { class: "grid", x1: at(tick), x2: at(tick), y1: 16, y2: tall - 20 }));
    if (at(tick) < width - 60 && at(tick) >= end) picture.append(draw("text", { class: "quiet", x: at(tick), y: tall - 6 }, new Date(tick).toLocaleDateString(language, { year: "numeric", month: "short", timeZone: "UTC" })));
    end = at(tick) + 70;
  }
  for (const row of rows) {
    for (const [place, one] of row.blocks.entries()) {
      const said = (one.kind === "refunded" ? text.refundOf : text.block)({ ...one, what: named(one.what) }, date(one.start), date(one.end)), id = `block-${row.who}-${row.what}-${one.id ?? one.kind}-${place}`;
      const choose = () => { chosenBlock = id; element("timeline-said").textContent = `${row.who} · ${said}`; };
      if (id === chosenBlock) chosenSaid = `${row.who} · ${said}`;
      picture.append(draw("g", { id, tabindex: 0, role: "img", "aria-label": `${row.who}, ${said}`, "data-start": one.start, "data-end": one.end, "data-id": one.id, "data-device": row.who, "data-kind": one.kind, class: "c" + Math.max(0, devices.indexOf(one.by)) % 8, onfocus: choose, onclick: choose },
        draw("title", {}, said), draw("rect", { class: one.kind === "grace" ? "block grace" : one.kind, x: one.x, width: one.wide, y: row.top + 15 + (one.lane ? 3 + 14 * one.lane : 0), height: one.lane ? 12 : 15, rx: 3 })));
    }
  }
  picture.append(draw("line", { class: "now", x1: at(time), x2: at(time), y1: 16, y2: tall - 20 }),
    draw("text", { class: "now", x: Math.min(at(time), width - 120), y: 12 }, `${text.now}: ${date(now)}`));
  for (const row of rows) {
    // Beside the line of the present, which would go through it.
    const title = `${row.who} · ${row.what}`, x = at(time) < wide(title) + 8 ? at(time) + 5 : 2;
    picture.append(draw("text", { class: "label", x, y: row.top + 11 }, draw("title", {}, title), fitted(title, width - x)));
  }
  const buyers = [...new Set(blocks.map(one => one.by).filter(Boolean))].sort(), kinds = ["refunded", "date", "grace", "retry"].filter(kind => blocks.some(one => one.kind === kind));
  return [picture, make("p", { class: "row", id: "legend" }, buyers.map(name => make("span", {}, make("span", { class: `swatch c${Math.max(0, devices.indexOf(name)) % 8}`, "aria-hidden": "true" }), text.boughtOn(name))),
    kinds.map(kind => make("span", {}, draw("svg", { class: "swatch", viewBox: "0 0 18 12", "aria-hidden": "true" }, draw("rect", { class: kind === "grace" ? "block grace" : kind, x: 1, y: 1, width: 16, height: 10, rx: 3 })), kind === "date" ? text.explicit : text[kind]))),
    make("p", { id: "timeline-said", class: "quiet" }, chosenSaid || text.choose)];
}
