//! Events between two published positions, kept for a person who adds the moves between them.

use super::squares::{Evidence, SeqNo};

/// Events since a published position.
#[derive(Clone, Debug)]
pub struct GapEvidence {
    /// Events on the squares.
    pub evidence: Evidence,
    /// Start of the events that count.
    pub start: SeqNo,
    /// Number of lever presses; `None` if there is no clock, or an outage may have hidden some.
    pub presses: Option<usize>,
    /// Whether an outage may have hidden changes.
    pub has_gap: bool,
}
