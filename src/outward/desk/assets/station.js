// What was done and by whom; the station as a whole: lines, folders, alarms, configuration, and who may work here.

const table = (caption, heads, rows, kind = '') => el('div.tb', {tabindex: 0, role: 'region', 'aria-label': caption}, el(`table.st1${kind}`, {}, el('caption.vh', {}, caption),
  el('thead', {}, el('tr', {}, ...heads.map(head => el('th', {scope: 'col'}, head)))),
  el('tbody', {}, ...rows.map(cells => el('tr', {}, ...cells.map(cell => el('td', {}, typeof cell === 'string' ? bdi(cell) : cell)))))));

views.log = {
  title: texts.log,
  async draw(place) {
    // What the station has kept in mind since its start, and what stands in the record of the tournament.
    const age = Date.now() - (views.log.drawn ?? 0);
    if (place.childElementCount && age < 3000) return;
    views.log.drawn = Date.now();
    const told = await api('/api/log');
    if (!told.ok || where().view !== 'log') return;
    const history = (known.tournament?.history ?? []).map(deed => ({...deed, message: deed.reason || filled(texts.version, deed.version), ok: true}));
    const of = deed => `${deed.what} ${deed.by}`.slice(0, 40);
    const asked = (told.audit_log ?? []).filter(deed => !deed.ok || !history.some(other => of(other).startsWith(deed.what.slice(0, 30)) && Math.abs(new Date(other.at) - new Date(deed.at)) < 3000));
    const all = [...asked, ...history].sort((one, other) => other.at.localeCompare(one.at)).slice(0, 200);
    fill(part(place, 'div', {id: 'all-deeds'}), all.map(deed => [deed.at, deed.what, deed.ok]), () => [
      el('div.hd', {}, el('h2', {}, texts.audit_log)),
      all.length ? table(texts.newest_first, [texts.time, texts.user, texts.action, texts.outcome], all.map(deed =>
        [el('time', {datetime: deed.at, title: deed.at}, `${deed.at.slice(5, 10)} ${hour(deed.at)}`), deed.by, deed.what, deed.ok ? deed.message ? english(deed.message) : texts.done : el('span.no', {}, english(filled(texts.refused, deed.message)))]))
        : el('p.q', {}, texts.log_empty)]);
  },
};

views.station = {
  title: texts.station,
  draw(place) {
    const {status, viewers} = known;
    if (!status) return;
    const alarms = part(place, 'section', {id: 'alarms'});
    fill(alarms, status.alarms, () => [el('div.hd', {}, el('h2', {}, texts.alarms)), status.alarms.length
      ? table(texts.alarms, [texts.since_column, texts.alarm, texts.place, texts.description], status.alarms.map(alarm => [hour(alarm.since), alarm.kind, alarm.board ?? alarm.place ?? texts.station, english(alarm.text)])) : el('p.q', {}, texts.no_alarms)]);
    const lines = part(place, 'section', {id: 'lines'});
    const cells = status.lines.map(line => [line.name, line.port, line.link, line.text, String(line.plies), String(line.setups), String(line.noise_bytes), String(line.bad_checksums), line.fault ?? line.pending ?? '']);
    fill(lines, cells, () => [el('div.hd', {}, el('h2', {}, texts.lines)), table(texts.lines, [texts.line, texts.port, texts.link, texts.state, texts.plies_column, texts.set_ups, texts.noise, texts.checksums, texts.notes], cells)]);
    const outlets = part(place, 'section', {id: 'outlets'});
    const folders = status.outlets.map(outlet => [outlet.name, outlet.directory, outlet.delay_s || outlet.delay_plies ? [outlet.delay_s && `${outlet.delay_s} s`, outlet.delay_plies && count(texts.plies, outlet.delay_plies)].filter(Boolean).join(', ') : texts.no_delay, outlet.held ?? texts.outlet_active]);
    fill(outlets, [folders, viewers?.viewers, known.silent, status.disk?.free_bytes >> 24], () => [el('div.hd', {}, el('h2', {}, texts.public_files)), table(texts.outlets, [texts.outlet, texts.folder, texts.delay, texts.state], folders),
      el('p', {}, viewers ? filled(texts.viewers_connected, count(texts.number_of_viewers, viewers.viewers), count(texts.connections, viewers.connections), viewers.refused) : known.silent ? texts.viewers_unknown : ''),
      el('p', {}, status.disk ? filled(texts.recording_disk, (status.disk.free_bytes / 1e9).toFixed(1), (status.disk.total_bytes / 1e9).toFixed(1), status.directory) : '')]);
    const config = part(place, 'section', {id: 'config'});
    fill(config, [status.reload, status.version, isOperator()], () => [el('div.hd', {}, el('h2', {}, texts.configuration)),
      el('p', {}, filled(texts.started, status.version, new Date(status.started).toLocaleString(LANG))),
      status.reload && el('p', {}, filled(texts.reloaded_at, hour(status.reload.at)), english(status.reload.text.join('; '))),
      isOperator() && el('div.ab', {},
        button(texts.reload, 'reload', () => propose({title: texts.reload, verb: texts.reload, request: () => ({do: 'reload'}), effect: () => [texts.reload_effect]})),
        button(texts.test_alarm, 'alarm-test', () => propose({title: texts.test_alarm, verb: texts.test_alarm, request: () => ({do: 'alarm-test'}), effect: () => [texts.test_alarm_effect]})),
        button(texts.messages, 'log-level', () => {
          const level = el('input', {maxlength: 200, placeholder: 'info, damcast::engine::session=debug, reset'});
          propose({title: texts.messages, verb: texts.messages_verb, fields: [field(texts.level, level, texts.level_hint)],
            request: () => ({do: 'log-level', ...(level.value.trim() && {filter: level.value.trim()})}), effect: () => [level.value.trim() ? filled(texts.level_effect, level.value.trim()) : texts.level_query]});
        }))]);
    viewersAddress(part(place, 'section', {id: 'viewers'}));
    people(part(place, 'section', {id: 'people'}));
  },
};

/** Where viewers reach their pages, with a code for their phones. */
const viewersAddress = async place => {
  if (place.childElementCount && Date.now() - (viewersAddress.drawn ?? 0) < 10000) return;
  viewersAddress.drawn = Date.now();
  const told = await api('/api/viewers');
  if (!told.ok) return;
  const link = told.address && el('a', {href: told.address, target: '_blank', rel: 'noopener'}, told.address);
  fill(place, told, () => [el('div.hd', {}, el('h2', {}, texts.viewers_address)),
    told.svg ? el('div.code', {}, drawing(told.svg), el('p', {}, link)) : el('p', {}, told.reach === 'here' ? texts.viewers_local : texts.viewers_address_unknown, ' ', link)]);
};

/** Who works here, and who may come in. */
const people = async place => {
  if (place.childElementCount && Date.now() - (people.drawn ?? 0) < 3000) return;
  people.drawn = Date.now();
  const told = await api('/api/sessions');
  if (!told.ok) return;
  const mark = told.sessions.map(({id, pages}) => [id, pages]);
  fill(place, [mark, isOperator()], () => [el('div.hd', {}, el('h2', {}, texts.users)),
    table(texts.logged_in, [texts.user, texts.role, texts.address, texts.since_column, texts.open_pages, ''], told.sessions.map(session => [session.name, texts[session.role], session.address, time(session.since), String(session.pages),
      session.id === told.own ? texts.this_is_you : isOperator() ? button(texts.end_session, `end-${session.id}`, async () => { await api('/api/revoke', {id: session.id}); people.drawn = 0; people(place); }) : ''])),
    isOperator() && el('div.ab', {}, button(texts.code_for, 'login', () => {
      const name = el('input', {maxlength: 64}), role = radios(texts.role, [['arbiter', texts.arbiter_may], ['operator', texts.operator_may]], 'arbiter');
      propose({title: texts.code_for, verb: texts.make_code, fields: [field(texts.name, name, texts.code_name_hint), role],
        request: () => name.value.trim() ? {do: 'login', name: name.value.trim(), role: role.value} : null,
        effect: () => [texts.code_effect],
        done: reply => banner(filled(texts.code_is, reply.code), true)});
    }))]);
};
