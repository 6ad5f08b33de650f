//! Usage of the line, and the budget for questions that are not urgent.
//!
//! At 9600 baud a byte takes 1.042 ms, which makes the line the scarcest resource of a bus. It allows polling 96 boards per
//! second for changes, and a dump takes as long as ten polls. Two accounts exist: the usage, displayed to people, and the
//! budget for questions that improve certainty but can wait.

use crate::millis::Millis;

const BYTES_PER_SECOND: u64 = 960;
/// Share of the line for questions that can wait, in percent.
const SPENDABLE_PERCENT: u64 = 3;
/// Divisor of the line share for memory reads, which look for games that began unrecorded.
const MEMORY_SHARE: u64 = 4;
/// Maximum saved line time: four dumps of a 10x10 board.
const MAX_SAVED: Millis = Millis(500);
const WINDOW: Millis = Millis::seconds(10);

/// Returns the time of this many bytes on the line, rounded up.
pub fn wire_time(bytes: usize) -> Millis {
    Millis((bytes as u64 * 1_000).div_ceil(BYTES_PER_SECOND))
}

/// Usage and budget of a line.
#[derive(Clone, Debug, Default)]
pub struct LineBudget {
    /// Saved line time in microseconds.
    saved_time: u64,
    saved_at: Millis,
    /// Earliest time of the next memory read.
    next_memory_at: Millis,
    window: Window,
    last_window: Option<Window>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    begun: Millis,
    /// End of the measurement so far.
    ended: Millis,
    bytes: u64,
}

impl LineBudget {
    /// Starts the accounts when the line opens.
    pub fn start(now: Millis) -> LineBudget {
        LineBudget { saved_at: now, window: Window { begun: now, ended: now, bytes: 0 }, ..LineBudget::default() }
    }

    /// Records bytes on the line, in either direction.
    pub fn record_bytes(&mut self, now: Millis, bytes: usize) {
        if now - self.window.begun >= WINDOW {
            self.last_window = Some(Window { ended: now, ..self.window });
            self.window = Window { begun: now, ended: now, bytes: 0 };
        }
        self.window.bytes += bytes as u64;
        self.window.ended = now;
    }

    /// Spends `cost` of the budget. Returns `false` if the budget is too small.
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

    /// Whether a memory read may start. A read occupies the line for seconds, so the others get the line in between.
    pub fn can_read_memory(&self, now: Millis) -> bool {
        now >= self.next_memory_at
    }

    /// Records a memory read of at most `bytes` that is running or complete.
    pub fn note_memory_read(&mut self, now: Millis, bytes: usize) {
        self.next_memory_at = now + Millis(wire_time(bytes).0 * (MEMORY_SHARE - 1));
    }

    /// Returns the share of time with bytes on the line over the last seconds, in percent. The rest is answering time of the
    /// boards and idle time.
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
