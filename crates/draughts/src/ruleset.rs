//! The questions that a rule book answers, each a field of [`Ruleset`]; the answers of each game stand in the file `rows.rs`.
//!
//! Directions are those of White. Absent on purpose: what all games have in common, and which game it is.
//!
//! **In no field, because all games have it in common:** capturing is compulsory; a capture once begun goes on until that
//! piece can take no more; no piece is jumped twice, but an empty square may be crossed again; own pieces are never jumped,
//! nor two pieces one behind the other; the square that the piece started from is empty during its own move; a side
//! without a legal move has lost.
//!
//! # Sources
//!
//! Cited in the rows, and in the articles of draws; a number is that of the article or section. Where a text was only seen
//! as others quote it, or its numbers could not be read, the mark stands alone.
//!
//! | mark | text |
//! |---|---|
//! | PDN | PDN 3.0, chapter "GameType tag": the table, and the drawing of each tag |
//! | FMJD | Fédération Mondiale du Jeu de Dames, Annex 1, rules of international draughts |
//! | FMJD-C | the same, brief rules of Czech draughts |
//! | FMJD-64 | FMJD section 64 / IDF, rules of Russian draughts |
//! | WCDF | World Checkers/Draughts Federation, rules of draughts |
//! | FID | Federazione Italiana Dama, regolamento, and "le dieci regole" |
//! | APCA | American Pool Checkers Association, tournament rules |
//! | FPD | Federação Portuguesa de Damas, regras oficiais |
//! | CBD | Confederação Brasileira, as summed up by its players |
//! | TDF | guide of the Turkish federation |
//! | WFD | Wrâldferiening Frysk Damjen, official rules 2011 |
//! | can, tur, thai, span | no official text could be read: published descriptions of the game and the programs that play it |
//! | by custom | the same, in the words of a draw, which an operator reads |
//!
//! # Doubts
//!
//! | question | here | also found |
//! |---|---|---|
//! | Turkish: a man on the last row within a capture | passes as a man | goes on as a king; ends its move ([`RuleChoices`]) |
//! | Thai: captured pieces | leave at once | leave after the move ([`RuleChoices`]) |
//! | Thai: may the king turn back? | yes | no ([`RuleChoices`]) |
//! | Thai: who starts, where is square 1? | as PDN draws it | White; Black's men on 1 to 8 |
//! | Frisian: worth of a king | just under two men | one and a half |
//! | Italian: "the king met earliest" | compared piece by piece | only the first king |
//! | Spanish: quality | counts after quantity, as in Portugal | quantity alone |
//!
//! Draws that no text settles are named in each row as left to the arbiter.

use super::geometry::Direction;
use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};

/// The answers to every rule question.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::{KingRange, PromotionInCapture};
///
/// let [english, russian] = ["21", "25"].map(|tag| Variant::from_tag(tag).unwrap().rules);
/// assert_eq!((english.king_range, russian.king_range), (KingRange::Short, KingRange::Flying));
/// assert_eq!(russian.promotion_in_capture, PromotionInCapture::GoesOnAsKing);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
///
/// # Examples
///
/// ```
/// use draughts::ruleset::PromotionInCapture;
/// use draughts::{RuleChoices, Variant};
///
/// let choices = RuleChoices { turkish_promotion: Some(PromotionInCapture::GoesOnAsKing), ..RuleChoices::default() };
/// let turkish = Variant::new("30".parse().unwrap(), choices);
/// assert_eq!(turkish.rules.promotion_in_capture, PromotionInCapture::GoesOnAsKing);
/// ```
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
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::{ALL_EIGHT, FORWARD};
///
/// let frisian = Variant::from_tag("40").unwrap().rules;
/// assert_eq!((frisian.man_moves, frisian.man_captures), (FORWARD, ALL_EIGHT));
/// ```
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
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::KingRange;
///
/// let short: Vec<&str> =
///     Variant::all().filter(|variant| variant.rules.king_range == KingRange::Short).map(|variant| variant.name).collect();
/// assert_eq!(short, ["English draughts", "Italian draughts"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KingRange {
    /// One step, and a capture from the square next to the piece.
    Short,
    /// Along the whole line.
    Flying,
}

/// Where a flying king may come down behind the piece it takes.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::KingLanding;
///
/// assert_eq!(Variant::from_tag("31").unwrap().rules.king_landing, KingLanding::DirectlyBehind); // Thai draughts
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KingLanding {
    /// On any empty square behind it, but where one lets the capture go on, on such a one.
    AnyBehind,
    /// Only on the square next to it.
    DirectlyBehind,
}

/// When captured pieces leave the board.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::Removal;
///
/// assert_eq!(Variant::international().rules.removal, Removal::AfterTheMove);
/// assert_eq!(Variant::from_tag("30").unwrap().rules.removal, Removal::AtOnce); // Turkish draughts
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Removal {
    /// When the whole capture is done; until then they stand in the way.
    AfterMove,
    /// Each as soon as it is jumped; the lines behind it open.
    Immediate,
}

/// What becomes of a man that reaches the crowning row by a capture that could go on.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::PromotionInCapture;
///
/// assert_eq!(Variant::from_tag("21").unwrap().rules.promotion_in_capture, PromotionInCapture::EndsTheMove);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum PromotionInCapture {
    /// It passes as a man and is crowned only where the move ends.
    AtMoveEnd,
    /// The move ends there and the man is crowned.
    EndsTheMove,
    /// It becomes a king at once and goes on as a king.
    ContinuesAsKing,
}

/// One thing that captures are compared by. A variant lists them in order; a later one decides only between captures that
/// are equal in all earlier ones, and captures that are equal in all are free to choose from.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::Criterion;
///
/// assert_eq!(Variant::international().rules.priority, [Criterion::MostPieces]);
/// assert_eq!(Variant::from_tag("25").unwrap().rules.priority, []); // Russian draughts: free choice
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
