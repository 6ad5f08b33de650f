//! What is done when nothing legal explains the board: the ways back to a known position.

use super::{Anomaly, Clock, Decision, Draft, Reason, Recogniser, Snapshot};
use crate::millis::Millis;
use crate::recognition::explain::{Question, explain_within};
use crate::rules::{Color, Position, SquareSet};

/// Unexplained placements that are remembered in case a legal reply follows.
const MOST_SNAPSHOTS: usize = 4;
/// More wrong squares than this are a board in chaos, not a move.
const CHAOS_SQUARES: usize = 8;
/// Presses after which an unexplained board is judged quickly: play goes on, so it will not explain itself.
const MANY_PRESSES: usize = 4;

impl Recogniser {
    /// Nothing legal explains the board.
    pub(super) fn unexplained(&mut self, now: Millis) -> Option<Draft> {
        let last_change = self.evidence.last_change();
        if self.unexplained_since.is_none() {
            self.unexplained_since = Some(now);
        }
        let draft = self.change_of_mind().or_else(|| self.resumption()).or_else(|| self.lost_thread());
        self.take_snapshot(now, last_change);
        self.seek_readings(now);
        draft
    }

    /// The side that moved last has put its move back, or replaced it by another.
    fn change_of_mind(&self) -> Option<Draft> {
        const REPLACED_MS: u64 = 1_500;
        const PUT_BACK_MS: u64 = 6_000;
        let previous = self.previous.clone()?;
        if self.evidence.moment() <= previous.at {
            return None;
        }
        let clockless = self.clock == Clock::None;
        let anomalous = self.anomalous();
        let matches = |position: &Position| (self.evidence.contradictions(position.placement()) - anomalous).is_empty();
        let wait = if matches(&previous.position) {
            if !clockless && self.presses.turn() != Some(previous.position.turn()) {
                return None;
            }
            PUT_BACK_MS
        } else {
            let legal = previous.position.legal_moves();
            let mut others = legal.iter().filter(|ply| **ply != previous.ply);
            others.find(|ply| matches(&previous.position.play(ply)))?;
            if !clockless && self.presses.turn() != Some(self.base.turn()) {
                return None;
            }
            if clockless { self.settings.no_clock_ms } else { REPLACED_MS }
        };
        Some(Draft { ready_at: self.confirmed_at(wait), decision: Decision::Back(previous) })
    }

    /// A legal reply to a position that was not explained: what went before stands.
    fn resumption(&self) -> Option<Draft> {
        const MOST_REPLIES: usize = 2;
        for snapshot in &self.snapshots {
            let Some(position) = self.position_of(&snapshot.sight, snapshot.turn) else { continue };
            let question = Question {
                base: &position,
                evidence: &self.evidence,
                since: snapshot.at,
                anomalies: SquareSet::EMPTY,
                presses: self.presses.len().saturating_sub(snapshot.presses),
                press_missing: false,
            };
            let replies = explain_within(&question, MOST_REPLIES);
            let Some(reply) = replies.iter().find(|reply| reply.is_exact()) else { continue };
            let pressed = question.presses > 0;
            let wait = match self.clock {
                Clock::None => self.settings.no_clock_ms,
                _ if pressed || reply.plies.len() == 2 => self.settings.settle_ms,
                _ => self.settings.answered_ms,
            };
            return Some(Draft { ready_at: self.confirmed_at(wait), decision: Decision::Resume(snapshot.clone()) });
        }
        None
    }

    /// The board has been unexplained for so long that what it shows is taken as it is.
    fn lost_thread(&self) -> Option<Draft> {
        const PLAY_GOES_ON_MS: u64 = 2_000;
        const CHAOS_PLAY_GOES_ON_MS: u64 = 6_000;
        const OFTEN_UNEXPLAINED: u32 = 4;
        /// More wrong squares than one odd move leaves, and nobody presses: analysis, not play.
        const UNPRESSED_SQUARES: usize = 4;
        let settings = &self.settings;
        let presses = self.presses.len();
        let chaos = self.is_chaos();
        if self.plies == 0 {
            // Before the first move pieces are still being set up.
            return None;
        }
        let wait = match self.clock {
            Clock::None if chaos => return None,
            Clock::None if self.unexplained_sights >= OFTEN_UNEXPLAINED => settings.out_of_step_ms,
            Clock::None => settings.unexplained_no_clock_ms,
            _ if presses == 0 && (chaos || self.wrong().len() > UNPRESSED_SQUARES) => return None,
            _ if chaos && presses >= MANY_PRESSES => CHAOS_PLAY_GOES_ON_MS,
            _ if chaos => settings.chaos_ms,
            _ if presses >= MANY_PRESSES => PLAY_GOES_ON_MS,
            _ if presses > 0 => settings.unexplained_ms,
            _ => settings.unexplained_unpressed_ms,
        };
        let last_press = self.presses.last_at().unwrap_or_default();
        let ready_at = self.confirmed_at(wait).max(last_press + Millis(wait));
        Some(Draft { ready_at, decision: Decision::Setup(Reason::Unexplained) })
    }

    /// Pieces knocked over or being set up anew: a colour has more pieces than it can have, or much is wrong.
    fn is_chaos(&self) -> bool {
        let gained = |color: Color| self.sight().of(color).len() > self.base.placement().of(color).len();
        Color::BOTH.into_iter().any(gained) || self.wrong().len() > CHAOS_SQUARES
    }

    fn take_snapshot(&mut self, now: Millis, last_change: Millis) {
        const STANDS_MS: u64 = 1_000;
        let given_up = !self.presses.is_empty() || self.clock == Clock::None;
        let wait = if self.presses.len() >= MANY_PRESSES { self.settings.settle_ms } else { STANDS_MS };
        let stands_at = last_change + Millis(wait);
        if !given_up || (self.presses.is_empty() && self.is_chaos()) {
            return;
        }
        if now < stands_at || !self.confirmed {
            self.wake_at(now, Some(stands_at));
            return;
        }
        let sight = *self.sight();
        let (turn, presses) = (self.presses.turn(), self.presses.len());
        let known = |snapshot: &&mut Snapshot| snapshot.sight.differs_from(&sight).is_empty();
        if let Some(snapshot) = self.snapshots.iter_mut().find(known) {
            // Pressed again with nothing moved: a ply that left no trace on the board.
            (snapshot.turn, snapshot.presses, snapshot.at) = (turn, presses, self.evidence.moment());
            return;
        }
        if self.snapshots.len() == MOST_SNAPSHOTS {
            self.snapshots.remove(0);
        }
        self.unexplained_sights += 1;
        let at = self.evidence.moment();
        self.snapshots.push(Snapshot { sight, at, turn, presses });
    }

    /// A piece too many or too few that has stood so through several plies is real. A captured piece that was forgotten on
    /// the board is not: somebody will take it off.
    pub(super) fn stale_anomaly(&self) -> Option<Draft> {
        const PLIES: u32 = 4;
        const SPAN: Millis = Millis::seconds(60);
        if self.clock != Clock::Running {
            return None;
        }
        let stale = |anomaly: &&Anomaly| !anomaly.captured && self.plies >= anomaly.plies + PLIES;
        let oldest = self.anomalies.iter().filter(stale).map(|anomaly| anomaly.at);
        let ready_at = (oldest.min()? + SPAN).max(self.confirmed_at(self.settings.settle_ms));
        Some(Draft { ready_at, decision: Decision::Setup(Reason::Anomaly) })
    }
}
