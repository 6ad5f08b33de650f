//! What to ask one board, and when. One question at a time: a board's command buffer is small.
//!
//! | when | what |
//! |---|---|
//! | the link comes up | updates with clock changes, a dump, the clock, then who it is |
//! | the board has been quiet after a change | a dump, to confirm what is seen |
//! | nothing for a while | updates again, and a dump: an idle board says nothing, so silence proves nothing |
//! | no answer | the same again, ever more slowly; the operator is told |
//!
//! Never sent: scan modes (they write the board's memory) and anything that is not listed here.

use std::collections::VecDeque;

use crate::millis::Millis;
use crate::protocol::{Command, Message};

/// A board answers within a dump's 110 ms and a scan's 250 ms; a radio link may be slower.
const ANSWER: Millis = Millis(1_500);
/// A board that does not answer is not asked more often than this.
const SLOWEST: Millis = Millis::seconds(24);
/// An idle board is asked this often whether it is still there.
const KEEP_ALIVE: Millis = Millis::seconds(10);
/// After so many questions without an answer the operator is told.
const SILENT_QUESTIONS: u32 = 3;

/// What a board is asked on connecting, beyond the update mode.
const OPENING: [Command; 6] = [
    Command::SendBoard,
    Command::SendClock,
    Command::SendVersion,
    Command::ReturnSerialNumber,
    Command::ReturnLongSerialNumber,
    Command::SendTrademark,
];

/// A question that waits for its answer.
#[derive(Clone, Debug)]
struct Pending {
    command: Command,
    until: Millis,
}

/// The dialogue with one board.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    up: bool,
    to_ask: VecDeque<Command>,
    pending: Option<Pending>,
    last_dump: Millis,
    unanswered: u32,
    wait_until: Millis,
}

/// What the dialogue wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Send this.
    Send(Command),
    /// The board has not answered for some time.
    Silent,
}

impl Dialogue {
    /// The link is up: the opening.
    pub fn link_up(&mut self, now: Millis) -> Vec<Turn> {
        *self = Dialogue { up: true, last_dump: now, ..Dialogue::default() };
        self.to_ask.extend(OPENING);
        let mut turns = vec![Turn::Send(Command::SendUpdateNice)];
        turns.extend(self.tick(now, None));
        turns
    }

    /// The link is gone.
    pub fn link_down(&mut self) {
        *self = Dialogue::default();
    }

    /// A message has come: is it an answer? Returns whether a board that was silent speaks again.
    pub fn hear(&mut self, now: Millis, message: &Message) -> bool {
        if matches!(message, Message::BoardDump(_)) {
            self.last_dump = now;
        }
        let silent = self.unanswered >= SILENT_QUESTIONS;
        self.unanswered = 0;
        self.wait_until = Millis::ZERO;
        if self.pending.as_ref().is_some_and(|pending| answers(&pending.command, message)) {
            self.pending = None;
        }
        silent
    }

    /// When [`Dialogue::tick`] has something to do. `wanted`: when a dump is wanted.
    pub fn deadline(&self, wanted: Option<Millis>) -> Option<Millis> {
        if !self.up {
            return None;
        }
        if let Some(pending) = &self.pending {
            return Some(pending.until);
        }
        if !self.to_ask.is_empty() {
            return Some(self.wait_until);
        }
        let keep_alive = self.last_dump + KEEP_ALIVE;
        Some(wanted.map_or(keep_alive, |wanted| wanted.min(keep_alive)).max(self.wait_until))
    }

    /// Asks what is due.
    pub fn tick(&mut self, now: Millis, wanted: Option<Millis>) -> Vec<Turn> {
        let mut turns = Vec::new();
        if self.deadline(wanted).is_none_or(|deadline| deadline > now) {
            return turns;
        }
        if let Some(pending) = self.pending.take() {
            self.unanswered = self.unanswered.saturating_add(1);
            if self.unanswered == SILENT_QUESTIONS {
                turns.push(Turn::Silent);
            }
            // Who the board is may stay unknown; what stands on it may not.
            if pending.command == Command::SendBoard {
                self.to_ask.push_front(pending.command);
            }
            let patience = Millis(ANSWER.0 << self.unanswered.min(4)).0.min(SLOWEST.0);
            self.wait_until = now + Millis(patience - ANSWER.0.min(patience));
            if self.wait_until > now {
                return turns;
            }
        }
        if self.to_ask.is_empty() && now >= self.last_dump + KEEP_ALIVE {
            // A board that lost its power meanwhile has forgotten that it is to report changes.
            turns.push(Turn::Send(Command::SendUpdateNice));
        }
        let command = self.to_ask.pop_front().unwrap_or(Command::SendBoard);
        if command == Command::SendBoard {
            self.last_dump = now;
        }
        self.pending = Some(Pending { command: command.clone(), until: now + ANSWER });
        turns.push(Turn::Send(command));
        turns
    }
}

/// Is this message what the command asks for?
fn answers(command: &Command, message: &Message) -> bool {
    matches!(
        (command, message),
        (Command::SendBoard, Message::BoardDump(_))
            | (Command::SendClock, Message::Clock(_))
            | (Command::SendVersion, Message::Version(_))
            | (Command::ReturnSerialNumber, Message::SerialNumber(_))
            | (Command::ReturnLongSerialNumber, Message::LongSerialNumber(_))
            | (Command::SendTrademark, Message::Trademark(_))
    )
}
