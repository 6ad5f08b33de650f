//! What might have happened, while nothing explains the board: the readings that come closest, for people to choose from.
//!
//! ```text
//!   published position ──▸ no ply, one ply, one ply and a reply ──▸ how many squares would still be wrong? ──▸ the best three
//!                                                                             └── setting up what is seen: always possible
//! ```
//!
//! Nothing here decides anything: a reading is told, never published. The search asks for no touched squares, because in doubt
//! a touch may have been lost; it looks at most at `READ_POSITIONS` positions and tries at most `READ_JUMPS` jumps,
//! whatever the board shows.

use crate::engine::recognition::evidence::Evidence;
use crate::engine::recognition::tuning::{counts, work};
use draughts::{Move, Position, SquareSet};

/// One way to read a board that nothing explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interpretation {
    /// These plies were played from the published position (none: nothing was), and these squares are wrong.
    Plies {
        /// The plies, at most two, with the position each is played in.
        plies: Vec<(Position, Move)>,
        /// The squares that would still be wrong.
        wrong: SquareSet,
    },
    /// What is seen is to be set up.
    Setup,
}

impl Interpretation {
    /// The less, the closer: squares that would be wrong count most, then plies.
    fn mismatch_cost(&self) -> usize {
        match self {
            Interpretation::Plies { plies, wrong } => 4 * wrong.len() + plies.len(),
            Interpretation::Setup => usize::MAX,
        }
    }
}

/// The readings that come closest to what is seen, the closest first; a setup is always the last.
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
    // The replies of the likeliest plies first: the bound may end the search.
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
            // A reply that mends nothing is no reading.
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
    use crate::engine::millis::Millis;
    use crate::engine::recognition::{Occupancy, SensedPiece};
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
        let told: Vec<_> = readings
            .iter()
            .filter_map(|reading| match reading {
                Interpretation::Plies { plies, wrong } => Some((plies.len(), wrong.len())),
                Interpretation::Setup => None,
            })
            .collect();
        assert_eq!(told, expected, "{readings:?}");
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
