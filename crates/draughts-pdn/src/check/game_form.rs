//! Whether a game is as the standard requires programs to write it: values of tags, and restrictions 6 to 9 against the position.

use std::collections::BTreeSet;

use nom::bytes::complete::take_while_m_n;
use nom::character::complete::{char, one_of};
use nom::combinator::{all_consuming, opt};
use nom::{IResult, Parser};

use super::fen_form::{check_fen, check_squares};
use super::infer;
use super::replay::{self, KnownBy, WalkEvent};
use crate::game::Entry;
use crate::notation;
use crate::problem::{Level, Location, Problem, Problems, quote};
use crate::reader::LocatedGame;
use crate::tag_values::{self, Date, TagTime};
use crate::time_control::TimeControl;
use draughts::{NotationKind, Variant};

/// Returns the problems of a game's tags by their types, and by restrictions 6 to 9, by place.
pub(super) fn check_game(
    located: &LocatedGame,
    known_variant: Option<&'static Variant>,
    asks_rules: bool,
) -> Vec<Problem> {
    let mut problems = Problems::default();
    find_problems(located, known_variant, asks_rules, &mut problems);
    problems.into_sorted()
}

fn find_problems(
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
        check_result_of(located, found.variant, problems);
        return;
    }
    let is_played = game.moves().next().is_some();
    for problem in found.problems.into_iter().filter(|_| is_played && says_type) {
        problems.push(
            Problem::error(problem.location, problem.message)
                .with_hint("restriction 6: moves are written as the GameType says"),
        );
    }
    check_result_of(located, found.variant, problems);
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
            WalkEvent::Move { entry, before, ply, .. } => (entry, before, &Vec::from_iter(ply.ply(before))[..]),
            WalkEvent::Ambiguous { entry, before, candidates } => (entry, before, candidates),
            WalkEvent::Illegal { entry } | WalkEvent::OutOfTurn { entry } => {
                against_rules.insert(move_location(located, entry));
                return;
            }
            WalkEvent::Leg { .. } | WalkEvent::Setup { .. } => return,
        };
        is_resolved[entry] = true;
        let Entry::Move(written) = &game.entries[entry] else { return };
        let expected: Vec<String> = meant.iter().map(|ply| notation::write_in(before, ply)).collect();
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
pub(super) fn check_value(name: &str, value: &str, place: Location, problems: &mut Problems) {
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
fn check_result_of(located: &LocatedGame, variant: &'static Variant, problems: &mut Problems) {
    let tags = &located.game.tags;
    let at = tags.iter().position(|tag| tag.name == "Result");
    let place = at.and_then(|at| located.locations.tags.get(at)).copied().unwrap_or(Location::START);
    check_result(&|name| tags.get(name), place, variant, problems);
}

/// [`check_result_of`] with the values of tags by name, and the place of the Result tag.
pub(super) fn check_result<'t>(
    tag: &dyn Fn(&str) -> Option<&'t str>,
    place: Location,
    variant: &'static Variant,
    problems: &mut Problems,
) {
    let Some(result) = tag("Result").filter(|result| !result.is_empty()) else { return };
    let format = tag("ResultFormat").filter(|format| !format.is_empty());
    let is_fine = match format {
        Some(format) => tag_values::fits_result_format(format, result) != Some(false),
        None if is_game_known(tag) => variant.result_format.values().contains(&result),
        None => tag_values::is_standard_result(result),
    };
    if !is_fine {
        let of = match format {
            Some(format) => format!("the format {format}"),
            None if is_game_known(tag) => variant.name.to_owned(),
            None => "any game type".to_owned(),
        };
        let message = format!("{} is no result of {of}", quote(result));
        let hint = match format {
            Some(format) => format!("as the format {format} counts"),
            None => format!("{}, or a ResultFormat tag", variant.result_format.values().join(", ")),
        };
        problems.push(Problem::error(place, message).with_hint(hint));
    }
}

/// Whether the GameType tag names a game of the standard; if not, both of the standard's result types are accepted.
fn is_game_known<'t>(tag: &dyn Fn(&str) -> Option<&'t str>) -> bool {
    tag("GameType").is_some_and(|tag| Variant::from_tag(tag).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_game_types_by_pattern() {
        assert!(["20", "20,W,10,10,N2,0", "0,W,8,8,S0", "98"].iter().all(|text| is_game_type(text)));
        assert!(["", "20,", "20,X,10,10,N2,0", "20,W,10,10,N4", "x"].iter().all(|text| !is_game_type(text)));
    }
}
