// The tournament: rounds and pairings, results, names; a file of the pairing program, dropped or chosen. Standings.

const POINTS = {'not played': 'not played', 'forfeit': 'forfeit', 'both lost': 'both lost', 'arbiter': 'arbiter'};
const sections = () => known.tournament?.tournament?.sections ?? [];
/** The state of a round: `prepared`, `published`, `open`, `closed`. */
const stateOf = (section, round) => known.tournament?.rounds?.find(one => one.section === section.name && one.round === round)?.state ?? 'prepared';
const several = section => sections().length > 1 ? {section: section.name} : {};
const ofTournament = matter => ({do: 'tournament', request: matter});

views.tournament = {
  title: 'Tournament',
  draw(place, chosen) {
    if (!known.tournament) { fill(place, 'nothing', () => [el('p.q', {}, 'The tournament is asked for …')]); return; }
    const all = sections();
    const [section, round] = chosenRound(all, chosen);
    fill(place, [known.tournament.version, section?.name, round, isOperator(), known.status?.boards.map(board => [board.name, board.state, board.pairing?.proposed, board.pairing?.waits_for_result])], () => [
      el('div.hd', {}, el('h2', {}, section ? bdi(all.length > 1 ? section.name : 'Rounds') : 'There is no tournament yet'), el('p', {}, section ? `${plural(section.players.length, 'player', 'players')}, version ${known.tournament.version}` : 'A file of the pairing program begins one: TRF, CSV or PDN.')),
      section && el('nav.tabs', {'aria-label': 'Rounds'},
        ...all.length > 1 ? all.map(other => el('a', {href: `#tournament/${encodeURIComponent(other.name)}/`, 'aria-current': other === section ? 'true' : null, 'data-key': `section ${other.name}`}, bdi(other.name))) : [],
        ...section.rounds.map(one => el('a', {href: `#tournament/${encodeURIComponent(section.name)}/${one.round}`, 'aria-current': one.round === round ? 'page' : null, 'data-key': `round ${one.round}`}, `Round ${one.round}`, el('small', {}, ` ${stateOf(section, one.round)}`)))),
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
    request: () => ofTournament({matter: 'round', round: round.round, to, ...several(section)}),
  }));
  const missing = round.pairings.filter(pairing => !pairing.points).length;
  return el('section', {'aria-label': `Round ${round.round}`},
    el('p', {}, `Round ${round.round} is ${state}${round.date ? `, ${round.date}` : ''}. ${missing ? `${plural(missing, 'result is', 'results are')} missing.` : 'All results are there.'}`),
    el('div.ab', {}, ...{prepared: [turn('published', 'Publish round'), turn('open', 'Open round')], published: [turn('open', 'Open round'), turn('prepared', 'Withdraw round')], open: [turn('closed', 'Close round')], closed: [turn('open', 'Open round')]}[state] ?? []),
    table(`Pairings of round ${round.round}`, ['Board', 'Played at', 'White', 'Black', 'Result', '', ''], round.pairings.map((pairing, index) => {
      const board = known.status?.boards.find(board => board.name === pairing.board && board.pairing?.round === round.round);
      const result = pairing.points ? `${pairing.points.join('–')}${POINTS[pairing.reason] ? `, ${pairing.reason}` : ''}` : board?.pairing.waits_for_result ? `proposed: ${board.pairing.proposed ?? 'none'}` : '';
      return [String(pairing.table ?? '–'), pairing.board ? el('a', {href: `#boards/${encodeURIComponent(pairing.board)}`}, pairing.board) : '–', name(pairing.white), name(pairing.black), result,
        pairing.table ? button(pairing.points ? 'Correct' : 'Result', `result ${index}`, () => resultOf(section, round, pairing, name, board), {'aria-label': `Result of board ${pairing.table}`}) : '',
        pairing.table ? button('Substitute', `substitute ${index}`, () => substitute(section, round, pairing, name), {'aria-label': `Substitute at board ${pairing.table}`}) : ''];
    })),
    round.byes?.length > 0 && el('p', {}, 'Without opponent: ', ...round.byes.flatMap((bye, index) => [index ? ', ' : '', bdi(name(bye.player)), ` (${bye.why})`])));
};

/** Somebody plays for somebody else. */
const substitute = (section, round, pairing, name) => {
  const names = [pairing.white, pairing.black].map(name);
  const player = radios('For whom', names.map(one => [one, one]), names[0]);
  const by = el('input', {maxlength: 200}), reason = el('input', {maxlength: 200});
  propose({
    title: `Substitute at board ${pairing.table}: ${names.join(' – ')}`, verb: 'Let him play', fields: [player, field('Who plays', by, 'The name, or his number in the files of the pairing program.'), field('Reason', reason)],
    request: () => by.value.trim() ? ofTournament({matter: 'substitute', pairing: `${round.round}.${pairing.table}`, player: player.value, by: by.value.trim(), ...several(section), ...(reason.value && {reason: reason.value})}) : null,
  });
};

const resultOf = (section, round, pairing, name, board) => {
  const [win, draw, loss] = (section.scoring ?? '2-1-0').split('-');
  const choices = [[`${win}-${loss}`, `White wins, ${win}–${loss}`], [`${draw}-${draw}`, `Draw, ${draw}–${draw}`], [`${loss}-${win}`, `Black wins, ${loss}–${win}`], ['*', 'No result, take it back']];
  const result = radios('Result', choices, pairing.points?.join('-') ?? board?.pairing.proposed ?? '');
  const other = el('input', {maxlength: 20, placeholder: '12-0, 0-0 …'}), reason = el('input', {maxlength: 200, placeholder: 'signed sheet'});
  const why = el('select', {}, ...[['', 'as it was played'], ['forfeit', 'forfeit'], ['both lost', 'both lost'], ['arbiter', 'the arbiter’s decision'], ['not played', 'not played']].map(([value, text]) => el('option', {value}, text)));
  const given = () => other.value.trim() || result.value;
  propose({
    title: `Board ${pairing.table}: ${name(pairing.white)} – ${name(pairing.black)}`, verb: pairing.points ? 'Correct the result' : 'Give the result',
    fields: [result, field('Another result', other), field('How it came about', why), field('Reason', reason, 'It stands in the record.')],
    request: () => !given() ? null : ofTournament({matter: 'result', pairing: `${round.round}.${pairing.table}`, result: given(), ...several(section), ...(why.value && {why: why.value}), ...(reason.value && {reason: reason.value})}),
  });
};

const playersOf = section => el('section', {'aria-label': 'Players'}, el('div.hd', {}, el('h2', {}, 'Players')),
  table('Players', ['Number', 'Name', 'Title', 'Rating', 'Federation', ''], section.players.map(player => [String(player.number ?? '–'), player.name, player.title ?? '', String(player.rating ?? ''), player.federation ?? '',
    button('Mend the name', `player ${player.id}`, () => {
      const name = el('input', {maxlength: 200, value: player.name}), reason = el('input', {maxlength: 200});
      propose({title: `Name of ${player.name}`, verb: 'Mend the name', fields: [field('Name', name, 'Everything that is shown has it from now on; live files keep the old one.'), field('Reason', reason)],
        request: () => name.value.trim() && name.value.trim() !== player.name ? ofTournament({matter: 'player', player: player.name, name: name.value.trim(), ...several(section), ...(reason.value && {reason: reason.value})}) : null});
    }, {'aria-label': `Mend the name of ${player.name}`})])));

/** A file is dropped here, or chosen. */
const importing = section => {
  const input = el('input', {type: 'file', accept: '.trf,.trfx,.txt,.csv,.pdn', onchange: () => input.files[0] && takeOver(input.files[0], section)});
  const place = el('div.drop', {
    ondragover: event => { event.preventDefault(); place.classList.add('over'); },
    ondragleave: () => place.classList.remove('over'),
    ondrop: event => { event.preventDefault(); place.classList.remove('over'); if (event.dataTransfer.files[0]) takeOver(event.dataTransfer.files[0], section); },
  }, field('A file of the pairing program', input, 'TRF, CSV or PDN without moves. Drop it here, or choose it. You see what it changes before it does.'),
  section && el('div.ab', {}, button('Pair a round robin', 'round-robin', () => {
    const double = el('input', {type: 'checkbox'});
    propose({title: 'Pair a round robin', verb: 'Pair them', fields: [el('label.check', {}, double, 'Everybody meets everybody twice.')], request: () => ofTournament({matter: 'round-robin', double: double.checked, ...several(section)})});
  })));
  return el('section', {'aria-label': 'Import'}, el('div.hd', {}, el('h2', {}, 'Import')), place);
};

const LARGEST_FILE = 4 << 20;

const takeOver = async (file, section) => {
  if (file.size > LARGEST_FILE) { banner(`${file.name} has ${file.size} bytes; ${LARGEST_FILE} are the most.`); return; }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text, isBytes = false;
  try { text = new TextDecoder('utf-8', {fatal: true}).decode(bytes); } catch {
    // A character for each byte: the station finds out what they mean.
    isBytes = true;
    text = Array.from({length: Math.ceil(bytes.length / 8192)}, (_, part) => String.fromCharCode(...bytes.subarray(part * 8192, (part + 1) * 8192))).join('');
  }
  const format = el('select', {}, ...[['', 'found out'], ['trf', 'TRF'], ['csv', 'CSV'], ['pdn', 'PDN']].map(([value, word]) => el('option', {value}, word)));
  const columns = el('input', {maxlength: 500, placeholder: 'Round=Tour,White=Blancs'}), of = el('input', {maxlength: 64, value: sections().length > 1 ? section?.name ?? '' : ''}), reason = el('input', {maxlength: 200});
  propose({
    title: `Import ${file.name}`, verb: 'Take it over',
    fields: [el('details', {}, el('summary', {}, 'More'), field('Format', format), field('What the columns of a CSV are called', columns), field('Section', of), field('Reason', reason))],
    request: () => ofTournament({matter: 'import', name: file.name, text, ...(isBytes && {bytes: true}), ...(format.value && {format: format.value}), ...(columns.value && {columns: columns.value}), ...(of.value && {section: of.value}), ...(reason.value && {reason: reason.value})}),
  });
};

views.standings = {
  title: 'Standings',
  draw(place) {
    const all = known.tournament?.standings?.sections ?? [];
    fill(place, [known.tournament?.version, all.length], () => all.length ? all.map(section => {
      const ties = Object.keys(section.rows?.[0]?.tiebreaks ?? {});
      const [results, pairings] = section.results ?? [0, 0];
      return el('section', {}, el('div.hd', {}, el('h2', {}, bdi(section.section)), el('p', {}, `After round ${section.after_round}: ${results} of ${pairings} results`)),
        section.teams?.length > 0 && table(`Teams of ${section.section}`, ['Place', 'Team', 'Played', 'Match points', 'Board points'], section.teams.map(team => [String(team.rank), team.name, String(team.played), team.match_points, team.board_points])),
        table(`Standings of ${section.section}`, ['Place', 'Name', 'Games', 'Points', ...ties], section.rows.map(row => [String(row.rank), row.name, String(row.games), row.points, ...ties.map(tie => [row.tiebreaks[tie] ?? '–'].flat().join(' '))])));
    }) : [el('div.hd', {}, el('h2', {}, 'There are no standings yet'))]);
  },
};
