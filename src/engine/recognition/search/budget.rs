//! How much is searched in one millisecond: this bounds the time that an event takes, whatever the board shows.
//!
//! A search is bounded by itself, but an event may ask for several: a press for one before it and one after it, a chain of
//! plies for one behind each, a read of many reports for one after each. Work is counted in moves and jumps looked at, never
//! in time, so that a log replays to the same file on any machine; where a millisecond has had its share, the decision waits
//! for the next one.

use crate::engine::millis::Millis;
use crate::engine::recognition::tuning::work;

/// The work done at one time.
#[derive(Clone, Copy, Default, Debug)]
pub struct SearchBudget {
    at: Millis,
    spent: u32,
}

impl SearchBudget {
    /// Something happens at this time.
    pub fn start_at(&mut self, now: Millis) {
        if now > self.at {
            *self = SearchBudget { at: now, spent: 0 };
        }
    }

    /// So much has been looked at.
    pub fn spend(&mut self, work: u32) {
        self.spent = self.spent.saturating_add(work);
    }

    /// From when on more may be begun; `None`: now.
    pub fn available_at(&self) -> Option<Millis> {
        (self.spent > work::NEW_SEARCH_LIMIT).then(|| self.at + Millis(1))
    }
}
