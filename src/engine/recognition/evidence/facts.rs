//! All that is known when something is decided: what is published, and what was seen and heard since.
//!
//! The rules in `decide` read the facts; only events and published entries change them, each through the value that owns them.

use super::chronology::Chronology;
use super::missed_events::MissedEvents;
use super::presses::{PressState, Presses};
use super::published::{BasePosition, PublishedState};
use super::squares::Evidence;
use crate::engine::millis::Millis;
use crate::engine::recognition::settings::Settings;
use crate::engine::recognition::verdict::{ClockState, PressId};
use draughts::{Position, SquareSet};

/// What is known.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The times that can be set.
    pub settings: Settings,
    /// Does the clock run?
    pub clock: ClockState,
    /// What is published.
    pub published: PublishedState,
    /// What happened on the squares.
    pub evidence: Evidence,
    /// The lever since the published position.
    pub presses: Presses,
    /// What may have been missed.
    pub missed_events: MissedEvents,
}

/// The facts on which explanations and judgements depend, each by its value or by a number that grows with it. While versions are
/// equal, nothing but time has passed, and perhaps a dump has confirmed what was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactsVersion {
    clock: ClockState,
    base: BasePosition,
    plies: u32,
    anomalies: SquareSet,
    generation: u64,
    trusts_reports: bool,
    presses: (usize, PressState),
    missed_events: MissedEvents,
}

impl Facts {
    /// The version of what is known.
    pub fn version_key(&self) -> FactsVersion {
        FactsVersion {
            clock: self.clock,
            base: *self.published.base(),
            plies: self.published.plies(),
            anomalies: self.published.anomalies().squares(),
            generation: self.evidence.generation(),
            trusts_reports: self.evidence.trusts_reports(),
            presses: (self.presses.len(), *self.presses.lever()),
            missed_events: self.missed_events,
        }
    }

    /// The squares that contradict the published position and are not known anomalies.
    pub fn contradictions(&self) -> SquareSet {
        self.published.wrong(&self.evidence)
    }

    /// The order of what happened since the published position.
    pub fn chronology(&self) -> Chronology<'_> {
        Chronology::new(&self.evidence, self.published.base().evidence_start)
    }

    /// When no hand will have been on the board for a moment.
    pub fn quiet_at(&self) -> Millis {
        self.evidence.last_change() + Millis(self.settings.settle_ms)
    }

    /// When the board will have been quiet for a span, and known from a dump or at least from silence.
    pub fn confirmed_at(&self, wait: u64) -> Millis {
        let doubt = if self.evidence.is_confirmed() { 0 } else { self.settings.unconfirmed_ms };
        self.evidence.last_change() + Millis(wait + doubt)
    }

    /// The board shows the published position: hands that adjusted, and presses that were taken back, are forgotten. Returns when
    /// to ask again.
    pub fn clear_pending(&mut self, now: Millis) -> Option<Millis> {
        self.evidence.learn_codes(self.published.position().placement().kings());
        self.published.clear_anomalies(&self.evidence, self.missed_events.has_gap());
        self.missed_events.close_gap();
        self.presses.clear_reverted(now, self.published.turn())
    }

    /// Play goes on from another position, after so many plies of the game and presses of the lever. Returns the last of them.
    pub fn set_up(&mut self, position: Position, plies: u32, presses: usize) -> Option<PressId> {
        self.published.set_up(position, plies, &self.evidence);
        self.missed_events.close_gap();
        self.presses.set_up(presses).map(|press| press.id)
    }
}
