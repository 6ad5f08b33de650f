//! Deadlines of decisions, and the conditions they wait for.

use crate::millis::Millis;

/// Condition that a decision waits for. After the deadline the decision is made without it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wait {
    /// The next millisecond, because this one has used its search budget.
    NextTick,
    /// A span of quiet on the board.
    Quiet,
    /// A press for a complete ply.
    Press,
    /// The removal of captured pieces, or the correction of a square.
    Cleanup,
    /// The next move, which decides between two candidates.
    NextMove,
    /// A dump that confirms the reports.
    Dump,
    /// A reading of the lever after an outage.
    Lever,
    /// A move that explains the board; otherwise the board is set up.
    Explanation,
    /// The end of a piece's flickering.
    Flicker,
}

impl Wait {
    /// All conditions.
    pub const ALL: [Wait; 9] = [
        Wait::NextTick,
        Wait::Quiet,
        Wait::Press,
        Wait::Cleanup,
        Wait::NextMove,
        Wait::Dump,
        Wait::Lever,
        Wait::Explanation,
        Wait::Flicker,
    ];

    /// Returns the condition as one word of lowercase letters and `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            Wait::NextTick => "next-tick",
            Wait::Quiet => "quiet",
            Wait::Press => "press",
            Wait::Cleanup => "cleanup",
            Wait::NextMove => "next-move",
            Wait::Dump => "dump",
            Wait::Lever => "lever",
            Wait::Explanation => "explanation",
            Wait::Flicker => "flicker",
        }
    }
}

/// Time of the next evaluation if nothing happens earlier, with the condition it waits for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Deadline(Option<(Millis, Wait)>);

impl Deadline {
    /// Returns the time and the condition; `None` if nothing is pending.
    pub fn get(self) -> Option<(Millis, Wait)> {
        self.0
    }

    /// Removes the deadline.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Moves the deadline to `at` if that is in the future and earlier than the current one.
    pub fn set_earliest(&mut self, now: Millis, at: Option<Millis>, wait: Wait) {
        if let Some(at) = at.filter(|&at| at > now && self.0.is_none_or(|(next, _)| at < next)) {
            self.0 = Some((at, wait));
        }
    }
}
