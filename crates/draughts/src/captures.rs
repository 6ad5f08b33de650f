//! The search for captures, jump by jump, for every variant.
//!
//! ```text
//! a piece that can capture ──▸ a jump ──▸ further jumps from every landing square ──▸ no more jumps: a capture
//!                                                                                                │
//!          CaptureCollector ◂── captures with the highest priority, by the variant's criteria ◂──┘
//! ```
//!
//! The moving piece is off the board. Captured pieces either block lines until the move ends or leave at once ([`Removal`]). The
//! [`CaptureCollector`] decides how much of each capture to retain: a caller that only plays a move does not build its path.

use super::geometry::{Direction, Geometry};
use super::moves::{Effect, Jump, Move, Path};
use super::piece::{Color, PieceKind};
use super::position::Position;
use super::ruleset::{Criterion, KingLanding, KingRange, PromotionInCapture, Removal, Ruleset};
use super::square::{Square, SquareSet};
use super::variant::Variant;

/// Receives the captures found. The search may find one capture several times, by different routes.
pub(super) trait CaptureCollector {
    /// Discards all captures added so far: a capture with higher priority was found.
    fn clear(&mut self);

    /// Adds a capture to which no capture found so far has priority. Returns the number of captures it was compared with.
    fn add(&mut self, effect: Effect, last: &JumpNode) -> usize;
}

/// Collects every route of every capture.
pub(super) struct Routes<'a>(pub &'a mut Vec<Move>);

impl CaptureCollector for Routes<'_> {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, effect: Effect, last: &JumpNode) -> usize {
        self.0.push(Move { effect, path: path(last) });
        0
    }
}

/// Collects each move once, with the route whose long notation sorts first as text.
pub(super) struct UniqueMoves<'a> {
    pub variant: &'static Variant,
    pub moves: &'a mut Vec<Move>,
}

impl CaptureCollector for UniqueMoves<'_> {
    fn clear(&mut self) {
        self.moves.clear();
    }

    fn add(&mut self, effect: Effect, last: &JumpNode) -> usize {
        let ply = Move { effect, path: path(last) };
        match self.moves.iter_mut().find(|known| last.has_other_orders() && **known == ply) {
            None => self.moves.push(ply),
            Some(known) if long_text(self.variant, &ply) < long_text(self.variant, known) => *known = ply,
            Some(_) => {}
        }
        self.moves.len()
    }
}

/// Collects each move once, without its path.
pub(super) struct UniqueEffects<'a>(pub &'a mut Vec<Effect>);

impl CaptureCollector for UniqueEffects<'_> {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, effect: Effect, last: &JumpNode) -> usize {
        if !last.has_other_orders() || !self.0.contains(&effect) {
            self.0.push(effect);
        }
        self.0.len()
    }
}

/// Collects the move between two given squares, if it is unique.
pub(super) struct OnlyMove {
    from: Square,
    to: Square,
    found: Option<Effect>,
    has_others: bool,
}

impl OnlyMove {
    pub const fn new(from: Square, to: Square) -> OnlyMove {
        OnlyMove { from, to, found: None, has_others: false }
    }

    pub fn only(&self) -> Option<Effect> {
        self.found.filter(|_| !self.has_others)
    }
}

impl CaptureCollector for &mut OnlyMove {
    fn clear(&mut self) {
        self.found = None;
        self.has_others = false;
    }

    fn add(&mut self, effect: Effect, _: &JumpNode) -> usize {
        if (effect.from, effect.to) == (self.from, self.to) {
            self.has_others |= self.found.replace(effect).is_some_and(|known| known != effect);
        }
        0
    }
}

/// One jump of the capture being searched, linked to the previous jump. The search needs no memory beyond its stack.
pub(super) struct JumpNode<'before> {
    before: Option<&'before JumpNode<'before>>,
    /// Jump number within the capture, from 1.
    number: u8,
    over: Square,
    direction: Direction,
    /// Square next to the captured piece.
    nearest: Square,
    /// Landing square: `nearest` or a square beyond it.
    to: Square,
}

impl JumpNode<'_> {
    /// Returns this jump and those before it, last first.
    fn backwards(&self) -> impl Iterator<Item = &JumpNode<'_>> {
        std::iter::successors(Some(self), |leap| leap.before)
    }

    /// Whether the same pieces could be captured in another order; `false` for a single piece.
    fn has_other_orders(&self) -> bool {
        self.number > 1
    }
}

/// The capturing piece.
#[derive(Clone, Copy)]
struct Capturer {
    from: Square,
    started_as: PieceKind,
    /// Current kind of the piece: a man may be crowned during the capture.
    kind: PieceKind,
}

/// Search for the captures of one position.
struct Captures<'a, F, const FITS_64: bool> {
    rules: &'a Ruleset,
    geometry: &'a Geometry,
    us: Color,
    theirs: SquareSet,
    their_kings: SquareSet,
    capturable_by_men: SquareSet,
    crowning_row: SquareSet,
    /// Pieces that block lines: all except the capturing piece and captured pieces that have left.
    blockers: SquareSet,
    captured: SquareSet,
    best: u64,
    /// Number of jumps that may still be tried.
    jumps_left: u32,
    found: F,
}

/// Finds the captures of `capturers` that pass the variant's priority criteria, trying at most `jumps_left` jumps. Returns the number of
/// jumps left; 0 means that the search was cut short.
pub(super) fn search<F: CaptureCollector>(position: &Position, capturers: SquareSet, jumps_left: u32, found: F) -> u32 {
    match position.variant().geometry.fits_64() {
        true => Captures::<F, true>::search(position, capturers, jumps_left, found),
        false => Captures::<F, false>::search(position, capturers, jumps_left, found),
    }
}

impl<F: CaptureCollector, const FITS_64: bool> Captures<'_, F, FITS_64> {
    fn search(position: &Position, capturers: SquareSet, jumps_left: u32, found: F) -> u32 {
        let (variant, us, placement) = (position.variant(), position.turn(), position.placement());
        let mut search = Captures::<F, FITS_64> {
            rules: &variant.rules,
            geometry: &variant.geometry,
            us,
            theirs: placement.pieces_of(!us),
            their_kings: placement.kings_of(!us),
            capturable_by_men: if variant.rules.man_takes_king {
                placement.pieces_of(!us)
            } else {
                placement.men_of(!us)
            },
            crowning_row: variant.geometry.home_row(!us),
            blockers: SquareSet::EMPTY,
            captured: SquareSet::EMPTY,
            best: 0,
            jumps_left,
            found,
        };
        for (kind, pieces) in [(PieceKind::Man, placement.men_of(us)), (PieceKind::King, placement.kings_of(us))] {
            for from in pieces & capturers {
                search.blockers = placement.occupied().without(from);
                search.extend(Capturer { from, started_as: kind, kind }, from, None);
            }
        }
        search.jumps_left
    }

    /// Tries all jumps of the piece from `at`. Returns whether there was one.
    fn extend(&mut self, piece: Capturer, at: Square, last: Option<&JumpNode>) -> bool {
        match piece.kind {
            PieceKind::Man => self.extend_short(piece, at, last),
            PieceKind::King if self.rules.king_range == KingRange::Short => self.extend_short(piece, at, last),
            PieceKind::King => self.extend_flying(piece, at, last),
        }
    }

    /// [`Captures::extend`] for a piece that captures only adjacent pieces.
    fn extend_short(&mut self, piece: Capturer, at: Square, last: Option<&JumpNode>) -> bool {
        let (ways, color, takes) = match piece.kind {
            PieceKind::Man => (self.rules.man_captures, self.us, self.capturable_by_men),
            PieceKind::King => (self.rules.king_captures, Color::White, self.theirs),
        };
        let takes = takes - self.captured;
        // Collect all directions before trying the first: a branch per direction is often mispredicted.
        let mut open = 0_u32;
        for (index, &way) in ways.iter().enumerate() {
            let (over, to) = self.geometry.hop(at, way.seen_by(color));
            open |= u32::from(takes.contains_sized::<FITS_64>(over) & !self.blockers.contains_sized::<FITS_64>(to))
                << index;
        }
        let mut any = false;
        while open != 0 {
            let way = ways[open.trailing_zeros() as usize].seen_by(color);
            open &= open - 1;
            if last.is_some_and(|last| self.is_barred(last, way)) || !self.may_jump() {
                continue;
            }
            let (over, to) = self.geometry.hop(at, way);
            self.add(over);
            let leap = JumpNode { before: last, number: next_index(last), over, direction: way, nearest: to, to };
            if !self.land(piece, &leap) {
                self.finish(piece, &leap);
            }
            self.undo_capture(over);
            any = true;
        }
        any
    }

    /// [`Captures::extend`] for a flying king, which continues from every square on which it may land.
    fn extend_flying(&mut self, king: Capturer, at: Square, last: Option<&JumpNode>) -> bool {
        let geometry = self.geometry;
        let takes = self.theirs - self.captured;
        let mut any = false;
        for &way in self.rules.king_captures {
            let Some(over) = geometry.nearest(at, way, self.blockers).filter(|&over| takes.contains(over)) else {
                continue;
            };
            let Some(nearest) = geometry.next(over, way).filter(|&to| !self.blockers.contains(to)) else { continue };
            if last.is_some_and(|last| self.is_barred(last, way)) || !self.may_jump() {
                continue;
            }
            self.add(over);
            let leap = |to| JumpNode { before: last, number: next_index(last), over, direction: way, nearest, to };
            let mut ends = SquareSet::EMPTY;
            let mut goes_on = false;
            let mut landing = Some(nearest);
            while let Some(to) = landing.filter(|&to| !self.blockers.contains(to)) {
                if self.land(king, &leap(to)) {
                    goes_on = true;
                } else {
                    ends.insert(to);
                }
                landing = match self.rules.king_landing {
                    KingLanding::AnyBehind => geometry.next(to, way),
                    KingLanding::DirectlyBehind => None,
                };
            }
            if !goes_on {
                for to in ends {
                    self.finish(king, &leap(to));
                }
            }
            self.undo_capture(over);
            any = true;
        }
        any
    }

    /// Whether this direction is excluded after the last jump. Reversing may be forbidden. Continuing straight on from a square farther
    /// behind the captured piece repeats the jump from the nearest one.
    fn is_barred(&self, last: &JumpNode, way: Direction) -> bool {
        let turns_round = !self.rules.reversal && way == last.direction.reverse();
        turns_round || (way == last.direction && last.to != last.nearest)
    }

    /// Counts one jump. Returns whether it may be tried.
    fn may_jump(&mut self) -> bool {
        self.jumps_left = self.jumps_left.saturating_sub(1);
        self.jumps_left > 0
    }

    fn add(&mut self, over: Square) {
        self.captured.insert(over);
        if self.rules.removal == Removal::Immediate {
            self.blockers.remove(over);
        }
    }

    fn undo_capture(&mut self, over: Square) {
        self.captured.remove(over);
        self.blockers.insert(over);
    }

    /// Lands the piece, crowns it if the rules say so, and extends the capture. Returns whether it could be extended.
    fn land(&mut self, piece: Capturer, leap: &JumpNode) -> bool {
        let mut piece = piece;
        if piece.kind == PieceKind::Man && self.crowning_row.contains(leap.to) {
            match self.rules.promotion_in_capture {
                PromotionInCapture::AtMoveEnd => {}
                PromotionInCapture::EndsTheMove => return false,
                PromotionInCapture::ContinuesAsKing => piece.kind = PieceKind::King,
            }
        }
        self.extend(piece, leap.to, Some(leap))
    }

    /// Adds a complete capture unless a capture found so far has priority over it.
    fn finish(&mut self, piece: Capturer, last: &JumpNode) {
        let key = self.priority(piece, last);
        if key < self.best {
            return;
        }
        if key > self.best {
            self.best = key;
            self.found.clear();
        }
        let crowned_at_the_end = piece.kind == PieceKind::Man && self.crowning_row.contains(last.to);
        let effect = Effect {
            from: piece.from,
            to: last.to,
            captured: self.captured,
            promotes: crowned_at_the_end || piece.kind != piece.started_as,
        };
        // Comparing a capture takes time, and a long one takes memory: count both as jumps.
        let compared = self.found.add(effect, last) as u32 / 16 + u32::from(last.number) / 2;
        self.jumps_left = self.jumps_left.saturating_sub(compared);
    }

    /// Returns the variant's criteria as one number, the first criterion in the highest bits.
    fn priority(&self, piece: Capturer, last: &JumpNode) -> u64 {
        // A board has at most 72 squares, so sixteen bits hold every criterion; no variant has more than four criteria.
        const BITS: u8 = 16;
        let pieces = u64::from(last.number);
        let kings = || (self.captured & self.their_kings).len() as u64;
        self.rules.priority.iter().fold(0, |key, criterion| {
            let value = match criterion {
                Criterion::MostPieces => pieces,
                Criterion::MostKings => kings(),
                Criterion::TakenByKing => u64::from(piece.started_as == PieceKind::King),
                Criterion::KingsFirst => last
                    .backwards()
                    .filter(|leap| leap.number <= BITS && self.their_kings.contains(leap.over))
                    .fold(0, |bits, leap| bits | 1 << (BITS - leap.number)),
                // A king is worth just less than two men: 1.99 orders all sums correctly, because no board holds 100 kings.
                Criterion::HighestValue => 100 * (pieces - kings()) + 199 * kings(),
            };
            key << BITS | value
        })
    }
}

/// Returns the number of the jump after `last`.
fn next_index(last: Option<&JumpNode>) -> u8 {
    last.map_or(1, |last| last.number + 1)
}

/// Returns the jumps as in long notation: on a straight line the square next to the piece, at a turn the square of the turn.
fn path(last: &JumpNode) -> Path {
    if last.number == 1 {
        return Path::Single([Jump { over: last.over, to: last.to }]);
    }
    let mut jumps = Vec::with_capacity(usize::from(last.number));
    let mut way_after = None;
    for leap in last.backwards() {
        let straight = way_after == Some(leap.direction);
        jumps.push(Jump { over: leap.over, to: if straight { leap.nearest } else { leap.to } });
        way_after = Some(leap.direction);
    }
    jumps.reverse();
    Path::Multiple(jumps.into_boxed_slice())
}

/// Returns the long notation, used to compare routes of the same move.
fn long_text(variant: &Variant, ply: &Move) -> String {
    let mut text = String::new();
    for jump in ply.jumps() {
        text.push(variant.capture_separator);
        text.push_str(variant.geometry.name(jump.to));
    }
    text
}
