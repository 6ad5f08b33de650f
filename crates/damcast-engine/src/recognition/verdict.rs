//! Decisions of the recogniser, and its input about the clock.

use draughts::{Move, Position};

use crate::millis::Millis;

/// Number of a lever press, assigned by the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PressId(pub u32);

/// State of the clock, as far as known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClockState {
    /// No clock is connected, or its presence is unknown.
    #[default]
    None,
    /// The clock is stopped.
    Stopped {
        /// Time of the stop; `None` if the clock has not run in this game.
        since: Option<Millis>,
    },
    /// A side's time is running.
    Running,
}

/// Reason for accepting a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The player pressed the clock.
    Pressed,
    /// The opponent has replied.
    Replied,
    /// The ply has stood for long without a press.
    Unpressed,
    /// The ply has stood for long on a board without a clock.
    NoClock,
    /// The player released the ply on a board without a clock: another piece was lifted.
    Released,
    /// The ply was complete when the clock stopped.
    BeforeStop,
    /// A person entered the ply.
    Entered,
}

/// Reason for a setup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A published move has been taken back.
    TakenBack,
    /// An illegal move stands: the opponent replied to it.
    IllegalMove,
    /// No legal play explains the board.
    Unexplained,
    /// A piece too many or too few has remained.
    Anomaly,
    /// The previous setup was wrong by one square: play continued without it.
    SetupCorrected,
    /// The operator requested it.
    Operator,
}

/// Decision of the recogniser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Played ply.
    Ply {
        /// Position before the ply.
        before: Position,
        /// Legal move in `before`.
        ply: Move,
        /// Press that completed the ply.
        press: Option<PressId>,
        /// Reason for accepting the ply.
        rule: Rule,
        /// Number of plies in the explanation that starts with this ply.
        explanation_plies: usize,
    },
    /// Position from which play continues after missed or unexplained moves.
    Setup {
        /// Position from which play continues.
        position: Position,
        /// Number of plies in the game so far, including hidden ones.
        plies: u32,
        /// Last press before the position.
        press: Option<PressId>,
        /// Reason for the setup.
        reason: Reason,
    },
}
