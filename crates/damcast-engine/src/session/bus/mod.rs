//! Recorder of a bus: many boards on one wire, each with its own table, polled one after the other.
//!
//! ```text
//!             ┌──────────────────────────────────────────────┐
//!   bytes ──▸ │ decoder ──▸ the board that speaks ──▸ table  │ ──▸ lines of its file
//!             │    │                                         │
//!             │    └─ the question is answered, or missed    │
//!             │                  │                           │
//!             │                  ▾                           │
//!             │  discovery, or the most urgent board ────────│ ──▸ the next question
//!             └──────────────────────────────────────────────┘
//! ```
//!
//! Boards on a bus only speak when polled, and the bus carries one question at a time. The next question goes out as soon
//! as the previous one is answered, which uses 9600 baud fully. The choice of the board depends on its activity and on its
//! waiting time ([`BusBoard::urgency`]), so every board gets its turn. A board that does not answer costs a timeout and is
//! then polled increasingly rarely. All such boards share a small part of the line.
//!
//! | fault | reaction |
//! |---|---|
//! | answer with a wrong checksum | the question is repeated; changes need "repeat", because they are delivered once |
//! | no answer | as above; after the second time the board is absent and is pinged until it returns |
//! | only damaged answers | absent after the fourth: two boards may share an address |
//! | any disturbance | reports of the board wait until a dump proves them complete |
//! | no board answers | the link is reopened, since it may be dead without reporting it |
//! | a board left bus mode | any bus command brings it back; the board ignores that command and obeys the next |
//!
//! Invariants: nothing is sent while an answer is due. An unsolicited answer is handled like any other, so logs of other
//! programs replay as well.

mod board;
mod discovery;
mod line_budget;
mod reopen_timer;

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use super::hold::RotationRequest;
use super::request::{OperatorCommand, Request, Target};
use super::table::{Attention, Table};
use super::wait::{LineWait, earliest, with_name};
use super::{BusAddress, ByteOutcome, Condition, Effect, LineErrors, LineSettings, Output, Status, UnknownBoards};
use crate::calendar;
use crate::millis::Millis;
use crate::protocol::{BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage, Command, DecodedItem, Decoder, Message};
use board::{BusBoard, KnownFrom, Presence};
use discovery::{Discovery, PING_WINDOW, PingAction};
use line_budget::{LineBudget, wire_time};
use reopen_timer::ReopenTimer;

/// Limit of boards, above the number that can be polled; a noisy line must not invent boards forever.
const MAX_BOARDS: usize = 256;
/// Limit of pending requests: two per board.
const MAX_PENDING_REQUESTS: usize = 2 * MAX_BOARDS;
/// Divisor of the line share that absent boards may take from present ones.
const MAX_SHARE_FOR_ABSENT: u64 = 14;
/// Divisor of the answer time for an absent board. Such a board is probably missing, or else answers within milliseconds. A
/// later answer is accepted as well.
const ABSENT_WAIT_DIVISOR: u64 = 3;
/// Pause after a damaged answer, which may be longer than it announced.
const DAMAGE_PAUSE: Millis = Millis(3);

#[derive(Clone, Copy, Debug)]
struct PendingQuestion {
    command: BusCommand,
    address: BusAddress,
    sent_at: Millis,
    /// Time at which the question counts as unanswered.
    answer_deadline: Millis,
    /// Latest `answer_deadline`, however many bytes arrive.
    max_deadline: Millis,
}

/// Bus and its boards.
#[derive(Clone, Debug)]
pub struct Bus {
    settings: LineSettings,
    decoder: BusDecoder,
    boards: BTreeMap<BusAddress, BusBoard>,
    is_link_up: bool,
    pending_question: Option<PendingQuestion>,
    /// Board addressed last; noise after an answer belongs to it.
    last_addressee: Option<BusAddress>,
    /// Earliest time of the next question.
    line_free_at: Millis,
    /// Earliest time of the next ping of an absent board.
    next_absent_ping_at: Millis,
    discovery: Discovery,
    reopen_timer: ReopenTimer,
    line_budget: LineBudget,
    ignored_boards: Vec<BusAddress>,
    warned_empty: bool,
    line_errors: LineErrors,
    rotation_request: RotationRequest,
    /// Requests for boards that are not found yet.
    pending_requests: Vec<(BusAddress, OperatorCommand)>,
    single_board_probe: SingleBoardProbe,
}

/// Check for a single board that does not know bus mode, made once if no board of a bus answers.
#[derive(Clone, Debug, Default)]
enum SingleBoardProbe {
    /// Not asked since the link came up.
    #[default]
    NotAsked,
    /// Asked; the decoder reads the answer as one of a single board.
    Asked(Decoder),
    /// A single board answers, and the operator has received a notice.
    Notified,
}

impl Bus {
    /// Creates a bus that has not been opened yet.
    pub fn new(settings: LineSettings) -> Bus {
        let boards = settings
            .boards
            .keys()
            .map(|&address| (address, BusBoard::new(settings.for_board(address), KnownFrom::Expected, Millis::ZERO)));
        Bus {
            boards: boards.collect(),
            decoder: BusDecoder::new(),
            is_link_up: false,
            pending_question: None,
            last_addressee: None,
            line_free_at: Millis::ZERO,
            next_absent_ping_at: Millis::ZERO,
            discovery: Discovery::starting_at(Millis::ZERO),
            reopen_timer: ReopenTimer::default(),
            line_budget: LineBudget::default(),
            ignored_boards: Vec::new(),
            warned_empty: false,
            line_errors: LineErrors::default(),
            rotation_request: RotationRequest::default(),
            pending_requests: Vec::new(),
            single_board_probe: SingleBoardProbe::default(),
            settings,
        }
    }

    /// Handles the opening of the port.
    pub fn link_up(&mut self, now: Millis) {
        self.is_link_up = true;
        self.decoder = BusDecoder::new();
        self.pending_question = None;
        self.line_free_at = now;
        self.next_absent_ping_at = now;
        self.discovery = Discovery::starting_at(now);
        self.reopen_timer.link_up(now);
        self.line_budget = LineBudget::start(now);
        if !matches!(self.single_board_probe, SingleBoardProbe::Notified) {
            self.single_board_probe = SingleBoardProbe::NotAsked;
        }
        for board in self.boards.values_mut() {
            board.link_up(now);
        }
    }

    /// Handles the closing of the port.
    pub fn link_down(&mut self, now: Millis) {
        self.is_link_up = false;
        self.decoder = BusDecoder::new();
        let asked = self.pending_question.take();
        for (&address, board) in &mut self.boards {
            board.link_down(now, asked.filter(|asked| asked.address == address).map(|asked| asked.command));
        }
    }

    /// Returns the settings for boards without their own.
    pub fn settings(&self) -> &LineSettings {
        &self.settings
    }

    /// Sets the machine clock at a time of the line.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        let opened = Some(calendar::epoch(at, shown));
        self.settings.opened = opened;
        self.settings.boards.values_mut().for_each(|board| board.opened = opened);
        self.boards.values_mut().for_each(|board| board.set_clock(at, shown));
    }

    /// Handles one byte.
    pub fn push_byte(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) -> ByteOutcome {
        self.line_budget.record_bytes(now, 1);
        self.push_probe_byte(now, byte, outputs);
        let item = self.decoder.push(byte);
        if let (Some(asked), Some(missing)) = (&mut self.pending_question, self.decoder.missing_bytes())
            && asked.address != BusAddress::ALL
        {
            let patience = Millis(self.settings.bus.answer_ms);
            asked.answer_deadline = (now + wire_time(missing) + patience).min(asked.max_deadline);
        }
        match item {
            None => return ByteOutcome::NoChange,
            Some(BusItem::Message(message)) => self.on_message(now, &message, outputs),
            Some(BusItem::BadChecksum { id, .. }) => {
                self.line_errors.bad_checksums += 1;
                let is_awaited = self.pending_question.is_some_and(|asked| asked.command.answer() == Some(id));
                self.note_noise(now, is_awaited, outputs);
            }
            Some(BusItem::Noise(noise)) => {
                self.line_errors.noise_bytes += noise.bytes as u64;
                self.note_noise(now, false, outputs);
            }
        }
        ByteOutcome::Handled
    }

    /// Feeds a byte to the check for a single board.
    fn push_probe_byte(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) {
        let SingleBoardProbe::Asked(decoder) = &mut self.single_board_probe else { return };
        let is_dump = |item| matches!(item, DecodedItem::Message(Message::BoardDump(codes)) if codes.iter().all(|code| code.0 < 16));
        if decoder.push(byte).is_some_and(is_dump) && !self.boards.values().any(BusBoard::is_here) {
            self.single_board_probe = SingleBoardProbe::Notified;
            let notice =
                "a single board answers at this port, and no board of a bus: set mode = \"single\" for this line";
            outputs.push(Output { at: now, board: None, effect: Effect::Notice(notice.to_owned()) });
        }
    }

    /// Sends a dump request once to find a single board. The next ping recalls boards of a bus that are plugged in at this
    /// moment.
    fn probe_single_board(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let is_bus_empty = !self.boards.values().any(BusBoard::is_here);
        if !is_bus_empty
            || !self.discovery.is_resting()
            || !matches!(self.single_board_probe, SingleBoardProbe::NotAsked)
        {
            return;
        }
        self.single_board_probe = SingleBoardProbe::Asked(Decoder::new());
        // Keep the line free until the answer is over.
        self.line_free_at = now + PING_WINDOW;
        let effect = Effect::Send(Command::SendBoard.encode());
        outputs.push(Output { at: now, board: None, effect });
    }

    fn on_message(&mut self, now: Millis, message: &BusMessage, outputs: &mut Vec<Output>) {
        let from = message.from;
        self.reopen_timer.on_answer(now);
        let asked = self
            .pending_question
            .filter(|asked| asked.address == from && asked.command.answer() == Some(message.answer.id()));
        if asked.is_some() {
            self.pending_question = None;
            self.line_free_at = now + Millis(self.settings.bus.gap_ms);
        }
        if self.discovery.is_listening() && message.answer == BusAnswer::Ping {
            self.add_unconfirmed(now, from);
            return;
        }
        if !self.boards.contains_key(&from) {
            self.on_unasked_answer(now, from, &message.answer, outputs);
        }
        let Some(board) = self.boards.get_mut(&from) else { return };
        if board.known_by == KnownFrom::PingAnswer && self.settings.bus.unknown_boards == UnknownBoards::Ignore {
            self.boards.remove(&from);
            self.ignored_boards.push(from);
            let notice = "a board that the configuration does not name is on the bus; it is not recorded";
            outputs.push(Output { at: now, board: Some(from), effect: Effect::Notice(notice.to_owned()) });
            return;
        }
        let mut effects = Vec::new();
        let command = asked.map(|asked| asked.command);
        board.on_answer(now, command, &message.answer, &self.settings.bus, &mut self.line_budget, &mut effects);
        self.warned_empty = false;
        push_effects(now, from, board.filter(effects), outputs);
        for (_, wish) in self.pending_requests.extract_if(.., |(address, _)| *address == from) {
            let effects = board.request(now, &wish, &self.settings.bus);
            push_effects(now, from, board.filter(effects), outputs);
        }
    }

    /// Adds a board that answered a ping to all. The board remains unconfirmed until it answers for itself.
    fn add_unconfirmed(&mut self, now: Millis, address: BusAddress) {
        if address == BusAddress::ALL || self.ignored_boards.contains(&address) {
            return;
        }
        if let Some(board) = self.boards.get_mut(&address) {
            if !board.is_here() {
                board.link_up(now);
            }
        } else if self.boards.len() < MAX_BOARDS {
            let board = BusBoard::new(self.settings.for_board(address), KnownFrom::PingAnswer, now);
            self.boards.insert(address, board);
            self.discovery.on_answer();
        }
    }

    /// Adds a board from an unsolicited dump, as in the log of another program.
    fn on_unasked_answer(&mut self, now: Millis, address: BusAddress, answer: &BusAnswer, outputs: &mut Vec<Output>) {
        let is_full_board = matches!(answer, BusAnswer::Board(_) | BusAnswer::Board50Black(_));
        if !is_full_board
            || address == BusAddress::ALL
            || self.ignored_boards.contains(&address)
            || self.boards.len() >= MAX_BOARDS
        {
            return;
        }
        self.boards.insert(address, BusBoard::new(self.settings.for_board(address), KnownFrom::PingAnswer, now));
        let note = "a board that was not asked tells what stands on it";
        outputs.push(Output { at: now, board: Some(address), effect: Effect::Note(note.to_owned()) });
    }

    /// Handles bytes that are no answer. `is_awaited`: the bytes match the awaited answer except for the checksum.
    fn note_noise(&mut self, now: Millis, is_awaited: bool, outputs: &mut Vec<Output>) {
        if self.discovery.is_listening() {
            self.discovery.on_answer();
            return;
        }
        let word = self.pending_question.map(|asked| asked.address).or(self.last_addressee);
        let has_present_board = self.boards.values().any(BusBoard::is_here);
        let Some(board) = word.and_then(|word| self.boards.get_mut(&word)) else { return };
        board.mark_suspect();
        if let Some(asked) = self.pending_question.filter(|_| is_awaited) {
            self.pending_question = None;
            self.line_free_at = now + DAMAGE_PAUSE.max(Millis(self.settings.bus.gap_ms));
            let was_away = !board.is_here();
            let mut effects = Vec::new();
            board.on_damaged_answer(now, asked.command, &mut effects);
            push_effects(now, asked.address, board.filter(effects), outputs);
            self.spend_on_absent(now, asked, was_away && has_present_board);
        }
    }

    /// Charges a fruitless ping to the share of the absent boards.
    fn spend_on_absent(&mut self, now: Millis, question: PendingQuestion, is_in_vain: bool) {
        if is_in_vain {
            self.next_absent_ping_at = now + Millis((now - question.sent_at).0 * (MAX_SHARE_FOR_ABSENT - 1));
        }
    }

    /// Returns the time of the next [`Bus::tick`] and the reason.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        let decides = earliest(self.boards.values().map(BusBoard::absent_deadline));
        let asks = match &self.pending_question {
            _ if !self.is_link_up => None,
            Some(asked) => Some((asked.answer_deadline, LineWait::Answer)),
            None => with_name(self.next_question_at().map(|at| at.max(self.line_free_at)), LineWait::Question),
        };
        earliest([asks, decides, with_name(self.reopen_at(), LineWait::Reopening)])
    }

    /// Returns the time of reopening the link if no board answers; `None` while a board is present.
    fn reopen_at(&self) -> Option<Millis> {
        let is_silent = self.is_link_up && !self.boards.values().any(BusBoard::is_here);
        is_silent.then(|| self.reopen_timer.reopen_at())
    }

    fn next_question_at(&self) -> Option<Millis> {
        let boards = self.boards.values().map(|board| self.due(board)).min();
        boards.into_iter().chain(self.search_due()).min()
    }

    /// Returns the start of the next search, once every known board has been greeted.
    fn search_due(&self) -> Option<Millis> {
        self.discovery.due().filter(|_| self.boards.values().all(BusBoard::is_greeted))
    }

    fn due(&self, board: &BusBoard) -> Millis {
        if board.may_wait() { board.next_question_at.max(self.next_absent_ping_at) } else { board.next_question_at }
    }

    /// Runs due decisions and sends the next question.
    pub fn tick(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        for (&address, board) in &mut self.boards {
            if board.absent_deadline().is_some_and(|(at, _)| at <= now) {
                let mut effects = Vec::new();
                board.decide(now, &mut effects);
                push_effects(now, address, board.filter(effects), outputs);
            }
        }
        if let Some(asked) = self.pending_question.filter(|asked| asked.answer_deadline <= now) {
            self.pending_question = None;
            self.line_free_at = now;
            self.on_timeout(now, asked, outputs);
        }
        if self.reopen_at().is_some_and(|at| at <= now) {
            self.reopen_timer.on_reopen(now);
            outputs.push(Output { at: now, board: None, effect: Effect::Reopen { board: None } });
        }
        if self.is_link_up && self.pending_question.is_none() && self.line_free_at <= now {
            self.send_next_question(now, outputs);
        }
    }

    fn on_timeout(&mut self, now: Millis, question: PendingQuestion, outputs: &mut Vec<Output>) {
        if question.address == BusAddress::ALL {
            self.discovery.end_round(now);
            self.probe_single_board(now, outputs);
            return;
        }
        let has_present_board = self.boards.values().any(BusBoard::is_here);
        let Some(board) = self.boards.get_mut(&question.address) else { return };
        let was_away = !board.is_here();
        let mut effects = Vec::new();
        board.on_timeout(now, question.command, &mut effects);
        let effects = board.filter(effects);
        let is_nothing =
            board.known_by == KnownFrom::PingAnswer && matches!(board.presence, Presence::Absent { tries: 2.. });
        if is_nothing {
            self.boards.remove(&question.address);
        }
        self.spend_on_absent(now, question, was_away && has_present_board);
        push_effects(now, question.address, effects, outputs);
        self.warn_if_empty(now, outputs);
    }

    fn warn_if_empty(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let all_away = self.boards.values().all(|board| matches!(board.presence, Presence::Absent { tries: 1.. }));
        if all_away && !self.boards.is_empty() && !std::mem::replace(&mut self.warned_empty, true) {
            let notice = "no board of the bus answers; is the bus plugged in, and is this its port?";
            outputs.push(Output { at: now, board: None, effect: Effect::Notice(notice.to_owned()) });
        }
    }

    fn send_next_question(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.search_due().is_some_and(|due| due <= now) {
            let here = self.boards.iter().filter(|(_, board)| board.is_here()).map(|(&address, _)| address);
            let here: Vec<_> = here.chain(self.ignored_boards.iter().copied()).collect();
            match self.discovery.next_action(now, here.into_iter(), self.has_open_game()) {
                Some(PingAction::MuteBoard(address)) => {
                    return self.send(now, BusCommand::IgnoreNextPing, address, outputs);
                }
                Some(PingAction::PingAll) => return self.send(now, BusCommand::Ping, BusAddress::ALL, outputs),
                None => {}
            }
        }
        let due = self.boards.iter().filter(|(_, board)| self.due(board) <= now);
        // At equal urgency the lowest address wins, independent of the order of the map.
        let next = due.max_by_key(|(address, board)| (board.urgency(now), std::cmp::Reverse(**address)));
        if let Some((&address, board)) = next {
            let command = board.next_question();
            self.send(now, command, address, outputs);
        }
    }

    fn send(&mut self, now: Millis, command: BusCommand, to: BusAddress, outputs: &mut Vec<Output>) {
        let bytes = command.encode(to);
        self.line_budget.record_bytes(now, bytes.len());
        let may_wait = self.boards.get(&to).is_some_and(BusBoard::may_wait);
        let answers = self.settings.bus.answer_ms;
        let patience = wire_time(bytes.len()) + Millis(if may_wait { answers / ABSENT_WAIT_DIVISOR } else { answers });
        let longest = patience + wire_time(crate::protocol::framer::MAX_MESSAGE);
        let wait = match self.boards.get_mut(&to) {
            _ if to == BusAddress::ALL => PING_WINDOW,
            Some(board) => {
                let wait = patience + wire_time(board.answer_size(command, now));
                board.on_question_sent(now, command);
                wait
            }
            None => patience,
        };
        self.pending_question = Some(PendingQuestion {
            command,
            address: to,
            sent_at: now,
            answer_deadline: now + wait,
            max_deadline: now + longest,
        });
        self.last_addressee = Some(to);
        outputs.push(Output { at: now, board: None, effect: Effect::Send(bytes.to_vec()) });
    }

    /// Handles an operator's request.
    pub fn request(&mut self, now: Millis, request: Request, outputs: &mut Vec<Output>) {
        let mut refuse = |why: &str| {
            let refused = Effect::Refused(format!("request `{request}`: {why}"));
            outputs.push(Output { at: now, board: None, effect: refused });
        };
        let Some(address) = request.target.address() else {
            return refuse("on a bus the address of the board goes first, as in `1025 result 2-0`");
        };
        let Some(board) = self.boards.get_mut(&address) else {
            if request.target != Target::BoardOnceFound(address) {
                let known = self.boards.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                refuse(&format!("there is no board {address} on this bus; known are {known}"));
            } else if self.pending_requests.len() < MAX_PENDING_REQUESTS {
                self.pending_requests.push((address, request.command));
            }
            return;
        };
        let effects = match request.command {
            // All boards of a bus share one log.
            OperatorCommand::Rotate => vec![self.rotation_request.set()],
            wish => {
                let effects = board.request(now, &wish, &self.settings.bus);
                board.filter(effects)
            }
        };
        push_effects(now, address, effects, outputs);
    }

    /// Returns the requests for boards that are not found yet.
    pub fn pending_requests(&self) -> &[(BusAddress, OperatorCommand)] {
        &self.pending_requests
    }

    /// Whether the operator requested new logs.
    pub fn rotation_requested(&self) -> bool {
        self.rotation_request.is_pending()
    }

    /// Returns the counts of unusable bytes.
    pub fn line_errors(&self) -> LineErrors {
        self.line_errors
    }

    /// Whether a restart would lose no part of a game on any board.
    pub fn can_restart(&self) -> bool {
        self.boards.values().all(|board| board.table().attention() == Attention::Idle && !board.status().is_held)
    }

    /// Returns the tables of the boards.
    pub fn tables(&self) -> impl Iterator<Item = (BusAddress, &Table)> {
        self.boards.iter().map(|(&address, board)| (address, board.table()))
    }

    /// Whether any board has a running game with an incomplete file.
    pub fn has_open_game(&self) -> bool {
        self.boards.values().any(|board| board.table().has_open_game())
    }

    /// Returns the state of the line as a whole.
    pub fn status(&self, _now: Millis) -> Status {
        let here = self.boards.values().filter(|board| board.is_here()).count();
        let away: Vec<String> =
            self.boards.iter().filter(|(_, board)| !board.is_here()).map(|(address, _)| address.to_string()).collect();
        let mut state = match here {
            _ if !self.is_link_up => "no connection".to_owned(),
            1 => format!("1 board, {} % of the line in use", self.line_budget.used_percent()),
            _ => format!("{here} boards, {} % of the line in use", self.line_budget.used_percent()),
        };
        if self.is_link_up && !away.is_empty() {
            state += &format!(", no answer from {}", away.join(", "));
        }
        let condition = match here {
            _ if !self.is_link_up => Condition::NoConnection,
            0 if !self.boards.is_empty() => Condition::NoAnswer,
            _ if self.has_open_game() => Condition::Playing,
            _ => Condition::Waiting,
        };
        Status { condition, state, ..Status::default() }
    }

    /// Returns the states of the boards, by ascending address.
    pub fn boards(&self) -> Vec<(BusAddress, Status)> {
        self.boards.iter().map(|(&address, board)| (address, board.status())).collect()
    }
}

fn push_effects(at: Millis, board: BusAddress, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
    outputs.extend(effects.into_iter().map(|effect| Output { at, board: Some(board), effect }));
}
