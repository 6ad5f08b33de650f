//! The shared line: merges the messages of many boards into one stream of bytes, and garbles those that overlap.
//!
//! ```text
//!  board 1  ──[87 00 06 08 01 16]────────────────────
//!  board 2  ───────[87 00 06 08 02 17]───────────────
//!  the host ──[87 0? ?? ?? ?? ?? .. 17]──────────────    bits of both: where either holds the line down, it is down
//! ```
//!
//! Boards receive from the host but not from each other: the line has one wire per direction. Reads end at the end of a message and after
//! 62 bytes, like a USB adapter's packets.
//!
//! Invariants: bytes arrive in the order of their times; a byte is delivered once it is complete and nothing can collide with it.

use crate::board::TimedMessage;
use crate::line_faults::FaultInjector;
use crate::wire;
use std::collections::VecDeque;

/// Number of bytes in one packet of a USB adapter.
const PACKET_SIZE: usize = 62;

#[derive(Debug, Clone, Copy)]
struct ByteInFlight {
    speaker: usize,
    /// Start of its message.
    message_us: u64,
    start_us: u64,
    end_us: u64,
    byte: u8,
    /// Whether a read ends with this byte.
    is_read_end: bool,
}

/// The wire from the boards to the host.
#[derive(Debug, Clone)]
pub struct SharedLine {
    /// Bytes ordered by their start.
    in_flight: VecDeque<ByteInFlight>,
    fault_injector: FaultInjector,
    collected: Vec<(u64, u8)>,
    reads: VecDeque<(u64, Vec<u8>)>,
    held_from_us: Option<u64>,
    is_alive: bool,
    collided_bytes: u64,
    last_ms: u64,
}

impl SharedLine {
    /// Creates an idle line with its faults.
    pub fn new(fault_injector: FaultInjector) -> SharedLine {
        SharedLine {
            in_flight: VecDeque::new(),
            fault_injector,
            collected: Vec::new(),
            reads: VecDeque::new(),
            held_from_us: None,
            is_alive: true,
            collided_bytes: 0,
            last_ms: 0,
        }
    }

    /// Sends a message of one speaker.
    pub fn send(&mut self, speaker: usize, sent: &TimedMessage) {
        for (index, byte) in sent.bytes.iter().enumerate() {
            let flying = ByteInFlight {
                speaker,
                message_us: sent.start_us,
                start_us: sent.start_us + wire::line_us(index),
                end_us: sent.start_us + wire::line_us(index + 1),
                byte: *byte,
                is_read_end: index + 1 == sent.bytes.len() || index % PACKET_SIZE == PACKET_SIZE - 1,
            };
            let place = self.in_flight.partition_point(|other| other.start_us <= flying.start_us);
            self.in_flight.insert(place, flying);
        }
    }

    /// Sends a message whose checksum the line may corrupt.
    pub fn send_with_checksum(&mut self, speaker: usize, mut sent: TimedMessage) {
        self.fault_injector.spoil_checksum(sent.start_us, &mut sent.bytes);
        self.send(speaker, &sent);
    }

    /// Stops a speaker's message in the middle.
    pub fn break_off(&mut self, speaker: usize, at_us: u64) {
        let unsaid =
            |flying: &ByteInFlight| flying.speaker == speaker && flying.message_us < at_us && flying.end_us > at_us;
        self.in_flight.retain(|flying| !unsaid(flying));
        match self.in_flight.iter_mut().rfind(|flying| flying.speaker == speaker && flying.message_us < at_us) {
            Some(last) => last.is_read_end = true,
            None => self.flush(),
        }
    }

    /// Holds the line low from now on, or releases it. The boards must have advanced to that time.
    pub fn set_held(&mut self, now_us: u64, held: bool) {
        self.resolve_collisions(now_us);
        if held && self.held_from_us.is_none() && self.is_alive {
            // A line that goes low and stays low reads as one byte of zeros.
            let at_ms = self.arrival_ms(now_us + wire::line_us(1));
            self.reads.push_back((at_ms, vec![0]));
        }
        self.held_from_us = held.then_some(now_us);
    }

    /// Disconnects or reconnects the cable to the host from now on.
    pub fn set_connected(&mut self, now_us: u64, alive: bool) {
        self.resolve_collisions(now_us);
        self.flush();
        self.is_alive = alive;
    }

    /// Delivers buffered garbage when the host opens the port.
    pub fn open(&mut self, now_us: u64) {
        let garbage = self.fault_injector.garbage_at_open(now_us);
        if !garbage.is_empty() && self.is_alive {
            let at_ms = self.arrival_ms(now_us);
            self.reads.push_back((at_ms, garbage));
        }
    }

    /// Returns the end of the next read as currently known, in microseconds.
    pub fn next_time(&self) -> Option<u64> {
        let read = self.reads.front().map(|(at_ms, _)| at_ms * 1000);
        [read, self.read_ends_at()].into_iter().flatten().min()
    }

    /// Returns the time at which the next byte that ends a read is complete, including all bytes that collide with it.
    fn read_ends_at(&self) -> Option<u64> {
        let first = self.in_flight.iter().position(|flying| flying.is_read_end)?;
        let mut end_us = self.in_flight[first].end_us;
        for flying in self.in_flight.iter().skip(first + 1) {
            if flying.start_us >= end_us {
                break;
            }
            end_us = end_us.max(flying.end_us);
        }
        Some(end_us)
    }

    /// Returns the next read that is available by `now_ms`; call [`SharedLine::resolve_collisions`] first.
    pub fn read(&mut self, now_ms: u64) -> Option<(u64, Vec<u8>)> {
        self.reads.front().filter(|(at_ms, _)| *at_ms <= now_ms)?;
        self.reads.pop_front()
    }

    /// Resolves the bytes that arrived by `until_us`; all boards must have advanced to that time.
    pub fn resolve_collisions(&mut self, until_us: u64) {
        while let Some(mut first) = self.in_flight.front().copied().filter(|first| first.end_us <= until_us) {
            let mut met = 1;
            while let Some(next) = self.in_flight.get(met).filter(|next| next.start_us < first.end_us) {
                first = collide(first, next);
                met += 1;
            }
            if first.end_us > until_us {
                return;
            }
            self.in_flight.drain(..met);
            self.collided_bytes += met as u64 - 1;
            self.deliver(first);
        }
    }

    /// Returns the faults of this direction.
    pub fn fault_injector(&self) -> &FaultInjector {
        &self.fault_injector
    }

    /// Returns the number of collided bytes.
    pub fn collided_bytes(&self) -> u64 {
        self.collided_bytes
    }

    fn deliver(&mut self, flying: ByteInFlight) {
        let is_held = self.held_from_us.is_some_and(|from| from < flying.end_us);
        if self.is_alive && !is_held {
            self.fault_injector.carry(flying.end_us, flying.byte, &mut self.collected);
        }
        if flying.is_read_end {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some((last_us, _)) = self.collected.last() {
            let at_ms = self.arrival_ms(*last_us);
            let bytes = self.collected.drain(..).map(|(_, byte)| byte).collect();
            self.reads.push_back((at_ms, bytes));
        }
    }

    fn arrival_ms(&mut self, at_us: u64) -> u64 {
        self.last_ms = self.last_ms.max(at_us.div_ceil(1000));
        self.last_ms
    }
}

/// Merges two overlapping bytes as a receiver does: timing follows the first byte, and a bit is low if either byte is low.
fn collide(first: ByteInFlight, next: &ByteInFlight) -> ByteInFlight {
    // Frame: start bit 0, eight bits from the lowest, then stop bit and idle line as 1.
    let frame = |byte: u8| u32::from(byte) << 1 | !0x1ff;
    let bits = ((next.start_us - first.start_us) * 9_600 / 1_000_000).min(10);
    let both = frame(first.byte) & (frame(next.byte) << bits | ((1 << bits) - 1));
    ByteInFlight {
        end_us: first.end_us.max(next.end_us),
        byte: (both >> 1) as u8,
        is_read_end: first.is_read_end || next.is_read_end,
        ..first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_faults::LineFaults;
    use crate::random::Rng;

    fn line() -> SharedLine {
        SharedLine::new(FaultInjector::new(LineFaults::none(), Rng::new(1)))
    }

    fn all(line: &mut SharedLine) -> Vec<(u64, Vec<u8>)> {
        line.resolve_collisions(100_000_000);
        std::iter::from_fn(|| line.read(100_000)).collect()
    }

    #[test]
    fn sequential_messages_arrive_at_last_byte() {
        let mut line = line();
        line.send(0, &TimedMessage { start_us: 10_000, bytes: vec![0x87, 0, 6, 8, 2, 0x17] });
        line.send(0, &TimedMessage { start_us: 1_000, bytes: vec![0x87, 0, 6, 8, 1, 0x16] });
        assert_eq!(line.next_time(), Some(7_250));
        assert_eq!(all(&mut line), [(8, vec![0x87, 0, 6, 8, 1, 0x16]), (17, vec![0x87, 0, 6, 8, 2, 0x17])]);
        assert_eq!(line.collided_bytes(), 0);
    }

    #[test]
    fn colliding_messages_merge_low_bits() {
        let mut line = line();
        line.send(0, &TimedMessage { start_us: 0, bytes: vec![0x87, 0, 6, 8, 1, 0x16] });
        line.send(0, &TimedMessage { start_us: 0, bytes: vec![0x87, 0, 6, 8, 2, 0x17] });
        assert_eq!(all(&mut line), [(7, vec![0x87, 0, 6, 8, 0, 0x16])]);
        assert_eq!(line.collided_bytes(), 6);
    }

    #[test]
    fn half_overlap_keeps_start_and_garbles_rest() {
        let mut line = line();
        line.send(0, &TimedMessage { start_us: 0, bytes: vec![0x87, 0, 6, 8, 1, 0x16] });
        line.send(0, &TimedMessage { start_us: 3_000, bytes: vec![0x87, 0, 6, 8, 2, 0x17] });
        let read: Vec<u8> = all(&mut line).into_iter().flat_map(|read| read.1).collect();
        assert_eq!(read[..2], [0x87, 0]);
        assert!(read.len() < 12 && !read.ends_with(&[0x87, 0, 6, 8, 2, 0x17]), "{read:02x?}");
    }

    #[test]
    fn long_message_arrives_in_packets() {
        let mut line = line();
        line.send(0, &TimedMessage { start_us: 0, bytes: vec![1; 150] });
        assert_eq!(all(&mut line).iter().map(|read| read.1.len()).collect::<Vec<_>>(), [62, 62, 26]);
    }

    #[test]
    fn held_or_dead_line_passes_nothing() {
        let mut line = line();
        line.send(0, &TimedMessage { start_us: 0, bytes: vec![9; 10] });
        line.set_held(5_300, true);
        line.set_held(20_000, false);
        line.send(0, &TimedMessage { start_us: 30_000, bytes: vec![8; 10] });
        line.set_connected(35_300, false);
        line.set_connected(60_000, true);
        let bytes: Vec<u8> = all(&mut line).into_iter().flat_map(|read| read.1).collect();
        assert_eq!(bytes.iter().filter(|byte| **byte == 9).count(), 5);
        assert_eq!(bytes.iter().filter(|byte| **byte == 8).count(), 5);
    }
}
