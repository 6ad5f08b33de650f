// What was done and by whom; the station as a whole: lines, folders, alarms, configuration, and who may work here.

const table = (caption, heads, rows) => el('div.tb', {tabindex: 0, role: 'region', 'aria-label': caption}, el('table.st1', {}, el('caption.vh', {}, caption),
  el('thead', {}, el('tr', {}, ...heads.map(head => el('th', {scope: 'col'}, head)))),
  el('tbody', {}, ...rows.map(cells => el('tr', {}, ...cells.map(cell => el('td', {}, typeof cell === 'string' ? bdi(cell) : cell)))))));

views.log = {
  title: 'Log',
  async draw(place) {
    // What the station has kept in mind since its start, and what stands in the record of the tournament.
    const age = Date.now() - (views.log.drawn ?? 0);
    if (place.childElementCount && age < 3000) return;
    views.log.drawn = Date.now();
    const told = await api('/api/log');
    if (!told.ok || where().view !== 'log') return;
    const history = (known.tournament?.history ?? []).map(deed => ({...deed, told: deed.reason || `version ${deed.version}`, ok: true}));
    const of = deed => `${deed.what} ${deed.by}`.slice(0, 40);
    const asked = (told.deeds ?? []).filter(deed => !deed.ok || !history.some(other => of(other).startsWith(deed.what.slice(0, 30)) && Math.abs(new Date(other.at) - new Date(deed.at)) < 3000));
    const all = [...asked, ...history].sort((one, other) => other.at.localeCompare(one.at)).slice(0, 200);
    fill(part(place, 'div', {id: 'all-deeds'}), all.map(deed => [deed.at, deed.what, deed.ok]), () => [
      el('div.hd', {}, el('h2', {}, 'Who did what')),
      all.length ? table('Who did what, the newest first', ['Time', 'Who', 'What', 'Came of it'], all.map(deed =>
        [el('time', {datetime: deed.at, title: deed.at}, `${deed.at.slice(5, 10)} ${hour(deed.at)}`), deed.by, deed.what, deed.ok ? deed.told || 'done' : el('span.no', {}, bdi(`refused: ${deed.told}`))]))
        : el('p.q', {}, 'Nothing was asked yet.')]);
  },
};

views.station = {
  title: 'Station',
  draw(place) {
    const {status, viewers} = known;
    if (!status) return;
    const alarms = part(place, 'section', {id: 'alarms'});
    fill(alarms, status.alarms, () => [el('div.hd', {}, el('h2', {}, 'Alarms')), status.alarms.length
      ? table('Alarms', ['Since', 'What', 'Where', 'In words'], status.alarms.map(alarm => [hour(alarm.since), alarm.kind, alarm.board ?? alarm.place ?? 'the station', alarm.text])) : el('p.q', {}, 'There is none.')]);
    const lines = part(place, 'section', {id: 'lines'});
    const cells = status.lines.map(line => [line.name, line.port, line.link, line.text, String(line.plies), String(line.setups), String(line.noise_bytes), String(line.bad_checksums), line.fault ?? line.pending ?? '']);
    fill(lines, cells, () => [el('div.hd', {}, el('h2', {}, 'Lines')), table('Lines', ['Line', 'Port', 'Link', 'State', 'Plies', 'Setups', 'Noise, bytes', 'Wrong checksums', 'Besides'], cells)]);
    const outlets = part(place, 'section', {id: 'outlets'});
    const folders = status.outlets.map(outlet => [outlet.name, outlet.directory, outlet.delay_s || outlet.delay_plies ? [outlet.delay_s && `${outlet.delay_s} s`, outlet.delay_plies && plural(outlet.delay_plies, 'ply', 'plies')].filter(Boolean).join(', ') : 'at once', outlet.held ?? 'goes on']);
    fill(outlets, [folders, viewers?.viewers, status.disk?.free_bytes >> 24], () => [el('div.hd', {}, el('h2', {}, 'Public files')), table('Folders for readers', ['Outlet', 'Folder', 'Shown', 'State'], folders),
      el('p', {}, viewers ? `The pages for viewers: ${plural(viewers.viewers, 'viewer', 'viewers')}, ${plural(viewers.connections, 'connection', 'connections')}, ${viewers.refused} sent away.` : 'The pages for viewers do not say how they are.'),
      el('p', {}, status.disk ? `Disk: ${(status.disk.free_bytes / 1e9).toFixed(1)} of ${(status.disk.total_bytes / 1e9).toFixed(1)} GB are free. Records into ${status.directory}.` : '')]);
    const config = part(place, 'section', {id: 'config'});
    fill(config, [status.reload, status.version, isOperator()], () => [el('div.hd', {}, el('h2', {}, 'Configuration')),
      el('p', {}, `damcast ${status.version}, started ${new Date(status.started).toLocaleString()}.`),
      status.reload && el('p', {}, `Read again at ${hour(status.reload.at)}: `, bdi(status.reload.text.join('; '))),
      isOperator() && el('div.ab', {},
        button('Read it again', 'reload', () => propose({title: 'Read the configuration again', verb: 'Read it again', request: () => ({do: 'reload'}), effect: () => ['Games go on. A wrong configuration changes nothing.']})),
        button('Try the alarm', 'alarm-test', () => propose({title: 'Try the alarm command', verb: 'Try it', request: () => ({do: 'alarm-test'}), effect: () => ['The station runs the alarm command as it does when something is the matter.']})),
        button('Messages', 'log-level', () => {
          const level = el('input', {maxlength: 200, placeholder: 'info, damcast::engine::session=debug, reset'});
          propose({title: 'Which messages the station shows', verb: 'Change them', fields: [field('Level', level, 'A level (error, warn, info, debug, trace), MODULE=LEVEL, or reset. Nothing: says which count now.')],
            request: () => ({do: 'log-level', ...(level.value.trim() && {filter: level.value.trim()})}), effect: () => [level.value.trim() ? `The messages of the station are shown at ${level.value.trim()}.` : 'It says which levels count now.']});
        }))]);
    people(part(place, 'section', {id: 'people'}));
  },
};

/** Who works here, and who may come in. */
const people = async place => {
  if (place.childElementCount && Date.now() - (people.drawn ?? 0) < 3000) return;
  people.drawn = Date.now();
  const told = await api('/api/sessions');
  if (!told.ok) return;
  const mark = told.sessions.map(({id, pages}) => [id, pages]);
  fill(place, [mark, isOperator()], () => [el('div.hd', {}, el('h2', {}, 'People')),
    table('Who has logged in', ['Who', 'Role', 'From', 'Since', 'Pages', ''], told.sessions.map(session => [session.name, session.role, session.address, new Date(session.since).toLocaleTimeString(), String(session.pages),
      session.id === told.own ? 'this is you' : isOperator() ? button('End it', `end-${session.id}`, async () => { await api('/api/revoke', {id: session.id}); people.drawn = 0; people(place); }) : ''])),
    isOperator() && el('div.ab', {}, button('A code for somebody', 'login', () => {
      const name = el('input', {maxlength: 64}), role = radios('What he may do', [['arbiter', 'Arbiter: results, names, rounds'], ['operator', 'Operator: everything']], 'arbiter');
      propose({title: 'A code for somebody', verb: 'Make a code', fields: [field('Name', name, 'It stands with all that he asks.'), role],
        request: () => name.value.trim() ? {do: 'login', name: name.value.trim(), role: role.value} : null,
        effect: () => ['A code of six digits: with it he logs in here, once, within a minute.'],
        done: reply => banner(`The code is ${reply.code}. It counts for a minute, once.`, true)});
    }))]);
};
