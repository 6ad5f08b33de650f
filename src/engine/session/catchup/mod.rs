//! What a board tells afterwards, and the games that live through it.
//!
//! A bus is asked, and each answer tells what happened since the one before; a board on a line of its own was not heard for a while,
//! and its memory tells what happened meanwhile. Both are the same: a list of things that happened, and a span of time in which
//! they did. [`timeline`] lays them over the span, and [`Games::live_through`] has each of them happen at its own time.
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
pub mod late;
pub mod memory;
pub mod timeline;

use chrono::{DateTime, FixedOffset};

use super::happened::Happened;
use super::held::Held;
use super::request::Wish;
use super::table::Table;
use super::{Effect, LineSettings, Waiting};
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{MemoryEvent, TimeSide};
use crate::engine::protocol::{ClockReport, Field, PieceCode};
use event_clock::EventClock;
use late::{Beside, Decision, Late, Offer};

/// The games of one board: on its table, and on the tables beside it on which a game may have begun that nobody saw.
#[derive(Clone, Debug)]
pub struct Games {
    /// Where it is played.
    pub table: Table,
    /// A game that began while nobody listened.
    pub late: Late,
    /// The clock by what is told of it afterwards.
    pub clock: EventClock,
    /// What the operator holds back.
    pub held: Held,
    /// What fields were last reported to hold, oldest first.
    recent: Vec<(Field, PieceCode)>,
    /// When a piece was last moved, in the tables' time.
    moved_at: Millis,
    /// Up to when the tables have lived, in their time.
    lived: Millis,
    /// How much that time is ahead of the line's.
    ahead: Millis,
}

/// What was among the things that were lived through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lived {
    /// The board was switched on or restarted.
    pub was_switched_on: bool,
    /// What the clock showed after the last press.
    pub clock: Option<ClockReport>,
}

impl Games {
    /// A board that has not been heard of yet.
    pub fn new(settings: LineSettings) -> Games {
        Games {
            table: Table::new(settings),
            late: Late::None,
            clock: EventClock::default(),
            held: Held::default(),
            recent: Vec::new(),
            moved_at: Millis::ZERO,
            lived: Millis::ZERO,
            ahead: Millis::ZERO,
        }
    }

    /// A time of the line as the tables know it.
    pub fn table_time(&self, now: Millis) -> Millis {
        now + self.ahead
    }

    /// A time of the tables as the line knows it.
    pub fn line_time(&self, at: Millis) -> Millis {
        at - self.ahead
    }

    /// The tables' time is that of the line at `now`, if it is `at` there.
    pub fn is_ahead(&mut self, now: Millis, at: Millis) {
        self.ahead = at - now;
    }

    /// What the next entry waits for, in the time of the line.
    pub fn waiting(&self, waiting: Option<Waiting>) -> Option<Waiting> {
        let of_line = |Waiting { wait, since, until }| Waiting {
            wait,
            since: self.line_time(since),
            until: self.line_time(until),
        };
        waiting.map(of_line)
    }

    /// Up to when the tables have lived.
    pub fn lived(&self) -> Millis {
        self.lived
    }

    /// The tables live from a time on, of which all that happened before is known.
    pub fn live_from(&mut self, at: Millis) {
        self.lived = at;
    }

    /// The tables live until then. Returns that in their own time, which never goes back.
    pub fn live(&mut self, now: Millis) -> Millis {
        self.lived = self.lived.max(self.table_time(now));
        self.lived
    }

    /// For how long no piece has been moved.
    pub fn quiet(&self, now: Millis) -> Millis {
        self.table_time(now) - self.moved_at
    }

    /// The field that was reported last, and when.
    pub fn last_report(&self) -> Option<(Millis, Field)> {
        self.recent.last().map(|(field, _)| (self.moved_at, *field))
    }

    /// From a time of the line on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        let at = self.table_time(at);
        self.reach(&mut Vec::new(), |table, _| table.set_clock(at, shown));
    }

    /// Something reaches the table, and those beside it.
    pub fn reach(&mut self, effects: &mut Vec<Effect>, mut what: impl FnMut(&mut Table, &mut Vec<Effect>)) {
        what(&mut self.table, effects);
        self.late.each(what);
    }

    /// The table, and those beside it.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.table).chain(self.late.tables())
    }

    /// A field was reported: that is remembered, to find its place in a memory again.
    pub fn note_report(&mut self, at: Millis, field: Field, piece: PieceCode) {
        if self.recent.len() == memory::MOST_RECENT {
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
    pub fn forget_reports(&mut self) {
        self.recent.clear();
    }

    /// What was told is lived through, each thing at its own time.
    pub fn live_through(&mut self, timed: Vec<(Millis, Happened)>, effects: &mut Vec<Effect>) -> Lived {
        let mut lived = Lived::default();
        for (at, reported) in timed {
            let before = self.lived;
            if live_until_next(&mut self.table, &mut self.lived, at, effects) {
                self.clock.new_game();
                self.table.forget_clock();
            }
            self.late.each(|table, effects| {
                live_until_next(table, &mut { before }, at, effects);
            });
            self.reach(effects, |table, _| table.is_known_until(at));
            self.take(at, reported, &mut lived, effects);
            let until = self.lived.max(at);
            self.lived = until;
            self.reach(effects, |table, effects| effects.extend(table.decide(until)));
        }
        lived
    }

    /// Nothing more was told up to a time: the tables live through their deadlines.
    pub fn live_until(&mut self, until: Millis, effects: &mut Vec<Effect>) {
        let before = self.lived;
        live_until(&mut self.table, &mut self.lived, until, effects);
        self.late.each(|table, effects| live_until(table, &mut { before }, until, effects));
    }

    /// The same, and what stands on the board at that time is known.
    pub fn live_until_known(&mut self, until: Millis, effects: &mut Vec<Effect>) {
        live_until_next(&mut self.table, &mut self.lived, until, effects);
        self.table.is_known_until(until);
    }

    /// One thing that was told reaches the tables.
    pub fn take(&mut self, at: Millis, reported: Happened, lived: &mut Lived, effects: &mut Vec<Effect>) {
        match reported {
            Happened::Change(MemoryEvent::Piece { field, piece, .. }) => {
                self.note_report(at, field, piece);
                self.reach(effects, |table, effects| effects.extend(table.field_update(at, field, piece)));
            }
            Happened::Change(MemoryEvent::Time { side, hours, minutes, seconds }) => {
                let time = [hours, minutes, seconds];
                self.press(at, side, time, lived, effects);
            }
            Happened::Change(_) => {}
            Happened::Standing(codes) => {
                lived.was_switched_on = true;
                self.clock.was_unseen();
                effects.push(Effect::Notice("the board was switched on or restarted".to_owned()));
                self.reach(effects, |table, effects| effects.extend(table.stands(at, &codes)));
            }
        }
    }

    fn press(
        &mut self,
        at: Millis,
        side: TimeSide,
        time: event_clock::Time,
        lived: &mut Lived,
        effects: &mut Vec<Effect>,
    ) {
        let is_begun = self.tables().any(Table::is_begun);
        let reports = self.clock.press(at, side, time, is_begun);
        let is_sure = self.clock.is_sure();
        lived.clock = reports.last().copied().or(lived.clock);
        self.reach(effects, |table, effects| {
            table.trust_clock(is_sure);
            effects.extend(table.pressed(at, &reports));
        });
    }

    /// Decides what is due on the table, and about the games beside it, at a time of theirs.
    pub fn decide_late(&mut self, at: Millis) -> Vec<Effect> {
        match self.late.decide(at, &self.table) {
            Decision::Nothing => Vec::new(),
            Decision::Tell(effect) => vec![effect],
            Decision::Begin(game) => self.begin_late(*game),
        }
    }

    /// A game from beside the table takes its place.
    fn begin_late(&mut self, game: Beside) -> Vec<Effect> {
        self.table = game.table;
        game.effects
    }

    /// A table that stands at the last start position of a memory takes the place of the one that waits, to live through what
    /// followed. Returns that one.
    pub fn step_aside(&mut self, table: Table, since: Millis, effects: &mut Vec<Effect>) -> Table {
        let waiting = std::mem::replace(&mut self.table, table);
        self.table.link_to_memory();
        // The lever is where it is now, and was elsewhere when the game began.
        self.table.forget_clock();
        effects.extend(self.table.decide(since));
        waiting
    }

    /// It has lived up to a time at which the board shows what the table that waits knows: that one comes back, and the game is
    /// offered if it is one.
    pub fn step_back(&mut self, waiting: Table, end: Millis, mut of_game: Vec<Effect>) -> Option<Offer> {
        of_game.extend(self.table.dump(end, waiting.sensors().fields()));
        of_game.extend(self.table.decide(end));
        let table = std::mem::replace(&mut self.table, waiting);
        Offer::new(table, of_game, end)
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, wish: &Wish) -> Vec<Effect> {
        match wish {
            Wish::Hold => self.held.hold(),
            Wish::Release => self.held.release(),
            Wish::StartFromMemory => vec![self.late.take_offer()],
            Wish::Remembered(answer) => match self.late.remembered(answer) {
                Ok(game) => self.begin_late(game),
                Err(refused) => vec![refused],
            },
            wish => {
                let at = self.table_time(now);
                self.late.request(at, wish);
                self.table.request(at, wish)
            }
        }
    }
}

/// Lives through every deadline up to a time of the table, each at its own time. `lived`: up to when it has lived.
pub fn live_until(table: &mut Table, lived: &mut Millis, until: Millis, effects: &mut Vec<Effect>) {
    /// A table that is asked again and again at one moment has nothing more to say.
    const MOST_AT_ONCE: u32 = 100;
    let mut at_once = 0;
    while let Some(at) = table.deadline().map(|(at, _)| at.max(*lived)).filter(|&at| at <= until) {
        at_once = if at > *lived { 0 } else { at_once + 1 };
        if at_once > MOST_AT_ONCE {
            return;
        }
        *lived = at;
        table.is_known_until(at);
        effects.extend(table.decide(at));
    }
}

/// The same up to the next thing that is told: until then nothing has changed, which is as good as a dump. Returns whether a game
/// has begun meanwhile.
pub fn live_until_next(table: &mut Table, lived: &mut Millis, at: Millis, effects: &mut Vec<Effect>) -> bool {
    let begun = table.begun();
    if let Some(wanted) = table.wants_dump_at().map(|wanted| wanted.max(*lived)).filter(|&wanted| wanted < at) {
        live_until(table, lived, wanted, effects);
        *lived = wanted;
        table.is_known_until(wanted);
        table.unchanged(wanted);
        effects.extend(table.decide(wanted));
    }
    live_until(table, lived, at, effects);
    table.begun() > begun
}
