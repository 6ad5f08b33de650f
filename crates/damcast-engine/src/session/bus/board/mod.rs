//! One board of a bus: whether it answers, and which question it gets when.
//!
//! ```text
//!               answers                          two questions unanswered
//!   Absent ───────────────▸ Present ───────────────────────────────────────▸ Absent
//!     └─ ping, increasingly   └─ changes and a dump; then changes repeatedly, and other questions as time permits
//!        rarely
//! ```
//!
//! [`reports`] interprets its answers; [`late_start`] finds a game that began before the first poll. A dump is requested
//! when
//!
//! - the contents of the board are unknown: at first, and after an absence;
//! - the line was disturbed since the last dump: seven bits of checksum miss one damage in 128;
//! - no legal move explains the board;
//! - a move needs confirmation or no dump came for long, and the line has time to spare.

mod late_start;
mod reports;

use std::collections::VecDeque;

use chrono::{DateTime, FixedOffset};

use super::line_budget::{LineBudget, wire_time};
use crate::millis::Millis;
use crate::protocol::bus::{COMMAND_LEN, MIN_ANSWER_LEN};
use crate::protocol::changes::{self, MemoryEvent};
use crate::protocol::{BusAnswer, BusCommand};
use crate::session::catchup::BoardSession;
use crate::session::catchup::late_start::LateStart;
use crate::session::request::OperatorCommand;
use crate::session::table::{Attention, Table};
use crate::session::wait::LineWait;
use crate::session::{BusSettings, Condition, Effect, LineSettings, Status};
use reports::Reports;

/// First wait between pings of an absent board; later waits are longer.
const MIN_ABSENT_WAIT: Millis = Millis(250);
/// Longest wait between pings of an absent board. Limits the time to notice its return, unless many absent boards share the
/// line.
const MAX_ABSENT_WAIT: Millis = Millis::seconds(3);
/// Unanswered pings before the operator's notice. The first ping may only return the board to bus mode.
const PINGS_BEFORE_ABSENT_NOTICE: u32 = 3;
/// Unanswered questions in a row that make a board absent.
const MAX_MISSED_ANSWERS: u32 = 2;
/// Damaged answers in a row that make a board absent, so that it does not occupy the line in vain.
const MAX_DAMAGED_ANSWERS: u32 = 4;
/// Unanswered dump requests in a row before the operator's notice, when the board answers other questions.
const DUMPS_BEFORE_NOTICE: u32 = 4;
/// Minimum interval between polls for a due decision.
const MIN_POLL_INTERVAL: Millis = Millis(20);
/// Maximum delay of an answer beyond its deadline; longer than stalls of serial-port servers and radio links.
const MAX_ANSWER_DELAY: Millis = Millis::seconds(5);
/// Maximum wait for the press of a ply; afterwards a clock reading shows whether the clock still runs.
const MAX_PRESS_WAIT: Millis = Millis(1_500);
/// Interval of other clock readings, if the line has time.
const CLOCK_READ_INTERVAL: Millis = Millis::seconds(10);
/// Interval of dumps without particular cause, in case a report is missing.
const FULL_CHECK_INTERVAL: Millis = Millis::seconds(60);
/// Limit of reported kinds of unknown answers; each kind is reported once.
const MAX_UNKNOWN_NOTICES: usize = 8;

/// Whether a board answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// The board does not answer, or has not been polled yet.
    Absent { tries: u32 },
    /// The board answers.
    Present,
}

/// Source of the knowledge of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownFrom {
    /// The configuration lists the board.
    Expected,
    /// The board was found and has confirmed its address.
    Found,
    /// The board answered a ping to all, possibly garbled by a collision, and has not answered for itself yet.
    PingAnswer,
}

/// Board on a bus.
#[derive(Clone, Debug)]
pub struct BusBoard {
    session: BoardSession,
    /// Whether the board answers.
    pub presence: Presence,
    /// Source of the knowledge of the board.
    pub known_by: KnownFrom,
    /// Earliest time of the next question.
    pub next_question_at: Millis,
    asked_at: Millis,
    attention: Attention,
    /// Time of the next decision if nothing changes; an answer must be there by then.
    decision_due: Option<Millis>,
    questions: VecDeque<BusCommand>,
    missed_answers: u32,
    damaged_answers: u32,
    /// Absences caused by damaged answers since the last intact dump.
    absences_by_damage: u32,
    dumped_at: Option<Millis>,
    reports: Reports,
    /// Reports since the first poll, until the search for an earlier game is decided.
    first_events: Vec<MemoryEvent>,
    /// Whether the board has appeared but not shown its contents yet.
    is_new: bool,
    start_tags: u32,
    is_identified: bool,
    warned_absent: bool,
    unanswered_dumps: u32,
    reported_unknown: Vec<u8>,
}

impl BusBoard {
    /// Creates a board without any contact yet, to be pinged at once.
    pub fn new(settings: LineSettings, known_by: KnownFrom, now: Millis) -> BusBoard {
        let mut session = BoardSession::new(settings);
        session.late_start =
            if session.table.settings().finds_late_start { LateStart::Unknown } else { LateStart::None };
        BusBoard {
            session,
            first_events: Vec::new(),
            is_new: false,
            presence: Presence::Absent { tries: 0 },
            known_by,
            next_question_at: now,
            asked_at: now,
            attention: Attention::Idle,
            decision_due: None,
            questions: VecDeque::new(),
            missed_answers: 0,
            damaged_answers: 0,
            absences_by_damage: 0,
            dumped_at: None,
            reports: Reports::new(now),
            start_tags: 0,
            is_identified: false,
            warned_absent: false,
            unanswered_dumps: 0,
            reported_unknown: Vec::new(),
        }
    }

    /// Returns the table of the board.
    pub fn table(&self) -> &Table {
        &self.session.table
    }

    /// Sets the machine clock at a time of the line.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.session.set_clock(at, shown);
    }

    /// Prepares the first ping after the link came up.
    pub fn link_up(&mut self, now: Millis) {
        self.presence = Presence::Absent { tries: 0 };
        self.next_question_at = now;
    }

    /// Handles the loss of the link. `question`: the question to this board that was unanswered.
    pub fn link_down(&mut self, now: Millis, question: Option<BusCommand>) {
        self.on_absent(now);
        if question.is_some_and(is_consumed_once) {
            self.on_changes_lost(question);
        }
    }

    fn on_absent(&mut self, now: Millis) {
        self.presence = Presence::Absent { tries: 0 };
        (self.missed_answers, self.damaged_answers) = (0, 0);
        self.questions.retain(|question| *question == BusCommand::RepeatChanges);
        self.reports.on_absent();
        self.session.late_start.on_memory_timeout();
        let at = self.session.table_time(now);
        self.session.for_each_table(&mut Vec::new(), |table, _| table.set_link_up(at, false));
    }

    /// Whether the board answers.
    pub fn is_here(&self) -> bool {
        self.presence == Presence::Present
    }

    /// Whether the board is absent and has been pinged at least once.
    pub fn may_wait(&self) -> bool {
        matches!(self.presence, Presence::Absent { tries: 1.. })
    }

    /// Whether the board has been pinged and, if present, has answered its first questions.
    pub fn is_greeted(&self) -> bool {
        match self.presence {
            Presence::Absent { tries } => tries > 0,
            Presence::Present => self.questions.is_empty(),
        }
    }

    /// Returns the next question.
    pub fn next_question(&self) -> BusCommand {
        match self.presence {
            Presence::Absent { .. } => BusCommand::Ping,
            Presence::Present => self.questions.front().copied().unwrap_or(BusCommand::SendChanges),
        }
    }

    /// Returns the urgency of the next question: the waiting time, weighted by the activity. Every waiting board becomes the
    /// most urgent eventually.
    pub fn urgency(&self, now: Millis) -> u64 {
        let is_awaited = self.decision_due.is_some_and(|at| at <= now);
        let weight = match self.attention {
            // A memory read occupies the line for long.
            _ if self.questions.front() == Some(&BusCommand::SendFromStart)
                && matches!(self.session.late_start, LateStart::MemoryRequested(_)) =>
            {
                1
            }
            _ if !self.questions.is_empty() => 20,
            _ if is_awaited => 30,
            Attention::PlyComplete => 8,
            Attention::Touched => 3,
            Attention::Playing => 2,
            Attention::Idle => 1,
        };
        (now - self.asked_at).0 * weight
    }

    /// Records that a question was sent.
    pub fn on_question_sent(&mut self, now: Millis, command: BusCommand) {
        self.asked_at = now;
        if self.questions.front() == Some(&command) {
            self.questions.pop_front();
        }
    }

    /// Returns the maximum size of the answer in bytes, estimated from the time since the last poll.
    pub fn answer_size(&self, command: BusCommand, now: Millis) -> usize {
        /// More than one ply and its press.
        const EVENTS: usize = 60;
        /// Events of a busy hand and a blitz clock.
        const EVENTS_PER_SECOND: usize = 12;
        /// All pieces after the start tag, and a hundred lost events.
        const MEMORY: usize = 500;
        let seconds = self.reports.age(now).0 / 1_000;
        let events = usize::try_from(seconds).unwrap_or(usize::MAX).saturating_mul(EVENTS_PER_SECOND);
        let data = match command {
            BusCommand::SendChanges | BusCommand::RepeatChanges => {
                events.saturating_add(EVENTS).min(changes::MEMORY_SIZE)
            }
            BusCommand::SendBoard | BusCommand::SendBoard50Black => self.session.table.field_count(),
            BusCommand::SendFromStart => (self.reports.memory_bytes + MEMORY).min(changes::MEMORY_SIZE),
            _ => 8,
        };
        MIN_ANSWER_LEN + data
    }

    /// Handles an unanswered question.
    pub fn on_timeout(&mut self, now: Millis, command: BusCommand, effects: &mut Vec<Effect>) {
        if self.is_here() {
            self.missed_answers += 1;
            if command == BusCommand::SendBoard {
                self.unanswered_dumps = self.unanswered_dumps.saturating_add(1);
                if self.unanswered_dumps == DUMPS_BEFORE_NOTICE {
                    effects.push(Effect::Notice(
                        "the board answers, but never what stands on it (0x82); nothing of it is recorded until it does"
                            .to_owned(),
                    ));
                }
            }
            self.reports.is_suspect = true;
            if is_consumed_once(command) {
                self.reports.late_answer_until = now + MAX_ANSWER_DELAY;
            }
            if command == BusCommand::SendFromStart {
                self.next_question_at = now;
                self.session.late_start.on_memory_timeout();
                self.trust_dump_only(now, effects);
            } else {
                self.queue_again(now, command, self.missed_answers >= MAX_MISSED_ANSWERS);
            }
        } else {
            self.on_still_absent(now, "the board does not answer; is it switched on and on the bus?", effects);
        }
    }

    /// Handles a damaged answer: the board is present and must repeat it. If all answers are damaged, two boards probably
    /// answer at once; the board becomes absent so that it does not occupy the line.
    pub fn on_damaged_answer(&mut self, now: Millis, command: BusCommand, effects: &mut Vec<Effect>) {
        const NOTICE: &str = "what the board answers is damaged all the time; do two boards go by this address?";
        self.reports.is_suspect = true;
        if !self.is_here() {
            return self.on_still_absent(now, NOTICE, effects);
        }
        self.damaged_answers += 1;
        if command == BusCommand::SendFromStart && matches!(self.session.late_start, LateStart::MemoryRequested(_)) {
            self.next_question_at = now;
            return self.session.late_start.on_memory_timeout();
        }
        self.queue_again(now, command, self.damaged_answers >= MAX_DAMAGED_ANSWERS);
        if !self.is_here() {
            // Two boards with identical answers look like one until a change on one of them.
            self.absences_by_damage = self.absences_by_damage.saturating_add(1);
            self.next_question_at = now + absent_wait(self.absences_by_damage);
            if self.absences_by_damage == PINGS_BEFORE_ABSENT_NOTICE {
                effects.push(Effect::Notice(NOTICE.to_owned()));
            }
        }
    }

    /// Counts another fruitless ping of an absent board.
    fn on_still_absent(&mut self, now: Millis, notice: &str, effects: &mut Vec<Effect>) {
        let Presence::Absent { tries } = self.presence else { return };
        let tries = tries.saturating_add(1);
        self.presence = Presence::Absent { tries };
        self.next_question_at = now + absent_wait(tries);
        if tries == PINGS_BEFORE_ABSENT_NOTICE && !self.warned_absent && self.known_by != KnownFrom::PingAnswer {
            self.warned_absent = true;
            effects.push(Effect::Notice(notice.to_owned()));
        }
    }

    /// Marks the reports as suspect, because the line was disturbed during an exchange with this board.
    pub fn mark_suspect(&mut self) {
        self.reports.is_suspect = true;
    }

    fn queue_again(&mut self, now: Millis, command: BusCommand, is_enough: bool) {
        self.next_question_at = now;
        if !self.is_here() {
            return;
        }
        if is_enough {
            self.on_absent(now);
        }
        if is_consumed_once(command) {
            self.on_changes_lost(Some(command));
        } else if !is_enough {
            self.questions.push_front(command);
        }
    }

    /// Requests a repetition of lost changes, after the return of the board if necessary.
    fn on_changes_lost(&mut self, question: Option<BusCommand>) {
        if question == Some(BusCommand::SendChanges) {
            self.reports.lost_at = self.asked_at;
        }
        self.questions.push_front(BusCommand::RepeatChanges);
    }

    /// Handles an answer. `question`: the question it belongs to, if any.
    pub fn on_answer(
        &mut self,
        now: Millis,
        question: Option<BusCommand>,
        answer: &BusAnswer,
        bus: &BusSettings,
        usage: &mut LineBudget,
        effects: &mut Vec<Effect>,
    ) {
        (self.missed_answers, self.damaged_answers) = (0, 0);
        if !self.is_here() {
            self.on_present(effects);
        }
        match answer {
            BusAnswer::Changes(data) => {
                self.on_changes(now, question, data, bus, effects);
                if data.is_empty() && question != Some(BusCommand::RepeatChanges) {
                    self.on_no_changes(now, usage, effects);
                }
                if self.questions.is_empty() {
                    let wish = self.extra_question(now, bus, usage);
                    self.questions.extend(wish);
                }
            }
            BusAnswer::Board(codes) | BusAnswer::Board50Black(codes) => {
                self.unanswered_dumps = 0;
                self.on_full_board(now, codes, effects);
            }
            BusAnswer::Clock(report) => self.on_clock(now, *report, effects),
            BusAnswer::FromStart(data) => {
                usage.note_memory_read(now, data.len());
                self.on_memory(now, data, effects);
            }
            BusAnswer::Version(version) => {
                self.is_identified = true;
                effects.push(Effect::Note(format!("version {version}")));
            }
            BusAnswer::StartWritten => effects.push(Effect::Note("the board has noted the start of a game".to_owned())),
            BusAnswer::Ping => {}
            BusAnswer::Unknown { id, data, reason } => {
                if !self.reported_unknown.contains(&id.0) && self.reported_unknown.len() < MAX_UNKNOWN_NOTICES {
                    self.reported_unknown.push(id.0);
                    effects.push(Effect::Note(format!("unknown answer {id} of {} bytes: {reason}", data.len())));
                }
            }
        }
        self.schedule(now, bus);
    }

    /// Prepares the first questions to a board that answers: the changes and a dump.
    fn on_present(&mut self, effects: &mut Vec<Effect>) {
        self.presence = Presence::Present;
        self.is_new = true;
        self.session.for_each_table(&mut Vec::new(), |table, _| table.resume_from_memory());
        self.reports.on_present();
        if std::mem::take(&mut self.warned_absent) {
            effects.push(Effect::Info("the board answers again".to_owned()));
        }
        if self.known_by == KnownFrom::PingAnswer {
            self.known_by = KnownFrom::Found;
            let notice = "a board that the configuration does not name was found and is recorded";
            effects.push(Effect::Notice(notice.to_owned()));
        }
        self.questions.extend([BusCommand::SendChanges, BusCommand::SendBoard]);
    }

    /// Handles an answer without changes, which confirms the known contents unless a dump is needed.
    fn on_no_changes(&mut self, now: Millis, usage: &mut LineBudget, effects: &mut Vec<Effect>) {
        if self.is_state_unknown() || self.is_in_doubt(now) || !self.wants_dump(now) {
            return;
        }
        if usage.spend(now, self.dump_time()) {
            self.questions.push_back(BusCommand::SendBoard);
        } else {
            let at = self.session.table_time(now);
            self.session.for_each_table(effects, |table, _| table.on_no_changes(at));
            self.decide(now, effects);
        }
    }

    fn wants_dump(&self, now: Millis) -> bool {
        let now = self.session.table_time(now);
        self.session.tables().filter_map(Table::wants_dump_at).any(|at| at <= now)
    }

    fn is_in_doubt(&self, now: Millis) -> bool {
        self.session.table.is_unexplained(self.session.table_time(now))
    }

    fn dump_time(&self) -> Millis {
        wire_time(COMMAND_LEN + MIN_ANSWER_LEN + self.session.table.field_count())
    }

    /// Returns an additional question once the changes are known.
    fn extra_question(&mut self, now: Millis, bus: &BusSettings, usage: &mut LineBudget) -> Option<BusCommand> {
        const CLOCK_BYTES: usize = COMMAND_LEN + MIN_ANSWER_LEN + 7;
        const VERSION_BYTES: usize = COMMAND_LEN + MIN_ANSWER_LEN + 2;
        if self.reports.is_clock_unsure {
            return Some(BusCommand::SendClock);
        }
        let needs_dump = self.session.table.fields().is_none() || self.reports.is_suspect;
        if needs_dump || (self.is_in_doubt(now) && self.wants_dump(now)) {
            return Some(BusCommand::SendBoard);
        }
        let age = self.session.clock.age(self.session.table_time(now));
        let quiet = self.session.quiet_time(now);
        let is_touched = self.attention() >= Attention::Touched && self.session.clock.is_running();
        let is_unknown = age.is_none() || !self.session.clock.is_sure() || self.session.clock.has_possible_start();
        if is_unknown || (is_touched && quiet > MAX_PRESS_WAIT && age > Some(quiet)) {
            return Some(BusCommand::SendClock);
        }
        if bus.start_tag && self.session.table.games_begun() > self.start_tags {
            self.start_tags = self.session.table.games_begun();
            self.reports.memory_bytes = 0;
            return Some(BusCommand::SetStartGame);
        }
        if age > Some(CLOCK_READ_INTERVAL) && usage.spend(now, wire_time(CLOCK_BYTES)) {
            return Some(BusCommand::SendClock);
        }
        if !self.is_identified && usage.spend(now, wire_time(VERSION_BYTES)) {
            return Some(BusCommand::SendVersion);
        }
        if usage.can_read_memory(now) && self.session.late_start.take_memory_request() {
            usage.note_memory_read(now, changes::MEMORY_SIZE);
            return Some(BusCommand::SendFromStart);
        }
        let is_long_ago = self.dumped_at.is_none_or(|dumped| now - dumped > FULL_CHECK_INTERVAL);
        (is_long_ago && usage.spend(now, self.dump_time())).then_some(BusCommand::SendBoard)
    }

    fn schedule(&mut self, now: Millis, bus: &BusSettings) {
        let regular = self.asked_at + Millis(bus.poll_ms);
        self.attention = self.attention();
        let awaited = self
            .session
            .tables()
            .flat_map(|table| table.deadline().map(|(at, _)| at).into_iter().chain(table.wants_dump_at()))
            .min();
        self.decision_due = awaited.map(|at| self.session.line_time(at));
        self.next_question_at = if self.questions.is_empty() {
            let awaited = self.decision_due.map(|at| at.max(self.asked_at + MIN_POLL_INTERVAL));
            awaited.map_or(regular, |awaited| awaited.min(regular))
        } else {
            now
        };
    }

    /// Returns the highest attention of the table and the games beside it.
    fn attention(&self) -> Attention {
        self.session.tables().map(Table::attention).max().unwrap_or(Attention::Idle)
    }

    /// Handles an operator's request.
    pub fn request(&mut self, now: Millis, wish: &OperatorCommand, bus: &BusSettings) -> Vec<Effect> {
        let mut effects = self.session.request(now, wish);
        if !self.needs_answers() {
            self.decide(now, &mut effects);
        }
        if self.is_here() {
            self.schedule(now, bus);
        }
        effects
    }

    /// Returns the effects that may pass; buffers publications while the hold lasts.
    pub fn filter(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        self.session.hold.filter(effects)
    }

    /// Returns the state for people.
    pub fn status(&self) -> Status {
        let status = self.session.table.status();
        let is_held = self.session.hold.is_holding();
        let is_silent = !self.is_here() && !self.session.table.is_entry_on();
        let condition = if is_silent { Condition::NoAnswer } else { status.condition };
        let offers = self.session.late_start.describe_offer(&self.session.table).filter(|_| self.is_here());
        let state = offers.map_or(status.state, str::to_owned);
        let state = if is_held { format!("held back: {state}") } else { state };
        let start_problem = status.start_problem.filter(|_| offers.is_none());
        let unexplained = status.unexplained.filter(|_| condition == Condition::Unexplained);
        let pending_entry = self.session.waiting(status.pending_entry);
        Status { condition, is_held, state, start_problem, pending_entry, unexplained, ..status }
    }

    /// Whether decisions wait for answers of the board: not for those of an absent one, nor while people enter its moves.
    fn needs_answers(&self) -> bool {
        self.is_here() && !self.session.table.is_entry_on()
    }

    /// Returns the deadline of a board whose decisions need no answer: for example, the operator's result.
    pub fn absent_deadline(&self) -> Option<(Millis, LineWait)> {
        let deadline = || self.session.table.deadline().map(|(at, wait)| (self.session.line_time(at), wait));
        if self.needs_answers() { None } else { deadline() }
    }

    /// Runs due decisions, unless lost reports leave the state unknown.
    pub fn decide(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        if !self.is_state_unknown() || !self.needs_answers() {
            let at = self.session.advance(now);
            self.session.table.note_known_until(at);
            effects.extend(self.session.table.decide(at));
            self.session.late_start.for_each_table(|table, _| table.note_known_until(at));
            effects.extend(self.session.decide_late(at));
        }
    }

    fn is_state_unknown(&self) -> bool {
        self.is_here() && self.reports.are_unconfirmed()
    }
}

/// Returns the wait after this many fruitless pings.
fn absent_wait(tries: u32) -> Millis {
    Millis(MIN_ABSENT_WAIT.0 << tries.min(16)).min(MAX_ABSENT_WAIT)
}

/// Whether the board delivers the answer only once.
fn is_consumed_once(command: BusCommand) -> bool {
    matches!(command, BusCommand::SendChanges | BusCommand::RepeatChanges)
}
