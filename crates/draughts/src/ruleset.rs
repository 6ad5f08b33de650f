//! Rule questions, each a field of [`Ruleset`]; the answers of each game are in the file `variant_table.rs`.
//!
//! Directions are those of White. Not included on purpose: rules that all games share, and the identity of the game.
//!
//! **Rules without a field, because all games share them:** capturing is compulsory; a capture once begun continues until that piece can
//! capture no more; no piece is jumped twice, but an empty square may be crossed again; own pieces are never jumped, nor two pieces one
//! behind the other; the start square of the piece is empty during its own move; a side without a legal move has lost.
//!
//! # Sources
//!
//! Cited in the table and in the articles of draw rules; a number is that of the article or section. If a text was only seen quoted by
//! others, or its numbers could not be read, the mark has no number.
//!
//! | mark | text |
//! |---|---|
//! | PDN | PDN 3.0, chapter "GameType tag": the table, and the drawing of each tag |
//! | FMJD | Fédération Mondiale du Jeu de Dames, Annex 1, rules of international draughts |
//! | FMJD-C | FMJD, brief rules of Czech draughts |
//! | FMJD-64 | FMJD section 64 / IDF, rules of Russian draughts |
//! | WCDF | World Checkers/Draughts Federation, rules of draughts |
//! | FID | Federazione Italiana Dama, regolamento, and "le dieci regole" |
//! | APCA | American Pool Checkers Association, tournament rules |
//! | FPD | Federação Portuguesa de Damas, regras oficiais |
//! | CBD | Confederação Brasileira, as summed up by its players |
//! | TDF | guide of the Turkish federation |
//! | WFD | Wrâldferiening Frysk Damjen, official rules 2011 |
//! | can, tur, thai, span | no official text could be read: published descriptions of the game and the programs that play it |
//! | by custom | no official text, in the words of a draw rule, which an operator reads |
//!
//! # Doubts
//!
//! | question | here | also found |
//! |---|---|---|
//! | Turkish: a man on the last row within a capture | passes as a man | goes on as a king; ends its move ([`RuleChoices`]) |
//! | Thai: captured pieces | leave at once | leave after the move ([`RuleChoices`]) |
//! | Thai: may the king reverse? | yes | no ([`RuleChoices`]) |
//! | Thai: who starts, where is square 1? | as PDN draws it | White; Black's men on 1 to 8 |
//! | Frisian: worth of a king | just under two men | one and a half |
//! | Italian: "the king met earliest" | compared piece by piece | only the first king |
//! | Spanish: quality | counts after quantity, as in Portugal | quantity alone |
//!
//! Each row of the table names the draws left to the arbiter because no text settles them.

use super::geometry::Direction;
use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};

/// The answers to all rule questions.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::ruleset::{KingRange, PromotionInCapture};
///
/// let [english, russian] = ["21", "25"].map(|tag| Variant::from_tag(tag).unwrap().rules);
/// assert_eq!((english.king_range, russian.king_range), (KingRange::Short, KingRange::Flying));
/// assert_eq!(russian.promotion_in_capture, PromotionInCapture::ContinuesAsKing);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ruleset {
    /// Directions in which a white man steps.
    pub man_moves: Directions,
    /// Directions in which a white man captures.
    pub man_captures: Directions,
    /// Directions in which a king steps.
    pub king_moves: Directions,
    /// Directions in which a king captures.
    pub king_captures: Directions,
    /// Range of a king.
    pub king_range: KingRange,
    /// Squares on which a flying king may land.
    pub king_landing: KingLanding,
    /// Whether a man may capture a king.
    pub man_takes_king: bool,
    /// Criteria that compare captures; empty means free choice.
    pub priority: &'static [Criterion],
    /// When captured pieces leave the board.
    pub removal: Removal,
    /// Whether the piece may turn by 180 degrees between two jumps.
    pub reversal: bool,
    /// Rule for a man that reaches the crowning row in the middle of a capture.
    pub promotion_in_capture: PromotionInCapture,
    /// Maximum number of consecutive quiet moves of one king while its side has a man; `None` if unlimited.
    pub same_king_limit: Option<u8>,
}

/// A tournament's choices where authorities differ. `None`: the answer of the table, which most sources give.
///
/// # Examples
///
/// ```
/// use draughts::ruleset::PromotionInCapture;
/// use draughts::{RuleChoices, Variant};
///
/// let choices = RuleChoices { turkish_promotion: Some(PromotionInCapture::ContinuesAsKing), ..RuleChoices::default() };
/// let turkish = Variant::new("30".parse().unwrap(), choices);
/// assert_eq!(turkish.rules.promotion_in_capture, PromotionInCapture::ContinuesAsKing);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct RuleChoices {
    /// Turkish: a man that reaches the last row within a capture passes as a man (most texts and programs), continues as a king, or ends
    /// its move there.
    pub turkish_promotion: Option<PromotionInCapture>,
    /// Thai: captured pieces leave at once (most programs) or after the move.
    pub thai_removal: Option<Removal>,
    /// Thai: whether a king may reverse over the square of the piece it has just captured (most texts and programs: yes). Matters only
    /// where pieces leave at once.
    pub thai_reversal: Option<bool>,
}

/// Directions for White; Black's are turned by 180 degrees.
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

/// The two forward diagonals.
pub const FORWARD: Directions = &[NorthWest, NorthEast];
/// The four diagonals.
pub const DIAGONAL: Directions = &[NorthWest, NorthEast, SouthEast, SouthWest];
/// Straight ahead and sideways.
pub const FORWARD_AND_SIDEWAYS: Directions = &[North, East, West];
/// Along rows and columns.
pub const ORTHOGONAL: Directions = &[North, East, South, West];
/// Diagonals, rows and columns.
pub const ALL_EIGHT: Directions = &Direction::ALL;

/// Range of a king.
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
    /// One step; captures only an adjacent piece.
    Short,
    /// The whole line.
    Flying,
}

/// Squares on which a flying king may land behind the captured piece.
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
    /// Any empty square behind the piece; if the capture can continue from some of them, one of those.
    AnyBehind,
    /// Only the adjacent square behind the piece.
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
/// assert_eq!(Variant::international().rules.removal, Removal::AfterMove);
/// assert_eq!(Variant::from_tag("30").unwrap().rules.removal, Removal::Immediate); // Turkish draughts
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Removal {
    /// When the whole capture is complete; until then they block lines.
    AfterMove,
    /// Each as soon as it is jumped, which opens the lines behind it.
    Immediate,
}

/// Rule for a man that reaches the crowning row by a capture that could continue.
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
    /// It passes as a man and is crowned only if the move ends there.
    AtMoveEnd,
    /// The move ends there and the man is crowned.
    EndsTheMove,
    /// It becomes a king at once and continues as a king.
    ContinuesAsKing,
}

/// A criterion that compares captures. A variant lists criteria in order; each one decides only between captures equal in all earlier ones.
/// Captures equal in all criteria are a free choice.
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
    /// The most captured pieces; kings count as men.
    MostPieces,
    /// The most captured kings.
    MostKings,
    /// A capture by a king before one by a man.
    TakenByKing,
    /// The earliest captured king, compared piece by piece.
    KingsFirst,
    /// The highest value: a king is worth more than a man and just less than two.
    HighestValue,
}
