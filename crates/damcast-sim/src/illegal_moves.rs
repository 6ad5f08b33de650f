//! Illegal moves that stand: a man moves although a capture is due, no player protests, and the game goes on from there.
//!
//! The rest of such a game consists of random legal moves, because the original moves no longer fit.

use draughts::{Color, Move, Piece, PieceKind, Placement, Position, Setup, Square};
use hardware_sim::random::Rng;

use super::games::SourceGame;

/// Ply of a script that may contain illegal moves.
#[derive(Clone, Debug)]
pub enum ScriptPly {
    /// Legal move.
    Legal(Move),
    /// Move of a man while a capture was due.
    Illegal {
        /// Start square of the man.
        from: Square,
        /// Destination square.
        to: Square,
        /// Position after the move.
        position_after: Position,
    },
}

/// Returns the moves with the positions before them. Each move but the first may be replaced by an illegal one, at the given rate.
pub fn with_illegal(game: &SourceGame, rate: f64, seed: u64) -> Vec<(Position, ScriptPly)> {
    let mut rng = Rng::new(seed ^ 0x0111_e6a1);
    let mut position = game.start;
    let mut steps = Vec::new();
    let mut diverged = false;
    for index in 0..game.moves.len() {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        if index > 0
            && rng.chance(rate)
            && let Some((from, to, after)) = illegal_move(&position, &mut rng)
        {
            steps.push((position, ScriptPly::Illegal { from, to, position_after: after }));
            position = after;
            diverged = true;
            continue;
        }
        let played = if diverged { rng.pick(&legal).cloned() } else { game.moves.get(index).cloned() };
        let Some(played) = played else { break };
        let next = position.play(&played);
        steps.push((position, ScriptPly::Legal(played)));
        position = next;
    }
    steps
}

/// Returns the steps with visits of the arbiter: after each step, at the given rate, the last one to four are played again.
pub fn with_repeated(steps: Vec<(Position, ScriptPly)>, rate: f64, seed: u64) -> Vec<(Position, ScriptPly)> {
    let mut rng = Rng::stream(seed, "plies taken back");
    let mut played = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        played.push(step.clone());
        let back = rng.between(1, 4) as usize;
        if rng.chance(rate) && index + 1 < steps.len() {
            played.extend_from_slice(&steps[(index + 1).saturating_sub(back)..=index]);
        }
    }
    played
}

/// Whether the arbiter went back to an earlier position before this step.
pub fn is_taken_back(steps: &[(Position, ScriptPly)], index: usize) -> bool {
    let Some(((before, step), (position, _))) = index.checked_sub(1).map(|last| (&steps[last], &steps[index])) else {
        return false;
    };
    let after = match step {
        ScriptPly::Legal(played) => before.play(played),
        ScriptPly::Illegal { position_after, .. } => *position_after,
    };
    after.setup() != position.setup()
}

/// Returns a man's step while a capture is due, after which the opponent can move.
fn illegal_move(position: &Position, rng: &mut Rng) -> Option<(Square, Square, Position)> {
    if !position.must_capture() {
        return None;
    }
    let variant = position.variant();
    let us = position.turn();
    let mut candidates = Vec::new();
    for from in position.placement().men_of(us) {
        for &way in variant.rules.man_moves {
            let way = if us == Color::White { way } else { way.reverse() };
            let Some(to) = variant.geometry.next(from, way) else { continue };
            if position.placement().color(to).is_some() || variant.geometry.home_row(!us).contains(to) {
                continue;
            }
            let mut placement: Placement = *position.placement();
            placement.put(from, None);
            placement.put(to, Some(Piece { color: us, kind: PieceKind::Man }));
            if let Ok(after) = Position::new(variant, Setup { placement, turn: !us })
                && !after.legal_moves().is_empty()
            {
                candidates.push((from, to, after));
            }
        }
    }
    rng.pick(&candidates).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    #[test]
    fn repeated_steps_begin_with_earlier_position() {
        let game = &games::from_pdn("demonstration", games::DEMONSTRATION, None, Some(1)).unwrap()[0];
        let steps = with_illegal(game, 0.0, 1);
        let count = steps.len();
        let played = with_repeated(steps.clone(), 0.2, 1);
        let back = (0..played.len()).filter(|&index| is_taken_back(&played, index)).count();
        assert!(back > 3 && (count + back..=count + 4 * back).contains(&played.len()), "{back} {}", played.len());
        assert_eq!(with_repeated(steps, 0.0, 1).len(), count);
    }
}
