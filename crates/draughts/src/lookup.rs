//! Finds one legal move by its start and end squares, as readers of games do for every ply.
//!
//! If nothing can be captured, only the quiet move in question is checked and no other is generated. A capture must be compared with all
//! captures of the position, because priority may make another compulsory; the others are compared but not retained.

use super::captures::{self, OnlyMove, UniqueMoves};
use super::geometry::Direction;
use super::moves::{Effect, Move, Path};
use super::position::Position;
use super::ruleset::KingRange;
use super::square::{Square, SquareSet};

impl Position {
    /// Returns the legal move from one square to another, if there is exactly one.
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

    /// Plays the legal move from one square to another. Returns whether there is exactly one; otherwise the position is unchanged. Faster
    /// than [`Position::only_move`], because no path is built.
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

    /// Returns the capture from one square to another, where `capturers` can capture.
    #[inline(never)]
    fn capture(&self, capturers: SquareSet, from: Square, to: Square) -> Option<Effect> {
        if !capturers.contains(from) {
            return None;
        }
        let mut between = OnlyMove::new(from, to);
        captures::search(self, capturers, u32::MAX, &mut between);
        between.only()
    }

    /// Returns the quiet move from a square of the side to move to another, where nothing can be captured.
    #[inline(always)]
    fn quiet_move(&self, from: Square, to: Square) -> Option<Effect> {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let occupied = placement.occupied();
        if occupied.contains(to) {
            return None;
        }
        if !placement.kings().contains(from) {
            // Check every direction: an early exit costs more than it saves.
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
