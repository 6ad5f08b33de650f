//! The recorder of a bus: many boards on one wire, each a table of its own, asked one after the other.
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
//! A bus is silent until it is asked, and takes one question at a time. The next one goes out as soon as the last is
//! answered, so the line is as busy as 9600 baud allow; which board gets it is a matter of what is going on on it
//! ([`BusBoard::urgency`]) and of how long it has waited, so that none is ever left out. A board that does not answer
//! costs a time-out, and is then asked ever more rarely, all such boards together a small share of the line.
//!
//! | damage | what is done |
//! |---|---|
//! | an answer with a wrong checksum | it is asked for again; changes with "repeat", because they are handed out once |
//! | no answer | the same; after the second time the board is away and is pinged until it is back |
//! | nothing but damaged answers | the same after the fourth: two boards may go by one address |
//! | any disturbance | nothing is believed of that board until a dump shows that its reports are whole |
//! | no board answers any more | the link is opened again: it may be dead without saying so |
//! | the board dropped out of bus mode | any command of the bus brings it back; the first is not obeyed, the next is |
//!
//! Invariants: nothing is sent while an answer is due; an answer that was not asked for is taken like any other, so the
//! log of another program replays too.

mod board;
mod discovery;
mod silence;
mod usage;

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use super::held::Rotation;
use super::request::{Addressee, Request, Wish};
use super::table::{Attention, Table};
use super::wait::{LineWait, earliest, named};
use super::{BusAddress, Condition, Damage, Effect, Heard, LineSettings, Output, Status, UnknownBoards};
use crate::engine::calendar;
use crate::engine::millis::Millis;
use crate::engine::protocol::{
    BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage, Command, Decoder, Item, Message,
};
use board::{BoardOrigin, BusBoard, Presence};
use discovery::{Ask, Discovery, LISTENS};
use silence::Silence;
use usage::{Usage, time_of};

/// More boards than can be polled; a noisy line must not make up new ones for ever.
const MOST_BOARDS: usize = 256;
/// Two requests for each of them.
const MOST_TO_BE_TOLD: usize = 2 * MOST_BOARDS;
/// Boards that are away may take this much of the line from those that are here: one part of so many.
const AWAY_SHARE: u64 = 14;
/// A board that is away is waited for this part of the time that an answer may take: it is most likely not there, answers
/// within milliseconds if it is, and is heard as well if it answers later.
const AWAY_PATIENCE: u64 = 3;
/// A damaged answer may have more bytes than it said; they are let go by before the next question.
const AFTER_DAMAGE: Millis = Millis(3);

/// A question under way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    command: BusCommand,
    to: BusAddress,
    at: Millis,
    /// When it counts as not answered.
    until: Millis,
    /// No byte of an answer makes it wait longer than this.
    latest: Millis,
}

/// A bus and its boards.
#[derive(Clone, Debug)]
pub struct Bus {
    settings: LineSettings,
    decoder: BusDecoder,
    boards: BTreeMap<BusAddress, BusBoard>,
    is_up: bool,
    asked: Option<Asked>,
    /// Who had the word last: noise after an answer belongs to it.
    last_asked: Option<BusAddress>,
    /// The line is not used before.
    free_at: Millis,
    /// No board that is away is pinged before.
    away_at: Millis,
    discovery: Discovery,
    silence: Silence,
    usage: Usage,
    ignored: Vec<BusAddress>,
    told_nobody: bool,
    damage: Damage,
    rotation: Rotation,
    /// What boards that have not been found yet are to be told when they are.
    to_be_told: Vec<(BusAddress, Wish)>,
    stranger: Stranger,
}

/// Where no board of a bus answers, one that knows no bus may be at the port: it is asked once what stands on it.
#[derive(Clone, Debug, Default)]
enum Stranger {
    /// It was not asked since the link came up.
    #[default]
    Unasked,
    /// What has come since then, read as from a single board.
    Asked(Decoder),
    /// It answers, and the operator was told.
    Told,
}

impl Bus {
    /// A bus that has not been opened yet.
    pub fn new(settings: LineSettings) -> Bus {
        let boards = settings
            .boards
            .keys()
            .map(|&address| (address, BusBoard::new(settings.of_board(address), BoardOrigin::Expected, Millis::ZERO)));
        Bus {
            boards: boards.collect(),
            decoder: BusDecoder::new(),
            is_up: false,
            asked: None,
            last_asked: None,
            free_at: Millis::ZERO,
            away_at: Millis::ZERO,
            discovery: Discovery::at(Millis::ZERO),
            silence: Silence::default(),
            usage: Usage::default(),
            ignored: Vec::new(),
            told_nobody: false,
            damage: Damage::default(),
            rotation: Rotation::default(),
            to_be_told: Vec::new(),
            stranger: Stranger::default(),
            settings,
        }
    }

    /// The port is open.
    pub fn link_up(&mut self, now: Millis) {
        self.is_up = true;
        self.decoder = BusDecoder::new();
        self.asked = None;
        self.free_at = now;
        self.away_at = now;
        self.discovery = Discovery::at(now);
        self.silence.link_up(now);
        self.usage = Usage::start(now);
        if !matches!(self.stranger, Stranger::Told) {
            self.stranger = Stranger::Unasked;
        }
        for board in self.boards.values_mut() {
            board.link_up(now);
        }
    }

    /// The port is gone.
    pub fn link_down(&mut self, now: Millis) {
        self.is_up = false;
        self.decoder = BusDecoder::new();
        let asked = self.asked.take();
        for (&address, board) in &mut self.boards {
            board.link_down(now, asked.filter(|asked| asked.to == address).map(|asked| asked.command));
        }
    }

    /// What holds for boards of which nothing else is said.
    pub fn settings(&self) -> &LineSettings {
        &self.settings
    }

    /// From a time on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        let opened = Some(calendar::epoch(at, shown));
        self.settings.opened = opened;
        self.settings.boards.values_mut().for_each(|board| board.opened = opened);
        self.boards.values_mut().for_each(|board| board.set_clock(at, shown));
    }

    /// Takes one byte.
    pub fn hear(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) -> Heard {
        self.usage.carry(now, 1);
        self.hear_stranger(now, byte, outputs);
        let item = self.decoder.push(byte);
        if let (Some(asked), Some(missing)) = (&mut self.asked, self.decoder.missing())
            && asked.to != BusAddress::ALL
        {
            let patience = Millis(self.settings.bus.answer_ms);
            asked.until = (now + time_of(missing) + patience).min(asked.latest);
        }
        match item {
            None => return Heard::Nothing,
            Some(BusItem::Message(message)) => self.take(now, &message, outputs),
            Some(BusItem::BadChecksum { id, .. }) => {
                self.damage.bad_checksums += 1;
                let is_awaited = self.asked.is_some_and(|asked| asked.command.answer() == Some(id));
                self.disturb(now, is_awaited, outputs);
            }
            Some(BusItem::Noise(noise)) => {
                self.damage.noise_bytes += noise.bytes as u64;
                self.disturb(now, false, outputs);
            }
        }
        Heard::Something
    }

    /// Is it a board that knows no bus?
    fn hear_stranger(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) {
        let Stranger::Asked(decoder) = &mut self.stranger else { return };
        let is_dump =
            |item| matches!(item, Item::Message(Message::BoardDump(codes)) if codes.iter().all(|code| code.0 < 16));
        if decoder.push(byte).is_some_and(is_dump) && !self.boards.values().any(BusBoard::is_here) {
            self.stranger = Stranger::Told;
            let notice =
                "a single board answers at this port, and no board of a bus: set mode = \"single\" for this line";
            outputs.push(Output { at: now, board: None, effect: Effect::Notice(notice.to_owned()) });
        }
    }

    /// Asks once whether a board is at the port that knows no bus. Boards of a bus that are plugged in at this moment are called
    /// back by the next ping.
    fn ask_stranger(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let is_nobody = !self.boards.values().any(BusBoard::is_here);
        if !is_nobody || !self.discovery.is_resting() || !matches!(self.stranger, Stranger::Unasked) {
            return;
        }
        self.stranger = Stranger::Asked(Decoder::new());
        // Its answer is over when the line is used again.
        self.free_at = now + LISTENS;
        let effect = Effect::Send(Command::SendBoard.encode());
        outputs.push(Output { at: now, board: None, effect });
    }

    fn take(&mut self, now: Millis, message: &BusMessage, outputs: &mut Vec<Output>) {
        let from = message.from;
        self.silence.end(now);
        let asked = self.asked.filter(|asked| asked.to == from && asked.command.answer() == Some(message.answer.id()));
        if asked.is_some() {
            self.asked = None;
            self.free_at = now + Millis(self.settings.bus.gap_ms);
        }
        if self.discovery.is_listening() && message.answer == BusAnswer::Ping {
            self.rumour(now, from);
            return;
        }
        if !self.boards.contains_key(&from) {
            self.meet(now, from, &message.answer, outputs);
        }
        let Some(board) = self.boards.get_mut(&from) else { return };
        if board.known_by == BoardOrigin::Rumoured && self.settings.bus.unknown_boards == UnknownBoards::Ignore {
            self.boards.remove(&from);
            self.ignored.push(from);
            let notice = "a board that the configuration does not name is on the bus; it is not recorded";
            outputs.push(Output { at: now, board: Some(from), effect: Effect::Notice(notice.to_owned()) });
            return;
        }
        let mut effects = Vec::new();
        let command = asked.map(|asked| asked.command);
        board.hear(now, command, &message.answer, &self.settings.bus, &mut self.usage, &mut effects);
        self.told_nobody = false;
        put(now, from, board.pass(effects), outputs);
        for (_, wish) in self.to_be_told.extract_if(.., |(address, _)| *address == from) {
            let effects = board.request(now, &wish, &self.settings.bus);
            put(now, from, board.pass(effects), outputs);
        }
    }

    /// An answer to a ping to all. The board has to answer for itself before it is believed.
    fn rumour(&mut self, now: Millis, address: BusAddress) {
        if address == BusAddress::ALL || self.ignored.contains(&address) {
            return;
        }
        if let Some(board) = self.boards.get_mut(&address) {
            if !board.is_here() {
                board.link_up(now);
            }
        } else if self.boards.len() < MOST_BOARDS {
            let board = BusBoard::new(self.settings.of_board(address), BoardOrigin::Rumoured, now);
            self.boards.insert(address, board);
            self.discovery.heard_something();
        }
    }

    /// A board that nobody asked tells what stands on it: in the log of another program.
    fn meet(&mut self, now: Millis, address: BusAddress, answer: &BusAnswer, outputs: &mut Vec<Output>) {
        let says_much = matches!(answer, BusAnswer::Board(_) | BusAnswer::Board50Black(_));
        if !says_much
            || address == BusAddress::ALL
            || self.ignored.contains(&address)
            || self.boards.len() >= MOST_BOARDS
        {
            return;
        }
        self.boards.insert(address, BusBoard::new(self.settings.of_board(address), BoardOrigin::Rumoured, now));
        let note = "a board that was not asked tells what stands on it";
        outputs.push(Output { at: now, board: Some(address), effect: Effect::Note(note.to_owned()) });
    }

    /// Bytes that are no answer. `is_awaited`: they looked like the one that is due, but for their checksum.
    fn disturb(&mut self, now: Millis, is_awaited: bool, outputs: &mut Vec<Output>) {
        if self.discovery.is_listening() {
            self.discovery.heard_something();
            return;
        }
        let word = self.asked.map(|asked| asked.to).or(self.last_asked);
        let somebody = self.boards.values().any(BusBoard::is_here);
        let Some(board) = word.and_then(|word| self.boards.get_mut(&word)) else { return };
        board.disturb();
        if let Some(asked) = self.asked.filter(|_| is_awaited) {
            self.asked = None;
            self.free_at = now + AFTER_DAMAGE.max(Millis(self.settings.bus.gap_ms));
            let was_away = !board.is_here();
            let mut effects = Vec::new();
            board.garble(now, asked.command, &mut effects);
            put(now, asked.to, board.pass(effects), outputs);
            self.spend_on_away(now, asked, was_away && somebody);
        }
    }

    /// A ping in vain takes its share of the line.
    fn spend_on_away(&mut self, now: Millis, asked: Asked, is_in_vain: bool) {
        if is_in_vain {
            self.away_at = now + Millis((now - asked.at).0 * (AWAY_SHARE - 1));
        }
    }

    /// When [`Bus::tick`] has something to do, and what is waited for until then.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        let decides = earliest(self.boards.values().map(BusBoard::deadline_away));
        let asks = match &self.asked {
            _ if !self.is_up => None,
            Some(asked) => Some((asked.until, LineWait::Answer)),
            None => named(self.next_question_at().map(|at| at.max(self.free_at)), LineWait::Question),
        };
        earliest([asks, decides, named(self.reopen_at(), LineWait::Reopening)])
    }

    /// When the link is to be opened again if nobody answers until then; `None` while a board is here.
    fn reopen_at(&self) -> Option<Millis> {
        let is_silent = self.is_up && !self.boards.values().any(BusBoard::is_here);
        is_silent.then(|| self.silence.reopen_at())
    }

    fn next_question_at(&self) -> Option<Millis> {
        let boards = self.boards.values().map(|board| self.due(board)).min();
        boards.into_iter().chain(self.search_due()).min()
    }

    /// The search begins when every board that is known has been greeted.
    fn search_due(&self) -> Option<Millis> {
        self.discovery.due().filter(|_| self.boards.values().all(BusBoard::is_greeted))
    }

    fn due(&self, board: &BusBoard) -> Millis {
        if board.may_wait() { board.due.max(self.away_at) } else { board.due }
    }

    /// Decides and asks what is due.
    pub fn tick(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        for (&address, board) in &mut self.boards {
            if board.deadline_away().is_some_and(|(at, _)| at <= now) {
                let mut effects = Vec::new();
                board.decide(now, &mut effects);
                put(now, address, board.pass(effects), outputs);
            }
        }
        if let Some(asked) = self.asked.filter(|asked| asked.until <= now) {
            self.asked = None;
            self.free_at = now;
            self.miss(now, asked, outputs);
        }
        if self.reopen_at().is_some_and(|at| at <= now) {
            self.silence.reopen(now);
            outputs.push(Output { at: now, board: None, effect: Effect::Reopen { board: None } });
        }
        if self.is_up && self.asked.is_none() && self.free_at <= now {
            self.ask(now, outputs);
        }
    }

    fn miss(&mut self, now: Millis, asked: Asked, outputs: &mut Vec<Output>) {
        if asked.to == BusAddress::ALL {
            self.discovery.round_is_over(now);
            self.ask_stranger(now, outputs);
            return;
        }
        let somebody = self.boards.values().any(BusBoard::is_here);
        let Some(board) = self.boards.get_mut(&asked.to) else { return };
        let was_away = !board.is_here();
        let mut effects = Vec::new();
        board.miss(now, asked.command, &mut effects);
        let effects = board.pass(effects);
        let is_nothing =
            board.known_by == BoardOrigin::Rumoured && matches!(board.presence, Presence::Away { tries: 2.. });
        if is_nothing {
            self.boards.remove(&asked.to);
        }
        self.spend_on_away(now, asked, was_away && somebody);
        put(now, asked.to, effects, outputs);
        self.tell_if_nobody_is_here(now, outputs);
    }

    fn tell_if_nobody_is_here(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let all_away = self.boards.values().all(|board| matches!(board.presence, Presence::Away { tries: 1.. }));
        if all_away && !self.boards.is_empty() && !std::mem::replace(&mut self.told_nobody, true) {
            let notice = "no board of the bus answers; is the bus plugged in, and is this its port?";
            outputs.push(Output { at: now, board: None, effect: Effect::Notice(notice.to_owned()) });
        }
    }

    /// Asks who is to be asked.
    fn ask(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        if self.search_due().is_some_and(|due| due <= now) {
            let here = self.boards.iter().filter(|(_, board)| board.is_here()).map(|(&address, _)| address);
            let here: Vec<_> = here.chain(self.ignored.iter().copied()).collect();
            match self.discovery.ask(now, here.into_iter(), self.has_open_game()) {
                Some(Ask::Silence(address)) => return self.send(now, BusCommand::IgnoreNextPing, address, outputs),
                Some(Ask::All) => return self.send(now, BusCommand::Ping, BusAddress::ALL, outputs),
                None => {}
            }
        }
        let due = self.boards.iter().filter(|(_, board)| self.due(board) <= now);
        // Of those that matter alike, the lowest address: the order of the map decides nothing else.
        let next = due.max_by_key(|(address, board)| (board.urgency(now), std::cmp::Reverse(**address)));
        if let Some((&address, board)) = next {
            let command = board.question();
            self.send(now, command, address, outputs);
        }
    }

    fn send(&mut self, now: Millis, command: BusCommand, to: BusAddress, outputs: &mut Vec<Output>) {
        let bytes = command.encode(to);
        self.usage.carry(now, bytes.len());
        let may_wait = self.boards.get(&to).is_some_and(BusBoard::may_wait);
        let answers = self.settings.bus.answer_ms;
        let patience = time_of(bytes.len()) + Millis(if may_wait { answers / AWAY_PATIENCE } else { answers });
        let longest = patience + time_of(crate::engine::protocol::framer::MAX_MESSAGE);
        let wait = match self.boards.get_mut(&to) {
            _ if to == BusAddress::ALL => LISTENS,
            Some(board) => {
                let wait = patience + time_of(board.answer_size(command, now));
                board.asked(now, command);
                wait
            }
            None => patience,
        };
        self.asked = Some(Asked { command, to, at: now, until: now + wait, latest: now + longest });
        self.last_asked = Some(to);
        outputs.push(Output { at: now, board: None, effect: Effect::Send(bytes.to_vec()) });
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, request: Request, outputs: &mut Vec<Output>) {
        let mut refuse = |why: &str| {
            let refused = Effect::Refused(format!("request `{request}`: {why}"));
            outputs.push(Output { at: now, board: None, effect: refused });
        };
        let Some(address) = request.to.address() else {
            return refuse("on a bus the address of the board goes first, as in `1025 result 2-0`");
        };
        let Some(board) = self.boards.get_mut(&address) else {
            if request.to != Addressee::BoardWhenFound(address) {
                let known = self.boards.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                refuse(&format!("there is no board {address} on this bus; known are {known}"));
            } else if self.to_be_told.len() < MOST_TO_BE_TOLD {
                self.to_be_told.push((address, request.wish));
            }
            return;
        };
        let effects = match request.wish {
            // Its boards have their logs together.
            Wish::Rotate => vec![self.rotation.ask()],
            wish => {
                let effects = board.request(now, &wish, &self.settings.bus);
                board.pass(effects)
            }
        };
        put(now, address, effects, outputs);
    }

    /// What boards that have not been found yet are to be told.
    pub fn to_be_told(&self) -> &[(BusAddress, Wish)] {
        &self.to_be_told
    }

    /// Did the operator ask for new logs?
    pub fn wants_rotation(&self) -> bool {
        self.rotation.is_wanted()
    }

    /// What of its bytes told nothing.
    pub fn damage(&self) -> Damage {
        self.damage
    }

    /// Would no board lose anything of a game?
    pub fn may_begin_anew(&self) -> bool {
        self.boards.values().all(|board| board.table().attention() == Attention::Idle && !board.status().is_held)
    }

    /// The tables of its boards.
    pub fn tables(&self) -> impl Iterator<Item = (BusAddress, &Table)> {
        self.boards.iter().map(|(&address, board)| (address, board.table()))
    }

    /// Is a game going on, on any board, whose file is not complete?
    pub fn has_open_game(&self) -> bool {
        self.boards.values().any(|board| board.table().has_open_game())
    }

    /// The state of the line as a whole.
    pub fn status(&self, _now: Millis) -> Status {
        let here = self.boards.values().filter(|board| board.is_here()).count();
        let away: Vec<String> =
            self.boards.iter().filter(|(_, board)| !board.is_here()).map(|(address, _)| address.to_string()).collect();
        let mut state = match here {
            _ if !self.is_up => "no connection".to_owned(),
            1 => format!("1 board, {} % of the line in use", self.usage.percent()),
            _ => format!("{here} boards, {} % of the line in use", self.usage.percent()),
        };
        if self.is_up && !away.is_empty() {
            state += &format!(", no answer from {}", away.join(", "));
        }
        let condition = match here {
            _ if !self.is_up => Condition::NoConnection,
            0 if !self.boards.is_empty() => Condition::NoAnswer,
            _ if self.has_open_game() => Condition::Playing,
            _ => Condition::Waiting,
        };
        Status { condition, state, ..Status::default() }
    }

    /// The states of the boards, by ascending address.
    pub fn boards(&self) -> Vec<(BusAddress, Status)> {
        self.boards.iter().map(|(&address, board)| (address, board.status())).collect()
    }
}

fn put(at: Millis, board: BusAddress, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
    outputs.extend(effects.into_iter().map(|effect| Output { at, board: Some(board), effect }));
}
