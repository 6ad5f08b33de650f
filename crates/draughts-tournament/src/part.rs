//! Parts of a tournament: the facts that change one by one, each under a key. Undo compares them before and after an action, and restores
//! them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::value::numbered::Numbered;
use crate::value::rounds::key_text;
use crate::{
    Adjustment, Bye, CorrectedGame, CorrectedTag, EventInfo, FeaturedChoice, Id, Match, Pairing, PairingKey, Player,
    SectionRound, SectionRules, Team, Tournament, TournamentSection,
};

/// Key of a part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PartKey {
    /// Facts about the competition.
    Event,
    /// Choice of the featured board.
    Featured,
    /// Rules of a section; without them there is no section.
    Section(Id),
    /// A team of a section.
    Team(Id, Id),
    /// A player of a section.
    Player(Id, Id),
    /// A match of a section.
    Match(Id, Id),
    /// A pairing of a section, with its result and its board.
    Pairing(Id, Id),
    /// A bye of a section.
    Bye(Id, Id),
    /// An adjustment of a section.
    Adjustment(Id, Id),
    /// A round of a section by its number.
    Round(Id, u32),
    /// A recorded game with corrections, by board and number.
    Game(String, u32),
    /// A corrected tag of a recorded game.
    Tag(String, u32, String),
}

/// A part of a section; `None` if the section has no such part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionPart<T> {
    /// Section of the part.
    pub section: Id,
    /// Id of the part.
    pub id: Id,
    /// The part.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub value: Option<T>,
}

/// Id and pairing of a corrected game.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameAssignment {
    /// Id among all corrected games.
    pub id: Id,
    /// Assigned pairing.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "key_text")]
    pub pairing: Option<PairingKey>,
}

/// A part with its value; a value `None` means that the tournament has no such part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Part {
    /// Facts about the competition.
    Event(EventInfo),
    /// Choice of the featured board.
    Featured(FeaturedChoice),
    /// Rules of a section.
    Section {
        /// Id of the section.
        id: Id,
        /// Its rules.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<SectionRules>,
    },
    /// A team.
    Team(SectionPart<Team>),
    /// A player.
    Player(SectionPart<Player>),
    /// A match.
    Match(SectionPart<Match>),
    /// A pairing.
    Pairing(SectionPart<Pairing>),
    /// A bye.
    Bye(SectionPart<Bye>),
    /// An adjustment.
    Adjustment(SectionPart<Adjustment>),
    /// A round; its id here is its number.
    Round(SectionPart<SectionRound>),
    /// A recorded game with corrections.
    Game {
        /// Name of the board.
        board: String,
        /// Number of the game.
        game: u32,
        /// Its id and pairing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<GameAssignment>,
    },
    /// A corrected tag of a recorded game.
    Tag {
        /// Name of the board.
        board: String,
        /// Number of the game.
        game: u32,
        /// Name of the tag.
        tag: String,
        /// Its correction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<CorrectedTag>,
    },
}

impl Part {
    /// Returns the key of the part.
    pub fn key(&self) -> PartKey {
        match self {
            Part::Event(_) => PartKey::Event,
            Part::Featured(_) => PartKey::Featured,
            Part::Section { id, .. } => PartKey::Section(*id),
            Part::Team(of) => PartKey::Team(of.section, of.id),
            Part::Player(of) => PartKey::Player(of.section, of.id),
            Part::Match(of) => PartKey::Match(of.section, of.id),
            Part::Pairing(of) => PartKey::Pairing(of.section, of.id),
            Part::Bye(of) => PartKey::Bye(of.section, of.id),
            Part::Adjustment(of) => PartKey::Adjustment(of.section, of.id),
            Part::Round(of) => PartKey::Round(of.section, of.id.0),
            Part::Game { board, game, .. } => PartKey::Game(board.clone(), *game),
            Part::Tag { board, game, tag, .. } => PartKey::Tag(board.clone(), *game, tag.clone()),
        }
    }
}

/// Adds the keys of what differs in two lists, each in the order of ids.
fn add_changed<T: Numbered + PartialEq>(keys: &mut BTreeSet<PartKey>, lists: [&[T]; 2], key: impl Fn(Id) -> PartKey) {
    for (list, other) in [(lists[0], lists[1]), (lists[1], lists[0])] {
        let same = |one: &T| other.binary_search_by_key(&one.id(), Numbered::id).is_ok_and(|at| other[at] == *one);
        keys.extend(list.iter().filter(|one| !same(one)).map(|one| key(one.id())));
    }
}

/// Adds the keys of what differs in a section, which one of both tournaments may lack.
fn add_changed_of_section(keys: &mut BTreeSet<PartKey>, id: Id, sections: [Option<&TournamentSection>; 2]) {
    if sections[0].map(TournamentSection::rules) != sections[1].map(TournamentSection::rules) {
        keys.insert(PartKey::Section(id));
    }
    let none = TournamentSection::default();
    let [here, there] = sections.map(|section| section.unwrap_or(&none));
    add_changed(keys, [&here.teams, &there.teams], |team| PartKey::Team(id, team));
    add_changed(keys, [&here.players, &there.players], |player| PartKey::Player(id, player));
    add_changed(keys, [&here.matches, &there.matches], |of| PartKey::Match(id, of));
    add_changed(keys, [&here.pairings, &there.pairings], |pairing| PartKey::Pairing(id, pairing));
    add_changed(keys, [&here.byes, &there.byes], |bye| PartKey::Bye(id, bye));
    add_changed(keys, [&here.adjustments, &there.adjustments], |of| PartKey::Adjustment(id, of));
    for (rounds, others) in [(&here.rounds, &there.rounds), (&there.rounds, &here.rounds)] {
        let changed = rounds.iter().filter(|round| !others.contains(round));
        keys.extend(changed.map(|round| PartKey::Round(id, round.number)));
    }
}

/// Returns a part of a list of a section.
fn part<T: Numbered + Clone>(
    section: Option<&TournamentSection>,
    key: (Id, Id),
    list: fn(&TournamentSection) -> &Vec<T>,
) -> SectionPart<T> {
    let found = section.and_then(|of| list(of).iter().find(|one| one.id() == key.1));
    SectionPart { section: key.0, id: key.1, value: found.cloned() }
}

impl Tournament {
    /// Returns the part with a key.
    pub fn part(&self, key: &PartKey) -> Part {
        let of = |id: Id| self.section_with_id(id);
        match key {
            PartKey::Event => Part::Event(self.event.clone()),
            PartKey::Featured => Part::Featured(self.featured.clone()),
            PartKey::Section(id) => Part::Section { id: *id, value: of(*id).map(TournamentSection::rules) },
            PartKey::Team(section, id) => Part::Team(part(of(*section), (*section, *id), |of| &of.teams)),
            PartKey::Player(section, id) => Part::Player(part(of(*section), (*section, *id), |of| &of.players)),
            PartKey::Match(section, id) => Part::Match(part(of(*section), (*section, *id), |of| &of.matches)),
            PartKey::Pairing(section, id) => Part::Pairing(part(of(*section), (*section, *id), |of| &of.pairings)),
            PartKey::Bye(section, id) => Part::Bye(part(of(*section), (*section, *id), |of| &of.byes)),
            PartKey::Adjustment(section, id) => {
                Part::Adjustment(part(of(*section), (*section, *id), |of| &of.adjustments))
            }
            PartKey::Round(section, number) => {
                let round = of(*section).and_then(|of| of.rounds.iter().find(|round| round.number == *number));
                Part::Round(SectionPart { section: *section, id: Id(*number), value: round.cloned() })
            }
            PartKey::Game(board, game) => {
                let known = self.corrected(board, *game);
                let value = known.map(|known| GameAssignment { id: known.id, pairing: known.pairing });
                Part::Game { board: board.clone(), game: *game, value }
            }
            PartKey::Tag(board, game, tag) => {
                let value = self.corrected(board, *game).and_then(|known| known.tags.get(tag)).cloned();
                Part::Tag { board: board.clone(), game: *game, tag: tag.clone(), value }
            }
        }
    }

    /// Returns the parts that differ in another tournament: the part here and the part there, in the order of their keys.
    pub fn changed_parts(&self, other: &Tournament) -> Vec<(Part, Part)> {
        let mut keys = BTreeSet::new();
        keys.extend((self.event != other.event).then_some(PartKey::Event));
        keys.extend((self.featured != other.featured).then_some(PartKey::Featured));
        let sections: BTreeSet<Id> = self.sections.iter().chain(&other.sections).map(|section| section.id).collect();
        for id in sections {
            add_changed_of_section(&mut keys, id, [self, other].map(|of| of.section_with_id(id)));
        }
        for (here, there) in [(self, other), (other, self)] {
            for game in here.games.iter().filter(|game| !there.games.contains(game)) {
                let known = there.corrected(&game.board, game.number);
                if known.is_none_or(|known| (known.id, known.pairing) != (game.id, game.pairing)) {
                    keys.insert(PartKey::Game(game.board.clone(), game.number));
                }
                let is_same = |tag: &str| known.and_then(|known| known.tags.get(tag)) == game.tags.get(tag);
                let tags = game.tags.keys().filter(|tag| !is_same(tag));
                keys.extend(tags.map(|tag| PartKey::Tag(game.board.clone(), game.number, tag.clone())));
            }
        }
        keys.iter().map(|key| (self.part(key), other.part(key))).collect()
    }

    /// Sets a part to a value. Returns whether that changes it. The section of a part must exist, unless the part is removed.
    pub(crate) fn set_part(&mut self, wanted: &Part) -> bool {
        if self.part(&wanted.key()) == *wanted {
            return false;
        }
        match wanted {
            Part::Event(info) => self.event = info.clone(),
            Part::Featured(choice) => self.featured = choice.clone(),
            Part::Section { id, value: None } => self.sections.retain(|section| section.id != *id),
            Part::Section { value: Some(rules), .. } => return self.rule_section(rules),
            Part::Team(of) => self.set_section_part(of, |section| &mut section.teams),
            Part::Player(of) => self.set_section_part(of, |section| &mut section.players),
            Part::Match(of) => self.set_section_part(of, |section| &mut section.matches),
            Part::Pairing(of) => self.set_section_part(of, |section| &mut section.pairings),
            Part::Bye(of) => self.set_section_part(of, |section| &mut section.byes),
            Part::Adjustment(of) => self.set_section_part(of, |section| &mut section.adjustments),
            Part::Round(of) => self.set_round_part(of),
            Part::Game { board, game, value } => self.set_game_part(board, *game, value.as_ref()),
            Part::Tag { board, game, tag, value } => {
                return self.correct_tag(board, *game, tag, value.clone().unwrap_or_default());
            }
        }
        true
    }

    fn set_section_part<T: Numbered + Clone>(
        &mut self,
        wanted: &SectionPart<T>,
        list: fn(&mut TournamentSection) -> &mut Vec<T>,
    ) {
        let Some(section) = self.sections.iter_mut().find(|section| section.id == wanted.section) else { return };
        let list = list(section);
        match (list.binary_search_by_key(&wanted.id, Numbered::id), &wanted.value) {
            (Ok(at), Some(value)) => list[at] = value.clone(),
            (Ok(at), None) => drop(list.remove(at)),
            (Err(at), Some(value)) => list.insert(at, value.clone()),
            (Err(_), None) => {}
        }
    }

    fn set_round_part(&mut self, wanted: &SectionPart<SectionRound>) {
        let Some(section) = self.sections.iter_mut().find(|section| section.id == wanted.section) else { return };
        section.rounds.retain(|round| round.number != wanted.id.0);
        if let Some(round) = &wanted.value {
            let at = section.rounds.partition_point(|known| known.id < round.id);
            section.rounds.insert(at, round.clone());
        }
    }

    fn set_game_part(&mut self, board: &str, number: u32, wanted: Option<&GameAssignment>) {
        let known = self.games.iter().position(|game| game.board == board && game.number == number);
        match (known, wanted) {
            (Some(at), Some(wanted)) => self.games[at].pairing = wanted.pairing,
            (Some(at), None) => drop(self.games.remove(at)),
            (None, Some(GameAssignment { id, pairing })) => {
                let at = self.games.partition_point(|game| game.id < *id);
                let (board, pairing) = (board.to_owned(), *pairing);
                self.games.insert(at, CorrectedGame { id: *id, board, number, pairing, tags: BTreeMap::new() });
            }
            (None, None) => {}
        }
    }
}
