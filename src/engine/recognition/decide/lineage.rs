//! Which plies led to a position that no legal play explains: a ply against the rules, and legal ones before it.
//!
//! An illegal ply moves one piece of its player and may take off pieces of the opponent. If a position shows any other difference,
//! a hand is more likely still in the air.

use super::kinds::position_of;
use super::standing::Candidate;
use crate::engine::recognition::evidence::{Base, Chronology, Facts, Ordinal, Previous};
use crate::engine::recognition::measures::work;
use crate::engine::recognition::search::Explanation;
use draughts::{Color, Move, Position, SquareSet};

/// Legal plies that may have been played.
pub(super) struct Before {
    plies: Vec<Move>,
    /// The position after them.
    end: Position,
    /// When the board showed that; `None`: it has yet to be looked for.
    seen_at: Option<Ordinal>,
}

impl Before {
    /// Captured by them, and perhaps not taken off yet.
    fn may_stand(&self) -> SquareSet {
        let captured = self.plies.iter().fold(SquareSet::EMPTY, |sum, ply| sum | ply.captured());
        captured - self.end.placement().occupied()
    }
}

/// How a position came about.
#[derive(Clone, Debug)]
pub(super) enum Lineage {
    /// By this legal ply alone: no rule was broken, but nobody pressed.
    Lawful(Explanation, Position),
    /// By one ply against the rules.
    Direct,
    /// By these legal plies and then one against the rules.
    Legal(Explanation, Position),
    /// By taking back the last published ply: it is the position before that.
    Back(Previous),
    /// By two plies against the rules; this stood between them.
    Twice(Candidate, Position),
    /// Nobody can tell.
    Unknown,
}

impl Lineage {
    /// How many plies there are in it, if it is made of plies.
    pub fn plies(&self) -> Option<usize> {
        match self {
            Lineage::Direct | Lineage::Lawful(..) => Some(1),
            Lineage::Legal(legal, _) => Some(legal.plies.len() + 1),
            Lineage::Twice(..) => Some(2),
            Lineage::Back(_) | Lineage::Unknown => None,
        }
    }
}

/// Legal plies that may have been played and are not published: what the board showed when they still explained it,
/// and each single one that hands may have played.
pub(super) fn possible_before(
    facts: &Facts,
    foreseen: Option<(&[Move], Ordinal)>,
    chronology: &Chronology,
) -> Vec<Before> {
    let mut possible = Vec::new();
    if let Some((foreseen, at)) = foreseen {
        let mut position = *facts.published.position();
        for (index, ply) in foreseen.iter().enumerate() {
            position = position.play(ply);
            possible.push(Before { plies: foreseen[..=index].to_vec(), end: position, seen_at: Some(at) });
        }
    }
    if facts.unheard.has_gap() || !chronology.untold().is_empty() {
        return possible;
    }
    let touched = facts.published.touched(&facts.evidence);
    let legal = facts.published.position().legal_moves_within(&mut work::BEFORE.clone()).unwrap_or_default();
    let played = legal.into_iter().filter(|ply| touched.contains(ply.from()) && touched.contains(ply.to()));
    possible.extend(played.map(|ply| {
        let end = facts.published.position().play(&ply);
        Before { plies: vec![ply], end, seen_at: None }
    }));
    possible
}

/// How a position came about that nobody has explained.
pub(super) fn lineage_of(
    facts: &Facts,
    candidate: &Candidate,
    candidates: &[Candidate],
    possible: &[Before],
    chronology: &Chronology,
) -> Lineage {
    let published = facts.published.position();
    if let Some(previous) = facts.published.previous().filter(|previous| candidate.is_of(&previous.base.position)) {
        let base = Base { since: candidate.at, ..previous.base };
        return Lineage::Back(Previous { base, ply: previous.ply.clone() });
    }
    if is_one_ply(published, candidate, SquareSet::EMPTY) {
        let is_it = |before: &&Before| before.plies.len() == 1 && candidate.is_of(&before.end);
        return possible.iter().find(is_it).map_or(Lineage::Direct, |lawful| {
            let ply = Explanation {
                plies: lawful.plies.clone(),
                behind: 0,
                left: SquareSet::EMPTY,
                odd: SquareSet::EMPTY,
                score: 0,
            };
            Lineage::Lawful(ply, lawful.end)
        });
    }
    let tolerated = facts.published.anomalies().squares();
    let was_seen = |before: &Before| match before.seen_at {
        Some(at) => at <= candidate.at,
        None => chronology.shows_after(published, &before.plies[0], candidate.at, tolerated),
    };
    let leads_here = |before: &&Before| is_one_ply(&before.end, candidate, before.may_stand()) && was_seen(before);
    if let Some(before) = possible.iter().find(leads_here) {
        let shown = candidate.sight.of(Color::White) | candidate.sight.of(Color::Black);
        let (plies, left) = (before.plies.clone(), before.may_stand() & shown);
        let legal = Explanation { plies, behind: 1, left, odd: SquareSet::EMPTY, score: 0 };
        return Lineage::Legal(legal, before.end);
    }
    let earlier = |first: &&Candidate| first.at < candidate.at && is_one_ply(published, first, SquareSet::EMPTY);
    for first in candidates.iter().filter(earlier) {
        let after = position_of(facts, published.placement(), &first.sight, Some(!published.turn()), 1);
        if let Some(after) = after.filter(|after| is_one_ply(after, candidate, SquareSet::EMPTY)) {
            return Lineage::Twice(first.clone(), after);
        }
    }
    Lineage::Unknown
}

/// May one ply of the side to move, legal or not, have led from a position to what stood? `may_stand`: captured before, and
/// perhaps not taken off yet.
fn is_one_ply(before: &Position, candidate: &Candidate, may_stand: SquareSet) -> bool {
    let (us, them) = (before.turn(), !before.turn());
    if candidate.turn.is_some_and(|turn| turn == us) {
        return false;
    }
    let gone = before.placement().of(us) - candidate.sight.of(us);
    let came = |color: Color| candidate.sight.of(color) - before.placement().of(color) - may_stand;
    gone.len() == 1 && came(us).len() == 1 && came(them).is_empty()
}
