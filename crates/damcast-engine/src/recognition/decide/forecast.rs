//! Information besides decisions, for listeners and operators: expected plies, unexplained boards, and the evidence of
//! decisions.

use draughts::{Color, Move, SquareSet};

use super::proposal::Conclusion;
use crate::millis::Millis;
use crate::recognition::evidence::{Evidence, Facts, SeqNo};
use crate::recognition::rationale::Rationale;
use crate::recognition::search::{Explanation, Interpretation, SearchBudget, Searcher};
use crate::recognition::tuning::weights;
use crate::recognition::verdict::ClockState;
use crate::recognition::wait::{Deadline, Wait};

/// Unexplained board.
#[derive(Clone, Copy, Debug)]
pub struct UnexplainedBoard<'a> {
    /// Start of the unexplained state.
    pub since: Millis,
    /// Start of the time without a hand on the board.
    pub quiet_since: Millis,
    /// Squares that differ from the published position.
    pub squares: SquareSet,
    /// Closest interpretations, best first, the setup last. Empty until the board has been quiet for a moment.
    pub interpretations: &'a [Interpretation],
}

/// Plies expected next, and those that last explained a quiet board.
#[derive(Clone, Default, Debug)]
pub(super) struct Forecast {
    expected: Vec<Move>,
    /// Plies that last explained a quiet board, and when: they may have been played even without a legal continuation.
    last_quiet: Option<(Vec<Move>, SeqNo)>,
}

impl Forecast {
    /// Returns the plies that will be published next if nothing changes.
    pub fn expected(&self) -> &[Move] {
        &self.expected
    }

    /// Returns the plies that last explained a quiet board, and when.
    pub fn last_quiet(&self) -> Option<(&[Move], SeqNo)> {
        self.last_quiet.as_ref().map(|(plies, at)| (plies.as_slice(), *at))
    }

    /// Whether a piece of this colour has been touched since a ply explained the board.
    pub fn is_answered(&self, by: Color, evidence: &Evidence) -> bool {
        let Some((_, at)) = &self.last_quiet else { return false };
        evidence.changes_since(*at).any(|change| change.before.or(change.after) == Some(by))
    }

    /// Clears the last explanation, because the board shows the published position again.
    pub fn clear(&mut self) {
        self.last_quiet = None;
    }

    /// Updates the expected plies after a publication: the rest remains if the expected ply was published.
    pub fn on_publish(&mut self, conclusion: &Conclusion) {
        let ply = if let Conclusion::Ply(explanation, _) = conclusion { explanation.plies.first() } else { None };
        let rest_of = |plies: &mut Vec<Move>| {
            if ply.is_some() && plies.first() == ply {
                plies.remove(0);
            } else {
                plies.clear();
            }
        };
        rest_of(&mut self.expected);
        self.last_quiet.iter_mut().for_each(|(plies, _)| rest_of(plies));
        self.last_quiet.take_if(|(plies, _)| plies.is_empty());
    }

    /// Updates the expected plies once the board has been quiet for a moment; a moving hand changes nothing.
    pub fn update(
        &mut self,
        now: Millis,
        facts: &Facts,
        searcher: &mut Searcher,
        effort: &mut SearchBudget,
        deadline: &mut Deadline,
    ) {
        let over = facts.contradictions().is_empty() || matches!(facts.clock, ClockState::Stopped { .. });
        if !over && now < facts.quiet_at() {
            deadline.set_earliest(now, Some(facts.quiet_at()), Wait::Quiet);
            return;
        }
        let explanations = if over { [].into() } else { searcher.explanations(facts, effort) };
        self.expected = match explanations.first() {
            Some(best) if best.mismatched.is_empty() && !has_rival(best, &explanations) => best.plies.clone(),
            _ => Vec::new(),
        };
        if !self.expected.is_empty() {
            self.last_quiet = Some((self.expected.clone(), facts.evidence.next_seq_no()));
        }
    }
}

fn has_rival(best: &Explanation, all: &[Explanation]) -> bool {
    let is_rival =
        |other: &Explanation| other.plies[0] != best.plies[0] && best.score - other.score < weights::EXPECTED;
    all.iter().any(is_rival)
}

/// Returns the evidence of a conclusion. `waited`: last condition it waited for; `explanations`: its rivals.
pub(super) fn grounds(
    facts: &Facts,
    explanations: &[Explanation],
    now: Millis,
    waited: Option<Wait>,
    conclusion: &Conclusion,
) -> Rationale {
    let (mut left, mut odd, mut rejected) = (SquareSet::EMPTY, SquareSet::EMPTY, Vec::new());
    if let Conclusion::Ply(explanation, _) = conclusion {
        (left, odd) = (explanation.leftover, explanation.mismatched);
        for first in explanations.iter().map(|other| &other.plies[0]) {
            if *first != explanation.plies[0] && !rejected.contains(first) && rejected.len() < Rationale::MAX_REJECTED {
                rejected.push(first.clone());
            }
        }
    }
    Rationale {
        touched: facts.published.touched(&facts.evidence),
        lever: facts.presses.turn(),
        presses: facts.presses.len(),
        quiet_time: now - facts.evidence.last_change(),
        waited_for: waited,
        is_confirmed: facts.evidence.is_dumped(),
        leftover: left,
        mismatched: odd,
        rejected,
    }
}
