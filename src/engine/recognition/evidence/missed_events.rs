//! What may have been missed while the board was not heard: changes of squares, and presses of the lever.

use super::squares::Evidence;
use crate::engine::millis::Millis;
use crate::engine::recognition::tuning::counts;
use crate::engine::recognition::verdict::PressId;

/// What may have been missed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MissedEvents {
    /// Changes and presses since the published position.
    has_gap: bool,
    /// The state of the squares when the board was last heard again.
    resumed_at: Option<u64>,
    /// Since when the lever has not been seen: whose time runs is not known.
    lever_unknown_since: Option<Millis>,
    /// The press that was found when the lever was seen again: nobody knows when it was.
    undated_press: Option<PressId>,
}

impl MissedEvents {
    /// The board is heard again. Returns whether squares have changed since it was heard again before: what stands as it did
    /// then has stood since, else a ply would never be published on a board that falls silent again and again.
    pub fn resume(&mut self, now: Millis, evidence: &Evidence) -> bool {
        self.has_gap = true;
        self.lever_unknown_since = Some(now);
        let generation = Some(evidence.generation());
        std::mem::replace(&mut self.resumed_at, generation) != generation
    }

    /// A dump has shown so many changes that no report told: many of them are more than lost reports.
    pub fn count_missed(&mut self, changes: usize) {
        self.has_gap |= changes >= counts::MISSED_CHANGES_OF_OUTAGE;
    }

    /// The lever was seen, and with it perhaps a press.
    pub fn on_lever(&mut self, press: Option<PressId>) {
        if self.lever_unknown_since.take().is_some() && press.is_some() {
            self.undated_press = press;
        }
    }

    /// The published position is what stands on the board: nothing is missed any more.
    pub fn close_gap(&mut self) {
        self.has_gap = false;
    }

    /// May changes and presses have been missed since the published position?
    pub fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// Since when the lever has not been seen; `None`: it has.
    pub fn lever_unknown_since(&self) -> Option<Millis> {
        self.lever_unknown_since
    }

    /// Is the time of this press unknown?
    pub fn is_found(&self, press: PressId) -> bool {
        self.undated_press == Some(press)
    }
}
