//! Commands about rounds.

use super::{Draft, Messages, Refusal};
use crate::{BoardGame, Event, Id, Pairing, RoundState, Tournament, TournamentSection};

pub(super) fn set_state(
    draft: &mut Draft,
    (round, to): (u32, &str),
    section: Option<&str>,
    confirmed: bool,
) -> Messages {
    let to: RoundState = to.parse()?;
    let missing = missing_results(&draft.state, section, round);
    if to == RoundState::Closed && !missing.is_empty() && !confirmed {
        let mut reasons = missing;
        reasons
            .push(format!("round {round} is not closed: these results are missing; repeat with --confirm to close it"));
        return Err(Refusal::Impossible(reasons));
    }
    if to == RoundState::Open {
        let doubts = doubts_of_opening(draft, section, round);
        draft.doubts.extend(doubts);
    }
    let mut messages = set_round_state(draft, section, round, to)?;
    if to == RoundState::Closed {
        messages.extend(deferred_pairings(&draft.state, section, round));
    }
    if to == RoundState::Open {
        draft.derive_board_changes()?;
        let state = &draft.state;
        let next = state.board_assignments();
        let of_round =
            next.iter().filter(|next| state.pairing(next.pairing.0).is_some_and(|(_, of)| of.round == round));
        let early = of_round.filter_map(|next| draft.boards.games.unassigned_game(state, next));
        messages.extend(early.map(|BoardGame { board, number, .. }| {
            format!("{board}, game {number}, began before: `damcast ctl adopt {board}` if it is a game of this round")
        }));
    }
    Ok(messages)
}

/// Closes the open round of each section, and opens the next one.
pub(super) fn next(draft: &mut Draft, of: Option<&str>) -> Result<(Vec<String>, Vec<String>), Refusal> {
    if let Some(name) = of.filter(|name| draft.state.section(name).is_none()) {
        return Err(format!("there is no section {name}; there are {}", draft.state.section_names()).into());
    }
    let sections = draft.state.sections.iter().filter(|section| of.is_none_or(|name| section.name == name));
    let turns: Vec<(String, Option<u32>, u32)> = sections
        .filter_map(|section| Some((section.name.clone(), section.open_round(), next_round(section)?)))
        .collect();
    if turns.is_empty() {
        return Err("there is no next round: import its pairings first, or close this one with `round close`"
            .to_owned()
            .into());
    }
    let (mut messages, mut notes) = (Vec::new(), Vec::new());
    for (name, open, next) in turns {
        let name = Some(name.as_str());
        if let Some(open) = open {
            let doubts: Vec<String> =
                pairings(&draft.state, name, open).filter_map(|(_, pairing)| unfinished(draft, pairing)).collect();
            draft.doubts.extend(doubts);
            messages.extend(set_round_state(draft, name, open, RoundState::Closed)?);
            messages.extend(deferred_pairings(&draft.state, name, open));
        }
        messages.extend(set_round_state(draft, name, next, RoundState::Open)?);
        draft.derive_board_changes()?;
        notes.extend(boards_of_round(draft, name, next));
    }
    Ok((messages, notes))
}

/// Returns the round after the last one that was opened: the first with pairings that never was.
fn next_round(section: &TournamentSection) -> Option<u32> {
    let last = section.rounds.iter().filter(|round| round.open_seq > 0).max_by_key(|round| round.open_seq);
    let last = last.map_or(0, |round| round.number);
    let is_to_come = |round: &u32| section.state_of(*round) < RoundState::Open && !section.round(*round).is_empty();
    (last + 1..=section.last_round()).find(is_to_come)
}

/// Describes a pairing of the open round that has no result, or whose game goes on.
fn unfinished(draft: &Draft, pairing: &Pairing) -> Option<String> {
    let (section, _) = draft.state.pairing(pairing.id)?;
    let game = draft.boards.games.latest_of(&draft.state, (pairing.id, pairing.next_stage()));
    let running = game.filter(|game| !game.is_over);
    let called = describe(section, pairing);
    if pairing.is_awaited() {
        let shown = match running {
            Some(game) => draft.boards.proposed.get(&game.board).cloned(),
            None => game.and_then(|game| game.result.clone()).filter(|result| result != "*"),
        };
        let goes_on = if running.is_some() { ", and its game goes on" } else { "" };
        let shown = shown.map_or(String::new(), |result| format!("; the board shows {result}"));
        return Some(format!("{called} has no result{goes_on}{shown}"));
    }
    running.map(|game| format!("{called}: its game on {} goes on", game.board))
}

/// Names the boards of a round that are not heard, or that play a game of no pairing.
fn boards_of_round(draft: &Draft, section: Option<&str>, round: u32) -> Vec<String> {
    let state = &draft.state;
    let seats = state.board_assignments();
    let mut notes = Vec::new();
    for (of, pairing) in pairings(state, section, round).filter(|(_, pairing)| !pairing.board_name.is_empty()) {
        let board = &pairing.board_name;
        if draft.boards.unheard.contains(board) {
            notes.push(format!("{board} is not connected: {}", describe(of, pairing)));
        }
        let seat = seats.iter().find(|seat| seat.pairing.0 == pairing.id);
        if let Some(game) = seat.and_then(|seat| draft.boards.games.unassigned_game(state, seat)) {
            let number = game.number;
            notes.push(format!(
                "{board}, game {number}, is of no pairing and goes on: `damcast ctl adopt {board}` if it is {}",
                of.names_of(pairing)
            ));
        }
    }
    notes
}

/// Returns the reasons why opening a round needs a confirmation: another round is open, or this one is not the next.
fn doubts_of_opening(draft: &Draft, of: Option<&str>, number: u32) -> Vec<String> {
    let state = &draft.state;
    let mut doubts = Vec::new();
    for section in state.sections.iter().filter(|section| of.is_none_or(|name| section.name == name)) {
        let pairings = section.round(number);
        let is_open = section.state_of(number) == RoundState::Open;
        // With no other round open, an older one that is still open takes its boards back.
        if pairings.is_empty()
            || section.is_already(number, RoundState::Open)
            || is_open && section.open_round().is_none()
        {
            continue;
        }
        let called = state.section_label(section).map_or(String::new(), |name| format!("{name}, "));
        let last = section.rounds.iter().filter(|round| round.open_seq > 0).max_by_key(|round| round.open_seq);
        let reason = match (section.open_round(), next_round(section)) {
            (Some(open), _) => format!("round {open} is open: it stays so for games that go on"),
            _ if last.is_some_and(|last| last.number == number) => continue,
            (None, Some(next)) if next != number => format!("round {next} is the next one"),
            (None, None) => "it is not the round after the last one".to_owned(),
            _ => continue,
        };
        let named: Vec<String> =
            pairings.iter().filter(|of| !of.has_one_player()).take(MAX_NAMED).map(|of| describe(section, of)).collect();
        let more = pairings.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        doubts.push(format!(
            "{called}round {number}: {reason}; games that begin get the names of round {number}: {}{more}",
            named.join("; ")
        ));
    }
    doubts
}

/// Maximum number of boards that a question names.
const MAX_NAMED: usize = 8;

/// Sets the state of a round in one section, or in all sections that have it.
fn set_round_state(draft: &mut Draft, of: Option<&str>, number: u32, to: RoundState) -> Messages {
    if let Some(name) = of.filter(|name| draft.state.section(name).is_none()) {
        return Err(format!("there is no section {name}; there are {}", draft.state.section_names()).into());
    }
    let mut messages = Vec::new();
    let mut changed: Vec<Id> = Vec::new();
    let mut is_found = false;
    for section in draft.state.sections.iter().filter(|section| of.is_none_or(|name| section.name == name)) {
        let pairings = section.round(number);
        if pairings.is_empty() {
            continue;
        }
        is_found = true;
        let called = draft.state.section_label(section).map_or(String::new(), |name| format!("{name}, "));
        let state = section.state_of(number);
        if section.is_already(number, to) {
            messages.push(format!("{called}round {number} is {} already", to.name()));
            continue;
        }
        if !state.can_become(to) {
            return Err(format!("{called}round {number} is {}: it cannot be {}", state.name(), to.name()).into());
        }
        let missing = pairings.iter().filter(|pairing| pairing.is_awaited()).count();
        let count = pairings.len();
        messages.push(format!("{called}round {number}: {}, {count} pairings, {missing} without a result", to.name()));
        changed.push(section.id);
    }
    if !is_found {
        return Err(format!("there is no round {number} with pairings").into());
    }
    for section in changed {
        draft.emit(Event::RoundSet { section, round: number, state: to })?;
        if to == RoundState::Prepared {
            draft.free_boards(section, number)?;
        }
    }
    Ok(messages)
}

/// Returns the pairings of a round, in one section or in all, each with its section.
fn pairings<'t>(
    tournament: &'t Tournament,
    of: Option<&str>,
    round: u32,
) -> impl Iterator<Item = (&'t TournamentSection, &'t Pairing)> {
    let sections = tournament.sections.iter().filter(move |section| of.is_none_or(|name| section.name == name));
    sections.flat_map(move |section| section.round(round).into_iter().map(move |pairing| (section, pairing)))
}

fn describe(section: &TournamentSection, pairing: &Pairing) -> String {
    let board = pairing.board.map_or("-".to_owned(), |board| board.to_string());
    format!("board {board}: {}", section.names_of(pairing))
}

fn missing_results(tournament: &Tournament, of: Option<&str>, round: u32) -> Vec<String> {
    let awaited = pairings(tournament, of, round).filter(|(_, pairing)| pairing.is_awaited());
    awaited.map(|(section, pairing)| describe(section, pairing)).collect()
}

fn deferred_pairings(tournament: &Tournament, of: Option<&str>, round: u32) -> Vec<String> {
    let without_result = pairings(tournament, of, round).filter(|(_, pairing)| pairing.result.is_none());
    let line = |(section, pairing): (&TournamentSection, &Pairing)| {
        Some(format!("{} is {}", describe(section, pairing), pairing.deferral?.name()))
    };
    without_result.filter_map(line).collect()
}
