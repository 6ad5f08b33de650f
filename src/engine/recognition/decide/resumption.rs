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

use super::accepted_positions::{AcceptanceEvidence, AcceptedPosition};
use super::kings::position_from_occupancy;
use super::origin::{PositionOrigin, find_origin, possible_prior_plies};
use super::proposal::{Conclusion, Proposal, longer_wait, max_hidden_plies, propose_after_quiet};
use crate::engine::recognition::evidence::{BasePosition, Facts, SeqNo};
use crate::engine::recognition::search::{Explanation, SearchQuery, explain};
use crate::engine::recognition::tuning::{counts, times, weights, work};
use crate::engine::recognition::verdict::{ClockState, Rule};
use crate::engine::recognition::wait::Wait;
use draughts::{Move, Position, SquareSet};

/// A legal reply to a position that was not explained.
struct Resumption {
    score: i32,
    position: Position,
    accepted: AcceptedPosition,
    origin: PositionOrigin,
    reply: Explanation,
}

/// A legal reply to a position that was not explained: what went before stands.
pub(super) fn find_resumption(
    facts: &Facts,
    candidates: Vec<AcceptedPosition>,
    foreseen: Option<(&[Move], SeqNo)>,
    work: &mut u32,
) -> Option<(i32, Proposal)> {
    if candidates.is_empty() {
        return None;
    }
    let chronology = facts.chronology();
    let legal = possible_prior_plies(facts, foreseen, &chronology);
    let resumptions = candidates.iter().filter_map(|candidate| {
        let lineage = find_origin(facts, candidate, &candidates, &legal, &chronology);
        likeliest_reply(facts, candidate, lineage, work)
    });
    // Of two that are as likely the earlier: fewer plies are hidden before it.
    let best = resumptions.max_by_key(|found| (found.score, std::cmp::Reverse(found.accepted.at)))?;
    let Resumption { score, position, accepted: candidate, origin: lineage, reply } = best;
    let pressed = facts.presses.len() > candidate.presses;
    let answered = reply.plies.len() >= 2;
    let mut wait = match facts.clock {
        // A single legal move may be analysis, where moves follow each other faster.
        ClockState::None if !answered && lineage.plies().is_none() => return None,
        ClockState::None if !answered => (facts.settings.replied_ms, Wait::NextMove),
        ClockState::None => (facts.settings.no_clock_answered_ms, Wait::Quiet),
        _ if pressed || answered => (facts.settings.settle_ms, Wait::Quiet),
        _ => (facts.settings.replied_ms, Wait::Press),
    };
    if !reply.leftover.is_empty() {
        let blemish = if answered { times::CLEANUP_AFTER_REPLY_MS } else { facts.settings.leftover_ms };
        wait = longer_wait(wait, (blemish, Wait::Cleanup));
    }
    if matches!(lineage, PositionOrigin::Unknown) {
        wait = longer_wait(wait, (times::UNKNOWN_MS, Wait::Quiet));
    }
    let conclusion = match lineage {
        PositionOrigin::IllegalPly | PositionOrigin::Unknown => Conclusion::Resume(candidate, position),
        PositionOrigin::LegalPly(ply, _) => {
            Conclusion::Ply(Explanation { unexplained_plies: reply.plies.len(), ..ply }, Rule::Replied)
        }
        PositionOrigin::TakenBack(previous) => {
            Conclusion::TakeBack(previous, facts.presses.len().saturating_sub(candidate.presses))
        }
        PositionOrigin::TwoIllegal(first, after_first) => Conclusion::Resume(first, after_first),
        PositionOrigin::LegalThenIllegal(legal, _) => {
            let behind = 1 + reply.plies.len();
            Conclusion::Ply(Explanation { unexplained_plies: behind, ..legal }, Rule::Replied)
        }
    };
    Some((score, propose_after_quiet(facts, wait, conclusion)))
}

/// The likeliest reply to a position, if there is one.
fn likeliest_reply(
    facts: &Facts,
    candidate: &AcceptedPosition,
    lineage: PositionOrigin,
    work: &mut u32,
) -> Option<Resumption> {
    let clockless = facts.clock == ClockState::None;
    let unpressed = candidate.evidence == AcceptanceEvidence::ReplyStarted;
    if unpressed && (lineage.plies().is_none() || facts.presses.len() <= candidate.presses) {
        return None;
    }
    let before = match &lineage {
        PositionOrigin::IllegalPly | PositionOrigin::LegalPly(..) | PositionOrigin::Unknown => {
            facts.published.position()
        }
        PositionOrigin::TakenBack(previous) => &previous.base.position,
        PositionOrigin::LegalThenIllegal(_, position) | PositionOrigin::TwoIllegal(_, position) => position,
    };
    let turn = lineage.plies().map(|_| !before.turn()).or(candidate.turn);
    // If a press was forgotten, the next press of the opponent changes nothing: it does not count as missing.
    let later = facts.presses.len().saturating_sub(candidate.presses);
    let lever_then = facts.presses.turn().map(|turn| if later.is_multiple_of(2) { turn } else { !turn });
    let left =
        if let PositionOrigin::LegalThenIllegal(legal, _) = &lineage { legal.leftover } else { SquareSet::EMPTY };
    let mut sight = candidate.occupancy;
    left.into_iter().for_each(|square| sight.put(square, None));
    let plies = lineage.plies().map_or(max_hidden_plies(facts.clock, &facts.presses), |_| 1);
    let position = match &lineage {
        PositionOrigin::TakenBack(previous) => previous.base.position,
        PositionOrigin::LegalPly(_, position) => *position,
        _ => position_from_occupancy(facts, before.placement(), &sight, turn, plies)?,
    };
    let question = SearchQuery {
        base: &BasePosition { position, evidence_start: candidate.at, passed_squares: SquareSet::EMPTY },
        evidence: &facts.evidence,
        anomalies: facts.published.anomalies().squares() | left,
        presses: (!clockless).then_some(later),
        is_press_missing: unpressed && lever_then == Some(!position.turn()),
        has_gap: false,
    };
    let share = work::ONE_REPLY.min(*work);
    let mut left = share;
    let replies = explain(&question, counts::MAX_REPLY_PLIES, &mut left);
    *work -= share - left;
    let reply = replies.into_iter().find(|reply| reply.mismatched.is_empty() && reply.score >= weights::MIN_SCORE)?;
    let score = origin_score(facts, candidate, &lineage, &position) + reply.score;
    (score >= weights::MIN_ORIGIN_SCORE).then(|| Resumption {
        score,
        position,
        accepted: candidate.clone(),
        origin: lineage,
        reply,
    })
}

/// How likely it is that a move against the rules brought this position about.
fn origin_score(facts: &Facts, candidate: &AcceptedPosition, lineage: &PositionOrigin, position: &Position) -> i32 {
    let came_about = match lineage.plies() {
        None if matches!(lineage, PositionOrigin::TakenBack(_)) => 0,
        None => {
            let mover = !position.turn();
            let lost = candidate.occupancy.squares_of(mover).len()
                < facts.published.position().placement().pieces_of(mover).len();
            weights::UNKNOWN + if lost && candidate.presses <= 1 { weights::LOST } else { 0 }
        }
        Some(_) if candidate.evidence == AcceptanceEvidence::ReplyStarted => weights::UNPRESSED,
        Some(plies) => {
            let again =
                if matches!(lineage, PositionOrigin::TwoIllegal(..)) { weights::NEXT_ILLEGAL_STANDS } else { 0 };
            let needed = plies - usize::from(facts.presses.is_missing());
            let pairs = if facts.clock == ClockState::None { 0 } else { needed.abs_diff(candidate.presses) / 2 };
            again + weights::PRESSES * pairs as i32
        }
    };
    let briefly = candidate.evidence == AcceptanceEvidence::Lever { is_brief: true };
    let stands = if matches!(lineage, PositionOrigin::LegalPly(..)) { 0 } else { weights::ILLEGAL_STANDS };
    stands + came_about + if briefly { weights::PRESSED_BRIEFLY } else { 0 }
}
