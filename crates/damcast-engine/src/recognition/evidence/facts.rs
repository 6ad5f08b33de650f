//! Facts for decisions: the published position and all later events.
//!
//! The rules in `decide` read the facts; only events and published entries change them, each through the value that
//! owns them.

use std::sync::Arc;

use draughts::{Color, Position, SquareSet};

use super::chronology::Chronology;
use super::gap_evidence::GapEvidence;
use super::missed_events::MissedEvents;
use super::occupancy::Occupancy;
use super::presses::{PressState, Presses};
use super::published::{BasePosition, PublishedState};
use super::squares::{Evidence, SeqNo};
use crate::millis::Millis;
use crate::recognition::settings::Settings;
use crate::recognition::verdict::{ClockState, PressId};

/// Known facts.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Configurable times.
    pub settings: Settings,
    /// State of the clock.
    pub clock: ClockState,
    /// Published position.
    pub published: PublishedState,
    /// Events on the squares.
    pub evidence: Evidence,
    /// Lever presses since the published position.
    pub presses: Presses,
    /// Events that may have been missed.
    pub missed_events: MissedEvents,
    /// Board at the last restart of the clock, if it is not explained yet.
    pub restarted_board: Option<RestartedBoard>,
    /// Events that led to the last setup; the table takes them when it publishes the setup.
    pub gap_evidence: Option<Arc<GapEvidence>>,
}

/// Board at a restart of the clock, after pieces were moved while it was stopped.
#[derive(Clone, Copy, Debug)]
pub struct RestartedBoard {
    /// Contents of the squares.
    pub occupancy: Occupancy,
    /// Point in the sequence of events.
    pub at: SeqNo,
    /// Side whose time runs.
    pub turn: Color,
    /// Number of presses by then.
    pub presses: usize,
    /// Whether the contents were confirmed.
    is_confirmed: bool,
}

/// Facts that explanations and evaluations depend on, by value or by a growing number. While versions are equal, only
/// time has passed, and possibly a dump has confirmed the board.
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
    /// Returns the version of the facts.
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

    /// Returns the squares that contradict the published position and are not known anomalies.
    pub fn contradictions(&self) -> SquareSet {
        self.published.wrong(&self.evidence)
    }

    /// Returns the events since the published position.
    pub fn since_published(&self) -> GapEvidence {
        let has_gap = self.missed_events.has_gap();
        let presses = (self.clock != ClockState::None && !has_gap).then_some(self.presses.len());
        let start = self.published.base().evidence_start;
        GapEvidence { evidence: self.evidence.clone(), start, presses, has_gap }
    }

    /// Returns the order of events since the published position.
    pub fn chronology(&self) -> Chronology<'_> {
        Chronology::new(&self.evidence, self.published.base().evidence_start)
    }

    /// Returns the time at which the board will have been quiet for a moment.
    pub fn quiet_at(&self) -> Millis {
        self.evidence.last_change() + Millis(self.settings.settle_ms)
    }

    /// Returns the time at which the board will have been quiet for `wait` ms, plus an allowance while unconfirmed.
    pub fn confirmed_at(&self, wait: u64) -> Millis {
        let doubt = if self.evidence.is_confirmed() { 0 } else { self.settings.unconfirmed_ms };
        self.evidence.last_change() + Millis(wait + doubt)
    }

    /// Notes a restart of the clock, which was stopped at `stopped`. If pieces were moved in between, the arbiter or the players have
    /// agreed on the board.
    pub fn note_restart(&mut self, stopped: Millis) {
        let was_changed = self.evidence.last_change() > stopped && !self.missed_events.has_gap();
        let turn = self.presses.turn().filter(|_| was_changed && !self.contradictions().is_empty());
        self.restarted_board = turn.map(|turn| RestartedBoard {
            occupancy: self.evidence.without_flicker(self.evidence.occupancy(), |_, _| true),
            at: self.evidence.next_seq_no(),
            turn,
            presses: self.presses.len(),
            is_confirmed: self.evidence.is_confirmed(),
        });
    }

    /// Returns the board at the last restart of the clock, once it is confirmed.
    pub fn agreed_board(&self) -> Option<&RestartedBoard> {
        let is_confirmed = |board: &&RestartedBoard| {
            board.is_confirmed || (board.at == self.evidence.next_seq_no() && self.evidence.is_confirmed())
        };
        self.restarted_board.as_ref().filter(is_confirmed)
    }

    /// Handles a board that shows the published position: drops touches by adjusting hands and reverted presses.
    /// Returns the time of the next call, if necessary.
    pub fn clear_pending(&mut self, now: Millis) -> Option<Millis> {
        self.restarted_board = None;
        self.evidence.learn_codes(self.published.position().placement().kings());
        self.published.clear_anomalies(&self.evidence, self.missed_events.has_gap());
        self.missed_events.close_gap();
        self.presses.clear_reverted(now, self.published.turn())
    }

    /// Continues from another position at ply number `plies`, dropping `presses` presses. Returns the last of them.
    pub fn set_up(&mut self, position: Position, plies: u32, presses: usize) -> Option<PressId> {
        self.published.set_up(position, plies, &self.evidence);
        self.restarted_board = None;
        self.missed_events.close_gap();
        self.presses.set_up(presses).map(|press| press.id)
    }
}
