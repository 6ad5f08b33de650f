//! A game on its board: its row of the table, the geometry of the board, and the rules with a tournament's choices.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::draw_rules::DrawRule;
use super::game_type::GameType;
use super::geometry::Geometry;
use super::piece::Color;
use super::results::ResultFormat;
use super::ruleset::{RuleChoices, Ruleset};
use super::square::SquareSet;
use super::tag::GameTypeError;
use super::variant_table::{INTERNATIONAL, VARIANT_ROWS, VariantRow, default_game_type, row};

/// A playable game: a row of the table on the board of a `GameType` tag. Two variants are equal if game type and choices are.
///
/// # Examples
///
/// ```
/// use draughts::{Position, Variant};
///
/// for variant in Variant::all() {
///     println!("{}: {} moves to begin with", variant.name, Position::start(variant).legal_moves().len());
/// }
/// assert_eq!(Variant::from_tag("20")?, Variant::international());
/// # Ok::<(), draughts::GameTypeError>(())
/// ```
#[non_exhaustive]
pub struct Variant {
    /// Attributes of the tag.
    pub game_type: GameType,
    /// Choices of the tournament.
    pub choices: RuleChoices,
    /// English name of the game.
    pub name: &'static str,
    /// Squares, lines and names.
    pub geometry: Geometry,
    /// Rules of movement and capture.
    pub rules: Ruleset,
    /// Rules by which the game is drawn.
    pub draws: &'static [DrawRule],
    /// Questions left to the arbiter because no text settles them; empty if there are none.
    pub undefined_rules: &'static str,
    /// Allowed results.
    pub result_format: ResultFormat,
    /// Character between the squares of a capture.
    pub capture_separator: char,
    /// Men at the start, by colour.
    pub start: [SquareSet; 2],
}

impl Variant {
    /// Returns the variant of a tag's value, `20` or `20,W,10,10,N2,0`, under the rules that most authorities use.
    ///
    /// # Errors
    ///
    /// Returns [`GameTypeError`] if the value is not the game type of a draughts game.
    pub fn from_tag(tag: &str) -> Result<&'static Variant, GameTypeError> {
        Ok(Variant::new(tag.parse()?, RuleChoices::default()))
    }

    /// Returns the variant of a game type. Variants are created once and live as long as the program, so they can be compared and copied
    /// freely. The number of valid tags bounds their memory.
    pub fn new(game_type: GameType, choices: RuleChoices) -> &'static Variant {
        type Made = BTreeMap<(GameType, RuleChoices), &'static Variant>;
        static CACHE: OnceLock<Mutex<Made>> = OnceLock::new();
        let mut made = CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        made.entry((game_type, choices)).or_insert_with(|| Box::leak(Box::new(Variant::build(game_type, choices))))
    }

    /// Returns international draughts, type 20.
    pub fn international() -> &'static Variant {
        Variant::from_row(&INTERNATIONAL)
    }

    /// Returns all games of the table with their default boards, in the table's order.
    pub fn all() -> impl Iterator<Item = &'static Variant> {
        VARIANT_ROWS.iter().map(Variant::from_row)
    }

    fn from_row(row: &'static VariantRow) -> &'static Variant {
        let game_type = default_game_type(row.number).expect("every row has a game type");
        Variant::new(game_type, RuleChoices::default())
    }

    fn build(game_type: GameType, choices: RuleChoices) -> Variant {
        let row = row(game_type.number).expect("a game type is only made with a number of the table");
        let geometry = Geometry::new(&game_type, row.all_squares);
        // A tag may specify a board too low for the usual rows: leave at least two rows in the middle empty.
        let room = (geometry.height() - 2) / 2;
        let skipped = row.start.skipped.min(room - 1);
        let filled = row.start.filled.min(room - skipped);
        let start = Color::BOTH.map(|color| geometry.rows_of(color, skipped..skipped + filled));
        Variant {
            game_type,
            choices,
            name: row.name,
            rules: (row.apply_choices)(row.rules, choices),
            draws: row.draws,
            undefined_rules: row.undefined_rules,
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
