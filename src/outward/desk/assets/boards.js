// All boards, in the order of trouble; one of them with what it shows beside what is published, and all that can be asked of it.

const BAD = ['broken', 'no-connection', 'no-answer', 'other-board', 'unexplained'];
const wordOf = board => named('state', board.state);
const LINE = {'unexplained': 'doubt', 'no-answer': 'off', 'no-connection': 'off', 'broken': 'off', 'other-board': 'off', 'waiting': 'wait', 'ready': 'wait', 'over': 'over'};

/** What the matter is with a board: how much (the smallest first), in a word, in a sentence. `null`: nothing. */
const trouble = board => {
  const alarm = known.status.alarms.find(alarm => alarm.board === board.name);
  if (BAD.includes(board.state)) return [alarm ? 0 : 1, wordOf(board), alarm?.text ?? doubtIn(board) ?? board.text];
  if (board.pairing?.waits_for_result) return [2, board.pairing.proposed ? filled(t.proposed, board.pairing.proposed) : t.waits_for_result, `${board.pairing.white} – ${board.pairing.black}`];
  if (alarm) return [1, t.alarm, alarm.text];
  if (board.publication) return [1, t.not_published, board.publication];
  if (board.clock_missing) return [3, t.no_clock, t.no_clock_text];
  if (board.held) return [3, t.held_back, t.held_text];
  if (board.wrong_start) return [4, t.not_set_up, board.wrong_start];
  return null;
};

const doubtIn = board => board.unexplained && filled(t.squares_differ, board.unexplained.squares.join(', '));
const players = board => [board.white ?? board.pairing?.white ?? '?', board.black ?? board.pairing?.black ?? '?'];
const numberOf = board => String(board.pairing?.board_number ?? known.status.boards.indexOf(board) + 1);
const disc = board => el(`span.d${LINE[board.state] ? `.${LINE[board.state]}` : ''}`, {'aria-hidden': 'true'}, el('b', {}, numberOf(board)));

const inOrder = () => {
  const all = known.status.boards.map((board, index) => ({board, index, matter: trouble(board)}));
  const bad = all.filter(one => one.matter).sort((one, other) => one.matter[0] - other.matter[0] || one.index - other.index);
  return {bad, calm: all.filter(one => !one.matter)};
};

views.boards = {
  title: t.boards,
  draw(place, chosen) {
    if (!known.status) { fill(place, 'nothing', () => [el('p', {}, known.trouble ?? t.asked_how)]); return; }
    if (!$('#health', place)) { delete place.dataset.mark; place.replaceChildren(); }
    const {bad, calm} = inOrder();
    const awaited = known.status.results_awaited.filter(one => !one.board);
    health(part(place, 'dl', {id: 'health', class: 'hs', 'aria-label': t.health}));
    const desk = part(place, 'div', {id: 'desk', class: 'desk'});
    const name = known.status.boards.some(board => board.name === chosen) ? chosen : (bad[0] ?? calm[0])?.board.name;
    const list = part(desk, 'section', {id: 'list', class: 'lst', 'aria-label': t.all_boards});
    const link = ({board}) => ({href: `#boards/${encodeURIComponent(board.name)}`, 'data-key': board.name, 'aria-current': board.name === name ? 'true' : null});
    const seen = bad.map(({board, matter}) => [board.name, board.state, ...matter, numberOf(board)]);
    fill(list, [name, seen, awaited, calm.map(({board}) => [board.name, board.state, numberOf(board)])], () => [
      el('h2', {}, `${t.needs_person} `, el('span', {}, String(bad.length + awaited.length))),
      bad.length || awaited.length ? el('ol', {}, ...bad.map(one => el('li', {}, el('a', link(one), disc(one.board), el('b.w', {}, one.matter[1]),
        el('span.ag', {}, one.board.name), el('span.y', {}, bdi(one.matter[2]))))),
        ...awaited.map(one => el('li', {}, el('a', {href: `#tournament/${encodeURIComponent(one.section)}/${one.round}`, 'data-key': `awaited ${one.section} ${one.round} ${one.board_number}`},
          el('span.d', {'aria-hidden': 'true'}, el('b', {}, String(one.board_number ?? '–'))), el('b.w', {}, t.waits_for_result), el('span.ag', {}, filled(t.round, one.round)), el('span.y', {}, bdi(`${one.white} – ${one.black}`)))))) : el('p.q.s', {}, t.nothing_matter),
      el('h2', {}, `${t.no_trouble} `, el('span', {}, String(calm.length))),
      el('ul.calm', {}, ...calm.map(one => el('li', {}, el('a', {...link(one), class: LINE[one.board.state] ?? '', title: `${one.board.name}: ${wordOf(one.board)}`},
        numberOf(one.board), el('span.vh', {}, ` ${one.board.name}, ${wordOf(one.board)}`)))))]);
    const board = known.status.boards.find(board => board.name === name);
    if (board) detail(part(desk, 'section', {id: 'detail', class: 'det', 'aria-labelledby': 'board-title'}), board);
  },
};

/** The health of the station in a row. */
const health = place => {
  const {status, viewers} = known;
  const heard = status.boards.filter(board => !['no-connection', 'no-answer', 'broken', 'other-board'].includes(board.state)).length;
  const free = status.disk ? filled(t.free, (status.disk.free_bytes / 1e9).toFixed(1)) : t.not_known;
  const disk = status.alarms.find(alarm => alarm.kind.startsWith('disk'));
  const held = status.outlets.filter(outlet => outlet.held), publication = status.alarms.filter(alarm => alarm.kind === 'publication');
  // Each sentence once: many files have the same trouble.
  const troubles = [...new Set([...publication.map(alarm => alarm.text), ...held.map(outlet => outlet.held)].flatMap(text => text.split(/(?<=\.) /)))];
  const rows = [
    [t.boards_heard, filled(t.of, heard, status.boards.length), heard < status.boards.length ? t.others_first : t.all, heard < status.boards.length],
    [t.disk, free, disk?.text ?? t.disk_fine, Boolean(disk)],
    [t.public_files, held.length || publication.length ? count(t.stand_still, held.length + publication.length) : count(t.folders, status.outlets.length),
      troubles[0] ?? t.up_to_date, Boolean(held.length || publication.length), troubles.slice(1)],
    [t.viewers, viewers ? String(viewers.viewers) : '–', viewers ? filled(t.event, viewers.seq) : known.silent ? t.viewers_silent : '', false],
    [t.alarms, String(status.alarms.length), status.alarms[0] ? `${status.alarms[0].board ?? t.station}: ${status.alarms[0].kind}` : t.none, status.alarms.length > 0],
  ];
  fill(place, rows, () => rows.map(([title, value, more, isBad, rest = []]) =>
    el(isBad ? 'div.bad' : 'div', {}, el('dt', {}, title), el('dd', {}, value, el('small', {}, bdi(more)),
      rest.length > 0 && el('details', {}, el('summary', {}, filled(t.and_more, rest.length)), ...rest.map(text => el('p', {}, bdi(text))))))));
};

const detail = (place, board) => {
  const matter = trouble(board);
  const [white, black] = players(board);
  const mark = [board.name, board.state, board.text, board.held, board.game, white, black, board.plies, board.last, board.waits?.for, board.provisional, board.unexplained,
    board.wrong_start, board.publication, board.pairing, board.squares, matter, isOperator()];
  fill(place, mark, () => {
    const pictures = el('div.cmp', {id: 'pictures'});
    picture(pictures, board);
    return [
      el('header', {}, el('h2', {id: 'board-title'}, `${board.name}: ${(matter?.[1] ?? wordOf(board)).toLowerCase()}`),
        el('p', {}, bdi(white), ' – ', bdi(black), board.game ? `, ${filled(t.game, board.game)}, ${count(t.plies, board.plies)}` : '')),
      matter && el('p.why', {}, bdi(matter[2]), board.since_s !== null ? el('span.q', {}, ` ${filled(t.since, time(board.since))}`) : ''),
      el('dl.facts', {},
        el('div', {}, el('dt', {}, t.station_says), el('dd', {}, english(board.text))),
        board.last && el('div', {}, el('dt', {}, t.last_published), el('dd', {}, board.last)),
        board.provisional.length > 0 && el('div', {}, el('dt', {}, t.likely), el('dd', {}, board.provisional.join(' '))),
        board.waits && el('div', {}, el('dt', {}, t.waits_for), el('dd', {}, named('wait', board.waits.for))),
        board.clocks && el('div', {}, el('dt', {}, t.clocks), el('dd', {id: 'clocks'})),
        board.pairing && el('div', {}, el('dt', {}, filled(t.round_board, board.pairing.round, board.pairing.board_number ?? '–')),
          el('dd', {}, bdi(board.pairing.white), ' – ', bdi(board.pairing.black), board.pairing.result ? ` ${board.pairing.result}` : ''))),
      pictures,
      board.unexplained && el('div.readings', {}, el('h3', {}, t.closest), board.unexplained.interpretations.length
        ? el('ol', {}, ...board.unexplained.interpretations.map(reading => el('li', {}, reading === 'setup' ? t.as_new : reading)))
        : el('p.q', {}, t.looked_for),
      el('p.q.s', {}, t.put_right)),
      actions(board),
    ];
  });
  const clocks = $('#clocks', place);
  if (clocks && board.clocks) clocks.textContent = filled(t.white_black, clock(board.clocks.white), clock(board.clocks.black));
};

/** Pictures of a board: what it shows, and what is published. They are drawn by the desk. */
const drawing = svg => document.importNode(new DOMParser().parseFromString(svg.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '), 'image/svg+xml').documentElement, true);
const SVG = 'http://www.w3.org/2000/svg';
/** A board as `GET /api/board` tells it; what its drawings are made of comes into the page with the first board of its kind. */
const pictured = async board => {
  const told = await api(`/api/board/${encodeURIComponent(board.name)}`);
  if (told.parts && !document.getElementById(`kind-${told.gametype}`)) {
    const parts = drawing(told.parts);
    parts.id = `kind-${told.gametype}`;
    document.body.prepend(parts);
  }
  return told;
};

const picture = async (place, board) => {
  if (!board.squares) { place.append(el('p.q', {}, t.no_squares)); return; }
  const told = await pictured(board);
  if (told.error || !place.isConnected) return;
  const differs = new Set(told.names.map((name, index) => name && told.published && told.shown.pieces[index].toLowerCase() !== told.published.pieces[index].toLowerCase() ? index : -1).filter(index => index >= 0));
  const figure = (title, what) => {
    const svg = drawing(what.svg);
    for (const index of differs) {
      const rect = document.createElementNS(SVG, 'rect');
      for (const [key, value] of Object.entries({class: 'q1f', x: index % told.width * 10 + 0.5, y: Math.floor(index / told.width) * 10 + 0.5, width: 9, height: 9})) rect.setAttribute(key, value);
      $('.mk', svg).append(rect);
    }
    svg.setAttribute('aria-label', `${title}: ${what.fen}`);
    return el('figure', {}, el('h3', {}, title, el('span', {}, what.turn ? t[`${what.turn.toLowerCase()}_to_move`] : '')), svg);
  };
  place.replaceChildren(figure(t.shows, told.shown), told.published ? figure(t.published, told.published) : el('p.q', {}, t.no_game));
  const names = [...differs].map(index => told.names[index]);
  place.append(el('p.df', {}, !told.published ? '' : names.length ? filled(t.differ, names.join(', ')) : t.same));
};

// What can be asked of a board. `saw` is what this page shows: a game that has gone on since is not changed by mistake.

// Some requests mean the same whatever was played since.
const wish = (board, text) => ({do: 'request', board: board.name, request: text, ...(!/^(hold|release|flip)$/.test(text) && {if_seen: {game: board.game, plies: board.plies}})});
const nowOf = board => known.status?.boards.find(other => other.name === board.name) ?? board;
const called = board => `${board.name}${board.game ? `, ${filled(t.game, board.game)}` : ''}, ${players(board).join(' – ')}${board.plies ? `, ${count(t.after_plies, board.plies)}` : ''}`;

/** A request without fields. */
const simply = (board, title, text, effect, verb = title) => propose({title: `${title}: ${board.name}`, verb, request: () => wish(nowOf(board), text), effect: () => [effect]});

/** Its game goes on, also where a cable is out. */
const isGoing = board => board.is_ongoing;

const giveResult = board => {
  const choices = [['2-0', filled(t.white_wins, '2-0')], ['1-1', filled(t.draw, '1-1')], ['0-2', filled(t.black_wins, '0-2')], ['*', t.no_result]];
  const result = radios(t.result, choices, board.pairing?.proposed ?? '');
  const other = el('input', {placeholder: '1-0, 12-0, …', maxlength: 20});
  const how = circumstances();
  const given = () => other.value.trim() || result.value;
  const isLine = isGoing(board);
  propose({
    title: filled(t.result_of, called(board)), verb: t.give_result,
    fields: [result, field(t.other_result, other, t.other_result_hint), ...isLine ? [] : how.fields],
    request: () => !given() ? null : isLine ? wish(nowOf(board), `result ${given()}`)
      : {do: 'tournament', request: {command: 'result', board: board.name, result: given(), ...how.said()}},
  });
};

const giveNames = board => {
  const [white, black] = players(board).map(name => el('input', {maxlength: 200, value: name === '?' ? '' : name}));
  propose({
    title: filled(t.names_of, board.name), verb: t.give_names, fields: [field(t.white, white), field(t.black, black)],
    request: () => white.value.trim() && black.value.trim() ? wish(nowOf(board), `names ${white.value.trim()} / ${black.value.trim()}`) : null,
  });
};

const takeBack = board => {
  const plies = el('input', {type: 'number', min: 1, max: Math.max(1, board.plies), value: 1});
  propose({
    title: `${t.take_back}: ${board.name}`, verb: t.take_back_verb, fields: [field(t.how_many, plies)],
    request: () => Number(plies.value) >= 1 ? wish(nowOf(board), `undo ${Number(plies.value)}`) : null,
    effect: () => [count(t.not_counting, Number(plies.value), nowOf(board).last ?? ''), t.stays],
  });
};

const readAgain = board => {
  const side = radios(t.who_moves, [['', t.clock_tells], ['white', t.white], ['black', t.black]], '');
  propose({
    title: `${t.read_again}: ${board.name}`, verb: t.read_again_verb, fields: [side], request: () => wish(nowOf(board), `resync ${side.value}`.trim()),
    effect: () => [t.read_again_effect],
  });
};

const startGame = board => {
  const from = radios(t.from, [['start', t.from_start], ['fen', t.from_fen], ['from-memory', t.from_memory]], 'start');
  const fen = el('input', {maxlength: 1000, placeholder: 'W:W31-50:B1-20'});
  propose({
    title: `${t.begin_game}: ${board.name}`, verb: t.begin_game_verb, fields: [from, field(t.position_if_other, fen)],
    request: () => from.value === 'fen' && !fen.value.trim() ? null : wish(nowOf(board), from.value === 'fen' ? `start ${fen.value.trim()}` : from.value === 'from-memory' ? 'start from-memory' : 'start'),
    effect: () => [t.begins, isGoing(nowOf(board)) ? t.closes : ''].filter(Boolean),
  });
};

const givePairing = board => {
  const id = el('input', {maxlength: 40, placeholder: '3.1'}), tags = el('textarea', {rows: 4, placeholder: 'White=Sijbrands, T.\nBlack=Wiersma, H.\nRound=3'});
  const words = () => tags.value.split('\n').map(line => line.trim()).filter(Boolean).map(line => { const at = line.indexOf('='); return [line.slice(0, at).trim(), line.slice(at + 1).trim()]; });
  const quoted = text => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  propose({
    title: filled(t.pairing_title, board.name), verb: t.pairing_verb, fields: [field(t.pairing, id, t.pairing_hint), field(t.tags, tags)],
    request: () => !id.value.trim() || words().some(([name]) => !name) ? null
      : wish(nowOf(board), id.value.trim() === 'none' ? 'pairing none' : `pairing ${id.value.trim()} {${words().map(([name, value]) => `[${name} ${quoted(value)}]`).join('')}}`),
    effect: () => [t.pairing_effect],
  });
};

/** A game that began before its round was opened, or was told another pairing, is one of a pairing. */
const adopt = board => {
  const pairing = el('input', {maxlength: 20, placeholder: '3.2'}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(t.adopt_title, called(board)), verb: t.adopt_verb,
    fields: [field(t.pairing, pairing, t.adopt_hint), field(t.reason, reason)],
    request: () => ({do: 'tournament', request: {command: 'adopt', board: board.name, ...(pairing.value.trim() && {pairing: pairing.value.trim()}), ...because(reason)}}),
  });
};

/** The moves that the board of a game that is over has missed. */
const addMoves = board => {
  const text = el('textarea', {rows: 4, maxlength: 20000, placeholder: '41. 37-32 18-23'}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(t.missing_moves_of, called(board)), verb: t.add_moves,
    fields: [field(t.moves, text, t.add_moves_hint), field(t.reason, reason)],
    request: () => ({do: 'tournament', request: {command: 'add-moves', board: board.name, game: board.game, name: 'the moves', text: text.value, ...because(reason)}}),
  });
};

const actions = board => el('div.ab', {role: 'group', 'aria-label': filled(t.more_for, board.name)},
  button(t.result, 'result', () => giveResult(nowOf(board)), {'data-hot': 'r'}),
  button(t.names, 'names', () => giveNames(nowOf(board))),
  known.tournament?.version > 0 && board.game && button(t.adopt, 'adopt', () => adopt(nowOf(board))),
  ...!isOperator() ? [] : [
    board.game && !isGoing(board) && button(t.missing_moves, 'moves', () => addMoves(nowOf(board))),
    board.game && !isGoing(board) && button(t.goes_on, 'continue', () => simply(board, t.goes_on, 'continue', t.goes_on_effect, t.goes_on_verb)),
    button(t.take_back, 'undo', () => takeBack(nowOf(board)), {'data-hot': 'u'}),
    button(t.set_position, 'setup', () => setUp(nowOf(board))),
    button(t.read_again, 'resync', () => readAgain(nowOf(board))),
    button(t.turn_board, 'flip', () => simply(board, t.turn_board, 'flip', t.turn_board_effect, t.turn_board_verb)),
    board.held ? button(t.release, 'hold', () => simply(board, t.release, 'release', t.release_effect), {'data-hot': 'h'})
      : button(t.hold, 'hold', () => simply(board, t.hold, 'hold', t.hold_effect), {'data-hot': 'h'}),
    button(t.begin_game, 'start', () => startGame(nowOf(board))),
    button(t.pairing, 'pairing', () => givePairing(nowOf(board))),
    button(t.new_logs, 'rotate', () => simply(board, t.new_logs, 'rotate', t.new_logs_effect, t.new_logs_verb)),
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
