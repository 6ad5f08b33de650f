//! What is done when nothing legal explains the board: the ways back to a known position.

use super::{Anomaly, Clock, Decision, Doubtful, Draft, Previous, Reason, Recogniser};
use crate::engine::millis::Millis;
use crate::engine::recognition::Wait;
use crate::engine::recognition::evidence::squares::Change;
use crate::engine::recognition::measures::{counts, times, weights, work};
use crate::engine::recognition::search::explain::{Explanation, Question, explain};
use draughts::{Color, Move, Position, Setup, SquareSet};

impl Recogniser {
    /// Keeps account of how long nothing legal has explained the board.
    pub(super) fn note_unexplained(&mut self, now: Millis, explained: bool) {
        if explained {
            self.unexplained_since = None;
        } else {
            self.unexplained_since = self.unexplained_since.or(Some(now));
            self.take_snapshot(now);
            self.seek_readings(now);
        }
    }

    /// What may have happened if not legal plies alone, with its likelihood in hundredths of the natural logarithm of odds.
    pub(super) fn otherwise(&mut self) -> Option<(i32, Draft)> {
        let (mut work, mut replies_work) = (work::OTHERWISE, work::REPLIES);
        // Of those that are as likely the last: it knows the position, or has seen what it says.
        let amendment = self.amendment(&mut work);
        let readings = [self.resumption(&mut replies_work), self.change_of_mind(&mut work), amendment];
        self.effort.spend(work::OTHERWISE - work + work::REPLIES - replies_work);
        readings.into_iter().flatten().max_by_key(|(score, _)| *score)
    }

    /// The side that moved last has put its move back, or replaced it by another.
    fn change_of_mind(&self, work: &mut u32) -> Option<(i32, Draft)> {
        let previous = self.previous.clone()?;
        // It must be seen to be undone: its piece is back, or no longer where it went. A piece that flickers tells nothing.
        let mover = previous.position.turn();
        let shows = |square| self.sight().color(square) == Some(mover) || self.evidence.is_flickering(square);
        if shows(previous.ply.to()) && self.sight().color(previous.ply.from()) != Some(mover) {
            return None;
        }
        let clockless = self.clock == Clock::None;
        let wrong = self.evidence.contradictions(previous.position.placement()) - self.anomalous();
        if wrong.is_empty() {
            let lever_back = clockless || self.presses.turn() == Some(previous.position.turn());
            let wait = self.when_disturbed(times::PUT_BACK_MS, &previous, &[]);
            let decision = Decision::Back(previous, 0);
            return lever_back.then(|| (weights::TAKEN_BACK, self.ready_after((wait, Wait::Quiet), decision)));
        }
        let question = Question {
            base: &previous.position,
            evidence: &self.evidence,
            since: previous.since,
            passed: previous.passed,
            anomalies: self.anomalous(),
            presses: None,
            press_missing: false,
            gap: false,
        };
        let others = explain(&question, counts::DEEPEST, work);
        let is_other = |other: &&Explanation| other.is_exact() && other.plies[0] != previous.ply;
        let other =
            others.iter().find(is_other).filter(|other| weights::TAKEN_BACK + other.score >= weights::INCREDIBLE)?;
        let plies = other.plies.len();
        let next = if plies.is_multiple_of(2) { previous.position.turn() } else { self.base.turn() };
        let pressed = clockless || self.presses.turn() == Some(next);
        let wait = match plies {
            _ if !pressed => self.settings.unpressed_ms,
            // A hand that is not done looks like many things.
            _ if clockless => self.settings.no_clock_ms,
            1 => times::REPLACED_MS,
            // Nothing that only a hand in the air makes likely.
            _ if other.score < weights::CREDIBLE => times::REPLACED_MS,
            _ => self.settings.settle_ms,
        };
        let wait = self.when_disturbed(wait, &previous, &other.plies);
        let waits = if pressed { Wait::Quiet } else { Wait::Press };
        let draft = self.ready_after((wait, waits), Decision::Back(previous, plies));
        let press = if pressed { 0 } else { weights::PRESS_FORGOTTEN };
        Some((weights::TAKEN_BACK + press + other.score, draft))
    }

    /// How long to wait where fallen pieces may have been put back so that it looks like another move.
    fn when_disturbed(&self, wait: u64, previous: &Previous, others: &[Move]) -> u64 {
        let played = others.iter().fold(previous.passed | previous.ply.squares(), |played, ply| played | ply.squares());
        let disturbed = self.clock != Clock::None && self.is_disturbed(&previous.position, previous.since, played);
        if disturbed { wait.max(self.settings.chaos_ms) } else { wait }
    }

    /// The setup before was wrong by a square: what was played since is legal if that is as it was before.
    fn amendment(&self, work: &mut u32) -> Option<(i32, Draft)> {
        if self.gap {
            return None;
        }
        let mut readings = Vec::new();
        for Doubtful { square, before } in &self.doubtful {
            let mut placement = *self.base.placement();
            placement.put(*square, *before);
            let turn = self.base.turn();
            let Ok(position) = Position::new(self.base.variant(), Setup { placement, turn }) else { continue };
            let question = Question {
                base: &position,
                anomalies: self.anomalous() | SquareSet::from_iter([*square]),
                ..self.question()
            };
            let found = explain(&question, counts::DEEPEST, work);
            let plays = |found: &&Explanation| {
                let given_up = if self.clock == Clock::None { found.count() >= 2 } else { self.is_pressed(found) };
                given_up && found.is_exact() && found.score >= weights::CREDIBLE
            };
            readings
                .extend(found.iter().find(plays).map(|found| (weights::SETUP_WRONG + found.score, position, *square)));
        }
        let (score, position, square) = readings.into_iter().max_by_key(|(score, ..)| *score)?;
        let wait = (self.settings.odd_ms, Wait::Quiet);
        Some((score, self.ready_after(wait, Decision::Amend(position, square))))
    }

    /// The board has been unexplained for so long that what it shows is taken as it is, if it can be.
    pub(super) fn lost_thread(&self) -> Option<Draft> {
        let settings = &self.settings;
        let presses = self.presses.len();
        let chaos = self.is_chaos();
        if self.plies == 0 {
            // Before the first move pieces are still being set up.
            return None;
        }
        let wait = match self.clock {
            Clock::None if chaos => return None,
            Clock::None => settings.unexplained_no_clock_ms,
            _ if self.gap && !self.has_gained() => return self.setup(self.given_up_at(), Reason::Unexplained),
            _ if presses == 0 && (chaos || self.wrong().len() > counts::UNPRESSED_SQUARES || self.is_analysed()) => {
                return None;
            }
            _ if chaos && self.is_played_on() => times::CHAOS_PLAY_GOES_ON_MS,
            _ if chaos => settings.chaos_ms,
            _ if self.is_played_on() => times::PLAY_GOES_ON_MS,
            _ if presses > 0 => settings.unexplained_ms,
            _ => settings.unexplained_unpressed_ms,
        };
        let last_press = self.presses.last_at().unwrap_or_default();
        let ready_at = self.confirmed_at(wait).max(last_press + Millis(wait));
        self.setup(ready_at, Reason::Unexplained)
    }

    /// Have pieces been put down more often than in a ply and its reply? Without any press that is analysis.
    fn is_analysed(&self) -> bool {
        let changes: Vec<_> = self.evidence.changes_since(self.since).collect();
        let is_put_down = |&(index, change): &(usize, &&Change)| {
            let square = change.square;
            let is_new = change.after.is_some() && change.after != self.base.placement().color(square);
            let gone = changes[index + 1..].iter().find(|later| later.square == square);
            is_new
                && !self.evidence.is_flickering(square)
                && gone.is_none_or(|gone| gone.at >= change.at + times::STANDS)
        };
        changes.iter().enumerate().filter(is_put_down).count() > counts::PUT_DOWN
    }

    /// When a position that is seen after a gap is one that somebody has given up to his opponent: then it is as good as a guess
    /// of how it came about. A ply may have landed that will be pressed for in a moment; until then the lever tells the wrong
    /// side to be to move.
    pub(super) fn given_up_at(&self) -> Millis {
        let changed = self.evidence.last_change();
        let pressed = self.presses.last().filter(|press| press.at >= changed && Some(press.id) != self.found_press);
        match pressed.map(|press| press.at) {
            Some(pressed) => self.confirmed_at(times::STANDS.0).max(pressed + Millis(times::STANDS.0)),
            None if self.clock == Clock::None => self.confirmed_at(times::STANDS.0),
            None => self.confirmed_at(self.settings.unpressed_ms),
        }
    }

    /// Pieces knocked over or being set up anew: a colour has more pieces than it can have, or much is wrong.
    pub(super) fn is_chaos(&self) -> bool {
        let wrong = self.wrong();
        let missing = (wrong & self.base.placement().occupied()).len();
        let moved = wrong.len() - missing;
        self.has_gained() || wrong.len() > counts::CHAOS_SQUARES || missing > moved + counts::MOST_LOST
    }

    fn has_gained(&self) -> bool {
        let gained = |color: Color| self.sight().of(color).len() > self.base.placement().of(color).len();
        Color::BOTH.into_iter().any(gained)
    }

    /// So many presses that play goes on, whatever the board shows.
    pub(super) fn is_played_on(&self) -> bool {
        self.presses.len() >= counts::MANY_PRESSES
    }

    /// A piece too many or too few that has stood so through several plies is real. A captured piece that was forgotten on
    /// the board is not: somebody will take it off.
    pub(super) fn stale_anomaly(&self) -> Option<Draft> {
        if self.clock != Clock::Running {
            return None;
        }
        let stale = |anomaly: &&Anomaly| {
            anomaly.until.is_none() && !anomaly.captured && self.plies >= anomaly.plies + counts::STALE_PLIES
        };
        let oldest = self.anomalies.iter().filter(stale).map(|anomaly| anomaly.at);
        let ready_at = (oldest.min()? + times::STALE_SPAN).max(self.confirmed_at(self.settings.settle_ms));
        self.setup(ready_at, Reason::Anomaly)
    }
}
