//! Searches for what explains the facts, and remembers what it found until they change.
//!
//! It compares the [`FactsVersion`] of the facts with the one it searched last: nobody has to tell it that something has changed.

use super::effort::Effort;
use super::explain::{Explanation, Findings, Question};
use super::readings::{Reading, readings};
use crate::engine::recognition::evidence::{Facts, FactsVersion};
use crate::engine::recognition::measures::{counts, work};
use std::sync::Arc;

/// What was searched for and found last.
#[derive(Clone, Debug, Default)]
pub struct Searcher {
    explained: Option<Explained>,
    /// What comes closest to a board that nothing explains.
    readings: Option<(FactsVersion, Vec<Reading>)>,
}

#[derive(Clone, Debug)]
struct Explained {
    version: FactsVersion,
    /// What was found from the published position: a press is weighed without looking for it again.
    findings: Findings,
    explanations: Arc<[Explanation]>,
}

impl Searcher {
    /// The explanations of the board, the best first. Empty if it shows the published position.
    pub fn explanations(&mut self, facts: &Facts, effort: &mut Effort) -> Arc<[Explanation]> {
        if let Some(explanations) = self.known(facts) {
            return Arc::clone(explanations);
        }
        if facts.wrong().is_empty() {
            return Arc::default();
        }
        let question = Question::of(facts);
        let known = self.explained.take().map(|explained| explained.findings);
        let findings = known.filter(|findings| findings.suffice(&question)).unwrap_or_else(|| {
            let mut left = work::MOST;
            let findings = Findings::seek(&question, counts::DEEPEST, &mut left);
            effort.spend(work::MOST - left);
            findings
        });
        let mut explanations = findings.weigh(&question);
        if let Some(rest) = facts.published.rest(&facts.evidence) {
            // While nothing moves, what was explained by so many plies cannot take more.
            explanations.retain(|explanation| explanation.plies.len() <= rest.plies);
        }
        let explanations: Arc<[Explanation]> = explanations.into();
        self.explained =
            Some(Explained { version: facts.version(), findings, explanations: Arc::clone(&explanations) });
        explanations
    }

    /// The same if it is known already.
    pub fn known(&self, facts: &Facts) -> Option<&Arc<[Explanation]>> {
        let explained = self.explained.as_ref().filter(|explained| explained.version == facts.version());
        explained.map(|explained| &explained.explanations)
    }

    /// Seeks what comes closest to a board that nothing explains.
    pub fn seek_readings(&mut self, facts: &Facts, effort: &mut Effort) {
        let version = facts.version();
        if self.readings.as_ref().is_none_or(|(known, _)| *known != version) {
            let anomalies = facts.published.anomalies().squares();
            self.readings = Some((version, readings(facts.published.position(), &facts.evidence, anomalies)));
            effort.spend(work::READINGS);
        }
    }

    /// What was found to come closest. Empty: it has not been sought.
    pub fn readings(&self, facts: &Facts) -> &[Reading] {
        match &self.readings {
            Some((version, readings)) if *version == facts.version() => readings,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::millis::Millis;
    use crate::engine::recognition::evidence::tests::evidence;
    use crate::engine::recognition::evidence::{Press, Presses, Published, Rest, Seen, Source, Unheard};
    use crate::engine::recognition::settings::Settings;
    use crate::engine::recognition::verdict::{Clock, PressId};
    use draughts::{Color, SquareSet};
    use proptest::prelude::*;

    /// The squares that hands are on, and the colours that are seen there.
    const SQUARES: [&str; 7] = ["32", "28", "19", "23", "14", "37", "10"];
    const SEEN: [Option<Color>; 3] = [None, Some(Color::White), Some(Color::Black)];

    /// One thing happens to the facts.
    fn change(facts: &mut Facts, searcher: &mut Searcher, now: Millis, (what, which): (u8, usize)) {
        let turn = SEEN[which % 3];
        match what {
            0 => facts.presses.hear(
                Press { id: PressId(now.0 as u32), at: now },
                turn,
                facts.published.turn(),
                which > 4,
            ),
            1 => facts.presses.mean(turn),
            2 => facts.clock = [Clock::None, Clock::Running, Clock::Stopped { since: Some(now) }][which % 3],
            3 => _ = facts.unheard.hear_again(now, &facts.evidence),
            4 => _ = facts.settle(now),
            5 => _ = facts.set_up(*facts.published.position(), 7, which),
            6 => {
                let Some(best) = searcher.explanations(facts, &mut Effort::default()).first().cloned() else { return };
                let rest = Rest { plies: best.plies.len() - 1, is_given_up: which > 3 };
                facts.published.play(now, best.plies[0].clone(), best.left, SquareSet::EMPTY, rest, &facts.evidence);
            }
            _ => {
                let square = facts.published.position().variant().geometry.square(SQUARES[which % 7]).unwrap();
                let seen = SEEN[usize::from(what) % 3].map(|color| Seen { color, crowned: false });
                if facts.evidence.see(now, square, seen, Source::Report) {
                    facts.published.change(square, facts.evidence.moment());
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
            let published = Published::new(position, 0, evidence.moment());
            let (presses, unheard) = (Presses::default(), Unheard::default());
            let settings = Settings::default();
            let mut facts = Facts { settings, clock: Clock::Running, published, evidence, presses, unheard };
            let mut searcher = Searcher::default();
            for (step, what) in changes.into_iter().enumerate() {
                change(&mut facts, &mut searcher, Millis(1_000 * step as u64), what);
                let mut fresh = Searcher::default();
                let mut effort = Effort::default();
                prop_assert_eq!(
                    searcher.explanations(&facts, &mut effort),
                    fresh.explanations(&facts, &mut effort)
                );
                searcher.seek_readings(&facts, &mut effort);
                fresh.seek_readings(&facts, &mut effort);
                prop_assert_eq!(searcher.readings(&facts), fresh.readings(&facts));
            }
        }
    }
}
