//! When an explanation is believed, and what is done when there is none.
//!
//! | what is seen | what is done |
//! |---|---|
//! | the published position | nothing |
//! | one or more legal plies | the first is published after a span of quiet that its evidence asks for ([`Rule`]) |
//! | another move of the side that moved last | it changed its mind: a setup of the position before, then that move |
//! | a legal reply to a position that was not explained | an illegal move stood: a setup of that position, then the reply |
//! | none of these for long | a setup ([`Reason`]) |
//!
//! A ply is published when its player has given it up by pressing the clock, or the opponent has answered it; that is why
//! what is published need not be taken back. With the clock stopped only what was complete before is published: the last
//! ply, and the one before it if nobody pressed for it.

use super::evidence::{Evidence, Moment};
use super::explain::{Explanation, Question, explain};
use super::settings::Settings;
use super::sight::{Seen, Sight};
use crate::millis::Millis;
use crate::rules::{Color, Kind, Move, Piece, Placement, Position, Setup, Square, SquareSet};

/// Unexplained placements that are remembered in case a legal reply follows.
const MOST_SNAPSHOTS: usize = 4;
/// Presses that are remembered while nothing explains the board.
const MOST_PRESSES: usize = 64;
/// More wrong squares than this are a board in chaos, not a move.
const CHAOS_SQUARES: usize = 8;
/// Presses after which an unexplained board is judged quickly: play goes on, so it will not explain itself.
const MANY_PRESSES: usize = 4;

/// The lever press that completed a ply, as numbered by the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PressId(pub u32);

/// What is known of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// No clock is connected, or none has been heard of.
    None,
    /// It stands still since then.
    Stopped {
        /// When it stopped; `None` if it has not run in this game.
        since: Option<Millis>,
    },
    /// A side's time is running.
    Running,
}

/// Why a ply was believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Its player pressed the clock.
    Pressed,
    /// The opponent has replied.
    Answered,
    /// It has stood for long though nobody pressed.
    Unpressed,
    /// It has stood for long on a board without a clock.
    NoClock,
    /// It was complete when the clock stopped.
    BeforeStop,
}

/// Why a setup was necessary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A move that was published has been taken back.
    TakenBack,
    /// A move that is not legal was let stand: the opponent replied to it.
    IllegalMove,
    /// Nothing legal explains the board.
    Unexplained,
    /// A piece too many or too few has stayed so.
    Anomaly,
    /// The operator said so.
    Operator,
}

/// What was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A ply was played.
    Ply {
        /// In this position.
        before: Position,
        /// This move.
        ply: Move,
        /// Completed by this press.
        press: Option<PressId>,
        /// Why it is believed.
        rule: Rule,
        /// How many plies the explanation had of which this is the first.
        explained: usize,
    },
    /// The thread was lost, and this is where it is taken up again.
    Setup {
        /// The position from which play goes on.
        position: Position,
        /// How many plies of the game have passed before it, hidden ones included.
        plies: u32,
        /// The last press before it.
        press: Option<PressId>,
        /// Why it was necessary.
        reason: Reason,
    },
}

#[derive(Clone, Copy, Debug)]
struct Press {
    id: PressId,
    at: Millis,
    /// Whose time runs after it, where the lever's meaning is known.
    turn: Option<Color>,
}

/// A settled placement that nothing explained.
#[derive(Clone, Debug)]
struct Snapshot {
    sight: Sight,
    at: Moment,
    turn: Option<Color>,
    presses: usize,
}

/// The position before the last published ply, while that ply may still be taken back.
#[derive(Clone, Debug)]
struct Previous {
    position: Position,
    ply: Move,
    /// The moment when that ply was published.
    at: Moment,
    /// The moment from which touches counted for it.
    since: Moment,
}

/// A square that differs from the published position for a known reason.
#[derive(Clone, Copy, Debug)]
struct Anomaly {
    square: Square,
    at: Millis,
    plies: u32,
    /// A captured piece that nobody took off; otherwise a piece too many or too few that nothing explains.
    captured: bool,
}

/// The rest of an explanation of several plies, while nothing has moved since its first ply was published.
#[derive(Clone, Copy, Debug)]
struct Followed {
    /// The state of the evidence then.
    generation: u64,
    /// How many plies are left.
    left: usize,
    /// A press was seen: all of them have been given up, but for the last perhaps.
    believed: bool,
}

impl Followed {
    const NOTHING: Followed = Followed { generation: 0, left: usize::MAX, believed: false };
}

/// What would be published, and from when on.
struct Draft {
    ready_at: Millis,
    decision: Decision,
}

enum Decision {
    Ply(Explanation, Rule),
    Back(Previous),
    Resume(Snapshot),
    Setup(Reason),
}

/// The recogniser of one game on one board.
#[derive(Clone, Debug)]
pub struct Recogniser {
    settings: Settings,
    base: Position,
    plies: u32,
    previous: Option<Previous>,
    evidence: Evidence,
    /// Touches before this moment belong to what is published.
    since: Moment,
    anomalies: Vec<Anomaly>,
    presses: Vec<Press>,
    lever: Option<Color>,
    /// The player of the last published ply has not pressed yet.
    press_missing: bool,
    /// Plies published in a row without a press.
    unpressed_run: u32,
    clock: Clock,
    /// Has a whole dump shown what is seen?
    confirmed: bool,
    /// When the last dump came.
    dumped_at: Millis,
    snapshots: Vec<Snapshot>,
    unexplained_since: Option<Millis>,
    unexplained_sights: u32,
    linked: bool,
    /// What is left of the explanation whose first ply was published last.
    followed: Followed,
    revision: u64,
    known: Option<((u64, u64), Vec<Explanation>)>,
    next: Option<Millis>,
}

impl Recogniser {
    /// A game that stands at a position, `plies` plies after its start, on a board that shows a sight.
    pub fn new(
        position: Position,
        plies: u32,
        sight: Sight,
        clock: Clock,
        now: Millis,
        settings: Settings,
    ) -> Recogniser {
        let evidence = Evidence::new(sight, now);
        Recogniser {
            settings,
            base: position,
            plies,
            previous: None,
            since: evidence.moment(),
            evidence,
            anomalies: Vec::new(),
            presses: Vec::new(),
            lever: None,
            press_missing: false,
            unpressed_run: 0,
            clock,
            confirmed: true,
            dumped_at: now,
            snapshots: Vec::new(),
            unexplained_since: None,
            unexplained_sights: 0,
            linked: true,
            followed: Followed::NOTHING,
            revision: 0,
            known: None,
            next: None,
        }
    }

    /// The position after the last published entry.
    pub fn position(&self) -> &Position {
        &self.base
    }

    /// Plies of the game so far, hidden ones included.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// What is seen on the squares.
    pub fn sight(&self) -> &Sight {
        self.evidence.sight()
    }

    /// Since when nothing legal explains the board though no hand is on it, and the squares that differ from the published
    /// position.
    pub fn doubt(&self) -> Option<(Millis, SquareSet)> {
        let since = self.unexplained_since?.max(self.evidence.last_change());
        Some((since, self.wrong()))
    }

    /// A board reported one square.
    pub fn see(&mut self, now: Millis, square: Square, seen: Option<Seen>) {
        if self.evidence.see(now, square, seen) {
            self.confirmed &= self.evidence.is_flickering(square);
            self.anomalies.retain(|anomaly| anomaly.square != square);
            self.revision += 1;
        }
    }

    /// A dump of the whole board has arrived. What it shows and the reports did not is a change like any other, to be
    /// confirmed by the next dump.
    pub fn dump(&mut self, now: Millis, sight: &Sight) {
        let missed = self.evidence.sight().differs_from(sight);
        let missed: SquareSet = missed.into_iter().filter(|&square| !self.evidence.is_flickering(square)).collect();
        for square in missed {
            self.see(now, square, sight.get(square));
        }
        for square in sight.of(Color::White) | sight.of(Color::Black) {
            self.evidence.see(now, square, sight.get(square));
        }
        self.dumped_at = now;
        if missed.is_empty() {
            self.confirmed = true;
        }
    }

    /// When the board should be asked for a dump: to confirm what is seen, and in doubt again and again, because a report
    /// may have been lost. `None`: what is seen is confirmed and explained.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        const DOUBT_AGAIN: Millis = Millis::seconds(3);
        let settle = Millis(self.settings.settle_ms);
        if !self.confirmed {
            return Some(self.evidence.last_change() + settle);
        }
        self.unexplained_since?;
        let again = self.dumped_at + DOUBT_AGAIN;
        let pressed = self.presses.last().filter(|press| press.at > self.dumped_at).map(|press| press.at);
        Some(pressed.map_or(again, |pressed| again.min(pressed)).max(self.evidence.last_change() + settle))
    }

    /// The lever was moved; `turn`: whose time runs now, where that is known.
    pub fn press(&mut self, now: Millis, id: PressId, turn: Option<Color>) {
        self.lever = turn;
        self.revision += 1;
        if self.press_missing && self.presses.is_empty() && turn == Some(self.base.turn()) {
            self.press_missing = false;
            self.unpressed_run = 0;
            return;
        }
        if self.presses.len() < MOST_PRESSES {
            self.presses.push(Press { id, at: now, turn });
        }
    }

    /// The lever's meaning has been learned or corrected: whose time runs now.
    pub fn lever_means(&mut self, turn: Option<Color>) {
        self.lever = turn;
        if let Some(press) = self.presses.last_mut() {
            press.turn = turn;
        }
        self.revision += 1;
    }

    /// Who made the last complete ply on the board, if a ply can be seen at all.
    pub fn likely_mover(&mut self) -> Option<Color> {
        let explanations = self.explanations();
        match explanations.iter().find(|explanation| explanation.is_exact()) {
            Some(explanation) if explanation.plies.len() % 2 == 1 => Some(self.base.turn()),
            Some(_) => Some(!self.base.turn()),
            None => None,
        }
    }

    /// Has anything on the board changed since the last settled position?
    pub fn is_touched(&self) -> bool {
        !self.evidence.touched_since(self.since).is_empty()
    }

    /// Does the board show exactly the published position?
    pub fn is_settled(&self) -> bool {
        self.wrong().is_empty()
    }

    /// The clock was seen to run, to stand, or to be missing.
    pub fn clock(&mut self, clock: Clock) {
        if self.clock != clock {
            self.clock = clock;
            self.revision += 1;
        }
    }

    /// The link to the board is up, or gone: without it nothing is decided.
    pub fn link(&mut self, up: bool) {
        self.linked = up;
        if up {
            self.confirmed = false;
        }
    }

    /// When [`Recogniser::verdict`] should be asked again if nothing happens before.
    pub fn deadline(&self) -> Option<Millis> {
        self.next
    }

    /// The operator says what stands on the board.
    pub fn set_up(&mut self, position: Position) -> Verdict {
        let plies = self.plies_after_gap(self.presses.len(), position.turn());
        self.take_up(position, plies, self.presses.len(), Reason::Operator)
    }

    /// The next thing to publish, if it is time for one. To be called after every event and at the deadline, again and
    /// again until it says `None`.
    pub fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        self.next = None;
        if !self.linked {
            return None;
        }
        self.evidence.calm_down(now);
        self.wake_at(now, self.evidence.calms_down_at());
        if self.wrong().is_empty() {
            self.settle(now);
        }
        let draft = self.draft(now)?;
        if draft.ready_at > now {
            self.wake_at(now, Some(draft.ready_at));
            return None;
        }
        Some(self.decide(now, draft.decision))
    }

    fn wake_at(&mut self, now: Millis, at: Option<Millis>) {
        if let Some(at) = at.filter(|&at| at > now) {
            self.next = Some(self.next.map_or(at, |next| next.min(at)));
        }
    }

    /// The squares that contradict the published position and are not known anomalies.
    fn wrong(&self) -> SquareSet {
        self.evidence.contradictions(self.base.placement()) - self.anomalous()
    }

    fn anomalous(&self) -> SquareSet {
        self.anomalies.iter().map(|anomaly| anomaly.square).collect()
    }

    /// The board shows the published position: hands that adjusted, and presses that were taken back, are forgotten.
    fn settle(&mut self, now: Millis) {
        const PRESSES_STAND: Millis = Millis::seconds(3);
        self.unexplained_since = None;
        self.unexplained_sights = 0;
        self.snapshots.clear();
        let quiet_at = self.evidence.last_change() + Millis(self.settings.settle_ms);
        if !self.confirmed || now < quiet_at {
            self.wake_at(now, Some(quiet_at));
            return;
        }
        if self.is_touched() {
            self.since = self.evidence.moment();
            self.revision += 1;
        }
        if let [.., last] = self.presses[..]
            && self.presses.len() >= 2
        {
            if now >= last.at + PRESSES_STAND {
                self.presses.drain(..self.presses.len() / 2 * 2);
                self.revision += 1;
            } else {
                self.wake_at(now, Some(last.at + PRESSES_STAND));
            }
        }
    }

    fn explanations(&mut self) -> &[Explanation] {
        let key = (self.evidence.generation(), self.revision);
        if self.known.as_ref().is_none_or(|(known, _)| *known != key) {
            let mut found = if self.wrong().is_empty() { Vec::new() } else { explain(&self.question()) };
            // While nothing moves, what was explained by so many plies cannot take more.
            if self.followed.generation == self.evidence.generation() {
                found.retain(|explanation| explanation.plies.len() <= self.followed.left);
            }
            self.known = Some((key, found));
        }
        self.known.as_ref().map_or(&[], |(_, found)| found)
    }

    fn question(&self) -> Question<'_> {
        Question {
            base: &self.base,
            evidence: &self.evidence,
            since: self.since,
            anomalies: self.anomalous(),
            presses: self.presses.len(),
            press_missing: self.press_missing,
        }
    }

    /// What would be published if the board stayed as it is.
    fn draft(&mut self, now: Millis) -> Option<Draft> {
        if self.wrong().is_empty() {
            return self.stale_anomaly();
        }
        if let Clock::Stopped { since } = self.clock {
            return self.before_stop(now, since?);
        }
        let explanations = self.explanations().to_vec();
        let usable = |explanation: &&Explanation| self.may_be_odd(explanation);
        match explanations.iter().find(usable) {
            Some(best) => {
                self.unexplained_since = None;
                self.explained(best, &explanations)
            }
            None => self.unexplained(now),
        }
    }

    /// A wrong square is only excused once the player has given the ply up.
    fn may_be_odd(&self, explanation: &Explanation) -> bool {
        explanation.odd.is_empty() || !self.presses.is_empty() || explanation.plies.len() >= 2
    }

    /// What was complete when the clock stopped, and nothing else.
    fn before_stop(&mut self, now: Millis, stopped: Millis) -> Option<Draft> {
        /// The last ply, and the one before it if nobody pressed for it.
        const MOST_PLIES: usize = 2;
        let complete = self.evidence.last_change() <= stopped;
        if !complete || now > stopped + Millis(self.settings.stopped_ms) {
            return None;
        }
        let best = self.explanations().first()?.clone();
        if !best.odd.is_empty() || best.plies.len() > MOST_PLIES {
            return None;
        }
        let ready_at = self.confirmed_at(self.settings.settle_ms);
        Some(Draft { ready_at, decision: Decision::Ply(best, Rule::BeforeStop) })
    }

    /// How long the best explanation must stand before its first ply is believed.
    fn explained(&self, best: &Explanation, all: &[Explanation]) -> Option<Draft> {
        /// Once the opponent has replied, blemishes of the ply before matter less.
        const BLEMISH_ANSWERED_MS: u64 = 600;
        /// Two first plies this close are ambiguous, in hundredths of a press.
        const MARGIN: i32 = 50;
        let settings = &self.settings;
        let answered = best.plies.len() >= 2;
        let pressed = !self.presses.is_empty() || self.is_believed(best);
        let (rule, mut wait) = match self.clock {
            Clock::None if answered => (Rule::Answered, settings.no_clock_answered_ms),
            Clock::None => (Rule::NoClock, settings.no_clock_ms),
            _ if pressed => (if answered { Rule::Answered } else { Rule::Pressed }, settings.settle_ms),
            _ if answered => (Rule::Answered, settings.answered_ms),
            _ if self.press_missing => (Rule::Unpressed, settings.out_of_step_ms),
            _ => (Rule::Unpressed, settings.unpressed_ms),
        };
        if !best.left.is_empty() {
            wait = wait.max(if answered { BLEMISH_ANSWERED_MS } else { settings.left_ms });
        }
        if !best.odd.is_empty() {
            wait = wait.max(if answered { BLEMISH_ANSWERED_MS } else { settings.odd_ms });
        }
        let first = &best.plies[0];
        let rival = all.iter().find(|rival| rival.plies[0] != *first);
        if let Some(rival) = rival.filter(|rival| best.score - rival.score < MARGIN) {
            let same_ends = rival.plies[0].from() == first.from() && rival.plies[0].to() == first.to();
            if same_ends {
                // Which pieces were taken is not visible yet; the hands will show.
                return None;
            }
            wait = wait.max(settings.ambiguous_ms);
        }
        if self.clock != Clock::None && !pressed {
            // Several plies in a row without a press: analysis on the board while the clock runs.
            wait = match self.unpressed_run {
                0 => wait,
                1 => wait.max(settings.unpressed_ms),
                _ => wait.max(30_000),
            };
        }
        Some(Draft { ready_at: self.confirmed_at(wait), decision: Decision::Ply(best.clone(), rule) })
    }

    /// Is this the rest of an explanation that a press has confirmed? Presses may be fewer than plies: who forgets to press
    /// leaves the opponent nothing to press either. The last ply counts only if the lever has left its player.
    fn is_believed(&self, best: &Explanation) -> bool {
        let rest = self.followed;
        let same = rest.believed && rest.generation == self.evidence.generation() && rest.left == best.plies.len();
        same && (best.plies.len() >= 2 || self.is_in_step(best))
    }

    /// Does the lever show the side that is to move after these plies?
    fn is_in_step(&self, explanation: &Explanation) -> bool {
        let us = self.base.turn();
        let turn = if explanation.plies.len().is_multiple_of(2) { us } else { !us };
        self.lever == Some(turn)
    }

    /// When the board will have been quiet for a span, and known from a dump or at least from silence.
    fn confirmed_at(&self, wait: u64) -> Millis {
        let doubt = if self.confirmed { 0 } else { self.settings.unconfirmed_ms };
        self.evidence.last_change() + Millis(wait + doubt)
    }

    /// Nothing legal explains the board.
    fn unexplained(&mut self, now: Millis) -> Option<Draft> {
        let last_change = self.evidence.last_change();
        if self.unexplained_since.is_none() {
            self.unexplained_since = Some(now);
        }
        let draft = self.change_of_mind().or_else(|| self.resumption()).or_else(|| self.lost_thread());
        self.take_snapshot(now, last_change);
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
            if !clockless && self.lever != Some(previous.position.turn()) {
                return None;
            }
            PUT_BACK_MS
        } else {
            let legal = previous.position.legal_moves();
            let mut others = legal.iter().filter(|ply| **ply != previous.ply);
            others.find(|ply| matches(&previous.position.play(ply)))?;
            if !clockless && self.lever != Some(self.base.turn()) {
                return None;
            }
            if clockless { self.settings.no_clock_ms } else { REPLACED_MS }
        };
        Some(Draft { ready_at: self.confirmed_at(wait), decision: Decision::Back(previous) })
    }

    /// A legal reply to a position that was not explained: what went before stands.
    fn resumption(&self) -> Option<Draft> {
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
            let replies = explain(&question);
            let Some(reply) = replies.iter().find(|reply| reply.is_exact() && reply.plies.len() <= 2) else { continue };
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
        let last_press = self.presses.last().map_or(Millis::ZERO, |press| press.at);
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
        let (turn, presses) = (self.lever, self.presses.len());
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
    fn stale_anomaly(&self) -> Option<Draft> {
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

    fn decide(&mut self, now: Millis, decision: Decision) -> Verdict {
        match decision {
            Decision::Ply(explanation, rule) => self.publish(now, &explanation, rule),
            Decision::Back(previous) => {
                let plies = self.plies - 1;
                let back_on = self.lever.filter(|&turn| turn != previous.position.turn());
                let last = self.presses.last().copied();
                let since = previous.since;
                let verdict = self.take_up(previous.position, plies, self.presses.len(), Reason::TakenBack);
                // The other move may have been pressed for already.
                if let (Some(_), Some(press)) = (back_on, last) {
                    self.presses.push(press);
                }
                self.since = since;
                verdict
            }
            Decision::Resume(snapshot) => match self.position_of(&snapshot.sight, snapshot.turn) {
                Some(position) => {
                    let plies = self.plies_after_gap(snapshot.presses, position.turn());
                    let verdict = self.take_up(position, plies, snapshot.presses, Reason::IllegalMove);
                    self.since = snapshot.at;
                    verdict
                }
                None => self.set_up_what_is_seen(Reason::Unexplained),
            },
            Decision::Setup(reason) => self.set_up_what_is_seen(reason),
        }
    }

    fn publish(&mut self, now: Millis, explanation: &Explanation, rule: Rule) -> Verdict {
        let ply = explanation.plies[0].clone();
        let before = self.base;
        // Where presses are missing, those that came belong to the last plies.
        let plies = explanation.plies.len();
        let needed = if self.lever.is_none() || self.is_in_step(explanation) { plies } else { plies - 1 };
        let believed = !self.presses.is_empty() || self.is_believed(explanation);
        let missing = self.lever.is_some() && self.presses.len() < needed;
        let press = if self.presses.is_empty() || missing { None } else { Some(self.presses.remove(0)) };
        self.previous =
            Some(Previous { position: before, ply: ply.clone(), at: self.evidence.moment(), since: self.since });
        self.base = before.play(&ply);
        self.plies += 1;
        self.press_missing = self.clock == Clock::Running
            && self.presses.is_empty()
            && match self.lever {
                Some(turn) => turn != self.base.turn(),
                None => press.is_none() && !self.press_missing,
            };
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

    fn set_up_what_is_seen(&mut self, reason: Reason) -> Verdict {
        let sight = *self.sight();
        let position = self.position_of(&sight, self.lever).unwrap_or(self.base);
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
    fn plies_after_gap(&self, presses: usize, turn: Color) -> u32 {
        let passed = presses.max(1) as u32;
        let expected = if passed.is_multiple_of(2) { self.base.turn() } else { !self.base.turn() };
        self.plies + passed + u32::from(turn != expected)
    }

    fn take_up(&mut self, position: Position, plies: u32, presses: usize, reason: Reason) -> Verdict {
        let used: Vec<Press> = self.presses.drain(..presses.min(self.presses.len())).collect();
        self.base = position;
        self.plies = plies;
        self.previous = None;
        self.since = self.evidence.moment();
        self.anomalies.clear();
        self.snapshots.clear();
        self.press_missing = false;
        self.unpressed_run = 0;
        self.unexplained_since = None;
        self.unexplained_sights = 0;
        self.followed = Followed::NOTHING;
        self.revision += 1;
        Verdict::Setup { position, plies, press: used.last().map(|press| press.id), reason }
    }

    /// The position that a sight shows: kinds from memory where a piece has not moved, by the rules elsewhere.
    fn position_of(&self, sight: &Sight, turn: Option<Color>) -> Option<Position> {
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
                let said_king = new.contains(square) && sight.crowned().contains(square);
                let king = was_king || moved_king || on_crowning_row || said_king;
                let kind = if king { Kind::King } else { Kind::Man };
                placement.put(square, Some(Piece { color, kind }));
            }
        }
        Position::new(self.base.variant(), Setup { placement, turn }).ok()
    }
}
