//! Every game of the standard, as rows of a table.
//!
//! A [`Row`] is a page of the rule book: each rule question is a field, each answer a constant with the article it comes
//! from. The generator ([`super::movegen`]) reads fields and never asks which variant it plays. To add a variant: one row
//! here, one file of counts in `tests/data/perft`.
//!
//! What all variants have in common stands in no field: capturing is compulsory; a capture once begun goes on until that
//! piece can take no more; no piece is jumped twice; own pieces are never jumped; the square the piece started from is
//! empty during its own move; a side without a legal move has lost.
//!
//! Sources, cited as `[..]` behind the constants:
//!
//! | mark | text |
//! |---|---|
//! | FMJD | Fédération Mondiale du Jeu de Dames, Annex 1: official rules of international draughts |
//! | WCDF | World Checkers/Draughts Federation, rules of draughts (checkers) |
//! | FID | Federazione Italiana Dama, regolamento tecnico |
//! | APCA | American Pool Checker Association, tournament rules |
//! | FPD | Federação Portuguesa de Damas, regras oficiais |
//! | 64 | FMJD section 64 / IDF, official rules of Russian draughts |
//! | FMJD-C | FMJD, brief rules of Czech draughts |
//! | WFD | Wrâldferiening Frysk Damjen, official rules 2011 |
//! | PDN | PDN 3.0, table of chapter "GameType tag" |

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::game_type::{GameType, GameTypeError, Notation, NotationKind};
use super::geometry::{Direction, Geometry};
use super::piece::Color;
use super::square::SquareSet;
use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};

/// Directions for White; Black's are the same turned round.
pub type Directions = &'static [Direction];

const FORWARD: Directions = &[NorthWest, NorthEast];
const DIAGONAL: Directions = &[NorthWest, NorthEast, SouthEast, SouthWest];
const FORWARD_AND_SIDEWAYS: Directions = &[North, East, West];
const ORTHOGONAL: Directions = &[North, East, South, West];
const ALL_EIGHT: Directions = &Direction::ALL;

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

/// The results that a game type allows. Source: PDN 3.0, chapter "Result tag".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultFormat {
    /// `1-0 0-1 1/2-1/2 0-0 *`
    Default,
    /// `2-0 0-2 1-1 0-0 *`
    International,
}

impl ResultFormat {
    /// All values, `*` last.
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            ResultFormat::Default => &["1-0", "0-1", "1/2-1/2", "0-0", "*"],
            ResultFormat::International => &["2-0", "0-2", "1-1", "0-0", "*"],
        }
    }

    /// What stands in the tag when this colour has won.
    pub const fn win(self, winner: Color) -> &'static str {
        self.values()[winner.index()]
    }

    /// What stands in the tag for a draw.
    pub const fn draw(self) -> &'static str {
        self.values()[2]
    }
}

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

/// The rows of men at the start, counted from each side's own edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StartRows {
    /// Rows left empty at the edge.
    skipped: usize,
    /// Rows full of men.
    filled: usize,
}

/// One line of the standard's table, with its rules.
#[derive(Clone, Copy, Debug)]
struct Row {
    number: u8,
    name: &'static str,
    starter: Color,
    size: (u8, u8),
    notation: (NotationKind, FirstSquare),
    inverted: bool,
    /// Are the squares of both colours played?
    all_squares: bool,
    start: StartRows,
    result: ResultFormat,
    capture_separator: char,
    rules: Ruleset,
}

/// The corner of the first square, as the standard numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FirstSquare {
    BottomLeft,
    BottomRight,
    TopLeft,
}

use Color::{Black, White};
use Criterion::{HighestValue, KingsFirst, MostKings, MostPieces, TakenByKing};
use FirstSquare::{BottomLeft, BottomRight, TopLeft};
use KingLanding::{AnyBehind, DirectlyBehind};
use KingRange::{Flying, Short};
use NotationKind::{Algebraic, Numeric};
use PromotionInCapture::{EndsTheMove, GoesOnAsKing, WhereTheMoveEnds};
use Removal::{AfterTheMove, AtOnce};

const INTERNATIONAL: Row = Row {
    number: 20,
    name: "International draughts",
    starter: White,               // [FMJD 3.2]
    size: (10, 10),               // [FMJD 2.1]
    notation: (Numeric, TopLeft), // [PDN]
    inverted: false,              // [FMJD 2.4: the first square at the left is dark]
    all_squares: false,
    start: StartRows { skipped: 0, filled: 4 }, // [FMJD 2.7]
    result: ResultFormat::International,        // [PDN]
    capture_separator: 'x',                     // [PDN]
    rules: Ruleset {
        man_moves: FORWARD,                     // [FMJD 3.4]
        man_captures: DIAGONAL,                 // [FMJD 4.2]
        king_moves: DIAGONAL,                   // [FMJD 3.9]
        king_captures: DIAGONAL,                // [FMJD 4.3]
        king_range: Flying,                     // [FMJD 3.9]
        king_landing: AnyBehind,                // [FMJD 4.3]
        man_takes_king: true,                   // [FMJD 4.2]
        priority: &[MostPieces],                // [FMJD 4.13]
        removal: AfterTheMove,                  // [FMJD 4.9]
        reversal: true,                         // [no article; the piece just taken stands in the way]
        promotion_in_capture: WhereTheMoveEnds, // [FMJD 4.15]
        same_king_limit: None,
    },
};

const ENGLISH: Row = Row {
    number: 21,
    name: "English draughts",
    starter: Black,                             // [WCDF 1.12]
    size: (8, 8),                               // [WCDF 1.1]
    notation: (Numeric, BottomRight),           // [PDN]
    start: StartRows { skipped: 0, filled: 3 }, // [WCDF 1.10]
    result: ResultFormat::Default,              // [PDN]
    rules: Ruleset {
        man_moves: FORWARD,                // [WCDF 1.14]
        man_captures: FORWARD,             // [WCDF 1.17]
        king_range: Short,                 // [WCDF 1.16]
        king_landing: DirectlyBehind,      // [WCDF 1.18]
        priority: &[],                     // [WCDF 1.20]
        promotion_in_capture: EndsTheMove, // [WCDF 1.19]
        ..INTERNATIONAL.rules
    },
    ..INTERNATIONAL
};

const ITALIAN: Row = Row {
    number: 22,
    name: "Italian draughts",
    starter: White,               // [FID 2]
    notation: (Numeric, TopLeft), // [PDN]
    inverted: true,               // [FID 1: the dark corner is at the player's right]
    rules: Ruleset {
        man_takes_king: false,                                       // [FID 5]
        priority: &[MostPieces, TakenByKing, MostKings, KingsFirst], // [FID 6]
        ..ENGLISH.rules
    },
    ..ENGLISH
};

const POOL: Row = Row {
    number: 23,
    name: "Pool checkers",
    starter: Black, // [PDN: the bare number is American pool]
    rules: Ruleset {
        priority: &[], // [APCA: free choice]
        ..INTERNATIONAL.rules
    },
    ..ENGLISH
};

const SPANISH: Row = Row {
    number: 24,
    name: "Spanish draughts",
    starter: White,
    notation: (Numeric, BottomRight), // [PDN; FPD: square 1 at White's right]
    inverted: true,                   // [FPD: the dark corner is at the player's right]
    rules: Ruleset {
        man_captures: FORWARD,              // [FPD: men take forward only]
        priority: &[MostPieces, MostKings], // [FPD: quantity, then quality]
        promotion_in_capture: EndsTheMove,  // [FPD: follows from taking forward only]
        ..INTERNATIONAL.rules
    },
    ..ENGLISH
};

const RUSSIAN: Row = Row {
    number: 25,
    name: "Russian draughts",
    starter: White,                    // [64 1.2]
    notation: (Algebraic, BottomLeft), // [PDN]
    capture_separator: ':',            // [PDN]
    rules: Ruleset {
        priority: &[],                      // [64 1.5: free choice]
        promotion_in_capture: GoesOnAsKing, // [64 1.5]
        ..INTERNATIONAL.rules
    },
    ..ENGLISH
};

const BRAZILIAN: Row = Row {
    number: 26,
    name: "Brazilian draughts",
    capture_separator: 'x',     // [PDN]
    rules: INTERNATIONAL.rules, // [the international rules on 64 squares]
    ..RUSSIAN
};

const CANADIAN: Row = Row {
    number: 27,
    name: "Canadian draughts",
    size: (12, 12),                             // [72 squares]
    start: StartRows { skipped: 0, filled: 5 }, // [30 men a side]
    ..INTERNATIONAL
};

const PORTUGUESE: Row = Row { number: 28, name: "Portuguese draughts", ..SPANISH };

const CZECH: Row = Row {
    number: 29,
    name: "Czech draughts",
    capture_separator: 'x', // [PDN]
    rules: Ruleset {
        man_captures: FORWARD,             // [FMJD-C]
        priority: &[TakenByKing],          // [FMJD-C: a king must take before a man]
        promotion_in_capture: EndsTheMove, // [FMJD-C: follows from taking forward only]
        ..INTERNATIONAL.rules
    },
    ..RUSSIAN
};

const TURKISH: Row = Row {
    number: 30,
    name: "Turkish draughts",
    all_squares: true,
    start: StartRows { skipped: 1, filled: 2 }, // [16 men on the second and third rows]
    capture_separator: 'x',                     // [PDN]
    rules: Ruleset {
        man_moves: FORWARD_AND_SIDEWAYS,
        man_captures: FORWARD_AND_SIDEWAYS,
        king_moves: ORTHOGONAL,
        king_captures: ORTHOGONAL,
        priority: &[MostPieces],
        removal: AtOnce,
        reversal: false,
        promotion_in_capture: WhereTheMoveEnds, // [doubtful: see `RuleChoices`]
        ..INTERNATIONAL.rules
    },
    ..RUSSIAN
};

const THAI: Row = Row {
    number: 31,
    name: "Thai draughts",
    starter: Black,                             // [PDN]
    notation: (Numeric, TopLeft),               // [PDN]
    start: StartRows { skipped: 0, filled: 2 }, // [8 men a side]
    capture_separator: '-',                     // [PDN]
    rules: Ruleset {
        man_captures: FORWARD,
        king_landing: DirectlyBehind,
        priority: &[],
        removal: AtOnce, // [doubtful: see `RuleChoices`]
        reversal: true,  // [doubtful: see `RuleChoices`]
        promotion_in_capture: EndsTheMove,
        ..INTERNATIONAL.rules
    },
    ..ENGLISH
};

const FRISIAN: Row = Row {
    number: 40,
    name: "Frisian draughts",
    result: ResultFormat::Default, // [PDN, changed in 2014]
    rules: Ruleset {
        man_captures: ALL_EIGHT,                // [WFD 5]
        king_captures: ALL_EIGHT,               // [WFD 5]
        priority: &[HighestValue, TakenByKing], // [WFD 6]
        same_king_limit: Some(3),               // [WFD 8]
        ..INTERNATIONAL.rules
    },
    ..INTERNATIONAL
};

const SPANTSIRETTI: Row = Row { number: 41, name: "Spantsiretti draughts", size: (10, 8), ..RUSSIAN };

/// The standard's table, in its order.
const ROWS: [Row; 14] = [
    INTERNATIONAL,
    ENGLISH,
    ITALIAN,
    POOL,
    SPANISH,
    RUSSIAN,
    BRAZILIAN,
    CANADIAN,
    PORTUGUESE,
    CZECH,
    TURKISH,
    THAI,
    FRISIAN,
    SPANTSIRETTI,
];

fn row(number: u8) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.number == number)
}

/// What a bare number in a `GameType` tag expands to; `None` for a number that is no draughts game.
pub fn default_game_type(number: u8) -> Option<GameType> {
    let row = row(number)?;
    let (kind, corner) = row.notation;
    Some(GameType {
        number,
        starter: row.starter,
        width: row.size.0,
        height: row.size.1,
        notation: Notation { kind, from_bottom: corner != TopLeft, from_left: corner != BottomRight },
        inverted: row.inverted,
    })
}

/// Are the squares of both colours played in the game with this number?
pub(super) fn plays_all_squares(number: u8) -> bool {
    row(number).is_some_and(|row| row.all_squares)
}

/// The numbers of all games of the table, for messages: `20, 21, ...`.
pub fn known_numbers() -> String {
    ROWS.map(|row| row.number.to_string()).join(", ")
}

/// The rules on which authorities differ, as a tournament has chosen them. `None`: the row's own answer, which is what
/// most of the sources say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct RuleChoices {
    /// Turkish: a man that reaches the last row within a capture passes as a man (most texts and programs), goes on as
    /// a king, or ends its move there.
    pub turkish_promotion: Option<PromotionInCapture>,
    /// Thai: captured pieces leave at once and the king may turn back over their squares (most programs), or they leave
    /// after the move.
    pub thai_removal: Option<Removal>,
}

/// A game that can be played: a row of the table on the board of a `GameType` tag. Compared by game type and choices.
pub struct Variant {
    /// The attributes of the tag.
    pub game_type: GameType,
    /// The choices it was made with.
    pub choices: RuleChoices,
    /// The English name of the game.
    pub name: &'static str,
    /// Squares, lines and names.
    pub geometry: Geometry,
    /// The rules.
    pub rules: Ruleset,
    /// The results it allows.
    pub result_format: ResultFormat,
    /// What stands between the squares of a capture.
    pub capture_separator: char,
    /// The men at the start, by colour.
    pub start: [SquareSet; 2],
}

impl Variant {
    /// The variant of a tag's value, `20` or `20,W,10,10,N2,0`, under the rules that most authorities give.
    pub fn from_tag(tag: &str) -> Result<&'static Variant, GameTypeError> {
        Ok(Variant::new(tag.parse()?, RuleChoices::default()))
    }

    /// The variant of a game type. Variants are made once and kept for the life of the program, so that they can be
    /// compared by address and copied freely; there are only so many valid tags.
    pub fn new(game_type: GameType, choices: RuleChoices) -> &'static Variant {
        type Made = BTreeMap<(GameType, RuleChoices), &'static Variant>;
        static MADE: OnceLock<Mutex<Made>> = OnceLock::new();
        let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        made.entry((game_type, choices)).or_insert_with(|| Box::leak(Box::new(Variant::build(game_type, choices))))
    }

    /// International draughts, type 20.
    pub fn international() -> &'static Variant {
        Variant::of(&INTERNATIONAL)
    }

    /// All games of the table with their default boards, in the table's order.
    pub fn all() -> impl Iterator<Item = &'static Variant> {
        ROWS.iter().map(Variant::of)
    }

    fn of(row: &'static Row) -> &'static Variant {
        let game_type = default_game_type(row.number).expect("every row has a game type");
        Variant::new(game_type, RuleChoices::default())
    }

    fn build(game_type: GameType, choices: RuleChoices) -> Variant {
        let row = row(game_type.number).expect("a game type is only made with a number of the table");
        let geometry = Geometry::new(&game_type, row.all_squares);
        let mut rules = row.rules;
        if row.number == TURKISH.number {
            rules.promotion_in_capture = choices.turkish_promotion.unwrap_or(rules.promotion_in_capture);
        }
        if row.number == THAI.number {
            rules.removal = choices.thai_removal.unwrap_or(rules.removal);
        }
        // A tag may give a board too low for the usual rows: at least two stay empty in the middle.
        let room = (geometry.height() - 2) / 2;
        let skipped = row.start.skipped.min(room - 1);
        let filled = row.start.filled.min(room - skipped);
        let start = Color::BOTH.map(|color| geometry.rows_of(color, skipped..skipped + filled));
        Variant {
            game_type,
            choices,
            name: row.name,
            rules,
            result_format: row.result,
            capture_separator: row.capture_separator,
            start,
            geometry,
        }
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.game_type == other.game_type && self.choices == other.choices
    }
}

impl Eq for Variant {}

impl std::fmt::Debug for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Variant({})", self.game_type)
    }
}
