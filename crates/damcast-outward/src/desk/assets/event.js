// The event: its facts, which viewers read before, during and after the games.

/** The time of a field for date and time, with the offset of this device from UTC at that time. */
const withOffset = local => {
  const ahead = -new Date(local).getTimezoneOffset(), two = number => String(Math.floor(number)).padStart(2, '0'), far = Math.abs(ahead);
  return `${local.slice(0, 16)}${ahead < 0 ? '-' : '+'}${two(far / 60)}:${two(far % 60)}`;
};
/** A time as the value of a field for date and time, on the clock of this device. */
const localTime = at => {
  const date = new Date(at);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
};

/** Draws the name and the days of the event, with the button that changes its facts. */
const theEvent = () => {
  const event = known.tournament.tournament?.event ?? {};
  const days = [event.start, event.end].filter((day, index, all) => day && all.indexOf(day) === index).join(' – ');
  const facts = [event.name, days, event.site].filter(Boolean);
  return el('section', {'aria-label': texts.event_facts}, el('div.hd', {}, el('h2', {}, texts.event_facts), el('p', {}, ...facts.length ? facts.flatMap((fact, index) => [index ? ', ' : '', bdi(fact)]) : [texts.event_hint])),
    el('div.ab', {}, button(texts.describe_event, 'describe-event', describeEvent)));
};

/** Proposes other facts of the event; those that are not changed are not sent. */
const describeEvent = () => {
  const event = known.tournament.tournament?.event ?? {}, inputs = [];
  const fact = (name, label, input) => { inputs.push([name, input, input.value]); return field(label, input); };
  const line = (name, label, more = {}) => fact(name, label, el('input', {maxlength: 200, ...more, value: event[name.replace('-', '_')] ?? ''}));
  const address = (name, label) => line(name, label, {type: 'url', maxlength: 500, placeholder: 'https://'});
  const known_moments = event.schedule ?? [], list = el('ol.moments');
  const news = () => list.dispatchEvent(new Event('input', {bubbles: true}));
  const add = moment => {
    const at = el('input', {type: 'datetime-local', value: moment ? localTime(moment.at) : '', 'aria-label': texts.moment_time});
    const name = el('input', {maxlength: 200, value: moment?.name ?? '', 'aria-label': texts.moment_name, placeholder: texts.moment_name});
    const row = el('li', {}, at, name, button(texts.remove, '', () => { row.remove(); news(); }));
    // A moment that stays where it was keeps the offset of its zone.
    row.moment = () => ({at: moment && at.value === localTime(moment.at) ? moment.at : withOffset(at.value), name: name.value.trim()});
    row.isFilled = () => at.value || name.value.trim();
    row.isWhole = () => at.value && name.value.trim();
    list.append(row);
    return at;
  };
  known_moments.forEach(add);
  const report = el('textarea', {rows: 5, maxlength: 4000, value: event.report ?? ''});
  propose({
    title: texts.describe_event, verb: texts.save_event,
    fields: [
      line('name', texts.name), line('site', texts.event_place), el('div.days', {}, line('start', texts.event_start, {type: 'date'}), line('end', texts.event_end, {type: 'date'})),
      line('organiser', texts.organiser), line('arbiter', texts.arbiter_name), line('format', texts.system, {maxlength: 500}), line('time-control', texts.time_control),
      el('fieldset', {}, el('legend', {}, texts.schedule), list, el('div.ab', {}, button(texts.add_moment, 'add-moment', () => add().focus())), el('p.q.s', {}, filled(texts.device_zone, Intl.DateTimeFormat().resolvedOptions().timeZone))),
      address('stream', texts.stream), address('regulations', texts.regulations), address('website', texts.website), fact('report', texts.report, report),
    ],
    request: () => {
      const rows = [...list.children].filter(row => row.isFilled());
      if (!rows.every(row => row.isWhole())) return null;
      const schedule = rows.map(row => row.moment()), isSame = JSON.stringify(schedule) === JSON.stringify(known_moments);
      const facts = Object.fromEntries(inputs.filter(([, input, before]) => input.value !== before).map(([name, input]) => [name, input.value]));
      return ofTournament({command: 'describe-event', facts, ...(!isSame && {schedule})});
    },
  });
};
