//! Counting the leaves of the tree of legal moves: the way to compare a generator with others.
//!
//! Leaves are counted as others publish them: distinct moves by start, end, pieces taken and crowning; a side without a
//! move has no leaves below; draws are ignored.

use super::moves::Move;
use super::position::Position;

/// The number of leaves `depth` plies below a position; 1 at depth 0. The moves of the last ply are counted and not
/// played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    leaves(position, depth, &mut Vec::new())
}

fn leaves(position: &Position, depth: u32, scratch: &mut Vec<Move>) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(scratch) as u64,
        _ => position.legal_moves().iter().map(|ply| leaves(&position.play(ply), depth - 1, scratch)).sum(),
    }
}
