//! Matches between teams, and the board numbers of a round's pairings.

use std::collections::{BTreeMap, BTreeSet};

use draughts_pdn::Location;

use super::{Merger, take};
use crate::{Bye, ByeKind, Id, Match, OfficialResult, Pairing, Points, ResultReason, TournamentSection};

impl Merger<'_> {
    /// Groups the pairings of two teams in a round into a match.
    pub(super) fn matches(&mut self) {
        if self.section.teams.is_empty() {
            return;
        }
        let Some(opponents) = self.opponents() else { return self.play_no_matches() };
        self.add_empty_boards(&opponents);
        for ((round, one, other), mut boards) in self.boards_of_matches(&opponents) {
            boards.sort_by_cached_key(|at| self.board_key(*at));
            let known = self.section.matches.iter().find(|this| {
                this.round == round && [(this.home, this.away), (this.away, this.home)].contains(&(one, other))
            });
            let id = known.map(|this| this.id).unwrap_or_else(|| {
                let is_home = self.odd_whites(&boards, one) >= self.odd_whites(&boards, other);
                let (home, away) = if is_home { (one, other) } else { (other, one) };
                let id = take(&mut self.next.of_match);
                self.section.matches.push(Match { id, round, home, away });
                id
            });
            for at in boards {
                self.section.pairings[at].match_id = Some(id);
            }
        }
        // A prepared round that is paired anew leaves matches without boards.
        let TournamentSection { matches, pairings, .. } = &mut *self.section;
        matches.retain(|this| pairings.iter().any(|pairing| pairing.match_id == Some(this.id)));
    }

    /// Returns the opponents of the teams in each round; `None` if teams are clubs.
    fn opponents(&self) -> Option<BTreeMap<(u32, Id), Id>> {
        let mut opponents: BTreeMap<(u32, Id), Id> = BTreeMap::new();
        for pairing in &self.section.pairings {
            let [white, black] = self.teams_of(pairing);
            let (Some(one), Some(other)) = (white, black) else { continue };
            for (of, opponent) in [(one, other), (other, one)] {
                let known = opponents.insert((pairing.round, of), opponent);
                if one == other || known.is_some_and(|known| known != opponent) {
                    return None;
                }
            }
        }
        Some(opponents)
    }

    /// Returns the teams of both players; none for a substitute from a team that does not play the match of the pairing.
    fn teams_of(&self, pairing: &Pairing) -> [Option<Id>; 2] {
        let teams = [pairing.white, pairing.black].map(|player| self.section.team_of(player));
        let known = self.section.match_of(pairing);
        let plays = |team: &Id| known.is_some_and(|this| [this.home, this.away].contains(team));
        if teams.iter().flatten().any(plays) { teams.map(|team| team.filter(plays)) } else { teams }
    }

    /// Replaces byes by pairings: a win without an opponent is a board that the other team left empty.
    fn add_empty_boards(&mut self, opponents: &BTreeMap<(u32, Id), Id>) {
        let is_won = |bye: &Bye| {
            let team = self.section.team_of(Some(bye.player));
            bye.kind == ByeKind::Won && team.is_some_and(|team| opponents.contains_key(&(bye.round, team)))
        };
        let won: Vec<Bye> = self.section.byes.iter().filter(|bye| is_won(bye)).cloned().collect();
        let black = self.section.scoring.loss;
        for Bye { round, player, points: white, .. } in won {
            self.section.byes.retain(|bye| (bye.round, bye.player) != (round, player));
            let result = Some(OfficialResult { white, black, reason: ResultReason::Forfeit });
            let id = take(&mut self.next.pairing);
            self.section.pairings.push(Pairing { id, round, white: Some(player), result, ..Pairing::default() });
        }
    }

    /// Returns the indexes of the pairings of each match, by round and teams.
    fn boards_of_matches(&self, opponents: &BTreeMap<(u32, Id), Id>) -> BTreeMap<(u32, Id, Id), Vec<usize>> {
        let mut found: BTreeMap<(u32, Id, Id), Vec<usize>> = BTreeMap::new();
        for (at, pairing) in self.section.pairings.iter().enumerate() {
            let [white, black] = self.teams_of(pairing);
            let Some(one) = white.or(black) else { continue };
            let other = match (white, black) {
                (Some(_), Some(black)) => Some(black).filter(|other| *other != one),
                _ => opponents.get(&(pairing.round, one)).copied(),
            };
            if let Some(other) = other {
                found.entry((pairing.round, one.min(other), one.max(other))).or_default().push(at);
            }
        }
        found
    }

    /// Returns the number of odd boards on which a team has White, plus even boards on which it has not: the home team has White on the odd
    /// boards.
    fn odd_whites(&self, boards: &[usize], team: Id) -> usize {
        let boards = boards.iter().zip(1..).map(|(at, place)| (&self.section.pairings[*at], place % 2 == 1));
        let is_home = |pairing: &Pairing, is_odd: bool| {
            !pairing.has_one_player() && (self.section.team_of(pairing.white) == Some(team)) == is_odd
        };
        boards.filter(|(pairing, is_odd)| is_home(pairing, *is_odd)).count()
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
                for (id, _, is_white) in pairing.sides() {
                    if let (Some(id), Some(result)) = (id, pairing.result) {
                        *before.entry(id).or_default() += result.points_of(is_white);
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
                let of_match = self.section.match_of(pairing);
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
            let names = self.section.names_of(pairing);
            if let Some(other) = seen.insert(board, names.clone()) {
                let in_file =
                    self.sheet.pairings.iter().find(|drawn| drawn.round == round && drawn.board == Some(board));
                let place = in_file.map_or(Location::START, |drawn| drawn.place);
                self.complaints.error(place, format!("board {board} of round {round} has {other} and {names}"));
            }
        }
    }
}
