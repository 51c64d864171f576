"use strict";
// What both pages are made with: elements, a patch that keeps the focus, dates, and the connection.
const DAY = 86_400_000, YEAR = 366 * DAY;
const element = id => document.getElementById(id);
const handlers = ["onclick", "onchange", "oninput", "onsubmit", "onfocus"];

// One element with what is in it. Handlers are properties: the page's policy allows no others.
function build(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (handlers.includes(name)) made[name] = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat(9).filter(child => child != null && child !== false));
  return made;
}
const make = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// Makes an element like a new one, and leaves alone what is the same: focus, selection and what was typed or opened stay.
function patch(old, fresh) {
  if (old.nodeName !== fresh.nodeName || (old.id ?? "") !== (fresh.id ?? "")) return old.replaceWith(fresh);
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const handler of handlers) old[handler] = fresh[handler] ?? null;
  fill(old, [...fresh.childNodes]);
}
function fill(parent, children) {
  const wanted = new Set(children.map(child => child.id).filter(Boolean));
  let place = parent.firstChild;
  for (const child of children) {
    while (place?.id && !wanted.has(place.id)) { const gone = place; place = place.nextSibling; gone.remove(); }
    const known = child.id ? [...parent.children].find(one => one.id === child.id) : null;
    const match = known ?? (place && !child.id && !place.id && place.nodeName === child.nodeName ? place : null);
    if (!match) { parent.insertBefore(child, place); continue; }
    if (match !== place) parent.insertBefore(match, place);
    const next = match.nextSibling;
    patch(match, child);
    place = next;
  }
  while (place) { const gone = place; place = place.nextSibling; gone.remove(); }
}
// Shows new contents. When what had the focus is gone, the nearest thing around it that still is there gets it,
// and the page stays where it is: the next button would lie under the pointer.
function show(id, ...children) {
  const focused = document.activeElement, around = [];
  for (let one = focused; one && one !== document.body; one = one.parentElement) around.push(one);
  fill(element(id), children.flat(9).filter(child => child != null && child !== false).map(child => typeof child === "string" ? document.createTextNode(child) : child));
  if (around.length && !focused.isConnected) around.find(one => one.isConnected && one.hasAttribute("tabindex"))?.focus({ preventScroll: true });
}

// Languages. A page adds its own words.
const words = { en: {}, ko: {} };
let language = (sessionStorage.getItem("language") ?? navigator.language).startsWith("ko") ? "ko" : "en";
let text = words[language];
// Dates look as in the sentences that devices write. One is never broken in two, nor is a time; between them a line may end.
const glued = words => words.replaceAll(" ", "\u00a0");
function date(value, timeZone = "UTC") {
  const parts = new Intl.DateTimeFormat(language, { year: "numeric", month: "short", day: "numeric", timeZone }).formatToParts(new Date(value));
  const part = type => parts.find(one => one.type === type).value;
  return glued(language === "en" ? `${part("day")} ${part("month")} ${part("year")}` : parts.map(one => one.value).join(""));
}
// Not broken either: dates in the sentences that devices write.
const withDatesGlued = words => words.replace(/\d{1,2} [A-Z][a-z]+ \d{4}|\d{4}년 \d{1,2}월 \d{1,2}일/g, glued);
const clockTime = (value, timeZone = "UTC") => glued(new Date(value).toLocaleTimeString(language, { timeStyle: "short", hourCycle: language === "en" ? "h23" : undefined, timeZone }));
const moment = (value, timeZone) => `${date(value, timeZone)}${language === "ko" ? " " : ", "}${clockTime(value, timeZone)}${timeZone ? "" : "\u00a0UTC"}`;
function speak() {
  text = words[language];
  document.documentElement.lang = language;
  document.title = text.title;
  for (const labelled of document.querySelectorAll("[data-text]")) labelled.textContent = text[labelled.dataset.text];
  element("language").textContent = language === "ko" ? "English" : "한국어";
  element("language").lang = language === "ko" ? "en" : "ko";
}

// A button that stays where it is while nothing can be done.
function button(id, label, act, { kind = "", name = null, isBusy = false } = {}) {
  return make("button", {
    type: "button", id, class: kind || null, "aria-label": name && name !== label ? name : null, "aria-disabled": isBusy ? "true" : null,
    onclick: event => { if (event.currentTarget.getAttribute("aria-disabled") !== "true") act(); },
  }, label);
}
// Asks before what cannot be taken back.
function confirmed(question, verb) {
  const dialog = element("confirmation");
  return new Promise(resolve => {
    const end = answer => { dialog.close(); resolve(answer); };
    const no = make("button", { type: "button", id: "no", onclick: () => end(false) }, text.cancel);
    dialog.replaceChildren(make("p", { id: "question" }, question),
      make("div", { class: "row" }, no, make("button", { type: "button", id: "yes", class: "danger", onclick: () => end(true) }, verb)));
    dialog.oncancel = () => resolve(false);
    dialog.showModal();
    no.focus();
  });
}

element("skip").onclick = () => element("main").focus();

// One connection to whoever sends events, with the token of this tab; it is tried again until it stands.
const wire = { token: "", attempt: null, isOpen: false };
const headers = () => ({ Authorization: "Bearer " + wire.token });
async function follow(path, signal, take) {
  const answer = await fetch(path, { headers: headers(), signal });
  if (answer.status === 401) return "wrong";
  if (!answer.ok) return "lost";
  sessionStorage.setItem("token", wire.token);
  wire.isOpen = true;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return "lost";
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    const last = events.findLast(event => event.includes("data: "))?.split("\n").find(line => line.startsWith("data: "));
    if (last) take(JSON.parse(last.slice(6)));
  }
}
async function connect(token, path, { take, say }) {
  wire.attempt?.abort();
  const { signal } = wire.attempt = new AbortController();
  wire.token = token;
  // No header takes other characters.
  if (!/^[!-~]+$/.test(token)) { sessionStorage.removeItem("token"); return say("wrong"); }
  while (!signal.aborted) {
    const end = await follow(path(), signal, take).catch(() => "lost");
    wire.isOpen = false;
    if (signal.aborted) return;
    if (end === "wrong") sessionStorage.removeItem("token");
    say(end);
    if (end === "wrong") return;
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}
function takeGiven() {
  const given = location.hash.slice(1);
  if (given) history.replaceState(null, "", location.pathname);
  return given;
}
async function ask(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: { ...headers(), ...(body ? { "Content-Type": "application/json" } : {}) }, body: body ? JSON.stringify(body) : undefined });
  } catch { throw new Error(text.lost); }
  const value = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error((language === "ko" ? value?.detailInKorean : null) ?? value?.detail ?? String(answer.status));
  return value;
}
