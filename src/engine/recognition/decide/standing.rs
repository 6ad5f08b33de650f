//! Unexplained positions that players may have accepted: one player finished his move, legal or not, and his opponent played on.
//!
//! | witness | what speaks for it |
//! |---|---|
//! | the lever | it stood when the lever was pressed, or may have: a press is heard of late |
//! | quiet | it was settled for a while, and unexplained |
//! | a hand | it stood for a while before the next hand came, and nobody pressed |

use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{Chronology, Evidence, Facts, Ordinal, Published, Seen, Sight};
use crate::engine::recognition::measures::{counts, times};
use crate::engine::recognition::verdict::Clock;
use crate::engine::recognition::wait::{Deadline, Wait};
use draughts::{Color, Position};

/// A placement that nothing explained, and that may be a position that was given up to the opponent.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub sight: Sight,
    pub at: Ordinal,
    /// Who was to move then, where the lever tells.
    pub turn: Option<Color>,
    /// Presses before it, since the published position.
    pub presses: usize,
    pub witness: Witness,
}

impl Candidate {
    /// Does it show this position, as far as it tells?
    pub fn is_of(&self, position: &Position) -> bool {
        self.turn.is_none_or(|turn| turn == position.turn())
            && self.sight.differs_from_placement(position.placement()).is_empty()
    }
}

/// What speaks for a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Witness {
    /// It stood when the lever was pressed, or may have: a press is heard of late.
    Lever {
        /// It stood for a small part of that time only.
        briefly: bool,
    },
    /// It was settled, and unexplained.
    Quiet,
    /// It stood for a while, and nobody pressed.
    Hand,
}

/// What stood on the board when the lever was pressed: one of these is the position that was given up.
fn standing_at_presses(facts: &Facts) -> Vec<Candidate> {
    let Some(turn) = facts.presses.turn().filter(|_| !facts.unheard.has_gap()) else { return Vec::new() };
    let chronology = facts.chronology();
    let count = facts.presses.len();
    let mut standing = Vec::new();
    for (index, at) in facts.presses.times().enumerate().skip(count.saturating_sub(counts::PRESSES_LOOKED_AT)) {
        let presses = index + 1;
        let turn = if (count - presses).is_multiple_of(2) { turn } else { !turn };
        for (sight, at, span) in chronology.standing_before(at, times::PRESS_LAG, counts::SIGHTS_OF_A_PRESS) {
            let witness = Witness::Lever { briefly: span < times::BRIEF };
            let Some(sight) = plausible(&facts.published, &facts.evidence, &chronology, &sight, at) else { continue };
            standing.push(Candidate { sight, at, turn: Some(turn), presses, witness });
        }
    }
    standing
}

/// What stood on the board for a while before the opponent's hand came, though nobody pressed.
fn standing_unpressed(facts: &Facts) -> Vec<Candidate> {
    if facts.presses.turn().is_none() || facts.unheard.has_gap() || facts.clock == Clock::None {
        return Vec::new();
    }
    let chronology = facts.chronology();
    let mut standing = Vec::new();
    for (sight, at, until) in chronology.standing(times::RESTS, counts::SIGHTS_UNPRESSED) {
        let presses = facts.presses.times().take_while(|&pressed| pressed <= until).count();
        let Some(sight) = plausible(&facts.published, &facts.evidence, &chronology, &sight, at) else { continue };
        standing.push(Candidate { sight, at, turn: None, presses, witness: Witness::Hand });
    }
    standing
}

/// A sight of a moment with the pieces that flickered in their places and without what was known to be wrong; `None` if a
/// ply or two do not leave it.
fn plausible(
    published: &Published,
    evidence: &Evidence,
    chronology: &Chronology,
    sight: &Sight,
    at: Ordinal,
) -> Option<Sight> {
    let seen = |square, color| chronology.was_seen(square, color, at);
    let sight = without_anomalies(published, &evidence.steady(sight, seen), at);
    let wrong = sight.differs_from_placement(published.position().placement()).len();
    ((1..=counts::CHAOS_SQUARES).contains(&wrong) && !published.has_gained(&sight)).then_some(sight)
}

/// A sight of a moment as it would be without what was known to be wrong then.
fn without_anomalies(published: &Published, sight: &Sight, at: Ordinal) -> Sight {
    let mut without = *sight;
    for square in published.anomalies().squares_at(at) {
        let color = published.position().placement().color(square);
        without.put(square, color.map(|color| Seen { color, crowned: false }));
    }
    without
}

/// That nothing legal explains the board: since when, and what has been settled meanwhile.
#[derive(Clone, Default, Debug)]
pub(super) struct Unexplained {
    since: Option<Millis>,
    /// What was settled and may have been given up.
    settled: Vec<Candidate>,
}

impl Unexplained {
    /// Since when; `None`: something does.
    pub fn since(&self) -> Option<Millis> {
        self.since
    }

    /// Something legal explains the board.
    pub fn end(&mut self) {
        self.since = None;
    }

    /// What stood on the board and may have been given up.
    pub fn candidates(&self, facts: &Facts) -> Vec<Candidate> {
        let mut candidates = standing_at_presses(facts);
        candidates.extend(self.settled.iter().cloned());
        candidates.extend(standing_unpressed(facts));
        candidates
    }

    /// So many of the presses that count for what was settled belong to what is published now.
    pub fn take_presses_off(&mut self, presses: usize) {
        for candidate in &mut self.settled {
            candidate.presses = candidate.presses.saturating_sub(presses);
        }
    }

    /// What stays when play goes on from one of the settled.
    pub fn after(mut self, resumed: &Candidate) -> Unexplained {
        self.since = None;
        self.settled.retain(|later| later.at > resumed.at);
        self.take_presses_off(resumed.presses);
        self
    }

    /// Nothing explains the board; what is settled is remembered.
    pub fn note(&mut self, now: Millis, facts: &Facts, deadline: &mut Deadline) {
        self.since = self.since.or(Some(now));
        let given_up = !facts.presses.is_empty() || facts.clock == Clock::None;
        let wait = if facts.presses.are_many() { Millis(facts.settings.settle_ms) } else { times::STANDS };
        let stands_at = facts.evidence.last_change() + wait;
        if !given_up || (facts.presses.is_empty() && facts.published.is_chaos(&facts.evidence)) {
            return;
        }
        if now < stands_at || !facts.evidence.is_confirmed() {
            deadline.wake_at(now, Some(stands_at), Wait::Quiet);
            return;
        }
        let at = facts.evidence.moment();
        let sight =
            without_anomalies(&facts.published, &facts.evidence.steady(facts.evidence.sight(), |_, _| true), at);
        let (turn, presses) = (facts.presses.turn(), facts.presses.len());
        let known = |candidate: &&mut Candidate| candidate.sight.differs_from(&sight).is_empty();
        if let Some(candidate) = self.settled.iter_mut().find(known) {
            // Pressed again with nothing moved: a ply that left no trace on the board.
            (candidate.turn, candidate.presses, candidate.at) = (turn, presses, at);
            return;
        }
        if self.settled.len() == counts::MOST_SETTLED {
            self.settled.remove(0);
        }
        self.settled.push(Candidate { sight, at, turn, presses, witness: Witness::Quiet });
    }
}
