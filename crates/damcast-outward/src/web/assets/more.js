// Later part of the viewers' pages: marked players, search, schedule, own lines, keys, replay, sound. The script page.js loads it after the first view and passes its tools.
export function start({ $, $$, svg, numbers, kind, game, entry, entries, fieldNames, current, go, acts, put, fill, visit, dress, keptQuery, texts, language }) {
  // --- the viewer's own players: this browser keeps the addresses of their pages
  const PLAYERS = "damcast-players";
  /** Browsers may refuse to store: then there are none. */
  function followed() { try { return new Set(JSON.parse(localStorage.getItem(PLAYERS)) ?? []); } catch { return new Set(); } }
  /** Returns the key of a player: event and address, because another player may have the same address at the next event. */
  function playerOf(address) { return ($("[data-event]")?.dataset.event ?? "") + new URL(address, location).pathname; }
  function followPlayer(page) {
    const all = followed();
    if (!all.delete(page)) all.add(page);
    try { localStorage.setItem(PLAYERS, JSON.stringify([...all])); } catch { /* the next page has none */ }
    dress();
  }
  /** Marks the viewer's players; their boards come first. */
  function mark() {
    const all = followed(), isMine = (link) => all.has(playerOf(link.href)), only = new URLSearchParams(location.search).has("mine");
    for (const star of $$(".star")) {
      const is = all.has(playerOf(star.dataset.player));
      star.hidden = false;
      star.setAttribute("aria-pressed", is);
      put(star, is ? "★" : "☆");
    }
    for (const name of $$("a.pn")) name.classList.toggle("mine", isMine(name));
    const list = kind() === "grid" && $("[data-part=boards]");
    if (!list) return;
    const cards = [...list.children], mine = cards.filter((card) => $("a.pn.mine", card)), link = $("#mine");
    for (const card of cards) card.hidden = only && !mine.includes(card);
    if ($("#none-mine")) $("#none-mine").hidden = !only || mine.length > 0;
    if (link) { link.hidden = !all.size && !only; if (only) { $$(".flt a[aria-current]").forEach((one) => one.removeAttribute("aria-current")); link.setAttribute("aria-current", "true"); } }
    const lead = cards.filter((card) => card.classList.contains("lead")), order = new Set([...lead, ...mine, ...cards]);
    let at = list.firstElementChild;
    for (const card of order) if (card === at) at = at.nextElementSibling; else list.insertBefore(card, at);
  }
  document.addEventListener("click", ({ target }) => { if (target.matches?.(".star")) followPlayer(playerOf(target.dataset.player)); });
  addEventListener("storage", dress);
  // After *Back* to a history entry that a link inside the page made, show its position.
  addEventListener("popstate", () => visit(location.href));

  // --- read aloud: each new move, and the end of the game with the points
  // Address of the game, number of its entries, its state and its position, when they were last read.
  let spoken, said, state, saidPieces;
  function sentence(it) {
    const path = numbers(it?.path), names = fieldNames();
    if (path.length < 2) return it?.said ?? "";
    const side = it.turn === "b" ? texts.white : texts.black, taken = numbers(it.captured).map((field) => names[field]).join(", ");
    return (taken ? texts.spoken_capture : texts.spoken_move).replace("{side}", side).replace("{from}", names[path[0]]).replace("{to}", names[path.at(-1)]).replace("{taken}", taken);
  }
  /** Returns the words of a part of the page that shows the game now, not at the studied move. */
  const words = (part) => [...$(part).childNodes].filter((node) => !node.matches?.(".then")).map((node) => node.textContent).filter(Boolean).join(" ");
  function readAloud() {
    const one = game();
    if (!one) { spoken ??= "-"; return; }
    const count = +one.dataset.count, pieces = entry(count)?.pieces, word = one.dataset.word + one.dataset.result, lines = [];
    // After the board has begun its next game, read the last move of that one.
    if (spoken !== one.dataset.address) [said, state] = [spoken && Math.max(0, count - 1)];
    spoken = one.dataset.address;
    // Moves that are inserted before the last one are not new.
    if (said !== undefined && count > said && pieces !== saidPieces) { lines.push(...entries().filter(({ dataset }) => dataset.at > said).slice(-6).map(({ dataset }) => sentence(dataset))); sound(); }
    if (state !== undefined && state !== word && $(".plb .pt")) lines.push(...["#board .st", ".plb.bk", ".plb.wh"].map(words));
    // A viewer who looks at an earlier move hears that moves instead of the next ones are new.
    if (lines[0]) put($("#say"), (current() < count ? texts.live + ": " : "") + lines.join(". "));
    [said, state, saidPieces] = [count, word, pieces];
  }

  // --- the studied move: moves that the arbiter inserts before it change its number, and with it the address
  let studied = {};
  function keepMove() {
    const page = location.href, fen = game() && current() < +game().dataset.count ? entry(current())?.fen : undefined;
    const moved = studied.page === page && studied.fen && fen && fen !== studied.fen && $$("#moves a[data-at]").find((one) => one.dataset.fen === studied.fen);
    if (moved) {
      studied.page = moved.href;
      history.replaceState(null, "", moved.href);
      dress();
      return;
    }
    // The list counts its scrolling from its end, where new moves come: the move keeps its place.
    const link = $("#moves a[aria-current]"), below = link && $("#moves").getBoundingClientRect().bottom - link.getBoundingClientRect().top;
    // Browsers round where they scroll to.
    const box = $(".scr"), before = Math.abs(box?.scrollTop - studied.scroll) < 1 ? studied.scroll : box?.scrollTop, scroll = fen && studied.page === page ? before - below + studied.below : before;
    if (scroll !== before) box.scrollTop = scroll;
    studied = { page, fen, below, scroll };
  }

  // --- copies of what a page of a game has, and swipes over its board
  async function copy(button, text) {
    try {
      // Safari copies only while it handles the click, so the clipboard gets the promise of a text that is still loading.
      if (text.then) await navigator.clipboard.write([new ClipboardItem({ "text/plain": text.then((words) => new Blob([words], { type: "text/plain" })) })]);
      else await navigator.clipboard.writeText(text);
    } catch {
      try { text = await text; } catch { return; }
      // Browsers offer no clipboard without TLS.
      const area = document.createElement("textarea");
      area.value = text; document.body.append(area); area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      button.focus();
      // Show the game, to copy it by hand.
      if (!isCopied) { if (button.id === "pdn") location.assign(button.href); return; }
    }
    const before = (button.dataset.text ??= button.textContent);
    put(button, texts.copied);
    put($("#say"), texts.copied);
    setTimeout(put, 1500, button, before);
  }
  Object.assign(acts, { fen: (button) => copy(button, button.dataset.fen ?? ""), link: (link) => copy(link, link.href), pdn: (link) => copy(link, fetch(link.href).then((answer) => (answer.ok ? answer.text() : Promise.reject()))) });
  let from;
  document.addEventListener("touchstart", (touch) => { from = game() && touch.touches.length === 1 && touch.target.closest?.(".brd .bwrap") && visualViewport.scale <= 1 ? touch.touches[0] : undefined; }, { passive: true });
  document.addEventListener("touchend", ({ changedTouches: [to] }) => {
    const way = to.clientX - from?.clientX;
    // A finger that scrolls moves sideways too.
    if (Math.abs(way) > Math.max(40, 2 * Math.abs(to.clientY - from?.clientY))) go(current() - Math.sign(way));
  }, { passive: true });

  // --- the schedule: times in the viewer's zone, and how long until the next one
  const day = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }), moment = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  function localize() {
    for (const time of $$("time[data-moment]")) { time.title ||= time.textContent; put(time, moment.format(new Date(time.dateTime))); }
    for (const days of $$("[data-days]")) { const [from, to] = days.dataset.days.split("/").map((text) => new Date(text + "T00:00Z")); if (to >= from) put(days, day.formatRange(from, to)); }
    put($("#zone"), fill(texts.viewer_zone, moment.resolvedOptions().timeZone));
  }
  function countDown(at) {
    let next = true;
    for (const left of $$("[data-until]")) {
      const until = new Date(left.dataset.until), minutes = Math.ceil((until - at) / 60000), is = next && minutes > 0;
      // Days as in a calendar: on Saturday, Tuesday morning is in three days.
      const days = Math.round((until.setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 864e5);
      const [number, unit] = minutes >= 2880 ? [days, "day"] : minutes >= 120 ? [minutes / 60, "hour"] : [minutes, "minute"];
      put(left, is ? new Intl.RelativeTimeFormat(language).format(Math.floor(number), unit) : "");
      if (is) next = false;
    }
  }

  // --- keys of one letter: a viewer who dictates to the computer can switch them off
  const LETTERS = "damcast-letters";
  let hasLetters = true;
  try { hasLetters = localStorage.getItem(LETTERS) !== "off"; } catch { /* they are on in each new page */ }
  document.addEventListener("change", ({ target }) => {
    if (target.id !== "letters") return;
    hasLetters = target.checked;
    try { localStorage.setItem(LETTERS, hasLetters ? "on" : "off"); } catch { /* this page has the choice */ }
  });
  // The key / opens the search for a player.
  document.addEventListener("keydown", (key) => {
    if (key.key !== "/" || !hasLetters || key.target.matches?.("input:not([type=checkbox]), textarea") || key.ctrlKey || key.metaKey || key.altKey || !$(`.nav a[href*="/players"]`)) return;
    key.preventDefault();
    const field = $("#search");
    if (field) field.focus(); else location.assign($(`.nav a[href*="/players"]`).href + "#search");
  });
  document.addEventListener("input", ({ target }) => { if (target.id === "search") search(target.value); });
  /** Narrows the list while the viewer types. A page of results has only the players found before, so it loads all players first. */
  function search(text) {
    narrow(text);
    const all = new URL(location);
    if (!all.searchParams.has("search")) return;
    all.searchParams.delete("search");
    visit(all.href);
  }
  /** Returns a text without case, accents and signs between letters. */
  function plain(text) { return text.toLowerCase().normalize("NFD").replace(/[\p{M}'’.]/gu, "").replace(/[-,]/g, " "); }
  /** Shows the players whose names have all these words. */
  function narrow(text) {
    const wanted = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const has = (row, word) => plain(row.dataset.name).includes(plain(word)) || $("th", row).textContent.toLowerCase().includes(word);
    for (const row of $$("tr[data-name]")) row.hidden = !wanted.every((word) => has(row, word));
    const none = $("#no-hit");
    if (none) none.hidden = !wanted.length || !!$("tr[data-name]:not([hidden])");
  }
  // --- a line of the viewer's own: the page has its legal moves; a touched piece shows where it may go
  let touched = [];
  function touch(board, click) {
    // Use the box, which is the same for a turned board. `getScreenCTM` lacks the rotation in Safari.
    const box = board.getBoundingClientRect(), view = board.viewBox.baseVal, width = +board.dataset.w, part = (at) => (isTurned() ? 1 - at : at);
    const point = { x: view.x + view.width * part((click.clientX - box.left) / box.width), y: view.y + view.height * part((click.clientY - box.top) / box.height) };
    const column = Math.floor(point.x / 10), field = Math.floor(point.y / 10) * width + column;
    // The coordinates lie outside the squares.
    if (column < 0 || column >= width) return;
    const moves = $$("#legal a").map((link) => ({ link, path: numbers(link.dataset.path) }));
    const [from, ...via] = [...touched, field], ways = moves.filter(({ path }) => path[0] === from && via.every((at) => path.indexOf(at, 1) > 0)), ends = ways.filter(({ path }) => path.at(-1) === field);
    const mark = (fields) => {
      $$(".sf", board).forEach((old) => old.remove());
      for (const at of new Set(fields)) $(".pt", board).append(svg("rect", { class: "sf", x: (at % width) * 10 + 0.5, y: Math.floor(at / width) * 10 + 0.5, width: 9, height: 9 }));
    };
    const isFirst = !touched.length, chosen = isFirst ? undefined : ends.length === 1 ? ends[0] : ways.length === 1 ? ways[0] : undefined;
    if (chosen) { touched = []; visit(chosen.link.href); return; }
    // Several captures fit: wait for a touch on another field of the path.
    if (!isFirst && ways.length) { touched.push(field); mark([...touched, ...ways.flatMap(({ path }) => path.slice(1))]); return; }
    const starts = moves.filter(({ path }) => path[0] === field);
    touched = starts.length ? [field] : [];
    mark(starts.length ? [field, ...starts.map(({ path }) => path.at(-1))] : []);
  }
  document.addEventListener("click", (click) => {
    const board = click.target.closest?.(".trial svg.bd"), link = click.target.closest?.(".trial :is(.ctl, .line) a");
    if (board) touch(board, click);
    if (kind() === "trial" && click.target.id === "turnboard") acts.turnboard();
    if (!link || link.id === "golive" || click.ctrlKey || click.metaKey || click.shiftKey) return;
    click.preventDefault();
    // The visit replaces the list of moves.
    visit(link.href).then(() => { if ([document.body, $("#main")].includes(document.activeElement)) $("#board")?.focus({ preventScroll: true }); });
  });

  // --- keys: without the focus on the board, Home and End scroll the page
  // The page of an earlier game leads to what its board plays now.
  const { golive } = acts;
  acts.golive = () => { const { href } = $("#golive"); if (href === new URL(game().dataset.live, location).href) golive(); else visit(href); };
  // A turned board stays turned while the viewer tries moves, and on the way back.
  const TURNED = "damcast-turned", { turnboard } = acts, isTurned = () => document.body.classList.contains("turned");
  const gameHere = () => game()?.dataset.address ?? location.pathname.split("/", 3).join("/");
  function keepTurn() { try { sessionStorage.setItem(TURNED, isTurned() ? gameHere() : ""); } catch { /* the next page is not turned */ } }
  acts.turnboard = () => { turnboard(); keepTurn(); };
  try { if (sessionStorage.getItem(TURNED) === gameHere() && !isTurned()) turnboard(); } catch { /* nothing is kept */ }
  const keys = { arrowleft: acts.back, arrowright: acts.on, l: acts.golive, f: acts.turnboard }, boardKeys = { ...keys, home: acts.first, end: acts.last };
  const press = (link) => () => $(link)?.click(), trialKeys = { arrowleft: press("#back"), l: press("#golive"), f: acts.turnboard };
  let pressed = 0;
  document.addEventListener("keydown", (key) => {
    const { target } = key, isTrial = kind() === "trial", onBoard = !isTrial && target.closest?.("#board");
    if (key.ctrlKey || key.metaKey || key.altKey || (key.shiftKey && key.key[1]) || !(isTrial || game()) || (!onBoard && target.matches?.("input:not([type=checkbox]), select, textarea"))) return;
    // Take the Latin letter of a key that types a letter of another script.
    const name = (key.key > "~" ? key.code.replace("Key", "") : key.key).toLowerCase(), act = (isTrial ? trialKeys : onBoard ? boardKeys : keys)[name];
    if (!act || (!name[1] && !hasLetters)) return;
    key.preventDefault();
    // A browser accepts some ten new addresses a second, fewer than a key that is held repeats.
    if (key.repeat && key.timeStamp - pressed < 110) return;
    pressed = key.timeStamp;
    act();
  });

  // --- replay: the game at the speed of its clocks, or faster
  let next, shown;
  /** Returns by how many seconds an entry lowered the clock of its player: negative if the increment was larger, `NaN` if a time is unknown. */
  function spent(index) {
    const it = entry(index), side = it.turn === "b" ? 0 : 1, [before, after] = [entry(index - 1), it].map(({ clocks }) => parseInt(clocks?.split(",")[side]));
    return before - after;
  }
  /** Returns how long the player of an entry has thought, in ms: by the own clock, with the increment, at least a second. */
  function thought(index) {
    const all = Array.from({ length: +game().dataset.count }, (_, at) => spent(at + 1)).filter(Number.isFinite).sort((one, other) => one - other);
    // An increment comes at each move; a gain of few moves is time for the next moves, or a correction of the clock.
    return Math.max(1, spent(index) - Math.min(0, all[Math.floor(all.length / 10)] ?? 0) || 2) * 1000;
  }
  function label() { put($("#replay"), (next ? "■ " : "▶ ") + $("#replay")?.dataset.text); }
  function stop() {
    clearTimeout(next);
    next = undefined;
    label();
  }
  function play() {
    if (!game() || current() >= +game().dataset.count) { stop(); return; }
    const index = current() + 1;
    next = setTimeout(() => { if (!game() || current() !== shown) { stop(); return; } go(shown = index); if (index < +game().dataset.count) play(); else stop(); }, thought(index) / +$("#speed").value);
    label();
  }
  // --- sound: a short tone for each move of the followed game
  let audio;
  function tone() {
    const sound = audio.createOscillator(), volume = audio.createGain();
    volume.gain.setValueAtTime(0.2, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.12);
    sound.frequency.value = 520;
    sound.connect(volume).connect(audio.destination);
    sound.start();
    sound.stop(audio.currentTime + 0.12);
  }
  /** Wakes the sound that a phone stopped while it was locked. */
  function wakeSound() { if (audio && audio.state !== "running") audio.resume().catch(() => {}); }
  /** Sounds for a new move. */
  function sound() { if (audio?.state === "running") tone(); else wakeSound(); }
  for (const name of ["visibilitychange", "pointerup", "keydown"]) document.addEventListener(name, wakeSound);
  document.addEventListener("change", ({ target }) => { if (target.id === "speed" && next) { clearTimeout(next); play(); } });
  document.addEventListener("click", ({ target }) => {
    if (target.id === "replay") {
      if (next) { stop(); return; }
      if (current() === +game().dataset.count) go(0);
      shown = current();
      play();
    }
    if (target.id === "sound") {
      audio = audio ? void audio.close() : new AudioContext();
      target.setAttribute("aria-pressed", !!audio);
      if (audio) tone();
    }
  });
  const field = $("#search"), typed = new URLSearchParams(location.search).get("search");
  if (location.hash === "#search") field?.focus();
  // The server fills in the query. A static file cannot.
  if (field && typed) field.value ||= typed;
  /** Updates the links to other languages and to hidden results: they keep the move to which the viewer has stepped. */
  function updateLinks() {
    const choose = (name, value) => { const query = keptQuery(); if (value) query.set(name, value); else query.delete(name); const text = query.toString(); return location.pathname.replace(/^\/+/, "/") + (text && "?" + text); };
    for (const link of $$(".lg a")) link.setAttribute("href", choose("lang", link.lang));
    $("#spoil")?.setAttribute("href", choose("hide", !keptQuery().has("hide") && "results"));
  }
  return {
    /** Adds what only this script has. */
    dress() { readAloud(); keepMove(); updateLinks(); mark(); localize(); narrow($("#search")?.value ?? ""); for (const hidden of $$(".study[hidden]")) hidden.hidden = false; label(); if ($("#letters")) $("#letters").checked = hasLetters; keepTurn(); $("#sound")?.setAttribute("aria-pressed", !!audio); },
    /** Reads the shown move aloud. */
    say() { put($("#say"), sentence(game() && entry(current()))); },
    /** Whether moves sound, also while the page is hidden. */
    sounds: () => !!audio,
    tick(at) {
      countDown(at);
      // Pages without a server may stay as they were on the last day.
      const { dataset } = $("#main");
      if (at > dataset.ends && document.body.classList.contains("quiet")) { dataset.over = ""; dress(); }
    },
  };
}
