//! The control socket: how operators and programs speak with a running station.
//!
//! The protocol stands in `docs/socket.md`.
//!
//! # Invariants
//!
//! - A client can hang, send nothing, or send rubbish without end: it has a place among those of its user (`places.rs`), some
//!   kilobytes, and a time-out. Neither the recording nor root notices.
//! - `status` asks no line anything.
//! - A socket that a dead process left is replaced; one that is alive never.

pub mod client;
mod peer;
mod places;
pub mod server;
mod socket;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::engine::session::request::Wish;
use crate::station::line::{Answer, Asked, Uptime};
use crate::station::office::TournamentRequest;
use crate::station::operate::overview::Overview;

pub use socket::SocketError;

/// No request or answer is longer: a hall of boards has some hundred kilobytes of status.
pub const LONGEST_LINE: usize = 4 << 20;
/// The name of the socket in its folder.
pub const SOCKET: &str = "control.sock";
/// Where the service has it.
pub const SERVICE_SOCKET: &str = "/run/damcast/control.sock";

/// What a client asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClientRequest {
    /// The state of the station.
    Status {},
    /// The state of the station, again and again.
    Watch {
        /// No more often than this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interval_ms: Option<u64>,
    },
    /// An operator's request.
    Request {
        /// Of which board.
        board: String,
        /// Which.
        request: String,
        /// It is meant so: a result ends a game whose clock runs.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sure: bool,
        /// Until when it is wanted.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// An arbiter's request.
    Tournament {
        /// Which.
        request: Box<TournamentRequest>,
        /// Until when it is wanted.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// To read the configuration again.
    Reload {
        /// Until when it is wanted.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// To run the alarm command, as if something were the matter.
    AlarmTest {
        /// Until when it is wanted.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// To show other messages.
    LogLevel {
        /// `info`, `damcast::engine::session=debug`, `reset`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// Until when it is wanted.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
}

impl ClientRequest {
    /// How long it is wanted, and its answer waited for, where nobody says anything else.
    pub fn patience(&self) -> Duration {
        // A reload waits for every line at once, and the alarm command may take its time.
        // So may an import.
        let is_long = |request: &ClientRequest| {
            matches!(
                request,
                ClientRequest::Reload { .. } | ClientRequest::AlarmTest { .. } | ClientRequest::Tournament { .. }
            )
        };
        Duration::from_secs(if is_long(self) { 30 } else { 10 })
    }

    /// The same, dropped if it is not begun by then. What changes nothing is answered at any time.
    #[must_use]
    pub fn wanted_until(mut self, at: Uptime) -> ClientRequest {
        match &mut self {
            ClientRequest::Status {} | ClientRequest::Watch { .. } => {}
            ClientRequest::Request { until, .. }
            | ClientRequest::Tournament { until, .. }
            | ClientRequest::Reload { until }
            | ClientRequest::AlarmTest { until }
            | ClientRequest::LogLevel { until, .. } => *until = Some(at),
        }
        self
    }
}

/// What it is answered.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Reply {
    /// Whether it was done.
    pub ok: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// It is not known whether it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// What the operator is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// The version of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// What was written to the file of the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
    /// The state of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Box<Overview>>,
}

impl Reply {
    /// It was not done.
    pub fn error(why: impl Into<String>) -> Reply {
        Reply { error: Some(why.into()), ..Reply::default() }
    }

    /// It is not known whether it was done.
    pub fn unknown(why: impl Into<String>) -> Reply {
        Reply { unknown: true, ..Reply::error(why) }
    }

    /// It was done, and this is what there is to say.
    pub fn done(told: Vec<String>) -> Reply {
        Reply { ok: true, told, ..Reply::default() }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Reply {
        let Answer { refused, told, written } = answer;
        Reply { ok: refused.is_none(), error: refused, told, written, ..Reply::default() }
    }
}

/// What the station is to do.
#[derive(Debug)]
pub enum StationCommand {
    /// Read the configuration again.
    Reload {
        /// Who asks, in words.
        asker: String,
        /// It is dropped if it is not begun by then.
        until: Uptime,
        /// Who waits for what becomes of it: each thing that changed, or why nothing did.
        answer: oneshot::Sender<Result<Vec<String>, String>>,
    },
    /// Run the alarm command.
    AlarmTest {
        /// Who asks, in words.
        asker: String,
        /// It is dropped if it is not begun by then.
        until: Uptime,
        /// Who waits for what becomes of it.
        answer: oneshot::Sender<Result<String, String>>,
    },
    /// An operator's request of a board.
    Request {
        /// The board, as he calls it.
        board: String,
        /// What he wishes.
        wish: Wish,
        /// Who asks for it, and how.
        asked: Asked,
        /// Who waits for what becomes of it.
        answer: oneshot::Sender<Answer>,
    },
}

/// Where the station takes commands from.
pub type Commands = mpsc::Sender<StationCommand>;
