// Live part of the viewers' pages: updates from GET /events (docs/viewers.md), and stepping through a game. Pages work without it.
const root = document.body.dataset, texts = JSON.parse(root.texts), language = document.documentElement.lang;
const $ = (selector, of = document) => of.querySelector(selector), $$ = (selector, of = document) => [...of.querySelectorAll(selector)];
const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
};
const fill = (sentence, value) => sentence.replace("{}", value);
const plural = (forms, number) => fill(forms[{ one: 0, few: 1 }[new Intl.PluralRules(language).select(number)] ?? 2], number);
const numbers = (text) => (text ? text.split(",").map(Number) : []);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const time = (s) => `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(s % 60).padStart(2, "0")}`;
const put = (element, text) => { if (element && element.textContent !== text) element.textContent = text; };
let turned = false, large = document.body.dataset.kind === "game";

// --- a board
const place = (board, field) => {
  const width = +board.dataset.w, height = +board.dataset.h;
  if (turned && large) field = width * height - 1 - field;
  return [(field % width) * 10, Math.floor(field / width) * 10];
};
function draw(board, { pieces, path = [], captured = [], ghosts = "" }) {
  if (!board || !pieces) return;
  const marks = $(".mk", board), way = $(".pt", board), all = $(".ps", board), size = large && board.classList.contains("big");
  marks.replaceChildren(); way.replaceChildren();
  if (path.length > 1) {
    const [x, y] = place(board, path[0]), [u, v] = place(board, path.at(-1));
    marks.append(svg("rect", { class: "m", x, y, width: 10, height: 10 }), svg("rect", { class: "m", x: u, y: v, width: 10, height: 10 }),
      svg("rect", { class: "mf", x: u + 0.35, y: v + 0.35, width: 9.3, height: 9.3 }));
  }
  if (captured.length && (size || ghosts)) {
    const points = path.map((field) => place(board, field).map((at) => at + 5).join()).join(" ");
    if (size) way.append(svg("polyline", { class: "t0", points }), svg("polyline", { class: "t1", points }));
    captured.forEach((field, order) => {
      const [x, y] = place(board, field).map((at) => at + 5), number = svg("text", { class: "go", x, y: y + 1.5 });
      number.textContent = order + 1;
      if (ghosts) way.append(svg("use", { href: "#" + ghosts[order], x, y }));
      way.append(svg("circle", { class: "gr", cx: x, cy: y, r: 2.9 }), svg("circle", { class: "gd", cx: x, cy: y, r: 2.9 }), number);
    });
  }
  // Replaces only the pieces that changed.
  const wanted = new Map();
  [...pieces].forEach((piece, field) => piece !== "." && wanted.set(place(board, field).map((at) => at + 5).join(), piece));
  for (const number of $$(".nm text", board)) {
    number.classList.toggle("e", !wanted.has([4.55, 3.25].map((more, y) => Math.round(+number.getAttribute("xy"[y]) + more)).join()));
  }
  for (const use of [...all.children]) {
    const at = `${use.getAttribute("x")},${use.getAttribute("y")}`;
    if (wanted.get(at) === use.getAttribute("href").slice(1)) wanted.delete(at); else use.remove();
  }
  wanted.forEach((piece, at) => { const [x, y] = at.split(","); all.append(svg("use", { href: "#" + piece, x, y })); });
}

// --- clocks: they count by the server's time, and stop while the server or the board is silent
let offset, quiet = false;
const now = () => Date.now() + (offset ?? 0);
function tick() {
  const at = now();
  for (const clock of $$(".ck[data-seconds]")) {
    let left = +clock.dataset.seconds;
    const runs = clock.dataset.running && clock.classList.contains("run") && offset !== undefined && !quiet;
    if (runs) left = Math.max(0, Math.ceil(left - Math.max(0, at - clock.dataset.heard) / 1000));
    if (runs || !clock.dataset.running) put($("time", clock), time(left));
    clock.classList.toggle("low", left < 60);
    clock.classList.toggle("out", left === 0);
  }
  if (offset !== undefined) put($("#time"), new Date(at).toLocaleTimeString(language, { hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: large || root.kind === "wall" ? undefined : "2-digit" }));
  for (const one of $$("[data-silent-since]")) put($(".st", one), fill(texts.board_silent_for, Math.max(0, Math.round((at - one.dataset.silentSince) / 1000))));
}
function setClock(of, event) {
  for (const side of ["white", "black"]) for (const clock of $$(`.ck[data-side=${side}]`, of)) {
    if (event.result) {
      const points = event.result.includes("-") ? event.result.split("-")[side === "white" ? 0 : 1] : event.result;
      clock.className = "ck pt" + (points === "0" ? " l" : "");
      for (const key of ["seconds", "running", "heard"]) delete clock.dataset[key];
      clock.textContent = points;
      continue;
    }
    const seconds = event.clock?.[side], runs = event.clock?.running === side && event.state !== "ended";
    if (seconds == null) { delete clock.dataset.seconds; put($("time", clock), "–:––:––"); } else clock.dataset.seconds = seconds;
    if (runs) clock.dataset.running = "1"; else delete clock.dataset.running;
    if (event.clock) clock.dataset.heard = event.clock.heard;
    clock.classList.toggle("run", runs && event.state === "playing");
    clock.classList.toggle("old", event.state === "silent");
  }
}

// --- state of a board as text
const sign = (text) => text.replace(/[x:]/g, "×");
const lastText = (last) => (last ? `${last.number}. ${last.side === "black" ? "… " : ""}${sign(last.text)}` : texts.set_up);
function status(event) {
  const last = event.last;
  if (event.state === "over" || event.state === "ended") return last ? plural(texts.over_after, last.number) : texts.over;
  if (event.state === "unclear") return last ? fill(texts.unclear, lastText(last)) : texts.unclear_at_start;
  if (event.state === "silent") return texts.board_silent;
  if (event.state === "stopped") return texts.clocks_stopped;
  return event.count ? lastText(last) : texts.playing;
}
const classes = { over: "s-over", ended: "s-over", unclear: "s-doubt", silent: "s-off" };

// --- events
const lastMoves = new Map();
// Cards and links of each board, and the boards whose next game has not started.
const cards = new Map(), men = new Map(), waits = new Set();
function take(event) {
  // A board that waits for its next game ignores events of the earlier one.
  let isNew = event.what === "game" || !waits.has(event.board);
  for (const card of cards.get(event.board) ?? []) {
    isNew = false;
    if (+card.dataset.game !== event.game || event.what === "game") return again();
    const before = +card.dataset.count, is = card.classList.contains("two");
    if (event.count < before || event.what === "moves-inserted") return again();
    const played = event.count - before;
    // A list of moves needs every entry: fetch the page unless this is the next one.
    if (is && (played > 1 || (played === 1 && (event.what !== "move" || !event.last)))) return again();
    for (const other of [...card.classList]) if (other.startsWith("s-")) card.classList.remove(other);
    card.classList.add(classes[event.state] ?? "s-play");
    card.dataset.count = event.count;
    card.dataset.word = event.state;
    if (event.state === "silent") card.dataset.silentSince ??= event.heard ?? now(); else delete card.dataset.silentSince;
    put($(".st", card), status(event));
    setClock(card, event);
    if (is) follow(card, event, played); else show($("svg.bd", card), card, event, played);
  }
  for (const man of men.get(event.board) ?? []) {
    isNew = false;
    man.className = classes[event.state] ?? "s-play";
    put($(".vh", man), " " + status(event));
  }
  // The page may not know the board of an unstarted game: the first moves on a board without a card may belong to it.
  const isAwaited = location.pathname === "/" || (waits.size > 0 && event.count < 3);
  if (isNew && (root.kind === "grid" || root.kind === "wall") && !root.follows && isAwaited) again();
}
function show(board, card, event, played) {
  const last = event.last ?? {}, before = lastMoves.get(event.board) ?? "";
  lastMoves.set(event.board, event.pieces ?? "");
  const ghosts = played === 1 && last.captured?.length && before ? last.captured.map((field) => before[field]).join("") : "";
  draw(board, { pieces: event.pieces, path: last.path, captured: last.captured, ghosts: ghosts.includes(".") ? "" : ghosts });
  const label = board?.getAttribute("aria-label");
  if (label) board.setAttribute("aria-label", label.replace(/\. .*$/, `. ${status(event)}`));
  // Only if the board still shows this move.
  if (ghosts) setTimeout(() => +card.dataset.count === event.count && draw(board, { pieces: event.pieces, path: last.path }), calm.matches ? 0 : 1600);
}

// --- one game: stepping through its moves
let at = 0, live = true;
const game = () => $(".two");
const entries = () => $$("#moves a[data-at]");
function entry(index) {
  const list = $("#moves tbody")?.dataset ?? {};
  if (index === 0) return { pieces: list.start, turn: list.turn, said: texts.game_start };
  return entries().find((one) => +one.dataset.at === index)?.dataset;
}
function go(index, { quietly = false } = {}) {
  const one = game(), last = +one.dataset.count, it = entry(Math.max(0, Math.min(index, last)));
  if (!it) return;
  at = Math.max(0, Math.min(index, last));
  live = at === last;
  draw($("svg.bd", one), { pieces: it.pieces, path: numbers(it.path), captured: numbers(it.captured) });
  for (const link of entries()) {
    if (+link.dataset.at === at) { link.setAttribute("aria-current", "true"); const box = link.closest(".scr"); if (box) box.scrollTop += link.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2; } else link.removeAttribute("aria-current");
  }
  put($("#now"), it.said);
  const address = new URL(location);
  if (live) address.searchParams.delete("ply"); else address.searchParams.set("ply", at);
  history.replaceState(null, "", address);
  address.searchParams.set("ply", at);
  $("#link").href = address;
  $("#fen").dataset.fen = it.fen ?? "";
  $("#golive").classList.toggle("p", live);
  [["first", 0], ["back", at - 1], ["on", at + 1], ["last", last]].forEach(([id, to]) => {
    const goal = new URL(address); goal.searchParams.set("ply", Math.max(0, Math.min(to, last))); $("#" + id).href = goal;
  });
  describe(it);
  if (!quietly) put($("#say"), sentence(it));
}
function describe(it) {
  const names = ($("svg.bd").dataset.names ?? "").split(","), list = (piece) => [...(it.pieces ?? "")].map((one, field) => (one === piece ? names[field] : "")).filter(Boolean).sort((a, b) => a - b || (a < b ? -1 : 1)).join(", ");
  const text = (men, kings) => [men && `${texts.men} ${men}`, kings && `${texts.kings} ${kings}`].filter(Boolean).join("; ") || texts.no_pieces;
  const [white, black] = $$("#text dd");
  put(white, text(list("w"), list("W"))); put(black, text(list("b"), list("B")));
  put($("#tomove"), { w: texts.white_to_move, b: texts.black_to_move }[it.turn] ?? "");
}
function sentence(it) {
  const path = numbers(it.path), names = ($("svg.bd").dataset.names ?? "").split(",");
  if (path.length < 2) return it.said;
  const side = it.turn === "b" ? texts.white : texts.black, taken = numbers(it.captured).map((field) => names[field]).join(", ");
  return (taken ? texts.spoken_capture : texts.spoken_move).replace("{side}", side).replace("{from}", names[path[0]]).replace("{to}", names[path.at(-1)]).replace("{taken}", taken);
}
function follow(one, event, played) {
  put($("#likely"), event.likely?.length ? fill(texts.likely, event.likely.map(sign).join(" ")) : "");
  if (!played) return;
  const last = event.last, link = document.createElement("a"), address = new URL(location);
  address.searchParams.set("ply", event.count);
  link.href = address;
  Object.assign(link.dataset, { at: event.count, pieces: event.pieces ?? "", turn: { white: "w", black: "b" }[event.turn] ?? "", path: (last.path ?? []).join(), captured: (last.captured ?? []).join(), fen: event.fen ?? "", said: lastText(last) });
  link.textContent = sign(last.text);
  const seconds = event.clock?.[last.side];
  if (seconds != null) { const small = document.createElement("small"); small.textContent = time(seconds); link.append(small); }
  const body = $("#moves tbody"), side = last.side === "white" ? 0 : 1;
  let row = body.lastElementChild;
  if (!row || row.dataset.number !== String(last.number) || side === 0) {
    row = document.createElement("tr");
    row.dataset.number = last.number;
    const head = document.createElement("th");
    head.scope = "row"; head.textContent = last.number;
    row.append(head, document.createElement("td"), document.createElement("td"));
    body.append(row);
  }
  row.children[side + 1].append(link);
  if (live) go(event.count); else put($("#say"), sentence(link.dataset));
}
async function copy(button, text) {
  try { await navigator.clipboard.writeText(text); } catch {
    // Browsers offer no clipboard without TLS.
    const area = document.createElement("textarea");
    area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
  }
  const before = button.textContent;
  put(button, texts.copied);
  setTimeout(() => put(button, before), 1500);
}
const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(Infinity), l: () => go(Infinity), f: turn };
function turn() {
  const board = $("svg.bd.big"), it = entry(at);
  turned = !turned;
  const [, , w, h] = board.getAttribute("viewBox").split(" ").map(Number), width = board.dataset.w * 10, height = board.dataset.h * 10;
  for (const number of $$(".nm text", board)) { number.setAttribute("x", width - 10 - (number.getAttribute("x") - 0.45) + 0.45); number.setAttribute("y", height - 10 - (number.getAttribute("y") - 1.75) + 1.75); }
  for (const letter of $$(".co text", board)) if (letter.getAttribute("x") < 0) letter.setAttribute("y", height - letter.getAttribute("y") + 2); else letter.setAttribute("x", width - letter.getAttribute("x"));
  const [first, second] = [$(".plb.bk"), $(".plb.wh")], box = $(".brd .bwrap");
  if (turned) { box.before(second); box.after(first); } else { box.before(first); box.after(second); }
  draw(board, { pieces: it.pieces, path: numbers(it.path), captured: numbers(it.captured) });
}
function equip() {
  large = !!game();
  for (const [of, selector] of [[cards, "[data-board][data-game][data-current]"], [men, ".men a"]]) {
    of.clear();
    for (const one of $$(selector)) of.set(one.dataset.board, [...(of.get(one.dataset.board) ?? []), one]);
  }
  waits.clear();
  for (const card of $$("[data-waits]")) waits.add(card.dataset.waits);
  lastMoves.clear();
  if (!large) return;
  at = +game().dataset.at; live = at === +game().dataset.count;
  for (const hidden of [$("#fen"), $("#turnboard"), $(".keys")]) hidden.hidden = false;
  turned = false;
  go(at, { quietly: true });
  game().addEventListener("click", (click) => {
    const link = click.target.closest("a, button");
    if (!link || click.ctrlKey || click.metaKey || click.shiftKey) return;
    const act = { first: () => go(0), back: () => go(at - 1), on: () => go(at + 1), last: () => go(Infinity), golive: () => go(Infinity), turnboard: turn,
      fen: () => copy(link, link.dataset.fen), link: () => copy(link, link.href), pdn: () => fetch(link.href).then((answer) => answer.text()).then((text) => copy(link, text)) }[link.id] ?? (link.dataset.at && (() => go(+link.dataset.at)));
    if (act) { click.preventDefault(); act(); }
  });
  // Only with the focus on the board: elsewhere the keys scroll the page.
  $("#board").addEventListener("keydown", (key) => {
    const act = keys[key.key.length === 1 ? key.key.toLowerCase() : key.key];
    if (act && !key.ctrlKey && !key.metaKey && !key.altKey) { key.preventDefault(); act(); }
  });
  let from;
  $(".brd .bwrap").addEventListener("touchstart", (touch) => { from = touch.touches.length === 1 ? touch.touches[0].clientX : undefined; }, { passive: true });
  $(".brd .bwrap").addEventListener("touchend", (touch) => {
    const way = touch.changedTouches[0].clientX - from;
    if (Math.abs(way) > 40) go(at + (way > 0 ? -1 : 1));
  }, { passive: true });
}

// --- fetching the page again if an event lacks the change: a new game, a set-up position
let fetching;
function again() {
  fetching ??= new Promise((done) => setTimeout(done, Math.random() * 800)).then(async () => {
    try {
      const stay = large && !live ? at : undefined, answer = await fetch(location.href, { cache: "no-cache" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      $("svg.defs").replaceWith(page.querySelector("svg.defs"));
      $("#main").replaceWith(page.querySelector("#main"));
      for (const name of ["id", "follows"]) if (page.body.dataset[name]) root[name] = page.body.dataset[name];
      shown = root.id;
      equip();
      if (stay !== undefined) go(stay, { quietly: true });
    } finally { fetching = undefined; paginate(); work(); }
  });
}

// --- queue of events, drawn a few at a time to keep the page responsive. An event has the whole state of its board, so the last one per
// board is enough, except for the board that the page follows.
const queue = new Map();
let working;
function later(event, id) {
  const key = event.board === root.follows ? `${event.board} ${id}` : event.board;
  queue.delete(key);
  queue.set(key, [event, id]);
  working ??= setTimeout(work);
}
function work() {
  const until = performance.now() + 20;
  clearTimeout(working);
  working = undefined;
  for (const [key, [event, id]] of queue) {
    if (fetching) return;
    if (performance.now() > until) { working = setTimeout(work); return; }
    queue.delete(key);
    if (isNewer(id)) take(event);
  }
}

// --- the stream
const PATIENCE = 3000;
let stream, triedAt = 0, last = root.id, shown = root.id;
// The age of a stored page counts from its last event.
const isStored = performance.getEntriesByType("navigation")[0]?.transferSize === 0;
let heard = (isStored && +root.heard) || Date.now();
// Start of the server's silence; short gaps of the network are normal.
let missingSince = Date.now();
/** Whether an event is newer than the page. The server may send events later than a page that contains them. */
const isNewer = (id) => {
  const [[generation, seq], [of, until]] = [id, shown].map((one) => one.split("."));
  return generation !== of || +seq > +until;
};
let isWarning = false;
function banner(text, kind = "") {
  isWarning = !!text && kind !== "ok";
  const line = $("#banner");
  if (!line) return;
  line.hidden = !text;
  line.className = "banner " + kind;
  put(line, text);
}
/** Shows whether the server sends data. */
function setQuiet(is) {
  quiet = is;
  document.body.classList.toggle("quiet", is);
  put($("#state"), is ? texts.connecting : texts.live);
}
function hear() {
  heard = Date.now();
  missingSince = undefined;
  setQuiet(false);
  if (isWarning) { banner(texts.live_again, "ok"); setTimeout(() => isWarning || banner(""), 6000); }
}
function connect() {
  stream?.close();
  triedAt = Date.now();
  const query = new URLSearchParams({ after: last });
  if (root.follows) query.set("board", root.follows);
  stream = new EventSource("/events?" + query);
  stream.onerror = () => { missingSince ??= Date.now(); };
  const on = (name, act) => stream.addEventListener(name, (message) => {
    hear();
    if (message.lastEventId) { last = message.lastEventId; root.id = last; }
    act(JSON.parse(message.data), message.lastEventId || last);
  });
  const clock = ({ now }) => { offset = now - Date.now(); tick(); };
  on("hello", clock);
  on("beat", clock);
  // The files of the pairings follow the event.
  on("round", () => setTimeout(again, 400));
  on("board", later);
  on("snapshot", ({ boards }, id) => boards.forEach((event) => later(event, id)));
}
function watch() {
  if (document.hidden) return;
  const at = Date.now(), away = at - heard;
  if (away > 30000) missingSince ??= at - PATIENCE;
  const missing = at - missingSince;
  if (missing > PATIENCE) setQuiet(true);
  if (missing > 2 * PATIENCE) {
    if (isStored && offset === undefined) banner(plural(texts.stored_page, Math.round(away / 60000)), "kept");
    else banner(fill(texts.server_silent, Math.round(away / 1000)));
  }
  // A stream without two beats is dead, whatever its `readyState`.
  const tried = at - Math.max(heard, triedAt);
  if (tried > (stream?.readyState === 2 ? 3000 : away > 40000 ? 10000 : 40000)) connect();
}
// A page that returns to view keeps its content until the server sends data.
function wake() {
  if (root.kind === "list" || stream || document.hidden) return;
  missingSince = Date.now() - PATIENCE;
  setQuiet(true);
  connect();
  tick();
}
function sleep() {
  stream?.close();
  stream = undefined;
}
// Hidden pages close the stream: a browser has six connections per server.
addEventListener("visibilitychange", () => (document.hidden ? sleep() : wake()));
addEventListener("pageshow", (event) => event.persisted && wake());
addEventListener("pagehide", sleep);

// --- pages of the screen at the wall, shown in turn
let leaf = 0;
function paginate() {
  if (root.kind !== "wall") return;
  const cards = $$(".grid>li"), leaves = Math.ceil(cards.length / 16), size = Math.ceil(cards.length / leaves) || 1;
  leaf %= Math.max(1, leaves);
  cards.forEach((card, index) => { card.hidden = Math.floor(index / size) !== leaf; });
  const grid = $(".grid"); if (grid) grid.dataset.count = Math.min(size, 16);
  put($("#turn"), leaves > 1 ? `${leaf + 1} / ${leaves}` : "");
  fit();
}
// Shrinks (rem) and condenses (em) names before the style sheet cuts them.
function fit() {
  let names = $$(".wall .g .nm1");
  for (const [size, space] of [[1.95, 0], [1.7, -0.015], [1.5, -0.025], [1.32, -0.03]]) {
    for (const name of names) Object.assign(name.style, { fontSize: `${size}rem`, letterSpacing: `${space}em` });
    names = names.filter((name) => name.scrollWidth > name.clientWidth);
  }
}
addEventListener("resize", fit);
if (root.kind === "wall") setInterval(() => { leaf += 1; paginate(); }, 15000);

equip();
paginate();
if (root.kind !== "list") { if (isStored) wake(); else connect(); }
setInterval(tick, 250);
if (root.kind !== "list") setInterval(watch, 1000);
