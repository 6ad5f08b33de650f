// The boards, those with problems first; the chosen board with its pictures and its actions.

const BAD = ['broken', 'no-connection', 'no-answer', 'other-board', 'unexplained'];
const wordOf = board => named('state', board.state);
const LINE = {'unexplained': 'doubt', 'no-answer': 'off', 'no-connection': 'off', 'broken': 'off', 'other-board': 'off', 'waiting': 'wait', 'ready': 'wait', 'over': 'over'};

/** Problem of a board as `[rank, title, sentence]`, the worst with the smallest rank; `null` without a problem. */
const problemOf = board => {
  const alarm = known.status.alarms.find(alarm => alarm.board === board.name);
  if (BAD.includes(board.state)) return [alarm ? 0 : 1, wordOf(board), plain(alarm?.text ?? doubtIn(board) ?? board.text)];
  if (board.pairing?.waits_for_result) return [2, board.pairing.proposed ? filled(texts.proposed, board.pairing.proposed) : texts.waits_for_result, versus(board.pairing.white, board.pairing.black)];
  if (alarm) return [1, texts.alarm, plain(alarm.text)];
  const unassigned = known.status.unassigned_games.find(one => one.board === board.name);
  if (unassigned) return [2, texts.no_pairing, filled(texts.no_pairing_text, versus(unassigned.white, unassigned.black), unassigned.round)];
  if (board.publication) return [1, texts.not_published, plain(board.publication)];
  if (board.clock_missing) return [3, texts.no_clock, texts.no_clock_text];
  if (board.held) return [3, texts.held_back, texts.held_text];
  if (board.wrong_start) return [4, texts.not_set_up, plain(board.wrong_start)];
  return null;
};

const doubtIn = board => board.unexplained && filled(texts.squares_differ, board.unexplained.squares.join(', '));
const players = board => [board.white ?? board.pairing?.white ?? '?', board.black ?? board.pairing?.black ?? '?'];
const numberOf = board => String(board.pairing?.board_number ?? known.status.boards.indexOf(board) + 1);
const disc = board => el(`span.d${LINE[board.state] ? `.${LINE[board.state]}` : ''}`, {'aria-hidden': 'true'}, el('b', {}, numberOf(board)));

const inOrder = () => {
  const all = known.status.boards.map((board, index) => ({board, index, problem: problemOf(board)}));
  const bad = all.filter(one => one.problem).sort((one, other) => one.problem[0] - other.problem[0] || one.index - other.index);
  return {bad, calm: all.filter(one => !one.problem)};
};

views.boards = {
  title: texts.boards,
  // Counts presses of J and K whose `hashchange` has not arrived.
  walks: 0,
  draw(place, chosen) {
    if (!known.status) { fill(place, ['nothing', known.trouble], () => [el('p', {}, known.trouble ? english(known.trouble) : texts.loading_status)]); return; }
    if (!$('#health', place)) { delete place.dataset.mark; place.replaceChildren(); }
    const {bad, calm} = inOrder();
    const awaited = known.status.results_awaited.filter(one => !one.board);
    health(part(place, 'dl', {id: 'health', class: 'hs', 'aria-label': texts.health}));
    const desk = part(place, 'div', {id: 'desk', class: 'desk'});
    const name = known.status.boards.some(board => board.name === chosen) ? chosen : (bad[0] ?? calm[0])?.board.name;
    // A phone shows the chosen board in place of the list.
    if (desk.classList.toggle('chosen', name === chosen) && desk.dataset.chosen !== name && matchMedia('(max-width:44rem)').matches) scrollTo(0, 0);
    desk.dataset.chosen = name === chosen ? name : '';
    const list = part(desk, 'section', {id: 'list', class: 'lst', 'aria-label': texts.all_boards});
    const link = ({board}) => ({href: `#boards/${encodeURIComponent(board.name)}`, 'data-key': board.name, 'aria-current': board.name === name ? 'true' : null});
    const seen = bad.map(({board, problem}) => [board.name, board.state, ...problem, numberOf(board)]);
    fill(list, [name, seen, awaited, calm.map(({board}) => [board.name, board.state, numberOf(board)])], () => [
      el('h2', {}, `${texts.needs_attention} `, el('span', {}, String(bad.length + awaited.length))),
      bad.length || awaited.length ? el('ol', {}, ...bad.map(one => el('li', {}, el('a', link(one), disc(one.board), el('b.w', {}, one.problem[1]),
        el('span.ag', {}, one.board.name), el('span.y', {}, bdi(one.problem[2]))))),
        ...awaited.map(one => el('li', {}, el('a', {href: `#tournament/${encodeURIComponent(one.section)}/${one.round}`, 'data-key': `awaited ${one.section} ${one.round} ${one.board_number}`},
          el('span.d', {'aria-hidden': 'true'}, el('b', {}, String(one.board_number ?? '–'))), el('b.w', {}, texts.waits_for_result), el('span.ag', {}, filled(texts.round, one.round)), el('span.y', {}, bdi(versus(one.white, one.black))))))) : el('p.q.s', {}, texts.all_well),
      el('h2', {}, `${texts.no_problems} `, el('span', {}, String(calm.length))),
      el('ul.calm', {}, ...calm.map(one => el('li', {}, el('a', {...link(one), class: LINE[one.board.state] ?? '', title: `${one.board.name}: ${wordOf(one.board)}`},
        numberOf(one.board), el('span.vh', {}, ` ${one.board.name}, ${wordOf(one.board)}`)))))]);
    const board = known.status.boards.find(board => board.name === name);
    if (board) detail(part(desk, 'section', {id: 'detail', class: 'det', 'aria-labelledby': 'board-title'}), board);
  },
};

/** Draws the row of figures about the station. */
const health = place => {
  const {status, viewers} = known;
  const heard = status.boards.filter(board => !['no-connection', 'no-answer', 'broken', 'other-board'].includes(board.state)).length;
  const free = status.disk ? filled(texts.disk_space, (status.disk.free_bytes / 1e9).toFixed(1)) : texts.disk_unknown;
  const disk = status.alarms.find(alarm => alarm.kind.startsWith('disk'));
  const held = status.outlets.filter(outlet => outlet.held), publication = status.alarms.filter(alarm => alarm.kind === 'publication');
  // Show each sentence once: many files share a problem.
  const troubles = [...new Set([...publication.map(alarm => alarm.text), ...held.map(outlet => outlet.held)].flatMap(text => plain(text).split('. ').map((part, index, all) => index < all.length - 1 ? part + '.' : part)))];
  const rows = [
    [texts.boards_answering, filled(texts.count_of_all, heard, status.boards.length), heard < status.boards.length ? texts.others_first : texts.all, heard < status.boards.length],
    [texts.disk, free, plain(disk?.text ?? texts.disk_ok), Boolean(disk)],
    [texts.public_files, held.length || publication.length ? count(texts.suspended, held.length + publication.length) : count(texts.folders, status.outlets.length),
      troubles[0] ?? texts.up_to_date, Boolean(held.length || publication.length), troubles.slice(1)],
    [texts.viewers, viewers ? String(viewers.viewers) : '–', viewers ? filled(texts.event, viewers.seq) : known.silent ? texts.viewers_unknown : '', false],
    [texts.alarms, String(status.alarms.length), status.alarms[0] ? `${status.alarms[0].board ?? texts.station}: ${status.alarms[0].kind}` : texts.no_alarms, status.alarms.length > 0],
  ];
  fill(place, rows, () => rows.map(([title, value, more, isBad, rest = []]) =>
    el(isBad ? 'div.bad' : 'div', {}, el('dt', {}, title), el('dd', {}, value, el('small', {}, bdi(more)),
      rest.length > 0 && el('details', {'data-key': `more ${title}`}, el('summary', {'data-key': `sum ${title}`}, filled(texts.and_more, rest.length)), ...rest.map(text => el('p', {}, bdi(text))))))));
};

const detail = (place, board) => {
  const problem = problemOf(board);
  const [white, black] = players(board);
  const mark = [board.name, board.state, board.text, board.held, board.game, white, black, board.plies, board.last, board.waits?.for, board.provisional, board.unexplained,
    board.wrong_start, board.publication, board.pairing, board.squares, problem, isGoing(board), board.missing_moves, board.entry, isOperator(), known.tournament?.version > 0];
  fill(place, mark, () => {
    // The pictures of this board stay until the new ones are here.
    const before = $('#pictures', place), pictures = el('div.cmp', {id: 'pictures', 'data-board': board.name});
    if (before?.dataset.board === board.name) pictures.append(...before.children);
    picture(pictures, board);
    return [
      el('a.back', {href: '#boards'}, '← ', texts.all_boards),
      el('header', {}, el('h2', {id: 'board-title', tabindex: -1, 'data-key': 'board-title'}, `${board.name}: ${(problem?.[1] ?? wordOf(board)).toLowerCase()}`),
        el('p', {}, bdi(white), ' – ', bdi(black), board.game ? `, ${filled(texts.game, board.game)}${board.plies ? `, ${count(texts.plies, board.plies)}` : ''}` : '')),
      problem && el('p.why', {}, bdi(problem[2]), board.since_s !== null ? el('span.q', {}, ` ${filled(texts.since, time(board.since))}`) : ''),
      el('dl.facts', {},
        el('div', {}, el('dt', {}, texts.station_reports), el('dd', {}, english(board.text))),
        board.last && el('div', {}, el('dt', {}, texts.last_published), el('dd', {}, moveText(board.last))),
        board.provisional.length > 0 && el('div', {}, el('dt', {}, texts.likely_moves), el('dd', {}, board.provisional.join(' '))),
        board.waits && el('div', {}, el('dt', {}, texts.waits_for), el('dd', {}, named('wait', board.waits.for))),
        board.clocks && el('div', {}, el('dt', {}, texts.clocks), el('dd', {id: 'clocks'})),
        board.pairing && el('div', {}, el('dt', {}, filled(texts.round_board, board.pairing.round, board.pairing.board_number ?? '–')),
          el('dd', {}, bdi(board.pairing.white), ' – ', bdi(board.pairing.black), board.pairing.result ? ` ${board.pairing.result}` : ''))),
      pictures,
      board.unexplained && el('div.readings', {}, el('h3', {}, texts.closest), board.unexplained.interpretations.length
        ? el('ol', {}, ...board.unexplained.interpretations.map(reading => el('li', {}, reading === 'setup' ? texts.as_set_up : reading)))
        : el('p.q', {}, texts.search_pending),
      el('p.q.s', {}, texts.put_right)),
      actions(board),
      board.since_s !== null && zone(),
    ];
  });
  if (Date.now() - $('#pictures', place).failed > 5000) picture($('#pictures', place), board);
  const clocks = $('#clocks', place);
  if (clocks && board.clocks) clocks.textContent = filled(texts.clock_times, clock(board.clocks.white), clock(board.clocks.black));
};

/** Element of a picture that the desk has drawn. */
const drawing = svg => document.importNode(new DOMParser().parseFromString(svg.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '), 'image/svg+xml').documentElement, true);
const SVG = 'http://www.w3.org/2000/svg';
/** Fetches a board with its pictures. Adds the shapes of its game type to the page once. */
const pictured = async board => {
  const answer = await api(`/api/board/${encodeURIComponent(board.name)}`);
  if (answer.parts && !document.getElementById(`kind-${answer.gametype}`)) {
    const parts = drawing(answer.parts);
    parts.id = `kind-${answer.gametype}`;
    document.body.prepend(parts);
  }
  return answer;
};

const picture = async (place, board) => {
  place.failed = undefined;
  if (!board.squares) { place.replaceChildren(el('p.q', {}, texts.position_unknown)); return; }
  const answer = await pictured(board);
  // A later state of the station asks again.
  if (answer.error) place.failed = Date.now();
  if (answer.error || !place.isConnected) return;
  const differs = new Set(answer.names.map((name, index) => name && answer.published && answer.shown.pieces[index].toLowerCase() !== answer.published.pieces[index].toLowerCase() ? index : -1).filter(index => index >= 0));
  const figure = (title, what) => {
    const svg = drawing(what.svg);
    for (const index of differs) {
      const rect = document.createElementNS(SVG, 'rect');
      for (const [key, value] of Object.entries({class: 'q1f', x: index % answer.width * 10 + 0.5, y: Math.floor(index / answer.width) * 10 + 0.5, width: 9, height: 9})) rect.setAttribute(key, value);
      $('.mk', svg).append(rect);
    }
    svg.setAttribute('aria-label', `${title}: ${what.fen}`);
    return el('figure', {}, el('h3', {}, title, el('span', {}, what.turn ? texts[`${what.turn.toLowerCase()}_to_move`] : '')), svg);
  };
  place.replaceChildren(figure(texts.on_board, answer.shown), answer.published ? figure(texts.published, answer.published) : el('p.q', {}, texts.no_running_game));
  const names = [...differs].map(index => answer.names[index]);
  place.append(el('p.df', {}, !answer.published ? '' : names.length ? filled(texts.differ, names.join(', ')) : texts.same));
};

// Requests for a board. `if_seen` is the game as this page shows it: the station refuses the request if the game has continued.

// Holding, releasing and rotating do not depend on the moves. A dialog that was opened for one game asks for nothing in the next.
const wish = (board, text) => ({do: 'request', board: board.name, request: text, ...(!/^(hold$|release$|flip$|add-moves |enter )/.test(text) && {if_seen: {game: board.game, plies: board.plies}})});
const nowOf = board => known.status?.boards.find(other => other.name === board.name) ?? board;
const called = board => `${board.name}${board.game ? `, ${filled(texts.game, board.game)}` : ''}, ${versus(...players(board))}${board.plies ? `, ${count(texts.after_plies, board.plies)}` : ''}`;

/** Proposes a request without fields. */
const simply = (board, title, text, effect) => propose({title: filled(texts.title_of, title, board.name), verb: title, request: () => wish(nowOf(board), text), effect: () => [effect]});

/** Whether the game of a board is running, even if the board is not connected. */
const isGoing = board => board.is_ongoing;

/** Shows the station's reason for refusing a result, above the fields of its dialog. */
const refusalOf = error => error ? [el('p.no', {}, english(error))] : [];

/** Whether a board reports moves itself, unless people enter those of its game. */
const isElectronic = board => known.status.lines.find(line => line.name === board.line)?.mode !== 'entry';

/** Asks for the result of a board; `refusal`: why the station has not taken `chosen` at once. */
const giveResult = (board, chosen, refusal) => {
  const choices = [['2-0', filled(texts.white_wins, '2-0')], ['1-1', filled(texts.draw, '1-1')], ['0-2', filled(texts.black_wins, '0-2')], ['*', texts.no_result]];
  const result = radios(texts.result, choices, chosen ?? board.pairing?.proposed ?? '');
  const other = el('input', {placeholder: '1-0, 12-0, …', maxlength: 20});
  const how = circumstances();
  const given = () => other.value.trim() || result.value;
  const isLine = isGoing(board);
  propose({
    title: filled(texts.title_of, texts.result, called(board)), verb: texts.enter_result,
    fields: [...refusalOf(refusal), result, field(texts.other_result, other, texts.other_result_hint), ...isLine ? [] : how.fields],
    request: () => !given() ? null : isLine ? wish({...nowOf(board), game: board.game}, `result ${given()}`)
      : {do: 'tournament', request: {command: 'result', board: board.name, game: board.game, result: given(), ...how.said()}},
  });
};

const giveNames = board => {
  const [white, black] = players(board).map(name => el('input', {maxlength: 200, value: name === '?' ? '' : name}));
  propose({
    title: filled(texts.title_of, texts.names, board.name), verb: texts.enter_names, fields: [field(texts.white, white), field(texts.black, black)],
    request: () => white.value.trim() && black.value.trim() ? wish({...nowOf(board), game: board.game}, `names ${white.value.trim()} / ${black.value.trim()}`) : null,
  });
};

const takeBack = board => {
  const plies = el('input', {type: 'number', min: 1, max: Math.max(1, board.plies), value: 1});
  propose({
    title: filled(texts.title_of, texts.take_back, board.name), verb: texts.take_back_verb, fields: [field(texts.how_many_plies, plies)],
    request: () => Number(plies.value) >= 1 ? wish({...nowOf(board), game: board.game}, `undo ${Number(plies.value)}`) : null,
    effect: () => [count(texts.not_counting, Number(plies.value), moveText(nowOf(board).last) ?? ''), texts.take_back_effect],
  });
};

const readAgain = board => {
  const side = radios(texts.side_to_move, [['', texts.clock_shows], ['white', texts.white], ['black', texts.black]], '');
  propose({
    title: filled(texts.title_of, texts.read_again, board.name), verb: texts.read_again, fields: [side], request: () => wish(nowOf(board), `resync ${side.value}`.trim()),
    effect: () => [texts.read_again_effect],
  });
};

const startGame = board => {
  const from = radios(texts.start_from, [['start', texts.start_from_initial], ['fen', texts.start_from_fen], ['from-memory', texts.start_from_memory]], 'start');
  const fen = el('input', {maxlength: 1000, placeholder: 'W:W31-50:B1-20', oninput: () => { $('[value=fen]', from).checked = true; }});
  propose({
    title: filled(texts.title_of, texts.start_game, board.name), verb: texts.start_game, fields: [from, field(texts.other_position, fen)],
    request: () => from.value === 'fen' && !fen.value.trim() ? null : wish(nowOf(board), from.value === 'fen' ? `start ${fen.value.trim()}` : from.value === 'from-memory' ? 'start from-memory' : 'start'),
    effect: () => [texts.start_game_effect, isGoing(nowOf(board)) ? texts.start_game_closes : ''].filter(Boolean),
  });
};

const givePairing = board => {
  const id = el('input', {maxlength: 40, placeholder: '3.1'}), tags = el('textarea', {rows: 4, placeholder: 'White=Sijbrands, T.\nBlack=Wiersma, H.\nRound=3'});
  const words = () => tags.value.split('\n').map(line => line.trim()).filter(Boolean).map(line => { const at = line.indexOf('='); return [line.slice(0, at).trim(), line.slice(at + 1).trim()]; });
  const quoted = text => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  propose({
    title: filled(texts.pairing_title, board.name), verb: texts.pairing_verb, fields: [field(texts.pairing, id, texts.pairing_hint), field(texts.tags, tags)],
    request: () => !id.value.trim() || words().some(([name]) => !name) ? null
      : wish(nowOf(board), id.value.trim() === 'none' ? 'pairing none' : `pairing ${id.value.trim()} {${words().map(([name, value]) => `[${name} ${quoted(value)}]`).join('')}}`),
    effect: () => [texts.pairing_effect],
  });
};

/** Assigns a game to a pairing, for example if it started before its round was opened. */
const adopt = board => {
  const pairing = el('input', {maxlength: 20, placeholder: '3.2'}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(texts.title_of, texts.assign, called(board)), verb: texts.assign,
    fields: [field(texts.pairing, pairing, texts.assign_hint), field(texts.reason, reason)],
    request: () => ({do: 'tournament', request: {command: 'adopt', board: board.name, game: board.game, ...(pairing.value.trim() && {pairing: pairing.value.trim()}), ...because(reason)}}),
  });
};

const actions = board => el('div.ab', {role: 'group', 'aria-label': filled(texts.actions_for, board.name)},
  button(texts.result, 'result', () => giveResult(nowOf(board)), {'data-hot': 'r'}),
  button(texts.names, 'names', () => giveNames(nowOf(board))),
  known.tournament?.version > 0 && board.game && button(texts.assign, 'adopt', () => adopt(nowOf(board))),
  (isGoing(board) ? board.missing_moves : isOperator() && board.game) && button(texts.missing_moves, 'moves', () => loadOthers().then(() => addMissing(nowOf(board)))),
  board.entry && button(texts.enter_move, 'enter', () => loadOthers().then(() => enterMove(nowOf(board)))),
  board.entry && button(texts.code, 'code', () => loadOthers().then(() => askForCodes([board.name]))),
  isElectronic(board) && button(board.entry ? texts.entry_off : texts.entry_on, 'entry', () => loadOthers().then(() => switchEntry(nowOf(board)))),
  ...!isOperator() ? [] : [
    board.game && !isGoing(board) && button(texts.continue_game, 'continue', () => simply(board, texts.continue_game, 'continue', texts.continue_game_effect)),
    button(texts.take_back, 'undo', () => takeBack(nowOf(board)), {'data-hot': 'u'}),
    button(texts.set_position, 'setup', () => loadOthers().then(() => setUp(nowOf(board)))),
    button(texts.read_again, 'resync', () => readAgain(nowOf(board))),
    button(texts.rotate_board, 'flip', () => simply(board, texts.rotate_board, 'flip', texts.rotate_board_effect)),
    board.held ? button(texts.release, 'hold', () => simply(board, texts.release, 'release', texts.release_effect), {'data-hot': 'h'})
      : button(texts.hold, 'hold', () => simply(board, texts.hold, 'hold', texts.hold_effect), {'data-hot': 'h'}),
    button(texts.start_game, 'start', () => startGame(nowOf(board))),
    button(texts.pairing, 'pairing', () => givePairing(nowOf(board))),
    button(texts.new_logs, 'rotate', () => simply(board, texts.new_logs, 'rotate', texts.new_logs_effect)),
  ]);

// Keys outside fields: J and K walk through the list; H, U and R press the buttons with this `data-hot`.

/** The letter of a key, by its place on keyboards without Latin letters. */
const letterOf = event => (event.key.length === 1 && event.key > '~' ? event.code.replace('Key', '') : event.key).toLowerCase();

document.addEventListener('keydown', event => {
  if (!known.me || $('#dialog').open || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, textarea, select') || where().view !== 'boards') return;
  const key = letterOf(event);
  const hot = $(`[data-hot="${CSS.escape(key)}"]`);
  if (hot) { event.preventDefault(); hot.click(); return; }
  if (key !== 'j' && key !== 'k') return;
  const links = [...document.querySelectorAll('#list a')];
  const at = links.findIndex(link => link.hasAttribute('aria-current'));
  const next = links[Math.min(links.length - 1, Math.max(0, at + (key === 'j' ? 1 : -1)))];
  if (next) { event.preventDefault(); if (location.hash !== next.hash) views.boards.walks++; location.hash = next.hash; next.focus(); }
});

// The other views; their script replaces these.

for (const [view, title] of [['results', texts.results_title], ['tournament', texts.tournament], ['standings', texts.standings], ['on_air', texts.on_air], ['log', texts.log], ['station', texts.station], ['set_up', texts.set_up]]) views[view] = {title, draw: place => { fill(place, 'loading', () => [el('p.q', {}, texts.loading_status)]); }};
