//! Requests: a command with its options. `ctl`, the desk and `damcast tournament` send them.

use draughts_tournament::{FeaturedChoice, TournamentCommand};
use serde::{Deserialize, Serialize};

/// A request of an arbiter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TournamentRequest {
    /// The command.
    #[serde(flatten)]
    pub command: TournamentCommand,
    /// Idempotency key: a request with a known key is not executed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Version that the requester saw; if the tournament has changed since, the request is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_version: Option<u64>,
    /// Reason for the record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether all doubts are confirmed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// Whether to show the effects without changing anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl From<TournamentCommand> for TournamentRequest {
    fn from(command: TournamentCommand) -> TournamentRequest {
        let (request_id, if_version, reason) = (None, None, String::new());
        TournamentRequest { command, request_id, if_version, reason, confirm: false, dry_run: false }
    }
}

/// Returns a file as the text of a request, and whether each of its characters is one byte.
pub fn text_of(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (error.as_bytes().iter().copied().map(char::from).collect(), true),
    }
}

/// A tournament in the form that programs read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TournamentSnapshot {
    /// Version of the tournament.
    pub version: u64,
    /// JSON text of `tournament.json` of an outlet, including rounds that are not published.
    pub tournament: String,
    /// JSON text of `standings.json`, including rounds that are not published.
    pub standings: String,
    /// Rounds, including those that are not published.
    #[serde(default)]
    pub rounds: Vec<RoundSnapshot>,
    /// Last actions, oldest first.
    pub history: Vec<TournamentHistoryEntry>,
    /// Choice of the featured board.
    #[serde(default)]
    pub featured: FeaturedChoice,
    /// Games that an undo has set free: they are of no pairing until they are adopted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free_games: Vec<FreeGame>,
}

/// Game that an undo has set free.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FreeGame {
    /// Name of the board.
    pub board: String,
    /// Number of the game on the board.
    pub game: u32,
    /// Players with whose names the game began.
    pub white: String,
    /// The other player.
    pub black: String,
    /// Number of entries.
    pub plies: u32,
    /// Result that the board has, if the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A round as its arbiter sees it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RoundSnapshot {
    /// Name of the section.
    pub section: String,
    /// Number of the round.
    pub round: u32,
    /// `prepared`, `published`, `open` or `closed`.
    pub state: String,
}

/// An action on a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TournamentHistoryEntry {
    /// Version made by the action.
    pub version: u64,
    /// Time of the action, as `2027-07-10T09:30:00.000+02:00`.
    pub at: String,
    /// Name of the person.
    pub by: String,
    /// Description of the action.
    pub what: String,
    /// Reason; empty if none was given.
    pub reason: String,
    /// Whether a later action undid it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undone: bool,
    /// Whether it is an action that can be undone, as far as no later one stands on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub can_undo: bool,
}
