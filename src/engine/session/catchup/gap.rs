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

use super::memory::{self, KnownState, MemoryMismatch};
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{self, DecodedMemory, MemoryEvent, TimeSide};
use crate::engine::protocol::{ClockReport, Field, PieceCode};
use crate::engine::session::sensors::Sensors;

/// After a gap this long the memory is asked for although the board shows nothing new: kings may have gone and come back, and
/// the lever with them.
const LONG_GAP: Millis = Millis::seconds(10);
/// A memory is asked for once more if it does not come: one byte may have been lost, or 8 s of bytes damaged.
const MAX_MEMORY_REQUESTS: u32 = 2;
/// A dump that came after the memory may differ from its end by what one hand moves in 8 s.
const MAX_DUMP_DIFFERENCES: usize = 4;
/// More is not kept: a memory does not hold more.
const MAX_REPORTS: usize = changes::MEMORY_SIZE;

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
    RequestMemory,
    /// It is there, and so is a dump.
    UseMemory,
    /// No memory is needed, or none will come.
    Continue,
}

/// What happened in a gap by the board's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GapMemory {
    /// What was not known, in order.
    pub missed: Vec<MemoryEvent>,
    /// What the board showed when its memory was read.
    pub sensors_at_read: Vec<PieceCode>,
}

/// A gap that is not closed yet.
#[derive(Clone, Debug)]
pub struct Gap {
    since: Millis,
    /// When the board could be heard again.
    heard_at: Millis,
    reports: Vec<(Millis, GameReport)>,
    /// The memory, and how much of what was kept came before it.
    memory: Option<(usize, DecodedMemory)>,
    /// How often it has been asked for.
    memory_requests: u32,
    memory_unavailable: bool,
    /// Nobody knows how long it was.
    has_unknown_length: bool,
}

impl Gap {
    /// A gap since a time, until which everything is known; the board can be heard from `now` on.
    pub fn new(since: Millis, now: Millis) -> Gap {
        Gap {
            since,
            heard_at: now,
            reports: Vec::new(),
            memory: None,
            memory_requests: 0,
            memory_unavailable: false,
            has_unknown_length: false,
        }
    }

    /// A gap after which no memory is asked for.
    pub fn without_memory(self) -> Gap {
        Gap { memory_unavailable: true, ..self }
    }

    /// A gap that may have been longer than the times say.
    pub fn with_unknown_length(self) -> Gap {
        Gap { has_unknown_length: true, ..self }
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
        self.reports.iter().any(|(_, report)| matches!(report, GameReport::Dump(_)))
    }

    /// Keeps a report until the gap is closed.
    pub fn push_report(&mut self, now: Millis, report: GameReport) {
        self.reports.push((now, report));
        self.memory_unavailable |= self.reports.len() >= MAX_REPORTS;
    }

    /// The memory has come.
    pub fn set_memory(&mut self, data: &[u8]) {
        self.memory = Some((self.reports.len(), DecodedMemory::decode(data)));
    }

    /// It is being asked for.
    pub fn on_memory_requested(&mut self) {
        self.memory_requests += 1;
    }

    /// It has not come. Returns whether it is given up.
    pub fn on_memory_timeout(&mut self) -> bool {
        self.memory_unavailable |= self.memory_requests >= MAX_MEMORY_REQUESTS;
        self.memory_unavailable
    }

    /// What is to be done. `sensors`: the board as it was known before.
    pub fn next_step(&self, sensors: &Sensors) -> GapStep {
        let Some(shown) = self.sensors_at_read(sensors) else { return GapStep::Wait };
        match &self.memory {
            Some(_) => GapStep::UseMemory,
            None if self.memory_unavailable => GapStep::Continue,
            None if self.memory_requests > 0 => GapStep::Wait,
            None if shown.fields() != sensors.fields() || self.is_long() => GapStep::RequestMemory,
            None => GapStep::Continue,
        }
    }

    fn is_long(&self) -> bool {
        self.has_unknown_length || self.heard_at - self.since >= LONG_GAP
    }

    /// What the board showed when its memory was read, or last.
    fn sensors_at_read(&self, sensors: &Sensors) -> Option<Sensors> {
        let before = self.memory.as_ref().map_or(self.reports.len(), |(before, _)| *before);
        let (before, after) = self.reports.split_at_checked(before)?;
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
        if memory::apply_last_values(&mut fields, &memory.events) <= MAX_DUMP_DIFFERENCES {
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
    pub fn missed_events(
        &self,
        sensors: &Sensors,
        recent: &[(Field, PieceCode)],
        pressed: Option<TimeSide>,
    ) -> Result<GapMemory, MemoryMismatch> {
        let (_, memory) = self.memory.as_ref().ok_or(MemoryMismatch::KnownStateMissing)?;
        let shown = self.sensors_at_read(sensors).ok_or(MemoryMismatch::WrongEnd)?;
        let known = sensors.by_number();
        let unseen = memory::missed_events(
            KnownState { fields: &known, recent, last_pressed: pressed },
            &shown.by_number(),
            &memory.events,
        )?;
        Ok(GapMemory { missed: unseen, sensors_at_read: shown.fields().to_vec() })
    }

    /// What was kept, each with its time: what came before the memory was read, and what came after. Without a memory
    /// everything came after.
    pub fn into_reports(mut self) -> [Vec<(Millis, GameReport)>; 2] {
        let before = self.memory.as_ref().map_or(0, |(before, _)| *before);
        let after = self.reports.split_off(before.min(self.reports.len()));
        [self.reports, after]
    }
}
