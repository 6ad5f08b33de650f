//! The search for captures, jump by jump, for every variant.
//!
//! ```text
//! a piece that can take ──▸ a jump ──▸ further jumps from every square where it may come down ──▸ it ends: a capture
//!                                                                                                       │
//!        what is asked for ([`CaptureCollector`]) ◂── those that nothing has priority over, by the variant's criteria ◂┘
//! ```
//!
//! The moving piece is off the board, and captured pieces either stand in the way until the move is done or leave at once
//! ([`Removal`]). What is kept of the captures is the affair of the one who asks: who only plays a move does not pay for its
//! path.

use super::geometry::{Direction, Geometry};
use super::moves::{Effect, Jump, Move, Path};
use super::piece::{Color, PieceKind};
use super::position::Position;
use super::ruleset::{Criterion, KingLanding, KingRange, PromotionInCapture, Removal, Ruleset};
use super::square::{Square, SquareSet};
use super::variant::Variant;

/// What becomes of the captures that are found. The same capture may be found several times, by other routes.
pub(super) trait CaptureCollector {
    /// Forgets all that was taken in: something else has priority.
    fn clear(&mut self);

    /// Takes in a capture over which none that was found has priority. Returns how many others it was compared with.
    fn add(&mut self, effect: Effect, last: &JumpNode) -> usize;
}

/// Every route of every capture.
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

/// Each move once, by the route whose long notation comes first as text.
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

/// Each move once, without its path.
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

/// The move from one square to another, if there is just one.
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

/// One jump on the way of a capture, as it was made, linked to the jump before it: the search needs no memory but its
/// stack.
pub(super) struct JumpNode<'before> {
    before: Option<&'before JumpNode<'before>>,
    /// 1 for the first jump.
    number: u8,
    over: Square,
    direction: Direction,
    /// The square next to the captured piece.
    nearest: Square,
    /// Where the piece came down: `nearest` or beyond.
    to: Square,
}

impl JumpNode<'_> {
    /// This jump and those before it, last first.
    fn backwards(&self) -> impl Iterator<Item = &JumpNode<'_>> {
        std::iter::successors(Some(self), |leap| leap.before)
    }

    /// Can the same pieces be taken in another order? One cannot.
    fn has_other_orders(&self) -> bool {
        self.number > 1
    }
}

/// The piece that captures.
#[derive(Clone, Copy)]
struct Capturer {
    from: Square,
    started_as: PieceKind,
    /// What it is now.
    kind: PieceKind,
}

/// The search for the captures of one position.
struct Captures<'a, F, const FITS_64: bool> {
    rules: &'a Ruleset,
    geometry: &'a Geometry,
    us: Color,
    theirs: SquareSet,
    their_kings: SquareSet,
    capturable_by_men: SquareSet,
    crowning_row: SquareSet,
    /// The pieces that stand in the way: all but the one that captures, and those taken that have left.
    blockers: SquareSet,
    captured: SquareSet,
    best: u64,
    /// How many jumps may still be tried.
    jumps_left: u32,
    found: F,
}

/// Finds the captures of these pieces that the variant's priority leaves, trying so many jumps. Returns how many are left
/// of them; with none, the search has been cut short.
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

    /// Takes all jumps that the piece can make from `at`. Returns whether there was one.
    fn extend(&mut self, piece: Capturer, at: Square, last: Option<&JumpNode>) -> bool {
        match piece.kind {
            PieceKind::Man => self.extend_short(piece, at, last),
            PieceKind::King if self.rules.king_range == KingRange::Short => self.extend_short(piece, at, last),
            PieceKind::King => self.extend_flying(piece, at, last),
        }
    }

    /// The same for a piece that takes what stands next to it.
    fn extend_short(&mut self, piece: Capturer, at: Square, last: Option<&JumpNode>) -> bool {
        let (ways, color, takes) = match piece.kind {
            PieceKind::Man => (self.rules.man_captures, self.us, self.capturable_by_men),
            PieceKind::King => (self.rules.king_captures, Color::White, self.theirs),
        };
        let takes = takes - self.captured;
        // All ways are looked at before the first is gone: a processor that guesses at each of them guesses wrong too often.
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

    /// The same for a flying king, which goes on from every square where it may come down.
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

    /// Is this way closed after the last jump? Turning round may be forbidden, and going straight on from a square
    /// further behind the captured piece is the same as from the nearest one.
    fn is_barred(&self, last: &JumpNode, way: Direction) -> bool {
        let turns_round = !self.rules.reversal && way == last.direction.reverse();
        turns_round || (way == last.direction && last.to != last.nearest)
    }

    /// May one more jump be tried?
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

    /// The piece has come down: crowns it where the rules say so, and goes on. Returns whether it could.
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

    /// A capture is complete: keeps it if none that was found has priority over it.
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
        // To compare it takes time, and a long one takes memory.
        let compared = self.found.add(effect, last) as u32 / 16 + u32::from(last.number) / 2;
        self.jumps_left = self.jumps_left.saturating_sub(compared);
    }

    /// The criteria of the variant as one number, the first criterion in the highest bits.
    fn priority(&self, piece: Capturer, last: &JumpNode) -> u64 {
        // A board has 72 squares at most: sixteen bits hold every criterion, and no variant has more than four.
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
                // A king is worth just less than two men: 1.99 orders all sums right, as no board holds 100 kings.
                Criterion::HighestValue => 100 * (pieces - kings()) + 199 * kings(),
            };
            key << BITS | value
        })
    }
}

/// The number of the jump behind this one.
fn next_index(last: Option<&JumpNode>) -> u8 {
    last.map_or(1, |last| last.number + 1)
}

/// The jumps as the long notation names them: on a straight line the square next to the piece, at a turn the turn.
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

/// The long notation, to compare routes of the same move by.
fn long_text(variant: &Variant, ply: &Move) -> String {
    let mut text = String::new();
    for jump in ply.jumps() {
        text.push(variant.capture_separator);
        text.push_str(variant.geometry.name(jump.to));
    }
    text
}
