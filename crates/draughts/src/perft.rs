//! Counts the leaves of the tree of legal moves, to compare the generator with others.
//!
//! Leaves are counted as in published tables: distinct moves by start, end, captured pieces and crowning. A side without a move has no
//! leaves below; draws are ignored.

use super::moves::Effect;
use super::position::Position;

/// Returns the number of leaves `depth` plies below a position; 1 at depth 0. Counts the moves of the last ply without playing them.
///
/// # Examples
///
/// ```
/// use draughts::{Position, Variant, perft};
///
/// let start = Position::start(Variant::international());
/// assert_eq!((1..=5).map(|depth| perft(&start, depth)).collect::<Vec<_>>(), [9, 81, 658, 4_265, 27_117]);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    leaves(position, depth, &mut Vec::new())
}

/// Counts leaves. `spare` holds the vectors of the plies below, so that no position allocates its own.
fn leaves(position: &Position, depth: u32, spare: &mut Vec<Vec<Effect>>) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = spare.pop().unwrap_or_default();
    let count = if depth == 1 {
        position.count_legal_moves(&mut moves) as u64
    } else {
        position.effects_into(&mut moves);
        moves.iter().map(|ply| leaves(&position.after(ply), depth - 1, spare)).sum()
    };
    spare.push(moves);
    count
}
