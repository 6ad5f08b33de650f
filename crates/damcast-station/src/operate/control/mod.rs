//! Control socket of a running station, for operators and programs. `damcast-control` has its words, `docs/socket.md` explains them.
//!
//! # Invariants
//!
//! - A client can hang, send nothing, or send endless garbage: it is limited to a slot of its user (`client_slots.rs`), some
//!   kilobytes and a timeout. It affects neither the recording nor root.
//! - `status` sends no request to a line.
//! - The socket of a dead process is replaced, that of a running one never.

mod audit_log;
mod client_slots;
mod command_sender;
pub mod desk_addresses;
mod missing_moves;
mod peer;
pub mod server;
mod socket;

use damcast_control::{Reply, Uptime};
use damcast_engine::session::MissingMovesPlace;
use damcast_engine::session::request::OperatorCommand;
use tokio::sync::{mpsc, oneshot};

use crate::line::{RequestContext, RequestOutcome};

pub use audit_log::AuditLog;
pub(super) use command_sender::send_command;
pub(super) use peer::Peer;
pub(super) use server::Server;
pub(super) use socket::Socket;
pub use socket::SocketError;

impl From<RequestOutcome> for Reply {
    fn from(answer: RequestOutcome) -> Reply {
        let RequestOutcome { refusal: refused, messages: notices, lines: written } = answer;
        Reply { ok: refused.is_none(), error: refused, messages: notices, lines: written, ..Reply::default() }
    }
}

/// Command to the station.
#[derive(Debug)]
pub enum StationCommand {
    /// Reload of the configuration.
    Reload {
        /// Description of the requester.
        requester: String,
        /// Deadline; the command is dropped if it has not started by then.
        deadline: Uptime,
        /// Receives the changes, or the reason why nothing changed.
        answer: oneshot::Sender<Result<Vec<String>, String>>,
    },
    /// Test of the alarm command.
    AlarmTest {
        /// Description of the requester.
        requester: String,
        /// Deadline; the command is dropped if it has not started by then.
        deadline: Uptime,
        /// Receives the outcome.
        answer: oneshot::Sender<Result<String, String>>,
    },
    /// Question for the places of a board at which moves are missing.
    MissingMoves {
        /// Board as named by the operator.
        board: String,
        /// Receives the places.
        answer: oneshot::Sender<Result<Vec<MissingMovesPlace>, String>>,
    },
    /// Operator request to a board.
    Request {
        /// Board as named by the operator.
        board: String,
        /// Request.
        command: OperatorCommand,
        /// Requester and options.
        context: RequestContext,
        /// Receives the outcome.
        answer: oneshot::Sender<RequestOutcome>,
    },
}

/// Sender of commands to the station.
pub type Commands = mpsc::Sender<StationCommand>;
