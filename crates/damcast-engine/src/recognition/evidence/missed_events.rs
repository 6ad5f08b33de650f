//! Events that may have been missed during an outage: changes of squares and lever presses.

use super::squares::Evidence;
use crate::millis::Millis;
use crate::recognition::tuning::counts;
use crate::recognition::verdict::PressId;

/// Events that may have been missed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MissedEvents {
    /// Whether changes and presses since the published position may be missing.
    has_gap: bool,
    /// Generation of the evidence when the board last returned.
    resumed_at: Option<u64>,
    /// Start of the time without a lever reading, so that the side to move is unknown.
    lever_unknown_since: Option<Millis>,
    /// Press of unknown time, found when the lever was read again.
    undated_press: Option<PressId>,
}

impl MissedEvents {
    /// Handles the return of the board. Returns whether squares have changed since its previous return: unchanged
    /// squares count as standing, so that a board with repeated outages can still publish plies.
    pub fn resume(&mut self, now: Millis, evidence: &Evidence) -> bool {
        self.has_gap = true;
        self.lever_unknown_since = Some(now);
        let generation = Some(evidence.generation());
        std::mem::replace(&mut self.resumed_at, generation) != generation
    }

    /// Counts changes seen only in a dump: many of them indicate more than lost reports.
    pub fn count_missed(&mut self, changes: usize) {
        self.has_gap |= changes >= counts::MISSED_CHANGES_OF_OUTAGE;
    }

    /// Handles a lever reading, possibly with a press.
    pub fn on_lever(&mut self, press: Option<PressId>) {
        if self.lever_unknown_since.take().is_some() && press.is_some() {
            self.undated_press = press;
        }
    }

    /// Clears the gap, because the board shows the published position.
    pub fn close_gap(&mut self) {
        self.has_gap = false;
    }

    /// Whether changes and presses since the published position may be missing.
    pub fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// Returns the start of the time without a lever reading; `None` if the lever is known.
    pub fn lever_unknown_since(&self) -> Option<Millis> {
        self.lever_unknown_since
    }

    /// Whether the time of this press is unknown.
    pub fn is_found(&self, press: PressId) -> bool {
        self.undated_press == Some(press)
    }
}
