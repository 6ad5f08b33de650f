//! Reports of a board, and whether they can be trusted.
//!
//! The answers of a board drive its table: each one completes the knowledge up to its time. Therefore all decisions run
//! after an answer, never between two answers; unobserved quiet does not count. An answer without changes has a checksum
//! and proves as much as a dump.
//!
//! After a disturbance of the line that does not suffice. The state is then *unknown*: reports are buffered until a dump
//! shows that they lead to the contents of the board.
//!
//! | dump | reaction |
//! |---|---|
//! | matches the reports | the reports are applied, each at its time, then the dump |
//! | differs, but the next report explains it | hands are moving: another dump |
//! | differs | reports were lost: the memory is read, if it contains our start tag |
//! | differs, and the memory does not help | only the dump counts, once a clock reading shows the side to move |

use super::BusBoard;
use crate::millis::Millis;
use crate::protocol::changes::{self, MemoryEvent};
use crate::protocol::{BusCommand, ClockReport, Field, PieceCode};
use crate::session::catchup::ReplayOutcome;
use crate::session::catchup::memory::{self, KnownState, MemoryMismatch};
use crate::session::catchup::timeline::{Span, timeline, to_delayed_events};
use crate::session::delayed_event::DelayedEvent;
use crate::session::table::PendingPly;
use crate::session::{BusSettings, Effect};

/// Limit of buffered reports: the capacity of a memory.
const MAX_UNVERIFIED: usize = changes::MEMORY_SIZE;
/// Limit of memory reads. A read takes a third of a second in which hands may move; pauses between plies are longer.
const MAX_MEMORY_READS: u32 = 6;

#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    /// Whether the line was disturbed since the last dump.
    pub is_suspect: bool,
    /// Whether a press may be lost, so that a clock reading is needed first.
    pub is_clock_unsure: bool,
    /// Time of the request for changes whose answer was lost.
    pub lost_at: Millis,
    /// Bytes that the reports since the last start tag occupy in the memory.
    pub memory_bytes: usize,
    /// End of the period in which an abandoned answer may arrive; its changes were requested again and arrive twice.
    pub late_answer_until: Millis,
    /// Time up to which the changes are known.
    changes_known_until: Option<Millis>,
    last_changes: Vec<u8>,
    unverified: Vec<(Millis, DelayedEvent)>,
    /// Clock reading that shows a press not reported yet.
    early_clock: Option<ClockReport>,
    /// Dump that contradicts the reports, until further reports or the memory explain it.
    contradiction: Option<Vec<PieceCode>>,
    /// Memory reads since the last dump that matched the reports.
    memory_reads: u32,
    /// Time up to which no report was lost.
    complete_until: Millis,
}

impl Reports {
    pub fn new(now: Millis) -> Reports {
        Reports { lost_at: now, complete_until: now, ..Reports::default() }
    }

    /// Returns the time since the changes were last known.
    pub fn age(&self, now: Millis) -> Millis {
        /// Age for a board without any poll, which may have to report its power-up and all its pieces.
        const NEVER_ASKED_AGE: Millis = Millis::seconds(30);
        self.changes_known_until.map_or(NEVER_ASKED_AGE, |last_heard| now - last_heard)
    }

    pub fn are_unconfirmed(&self) -> bool {
        self.is_suspect || self.is_clock_unsure || self.contradiction.is_some()
    }

    pub fn on_present(&mut self) {
        self.complete_until = self.changes_known_until.unwrap_or(self.complete_until);
    }

    pub fn on_absent(&mut self) {
        self.contradiction = None;
        self.early_clock = None;
    }
}

impl BusBoard {
    pub(super) fn on_changes(
        &mut self,
        now: Millis,
        question: Option<BusCommand>,
        data: &[u8],
        bus: &BusSettings,
        effects: &mut Vec<Effect>,
    ) {
        let is_repeated = question == Some(BusCommand::RepeatChanges);
        // If the question was lost and not the answer, the previous answer arrives again. If the answer was only late, it counted
        // as the repetition, and the real repetition follows.
        let may_come_twice = is_repeated || now < self.reports.late_answer_until;
        let is_known = may_come_twice && !data.is_empty() && data == self.reports.last_changes;
        let changes = if is_known { Vec::new() } else { changes::decode(data) };
        self.reports.last_changes = data.to_vec();
        self.reports.memory_bytes = self.reports.memory_bytes.saturating_add(data.len());
        // Repeated changes happened before the first request.
        let until = if is_repeated { self.reports.lost_at.min(now) } else { now };
        let from = self.reports.changes_known_until.unwrap_or(until);
        self.reports.changes_known_until = Some(until.max(from));
        if changes.iter().any(|change| matches!(change, MemoryEvent::Invalid(_))) {
            self.reports.is_suspect = true;
        }
        self.store_first_events(&changes);
        if self.session.table.fields().is_none() {
            return self.start_from(now, &changes, effects);
        }
        self.add_unverified(from, until, &changes);
        if let Some(dump) = self.reports.contradiction.take() {
            self.resolve_contradiction(now, dump, &changes, bus, effects);
        }
        if !self.is_state_unknown() {
            // A repetition does not cover the time since then.
            self.apply_unverified(if is_repeated { until.max(from) } else { now }, effects);
        }
        if let Some(report) = self.reports.early_clock.take().filter(|_| !self.is_state_unknown()) {
            self.read_clock(now, report, effects);
        }
        if !self.is_state_unknown() {
            self.find_late_game(now, changes.is_empty(), effects);
        }
    }

    /// Starts from the piece list among the changes, which a board reports after it was switched on, while its contents are
    /// unknown.
    fn start_from(&mut self, now: Millis, changes: &[MemoryEvent], effects: &mut Vec<Effect>) {
        /// Limit of plies after the list; with more, the list belongs to another game.
        const MAX_LATE_PLIES: usize = 8;
        let Some((fields, after)) = memory::fields_from_list(changes, self.session.table.number_count()) else {
            return;
        };
        let presses = after.iter().filter(|change| matches!(change, MemoryEvent::Time { .. })).count();
        if presses > MAX_LATE_PLIES || self.reports.is_suspect || !self.session.table.is_start(&fields) {
            return;
        }
        self.questions.retain(|question| *question != BusCommand::SendBoard);
        let at = self.session.advance(now);
        effects.extend(self.session.table.on_dump(at, &fields));
        self.decide(now, effects);
        self.add_unverified(now, now, after);
        self.apply_unverified(now, effects);
    }

    /// Buffers changes that happened after `from` and until `until`.
    fn add_unverified(&mut self, from: Millis, until: Millis, changes: &[MemoryEvent]) {
        let reported = to_delayed_events(changes, self.session.table.number_count());
        self.add_unverified_events(from, until, reported);
    }

    /// Buffers events that happened after `from` and until `until`.
    pub(super) fn add_unverified_events(&mut self, from: Millis, until: Millis, reported: Vec<DelayedEvent>) {
        let from = self.session.table_time(from).max(self.session.advanced_to());
        let from = self.reports.unverified.last().map_or(from, |(at, _)| from.max(*at));
        let is_next = self.reports.unverified.is_empty();
        let sides = self.session.clock.sides(from).filter(|_| is_next);
        let begun = match self.reports.unverified.last() {
            None => self.session.late_start.tables().next().unwrap_or(&self.session.table).pending_ply(),
            Some((_, DelayedEvent::Memory(MemoryEvent::Piece { .. }))) => PendingPly::Ply,
            Some(_) => PendingPly::Nothing,
        };
        let starts = self.session.table.start_position_events(&reported);
        let to = self.session.table_time(until).max(from);
        let before = self.last_report();
        let timed = timeline(Span { from, to, sides, pending_ply: begun, previous_report: before }, reported, &starts);
        let room = MAX_UNVERIFIED.saturating_sub(self.reports.unverified.len());
        self.reports.unverified.extend(timed.into_iter().take(room));
    }

    fn last_report(&self) -> Option<(Millis, Field)> {
        match self.reports.unverified.last() {
            Some((at, DelayedEvent::Memory(MemoryEvent::Piece { field, .. }))) => Some((*at, *field)),
            Some(_) => None,
            None => self.session.last_report(),
        }
    }

    /// Replays the buffered reports, each at its time, and advances to the time up to which everything is known.
    pub(super) fn apply_unverified(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let kept = std::mem::take(&mut self.reports.unverified);
        if let Some((last, _)) = kept.last() {
            self.session.set_time_offset(now, (*last).max(self.session.table_time(now)));
        }
        let lived = self.session.replay(kept, effects);
        self.note_changes(lived);
        self.session.advance_until(self.session.table_time(now), effects);
        self.decide(now, effects);
    }

    /// Marks the reports as suspect after a power-up, since presses and moves of pieces may be missing.
    fn note_changes(&mut self, lived: ReplayOutcome) {
        self.reports.is_suspect |= lived.had_power_up;
        self.reports.is_clock_unsure |= lived.had_power_up;
    }

    pub(super) fn on_full_board(&mut self, now: Millis, codes: &[PieceCode], effects: &mut Vec<Effect>) {
        self.dumped_at = Some(now);
        self.absences_by_damage = 0;
        let is_comparable = codes.len() == self.session.table.field_count() && self.session.table.counts_all_fields();
        let predicted = self.expected_board().filter(|_| is_comparable);
        let is_watched = self.session.table.has_open_game() || !self.reports.unverified.is_empty();
        if std::mem::take(&mut self.is_new) && predicted.as_deref().is_some_and(|predicted| predicted != codes) {
            self.find_lost_start();
        }
        if is_watched && predicted.is_some_and(|predicted| predicted != codes) {
            // Changes since the last report arrive with the next one, which shows whether any is missing.
            self.reports.contradiction = Some(codes.to_vec());
            self.questions.push_front(BusCommand::SendChanges);
            return;
        }
        self.reports.is_suspect = false;
        self.reports.memory_reads = 0;
        self.reports.complete_until = now;
        if self.is_state_unknown() {
            return;
        }
        self.apply_unverified(now, effects);
        let at = self.session.table_time(now);
        self.session.for_each_table(effects, |table, effects| effects.extend(table.on_dump(at, codes)));
        self.decide(now, effects);
    }

    /// Returns the contents of the board that follow from all reports.
    fn expected_board(&self) -> Option<Vec<PieceCode>> {
        let mut fields = self.session.table.fields()?.to_vec();
        for (_, reported) in &self.reports.unverified {
            match reported {
                DelayedEvent::Memory(MemoryEvent::Piece { field, piece, .. }) => {
                    if let Some(code) = fields.get_mut(usize::from(field.0)) {
                        *code = *piece;
                    }
                }
                DelayedEvent::Memory(_) => {}
                DelayedEvent::FullBoard(codes) => fields.clone_from(codes),
            }
        }
        Some(fields)
    }

    /// Resolves a contradiction between a dump and the reports with the reports that arrived after the dump.
    fn resolve_contradiction(
        &mut self,
        now: Millis,
        dump: Vec<PieceCode>,
        changes: &[MemoryEvent],
        bus: &BusSettings,
        effects: &mut Vec<Effect>,
    ) {
        let Some(fields) = self.expected_board() else { return };
        let touched = |number: usize| {
            let is_it = |change: &MemoryEvent| matches!(change, MemoryEvent::Piece { field, .. } if usize::from(field.0) == number);
            changes.iter().any(is_it)
        };
        let is_explained = fields.iter().zip(&dump).enumerate().all(|(number, (a, b))| a == b || touched(number));
        if is_explained {
            self.questions.push_front(BusCommand::SendBoard);
            return;
        }
        self.reports.is_suspect = true;
        self.reports.contradiction = Some(dump);
        if bus.start_tag && self.start_tags > 0 && self.reports.memory_reads < MAX_MEMORY_READS {
            self.reports.memory_reads += 1;
            effects.push(Effect::Note("reports were lost; the board is asked for its memory".to_owned()));
            self.questions.push_front(BusCommand::SendFromStart);
        } else {
            self.trust_dump_only(now, effects);
        }
    }

    pub(super) fn on_memory(&mut self, now: Millis, data: &[u8], effects: &mut Vec<Effect>) {
        let memory = changes::decode(data);
        let Some(dump) = self.reports.contradiction.clone() else {
            return self.on_late_memory(now, &memory, effects);
        };
        self.session.late_start.on_memory_timeout();
        let Some(fields) = self.session.table.fields() else { return };
        let recent = self.session.recent();
        match memory::missed_events(
            KnownState { fields, recent, last_pressed: self.session.clock.last_pressed() },
            &dump,
            &memory,
        ) {
            Ok(unseen) => {
                effects
                    .push(Effect::Note(format!("the board's memory has {} events that were not known", unseen.len())));
                self.reports.contradiction = None;
                self.reports.unverified.clear();
                self.add_unverified(self.reports.complete_until, now, &unseen);
                self.questions.extend([BusCommand::SendChanges, BusCommand::SendBoard]);
            }
            // Hands have moved since the dump: repeat the dump and the memory read.
            Err(MemoryMismatch::WrongEnd) if self.reports.memory_reads < MAX_MEMORY_READS => {
                self.reports.contradiction = None;
                self.questions.push_front(BusCommand::SendBoard);
            }
            Err(misfit) => {
                let notice = format!("reports of the board were lost, and its memory does not help: {misfit}");
                effects.push(Effect::Notice(notice));
                self.trust_dump_only(now, effects);
            }
        }
    }

    /// Discards lost reports for good: the dump defines the contents, and the clock the side to move.
    pub(super) fn trust_dump_only(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let Some(dump) = self.reports.contradiction.take() else { return };
        self.reports.is_suspect = true;
        self.reports.is_clock_unsure = true;
        for (at, reported) in std::mem::take(&mut self.reports.unverified) {
            let at = at.min(self.session.table_time(now));
            self.session.apply_event(at, reported, &mut ReplayOutcome::default(), effects);
        }
        let at = self.session.advance(now);
        self.session.for_each_table(effects, |table, effects| effects.extend(table.on_dump(at, &dump)));
        self.questions.extend([BusCommand::SendClock, BusCommand::SendChanges, BusCommand::SendBoard]);
    }

    /// Handles a clock reading. If it shows a press that is not reported yet, the reports come first, since they have the order
    /// and the squares.
    pub(super) fn on_clock(&mut self, now: Millis, report: ClockReport, effects: &mut Vec<Effect>) {
        if !self.is_state_unknown() && self.session.clock.is_elsewhere(report) {
            self.reports.early_clock = Some(report);
            self.questions.push_front(BusCommand::SendChanges);
            return;
        }
        self.read_clock(now, report, effects);
    }

    fn read_clock(&mut self, now: Millis, report: ClockReport, effects: &mut Vec<Effect>) {
        let times = matches!(report, ClockReport::Times(times) if !times.is_all_zero());
        let news = self.session.clock.reading(self.session.table_time(now), report);
        // Outdated times will be followed by others; any other report contains no further information.
        self.reports.is_clock_unsure &= times && news.is_none();
        if let Some((at, report)) = news {
            self.session.for_each_table(effects, |table, effects| {
                table.trust_clock(true);
                effects.extend(table.on_clock(at, &report));
            });
        }
        if !self.is_state_unknown() {
            self.apply_unverified(now, effects);
        }
    }
}
