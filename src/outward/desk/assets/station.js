// What was done and by whom; the station as a whole: lines, folders, alarms, configuration, and who may work here.

const table = (caption, heads, rows, kind = '') => el('div.tb', {tabindex: 0, role: 'region', 'aria-label': caption}, el(`table.st1${kind}`, {}, el('caption.vh', {}, caption),
  el('thead', {}, el('tr', {}, ...heads.map(head => el('th', {scope: 'col'}, head)))),
  el('tbody', {}, ...rows.map(cells => el('tr', {}, ...cells.map(cell => el('td', {}, typeof cell === 'string' ? bdi(cell) : cell)))))));

views.log = {
  title: t.log,
  async draw(place) {
    // What the station has kept in mind since its start, and what stands in the record of the tournament.
    const age = Date.now() - (views.log.drawn ?? 0);
    if (place.childElementCount && age < 3000) return;
    views.log.drawn = Date.now();
    const told = await api('/api/log');
    if (!told.ok || where().view !== 'log') return;
    const history = (known.tournament?.history ?? []).map(deed => ({...deed, message: deed.reason || filled(t.version, deed.version), ok: true}));
    const of = deed => `${deed.what} ${deed.by}`.slice(0, 40);
    const asked = (told.audit_log ?? []).filter(deed => !deed.ok || !history.some(other => of(other).startsWith(deed.what.slice(0, 30)) && Math.abs(new Date(other.at) - new Date(deed.at)) < 3000));
    const all = [...asked, ...history].sort((one, other) => other.at.localeCompare(one.at)).slice(0, 200);
    fill(part(place, 'div', {id: 'all-deeds'}), all.map(deed => [deed.at, deed.what, deed.ok]), () => [
      el('div.hd', {}, el('h2', {}, t.deeds)),
      all.length ? table(t.newest_first, [t.time, t.who, t.what, t.came_of_it], all.map(deed =>
        [el('time', {datetime: deed.at, title: deed.at}, `${deed.at.slice(5, 10)} ${hour(deed.at)}`), deed.by, deed.what, deed.ok ? deed.message ? english(deed.message) : t.done : el('span.no', {}, english(filled(t.refused, deed.message)))]))
        : el('p.q', {}, t.nothing_asked)]);
  },
};

views.station = {
  title: t.station,
  draw(place) {
    const {status, viewers} = known;
    if (!status) return;
    const alarms = part(place, 'section', {id: 'alarms'});
    fill(alarms, status.alarms, () => [el('div.hd', {}, el('h2', {}, t.alarms)), status.alarms.length
      ? table(t.alarms, [t.since_head, t.what, t.place, t.in_words], status.alarms.map(alarm => [hour(alarm.since), alarm.kind, alarm.board ?? alarm.place ?? t.station, english(alarm.text)])) : el('p.q', {}, t.none_there)]);
    const lines = part(place, 'section', {id: 'lines'});
    const cells = status.lines.map(line => [line.name, line.port, line.link, line.text, String(line.plies), String(line.setups), String(line.noise_bytes), String(line.bad_checksums), line.fault ?? line.pending ?? '']);
    fill(lines, cells, () => [el('div.hd', {}, el('h2', {}, t.lines)), table(t.lines, [t.line, t.port, t.link, t.state, t.plies_head, t.setups, t.noise, t.checksums, t.besides], cells)]);
    const outlets = part(place, 'section', {id: 'outlets'});
    const folders = status.outlets.map(outlet => [outlet.name, outlet.directory, outlet.delay_s || outlet.delay_plies ? [outlet.delay_s && `${outlet.delay_s} s`, outlet.delay_plies && count(t.plies, outlet.delay_plies)].filter(Boolean).join(', ') : t.at_once, outlet.held ?? t.outlet_goes_on]);
    fill(outlets, [folders, viewers?.viewers, known.silent, status.disk?.free_bytes >> 24], () => [el('div.hd', {}, el('h2', {}, t.public_files)), table(t.folders_head, [t.outlet, t.folder, t.shown, t.state], folders),
      el('p', {}, viewers ? filled(t.viewers_pages, count(t.number_of_viewers, viewers.viewers), count(t.connections, viewers.connections), viewers.refused) : known.silent ? t.viewers_pages_silent : ''),
      el('p', {}, status.disk ? filled(t.disk_free, (status.disk.free_bytes / 1e9).toFixed(1), (status.disk.total_bytes / 1e9).toFixed(1), status.directory) : '')]);
    const config = part(place, 'section', {id: 'config'});
    fill(config, [status.reload, status.version, isOperator()], () => [el('div.hd', {}, el('h2', {}, t.configuration)),
      el('p', {}, filled(t.started, status.version, new Date(status.started).toLocaleString(LANG))),
      status.reload && el('p', {}, filled(t.read_at, hour(status.reload.at)), english(status.reload.text.join('; '))),
      isOperator() && el('div.ab', {},
        button(t.reload, 'reload', () => propose({title: t.reload_title, verb: t.reload, request: () => ({do: 'reload'}), effect: () => [t.reload_effect]})),
        button(t.try_alarm, 'alarm-test', () => propose({title: t.try_alarm_title, verb: t.try_alarm_verb, request: () => ({do: 'alarm-test'}), effect: () => [t.try_alarm_effect]})),
        button(t.messages, 'log-level', () => {
          const level = el('input', {maxlength: 200, placeholder: 'info, damcast::engine::session=debug, reset'});
          propose({title: t.messages_title, verb: t.messages_verb, fields: [field(t.level, level, t.level_hint)],
            request: () => ({do: 'log-level', ...(level.value.trim() && {filter: level.value.trim()})}), effect: () => [level.value.trim() ? filled(t.level_effect, level.value.trim()) : t.level_now]});
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
  fill(place, told, () => [el('div.hd', {}, el('h2', {}, t.viewers_address)),
    told.svg ? el('div.code', {}, drawing(told.svg), el('p', {}, link)) : el('p', {}, told.reach === 'here' ? t.viewers_here : t.viewers_unknown, ' ', link)]);
};

/** Who works here, and who may come in. */
const people = async place => {
  if (place.childElementCount && Date.now() - (people.drawn ?? 0) < 3000) return;
  people.drawn = Date.now();
  const told = await api('/api/sessions');
  if (!told.ok) return;
  const mark = told.sessions.map(({id, pages}) => [id, pages]);
  fill(place, [mark, isOperator()], () => [el('div.hd', {}, el('h2', {}, t.people)),
    table(t.logged_in, [t.who, t.role, t.from_where, t.since_head, t.open_pages, ''], told.sessions.map(session => [session.name, t[session.role], session.address, time(session.since), String(session.pages),
      session.id === told.own ? t.this_is_you : isOperator() ? button(t.end_it, `end-${session.id}`, async () => { await api('/api/revoke', {id: session.id}); people.drawn = 0; people(place); }) : ''])),
    isOperator() && el('div.ab', {}, button(t.code_for, 'login', () => {
      const name = el('input', {maxlength: 64}), role = radios(t.what_may, [['arbiter', t.arbiter_may], ['operator', t.operator_may]], 'arbiter');
      propose({title: t.code_for, verb: t.make_code, fields: [field(t.name, name, t.code_name_hint), role],
        request: () => name.value.trim() ? {do: 'login', name: name.value.trim(), role: role.value} : null,
        effect: () => [t.code_effect],
        done: reply => banner(filled(t.code_is, reply.code), true)});
    }))]);
};
