//! The world: one board, its clock, two players and a cable on a virtual clock.
//!
//! ```text
//!   script ─▸ planner ─▸ motions ──▸ ┌──────────────────────┐ ─▸ cable ─▸ advance(): bytes with their times
//!                                    │ SimBoard   SimClock  │
//!   receive(): bytes ─▸ cable ────── └──────────────────────┘ ─▸ truth(): what really happened
//! ```
//!
//! A driver calls [`World::next_time`], advances the world to that time with [`World::advance`], and passes the host's bytes to
//! [`World::receive`]. Time between two events costs nothing, so a game of an hour takes a few milliseconds. For real time, or any multiple
//! of it, a driver maps its own clock to the virtual one.
//!
//! Invariants: the same script, options and host bytes give the same bytes at the same times; times never decrease; nothing a host sends
//! changes what people do.

use crate::board::{Mode, TimedMessage};
use crate::cable::{Cable, DeliveredRead};
use crate::faults::Fault;
use crate::planner::Outage;
use crate::random::Rng;
use crate::script::ScriptError;
use crate::seat::Seat;
use crate::truth::{Event, PlyTimes, TruthEntry};
use std::collections::{BTreeMap, VecDeque};

pub use crate::seat::SeatConfig;

/// A board in play at the end of a cable.
#[derive(Debug, Clone)]
pub struct World {
    seat: Seat,
    cable: Cable,
    reads: VecDeque<DeliveredRead>,
    sent: Vec<TimedMessage>,
    now_ms: u64,
}

impl World {
    /// Draws all random properties and powers the board on at time 0, after checking the script.
    pub fn new(setting: SeatConfig) -> Result<World, ScriptError> {
        let seat = Seat::new(setting)?;
        let setting = seat.config();
        let mut outages = [seat.drawn_outages(), &setting.outages].concat();
        outages.sort_by_key(|outage| outage.from_ms);
        let cable = Cable::new(setting.profile.clone(), outages, Rng::stream(setting.seed, "cable"));
        Ok(World { seat, cable, reads: VecDeque::new(), sent: Vec::new(), now_ms: 0 })
    }

    /// Returns the time of the next event; drivers need not call earlier.
    pub fn next_time(&self) -> Option<u64> {
        let read = self.reads.front().map(|read| read.0);
        [read, self.seat.next_time()].into_iter().flatten().min().map(|time| time.max(self.now_ms))
    }

    /// Advances to `to_ms` and returns the host's reads until then, each with the time of its last byte. A time in the past counts as now.
    pub fn advance(&mut self, to_ms: u64) -> Vec<DeliveredRead> {
        self.run_until(to_ms);
        let due = self.reads.iter().take_while(|read| read.0 <= self.now_ms).count();
        self.reads.drain(..due).collect()
    }

    /// Sends bytes from the host at a time not before the last [`World::advance`]. Reads due until then are returned by the next
    /// [`World::advance`]. A dead link loses the bytes.
    pub fn receive(&mut self, now_ms: u64, bytes: &[u8]) {
        self.run_until(now_ms);
        if !self.cable.is_dead(self.now_ms) {
            self.seat.board_mut().receive(self.now_ms * 1000, bytes);
        }
    }

    /// Returns the virtual time reached so far.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Returns the time at which people have finished everything. The board may continue to send.
    pub fn end_ms(&self) -> u64 {
        self.seat.end_ms()
    }

    /// Whether people have finished everything.
    pub fn is_over(&self) -> bool {
        self.now_ms >= self.end_ms()
    }

    /// Returns the truth up to now.
    pub fn truth(&self) -> &[TruthEntry] {
        self.seat.truth()
    }

    /// Returns the times of every ply touched so far.
    pub fn ply_times(&self) -> Vec<PlyTimes> {
        self.seat.ply_times()
    }

    /// Returns all periods without a link, including future ones. A driver may present them to the host as a port that disappears.
    pub fn outages(&self) -> &[Outage] {
        self.cable.outages()
    }

    /// Returns the board's current mode.
    pub fn mode(&self) -> Mode {
        self.seat.board().mode()
    }

    /// Returns the pieces that physically stand on the fields, seen by White.
    pub fn standing(&self) -> Vec<u8> {
        self.seat.standing()
    }

    /// Returns the configuration.
    pub fn config(&self) -> &SeatConfig {
        self.seat.config()
    }

    /// Returns the number of irregularities by fault: people's for the whole script, the cable's until now.
    pub fn irregularities(&self) -> BTreeMap<Fault, usize> {
        let mut counts = self.seat.irregularities().clone();
        for truth in self.truth() {
            if let Event::Irregular { fault, .. } = truth.event
                && fault >= Fault::MessageLost
                && fault < Fault::Outage
            {
                *counts.entry(fault).or_insert(0) += 1;
            }
        }
        counts
    }

    fn run_until(&mut self, to_ms: u64) {
        let to_ms = to_ms.max(self.now_ms);
        while let Some(at_ms) = self.seat.next_motion().filter(|at_ms| *at_ms <= to_ms) {
            self.run_board(at_ms);
            self.seat.carry_out_next();
        }
        self.run_board(to_ms);
        self.now_ms = to_ms;
    }

    fn run_board(&mut self, to_ms: u64) {
        self.seat.board_mut().advance(to_ms * 1000, &mut self.sent);
        for sent in std::mem::take(&mut self.sent) {
            self.reads.extend(self.cable.carry(sent, self.seat.truth_mut()));
        }
    }
}

/// All drawn properties, in one line: print it with every failure.
impl std::fmt::Display for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.seat)?;
        for (fault, count) in self.irregularities() {
            write!(f, ", {fault} {count}")?;
        }
        for outage in self.cable.outages() {
            write!(f, ", dead {}..{} ms", outage.from_ms, outage.to_ms)?;
        }
        Ok(())
    }
}
