//! Strict checker: whether a text is PDN 3.0 as the standard requires programs to *write* it.
//!
//! ```text
//! tokens ──▸ writing grammar, restrictions 1 to 5 ─────────┐
//! games  ──▸ values of tags; moves against the position:   ├──▸ problems, each with the restriction it breaks
//!            restrictions 6 to 9 ──────────────────────────┘
//! ```
//!
//! The grammar is that of the standard with these corrections: squares up to l12, the capture separator of the game type, FENs with an
//! empty side. Moves are played, including those of variations; an illegal one is an error. After an illegal move, restrictions 7 to 9 are
//! checked only as far as the text shows them. [`check_form`] checks only how a text is written. A game whose GameType is outside the
//! standard has unknown rules: this is reported, and only its grammar is checked.
//!
//! Every prefix of a live file that ends with a line break passes: a missing terminator at the very end is allowed.
//!
//! Sources: PDN 3.0, chapters "PDN Grammars", "PDN Tags", "FEN tag", "GameType tag".

mod grammar;
mod setup;

use std::collections::BTreeSet;

use nom::bytes::complete::take_while_m_n;
use nom::character::complete::{char, one_of};
use nom::combinator::{all_consuming, opt};
use nom::{IResult, Parser};

use super::infer;
use super::replay::{self, KnownBy, WalkEvent};
use crate::encoding::Encoding;
use crate::game::Entry;
use crate::notation;
use crate::problem::{Level, Location, Problem, Problems, quote};
use crate::reader::{LocatedGame, Reader};
use crate::scan;
use crate::tag_values::{self, Date, TagTime};
use crate::time_control::TimeControl;
use draughts::{NotationKind, Variant};
use grammar::Grammar;
pub(crate) use setup::is_fen;
use setup::{check_fen, check_squares};

/// Returns all deviations of a file's bytes from PDN 3.0, by place. `known_variant`: the variant of games without a GameType tag.
pub fn check_bytes(bytes: &[u8], known_variant: Option<&'static Variant>) -> Vec<Problem> {
    let mut checker = StrictChecker::new(known_variant);
    checker.feed(bytes);
    checker.finish().into_sorted()
}

/// Checks a text as [`check`] does, except for the rules of the game: moves need not be legal, nor in turn.
pub fn check_form(text: &str, known_variant: Option<&'static Variant>) -> Vec<Problem> {
    let mut checker = StrictChecker { checks_rules: false, ..StrictChecker::new(known_variant) };
    checker.feed(text.as_bytes());
    checker.finish().into_sorted()
}

/// Returns all deviations of a text from PDN 3.0, by place.
pub fn check(text: &str, known_variant: Option<&'static Variant>) -> Vec<Problem> {
    check_bytes(text.as_bytes(), known_variant)
}

/// Checks a stream of bytes. Holds one game, games that wait until the variant of the file is known (at most [`infer::SAMPLE`]), and the
/// problems (bounded).
///
/// # Examples
///
/// ```
/// use draughts_pdn::strict::StrictChecker;
///
/// let mut checker = StrictChecker::new(None);
/// checker.feed(b"[GameType \"20\"]\n\n1. 32-28 19-23 2. 28-19 *\n");
/// let problems = checker.finish();
/// assert!(problems.list()[0].to_string().contains("28x19"));
/// ```
#[derive(Debug)]
pub struct StrictChecker {
    reader: Reader,
    grammar: Grammar,
    /// First bytes of the file, which may be a byte order mark.
    first_bytes: Vec<u8>,
    known_variant: Option<&'static Variant>,
    /// Whether moves must be legal.
    checks_rules: bool,
    /// Games without a GameType tag, as long as their variant is unknown.
    untyped_games: Vec<LocatedGame>,
    /// Problems of games.
    problems: Problems,
}

impl StrictChecker {
    /// Creates a checker at the start of a file, with the variant of games without a GameType tag.
    pub fn new(known_variant: Option<&'static Variant>) -> StrictChecker {
        StrictChecker {
            reader: Reader::new(Encoding::Detect),
            grammar: Grammar::default(),
            first_bytes: Vec::new(),
            known_variant,
            checks_rules: true,
            untyped_games: Vec::new(),
            problems: Problems::default(),
        }
    }

    /// Reads more bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let missing = BYTE_ORDER_MARK.len() - self.first_bytes.len();
        self.first_bytes.extend(&bytes[..bytes.len().min(missing)]);
        for piece in bytes.chunks(scan::CHUNK_SIZE) {
            let games = self.reader.feed_tokens(piece, &mut |token| self.grammar.token(token));
            self.take(games);
        }
    }

    /// Ends the stream; returns all problems.
    pub fn finish(mut self) -> Problems {
        let games = self.reader.finish_tokens(&mut |token| self.grammar.token(token));
        self.grammar.finish(self.reader.scanner().location());
        self.take(games);
        self.check_untyped_games();
        let mut all = Problems::default();
        if self.first_bytes == BYTE_ORDER_MARK {
            all.push(Problem::error(Location::START, "the file begins with a byte order mark").with_hint("write none"));
        }
        if let Some((place, c)) = self.reader.scanner().odd_blank() {
            let message = format!("the character U+{:04X} between the words", u32::from(c));
            all.push(
                Problem::error(place, message)
                    .with_hint("blanks are spaces, tabs and line breaks; this is the first other one"),
            );
        }
        if let Some(place) = self.reader.scanner().first_invalid_utf8() {
            all.push(Problem::error(place, "the file is not UTF-8").with_hint("PDN 3.0 is; convert it"));
        }
        all.merge(self.grammar.problems);
        all.merge(self.problems);
        all
    }

    fn take(&mut self, games: Vec<LocatedGame>) {
        // The grammar reports the problems of reading more precisely.
        self.reader.take_problems();
        for located in games {
            if self.known_variant.is_some() || located.game.tags.get("GameType").is_some() {
                self.check(&located);
            } else {
                self.untyped_games.push(located);
            }
            if self.untyped_games.len() >= infer::SAMPLE {
                self.check_untyped_games();
            }
        }
    }

    fn check_untyped_games(&mut self) {
        let waiting = std::mem::take(&mut self.untyped_games);
        if !waiting.is_empty() {
            self.known_variant = Some(infer::infer_from_moves(&waiting.iter().collect::<Vec<_>>(), self.known_variant));
        }
        for located in &waiting {
            self.check(located);
        }
    }

    fn check(&mut self, located: &LocatedGame) {
        let mut found = Problems::default();
        check_game(located, self.known_variant, self.checks_rules, &mut found);
        // One reason per place: the grammar's takes precedence.
        let refused = &self.grammar.problem_locations;
        self.problems.extend(found.into_sorted().into_iter().filter(|problem| !refused.contains(&problem.location)));
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Checks tags by their types, and restrictions 6 to 9.
fn check_game(
    located: &LocatedGame,
    known_variant: Option<&'static Variant>,
    asks_rules: bool,
    problems: &mut Problems,
) {
    let game = &located.game;
    for (index, tag) in game.tags.iter().enumerate() {
        let place = located.locations.tags.get(index).copied().unwrap_or(Location::START);
        check_value(&tag.name, &tag.value, place, problems);
    }
    let found = infer::game_variant(located, known_variant);
    let says_type = game.tags.get("GameType").is_none_or(|tag| tag.trim().is_empty() || is_game_type(tag));
    if found.known_by == KnownBy::UnknownTag {
        // The check of types has reported an invalid value.
        if says_type {
            problems.extend(found.problems.into_iter().map(|problem| {
                let what = format!("the GameType is unknown: {}", problem.message);
                Problem { message: what, ..problem }
            }));
        }
        check_result(located, found.variant, problems);
        return;
    }
    let is_played = game.moves().next().is_some();
    for problem in found.problems.into_iter().filter(|_| is_played && says_type) {
        problems.push(
            Problem::error(problem.location, problem.message)
                .with_hint("restriction 6: moves are written as the GameType says"),
        );
    }
    check_result(located, found.variant, problems);
    let variant = found.variant;
    if let Some(at) = game.tags.iter().position(|tag| tag.name == "FEN") {
        let place = located.locations.tags.get(at).copied().unwrap_or(Location::START);
        check_squares(variant, game.tags.get("FEN").unwrap_or_default(), place, problems);
    }
    for (index, entry) in game.entries.iter().enumerate() {
        if let Entry::Setup(fen) = entry {
            check_squares(variant, fen, move_location(located, index), problems);
        }
    }
    let mut is_resolved = vec![false; game.entries.len()];
    let mut against_rules = BTreeSet::new();
    let walked = replay::walk(located, variant, &mut |seen| {
        let (entry, before, meant) = match seen {
            WalkEvent::Move { entry, before, ply, .. } => (entry, before, std::slice::from_ref(ply)),
            WalkEvent::Ambiguous { entry, before, candidates } => (entry, before, candidates),
            WalkEvent::Illegal { entry } | WalkEvent::OutOfTurn { entry } => {
                against_rules.insert(move_location(located, entry));
                return;
            }
            WalkEvent::Leg { .. } | WalkEvent::Setup { .. } => return,
        };
        is_resolved[entry] = true;
        let Entry::Move(written) = &game.entries[entry] else { return };
        let legal = before.legal_moves();
        let expected: Vec<String> = meant.iter().map(|ply| notation::write(variant, ply, &legal)).collect();
        if expected != [written.text.as_str()] {
            let hint = broken_restriction(variant, &written.text, &expected[0]);
            let what = format!("{} should be written {}", quote(&written.text), expected.join(" or "));
            problems.push(Problem::error(move_location(located, entry), what).with_hint(hint));
        }
    });
    for (index, entry) in game.entries.iter().enumerate() {
        if let (Entry::Move(ply), false) = (entry, is_resolved[index]) {
            check_unresolved(variant, &ply.text, move_location(located, index), problems);
        }
    }
    if asks_rules {
        let said: BTreeSet<Location> = problems.list().iter().map(|problem| problem.location).collect();
        let forbidden = |problem: &Problem| problem.level == Level::Error || against_rules.contains(&problem.location);
        let found =
            walked.problems.into_iter().filter(|problem| forbidden(problem) && !said.contains(&problem.location));
        problems.extend(found.map(|problem| Problem { level: Level::Error, ..problem }));
    }
}

fn move_location(located: &LocatedGame, entry: usize) -> Location {
    located.locations.entries.get(entry).copied().unwrap_or(Location::START)
}

/// Returns the restriction that a notation breaks.
fn broken_restriction(variant: &Variant, written: &str, expected: &str) -> String {
    let squares = |text: &str| text.split(['-', 'x', ':']).map(str::to_owned).collect::<Vec<_>>();
    let (is, should) = (squares(written), squares(expected));
    if is == should {
        return format!("restriction 7: {} captures with `{}`", variant.name, variant.capture_separator);
    }
    if is.len() > 2 && should.len() == 2 {
        return "restriction 8: only ambiguous moves are written in full".to_owned();
    }
    if is.len() == 2 && should.len() > 2 {
        return "restriction 8: ambiguous moves are written in full".to_owned();
    }
    if is.len() > 2 {
        return "restriction 9: every square of the path and no other".to_owned();
    }
    "restriction 6: the notation of the game type".to_owned()
}

/// Checks the text of a move whose position is unknown.
fn check_unresolved(variant: &Variant, text: &str, place: Location, problems: &mut Problems) {
    let has_letters = text.bytes().any(|byte| matches!(byte, b'a'..=b'l'));
    if has_letters != (variant.game_type.notation().kind == NotationKind::Algebraic) {
        let message = format!("{} is not in the notation of the game type {}", quote(text), variant.game_type);
        problems.push(Problem::error(place, message).with_hint("restriction 6"));
    } else if text.contains(['x', ':']) && !text.contains(variant.capture_separator) {
        let message = format!("the captures of {} are written with `{}`", variant.name, variant.capture_separator);
        problems.push(Problem::error(place, message).with_hint("restriction 7"));
    } else if text.split('-').count() > 2 && variant.capture_separator != '-' {
        let message = format!("{} has more than two squares", quote(text));
        problems
            .push(Problem::error(place, message).with_hint("only captures have; they are written with their own sign"));
    }
}

/// Checks the value of a tag by its type in the standard. The empty value is always allowed.
fn check_value(name: &str, value: &str, place: Location, problems: &mut Problems) {
    if value.is_empty() {
        return;
    }
    let is_fine = match name {
        "Date" | "EventDate" | "UTCDate" => Date::strict(value).is_some(),
        "Time" | "UTCTime" => value == "?" || TagTime::is_time_of_day(value),
        "WhiteTime" | "BlackTime" => value == "?" || TagTime::is_time_used(value),
        "TimeControl" | "TimeControlWhite" | "TimeControlBlack" => value.parse::<TimeControl>().is_ok(),
        "PlyCount" => value == "?" || value.bytes().all(|byte| byte.is_ascii_digit()),
        "WhiteType" | "BlackType" => matches!(value, "?" | "human" | "program"),
        "GameType" => is_game_type(value),
        "FEN" => return check_fen(value, place, problems),
        _ => true,
    };
    if !is_fine {
        let hint = match name {
            "Date" | "EventDate" | "UTCDate" => "YYYY.MM.DD, ? for what is unknown",
            "Time" | "UTCTime" => "HH:MM:SS",
            "WhiteTime" | "BlackTime" => "H:MM or H:MM:SS",
            "TimeControl" | "TimeControlWhite" | "TimeControlBlack" => "seconds: 4800+60, 40/7200:3600, *120, ? or -",
            "PlyCount" => "a number",
            "WhiteType" | "BlackType" => "human or program",
            _ => "a number, or all attributes such as 20,W,10,10,N2,0",
        };
        problems.push(Problem::error(place, format!("{} is no value of the tag {name}", quote(value))).with_hint(hint));
    }
}

/// Whether this is a value of the tag `GameType` by the standard's grammar: `[0-9]+(,[WB],[0-9]+,[0-9]+,[ANS][0123](,[01])?)?`
pub fn is_game_type(text: &str) -> bool {
    let number = |text| take_while_m_n(1, 9, |c: char| c.is_ascii_digit()).parse(text);
    let notation = (one_of("ANS"), one_of("0123"));
    let board = (char(','), one_of("WB"), char(','), number, char(','), number, char(','), notation);
    let parsed: IResult<&str, _> = all_consuming((number, opt((board, opt((char(','), one_of("01"))))))).parse(text);
    parsed.is_ok()
}

/// Checks the Result tag against the ResultFormat tag, or else against the game type.
fn check_result(located: &LocatedGame, variant: &'static Variant, problems: &mut Problems) {
    let tags = &located.game.tags;
    let Some(at) = tags.iter().position(|tag| tag.name == "Result") else { return };
    let Some(result) = tags.get("Result").filter(|result| !result.is_empty()) else { return };
    let place = located.locations.tags.get(at).copied().unwrap_or(Location::START);
    let (is_fine, of) = match tags.get("ResultFormat").filter(|format| !format.is_empty()) {
        Some(format) => (tag_values::fits_result_format(format, result) != Some(false), format!("the format {format}")),
        None => {
            // Without a game type, or with one of another table, both of the standard's result types are accepted.
            let is_known = tags.get("GameType").is_some_and(|tag| Variant::from_tag(tag).is_ok());
            let fits = if is_known {
                variant.result_format.values().contains(&result)
            } else {
                tag_values::is_standard_result(result)
            };
            (fits, if is_known { variant.name.to_owned() } else { "any game type".to_owned() })
        }
    };
    if !is_fine {
        let message = format!("{} is no result of {of}", quote(result));
        let hint = match tags.get("ResultFormat").filter(|format| !format.is_empty()) {
            Some(format) => format!("as the format {format} counts"),
            None => format!("{}, or a ResultFormat tag", variant.result_format.values().join(", ")),
        };
        problems.push(Problem::error(place, message).with_hint(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_fens_of_standard_and_corrections() {
        for fen in [
            "W:W31-50:B1-20",
            "B:W18,24,K10:BK22,K25",
            "?:W29:B4",
            "W:W:B1,2",
            "B::",
            "W:Wa3,Kc3:Bb8,j8",
            "B:B1-16,18-21:W26,28,33-50",
        ] {
            assert!(is_fen(fen), "{fen}");
        }
        for fen in ["", "W", "W:W1,2.", "W: W1:B2", "W:W1K2:B3", "w:W1:B2", "W:W0:B1", "W:W1,:B2", "X:W1:B2"] {
            assert!(!is_fen(fen), "{fen}");
        }
    }

    #[test]
    fn checks_game_types_by_pattern() {
        assert!(["20", "20,W,10,10,N2,0", "0,W,8,8,S0", "98"].iter().all(|text| is_game_type(text)));
        assert!(["", "20,", "20,X,10,10,N2,0", "20,W,10,10,N4", "x"].iter().all(|text| !is_game_type(text)));
    }
}
