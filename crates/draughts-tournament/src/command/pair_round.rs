//! Command that pairs a round, by hand or by a program.

use std::collections::BTreeSet;

use super::import::replace_state;
use super::lookup::only_section;
use super::{Draft, Messages, TournamentCommand};
use crate::import::import_file::MOST_ROUNDS;
use crate::value::numbered::next_number;
use crate::{Bye, ByeKind, Id, Pairing, RoundState, TournamentSection};

/// Pairs a round. Players without a pair are absent, unless they have a bye.
pub(super) fn pair(draft: &mut Draft, command: &TournamentCommand) -> Messages {
    let TournamentCommand::PairRound { round, pairs, byes, rounds, section } = command else { return Ok(Vec::new()) };
    let name = only_section(&draft.state, section.as_deref())?.name.clone();
    let mut wanted = draft.state.clone();
    let (next, next_bye) = (next_number(&wanted, |of| &of.pairings), next_number(&wanted, |of| &of.byes));
    let Some(section) = wanted.sections.iter_mut().find(|section| section.name == name) else {
        return Err(format!("there is no section {name}").into());
    };
    let doubt = clear_round(section, *round)?;
    check_players(section, *round, pairs, byes)?;
    if let Some(rounds) = *rounds {
        if !(*round..=MOST_ROUNDS).contains(&rounds) {
            return Err(format!("round {round} is one of {rounds}: a tournament has up to {MOST_ROUNDS} rounds").into());
        }
        section.planned = Some(rounds);
    }
    for (&[white, black], place) in pairs.iter().zip(0..) {
        let (id, board) = (Id(next + place), Some(place + 1));
        let pairing = Pairing { id, round: *round, board, ..Pairing::default() };
        section.pairings.push(Pairing { white: Some(white), black: Some(black), ..pairing });
    }
    let seated: BTreeSet<Id> = pairs.iter().flatten().chain(byes).copied().collect();
    let has_bye = |id: Id| section.byes.iter().any(|bye| bye.round == *round && bye.player == id);
    let is_absent = |id: &Id| !seated.contains(id) && !has_bye(*id);
    let absent: Vec<Id> = section.players.iter().map(|player| player.id).filter(is_absent).collect();
    let scoring = section.scoring;
    let given = byes.iter().map(|id| (*id, ByeKind::NoOpponent, scoring.bye));
    let given = given.chain(absent.iter().map(|id| (*id, ByeKind::Absent, scoring.absence)));
    for ((player, kind, points), number) in given.zip(next_bye..) {
        section.byes.push(Bye { id: Id(number), round: *round, player, kind, points });
    }
    let mut messages: Vec<String> = pairs.iter().zip(1..).map(|pair| describe_pair(section, pair)).collect();
    let names = |ids: &[Id]| ids.iter().map(|id| section.name_of(Some(*id))).collect::<Vec<_>>().join(", ");
    messages.extend((!byes.is_empty()).then(|| format!("no opponent is left for {}", names(byes))));
    messages.extend((!absent.is_empty()).then(|| format!("absent: {}", names(&absent))));
    messages.extend(rounds.map(|rounds| format!("round {round} of {rounds}")));
    draft.doubts.extend(doubt);
    replace_state(draft, &wanted)?;
    Ok(messages)
}

fn describe_pair(section: &TournamentSection, (&[white, black], board): (&[Id; 2], usize)) -> String {
    format!("board {board}: {} - {}", section.name_of(Some(white)), section.name_of(Some(black)))
}

/// Removes the pairings of a round that is to be paired anew, and byes without an opponent and absences of it. Returns the question to
/// the arbiter if there are pairings.
fn clear_round(section: &mut TournamentSection, round: u32) -> Result<Option<String>, String> {
    if section.has_matches() {
        return Err(format!("teams play matches in section {}: import their pairings", section.name));
    }
    let last = section.pairings.iter().map(|pairing| pairing.round).max().unwrap_or(0);
    if round == last + 1 {
        return Ok(None);
    }
    let known = section.round(round);
    if round != last || known.is_empty() {
        return Err(format!("round {round} is not the next: that is round {}", last + 1));
    }
    let state = section.state_of(round);
    if state != RoundState::Prepared {
        return Err(format!("round {round} is {}, and keeps its pairings", state.name()));
    }
    if let Some(pairing) = known.iter().find(|pairing| pairing.result.is_some()) {
        return Err(format!("{} has a result: the round keeps its pairings", section.describe_pairing(pairing)));
    }
    let question = format!("round {round} has {} pairings already: they are replaced", known.len());
    section.pairings.retain(|pairing| pairing.round != round);
    let is_made = |bye: &Bye| matches!(bye.kind, ByeKind::NoOpponent | ByeKind::Absent);
    section.byes.retain(|bye| bye.round != round || !is_made(bye));
    Ok(Some(question))
}

/// Checks that each player exists, and sits once.
fn check_players(section: &TournamentSection, round: u32, pairs: &[[Id; 2]], byes: &[Id]) -> Result<(), String> {
    if pairs.is_empty() {
        return Err(format!("round {round} would have no pairing"));
    }
    let mut seen = BTreeSet::new();
    for id in pairs.iter().flatten().chain(byes) {
        let player = section.player(*id).ok_or_else(|| format!("there is no player with the id {id}"))?;
        if !seen.insert(*id) {
            return Err(format!("{} would play twice in round {round}", player.name));
        }
        if let Some(bye) = section.byes.iter().find(|bye| bye.round == round && bye.player == *id) {
            return Err(format!("{} has a {} in round {round}, and does not play", player.name, bye.kind));
        }
    }
    Ok(())
}
