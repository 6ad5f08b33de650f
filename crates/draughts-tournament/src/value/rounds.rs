//! Rounds as the station plays them: which are published, which is open, who sits where, and what a game of a pairing is called.
//!
//! ```text
//!   prepared ──publish──▸ published ──open──▸ open ──close──▸ closed
//!       └───────────────────open────────────────┘  ▴             │
//!                                                   └────open─────┘      a game is played on, or played again
//! ```
//!
//! A game is tied to its pairing by the word that stands in its line's log before its first move: `17`, or `17.rapid` for a game of a
//! micro-match. What the tags of the game are to be follows from the pairing, whenever it is asked; what they became is an
//! [`CorrectedGame`].

use std::collections::BTreeMap;
use std::str::FromStr;

use draughts::ResultFormat;
use serde::{Deserialize, Serialize};

use super::result::official_tag;
use crate::{Id, MAIN, MicroMatchStage, Pairing, Player, Tournament, TournamentSection};

/// How far a round is.
///
/// # Examples
///
/// ```
/// use draughts_tournament::RoundState;
///
/// assert_eq!("open".parse(), Ok(RoundState::Open));
/// assert!(RoundState::Published < RoundState::Open);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundState {
    /// Its pairings are known here alone.
    #[default]
    Prepared,
    /// Everybody may see its pairings; their order stays.
    Published,
    /// Games that begin now are games of it.
    Open,
    /// It is over.
    Closed,
}

impl RoundState {
    /// All of them.
    pub const ALL: [RoundState; 4] =
        [RoundState::Prepared, RoundState::Published, RoundState::Open, RoundState::Closed];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            RoundState::Prepared => "prepared",
            RoundState::Published => "published",
            RoundState::Open => "open",
            RoundState::Closed => "closed",
        }
    }

    /// Whether a round in this state may get another one.
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
        let found = RoundState::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| format!("`{text}` is no state of a round"))
    }
}

/// A round of a section that was published.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SectionRound {
    /// Its number among all rounds of all sections.
    pub id: Id,
    /// The round, from 1.
    pub number: u32,
    /// How far it is.
    pub state: RoundState,
    /// The how manieth it was to be opened; 0: it was not.
    pub open_seq: u32,
}

/// What is corrected of a game that a board has recorded.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CorrectedGame {
    /// Its number among all amended games.
    pub id: Id,
    /// The board: what the names of its files begin with.
    pub board: String,
    /// The number of the game on the board.
    pub number: u32,
    /// The pairing that it is a game of, where it was told none before its first move, or another one.
    pub pairing: Option<PairingKey>,
    /// The tags that are others now, `Result` among them; and [`MOVES`], the moves that the board missed.
    pub tags: BTreeMap<String, CorrectedTag>,
}

impl CorrectedGame {
    /// Does another game count in its place?
    fn is_replayed(&self) -> bool {
        self.tags.get(REPLAYED).is_some_and(|tag| !tag.value.is_empty())
    }
}

/// What the moves that a board missed are called among what is corrected of a game; the other names there are tags, which begin with a
/// capital letter.
pub const MOVES: &str = "moves";

/// The tag of a game in whose place another one counts.
pub const REPLAYED: &str = "Replayed";

/// A tag of a recorded game that is another now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CorrectedTag {
    /// As it is to be shown; empty: it is left out.
    pub value: String,
    /// With which the game began, or that its live file ended with; empty: it had none.
    pub original: String,
}

/// A game that a board has recorded, as far as a tournament is concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardGame {
    /// The board.
    pub board: String,
    /// Its number on the board.
    pub number: u32,
    /// The pairing that it was told before its first move.
    pub pairing: Option<String>,
    /// The game that was ended by mistake and goes on in this one, by its number.
    pub continues: Option<u32>,
    /// The tags with which it began.
    pub tags: Vec<(String, String)>,
    /// Which results it may have; `None`: any text.
    pub format: Option<ResultFormat>,
    /// The result that its live file has.
    pub result: Option<String>,
    /// The operator gave that result; the board has not shown it.
    pub is_result_given: bool,
    /// Has its live file ended?
    pub is_over: bool,
    /// How many entries it has.
    pub entries: u32,
}

impl BoardGame {
    /// The value of a tag with which it began.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The tags that say more of White and of Black than their names.
pub(crate) const PLAYER_TAG_SUFFIXES: [[&str; 4]; 2] = [
    ["WhiteTitle", "WhiteRating", "WhiteTeam", "WhiteFederation"],
    ["BlackTitle", "BlackRating", "BlackTeam", "BlackFederation"],
];

/// A pairing, and its game if there are several.
pub type PairingKey = (Id, Option<MicroMatchStage>);

/// What a game is told that belongs to a pairing: `17`, `17.rapid`.
pub fn format_pairing_key((id, stage): PairingKey) -> String {
    match stage {
        None => id.to_string(),
        Some(stage) => format!("{id}.{}", stage.name()),
    }
}

/// The pairing of such a word.
pub fn parse_pairing_key(word: &str) -> Option<PairingKey> {
    let (id, stage) = match word.split_once('.') {
        None => (word, None),
        Some((id, stage)) => (id, Some(MicroMatchStage::ALL.into_iter().find(|known| known.name() == stage)?)),
    };
    Some((Id(id.parse().ok()?), stage))
}

/// Who sits at a board of the station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardAssignment {
    /// The board: what the names of its files begin with.
    pub board: String,
    /// The pairing.
    pub pairing: PairingKey,
    /// The tags of the game.
    pub tags: Vec<(String, String)>,
}

impl TournamentSection {
    /// How far a round is.
    pub fn state_of(&self, round: u32) -> RoundState {
        self.rounds.iter().find(|known| known.number == round).map_or(RoundState::Prepared, |known| known.state)
    }

    /// The round that was opened last, if it is open still.
    pub fn open_round(&self) -> Option<u32> {
        let last = self.rounds.iter().max_by_key(|round| round.open_seq)?;
        (last.state == RoundState::Open).then_some(last.number)
    }
}

impl Tournament {
    /// A pairing and its section.
    pub fn pairing(&self, id: Id) -> Option<(&TournamentSection, &Pairing)> {
        let of = |section: &TournamentSection| section.pairings.iter().position(|pairing| pairing.id == id);
        self.sections.iter().find_map(|section| Some((section, &section.pairings[of(section)?])))
    }

    /// Returns all pairings, each with its section.
    pub fn pairings(&self) -> impl Iterator<Item = (&TournamentSection, &Pairing)> {
        self.sections.iter().flat_map(|section| section.pairings.iter().map(move |pairing| (section, pairing)))
    }

    /// Returns a player of any section.
    pub fn player(&self, id: Id) -> Option<&Player> {
        self.sections.iter().find_map(|section| section.player(id))
    }

    /// Returns the result of a recorded game as it is shown; `*` without a result.
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

    /// The pairing that people call `3.2`: round 3, board 2.
    ///
    /// # Errors
    ///
    /// When there is none, or one in several sections.
    pub fn find_pairing(&self, name: &str, section: Option<&str>) -> Result<Id, String> {
        let numbers = name.split_once('.').and_then(|(round, board)| Some((round.parse().ok()?, board.parse().ok()?)));
        let Some((round, board)) = numbers else {
            return Err(format!("`{name}` is no pairing: 3.2 is board 2 of round 3"));
        };
        let is_asked = |of: &&TournamentSection| section.is_none_or(|name| of.name == name);
        let found: Vec<(&TournamentSection, Id)> = self
            .sections
            .iter()
            .filter(is_asked)
            .flat_map(|section| section.round(round).into_iter().map(move |pairing| (section, pairing)))
            .filter(|(_, pairing)| pairing.board == Some(board))
            .map(|(section, pairing)| (section, pairing.id))
            .collect();
        match found.as_slice() {
            [(_, id)] => Ok(*id),
            [] => Err(format!("there is no board {board} in round {round}")),
            several => {
                let names: Vec<&str> = several.iter().map(|(section, _)| section.name.as_str()).collect();
                Err(format!("there is a pairing {name} in several sections: say which, {}", names.join(", ")))
            }
        }
    }

    /// Who sits where: the pairings of the open rounds that have a board of the station, but for those that are played later; and before
    /// them those that an arbiter has given another board, until they have a result.
    pub fn board_assignments(&self) -> Vec<BoardAssignment> {
        let mut seats: Vec<BoardAssignment> = self
            .elsewhere()
            .map(|(section, pairing)| self.seat_at(section, pairing, &pairing.board_override))
            .collect();
        let rounds = self.sections.iter().filter_map(|section| Some((section, section.open_round()?)));
        for seat in rounds.flat_map(|(section, round)| self.assignments_of_round(section, round)) {
            let pairing = self.pairing(seat.pairing.0).map(|(_, pairing)| pairing);
            let is_here =
                pairing.is_some_and(|pairing| pairing.deferral.is_none() && pairing.board_override.is_empty());
            if is_here && seats.iter().all(|other| other.board != seat.board) {
                seats.push(seat);
            }
        }
        seats
    }

    /// The pairings that are played on another board than that of their round.
    pub fn elsewhere(&self) -> impl Iterator<Item = (&TournamentSection, &Pairing)> {
        let all =
            self.sections.iter().flat_map(|section| section.pairings.iter().map(move |pairing| (section, pairing)));
        all.filter(|(_, pairing)| !pairing.board_override.is_empty() && pairing.result.is_none())
    }

    fn seat_at(&self, section: &TournamentSection, pairing: &Pairing, board: &str) -> BoardAssignment {
        let key = (pairing.id, pairing.next_stage());
        BoardAssignment { board: board.to_owned(), pairing: key, tags: self.tags_of(section, pairing, key.1) }
    }

    /// The same of one round, in the order of its boards.
    pub fn assignments_of_round(&self, section: &TournamentSection, round: u32) -> Vec<BoardAssignment> {
        let seated = section.round(round).into_iter().filter(|pairing| !pairing.board_name.is_empty());
        seated.map(|pairing| self.seat_at(section, pairing, &pairing.board_name)).collect()
    }

    /// The tags of a game of a pairing, without its result: what the tournament knows, and nothing else.
    pub fn tags_of(
        &self,
        section: &TournamentSection,
        pairing: &Pairing,
        stage: Option<MicroMatchStage>,
    ) -> Vec<(String, String)> {
        let game = pairing.games.iter().find(|game| Some(game.stage) == stage);
        let is_swapped = game.is_some_and(|game| game.is_swapped);
        let (white, black) = if is_swapped { (pairing.black, pairing.white) } else { (pairing.white, pairing.black) };
        // A section that nobody named says nothing of the event: the configuration does.
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
            let rating = player.rating.map_or(String::new(), |rating| rating.to_string());
            let team = player.team.and_then(|id| section.team(id)).map_or(String::new(), |team| team.name.clone());
            tags.extend(names.into_iter().zip([player.title.clone(), rating, team, player.federation.clone()]));
        }
        tags.push(("Board", pairing.board.map_or(String::new(), |board| board.to_string())));
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

    /// Does another game count in the place of this one?
    pub fn is_replayed(&self, game: &BoardGame) -> bool {
        self.corrected(&game.board, game.number).is_some_and(CorrectedGame::is_replayed)
    }

    /// The pairing that a game is one of.
    pub fn pairing_of(&self, game: &BoardGame) -> Option<PairingKey> {
        self.assigned_pairing(&game.board, game.number).or_else(|| parse_pairing_key(game.pairing.as_deref()?))
    }

    /// The pairing that a game is one of though its line was not told so before its first move.
    pub fn assigned_pairing(&self, board: &str, number: u32) -> Option<PairingKey> {
        self.corrected(board, number)?.pairing
    }

    /// The board on which a pairing is played, or was played, as far as the tournament knows; empty: none of the station. A game that was
    /// adopted may have been played elsewhere than its round said.
    pub fn board_of<'t>(&'t self, pairing: &'t Pairing) -> &'t str {
        let of_pairing =
            |game: &&CorrectedGame| game.pairing.is_some_and(|key| key.0 == pairing.id) && !game.is_replayed();
        let adopted = self.games.iter().rfind(of_pairing).map(|game| game.board.as_str());
        match pairing.board_override.as_str() {
            "" => adopted.unwrap_or(&pairing.board_name),
            elsewhere => elsewhere,
        }
    }

    /// The official result of a game of a pairing in the words of its tag; `None`: there is none yet. `format`: the results that the
    /// game may have, those of international draughts if that is not known.
    pub fn result_tag(&self, (id, stage): PairingKey, format: Option<ResultFormat>) -> Option<String> {
        let (section, pairing) = self.pairing(id)?;
        official_tag(section, pairing, stage, format)
    }

    /// What is corrected of a game.
    pub fn corrected(&self, board: &str, number: u32) -> Option<&CorrectedGame> {
        self.games.iter().find(|game| game.board == board && game.number == number)
    }
}

impl Pairing {
    /// Which game of a micro-match is to be played now: the first without a result, else the last.
    pub fn next_stage(&self) -> Option<MicroMatchStage> {
        let open = self.games.iter().find(|game| game.result.is_none());
        open.or(self.games.last()).map(|game| game.stage)
    }
}
