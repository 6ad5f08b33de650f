//! Unexplained positions that players may have accepted: one player finished his move, legal or not, and his opponent played on.
//!
//! | witness | what speaks for it |
//! |---|---|
//! | the lever | it stood when the lever was pressed, or may have: a press is heard of late |
//! | quiet | it was settled for a while, and unexplained |
//! | a hand | it stood for a while before the next hand came, and nobody pressed |

use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{
    Chronology, Evidence, Facts, Occupancy, PublishedState, SensedPiece, SeqNo,
};
use crate::engine::recognition::tuning::{counts, times};
use crate::engine::recognition::verdict::ClockState;
use crate::engine::recognition::wait::{Deadline, Wait};
use draughts::{Color, Position};

/// A placement that nothing explained, and that may be a position that was given up to the opponent.
#[derive(Clone, Debug)]
pub(super) struct AcceptedPosition {
    pub occupancy: Occupancy,
    pub at: SeqNo,
    /// Who was to move then, where the lever tells.
    pub turn: Option<Color>,
    /// Presses before it, since the published position.
    pub presses: usize,
    pub evidence: AcceptanceEvidence,
}

impl AcceptedPosition {
    /// Does it show this position, as far as it tells?
    pub fn matches(&self, position: &Position) -> bool {
        self.turn.is_none_or(|turn| turn == position.turn())
            && self.occupancy.differs_from_placement(position.placement()).is_empty()
    }
}

/// What speaks for a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AcceptanceEvidence {
    /// It stood when the lever was pressed, or may have: a press is heard of late.
    Lever {
        /// It stood for a small part of that time only.
        is_brief: bool,
    },
    /// It was settled, and unexplained.
    Quiet,
    /// It stood for a while, and nobody pressed.
    ReplyStarted,
}

/// What stood on the board when the lever was pressed: one of these is the position that was given up.
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

/// What stood on the board for a while before the opponent's hand came, though nobody pressed.
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

/// A sight of a moment with the pieces that flickered in their places and without what was known to be wrong; `None` if a
/// ply or two do not leave it.
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

/// A sight of a moment as it would be without what was known to be wrong then.
fn without_anomalies(published: &PublishedState, sight: &Occupancy, at: SeqNo) -> Occupancy {
    let mut without = *sight;
    for square in published.anomalies().squares_at(at) {
        let color = published.position().placement().color(square);
        without.put(square, color.map(|color| SensedPiece { color, is_king: false }));
    }
    without
}

/// That nothing legal explains the board: since when, and what has been settled meanwhile.
#[derive(Clone, Default, Debug)]
pub(super) struct UnexplainedTracker {
    since: Option<Millis>,
    /// What was settled and may have been given up.
    settled: Vec<AcceptedPosition>,
}

impl UnexplainedTracker {
    /// Since when; `None`: something does.
    pub fn since(&self) -> Option<Millis> {
        self.since
    }

    /// Something legal explains the board.
    pub fn clear(&mut self) {
        self.since = None;
    }

    /// What stood on the board and may have been given up.
    pub fn candidates(&self, facts: &Facts) -> Vec<AcceptedPosition> {
        let mut candidates = positions_at_presses(facts);
        candidates.extend(self.settled.iter().cloned());
        candidates.extend(positions_without_press(facts));
        candidates
    }

    /// So many of the presses that count for what was settled belong to what is published now.
    pub fn subtract_presses(&mut self, presses: usize) {
        for candidate in &mut self.settled {
            candidate.presses = candidate.presses.saturating_sub(presses);
        }
    }

    /// What stays when play goes on from one of the settled.
    pub fn prune_to(mut self, resumed: &AcceptedPosition) -> UnexplainedTracker {
        self.since = None;
        self.settled.retain(|later| later.at > resumed.at);
        self.subtract_presses(resumed.presses);
        self
    }

    /// Nothing explains the board; what is settled is remembered.
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
        let sight = without_anomalies(
            &facts.published,
            &facts.evidence.without_flicker(facts.evidence.occupancy(), |_, _| true),
            at,
        );
        let (turn, presses) = (facts.presses.turn(), facts.presses.len());
        let known = |candidate: &&mut AcceptedPosition| candidate.occupancy.differs_from(&sight).is_empty();
        if let Some(candidate) = self.settled.iter_mut().find(known) {
            // Pressed again with nothing moved: a ply that left no trace on the board.
            (candidate.turn, candidate.presses, candidate.at) = (turn, presses, at);
            return;
        }
        if self.settled.len() == counts::MAX_SETTLED_POSITIONS {
            self.settled.remove(0);
        }
        self.settled.push(AcceptedPosition {
            occupancy: sight,
            at,
            turn,
            presses,
            evidence: AcceptanceEvidence::Quiet,
        });
    }
}
