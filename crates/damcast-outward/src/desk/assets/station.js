// Log of actions; station with its lines, folders, alarms and configuration; users.

const table = (caption, heads, rows, kind = '') => el('div.tb', {tabindex: 0, role: 'region', 'aria-label': caption, 'data-key': `table ${caption}`}, el(`table.st1${kind}`, {}, el('caption.vh', {}, caption),
  el('thead', {}, el('tr', {}, ...heads.map(head => el('th', {scope: 'col'}, head)))),
  el('tbody', {}, ...rows.map(cells => el('tr', {}, ...cells.map(cell => el('td', {}, typeof cell === 'string' ? bdi(cell) : cell)))))));

views.log = {
  title: texts.log,
  async draw(place) {
    // Joins the requests since the start of the station with the history of the tournament.
    const age = Date.now() - (views.log.drawn ?? 0);
    if (place.childElementCount && age < 3000) return;
    views.log.drawn = Date.now();
    const answer = await api('/api/log');
    if (!answer.ok || where().view !== 'log') return;
    const history = (known.tournament?.history ?? []).map(entry => ({...entry, message: entry.reason || filled(texts.version, entry.version), ok: true}));
    const of = entry => `${entry.what} ${entry.by}`.slice(0, 40);
    const requests = (answer.audit_log ?? []).filter(entry => !entry.ok || !history.some(other => of(other).startsWith(entry.what.slice(0, 30)) && Math.abs(new Date(other.at) - new Date(entry.at)) < 3000));
    const all = [...requests, ...history].sort((one, other) => other.at.localeCompare(one.at)).slice(0, 200);
    fill(part(place, 'div', {id: 'all-entries'}), all.map(entry => [entry.at, entry.what, entry.ok]), () => [
      el('div.hd', {}, el('h2', {}, texts.audit_log), zone()),
      all.length ? table(texts.newest_first, [texts.time, texts.user, texts.action, texts.outcome], all.map(entry =>
        [el('time', {datetime: entry.at}, dayAndTime(entry.at)), actor(entry.by), plain(entry.what), entry.ok ? entry.message ? english(entry.message) : texts.done : el('span.no', {}, english(filled(texts.refused, entry.message)))]), '.crd')
        : el('p.q', {}, texts.log_empty)]);
  },
};

views.station = {
  title: texts.station,
  draw(place) {
    const {status, viewers} = known;
    if (!status) return;
    const alarms = part(place, 'section', {id: 'alarms'});
    fill(alarms, status.alarms, () => [el('div.hd', {}, el('h2', {}, texts.alarms), zone()), status.alarms.length
      ? table(texts.alarms, [texts.since_column, texts.alarm, texts.place, texts.description], status.alarms.map(alarm => [dayAndTime(alarm.since), alarm.kind, alarm.board ?? alarm.place ?? texts.station, english(alarm.text)]), '.crd') : el('p.q', {}, texts.no_alarms)]);
    const lines = part(place, 'section', {id: 'lines'});
    const cells = status.lines.map(line => [line.name, line.port, plain(line.link), plain(line.text), plain(line.fault ?? line.pending ?? ''), String(line.plies), String(line.setups), String(line.noise_bytes), String(line.bad_checksums)]);
    fill(lines, cells, () => [el('div.hd', {}, el('h2', {}, texts.lines)), table(texts.lines, [texts.line, texts.port, texts.link, texts.state, texts.notes, texts.plies_column, texts.set_ups, texts.noise, texts.checksums], cells)]);
    const outlets = part(place, 'section', {id: 'outlets'});
    const folders = status.outlets.map(outlet => [outlet.name, outlet.directory, outlet.delay_s || outlet.delay_plies ? [outlet.delay_s && `${outlet.delay_s} s`, outlet.delay_plies && count(texts.plies, outlet.delay_plies)].filter(Boolean).join(', ') : texts.no_delay, outlet.held ? plain(outlet.held) : texts.outlet_active]);
    fill(outlets, [folders, viewers?.viewers, known.silent, status.disk?.free_bytes >> 24], () => [el('div.hd', {}, el('h2', {}, texts.public_files)), table(texts.outlets, [texts.outlet, texts.folder, texts.delay, texts.state], folders),
      el('p', {}, viewers ? filled(texts.viewers_connected, count(texts.number_of_viewers, viewers.viewers), count(texts.connections, viewers.connections), viewers.refused) : known.silent ? texts.viewers_unknown : ''),
      el('p', {}, status.disk ? filled(texts.recording_disk, (status.disk.free_bytes / 1e9).toFixed(1), (status.disk.total_bytes / 1e9).toFixed(1), status.directory) : '')]);
    const deliveries = part(place, 'section', {id: 'deliveries'});
    const reports = known.deliveries ?? [];
    fill(deliveries, reports, () => reports.length ? [el('div.hd', {}, el('h2', {}, texts.deliveries)), reports[0].silent ? el('p.no', {}, filled(texts.deliveries_silent, reports[0].silent))
      : table(texts.deliveries, [texts.delivery, texts.state, texts.since_column, texts.files_waiting, texts.last_words], reports.map(report =>
        [report.name, report.state === 'failing' ? el('span.no', {}, texts.delivery_failing) : report.state === 'running' ? texts.delivery_running : texts.delivery_fresh, dayAndTime(report.since), String(report.waiting), english(report.words ?? '')]), '.dl')] : []);
    const config = part(place, 'section', {id: 'config'});
    fill(config, [status.reload, status.version, isOperator()], () => [el('div.hd', {}, el('h2', {}, texts.configuration)),
      el('p', {}, filled(texts.started, status.version, dayAndTime(status.started))),
      status.reload && el('p', {}, filled(texts.reloaded_at, dayAndTime(status.reload.at)), english(status.reload.text.join('; '))),
      isOperator() && el('div.ab', {},
        button(texts.reload, 'reload', () => propose({title: texts.reload, verb: texts.reload, request: () => ({do: 'reload'}), effect: () => [texts.reload_effect]})),
        button(texts.test_alarm, 'alarm-test', () => propose({title: texts.test_alarm, verb: texts.test_alarm, request: () => ({do: 'alarm-test'}), effect: () => [texts.test_alarm_effect]})),
        button(texts.messages, 'log-level', () => {
          const level = el('input', {maxlength: 200, placeholder: 'info, damcast_station::line=debug, reset'});
          propose({title: texts.messages, verb: texts.messages_verb, fields: [field(texts.level, level, texts.level_hint)],
            request: () => ({do: 'log-level', ...(level.value.trim() && {filter: level.value.trim()})}), effect: () => [level.value.trim() ? filled(texts.level_effect, level.value.trim()) : texts.level_query]});
        }))]);
    viewersAddress(part(place, 'section', {id: 'viewers'}));
    people(part(place, 'section', {id: 'people'}));
  },
};

/** Draws the address of the viewers’ pages, with a QR code. */
const viewersAddress = async place => {
  if (place.childElementCount && Date.now() - (viewersAddress.drawn ?? 0) < 10000) return;
  viewersAddress.drawn = Date.now();
  const answer = await api('/api/viewers');
  if (!answer.ok) return;
  const link = answer.address && el('a', {href: answer.address, target: '_blank', rel: 'noopener'}, answer.address);
  fill(place, answer, () => [el('div.hd', {}, el('h2', {}, texts.viewers_address)),
    answer.svg ? el('div.code', {}, drawing(answer.svg), el('p', {}, link)) : el('p', {}, answer.reach === 'here' ? texts.viewers_local : texts.viewers_address_unknown, ' ', link)]);
};

/** Asks whether to end the session of a user. */
const endSession = (place, {id, name, role, address}) => tell(texts.end_session, el('p', {}, bdi(name), `, ${texts[role]}, `, bdi(address)), el('div.ab', {}, button(texts.end_session, 'end', async () => {
  $('#dialog').close();
  const reply = await api('/api/revoke', {id});
  if (!reply.ok) banner(failure(reply));
  people.drawn = 0;
  people(place);
})));

/** Draws the list of users. */
const people = async place => {
  if (place.childElementCount && Date.now() - (people.drawn ?? 0) < 3000) return;
  people.drawn = Date.now();
  const answer = await api('/api/sessions');
  if (!answer.ok) return;
  const mark = answer.sessions.map(({id, pages}) => [id, pages]);
  fill(place, [mark, isOperator()], () => [el('div.hd', {}, el('h2', {}, texts.users)),
    table(texts.logged_in, [texts.user, texts.role, texts.address, texts.since_column, texts.open_pages, ''], answer.sessions.map(session => [session.name, texts[session.role], session.address, dayAndTime(session.since), String(session.pages),
      session.id === answer.own ? texts.this_is_you : isOperator() ? button(texts.end_session, `end-${session.id}`, () => endSession(place, session), {'aria-label': `${texts.end_session}: ${session.name}`}) : ''])),
    isOperator() && el('div.ab', {}, button(texts.code_for, 'login', () => {
      const name = el('input', {maxlength: 64}), role = radios(texts.role, [['arbiter', texts.arbiter_may], ['operator', texts.operator_may]], 'arbiter');
      propose({title: texts.code_for, verb: texts.make_code, fields: [field(texts.name, name, texts.code_name_hint), role],
        request: () => name.value.trim() ? {do: 'login', name: name.value.trim(), role: role.value} : null,
        effect: () => [texts.code_effect],
        done: reply => tell(texts.code_for, el('p', {}, filled(texts.code_is, reply.code)))});
    }))]);
};
