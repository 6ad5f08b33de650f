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
        if state == to {
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
