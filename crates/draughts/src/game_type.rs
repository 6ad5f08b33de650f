//! The value of the PDN tag `GameType`: the game, and how its board is drawn and numbered.
//!
//! `20,W,10,10,N2,0` reads: type 20, White starts, 10 columns, 10 rows, **N**umeric with the first square in corner 2,
//! bottom-left corner played. Source: PDN 3.0, chapter "GameType tag".

use std::fmt;

use super::piece::Color;

/// How squares are named.
///
/// # Examples
///
/// ```
/// use draughts::{GameType, NotationKind};
///
/// let russian = GameType::from_number(25).unwrap();
/// assert_eq!(russian.notation().kind, NotationKind::Algebraic);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NotationKind {
    /// `a3`: a letter for the column, a number for the row.
    Algebraic,
    /// `32`: the number of the playing square.
    Numeric,
}

/// The attribute `A0` .. `N3`: kind of names and corner of the first square.
///
/// # Examples
///
/// ```
/// use draughts::{GameType, Notation, NotationKind, RuleChoices, Variant};
///
/// // English draughts with the squares called as on a chess board.
/// let letters = Notation { kind: NotationKind::Algebraic, from_bottom: true, from_left: true };
/// let game_type = GameType::from_number(21).unwrap().with_notation(letters);
/// assert_eq!(game_type.tag_value(), "21,B,8,8,A0,0");
/// let variant = Variant::new(game_type, RuleChoices::default());
/// assert!(variant.geometry.square("a1").is_some());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Notation {
    /// Letters or numbers.
    pub kind: NotationKind,
    /// Whether the first square (1 or a1) is in the bottom row, seen by the side that starts.
    pub from_bottom: bool,
    /// Whether the first square is in the left column, seen by the side that starts.
    pub from_left: bool,
}

/// All attributes of a `GameType` tag, with defaults filled in. A value exists only for boards on which a draughts game of the standard can
/// be played.
///
/// # Examples
///
/// ```
/// use draughts::GameType;
///
/// let game_type: GameType = "25".parse()?;
/// assert_eq!((game_type.width(), game_type.height()), (8, 8));
/// assert_eq!(game_type.to_string(), "25,W,8,8,A0,0");
/// # Ok::<(), draughts::GameTypeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameType {
    pub(crate) number: u8,
    pub(crate) starter: Color,
    pub(crate) width: u8,
    pub(crate) height: u8,
    pub(crate) notation: Notation,
    pub(crate) inverted: bool,
}

impl GameType {
    /// Returns the number of the game in the standard's table, 20..=41.
    pub const fn number(&self) -> u8 {
        self.number
    }

    /// Returns the side that makes the first move. The attributes below are read with this side at the bottom.
    pub const fn starter(&self) -> Color {
        self.starter
    }

    /// Returns the number of columns, even, 4..=12.
    pub const fn width(&self) -> u8 {
        self.width
    }

    /// Returns the number of rows, even, 4..=12.
    pub const fn height(&self) -> u8 {
        self.height
    }

    /// Returns how squares are named.
    pub const fn notation(&self) -> Notation {
        self.notation
    }

    /// Returns the invert flag: whether the bottom-left corner is *not* a playing square.
    pub const fn is_inverted(&self) -> bool {
        self.inverted
    }

    /// Returns the same board with another notation for its squares.
    #[must_use]
    pub const fn with_notation(self, notation: Notation) -> GameType {
        GameType { notation, ..self }
    }
}

/// Writes all attributes, as in the table of the standard.
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
