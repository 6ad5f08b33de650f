//! The time of a log: whole milliseconds since it was opened, never decreasing.
//!
//! ```text
//!   clock on the wall   ──────┬───────────────▸  monotonic
//!                             │ opened            × time-scale
//!   log                       0 ... 1040          the number in the log
//!   line    ... 60000 ┄ shift 60000 ... 61040     the number the core is told: counts from the first log of the chain
//! ```

use std::time::{Duration, SystemTime};

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use tokio::time::Instant;

use crate::engine::millis::Millis;

/// How long a deadline is waited for at most before it is looked at again; timers have their limits.
const MAX_SLEEP: Duration = Duration::from_secs(3600);

/// A clock that shows more than this beside what it should has been set, or its machine slept.
pub const MIN_CLOCK_JUMP: TimeDelta = TimeDelta::seconds(1);
/// Between two looks at two clocks no more than this may pass, or nothing follows from them.
const MAX_READ_GAP: Duration = Duration::from_millis(100);

/// A machine whose clock shows an earlier moment has plainly not been set: this program was not made then. Packages say when
/// their commit was made; the constant is before the first of them.
pub fn dates_from() -> DateTime<FixedOffset> {
    /// 2026-11-01, in seconds since 1970.
    const EARLIEST_PLAUSIBLE: i64 = 1_793_491_200;
    let made = option_env!("SOURCE_DATE_EPOCH").and_then(|seconds| seconds.parse().ok());
    let seconds = EARLIEST_PLAUSIBLE.max(made.unwrap_or(EARLIEST_PLAUSIBLE));
    DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default().fixed_offset()
}

/// The clock on the wall, watched for jumps.
pub struct WallClock {
    since: std::time::Instant,
    last_shown: SystemTime,
}

impl WallClock {
    /// From now on it is watched.
    pub fn start() -> WallClock {
        WallClock { since: std::time::Instant::now(), last_shown: SystemTime::now() }
    }

    /// By how much it was set since it was last found to be, if that is more than [`MIN_CLOCK_JUMP`]. A machine that slept counts as well:
    /// the time of a log stands still meanwhile.
    pub fn jump(&mut self) -> Option<TimeDelta> {
        let (now, shown) = (std::time::Instant::now(), SystemTime::now());
        if now.elapsed() > MAX_READ_GAP {
            return None;
        }
        let expected = self.last_shown + now.saturating_duration_since(self.since);
        let jump = match shown.duration_since(expected) {
            Ok(forward) => TimeDelta::from_std(forward).ok()?,
            Err(back) => -TimeDelta::from_std(back.duration()).ok()?,
        };
        if jump.abs() <= MIN_CLOCK_JUMP {
            return None;
        }
        *self = WallClock { since: now, last_shown: shown };
        Some(jump)
    }
}

/// The clock of one log.
pub struct LogClock {
    opened: Instant,
    scale: f64,
    shift: Millis,
    last: u64,
}

impl LogClock {
    /// A clock that starts now, runs `scale` times as fast as the one on the wall, and stands at `shift` for the line.
    pub fn start(scale: f64, shift: Millis) -> LogClock {
        LogClock { opened: Instant::now(), scale, shift, last: 0 }
    }

    /// The time of the log.
    pub fn now(&mut self) -> u64 {
        // A float to an integer saturates; a thousand years at the largest scale fit.
        let now = (self.opened.elapsed().as_secs_f64() * 1000.0 * self.scale) as u64;
        self.last = self.last.max(now);
        self.last
    }

    /// A time of the log that is later than all that it told before.
    pub fn next_time(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.now()
    }

    /// When a moment of the line is, on the wall; an hour from now for what is later than that.
    pub fn instant(&self, deadline: Millis) -> Instant {
        self.instant_of((deadline - self.shift).0)
    }

    /// When a moment of the log is, on the wall; an hour from now for what is later than that.
    pub fn instant_of(&self, at: u64) -> Instant {
        let milliseconds = at as f64 / self.scale;
        let since_opened = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
        let latest = Instant::now() + MAX_SLEEP;
        self.opened.checked_add(since_opened).map_or(latest, |instant| instant.min(latest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn runs_at_scale_and_times_line() {
        let mut clock = LogClock::start(30.0, Millis(60_000));
        tokio::time::advance(Duration::from_millis(1500)).await;
        assert_eq!(clock.now(), 45_000);
        tokio::time::sleep_until(clock.instant(Millis(60_000 + 48_000))).await;
        assert_eq!(clock.now(), 48_000);
        assert!(clock.instant(Millis(0)) <= Instant::now());
        assert!(clock.instant(Millis(u64::MAX)) <= Instant::now() + MAX_SLEEP);
    }
}
