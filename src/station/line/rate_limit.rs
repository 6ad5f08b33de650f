//! How much a port may say: one that babbles must not fill the disk.
//!
//! A wire of 9600 baud carries 960 bytes a second, and boards use a part of them. A port that says more than that for long is not
//! one of boards: a cable that picks up noise, a wrong speed, another device. What it says is read, and logged, at four times what a
//! wire can carry, and the operator is told; the rest waits in the port, whose system drops what it has no room for. So a log
//! grows by no more than about 8 kB a second, 0.7 GB a day: a bound, and ten times what a bus of 64 boards was measured to take.
//!
//! Absent on purpose: what was said. A board that is played faster than time says as much more as its time goes faster.

use std::time::Duration;

use tokio::time::Instant;

/// Bytes that a wire carries in a second, with this much to spare.
const BYTES_PER_SECOND: f64 = 4.0 * 960.0;
/// So much may come at once: what a server kept while nobody listened, or the memories of all boards of a bus.
const BURST: f64 = (1 << 20) as f64;
/// A port is said to babble until it has been quieter for so long.
const BABBLE_DISPLAY_TIME: Duration = Duration::from_secs(10);

/// What a port may still say.
pub struct RateLimit {
    per_second: f64,
    left: f64,
    at: Instant,
    exceeded_at: Option<Instant>,
}

impl RateLimit {
    /// For a port whose boards are played so many times as fast as time.
    pub fn new(time_scale: f64, now: Instant) -> RateLimit {
        RateLimit { per_second: BYTES_PER_SECOND * time_scale.max(1.0), left: BURST, at: now, exceeded_at: None }
    }

    /// It has said so many bytes.
    pub fn record(&mut self, bytes: usize, now: Instant) {
        let earned = now.saturating_duration_since(self.at).as_secs_f64() * self.per_second;
        self.left = (self.left + earned).min(BURST) - bytes as f64;
        self.at = now;
        if self.left < 0.0 {
            self.exceeded_at = Some(now);
        }
    }

    /// When it may be listened to again; `None`: now.
    pub fn resume_at(&self, now: Instant) -> Option<Instant> {
        let debt = Duration::try_from_secs_f64(-self.left / self.per_second).unwrap_or_default();
        Some(self.at + debt).filter(|&again| again > now)
    }

    /// Does it say more than boards can?
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
