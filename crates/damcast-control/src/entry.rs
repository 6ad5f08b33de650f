//! Words on the entry socket, for the process that serves the page of a table without an electronic board.
//!
//! The socket knows only codes: a code stands for one board and one round, and permits to look, to enter moves and to claim a result
//! there. `docs/socket.md` describes the protocol.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::client::{ClientError, Connection};

/// Name of the socket in its folder.
pub const SOCKET_NAME: &str = "entry.sock";
/// Path of the service's socket.
pub const SERVICE_SOCKET_PATH: &str = "/run/damcast-entry/entry.sock";
/// Maximum length of a request in bytes.
pub const MAX_REQUEST_LEN: usize = 4 << 10;
/// Time in which the station answers; later the outcome is unknown.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Request with the code that permits it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryMessage {
    /// Code of the table. Capital letters, blanks and `-` do not matter.
    pub code: String,
    /// Address of the browser, for the limit on wrong codes; without it all wrong codes of the process count together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Request.
    #[serde(flatten)]
    pub request: EntryRequest,
}

/// Request of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EntryRequest {
    /// State of the table.
    Look {},
    /// Ply of a game. Repetitions do no harm: game and ply name its place.
    Enter {
        /// Number of the game; the number after a finished game, with ply 1, begins the next one.
        game: u32,
        /// Number of the ply in the game, from 1.
        ply: u32,
        /// Move: `32-28`, `3228`, `28x19`, or with all squares if several captures fit.
        #[serde(rename = "move")]
        notation: String,
        /// Times on the clock after the ply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<EntryClock>,
    },
    /// Removal of the last ply that was entered.
    TakeBack {
        /// Number of the game.
        game: u32,
        /// Number of the ply.
        ply: u32,
    },
    /// Result that the players claim; an arbiter confirms it.
    Claim {
        /// Number of the game.
        game: u32,
        /// Result in the form of the game type.
        result: String,
    },
}

/// Remaining times in seconds, as far as they were entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryClock {
    /// White's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<u32>,
    /// Black's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<u32>,
}

/// Answer to a request.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EntryReply {
    /// Whether the request succeeded. A ply is durable then.
    pub ok: bool,
    /// Reason of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the code is wrong, revoked, or of another round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invalid_code: bool,
    /// Whether to send the same request again later: the station starts, is busy, or did not answer in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub try_again: bool,
    /// Messages for the person at the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// State of the table after the request, also if it was refused; `None` without a valid code.
    #[serde(flatten)]
    pub table: Option<EntryTable>,
}

/// State of a table without an electronic board.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EntryTable {
    /// Name of the board.
    pub board: String,
    /// Number of the running game, of the last one if it is over, or of the first one that can begin.
    pub game: u32,
    /// Plies of the game in order, in the notation of its files. `?` stands for a missing ply: an arbiter set up a position after it.
    pub plies: Vec<String>,
    /// Whether the last of the plies is not published yet: to take it back leaves no trace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Position after the plies.
    pub fen: String,
    /// Value of the PDN tag `GameType`.
    pub gametype: String,
    /// White player, if known.
    pub white: Option<String>,
    /// Black player, if known.
    pub black: Option<String>,
    /// Result of the game, if it is over and has one.
    pub result: Option<String>,
    /// Result that the players claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Round of the tournament, if there is one.
    pub round: Option<u32>,
    /// State of the game.
    pub state: EntryState,
}

/// State of the game of a table without an electronic board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryState {
    /// Nothing was entered: ply 1 of `game` begins it.
    #[default]
    Ready,
    /// The game is running.
    Playing,
    /// The game is over: ply 1 of the game after it begins the next.
    Over,
}

impl EntryReply {
    /// Creates the answer to a failed request.
    pub fn error(why: impl Into<String>) -> EntryReply {
        EntryReply { error: Some(why.into()), ..EntryReply::default() }
    }

    /// Creates the answer to a request that the station could not handle now.
    pub fn try_again(why: impl Into<String>) -> EntryReply {
        EntryReply { try_again: true, ..EntryReply::error(why) }
    }
}

/// Connection to the entry socket of a station.
pub struct EntryClient(Connection);

impl EntryClient {
    /// Connects to the first of these sockets at which a station answers.
    ///
    /// # Errors
    ///
    /// Returns an error if none answers.
    pub fn connect(paths: Vec<PathBuf>) -> Result<EntryClient, ClientError> {
        Connection::open(paths).map(EntryClient)
    }

    /// Sends a request and returns the answer.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no answer within [`TIMEOUT`] and a moment. It is unknown then whether the request was carried out;
    /// send it again.
    pub fn request(&mut self, message: &EntryMessage) -> Result<EntryReply, ClientError> {
        self.0.exchange(message, TIMEOUT, |_| {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_documented_form() {
        let text = r#"{"code":"k7mpq","address":"10.0.0.7","do":"enter","game":3,"ply":12,"move":"32-28","clock":{"white":4811}}"#;
        let message: EntryMessage = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        for wrong in [r#"{"do":"look"}"#, r#"{"code":"k","do":"status"}"#, r#"{"code":"k","do":"look","board":"a"}"#] {
            assert!(serde_json::from_str::<EntryMessage>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reply_has_table_or_none() {
        let none = EntryReply { invalid_code: true, ..EntryReply::error("this code is not valid") };
        let table = EntryTable { board: "table-7".into(), game: 1, ..EntryTable::default() };
        for reply in [none, EntryReply { ok: true, table: Some(table), ..EntryReply::default() }] {
            let text = serde_json::to_string(&reply).unwrap();
            assert_eq!(serde_json::from_str::<EntryReply>(&text).unwrap(), reply, "{text}");
        }
    }
}
