//! What a line at work can be told from outside.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, oneshot};

use crate::engine::session::Effect;
use crate::engine::session::request::Request;
use crate::station::config::LineConfig;
use crate::station::line::Uptime;

/// Orders that may wait for a line. An operator gives one at a time; more is a program that went wrong.
const MOST_WAITING: usize = 16;

/// An order.
#[derive(Debug)]
pub enum Order {
    /// An operator's request.
    Request {
        /// The request.
        request: Request,
        /// Who asks for it, and how.
        asked: Asked,
        /// Who waits for what becomes of it.
        answer: oneshot::Sender<Answer>,
    },
    /// The configuration has changed.
    Configure {
        /// What it says of this line now.
        config: Box<LineConfig>,
        /// Who waits for what becomes of it, in words; `None`: nothing has changed.
        answer: oneshot::Sender<Option<String>>,
    },
    /// The configuration has this line no more: it ends when its games are over.
    Retire {
        /// Who waits for what becomes of it, in words.
        answer: oneshot::Sender<Option<String>>,
    },
}

/// Who asks for something, and how.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Who, in words, for the log.
    pub by: String,
    /// It is dropped if it is not begun by then.
    pub until: Uptime,
    /// He says that he means it: a result ends a game whose clock runs.
    pub is_sure: bool,
    /// He wants to know what would come of it; nothing is done.
    pub is_trial: bool,
}

/// What became of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// Why it was not done.
    pub refused: Option<String>,
    /// What the operator is told.
    pub told: Vec<String>,
    /// What was written to the game's file at once, line by line.
    pub written: Vec<String>,
}

impl Answer {
    /// A request that was not done.
    pub fn refused(why: String) -> Answer {
        Answer { refused: Some(why), ..Answer::default() }
    }

    /// Takes in what the core wants done because of it.
    pub fn hear(&mut self, effect: &Effect) {
        match effect {
            Effect::Refused(why) => self.refused = Some(why.clone()),
            Effect::Notice(notice) | Effect::News(notice) => self.told.push(notice.clone()),
            effect => self.written.extend(effect.lines()),
        }
    }

    /// Says first which game it ends, and how, unless it was refused.
    pub fn ends(&mut self, game: &str, end: &str) {
        if self.refused.is_none() {
            let when = if self.written.is_empty() { "; it is written when the last moves are recognised" } else { "" };
            self.told.insert(0, format!("{game}: {end}{when}"));
        }
    }
}

/// Where a line finds its orders. It outlives the task of the line.
#[derive(Clone)]
pub struct Inbox(Arc<Mutex<mpsc::Receiver<Order>>>);

/// The two ends of the way that orders go.
pub fn orders() -> (mpsc::Sender<Order>, Inbox) {
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    (sender, Inbox(Arc::new(Mutex::new(receiver))))
}

impl Inbox {
    /// The next order. Nothing is lost when it is cancelled. Without anybody who could give one it waits for ever.
    pub async fn next(&self) -> Order {
        match self.0.lock().await.recv().await {
            Some(order) => order,
            None => std::future::pending().await,
        }
    }
}
