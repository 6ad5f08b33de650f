//! Gap in the reports of a board on its own line, and its closing.
//!
//! ```text
//! contact ──┤ link down, or silence ├── contact: reports are buffered ──┤ all events, each at its time
//!           since                     dump ─▸ any change? ─▸ memory ─▸
//! ```
//!
//! | first dump | reaction |
//! |---|---|
//! | nothing new, after a known short gap or before the first ply of a game | continue with the buffered reports |
//! | otherwise | read the board's memory (up to 8 s on the wire) |
//! | missing | continue without it |
//!
//! | memory | reaction |
//! |---|---|
//! | leads from the known to the shown contents | its new part is replayed as if received live |
//! | does not, or is missing | only the dump counts, as for a board without memory |
//!
//! A program that recorded a log may have sent questions at other times. A memory that arrives before the dump waits for
//! it, and may differ from it by a move of one hand.
//!
//! Invariants: the buffer is bounded; no received report is dropped. The table, and timeouts (those belong to the question
//! queue), are not part of this module.

use super::memory::{self, KnownState, MemoryMismatch};
use crate::millis::Millis;
use crate::protocol::changes::{self, DecodedMemory, MemoryEvent, TimeSide};
use crate::protocol::{ClockReport, Field, PieceCode};
use crate::session::sensors::Sensors;

/// Length from which the memory is read although the dump shows nothing new: kings may have left and returned, and with
/// them the lever.
const LONG_GAP: Millis = Millis::seconds(10);
/// Limit of memory requests: one byte, or 8 s of bytes, may have been damaged.
const MAX_MEMORY_REQUESTS: u32 = 2;
/// Maximum difference between the end of a memory and a later dump: the work of one hand in 8 s.
const MAX_DUMP_DIFFERENCES: usize = 4;
/// Limit of buffered reports: the capacity of a memory.
const MAX_REPORTS: usize = changes::MEMORY_SIZE;

/// Report of a board about the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameReport {
    /// Change of a field.
    Field(Field, PieceCode),
    /// Contents of all fields.
    Dump(Vec<PieceCode>),
    /// Report of the clock.
    Clock(ClockReport),
}

/// Next step of closing a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GapStep {
    /// Wait for a dump or the memory.
    Wait,
    /// Request the board's memory.
    RequestMemory,
    /// Use the memory; both memory and dump are there.
    UseMemory,
    /// Continue without a memory: none is needed or available.
    Continue,
}

/// Events of a gap from the board's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GapMemory {
    /// Missed events, in order.
    pub missed: Vec<MemoryEvent>,
    /// Contents of the board at the time of the memory read.
    pub sensors_at_read: Vec<PieceCode>,
}

/// Open gap.
#[derive(Clone, Debug, Default)]
pub struct Gap {
    since: Millis,
    /// Time from which the board was in reach again.
    heard_at: Millis,
    reports: Vec<(Millis, GameReport)>,
    /// Memory, with the number of reports buffered before it.
    memory: Option<(usize, DecodedMemory)>,
    memory_requests: u32,
    memory_unavailable: bool,
    /// Whether the gap may be longer than its times indicate.
    has_unknown_length: bool,
}

impl Gap {
    /// Creates a gap from `since`, up to which everything is known, to `now`, when the board is in reach again.
    pub fn new(since: Millis, now: Millis) -> Gap {
        Gap { since, heard_at: now, ..Gap::default() }
    }

    /// Excludes a memory request.
    pub fn without_memory(self) -> Gap {
        Gap { memory_unavailable: true, ..self }
    }

    /// Marks the gap as possibly longer than its times indicate.
    pub fn with_unknown_length(self) -> Gap {
        Gap { has_unknown_length: true, ..self }
    }

    /// Returns the time up to which everything is known.
    pub fn since(&self) -> Millis {
        self.since
    }

    /// Returns the time from which the board was in reach again.
    pub fn heard_at(&self) -> Millis {
        self.heard_at
    }

    /// Whether a dump has arrived.
    pub fn has_dump(&self) -> bool {
        self.reports.iter().any(|(_, report)| matches!(report, GameReport::Dump(_)))
    }

    /// Buffers a report until the gap is closed.
    pub fn push_report(&mut self, now: Millis, report: GameReport) {
        self.reports.push((now, report));
        self.memory_unavailable |= self.reports.len() >= MAX_REPORTS;
    }

    /// Stores the memory.
    pub fn set_memory(&mut self, data: &[u8]) {
        self.memory = Some((self.reports.len(), DecodedMemory::decode(data)));
    }

    /// Counts a memory request.
    pub fn on_memory_requested(&mut self) {
        self.memory_requests += 1;
    }

    /// Handles a memory timeout. Returns whether no further request is due.
    pub fn on_memory_timeout(&mut self) -> bool {
        self.memory_unavailable |= self.memory_requests >= MAX_MEMORY_REQUESTS;
        self.memory_unavailable
    }

    /// Returns the next step. `sensors`: contents before the gap.
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

    /// Returns the contents at the time of the memory read, or the latest ones without a memory.
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

    /// Returns the events of the gap from the memory. `recent`: last reports before the gap; `pressed`: side of the last press.
    ///
    /// # Errors
    ///
    /// Returns an error if the memory does not lead from the known to the shown contents.
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

    /// Returns the buffered reports with their times: those before and those after the memory read. Without a memory all are in
    /// the second list.
    pub fn into_reports(mut self) -> [Vec<(Millis, GameReport)>; 2] {
        let before = self.memory.as_ref().map_or(0, |(before, _)| *before);
        let after = self.reports.split_off(before.min(self.reports.len()));
        [self.reports, after]
    }
}
