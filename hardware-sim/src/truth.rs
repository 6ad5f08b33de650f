//! The truth beside the bytes: what was really played, when, and what went wrong.
//!
//! A test compares what was recorded with this log, never with the bytes. Times are milliseconds of the virtual clock; entries
//! are in the order of their times.

use crate::faults::Fault;

/// One thing that happened in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruthEntry {
    /// When.
    pub at_ms: u64,
    /// What.
    pub event: Event,
}

/// Which ply of the script.
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
    /// White's, in milliseconds.
    pub white_ms: u64,
    /// Black's, in milliseconds.
    pub black_ms: u64,
}

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// The start position stands.
    Ready {
        /// Index of the game.
        game: usize,
    },
    /// The clock was started.
    ClockStarted {
        /// Index of the game.
        game: usize,
    },
    /// The first touch of the ply: lifting the piece, or a captured one.
    Touched(PlyId),
    /// The last action of the hands that belongs to the ply.
    Settled(PlyId),
    /// The lever was pressed after the ply.
    Pressed {
        /// After which ply.
        ply: PlyId,
        /// Times just after the press, increment included; none without a clock on the cable.
        clocks: Option<Clocks>,
        /// False when that side was down already (the press before was forgotten).
        lever_moved: bool,
    },
    /// A wrong ply was played and pressed in place of this one.
    WrongPly(PlyId),
    /// It was taken back: the position before this ply stands again, and the lever is back.
    TakenBack(PlyId),
    /// The ply is against the rules, and stands.
    IllegalStands(PlyId),
    /// A captured piece that had been forgotten on the board was taken off.
    LeftoverRemoved {
        /// Where it stood.
        field: u8,
    },
    /// Something went otherwise than ideal.
    Irregular {
        /// During which ply, where that can be said.
        ply: Option<PlyId>,
        /// What.
        fault: Fault,
        /// Where, if at one field.
        field: Option<u8>,
        /// Until when, when it lasts.
        until_ms: u64,
    },
    /// The game is over: nothing from here on belongs to it.
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
        /// Index of the game that was over.
        game: usize,
    },
}

/// The times of one ply, drawn together from the log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlyTimes {
    /// Which.
    pub ply: PlyId,
    /// First touch.
    pub touched_ms: Option<u64>,
    /// Last action of the hands.
    pub settled_ms: Option<u64>,
    /// The press, whether the lever moved or not.
    pub pressed_ms: Option<u64>,
    /// The press moved the lever.
    pub lever_moved: bool,
    /// Times just after the press.
    pub clocks: Option<Clocks>,
}

impl PlyTimes {
    /// From here on nobody need wait to know the ply: the later of the last action and the press.
    pub fn complete_ms(&self) -> Option<u64> {
        self.settled_ms.max(self.pressed_ms)
    }
}

/// The times of every ply that was at least touched, in order.
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
