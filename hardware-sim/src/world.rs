//! The world: one board, its clock, two players and a cable on a virtual clock.
//!
//! ```text
//!   script ─▸ director ─▸ motions ─▸ ┌──────────────────────┐ ─▸ cable ─▸ advance(): bytes with their times
//!                                    │ SimBoard   SimClock  │
//!   receive(): bytes ─▸ cable ────── └──────────────────────┘ ─▸ truth(): what really happened
//! ```
//!
//! A driver asks [`World::next_time`], lets the world live until then with [`World::advance`], and gives it the host's bytes with
//! [`World::receive`]. Between two events nothing costs anything, so a game of an hour takes a few milliseconds. A driver
//! that wants real time, or any multiple of it, maps its own clock to the virtual one.
//!
//! Invariants: the same script, options and host bytes give the same bytes at the same times; times never decrease; nothing a
//! host sends changes what people do.

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

/// A board being played on, at the end of a cable.
#[derive(Debug, Clone)]
pub struct World {
    seat: Seat,
    cable: Cable,
    reads: VecDeque<DeliveredRead>,
    sent: Vec<TimedMessage>,
    now_ms: u64,
}

impl World {
    /// Draws everything and gives the board power at time 0. The script is checked first.
    pub fn new(setting: SeatConfig) -> Result<World, ScriptError> {
        let seat = Seat::new(setting)?;
        let setting = seat.config();
        let mut outages = [seat.drawn_outages(), &setting.outages].concat();
        outages.sort_by_key(|outage| outage.from_ms);
        let cable = Cable::new(setting.profile.clone(), outages, Rng::stream(setting.seed, "cable"));
        Ok(World { seat, cable, reads: VecDeque::new(), sent: Vec::new(), now_ms: 0 })
    }

    /// When something happens next; a driver need not call before.
    pub fn next_time(&self) -> Option<u64> {
        let read = self.reads.front().map(|read| read.0);
        [read, self.seat.next_time()].into_iter().flatten().min().map(|time| time.max(self.now_ms))
    }

    /// Lives until `to_ms` and returns what the host reads by then, each read with the time of its last byte. A time in the past
    /// counts as now.
    pub fn advance(&mut self, to_ms: u64) -> Vec<DeliveredRead> {
        self.run_until(to_ms);
        let due = self.reads.iter().take_while(|read| read.0 <= self.now_ms).count();
        self.reads.drain(..due).collect()
    }

    /// Bytes from the host at a time, not before the last [`World::advance`]. What the board said until then is kept for
    /// the next call of that. On a dead link they are lost.
    pub fn receive(&mut self, now_ms: u64, bytes: &[u8]) {
        self.run_until(now_ms);
        if !self.cable.is_dead(self.now_ms) {
            self.seat.board_mut().receive(self.now_ms * 1000, bytes);
        }
    }

    /// The virtual time up to which the world has lived.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// When people are done with everything. The board may go on talking.
    pub fn end_ms(&self) -> u64 {
        self.seat.end_ms()
    }

    /// Whether people are done with everything.
    pub fn is_over(&self) -> bool {
        self.now_ms >= self.end_ms()
    }

    /// What really happened until now.
    pub fn truth(&self) -> &[TruthEntry] {
        self.seat.truth()
    }

    /// The times of every ply touched until now.
    pub fn ply_times(&self) -> Vec<PlyTimes> {
        self.seat.ply_times()
    }

    /// Times without a link, all of them, also those to come: a driver may show them to the host as a port that goes away.
    pub fn outages(&self) -> &[Outage] {
        self.cable.outages()
    }

    /// What the board does by itself at the moment.
    pub fn mode(&self) -> Mode {
        self.seat.board().mode()
    }

    /// What physically stands on the fields, seen by White.
    pub fn standing(&self) -> Vec<u8> {
        self.seat.standing()
    }

    /// What was asked for.
    pub fn config(&self) -> &SeatConfig {
        self.seat.config()
    }

    /// How often each fault strikes: people's for the whole script, the cable's until now.
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

/// Everything that was drawn, in one line: print it with every failure.
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
