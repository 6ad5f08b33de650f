//! Evidence of a decision, for the log: it lets an arbiter see why a line is in the file.

use draughts::{Color, Move, SquareSet};

use super::wait::Wait;
use crate::millis::Millis;

/// Facts known when a ply or a setup was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rationale {
    /// Squares touched since the previous entry, including flickering ones.
    pub touched: SquareSet,
    /// Side whose time the lever showed as running, if known.
    pub lever: Option<Color>,
    /// Number of presses since the previous entry.
    pub presses: usize,
    /// Time since the last change of the squares.
    pub quiet_time: Millis,
    /// Last condition the decision waited for; `None` if it did not wait.
    pub waited_for: Option<Wait>,
    /// Whether a board dump confirmed the reports.
    pub is_confirmed: bool,
    /// Captured pieces that were still on the board.
    pub leftover: SquareSet,
    /// Excused squares with a wrong piece.
    pub mismatched: SquareSet,
    /// First plies of worse explanations, best first; at most [`Rationale::MAX_REJECTED`].
    pub rejected: Vec<Move>,
}

impl Rationale {
    /// Maximum number of rejected plies listed.
    pub const MAX_REJECTED: usize = 3;
}
