//! A game that began while nobody asked the board, as its event memory has it.
//!
//! A board of a bus hands out each change once, and keeps all of them. So there are two places to look, one after the other:
//!
//! | asked | has | costs |
//! |---|---|---|
//! | the changes, at first | what happened since somebody asked last, or since the board was switched on | nothing: they are asked for anyway |
//! | the events from the start tag (0x86) | those that were handed out since the last tag; without one all that the ring holds | the line, up to 8 s |
//!
//! The first has the game if nobody recorded its beginning, the second if who did has lost it: the station of a computer whose
//! power failed, or another one. Every game that a station records has its tag at its beginning, so a tag that is in the way is
//! one that somebody set in the middle of the game: what is before it no command of the bus gives out.
//!
//! The second is asked for behind the polls, one board at a time, and takes a part of the line that leaves the rest to
//! the others ([`LineBudget::can_read_memory`](super::LineBudget::can_read_memory)).

use super::BusBoard;
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{self, MemoryEvent};
use crate::engine::session::Effect;
use crate::engine::session::catchup::event_clock::EventClock;
use crate::engine::session::catchup::late_start::{self, LateStart};

impl BusBoard {
    /// Keeps what the board reports until it is known whether there is a game.
    pub(super) fn store_first_events(&mut self, changes: &[MemoryEvent]) {
        if matches!(self.session.late_start, LateStart::Unknown) {
            let room = changes::MEMORY_SIZE.saturating_sub(self.first_events.len());
            self.first_events.extend(changes.iter().take(room));
        }
    }

    /// What stands on the board is known now: does what it has reported at first tell how that came about? `is_quiet`: it has nothing
    /// more to report.
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

    /// What stands on the board that has come is not what it has reported: changes were handed out, and got lost with who had asked.
    pub(super) fn find_lost_start(&mut self) {
        let is_sought = matches!(self.session.late_start, LateStart::None | LateStart::FromPosition(_))
            && self.session.table.settings().finds_late_start;
        if is_sought && !self.session.table.is_playing() {
            self.session.late_start = LateStart::MemoryNeeded(0);
        }
    }

    /// The memory has come.
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

    /// Lives through what these changes tell after their last start position, beside the table. Returns whether they have one.
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
            Some(offer) => {
                effects.push(offer.offer_notice());
                LateStart::GameOffered(Box::new(offer))
            }
            None => LateStart::without_memory(),
        };
        true
    }
}
