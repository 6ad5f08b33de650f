//! What was given to the thread that writes, and is not yet told to be published.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The publications of a line that are on their way, oldest first. Its task sends them, the thread that writes tells of them.
#[derive(Default)]
pub struct Underway(Mutex<VecDeque<Instant>>);

impl Underway {
    /// One goes on its way.
    pub fn begin(&self) {
        self.begun().push_back(Instant::now());
    }

    /// The oldest has arrived. Returns when it was sent.
    pub fn arrive(&self) -> Option<Instant> {
        self.begun().pop_front()
    }

    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
