// The tournament: rounds and pairings, results, names; a file of the pairing program, dropped or chosen. Standings.

const sections = () => known.tournament?.tournament?.sections ?? [];
/** The state of a round: `prepared`, `published`, `open`, `closed`. */
const stateOf = (section, round) => known.tournament?.rounds?.find(one => one.section === section.name && one.round === round)?.state ?? 'prepared';
const several = section => sections().length > 1 ? {section: section.name} : {};
const ofTournament = matter => ({do: 'tournament', request: matter});

views.tournament = {
  title: t.tournament,
  draw(place, chosen) {
    if (!known.tournament) { fill(place, 'nothing', () => [el('p.q', {}, t.tournament_asked)]); return; }
    const all = sections();
    const [section, round] = chosenRound(all, chosen);
    fill(place, [known.tournament.version, section?.name, round, isOperator(), known.status?.boards.map(board => [board.name, board.state, board.pairing?.proposed, board.pairing?.waits_for_result])], () => [
      el('div.hd', {}, el('h2', {}, section ? bdi(all.length > 1 ? section.name : t.rounds) : t.no_tournament), el('p', {}, section ? `${count(t.number_of_players, section.players.length)}, ${filled(t.version, known.tournament.version)}` : t.file_begins)),
      section && el('nav.tabs', {'aria-label': t.rounds},
        ...all.length > 1 ? all.map(other => el('a', {href: `#tournament/${encodeURIComponent(other.name)}/`, 'aria-current': other === section ? 'true' : null, 'data-key': `section ${other.name}`}, bdi(other.name))) : [],
        ...section.rounds.map(one => el('a', {href: `#tournament/${encodeURIComponent(section.name)}/${one.round}`, 'aria-current': one.round === round ? 'page' : null, 'data-key': `round ${one.round}`}, filled(t.round, one.round), el('small', {}, ` ${named('round', stateOf(section, one.round))}`)))),
      section && round && roundOf(section, section.rounds.find(one => one.round === round)),
      section && playersOf(section),
      isOperator() && importing(section),
    ]);
  },
};

/** The section and the round of an address `SECTION/ROUND`; the open one, or the next, if it names none. */
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
  return el('section', {'aria-label': filled(t.round, round.round)},
    el('p', {}, `${filled(t.round_is, round.round, named('round', state))}${round.date ? `, ${round.date}` : ''}. ${missing ? count(t.results_missing, missing) : t.all_results}`),
    el('div.ab', {}, ...{prepared: [turn('published', t.publish_round), turn('open', t.open_round)], published: [turn('open', t.open_round), turn('prepared', t.withdraw_round)], open: [turn('closed', t.close_round)], closed: [turn('open', t.open_round)]}[state] ?? []),
    table(filled(t.pairings_of, round.round), [filled(t.board, '').trim(), t.played_at, t.white, t.black, t.result, ''], round.pairings.map((pairing, index) => {
      const board = known.status?.boards.find(board => board.name === pairing.board && board.pairing?.round === round.round);
      const when = pairing.later && !pairing.points ? named('later', pairing.later) : '';
      const result = pairing.points ? `${pairing.points.join('–')}${pairing.reason && pairing.reason !== 'played' ? `, ${named('reason', pairing.reason)}` : ''}` : board?.pairing.waits_for_result ? board.pairing.proposed ? filled(t.proposed, board.pairing.proposed) : t.waits_for_result : when;
      return [String(pairing.table ?? '–'), pairing.board ? el('a', {href: `#boards/${encodeURIComponent(pairing.board)}`}, pairing.board) : '–', name(pairing.white), name(pairing.black), result,
        pairing.table ? el('div.two', {}, button(pairing.points ? t.correct : t.result, `result ${index}`, () => resultOf(section, round, pairing, name, board), {'aria-label': `${pairing.points ? t.correct : t.result}: ${filled(t.board, pairing.table)}`}),
          button(t.substitute, `substitute ${index}`, () => substitute(section, round, pairing, name), {'aria-label': `${t.substitute}: ${filled(t.board, pairing.table)}`}),
          button(t.later, `later ${index}`, () => playedLater(section, round, pairing, name), {'aria-label': `${t.later}: ${filled(t.board, pairing.table)}`})) : ''];
    }), '.pr'),
    round.byes?.length > 0 && el('p', {}, t.without_opponent, ...round.byes.flatMap((bye, index) => [index ? ', ' : '', bdi(name(bye.player)), ` (${bye.why})`])));
};

/** A pairing is played at another time, on another board, or once more. */
const playedLater = (section, round, pairing, name) => {
  const matters = {postpone: () => ({command: 'postpone'}), undo: () => ({command: 'postpone', undo: true}), begin: () => ({command: 'play-on-board', board: board.value}), replay: () => ({command: 'replay'})};
  const how = radios(t.later, Object.keys(matters).map(word => [word, named('when', word)]), pairing.points ? 'replay' : pairing.later ? 'begin' : 'postpone');
  const board = el('select', {}, ...known.status?.boards.map(board => el('option', {}, board.name)) ?? []), reason = el('input', {maxlength: 200});
  propose({
    title: filled(t.board_of, pairing.table, [pairing.white, pairing.black].map(name).join(' – ')), verb: t.later_verb, fields: [how, field(t.later_board, board), field(t.reason, reason)],
    request: () => ofTournament({...matters[how.value](), pairing: `${round.round}.${pairing.table}`, ...several(section), ...because(reason)}),
  });
};

/** Somebody plays for somebody else. */
const substitute = (section, round, pairing, name) => {
  const names = [pairing.white, pairing.black].map(name);
  const player = radios(t.for_whom, names.map(one => [one, one]), names[0]);
  const by = el('input', {maxlength: 200}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(t.substitute_of, pairing.table, names.join(' – ')), verb: t.substitute_verb, fields: [player, field(t.who_plays, by, t.who_plays_hint), field(t.reason, reason)],
    request: () => by.value.trim() ? ofTournament({command: 'substitute', pairing: `${round.round}.${pairing.table}`, player: player.value, substitute: by.value.trim(), ...several(section), ...because(reason)}) : null,
  });
};

const resultOf = (section, round, pairing, name, board) => {
  const [win, draw, loss] = (section.scoring ?? '2-1-0').split('-');
  const choices = [[`${win}-${loss}`, filled(t.white_wins, `${win}–${loss}`)], [`${draw}-${draw}`, filled(t.draw, `${draw}–${draw}`)], [`${loss}-${win}`, filled(t.black_wins, `${loss}–${win}`)], ['*', t.take_it_back]];
  const result = radios(t.result, choices, pairing.points?.join('-') ?? board?.pairing.proposed ?? '');
  const other = el('input', {maxlength: 20, placeholder: '12-0, 0-0, 1+-1- …'}), how = circumstances();
  const given = () => other.value.trim() || result.value;
  propose({
    title: filled(t.board_of, pairing.table, `${name(pairing.white)} – ${name(pairing.black)}`), verb: pairing.points ? t.correct_result : t.give_result,
    fields: [result, field(t.other_result, other), ...how.fields],
    request: () => !given() ? null : ofTournament({command: 'result', pairing: `${round.round}.${pairing.table}`, result: given(), ...several(section), ...how.said()}),
  });
};

const playersOf = section => el('section', {'aria-label': t.players}, el('div.hd', {}, el('h2', {}, t.players)),
  table(t.players, [t.number, t.name, t.title, t.rating, t.federation, ''], section.players.map(player => [String(player.number ?? '–'), player.name, player.title ?? '', String(player.rating ?? ''), player.federation ?? '',
    button(t.mend_name, `player ${player.id}`, () => {
      const name = el('input', {maxlength: 200, value: player.name}), reason = el('input', {maxlength: 200});
      propose({title: filled(t.name_of, player.name), verb: t.mend_name, fields: [field(t.name, name, t.mend_name_hint), field(t.reason, reason)],
        request: () => name.value.trim() && name.value.trim() !== player.name ? ofTournament({command: 'rename-player', player: player.name === 'N. N.' && player.number ? String(player.number) : player.name, name: name.value.trim(), ...several(section), ...because(reason)}) : null});
    }, {'aria-label': `${t.mend_name}: ${player.name}`})]), '.nm'));

/** A file is dropped here, or chosen. */
const importing = section => {
  const input = el('input', {type: 'file', accept: '.trf,.trfx,.txt,.csv,.pdn', onchange: () => input.files[0] && takeOver(input.files[0], section)});
  const place = el('div.drop', {
    ondragover: event => { event.preventDefault(); place.classList.add('over'); },
    ondragleave: () => place.classList.remove('over'),
    ondrop: event => { event.preventDefault(); place.classList.remove('over'); if (event.dataTransfer.files[0]) takeOver(event.dataTransfer.files[0], section); },
  }, field(t.import_file, input, t.import_hint),
  section && el('div.ab', {}, button(t.round_robin, 'round-robin', () => {
    const double = el('input', {type: 'checkbox'});
    propose({title: t.round_robin, verb: t.round_robin_verb, fields: [el('label.check', {}, double, t.twice)], request: () => ofTournament({command: 'round-robin', double: double.checked, ...several(section)})});
  })));
  return el('section', {'aria-label': t.import}, el('div.hd', {}, el('h2', {}, t.import)), place);
};

const LARGEST_FILE = 4 << 20;

const takeOver = async (file, section) => {
  if (file.size > LARGEST_FILE) { banner(filled(t.too_large, file.name, file.size, LARGEST_FILE)); return; }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text, isBytes = false;
  try { text = new TextDecoder('utf-8', {fatal: true}).decode(bytes); } catch {
    // A character for each byte: the station finds out what they mean.
    isBytes = true;
    text = Array.from({length: Math.ceil(bytes.length / 8192)}, (_, part) => String.fromCharCode(...bytes.subarray(part * 8192, (part + 1) * 8192))).join('');
  }
  const format = el('select', {}, ...[['', t.found_out], ['trf', 'TRF'], ['csv', 'CSV'], ['pdn', 'PDN']].map(([value, word]) => el('option', {value}, word)));
  const columns = el('input', {maxlength: 500, placeholder: 'Round=Tour,White=Blancs'}), of = el('input', {maxlength: 64, value: sections().length > 1 ? section?.name ?? '' : ''}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(t.import_of, file.name), verb: t.import_verb,
    fields: [el('details', {}, el('summary', {}, t.more), field(t.format, format), field(t.columns, columns), field(t.section, of), field(t.reason, reason))],
    request: () => ofTournament({command: 'import', name: file.name, text, ...(isBytes && {bytes: true}), ...(format.value && {format: format.value}), ...(columns.value && {columns: columns.value}), ...(of.value && {section: of.value}), ...because(reason)}),
  });
};

views.standings = {
  title: t.standings,
  draw(place) {
    const all = known.tournament?.standings?.sections ?? [];
    fill(place, [known.tournament?.version, all.length], () => all.length ? all.map(section => {
      const ties = Object.keys(section.rows?.[0]?.tiebreaks ?? {});
      const [results, pairings] = section.results ?? [0, 0];
      return el('section', {}, el('div.hd', {}, el('h2', {}, bdi(section.section === 'main' ? t.standings : section.section)), el('p', {}, filled(t.after_round, section.after_round, results, pairings))),
        section.teams?.length > 0 && table(filled(t.teams_of, section.section), [t.rank, t.team, t.played, t.match_points, t.board_points], section.teams.map(team => [String(team.rank), team.name, String(team.played), team.match_points, team.board_points])),
        table(filled(t.standings_of, section.section), [t.rank, t.name, t.played, t.points, ...ties], section.rows.map(row => [String(row.rank), row.name, String(row.games), row.points, ...ties.map(tie => [row.tiebreaks[tie] ?? '–'].flat().join(' '))]), '.nm'));
    }) : [el('div.hd', {}, el('h2', {}, t.no_standings))]);
  },
};
