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
//! A board that was taken away without the link telling is missed after [`KEEP_ALIVE`] and three questions: 12.5 s.
//! Only the question for what stands on the board proves anything: boards that do not say who they are are none the worse. A
//! board that has proved not to answer it is held to what it does answer, and one that answers nothing to [`TACITURN`].
//!
//! Never sent: scan modes (they write the board's memory) and anything that is not listed here.

use std::collections::VecDeque;

use crate::engine::millis::Millis;
use crate::engine::protocol::{Command, Message};

/// A board answers within a dump's 110 ms and a scan's 250 ms; a radio link may be slower.
const ANSWER: Millis = Millis(1_500);
/// A full memory takes 8.3 s on the wire, and one read may bring all of it.
const MEMORY: Millis = Millis::seconds(10);
/// A board that does not answer is not asked more often than this.
const SLOWEST: Millis = Millis::seconds(24);
/// An idle board is asked this often whether it is still there.
const KEEP_ALIVE: Millis = Millis::seconds(8);
/// A board that reports its fields and not its clock is asked this often what the clock shows: a clock that runs is heard every
/// second.
const CLOCK_AGAIN: Millis = Millis::seconds(1);
/// After so many questions without an answer the operator is told.
const SILENT_QUESTIONS: u32 = 3;
/// A link on which nothing has ever answered is opened again after this, and later after twice and four times as long.
const REOPEN: Millis = Millis::seconds(15);
/// A board that spoke and did not answer so many questions for what stands on it, in a row, does not know that question. With
/// three, a quick game without a clock would be too many plies ahead by then.
const PROOF: u32 = 2;
/// Such a board is asked what stands on it all the same: after this, then after ever longer waits.
const DUMP_AGAIN: Millis = Millis::seconds(5);
const DUMP_AGAIN_LATEST: Millis = Millis::seconds(60);
/// A board that has reported moves and never answered anything may think for so long before it counts as silent.
const TACITURN: Millis = Millis::seconds(300);

/// A question that waits for its answer.
#[derive(Clone, Debug)]
struct Pending {
    command: Command,
    since: Millis,
    until: Millis,
}

/// The dialogue with one board.
#[derive(Clone, Debug)]
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
    /// When it last said anything.
    spoke_at: Option<Millis>,
    /// How many questions in a row for what stands on it were not answered although it spoke.
    ignored: u32,
    /// It has proved not to answer what stands on it. That outlives the link.
    is_without_dumps: bool,
    /// It has reported a change since the link came up.
    has_reported: bool,
    /// It has said what stands on it since the link came up.
    has_dumped: bool,
    /// When it was last asked what stands on it.
    dump_asked_at: Millis,
    /// When it was last asked what its clock shows.
    clock_asked_at: Millis,
    /// Another question that it does answer.
    answerable: Option<Command>,
    /// Asked before it counts as silent: it may be there and not answer what stands on it.
    check: Option<Command>,
    /// The command that makes it report changes. It outlives the link.
    update: Command,
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
    /// The board speaks, and does not answer what stands on it.
    NoDumps,
}

impl Dialogue {
    /// A dialogue whose link is not up yet. `identify`: the question that must be answered before all others.
    pub fn new(opening: Vec<Command>, identify: Option<Command>) -> Dialogue {
        Dialogue {
            opening,
            identify,
            is_known: false,
            up: false,
            to_ask: VecDeque::new(),
            pending: None,
            last_probe: Millis::ZERO,
            told_at: None,
            unanswered: 0,
            wait_until: Millis::ZERO,
            answered: false,
            silent: false,
            reopen_at: None,
            reopened: 0,
            spoke_at: None,
            ignored: 0,
            is_without_dumps: false,
            has_reported: false,
            has_dumped: false,
            dump_asked_at: Millis::ZERO,
            clock_asked_at: Millis::ZERO,
            answerable: None,
            check: None,
            update: Command::SendUpdateNice,
        }
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
        let mut turns = vec![Turn::Send(self.update.clone())];
        turns.extend(self.tick(now, None));
        turns
    }

    /// The board does not report what changes: the next command that may make it do so. `None`: there is no other.
    pub fn fall_back(&mut self, now: Millis) -> Option<Command> {
        self.update = match self.update {
            Command::SendUpdateNice => Command::SendUpdate,
            Command::SendUpdate => Command::SendUpdateBoard,
            _ => return None,
        };
        self.told_at = Some(now);
        Some(self.update.clone())
    }

    /// Does the board speak, and never answer what stands on it?
    pub fn is_without_dumps(&self) -> bool {
        self.is_without_dumps
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
        let (opening, identify) = (std::mem::take(&mut self.opening), self.identify.take());
        let (silent, reopened, is_without_dumps) = (self.silent, self.reopened, self.is_without_dumps);
        let update = self.update.clone();
        *self = Dialogue { silent, reopened, is_without_dumps, update, ..Dialogue::new(opening, identify) };
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
            (self.ignored, self.is_without_dumps, self.has_dumped) = (0, false, true);
        } else if self.is_known {
            // It was there all the time, and did not answer.
            self.ignored = self.ignored.saturating_add(self.unanswered);
        }
        self.spoke_at = Some(now);
        self.has_reported |= matches!(message, Message::FieldUpdate { .. });
        if self.unanswered > 0 && self.is_known {
            self.told_at = None;
            if !self.to_ask.contains(&Command::SendBoard) {
                self.to_ask.push_back(Command::SendBoard);
            }
        }
        self.answered = true;
        self.unanswered = 0;
        self.check = None;
        self.reopened = 0;
        self.reopen_at = None;
        self.wait_until = Millis::ZERO;
        if let Some(pending) = self.pending.take_if(|pending| answers(&pending.command, message))
            && !matches!(pending.command, Command::SendBoard | Command::SendEepromMoves)
        {
            self.answerable = Some(pending.command);
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
        match (self.is_known, self.is_without_dumps) {
            (false, _) => None,
            (true, false) => wanted,
            (true, true) => {
                let wait = Millis(DUMP_AGAIN.0 << self.ignored.saturating_sub(PROOF).min(8)).min(DUMP_AGAIN_LATEST);
                Some(self.dump_asked_at + wait)
            }
        }
    }

    /// When the clock is to be asked for, of a board that does not speak of it by itself.
    fn clock_at(&self) -> Option<Millis> {
        let asks = self.is_known && self.update == Command::SendUpdateBoard;
        asks.then_some(self.clock_asked_at + CLOCK_AGAIN)
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
            turns.extend(self.miss(now, &pending));
        }
        if self.pending.is_some() || self.wait_until > now {
            return turns;
        }
        let keep_alive = self.last_probe + KEEP_ALIVE;
        let is_kept_alive = keep_alive > now;
        let is_wanted = self.dump_at(wanted).is_some_and(|wanted| wanted <= now);
        if self.clock_at().is_some_and(|at| at <= now) && !self.to_ask.contains(&Command::SendClock) {
            self.to_ask.push_back(Command::SendClock);
        }
        let is_probe_due = self.is_known && !is_kept_alive;
        if self.to_ask.is_empty() && is_kept_alive && !is_wanted {
            return turns;
        }
        if self.is_known && self.told_at.is_none_or(|told| told + KEEP_ALIVE <= now) {
            // A board that lost its power meanwhile has forgotten that it is to report changes.
            turns.push(Turn::Send(self.update.clone()));
            self.told_at = Some(now);
            // And where one board is expected, another may have been put at the end of its cable.
            self.to_ask.extend(self.identify.clone().filter(|question| !self.to_ask.contains(question)));
        }
        let probe = if is_wanted { Command::SendBoard } else { self.probe() };
        let front = self.to_ask.front();
        let is_next =
            !(is_wanted || is_probe_due) || front == Some(&probe) || front.is_some() && front == self.check.as_ref();
        let next = if is_next { self.to_ask.pop_front() } else { None };
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
        let patience = if is_memory { MEMORY } else { ANSWER };
        self.pending = Some(Pending { command: command.clone(), since: now, until: now + patience });
        turns.push(Turn::Send(command));
        if is_memory {
            self.last_probe = now;
            turns.push(Turn::Send(Command::SendBoard));
        }
        turns
    }

    /// A question was not answered.
    fn miss(&mut self, now: Millis, missed: &Pending) -> Vec<Turn> {
        let spoke = self.is_known && self.spoke_at.is_some_and(|at| at >= missed.since);
        let is_dump = missed.command == Command::SendBoard;
        if is_dump {
            self.ignored = self.ignored.saturating_add(u32::from(spoke));
            if self.ignored >= PROOF && !std::mem::replace(&mut self.is_without_dumps, true) {
                return vec![Turn::NoDumps];
            }
            if self.is_without_dumps && (spoke || self.answerable.is_some()) {
                return Vec::new();
            }
        }
        let is_check = self.check.take_if(|check| *check == missed.command).is_some();
        if is_dump && !spoke && self.unanswered + 2 == self.silent_questions() {
            let is_simple = |command: &&Command| !matches!(command, Command::SendBoard | Command::SendClock);
            self.check = self.answerable.as_ref().or(self.opening.iter().find(is_simple)).cloned();
        }
        let probe = self.check.clone().unwrap_or_else(|| self.probe());
        if self.to_ask.front() != Some(&probe) {
            self.to_ask.push_front(probe);
        }
        // Who the board is and what it remembers may stay unknown; what stands on it may not.
        if missed.command != self.probe() && !is_check {
            return if missed.command == Command::SendEepromMoves { vec![Turn::NoMemory] } else { Vec::new() };
        }
        if is_dump && spoke {
            return Vec::new();
        }
        self.unanswered = self.unanswered.saturating_add(1);
        let most = self.silent_questions();
        if self.unanswered < most || self.is_taciturn(now) {
            return Vec::new();
        }
        let patience = Millis(ANSWER.0 << self.unanswered.min(4)).0.min(SLOWEST.0);
        self.wait_until = now + Millis(patience - ANSWER.0.min(patience));
        if self.unanswered > most {
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

    /// After so many questions without an answer it counts as silent. A player may think meanwhile.
    fn silent_questions(&self) -> u32 {
        SILENT_QUESTIONS + u32::from(self.has_reported)
    }

    /// Has it reported a while ago, and never answered anything? Then its silence may be a player who thinks.
    fn is_taciturn(&mut self, now: Millis) -> bool {
        let is_taciturn = (self.is_without_dumps || self.has_reported && !self.has_dumped)
            && self.answerable.is_none()
            && self.spoke_at.is_some_and(|at| now < at + TACITURN);
        if is_taciturn {
            // It is asked again with the next sign of life, or as rarely as an idle board.
            self.to_ask.retain(|command| *command != Command::SendBoard);
            self.unanswered = 0;
        }
        is_taciturn
    }

    fn reopen_wait(&self) -> Millis {
        Millis(REOPEN.0 << self.reopened.min(2))
    }

    /// The question that a board must answer.
    fn probe(&self) -> Command {
        match (&self.identify, &self.answerable) {
            (Some(question), _) if !self.is_known => question.clone(),
            (_, Some(question)) if self.is_without_dumps => question.clone(),
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
