//! The truth beside the bytes: the plies played, their times, and all irregularities.
//!
//! A test compares a recording with this log, never with the bytes. Times are milliseconds of the virtual clock; entries are in the order
//! of their times.

use crate::faults::Fault;

/// One event in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruthEntry {
    /// Time of the event.
    pub at_ms: u64,
    /// The event.
    pub event: Event,
}

/// A ply of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlyId {
    /// Index of the game.
    pub game: usize,
    /// Index of the ply in its game.
    pub ply: usize,
}

/// Exact remaining times of both players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// White's remaining time, in milliseconds.
    pub white_ms: u64,
    /// Black's remaining time, in milliseconds.
    pub black_ms: u64,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// The start position is on the board.
    Ready {
        /// Index of the game.
        game: usize,
    },
    /// The clock was started.
    ClockStarted {
        /// Index of the game.
        game: usize,
    },
    /// First touch of the ply: the piece or a captured one is lifted.
    Touched(PlyId),
    /// Last action of the hands that belongs to the ply.
    Settled(PlyId),
    /// The lever was pressed after the ply.
    Pressed {
        /// Ply that the press ends.
        ply: PlyId,
        /// Times just after the press, including the increment; `None` without a clock on the cable.
        clocks: Option<Clocks>,
        /// Whether the lever moved; `false` if that side was already down because the previous press was forgotten.
        lever_moved: bool,
    },
    /// A wrong ply was played and pressed instead of this one.
    WrongPly(PlyId),
    /// The wrong ply was taken back: position and lever are as before this ply.
    TakenBack(PlyId),
    /// The ply is illegal and stands.
    IllegalStands(PlyId),
    /// A forgotten captured piece was removed.
    LeftoverRemoved {
        /// Field of the piece.
        field: u8,
    },
    /// A deviation from the ideal game.
    Irregular {
        /// Ply during which it occurred, if known.
        ply: Option<PlyId>,
        /// Kind of deviation.
        fault: Fault,
        /// Field, if it concerns a single field.
        field: Option<u8>,
        /// End time, if it lasts.
        until_ms: u64,
    },
    /// The game is over: no later event belongs to it.
    GameOver {
        /// Index of the game.
        game: usize,
    },
    /// The clock was stopped.
    ClockStopped {
        /// Index of the game.
        game: usize,
    },
    /// The pieces were put back to a start position.
    PiecesReset {
        /// Index of the finished game.
        game: usize,
    },
}

/// Times of one ply, collected from the log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlyTimes {
    /// The ply.
    pub ply: PlyId,
    /// Time of the first touch.
    pub touched_ms: Option<u64>,
    /// Time of the last action of the hands.
    pub settled_ms: Option<u64>,
    /// Time of the press, whether or not the lever moved.
    pub pressed_ms: Option<u64>,
    /// Whether the press moved the lever.
    pub lever_moved: bool,
    /// Times just after the press.
    pub clocks: Option<Clocks>,
}

impl PlyTimes {
    /// Returns the time from which the ply can be known: the later of the last action and the press.
    pub fn complete_ms(&self) -> Option<u64> {
        self.settled_ms.max(self.pressed_ms)
    }
}

/// Returns the times of every ply that was at least touched, in order.
pub fn ply_times(log: &[TruthEntry]) -> Vec<PlyTimes> {
    let mut plies = std::collections::BTreeMap::new();
    let fresh =
        |ply| PlyTimes { ply, touched_ms: None, settled_ms: None, pressed_ms: None, lever_moved: false, clocks: None };
    for TruthEntry { at_ms, event } in log {
        match *event {
            Event::Touched(ply) => plies.entry(ply).or_insert_with(|| fresh(ply)).touched_ms = Some(*at_ms),
            Event::Settled(ply) => plies.entry(ply).or_insert_with(|| fresh(ply)).settled_ms = Some(*at_ms),
            Event::Pressed { ply, clocks, lever_moved } => {
                let times = plies.entry(ply).or_insert_with(|| fresh(ply));
                (times.pressed_ms, times.clocks, times.lever_moved) = (Some(*at_ms), clocks, lever_moved);
            }
            _ => {}
        }
    }
    plies.into_values().collect()
}
