//! Faults of single bytes on a line: random, at any rate, or at a chosen byte.
//!
//! | fault | per | what arrives |
//! |---|---|---|
//! | lose | byte | nothing |
//! | double | byte | the byte twice |
//! | flip | byte | the byte with one bit wrong |
//! | insert | byte | a foreign byte before it |
//! | cut | byte | this byte and the next few (up to twenty in all) are lost |
//! | delay | byte | this byte and everything after it arrive up to half a second later |
//! | wrong-checksum | answer on a bus | the answer with a wrong last byte |
//! | garbage-at-open | opening | up to forty foreign bytes, as from an old message still in a buffer |
//!
//! Invariants: the same seed and bytes give the same faults; a line without faults costs nothing and draws nothing.

use crate::random::Rng;
use std::collections::BTreeMap;

named_faults! {
    /// One kind of fault of a line.
    pub enum LineFault {
        /// The byte is lost.
        Lose = "lose",
        /// The byte arrives twice.
        Double = "double",
        /// One bit of the byte is wrong.
        Flip = "flip",
        /// A foreign byte precedes the byte.
        Insert = "insert",
        /// The byte and the next few are lost.
        Cut = "cut",
        /// The byte and all later ones are late.
        Delay = "delay",
        /// The last byte of an answer on a bus is wrong.
        WrongChecksum = "wrong-checksum",
        /// Foreign bytes arrive when the host opens the port.
        GarbageAtOpen = "garbage-at-open",
    }

    /// An unknown name of a fault.
    pub struct UnknownLineFault("no fault of a line");
}

/// Rates of each fault in one direction of a line, and faults at chosen bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineFaults {
    rates: [f64; LineFault::COUNT],
    scripted: BTreeMap<u64, (LineFault, Option<u8>)>,
}

impl LineFaults {
    /// Creates a line without faults.
    pub fn none() -> LineFaults {
        LineFaults::default()
    }

    /// Sets the rate of a fault, 0 to 1.
    pub fn with_rate(mut self, fault: LineFault, rate: f64) -> LineFaults {
        self.rates[fault as usize] = rate.clamp(0.0, 1.0);
        self
    }

    /// Adds a fault at the byte with this index, counted from 0 over all bytes sent in this direction. `detail` is the flipped bit (0 to
    /// 7), the foreign byte, the number of bytes cut, or the delay in units of two milliseconds. Without `detail` it is drawn. Each byte
    /// has at most one scripted fault; a later call replaces an earlier one. Ignores the two faults that do not concern single bytes.
    pub fn with_scripted(mut self, index: u64, fault: LineFault, detail: Option<u8>) -> LineFaults {
        if fault < LineFault::WrongChecksum {
            self.scripted.insert(index, (fault, detail));
        }
        self
    }

    /// Returns the rate of a fault.
    pub fn rate(&self, fault: LineFault) -> f64 {
        self.rates[fault as usize]
    }

    /// Whether no fault can occur.
    pub fn is_none(&self) -> bool {
        self.scripted.is_empty() && self.rates.iter().all(|rate| *rate == 0.0)
    }
}

/// A fault that occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectedFault {
    /// Time of the fault, in microseconds.
    pub at_us: u64,
    /// Index of the byte, over all bytes sent in this direction.
    pub index: u64,
    /// Kind of fault.
    pub fault: LineFault,
}

/// Faults of one direction of a line, with their state.
#[derive(Debug, Clone)]
pub struct FaultInjector {
    faults: LineFaults,
    rng: Rng,
    count: u64,
    cut_bytes_left: u64,
    late_until_us: u64,
    injected_faults: Vec<InjectedFault>,
}

/// Maximum number of recorded faults; a worse line needs no list.
const MAX_RECORDED_FAULTS: usize = 100_000;

impl FaultInjector {
    /// Creates a direction with its own random stream.
    pub fn new(faults: LineFaults, rng: Rng) -> FaultInjector {
        FaultInjector { faults, rng, count: 0, cut_bytes_left: 0, late_until_us: 0, injected_faults: Vec::new() }
    }

    /// Adds the bytes that arrive for one byte sent, with their times, to `out`. Order is preserved.
    pub fn carry(&mut self, at_us: u64, byte: u8, out: &mut Vec<(u64, u8)>) {
        let index = self.count;
        self.count += 1;
        if self.faults.is_none() {
            out.push((at_us, byte));
            return;
        }
        let fault = self.draw(index);
        if let Some((fault, _)) = fault {
            self.record_fault(at_us, index, fault);
        }
        let (fault, detail) = fault.map_or((None, None), |(fault, detail)| (Some(fault), detail));
        if self.cut_bytes_left > 0 {
            self.cut_bytes_left -= 1;
            return;
        }
        if fault == Some(LineFault::Delay) {
            let delay_us = detail.map_or_else(|| self.rng.between(20, 500) * 1000, |twos| u64::from(twos) * 2_000);
            self.late_until_us = self.late_until_us.max(at_us + delay_us);
        }
        let at_us = at_us.max(self.late_until_us);
        match fault {
            Some(LineFault::Lose) => {}
            Some(LineFault::Cut) => {
                let bytes = detail.map_or_else(|| self.rng.between(2, 20), u64::from);
                self.cut_bytes_left = bytes.saturating_sub(1);
            }
            Some(LineFault::Double) => out.extend([(at_us, byte); 2]),
            Some(LineFault::Flip) => {
                let bit = detail.map_or_else(|| self.rng.below(8) as u8, |bit| bit & 7);
                out.push((at_us, byte ^ (1 << bit)));
            }
            Some(LineFault::Insert) => {
                let foreign = detail.unwrap_or_else(|| self.rng.below(256) as u8);
                out.extend([(at_us, foreign), (at_us, byte)]);
            }
            _ => out.push((at_us, byte)),
        }
    }

    /// Corrupts the checksum of a complete answer, if that fault occurs.
    pub fn spoil_checksum(&mut self, at_us: u64, answer: &mut [u8]) {
        if self.draws_fault(LineFault::WrongChecksum)
            && let Some(sum) = answer.last_mut()
        {
            *sum ^= self.rng.between(1, 127) as u8;
            let index = self.count;
            self.record_fault(at_us, index, LineFault::WrongChecksum);
        }
    }

    /// Returns the bytes left in a buffer when the host opens the port.
    pub fn garbage_at_open(&mut self, at_us: u64) -> Vec<u8> {
        if !self.draws_fault(LineFault::GarbageAtOpen) {
            return Vec::new();
        }
        let index = self.count;
        self.record_fault(at_us, index, LineFault::GarbageAtOpen);
        (0..self.rng.between(1, 40)).map(|_| self.rng.below(256) as u8).collect()
    }

    /// Returns the faults so far (the first hundred thousand).
    pub fn injected_faults(&self) -> &[InjectedFault] {
        &self.injected_faults
    }

    /// Returns the number of bytes sent.
    pub fn count(&self) -> u64 {
        self.count
    }

    fn draw(&mut self, index: u64) -> Option<(LineFault, Option<u8>)> {
        let mut drawn = None;
        for fault in LineFault::all().take_while(|fault| *fault < LineFault::WrongChecksum) {
            let rate = self.faults.rate(fault);
            if rate > 0.0 && self.rng.chance(rate) && drawn.is_none() {
                drawn = Some((fault, None));
            }
        }
        self.faults.scripted.get(&index).copied().or(drawn)
    }

    fn draws_fault(&mut self, fault: LineFault) -> bool {
        let rate = self.faults.rate(fault);
        rate > 0.0 && self.rng.chance(rate)
    }

    fn record_fault(&mut self, at_us: u64, index: u64, fault: LineFault) {
        if self.injected_faults.len() < MAX_RECORDED_FAULTS {
            self.injected_faults.push(InjectedFault { at_us, index, fault });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carry(faults: LineFaults, bytes: &[u8]) -> Vec<u8> {
        let mut injury = FaultInjector::new(faults, Rng::new(3));
        let mut out = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            injury.carry(index as u64 * 1000, *byte, &mut out);
        }
        assert!(out.is_sorted_by_key(|(at_us, _)| *at_us));
        out.into_iter().map(|(_, byte)| byte).collect()
    }

    #[test]
    fn fault_at_byte_takes_effect_there() {
        let bytes = [0x8e, 0, 5, 63, 1];
        let at = |fault, detail| carry(LineFaults::none().with_scripted(3, fault, detail), &bytes);
        assert_eq!(at(LineFault::Lose, None), [0x8e, 0, 5, 1]);
        assert_eq!(at(LineFault::Double, None), [0x8e, 0, 5, 63, 63, 1]);
        assert_eq!(at(LineFault::Flip, Some(7)), [0x8e, 0, 5, 0xbf, 1]);
        assert_eq!(at(LineFault::Insert, Some(0x55)), [0x8e, 0, 5, 0x55, 63, 1]);
        assert_eq!(at(LineFault::Cut, Some(2)), [0x8e, 0, 5]);
        assert_eq!(at(LineFault::Delay, Some(10)), bytes);
        assert_eq!(at(LineFault::WrongChecksum, None), bytes);
    }

    #[test]
    fn faults_follow_rate() {
        let faults = LineFaults::none().with_rate(LineFault::Lose, 0.1);
        let left = carry(faults, &[7; 10_000]).len();
        assert!((8_800..9_200).contains(&left), "{left} of 10000 left");
        assert_eq!(carry(LineFaults::none(), &[7; 100]), [7; 100]);
    }

    #[test]
    fn late_bytes_stay_in_order() {
        let mut injury =
            FaultInjector::new(LineFaults::none().with_scripted(0, LineFault::Delay, Some(50)), Rng::new(1));
        let mut out = Vec::new();
        injury.carry(1_000, 1, &mut out);
        injury.carry(2_000, 2, &mut out);
        injury.carry(200_000, 3, &mut out);
        assert_eq!(out, [(101_000, 1), (101_000, 2), (200_000, 3)]);
        assert_eq!(injury.injected_faults(), [InjectedFault { at_us: 1_000, index: 0, fault: LineFault::Delay }]);
    }
}
