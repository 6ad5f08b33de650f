//! Handles the events of one board, and decides what to publish and when.

use std::sync::Arc;

use draughts::{Color, Move, Position, Square};

use super::accepted_positions::UnexplainedTracker;
use super::forecast::{self, Forecast, UnexplainedBoard};
use super::kings::position_from_occupancy;
use super::proposal::{Conclusion, Proposal, max_hidden_plies};
use super::publish::{apply, play_entered, play_missed, plies_after_gap, resume_at};
use super::waiting_rules::{explained, may_be_odd, released_ply, was_complete};
use super::{fallback, waiting_rules};
use crate::millis::Millis;
use crate::recognition::evidence::{
    ChangeSource, Evidence, Facts, FactsVersion, GapEvidence, MissedEvents, Occupancy, Press, Presses, PublishedState,
    SensedPiece, SeqNo,
};
use crate::recognition::rationale::Rationale;
use crate::recognition::search::{Explanation, SearchBudget, Searcher};
use crate::recognition::settings::Settings;
use crate::recognition::tuning::{times, weights};
use crate::recognition::verdict::{ClockState, PressId, Reason, Rule, Verdict};
use crate::recognition::wait::{Deadline, Wait};

/// Player to whom a press is attributed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LikelyPresser {
    /// Player of the last visible ply.
    pub player: Color,
    /// Whether it may also be the late press of the opponent, whose ply was answered before.
    pub may_be_late: bool,
}

/// Recogniser of one game on one board.
#[derive(Clone, Debug)]
pub struct Recogniser {
    /// Known facts. The rules read them; events and publications change them.
    facts: Facts,
    /// Whether the link is up. Without it nothing is decided.
    is_link_up: bool,
    searcher: Searcher,
    budget: SearchBudget,
    unexplained: UnexplainedTracker,
    forecast: Forecast,
    /// Ply released by lifting another piece, and the time at which it stood.
    released: Option<(Explanation, SeqNo)>,
    /// Inputs of the last evaluation that published nothing.
    last_judgement: Option<(Millis, FactsVersion, bool)>,
    /// Time of the next evaluation, and the condition it waits for.
    deadline: Deadline,
    /// Time of the pending conclusion, and the condition it waits for.
    pending: Option<(Millis, Wait)>,
    /// Evidence of the last verdict.
    rationale: Option<Rationale>,
}

impl Recogniser {
    /// Creates a recogniser for a game at a position, `plies` plies after its start, on a board with this occupancy.
    pub fn new(
        position: Position,
        plies: u32,
        sight: Occupancy,
        clock: ClockState,
        now: Millis,
        settings: Settings,
    ) -> Recogniser {
        let evidence = Evidence::new(sight, now);
        let published = PublishedState::new(position, plies, evidence.next_seq_no());
        let (presses, unheard) = (Presses::default(), MissedEvents::default());
        Recogniser {
            facts: Facts {
                settings,
                clock,
                published,
                evidence,
                presses,
                missed_events: unheard,
                restarted_board: None,
                gap_evidence: None,
            },
            is_link_up: true,
            searcher: Searcher::default(),
            budget: SearchBudget::default(),
            unexplained: UnexplainedTracker::default(),
            forecast: Forecast::default(),
            released: None,
            last_judgement: None,
            deadline: Deadline::default(),
            pending: None,
            rationale: None,
        }
    }

    /// Returns the position after the last published entry.
    pub fn position(&self) -> &Position {
        self.facts.published.position()
    }

    /// Returns the winner if the side to move has no move in that position.
    pub fn winner(&self) -> Option<Color> {
        self.facts.published.winner()
    }

    /// Whether the last published entry is a ply: not a setup, and not the start of the game.
    pub fn ends_with_ply(&self) -> bool {
        self.facts.published.previous().is_some()
    }

    /// Returns the number of plies in the game so far, including hidden ones.
    pub fn plies(&self) -> u32 {
        self.facts.published.plies()
    }

    /// Returns the current contents of the squares.
    pub fn occupancy(&self) -> &Occupancy {
        self.facts.evidence.occupancy()
    }

    /// Handles the report of one square.
    pub fn observe(&mut self, now: Millis, square: Square, seen: Option<SensedPiece>) {
        let let_go = if seen.is_none() { self.released_ply(now, square) } else { None };
        let before = self.facts.evidence.next_seq_no();
        if self.apply_observation(now, square, seen, ChangeSource::Report) {
            self.released = self.released.take().or_else(|| Some((let_go?, before)));
        }
    }

    fn released_ply(&self, now: Millis, lifted: Square) -> Option<Explanation> {
        let known = self.searcher.cached_explanations(&self.facts).filter(|_| self.is_link_up)?;
        released_ply(&self.facts, known, now, lifted)
    }

    fn apply_observation(
        &mut self,
        now: Millis,
        square: Square,
        seen: Option<SensedPiece>,
        source: ChangeSource,
    ) -> bool {
        let Facts { evidence, published, .. } = &mut self.facts;
        let has_changed = evidence.observe(now, square, seen, source);
        if has_changed {
            published.change(square, evidence.next_seq_no());
        }
        has_changed
    }

    /// Handles a dump of the whole board. Changes that were not reported are handled like others, and the next dump
    /// must confirm them.
    pub fn on_dump(&mut self, now: Millis, sight: &Occupancy) {
        let missed = self.facts.evidence.missed(sight);
        for square in missed {
            self.apply_observation(now, square, sight.get(square), ChangeSource::Dump);
        }
        self.facts.evidence.on_dump(now, sight, missed);
        self.facts.missed_events.count_missed(missed.len());
    }

    /// Returns the time at which to request a dump: to confirm the board, and repeatedly while it is unexplained,
    /// because a report may be missing. `None` if the board is confirmed and explained.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        let Facts { evidence, presses, .. } = &self.facts;
        if !evidence.is_dumped() {
            return Some(self.facts.quiet_at());
        }
        self.unexplained.since()?;
        let retry_at = evidence.dumped_at() + times::DUMP_RETRY;
        let pressed = presses.last_at().filter(|&at| at > evidence.dumped_at());
        Some(pressed.map_or(retry_at, |pressed| retry_at.min(pressed)).max(self.facts.quiet_at()))
    }

    /// Handles a lever press. `turn`: side whose time runs now, if known.
    pub fn on_press(&mut self, now: Millis, id: PressId, turn: Option<Color>) {
        self.budget.start_at(now);
        let answered = self.budget.available_at().is_none() && self.is_answered();
        self.facts.presses.record(Press { id, at: now }, turn, self.facts.published.turn(), answered);
        self.facts.missed_events.on_lever(Some(id));
    }

    /// Whether the side that moved last has moved again after a ply of its opponent. The second ply may be illegal.
    fn is_answered(&mut self) -> bool {
        let explanations = self.searcher.explanations(&self.facts, &mut self.budget);
        let mut exact = explanations.iter().filter(|found| found.is_exact()).map(|found| found.plies.len()).peekable();
        if exact.peek().is_some() {
            return exact.any(|plies| plies == 2);
        }
        self.forecast.is_answered(!self.facts.published.turn(), &self.facts.evidence)
    }

    /// Handles a reading of the lever without a press: an outage hid at most one press.
    pub fn lever_observed(&mut self) {
        self.facts.missed_events.on_lever(None);
    }

    /// Sets the side whose time runs, after the meaning of the lever was learned or corrected.
    pub fn set_lever_turn(&mut self, turn: Option<Color>) {
        self.facts.presses.set_turn(turn);
    }

    /// Returns the side whose ply a press would complete now, judging by the visible plies. `None` if ambiguous.
    pub fn likely_presser(&mut self, now: Millis) -> Option<LikelyPresser> {
        self.budget.start_at(now);
        let Recogniser { facts, searcher, budget: effort, .. } = self;
        // A player who forgot to press may press now, so the presser is ambiguous.
        if effort.available_at().is_some() || facts.presses.is_missing() {
            return None;
        }
        let before = facts.presses.len();
        let us = facts.published.turn();
        let explanations = searcher.explanations(facts, effort);
        let plies = explanations.iter().find(|explanation| explanation.is_exact())?.plies.len();
        let next = if before.is_multiple_of(2) { us } else { !us };
        match plies.checked_sub(before)? {
            1 => Some(LikelyPresser { player: next, may_be_late: false }),
            2 if now >= facts.evidence.last_change() + times::PRESS_LAG => {
                Some(LikelyPresser { player: !next, may_be_late: true })
            }
            _ => None,
        }
    }

    /// Whether the board has changed since the last settled position.
    pub fn is_touched(&self) -> bool {
        !self.facts.published.touched(&self.facts.evidence).is_empty()
    }

    /// Whether a piece of the side to move stands on a square where the position has none of its pieces.
    pub fn has_landed(&self) -> bool {
        let turn = self.facts.published.turn();
        let standing = self.facts.evidence.occupancy().squares_of(turn);
        !(standing - self.facts.published.position().placement().pieces_of(turn)).is_empty()
    }

    /// Whether the lever was pressed since the last published ply.
    pub fn has_presses(&self) -> bool {
        !self.facts.presses.is_empty()
    }

    /// Whether the board shows exactly the published position.
    pub fn is_settled(&self) -> bool {
        self.facts.contradictions().is_empty()
    }

    /// Returns the time of the last hand on the board; flickering pieces do not count.
    pub fn quiet_since(&self) -> Millis {
        self.facts.evidence.last_change()
    }

    /// Sets the state of the clock.
    pub fn set_clock(&mut self, clock: ClockState) {
        if let (ClockState::Stopped { since: Some(since) }, ClockState::Running) = (self.facts.clock, clock) {
            self.facts.note_restart(since);
        }
        self.facts.clock = clock;
    }

    /// Sets whether reports count as confirmed, for boards that never send a dump.
    pub fn trust_reports(&mut self, trusts: bool) {
        self.facts.evidence.trust_reports(trusts);
    }

    /// Marks the start position as assumed, because the board has not shown it: the first ply needs its reply.
    pub fn assume_start(&mut self) {
        self.facts.published.assume_start();
    }

    /// Sets the state of the link. Without a link nothing is decided.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        if up && !self.is_link_up {
            self.note_outage(now);
        }
        self.is_link_up = up;
    }

    /// Notes an outage: changes and presses may have been missed.
    pub fn note_outage(&mut self, now: Millis) {
        let Facts { evidence, missed_events: unheard, .. } = &mut self.facts;
        if unheard.resume(now, evidence) {
            evidence.note_disturbance(now);
        }
        evidence.mark_unconfirmed();
        self.released = None;
    }

    /// Handles the return of the link to a board that retains its reports: all events will arrive in order.
    pub fn resume_from_memory(&mut self) {
        self.is_link_up = true;
        self.facts.evidence.mark_unconfirmed();
    }

    /// Returns the time for the next call of [`Recogniser::verdict`] if nothing happens earlier, and the condition it
    /// waits for.
    pub fn deadline(&self) -> Option<(Millis, Wait)> {
        self.deadline.get()
    }

    /// Returns the time of the pending conclusion and the condition it waits for; `None` if nothing is pending.
    pub fn pending_wait(&self) -> Option<(Millis, Wait)> {
        self.pending
    }

    /// Returns the unexplained board; `None` if the board is explained.
    pub fn unexplained(&self) -> Option<UnexplainedBoard<'_>> {
        let since = self.unexplained.since()?;
        let quiet_since = since.max(self.facts.evidence.last_change());
        let readings = self.searcher.interpretations(&self.facts);
        Some(UnexplainedBoard { since, quiet_since, squares: self.facts.contradictions(), interpretations: readings })
    }

    /// Returns the plies that will be published next if nothing changes. They are likely, not final.
    pub fn expected(&self) -> &[Move] {
        self.forecast.expected()
    }

    /// Returns the evidence of the last verdict; `None` if it came from the operator.
    pub fn rationale(&self) -> Option<&Rationale> {
        self.rationale.as_ref()
    }

    /// Removes the deadline until the next event, while the board is not connected.
    pub fn suspend(&mut self) {
        self.deadline.clear();
    }

    /// Takes the events before the last setup.
    pub fn take_gap_evidence(&mut self) -> Option<Arc<GapEvidence>> {
        self.facts.gap_evidence.take()
    }

    /// Returns the events since the published position.
    pub fn gap_evidence(&self) -> GapEvidence {
        self.facts.since_published()
    }

    /// Returns to the published position, because people enter the moves that follow: the contents of the board no longer count.
    pub fn leave_board(&mut self, now: Millis) {
        (self.rationale, self.released, self.unexplained) = (None, None, UnexplainedTracker::default());
        self.pending = None;
        self.deadline.clear();
        self.forecast.clear();
        self.on_dump(now, &Occupancy::from(self.position().placement()));
    }

    /// Plays a legal ply that a person entered.
    pub fn play(&mut self, now: Millis, ply: Move) -> Verdict {
        (self.rationale, self.released, self.unexplained) = (None, None, UnexplainedTracker::default());
        self.forecast.clear();
        let before = *self.position();
        self.on_dump(now, &Occupancy::from(before.play(&ply).placement()));
        play_entered(&mut self.facts, now, ply)
    }

    /// Plays a legal ply that a person added because the board missed it.
    pub fn play_missed(&mut self, now: Millis, ply: Move) -> Verdict {
        (self.rationale, self.released, self.unexplained) = (None, None, UnexplainedTracker::default());
        self.forecast.clear();
        play_missed(&mut self.facts, now, ply)
    }

    /// Sets up a position given by the operator.
    pub fn set_up(&mut self, position: Position) -> Verdict {
        self.go_back(position, plies_after_gap(&self.facts.published, self.facts.presses.len(), position.turn()))
    }

    /// Continues play from an earlier position given by the operator, `plies` plies after the start.
    pub fn go_back(&mut self, position: Position, plies: u32) -> Verdict {
        (self.rationale, self.released, self.unexplained) = (None, None, UnexplainedTracker::default());
        let presses = self.facts.presses.len();
        resume_at(&mut self.facts, position, plies, presses, Reason::Operator)
    }

    /// Sets up the current contents of the board, confirmed by the operator. `None` if they are no position of this
    /// game. `turn`: side to move, if given.
    pub fn set_up_from_sensors(&mut self, turn: Option<Color>) -> Option<Verdict> {
        let facts = &self.facts;
        let turn = turn.or(facts.presses.turn());
        let known = facts.published.position().placement();
        let position = position_from_occupancy(
            facts,
            known,
            facts.evidence.occupancy(),
            turn,
            max_hidden_plies(facts.clock, &facts.presses),
        )?;
        Some(self.set_up(position))
    }

    /// Returns the next verdict that is due. Call it after every event and at the deadline, repeatedly until it returns
    /// `None`.
    pub fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        if self.last_judgement == Some(self.judgement(now)) && self.is_link_up {
            return None;
        }
        self.deadline.clear();
        self.pending = None;
        if !self.is_link_up {
            return None;
        }
        self.budget.start_at(now);
        if let Some(at) = self.budget.available_at() {
            self.deadline.set_earliest(now, Some(at), Wait::NextTick);
            return None;
        }
        if let Some((ply, stood)) = self.released.take() {
            let verdict = self.publish(now, Conclusion::Ply(ply, Rule::Released));
            let passed = self.facts.published.base().passed_squares;
            self.facts.published.set_evidence_start(stood, passed);
            return Some(verdict);
        }
        self.facts.evidence.expire_flicker(now);
        self.deadline.set_earliest(now, self.facts.evidence.flicker_expires_at(), Wait::Flicker);
        if self.facts.contradictions().is_empty() {
            self.clear_unexplained(now);
        }
        let proposal = self.propose(now);
        let Recogniser { facts, searcher, budget: effort, deadline, .. } = self;
        self.forecast.update(now, facts, searcher, effort, deadline);
        self.pending = proposal.as_ref().map(|proposal| (proposal.ready_at, proposal.wait));
        if let Some((at, wait)) = self.pending {
            self.deadline.set_earliest(now, Some(at), wait);
        }
        let Some(proposal) = proposal.filter(|proposal| proposal.ready_at <= now) else {
            self.last_judgement = Some(self.judgement(now));
            return None;
        };
        Some(self.publish(now, proposal.conclusion))
    }

    /// Returns the inputs of an evaluation.
    fn judgement(&self, now: Millis) -> (Millis, FactsVersion, bool) {
        (now, self.facts.version_key(), self.facts.evidence.is_dumped())
    }

    fn publish(&mut self, now: Millis, conclusion: Conclusion) -> Verdict {
        let Recogniser { facts, searcher, budget: effort, forecast: outlook, unexplained, .. } = self;
        let is_ply = matches!(conclusion, Conclusion::Ply(..));
        let explanations = if is_ply { searcher.explanations(facts, effort) } else { [].into() };
        let waited = self.pending.map(|(_, wait)| wait);
        self.rationale = Some(forecast::grounds(facts, &explanations, now, waited, &conclusion));
        outlook.on_publish(&conclusion);
        apply(facts, unexplained, now, conclusion)
    }

    /// Handles a board that shows the published position. Once it has been quiet for a moment, drops touches by
    /// adjusting hands and reverted presses.
    fn clear_unexplained(&mut self, now: Millis) {
        self.unexplained = UnexplainedTracker::default();
        self.forecast.clear();
        let quiet_at = self.facts.quiet_at();
        if !self.facts.evidence.is_confirmed() || now < quiet_at {
            self.deadline.set_earliest(now, Some(quiet_at), Wait::Quiet);
            return;
        }
        let has_cleared = self.facts.clear_pending(now);
        self.deadline.set_earliest(now, has_cleared, Wait::Press);
    }

    /// Returns the conclusion to be published if the board stays unchanged.
    fn propose(&mut self, now: Millis) -> Option<Proposal> {
        let Recogniser { facts, searcher, budget: effort, unexplained, forecast: outlook, deadline, .. } = self;
        if facts.contradictions().is_empty() {
            return fallback::stale_anomaly(facts);
        }
        if let ClockState::Stopped { since } = facts.clock {
            if !was_complete(&facts.evidence, &facts.settings, now, since?) {
                return None;
            }
            return match searcher.explanations(facts, effort).first() {
                Some(best) => waiting_rules::ply_before_stop(facts, best),
                None => fallback::before_stop(facts, fallback::best_fallback(facts, unexplained, outlook, effort)),
            };
        }
        if let Some(since) = facts.missed_events.lever_unknown_since().filter(|_| facts.clock == ClockState::Running) {
            // A running clock reports every second, unless its reports are invalid.
            let waits_until = since + Millis(facts.settings.unexplained_ms);
            if now < waits_until {
                deadline.set_earliest(now, Some(waits_until), Wait::Lever);
                return None;
            }
        }
        let explanations = searcher.explanations(facts, effort);
        if let Some(agreed) = fallback::after_restart(facts, &explanations) {
            return Some(agreed);
        }
        let usable = |explanation: &&Explanation| {
            may_be_odd(&facts.presses, explanation) && explanation.score >= weights::MIN_SCORE
        };
        let best = explanations.iter().find(usable);
        let likely = best.map_or(i32::MIN, |best| best.score);
        let mut proposal = None;
        if likely < weights::GOOD_SCORE {
            let otherwise = fallback::best_fallback(facts, unexplained, outlook, effort);
            proposal = otherwise.filter(|(score, _)| *score > likely).map(|(_, proposal)| proposal);
        }
        if best.is_some() {
            unexplained.clear();
        } else {
            unexplained.record(now, facts, deadline);
            if now < facts.quiet_at() {
                deadline.set_earliest(now, Some(facts.quiet_at()), Wait::Quiet);
            } else {
                searcher.search_interpretations(facts, effort);
            }
        }
        proposal.or_else(|| match best {
            Some(best) => explained(facts, best, &explanations),
            None => fallback::setup_from_sensors(facts),
        })
    }
}
