//! Finds the plies that led to an unexplained position: an illegal ply, possibly after legal ones.
//!
//! An illegal ply moves one piece of its player and may remove pieces of the opponent. Any other difference is more
//! likely a hand still in the air.

use draughts::{Color, Move, Position, SquareSet};

use super::accepted_positions::AcceptedPosition;
use super::kings::position_from_occupancy;
use crate::recognition::evidence::{BasePosition, Chronology, Facts, PreviousPly, SeqNo};
use crate::recognition::search::Explanation;
use crate::recognition::tuning::work;

/// Legal plies that may have been played.
pub(super) struct PriorPlies {
    plies: Vec<Move>,
    /// Position after the plies.
    end: Position,
    /// Time at which the board showed that position; `None` if not searched yet.
    seen_at: Option<SeqNo>,
}

impl PriorPlies {
    /// Returns the captured pieces, which may still be on the board.
    fn possible_leftovers(&self) -> SquareSet {
        let captured = self.plies.iter().fold(SquareSet::EMPTY, |sum, ply| sum | ply.captured());
        captured - self.end.placement().occupied()
    }
}

#[derive(Clone, Debug)]
pub(super) enum PositionOrigin {
    /// One legal ply: no rule was broken, but the press is missing.
    LegalPly(Explanation, Position),
    /// One illegal ply.
    IllegalPly,
    /// These legal plies, then one illegal ply.
    LegalThenIllegal(Explanation, Position),
    /// Withdrawal of the last published ply: the position before it.
    TakenBack(PreviousPly),
    /// Two illegal plies, with this placement in between.
    TwoIllegal(AcceptedPosition, Position),
    /// Unknown origin.
    Unknown,
}

impl PositionOrigin {
    /// Returns the number of plies, if the origin consists of plies.
    pub fn plies(&self) -> Option<usize> {
        match self {
            PositionOrigin::IllegalPly | PositionOrigin::LegalPly(..) => Some(1),
            PositionOrigin::LegalThenIllegal(legal, _) => Some(legal.plies.len() + 1),
            PositionOrigin::TwoIllegal(..) => Some(2),
            PositionOrigin::TakenBack(_) | PositionOrigin::Unknown => None,
        }
    }
}

/// Returns legal plies that may have been played but are not published: the last explanation of the board, and each
/// single ply that hands may have played.
pub(super) fn possible_prior_plies(
    facts: &Facts,
    foreseen: Option<(&[Move], SeqNo)>,
    chronology: &Chronology,
) -> Vec<PriorPlies> {
    let mut possible = Vec::new();
    if let Some((foreseen, at)) = foreseen {
        let mut position = *facts.published.position();
        for (index, ply) in foreseen.iter().enumerate() {
            position = position.play(ply);
            possible.push(PriorPlies { plies: foreseen[..=index].to_vec(), end: position, seen_at: Some(at) });
        }
    }
    if facts.missed_events.has_gap() || !chronology.unreported().is_empty() {
        return possible;
    }
    let touched = facts.published.touched(&facts.evidence);
    let legal = facts.published.position().legal_moves_bounded(&mut work::PRIOR_PLIES.clone()).unwrap_or_default();
    let played = legal.into_iter().filter(|ply| touched.contains(ply.from()) && touched.contains(ply.to()));
    possible.extend(played.map(|ply| {
        let end = facts.published.position().play(&ply);
        PriorPlies { plies: vec![ply], end, seen_at: None }
    }));
    possible
}

pub(super) fn find_origin(
    facts: &Facts,
    candidate: &AcceptedPosition,
    candidates: &[AcceptedPosition],
    possible: &[PriorPlies],
    chronology: &Chronology,
) -> PositionOrigin {
    let published = facts.published.position();
    if let Some(previous) = facts.published.previous().filter(|previous| candidate.matches(&previous.base.position)) {
        let base = BasePosition { evidence_start: candidate.at, ..previous.base };
        return PositionOrigin::TakenBack(PreviousPly { base, ply: previous.ply.clone() });
    }
    if is_one_ply(published, candidate, SquareSet::EMPTY) {
        let is_it = |before: &&PriorPlies| before.plies.len() == 1 && candidate.matches(&before.end);
        return possible.iter().find(is_it).map_or(PositionOrigin::IllegalPly, |lawful| {
            let ply = Explanation {
                plies: lawful.plies.clone(),
                unexplained_plies: 0,
                leftover: SquareSet::EMPTY,
                mismatched: SquareSet::EMPTY,
                unexplained_rests: 0,
                score: 0,
            };
            PositionOrigin::LegalPly(ply, lawful.end)
        });
    }
    let tolerated = facts.published.anomalies().squares();
    let was_seen = |before: &PriorPlies| match before.seen_at {
        Some(at) => at <= candidate.at,
        None => chronology.shows_after(published, &before.plies[0], candidate.at, tolerated),
    };
    let leads_here =
        |before: &&PriorPlies| is_one_ply(&before.end, candidate, before.possible_leftovers()) && was_seen(before);
    if let Some(before) = possible.iter().find(leads_here) {
        let shown = candidate.occupancy.squares_of(Color::White) | candidate.occupancy.squares_of(Color::Black);
        let (plies, left) = (before.plies.clone(), before.possible_leftovers() & shown);
        let legal = Explanation {
            plies,
            unexplained_plies: 1,
            leftover: left,
            mismatched: SquareSet::EMPTY,
            unexplained_rests: 0,
            score: 0,
        };
        return PositionOrigin::LegalThenIllegal(legal, before.end);
    }
    let earlier = |first: &&AcceptedPosition| first.at < candidate.at && is_one_ply(published, first, SquareSet::EMPTY);
    for first in candidates.iter().filter(earlier) {
        let after = position_from_occupancy(facts, published.placement(), &first.occupancy, Some(!published.turn()), 1);
        if let Some(after) = after.filter(|after| is_one_ply(after, candidate, SquareSet::EMPTY)) {
            return PositionOrigin::TwoIllegal(first.clone(), after);
        }
    }
    PositionOrigin::Unknown
}

/// Whether one ply of the side to move, legal or not, may lead from a position to the placement. `may_stand`: squares
/// of captured pieces that may still be on the board.
fn is_one_ply(before: &Position, candidate: &AcceptedPosition, may_stand: SquareSet) -> bool {
    let (us, them) = (before.turn(), !before.turn());
    if candidate.turn.is_some_and(|turn| turn == us) {
        return false;
    }
    let gone = before.placement().pieces_of(us) - candidate.occupancy.squares_of(us);
    let came = |color: Color| candidate.occupancy.squares_of(color) - before.placement().pieces_of(color) - may_stand;
    gone.len() == 1 && came(us).len() == 1 && came(them).is_empty()
}
