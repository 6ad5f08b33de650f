//! The questions that a rule book answers, each a field of [`Ruleset`]; the answers stand in [`super::variant`].
//!
//! Directions are those of White. Absent on purpose: what all games have in common, and which game it is.

use super::geometry::Direction;
use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};

/// The answers to every rule question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ruleset {
    /// Where a white man steps.
    pub man_moves: Directions,
    /// Where a white man captures.
    pub man_captures: Directions,
    /// Where a king steps.
    pub king_moves: Directions,
    /// Where a king captures.
    pub king_captures: Directions,
    /// How far a king reaches.
    pub king_range: KingRange,
    /// Where a flying king lands.
    pub king_landing: KingLanding,
    /// May a man capture a king?
    pub man_takes_king: bool,
    /// How captures are compared; empty: free choice.
    pub priority: &'static [Criterion],
    /// When captured pieces leave.
    pub removal: Removal,
    /// May the piece turn round by 180 degrees between two jumps?
    pub reversal: bool,
    /// A man on the crowning row in the middle of a capture.
    pub promotion_in_capture: PromotionInCapture,
    /// How many times in a row a side that has a man may move the same king without capturing.
    pub same_king_limit: Option<u8>,
}

/// The rules on which authorities differ, as a tournament has chosen them. `None`: the row's own answer, which is what
/// most of the sources say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct RuleChoices {
    /// Turkish: a man that reaches the last row within a capture passes as a man (most texts and programs), goes on as
    /// a king, or ends its move there.
    pub turkish_promotion: Option<PromotionInCapture>,
    /// Thai: captured pieces leave at once (most programs), or after the move.
    pub thai_removal: Option<Removal>,
    /// Thai: a king may turn back over the square of the piece it has just taken (most texts and programs), or not. It
    /// can only do so where pieces leave at once.
    pub thai_reversal: Option<bool>,
}

/// Directions for White; Black's are the same turned round.
pub type Directions = &'static [Direction];

/// The two diagonals ahead.
pub const FORWARD: Directions = &[NorthWest, NorthEast];
/// The four diagonals.
pub const DIAGONAL: Directions = &[NorthWest, NorthEast, SouthEast, SouthWest];
/// Straight ahead and to both sides.
pub const FORWARD_AND_SIDEWAYS: Directions = &[North, East, West];
/// Along rows and columns.
pub const ORTHOGONAL: Directions = &[North, East, South, West];
/// Diagonals, rows and columns.
pub const ALL_EIGHT: Directions = &Direction::ALL;

/// How far a king moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingRange {
    /// One step, and a capture from the square next to the piece.
    Short,
    /// Along the whole line.
    Flying,
}

/// Where a flying king may come down behind the piece it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingLanding {
    /// On any empty square behind it, but where one lets the capture go on, on such a one.
    AnyBehind,
    /// Only on the square next to it.
    DirectlyBehind,
}

/// When captured pieces leave the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Removal {
    /// When the whole capture is done; until then they stand in the way.
    AfterTheMove,
    /// Each as soon as it is jumped; the lines behind it open.
    AtOnce,
}

/// What becomes of a man that reaches the crowning row by a capture that could go on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PromotionInCapture {
    /// It passes as a man and is crowned only where the move ends.
    WhereTheMoveEnds,
    /// The move ends there and the man is crowned.
    EndsTheMove,
    /// It becomes a king at once and goes on as a king.
    GoesOnAsKing,
}

/// One thing that captures are compared by. A variant lists them in order; a later one decides only between captures that
/// are equal in all earlier ones, and captures that are equal in all are free to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// The more pieces, the better; kings count as men.
    MostPieces,
    /// The more kings among the pieces taken, the better.
    MostKings,
    /// A king that takes goes before a man that takes.
    TakenByKing,
    /// The earlier a king is taken, the better, capture by capture.
    KingsFirst,
    /// The higher the value, the better: a king is worth more than a man and just less than two.
    HighestValue,
}
