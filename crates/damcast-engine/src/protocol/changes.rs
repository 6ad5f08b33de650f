//! Decodes the board's event memory, which records changes while no host is listening.
//!
//! A board writes every change to a ring of 0x1f00 bytes. A host that was absent reads it and obtains the missed moves
//! with the clock times of the presses. A board on a bus reports recent events in the same form.
//!
//! | first byte | event | bytes |
//! |---|---|---|
//! | 0x40..=0x5f | piece update: low nibble piece code, bit 4 "same scan as the previous update"; then the field | 2 |
//! | 0x60..=0x69, 0x70..=0x79 | clock time: low nibble hours, bit 4 left side; then minutes and seconds in BCD | 3 |
//! | 0x6a..=0x6f, 0x7a..=0x7e | marks: power-up, end, shapes of the board, start tag, ... | 1 |
//! | 0x7f, 0x00 | padding | 1 |
//!
//! The ring has no marker. Its content may start in the middle of an event, and a field number can look like the first
//! byte of another event. [`DecodedMemory::decode`] therefore tries the three possible starts and selects the one with
//! the fewest invalid bytes; the session must still check whether it fits the game.
//!
//! Invariants: no input causes an error or a panic; each byte outside any event becomes one [`MemoryEvent::Invalid`].
//!
//! Source: protocol header, "EEPROM moves".

use super::clock::sexagesimal;
use super::message::{Field, PieceCode};

/// Size of the board's ring in bytes.
pub const MEMORY_SIZE: usize = 0x1f00;

/// Event of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryEvent {
    /// Change of a field. If only one piece keeps changing, the board stores only the last of these.
    Piece {
        /// Field that changed.
        field: Field,
        /// Piece on the field after the change.
        piece: PieceCode,
        /// Time since the previous update.
        gap: ScanGap,
    },
    /// Lever change, with the time of the side that has just stopped.
    Time {
        /// Side of the time, seen from the clock's front.
        side: TimeSide,
        /// Hours, 0..=9.
        hours: u8,
        /// Minutes, 0..=59.
        minutes: u8,
        /// Seconds, 0..=59.
        seconds: u8,
    },
    /// 0x6a. Power-up; one piece update per piece follows, in any order.
    PowerUp,
    /// 0x6b. End of the events.
    End,
    /// 0x6c. Four rows are occupied (8x8), or all but the two middle rows (10x10).
    RowsOccupied,
    /// 0x6d. The board is empty.
    EmptyBoard,
    /// 0x6e. The memory was read out here.
    Downloaded,
    /// 0x6f. The board shows the start position of chess.
    ChessStart,
    /// 0x7a. The board shows the start position of chess, turned by 180 degrees.
    ChessStartTurned,
    /// 0x7b. A host started a game; all pieces follow.
    StartTag,
    /// 0x7c. The board's watchdog restarted it.
    Watchdog,
    /// 0x7d or 0x7e: reserved.
    Reserved(u8),
    /// Byte outside any event.
    Invalid(u8),
}

/// Bit 4 of a piece update. It separates scans of the whole board, which take 200 to 250 ms each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanGap {
    /// Less than about 250 ms after the previous update.
    SameScan,
    /// Longer.
    Later,
}

/// Side of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeSide {
    /// Left side, seen from the front.
    Left,
    /// Right side, seen from the front.
    Right,
}

/// Decodes events from the known start of one, as in the answers of a board on a bus. Stops after [`MemoryEvent::End`]
/// and omits padding.
pub fn decode(data: &[u8]) -> Vec<MemoryEvent> {
    let mut rest = data;
    let mut changes = Vec::new();
    while let Some((change, used)) = first(rest) {
        rest = &rest[used..];
        changes.extend(change);
        if change == Some(MemoryEvent::End) {
            break;
        }
    }
    changes
}

/// Decoded event memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DecodedMemory {
    /// Bytes at the start that remain of an overwritten event: 0, 1 or 2.
    pub skipped: usize,
    /// Events, oldest first.
    pub events: Vec<MemoryEvent>,
}

impl DecodedMemory {
    /// Decodes the data of a [`Message::EepromMoves`](super::Message::EepromMoves).
    pub fn decode(data: &[u8]) -> DecodedMemory {
        let at = |skipped: usize| DecodedMemory { skipped, events: decode(data.get(skipped..).unwrap_or_default()) };
        let mut best = at(0);
        for skipped in 1..=2.min(data.len()) {
            let other = at(skipped);
            if other.invalid_bytes() < best.invalid_bytes() {
                best = other;
            }
        }
        best
    }

    /// Whether the end mark is present. Without it the answer is incomplete.
    pub fn is_complete(&self) -> bool {
        self.events.last() == Some(&MemoryEvent::End)
    }

    /// Returns the number of invalid bytes.
    pub fn invalid_bytes(&self) -> usize {
        self.events.iter().filter(|change| matches!(change, MemoryEvent::Invalid(_))).count()
    }
}

/// Returns the first event, or `None` for padding, with its length in bytes. Returns `None` at the end of the data.
fn first(data: &[u8]) -> Option<(Option<MemoryEvent>, usize)> {
    let &byte = data.first()?;
    let (change, used) = match byte {
        0x00 | 0x7f => return Some((None, 1)),
        0x40..=0x5f => (piece(data), 2),
        0x60..=0x69 | 0x70..=0x79 => (time(data), 3),
        0x6a => (Some(MemoryEvent::PowerUp), 1),
        0x6b => (Some(MemoryEvent::End), 1),
        0x6c => (Some(MemoryEvent::RowsOccupied), 1),
        0x6d => (Some(MemoryEvent::EmptyBoard), 1),
        0x6e => (Some(MemoryEvent::Downloaded), 1),
        0x6f => (Some(MemoryEvent::ChessStart), 1),
        0x7a => (Some(MemoryEvent::ChessStartTurned), 1),
        0x7b => (Some(MemoryEvent::StartTag), 1),
        0x7c => (Some(MemoryEvent::Watchdog), 1),
        0x7d | 0x7e => (Some(MemoryEvent::Reserved(byte)), 1),
        _ => (None, 1),
    };
    // An invalid event consumes one byte, because its second byte may start the next event.
    Some(change.map_or((Some(MemoryEvent::Invalid(byte)), 1), |change| (Some(change), used)))
}

fn piece(data: &[u8]) -> Option<MemoryEvent> {
    let &[kind, field, ..] = data else { return None };
    let gap = if kind & 0x10 != 0 { ScanGap::SameScan } else { ScanGap::Later };
    (field <= LAST_FIELD).then_some(MemoryEvent::Piece { field: Field(field), piece: PieceCode(kind & 0x0f), gap })
}

fn time(data: &[u8]) -> Option<MemoryEvent> {
    let &[kind, minutes, seconds, ..] = data else { return None };
    let side = if kind & 0x10 != 0 { TimeSide::Left } else { TimeSide::Right };
    Some(MemoryEvent::Time { side, hours: kind & 0x0f, minutes: sexagesimal(minutes)?, seconds: sexagesimal(seconds)? })
}

/// Largest field number according to the protocol page (10x10).
const LAST_FIELD: u8 = 99;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(field: u8, piece: u8, pace: ScanGap) -> MemoryEvent {
        MemoryEvent::Piece { field: Field(field), piece: PieceCode(piece), gap: pace }
    }

    #[test]
    fn reads_every_kind_of_event() {
        let time = |side, hours, minutes, seconds| MemoryEvent::Time { side, hours, minutes, seconds };
        for (bytes, expected) in [
            (&[0x41, 0x38][..], piece(56, 1, ScanGap::Later)),
            (&[0x50, 0x43], piece(67, 0, ScanGap::SameScan)),
            (&[0x4a, 0x00], piece(0, 10, ScanGap::Later)),
            (&[0x5f, 0x63], piece(99, 15, ScanGap::SameScan)),
            (&[0x61, 0x29, 0x53], time(TimeSide::Right, 1, 29, 53)),
            (&[0x79, 0x59, 0x59], time(TimeSide::Left, 9, 59, 59)),
            (&[0x60, 0x00, 0x00], time(TimeSide::Right, 0, 0, 0)),
            (&[0x6a], MemoryEvent::PowerUp),
            (&[0x6b], MemoryEvent::End),
            (&[0x6c], MemoryEvent::RowsOccupied),
            (&[0x6d], MemoryEvent::EmptyBoard),
            (&[0x6e], MemoryEvent::Downloaded),
            (&[0x6f], MemoryEvent::ChessStart),
            (&[0x7a], MemoryEvent::ChessStartTurned),
            (&[0x7b], MemoryEvent::StartTag),
            (&[0x7c], MemoryEvent::Watchdog),
            (&[0x7d], MemoryEvent::Reserved(0x7d)),
            (&[0x7e], MemoryEvent::Reserved(0x7e)),
        ] {
            assert_eq!(decode(bytes), [expected], "{bytes:02x?}");
        }
        assert_eq!(decode(&[0x7f, 0x00, 0x7f]), []);
    }

    #[test]
    fn reads_stretch_of_memory() {
        // Two moves with their presses; the second field number, 0x4e, looks like a piece update.
        let data = [0x41, 0x38, 0x50, 0x43, 0x71, 0x29, 0x55, 0x40, 0x4e, 0x51, 0x43, 0x61, 0x29, 0x53, 0x6b, 0x41];
        let memory = DecodedMemory::decode(&data);
        assert_eq!(
            memory.events,
            [
                piece(0x38, 1, ScanGap::Later),
                piece(0x43, 0, ScanGap::SameScan),
                MemoryEvent::Time { side: TimeSide::Left, hours: 1, minutes: 29, seconds: 55 },
                piece(0x4e, 0, ScanGap::Later),
                piece(0x43, 1, ScanGap::SameScan),
                MemoryEvent::Time { side: TimeSide::Right, hours: 1, minutes: 29, seconds: 53 },
                MemoryEvent::End,
            ]
        );
        assert_eq!((memory.skipped, memory.invalid_bytes(), memory.is_complete()), (0, 0, true));
        assert!(!DecodedMemory::decode(&data[..14]).is_complete());
    }

    #[test]
    fn memory_starting_inside_event_loses_one_event() {
        let tail = [0x41, 0x0c, 0x50, 0x13, 0x71, 0x29, 0x55, 0x6b];
        for lost in [&[0x25][..], &[0x29, 0x53], &[0x53]] {
            let memory = DecodedMemory::decode(&[lost, &tail].concat());
            assert_eq!((memory.skipped, memory.events), (lost.len(), decode(&tail)), "{lost:02x?}");
        }
    }

    #[test]
    fn marks_invalid_byte_and_skips_one() {
        assert_eq!(decode(&[0x41, 0x70, 0x29, 0x53]).first(), Some(&MemoryEvent::Invalid(0x41)));
        assert_eq!(decode(&[0x61, 0x60, 0x00]).first(), Some(&MemoryEvent::Invalid(0x61)));
        assert_eq!(decode(&[0x41]), [MemoryEvent::Invalid(0x41)]);
        assert_eq!(decode(&[0x61, 0x29]), [MemoryEvent::Invalid(0x61), MemoryEvent::Invalid(0x29)]);
        assert_eq!(
            decode(&[0x25, 0x80, 0xff]),
            [MemoryEvent::Invalid(0x25), MemoryEvent::Invalid(0x80), MemoryEvent::Invalid(0xff)]
        );
    }

    proptest! {
        #[test]
        fn reads_arbitrary_memory(data in prop::collection::vec(any::<u8>(), 0..600)) {
            let memory = DecodedMemory::decode(&data);
            prop_assert!(memory.events.len() + memory.skipped <= data.len());
        }
    }
}
