//! The control socket: how operators and programs speak with a running station.
//!
//! The protocol is described in `docs/socket.md`.
//!
//! # Invariants
//!
//! - A client can hang, send nothing, or send rubbish without end: it has a place among those of its user (`places.rs`), some
//!   kilobytes, and a time-out. Neither the recording nor root notices.
//! - `status` sends no line a request.
//! - A socket that a dead process left is replaced; one that is alive never.

mod audit_log;
pub mod client;
mod client_slots;
pub mod logins;
mod peer;
pub mod server;
mod socket;

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::engine::session::request::OperatorCommand;
use crate::station::escape;
use crate::station::line::{RequestContext, RequestOutcome, Uptime};
use crate::station::operate::overview::Overview;
use crate::station::operate::tournament_actor::TournamentSnapshot;
use crate::station::tournament_service::{TournamentCommand, TournamentRequest};

pub use audit_log::{AuditEntry, AuditLog};
pub use socket::SocketError;

/// No request or answer is longer: a hall of boards has some hundred kilobytes of status.
pub const MAX_LINE_LEN: usize = 4 << 20;
/// The name of the socket in its folder.
pub const SOCKET_NAME: &str = "control.sock";
/// Where the service has it.
pub const SERVICE_SOCKET_PATH: &str = "/run/damcast/control.sock";

/// What somebody who works at the desk may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// All that `damcast ctl` can.
    #[default]
    Operator,
    /// Results, names and rounds.
    Arbiter,
}

impl Role {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Operator => "operator",
            Role::Arbiter => "arbiter",
        }
    }
}

/// Somebody who works at the desk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeskUser {
    /// What he is called.
    pub name: String,
    /// What he may do.
    pub role: Role,
}

/// No name of a person is longer, in characters.
pub const MAX_NAME_LEN: usize = 64;

impl DeskUser {
    /// Is the name one that may stand in a log?
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        let is_plain = !self.name.trim().is_empty() && !self.name.contains(escape::is_control);
        if is_plain && self.name.chars().count() <= MAX_NAME_LEN {
            return Ok(());
        }
        Err(format!(
            "a name has 1 to {MAX_NAME_LEN} characters, without control characters and marks that turn the order of writing"
        ))
    }
}

impl fmt::Display for DeskUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.role.as_str())
    }
}

/// What somebody has seen of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoardVersion {
    /// The number of the game.
    #[serde(default)]
    pub game: Option<u32>,
    /// Its plies.
    #[serde(default)]
    pub plies: u32,
}

/// A request, and for whom it is made where that is not who owns the connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClientMessage {
    /// Who asks at the desk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<DeskUser>,
    /// What.
    #[serde(flatten)]
    pub request: ClientRequest,
}

impl From<ClientRequest> for ClientMessage {
    fn from(request: ClientRequest) -> ClientMessage {
        ClientMessage { user: None, request }
    }
}

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
    /// What it counts, and what is not well.
    Metrics {},
    /// An operator's request.
    Request {
        /// Of which board.
        board: String,
        /// Which.
        request: String,
        /// It is meant so: a result ends a game whose clock runs.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        confirm: bool,
        /// Why; it stands in the record of the tournament, where the request comes to that.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// What whoever asks has seen of the board: if something was played since, it is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        if_seen: Option<BoardVersion>,
        /// Only what would come of it is asked; nothing is done.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dry_run: bool,
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
    /// A code with which somebody can log in at the desk.
    Login {
        /// What he is called.
        name: String,
        /// What he may do.
        #[serde(default)]
        role: Role,
    },
    /// Who is it who gives this code at the desk?
    Redeem {
        /// Six digits.
        code: String,
        /// The address of his browser; who tries too often has to wait.
        address: IpAddr,
    },
    /// The tournament: players, rounds, results, standings, what was done to it.
    ShowTournament {},
    /// What was asked of the station since its start, by whom.
    AuditLog {},
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
    pub fn timeout(&self) -> Duration {
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

    /// May somebody with this role ask it? An arbiter gives results, names and rounds, and sees everything.
    pub fn is_allowed_for(&self, role: Role) -> bool {
        match (role, self) {
            (Role::Operator, _) => true,
            (_, ClientRequest::Status {} | ClientRequest::Metrics {} | ClientRequest::Watch { .. }) => true,
            (_, ClientRequest::ShowTournament {} | ClientRequest::AuditLog {}) => true,
            (_, ClientRequest::Tournament { request, .. }) => {
                let matter = &request.command;
                matches!(
                    matter,
                    TournamentCommand::SetRoundState { .. }
                        | TournamentCommand::Result { .. }
                        | TournamentCommand::SetPlayers { .. }
                        | TournamentCommand::RenamePlayer { .. }
                        | TournamentCommand::Adopt { .. }
                        | TournamentCommand::Substitute { .. }
                        | TournamentCommand::Postpone { .. }
                        | TournamentCommand::PlayOnBoard { .. }
                        | TournamentCommand::Replay { .. }
                )
            }
            (_, ClientRequest::Request { request, .. }) => {
                matches!(
                    request.parse(),
                    Ok(OperatorCommand::Result(_) | OperatorCommand::Resign(_) | OperatorCommand::Names { .. })
                )
            }
            _ => false,
        }
    }

    /// Does it change nothing, and is it not kept in mind?
    fn is_query(&self) -> bool {
        match self {
            ClientRequest::Status {}
            | ClientRequest::Metrics {}
            | ClientRequest::Watch { .. }
            | ClientRequest::ShowTournament {}
            | ClientRequest::AuditLog {}
            | ClientRequest::LogLevel { filter: None, .. } => true,
            ClientRequest::Request { dry_run, .. } => *dry_run,
            ClientRequest::Tournament { request, .. } => request.dry_run,
            _ => false,
        }
    }

    /// In a few words, for the log.
    fn describe(&self) -> String {
        match self {
            ClientRequest::Status {} => "status".to_owned(),
            ClientRequest::Metrics {} => "numbers".to_owned(),
            ClientRequest::Watch { .. } => "watch".to_owned(),
            ClientRequest::Request { board, request, .. } => format!("{board}: {request}"),
            ClientRequest::Tournament { request, .. } => request.command.describe(),
            ClientRequest::Reload { .. } => "reload".to_owned(),
            ClientRequest::AlarmTest { .. } => "alarm-test".to_owned(),
            ClientRequest::Login { name, role } => format!("login of {name} as {}", role.as_str()),
            ClientRequest::Redeem { address, .. } => format!("login at the desk from {address}"),
            ClientRequest::ShowTournament {} => "show-tournament".to_owned(),
            ClientRequest::AuditLog {} => "deeds".to_owned(),
            ClientRequest::LogLevel { filter, .. } => format!("log-level {}", filter.as_deref().unwrap_or_default()),
        }
    }

    /// The same, dropped if it is not begun by then. What changes nothing is answered at any time.
    #[must_use]
    pub fn with_deadline(mut self, at: Uptime) -> ClientRequest {
        match &mut self {
            ClientRequest::Status {}
            | ClientRequest::Metrics {}
            | ClientRequest::Watch { .. }
            | ClientRequest::Login { .. }
            | ClientRequest::Redeem { .. }
            | ClientRequest::ShowTournament {}
            | ClientRequest::AuditLog {} => {}
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
    pub outcome_unknown: bool,
    /// What the operator is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// The version of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// What was written to the file of the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// The state of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Box<Overview>>,
    /// What the station counts, in the text format of Prometheus; `told` has what is not well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<String>,
    /// With this code somebody can log in at the desk, once, for a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Who has logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<DeskUser>,
    /// The tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<Box<TournamentSnapshot>>,
    /// What was asked, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit_log: Vec<AuditEntry>,
}

impl Reply {
    /// It was not done.
    pub fn error(why: impl Into<String>) -> Reply {
        Reply { error: Some(why.into()), ..Reply::default() }
    }

    /// It is not known whether it was done.
    pub fn unknown(why: impl Into<String>) -> Reply {
        Reply { outcome_unknown: true, ..Reply::error(why) }
    }

    /// It was done, and this is what there is to say.
    pub fn done(messages: Vec<String>) -> Reply {
        Reply { ok: true, messages, ..Reply::default() }
    }
}

impl From<RequestOutcome> for Reply {
    fn from(answer: RequestOutcome) -> Reply {
        let RequestOutcome { refusal: refused, messages: notices, lines: written } = answer;
        Reply { ok: refused.is_none(), error: refused, messages: notices, lines: written, ..Reply::default() }
    }
}

/// What the station is to do.
#[derive(Debug)]
pub enum StationCommand {
    /// Read the configuration again.
    Reload {
        /// Who asks, in words.
        requester: String,
        /// It is dropped if it is not begun by then.
        deadline: Uptime,
        /// Who waits for what becomes of it: each thing that changed, or why nothing did.
        answer: oneshot::Sender<Result<Vec<String>, String>>,
    },
    /// Run the alarm command.
    AlarmTest {
        /// Who asks, in words.
        requester: String,
        /// It is dropped if it is not begun by then.
        deadline: Uptime,
        /// Who waits for what becomes of it.
        answer: oneshot::Sender<Result<String, String>>,
    },
    /// An operator's request of a board.
    Request {
        /// The board, as he calls it.
        board: String,
        /// What he wishes.
        command: OperatorCommand,
        /// Who asks for it, and how.
        context: RequestContext,
        /// Who waits for what becomes of it.
        answer: oneshot::Sender<RequestOutcome>,
    },
}

/// Where the station takes commands from.
pub type Commands = mpsc::Sender<StationCommand>;
