//! A bus: many seats on one line, in virtual time.
//!
//! ```text
//!  seat 1 ─┐                         ┌─ faults, collisions ─▸ advance(): what the host reads, and when
//!  seat 2 ─┼─▸ shared line ──────────┘
//!  seat N ─┘◂──────── faults ◂────────── receive(): bytes for all boards
//! ```
//!
//! A driver asks for [`BusWorld::next_time`], advances with [`BusWorld::advance`], and passes the host's bytes to [`BusWorld::receive`], as
//! with a [`World`](crate::world::World). With one seat it simulates a single board on a cable with all faults of a line.
//!
//! Invariants: the same settings and host bytes give the same bytes at the same times, regardless of the driver's steps; every board
//! receives all bytes of the host; nothing a host sends changes what people do.

use crate::board::{BoardOptions, TimedMessage};
use crate::cable::Cable;
use crate::incident::{Incident, IncidentKind};
use crate::line::SharedLine;
use crate::line_faults::{FaultInjector, LineFaults};
use crate::random::Rng;
use crate::script::ScriptError;
use crate::seat::{Seat, SeatConfig};
use crate::wire;
use std::collections::VecDeque;

/// Boards on a bus, and its faults.
#[derive(Debug, Clone)]
pub struct BusConfig {
    /// The seats. A missing board is drawn, with a serial number unique on the line.
    pub seats: Vec<SeatConfig>,
    /// Faults in the direction of the host.
    pub faults_to_host: LineFaults,
    /// Faults in the direction of the boards.
    pub faults_to_boards: LineFaults,
    /// Incidents of the line and its boards, by time.
    pub incidents: Vec<Incident>,
    /// Seed for the line's random events.
    pub seed: u64,
}

impl BusConfig {
    /// Creates a line without faults.
    pub fn new(seats: Vec<SeatConfig>, seed: u64) -> BusConfig {
        BusConfig {
            seats,
            faults_to_host: LineFaults::none(),
            faults_to_boards: LineFaults::none(),
            incidents: Vec::new(),
            seed,
        }
    }
}

/// Event that a host observes on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostEvent {
    /// Bytes of one read.
    Bytes(Vec<u8>),
    /// The port disappeared.
    Unplugged,
    /// The port is available again.
    Plugged,
}

/// Boards in play, all on one line.
#[derive(Debug, Clone)]
pub struct BusWorld {
    seats: Vec<Seat>,
    /// Faults of each board's own plug.
    cables: Vec<Cable>,
    is_on_line: Vec<bool>,
    /// Time of the next event at each seat.
    next_times: Vec<Option<u64>>,
    line: SharedLine,
    to_boards: FaultInjector,
    incidents: VecDeque<Incident>,
    done: Vec<Incident>,
    host_events: VecDeque<(u64, HostEvent)>,
    rng: Rng,
    sent: Vec<TimedMessage>,
    is_plugged: bool,
    is_silent: bool,
    is_open: bool,
    is_deaf: bool,
    board_bytes: u64,
    now_ms: u64,
    end_ms: u64,
}

impl BusWorld {
    /// Draws all random properties and powers all boards on at time 0, after checking the scripts.
    ///
    /// # Errors
    ///
    /// Returns an error if the script of a seat cannot be played.
    pub fn new(setting: BusConfig) -> Result<BusWorld, ScriptError> {
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
            for outage in seat.drawn_outages().iter().chain(&seat.config().outages) {
                incidents.push(Incident::new(outage.from_ms, IncidentKind::BoardDisconnected(index)));
                incidents.push(Incident::new(outage.to_ms, IncidentKind::BoardConnected(index)));
            }
            seats.push(seat);
        }
        incidents.sort_by_key(|incident| incident.at_ms);
        let last = incidents.last().map_or(0, |incident| incident.at_ms);
        let end_ms = seats.iter().map(Seat::end_ms).max().unwrap_or(0).max(last);
        let mut world = BusWorld {
            is_on_line: vec![true; seats.len()],
            next_times: seats.iter().map(Seat::next_time).collect(),
            seats,
            cables,
            line: SharedLine::new(FaultInjector::new(setting.faults_to_host, Rng::stream(seed, "to host"))),
            to_boards: FaultInjector::new(setting.faults_to_boards, Rng::stream(seed, "to boards")),
            incidents: incidents.into(),
            done: Vec::new(),
            host_events: VecDeque::new(),
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
        // Apply incidents at time 0 before the first call: boards absent from the start are never heard.
        world.run_until(0);
        Ok(world)
    }

    /// Returns the time of the next event, in milliseconds; drivers need not call earlier.
    pub fn next_time(&self) -> Option<u64> {
        let seats = self.next_times.iter().flatten().min().copied();
        let line = self.line.next_time().map(|us| us.div_ceil(1000));
        let incident = self.incidents.front().map(|incident| incident.at_ms);
        let waiting = self.host_events.front().map(|(at_ms, _)| *at_ms);
        [seats, line, incident, waiting].into_iter().flatten().min().map(|time| time.max(self.now_ms))
    }

    /// Advances to `to_ms` and returns the host's events until then, with times. A time in the past counts as now.
    pub fn advance(&mut self, to_ms: u64) -> Vec<(u64, HostEvent)> {
        self.run_until(to_ms);
        let due = self.host_events.iter().take_while(|(at_ms, _)| *at_ms <= self.now_ms).count();
        self.host_events.drain(..due).collect()
    }

    /// Sends bytes from the host at a time not before the last [`BusWorld::advance`]. Reads due until then are returned by the next
    /// [`BusWorld::advance`]. A dead line loses the bytes. They take line time: 4 bytes 4.2 ms.
    pub fn receive(&mut self, now_ms: u64, bytes: &[u8]) {
        self.run_until(now_ms);
        if !self.has_link() || self.is_deaf {
            return;
        }
        let now_us = self.now_ms * 1000;
        if !std::mem::replace(&mut self.is_open, true) {
            self.line.open(now_us);
        }
        let mut arriving = Vec::with_capacity(bytes.len());
        bytes.iter().for_each(|byte| self.to_boards.carry(now_us, *byte, &mut arriving));
        // A delay holds back all later bytes, so bytes that arrive together share one time.
        for part in arriving.chunk_by(|a, b| a.0 == b.0) {
            let bytes: Vec<u8> = part.iter().map(|(_, byte)| *byte).collect();
            for index in 0..self.seats.len() {
                if self.is_on_line[index] {
                    self.seats[index].board_mut().receive(part[0].0, &bytes);
                    self.next_times[index] = self.seats[index].next_time();
                }
            }
        }
    }

    /// Returns the virtual time reached so far.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Returns the time at which all people have finished and no incident remains. Boards may continue to send.
    pub fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// Whether [`BusWorld::end_ms`] has been reached.
    pub fn is_over(&self) -> bool {
        self.now_ms >= self.end_ms
    }

    /// Returns the seats, in the order of the configuration; each has its own truth.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// Returns the bus addresses of the boards, in the order of the seats.
    pub fn addresses(&self) -> Vec<u16> {
        self.seats.iter().map(|seat| seat.board().options().address()).collect()
    }

    /// Whether a board is connected to the line.
    pub fn is_on_line(&self, seat: usize) -> bool {
        self.is_on_line.get(seat).copied().unwrap_or(false)
    }

    /// Whether the far end accepts no bytes at the moment: a driver of a real port then leaves them in the port.
    pub fn is_deaf(&self) -> bool {
        self.is_deaf
    }

    /// Connects a board to the line, or disconnects it, from now on. To simulate an absent board, disconnect it at the start.
    pub fn set_connected(&mut self, seat: usize, on: bool) {
        let incident_kind = if on { IncidentKind::BoardConnected(seat) } else { IncidentKind::BoardDisconnected(seat) };
        self.apply_incident(Incident::new(self.now_ms, incident_kind));
    }

    /// Returns the incidents so far.
    pub fn incidents(&self) -> &[Incident] {
        &self.done
    }

    /// Returns the line's faults in the direction of the host.
    pub fn to_host(&self) -> &FaultInjector {
        self.line.fault_injector()
    }

    /// Returns the line's faults in the direction of the boards.
    pub fn to_boards(&self) -> &FaultInjector {
        &self.to_boards
    }

    /// Returns the number of bytes that overlapped with a byte of another board.
    pub fn collided_bytes(&self) -> u64 {
        self.line.collided_bytes()
    }

    /// Returns the numbers of bytes sent by the host and by the boards.
    pub fn traffic(&self) -> (u64, u64) {
        (self.to_boards.count(), self.board_bytes)
    }

    fn has_link(&self) -> bool {
        self.is_plugged && !self.is_silent
    }

    fn run_until(&mut self, to_ms: u64) {
        let to_ms = to_ms.max(self.now_ms);
        while let Some(incident) = self.incidents.front().copied().filter(|incident| incident.at_ms <= to_ms) {
            self.incidents.pop_front();
            self.run(incident.at_ms);
            self.apply_incident(incident);
        }
        self.run(to_ms);
    }

    fn run(&mut self, to_ms: u64) {
        self.now_ms = to_ms.max(self.now_ms);
        for index in 0..self.seats.len() {
            if self.next_times[index].is_none_or(|due| due > self.now_ms) {
                continue;
            }
            self.seats[index].run_until(self.now_ms, &mut self.sent);
            self.next_times[index] = self.seats[index].next_time();
            let is_bus = self.seats[index].board().mode() == crate::board::Mode::Bus;
            for sent in std::mem::take(&mut self.sent) {
                if !self.is_on_line[index] {
                    continue;
                }
                let Some(sent) = self.cables[index].apply_faults(sent, self.seats[index].truth_mut()) else { continue };
                self.board_bytes += sent.bytes.len() as u64;
                if is_bus { self.line.send_with_checksum(index, sent) } else { self.line.send(index, &sent) }
            }
            if let Some(at_us) = self.seats[index].board_mut().take_cut_message() {
                self.line.break_off(index, at_us);
            }
        }
        self.settle();
    }

    fn settle(&mut self) {
        self.line.resolve_collisions(self.now_ms * 1000);
        while let Some((at_ms, bytes)) = self.line.read(self.now_ms) {
            self.host_events.push_back((at_ms, HostEvent::Bytes(bytes)));
        }
    }

    fn apply_incident(&mut self, incident: Incident) {
        let now_us = self.now_ms * 1000;
        match incident.kind {
            IncidentKind::Unplug => {
                self.is_plugged = false;
                self.is_open = false;
                self.line.set_connected(now_us, false);
                self.settle();
                self.host_events.push_back((self.now_ms, HostEvent::Unplugged));
            }
            IncidentKind::Plug => {
                self.is_plugged = true;
                self.line.set_connected(now_us, self.has_link());
                self.host_events.push_back((self.now_ms, HostEvent::Plugged));
            }
            IncidentKind::LinkDead | IncidentKind::LinkRestored => {
                self.is_silent = incident.kind == IncidentKind::LinkDead;
                self.line.set_connected(now_us, self.has_link());
            }
            IncidentKind::LineHeldLow | IncidentKind::LineReleased => {
                self.line.set_held(now_us, incident.kind == IncidentKind::LineHeldLow)
            }
            IncidentKind::HostBlocked | IncidentKind::HostUnblocked => {
                self.is_deaf = incident.kind == IncidentKind::HostBlocked
            }
            IncidentKind::NoiseBurst(for_ms) => {
                let bytes = (0..u64::from(for_ms) * 960 / 1000).map(|_| self.rng.below(256) as u8).collect();
                self.line.send(self.seats.len(), &TimedMessage { start_us: now_us, bytes });
            }
            IncidentKind::BoardDisconnected(seat) | IncidentKind::BoardConnected(seat) => {
                if let Some(on_line) = self.is_on_line.get_mut(seat) {
                    *on_line = matches!(incident.kind, IncidentKind::BoardConnected(_));
                }
            }
            IncidentKind::PowerOff(seat) => self.with_board(seat, |board| board.power_off(now_us)),
            IncidentKind::PowerOn(seat) => self.with_board(seat, |board| board.power_on(now_us)),
            IncidentKind::Watchdog(seat) => self.with_board(seat, |board| board.restart_by_watchdog(now_us)),
        }
        self.done.push(incident);
    }

    fn with_board(&mut self, seat: usize, act: impl FnOnce(&mut crate::board::SimBoard)) {
        if let Some(seated) = self.seats.get_mut(seat) {
            act(seated.board_mut());
            self.next_times[seat] = seated.next_time();
            if let Some(at_us) = seated.board_mut().take_cut_message() {
                self.line.break_off(seat, at_us);
            }
        }
    }
}

/// All drawn properties, one line per seat: print it with every failure.
impl std::fmt::Display for BusWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, seat) in self.seats.iter().enumerate() {
            let away = if self.is_on_line[index] { "" } else { " (not on the line)" };
            writeln!(f, "board {}{away}: {seat}", index + 1)?;
        }
        for incident in self.done.iter().chain(&self.incidents) {
            writeln!(f, "{} ms: {:?}", incident.at_ms, incident.kind)?;
        }
        Ok(())
    }
}

/// Draws serial numbers like a club's: bought in a few batches, five digits, unique also as bus addresses.
pub fn serials(count: usize, seed: u64) -> Vec<u32> {
    let mut rng = Rng::stream(seed, "serials");
    let mut serials: Vec<u32> = Vec::new();
    let mut serial = 0;
    while serials.len() < count.min(10_000) {
        // A batch has about eight boards; the next batch is from another year.
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
