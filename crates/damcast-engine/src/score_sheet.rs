//! Finds the moves a board missed from a typed score sheet and returns them as legal plies.
//!
//! The text contains either all moves of the game or those after the last recorded move.

use draughts::{Color, Move, Position};
use draughts_pdn::game::{Entry as PdnEntry, MoveEntry, MoveNumber, UNKNOWN};
use draughts_pdn::problem::quote;
use draughts_pdn::reader::{self, any_at_least};
use draughts_pdn::{Level, Location, Problem, notation};

use crate::livefile::{EntryKind, LiveFileContents};

/// Move in the text.
struct SheetMove {
    text: String,
    location: Location,
}

/// Returns the moves of a text that a recorded game lacks, with numbers that continue the game:
/// `23. 37-32 18-23 24. 41-37`. Empty if the text has no moves.
///
/// # Errors
///
/// Returns a problem with line and column if a move is illegal or differs from the recorded move, or if the text only
/// repeats recorded moves.
pub fn missing_moves(recorded: &LiveFileContents, text: &str) -> Result<String, Problem> {
    let typed = parse_moves(text)?;
    let Some(first) = typed.first() else { return Ok(String::new()) };
    let start = recorded.header.start();
    let last = recorded.entries.last().map_or(start, |entry| entry.kind.position_after());
    let after_end = play_typed(last, &typed);
    let missing = match after_end {
        Ok(missing) => missing,
        Err((at, cause)) => match match_whole_game(recorded, start, last, &typed) {
            SheetMatch::Missing(missing) => missing,
            SheetMatch::Wrong(problem) => return Err(problem),
            SheetMatch::NotWholeGame => {
                let place = typed.get(at).unwrap_or(first).location;
                let hint = "type all moves of the game, or those behind the last one that the board recorded";
                return Err(Problem::error(place, cause).with_hint(hint));
            }
        },
    };
    if missing.is_empty() {
        return Err(Problem::error(first.location, "the board has all these moves"));
    }
    Ok(missing_moves_pdn(recorded, &missing))
}

/// Returns typed moves that are played from a position, each after its position.
///
/// # Errors
///
/// Returns a problem with line and column if the text has anything but moves, or if a move is illegal.
pub fn play(from: Position, text: &str) -> Result<Vec<(Position, Move)>, Problem> {
    let typed = parse_moves(text)?;
    play_typed(from, &typed).map_err(|(at, cause)| {
        let place = typed.get(at).map_or(Location::START, |typed| typed.location);
        Problem::error(place, cause)
    })
}

/// Parses the moves of the main line.
fn parse_moves(text: &str) -> Result<Vec<SheetMove>, Problem> {
    let (games, problems) = reader::read_located(text);
    if any_at_least(&problems, Level::Error) {
        let worst = problems.into_iter().find(|problem| problem.level == Level::Error);
        return Err(worst.unwrap_or_else(|| Problem::error(Location::START, "it cannot be read")));
    }
    if let Some(second) = games.get(1) {
        return Err(Problem::error(second.locations.start(), "here another game begins; the moves of one are wanted"));
    }
    let (mut typed, mut depth) = (Vec::new(), 0_u32);
    for located in games {
        for (entry, place) in located.game.entries.into_iter().zip(located.locations.entries) {
            match entry {
                PdnEntry::Open => depth += 1,
                PdnEntry::Close => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                PdnEntry::Move(MoveEntry { text, .. }) if text == UNKNOWN => {
                    return Err(Problem::error(place, "a move that nobody knows cannot be added"));
                }
                PdnEntry::Move(MoveEntry { text, .. }) => {
                    typed.push(SheetMove { text: text.to_string(), location: place })
                }
                PdnEntry::Setup(_) => {
                    return Err(Problem::error(place, "a position cannot be set up here; moves alone are wanted"));
                }
                PdnEntry::Comment(_) | PdnEntry::Nag(_) => {}
            }
        }
    }
    Ok(typed)
}

/// Plays moves from a position. The error has the index of the first unplayable move and the reason.
fn play_typed(from: Position, typed: &[SheetMove]) -> Result<Vec<(Position, Move)>, (usize, String)> {
    let mut position = from;
    let mut plies = Vec::with_capacity(typed.len());
    for (index, SheetMove { text, .. }) in typed.iter().enumerate() {
        let ply = notation::read(&position, text).map_err(|error| (index, error.to_string()))?;
        let after = position.play(&ply);
        plies.push((std::mem::replace(&mut position, after), ply));
    }
    Ok(plies)
}

/// Result of matching a text against the whole game.
enum SheetMatch {
    /// The text contains the whole game; these plies are missing on the board.
    Missing(Vec<(Position, Move)>),
    /// The text starts like the game and then has an error.
    Wrong(Problem),
    /// The text does not contain the whole game.
    NotWholeGame,
}

fn match_whole_game(recorded: &LiveFileContents, start: Position, last: Position, typed: &[SheetMove]) -> SheetMatch {
    let (played, wrong) = match play_typed(start, typed) {
        Ok(plies) => (plies, None),
        Err((at, cause)) => (play_typed(start, &typed[..at]).unwrap_or_default(), Some((at, cause))),
    };
    // Until the first setup, the entries are the first moves of the game.
    let own = recorded.entries.iter().map_while(|entry| match &entry.kind {
        EntryKind::Ply { ply, .. } => Some(ply),
        EntryKind::Setup(_) => None,
    });
    let own: Vec<&Move> = own.collect();
    let differs = own.iter().zip(&played).position(|(own, (_, ply))| *own != ply);
    if let Some(at) = differs.filter(|at| *at > 0) {
        let (before, _) = played[at];
        let recorded = notation::write(before.variant(), own[at], &before.legal_moves());
        let message = format!("here stands {}; the board recorded {recorded}", quote(&typed[at].text));
        return SheetMatch::Wrong(Problem::error(typed[at].location, message));
    }
    let after = |count: usize| match played.get(count) {
        Some((before, _)) => *before,
        None => played.last().map_or(start, |(before, ply)| before.play(ply)),
    };
    let at_the_end = (0..=played.len()).rev().filter(|count| after(*count) == last);
    let found = at_the_end.min_by_key(|count| count.abs_diff(recorded.entries.len()));
    match (found, wrong) {
        (Some(count), None) => SheetMatch::Missing(played[count..].to_vec()),
        (Some(_), Some((at, cause))) => SheetMatch::Wrong(Problem::error(typed[at].location, cause)),
        (None, Some((at, cause))) if differs.is_none() && at > 0 => {
            SheetMatch::Wrong(Problem::error(typed[at].location, cause))
        }
        (None, None) if differs.is_none() && played.len() < own.len() => {
            SheetMatch::Wrong(Problem::error(typed[0].location, "the board has all these moves"))
        }
        (None, _) => SheetMatch::NotWholeGame,
    }
}

/// Returns the PDN text of plies that follow a recorded game, with move numbers.
fn missing_moves_pdn(recorded: &LiveFileContents, missing: &[(Position, Move)]) -> String {
    let starter: Color = recorded.header.variant.game_type.starter();
    let (mut number, mut follows_starter) = (0, false);
    for entry in &recorded.entries {
        number = entry.number.map_or(number, |number| number.value);
        follows_starter = matches!(&entry.kind, EntryKind::Ply { position: before, .. } if before.turn() == starter);
    }
    let mut words = Vec::new();
    for (before, ply) in missing {
        let is_starter = before.turn() == starter;
        if is_starter || !follows_starter {
            number += 1;
            words.push(MoveNumber { value: number, ellipsis: !is_starter }.to_string());
        }
        follows_starter = is_starter;
        words.push(notation::write(before.variant(), ply, &before.legal_moves()));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(lines: &str) -> LiveFileContents {
        let text = format!("[White \"A\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n\n\n{lines}*\n");
        LiveFileContents::parse(1, &text).unwrap_or_else(|| panic!("no live file:\n{text}"))
    }

    fn missing(lines: &str, text: &str) -> Result<String, String> {
        missing_moves(&recorded(lines), text).map_err(|problem| problem.to_string())
    }

    const THREE: &str = "1. 32-28\n19-23\n2. 28x19\n";

    #[test]
    fn numbers_continue_after_last_move() {
        assert_eq!(missing(THREE, "14x23 37-32 10-14"), Ok("14x23 3. 37-32 10-14".to_owned()));
        assert_eq!(
            missing(THREE, "2... 14:23 {a comment} 3. 37-32 (3. 38-32) 10-14 1-1"),
            Ok("14x23 3. 37-32 10-14".to_owned())
        );
        assert_eq!(missing("1. 32-28\n19-23\n", "28x19 14x23"), Ok("2. 28x19 14x23".to_owned()));
        assert_eq!(missing(THREE, ""), Ok(String::new()));
    }

    #[test]
    fn accepts_whole_game() {
        let whole = "[White \"A\"]\n[GameType \"20\"]\n1. 32-28 19-23 2. 28x19 14x23 3. 37-32 2-0";
        assert_eq!(missing(THREE, whole), Ok("14x23 3. 37-32".to_owned()));
        // After a setup the board's numbers continue; earlier moves of the sheet are skipped.
        let set_up = "1. 32-28\n/FEN \"W:W28,31,33-50:B1-18,20,23\"/\n2. 28x19\n";
        assert_eq!(missing(set_up, "1. 32-28 19-23 2. 28x19 14x23"), Ok("14x23".to_owned()));
    }

    #[test]
    fn reports_place_of_mismatch() {
        let wrong = |text: &str| missing(THREE, text).unwrap_err();
        assert!(wrong("14x23\n37-31 10-14 41-37 31x1").starts_with("2:"), "{}", wrong("14x23\n37-31 10-14 41-37 31x1"));
        assert!(
            wrong("1. 32-28 18-23").starts_with("1:10: error: here stands `18-23`; the board recorded 19-23"),
            "{}",
            wrong("1. 32-28 18-23")
        );
        assert!(wrong("1. 32-28 19-23 2. 28x19").contains("the board has all these moves"));
        assert!(wrong("1. 32-28 19-23").contains("the board has all these moves"));
        assert!(
            wrong("1. 32-28 19-23 2. 28x19 14x23 3. 50-44").starts_with("1:34: error: 50-44 is not legal"),
            "{}",
            wrong("1. 32-28 19-23 2. 28x19 14x23 3. 50-44")
        );
        assert!(wrong("40-35").contains("type all moves of the game"), "{}", wrong("40-35"));
        assert!(wrong("14x23 *\n\n1. 32-28 *").contains("another game"));
        assert!(wrong("14x23 3. - -").contains("nobody knows"));
    }
}
