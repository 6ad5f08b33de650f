//! Check of an outlet's events and of their order.

use super::*;

impl<'c> OutletCheck<'c> {
    pub(super) fn check_events(&mut self) -> io::Result<()> {
        let found = self.outlet;
        let name = found.path(outlets::EVENTS_FILE);
        let PlannedOutlet { delay, is_suspended, .. } = found.planned;
        let names = self.round_boards.history().names_version(delay, self.now);
        let (mut written, mut missing) = (BTreeMap::new(), 0);
        let mut generation = Generation { id: String::new(), station: String::new(), names };
        if let Some(mut order) = self.read_order()? {
            generation = order.generation.clone();
            let compared = self.compare(&mut order, &generation)?;
            if !self.check_order(&order)? {
                return Ok(());
            }
            let Some(of_order) = self.report_comparison(compared, &name, &generation)? else { return Ok(()) };
            (written, missing) = (order.written, of_order);
        } else if found.events.length() > 0 {
            let advice = "the next start puts it aside and writes it again";
            self.report.error(FindingKind::Events, &name, "line 1 and what follows it are in no log", advice);
            return Ok(());
        } else if found.order.length() > 0 {
            self.report.mended(FindingKind::Order, found.order(), "it does not say of which generation it is");
        }
        if self.report.holder.is_some() {
            return Ok(());
        }
        if self.round_boards.plans.current().is_some() && !is_suspended {
            let boards: Vec<&Board> = self.round_boards.boards().collect();
            let source = (self.round_boards.history(), self.round_boards.plans.board_lists(), &generation);
            let written = |stream: &StreamKey| written.get(stream).copied().unwrap_or(0);
            missing += PendingEvents::new(&boards, source, delay, self.now, written)?.remaining();
            if generation.names < names {
                self.report.mended(FindingKind::Events, &name, "it has names that are hidden now");
            }
        }
        if missing > 0 {
            self.report.mended(FindingKind::Events, &name, format!("{missing} events are not written yet"));
        }
        Ok(())
    }

    fn read_order(&self) -> io::Result<Option<EventOrder<'c>>> {
        let found = self.outlet;
        EventOrder::read(&found.planned.name, found.order.from(0), found.events.from(0), self.witnesses)
    }

    /// Compares the file of events with the logs, in the stored order, and reads the order to its end.
    fn compare(&mut self, order: &mut EventOrder<'_>, generation: &Generation) -> io::Result<Comparison> {
        let (history, lists) = (self.round_boards.history(), self.round_boards.plans.board_lists());
        let mut streams = EventStreams::new(self.round_boards.boards(), history, lists, generation);
        let compared = outlets::compare(order, self.outlet.events.from(0), &mut streams, |_, _| {})?;
        if let Comparison::Other { event: Some(_), .. } = compared {
            while order.next_event()?.is_some() {}
        }
        self.report.events += order.seq as usize;
        Ok(compared)
    }

    /// Reports how the file of events differs from the logs. Returns the number of events that only the order has; `None` if the file must
    /// be written again.
    fn report_comparison(
        &mut self,
        compared: Comparison,
        name: &Path,
        generation: &Generation,
    ) -> io::Result<Option<u64>> {
        let events = &self.outlet.events;
        let (line, event) = match compared {
            Comparison::Beginning { right, missing, unknown } => {
                if unknown > 0 {
                    let what = format!("{unknown} events are of games whose logs are not here");
                    self.report.note(FindingKind::Events, name, what);
                }
                if right < events.length() {
                    let what = format!("from byte {right} on bytes are zero: a loss of power");
                    self.report.mended(FindingKind::Events, name, what);
                }
                return Ok(Some(missing));
            }
            Comparison::Other { line, event } => (line, event),
        };
        let outlet = &self.outlet.planned.name;
        let lines = EventOrder::read(outlet, Box::new(io::empty()), events.from(0), self.witnesses)?;
        if lines.is_some_and(|lines| lines.generation.id != generation.id) {
            let what = format!("it is of another generation than {}", self.outlet.order().display());
            self.report.mended(FindingKind::Events, name, what);
            return Ok(None);
        }
        let what = match event {
            Some(EventId { stream: Stream::Boards, .. }) => format!("line {line} is not what log/round-K.plan says"),
            Some(event) if event.board.is_empty() => {
                format!("line {line} is not what the record of the tournament says")
            }
            Some(event) => format!("line {line} is not what the log of {} says", event.board),
            None => format!("line {line} and what follows it are in no log"),
        };
        self.report.error(FindingKind::Events, name, what, "the next start puts it aside and writes it again");
        Ok(None)
    }

    /// Checks an order that was read to its end. Returns whether its events can be compared with the logs.
    fn check_order(&mut self, order: &EventOrder<'_>) -> io::Result<bool> {
        let (found, path) = (self.outlet, self.outlet.order());
        if let Some((EventId { board, game, n, .. }, known)) = &order.first_misplaced {
            let what = format!("event {n} of game {game} of {board} follows event {known}");
            let advice = "put the file aside with events.ndjson; both are made again";
            self.report.error(FindingKind::Order, path, what, advice);
            return Ok(false);
        }
        if let Err(mismatch) = order.check_witness() {
            if order.has_generation {
                let advice = "put a copy of it there; until then nothing is shown in its outlet";
                self.report.error(FindingKind::Order, path, mismatch.to_string(), advice);
                return Ok(false);
            }
            self.report.mended(FindingKind::Order, path, format!("{mismatch}; the events begin another generation"));
            return Ok(true);
        }
        let is_being_written = || -> io::Result<bool> {
            let mut rest = Vec::new();
            found.order.from(order.right).read_until(b'\n', &mut rest)?;
            Ok(self.report.holder.is_some() && !rest.ends_with(b"\n"))
        };
        if !order.is_whole(found.order.length()) && !is_being_written()? {
            let what = match order.recovered {
                0 => format!("what follows event {} is not right", order.seq),
                count => format!("it lacks {count} events that stand in {}", outlets::EVENTS_FILE),
            };
            self.report.mended(FindingKind::Order, path, what);
        }
        Ok(true)
    }
}
