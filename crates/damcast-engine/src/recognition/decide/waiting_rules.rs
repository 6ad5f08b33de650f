//! Determines how long the board must be quiet before an explanation is accepted, depending on the evidence.

use draughts::{Move, Square, SquareSet};

use super::proposal::{Conclusion, Proposal, committed_at, longer_wait, propose_after_quiet, setup};
use crate::millis::Millis;
use crate::recognition::evidence::{BasePosition, Evidence, Facts, Presses, PublishedState, SquareChange};
use crate::recognition::search::Explanation;
use crate::recognition::settings::Settings;
use crate::recognition::tuning::{counts, times, weights};
use crate::recognition::verdict::{ClockState, Reason, Rule};
use crate::recognition::wait::Wait;

/// Whether the explanation may leave a square wrong: only after a press or a reply.
pub(super) fn may_be_odd(presses: &Presses, explanation: &Explanation) -> bool {
    explanation.mismatched.is_empty() || !presses.is_empty() || explanation.plies.len() >= 2
}

/// Whether the board has not changed since the clock stopped a short time ago.
pub(super) fn was_complete(evidence: &Evidence, settings: &Settings, now: Millis, stopped: Millis) -> bool {
    evidence.last_change() <= stopped && now <= stopped + Millis(settings.stopped_ms)
}

/// Proposes a ply that was complete when the clock stopped.
pub(super) fn ply_before_stop(facts: &Facts, best: &Explanation) -> Option<Proposal> {
    if !best.mismatched.is_empty()
        || (best.plies.len() > counts::PLIES_BEFORE_STOP && !is_pressed(&facts.presses, &facts.published, best))
    {
        return None;
    }
    // Players stop the clock when pieces are knocked over, so a piece may have been put back wrongly.
    if !is_committed(facts, best) && is_restored_with_others(facts, &best.plies) {
        return None;
    }
    Some(propose_after_quiet(
        facts,
        (facts.settings.settle_ms, Wait::Quiet),
        Conclusion::Ply(best.clone(), Rule::BeforeStop),
    ))
}

/// Proposes the first ply of the best explanation, with its waiting time.
pub(super) fn explained(facts: &Facts, best: &Explanation, all: &[Explanation]) -> Option<Proposal> {
    let settings = &facts.settings;
    let answered = best.plies.len() >= 2;
    if facts.published.is_assumed() && !answered {
        return None;
    }
    if facts.missed_events.has_gap() && best.plies.len() > counts::MAX_HIDDEN_PLIES {
        return setup(facts, committed_at(facts), Reason::Unexplained);
    }
    let pressed = is_committed(facts, best);
    let (rule, wait, waits) = match facts.clock {
        ClockState::None if answered => (Rule::Replied, settings.no_clock_replied_ms, Wait::Quiet),
        ClockState::None if !best.plies[0].captured().is_empty() && best.leftover.is_empty() => {
            (Rule::NoClock, settings.no_clock_ms.min(times::CLEARED_MS), Wait::Quiet)
        }
        ClockState::None => (Rule::NoClock, settings.no_clock_ms, Wait::Quiet),
        _ if pressed => (if answered { Rule::Replied } else { Rule::Pressed }, settings.settle_ms, Wait::Quiet),
        _ if answered => (Rule::Replied, settings.replied_ms, Wait::Press),
        _ if facts.presses.is_missing() => (Rule::Unpressed, settings.out_of_step_ms, Wait::Press),
        _ => (Rule::Unpressed, settings.unpressed_ms, Wait::Press),
    };
    let mut wait = (wait, waits);
    if pressed && best.plies.len() == 1 && !best.plies[0].is_capture() && shares_press(facts, 1) {
        wait = longer_wait(wait, (times::HESITATION_MS, Wait::NextMove));
    }
    if !best.leftover.is_empty() {
        let blemish = if answered { times::CLEANUP_AFTER_REPLY_MS } else { settings.leftover_ms };
        wait = longer_wait(wait, (blemish, Wait::Cleanup));
    }
    if !best.mismatched.is_empty() {
        let blemish = if answered { times::CLEANUP_AFTER_REPLY_MS } else { settings.mismatch_ms };
        wait = longer_wait(wait, (blemish, Wait::Cleanup));
        if facts.evidence.trusts_reports() && !facts.evidence.is_dumped() {
            // The wrong square may be a lost report, and this board sends no dump to correct it.
            wait.0 += settings.unconfirmed_ms;
        }
    }
    if best.score < weights::GOOD_SCORE {
        let unlikely = if facts.clock == ClockState::None { settings.leftover_ms } else { times::UNLIKELY_MS };
        wait = longer_wait(wait, (unlikely, Wait::Quiet));
    }
    let first = &best.plies[0];
    let contradicts = |rival: &&Explanation| {
        if facts.missed_events.has_gap() {
            // After an outage two explanations differ unless one starts with the other.
            return !rival.plies.starts_with(&best.plies) && !best.plies.starts_with(&rival.plies);
        }
        rival.plies[0] != *first
    };
    let rival = all.iter().find(contradicts);
    if let Some(rival) = rival.filter(|rival| best.score - rival.score < weights::AMBIGUOUS) {
        let same_ends = !facts.missed_events.has_gap()
            && rival.plies[0].from() == first.from()
            && rival.plies[0].to() == first.to();
        if same_ends {
            // Both plies move the piece equally but capture different pieces; the removal will decide.
            return None;
        }
        if facts.missed_events.has_gap() {
            return setup(facts, committed_at(facts), Reason::Unexplained);
        }
        wait = longer_wait(wait, (settings.ambiguous_ms, Wait::NextMove));
    }
    if !pressed && is_restored_with_others(facts, &best.plies) {
        wait = match (facts.clock, best.plies.len()) {
            // No press is possible, and pieces put back wrongly may also imitate a reply.
            (ClockState::None, 1) => longer_wait(wait, (settings.chaos_ms, Wait::NextMove)),
            (ClockState::None, 2) => longer_wait(wait, (settings.no_clock_ms, Wait::Quiet)),
            (ClockState::None, _) => wait,
            // After a real ply the player will press, or the opponent will reply and press.
            _ => return None,
        };
    }
    if facts.clock != ClockState::None && !pressed {
        // Several plies without a press are analysis on the board while the clock runs.
        wait = match facts.presses.plies_without_press() {
            0 => wait,
            1 => longer_wait(wait, (settings.unpressed_ms, Wait::Press)),
            _ => longer_wait(wait, (times::ANALYSIS_MS, Wait::Press)),
        };
    }
    Some(propose_after_quiet(facts, wait, Conclusion::Ply(best.clone(), rule)))
}

/// Returns the ply that lifting this piece completes, on a board without a clock. The ply stood complete, and a player
/// who wanted to change it would lift the moved piece instead.
pub(super) fn released_ply(facts: &Facts, found: &[Explanation], now: Millis, lifted: Square) -> Option<Explanation> {
    let stands = facts.evidence.is_confirmed() && now >= facts.evidence.last_change() + times::MAX_REMOVAL_PAUSE;
    if facts.clock != ClockState::None || !stands || facts.missed_events.has_gap() {
        return None;
    }
    let best = found.first()?;
    let is_sure = best.plies.len() == 1 && best.is_exact() && best.score >= weights::GOOD_SCORE;
    let rival = found.iter().find(|rival| rival.plies[0] != best.plies[0]);
    let is_clear = rival.is_none_or(|rival| best.score - rival.score >= weights::AMBIGUOUS);
    // The lifted piece is not the moved one, and no longer capture between the same squares takes it.
    let is_longer = |rival: &Explanation| {
        let (ply, rival) = (&best.plies[0], &rival.plies[0]);
        (rival.from(), rival.to()) == (ply.from(), ply.to()) && rival.captured().contains(lifted)
    };
    let other = best.plies[0].to() != lifted && !found.iter().any(is_longer);
    let other = other && facts.evidence.stands_firmly(now, lifted) && !is_restored_with_others(facts, &best.plies);
    (is_sure && is_clear && other).then(|| best.clone())
}

/// Whether several pieces of a position were off their squares at once without being moved by a ply. Ignores `excused`
/// squares.
pub(super) fn is_disturbed(facts: &Facts, base: &BasePosition, excused: SquareSet) -> bool {
    displaced_since(facts, base, excused).any(|(_, away)| away.len() > counts::MAX_DISPLACED_PIECES)
}

/// Whether several pieces were off the board together with the piece of the first ply. They may have fallen, and the
/// piece may have been put back wrongly.
fn is_restored_with_others(facts: &Facts, plies: &[Move]) -> bool {
    let Some(ply) = plies.first() else { return false };
    let played = plies.iter().fold(SquareSet::EMPTY, |played, ply| played | ply.squares());
    let mover = Some(facts.published.turn());
    let theirs = facts.published.position().placement().pieces_of(!facts.published.turn());
    // A hand that plays without capturing has no reason to lift a piece of the opponent.
    let is_quiet = facts.clock != ClockState::None && plies.len() == 1 && !ply.is_capture();
    let (mut in_air, mut among_others) = (false, false);
    for (change, away) in displaced_since(facts, facts.published.base(), played) {
        let stands = change.after == mover;
        if change.square == ply.from() && !stands {
            (in_air, among_others) = (true, false);
        }
        let is_odd = away.len() > counts::MAX_DISPLACED_PIECES || (is_quiet && !(away & theirs).is_empty());
        among_others |= in_air && is_odd;
        in_air &= !(stands && [ply.from(), ply.to()].contains(&change.square));
    }
    among_others
}

/// Returns each change since a position, with the squares from which pieces of that position are missing after it.
/// Ignores `excused` squares, and those passed by published plies until these plies are complete there.
fn displaced_since<'a>(
    facts: &'a Facts,
    base: &BasePosition,
    excused: SquareSet,
) -> impl Iterator<Item = (&'a SquareChange, SquareSet)> + use<'a> {
    let placement = *base.position.placement();
    let doubtful = (0..Square::MAX_COUNT as u8).map(Square::new).filter(|&square| facts.evidence.is_flickering(square));
    let mut passed = base.passed_squares;
    let watched = placement.occupied() - excused - facts.published.anomalies().squares() - doubtful.collect();
    facts.evidence.changes_since(base.evidence_start).scan(SquareSet::EMPTY, move |away, change| {
        if watched.contains(change.square) {
            if change.after == placement.color(change.square) {
                // A published ply is complete there; from now on the square counts.
                passed.remove(change.square);
                away.remove(change.square);
            } else if passed.contains(change.square) {
                // Still part of a published ply.
            } else {
                away.insert(change.square);
            }
        }
        Some((change, *away))
    })
}

/// Whether a press commits the first ply.
///
/// A press also commits the plies that remain of an explanation it has confirmed: after a forgotten press the opponent cannot press
/// either, so there are fewer presses than plies. The last of them must be the ply whose press the lever shows.
pub(super) fn is_committed(facts: &Facts, best: &Explanation) -> bool {
    let (plies, turn) = (best.total_plies(), facts.published.turn());
    let rest = facts.published.remaining_plies(&facts.evidence).filter(|rest| rest.is_given_up && rest.plies == plies);
    is_pressed(&facts.presses, &facts.published, best)
        || (rest.is_some() && (plies >= 2 || facts.presses.turn() == Some(!turn)))
}

/// Whether one press alone confirms three plies or more, or confirmed them when the first of them was published. It may be the late press
/// of the first ply: the opponent and then the player have replied before it.
pub(super) fn shares_press(facts: &Facts, plies: usize) -> bool {
    let rest = facts.published.remaining_plies(&facts.evidence);
    facts.presses.len() == 1 && (plies >= 3 || rest.is_some_and(|rest| rest.shares_press))
}

/// Whether the presses since the published position alone commit the first ply.
pub(super) fn is_pressed(presses: &Presses, published: &PublishedState, best: &Explanation) -> bool {
    presses.is_committed(best.total_plies(), published.turn())
}
