//! What is done when nothing legal explains the board: the ways back to a known position.

use super::{Anomaly, Clock, Decision, Draft, INCREDIBLE, Reason, Recogniser, Rule, Snapshot};
use crate::millis::Millis;
use crate::recognition::chronology::Chronology;
use crate::recognition::explain::{DEEPEST, Explanation, MOST_WORK, Question, explain};
use crate::rules::{Color, SquareSet};

/// Unexplained placements that are remembered in case a legal reply follows.
const MOST_SNAPSHOTS: usize = 4;
/// More wrong squares than this are a board in chaos, not a move.
const CHAOS_SQUARES: usize = 8;
/// The work of one of the searches that look for something else than legal plies.
const WORK: u32 = MOST_WORK / 4;
/// The same for a reply to one position, and for all replies: there are up to sixteen positions to reply to.
const REPLY_WORK: u32 = MOST_WORK / 16;
const REPLIES_WORK: u32 = MOST_WORK / 2;
/// Presses after which an unexplained board is judged quickly: play goes on, so it will not explain itself.
const MANY_PRESSES: usize = 4;

impl Recogniser {
    /// Keeps account of how long nothing legal has explained the board.
    pub(super) fn note_unexplained(&mut self, now: Millis, explained: bool) {
        if explained {
            self.unexplained_since = None;
        } else {
            self.unexplained_since = self.unexplained_since.or(Some(now));
            self.take_snapshot(now, self.evidence.last_change());
            self.seek_readings(now);
        }
    }

    /// What may have happened if not legal plies alone, with its likelihood in hundredths of the natural logarithm of odds.
    pub(super) fn otherwise(&mut self) -> Option<(i32, Draft)> {
        let (mut work, mut replies_work) = (WORK, REPLIES_WORK);
        let readings = [self.change_of_mind(&mut work), self.resumption(&mut replies_work)];
        self.effort.spend(WORK - work + REPLIES_WORK - replies_work);
        readings.into_iter().flatten().max_by_key(|(score, _)| *score)
    }

    /// The side that moved last has put its move back, or replaced it by another.
    fn change_of_mind(&self, work: &mut u32) -> Option<(i32, Draft)> {
        const REPLACED_MS: u64 = 1_500;
        const PUT_BACK_MS: u64 = 6_000;
        /// How likely it is that a move is taken back, or was believed too early.
        const TAKEN_BACK: i32 = -500;
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
            let decision = Decision::Back(previous, 0);
            return lever_back.then(|| (TAKEN_BACK, Draft { ready_at: self.confirmed_at(PUT_BACK_MS), decision }));
        }
        let question = Question {
            base: &previous.position,
            evidence: &self.evidence,
            since: previous.since,
            anomalies: self.anomalous(),
            presses: None,
            press_missing: false,
            gap: false,
        };
        let others = explain(&question, DEEPEST, work);
        let other = others.iter().find(|other| other.is_exact() && other.plies[0] != previous.ply)?;
        let plies = other.plies.len();
        let next = if plies.is_multiple_of(2) { previous.position.turn() } else { self.base.turn() };
        if !clockless && self.presses.turn() != Some(next) {
            return None;
        }
        let wait = match plies {
            // A hand that is not done looks like many things.
            _ if clockless => self.settings.no_clock_ms,
            1 => REPLACED_MS,
            _ => self.settings.settle_ms,
        };
        let draft = Draft { ready_at: self.confirmed_at(wait), decision: Decision::Back(previous, plies) };
        Some((TAKEN_BACK + other.score, draft))
    }

    /// A legal reply to a position that was not explained: what went before stands.
    fn resumption(&self, work: &mut u32) -> Option<(i32, Draft)> {
        /// A reply of more plies than this may be an accident.
        const MOST_PLIES: usize = 3;
        /// How likely it is that an illegal move stands.
        const STANDS: i32 = -500;
        let clockless = self.clock == Clock::None;
        let standing = self.standing_at_presses();
        let candidates = standing.iter().chain(&self.snapshots);
        let replies = candidates.filter_map(|snapshot| {
            let position = self.position_of(&snapshot.sight, snapshot.turn)?;
            let question = Question {
                base: &position,
                evidence: &self.evidence,
                since: snapshot.at,
                anomalies: SquareSet::EMPTY,
                presses: (!clockless).then_some(self.presses.len().saturating_sub(snapshot.presses)),
                press_missing: false,
                gap: false,
            };
            let share = REPLY_WORK.min(*work);
            let mut left = share;
            let replies = explain(&question, MOST_PLIES, &mut left);
            *work -= share - left;
            let reply = replies.into_iter().find(|reply| reply.is_exact())?;
            Some((reply, snapshot, position))
        });
        // Of positions that explain as well the earliest: it hides least.
        let likelihood = |reply: &Explanation, snapshot: &Snapshot| (reply.score, std::cmp::Reverse(snapshot.at));
        let (reply, snapshot, position) = replies.max_by_key(|(reply, snapshot, _)| likelihood(reply, snapshot))?;
        let pressed = self.presses.len() > snapshot.presses;
        if reply.score < INCREDIBLE {
            return None;
        }
        let wait = match self.clock {
            // A single move that happens to be legal may be analysis.
            Clock::None if reply.plies.len() < 2 => return None,
            Clock::None => self.settings.no_clock_answered_ms,
            _ if pressed || reply.plies.len() >= 2 => self.settings.settle_ms,
            _ => self.settings.answered_ms,
        };
        let decision = match self.legal_before(snapshot) {
            Some(legal) => Decision::Ply(legal, Rule::Answered),
            None => Decision::Resume(snapshot.clone(), position),
        };
        Some((STANDS + reply.score, Draft { ready_at: self.confirmed_at(wait), decision }))
    }

    /// The legal ply that was played and pressed before the illegal one, if two presses brought a position about.
    fn legal_before(&self, snapshot: &Snapshot) -> Option<Explanation> {
        if snapshot.presses != 2 {
            return None;
        }
        let chronology = Chronology::new(&self.evidence, self.since);
        if self.gap || !chronology.untold().is_empty() {
            return None;
        }
        let touched = self.evidence.touched_since(self.since);
        let legal = self.base.legal_moves_within(&mut WORK.clone())?;
        let mut played = legal.iter().filter(|ply| touched.contains(ply.from()) && touched.contains(ply.to()));
        let ply = played.find(|ply| chronology.shows_after(&self.base, ply, snapshot.at, self.anomalous()))?;
        let plies = vec![ply.clone()];
        Some(Explanation { plies, left: SquareSet::EMPTY, odd: SquareSet::EMPTY, score: 0 })
    }

    /// What stood on the board when the lever was pressed: one of these is the position that was given up.
    fn standing_at_presses(&self) -> Vec<Snapshot> {
        /// A press is heard of this much later at the most.
        const LAG: Millis = Millis(1_000);
        const MOST_PRESSES: usize = 4;
        const MOST_SIGHTS: usize = 3;
        let Some(turn) = self.presses.turn().filter(|_| !self.gap) else { return Vec::new() };
        let chronology = Chronology::new(&self.evidence, self.since);
        let count = self.presses.len();
        let mut standing = Vec::new();
        for (index, at) in self.presses.times().enumerate().skip(count.saturating_sub(MOST_PRESSES)) {
            let presses = index + 1;
            let turn = if (count - presses).is_multiple_of(2) { turn } else { !turn };
            for (sight, at) in chronology.standing_before(at, LAG, MOST_SIGHTS) {
                let sight = self.evidence.steady(&sight);
                let gained = |color: Color| sight.of(color).len() > self.base.placement().of(color).len();
                let wrong = sight.differs_from_placement(self.base.placement()).len();
                if (1..=CHAOS_SQUARES).contains(&wrong) && !Color::BOTH.into_iter().any(gained) {
                    standing.push(Snapshot { sight, at, turn: Some(turn), presses });
                }
            }
        }
        standing
    }

    /// The board has been unexplained for so long that what it shows is taken as it is, if it can be.
    pub(super) fn lost_thread(&self) -> Option<Draft> {
        const PLAY_GOES_ON_MS: u64 = 2_000;
        const CHAOS_PLAY_GOES_ON_MS: u64 = 6_000;
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
            Clock::None => settings.unexplained_no_clock_ms,
            _ if self.gap && !self.has_gained() => return self.setup(self.given_up_at(), Reason::Unexplained),
            _ if presses == 0 && (chaos || self.wrong().len() > UNPRESSED_SQUARES) => return None,
            _ if chaos && presses >= MANY_PRESSES => CHAOS_PLAY_GOES_ON_MS,
            _ if chaos => settings.chaos_ms,
            _ if presses >= MANY_PRESSES => PLAY_GOES_ON_MS,
            _ if presses > 0 => settings.unexplained_ms,
            _ => settings.unexplained_unpressed_ms,
        };
        let last_press = self.presses.last_at().unwrap_or_default();
        let ready_at = self.confirmed_at(wait).max(last_press + Millis(wait));
        self.setup(ready_at, Reason::Unexplained)
    }

    /// When a position that is seen after a gap is one that somebody has given up to his opponent: then it is as good as a guess
    /// of how it came about. A ply may have landed that will be pressed for in a moment; until then the lever tells the wrong
    /// side to be to move.
    pub(super) fn given_up_at(&self) -> Millis {
        const PRESSED_MS: u64 = 1_000;
        let changed = self.evidence.last_change();
        let pressed = self.presses.last().filter(|press| press.at >= changed && Some(press.id) != self.found_press);
        match pressed.map(|press| press.at) {
            Some(pressed) => self.confirmed_at(PRESSED_MS).max(pressed + Millis(PRESSED_MS)),
            None if self.clock == Clock::None => self.confirmed_at(PRESSED_MS),
            None => self.confirmed_at(self.settings.unpressed_ms),
        }
    }

    /// Pieces knocked over or being set up anew: a colour has more pieces than it can have, or much is wrong.
    pub(super) fn is_chaos(&self) -> bool {
        /// More pieces than this are not lost by a move, unless it takes many.
        const MOST_LOST: usize = 2;
        let wrong = self.wrong();
        let missing = (wrong & self.base.placement().occupied()).len();
        let moved = wrong.len() - missing;
        self.has_gained() || wrong.len() > CHAOS_SQUARES || missing > moved + MOST_LOST
    }

    fn has_gained(&self) -> bool {
        let gained = |color: Color| self.sight().of(color).len() > self.base.placement().of(color).len();
        Color::BOTH.into_iter().any(gained)
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
        let sight = self.evidence.steady(self.sight());
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
        self.setup(ready_at, Reason::Anomaly)
    }
}
