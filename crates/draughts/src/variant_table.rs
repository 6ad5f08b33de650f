//! All games of the standard, as rows of a table.
//!
//! A [`VariantRow`] answers every question of [`super::ruleset`] for one game. Each constant cites its source by the marks listed there.
//! The generator ([`super::movegen`]) and the draw counters ([`super::draws`]) read these fields and never test which game it is.
//! To add a game: add a row here and its name to `VARIANT_ROWS`, a file of counts in `tests/data/perft`, and the positions that its rules
//! decide in `tests/data/rules` of the library draughts-pdn.

use super::draw_rules::{Claim, CountReset, DrawCondition, DrawRule, Ending, EndingArea, Material, MoveLimit};
use super::game_type::{GameType, Notation, NotationKind};
use super::piece::Color;
use super::results::ResultFormat;
use super::ruleset::*;

use Claim::{AtOnce as DrawnAtOnce, Needed};
use Color::{Black, White};
use CountReset::{WhenMaterialChanges, WhenWeakerSideChanges};
use Criterion::{HighestValue, KingsFirst, MostKings, MostPieces, TakenByKing};
use DrawCondition::{MaterialUnchanged, OnlyKingsMove, Repeated};
use EndingArea::{Anywhere, MainRoad};
use FirstSquare::{BottomLeft, BottomRight, TopLeft};
use KingLanding::{AnyBehind, DirectlyBehind};
use KingRange::{Flying, Short};
use NotationKind::{Algebraic, Numeric};
use PromotionInCapture::{AtMoveEnd, ContinuesAsKing, EndsTheMove};
use Removal::{AfterMove, Immediate};

/// One line of the standard's table, with its rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariantRow {
    pub number: u8,
    pub name: &'static str,
    /// Side that moves first; the board is described from this side.
    pub starter: Color,
    /// Columns and rows.
    pub size: (u8, u8),
    pub notation: (NotationKind, FirstSquare),
    /// Whether the square at the starter's bottom left is *not* played.
    pub inverted: bool,
    /// Whether the squares of both colours are played.
    pub all_squares: bool,
    pub start: StartRows,
    pub rules: Ruleset,
    /// Applies a tournament's choices for the doubtful rules of this game.
    pub apply_choices: fn(Ruleset, RuleChoices) -> Ruleset,
    pub draws: &'static [DrawRule],
    /// Draws and doubts that no text settles.
    pub undefined_rules: &'static str,
    pub result: ResultFormat,
    pub capture_separator: char,
}

/// Corner of the first square, in the standard's numbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FirstSquare {
    BottomLeft,
    BottomRight,
    TopLeft,
}

/// Rows of men at the start, counted from each side's own edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StartRows {
    /// Number of empty rows at the edge.
    pub skipped: usize,
    /// Number of rows filled with men.
    pub filled: usize,
}

pub(crate) const INTERNATIONAL: VariantRow = VariantRow {
    number: 20,
    name: "International draughts",
    starter: White,                             // [FMJD 3]
    size: (10, 10),                             // [FMJD 2.1]
    notation: (Numeric, TopLeft),               // [PDN; FMJD 2.6]
    inverted: false,                            // [FMJD 2.4: the first square at the left is dark]
    all_squares: false,                         // [FMJD 2.2: fifty squares are active]
    start: StartRows { skipped: 0, filled: 4 }, // [FMJD 2]
    rules: Ruleset {
        man_moves: FORWARD,              // [FMJD 3]
        man_captures: DIAGONAL,          // [FMJD 4.1, 4.2]
        king_moves: DIAGONAL,            // [FMJD 3]
        king_captures: DIAGONAL,         // [FMJD 4.3]
        king_range: Flying,              // [FMJD 4.3: close or in the distance]
        king_landing: AnyBehind,         // [FMJD 4.3: a free square by choice]
        man_takes_king: true,            // [FMJD 4.2: a piece, whatever its kind]
        priority: &[MostPieces],         // [FMJD 4]
        removal: AfterMove,              // [FMJD 4.5]
        reversal: true,                  // [FMJD 4: nothing against it; the piece just taken is in the way]
        promotion_in_capture: AtMoveEnd, // [FMJD 4]
        same_king_limit: None,
    },
    apply_choices: |rules, _| rules,
    draws: &[
        third_occurrence("FMJD 6: the same position for the third time, the same side to move"),
        only_kings(25, "FMJD 6: 25 moves each, only with kings and without a capture"),
        DrawRule {
            when: lone_king(&[K3, K2_M1, K1_M2], WhenWeakerSideChanges, MoveLimit::EachSide(16)),
            claim: Needed,
            article: "FMJD 6: three pieces, a king among them, against a lone king: 16 moves each",
        },
        DrawRule {
            when: lone_king(&[K2, K1_M1, K1], WhenWeakerSideChanges, MoveLimit::EachSide(5)),
            claim: Needed,
            article: "FMJD 6: two pieces, a king among them, or one king against a lone king: 5 moves each",
        },
    ],
    undefined_rules: "a shorter count when the lone king holds the main diagonal, which one text has",
    result: ResultFormat::International, // [PDN]
    capture_separator: 'x',              // [PDN]
};

const ENGLISH: VariantRow = VariantRow {
    number: 21,
    name: "English draughts",
    starter: Black,                             // [WCDF]
    size: (8, 8),                               // [WCDF 1.1]
    notation: (Numeric, BottomRight),           // [PDN]
    inverted: false,                            // [WCDF 1.4: the single corner at the left]
    start: StartRows { skipped: 0, filled: 3 }, // [WCDF]
    rules: Ruleset {
        man_captures: FORWARD,             // [WCDF]
        king_range: Short,                 // [WCDF]
        king_landing: DirectlyBehind,      // [WCDF]
        priority: &[],                     // [WCDF: free choice]
        promotion_in_capture: EndsTheMove, // [WCDF]
        ..INTERNATIONAL.rules
    },
    draws: &[
        third_occurrence("WCDF: the same position for the third time, on claim"),
        only_kings(40, "WCDF: 40 own moves of each side without advancing a man and without a capture"),
    ],
    undefined_rules: "",
    result: ResultFormat::Default, // [PDN]
    ..INTERNATIONAL
};

const ITALIAN: VariantRow = VariantRow {
    number: 22,
    name: "Italian draughts",
    starter: White,               // [FID]
    notation: (Numeric, TopLeft), // [PDN]
    inverted: true,               // [FID: the dark corner is at each player's right]
    rules: Ruleset {
        man_takes_king: false,                                       // [FID]
        priority: &[MostPieces, TakenByKing, MostKings, KingsFirst], // [FID: quantity, quality of the taker, of the taken]
        ..ENGLISH.rules
    },
    draws: &[only_kings(40, "FID: 40 moves of each side without a capture and without a man's move")],
    undefined_rules: "repetition: three occurrences by some texts, four by others",
    ..ENGLISH
};

const POOL: VariantRow = VariantRow {
    number: 23,
    name: "Pool checkers",
    starter: Black, // [PDN: the bare number is American pool; the other tags say theirs]
    rules: Ruleset {
        priority: &[], // [APCA: free choice]
        ..INTERNATIONAL.rules
    },
    draws: &[
        third_occurrence("APCA: the same position for the third time"),
        DrawRule {
            when: lone_king(&[K3], WhenMaterialChanges, MoveLimit::WeakerSide(13)),
            claim: Needed,
            article: "APCA: three kings against one that has survived 13 moves of its own",
        },
    ],
    undefined_rules: "a count of 30 without progress, of which it is not known what it counts",
    ..ENGLISH
};

const SPANISH: VariantRow = VariantRow {
    number: 24,
    name: "Spanish draughts",
    starter: White,                   // [PDN]
    notation: (Numeric, BottomRight), // [PDN; FPD: square 1 is at White's right]
    inverted: true,                   // [PDN; FPD: the dark corner is at each player's right]
    rules: Ruleset {
        man_captures: FORWARD,              // [FPD]
        priority: &[MostPieces, MostKings], // [FPD: the laws of quantity and of quality]
        promotion_in_capture: EndsTheMove,  // [FPD; a man takes forward only and could not go on]
        ..INTERNATIONAL.rules
    },
    draws: &[third_occurrence("FPD: the same position for the third time, on claim")],
    undefined_rules: "the law of limited moves, whose numbers could not be read",
    ..ENGLISH
};

const RUSSIAN: VariantRow = VariantRow {
    number: 25,
    name: "Russian draughts",
    starter: White,                    // [FMJD-64]
    notation: (Algebraic, BottomLeft), // [PDN]
    rules: Ruleset {
        priority: &[],                         // [FMJD-64: free choice]
        promotion_in_capture: ContinuesAsKing, // [FMJD-64]
        ..INTERNATIONAL.rules
    },
    draws: &[
        third_occurrence("FMJD-64 7.2: the same position for the third time"),
        THREE_KINGS_OF_64,
        KINGS_ONLY_OF_64,
        FOUR_OR_FIVE_OF_64,
        SIX_OR_SEVEN_OF_64,
        MAIN_ROAD_OF_64,
        TWO_PIECES_OF_64,
    ],
    undefined_rules: "whether the 30 and 60 moves of unchanged material are those of each side, as counted here, or of both; one \
                      or two men against a lone king",
    capture_separator: ':', // [PDN]
    ..ENGLISH
};

const BRAZILIAN: VariantRow = VariantRow {
    number: 26,
    name: "Brazilian draughts",
    rules: INTERNATIONAL.rules, // [FMJD-64: the international rules on 64 squares]
    draws: &[
        third_occurrence("FMJD-64: the same position for the third time"),
        only_kings(20, "CBD: 20 moves each, only with kings and without a capture"),
        MAIN_ROAD_OF_64,
        TWO_PIECES_OF_64,
    ],
    undefined_rules: "the longer counts of Russian draughts, which some servers apply",
    capture_separator: 'x', // [PDN]
    ..RUSSIAN
};

const CANADIAN: VariantRow = VariantRow {
    number: 27,
    name: "Canadian draughts",
    size: (12, 12),                             // [can: 72 squares]
    start: StartRows { skipped: 0, filled: 5 }, // [can: 30 men a side]
    draws: &[
        third_occurrence("by custom: the same position for the third time"),
        DrawRule {
            when: lone_king(&[K3], WhenMaterialChanges, MoveLimit::EachSide(16)),
            claim: Needed,
            article: "by custom: three kings against a lone king: 16 moves each without a capture or a crowning",
        },
    ],
    undefined_rules: "a long series of king moves",
    ..INTERNATIONAL
};

const PORTUGUESE: VariantRow = VariantRow { number: 28, name: "Portuguese draughts", ..SPANISH };

const CZECH: VariantRow = VariantRow {
    number: 29,
    name: "Czech draughts",
    rules: Ruleset {
        man_captures: FORWARD,             // [FMJD-C]
        priority: &[TakenByKing],          // [FMJD-C: a king must take before a man; no majority]
        promotion_in_capture: EndsTheMove, // [FMJD-C; a man takes forward only and could not go on]
        ..INTERNATIONAL.rules
    },
    draws: &[
        third_occurrence("FMJD-C: the same position for the third time, on claim"),
        only_kings(15, "FMJD-C: 15 moves without a capture and without a man's move"),
    ],
    undefined_rules: "",
    capture_separator: 'x', // [PDN]
    ..RUSSIAN
};

const TURKISH: VariantRow = VariantRow {
    number: 30,
    name: "Turkish draughts",
    all_squares: true,                          // [tur]
    start: StartRows { skipped: 1, filled: 2 }, // [tur: 16 men on the second and third rows]
    rules: Ruleset {
        man_moves: FORWARD_AND_SIDEWAYS,    // [tur]
        man_captures: FORWARD_AND_SIDEWAYS, // [tur]
        king_moves: ORTHOGONAL,             // [tur]
        king_captures: ORTHOGONAL,          // [tur]
        priority: &[MostPieces],            // [tur: kings count as men]
        removal: Immediate,                 // [tur: universal]
        reversal: false,                    // [tur: no turn of 180 degrees between two jumps]
        promotion_in_capture: AtMoveEnd,    // [tur: doubtful]
        ..INTERNATIONAL.rules
    },
    apply_choices: |rules, choices| Ruleset {
        promotion_in_capture: choices.turkish_promotion.unwrap_or(rules.promotion_in_capture),
        ..rules
    },
    draws: &[
        third_occurrence("by custom: the same position for the third time"),
        DrawRule {
            when: DrawCondition::Ending(Ending {
                weaker: &[K1, M1],
                stronger: &[K1, M1],
                area: Anywhere,
                reset: WhenMaterialChanges,
                limit: MoveLimit::Immediate,
            }),
            claim: DrawnAtOnce,
            article: "TDF: one piece each, even if one is a king",
        },
    ],
    undefined_rules: "a long series without a capture",
    capture_separator: 'x', // [PDN]
    ..RUSSIAN
};

const THAI: VariantRow = VariantRow {
    number: 31,
    name: "Thai draughts",
    starter: Black,                             // [PDN]
    notation: (Numeric, TopLeft),               // [PDN]
    start: StartRows { skipped: 0, filled: 2 }, // [thai: 8 men a side]
    rules: Ruleset {
        man_captures: FORWARD,             // [thai]
        king_landing: DirectlyBehind,      // [thai: from any distance, right behind the piece]
        priority: &[],                     // [thai: free choice]
        removal: Immediate,                // [thai: likely]
        reversal: true,                    // [thai: likely]
        promotion_in_capture: EndsTheMove, // [thai; a man takes forward only and could not go on]
        ..INTERNATIONAL.rules
    },
    apply_choices: |rules, choices| Ruleset {
        removal: choices.thai_removal.unwrap_or(rules.removal),
        reversal: choices.thai_reversal.unwrap_or(rules.reversal),
        ..rules
    },
    draws: &[],
    undefined_rules: "every draw: no official text was found",
    capture_separator: '-', // [PDN]
    ..ENGLISH
};

const FRISIAN: VariantRow = VariantRow {
    number: 40,
    name: "Frisian draughts",
    starter: White,                             // [WFD 6]
    inverted: false,                            // [WFD 5: square 46 at White's left]
    start: StartRows { skipped: 0, filled: 4 }, // [WFD 4]
    rules: Ruleset {
        man_moves: FORWARD,                     // [WFD 7]
        man_captures: ALL_EIGHT,                // [WFD 7: a choice of eight]
        king_moves: DIAGONAL,                   // [WFD 9]
        king_captures: ALL_EIGHT,               // [WFD 9]
        priority: &[HighestValue, TakenByKing], // [WFD]
        promotion_in_capture: AtMoveEnd,        // [WFD 8: if it ends up on the king row]
        same_king_limit: Some(3),               // [WFD]
        ..INTERNATIONAL.rules
    },
    draws: &[
        DrawRule {
            when: lone_king(&[K2], WhenMaterialChanges, MoveLimit::EachSide(7)),
            claim: Needed,
            article: "WFD: two kings against one: 7 moves each",
        },
        DrawRule {
            when: lone_king(&[K1], WhenMaterialChanges, MoveLimit::Immediate),
            claim: DrawnAtOnce,
            article: "WFD: one king against one, unless a capture is due",
        },
    ],
    undefined_rules: "repetition, and a long series of king moves",
    result: ResultFormat::Default, // [PDN: since 2014]
    ..INTERNATIONAL
};

const SPANTSIRETTI: VariantRow = VariantRow {
    number: 41,
    name: "Spantsiretti draughts",
    size: (10, 8), // [span: 80 squares]
    draws: &[
        third_occurrence("by custom, as FMJD-64: the same position for the third time"),
        THREE_KINGS_OF_64,
        KINGS_ONLY_OF_64,
        FOUR_OR_FIVE_OF_64,
        SIX_OR_SEVEN_OF_64,
        TWO_PIECES_OF_64,
    ],
    undefined_rules: "whether the counts of Russian draughts, used here, hold; and a count for the main road",
    ..RUSSIAN // [span: the Russian rules]
};

// Draw rules that several games share. "FMJD-64" quotes article 7.2 of its section's rules.

const THREE_KINGS_OF_64: DrawRule = DrawRule {
    when: lone_king(THREE_KINGS_OR_MORE, WhenMaterialChanges, MoveLimit::StrongerSide(15)),
    claim: Needed,
    article: "FMJD-64 7.2: three kings or more against a lone king: 15 moves of the stronger side",
};
const KINGS_ONLY_OF_64: DrawRule = only_kings(15, "FMJD-64 7.2: 15 moves each, only with kings and without a capture");
const FOUR_OR_FIVE_OF_64: DrawRule = DrawRule {
    when: MaterialUnchanged { pieces: (4, 5), moves: 30 },
    claim: Needed,
    article: "FMJD-64 7.2.6: both sides have a king, four or five pieces, nothing taken or crowned for 30 moves",
};
const SIX_OR_SEVEN_OF_64: DrawRule = DrawRule {
    when: MaterialUnchanged { pieces: (6, 7), moves: 60 },
    claim: Needed,
    article: "FMJD-64 7.2.6: both sides have a king, six or seven pieces, nothing taken or crowned for 60 moves",
};
const MAIN_ROAD_OF_64: DrawRule = DrawRule {
    when: DrawCondition::Ending(Ending {
        weaker: &[K1],
        stronger: &[K3, K2_M1, K1_M2],
        area: MainRoad,
        reset: WhenMaterialChanges,
        limit: MoveLimit::StrongerSide(5),
    }),
    claim: Needed,
    article: "FMJD-64 7.2: three pieces, a king among them, against a lone king on the main road: 5 moves",
};
const TWO_PIECES_OF_64: DrawRule = DrawRule {
    when: lone_king(&[K2, K1_M1, K1], WhenMaterialChanges, MoveLimit::StrongerSide(5)),
    claim: Needed,
    article: "FMJD-64 7.2: two pieces or fewer, a king among them, against a lone king: 5 moves",
};

const K1: Material = Material::new(0, 1);
const K2: Material = Material::new(0, 2);
const K3: Material = Material::new(0, 3);
const M1: Material = Material::new(1, 0);
const K1_M1: Material = Material::new(1, 1);
const K1_M2: Material = Material::new(2, 1);
const K2_M1: Material = Material::new(1, 2);
/// Three kings or more, up to the number of men of a side.
const THREE_KINGS_OR_MORE: &[Material] = &{
    let mut armies = [K3; 13];
    let mut more = 0;
    while more < armies.len() {
        armies[more] = Material::new(0, 3 + more as u8);
        more += 1;
    }
    armies
};

const fn third_occurrence(article: &'static str) -> DrawRule {
    DrawRule { when: Repeated(3), claim: Needed, article }
}

const fn only_kings(moves: u16, article: &'static str) -> DrawRule {
    DrawRule { when: OnlyKingsMove(moves), claim: Needed, article }
}

const fn lone_king(stronger: &'static [Material], lasts: CountReset, moves: MoveLimit) -> DrawCondition {
    DrawCondition::Ending(Ending { weaker: &[K1], stronger, area: Anywhere, reset: lasts, limit: moves })
}

/// The standard's table, in its order.
pub(crate) const VARIANT_ROWS: [VariantRow; 14] = [
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

/// Returns the row of the game with this number.
pub(crate) fn row(number: u8) -> Option<&'static VariantRow> {
    VARIANT_ROWS.iter().find(|row| row.number == number)
}

/// Returns the type that a bare number in a `GameType` tag expands to; `None` if the number is not a draughts game.
pub(crate) fn default_game_type(number: u8) -> Option<GameType> {
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

/// Whether the squares of both colours are played in the game with this number.
pub(crate) fn plays_all_squares(number: u8) -> bool {
    row(number).is_some_and(|row| row.all_squares)
}

/// Returns the numbers of all games of the table, for messages: `20, 21, ...`.
pub(crate) fn known_numbers() -> String {
    VARIANT_ROWS.map(|row| row.number.to_string()).join(", ")
}
