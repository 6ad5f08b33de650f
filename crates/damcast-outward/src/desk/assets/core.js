// Shared by all scripts. Text from outside becomes text nodes; the only markup from outside are pictures of the desk.

const $ = (selector, within = document) => within.querySelector(selector);

/** An element: `el('button.btn.p', {type: 'button', onclick}, 'text', child)`. Omits `null` and `false`. */
const el = (what, attributes = {}, ...children) => {
  const [name, ...classes] = what.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== false && child !== undefined));
  return element;
};

/** Text from outside, isolated from the writing direction around it. */
const bdi = text => el('bdi', {}, text);
const RTL = '[\\u0590-\\u08ff\\ufb1d-\\ufefc]+', NAME = new RegExp(`${RTL}(?:(?:, | |-|')${RTL})*`, 'g');
/** Isolates names that are written from right to left, so that the words around them keep their order. */
const isolated = text => text.replace(NAME, '\u2068$&\u2069');
/** Joins the names of White and Black. White stays first if a name is written from right to left. */
const versus = (white, black) => [white, black].map(isolated).join(' – ');

// Texts in the language of the page. Texts of the station are English, and marked as English.

const texts = JSON.parse($('#texts').textContent);
const LANG = document.documentElement.lang;
/** A sentence with values in place of its `{}`, in order. */
const filled = (sentence, ...values) => sentence.replace(/\{\}/g, () => values.shift());
/** The form of `[one, few, many]` for a number, with its values. */
const count = (forms, number, ...more) => filled(forms[{one: 0, few: 1}[count.rules.select(number)] ?? 2], number, ...more);
count.rules = new Intl.PluralRules(LANG);
/** Terminal commands in the station's messages, each with the words of the desk that replace it. */
const COMMANDS = [
  [/, as in \x60sudo [^\x60]*\x60/g, ''],
  [/, and try \x60damcast doctor[^\x60]*\x60 with its address/g, ''],
  [/[;:] \x60(sudo|damcast (doctor|fsck))[^\x60]*\x60( tells by which| says what to do| says more)?/g, ''],
  [/ \(.damcast [^)]*\)/g, ''],
  [/; start one with .*/s, ''],
  [/[;,] see .damcast [^\x60]*\x60/g, ''],
  [/.damcast tournament show[^\x60]*\x60/g, 'the page Log'],
  [/.damcast tournament import FILE\x60 takes one over/g, 'import a file, or add players'],
  [/ as .damcast status\x60 shows them/g, ''],
  [/needs \x60?--confirm\x60?/g, 'needs to be confirmed'],
  [/(; )?(if it is meant so, ask again|repeat|ask) with \x60?--confirm\x60?/g, '$1confirm it below'],
  [/with \x60?--confirm\x60? he/g, 'once you confirm, he'],
  [/(with )?\x60?--(confirm|correct)\x60?/g, 'the box below'],
  [/repeat with --rounds/g, 'fill in the number of rounds'],
  [/--rounds sets another number/g, 'fill in another number of rounds'],
  [/say with --(section|pairing) which/g, 'say which $1'],
  [/\x60damcast [^\x60]*\x60/g, 'the button for it'],
  [/--(section|columns|scoring|game)\b/g, '$1'],
];
/** Replaces terminal commands in a message of the station, and isolates its names. */
const plain = text => isolated(COMMANDS.reduce((words, [command, own]) => words.replace(command, own), text));
/** Name of a person in the log. For a command in a terminal the station gives `uid 1000 (anna), pid 42`: the name is `anna`. */
const actor = by => by.match(/^uid \d+ \((.*)\), pid \d+$/)?.[1] ?? by;
const english = text => el('bdi', {lang: 'en'}, plain(text));
/** Text for a word of the station: `named('state', 'clock-stopped')`; the word itself without one. */
const named = (kind, word) => texts[`${kind}_${word.replace(/[- ]/g, '_')}`] ?? word;
// All times are those of this device, in one format.
const time = moment => new Date(moment).toLocaleTimeString(LANG, {hourCycle: 'h23'});
const dayAndTime = moment => new Date(moment).toLocaleString(LANG, {hourCycle: 'h23', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit'});
/** Returns the last line of a game as people write it. In the file, a second move of a pair has no number. */
const moveText = line => !line || line[0] === '/' ? line : (/^\d+\./.test(line) ? line : `… ${line}`).replace(/[x:]/g, '×');

/** Names the time zone of all times of the desk. */
const zone = () => el('p.q', {}, filled(texts.zone, Intl.DateTimeFormat().resolvedOptions().timeZone));
const clock = seconds => seconds === undefined || seconds === null ? '–:––:––'
  : `${Math.floor(seconds / 3600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
const lasting = seconds => seconds < 100 ? `${seconds} s` : seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;

/** Data of the page: `status` as `damcast status --json`, `tournament` as `GET /api/tournament`, `me` the user. */
const known = {status: null, trouble: null, viewers: null, here: [], tournament: null, me: null, heard: 0};
const isOperator = () => known.me?.role === 'operator';
const say = text => { $('#say').textContent = text; };

// Requests.

const secret = {
  get: () => sessionStorage.getItem('damcast-desk'),
  set: value => value ? sessionStorage.setItem('damcast-desk', value) : sessionStorage.removeItem('damcast-desk'),
};

/** Ends a request after this many milliseconds; Safari 15 has no `AbortSignal.timeout`. */
const patienceOf = time => { const end = new AbortController(); setTimeout(() => end.abort(), time); return end.signal; };

/** Sends a request to the desk; shows the login form if the session has ended. The answer has `ok`, and `error` if that is false. */
const api = async (path, body) => {
  const own = secret.get() ?? '', headers = {'X-Damcast-Desk': own};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    // The station waits 30 s at most; a file may be sent on a slow line.
    const patience = patienceOf(45_000 + JSON.stringify(body ?? '').length / 20);
    answer = await fetch(path, {signal: patience, method: body === undefined ? 'GET' : 'POST', headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store'});
  } catch {
    return {ok: false, outcome_unknown: true, error: texts.outcome_unknown};
  }
  // A late answer may belong to an earlier session.
  if (answer.status === 401 && path !== '/api/login' && own === (secret.get() ?? '')) leave(texts.session_ended);
  return answer.json().then(body => ({status: answer.status, ...body})).catch(() => ({ok: false, error: filled(texts.bad_answer, answer.status)}));
};

/** Sends a request to the station. */
const ask = request => api('/api/request', request);

/** Fetches the tournament once, and draws the views again. */
const fetchTournament = async () => {
  const answer = await api('/api/tournament');
  known.unreadable = answer.ok || answer.outcome_unknown ? null : answer.error;
  if (!answer.ok) { if (!known.tournament) show(); return; }
  known.tournament = answer;
  $('#event').textContent = answer.tournament?.event?.name ?? answer.tournament?.name ?? '';
  show();
};

/** Fetches the tournament and draws the views again, with one request at a time. One that has begun may miss the newest change, so another one follows it. */
const learnTournament = () => {
  const it = learnTournament;
  const start = () => { it.next = null; return it.running = fetchTournament().finally(() => { it.running = null; }); };
  return it.running ? it.next ??= it.running.then(start, start) : start();
};

// Views: each has a name in the address (`#boards/board-3`) and a title. `draw`, called at every change, leaves equal parts alone.

const views = {};
const where = () => {
  let hash = location.hash.slice(1);
  try { hash = decodeURIComponent(hash); } catch {}
  const [view, ...rest] = hash.split('/');
  return {view: views[view] ? view : 'boards', rest: rest.join('/')};
};
let drawn = null;

const show = () => {
  if (!known.me) return;
  const {view, rest} = where();
  const place = $('#view');
  const isOther = drawn !== view;
  if (isOther) { place.replaceChildren(); delete place.dataset.mark; drawn = view; }
  for (const link of document.querySelectorAll('#views a')) {
    if (link.hash.slice(1) !== view) { link.removeAttribute('aria-current'); continue; }
    link.setAttribute('aria-current', 'page');
    // Only a change of the view scrolls a narrow menu: the operator may have scrolled it.
    if (isOther) link.parentNode.scrollLeft = link.offsetLeft - link.parentNode.clientWidth / 2;
  }
  views[view].draw(place, rest);
};

/** Loads the script of the other views, once; tries again until it is loaded. */
const loadOthers = () => loadOthers.loaded ??= new Promise(resume => {
  const load = () => document.head.append(el('script', {src: document.body.dataset.views, onload: resume, onerror: () => setTimeout(load, 3000)}));
  load();
});

/** Replaces the children of a place if `mark` has changed. Focus, scrolled tables and open details stay at the elements with the same `data-key`. */
const fill = (place, mark, children) => {
  const text = JSON.stringify(mark);
  if (place.dataset.mark === text) return false;
  // A browser sends a click only if press and release hit one element: keep the elements until the release.
  if (Date.now() - fill.pressed < 1000 && place.contains(fill.target)) return false;
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const find = key => place.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const scrolled = [...place.querySelectorAll('.tb')].filter(box => box.scrollLeft).map(box => [box.dataset.key, box.scrollLeft]);
  const opened = [...place.querySelectorAll('details[open][data-key]')].map(one => one.dataset.key);
  place.dataset.mark = text;
  place.replaceChildren(...children().filter(Boolean));
  for (const [key, left] of scrolled) if (find(key)) find(key).scrollLeft = left;
  for (const key of opened) if (find(key)) find(key).open = true;
  if (key) find(key)?.focus({preventScroll: true});
  return true;
};

document.addEventListener('pointerdown', event => Object.assign(fill, {pressed: Date.now(), target: event.target}), true);
for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => { fill.pressed = 0; setTimeout(show); }, true);

/** A child of a place, created once. */
const part = (place, what, attributes = {}) => {
  const name = attributes.id;
  return $(`#${name}`, place) ?? place.appendChild(el(what, attributes));
};

/** Shows a message: good news for 8 s, a refusal for 30 s, trouble with the connection until it is over. */
const banner = (text, isGood = false, isTrouble = false) => {
  const place = $('#banner');
  place.hidden = !text;
  place.className = isGood ? 'banner ok' : 'banner';
  place.textContent = text ?? '';
  clearTimeout(banner.timer);
  banner.isTrouble = isTrouble;
  if (!isTrouble) banner.timer = setTimeout(() => { place.hidden = true; }, isGood ? 8000 : 30_000);
};

// Changes. A dialog shows the effect of each change first, and sends it when the user presses the button.

/** Opens a dialog with a text and a button that closes it. */
const tell = (title, ...parts) => {
  const dialog = $('#dialog');
  dialog.replaceChildren(el('h2', {id: 'dialog-title'}, title), ...parts, el('div.ab', {}, el('button.btn.p', {type: 'button', onclick: () => dialog.close()}, texts.close)));
  if (!dialog.open) dialog.showModal();
  // Focus *Close*: a second press of Enter closes the dialog again.
  $('.ab:last-child .btn', dialog).focus();
};

/** Opens a dialog. `title`; `fields`: elements with inputs; `request()`: request for the station, `null` while a field is missing;
 * `effect()`: lines above the preview of the station; `verb`: text of the button; `done(reply)`, `refused()`: what follows the answer. */
const propose = ({title, fields = [], request, effect = () => [], verb, done = () => {}, refused = () => {}}) => {
  const dialog = $('#dialog');
  // The request names the version of the preview: the station refuses it after another change, and the preview is drawn again.
  let version = known.tournament?.version, if_seen;
  // A repeated request has the same id, a changed one another.
  let id, sent;
  const confirmed = {};
  const dry = el('div.dry', {'aria-live': 'polite', role: 'region', 'aria-label': filled(texts.preview, verb), tabindex: 0});
  const refusal = el('p.no', {role: 'alert'});
  const consent = el('div.confirmed');
  const button = el('button.btn.p', {type: 'submit'}, verb);

  const asked = isTrial => {
    const requested = request();
    if (!requested) return null;
    if (requested.do !== 'tournament') {
      const trial = requested.do === 'request' && (isTrial ? {dry_run: true} : {if_seen: if_seen ?? requested.if_seen});
      return {...requested, ...trial, ...(confirmed.confirm && {confirm: true})};
    }
    const inner = {...requested.request, ...(confirmed.confirm && {confirm: true}), ...(confirmed.correct && {correct: true})};
    if (isTrial) inner.dry_run = true;
    else {
      if (JSON.stringify(inner) !== sent) {
        sent = JSON.stringify(inner);
        id = [...crypto.getRandomValues(new Uint8Array(8))].map(byte => byte.toString(16).padStart(2, '0')).join('');
      }
      inner.request_id = `desk-${id}`;
      if (version !== undefined) inner.if_version = version;
    }
    return {do: 'tournament', request: inner};
  };
  // A warning of the station gets a box that confirms it.
  const offer = error => {
    for (const [flag, word, text] of [['confirm', /--confirm/, texts.confirm], ['correct', /--correct/, texts.replace_result]]) {
      if (word.test(error) && !$(`[data-key=${flag}]`, consent)) {
        const box = el('input', {type: 'checkbox', 'data-key': flag, onchange: () => { confirmed[flag] = box.checked; preview(); }});
        consent.append(el('label.check', {}, box, text));
      }
    }
  };
  const unconfirm = () => {
    delete confirmed.confirm;
    delete confirmed.correct;
    consent.replaceChildren();
  };
  let turn = 0, isShown = false, isSending = false;
  // The button waits until the effect of the present fields is shown. It keeps the focus meanwhile.
  const wait = shown => {
    isShown = shown;
    button.setAttribute('aria-disabled', String(!isShown || isSending));
  };
  const preview = async () => {
    clearTimeout(form.timer);
    const mine = ++turn;
    wait(false);
    refusal.textContent = '';
    const shown = await drawPreview(mine);
    if (mine !== turn) return;
    wait(shown);
    if (!shown) form.timer = setTimeout(() => { if (form.isConnected) preview(); }, 2000);
  };
  // Draws the effect of the fields. Returns whether it is known.
  const drawPreview = async mine => {
    const requested = asked(true);
    const list = lines => dry.replaceChildren(el('h4', {}, filled(texts.preview, verb)), ...lines.map(line => el('p', {}, line)));
    if (!requested) { list([texts.fields_missing]); return true; }
    // The station previews only these requests; `effect` explains the others.
    if (!['tournament', 'request'].includes(requested.do)) { list(effect()); return true; }
    const reply = await ask(requested);
    if (mine !== turn) return false;
    // The station's reason, if the desk answered.
    if (reply.outcome_unknown) { list([reply.status ? english(reply.error) : filled(texts.desk_silent, lasting(Math.round((Date.now() - known.heard) / 1000)))]); return false; }
    if_seen = requested.if_seen;
    version = reply.version ?? version;
    if (reply.ok) {
      const messages = (reply.messages ?? []).flatMap(lines => lines.split('\n')).filter(line => line && !line.startsWith('nothing was changed'));
      const written = (reply.lines ?? []).filter(line => line && line !== '*' && !messages.some(one => one.includes(line))).map(line => filled(texts.written, line));
      const lines = [...effect(), ...[...messages, ...written].map(english)];
      offer(messages.join('\n'));
      list(lines.length ? lines : [texts.no_change]);
    }
    else { offer(reply.error ?? ''); list([texts.would_be_refused, ...(reply.error ?? '').split('\n').map(english)]); }
    return true;
  };
  const submit = async event => {
    event.preventDefault();
    const requested = asked(false);
    if (!requested || isSending) return;
    // The effect of the fields is not shown yet; asking again would delay it.
    if (!isShown) return;
    isSending = true;
    wait(true);
    refusal.textContent = '';
    const reply = await ask(requested);
    isSending = false;
    wait(isShown);
    if (requested.do === 'tournament' || /^(result|names)/.test(requested.request)) learnTournament();
    const isOpen = form.isConnected && dialog.open;
    if (!reply.ok) {
      const words = failure(reply);
      // If it was done, it must not be done twice: look at the board first.
      if (isOpen && reply.outcome_unknown && /^(undo|flip|rotate)/.test(requested.request)) dialog.close();
      // The user has closed this dialog, or opened another one.
      if (!isOpen || !dialog.open) { banner(words); return; }
      // Ask again: the user has not confirmed what this refusal warns of.
      unconfirm();
      offer(reply.error ?? '');
      preview();
      refusal.textContent = words;
      refused();
      return;
    }
    if (isOpen) dialog.close();
    const messages = [...reply.messages ?? [], ...(reply.lines ?? []).filter(line => line && line !== '*').map(line => filled(texts.written, line))].join(' · ');
    banner(plain(messages) || texts.done, true);
    done(reply);
  };
  const opened = Date.now();
  const input = event => {
    // Another change needs its own confirmation.
    if (!consent.contains(event.target)) unconfirm();
    wait(false);
    turn++;
    clearTimeout(form.timer);
    form.timer = setTimeout(preview, 250);
  };
  // A key that is held, or pressed twice, was meant for the button that has opened the dialog.
  const key = event => { if (event.key === 'Enter' && !event.target.closest('textarea') && (event.repeat || Date.now() - opened < 500)) event.preventDefault(); };
  const form = el('form', {method: 'dialog', onsubmit: submit, oninput: input, onkeydown: key},
    el('h2', {id: 'dialog-title'}, title), ...fields, dry, consent, refusal,
    el('div.ab', {}, button, el('button.btn', {type: 'button', onclick: () => dialog.close()}, texts.cancel)));
  dialog.replaceChildren(form);
  // Repeats a preview that failed, once the station answers again.
  propose.preview = () => { if (form.isConnected) preview(); };
  preview();
  dialog.showModal();
  ([...form.querySelectorAll('input, select, textarea')].find(field => field.offsetParent) ?? button).focus();
  return {preview: () => { unconfirm(); preview(); }, dialog};
};

/** A field with its label: `field('Name', input)`. */
let fields = 0;
const field = (label, input, hint) => {
  input.id ||= `field-${++fields}`;
  return el('div.field', {}, el('label', {for: input.id}, label), input, hint && el('p.q.s', {}, hint));
};
/** A choice of one: `radios('Result', [['2-0', 'White wins'], …], value)` has `value`. */
const radios = (label, choices, value) => {
  const name = `radio-${++fields}`;
  const group = el('fieldset.rd', {}, el('legend', {}, label), ...choices.map(([word, text]) =>
    el('label', {}, el('input', {type: 'radio', name, value: word, checked: word === value}), text)));
  Object.defineProperty(group, 'value', {get: () => $('input:checked', group)?.value ?? ''});
  return group;
};
/** Says why something was not done, or that this is not known. */
const failure = reply => reply.outcome_unknown ? plain(reply.error) : filled(texts.not_done, plain(reply.error ?? ''));
/** Member of a request with its reason; an empty text if there is none. */
const because = reason => reason.value && {reason: reason.value};
/** Fields for the kind of a result, at first that of the result so far, and its reason; `said()` returns their members of a request. */
const circumstances = before => {
  const how = el('select', {}, ...['', 'forfeit', 'both lost', 'arbiter', 'not played', 'bye'].map(value => el('option', {value, selected: value === before}, named('kind', value || 'played'))));
  const reason = el('input', {maxlength: 200, placeholder: texts.signed_sheet});
  return {fields: [field(texts.kind, how), field(texts.reason, reason, texts.reason_hint)], said: () => ({...(how.value && {kind: how.value}), ...because(reason)})};
};
const button = (text, key, onclick, more = {}) => el('button.btn', {type: 'button', 'data-key': key, onclick, ...more}, text);

// Alarms, with sound if the user turns it on.

const sound = {
  context: null,
  waking: null,
  known: new Set(),
  beep() {
    const {context} = sound;
    if (!context) return;
    // A tablet stops the sound while it is locked. All alarms of that time sound as one, as soon as the sound is on again.
    if (context.state !== 'running') {
      const forget = () => { sound.waking = null; };
      sound.waking ??= context.resume().then(() => { forget(); if (context === sound.context && context.state === 'running') sound.beep(); }, forget);
      return;
    }
    for (const [start, tone] of [[0, 660], [0.18, 880]]) {
      const oscillator = context.createOscillator(), gain = context.createGain();
      oscillator.frequency.value = tone;
      gain.gain.value = 0.15;
      oscillator.connect(gain).connect(context.destination);
      oscillator.start(context.currentTime + start);
      oscillator.stop(context.currentTime + start + 0.15);
    }
  },
  hear(alarms) {
    const now = new Set(alarms.map(alarm => `${alarm.kind} ${alarm.board} ${alarm.place}`));
    const fresh = alarms.filter(alarm => !sound.known.has(`${alarm.kind} ${alarm.board} ${alarm.place}`));
    sound.known = now;
    if (!fresh.length) return;
    say(fresh.map(alarm => `${alarm.board ?? texts.the_station}: ${plain(alarm.text)}`).join('. '));
    sound.beep();
  },
};

// The stream of states: reopened when it breaks, closed while the page is hidden.

const SILENCE = 15000;
let stream = null;

const follow = async () => {
  follow.at = Date.now();
  stream?.abort();
  const mine = stream = new AbortController();
  while (known.me && mine === stream) {
    try {
      const answer = await fetch('/api/states', {headers: {'X-Damcast-Desk': secret.get() ?? ''}, signal: mine.signal, cache: 'no-store'});
      if (answer.status === 401) { leave(texts.session_ended); return; }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const {value, done} = await reader.read();
        if (done) break;
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        // Only the newest state counts.
        if (lines.length) hear(JSON.parse(lines.at(-1)));
      }
    } catch { /* The loop reopens the stream. */ }
    await new Promise(resume => setTimeout(resume, 500 + Math.random() * 1000));
  }
};

const hear = update => {
  Object.assign(known, {status: update.status ?? known.status, trouble: update.trouble, viewers: update.viewers, silent: update.silent, deliveries: update.deliveries, here: update.here, heard: Date.now()});
  if (update.trouble) banner(`${texts.station_silent} ${plain(update.trouble)}`, false, true);
  else if (banner.isTrouble) {
    banner(null);
    if ($('#dialog').open) propose.preview?.();
  }
  sound.hear(update.status?.alarms ?? []);
  const others = update.here.filter(person => person.name !== known.me?.name || person.role !== known.me?.role);
  $('#me').replaceChildren(el('b', {}, bdi(known.me.name)), `, ${texts[known.me.role]}`, others.length ? `. ${texts.also_logged_in}` : '',
    ...others.flatMap((person, index) => [index ? ', ' : '', el('b', {}, bdi(person.name)), `, ${texts[person.role]}`]));
  const version = update.status?.boards.map(board => `${board.pairing?.result}${board.pairing?.white}${board.state}`).join();
  if (version !== hear.version) { hear.version = version; learnTournament(); }
  show();
};

// Polls the tournament for changes of other users.
setInterval(() => { if (known.me && !document.hidden && !known.trouble) learnTournament(); }, 8000);

setInterval(() => {
  if (known.me && known.heard && Date.now() - known.heard > SILENCE) {
    banner(filled(texts.desk_silent, lasting(Math.round((Date.now() - known.heard) / 1000))), false, true);
    // A stream that is opened gets time for its first state.
    if (stream && Date.now() - follow.at > SILENCE) follow();
  }
}, 5000);

// Login and logout.

const enter = person => {
  known.me = person;
  known.heard = Date.now();
  $('#login').hidden = true;
  $('#views').hidden = $('#who').hidden = false;
  follow();
  learnTournament();
  show();
  loadOthers().then(() => { drawn = null; show(); });
};

const leave = why => {
  known.me = known.status = known.tournament = null;
  stream?.abort();
  secret.set(null);
  $('#view').replaceChildren();
  drawn = null;
  $('#dialog').close();
  $('#views').hidden = $('#who').hidden = true;
  $('#login').hidden = false;
  $('#login-error').textContent = why ?? '';
  banner(null);
  $('#code').focus();
};

const logIn = async credentials => {
  const refused = ({error = '', outcome_unknown} = {}) => $('#login-error').replaceChildren(/code does not count/.test(error) ? texts.wrong_code : outcome_unknown ? error : english(error));
  refused();
  // While many people log in, the desk takes some logins later.
  const until = Date.now() + 20_000;
  let answer = await api('/api/login', credentials);
  while (answer.status === 503 && Date.now() < until) {
    refused(answer);
    await new Promise(done => setTimeout(done, 1000));
    answer = await api('/api/login', credentials);
  }
  if (!answer.ok) { refused(answer); return; }
  secret.set(answer.secret);
  for (const input of document.querySelectorAll('#login input')) input.value = '';
  enter({name: answer.name, role: answer.role});
};

const start = async () => {
  $('#views').append(...Object.entries(views).map(([name, view]) => el('a', {href: `#${name}`}, view.title)));
  const code = new URL(location).searchParams.get('code');
  if (code) {
    // The code fills the form and leaves the address.
    $('#code').value = code;
    const rest = new URL(location);
    rest.searchParams.delete('code');
    history.replaceState(null, '', rest);
  }
  $('#code-form').addEventListener('submit', event => { event.preventDefault(); logIn({code: $('#code').value}); });
  $('#password-form')?.addEventListener('submit', event => { event.preventDefault(); logIn({name: $('#name').value, password: $('#password').value}); });
  // Without this, the browser leaves the desk when a file is dropped outside the field for it.
  for (const kind of ['dragover', 'drop']) addEventListener(kind, event => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); });
  $('#leave').addEventListener('click', async () => { await api('/api/logout', {}); leave(); });
  $('#sound').addEventListener('click', event => {
    const isOn = event.target.getAttribute('aria-pressed') !== 'true';
    sound.context?.close();
    sound.context = isOn ? new AudioContext() : null;
    sound.waking = null;
    event.target.setAttribute('aria-pressed', isOn);
    event.target.textContent = isOn ? texts.sound_on : texts.sound_off;
    sound.beep();
  });
  // Links to other languages keep the view.
  for (const link of document.querySelectorAll('#languages a')) link.addEventListener('click', () => { link.hash = location.hash; });
  addEventListener('hashchange', () => {
    const before = drawn;
    show();
    if (views.boards.walks) { views.boards.walks--; return; }
    const title = drawn === before && $('#board-title');
    (title?.offsetParent ? title : $('#main')).focus();
  });
  document.addEventListener('visibilitychange', () => { if (known.me) { if (document.hidden && !sound.context) stream?.abort(), stream = null; else if (!stream) follow(); } });
  if (secret.get()) {
    const answer = await api('/api/sessions');
    if (answer.ok) return enter({name: answer.name, role: answer.role});
  }
  $('#login').hidden = false;
  $('#code').focus();
};
