//! What a board tells afterwards, and the games that live through it.
//!
//! A bus is asked, and each answer tells what happened since the one before; a board on a line of its own was not heard for a while,
//! and its memory tells what happened meanwhile. Both are the same: a list of things that happened, and a span of time in which
//! they did. [`timeline`] lays them over the span, and [`BoardSession::replay`] has each of them happen at its own time.
//!
//! ```text
//!   a bus     changes ──────────────────────────────┐
//!             reports lost ─▸ memory ─▸ what is new ─┼─▸ timeline ─▸ Games::live_through ─▸ tables
//!   a single  gap ──────────▸ memory ─▸ what is new ─┘
//! ```
//!
//! A table decides by quiet, and quiet is time. So between two things that are told it lives through every deadline on the way,
//! and where it would have asked for a dump it learns that nothing had changed: what is told is all that happened.
//!
//! Time on the tables is that of the line, and sometimes ahead of it: when many plies become known at once, each gets the quiet
//! that it had on the board.
//!
//! Absent on purpose: what a board is asked, and when it is believed. That is the wire's.

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
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{MemoryEvent, TimeSide};
use crate::engine::protocol::{ClockReport, Field, PieceCode};
use event_clock::EventClock;
use late_start::{CandidateGame, LateStart, LateStartAction, MemoryGameOffer};

/// The games of one board: on its table, and on the tables beside it on which a game may have begun that nobody saw.
#[derive(Clone, Debug)]
pub struct BoardSession {
    /// Where it is played.
    pub table: Table,
    /// A game that began while nobody listened.
    pub late_start: LateStart,
    /// The clock by what is told of it afterwards.
    pub clock: EventClock,
    /// What the operator holds back.
    pub hold: PublicationHold,
    /// What fields were last reported to hold, oldest first.
    recent: Vec<(Field, PieceCode)>,
    /// When a piece was last moved, in the tables' time.
    moved_at: Millis,
    /// Up to when the tables have lived, in their time.
    advanced_to: Millis,
    /// How much that time is ahead of the line's.
    time_offset: Millis,
}

/// What was among the things that were lived through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReplayOutcome {
    /// The board was switched on or restarted.
    pub had_power_up: bool,
    /// What the clock showed after the last press.
    pub clock: Option<ClockReport>,
}

impl BoardSession {
    /// A board that has not been heard of yet.
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

    /// A time of the line as the tables know it.
    pub fn table_time(&self, now: Millis) -> Millis {
        now + self.time_offset
    }

    /// A time of the tables as the line knows it.
    pub fn line_time(&self, at: Millis) -> Millis {
        at - self.time_offset
    }

    /// The tables' time is that of the line at `now`, if it is `at` there.
    pub fn set_time_offset(&mut self, now: Millis, at: Millis) {
        self.time_offset = at - now;
    }

    /// What the next entry waits for, in the time of the line.
    pub fn waiting(&self, waiting: Option<PendingEntry>) -> Option<PendingEntry> {
        let of_line = |PendingEntry { wait, quiet_since: since, due: until }| PendingEntry {
            wait,
            quiet_since: self.line_time(since),
            due: self.line_time(until),
        };
        waiting.map(of_line)
    }

    /// Up to when the tables have lived.
    pub fn advanced_to(&self) -> Millis {
        self.advanced_to
    }

    /// The tables live from a time on, of which all that happened before is known.
    pub fn set_advanced_to(&mut self, at: Millis) {
        self.advanced_to = at;
    }

    /// The tables live until then. Returns that in their own time, which never goes back.
    pub fn advance(&mut self, now: Millis) -> Millis {
        self.advanced_to = self.advanced_to.max(self.table_time(now));
        self.advanced_to
    }

    /// For how long no piece has been moved.
    pub fn quiet_time(&self, now: Millis) -> Millis {
        self.table_time(now) - self.moved_at
    }

    /// The field that was reported last, and when.
    pub fn last_report(&self) -> Option<(Millis, Field)> {
        self.recent.last().map(|(field, _)| (self.moved_at, *field))
    }

    /// From a time of the line on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        let at = self.table_time(at);
        self.for_each_table(&mut Vec::new(), |table, _| table.set_clock(at, shown));
    }

    /// Something reaches the table, and those beside it.
    pub fn for_each_table(&mut self, effects: &mut Vec<Effect>, mut what: impl FnMut(&mut Table, &mut Vec<Effect>)) {
        what(&mut self.table, effects);
        self.late_start.for_each_table(what);
    }

    /// The table, and those beside it.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.table).chain(self.late_start.tables())
    }

    /// A field was reported: that is remembered, to find its place in a memory again.
    pub fn note_report(&mut self, at: Millis, field: Field, piece: PieceCode) {
        if self.recent.len() == memory::MAX_RECENT {
            self.recent.remove(0);
        }
        self.recent.push((field, piece));
        self.moved_at = at;
    }

    /// What fields were last reported to hold, oldest first, at most [`memory::MOST_RECENT`].
    pub fn recent(&self) -> &[(Field, PieceCode)] {
        &self.recent
    }

    /// What was reported before belongs to another game.
    pub fn clear_reports(&mut self) {
        self.recent.clear();
    }

    /// What was told is lived through, each thing at its own time.
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
            self.for_each_table(effects, |table, _| table.is_known_until(at));
            self.apply_event(at, reported, &mut lived, effects);
            let until = self.advanced_to.max(at);
            self.advanced_to = until;
            self.for_each_table(effects, |table, effects| effects.extend(table.decide(until)));
        }
        lived
    }

    /// Nothing more was told up to a time: the tables live through their deadlines.
    pub fn advance_until(&mut self, until: Millis, effects: &mut Vec<Effect>) {
        let before = self.advanced_to;
        advance_until(&mut self.table, &mut self.advanced_to, until, effects);
        self.late_start.for_each_table(|table, effects| advance_until(table, &mut { before }, until, effects));
    }

    /// The same, and what stands on the board at that time is known.
    pub fn advance_to_known(&mut self, until: Millis, effects: &mut Vec<Effect>) {
        advance_to_next(&mut self.table, &mut self.advanced_to, until, effects);
        self.table.is_known_until(until);
    }

    /// One thing that was told reaches the tables.
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

    /// Decides what is due on the table, and about the games beside it, at a time of theirs.
    pub fn decide_late(&mut self, at: Millis) -> Vec<Effect> {
        match self.late_start.decide(at, &self.table) {
            LateStartAction::Nothing => Vec::new(),
            LateStartAction::Emit(effect) => vec![effect],
            LateStartAction::StartGame(game) => self.start_late_game(*game),
        }
    }

    /// A game from beside the table takes its place.
    fn start_late_game(&mut self, game: CandidateGame) -> Vec<Effect> {
        self.table = game.table;
        game.effects
    }

    /// A table that stands at the last start position of a memory takes the place of the one that waits, to live through what
    /// followed. Returns that one.
    pub fn begin_memory_table(&mut self, table: Table, since: Millis, effects: &mut Vec<Effect>) -> Table {
        let waiting = std::mem::replace(&mut self.table, table);
        self.table.resume_from_memory();
        // The lever is where it is now, and was elsewhere when the game began.
        self.table.reset_unseen_clock();
        effects.extend(self.table.decide(since));
        waiting
    }

    /// It has lived up to a time at which the board shows what the table that waits knows: that one comes back, and the game is
    /// offered if it is one.
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

    /// An operator's request.
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

/// Lives through every deadline up to a time of the table, each at its own time. `lived`: up to when it has lived.
pub fn advance_until(table: &mut Table, lived: &mut Millis, until: Millis, effects: &mut Vec<Effect>) {
    /// A table that is asked again and again at one moment has nothing more to say.
    const MAX_STEPS_AT_ONCE: u32 = 100;
    let mut at_once = 0;
    while let Some(at) = table.deadline().map(|(at, _)| at.max(*lived)).filter(|&at| at <= until) {
        at_once = if at > *lived { 0 } else { at_once + 1 };
        if at_once > MAX_STEPS_AT_ONCE {
            return;
        }
        *lived = at;
        table.is_known_until(at);
        effects.extend(table.decide(at));
    }
}

/// The same up to the next thing that is told: until then nothing has changed, which is as good as a dump. Returns whether a game
/// has begun meanwhile.
pub fn advance_to_next(table: &mut Table, lived: &mut Millis, at: Millis, effects: &mut Vec<Effect>) -> bool {
    let begun = table.games_begun();
    if let Some(wanted) = table.wants_dump_at().map(|wanted| wanted.max(*lived)).filter(|&wanted| wanted < at) {
        advance_until(table, lived, wanted, effects);
        *lived = wanted;
        table.is_known_until(wanted);
        table.on_no_changes(wanted);
        effects.extend(table.decide(wanted));
    }
    advance_until(table, lived, at, effects);
    table.games_begun() > begun
}
