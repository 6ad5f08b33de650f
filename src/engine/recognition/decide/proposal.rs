//! What would be published if the board stayed as it is, and from when on.

use super::accepted_positions::AcceptedPosition;
use super::kings::position_from_occupancy;
use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{Facts, Presses, PreviousPly};
use crate::engine::recognition::search::Explanation;
use crate::engine::recognition::tuning::{counts, times};
use crate::engine::recognition::verdict::{ClockState, Reason, Rule};
use crate::engine::recognition::wait::Wait;
use draughts::{Color, Position, Square};

/// What would be published, and from when on.
pub(super) struct Proposal {
    pub ready_at: Millis,
    /// What is waited for until then.
    pub wait: Wait,
    pub conclusion: Conclusion,
}

/// What is concluded from the facts.
pub(super) enum Conclusion {
    /// The first ply of an explanation.
    Ply(Explanation, Rule),
    /// The last published ply was taken back. If other plies were played since, so many of the presses belong to them.
    TakeBack(PreviousPly, usize),
    /// Play went on from this candidate: a setup of this position.
    Resume(AcceptedPosition, Position),
    /// The published position with this square corrected, which the last setup had wrong.
    CorrectSetup(Position, Square),
    /// A setup of what is seen now.
    Setup(Position, Reason),
}

/// To publish this after a span of quiet, and what is waited for meanwhile.
pub(super) fn propose_after_quiet(facts: &Facts, (wait, waits): (u64, Wait), conclusion: Conclusion) -> Proposal {
    let waits = if facts.evidence.is_confirmed() { waits } else { Wait::Dump };
    Proposal { ready_at: facts.confirmed_at(wait), wait: waits, conclusion }
}

/// The longer of two waits; of those that are as long the first.
pub(super) fn longer_wait(one: (u64, Wait), other: (u64, Wait)) -> (u64, Wait) {
    if other.0 > one.0 { other } else { one }
}

/// To set up what is seen, from some time on; `None`: it is no position of this game, and the board stays in doubt.
pub(super) fn setup(facts: &Facts, ready_at: Millis, reason: Reason) -> Option<Proposal> {
    let mut sight = facts.evidence.without_flicker(facts.evidence.occupancy(), |_, _| true);
    if reason != Reason::Anomaly {
        // Players forgot to take captured pieces off.
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
    // Without pieces of both colours there is no game: the board is being cleared.
    let has_both = Color::BOTH.into_iter().all(|color| !position.placement().pieces_of(color).is_empty());
    has_both.then_some(Proposal { ready_at, wait: Wait::Explanation, conclusion: Conclusion::Setup(position, reason) })
}

/// At most so many plies lie between the published position and what is seen, as far as presses tell.
pub(super) fn max_hidden_plies(clock: ClockState, presses: &Presses) -> usize {
    if clock == ClockState::None { usize::MAX } else { presses.len() + counts::FORGOTTEN_PRESSES }
}

/// When a position that is seen after a gap may be set up: once its last player has pressed. Before that the lever shows the wrong
/// side to be to move.
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
