//! Moves that a person added to a running game, in place of setups that hide them.
//!
//! ```text
//!   live file     1. 32-28   /FEN "..."/   2. 28x19   14x23        its lines stay
//!                 ─ after ─┤├─ replaced ─┤
//!   added moves              19-23
//!   readers       1. 32-28   19-23         2. 28x19   14x23
//! ```
//!
//! The live file keeps the setups. All other files, the events and the pages show the moves.

use draughts::Move;

/// Moves in place of consecutive entries of a live file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InsertedMoves {
    /// Number of entries of the file at the time of the insertion.
    pub recorded: u32,
    /// Number of entries before the replaced ones.
    pub after: u32,
    /// Number of entries up to the last replaced one.
    pub until: u32,
    /// Number of plies before the moves, as the numbers of the file count them.
    pub ply: u32,
    /// Number of plies that the numbers of the file count for the replaced entries.
    pub counted: u32,
    /// Moves; none if only the setups are wrong.
    pub plies: Vec<Move>,
}

impl InsertedMoves {
    /// Returns the amount by which the move numbers of all later entries grow.
    pub fn number_shift(&self) -> i64 {
        // The side to move is known in both positions, so both counts are odd or both are even.
        (self.plies.len() as i64 - i64::from(self.counted)).div_euclid(2)
    }
}
