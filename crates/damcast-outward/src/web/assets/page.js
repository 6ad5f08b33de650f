// Live part of the viewers' pages: the parts that change, from GET /events (docs/viewers.md) or from the page itself, and stepping through a game. Pages work without it.
const root = document.body.dataset, texts = JSON.parse(root.texts), language = document.documentElement.lang;
const $ = (selector, of = document) => of.querySelector(selector), $$ = (selector, of = document) => [...of.querySelectorAll(selector)];
const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
};
const fill = (sentence, value) => sentence.replace("{}", value);
const numbers = (text) => (text ? text.split(",").map(Number) : []);
const time = (s) => `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(s % 60).padStart(2, "0")}`;
/** A duration in words of the language, in seconds, minutes or hours. */
function lasting(s) {
  const [unit, size] = s < 100 ? ["second", 1] : s < 6000 ? ["minute", 60] : ["hour", 3600];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 0 }).format(Math.max(0, s / size));
}
const put = (element, text) => { if (element && element.textContent !== text) element.textContent = text; };

// Tools of more.js or wall.js, once it is loaded.
let more;

// --- parts of the page: the server sends those that have changed, with holes in place of the parts inside them
const keyOf = (node) => node.dataset?.hole ?? node.dataset?.part;
const partOf = (key) => $(`[data-part="${key}"]`);
const parse = (html) => { const box = document.createElement("template"); box.innerHTML = html; return box.content.firstElementChild; };
/** Makes an element like a new one, and keeps its nodes where it can: focus, selection and scrolling stay. */
function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  // The script sets styles, and hides items of lists.
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "style" && !(name === "hidden" && old.matches("li, tr"))) old.removeAttribute(name);
  // The script shows what the server hides from pages without one.
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value && !(name === "hidden" && old.matches("button, .keys, .study"))) old.setAttribute(name, value);
  const wanted = new Set([...fresh.children].map(keyOf)), parts = new Map();
  for (const child of [...old.children]) if (!keyOf(child)) continue; else if (wanted.has(keyOf(child))) parts.set(keyOf(child), child); else child.remove();
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = keyOf(child), mine = key ? parts.get(key) : at && !keyOf(at) && at.nodeName === child.nodeName ? at : undefined;
    if (!mine) { old.insertBefore(adopt(child), at); continue; }
    if (mine === at) at = at.nextSibling; else old.insertBefore(mine, at);
    if (child.dataset?.hole) continue;
    if (child.nodeType === Node.ELEMENT_NODE) morph(mine, child); else if (mine.data !== child.data) mine.data = child.data;
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}
/** Puts the parts of the page into the holes of a new element. */
function adopt(fresh) {
  if (fresh.dataset?.hole) return partOf(fresh.dataset.hole) ?? fresh;
  if (fresh.nodeType === Node.ELEMENT_NODE) for (const hole of $$("[data-hole]", fresh)) { const part = partOf(hole.dataset.hole); if (part) hole.replaceWith(part); }
  return fresh;
}
function place([key, html]) {
  const old = partOf(key), hole = old ?? $(`[data-hole="${key}"]`), fresh = hole && parse(html);
  if (old) morph(old, fresh); else hole?.replaceWith(adopt(fresh));
  return fresh;
}
// Parts wait here, so that many of them do not block the page.
const queue = new Map();
let working;
function work() {
  const { activeElement: focused } = document, y = scrollY;
  clearTimeout(working);
  working = undefined;
  const until = performance.now() + 20;
  for (let placed = true; placed; ) {
    placed = false;
    // A message has the parent of a new part behind it: begin there.
    for (const entry of [...queue].reverse()) {
      // A card is one part; the parts of a game belong together. The boards are put in order when all parts are placed: a card that led may wait here.
      if (kind() !== "game" && performance.now() > until) { working = setTimeout(work); refocus(focused, y); return; }
      if (place(entry)) { queue.delete(entry[0]); placed = true; }
    }
  }
  if (queue.size || $("[data-hole]")) { queue.clear(); again(); }
  dress();
  refocus(focused, y);
}
/** Gives the focus back to an element that was moved, without scrolling; to the content of the page if the element is gone. */
function refocus(element, y) {
  if (element === document.activeElement) return;
  (element.isConnected ? element : $("#main")).focus({ preventScroll: true });
  scrollTo(0, y);
}
/** Adds what only the script has, after the server's parts are in place. */
function dress() {
  const one = game();
  if (one) {
    for (const hidden of $$("#fen, #turnboard, .keys")) hidden.hidden = false;
    const count = +one.dataset.count;
    if (at() < count) show(at()); else follow(count);
  }
  if (over()) { setQuiet(false); banner(""); }
  more?.dress();
  tick();
}

// --- clocks: they count by the server's time, and stop while the server or the board is silent
let offset, quiet = false;
const now = () => Date.now() + (offset ?? 0);
function tick() {
  const at = now();
  for (const clock of $$(".ck[data-seconds]")) {
    let left = +clock.dataset.seconds;
    const runs = clock.dataset.running && clock.classList.contains("run") && offset !== undefined && (silentSince || (!quiet && !over()));
    if (runs) left = Math.max(0, Math.ceil(left - Math.max(0, (silentSince ?? at) - clock.dataset.heard) / 1000));
    // A clock that stands because nothing is heard keeps what it shows.
    if (!runs && clock.dataset.running) continue;
    put($("time", clock), time(left));
    clock.classList.toggle("low", left < 60);
    clock.classList.toggle("out", left === 0);
  }
  more?.tick(at);
  if (offset !== undefined) put($("#time"), clockTime(at, game() || kind() === "wall" ? undefined : "2-digit"));
  for (const one of $$("[data-silent-since]")) put($(".st", one), fill(texts.board_silent_for, lasting((at - one.dataset.silentSince) / 1000)));
}

// --- one game: stepping through its moves
/** Returns the number of the shown entry, which the address has; `Infinity` follows the game. */
const at = () => +(location.pathname.match(/^\/game\/[^/]+\/(\d+)$/)?.[1] ?? new URLSearchParams(location.search).get("ply") ?? Infinity);
const kind = () => $("#main").dataset.kind, game = () => $(".two[data-count]");
const entries = () => $$("#moves a[data-at]");
function entry(index) {
  const list = $("#moves tbody")?.dataset;
  if (index === 0) return { ...list, pieces: list?.start, said: texts.game_start };
  return entries().find((one) => +one.dataset.at === index)?.dataset;
}
function draw(board, { pieces = "", path, captured, said }) {
  if (!board) return;
  board.ariaLabel = said;
  const width = +board.dataset.w, corner = (field) => [(field % width) * 10, Math.floor(field / width) * 10], centre = (field) => corner(field).map((at) => at + 5);
  const way = numbers(path), taken = numbers(captured), marks = [], lines = [], all = [];
  if (way.length > 1) {
    const [[x, y], [u, v]] = [way[0], way.at(-1)].map(corner);
    const square = (x, y, name) => [svg("rect", { class: "m", x, y, width: 10, height: 10 }), svg("rect", { class: name, x: x + 0.35, y: y + 0.35, width: 9.3, height: 9.3 })];
    marks.push(...square(x, y, "mf mo"), ...square(u, v, "mf"));
  }
  if (taken.length) {
    const points = way.map(centre).join(" ");
    lines.push(...["t0", "t1"].map((name) => svg("polyline", { class: name, points })));
    taken.forEach((field, order) => {
      const [x, y] = centre(field), number = svg("text", { class: "go", x, y: y + 1.5 });
      number.textContent = order + 1;
      lines.push(...["gr", "gd"].map((name) => svg("circle", { class: name, cx: x, cy: y, r: 2.9 })), number);
    });
  }
  [...pieces].forEach((piece, field) => { if (piece !== ".") { const [x, y] = centre(field); all.push(svg("use", { href: "#" + piece, x, y })); } });
  for (const [layer, nodes] of [[".mk", marks], [".pt", lines], [".ps", all]]) $(layer, board).replaceChildren(...nodes);
  for (const number of $$(".nm text", board)) number.setAttribute("class", pieces[Math.floor(number.getAttribute("y") / 10) * width + Math.floor(number.getAttribute("x") / 10)] === "." ? "e" : "");
}
/** Shows the position after an entry, with its clocks; the live clocks are kept aside. */
function show(index) {
  const it = entry(index), last = +game().dataset.count;
  if (!it) return;
  draw($("svg.bd.big"), it);
  put($("#now"), it.said);
  put($("#likely"), "");
  const clocks = (it.clocks ?? "").split(",");
  for (const [side, seconds] of [["white", clocks[0]], ["black", clocks[1]]]) {
    const live = $(`.plb .ck[data-side=${side}]`), then = live.nextElementSibling ?? parse(`<span class="ck then"><time></time></span>`);
    put($("time", then), seconds ? time(+seconds) : "–:––:––");
    live.hidden = true;
    live.after(then);
  }
  steps(index, last, it);
}
/** Shows the game as it stands. */
function follow(last) {
  for (const clock of $$(".plb .ck.then")) clock.remove();
  for (const clock of $$(".plb .ck[hidden]")) clock.hidden = false;
  const it = entry(last);
  if (it) steps(last, last, it);
}
/** Returns the names of the fields of the board. */
const fieldNames = () => ($("svg.bd.big")?.dataset.names ?? "").split(",");
function steps(index, last, it) {
  for (const link of entries()) if (+link.dataset.at === index) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  for (const [id, to] of [["first", 0], ["back", index - 1], ["on", index + 1], ["last", last], ["link", index]]) $("#" + id).href = entryAddress(to);
  if ($("#try")) $("#try").href = entryAddress(index).replace(/(?=\?|$)/, "/try/");
  $("#golive").classList.toggle("p", !studies());
  $("#fen").hidden = !($("#fen").dataset.fen = it.fen ?? "");
  const names = fieldNames(), list = (piece) => [...(it.pieces ?? "")].map((one, field) => (one === piece ? names[field] : "")).filter(Boolean).sort((a, b) => a - b || (a < b ? -1 : 1)).join(", ");
  const text = (men, kings) => [men && `${texts.men} ${men}`, kings && `${texts.kings} ${kings}`].filter(Boolean).join("; ") || texts.no_pieces;
  const [white, black] = $$("#text dd");
  put(white, text(list("w"), list("W"))); put(black, text(list("b"), list("B")));
  put($("#tomove"), { w: texts.white_to_move, b: texts.black_to_move }[it.turn] ?? "");
}
function scrollToMove() {
  const link = $("#moves a[aria-current]"), box = link?.closest(".scr");
  if (box) box.scrollTop += link.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
}
/** Steps to an entry. Nothing moves a viewer away from it: the page is that of the game now, whatever its board plays next. */
function go(index) {
  // Place the waiting parts first: they belong to the page that is shown now.
  if (working) { work(); if (!game()) return; }
  const last = +game().dataset.count;
  if (index >= last && at() >= last) return at() === Infinity ? scrollToMove() : goLive();
  const isNew = !studies();
  // Safari 16 takes 100 addresses in 30 s.
  try { history.replaceState(null, "", entryAddress(index)); } catch { return; }
  if (isNew) connect(game().dataset.address + (keptQuery().has("hide") ? "?hide=results" : ""));
  // Without a network, the page shows the last move that it has.
  if (index >= last) return show(last), goLive();
  dress();
  scrollToMove();
  more?.say();
}
const keptQuery = () => { const query = new URLSearchParams(location.search); query.delete("ply"); return query; };
/** Returns the address of the game after an entry. Without a server it is a query. */
function entryAddress(index) {
  const query = keptQuery(), entry = Math.max(0, Math.min(index, game().dataset.count)), url = new URL(game().dataset.address + (root.sign ? "" : "/" + entry), location);
  if (root.sign) query.set("ply", entry);
  url.search = query;
  return url.href;
}
const studies = () => (root.sign ? /\/game-[^/]*$/ : /^\/game\//).test(location.pathname);
/** Follows the game again: loads the page of its board, which may have a new game. */
function goLive() {
  if (studies()) visit(game().dataset.live).then(() => { scrollToMove(); more?.say(); }); else scrollToMove();
}
const current = () => Math.min(at(), +game().dataset.count);
const acts = { first: () => go(0), back: () => go(current() - 1), on: () => go(current() + 1), last: () => go(Infinity), golive: goLive, turnboard: () => document.body.classList.toggle("turned") };
document.addEventListener("click", (click) => {
  const link = game() && click.target.closest?.(".two a, .two button");
  if (!link || click.ctrlKey || click.metaKey || click.shiftKey) return;
  const act = acts[link.id] ?? (link.dataset.at && (() => go(+link.dataset.at)));
  if (act) { click.preventDefault(); act(link); }
});
// --- loading a page in place of this one
const here = () => location.pathname + location.search;
const ask = (address) => fetch(address, { cache: "no-cache", signal: AbortSignal.timeout?.(9000) });
let loading, wanted, retry;
// How often in a row the file of a page without a server was missing.
let gone = 0;
/** Fetches a page and puts it in place of this one: under its address, or with a known tag only if it has another one. Returns the headers of the answer. */
async function load(address, target, known) {
  const before = root.stream, from = here(), begun = Date.now(), answer = await ask(address), html = await answer.text();
  gone = root.sign && answer.status === 404 ? gone + 1 : 0;
  // The page was withdrawn. A copy by FTP may lack a file for a moment.
  if (gone > 1 && !/\/(index\.html)?$/.test(location.pathname)) location.replace("index.html");
  // The viewer has gone to another page or move, or the stream has brought newer parts.
  if (here() !== from || (!target && (root.stream !== before || streamed > begun))) return answer.headers;
  tag = answer.headers.get("etag");
  if (tag && tag === known) return answer.headers;
  const page = new DOMParser().parseFromString(html, "text/html"), fresh = page.body.dataset;
  // A proxy may answer in place of the server.
  if (!fresh.stream) throw answer;
  // The server has another version, whose pages need its own script and style.
  if (fresh.build !== root.build) {
    // A folder may have the page before its files: the next look tries again.
    tag = undefined;
    for (const { href, src } of $$("[rel=stylesheet], script", page)) if (!(await ask(href ?? src)).ok) throw href;
    if (target) history.replaceState(null, "", target);
    // Stops here: the old page must not connect again.
    throw location.reload();
  }
  queue.clear();
  const { activeElement: focused } = document, y = scrollY;
  for (const key of ["title", "shapes", "head", "nav", "main"]) { const part = page.querySelector(`[data-part="${key}"]`), old = partOf(key); if (part && old) morph(old, document.importNode(part, true)); }
  root.stream = fresh.stream;
  root.id = fresh.id ?? "";
  silentSince = +fresh.silent || null;
  if (target && new URL(target, location).href !== location.href) history.replaceState(null, "", target);
  dress();
  refocus(focused, y);
  // The stream sends what changes from an older page.
  if (!target && stream?.readyState < 2) connect();
  return answer.headers;
}
function visit(address) {
  const from = here();
  clearTimeout(retry);
  wanted = address;
  loading ??= (async () => {
    try {
      for (let next; (next = wanted); ) { wanted = undefined; await load(next, next); }
      if (stream || polling) connect();
    } catch { retry = setTimeout(() => visit(here() === from ? wanted ?? address : here()), 3000 + Math.random() * 3000); } finally { loading = undefined; }
  })();
  return loading;
}
/** Loads the page once more, for events that the server no longer has; not during a visit, which loads them too. */
const again = () => setTimeout(() => loading ?? visit(location.href), Math.random() * 800);

// --- the stream
// Whether the stream has brought its first event, how many streams in a row have ended after it, and whether something on the way holds streams back.
let greeted, cuts = 0, held;
let stream, triedAt = 0, streamed = Date.now();
// The age of a stored page counts from its last event.
const isStored = performance.getEntriesByType("navigation")[0]?.transferSize === 0;
let heard = isStored && +root.heard || Date.now();
// Start of the server's silence; short gaps of the network are normal.
let missingSince = Date.now();
let isWarning = !!root.silent;
// Whether the event is over. Its pages then raise no alarm about a silent recorder or server.
const over = () => "over" in $("#main").dataset;
function banner(text, kind = "") {
  if (over()) text = "";
  isWarning = !!text && kind !== "ok";
  const line = $("#banner");
  if (!line) return;
  // Read each message aloud once, not the seconds that it counts.
  line.ariaLive = text && !line.hidden && line.textContent.replace(/\d+/g) === text.replace(/\d+/g) ? "off" : "polite";
  line.hidden = !text;
  line.className = "banner " + kind;
  put(line, text);
}
const clockTime = (at, second) => new Date(at).toLocaleTimeString(language, { hourCycle: "h23", hour: "2-digit", minute: "2-digit", second });
// Since when the recorder gives no sign of life.
let silentSince = +root.silent || null;
/** Shows whether the server sends data. */
function setQuiet(is) {
  quiet = !over() && (is || silentSince !== null);
  for (const live of $$("#live")) live.hidden = over();
  document.body.classList.toggle("quiet", quiet);
  put($("#state"), is ? texts.connecting : quiet ? texts.not_live : texts.live);
}
function hear(age = 0) {
  heard = Date.now() - age;
  missingSince = undefined;
  setQuiet(false);
  if (silentSince !== null) banner(fill(texts.recorder_silent_since, clockTime(silentSince)));
  else if (isWarning) { banner(texts.live_again, "ok"); setTimeout(() => isWarning || banner(""), 6000); }
}
/** Opens the stream of this page, or of another with the same content. */
function connect(page) {
  stream?.close();
  triedAt = Date.now();
  const query = new URLSearchParams(root.stream);
  if (page) query.set("page", page);
  root.stream = query;
  if (root.live === "poll") { tag = undefined; poll(); return; }
  query.set("after", root.id);
  stream = new EventSource("/events?" + query);
  stream.onerror = () => {
    if (greeted) cuts++;
    greeted = false;
    // While the page polls, a refused stream raises no alarm; a poll tells whether the server answers.
    if (!polling) missingSince ??= Date.now(); else if (Date.now() - heard > 3000) poll();
  };
  const on = (name, act) => stream.addEventListener(name, (message) => {
    const data = JSON.parse(message.data);
    // A stream that ends again and again after its first bytes brings nothing new, but the state of the recorder.
    if (name === "hello") greeted = true; else if (name === "recorder") silentSince = data.silent_since; else cuts = 0;
    if (cuts > 1) return;
    streamed = Date.now();
    held = polling = clearTimeout(polling);
    hear();
    root.id = message.lastEventId || root.id;
    act(data);
  });
  const clock = ({ now }) => { offset = now - Date.now(); tick(); };
  on("recorder", tick);
  on("hello", clock);
  on("beat", clock);
  // Ignore the stream until the page is loaded: the server sends changes for a newer page.
  on("again", () => { stream.close(); setQuiet(true); again(); });
  on("parts", (changed) => { for (const [key, html] of changed) { queue.delete(key); queue.set(key, html); } working ??= setTimeout(work); });
}
/** Fetches the page again, where no stream can be had: now, and then every 8 s ± 3 s, from caches every 10 s ± 3 s; after the event every ten minutes. */
let polling, tag, sign;
// A cache may answer with a page that is some seconds old.
const isCached = root.sign || root.live;
async function poll() {
  clearTimeout(polling);
  const wasOver = over(), wasMissing = missingSince;
  polling = setTimeout(poll, ((isCached ? 7000 : 5000) + Math.random() * 6000) * (wasOver ? 60 : 1));
  const query = new URLSearchParams(root.stream), page = new URL(query.get("page"), location);
  if (query.has("chosen")) page.searchParams.set("lang", query.get("lang"));
  try {
    const headers = await load(page, "", tag), age = 1000 * headers.get("age");
    // The header has whole seconds, cut.
    offset = Date.parse(headers.get("date")) + age + 500 - Date.now() || 0;
    if (root.sign) {
      // Pages without a server: while they are renewed, this file changes. Times of two machines may differ, so a change is always young.
      const { at } = await (await ask(root.sign)).json();
      if (at !== sign) hear(sign ? 0 : Math.max(0, now() - at));
      sign = at;
    // A cache that cannot reach the server answers with an old page.
    } else if (headers.get("x-cache-status") !== "STALE") hear(age);
    tick();
    // The server is back: it may have streams.
    if (wasMissing && !missingSince && stream?.readyState === 2) connect();
    // Poll at once: a game has begun although the event was over.
    if (wasOver && !over() && polling) poll();
  } catch { missingSince ??= Date.now() - 3000; }
}
/** Returns whether the page needs no stream: it is hidden and plays no sound. */
const isUnseen = () => document.hidden && !more?.sounds?.();
function watch() {
  if (isUnseen() || (polling && over())) return;
  const at = Date.now(), away = at - heard;
  // Two beats or polls are missing.
  if (away > (!polling ? 11000 : isCached ? 30000 : 14000)) missingSince ??= at - 6000;
  const missing = at - missingSince;
  if (missing > 3000) setQuiet(true);
  if (missing >= 6000) {
    if (isStored && root.heard && offset === undefined) { const minutes = Math.round(away / 6e4); banner(fill(texts.stored_page[{ one: 0, few: 1 }[new Intl.PluralRules(language).select(minutes)] ?? 2], minutes), "kept"); }
    else banner(fill(texts.server_silent, lasting(away / 1000)));
  }
  if (root.live === "poll") return;
  // A stream without beats is dead, whatever its `readyState`.
  const tried = at - Math.max(streamed, triedAt);
  if (tried > (polling && !(missing > 3000) ? 60000 : stream?.readyState === 2 ? 3000 : 8000)) connect();
  if (!polling && at - streamed > (greeted === undefined ? 5000 : 12000)) { held = true; poll(); }
}
// A page that returns to view keeps its content until the server sends data.
function wake() {
  if (stream || polling || isUnseen()) return;
  streamed = Date.now();
  missingSince = streamed - 3000;
  setQuiet(true);
  connect();
  if (held) poll();
  tick();
}
function sleep() {
  stream?.close();
  stream = polling = clearTimeout(polling);
}
// Hidden pages close the stream: a browser has six connections per server.
addEventListener("visibilitychange", () => (isUnseen() ? sleep() : wake()));
addEventListener("pageshow", (event) => { if (event.persisted) { wake(); dress(); } });
addEventListener("pagehide", sleep);

// --- frames in other sites: a browser has six connections per server, so the fifth frame of a page and later ones poll
if (parent !== window) {
  if ([...Array(Math.min(4, parent.length)).keys()].every((at) => parent[at] !== window)) root.live ??= "poll";
  // /embed.js makes them as high as their content
  if ($(".embed")) {
    const say = () => parent.postMessage({ damcastHeight: document.body.offsetHeight }, "*");
    new ResizeObserver(say).observe(document.body);
    addEventListener("message", ({ data }) => data === "damcast-height" && say());
  }
}

// The script more.js or wall.js loads after the first view. A browser may remember that an address failed, so each attempt has another one.
let attempts = 0;
function loadMore() {
  import(root.more + "?" + attempts++).then(({ start }) => { more = start({ $, $$, svg, numbers, kind, game, entry, entries, fieldNames, current, go, acts, put, fill, visit, dress, keptQuery, texts, language }); dress(); }, () => setTimeout(loadMore, 3000 + Math.random() * 3000));
}
root.more && loadMore();

dress();
scrollToMove();
{ const tab = $(".nav [aria-current]"), row = tab?.parentElement; if (row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2; }
if (!document.hidden) isStored ? wake() : connect();
setInterval(tick, 250);
setInterval(watch, 1000);
// The line that the style shows on a page whose script did not come.
$("#dead")?.remove();
