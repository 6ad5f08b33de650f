//! Finds the legal sequences that may have been played unseen between two positions, for a person to choose from.
//!
//! ```text
//!   sure position ──▸ at most four plies ──▸ position or board afterwards
//!                          │
//!                          └─ order: events on the squares, presses, number of plies, material that a ply would give away
//! ```
//!
//! The search requires no touched squares, because touches may have been lost. Offers are shown, never published. The caller may
//! run it beside the recording: it needs copies only.

use std::sync::Arc;

use draughts::{Color, Move, Placement, Position, SquareSet};

use crate::millis::Millis;
use crate::recognition::evidence::{Chronology, GapEvidence, Occupancy};
use crate::recognition::tuning::{counts, offers, weights, work};

/// End of missing moves.
#[derive(Clone, Copy, Debug)]
pub enum MissingMovesEnd {
    /// Position from which the game went on.
    Position(Position),
    /// Contents of the board.
    Board(Occupancy),
}

/// Missing moves with their evidence.
#[derive(Clone, Debug)]
pub struct MissingMovesQuery {
    /// Position before the moves.
    pub start: Position,
    /// Position after the moves.
    pub end: MissingMovesEnd,
    /// Events between both, if known.
    pub evidence: Option<Arc<GapEvidence>>,
}

impl MissingMovesQuery {
    /// Returns at most nine legal sequences of at most four plies that lead from the start to the end, likeliest first. One may have no
    /// ply.
    pub fn offers(&self) -> Vec<Vec<Move>> {
        let target = match &self.end {
            MissingMovesEnd::Position(position) => colors_of(|color| position.placement().pieces_of(color)),
            MissingMovesEnd::Board(occupancy) => colors_of(|color| occupancy.squares_of(color)),
        };
        let chronology = self.evidence.as_ref().map(|known| Chronology::new(&known.evidence, known.start));
        let mut search =
            OfferSearch { query: self, target, chronology, work: work::OFFERS, plies: Vec::new(), found: Vec::new() };
        for depth in 0..=counts::MAX_OFFERED_PLIES {
            search.extend(&self.start, depth);
        }
        let mut found = search.found;
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.truncate(counts::MAX_OFFERS);
        found.into_iter().map(|(_, plies)| plies).collect()
    }

    fn is_end(&self, position: &Position) -> bool {
        match &self.end {
            MissingMovesEnd::Position(end) => end.setup() == position.setup(),
            MissingMovesEnd::Board(occupancy) => occupancy.differs_from_placement(position.placement()).is_empty(),
        }
    }

    /// Returns the side to move at the end, if known.
    fn end_turn(&self) -> Option<Color> {
        match &self.end {
            MissingMovesEnd::Position(end) => Some(end.turn()),
            MissingMovesEnd::Board(_) => None,
        }
    }
}

fn colors_of(squares: impl Fn(Color) -> SquareSet) -> [SquareSet; 2] {
    let mut all = [SquareSet::EMPTY; 2];
    Color::BOTH.into_iter().for_each(|color| all[color.index()] = squares(color));
    all
}

struct OfferSearch<'a> {
    query: &'a MissingMovesQuery,
    /// Squares of each colour at the end.
    target: [SquareSet; 2],
    chronology: Option<Chronology<'a>>,
    /// Moves that may still be tried.
    work: u32,
    plies: Vec<Move>,
    found: Vec<(i32, Vec<Move>)>,
}

impl OfferSearch<'_> {
    /// Tries all sequences of exactly `depth` more plies.
    fn extend(&mut self, position: &Position, depth: usize) {
        if !self.is_in_reach(position, depth) {
            return;
        }
        if depth == 0 {
            if self.query.is_end(position) && self.found.len() < counts::MAX_FOUND_OFFERS {
                self.found.push((self.score(), self.plies.clone()));
            }
            return;
        }
        let Some(legal) = position.legal_moves_bounded(&mut self.work) else { return };
        self.work = self.work.saturating_sub(work::MIN_POSITION_COST + legal.len() as u32);
        for ply in legal {
            if self.work == 0 {
                return;
            }
            let next = position.play(&ply);
            self.plies.push(ply);
            self.extend(&next, depth - 1);
            self.plies.pop();
        }
    }

    /// Whether `depth` more plies can fill the squares that lack a piece: each ply brings one piece to one square, and no piece
    /// is added.
    fn is_in_reach(&self, position: &Position, depth: usize) -> bool {
        if self.query.end_turn().is_some_and(|turn| (turn == position.turn()) != depth.is_multiple_of(2)) {
            return false;
        }
        Color::BOTH.into_iter().all(|color| {
            let (now, target) = (position.placement().pieces_of(color), self.target[color.index()]);
            let plies = if color == position.turn() { depth.div_ceil(2) } else { depth / 2 };
            (target - now).len() <= plies && target.len() <= now.len()
        })
    }

    fn score(&self) -> i32 {
        let plies = self.plies.len() as i32;
        let mut score = offers::PLY * plies + self.material_cost();
        if let Some(known) = &self.query.evidence {
            let off = known.presses.map_or(0, |presses| (plies - presses as i32).abs());
            score += offers::PRESS_DIFFERS * off.min(offers::MAX_PRESSES_OFF) + self.order_cost(known);
        }
        score
    }

    /// Returns the cost of events in another order than the plies, and of squares that no hand has touched.
    fn order_cost(&self, known: &GapEvidence) -> i32 {
        let Some(chronology) = &self.chronology else { return 0 };
        let touched = known.evidence.touched_since(known.start);
        let (mut landed, mut color, mut cost) = (Millis::ZERO, self.query.start.turn(), 0);
        for ply in &self.plies {
            match chronology.landing(ply, color, landed) {
                Some(at) => landed = at,
                None => cost += offers::WRONG_ORDER,
            }
            if !known.has_gap {
                cost += offers::UNTOUCHED * (SquareSet::from_iter([ply.from(), ply.to()]) - touched).len() as i32;
            }
            color = !color;
        }
        if !known.has_gap {
            cost += weights::UNSEEN * chronology.count_unseen(&self.query.start, &self.plies, SquareSet::EMPTY) as i32;
        }
        cost
    }

    /// Returns the cost of plies that give material away: people rarely play them.
    fn material_cost(&self) -> i32 {
        let mut position = self.query.start;
        let mut cost = 0;
        for ply in &self.plies {
            let mut budget = work::OFFERED_EXCHANGE;
            let before = balance(&position, counts::MAX_EXCHANGE, &mut budget);
            let next = position.play(ply);
            let after = -balance(&next, counts::MAX_EXCHANGE, &mut budget);
            cost += offers::GIVEN_AWAY * (before - after).clamp(0, offers::MAX_GIVEN_AWAY);
            position = next;
        }
        cost
    }
}

/// Returns the material balance for the side to move after all captures that follow at once.
fn balance(position: &Position, depth: usize, budget: &mut u32) -> i32 {
    let static_balance = || {
        let material = |color: Color| material(position.placement(), color);
        material(position.turn()) - material(!position.turn())
    };
    if depth == 0 {
        return static_balance();
    }
    let Some(legal) = position.legal_moves_bounded(budget) else { return static_balance() };
    *budget = budget.saturating_sub(legal.len() as u32);
    if !legal.first().is_some_and(Move::is_capture) {
        return static_balance();
    }
    legal.iter().map(|ply| -balance(&position.play(ply), depth - 1, budget)).max().unwrap_or(0)
}

/// Returns the material of a side: a king counts as three men.
fn material(placement: &Placement, color: Color) -> i32 {
    let pieces = placement.pieces_of(color);
    (pieces.len() + 2 * (pieces & placement.kings()).len()) as i32
}

#[cfg(test)]
mod tests {
    use super::super::super::evidence::tests::evidence;
    use super::*;
    use crate::recognition::evidence::Evidence;

    const WHITE: Option<Color> = Some(Color::White);
    const BLACK: Option<Color> = Some(Color::Black);

    /// Plays moves given by their ends.
    fn play(start: Position, moves: &[(&str, &str)]) -> (Position, Vec<Move>) {
        let mut position = start;
        let mut plies = Vec::new();
        for (from, to) in moves {
            let geometry = &position.variant().geometry;
            let is_it = |ply: &&Move| geometry.name(ply.from()) == *from && geometry.name(ply.to()) == *to;
            let ply = position.legal_moves().iter().find(is_it).unwrap().clone();
            position = position.play(&ply);
            plies.push(ply);
        }
        (position, plies)
    }

    #[test]
    fn events_decide_between_orders() {
        for moves in [[("32", "28"), ("20", "25"), ("31", "27")], [("31", "27"), ("20", "25"), ("32", "28")]] {
            let mut events = Vec::new();
            for (number, (from, to)) in (1..).zip(moves) {
                let color = if number % 2 == 1 { WHITE } else { BLACK };
                events.extend([(number * 4_000, from, None), (number * 4_000 + 400, to, color)]);
            }
            let (start, evidence) = evidence(&events);
            let end = MissingMovesEnd::Board(*evidence.occupancy());
            let since = Evidence::new(Occupancy::default(), Millis::ZERO).next_seq_no();
            let known = GapEvidence { evidence, start: since, presses: Some(3), has_gap: false };
            let query = MissingMovesQuery { start, end, evidence: Some(Arc::new(known)) };
            assert_eq!(query.offers().first(), Some(&play(start, &moves).1), "{moves:?}");
        }
    }

    #[test]
    fn offers_all_orders_and_no_move() {
        let (start, _) = evidence(&[]);
        let (end, plies) = play(start, &[("32", "28"), ("20", "24"), ("37", "32"), ("15", "20")]);
        let query = MissingMovesQuery { start, end: MissingMovesEnd::Position(end), evidence: None };
        let offers = query.offers();
        assert!(offers.len() <= 3 && offers.contains(&plies), "{offers:?}");
        let nothing = MissingMovesQuery { start, end: MissingMovesEnd::Position(start), evidence: None };
        assert_eq!(nothing.offers(), [Vec::new()]);
    }
}
