//! The FEN of draughts: `W:W31,32,K40:B1,2`.
//!
//! | strict in writing | liberal in reading |
//! |---|---|
//! | White's pieces first, each square on its own, kings with `K` | either colour first, ranges `31-50` and `K46-50` |
//! | an empty side is only a letter: `W:W:B1,2` | a missing side; nothing at all (`B::`), which is a null move |
//! | the notation of the game type | numbers on a board with letters (1 at White's top left), letters on a board with numbers |
//! | | blanks, blanks for commas, commas missing before `K`, lower case, leading zeros, a dot at the end |
//! | | `?` for an unknown colour or turn ([`Fen`]); counters appended by servers (`:H0:F1`), which are skipped |
//!
//! Source: PDN 3.0, chapter "FEN tag", with its corrections; for `B::`, chapter "PDN Extensions".

use super::notation::{self, shortened};
use draughts::{Color, Geometry, NotationKind, Piece, PieceKind, Placement, Setup, Square, SquareSet, Variant};

/// Returns the FEN of a setup, with squares in the order of their names.
///
/// # Examples
///
/// ```
/// use draughts::{Position, Variant};
/// use draughts_pdn::fen;
///
/// let russian = Variant::from_tag("25").unwrap();
/// let setup = fen::read(russian, "W:Wc3,Ke1:Bb6").unwrap();
/// assert_eq!(fen::write(russian, &setup), "W:Wc3,Ke1:Bb6");
/// assert_eq!(Position::new(russian, setup).unwrap().legal_moves().len(), 6);
/// ```
pub fn write(variant: &Variant, setup: &Setup) -> String {
    write_with_turn(variant, &setup.placement, Some(setup.turn))
}

/// Returns the FEN of pieces; an unknown side to move is written as `?`.
pub fn write_with_turn(variant: &Variant, placement: &Placement, turn: Option<Color>) -> String {
    let side = |color: Color| side(variant, placement.pieces_of(color), placement.kings());
    let turn = turn.map_or('?', Color::letter);
    format!("{turn}:W{}:B{}", side(Color::White), side(Color::Black))
}

/// Returns the FEN of everything in `fen`, pieces of unknown colour last.
pub fn write_any(variant: &Variant, fen: &Fen) -> String {
    let known = write_with_turn(variant, &fen.placement, fen.turn);
    if fen.unknown.is_empty() {
        return known;
    }
    format!("{known}:?{}", side(variant, fen.unknown, fen.unknown_kings))
}

/// Returns the squares of a side, in the order of their names.
fn side(variant: &Variant, pieces: SquareSet, kings: SquareSet) -> String {
    let piece = |square: &Square| {
        let crown = if kings.contains(*square) { "K" } else { "" };
        format!("{crown}{}", variant.geometry.name(*square))
    };
    variant.geometry.sorted_by_name(pieces).iter().map(piece).collect::<Vec<_>>().join(",")
}

/// Full content of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fen {
    /// Side to move; `None` for `?`.
    pub turn: Option<Color>,
    /// Pieces of known colour.
    pub placement: Placement,
    /// Pieces of unknown colour, men and kings.
    pub unknown: SquareSet,
    /// Kings among the pieces of unknown colour.
    pub unknown_kings: SquareSet,
    /// Whether the text names no colour and no pieces, but only the side to move: a null move.
    pub is_null_move: bool,
}

/// Reason why a text is not the FEN of a position on this board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("FEN `{text}`, at `{at}`: {reason}")]
#[non_exhaustive]
pub struct FenError {
    /// The whole text, shortened if it is very long.
    pub text: String,
    /// Invalid part of the text.
    pub at: String,
    /// Reason.
    pub reason: &'static str,
}

/// Parses a complete FEN, with side to move and the colour of each piece. A null move is read as an empty board; callers that may meet one
/// use [`read_any`].
///
/// # Errors
///
/// Returns [`FenError`] if the text is not a FEN, a square does not exist on this board or occurs twice, or a colour is unknown.
pub fn read(variant: &Variant, text: &str) -> Result<Setup, FenError> {
    let fen = read_any(variant, text)?;
    let unknown = |reason| FenError { text: shortened(text), at: "?".to_owned(), reason };
    let turn = fen.turn.ok_or_else(|| unknown("the side to move is not known"))?;
    if !fen.unknown.is_empty() {
        return Err(unknown("the colour of a piece is not known"));
    }
    Ok(Setup { placement: fen.placement, turn })
}

/// Parses a FEN that may leave colours unknown.
///
/// # Errors
///
/// Returns [`FenError`] if the text is not a FEN, or a square does not exist on this board or occurs twice.
pub fn read_any(variant: &Variant, text: &str) -> Result<Fen, FenError> {
    // Each square of the largest board may have its own colour, crown, comma and blanks.
    const MAX_QUOTE_LEN: usize = 10 * Square::MAX_COUNT;
    let error = |at: &str, reason| FenError { text: shortened(text), at: shortened(at), reason };
    if text.len() > MAX_QUOTE_LEN {
        return Err(error("its end", "longer than a FEN can be"));
    }
    let mut parts = text.trim().trim_end_matches('.').split(':').map(str::trim);
    let turn = match parts.next() {
        Some("W" | "w") => Some(Color::White),
        Some("B" | "b") => Some(Color::Black),
        Some("?") => None,
        other => return Err(error(other.unwrap_or(""), "expected the side to move first: W, B or ?")),
    };
    let mut fen = Fen {
        turn,
        placement: Placement::EMPTY,
        unknown: SquareSet::EMPTY,
        unknown_kings: SquareSet::EMPTY,
        is_null_move: true,
    };
    for part in parts.filter(|part| !part.is_empty() && !is_counter(part)) {
        let color = match part.as_bytes()[0] {
            b'W' | b'w' => Some(Color::White),
            b'B' | b'b' => Some(Color::Black),
            b'?' => None,
            _ => return Err(error(part, "expected W, B or ? before the squares of a side")),
        };
        fen.is_null_move = false;
        let mut rest = &part[1..];
        while let Some((item, after)) = next_item(variant, rest).map_err(|reason| error(rest, reason))? {
            for square in item.squares {
                if fen.placement.color(square).is_some() || fen.unknown.contains(square) {
                    return Err(error(rest, "a square is named twice"));
                }
                fen.put(square, color, item.kind);
            }
            rest = after;
        }
    }
    Ok(fen)
}

impl Fen {
    fn put(&mut self, square: Square, color: Option<Color>, kind: PieceKind) {
        match color {
            Some(color) => self.placement.put(square, Some(Piece { color, kind })),
            None => {
                self.unknown.insert(square);
                if kind == PieceKind::King {
                    self.unknown_kings.insert(square);
                }
            }
        }
    }
}

/// Whether the part is a counter as appended by lidraughts: `H0` half moves, `F1` the move number, `+0+0` moves of a king.
fn is_counter(part: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match part.split_at_checked(1) {
        Some(("H" | "F", number)) => digits(number),
        Some(("+", numbers)) => numbers.split('+').all(digits),
        _ => false,
    }
}

/// One square, or a range of numbers, with or without a crown.
struct Item {
    kind: PieceKind,
    squares: Vec<Square>,
}

/// Returns the first item in the squares of a side, and the remaining text.
fn next_item<'t>(variant: &Variant, side: &'t str) -> Result<Option<(Item, &'t str)>, &'static str> {
    const NO_SUCH_SQUARE: &str = "no such square on this board";
    let geometry = &variant.geometry;
    let side = side.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    if side.is_empty() {
        return Ok(None);
    }
    let (kind, rest) = strip_crown(geometry, side);
    let (first, rest) = split_name(rest);
    let square = parse_square(variant, first).ok_or(NO_SUCH_SQUARE)?;
    let Some(rest) = rest.trim_start().strip_prefix('-') else {
        return Ok(Some((Item { kind, squares: vec![square] }, rest)));
    };
    let (last, rest) = split_name(strip_crown(geometry, rest).1);
    parse_square(variant, last).ok_or(NO_SUCH_SQUARE)?;
    let (Ok(first), Ok(last)) = (first.parse::<u8>(), last.parse::<u8>()) else {
        return Err("only numbers make a range");
    };
    if first > last {
        return Err("a range that runs backwards");
    }
    let squares = (first..=last).map(|number| parse_square(variant, &number.to_string())).collect::<Option<Vec<_>>>();
    Ok(Some((Item { kind, squares: squares.ok_or(NO_SUCH_SQUARE)? }, rest)))
}

/// Removes a `K` before a square; returns the kind of piece and the remaining text. A small `k` is also the letter of a file on wide
/// boards.
fn strip_crown<'t>(geometry: &Geometry, text: &'t str) -> (PieceKind, &'t str) {
    let text = text.trim_start();
    let is_file = text.starts_with('k') && geometry.square(split_name(text).0).is_some();
    match text.strip_prefix(['K', 'k']) {
        Some(rest) if !is_file => (PieceKind::King, rest.trim_start()),
        _ => (PieceKind::Man, text),
    }
}

/// Splits off the name of a square: digits with or without a letter before them.
fn split_name(text: &str) -> (&str, &str) {
    let letter = usize::from(text.starts_with(|c: char| c.is_ascii_alphabetic()));
    let digits = text[letter..].bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(letter + digits)
}

/// Returns the square with this name, in the notation of the game type or else in the other notation as most programs use it.
fn parse_square(variant: &Variant, name: &str) -> Option<Square> {
    let geometry = &variant.geometry;
    if let Some(square) = notation::parse_square(geometry, name) {
        return Some(square);
    }
    match variant.game_type.notation().kind {
        // Numbers in reading order, 1 at White's top left.
        NotationKind::Algebraic => {
            let index = name.parse::<u8>().ok()?.checked_sub(1)?;
            (usize::from(index) < geometry.count()).then(|| Square::new(index))
        }
        // Letters from White's left, ranks from White's side. Where Black starts, some programs turn the board: do not guess.
        NotationKind::Numeric if variant.game_type.starter() == Color::White => {
            let (file, rank) = name.split_at_checked(1)?;
            let column = file.to_ascii_lowercase().bytes().next()?.checked_sub(b'a')?;
            let row = geometry.height().checked_sub(rank.parse().ok()?)?;
            geometry.square_at(row, usize::from(column))
        }
        NotationKind::Numeric => None,
    }
}
