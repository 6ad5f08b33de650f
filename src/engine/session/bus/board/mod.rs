//! One board of a bus: whether it answers, what it is asked, and when.
//!
//! ```text
//!             answers                        two questions unanswered
//!   Away ───────────────▸ Here ───────────────────────────────────────▸ Away
//!    └─ ping, ever more    └─ changes and a dump; then changes again and again, and what else there is time for
//!       rarely
//! ```
//!
//! What its answers mean for its games stands in [`reports`], and a game that began before anybody asked in [`beginning`]. A dump is asked for when
//!
//! - nothing else tells what stands on the board: at first, and after it was away;
//! - the line was disturbed since the last one: seven bits of checksum let one damage in 128 pass;
//! - nothing legal explains what is seen;
//! - a move is to be confirmed, or nothing was asked for long, and the line has time to spare.

mod late_start;
mod reports;

use std::collections::VecDeque;

use chrono::{DateTime, FixedOffset};

use super::line_budget::{LineBudget, wire_time};
use crate::engine::millis::Millis;
use crate::engine::protocol::bus::{COMMAND_LEN, MIN_ANSWER_LEN};
use crate::engine::protocol::changes::{self, MemoryEvent};
use crate::engine::protocol::{BusAnswer, BusCommand};
use crate::engine::session::catchup::BoardSession;
use crate::engine::session::catchup::late_start::LateStart;
use crate::engine::session::request::OperatorCommand;
use crate::engine::session::table::{Attention, Table};
use crate::engine::session::wait::LineWait;
use crate::engine::session::{BusSettings, Condition, Effect, LineSettings, Status};
use reports::Reports;

/// A board that is away is pinged again after this, then after ever longer waits.
const MIN_ABSENT_WAIT: Millis = Millis(250);
/// A board that was plugged in again is seen within this, where few are away: all of them share a small part of the line.
const MAX_ABSENT_WAIT: Millis = Millis::seconds(3);
/// Pings without an answer after which the operator is told. The first may only have brought the board back into bus mode.
const PINGS_BEFORE_ABSENT_NOTICE: u32 = 3;
/// Questions in a row without an answer after which a board is away.
const MAX_MISSED_ANSWERS: u32 = 2;
/// Damaged answers in a row after which it is away: it would keep the line busy for nothing.
const MAX_DAMAGED_ANSWERS: u32 = 4;
/// Questions in a row for what stands on it, not answered by a board that answers others, after which the operator is told.
const DUMPS_BEFORE_NOTICE: u32 = 4;
/// A decision that is due does not make a board be asked more often than this.
const MIN_POLL_INTERVAL: Millis = Millis(20);
/// An answer may come so much later than it is waited for; longer than a serial-port server or a radio link stalls.
const MAX_ANSWER_DELAY: Millis = Millis::seconds(5);
/// A ply that nobody has pressed for after so long may never be: the clock tells whether it still runs.
const MAX_PRESS_WAIT: Millis = Millis(1_500);
/// How often a clock is read otherwise, if the line has time for it.
const CLOCK_READ_INTERVAL: Millis = Millis::seconds(10);
/// How often the whole board is looked at though nothing asks for it: a report may never have been made.
const FULL_CHECK_INTERVAL: Millis = Millis::seconds(60);
/// Answers of a kind that nobody knows are told once each, up to so many kinds.
const MAX_UNKNOWN_NOTICES: usize = 8;

/// Whether a board answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It does not, or has not been asked yet.
    Absent {
        /// Pings without an answer.
        tries: u32,
    },
    /// It does.
    Present,
}

/// How a board came to be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownFrom {
    /// The configuration names it.
    Expected,
    /// It was found.
    Found,
    /// An answer to a ping to all says so; until it answers for itself, that may have been a collision.
    PingAnswer,
}

/// A board on a bus.
#[derive(Clone, Debug)]
pub struct BusBoard {
    /// Its games.
    session: BoardSession,
    /// Whether it answers.
    pub presence: Presence,
    /// How it came to be known.
    pub known_by: KnownFrom,
    /// When it may be asked next.
    pub next_question_at: Millis,
    asked_at: Millis,
    /// What is going on on it.
    attention: Attention,
    /// When what is seen will be decided about, if nothing changes: then an answer has to be there.
    decision_due: Option<Millis>,
    questions: VecDeque<BusCommand>,
    /// Questions in a row that were not answered.
    missed_answers: u32,
    /// Answers in a row that were damaged.
    damaged_answers: u32,
    /// How often it was given up for that since a dump of it came through.
    absences_by_damage: u32,
    dumped_at: Option<Millis>,
    reports: Reports,
    /// What it has reported since it was first asked, until it is known whether a game began before.
    first_events: Vec<MemoryEvent>,
    /// It has come, and not shown yet what stands on it.
    is_new: bool,
    /// Games that have their start tag.
    start_tags: u32,
    is_identified: bool,
    warned_absent: bool,
    /// Questions in a row for what stands on it that were not answered.
    unanswered_dumps: u32,
    reported_unknown: Vec<u8>,
}

impl BusBoard {
    /// A board that has not been heard of yet, to be pinged at once.
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

    /// Its games.
    pub fn table(&self) -> &Table {
        &self.session.table
    }

    /// From a time on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.session.set_clock(at, shown);
    }

    /// The link came up: is the board there?
    pub fn link_up(&mut self, now: Millis) {
        self.presence = Presence::Absent { tries: 0 };
        self.next_question_at = now;
    }

    /// The link went away, with an answer to `asked` under way perhaps.
    pub fn link_down(&mut self, now: Millis, asked: Option<BusCommand>) {
        self.on_absent(now);
        if asked.is_some_and(is_consumed_once) {
            self.on_changes_lost(asked);
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

    /// Does it answer?
    pub fn is_here(&self) -> bool {
        self.presence == Presence::Present
    }

    /// Is it away, and was that so when it was last asked?
    pub fn may_wait(&self) -> bool {
        matches!(self.presence, Presence::Absent { tries: 1.. })
    }

    /// Has it been pinged, and if it answered, been asked what stands on it?
    pub fn is_greeted(&self) -> bool {
        match self.presence {
            Presence::Absent { tries } => tries > 0,
            Presence::Present => self.questions.is_empty(),
        }
    }

    /// What it is to be asked now.
    pub fn next_question(&self) -> BusCommand {
        match self.presence {
            Presence::Absent { .. } => BusCommand::Ping,
            Presence::Present => self.questions.front().copied().unwrap_or(BusCommand::SendChanges),
        }
    }

    /// How much it matters that it is asked now: how long it has waited, for what is going on on it. Whoever waits becomes
    /// the most urgent in the end.
    pub fn urgency(&self, now: Millis) -> u64 {
        let is_awaited = self.decision_due.is_some_and(|at| at <= now);
        let weight = match self.attention {
            // A memory holds the line for long.
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

    /// It has been asked something.
    pub fn on_question_sent(&mut self, now: Millis, command: BusCommand) {
        self.asked_at = now;
        if self.questions.front() == Some(&command) {
            self.questions.pop_front();
        }
    }

    /// How many bytes its answer may have, at most, to judge by how long it was not asked.
    pub fn answer_size(&self, command: BusCommand, now: Millis) -> usize {
        /// More than one ply and its press.
        const EVENTS: usize = 60;
        /// A busy hand and a clock in a blitz.
        const EVENTS_PER_SECOND: usize = 12;
        /// All pieces after the start tag, and a hundred events that were lost.
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

    /// It has not answered.
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

    /// What came in answer to this was damaged: it is there, and says it again. Where nothing else ever comes, two boards answer
    /// at once, and both would keep the line busy for nothing.
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
            // Two boards that answer alike are one, until something happens on one of them.
            self.absences_by_damage = self.absences_by_damage.saturating_add(1);
            self.next_question_at = now + absent_wait(self.absences_by_damage);
            if self.absences_by_damage == PINGS_BEFORE_ABSENT_NOTICE {
                effects.push(Effect::Notice(NOTICE.to_owned()));
            }
        }
    }

    /// It is away, and has been pinged in vain.
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

    /// The line was disturbed while this board had the word.
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

    /// Changes that were handed out and got lost are asked for again, if need be when the board is back.
    fn on_changes_lost(&mut self, asked: Option<BusCommand>) {
        if asked == Some(BusCommand::SendChanges) {
            self.reports.lost_at = self.asked_at;
        }
        self.questions.push_front(BusCommand::RepeatChanges);
    }

    /// It has said something, in answer to `asked` if that was the question.
    pub fn on_answer(
        &mut self,
        now: Millis,
        asked: Option<BusCommand>,
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
                self.on_changes(now, asked, data, bus, effects);
                if data.is_empty() && asked != Some(BusCommand::RepeatChanges) {
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
            BusAnswer::Unknown { id, data, reason: why } => {
                if !self.reported_unknown.contains(&id.0) && self.reported_unknown.len() < MAX_UNKNOWN_NOTICES {
                    self.reported_unknown.push(id.0);
                    effects.push(Effect::Note(format!("unknown answer {id} of {} bytes: {why}", data.len())));
                }
            }
        }
        self.schedule(now, bus);
    }

    /// It answers: what happened in the meantime, and what stands on it?
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

    /// The board says that nothing has changed: that confirms what is seen, unless a dump shall.
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

    /// What else it should be asked, now that its changes are known.
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

    /// How closely it has to be watched: a game beside the table is played as well.
    fn attention(&self) -> Attention {
        self.session.tables().map(Table::attention).max().unwrap_or(Attention::Idle)
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, wish: &OperatorCommand, bus: &BusSettings) -> Vec<Effect> {
        let mut effects = self.session.request(now, wish);
        if !self.is_here() {
            self.decide(now, &mut effects);
        } else {
            self.schedule(now, bus);
        }
        effects
    }

    /// What of this is not held back by the operator.
    pub fn filter(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        self.session.hold.filter(effects)
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let status = self.session.table.status();
        let is_held = self.session.hold.is_holding();
        let condition = if self.is_here() { status.condition } else { Condition::NoAnswer };
        let offers = self.session.late_start.describe_offer(&self.session.table).filter(|_| self.is_here());
        let state = offers.map_or(status.state, str::to_owned);
        let state = if is_held { format!("held back: {state}") } else { state };
        let wrong_start = status.start_problem.filter(|_| offers.is_none());
        let doubt = status.unexplained.filter(|_| condition == Condition::Unexplained);
        let waits = self.session.waiting(status.pending_entry);
        Status {
            condition,
            is_held,
            state,
            start_problem: wrong_start,
            pending_entry: waits,
            unexplained: doubt,
            ..status
        }
    }

    /// When something is due without an answer: a board that is away can still get its result.
    pub fn absent_deadline(&self) -> Option<(Millis, LineWait)> {
        let deadline = || self.session.table.deadline().map(|(at, wait)| (self.session.line_time(at), wait));
        if self.is_here() { None } else { deadline() }
    }

    /// Decides what is due. Nothing is, while it is not known what was lost.
    pub fn decide(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        if !self.is_state_unknown() {
            let at = self.session.advance(now);
            self.session.table.is_known_until(at);
            effects.extend(self.session.table.decide(at));
            self.session.late_start.for_each_table(|table, _| table.is_known_until(at));
            effects.extend(self.session.decide_late(at));
        }
    }

    fn is_state_unknown(&self) -> bool {
        self.is_here() && self.reports.are_unconfirmed()
    }
}

/// How long a board that was pinged in vain so often is left alone.
fn absent_wait(tries: u32) -> Millis {
    Millis(MIN_ABSENT_WAIT.0 << tries.min(16)).min(MAX_ABSENT_WAIT)
}

/// Is the answer one that is handed out once?
fn is_consumed_once(command: BusCommand) -> bool {
    matches!(command, BusCommand::SendChanges | BusCommand::RepeatChanges)
}
