//! The notation of a move.
//!
//! | | written | read |
//! |---|---|---|
//! | quiet | `32-28`, `a3-b4` | any of `-` `x` `X` `:` `×` and dashes between the squares, blanks, leading zeros, `3228`, `a3b4` |
//! | capture | `28x19`; `:` or `-` if the game type requires it | as for quiet moves |
//! | capture that two legal moves share | `47x38x24x13x36`: every square of the path | the full path, or a sufficient part of it |
//! | the proposal for PDN 3.1 | `47x36 <42,29,14,31>` on request | the captured squares in any order |
//!
//! The legal moves decide the meaning of a text. If start and end fit only one legal move, the text means that move, regardless of the
//! squares in between.
//!
//! Source: PDN 3.0, chapter "PDN Grammars": restrictions 1 to 9 for writing, the reading grammar and its notes for reading; chapter "PDN
//! 3.1 Proposals".

use std::borrow::Cow;

use draughts::Jump;
use draughts::{Geometry, Move, Position, Square, SquareSet, Variant};

use crate::game::MoveText;

/// Returns the move as PDN writes it in a position: short unless that is ambiguous. `legal` are the position's legal moves.
pub fn write(variant: &Variant, ply: &Move, legal: &[Move]) -> String {
    if is_ambiguous(ply, legal) { write_long(variant, ply) } else { write_short(variant, ply) }
}

/// Returns the move as [`write()`] does, for callers without the legal moves of the position before it.
pub fn write_in(position: &Position, ply: &Move) -> String {
    let variant = position.variant();
    if is_ambiguous_in(position, ply) { write_long(variant, ply) } else { write_short(variant, ply) }
}

/// Whether the move is as [`is_ambiguous`] says, for callers without the legal moves of the position before it.
pub fn is_ambiguous_in(position: &Position, ply: &Move) -> bool {
    let has_own_ends = || position.clone().play_only_move(ply.from(), ply.to());
    ply.is_capture() && !has_own_ends() && is_ambiguous(ply, &position.legal_moves())
}

/// Whether another legal move has the same start and end but captures other pieces.
pub fn is_ambiguous(ply: &Move, legal: &[Move]) -> bool {
    let same_ends = |other: &&Move| other.from() == ply.from() && other.to() == ply.to();
    ply.is_capture() && legal.iter().filter(same_ends).any(|other| other.captured() != ply.captured())
}

/// Returns the move with its start and end only.
pub fn write_short(variant: &Variant, ply: &Move) -> String {
    short_text(variant, (ply.from(), ply.to()), ply.is_capture()).to_string()
}

/// Returns the text of [`write_short`] for a move with these ends.
pub(crate) fn short_text(variant: &Variant, (from, to): (Square, Square), is_capture: bool) -> MoveText {
    let separator = if is_capture { variant.capture_separator } else { '-' };
    let [from, to] = [from, to].map(|square| variant.geometry.name(square));
    MoveText::concat(&[from, separator.encode_utf8(&mut [0; 4]), to])
}

/// Whether a text that names the two ends, with capitals or zeros perhaps, is [`short_text`].
pub(crate) fn is_short(variant: &Variant, (from, to): (Square, Square), is_capture: bool, text: &[u8]) -> bool {
    let separator = if is_capture { variant.capture_separator } else { '-' };
    let [from, to] = [from, to].map(|square| variant.geometry.name(square).as_bytes());
    let is_tight = text.len() == from.len() + 1 + to.len();
    is_tight && (text[0], char::from(text[from.len()]), text[from.len() + 1]) == (from[0], separator, to[0])
}

/// Returns the move with every square of its path.
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

/// Returns the move as proposed for PDN 3.1: short, followed by the captured pieces in their order if the short form is ambiguous.
pub fn write_with_captured(variant: &Variant, ply: &Move, legal: &[Move]) -> String {
    let short = write_short(variant, ply);
    if is_ambiguous(ply, legal) { format!("{short} <{}>", captured_list(variant, ply)) } else { short }
}

/// Returns the captured pieces in their order: `42,29,14`.
pub(crate) fn captured_list(variant: &Variant, ply: &Move) -> String {
    ply.jumps().iter().map(|jump| variant.geometry.name(jump.over)).collect::<Vec<_>>().join(",")
}

/// Reason why a text is not one of the legal moves.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// A text that does not consist of squares with separators.
    #[error("`{0}` is not a move: expected squares of this board, such as 32-28 or 28x19, in this game's notation")]
    Malformed(String),
    /// A move that fits no legal move.
    #[error("{text} is not legal here; legal are {legal}")]
    Illegal {
        /// Text of the move.
        text: String,
        /// Legal moves, in PDN.
        legal: String,
    },
    /// A move that fits more than one legal move.
    #[error("{text} is ambiguous here; it may mean {candidates}")]
    Ambiguous {
        /// Text of the move.
        text: String,
        /// Moves that fit, in long notation.
        candidates: String,
    },
}

/// Returns the legal move that a text means.
///
/// # Errors
///
/// Returns [`MoveError`] if the text is not a move, not a legal move, or fits more than one.
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

/// [`read`] for callers that already have the legal moves of the position.
///
/// # Errors
///
/// Returns errors as [`read`].
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

/// A move as far as its text defines it.
struct ParsedMove {
    from: Square,
    /// Squares between start and end.
    via: Vec<Square>,
    to: Square,
    /// Captured pieces, if the text lists them.
    captured: Option<SquareSet>,
}

impl ParsedMove {
    /// Parses squares and an optional list of captured pieces; `None` for any other text.
    fn parse(geometry: &Geometry, text: &str) -> Option<ParsedMove> {
        // The longest path visits every square, and its captured pieces may be listed as well.
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

    /// Selects the moves that best fit the squares between start and end. First choice: moves whose path has exactly these squares. Second:
    /// moves whose path contains them. Third: moves that may land on them. No squares in between are the complete path of a single jump,
    /// and do not restrict longer captures.
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

/// Returns, for each jump except the last, the squares that a path may name as landing. At a turn this is the square of the turn; on a
/// straight line, any square before the next piece.
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

/// Parses the squares of a path, two at least.
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

/// Splits the names of squares written without a separator: a name begins at each letter, and four digits are two numbers.
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

/// Returns a square by its name, accepting leading zeros and capital letters.
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

/// Returns a text for a message, truncated if it is very long.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Whether this is a move by the writing grammar: squares without leading zeros, one separator between two.
pub(crate) fn is_move(text: &[u8]) -> bool {
    let separator = text.iter().find(|byte| matches!(byte, b'-' | b'x' | b':'));
    // `1-1` reads as a result.
    separator.is_some_and(|separator| are_squares(text, *separator)) && text != b"1-1"
}

/// Whether this is a list of squares, such as `42,29,14`.
pub(crate) fn is_list(text: &str) -> bool {
    are_squares(text.as_bytes(), b',')
}

/// Whether these are names of squares, with this separator between two.
fn are_squares(mut text: &[u8], separator: u8) -> bool {
    loop {
        text = match text {
            [b'1'..=b'9', b'0'..=b'9', rest @ ..] | [b'a'..=b'l', b'1', b'0'..=b'2', rest @ ..] => rest,
            [b'1'..=b'9', rest @ ..] | [b'a'..=b'l', b'1'..=b'9', rest @ ..] => rest,
            _ => return false,
        };
        match text {
            [] => return true,
            [byte, rest @ ..] if *byte == separator => text = rest,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_moves_of_standard() {
        for text in ["32-28", "1-7", "28x19", "47x38x24x13x36", "a3-b4", "a3:c5:e7", "i8-j7", "24x24"] {
            assert!(is_move(text.as_bytes()), "{text}");
        }
        for text in ["", "-", "32", "01-07", "a3b4", "3228", "32x28-19", "A3-B4", "32-", "132-28", "32 - 28"] {
            assert!(!is_move(text.as_bytes()), "{text}");
        }
    }
}
