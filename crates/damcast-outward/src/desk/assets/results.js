// Results of the open round on one screen: a row for each board, entered by one tap or key.

/** Proposal of the board of a pairing, and whether the pairing waits for its result. */
const awaitedOf = (section, round, pairing) => known.status?.results_awaited.find(one => one.section === section.name && one.round === round.round && one.board_number === (pairing.table ?? null));
/** Board that shows the game of a pairing; none while the game of another pairing goes on there. */
const shownAt = (section, round, pairing) => {
  const shown = known.status?.boards.find(board => board.pairing?.section === section.name && board.pairing.round === round.round && board.pairing.board_number === (pairing.table ?? null));
  return shown?.is_ongoing && !shown.pairing.is_playing ? undefined : shown;
};
const pointsOf = section => { const [win, draw, loss] = (section.scoring ?? '2-1-0').split('-'); return [`${win}-${loss}`, `${draw}-${draw}`, `${loss}-${win}`]; };

views.results = {
  title: texts.results_title,
  filter: 'missing',
  // Keys of the rows, time at which rows moved last, and whether a result is on its way.
  keys: [],
  moved: 0,
  isEntering: false,
  draw(place) {
    if (!known.tournament) { awaitTournament(place); return; }
    const open = sections().flatMap(section => section.rounds.filter(round => stateOf(section, round.round) === 'open').map(round => ({section, round})));
    const last = (known.tournament.history ?? []).filter(entry => entry.can_undo && !/^(featured board|undo of)/.test(entry.what)).at(-1);
    const rows = open.map(({section, round}) => ({section, round, rows: round.pairings.map(pairing => rowOf(section, round, pairing)).filter(row => views.results.filter === 'all' || !row.points)}));
    const mark = [views.results.filter, last?.version, rows.map(of => [of.section.name, of.round.round, of.rows.map(({pairing, board, last, clocks, ...row}) => row)])];
    const keys = rows.flatMap(of => of.rows.map(row => keyOfRow(of.section, row)));
    const isNew = fill(place, mark, () => [
      el('div.hd', {}, el('h2', {}, texts.results_title), el(open.length ? 'p.keys' : 'p', {}, open.length ? texts.results_keys : texts.no_open_round)),
      el('div.ab', {}, ...[['missing', texts.filter_missing], ['all', texts.filter_all]].map(([filter, title]) =>
        button(title, `filter ${filter}`, () => { views.results.filter = filter; show(); }, {'aria-pressed': String(views.results.filter === filter)})),
        last && button(`${texts.undo}: ${last.what}`, 'undo', () => undoOf(last)),
        ...rows.map(of => of.rows.some(row => row.proposed) && button(texts.confirm_proposals, `confirm ${of.section.name}`, event => once(event, () => confirmAll(of))))),
      ...rows.map(({section, round, rows}) => el('section', {'aria-label': filled(texts.round, round.round)},
        el('h3', {}, sections().length > 1 ? bdi(`${section.name}, `) : '', filled(texts.round, round.round)),
        rows.length ? el('ol.res', {onkeydown: resultKey}, ...rows.map(row => resultRow(section, round, row))) : el('p.q', {}, texts.results_complete))),
    ]);
    if (isNew) {
      if (views.results.keys.some((key, index) => key !== keys[index])) views.results.moved = Date.now();
      views.results.keys = keys;
    }
    // Moves and clocks change in place, so that a tap does not lose its button.
    for (const {section, rows: shown} of rows) for (const row of shown) {
      const text = $(`[data-key="${CSS.escape(keyOfRow(section, row))}"] .q`, place);
      if (text?.textContent !== row.last + row.clocks) text?.replaceChildren(bdi(row.last), bdi(row.clocks));
    }
    // A row that has its result leaves the list of missing ones.
    if (isNew && document.activeElement === document.body && views.results.next) {
      $(`[data-key="${CSS.escape(views.results.next)}"]`, place)?.focus({preventScroll: true});
      views.results.next = null;
    }
  },
};

const rowOf = (section, round, pairing) => {
  const name = id => section.players.find(player => player.id === id)?.name ?? '–';
  const board = shownAt(section, round, pairing);
  const clocks = board?.clocks ? `${clock(board.clocks.white)} ${clock(board.clocks.black)}` : '';
  const proposed = pairing.points ? null : awaitedOf(section, round, pairing)?.proposed ?? board?.pairing.proposed ?? null;
  return {pairing, board, round: round.round, table: String(pairing.table ?? '–'), white: name(pairing.white), black: name(pairing.black), last: moveText(board?.last) ?? '', clocks, proposed, going: board?.is_ongoing ?? false,
    points: pairing.points ? pairing.points.join('-') : pairing.later ? texts[pairing.later] : ''};
};

const keyOfRow = (section, row) => `row ${section.name} ${row.round} ${row.table}`;

const resultRow = (section, round, row) => el('li', {tabindex: 0, 'data-key': keyOfRow(section, row), 'aria-label': `${filled(texts.board, row.table)}: ${row.white} – ${row.black}`},
  el('b', {}, row.table), el('span.n.sides', {}, bdi(row.white), bdi(row.black)), el('span.n.q', {}, bdi(row.last), bdi(row.clocks)),
  el('span.p', {}, row.points || (row.proposed ? filled(texts.proposed, row.proposed) : '')),
  el('span.g', {}, ...pointsOf(section).map((result, index) => button(result.replace('-', '–'), `${section.name} ${row.round} ${row.table} ${index}`, event => once(event, () => enterResult(section, round, row, result)),
    {class: row.proposed === result ? 'btn p' : 'btn', 'data-points': String(2 - index), 'aria-label': `${result}, ${filled(texts.board, row.table)}`, disabled: !row.pairing.table || row.points === result}))));

/** Keys on a row: 2, 1 and 0 are White's points; arrows and J, K move to another row. */
const resultKey = event => {
  const row = event.target.closest('li');
  if (!row || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const points = $(`[data-points="${CSS.escape(event.key)}"]`, row);
  const next = {arrowdown: row.nextElementSibling, j: row.nextElementSibling, arrowup: row.previousElementSibling, k: row.previousElementSibling}[letterOf(event)];
  if (!points && !next) return;
  event.preventDefault();
  if (next) next.focus(); else points.click();
};

/** Does what a tap or a key asks for, one at a time. Ignores a tap within 600 ms after the rows have moved, and a key within 250 ms: it was meant for the row that was there. */
const once = async (event, act) => {
  if (views.results.isEntering || Date.now() - views.results.moved < (event.detail ? 600 : 250)) return;
  views.results.isEntering = true;
  try { await act(); } finally { views.results.isEntering = false; }
};

/** Enters a result at once. If the station refuses it, a dialog shows the reason and asks. Returns whether it is entered. */
const enterResult = async (section, round, row, result) => {
  const {pairing, board} = row, item = document.activeElement?.closest('.res li');
  views.results.next = (item?.nextElementSibling ?? item?.previousElementSibling)?.dataset.key;
  // A pairing with a result has no game that goes on, whatever its board showed last.
  const going = row.going && !row.points;
  // The board knows no scoring.
  const onBoard = ['2-0', '1-1', '0-2'][pointsOf(section).indexOf(result)] ?? result;
  const request = going ? wish(nowOf(board), `result ${onBoard}`) : ofTournament({command: 'result', pairing: `${round.round}.${pairing.table}`, result, ...several(section)});
  const reply = await ask(request);
  await learnTournament();
  if (reply.ok) banner(plain(reply.messages?.[0] ?? texts.done), true);
  else if ($('#dialog').open) banner(failure(reply));
  else if (going) giveResult(nowOf(board), onBoard, reply.error);
  else resultOf(section, round, pairing, id => section.players.find(player => player.id === id)?.name ?? '–', board, result, reply.error);
  return reply.ok;
};

/** Enters the proposed results: at once those that end a game, then those of games that are over, in one dialog. */
const confirmAll = async ({section, round, rows}) => {
  const proposed = rows.filter(row => row.proposed && row.pairing.table);
  for (const row of proposed.filter(row => row.going)) {
    // While the others are sent, a table may have played on.
    if (nowOf(row.board).pairing?.proposed !== row.proposed) continue;
    if (!await enterResult(section, round, row, row.proposed)) return;
  }
  const over = proposed.filter(row => !row.going);
  if (over.length && !$('#dialog').open) propose({
    title: texts.confirm_proposals, verb: texts.confirm_proposals,
    request: () => ofTournament({command: 'results', name: texts.confirm_proposals, text: over.map(row => `${round.round}.${row.pairing.table};${row.proposed}\n`).join(''), ...several(section)}),
  });
};
