//! The legal move that a text means, in whatever dialect its squares are written.

use crate::notation;
use draughts::{Move, Position, Square, Variant};

/// Why a text is not a legal move.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Unresolved {
    /// It names no squares of this board.
    Malformed,
    /// It is no legal move.
    Illegal,
    /// It fits all of these.
    Ambiguous(Vec<Move>),
}

/// The legal move that a text means. `captured`: the squares that the 3.1 proposal adds.
///
/// # Errors
///
/// When the text is no move, not a legal one, or more than one.
pub fn resolve(position: &Position, text: &str, captured: Option<&str>) -> Result<Move, Unresolved> {
    let variant = position.variant();
    if let (Some((from, to)), None) = (parse_two_squares(variant, text), captured)
        && let Some(ply) = position.only_move(from, to)
    {
        return Ok(ply);
    }
    let readings = parse_squares(variant, text).ok_or(Unresolved::Malformed)?;
    let legal = position.legal_moves();
    let mut fitting = matching_moves(&legal, &readings);
    if let Some(captured) = captured {
        let squares = captured.split(',').filter_map(|name| parse_square(variant, name)).collect();
        // Squares that fit no move tell nothing.
        if fitting.iter().any(|ply| ply.captured() == squares) {
            fitting.retain(|ply| ply.captured() == squares);
        }
    }
    match fitting[..] {
        [ply] => Ok(ply.clone()),
        [] => Err(Unresolved::Illegal),
        _ => match notation::read(position, text) {
            Ok(ply) => Ok(ply),
            Err(_) => {
                let mut candidates: Vec<Move> = fitting.into_iter().cloned().collect();
                candidates.sort_by_key(|ply| notation::write_long(variant, ply));
                Err(Unresolved::Ambiguous(candidates))
            }
        },
    }
}

/// The squares of a text that names two of them.
#[inline(always)]
pub(crate) fn parse_two_squares(variant: &Variant, text: &str) -> Option<(Square, Square)> {
    let square_of = |name: &[u8]| variant.geometry.parse_square_bytes(name);
    let ends = match text.as_bytes() {
        [a, b, b'-' | b'x' | b':', to @ ..] => (square_of(&[*a, *b]), square_of(to)),
        [a, b'-' | b'x' | b':', to @ ..] => (square_of(&[*a]), square_of(to)),
        _ => (None, None),
    };
    if let (Some(from), Some(to)) = ends { Some((from, to)) } else { parse_two_squares_lenient(variant, text) }
}

/// The same with leading zeros and capitals.
#[cold]
fn parse_two_squares_lenient(variant: &Variant, text: &str) -> Option<(Square, Square)> {
    let (from, to) = text.split_once(['-', 'x', ':'])?;
    Some((parse_square(variant, from)?, parse_square(variant, to)?))
}

/// The legal moves that begin and end as one of the readings says.
fn matching_moves<'m>(legal: &'m [Move], readings: &[Vec<Square>]) -> Vec<&'m Move> {
    let fits =
        |ply: &&Move| readings.iter().any(|path| Some(&ply.from()) == path.first() && Some(&ply.to()) == path.last());
    legal.iter().filter(fits).collect()
}

/// The squares that a move's text names; several readings if the separators are missing. Every reading has two squares
/// or more.
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

/// `a3b4c5` cut before each letter.
pub(crate) fn split_at_letters(text: &str) -> Vec<&str> {
    let mut cuts: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(at, _)| at).collect();
    cuts.push(text.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// A square by its name, leading zeros and capitals allowed.
fn parse_square(variant: &Variant, name: &str) -> Option<Square> {
    let name = name.trim().trim_start_matches('0');
    match variant.geometry.square(name) {
        None if name.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            variant.geometry.square(&name.to_ascii_lowercase())
        }
        found => found,
    }
}
