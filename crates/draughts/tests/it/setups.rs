//! Reads the FENs of these tests without depending on the notation library.

use draughts::{Color, Piece, PieceKind, Placement, Setup, Square, Variant};

/// Parses `W:WK46,35:B1-20`; `None` if a square is not on the board.
pub fn read(variant: &Variant, text: &str) -> Option<Setup> {
    let color = |letter: &str| Color::BOTH.into_iter().find(|color| letter == color.letter().to_string());
    let mut parts = text.split(':');
    let turn = color(parts.next()?)?;
    let mut placement = Placement::EMPTY;
    for part in parts {
        let (letter, list) = part.split_at(1);
        for squares in list.split(',').filter(|squares| !squares.is_empty()) {
            let man = squares.trim_start_matches('K');
            let kind = if man.len() < squares.len() { PieceKind::King } else { PieceKind::Man };
            for square in range(variant, man)? {
                placement.put(square, Some(Piece { color: color(letter)?, kind }));
            }
        }
    }
    Some(Setup { placement, turn })
}

/// Parses `46`, or the range `1-20`.
fn range(variant: &Variant, text: &str) -> Option<Vec<Square>> {
    let Some((first, last)) = text.split_once('-') else { return Some(vec![variant.geometry.square(text)?]) };
    let numbers = first.parse::<u8>().ok()?..=last.parse().ok()?;
    numbers.map(|number| variant.geometry.square(&number.to_string())).collect()
}
