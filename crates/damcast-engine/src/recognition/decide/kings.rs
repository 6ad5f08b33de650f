//! Determines the position of an occupancy: which of its pieces are kings.
//!
//! | piece | condition for a king |
//! |---|---|
//! | not moved | it was a king; after a gap, its code says king and the codes of this set are reliable |
//! | on the crowning row | always |
//! | arrived on a square only a king can reach | always |
//! | the only one of its colour to arrive, while a king is missing | always |
//! | arrived otherwise | its code says king |

use draughts::{Color, Piece, PieceKind, Placement, Position, Setup, Square, SquareSet, Variant};

use crate::recognition::evidence::{Facts, Occupancy};

/// Returns the position of an occupancy, a number of plies after a known placement. Unmoved pieces keep their kind.
/// Others follow the rules, or after a gap their codes, if those have distinguished kings from men. `None` if it is no
/// position of this game, or has no pieces of one colour: then the board is being cleared, or a hand holds the last one.
pub(super) fn position_from_occupancy(
    facts: &Facts,
    known: &Placement,
    sight: &Occupancy,
    turn: Option<Color>,
    plies: usize,
) -> Option<Position> {
    let variant = facts.published.position().variant();
    let new = sight.differs_from_placement(known);
    let turn = turn.unwrap_or_else(|| {
        let arrived = |color: Color| (sight.squares_of(color) & new).len();
        match arrived(Color::White).cmp(&arrived(Color::Black)) {
            std::cmp::Ordering::Greater => Color::Black,
            std::cmp::Ordering::Less => Color::White,
            std::cmp::Ordering::Equal => facts.published.turn(),
        }
    });
    if Color::BOTH.into_iter().any(|color| sight.squares_of(color).is_empty()) {
        return None;
    }
    let mut placement = Placement::EMPTY;
    for color in Color::BOTH {
        // After a gap the distance that men moved is unknown.
        let steps = if facts.missed_events.has_gap() { usize::MAX } else { plies.div_ceil(2) };
        let moved_kings = kings_that_moved(variant, known, sight, color, steps);
        for square in sight.squares_of(color) {
            let was_king = !new.contains(square) && known.kings().contains(square);
            let moved_king = moved_kings.contains(square);
            let on_crowning_row = variant.geometry.home_row(!color).contains(square);
            let reads_king = sight.kings().contains(square);
            let king = on_crowning_row
                || match facts.evidence.distinguishes_kings() {
                    // After a gap the movements of the pieces are unknown, so only their codes distinguish them.
                    Some(true) if facts.missed_events.has_gap() => reads_king,
                    _ => {
                        was_king
                            || moved_king
                            || (reads_king && (facts.missed_events.has_gap() || new.contains(square)))
                    }
                };
            let kind = if king { PieceKind::King } else { PieceKind::Man };
            placement.put(square, Some(Piece { color, kind }));
        }
    }
    Position::new(variant, Setup { placement, turn }).ok()
}

/// Returns those arrived pieces of a colour that are kings, regardless of their codes.
fn kings_that_moved(variant: &Variant, known: &Placement, sight: &Occupancy, color: Color, steps: usize) -> SquareSet {
    let gone = known.pieces_of(color) - sight.squares_of(color);
    let arrived = sight.squares_of(color) - known.pieces_of(color);
    let gone_kings = gone & known.kings();
    if arrived.len() == 1 && gone_kings.len() == 1 {
        return arrived;
    }
    // A piece that captured may have come from anywhere, as may one whose capture was taken back.
    let took = known.pieces_of(!color) != sight.squares_of(!color);
    if took || steps > variant.geometry.height() {
        return SquareSet::EMPTY;
    }
    // A man that moved backwards was put back.
    let went = |from: Square, to: Square| {
        man_can_reach(variant, color, from, to, steps) || man_can_reach(variant, color, to, from, steps)
    };
    let walked = |to: &Square| (gone - gone_kings).into_iter().any(|from| went(from, *to));
    let beyond: SquareSet = arrived.into_iter().filter(|to| !walked(to)).collect();
    // A man that moved where only a king can has been an unrecognized king.
    let forgotten = gone_kings.is_empty() && gone.len() == arrived.len();
    if forgotten || beyond.len() == gone_kings.len() { beyond } else { SquareSet::EMPTY }
}

/// Whether a man can get from one square to another in this many steps.
fn man_can_reach(variant: &Variant, color: Color, from: Square, to: Square, steps: usize) -> bool {
    let mut reached = SquareSet::from_iter([from]);
    for _ in 0..steps {
        let ways = variant.rules.man_moves.iter().map(|&way| if color == Color::White { way } else { way.reverse() });
        reached = ways.fold(reached, |sum, way| sum | variant.geometry.step(reached, way));
    }
    reached.contains(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognition::evidence::SensedPiece;
    use draughts::Color::{Black, White};

    /// White's pieces before and after, kings marked `K`; returns the squares of the kings after the move.
    #[track_caller]
    fn check(stood: &str, stand: &str, black: [&str; 2], steps: usize, kings: &str) {
        let variant = Variant::from_tag("20").unwrap();
        let square = |name: &str| variant.geometry.square(name).unwrap();
        let mut known = Placement::EMPTY;
        let mut sight = Occupancy::default();
        for name in stood.split_whitespace() {
            let kind = if name.starts_with('K') { PieceKind::King } else { PieceKind::Man };
            known.put(square(name.trim_start_matches('K')), Some(Piece { color: White, kind }));
        }
        for name in stand.split_whitespace() {
            sight.put(square(name), Some(SensedPiece { color: White, is_king: false }));
        }
        for name in black[0].split_whitespace() {
            known.put(square(name), Some(Piece { color: Black, kind: PieceKind::Man }));
        }
        for name in black[1].split_whitespace() {
            sight.put(square(name), Some(SensedPiece { color: Black, is_king: false }));
        }
        let expected: SquareSet = kings.split_whitespace().map(square).collect();
        assert_eq!(kings_that_moved(variant, &known, &sight, White, steps), expected);
    }

    #[test]
    fn king_move_beside_man_is_known_by_reachable_squares() {
        check("K41 29", "5 24", ["", ""], 1, "5");
        check("K41 29", "5", ["", ""], 1, "5");
    }

    #[test]
    fn man_on_unreachable_square_was_king() {
        check("38", "5", ["", ""], 1, "5");
        check("38", "42", ["", ""], 1, "");
        check("38", "47", ["", ""], 1, "47");
        check("38", "33", ["", ""], 1, "");
        check("38", "29", ["", ""], 1, "29");
        check("38", "29", ["", ""], 2, "");
        check("38", "29", ["33", ""], 1, "");
    }
}
