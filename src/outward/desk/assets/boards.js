// All boards, in the order of trouble; one of them with what it shows beside what is published, and all that can be asked of it.

const TROUBLE = {
  'broken': 'Its line does not run', 'no-connection': 'Not connected', 'no-answer': 'Nothing heard', 'other-board': 'Another board', 'unexplained': 'Not clear',
};
const CALM = {
  'playing': 'Playing', 'clock-stopped': 'The clock stands', 'ready': 'Ready', 'over': 'Over', 'waiting': 'Waiting for the start position', 'catching-up': 'Catching up',
};
const LINE = {'unexplained': 'doubt', 'no-answer': 'off', 'no-connection': 'off', 'broken': 'off', 'other-board': 'off', 'waiting': 'wait', 'ready': 'wait', 'over': 'over'};

/** What the matter is with a board: how much (the smallest first), in a word, in a sentence. `null`: nothing. */
const trouble = board => {
  const alarm = known.status.alarms.find(alarm => alarm.board === board.name);
  if (TROUBLE[board.state]) return [alarm ? 0 : 1, TROUBLE[board.state], alarm?.text ?? doubtIn(board) ?? board.text];
  if (board.pairing?.waits_for_result) return [2, board.pairing.proposed ? `Result proposed: ${board.pairing.proposed}` : 'Waits for its result', `${board.pairing.white} – ${board.pairing.black}`];
  if (alarm) return [1, 'Alarm', alarm.text];
  if (board.publication) return [1, 'Not published', board.publication];
  if (board.clock_missing) return [3, 'No clock', 'The clock is not heard of: times are missing in the file.'];
  if (board.held) return [3, 'Held back', 'What is played is recorded, and not shown until it is released.'];
  if (board.wrong_start) return [4, 'Not set up', board.wrong_start];
  return null;
};

const doubtIn = board => board.doubt && `Squares ${board.doubt.squares.join(', ')} differ from what is published.`;
const players = board => [board.white ?? board.pairing?.white ?? '?', board.black ?? board.pairing?.black ?? '?'];
const numberOf = board => String(board.pairing?.table ?? known.status.boards.indexOf(board) + 1);
const disc = board => el(`span.d${LINE[board.state] ? `.${LINE[board.state]}` : ''}`, {'aria-hidden': 'true'}, el('b', {}, numberOf(board)));

const inOrder = () => {
  const all = known.status.boards.map((board, index) => ({board, index, matter: trouble(board)}));
  const bad = all.filter(one => one.matter).sort((one, other) => one.matter[0] - other.matter[0] || one.index - other.index);
  return {bad, calm: all.filter(one => !one.matter)};
};

views.boards = {
  title: 'Boards',
  draw(place, chosen) {
    if (!known.status) { fill(place, 'nothing', () => [el('p', {}, known.trouble ?? 'The station is asked how it is …')]); return; }
    if (!$('#health', place)) { delete place.dataset.mark; place.replaceChildren(); }
    const {bad, calm} = inOrder();
    health(part(place, 'dl', {id: 'health', class: 'hs', 'aria-label': 'Health of the station'}));
    const desk = part(place, 'div', {id: 'desk', class: 'desk'});
    const name = known.status.boards.some(board => board.name === chosen) ? chosen : (bad[0] ?? calm[0])?.board.name;
    const list = part(desk, 'section', {id: 'list', class: 'lst', 'aria-label': 'All boards'});
    const link = ({board}) => ({href: `#boards/${encodeURIComponent(board.name)}`, 'data-key': board.name, 'aria-current': board.name === name ? 'true' : null});
    const seen = bad.map(({board, matter}) => [board.name, board.state, ...matter, numberOf(board)]);
    fill(list, [name, seen, calm.map(({board}) => [board.name, board.state, numberOf(board)])], () => [
      el('h2', {}, 'Needs a person ', el('span', {}, String(bad.length))),
      bad.length ? el('ol', {}, ...bad.map(one => el('li', {}, el('a', link(one), disc(one.board), el('b.w', {}, one.matter[1]),
        el('span.ag', {}, one.board.name), el('span.y', {}, bdi(one.matter[2])))))) : el('p.q.s', {}, 'Nothing is the matter.'),
      el('h2', {}, 'No trouble ', el('span', {}, String(calm.length))),
      el('ul.calm', {}, ...calm.map(one => el('li', {}, el('a', {...link(one), class: LINE[one.board.state] ?? '', title: `${one.board.name}: ${CALM[one.board.state] ?? one.board.state}`},
        numberOf(one.board), el('span.vh', {}, ` ${one.board.name}, ${CALM[one.board.state] ?? one.board.state}`)))))]);
    const board = known.status.boards.find(board => board.name === name);
    if (board) detail(part(desk, 'section', {id: 'detail', class: 'det', 'aria-labelledby': 'board-title'}), board);
  },
};

/** The health of the station in a row. */
const health = place => {
  const {status, viewers} = known;
  const heard = status.boards.filter(board => !['no-connection', 'no-answer', 'broken', 'other-board'].includes(board.state)).length;
  const free = status.disk ? `${(status.disk.free_bytes / 1e9).toFixed(1)} GB free` : 'not known';
  const disk = status.alarms.find(alarm => alarm.kind.startsWith('disk'));
  const held = status.outlets.filter(outlet => outlet.held), publication = status.alarms.filter(alarm => alarm.kind === 'publication');
  const rows = [
    ['Boards heard', `${heard} of ${status.boards.length}`, heard < status.boards.length ? 'the others stand first in the list' : 'all', heard < status.boards.length],
    ['Disk', free, disk?.text ?? 'everything is written', Boolean(disk)],
    ['Public files', held.length || publication.length ? `${held.length + publication.length} stand still` : plural(status.outlets.length, 'folder', 'folders'),
      publication[0]?.text ?? held[0]?.held ?? 'up to date', Boolean(held.length || publication.length)],
    ['Viewers', viewers ? String(viewers.viewers) : '–', viewers ? `event ${viewers.seq}` : 'the pages do not say how they are', false],
    ['Alarms', String(status.alarms.length), status.alarms[0] ? `${status.alarms[0].board ?? 'station'}: ${status.alarms[0].kind}` : 'none', status.alarms.length > 0],
  ];
  fill(place, rows, () => rows.map(([title, value, more, isBad]) =>
    el(isBad ? 'div.bad' : 'div', {}, el('dt', {}, title), el('dd', {}, value, el('small', {}, bdi(more))))));
};

/** What the next entry waits for. */
const WAITS = {
  'turn': 'the other side to move', 'quiet': 'the board to be quiet', 'press': 'the clock to be pressed', 'blemish': 'a piece to be put right',
  'next-move': 'the next move, which tells which one it was', 'dump': 'the board to say what stands on it', 'lever': 'the clock’s lever', 'explanation': 'a legal move', 'flicker': 'a square that flickers',
};

const detail = (place, board) => {
  const matter = trouble(board);
  const [white, black] = players(board);
  const mark = [board.name, board.state, board.text, board.held, board.game, white, black, board.plies, board.last, board.waits?.for, board.provisional, board.doubt,
    board.wrong_start, board.publication, board.pairing, board.squares, matter, isOperator()];
  fill(place, mark, () => {
    const pictures = el('div.cmp', {id: 'pictures'});
    picture(pictures, board);
    return [
      el('header', {}, el('h2', {id: 'board-title'}, `${board.name}: ${(matter?.[1] ?? CALM[board.state] ?? board.state).toLowerCase()}`),
        el('p', {}, bdi(white), ' – ', bdi(black), board.game ? `, game ${board.game}, ${plural(board.plies, 'ply', 'plies')}` : '')),
      matter && el('p.why', {}, bdi(matter[2]), board.since_s !== null ? el('span.q', {}, ` since ${new Date(board.since).toLocaleTimeString()}`) : ''),
      el('dl.facts', {},
        el('div', {}, el('dt', {}, 'The station says'), el('dd', {}, bdi(board.text))),
        board.last && el('div', {}, el('dt', {}, 'Last published'), el('dd', {}, board.last)),
        board.provisional.length > 0 && el('div', {}, el('dt', {}, 'Likely, not final'), el('dd', {}, board.provisional.join(' '))),
        board.waits && el('div', {}, el('dt', {}, 'Waits for'), el('dd', {}, WAITS[board.waits.for] ?? board.waits.for)),
        board.clocks && el('div', {}, el('dt', {}, 'Clocks'), el('dd', {id: 'clocks'})),
        board.pairing && el('div', {}, el('dt', {}, `Round ${board.pairing.round}, board ${board.pairing.table ?? '–'}`),
          el('dd', {}, bdi(board.pairing.white), ' – ', bdi(board.pairing.black), board.pairing.result ? ` ${board.pairing.result}` : ''))),
      pictures,
      board.doubt && el('div.readings', {}, el('h3', {}, 'What comes closest'), board.doubt.readings.length
        ? el('ol', {}, ...board.doubt.readings.map(reading => el('li', {}, reading === 'setup' ? 'what stands there, as a new position' : reading)))
        : el('p.q', {}, 'It is looked for when the board has been quiet for a moment.'),
      el('p.q.s', {}, 'Put the pieces right, and it goes on by itself. If what stands there is right: read the board again.')),
      actions(board),
    ];
  });
  const clocks = $('#clocks', place);
  if (clocks && board.clocks) clocks.textContent = `White ${clock(board.clocks.white)}, Black ${clock(board.clocks.black)}`;
};

/** Pictures of a board: what it shows, and what is published. They are drawn by the desk. */
const drawing = svg => document.importNode(new DOMParser().parseFromString(svg.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '), 'image/svg+xml').documentElement, true);
const SVG = 'http://www.w3.org/2000/svg';

const picture = async (place, board) => {
  if (!board.squares) { place.append(el('p.q', {}, 'The board has not told yet what stands on it.')); return; }
  const told = await api(`/api/board/${encodeURIComponent(board.name)}`);
  if (told.error || !place.isConnected) return;
  const differs = new Set(told.names.map((name, index) => name && told.published && told.shown.pieces[index].toLowerCase() !== told.published.pieces[index].toLowerCase() ? index : -1).filter(index => index >= 0));
  const figure = (title, what) => {
    const svg = drawing(what.svg);
    for (const index of differs) {
      const rect = document.createElementNS(SVG, 'rect');
      for (const [key, value] of Object.entries({class: 'q1f', x: index % told.width * 10 + 0.5, y: Math.floor(index / told.width) * 10 + 0.5, width: 9, height: 9})) rect.setAttribute(key, value);
      $('.mk', svg).append(rect);
    }
    return el('figure', {}, el('h3', {}, title, el('span', {}, what.turn ? `${what.turn} to move` : '')), svg);
  };
  place.replaceChildren(figure('The board shows', told.shown), told.published ? figure('Published', told.published) : el('p.q', {}, 'No game goes on: nothing is published of it.'));
  const names = [...differs].map(index => told.names[index]);
  place.append(el('p.df', {}, !told.published ? '' : names.length ? `They differ on ${names.join(', ')}.` : 'They are the same.'));
};

// What can be asked of a board. `saw` is what this page shows: a game that has gone on since is not changed by mistake.

const wish = (board, text) => ({do: 'request', board: board.name, request: text, saw: {game: board.game, plies: board.plies}});
const nowOf = board => known.status?.boards.find(other => other.name === board.name) ?? board;
const called = board => `${board.name}${board.game ? `, game ${board.game}` : ''}, ${players(board).join(' – ')}${board.plies ? `, after ${plural(board.plies, 'ply', 'plies')}` : ''}`;

/** A request without fields. */
const simply = (board, title, text, effect, verb = title) => propose({title: `${title}: ${board.name}`, verb, request: () => wish(nowOf(board), text), effect: () => [effect]});

const isGoing = board => ['playing', 'unexplained', 'clock-stopped'].includes(board.state) && board.plies > 0;

const giveResult = board => {
  const choices = [['2-0', 'White wins, 2-0'], ['1-1', 'Draw, 1-1'], ['0-2', 'Black wins, 0-2'], ['*', 'No result, *']];
  const result = radios('Result', choices, board.pairing?.proposed ?? '');
  const other = el('input', {placeholder: '1-0, 12-0, …', maxlength: 20});
  const reason = el('input', {maxlength: 200, placeholder: 'signed sheet'});
  const why = el('select', {}, ...[['', 'as it is played'], ['forfeit', 'forfeit'], ['both lost', 'both lost'], ['arbiter', 'the arbiter’s decision'], ['not played', 'not played']].map(([value, text]) => el('option', {value}, text)));
  const given = () => other.value.trim() || result.value;
  const isLine = isGoing(board);
  propose({
    title: `Result of ${called(board)}`, verb: 'Give the result',
    fields: [result, field('Another result', other, 'Games whose results are written otherwise take those.'), !isLine && field('How it came about', why), !isLine && field('Reason', reason, 'It stands in the record.')].filter(Boolean),
    request: () => !given() ? null : isLine ? wish(nowOf(board), `result ${given()}`)
      : {do: 'tournament', request: {matter: 'result', board: board.name, result: given(), ...(why.value && {why: why.value}), ...(reason.value && {reason: reason.value})}},
    effect: () => [`${called(nowOf(board))}: the game ends with ${given()}.`, 'It is written when the last moves are recognised. A wrong one is corrected afterwards.'],
  });
};

const giveNames = board => {
  const [white, black] = players(board).map(name => el('input', {maxlength: 200, value: name === '?' ? '' : name}));
  propose({
    title: `Names of ${board.name}`, verb: 'Give the names', fields: [field('White', white), field('Black', black)],
    request: () => white.value.trim() && black.value.trim() ? wish(nowOf(board), `names ${white.value.trim()} / ${black.value.trim()}`) : null,
    effect: () => [board.plies ? `Everything but the live file of ${board.name}, game ${board.game}, has these names.` : `The next game of ${board.name} begins with these names.`],
  });
};

const takeBack = board => {
  const plies = el('input', {type: 'number', min: 1, max: Math.max(1, board.plies), value: 1});
  propose({
    title: `Take back a move: ${board.name}`, verb: 'Take back', fields: [field('How many plies', plies)],
    request: () => Number(plies.value) >= 1 ? wish(nowOf(board), `undo ${Number(plies.value)}`) : null,
    effect: () => [`The last ${plural(Number(plies.value), 'ply does', 'plies do')} not count: ${nowOf(board).last ?? ''} …`, 'What was published stays; the position before follows as a setup, and the game goes on from there.'],
  });
};

const readAgain = board => {
  const side = radios('Who is to move', [['', 'The clock tells'], ['white', 'White'], ['black', 'Black']], '');
  propose({
    title: `Read the board again: ${board.name}`, verb: 'What stands there is right', fields: [side], request: () => wish(nowOf(board), `resync ${side.value}`.trim()),
    effect: () => ['The board is asked what stands on it. If no legal move explains that, it is published as a new position, and the game goes on from there.'],
  });
};

const startGame = board => {
  const from = radios('From', [['start', 'the start position'], ['fen', 'another position'], ['from-memory', 'the memory of the board: a game that began while nobody listened']], 'start');
  const fen = el('input', {maxlength: 1000, placeholder: 'W:W31-50:B1-20'});
  propose({
    title: `Begin a game: ${board.name}`, verb: 'Begin', fields: [from, field('Position, where it is another', fen)],
    request: () => from.value === 'fen' && !fen.value.trim() ? null : wish(nowOf(board), from.value === 'fen' ? `start ${fen.value.trim()}` : from.value === 'from-memory' ? 'start from-memory' : 'start'),
    effect: () => ['A new game begins on this board.', isGoing(nowOf(board)) ? 'The game that goes on there is closed without a result.' : ''].filter(Boolean),
  });
};

const givePairing = board => {
  const id = el('input', {maxlength: 40, placeholder: '3.1'}), tags = el('textarea', {rows: 4, placeholder: 'White=Sijbrands, T.\nBlack=Wiersma, H.\nRound=3'});
  const words = () => tags.value.split('\n').map(line => line.trim()).filter(Boolean).map(line => { const at = line.indexOf('='); return [line.slice(0, at).trim(), line.slice(at + 1).trim()]; });
  const quoted = text => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  propose({
    title: `Pairing of ${board.name}, without a tournament`, verb: 'Say what it plays', fields: [field('Pairing', id, 'A word of your own; none for none any more.'), field('Tags of its games, one a line', tags)],
    request: () => !id.value.trim() || words().some(([name]) => !name) ? null
      : wish(nowOf(board), id.value.trim() === 'none' ? 'pairing none' : `pairing ${id.value.trim()} {${words().map(([name, value]) => `[${name} ${quoted(value)}]`).join('')}}`),
    effect: () => ['It holds from the next game on, or from this one on if it has no moves yet.'],
  });
};

/** A game that began before its round was opened, or was told another pairing, is one of a pairing. */
const adopt = board => {
  const pairing = el('input', {maxlength: 20, placeholder: '3.2'}), reason = el('input', {maxlength: 200});
  propose({
    title: `A game of the round: ${called(board)}`, verb: 'It is a game of the round',
    fields: [field('Pairing', pairing, '3.2 is board 2 of round 3; nothing: what the board is to play in the open round.'), field('Reason', reason)],
    request: () => ({do: 'tournament', request: {matter: 'adopt', board: board.name, ...(pairing.value.trim() && {pairing: pairing.value.trim()}), ...(reason.value && {reason: reason.value})}}),
  });
};

/** The moves that the board of a game that is over has missed. */
const addMoves = board => {
  const text = el('textarea', {rows: 4, maxlength: 20000, placeholder: '41. 37-32 18-23'}), reason = el('input', {maxlength: 200});
  propose({
    title: `Missing moves: ${called(board)}`, verb: 'Add the moves',
    fields: [field('Moves', text, 'All of the game, or those behind the last one that is recorded; nothing takes back what was added.'), field('Reason', reason)],
    request: () => ({do: 'tournament', request: {matter: 'moves', board: board.name, game: board.game, name: 'the moves', text: text.value, ...(reason.value && {reason: reason.value})}}),
  });
};

const actions = board => el('div.ab', {role: 'group', 'aria-label': `More for ${board.name}`},
  button('Result', 'result', () => giveResult(nowOf(board)), {'data-hot': 'r'}),
  button('Names', 'names', () => giveNames(nowOf(board))),
  known.tournament?.version > 0 && board.game && button('It is of the round', 'adopt', () => adopt(nowOf(board))),
  board.game && !isGoing(board) && button('Missing moves', 'moves', () => addMoves(nowOf(board))),
  board.game && !isGoing(board) && button('Game goes on', 'continue', () => simply(board, 'Game goes on', 'continue', 'The game that ended last goes on: its result is taken back, and what is played from now on belongs to it.', 'It goes on')),
  ...!isOperator() ? [] : [
    button('Take back a move', 'undo', () => takeBack(nowOf(board)), {'data-hot': 'u'}),
    button('Set position', 'setup', () => setUp(nowOf(board))),
    button('Read the board again', 'resync', () => readAgain(nowOf(board))),
    button('Board lies turned', 'flip', () => simply(board, 'Board lies turned', 'flip', 'The board counts as lying the other way round from now on.', 'Turn it')),
    board.held ? button('Release', 'hold', () => simply(board, 'Release', 'release', 'What was held back is published, and everything from now on.'), {'data-hot': 'h'})
      : button('Hold', 'hold', () => simply(board, 'Hold', 'hold', 'Nothing of this board is published until it is released. It is recorded all the same.'), {'data-hot': 'h'}),
    button('Begin a game', 'start', () => startGame(nowOf(board))),
    button('Pairing', 'pairing', () => givePairing(nowOf(board))),
    button('New logs', 'rotate', () => simply(board, 'New logs', 'rotate', 'New logs begin for a new round; games.pdn no longer shows the games before it. On a bus, for all its boards.', 'Begin new logs')),
  ]);

// Keys, where nobody types: J and K go through the list, H, U and R are what the design says. Escape leaves a dialog and does nothing.

document.addEventListener('keydown', event => {
  if (!known.me || $('#dialog').open || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, textarea, select') || where().view !== 'boards') return;
  const key = event.key.toLowerCase();
  const hot = $(`[data-hot="${CSS.escape(key)}"]`);
  if (hot) { event.preventDefault(); hot.click(); return; }
  if (key !== 'j' && key !== 'k') return;
  const links = [...document.querySelectorAll('#list a')];
  const at = links.findIndex(link => link.hasAttribute('aria-current'));
  const next = links[Math.min(links.length - 1, Math.max(0, at + (key === 'j' ? 1 : -1)))];
  if (next) { event.preventDefault(); location.hash = next.hash; next.focus(); }
});
