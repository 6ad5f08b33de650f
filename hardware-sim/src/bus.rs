//! A bus: many seats on one line, in virtual time.
//!
//! ```text
//!  seat 1 ─┐                         ┌─ faults, collisions ─▸ advance(): what the host reads, and when
//!  seat 2 ─┼─▸ shared line ──────────┘
//!  seat N ─┘◂──────── faults ◂────────── host(): bytes for all boards
//! ```
//!
//! It is driven like a [`World`](crate::world::World): ask [`BusWorld::next_time`], live until then with [`BusWorld::advance`], give
//! it the host's bytes with [`BusWorld::host`]. With one seat it is a board alone on its cable, with all the faults of a line.
//!
//! Invariants: the same settings and host bytes give the same bytes at the same times, however the driver steps; every board
//! hears everything that the host says; nothing a host sends changes what people do.

use crate::board::{BoardOptions, Sent};
use crate::cable::Cable;
use crate::incident::{Incident, Mishap};
use crate::line::SharedLine;
use crate::line_faults::{Injury, LineFaults};
use crate::random::Rng;
use crate::script::ScriptError;
use crate::seat::{Seat, Setting};
use crate::wire;
use std::collections::VecDeque;

/// What is on a bus, and what goes wrong on it.
#[derive(Debug, Clone)]
pub struct BusSetting {
    /// The seats. A board that is not given is drawn, with a serial number that no other on the line has.
    pub seats: Vec<Setting>,
    /// Faults on the way to the host.
    pub to_host: LineFaults,
    /// Faults on the way to the boards.
    pub to_boards: LineFaults,
    /// What befalls the line and its boards, by time.
    pub incidents: Vec<Incident>,
    /// From which the line's own chance comes.
    pub seed: u64,
}

impl BusSetting {
    /// Seats on a line without faults.
    pub fn new(seats: Vec<Setting>, seed: u64) -> BusSetting {
        BusSetting { seats, to_host: LineFaults::none(), to_boards: LineFaults::none(), incidents: Vec::new(), seed }
    }
}

/// What a host notices of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// Bytes, in one read.
    Bytes(Vec<u8>),
    /// The port went away.
    Unplugged,
    /// The port is there again.
    Plugged,
}

/// Boards being played on, all on one line.
#[derive(Debug, Clone)]
pub struct BusWorld {
    seats: Vec<Seat>,
    /// What each board's own plug does to its messages.
    cables: Vec<Cable>,
    is_on_line: Vec<bool>,
    /// When something happens next at each seat.
    due: Vec<Option<u64>>,
    line: SharedLine,
    to_boards: Injury,
    incidents: VecDeque<Incident>,
    done: Vec<Incident>,
    happenings: VecDeque<(u64, Happening)>,
    rng: Rng,
    sent: Vec<Sent>,
    is_plugged: bool,
    is_silent: bool,
    is_open: bool,
    is_deaf: bool,
    board_bytes: u64,
    now_ms: u64,
    end_ms: u64,
}

impl BusWorld {
    /// Draws everything and gives all boards power at time 0. Scripts are checked first.
    ///
    /// # Errors
    ///
    /// When the script of a seat cannot be played.
    pub fn new(setting: BusSetting) -> Result<BusWorld, ScriptError> {
        let seed = setting.seed;
        let mut incidents = setting.incidents;
        let serials = serials(setting.seats.len(), seed);
        let (mut seats, mut cables) = (Vec::new(), Vec::new());
        for (index, (mut seat, serial)) in setting.seats.into_iter().zip(serials).enumerate() {
            let drawn = || {
                let long_serial = 3_000_000_000 + u64::from(serial);
                BoardOptions { serial, long_serial, ..seat.draw_board() }
            };
            seat.board = Some(seat.board.clone().unwrap_or_else(drawn));
            cables.push(Cable::new(seat.profile.clone(), Vec::new(), Rng::stream(seat.seed, "cable")));
            let seat = Seat::new(seat)?;
            for outage in seat.drawn_outages().iter().chain(&seat.setting().outages) {
                incidents.push(Incident::new(outage.from_ms, Mishap::Away(index)));
                incidents.push(Incident::new(outage.to_ms, Mishap::Back(index)));
            }
            seats.push(seat);
        }
        incidents.sort_by_key(|incident| incident.at_ms);
        let last = incidents.last().map_or(0, |incident| incident.at_ms);
        let end_ms = seats.iter().map(Seat::end_ms).max().unwrap_or(0).max(last);
        let mut world = BusWorld {
            is_on_line: vec![true; seats.len()],
            due: seats.iter().map(Seat::next_time).collect(),
            seats,
            cables,
            line: SharedLine::new(Injury::new(setting.to_host, Rng::stream(seed, "to host"))),
            to_boards: Injury::new(setting.to_boards, Rng::stream(seed, "to boards")),
            incidents: incidents.into(),
            done: Vec::new(),
            happenings: VecDeque::new(),
            rng: Rng::stream(seed, "line"),
            sent: Vec::new(),
            is_plugged: true,
            is_silent: false,
            is_open: false,
            is_deaf: false,
            board_bytes: 0,
            now_ms: 0,
            end_ms,
        };
        // Who is absent from the start is absent before anybody asks.
        world.live(0);
        Ok(world)
    }

    /// When something happens next, in milliseconds; a driver need not call before.
    pub fn next_time(&self) -> Option<u64> {
        let seats = self.due.iter().flatten().min().copied();
        let line = self.line.next_time().map(|us| us.div_ceil(1000));
        let incident = self.incidents.front().map(|incident| incident.at_ms);
        let waiting = self.happenings.front().map(|(at_ms, _)| *at_ms);
        [seats, line, incident, waiting].into_iter().flatten().min().map(|time| time.max(self.now_ms))
    }

    /// Lives until `to_ms` and returns what the host notices by then, with times. A time in the past counts as now.
    pub fn advance(&mut self, to_ms: u64) -> Vec<(u64, Happening)> {
        self.live(to_ms);
        let due = self.happenings.iter().take_while(|(at_ms, _)| *at_ms <= self.now_ms).count();
        self.happenings.drain(..due).collect()
    }

    /// Bytes from the host at a time, not before the last [`BusWorld::advance`]. What it was to read until then is kept for the next call
    /// of that. On a dead line they are lost. They take their time on the line, too: 4 bytes 4.2 ms.
    pub fn host(&mut self, now_ms: u64, bytes: &[u8]) {
        self.live(now_ms);
        if !self.passes() || self.is_deaf {
            return;
        }
        let now_us = self.now_ms * 1000;
        if !std::mem::replace(&mut self.is_open, true) {
            self.line.open(now_us);
        }
        let mut arriving = Vec::with_capacity(bytes.len());
        bytes.iter().for_each(|byte| self.to_boards.carry(now_us, *byte, &mut arriving));
        // A delay holds back what follows, so all that arrives together has one time.
        for part in arriving.chunk_by(|a, b| a.0 == b.0) {
            let bytes: Vec<u8> = part.iter().map(|(_, byte)| *byte).collect();
            for index in 0..self.seats.len() {
                if self.is_on_line[index] {
                    self.seats[index].board_mut().receive(part[0].0, &bytes);
                    self.due[index] = self.seats[index].next_time();
                }
            }
        }
    }

    /// The virtual time up to which the world has lived.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// When people are done with everything and nothing more befalls the line. The boards may go on talking.
    pub fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// Whether that time has come.
    pub fn is_over(&self) -> bool {
        self.now_ms >= self.end_ms
    }

    /// The seats, in the order in which they were told; each has its own truth.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The bus addresses of the boards, in the order of the seats.
    pub fn addresses(&self) -> Vec<u16> {
        self.seats.iter().map(|seat| seat.board().options().address()).collect()
    }

    /// Whether a board is on the line.
    pub fn is_on_line(&self, seat: usize) -> bool {
        self.is_on_line.get(seat).copied().unwrap_or(false)
    }

    /// Whether the far end takes no bytes at the moment: a driver of a real port leaves them there.
    pub fn is_deaf(&self) -> bool {
        self.is_deaf
    }

    /// Takes a board off the line or puts it on, from now on: an absent board is one that is taken off at the start.
    pub fn put_on_line(&mut self, seat: usize, on: bool) {
        let what = if on { Mishap::Back(seat) } else { Mishap::Away(seat) };
        self.happen(Incident::new(self.now_ms, what));
    }

    /// Lets something happen now.
    pub fn happen_now(&mut self, what: Mishap) {
        self.happen(Incident::new(self.now_ms, what));
    }

    /// The incidents that have happened.
    pub fn incidents(&self) -> &[Incident] {
        &self.done
    }

    /// The line's faults on the way to the host.
    pub fn to_host(&self) -> &Injury {
        self.line.injury()
    }

    /// The line's faults on the way to the boards.
    pub fn to_boards(&self) -> &Injury {
        &self.to_boards
    }

    /// Bytes that two boards said at the same time.
    pub fn garbled(&self) -> u64 {
        self.line.garbled()
    }

    /// How many bytes the host and the boards have put on the line, in this order.
    pub fn traffic(&self) -> (u64, u64) {
        (self.to_boards.count(), self.board_bytes)
    }

    fn passes(&self) -> bool {
        self.is_plugged && !self.is_silent
    }

    fn live(&mut self, to_ms: u64) {
        let to_ms = to_ms.max(self.now_ms);
        while let Some(incident) = self.incidents.front().copied().filter(|incident| incident.at_ms <= to_ms) {
            self.incidents.pop_front();
            self.run(incident.at_ms);
            self.happen(incident);
        }
        self.run(to_ms);
    }

    fn run(&mut self, to_ms: u64) {
        self.now_ms = to_ms.max(self.now_ms);
        for index in 0..self.seats.len() {
            if self.due[index].is_none_or(|due| due > self.now_ms) {
                continue;
            }
            self.seats[index].live(self.now_ms, &mut self.sent);
            self.due[index] = self.seats[index].next_time();
            let is_bus = self.seats[index].board().mode() == crate::board::Mode::Bus;
            for sent in std::mem::take(&mut self.sent) {
                if !self.is_on_line[index] {
                    continue;
                }
                let Some(sent) = self.cables[index].injure(sent, self.seats[index].truth_mut()) else { continue };
                self.board_bytes += sent.bytes.len() as u64;
                if is_bus { self.line.say_with_checksum(index, sent) } else { self.line.say(index, &sent) }
            }
            if let Some(at_us) = self.seats[index].board_mut().take_broken_off() {
                self.line.break_off(index, at_us);
            }
        }
        self.settle();
    }

    fn settle(&mut self) {
        self.line.settle(self.now_ms * 1000);
        while let Some((at_ms, bytes)) = self.line.read(self.now_ms) {
            self.happenings.push_back((at_ms, Happening::Bytes(bytes)));
        }
    }

    fn happen(&mut self, incident: Incident) {
        let now_us = self.now_ms * 1000;
        match incident.what {
            Mishap::Unplug => {
                self.is_plugged = false;
                self.is_open = false;
                self.line.set_alive(now_us, false);
                self.settle();
                self.happenings.push_back((self.now_ms, Happening::Unplugged));
            }
            Mishap::Plug => {
                self.is_plugged = true;
                self.line.set_alive(now_us, self.passes());
                self.happenings.push_back((self.now_ms, Happening::Plugged));
            }
            Mishap::Silence | Mishap::Sound => {
                self.is_silent = incident.what == Mishap::Silence;
                self.line.set_alive(now_us, self.passes());
            }
            Mishap::Hold | Mishap::Release => self.line.hold(now_us, incident.what == Mishap::Hold),
            Mishap::Deafen | Mishap::Hear => self.is_deaf = incident.what == Mishap::Deafen,
            Mishap::Babble(for_ms) => {
                let bytes = (0..u64::from(for_ms) * 960 / 1000).map(|_| self.rng.below(256) as u8).collect();
                self.line.say(self.seats.len(), &Sent { start_us: now_us, bytes });
            }
            Mishap::Away(seat) | Mishap::Back(seat) => {
                if let Some(on_line) = self.is_on_line.get_mut(seat) {
                    *on_line = matches!(incident.what, Mishap::Back(_));
                }
            }
            Mishap::PowerOff(seat) => self.with_board(seat, |board| board.power_off(now_us)),
            Mishap::PowerOn(seat) => self.with_board(seat, |board| board.power_on(now_us)),
            Mishap::Watchdog(seat) => self.with_board(seat, |board| board.watchdog(now_us)),
        }
        self.done.push(incident);
    }

    fn with_board(&mut self, seat: usize, act: impl FnOnce(&mut crate::board::SimBoard)) {
        if let Some(seated) = self.seats.get_mut(seat) {
            act(seated.board_mut());
            self.due[seat] = seated.next_time();
            if let Some(at_us) = seated.board_mut().take_broken_off() {
                self.line.break_off(seat, at_us);
            }
        }
    }
}

/// Everything that was drawn, a line for each seat: print it with every failure.
impl std::fmt::Display for BusWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, seat) in self.seats.iter().enumerate() {
            let away = if self.is_on_line[index] { "" } else { " (not on the line)" };
            writeln!(f, "board {}{away}: {seat}", index + 1)?;
        }
        for incident in self.done.iter().chain(&self.incidents) {
            writeln!(f, "{} ms: {:?}", incident.at_ms, incident.what)?;
        }
        Ok(())
    }
}

/// Serial numbers as a club has them: bought in a few batches, five digits, all different also as bus addresses.
pub fn serials(count: usize, seed: u64) -> Vec<u32> {
    let mut rng = Rng::stream(seed, "serials");
    let mut serials: Vec<u32> = Vec::new();
    let mut serial = 0;
    while serials.len() < count.min(10_000) {
        // A batch of about eight, then another year's.
        serial = if serial == 0 || rng.chance(0.125) {
            rng.between(1_001, wire::LAST_ADDRESS.into()) as u32
        } else {
            serial + rng.between(1, 7) as u32
        };
        if serial <= u32::from(wire::LAST_ADDRESS) && !serials.contains(&serial) {
            serials.push(serial);
        }
    }
    serials
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_differ_and_are_addresses() {
        let drawn = serials(64, 5);
        assert!(drawn.iter().all(|serial| (1_001..=16_383).contains(serial)));
        let mut sorted = drawn.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 64);
        let neighbours = drawn.windows(2).filter(|pair| (1..8).contains(&(i64::from(pair[1]) - i64::from(pair[0]))));
        assert!(neighbours.count() > 30, "bought in batches: {drawn:?}");
    }
}
