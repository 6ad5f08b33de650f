//! A time in which a board on a line of its own was not heard, and how it is closed.
//!
//! ```text
//!   heard ──┤ link down, or silence ├── heard again: everything is kept back ──┤ all of it, each thing at its time
//!           since                     dump ─▸ did anything happen? ─▸ memory ─▸
//! ```
//!
//! | the first dump shows | what is done |
//! |---|---|
//! | nothing new, after a gap that is known to be short or before a game's first ply | on with what was kept |
//! | anything else | the board is asked for its memory (up to 8 s on the wire) |
//! | no dump comes | on without |
//!
//! | the memory | what is done |
//! |---|---|
//! | leads from what was known to what is shown | what is new in it is lived through as if it had been heard |
//! | does not, or does not come | the dump alone counts, as if the board had none |
//!
//! A program that recorded a log may have asked at its own times: a memory that comes before the dump waits for it, and may be
//! a hand's move behind it.
//!
//! Invariants: what is kept is bounded; nothing that was heard is dropped. Absent on purpose: the table, and time-outs (the
//! dialogue's).

use super::memory::{self, Known, Misfit};
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{self, Memory, MemoryEvent, TimeSide};
use crate::engine::protocol::{ClockReport, Field, PieceCode};
use crate::engine::session::sensors::Sensors;

/// After a gap this long the memory is asked for although the board shows nothing new: kings may have gone and come back, and
/// the lever with them.
const LONG: Millis = Millis::seconds(10);
/// A memory is asked for once more if it does not come: one byte may have been lost, or 8 s of bytes damaged.
const TRIES: u32 = 2;
/// A dump that came after the memory may differ from its end by what one hand moves in 8 s.
const ONE_PLY: usize = 4;
/// More is not kept: a memory does not hold more.
const MOST_KEPT: usize = changes::RING;

/// What a board says of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameReport {
    /// A field changed.
    Field(Field, PieceCode),
    /// What stands on all fields.
    Dump(Vec<PieceCode>),
    /// The clock.
    Clock(ClockReport),
}

/// What is to be done about a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GapStep {
    /// Something has to come first.
    Wait,
    /// The board's memory is wanted.
    AskMemory,
    /// It is there, and so is a dump.
    Recall,
    /// No memory is needed, or none will come.
    GoOn,
}

/// What happened in a gap by the board's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recalled {
    /// What was not known, in order.
    pub unseen: Vec<MemoryEvent>,
    /// What the board showed when its memory was read.
    pub shown: Vec<PieceCode>,
}

/// A gap that is not closed yet.
#[derive(Clone, Debug)]
pub struct Gap {
    since: Millis,
    /// When the board could be heard again.
    heard_at: Millis,
    kept: Vec<(Millis, GameReport)>,
    /// The memory, and how much of what was kept came before it.
    memory: Option<(usize, Memory)>,
    /// How often it has been asked for.
    asked: u32,
    is_hopeless: bool,
    /// Nobody knows how long it was.
    is_timeless: bool,
}

impl Gap {
    /// A gap since a time, until which everything is known; the board can be heard from `now` on.
    pub fn new(since: Millis, now: Millis) -> Gap {
        Gap { since, heard_at: now, kept: Vec::new(), memory: None, asked: 0, is_hopeless: false, is_timeless: false }
    }

    /// A gap after which no memory is asked for.
    pub fn without_memory(self) -> Gap {
        Gap { is_hopeless: true, ..self }
    }

    /// A gap that may have been longer than the times say.
    pub fn of_unknown_length(self) -> Gap {
        Gap { is_timeless: true, ..self }
    }

    /// Up to when everything is known.
    pub fn since(&self) -> Millis {
        self.since
    }

    /// When the board could be heard again.
    pub fn heard_at(&self) -> Millis {
        self.heard_at
    }

    /// Has a dump come?
    pub fn has_dump(&self) -> bool {
        self.kept.iter().any(|(_, report)| matches!(report, GameReport::Dump(_)))
    }

    /// Keeps a report until the gap is closed.
    pub fn keep(&mut self, now: Millis, report: GameReport) {
        self.kept.push((now, report));
        self.is_hopeless |= self.kept.len() >= MOST_KEPT;
    }

    /// The memory has come.
    pub fn remember(&mut self, data: &[u8]) {
        self.memory = Some((self.kept.len(), Memory::decode(data)));
    }

    /// It is being asked for.
    pub fn asked(&mut self) {
        self.asked += 1;
    }

    /// It has not come. Returns whether it is given up.
    pub fn miss_memory(&mut self) -> bool {
        self.is_hopeless |= self.asked >= TRIES;
        self.is_hopeless
    }

    /// What is to be done. `sensors`: the board as it was known before.
    pub fn step(&self, sensors: &Sensors) -> GapStep {
        let Some(shown) = self.shown(sensors) else { return GapStep::Wait };
        match &self.memory {
            Some(_) => GapStep::Recall,
            None if self.is_hopeless => GapStep::GoOn,
            None if self.asked > 0 => GapStep::Wait,
            None if shown.fields() != sensors.fields() || self.is_long() => GapStep::AskMemory,
            None => GapStep::GoOn,
        }
    }

    fn is_long(&self) -> bool {
        self.is_timeless || self.heard_at - self.since >= LONG
    }

    /// What the board showed when its memory was read, or last.
    fn shown(&self, sensors: &Sensors) -> Option<Sensors> {
        let before = self.memory.as_ref().map_or(self.kept.len(), |(before, _)| *before);
        let (before, after) = self.kept.split_at_checked(before)?;
        let mut shown = sensors.clone();
        let mut is_known = false;
        for (_, report) in before {
            match report {
                GameReport::Dump(codes) => is_known |= shown.dump(codes).is_some(),
                GameReport::Field(field, code) if is_known => drop(shown.update(*field, *code)),
                GameReport::Field(..) | GameReport::Clock(_) => {}
            }
        }
        if is_known {
            return Some(shown);
        }
        let dump =
            after.iter().find_map(|(_, report)| if let GameReport::Dump(codes) = report { Some(codes) } else { None });
        shown.dump(dump?)?;
        let (_, memory) = self.memory.as_ref()?;
        let mut fields = shown.by_number();
        if memory::end_with(&mut fields, &memory.changes) <= ONE_PLY {
            shown.set_by_number(&fields);
        }
        Some(shown)
    }

    /// What the memory says about the gap. `recent`: what was reported last before it; `pressed`: which side of the clock was
    /// pressed last.
    ///
    /// # Errors
    ///
    /// When the memory does not lead from what was known to what is shown.
    pub fn recall(
        &self,
        sensors: &Sensors,
        recent: &[(Field, PieceCode)],
        pressed: Option<TimeSide>,
    ) -> Result<Recalled, Misfit> {
        let (_, memory) = self.memory.as_ref().ok_or(Misfit::NoBeginning)?;
        let shown = self.shown(sensors).ok_or(Misfit::OtherEnd)?;
        let known = sensors.by_number();
        let unseen = memory::unseen(Known { fields: &known, recent, pressed }, &shown.by_number(), &memory.changes)?;
        Ok(Recalled { unseen, shown: shown.fields().to_vec() })
    }

    /// What was kept, each with its time: what came before the memory was read, and what came after. Without a memory
    /// everything came after.
    pub fn into_kept(mut self) -> [Vec<(Millis, GameReport)>; 2] {
        let before = self.memory.as_ref().map_or(0, |(before, _)| *before);
        let after = self.kept.split_off(before.min(self.kept.len()));
        [self.kept, after]
    }
}
