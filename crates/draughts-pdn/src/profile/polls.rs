//! Compares two polls of a file as the relay of lidraughts.org does.
//!
//! The relay knows the games of a file by their place in it. It adds new moves to the game that stood at the same place before, and parses a game
//! again only if its text has changed. So games must keep their places and names for a round, and finished games their text.

use crate::encoding::{self, Encoding};
use crate::tag_values::Outcome;

use super::lidraughts::{self, MAX_GAMES, tag_value};

/// Tags that must stay the same at each place.
const IDENTITY_TAGS: [&str; 5] = ["White", "Black", "Round", "Event", "Site"];
/// Number of games named in a message.
const MAX_NAMED_GAMES: usize = 3;

/// Difference between two polls that misleads viewers of the relay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PollDifference {
    /// Problem in words.
    pub message: String,
    /// Remedy.
    pub remedy: &'static str,
}

/// Game of a poll.
struct PolledGame<'t> {
    text: &'t str,
    identity: [String; IDENTITY_TAGS.len()],
    /// Final result; `None` while the game goes on.
    result: Option<String>,
}

impl PolledGame<'_> {
    /// Returns the players and the round, for messages.
    fn describe(&self) -> String {
        let [white, black, round, ..] = &self.identity;
        let name = |name: &str| if name.is_empty() { "?".to_owned() } else { name.escape_debug().to_string() };
        let round = if round.is_empty() { String::new() } else { format!(", round {}", name(round)) };
        format!("{} - {}{round}", name(white), name(black))
    }
}

/// Returns the number of games that do not fit into one file of the relay; `None` if all fit.
pub fn count_excess_games(bytes: &[u8]) -> Option<usize> {
    let (text, _) = encoding::decode(bytes, Encoding::Detect);
    lidraughts::games(&text).len().checked_sub(MAX_GAMES).filter(|excess| *excess > 0)
}

/// Returns the differences between two polls that the relay would show wrong.
pub fn compare(first: &[u8], second: &[u8]) -> Vec<PollDifference> {
    let [first, second] = [first, second].map(|bytes| encoding::decode(bytes, Encoding::Detect).0);
    let (first, second) = (games(&first), games(&second));
    let mut differences = Vec::new();
    let missing = not_found_in(&first, &second);
    if missing.is_empty() {
        differences.extend(changed_places(&first, &second));
    } else if missing.len() == first.len() {
        differences.push(PollDifference {
            message: format!("no game of the first answer is in the second one: {}", list(&first, &missing)),
            remedy: "give the address of one round; if a round has just begun, check again",
        });
    } else {
        let are = if missing.len() == 1 { "is" } else { "are" };
        differences.push(PollDifference {
            message: format!("{} of {} games {are} missing in the second answer: {}", missing.len(), first.len(), list(&first, &missing)),
            remedy: "bring back the hall, section or file that is missing, at its old place; a name that was changed makes its game another one",
        });
    }
    differences.extend(changed_texts(&first, &second));
    differences
}

fn games(text: &str) -> Vec<PolledGame<'_>> {
    let game = |(text, tags): (_, lidraughts::Tags)| {
        let value = |name| tag_value(&tags, name).unwrap_or_default().trim().to_owned();
        let result = Some(value("Result"));
        let is_final = |result: &String| Outcome::parse(result).is_some_and(|outcome| outcome != Outcome::Open);
        PolledGame { text, identity: IDENTITY_TAGS.map(value), result: result.filter(is_final) }
    };
    lidraughts::games(text).into_iter().map(game).collect()
}

/// Returns the indices of games that another poll has fewer times.
fn not_found_in(games: &[PolledGame<'_>], other: &[PolledGame<'_>]) -> Vec<usize> {
    let mut remaining: Vec<_> = other.iter().map(|game| &game.identity).collect();
    let mut missing = Vec::new();
    for (index, game) in games.iter().enumerate() {
        match remaining.iter().position(|identity| **identity == game.identity) {
            Some(at) => drop(remaining.swap_remove(at)),
            None => missing.push(index),
        }
    }
    missing
}

/// Returns the difference if a game stands at another place.
fn changed_places(first: &[PolledGame<'_>], second: &[PolledGame<'_>]) -> Option<PollDifference> {
    let is_moved = |index: &usize| first[*index].identity != second[*index].identity;
    let moved: Vec<usize> = (0..first.len().min(second.len())).filter(is_moved).collect();
    let (&at, game) = moved.first().map(|at| (at, &first[*at]))?;
    let place = second.iter().position(|other| other.identity == game.identity)? + 1;
    let others = if moved.len() > 1 { format!("; {} places have other games", moved.len()) } else { String::new() };
    Some(PollDifference {
        message: format!(
            "the games changed their places: {} was game {} and is game {place}{others}",
            game.describe(),
            at + 1
        ),
        remedy: "keep the order of boards and halls for the whole round; add new games at the end",
    })
}

/// Returns a difference for finished games whose text has changed.
fn changed_texts(first: &[PolledGame<'_>], second: &[PolledGame<'_>]) -> Option<PollDifference> {
    let is_changed = |index: &usize| {
        let game = &first[*index];
        let at_place = second.get(*index).filter(|other| other.identity == game.identity);
        let other = at_place.or_else(|| second.iter().find(|other| other.identity == game.identity));
        game.result.is_some() && other.is_some_and(|other| other.text != game.text)
    };
    let changed: Vec<usize> = (0..first.len()).filter(is_changed).collect();
    (!changed.is_empty()).then(|| PollDifference {
        message: format!("a finished game changed between the answers: {}", list(first, &changed)),
        remedy: "if a result or a name was corrected, check again; else let one program alone write the file",
    })
}

/// Returns the first of some games as words.
fn list(games: &[PolledGame<'_>], indices: &[usize]) -> String {
    let named =
        indices.iter().take(MAX_NAMED_GAMES).map(|index| format!("game {} ({})", index + 1, games[*index].describe()));
    let named = named.collect::<Vec<_>>().join(", ");
    match indices.len().saturating_sub(MAX_NAMED_GAMES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(white: &str, round: u32, result: &str, moves: &str) -> String {
        format!(
            "[Event \"Cup\"]\n[Site \"Hall\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"Z\"]\n[Result \"{result}\"]\n\n{moves} *\n\n"
        )
    }

    fn messages(first: &[String], second: &[String]) -> Vec<String> {
        let found = compare(first.concat().as_bytes(), second.concat().as_bytes());
        found.into_iter().map(|difference| difference.message).collect()
    }

    #[test]
    fn moves_results_and_games_at_end_are_no_difference() {
        let first = [game("A", 1, "*", "1. 32-28"), game("B", 1, "2-0", "1. 31-26"), game("C", 1, "*", "")];
        let second = [
            game("A", 1, "1-1", "1. 32-28 19-23"),
            first[1].clone(),
            game("C", 1, "*", "1. 32-28"),
            game("D", 1, "*", ""),
        ];
        assert_eq!(messages(&first, &second), [""; 0]);
        let twins = [game("A", 1, "*", "1. 32-28"), game("A", 1, "*", "")];
        assert_eq!(messages(&twins, &twins), [""; 0]);
    }

    #[test]
    fn names_swapped_missing_and_changed_games() {
        let first = ["A", "B", "C", "D", "E"].map(|white| game(white, 3, "*", "1. 32-28"));
        let mut swapped = first.clone();
        swapped.swap(1, 3);
        assert_eq!(
            messages(&first, &swapped),
            ["the games changed their places: B - Z, round 3 was game 2 and is game 4; 2 places have other games"]
        );
        assert_eq!(
            messages(&first, &first[2..]),
            ["2 of 5 games are missing in the second answer: game 1 (A - Z, round 3), game 2 (B - Z, round 3)"]
        );
        let mut renamed = first.clone();
        renamed[4] = game("Eve", 3, "*", "1. 32-28");
        assert_eq!(
            messages(&first, &renamed),
            ["1 of 5 games is missing in the second answer: game 5 (E - Z, round 3)"]
        );
        let next_round = ["A", "B", "C", "D", "E"].map(|white| game(white, 4, "*", ""));
        assert_eq!(
            messages(&first, &next_round),
            ["no game of the first answer is in the second one: game 1 (A - Z, round 3), game 2 (B - Z, round 3), \
              game 3 (C - Z, round 3) and 2 more"]
        );
        let over = [game("A", 3, "2-0", "1. 32-28"), first[1].clone()];
        let changed = [game("A", 3, "2-0", "1. 32-27"), first[1].clone()];
        assert_eq!(messages(&over, &changed), ["a finished game changed between the answers: game 1 (A - Z, round 3)"]);
        let reopened = [game("A", 3, "*", "1. 32-28"), first[1].clone()];
        assert_eq!(messages(&over, &reopened).len(), 1);
    }

    #[test]
    fn counts_games_beyond_limit() {
        let file = |count: usize| (0..count).map(|n| game(&format!("A{n}"), 1, "*", "")).collect::<String>();
        assert_eq!(count_excess_games(file(64).as_bytes()), None);
        assert_eq!(count_excess_games(file(66).as_bytes()), Some(2));
        assert_eq!(count_excess_games(b""), None);
        assert_eq!(compare(b"", b"\xff\xfe["), []);
    }
}
