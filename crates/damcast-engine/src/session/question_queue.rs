//! Decides which question one board gets, and when. Only one question is open at a time, because boards have a small
//! command buffer.
//!
//! | event | question |
//! |---|---|
//! | the link comes up, and a particular board is expected | its identity, until it answers |
//! | the board is admitted | updates with clock changes, then the configured questions |
//! | quiet after a change | a dump, to confirm the contents |
//! | nothing for a while | a dump, because idle boards are silent and silence proves nothing |
//! | an unanswered question, or a while since the last time | updates and the identity again: power loss or another board is possible |
//! | contact again after a gap in which the clock ran | the clock, for the running side |
//! | possibly missed events | the memory, followed by a dump, which arrives alone if there is no memory |
//! | no answer | the question again, then at growing intervals, with a notice for the operator |
//! | no answer from a board that has answered, or none for long | reopening of the link |
//! | messages, but never an answer to a dump request | another question that the board answers; dump requests at growing intervals |
//! | dumps with unreported changes | other update commands, each once |
//!
//! Only silence reopens a link: a board that sends messages stays connected, whatever it leaves unanswered.
//!
//! A board that disappears without a sign from the link is noticed after [`KEEP_ALIVE_INTERVAL`] and three questions: 12.5
//! s. Only the dump request proves anything, since some boards do not identify themselves. A board that never answers dump
//! requests is checked with a question that it does answer, or, if it answers none, by [`MAX_SILENCE_WITHOUT_ANSWERS`].
//!
//! Never sent: scan modes (they write the board's memory) and anything not listed here.

use std::collections::VecDeque;

use crate::millis::Millis;
use crate::protocol::{Command, Message};

/// Timeout of an answer: a dump takes 110 ms, a scan 250 ms, and a radio link may be slower.
const ANSWER_TIMEOUT: Millis = Millis(1_500);
/// Timeout of the memory: a full one takes 8.3 s on the wire and may arrive in a single read.
const MEMORY_TIMEOUT: Millis = Millis::seconds(10);
/// Longest interval between questions to a board that does not answer.
const MAX_RETRY_INTERVAL: Millis = Millis::seconds(24);
/// Interval of the checks whether an idle board is still there.
const KEEP_ALIVE_INTERVAL: Millis = Millis::seconds(8);
/// Interval of clock questions to a board that reports its fields but not its clock; running clocks otherwise report every
/// second.
const CLOCK_INTERVAL: Millis = Millis::seconds(1);
/// Unanswered questions before the operator's notice.
const MAX_UNANSWERED: u32 = 3;
/// First wait before reopening a link without any answer; doubled twice.
const FIRST_REOPEN_WAIT: Millis = Millis::seconds(15);
/// Dump requests in a row that a board with other messages may ignore before it counts as unable to answer them. With
/// three, a quick game without a clock would be too many plies ahead.
const MAX_IGNORED_DUMPS: u32 = 2;
/// First interval of further dump requests to such a board; doubled each time.
const MIN_DUMP_RETRY: Millis = Millis::seconds(5);
const MAX_DUMP_RETRY: Millis = Millis::seconds(60);
/// Longest silence of a board that has reported moves but never answered a question: its player may be thinking.
const MAX_SILENCE_WITHOUT_ANSWERS: Millis = Millis::seconds(300);
/// Update commands, tried in order.
const UPDATE_COMMANDS: [Command; 3] = [Command::SendUpdateNice, Command::SendUpdate, Command::SendUpdateBoard];

/// Question that waits for its answer.
#[derive(Clone, Debug)]
struct Pending {
    command: Command,
    since: Millis,
    until: Millis,
}

/// Questions to one board.
#[derive(Clone, Debug, Default)]
pub struct QuestionQueue {
    /// Questions to an admitted board, besides the update command.
    connect_questions: Vec<Command>,
    /// Question for the identity, sent first if it is unknown.
    identify: Option<Command>,
    is_identified: bool,
    is_link_up: bool,
    queue: VecDeque<Command>,
    pending: Option<Pending>,
    last_probe: Millis,
    /// Time of the last update command; `None` if the board left questions unanswered since and may have forgotten it.
    update_sent_at: Option<Millis>,
    unanswered: u32,
    wait_until: Millis,
    /// Whether the board has answered since the link came up.
    has_answered: bool,
    /// Whether the operator was notified of the silence; survives a new link.
    is_silence_reported: bool,
    reopen_at: Option<Millis>,
    reopen_count: u32,
    last_message_at: Option<Millis>,
    /// Dump requests in a row that remained unanswered although the board sent messages.
    unanswered_dumps: u32,
    /// Whether the board has proved unable to answer dump requests; survives a new link.
    never_dumps: bool,
    /// Whether the board has reported a change since the link came up.
    has_reported: bool,
    /// Whether the board has sent a dump since the link came up.
    has_dumped: bool,
    /// Time of the last dump request.
    dump_asked_at: Millis,
    /// Time of the last clock question.
    clock_asked_at: Millis,
    /// Another question that the board answers.
    answered_question: Option<Command>,
    /// Last question before the board counts as silent, since it may only ignore dump requests.
    last_check: Option<Command>,
    /// Number of update commands that did not make the board report changes; survives a new link.
    failed_updates: usize,
}

/// Action requested by the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueueAction {
    /// Send this command.
    Send(Command),
    /// The board has not answered for some time.
    BoardSilent,
    /// The link may be dead without reporting it; reopen it.
    Reopen,
    /// The requested memory does not arrive.
    MemoryMissing,
    /// The board sends messages but does not answer dump requests.
    DumpsMissing,
}

impl QuestionQueue {
    /// Creates the queue before the link is up. `identify`: question that must be answered first.
    pub fn new(connect_questions: Vec<Command>, identify: Option<Command>) -> QuestionQueue {
        QuestionQueue { connect_questions, identify, ..QuestionQueue::default() }
    }

    /// Starts the identification or, without one, the first questions after the link came up.
    pub fn link_up(&mut self, now: Millis) -> Vec<QueueAction> {
        self.link_down();
        (self.is_link_up, self.last_probe) = (true, now);
        match self.identify {
            None => self.start(now),
            Some(question) => {
                self.queue.push_back(question);
                self.tick(now, None)
            }
        }
    }

    /// Starts the first questions to an admitted board.
    pub fn start(&mut self, now: Millis) -> Vec<QueueAction> {
        self.is_identified = true;
        self.update_sent_at = Some(now);
        self.queue
            .extend(self.connect_questions.iter().filter(|&command| Some(command) != self.identify.as_ref()).cloned());
        let mut turns = vec![QueueAction::Send(self.update_command())];
        turns.extend(self.tick(now, None));
        turns
    }

    /// Returns the next update command for a board that reports no changes; `None` if there is no other.
    pub fn next_update_command(&mut self, now: Millis) -> Option<Command> {
        if self.failed_updates + 1 == UPDATE_COMMANDS.len() {
            return None;
        }
        self.failed_updates += 1;
        self.update_sent_at = Some(now);
        Some(self.update_command())
    }

    fn update_command(&self) -> Command {
        UPDATE_COMMANDS[self.failed_updates]
    }

    /// Whether the board sends messages but never answers dump requests.
    pub fn never_dumps(&self) -> bool {
        self.never_dumps
    }

    /// Adds a question after the queued ones.
    pub fn enqueue(&mut self, now: Millis, command: Command) -> Vec<QueueAction> {
        if !self.queue.contains(&command) {
            self.queue.push_back(command);
        }
        self.tick(now, None)
    }

    /// Handles the loss of the link.
    pub fn link_down(&mut self) {
        *self = QuestionQueue {
            connect_questions: std::mem::take(&mut self.connect_questions),
            identify: self.identify.take(),
            is_silence_reported: self.is_silence_reported,
            reopen_count: self.reopen_count,
            never_dumps: self.never_dumps,
            failed_updates: self.failed_updates,
            ..QuestionQueue::default()
        };
    }

    /// Whether the link is up.
    pub fn is_link_up(&self) -> bool {
        self.is_link_up
    }

    /// Whether the operator was notified of the silence.
    pub fn is_silent(&self) -> bool {
        self.is_silence_reported
    }

    /// Handles a message, which may be an answer. Returns whether a silent board has become active again.
    pub fn on_message(&mut self, now: Millis, message: &Message) -> bool {
        if matches!(message, Message::BoardDump(_)) {
            self.last_probe = now;
            (self.unanswered_dumps, self.never_dumps, self.has_dumped) = (0, false, true);
        } else if self.is_identified {
            // The board was there, but ignored the questions.
            self.unanswered_dumps = self.unanswered_dumps.saturating_add(self.unanswered);
        }
        self.last_message_at = Some(now);
        self.has_reported |= matches!(message, Message::FieldUpdate { .. });
        if self.unanswered > 0 && self.is_identified {
            self.update_sent_at = None;
            if !self.queue.contains(&Command::SendBoard) {
                self.queue.push_back(Command::SendBoard);
            }
        }
        self.has_answered = true;
        self.unanswered = 0;
        self.last_check = None;
        self.reopen_count = 0;
        self.reopen_at = None;
        self.wait_until = Millis::ZERO;
        if let Some(pending) = self.pending.take_if(|pending| is_answer_to(&pending.command, message))
            && !matches!(pending.command, Command::SendBoard | Command::SendEepromMoves)
        {
            self.answered_question = Some(pending.command);
        }
        // A dump request follows every memory request. If the dump arrives first, the board has no memory command.
        if let (Some(pending), Message::BoardDump(_)) = (&mut self.pending, message)
            && pending.command == Command::SendEepromMoves
        {
            pending.until = pending.until.min(now + ANSWER_TIMEOUT);
        }
        std::mem::take(&mut self.is_silence_reported)
    }

    /// Returns the time of the next [`QuestionQueue::tick`]. `dump_due`: time at which a dump is needed.
    pub fn deadline(&self, dump_due: Option<Millis>) -> Option<Millis> {
        if !self.is_link_up {
            return None;
        }
        let asks = match &self.pending {
            Some(pending) => pending.until,
            None if !self.queue.is_empty() => self.wait_until,
            None => {
                let keep_alive = self.last_probe + KEEP_ALIVE_INTERVAL;
                let dump_due = self.dump_at(dump_due).into_iter().chain(self.clock_at());
                dump_due.fold(keep_alive, Millis::min).max(self.wait_until)
            }
        };
        Some(self.reopen_at.map_or(asks, |reopen| reopen.min(asks)))
    }

    /// Whether an answer is due.
    pub fn is_asking(&self) -> bool {
        self.pending.is_some()
    }

    /// Returns the time of the next dump request. `dump_due`: time at which a dump is needed.
    fn dump_at(&self, dump_due: Option<Millis>) -> Option<Millis> {
        match (self.is_identified, self.never_dumps) {
            (false, _) => None,
            (true, false) => dump_due,
            (true, true) => {
                let wait = Millis(MIN_DUMP_RETRY.0 << self.unanswered_dumps.saturating_sub(MAX_IGNORED_DUMPS).min(8))
                    .min(MAX_DUMP_RETRY);
                Some(self.dump_asked_at + wait)
            }
        }
    }

    /// Returns the time of the next clock question to a board that does not report its clock.
    fn clock_at(&self) -> Option<Millis> {
        let asks = self.is_identified && self.update_command() == Command::SendUpdateBoard;
        asks.then_some(self.clock_asked_at + CLOCK_INTERVAL)
    }

    /// Sends the due question.
    pub fn tick(&mut self, now: Millis, dump_due: Option<Millis>) -> Vec<QueueAction> {
        let mut turns = Vec::new();
        if self.deadline(dump_due).is_none_or(|deadline| deadline > now) {
            return turns;
        }
        if self.reopen_at.is_some_and(|at| at <= now) {
            turns.push(QueueAction::Reopen);
            self.reopen_count = self.reopen_count.saturating_add(1);
            self.reopen_at = Some(now + self.reopen_wait());
        }
        if let Some(pending) = self.pending.take_if(|pending| pending.until <= now) {
            turns.extend(self.on_timeout(now, &pending));
        }
        if self.pending.is_some() || self.wait_until > now {
            return turns;
        }
        let keep_alive = self.last_probe + KEEP_ALIVE_INTERVAL;
        let is_kept_alive = keep_alive > now;
        let is_wanted = self.dump_at(dump_due).is_some_and(|dump_due| dump_due <= now);
        if self.clock_at().is_some_and(|at| at <= now) && !self.queue.contains(&Command::SendClock) {
            self.queue.push_back(Command::SendClock);
        }
        let is_probe_due = self.is_identified && !is_kept_alive;
        if self.queue.is_empty() && is_kept_alive && !is_wanted {
            return turns;
        }
        if self.is_identified && self.update_sent_at.is_none_or(|last_sent| last_sent + KEEP_ALIVE_INTERVAL <= now) {
            // A board that lost power in between has forgotten the update command.
            turns.push(QueueAction::Send(self.update_command()));
            self.update_sent_at = Some(now);
            // If a particular board is expected, another may be connected by now.
            self.queue.extend(self.identify.filter(|question| !self.queue.contains(question)));
        }
        let probe = if is_wanted { Command::SendBoard } else { self.probe() };
        let front = self.queue.front();
        let is_next = !(is_wanted || is_probe_due)
            || front == Some(&probe)
            || front.is_some() && front == self.last_check.as_ref();
        let next = if is_next { self.queue.pop_front() } else { None };
        let command = next.unwrap_or(probe);
        if command == self.probe() {
            self.last_probe = now;
        }
        match command {
            Command::SendBoard => self.dump_asked_at = now,
            Command::SendClock => self.clock_asked_at = now,
            _ => {}
        }
        let is_memory = command == Command::SendEepromMoves;
        let patience = if is_memory { MEMORY_TIMEOUT } else { ANSWER_TIMEOUT };
        self.pending = Some(Pending { command, since: now, until: now + patience });
        turns.push(QueueAction::Send(command));
        if is_memory {
            self.last_probe = now;
            turns.push(QueueAction::Send(Command::SendBoard));
        }
        turns
    }

    /// Handles an unanswered question.
    fn on_timeout(&mut self, now: Millis, missed: &Pending) -> Vec<QueueAction> {
        let spoke = self.is_identified && self.last_message_at.is_some_and(|at| at >= missed.since);
        let is_dump = missed.command == Command::SendBoard;
        if is_dump {
            self.unanswered_dumps = self.unanswered_dumps.saturating_add(u32::from(spoke));
            if self.unanswered_dumps >= MAX_IGNORED_DUMPS && !std::mem::replace(&mut self.never_dumps, true) {
                return vec![QueueAction::DumpsMissing];
            }
            if self.never_dumps && (spoke || self.answered_question.is_some()) {
                return Vec::new();
            }
        }
        let is_check = self.last_check.take_if(|check| *check == missed.command).is_some();
        if is_dump && !spoke && self.unanswered + 2 == self.silent_questions() {
            let is_simple = |command: &&Command| !matches!(command, Command::SendBoard | Command::SendClock);
            self.last_check =
                self.answered_question.as_ref().or(self.connect_questions.iter().find(is_simple)).cloned();
        }
        let probe = self.last_check.unwrap_or_else(|| self.probe());
        if self.queue.front() != Some(&probe) {
            self.queue.push_front(probe);
        }
        // Identity and memory may stay unknown; the contents of the board may not.
        if missed.command != self.probe() && !is_check {
            return if missed.command == Command::SendEepromMoves {
                vec![QueueAction::MemoryMissing]
            } else {
                Vec::new()
            };
        }
        if is_dump && spoke {
            return Vec::new();
        }
        self.unanswered = self.unanswered.saturating_add(1);
        let max_unanswered = self.silent_questions();
        if self.unanswered < max_unanswered || self.never_answers(now) {
            return Vec::new();
        }
        let patience = Millis(ANSWER_TIMEOUT.0 << self.unanswered.min(4)).0.min(MAX_RETRY_INTERVAL.0);
        self.wait_until = now + Millis(patience - ANSWER_TIMEOUT.0.min(patience));
        if self.unanswered > max_unanswered {
            return Vec::new();
        }
        self.reopen_at = Some(if self.has_answered { now } else { now + self.reopen_wait() });
        let is_new = !std::mem::replace(&mut self.is_silence_reported, true);
        let mut turns = Vec::new();
        if is_new {
            turns.push(QueueAction::BoardSilent);
        }
        turns
    }

    /// Returns the number of unanswered questions before the board counts as silent, which allows for a thinking player.
    fn silent_questions(&self) -> u32 {
        MAX_UNANSWERED + u32::from(self.has_reported)
    }

    /// Whether the board has reported recently but never answered, so that its silence may be a thinking player.
    fn never_answers(&mut self, now: Millis) -> bool {
        let is_taciturn = (self.never_dumps || self.has_reported && !self.has_dumped)
            && self.answered_question.is_none()
            && self.last_message_at.is_some_and(|at| now < at + MAX_SILENCE_WITHOUT_ANSWERS);
        if is_taciturn {
            // The question is repeated after the next message, or at the interval of an idle board.
            self.queue.retain(|command| *command != Command::SendBoard);
            self.unanswered = 0;
        }
        is_taciturn
    }

    fn reopen_wait(&self) -> Millis {
        Millis(FIRST_REOPEN_WAIT.0 << self.reopen_count.min(2))
    }

    /// Returns the question that a board must answer.
    fn probe(&self) -> Command {
        match (&self.identify, &self.answered_question) {
            (Some(question), _) if !self.is_identified => *question,
            (_, Some(question)) if self.never_dumps => *question,
            _ => Command::SendBoard,
        }
    }
}

fn is_answer_to(command: &Command, message: &Message) -> bool {
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
