//! Requests: a command with its options. `ctl`, the desk and `damcast tournament` send them.

use serde::{Deserialize, Serialize};

use draughts_tournament::TournamentCommand;

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
