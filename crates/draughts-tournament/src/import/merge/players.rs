//! The players and teams of a file: known ones are found, new ones added.

use std::collections::{BTreeMap, BTreeSet};

use draughts_pdn::problem::quote;
use draughts_pdn::{Location, Problem};

use super::{Merger, is_same, matches_name, take};
use crate::import::import_file::{ListedPlayer, PlayerRef, normalised};
use crate::{HIDDEN_NAME, Id, Player, Team, TournamentSection, trf_numbers};

/// Beginning of the message about a number that no player has.
const UNKNOWN_PLAYER: &str = "there is no player ";

/// Whether a problem is that a number belongs to no player.
pub(crate) fn is_unknown_player(problem: &Problem) -> bool {
    problem.message.starts_with(UNKNOWN_PLAYER)
}

/// Gives a player the facts of the file beside number and name.
fn describe_player(player: &mut Player, listed: &ListedPlayer) {
    for (known, new) in [
        (&mut player.title, &listed.title),
        (&mut player.federation, &listed.federation),
        (&mut player.licence, &listed.licence),
        (&mut player.sex, &listed.sex),
    ] {
        if !new.is_empty() {
            known.clone_from(new);
        }
    }
    // Formats write dates in several ways: the first one stays.
    if player.birth.is_empty() {
        player.birth.clone_from(&listed.birth);
    }
    player.rating = listed.rating.or(player.rating);
}

impl Merger<'_> {
    /// Finds or adds the players of the file. Returns the id of each.
    pub(super) fn players(&mut self) -> Vec<Id> {
        let sheet = self.sheet;
        let mut ids = Vec::with_capacity(sheet.players.len());
        let mut taken: BTreeSet<Id> = BTreeSet::new();
        let mut others: Vec<(Location, String)> = Vec::new();
        for listed in &sheet.players {
            let at = self.known_player(listed, &taken).unwrap_or_else(|| {
                self.section.players.push(Player { id: take(&mut self.next.player), ..Player::default() });
                self.section.players.len() - 1
            });
            taken.insert(self.section.players[at].id);
            ids.push(self.section.players[at].id);
            others.extend(self.name_player(at, listed));
            describe_player(&mut self.section.players[at], listed);
        }
        let is_another = others.len() * 2 > sheet.players.len();
        for (at, (place, what)) in others.into_iter().enumerate() {
            if is_another {
                let advice = if at == 0 { ": is this another tournament? give it a --section of its own" } else { "" };
                self.complaints.error(place, format!("{what}{advice}"));
            } else {
                self.complaints.warn(place, format!("{what}: he gets the new name"));
            }
        }
        self.similar_names(&ids);
        ids
    }

    /// Returns the index of a known player: the one with the number, or with the name, except those that are taken already.
    fn known_player(&self, listed: &ListedPlayer, taken: &BTreeSet<Id>) -> Option<usize> {
        let section = &self.section;
        let mut players = section.players.iter().enumerate().filter(|(_, player)| !taken.contains(&player.id));
        let found = match listed.number {
            Some(number) => players.clone().find(|(_, player)| player.number == Some(number)).or_else(|| {
                // A player who was known by name only gets the number.
                players.find(|(_, player)| player.number.is_none() && matches_name(player, &listed.name))
            }),
            None => {
                let mut of_team = players.filter(|(_, player)| self.fits_team(player, &listed.team));
                let formerly = of_team.clone().find(|(_, player)| player.is_known_as(&listed.name));
                of_team.find(|(_, player)| player.name == listed.name).or(formerly)
            }
        };
        found.map(|(at, _)| at)
    }

    /// Whether a player may be one of a team in the file: their teams are equal, or one of them is unknown.
    fn fits_team(&self, player: &Player, team: &str) -> bool {
        let known = self.section.team_name(player.team);
        team.is_empty() || known.is_empty() || known == team
    }

    /// Gives a player the number and the name in the file. Returns a message if the file has another name.
    fn name_player(&mut self, at: usize, listed: &ListedPlayer) -> Option<(Location, String)> {
        let player = &mut self.section.players[at];
        player.number = listed.number.or(player.number);
        if player.is_hidden() {
            // A player who asked to be anonymous stays so, whatever name the file has.
            player.is_called_in_files(listed.name.clone());
        } else if player.former_names.iter().any(|old| is_same(old, &listed.name)) {
            // The pairing program does not have the new name.
            let (name, in_file) = (quote(&player.name), quote(&listed.name));
            self.complaints.note(listed.place, format!("{in_file} keeps the name {name}, which was given here"));
        } else if !is_same(&player.name, &listed.name) && !player.name.is_empty() {
            let (number, name, in_file) = (player.number.unwrap_or(0), quote(&player.name), quote(&listed.name));
            player.rename(&listed.name);
            if listed.name != HIDDEN_NAME {
                player.former_names.clear();
            }
            return Some((listed.place, format!("player {number} is {name}, and {in_file} in this file")));
        } else if listed.name.chars().count() >= player.name.chars().count() {
            // A format may cut names.
            player.name.clone_from(&listed.name);
        }
        None
    }

    /// Two names that differ only in accents or case may belong to one player.
    pub(super) fn similar_names(&mut self, ids: &[Id]) {
        let mut seen: BTreeMap<String, (String, Id)> = BTreeMap::new();
        for player in &self.section.players {
            let mut words: Vec<String> = normalised(&player.name).split(' ').map(str::to_owned).collect();
            words.sort();
            let Some((other, other_id)) = seen.insert(words.join(" "), (player.name.clone(), player.id)) else {
                continue;
            };
            let place = |id: Id| ids.iter().position(|known| *known == id).map(|at| self.sheet.players[at].place);
            let Some(place) = place(player.id).or(place(other_id)) else { continue };
            if player.is_hidden() {
                continue;
            } else if other == player.name {
                self.complaints.note(place, format!("two players are called {}", quote(&other)));
            } else {
                self.complaints
                    .note(place, format!("{} and {} are taken for two players", quote(&other), quote(&player.name)));
            }
        }
    }

    pub(super) fn team_named(&mut self, name: &str, number: Option<u32>) -> Id {
        if let Some(team) = self.section.teams.iter_mut().find(|team| team.name == name) {
            team.number = number.unwrap_or(team.number);
            return team.id;
        }
        let last = self.section.teams.iter().map(|team| team.number).max().unwrap_or(0);
        let id = take(&mut self.next.team);
        let number = number.unwrap_or(last + 1);
        self.section.teams.push(Team { id, number, name: name.to_owned(), ..Team::default() });
        id
    }

    pub(super) fn teams(&mut self, ids: &[Id]) {
        let sheet = self.sheet;
        let by_number: BTreeMap<u32, Id> =
            sheet.players.iter().zip(ids).filter_map(|(listed, id)| Some((listed.number?, *id))).collect();
        for listed in &sheet.teams {
            let id = self.team_named(&listed.name, listed.number);
            let mut lineup = Vec::new();
            for number in &listed.players {
                match by_number.get(number) {
                    Some(player) => lineup.push(*player),
                    None => self.complaints.error(
                        listed.place,
                        format!("the team {} has player {number}, and there is no such player", quote(&listed.name)),
                    ),
                }
            }
            for player in &lineup {
                self.join_team(*player, id, listed.place);
            }
            if let Some(team) = self.section.teams.iter_mut().find(|team| team.id == id) {
                if !listed.federation.is_empty() {
                    team.federation.clone_from(&listed.federation);
                }
                // The order of the players needs no line-up.
                let in_order = lineup.is_sorted() && team.lineup.is_empty();
                if !lineup.is_empty() && !in_order {
                    team.lineup = lineup;
                }
            }
        }
        for (listed, player) in sheet.players.iter().zip(ids) {
            if !listed.team.is_empty() {
                let id = self.team_named(&listed.team, None);
                self.join_team(*player, id, listed.place);
            }
        }
    }

    pub(super) fn join_team(&mut self, player: Id, team: Id, place: Location) {
        let name =
            |section: &TournamentSection, id: Id| section.team(id).map_or(String::new(), |team| team.name.clone());
        let Ok(at) = self.section.players.binary_search_by_key(&player, |player| player.id) else { return };
        match self.section.players[at].team {
            Some(other) if other != team => {
                let (other, team) = (name(self.section, other), name(self.section, team));
                let what = format!("{} plays for {other}, and for {team} in this file", self.section.players[at].name);
                self.complaints.error(place, what);
            }
            _ => self.section.players[at].team = Some(team),
        }
    }

    /// Returns the player of a pairing or bye, by number or by name.
    pub(super) fn find(&mut self, who: &PlayerRef) -> Option<Id> {
        let by_number = |section: &TournamentSection| {
            let number = who.number?;
            let own = section.players.iter().find(|player| player.number == Some(number)).map(|player| player.id);
            own.or_else(|| {
                // If no player has a number, the numbers of exported files count.
                if section.players.iter().any(|player| player.number.is_some()) {
                    return None;
                }
                let (id, _) = trf_numbers(section).into_iter().find(|(_, given)| *given == number)?;
                let is_meant = who.name.is_empty() || section.player(id)?.is_known_as(&who.name);
                is_meant.then_some(id)
            })
        };
        let id = match (by_number(self.section), who.name.is_empty()) {
            (Some(id), true) => id,
            (Some(id), false) => {
                if self.section.player(id).is_some_and(|player| !matches_name(player, &who.name)) {
                    let what = format!(
                        "player {} is {}, and {} here",
                        who.number.unwrap_or(0),
                        quote(self.section.name_of(Some(id))),
                        quote(&who.name)
                    );
                    self.complaints.error(who.place, what);
                    return None;
                }
                id
            }
            (None, true) => {
                self.complaints.error(who.place, format!("{UNKNOWN_PLAYER}{}", who.number.unwrap_or(0)));
                return None;
            }
            (None, false) => {
                let mut found = self.section.players_named(&who.name);
                found.retain(|player| player.number.is_none() || who.number.is_none());
                found.retain(|player| self.fits_team(player, &who.team));
                let mut found: Vec<_> = found.into_iter().map(|player| (player.number, player.id)).collect();
                found.sort();
                if found.len() > 1 && who.nth.is_none() {
                    let numbers = trf_numbers(self.section);
                    let numbers: Vec<String> =
                        found.iter().filter_map(|(_, id)| numbers.get(id)).map(u32::to_string).collect();
                    let what = format!(
                        "several players are called {}, the numbers {}: say which, in a column White-number or Black-number, or with their \
                         teams in White-team and Black-team",
                        quote(&who.name),
                        numbers.join(" and ")
                    );
                    self.complaints.error(who.place, what);
                    return None;
                }
                match found.get(who.nth.unwrap_or(0)) {
                    Some((_, id)) => *id,
                    None => {
                        let id = take(&mut self.next.player);
                        self.section.players.push(Player {
                            id,
                            number: who.number,
                            name: who.name.clone(),
                            ..Player::default()
                        });
                        id
                    }
                }
            }
        };
        if !who.team.is_empty() {
            let team = self.team_named(&who.team, None);
            self.join_team(id, team, who.place);
        }
        Some(id)
    }
}
