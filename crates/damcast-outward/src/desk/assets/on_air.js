// On air: the board that pages and overlays lead with. A tap chooses it at once.

/** Name of a board in a choice: its number in the round, which viewers know before its first game, or its name if another board has that number. */
const featuredName = board => {
  const number = board.pairing?.board_number, isShared = known.status.boards.some(other => other !== board && other.pairing?.board_number === number);
  return sections().length === 1 && number && !isShared ? String(number) : board.name;
};
const featuredNow = () => known.tournament?.featured ?? {mode: 'off'};
/** Boards of the present choice, by their names or numbers. */
const featuredBoards = () => featuredNow().boards ?? [featuredNow().board];
const isFeatured = board => featuredBoards().some(one => one === board.name || one === featuredName(board));

/** Names of the boards whose boxes are ticked: those of the present turn, until the operator ticks others. */
const inTurn = boards => views.on_air.turns ?? new Set(featuredNow().mode === 'in-turn' ? boards.filter(isFeatured).map(board => board.name) : []);

/** Sends a choice, and shows the answer of the station. */
const feature = async choice => {
  const reply = await ask(ofTournament({command: 'feature', ...choice}));
  if (reply.ok) views.on_air.turns = views.on_air.every = undefined;
  learnTournament();
  banner(reply.ok ? plain(reply.messages?.[0] ?? texts.done) : failure(reply), reply.ok);
};

const featuredText = () => {
  const {mode, every} = featuredNow();
  return {board: () => filled(texts.featured_board, featuredBoards()[0]), 'in-turn': () => filled(texts.featured_in_turn, featuredBoards().join(', '), every), 'most-moves': () => texts.featured_most_moves}[mode]?.() ?? texts.featured_off;
};

views.on_air = {
  title: texts.on_air,
  turns: undefined,
  every: undefined,
  draw(place) {
    if (!known.status || !known.tournament) { fill(place, 'nothing', () => [el('p.q', {}, texts.loading_status)]); return; }
    const boards = known.status.boards;
    fill(place, [known.tournament.featured, boards.map(board => [board.name, board.state, ...players(board), numberOf(board)])], () => {
      const every = el('input', {type: 'number', min: 5, max: 3600, value: views.on_air.every ?? featuredNow().every ?? 20, 'data-key': 'every', oninput: () => { views.on_air.every = Number(every.value); }});
      const turns = () => boards.filter(board => inTurn(boards).has(board.name)).map(featuredName);
      return [
        el('div.hd', {}, el('h2', {}, texts.on_air), el('p', {}, featuredText())),
        el('p', {}, texts.on_air_hint),
        el('div.ab', {},
          button(texts.most_moves, 'most-moves', () => feature({most_moves: true}), {'aria-pressed': String(featuredNow().mode === 'most-moves')}),
          button(texts.no_featured, 'off', () => feature({}), {'aria-pressed': String(featuredNow().mode === 'off')})),
        table(texts.all_boards, [texts.board_heading, texts.white, texts.black, texts.state, texts.in_turn, ''], boards.map(board => {
          const [white, black] = players(board);
          const turn = el('input', {type: 'checkbox', checked: inTurn(boards).has(board.name), 'data-key': `turn ${board.name}`, 'aria-label': `${texts.in_turn}: ${board.name}`,
            onchange: () => { const chosen = new Set(inTurn(boards)); chosen[turn.checked ? 'add' : 'delete'](board.name); views.on_air.turns = chosen; }});
          return [`${numberOf(board)} (${board.name})`, white, black, wordOf(board), el('label.turn', {}, turn, el('span', {}, texts.in_turn)),
            button(texts.on_air, `feature ${board.name}`, () => feature({boards: [featuredName(board)]}), {'aria-label': `${texts.on_air}: ${board.name}`, 'aria-pressed': String(featuredNow().mode === 'board' && isFeatured(board))})];
        }), '.oa'),
        el('div.ab', {}, field(texts.seconds_each, every),
          button(texts.show_in_turn, 'in-turn', () => { const chosen = turns(); if (chosen[1]) feature({boards: chosen, every: Number(every.value)}); else banner(texts.choose_two, false); }, {'aria-pressed': String(featuredNow().mode === 'in-turn')})),
      ];
    });
  },
};
