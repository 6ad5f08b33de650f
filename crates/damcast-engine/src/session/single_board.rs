//! One board on its own line: it reports changes by itself and answers questions.
//!
//! During a game, a period without contact is a [`Gap`]: the link or the station was down, or a running clock was silent,
//! or a dump shows more than one or two lost reports. The table then receives no events until the gap is closed, with the
//! board's memory if necessary.

use chrono::{DateTime, FixedOffset};

use super::catchup::BoardSession;
use super::catchup::event_clock::EventClock;
use super::catchup::gap::{GameReport, Gap, GapStep};
use super::catchup::late_start::{self, LateStart};
use super::catchup::timeline::{Span, timeline, to_delayed_events};
use super::delayed_event::DelayedEvent;
use super::hold::RotationRequest;
use super::identity::BoardIdentity;
use super::question_queue::{QuestionQueue, QueueAction};
use super::request::{OperatorCommand, Request, Target};
use super::table::Table;
use super::wait::{LineWait, earliest, with_name};
use super::{ByteOutcome, Condition, Effect, LineErrors, LineSettings, Output, Status, catchup};
use crate::millis::Millis;
use crate::protocol::changes::{self, MemoryEvent};
use crate::protocol::{ClockReport, Command, DecodedItem, Decoder, Message, PieceCode};

/// Limit of reports buffered until the first dump arrives or proves unavailable.
const MAX_UNPLACED: usize = 1_000;
/// Noise bytes since the link came up that exceed a disturbance of a cable.
const MAX_NOISE_BYTES: u64 = 60;
/// Dumps with changes but without any report, after which the board is considered not to know the update command.
const MAX_UNREPORTED_DUMPS: u32 = 2;
/// Differences between a dump and the reports that need no memory read: one or two reports may be lost.
const MAX_MISSED_FIELDS: usize = 2;

/// Board, its questions and its table.
#[derive(Clone, Debug)]
pub struct SingleBoard {
    decoder: Decoder,
    questions: QuestionQueue,
    identity: BoardIdentity,
    session: BoardSession,
    rotation_request: RotationRequest,
    reported_unknown: Vec<u8>,
    noise_bytes: u64,
    /// Noise bytes from before the link came up.
    noise_before_link: u64,
    /// Bytes received since the link came up.
    heard_bytes: u64,
    warned_about_bus: bool,
    gap: Option<Gap>,
    /// Time of the last contact, in table time.
    heard_at: Millis,
    clock: Option<ClockReport>,
    /// Whether a memory request has failed since the link came up.
    has_no_memory: bool,
    /// Whether the length of the outage is unknown.
    has_unknown_gap: bool,
    /// Reports since the first field change, while the other fields are unknown.
    early_reports: Vec<(Millis, GameReport)>,
    /// Dumps with changes since the last field report.
    unreported_dumps: u32,
    warned_no_dumps: bool,
    /// Whether an unrecorded game may have begun.
    expects_late_start: bool,
}

impl SingleBoard {
    /// Creates a board without any report yet.
    pub fn new(settings: LineSettings) -> SingleBoard {
        let identity = BoardIdentity::new(settings.board.clone());
        let expects_late_start = settings.finds_late_start;
        let opening = [&[Command::SendBoard], settings.connect_questions.as_slice()].concat();
        SingleBoard {
            decoder: Decoder::new(),
            questions: QuestionQueue::new(opening, identity.question()),
            identity,
            session: BoardSession::new(settings),
            rotation_request: RotationRequest::default(),
            reported_unknown: Vec::new(),
            noise_bytes: 0,
            noise_before_link: 0,
            heard_bytes: 0,
            warned_about_bus: false,
            gap: None,
            heard_at: Millis::ZERO,
            clock: None,
            has_no_memory: false,
            has_unknown_gap: false,
            early_reports: Vec::new(),
            unreported_dumps: 0,
            warned_no_dumps: false,
            expects_late_start,
        }
    }

    /// Whether the operator requested new logs.
    pub fn rotation_requested(&self) -> bool {
        self.rotation_request.is_pending()
    }

    /// Returns the board and its games.
    pub fn table(&self) -> &Table {
        &self.session.table
    }

    /// Returns the state for people.
    pub fn status(&self) -> Status {
        let status = self.session.table.status();
        let board = self.identity.serial().map(str::to_owned);
        if self.session.table.is_entry_on() {
            let is_held = self.session.hold.is_holding();
            let state = if is_held { format!("held back: {}", status.state) } else { status.state };
            return Status { is_held, state, board, is_admitted: true, ..status };
        }
        let condition = match (self.identity.is_admitted(), self.questions.is_silent()) {
            (_, true) => Condition::NoAnswer,
            (false, _) if self.questions.is_link_up() => Condition::OtherBoard,
            (true, _) if self.gap.is_some() && self.questions.is_link_up() => Condition::CatchingUp,
            _ => status.condition,
        };
        let offers =
            self.session.late_start.describe_offer(&self.session.table).filter(|_| condition == status.condition);
        let state = match offers {
            Some(words) => words.to_owned(),
            None if condition == status.condition => status.state.clone(),
            None => condition.describe().to_owned(),
        };
        let start_problem = status.start_problem.filter(|_| offers.is_none());
        let is_held = self.session.hold.is_holding();
        let state = if is_held { format!("held back: {}", status.state) } else { state };
        let unexplained = status.unexplained.filter(|_| condition == Condition::Unexplained);
        let is_admitted = self.identity.is_admitted();
        let pending_entry = self.session.waiting(status.pending_entry);
        Status { condition, is_held, state, start_problem, board, is_admitted, pending_entry, unexplained, ..status }
    }

    /// Returns the counts of unusable bytes.
    pub fn line_errors(&self) -> LineErrors {
        LineErrors { noise_bytes: self.noise_bytes, bad_checksums: 0 }
    }

    /// Handles the opening of the port.
    pub fn link_up(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        self.decoder = Decoder::new();
        (self.noise_before_link, self.heard_bytes) = (self.noise_bytes, 0);
        self.identity.reset();
        self.has_no_memory = false;
        if self.identity.is_admitted() {
            self.start_listening(now);
        } else {
            self.stop_listening(now);
        }
        let turns = self.questions.link_up(now);
        self.apply_actions(now, turns, outputs);
        self.ask_clock(now, outputs);
    }

    /// Handles the closing of the port.
    pub fn link_down(&mut self, now: Millis) {
        self.decoder = Decoder::new();
        self.questions.link_down();
        self.stop_listening(now);
    }

    /// Notes an outage of unknown length.
    pub fn note_unknown_gap(&mut self) {
        self.has_unknown_gap = true;
    }

    /// Sets the machine clock at a time of the line.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.session.set_clock(at, shown);
    }

    /// Handles the start of contact with the expected board.
    fn start_listening(&mut self, now: Millis) {
        if self.follows_game() {
            self.open_gap(now);
        } else {
            self.session.table.set_link_up(self.session.table_time(now), true);
            self.heard_at = self.session.table_time(now);
            self.has_unknown_gap = false;
            self.session.late_start = if self.expects_late_start { LateStart::Unknown } else { LateStart::None };
        }
    }

    /// Whether each report of the board matters for a running game.
    fn follows_game(&self) -> bool {
        let table = &self.session.table;
        table.is_playing() && table.fields().is_some() && !table.is_entry_on()
    }

    /// Handles the loss of contact, or contact with an unexpected board. An open gap continues.
    fn stop_listening(&mut self, now: Millis) {
        if let Some(gap) = self.gap.take() {
            self.heard_at = gap.since();
        }
        self.session.late_start = LateStart::None;
        self.session.table.set_link_up(self.session.table_time(now), false);
    }

    fn open_gap(&mut self, now: Millis) {
        self.session.table.set_link_up(self.session.table_time(now), false);
        let mut gap = Gap::new(self.heard_at, self.session.table_time(now));
        if self.has_unknown_gap {
            gap = gap.with_unknown_length();
        }
        self.gap = Some(if self.has_no_memory { gap.without_memory() } else { gap });
    }

    /// Handles one byte.
    pub fn push_byte(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) -> ByteOutcome {
        self.heard_bytes += 1;
        match self.decoder.push(byte) {
            None => ByteOutcome::NoChange,
            Some(DecodedItem::Message(message)) => self.on_message(now, &message, outputs),
            Some(DecodedItem::Noise(noise)) => {
                self.noise_bytes += noise.bytes as u64;
                self.warn_about_bus(now, outputs);
                ByteOutcome::Handled
            }
        }
    }

    fn on_message(&mut self, now: Millis, message: &Message, outputs: &mut Vec<Output>) -> ByteOutcome {
        if self.questions.on_message(now, message) {
            self.push_effects(now, vec![Effect::Info("the board answers again".to_owned())], outputs);
        }
        let was_admitted = self.identity.is_admitted();
        let effects = self.identity.on_message(message);
        self.push_effects(now, effects, outputs);
        if self.identity.is_admitted() != was_admitted {
            let turns = if was_admitted {
                self.stop_listening(now);
                Vec::new()
            } else {
                self.start_listening(now);
                self.questions.start(now)
            };
            self.apply_actions(now, turns, outputs);
            self.ask_clock(now, outputs);
        }
        if !self.identity.is_admitted() {
            return ByteOutcome::Handled;
        }
        self.detect_gap(now, message, outputs);
        let at = self.session.table_time(now);
        let report = match message {
            Message::BoardDump(codes) | Message::BoardDump50Black(codes) => Some(GameReport::Dump(codes.clone())),
            Message::FieldUpdate { field, piece } => Some(GameReport::Field(*field, *piece)),
            Message::Clock(report) => Some(GameReport::Clock(*report)),
            _ => None,
        };
        let waits = report.as_ref().is_some_and(|report| self.is_unplaced(report));
        match (&mut self.gap, report, message) {
            (Some(gap), Some(report), _) => gap.push_report(at, report),
            (Some(gap), None, Message::EepromMoves(data)) => gap.set_memory(data),
            (None, Some(report), _) if waits => self.early_reports.push((at, report)),
            (None, Some(report), _) => {
                self.session.late_start.for_each_table(|table, effects| {
                    table.note_heard(at);
                    effects.extend(apply_report(table, at, &report));
                });
                self.count_unreported(now, &report, outputs);
                let mut effects = Vec::new();
                for (at, report) in std::mem::take(&mut self.early_reports) {
                    effects.extend(self.on_report(at, report));
                }
                effects.extend(self.on_report(at, report));
                self.push_effects(now, effects, outputs);
            }
            (None, None, Message::EepromMoves(data))
                if matches!(self.session.late_start, LateStart::MemoryRequested(_)) =>
            {
                self.find_late_game(now, &changes::DecodedMemory::decode(data).events, outputs);
            }
            (_, None, Message::Unknown { id, data, reason }) if !self.reported_unknown.contains(&id.0) => {
                self.reported_unknown.push(id.0);
                let note = format!("unknown message {:#04x} of {} bytes: {reason:?}", id.0, data.len());
                self.push_effects(now, vec![Effect::Note(note)], outputs);
            }
            _ => {}
        }
        self.close_gap(now, outputs);
        if self.gap.is_none() {
            self.session.table.note_heard(self.session.table_time(now));
            self.heard_at = self.session.table_time(now);
        }
        let has_published = self.decide_next(now, outputs);
        self.request_late_game(now, outputs);
        if has_published { ByteOutcome::Published } else { ByteOutcome::Handled }
    }

    /// Opens a gap if the message shows that reports are missing.
    fn detect_gap(&mut self, now: Millis, message: &Message, outputs: &mut Vec<Output>) {
        if self.gap.is_some() || !self.follows_game() {
            return;
        }
        let is_deaf = self.session.table.silence_due().is_some_and(|at| at < self.session.table_time(now));
        let is_wrong = |codes: &[PieceCode]| {
            self.session.table.is_running() && self.session.table.count_missed(codes) > MAX_MISSED_FIELDS
        };
        let is_wrong = matches!(message, Message::BoardDump(codes) if !self.has_no_memory && is_wrong(codes));
        if is_deaf || is_wrong {
            self.open_gap(now);
            let turns = self.questions.enqueue(now, Command::SendBoard);
            self.apply_actions(now, turns, outputs);
            self.ask_clock(now, outputs);
        }
    }

    /// Requests a clock reading, since the lever may have moved in the gap.
    fn ask_clock(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.gap.is_some() && self.session.table.is_clock_running() {
            let turns = self.questions.enqueue(now, Command::SendClock);
            self.apply_actions(now, turns, outputs);
        }
    }

    /// Whether the report must wait until the contents of the board are known.
    fn is_unplaced(&self, report: &GameReport) -> bool {
        let waits = self.session.table.fields().is_none() && !self.questions.never_dumps();
        match report {
            GameReport::Dump(_) => false,
            GameReport::Field(..) => waits && self.early_reports.len() < MAX_UNPLACED,
            GameReport::Clock(_) => waits && !self.early_reports.is_empty() && self.early_reports.len() < MAX_UNPLACED,
        }
    }

    /// Counts dumps with unreported changes, and changes the update command if there are too many.
    fn count_unreported(&mut self, now: Millis, report: &GameReport, outputs: &mut Vec<Output>) {
        self.unreported_dumps = match report {
            GameReport::Field(..) => 0,
            GameReport::Dump(codes)
                if self.session.table.fields().is_some() && self.session.table.count_missed(codes) > 0 =>
            {
                self.unreported_dumps + 1
            }
            GameReport::Dump(_) | GameReport::Clock(_) => self.unreported_dumps,
        };
        if self.unreported_dumps < MAX_UNREPORTED_DUMPS {
            return;
        }
        self.unreported_dumps = 0;
        let Some(command) = self.questions.next_update_command(now) else { return };
        let code = command.encode();
        let clock = if command == Command::SendUpdateBoard { ", and again and again what its clock shows" } else { "" };
        let notice =
            format!("the board does not report what changes on it; it is asked to in another way ({code:02x?}{clock})");
        self.push_effects(now, vec![Effect::Notice(notice), Effect::Send(code)], outputs);
    }

    /// Whether the bytes look like several boards of a bus that answer at once.
    fn looks_like_bus(&self) -> bool {
        let noise = self.noise_bytes - self.noise_before_link;
        noise >= MAX_NOISE_BYTES && (self.identity.has_address_mismatch() || noise >= self.heard_bytes / 4)
    }

    /// Warns the operator once that the bytes look like several boards.
    fn warn_about_bus(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.looks_like_bus() && !std::mem::replace(&mut self.warned_about_bus, true) {
            let notice = "what comes from this port cannot be read as one board: do several boards answer at once? Then it is \
                          a bus: set mode = \"bus\" for this line";
            self.push_effects(now, vec![Effect::Notice(notice.to_owned())], outputs);
        }
    }

    /// Continues with reports alone, because the board reports but never answers dump requests.
    fn disable_dumps(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.looks_like_bus() {
            return;
        }
        let is_unknown = self.session.table.fields().is_none();
        self.session.table.trust_reports(self.session.table_time(now), true);
        let mut effects = Vec::new();
        if !std::mem::replace(&mut self.warned_no_dumps, true) {
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
            let fields = self.early_reports.iter().filter_map(|(_, report)| match report {
                GameReport::Field(field, piece) => Some((*field, *piece)),
                GameReport::Dump(_) | GameReport::Clock(_) => None,
            });
            let mut lived = self.early_reports.first().map_or(self.session.table_time(now), |(at, _)| *at);
            self.session.table.assume_start(lived, &fields.collect::<Vec<_>>());
            effects.extend(self.session.table.decide(lived));
            for (at, report) in std::mem::take(&mut self.early_reports) {
                catchup::advance_to_next(&mut self.session.table, &mut lived, at, &mut effects);
                self.session.table.note_heard(at);
                effects.extend(self.on_report(at, report));
                lived = lived.max(at);
                effects.extend(self.session.table.decide(lived));
            }
        }
        self.push_effects(now, effects, outputs);
    }

    /// Passes a report of the board to the table.
    fn on_report(&mut self, at: Millis, report: GameReport) -> Vec<Effect> {
        match report {
            GameReport::Dump(_) => {}
            GameReport::Field(field, piece) => self.session.note_report(at, field, piece),
            GameReport::Clock(report) => self.clock = Some(report).filter(ClockReport::is_reading).or(self.clock),
        }
        apply_report(&mut self.session.table, at, &report)
    }

    /// Requests the memory for an unrecorded game once the contents are known, unless they show the start position.
    fn request_late_game(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if !matches!(self.session.late_start, LateStart::Unknown) || self.session.table.fields().is_none() {
            return;
        }
        if self.session.table.is_playing() {
            self.session.late_start = LateStart::None;
            return;
        }
        self.session.late_start = LateStart::MemoryNeeded(0);
        self.request_late_memory(now, outputs);
    }

    fn request_late_memory(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.session.late_start.take_memory_request() {
            let turns = self.questions.enqueue(now, Command::SendEepromMoves);
            self.apply_actions(now, turns, outputs);
        }
    }

    /// Searches the memory of a board that showed no start position. The events after its last start position are a game if
    /// they lead to the current contents.
    fn find_late_game(&mut self, now: Millis, memory: &[MemoryEvent], outputs: &mut Vec<Output>) {
        self.session.late_start = LateStart::without_memory();
        let Some((table, after)) = late_start::replay_last_start(&self.session.table, memory) else {
            let note = "the board's memory has no game that leads to what stands on it".to_owned();
            return self.push_effects(now, vec![Effect::Note(note)], outputs);
        };
        let since = self.session.table_time(now);
        let reading = self.clock.take();
        let mut of_game = Vec::new();
        let waiting = self.session.begin_memory_table(table, since, &mut of_game);
        self.session.clock = EventClock::default();
        let end = self.replay_events(now, since, after, reading, &mut of_game);
        let offer = self.session.restore_waiting_table(waiting, end, of_game);
        self.clock = reading.or(self.clock);
        let Some(mut offer) = offer else { return };
        let lookup = offer.first_lookup();
        self.session.late_start = LateStart::GameOffered(Box::new(offer));
        self.push_effects(now, vec![lookup], outputs);
    }

    /// Closes the gap, or takes the next step towards it.
    fn close_gap(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = &mut self.gap else { return };
        match gap.next_step(self.session.table.sensors()) {
            GapStep::Wait => {}
            GapStep::RequestMemory => {
                gap.on_memory_requested();
                let turns = self.questions.enqueue(now, Command::SendEepromMoves);
                self.apply_actions(now, turns, outputs);
            }
            GapStep::Continue => self.continue_without_memory(now, outputs),
            GapStep::UseMemory => self.replay_memory(now, outputs),
        }
    }

    /// Applies the buffered reports; the earlier events of the gap stay unknown.
    fn continue_without_memory(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = self.gap.take() else { return };
        self.has_unknown_gap = false;
        let mut effects = Vec::new();
        self.session.table.set_link_up(gap.heard_at(), true);
        let (mut heard_at, mut reading) = (gap.heard_at(), None);
        for (at, report) in gap.into_reports().into_iter().flatten() {
            heard_at = at;
            self.session.table.note_heard(at);
            if let GameReport::Clock(report) = report {
                reading = Some(report);
            }
            effects.extend(self.on_report(at, report));
        }
        // The reading may have arrived before the dump that restores the known contents.
        if let Some(report) = reading {
            effects.extend(self.on_report(heard_at, GameReport::Clock(report)));
        }
        self.push_effects(now, effects, outputs);
    }

    /// Replays the events of the gap from the memory, then the buffered reports.
    fn replay_memory(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = &self.gap else { return };
        // If an earlier gap ended without a dump, the table has reports that came after this gap began: the missed events follow them.
        let since = gap.since().max(self.session.table.heard_at());
        self.session.clock = EventClock::default();
        if let Some(report) = self.clock {
            self.session.clock.reading(since, report);
        }
        let games = &self.session;
        let recalled = match gap.missed_events(games.table.sensors(), games.recent(), games.clock.last_pressed()) {
            Ok(recalled) => recalled,
            Err(misfit) => {
                let notice = format!("the board's memory does not tell what happened while it was not heard: {misfit}");
                self.push_effects(now, vec![Effect::Notice(notice)], outputs);
                return self.continue_without_memory(now, outputs);
            }
        };
        let [before, after] = self.gap.take().map(Gap::into_reports).unwrap_or_default();
        self.has_unknown_gap = false;
        let count = recalled.missed.len();
        let mut effects = vec![Effect::Note(format!("the board's memory has {count} events that were not known"))];
        let reported = to_delayed_events(&recalled.missed, self.session.table.number_count());
        // The last reading before the memory may show a stopped clock, which a memory does not record.
        let reading = before.iter().rev().find_map(|(_, report)| match report {
            GameReport::Clock(clock) if clock.is_reading() => Some(*clock),
            _ => None,
        });
        self.session.table.resume_from_memory();
        let end = self.replay_events(now, since, reported, reading, &mut effects);
        effects.extend(self.session.table.on_dump(end, &recalled.sensors_at_read));
        for (_, report) in after {
            effects.extend(self.on_report(end, report));
        }
        self.push_effects(now, effects, outputs);
    }

    /// Replays events, each at its time, then a clock reading. Returns the table time up to which everything is known.
    fn replay_events(
        &mut self,
        now: Millis,
        since: Millis,
        reported: Vec<DelayedEvent>,
        reading: Option<ClockReport>,
        effects: &mut Vec<Effect>,
    ) -> Millis {
        let games = &mut self.session;
        let starts = games.table.start_position_events(&reported);
        let to = games.table_time(now).max(since);
        let (sides, begun) = (games.clock.sides(since), games.table.pending_ply());
        let timed =
            timeline(Span { from: since, to, sides, pending_ply: begun, previous_report: None }, reported, &starts);
        let end = timed.last().map_or(since, |(at, _)| *at).max(games.table_time(now));
        games.set_time_offset(now, end);
        games.set_advanced_to(since);
        self.clock = games.replay(timed, effects).clock.or(self.clock);
        games.advance_to_known(end, effects);
        if let Some((at, report)) = reading.and_then(|reading| games.clock.reading(end, reading)) {
            effects.extend(self.on_report(at, GameReport::Clock(report)));
        }
        end
    }

    /// Handles an operator's request.
    pub fn request(&mut self, now: Millis, request: &Request, outputs: &mut Vec<Output>) {
        let effects = match &request.command {
            _ if request.target != Target::OnlyBoard => vec![Effect::Refused(format!(
                "request `{request}`: one board has this line for itself; leave the address away, as in `result 2-0`"
            ))],
            OperatorCommand::Rotate => vec![self.rotation_request.set()],
            wish => self.session.request(now, wish),
        };
        self.push_effects(now, effects, outputs);
    }

    /// Returns the time of the next [`SingleBoard::tick`] and the reason.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        let asks = self.questions.deadline(self.wants_dump_at());
        let waits = if self.questions.is_asking() { LineWait::Answer } else { LineWait::Question };
        let decides = earliest(self.session.tables().map(Table::deadline));
        let decides = decides.map(|(at, wait)| (self.session.line_time(at), wait));
        earliest([with_name(asks, waits), decides, with_name(self.gap_timeout(), LineWait::DumpAfterGap)])
    }

    fn wants_dump_at(&self) -> Option<Millis> {
        let due = self.session.tables().filter_map(Table::wants_dump_at).min();
        due.map(|at| self.session.line_time(at))
    }

    /// Returns the time at which a gap ends without a dump.
    fn gap_timeout(&self) -> Option<Millis> {
        let gap = self.gap.as_ref().filter(|gap| self.questions.is_link_up() && !gap.has_dump())?;
        Some(self.session.line_time(gap.heard_at() + self.session.table.dump_wait()))
    }

    /// Sends due questions and runs due decisions.
    pub fn tick(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.gap_timeout().is_some_and(|at| at <= now) {
            self.continue_without_memory(now, outputs);
        }
        let turns = self.questions.tick(now, self.wants_dump_at());
        self.apply_actions(now, turns, outputs);
        self.decide(now, outputs);
    }

    /// Runs due decisions, including the consequences of publications.
    pub fn decide(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        while self.decide_next(now, outputs) {}
    }

    /// Runs due decisions up to the next publication. Returns whether there was one; more decisions follow from it.
    fn decide_next(&mut self, now: Millis, outputs: &mut Vec<Output>) -> bool {
        let at = self.session.table_time(now);
        let (mut effects, has_published) = self.session.table.decide_next(at);
        effects.extend(self.session.decide_late(at));
        self.push_effects(now, effects, outputs);
        has_published
    }

    fn apply_actions(&mut self, now: Millis, turns: Vec<QueueAction>, outputs: &mut Vec<Output>) {
        let misses_memory = turns.contains(&QueueAction::MemoryMissing);
        let misses_dumps = turns.contains(&QueueAction::DumpsMissing);
        let effect = |turn| match turn {
            QueueAction::Send(command) => Some(Effect::Send(command.encode())),
            QueueAction::BoardSilent => {
                Some(Effect::Notice("the board does not answer; is it switched on and plugged in?".to_owned()))
            }
            QueueAction::Reopen => Some(Effect::Reopen { board: None }),
            QueueAction::MemoryMissing | QueueAction::DumpsMissing => None,
        };
        self.push_effects(now, turns.into_iter().filter_map(effect).collect(), outputs);
        if misses_memory {
            self.on_memory_timeout(now, outputs);
        }
        if misses_dumps {
            self.disable_dumps(now, outputs);
        }
    }

    /// Handles a memory timeout: requests it again or continues without.
    fn on_memory_timeout(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let Some(gap) = &mut self.gap else {
            self.session.late_start.on_memory_timeout();
            return self.request_late_memory(now, outputs);
        };
        if gap.on_memory_timeout() {
            self.has_no_memory = true;
            let note =
                "the board does not send its memory; what was not heard is judged by what stands on it".to_owned();
            self.push_effects(now, vec![Effect::Note(note)], outputs);
            self.close_gap(now, outputs);
        } else {
            gap.on_memory_requested();
            let turns = self.questions.enqueue(now, Command::SendEepromMoves);
            self.apply_actions(now, turns, outputs);
        }
    }

    fn push_effects(&mut self, at: Millis, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
        outputs.extend(self.session.hold.filter(effects).into_iter().map(|effect| Output { at, board: None, effect }));
    }
}

fn apply_report(table: &mut Table, at: Millis, report: &GameReport) -> Vec<Effect> {
    match report {
        GameReport::Dump(codes) => {
            table.trust_reports(at, false);
            table.on_dump(at, codes)
        }
        GameReport::Field(field, piece) => table.on_field_update(at, *field, *piece),
        GameReport::Clock(report) => {
            table.trust_clock(true);
            table.on_clock(at, report)
        }
    }
}
