//! Matches between teams, and the board numbers of a round's pairings.

use std::collections::{BTreeMap, BTreeSet};

use draughts_pdn::Location;

use super::{Merger, take};
use crate::Points;
use crate::{ByeKind, Id, Match, OfficialResult, Pairing, ResultReason};

impl Merger<'_> {
    /// Groups the pairings of two teams in a round into a match.
    pub(super) fn matches(&mut self) {
        if self.section.teams.is_empty() {
            return;
        }
        let team_of: BTreeMap<Id, Id> =
            self.section.players.iter().filter_map(|player| Some((player.id, player.team?))).collect();
        let team = |id: Option<Id>| id.and_then(|id| team_of.get(&id).copied());
        // Opponents of the teams in each round.
        let mut opponents: BTreeMap<(u32, Id), Id> = BTreeMap::new();
        let mut are_clubs = false;
        for pairing in &self.section.pairings {
            if let (Some(one), Some(other)) = (team(pairing.white), team(pairing.black)) {
                are_clubs |= one == other;
                for (of, opponent) in [(one, other), (other, one)] {
                    are_clubs |= opponents.insert((pairing.round, of), opponent).is_some_and(|known| known != opponent);
                }
            }
        }
        if are_clubs {
            self.play_no_matches();
            return;
        }
        // A win without an opponent is a board that the other team left empty.
        let won: Vec<(u32, Id, Points)> = self
            .section
            .byes
            .iter()
            .filter(|bye| {
                bye.kind == ByeKind::Won
                    && team(Some(bye.player)).is_some_and(|team| opponents.contains_key(&(bye.round, team)))
            })
            .map(|bye| (bye.round, bye.player, bye.points))
            .collect();
        for (round, player, points) in won {
            self.section.byes.retain(|bye| (bye.round, bye.player) != (round, player));
            let result =
                Some(OfficialResult { white: points, black: self.section.scoring.loss, reason: ResultReason::Forfeit });
            let id = take(&mut self.next.pairing);
            self.section.pairings.push(Pairing { id, round, white: Some(player), result, ..Pairing::default() });
        }
        let mut found: BTreeMap<(u32, Id, Id), Vec<usize>> = BTreeMap::new();
        for (at, pairing) in self.section.pairings.iter().enumerate() {
            let one = team(pairing.white).or(team(pairing.black));
            let other = match (team(pairing.white), team(pairing.black)) {
                (Some(one), Some(other)) => Some(other).filter(|other| *other != one),
                _ => one.and_then(|one| opponents.get(&(pairing.round, one)).copied()),
            };
            if let (Some(one), Some(other)) = (one, other) {
                found.entry((pairing.round, one.min(other), one.max(other))).or_default().push(at);
            }
        }
        for ((round, one, other), mut boards) in found {
            boards.sort_by_cached_key(|at| self.board_key(*at));
            let known = self.section.matches.iter().position(|this| {
                this.round == round && [(this.home, this.away), (this.away, this.home)].contains(&(one, other))
            });
            let at = known.unwrap_or_else(|| {
                // The home team has White on the odd boards.
                let has_white = |at: usize, of: Id| {
                    let pairing = &self.section.pairings[at];
                    team(pairing.white) == Some(of)
                };
                let votes = |of: Id| {
                    let both = |at: &usize| {
                        self.section.pairings[*at].white.is_some() && self.section.pairings[*at].black.is_some()
                    };
                    boards
                        .iter()
                        .enumerate()
                        .filter(|(_, at)| both(at))
                        .filter(|(place, at)| has_white(**at, of) == (place % 2 == 0))
                        .count()
                };
                let (home, away) = if votes(one) >= votes(other) { (one, other) } else { (other, one) };
                self.section.matches.push(Match { id: take(&mut self.next.of_match), round, home, away });
                self.section.matches.len() - 1
            });
            let id = self.section.matches[at].id;
            for at in boards {
                self.section.pairings[at].match_id = Some(id);
            }
        }
    }

    /// Treats teams as clubs if their players meet each other, or those of several teams in a round: the players then play for themselves.
    pub(super) fn play_no_matches(&mut self) {
        if !std::mem::take(&mut self.section.matches).is_empty() {
            self.complaints
                .note(Location::START, "teams meet several others in a round: they are clubs, and play no matches");
        }
        self.section.pairings.iter_mut().for_each(|pairing| pairing.match_id = None);
    }

    /// Returns the sort key of a board in a match: its number, the line-up of the round, or the order of the team.
    pub(super) fn board_key(&self, at: usize) -> (u32, usize, Id) {
        let pairing = &self.section.pairings[at];
        let place = |id: Id| -> Option<usize> {
            let player = self.section.player(id)?;
            let team = self.section.team(player.team?)?;
            let lineup = self.sheet.matches.iter().find(|of| of.round == pairing.round && of.team == team.number);
            match lineup {
                Some(lineup) => lineup.players.iter().position(|number| Some(*number) == player.number),
                None if team.lineup.is_empty() => {
                    let mut of_team = self.section.players.iter().filter(|other| other.team == player.team);
                    of_team.position(|other| other.id == id)
                }
                None => team.lineup.iter().position(|of| *of == id),
            }
        };
        let places = [pairing.white, pairing.black].into_iter().flatten().filter_map(place);
        (pairing.board.unwrap_or(u32::MAX), places.min().unwrap_or(usize::MAX), pairing.id)
    }

    /// Numbers the boards of a round without numbers in the file: matches by their teams, players by their points and numbers, as pairing
    /// programs do.
    pub(super) fn boards(&mut self) {
        let mut is_told = false;
        let rounds: BTreeSet<u32> = self.section.pairings.iter().map(|pairing| pairing.round).collect();
        for round in rounds {
            let of_round = |pairing: &Pairing| pairing.round == round;
            if self.section.pairings.iter().any(|pairing| of_round(pairing) && pairing.board.is_some()) {
                self.free_boards(round);
                continue;
            }
            is_told = true;
            let mut before: BTreeMap<Id, Points> = BTreeMap::new();
            for pairing in self.section.pairings.iter().filter(|pairing| pairing.round < round) {
                let result = pairing.result.map_or((Points::ZERO, Points::ZERO), |result| (result.white, result.black));
                for (id, points) in [(pairing.white, result.0), (pairing.black, result.1)] {
                    if let Some(id) = id {
                        *before.entry(id).or_default() += points;
                    }
                }
            }
            for bye in self.section.byes.iter().filter(|bye| bye.round < round) {
                *before.entry(bye.player).or_default() += bye.points;
            }
            let mut order: Vec<usize> =
                (0..self.section.pairings.len()).filter(|at| of_round(&self.section.pairings[*at])).collect();
            let of_player = |id: Option<Id>| id.and_then(|id| before.get(&id).copied()).unwrap_or_default();
            let number = |id: Option<Id>| {
                id.and_then(|id| self.section.player(id)).and_then(|player| player.number).unwrap_or(u32::MAX)
            };
            order.sort_by_cached_key(|at| {
                let pairing = &self.section.pairings[*at];
                let of_match = pairing.match_id.and_then(|id| self.section.matches.iter().find(|this| this.id == id));
                let of_team = |id: Id| self.section.team(id).map_or(u32::MAX, |team| team.number);
                let match_key =
                    of_match.map_or((u32::MAX, 0), |this| (of_team(this.home).min(of_team(this.away)), this.id.0));
                let in_match = of_match.map(|_| self.board_key(*at).1);
                let (one, other) = (of_player(pairing.white), of_player(pairing.black));
                let points = std::cmp::Reverse((one.max(other), one + other));
                (match_key, in_match, points, number(pairing.white).min(number(pairing.black)), pairing.id)
            });
            for (at, board) in order.into_iter().zip(1..) {
                self.section.pairings[at].board = Some(board);
            }
        }
        if is_told && !self.sheet.pairings.is_empty() {
            let what = "the file has no boards: they are numbered in the order of points and numbers";
            self.complaints.note(Location::START, what);
        }
    }

    /// Reports boards with two pairings in a round.
    pub(super) fn free_boards(&mut self, round: u32) {
        let mut seen: BTreeMap<u32, String> = BTreeMap::new();
        for pairing in self.section.pairings.iter().filter(|pairing| pairing.round == round) {
            let Some(board) = pairing.board else { continue };
            let names = format!("{} - {}", self.section.name_of(pairing.white), self.section.name_of(pairing.black));
            if let Some(other) = seen.insert(board, names.clone()) {
                let in_file =
                    self.sheet.pairings.iter().find(|drawn| drawn.round == round && drawn.board == Some(board));
                let place = in_file.map_or(Location::START, |drawn| drawn.place);
                self.complaints.error(place, format!("board {board} of round {round} has {other} and {names}"));
            }
        }
    }
}
