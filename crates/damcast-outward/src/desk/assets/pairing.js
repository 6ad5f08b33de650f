// Pairings of the next round: by the pairing program of the configuration, or by hand.

/** The last round with pairings. */
const lastPaired = section => section.rounds.filter(round => round.pairings.length).at(-1);

/** Players with their number, for lists. */
const listed = player => `${player.number ? `${player.number} ` : ''}${player.name}`;

/** Opens the dialog that pairs the next round by the program. */
const pairByEngine = section => {
  const last = lastPaired(section), wasAbsent = new Set((last?.byes ?? []).filter(bye => bye.why === 'absent').map(bye => bye.player));
  const boxes = section.players.map(player => [player, el('input', {type: 'checkbox', checked: !wasAbsent.has(player.id)})]);
  const rounds = el('input', {type: 'number', min: 1, max: 200, value: section.planned_rounds ?? ''});
  const colour = radios(texts.first_colour, [['white', texts.white], ['black', texts.black]], 'white');
  const notes = el('div', {role: 'status'});
  // A program knows players by number or name; a name that several have is no name.
  const called = player => player.number ? String(player.number) : player.name;
  let paired = null, isRunning = false, isOutdated = false;
  // One run at a time; the last change of a field counts.
  const run = async () => {
    paired = null;
    isOutdated = isRunning;
    if (isRunning) return;
    isRunning = true;
    notes.replaceChildren(el('p.q', {}, texts.pairing_at_work));
    const chosen = is => boxes.filter(([, box]) => box.checked === is).map(([player]) => player);
    const choices = {absent: chosen(false).map(called), present: chosen(true).filter(player => wasAbsent.has(player.id)).map(called), first_has_black: colour.value === 'black', ...(rounds.value && {rounds: Number(rounds.value)})};
    const answer = await api('/api/pair', {...several(section), choices});
    isRunning = false;
    if (isOutdated) { run(); return; }
    paired = answer.ok ? answer.request : null;
    notes.replaceChildren(...answer.ok ? answer.notes.map(note => el('p.q', {}, english(note))) : [el('p.no', {}, english(answer.error))]);
    dialog.preview();
  };
  const dialog = propose({
    title: filled(texts.pair_round, (last?.round ?? 0) + 1), verb: texts.round_robin_verb,
    fields: [field(texts.number_of_rounds, rounds), !last && colour,
      el('details', {open: wasAbsent.size > 0}, el('summary', {}, texts.present_players), el('div.checks', {}, ...boxes.map(([player, box]) => el('label.check', {}, box, bdi(listed(player)))))), notes].filter(Boolean),
    request: () => paired && ofTournament(paired),
    // All pairs would fill a phone.
    done: () => banner(filled(texts.pair_round, (last?.round ?? 0) + 1), true),
    refused: () => run(),
  });
  // Every change of a field asks the program again.
  dialog.dialog.querySelector('form').addEventListener('change', event => { if (event.target.dataset.key !== 'confirm') run(); });
  run();
};

/** Players whose number or name a text gives. */
const playersCalled = (players, text) => {
  const plain = text.trim().toLowerCase();
  const exact = players.filter(player => String(player.number) === plain || player.name.toLowerCase() === plain);
  return exact.length ? exact : players.filter(player => plain && player.name.toLowerCase().includes(plain));
};

/** Opens the dialog that pairs a round by hand: tap two players, drag one to another, or type both. */
const pairByHand = section => {
  const last = lastPaired(section);
  const isAnew = last && stateOf(section, last.round) === 'prepared' && last.pairings.every(pairing => !pairing.points && pairing.white && pairing.black);
  const round = isAnew ? last.round : (last?.round ?? 0) + 1;
  const given = section.rounds.find(one => one.round === round)?.byes ?? [];
  const isMade = bye => bye.why === 'bye' || bye.why === 'absent';
  const resting = new Set(given.filter(bye => !isMade(bye) || !isAnew).map(bye => bye.player));
  const players = section.players.filter(player => !resting.has(player.id));
  const player = id => players.find(one => one.id === id) ?? {id, name: '–'};
  const pairs = isAnew ? last.pairings.map(pairing => [pairing.white, pairing.black]) : [];
  let bye = isAnew ? given.find(one => one.why === 'bye')?.player ?? null : null, chosen = null;
  const free = el('div.free', {role: 'group', 'aria-label': texts.free_players}), boards = el('ol.pairs', {'aria-label': texts.pairings});
  const typed = el('input', {maxlength: 200, autocomplete: 'off', placeholder: texts.pair_example}), mistake = el('p.no', {role: 'alert'});
  const alone = el('select', {onchange: () => { bye = Number(alone.value) || null; draw(); }});
  const isFree = one => one.id !== bye && !pairs.flat().includes(one.id);
  const change = () => { draw(); dialog.preview(); };
  const unite = (white, black) => { chosen = null; if (white !== black) pairs.push([white, black]); change(); };
  const tap = id => { if (chosen === null) { chosen = id; draw(); } else unite(chosen, id); };
  const draw = () => {
    const key = document.activeElement?.dataset.key;
    free.replaceChildren(...players.filter(isFree).map(one => el('button.btn', {
      type: 'button', draggable: 'true', 'data-key': `player ${one.id}`, 'aria-pressed': String(one.id === chosen), onclick: () => one.id === chosen ? (chosen = null, draw()) : tap(one.id),
      ondragstart: event => event.dataTransfer.setData('text/plain', String(one.id)), ondragover: event => event.preventDefault(),
      ondrop: event => { event.preventDefault(); const other = Number(event.dataTransfer.getData('text/plain')); if (players.some(known => known.id === other) && isFree(player(other))) unite(other, one.id); },
    }, bdi(listed(one)))));
    boards.replaceChildren(...pairs.map(([white, black], index) => el('li', {}, el('span', {}, bdi(player(white).name), ' – ', bdi(player(black).name)),
      button(texts.swap_colours, `swap ${index}`, () => { pairs[index].reverse(); change(); }, {'aria-label': `${texts.swap_colours}: ${player(white).name} – ${player(black).name}`}),
      button(texts.remove, `part ${index}`, () => { pairs.splice(index, 1); change(); }, {'aria-label': `${texts.remove}: ${player(white).name} – ${player(black).name}`}))));
    alone.replaceChildren(el('option', {value: ''}, '–'), ...players.filter(one => one.id === bye || isFree(one)).map(one => el('option', {value: String(one.id), selected: one.id === bye}, listed(one))));
    (key && $(`[data-key="${CSS.escape(key)}"]`, dialog.dialog) || document.activeElement === document.body && $('.free button', dialog.dialog))?.focus?.();
  };
  const type = event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const text = typed.value.trim(), both = text.split(/\s+[-–]\s+|\s*;\s*/).length === 2 ? text.split(/\s+[-–]\s+|\s*;\s*/) : text.split(/[\s-]+/);
    const found = both.map(one => playersCalled(players.filter(isFree), one));
    const wrong = both.length !== 2 ? text : both.find((_, index) => found[index].length !== 1);
    mistake.textContent = wrong === undefined ? '' : filled(texts.no_such_player, wrong);
    if (wrong !== undefined) return;
    typed.value = '';
    unite(found[0][0].id, found[1][0].id);
  };
  typed.addEventListener('keydown', type);
  const dialog = propose({
    title: filled(texts.pair_round, round), verb: texts.round_robin_verb,
    fields: [el('p.q.s', {}, texts.pair_by_hand_hint), free, field(texts.type_pair, typed), mistake, boards, field(texts.without_opponent_field, alone)],
    request: () => pairs.length ? ofTournament({command: 'pair-round', round, pairs, byes: bye ? [bye] : [], ...several(section)}) : null,
    done: () => banner(filled(texts.pair_round, round), true),
  });
  draw();
};

/** Buttons that pair a round of the section as it is when they are pressed. */
const pairing = ({name}) => [['pair-by-engine', texts.pair_by_engine, pairByEngine], ['pair-by-hand', texts.pair_by_hand, pairByHand]].map(([key, title, open]) =>
  button(title, key, () => open(sections().find(section => section.name === name))));
