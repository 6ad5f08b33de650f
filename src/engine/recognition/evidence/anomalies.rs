//! Squares that differ from the published position for a known reason.

use super::squares::SeqNo;
use crate::engine::millis::Millis;
use crate::engine::recognition::tuning::counts;
use draughts::{Square, SquareSet};

/// Why a square is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnomalyKind {
    /// A captured piece stands there that nobody took off.
    Leftover,
    /// A piece too many or too few, which nothing explains.
    Mismatch,
}

#[derive(Clone, Copy, Debug)]
struct Anomaly {
    square: Square,
    kind: AnomalyKind,
    at: Millis,
    plies: u32,
    /// Then the square changed, and was wrong no longer. It is remembered for what stood before.
    until: Option<SeqNo>,
}

/// The squares that are wrong for a known reason, and those that were.
#[derive(Clone, Default, Debug)]
pub struct Anomalies(Vec<Anomaly>);

impl Anomalies {
    fn present(&self) -> impl Iterator<Item = &Anomaly> {
        self.0.iter().filter(|anomaly| anomaly.until.is_none())
    }

    /// The squares that are wrong.
    pub fn squares(&self) -> SquareSet {
        self.present().map(|anomaly| anomaly.square).collect()
    }

    /// The squares that were wrong at a moment, and those that are.
    pub fn squares_at(&self, at: SeqNo) -> SquareSet {
        let known = self.0.iter().filter(|anomaly| anomaly.until.is_none_or(|until| at < until));
        known.map(|anomaly| anomaly.square).collect()
    }

    /// The squares where captured pieces stand.
    pub fn captured(&self) -> SquareSet {
        self.present().filter(|anomaly| anomaly.kind == AnomalyKind::Leftover).map(|anomaly| anomaly.square).collect()
    }

    /// Since when the oldest piece too many or too few has stood so through several plies, after so many plies of the game.
    pub fn oldest_stale(&self, plies: u32) -> Option<Millis> {
        let stale =
            |anomaly: &&Anomaly| anomaly.kind == AnomalyKind::Mismatch && plies >= anomaly.plies + counts::STALE_PLIES;
        self.present().filter(stale).map(|anomaly| anomaly.at).min()
    }

    /// From now on a square is wrong, so many plies after the start of the game.
    pub fn add(&mut self, now: Millis, square: Square, excuse: AnomalyKind, plies: u32) {
        self.0.push(Anomaly { square, kind: excuse, at: now, plies, until: None });
    }

    /// A square has changed.
    pub fn change(&mut self, square: Square, moment: SeqNo) {
        let over = |anomaly: &&mut Anomaly| anomaly.square == square && anomaly.until.is_none();
        self.0.iter_mut().filter(over).for_each(|anomaly| anomaly.until = Some(moment));
    }

    /// Forgets all but those squares that are wrong in the position that stands now.
    pub fn retain(&mut self, wrong: SquareSet) {
        self.0.retain(|anomaly| anomaly.until.is_none() && wrong.contains(anomaly.square));
    }

    /// Another position is set up: of what was wrong, captured pieces that still stand are to be taken off.
    pub fn set_up(&mut self, wrong: SquareSet) {
        self.0.retain(|anomaly| anomaly.kind == AnomalyKind::Leftover);
        self.retain(wrong);
    }

    /// Forgets a square.
    pub fn forget(&mut self, square: Square) {
        self.0.retain(|anomaly| anomaly.square != square);
    }
}
