// Sheets for the printer.

/** Loads the style of the sheets, once. */
const paperStyle = () => paperStyle.loaded ??= new Promise(resume => document.head.append(el('link', {rel: 'stylesheet', href: document.body.dataset.paper, onload: resume, onerror: resume})));

/** Prints sheets: they stand beside the page, which the printer does not see. */
const printSheets = async (sheets, section, round) => {
  const answer = await api('/api/paper', {sheets, lang: document.documentElement.lang, ...(section && {section: section.name}), ...(round && {round})});
  if (!answer.ok) { banner(filled(texts.not_done, plain(answer.error))); return; }
  await paperStyle();
  $('#paper')?.remove();
  const place = el('div.paper', {id: 'paper'});
  place.append(...new DOMParser().parseFromString(answer.html, 'text/html').body.childNodes);
  if (!place.childElementCount) { banner(texts.nothing_to_print); return; }
  document.body.append(place);
  document.body.classList.add('printing');
  // Keep the sheets until the next press: a tablet draws them again, after `afterprint`, when the user chooses another printer.
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => { document.body.classList.remove('printing'); place.remove(); }, {once: true, capture: true});
  print();
};

/** Draws a button for each kind of sheet. */
const onPaper = (section, round) => el('section', {'aria-label': texts.on_paper}, el('div.hd', {}, el('h2', {}, texts.on_paper)),
  el('div.ab', {}, ...[['pairings', texts.pairings], ['results', texts.results_title], ['standings', texts.standings], ['crosstable', texts.crosstable], ['score-sheets', texts.score_sheets]].map(([sheet, title]) =>
    button(title, `print ${sheet}`, () => printSheets([sheet], section, ['pairings', 'score-sheets'].includes(sheet) ? round : null), {'aria-label': `${texts.print}: ${title}`}))));
