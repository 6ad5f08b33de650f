//! On what grounds a decision was made: for the log, so that an arbiter can be told why a line stands in the file.

use super::wait::Wait;
use crate::engine::millis::Millis;
use draughts::{Color, Move, SquareSet};

/// What was known when a ply or a setup was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rationale {
    /// Squares on which hands were seen since what was published before, those that flicker included.
    pub touched: SquareSet,
    /// Whose time the lever showed to run, where its meaning is known.
    pub lever: Option<Color>,
    /// Presses since what was published before.
    pub presses: usize,
    /// How long the squares had not changed.
    pub quiet_time: Millis,
    /// What was waited for until then; `None`: nothing.
    pub waited_for: Option<Wait>,
    /// Had a dump of the whole board shown the same as the reports?
    pub is_confirmed: bool,
    /// Pieces that were captured and still stood.
    pub leftover: SquareSet,
    /// Squares that were wrong and excused.
    pub mismatched: SquareSet,
    /// Other plies that would have explained the board less well, best first; at most [`Rationale::MAX_REJECTED`].
    pub rejected: Vec<Move>,
}

impl Rationale {
    /// How many of the other plies are told.
    pub const MAX_REJECTED: usize = 3;
}
