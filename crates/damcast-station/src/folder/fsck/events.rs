//! Check of an outlet's events and of their order.

use super::*;

pub(super) fn check_events(
    seating: &RoundBoards,
    (found, witnesses): (&FoundOutlet, &Witnesses),
    now: WallTime,
    report: &mut FsckReport,
) -> io::Result<()> {
    let outlet = &found.planned;
    let name = found.path(outlets::EVENTS_FILE);
    let read = || EventOrder::read(&outlet.name, found.order.from(0), found.events.from(0), witnesses);
    let names = seating.history().names_version(outlet.delay, now);
    let (mut written, mut missing) = (BTreeMap::new(), 0);
    let mut generation = Generation { id: String::new(), station: String::new(), names };
    if let Some(order) = read()? {
        generation = order.generation.clone();
        let Some(order) = check_order(found, order, report)? else { return Ok(()) };
        let mut streams = EventStreams::new(seating.boards(), seating.history(), &generation);
        let mut again = read()?;
        let compared = match &mut again {
            Some(order) => outlets::compare(order, found.events.from(0), &mut streams, |_, _| {})?,
            None => Comparison::Other { line: 1, event: None },
        };
        match compared {
            Comparison::Beginning { right, missing: of_order, unknown } => {
                missing = of_order;
                if unknown > 0 {
                    let what = format!("{unknown} events are of games whose logs are not here");
                    report.add(FindingKind::Events, Severity::Note, &name, what, "");
                }
                if right < found.events.length() {
                    let what = format!("from byte {right} on bytes are zero: a loss of power");
                    report.add(FindingKind::Events, Severity::SelfHealing, &name, what, "");
                }
            }
            Comparison::Other { .. } if is_of_another_generation(found, &generation, witnesses)? => {
                report.add(
                    FindingKind::Events,
                    Severity::SelfHealing,
                    &name,
                    "it is of another generation than its order",
                    "",
                );
                return Ok(());
            }
            Comparison::Other { line, event } => {
                let what = match event {
                    Some(event) if event.board.is_empty() => {
                        format!("line {line} is not what the record of the tournament says")
                    }
                    Some(event) => format!("line {line} is not what the log of {} says", event.board),
                    None => format!("line {line} and what follows it are in no log"),
                };
                report.add(
                    FindingKind::Events,
                    Severity::Error,
                    &name,
                    what,
                    "the next start puts it aside and writes it again",
                );
                return Ok(());
            }
        }
        written = order.written;
    } else if found.events.length() > 0 {
        let advice = "the next start puts it aside and writes it again";
        report.add(FindingKind::Events, Severity::Error, &name, "line 1 and what follows it are in no log", advice);
        return Ok(());
    } else if found.order.length() > 0 {
        report.add(
            FindingKind::Order,
            Severity::SelfHealing,
            found.order(),
            "it does not say of which generation it is",
            "",
        );
    }
    if seating.plans.current().is_some() && report.holder.is_none() && !outlet.is_suspended {
        let boards: Vec<&Board> = seating.boards().collect();
        let written = |stream: &StreamKey| written.get(stream).copied().unwrap_or(0);
        missing +=
            PendingEvents::new(&boards, (seating.history(), &generation), outlet.delay, now, written).remaining();
        if generation.names < names {
            report.add(FindingKind::Events, Severity::SelfHealing, &name, "it has names that are hidden now", "");
        }
    }
    if missing > 0 && report.holder.is_none() {
        report.add(
            FindingKind::Events,
            Severity::SelfHealing,
            &name,
            format!("{missing} events are not written yet"),
            "",
        );
    }
    Ok(())
}

/// Reads an order to its end. Returns `None` if its events cannot be checked.
fn check_order<'o>(
    found: &FoundOutlet,
    mut order: EventOrder<'o>,
    report: &mut FsckReport,
) -> io::Result<Option<EventOrder<'o>>> {
    let mut strange: Option<String> = None;
    let mut last: BTreeMap<StreamKey, u64> = BTreeMap::new();
    while let Some(event) = order.next_event()? {
        let known = last.insert(event.key(), event.n).unwrap_or(0);
        if event.n != known + 1 {
            let what = || format!("event {} of game {} of {} follows event {known}", event.n, event.game, event.board);
            strange.get_or_insert_with(what);
        }
        report.events += 1;
    }
    if let Some(what) = strange {
        let advice = "put the file aside with events.ndjson; both are made again";
        report.add(FindingKind::Order, Severity::Error, found.order(), what, advice);
        return Ok(None);
    }
    if let Err(mismatch) = order.check_witness() {
        if order.has_generation {
            let advice = "put a copy of it there; until then nothing is shown in its outlet";
            report.add(FindingKind::Order, Severity::Error, found.order(), mismatch.to_string(), advice);
            return Ok(None);
        }
        report.add(
            FindingKind::Order,
            Severity::SelfHealing,
            found.order(),
            format!("{mismatch}; the events begin another generation"),
            "",
        );
        return Ok(Some(order));
    }
    let is_being_written = || -> io::Result<bool> {
        let mut rest = Vec::new();
        found.order.from(order.right).read_until(b'\n', &mut rest)?;
        Ok(report.holder.is_some() && !rest.ends_with(b"\n"))
    };
    if !order.is_whole(found.order.length()) && !is_being_written()? {
        let what = match order.recovered {
            0 => format!("what follows event {} is not right", order.seq),
            count => format!("it lacks {count} events that stand in {}", outlets::EVENTS_FILE),
        };
        report.add(FindingKind::Order, Severity::SelfHealing, found.order(), what, "");
    }
    Ok(Some(order))
}

/// Whether the lines of a file name another generation.
fn is_of_another_generation(found: &FoundOutlet, generation: &Generation, witnesses: &Witnesses) -> io::Result<bool> {
    let lines = EventOrder::read(&found.planned.name, Box::new(io::empty()), found.events.from(0), witnesses)?;
    Ok(lines.is_some_and(|lines| lines.generation.id != generation.id))
}
