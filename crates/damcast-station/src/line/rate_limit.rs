//! Limits the input of a port, so that excess input never fills the disk.
//!
//! A wire of 9600 baud carries 960 bytes a second, and boards use a part of them. A port that exceeds this for long does not carry boards:
//! a cable picks up noise, the speed is wrong, or the device is another one. Its bytes are read and logged at up to four times the capacity
//! of a wire, and the operator gets a warning. The rest waits in the port, where the system drops bytes that do not fit. So a log grows by
//! no more than about 8 kB a second, 0.7 GB a day: ten times the measured output of a bus of 64 boards.
//!
//! Absent on purpose: the content. The limit of a board that runs faster than real time grows with its speed.

use std::time::Duration;

use tokio::time::Instant;

/// Sustained limit: four times the 960 bytes that a wire carries in a second.
const BYTES_PER_SECOND: f64 = 4.0 * 960.0;
/// Largest burst: bytes that a server buffered while the line was down, or the memories of all boards of a bus.
const BURST: f64 = (1 << 20) as f64;
/// Time without excess after which the port counts as normal again.
const BABBLE_DISPLAY_TIME: Duration = Duration::from_secs(10);

/// Input budget of a port.
pub struct RateLimit {
    per_second: f64,
    left: f64,
    at: Instant,
    exceeded_at: Option<Instant>,
}

impl RateLimit {
    /// Creates the limit for boards that run `time_scale` times as fast as real time.
    pub fn new(time_scale: f64, now: Instant) -> RateLimit {
        RateLimit { per_second: BYTES_PER_SECOND * time_scale.max(1.0), left: BURST, at: now, exceeded_at: None }
    }

    /// Subtracts received bytes from the budget.
    pub fn record(&mut self, bytes: usize, now: Instant) {
        let earned = now.saturating_duration_since(self.at).as_secs_f64() * self.per_second;
        self.left = (self.left + earned).min(BURST) - bytes as f64;
        self.at = now;
        if self.left < 0.0 {
            self.exceeded_at = Some(now);
        }
    }

    /// Returns when the port may be read again; `None` if at once.
    pub fn resume_at(&self, now: Instant) -> Option<Instant> {
        let debt = Duration::try_from_secs_f64(-self.left / self.per_second).unwrap_or_default();
        Some(self.at + debt).filter(|&again| again > now)
    }

    /// Whether the port exceeds the output of boards.
    pub fn is_exceeded(&self, now: Instant) -> bool {
        self.exceeded_at.is_some_and(|exceeded| now.saturating_duration_since(exceeded) < BABBLE_DISPLAY_TIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn babbling_port_is_reported_and_limited_to_four_times_speed() {
        let start = Instant::now();
        let mut port = RateLimit::new(1.0, start);
        let (mut now, mut heard) = (start, 0_usize);
        let hour = start + Duration::from_secs(3_600);
        while now < hour {
            now = port.resume_at(now).unwrap_or(now + Duration::from_millis(1));
            port.record(4_096, now);
            heard += 4_096;
        }
        let most = BURST + 3_600.0 * BYTES_PER_SECOND;
        assert!((heard as f64) < most + 8_192.0 && heard as f64 > 0.9 * most, "{heard} of {most}");
        assert!(port.is_exceeded(now) && !port.is_exceeded(now + BABBLE_DISPLAY_TIME));
    }

    #[test]
    fn busy_wire_and_server_backlog_are_read_at_once() {
        let start = Instant::now();
        for scale in [1.0, 60.0] {
            let mut port = RateLimit::new(scale, start);
            port.record(500_000, start);
            for second in 1..10_000 {
                let now = start + Duration::from_secs(second);
                port.record((960.0 * scale) as usize, now);
                assert!(port.resume_at(now).is_none() && !port.is_exceeded(now));
            }
        }
    }
}
