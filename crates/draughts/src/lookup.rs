//! One legal move, found by the squares it leads from and to: what a reader of games asks for every ply.
//!
//! A quiet move is looked at alone, once it is clear that nothing can be taken; that spares making all the others. A capture
//! has to be compared with all captures of the position, because the longest may be compulsory; but the others are only
//! compared, not kept.

use super::captures::{self, OnlyMove, UniqueMoves};
use super::geometry::Direction;
use super::moves::{Effect, Move, Path};
use super::position::Position;
use super::ruleset::KingRange;
use super::square::{Square, SquareSet};

impl Position {
    /// The legal move from one square to another, if there is exactly one.
    pub fn only_move(&self, from: Square, to: Square) -> Option<Move> {
        let effect = self.find(from, to)?;
        if effect.captured.is_empty() {
            return Some(Move { effect, path: Path::Quiet });
        }
        let mut moves = Vec::new();
        let capturer = SquareSet::EMPTY.with(from);
        captures::search(self, capturer, u32::MAX, UniqueMoves { variant: self.variant(), moves: &mut moves });
        moves.into_iter().find(|ply| ply.effect == effect)
    }

    /// Plays that move. Returns whether there is exactly one; else the position stays as it is. Quicker than to ask for the
    /// move, because its path is of no interest.
    #[inline]
    pub fn play_only_move(&mut self, from: Square, to: Square) -> bool {
        let found = self.find(from, to);
        found.inspect(|effect| self.advance(effect)).is_some()
    }

    #[inline(always)]
    fn find(&self, from: Square, to: Square) -> Option<Effect> {
        if !self.placement().pieces_of(self.turn()).contains(from) {
            return None;
        }
        let capturers = self.capturers();
        if capturers.is_empty() { self.quiet_move(from, to) } else { self.capture(capturers, from, to) }
    }

    /// The capture from one square to another, where these pieces can take.
    #[inline(never)]
    fn capture(&self, capturers: SquareSet, from: Square, to: Square) -> Option<Effect> {
        if !capturers.contains(from) {
            return None;
        }
        let mut between = OnlyMove::new(from, to);
        captures::search(self, capturers, u32::MAX, &mut between);
        between.only()
    }

    /// The quiet move from one of our squares to another, where nothing can be taken.
    #[inline(always)]
    fn quiet_move(&self, from: Square, to: Square) -> Option<Effect> {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let occupied = placement.occupied();
        if occupied.contains(to) {
            return None;
        }
        if !placement.kings().contains(from) {
            // Each direction is looked at: to guess when to stop costs more.
            let leads_there = |way: &Direction| geometry.next(from, way.seen_by(us)) == Some(to);
            let is_step = rules.man_moves.iter().fold(false, |found, way| found | leads_there(way));
            return is_step.then(|| Effect::quiet(from, to, geometry.home_row(!us).contains(to)));
        }
        if self.exhausted_king() == Some(from) {
            return None;
        }
        let reaches = |way: &Direction| match rules.king_range {
            KingRange::Short => geometry.next(from, *way) == Some(to),
            KingRange::Flying => geometry.nearest(from, *way, occupied.with(to)) == Some(to),
        };
        rules.king_moves.iter().any(reaches).then(|| Effect::quiet(from, to, false))
    }
}
