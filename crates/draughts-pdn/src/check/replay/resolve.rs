//! Finds the legal move that a text means, in any dialect of squares.

use crate::notation;
use draughts::{Move, Position, Square, Variant};

/// Reason why a text is not a legal move.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Unresolved {
    /// The text names no squares of this board.
    Malformed,
    /// The move is not legal.
    Illegal,
    /// The text fits several moves.
    Ambiguous(Vec<Move>),
}

/// Returns the legal move that a text means. `captured`: the squares that the 3.1 proposal adds.
///
/// # Errors
///
/// Returns [`Unresolved`] if the text is not a move, not a legal one, or fits more than one.
pub fn resolve(position: &Position, text: &str, captured: Option<&str>) -> Result<Move, Unresolved> {
    let variant = position.variant();
    if let (Some((from, to)), None) = (parse_two_squares(variant, text.as_bytes()), captured)
        && let Some(ply) = position.only_move(from, to)
    {
        return Ok(ply);
    }
    let readings = parse_squares(variant, text).ok_or(Unresolved::Malformed)?;
    let legal = position.legal_moves();
    let mut fitting = matching_moves(&legal, &readings);
    if let Some(captured) = captured {
        let squares = captured.split(',').filter_map(|name| parse_square(variant, name)).collect();
        // Ignore captured squares that fit no move.
        if fitting.iter().any(|ply| ply.captured() == squares) {
            fitting.retain(|ply| ply.captured() == squares);
        }
    }
    match fitting[..] {
        [ply] => Ok(ply.clone()),
        [] => Err(Unresolved::Illegal),
        _ => match notation::read_among(position, &legal, text) {
            Ok(ply) => Ok(ply),
            Err(_) => {
                let mut candidates: Vec<Move> = fitting.into_iter().cloned().collect();
                candidates.sort_by_key(|ply| notation::write_long(variant, ply));
                Err(Unresolved::Ambiguous(candidates))
            }
        },
    }
}

/// Whether the move between two positions captured anything.
pub(crate) fn is_capture(before: &Position, after: &Position) -> bool {
    before.placement().pieces_of(after.turn()) != after.placement().pieces_of(after.turn())
}

/// Returns the two squares of a text that names exactly two.
#[inline(always)]
pub(crate) fn parse_two_squares(variant: &Variant, text: &[u8]) -> Option<(Square, Square)> {
    let square_of = |name: &[u8]| variant.geometry.parse_square_bytes(name);
    let ends = match text {
        [a, b, b'-' | b'x' | b':', to @ ..] => (square_of(&[*a, *b]), square_of(to)),
        [a, b'-' | b'x' | b':', to @ ..] => (square_of(&[*a]), square_of(to)),
        _ => (None, None),
    };
    if let (Some(from), Some(to)) = ends { Some((from, to)) } else { parse_two_squares_lenient(variant, text) }
}

/// [`parse_two_squares`] that also accepts leading zeros and capitals.
#[cold]
fn parse_two_squares_lenient(variant: &Variant, text: &[u8]) -> Option<(Square, Square)> {
    let text = std::str::from_utf8(text).ok()?;
    let (from, to) = text.split_once(['-', 'x', ':'])?;
    Some((parse_square(variant, from)?, parse_square(variant, to)?))
}

/// Returns the legal moves whose start and end agree with one of the readings.
fn matching_moves<'m>(legal: &'m [Move], readings: &[Vec<Square>]) -> Vec<&'m Move> {
    let fits =
        |ply: &&Move| readings.iter().any(|path| Some(&ply.from()) == path.first() && Some(&ply.to()) == path.last());
    legal.iter().filter(fits).collect()
}

/// Returns the squares that a move's text names; several readings if separators are missing. Every reading has at least two squares.
pub(super) fn parse_squares(variant: &Variant, text: &str) -> Option<Vec<Vec<Square>>> {
    let parts: Vec<&str> = text.split(['-', 'x', 'X', ':', '×', '–', '−']).collect();
    if parts.len() >= 2 {
        let squares: Option<Vec<Square>> = parts.iter().map(|name| parse_square(variant, name)).collect();
        return squares.map(|path| vec![path]);
    }
    let splits: Vec<Vec<&str>> = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        (1..text.len()).map(|at| vec![&text[..at], &text[at..]]).collect()
    } else {
        vec![split_at_letters(text)]
    };
    let path = |parts: Vec<&str>| parts.iter().map(|name| parse_square(variant, name)).collect::<Option<Vec<Square>>>();
    let readings: Vec<_> = splits.into_iter().filter_map(path).filter(|path| path.len() >= 2).collect();
    (!readings.is_empty()).then_some(readings)
}

/// Splits `a3b4c5` before each letter.
pub(crate) fn split_at_letters(text: &str) -> Vec<&str> {
    let mut cuts: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(at, _)| at).collect();
    cuts.push(text.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// Returns a square by its name, accepting leading zeros and capitals.
fn parse_square(variant: &Variant, name: &str) -> Option<Square> {
    let name = name.trim().trim_start_matches('0');
    match variant.geometry.square(name) {
        None if name.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            variant.geometry.square(&name.to_ascii_lowercase())
        }
        found => found,
    }
}
