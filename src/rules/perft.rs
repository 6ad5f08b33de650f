//! Counting the leaves of the tree of legal moves: the way to compare a generator with others.
//!
//! Leaves are counted as others publish them: distinct moves by start, end, pieces taken and crowning; a side without a
//! move has no leaves below; draws are ignored.

use super::position::Position;

/// The number of leaves `depth` plies below a position; 1 at depth 0.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_moves().len() as u64,
        _ => position.legal_moves().iter().map(|ply| perft(&position.play(ply), depth - 1)).sum(),
    }
}
