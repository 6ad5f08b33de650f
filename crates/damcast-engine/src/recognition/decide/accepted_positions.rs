//! Finds unexplained positions that players may have accepted: one player completed a move, legal or not, and the
//! opponent continued.
//!
//! | evidence | reason |
//! |---|---|
//! | lever | it was on the board at a press, or may have been: presses are reported late |
//! | quiet | it was settled for a while, and unexplained |
//! | hand | it stood for a while before the next hand came, without a press |

use draughts::{Color, Position};

use crate::millis::Millis;
use crate::recognition::evidence::{Chronology, Evidence, Facts, Occupancy, PublishedState, SensedPiece, SeqNo};
use crate::recognition::tuning::{counts, times};
use crate::recognition::verdict::ClockState;
use crate::recognition::wait::{Deadline, Wait};

/// Unexplained placement that may be a position accepted by the opponent.
#[derive(Clone, Debug)]
pub(super) struct AcceptedPosition {
    pub occupancy: Occupancy,
    pub at: SeqNo,
    /// Side to move at that time, if the lever shows it.
    pub turn: Option<Color>,
    /// Number of presses from the published position to this placement.
    pub presses: usize,
    pub evidence: AcceptanceEvidence,
}

impl AcceptedPosition {
    /// Whether the placement matches this position, as far as known.
    pub fn matches(&self, position: &Position) -> bool {
        self.turn.is_none_or(|turn| turn == position.turn())
            && self.occupancy.differs_from_placement(position.placement()).is_empty()
    }
}

/// Evidence that a placement was accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AcceptanceEvidence {
    /// On the board at a press, or possibly so: presses are reported late.
    Lever {
        /// Whether it covers only a small part of the possible time of the press.
        is_brief: bool,
    },
    /// Settled for a while, and unexplained.
    Quiet,
    /// Unchanged for a while without a press.
    ReplyStarted,
}

/// Returns the placements on the board around each press; one of them was accepted.
fn positions_at_presses(facts: &Facts) -> Vec<AcceptedPosition> {
    let Some(turn) = facts.presses.turn().filter(|_| !facts.missed_events.has_gap()) else { return Vec::new() };
    let chronology = facts.chronology();
    let count = facts.presses.len();
    let mut standing = Vec::new();
    for (index, at) in facts.presses.times().enumerate().skip(count.saturating_sub(counts::MAX_EXAMINED_PRESSES)) {
        let presses = index + 1;
        let turn = if (count - presses).is_multiple_of(2) { turn } else { !turn };
        for (sight, at, span) in chronology.lasting_spans_before(at, times::PRESS_LAG, counts::OCCUPANCIES_PER_PRESS) {
            let witness = AcceptanceEvidence::Lever { is_brief: span < times::MIN_PRESS_OVERLAP };
            let Some(sight) = clean_occupancy(&facts.published, &facts.evidence, &chronology, &sight, at) else {
                continue;
            };
            standing.push(AcceptedPosition { occupancy: sight, at, turn: Some(turn), presses, evidence: witness });
        }
    }
    standing
}

/// Returns the placements that stood for a while before the opponent's hand came, without a press.
fn positions_without_press(facts: &Facts) -> Vec<AcceptedPosition> {
    if facts.presses.turn().is_none() || facts.missed_events.has_gap() || facts.clock == ClockState::None {
        return Vec::new();
    }
    let chronology = facts.chronology();
    let mut standing = Vec::new();
    for (sight, at, until) in chronology.lasting_spans(times::MIN_REST, counts::UNPRESSED_OCCUPANCIES) {
        let presses = facts.presses.times().take_while(|&pressed| pressed <= until).count();
        let Some(sight) = clean_occupancy(&facts.published, &facts.evidence, &chronology, &sight, at) else { continue };
        standing.push(AcceptedPosition {
            occupancy: sight,
            at,
            turn: None,
            presses,
            evidence: AcceptanceEvidence::ReplyStarted,
        });
    }
    standing
}

/// Returns a placement with flickering pieces restored and known anomalies corrected. `None` if a ply or two cannot
/// have produced it.
fn clean_occupancy(
    published: &PublishedState,
    evidence: &Evidence,
    chronology: &Chronology,
    sight: &Occupancy,
    at: SeqNo,
) -> Option<Occupancy> {
    let seen = |square, color| chronology.was_seen(square, color, at);
    let sight = without_anomalies(published, &evidence.without_flicker(sight, seen), at);
    let wrong = sight.differs_from_placement(published.position().placement()).len();
    ((1..=counts::CHAOS_SQUARES).contains(&wrong) && !published.has_gained(&sight)).then_some(sight)
}

/// Returns a placement with the anomalies known at that time corrected.
fn without_anomalies(published: &PublishedState, sight: &Occupancy, at: SeqNo) -> Occupancy {
    let mut without = *sight;
    for square in published.anomalies().squares_at(at) {
        let color = published.position().placement().color(square);
        without.put(square, color.map(|color| SensedPiece { color, is_king: false }));
    }
    without
}

/// Start of the unexplained state of the board, and the placements settled since.
#[derive(Clone, Default, Debug)]
pub(super) struct UnexplainedTracker {
    since: Option<Millis>,
    /// Settled placements that may have been accepted.
    settled: Vec<AcceptedPosition>,
}

impl UnexplainedTracker {
    /// Returns the start of the unexplained state; `None` if the board is explained.
    pub fn since(&self) -> Option<Millis> {
        self.since
    }

    /// Marks the board as explained.
    pub fn clear(&mut self) {
        self.since = None;
    }

    /// Returns the placements that may have been accepted.
    pub fn candidates(&self, facts: &Facts) -> Vec<AcceptedPosition> {
        let mut candidates = positions_at_presses(facts);
        candidates.extend(self.settled.iter().cloned());
        candidates.extend(positions_without_press(facts));
        candidates
    }

    /// Subtracts presses that belong to newly published plies from those of the settled placements.
    pub fn subtract_presses(&mut self, presses: usize) {
        for candidate in &mut self.settled {
            candidate.presses = candidate.presses.saturating_sub(presses);
        }
    }

    /// Returns the tracker after play continued from `resumed`: only later placements remain.
    pub fn prune_to(mut self, resumed: &AcceptedPosition) -> UnexplainedTracker {
        self.since = None;
        self.settled.retain(|later| later.at > resumed.at);
        self.subtract_presses(resumed.presses);
        self
    }

    /// Marks the board as unexplained, and records the placement once it is settled.
    pub fn record(&mut self, now: Millis, facts: &Facts, deadline: &mut Deadline) {
        self.since = self.since.or(Some(now));
        let given_up = !facts.presses.is_empty() || facts.clock == ClockState::None;
        let wait = if facts.presses.are_many() { Millis(facts.settings.settle_ms) } else { times::MAX_REMOVAL_PAUSE };
        let stands_at = facts.evidence.last_change() + wait;
        if !given_up || (facts.presses.is_empty() && facts.published.is_chaos(&facts.evidence)) {
            return;
        }
        if now < stands_at || !facts.evidence.is_confirmed() {
            deadline.set_earliest(now, Some(stands_at), Wait::Quiet);
            return;
        }
        let at = facts.evidence.next_seq_no();
        let steady = facts.evidence.without_flicker(facts.evidence.occupancy(), |_, _| true);
        let occupancy = without_anomalies(&facts.published, &steady, at);
        let (turn, presses) = (facts.presses.turn(), facts.presses.len());
        let known = |candidate: &&mut AcceptedPosition| candidate.occupancy.differs_from(&occupancy).is_empty();
        if let Some(candidate) = self.settled.iter_mut().find(known) {
            // A press without a change of the board: the ply left no trace.
            (candidate.turn, candidate.presses, candidate.at) = (turn, presses, at);
            return;
        }
        if self.settled.len() == counts::MAX_SETTLED_POSITIONS {
            self.settled.remove(0);
        }
        self.settled.push(AcceptedPosition { occupancy, at, turn, presses, evidence: AcceptanceEvidence::Quiet });
    }
}
