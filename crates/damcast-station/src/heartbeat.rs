//! Heartbeats of tasks that must not stall; the supervisor checks them.
//!
//! ```text
//!   line task    beat ── beat ── beat ── beat ──            at least every second, by its own loop
//!   a thread     beat ── work ── pause ........... beat ──  while there is work
//!   a line that hangs   beat ── beat ── . . . . . . . . .   stalled
//! ```
//!
//! A timer proves only that timers run. So the loop that does the work beats between two steps; when the disk does not answer or the
//! loop waits for an event that never comes, the beats end.
//!
//! Absent on purpose: the reaction to a stall.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use crate::locks::lock;

/// Heartbeats of all tasks that must not stall.
#[derive(Clone)]
pub struct Heartbeats {
    start: Instant,
    states: Arc<Mutex<Vec<Weak<HeartbeatState>>>>,
}

/// Heartbeat of one task; it counts while a clone of it exists.
#[derive(Clone)]
pub struct Heartbeat(Arc<HeartbeatState>);

struct HeartbeatState {
    name: String,
    start: Instant,
    /// Time of the last beat, in milliseconds since the start; [`PAUSED`] if none is expected.
    last_beat: AtomicU64,
}

const PAUSED: u64 = u64::MAX;

impl Default for Heartbeats {
    fn default() -> Heartbeats {
        Heartbeats { start: Instant::now(), states: Arc::default() }
    }
}

impl Heartbeats {
    /// Creates a paused heartbeat.
    pub fn pulse(&self, name: &str) -> Heartbeat {
        let heart =
            Arc::new(HeartbeatState { name: name.to_owned(), start: self.start, last_beat: AtomicU64::new(PAUSED) });
        let mut hearts = lock(&self.states);
        hearts.retain(|heart| heart.strong_count() > 0);
        hearts.push(Arc::downgrade(&heart));
        Heartbeat(heart)
    }

    /// Returns the tasks whose last beat is older than `longest`, with its age.
    pub fn stalled(&self, longest: Duration) -> Vec<(String, Duration)> {
        let hearts = lock(&self.states);
        let alive = hearts.iter().filter_map(Weak::upgrade);
        alive
            .filter_map(|heart| Some((heart.name.clone(), heart.idle_time().filter(|&time| time > longest)?)))
            .collect()
    }
}

impl Heartbeat {
    /// Records a beat; another must follow soon.
    pub fn beat(&self) {
        let now = u64::try_from(self.0.start.elapsed().as_millis()).unwrap_or(PAUSED - 1);
        self.0.last_beat.store(now, Ordering::Relaxed);
    }

    /// Pauses the heartbeat: the task has no work.
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
