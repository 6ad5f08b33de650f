//! The command that sets a result, of a pairing or of a recorded game.

use draughts_pdn::tag_values::{self, Outcome};

use super::request::TournamentCommand;
use super::{Draft, Messages, Refusal};
use crate::{BoardGame, Event, Id, OfficialResult, Pairing, PairingKey, Points, ResultReason, Scoring, Tournament};

pub(super) fn give(draft: &mut Draft, command: &TournamentCommand) -> Messages {
    let TournamentCommand::Result { board, game, pairing, section, result, kind, correct } = command else {
        return Ok(Vec::new());
    };
    let kind = kind.as_deref().map(str::parse).transpose()?;
    let games = draft.boards.games;
    let game = match (pairing, board) {
        (Some(_), _) => None,
        (None, Some(board)) => Some(match game {
            Some(_) => games.find(board, *game)?,
            None => games.awaiting_result(&draft.state, board)?,
        }),
        (None, None) => return Err("say of which board or pairing".to_owned().into()),
    };
    if let Some(BoardGame { board, number, .. }) = game.filter(|game| !game.is_over) {
        return Err(format!("{board}, game {number}, goes on: `damcast ctl result {board} {result}` ends it").into());
    }
    let mut messages = Vec::new();
    let key = match (pairing, game) {
        (Some(name), _) => {
            let id = draft.state.find_pairing(name, section.as_deref())?;
            messages.extend(board.as_deref().and_then(|board| warn_of_other_board(draft, (name, id), board)));
            Some((id, None))
        }
        (None, Some(game)) => draft.state.pairing_of(game).filter(|key| draft.state.pairing(key.0).is_some()),
        (None, None) => None,
    };
    let message = match (key, game) {
        (Some(key), _) => of_pairing(draft, key, game, (result, kind), *correct)?,
        (None, Some(game)) => of_game(draft, game, result, *correct)?,
        (None, None) => return Ok(messages),
    };
    messages.insert(0, message);
    messages.extend(game.and_then(|game| later_game_note(draft, game)));
    Ok(messages)
}

/// Tells that the result is not that of a later game on the board.
fn later_game_note(draft: &Draft, game: &BoardGame) -> Option<String> {
    let later = draft.boards.games.last(&game.board).filter(|last| last.number > game.number)?;
    let is_of_pairing = draft.state.pairing_of(later).is_some_and(|key| draft.state.pairing(key.0).is_some());
    let (state, of) =
        (if later.is_over { "is over" } else { "goes on" }, if is_of_pairing { "" } else { " of no pairing" });
    Some(format!("this is the result of game {}; game {}{of} {state}", game.number, later.number))
}

/// Sets the result of a recorded game without a pairing.
fn of_game(draft: &mut Draft, game: &BoardGame, result: &str, correct: bool) -> Result<String, Refusal> {
    let none = (result == "*").then(|| result.to_owned());
    let value = none.or_else(|| tag_values::parse_result_words(game.format, result)).ok_or_else(|| {
        let known = game.format.map_or("any plain text".to_owned(), |format| format.describe());
        format!("`{result}` is not a result of this game; its results are {known}")
    })?;
    let called = draft.state.describe_game(game);
    let old = draft.state.shown_result(game);
    check_correction(&called, &old, &value, correct)?;
    draft.correct_tag(game, "Result", &value)?;
    Ok(format!("{called}: {value} (was {old})"))
}

/// Sets the result of a pairing, or of its game if a board was named.
pub(super) fn of_pairing(
    draft: &mut Draft,
    key: PairingKey,
    game: Option<&BoardGame>,
    (result, kind): (&str, Option<ResultReason>),
    correct: bool,
) -> Result<String, Refusal> {
    let (section, of) = draft.state.pairing(key.0).ok_or_else(|| "this pairing is gone".to_owned())?;
    let (scoring, old) = (section.scoring, of.result);
    let called = match game {
        Some(game) => draft.state.describe_game(game),
        None => section.describe_pairing(of),
    };
    let new = match parse_result(result, kind, &scoring)? {
        // A game of a micro-match counts as one game.
        Some(new) if key.1.is_none() || of.has_one_player() => {
            Some(Pairing::validated_result(of, new, &scoring).map_err(|reason| format!("{called}: {reason}"))?)
        }
        new => new,
    };
    if old.is_some() && old != new {
        check_correction(&called, &text(old), &text(new), correct)?;
    }
    let (pairing, stage) = key;
    let outcome = Outcome::parse(result).filter(|outcome| *outcome != Outcome::Open);
    match (stage.and(outcome), new) {
        (Some(outcome), _) => drop(draft.give_outcome(key, &Scoring::DRAUGHTS, outcome)?),
        (None, Some(result)) => drop(draft.emit(Event::ResultGiven { pairing, stage: None, result })?),
        (None, None) => {
            draft.emit(Event::ResultTakenBack { pairing, stage })?;
            // The live file still shows the result.
            let state = &draft.state;
            let is_it = |game: &&BoardGame| {
                state.pairing_of(game).is_some_and(|of| of.0 == pairing && (stage.is_none() || of.1 == stage))
            };
            if let Some(game) = draft.boards.games.all().rfind(is_it) {
                draft.correct_tag(game, "Result", "*")?;
            }
        }
    }
    let points = new.map(|new| new.to_string()).filter(|points| outcome.is_some() && result.trim() != points);
    let taken = points.map_or(String::new(), |points| format!("; {} counts as {points}", result.trim()));
    Ok(format!("{called}: {} (was {}){taken}", text(new), text(old)))
}

/// Parses a result as an arbiter writes it; `None` withdraws the result.
fn parse_result(result: &str, kind: Option<ResultReason>, scoring: &Scoring) -> Result<Option<OfficialResult>, String> {
    let given = |white: Points, black: Points, reason| {
        Ok(Some(OfficialResult { white, black, reason: kind.unwrap_or(reason) }))
    };
    let sides = result.split_once('-');
    let points = sides.and_then(|(white, black)| Some((Points::parse(white.trim())?, Points::parse(black.trim())?)));
    // By decision of the arbiter each side may have its own points.
    let is_decision = matches!(kind, Some(ResultReason::Arbiter | ResultReason::NotPlayed | ResultReason::Bye));
    let decided = points.filter(|(white, black)| is_decision && scoring.allows(*white) && scoring.allows(*black));
    let outcome = Outcome::parse(result).filter(|_| decided.is_none());
    match (outcome, ResultReason::of_draw(result), points) {
        (Some(Outcome::Open), _, _) => Ok(None),
        (Some(outcome), _, _) => {
            let (white, black) = scoring.points_of(outcome).unwrap_or_default();
            let is_lost = outcome == Outcome::BothLose;
            given(white, black, if is_lost { ResultReason::BothLost } else { ResultReason::Played })
        }
        (None, Some(plus), _) => given(scoring.draw, scoring.draw, plus),
        (None, None, Some((white, black))) => given(white, black, ResultReason::Played),
        (None, None, None) => Err(format!("`{result}` is no result, as 2-0, 1-1, 0-2, 12-0, or * for none")),
    }
}

fn text(result: Option<OfficialResult>) -> String {
    result.map_or("*".to_owned(), |result| {
        let reason = if result.reason == ResultReason::Played { "" } else { result.reason.name() };
        format!("{result} {reason}").trim_end().to_owned()
    })
}

fn check_correction(called: &str, old: &str, new: &str, correct: bool) -> Result<(), Refusal> {
    if old != "*" && old != new && !correct {
        return Err(format!("{called} has the result {old} already: --correct makes it {new}").into());
    }
    Ok(())
}

/// Warns if the named board does not play the pairing: the pairing counts.
fn warn_of_other_board(draft: &Draft, (name, id): (&str, Id), board: &str) -> Option<String> {
    let (state, games) = (&draft.state, draft.boards.games);
    let called = |state: &Tournament, id: Id| {
        let (section, of) = state.pairing(id)?;
        Some(format!("round {}, {}", of.round, section.names_of(of)))
    };
    let counts = |game: &&BoardGame| state.pairing_of(game).is_some_and(|key| key.0 == id) && !state.is_replayed(game);
    let counting: Vec<&BoardGame> = games.all().filter(counts).collect();
    let place = match counting.last() {
        Some(game) => game.board.as_str(),
        None => state.pairing(id).map_or("", |(_, pairing)| state.board_of(pairing)),
    };
    if place == board || counting.iter().any(|game| game.board == board) {
        return None;
    }
    let of_game = games.last(board).and_then(|game| state.pairing_of(game));
    let next = || state.board_assignments().into_iter().find(|next| next.board == board).map(|next| next.pairing);
    let of_board = of_game.or_else(next).and_then(|key| called(state, key.0));
    let means = of_board.unwrap_or_else(|| "no game of the tournament".to_owned());
    let place = if place.is_empty() { "on no board of the station" } else { &format!("on {place}") };
    Some(format!(
        "warning: the pairing counts, not the board: {board} means {means}, and pairing {name} is {}, {place}",
        called(state, id).unwrap_or_default()
    ))
}
