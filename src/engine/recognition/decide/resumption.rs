//! A move against the rules that was let stand: play went on from the position after it.
//!
//! ```text
//!   published ──▸ legal plies, not published yet ──▸ against the rules ──▸ stands ──▸ a legal reply
//!       └────────────────────── lineage ───────────────────┘                  what is seen now ─┘
//! ```
//!
//! Nothing shows a move against the rules but that no legal one explains the board. So the position after it is sought among
//! those that [stood](super::standing), and the legal reply to it is what proves it. Of several the likeliest counts: how it
//! [came about](super::lineage) says most.
//!
//! | lineage | what is published |
//! |---|---|
//! | one ply against the rules | the setup |
//! | a legal ply that nobody pressed for | that ply; the rest is judged anew |
//! | legal plies before it that nobody has confirmed yet | the first of them; the rest is judged anew |
//! | two plies against the rules | the setup after the first; the rest is judged anew |
//! | the last published ply was taken back | the position before it, as a setup; the rest is judged anew |
//! | nobody can tell | the setup |

use super::kinds::position_of;
use super::lineage::{Lineage, lineage_of, possible_before};
use super::proposal::{Conclusion, Proposal, after, hidden_plies, longer};
use super::standing::{Candidate, Witness};
use crate::engine::recognition::evidence::{Base, Facts, Ordinal};
use crate::engine::recognition::measures::{counts, times, weights, work};
use crate::engine::recognition::search::{Explanation, Question, explain};
use crate::engine::recognition::verdict::{Clock, Rule};
use crate::engine::recognition::wait::Wait;
use draughts::{Move, Position, SquareSet};

/// A legal reply to a position that was not explained.
struct Resumption {
    score: i32,
    position: Position,
    candidate: Candidate,
    lineage: Lineage,
    reply: Explanation,
}

/// A legal reply to a position that was not explained: what went before stands.
pub(super) fn resumption(
    facts: &Facts,
    candidates: Vec<Candidate>,
    foreseen: Option<(&[Move], Ordinal)>,
    work: &mut u32,
) -> Option<(i32, Proposal)> {
    if candidates.is_empty() {
        return None;
    }
    let chronology = facts.chronology();
    let legal = possible_before(facts, foreseen, &chronology);
    let resumptions = candidates.iter().filter_map(|candidate| {
        let lineage = lineage_of(facts, candidate, &candidates, &legal, &chronology);
        reply_to(facts, candidate, lineage, work)
    });
    // Of two that are as likely the earlier: fewer plies are hidden before it.
    let best = resumptions.max_by_key(|found| (found.score, std::cmp::Reverse(found.candidate.at)))?;
    let Resumption { score, position, candidate, lineage, reply } = best;
    let pressed = facts.presses.len() > candidate.presses;
    let answered = reply.plies.len() >= 2;
    let mut wait = match facts.clock {
        // A single legal move may be analysis, where moves follow each other faster.
        Clock::None if !answered && lineage.plies().is_none() => return None,
        Clock::None if !answered => (facts.settings.answered_ms, Wait::NextMove),
        Clock::None => (facts.settings.no_clock_answered_ms, Wait::Quiet),
        _ if pressed || answered => (facts.settings.settle_ms, Wait::Quiet),
        _ => (facts.settings.answered_ms, Wait::Press),
    };
    if !reply.left.is_empty() {
        let blemish = if answered { times::BLEMISH_ANSWERED_MS } else { facts.settings.left_ms };
        wait = longer(wait, (blemish, Wait::Blemish));
    }
    if matches!(lineage, Lineage::Unknown) {
        wait = longer(wait, (times::UNKNOWN_MS, Wait::Quiet));
    }
    let conclusion = match lineage {
        Lineage::Direct | Lineage::Unknown => Conclusion::Resume(candidate, position),
        Lineage::Lawful(ply, _) => Conclusion::Ply(Explanation { behind: reply.plies.len(), ..ply }, Rule::Answered),
        Lineage::Back(previous) => Conclusion::Back(previous, facts.presses.len().saturating_sub(candidate.presses)),
        Lineage::Twice(first, after_first) => Conclusion::Resume(first, after_first),
        Lineage::Legal(legal, _) => {
            let behind = 1 + reply.plies.len();
            Conclusion::Ply(Explanation { behind, ..legal }, Rule::Answered)
        }
    };
    Some((score, after(facts, wait, conclusion)))
}

/// The likeliest reply to a position, if there is one.
fn reply_to(facts: &Facts, candidate: &Candidate, lineage: Lineage, work: &mut u32) -> Option<Resumption> {
    let clockless = facts.clock == Clock::None;
    let unpressed = candidate.witness == Witness::Hand;
    if unpressed && (lineage.plies().is_none() || facts.presses.len() <= candidate.presses) {
        return None;
    }
    let before = match &lineage {
        Lineage::Direct | Lineage::Lawful(..) | Lineage::Unknown => facts.published.position(),
        Lineage::Back(previous) => &previous.base.position,
        Lineage::Legal(_, position) | Lineage::Twice(_, position) => position,
    };
    let turn = lineage.plies().map(|_| !before.turn()).or(candidate.turn);
    // If a press was forgotten, the next press of the opponent changes nothing: it does not count as missing.
    let later = facts.presses.len().saturating_sub(candidate.presses);
    let lever_then = facts.presses.turn().map(|turn| if later.is_multiple_of(2) { turn } else { !turn });
    let left = if let Lineage::Legal(legal, _) = &lineage { legal.left } else { SquareSet::EMPTY };
    let mut sight = candidate.sight;
    left.into_iter().for_each(|square| sight.put(square, None));
    let plies = lineage.plies().map_or(hidden_plies(facts.clock, &facts.presses), |_| 1);
    let position = match &lineage {
        Lineage::Back(previous) => previous.base.position,
        Lineage::Lawful(_, position) => *position,
        _ => position_of(facts, before.placement(), &sight, turn, plies)?,
    };
    let question = Question {
        base: &Base { position, since: candidate.at, passed: SquareSet::EMPTY },
        evidence: &facts.evidence,
        anomalies: facts.published.anomalies().squares() | left,
        presses: (!clockless).then_some(later),
        press_missing: unpressed && lever_then == Some(!position.turn()),
        gap: false,
    };
    let share = work::REPLY.min(*work);
    let mut left = share;
    let replies = explain(&question, counts::REPLY_PLIES, &mut left);
    *work -= share - left;
    let reply = replies.into_iter().find(|reply| reply.odd.is_empty() && reply.score >= weights::INCREDIBLE)?;
    let score = likelihood_of(facts, candidate, &lineage, &position) + reply.score;
    (score >= weights::INCONCEIVABLE).then(|| Resumption {
        score,
        position,
        candidate: candidate.clone(),
        lineage,
        reply,
    })
}

/// How likely it is that a move against the rules brought this position about.
fn likelihood_of(facts: &Facts, candidate: &Candidate, lineage: &Lineage, position: &Position) -> i32 {
    let came_about = match lineage.plies() {
        None if matches!(lineage, Lineage::Back(_)) => 0,
        None => {
            let mover = !position.turn();
            let lost = candidate.sight.of(mover).len() < facts.published.position().placement().of(mover).len();
            weights::UNKNOWN + if lost && candidate.presses <= 1 { weights::LOST } else { 0 }
        }
        Some(_) if candidate.witness == Witness::Hand => weights::UNPRESSED,
        Some(plies) => {
            let again = if matches!(lineage, Lineage::Twice(..)) { weights::STANDS_AGAIN } else { 0 };
            let needed = plies - usize::from(facts.presses.is_missing());
            let pairs = if facts.clock == Clock::None { 0 } else { needed.abs_diff(candidate.presses) / 2 };
            again + weights::PRESSES * pairs as i32
        }
    };
    let briefly = candidate.witness == Witness::Lever { briefly: true };
    let stands = if matches!(lineage, Lineage::Lawful(..)) { 0 } else { weights::ILLEGAL_STANDS };
    stands + came_about + if briefly { weights::PRESSED_BRIEFLY } else { 0 }
}
