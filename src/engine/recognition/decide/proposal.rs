//! What would be published if the board stayed as it is, and from when on.

use super::kinds::position_of;
use super::standing::Candidate;
use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{Facts, Presses, Previous};
use crate::engine::recognition::measures::{counts, times};
use crate::engine::recognition::search::Explanation;
use crate::engine::recognition::verdict::{Clock, Reason, Rule};
use crate::engine::recognition::wait::Wait;
use draughts::{Color, Position, Square};

/// What would be published, and from when on.
pub(super) struct Proposal {
    pub ready_at: Millis,
    /// What is waited for until then.
    pub waits: Wait,
    pub conclusion: Conclusion,
}

/// What is concluded from the facts.
pub(super) enum Conclusion {
    /// The first ply of an explanation.
    Ply(Explanation, Rule),
    /// The last published ply was taken back. If other plies were played since, so many of the presses belong to them.
    Back(Previous, usize),
    /// Play went on from this candidate: a setup of this position.
    Resume(Candidate, Position),
    /// The published position with this square corrected, which the last setup had wrong.
    Amend(Position, Square),
    /// A setup of what is seen now.
    Setup(Position, Reason),
}

/// To publish this after a span of quiet, and what is waited for meanwhile.
pub(super) fn after(facts: &Facts, (wait, waits): (u64, Wait), conclusion: Conclusion) -> Proposal {
    let waits = if facts.evidence.is_confirmed() { waits } else { Wait::Dump };
    Proposal { ready_at: facts.confirmed_at(wait), waits, conclusion }
}

/// The longer of two waits; of those that are as long the first.
pub(super) fn longer(one: (u64, Wait), other: (u64, Wait)) -> (u64, Wait) {
    if other.0 > one.0 { other } else { one }
}

/// To set up what is seen, from some time on; `None`: it is no position of this game, and the board stays in doubt.
pub(super) fn setup(facts: &Facts, ready_at: Millis, reason: Reason) -> Option<Proposal> {
    let mut sight = facts.evidence.steady(facts.evidence.sight(), |_, _| true);
    if reason != Reason::Anomaly {
        // Players forgot to take captured pieces off.
        facts.published.anomalies().captured().into_iter().for_each(|square| sight.put(square, None));
    }
    let known = facts.published.position().placement();
    let position = position_of(facts, known, &sight, facts.presses.turn(), hidden_plies(facts.clock, &facts.presses))?;
    // Without pieces of both colours there is no game: the board is being cleared.
    let has_both = Color::BOTH.into_iter().all(|color| !position.placement().of(color).is_empty());
    has_both.then_some(Proposal { ready_at, waits: Wait::Explanation, conclusion: Conclusion::Setup(position, reason) })
}

/// At most so many plies lie between the published position and what is seen, as far as presses tell.
pub(super) fn hidden_plies(clock: Clock, presses: &Presses) -> usize {
    if clock == Clock::None { usize::MAX } else { presses.len() + counts::FORGOTTEN_PRESSES }
}

/// When a position that is seen after a gap may be set up: once its last player has pressed. Before that the lever shows the wrong
/// side to be to move.
pub(super) fn given_up_at(facts: &Facts) -> Millis {
    let changed = facts.evidence.last_change();
    let pressed = facts.presses.last().filter(|press| press.at >= changed && !facts.unheard.is_found(press.id));
    match pressed.map(|press| press.at) {
        Some(pressed) => facts.confirmed_at(times::STANDS.0).max(pressed + Millis(times::STANDS.0)),
        None if facts.clock == Clock::None => facts.confirmed_at(times::STANDS.0),
        None => facts.confirmed_at(facts.settings.unpressed_ms),
    }
}
