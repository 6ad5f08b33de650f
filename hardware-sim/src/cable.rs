//! The cable between board and host: it loses, doubles, cuts, corrupts and adds bytes, and splits messages into reads.
//!
//! Messages leave the board complete and in order; this module determines what the host reads. Bytes that arrive while the link is dead are
//! lost, so an outage may also cut a message.

use crate::board::TimedMessage;
use crate::faults::Fault;
use crate::planner::Outage;
use crate::profile::NoiseProfile;
use crate::random::Rng;
use crate::truth::{Event, TruthEntry};
use crate::wire;

/// One read of the host: arrival time of its last byte, and the bytes.
pub type DeliveredRead = (u64, Vec<u8>);

/// A cable with its own random stream, so that its faults never change what hands do.
#[derive(Debug, Clone)]
pub struct Cable {
    profile: NoiseProfile,
    rng: Rng,
    outages: Vec<Outage>,
    last_ms: u64,
}

impl Cable {
    /// Creates a cable with the rates of a profile, dead during the outages.
    pub fn new(profile: NoiseProfile, outages: Vec<Outage>, rng: Rng) -> Cable {
        Cable { profile, rng, outages, last_ms: 0 }
    }

    /// Returns the times without a link, in order.
    pub fn outages(&self) -> &[Outage] {
        &self.outages
    }

    /// Whether the link is dead at this time.
    pub fn is_dead(&self, ms: u64) -> bool {
        self.outages.iter().any(|outage| outage.covers(ms))
    }

    /// Carries one message: returns the host's reads with their times. Adds faults to the truth.
    pub fn carry(&mut self, sent: TimedMessage, truth: &mut Vec<TruthEntry>) -> Vec<DeliveredRead> {
        let Some(TimedMessage { start_us, bytes }) = self.apply_faults(sent, truth) else { return Vec::new() };
        let split = self.rng.chance(self.profile.rate(Fault::SplitRead));
        self.cut_into_reads(start_us, bytes, split)
    }

    /// Applies faults to a message; `None` if it is lost. Adds faults to the truth.
    pub(crate) fn apply_faults(&mut self, sent: TimedMessage, truth: &mut Vec<TruthEntry>) -> Option<TimedMessage> {
        let start_ms = sent.start_us / 1000;
        let mut bytes = sent.bytes;
        let mut struck = |cable: &mut Cable, fault: Fault| {
            let strikes = cable.rng.chance(cable.profile.rate(fault));
            if strikes {
                let event = Event::Irregular { ply: None, fault, field: None, until_ms: start_ms };
                truth.push(TruthEntry { at_ms: start_ms, event });
            }
            strikes
        };
        if struck(self, Fault::MessageLost) {
            return None;
        }
        if struck(self, Fault::MessageFlipped) {
            let index = self.rng.below(bytes.len() as u64) as usize;
            let bit = self.rng.below(8);
            if let Some(byte) = bytes.get_mut(index) {
                *byte ^= 1 << bit;
            }
        }
        if struck(self, Fault::MessageCut) {
            let kept_len = self.rng.below(bytes.len() as u64) as usize;
            bytes.truncate(kept_len);
        }
        if struck(self, Fault::MessageDoubled) {
            bytes.extend_from_within(..);
        }
        if struck(self, Fault::Garbage) {
            let foreign: Vec<u8> = (0..self.rng.between(1, 20)).map(|_| self.rng.below(256) as u8).collect();
            bytes.splice(0..0, foreign);
        }
        Some(TimedMessage { start_us: sent.start_us, bytes })
    }

    fn cut_into_reads(&mut self, start_us: u64, bytes: Vec<u8>, split: bool) -> Vec<DeliveredRead> {
        let arrival = |index: usize| (start_us + wire::line_us(index + 1)).div_ceil(1000);
        let end_ms = arrival(bytes.len());
        let threatened = self.outages.iter().any(|outage| outage.from_ms <= end_ms && start_us / 1000 <= outage.to_ms);
        let mut cuts: Vec<usize> = Vec::new();
        if split {
            cuts = (0..self.rng.between(1, 3)).map(|_| self.rng.below(bytes.len() as u64) as usize).collect();
            cuts.sort_unstable();
        }
        cuts.push(bytes.len());
        let mut reads = Vec::new();
        let mut from = 0;
        for cut in cuts {
            let alive = |index: &usize| !threatened || !self.is_dead(arrival(*index));
            let part: Vec<u8> = (from..cut).filter(alive).map(|index| bytes[index]).collect();
            if let Some(last) = (from..cut).rfind(|index| alive(index)) {
                // Foreign and doubled bytes occupy the line: no byte overtakes another.
                self.last_ms = self.last_ms.max(arrival(last));
                reads.push((self.last_ms, part));
            }
            from = cut;
        }
        reads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> TimedMessage {
        TimedMessage { start_us: 10_000, bytes: vec![0x8e, 0, 5, 63, 1] }
    }

    fn carry(profile: NoiseProfile, outages: Vec<Outage>) -> Vec<DeliveredRead> {
        Cable::new(profile, outages, Rng::new(5)).carry(message(), &mut Vec::new())
    }

    #[test]
    fn good_cable_delivers_message_at_last_byte() {
        assert_eq!(carry(NoiseProfile::ideal(), vec![]), [(16, vec![0x8e, 0, 5, 63, 1])]);
    }

    #[test]
    fn each_fault_has_distinct_effect() {
        let bytes = |fault| {
            carry(NoiseProfile::only(fault, 1.0), vec![]).into_iter().flat_map(|read| read.1).collect::<Vec<u8>>()
        };
        assert_eq!(bytes(Fault::MessageLost), []);
        assert_eq!(bytes(Fault::MessageDoubled), [0x8e, 0, 5, 63, 1, 0x8e, 0, 5, 63, 1]);
        assert!(bytes(Fault::MessageCut).len() < 5);
        let flipped = bytes(Fault::MessageFlipped);
        let wrong_bits: u32 = flipped.iter().zip(&message().bytes).map(|(a, b)| (a ^ b).count_ones()).sum();
        assert_eq!((flipped.len(), wrong_bits), (5, 1));
        assert!(bytes(Fault::Garbage).ends_with(&message().bytes) && bytes(Fault::Garbage).len() > 5);
        assert_eq!(bytes(Fault::SplitRead), message().bytes);
        assert!(carry(NoiseProfile::only(Fault::SplitRead, 1.0), vec![]).len() > 1);
    }

    #[test]
    fn outage_loses_arriving_bytes() {
        let from_13 = Outage { from_ms: 13, to_ms: 9_000 };
        assert_eq!(carry(NoiseProfile::ideal(), vec![from_13]), [(12, vec![0x8e])]);
        let until_14 = Outage { from_ms: 0, to_ms: 14 };
        assert_eq!(carry(NoiseProfile::ideal(), vec![until_14]), [(16, vec![5, 63, 1])]);
    }
}
