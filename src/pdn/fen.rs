//! The FEN of draughts: `W:W31,32,K40:B1,2`.
//!
//! | strict in writing | liberal in reading |
//! |---|---|
//! | White's pieces first, each square on its own, kings with `K` | either colour first, ranges `31-50`, a `K` before a range |
//! | an empty side is a letter alone: `W:W:B1,2` | a side left out, blanks, a dot at the end, lower case, commas missing before `K` |
//!
//! Source: PDN 3.0, chapter "FEN tag", with its corrections.

use super::notation::shortened;
use crate::rules::{Color, Kind, Piece, Placement, Setup, Square, Variant};

/// The FEN of a setup; squares in the order of their names.
pub fn write(variant: &Variant, setup: &Setup) -> String {
    let side = |color: Color| {
        let squares = variant.geometry.in_name_order(setup.placement.of(color));
        let piece = |square: &Square| {
            let crown = if setup.placement.kings().contains(*square) { "K" } else { "" };
            format!("{crown}{}", variant.geometry.name(*square))
        };
        squares.iter().map(piece).collect::<Vec<_>>().join(",")
    };
    format!("{}:W{}:B{}", setup.turn.letter(), side(Color::White), side(Color::Black))
}

/// Why a text is not the FEN of a position on this board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("FEN `{text}`, at `{at}`: {why}")]
pub struct FenError {
    /// The whole text, shortened if it is very long.
    pub text: String,
    /// The part that is wrong.
    pub at: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Reads a FEN liberally.
///
/// # Errors
///
/// When the side to move is missing or unknown, a square does not exist on this board, or a square is named twice.
pub fn read(variant: &Variant, text: &str) -> Result<Setup, FenError> {
    let error = |at: &str, why| FenError { text: shortened(text), at: shortened(at), why };
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut parts = compact.trim_end_matches('.').split(':');
    let turn = match parts.next() {
        Some("W" | "w") => Color::White,
        Some("B" | "b") => Color::Black,
        _ => return Err(error(&compact, "expected the side to move first, W or B")),
    };
    let mut placement = Placement::EMPTY;
    for part in parts.filter(|part| !part.is_empty()) {
        let color = match part.as_bytes()[0] {
            b'W' | b'w' => Color::White,
            b'B' | b'b' => Color::Black,
            _ => return Err(error(part, "expected W or B before the squares of a side")),
        };
        for item in items(&part[1..]) {
            let (kind, squares) = match item.strip_prefix(['K', 'k']) {
                Some(rest) => (Kind::King, rest),
                None => (Kind::Man, item),
            };
            for square in squares_of(variant, squares).ok_or_else(|| error(item, "no such square on this board"))? {
                if placement.color(square).is_some() {
                    return Err(error(item, "a square is named twice"));
                }
                placement.put(square, Some(Piece { color, kind }));
            }
        }
    }
    Ok(Setup { placement, turn })
}

/// The items of a side: at commas, and before each `K`.
fn items(side: &str) -> impl Iterator<Item = &str> {
    let mut rest = side;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(',');
        let first = rest.chars().next()?;
        let end = rest[first.len_utf8()..].find([',', 'K', 'k']).map_or(rest.len(), |at| at + first.len_utf8());
        let (item, after) = rest.split_at(end);
        rest = after;
        Some(item)
    })
}

/// One square, or a range of numbers.
fn squares_of(variant: &Variant, text: &str) -> Option<Vec<Square>> {
    let named = |name: &str| variant.geometry.square(name.trim_start_matches('0'));
    let Some((first, last)) = text.split_once('-') else { return Some(vec![named(text)?]) };
    named(first)?;
    named(last)?;
    let (first, last): (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
    (first..=last).map(|number| named(&number.to_string())).collect()
}
