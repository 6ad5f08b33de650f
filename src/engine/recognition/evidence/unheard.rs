//! What may have been missed while the board was not heard: changes of squares, and presses of the lever.

use super::squares::Evidence;
use crate::engine::millis::Millis;
use crate::engine::recognition::measures::counts;
use crate::engine::recognition::verdict::PressId;

/// What may have been missed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Unheard {
    /// Changes and presses since the published position.
    gap: bool,
    /// The state of the squares when the board was last heard again.
    heard_again: Option<u64>,
    /// Since when the lever has not been seen: whose time runs is not known.
    lever_since: Option<Millis>,
    /// The press that was found when the lever was seen again: nobody knows when it was.
    found_press: Option<PressId>,
}

impl Unheard {
    /// The board is heard again. Returns whether squares have changed since it was heard again before: what stands as it did
    /// then has stood since, else a ply would never be published on a board that falls silent again and again.
    pub fn hear_again(&mut self, now: Millis, evidence: &Evidence) -> bool {
        self.gap = true;
        self.lever_since = Some(now);
        let generation = Some(evidence.generation());
        std::mem::replace(&mut self.heard_again, generation) != generation
    }

    /// A dump has shown so many changes that no report told: many of them are more than lost reports.
    pub fn miss(&mut self, changes: usize) {
        self.gap |= changes >= counts::MANY_MISSED;
    }

    /// The lever was seen, and with it perhaps a press.
    pub fn see_lever(&mut self, press: Option<PressId>) {
        if self.lever_since.take().is_some() && press.is_some() {
            self.found_press = press;
        }
    }

    /// The published position is what stands on the board: nothing is missed any more.
    pub fn close_gap(&mut self) {
        self.gap = false;
    }

    /// May changes and presses have been missed since the published position?
    pub fn has_gap(&self) -> bool {
        self.gap
    }

    /// Since when the lever has not been seen; `None`: it has.
    pub fn lever_since(&self) -> Option<Millis> {
        self.lever_since
    }

    /// Is the time of this press unknown?
    pub fn is_found(&self, press: PressId) -> bool {
        self.found_press == Some(press)
    }
}
