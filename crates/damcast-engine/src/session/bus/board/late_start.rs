//! Finds a game in the event memory that began while the board was not polled.
//!
//! A board of a bus delivers each change once, but its memory keeps all of them. This gives two sources, tried in this
//! order:
//!
//! | question | content | cost |
//! |---|---|---|
//! | first changes | events since the last poll, or since the board was switched on | none, since they are requested anyway |
//! | events from the start tag (0x86) | events delivered since the last tag; without a tag all that the ring holds | the line, up to 8 s |
//!
//! The first source has the game if no station recorded its start. The second has it if the recording station lost it, for
//! example by a power failure. Every recorded game starts with its tag. A tag that hides events was therefore set during
//! the game, and no bus command returns the events in front of it.
//!
//! The second source is read after the polls, one board at a time. Its share of the line leaves the rest to the others
//! ([`LineBudget::can_read_memory`](super::LineBudget::can_read_memory)).

use super::BusBoard;
use crate::millis::Millis;
use crate::protocol::changes::{self, MemoryEvent};
use crate::session::Effect;
use crate::session::catchup::event_clock::EventClock;
use crate::session::catchup::late_start::{self, LateStart};

impl BusBoard {
    /// Buffers the reports of the board until the search for a game is decided.
    pub(super) fn store_first_events(&mut self, changes: &[MemoryEvent]) {
        if matches!(self.session.late_start, LateStart::Unknown) {
            let room = changes::MEMORY_SIZE.saturating_sub(self.first_events.len());
            self.first_events.extend(changes.iter().take(room));
        }
    }

    /// Searches the first reports for a game, once the contents of the board are known. `is_quiet`: the board has no further
    /// reports.
    pub(super) fn find_late_game(&mut self, now: Millis, is_quiet: bool, effects: &mut Vec<Effect>) {
        if self.session.table.is_playing() {
            (self.session.late_start, self.first_events) = (LateStart::None, Vec::new());
            return;
        }
        if !matches!(self.session.late_start, LateStart::Unknown) || self.session.table.fields().is_none() {
            return;
        }
        if !is_quiet && !late_start::ends_at(&self.session.table, &self.first_events) {
            return;
        }
        let first = std::mem::take(&mut self.first_events);
        if !self.offer_game(now, &first, effects) {
            self.session.late_start = LateStart::MemoryNeeded(0);
        }
    }

    /// Requests the memory because the board does not match its reports: another station received changes and lost them.
    pub(super) fn find_lost_start(&mut self) {
        let is_sought = matches!(self.session.late_start, LateStart::None | LateStart::FromPosition(_))
            && self.session.table.settings().finds_late_start;
        if is_sought && !self.session.table.is_playing() {
            self.session.late_start = LateStart::MemoryNeeded(0);
        }
    }

    /// Searches the memory for a game when it arrives.
    pub(super) fn on_late_memory(&mut self, now: Millis, memory: &[MemoryEvent], effects: &mut Vec<Effect>) {
        if !matches!(self.session.late_start, LateStart::MemoryRequested(_)) {
            return;
        }
        if self.is_state_unknown() {
            return self.session.late_start.on_memory_timeout();
        }
        self.session.late_start = LateStart::without_memory();
        if !self.offer_game(now, memory, effects) {
            effects.push(Effect::Note("the board's memory has no game that leads to what stands on it".to_owned()));
        }
    }

    /// Replays the changes after their last start position on a separate table. Returns `false` without a start position.
    fn offer_game(&mut self, now: Millis, memory: &[MemoryEvent], effects: &mut Vec<Effect>) -> bool {
        let Some((table, after)) = late_start::replay_last_start(&self.session.table, memory) else { return false };
        let reading = self.session.clock.last_reading(now);
        let (is_suspect, is_clock_unsure) = (self.reports.is_suspect, self.reports.is_clock_unsure);
        self.session.late_start = LateStart::None;
        self.session.clock = EventClock::default();
        self.session.clear_reports();
        let mut of_game = Vec::new();
        let since = self.session.advance(now);
        let waiting = self.session.begin_memory_table(table, since, &mut of_game);
        self.add_unverified_events(now, now, after);
        self.apply_unverified(now, &mut of_game);
        let end = self.session.advance(now);
        if let Some((at, report)) = reading.and_then(|reading| self.session.clock.reading(end, reading)) {
            self.session.table.trust_clock(true);
            of_game.extend(self.session.table.on_clock(at, &report));
        }
        let offer = self.session.restore_waiting_table(waiting, end, of_game);
        (self.reports.is_suspect, self.reports.is_clock_unsure) = (is_suspect, is_clock_unsure);
        self.session.late_start = match offer {
            Some(mut offer) => {
                effects.push(offer.first_lookup());
                LateStart::GameOffered(Box::new(offer))
            }
            None => LateStart::without_memory(),
        };
        true
    }
}
