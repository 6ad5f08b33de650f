//! Infers the variant of a game: from the GameType tag, from the caller, or from the moves.
//!
//! Most files found in practice have no GameType tag (72 % of 3,255 games). Evidence from the moves:
//!
//! | squares | candidates, the likeliest first |
//! |---|---|
//! | numbers above 50 | Canadian |
//! | numbers above 32 | International, Frisian |
//! | numbers up to 32 | International, English, Italian, pool, Spanish, Frisian, Thai, Russian with numbers |
//! | numbers up to 32 in positions without moves | as above, English first |
//! | letters up to h | Russian, Brazilian, Czech, pool, Turkish, English with letters |
//! | i or j | Spantsiretti |
//!
//! A game may name its squares differently from its GameType tag (numbers in Russian draughts, as lidraughts writes). The tag is still
//! trusted: its own board with the other names is tried before other games.
//!
//! The candidate under which most plies are legal wins; of equal candidates, the first in the table.

use std::cmp::Reverse;

use super::replay::{KnownBy, Replay, other_numbering};
use crate::game::{Entry, Game};
use crate::problem::{Location, Problem};
use crate::reader::LocatedGame;
use crate::tag_values;
use draughts::{GameType, GameTypeError, Notation, NotationKind, Variant};

/// Number of games of a file used to infer its variant. Thirty short games suffice, and a file of a hundred thousand is not played nine
/// times.
pub const SAMPLE: usize = 30;

/// A variant and how it was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InferredVariant {
    /// Inferred variant.
    pub variant: &'static Variant,
    /// Source of the variant.
    pub known_by: KnownBy,
    /// Problems of the variant.
    pub problems: Vec<Problem>,
}

impl Replay {
    /// Plays a game. `known_variant`: the variant for a game without a GameType tag; `None` infers it from the moves.
    pub fn infer(located: &LocatedGame, known_variant: Option<&'static Variant>) -> Replay {
        let found = game_variant(located, known_variant);
        let mut replay = Replay::with_variant(located, found.variant);
        replay.known_by = found.known_by;
        replay.problems.splice(0..0, found.problems);
        replay
    }
}

/// Returns the variant of one game. `known_variant`: the caller's variant for games without a GameType tag.
///
/// # Examples
///
/// ```
/// use draughts_pdn::replay::KnownBy;
/// use draughts_pdn::{infer, reader};
///
/// let (games, _) = reader::read_located("1. c3-d4 d6-c5 2. b2-c3 f6-g5 *");
/// let found = infer::game_variant(&games[0], None);
/// assert_eq!((found.variant.name, found.known_by), ("Russian draughts", KnownBy::Moves));
/// ```
pub fn game_variant(located: &LocatedGame, known_variant: Option<&'static Variant>) -> InferredVariant {
    let game = &located.game;
    let place = |name: &str| {
        let at = game.tags.iter().position(|tag| tag.name == name);
        at.and_then(|at| located.locations.tags.get(at)).copied().unwrap_or(Location::START)
    };
    // Read the value as it will be written: a value changed by cleaning must not name another game later.
    let value = game.tags.get("GameType").map(tag_values::clean_value);
    if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
        let place = place("GameType");
        return match variant_from_tag(&value) {
            Ok((variant, known_by)) => verify_tag(located, variant, known_by, place),
            Err(error) => {
                let found = infer_from_moves(&[located], known_variant);
                let problem = Problem::warning(place, error.to_string()).with_hint(format!(
                    "nobody can tell by which rules it is played; a guess: {} ({})",
                    found.name, found.game_type
                ));
                InferredVariant { variant: found, known_by: KnownBy::UnknownTag, problems: vec![problem] }
            }
        };
    }
    match known_variant {
        Some(variant) => InferredVariant { variant, known_by: KnownBy::Caller, problems: Vec::new() },
        None => {
            let variant = infer_from_moves(&[located], None);
            InferredVariant { variant, known_by: KnownBy::Moves, problems: Vec::new() }
        }
    }
}

/// Checks whether the moves fit the board of the tag: some programs write careless attributes.
fn verify_tag(located: &LocatedGame, variant: &'static Variant, known_by: KnownBy, place: Location) -> InferredVariant {
    let believed = InferredVariant { variant, known_by, problems: Vec::new() };
    if located.game.moves().next().is_none() {
        return believed;
    }
    // On a turned board every move may be legal, except that the turn is wrong.
    let score = |variant| {
        let replay = Replay::with_variant(located, variant);
        (replay.moves().count(), Reverse(replay.problems.len()))
    };
    if !names_first_move(&located.game, variant) {
        let other = infer_from_moves(&[located], None);
        // Prefer the same game with other names of squares to another game.
        let own = renamed(variant).into_iter().max_by_key(|own| score(own));
        let fitting = own.filter(|own| score(own).0 >= score(other).0).unwrap_or(other);
        if score(fitting).0 > 0 {
            let description = if fitting.game_type.number() == variant.game_type.number() {
                format!("the squares are called as on the board {}, not as on {}", fitting.game_type, variant.game_type)
            } else {
                format!("the moves are not those of {}, but fit {}", variant.name, fitting.name)
            };
            let problems = vec![Problem::warning(place, description).with_hint("the latter is taken")];
            return InferredVariant { variant: fitting, known_by: KnownBy::MovesAgainstTag, problems };
        }
    }
    if GameType::from_number(variant.game_type.number()) == Some(variant.game_type) {
        return believed;
    }
    let Ok(default) = Variant::from_tag(&variant.game_type.number().to_string()) else { return believed };
    if default == variant {
        return believed;
    }
    if score(default) <= score(variant) {
        return believed;
    }
    let description = format!("the moves do not fit the board {}, but {}", variant.game_type, default.game_type);
    let problems = vec![Problem::warning(place, description).with_hint("the latter is taken")];
    InferredVariant { variant: default, known_by: KnownBy::MovesAgainstTag, problems }
}

/// Returns the same game on boards that name the squares with letters instead of numbers, or the reverse; the likeliest last.
fn renamed(variant: &Variant) -> Vec<&'static Variant> {
    // Some programs turn the board, so that the side that begins is at the bottom.
    let letters = Notation { kind: NotationKind::Algebraic, from_bottom: true, from_left: true };
    let turned = variant.game_type.with_notation(letters);
    let turned = (variant.game_type.notation().kind != letters.kind).then(|| Variant::new(turned, variant.choices));
    turned.into_iter().chain([other_numbering(variant)]).collect()
}

/// Whether the board has the squares of the first move.
fn names_first_move(game: &Game, variant: &Variant) -> bool {
    let is_algebraic = variant.game_type.notation().kind == NotationKind::Algebraic;
    let first = game.moves().find(|ply| !ply.is_unknown());
    let is_letter = |byte: u8| matches!(byte.to_ascii_lowercase(), b'a'..=b'l');
    first.is_none_or(|ply| ply.text.bytes().any(is_letter) == is_algebraic)
}

/// Returns the variant of a tag's value, including the numbers that lidraughts adds to the standard's.
pub(super) fn variant_from_tag(value: &str) -> Result<(&'static Variant, KnownBy), GameTypeError> {
    let meaning = match value.trim() {
        // Antidraughts, breakthrough and "from position" have the moves of International, Frysk! those of Frisian.
        "96" | "98" | "99" => "20",
        "97" => "40",
        value => return Variant::from_tag(value).map(|variant| (variant, KnownBy::Tag)),
    };
    Variant::from_tag(meaning).map(|variant| (variant, KnownBy::ForeignTag))
}

/// Returns the variant of related games without a GameType tag: the one with the most legal plies.
pub fn infer_from_moves(games: &[&LocatedGame], known_variant: Option<&'static Variant>) -> &'static Variant {
    if let Some(variant) = known_variant {
        return variant;
    }
    // The most plies, then the fewest problems: a first move out of turn is legal, but counts against the variant.
    let mut best: Option<((usize, Reverse<usize>), &'static Variant)> = None;
    for tag in candidates(&SquareUsage::from_games(games.iter().map(|located| &located.game))) {
        let Ok(variant) = Variant::from_tag(tag) else { continue };
        let replays: Vec<Replay> = games.iter().map(|located| Replay::with_variant(located, variant)).collect();
        let plies = replays.iter().map(|replay| replay.moves().count()).sum();
        let problems = replays.iter().map(|replay| replay.problems.len()).sum();
        let score = (plies, Reverse(problems));
        if best.as_ref().is_none_or(|(best_score, _)| score > *best_score) {
            best = Some((score, variant));
        }
        if problems == 0 {
            break;
        }
    }
    best.map_or_else(Variant::international, |(_, variant)| variant)
}

/// Squares that games name.
#[derive(Default)]
struct SquareUsage {
    moves: bool,
    letters: bool,
    beyond_h: bool,
    max_number: u32,
}

impl SquareUsage {
    fn from_games<'g>(games: impl Iterator<Item = &'g Game>) -> SquareUsage {
        let mut squares = SquareUsage::default();
        for game in games {
            for entry in &game.entries {
                match entry {
                    Entry::Move(ply) => squares.scan(&ply.text),
                    Entry::Setup(fen) => squares.scan_fen(fen),
                    _ => {}
                }
            }
            squares.scan_fen(game.tags.get("FEN").unwrap_or_default());
        }
        squares
    }

    /// Scans a FEN. Only its numbers count: its letters are also colours and kings.
    fn scan_fen(&mut self, text: &str) {
        for number in text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()) {
            self.max_number = self.max_number.max(number);
        }
    }

    fn scan(&mut self, text: &str) {
        self.moves = true;
        for c in text.chars().map(|c| c.to_ascii_lowercase()) {
            self.letters |= matches!(c, 'a'..='l');
            self.beyond_h |= matches!(c, 'i'..='l');
        }
        for digits in text.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() <= 2) {
            self.max_number = self.max_number.max(digits.parse().unwrap_or(0));
        }
    }
}

/// Returns the tags to try, the likeliest first.
fn candidates(squares: &SquareUsage) -> &'static [&'static str] {
    match squares {
        SquareUsage { beyond_h: true, .. } => &["41"],
        SquareUsage { letters: true, .. } => {
            &["25", "26", "29", "23,W,8,8,A0,0", "30", "41", "21,B,8,8,A0,0", "22,W,8,8,A0,0"]
        }
        SquareUsage { max_number: 51.., .. } => &["27"],
        SquareUsage { max_number: 33.., .. } => &["20", "40", "27"],
        SquareUsage { moves: true, .. } => &["20", "21", "22", "23", "24", "28", "40", "31", "25,W,8,8,N2,0", "27"],
        _ => &["21", "22", "23", "24", "28", "31", "20", "40", "27"],
    }
}
