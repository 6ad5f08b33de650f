//! Commands to a running line.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, oneshot};

use crate::engine::session::Effect;
use crate::engine::session::request::Request;
use crate::station::config::LineConfig;
use crate::station::line::Uptime;

/// Orders that may wait for a line. An operator gives one at a time; more is a program that went wrong.
const MAX_PENDING_COMMANDS: usize = 16;

/// An order.
#[derive(Debug)]
pub enum LineCommand {
    /// An operator's request.
    Request {
        /// The request.
        request: Request,
        /// Origin of the request.
        context: RequestContext,
        /// Receives the outcome.
        answer: oneshot::Sender<RequestOutcome>,
    },
    /// The configuration has changed.
    Configure {
        /// What it says of this line now.
        config: Box<LineConfig>,
        /// Receives the outcome as text; `None` if nothing has changed.
        answer: oneshot::Sender<Option<String>>,
    },
    /// The configuration has this line no more: it ends when its games are over.
    Remove {
        /// Receives the outcome as text.
        answer: oneshot::Sender<Option<String>>,
    },
}

/// Origin of a request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// Who, in words, for the log.
    pub requester: String,
    /// It is dropped if it is not begun by then.
    pub deadline: Uptime,
    /// He says that he means it: a result ends a game whose clock runs.
    pub is_confirmed: bool,
    /// He wants to know what would come of it; nothing is done.
    pub is_dry_run: bool,
}

/// Outcome of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RequestOutcome {
    /// Why it was not done.
    pub refusal: Option<String>,
    /// Messages for the operator.
    pub messages: Vec<String>,
    /// Lines written to the game's file at once.
    pub lines: Vec<String>,
}

impl RequestOutcome {
    /// A request that was not done.
    pub fn refused(why: String) -> RequestOutcome {
        RequestOutcome { refusal: Some(why), ..RequestOutcome::default() }
    }

    /// Takes in what the core wants done because of it.
    pub fn add_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Refused(why) => self.refusal = Some(why.clone()),
            Effect::Notice(notice) | Effect::Info(notice) => self.messages.push(notice.clone()),
            effect => self.lines.extend(effect.lines()),
        }
    }

    /// Says first which game it ends, and how, unless it was refused.
    pub fn prepend_game_end(&mut self, game: &str, end: &str) {
        if self.refusal.is_none() {
            let when = if self.lines.is_empty() { "; it is written when the last moves are recognised" } else { "" };
            self.messages.insert(0, format!("{game}: {end}{when}"));
        }
    }
}

/// Where a line finds its orders. It outlives the task of the line.
#[derive(Clone)]
pub struct CommandInbox(Arc<Mutex<mpsc::Receiver<LineCommand>>>);

/// The two ends of the way that orders go.
pub fn command_channel() -> (mpsc::Sender<LineCommand>, CommandInbox) {
    let (sender, receiver) = mpsc::channel(MAX_PENDING_COMMANDS);
    (sender, CommandInbox(Arc::new(Mutex::new(receiver))))
}

impl CommandInbox {
    /// The next order. Nothing is lost when it is cancelled. Without anybody who could give one it waits for ever.
    pub async fn next(&self) -> LineCommand {
        match self.0.lock().await.recv().await {
            Some(order) => order,
            None => std::future::pending().await,
        }
    }
}
