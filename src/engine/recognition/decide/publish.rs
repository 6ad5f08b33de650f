//! What a decision changes: the position that is published, and what counts as evidence from there on.

use super::{Anomaly, Clock, Decision, Doubtful, Draft, Followed, Previous, Reason, Recogniser, Rule, Verdict};
use crate::engine::millis::Millis;
use crate::engine::recognition::Wait;
use crate::engine::recognition::measures::counts;
use crate::engine::recognition::search::explain::Explanation;
use draughts::{Color, Position, SquareSet};

impl Recogniser {
    pub(super) fn decide(&mut self, now: Millis, decision: Decision) -> Verdict {
        // What was expected behind this ply still is; anything else is expected of another position.
        let mut expected = std::mem::take(&mut self.expected);
        let mut foreseen = self.foreseen.take();
        if let Decision::Ply(explanation, _) = &decision {
            if expected.first() == Some(&explanation.plies[0]) {
                expected.remove(0);
                self.expected = expected;
            }
            if let Some((plies, _)) = &mut foreseen
                && plies.first() == Some(&explanation.plies[0])
            {
                plies.remove(0);
                self.foreseen = foreseen.filter(|(plies, _)| !plies.is_empty());
            }
        }
        match decision {
            Decision::Ply(explanation, rule) => self.publish(now, &explanation, rule),
            Decision::Back(previous, since) => {
                // Those presses are of what was played instead.
                let before = self.presses.len().saturating_sub(since);
                let verdict = self.take_up(previous.position, self.plies - 1, before, Reason::TakenBack);
                self.since = previous.since;
                self.passed = previous.passed;
                verdict
            }
            Decision::Resume(snapshot, position) => {
                let plies = self.plies_after_gap(snapshot.presses, position.turn());
                let mut later = std::mem::take(&mut self.snapshots);
                later.retain(|later| later.at > snapshot.at);
                let verdict = self.take_up(position, plies, snapshot.presses, Reason::IllegalMove);
                self.snapshots = later;
                self.take_presses_off_snapshots(snapshot.presses);
                self.since = snapshot.at;
                verdict
            }
            Decision::Amend(position, square) => {
                let (since, passed) = (self.since, self.passed);
                let verdict = self.take_up(position, self.plies, 0, Reason::Amended);
                (self.since, self.passed) = (since, passed);
                if self.evidence.contradictions(position.placement()).contains(square) {
                    // Hands know that it does not count.
                    self.anomalies.retain(|anomaly| anomaly.square != square);
                    self.anomalies.push(Anomaly { square, at: now, plies: self.plies, captured: true, until: None });
                }
                verdict
            }
            Decision::Setup(position, reason) => self.set_up_what_is_seen(position, reason),
        }
    }

    fn publish(&mut self, now: Millis, explanation: &Explanation, rule: Rule) -> Verdict {
        let ply = explanation.plies[0].clone();
        let before = self.base;
        let plies = explanation.count();
        let believed = self.is_pressed(explanation) || self.is_believed(explanation);
        let presses = self.presses.len();
        let press = self.presses.publish(plies, before.turn(), self.clock == Clock::Running);
        self.take_presses_off_snapshots(presses - self.presses.len());
        self.previous = Some(Previous { position: before, ply: ply.clone(), since: self.since, passed: self.passed });
        self.passed |= ply.squares();
        self.doubtful.retain(|doubtful| !ply.squares().contains(doubtful.square));
        self.stand_at(before.play(&ply));
        self.plies += 1;
        // Without a clock nobody can press.
        self.unpressed_run = if believed || self.clock == Clock::None { 0 } else { self.unpressed_run + 1 };
        self.revision += 1;
        self.followed = Followed { generation: self.evidence.generation(), left: plies - 1, believed };
        let (left, odd) = if plies == 1 {
            (explanation.left, explanation.odd)
        } else {
            (explanation.left & ply.captured(), SquareSet::EMPTY)
        };
        for square in left | odd {
            let captured = left.contains(square);
            self.anomalies.push(Anomaly { square, at: now, plies: self.plies, captured, until: None });
        }
        Verdict::Ply { before, ply, press: press.map(|press| press.id), rule, explained: plies }
    }

    /// To set up what is seen, from some time on; `None`: it is no position of this game, and the board stays in doubt.
    pub(super) fn setup(&self, ready_at: Millis, reason: Reason) -> Option<Draft> {
        let sight = self.evidence.steady(self.sight(), |_, _| true);
        let sight = if reason == Reason::Anomaly { sight } else { self.without_captured(&sight) };
        let position = self.position_of(self.base.placement(), &sight, self.presses.turn(), self.hidden_plies())?;
        // Who has no pieces has nothing to play on with: the board is being cleared.
        let has_both = Color::BOTH.into_iter().all(|color| !position.placement().of(color).is_empty());
        has_both.then_some(Draft { ready_at, waits: Wait::Explanation, decision: Decision::Setup(position, reason) })
    }

    /// At most so many plies lie between the published position and what is seen, as far as presses tell.
    pub(super) fn hidden_plies(&self) -> usize {
        if self.clock == Clock::None { usize::MAX } else { self.presses.len() + counts::FORGOTTEN_PRESSES }
    }

    fn set_up_what_is_seen(&mut self, position: Position, reason: Reason) -> Verdict {
        let known = *self.base.placement();
        let changed = known.occupied() | position.placement().occupied();
        let changed = changed.into_iter().filter(|&square| known.color(square) != position.placement().color(square));
        let doubtful = changed.map(|square| Doubtful { square, before: known.get(square) }).collect::<Vec<_>>();
        let presses = self.presses.len();
        let plies = if reason == Reason::Anomaly && position.turn() == self.base.turn() {
            self.plies
        } else {
            self.plies_after_gap(presses, position.turn())
        };
        let verdict = self.take_up(position, plies, presses, reason);
        if reason == Reason::Anomaly && doubtful.len() <= counts::MOST_DOUBTFUL {
            self.doubtful = doubtful;
        }
        verdict
    }

    /// How many plies have passed when play goes on after a gap: one for each press, at least one, and one more if the
    /// turn says so.
    pub(super) fn plies_after_gap(&self, presses: usize, turn: Color) -> u32 {
        let passed = presses.max(1) as u32;
        let expected = if passed.is_multiple_of(2) { self.base.turn() } else { !self.base.turn() };
        self.plies + passed + u32::from(turn != expected)
    }

    pub(super) fn take_up(&mut self, position: Position, plies: u32, presses: usize, reason: Reason) -> Verdict {
        let last = self.presses.set_up(presses);
        self.stand_at(position);
        self.plies = plies;
        self.previous = None;
        self.since = self.evidence.moment();
        self.passed = SquareSet::EMPTY;
        self.let_go = None;
        self.doubtful.clear();
        // A captured piece that stood in the way of nothing is still to be taken off.
        let wrong = self.evidence.contradictions(self.base.placement());
        let is_left = |anomaly: &Anomaly| anomaly.captured && anomaly.until.is_none() && wrong.contains(anomaly.square);
        self.anomalies.retain(is_left);
        self.snapshots.clear();
        self.unpressed_run = 0;
        self.gap = false;
        self.unexplained_since = None;
        self.followed = Followed::NOTHING;
        self.revision += 1;
        Verdict::Setup { position, plies, press: last.map(|press| press.id), reason }
    }
}
