//! Heartbeats of tasks that must not stall; the supervisor checks them.
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
pub struct Heartbeats {
    start: Instant,
    states: Arc<Mutex<Vec<Weak<HeartbeatState>>>>,
}

/// One of them. As long as a clone of it is there, it counts.
#[derive(Clone)]
pub struct Heartbeat(Arc<HeartbeatState>);

struct HeartbeatState {
    name: String,
    start: Instant,
    /// When it last beat, in milliseconds since the start; [`PAUSED`]: nothing is expected of it.
    last_beat: AtomicU64,
}

const PAUSED: u64 = u64::MAX;

impl Default for Heartbeats {
    fn default() -> Heartbeats {
        Heartbeats { start: Instant::now(), states: Arc::default() }
    }
}

impl Heartbeats {
    /// A new one, at rest.
    pub fn pulse(&self, name: &str) -> Heartbeat {
        let heart =
            Arc::new(HeartbeatState { name: name.to_owned(), start: self.start, last_beat: AtomicU64::new(PAUSED) });
        let mut hearts = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        hearts.retain(|heart| heart.strong_count() > 0);
        hearts.push(Arc::downgrade(&heart));
        Heartbeat(heart)
    }

    /// Whose last beat is longer ago than this, and by how much.
    pub fn stalled(&self, longest: Duration) -> Vec<(String, Duration)> {
        let hearts = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = hearts.iter().filter_map(Weak::upgrade);
        alive
            .filter_map(|heart| Some((heart.name.clone(), heart.idle_time().filter(|&time| time > longest)?)))
            .collect()
    }
}

impl Heartbeat {
    /// It works, and will beat again before long.
    pub fn beat(&self) {
        let now = u64::try_from(self.0.start.elapsed().as_millis()).unwrap_or(PAUSED - 1);
        self.0.last_beat.store(now, Ordering::Relaxed);
    }

    /// It has nothing to do.
    pub fn pause(&self) {
        self.0.last_beat.store(PAUSED, Ordering::Relaxed);
    }
}

impl HeartbeatState {
    fn idle_time(&self) -> Option<Duration> {
        let at = self.last_beat.load(Ordering::Relaxed);
        (at != PAUSED).then(|| self.start.elapsed().saturating_sub(Duration::from_millis(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tasks_with_past_heartbeat_can_stall() {
        let heartbeats = Heartbeats::default();
        let [rests, hangs, ended] = ["rests", "hangs", "ended"].map(|name| heartbeats.pulse(name));
        assert!(heartbeats.stalled(Duration::ZERO).is_empty(), "nothing has begun");
        [&rests, &hangs, &ended].into_iter().for_each(Heartbeat::beat);
        rests.pause();
        drop(ended);
        std::thread::sleep(Duration::from_millis(20));
        let stalled: Vec<String> =
            heartbeats.stalled(Duration::from_millis(10)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(stalled, ["hangs"]);
        hangs.beat();
        assert!(heartbeats.stalled(Duration::from_secs(10)).is_empty());
    }
}
