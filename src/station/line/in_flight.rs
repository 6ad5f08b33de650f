//! Work sent to the writer thread and not yet confirmed as published.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// What follows from a line is thought about when the line is seen, or after so long in any case: a disk may take its time.
const MAX_WAIT: Duration = Duration::from_millis(5);

/// The publications of a line that are on their way, oldest first. Its task sends them, the thread that writes tells of them.
#[derive(Default)]
pub struct InFlight {
    sent_at: Mutex<VecDeque<Instant>>,
    arrived: Notify,
}

impl InFlight {
    /// One goes on its way.
    pub fn add(&self) {
        self.begun().push_back(Instant::now());
    }

    /// The oldest has arrived. Returns when it was sent.
    pub fn confirm_oldest(&self) -> Option<Instant> {
        let oldest = self.begun().pop_front();
        self.arrived.notify_one();
        oldest
    }

    /// Waits for all of them, but not for long. Of several boards that move at the same moment none thinks about what follows
    /// before the lines of the others are seen, too.
    pub async fn wait_until_empty(&self) {
        let all = async {
            while !self.begun().is_empty() {
                self.arrived.notified().await;
            }
        };
        // It is no fault when they have not.
        let _ = timeout(MAX_WAIT, all).await;
    }

    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.sent_at.lock().unwrap_or_else(PoisonError::into_inner)
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
