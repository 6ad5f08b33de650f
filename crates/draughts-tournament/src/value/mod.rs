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

/// Serializes values as the text of their `Display`, and deserializes them by their `FromStr`.
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

/// Gives an enum the list of its values, and names in files and commands; with a noun, also `FromStr`, whose errors list the names.
macro_rules! named {
    ($kind:ident { $($value:ident = $name:literal),* $(,)? }) => {
        impl $kind {
            /// All values, in their order.
            pub const ALL: [$kind; [$($name),*].len()] = [$($kind::$value),*];

            /// Returns the name in files and commands.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$value => $name,)*
                }
            }

            /// Returns the value with this name.
            pub fn from_name(name: &str) -> Option<$kind> {
                $kind::ALL.into_iter().find(|known| known.name() == name)
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
    ($kind:ident, $noun:literal { $($values:tt)* }) => {
        $crate::value::named!($kind { $($values)* });

        impl std::str::FromStr for $kind {
            type Err = String;

            fn from_str(text: &str) -> Result<$kind, String> {
                let names = || $kind::ALL.map($kind::name).join(", ");
                $kind::from_name(text).ok_or_else(|| format!("`{text}` is no {}; there are {}", $noun, names()))
            }
        }
    };
}
pub(crate) use named;

pub(crate) mod event_info;
pub(crate) mod featured;
pub(crate) mod numbered;
pub(crate) mod pairing;
pub(crate) mod points;
pub(crate) mod result;
pub(crate) mod rounds;
pub(crate) mod scoring;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use event_info::{EventInfo, EventTime, ScheduledMoment, is_web_address};
pub use featured::FeaturedChoice;
pub use pairing::{Deferral, MicroMatchGame, OfficialResult, Pairing, ResultReason};
use points::Points;
use rounds::{CorrectedGame, SectionRound};
use scoring::{Scoring, TieBreak, UnplayedPolicy};

/// Returns a value as text; empty if there is none.
pub(crate) fn optional_text<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Default name of a section.
pub const MAIN: &str = "main";

/// Number of a player, team, match, pairing, bye or adjustment among its kind; never reused.
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
    /// Facts about the event as a whole.
    pub event: EventInfo,
    /// Sections, in the order of their creation.
    pub sections: Vec<TournamentSection>,
    /// Corrections of recorded games, by id.
    pub games: Vec<CorrectedGame>,
    /// Choice of the featured board.
    pub featured: FeaturedChoice,
}

impl Tournament {
    /// Returns the section with this name.
    pub fn section(&self, name: &str) -> Option<&TournamentSection> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Returns the names of all sections.
    pub(crate) fn section_names(&self) -> String {
        self.sections.iter().map(|section| section.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the section with this id.
    pub(crate) fn section_with_id(&self, id: Id) -> Option<&TournamentSection> {
        self.sections.iter().find(|section| section.id == id)
    }

    /// Returns the label of a section among others; `None` if the only section has the default name.
    pub fn section_label<'t>(&self, section: &'t TournamentSection) -> Option<&'t str> {
        let is_nameless = self.sections.len() < 2 && section.name == MAIN;
        (!is_nameless).then_some(section.name.as_str())
    }
}

/// A group of players with its own pairings and standings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TournamentSection {
    /// Number of the section.
    pub id: Id,
    /// Name of the section.
    pub name: String,
    /// Points of results.
    pub scoring: Scoring,
    /// Tie-breaks in their order.
    pub tie_breaks: Vec<TieBreak>,
    /// Policy for rounds without a game in tie-breaks.
    pub unplayed: UnplayedPolicy,
    /// Number of planned rounds.
    pub planned: Option<u32>,
    /// Players by id.
    pub players: Vec<Player>,
    /// Teams by id.
    pub teams: Vec<Team>,
    /// Matches by id.
    pub matches: Vec<Match>,
    /// Pairings by id.
    pub pairings: Vec<Pairing>,
    /// Byes by id.
    pub byes: Vec<Bye>,
    /// Adjustments by id.
    pub adjustments: Vec<Adjustment>,
    /// Day of each round that has one, by the number of the round.
    pub dates: Vec<(u32, String)>,
    /// Rounds that were published, by id.
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
    /// Tie-breaks in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tie_breaks: Vec<TieBreak>,
    /// Policy for rounds without a game in tie-breaks.
    pub unplayed: UnplayedPolicy,
    /// Number of planned rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<u32>,
    /// Day of each round that has one, by the number of the round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<(u32, String)>,
}

impl TournamentSection {
    /// Whether teams play matches. If not, they are clubs of the players.
    pub fn has_matches(&self) -> bool {
        !self.matches.is_empty()
    }

    /// Returns the player with this id.
    pub fn player(&self, id: Id) -> Option<&Player> {
        self.players.binary_search_by_key(&id, |player| player.id).ok().map(|at| &self.players[at])
    }

    /// Returns the pairing with this id.
    pub fn pairing(&self, id: Id) -> Option<&Pairing> {
        self.pairings.binary_search_by_key(&id, |pairing| pairing.id).ok().map(|at| &self.pairings[at])
    }

    /// Returns the team with this id.
    pub fn team(&self, id: Id) -> Option<&Team> {
        self.teams.iter().find(|team| team.id == id)
    }

    /// Returns the name of a team; empty if there is none.
    pub(crate) fn team_name(&self, id: Option<Id>) -> &str {
        id.and_then(|id| self.team(id)).map_or("", |team| &team.name)
    }

    /// Returns the team of a player.
    pub(crate) fn team_of(&self, player: Option<Id>) -> Option<Id> {
        self.player(player?)?.team
    }

    /// Returns the match of a pairing.
    pub(crate) fn match_of(&self, pairing: &Pairing) -> Option<&Match> {
        self.matches.iter().find(|this| Some(this.id) == pairing.match_id)
    }

    /// Returns the players with a name; if there are none, those with that name in files.
    pub fn players_named(&self, name: &str) -> Vec<&Player> {
        let called: Vec<&Player> = self.players.iter().filter(|player| player.name == name).collect();
        if !called.is_empty() {
            return called;
        }
        self.players.iter().filter(|player| player.is_known_as(name)).collect()
    }

    /// Describes a pairing: `round 1, board 2, Sijbrands - Wiersma`.
    pub(crate) fn describe_pairing(&self, of: &Pairing) -> String {
        let board = of.board.map_or(String::new(), |board| format!(", board {board}"));
        format!("round {}{board}, {}", of.round, self.names_of(of))
    }

    /// Returns the names of both players: `Sijbrands - Wiersma`.
    pub(crate) fn names_of(&self, of: &Pairing) -> String {
        format!("{} - {}", self.name_of(of.white), self.name_of(of.black))
    }

    /// Returns the name of a player, or the sign for no player.
    pub fn name_of(&self, id: Option<Id>) -> &str {
        id.and_then(|id| self.player(id)).map_or("-", |player| &player.name)
    }

    /// Returns the last known round; 0 if there is none.
    pub fn last_round(&self) -> u32 {
        let pairings = self.pairings.iter().map(|pairing| pairing.round);
        pairings.chain(self.byes.iter().map(|bye| bye.round)).max().unwrap_or(0)
    }

    /// Returns the last round with a result; 0 if there is none. Before a round is open, only
    /// results of played games count: a forfeit may be entered early.
    pub fn last_round_with_result(&self) -> u32 {
        let has_begun = |round| matches!(self.state_of(round), crate::RoundState::Open | crate::RoundState::Closed);
        let counts = |pairing: &&Pairing| {
            pairing.result.as_ref().is_some_and(|result| result.reason.is_played() || has_begun(pairing.round))
        };
        self.pairings.iter().filter(counts).map(|pairing| pairing.round).max().unwrap_or(0)
    }

    /// Returns the pairings of a round, in the order of the boards.
    pub fn round(&self, round: u32) -> Vec<&Pairing> {
        let mut pairings: Vec<&Pairing> = self.pairings.iter().filter(|pairing| pairing.round == round).collect();
        pairings.sort_by_key(|pairing| (pairing.board.unwrap_or(u32::MAX), pairing.id));
        pairings
    }

    /// Returns the day of a round.
    pub fn date(&self, round: u32) -> Option<&str> {
        self.dates.iter().find(|(of, _)| *of == round).map(|(_, date)| date.as_str())
    }
}

/// A player of a section. An unknown text is empty.
///
/// # Examples
///
/// ```
/// use draughts_tournament::Player;
/// let mut player = Player { name: "Wiersma, H.".to_owned(), ..Player::default() };
/// player.rename("Wiersma, Harm");
/// assert!(player.is_known_as("Wiersma, H."), "files may have the former name");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Player {
    /// Id of the player in the tournament.
    pub id: Id,
    /// Number in the files of the pairing program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Name, as entered; [`HIDDEN_NAME`] if the player asked to be anonymous.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Names before an arbiter changed them: used to find the player in files, never shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_names: Vec<String>,
    /// Title, as entered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// Federation, as `NED`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// Licence number of the federation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub licence: String,
    /// Day of birth, as entered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub birth: String,
    /// `m` or `w`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sex: String,
    /// Team of the player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Id>,
}

/// Name shown for a player who asked to be anonymous.
pub const HIDDEN_NAME: &str = "N. N.";

impl Player {
    /// Whether the player asked to be anonymous.
    pub fn is_hidden(&self) -> bool {
        self.name == HIDDEN_NAME
    }

    /// Returns the number at the FMJD: a licence number of digits alone. Empty if unknown, and for a player who is anonymous.
    pub fn fmjd_id(&self) -> &str {
        let is_number = !self.licence.is_empty() && self.licence.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && !self.is_hidden() { &self.licence } else { "" }
    }

    /// Whether files may have this name for the player.
    pub fn is_known_as(&self, name: &str) -> bool {
        self.name == name || self.former_names.iter().any(|old| old == name)
    }

    /// Renames the player. Files may continue to use the former name.
    pub fn rename(&mut self, name: &str) {
        let old = std::mem::replace(&mut self.name, name.to_owned());
        self.is_called_in_files(old);
        self.former_names.retain(|old| old != name);
    }

    /// Adds a name that files use for the player.
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
    /// Id of the team in the tournament.
    pub id: Id,
    /// Number in the files of the pairing program.
    pub number: u32,
    /// Name of the team.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Federation of the team.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// Players in their order, substitutes last, if the file has an order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lineup: Vec<Id>,
}

/// A match of two teams in a round.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// Id of the match.
    pub id: Id,
    /// Number of the round.
    pub round: u32,
    /// Team with White on the first board.
    pub home: Id,
    /// The other team.
    pub away: Id,
}

/// A round without an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bye {
    /// Id of the bye.
    pub id: Id,
    /// Number of the round.
    pub round: u32,
    /// Player with the bye.
    pub player: Id,
    /// Kind of the bye.
    pub kind: ByeKind,
    /// Points of the bye.
    pub points: Points,
}

/// Reason why a player has no opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByeKind {
    /// No opponent was left: `U` in TRF.
    NoOpponent,
    /// Requested, with the points of a win: `F`.
    Full,
    /// Requested, with the points of a draw: `H`.
    Half,
    /// The player was absent: `Z`.
    Absent,
    /// The opponent, who is unknown, was absent: `+`.
    Won,
    /// The player was absent, and the opponent is unknown: `-`.
    Lost,
}

named!(ByeKind {
    NoOpponent = "bye",
    Full = "full bye",
    Half = "half bye",
    Absent = "absent",
    Won = "won without opponent",
    Lost = "lost without opponent",
});

/// Points that are added or deducted beside the games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjustment {
    /// Id of the adjustment.
    pub id: Id,
    /// Player or team with the adjustment.
    pub target: AdjustmentTarget,
    /// Points of a player, board points of a team.
    pub points: Points,
    /// Match points of a team.
    pub match_points: Points,
    /// Reason of the adjustment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Player or team with an adjustment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdjustmentTarget {
    /// A player.
    Player(Id),
    /// A team.
    Team(Id),
}
