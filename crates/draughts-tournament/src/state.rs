//! The state of a tournament, and the effect of each event.

use std::fmt;

use crate::value::numbered::Numbered;
use crate::value::result::micro_match_result;
use crate::{
    CorrectedGame, CorrectedTag, Event, Id, MicroMatchStage, OfficialResult, Pairing, RoundState, SectionRound,
    SectionRules, Tournament, TournamentSection,
};

/// Error: the event names something unknown to the tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    kind: &'static str,
    id: Id,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} {}", self.kind, self.id)
    }
}

impl std::error::Error for Misfit {}

/// Sets a place to a value. Returns whether that changes it.
fn replace<T: PartialEq>(place: &mut T, value: T) -> bool {
    let is_new = *place != value;
    if is_new {
        *place = value;
    }
    is_new
}

/// Adds a value to a list in the order of numbers, or replaces the one with its number. Returns whether that changes the list.
fn put<T: Numbered + PartialEq>(list: &mut Vec<T>, value: T) -> bool {
    match list.binary_search_by_key(&value.id(), Numbered::id) {
        Ok(at) => replace(&mut list[at], value),
        Err(at) => {
            list.insert(at, value);
            true
        }
    }
}

fn remove<T: Numbered>(list: &mut Vec<T>, id: Id) -> bool {
    let found = list.binary_search_by_key(&id, Numbered::id);
    found.map(|at| list.remove(at)).is_ok()
}

impl Tournament {
    /// Applies an event. Returns whether it changes anything.
    ///
    /// # Errors
    ///
    /// Returns a [`Misfit`] if the event is about an unknown section, player or pairing; then nothing has changed.
    pub fn apply(&mut self, event: &Event) -> Result<bool, Misfit> {
        Ok(match event {
            Event::EventDescribed(info) => replace(&mut self.event, info.clone()),
            Event::SectionRuled(rules) => self.rule_section(rules),
            Event::TeamEntered { section, team } => put(&mut self.section_mut(*section)?.teams, team.clone()),
            Event::PlayerEntered { section, player } => put(&mut self.section_mut(*section)?.players, player.clone()),
            Event::MatchDrawn { section, team_match } => {
                put(&mut self.section_mut(*section)?.matches, team_match.clone())
            }
            Event::PairingDrawn { section, pairing } => {
                let known = self.section_mut(*section)?;
                let found = known.pairings.binary_search_by_key(&pairing.id, Numbered::id);
                let drawn = found.map_or(pairing.clone(), |at| known.pairings[at].drawn_again(pairing));
                put(&mut known.pairings, drawn)
            }
            Event::ByeGiven { section, bye } => put(&mut self.section_mut(*section)?.byes, bye.clone()),
            Event::PointsAdjusted { section, adjustment } => {
                put(&mut self.section_mut(*section)?.adjustments, adjustment.clone())
            }
            Event::PairingDropped { pairing } => {
                let is_dropped = self.sections.iter_mut().any(|section| remove(&mut section.pairings, *pairing));
                if !is_dropped {
                    return Err(Misfit { kind: "pairing", id: *pairing });
                }
                true
            }
            Event::ByeDropped { bye } => {
                let is_dropped = self.sections.iter_mut().any(|section| remove(&mut section.byes, *bye));
                if !is_dropped {
                    return Err(Misfit { kind: "bye", id: *bye });
                }
                true
            }
            Event::RoundSet { section, round, state } => self.set_round(*section, *round, *state)?,
            Event::BoardAssigned { pairing, board } => {
                replace(&mut self.pairing_mut(*pairing)?.board_name, board.clone().unwrap_or_default())
            }
            Event::ResultGiven { pairing, stage, result } => self.pairing_mut(*pairing)?.give_result(*stage, *result),
            Event::ResultTakenBack { pairing, stage } => self.pairing_mut(*pairing)?.take_result_back(*stage),
            Event::PlayerRenamed { player, name } => {
                let known = self.sections.iter_mut().find_map(|section| {
                    let at = section.players.binary_search_by_key(player, Numbered::id).ok()?;
                    Some(&mut section.players[at])
                });
                let known = known.ok_or(Misfit { kind: "player", id: *player })?;
                let before = known.clone();
                known.rename(name);
                *known != before
            }
            Event::PlayerSubstituted { pairing, player, substitute } => {
                let pairing = self.pairing_mut(*pairing)?;
                let side = [&mut pairing.white, &mut pairing.black].into_iter().find(|side| **side == Some(*player));
                side.is_some_and(|side| replace(side, Some(*substitute)))
            }
            Event::PairingDeferred { pairing, deferral } => {
                let pairing = self.pairing_mut(*pairing)?;
                pairing.result.is_none() && replace(&mut pairing.deferral, *deferral)
            }
            Event::PairingMoved { pairing, board, from } => {
                let pairing = self.pairing_mut(*pairing)?;
                let place = (board.clone().unwrap_or_default(), *from);
                let is_new =
                    pairing.result.is_none() && (&pairing.board_override, pairing.override_from) != (&place.0, place.1);
                if is_new {
                    (pairing.board_override, pairing.override_from) = place;
                }
                is_new
            }
            Event::GameAssigned { board, game, pairing } => {
                let known = self.corrected(board, *game).and_then(|known| known.pairing);
                known != *pairing && replace(&mut self.corrected_mut(board, *game).pairing, *pairing)
            }
            Event::GameCorrected { board, game, tag, original, value } => {
                let corrected = CorrectedTag { value: value.clone(), original: original.clone() };
                self.correct_tag(board, *game, tag, corrected)
            }
            Event::Featured(choice) => replace(&mut self.featured, choice.clone()),
            Event::Restored(part) => self.set_part(part),
        })
    }

    fn section_mut(&mut self, id: Id) -> Result<&mut TournamentSection, Misfit> {
        let found = self.sections.iter_mut().find(|section| section.id == id);
        found.ok_or(Misfit { kind: "section", id })
    }

    fn pairing_mut(&mut self, id: Id) -> Result<&mut Pairing, Misfit> {
        let found = self.sections.iter_mut().find_map(|section| {
            let at = section.pairings.binary_search_by_key(&id, Numbered::id).ok()?;
            Some(&mut section.pairings[at])
        });
        found.ok_or(Misfit { kind: "pairing", id })
    }

    pub(crate) fn rule_section(&mut self, rules: &SectionRules) -> bool {
        let found = self.sections.binary_search_by_key(&rules.id, |section| section.id);
        if found.is_ok_and(|at| self.sections[at].rules() == *rules) {
            return false;
        }
        let at = found.unwrap_or_else(|at| {
            self.sections.insert(at, TournamentSection { id: rules.id, ..TournamentSection::default() });
            at
        });
        let SectionRules { id: _, name, scoring, tie_breaks, unplayed, planned, dates } = rules.clone();
        let section = &mut self.sections[at];
        (section.name, section.scoring, section.tie_breaks) = (name, scoring, tie_breaks);
        (section.unplayed, section.planned, section.dates) = (unplayed, planned, dates);
        true
    }

    fn set_round(&mut self, section: Id, number: u32, state: RoundState) -> Result<bool, Misfit> {
        let last = self.sections.iter().flat_map(|section| &section.rounds).map(|round| round.id.0).max();
        let section = self.section_mut(section)?;
        if section.is_already(number, state) {
            return Ok(false);
        }
        let open_seq = section.rounds.iter().map(|round| round.open_seq).max().unwrap_or(0) + 1;
        let at = section.rounds.iter().position(|round| round.number == number).unwrap_or_else(|| {
            let id = Id(last.unwrap_or(0) + 1);
            section.rounds.push(SectionRound { id, number, ..SectionRound::default() });
            section.rounds.len() - 1
        });
        let round = &mut section.rounds[at];
        round.state = state;
        if state == RoundState::Open {
            round.open_seq = open_seq;
        }
        Ok(true)
    }

    /// Returns the corrections of a game, which are added if it has none.
    fn corrected_mut(&mut self, board: &str, number: u32) -> &mut CorrectedGame {
        let known = self.games.iter().position(|game| game.board == board && game.number == number);
        let at = known.unwrap_or_else(|| {
            let id = Id(self.games.last().map_or(0, |game| game.id.0) + 1);
            self.games.push(CorrectedGame { id, board: board.to_owned(), number, ..CorrectedGame::default() });
            self.games.len() - 1
        });
        &mut self.games[at]
    }

    pub(crate) fn correct_tag(&mut self, board: &str, number: u32, tag: &str, corrected: CorrectedTag) -> bool {
        let known = self.corrected(board, number).and_then(|game| game.tags.get(tag));
        if known.map_or(corrected == CorrectedTag::default(), |known| *known == corrected) {
            return false;
        }
        let game = self.corrected_mut(board, number);
        if corrected == CorrectedTag::default() {
            game.tags.remove(tag);
        } else {
            game.tags.insert(tag.to_owned(), corrected);
        }
        true
    }
}

impl TournamentSection {
    /// Returns the rules of the section, in the form of an event.
    pub fn rules(&self) -> SectionRules {
        SectionRules {
            id: self.id,
            name: self.name.clone(),
            scoring: self.scoring,
            tie_breaks: self.tie_breaks.clone(),
            unplayed: self.unplayed,
            planned: self.planned,
            dates: self.dates.clone(),
        }
    }
}

impl Pairing {
    /// Returns the pairing as in a file: without result, station board and deferral.
    pub(crate) fn as_drawn(&self) -> Pairing {
        let mut drawn = self.clone();
        (drawn.result, drawn.deferral, drawn.override_from) = (None, None, None);
        drawn.board_name.clear();
        drawn.board_override.clear();
        drawn.games.iter_mut().for_each(|game| game.result = None);
        drawn
    }

    /// Returns the pairing as paired again. Result, deferral and boards stay, because a pairing file does not have them.
    fn drawn_again(&self, drawn: &Pairing) -> Pairing {
        let mut games = drawn.games.clone();
        for game in &mut games {
            let known = self.games.iter().find(|known| known.stage == game.stage);
            game.result = known.and_then(|known| known.result);
        }
        Pairing {
            games,
            result: self.result,
            deferral: self.deferral,
            board_name: self.board_name.clone(),
            board_override: self.board_override.clone(),
            override_from: self.override_from,
            ..drawn.clone()
        }
    }

    fn give_result(&mut self, stage: Option<MicroMatchStage>, result: OfficialResult) -> bool {
        let before = self.clone();
        match stage {
            None => self.result = Some(result),
            Some(stage) => {
                let points = Some((result.white, result.black));
                let game = self.games.iter_mut().find(|game| game.stage == stage && game.result != points);
                if let Some(game) = game {
                    game.result = points;
                    self.result = micro_match_result(&self.games);
                }
            }
        }
        if self.result.is_some() {
            self.deferral = None;
            self.board_override.clear();
            self.override_from = None;
        }
        *self != before
    }

    fn take_result_back(&mut self, stage: Option<MicroMatchStage>) -> bool {
        let before = self.clone();
        let games = self.games.iter_mut().filter(|game| stage.is_none_or(|stage| game.stage == stage));
        games.for_each(|game| game.result = None);
        self.result = micro_match_result(&self.games);
        *self != before
    }
}
