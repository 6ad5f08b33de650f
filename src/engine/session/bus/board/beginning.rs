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
//! the others ([`Usage::may_read_memory`](super::Usage::may_read_memory)).

use super::BusBoard;
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{self, MemoryEvent};
use crate::engine::session::Effect;
use crate::engine::session::catchup::event_clock::EventClock;
use crate::engine::session::catchup::late::{self, Late};

impl BusBoard {
    /// Keeps what the board reports until it is known whether there is a game.
    pub(super) fn remember_first(&mut self, changes: &[MemoryEvent]) {
        if matches!(self.games.late, Late::Unknown) {
            let room = changes::RING.saturating_sub(self.first.len());
            self.first.extend(changes.iter().take(room));
        }
    }

    /// What stands on the board is known now: does what it has reported at first tell how that came about? `is_quiet`: it has nothing
    /// more to report.
    pub(super) fn look_for_late_game(&mut self, now: Millis, is_quiet: bool, effects: &mut Vec<Effect>) {
        if self.games.table.is_playing() {
            (self.games.late, self.first) = (Late::None, Vec::new());
            return;
        }
        if !matches!(self.games.late, Late::Unknown) || self.games.table.fields().is_none() {
            return;
        }
        if !is_quiet && !late::leads_to(&self.games.table, &self.first) {
            return;
        }
        let first = std::mem::take(&mut self.first);
        if !self.offer(now, &first, effects) {
            self.games.late = Late::Wanted(0);
        }
    }

    /// What stands on the board that has come is not what it has reported: changes were handed out, and got lost with who had asked.
    pub(super) fn look_for_lost_start(&mut self) {
        let is_sought =
            matches!(self.games.late, Late::None | Late::Standing(_)) && self.games.table.settings().late_start;
        if is_sought && !self.games.table.is_playing() {
            self.games.late = Late::Wanted(0);
        }
    }

    /// The memory has come.
    pub(super) fn hear_late_memory(&mut self, now: Millis, memory: &[MemoryEvent], effects: &mut Vec<Effect>) {
        if !matches!(self.games.late, Late::Asked(_)) {
            return;
        }
        if self.is_in_the_dark() {
            return self.games.late.miss_memory();
        }
        self.games.late = Late::without_memory();
        if !self.offer(now, memory, effects) {
            effects.push(Effect::Note("the board's memory has no game that leads to what stands on it".to_owned()));
        }
    }

    /// Lives through what these changes tell after their last start position, beside the table. Returns whether they have one.
    fn offer(&mut self, now: Millis, memory: &[MemoryEvent], effects: &mut Vec<Effect>) -> bool {
        let Some((table, after)) = late::since_last_start(&self.games.table, memory) else { return false };
        let reading = self.games.clock.reading_again(now);
        let (is_suspect, is_clock_unsure) = (self.reports.is_suspect, self.reports.is_clock_unsure);
        self.games.late = Late::None;
        self.games.clock = EventClock::default();
        self.games.forget_reports();
        let mut of_game = Vec::new();
        let since = self.games.live(now);
        let waiting = self.games.step_aside(table, since, &mut of_game);
        self.keep_happened(now, now, after);
        self.believe(now, &mut of_game);
        let end = self.games.live(now);
        if let Some((at, report)) = reading.and_then(|reading| self.games.clock.reading(end, reading)) {
            self.games.table.trust_clock(true);
            of_game.extend(self.games.table.clock(at, &report));
        }
        let offer = self.games.step_back(waiting, end, of_game);
        (self.reports.is_suspect, self.reports.is_clock_unsure) = (is_suspect, is_clock_unsure);
        self.games.late = match offer {
            Some(offer) => {
                effects.push(offer.notice());
                Late::Offered(Box::new(offer))
            }
            None => Late::without_memory(),
        };
        true
    }
}
