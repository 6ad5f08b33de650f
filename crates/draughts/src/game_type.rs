//! The value of the PDN tag `GameType`: which game, and how its board is drawn and numbered.
//!
//! `20,W,10,10,N2,0` reads: type 20, White starts, 10 columns, 10 rows, **N**umeric with the first square in corner 2,
//! bottom-left corner played. Source: PDN 3.0, chapter "GameType tag".

use std::fmt;

use super::piece::Color;

/// How squares are called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NotationKind {
    /// `a3`: a letter along the row, a digit for the row.
    Algebraic,
    /// `32`: playing squares are counted.
    Numeric,
}

/// The attribute `A0` .. `N3`: kind and first square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Notation {
    /// Letters or numbers.
    pub kind: NotationKind,
    /// Is the first square (1 or a1) in the bottom row, seen by the side that starts?
    pub from_bottom: bool,
    /// Is the first square in the left column, seen by the side that starts?
    pub from_left: bool,
}

/// All attributes of a `GameType` tag, the optional ones filled in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameType {
    /// The number of the game in the standard's table, 20..=41.
    pub number: u8,
    /// Who makes the first move; this side sits at the bottom when the attributes below are read.
    pub starter: Color,
    /// Columns, even, 4..=12.
    pub width: u8,
    /// Rows, 4..=12.
    pub height: u8,
    /// How squares are called.
    pub notation: Notation,
    /// The invert flag: is the bottom-left corner *not* a playing square?
    pub inverted: bool,
}

/// All attributes, as in the table of the standard.
impl fmt::Display for GameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Notation { kind, from_bottom, from_left } = self.notation;
        let letter = if kind == NotationKind::Algebraic { 'A' } else { 'N' };
        let corner = u8::from(!from_left) + if from_bottom { 0 } else { 2 };
        let inverted = u8::from(self.inverted);
        write!(
            f,
            "{},{},{},{},{letter}{corner},{inverted}",
            self.number,
            self.starter.letter(),
            self.width,
            self.height
        )
    }
}
