//! The time of a log: whole milliseconds since it was opened, never decreasing.
//!
//! ```text
//!   clock on the wall   ──────┬───────────────▸  monotonic
//!                             │ opened            × time-scale
//!   log                       0 ... 1040          the number in the log
//!   line    ... 60000 ┄ shift 60000 ... 61040     the core's time: counts from the first log of the chain
//! ```

use std::time::{Duration, SystemTime};

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use damcast_engine::millis::Millis;
use tokio::time::Instant;

/// Longest sleep before a deadline is checked again; timers have a limit.
const MAX_SLEEP: Duration = Duration::from_secs(3600);

/// Smallest deviation from the expected time that counts as a clock that was set, or a machine that slept.
pub const MIN_CLOCK_JUMP: TimeDelta = TimeDelta::seconds(1);
/// Longest time between reading the two clocks; a longer gap makes the comparison useless.
const MAX_READ_GAP: Duration = Duration::from_millis(100);

/// Returns the earliest plausible date; a machine clock that shows an earlier one was never set. `SOURCE_DATE_EPOCH` holds the date of the
/// commit in packages.
pub fn dates_from() -> DateTime<FixedOffset> {
    /// 2026-11-01, in seconds since 1970: earlier than the first package.
    const EARLIEST_PLAUSIBLE: i64 = 1_793_491_200;
    let made = option_env!("SOURCE_DATE_EPOCH").and_then(|seconds| seconds.parse().ok());
    let seconds = EARLIEST_PLAUSIBLE.max(made.unwrap_or(EARLIEST_PLAUSIBLE));
    DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default().fixed_offset()
}

/// Detects jumps of the machine's clock.
pub struct WallClock {
    since: std::time::Instant,
    last_shown: SystemTime,
}

impl WallClock {
    /// Starts watching the clock.
    pub fn start() -> WallClock {
        WallClock { since: std::time::Instant::now(), last_shown: SystemTime::now() }
    }

    /// Returns how far the clock was set since the last detected jump, if that exceeds [`MIN_CLOCK_JUMP`]. Sleep of the machine counts too,
    /// because the time of a log stops meanwhile.
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

/// Clock of one log.
pub struct LogClock {
    opened: Instant,
    scale: f64,
    shift: Millis,
    last: u64,
}

impl LogClock {
    /// Starts a clock that runs `scale` times as fast as real time; `shift` is the line's time at its start.
    pub fn start(scale: f64, shift: Millis) -> LogClock {
        LogClock { opened: Instant::now(), scale, shift, last: 0 }
    }

    /// Returns the time of the log.
    pub fn now(&mut self) -> u64 {
        // The cast saturates; a thousand years fit at the largest scale.
        let now = (self.opened.elapsed().as_secs_f64() * 1000.0 * self.scale) as u64;
        self.last = self.last.max(now);
        self.last
    }

    /// Returns a time of the log that is later than every time returned earlier.
    pub fn next_time(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.now()
    }

    /// Returns the instant of a time of the line, at most one hour ahead.
    pub fn instant(&self, deadline: Millis) -> Instant {
        self.instant_of((deadline - self.shift).0)
    }

    /// Returns the instant of a time of the log, at most one hour ahead.
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
