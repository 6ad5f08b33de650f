//! Signs of life: whoever does work that must go on says so, and somebody looks whether they all still do.
//!
//! ```text
//!   line task    beat ── beat ── beat ── beat ──            at least every second, by its own loop
//!   a thread     beat ── work ── rest ............ beat ──  while there is work
//!   a line that hangs   beat ── beat ── . . . . . . . . .   stalled
//! ```
//!
//! A timer that says "I live" proves that timers run. A beat is made by the loop that does the work, between two pieces of it;
//! when the disk does not answer or the loop waits for what never comes, the beats end.
//!
//! Absent on purpose: what is done about it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// All those whose work must go on.
#[derive(Clone)]
pub struct Pulses {
    start: Instant,
    hearts: Arc<Mutex<Vec<Weak<Heart>>>>,
}

/// One of them. As long as a clone of it is there, it counts.
#[derive(Clone)]
pub struct Pulse(Arc<Heart>);

struct Heart {
    name: String,
    start: Instant,
    /// When it last beat, in milliseconds since the start; [`AT_REST`]: nothing is expected of it.
    at: AtomicU64,
}

const AT_REST: u64 = u64::MAX;

impl Default for Pulses {
    fn default() -> Pulses {
        Pulses { start: Instant::now(), hearts: Arc::default() }
    }
}

impl Pulses {
    /// A new one, at rest.
    pub fn pulse(&self, name: &str) -> Pulse {
        let heart = Arc::new(Heart { name: name.to_owned(), start: self.start, at: AtomicU64::new(AT_REST) });
        let mut hearts = self.hearts.lock().unwrap_or_else(PoisonError::into_inner);
        hearts.retain(|heart| heart.strong_count() > 0);
        hearts.push(Arc::downgrade(&heart));
        Pulse(heart)
    }

    /// Whose last beat is longer ago than this, and by how much.
    pub fn stalled(&self, longest: Duration) -> Vec<(String, Duration)> {
        let hearts = self.hearts.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = hearts.iter().filter_map(Weak::upgrade);
        alive
            .filter_map(|heart| Some((heart.name.clone(), heart.silent_for().filter(|&time| time > longest)?)))
            .collect()
    }
}

impl Pulse {
    /// It works, and will beat again before long.
    pub fn beat(&self) {
        let now = u64::try_from(self.0.start.elapsed().as_millis()).unwrap_or(AT_REST - 1);
        self.0.at.store(now, Ordering::Relaxed);
    }

    /// It has nothing to do.
    pub fn rest(&self) {
        self.0.at.store(AT_REST, Ordering::Relaxed);
    }
}

impl Heart {
    fn silent_for(&self) -> Option<Duration> {
        let at = self.at.load(Ordering::Relaxed);
        (at != AT_REST).then(|| self.start.elapsed().saturating_sub(Duration::from_millis(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tasks_with_past_heartbeat_can_stall() {
        let pulses = Pulses::default();
        let [rests, hangs, ended] = ["rests", "hangs", "ended"].map(|name| pulses.pulse(name));
        assert!(pulses.stalled(Duration::ZERO).is_empty(), "nothing has begun");
        [&rests, &hangs, &ended].into_iter().for_each(Pulse::beat);
        rests.rest();
        drop(ended);
        std::thread::sleep(Duration::from_millis(20));
        let stalled: Vec<String> =
            pulses.stalled(Duration::from_millis(10)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(stalled, ["hangs"]);
        hangs.beat();
        assert!(pulses.stalled(Duration::from_secs(10)).is_empty());
    }
}
