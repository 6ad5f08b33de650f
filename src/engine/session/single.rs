//! One board on a line of its own: it reports what changes by itself, and is asked for the rest.
//!
//! While a game is on, a time in which the board was not heard is a [`Gap`]: the link was down, the station was; or the link
//! stayed up and a running clock was silent; or a dump shows more than a lost report or two. Then the table hears nothing until
//! the gap is closed, if need be from the board's memory.

use chrono::{DateTime, FixedOffset};

use super::catchup::Games;
use super::catchup::event_clock::EventClock;
use super::catchup::gap::{GameReport, Gap, GapStep};
use super::catchup::late::{self, Late};
use super::catchup::timeline::{Span, happened, timeline};
use super::dialogue::{Dialogue, Turn};
use super::happened::Happened;
use super::held::Rotation;
use super::identity::Identity;
use super::request::{Addressee, Request, Wish};
use super::table::Table;
use super::wait::{LineWait, earliest, named};
use super::{Condition, Damage, Effect, Heard, LineSettings, Output, Status, catchup};
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{self, MemoryEvent};
use crate::engine::protocol::{ClockReport, Command, Decoder, Item, Message, PieceCode};

/// Reports of a board of which no dump has come yet that are kept until it does, or proves not to.
const MOST_UNPLACED: usize = 1_000;
/// So many bytes that are no message, since the link came up, are no disturbance of a cable.
const MUCH_NOISE: u64 = 60;
/// So many dumps with changes, and no report of one: the board does not know the command that makes it report.
const UNREPORTED: u32 = 2;
/// How many fields a dump may show otherwise than the reports did before the memory is asked: one report may be lost, or two.
const FEW_MISSED: usize = 2;

/// A board, what it is asked, and its table.
#[derive(Clone, Debug)]
pub struct Single {
    decoder: Decoder,
    dialogue: Dialogue,
    identity: Identity,
    games: Games,
    rotation: Rotation,
    told_unknown: Vec<u8>,
    noise_bytes: u64,
    /// How many of them came before the link came up.
    noise_before: u64,
    /// How many bytes have come since then.
    heard_bytes: u64,
    told_bus: bool,
    /// A time in which it was not heard, and which is not closed yet.
    gap: Option<Gap>,
    /// When it was last heard, in the table's time.
    heard_at: Millis,
    /// What its clock said last.
    clock: Option<ClockReport>,
    /// Since the link came up it was asked for its memory in vain.
    has_no_memory: bool,
    /// How long it was not heard, the times do not tell.
    was_away_for_unknown_time: bool,
    /// What was reported since the first change of a field, while nobody knows what stands on the others.
    unplaced: Vec<(Millis, GameReport)>,
    /// So many dumps showed changes since a field was last reported.
    unreported: u32,
    told_no_dumps: bool,
    /// Whether a game may have begun while nobody listened.
    seeks_late: bool,
}

impl Single {
    /// A board that has not been heard of yet.
    pub fn new(settings: LineSettings) -> Single {
        let identity = Identity::new(settings.board.clone());
        let seeks_late = settings.late_start;
        let opening = [&[Command::SendBoard], settings.connect.as_slice()].concat();
        Single {
            decoder: Decoder::new(),
            dialogue: Dialogue::new(opening, identity.question()),
            identity,
            games: Games::new(settings),
            rotation: Rotation::default(),
            told_unknown: Vec::new(),
            noise_bytes: 0,
            noise_before: 0,
            heard_bytes: 0,
            told_bus: false,
            gap: None,
            heard_at: Millis::ZERO,
            clock: None,
            has_no_memory: false,
            was_away_for_unknown_time: false,
            unplaced: Vec::new(),
            unreported: 0,
            told_no_dumps: false,
            seeks_late,
        }
    }

    /// Did the operator ask for new logs?
    pub fn wants_rotation(&self) -> bool {
        self.rotation.is_wanted()
    }

    /// The board and its games.
    pub fn table(&self) -> &Table {
        &self.games.table
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let status = self.games.table.status();
        let board = self.identity.serial().map(str::to_owned);
        let condition = match (self.identity.is_admitted(), self.dialogue.is_silent()) {
            (_, true) => Condition::NoAnswer,
            (false, _) if self.dialogue.is_up() => Condition::OtherBoard,
            (true, _) if self.gap.is_some() && self.dialogue.is_up() => Condition::CatchingUp,
            _ => status.condition,
        };
        let offers = self.games.late.in_words(&self.games.table).filter(|_| condition == status.condition);
        let state = match offers {
            Some(words) => words.to_owned(),
            None if condition == status.condition => status.state.clone(),
            None => condition.in_words().to_owned(),
        };
        let wrong_start = status.wrong_start.filter(|_| offers.is_none());
        let is_held = self.games.held.is_holding();
        let state = if is_held { format!("held back: {}", status.state) } else { state };
        let doubt = status.doubt.filter(|_| condition == Condition::Unexplained);
        let is_admitted = self.identity.is_admitted();
        let waits = self.games.waiting(status.waits);
        Status { condition, is_held, state, wrong_start, board, is_admitted, waits, doubt, ..status }
    }

    /// What of its bytes told nothing.
    pub fn damage(&self) -> Damage {
        Damage { noise_bytes: self.noise_bytes, bad_checksums: 0 }
    }

    /// The port is open.
    pub fn link_up(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        self.decoder = Decoder::new();
        (self.noise_before, self.heard_bytes) = (self.noise_bytes, 0);
        self.identity.forget();
        self.has_no_memory = false;
        if self.identity.is_admitted() {
            self.attend(now);
        } else {
            self.leave(now);
        }
        let turns = self.dialogue.link_up(now);
        self.say(now, turns, outputs);
        self.ask_clock(now, outputs);
    }

    /// The port is gone.
    pub fn link_down(&mut self, now: Millis) {
        self.decoder = Decoder::new();
        self.dialogue.link_down();
        self.leave(now);
    }

    /// Nobody listened, and the times do not tell for how long.
    pub fn away_for_unknown_time(&mut self) {
        self.was_away_for_unknown_time = true;
    }

    /// From a time on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.games.set_clock(at, shown);
    }

    /// From now on it is heard, and is the board expected.
    fn attend(&mut self, now: Millis) {
        if self.games.table.is_playing() && self.games.table.fields().is_some() {
            self.open_gap(now);
        } else {
            self.games.table.link(self.games.table_time(now), true);
            self.heard_at = self.games.table_time(now);
            self.was_away_for_unknown_time = false;
            self.games.late = if self.seeks_late { Late::Unknown } else { Late::None };
        }
    }

    /// It is not heard any more, or not the board expected. A gap that is not closed goes on.
    fn leave(&mut self, now: Millis) {
        if let Some(gap) = self.gap.take() {
            self.heard_at = gap.since();
        }
        self.games.late = Late::None;
        self.games.table.link(self.games.table_time(now), false);
    }

    fn open_gap(&mut self, now: Millis) {
        self.games.table.link(self.games.table_time(now), false);
        let mut gap = Gap::new(self.heard_at, self.games.table_time(now));
        if self.was_away_for_unknown_time {
            gap = gap.of_unknown_length();
        }
        self.gap = Some(if self.has_no_memory { gap.without_memory() } else { gap });
    }

    /// Takes one byte.
    pub fn hear(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) -> Heard {
        self.heard_bytes += 1;
        match self.decoder.push(byte) {
            None => Heard::Nothing,
            Some(Item::Message(message)) => self.take(now, &message, outputs),
            Some(Item::Noise(noise)) => {
                self.noise_bytes += noise.bytes as u64;
                self.tell_of_bus(now, outputs);
                Heard::Something
            }
        }
    }

    fn take(&mut self, now: Millis, message: &Message, outputs: &mut Vec<Output>) -> Heard {
        if self.dialogue.hear(now, message) {
            self.put(now, vec![Effect::News("the board answers again".to_owned())], outputs);
        }
        let was_admitted = self.identity.is_admitted();
        let effects = self.identity.hear(message);
        self.put(now, effects, outputs);
        if self.identity.is_admitted() != was_admitted {
            let turns = if was_admitted {
                self.leave(now);
                Vec::new()
            } else {
                self.attend(now);
                self.dialogue.admit(now)
            };
            self.say(now, turns, outputs);
            self.ask_clock(now, outputs);
        }
        if !self.identity.is_admitted() {
            return Heard::Something;
        }
        self.notice_gap(now, message, outputs);
        let at = self.games.table_time(now);
        let report = match message {
            Message::BoardDump(codes) | Message::BoardDump50Black(codes) => Some(GameReport::Dump(codes.clone())),
            Message::FieldUpdate { field, piece } => Some(GameReport::Field(*field, *piece)),
            Message::Clock(report) => Some(GameReport::Clock(*report)),
            _ => None,
        };
        let waits = report.as_ref().is_some_and(|report| self.is_unplaced(report));
        match (&mut self.gap, report, message) {
            (Some(gap), Some(report), _) => gap.keep(at, report),
            (Some(gap), None, Message::EepromMoves(data)) => gap.remember(data),
            (None, Some(report), _) if waits => self.unplaced.push((at, report)),
            (None, Some(report), _) => {
                self.games.late.each(|table, effects| {
                    table.hear(at);
                    effects.extend(tell(table, at, &report));
                });
                self.count_unreported(now, &report, outputs);
                let mut effects = Vec::new();
                for (at, report) in std::mem::take(&mut self.unplaced) {
                    effects.extend(self.hear_report(at, report));
                }
                effects.extend(self.hear_report(at, report));
                self.put(now, effects, outputs);
            }
            (None, None, Message::EepromMoves(data)) if matches!(self.games.late, Late::Asked(_)) => {
                self.look_for_late_game(now, &changes::Memory::decode(data).changes, outputs);
            }
            (_, None, Message::Unknown { id, data, why }) if !self.told_unknown.contains(&id.0) => {
                self.told_unknown.push(id.0);
                let note = format!("unknown message {:#04x} of {} bytes: {why:?}", id.0, data.len());
                self.put(now, vec![Effect::Note(note)], outputs);
            }
            _ => {}
        }
        self.close_gap(now, outputs);
        if self.gap.is_none() {
            self.games.table.hear(self.games.table_time(now));
            self.heard_at = self.games.table_time(now);
        }
        let has_published = self.decide_next(now, outputs);
        self.ask_for_late_game(now, outputs);
        if has_published { Heard::Published } else { Heard::Something }
    }

    /// Does this message show that something was not heard?
    fn notice_gap(&mut self, now: Millis, message: &Message, outputs: &mut Vec<Output>) {
        if self.gap.is_some() || !self.games.table.is_playing() || self.games.table.fields().is_none() {
            return;
        }
        let is_deaf = self.games.table.deaf_at().is_some_and(|at| at < self.games.table_time(now));
        let is_wrong =
            |codes: &[PieceCode]| self.games.table.is_running() && self.games.table.misses(codes) > FEW_MISSED;
        let is_wrong = matches!(message, Message::BoardDump(codes) if !self.has_no_memory && is_wrong(codes));
        if is_deaf || is_wrong {
            self.open_gap(now);
            let turns = self.dialogue.ask(now, Command::SendBoard);
            self.say(now, turns, outputs);
            self.ask_clock(now, outputs);
        }
    }

    /// In the gap its lever may have been moved: whose time runs?
    fn ask_clock(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.gap.is_some() && self.games.table.runs_clock() {
            let turns = self.dialogue.ask(now, Command::SendClock);
            self.say(now, turns, outputs);
        }
    }

    /// Does this report wait until it is known what stands on the board?
    fn is_unplaced(&self, report: &GameReport) -> bool {
        let waits = self.games.table.fields().is_none() && !self.dialogue.is_without_dumps();
        match report {
            GameReport::Dump(_) => false,
            GameReport::Field(..) => waits && self.unplaced.len() < MOST_UNPLACED,
            GameReport::Clock(_) => waits && !self.unplaced.is_empty() && self.unplaced.len() < MOST_UNPLACED,
        }
    }

    /// A board that shows changes in its dumps and reports none is told to report in another way.
    fn count_unreported(&mut self, now: Millis, report: &GameReport, outputs: &mut Vec<Output>) {
        self.unreported = match report {
            GameReport::Field(..) => 0,
            GameReport::Dump(codes) if self.games.table.fields().is_some() && self.games.table.misses(codes) > 0 => {
                self.unreported + 1
            }
            GameReport::Dump(_) | GameReport::Clock(_) => self.unreported,
        };
        if self.unreported < UNREPORTED {
            return;
        }
        self.unreported = 0;
        let Some(command) = self.dialogue.fall_back(now) else { return };
        let code = command.encode();
        let clock = if command == Command::SendUpdateBoard { ", and again and again what its clock shows" } else { "" };
        let notice =
            format!("the board does not report what changes on it; it is asked to in another way ({code:02x?}{clock})");
        self.put(now, vec![Effect::Notice(notice), Effect::Send(code)], outputs);
    }

    /// Is what comes no speech of one board? Boards of a bus that are asked as one answer all at once.
    fn is_babel(&self) -> bool {
        let noise = self.noise_bytes - self.noise_before;
        noise >= MUCH_NOISE && (self.identity.contradicts_itself() || noise >= self.heard_bytes / 4)
    }

    /// Nothing that one board says comes from this port: perhaps because there are several.
    fn tell_of_bus(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.is_babel() && !std::mem::replace(&mut self.told_bus, true) {
            let notice = "what comes from this port cannot be read as one board: do several boards answer at once? Then it is \
                          a bus: set mode = \"bus\" for this line";
            self.put(now, vec![Effect::Notice(notice.to_owned())], outputs);
        }
    }

    /// The board speaks and has proved not to say what stands on it: its reports alone count from here on.
    fn go_without_dumps(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.is_babel() {
            return;
        }
        let is_unknown = self.games.table.fields().is_none();
        self.games.table.trust_reports(self.games.table_time(now), true);
        let mut effects = Vec::new();
        if !std::mem::replace(&mut self.told_no_dumps, true) {
            let start = if is_unknown {
                "; the start position is taken to stand on it, if another does say so: damcast ctl setup BOARD FEN"
            } else {
                ""
            };
            effects.push(Effect::Notice(format!(
                "the board reports moves and does not answer what stands on it: they are recorded as it reports them{start}"
            )));
        }
        if is_unknown {
            let fields = self.unplaced.iter().filter_map(|(_, report)| match report {
                GameReport::Field(field, piece) => Some((*field, *piece)),
                GameReport::Dump(_) | GameReport::Clock(_) => None,
            });
            let mut lived = self.unplaced.first().map_or(self.games.table_time(now), |(at, _)| *at);
            self.games.table.assume_start(lived, &fields.collect::<Vec<_>>());
            effects.extend(self.games.table.decide(lived));
            for (at, report) in std::mem::take(&mut self.unplaced) {
                catchup::live_until_next(&mut self.games.table, &mut lived, at, &mut effects);
                self.games.table.hear(at);
                effects.extend(self.hear_report(at, report));
                lived = lived.max(at);
                effects.extend(self.games.table.decide(lived));
            }
        }
        self.put(now, effects, outputs);
    }

    /// Something that the board says reaches the table.
    fn hear_report(&mut self, at: Millis, report: GameReport) -> Vec<Effect> {
        match report {
            GameReport::Dump(_) => {}
            GameReport::Field(field, piece) => self.games.note_report(at, field, piece),
            GameReport::Clock(report) => self.clock = Some(report).filter(ClockReport::is_reading).or(self.clock),
        }
        tell(&mut self.games.table, at, &report)
    }

    /// It is known what stands on the board: a start position, or is there a game that nobody saw begin?
    fn ask_for_late_game(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if !matches!(self.games.late, Late::Unknown) || self.games.table.fields().is_none() {
            return;
        }
        if self.games.table.is_playing() {
            self.games.late = Late::None;
            return;
        }
        self.games.late = Late::Wanted(0);
        self.ask_late_memory(now, outputs);
    }

    fn ask_late_memory(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.games.late.ask() {
            let turns = self.dialogue.ask(now, Command::SendEepromMoves);
            self.say(now, turns, outputs);
        }
    }

    /// The memory has come to a board that showed no start position: what it tells after its last one is a game, if it leads to
    /// what stands there now.
    fn look_for_late_game(&mut self, now: Millis, memory: &[MemoryEvent], outputs: &mut Vec<Output>) {
        self.games.late = Late::without_memory();
        let Some((table, after)) = late::since_last_start(&self.games.table, memory) else {
            let note = "the board's memory has no game that leads to what stands on it".to_owned();
            return self.put(now, vec![Effect::Note(note)], outputs);
        };
        let since = self.games.table_time(now);
        let reading = self.clock.take();
        let mut of_game = Vec::new();
        let waiting = self.games.step_aside(table, since, &mut of_game);
        self.games.clock = EventClock::default();
        let end = self.live_through_all(now, since, after, reading, &mut of_game);
        let offer = self.games.step_back(waiting, end, of_game);
        self.clock = reading.or(self.clock);
        let Some(offer) = offer else { return };
        let notice = offer.notice();
        self.games.late = Late::Offered(Box::new(offer));
        self.put(now, vec![notice], outputs);
    }

    /// Closes the gap, or does what has to be done first.
    fn close_gap(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = &mut self.gap else { return };
        match gap.step(self.games.table.sensors()) {
            GapStep::Wait => {}
            GapStep::AskMemory => {
                gap.asked();
                let turns = self.dialogue.ask(now, Command::SendEepromMoves);
                self.say(now, turns, outputs);
            }
            GapStep::GoOn => self.go_on(now, outputs),
            GapStep::Recall => self.recall(now, outputs),
        }
    }

    /// What was kept during the gap counts, and what happened before it is not known.
    fn go_on(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = self.gap.take() else { return };
        self.was_away_for_unknown_time = false;
        let mut effects = Vec::new();
        self.games.table.link(gap.heard_at(), true);
        let (mut heard_at, mut reading) = (gap.heard_at(), None);
        for (at, report) in gap.into_kept().into_iter().flatten() {
            heard_at = at;
            self.games.table.hear(at);
            if let GameReport::Clock(report) = report {
                reading = Some(report);
            }
            effects.extend(self.hear_report(at, report));
        }
        // It may have come before the dump with which the board is known again.
        if let Some(report) = reading {
            effects.extend(self.hear_report(heard_at, GameReport::Clock(report)));
        }
        self.put(now, effects, outputs);
    }

    /// What the memory says of the gap is lived through, then what was heard since.
    fn recall(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = &self.gap else { return };
        let since = gap.since();
        self.games.clock = EventClock::default();
        if let Some(report) = self.clock {
            self.games.clock.reading(since, report);
        }
        let games = &self.games;
        let recalled = match gap.recall(games.table.sensors(), games.recent(), games.clock.pressed()) {
            Ok(recalled) => recalled,
            Err(misfit) => {
                let notice = format!("the board's memory does not tell what happened while it was not heard: {misfit}");
                self.put(now, vec![Effect::Notice(notice)], outputs);
                return self.go_on(now, outputs);
            }
        };
        let [before, after] = self.gap.take().map(Gap::into_kept).unwrap_or_default();
        self.was_away_for_unknown_time = false;
        let count = recalled.unseen.len();
        let mut effects = vec![Effect::Note(format!("the board's memory has {count} events that were not known"))];
        let reported = happened(&recalled.unseen, self.games.table.number_count());
        // The last reading before the memory may say that the clock was stopped, which the memory does not.
        let reading = before.iter().rev().find_map(|(_, report)| match report {
            GameReport::Clock(clock) if clock.is_reading() => Some(*clock),
            _ => None,
        });
        self.games.table.link_to_memory();
        let end = self.live_through_all(now, since, reported, reading, &mut effects);
        effects.extend(self.games.table.dump(end, &recalled.shown));
        for (_, report) in after {
            effects.extend(self.hear_report(end, report));
        }
        self.put(now, effects, outputs);
    }

    /// All that happened since a time reaches the table, each thing at its own, and then what the clock showed. Returns the time of
    /// the table until which all is known.
    fn live_through_all(
        &mut self,
        now: Millis,
        since: Millis,
        reported: Vec<Happened>,
        reading: Option<ClockReport>,
        effects: &mut Vec<Effect>,
    ) -> Millis {
        let games = &mut self.games;
        let starts = games.table.starts(&reported);
        let to = games.table_time(now).max(since);
        let (sides, begun) = (games.clock.sides(since), games.table.begun_ply());
        let timed = timeline(Span { from: since, to, sides, begun, before: None }, reported, &starts);
        let end = timed.last().map_or(since, |(at, _)| *at).max(games.table_time(now));
        games.is_ahead(now, end);
        games.live_from(since);
        self.clock = games.live_through(timed, effects).clock.or(self.clock);
        games.live_until_known(end, effects);
        if let Some((at, report)) = reading.and_then(|reading| games.clock.reading(end, reading)) {
            effects.extend(self.hear_report(at, GameReport::Clock(report)));
        }
        end
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, request: &Request, outputs: &mut Vec<Output>) {
        let effects = match &request.wish {
            _ if request.to != Addressee::OnlyBoard => vec![Effect::Refused(format!(
                "request `{request}`: one board has this line for itself; leave the address away, as in `result 2-0`"
            ))],
            Wish::Rotate => vec![self.rotation.ask()],
            wish => self.games.request(now, wish),
        };
        self.put(now, effects, outputs);
    }

    /// When [`Single::tick`] has something to do, and what is waited for until then.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        let asks = self.dialogue.deadline(self.wants_dump_at());
        let waits = if self.dialogue.is_asking() { LineWait::Answer } else { LineWait::Question };
        let decides = earliest(self.games.tables().map(Table::deadline));
        let decides = decides.map(|(at, wait)| (self.games.line_time(at), wait));
        earliest([named(asks, waits), decides, named(self.goes_on_at(), LineWait::DumpAfterGap)])
    }

    fn wants_dump_at(&self) -> Option<Millis> {
        let wanted = self.games.tables().filter_map(Table::wants_dump_at).min();
        wanted.map(|at| self.games.line_time(at))
    }

    /// When a gap ends though no dump has come.
    fn goes_on_at(&self) -> Option<Millis> {
        let gap = self.gap.as_ref().filter(|gap| self.dialogue.is_up() && !gap.has_dump())?;
        Some(self.games.line_time(gap.heard_at() + self.games.table.waits_for_dump()))
    }

    /// Asks and decides what is due.
    pub fn tick(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.goes_on_at().is_some_and(|at| at <= now) {
            self.go_on(now, outputs);
        }
        let turns = self.dialogue.tick(now, self.wants_dump_at());
        self.say(now, turns, outputs);
        self.decide(now, outputs);
    }

    /// Decides what is due, and what follows from what was published.
    pub fn decide(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        while self.decide_next(now, outputs) {}
    }

    /// Decides up to the next lines that are published. Returns whether there were any: more follows from them.
    fn decide_next(&mut self, now: Millis, outputs: &mut Vec<Output>) -> bool {
        let at = self.games.table_time(now);
        let (mut effects, has_published) = self.games.table.decide_next(at);
        effects.extend(self.games.decide_late(at));
        self.put(now, effects, outputs);
        has_published
    }

    fn say(&mut self, now: Millis, turns: Vec<Turn>, outputs: &mut Vec<Output>) {
        let misses_memory = turns.contains(&Turn::NoMemory);
        let misses_dumps = turns.contains(&Turn::NoDumps);
        let effect = |turn| match turn {
            Turn::Send(command) => Some(Effect::Send(command.encode())),
            Turn::Silent => {
                Some(Effect::Notice("the board does not answer; is it switched on and plugged in?".to_owned()))
            }
            Turn::Reopen => Some(Effect::Reopen { board: None }),
            Turn::NoMemory | Turn::NoDumps => None,
        };
        self.put(now, turns.into_iter().filter_map(effect).collect(), outputs);
        if misses_memory {
            self.miss_memory(now, outputs);
        }
        if misses_dumps {
            self.go_without_dumps(now, outputs);
        }
    }

    /// The memory was asked for and has not come: once more, or on without.
    fn miss_memory(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = &mut self.gap else {
            self.games.late.miss_memory();
            return self.ask_late_memory(now, outputs);
        };
        if gap.miss_memory() {
            self.has_no_memory = true;
            let note =
                "the board does not send its memory; what was not heard is judged by what stands on it".to_owned();
            self.put(now, vec![Effect::Note(note)], outputs);
            self.close_gap(now, outputs);
        } else {
            gap.asked();
            let turns = self.dialogue.ask(now, Command::SendEepromMoves);
            self.say(now, turns, outputs);
        }
    }

    fn put(&mut self, at: Millis, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
        outputs.extend(self.games.held.pass(effects).into_iter().map(|effect| Output { at, board: None, effect }));
    }
}

/// Something that a board says reaches a table.
fn tell(table: &mut Table, at: Millis, report: &GameReport) -> Vec<Effect> {
    match report {
        GameReport::Dump(codes) => {
            table.trust_reports(at, false);
            table.dump(at, codes)
        }
        GameReport::Field(field, piece) => table.field_update(at, *field, *piece),
        GameReport::Clock(report) => {
            table.trust_clock(true);
            table.clock(at, report)
        }
    }
}
