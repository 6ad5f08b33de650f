//! Commands about recorded games: players, pairing, moves and replays.

use super::{Draft, Messages};
use crate::{Deferral, Event, MOVES, REPLAYED, pdn_replacement};

/// Name of a board, and the number of a game on it.
type GameRef<'c> = (&'c str, Option<u32>);

pub(super) fn set_players(draft: &mut Draft, (board, number): GameRef, [white, black]: [&String; 2]) -> Messages {
    let game = draft.boards.games.find(board, number)?;
    if draft.state.pairing_of(game).is_some_and(|key| draft.state.pairing(key.0).is_some()) {
        return Err(names_belong_to_tournament(&format!("{board}, game {}", game.number)).into());
    }
    draft.correct_tag(game, "White", white)?;
    draft.correct_tag(game, "Black", black)?;
    let mut messages: Vec<String> = [white, black].into_iter().filter_map(|name| pdn_replacement(name)).collect();
    messages.push(format!("{white} and {black} are the players of {board}, game {}", game.number));
    Ok(messages)
}

/// Explains why the players of a game of the tournament are set elsewhere.
pub fn names_belong_to_tournament(game: &str) -> String {
    format!(
        "{game} is a game of the tournament and has its names from there: `damcast ctl rename-player OLD NEW` mends a name, `damcast ctl \
         substitute` or an import of the pairings who plays"
    )
}

pub(super) fn adopt(
    draft: &mut Draft,
    (board, number): GameRef,
    (pairing, section): (Option<&str>, Option<&str>),
    confirmed: bool,
) -> Messages {
    let games = draft.boards.games;
    let game = games.find(board, number)?;
    let old = draft.state.pairing_of(game).filter(|old| draft.state.pairing(old.0).is_some());
    let key = match pairing {
        Some(name) => {
            let id = draft.state.find_pairing(name, section)?;
            let (_, of) = draft.state.pairing(id).ok_or_else(|| "this pairing is gone".to_owned())?;
            // A game of a micro-match stays one of its stage.
            let same = old.and_then(|old| old.1).filter(|stage| of.games.iter().any(|game| game.stage == *stage));
            (id, same.or(of.next_stage()))
        }
        None => {
            let next = draft.state.board_assignments().into_iter().find(|next| next.board == board);
            let reason = || format!("{board} plays nothing in an open round: say with --pairing which, as 3.2");
            next.ok_or_else(reason)?.pairing
        }
    };
    if old.is_some_and(|old| old != key) && !confirmed {
        let game = draft.state.describe_game(game);
        return Err(format!("{game} is a game of another pairing: --confirm makes it one of this").into());
    }
    let parts = games.parts_of(game);
    // The official result that this game gave its old pairing moves with it.
    let moved = old.filter(|old| *old != key).and_then(|old| Some((old, draft.result_from(parts.last()?, old)?)));
    if draft.state.is_replayed(game) {
        if let Some(other) = games.latest_of(&draft.state, key) {
            let other = draft.state.describe_game(other);
            return Err(format!("{other} counts for this pairing: `damcast ctl replay` first").into());
        }
        draft.undo_replay(&parts, key)?;
    }
    for part in parts {
        draft.assign_game(part, key)?;
    }
    let mut messages = Vec::new();
    if let Some((old, result)) = moved {
        let freed = draft.state.pairing(old.0).map(|(of, pairing)| of.describe_pairing(pairing)).unwrap_or_default();
        messages.push(format!("{freed}: the result is removed, because it came from this game"));
        let before = draft.state.pairing(old.0).map(|(section, pairing)| (section.scoring, pairing.result));
        draft.take_result_back(old)?;
        let (from, to) = (before, draft.state.pairing(key.0));
        let is_same = from.as_ref().zip(to).is_some_and(|((scoring, _), (section, _))| *scoring == section.scoring);
        let given = from.and_then(|(_, result)| result).filter(|_| is_same && key.1.is_none());
        match (to.is_some_and(|(_, pairing)| pairing.has_result(key.1)), given) {
            (true, _) => messages
                .push(format!("this pairing has a result and keeps it; the result {result} of the game is not used")),
            (false, Some(result)) => drop(draft.emit(Event::ResultGiven { pairing: key.0, stage: None, result })?),
            (false, None) => drop(draft.set_board_result(key, &result)?),
        }
    }
    let (of, pairing) = draft.state.pairing(key.0).ok_or_else(|| "this pairing is gone".to_owned())?;
    let (number, round, names) = (game.number, pairing.round, of.names_of(pairing));
    messages.insert(0, format!("{board}, game {number}, is the game of round {round}, {names}"));
    Ok(messages)
}

/// Adds moves that were checked against the recorded game; an empty text removes added moves.
pub(super) fn add_moves(draft: &mut Draft, (board, number): GameRef, file: &str, moves: &str) -> Messages {
    let game = draft.boards.games.find(board, number)?;
    let known = draft.state.corrected(&game.board, game.number).and_then(|known| known.tags.get(MOVES));
    if moves.is_empty() && known.is_none_or(|known| known.value.is_empty()) {
        return Err(format!("{file} has no moves, and none were added to {board}, game {}", game.number).into());
    }
    let called = draft.state.describe_game(game);
    draft.correct_tag(game, MOVES, moves)?;
    Ok(vec![match moves {
        "" => format!("{called}: what was added is taken back"),
        moves => format!("{called}: {moves} are added; its live file stays as it is"),
    }])
}

pub(super) fn replay(draft: &mut Draft, name: &str, section: Option<&str>) -> Messages {
    let games = draft.boards.games;
    let pairing = draft.state.find_pairing(name, section)?;
    let state = &draft.state;
    let counting = |game: &crate::BoardGame| {
        state.pairing_of(game).is_some_and(|key| key.0 == pairing) && !state.is_replayed(game)
    };
    let game = games.all().rfind(|game| counting(game)).filter(|game| game.is_over);
    let reason = || format!("pairing {name} has no game that is over; what goes on can be given a result");
    let game = game.ok_or_else(reason)?;
    let (_, stage) = state.pairing_of(game).unwrap_or((pairing, None));
    let mut messages = vec![format!("{}: it no longer counts; the pairing is replayed", state.describe_game(game))];
    for part in games.parts_of(game) {
        draft.emit(Event::ResultTakenBack { pairing, stage })?;
        draft.correct_tag(part, "Result", "*")?;
        draft.correct_tag(part, REPLAYED, "yes")?;
    }
    let is_open = draft.state.board_assignments().iter().any(|next| next.pairing.0 == pairing);
    if !is_open {
        draft.emit(Event::PairingDeferred { pairing, deferral: Some(Deferral::Postponed) })?;
        draft.emit(Event::PairingMoved { pairing, board: None, from: None })?;
        messages.push(format!("`damcast ctl play-on {name} BOARD` says where"));
    }
    Ok(messages)
}
