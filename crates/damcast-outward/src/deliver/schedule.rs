//! Times at which a delivery runs its command: at most every some seconds, and seldom while it fails.

use std::time::{Duration, Instant};

/// Longest pause after failures.
const MAX_PAUSE: Duration = Duration::from_secs(300);

/// Schedule of a delivery.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    every: Duration,
    not_before: Option<Instant>,
    /// Failures since the last success.
    failures: u32,
}

impl Schedule {
    /// Creates a schedule whose first call is due at once.
    pub fn new(every: Duration) -> Schedule {
        Schedule { every, not_before: None, failures: 0 }
    }

    /// Returns the time until a call may begin.
    pub fn wait(&self, now: Instant) -> Duration {
        self.not_before.map_or(Duration::ZERO, |due| due.saturating_duration_since(now))
    }

    /// Notes a call that began at this time and succeeded.
    pub fn succeed(&mut self, began: Instant) {
        self.failures = 0;
        self.not_before = Some(began + self.every);
    }

    /// Notes a call that succeeded with a part of the files: the next call is due at once.
    pub fn go_on(&mut self) {
        (self.failures, self.not_before) = (0, None);
    }

    /// Notes a call that failed. The pause doubles with each failure, up to five minutes or `every`. `jitter`, from 0 to 1, shortens it
    /// by up to a half, so that many stations do not return to a server at one moment.
    pub fn fail(&mut self, now: Instant, jitter: f64) {
        self.failures = (self.failures + 1).min(16);
        let pause = self.every.saturating_mul(1 << self.failures).min(MAX_PAUSE.max(self.every));
        self.not_before = Some(now + pause.mul_f64(1.0 - jitter.clamp(0.0, 1.0) / 2.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_doubles_up_to_five_minutes() {
        let now = Instant::now();
        let mut schedule = Schedule::new(Duration::from_secs(5));
        assert_eq!(schedule.wait(now), Duration::ZERO);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            schedule.fail(now, 0.0);
            pauses.push(schedule.wait(now).as_secs());
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 300, 300, 300]);
        schedule.fail(now, 1.0);
        assert_eq!(schedule.wait(now).as_secs(), 150);
        schedule.succeed(now);
        assert_eq!(schedule.wait(now).as_secs(), 5);
        schedule.fail(now, 0.0);
        assert_eq!(schedule.wait(now).as_secs(), 10, "failures before a success do not count");
        let mut rare = Schedule::new(Duration::from_secs(3600));
        rare.fail(now, 0.0);
        assert_eq!(rare.wait(now).as_secs(), 3600);
    }
}
