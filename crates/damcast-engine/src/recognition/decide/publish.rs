//! Applies a conclusion to the published position and to the evidence that counts from there.

use std::sync::Arc;

use draughts::{Color, Move, Position, Square, SquareSet};

use super::accepted_positions::UnexplainedTracker;
use super::proposal::Conclusion;
use super::waiting_rules::{is_committed, shares_press};
use crate::millis::Millis;
use crate::recognition::evidence::{Facts, PublishedState, RemainingPlies, SetupDifference};
use crate::recognition::search::Explanation;
use crate::recognition::tuning::counts;
use crate::recognition::verdict::{Reason, Rule, Verdict};

/// Publishes a conclusion and returns its verdict.
pub(super) fn apply(
    facts: &mut Facts,
    unexplained: &mut UnexplainedTracker,
    now: Millis,
    conclusion: Conclusion,
) -> Verdict {
    let saved = std::mem::take(unexplained);
    match conclusion {
        Conclusion::Ply(explanation, rule) => {
            let presses = facts.presses.len();
            let verdict = apply_ply(facts, now, &explanation, rule);
            *unexplained = saved;
            unexplained.subtract_presses(presses - facts.presses.len());
            verdict
        }
        Conclusion::TakeBack(previous, since) => {
            // These presses belong to the plies played instead.
            let before = facts.presses.len().saturating_sub(since);
            let plies = facts.published.plies() - 1;
            let verdict = resume_at(facts, previous.base.position, plies, before, Reason::TakenBack);
            facts.published.set_evidence_start(previous.base.evidence_start, previous.base.passed_squares);
            verdict
        }
        Conclusion::Resume(candidate, position) => {
            let plies = plies_after_gap(&facts.published, candidate.presses, position.turn());
            let verdict = resume_at(facts, position, plies, candidate.presses, Reason::IllegalMove);
            *unexplained = saved.prune_to(&candidate);
            facts.published.set_evidence_start(candidate.at, SquareSet::EMPTY);
            verdict
        }
        Conclusion::GoBack(position, plies, agreed) => {
            let verdict = resume_at(facts, position, plies, agreed.presses, Reason::TakenBack);
            facts.published.set_evidence_start(agreed.at, SquareSet::EMPTY);
            verdict
        }
        Conclusion::CorrectSetup(position, square) => amend(facts, now, position, square),
        Conclusion::Setup(position, reason) => set_up_from_sensors(facts, position, reason),
    }
}

fn apply_ply(facts: &mut Facts, now: Millis, explanation: &Explanation, rule: Rule) -> Verdict {
    let ply = explanation.plies[0].clone();
    let before = *facts.published.position();
    let plies = explanation.total_plies();
    let rest = RemainingPlies {
        plies: plies - 1,
        is_given_up: is_committed(facts, explanation),
        shares_press: shares_press(facts, plies),
    };
    let press = facts.presses.publish(plies, before.turn(), facts.clock, rest.is_given_up);
    let (left, odd) = if plies == 1 {
        (explanation.leftover, explanation.mismatched)
    } else {
        (explanation.leftover & ply.captured(), SquareSet::EMPTY)
    };
    facts.published.apply_ply(now, ply.clone(), left, odd, rest, &facts.evidence);
    Verdict::Ply { before, ply, press: press.map(|press| press.id), rule, explanation_plies: plies }
}

/// Publishes a ply that a person entered, on squares that show it.
pub(super) fn play_entered(facts: &mut Facts, now: Millis, ply: Move) -> Verdict {
    let before = *facts.published.position();
    let rest = RemainingPlies { plies: 0, is_given_up: false, shares_press: false };
    facts.published.apply_ply(now, ply.clone(), SquareSet::EMPTY, SquareSet::EMPTY, rest, &facts.evidence);
    facts.clear_pending(now);
    Verdict::Ply { before, ply, press: None, rule: Rule::Entered, explanation_plies: 1 }
}

/// Publishes a ply that a person added because the board missed it. All events so far belong to it and to plies before it.
pub(super) fn play_missed(facts: &mut Facts, now: Millis, ply: Move) -> Verdict {
    let before = *facts.published.position();
    let rest = RemainingPlies { plies: 0, is_given_up: false, shares_press: false };
    facts.published.apply_ply(now, ply.clone(), SquareSet::EMPTY, SquareSet::EMPTY, rest, &facts.evidence);
    facts.published.set_evidence_start(facts.evidence.next_seq_no(), SquareSet::EMPTY);
    facts.restarted_board = None;
    facts.missed_events.close_gap();
    facts.presses.set_up(facts.presses.len());
    Verdict::Ply { before, ply, press: None, rule: Rule::Entered, explanation_plies: 1 }
}

fn amend(facts: &mut Facts, now: Millis, position: Position, square: Square) -> Verdict {
    let base = *facts.published.base();
    let verdict = resume_at(facts, position, facts.published.plies(), 0, Reason::SetupCorrected);
    facts.published.set_evidence_start(base.evidence_start, base.passed_squares);
    if facts.evidence.contradictions(position.placement()).contains(square) {
        facts.published.add_anomaly(now, square);
    }
    verdict
}

fn set_up_from_sensors(facts: &mut Facts, position: Position, reason: Reason) -> Verdict {
    let known = *facts.published.position().placement();
    let changed = known.occupied() | position.placement().occupied();
    let changed = changed.into_iter().filter(|&square| known.color(square) != position.placement().color(square));
    let doubtful = changed.map(|square| SetupDifference { square, before: known.get(square) }).collect::<Vec<_>>();
    let presses = facts.presses.len();
    let plies = if reason == Reason::Anomaly && position.turn() == facts.published.turn() {
        facts.published.plies()
    } else {
        plies_after_gap(&facts.published, presses, position.turn())
    };
    let verdict = resume_at(facts, position, plies, presses, reason);
    if reason == Reason::Anomaly && doubtful.len() <= counts::MAX_SETUP_DIFFERENCES {
        facts.published.set_setup_differences(doubtful);
    }
    verdict
}

/// Returns the ply number at which play continues after a gap: one ply per press, at least one, and one more if the
/// side to move requires it.
pub(super) fn plies_after_gap(published: &PublishedState, presses: usize, turn: Color) -> u32 {
    let passed = presses.max(1) as u32;
    let expected = if passed.is_multiple_of(2) { published.turn() } else { !published.turn() };
    published.plies() + passed + u32::from(turn != expected)
}

/// Continues play from a position, `plies` plies after the start of the game and after `presses` presses.
pub(super) fn resume_at(facts: &mut Facts, position: Position, plies: u32, presses: usize, reason: Reason) -> Verdict {
    facts.gap_evidence = Some(Arc::new(facts.since_published()));
    let press = facts.set_up(position, plies, presses);
    Verdict::Setup { position, plies, press, reason }
}
