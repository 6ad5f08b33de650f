//! Squares that differ from the published position for a known reason.

use draughts::{Square, SquareSet};

use super::squares::SeqNo;
use crate::millis::Millis;
use crate::recognition::tuning::counts;

/// Reason for a wrong square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnomalyKind {
    /// Captured piece that was not removed.
    Leftover,
    /// Unexplained piece too many or too few.
    Mismatch,
}

#[derive(Clone, Copy, Debug)]
struct Anomaly {
    square: Square,
    kind: AnomalyKind,
    at: Millis,
    plies: u32,
    /// Time of the change that corrected the square. Retained for earlier placements.
    until: Option<SeqNo>,
}

/// Wrong squares with a known reason, present and past.
#[derive(Clone, Default, Debug)]
pub struct Anomalies(Vec<Anomaly>);

impl Anomalies {
    fn present(&self) -> impl Iterator<Item = &Anomaly> {
        self.0.iter().filter(|anomaly| anomaly.until.is_none())
    }

    /// Returns the squares that are wrong now.
    pub fn squares(&self) -> SquareSet {
        self.present().map(|anomaly| anomaly.square).collect()
    }

    /// Returns the squares that were wrong at a point in the sequence or are wrong now.
    pub fn squares_at(&self, at: SeqNo) -> SquareSet {
        let known = self.0.iter().filter(|anomaly| anomaly.until.is_none_or(|until| at < until));
        known.map(|anomaly| anomaly.square).collect()
    }

    /// Returns the squares of captured pieces still on the board.
    pub fn captured(&self) -> SquareSet {
        self.present().filter(|anomaly| anomaly.kind == AnomalyKind::Leftover).map(|anomaly| anomaly.square).collect()
    }

    /// Returns the start of the oldest unexplained anomaly that has lasted for several plies, at ply number `plies`.
    pub fn oldest_stale(&self, plies: u32) -> Option<Millis> {
        let stale =
            |anomaly: &&Anomaly| anomaly.kind == AnomalyKind::Mismatch && plies >= anomaly.plies + counts::STALE_PLIES;
        self.present().filter(stale).map(|anomaly| anomaly.at).min()
    }

    /// Marks a square as wrong from ply number `plies` on.
    pub fn add(&mut self, now: Millis, square: Square, excuse: AnomalyKind, plies: u32) {
        self.0.push(Anomaly { square, kind: excuse, at: now, plies, until: None });
    }

    /// Ends the anomaly of a square, which has changed.
    pub fn change(&mut self, square: Square, moment: SeqNo) {
        let over = |anomaly: &&mut Anomaly| anomaly.square == square && anomaly.until.is_none();
        self.0.iter_mut().filter(over).for_each(|anomaly| anomaly.until = Some(moment));
    }

    /// Drops all anomalies except the present ones on squares that are wrong in the current position.
    pub fn retain(&mut self, wrong: SquareSet) {
        self.0.retain(|anomaly| anomaly.until.is_none() && wrong.contains(anomaly.square));
    }

    /// Updates the anomalies for a new setup: only captured pieces still on the board remain.
    pub fn set_up(&mut self, wrong: SquareSet) {
        self.0.retain(|anomaly| anomaly.kind == AnomalyKind::Leftover);
        self.retain(wrong);
    }

    /// Drops the anomalies of a square.
    pub fn forget(&mut self, square: Square) {
        self.0.retain(|anomaly| anomaly.square != square);
    }
}
