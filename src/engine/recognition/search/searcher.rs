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
