//! Commands to a running line.

use std::sync::Arc;

use damcast_control::Uptime;
use damcast_engine::session::request::Request;
use damcast_engine::session::{BusAddress, Effect, MissingMovesPlace};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::config::LineConfig;

/// Maximum number of commands that wait for a line. An operator sends one at a time; more are a client's bug.
const MAX_PENDING_COMMANDS: usize = 16;

/// Command to a line.
#[derive(Debug)]
pub enum LineCommand {
    /// Operator request.
    Request {
        /// Request.
        request: Request,
        /// Origin of the request.
        context: RequestContext,
        /// Receives the outcome.
        answer: oneshot::Sender<RequestOutcome>,
    },
    /// Question for the places at which moves are missing.
    MissingMoves {
        /// Board on a bus; `None` for a single board.
        address: Option<BusAddress>,
        /// Receives the places.
        answer: oneshot::Sender<Result<Vec<MissingMovesPlace>, String>>,
    },
    /// Changed configuration.
    Configure {
        /// New configuration of this line.
        config: Box<LineConfig>,
        /// Receives a description of the outcome; `None` if nothing has changed.
        answer: oneshot::Sender<Option<String>>,
    },
    /// Removal of the line from the configuration: the line ends when its games are over.
    Remove {
        /// Receives a description of the outcome.
        answer: oneshot::Sender<Option<String>>,
    },
}

/// Origin of a request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// Name of the requester, for the log.
    pub requester: String,
    /// Deadline; the line drops a request that it has not started by then.
    pub deadline: Uptime,
    /// Whether the requester has confirmed a risky request, such as a result while the clock runs.
    pub is_confirmed: bool,
    /// Whether to report the effects only, without changing anything.
    pub is_dry_run: bool,
}

/// Outcome of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RequestOutcome {
    /// Reason of the refusal; `None` if the request was carried out.
    pub refusal: Option<String>,
    /// Messages for the operator.
    pub messages: Vec<String>,
    /// Lines written to the game's file at once.
    pub lines: Vec<String>,
}

impl RequestOutcome {
    /// Creates the outcome of a refused request.
    pub fn refused(why: String) -> RequestOutcome {
        RequestOutcome { refusal: Some(why), ..RequestOutcome::default() }
    }

    /// Adds a refusal, a notice or lines of the game's file that the core emits for the request.
    pub fn add_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Refused(why) => self.refusal = Some(why.clone()),
            Effect::Notice(notice) | Effect::Info(notice) | Effect::AlreadyDone(notice) => {
                self.messages.push(notice.clone())
            }
            effect => self.lines.extend(effect.lines()),
        }
    }

    /// Inserts a message that names the game and how it ends, unless the request was refused.
    pub fn prepend_game_end(&mut self, game: &str, end: &str) {
        if self.refusal.is_none() {
            let when = if self.lines.is_empty() { "; it is written when the last moves are recognised" } else { "" };
            self.messages.insert(0, format!("{game}: {end}{when}"));
        }
    }
}

/// Sender of a line's commands. A channel reserves memory for many of them, so they are boxed.
pub type CommandSender = mpsc::Sender<Box<LineCommand>>;

/// Receiver of a line's commands; survives a restart of the line's task.
#[derive(Clone)]
pub struct CommandInbox(Arc<Mutex<mpsc::Receiver<Box<LineCommand>>>>);

/// Creates the channel for commands to a line.
pub fn command_channel() -> (CommandSender, CommandInbox) {
    let (sender, receiver) = mpsc::channel(MAX_PENDING_COMMANDS);
    (sender, CommandInbox(Arc::new(Mutex::new(receiver))))
}

impl CommandInbox {
    /// Receives the next command. Cancel safe. Never returns if all senders are gone.
    pub async fn next(&self) -> LineCommand {
        match self.0.lock().await.recv().await {
            Some(order) => *order,
            None => std::future::pending().await,
        }
    }
}
