//! Counters of a line: they only grow, and only the line's task writes them.
//!
//! Invariants: counting never waits and never fails; the counts of a line outlive its task, so a reopened line continues them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::locks::lock;

/// Growing counter.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to the counter.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the count.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Histogram of durations.
#[derive(Debug)]
pub struct Histogram {
    /// Upper bounds of the buckets in seconds, ascending; one more bucket holds longer durations.
    bounds: &'static [f64],
    counts: Vec<Counter>,
    microseconds: Counter,
}

impl Histogram {
    /// Creates an empty histogram.
    pub fn new(bounds: &'static [f64]) -> Histogram {
        let counts = (0..=bounds.len()).map(|_| Counter::default()).collect();
        Histogram { bounds, counts, microseconds: Counter::default() }
    }

    /// Counts a duration.
    pub fn count(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = self.bounds.iter().position(|&bound| seconds <= bound).unwrap_or(self.bounds.len());
        self.counts[bucket].add(1);
        self.microseconds.add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// Returns each bound with the number of durations up to it; the last bound is infinite.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let mut sum = 0;
        let cumulated = self.counts.iter().map(|count| {
            sum += count.get();
            sum
        });
        bounds.zip(cumulated).collect()
    }

    /// Returns the sum of all durations in seconds.
    pub fn seconds(&self) -> f64 {
        self.microseconds.get() as f64 / 1e6
    }
}

/// Counters of a line.
#[derive(Debug)]
pub struct LineCounters {
    /// Bytes received from its boards.
    pub bytes_in: Counter,
    /// Bytes sent to its boards.
    pub bytes_out: Counter,
    /// Number of times the port was opened.
    pub connects: Counter,
    /// Bytes that belong to no message.
    pub noise_bytes: Counter,
    /// Answers with an invalid checksum.
    pub bad_checksums: Counter,
    /// Published plies.
    pub plies: Counter,
    /// Published setups.
    pub setups: Counter,
    /// Operator requests.
    pub requests: Counter,
    /// Number of times the line broke and was reopened.
    pub restarts: Counter,
    /// Time the squares had been quiet when an entry was published, on the boards' clock.
    pub publish_delay: Histogram,
    /// Time to make the log durable and to write the files of a publication.
    pub publish_time: Histogram,
}

/// Buckets from one scan to the longest wait for a board.
const DELAY_BUCKETS: &[f64] = &[0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0];
/// Buckets from a fast disk to one that is about to fail.
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

/// Counters of all lines, by name.
#[derive(Clone, Default)]
pub struct Counters(Arc<Mutex<BTreeMap<String, Arc<LineCounters>>>>);

impl Counters {
    /// Returns the counters of a line, which continue if it existed earlier.
    pub fn for_line(&self, line: &str) -> Arc<LineCounters> {
        let mut lines = lock(&self.0);
        Arc::clone(lines.entry(line.to_owned()).or_default())
    }

    /// Returns all counters, by line name.
    pub fn all(&self) -> Vec<(String, Arc<LineCounters>)> {
        let lines = lock(&self.0);
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
