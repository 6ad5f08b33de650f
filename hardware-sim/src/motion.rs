//! Motions: single physical actions with their times, the language between hands and the world.

use crate::clock::{ClockSide, TimeControl};
use crate::scanner::SensorState;
use crate::script::Player;
use crate::truth::{Event, PlyId};

/// One action at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// When, in milliseconds of the virtual clock.
    pub at_ms: u64,
    /// What.
    pub action: Action,
}

/// What can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Something is put on a field or (code 0) taken off it.
    Put {
        /// Seen by White, whichever way round the board lies.
        field: u8,
        /// What is there from now on.
        sensor_state: SensorState,
    },
    /// A player pushes his side of the lever down.
    Press {
        /// Who.
        player: Player,
        /// Which ply he ends with it; none when it is an accident or its repair.
        ply: Option<PlyId>,
    },
    /// The arbiter sets the clock for a game: full times, stopped.
    SetClock {
        /// The time control; none takes the clock off the cable.
        control: Option<TimeControl>,
        /// Whose side is high.
        to_move: Player,
        /// On which side of the clock White sits from now on.
        white_side: ClockSide,
    },
    /// The times start to run.
    StartClock,
    /// The times stop.
    StopClock,
    /// The clock's cable goes in or out.
    PlugClock(bool),
    /// A button of the clock: the four bytes of an unasked ack.
    ClockButton([u8; 4]),
    /// The board gets or loses its power.
    Power(bool),
    /// The board is laid down with its connector on White's right, or back.
    Turn(bool),
    /// Nothing is done, but the truth is written down.
    Note(Event),
}
