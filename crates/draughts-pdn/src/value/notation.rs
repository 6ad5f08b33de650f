//! The notation of a move.
//!
//! | | written | read |
//! |---|---|---|
//! | quiet | `32-28`, `a3-b4` | any of `-` `x` `X` `:` `×` and dashes between the squares, blanks, leading zeros, `3228`, `a3b4` |
//! | capture | `28x19`; `:` or `-` where the game type wants it | the same |
//! | capture that two legal moves share | `47x38x24x13x36`: every square of the path | the same, or a part of the path that is enough |
//! | the proposal for PDN 3.1 | `47x36 <42,29,14,31>` on request | the same, in any order |
//!
//! The legal moves decide what a text means; where its start and end fit one legal move only, that is the move, whatever
//! the text says in between.
//!
//! Source: PDN 3.0, chapter "PDN Grammars", restrictions 1 to 9 for writing, the reading grammar and what follows it for
//! reading; chapter "PDN 3.1 Proposals".

use std::borrow::Cow;

use draughts::Jump;
use draughts::{Geometry, Move, Position, Square, SquareSet, Variant};

/// The move as PDN writes it in a position: short unless that is ambiguous. `legal` are the position's legal moves.
pub fn write(variant: &Variant, ply: &Move, legal: &[Move]) -> String {
    if is_ambiguous(ply, legal) { write_long(variant, ply) } else { write_short(variant, ply) }
}

/// Does another of the legal moves have the same start and end but take other pieces?
pub fn is_ambiguous(ply: &Move, legal: &[Move]) -> bool {
    let same_ends = |other: &&Move| other.from() == ply.from() && other.to() == ply.to();
    ply.is_capture() && legal.iter().filter(same_ends).any(|other| other.captured() != ply.captured())
}

/// The move with its start and end only.
pub fn write_short(variant: &Variant, ply: &Move) -> String {
    let geometry = &variant.geometry;
    let separator = if ply.is_capture() { variant.capture_separator } else { '-' };
    format!("{}{separator}{}", geometry.name(ply.from()), geometry.name(ply.to()))
}

/// The move with every square of its path.
pub fn write_long(variant: &Variant, ply: &Move) -> String {
    if !ply.is_capture() {
        return write_short(variant, ply);
    }
    let mut text = variant.geometry.name(ply.from()).to_owned();
    for jump in ply.jumps() {
        text.push(variant.capture_separator);
        text.push_str(variant.geometry.name(jump.to));
    }
    text
}

/// The move as proposed for PDN 3.1: short, and where that is ambiguous the captured pieces in their order.
pub fn write_with_captured(variant: &Variant, ply: &Move, legal: &[Move]) -> String {
    let short = write_short(variant, ply);
    if !is_ambiguous(ply, legal) {
        return short;
    }
    let captured: Vec<&str> = ply.jumps().iter().map(|jump| variant.geometry.name(jump.over)).collect();
    format!("{short} <{}>", captured.join(","))
}

/// Why a text is not one of the legal moves.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// Not squares with separators.
    #[error("`{0}` is not a move: expected squares of this board, such as 32-28 or 28x19, in this game's notation")]
    Malformed(String),
    /// No legal move fits.
    #[error("{text} is not legal here; legal are {legal}")]
    Illegal {
        /// What was read.
        text: String,
        /// The legal moves, in PDN.
        legal: String,
    },
    /// More than one legal move fits.
    #[error("{text} is ambiguous here; it may mean {candidates}")]
    Ambiguous {
        /// What was read.
        text: String,
        /// The moves that fit, in long notation.
        candidates: String,
    },
}

/// The legal move that a text means.
///
/// # Errors
///
/// When the text is no move, no legal move, or fits more than one.
///
/// # Examples
///
/// ```
/// use draughts::{Position, Variant};
/// use draughts_pdn::notation;
///
/// let start = Position::start(Variant::international());
/// let ply = notation::read(&start, "3228").unwrap();
/// assert_eq!(notation::write(start.variant(), &ply, &start.legal_moves()), "32-28");
/// assert!(notation::read(&start, "32-23").unwrap_err().to_string().starts_with("32-23 is not legal here; legal are "));
/// ```
pub fn read(position: &Position, text: &str) -> Result<Move, MoveError> {
    read_among(position, &position.legal_moves(), text)
}

/// The same for a caller who has the legal moves of the position at hand.
///
/// # Errors
///
/// As [`read`].
pub fn read_among(position: &Position, legal: &[Move], text: &str) -> Result<Move, MoveError> {
    let variant = position.variant();
    let written = ParsedMove::parse(&variant.geometry, text).ok_or_else(|| MoveError::Malformed(shortened(text)))?;
    let mut fitting = legal.iter().filter(|ply| written.fits_ends(ply));
    match (fitting.next(), fitting.next()) {
        (Some(ply), None) => return Ok(ply.clone()),
        (None, _) => {
            let moves = legal.iter().map(|ply| write(variant, ply, legal));
            return Err(MoveError::Illegal { text: shortened(text), legal: list(moves) });
        }
        (Some(_), Some(_)) => {}
    }
    let fitting: Vec<&Move> = legal.iter().filter(|ply| written.fits_ends(ply)).collect();
    match written.by_path(position, &fitting)[..] {
        [ply] => Ok(ply.clone()),
        _ => {
            let candidates = list(fitting.iter().map(|ply| write_long(variant, ply)));
            Err(MoveError::Ambiguous { text: shortened(text), candidates })
        }
    }
}

/// What a text says about a move.
struct ParsedMove {
    from: Square,
    /// The squares between start and end.
    via: Vec<Square>,
    to: Square,
    /// The captured pieces, where they are listed.
    captured: Option<SquareSet>,
}

impl ParsedMove {
    /// Squares, and perhaps a list of captured pieces; `None` for anything else.
    fn parse(geometry: &Geometry, text: &str) -> Option<ParsedMove> {
        // The longest path visits every square, and its captured pieces as well.
        const LONGEST: usize = 2 * 4 * Square::MAX_COUNT;
        if text.len() > LONGEST {
            return None;
        }
        let (path, captured) = match text.split_once('<') {
            None => (text, None),
            Some((path, list)) => {
                let list = list.trim_end().strip_suffix('>')?;
                let named = |name: &str| parse_square(geometry, name.trim());
                (path, Some(list.split(',').map(named).collect::<Option<SquareSet>>()?))
            }
        };
        let squares = parse_path(geometry, path)?;
        let [from, ref via @ .., to] = squares[..] else { return None };
        Some(ParsedMove { from, via: via.to_vec(), to, captured })
    }

    fn fits_ends(&self, ply: &Move) -> bool {
        let fits_list = self.captured.is_none_or(|captured| captured == ply.captured());
        ply.from() == self.from && ply.to() == self.to && fits_list
    }

    /// Those of several moves that fit best what stands between start and end: first those whose path is just that, then
    /// those whose path has these squares among its own, then those that may come down on them. Nothing between is the whole path
    /// of a single jump, and says nothing about longer ones.
    fn by_path<'m>(&self, position: &Position, fitting: &[&'m Move]) -> Vec<&'m Move> {
        let geometry = &position.variant().geometry;
        let routes = position.capture_routes();
        let is_whole_path = |route: &Move| {
            let legs = landings(geometry, route);
            legs.len() == self.via.len() && legs.iter().zip(&self.via).all(|(leg, square)| leg.contains(square))
        };
        let is_part_of_path = |route: &Move| {
            let named = route.jumps().iter().map(|jump| jump.to);
            !self.via.is_empty() && is_subsequence(&self.via, named)
        };
        let is_passed = |route: &Move| {
            let passed = landings(geometry, route).into_iter().flatten();
            !self.via.is_empty() && is_subsequence(&self.via, passed)
        };
        let degrees: [&dyn Fn(&Move) -> bool; 3] = [&is_whole_path, &is_part_of_path, &is_passed];
        for fits in degrees {
            let has_such_a_route = |ply: &&&Move| routes.iter().any(|route| route == **ply && fits(route));
            let found: Vec<&Move> = fitting.iter().filter(has_such_a_route).copied().collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

/// For each jump but the last, where a path may say that the piece came down: at a turn, there; on a straight line, on any
/// square before the next piece.
fn landings(geometry: &Geometry, route: &Move) -> Vec<Vec<Square>> {
    let leg = |pair: &[Jump]| {
        let [this, next] = pair else { return Vec::new() };
        let way = geometry.direction(this.over, this.to);
        let onward = way.filter(|_| geometry.direction(this.over, next.over) == way);
        let Some(way) = onward else { return vec![this.to] };
        let line = std::iter::successors(Some(this.to), |&at| geometry.next(at, way));
        line.take_while(|&at| at != next.over).collect()
    };
    route.jumps().windows(2).map(leg).collect()
}

fn is_subsequence(part: &[Square], whole: impl IntoIterator<Item = Square>) -> bool {
    let mut whole = whole.into_iter();
    part.iter().all(|&square| whole.any(|other| other == square))
}

/// The squares of a path, two at least.
fn parse_path(geometry: &Geometry, path: &str) -> Option<Vec<Square>> {
    const SEPARATORS: [char; 7] = ['-', '–', '—', 'x', 'X', ':', '×'];
    let mut squares = Vec::new();
    for part in path.split(SEPARATORS) {
        let before = squares.len();
        for word in part.split_whitespace() {
            for name in split_names(word) {
                squares.push(parse_square(geometry, name)?);
            }
        }
        // Two separators in a row, or one at an end.
        if squares.len() == before {
            return None;
        }
    }
    (squares.len() >= 2).then_some(squares)
}

/// The names of squares that stand in a row without a separator: a name begins at each letter; four digits are two
/// numbers.
fn split_names(word: &str) -> impl Iterator<Item = &str> {
    let four_digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if four_digits {
            2
        } else {
            let after = &rest[first.len_utf8()..];
            after.find(|c: char| c.is_alphabetic()).map_or(rest.len(), |at| at + first.len_utf8())
        };
        let (name, after) = rest.split_at(end);
        rest = after;
        Some(name)
    })
}

/// A square by its name, with leading zeros and capital letters.
pub(super) fn parse_square(geometry: &Geometry, name: &str) -> Option<Square> {
    let name: Cow<str> = match name.as_bytes() {
        [b'A'..=b'Z', ..] => name.to_ascii_lowercase().into(),
        _ => name.trim_start_matches('0').into(),
    };
    geometry.square(&name)
}

fn list(moves: impl Iterator<Item = String>) -> String {
    let moves: Vec<String> = moves.collect();
    if moves.is_empty() { "none".to_owned() } else { moves.join(", ") }
}

/// A text for a message: its beginning, if it is very long.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Is this a move as the writing grammar has it: squares without leading zeros, one separator between two?
pub(crate) fn is_move(text: &str) -> bool {
    let mut parts = text.split(['-', 'x', ':']);
    let squares = parts.clone().count();
    let separators = text.bytes().filter(|byte| matches!(byte, b'-' | b'x' | b':'));
    let is_one_kind = {
        let mut kinds: Vec<u8> = separators.collect();
        kinds.dedup();
        kinds.len() == 1
    };
    // `1-1` reads as a result.
    squares >= 2 && is_one_kind && parts.all(is_square) && text != "1-1"
}

/// `42,29,14`: squares.
pub(crate) fn is_list(text: &str) -> bool {
    text.split(',').all(is_square)
}

fn is_square(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'] | [b'a'..=b'l', b'1'..=b'9'] | [b'a'..=b'l', b'1', b'0'..=b'2']
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_moves_of_standard() {
        for text in ["32-28", "1-7", "28x19", "47x38x24x13x36", "a3-b4", "a3:c5:e7", "i8-j7", "24x24"] {
            assert!(is_move(text), "{text}");
        }
        for text in ["", "-", "32", "01-07", "a3b4", "3228", "32x28-19", "A3-B4", "32-", "132-28", "32 - 28"] {
            assert!(!is_move(text), "{text}");
        }
    }
}
