// What everything here uses: elements, requests, the state of the station, dialogs, views. All text that comes from outside is put into
// text nodes; the only markup that is taken over are the boards that the desk draws.

const $ = (selector, within = document) => within.querySelector(selector);

/** An element: `el('button.btn.p', {type: 'button', onclick}, 'text', child)`. What is `null` or `false` is left out. */
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

/** A name or another text from outside: its direction stays its own. */
const bdi = text => el('bdi', {}, text);

// Words: the page brings them in its language. What the station says is English, and marked as that.

const t = JSON.parse($('#words').textContent);
const LANG = document.documentElement.lang;
/** A sentence with what stands for its `{}`, one after the other. */
const filled = (sentence, ...values) => sentence.replace(/\{\}/g, () => values.shift());
/** A sentence with a number: `[one, few, many]`. */
const count = (forms, number, ...more) => filled(forms[{one: 0, few: 1}[count.rules.select(number)] ?? 2], number, ...more);
count.rules = new Intl.PluralRules(LANG);
const english = text => el('bdi', {lang: 'en'}, text);
/** Words of the station that the page knows in its language: `named('state', 'clock-stopped')`. */
const named = (kind, word) => t[`${kind}_${word.replace(/[- ]/g, '_')}`] ?? word;
const time = moment => new Date(moment).toLocaleTimeString(LANG);
const clock = seconds => seconds === undefined || seconds === null ? '–:––:––'
  : `${Math.floor(seconds / 3600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
const lasting = seconds => seconds < 100 ? `${seconds} s` : seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
const hour = at => at.slice(11, 19);

/** What is known: `status` as `damcast status --json`, `tournament` as `GET /api/tournament`, who we are. */
const known = {status: null, trouble: null, viewers: null, here: [], tournament: null, me: null, heard: 0};
const isOperator = () => known.me?.role === 'operator';
const say = text => { $('#say').textContent = text; };

// Requests.

const secret = {
  get: () => sessionStorage.getItem('damcast-desk'),
  set: value => value ? sessionStorage.setItem('damcast-desk', value) : sessionStorage.removeItem('damcast-desk'),
};

/** Asks the desk; who is not logged in any more gets the form. The answer has `ok`, and `error` where it is false. */
const api = async (path, body) => {
  const headers = {'X-Damcast-Desk': secret.get() ?? ''};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, {method: body === undefined ? 'GET' : 'POST', headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store'});
  } catch {
    return {ok: false, outcome_unknown: true, error: t.no_answer};
  }
  if (answer.status === 401 && path !== '/api/login') leave(t.login_ended);
  return answer.json().catch(() => ({ok: false, error: filled(t.answers, answer.status)}));
};

/** Asks the station. */
const ask = request => api('/api/request', request);

/** The tournament anew; views are drawn again when it has come. */
const learnTournament = async () => {
  const answer = await api('/api/tournament');
  if (!answer.ok) return;
  known.tournament = answer;
  $('#event').textContent = answer.tournament?.event?.name ?? answer.tournament?.name ?? '';
  show();
};

// Views: each has a name in the address (`#boards/board-3`), a title, and draws itself into a place. `draw` is called whenever something
// is known anew, so it leaves alone what has not changed.

const views = {};
const where = () => { const [view, ...rest] = decodeURIComponent(location.hash.slice(1)).split('/'); return {view: views[view] ? view : 'boards', rest: rest.join('/')}; };
let drawn = null;

const show = () => {
  if (!known.me) return;
  const {view, rest} = where();
  const place = $('#view');
  if (drawn !== view) { place.replaceChildren(); drawn = view; }
  for (const link of document.querySelectorAll('#views a')) {
    if (link.hash.slice(1) === view) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  views[view].draw(place, rest);
};

/** Puts new children into a place, if `mark` says that they are others; the focus stays on what has the same `data-key`. */
const fill = (place, mark, children) => {
  const text = JSON.stringify(mark);
  if (place.dataset.mark === text) return false;
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  place.dataset.mark = text;
  place.replaceChildren(...children().filter(Boolean));
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  return true;
};

/** A place inside another, made once. */
const part = (place, what, attributes = {}) => {
  const name = attributes.id;
  return $(`#${name}`, place) ?? place.appendChild(el(what, attributes));
};

const banner = (text, isGood = false) => {
  const place = $('#banner');
  place.hidden = !text;
  place.className = isGood ? 'banner ok' : 'banner';
  place.textContent = text ?? '';
  clearTimeout(banner.timer);
  if (isGood) banner.timer = setTimeout(() => { place.hidden = true; }, 8000);
};

// Changes. Each is proposed first: the dialog shows what it will do, and does it when it is confirmed.

/** `title`; `fields`: elements with inputs; `request()`: what the station is to be asked, or `null` as long as something is missing;
 * `effect()`: lines that say what it will do, before what the station says of it; `verb`: what the button says; `done(reply)`. */
const propose = ({title, fields = [], request, effect = () => [], verb, done = () => {}}) => {
  const dialog = $('#dialog');
  // What was shown is what is asked: if something has changed since, it is refused, and shown anew.
  let version = known.tournament?.version, if_seen;
  const id = [...crypto.getRandomValues(new Uint8Array(8))].map(byte => byte.toString(16).padStart(2, '0')).join('');
  const meant = {};
  const dry = el('div.dry', {'aria-live': 'polite'});
  const refusal = el('p.no', {role: 'alert'});
  const consent = el('div.meant');
  const button = el('button.btn.p', {type: 'submit'}, verb);

  const asked = isTrial => {
    const wanted = request();
    if (!wanted) return null;
    if (wanted.do !== 'tournament') {
      const trial = wanted.do === 'request' && (isTrial ? {dry_run: true} : {if_seen});
      return {...wanted, ...trial, ...(meant.confirm && {confirm: true})};
    }
    const inner = {...wanted.request, ...(meant.confirm && {confirm: true}), ...(meant.correct && {correct: true})};
    if (isTrial) inner.dry_run = true;
    else { inner.request_id = `desk-${id}`; if (version !== undefined) inner.if_version = version; }
    return {do: 'tournament', request: inner};
  };
  // What would be asked about again is said beside a box to tick.
  const offer = error => {
    for (const [flag, word, text] of [['confirm', /--confirm/, t.meant], ['correct', /--correct/, t.takes_place]]) {
      if (word.test(error) && !$(`[data-key=${flag}]`, consent)) {
        const box = el('input', {type: 'checkbox', 'data-key': flag, onchange: () => { meant[flag] = box.checked; preview(); }});
        consent.append(el('label.check', {}, box, text));
      }
    }
  };
  let turn = 0;
  const preview = async () => {
    const mine = ++turn;
    refusal.textContent = '';
    const wanted = asked(true);
    const list = lines => dry.replaceChildren(el('h4', {}, filled(t.will_do, verb)), ...lines.map(line => el('p', {}, line)));
    if (!wanted) { list([t.still_missing]); return; }
    // What the station cannot try is only explained.
    if (!['tournament', 'request'].includes(wanted.do)) { list(effect()); return; }
    const reply = await ask(wanted);
    if (mine !== turn) return;
    if_seen = wanted.if_seen;
    version = reply.version ?? version;
    if (reply.ok) {
      const told = (reply.messages ?? []).flatMap(lines => lines.split('\n')).filter(line => line && !line.startsWith('nothing was changed'));
      const written = (reply.lines ?? []).filter(line => line && !told.some(one => one.includes(line))).map(line => filled(t.written, line));
      const lines = [...effect(), ...[...told, ...written].map(english)];
      offer(told.join('\n'));
      list(lines.length ? lines : [t.nothing_changes]);
    }
    else { offer(reply.error); list([filled(t.would_refuse, ''), ...reply.error.split('\n').map(english)]); }
  };
  const submit = async event => {
    event.preventDefault();
    const wanted = asked(false);
    if (!wanted || button.disabled) return;
    button.disabled = true;
    refusal.textContent = '';
    const reply = await ask(wanted);
    button.disabled = false;
    if (wanted.do === 'tournament' || /^(result|names)/.test(wanted.request)) learnTournament();
    if (!reply.ok) {
      offer(reply.error ?? '');
      preview();
      refusal.textContent = filled(t.not_done, reply.error);
      return;
    }
    dialog.close();
    const told = [...reply.messages ?? [], ...(reply.lines ?? []).filter(Boolean).map(line => filled(t.written, line))].join(' · ');
    banner(told || t.done, true);
    done(reply);
  };
  const form = el('form', {method: 'dialog', onsubmit: submit, oninput: () => { clearTimeout(form.timer); form.timer = setTimeout(preview, 250); }},
    el('h2', {id: 'dialog-title'}, title), ...fields, dry, consent, refusal,
    el('div.ab', {}, button, el('button.btn', {type: 'button', onclick: () => dialog.close()}, t.cancel)));
  dialog.replaceChildren(form);
  preview();
  dialog.showModal();
  ([...form.querySelectorAll('input, select, textarea')].find(field => field.offsetParent) ?? button).focus();
  return {preview, dialog};
};

/** A labelled field: `field('Name', input)`. */
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
/** Why something is asked. */
const because = reason => reason.value && {reason: reason.value};
/** How a result came about, and why it is given: the fields, and what they say in a request. */
const circumstances = () => {
  const how = el('select', {}, ...['', 'forfeit', 'both lost', 'arbiter', 'not played', 'bye'].map(value => el('option', {value}, named('reason', value || 'played'))));
  const reason = el('input', {maxlength: 200, placeholder: t.signed_sheet});
  return {fields: [field(t.how_come, how), field(t.reason, reason, t.reason_hint)], said: () => ({...(how.value && {kind: how.value}), ...because(reason)})};
};
const button = (text, key, onclick, more = {}) => el('button.btn', {type: 'button', 'data-key': key, onclick, ...more}, text);

// Alarms, with sound if that is wished.

const sound = {
  context: null,
  known: new Set(),
  beep() {
    const {context} = sound;
    if (!context) return;
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
    say(fresh.map(alarm => `${alarm.board ?? t.the_station}: ${alarm.text}`).join('. '));
    sound.beep();
  },
};

// The stream of states. It is opened again whenever it breaks, and closed while nobody sees the page.

const SILENCE = 15000;
let stream = null;

const follow = async () => {
  stream?.abort();
  const mine = stream = new AbortController();
  while (known.me && mine === stream) {
    try {
      const answer = await fetch('/api/states', {headers: {'X-Damcast-Desk': secret.get() ?? ''}, signal: mine.signal, cache: 'no-store'});
      if (answer.status === 401) { leave(t.login_ended); return; }
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
    } catch { /* it is opened again */ }
    await new Promise(resume => setTimeout(resume, 500 + Math.random() * 1000));
  }
};

const hear = told => {
  const had = known.trouble;
  Object.assign(known, {status: told.status ?? known.status, trouble: told.trouble, viewers: told.viewers, silent: told.silent, here: told.here, heard: Date.now()});
  if (told.trouble) banner(`${t.no_station} ${told.trouble}`);
  else if (had || (!$('#banner').hidden && $('#banner').className === 'banner')) banner(null);
  sound.hear(told.status?.alarms ?? []);
  const others = told.here.filter(person => person.name !== known.me?.name || person.role !== known.me?.role);
  $('#me').replaceChildren(el('b', {}, bdi(known.me.name)), `, ${t[known.me.role]}`, others.length ? `. ${t.also_here}` : '',
    ...others.flatMap((person, index) => [index ? ', ' : '', el('b', {}, bdi(person.name)), `, ${t[person.role]}`]));
  const version = told.status?.boards.map(board => `${board.pairing?.result}${board.pairing?.white}${board.state}`).join();
  if (version !== hear.version) { hear.version = version; learnTournament(); }
  show();
};

// What others do to the tournament is seen a little later.
setInterval(() => { if (known.me && !document.hidden && !known.trouble) learnTournament(); }, 8000);

setInterval(() => {
  if (known.me && known.heard && Date.now() - known.heard > SILENCE) {
    banner(filled(t.no_word, Math.round((Date.now() - known.heard) / 1000)));
    if (!document.hidden) follow();
    known.heard += 5000;
  }
}, 5000);

// Coming and going.

const enter = person => {
  known.me = person;
  $('#login').hidden = true;
  $('#views').hidden = $('#who').hidden = false;
  follow();
  learnTournament();
  show();
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
  $('#login-error').textContent = '';
  const answer = await api('/api/login', credentials);
  if (!answer.ok) { $('#login-error').textContent = answer.error; return; }
  secret.set(answer.secret);
  for (const input of document.querySelectorAll('#login input')) input.value = '';
  enter({name: answer.name, role: answer.role});
};

const start = async () => {
  $('#views').append(...Object.entries(views).map(([name, view]) => el('a', {href: `#${name}`}, view.title)));
  const code = new URL(location).searchParams.get('code');
  if (code) {
    // It only fills the form, and does not stay in the address.
    $('#code').value = code;
    const rest = new URL(location);
    rest.searchParams.delete('code');
    history.replaceState(null, '', rest);
  }
  $('#code-form').addEventListener('submit', event => { event.preventDefault(); logIn({code: $('#code').value}); });
  $('#password-form')?.addEventListener('submit', event => { event.preventDefault(); logIn({name: $('#name').value, password: $('#password').value}); });
  $('#leave').addEventListener('click', async () => { await api('/api/logout', {}); leave(); });
  $('#sound').addEventListener('click', event => {
    const isOn = event.target.getAttribute('aria-pressed') !== 'true';
    sound.context = isOn ? new AudioContext() : null;
    event.target.setAttribute('aria-pressed', isOn);
    event.target.textContent = isOn ? t.sound_on : t.sound_off;
    sound.beep();
  });
  // Another language is the same place.
  for (const link of document.querySelectorAll('#languages a')) link.addEventListener('click', () => { link.hash = location.hash; });
  addEventListener('hashchange', () => { show(); $('#main').focus(); });
  document.addEventListener('visibilitychange', () => { if (known.me) { if (document.hidden && !sound.context) stream?.abort(), stream = null; else if (!stream) follow(); } });
  if (secret.get()) {
    const answer = await api('/api/sessions');
    if (answer.ok) return enter({name: answer.name, role: answer.role});
  }
  $('#login').hidden = false;
  $('#code').focus();
};
