//! One board of a bus: what it is asked, and what its answers mean.
//!
//! ```text
//!             answers                        two questions unanswered
//!   Away ───────────────▸ Here ───────────────────────────────────────▸ Away
//!    └─ ping, ever more    └─ changes, a dump, the clock, the version; then changes again and again
//!       rarely
//! ```
//!
//! The board's table lives by its answers: after each, it is known what happened until then, and nothing is known beyond.
//! So everything that is due is decided when an answer has come, never between two; quiet that nobody has looked at is no
//! quiet. An answer without changes is under a checksum and says as much as a dump; a dump is asked for when
//!
//! - nothing else tells what stands on the board: at first, and after it was away;
//! - the line was disturbed since the last one: seven bits of checksum let one damage in 128 pass;
//! - nothing legal explains what is seen;
//! - a move is to be confirmed and the line has time to spare.

use std::collections::VecDeque;

use super::clock::BusClock;
use super::usage::{Usage, time_of};
use crate::millis::Millis;
use crate::protocol::bus::{COMMAND, SMALLEST_ANSWER};
use crate::protocol::changes::{self, Change};
use crate::protocol::{BusAnswer, BusCommand, Field, PieceCode};
use crate::session::memory::{self, Known, MOST_RECENT};
use crate::session::table::{Attention, Table};
use crate::session::{BusSettings, Effect, LineSettings};

/// A board that is away is pinged again after this, then after ever longer waits.
const SHORTEST_AWAY: Millis = Millis(250);
/// A board that was plugged in again is seen within this.
const LONGEST_AWAY: Millis = Millis::seconds(16);
/// Pings without an answer after which the operator is told. The first may only have brought the board back into bus mode.
const TOLD_AWAY: u32 = 3;
/// Questions in a row without an answer after which a board is away.
const MOST_MISSED: u32 = 2;
/// Damaged answers in a row after which it is away: it would keep the line busy for nothing.
const MOST_DAMAGED: u32 = 4;
/// A decision that is due does not make a board be asked more often than this.
const SHORTEST_POLL: Millis = Millis(20);
/// How often a running clock is read while pieces are being moved: has it been stopped?
const CLOCK_TOUCHED: Millis = Millis(1_000);
/// Older than this no reading may be when a ply is believed that nobody has pressed for.
const CLOCK_NEEDED: Millis = Millis(2_500);
/// How often a clock is read at other times.
const CLOCK_SETTLED: Millis = Millis::seconds(10);
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
pub enum Origin {
    /// The configuration names it.
    Expected,
    /// It was found.
    Found,
    /// An answer to a ping to all says so; until it answers for itself, that may have been a collision.
    Rumoured,
}

/// A board on a bus.
#[derive(Debug)]
pub struct BusBoard {
    /// Its games.
    pub table: Table,
    /// Whether it answers.
    pub presence: Presence,
    /// How it came to be known.
    pub origin: Origin,
    /// When it may be asked next.
    pub due: Millis,
    asked_at: Millis,
    /// What is going on on it.
    attention: Attention,
    /// When what is seen will be decided about, if nothing changes: then an answer has to be there.
    awaited: Option<Millis>,
    clock: BusClock,
    questions: VecDeque<BusCommand>,
    /// Questions in a row that were not answered.
    missed: u32,
    /// Answers in a row that were damaged.
    damaged: u32,
    /// When changes were asked for that got lost on the way.
    lost_at: Millis,
    /// Up to when its table has lived.
    lived: Millis,
    /// Up to when its changes are known.
    heard_at: Option<Millis>,
    dumped_at: Option<Millis>,
    last_changes: Vec<u8>,
    /// The line was disturbed since its last dump.
    is_suspect: bool,
    /// What it was last reported to hold, oldest first.
    recent: VecDeque<(Field, PieceCode)>,
    /// Bytes that its reports since the last start tag take in its memory.
    remembered: usize,
    /// A dump that contradicts all reports, until further reports or the memory explain it.
    contradiction: Option<Vec<PieceCode>>,
    /// The memory has been asked for since the last dump that agreed with all reports.
    is_memory_read: bool,
    /// Until then nothing was lost.
    sound_at: Millis,
    /// Games that have their start tag.
    tagged: u32,
    is_identified: bool,
    told_away: bool,
    told_unknown: Vec<u8>,
}

impl BusBoard {
    /// A board that has not been heard of yet, to be pinged at once.
    pub fn new(settings: LineSettings, origin: Origin, now: Millis) -> BusBoard {
        BusBoard {
            table: Table::new(settings),
            presence: Presence::Away { tries: 0 },
            origin,
            due: now,
            asked_at: now,
            attention: Attention::Idle,
            awaited: None,
            clock: BusClock::default(),
            questions: VecDeque::new(),
            missed: 0,
            damaged: 0,
            lost_at: now,
            lived: now,
            heard_at: None,
            dumped_at: None,
            last_changes: Vec::new(),
            is_suspect: false,
            recent: VecDeque::new(),
            remembered: 0,
            contradiction: None,
            is_memory_read: false,
            sound_at: now,
            tagged: 0,
            is_identified: false,
            told_away: false,
            told_unknown: Vec::new(),
        }
    }

    /// The link came up: is the board there?
    pub fn link_up(&mut self, now: Millis) {
        self.presence = Presence::Away { tries: 0 };
        self.due = now;
    }

    /// The link went away, with an answer to `asked` under way perhaps.
    pub fn link_down(&mut self, asked: Option<BusCommand>) {
        self.leave();
        if asked == Some(BusCommand::SendChanges) {
            self.lost_at = self.asked_at;
        }
        if asked.is_some_and(asks_for_changes) {
            self.questions.push_front(BusCommand::RepeatChanges);
        }
    }

    fn leave(&mut self) {
        self.presence = Presence::Away { tries: 0 };
        self.missed = 0;
        self.damaged = 0;
        self.questions.retain(|question| *question == BusCommand::RepeatChanges);
        self.contradiction = None;
        self.table.link(false);
    }

    /// Does it answer?
    pub fn is_here(&self) -> bool {
        self.presence == Presence::Here
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
            _ if !self.questions.is_empty() => 20,
            _ if is_awaited => 10,
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
        let seconds = self.heard_at.map_or(Millis::seconds(60), |heard| now - heard).0 / 1_000;
        let events = usize::try_from(seconds).unwrap_or(usize::MAX).saturating_mul(EVENTS_PER_SECOND);
        let data = match command {
            BusCommand::SendChanges | BusCommand::RepeatChanges => events.saturating_add(EVENTS).min(changes::RING),
            BusCommand::SendBoard | BusCommand::SendBoard50Black => self.table.field_count(),
            BusCommand::SendFromStart => (self.remembered + MEMORY).min(changes::RING),
            _ => 8,
        };
        SMALLEST_ANSWER + data
    }

    /// It has not answered, or what came was damaged.
    pub fn miss(&mut self, now: Millis, command: BusCommand, effects: &mut Vec<Effect>) {
        self.is_suspect = true;
        match self.presence {
            Presence::Away { tries } => {
                let tries = tries.saturating_add(1);
                self.presence = Presence::Away { tries };
                self.due = now + Millis(SHORTEST_AWAY.0 << tries.min(16)).min(LONGEST_AWAY);
                if tries == TOLD_AWAY && !self.told_away && self.origin != Origin::Rumoured {
                    self.told_away = true;
                    let notice = "the board does not answer; is it switched on and on the bus?";
                    effects.push(Effect::Notice(notice.to_owned()));
                }
            }
            Presence::Here => {
                self.missed += 1;
                if command == BusCommand::SendFromStart {
                    if let Some(dump) = self.contradiction.take() {
                        self.give_up(now, &dump, effects);
                    }
                    self.due = now;
                } else {
                    self.ask_again(now, command, self.missed >= MOST_MISSED);
                }
            }
        }
    }

    /// What came in answer to this was damaged: it is there, and says it again.
    pub fn garble(&mut self, now: Millis, command: BusCommand) {
        self.is_suspect = true;
        self.damaged += 1;
        self.ask_again(now, command, self.damaged >= MOST_DAMAGED);
    }

    fn ask_again(&mut self, now: Millis, command: BusCommand, is_enough: bool) {
        self.due = now;
        if !self.is_here() {
            return;
        }
        if is_enough {
            self.leave();
        }
        // Changes that were handed out and got lost are asked for again, if need be when the board is back.
        if command == BusCommand::SendChanges {
            self.lost_at = self.asked_at;
        }
        if asks_for_changes(command) {
            self.questions.push_front(BusCommand::RepeatChanges);
        } else if !is_enough {
            self.questions.push_front(command);
        }
    }

    /// The line was disturbed while this board had the word.
    pub fn disturb(&mut self) {
        self.is_suspect = true;
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
        self.missed = 0;
        self.damaged = 0;
        if !self.is_here() {
            self.come(effects);
        }
        match answer {
            BusAnswer::Changes(data) => self.hear_changes(now, asked, data, bus, usage, effects),
            BusAnswer::Board(codes) | BusAnswer::Board50Black(codes) => self.hear_board(now, codes, effects),
            BusAnswer::Clock(report) => {
                if let Some((at, report)) = self.clock.reading(now, *report) {
                    effects.extend(self.table.clock(at, &report));
                }
                self.decide(now, effects);
            }
            BusAnswer::FromStart(data) => self.hear_memory(now, data, effects),
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

    /// It answers: what happened in the meantime, what stands on it, and what does its clock say?
    fn come(&mut self, effects: &mut Vec<Effect>) {
        self.presence = Presence::Here;
        self.table.link(true);
        self.sound_at = self.heard_at.unwrap_or(self.sound_at);
        if std::mem::take(&mut self.told_away) {
            effects.push(Effect::Notice("the board answers again".to_owned()));
        }
        if self.origin == Origin::Rumoured {
            self.origin = Origin::Found;
            let notice = "a board that the configuration does not name was found and is recorded";
            effects.push(Effect::Notice(notice.to_owned()));
        }
        self.questions.extend([BusCommand::SendChanges, BusCommand::SendBoard, BusCommand::SendClock]);
        if !self.is_identified {
            self.questions.push_back(BusCommand::SendVersion);
        }
    }

    fn hear_changes(
        &mut self,
        now: Millis,
        asked: Option<BusCommand>,
        data: &[u8],
        bus: &BusSettings,
        usage: &mut Usage,
        effects: &mut Vec<Effect>,
    ) {
        // If the question was lost and not the answer, the answer before comes once more.
        let is_known = asked == Some(BusCommand::RepeatChanges) && !data.is_empty() && data == self.last_changes;
        let changes = if is_known { Vec::new() } else { changes::decode(data) };
        self.last_changes = data.to_vec();
        self.remembered = self.remembered.saturating_add(data.len());
        let is_repeated = asked == Some(BusCommand::RepeatChanges);
        // What is repeated had happened when it was asked for first.
        let until = if is_repeated { self.lost_at.min(now) } else { now };
        let from = self.heard_at.unwrap_or(until);
        self.heard_at = Some(until.max(from));
        self.take(from, until, &changes, effects);
        if let Some(dump) = self.contradiction.take() {
            self.judge(now, dump, &changes, bus, effects);
        }
        if changes.is_empty() && !is_repeated {
            self.confirm(now, usage);
        }
        self.decide(until, effects);
        if self.questions.is_empty() {
            let wish = self.wish(now, bus, usage);
            self.questions.extend(wish);
        }
    }

    /// Lives through changes that happened after `from` and before `now`.
    fn take(&mut self, from: Millis, now: Millis, changes: &[Change], effects: &mut Vec<Effect>) {
        if self.table.fields().is_none() {
            // They lead from an unknown position to another.
            return;
        }
        for (at, change) in memory::timeline(from, now, changes) {
            self.live_until(at, effects);
            match change {
                Change::Piece { field, piece, .. } => {
                    if self.recent.len() == MOST_RECENT {
                        self.recent.pop_front();
                    }
                    self.recent.push_back((field, piece));
                    effects.extend(self.table.field_update(at, field, piece));
                }
                Change::Time { side, hours, minutes, seconds } => {
                    if let Some(report) = self.clock.press(at, side, [hours, minutes, seconds]) {
                        effects.extend(self.table.clock(at, &report));
                    }
                }
                // Both happen when a board restarts; what it then lists is what stands on it.
                Change::PowerUp | Change::Watchdog => {
                    self.is_suspect = true;
                    effects.push(Effect::Notice("the board was switched on or restarted".to_owned()));
                }
                Change::Broken(_) => self.is_suspect = true,
                _ => {}
            }
            self.decide(at, effects);
        }
        self.live_until(now, effects);
    }

    fn hear_board(&mut self, now: Millis, codes: &[PieceCode], effects: &mut Vec<Effect>) {
        let is_comparable = codes.len() == self.table.field_count() && self.table.counts_all_fields();
        let differs = self.table.fields().is_some_and(|fields| is_comparable && fields != codes);
        self.dumped_at = Some(now);
        if differs && self.table.has_open_game() {
            // What has changed since the last report comes with the next; then it shows whether any was lost.
            self.contradiction = Some(codes.to_vec());
            self.questions.push_front(BusCommand::SendChanges);
            return;
        }
        self.is_suspect = false;
        self.is_memory_read = false;
        self.sound_at = now;
        effects.extend(self.table.dump(now, codes));
        self.decide(now, effects);
    }

    /// A dump contradicted the reports. Here are the reports that came after it: do they explain it?
    fn judge(
        &mut self,
        now: Millis,
        dump: Vec<PieceCode>,
        changes: &[Change],
        bus: &BusSettings,
        effects: &mut Vec<Effect>,
    ) {
        let Some(fields) = self.table.fields() else { return };
        let touched = |number: usize| {
            let is_it =
                |change: &Change| matches!(change, Change::Piece { field, .. } if usize::from(field.0) == number);
            changes.iter().any(is_it)
        };
        let is_explained = fields.iter().zip(&dump).enumerate().all(|(number, (a, b))| a == b || touched(number));
        if is_explained {
            self.questions.push_front(BusCommand::SendBoard);
        } else if bus.start_tag && self.tagged > 0 && !self.is_memory_read {
            self.is_memory_read = true;
            effects.push(Effect::Note("reports were lost; the board is asked for its memory".to_owned()));
            self.contradiction = Some(dump);
            self.questions.push_front(BusCommand::SendFromStart);
        } else {
            self.give_up(now, &dump, effects);
        }
    }

    /// Reports were lost for good: the dump alone tells what stands on the board.
    fn give_up(&mut self, now: Millis, dump: &[PieceCode], effects: &mut Vec<Effect>) {
        self.is_suspect = false;
        effects.extend(self.table.dump(now, dump));
        self.decide(now, effects);
    }

    fn hear_memory(&mut self, now: Millis, data: &[u8], effects: &mut Vec<Effect>) {
        let Some(dump) = self.contradiction.take() else { return };
        let Some(fields) = self.table.fields() else { return };
        let memory = changes::decode(data);
        let recent = self.recent.make_contiguous();
        match memory::unseen(Known { fields, recent }, &dump, &memory) {
            Ok(unseen) => {
                effects.push(Effect::Note(format!("the board's memory has {} events that were lost", unseen.len())));
                self.take(self.sound_at, now, &unseen, effects);
                self.questions.push_front(BusCommand::SendBoard);
            }
            Err(misfit) => {
                effects.push(Effect::Notice(format!(
                    "reports of the board were lost, and its memory does not help: {misfit}"
                )));
                self.give_up(now, &dump, effects);
            }
        }
    }

    /// The board says that nothing has changed: that confirms what is seen, unless a dump shall.
    fn confirm(&mut self, now: Millis, usage: &mut Usage) {
        let is_wanted = self.table.wants_dump_at().is_some_and(|at| at <= now);
        if self.is_suspect || !is_wanted || self.table.is_in_doubt() || self.contradiction.is_some() {
            return;
        }
        if usage.spend(now, time_of(COMMAND + SMALLEST_ANSWER + self.table.field_count())) {
            self.questions.push_back(BusCommand::SendBoard);
        } else {
            self.table.unchanged(now);
        }
    }

    /// What else it should be asked, now that its changes are known.
    fn wish(&mut self, now: Millis, bus: &BusSettings, usage: &mut Usage) -> Option<BusCommand> {
        const CLOCK_BYTES: usize = COMMAND + SMALLEST_ANSWER + 7;
        let wants_dump = self.table.wants_dump_at().is_some_and(|at| at <= now);
        let is_unknown = self.table.fields().is_none();
        if is_unknown || (self.is_suspect && self.contradiction.is_none()) || (self.table.is_in_doubt() && wants_dump) {
            return Some(BusCommand::SendBoard);
        }
        if bus.start_tag && self.table.begun() > self.tagged {
            self.tagged = self.table.begun();
            self.remembered = 0;
            return Some(BusCommand::SetStartGame);
        }
        let attention = self.table.attention();
        let age = self.clock.age(now);
        let is_touched = attention == Attention::Touched && self.clock.is_running();
        if age.is_none() || (is_touched && age > Some(CLOCK_NEEDED)) {
            return Some(BusCommand::SendClock);
        }
        let is_old = age > Some(if is_touched { CLOCK_TOUCHED } else { CLOCK_SETTLED });
        if is_old && usage.spend(now, time_of(CLOCK_BYTES)) {
            return Some(BusCommand::SendClock);
        }
        let is_long_ago = self.dumped_at.is_none_or(|dumped| now - dumped > AUDIT);
        if is_long_ago && usage.spend(now, time_of(COMMAND + SMALLEST_ANSWER + self.table.field_count())) {
            return Some(BusCommand::SendBoard);
        }
        None
    }

    fn schedule(&mut self, now: Millis, bus: &BusSettings) {
        let regular = self.asked_at + Millis(bus.poll_ms);
        self.attention = self.table.attention();
        self.awaited = self.table.deadline().into_iter().chain(self.table.wants_dump_at()).min();
        self.due = if !self.questions.is_empty() {
            now
        } else {
            let awaited = self.awaited.map(|at| at.max(self.asked_at + SHORTEST_POLL));
            awaited.map_or(regular, |awaited| awaited.min(regular))
        };
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, request: &str, bus: &BusSettings) -> Vec<Effect> {
        let mut effects = self.table.request(now, request);
        let known = self.heard_at.filter(|_| self.is_here()).unwrap_or(now);
        self.decide(known, &mut effects);
        if self.is_here() {
            self.schedule(now, bus);
        }
        effects
    }

    /// When something is due without an answer: a board that is away can still get its result.
    pub fn deadline_away(&self) -> Option<Millis> {
        if self.is_here() { None } else { self.table.deadline() }
    }

    /// Decides what is due. Nothing is, while it is not known what was lost.
    pub fn decide(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        if !self.is_in_the_dark() {
            self.lived = self.lived.max(now);
            effects.extend(self.table.decide(now));
        }
    }

    fn is_in_the_dark(&self) -> bool {
        self.is_here() && (self.is_suspect || self.contradiction.is_some())
    }

    /// Lives through every deadline up to `now`, each at its own time.
    fn live_until(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        /// A table that is asked again and again at one moment has nothing more to say.
        const MOST_AT_ONCE: u32 = 100;
        let mut at_once = 0;
        while let Some(at) = self.table.deadline().map(|at| at.max(self.lived)).filter(|&at| at <= now) {
            at_once = if at > self.lived { 0 } else { at_once + 1 };
            if at_once > MOST_AT_ONCE || self.is_in_the_dark() {
                return;
            }
            self.decide(at, effects);
        }
    }
}

/// Is the answer one that is handed out once?
fn asks_for_changes(command: BusCommand) -> bool {
    matches!(command, BusCommand::SendChanges | BusCommand::RepeatChanges)
}
