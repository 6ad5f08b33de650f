//! Takes what happens on one board, and decides what to publish of it, and when.

use super::belief::{explained, let_go_by, may_be_odd, was_complete};
use super::kinds::position_of;
use super::outlook::{self, Doubt, Outlook};
use super::proposal::{Conclusion, Proposal, hidden_plies};
use super::publish::{plies_after_gap, publish, take_up};
use super::standing::Unexplained;
use super::{belief, doubt};
use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{
    Evidence, Facts, FactsVersion, Ordinal, Press, Presses, Published, Seen, Sight, Source, Unheard,
};
use crate::engine::recognition::grounds::Grounds;
use crate::engine::recognition::measures::{times, weights};
use crate::engine::recognition::search::{Effort, Explanation, Searcher};
use crate::engine::recognition::settings::Settings;
use crate::engine::recognition::verdict::{Clock, PressId, Reason, Rule, Verdict};
use crate::engine::recognition::wait::{Deadline, Wait};
use draughts::{Color, Move, Position, Square};

/// The recogniser of one game on one board.
#[derive(Clone, Debug)]
pub struct Recogniser {
    /// What is known. The rules read it; what happens and what is published change it.
    facts: Facts,
    /// Is the board heard? Without it nothing is decided.
    linked: bool,
    searcher: Searcher,
    effort: Effort,
    unexplained: Unexplained,
    outlook: Outlook,
    /// A ply that was let go of by taking up another piece, and the moment at which it stood.
    let_go: Option<(Explanation, Ordinal)>,
    /// When nothing was due, with all that this depends on.
    judged: Option<(Millis, FactsVersion, bool)>,
    /// When it is to be asked again, and what is waited for until then.
    deadline: Deadline,
    /// When what would be published is due, and what it waits for.
    pending: Option<(Millis, Wait)>,
    /// On what grounds the last verdict was given.
    grounds: Option<Grounds>,
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
        let published = Published::new(position, plies, evidence.moment());
        let (presses, unheard) = (Presses::default(), Unheard::default());
        Recogniser {
            facts: Facts { settings, clock, published, evidence, presses, unheard },
            linked: true,
            searcher: Searcher::default(),
            effort: Effort::default(),
            unexplained: Unexplained::default(),
            outlook: Outlook::default(),
            let_go: None,
            judged: None,
            deadline: Deadline::default(),
            pending: None,
            grounds: None,
        }
    }

    /// The position after the last published entry.
    pub fn position(&self) -> &Position {
        self.facts.published.position()
    }

    /// Who has won because the side to move has no move in that position.
    pub fn winner(&self) -> Option<Color> {
        self.facts.published.winner()
    }

    /// Plies of the game so far, hidden ones included.
    pub fn plies(&self) -> u32 {
        self.facts.published.plies()
    }

    /// What is seen on the squares.
    pub fn sight(&self) -> &Sight {
        self.facts.evidence.sight()
    }

    /// A board reported one square.
    pub fn see(&mut self, now: Millis, square: Square, seen: Option<Seen>) {
        let let_go = if seen.is_none() { self.let_go_by(now, square) } else { None };
        let before = self.facts.evidence.moment();
        if self.take(now, square, seen, Source::Report) {
            self.let_go = self.let_go.take().or_else(|| Some((let_go?, before)));
        }
    }

    fn let_go_by(&self, now: Millis, lifted: Square) -> Option<Explanation> {
        let known = self.searcher.known(&self.facts).filter(|_| self.linked)?;
        let_go_by(&self.facts, known, now, lifted)
    }

    fn take(&mut self, now: Millis, square: Square, seen: Option<Seen>, source: Source) -> bool {
        let Facts { evidence, published, .. } = &mut self.facts;
        let has_changed = evidence.see(now, square, seen, source);
        if has_changed {
            published.change(square, evidence.moment());
        }
        has_changed
    }

    /// A dump of the whole board has arrived. What it shows and the reports did not is a change like any other, to be
    /// confirmed by the next dump.
    pub fn dump(&mut self, now: Millis, sight: &Sight) {
        let missed = self.facts.evidence.missed(sight);
        for square in missed {
            self.take(now, square, sight.get(square), Source::Dump);
        }
        self.facts.evidence.dump(now, sight, missed);
        self.facts.unheard.miss(missed.len());
    }

    /// When the board should be asked for a dump: to confirm what is seen, and in doubt again and again, because a report
    /// may have been lost. `None`: what is seen is confirmed and explained.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        let Facts { evidence, presses, .. } = &self.facts;
        if !evidence.is_dumped() {
            return Some(self.facts.quiet_at());
        }
        self.unexplained.since()?;
        let again = evidence.dumped_at() + times::DOUBT_AGAIN;
        let pressed = presses.last_at().filter(|&at| at > evidence.dumped_at());
        Some(pressed.map_or(again, |pressed| again.min(pressed)).max(self.facts.quiet_at()))
    }

    /// The lever was moved; `turn`: whose time runs now, where that is known.
    pub fn press(&mut self, now: Millis, id: PressId, turn: Option<Color>) {
        self.effort.begin(now);
        let answered = self.effort.goes_on_at().is_none() && self.is_answered();
        self.facts.presses.hear(Press { id, at: now }, turn, self.facts.published.turn(), answered);
        self.facts.unheard.see_lever(Some(id));
    }

    /// Has the side that moved last moved again, after a ply of its opponent? The second may be against the rules.
    fn is_answered(&mut self) -> bool {
        let explanations = self.searcher.explanations(&self.facts, &mut self.effort);
        let mut exact = explanations.iter().filter(|found| found.is_exact()).map(|found| found.plies.len()).peekable();
        if exact.peek().is_some() {
            return exact.any(|plies| plies == 2);
        }
        self.outlook.is_answered(!self.facts.published.turn(), &self.facts.evidence)
    }

    /// The lever was seen: presses that were not heard are none, or one.
    pub fn see_lever(&mut self) {
        self.facts.unheard.see_lever(None);
    }

    /// The lever's meaning has been learned or corrected: whose time runs now.
    pub fn lever_means(&mut self, turn: Option<Color>) {
        self.facts.presses.mean(turn);
    }

    /// If the lever is pressed now: whose ply does it complete, as far as plies can be seen? `None` where that is doubtful.
    pub fn likely_presser(&mut self, now: Millis) -> Option<Color> {
        self.effort.begin(now);
        let Recogniser { facts, searcher, effort, .. } = self;
        // Who forgot to press may do so now, and whoever pressed after him has pressed in vain.
        if effort.goes_on_at().is_some() || facts.presses.is_missing() {
            return None;
        }
        let before = facts.presses.len();
        let us = facts.published.turn();
        let explanations = searcher.explanations(facts, effort);
        let plies = explanations.iter().find(|explanation| explanation.is_exact())?.plies.len();
        let next = if before.is_multiple_of(2) { us } else { !us };
        match plies.checked_sub(before)? {
            1 => Some(next),
            2 if now >= facts.evidence.last_change() + times::PRESS_LAG => Some(!next),
            _ => None,
        }
    }

    /// Has anything on the board changed since the last settled position?
    pub fn is_touched(&self) -> bool {
        !self.facts.published.touched(&self.facts.evidence).is_empty()
    }

    /// Has the lever been moved since the last published ply?
    pub fn is_pressed_for(&self) -> bool {
        !self.facts.presses.is_empty()
    }

    /// Does the board show exactly the published position?
    pub fn is_settled(&self) -> bool {
        self.facts.wrong().is_empty()
    }

    /// When a hand was last on the board; pieces that flicker do not count.
    pub fn quiet_since(&self) -> Millis {
        self.facts.evidence.last_change()
    }

    /// The clock was seen to run, to stand, or to be missing.
    pub fn clock(&mut self, clock: Clock) {
        self.facts.clock = clock;
    }

    /// Does the board never send a dump? Then what its reports show counts as confirmed.
    pub fn trust_reports(&mut self, trusts: bool) {
        self.facts.evidence.trust_reports(trusts);
    }

    /// The position of the start is one that the board has not shown: the first ply counts with its reply only.
    pub fn assume_start(&mut self) {
        self.facts.published.assume_start();
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
        let Facts { evidence, unheard, .. } = &mut self.facts;
        if unheard.hear_again(now, evidence) {
            evidence.disturb(now);
        }
        evidence.unconfirm();
        self.let_go = None;
    }

    /// The link is up again, to a board that keeps its reports: all that happened will be told, in order.
    pub fn link_to_memory(&mut self) {
        self.linked = true;
        self.facts.evidence.unconfirm();
    }

    /// When [`Recogniser::verdict`] should be asked again if nothing happens before, and what is waited for until then.
    pub fn deadline(&self) -> Option<(Millis, Wait)> {
        self.deadline.get()
    }

    /// When what would be published is due, and what it waits for; `None`: nothing would.
    pub fn waits(&self) -> Option<(Millis, Wait)> {
        self.pending
    }

    /// The board that nothing explains, while it does not.
    pub fn doubt(&self) -> Option<Doubt<'_>> {
        let since = self.unexplained.since()?;
        let quiet_since = since.max(self.facts.evidence.last_change());
        let readings = self.searcher.readings(&self.facts);
        Some(Doubt { since, quiet_since, squares: self.facts.wrong(), readings })
    }

    /// The plies that will be published next if nothing changes: likely, not final. Empty: none.
    pub fn expected(&self) -> &[Move] {
        self.outlook.expected()
    }

    /// On what grounds the last verdict was given; `None` when it was the operator's.
    pub fn grounds(&self) -> Option<&Grounds> {
        self.grounds.as_ref()
    }

    /// It is not to be asked before the next event: nobody hears the board.
    pub fn rest(&mut self) {
        self.deadline.clear();
    }

    /// The operator says what stands on the board.
    pub fn set_up(&mut self, position: Position) -> Verdict {
        self.go_back(position, plies_after_gap(&self.facts.published, self.facts.presses.len(), position.turn()))
    }

    /// The operator says that play goes on from a position of the game before, `plies` plies after its start.
    pub fn go_back(&mut self, position: Position, plies: u32) -> Verdict {
        (self.grounds, self.let_go, self.unexplained) = (None, None, Unexplained::default());
        let presses = self.facts.presses.len();
        take_up(&mut self.facts, position, plies, presses, Reason::Operator)
    }

    /// The operator says that what stands on the board is right. `None`: it is no position of this game. `turn`: who is to
    /// move, if he says so.
    pub fn set_up_seen(&mut self, turn: Option<Color>) -> Option<Verdict> {
        let facts = &self.facts;
        let turn = turn.or(facts.presses.turn());
        let known = facts.published.position().placement();
        let position =
            position_of(facts, known, facts.evidence.sight(), turn, hidden_plies(facts.clock, &facts.presses))?;
        Some(self.set_up(position))
    }

    /// The next thing to publish, if it is time for one. To be called after every event and at the deadline, again and
    /// again until it says `None`.
    pub fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        if self.judged == Some(self.judgement(now)) && self.linked {
            return None;
        }
        self.deadline.clear();
        self.pending = None;
        if !self.linked {
            return None;
        }
        self.effort.begin(now);
        if let Some(at) = self.effort.goes_on_at() {
            self.deadline.wake_at(now, Some(at), Wait::Turn);
            return None;
        }
        if let Some((ply, stood)) = self.let_go.take() {
            let verdict = self.publish(now, Conclusion::Ply(ply, Rule::LetGo));
            let passed = self.facts.published.base().passed;
            self.facts.published.count_from(stood, passed);
            return Some(verdict);
        }
        self.facts.evidence.calm_down(now);
        self.deadline.wake_at(now, self.facts.evidence.calms_down_at(), Wait::Flicker);
        if self.facts.wrong().is_empty() {
            self.settle(now);
        }
        let proposal = self.propose(now);
        let Recogniser { facts, searcher, effort, deadline, .. } = self;
        self.outlook.expect(now, facts, searcher, effort, deadline);
        self.pending = proposal.as_ref().map(|proposal| (proposal.ready_at, proposal.waits));
        if let Some((at, wait)) = self.pending {
            self.deadline.wake_at(now, Some(at), wait);
        }
        let Some(proposal) = proposal.filter(|proposal| proposal.ready_at <= now) else {
            self.judged = Some(self.judgement(now));
            return None;
        };
        Some(self.publish(now, proposal.conclusion))
    }

    /// All that a judgement of this time depends on.
    fn judgement(&self, now: Millis) -> (Millis, FactsVersion, bool) {
        (now, self.facts.version(), self.facts.evidence.is_dumped())
    }

    fn publish(&mut self, now: Millis, conclusion: Conclusion) -> Verdict {
        let Recogniser { facts, searcher, effort, outlook, unexplained, .. } = self;
        let is_ply = matches!(conclusion, Conclusion::Ply(..));
        let explanations = if is_ply { searcher.explanations(facts, effort) } else { [].into() };
        let waited = self.pending.map(|(_, wait)| wait);
        self.grounds = Some(outlook::grounds(facts, &explanations, now, waited, &conclusion));
        outlook.publish(&conclusion);
        publish(facts, unexplained, now, conclusion)
    }

    /// The board shows the published position: what was unexplained is over, and once it has been quiet for a moment, hands that
    /// adjusted and presses that were taken back are forgotten.
    fn settle(&mut self, now: Millis) {
        self.unexplained = Unexplained::default();
        self.outlook.settle();
        let quiet_at = self.facts.quiet_at();
        if !self.facts.evidence.is_confirmed() || now < quiet_at {
            self.deadline.wake_at(now, Some(quiet_at), Wait::Quiet);
            return;
        }
        let again = self.facts.settle(now);
        self.deadline.wake_at(now, again, Wait::Press);
    }

    /// What would be published if the board stayed as it is.
    fn propose(&mut self, now: Millis) -> Option<Proposal> {
        let Recogniser { facts, searcher, effort, unexplained, outlook, deadline, .. } = self;
        if facts.wrong().is_empty() {
            return doubt::stale_anomaly(facts);
        }
        if let Clock::Stopped { since } = facts.clock {
            if !was_complete(&facts.evidence, &facts.settings, now, since?) {
                return None;
            }
            return match searcher.explanations(facts, effort).first() {
                Some(best) => belief::before_stop(facts, best),
                None => doubt::before_stop(facts, doubt::otherwise(facts, unexplained, outlook, effort)),
            };
        }
        if let Some(since) = facts.unheard.lever_since().filter(|_| facts.clock == Clock::Running) {
            // A clock that runs is heard every second, unless it says nothing that can be believed.
            let waits_until = since + Millis(facts.settings.unexplained_ms);
            if now < waits_until {
                deadline.wake_at(now, Some(waits_until), Wait::Lever);
                return None;
            }
        }
        let explanations = searcher.explanations(facts, effort);
        let usable = |explanation: &&Explanation| {
            may_be_odd(&facts.presses, explanation) && explanation.score >= weights::INCREDIBLE
        };
        let best = explanations.iter().find(usable);
        let likely = best.map_or(i32::MIN, |best| best.score);
        let mut proposal = None;
        if likely < weights::CREDIBLE {
            let otherwise = doubt::otherwise(facts, unexplained, outlook, effort);
            proposal = otherwise.filter(|(score, _)| *score > likely).map(|(_, proposal)| proposal);
        }
        if best.is_some() {
            unexplained.end();
        } else {
            unexplained.note(now, facts, deadline);
            if now < facts.quiet_at() {
                deadline.wake_at(now, Some(facts.quiet_at()), Wait::Quiet);
            } else {
                searcher.seek_readings(facts, effort);
            }
        }
        proposal.or_else(|| match best {
            Some(best) => explained(facts, best, &explanations),
            None => doubt::lost_thread(facts),
        })
    }
}
