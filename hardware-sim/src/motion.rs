//! Motions: single physical actions with their times, passed from hands to the world.

use crate::clock::{ClockSide, TimeControl};
use crate::scanner::SensorState;
use crate::script::Player;
use crate::truth::{Event, PlyId};

/// One action with its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Time in milliseconds of the virtual clock.
    pub at_ms: u64,
    /// The action.
    pub action: Action,
}

/// Kinds of actions.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Puts a piece on a field, or removes it (code 0).
    Put {
        /// Field seen by White, for either orientation of the board.
        field: u8,
        /// State of the field from now on.
        sensor_state: SensorState,
    },
    /// A player pushes their side of the lever down.
    Press {
        /// Presser.
        player: Player,
        /// Ply that the press ends; `None` for an accident or its correction.
        ply: Option<PlyId>,
    },
    /// The arbiter sets the clock for a game: full times, stopped.
    SetClock {
        /// Time control; `None` disconnects the clock from the cable.
        control: Option<TimeControl>,
        /// Player whose side is high.
        to_move: Player,
        /// Side of the clock of White from now on.
        white_side: ClockSide,
    },
    /// The times start to run.
    StartClock,
    /// The times stop.
    StopClock,
    /// The arbiter adds seconds to both times of the stopped clock.
    AddTime(u32),
    /// Connects or disconnects the clock's cable.
    PlugClock(bool),
    /// A button of the clock is pressed: the four bytes of the unsolicited ack.
    ClockButton([u8; 4]),
    /// Powers the board on or off.
    Power(bool),
    /// Orients the board with its connector on White's right, or back.
    Turn(bool),
    /// Records an event in the truth without any action.
    Note(Event),
}
