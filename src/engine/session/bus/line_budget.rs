//! How much of the line is in use, and how much may be used for what is not urgent.
//!
//! At 9600 baud a byte takes 1.042 ms and the line is what a bus has least of: 96 boards a second can be asked for their
//! changes, and a board's dump takes as long as ten of these questions. So two books are kept: what was used, for people to
//! see, and what may be *spent* on questions that make the record surer but could wait.

use crate::engine::millis::Millis;

/// Bytes that the line carries in one direction, each second.
const BYTES_PER_SECOND: u64 = 960;
/// The share of the line that questions may take which could wait, in percent.
const SPENDABLE_PERCENT: u64 = 3;
/// The share of the line that memories may take which are read for games that began while nobody listened: one part of so many.
const MEMORY_SHARE: u64 = 4;
/// What can be saved up, as a span of the line: four dumps of a 10x10 board.
const MAX_SAVED: Millis = Millis(500);
/// The share is measured over so long.
const WINDOW: Millis = Millis::seconds(10);

/// How long this many bytes take on the line, rounded up.
pub fn wire_time(bytes: usize) -> Millis {
    Millis((bytes as u64 * 1_000).div_ceil(BYTES_PER_SECOND))
}

/// The books of a line.
#[derive(Clone, Debug, Default)]
pub struct LineBudget {
    /// In thousandths of a millisecond of the line.
    saved_time: u64,
    saved_at: Millis,
    /// No memory is read before.
    next_memory_at: Millis,
    window: Window,
    last_window: Option<Window>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    begun: Millis,
    /// Up to where it was measured.
    ended: Millis,
    bytes: u64,
}

impl LineBudget {
    /// The line is open.
    pub fn start(now: Millis) -> LineBudget {
        LineBudget { saved_at: now, window: Window { begun: now, ended: now, bytes: 0 }, ..LineBudget::default() }
    }

    /// So many bytes went over the line, in one direction or the other.
    pub fn record_bytes(&mut self, now: Millis, bytes: usize) {
        if now - self.window.begun >= WINDOW {
            self.last_window = Some(Window { ended: now, ..self.window });
            self.window = Window { begun: now, ended: now, bytes: 0 };
        }
        self.window.bytes += bytes as u64;
        self.window.ended = now;
    }

    /// Spends so much of the line on something that could wait, if so much is there.
    pub fn spend(&mut self, now: Millis, cost: Millis) -> bool {
        let earned = (now - self.saved_at).0.saturating_mul(SPENDABLE_PERCENT * 10);
        self.saved_time = self.saved_time.saturating_add(earned).min(MAX_SAVED.0 * 1_000);
        self.saved_at = now;
        let cost = cost.0 * 1_000;
        let is_there = self.saved_time >= cost;
        if is_there {
            self.saved_time -= cost;
        }
        is_there
    }

    /// May a memory be read, that holds the line for seconds? One board at a time, and in between the line is the others'.
    pub fn can_read_memory(&self, now: Millis) -> bool {
        now >= self.next_memory_at
    }

    /// One is being read of at most so many bytes, or has been.
    pub fn note_memory_read(&mut self, now: Millis, bytes: usize) {
        self.next_memory_at = now + Millis(wire_time(bytes).0 * (MEMORY_SHARE - 1));
    }

    /// The share of the time in which bytes were on the line, in percent, over the last seconds. The rest is the time that
    /// boards take to answer, and time in which nobody was asked.
    pub fn used_percent(&self) -> u64 {
        let window = self.last_window.unwrap_or(self.window);
        let span = (window.ended - window.begun).0.max(1);
        (window.bytes * 100_000 / BYTES_PER_SECOND / span).min(100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_share_of_time() {
        let mut usage = LineBudget::start(Millis(1_000));
        assert!(!usage.spend(Millis(1_000), Millis(100)));
        assert!(!usage.spend(Millis(4_000), Millis(100)), "30 ms are saved in a second");
        assert!(usage.spend(Millis(5_000), Millis(100)));
        // No more is saved than half a second.
        let spent = (0..20).filter(|_| usage.spend(Millis(1_000_000), Millis(100))).count();
        assert_eq!(spent, 5);
    }

    #[test]
    fn memory_reads_leave_gaps_for_others() {
        let mut usage = LineBudget::start(Millis(1_000));
        assert!(usage.can_read_memory(Millis(1_000)));
        usage.note_memory_read(Millis(9_000), 960);
        assert!(!usage.can_read_memory(Millis(11_999)) && usage.can_read_memory(Millis(12_000)));
    }

    #[test]
    fn share_covers_last_seconds() {
        let mut usage = LineBudget::start(Millis(0));
        for second in 1..=10 {
            usage.record_bytes(Millis(second * 1_000), 480);
        }
        assert_eq!(usage.used_percent(), 45, "nine of ten seconds were half in use");
        usage.record_bytes(Millis(20_000), 960);
        assert_eq!(usage.used_percent(), 5, "of ten seconds one was");
        assert_eq!((wire_time(4), wire_time(106)), (Millis(5), Millis(111)));
    }
}
