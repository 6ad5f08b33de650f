//! A board: sensors, a serial line, a clock on a cable, and a memory. Bytes and time go in, bytes come out.
//!
//! ```text
//!  pieces ─▸ Scanner ─▸ image ─┬─▸ FieldUpdate ──┐
//!                              └─▸ BoardDump ────┤
//!  clock ──▸ lag ──▸ received ──▸ BwTime, acks ──┼─▸ one message after another, 1.042 ms a byte
//!  host ─┬─▸ 10-byte buffer ──▸ single.rs ───────┤
//!        └─▸ one bus command ─▸ bus.rs ──────────┘
//! ```
//!
//! | mode | field updates | clock messages |
//! |---|---|---|
//! | bus (after power-up) | asked for only | asked for only |
//! | idle | no | no |
//! | update | each change | every second |
//! | update-board | each change | no |
//! | update-nice | each change | when the clock data changed |
//!
//! Invariants: messages never interleave; a single-board command is taken when the line is free, so a dump shows the image at the moment
//! the dump starts; a bus command received while the board is busy is lost; no host bytes can stop the board; losses are counted.
//!
//! Not included on purpose: anything that knows about moves.

mod bus;
mod clock_link;
mod host_input;
mod options;
mod shape;
mod single;

pub use options::{BoardOptions, Numbering, PieceSet};

use crate::clock::SimClock;
use crate::memory::EventMemory;
use crate::random::Rng;
use crate::scanner::{ScanMode, Scanner, SensorState};
use crate::wire;
use bus::BusState;
use shape::{BoardShape, shape};
use std::collections::VecDeque;

/// Number of command bytes that a busy board buffers in single-board mode.
pub const COMMAND_BUFFER_SIZE: usize = 10;

const TICK_US: u64 = 1_000_000;

/// One message on its way to the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedMessage {
    /// Start of its first byte, in microseconds; byte `n` has arrived `wire::line_us(n + 1)` later.
    pub start_us: u64,
    /// The complete message.
    pub bytes: Vec<u8>,
}

/// Messages that the board sends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Bus mode: the state after power-up.
    Bus,
    /// Single-board mode, no automatic messages.
    Idle,
    /// Field updates, and clock messages every second.
    Update,
    /// Field updates only.
    UpdateBoard,
    /// Field updates, and clock messages when the clock data changed.
    UpdateNice,
    /// Boot loader, entered by the command that must never be sent: no response until the power is cut.
    BootLoader,
}

/// A simulated board. Times are microseconds of the virtual clock and must not decrease from call to call.
#[derive(Debug, Clone)]
pub struct SimBoard {
    options: BoardOptions,
    is_turned: bool,
    is_powered: bool,
    mode: Mode,
    scanner: Scanner,
    clock: Option<SimClock>,
    memory: EventMemory,
    /// Time at which storing the last event ends, in microseconds.
    stored_us: u64,
    rng: Rng,
    arriving: VecDeque<(u64, u8)>,
    host_line_free_us: u64,
    buffer: VecDeque<u8>,
    dropped_bytes: u64,
    command: Vec<u8>,
    command_us: u64,
    queue: VecDeque<Vec<u8>>,
    line_free_us: u64,
    cut_message_us: Option<u64>,
    answers: VecDeque<(u64, Vec<u8>)>,
    next_tick_us: u64,
    last_clock_message: Option<Vec<u8>>,
    bus_state: BusState,
}

impl SimBoard {
    /// Creates a board without power; [`SimBoard::power_on`] starts it.
    pub fn new(options: BoardOptions, clock: Option<SimClock>, mut rng: Rng) -> SimBoard {
        let (rows, cols) = (usize::from(options.rows), usize::from(options.cols));
        let mut scanner = Scanner::new(rows, cols, options.scan_us, options.phase_us);
        scanner.set_mode(0, options.scan);
        SimBoard {
            is_turned: options.is_turned,
            is_powered: false,
            mode: Mode::Bus,
            scanner,
            clock,
            memory: EventMemory::used(options.old_events, options.fields().min(100) as u8, &mut rng),
            stored_us: 0,
            rng,
            arriving: VecDeque::new(),
            host_line_free_us: 0,
            buffer: VecDeque::new(),
            dropped_bytes: 0,
            command: Vec::new(),
            command_us: 0,
            queue: VecDeque::new(),
            line_free_us: 0,
            cut_message_us: None,
            answers: VecDeque::new(),
            next_tick_us: options.tick_us,
            last_clock_message: None,
            bus_state: BusState::default(),
            options,
        }
    }

    /// Puts a piece on a field, by its code in a draughts set, or removes it (code 0). Fields are numbered from White's point of view, for
    /// either orientation of the board.
    pub fn set(&mut self, now_us: u64, field: u8, contact: SensorState) {
        let sensor = self.sensor(field);
        let contact = SensorState { code: self.options.set.code(contact.code), ..contact };
        self.scanner.set(now_us, sensor, contact);
    }

    /// Returns the piece that physically stands on a field, by its wire code, even if the board has not seen it yet.
    pub fn contact(&self, field: u8) -> SensorState {
        self.scanner.sensor_state(self.sensor(field))
    }

    /// Returns the current mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the board has power.
    pub fn is_powered(&self) -> bool {
        self.is_powered
    }

    /// Returns the number of single-board bytes lost to a full command buffer, plus bus commands lost because the board was busy.
    pub fn dropped_bytes(&self) -> u64 {
        self.dropped_bytes
    }

    /// Returns the options of the board.
    pub fn options(&self) -> &BoardOptions {
        &self.options
    }

    /// Returns the clock on the board's cable.
    pub fn clock(&self) -> Option<&SimClock> {
        self.clock.as_ref()
    }

    /// Returns the clock for mutation, for example a press.
    pub fn clock_mut(&mut self) -> Option<&mut SimClock> {
        self.clock.as_mut()
    }

    /// Turns the board under its pieces: every piece stays on its named field, but other sensors detect it.
    pub fn set_turned(&mut self, now_us: u64, turned: bool) {
        if self.is_turned == turned {
            return;
        }
        self.is_turned = turned;
        let fields = self.options.fields();
        let contacts: Vec<SensorState> = (0..fields).map(|sensor| self.scanner.sensor_state(sensor)).collect();
        for (sensor, contact) in contacts.into_iter().rev().enumerate() {
            self.scanner.set(now_us, sensor, contact);
        }
    }

    /// Powers the board on: it reads its fields, stores them in its memory in random order, and waits in bus mode.
    pub fn power_on(&mut self, now_us: u64) {
        self.is_powered = true;
        self.mode = Mode::Bus;
        self.bus_state = BusState::default();
        self.scanner.read_all();
        let pieces = self.pieces();
        self.memory.power_up(now_us, &pieces);
        self.line_free_us = self.line_free_us.max(now_us);
        self.skip_ticks(now_us);
    }

    /// Powers the board off: messages on their way are lost, the memory remains.
    pub fn power_off(&mut self, now_us: u64) {
        self.is_powered = false;
        if self.line_free_us > now_us {
            self.cut_message_us = Some(now_us);
        }
        self.line_free_us = now_us;
        self.mode = Mode::Bus;
        self.arriving.clear();
        self.buffer.clear();
        self.command.clear();
        self.queue.clear();
        self.answers.clear();
        self.last_clock_message = None;
        self.bus_state = BusState::default();
    }

    /// Restarts the board by its watchdog: like a short power cut, except for the mark in the memory.
    pub fn restart_by_watchdog(&mut self, now_us: u64) {
        if self.is_powered {
            self.power_off(now_us);
            self.memory.watchdog();
            self.power_on(now_us);
        }
    }

    /// Receives bytes from the host, sent from `now_us` on at line speed.
    pub fn receive(&mut self, now_us: u64, bytes: &[u8]) {
        if !self.is_powered {
            return;
        }
        if self.can_ignore(bytes) {
            // Most bytes on a bus address other boards: skip them without waking this one.
            self.host_line_free_us = self.host_line_free_us.max(now_us) + wire::line_us(bytes.len());
            return;
        }
        for byte in bytes {
            self.host_line_free_us = self.host_line_free_us.max(now_us) + wire::line_us(1);
            self.arriving.push_back((self.host_line_free_us, *byte));
        }
    }

    /// Returns the start time of a message that a power cut broke off since the last call.
    pub fn take_cut_message(&mut self) -> Option<u64> {
        self.cut_message_us.take()
    }

    /// Sends an unsolicited clock event in the form of an ack, for example a pressed button.
    pub fn send_clock_event(&mut self, now_us: u64, ack: [u8; 4]) {
        self.answer_ack(now_us, now_us + 20_000, ack);
    }

    /// Returns the time of the next event inside the board.
    pub fn next_time(&self) -> Option<u64> {
        let clock = self.clock.as_ref().and_then(SimClock::next_time).map(|ms| ms * 1000);
        if !self.is_powered {
            return clock;
        }
        if let Some(awake_us) = self.bus_state.reset_until_us {
            return clock.into_iter().chain([awake_us]).min();
        }
        let line = (!self.queue.is_empty() || !self.buffer.is_empty()).then_some(self.line_free_us);
        let tick = self.ticks().then_some(self.next_tick_us);
        let arriving = self.arriving.front().map(|(time, _)| *time);
        let answer = self.answers.front().map(|(time, _)| *time);
        [clock, self.scanner.next_time(), line, tick, arriving, answer, self.bus_state.next_time()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Advances to `to_us`; adds the messages that start on the line by then to `sent`.
    pub fn advance(&mut self, to_us: u64, sent: &mut Vec<TimedMessage>) {
        while let Some(time) = self.next_time().filter(|time| *time <= to_us) {
            self.step(time, sent);
        }
    }

    fn step(&mut self, now: u64, sent: &mut Vec<TimedMessage>) {
        self.wake_from_reset(now);
        while let Some((_, byte)) = self.arriving.pop_front_until(now) {
            self.on_host_byte(now, byte);
        }
        self.on_clock_change(now);
        if !self.is_powered || self.bus_state.reset_until_us.is_some() {
            return;
        }
        self.scan(now);
        while let Some((_, bytes)) = self.answers.pop_front_until(now) {
            self.queue.push_back(bytes);
        }
        self.answer_on_bus(now);
        if self.ticks() && self.next_tick_us <= now {
            self.skip_ticks(now + 1);
            self.report_clock(now, self.mode == Mode::Update);
        }
        while self.line_free_us <= now {
            if let Some(bytes) = self.queue.pop_front() {
                self.line_free_us = now + wire::line_us(bytes.len());
                sent.push(TimedMessage { start_us: now, bytes });
            } else if let Some(byte) = self.buffer.pop_front() {
                self.on_command_byte(now, byte);
            } else {
                break;
            }
        }
    }

    fn on_clock_change(&mut self, now: u64) {
        while let Some(change) = self.clock.as_mut().and_then(|clock| clock.next_change(now / 1000)) {
            if !self.is_powered || self.bus_state.reset_until_us.is_some() {
                continue;
            }
            if let Some((side, seconds)) = change.stopped_side {
                self.memory.lever(side, seconds);
                self.store(now);
            }
            self.report_clock(now, false);
        }
    }

    fn scan(&mut self, now: u64) {
        while let Some(look) = self.scanner.scan_next(now, &mut self.rng) {
            let Some((sensor, code)) = look else { continue };
            let field = self.number(sensor);
            self.memory.piece(now, field, code);
            match shape(self.scanner.image(), usize::from(self.options.cols)) {
                BoardShape::Start => self.memory.start_shape(),
                BoardShape::Empty => self.memory.empty_board(),
                BoardShape::ChessStart => self.memory.chess_start(false),
                BoardShape::ChessStartRotated => self.memory.chess_start(true),
                BoardShape::Other => {}
            }
            self.store(now);
            if matches!(self.mode, Mode::Update | Mode::UpdateBoard | Mode::UpdateNice) {
                self.queue.push_back(wire::field_update(field, code));
            }
        }
    }

    /// Marks the board busy while it writes an event.
    fn store(&mut self, now: u64) {
        self.stored_us = now;
    }

    fn enter(&mut self, mode: Mode) {
        self.mode = mode;
        self.last_clock_message = None;
        self.bus_state = BusState::default();
        if mode == Mode::Bus {
            self.queue.clear();
            self.answers.clear();
        }
    }

    /// Returns the pieces in the board's image as (field, code), in random order.
    fn pieces(&mut self) -> Vec<(u8, u8)> {
        let mut pieces: Vec<(u8, u8)> = (self.scanner.image().iter().enumerate())
            .filter(|(_, code)| **code != 0)
            .map(|(sensor, code)| (self.number(sensor), *code))
            .collect();
        self.rng.shuffle(&mut pieces);
        pieces
    }

    /// Returns the fifty squares of one colour; `None` for boards of another size, which have no such message.
    fn half_image(&self, dark: bool) -> Option<Vec<u8>> {
        let squares = (self.scanner.image().iter().enumerate())
            .filter(|(sensor, _)| self.scanner.is_dark(*sensor) == dark)
            .map(|(_, code)| *code);
        ((self.options.rows, self.options.cols) == (10, 10)).then(|| squares.collect())
    }

    fn sensor(&self, field: u8) -> usize {
        let field = usize::from(field);
        if self.is_turned { (self.options.fields() - 1).wrapping_sub(field) } else { field }
    }

    /// Returns the number of a sensor in the board's messages.
    fn number(&self, sensor: usize) -> u8 {
        let number = match (self.options.numbering, self.scanner.mode()) {
            (Numbering::AllFields, _) | (_, ScanMode::All) => sensor,
            (Numbering::ScannedFields, _) => (0..sensor).filter(|before| self.scanner.covers(*before)).count(),
        };
        number as u8
    }
}

/// Takes due entries from the front of a queue.
trait DueQueue<T> {
    fn pop_front_until(&mut self, now: u64) -> Option<(u64, T)>;
}

impl<T> DueQueue<T> for VecDeque<(u64, T)> {
    fn pop_front_until(&mut self, now: u64) -> Option<(u64, T)> {
        self.front().filter(|(time, _)| *time <= now)?;
        self.pop_front()
    }
}
