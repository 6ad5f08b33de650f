//! Generates legal moves for every variant from the fields of a [`Ruleset`](super::ruleset::Ruleset), without knowing which game it plays.
//!
//! ```text
//! pieces that can capture ──▸ their captures, jump by jump ──▸ the best by the variant's criteria ──▸ each move once
//!          └── none: quiet moves
//! ```
//!
//! The first step handles all men at once, by shifting the set of their squares; most positions are quiet and need no more. Captures are
//! then searched jump by jump ([`super::captures`]).

use super::captures::{self, Routes, UniqueEffects, UniqueMoves};
use super::geometry::Direction;
use super::moves::{Effect, Move, Path};
use super::piece::Color;
use super::position::Position;
use super::ruleset::KingRange;
use super::square::{Square, SquareSet};
use super::variant::Variant;

impl Position {
    /// Returns all legal moves, each once, in a fixed order. If there are none, the side to move has lost.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(16);
        self.legal_moves_into(&mut moves);
        moves
    }

    /// Replaces the contents of `moves` with all legal moves, reusing its memory.
    pub fn legal_moves_into(&self, moves: &mut Vec<Move>) {
        moves.clear();
        self.search(u32::MAX, moves);
    }

    /// Generates legal moves with a limit, for composed positions whose capture routes can be too many to count. Returns `None` if the
    /// search would try more than `jumps` jumps, where comparing routes counts as jumps. Subtracts the jumps tried from `jumps`.
    pub fn legal_moves_bounded(&self, jumps: &mut u32) -> Option<Vec<Move>> {
        let mut moves = Vec::with_capacity(16);
        let left = self.search(*jumps, &mut moves);
        *jumps = left.unwrap_or(0);
        left.map(|_| moves)
    }

    /// Returns every route of every legal capture: a move appears once for each order of jumps that captures the same pieces and ends on
    /// the same square. Empty if nothing can be captured.
    pub fn capture_routes(&self) -> Vec<Move> {
        let mut routes = Vec::new();
        captures::search(self, self.capturers(), u32::MAX, Routes(&mut routes));
        routes
    }

    /// Whether the side to move must capture.
    pub fn must_capture(&self) -> bool {
        !self.capturers().is_empty()
    }

    /// Whether there is a legal move. Cheap even where captures are too many to count.
    pub fn has_legal_move(&self) -> bool {
        self.must_capture() || self.count_quiet_moves() > 0
    }

    /// Returns the winner if the side to move has no legal move: no piece, or none that can move. Every variant has this rule; it is never
    /// a draw.
    pub fn winner(&self) -> Option<Color> {
        (!self.has_legal_move()).then_some(!self.turn())
    }

    /// Returns the number of legal moves; `scratch` is working memory.
    #[inline]
    pub(super) fn count_legal_moves(&self, scratch: &mut Vec<Effect>) -> usize {
        let capturers = self.capturers();
        if capturers.is_empty() {
            return self.count_quiet_moves();
        }
        scratch.clear();
        captures::search(self, capturers, u32::MAX, UniqueEffects(scratch));
        scratch.len()
    }

    /// Replaces the contents of `effects` with the effect of each legal move on the position, without paths.
    pub(super) fn effects_into(&self, effects: &mut Vec<Effect>) {
        effects.clear();
        let capturers = self.capturers();
        if capturers.is_empty() {
            self.for_each_quiet_move(|effect| effects.push(effect));
        } else {
            captures::search(self, capturers, u32::MAX, UniqueEffects(effects));
        }
    }

    /// Finds the legal moves. Returns the number of jumps left, or `None` if `jumps` was too small.
    fn search(&self, jumps: u32, moves: &mut Vec<Move>) -> Option<u32> {
        let capturers = self.capturers();
        if capturers.is_empty() {
            self.for_each_quiet_move(|effect| moves.push(Move { effect, path: Path::Quiet }));
            return Some(jumps);
        }
        let left = captures::search(self, capturers, jumps, UniqueMoves { variant: self.variant(), moves });
        (left > 0).then_some(left)
    }

    /// Returns the pieces of the side to move that can capture something, regardless of priority.
    #[inline]
    pub(super) fn capturers(&self) -> SquareSet {
        match self.variant().geometry.fits_64() {
            true => self.capturers_sized::<true>(),
            false => self.capturers_sized::<false>(),
        }
    }

    #[inline(always)]
    fn capturers_sized<const FITS_64: bool>(&self) -> SquareSet {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let theirs = placement.pieces_of(!us);
        let empty = geometry.all() - placement.occupied();
        // Go backwards: from prey and landing squares to the pieces that stand before both.
        let taken_by_men = if rules.man_takes_king { theirs } else { theirs - placement.kings() };
        let next_to_prey = |way: Direction| {
            let back = way.seen_by(!us);
            geometry.step_sized::<FITS_64>(taken_by_men, back) & geometry.double_step_sized::<FITS_64>(empty, back)
        };
        let next_to_prey = match *rules.man_captures {
            // Nearly every game has four directions, and unrolled code is faster than a loop.
            [a, b, c, d] => next_to_prey(a) | next_to_prey(b) | (next_to_prey(c) | next_to_prey(d)),
            ref ways => ways.iter().fold(SquareSet::EMPTY, |found, &way| found | next_to_prey(way)),
        };
        let capturers = next_to_prey & placement.men_of(us);
        let kings = placement.kings_of(us);
        if kings.is_empty() { capturers } else { capturers | self.capturing_kings(kings) }
    }

    #[inline(never)]
    fn capturing_kings(&self, kings: SquareSet) -> SquareSet {
        let Variant { geometry, rules, .. } = self.variant();
        let (occupied, theirs) = (self.placement().occupied(), self.placement().pieces_of(!self.turn()));
        let reached = |king, way| match rules.king_range {
            KingRange::Short => geometry.next(king, way),
            KingRange::Flying => geometry.nearest(king, way, occupied),
        };
        let takes = |king, way| {
            let over = reached(king, way).filter(|&over| theirs.contains(over));
            over.and_then(|over| geometry.next(over, way)).is_some_and(|to| !occupied.contains(to))
        };
        kings.into_iter().filter(|&king| rules.king_captures.iter().any(|&way| takes(king, way))).collect()
    }

    fn for_each_quiet_move(&self, mut found: impl FnMut(Effect)) {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let crowning_row = geometry.home_row(!us);
        let empty = geometry.all() - placement.occupied();
        for &way in rules.man_moves {
            let way = way.seen_by(us);
            for to in geometry.step(placement.men_of(us), way) & empty {
                let from = geometry.next(to, way.reverse()).expect("the way back of a step that was made");
                found(Effect::quiet(from, to, crowning_row.contains(to)));
            }
        }
        self.for_each_quiet_king_move(empty, |from, to| found(Effect::quiet(from, to, false)));
    }

    fn count_quiet_moves(&self) -> usize {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let empty = variant.geometry.all() - placement.occupied();
        let steps = |&way: &Direction| (variant.geometry.step(placement.men_of(us), way.seen_by(us)) & empty).len();
        let mut count = variant.rules.man_moves.iter().map(steps).sum();
        self.for_each_quiet_king_move(empty, |_, _| count += 1);
        count
    }

    fn for_each_quiet_king_move(&self, empty: SquareSet, mut found: impl FnMut(Square, Square)) {
        let Variant { geometry, rules, .. } = self.variant();
        let mut kings = self.placement().kings_of(self.turn());
        if kings.is_empty() {
            return;
        }
        if let Some(exhausted) = self.exhausted_king() {
            kings.remove(exhausted);
        }
        for from in kings {
            for &way in rules.king_moves {
                let mut next = geometry.next(from, way);
                while let Some(to) = next.filter(|&to| empty.contains(to)) {
                    found(from, to);
                    next = match rules.king_range {
                        KingRange::Short => None,
                        KingRange::Flying => geometry.next(to, way),
                    };
                }
            }
        }
    }
}
