//! Pairings and their official results.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Id;
use super::points::Points;
use super::result::single_player_result;
use super::scoring::{MicroMatchStage, Scoring};

/// A pairing of two players in a round, with one game or several.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pairing {
    /// Id of the pairing.
    pub id: Id,
    /// Number of the round, from 1.
    pub round: u32,
    /// Number of the board, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<u32>,
    /// Match that the pairing belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_id: Option<Id>,
    /// White player of the first game; `None` if the team leaves the board empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<Id>,
    /// Black player of the first game; `None` if the team leaves the board empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<Id>,
    /// Station board of the pairing, the stem of its files' names; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub board_name: String,
    /// Reason why the pairing is not played with its round, until it has a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferral: Option<Deferral>,
    /// Station board that the arbiter has chosen instead; empty for that of its round.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub board_override: String,
    /// Lowest number of its next game on that board; `None` if any game may be it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_from: Option<u32>,
    /// The official result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<OfficialResult>,
    /// Games of a micro-match, in their order; empty for a pairing with one game.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<MicroMatchGame>,
}

/// Reason why a pairing is not played with its round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deferral {
    /// The game begins later.
    Postponed,
    /// The game has begun, and continues later.
    Adjourned,
}

named!(Deferral { Postponed = "postponed", Adjourned = "adjourned" });

impl Pairing {
    /// Returns a result in its valid form: in a pairing with one player, it is that player's.
    ///
    /// # Errors
    ///
    /// Returns a message with the valid results if the scoring does not allow it.
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

    /// Whether the pairing has one player only.
    pub fn has_one_player(&self) -> bool {
        self.white.is_none() || self.black.is_none()
    }

    /// Returns both players, or the only one.
    pub(crate) fn players(&self) -> impl Iterator<Item = Id> + use<> {
        [self.white, self.black].into_iter().flatten()
    }

    /// Returns both sides, White first: player, opponent, and whether the player has White.
    pub(crate) fn sides(&self) -> [(Option<Id>, Option<Id>, bool); 2] {
        [(self.white, self.black, true), (self.black, self.white, false)]
    }

    /// Whether the round waits for the result of the pairing.
    pub fn is_awaited(&self) -> bool {
        self.result.is_none() && self.deferral.is_none()
    }

    /// Returns the opponent of a player of this pairing; `Some(None)` for an empty board.
    pub fn opponent(&self, of: Id) -> Option<Option<Id>> {
        match (self.white == Some(of), self.black == Some(of)) {
            (true, _) => Some(self.black),
            (_, true) => Some(self.white),
            _ => None,
        }
    }
}

/// An official result, as the arbiter decides it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfficialResult {
    /// Points of White.
    pub white: Points,
    /// Points of Black.
    pub black: Points,
    /// Reason of the result.
    pub reason: ResultReason,
}

impl OfficialResult {
    /// Returns the points of one side.
    pub(crate) fn points_of(&self, is_white: bool) -> Points {
        if is_white { self.white } else { self.black }
    }
}

/// Formats the points of both sides as `2-0`.
impl fmt::Display for OfficialResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.white, self.black)
    }
}

/// Reason of a result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultReason {
    /// Played on the board.
    #[default]
    Played,
    /// Played on the board, but not rated: it ended within the first move.
    Unrated,
    /// One of the players, or both, were absent.
    Forfeit,
    /// Played on the board: a draw with a plus for White, which may decide between players with equal points.
    WhitePlus,
    /// Played on the board: a draw with a plus for Black.
    BlackPlus,
    /// Played on the board, and both lost.
    BothLost,
    /// Decision of the arbiter.
    Arbiter,
    /// Will not be played.
    NotPlayed,
    /// One player for whom no opponent was left.
    Bye,
}

named!(ResultReason, "reason of a result" {
    Played = "played",
    Unrated = "unrated",
    Forfeit = "forfeit",
    WhitePlus = "white plus",
    BlackPlus = "black plus",
    BothLost = "both lost",
    Arbiter = "arbiter",
    NotPlayed = "not played",
    Bye = "bye",
});

impl ResultReason {
    /// Returns the reason of a draw that is written with a plus and a minus, as `1+ - 1-` (PDN 3.0, ResultFormat `Plus draw`); one of both
    /// is enough.
    pub fn of_draw(text: &str) -> Option<ResultReason> {
        let text = text.replace(' ', "").replace(['–', '—', '−', ':'], "-");
        match text.as_str() {
            "1+-1-" | "1+-1" => Some(ResultReason::WhitePlus),
            "1--1+" | "1-1+" => Some(ResultReason::BlackPlus),
            _ => None,
        }
    }

    /// Whether the game was played on the board.
    pub fn is_played(self) -> bool {
        !matches!(self, ResultReason::Forfeit | ResultReason::NotPlayed | ResultReason::Bye)
    }
}

/// A game of a micro-match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MicroMatchGame {
    /// Stage of the micro-match.
    pub stage: MicroMatchStage,
    /// Whether the white player of the pairing has Black in this game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_swapped: bool,
    /// Points of White and Black in this game, as 2-1-0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<(Points, Points)>,
    /// Time control of the game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time_control: String,
}
