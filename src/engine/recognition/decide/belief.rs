//! When an explanation is believed: what its evidence asks of the quiet on the board.

use super::{Clock, Decision, Draft, Reason, Recogniser, Rule};
use crate::engine::millis::Millis;
use crate::engine::recognition::Wait;
use crate::engine::recognition::evidence::squares::{Change, Moment};
use crate::engine::recognition::measures::{counts, times, weights};
use crate::engine::recognition::search::explain::Explanation;
use draughts::{Move, Position, Square, SquareSet};

impl Recogniser {
    /// A wrong square is only excused once the player has given the ply up.
    pub(super) fn may_be_odd(&self, explanation: &Explanation) -> bool {
        explanation.odd.is_empty() || !self.presses.is_empty() || explanation.plies.len() >= 2
    }

    /// What was complete when the clock stopped, and nothing else.
    pub(super) fn before_stop(&mut self, now: Millis, stopped: Millis) -> Option<Draft> {
        let complete = self.evidence.last_change() <= stopped;
        if !complete || now > stopped + Millis(self.settings.stopped_ms) {
            return None;
        }
        let Some(best) = self.explanations().first().cloned() else {
            if let Some((_, draft)) = self.otherwise() {
                return Some(Draft { ready_at: draft.ready_at.min(self.confirmed_at(times::STANDS.0)), ..draft });
            }
            // Nobody will reply to an illegal move any more: it was pressed for, and stands.
            let stands = !self.presses.is_empty() && !self.is_chaos();
            let ready_at = self.confirmed_at(times::STANDS.0);
            return if stands { self.setup(ready_at, Reason::IllegalMove) } else { None };
        };
        let is_pressed = self.is_pressed(&best) || self.is_believed(&best);
        if !best.odd.is_empty() || (best.plies.len() > counts::PLIES_BEFORE_STOP && !self.is_pressed(&best)) {
            return None;
        }
        // Who sees that pieces were knocked over stops the clock.
        if !is_pressed && self.is_put_back_among_others(&best.plies) {
            return None;
        }
        Some(self.ready_after((self.settings.settle_ms, Wait::Quiet), Decision::Ply(best, Rule::BeforeStop)))
    }

    /// How long the best explanation must stand before its first ply is believed.
    pub(super) fn explained(&self, best: &Explanation, all: &[Explanation]) -> Option<Draft> {
        let settings = &self.settings;
        let answered = best.plies.len() >= 2;
        if self.is_start_assumed && self.plies == 0 && !answered {
            return None;
        }
        if self.gap && best.plies.len() > counts::MOST_HIDDEN {
            return self.setup(self.given_up_at(), Reason::Unexplained);
        }
        let pressed = self.is_pressed(best) || self.is_believed(best);
        let (rule, wait, waits) = match self.clock {
            Clock::None if answered => (Rule::Answered, settings.no_clock_answered_ms, Wait::Quiet),
            Clock::None if !best.plies[0].captured().is_empty() && best.left.is_empty() => {
                (Rule::NoClock, settings.no_clock_ms.min(times::CLEARED_MS), Wait::Quiet)
            }
            Clock::None => (Rule::NoClock, settings.no_clock_ms, Wait::Quiet),
            _ if pressed => (if answered { Rule::Answered } else { Rule::Pressed }, settings.settle_ms, Wait::Quiet),
            _ if answered => (Rule::Answered, settings.answered_ms, Wait::Press),
            _ if self.presses.is_missing() => (Rule::Unpressed, settings.out_of_step_ms, Wait::Press),
            _ => (Rule::Unpressed, settings.unpressed_ms, Wait::Press),
        };
        let mut wait = (wait, waits);
        if !best.left.is_empty() {
            let blemish = if answered { times::BLEMISH_ANSWERED_MS } else { settings.left_ms };
            wait = longer(wait, (blemish, Wait::Blemish));
        }
        if !best.odd.is_empty() {
            let blemish = if answered { times::BLEMISH_ANSWERED_MS } else { settings.odd_ms };
            wait = longer(wait, (blemish, Wait::Blemish));
            if !self.confirmed && self.trusts_reports {
                // A report may be lost, and no dump will tell.
                wait.0 += settings.unconfirmed_ms;
            }
        }
        if best.score < weights::CREDIBLE {
            let unlikely = if self.clock == Clock::None { settings.left_ms } else { times::UNLIKELY_MS };
            wait = longer(wait, (unlikely, Wait::Quiet));
        }
        let first = &best.plies[0];
        let contradicts = |rival: &&Explanation| {
            if self.gap {
                // Which plies are hidden is doubtful as a whole.
                return !rival.plies.starts_with(&best.plies) && !best.plies.starts_with(&rival.plies);
            }
            rival.plies[0] != *first
        };
        let rival = all.iter().find(contradicts);
        if let Some(rival) = rival.filter(|rival| best.score - rival.score < weights::AMBIGUOUS) {
            let same_ends = !self.gap && rival.plies[0].from() == first.from() && rival.plies[0].to() == first.to();
            if same_ends {
                // Which pieces were taken is not visible yet; the hands will show.
                return None;
            }
            if self.gap {
                return self.setup(self.given_up_at(), Reason::Unexplained);
            }
            wait = longer(wait, (settings.ambiguous_ms, Wait::NextMove));
        }
        if !pressed && self.is_put_back_among_others(&best.plies) {
            wait = match (self.clock, best.plies.len()) {
                // Nobody can press, and a hand that puts pieces back may also reply to its own mistake.
                (Clock::None, 1) => longer(wait, (settings.chaos_ms, Wait::NextMove)),
                (Clock::None, 2) => longer(wait, (settings.no_clock_ms, Wait::Quiet)),
                (Clock::None, _) => wait,
                // Whoever has truly moved presses, or his opponent answers and presses.
                _ => return None,
            };
        }
        if self.clock != Clock::None && !pressed {
            // Several plies in a row without a press: analysis on the board while the clock runs.
            wait = match self.unpressed_run {
                0 => wait,
                1 => longer(wait, (settings.unpressed_ms, Wait::Press)),
                _ => longer(wait, (times::ANALYSIS_MS, Wait::Press)),
            };
        }
        Some(self.ready_after(wait, Decision::Ply(best.clone(), rule)))
    }

    /// The ply that was given up if this piece is lifted now, on a board without a clock: it has stood complete, and who still
    /// thinks about it has that piece in mind, not another.
    pub(super) fn let_go_by(&self, now: Millis, lifted: Square) -> Option<Explanation> {
        let (key, found) = self.known.as_ref()?;
        let stands = self.is_confirmed() && self.linked && now >= self.evidence.last_change() + times::STANDS;
        if self.clock != Clock::None || !stands || *key != self.key() || self.gap {
            return None;
        }
        let best = found.first()?;
        let is_sure = best.plies.len() == 1 && best.is_exact() && best.score >= weights::CREDIBLE;
        let rival = found.iter().find(|rival| rival.plies[0] != best.plies[0]);
        let is_clear = rival.is_none_or(|rival| best.score - rival.score >= weights::AMBIGUOUS);
        // Another piece than this ply's, and none that a longer capture between the same squares takes.
        let is_longer = |rival: &Explanation| {
            let (ply, rival) = (&best.plies[0], &rival.plies[0]);
            (rival.from(), rival.to()) == (ply.from(), ply.to()) && rival.captured().contains(lifted)
        };
        let other = best.plies[0].to() != lifted && !found.iter().any(is_longer);
        let other = other && self.evidence.stands_firmly(now, lifted) && !self.is_put_back_among_others(&best.plies);
        (is_sure && is_clear && other).then(|| best.clone())
    }

    /// Were several pieces of a position away at one time since a moment, besides those on squares that are excused, although
    /// nothing has played them?
    pub(super) fn is_disturbed(&self, position: &Position, since: Moment, excused: SquareSet) -> bool {
        self.away_since(position, since, excused).any(|(_, away)| away.len() > counts::MOST_AWAY)
    }

    /// Were several pieces away while that of the first ply was in the air? Then it may have fallen with them, and stand where
    /// it was put back wrongly.
    fn is_put_back_among_others(&self, plies: &[Move]) -> bool {
        let Some(ply) = plies.first() else { return false };
        let played = plies.iter().fold(SquareSet::EMPTY, |played, ply| played | ply.squares());
        let mover = Some(self.base.turn());
        let (mut in_air, mut among_others) = (false, false);
        for (change, away) in self.away_since(&self.base, self.since, self.passed | played) {
            let stands = change.after == mover;
            if change.square == ply.from() && !stands {
                (in_air, among_others) = (true, false);
            }
            among_others |= in_air && away.len() > counts::MOST_AWAY;
            in_air &= !(stands && [ply.from(), ply.to()].contains(&change.square));
        }
        among_others
    }

    /// After each change since a moment, the pieces of a position that are away, besides those on squares that are excused.
    fn away_since(
        &self,
        position: &Position,
        since: Moment,
        excused: SquareSet,
    ) -> impl Iterator<Item = (&Change, SquareSet)> {
        let placement = *position.placement();
        let doubtful =
            (0..Square::MAX_COUNT as u8).map(Square::new).filter(|&square| self.evidence.is_flickering(square));
        let watched = placement.occupied() - excused - self.anomalous() - doubtful.collect();
        self.evidence.changes_since(since).scan(SquareSet::EMPTY, move |away, change| {
            if watched.contains(change.square) {
                if change.after == placement.color(change.square) {
                    away.remove(change.square);
                } else {
                    away.insert(change.square);
                }
            }
            Some((change, *away))
        })
    }

    /// Is this the rest of an explanation that a press has confirmed? Presses may be fewer than plies: who forgets to press
    /// leaves the opponent nothing to press either. The last ply counts only if the lever has left its player.
    pub(super) fn is_believed(&self, best: &Explanation) -> bool {
        let rest = self.followed;
        let same = rest.believed && rest.generation == self.evidence.generation() && rest.left == best.count();
        same && (best.count() >= 2 || self.presses.turn() == Some(!self.base.turn()))
    }

    /// Has the player of the first ply given it up by pressing?
    pub(super) fn is_pressed(&self, best: &Explanation) -> bool {
        let plies = best.count();
        !self.presses.is_empty() && (plies >= 2 || self.presses.complete(plies, self.base.turn()))
    }

    /// What would be published after a span of quiet, and what is waited for meanwhile.
    pub(super) fn ready_after(&self, (wait, waits): (u64, Wait), decision: Decision) -> Draft {
        let waits = if self.is_confirmed() { waits } else { Wait::Dump };
        Draft { ready_at: self.confirmed_at(wait), waits, decision }
    }

    /// When the board will have been quiet for a span, and known from a dump or at least from silence.
    pub(super) fn confirmed_at(&self, wait: u64) -> Millis {
        let doubt = if self.is_confirmed() { 0 } else { self.settings.unconfirmed_ms };
        self.evidence.last_change() + Millis(wait + doubt)
    }
}

/// The longer of two waits; of those that are as long the first.
pub(super) fn longer(one: (u64, Wait), other: (u64, Wait)) -> (u64, Wait) {
    if other.0 > one.0 { other } else { one }
}
