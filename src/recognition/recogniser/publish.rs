//! What a decision changes: the position that is published, and what counts as evidence from there on.

use super::{Anomaly, Clock, Decision, Draft, Followed, Previous, Reason, Recogniser, Rule, Verdict};
use crate::millis::Millis;
use crate::recognition::explain::Explanation;
use crate::recognition::sight::Sight;
use crate::rules::{Color, Kind, Piece, Placement, Position, Setup, SquareSet};

impl Recogniser {
    pub(super) fn decide(&mut self, now: Millis, decision: Decision) -> Verdict {
        // What was expected behind this ply still is; anything else is expected of another position.
        let mut expected = std::mem::take(&mut self.expected);
        if let Decision::Ply(explanation, _) = &decision
            && expected.first() == Some(&explanation.plies[0])
        {
            expected.remove(0);
            self.expected = expected;
        }
        match decision {
            Decision::Ply(explanation, rule) => self.publish(now, &explanation, rule),
            Decision::Back(previous, others) => {
                // The other plies have been pressed for already.
                let before = self.presses.len().saturating_sub(others);
                let verdict = self.take_up(previous.position, self.plies - 1, before, Reason::TakenBack);
                self.since = previous.since;
                verdict
            }
            Decision::Resume(snapshot, position) => {
                let plies = self.plies_after_gap(snapshot.presses, position.turn());
                let verdict = self.take_up(position, plies, snapshot.presses, Reason::IllegalMove);
                self.since = snapshot.at;
                verdict
            }
            Decision::Setup(position, reason) => self.set_up_what_is_seen(position, reason),
        }
    }

    fn publish(&mut self, now: Millis, explanation: &Explanation, rule: Rule) -> Verdict {
        let ply = explanation.plies[0].clone();
        let before = self.base;
        let plies = explanation.plies.len();
        let believed = self.is_pressed(explanation) || self.is_believed(explanation);
        let press = self.presses.publish(plies, before.turn(), self.clock == Clock::Running);
        self.previous = Some(Previous { position: before, ply: ply.clone(), since: self.since });
        self.base = before.play(&ply);
        self.plies += 1;
        self.unpressed_run = if believed { 0 } else { self.unpressed_run + 1 };
        self.revision += 1;
        self.followed = Followed { generation: self.evidence.generation(), left: plies - 1, believed };
        let (left, odd) = if plies == 1 {
            (explanation.left, explanation.odd)
        } else {
            (explanation.left & ply.captured(), SquareSet::EMPTY)
        };
        for square in left | odd {
            let captured = left.contains(square);
            self.anomalies.push(Anomaly { square, at: now, plies: self.plies, captured });
        }
        Verdict::Ply { before, ply, press: press.map(|press| press.id), rule, explained: plies }
    }

    /// To set up what is seen, from some time on; `None`: it is no position of this game, and the board stays in doubt.
    pub(super) fn setup(&self, ready_at: Millis, reason: Reason) -> Option<Draft> {
        let position = self.position_of(&self.in_play(self.sight()), self.presses.turn())?;
        Some(Draft { ready_at, decision: Decision::Setup(position, reason) })
    }

    /// What a sight shows of the game: pieces that flicker stand, and captured ones that nobody took off do not count.
    pub(super) fn in_play(&self, sight: &Sight) -> Sight {
        let mut sight = self.evidence.steady(sight);
        self.leftovers().into_iter().for_each(|square| sight.put(square, None));
        sight
    }

    /// Where captured pieces stand that nobody took off.
    pub(super) fn leftovers(&self) -> SquareSet {
        self.anomalies.iter().filter(|anomaly| anomaly.captured).map(|anomaly| anomaly.square).collect()
    }

    fn set_up_what_is_seen(&mut self, position: Position, reason: Reason) -> Verdict {
        let presses = self.presses.len();
        let plies = if reason == Reason::Anomaly && position.turn() == self.base.turn() {
            self.plies
        } else {
            self.plies_after_gap(presses, position.turn())
        };
        self.take_up(position, plies, presses, reason)
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
        self.base = position;
        self.plies = plies;
        self.previous = None;
        self.since = self.evidence.moment();
        self.let_go = None;
        // A captured piece that stood in the way of nothing is still to be taken off.
        let wrong = self.evidence.contradictions(self.base.placement());
        self.anomalies.retain(|anomaly| anomaly.captured && wrong.contains(anomaly.square));
        self.snapshots.clear();
        self.unpressed_run = 0;
        self.gap = false;
        self.unexplained_since = None;
        self.followed = Followed::NOTHING;
        self.revision += 1;
        Verdict::Setup { position, plies, press: last.map(|press| press.id), reason }
    }

    /// The position that a sight shows: kinds from memory where a piece has not moved, by the rules elsewhere, and after a gap
    /// by their codes, if those have told kings from men.
    pub(super) fn position_of(&self, sight: &Sight, turn: Option<Color>) -> Option<Position> {
        let known = self.base.placement();
        let geometry = &self.base.variant().geometry;
        let new = sight.differs_from_placement(known);
        let turn = turn.unwrap_or_else(|| {
            let arrived = |color: Color| (sight.of(color) & new).len();
            match arrived(Color::White).cmp(&arrived(Color::Black)) {
                std::cmp::Ordering::Greater => Color::Black,
                std::cmp::Ordering::Less => Color::White,
                std::cmp::Ordering::Equal => self.base.turn(),
            }
        });
        let mut placement = Placement::EMPTY;
        for color in Color::BOTH {
            let vanished_kings = known.kings_of(color) - sight.of(color);
            let arrivals = sight.of(color) & new;
            for square in sight.of(color) {
                let was_king = !new.contains(square) && known.kings().contains(square);
                let moved_king = arrivals.len() == 1 && vanished_kings.len() == 1 && arrivals.contains(square);
                let on_crowning_row = geometry.home_row(!color).contains(square);
                let reads_king = sight.crowned().contains(square);
                let king = on_crowning_row
                    || match self.tells_kings {
                        // Nobody saw which pieces went where; what the set tells of them is all there is.
                        Some(true) if self.gap => reads_king,
                        _ => was_king || moved_king || (reads_king && (self.gap || new.contains(square))),
                    };
                let kind = if king { Kind::King } else { Kind::Man };
                placement.put(square, Some(Piece { color, kind }));
            }
        }
        Position::new(self.base.variant(), Setup { placement, turn }).ok()
    }
}
