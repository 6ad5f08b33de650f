//! Replays the events that a board reports after the fact on its tables.
//!
//! Each answer on a bus reports the events since the previous one. The memory of a board on its own line reports the events
//! of an outage. Both are a list of events and the period in which they happened. [`timeline`] assigns them times within
//! the period, and [`BoardSession::replay`] applies each at its time.
//!
//! ```text
//! a bus     changes ───────────────────────────────┐
//!           reports lost ─▸ memory ─▸ what is new ─┼─▸ timeline ─▸ BoardSession::replay ─▸ tables
//! a single  gap ──────────▸ memory ─▸ what is new ─┘
//! ```
//!
//! Tables decide by quiet time. Therefore a table runs every deadline between two reported events. Where it would request a
//! dump, it learns that nothing has changed, since the report is complete.
//!
//! Time on the tables is that of the line, or ahead of it: when many plies become known at once, each gets the quiet time
//! that it had on the board.
//!
//! The questions to the board, and the trust in its answers, belong to the line and bus modules.

pub mod event_clock;
pub mod gap;
pub mod late_start;
pub mod memory;
pub mod timeline;

use chrono::{DateTime, FixedOffset};

use super::delayed_event::DelayedEvent;
use super::hold::PublicationHold;
use super::request::OperatorCommand;
use super::table::Table;
use super::{Effect, LineSettings, PendingEntry};
use crate::millis::Millis;
use crate::protocol::changes::{MemoryEvent, TimeSide};
use crate::protocol::{ClockReport, Field, PieceCode};
use event_clock::EventClock;
use late_start::{CandidateGame, LateStart, LateStartAction, MemoryGameOffer};

/// Games of one board: on its table, and on tables beside it with unrecorded games that may have begun.
#[derive(Clone, Debug)]
pub struct BoardSession {
    /// Table of the current game.
    pub table: Table,
    /// Search for an unrecorded game.
    pub late_start: LateStart,
    /// Clock by its reported events.
    pub clock: EventClock,
    /// Publication hold of the operator.
    pub hold: PublicationHold,
    /// Last reported fields, oldest first.
    recent: Vec<(Field, PieceCode)>,
    /// Time of the last moved piece, in table time.
    moved_at: Millis,
    /// Time that the tables have reached, in table time.
    advanced_to: Millis,
    /// Lead of the table time over the line time.
    time_offset: Millis,
}

/// Notable events of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReplayOutcome {
    /// Whether the board was switched on or restarted.
    pub had_power_up: bool,
    /// Clock after the last press.
    pub clock: Option<ClockReport>,
}

impl BoardSession {
    /// Creates the session of a board without any report yet.
    pub fn new(settings: LineSettings) -> BoardSession {
        BoardSession {
            table: Table::new(settings),
            late_start: LateStart::None,
            clock: EventClock::default(),
            hold: PublicationHold::default(),
            recent: Vec::new(),
            moved_at: Millis::ZERO,
            advanced_to: Millis::ZERO,
            time_offset: Millis::ZERO,
        }
    }

    /// Converts a line time to table time.
    pub fn table_time(&self, now: Millis) -> Millis {
        now + self.time_offset
    }

    /// Converts a table time to line time.
    pub fn line_time(&self, at: Millis) -> Millis {
        at - self.time_offset
    }

    /// Sets the time offset so that the line time `now` is the table time `at`.
    pub fn set_time_offset(&mut self, now: Millis, at: Millis) {
        self.time_offset = at - now;
    }

    /// Converts the times of a pending entry to line time.
    pub fn waiting(&self, waiting: Option<PendingEntry>) -> Option<PendingEntry> {
        let of_line = |PendingEntry { wait, quiet_since: since, due: until }| PendingEntry {
            wait,
            quiet_since: self.line_time(since),
            due: self.line_time(until),
        };
        waiting.map(of_line)
    }

    /// Returns the time that the tables have reached.
    pub fn advanced_to(&self) -> Millis {
        self.advanced_to
    }

    /// Sets the time that the tables have reached; all earlier events must be known.
    pub fn set_advanced_to(&mut self, at: Millis) {
        self.advanced_to = at;
    }

    /// Advances the tables to a line time. Returns the table time, which never decreases.
    pub fn advance(&mut self, now: Millis) -> Millis {
        self.advanced_to = self.advanced_to.max(self.table_time(now));
        self.advanced_to
    }

    /// Returns the time since the last moved piece.
    pub fn quiet_time(&self, now: Millis) -> Millis {
        self.table_time(now) - self.moved_at
    }

    /// Returns the last reported field and its time.
    pub fn last_report(&self) -> Option<(Millis, Field)> {
        self.recent.last().map(|(field, _)| (self.moved_at, *field))
    }

    /// Sets the machine clock at a time of the line.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        let at = self.table_time(at);
        self.for_each_table(&mut Vec::new(), |table, _| table.set_clock(at, shown));
    }

    /// Calls `what` for the table and those beside it.
    pub fn for_each_table(&mut self, effects: &mut Vec<Effect>, mut visit: impl FnMut(&mut Table, &mut Vec<Effect>)) {
        visit(&mut self.table, effects);
        self.late_start.for_each_table(visit);
    }

    /// Returns the table and those beside it.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.table).chain(self.late_start.tables())
    }

    /// Stores a field report, to find its place in a memory later.
    pub fn note_report(&mut self, at: Millis, field: Field, piece: PieceCode) {
        if self.recent.len() == memory::MAX_RECENT {
            self.recent.remove(0);
        }
        self.recent.push((field, piece));
        self.moved_at = at;
    }

    /// Returns the last reported fields, oldest first, at most [`memory::MAX_RECENT`].
    pub fn recent(&self) -> &[(Field, PieceCode)] {
        &self.recent
    }

    /// Forgets earlier reports, which belong to another game.
    pub fn clear_reports(&mut self) {
        self.recent.clear();
    }

    /// Replays events, each at its time.
    pub fn replay(&mut self, timed: Vec<(Millis, DelayedEvent)>, effects: &mut Vec<Effect>) -> ReplayOutcome {
        let mut lived = ReplayOutcome::default();
        for (at, reported) in timed {
            let before = self.advanced_to;
            if advance_to_next(&mut self.table, &mut self.advanced_to, at, effects) {
                self.clock.new_game();
                self.table.reset_unseen_clock();
            }
            self.late_start.for_each_table(|table, effects| {
                advance_to_next(table, &mut { before }, at, effects);
            });
            self.for_each_table(effects, |table, _| table.note_known_until(at));
            self.apply_event(at, reported, &mut lived, effects);
            let until = self.advanced_to.max(at);
            self.advanced_to = until;
            self.for_each_table(effects, |table, effects| effects.extend(table.decide(until)));
        }
        lived
    }

    /// Runs the deadlines of the tables up to a table time, without further events.
    pub fn advance_until(&mut self, until: Millis, effects: &mut Vec<Effect>) {
        let before = self.advanced_to;
        advance_until(&mut self.table, &mut self.advanced_to, until, effects);
        self.late_start.for_each_table(|table, effects| advance_until(table, &mut { before }, until, effects));
    }

    /// Runs the deadlines up to a table time at which the contents of the board are known.
    pub fn advance_to_known(&mut self, until: Millis, effects: &mut Vec<Effect>) {
        advance_to_next(&mut self.table, &mut self.advanced_to, until, effects);
        self.table.note_known_until(until);
    }

    /// Applies an event to the tables.
    pub fn apply_event(
        &mut self,
        at: Millis,
        reported: DelayedEvent,
        lived: &mut ReplayOutcome,
        effects: &mut Vec<Effect>,
    ) {
        match reported {
            DelayedEvent::Memory(MemoryEvent::Piece { field, piece, .. }) => {
                self.note_report(at, field, piece);
                self.for_each_table(effects, |table, effects| effects.extend(table.on_field_update(at, field, piece)));
            }
            DelayedEvent::Memory(MemoryEvent::Time { side, hours, minutes, seconds }) => {
                let time = [hours, minutes, seconds];
                self.press(at, side, time, lived, effects);
            }
            DelayedEvent::Memory(_) => {}
            DelayedEvent::FullBoard(codes) => {
                lived.had_power_up = true;
                self.clock.note_power_loss();
                effects.push(Effect::Notice("the board was switched on or restarted".to_owned()));
                self.for_each_table(effects, |table, effects| effects.extend(table.on_full_board(at, &codes)));
            }
        }
    }

    fn press(
        &mut self,
        at: Millis,
        side: TimeSide,
        time: event_clock::Time,
        lived: &mut ReplayOutcome,
        effects: &mut Vec<Effect>,
    ) {
        let is_begun = self.tables().any(Table::is_begun);
        let reports = self.clock.press(at, side, time, is_begun);
        let is_sure = self.clock.is_sure();
        lived.clock = reports.last().copied().or(lived.clock);
        self.for_each_table(effects, |table, effects| {
            table.trust_clock(is_sure);
            effects.extend(table.on_press(at, &reports));
        });
    }

    /// Runs due decisions about the table and the games beside it, at a table time.
    pub fn decide_late(&mut self, at: Millis) -> Vec<Effect> {
        match self.late_start.decide(at, &self.table) {
            LateStartAction::Nothing => Vec::new(),
            LateStartAction::Emit(effect) => vec![effect],
            LateStartAction::StartGame(game) => self.start_late_game(*game),
        }
    }

    /// Replaces the table by one from beside it.
    fn start_late_game(&mut self, game: CandidateGame) -> Vec<Effect> {
        self.table = game.table;
        game.effects
    }

    /// Replaces the waiting table by one at the last start position of a memory, for the replay of the following events.
    /// Returns the waiting table.
    pub fn begin_memory_table(&mut self, table: Table, since: Millis, effects: &mut Vec<Effect>) -> Table {
        let waiting = std::mem::replace(&mut self.table, table);
        self.table.resume_from_memory();
        // The lever position is the current one; at the start of the game it was different.
        self.table.reset_unseen_clock();
        effects.extend(self.table.decide(since));
        waiting
    }

    /// Restores the waiting table after the replay, and returns an offer if the replay gave a game that leads to the shown
    /// contents.
    pub fn restore_waiting_table(
        &mut self,
        waiting: Table,
        end: Millis,
        mut of_game: Vec<Effect>,
    ) -> Option<MemoryGameOffer> {
        of_game.extend(self.table.on_dump(end, waiting.sensors().fields()));
        of_game.extend(self.table.decide(end));
        let table = std::mem::replace(&mut self.table, waiting);
        MemoryGameOffer::new(table, of_game, end)
    }

    /// Executes an operator's request.
    pub fn request(&mut self, now: Millis, wish: &OperatorCommand) -> Vec<Effect> {
        match wish {
            OperatorCommand::HoldPublication => self.hold.begin(),
            OperatorCommand::ReleasePublication => self.hold.release(),
            OperatorCommand::StartFromMemory => vec![self.late_start.accept_offer()],
            OperatorCommand::GameLookup(answer) => match self.late_start.on_lookup(answer) {
                Ok(game) => self.start_late_game(game),
                Err(refused) => vec![refused],
            },
            wish => {
                let at = self.table_time(now);
                self.late_start.request(at, wish);
                self.table.request(at, wish)
            }
        }
    }
}

/// Runs every deadline up to a table time, each at its own time. `lived`: time that the table has reached.
pub fn advance_until(table: &mut Table, lived: &mut Millis, until: Millis, effects: &mut Vec<Effect>) {
    /// Limit of decisions at one moment; more of them yield nothing new.
    const MAX_STEPS_AT_ONCE: u32 = 100;
    let mut at_once = 0;
    while let Some(at) = table.deadline().map(|(at, _)| at.max(*lived)).filter(|&at| at <= until) {
        at_once = if at > *lived { 0 } else { at_once + 1 };
        if at_once > MAX_STEPS_AT_ONCE {
            return;
        }
        *lived = at;
        table.note_known_until(at);
        effects.extend(table.decide(at));
    }
}

/// Runs the deadlines up to the next reported event. Nothing changes until then, which proves as much as a dump. Returns
/// whether a game has begun.
pub fn advance_to_next(table: &mut Table, lived: &mut Millis, at: Millis, effects: &mut Vec<Effect>) -> bool {
    let begun = table.games_begun();
    if let Some(dump_due) = table.wants_dump_at().map(|dump_due| dump_due.max(*lived)).filter(|&dump_due| dump_due < at)
    {
        advance_until(table, lived, dump_due, effects);
        *lived = dump_due;
        table.note_known_until(dump_due);
        table.on_no_changes(dump_due);
        effects.extend(table.decide(dump_due));
    }
    advance_until(table, lived, at, effects);
    table.games_begun() > begun
}
