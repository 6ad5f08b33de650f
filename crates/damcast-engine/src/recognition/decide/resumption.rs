//! Detects accepted illegal moves: play continued from the position after one.
//!
//! ```text
//!   published ──▸ legal plies, not published yet ──▸ illegal ply ──▸ accepted ──▸ a legal reply
//!       └────────────────────── origin ────────────────────┘              current board ─┘
//! ```
//!
//! An illegal move shows only by the lack of a legal explanation. Its resulting position is therefore searched among
//! the [accepted positions](super::accepted_positions), and the legal reply proves it. The likeliest candidate wins;
//! its [origin](super::origin) matters most.
//!
//! | origin | publication |
//! |---|---|
//! | one illegal ply | the setup |
//! | a legal ply without a press | that ply; then another evaluation |
//! | unconfirmed legal plies, then an illegal ply | the first of them; then another evaluation |
//! | two illegal plies | the setup after the first; then another evaluation |
//! | withdrawal of the last published ply | the position before it, as a setup; then another evaluation |
//! | unknown | the setup |

use draughts::{Move, Position, SquareSet};

use super::accepted_positions::{AcceptanceEvidence, AcceptedPosition};
use super::kings::position_from_occupancy;
use super::origin::{PositionOrigin, find_origin, possible_prior_plies};
use super::proposal::{Conclusion, Proposal, longer_wait, max_hidden_plies, propose_after_quiet};
use crate::recognition::evidence::{BasePosition, Facts, SeqNo};
use crate::recognition::search::{Explanation, SearchQuery, explain};
use crate::recognition::tuning::{counts, times, weights, work};
use crate::recognition::verdict::{ClockState, Rule};
use crate::recognition::wait::Wait;

/// Legal reply to an unexplained position.
struct Resumption {
    score: i32,
    position: Position,
    accepted: AcceptedPosition,
    origin: PositionOrigin,
    reply: Explanation,
}

/// Finds a legal reply to an unexplained position, which is thereby accepted.
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
    // Among equally likely ones the earliest wins: it hides fewer plies.
    let best = resumptions.max_by_key(|found| (found.score, std::cmp::Reverse(found.accepted.at)))?;
    let Resumption { score, position, accepted: candidate, origin: lineage, reply } = best;
    let pressed = facts.presses.len() > candidate.presses;
    let answered = reply.plies.len() >= 2;
    let mut wait = match facts.clock {
        // A single legal move may be analysis, where moves follow faster.
        ClockState::None if !answered && lineage.plies().is_none() => return None,
        ClockState::None if !answered => (facts.settings.replied_ms, Wait::NextMove),
        ClockState::None => (facts.settings.no_clock_replied_ms, Wait::Quiet),
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

/// Returns the likeliest reply to a position, if there is one.
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
    // After a forgotten press the opponent's next press has no effect, so it does not count as missing.
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

/// Returns the score of an illegal move as the origin of this position.
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
            let repeat_score =
                if matches!(lineage, PositionOrigin::TwoIllegal(..)) { weights::NEXT_ILLEGAL_STANDS } else { 0 };
            let needed = plies - usize::from(facts.presses.is_missing());
            let pairs = if facts.clock == ClockState::None { 0 } else { needed.abs_diff(candidate.presses) / 2 };
            repeat_score + weights::PRESSES * pairs as i32
        }
    };
    let briefly = candidate.evidence == AcceptanceEvidence::Lever { is_brief: true };
    let stands = if matches!(lineage, PositionOrigin::LegalPly(..)) { 0 } else { weights::ILLEGAL_STANDS };
    stands + came_about + if briefly { weights::PRESSED_BRIEFLY } else { 0 }
}
