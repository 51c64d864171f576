// The laboratory: several devices, the links between them, and their store.
let state = null, doing = false;
const chosen = {}, problems = {};

// Each button plays a line of the story language, or several. What goes wrong is said where one acted.
async function play(lines, place) {
  if (doing) return false;
  doing = true;
  problems[place] = "";
  redraw();
  try { for (const line of [lines].flat()) await ask("POST", "/v1/lab/lines", { line }); return true; } catch (error) { problems[place] = text.notDone(error.message); return false; } finally { doing = false; redraw(); }
}
const isBusy = () => doing || state.busy != null || !wire.isOpen;
// `missing` says what has to be given first, if anything is.
const act = (id, label, name, line, place, kind, missing = () => null) => button(id, label, () => {
  problems[place] = missing() ?? "";
  if (problems[place]) return redraw();
  play(line(), place);
}, { kind, name, isBusy: isBusy() });

// A name that nothing in the story has yet.
function newName(letter) {
  const taken = new Set(state.story.flatMap(line => line.split(" ")));
  let number = 1;
  while (taken.has(letter + number)) number++;
  return letter + number;
}
function choice(id, label, options, fallback) {
  const made = make("select", { id, "aria-label": label, onchange: event => { chosen[id] = event.currentTarget.value; } },
    options.map(([value, words]) => make("option", { value, selected: String(value) === String(chosen[id] ?? fallback) }, words)));
  return made;
}
const chosenOf = id => element(id).value;

function buying(device) {
  const id = "product-" + device.name;
  return make("div", { class: "row", id: "buying-" + device.name }, choice(id, text.on(text.product, device.name), state.products.map(one => [one.id, one.id]), state.products[0]?.id),
    act("buy-" + device.name, text.buy, text.on(text.buy, device.name), () => `${device.name} buys ${chosenOf(id)} in the store as ${newName("p")}`, device.name, "main"),
    device.status.credits.filter(credit => credit.balance > 0).map(credit => act(`spend-${device.name}-${credit.id}`, text.spend(credit.id), text.on(text.spend(credit.id), device.name), () => `${device.name} spends ${credit.id} 1 as ${newName("s")}`, device.name)));
}
function tools(device) {
  const { name, status } = device, others = state.devices.filter(other => other.name !== name && status.peers.some(peer => peer.name === other.name));
  const [clock, line, until, right] = ["clock", "line", "until", "right"].map(word => `${word}-${name}`);
  const lines = [...new Set(state.products.map(product => product.line).filter(Boolean))], rights = [...new Set(state.products.flatMap(product => product.entitlements))];
  return make("details", { class: "tools", id: "more-" + name }, make("summary", { "aria-label": text.of(text.more, name) }, text.more),
    make("div", { class: "row", id: "clocks-" + name }, make("label", { for: clock }, text.clockOff), choice(clock, text.of(text.clockOff, name), [0, 1, 30, 400, -1, -30, -400].map(days => [days, days ? text.day(days) : text.right]), Math.round(device.clockOffset / DAY)),
      act("set-" + clock, text.setClock, text.of(`${text.clockOff}: ${text.setClock}`, name), () => { const days = Number(chosenOf(clock)); delete chosen[clock]; return `clock ${name} ${days >= 0 ? "+" : "-"}${Math.abs(days)}d`; }, name)),
    lines.length ? make("div", { class: "row", id: "dates-" + name }, choice(line, text.of(text.lineName, name), lines.map(one => [one, one]), lines[0]), make("input", { type: "date", id: until, "aria-label": text.of(text.endDate, name) }),
      act("date-" + name, text.setDate, text.on(text.setDate, name), () => `${name} sets ${chosenOf(line)} to ${chosenOf(until)}`, name, "", () => chosenOf(until) ? null : text.needsDate),
      button("no-date-" + name, text.noDate, async () => {
        const id = chosenOf(line);
        if (await confirmed(text.sureNoDate(id), text.takeAway)) play(`${name} sets ${id} to none`, name);
      }, { kind: "danger", name: text.on(text.noDate, name), isBusy: isBusy() })) : null,
    rights.length ? make("div", { class: "row", id: "rights-" + name }, choice(right, text.of(text.entitlement, name), rights.map(one => [one, one]), rights[0]),
      act("grant-" + name, text.grant, text.on(text.grant, name), () => `${name} grants ${chosenOf(right)}`, name)) : null,
    make("div", { class: "row", id: "copies-" + name }, act("backup-" + name, text.backup, text.of(text.backup, name), () => `backup ${name}`, name),
      device.hasBackup ? act("restore-" + name, text.restore, text.of(text.restore, name), () => `restore ${name}`, name) : null,
      act("copy-" + name, text.copyIt, text.of(text.copyIt, name), () => `copy ${name} as ${copyName(name)}`, name)),
    others.length ? make("div", { class: "row", id: "removals-" + name }, others.map(other => button(`remove-${name}-${other.name}`, text.remove(other.name), async () => {
      if (await confirmed(text.sure(name, other.name), text.removeIt)) play(`${name} removes ${other.name}`, name);
    }, { kind: "danger", name: text.on(text.remove(other.name), name), isBusy: isBusy() }))) : null);
}
function copyName(name) {
  let number = 2;
  while (state.devices.some(device => device.name === name + number)) number++;
  return name + number;
}
// Whether a clock that was set back has gone on with the store's, which takes it along but never back.
const isRightAgain = ({ clockOffset, clockAhead }) => clockAhead != null && clockAhead - clockOffset > 60000 && Math.abs(clockAhead) < DAY / 2;
function off(device) {
  if (!device.clockOffset) return "";
  const by = device.clockAhead ?? device.clockOffset, days = Math.round(Math.abs(by) / DAY);
  return isRightAgain(device) ? text.rightAgain : by > 0 ? text.ahead(days) : text.behind(days);
}
// What devices have said last: one that is being started anew has said nothing yet.
const said = {};
function card(one, years) {
  const { name, isRunning, isRemoved } = one, id = "device-" + name, status = one.status ?? (isRunning ? said[name] : null), device = { ...one, status };
  said[name] = status;
  const mark = !isRunning ? text.stopped : isRemoved ? text.removed : !status ? text.running : status.online ? text.online : text.offline;
  return make("article", { class: isRunning ? "card" : "card stopped", id, tabindex: -1, "aria-labelledby": "name-" + name },
    make("div", { class: "row apart" }, make("h3", { id: "name-" + name }, make("span", { class: `swatch c${state.devices.indexOf(one) % 8}`, "aria-hidden": "true" }), name),
      make("span", { class: isRunning && !isRemoved && status?.online ? "good" : "warning" }, mark), status ? digestOf(status) : null),
    warningsOf(device.warnings, device.warnings),
    status ? make("p", { class: device.clockOffset && !isRightAgain(device) ? "warning" : "quiet" }, text.clockIs(device.clockOffset ? moment(status.time.wall) : date(status.time.wall), off(device))) : null,
    status ? standingOf(status, undefined, years) : null,
    isRemoved ? make("p", { class: "quiet" }, text.removedHere) : null,
    status && !isRemoved ? buying(device) : null,
    make("div", { class: "row", id: "switches-" + name }, status && !isRemoved ? act("net-" + name, status.online ? text.goOffline : text.goOnline, text.of(status.online ? text.goOffline : text.goOnline, name), () => `${status.online ? "offline" : "online"} ${name}`, name) : null,
      act("power-" + name, isRunning ? text.kill : text.start, text.of(isRunning ? text.kill : text.start, name), () => `${isRunning ? "crash" : "start"} ${name}`, name, isRunning ? "danger" : "main"),
      !isRunning && device.hasBackup ? act("back-" + name, text.restore, text.of(text.restore, name), () => `restore ${name}`, name) : null),
    status && !isRemoved ? tools(device) : null,
    make("p", { id: "problem-" + name, class: "problem", role: "alert" }, problems[name] ?? ""));
}
// What can be done to a link: the verb of the story, and what it is called here.
const linkVerbs = [["cut", "cut"], ["mend", "mend"], ["delay", "delay", " 1s"], ["stall", "stall"], ["reset", "reset"]];
// Between two devices whose link is cut or stalled: the other devices by which they still meet, the shortest way; null where there is none.
function wayRound({ left, right, condition }) {
  if (condition !== "cut" && condition !== "stalled") return null;
  const works = name => { const one = state.devices.find(device => device.name === name); return one?.isRunning && !one.isRemoved && (one.status ?? said[name])?.online; };
  if (!works(left) || !works(right)) return null;
  for (const ways = [[left]], seen = new Set([left]); ways.length;) {
    const way = ways.shift(), last = way[way.length - 1];
    if (last === right) return way.slice(1, -1);
    for (const link of state.links.filter(one => one.condition !== "cut" && one.condition !== "stalled")) {
      const next = link.left === last ? link.right : link.right === last ? link.left : null;
      if (next && !seen.has(next) && works(next)) { seen.add(next); ways.push([...way, next]); }
    }
  }
  return null;
}
// A row of the table for links: one of them, or all.
function linkRow(id, name, links) {
  const marks = { open: "good", cut: "warning", delayed: "warning", stalled: "warning" }, kinds = new Set(links.map(link => link.condition)), [kind] = kinds;
  return make("tr", { id: "link-" + id }, make("th", { scope: "row" }, name), make("td", { class: kinds.size === 1 ? marks[kind] : "quiet" }, kinds.size === 1 ? text.conditions[kind] : text.mixed),
    make("td", {}, make("div", { class: "row" }, linkVerbs.map(([verb, label, rest = ""]) =>
      act(`${verb}-${id}`, text[label], `${text[label]}: ${name}`, () => links.map(({ left, right }) => `${verb} ${left} ${right}${rest}`), "links")))));
}
function linksOf() {
  const round = state.links.map(link => [link, wayRound(link)]).filter(([, way]) => way?.length);
  return [make("table", {}, make("thead", {}, make("tr", {}, [text.link, text.state, text.actions].map(words => make("th", { scope: "col" }, words)))),
    make("tbody", {}, state.links.length > 1 ? linkRow("all", text.allLinks, state.links) : null, state.links.map(link => linkRow(`${link.left}-${link.right}`, text.pair(link.left, link.right), [link])))),
    round.map(([{ left, right }, way]) => make("p", { id: `round-${left}-${right}` }, text.roundabout(left, right, way.join(", "), text.pair(left, way[0]))))];
}
// What to do first, with the names of what there is.
function hintOf() {
  const [one, other = one] = state.devices.map(device => device.name), [first, second = first] = state.products.filter(product => product.line).concat(state.products).map(product => product.id);
  return make("ol", {}, text.hint(one, other, first, second).map(step => make("li", {}, step)));
}
function purchaseOf(one) {
  const is = state.products.find(product => product.id === one.product);
  // What is owned is not sold again: the story has another name for the purchase that stands.
  const first = state.purchases.find(other => other.name === one.standsAs);
  if (first) return make("li", { id: "purchase-" + one.name, class: "quiet" }, (first.product === one.product ? text.had : text.later)({ ...one, as: first.name }));
  const buttons = {
    bought: () => [act("refund-" + one.name, text.refund, text.of(text.refund, one.name), () => `store refunds ${one.name}`, "store"),
      is?.type === "autoRenewableSubscription" ? [["off", "turnOff", `store turns off ${one.name}`], ["on", "turnOn", `store turns on ${one.name}`], ["agree", "agree", `${one.device} agrees to ${one.name}`], ["refuse", "refuse", `${one.device} refuses ${one.name}`]]
        .map(([id, label, line]) => act(`${id}-${one.name}`, text[label], text.of(text[label], one.name), () => line, "store")) : null],
    waiting: () => [act("approve-" + one.name, text.approve, text.of(text.approve, one.name), () => `store approves ${one.name}`, "store"),
      act("decline-" + one.name, text.decline, text.of(text.decline, one.name), () => `store declines ${one.name}`, "store")],
    refunded: () => [make("span", { class: "warning" }, text.refunded), act("reverse-" + one.name, text.reverse, text.of(text.reverse, one.name), () => `store reverses ${one.name}`, "store")], declined: () => [],
  };
  return make("li", { id: "purchase-" + one.name }, make("div", { class: "row" }, (text[one.standing] && one.standing !== "refunded" ? text[one.standing] : text.bought)(one), buttons[one.standing]()));
}
// What happens in the store by itself, the next first.
function comingOf(store) {
  const coming = store.subscriptions.filter(one => one.state !== "expired" && one.state !== "revoked").sort((a, b) => Date.parse(a.expires) - Date.parse(b.expires));
  return [store.next ? make("p", { id: "next" }, text.next(moment(store.next))) : make("p", { class: "quiet", id: "next" }, text.noNext),
    coming.length ? make("ul", { id: "coming" }, coming.map(one => make("li", { id: "coming-" + one.originalTransactionId }, text.comes({ ...one, when: moment(one.expires) })))) : null];
}
function timesOf(store) {
  const days = Number(chosen.days ?? 10), wait = store.next ? Math.max(1, Math.ceil((Date.parse(store.next) - Date.parse(store.now)) / 1000)) : 0;
  return [make("div", { class: "row", id: "times" }, make("span", {}, text.advance), [["day", "aDay", "P1D"], ["month", "aMonth", "P1M"], ["year", "aYear", "P1Y"]].map(([id, label, period]) => act(id, text[label], `${text.advance}: ${text[label]}`, () => `store advances ${period}`, "store")),
    wait ? act("to-next", text.toNext, null, () => `store advances ${wait}s`, "store") : null),
    make("div", { class: "row", id: "dragging" }, make("input", { type: "range", id: "days", min: 1, max: 365, value: days, "aria-label": text.daysOn, "aria-valuetext": text.daysTo(days, date(Date.parse(store.now) + days * DAY)), oninput: event => { chosen.days = event.currentTarget.value; redraw(); } }),
      act("drag", text.daysTo(days, date(Date.parse(store.now) + days * DAY)), null, () => `store advances P${days}D`, "store"))];
}
// A name that can be one word of a line.
const labelled = (label, control) => make("label", {}, make("span", { class: "quiet" }, label), " ", control);
const field = (id, label, hint) => labelled(label, make("input", { id, "aria-label": label, placeholder: hint, maxlength: 32, size: 10, autocomplete: "off", spellcheck: "false" }));
const shownChoice = (id, label, ...rest) => labelled(label, choice(id, label, ...rest));
function wordOf(id) { const word = chosenOf(id).trim(); return /^[\p{L}\p{N}.-]{1,32}$/u.test(word) ? word : null; }
// A button whose line needs something that was typed.
const typed = (id, label, fields, line) => button(id, label, () => {
  const values = fields.map(wordOf);
  if (values.includes(null)) { problems.store = text.oneWord; element(fields[values.indexOf(null)]).focus(); return redraw(); }
  play(line(...values), "store");
}, { isBusy: isBusy() });
const accountsOf = store => [...new Set([...store.accounts.map(one => one.id), ...state.devices.map(one => one.account)])];
function accountOf(store, id) {
  const one = store.accounts.find(account => account.id === id) ?? {}, uses = state.devices.filter(device => device.account === id).map(device => device.name);
  return make("li", { id: "account-" + id }, make("div", { class: "row" }, make("span", {}, text.accountIs(id, uses.join(", ")), one.family ? text.inFamily(one.family) : "", one.purchases && one.purchases !== "succeed" ? text.moodIs(text.moods[one.purchases] ?? one.purchases) : "", one.nextPurchase ? text.nextIs(text.moods[one.nextPurchase] ?? one.nextPurchase) : ""),
    one.billingFails ? make("span", { class: "warning" }, text.failing) : null,
    act("billing-" + id, one.billingFails ? text.fixes : text.fails, text.of(one.billingFails ? text.fixes : text.fails, id), () => `store ${one.billingFails ? "fixes" : "fails"} billing of ${id}`, "store"),
    one.family ? act("unshare-" + id, text.unshare, text.of(text.unshare, id), () => `store unshares ${id}`, "store") : null));
}
function customersOf(store) {
  const accounts = accountsOf(store), each = accounts.map(id => [id, id]);
  return [make("h3", {}, text.accounts), make("ul", { id: "accounts" }, accounts.map(id => accountOf(store, id))),
    make("div", { class: "row", id: "using" }, shownChoice("account-device", text.accountDevice, state.devices.map(one => [one.name, one.name]), state.devices[0]?.name), field("account-name", text.accountName, "anna"), typed("use-account", text.useAccount, ["account-name"], name => `account ${name} of ${chosenOf("account-device")}`)),
    make("div", { class: "row", id: "families" }, field("family-name", text.familyName, "owls"), shownChoice("family-account", text.familyAccount, each, accounts[0]), typed("share", text.share, ["family-name"], name => `store shares ${name} with ${chosenOf("family-account")}`)),
    make("div", { class: "row", id: "moods" }, shownChoice("mood", text.mood, Object.entries(text.moods), "succeed"), shownChoice("mood-account", text.moodAccount, each, accounts[0]), make("label", {}, make("input", { type: "checkbox", id: "once" }), " ", text.once),
      act("let", text.letThem, null, () => `store lets purchases ${chosenOf("mood")} of ${chosenOf("mood-account")}${element("once").checked ? " once" : ""}`, "store"), act("asking", text.ask, null, () => "store lets purchases ask once", "store"))];
}
function pricesOf() {
  const sold = state.products.filter(one => one.price != null), is = sold.find(one => one.id === chosen["price-product"]) ?? sold[0];
  if (!is) return [];
  return [make("h3", {}, text.prices), make("div", { class: "row", id: "pricing" }, make("select", { id: "price-product", "aria-label": text.priceProduct, onchange: event => { chosen["price-product"] = event.currentTarget.value; redraw(); } }, sold.map(one => make("option", { value: one.id, selected: one === is }, `${one.id}: ${one.price}`))),
    field("price", text.newPrice, "4.99"), make("label", {}, make("input", { type: "checkbox", id: "consent" }), " ", text.consent), typed("raise", text.raise, ["price"], price => `store raises ${chosenOf("price-product")} to ${price}${element("consent").checked ? " with consent" : ""}`),
    act("sale", is.isWithdrawn ? text.offerAgain : text.withdraw, null, () => `store ${is.isWithdrawn ? "offers" : "withdraws"} ${chosenOf("price-product")}`, "store")),
    make("div", { class: "row", id: "graces" }, act("grace", text.giveGrace, null, () => "store gives grace", "store"), act("no-grace", text.noGrace, null, () => "store gives no grace", "store"))];
}
function storeOf() {
  const { store } = state;
  if (!store) return [];
  return [make("h3", {}, text.purchases), state.purchases.length ? make("ul", { id: "purchases" }, state.purchases.map(purchaseOf)) : make("p", { class: "quiet" }, text.nothing),
    make("h3", {}, text.time), make("p", {}, text.timeIs(moment(store.now))), comingOf(store), timesOf(store),
    make("details", { class: "tools", id: "console" }, make("summary", {}, text.console), customersOf(store), pricesOf())];
}
// The store's ids of purchases, as the story names them.
function namesOf({ transactions, revoked }) {
  const told = (id, words) => revoked.includes(id) ? `${words}: ${text.refunded}` : words, known = transactions.map(id => state.purchases.find(one => one.transactionId === id)).filter(Boolean);
  return known.map(one => told(one.transactionId, `${one.name} ${one.product}`)).join(", ") || transactions.map(id => told(id, id)).join(", ");
}
// A line down for each device, and an arrow for each commit of a purchase that came over: none over a link that is cut. Those that brought
// nothing new are thin.
let chosenCrossing = 0;
function sequenceOf() {
  const shown = state.crossings.slice(-30), names = state.devices.map(device => device.name), width = Math.max(280, ((element("crossed") ?? element("crossings")).clientWidth || 900) - 2);
  if (!shown.length) return make("p", { class: "quiet" }, text.nothingCrossed);
  const at = name => Math.round(width * (names.indexOf(name) + .5) / names.length), tall = 14 + shown.length * 26;
  const heads = draw("svg", { class: "heads", width, height: 20, viewBox: `0 0 ${width} 20`, "aria-hidden": "true" }, names.map(name => draw("text", { x: at(name), y: 14, "text-anchor": "middle" }, draw("title", {}, name), fitted(name, width / names.length - 8))));
  const picture = draw("svg", { id: "sequence", width, height: tall, viewBox: `0 0 ${width} ${tall}`, role: "group", "aria-label": text.crossings }, names.map(name => draw("line", { class: "grid", x1: at(name), x2: at(name), y1: 0, y2: tall })));
  let chosenSaid = "";
  shown.forEach((one, index) => {
    const from = at(one.from), to = at(one.to), y = 24 + index * 26, way = to > from ? 1 : -1, what = namesOf(one), said = text.crossed({ ...one, what }), label = one.by && one.by !== one.from ? `${what} · ${one.by}` : what, half = Math.min(width, wide(label)) / 2;
    const choose = () => { chosenCrossing = one.number; element("crossing-said").textContent = said; };
    if (one.number === chosenCrossing) chosenSaid = said;
    picture.append(draw("g", { id: "crossing-" + one.number, class: `arrow ${one.revoked.length ? "back " : ""}${one.isNews ? "" : "known "}c${names.indexOf(one.from) % 8}`, role: "img", tabindex: 0, onfocus: choose, onclick: choose, "aria-label": said, "data-news": String(one.isNews), "data-from": one.from, "data-to": one.to, "data-commit": one.commit, "data-ids": one.transactions.join(" "), "data-revoked": one.revoked.join(" ") },
      draw("title", {}, said), draw("text", { class: "label", x: Math.min(width - half, Math.max(half, (from + to) / 2)), y: y - 5, "text-anchor": "middle" }, label), draw("path", { class: "shaft", d: `M${from} ${y}H${to}` }), draw("path", { d: `M${to - 7 * way} ${y - 4}l${7 * way} 4l${-7 * way} 4` })));
  });
  return [make("div", { id: "crossed" }, heads, picture), make("p", { id: "crossing-said", class: "quiet" }, chosenSaid || text.chooseArrow)];
}
const here = name => path => ask("GET", `/v1/lab/devices/${encodeURIComponent(name)}?path=${encodeURIComponent(path)}`);
function agreement(running) {
  const members = running.filter(device => !device.isRemoved), kinds = new Set(members.map(device => device.status.digest)).size, gone = running.length - members.length;
  element("agreement").textContent = members.length ? (kinds === 1 ? text.same(members.length) : text.differ(kinds, members.length)) + (gone ? text.goneCount(gone) : "") : "";
  element("agreement").className = kinds === 1 ? "good" : "warning";
}
// What stands at its end stays there when more comes.
function atEnd(id, draw) {
  const old = element(id), isAtEnd = !old || old.scrollTop + old.clientHeight >= old.scrollHeight - 4;
  draw();
  const box = element(id);
  if (box && isAtEnd) box.scrollTop = box.scrollHeight;
}
function redraw() {
  if (!state) return;
  const running = state.devices.filter(device => device.status);
  if (wire.isOpen) agreement(running); else element("agreement").textContent = "";
  if (wire.isOpen) element("state").textContent = state.busy ? text.doing(state.busy) : text.ready;
  const years = yearsOf(running.map(device => device.status));
  show("devices", state.devices.map(device => card(device, years)));
  show("hint", hintOf());
  show("links", linksOf());
  show("store", storeOf());
  for (const place of ["links", "store", "story"]) element("problem-" + place).textContent = problems[place] ?? "";
  const now = state.store?.now ?? running[0]?.status.time.now;
  if (now) show("timeline", timelineOf(running.map(device => ({ who: device.name, proof: proofs.get(device.name) })), now, state.devices.map(device => device.name)));
  atEnd("crossed", () => show("crossings", sequenceOf()));
  atEnd("lines", () => show("story", state.story.map(line => make("li", {}, line))));
  for (const id of ["save", "replay"]) element(id).setAttribute("aria-disabled", String(isBusy()));
  for (const device of running) prove(device.name, device.status, state.products, here(device.name), redraw);
}
function say(end) {
  element("state").textContent = text[end];
  element("entrance").hidden = end !== "wrong";
  element("content").classList.toggle("old", end === "lost");
  redraw();
}
function take(value) {
  state = value;
  listStories();
  element("entrance").hidden = true;
  element("content").hidden = false;
  element("content").classList.remove("old");
  redraw();
}
const enter = token => connect(token, () => "/v1/lab/events?language=" + language, { take, say });
element("entrance").onsubmit = event => { event.preventDefault(); enter(element("token").value.trim()); };
element("language").onclick = () => {
  language = language === "ko" ? "en" : "ko";
  sessionStorage.setItem("language", language);
  speak();
  proofs.clear();
  turn();
  turnReplays();
  redraw();
  listed = false;
  if (wire.isOpen) enter(wire.token);
};
element("play").onsubmit = async event => {
  event.preventDefault();
  if (await play(element("line").value.trim(), "story")) element("line").value = "";
};
async function story() {
  const answer = await fetch("/v1/lab/story", { headers: headers() }).catch(() => null);
  if (!answer?.ok) { problems.story = text.lost; redraw(); }
  return answer?.ok ? answer.blob() : null;
}
element("save").onclick = async () => {
  const blob = await story();
  if (!blob) return;
  const file = "lab-story.txt", link = make("a", { href: URL.createObjectURL(blob), download: file });
  link.click();
  URL.revokeObjectURL(link.href);
  [savedAs, replays] = [file, []];
  turnReplays();
};
// What a device showed, and why a story does not hold, in the language of the page.
const shownBy = device => language === "ko" ? device.showsInKorean : device.shows;
const failureOf = ({ failure, failureInKorean }) => language === "ko" ? failureInKorean : failure;
// How a story went that was played anew: beside each line what each device showed after it.
function rehearsalOf(rehearsal) {
  const { simulated, steps } = rehearsal, failure = failureOf(rehearsal), way = simulated ? text.inVirtualTime : text.byProcesses;
  return [make("p", { class: failure ? "warning" : "good" }, failure ? text.failedAt(way, failure) : text.holds(way)),
    make("details", {}, make("summary", {}, text.steps(way)), make("ol", {}, steps.map(step => make("li", { value: step.line }, make("code", {}, step.text),
      step.devices.map(device => make("div", { class: "quiet" }, `${device.name}: ${shownBy(device).join("; ") || "–"}`))))))];
}
let replays = [], playedLines = 0, savedAs = "";
function turnReplays() {
  show("replayed", ...(replays.length ? [make("p", { class: "quiet" }, text.playedLines(playedLines)), replays.map(rehearsalOf)] : savedAs ? [make("p", {}, text.saved(savedAs))] : []));
}
element("replay").onclick = async event => {
  const button = event.currentTarget;
  if (button.getAttribute("aria-disabled") === "true") return;
  doing = true;
  redraw();
  show("replayed", make("p", {}, text.replaying));
  [replays, playedLines, savedAs] = [[], state.story.length, ""];
  try { replays = await ask("POST", "/v1/lab/replays"); turnReplays(); } catch (error) { show("replayed", make("p", { class: "warning" }, text.notDone(error.message))); }
  doing = false;
  redraw();
};
// A story that was opened, and the line that one stands at.
let opened = null, at = 0;
function openedOf() {
  if (!opened) return [];
  const { steps, file } = opened, failure = failureOf(opened), shown = new Map(), step = steps[at], end = steps.length - 1;
  for (const one of steps.slice(0, at + 1)) for (const device of one.devices) shown.set(device.name, shownBy(device));
  const go = (id, label, to) => button(id, label, () => { at = Math.min(end, Math.max(0, to)); turn(); }, { isBusy: Math.min(end, Math.max(0, to)) === at });
  return [make("h3", {}, file), failure ? make("p", { class: "warning" }, text.failedAt(text.inVirtualTime, failure)) : make("p", { class: "good" }, text.holds(text.inVirtualTime)),
    make("div", { class: "row", id: "steps" }, go("step-first", text.first, 0), go("step-back", text.back, at - 1), go("step-next", text.next1, at + 1), go("step-last", text.last, end)),
    make("div", { id: "step", role: "status" }, make("p", {}, text.stepOf(at + 1, steps.length, step.line), ": ", make("code", {}, step.text)), shown.size ? make("h4", {}, text.showsNow) : null,
      make("ul", { id: "step-shows" }, [...shown].map(([name, shows]) => make("li", { class: step.devices.some(device => device.name === name) ? "changed" : null }, `${name}: ${shows.join("; ") || text.notRunning}`)))),
    make("ol", { id: "step-lines", tabindex: 0, role: "region", "aria-label": file }, steps.map((one, index) => make("li", { value: one.line, "aria-current": index === at ? "step" : null }, make("code", {}, one.text))))];
}
function turn() {
  show("opened", openedOf());
  const list = element("step-lines"), line = list?.querySelector("[aria-current]");
  if (line) list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 2;
}
async function openStory(name, given) {
  problems.stories = "";
  try {
    const story = await given();
    if (new TextEncoder().encode(story).length > 65536) throw new Error(text.tooLong);
    [opened, at] = [await ask("POST", "/v1/lab/rehearsals", { name: name.slice(0, 30), story }), 0];
  } catch (error) { opened = null; problems.stories = text.notDone(error.message); }
  element("problem-stories").textContent = problems.stories;
  turn();
}
element("open").onsubmit = event => {
  event.preventDefault();
  const name = element("shipped").value;
  if (!name) { problems.stories = text.noStories; element("problem-stories").textContent = problems.stories; return; }
  openStory(name, async () => (await ask("GET", `/v1/lab/stories/${encodeURIComponent(name)}`)).story);
};
element("choose-file").onclick = () => element("file").click();
element("file").onchange = () => {
  const file = element("file").files[0];
  if (file) openStory(file.name, () => { if (file.size > 65536) throw new Error(text.tooLong); return file.text(); });
  // The same file may be chosen again, when it was changed.
  element("file").value = "";
};
let listed = false;
async function listStories() {
  if (listed) return;
  listed = true;
  try {
    const stories = await ask("GET", "/v1/lab/stories");
    show("shipped", stories.length ? stories.map(one => make("option", { value: one.name, title: one.title }, `${one.name}: ${one.title}`)) : make("option", { value: "" }, text.noStories));
  } catch { listed = false; }
}
addEventListener("resize", redraw);
addEventListener("hashchange", () => { const given = takeGiven(); if (given && given !== "main") enter(given); });
speak();
const given = takeGiven() || sessionStorage.getItem("token");
if (given) enter(given);
