//! The time of a log: whole milliseconds since it was opened, never decreasing.
//!
//! ```text
//!   clock on the wall   ──────┬───────────────▸  monotonic
//!                             │ opened            × time-scale
//!   log                       0 ... 1040          the number in the log
//!   line    ... 60000 ┄ shift 60000 ... 61040     the number the core is told: counts from the first log of the chain
//! ```

use std::time::Duration;

use tokio::time::Instant;

use crate::millis::Millis;

/// How long a deadline is waited for at most before it is looked at again; timers have their limits.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

/// The clock of one log.
pub struct Clock {
    opened: Instant,
    scale: f64,
    shift: Millis,
    last: u64,
}

impl Clock {
    /// A clock that starts now, runs `scale` times as fast as the one on the wall, and stands at `shift` for the line.
    pub fn start(scale: f64, shift: Millis) -> Clock {
        Clock { opened: Instant::now(), scale, shift, last: 0 }
    }

    /// The time of the log.
    pub fn now(&mut self) -> u64 {
        // A float to an integer saturates; a thousand years at the largest scale fit.
        let now = (self.opened.elapsed().as_secs_f64() * 1000.0 * self.scale) as u64;
        self.last = self.last.max(now);
        self.last
    }

    /// When a moment of the line is, on the wall; an hour from now for what is later than that.
    pub fn instant(&self, deadline: Millis) -> Instant {
        let milliseconds = (deadline - self.shift).0 as f64 / self.scale;
        let since_opened = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
        let latest = Instant::now() + LONGEST_SLEEP;
        self.opened.checked_add(since_opened).map_or(latest, |instant| instant.min(latest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn runs_at_its_scale_and_gives_the_line_its_time() {
        let mut clock = Clock::start(30.0, Millis(60_000));
        tokio::time::advance(Duration::from_millis(1500)).await;
        assert_eq!(clock.now(), 45_000);
        tokio::time::sleep_until(clock.instant(Millis(60_000 + 48_000))).await;
        assert_eq!(clock.now(), 48_000);
        assert!(clock.instant(Millis(0)) <= Instant::now());
        assert!(clock.instant(Millis(u64::MAX)) <= Instant::now() + LONGEST_SLEEP);
    }
}
