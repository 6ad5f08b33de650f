//! Pieces: a colour and a kind.

use std::fmt;
use std::ops::Not;

/// Colour of a player and of that player's pieces. White is at the bottom of every diagram in this crate.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Variant};
///
/// assert_eq!(!Color::White, Color::Black);
/// assert_eq!(Variant::from_tag("21").unwrap().game_type.starter(), Color::Black); // English draughts
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// The light pieces.
    White,
    /// The dark pieces.
    Black,
}

impl Color {
    /// Both colours, White first.
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// Returns the letter of PDN: `W` or `B`.
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'W',
            Color::Black => 'B',
        }
    }

    /// Returns 0 for White, 1 for Black: an index into tables of two.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Color {
    type Output = Color;
    /// Returns the opponent's colour.
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
    }
}

/// Kind of a piece, which decides its moves.
///
/// # Examples
///
/// ```
/// use draughts::{PieceKind, Position, Square, Variant};
///
/// let start = Position::start(Variant::international());
/// assert_eq!(start.placement().get(Square::new(0)).unwrap().kind, PieceKind::Man);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceKind {
    /// An uncrowned piece.
    Man,
    /// A crowned piece.
    King,
}

/// A piece on the board.
///
/// # Examples
///
/// ```
/// use draughts::{Color, PieceKind, Piece, Placement, Square};
///
/// let king = Piece { color: Color::Black, kind: PieceKind::King };
/// let mut placement = Placement::EMPTY;
/// placement.put(Square::new(4), Some(king));
/// assert_eq!(placement.get(Square::new(4)), Some(king));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Owner of the piece.
    pub color: Color,
    /// Man or king.
    pub kind: PieceKind,
}
