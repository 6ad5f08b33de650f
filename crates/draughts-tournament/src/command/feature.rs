//! Command that chooses the featured board.

use super::{Draft, Messages};
use crate::value::featured::{FEATURED_SECONDS, MAX_FEATURED_BOARDS};
use crate::{Event, FeaturedChoice};

/// Time for each of several boards if the command has none, in seconds.
const DEFAULT_SECONDS: u32 = 20;

pub(super) fn feature(draft: &mut Draft, boards: &[String], every: Option<u32>, most_moves: bool) -> Messages {
    let choice = choice(draft, boards, every, most_moves)?;
    let message = choice.to_string();
    Ok(draft.emit(Event::Featured(choice))?.then_some(message).into_iter().collect())
}

fn choice(draft: &Draft, boards: &[String], every: Option<u32>, most_moves: bool) -> Result<FeaturedChoice, String> {
    if let Some(board) = boards.iter().find(|board| !is_known(draft, board)) {
        return Err(format!("there is no board {board}; give names or numbers as `damcast status` shows them"));
    }
    let (first, last) = FEATURED_SECONDS.into_inner();
    if let Some(every) = every.filter(|every| !FEATURED_SECONDS.contains(every)) {
        return Err(format!("invalid time for each board, {every} s: expected {first} to {last} s"));
    }
    match (boards, every, most_moves) {
        ([], None, true) => Ok(FeaturedChoice::MostMoves),
        ([], None, false) => Ok(FeaturedChoice::Off),
        ([], Some(_), _) | ([_], Some(_), false) => Err("a time is for several boards: name at least two".to_owned()),
        ([_, ..], _, true) => Err("name boards, or leave the choice to the moves, not both".to_owned()),
        ([board], None, false) => Ok(FeaturedChoice::Board { board: board.clone() }),
        (_, every, false) if boards.len() <= MAX_FEATURED_BOARDS => {
            Ok(FeaturedChoice::InTurn { boards: boards.to_vec(), every: every.unwrap_or(DEFAULT_SECONDS) })
        }
        _ => Err(format!(
            "{} boards are too many to be featured in turn: name up to {MAX_FEATURED_BOARDS}",
            boards.len()
        )),
    }
}

/// Whether the station has a board with this name or number. Without a station, any text of a usual length counts.
fn is_known(draft: &Draft, board: &str) -> bool {
    let boards = &draft.boards;
    if boards.names.is_empty() {
        return (1..=200).contains(&board.len());
    }
    let numbered = || boards.numbered(board.parse().ok().filter(|number: &u32| number.to_string() == board)?);
    boards.names.iter().any(|name| name == board) || numbered().is_some()
}

#[cfg(test)]
mod tests {
    use crate::{BoardGames, Boards, FeaturedChoice, Refusal, Tournament, TournamentCommand, decide};

    fn choice(boards: &str, every: Option<u32>, most_moves: bool) -> Result<FeaturedChoice, String> {
        let games = BoardGames::default();
        let names = ["hall-1", "hall-2"].map(str::to_owned);
        let by_number = names.clone().map(Some);
        let known = Boards { names: &names, by_number: &by_number, ..Boards::unknown(&games) };
        let boards = boards.split_whitespace().map(str::to_owned).collect();
        let command = TournamentCommand::Feature { boards, every, most_moves };
        match decide(&Tournament::default(), &known, &command, false) {
            Ok(decision) => Ok(decision.after.featured),
            Err(Refusal::Impossible(reasons)) => Err(reasons.join(" ")),
            Err(refusal) => Err(format!("{refusal:?}")),
        }
    }

    #[test]
    fn boards_are_featured_by_name_number_or_moves() {
        let board = |board: &str| FeaturedChoice::Board { board: board.to_owned() };
        assert_eq!(choice("hall-2", None, false), Ok(board("hall-2")));
        assert_eq!(choice("2", None, false), Ok(board("2")));
        let boards = vec!["1".to_owned(), "hall-2".to_owned()];
        assert_eq!(choice("1 hall-2", Some(5), false), Ok(FeaturedChoice::InTurn { boards, every: 5 }));
        assert_eq!(choice("1 2", None, false).unwrap().every(), Some(20));
        assert_eq!(choice("", None, true), Ok(FeaturedChoice::MostMoves));
        assert_eq!(choice("", None, false), Ok(FeaturedChoice::Off));
    }

    #[test]
    fn impossible_choice_is_refused_with_reason() {
        for (boards, every, most_moves, reason) in [
            ("3", None, false, "there is no board 3"),
            ("+1", None, false, "there is no board +1"),
            ("hall-1 hall-9", None, false, "there is no board hall-9"),
            ("1", Some(20), false, "name at least two"),
            ("", Some(20), true, "name at least two"),
            ("1 2", Some(4), false, "expected 5 to 3600 s"),
            ("1 2", None, true, "not both"),
            (&*"1 ".repeat(65), None, false, "65 boards are too many"),
        ] {
            let refusal = choice(boards, every, most_moves).unwrap_err();
            assert!(refusal.contains(reason), "{boards}: {refusal}");
        }
    }
}
