//! Conclusion that is published if the board stays unchanged, and its time.

use draughts::{Position, Square};

use super::accepted_positions::AcceptedPosition;
use super::kings::position_from_occupancy;
use crate::millis::Millis;
use crate::recognition::evidence::{Facts, Presses, PreviousPly, RestartedBoard};
use crate::recognition::search::Explanation;
use crate::recognition::tuning::{counts, times};
use crate::recognition::verdict::{ClockState, Reason, Rule};
use crate::recognition::wait::Wait;

/// Conclusion to be published, and its time.
pub(super) struct Proposal {
    pub ready_at: Millis,
    /// Condition that the conclusion waits for.
    pub wait: Wait,
    pub conclusion: Conclusion,
}

/// Conclusion from the facts.
pub(super) enum Conclusion {
    /// Publish the first ply of an explanation.
    Ply(Explanation, Rule),
    /// Take the last published ply back. The number is that of presses for other plies played since.
    TakeBack(PreviousPly, usize),
    /// Set up this position, because play continued from this candidate.
    Resume(AcceptedPosition, Position),
    /// Continue from this earlier position, `plies` plies after the start: it stood when the clock restarted.
    GoBack(Position, u32, RestartedBoard),
    /// Correct this square, which the last setup had wrong; this is the corrected position.
    CorrectSetup(Position, Square),
    /// Set up the current placement.
    Setup(Position, Reason),
}

/// Proposes a conclusion after a span of quiet, with the condition it waits for.
pub(super) fn propose_after_quiet(facts: &Facts, (wait, waits): (u64, Wait), conclusion: Conclusion) -> Proposal {
    let waits = if facts.evidence.is_confirmed() { waits } else { Wait::Dump };
    Proposal { ready_at: facts.confirmed_at(wait), wait: waits, conclusion }
}

/// Returns the longer of two waits, the first if they are equal.
pub(super) fn longer_wait(one: (u64, Wait), other: (u64, Wait)) -> (u64, Wait) {
    if other.0 > one.0 { other } else { one }
}

/// Proposes a setup of the current placement; `None` if it is no position of this game, so the board remains
/// unexplained.
pub(super) fn setup(facts: &Facts, ready_at: Millis, reason: Reason) -> Option<Proposal> {
    let mut sight = facts.evidence.without_flicker(facts.evidence.occupancy(), |_, _| true);
    if reason != Reason::Anomaly {
        // Players forgot to remove captured pieces.
        facts.published.anomalies().captured().into_iter().for_each(|square| sight.put(square, None));
    }
    let known = facts.published.position().placement();
    let position = position_from_occupancy(
        facts,
        known,
        &sight,
        facts.presses.turn(),
        max_hidden_plies(facts.clock, &facts.presses),
    )?;
    Some(Proposal { ready_at, wait: Wait::Explanation, conclusion: Conclusion::Setup(position, reason) })
}

/// Returns the maximum number of plies between the published position and the board, as far as presses show.
pub(super) fn max_hidden_plies(clock: ClockState, presses: &Presses) -> usize {
    if clock == ClockState::None { usize::MAX } else { presses.len() + counts::FORGOTTEN_PRESSES }
}

/// Returns the time at which a position found after a gap may be set up: after the press of its last player. Until then
/// the lever shows the wrong side to move.
pub(super) fn committed_at(facts: &Facts) -> Millis {
    let changed = facts.evidence.last_change();
    let pressed = facts.presses.last().filter(|press| press.at >= changed && !facts.missed_events.is_found(press.id));
    match pressed.map(|press| press.at) {
        Some(pressed) => {
            facts.confirmed_at(times::MAX_REMOVAL_PAUSE.0).max(pressed + Millis(times::MAX_REMOVAL_PAUSE.0))
        }
        None if facts.clock == ClockState::None => facts.confirmed_at(times::MAX_REMOVAL_PAUSE.0),
        None => facts.confirmed_at(facts.settings.unpressed_ms),
    }
}
