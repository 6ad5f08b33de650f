// Enters moves by taps and keys. A move waits in the browser until the station has it: each names its game and ply, so sending it again
// does no harm. Text from outside becomes text nodes.

const $ = (selector, within = document) => within.querySelector(selector);
const texts = JSON.parse($('#texts').textContent);
const filled = (sentence, ...values) => sentence.replace(/\{\}/g, () => values.shift());
const SVG = 'http://www.w3.org/2000/svg';
const shape = (name, attributes) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

/** Ends a request after this many milliseconds; Safari 15 has no `AbortSignal.timeout`. */
const patienceOf = time => { const end = new AbortController(); setTimeout(() => end.abort(), time); return end.signal; };

/** Sends JSON, or asks without a body. Throws if nothing answers: to a question within five seconds, to a request within ten. */
const send = async (path, body) => {
  const answer = await fetch(path, {method: body ? 'POST' : 'GET', headers: body ? {'Content-Type': 'application/json'} : {}, body: body && JSON.stringify(body), cache: 'no-store', signal: patienceOf(body ? 10000 : 5000)});
  return answer.json();
};

/** The code in the address becomes a cookie, and leaves the address. While nothing answers, it is sent again. */
const openCode = async (code = location.hash.slice(1)) => {
  if (!code || code.startsWith('table-')) return false;
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await send('/open', {code}).catch(() => ({error: texts.code_waits, try_again: true}));
  if (!answer.ok) {
    $('#why').textContent = answer.error;
    if (answer.try_again) setTimeout(openCode, 3000, code);
    return false;
  }
  location.hash = `table-${answer.key}`;
  location.reload();
  return true;
};

/** Squares of a move as it is written: `32-28`, `32x23x14`, `3228`, `c3-d4`. */
const squaresOf = (text, names) => {
  const parts = text.toLowerCase().split(/[-x:\s]+/).filter(Boolean);
  if (parts.length > 1) return parts;
  const [word] = parts;
  for (let cut = 1; word && cut < word.length; cut++) {
    const two = [word.slice(0, cut), word.slice(cut)];
    if (two.every(one => names.includes(one))) return two;
  }
  return [];
};

/** The position after a move, played by its squares alone: pieces of the other side that it passes are gone. */
const played = (view, pieces, path) => {
  const fields = path.map(name => view.names.indexOf(name));
  if (fields.length < 2 || fields.some(field => field < 0)) return pieces;
  const next = [...pieces], width = view.size[0], piece = next[fields[0]];
  const isWhite = piece.toLowerCase() === 'w';
  next[fields[0]] = '.';
  for (let at = 1; at < fields.length; at++) {
    const [from, to] = [fields[at - 1], fields[at]].map(field => [Math.floor(field / width), field % width]);
    const step = [0, 1].map(axis => Math.sign(to[axis] - from[axis])), far = Math.max(...[0, 1].map(axis => Math.abs(to[axis] - from[axis])));
    for (let passed = 1; passed < far; passed++) {
      const field = (from[0] + step[0] * passed) * width + from[1] + step[1] * passed;
      if (next[field] !== '.' && (next[field].toLowerCase() === 'w') !== isWhite) next[field] = '.';
    }
  }
  next[fields.at(-1)] = piece;
  return next.join('');
};

class Table {
  constructor(card) {
    Object.assign(this, {card, key: card.dataset.key, view: null, picked: null, choices: [], refused: null, notice: null, isSending: false, isLooking: false, isChanging: false, isAway: false, misses: 0});
    this.place = `damcast-entry-${this.key}`;
    this.queue = JSON.parse(localStorage.getItem(this.place) ?? '[]');
    card.addEventListener('submit', event => this.submit(event));
    card.addEventListener('click', event => this.tap(event));
    addEventListener('online', () => this.flush());
    this.look();
    setInterval(() => { if (!document.hidden) this.look(); }, 2000);
  }

  /** Keeps the queue through a reload of the page. */
  keep() { localStorage.setItem(this.place, JSON.stringify(this.queue)); }

  async look() {
    if (this.queue.length && !this.refused) return this.flush();
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const answer = await send(`/table/${this.key}`);
      // The page answers, the station does not.
      if (answer.try_again) throw answer;
      this.hear(answer);
      // The board reports its moves itself again.
      if (!answer.table && !answer.invalid_code) this.closed = answer.error;
      Object.assign(this, {isAway: false, misses: 0});
    } catch { this.isAway = true; this.misses++; }
    this.isLooking = false;
    this.draw();
  }

  hear(answer) {
    if (answer.table) {
      // Another phone has entered a move or taken one back.
      if (!this.queue.length && JSON.stringify(this.view?.next) !== JSON.stringify(answer.table.next)) this.pick(null);
      const state = view => JSON.stringify([view?.plies, view?.claim]);
      if (this.notice === texts.not_done && state(this.view) !== state(answer.table)) this.notice = null;
      this.view = answer.table;
      // The codes of a round count again after its end was undone: what waits is sent.
      if (this.closed) this.refused = null;
      this.closed = null;
      this.begins &&= this.view.state === 'over';
    } else if (answer.invalid_code) { this.closed = answer.error; }
  }

  /** Place of the next move: behind those that wait. */
  next() {
    const {game, ply} = this.queue.length ? {game: this.queue.at(-1).game, ply: this.queue.at(-1).ply + 1} : this.view.next;
    return {game, ply};
  }

  submit(event) {
    const form = event.target, act = new FormData(form).get('act');
    const warning = $('.queue', this.card);
    if (act === 'leave' && (!this.queue.length || !warning)) { localStorage.removeItem(this.place); return; }
    event.preventDefault();
    // The warning names the moves that are not sent.
    if (act === 'leave') { warning.scrollIntoView({block: 'center'}); return; }
    if (!this.view) return;
    const field = name => form.elements[name]?.value.trim() ?? '';
    if (act === 'enter') {
      this.enter(field('move'));
    } else if (act === 'take-back' && this.queue.length) {
      this.takeBackWaiting();
    } else {
      this.change({act, game: this.view.game, ...(act === 'take-back' ? {ply: this.view.plies.length} : {result: event.submitter.value})});
    }
  }

  /** Takes back the last move that waits: the station does not know it. A second tap within a second does nothing. */
  takeBackWaiting() {
    if (this.isChanging) return;
    Object.assign(this, {isChanging: true, refused: null, notice: null});
    this.queue.pop();
    this.pick(null);
    this.keep();
    this.draw();
    setTimeout(() => { this.isChanging = false; this.draw(); }, 1000);
  }

  /** Enters a move with the times that the form has. */
  enter(move) {
    if (!move) return;
    const {game, ply} = this.next(), form = $('form.enter', this.card), [white, black] = ['white', 'black'].map(side => form.elements[side].value.trim());
    this.queue.push({act: 'enter', game, ply, move, white, black});
    form.reset();
    this.notice = null;
    this.pick(null);
    this.keep();
    this.draw();
    this.flush();
  }

  /** A request that is not repeated by itself: a ply taken back, a claim. The second tap of a double tap does nothing. */
  async change(request) {
    if (this.isChanging) return;
    this.isChanging = true;
    this.draw();
    try {
      const answer = await send(`/table/${this.key}`, request);
      this.hear(answer);
      this.notice = answer.ok ? null : answer.error;
    } catch { this.notice = texts.not_done; }
    this.draw();
    setTimeout(() => { this.isChanging = false; this.draw(); }, 1000);
  }

  /** Sends what waits, in order. */
  async flush() {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.queue.length && !this.refused) {
        const [first] = this.queue, answer = await send(`/table/${this.key}`, first);
        this.isAway = Boolean(answer.try_again);
        if (answer.try_again) break;
        this.hear(answer);
        // The player has taken the move back meanwhile. If the station has it, *Take back* now asks the station.
        if (this.queue[0] !== first) continue;
        // A wrong time costs no move: the page refuses it before the station knows of it.
        if (!answer.ok && !answer.table && !answer.invalid_code && (first.white || first.black)) {
          Object.assign(first, {white: '', black: ''});
          this.keep();
          this.notice = answer.error;
          continue;
        }
        if (!answer.ok) { this.refused = filled(texts.was_refused, first.move, answer.error); break; }
        this.queue.shift();
        this.keep();
      }
    } catch { this.isAway = true; }
    this.isSending = false;
    this.draw();
  }

  /** The position with what waits, and the side to move in it. */
  position() {
    let {pieces, turn} = this.view;
    if (this.isNext()) pieces = this.view.start;
    for (const {move} of this.queue) {
      const legal = this.view.moves.find(one => one.text === move);
      pieces = played(this.view, pieces, legal?.path ?? squaresOf(move, this.view.names));
      turn = turn === 'white' ? 'black' : 'white';
    }
    return {pieces, turn};
  }

  /** Whether the board shows the next game: the last one is over, and somebody tapped the board or entered a move. */
  isNext() { return this.view.state === 'over' && (this.begins || this.queue[0]?.game > this.view.game); }

  /** Legal moves; none while moves wait, because the station alone knows the rules. */
  moves() { return this.queue.length ? [] : this.view.moves; }

  /** Marks the squares of a move that is being tapped, and offers captures between the same squares. */
  pick(squares, choices = []) { Object.assign(this, {picked: squares, choices}); }

  tap(event) {
    const drop = event.target.closest('[data-drop]'), choice = event.target.closest('[data-move]'), hit = event.target.closest('.hit');
    if (drop) { Object.assign(this, {queue: [], refused: null}); this.keep(); this.look(); return; }
    if (event.target.closest('[data-turn]')) { this.card.classList.toggle('turned'); return; }
    if (choice) { this.enter(choice.dataset.move); return; }
    if (!hit || !this.view || this.closed) return;
    if (this.view.state === 'over' && !this.isNext()) { this.begins = true; this.draw(); return; }
    const name = hit.dataset.square, {pieces, turn} = this.position();
    const letter = pieces[this.view.names.indexOf(name)];
    const isOwn = letter !== '.' && (letter.toLowerCase() === 'w') === (turn === 'white');
    const from = this.moves().filter(move => move.path[0] === name);
    // A capture may end where it begins.
    const isRound = this.picked?.length > 1 && this.picked[0] === name;
    if (this.picked && (isRound || !(isOwn && from.length))) {
      const path = [...this.picked, name];
      const follows = way => { let at = 0; return path.slice(1).every(square => (at = way.indexOf(square, at + 1)) > 0); };
      const fits = this.moves().filter(move => move.path[0] === path[0] && follows(move.path));
      const ending = fits.filter(move => move.path.at(-1) === name);
      if (ending.length === 1) this.enter(ending[0].text);
      else if (!fits.length && this.queue.length && letter === '.') this.enter(path.join('-'));
      else { this.pick(fits.length ? path : null, ending); this.draw(); }
      return;
    }
    this.pick(isOwn && (from.length || this.queue.length) ? [name] : null);
    this.draw();
  }

  draw() {
    const {card, view, queue, choices} = this;
    if (!view) return;
    // The station did not answer when the page was made, so the page has no table.
    if (!$('form.enter', card)) { location.reload(); return; }
    // Leave the focus, the list and a tap that has begun alone while nothing changes.
    const {picked, refused, notice, isAway, isChanging, closed, begins} = this;
    // A phone that wakes may miss one answer.
    const isOld = this.misses > 1;
    const mark = JSON.stringify([view, queue, choices, picked, refused, notice, isAway, isOld, isChanging, closed, begins]);
    if (mark === this.mark) return;
    this.mark = mark;
    const {pieces, turn} = this.position();
    const svg = $('svg.bd', card);
    if (svg) this.drawBoard(svg, pieces);
    const said = this.closed ?? (view.state === 'over' && !this.isNext() ? filled(texts.over, view.result ?? '–') : view.state !== 'playing' && !queue.length ? texts.ready : view.claim ? filled(texts.claimed, view.claim) : texts[`${turn}_to_move`]);
    if ($('.turn', card) && $('.turn', card).textContent !== said) $('.turn', card).textContent = said;
    const [white, black] = [view.white ?? texts.white, view.black ?? texts.black].map(name => Object.assign(document.createElement('bdi'), {textContent: name}));
    $('.players', card)?.replaceChildren(white, ' – ', black);
    const list = $('.moves', card);
    if (list) {
      const all = [...(this.isNext() ? [] : view.plies.map(text => [text, false])), ...queue.map(({move}) => [move, true])];
      const rows = Array.from({length: Math.ceil(all.length / 2)}, (_, at) => all.slice(2 * at, 2 * at + 2));
      list.replaceChildren(...rows.map(row => {
        const item = document.createElement('li');
        item.append(...row.flatMap(([text, waits], at) => {
          const word = document.createElement('span');
          word.textContent = text;
          if (waits) word.className = 'waiting';
          return at ? [' ', word] : [word];
        }));
        return item;
      }));
      if (all.length !== this.shown) list.scrollTop = list.scrollHeight;
      this.shown = all.length;
    }
    const place = $('.choices', card);
    place.hidden = !choices.length;
    place.replaceChildren(...choices.map(({text}) => { const button = document.createElement('button'); button.type = 'button'; button.dataset.move = text; button.textContent = text; return button; }));
    const warning = $('.queue', card);
    const words = this.refused ?? this.notice ?? (isAway && queue.length ? filled(texts.not_sent, queue.map(({move}) => move).join(' ')) : isOld ? texts.no_answer : '');
    if (warning.dataset.words !== words) {
      warning.dataset.words = words;
      warning.replaceChildren(words);
      if (this.refused) {
        const button = document.createElement('button');
        button.type = 'button';
        button.dataset.drop = '';
        button.textContent = texts.drop;
        warning.append(' ', button);
      }
    }
    this.drawBack();
  }

  drawBack() {
    const {card, view, queue} = this, form = $('form.back', card), last = queue.at(-1)?.move ?? view.plies.at(-1);
    const isPlaying = view.state === 'playing' && !queue.length;
    form.hidden = !last || !(isPlaying || queue.length);
    $('.claim', card).hidden = !isPlaying;
    for (const button of card.querySelectorAll('.back button, .claim button')) button.disabled = this.isChanging;
    if (last) $('button', form).textContent = filled(texts.take_back, last);
  }

  drawBoard(svg, pieces) {
    const {view} = this, width = view.size[0];
    for (const old of svg.querySelectorAll('use[href="#w"],use[href="#b"],use[href="#W"],use[href="#B"],.sel,.can,.hit')) old.remove();
    const at = field => ({x: field % width * 10, y: Math.floor(field / width) * 10});
    [...pieces].forEach((letter, field) => {
      if (letter === '.') return;
      const {x, y} = at(field);
      svg.append(shape('use', {href: `#${letter}`, x: x + 5, y: y + 5}));
    });
    for (const name of this.picked ?? []) {
      const {x, y} = at(view.names.indexOf(name));
      svg.append(shape('rect', {class: 'sel', x: x + .5, y: y + .5, width: 9, height: 9}));
    }
    if (this.picked) {
      const last = this.picked.length;
      for (const name of new Set(this.moves().filter(move => move.path[0] === this.picked[0]).map(move => move.path[last]).filter(Boolean))) {
        const {x, y} = at(view.names.indexOf(name));
        svg.append(shape('circle', {class: 'can', cx: x + 5, cy: y + 5, r: 1.6}));
      }
    }
    view.names.forEach((name, field) => { if (name) svg.append(shape('rect', {class: 'hit', 'data-square': name, ...at(field), width: 10, height: 10})); });
  }
}

const start = async () => {
  if (await openCode()) return;
  $('#private').hidden = location.protocol === 'https:' || ['localhost', '127.0.0.1'].includes(location.hostname);
  for (const card of document.querySelectorAll('.card')) {
    const turn = document.createElement('button');
    Object.assign(turn, {type: 'button', className: 'plain', textContent: texts.turn_board});
    turn.dataset.turn = '';
    $('.bwrap', card)?.after(turn);
    new Table(card);
  }
  addEventListener('hashchange', () => openCode());
  // The page keeps its language.
  $('#open').addEventListener('submit', event => { event.preventDefault(); openCode($('#code').value.trim()); });
};
start();
