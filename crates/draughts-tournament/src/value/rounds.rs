//! Rounds as the station plays them: their states, the boards of their pairings, and the tags of their games.
//!
//! ```text
//!   prepared ──publish──▸ published ──open──▸ open ──close──▸ closed
//!       └───────────────────open────────────────┘  ▴             │
//!                                                   └────open─────┘      a game is played on, or played again
//! ```
//!
//! A game is linked to its pairing by the pairing id in its line's log before its first move: `17`, or `17.rapid` for a game of a
//! micro-match. The expected tags of the game always follow from the pairing; a [`CorrectedGame`] has the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use draughts::ResultFormat;
use serde::{Deserialize, Serialize};

use super::optional_text;
use super::result::official_tag;
use crate::{Id, MAIN, MicroMatchStage, Pairing, Player, Tournament, TournamentSection};

/// State of a round.
///
/// # Examples
///
/// ```
/// use draughts_tournament::RoundState;
/// assert_eq!("open".parse(), Ok(RoundState::Open));
/// assert!(RoundState::Published < RoundState::Open);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundState {
    /// The pairings are not public.
    #[default]
    Prepared,
    /// The pairings are public; their order is fixed.
    Published,
    /// Games that begin belong to the round.
    Open,
    /// The round is over.
    Closed,
}

super::named!(RoundState { Prepared = "prepared", Published = "published", Open = "open", Closed = "closed" });

impl RoundState {
    /// Whether a round in this state may change to another one.
    pub(crate) fn can_become(self, next: RoundState) -> bool {
        match next {
            RoundState::Prepared => self == RoundState::Published,
            RoundState::Published => self == RoundState::Prepared,
            RoundState::Open => true,
            RoundState::Closed => self == RoundState::Open,
        }
    }
}

impl FromStr for RoundState {
    type Err = String;

    fn from_str(text: &str) -> Result<RoundState, String> {
        RoundState::from_name(text).ok_or_else(|| format!("`{text}` is no state of a round"))
    }
}

/// A round of a section that was published.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionRound {
    /// Id of the round among those of all sections.
    pub id: Id,
    /// Number of the round, from 1.
    pub number: u32,
    /// State of the round.
    pub state: RoundState,
    /// Position in the order of opening, from 1; 0 if never opened.
    pub open_seq: u32,
}

/// Corrections of a recorded game.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CorrectedGame {
    /// Id among all corrected games.
    pub id: Id,
    /// Name of the board, the stem of its files' names.
    pub board: String,
    /// Number of the game on the board.
    pub number: u32,
    /// Pairing of the game, if its line had none or another one before its first move.
    pub pairing: Option<PairingKey>,
    /// Changed tags, including `Result`; and [`MOVES`], the moves that the board missed.
    pub tags: BTreeMap<String, CorrectedTag>,
}

impl CorrectedGame {
    /// Whether a replayed game counts instead.
    fn is_replayed(&self) -> bool {
        self.tags.get(REPLAYED).is_some_and(|tag| !tag.value.is_empty())
    }
}

/// Name of the moves that a board missed among the corrections of a game; all other names are tags, which begin with a capital letter.
pub const MOVES: &str = "moves";

/// Tag of a game that was replayed.
pub const REPLAYED: &str = "Replayed";

/// A corrected tag of a recorded game.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CorrectedTag {
    /// Corrected value; empty if the tag is left out.
    pub value: String,
    /// Value at the start of the game, or in its finished live file; empty if it had none.
    pub original: String,
}

/// A game that a board has recorded, as a tournament needs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardGame {
    /// Name of the board.
    pub board: String,
    /// Number of the game on the board.
    pub number: u32,
    /// Pairing id that its line had before its first move.
    pub pairing: Option<String>,
    /// Number of the game that was ended by mistake and continues as this one.
    pub continues: Option<u32>,
    /// Tags at the start of the game.
    pub tags: Vec<(String, String)>,
    /// Format of its results; `None` for any text.
    pub format: Option<ResultFormat>,
    /// Result in its live file.
    pub result: Option<String>,
    /// Whether the operator entered the result, not the board.
    pub is_result_given: bool,
    /// Whether its live file is complete.
    pub is_over: bool,
    /// Number of entries.
    pub entries: u32,
}

impl BoardGame {
    /// Whether the game ended without a move and without a result, so that it counts for nothing.
    pub fn is_void(&self) -> bool {
        self.is_over && self.entries == 0 && self.result.is_none()
    }

    /// Returns the value of a tag at the start of the game.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Suffixes of the tags about White and Black beside their names.
pub(crate) const PLAYER_TAG_SUFFIXES: [[&str; 5]; 2] = [
    ["WhiteTitle", "WhiteRating", "WhiteTeam", "WhiteCountry", "WhiteFmjdId"],
    ["BlackTitle", "BlackRating", "BlackTeam", "BlackCountry", "BlackFmjdId"],
];

/// A pairing, and its game in a micro-match.
pub type PairingKey = (Id, Option<MicroMatchStage>);

/// Key of a game that belongs to no pairing, whatever its line had before its first move.
pub const NO_PAIRING: PairingKey = (Id(0), None);

/// Formats the pairing id of a game: `17`, `17.rapid`, `none`.
pub fn format_pairing_key((id, stage): PairingKey) -> String {
    match stage {
        None if (id, stage) == NO_PAIRING => "none".to_owned(),
        None => id.to_string(),
        Some(stage) => format!("{id}.{}", stage.name()),
    }
}

/// Parses a pairing id.
pub fn parse_pairing_key(word: &str) -> Option<PairingKey> {
    if word == "none" {
        return Some(NO_PAIRING);
    }
    let (id, stage) = match word.split_once('.') {
        None => (word, None),
        Some((id, stage)) => (id, Some(MicroMatchStage::from_name(stage)?)),
    };
    Some((Id(id.parse().ok()?), stage))
}

/// A pairing key as text.
pub(crate) mod key_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::{PairingKey, format_pairing_key, parse_pairing_key};

    pub fn serialize<S: Serializer>(key: &Option<PairingKey>, serializer: S) -> Result<S::Ok, S::Error> {
        match key {
            Some(key) => serializer.serialize_str(&format_pairing_key(*key)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PairingKey>, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_pairing_key(&text).map(Some).ok_or_else(|| D::Error::custom(format!("invalid pairing `{text}`")))
    }
}

/// A pairing that is assigned to a board of the station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardAssignment {
    /// Name of the board, the stem of its files' names.
    pub board: String,
    /// The pairing.
    pub pairing: PairingKey,
    /// The tags of the game.
    pub tags: Vec<(String, String)>,
}

impl TournamentSection {
    /// Returns the state of a round.
    pub fn state_of(&self, round: u32) -> RoundState {
        self.rounds.iter().find(|known| known.number == round).map_or(RoundState::Prepared, |known| known.state)
    }

    /// Whether setting a round to a state changes nothing. An open round can be opened again if another round was opened after it.
    pub(crate) fn is_already(&self, round: u32, state: RoundState) -> bool {
        self.state_of(round) == state && (state != RoundState::Open || self.open_round() == Some(round))
    }

    /// Returns the round that was opened last, if it is still open.
    pub fn open_round(&self) -> Option<u32> {
        let last = self.rounds.iter().max_by_key(|round| round.open_seq)?;
        (last.state == RoundState::Open).then_some(last.number)
    }
}

impl Tournament {
    /// Returns a pairing and its section.
    pub fn pairing(&self, id: Id) -> Option<(&TournamentSection, &Pairing)> {
        self.sections.iter().find_map(|section| Some((section, section.pairing(id)?)))
    }

    /// Returns all pairings, each with its section.
    pub fn pairings(&self) -> impl Iterator<Item = (&TournamentSection, &Pairing)> {
        self.sections.iter().flat_map(|section| section.pairings.iter().map(move |pairing| (section, pairing)))
    }

    /// Returns a player of any section.
    pub fn player(&self, id: Id) -> Option<&Player> {
        self.sections.iter().find_map(|section| section.player(id))
    }

    /// Returns the visible result of a recorded game; `*` without a result.
    pub fn shown_result(&self, game: &BoardGame) -> String {
        let corrected = self.corrected(&game.board, game.number).and_then(|known| known.tags.get("Result"));
        corrected.map(|tag| tag.value.clone()).or_else(|| game.result.clone()).unwrap_or_else(|| "*".to_owned())
    }

    /// Describes a recorded game: `board-2, game 1, Sijbrands - Wiersma, 45 plies`.
    pub(crate) fn describe_game(&self, game: &BoardGame) -> String {
        let corrected = self.corrected(&game.board, game.number);
        let name = |side: &str| {
            let corrected = corrected.and_then(|known| known.tags.get(side)).map(|tag| tag.value.clone());
            corrected.or_else(|| game.tag(side).map(str::to_owned)).unwrap_or_else(|| "?".to_owned())
        };
        let plies = if game.entries == 1 { "1 ply" } else { &format!("{} plies", game.entries) };
        format!("{}, game {}, {} - {}, {plies}", game.board, game.number, name("White"), name("Black"))
    }

    /// Finds the pairing with a name such as `3.2`: round 3, board 2.
    ///
    /// # Errors
    ///
    /// Returns a message if there is none, or one in several sections.
    pub fn find_pairing(&self, name: &str, section: Option<&str>) -> Result<Id, String> {
        let numbers = name.split_once('.').and_then(|(round, board)| Some((round.parse().ok()?, board.parse().ok()?)));
        let Some((round, board)): Option<(u32, u32)> = numbers else {
            return Err(format!("`{name}` is no pairing: 3.2 is board 2 of round 3"));
        };
        let is_it = |of: &TournamentSection, pairing: &Pairing| {
            section.is_none_or(|name| of.name == name) && (pairing.round, pairing.board) == (round, Some(board))
        };
        let found: Vec<_> = self.pairings().filter(|(section, pairing)| is_it(section, pairing)).collect();
        match found.as_slice() {
            [(_, pairing)] => Ok(pairing.id),
            [] => Err(format!("there is no board {board} in round {round}")),
            several => {
                let names: Vec<&str> = several.iter().map(|(section, _)| section.name.as_str()).collect();
                Err(format!("there is a pairing {name} in several sections: say which, {}", names.join(", ")))
            }
        }
    }

    /// Returns the assignments of all boards. First come pairings that an arbiter has moved to another board, until they have a result;
    /// then the pairings of the open rounds with a board of the station, except deferred ones.
    pub fn board_assignments(&self) -> Vec<BoardAssignment> {
        let mut seats: Vec<BoardAssignment> = self
            .elsewhere()
            .map(|(section, pairing)| self.seat_at(section, pairing, &pairing.board_override))
            .collect();
        let mut taken: BTreeSet<&str> = self.elsewhere().map(|(_, pairing)| pairing.board_override.as_str()).collect();
        let is_here = |pairing: &&Pairing| {
            !pairing.board_name.is_empty() && pairing.deferral.is_none() && pairing.board_override.is_empty()
        };
        for (section, round) in self.sections.iter().filter_map(|section| Some((section, section.open_round()?))) {
            for pairing in section.round(round).into_iter().filter(is_here) {
                if taken.insert(&pairing.board_name) {
                    seats.push(self.seat_at(section, pairing, &pairing.board_name));
                }
            }
        }
        seats
    }

    /// Returns the pairings that are played on another board than that of their round.
    pub fn elsewhere(&self) -> impl Iterator<Item = (&TournamentSection, &Pairing)> {
        self.pairings().filter(|(_, pairing)| !pairing.board_override.is_empty() && pairing.result.is_none())
    }

    fn seat_at(&self, section: &TournamentSection, pairing: &Pairing, board: &str) -> BoardAssignment {
        let key = (pairing.id, pairing.next_stage());
        BoardAssignment { board: board.to_owned(), pairing: key, tags: self.tags_of(section, pairing, key.1) }
    }

    /// Returns the assignments of one round, in the order of its boards.
    pub fn assignments_of_round(&self, section: &TournamentSection, round: u32) -> Vec<BoardAssignment> {
        let seated = section.round(round).into_iter().filter(|pairing| !pairing.board_name.is_empty());
        seated.map(|pairing| self.seat_at(section, pairing, &pairing.board_name)).collect()
    }

    /// Returns the rounds that have files, each with its number of games.
    pub(crate) fn games_of_rounds(&self) -> BTreeMap<u32, usize> {
        let mut rounds = BTreeMap::new();
        for section in &self.sections {
            for round in section.rounds.iter().filter(|round| round.state != RoundState::Prepared) {
                let seated = section.pairings.iter().filter(|of| of.round == round.number && !of.board_name.is_empty());
                *rounds.entry(round.number).or_default() += seated.count();
            }
        }
        rounds
    }

    /// Returns the tags of a game of a pairing, without its result: only facts of the tournament.
    pub fn tags_of(
        &self,
        section: &TournamentSection,
        pairing: &Pairing,
        stage: Option<MicroMatchStage>,
    ) -> Vec<(String, String)> {
        let game = pairing.games.iter().find(|game| Some(game.stage) == stage);
        let is_swapped = game.is_some_and(|game| game.is_swapped);
        let (white, black) = if is_swapped { (pairing.black, pairing.white) } else { (pairing.white, pairing.black) };
        // The default section has no name of an event: that of the configuration counts.
        let event = Some(&self.event.name).filter(|name| !name.is_empty());
        let event = event.or(Some(&section.name).filter(|name| *name != MAIN)).cloned().unwrap_or_default();
        let mut tags = vec![
            ("Event", event),
            ("Site", self.event.site.clone()),
            ("Round", pairing.round.to_string()),
            ("White", section.name_of(white).to_owned()),
            ("Black", section.name_of(black).to_owned()),
        ];
        for (id, names) in [white, black].into_iter().zip(PLAYER_TAG_SUFFIXES) {
            let Some(player) = id.and_then(|id| section.player(id)) else { continue };
            let (rating, team) = (optional_text(player.rating), section.team_name(player.team).to_owned());
            let (country, id) = (player.federation.clone(), player.fmjd_id().to_owned());
            tags.extend(names.into_iter().zip([player.title.clone(), rating, team, country, id]));
        }
        tags.push(("Board", optional_text(pairing.board)));
        if self.sections.len() > 1 {
            tags.push(("Section", section.name.clone()));
        }
        if let Some(game) = game {
            tags.push(("Stage", game.stage.name().to_owned()));
            tags.push(("TimeControl", game.time_control.clone()));
        }
        tags.retain(|(_, value)| !value.is_empty());
        tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Whether a replayed game counts instead of this one.
    pub fn is_replayed(&self, game: &BoardGame) -> bool {
        self.corrected(&game.board, game.number).is_some_and(CorrectedGame::is_replayed)
    }

    /// Returns the pairing that a game belongs to.
    pub fn pairing_of(&self, game: &BoardGame) -> Option<PairingKey> {
        self.assigned_pairing(&game.board, game.number).or_else(|| parse_pairing_key(game.pairing.as_deref()?))
    }

    /// Returns the pairing that a game was assigned to after its first move.
    pub fn assigned_pairing(&self, board: &str, number: u32) -> Option<PairingKey> {
        self.corrected(board, number)?.pairing
    }

    /// Returns the board on which a pairing is or was played, as far as the tournament knows; empty if it is none of the station. An
    /// assigned game may have been played on another board than that of its round.
    pub fn board_of<'t>(&'t self, pairing: &'t Pairing) -> &'t str {
        let of_pairing =
            |game: &&CorrectedGame| game.pairing.is_some_and(|key| key.0 == pairing.id) && !game.is_replayed();
        let adopted = self.games.iter().rfind(of_pairing).map(|game| game.board.as_str());
        match pairing.board_override.as_str() {
            "" => adopted.unwrap_or(&pairing.board_name),
            elsewhere => elsewhere,
        }
    }

    /// Returns the official result of a game of a pairing as the value of its tag; `None` if there is none yet. `format`: format of the
    /// game's results; `None` for that of international draughts.
    pub fn result_tag(&self, (id, stage): PairingKey, format: Option<ResultFormat>) -> Option<String> {
        let (section, pairing) = self.pairing(id)?;
        official_tag(section, pairing, stage, format)
    }

    /// Returns the corrections of a game.
    pub fn corrected(&self, board: &str, number: u32) -> Option<&CorrectedGame> {
        self.games.iter().find(|game| game.board == board && game.number == number)
    }
}

impl Pairing {
    /// Whether the pairing, or one game of its micro-match, has a result.
    pub(crate) fn has_result(&self, stage: Option<MicroMatchStage>) -> bool {
        match stage {
            None => self.result.is_some(),
            Some(stage) => self.games.iter().any(|game| game.stage == stage && game.result.is_some()),
        }
    }

    /// Returns the game of a micro-match to be played next: the first without a result, else the last.
    pub fn next_stage(&self) -> Option<MicroMatchStage> {
        let open = self.games.iter().find(|game| game.result.is_none());
        open.or(self.games.last()).map(|game| game.stage)
    }
}
