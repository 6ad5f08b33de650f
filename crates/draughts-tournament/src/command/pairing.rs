//! Commands about pairings: substitution, postponement, another board.

use super::lookup::{describe_choices, find_players, no_player};
use super::player::check_name;
use super::{Draft, Messages};
use crate::value::numbered::next_number;
use crate::{Bye, ByeKind, Deferral, Event, Id, Pairing, Player, Tournament};

pub(super) fn substitute(
    draft: &mut Draft,
    (name, section): (&str, Option<&str>),
    (player, substitute): (&str, &str),
    confirmed: bool,
) -> Messages {
    let pairing = draft.state.find_pairing(name, section)?;
    let (section, of) = draft.state.pairing(pairing).ok_or_else(pairing_is_gone)?;
    let plays = |id: Id| [of.white, of.black].contains(&Some(id));
    let old = match find_players(section, player).as_slice() {
        [] => return Err(no_player(player).into()),
        [one] => one.id,
        // Of several players with this name, prefer the one in the pairing.
        several => match several.iter().find(|player| plays(player.id)) {
            Some(player) => player.id,
            None => return Err(describe_choices(section, several, player).into()),
        },
    };
    let new = match find_players(section, substitute).as_slice() {
        [one] => one.id,
        several @ [_, ..] => return Err(describe_choices(section, several, substitute).into()),
        [] if !confirmed => {
            let section = &section.name;
            return Err(format!("{substitute} is no player of {section}: with --confirm he becomes one").into());
        }
        [] => {
            check_name(substitute)?;
            let (section, team) = (section.id, section.player(old).and_then(|player| player.team));
            let id = Id(next_number(&draft.state, |section| &section.players));
            let player = Player { id, name: substitute.to_owned(), team, ..Player::default() };
            draft.emit(Event::PlayerEntered { section, player })?;
            id
        }
    };
    let (section, of) = draft.state.pairing(pairing).ok_or_else(pairing_is_gone)?;
    if ![of.white, of.black].contains(&Some(old)) {
        return Err(format!("{player} does not play this pairing").into());
    }
    let (round, name) = (of.round, section.name_of(Some(new)).to_owned());
    let mut messages = vec![format!("{name} plays for {}", section.name_of(Some(old)))];
    let is_free = |bye: &&Bye| {
        (bye.round, bye.player) == (round, new) && matches!(bye.kind, ByeKind::NoOpponent | ByeKind::Absent)
    };
    let free: Vec<Bye> = section.byes.iter().filter(is_free).cloned().collect();
    for bye in free {
        let what = if bye.kind == ByeKind::Absent { "absence" } else { "bye" };
        messages.push(format!("the {what} of {name} in round {round} is removed"));
        draft.emit(Event::ByeDropped { bye: bye.id })?;
    }
    // A player who waits for an opponent changes places with the one who does not play.
    let waits = |of: &&Pairing| of.round == round && of.has_one_player() && [of.white, of.black].contains(&Some(new));
    let section = draft.state.pairing(pairing).map(|(section, _)| section);
    let alone = section.and_then(|section| section.pairings.iter().find(waits)).map(|of| of.id);
    let replaced = section.map_or(String::new(), |section| section.name_of(Some(old)).to_owned());
    draft.emit(Event::PlayerSubstituted { pairing, player: old, substitute: new })?;
    if let Some(alone) = alone {
        messages.push(format!("{replaced} gets the pairing without an opponent that {name} had; it needs a result"));
        draft.emit(Event::ResultTakenBack { pairing: alone, stage: None })?;
        draft.emit(Event::PlayerSubstituted { pairing: alone, player: new, substitute: old })?;
    }
    Ok(messages)
}

pub(super) fn postpone(draft: &mut Draft, name: &str, section: Option<&str>, undo: bool) -> Messages {
    let pairing = draft.state.find_pairing(name, section)?;
    let has_game = |game| draft.state.pairing_of(game).is_some_and(|key| key.0 == pairing);
    let was_begun = draft.boards.games.all().any(has_game);
    let deferral = if was_begun { Deferral::Adjourned } else { Deferral::Postponed };
    let called = without_result(&draft.state, pairing)?;
    draft.emit(Event::PairingDeferred { pairing, deferral: (!undo).then_some(deferral) })?;
    draft.emit(Event::PairingMoved { pairing, board: None, from: None })?;
    Ok(vec![format!("{called} is {}", if undo { "played with its round" } else { deferral.name() })])
}

pub(super) fn play_on_board(draft: &mut Draft, name: &str, board: &str, section: Option<&str>) -> Messages {
    let pairing = draft.state.find_pairing(name, section)?;
    let called = without_result(&draft.state, pairing)?;
    if !draft.boards.names.iter().any(|known| known == board) {
        return Err(format!("there is no board {board}").into());
    }
    let other = draft.state.elsewhere().find(|(_, other)| other.board_override == board && other.id != pairing);
    if let Some((of, other)) = other {
        return Err(format!("{board} is to play {} of round {}", of.names_of(other), other.round).into());
    }
    let from = Some(draft.boards.games.last(board).map_or(0, |last| last.number) + 1);
    draft.emit(Event::PairingMoved { pairing, board: Some(board.to_owned()), from })?;
    Ok(vec![format!("{called} is the next game of {board}, whatever round is open")])
}

fn pairing_is_gone() -> String {
    "this pairing is gone".to_owned()
}

/// Returns the description of a pairing without a result, which can still be played.
fn without_result(state: &Tournament, id: Id) -> Result<String, String> {
    let (section, pairing) = state.pairing(id).ok_or_else(pairing_is_gone)?;
    let called = format!("round {}, {}", pairing.round, section.names_of(pairing));
    match pairing.result {
        None => Ok(called),
        Some(_) => Err(format!("{called} has a result: `damcast ctl replay` plays it again, or take it back first")),
    }
}
