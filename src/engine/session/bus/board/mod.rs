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

mod beginning;
mod reports;

use std::collections::VecDeque;

use chrono::{DateTime, FixedOffset};

use super::usage::{Usage, time_of};
use crate::engine::millis::Millis;
use crate::engine::protocol::bus::{COMMAND, SMALLEST_ANSWER};
use crate::engine::protocol::changes::{self, MemoryEvent};
use crate::engine::protocol::{BusAnswer, BusCommand};
use crate::engine::session::catchup::Games;
use crate::engine::session::catchup::late::Late;
use crate::engine::session::request::Wish;
use crate::engine::session::table::{Attention, Table};
use crate::engine::session::wait::LineWait;
use crate::engine::session::{BusSettings, Condition, Effect, LineSettings, Status};
use reports::Reports;

/// A board that is away is pinged again after this, then after ever longer waits.
const SHORTEST_AWAY: Millis = Millis(250);
/// A board that was plugged in again is seen within this, where few are away: all of them share a small part of the line.
const LONGEST_AWAY: Millis = Millis::seconds(3);
/// Pings without an answer after which the operator is told. The first may only have brought the board back into bus mode.
const TOLD_AWAY: u32 = 3;
/// Questions in a row without an answer after which a board is away.
const MOST_MISSED: u32 = 2;
/// Damaged answers in a row after which it is away: it would keep the line busy for nothing.
const MOST_DAMAGED: u32 = 4;
/// Questions in a row for what stands on it, not answered by a board that answers others, after which the operator is told.
const TOLD_UNDUMPED: u32 = 4;
/// A decision that is due does not make a board be asked more often than this.
const SHORTEST_POLL: Millis = Millis(20);
/// An answer may come so much later than it is waited for; longer than a serial-port server or a radio link stalls.
const LATE: Millis = Millis::seconds(5);
/// A ply that nobody has pressed for after so long may never be: the clock tells whether it still runs.
const NOT_PRESSED: Millis = Millis(1_500);
/// How often a clock is read otherwise, if the line has time for it.
const CLOCK_AGAIN: Millis = Millis::seconds(10);
/// How often the whole board is looked at though nothing asks for it: a report may never have been made.
const AUDIT: Millis = Millis::seconds(60);
/// Answers of a kind that nobody knows are told once each, up to so many kinds.
const MOST_UNKNOWN: usize = 8;

/// Whether a board answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It does not, or has not been asked yet.
    Away {
        /// Pings without an answer.
        tries: u32,
    },
    /// It does.
    Here,
}

/// How a board came to be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardOrigin {
    /// The configuration names it.
    Expected,
    /// It was found.
    Found,
    /// An answer to a ping to all says so; until it answers for itself, that may have been a collision.
    Rumoured,
}

/// A board on a bus.
#[derive(Clone, Debug)]
pub struct BusBoard {
    /// Its games.
    games: Games,
    /// Whether it answers.
    pub presence: Presence,
    /// How it came to be known.
    pub known_by: BoardOrigin,
    /// When it may be asked next.
    pub due: Millis,
    asked_at: Millis,
    /// What is going on on it.
    attention: Attention,
    /// When what is seen will be decided about, if nothing changes: then an answer has to be there.
    awaited: Option<Millis>,
    questions: VecDeque<BusCommand>,
    /// Questions in a row that were not answered.
    missed: u32,
    /// Answers in a row that were damaged.
    damaged: u32,
    /// How often it was given up for that since a dump of it came through.
    given_up: u32,
    dumped_at: Option<Millis>,
    reports: Reports,
    /// What it has reported since it was first asked, until it is known whether a game began before.
    first: Vec<MemoryEvent>,
    /// It has come, and not shown yet what stands on it.
    is_new: bool,
    /// Games that have their start tag.
    tagged: u32,
    is_identified: bool,
    told_away: bool,
    /// Questions in a row for what stands on it that were not answered.
    undumped: u32,
    told_unknown: Vec<u8>,
}

impl BusBoard {
    /// A board that has not been heard of yet, to be pinged at once.
    pub fn new(settings: LineSettings, known_by: BoardOrigin, now: Millis) -> BusBoard {
        let mut games = Games::new(settings);
        games.late = if games.table.settings().late_start { Late::Unknown } else { Late::None };
        BusBoard {
            games,
            first: Vec::new(),
            is_new: false,
            presence: Presence::Away { tries: 0 },
            known_by,
            due: now,
            asked_at: now,
            attention: Attention::Idle,
            awaited: None,
            questions: VecDeque::new(),
            missed: 0,
            damaged: 0,
            given_up: 0,
            dumped_at: None,
            reports: Reports::new(now),
            tagged: 0,
            is_identified: false,
            told_away: false,
            undumped: 0,
            told_unknown: Vec::new(),
        }
    }

    /// Its games.
    pub fn table(&self) -> &Table {
        &self.games.table
    }

    /// From a time on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.games.set_clock(at, shown);
    }

    /// The link came up: is the board there?
    pub fn link_up(&mut self, now: Millis) {
        self.presence = Presence::Away { tries: 0 };
        self.due = now;
    }

    /// The link went away, with an answer to `asked` under way perhaps.
    pub fn link_down(&mut self, now: Millis, asked: Option<BusCommand>) {
        self.leave(now);
        if asked.is_some_and(asks_for_changes) {
            self.lose_changes(asked);
        }
    }

    fn leave(&mut self, now: Millis) {
        self.presence = Presence::Away { tries: 0 };
        (self.missed, self.damaged) = (0, 0);
        self.questions.retain(|question| *question == BusCommand::RepeatChanges);
        self.reports.leave();
        self.games.late.miss_memory();
        let at = self.games.table_time(now);
        self.games.reach(&mut Vec::new(), |table, _| table.link(at, false));
    }

    /// Does it answer?
    pub fn is_here(&self) -> bool {
        self.presence == Presence::Here
    }

    /// Is it away, and was that so when it was last asked?
    pub fn may_wait(&self) -> bool {
        matches!(self.presence, Presence::Away { tries: 1.. })
    }

    /// Has it been pinged, and if it answered, been asked what stands on it?
    pub fn is_greeted(&self) -> bool {
        match self.presence {
            Presence::Away { tries } => tries > 0,
            Presence::Here => self.questions.is_empty(),
        }
    }

    /// What it is to be asked now.
    pub fn question(&self) -> BusCommand {
        match self.presence {
            Presence::Away { .. } => BusCommand::Ping,
            Presence::Here => self.questions.front().copied().unwrap_or(BusCommand::SendChanges),
        }
    }

    /// How much it matters that it is asked now: how long it has waited, for what is going on on it. Whoever waits becomes
    /// the most urgent in the end.
    pub fn urgency(&self, now: Millis) -> u64 {
        let is_awaited = self.awaited.is_some_and(|at| at <= now);
        let weight = match self.attention {
            // A memory holds the line for long.
            _ if self.questions.front() == Some(&BusCommand::SendFromStart)
                && matches!(self.games.late, Late::Asked(_)) =>
            {
                1
            }
            _ if !self.questions.is_empty() => 20,
            _ if is_awaited => 30,
            Attention::Landed => 8,
            Attention::Touched => 3,
            Attention::Playing => 2,
            Attention::Idle => 1,
        };
        (now - self.asked_at).0 * weight
    }

    /// It has been asked something.
    pub fn asked(&mut self, now: Millis, command: BusCommand) {
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
            BusCommand::SendChanges | BusCommand::RepeatChanges => events.saturating_add(EVENTS).min(changes::RING),
            BusCommand::SendBoard | BusCommand::SendBoard50Black => self.games.table.field_count(),
            BusCommand::SendFromStart => (self.reports.remembered + MEMORY).min(changes::RING),
            _ => 8,
        };
        SMALLEST_ANSWER + data
    }

    /// It has not answered.
    pub fn miss(&mut self, now: Millis, command: BusCommand, effects: &mut Vec<Effect>) {
        if self.is_here() {
            self.missed += 1;
            if command == BusCommand::SendBoard {
                self.undumped = self.undumped.saturating_add(1);
                if self.undumped == TOLD_UNDUMPED {
                    effects.push(Effect::Notice(
                        "the board answers, but never what stands on it (0x82); nothing of it is recorded until it does"
                            .to_owned(),
                    ));
                }
            }
            self.reports.is_suspect = true;
            if asks_for_changes(command) {
                self.reports.late_until = now + LATE;
            }
            if command == BusCommand::SendFromStart {
                self.due = now;
                self.games.late.miss_memory();
                self.give_up(now, effects);
            } else {
                self.ask_again(now, command, self.missed >= MOST_MISSED);
            }
        } else {
            self.stay_away(now, "the board does not answer; is it switched on and on the bus?", effects);
        }
    }

    /// What came in answer to this was damaged: it is there, and says it again. Where nothing else ever comes, two boards answer
    /// at once, and both would keep the line busy for nothing.
    pub fn garble(&mut self, now: Millis, command: BusCommand, effects: &mut Vec<Effect>) {
        const NOTICE: &str = "what the board answers is damaged all the time; do two boards go by this address?";
        self.reports.is_suspect = true;
        if !self.is_here() {
            return self.stay_away(now, NOTICE, effects);
        }
        self.damaged += 1;
        if command == BusCommand::SendFromStart && matches!(self.games.late, Late::Asked(_)) {
            self.due = now;
            return self.games.late.miss_memory();
        }
        self.ask_again(now, command, self.damaged >= MOST_DAMAGED);
        if !self.is_here() {
            // Two boards that answer alike are one, until something happens on one of them.
            self.given_up = self.given_up.saturating_add(1);
            self.due = now + wait_away(self.given_up);
            if self.given_up == TOLD_AWAY {
                effects.push(Effect::Notice(NOTICE.to_owned()));
            }
        }
    }

    /// It is away, and has been pinged in vain.
    fn stay_away(&mut self, now: Millis, notice: &str, effects: &mut Vec<Effect>) {
        let Presence::Away { tries } = self.presence else { return };
        let tries = tries.saturating_add(1);
        self.presence = Presence::Away { tries };
        self.due = now + wait_away(tries);
        if tries == TOLD_AWAY && !self.told_away && self.known_by != BoardOrigin::Rumoured {
            self.told_away = true;
            effects.push(Effect::Notice(notice.to_owned()));
        }
    }

    /// The line was disturbed while this board had the word.
    pub fn disturb(&mut self) {
        self.reports.is_suspect = true;
    }

    fn ask_again(&mut self, now: Millis, command: BusCommand, is_enough: bool) {
        self.due = now;
        if !self.is_here() {
            return;
        }
        if is_enough {
            self.leave(now);
        }
        if asks_for_changes(command) {
            self.lose_changes(Some(command));
        } else if !is_enough {
            self.questions.push_front(command);
        }
    }

    /// Changes that were handed out and got lost are asked for again, if need be when the board is back.
    fn lose_changes(&mut self, asked: Option<BusCommand>) {
        if asked == Some(BusCommand::SendChanges) {
            self.reports.lost_at = self.asked_at;
        }
        self.questions.push_front(BusCommand::RepeatChanges);
    }

    /// It has said something, in answer to `asked` if that was the question.
    pub fn hear(
        &mut self,
        now: Millis,
        asked: Option<BusCommand>,
        answer: &BusAnswer,
        bus: &BusSettings,
        usage: &mut Usage,
        effects: &mut Vec<Effect>,
    ) {
        (self.missed, self.damaged) = (0, 0);
        if !self.is_here() {
            self.come(effects);
        }
        match answer {
            BusAnswer::Changes(data) => {
                self.hear_changes(now, asked, data, bus, effects);
                if data.is_empty() && asked != Some(BusCommand::RepeatChanges) {
                    self.confirm(now, usage, effects);
                }
                if self.questions.is_empty() {
                    let wish = self.wish(now, bus, usage);
                    self.questions.extend(wish);
                }
            }
            BusAnswer::Board(codes) | BusAnswer::Board50Black(codes) => {
                self.undumped = 0;
                self.hear_board(now, codes, effects);
            }
            BusAnswer::Clock(report) => self.hear_clock(now, *report, effects),
            BusAnswer::FromStart(data) => {
                usage.read_memory(now, data.len());
                self.hear_memory(now, data, effects);
            }
            BusAnswer::Version(version) => {
                self.is_identified = true;
                effects.push(Effect::Note(format!("version {version}")));
            }
            BusAnswer::StartWritten => effects.push(Effect::Note("the board has noted the start of a game".to_owned())),
            BusAnswer::Ping => {}
            BusAnswer::Unknown { id, data, why } => {
                if !self.told_unknown.contains(&id.0) && self.told_unknown.len() < MOST_UNKNOWN {
                    self.told_unknown.push(id.0);
                    effects.push(Effect::Note(format!("unknown answer {id} of {} bytes: {why}", data.len())));
                }
            }
        }
        self.schedule(now, bus);
    }

    /// It answers: what happened in the meantime, and what stands on it?
    fn come(&mut self, effects: &mut Vec<Effect>) {
        self.presence = Presence::Here;
        self.is_new = true;
        self.games.reach(&mut Vec::new(), |table, _| table.link_to_memory());
        self.reports.come();
        if std::mem::take(&mut self.told_away) {
            effects.push(Effect::News("the board answers again".to_owned()));
        }
        if self.known_by == BoardOrigin::Rumoured {
            self.known_by = BoardOrigin::Found;
            let notice = "a board that the configuration does not name was found and is recorded";
            effects.push(Effect::Notice(notice.to_owned()));
        }
        self.questions.extend([BusCommand::SendChanges, BusCommand::SendBoard]);
    }

    /// The board says that nothing has changed: that confirms what is seen, unless a dump shall.
    fn confirm(&mut self, now: Millis, usage: &mut Usage, effects: &mut Vec<Effect>) {
        if self.is_in_the_dark() || self.is_in_doubt(now) || !self.wants_dump(now) {
            return;
        }
        if usage.spend(now, self.dump_time()) {
            self.questions.push_back(BusCommand::SendBoard);
        } else {
            let at = self.games.table_time(now);
            self.games.reach(effects, |table, _| table.unchanged(at));
            self.decide(now, effects);
        }
    }

    fn wants_dump(&self, now: Millis) -> bool {
        let now = self.games.table_time(now);
        self.games.tables().filter_map(Table::wants_dump_at).any(|at| at <= now)
    }

    fn is_in_doubt(&self, now: Millis) -> bool {
        self.games.table.is_in_doubt(self.games.table_time(now))
    }

    fn dump_time(&self) -> Millis {
        time_of(COMMAND + SMALLEST_ANSWER + self.games.table.field_count())
    }

    /// What else it should be asked, now that its changes are known.
    fn wish(&mut self, now: Millis, bus: &BusSettings, usage: &mut Usage) -> Option<BusCommand> {
        const CLOCK_BYTES: usize = COMMAND + SMALLEST_ANSWER + 7;
        const VERSION_BYTES: usize = COMMAND + SMALLEST_ANSWER + 2;
        if self.reports.is_clock_unsure {
            return Some(BusCommand::SendClock);
        }
        let needs_dump = self.games.table.fields().is_none() || self.reports.is_suspect;
        if needs_dump || (self.is_in_doubt(now) && self.wants_dump(now)) {
            return Some(BusCommand::SendBoard);
        }
        let age = self.games.clock.age(self.games.table_time(now));
        let quiet = self.games.quiet(now);
        let is_touched = self.attention() >= Attention::Touched && self.games.clock.is_running();
        let is_unknown = age.is_none() || !self.games.clock.is_sure() || self.games.clock.may_have_started();
        if is_unknown || (is_touched && quiet > NOT_PRESSED && age > Some(quiet)) {
            return Some(BusCommand::SendClock);
        }
        if bus.start_tag && self.games.table.begun() > self.tagged {
            self.tagged = self.games.table.begun();
            self.reports.remembered = 0;
            return Some(BusCommand::SetStartGame);
        }
        if age > Some(CLOCK_AGAIN) && usage.spend(now, time_of(CLOCK_BYTES)) {
            return Some(BusCommand::SendClock);
        }
        if !self.is_identified && usage.spend(now, time_of(VERSION_BYTES)) {
            return Some(BusCommand::SendVersion);
        }
        if usage.may_read_memory(now) && self.games.late.ask() {
            usage.read_memory(now, changes::RING);
            return Some(BusCommand::SendFromStart);
        }
        let is_long_ago = self.dumped_at.is_none_or(|dumped| now - dumped > AUDIT);
        (is_long_ago && usage.spend(now, self.dump_time())).then_some(BusCommand::SendBoard)
    }

    fn schedule(&mut self, now: Millis, bus: &BusSettings) {
        let regular = self.asked_at + Millis(bus.poll_ms);
        self.attention = self.attention();
        let awaited = self
            .games
            .tables()
            .flat_map(|table| table.deadline().map(|(at, _)| at).into_iter().chain(table.wants_dump_at()))
            .min();
        self.awaited = awaited.map(|at| self.games.line_time(at));
        self.due = if self.questions.is_empty() {
            let awaited = self.awaited.map(|at| at.max(self.asked_at + SHORTEST_POLL));
            awaited.map_or(regular, |awaited| awaited.min(regular))
        } else {
            now
        };
    }

    /// How closely it has to be watched: a game beside the table is played as well.
    fn attention(&self) -> Attention {
        self.games.tables().map(Table::attention).max().unwrap_or(Attention::Idle)
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, wish: &Wish, bus: &BusSettings) -> Vec<Effect> {
        let mut effects = self.games.request(now, wish);
        if !self.is_here() {
            self.decide(now, &mut effects);
        } else {
            self.schedule(now, bus);
        }
        effects
    }

    /// What of this is not held back by the operator.
    pub fn pass(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        self.games.held.pass(effects)
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let status = self.games.table.status();
        let is_held = self.games.held.is_holding();
        let condition = if self.is_here() { status.condition } else { Condition::NoAnswer };
        let offers = self.games.late.in_words(&self.games.table).filter(|_| self.is_here());
        let state = offers.map_or(status.state, str::to_owned);
        let state = if is_held { format!("held back: {state}") } else { state };
        let wrong_start = status.wrong_start.filter(|_| offers.is_none());
        let doubt = status.doubt.filter(|_| condition == Condition::Unexplained);
        let waits = self.games.waiting(status.waits);
        Status { condition, is_held, state, wrong_start, waits, doubt, ..status }
    }

    /// When something is due without an answer: a board that is away can still get its result.
    pub fn deadline_away(&self) -> Option<(Millis, LineWait)> {
        let deadline = || self.games.table.deadline().map(|(at, wait)| (self.games.line_time(at), wait));
        if self.is_here() { None } else { deadline() }
    }

    /// Decides what is due. Nothing is, while it is not known what was lost.
    pub fn decide(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        if !self.is_in_the_dark() {
            let at = self.games.live(now);
            self.games.table.is_known_until(at);
            effects.extend(self.games.table.decide(at));
            self.games.late.each(|table, _| table.is_known_until(at));
            effects.extend(self.games.decide_late(at));
        }
    }

    fn is_in_the_dark(&self) -> bool {
        self.is_here() && self.reports.are_unsure()
    }
}

/// How long a board that was pinged in vain so often is left alone.
fn wait_away(tries: u32) -> Millis {
    Millis(SHORTEST_AWAY.0 << tries.min(16)).min(LONGEST_AWAY)
}

/// Is the answer one that is handed out once?
fn asks_for_changes(command: BusCommand) -> bool {
    matches!(command, BusCommand::SendChanges | BusCommand::RepeatChanges)
}
