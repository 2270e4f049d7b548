"use strict";
// Small helps on top of pages that work without them: the link's token, live parts, the plan, and answering by key.

const one = (selector) => document.querySelector(selector);

async function got(path, signal) {
  const answer = await fetch(path, { signal, credentials: "same-origin" });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

// The link's token is behind "#": send it on, and take it out of the address. Where this page is open already, a link
// followed in its tab loads nothing and changes what is behind "#" alone.
const entrance = one("#enter");
function comeIn() {
  if (location.hash.length <= 1) return;
  one("#token").value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  entrance.submit();
}
if (entrance) {
  comeIn();
  addEventListener("hashchange", comeIn);
}

// Times are written in UTC, for who has no script; read in the reader's own zone.
const timeParts = { day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit" };
const short = new Intl.DateTimeFormat("en-GB", timeParts);
const long = new Intl.DateTimeFormat("en-GB", { ...timeParts, year: "numeric", second: "2-digit", timeZoneName: "short" });
function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.textContent = (time.hasAttribute("data-short") ? short : long).format(new Date(time.dateTime)).replace(",", "");
  }
}

const back = one("[data-back]");
if (back && history.length > 1) {
  back.addEventListener("click", (event) => { event.preventDefault(); history.back(); });
}

// A link shown once is selected when it is reached, and copied by its button.
for (const field of document.querySelectorAll("input[readonly]")) field.addEventListener("focus", () => field.select());
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    navigator.clipboard.writeText(field.value).then(() => { button.textContent = "Copied"; }, () => {});
  });
  button.hidden = !navigator.clipboard;
}

// What is simulated takes a while: it comes after the page, when it can be seen, and again whenever the page has changed.
const loading = new WeakSet();
async function loadPart(part) {
  if (loading.has(part) || part.closest("details:not([open])")) return;
  loading.add(part);
  try { part.innerHTML = await got(part.dataset.load); } catch { /* the next change tries again */ }
  loading.delete(part);
}
const loadParts = () => document.querySelectorAll("[data-load]").forEach(loadPart);
loadParts();
// It does not bubble.
addEventListener("toggle", (event) => event.target.querySelectorAll("[data-load]").forEach(loadPart), true);

// The dashboard's parts are replaced where they have changed, but not under somebody's hands.
const live = one("[data-live]");
if (live) {
  const pulse = one("#pulse");
  const parts = (root) => [...root.querySelectorAll("[data-part]")];
  const known = new Map(parts(live).map((part) => [part.dataset.part, part.outerHTML]));
  let shown = Number(live.dataset.seq), newest = shown, busy = false;

  const replace = (old, fresh) => {
    const open = [...old.querySelectorAll("details")].map((details) => details.open);
    fresh.querySelectorAll("details").forEach((details, at) => { details.open = Boolean(open[at]); });
    old.replaceWith(fresh);
  };
  const merge = (text) => {
    const next = new DOMParser().parseFromString(text, "text/html");
    const old = parts(live), fresh = parts(next.body);
    const names = (list) => list.map((part) => part.dataset.part).join();
    if (names(old) !== names(fresh)) {
      if (live.contains(document.activeElement)) return false;
      live.replaceChildren(...next.body.childNodes);
      for (const part of parts(live)) known.set(part.dataset.part, part.outerHTML);
      return true;
    }
    let all = true;
    fresh.forEach((part, at) => {
      const name = part.dataset.part, now = part.outerHTML;
      if (known.get(name) === now) return;
      if (old[at].contains(document.activeElement)) { all = false; return; }
      known.set(name, now);
      replace(old[at], part);
    });
    return all;
  };
  const look = async () => {
    if (busy || document.hidden || newest === shown) return;
    busy = true;
    const wanted = newest;
    try { if (merge(await got(live.dataset.live))) shown = wanted; } catch { /* the next look tries again */ }
    busy = false;
    localise(live);
    if (one("[data-over]")) say(false);
    loadParts();
  };
  const stream = new EventSource(live.dataset.stream);
  const say = (on) => {
    // A closed campaign changes no more.
    const over = one("[data-over]") !== null;
    if (over) stream.close();
    pulse.classList.toggle("on", on && !over);
    pulse.textContent = over ? "closed" : on ? "live" : "not connected";
  };
  stream.addEventListener("changed", (event) => { newest = Number(event.data); look(); });
  stream.addEventListener("open", () => say(true));
  stream.addEventListener("error", () => say(false));
  setInterval(() => {
    // Too many windows, or a proxy that ends streams: look now and then all the same.
    if (stream.readyState === EventSource.CLOSED && !one("[data-over]") && Math.random() < 0.1) newest += 1;
    look();
  }, 1000);
  addEventListener("pagehide", () => stream.close());
}

// The predicted cost follows the form, a moment after the last change.
const form = one("[data-plan]");
if (form) {
  const plan = one("#plan");
  let due = null, running = null;
  const ask = () => {
    if (running) running.abort();
    running = new AbortController();
    const given = new URLSearchParams(new FormData(form));
    given.delete("form_mark");
    given.delete("once");
    given.delete("title");
    plan.setAttribute("aria-busy", "true");
    got(form.dataset.plan + "?" + given, running.signal)
      .then((text) => { plan.innerHTML = text; plan.removeAttribute("aria-busy"); }, () => {});
  };
  form.addEventListener("input", () => { clearTimeout(due); due = setTimeout(ask, 400); });
  ask();
}

// Answers by key: 0 or left, 1 or right.
const answer = one("#answer");
let sent = false;
if (answer) {
  answer.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || sent) return;
    for (const button of answer.querySelectorAll("[data-keys]")) {
      if (button.dataset.keys.split(" ").includes(event.key)) { event.preventDefault(); button.click(); }
    }
  });
  // Back from the browser's memory: what was sent is sent.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

// A worker's page loads anew when it has something else to do, and nothing is being typed.
const watch = one("[data-watch]");
if (watch) {
  const stream = new EventSource(watch.dataset.watch);
  // An answer on its way brings the next page itself; loading anew would cut it off.
  const again = () => { if (!sent) { stream.close(); location.replace(location.pathname); } };
  stream.addEventListener("stage", (event) => {
    if (JSON.parse(event.data).stage !== watch.dataset.stage) again();
  });
  stream.addEventListener("assignments", (event) => {
    const items = JSON.parse(event.data).items;
    const first = items.length ? String(items[0].task) : "";
    if (watch.dataset.stage === "running" && first !== watch.dataset.first) again();
  });
  // What is waited for may have changed without a task: whom the campaign asks, what was earned.
  const idle = () => watch.dataset.stage === "running" && watch.dataset.first === "" && !document.hidden;
  setInterval(() => { if (idle() && document.activeElement === document.body) again(); }, 60000);
  addEventListener("pagehide", () => stream.close());
}

// Last: the live parts are compared as the server wrote them.
localise(document);
