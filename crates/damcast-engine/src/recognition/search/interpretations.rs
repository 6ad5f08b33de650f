//! Finds the closest interpretations of an unexplained board, for people to choose from.
//!
//! ```text
//!   published position ──▸ no ply, one ply, one ply and a reply ──▸ number of wrong squares ──▸ the best three
//!                                                                      └── setup of the current board: always possible
//! ```
//!
//! Interpretations are shown, never published. The search does not require touched squares, because touches may have
//! been lost. It examines at most [`counts::MAX_COMPARED_POSITIONS`] positions and at most
//! [`work::INTERPRETATION_JUMPS`] jumps.

use draughts::{Move, Position, SquareSet};

use crate::recognition::evidence::Evidence;
use crate::recognition::tuning::{counts, work};

/// Interpretation of an unexplained board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interpretation {
    /// Plies from the published position, possibly none, with some squares wrong.
    Plies {
        /// Plies, at most two, each after its position.
        plies: Vec<(Position, Move)>,
        /// Squares that would still be wrong.
        wrong: SquareSet,
    },
    /// Setup of the current board.
    Setup,
}

impl Interpretation {
    /// Returns the distance from the board: primarily wrong squares, then plies.
    fn mismatch_cost(&self) -> usize {
        match self {
            Interpretation::Plies { plies, wrong } => 4 * wrong.len() + plies.len(),
            Interpretation::Setup => usize::MAX,
        }
    }
}

/// Returns the closest interpretations, best first; the last is always a setup.
pub fn readings(base: &Position, evidence: &Evidence, anomalies: SquareSet) -> Vec<Interpretation> {
    let wrong_in = |position: &Position| evidence.contradictions(position.placement()) - anomalies;
    let mut found: Vec<Interpretation> = Vec::new();
    let mut positions = 0;
    let mut consider = |plies: Vec<(Position, Move)>, wrong: SquareSet| {
        if wrong.len() <= counts::MAX_INTERPRETATION_MISMATCHES {
            found.push(Interpretation::Plies { plies, wrong });
            found.sort_by_key(Interpretation::mismatch_cost);
            found.truncate(counts::MAX_INTERPRETATIONS - 1);
        }
    };
    consider(Vec::new(), wrong_in(base));
    // Replies to the likeliest plies come first, because the limit may end the search.
    let mut firsts: Vec<(SquareSet, Move)> = Vec::new();
    let mut jumps = work::INTERPRETATION_JUMPS;
    let plies = base.legal_moves_bounded(&mut jumps).unwrap_or_default();
    for ply in plies.into_iter().take(counts::MAX_COMPARED_POSITIONS) {
        positions += 1;
        let wrong = wrong_in(&base.play(&ply));
        consider(vec![(*base, ply.clone())], wrong);
        firsts.push((wrong, ply));
    }
    firsts.sort_by_key(|(wrong, _)| wrong.len());
    for (before, first) in firsts {
        let middle = base.play(&first);
        for reply in middle.legal_moves_bounded(&mut jumps).unwrap_or_default() {
            if positions == counts::MAX_COMPARED_POSITIONS {
                found.push(Interpretation::Setup);
                return found;
            }
            positions += 1;
            let wrong = wrong_in(&middle.play(&reply));
            // A reply that corrects no square is no interpretation.
            if wrong.len() < before.len() {
                consider(vec![(*base, first.clone()), (middle, reply)], wrong);
            }
        }
    }
    found.push(Interpretation::Setup);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::millis::Millis;
    use crate::recognition::{Occupancy, SensedPiece};
    use draughts::{Color, Placement, Square, Variant};

    fn sight_of(placement: &Placement) -> Occupancy {
        let mut sight = Occupancy::default();
        for color in Color::BOTH {
            placement
                .pieces_of(color)
                .into_iter()
                .for_each(|square| sight.put(square, Some(SensedPiece { color, is_king: false })));
        }
        sight
    }

    fn check(changes: &[(&str, Option<Color>)], expected: &[(usize, usize)]) {
        let variant = Variant::from_tag("20").unwrap();
        let base = Position::start(variant);
        let mut sight = sight_of(base.placement());
        for (name, color) in changes {
            let square: Square = variant.geometry.square(name).unwrap();
            sight.put(square, color.map(|color| SensedPiece { color, is_king: false }));
        }
        let readings = readings(&base, &Evidence::new(sight, Millis(0)), SquareSet::EMPTY);
        let found: Vec<_> = readings
            .iter()
            .filter_map(|reading| match reading {
                Interpretation::Plies { plies, wrong } => Some((plies.len(), wrong.len())),
                Interpretation::Setup => None,
            })
            .collect();
        assert_eq!(found, expected, "{readings:?}");
        assert!(readings.len() <= counts::MAX_INTERPRETATIONS && readings.last() == Some(&Interpretation::Setup));
    }

    #[test]
    fn extra_piece_leaves_move_as_closest_reading() {
        use Color::{Black, White};
        check(&[("32", None), ("28", Some(White)), ("21", Some(Black))], &[(1, 1), (0, 3)]);
    }

    #[test]
    fn cleared_board_needs_setup() {
        let names: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
        let changes: Vec<_> = names.iter().map(|name| (name.as_str(), None)).collect();
        check(&changes, &[]);
    }

    #[test]
    fn finds_unseen_ply_and_reply() {
        use Color::{Black, White};
        let changes = [("32", None), ("28", Some(White)), ("19", None), ("23", Some(Black)), ("45", None)];
        check(&changes, &[(2, 1), (1, 3)]);
    }
}
