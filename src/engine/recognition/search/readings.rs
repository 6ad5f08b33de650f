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
use crate::engine::recognition::measures::{counts, work};
use draughts::{Move, Position, SquareSet};

/// One way to read a board that nothing explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
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

impl Reading {
    /// The less, the closer: squares that would be wrong count most, then plies.
    fn distance(&self) -> usize {
        match self {
            Reading::Plies { plies, wrong } => 4 * wrong.len() + plies.len(),
            Reading::Setup => usize::MAX,
        }
    }
}

/// The readings that come closest to what is seen, the closest first; a setup is always the last.
pub fn readings(base: &Position, evidence: &Evidence, anomalies: SquareSet) -> Vec<Reading> {
    let wrong_in = |position: &Position| evidence.contradictions(position.placement()) - anomalies;
    let mut found: Vec<Reading> = Vec::new();
    let mut positions = 0;
    let mut consider = |plies: Vec<(Position, Move)>, wrong: SquareSet| {
        if wrong.len() <= counts::READ_WRONG {
            found.push(Reading::Plies { plies, wrong });
            found.sort_by_key(Reading::distance);
            found.truncate(counts::MOST_READINGS - 1);
        }
    };
    consider(Vec::new(), wrong_in(base));
    // The replies of the likeliest plies first: the bound may end the search.
    let mut firsts: Vec<(SquareSet, Move)> = Vec::new();
    let mut jumps = work::READ_JUMPS;
    let plies = base.legal_moves_within(&mut jumps).unwrap_or_default();
    for ply in plies.into_iter().take(counts::READ_POSITIONS) {
        positions += 1;
        let wrong = wrong_in(&base.play(&ply));
        consider(vec![(*base, ply.clone())], wrong);
        firsts.push((wrong, ply));
    }
    firsts.sort_by_key(|(wrong, _)| wrong.len());
    for (before, first) in firsts {
        let middle = base.play(&first);
        for reply in middle.legal_moves_within(&mut jumps).unwrap_or_default() {
            if positions == counts::READ_POSITIONS {
                found.push(Reading::Setup);
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
    found.push(Reading::Setup);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::millis::Millis;
    use crate::engine::recognition::{Seen, Sight};
    use draughts::{Color, Placement, Square, Variant};

    fn sight_of(placement: &Placement) -> Sight {
        let mut sight = Sight::default();
        for color in Color::BOTH {
            placement.of(color).into_iter().for_each(|square| sight.put(square, Some(Seen { color, crowned: false })));
        }
        sight
    }

    fn check(changes: &[(&str, Option<Color>)], expected: &[(usize, usize)]) {
        let variant = Variant::from_tag("20").unwrap();
        let base = Position::start(variant);
        let mut sight = sight_of(base.placement());
        for (name, color) in changes {
            let square: Square = variant.geometry.square(name).unwrap();
            sight.put(square, color.map(|color| Seen { color, crowned: false }));
        }
        let readings = readings(&base, &Evidence::new(sight, Millis(0)), SquareSet::EMPTY);
        let told: Vec<_> = readings
            .iter()
            .filter_map(|reading| match reading {
                Reading::Plies { plies, wrong } => Some((plies.len(), wrong.len())),
                Reading::Setup => None,
            })
            .collect();
        assert_eq!(told, expected, "{readings:?}");
        assert!(readings.len() <= counts::MOST_READINGS && readings.last() == Some(&Reading::Setup));
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
