//! Deadlines on a clock that all processes of a machine share and that cannot be set.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Milliseconds since the machine was started, sleep included: the clock of `/proc/uptime`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uptime(pub u64);

impl Uptime {
    /// Returns the current uptime.
    pub fn now() -> Uptime {
        let now = clock_gettime(ClockId::Boottime);
        let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u64::try_from(now.tv_nsec));
        Uptime(seconds.unwrap_or(0) * 1000 + nanoseconds.unwrap_or(0) / 1_000_000)
    }

    /// Returns the time at which `wait` ends.
    pub fn after(wait: Duration) -> Uptime {
        Uptime(Uptime::now().0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the time left, zero if it has passed.
    pub fn remaining(self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(Uptime::now().0))
    }

    /// Returns the message for a request whose deadline has passed; `None` if it has not.
    pub fn expired_message(self) -> Option<String> {
        let late = Uptime::now().0.checked_sub(self.0).filter(|&late| late > 0)?;
        Some(format!("not done: it was wanted until {:.1} s ago", Duration::from_millis(late).as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_proc_uptime() {
        let Ok(text) = std::fs::read_to_string("/proc/uptime") else { return };
        let seconds: f64 = text.split_whitespace().next().unwrap().parse().unwrap();
        let now = Uptime::now();
        assert!(now.0 as f64 / 1000.0 + 0.02 >= seconds && now.0 as f64 / 1000.0 < seconds + 600.0, "{now:?} {text}");
    }

    #[test]
    fn past_time_has_no_remainder() {
        assert_eq!(Uptime(0).remaining(), Duration::ZERO);
        assert!(Uptime(0).expired_message().is_some_and(|why| why.starts_with("not done: it was wanted until ")));
        let later = Uptime::after(Duration::from_secs(60));
        assert!(later.expired_message().is_none() && later.remaining() > Duration::from_secs(30));
        assert_eq!(Uptime::after(Duration::MAX), Uptime(u64::MAX));
    }
}
