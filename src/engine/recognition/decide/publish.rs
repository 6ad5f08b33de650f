//! What a conclusion changes: the position that is published, and what counts as evidence from there on.

use super::belief::is_given_up;
use super::proposal::Conclusion;
use super::standing::Unexplained;
use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{Doubtful, Facts, Published, Rest};
use crate::engine::recognition::measures::counts;
use crate::engine::recognition::search::Explanation;
use crate::engine::recognition::verdict::{Reason, Rule, Verdict};
use draughts::{Color, Position, Square, SquareSet};

/// Publishes what is concluded.
pub(super) fn publish(
    facts: &mut Facts,
    unexplained: &mut Unexplained,
    now: Millis,
    conclusion: Conclusion,
) -> Verdict {
    let kept = std::mem::take(unexplained);
    match conclusion {
        Conclusion::Ply(explanation, rule) => {
            let presses = facts.presses.len();
            let verdict = play(facts, now, &explanation, rule);
            *unexplained = kept;
            unexplained.take_presses_off(presses - facts.presses.len());
            verdict
        }
        Conclusion::Back(previous, since) => {
            // Those presses are of what was played instead.
            let before = facts.presses.len().saturating_sub(since);
            let plies = facts.published.plies() - 1;
            let verdict = take_up(facts, previous.base.position, plies, before, Reason::TakenBack);
            facts.published.count_from(previous.base.since, previous.base.passed);
            verdict
        }
        Conclusion::Resume(candidate, position) => {
            let plies = plies_after_gap(&facts.published, candidate.presses, position.turn());
            let verdict = take_up(facts, position, plies, candidate.presses, Reason::IllegalMove);
            *unexplained = kept.after(&candidate);
            facts.published.count_from(candidate.at, SquareSet::EMPTY);
            verdict
        }
        Conclusion::Amend(position, square) => amend(facts, now, position, square),
        Conclusion::Setup(position, reason) => set_up_what_is_seen(facts, position, reason),
    }
}

/// Publishes the first ply of an explanation.
fn play(facts: &mut Facts, now: Millis, explanation: &Explanation, rule: Rule) -> Verdict {
    let ply = explanation.plies[0].clone();
    let before = *facts.published.position();
    let plies = explanation.count();
    let rest = Rest { plies: plies - 1, is_given_up: is_given_up(facts, explanation) };
    let press = facts.presses.publish(plies, before.turn(), facts.clock, rest.is_given_up);
    let (left, odd) = if plies == 1 {
        (explanation.left, explanation.odd)
    } else {
        (explanation.left & ply.captured(), SquareSet::EMPTY)
    };
    facts.published.play(now, ply.clone(), left, odd, rest, &facts.evidence);
    Verdict::Ply { before, ply, press: press.map(|press| press.id), rule, explained: plies }
}

fn amend(facts: &mut Facts, now: Millis, position: Position, square: Square) -> Verdict {
    let base = *facts.published.base();
    let verdict = take_up(facts, position, facts.published.plies(), 0, Reason::Amended);
    facts.published.count_from(base.since, base.passed);
    if facts.evidence.contradictions(position.placement()).contains(square) {
        facts.published.excuse(now, square);
    }
    verdict
}

fn set_up_what_is_seen(facts: &mut Facts, position: Position, reason: Reason) -> Verdict {
    let known = *facts.published.position().placement();
    let changed = known.occupied() | position.placement().occupied();
    let changed = changed.into_iter().filter(|&square| known.color(square) != position.placement().color(square));
    let doubtful = changed.map(|square| Doubtful { square, before: known.get(square) }).collect::<Vec<_>>();
    let presses = facts.presses.len();
    let plies = if reason == Reason::Anomaly && position.turn() == facts.published.turn() {
        facts.published.plies()
    } else {
        plies_after_gap(&facts.published, presses, position.turn())
    };
    let verdict = take_up(facts, position, plies, presses, reason);
    if reason == Reason::Anomaly && doubtful.len() <= counts::MOST_DOUBTFUL {
        facts.published.doubt(doubtful);
    }
    verdict
}

/// How many plies have passed when play goes on after a gap: one for each press, at least one, and one more if the
/// turn says so.
pub(super) fn plies_after_gap(published: &Published, presses: usize, turn: Color) -> u32 {
    let passed = presses.max(1) as u32;
    let expected = if passed.is_multiple_of(2) { published.turn() } else { !published.turn() };
    published.plies() + passed + u32::from(turn != expected)
}

/// Play goes on from a position, so many plies after the start of the game; so many presses came before it.
pub(super) fn take_up(facts: &mut Facts, position: Position, plies: u32, presses: usize, reason: Reason) -> Verdict {
    let press = facts.set_up(position, plies, presses);
    Verdict::Setup { position, plies, press, reason }
}
