//! Counters of a line: they only grow, and only the line's task writes them.
//!
//! Invariants: counting never waits and never fails; the counts of a line outlive its task, so that a line that is opened
//! again goes on counting.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A number that grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often something took how long.
#[derive(Debug)]
pub struct Histogram {
    /// The longest times that count in each bucket, in seconds, ascending; one more bucket has the longer ones.
    bounds: &'static [f64],
    counts: Vec<Counter>,
    microseconds: Counter,
}

impl Histogram {
    /// Nothing counted yet.
    pub fn new(bounds: &'static [f64]) -> Histogram {
        let counts = (0..=bounds.len()).map(|_| Counter::default()).collect();
        Histogram { bounds, counts, microseconds: Counter::default() }
    }

    /// Counts one.
    pub fn count(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = self.bounds.iter().position(|&bound| seconds <= bound).unwrap_or(self.bounds.len());
        self.counts[bucket].add(1);
        self.microseconds.add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// Each bound with how many were not longer; the last is infinite and has all.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let mut sum = 0;
        let cumulated = self.counts.iter().map(|count| {
            sum += count.get();
            sum
        });
        bounds.zip(cumulated).collect()
    }

    /// The sum of all, in seconds.
    pub fn seconds(&self) -> f64 {
        self.microseconds.get() as f64 / 1e6
    }
}

/// What a line has counted.
#[derive(Debug)]
pub struct LineCounters {
    /// Bytes from its boards.
    pub bytes_in: Counter,
    /// Bytes to them.
    pub bytes_out: Counter,
    /// How often the port was opened.
    pub connects: Counter,
    /// Bytes that belong to no message.
    pub noise_bytes: Counter,
    /// Answers with a wrong checksum.
    pub bad_checksums: Counter,
    /// Plies that were published.
    pub plies: Counter,
    /// Setups that were published.
    pub setups: Counter,
    /// Requests of operators.
    pub requests: Counter,
    /// How often the line broke and was opened again.
    pub restarts: Counter,
    /// How long the squares had been quiet when an entry was published, in the time of the boards.
    pub publish_delay: Histogram,
    /// How long it took to make the log durable and to write the files of what was published.
    pub publish_time: Histogram,
}

/// From a scan to the longest wait for a board that nothing explains.
const DELAY_BUCKETS: &[f64] = &[0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0];
/// From a fast disk to one that is about to fail.
const SYNC_BUCKETS: &[f64] = &[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0];

impl Default for LineCounters {
    fn default() -> LineCounters {
        LineCounters {
            bytes_in: Counter::default(),
            bytes_out: Counter::default(),
            connects: Counter::default(),
            noise_bytes: Counter::default(),
            bad_checksums: Counter::default(),
            plies: Counter::default(),
            setups: Counter::default(),
            requests: Counter::default(),
            restarts: Counter::default(),
            publish_delay: Histogram::new(DELAY_BUCKETS),
            publish_time: Histogram::new(SYNC_BUCKETS),
        }
    }
}

/// The counts of all lines, by name.
#[derive(Clone, Default)]
pub struct Counters(Arc<Mutex<BTreeMap<String, Arc<LineCounters>>>>);

impl Counters {
    /// Those of a line, which go on if it has been there before.
    pub fn for_line(&self, line: &str) -> Arc<LineCounters> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(lines.entry(line.to_owned()).or_default())
    }

    /// All of them, by name.
    pub fn all(&self) -> Vec<(String, Arc<LineCounters>)> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|(line, counters)| (line.clone(), Arc::clone(counters))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let histogram = Histogram::new(&[0.1, 1.0]);
        [50, 100, 101, 1000, 5000].into_iter().for_each(|ms| histogram.count(Duration::from_millis(ms)));
        assert_eq!(histogram.buckets(), [(0.1, 2), (1.0, 4), (f64::INFINITY, 5)]);
        assert!((histogram.seconds() - 6.251).abs() < 1e-9);
    }
}
