//! The event memory of the board, written with or without a host.
//!
//! A ring of 0x1f00 bytes. After an outage it is the only record of events in between.
//!
//! | first byte | event |
//! |---|---|
//! | 0x40..0x5f | piece update: low nibble piece code, bit 4 "less than 250 ms after the previous one"; then the field |
//! | 0x60.. , 0x70.. | time of the side that just stopped: bit 4 left clock, low nibble hours; then minutes, seconds (BCD) |
//! | 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x7f | power-up, end, start shape, empty board, downloaded here, nothing |
//! | 0x6f, 0x7a, 0x7b, 0x7c | chess start position, the same rotated, start tag, watchdog restart |
//!
//! On a bus the same bytes are sent in two parts, which meet at one mark:
//!
//! ```text
//!  oldest ...... start tag ............. handed out ............. newest
//!                    └── from the start ──┘└── changes, once ──────┘
//! ```
//!
//! Invariants: never longer than its ring; if full, it drops the oldest *bytes*, so it may begin in the middle of an event; a single
//! flickering piece takes two events, not the whole memory; bytes already sent are never overwritten, only dropped.

use crate::clock::ClockSide;
use crate::random::Rng;
use crate::wire::bcd;
use std::collections::VecDeque;

/// Size of the ring in bytes, including the end mark.
pub const MEMORY_SIZE: usize = 0x1f00;

const END: u8 = 0x6b;
const POWER_UP: u8 = 0x6a;
const START_SHAPE: u8 = 0x6c;
const EMPTY_BOARD: u8 = 0x6d;
const DOWNLOADED: u8 = 0x6e;
const CHESS_START: u8 = 0x6f;
const CHESS_START_ROTATED: u8 = 0x7a;
const START_TAG: u8 = 0x7b;
const WATCHDOG: u8 = 0x7c;
const NOTHING: u8 = 0x7f;

/// Limit for "same scan", in microseconds: the time since the previous piece update is shorter.
const SAME_SCAN_US: u64 = 250_000;

/// The ring and its write state.
#[derive(Debug, Clone, Default)]
pub struct EventMemory {
    bytes: VecDeque<u8>,
    /// Number of bytes written in all; the ring holds the last of them.
    written: u64,
    /// Number of the first byte that [`EventMemory::changes`] has not returned.
    handed: u64,
    /// Number of the first byte of the last start tag.
    start: Option<u64>,
    last_update_us: Option<u64>,
    /// Fields of the last two events, if they were piece updates.
    last_fields: [Option<u8>; 2],
}

impl EventMemory {
    /// Creates an empty memory.
    pub fn new() -> EventMemory {
        EventMemory::default()
    }

    /// Creates a memory with `events` random piece updates of earlier games on a board of `fields` fields, already sent.
    pub fn used(events: u32, fields: u8, rng: &mut Rng) -> EventMemory {
        let mut memory = EventMemory::new();
        for _ in 0..events.min(MEMORY_SIZE as u32) {
            let field = rng.below(u64::from(fields)) as u8;
            let code = [0, 0, 1, 4][rng.below(4) as usize];
            memory.write(&[0x40 | (rng.below(2) as u8) << 4 | code, field]);
        }
        memory.handed = memory.written;
        memory
    }

    /// Records a changed field.
    pub fn piece(&mut self, now_us: u64, field: u8, code: u8) {
        let soon = self.last_update_us.is_some_and(|last| now_us.saturating_sub(last) < SAME_SCAN_US);
        self.last_update_us = Some(now_us);
        if self.last_fields == [Some(field); 2] && self.written >= self.handed + 2 {
            // The same field keeps changing: overwrite its last update.
            self.bytes.truncate(self.bytes.len().saturating_sub(2));
            self.written -= 2;
        }
        self.write(&[0x40 | u8::from(soon) << 4 | (code & 0x0f), field & 0x7f]);
        self.last_fields = [self.last_fields[1], Some(field)];
    }

    /// Records a moved lever with the time of the side that just stopped.
    pub fn lever(&mut self, stopped: ClockSide, seconds: u64) {
        let seconds = seconds.min(9 * 3600 + 59 * 60 + 59);
        let kind = match stopped {
            ClockSide::Left => 0x70,
            ClockSide::Right => 0x60,
        };
        self.tag(&[kind | (seconds / 3600) as u8, bcd((seconds / 60 % 60) as u8), bcd((seconds % 60) as u8)]);
    }

    /// Records a power-up: three empty events, the mark, then the pieces found, as (field, code) in the order given. Changes restart here,
    /// because the memory does not store how far they were sent [a guess; no document says].
    pub fn power_up(&mut self, now_us: u64, pieces: &[(u8, u8)]) {
        self.handed = self.written;
        self.tag(&[NOTHING, NOTHING, NOTHING, POWER_UP]);
        pieces.iter().for_each(|(field, code)| self.piece(now_us, *field, *code));
    }

    /// Records the start shape.
    pub fn start_shape(&mut self) {
        self.tag(&[START_SHAPE]);
    }

    /// Records an empty board.
    pub fn empty_board(&mut self) {
        self.tag(&[EMPTY_BOARD]);
    }

    /// Records the start position of chess, from either side.
    pub fn chess_start(&mut self, rotated: bool) {
        self.tag(&[if rotated { CHESS_START_ROTATED } else { CHESS_START }]);
    }

    /// Records a restart by the watchdog.
    pub fn watchdog(&mut self) {
        self.tag(&[WATCHDOG]);
    }

    /// Records the start of a game: the tag, then all pieces as (field, code) in the order given.
    pub fn start_tag(&mut self, now_us: u64, pieces: &[(u8, u8)]) {
        self.start = Some(self.written);
        self.tag(&[START_TAG]);
        pieces.iter().for_each(|(field, code)| self.piece(now_us, *field, *code));
    }

    /// Returns the events written since the last call, as far as the ring still holds them. Each event is returned once.
    pub fn changes(&mut self) -> Vec<u8> {
        let changes = self.between(self.handed, self.written);
        self.handed = self.written;
        changes
    }

    /// Returns the events from the start tag (included) up to those already sent. Without a start tag in the ring, begins with the oldest
    /// byte.
    pub fn from_start(&self) -> Vec<u8> {
        self.between(self.start.unwrap_or(0), self.handed)
    }

    /// Returns the whole memory, oldest byte first, with the end mark. Writes a mark for the next reader.
    pub fn download(&mut self) -> Vec<u8> {
        let mut all: Vec<u8> = self.bytes.iter().copied().collect();
        all.push(END);
        self.tag(&[DOWNLOADED]);
        all
    }

    /// Returns the bytes with these numbers, as far as the ring holds them.
    fn between(&self, from: u64, to: u64) -> Vec<u8> {
        let oldest = self.written - self.bytes.len() as u64;
        let index = |number: u64| number.clamp(oldest, self.written) - oldest;
        self.bytes.range(index(from) as usize..index(to.max(from)) as usize).copied().collect()
    }

    fn tag(&mut self, bytes: &[u8]) {
        self.write(bytes);
        self.last_fields = [None; 2];
    }

    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.written += bytes.len() as u64;
        let too_many = self.bytes.len().saturating_sub(MEMORY_SIZE - 1);
        self.bytes.drain(..too_many);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_move_and_press() {
        let mut memory = EventMemory::new();
        memory.piece(10_000_000, 63, 0);
        memory.piece(10_120_000, 54, 1);
        memory.lever(ClockSide::Left, 5389);
        memory.piece(20_000_000, 32, 0);
        memory.piece(20_700_000, 43, 4);
        memory.lever(ClockSide::Right, 5388);
        let expected = [0x40, 63, 0x51, 54, 0x71, 0x29, 0x49, 0x40, 32, 0x44, 43, 0x61, 0x29, 0x48, 0x6b];
        assert_eq!(memory.download(), expected);
        assert_eq!(memory.download()[14..], [0x6e, 0x6b], "the first reader left his mark");
    }

    #[test]
    fn blinking_piece_does_not_fill_memory() {
        let mut memory = EventMemory::new();
        for k in 0..1000u64 {
            memory.piece(k * 1_000_000, 7, if k % 2 == 0 { 0 } else { 1 });
        }
        assert_eq!(memory.download(), [0x40, 7, 0x41, 7, 0x6b]);
    }

    #[test]
    fn power_up_lists_position() {
        let mut memory = EventMemory::new();
        memory.power_up(0, &[(40, 4), (3, 1)]);
        assert_eq!(memory.download(), [0x7f, 0x7f, 0x7f, 0x6a, 0x44, 40, 0x51, 3, 0x6b]);
    }

    #[test]
    fn used_memory_is_full_of_old_events() {
        let mut memory = EventMemory::used(5000, 100, &mut Rng::new(1));
        memory.piece(0, 63, 1);
        let all = memory.download();
        assert_eq!((all.len(), &all[all.len() - 3..]), (MEMORY_SIZE, [0x41, 63, 0x6b].as_slice()));
    }

    #[test]
    fn changes_and_start_dump_meet_without_gap() {
        let mut memory = EventMemory::new();
        memory.piece(1_000_000, 3, 4);
        memory.start_tag(2_000_000, &[(3, 4)]);
        assert_eq!(memory.from_start(), [], "nothing of it was handed out");
        assert_eq!(memory.changes(), [0x44, 3, 0x7b, 0x44, 3]);
        memory.piece(9_000_000, 3, 0);
        assert_eq!(memory.from_start(), [0x7b, 0x44, 3]);
        assert_eq!(memory.changes(), [0x40, 3]);
        // A single flickering piece overwrites its own events, but never bytes already sent.
        memory.piece(10_000_000, 3, 4);
        assert_eq!(memory.changes(), [0x44, 3]);
        memory.piece(11_000_000, 3, 0);
        memory.piece(12_000_000, 3, 4);
        memory.piece(13_000_000, 3, 0);
        assert_eq!(memory.changes(), [0x40, 3]);
        assert_eq!(memory.changes(), []);
        assert_eq!(memory.from_start(), [0x7b, 0x44, 3, 0x40, 3, 0x44, 3, 0x40, 3]);
    }

    #[test]
    fn overwritten_start_tag_leaves_remaining_events() {
        let mut memory = EventMemory::new();
        memory.start_tag(0, &[]);
        for k in 0..5000u64 {
            memory.piece(k * 1_000_000, (k % 100) as u8, 1);
        }
        let waiting = memory.changes();
        assert_eq!(
            (waiting.len(), waiting[0]),
            (MEMORY_SIZE - 1, 32),
            "a host that was away too long finds the end only"
        );
        assert_eq!(memory.from_start(), waiting);
    }

    #[test]
    fn full_ring_loses_oldest_bytes_only() {
        let mut memory = EventMemory::new();
        for k in 0..5000u64 {
            memory.piece(k * 1_000_000, (k % 100) as u8, 1);
        }
        let all = memory.download();
        assert_eq!(all.len(), MEMORY_SIZE);
        assert_eq!(
            all[..2],
            [32, 0x41],
            "10000 bytes written, 7935 kept: the ring begins inside event 1032, with its field"
        );
        assert_eq!(all[all.len() - 3..], [0x41, 99, 0x6b]);
    }
}
