//! What was given to the thread that writes, and is not yet told to be published.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// What follows from a line is thought about when the line is seen, or after so long in any case: a disk may take its time.
const LONGEST_WAIT: Duration = Duration::from_millis(5);

/// The publications of a line that are on their way, oldest first. Its task sends them, the thread that writes tells of them.
#[derive(Default)]
pub struct Underway {
    begun: Mutex<VecDeque<Instant>>,
    has_arrived: Notify,
}

impl Underway {
    /// One goes on its way.
    pub fn begin(&self) {
        self.begun().push_back(Instant::now());
    }

    /// The oldest has arrived. Returns when it was sent.
    pub fn arrive(&self) -> Option<Instant> {
        let oldest = self.begun().pop_front();
        self.has_arrived.notify_one();
        oldest
    }

    /// Waits for all of them, but not for long. Of several boards that move at the same moment none thinks about what follows
    /// before the lines of the others are seen, too.
    pub async fn have_arrived(&self) {
        let all = async {
            while !self.begun().is_empty() {
                self.has_arrived.notified().await;
            }
        };
        // It is no fault when they have not.
        let _ = timeout(LONGEST_WAIT, all).await;
    }

    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_for_all_within_limit() {
        let (underway, start) = (Underway::default(), tokio::time::Instant::now());
        underway.have_arrived().await;
        (0..2).for_each(|_| underway.begin());
        let begun = Instant::now();
        assert!(underway.arrive().unwrap() <= begun);
        let second = async {
            tokio::time::sleep(Duration::from_millis(2)).await;
            underway.arrive()
        };
        let ((), arrived) = tokio::join!(underway.have_arrived(), second);
        assert!(arrived.unwrap() <= begun && start.elapsed() == Duration::from_millis(2));
        assert_eq!(underway.arrive(), None);
        underway.begin();
        underway.have_arrived().await;
        assert_eq!(start.elapsed(), Duration::from_millis(2) + LONGEST_WAIT);
    }
}
