//! The one generator of legal moves, for every variant: it reads the fields of a [`Ruleset`] and never asks which game it
//! plays.
//!
//! ```text
//! who can take at all? ──▸ all captures of these, jump by jump ──▸ the best by the variant's criteria ──▸ each move once
//!          └── nobody: quiet moves
//! ```
//!
//! The first question is answered for all men at once, by shifting the set of their squares; most positions are quiet and
//! need no more. A capture is then followed jump by jump: the moving piece is off the board, and captured pieces either
//! stand in the way until the move is done or leave at once ([`Removal`]).

use super::geometry::{Direction, Geometry};
use super::moves::{Jump, Move, Path};
use super::piece::{Color, Kind};
use super::position::Position;
use super::square::{Square, SquareSet};
use super::variant::{Criterion, Directions, KingLanding, KingRange, PromotionInCapture, Removal, Ruleset, Variant};

impl Position {
    /// All legal moves, each once, in a fixed order. None: the side to move has lost.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(16);
        self.legal_moves_into(&mut moves);
        moves
    }

    /// The same, in the place of what the vector held; saves its memory from being asked for anew.
    pub fn legal_moves_into(&self, moves: &mut Vec<Move>) {
        moves.clear();
        let capturers = self.capturers();
        if capturers.is_empty() {
            self.quiet_moves(moves);
        } else {
            Captures::of(self, capturers, Keep::EachMoveOnce, moves);
        }
    }

    /// The same for positions that may be of no sense, where the routes of captures can be beyond counting: `None` when more
    /// jumps than `jumps` would have to be tried, the comparison of routes counted in. What was tried is taken off it.
    pub fn legal_moves_within(&self, jumps: &mut u32) -> Option<Vec<Move>> {
        let mut moves = Vec::with_capacity(16);
        let capturers = self.capturers();
        if capturers.is_empty() {
            self.quiet_moves(&mut moves);
            return Some(moves);
        }
        *jumps = Captures::search(self, capturers, Keep::EachMoveOnce, *jumps, &mut moves);
        (*jumps > 0).then_some(moves)
    }

    /// Every route of every legal capture: a move comes once for each order of jumps that takes the same pieces and ends
    /// on the same square. Empty where nothing can be taken.
    pub fn capture_routes(&self) -> Vec<Move> {
        let mut routes = Vec::new();
        let capturers = self.capturers();
        if !capturers.is_empty() {
            Captures::of(self, capturers, Keep::EveryRoute, &mut routes);
        }
        routes
    }

    /// Must the side to move capture?
    pub fn must_capture(&self) -> bool {
        !self.capturers().is_empty()
    }

    /// Is there a legal move? Costs little wherever captures are beyond counting.
    pub fn has_legal_move(&self) -> bool {
        self.must_capture() || self.count_quiet_moves() > 0
    }

    /// How many legal moves there are; `scratch` is memory to work in.
    #[inline]
    pub(super) fn count_legal_moves(&self, scratch: &mut Vec<Move>) -> usize {
        let capturers = self.capturers();
        if capturers.is_empty() {
            return self.count_quiet_moves();
        }
        self.captures_into(capturers, Keep::WithoutPath, scratch);
        scratch.len()
    }

    /// The legal moves as far as they matter to the position after them: without paths.
    pub(super) fn moves_to_play_into(&self, moves: &mut Vec<Move>) {
        let capturers = self.capturers();
        if capturers.is_empty() {
            moves.clear();
            self.quiet_moves(moves);
        } else {
            self.captures_into(capturers, Keep::WithoutPath, moves);
        }
    }

    /// All legal captures, in the place of what the vector held. `capturers` are the pieces that can take.
    pub(super) fn captures_into(&self, capturers: SquareSet, keep: Keep, found: &mut Vec<Move>) {
        found.clear();
        Captures::of(self, capturers, keep, found);
    }

    /// The pieces of the side to move that can take something, whatever has priority.
    pub(super) fn capturers(&self) -> SquareSet {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let theirs = placement.of(!us);
        let empty = geometry.all() - placement.occupied();
        // Backwards from the squares where a capture may come down: the pieces before them can be taken, and a step further
        // back stands, or comes along, who takes them.
        let prey = |way: Direction, takes: SquareSet| geometry.step(empty, way.reverse()) & takes;
        let next_to = |prey: SquareSet, way: Direction| match prey.is_empty() {
            true => SquareSet::EMPTY,
            false => geometry.step(prey, way.reverse()),
        };
        let men = placement.men_of(us);
        let taken_by_men = if rules.man_takes_king { theirs } else { theirs - placement.kings() };
        let mut capturers = SquareSet::EMPTY;
        for &way in rules.man_captures {
            let way = seen_by(us, way);
            capturers |= next_to(prey(way, taken_by_men), way) & men;
        }
        let kings = placement.kings_of(us);
        for &way in rules.king_captures.iter().take_while(|_| !kings.is_empty()) {
            let prey = prey(way, theirs);
            if rules.king_range == KingRange::Short {
                capturers |= next_to(prey, way) & kings;
            } else if !prey.is_empty() {
                let flies_at_prey = |&king: &Square| {
                    let mut line = std::iter::successors(geometry.next(king, way), |&at| geometry.next(at, way));
                    line.find(|&at| !empty.contains(at)).is_some_and(|at| prey.contains(at))
                };
                capturers |= kings.into_iter().filter(flies_at_prey).collect();
            }
        }
        capturers
    }

    fn quiet_moves(&self, moves: &mut Vec<Move>) {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let (geometry, rules) = (&variant.geometry, &variant.rules);
        let crowning_row = geometry.home_row(!us);
        let empty = geometry.all() - placement.occupied();
        for &way in rules.man_moves {
            let way = seen_by(us, way);
            for to in geometry.step(placement.men_of(us), way) & empty {
                let from = geometry.next(to, way.reverse()).expect("the way back of a step that was made");
                moves.push(quiet(from, to, crowning_row.contains(to)));
            }
        }
        self.each_quiet_king_move(empty, |from, to| moves.push(quiet(from, to, false)));
    }

    fn count_quiet_moves(&self) -> usize {
        let (variant, us, placement) = (self.variant(), self.turn(), self.placement());
        let empty = variant.geometry.all() - placement.occupied();
        let steps = |&way: &Direction| (variant.geometry.step(placement.men_of(us), seen_by(us, way)) & empty).len();
        let mut count = variant.rules.man_moves.iter().map(steps).sum();
        self.each_quiet_king_move(empty, |_, _| count += 1);
        count
    }

    fn each_quiet_king_move(&self, empty: SquareSet, mut found: impl FnMut(Square, Square)) {
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

pub(super) fn quiet(from: Square, to: Square, promotes: bool) -> Move {
    Move { from, to, captured: SquareSet::EMPTY, promotes, path: Path::Quiet }
}

/// Directions are written for White; Black's are turned round.
pub(super) fn seen_by(color: Color, way: Direction) -> Direction {
    match color {
        Color::White => way,
        Color::Black => way.reverse(),
    }
}

/// What to do with captures that take the same pieces in another order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    EachMoveOnce,
    EveryRoute,
    /// Each move once, and of its path nothing: enough to count it and to play it. Such moves stay within the rules.
    WithoutPath,
}

/// One jump on the way of a capture, as it was made, linked to the jump before it: the search needs no memory but its
/// stack.
struct Leap<'before> {
    before: Option<&'before Leap<'before>>,
    /// 1 for the first jump.
    number: u8,
    over: Square,
    way: Direction,
    /// The square next to the captured piece.
    nearest: Square,
    /// Where the piece came down: `nearest` or beyond.
    to: Square,
}

impl Leap<'_> {
    /// This jump and those before it, last first.
    fn backwards(&self) -> impl Iterator<Item = &Leap<'_>> {
        std::iter::successors(Some(self), |leap| leap.before)
    }
}

/// The piece that captures.
#[derive(Clone, Copy)]
struct Capturer {
    from: Square,
    started_as: Kind,
    /// What it is now.
    kind: Kind,
}

/// The search for the captures of one position.
struct Captures<'a> {
    variant: &'a Variant,
    rules: &'a Ruleset,
    geometry: &'a Geometry,
    us: Color,
    theirs: SquareSet,
    their_kings: SquareSet,
    crowning_row: SquareSet,
    /// The pieces that stand in the way: all but the one that captures, and those taken that have left.
    standing: SquareSet,
    captured: SquareSet,
    keep: Keep,
    best: u64,
    /// How many jumps may still be tried.
    jumps_left: u32,
    found: &'a mut Vec<Move>,
}

impl<'a> Captures<'a> {
    /// Finds the captures that the variant's priority leaves, into `found`, which is empty.
    fn of(position: &Position, capturers: SquareSet, keep: Keep, found: &'a mut Vec<Move>) {
        Captures::search(position, capturers, keep, u32::MAX, found);
    }

    /// The same with a bound on the jumps that are tried. Returns how many are left of it; with none, the search has been
    /// cut short.
    fn search(position: &Position, capturers: SquareSet, keep: Keep, jumps_left: u32, found: &'a mut Vec<Move>) -> u32 {
        let (variant, us, placement) = (position.variant(), position.turn(), position.placement());
        let mut search = Captures {
            variant,
            rules: &variant.rules,
            geometry: &variant.geometry,
            us,
            theirs: placement.of(!us),
            their_kings: placement.kings_of(!us),
            crowning_row: variant.geometry.home_row(!us),
            standing: SquareSet::EMPTY,
            captured: SquareSet::EMPTY,
            keep,
            best: 0,
            jumps_left,
            found,
        };
        for (kind, pieces) in [(Kind::Man, placement.men_of(us)), (Kind::King, placement.kings_of(us))] {
            for from in pieces & capturers {
                search.standing = placement.occupied().without(from);
                search.go_on(Capturer { from, started_as: kind, kind }, from, None);
            }
        }
        search.jumps_left
    }

    /// Takes all jumps that the piece can make from `at`. Returns whether there was one.
    fn go_on(&mut self, piece: Capturer, at: Square, last: Option<&Leap>) -> bool {
        let rules = self.rules;
        let (ways, takes): (Directions, SquareSet) = match piece.kind {
            Kind::Man if !rules.man_takes_king => (rules.man_captures, self.theirs - self.their_kings),
            Kind::Man => (rules.man_captures, self.theirs),
            Kind::King => (rules.king_captures, self.theirs),
        };
        let takes = takes - self.captured;
        let mut any = false;
        for &way in ways {
            let way = if piece.kind == Kind::Man { seen_by(self.us, way) } else { way };
            let Some(over) = self.first_piece(at, way, piece.kind) else { continue };
            if takes.contains(over) && !last.is_some_and(|last| self.is_barred(last, way)) {
                any |= self.jump(piece, over, way, last);
            }
        }
        any
    }

    /// Is this way closed after the last jump? Turning round may be forbidden, and going straight on from a square
    /// further behind the captured piece is the same as from the nearest one.
    fn is_barred(&self, last: &Leap, way: Direction) -> bool {
        let turns_round = !self.rules.reversal && way == last.way.reverse();
        turns_round || (way == last.way && last.to != last.nearest)
    }

    /// The first piece on a line that this kind of piece can reach.
    fn first_piece(&self, at: Square, way: Direction, kind: Kind) -> Option<Square> {
        let mut next = self.geometry.next(at, way)?;
        if kind == Kind::King && self.rules.king_range == KingRange::Flying {
            while !self.standing.contains(next) {
                next = self.geometry.next(next, way)?;
            }
        }
        Some(next)
    }

    /// Jumps over one piece and goes on from every square where the capturer may come down. Returns whether there was
    /// one.
    fn jump(&mut self, piece: Capturer, over: Square, way: Direction, before: Option<&Leap>) -> bool {
        let flies = piece.kind == Kind::King
            && self.rules.king_range == KingRange::Flying
            && self.rules.king_landing == KingLanding::AnyBehind;
        let Some(nearest) = self.geometry.next(over, way).filter(|&to| !self.standing.contains(to)) else {
            return false;
        };
        self.jumps_left = self.jumps_left.saturating_sub(1);
        if self.jumps_left == 0 {
            return false;
        }
        let number = before.map_or(1, |leap| leap.number + 1);
        let leap = |to| Leap { before, number, over, way, nearest, to };
        self.captured.insert(over);
        if self.rules.removal == Removal::AtOnce {
            self.standing.remove(over);
        }
        let mut ends = SquareSet::EMPTY;
        let mut goes_on = false;
        let mut landing = Some(nearest);
        while let Some(to) = landing.filter(|&to| !self.standing.contains(to)) {
            if self.land(piece, &leap(to)) {
                goes_on = true;
            } else {
                ends.insert(to);
            }
            landing = if flies { self.geometry.next(to, way) } else { None };
        }
        if !goes_on {
            for to in ends {
                self.finish(piece, &leap(to));
            }
        }
        self.captured.remove(over);
        self.standing.insert(over);
        true
    }

    /// The piece has come down: crowns it where the rules say so, and goes on. Returns whether it could.
    fn land(&mut self, piece: Capturer, leap: &Leap) -> bool {
        let mut piece = piece;
        if piece.kind == Kind::Man && self.crowning_row.contains(leap.to) {
            match self.rules.promotion_in_capture {
                PromotionInCapture::WhereTheMoveEnds => {}
                PromotionInCapture::EndsTheMove => return false,
                PromotionInCapture::GoesOnAsKing => piece.kind = Kind::King,
            }
        }
        self.go_on(piece, leap.to, Some(leap))
    }

    /// A capture is complete: keeps it if none that was found has priority over it.
    fn finish(&mut self, piece: Capturer, last: &Leap) {
        let key = self.priority(piece, last);
        if key < self.best {
            return;
        }
        if key > self.best {
            self.best = key;
            self.found.clear();
        }
        let crowned_at_the_end = piece.kind == Kind::Man && self.crowning_row.contains(last.to);
        let ply = Move {
            from: piece.from,
            to: last.to,
            captured: self.captured,
            promotes: crowned_at_the_end || piece.kind != piece.started_as,
            path: if self.keep == Keep::WithoutPath { Path::Quiet } else { path(last) },
        };
        // It is compared with those found before it, and a long one takes memory.
        let compared = self.found.len() as u32 / 16 + u32::from(last.number) / 2;
        self.jumps_left = self.jumps_left.saturating_sub(compared);
        // One jump has no other order.
        let may_be_known = self.keep != Keep::EveryRoute && last.number > 1;
        let known = if may_be_known { self.found.iter_mut().find(|known| **known == ply) } else { None };
        match known {
            None => self.found.push(ply),
            Some(_) if self.keep == Keep::WithoutPath => {}
            Some(known) if long_text(self.variant, &ply) < long_text(self.variant, known) => *known = ply,
            Some(_) => {}
        }
    }

    /// The criteria of the variant as one number, the first criterion in the highest bits.
    fn priority(&self, piece: Capturer, last: &Leap) -> u64 {
        // A board has 72 squares at most: sixteen bits hold every criterion, and no variant has more than four.
        const BITS: u8 = 16;
        let pieces = u64::from(last.number);
        let kings = || (self.captured & self.their_kings).len() as u64;
        self.rules.priority.iter().fold(0, |key, criterion| {
            let value = match criterion {
                Criterion::MostPieces => pieces,
                Criterion::MostKings => kings(),
                Criterion::TakenByKing => u64::from(piece.started_as == Kind::King),
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

/// The jumps as the long notation names them: on a straight line the square next to the piece, at a turn the turn.
fn path(last: &Leap) -> Path {
    if last.number == 1 {
        return Path::Single([Jump { over: last.over, to: last.to }]);
    }
    let mut jumps = Vec::with_capacity(usize::from(last.number));
    let mut way_after = None;
    for leap in last.backwards() {
        let straight = way_after == Some(leap.way);
        jumps.push(Jump { over: leap.over, to: if straight { leap.nearest } else { leap.to } });
        way_after = Some(leap.way);
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
