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
//! | it speaks, and never answers what stands on it | something else that it does answer; what stands on it ever more rarely |
//! | dumps show changes of which it reports none | another command for updates, each once |
//!
//! Silence is the only reason to open a link again: a board that speaks is listened to, whatever it does not answer.
//!
//! A board that was taken away without the link telling is missed after [`KEEP_ALIVE_INTERVAL`] and three questions: 12.5 s.
//! Only the question for what stands on the board proves anything: boards that do not say who they are are none the worse. A
//! board that has proved not to answer it is held to what it does answer, and one that answers nothing to [`MAX_SILENCE_WITHOUT_ANSWERS`].
//!
//! Never sent: scan modes (they write the board's memory) and anything that is not listed here.

use std::collections::VecDeque;

use crate::engine::millis::Millis;
use crate::engine::protocol::{Command, Message};

/// A board answers within a dump's 110 ms and a scan's 250 ms; a radio link may be slower.
const ANSWER_TIMEOUT: Millis = Millis(1_500);
/// A full memory takes 8.3 s on the wire, and one read may bring all of it.
const MEMORY_TIMEOUT: Millis = Millis::seconds(10);
/// A board that does not answer is not asked more often than this.
const MAX_RETRY_INTERVAL: Millis = Millis::seconds(24);
/// An idle board is asked this often whether it is still there.
const KEEP_ALIVE_INTERVAL: Millis = Millis::seconds(8);
/// A board that reports its fields and not its clock is asked this often what the clock shows: a clock that runs is heard every
/// second.
const CLOCK_INTERVAL: Millis = Millis::seconds(1);
/// After so many questions without an answer the operator is told.
const MAX_UNANSWERED: u32 = 3;
/// A link on which nothing has ever answered is opened again after this, and later after twice and four times as long.
const FIRST_REOPEN_WAIT: Millis = Millis::seconds(15);
/// A board that spoke and did not answer so many questions for what stands on it, in a row, does not know that question. With
/// three, a quick game without a clock would be too many plies ahead by then.
const MAX_IGNORED_DUMPS: u32 = 2;
/// Such a board is asked what stands on it all the same: after this, then after ever longer waits.
const MIN_DUMP_RETRY: Millis = Millis::seconds(5);
const MAX_DUMP_RETRY: Millis = Millis::seconds(60);
/// A board that has reported moves and never answered anything may think for so long before it counts as silent.
const MAX_SILENCE_WITHOUT_ANSWERS: Millis = Millis::seconds(300);

/// A question that waits for its answer.
#[derive(Clone, Debug)]
struct Pending {
    command: Command,
    since: Millis,
    until: Millis,
}

/// The dialogue with one board.
#[derive(Clone, Debug)]
pub struct QuestionQueue {
    /// What the board is asked when it may be recorded, beyond the update mode.
    connect_questions: Vec<Command>,
    /// The board is to say who it is, and first of all if that is not known.
    identify: Option<Command>,
    is_identified: bool,
    is_link_up: bool,
    queue: VecDeque<Command>,
    pending: Option<Pending>,
    last_probe: Millis,
    /// When it was last told to report changes; `None`: since then it has not answered, and may have forgotten it.
    update_sent_at: Option<Millis>,
    unanswered: u32,
    wait_until: Millis,
    /// It has answered since the link came up.
    has_answered: bool,
    /// The operator was told that it does not answer; that outlives the link.
    is_silence_reported: bool,
    reopen_at: Option<Millis>,
    reopen_count: u32,
    /// When it last said anything.
    last_message_at: Option<Millis>,
    /// How many questions in a row for what stands on it were not answered although it spoke.
    unanswered_dumps: u32,
    /// It has proved not to answer what stands on it. That outlives the link.
    never_dumps: bool,
    /// It has reported a change since the link came up.
    has_reported: bool,
    /// It has said what stands on it since the link came up.
    has_dumped: bool,
    /// When it was last asked what stands on it.
    dump_asked_at: Millis,
    /// When it was last asked what its clock shows.
    clock_asked_at: Millis,
    /// Another question that it does answer.
    answered_question: Option<Command>,
    /// Asked before it counts as silent: it may be there and not answer what stands on it.
    last_check: Option<Command>,
    /// The command that makes it report changes. It outlives the link.
    update_command: Command,
}

/// What the dialogue wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueueAction {
    /// Send this.
    Send(Command),
    /// The board has not answered for some time.
    BoardSilent,
    /// The link may be dead though it does not say so.
    Reopen,
    /// The board's memory was asked for, and does not come.
    MemoryMissing,
    /// The board speaks, and does not answer what stands on it.
    DumpsMissing,
}

impl QuestionQueue {
    /// A dialogue whose link is not up yet. `identify`: the question that must be answered before all others.
    pub fn new(connect_questions: Vec<Command>, identify: Option<Command>) -> QuestionQueue {
        QuestionQueue {
            connect_questions,
            identify,
            is_identified: false,
            is_link_up: false,
            queue: VecDeque::new(),
            pending: None,
            last_probe: Millis::ZERO,
            update_sent_at: None,
            unanswered: 0,
            wait_until: Millis::ZERO,
            has_answered: false,
            is_silence_reported: false,
            reopen_at: None,
            reopen_count: 0,
            last_message_at: None,
            unanswered_dumps: 0,
            never_dumps: false,
            has_reported: false,
            has_dumped: false,
            dump_asked_at: Millis::ZERO,
            clock_asked_at: Millis::ZERO,
            answered_question: None,
            last_check: None,
            update_command: Command::SendUpdateNice,
        }
    }

    /// The link is up: the opening, or the question who it is.
    pub fn link_up(&mut self, now: Millis) -> Vec<QueueAction> {
        self.link_down();
        (self.is_link_up, self.last_probe) = (true, now);
        match self.identify.clone() {
            None => self.start(now),
            Some(question) => {
                self.queue.push_back(question);
                self.tick(now, None)
            }
        }
    }

    /// The board is the right one: the opening.
    pub fn start(&mut self, now: Millis) -> Vec<QueueAction> {
        self.is_identified = true;
        self.update_sent_at = Some(now);
        self.queue
            .extend(self.connect_questions.iter().filter(|&command| Some(command) != self.identify.as_ref()).cloned());
        let mut turns = vec![QueueAction::Send(self.update_command.clone())];
        turns.extend(self.tick(now, None));
        turns
    }

    /// The board does not report what changes: the next command that may make it do so. `None`: there is no other.
    pub fn next_update_command(&mut self, now: Millis) -> Option<Command> {
        self.update_command = match self.update_command {
            Command::SendUpdateNice => Command::SendUpdate,
            Command::SendUpdate => Command::SendUpdateBoard,
            _ => return None,
        };
        self.update_sent_at = Some(now);
        Some(self.update_command.clone())
    }

    /// Does the board speak, and never answer what stands on it?
    pub fn never_dumps(&self) -> bool {
        self.never_dumps
    }

    /// Asks this too, as soon as what is asked before it was answered.
    pub fn enqueue(&mut self, now: Millis, command: Command) -> Vec<QueueAction> {
        if !self.queue.contains(&command) {
            self.queue.push_back(command);
        }
        self.tick(now, None)
    }

    /// The link is gone.
    pub fn link_down(&mut self) {
        let (opening, identify) = (std::mem::take(&mut self.connect_questions), self.identify.take());
        let (silent, reopened, is_without_dumps) = (self.is_silence_reported, self.reopen_count, self.never_dumps);
        let update = self.update_command.clone();
        *self = QuestionQueue {
            is_silence_reported: silent,
            reopen_count: reopened,
            never_dumps: is_without_dumps,
            update_command: update,
            ..QuestionQueue::new(opening, identify)
        };
    }

    /// Is the link up?
    pub fn is_link_up(&self) -> bool {
        self.is_link_up
    }

    /// Has the operator been told that the board does not answer?
    pub fn is_silent(&self) -> bool {
        self.is_silence_reported
    }

    /// A message has come: is it an answer? Returns whether a board that was silent speaks again.
    pub fn on_message(&mut self, now: Millis, message: &Message) -> bool {
        if matches!(message, Message::BoardDump(_)) {
            self.last_probe = now;
            (self.unanswered_dumps, self.never_dumps, self.has_dumped) = (0, false, true);
        } else if self.is_identified {
            // It was there all the time, and did not answer.
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
        // A dump is asked for right behind a memory. When it comes alone, the board knows no such question.
        if let (Some(pending), Message::BoardDump(_)) = (&mut self.pending, message)
            && pending.command == Command::SendEepromMoves
        {
            pending.until = pending.until.min(now + ANSWER_TIMEOUT);
        }
        std::mem::take(&mut self.is_silence_reported)
    }

    /// When [`QuestionQueue::tick`] has something to do. `wanted`: when a dump is wanted.
    pub fn deadline(&self, wanted: Option<Millis>) -> Option<Millis> {
        if !self.is_link_up {
            return None;
        }
        let asks = match &self.pending {
            Some(pending) => pending.until,
            None if !self.queue.is_empty() => self.wait_until,
            None => {
                let keep_alive = self.last_probe + KEEP_ALIVE_INTERVAL;
                let wanted = self.dump_at(wanted).into_iter().chain(self.clock_at());
                wanted.fold(keep_alive, Millis::min).max(self.wait_until)
            }
        };
        Some(self.reopen_at.map_or(asks, |reopen| reopen.min(asks)))
    }

    /// Is an answer due?
    pub fn is_asking(&self) -> bool {
        self.pending.is_some()
    }

    /// When a dump is due. `wanted`: when one is wanted.
    fn dump_at(&self, wanted: Option<Millis>) -> Option<Millis> {
        match (self.is_identified, self.never_dumps) {
            (false, _) => None,
            (true, false) => wanted,
            (true, true) => {
                let wait = Millis(MIN_DUMP_RETRY.0 << self.unanswered_dumps.saturating_sub(MAX_IGNORED_DUMPS).min(8))
                    .min(MAX_DUMP_RETRY);
                Some(self.dump_asked_at + wait)
            }
        }
    }

    /// When the clock is to be asked for, of a board that does not speak of it by itself.
    fn clock_at(&self) -> Option<Millis> {
        let asks = self.is_identified && self.update_command == Command::SendUpdateBoard;
        asks.then_some(self.clock_asked_at + CLOCK_INTERVAL)
    }

    /// Asks what is due.
    pub fn tick(&mut self, now: Millis, wanted: Option<Millis>) -> Vec<QueueAction> {
        let mut turns = Vec::new();
        if self.deadline(wanted).is_none_or(|deadline| deadline > now) {
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
        let is_wanted = self.dump_at(wanted).is_some_and(|wanted| wanted <= now);
        if self.clock_at().is_some_and(|at| at <= now) && !self.queue.contains(&Command::SendClock) {
            self.queue.push_back(Command::SendClock);
        }
        let is_probe_due = self.is_identified && !is_kept_alive;
        if self.queue.is_empty() && is_kept_alive && !is_wanted {
            return turns;
        }
        if self.is_identified && self.update_sent_at.is_none_or(|told| told + KEEP_ALIVE_INTERVAL <= now) {
            // A board that lost its power meanwhile has forgotten that it is to report changes.
            turns.push(QueueAction::Send(self.update_command.clone()));
            self.update_sent_at = Some(now);
            // And where one board is expected, another may have been put at the end of its cable.
            self.queue.extend(self.identify.clone().filter(|question| !self.queue.contains(question)));
        }
        let probe = if is_wanted { Command::SendBoard } else { self.probe() };
        let front = self.queue.front();
        let is_next = !(is_wanted || is_probe_due)
            || front == Some(&probe)
            || front.is_some() && front == self.last_check.as_ref();
        let next = if is_next { self.queue.pop_front() } else { None };
        let command = next.unwrap_or_else(|| probe.clone());
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
        self.pending = Some(Pending { command: command.clone(), since: now, until: now + patience });
        turns.push(QueueAction::Send(command));
        if is_memory {
            self.last_probe = now;
            turns.push(QueueAction::Send(Command::SendBoard));
        }
        turns
    }

    /// A question was not answered.
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
        let probe = self.last_check.clone().unwrap_or_else(|| self.probe());
        if self.queue.front() != Some(&probe) {
            self.queue.push_front(probe);
        }
        // Who the board is and what it remembers may stay unknown; what stands on it may not.
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
        let most = self.silent_questions();
        if self.unanswered < most || self.never_answers(now) {
            return Vec::new();
        }
        let patience = Millis(ANSWER_TIMEOUT.0 << self.unanswered.min(4)).0.min(MAX_RETRY_INTERVAL.0);
        self.wait_until = now + Millis(patience - ANSWER_TIMEOUT.0.min(patience));
        if self.unanswered > most {
            return Vec::new();
        }
        self.reopen_at = Some(if self.has_answered { now } else { now + self.reopen_wait() });
        let is_news = !std::mem::replace(&mut self.is_silence_reported, true);
        let mut turns = Vec::new();
        if is_news {
            turns.push(QueueAction::BoardSilent);
        }
        turns
    }

    /// After so many questions without an answer it counts as silent. A player may think meanwhile.
    fn silent_questions(&self) -> u32 {
        MAX_UNANSWERED + u32::from(self.has_reported)
    }

    /// Has it reported a while ago, and never answered anything? Then its silence may be a player who thinks.
    fn never_answers(&mut self, now: Millis) -> bool {
        let is_taciturn = (self.never_dumps || self.has_reported && !self.has_dumped)
            && self.answered_question.is_none()
            && self.last_message_at.is_some_and(|at| now < at + MAX_SILENCE_WITHOUT_ANSWERS);
        if is_taciturn {
            // It is asked again with the next sign of life, or as rarely as an idle board.
            self.queue.retain(|command| *command != Command::SendBoard);
            self.unanswered = 0;
        }
        is_taciturn
    }

    fn reopen_wait(&self) -> Millis {
        Millis(FIRST_REOPEN_WAIT.0 << self.reopen_count.min(2))
    }

    /// The question that a board must answer.
    fn probe(&self) -> Command {
        match (&self.identify, &self.answered_question) {
            (Some(question), _) if !self.is_identified => question.clone(),
            (_, Some(question)) if self.never_dumps => question.clone(),
            _ => Command::SendBoard,
        }
    }
}

/// Is this message what the command asks for?
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
