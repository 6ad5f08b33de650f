// Tournament: rounds, pairings, results, players, imports, standings.

const sections = () => known.tournament?.tournament?.sections ?? [];
/** State of a round: `prepared`, `published`, `open`, `closed`. */
const stateOf = (section, round) => known.tournament?.rounds?.find(one => one.section === section.name && one.round === round)?.state ?? 'prepared';
const several = section => sections().length > 1 ? {section: section.name} : {};
const ofTournament = command => ({do: 'tournament', request: command});

/** Says that the tournament is still to come, or why it cannot be read. */
const awaitTournament = place => fill(place, ['nothing', known.unreadable], () => [known.unreadable ? el('p.no', {}, english(known.unreadable)) : el('p.q', {}, texts.loading_tournament)]);

views.tournament = {
  title: texts.tournament,
  draw(place, chosen) {
    if (!known.tournament) { awaitTournament(place); return; }
    const all = sections();
    const [section, round] = chosenRound(all, chosen);
    fill(place, [known.tournament.version, section?.name, round, isOperator(), known.status?.boards.map(board => [board.name, board.state, board.pairing?.proposed, board.pairing?.waits_for_result])], () => [
      el('div.hd', {}, el('h2', {}, section ? bdi(all.length > 1 ? section.name : texts.rounds) : texts.no_tournament), el('p', {}, section ? `${count(texts.number_of_players, section.players.length)}, ${filled(texts.version, known.tournament.version)}` : texts.no_tournament_hint)),
      section && el('nav.tabs', {'aria-label': texts.rounds},
        ...all.length > 1 ? all.map(other => el('a', {href: `#tournament/${encodeURIComponent(other.name)}/`, 'aria-current': other === section ? 'true' : null, 'data-key': `section ${other.name}`}, bdi(other.name))) : [],
        ...section.rounds.map(one => el('a', {href: `#tournament/${encodeURIComponent(section.name)}/${one.round}`, 'aria-current': one.round === round ? 'page' : null, 'data-key': `round ${one.round}`}, filled(texts.round, one.round), el('small', {}, ` ${named('round', stateOf(section, one.round))}`)))),
      section && round && roundOf(section, section.rounds.find(one => one.round === round)),
      section && round && onPaper(section, round),
      section && playersOf(section),
      section && !round && el('div.ab', {}, ...pairing(section)),
      section && freeGames(),
      isOperator() && theEvent(),
      isOperator() && importing(section),
      lastActions(),
    ]);
  },
};

const nextRound = section => button(texts.next_round, 'next-round', () => propose({
  title: texts.next_round, verb: texts.next_round, request: () => ofTournament({command: 'next-round', ...several(section)}),
}));

/** Draws the games that an undo has set free, each with a button that adopts it. */
const freeGames = () => {
  const games = known.tournament.free_games ?? [];
  return games.length > 0 && el('section', {'aria-label': texts.free_games}, el('div.hd', {}, el('h2', {}, texts.free_games), el('p', {}, texts.free_games_hint)),
    table(texts.free_games, [texts.board_heading, texts.white, texts.black, texts.moves, texts.result, ''], games.map(game => [`${game.board}, ${game.game}`, game.white, game.black, String(Math.ceil(game.plies / 2)), game.result ?? '',
      button(texts.adopt, `adopt ${game.board} ${game.game}`, () => adoptFree(game), {'aria-label': `${texts.adopt}: ${game.board}, ${game.game}`})]), '.nm'));
};

/** Proposes the pairing that a free game is to be of. */
const adoptFree = game => {
  const options = sections().flatMap(section => section.rounds.flatMap(round => round.pairings.filter(pairing => pairing.table && pairing.white && pairing.black).map(pairing => {
    const [white, black] = [pairing.white, pairing.black].map(id => section.players.find(player => player.id === id)?.name ?? '–');
    return {section, name: `${round.round}.${pairing.table}`, text: `${sections().length > 1 ? `${section.name} ` : ''}${round.round}.${pairing.table} ${white} – ${black}`, isOwn: white === game.white && black === game.black};
  }))).reverse();
  const own = options.findIndex(option => option.isOwn);
  const chosen = el('select', {}, ...options.map((option, index) => el('option', {value: String(index), selected: index === own}, option.text)));
  propose({
    title: filled(texts.title_of, texts.adopt, `${game.board}, ${game.game}`), verb: texts.adopt, fields: [field(texts.pairing, chosen)],
    request: () => options.length ? ofTournament({command: 'adopt', board: game.board, game: game.game, pairing: options[Number(chosen.value)].name, ...several(options[Number(chosen.value)].section)}) : null,
  });
};

/** Number of actions in the list of those that can be undone. */
const SHOWN_ACTIONS = 8;

/** Proposes the undo of an action. */
const undoOf = entry => propose({
  title: filled(texts.title_of, texts.undo, entry.what), verb: texts.undo, request: () => ofTournament({command: 'undo', version: entry.version}),
});

/** Draws the last actions on the tournament, each with its undo. */
const lastActions = () => {
  const actions = (known.tournament.history ?? []).filter(entry => entry.can_undo || entry.is_undone).slice(-SHOWN_ACTIONS).reverse();
  return actions.length > 0 && el('section', {'aria-label': texts.last_actions}, el('div.hd', {}, el('h2', {}, texts.last_actions), zone()),
    table(texts.last_actions, [texts.time, texts.user, texts.action, ''], actions.map(entry => [dayAndTime(entry.at), actor(entry.by), english(entry.what),
      entry.is_undone ? texts.undone : button(texts.undo, `undo ${entry.version}`, () => undoOf(entry), {'aria-label': `${texts.undo}: ${entry.what}`})]), '.crd.act'));
};

/** Section and round of an address `SECTION/ROUND`; without a round the open one, the next, or the last. */
const chosenRound = (all, chosen) => {
  const at = chosen.lastIndexOf('/');
  const section = all.find(one => one.name === (at < 0 ? chosen : chosen.slice(0, at))) ?? all[0];
  if (!section) return [];
  const named = section.rounds.find(one => String(one.round) === chosen.slice(at + 1));
  const open = section.rounds.find(one => stateOf(section, one.round) === 'open') ?? section.rounds.find(one => ['prepared', 'published'].includes(stateOf(section, one.round))) ?? section.rounds.at(-1);
  return [section, (named ?? open)?.round];
};

const roundOf = (section, round) => {
  const state = stateOf(section, round.round);
  const name = id => section.players.find(player => player.id === id)?.name ?? '–';
  const turn = (to, title) => button(title, `to ${to}`, () => propose({
    title: `${title} ${round.round}`, verb: title,
    request: () => ofTournament({command: 'set-round-state', round: round.round, to, ...several(section)}),
  }));
  const missing = round.pairings.filter(pairing => !pairing.points).length;
  return el('section', {'aria-label': filled(texts.round, round.round)},
    el('p', {}, `${filled(texts.round_is, round.round, named('round', state))}${round.date ? `, ${round.date}` : ''}. ${missing ? count(texts.results_missing, missing) : texts.results_complete}`),
    el('div.ab', {}, nextRound(section), ...(round === (lastPaired(section) ?? section.rounds.at(-1)) ? pairing(section) : []), ...{prepared: [turn('published', texts.publish_round), turn('open', texts.open_round)], published: [turn('open', texts.open_round), turn('prepared', texts.withdraw_round)], open: [section.open_round !== round.round && turn('open', texts.open_round), turn('closed', texts.close_round)], closed: [turn('open', texts.open_round)]}[state] ?? []),
    table(filled(texts.round, round.round), [texts.board_heading, texts.played_on, texts.white, texts.black, texts.result, ''], round.pairings.map((pairing, index) => {
      const board = shownAt(section, round, pairing);
      const when = pairing.later && !pairing.points ? texts[pairing.later] : '';
      const result = pairing.points ? `${pairing.points.join('–')}${pairing.reason && pairing.reason !== 'played' ? `, ${named('kind', pairing.reason)}` : ''}` : board?.pairing.waits_for_result ? board.pairing.proposed ? filled(texts.proposed, board.pairing.proposed) : texts.waits_for_result : when;
      return [String(pairing.table ?? '–'), pairing.board ? el('a', {href: `#boards/${encodeURIComponent(pairing.board)}`}, pairing.board) : '–', name(pairing.white), name(pairing.black), result,
        pairing.table ? el('div.two', {}, button(pairing.points ? texts.correct : texts.result, `result ${index}`, () => resultOf(section, round, pairing, name, board), {'aria-label': `${pairing.points ? texts.correct : texts.result}: ${filled(texts.board, pairing.table)}`}),
          button(texts.substitute, `substitute ${index}`, () => substitute(section, round, pairing, name), {'aria-label': `${texts.substitute}: ${filled(texts.board, pairing.table)}`}),
          button(texts.reschedule, `later ${index}`, () => playedLater(section, round, pairing, name), {'aria-label': `${texts.reschedule}: ${filled(texts.board, pairing.table)}`})) : ''];
    }), '.pr'),
    round.byes?.length > 0 && el('p', {}, texts.without_opponent, ...round.byes.flatMap((bye, index) => [index ? ', ' : '', bdi(name(bye.player)), ` (${named('bye', bye.why)})`])));
};

/** Proposes another time or board for a pairing, or its replay. */
const playedLater = (section, round, pairing, name) => {
  const commands = {postpone: () => ({command: 'postpone'}), undo: () => ({command: 'postpone', undo: true}), begin: () => ({command: 'play-on-board', board: board.value}), replay: () => ({command: 'replay'})};
  const how = radios(texts.reschedule, Object.keys(commands).map(word => [word, named('when', word)]), pairing.points ? 'replay' : pairing.later ? 'begin' : 'postpone');
  const board = el('select', {}, ...known.status?.boards.map(board => el('option', {}, board.name)) ?? []), reason = el('input', {maxlength: 200});
  propose({
    title: filled(texts.board_of, pairing.table, versus(name(pairing.white), name(pairing.black))), verb: texts.reschedule_verb, fields: [how, field(texts.reschedule_board, board), field(texts.reason, reason)],
    request: () => ofTournament({...commands[how.value](), pairing: `${round.round}.${pairing.table}`, ...several(section), ...because(reason)}),
  });
};

/** Proposes a substitute. */
const substitute = (section, round, pairing, name) => {
  const names = [pairing.white, pairing.black].map(name);
  const player = radios(texts.substitute_for, names.map(one => [one, one]), names[0]);
  const by = el('input', {maxlength: 200}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(texts.substitute_of, pairing.table, versus(...names)), verb: texts.substitute_verb, fields: [player, field(texts.substitute_name, by, texts.substitute_hint), field(texts.reason, reason)],
    request: () => by.value.trim() ? ofTournament({command: 'substitute', pairing: `${round.round}.${pairing.table}`, player: player.value, substitute: by.value.trim(), ...several(section), ...because(reason)}) : null,
  });
};

/** Asks for the result of a pairing; `refusal`: why the station has not taken `chosen` at once. */
const resultOf = (section, round, pairing, name, board, chosen, refusal) => {
  const [win, draw, loss] = (section.scoring ?? '2-1-0').split('-');
  const choices = [[`${win}-${loss}`, filled(texts.white_wins, `${win}–${loss}`)], [`${draw}-${draw}`, filled(texts.draw, `${draw}–${draw}`)], [`${loss}-${win}`, filled(texts.black_wins, `${loss}–${win}`)], ['*', texts.remove_result]];
  const result = radios(texts.result, choices, chosen ?? pairing.points?.join('-') ?? board?.pairing.proposed ?? '');
  const other = el('input', {maxlength: 20, placeholder: '12-0, 0-0, 1+-1- …'}), how = circumstances(pairing.reason);
  const given = () => other.value.trim() || result.value;
  propose({
    title: `${filled(texts.round, round.round)}. ${filled(texts.board_of, pairing.table, versus(name(pairing.white), name(pairing.black)))}`, verb: pairing.points ? texts.correct_result : texts.enter_result,
    fields: [...refusalOf(refusal), result, field(texts.other_result, other), ...how.fields],
    request: () => !given() ? null : ofTournament({command: 'result', pairing: `${round.round}.${pairing.table}`, result: given(), ...several(section), ...how.said()}),
  });
};

/** A player as the station finds him: by number if several have his name. */
const calledIn = (section, player) => player.number && section.players.filter(other => other.name === player.name).length > 1 ? String(player.number) : player.name;

const playersOf = section => el('section', {'aria-label': texts.players}, el('div.hd', {}, el('h2', {}, texts.players)),
  table(texts.players, [texts.number, texts.name, texts.title, texts.rating, texts.federation, ''], section.players.map(player => [String(player.number ?? '–'), player.name, player.title ?? '', String(player.rating ?? ''), player.federation ?? '',
    button(texts.correct_name, `player ${player.id}`, () => {
      const name = el('input', {maxlength: 200, value: player.name}), reason = el('input', {maxlength: 200});
      propose({title: filled(texts.title_of, texts.name, player.name), verb: texts.correct_name, fields: [field(texts.name, name, texts.correct_name_hint), field(texts.reason, reason)],
        request: () => name.value.trim() && name.value.trim() !== player.name ? ofTournament({command: 'rename-player', player: calledIn(section, player), name: name.value.trim(), ...several(section), ...because(reason)}) : null});
    }, {'aria-label': `${texts.correct_name}: ${player.name}`})]), '.nm.crd'));

/** Draws the place for files of the pairing program. */
const importing = section => {
  const input = el('input', {type: 'file', multiple: true, accept: '.trf,.trfx,.txt,.csv,.pdn', onchange: () => { if (input.files[0]) takeOver([...input.files], section); input.value = ''; }});
  const place = el('div.drop', {
    ondragover: event => { event.preventDefault(); place.classList.add('over'); },
    ondragleave: () => place.classList.remove('over'),
    ondrop: event => { event.preventDefault(); place.classList.remove('over'); if (event.dataTransfer.files[0]) takeOver([...event.dataTransfer.files], section); },
  }, field(texts.import_file, input, texts.import_hint),
  section && el('div.ab', {}, button(texts.round_robin, 'round-robin', () => {
    const double = el('input', {type: 'checkbox'});
    propose({title: texts.round_robin, verb: texts.round_robin_verb, fields: [el('label.check', {}, double, texts.double_round_robin)], request: () => ofTournament({command: 'round-robin', double: double.checked, ...several(section)})});
  })));
  return el('section', {'aria-label': texts.import}, el('div.hd', {}, el('h2', {}, texts.import)), place);
};

const LARGEST_FILE = 4 << 20;

/** Reads a file as a member of a request. */
const contentOf = async file => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try { return {name: file.name, text: new TextDecoder('utf-8', {fatal: true}).decode(bytes)}; } catch {
    // One character per byte: the station detects the encoding.
    return {name: file.name, bytes: true, text: Array.from({length: Math.ceil(bytes.length / 8192)}, (_, part) => String.fromCharCode(...bytes.subarray(part * 8192, (part + 1) * 8192))).join('')};
  }
};

const takeOver = async (files, section) => {
  const size = files.reduce((sum, file) => sum + file.size, 0), names = files.map(file => file.name).join(', ');
  if (size > LARGEST_FILE) { banner(filled(texts.file_too_large, names, size, LARGEST_FILE)); return; }
  // A folder that was dropped cannot be read.
  const read = await Promise.all(files.map(contentOf)).catch(() => null);
  if (!read) { banner(filled(texts.not_done, names)); return; }
  const [first, ...others] = read;
  const format = el('select', {}, ...[['', texts.detect_format], ['trf', 'TRF'], ['csv', 'CSV'], ['pdn', 'PDN']].map(([value, word]) => el('option', {value}, word)));
  const columns = el('input', {maxlength: 500, placeholder: 'Round=Tour,White=Blancs'}), of = el('input', {maxlength: 64, value: sections().length > 1 ? section?.name ?? '' : ''}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(texts.title_of, texts.import, names), verb: texts.import_verb,
    fields: [el('details', {}, el('summary', {}, texts.more), field(texts.format, format), field(texts.csv_columns, columns), field(texts.section, of), field(texts.reason, reason))],
    request: () => ofTournament({command: 'import', ...first, ...(others.length && {others}), ...(format.value && {format: format.value}), ...(columns.value && {columns: columns.value}), ...(of.value && {section: of.value}), ...because(reason)}),
  });
};

views.standings = {
  title: texts.standings,
  draw(place) {
    const all = known.tournament?.standings?.sections ?? [];
    fill(place, [known.tournament?.version, all.length], () => all.length ? all.map(section => {
      const ties = Object.keys(section.rows?.[0]?.tiebreaks ?? {});
      const [results, pairings] = section.results ?? [0, 0];
      return el('section', {}, el('div.hd', {}, el('h2', {}, bdi(section.section === 'main' ? texts.standings : section.section)), el('p', {}, filled(texts.after_round, section.after_round, results, pairings))),
        section.teams?.length > 0 && table(filled(texts.title_of, texts.team, section.section), [texts.rank, texts.team, texts.match_points, texts.board_points, texts.played], section.teams.map(team => [String(team.rank), team.name, team.match_points, team.board_points, String(team.played)])),
        table(filled(texts.title_of, texts.standings, section.section), [texts.rank, texts.name, texts.points, texts.played, ...ties.map(tie => named('tie', tie))], section.rows.map(row => [String(row.rank), row.name, row.points, String(row.games), ...ties.map(tie => [row.tiebreaks[tie] ?? '–'].flat().join(' '))]), '.nm'));
    }) : [el('div.hd', {}, el('h2', {}, texts.no_standings))]);
  },
};
