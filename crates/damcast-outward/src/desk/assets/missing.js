// Moves that a board missed, and moves that people enter.

/** Adds the moves that a board missed to a game that is over. */
const addMoves = board => {
  const text = el('textarea', {rows: 4, maxlength: 20000, placeholder: '41. 37-32 18-23'}), reason = el('input', {maxlength: 200});
  propose({
    title: filled(texts.title_of, texts.missing_moves, called(board)), verb: texts.add_moves,
    fields: [field(texts.moves, text, texts.add_moves_hint), field(texts.reason, reason)],
    request: () => ({do: 'tournament', request: {command: 'add-moves', board: board.name, game: board.game, name: 'the moves', text: text.value, ...because(reason)}}),
  });
};

/** Adds missing moves to the running game: those that the station offers, or others. */
const offerMoves = async board => {
  const reply = await ask({do: 'offer-moves', board: board.name});
  // The user may have opened another dialog meanwhile.
  if ($('#dialog').open) return;
  if (reply.error) { banner(plain(reply.error)); return; }
  const places = reply.missing_moves ?? [];
  const word = (place, moves) => `${moves === 'none' ? texts.no_move_made : moves}${places.length > 1 ? ` (${filled(texts.after_entry, place.after)})` : ''}`;
  const offers = places.flatMap(place => place.offers.map(moves => [`${place.game} ${place.after} ${moves}`, word(place, moves)]));
  const chosen = radios(texts.offered_moves, offers, '');
  const others = el('input', {maxlength: 400, placeholder: '19-23 28x19'});
  // Typed moves belong to the place of the chosen offer, or to the first place.
  const place = () => /^\d+ \d+/.exec(chosen.value)?.[0] ?? (places[0] && `${places[0].game} ${places[0].after}`);
  const given = () => others.value.trim() ? place() && `${place()} ${others.value.trim()}` : chosen.value;
  propose({
    title: filled(texts.title_of, texts.missing_moves, called(board)), verb: texts.add_moves,
    fields: [...offers.length ? [chosen] : [], field(texts.other_moves, others, texts.other_moves_hint)],
    request: () => given() ? wish(nowOf(board), `add-moves ${given()}`) : null,
  });
};

const addMissing = board => isGoing(board) ? offerMoves(board) : addMoves(board);

/** Enters the next move of a board whose moves people enter. */
const enterMove = board => {
  const text = el('input', {maxlength: 60, placeholder: '32-28', autocomplete: 'off'});
  const {game, ply} = board.entry;
  propose({
    title: filled(texts.title_of, texts.enter_move, called(board)), verb: texts.enter_move, fields: [field(filled(texts.move_number, ply), text, texts.enter_move_hint)],
    request: () => text.value.trim() ? wish(nowOf(board), `enter ${game} ${ply} ${text.value.replace(/\s/g, '')}`) : null,
  });
};

/** Lets people enter the moves of a game in place of its board, or the board report them again. */
const switchEntry = board => board.entry ? simply(board, texts.entry_off, 'entry off', texts.entry_off_effect) : simply(board, texts.entry_on, 'entry on', texts.entry_on_effect);
