//! Limits the search per millisecond, which bounds the computing time of an event on any board.
//!
//! Each search is limited, but an event may need several: one on each side of a press, one after each ply of a
//! sequence, one after each report of a read. Work is counted in moves and jumps, never in time, so that a log replays
//! to the same file on any machine. Once the budget of a millisecond is used up, the decision waits for the next one.

use crate::millis::Millis;
use crate::recognition::tuning::work;

/// Search work within one millisecond.
#[derive(Clone, Copy, Default, Debug)]
pub struct SearchBudget {
    at: Millis,
    spent: u32,
}

impl SearchBudget {
    /// Starts a new budget if the time has advanced.
    pub fn start_at(&mut self, now: Millis) {
        if now > self.at {
            *self = SearchBudget { at: now, spent: 0 };
        }
    }

    /// Adds to the work spent.
    pub fn spend(&mut self, work: u32) {
        self.spent = self.spent.saturating_add(work);
    }

    /// Returns the time at which new searches may start; `None` for now.
    pub fn available_at(&self) -> Option<Millis> {
        (self.spent > work::NEW_SEARCH_LIMIT).then(|| self.at + Millis(1))
    }
}
