//! A board: sensors, a serial line, a clock on a cable, and a memory. Bytes in, bytes out, time in.
//!
//! ```text
//!  pieces ─▸ Scanner ─▸ image ─┬─▸ FieldUpdate ──┐
//!                              └─▸ BoardDump ────┤
//!  clock ──▸ lag ──▸ heard ─────▸ BwTime, acks ──┼─▸ one message after another, 1.042 ms a byte
//!  host ───▸ 10-byte buffer ──▸ one command ─────┘
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
//! Invariants: messages never interleave; a command is taken when the line is free, so what a dump says is what the board believes when
//! the dump starts; whatever bytes a host sends, the board goes on; commands beyond the buffer are dropped and counted.
//!
//! Absent on purpose: talking on a bus (commands are recognised and swallowed, so that the switch between the modes is
//! right), and anything that knows what a move is.

use crate::clock::SimClock;
use crate::memory::EventMemory;
use crate::random::{Rng, Span};
use crate::scanner::{Contact, ScanMode, Scanner};
use crate::wire::{self, id};
use std::collections::VecDeque;

/// Bytes that a board keeps of what a host sends while it is busy.
pub const COMMAND_BUFFER: usize = 10;

/// A command that stands half-sent for longer than this is forgotten, in microseconds.
const STALE_COMMAND_US: u64 = 500_000;

const TICK_US: u64 = 1_000_000;

/// How a board is made; the same board always behaves the same.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardOptions {
    /// Rows of fields, 2 to 12.
    pub rows: u8,
    /// Columns of fields, 2 to 12.
    pub cols: u8,
    /// The connector is on White's right: everything arrives rotated by 180 degrees.
    pub turned: bool,
    /// Time of one scan of all fields, in microseconds.
    pub scan_us: u64,
    /// When the first scan starts, in microseconds.
    pub phase_us: u64,
    /// When in a second the board sends its clock messages, in microseconds.
    pub tick_us: u64,
    /// Which fields are scanned.
    pub scan: ScanMode,
    /// How field updates count when only half of the fields are scanned.
    pub numbering: Numbering,
    /// Serial number, five digits; the bus address is the same number.
    pub serial: u32,
    /// Long serial number, ten digits.
    pub long_serial: u64,
    /// Main and sub version.
    pub version: (u8, u8),
    /// Trademark text; it must say that the board is simulated.
    pub trademark: String,
    /// Version of the clock, two nibbles.
    pub clock_version: u8,
    /// Time from a clock command to its ack, in milliseconds.
    pub ack_ms: Span,
    /// Share of clock commands after which one clock message reads all zero.
    pub zero_after_command: f64,
    /// Events of earlier games that stand in the memory already; 4000 fill it (reading it takes 8 s then).
    pub old_events: u32,
}

/// How field updates are counted when only one colour of squares is scanned; documents leave it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbering {
    /// As always: all fields count.
    #[default]
    AllFields,
    /// Only scanned fields count.
    ScannedFields,
}

impl BoardOptions {
    /// A board of the given size with ordinary properties. A board of more than 128 fields cannot name them all in seven bits:
    /// it scans its dark squares and counts only those.
    pub fn new(rows: u8, cols: u8) -> BoardOptions {
        let large = u32::from(rows) * u32::from(cols) > 128;
        BoardOptions {
            rows,
            cols,
            turned: false,
            scan_us: 225_000,
            phase_us: 0,
            tick_us: 0,
            scan: if large { ScanMode::Dark } else { ScanMode::All },
            numbering: if large { Numbering::ScannedFields } else { Numbering::AllFields },
            serial: 1025,
            long_serial: 3_000_001_025,
            version: (1, 11),
            trademark: "simulated draughts board\r\nnot a product of any maker\r\n".to_string(),
            clock_version: 0x22,
            ack_ms: Span::new(40, 250),
            zero_after_command: 0.0,
            old_events: 0,
        }
    }

    fn fields(&self) -> usize {
        usize::from(self.rows) * usize::from(self.cols)
    }
}

/// One message on its way to the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// When its first byte starts, in microseconds; byte `n` is there `wire::line_us(n + 1)` later.
    pub start_us: u64,
    /// The whole message.
    pub bytes: Vec<u8>,
}

/// What the board does by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Bus mode: the state after power-up.
    Bus,
    /// Single-board, no automatic messages.
    Idle,
    /// Field updates, and clock messages every second.
    Update,
    /// Field updates only.
    UpdateBoard,
    /// Field updates, and clock messages when the clock data changed.
    UpdateNice,
    /// In the boot loader after the command that must never be sent: dead until the power is cut.
    BootLoader,
}

/// A simulated board. Times are microseconds of the virtual clock and must not decrease from call to call.
#[derive(Debug, Clone)]
pub struct SimBoard {
    options: BoardOptions,
    turned: bool,
    powered: bool,
    mode: Mode,
    scanner: Scanner,
    clock: Option<SimClock>,
    memory: EventMemory,
    rng: Rng,
    arriving: VecDeque<(u64, u8)>,
    host_line_free_us: u64,
    buffer: VecDeque<u8>,
    dropped: u64,
    command: Vec<u8>,
    command_us: u64,
    queue: VecDeque<Vec<u8>>,
    line_free_us: u64,
    answers: VecDeque<(u64, Vec<u8>)>,
    next_tick_us: u64,
    told: Option<Vec<u8>>,
}

impl SimBoard {
    /// A board without power; [`SimBoard::power_on`] starts it.
    pub fn new(options: BoardOptions, clock: Option<SimClock>, mut rng: Rng) -> SimBoard {
        let (rows, cols) = (usize::from(options.rows), usize::from(options.cols));
        let mut scanner = Scanner::new(rows, cols, options.scan_us, options.phase_us);
        scanner.set_mode(0, options.scan);
        SimBoard {
            turned: options.turned,
            powered: false,
            mode: Mode::Bus,
            scanner,
            clock,
            memory: EventMemory::used(options.old_events, options.fields().min(128) as u8, &mut rng),
            rng,
            arriving: VecDeque::new(),
            host_line_free_us: 0,
            buffer: VecDeque::new(),
            dropped: 0,
            command: Vec::new(),
            command_us: 0,
            queue: VecDeque::new(),
            line_free_us: 0,
            answers: VecDeque::new(),
            next_tick_us: options.tick_us,
            told: None,
            options,
        }
    }

    /// Puts a piece on a field, or takes it away. Fields are counted from White's point of view, whichever way round the board lies.
    pub fn set(&mut self, now_us: u64, field: u8, contact: Contact) {
        let sensor = self.sensor(field);
        self.scanner.set(now_us, sensor, contact);
    }

    /// What stands on a field, whether the board has seen it or not.
    pub fn contact(&self, field: u8) -> Contact {
        self.scanner.contact(self.sensor(field))
    }

    /// What the board does by itself at the moment.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Host bytes lost because the command buffer was full.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How the board was made.
    pub fn options(&self) -> &BoardOptions {
        &self.options
    }

    /// The clock on the board's cable.
    pub fn clock(&self) -> Option<&SimClock> {
        self.clock.as_ref()
    }

    /// The clock, to press it.
    pub fn clock_mut(&mut self) -> Option<&mut SimClock> {
        self.clock.as_mut()
    }

    /// Turns the board round under its pieces' names: what stood on a field still stands there, but other sensors feel it.
    pub fn turn(&mut self, now_us: u64, turned: bool) {
        if self.turned == turned {
            return;
        }
        self.turned = turned;
        let fields = self.options.fields();
        let contacts: Vec<Contact> = (0..fields).map(|sensor| self.scanner.contact(sensor)).collect();
        for (sensor, contact) in contacts.into_iter().rev().enumerate() {
            self.scanner.set(now_us, sensor, contact);
        }
    }

    /// Gives the board power: it reads its fields, writes them into its memory in any order, and waits in bus mode.
    pub fn power_on(&mut self, now_us: u64) {
        self.powered = true;
        self.mode = Mode::Bus;
        self.scanner.read_all();
        let mut pieces: Vec<(u8, u8)> = self
            .scanner
            .image()
            .iter()
            .enumerate()
            .filter(|(_, code)| **code != 0)
            .map(|(sensor, code)| (self.number(sensor), *code))
            .collect();
        self.rng.shuffle(&mut pieces);
        self.memory.power_up(now_us, &pieces);
        self.line_free_us = self.line_free_us.max(now_us);
        self.skip_ticks(now_us);
    }

    /// Takes the power away: everything on its way is lost, the memory stays.
    pub fn power_off(&mut self) {
        self.powered = false;
        self.mode = Mode::Bus;
        self.arriving.clear();
        self.buffer.clear();
        self.command.clear();
        self.queue.clear();
        self.answers.clear();
        self.told = None;
    }

    /// Bytes from the host, sent from `now_us` on at line speed.
    pub fn receive(&mut self, now_us: u64, bytes: &[u8]) {
        if !self.powered {
            return;
        }
        for byte in bytes {
            self.host_line_free_us = self.host_line_free_us.max(now_us) + wire::line_us(1);
            self.arriving.push_back((self.host_line_free_us, *byte));
        }
    }

    /// Something the clock says unasked, in the shape of an ack (a button was pressed, say).
    pub fn clock_says(&mut self, now_us: u64, ack: [u8; 4]) {
        self.answer_ack(now_us, now_us + 20_000, ack);
    }

    /// When something happens next inside the board.
    pub fn next_time(&self) -> Option<u64> {
        let clock = self.clock.as_ref().and_then(SimClock::next_time).map(|ms| ms * 1000);
        if !self.powered {
            return clock;
        }
        let line = (!self.queue.is_empty() || !self.buffer.is_empty()).then_some(self.line_free_us);
        let tick = self.ticks().then_some(self.next_tick_us);
        let arriving = self.arriving.front().map(|(time, _)| *time);
        let answer = self.answers.front().map(|(time, _)| *time);
        [clock, self.scanner.next_time(), line, tick, arriving, answer].into_iter().flatten().min()
    }

    /// Lives until `to_us`; messages that start on the line by then are added to `sent`.
    pub fn advance(&mut self, to_us: u64, sent: &mut Vec<Sent>) {
        while let Some(time) = self.next_time().filter(|time| *time <= to_us) {
            self.step(time, sent);
        }
    }

    fn step(&mut self, now: u64, sent: &mut Vec<Sent>) {
        while let Some((_, byte)) = self.arriving.pop_front_until(now) {
            if self.buffer.len() < COMMAND_BUFFER {
                self.buffer.push_back(byte);
            } else {
                self.dropped += 1;
            }
        }
        self.hear_clock(now);
        if !self.powered {
            return;
        }
        self.scan(now);
        while let Some((_, bytes)) = self.answers.pop_front_until(now) {
            self.queue.push_back(bytes);
        }
        if self.ticks() && self.next_tick_us <= now {
            self.skip_ticks(now + 1);
            self.report_clock(now, self.mode == Mode::Update);
        }
        while self.line_free_us <= now {
            if let Some(bytes) = self.queue.pop_front() {
                self.line_free_us = now + wire::line_us(bytes.len());
                sent.push(Sent { start_us: now, bytes });
            } else if let Some(byte) = self.buffer.pop_front() {
                self.take(now, byte);
            } else {
                break;
            }
        }
    }

    fn hear_clock(&mut self, now: u64) {
        while let Some(heard) = self.clock.as_mut().and_then(|clock| clock.hear(now / 1000)) {
            if !self.powered {
                continue;
            }
            if let Some((side, seconds)) = heard.stopped {
                self.memory.lever(side, seconds);
            }
            self.report_clock(now, false);
        }
    }

    fn scan(&mut self, now: u64) {
        while let Some(look) = self.scanner.look(now, &mut self.rng) {
            let Some((sensor, code)) = look else { continue };
            let field = self.number(sensor);
            self.memory.piece(now, field, code);
            match shape(self.scanner.image(), usize::from(self.options.cols)) {
                Shape::Start => self.memory.start_shape(),
                Shape::Empty => self.memory.empty_board(),
                Shape::Other => {}
            }
            if matches!(self.mode, Mode::Update | Mode::UpdateBoard | Mode::UpdateNice) {
                self.queue.push_back(wire::field_update(field, code));
            }
        }
    }

    /// One byte of a command, taken from the buffer while the line is free.
    fn take(&mut self, now: u64, byte: u8) {
        if now.saturating_sub(self.command_us) > STALE_COMMAND_US {
            self.command.clear();
        }
        self.command_us = now;
        self.command.push(byte);
        let whole = match self.command.as_slice() {
            [0x80..=0xff, ..] => 4,
            [0x2b | 0x60, size, ..] => 2 + usize::from(*size),
            [0x2b | 0x60] => 2,
            _ => 1,
        };
        if self.command.len() < whole {
            return;
        }
        let command = std::mem::take(&mut self.command);
        match command.as_slice() {
            [0x80..=0xff, ..] if self.mode == Mode::BootLoader => {}
            // Every bus command brings the board back into bus mode and is not obeyed then; a board on a bus of its own has
            // nothing to say yet.
            [0x80..=0xff, ..] => self.enter(Mode::Bus),
            [first, ..] => self.obey(now, *first, &command),
            [] => {}
        }
    }

    /// A whole command of the single-board mode.
    fn obey(&mut self, now: u64, code: u8, command: &[u8]) {
        let known = matches!(code, 0x40..=0x47 | 0x49..=0x4e | 0x50..=0x55 | 0x60 | 0x2b);
        if !known || self.mode == Mode::BootLoader {
            return;
        }
        if self.mode == Mode::Bus {
            self.enter(Mode::Idle);
        }
        match code {
            0x40 => self.enter(Mode::Idle),
            0x41 => {
                let time = wire::bw_time(&self.clock_reading(now));
                self.queue.push_back(time);
            }
            0x42 => self.queue.push_back(wire::message(id::BOARD_DUMP, self.scanner.image())),
            0x43 => self.enter(Mode::Update),
            0x44 => self.enter(Mode::UpdateBoard),
            0x45 => self.say(id::SERIAL_NUMBER, format!("{:05}", self.options.serial % 100_000).as_bytes()),
            0x46 => self.queue.push_back(wire::bus_address(self.bus_address())),
            0x47 => self.queue.push_back(wire::message(id::TRADEMARK, self.options.trademark.as_bytes())),
            0x49 => {
                let memory = self.memory.download();
                self.say(id::EEPROM_MOVES, &memory);
            }
            0x4a => self.enter(Mode::Bus),
            0x4b => self.enter(Mode::UpdateNice),
            // 87 %, 9:30 left, on for 2:15, no standby, not charging.
            0x4c => self.say(id::BATTERY_STATUS, &[87, 9, 30, 2, 15, 0, 0, 0, 0]),
            0x4d => self.say(id::VERSION, &[self.options.version.0, self.options.version.1]),
            0x4e => self.enter(Mode::BootLoader),
            0x50 => self.dump_half(id::BOARD_DUMP_50_BLACK, true),
            0x51 => self.scanner.set_mode(now, ScanMode::Dark),
            0x52 => self.dump_half(id::BOARD_DUMP_50_WHITE, false),
            0x53 => self.scanner.set_mode(now, ScanMode::Light),
            0x54 => self.scanner.set_mode(now, ScanMode::All),
            0x55 => self
                .say(id::LONG_SERIAL_NUMBER, format!("{:010}", self.options.long_serial % 10_000_000_000).as_bytes()),
            0x2b => self.clock_command(now, command),
            _ => {}
        }
        if matches!(code, 0x43 | 0x4b) {
            self.skip_ticks(now);
        }
    }

    /// `2b size 03 command ... 00`. The clock acts on it in every mode; its ack is passed on only where clock messages are.
    fn clock_command(&mut self, now: u64, command: &[u8]) {
        let [0x2b, _, 0x03, code, data @ .., 0x00] = command else { return };
        if !self.clock_reading(now).connected {
            return;
        }
        if let (0x0a, [lh, lm, ls, rh, rm, rs, flags], Some(clock)) = (*code, data, self.clock.as_mut()) {
            let seconds = |h: &u8, m: &u8, s: &u8| u64::from(*h) * 3600 + u64::from(*m) * 60 + u64::from(*s);
            // Bits 0 and 1: the left, the right time runs; bit 2: pause.
            let run = flags & 0x03 != 0 && flags & 0x04 == 0;
            clock.set_times(now / 1000, seconds(lh, lm, ls), seconds(rh, rm, rs), run);
        }
        let ack = match code {
            0x09 => [0x10, 0x09, self.options.clock_version, 0],
            0x01..=0x03 | 0x08 | 0x0a..=0x0c => [0x10, *code, 0, 0],
            _ => [0x40, *code, 0, 0],
        };
        let due = now + self.rng.span(self.options.ack_ms) * 1000;
        self.answer_ack(now, due, ack);
        if self.rng.chance(self.options.zero_after_command) && self.says_clock() {
            let zero = wire::message(id::BW_TIME, &[0; 7]);
            self.answers.push_back((due + 30_000, zero));
        }
    }

    fn answer_ack(&mut self, now: u64, due: u64, ack: [u8; 4]) {
        let reading = self.clock_reading(now);
        if self.says_clock() && reading.connected && self.powered {
            let due = self.answers.back().map_or(due, |(last, _)| due.max(*last));
            self.answers.push_back((due, wire::clock_ack(ack, wire::status(&reading))));
        }
    }

    fn enter(&mut self, mode: Mode) {
        self.mode = mode;
        self.told = None;
        if mode == Mode::Bus {
            self.queue.clear();
            self.answers.clear();
        }
    }

    fn say(&mut self, id: u8, data: &[u8]) {
        self.queue.push_back(wire::message(id, data));
    }

    /// The fifty squares of one colour; boards of another size have no such message.
    fn dump_half(&mut self, id: u8, dark: bool) {
        if (self.options.rows, self.options.cols) != (10, 10) {
            return;
        }
        let squares: Vec<u8> = (self.scanner.image().iter().enumerate())
            .filter(|(sensor, _)| self.scanner.is_dark(*sensor) == dark)
            .map(|(_, code)| *code)
            .collect();
        self.say(id, &squares);
    }

    fn report_clock(&mut self, now: u64, always: bool) {
        if !self.says_clock() {
            return;
        }
        let time = wire::bw_time(&self.clock_reading(now));
        if self.told.as_ref() != Some(&time) || always {
            self.told = Some(time.clone());
            self.queue.push_back(time);
        }
    }

    fn clock_reading(&self, now: u64) -> crate::clock::Reading {
        match &self.clock {
            Some(clock) => clock.seen(now / 1000),
            None => crate::clock::Reading::NONE,
        }
    }

    fn says_clock(&self) -> bool {
        matches!(self.mode, Mode::Update | Mode::UpdateNice)
    }

    /// Whether the once-a-second message is wanted. Without a clock there is nothing that could have changed.
    fn ticks(&self) -> bool {
        match self.mode {
            Mode::Update => true,
            Mode::UpdateNice => self.clock.is_some(),
            _ => false,
        }
    }

    fn skip_ticks(&mut self, now: u64) {
        let behind = now.saturating_sub(self.next_tick_us).div_ceil(TICK_US);
        self.next_tick_us += behind * TICK_US;
    }

    fn bus_address(&self) -> u16 {
        (self.options.serial & 0x3fff) as u16
    }

    fn sensor(&self, field: u8) -> usize {
        let field = usize::from(field);
        if self.turned { (self.options.fields() - 1).wrapping_sub(field) } else { field }
    }

    /// The number under which the board speaks of a sensor.
    fn number(&self, sensor: usize) -> u8 {
        let number = match (self.options.numbering, self.scanner.mode()) {
            (Numbering::AllFields, _) | (_, ScanMode::All) => sensor,
            (Numbering::ScannedFields, _) => (0..sensor).filter(|before| self.scanner.covers(*before)).count(),
        };
        number as u8
    }
}

/// What the memory notices about a board as a whole.
enum Shape {
    Start,
    Empty,
    Other,
}

/// 10x10: all but the two middle rows occupied (each row's squares of one colour count). 8x8: the four outer rows full.
fn shape(image: &[u8], cols: usize) -> Shape {
    if image.iter().all(|code| *code == 0) {
        return Shape::Empty;
    }
    let rows: Vec<usize> = image.chunks(cols).map(|row| row.iter().filter(|code| **code != 0).count()).collect();
    let start = match rows.as_slice() {
        [8, 8, 0, 0, 0, 0, 8, 8] => true,
        [top @ .., 0, 0, _, _, _, _] if cols == 10 && rows.len() == 10 => {
            top.iter().chain(&rows[6..]).all(|count| *count == 5)
        }
        _ => false,
    };
    if start { Shape::Start } else { Shape::Other }
}

/// Taking what is due from the front of an agenda.
trait Agenda<T> {
    fn pop_front_until(&mut self, now: u64) -> Option<(u64, T)>;
}

impl<T> Agenda<T> for VecDeque<(u64, T)> {
    fn pop_front_until(&mut self, now: u64) -> Option<(u64, T)> {
        self.front().filter(|(time, _)| *time <= now)?;
        self.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockSide;
    use crate::random::Span;

    fn clock() -> SimClock {
        SimClock::new("5400".parse().unwrap(), ClockSide::Left, Span::just(200), Rng::new(2))
    }

    fn board(options: BoardOptions) -> SimBoard {
        let mut board = SimBoard::new(options, Some(clock()), Rng::new(1));
        board.power_on(0);
        board
    }

    /// Sends bytes at a time and returns every message that started within the next two seconds (of `until_ms`).
    fn talk(board: &mut SimBoard, now_ms: u64, bytes: &[u8], until_ms: u64) -> Vec<Vec<u8>> {
        let mut sent = Vec::new();
        board.advance(now_ms * 1000, &mut sent);
        sent.clear();
        board.receive(now_ms * 1000, bytes);
        board.advance(until_ms * 1000, &mut sent);
        sent.into_iter().map(|message| message.bytes).collect()
    }

    #[test]
    fn every_question_has_its_answer() {
        let cases: [(&[u8], &[u8]); 9] = [
            (&[0x41], &[0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x30, 0, 0x08]),
            (&[0x45], &[0x91, 0, 8, b'0', b'1', b'0', b'2', b'5']),
            (&[0x46], &[0x90, 0, 5, 8, 1]),
            (&[0x4c], &[0xa0, 0, 12, 87, 9, 30, 2, 15, 0, 0, 0, 0]),
            (&[0x4d], &[0x93, 0, 5, 1, 11]),
            (&[0x55], &[0xa2, 0, 13, b'3', b'0', b'0', b'0', b'0', b'0', b'1', b'0', b'2', b'5']),
            (&[0x49], &[0x8f, 0, 8, 0x7f, 0x7f, 0x7f, 0x6a, 0x6b]),
            (&[0x60, 4, 1, 2, 3, 0], &[]),
            (&[0x61], &[]),
        ];
        for (question, answer) in cases {
            let expected: Vec<Vec<u8>> = if answer.is_empty() { vec![] } else { vec![answer.to_vec()] };
            assert_eq!(talk(&mut board(BoardOptions::new(10, 10)), 0, question, 500), expected, "{question:02x?}");
        }
        let trademark = talk(&mut board(BoardOptions::new(10, 10)), 0, &[0x47], 500).concat();
        assert_eq!(trademark[0], 0x92);
        assert!(String::from_utf8_lossy(&trademark[3..]).contains("simulated"));
    }

    #[test]
    fn dumps_go_row_by_row_in_every_size() {
        for (rows, cols, header) in
            [(8, 8, [0x86, 0, 67]), (10, 10, [0x86, 0, 103]), (10, 8, [0x86, 0, 83]), (12, 12, [0x86, 1, 19])]
        {
            let mut board = board(BoardOptions::new(rows, cols));
            board.set(0, cols + 2, Contact::steady(7));
            let dump = talk(&mut board, 1000, &[0x42], 1500).concat();
            assert_eq!(dump[..3], header);
            assert_eq!(dump.iter().position(|byte| *byte == 7), Some(3 + usize::from(cols) + 2));
        }
    }

    #[test]
    fn fifty_squares_of_one_colour() {
        let mut board = board(BoardOptions::new(10, 10));
        board.set(0, 1, Contact::steady(4)); // dark: square 1
        board.set(0, 99, Contact::steady(1)); // light corner
        let dark = talk(&mut board, 1000, &[0x50], 1500).concat();
        assert_eq!(dark[..4], [0x94, 0, 53, 4]);
        assert_eq!(dark.len(), 53);
        let light = talk(&mut board, 2000, &[0x52], 2500).concat();
        assert_eq!((light[0], light[52], light.len()), (0x95, 1, 53));
    }

    #[test]
    fn a_turned_board_says_everything_rotated() {
        let mut board = board(BoardOptions { turned: true, ..BoardOptions::new(10, 10) });
        talk(&mut board, 0, &[0x44], 100);
        board.set(100_000, 63, Contact::steady(1));
        assert_eq!(talk(&mut board, 100, &[], 1000), [[0x8e, 0, 5, 36, 1]]);
        board.turn(1_000_000, false);
        let updates = talk(&mut board, 1000, &[], 2000);
        assert!(updates.contains(&vec![0x8e, 0, 5, 63, 1]) && updates.contains(&vec![0x8e, 0, 5, 36, 0]));
    }

    #[test]
    fn modes_say_what_they_should() {
        for (code, updates, times) in [(0x40, 0, 0), (0x43, 1, 10), (0x44, 1, 0), (0x4b, 1, 1), (0x4a, 0, 0)] {
            let mut board = board(BoardOptions { tick_us: 30_000, ..BoardOptions::new(10, 10) });
            talk(&mut board, 0, &[code], 20);
            board.set(20_000, 0, Contact::steady(4));
            let said = talk(&mut board, 20, &[], 10_020);
            assert_eq!(said.iter().filter(|message| message[0] == 0x8e).count(), updates, "mode {code:02x}");
            assert_eq!(said.iter().filter(|message| message[0] == 0x8d).count(), times, "mode {code:02x}");
        }
    }

    #[test]
    fn update_nice_follows_a_running_clock() {
        let mut board = board(BoardOptions { tick_us: 10_000, ..BoardOptions::new(10, 10) });
        talk(&mut board, 0, &[0x4b], 2000);
        board.clock_mut().unwrap().start(2_000);
        let said = talk(&mut board, 2000, &[], 4_900);
        assert_eq!(
            said.iter().map(|message| message[7..].to_vec()).collect::<Vec<_>>(),
            [[0x30, 0x00, 0x09], [0x29, 0x59, 0x09], [0x29, 0x58, 0x09]].map(|end| end.to_vec()),
        );
    }

    #[test]
    fn power_up_is_bus_mode_and_the_first_command_is_obeyed() {
        let mut board = board(BoardOptions::new(10, 10));
        assert_eq!(board.mode(), Mode::Bus);
        assert_eq!(talk(&mut board, 0, &[0x4d], 100).len(), 1);
        assert_eq!(board.mode(), Mode::Idle);
        // A bus command (send version to 08 01) switches back and is not obeyed; its address bytes are not taken for commands.
        assert_eq!(talk(&mut board, 200, &[0x8b, 0x08, 0x41, 0x54], 300), Vec::<Vec<u8>>::new());
        assert_eq!(board.mode(), Mode::Bus);
    }

    #[test]
    fn ten_bytes_wait_and_more_are_lost() {
        let mut board = board(BoardOptions::new(10, 10));
        // While a dump of 107 ms goes out, twenty more commands come.
        let mut bytes = vec![0x42];
        bytes.extend([0x4d; 20]);
        let said = talk(&mut board, 0, &bytes, 2000);
        assert_eq!((said.len(), board.dropped()), (11, 10));
    }

    #[test]
    fn messages_never_interleave() {
        let mut board = board(BoardOptions::new(10, 10));
        let mut sent = Vec::new();
        board.receive(0, &[0x43]);
        for field in 0..100 {
            board.set(5_000, field, Contact::steady(1));
        }
        board.receive(6_000, &[0x42, 0x47, 0x42]);
        board.advance(5_000_000, &mut sent);
        assert!(sent.len() > 103);
        assert!(sent.windows(2).all(|pair| pair[0].start_us + wire::line_us(pair[0].bytes.len()) <= pair[1].start_us));
    }

    #[test]
    fn a_dump_says_what_the_board_believes_when_it_starts() {
        let mut board = board(BoardOptions::new(10, 10));
        let mut sent = Vec::new();
        board.receive(0, &[0x47, 0x42]); // the trademark takes some 60 ms first
        board.set(0, 3, Contact::steady(1)); // scanned at 3 % of 225 ms
        board.advance(1_000_000, &mut sent);
        assert_eq!(sent[1].bytes[3 + 3], 1);
    }

    #[test]
    fn clock_commands_are_acked_where_clock_messages_are() {
        let version = [0x2b, 3, 3, 9, 0];
        for (mode, acks) in [(0x40, 0), (0x44, 0), (0x43, 1), (0x4b, 1)] {
            let mut board = board(BoardOptions::new(10, 10));
            talk(&mut board, 0, &[mode], 100);
            let said = talk(&mut board, 100, &version, 900);
            let got: Vec<_> = said.iter().filter(|message| message[3] & 0x0f == 0x0a).collect();
            assert_eq!(got.len(), acks, "mode {mode:02x}");
            assert!(got.iter().all(|ack| ack[4..9] == [0x10, 0x09, 0x0a, 0x22, 0]));
        }
    }

    #[test]
    fn set_and_run_sets_the_clock() {
        let mut board = board(BoardOptions { zero_after_command: 1.0, ..BoardOptions::new(10, 10) });
        talk(&mut board, 0, &[0x43], 100);
        // Left 1:02:03, right 0:59:59, left runs. The message is longer than the command buffer on its own.
        let said = talk(&mut board, 1100, &[0x2b, 0x0a, 3, 0x0a, 1, 2, 3, 0, 59, 59, 1, 0], 4_000);
        assert!(said.contains(&vec![0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0]), "all zero right after a command");
        let last = said.last().unwrap();
        assert_eq!(last[3..6], [0, 0x59, 0x59]);
        assert_eq!(last[6], 1);
        assert_eq!(last[9], 0x09);
        let bad = talk(&mut board, 4_000, &[0x2b, 3, 3, 0x55, 0], 4_500);
        assert!(bad.iter().any(|message| message[3..6] == [0x0a, 0x40, 0x55]));
    }

    #[test]
    fn no_clock_says_so_when_asked() {
        let mut board = SimBoard::new(BoardOptions::new(10, 10), None, Rng::new(1));
        board.power_on(0);
        assert_eq!(talk(&mut board, 0, &[0x41], 100), [[0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0x20]]);
        assert_eq!(talk(&mut board, 200, &[0x4b], 5000), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn half_scans_count_either_way() {
        for (numbering, field) in [(Numbering::AllFields, 63), (Numbering::ScannedFields, 31)] {
            let mut board = board(BoardOptions { numbering, ..BoardOptions::new(10, 10) });
            talk(&mut board, 0, &[0x51, 0x44], 500);
            board.set(500_000, 63, Contact::steady(1));
            board.set(500_000, 64, Contact::steady(1));
            assert_eq!(talk(&mut board, 500, &[], 1000), [[0x8e, 0, 5, field, 1]]);
        }
    }

    #[test]
    fn a_board_too_large_for_seven_bits_counts_its_dark_squares() {
        let mut board = board(BoardOptions::new(12, 12));
        talk(&mut board, 0, &[0x44], 500);
        board.set(500_000, 132, Contact::steady(1)); // the lower left corner, square 67 of 72
        board.set(500_000, 143, Contact::steady(1)); // a light corner
        assert_eq!(talk(&mut board, 500, &[], 1000), [[0x8e, 0, 5, 66, 1]]);
    }

    #[test]
    fn a_half_command_is_forgotten_after_a_while() {
        let mut board = board(BoardOptions::new(10, 10));
        assert!(talk(&mut board, 0, &[0x2b, 0x0c], 1000).is_empty());
        assert_eq!(talk(&mut board, 1000, &[0x4d], 1100).len(), 1);
    }

    #[test]
    fn the_boot_loader_is_the_end_until_the_power_is_cut() {
        let mut board = board(BoardOptions::new(10, 10));
        assert!(talk(&mut board, 0, &[0x4e, 0x4d, 0x42, 0x87, 0, 0, 7], 1000).is_empty());
        board.power_off();
        board.power_on(2_000_000);
        assert_eq!(talk(&mut board, 2_000, &[0x4d], 2_100).len(), 1);
    }

    #[test]
    fn the_memory_writes_without_a_host() {
        let mut board = board(BoardOptions::new(10, 10));
        board.set(1_000_000, 63, Contact::steady(1));
        board.clock_mut().unwrap().start(1_500);
        board.advance(2_000_000, &mut Vec::new());
        board.clock_mut().unwrap().press(4_000, ClockSide::Left);
        board.set(4_500_000, 63, Contact::steady(0));
        let memory = talk(&mut board, 6000, &[0x49], 7000).concat();
        assert_eq!(memory[7..], [0x41, 63, 0x71, 0x29, 0x58, 0x40, 63, 0x6d, 0x6b]);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_of_a_host_stop_the_board(bytes in proptest::collection::vec(0u8..=255, 0..400)) {
            let mut board = board(BoardOptions::new(10, 10));
            talk(&mut board, 0, &bytes, 20_000);
            board.power_off();
            board.power_on(20_000_000);
            proptest::prop_assert_eq!(talk(&mut board, 20_000, &[0x4d], 20_100).len(), 1);
        }
    }
}
