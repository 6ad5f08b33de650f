// Set up: boards, the event and its players, without a file. Each step is done at once, and can be undone.

// Contents before and after the last own step: `previous`, `left`.
const evening = {asked: 0, setup: null, previous: null, left: null, amount: '1', names: '', tags: {}, changes: 0, last: Promise.resolve()};

/** Changes the contents of `setup.toml`, after the changes before: `change` gets the contents that those have left. The station
 * refuses it if the file has other contents than `before()`. */
const changeSetup = (change, before = contents) => evening.last = evening.last.then(async () => {
  const seen = before(), next = change(seen);
  evening.changes++;
  const reply = await ask({do: 'set-up', seen, contents: next});
  evening.changes++;
  evening.asked = 0;
  if (!reply.ok) { banner(failure(reply)); show(); return false; }
  Object.assign(evening, {previous: seen, left: next});
  evening.setup = {...evening.setup, contents: next};
  banner(plain(reply.messages.join(' · ')) || texts.done, true);
  show();
  return true;
});

/** Makes a change once, although its button is pressed again before it is done. */
const changeOnce = async (button, change) => {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  try { await change(); } finally { button.ariaDisabled = null; }
};

/** The contents of `setup.toml`, the newest that are known: buttons outlive a change. */
const contents = () => evening.setup.contents;
const ownLines = () => contents().line ?? [];
const addLines = lines => changeSetup(seen => ({...seen, line: [...ownLines(), ...lines()]}));
/** The first free names `word-1`, `word-2`, .. */
const freeNames = (word, amount) => {
  const taken = new Set([...evening.setup.lines, ...ownLines().map(line => line.name)]);
  return Array.from({length: 999}, (_, index) => `${word}-${index + 1}`).filter(name => !taken.has(name)).slice(0, amount);
};
const gameType = () => ownLines().at(-1)?.['game-type'] ?? '20';

/** Asks which tables get new codes. A new code replaces the old one of its table, so tables with a running game are not ticked at first. */
const askForCodes = names => {
  const isFree = name => !known.status?.boards.find(board => board.name === name)?.is_ongoing;
  const boxes = names.map(name => [name, el('input', {type: 'checkbox', checked: names.length === 1 || isFree(name)})]);
  const dialog = $('#dialog'), make = event => {
    event.preventDefault();
    const button = $('[type=submit]', event.currentTarget);
    changeOnce(button, () => showCodes(boxes.filter(([, box]) => box.checked).map(([name]) => name), button));
  };
  dialog.replaceChildren(el('form', {onsubmit: make}, el('h2', {id: 'dialog-title'}, texts.codes), el('p', {}, texts.codes_hint),
    el('div.checks', {}, ...boxes.map(([name, box]) => el('label.check', {}, box, bdi(name)))),
    el('div.ab', {}, el('button.btn.p', {type: 'submit'}, texts.make_codes), el('button.btn', {type: 'button', onclick: () => dialog.close()}, texts.cancel))));
  dialog.showModal();
};

/** Makes codes of tables without boards, and shows one sheet a table, to print or to scan. The button tells how many are made. */
const showCodes = async (names, button) => {
  const sheets = [];
  for (const board of names) {
    button.textContent = filled(texts.count_of_all, sheets.length + 1, names.length);
    const answer = await api('/api/entry-code', {board});
    // Show the sheets made so far: their codes are already the valid ones.
    if (!answer.ok) { sheets.unshift(el('p.no', {role: 'alert'}, filled(texts.not_done, `${board}: ${plain(answer.error)}`))); break; }
    sheets.push(el('section.sheet', {}, el('h3', {}, bdi(board)), answer.svg && el('div.code', {}, drawing(answer.svg)), el('p', {}, filled(texts.entry_code, answer.code)), answer.address && el('p.q.s', {}, answer.address.split('#')[0])));
  }
  const dialog = $('#dialog');
  dialog.replaceChildren(el('h2', {id: 'dialog-title'}, texts.codes), el('p.q', {}, texts.codes_hint), ...sheets,
    el('div.ab', {}, el('button.btn.p', {type: 'button', onclick: () => print()}, texts.print), el('button.btn', {type: 'button', onclick: () => dialog.close()}, texts.close)));
  if (!dialog.open) dialog.showModal();
};

/** A form that adds tables without boards. */
const addingTables = () => {
  // Keep the number: other changes draw this form again.
  const amount = el('input', {type: 'number', min: 1, max: 64, value: evening.amount, 'data-key': 'amount', oninput: () => { evening.amount = amount.value; }});
  const add = event => {
    event.preventDefault();
    const wanted = Number(amount.value);
    evening.amount = '1';
    changeOnce($('[type=submit]', event.currentTarget), () => addLines(() => freeNames('table', wanted).map(name => ({name, mode: 'entry', 'game-type': gameType()}))));
  };
  return el('form', {onsubmit: add}, field(texts.tables_without_boards, amount, texts.tables_hint), el('div.ab', {}, el('button.btn', {type: 'submit', 'data-key': 'add-tables'}, texts.add_tables)));
};

/** Draws boards and tables, and the ports at which more boards may be. */
const drawLines = place => {
  const {setup} = evening, boards = known.status?.boards ?? [], lines = known.status?.lines ?? [];
  const rows = setup.lines.map(name => [name, lines.find(line => line.name === name)?.port ?? '–', boards.filter(board => board.line === name).map(board => board.text).join(', '), ownLines().some(own => own.name === name)]);
  const free = setup.ports.filter(port => !port.line && !ownLines().some(own => own.port === port.port));
  fill(place, [rows, free], () => [el('div.hd', {}, el('h2', {}, texts.boards)),
    rows.length ? table(texts.boards, [texts.board_heading, texts.port, texts.state, ''], rows.map(([name, port, state, isOwn]) => [
      el('a', {href: `#boards/${encodeURIComponent(name)}`}, bdi(name)), port, english(state),
      isOwn ? button(texts.remove, `remove ${name}`, () => changeSetup(seen => ({...seen, line: ownLines().filter(own => own.name !== name)})), {'aria-label': `${texts.remove}: ${name}`}) : texts.of_configuration])) : el('p.q', {}, texts.no_boards_yet),
    free.length > 0 && el('h3', {}, texts.free_ports),
    free.length > 0 && table(texts.free_ports, [texts.port, texts.device, ''], free.map(port => {
      const [name] = freeNames('board', 1);
      return [port.port, port.product ?? (port.is_board ? 'DGT' : '–'), button(filled(texts.add_as, name), `add ${port.port}`, () => addLines(() => [{name, port: port.port, 'game-type': gameType()}]))];
    })),
    free.length > 0 && el('p.q.s', {}, texts.try_hint),
    addingTables(),
    el('p.q.s', {}, texts.phones_hint),
    ownLines().some(line => line.mode === 'entry') && el('div.ab', {}, button(texts.codes, 'codes', () => askForCodes(ownLines().filter(line => line.mode === 'entry').map(line => line.name))))]);
};

/** Draws the name, place and time control of the event, and the game of all tables. */
const drawEvent = place => {
  const tags = contents().station?.tags ?? {};
  fill(place, [tags, gameType()], () => {
    // Keep what was typed: other changes draw this form again.
    const typed = evening.tags, input = name => el('input', {maxlength: 200, value: typed[name] ?? tags[name] ?? '', 'data-key': name, oninput: event => { typed[name] = event.target.value; }});
    const inputs = ['Event', 'Site', 'TimeControl'].map(name => [name, input(name)]);
    const games = el('select', {}, ...[20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 40, 41].map(number => el('option', {value: String(number), selected: String(number) === gameType()}, named('game', String(number)))));
    const save = event => {
      event.preventDefault();
      const given = Object.fromEntries(inputs.map(([name, input]) => [name, input.value.trim()]).filter(([, value]) => value));
      changeSetup(({station, line, ...rest}) => {
        evening.tags = {};
        const others = Object.fromEntries(Object.entries(station?.tags ?? {}).filter(([name]) => !inputs.some(([known]) => known === name)));
        return {...rest, station: {...station, tags: {...others, ...given}}, ...(line && {line: line.map(one => ({...one, 'game-type': games.value}))})};
      });
    };
    return [el('div.hd', {}, el('h2', {}, texts.the_event)), el('form', {onsubmit: save},
      field(texts.event_name, inputs[0][1]), field(texts.event_place, inputs[1][1]), field(texts.time_control, inputs[2][1], texts.time_control_hint), field(texts.game_of_tables, games),
      el('div.ab', {}, el('button.btn.p', {type: 'submit', 'data-key': 'save-event'}, texts.save)))];
  });
};

/** Draws the list in which people type players, and what follows from it. */
const drawEntrants = place => {
  const [section] = sections();
  fill(place, [section?.players.length ?? 0, section?.rounds.length ?? 0], () => {
    const names = el('textarea', {rows: 8, maxlength: 20_000, placeholder: texts.players_example, value: evening.names, 'data-key': 'names', oninput: () => { evening.names = names.value; }});
    const players = () => names.value.split('\n').map(line => line.split(/[;\t]/).map(cell => cell.trim())).filter(([name]) => name);
    const cell = text => `"${(text ?? '').replaceAll('"', '""')}"`;
    const csv = () => ['Name;Club;Rating', ...players().map(([name, club, rating]) => [name, club, rating].map(cell).join(';'))].join('\n');
    return [el('div.hd', {}, el('h2', {}, texts.players), section && el('p', {}, count(texts.number_of_players, section.players.length))),
      field(texts.type_players, names, texts.type_players_hint),
      el('div.ab', {}, button(texts.add_players, 'add-players', () => propose({title: texts.add_players, verb: texts.add_players, request: () => players().length ? ofTournament({command: 'import', name: 'players.csv', text: csv(), format: 'csv', ...(section && several(section))}) : null, done: () => { evening.names = names.value = ''; }})),
        ...(section ? pairing(section) : []),
        section && !section.rounds.length && button(texts.round_robin, 'round-robin', () => {
          const double = el('input', {type: 'checkbox'});
          propose({title: texts.round_robin, verb: texts.round_robin_verb, fields: [el('label.check', {}, double, texts.double_round_robin)], request: () => ofTournament({command: 'round-robin', double: double.checked, ...several(section)})});
        })),
      el('p.q', {}, el('a', {href: '#tournament'}, texts.go_to_tournament))];
  });
};

views.set_up = {
  title: texts.set_up,
  async draw(place) {
    if (!isOperator()) { fill(place, 'arbiter', () => [el('p.q', {}, texts.set_up_operators)]); return; }
    if (Date.now() - evening.asked > 5000) {
      evening.asked = Date.now();
      const {changes} = evening;
      const answer = await ask({do: 'show-setup'});
      // Ignore the answer if something was changed meanwhile: it may be older than the change.
      if (where().view !== 'set_up' || changes !== evening.changes) return;
      if (!answer.ok) { fill(place, answer.error, () => [el('div.hd', {}, el('h2', {}, texts.set_up)), /no configuration file/.test(answer.error) ? el('p', {}, texts.no_config_file) : el('p.no', {}, english(answer.error))]); return; }
      evening.setup = answer.setup;
    }
    const {setup, previous} = evening;
    if (!setup) return;
    // Remove an error that was shown in place of the page.
    if (!$('#set-up-head', place)) { place.replaceChildren(); delete place.dataset.mark; }
    fill(part(place, 'div', {id: 'set-up-head'}), [setup.mistake, Boolean(previous)], () => [
      el('div.hd', {}, el('h2', {}, texts.set_up), el('p', {}, texts.set_up_hint)),
      setup.mistake && el('p.no', {}, texts.set_up_mistake, ' ', english(setup.mistake)),
      previous && el('div.ab', {}, button(texts.undo_set_up, 'undo', event => changeOnce(event.currentTarget, () => changeSetup(() => evening.previous, () => evening.left))))]);
    drawLines(part(place, 'section', {id: 'set-up-lines'}));
    drawEvent(part(place, 'section', {id: 'set-up-event'}));
    drawEntrants(part(place, 'section', {id: 'set-up-players'}));
  },
};