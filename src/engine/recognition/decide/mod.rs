//! When an explanation is believed, and what is done when there is none.
//!
//! | what is seen | what is done |
//! |---|---|
//! | the published position | nothing |
//! | one or more legal plies | the first is published after a span of quiet that its evidence asks for ([`Rule`]) |
//! | another move of the side that moved last | it changed its mind: a setup of the position before, then that move |
//! | a legal reply to a position that was not explained | an illegal move stood: a setup of that position, then the reply |
//! | plies that are legal if a square is as it was before the last setup | that was wrong: a setup without it, then the plies |
//! | several readings, after a time without the board | a setup: which plies are hidden is not guessed |
//! | none of these for long | a setup ([`Reason`]) |
//!
//! Legal plies with blemishes, a change of mind and an illegal move compete: the likeliest reading wins. Without a clock two
//! legal plies must follow what is not explained, or it is taken for analysis and nothing is recorded.
//!
//! A ply is published when its player has given it up by pressing the clock, or the opponent has answered it, or, without a
//! clock, another piece is taken up; that is why what is published need not be taken back. With the clock stopped only what
//! was complete before is published: the last ply, and the one before it if nobody pressed for it. A piece that was
//! put back among others that had fallen has played nothing yet: it waits for a press, or without a clock for the reply.
//!
//! | file | subject |
//! |---|---|
//! | this one | what is known, what is heard, and what is due |
//! | `belief` | when an explanation is believed |
//! | `doubt` | the ways back when there is none |
//! | `resumption` | a move against the rules that was let stand |
//! | `standing` | what stood on the board without being explained |
//! | `lineage` | how that came about |
//! | `kinds` | which of the pieces that are seen are kings |
//! | `publish` | what a decision changes |
//! | `tell` | what is told besides |

mod belief;
mod doubt;
mod kinds;
mod lineage;
mod publish;
mod resumption;
mod standing;
mod tell;

pub use tell::Doubt;

use crate::engine::recognition::measures::{counts, times, weights, work};
use std::sync::Arc;

use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::presses::{Press, Presses};
use crate::engine::recognition::evidence::sight::{Seen, Sight};
use crate::engine::recognition::evidence::squares::{Evidence, Moment, Source};
use crate::engine::recognition::grounds::Grounds;
use crate::engine::recognition::search::effort::Effort;
use crate::engine::recognition::search::explain::{Explanation, Findings, Question};
use crate::engine::recognition::search::readings::Reading;
use crate::engine::recognition::settings::Settings;
use crate::engine::recognition::verdict::{Clock, PressId, Reason, Rule, Verdict};
use crate::engine::recognition::wait::Wait;
use draughts::{Color, Move, Piece, Position, Square, SquareSet};
use standing::Snapshot;

/// The position before the last published ply, while that ply may still be taken back.
#[derive(Clone, Debug)]
struct Previous {
    position: Position,
    ply: Move,
    /// The moment from which touches counted for it.
    since: Moment,
    /// Squares that plies before it have passed since then.
    passed: SquareSet,
}

/// A square that differs from the published position for a known reason.
#[derive(Clone, Copy, Debug)]
struct Anomaly {
    square: Square,
    at: Millis,
    plies: u32,
    /// A captured piece that nobody took off; otherwise a piece too many or too few that nothing explains.
    captured: bool,
    /// Then the square changed, and was wrong no longer. It is remembered for what stood before.
    until: Option<Moment>,
}

/// A square that a setup changed though no ply did, and what was there before.
#[derive(Clone, Copy, Debug)]
struct Doubtful {
    square: Square,
    before: Option<Piece>,
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

/// Changes with everything that explanations depend on: the generation of the evidence, and the revision of the rest.
type Key = (u64, u64);

/// Changes with everything that a search from the published position depends on but the presses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SearchKey {
    generation: u64,
    sight: Sight,
    since: Moment,
    passed: SquareSet,
    anomalies: SquareSet,
    gap: bool,
}

/// What would be published, and from when on.
struct Draft {
    ready_at: Millis,
    /// What is waited for until then.
    waits: Wait,
    decision: Decision,
}

enum Decision {
    Ply(Explanation, Rule),
    /// The position before the last published ply stands again, or did before other plies were played from it: so many of the
    /// presses belong to those.
    Back(Previous, usize),
    /// What stood then is the position from which play went on.
    Resume(Snapshot, Position),
    /// The published position, but for this square, which the setup before it had wrong.
    Amend(Position, Square),
    /// What is seen now.
    Setup(Position, Reason),
}

/// The recogniser of one game on one board.
#[derive(Clone, Debug)]
pub struct Recogniser {
    settings: Settings,
    base: Position,
    /// Who has won because the other side has no move in it.
    winner: Option<Color>,
    plies: u32,
    previous: Option<Previous>,
    evidence: Evidence,
    /// Touches before this moment belong to what is published.
    since: Moment,
    /// Squares that published plies have passed since then.
    passed: SquareSet,
    anomalies: Vec<Anomaly>,
    /// The pieces too many or too few that the last setup took for real, until plies have passed over them.
    doubtful: Vec<Doubtful>,
    presses: Presses,
    /// Plies published in a row without a press.
    unpressed_run: u32,
    clock: Clock,
    /// Has a whole dump shown what is seen?
    confirmed: bool,
    /// The board never sends a dump: reports that explain the board exactly count without one.
    trusts_reports: bool,
    /// Nobody has shown what stood at the start.
    is_start_assumed: bool,
    /// When the last dump came.
    dumped_at: Millis,
    snapshots: Vec<Snapshot>,
    unexplained_since: Option<Millis>,
    linked: bool,
    /// The board was not heard for a while: changes and presses may have been missed.
    gap: bool,
    /// The state of the evidence when the board was last heard again.
    heard_again: Option<u64>,
    /// When the board was heard again after it was not; the lever has not been seen since: whose time runs is not known.
    lever_old_since: Option<Millis>,
    /// This press was found when the lever was seen again: nobody knows when it was.
    found_press: Option<PressId>,
    /// A ply that was let go of by taking up another piece, and the moment at which it stood.
    let_go: Option<(Explanation, Moment)>,
    /// Do the codes of this set tell kings from men? `None`: no king has been seen yet.
    tells_kings: Option<bool>,
    /// What is left of the explanation whose first ply was published last.
    followed: Followed,
    revision: u64,
    effort: Effort,
    /// When nothing was due, with all that this depends on.
    judged: Option<(Millis, Key, bool)>,
    known: Option<(Key, Arc<[Explanation]>)>,
    /// What was found from the published position: a press is weighed without looking for it again.
    searched: Option<(SearchKey, Findings)>,
    /// What comes closest to a board that nothing explains.
    readings: Option<(Key, Vec<Reading>)>,
    expected: Vec<Move>,
    /// Plies that explained a quiet board last, and when: they may have been played although nothing legal followed.
    foreseen: Option<(Vec<Move>, Moment)>,
    grounds: Option<Grounds>,
    /// When it is to be asked again, and what is waited for until then.
    next: Option<(Millis, Wait)>,
    /// When what would be published is due, and what it waits for.
    pending: Option<(Millis, Wait)>,
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
            winner: position.winner(),
            plies,
            previous: None,
            since: evidence.moment(),
            evidence,
            passed: SquareSet::EMPTY,
            anomalies: Vec::new(),
            doubtful: Vec::new(),
            presses: Presses::default(),
            unpressed_run: 0,
            clock,
            confirmed: true,
            trusts_reports: false,
            is_start_assumed: false,
            dumped_at: now,
            snapshots: Vec::new(),
            unexplained_since: None,
            linked: true,
            gap: false,
            heard_again: None,
            lever_old_since: None,
            found_press: None,
            let_go: None,
            tells_kings: None,
            followed: Followed::NOTHING,
            revision: 0,
            effort: Effort::default(),
            judged: None,
            known: None,
            searched: None,
            readings: None,
            expected: Vec::new(),
            foreseen: None,
            grounds: None,
            next: None,
            pending: None,
        }
    }

    /// The position after the last published entry.
    pub fn position(&self) -> &Position {
        &self.base
    }

    /// Who has won because the side to move has no move in that position.
    pub fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// The position after the last published entry is this from now on.
    fn stand_at(&mut self, position: Position) {
        self.base = position;
        self.winner = position.winner();
        self.searched = None;
    }

    /// Plies of the game so far, hidden ones included.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// What is seen on the squares.
    pub fn sight(&self) -> &Sight {
        self.evidence.sight()
    }

    /// A board reported one square.
    pub fn see(&mut self, now: Millis, square: Square, seen: Option<Seen>) {
        self.take(now, square, seen, Source::Report);
    }

    fn take(&mut self, now: Millis, square: Square, seen: Option<Seen>, source: Source) {
        let let_go = if seen.is_none() && source == Source::Report { self.let_go_by(now, square) } else { None };
        let before = self.evidence.moment();
        if self.evidence.see(now, square, seen, source) {
            self.let_go = self.let_go.take().or_else(|| Some((let_go?, before)));
            self.confirmed &= self.evidence.is_flickering(square);
            let moment = self.evidence.moment();
            let over = |anomaly: &&mut Anomaly| anomaly.square == square && anomaly.until.is_none();
            self.anomalies.iter_mut().filter(over).for_each(|anomaly| anomaly.until = Some(moment));
            self.revision += 1;
        }
    }

    /// A dump of the whole board has arrived. What it shows and the reports did not is a change like any other, to be
    /// confirmed by the next dump.
    pub fn dump(&mut self, now: Millis, sight: &Sight) {
        let missed = self.evidence.sight().differs_from(sight);
        let missed: SquareSet = missed.into_iter().filter(|&square| !self.evidence.is_flickering(square)).collect();
        for square in missed {
            self.take(now, square, sight.get(square), Source::Dump);
        }
        for square in sight.of(Color::White) | sight.of(Color::Black) {
            self.evidence.see(now, square, sight.get(square), Source::Dump);
        }
        self.dumped_at = now;
        self.gap |= missed.len() >= counts::MANY_MISSED;
        if missed.is_empty() {
            self.confirmed = true;
        }
    }

    /// When the board should be asked for a dump: to confirm what is seen, and in doubt again and again, because a report
    /// may have been lost. `None`: what is seen is confirmed and explained.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        let settle = Millis(self.settings.settle_ms);
        if !self.confirmed {
            return Some(self.evidence.last_change() + settle);
        }
        self.unexplained_since?;
        let again = self.dumped_at + times::DOUBT_AGAIN;
        let pressed = self.presses.last_at().filter(|&at| at > self.dumped_at);
        Some(pressed.map_or(again, |pressed| again.min(pressed)).max(self.evidence.last_change() + settle))
    }

    /// The lever was moved; `turn`: whose time runs now, where that is known.
    pub fn press(&mut self, now: Millis, id: PressId, turn: Option<Color>) {
        self.effort.begin(now);
        let answered = self.effort.goes_on_at().is_none() && self.is_answered();
        if self.presses.hear(Press { id, at: now }, turn, self.base.turn(), answered) {
            self.unpressed_run = 0;
        }
        if self.lever_old_since.take().is_some() {
            self.found_press = Some(id);
        }
        self.revision += 1;
    }

    /// Has the side that moved last moved again, after a ply of its opponent? The second may be against the rules.
    fn is_answered(&mut self) -> bool {
        let them = !self.base.turn();
        let explanations = self.explanations();
        let mut exact = explanations.iter().filter(|found| found.is_exact()).map(|found| found.plies.len()).peekable();
        if exact.peek().is_some() {
            return exact.any(|plies| plies == 2);
        }
        let Some((_, at)) = &self.foreseen else { return false };
        self.evidence.changes_since(*at).any(|change| change.before.or(change.after) == Some(them))
    }

    /// The lever was seen: presses that were not heard are none, or one.
    pub fn see_lever(&mut self) {
        self.revision += u64::from(self.lever_old_since.take().is_some());
    }

    /// The lever's meaning has been learned or corrected: whose time runs now.
    pub fn lever_means(&mut self, turn: Option<Color>) {
        self.presses.mean(turn);
        self.revision += 1;
    }

    /// If the lever is pressed now: whose ply does it complete, as far as plies can be seen? `None` where that is doubtful.
    pub fn likely_presser(&mut self, now: Millis) -> Option<Color> {
        self.effort.begin(now);
        // Who forgot to press may do so now, and whoever pressed after him has pressed in vain.
        if self.effort.goes_on_at().is_some() || self.presses.is_missing() {
            return None;
        }
        let before = self.presses.len();
        let us = self.base.turn();
        let plies = self.explanations().iter().find(|explanation| explanation.is_exact())?.plies.len();
        let next = if before.is_multiple_of(2) { us } else { !us };
        match plies.checked_sub(before)? {
            1 => Some(next),
            2 if now >= self.evidence.last_change() + times::PRESS_LAG => Some(!next),
            _ => None,
        }
    }

    /// Has anything on the board changed since the last settled position?
    pub fn is_touched(&self) -> bool {
        !self.evidence.touched_since(self.since).is_empty()
    }

    /// Has the lever been moved since the last published ply?
    pub fn is_pressed_for(&self) -> bool {
        !self.presses.is_empty()
    }

    /// Does the board show exactly the published position?
    pub fn is_settled(&self) -> bool {
        self.wrong().is_empty()
    }

    /// When a hand was last on the board; pieces that flicker do not count.
    pub fn quiet_since(&self) -> Millis {
        self.evidence.last_change()
    }

    /// The clock was seen to run, to stand, or to be missing.
    pub fn clock(&mut self, clock: Clock) {
        if self.clock != clock {
            self.clock = clock;
            self.revision += 1;
        }
    }

    /// Does the board never send a dump? Then what its reports show counts as confirmed.
    pub fn trust_reports(&mut self, trusts: bool) {
        if self.trusts_reports != trusts {
            self.trusts_reports = trusts;
            self.revision += 1;
        }
    }

    /// The position of the start is one that the board has not shown: the first ply counts with its reply only.
    pub fn assume_start(&mut self) {
        self.is_start_assumed = true;
    }

    /// Is what is seen known to stand on the board?
    fn is_confirmed(&self) -> bool {
        self.confirmed || self.trusts_reports
    }

    /// The link to the board is up, or gone: without it nothing is decided.
    pub fn link(&mut self, now: Millis, up: bool) {
        if up && !self.linked {
            self.was_deaf(now);
        }
        self.linked = up;
    }

    /// The board has not been heard for a while: changes and presses may have been missed.
    pub fn was_deaf(&mut self, now: Millis) {
        // What stands as it did when the board was heard again before has stood since: else a ply would never be published
        // on a board that falls silent again and again.
        let generation = Some(self.evidence.generation());
        if std::mem::replace(&mut self.heard_again, generation) != generation {
            self.evidence.disturb(now);
        }
        self.confirmed = false;
        self.let_go = None;
        self.gap = true;
        self.lever_old_since = Some(now);
        self.revision += 1;
    }

    /// The link is up again, to a board that keeps its reports: all that happened will be told, in order.
    pub fn link_to_memory(&mut self) {
        self.linked = true;
        self.confirmed = false;
        self.revision += 1;
    }

    /// When [`Recogniser::verdict`] should be asked again if nothing happens before, and what is waited for until then.
    pub fn deadline(&self) -> Option<(Millis, Wait)> {
        self.next
    }

    /// When what would be published is due, and what it waits for; `None`: nothing would.
    pub fn waits(&self) -> Option<(Millis, Wait)> {
        self.pending
    }

    /// It is not to be asked before the next event: nobody hears the board.
    pub fn rest(&mut self) {
        self.next = None;
    }

    /// The operator says what stands on the board.
    pub fn set_up(&mut self, position: Position) -> Verdict {
        let plies = self.plies_after_gap(self.presses.len(), position.turn());
        self.grounds = None;
        self.take_up(position, plies, self.presses.len(), Reason::Operator)
    }

    /// The operator says that play goes on from a position of the game before, `plies` plies after its start.
    pub fn go_back(&mut self, position: Position, plies: u32) -> Verdict {
        self.grounds = None;
        self.take_up(position, plies, self.presses.len(), Reason::Operator)
    }

    /// The operator says that what stands on the board is right. `None`: it is no position of this game. `turn`: who is to
    /// move, if he says so.
    pub fn set_up_seen(&mut self, turn: Option<Color>) -> Option<Verdict> {
        let turn = turn.or(self.presses.turn());
        let position = self.position_of(self.base.placement(), self.sight(), turn, self.hidden_plies())?;
        Some(self.set_up(position))
    }

    /// The next thing to publish, if it is time for one. To be called after every event and at the deadline, again and
    /// again until it says `None`.
    pub fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        if self.judged == Some((now, self.key(), self.confirmed)) && self.linked {
            return None;
        }
        (self.next, self.pending) = (None, None);
        if !self.linked {
            return None;
        }
        self.effort.begin(now);
        if let Some(at) = self.effort.goes_on_at() {
            self.wake_at(now, Some(at), Wait::Turn);
            return None;
        }
        if let Some((ply, stood)) = self.let_go.take() {
            let decision = Decision::Ply(ply, Rule::LetGo);
            self.grounds = Some(self.grounds_of(now, &decision));
            let verdict = self.decide(now, decision);
            self.since = stood;
            return Some(verdict);
        }
        self.evidence.calm_down(now);
        self.wake_at(now, self.evidence.calms_down_at(), Wait::Flicker);
        if self.wrong().is_empty() {
            self.settle(now);
        }
        let draft = self.draft(now);
        self.expect(now);
        self.pending = draft.as_ref().map(|draft| (draft.ready_at, draft.waits));
        if let Some((at, wait)) = self.pending {
            self.wake_at(now, Some(at), wait);
        }
        let Some(draft) = draft.filter(|draft| draft.ready_at <= now) else {
            self.judged = Some((now, self.key(), self.confirmed));
            return None;
        };
        self.grounds = Some(self.grounds_of(now, &draft.decision));
        Some(self.decide(now, draft.decision))
    }

    fn wake_at(&mut self, now: Millis, at: Option<Millis>, wait: Wait) {
        if let Some(at) = at.filter(|&at| at > now && self.next.is_none_or(|(next, _)| at < next)) {
            self.next = Some((at, wait));
        }
    }

    /// The squares that contradict the published position and are not known anomalies.
    fn wrong(&self) -> SquareSet {
        self.evidence.contradictions(self.base.placement()) - self.anomalous()
    }

    fn anomalous(&self) -> SquareSet {
        self.anomalies.iter().filter(|anomaly| anomaly.until.is_none()).map(|anomaly| anomaly.square).collect()
    }

    /// The board shows the published position: hands that adjusted, and presses that were taken back, are forgotten.
    fn settle(&mut self, now: Millis) {
        self.unexplained_since = None;
        self.snapshots.clear();
        self.foreseen = None;
        let quiet_at = self.evidence.last_change() + Millis(self.settings.settle_ms);
        if !self.is_confirmed() || now < quiet_at {
            self.wake_at(now, Some(quiet_at), Wait::Quiet);
            return;
        }
        let kings = self.base.placement().kings();
        if !kings.is_empty() {
            self.tells_kings = Some(kings == self.sight().crowned());
        }
        // A square that was wrong and is right now, because play has passed over it.
        let wrong = self.evidence.contradictions(self.base.placement());
        self.anomalies.retain(|anomaly| anomaly.until.is_none() && wrong.contains(anomaly.square));
        if self.is_touched() || self.gap {
            self.since = self.evidence.moment();
            self.passed = SquareSet::EMPTY;
            self.gap = false;
            self.revision += 1;
        }
        let before = self.presses.len();
        let again = self.presses.settle(now, self.base.turn());
        self.revision += u64::from(self.presses.len() != before);
        self.wake_at(now, again, Wait::Press);
    }

    /// Changes with everything that explanations depend on.
    fn key(&self) -> Key {
        (self.evidence.generation(), self.revision)
    }

    fn explanations(&mut self) -> Arc<[Explanation]> {
        let key = self.key();
        if self.known.as_ref().is_none_or(|(known, _)| *known != key) {
            let mut found = if self.wrong().is_empty() { Vec::new() } else { self.search() };
            // While nothing moves, what was explained by so many plies cannot take more.
            if self.followed.generation == self.evidence.generation() {
                found.retain(|explanation| explanation.plies.len() <= self.followed.left);
            }
            self.known = Some((key, found.into()));
        }
        self.known.as_ref().map_or_else(|| [].into(), |(_, found)| Arc::clone(found))
    }

    fn search(&mut self) -> Vec<Explanation> {
        let key = SearchKey {
            generation: self.evidence.generation(),
            sight: *self.evidence.sight(),
            since: self.since,
            passed: self.passed,
            anomalies: self.anomalous(),
            gap: self.gap,
        };
        let question = self.question();
        if let Some((known, findings)) = &self.searched
            && *known == key
            && findings.suffice(&question)
        {
            return findings.weigh(&question);
        }
        let mut left = work::MOST;
        let findings = Findings::seek(&question, counts::DEEPEST, &mut left);
        let found = findings.weigh(&question);
        self.searched = Some((key, findings));
        self.effort.spend(work::MOST - left);
        found
    }

    fn question(&self) -> Question<'_> {
        Question {
            base: &self.base,
            evidence: &self.evidence,
            since: self.since,
            passed: self.passed,
            anomalies: self.anomalous(),
            presses: (self.clock != Clock::None).then_some(self.presses.len()),
            press_missing: self.presses.is_missing(),
            gap: self.gap,
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
        if let Some(since) = self.lever_old_since.filter(|_| self.clock == Clock::Running) {
            // A clock that runs is heard every second, unless it says nothing that can be believed.
            let waits_until = since + Millis(self.settings.unexplained_ms);
            if now < waits_until {
                self.wake_at(now, Some(waits_until), Wait::Lever);
                return None;
            }
        }
        let explanations = self.explanations();
        let usable =
            |explanation: &&Explanation| self.may_be_odd(explanation) && explanation.score >= weights::INCREDIBLE;
        let best = explanations.iter().find(usable);
        let likely = best.map_or(i32::MIN, |best| best.score);
        if likely < weights::CREDIBLE
            && let Some((_, draft)) = self.otherwise().filter(|(score, _)| *score > likely)
        {
            self.note_unexplained(now, best.is_some());
            return Some(draft);
        }
        self.note_unexplained(now, best.is_some());
        match best {
            Some(best) => self.explained(best, &explanations),
            None => self.lost_thread(),
        }
    }
}
