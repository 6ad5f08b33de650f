// Dialog of a set-up position, entered by click, touch, keys or as FEN.

const PIECES = [['w', texts.white_man], ['W', texts.white_king], ['b', texts.black_man], ['B', texts.black_king], ['.', texts.empty]];

/** Returns the FEN of a position, given as a letter for each field. */
const fenOf = (answer, pieces, turn) => {
  const side = (man, king) => answer.names.flatMap((name, index) => !name ? [] : pieces[index] === man ? [name] : pieces[index] === king ? [`K${name}`] : []).join(',');
  return `${turn === 'white' ? 'W' : 'B'}:W${side('w', 'W')}:B${side('b', 'B')}`;
};

/** Parses a FEN into a letter for each field; `null` if it is invalid. */
const piecesOf = (answer, fen) => {
  const pieces = answer.names.map(() => '.');
  for (const part of fen.trim().replace(/\.$/, '').split(':').slice(1)) {
    const color = part[0]?.toUpperCase();
    if (color !== 'W' && color !== 'B') return null;
    for (const word of part.slice(1).split(',').map(word => word.trim()).filter(Boolean)) {
      const isKing = word[0] === 'K';
      const [first, last] = word.replace('K', '').split('-');
      const names = last && /^\d+$/.test(first + last) ? Array.from({length: Math.max(0, Math.min(200, last - first + 1))}, (_, index) => String(Number(first) + index)) : [word.replace('K', '')];
      for (const name of names) {
        const at = answer.names.indexOf(name);
        if (at < 0) return null;
        pieces[at] = isKing ? color : color.toLowerCase();
      }
    }
  }
  return pieces;
};

const setUp = async board => {
  const answer = await pictured(board);
  // The user may have opened another dialog meanwhile.
  if ($('#dialog').open) return;
  if (answer.error) { banner(plain(answer.error)); return; }
  const {width, names} = answer;
  let pieces = [...answer.shown.pieces], piece = 'w', writing = false;
  const svg = drawing(answer.shown.svg);
  svg.setAttribute('aria-hidden', 'true');
  const fields = el('div.fields', {role: 'grid', 'aria-label': texts.squares});
  const turn = radios(texts.side_to_move, [['white', texts.white], ['black', texts.black]], (answer.published?.turn ?? 'White').toLowerCase());
  const fen = el('input', {maxlength: 2000, spellcheck: 'false'});
  const men = el('p.q.s', {'aria-live': 'polite'});
  const palette = el('div.palette', {role: 'toolbar', 'aria-label': texts.piece}, ...PIECES.map(([letter, text], index) =>
    el('button.btn', {type: 'button', 'data-letter': letter, 'aria-pressed': String(letter === piece), onclick: () => choose(letter)}, text, el('kbd', {}, index === 4 ? '0' : String(index + 1)))));
  const choose = letter => {
    piece = letter;
    for (const one of palette.children) one.setAttribute('aria-pressed', String(one.dataset.letter === letter));
  };
  const word = letter => PIECES.find(([known]) => known === letter)[1].toLowerCase();
  const draw = () => {
    const group = $('.ps', svg);
    group.replaceChildren(...pieces.flatMap((letter, index) => {
      if (letter === '.') return [];
      const use = document.createElementNS(SVG, 'use');
      for (const [key, value] of Object.entries({href: `#${letter}`, x: index % width * 10 + 5, y: Math.floor(index / width) * 10 + 5})) use.setAttribute(key, value);
      return [use];
    }));
    for (const cell of fields.querySelectorAll('button')) cell.setAttribute('aria-label', `${names[cell.dataset.index]}, ${word(pieces[cell.dataset.index])}`);
    const of = letter => pieces.filter(other => other === letter).length;
    men.textContent = filled(texts.piece_counts, ...['w', 'W', 'b', 'B'].map(letter => count(/w|b/.test(letter) ? texts.men : texts.kings, of(letter))));
    if (!writing) fen.value = fenOf(answer, pieces, turn.value);
  };
  const put = (index, letter) => { writing = false; pieces[index] = letter; draw(); dialog.preview(); };
  // One cell of the grid takes the focus; arrow keys move it from square to square.
  const rows = Array.from({length: answer.height}, (_, row) => el('div', {role: 'row'}, ...Array.from({length: width}, (_, column) => {
    const index = row * width + column;
    if (!names[index]) return el('span', {role: 'presentation'});
    return el('button', {type: 'button', role: 'gridcell', 'data-index': index, tabindex: -1, onclick: () => put(index, pieces[index] === piece ? '.' : piece)});
  })));
  fields.append(...rows);
  fields.querySelector('button').tabIndex = 0;
  fields.addEventListener('keydown', event => {
    const from = Number(event.target.dataset.index);
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width};
    if (steps[event.key]) {
      event.preventDefault();
      // Up and down: the square there, or the one beside it. Left and right: the next square, past unused fields.
      const isRow = Math.abs(steps[event.key]) > 1;
      const cell = index => fields.querySelector(`[data-index="${index}"]`);
      let to = from + steps[event.key];
      const next = isRow ? cell(to) ?? (from % width ? cell(to - 1) : null) ?? cell(to + 1) : (() => { while (to >= 0 && to < names.length && !names[to]) to += steps[event.key]; return cell(to); })();
      if (next) { event.target.tabIndex = -1; next.tabIndex = 0; next.focus(); }
    } else if (/^[0-4]$/.test(event.key) || event.key === 'Backspace') {
      event.preventDefault();
      const letter = PIECES[event.key === 'Backspace' || event.key === '0' ? 4 : event.key - 1][0];
      choose(letter);
      put(from, letter);
    }
  });
  /** Chooses the side to move that a FEN names. */
  const chooseSide = text => { const side = {w: 'white', b: 'black'}[text.trim()[0]?.toLowerCase()]; if (side) $(`[value=${side}]`, turn).checked = true; };
  fen.addEventListener('input', () => {
    const read = piecesOf(answer, fen.value);
    writing = true;
    if (read) { pieces = read; chooseSide(fen.value); draw(); }
  });
  turn.addEventListener('change', () => { writing = false; draw(); });
  const take = (text, hasTurn = true) => () => { const read = piecesOf(answer, text); if (read) { writing = false; pieces = read; if (hasTurn) chooseSide(text); draw(); dialog.preview(); } };
  const dialog = propose({
    title: filled(texts.title_of, texts.set_position, called(board)), verb: texts.set_position_verb,
    fields: [el('div.ab', {}, button(texts.as_on_board, 'shown', take(answer.shown.fen, false)), answer.published && button(texts.as_published, 'published', take(answer.published.fen)),
      button(texts.start_position, 'start-position', take(answer.start)), button(texts.empty_board, 'empty', () => { writing = false; pieces = names.map(() => '.'); draw(); dialog.preview(); })),
    palette, el('div.setup', {}, svg, fields), men, turn, field('FEN', fen)],
    request: () => wish(nowOf(board), `setup ${fen.value.trim()}`),
    effect: () => [filled(texts.set_position_effect, board.name, fen.value.trim()), texts.set_position_stays],
  });
  const offset = svg.viewBox.baseVal;
  fields.style.setProperty('--columns', width);
  // The picture has room for coordinates beside the board.
  const share = (part, whole) => `${part / whole * 100}%`;
  fields.style.left = share(-offset.x, offset.width);
  fields.style.top = share(-offset.y, offset.height);
  fields.style.width = share(width * 10, offset.width);
  fields.style.height = share(answer.height * 10, offset.height);
  draw();
  dialog.preview();
};
