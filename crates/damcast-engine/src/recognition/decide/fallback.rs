//! Ways back to a known position when no legal play explains the board.

use draughts::{Color, Move, Position, Setup, SquareSet};

use super::accepted_positions::UnexplainedTracker;
use super::forecast::Forecast;
use super::proposal::{Conclusion, Proposal, committed_at, propose_after_quiet, setup};
use super::resumption::find_resumption;
use super::waiting_rules::{is_disturbed, is_pressed};
use crate::millis::Millis;
use crate::recognition::evidence::{
    BasePosition, Evidence, Facts, PreviousPly, PublishedState, SetupDifference, SquareChange,
};
use crate::recognition::search::{Explanation, SearchBudget, SearchQuery, explain};
use crate::recognition::tuning::{counts, times, weights, work};
use crate::recognition::verdict::{ClockState, Reason};
use crate::recognition::wait::Wait;

/// Returns the likeliest fallback: an accepted illegal move, a move taken back, or a wrong setup. The score is in
/// hundredths of the natural logarithm of odds.
pub(super) fn best_fallback(
    facts: &Facts,
    unexplained: &UnexplainedTracker,
    outlook: &Forecast,
    effort: &mut SearchBudget,
) -> Option<(i32, Proposal)> {
    let (mut work, mut replies_work) = (work::FALLBACK_SEARCH, work::ALL_REPLIES);
    // Among equally likely ones the last in this list wins: it starts from a known position.
    let amendment = setup_correction(facts, &mut work);
    let resumption = find_resumption(facts, unexplained.candidates(facts), outlook.last_quiet(), &mut replies_work);
    let readings = [resumption, retraction(facts, &mut work), amendment];
    effort.spend(work::FALLBACK_SEARCH - work + work::ALL_REPLIES - replies_work);
    readings.into_iter().flatten().max_by_key(|(score, _)| *score)
}

/// Decides on an unexplained position at the stop of the clock, to which no reply will follow.
pub(super) fn before_stop(facts: &Facts, fallback: Option<(i32, Proposal)>) -> Option<Proposal> {
    let ready_at = facts.confirmed_at(times::MAX_REMOVAL_PAUSE.0);
    if let Some((_, proposal)) = fallback {
        return Some(Proposal { ready_at: proposal.ready_at.min(ready_at), ..proposal });
    }
    // The player pressed, so the illegal move stands.
    let stands = !facts.presses.is_empty() && !facts.published.is_chaos(&facts.evidence);
    if stands { setup(facts, ready_at, Reason::IllegalMove) } else { None }
}

/// Proposes the earlier position that stood when the clock restarted: the arbiter stopped it and went back. A single legal ply is
/// rather a move completed while the clock was stopped.
pub(super) fn after_restart(facts: &Facts, explanations: &[Explanation]) -> Option<Proposal> {
    let agreed = facts.agreed_board()?;
    let (position, plies) = facts.published.earlier_position(&agreed.occupancy, agreed.turn)?;
    let is_ply = explanations.iter().any(|found| found.is_exact() && found.plies.len() == 1);
    let conclusion = Conclusion::GoBack(position, plies, *agreed);
    let ready_at = facts.evidence.last_change();
    (!is_ply).then_some(Proposal { ready_at, wait: Wait::Quiet, conclusion })
}

/// Checks whether the side that moved last has taken its move back or replaced it.
fn retraction(facts: &Facts, work: &mut u32) -> Option<(i32, Proposal)> {
    let previous = facts.published.previous()?.clone();
    // The piece must have returned, or have left its destination. A flickering piece proves nothing.
    let mover = previous.base.position.turn();
    let shows =
        |square| facts.evidence.occupancy().color(square) == Some(mover) || facts.evidence.is_flickering(square);
    if shows(previous.ply.to()) && facts.evidence.occupancy().color(previous.ply.from()) != Some(mover) {
        return None;
    }
    let clockless = facts.clock == ClockState::None;
    let wrong =
        facts.evidence.contradictions(previous.base.position.placement()) - facts.published.anomalies().squares();
    if wrong.is_empty() {
        let lever_back = clockless || facts.presses.turn() == Some(previous.base.position.turn());
        let wait = wait_if_disturbed(facts, times::PUT_BACK_MS, &previous, &[]);
        let conclusion = Conclusion::TakeBack(previous, 0);
        return lever_back.then(|| (weights::TAKEN_BACK, propose_after_quiet(facts, (wait, Wait::Quiet), conclusion)));
    }
    let question = SearchQuery {
        base: &previous.base,
        evidence: &facts.evidence,
        anomalies: facts.published.anomalies().squares(),
        presses: None,
        is_press_missing: false,
        has_gap: false,
    };
    let others = explain(&question, counts::MAX_PLIES, work);
    let is_other = |other: &&Explanation| other.is_exact() && other.plies[0] != previous.ply;
    let other = others.iter().find(is_other).filter(|other| weights::TAKEN_BACK + other.score >= weights::MIN_SCORE)?;
    let plies = other.plies.len();
    let next = if plies.is_multiple_of(2) { previous.base.position.turn() } else { facts.published.turn() };
    let pressed = clockless || facts.presses.turn() == Some(next);
    let wait = match plies {
        _ if !pressed => facts.settings.unpressed_ms,
        // An unfinished move looks like many others.
        _ if clockless => facts.settings.no_clock_ms,
        // Without a press since, anybody's hand may be pushing the piece.
        1 if facts.presses.is_empty() => times::PUT_BACK_MS,
        1 => times::REPLACED_MS,
        // An unlikely explanation may be a piece in a hand.
        _ if other.score < weights::GOOD_SCORE => times::REPLACED_MS,
        _ => facts.settings.settle_ms,
    };
    let wait = wait_if_disturbed(facts, wait, &previous, &other.plies);
    let waits = if pressed { Wait::Quiet } else { Wait::Press };
    let proposal = propose_after_quiet(facts, (wait, waits), Conclusion::TakeBack(previous, plies));
    let press = if pressed { 0 } else { weights::PRESS_FORGOTTEN };
    Some((weights::TAKEN_BACK + press + other.score, proposal))
}

/// Returns `wait`, or longer if pieces have fallen: put back wrongly, they may look like another move.
fn wait_if_disturbed(facts: &Facts, wait: u64, previous: &PreviousPly, others: &[Move]) -> u64 {
    let played = others.iter().fold(previous.ply.squares(), |played, ply| played | ply.squares());
    let disturbed = facts.clock != ClockState::None && is_disturbed(facts, &previous.base, played);
    if disturbed { wait.max(facts.settings.chaos_ms) } else { wait }
}

/// Checks whether the last setup was wrong by one square: the plies since are legal if that square is reverted.
fn setup_correction(facts: &Facts, work: &mut u32) -> Option<(i32, Proposal)> {
    if facts.missed_events.has_gap() {
        return None;
    }
    let mut readings = Vec::new();
    for SetupDifference { square, before } in facts.published.setup_differences() {
        let mut placement = *facts.published.position().placement();
        placement.put(*square, *before);
        if Color::BOTH.into_iter().any(|color| placement.pieces_of(color).is_empty()) {
            continue;
        }
        let turn = facts.published.turn();
        let Ok(position) = Position::new(facts.published.position().variant(), Setup { placement, turn }) else {
            continue;
        };
        let question = SearchQuery {
            base: &BasePosition { position, ..*facts.published.base() },
            anomalies: facts.published.anomalies().squares() | SquareSet::from_iter([*square]),
            ..SearchQuery::from_facts(facts)
        };
        let found = explain(&question, counts::MAX_PLIES, work);
        let plays = |found: &&Explanation| {
            let given_up = if facts.clock == ClockState::None {
                found.total_plies() >= 2
            } else {
                is_pressed(&facts.presses, &facts.published, found)
            };
            given_up && found.is_exact() && found.score >= weights::GOOD_SCORE
        };
        readings.extend(found.iter().find(plays).map(|found| (weights::SETUP_WRONG + found.score, position, *square)));
    }
    let (score, position, square) = readings.into_iter().max_by_key(|(score, ..)| *score)?;
    let wait = (facts.settings.mismatch_ms, Wait::Quiet);
    Some((score, propose_after_quiet(facts, wait, Conclusion::CorrectSetup(position, square))))
}

/// Proposes a setup of the current placement after a long time without an explanation.
pub(super) fn setup_from_sensors(facts: &Facts) -> Option<Proposal> {
    let settings = &facts.settings;
    let presses = facts.presses.len();
    let chaos = facts.published.is_chaos(&facts.evidence);
    if facts.published.plies() == 0 {
        // Pieces are still being set up before the first move.
        return None;
    }
    if facts.clock != ClockState::None && is_piece_in_hand(facts) {
        return None;
    }
    let wait = match facts.clock {
        ClockState::None if chaos => return None,
        ClockState::None => settings.unexplained_no_clock_ms,
        _ if facts.missed_events.has_gap() && !facts.published.has_gained(facts.evidence.occupancy()) => {
            return setup(facts, committed_at(facts), Reason::Unexplained);
        }
        _ if presses == 0
            && (chaos
                || facts.contradictions().len() > counts::UNPRESSED_SQUARES
                || is_analysed(&facts.published, &facts.evidence)) =>
        {
            return None;
        }
        _ if chaos && facts.presses.are_many() => times::CHAOS_RESUME_MS,
        _ if chaos => settings.chaos_ms,
        _ if facts.presses.are_many() => times::RESUME_MS,
        _ if presses > 0 => settings.unexplained_ms,
        _ => settings.unexplained_unpressed_ms,
    };
    let last_press = facts.presses.last_at().unwrap_or_default();
    let ready_at = facts.confirmed_at(wait).max(last_press + Millis(wait));
    setup(facts, ready_at, Reason::Unexplained)
}

/// Whether the board lacks only the piece of a ply that has begun, and possibly pieces that this ply captures: the player holds it and
/// thinks, for as long as they like. The lever shows that the player is to move, perhaps after a press that was reverted, or after
/// the last published ply was taken back.
fn is_piece_in_hand(facts: &Facts) -> bool {
    let lever = facts.presses.turn();
    let is_due = |position: &Position| lever == Some(position.turn());
    let position = facts.published.position();
    let lacks_piece = (facts.presses.is_empty() || is_due(position)) && lacks_only_piece_of_ply(facts, position);
    let before = facts.published.previous().map(|previous| &previous.base.position).filter(|before| is_due(before));
    lacks_piece || before.is_some_and(|before| lacks_only_piece_of_ply(facts, before))
}

/// Whether the board shows a position without the piece of a legal ply, and possibly without pieces that this ply captures.
fn lacks_only_piece_of_ply(facts: &Facts, position: &Position) -> bool {
    let placement = position.placement();
    let wrong = facts.evidence.contradictions(placement) - facts.published.anomalies().squares();
    let is_gone = |square| facts.evidence.occupancy().color(square).is_none() && placement.color(square).is_some();
    if wrong.is_empty() || !wrong.into_iter().all(is_gone) {
        return false;
    }
    if wrong.len() == 1 {
        return true;
    }
    let own = placement.pieces_of(position.turn());
    let mut work = work::PRIOR_PLIES;
    let legal = position.legal_moves_bounded(&mut work).unwrap_or_default();
    (wrong & own).len() == 1
        && legal.iter().any(|ply| {
            wrong.contains(ply.from()) && (wrong - SquareSet::from_iter([ply.from()]) - ply.captured()).is_empty()
        })
}

/// Whether pieces were put down more often than in a ply and its reply. Without a press that is analysis.
fn is_analysed(published: &PublishedState, evidence: &Evidence) -> bool {
    let changes: Vec<_> = evidence.changes_since(published.base().evidence_start).collect();
    let is_put_down = |&(index, change): &(usize, &&SquareChange)| {
        let square = change.square;
        let is_new = change.after.is_some() && change.after != published.position().placement().color(square);
        let gone = changes[index + 1..].iter().find(|later| later.square == square);
        is_new
            && !evidence.is_flickering(square)
            && gone.is_none_or(|gone| gone.at >= change.at + times::MAX_REMOVAL_PAUSE)
    };
    changes.iter().enumerate().filter(is_put_down).count() > counts::PUT_DOWN
}

/// Proposes a setup with a piece too many or too few that has remained for several plies. Captured pieces left on the
/// board do not count, because players will remove them.
pub(super) fn stale_anomaly(facts: &Facts) -> Option<Proposal> {
    if facts.clock != ClockState::Running {
        return None;
    }
    let stale_since = facts.published.anomalies().oldest_stale(facts.published.plies())?;
    setup(facts, (stale_since + times::STALE_SPAN).max(facts.confirmed_at(facts.settings.settle_ms)), Reason::Anomaly)
}
