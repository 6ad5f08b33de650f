//! Work sent to the writer thread and not yet confirmed as published.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::locks::lock;

/// Longest wait for the writer before the core continues; a disk may be slow.
const MAX_WAIT: Duration = Duration::from_millis(5);

/// Publications of a line that the writer has not confirmed yet, oldest first. The line's task adds them, the writer thread confirms them.
#[derive(Default)]
pub struct InFlight {
    sent_at: Mutex<VecDeque<Instant>>,
    arrived: Notify,
}

impl InFlight {
    /// Adds a publication that is being sent.
    pub fn add(&self) {
        lock(&self.sent_at).push_back(Instant::now());
    }

    /// Removes the oldest publication and returns when it was sent.
    pub fn confirm_oldest(&self) -> Option<Instant> {
        let oldest = lock(&self.sent_at).pop_front();
        self.arrived.notify_one();
        oldest
    }

    /// Waits for all publications, at most `MAX_WAIT`. When several boards move at once, readers see the lines of all of them before any
    /// core continues.
    pub async fn wait_until_empty(&self) {
        let all = async {
            while !lock(&self.sent_at).is_empty() {
                self.arrived.notified().await;
            }
        };
        // A timeout is no error.
        let _ = timeout(MAX_WAIT, all).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_for_all_within_limit() {
        let (in_flight, start) = (InFlight::default(), tokio::time::Instant::now());
        in_flight.wait_until_empty().await;
        (0..2).for_each(|_| in_flight.add());
        let started_at = Instant::now();
        assert!(in_flight.confirm_oldest().unwrap() <= started_at);
        let second = async {
            tokio::time::sleep(Duration::from_millis(2)).await;
            in_flight.confirm_oldest()
        };
        let ((), arrived) = tokio::join!(in_flight.wait_until_empty(), second);
        assert!(arrived.unwrap() <= started_at && start.elapsed() == Duration::from_millis(2));
        assert_eq!(in_flight.confirm_oldest(), None);
        in_flight.add();
        in_flight.wait_until_empty().await;
        assert_eq!(start.elapsed(), Duration::from_millis(2) + MAX_WAIT);
    }
}
