//! What the recogniser decides, and what it is told of the clock.

use crate::engine::millis::Millis;
use draughts::{Move, Position};

/// The lever press that completed a ply, as numbered by the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PressId(pub u32);

/// What is known of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockState {
    /// No clock is connected, or none has been heard of.
    None,
    /// It stands still since then.
    Stopped {
        /// When it stopped; `None` if it has not run in this game.
        since: Option<Millis>,
    },
    /// A side's time is running.
    Running,
}

/// Why a ply was believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Its player pressed the clock.
    Pressed,
    /// The opponent has replied.
    Replied,
    /// It has stood for long though nobody pressed.
    Unpressed,
    /// It has stood for long on a board without a clock.
    NoClock,
    /// Its player has let go of it, on a board without a clock: another piece was taken up.
    Released,
    /// It was complete when the clock stopped.
    BeforeStop,
}

/// Why a setup was necessary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A move that was published has been taken back.
    TakenBack,
    /// A move that is not legal was let stand: the opponent replied to it.
    IllegalMove,
    /// Nothing legal explains the board.
    Unexplained,
    /// A piece too many or too few has stayed so.
    Anomaly,
    /// The setup before was wrong by one square: play went on without it.
    SetupCorrected,
    /// The operator said so.
    Operator,
}

/// What was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A ply was played.
    Ply {
        /// In this position.
        before: Position,
        /// This move.
        ply: Move,
        /// Completed by this press.
        press: Option<PressId>,
        /// Why it is believed.
        rule: Rule,
        /// How many plies the explanation had of which this is the first.
        explanation_plies: usize,
    },
    /// The thread was lost, and this is where it is taken up again.
    Setup {
        /// The position from which play goes on.
        position: Position,
        /// How many plies of the game have passed before it, hidden ones included.
        plies: u32,
        /// The last press before it.
        press: Option<PressId>,
        /// Why it was necessary.
        reason: Reason,
    },
}
