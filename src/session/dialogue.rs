//! What to ask one board, and when. One question at a time: a board's command buffer is small.
//!
//! | when | what |
//! |---|---|
//! | the link comes up, and a certain board is expected | who it is, until it says so |
//! | the board may be recorded | updates with clock changes, then the opening: as configured |
//! | the board has been quiet after a change | a dump, to confirm what is seen |
//! | nothing for a while | a dump: an idle board says nothing, so silence proves nothing |
//! | a question was not answered, or the last time is a while ago | updates again, and who it is: it may have had no power, or be another |
//! | it is heard again after a gap in which its clock ran | the clock: whose time runs? |
//! | something may have happened that was not heard | its memory, with a dump right behind it: that comes alone if it has none |
//! | no answer | the same again; then ever more slowly, and the operator is told |
//! | no answer from a board that did answer, or none for long | the link is to be opened again |
//!
//! A board that was taken away without the link telling is missed after [`KEEP_ALIVE`] and three questions: 12.5 s.
//! Only the question for what stands on the board proves anything: boards that do not say who they are are none the worse.
//!
//! Never sent: scan modes (they write the board's memory) and anything that is not listed here.

use std::collections::VecDeque;

use crate::millis::Millis;
use crate::protocol::{Command, Message};

/// A board answers within a dump's 110 ms and a scan's 250 ms; a radio link may be slower.
const ANSWER: Millis = Millis(1_500);
/// A full memory takes 8.3 s on the wire, and one read may bring all of it.
const MEMORY: Millis = Millis::seconds(10);
/// A board that does not answer is not asked more often than this.
const SLOWEST: Millis = Millis::seconds(24);
/// An idle board is asked this often whether it is still there.
const KEEP_ALIVE: Millis = Millis::seconds(8);
/// After so many questions without an answer the operator is told.
const SILENT_QUESTIONS: u32 = 3;
/// A link on which nothing has ever answered is opened again after this, and later after twice and four times as long.
const REOPEN: Millis = Millis::seconds(15);

/// A question that waits for its answer.
#[derive(Clone, Debug)]
struct Pending {
    command: Command,
    until: Millis,
}

/// The dialogue with one board.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    /// What the board is asked when it may be recorded, beyond the update mode.
    opening: Vec<Command>,
    /// The board is to say who it is, and first of all if that is not known.
    identify: Option<Command>,
    is_known: bool,
    up: bool,
    to_ask: VecDeque<Command>,
    pending: Option<Pending>,
    last_probe: Millis,
    /// When it was last told to report changes; `None`: since then it has not answered, and may have forgotten it.
    told_at: Option<Millis>,
    unanswered: u32,
    wait_until: Millis,
    /// It has answered since the link came up.
    answered: bool,
    /// The operator was told that it does not answer; that outlives the link.
    silent: bool,
    reopen_at: Option<Millis>,
    reopened: u32,
}

/// What the dialogue wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Send this.
    Send(Command),
    /// The board has not answered for some time.
    Silent,
    /// The link may be dead though it does not say so.
    Reopen,
    /// The board's memory was asked for, and does not come.
    NoMemory,
}

impl Dialogue {
    /// A dialogue whose link is not up yet. `identify`: the question that must be answered before all others.
    pub fn new(opening: Vec<Command>, identify: Option<Command>) -> Dialogue {
        Dialogue { opening, identify, ..Dialogue::default() }
    }

    /// The link is up: the opening, or the question who it is.
    pub fn link_up(&mut self, now: Millis) -> Vec<Turn> {
        self.link_down();
        (self.up, self.last_probe) = (true, now);
        match self.identify.clone() {
            None => self.admit(now),
            Some(question) => {
                self.to_ask.push_back(question);
                self.tick(now, None)
            }
        }
    }

    /// The board is the right one: the opening.
    pub fn admit(&mut self, now: Millis) -> Vec<Turn> {
        self.is_known = true;
        self.told_at = Some(now);
        self.to_ask.extend(self.opening.iter().filter(|&command| Some(command) != self.identify.as_ref()).cloned());
        let mut turns = vec![Turn::Send(Command::SendUpdateNice)];
        turns.extend(self.tick(now, None));
        turns
    }

    /// Asks this too, as soon as what is asked before it was answered.
    pub fn ask(&mut self, now: Millis, command: Command) -> Vec<Turn> {
        if !self.to_ask.contains(&command) {
            self.to_ask.push_back(command);
        }
        self.tick(now, None)
    }

    /// The link is gone.
    pub fn link_down(&mut self) {
        let Dialogue { opening, identify, silent, reopened, .. } = std::mem::take(self);
        *self = Dialogue { opening, identify, silent, reopened, ..Dialogue::default() };
    }

    /// Is the link up?
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// Has the operator been told that the board does not answer?
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// A message has come: is it an answer? Returns whether a board that was silent speaks again.
    pub fn hear(&mut self, now: Millis, message: &Message) -> bool {
        if matches!(message, Message::BoardDump(_)) {
            self.last_probe = now;
        }
        if self.unanswered > 0 && self.is_known {
            self.told_at = None;
            if !self.to_ask.contains(&Command::SendBoard) {
                self.to_ask.push_back(Command::SendBoard);
            }
        }
        self.answered = true;
        self.unanswered = 0;
        self.reopened = 0;
        self.reopen_at = None;
        self.wait_until = Millis::ZERO;
        if self.pending.as_ref().is_some_and(|pending| answers(&pending.command, message)) {
            self.pending = None;
        }
        // A dump is asked for right behind a memory. When it comes alone, the board knows no such question.
        if let (Some(pending), Message::BoardDump(_)) = (&mut self.pending, message)
            && pending.command == Command::SendEepromMoves
        {
            pending.until = pending.until.min(now + ANSWER);
        }
        std::mem::take(&mut self.silent)
    }

    /// When [`Dialogue::tick`] has something to do. `wanted`: when a dump is wanted.
    pub fn deadline(&self, wanted: Option<Millis>) -> Option<Millis> {
        if !self.up {
            return None;
        }
        let asks = match &self.pending {
            Some(pending) => pending.until,
            None if !self.to_ask.is_empty() => self.wait_until,
            None => {
                let keep_alive = self.last_probe + KEEP_ALIVE;
                let wanted = wanted.filter(|_| self.is_known);
                wanted.map_or(keep_alive, |wanted| wanted.min(keep_alive)).max(self.wait_until)
            }
        };
        Some(self.reopen_at.map_or(asks, |reopen| reopen.min(asks)))
    }

    /// Asks what is due.
    pub fn tick(&mut self, now: Millis, wanted: Option<Millis>) -> Vec<Turn> {
        let mut turns = Vec::new();
        if self.deadline(wanted).is_none_or(|deadline| deadline > now) {
            return turns;
        }
        if self.reopen_at.is_some_and(|at| at <= now) {
            turns.push(Turn::Reopen);
            self.reopened = self.reopened.saturating_add(1);
            self.reopen_at = Some(now + self.reopen_wait());
        }
        if let Some(pending) = self.pending.take_if(|pending| pending.until <= now) {
            turns.extend(self.miss(now, &pending.command));
        }
        if self.pending.is_some() || self.wait_until > now {
            return turns;
        }
        let keep_alive = self.last_probe + KEEP_ALIVE;
        let is_kept_alive = keep_alive > now;
        let is_dump_due = self.is_known && (!is_kept_alive || wanted.is_some_and(|wanted| wanted <= now));
        if self.to_ask.is_empty() && is_kept_alive && !is_dump_due {
            return turns;
        }
        if self.is_known && self.told_at.is_none_or(|told| told + KEEP_ALIVE <= now) {
            // A board that lost its power meanwhile has forgotten that it is to report changes.
            turns.push(Turn::Send(Command::SendUpdateNice));
            self.told_at = Some(now);
            // And where one board is expected, another may have been put at the end of its cable.
            self.to_ask.extend(self.identify.clone().filter(|question| !self.to_ask.contains(question)));
        }
        let probe = self.probe();
        let is_next = !is_dump_due || self.to_ask.front() == Some(&probe);
        let next = if is_next { self.to_ask.pop_front() } else { None };
        let command = next.unwrap_or_else(|| probe.clone());
        if command == probe {
            self.last_probe = now;
        }
        let is_memory = command == Command::SendEepromMoves;
        let patience = if is_memory { MEMORY } else { ANSWER };
        self.pending = Some(Pending { command: command.clone(), until: now + patience });
        turns.push(Turn::Send(command));
        if is_memory {
            self.last_probe = now;
            turns.push(Turn::Send(Command::SendBoard));
        }
        turns
    }

    /// A question was not answered.
    fn miss(&mut self, now: Millis, command: &Command) -> Vec<Turn> {
        let probe = self.probe();
        if self.to_ask.front() != Some(&probe) {
            self.to_ask.push_front(probe.clone());
        }
        // Who the board is and what it remembers may stay unknown; what stands on it may not.
        if *command != probe {
            return if *command == Command::SendEepromMoves { vec![Turn::NoMemory] } else { Vec::new() };
        }
        self.unanswered = self.unanswered.saturating_add(1);
        if self.unanswered < SILENT_QUESTIONS {
            return Vec::new();
        }
        let patience = Millis(ANSWER.0 << self.unanswered.min(4)).0.min(SLOWEST.0);
        self.wait_until = now + Millis(patience - ANSWER.0.min(patience));
        if self.unanswered > SILENT_QUESTIONS {
            return Vec::new();
        }
        self.reopen_at = Some(if self.answered { now } else { now + self.reopen_wait() });
        let is_news = !std::mem::replace(&mut self.silent, true);
        let mut turns = Vec::new();
        if is_news {
            turns.push(Turn::Silent);
        }
        turns
    }

    fn reopen_wait(&self) -> Millis {
        Millis(REOPEN.0 << self.reopened.min(2))
    }

    /// The question that a board must answer.
    fn probe(&self) -> Command {
        match &self.identify {
            Some(question) if !self.is_known => question.clone(),
            _ => Command::SendBoard,
        }
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
            | (Command::ReturnBusAddress, Message::BusAddress(_))
            | (Command::SendTrademark, Message::Trademark(_))
            | (Command::SendBatteryStatus, Message::BatteryStatus(_))
            | (Command::SendEepromMoves, Message::EepromMoves(_))
    )
}
