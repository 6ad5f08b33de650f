//! The values of a tournament.
//!
//! ```text
//!   Tournament ─ Section ─┬─ Player (number, name, team ..)
//!                         ├─ Team
//!                         ├─ Match (round, home, away)
//!                         ├─ Pairing (round, board, white, black, result, games)
//!                         ├─ Bye, SectionRound      CorrectedGame ◂─ what boards recorded
//!                         └─ Adjustment
//! ```
//!
//! Invariants: an [`Id`] is given once and never changes its owner; a player plays once in a round; points are exact.

/// Writes values as the text of their `Display`, and reads them by their `FromStr`.
macro_rules! serde_as_text {
    ($($kind:ident),*) => {$(
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$kind, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
use serde_as_text;

pub(crate) mod points;
pub(crate) mod result;
pub(crate) mod rounds;
pub(crate) mod scoring;

use std::fmt;

use serde::{Deserialize, Serialize};

use points::Points;
use result::single_player_result;
use rounds::{CorrectedGame, SectionRound};
use scoring::{MicroMatchStage, Scoring, TieBreak, UnplayedPolicy};

/// The name of a section that nobody named.
pub const MAIN: &str = "main";

/// The number of a player, team, match, pairing, bye or adjustment among its kind: given once, for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Id(pub u32);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An event with its sections.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tournament {
    /// What is said of all of it.
    pub event: EventInfo,
    /// Its sections, in the order in which they came.
    pub sections: Vec<TournamentSection>,
    /// What is corrected of games that boards have recorded; by id.
    pub games: Vec<CorrectedGame>,
}

impl Tournament {
    /// The section of this name.
    pub fn section(&self, name: &str) -> Option<&TournamentSection> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// What is said of an event. A text that is not known is empty.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventInfo {
    /// Its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// The federation that holds it, as `NED`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// Its first day, `2027-07-10` where that could be read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub start: String,
    /// Its last day, likewise.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub end: String,
    /// The chief arbiter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arbiter: String,
    /// The time control, as the pairing program writes it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub time_control: String,
}

/// A group that plays for itself and has its own standings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TournamentSection {
    /// Its number.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// What a result is worth.
    pub scoring: Scoring,
    /// What orders those with equal points, the first first.
    pub tie_breaks: Vec<TieBreak>,
    /// How a round without a game counts in tie-breaks.
    pub unplayed: UnplayedPolicy,
    /// How many rounds there will be.
    pub planned: Option<u32>,
    /// By id.
    pub players: Vec<Player>,
    /// By id.
    pub teams: Vec<Team>,
    /// By id.
    pub matches: Vec<Match>,
    /// By id.
    pub pairings: Vec<Pairing>,
    /// By id.
    pub byes: Vec<Bye>,
    /// By id.
    pub adjustments: Vec<Adjustment>,
    /// The day of each round that has one, by the number of the round.
    pub dates: Vec<(u32, String)>,
    /// The rounds that were published; by id.
    pub rounds: Vec<SectionRound>,
}

/// Rules of a section, as an event has them.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionRules {
    /// Number of the section.
    pub id: Id,
    /// Name of the section.
    pub name: String,
    /// Points of results.
    pub scoring: Scoring,
    /// Order of players with equal points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tie_breaks: Vec<TieBreak>,
    /// How a round without a game counts in tie-breaks.
    pub unplayed: UnplayedPolicy,
    /// Number of planned rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<u32>,
    /// Day of each round that has one, by the number of the round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<(u32, String)>,
}

impl Tournament {
    /// What a section is called among others: nothing where nobody named the only one.
    pub fn section_label<'t>(&self, section: &'t TournamentSection) -> Option<&'t str> {
        let is_nameless = self.sections.len() < 2 && section.name == MAIN;
        (!is_nameless).then_some(section.name.as_str())
    }
}

impl TournamentSection {
    /// Do teams play matches here? Else they are clubs that players belong to.
    pub fn has_matches(&self) -> bool {
        !self.matches.is_empty()
    }

    /// The player with this id.
    pub fn player(&self, id: Id) -> Option<&Player> {
        self.players.binary_search_by_key(&id, |player| player.id).ok().map(|at| &self.players[at])
    }

    /// The team with this id.
    pub fn team(&self, id: Id) -> Option<&Team> {
        self.teams.iter().find(|team| team.id == id)
    }

    /// Whom a name means: those who are called so or, if nobody is, those whom files call so.
    pub fn players_named(&self, name: &str) -> Vec<&Player> {
        let called: Vec<&Player> = self.players.iter().filter(|player| player.name == name).collect();
        if !called.is_empty() {
            return called;
        }
        self.players.iter().filter(|player| player.is_known_as(name)).collect()
    }

    /// Names a pairing: `round 1, board 2, Sijbrands - Wiersma`.
    pub(crate) fn describe_pairing(&self, of: &Pairing) -> String {
        let board = of.board.map_or(String::new(), |board| format!(", board {board}"));
        format!("round {}{board}, {} - {}", of.round, self.name_of(of.white), self.name_of(of.black))
    }

    /// The name of a player, or the sign for nobody.
    pub fn name_of(&self, id: Option<Id>) -> &str {
        id.and_then(|id| self.player(id)).map_or("-", |player| &player.name)
    }

    /// The last round of which anything is known; 0: none.
    pub fn last_round(&self) -> u32 {
        let pairings = self.pairings.iter().map(|pairing| pairing.round);
        pairings.chain(self.byes.iter().map(|bye| bye.round)).max().unwrap_or(0)
    }

    /// The last round with a result; 0: none.
    pub fn last_round_with_result(&self) -> u32 {
        let pairings = self.pairings.iter().filter(|pairing| pairing.result.is_some()).map(|pairing| pairing.round);
        pairings.max().unwrap_or(0)
    }

    /// The pairings of a round, in the order of the boards.
    pub fn round(&self, round: u32) -> Vec<&Pairing> {
        let mut pairings: Vec<&Pairing> = self.pairings.iter().filter(|pairing| pairing.round == round).collect();
        pairings.sort_by_key(|pairing| (pairing.board.unwrap_or(u32::MAX), pairing.id));
        pairings
    }

    /// The day of a round.
    pub fn date(&self, round: u32) -> Option<&str> {
        self.dates.iter().find(|(of, _)| *of == round).map(|(_, date)| date.as_str())
    }
}

/// A player of a section. A text that is not known is empty.
///
/// # Examples
///
/// ```
/// use draughts_tournament::Player;
///
/// let mut player = Player { name: "Wiersma, H.".to_owned(), ..Player::default() };
/// player.rename("Wiersma, Harm");
/// assert!(player.is_known_as("Wiersma, H."), "files may have the former name");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Player {
    /// His number with us.
    pub id: Id,
    /// His number in the files of the pairing program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// His name, as it was given; [`HIDDEN_NAME`] if he wishes not to be named.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The names that he had before an arbiter gave him another one: files know him by them, and nobody is shown them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_names: Vec<String>,
    /// His title, as it was given.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// His rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// His federation, as `NED`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// His number with the federation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub licence: String,
    /// His day of birth, as it was given.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub birth: String,
    /// `m` or `w`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sex: String,
    /// His team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Id>,
}

/// What one is called who wishes not to be named.
pub const HIDDEN_NAME: &str = "N. N.";

impl Player {
    /// Does he wish not to be named?
    pub fn is_hidden(&self) -> bool {
        self.name == HIDDEN_NAME
    }

    /// Is it this name by which files know him?
    pub fn is_known_as(&self, name: &str) -> bool {
        self.name == name || self.former_names.iter().any(|old| old == name)
    }

    /// An arbiter has him called so from now on. Files go on to use the name that they have for him.
    pub fn rename(&mut self, name: &str) {
        let old = std::mem::replace(&mut self.name, name.to_owned());
        self.is_called_in_files(old);
        self.former_names.retain(|old| old != name);
    }

    /// Files have this name for him.
    pub fn is_called_in_files(&mut self, name: String) {
        if name != HIDDEN_NAME && !self.is_known_as(&name) {
            self.former_names.push(name);
        }
    }
}

/// A team of a section.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// Its number with us.
    pub id: Id,
    /// Its number in the files of the pairing program.
    pub number: u32,
    /// Its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its federation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// Its players in their order, substitutes last, where the file says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lineup: Vec<Id>,
}

/// Two teams that meet in a round.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// Its number.
    pub id: Id,
    /// The round.
    pub round: u32,
    /// The team that has white on the first board.
    pub home: Id,
    /// The other one.
    pub away: Id,
}

/// Two players who meet in a round, in one game or in several.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pairing {
    /// Its number.
    pub id: Id,
    /// The round, from 1.
    pub round: u32,
    /// The board, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<u32>,
    /// The match of which it is a board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_id: Option<Id>,
    /// Who has white, in the first game if there are several; `None`: a board that a team leaves empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<Id>,
    /// Who has black, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<Id>,
    /// The board of the station on which it is played: what the names of its files begin with; empty: on none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub board_name: String,
    /// It is not played with its round, and why; until it has a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferral: Option<Deferral>,
    /// The board of the station on which it is played instead, as the arbiter says; empty: on that of its round.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub board_override: String,
    /// The official result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<OfficialResult>,
    /// The games of a micro-match, in their order; of a pairing of one game there is none here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<MicroMatchGame>,
}

/// Why a pairing is not played with its round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deferral {
    /// It begins later.
    Postponed,
    /// It was begun, and goes on later.
    Adjourned,
}

impl Deferral {
    /// All of them.
    pub const ALL: [Deferral; 2] = [Deferral::Postponed, Deferral::Adjourned];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Deferral::Postponed => "postponed",
            Deferral::Adjourned => "adjourned",
        }
    }
}

impl Pairing {
    /// The result as it can be: of a pairing with one player it says what he has.
    ///
    /// # Errors
    ///
    /// When it is none of this scoring; then what there is.
    pub fn validated_result(&self, result: OfficialResult, scoring: &Scoring) -> Result<OfficialResult, String> {
        let is_lost = (result.white, result.black) == (scoring.loss, scoring.loss);
        let result = match result.reason {
            ResultReason::Played if is_lost && !self.has_one_player() => {
                OfficialResult { reason: ResultReason::BothLost, ..result }
            }
            _ => result,
        };
        if self.has_one_player() {
            single_player_result(self, result, scoring)
        } else {
            scoring.check(&result).map(|()| result)
        }
    }

    /// Has it one player only?
    pub fn has_one_player(&self) -> bool {
        self.white.is_none() || self.black.is_none()
    }

    /// Does its round wait for its result?
    pub fn is_awaited(&self) -> bool {
        self.result.is_none() && self.deferral.is_none()
    }

    /// Whom this player meets, if it is his: `Some(None)` is an empty board.
    pub fn opponent(&self, of: Id) -> Option<Option<Id>> {
        match (self.white == Some(of), self.black == Some(of)) {
            (true, _) => Some(self.black),
            (_, true) => Some(self.white),
            _ => None,
        }
    }
}

/// An official result: what the arbiter says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfficialResult {
    /// The points of white.
    pub white: Points,
    /// The points of black.
    pub black: Points,
    /// How it came about.
    pub reason: ResultReason,
}

/// How a result came about.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultReason {
    /// On the board.
    #[default]
    Played,
    /// On the board, and not for ratings: within the first move.
    Unrated,
    /// One of them, or both, did not come.
    Forfeit,
    /// On the board: a draw in which White had an advantage, which may decide between players with equal points.
    WhitePlus,
    /// Likewise, and Black had it.
    BlackPlus,
    /// On the board, and both lost.
    BothLost,
    /// The arbiter decided.
    Arbiter,
    /// It will not be played.
    NotPlayed,
    /// There is one player, and no opponent was left for him.
    Bye,
}

impl ResultReason {
    /// All of them.
    pub const ALL: [ResultReason; 9] = [
        ResultReason::Played,
        ResultReason::Unrated,
        ResultReason::Forfeit,
        ResultReason::WhitePlus,
        ResultReason::BlackPlus,
        ResultReason::BothLost,
        ResultReason::Arbiter,
        ResultReason::NotPlayed,
        ResultReason::Bye,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            ResultReason::Played => "played",
            ResultReason::Unrated => "unrated",
            ResultReason::Forfeit => "forfeit",
            ResultReason::WhitePlus => "white plus",
            ResultReason::BlackPlus => "black plus",
            ResultReason::BothLost => "both lost",
            ResultReason::Arbiter => "arbiter",
            ResultReason::NotPlayed => "not played",
            ResultReason::Bye => "bye",
        }
    }

    /// The reason in a draw that is written with a plus and a minus, as `1+ - 1-` (PDN 3.0, ResultFormat `Plus draw`); one of both is
    /// enough.
    pub fn of_draw(text: &str) -> Option<ResultReason> {
        let text = text.replace(' ', "").replace(['–', '—', '−', ':'], "-");
        match text.as_str() {
            "1+-1-" | "1+-1" => Some(ResultReason::WhitePlus),
            "1--1+" | "1-1+" => Some(ResultReason::BlackPlus),
            _ => None,
        }
    }

    /// Did the two sit at the board?
    pub fn is_played(self) -> bool {
        !matches!(self, ResultReason::Forfeit | ResultReason::NotPlayed | ResultReason::Bye)
    }
}

/// A game of a micro-match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MicroMatchGame {
    /// Which of them.
    pub stage: MicroMatchStage,
    /// Does the white player of the pairing have black in it?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_swapped: bool,
    /// What it was for white and black of this game, as 2-1-0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<(Points, Points)>,
    /// Its time control.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time_control: String,
}

/// A round without an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bye {
    /// Its number.
    pub id: Id,
    /// The round.
    pub round: u32,
    /// Whose it is.
    pub player: Id,
    /// Why.
    pub kind: ByeKind,
    /// What it is worth.
    pub points: Points,
}

/// Why somebody has no opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByeKind {
    /// None was left: `U` in TRF.
    NoOpponent,
    /// He asked for it, and gets the points of a win: `F`.
    Full,
    /// He asked for it, and gets the points of a draw: `H`.
    Half,
    /// He is absent: `Z`.
    Absent,
    /// His opponent, whoever that was, did not come: `+`.
    Won,
    /// He did not come, whoever his opponent was: `-`.
    Lost,
}

impl ByeKind {
    /// All of them.
    pub const ALL: [ByeKind; 6] =
        [ByeKind::NoOpponent, ByeKind::Full, ByeKind::Half, ByeKind::Absent, ByeKind::Won, ByeKind::Lost];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            ByeKind::NoOpponent => "bye",
            ByeKind::Full => "full bye",
            ByeKind::Half => "half bye",
            ByeKind::Absent => "absent",
            ByeKind::Won => "won without opponent",
            ByeKind::Lost => "lost without opponent",
        }
    }
}

/// Points that no game gave, or that are taken away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjustment {
    /// Its number.
    pub id: Id,
    /// Whose they are.
    pub target: AdjustmentTarget,
    /// Points of a player, board points of a team.
    pub points: Points,
    /// Match points of a team.
    pub match_points: Points,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Whom an adjustment is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdjustmentTarget {
    /// A player.
    Player(Id),
    /// A team.
    Team(Id),
}
