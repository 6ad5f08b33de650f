//! What the recogniser tells besides its decisions: what it expects, what it doubts, and on what grounds it decided.
//!
//! Nothing here changes what is published.

use super::{Clock, Decision, Recogniser};
use crate::engine::millis::Millis;
use crate::engine::recognition::Wait;
use crate::engine::recognition::grounds::Grounds;
use crate::engine::recognition::measures::{weights, work};
use crate::engine::recognition::search::explain::Explanation;
use crate::engine::recognition::search::readings::{Reading, readings};
use draughts::{Move, SquareSet};

/// A board that nothing explains.
#[derive(Clone, Copy, Debug)]
pub struct Doubt<'a> {
    /// Since when nothing explains it.
    pub since: Millis,
    /// Since when no hand is on it.
    pub quiet_since: Millis,
    /// The squares that differ from the published position.
    pub squares: SquareSet,
    /// What comes closest, the closest first, a setup last. Empty until the board has been quiet for a moment.
    pub readings: &'a [Reading],
}

impl Recogniser {
    /// The board that nothing explains, while it does not.
    pub fn doubt(&self) -> Option<Doubt<'_>> {
        let since = self.unexplained_since?;
        let quiet_since = since.max(self.evidence.last_change());
        let readings = match &self.readings {
            Some((key, readings)) if *key == self.key() => readings.as_slice(),
            _ => &[],
        };
        Some(Doubt { since, quiet_since, squares: self.wrong(), readings })
    }

    /// The plies that will be published next if nothing changes: likely, not final. Empty: none.
    pub fn expected(&self) -> &[Move] {
        &self.expected
    }

    /// On what grounds the last verdict was given; `None` when it was the operator's.
    pub fn grounds(&self) -> Option<&Grounds> {
        self.grounds.as_ref()
    }

    /// What is expected follows the board once it has been quiet for a moment; a moving hand changes nothing.
    pub(super) fn expect(&mut self, now: Millis) {
        let quiet_at = self.evidence.last_change() + Millis(self.settings.settle_ms);
        let over = self.wrong().is_empty() || matches!(self.clock, Clock::Stopped { .. });
        if !over && now < quiet_at {
            self.wake_at(now, Some(quiet_at), Wait::Quiet);
            return;
        }
        let explanations = if over { [].into() } else { self.explanations() };
        let expected = match explanations.first() {
            Some(best) if best.odd.is_empty() && !has_rival(best, &explanations) => best.plies.clone(),
            _ => Vec::new(),
        };
        if !expected.is_empty() {
            self.foreseen = Some((expected.clone(), self.evidence.moment()));
        }
        self.expected = expected;
    }

    /// What comes closest is sought once for each state of a quiet board.
    pub(super) fn seek_readings(&mut self, now: Millis) {
        let quiet_at = self.evidence.last_change() + Millis(self.settings.settle_ms);
        if now < quiet_at {
            self.wake_at(now, Some(quiet_at), Wait::Quiet);
            return;
        }
        let key = self.key();
        if self.readings.as_ref().is_none_or(|(known, _)| *known != key) {
            self.readings = Some((key, readings(&self.base, &self.evidence, self.anomalous())));
            self.effort.spend(work::READINGS);
        }
    }

    pub(super) fn grounds_of(&mut self, now: Millis, decision: &Decision) -> Grounds {
        let (touched, lever) = (self.evidence.touched_since(self.since), self.presses.turn());
        let quiet = now - self.evidence.last_change();
        let (presses, confirmed) = (self.presses.len(), self.confirmed);
        let (mut left, mut odd, mut rejected) = (SquareSet::EMPTY, SquareSet::EMPTY, Vec::new());
        if let Decision::Ply(explanation, _) = decision {
            (left, odd) = (explanation.left, explanation.odd);
            for other in self.explanations().iter() {
                let first = &other.plies[0];
                if *first != explanation.plies[0]
                    && !rejected.contains(first)
                    && rejected.len() < Grounds::MOST_REJECTED
                {
                    rejected.push(first.clone());
                }
            }
        }
        let waited = self.pending.map(|(_, wait)| wait);
        Grounds { touched, lever, presses, quiet, waited, confirmed, left, odd, rejected }
    }
}

fn has_rival(best: &Explanation, all: &[Explanation]) -> bool {
    let is_rival =
        |other: &Explanation| other.plies[0] != best.plies[0] && best.score - other.score < weights::EXPECTED;
    all.iter().any(is_rival)
}
