//! Searches for explanations of the facts, and caches the results until the facts change.
//!
//! The cache compares the [`FactsVersion`] of the facts with that of the last search, so callers need not invalidate
//! it.

use std::sync::Arc;

use super::budget::SearchBudget;
use super::explain::{Explanation, SearchQuery, SearchResult};
use super::interpretations::{Interpretation, readings};
use crate::recognition::evidence::{Facts, FactsVersion};
use crate::recognition::tuning::{counts, work};

/// Search with cached results.
#[derive(Clone, Debug, Default)]
pub struct Searcher {
    cached: Option<CachedSearch>,
    interpretations: Option<(FactsVersion, Vec<Interpretation>)>,
}

#[derive(Clone, Debug)]
struct CachedSearch {
    version: FactsVersion,
    /// Result of the search from the published position: a press only needs a new ranking.
    result: SearchResult,
    explanations: Arc<[Explanation]>,
}

impl Searcher {
    /// Returns the explanations of the board, best first. Empty if it shows the published position.
    pub fn explanations(&mut self, facts: &Facts, effort: &mut SearchBudget) -> Arc<[Explanation]> {
        if let Some(explanations) = self.cached_explanations(facts) {
            return Arc::clone(explanations);
        }
        if facts.contradictions().is_empty() {
            return Arc::default();
        }
        let question = SearchQuery::from_facts(facts);
        let known = self.cached.take().map(|explained| explained.result);
        let findings = known.filter(|findings| findings.covers(&question)).unwrap_or_else(|| {
            let mut left = work::MAX_SEARCH;
            let findings = SearchResult::search(&question, counts::MAX_PLIES, &mut left);
            effort.spend(work::MAX_SEARCH - left);
            findings
        });
        let mut explanations = findings.rank(&question);
        if let Some(rest) = facts.published.remaining_plies(&facts.evidence) {
            // While the board is unchanged, the remaining explanation cannot become longer.
            explanations.retain(|explanation| explanation.plies.len() <= rest.plies);
        }
        let explanations: Arc<[Explanation]> = explanations.into();
        self.cached = Some(CachedSearch {
            version: facts.version_key(),
            result: findings,
            explanations: Arc::clone(&explanations),
        });
        explanations
    }

    /// Returns the cached explanations, if current.
    pub fn cached_explanations(&self, facts: &Facts) -> Option<&Arc<[Explanation]>> {
        let explained = self.cached.as_ref().filter(|explained| explained.version == facts.version_key());
        explained.map(|explained| &explained.explanations)
    }

    /// Searches the closest interpretations of an unexplained board.
    pub fn search_interpretations(&mut self, facts: &Facts, effort: &mut SearchBudget) {
        let version = facts.version_key();
        if self.interpretations.as_ref().is_none_or(|(known, _)| *known != version) {
            let anomalies = facts.published.anomalies().squares();
            self.interpretations = Some((version, readings(facts.published.position(), &facts.evidence, anomalies)));
            effort.spend(work::INTERPRETATIONS);
        }
    }

    /// Returns the closest interpretations; empty before a search.
    pub fn interpretations(&self, facts: &Facts) -> &[Interpretation] {
        match &self.interpretations {
            Some((version, readings)) if *version == facts.version_key() => readings,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::millis::Millis;
    use crate::recognition::evidence::tests::evidence;
    use crate::recognition::evidence::{
        ChangeSource, MissedEvents, Press, Presses, PublishedState, RemainingPlies, SensedPiece,
    };
    use crate::recognition::settings::Settings;
    use crate::recognition::verdict::{ClockState, PressId};
    use draughts::{Color, SquareSet};
    use proptest::prelude::*;

    /// Squares touched by hands.
    const SQUARES: [&str; 7] = ["32", "28", "19", "23", "14", "37", "10"];
    const SEEN: [Option<Color>; 3] = [None, Some(Color::White), Some(Color::Black)];

    fn change(facts: &mut Facts, searcher: &mut Searcher, now: Millis, (change_kind, which): (u8, usize)) {
        let turn = SEEN[which % 3];
        match change_kind {
            0 => facts.presses.record(
                Press { id: PressId(now.0 as u32), at: now },
                turn,
                facts.published.turn(),
                which > 4,
            ),
            1 => facts.presses.set_turn(turn),
            2 => {
                facts.clock =
                    [ClockState::None, ClockState::Running, ClockState::Stopped { since: Some(now) }][which % 3]
            }
            3 => _ = facts.missed_events.resume(now, &facts.evidence),
            4 => _ = facts.clear_pending(now),
            5 => _ = facts.set_up(*facts.published.position(), 7, which),
            6 => {
                let Some(best) = searcher.explanations(facts, &mut SearchBudget::default()).first().cloned() else {
                    return;
                };
                let rest = RemainingPlies { plies: best.plies.len() - 1, is_given_up: which > 3, shares_press: false };
                facts.published.apply_ply(
                    now,
                    best.plies[0].clone(),
                    best.leftover,
                    SquareSet::EMPTY,
                    rest,
                    &facts.evidence,
                );
            }
            _ => {
                let square = facts.published.position().variant().geometry.square(SQUARES[which % 7]).unwrap();
                let seen = SEEN[usize::from(change_kind) % 3].map(|color| SensedPiece { color, is_king: false });
                if facts.evidence.observe(now, square, seen, ChangeSource::Report) {
                    facts.published.change(square, facts.evidence.next_seq_no());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn cached_result_matches_new_search(
            changes in proptest::collection::vec((0..16_u8, 0..7_usize), 1..40),
        ) {
            let (position, evidence) = evidence(&[]);
            let published = PublishedState::new(position, 0, evidence.next_seq_no());
            let (presses, unheard) = (Presses::default(), MissedEvents::default());
            let settings = Settings::default();
            let mut facts = Facts { settings, clock: ClockState::Running, published, evidence, presses, missed_events: unheard, restarted_board: None, gap_evidence: None };
            let mut searcher = Searcher::default();
            for (step, step_change) in changes.into_iter().enumerate() {
                change(&mut facts, &mut searcher, Millis(1_000 * step as u64), step_change);
                let mut fresh = Searcher::default();
                let mut effort = SearchBudget::default();
                prop_assert_eq!(
                    searcher.explanations(&facts, &mut effort),
                    fresh.explanations(&facts, &mut effort)
                );
                searcher.search_interpretations(&facts, &mut effort);
                fresh.search_interpretations(&facts, &mut effort);
                prop_assert_eq!(searcher.interpretations(&facts), fresh.interpretations(&facts));
            }
        }
    }
}
