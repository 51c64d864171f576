"use strict";
const element = id => document.getElementById(id);
const time = text => text ? new Date(text).toLocaleString() + " (" + text + ")" : "–";
const rows = (id, items, cells) => element(id).replaceChildren(...items.map(item => {
  const row = document.createElement("tr");
  for (const text of cells(item)) row.insertCell().textContent = text;
  return row;
}));
function show(status) {
  element("name").textContent = status.device.name;
  element("state").textContent = (status.online ? "Online" : "Offline") + ", " + status.device.environment
    + ", " + status.group.members + " device(s) in the group.";
  const state = item => item.active ? "active" : "inactive";
  rows("entitlements", status.entitlements, e => [e.id, state(e), time(e.expires), e.because]);
  rows("lines", status.lines, l => [l.id, state(l), time(l.expires), l.daysRemaining]);
  const renews = s => s.willRenew === null ? "not known" : s.willRenew ? "as " + (s.nextProductId ?? s.productId) : "no";
  rows("subscriptions", status.subscriptions, s => [s.productId, s.state, time(s.accessUntil), renews(s)]);
  rows("credits", status.credits, c => [c.id, c.balance, c.available, c.debt]);
  rows("peers", status.peers, p => [p.name, p.connected ? "yes" : "no", p.inSync ? "yes" : "no", p.address ?? "–"]);
  element("digest").textContent = status.digest;
  element("warnings").replaceChildren(...status.warnings.map(text => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  element("content").hidden = false;
  element("content").classList.remove("old");
}
// Without what the browser says of it.
const or = (message, promise) => promise.catch(() => { throw new Error(message); });
function refuse() {
  sessionStorage.removeItem("token");
  throw new Error("the token is wrong");
}
async function follow(token, signal) {
  // No header takes other characters.
  if (!/^[!-~]+$/.test(token)) refuse();
  const headers = { Authorization: "Bearer " + token };
  const answer = await or("the daemon cannot be reached", fetch("/v1/events?full=true", { headers, signal }));
  if (answer.status === 401) refuse();
  if (!answer.ok) throw new Error("the daemon answered " + answer.status);
  sessionStorage.setItem("token", token);
  const form = element("form");
  const hasFocus = form.contains(document.activeElement);
  form.reset();
  form.hidden = true;
  if (hasFocus) element("name").focus();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await or("the daemon has stopped", reader.read());
    if (done) throw new Error("the daemon has stopped");
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.split("\n").find(line => line.startsWith("data: "));
      if (data) show(JSON.parse(data.slice(6)).status);
    }
  }
}
let attempt = new AbortController();
function begin(token) {
  attempt.abort();
  attempt = new AbortController();
  const { signal } = attempt;
  follow(token, signal).catch(error => {
    // Another one has taken its place.
    if (signal.aborted) return;
    const isShown = !element("content").hidden;
    element("state").textContent = "Not connected: " + error.message + "."
      + (isShown ? " What is shown here is old." : "");
    element("content").classList.add("old");
    element("form").hidden = false;
  });
}
function takeGiven() {
  const given = location.hash.slice(1);
  if (given) history.replaceState(null, "", location.pathname);
  return given;
}
element("form").addEventListener("submit", event => { event.preventDefault(); begin(element("token").value.trim()); });
addEventListener("hashchange", () => { const given = takeGiven(); if (given) begin(given); });
const token = takeGiven() || sessionStorage.getItem("token");
if (token) begin(token);
