//! One legal move, found by the squares it leads from and to: what a reader of games asks for every ply.
//!
//! A quiet move is looked at alone, once it is clear that nothing can be taken; that spares making all the others. A capture
//! has to be compared with all captures of the position, because the longest may be compulsory, so these are made.

use super::geometry::Geometry;
use super::movegen::{Keep, quiet, seen_by};
use super::moves::Move;
use super::position::Position;
use super::ruleset::KingRange;
use super::square::{Square, SquareSet};

impl Position {
    /// The legal move from one square to another, if there is exactly one. `scratch` is memory to work in; what it holds
    /// does not matter.
    pub fn only_move(&self, from: Square, to: Square, scratch: &mut Vec<Move>) -> Option<Move> {
        self.find(from, to, Keep::EachMoveOnce, scratch)
    }

    /// Plays that move. Returns whether there is exactly one; else the position stays as it is. Quicker than to ask for the
    /// move, because its path is of no interest.
    pub fn play_only_move(&mut self, from: Square, to: Square, scratch: &mut Vec<Move>) -> bool {
        let found = self.find(from, to, Keep::WithoutPath, scratch);
        found.inspect(|ply| self.advance(ply)).is_some()
    }

    #[inline]
    fn find(&self, from: Square, to: Square, keep: Keep, scratch: &mut Vec<Move>) -> Option<Move> {
        if !self.placement().of(self.turn()).contains(from) {
            return None;
        }
        let capturers = self.capturers();
        if capturers.is_empty() {
            return self.quiet_move(from, to);
        }
        if !capturers.contains(from) {
            return None;
        }
        self.captures_into(capturers, keep, scratch);
        let mut fitting = (0..scratch.len()).filter(|&at| scratch[at].from == from && scratch[at].to == to);
        match (fitting.next(), fitting.next()) {
            (Some(at), None) => Some(scratch.swap_remove(at)),
            _ => None,
        }
    }

    /// The quiet move from one of our squares to another, where nothing can be taken.
    fn quiet_move(&self, from: Square, to: Square) -> Option<Move> {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let occupied = placement.occupied();
        if occupied.contains(to) {
            return None;
        }
        if !placement.kings().contains(from) {
            let leads_there = |way: &_| geometry.next(from, seen_by(us, *way)) == Some(to);
            return rules.man_moves.iter().any(leads_there).then(|| {
                let crowning_row = geometry.home_row(!us);
                quiet(from, to, crowning_row.contains(to))
            });
        }
        if self.exhausted_king() == Some(from) {
            return None;
        }
        let reaches = |way: &_| match rules.king_range {
            KingRange::Short => geometry.next(from, *way) == Some(to),
            KingRange::Flying => slides(geometry, from, *way, occupied).any(|at| at == to),
        };
        rules.king_moves.iter().any(reaches).then(|| quiet(from, to, false))
    }
}

/// The empty squares in one direction, up to the first piece.
fn slides(
    geometry: &Geometry,
    from: Square,
    way: super::geometry::Direction,
    occupied: SquareSet,
) -> impl Iterator<Item = Square> {
    let next = move |at: Square| geometry.next(at, way).filter(|&next| !occupied.contains(next));
    std::iter::successors(next(from), move |&at| next(at))
}
