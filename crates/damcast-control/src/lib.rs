//! Words on the sockets of a running station: what clients send, what the station answers, and clients. Also the runner of configured
//! commands ([`hook`]), which the station and other processes share.
//!
//! The protocol is described in `docs/socket.md`. The station, the desk and `damcast ctl` name this crate; it names
//! the core's requests, and nothing of the station.

mod audit_log;
pub mod client;
pub mod entry;
pub mod escape;
pub mod hook;
pub mod logins;
pub mod overview;
pub mod tournament;
mod uptime;

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use damcast_engine::session::request::OperatorCommand;
use draughts_tournament::{EngineFile, NextRoundChoices, TournamentCommand};
use serde::{Deserialize, Serialize};

use overview::Overview;
use tournament::{TournamentRequest, TournamentSnapshot};

pub use audit_log::AuditEntry;
pub use uptime::Uptime;

/// Maximum length of a request or answer in bytes; the status of a hall of boards has some hundred kilobytes.
pub const MAX_LINE_LEN: usize = 4 << 20;
/// Name of the socket in its folder.
pub const SOCKET_NAME: &str = "control.sock";
/// Path of the service's socket.
pub const SERVICE_SOCKET_PATH: &str = "/run/damcast/control.sock";

/// Role of a person at the desk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything that `damcast ctl` can do.
    #[default]
    Operator,
    /// Results, names and rounds.
    Arbiter,
}

impl Role {
    /// Returns the role as written in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Operator => "operator",
            Role::Arbiter => "arbiter",
        }
    }
}

/// Person at the desk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeskUser {
    /// Name.
    pub name: String,
    /// Role.
    pub role: Role,
}

/// Maximum length of a person's name in characters.
pub const MAX_NAME_LEN: usize = 64;

impl DeskUser {
    /// Checks that the name can be written to a log.
    ///
    /// # Errors
    ///
    /// Returns the problem with the name.
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

/// State of a board as seen by the requester.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoardVersion {
    /// Number of the game.
    #[serde(default)]
    pub game: Option<u32>,
    /// Number of its plies.
    #[serde(default)]
    pub plies: u32,
}

/// Request, with its user if that is not the owner of the connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClientMessage {
    /// Person at the desk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<DeskUser>,
    /// Request.
    #[serde(flatten)]
    pub request: ClientRequest,
}

impl From<ClientRequest> for ClientMessage {
    fn from(request: ClientRequest) -> ClientMessage {
        ClientMessage { user: None, request }
    }
}

/// Request of a client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClientRequest {
    /// State of the station.
    Status {},
    /// State of the station, repeatedly.
    Watch {
        /// Shortest interval in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interval_ms: Option<u64>,
        /// Address of the desk, if the client is a desk. The answer to `login` contains it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        desk: Option<String>,
    },
    /// Metrics and health problems.
    Metrics {},
    /// Operator request.
    Request {
        /// Board.
        board: String,
        /// Request text.
        request: String,
        /// Whether a risky request is confirmed, such as a result while the clock runs.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        confirm: bool,
        /// Reason, kept in the tournament log if the request changes the tournament.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// State of the board as seen by the requester; the request is refused if moves were played since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        if_seen: Option<BoardVersion>,
        /// Whether to report the effects only, without changing anything.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dry_run: bool,
        /// Deadline.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// Moves that may be missing in the running game of a board.
    OfferMoves {
        /// Board.
        board: String,
    },
    /// Arbiter request.
    Tournament {
        /// Request.
        request: Box<TournamentRequest>,
        /// Deadline.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// Reload of the configuration.
    Reload {
        /// Deadline.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// Test of the alarm command.
    AlarmTest {
        /// Deadline.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// New code to log in at the desk.
    Login {
        /// Name of the person.
        name: String,
        /// Role of the person.
        #[serde(default)]
        role: Role,
    },
    /// Redemption of a login code.
    Redeem {
        /// Six digits.
        code: String,
        /// Address of the browser, for the limit on wrong attempts.
        address: IpAddr,
    },
    /// New code for the page of a table without an electronic board.
    EntryCode {
        /// Board.
        board: String,
        /// Round in which the code is valid; the board's open round if omitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<u32>,
    },
    /// End of all codes of a table.
    RevokeEntryCode {
        /// Board.
        board: String,
    },
    /// Tournament: players, rounds, results, standings and changes.
    ShowTournament {},
    /// File of a section for a program that pairs Swiss rounds.
    PairingFile {
        /// Section; the only one if omitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// Absent players, and facts that the section lacks.
        #[serde(default)]
        choices: NextRoundChoices,
    },
    /// Requests since the start of the station.
    AuditLog {},
    /// Contents of `setup.toml`, and the ports of this machine.
    ShowSetup {},
    /// Sets lines, the event and the boards of the tournament, then reads the configuration again.
    SetUp {
        /// Contents of the file `setup.toml` as the requester saw them; the request is refused if they are others now.
        seen: serde_json::Value,
        /// New contents, as tables and arrays of the configuration.
        contents: serde_json::Value,
        /// Whether to report mistakes only, without changing anything.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dry_run: bool,
        /// Deadline.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
    /// Log level.
    LogLevel {
        /// `info`, `damcast_station::line=debug`, `reset`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// Deadline.
        #[serde(default, rename = "until_ms", skip_serializing_if = "Option::is_none")]
        until: Option<Uptime>,
    },
}

impl ClientRequest {
    /// Returns the default time until the deadline, during which the client waits for the answer.
    pub fn timeout(&self) -> Duration {
        // A reload waits for every line, and the alarm command and imports may take long.
        let is_long = |request: &ClientRequest| {
            matches!(
                request,
                ClientRequest::Reload { .. }
                    | ClientRequest::SetUp { .. }
                    | ClientRequest::AlarmTest { .. }
                    | ClientRequest::Tournament { .. }
            )
        };
        Duration::from_secs(if is_long(self) { 30 } else { 10 })
    }

    /// Whether this role may send the request. An arbiter may enter results, names and rounds, and see everything.
    pub fn is_allowed_for(&self, role: Role) -> bool {
        match (role, self) {
            (Role::Operator, _) => true,
            (_, ClientRequest::Status {} | ClientRequest::Metrics {} | ClientRequest::Watch { .. }) => true,
            (_, ClientRequest::ShowTournament {} | ClientRequest::PairingFile { .. }) => true,
            (_, ClientRequest::AuditLog {} | ClientRequest::OfferMoves { .. }) => true,
            (_, ClientRequest::EntryCode { .. } | ClientRequest::RevokeEntryCode { .. }) => true,
            (_, ClientRequest::Tournament { request, .. }) => {
                let matter = &request.command;
                matches!(
                    matter,
                    TournamentCommand::PairRound { .. }
                        | TournamentCommand::SetRoundState { .. }
                        | TournamentCommand::NextRound { .. }
                        | TournamentCommand::Undo { .. }
                        | TournamentCommand::Result { .. }
                        | TournamentCommand::Results { .. }
                        | TournamentCommand::SetPlayers { .. }
                        | TournamentCommand::RenamePlayer { .. }
                        | TournamentCommand::Adopt { .. }
                        | TournamentCommand::Substitute { .. }
                        | TournamentCommand::Postpone { .. }
                        | TournamentCommand::PlayOnBoard { .. }
                        | TournamentCommand::Replay { .. }
                        | TournamentCommand::Feature { .. }
                )
            }
            (_, ClientRequest::Request { request, .. }) => {
                matches!(
                    request.parse(),
                    Ok(OperatorCommand::Result(_)
                        | OperatorCommand::Resign(_)
                        | OperatorCommand::Names { .. }
                        | OperatorCommand::Enter(_)
                        | OperatorCommand::TakeBack { .. }
                        | OperatorCommand::AddMoves(_)
                        | OperatorCommand::SwitchEntry(_))
                )
            }
            _ => false,
        }
    }

    /// Whether it changes nothing and stays out of the audit log.
    pub fn is_query(&self) -> bool {
        match self {
            ClientRequest::Status {}
            | ClientRequest::Metrics {}
            | ClientRequest::Watch { .. }
            | ClientRequest::ShowTournament {}
            | ClientRequest::PairingFile { .. }
            | ClientRequest::AuditLog {}
            | ClientRequest::ShowSetup {}
            | ClientRequest::OfferMoves { .. }
            | ClientRequest::LogLevel { filter: None, .. } => true,
            ClientRequest::Request { dry_run, .. } | ClientRequest::SetUp { dry_run, .. } => *dry_run,
            ClientRequest::Tournament { request, .. } => request.dry_run,
            _ => false,
        }
    }

    /// Describes the request briefly, for the audit log.
    pub fn describe(&self) -> String {
        match self {
            ClientRequest::Status {} => "status".to_owned(),
            ClientRequest::Metrics {} => "metrics".to_owned(),
            ClientRequest::Watch { .. } => "watch".to_owned(),
            ClientRequest::Request { board, request, .. } => format!("{board}: {request}"),
            ClientRequest::Tournament { request, .. } => request.command.describe(),
            ClientRequest::Reload { .. } => "reload".to_owned(),
            ClientRequest::AlarmTest { .. } => "alarm-test".to_owned(),
            ClientRequest::Login { name, role } => format!("login of {name} as {}", role.as_str()),
            ClientRequest::Redeem { address, .. } => format!("login at the desk from {address}"),
            ClientRequest::EntryCode { board, round: None } => format!("entry-code of {board}"),
            ClientRequest::EntryCode { board, round: Some(round) } => {
                format!("entry-code of {board} for round {round}")
            }
            ClientRequest::RevokeEntryCode { board } => format!("revoke-entry-code of {board}"),
            ClientRequest::OfferMoves { board } => format!("offer-moves of {board}"),
            ClientRequest::ShowTournament {} => "show-tournament".to_owned(),
            ClientRequest::PairingFile { .. } => "pairing-file".to_owned(),
            ClientRequest::AuditLog {} => "audit-log".to_owned(),
            ClientRequest::ShowSetup {} => "show-setup".to_owned(),
            ClientRequest::SetUp { .. } => "set-up".to_owned(),
            ClientRequest::LogLevel { filter, .. } => format!("log-level {}", filter.as_deref().unwrap_or_default()),
        }
    }

    /// Sets the deadline of a request that has one.
    #[must_use]
    pub fn with_deadline(mut self, at: Uptime) -> ClientRequest {
        match &mut self {
            ClientRequest::Status {}
            | ClientRequest::Metrics {}
            | ClientRequest::Watch { .. }
            | ClientRequest::Login { .. }
            | ClientRequest::Redeem { .. }
            | ClientRequest::EntryCode { .. }
            | ClientRequest::RevokeEntryCode { .. }
            | ClientRequest::ShowTournament {}
            | ClientRequest::PairingFile { .. }
            | ClientRequest::AuditLog {}
            | ClientRequest::OfferMoves { .. }
            | ClientRequest::ShowSetup {} => {}
            ClientRequest::Request { until, .. }
            | ClientRequest::Tournament { until, .. }
            | ClientRequest::Reload { until }
            | ClientRequest::SetUp { until, .. }
            | ClientRequest::AlarmTest { until }
            | ClientRequest::LogLevel { until, .. } => *until = Some(at),
        }
        self
    }
}

/// Contents of `setup.toml`, with the names and ports for new lines.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SetupView {
    /// Contents of the file `setup.toml`: its tables and arrays; an empty object if there is no file.
    pub contents: serde_json::Value,
    /// Reason why the file does not count, if it is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// Names of all lines of the configuration.
    pub lines: Vec<String>,
    /// Ports of this machine at which a board may be.
    pub ports: Vec<PortView>,
}

/// Port of the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PortView {
    /// Address, as `port` of a line.
    pub port: String,
    /// Name of the product behind it, if it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Whether the maker of the device makes boards.
    pub is_board: bool,
    /// Line that has the port, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

/// Moves that may be missing at a place of a running game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OfferedMoves {
    /// Number of the game.
    pub game: u32,
    /// Number of entries before the moves.
    pub after: u32,
    /// Legal sequences, likeliest first; `none`: no move was made.
    pub offers: Vec<String>,
}

/// Answer to a request.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Reply {
    /// Whether the request succeeded.
    pub ok: bool,
    /// Reason of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the outcome is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outcome_unknown: bool,
    /// Messages for the operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Version of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Lines written to the file of the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// State of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Box<Overview>>,
    /// Metrics in the text format of Prometheus; `messages` has the health problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<String>,
    /// Login code for the desk, valid once, for a minute; or code of a table without an electronic board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Address of the desk, in the answer to `login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desk: Option<String>,
    /// Person who has logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<DeskUser>,
    /// Tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<Box<TournamentSnapshot>>,
    /// File for a program that pairs Swiss rounds; `version` is that of the tournament in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairing_file: Option<Box<EngineFile>>,
    /// Contents of `setup.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<Box<SetupView>>,
    /// Places at which moves are missing, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_moves: Vec<OfferedMoves>,
    /// Requests, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit_log: Vec<AuditEntry>,
}

impl Reply {
    /// Creates the answer to a failed request.
    pub fn error(why: impl Into<String>) -> Reply {
        Reply { error: Some(why.into()), ..Reply::default() }
    }

    /// Creates the answer to a request with an unknown outcome.
    pub fn unknown(why: impl Into<String>) -> Reply {
        Reply { outcome_unknown: true, ..Reply::error(why) }
    }

    /// Creates the answer to a successful request.
    pub fn done(messages: Vec<String>) -> Reply {
        Reply { ok: true, messages, ..Reply::default() }
    }
}
