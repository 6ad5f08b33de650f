//! The one generator of legal moves, for every variant: it reads the fields of a [`Ruleset`] and never asks which game it
//! plays.
//!
//! ```text
//! captures of every piece, jump by jump ──▸ only the best by the variant's criteria ──▸ each distinct move once
//!          └── none? quiet moves
//! ```
//!
//! During a capture the moving piece is off the board. Captured pieces either stand in the way until the move is done or
//! leave at once ([`Removal`]).

use super::geometry::{Direction, Geometry};
use super::moves::{Jump, Move};
use super::piece::{Color, Kind};
use super::position::Position;
use super::square::{Square, SquareSet};
use super::variant::{Criterion, Directions, KingLanding, KingRange, PromotionInCapture, Removal, Ruleset};

impl Position {
    /// All legal moves, each once, in a fixed order. None: the side to move has lost.
    pub fn legal_moves(&self) -> Vec<Move> {
        let captures = Captures::of(self);
        if captures.is_empty() { self.quiet_moves() } else { captures }
    }

    /// Must the side to move capture?
    pub fn must_capture(&self) -> bool {
        !Captures::of(self).is_empty()
    }

    fn quiet_moves(&self) -> Vec<Move> {
        let (geometry, rules, us) = (&self.variant().geometry, &self.variant().rules, self.turn());
        let placement = self.placement();
        let crowning_row = geometry.home_row(!us);
        let occupied = placement.occupied();
        let mut moves = Vec::with_capacity(16);
        for from in placement.men_of(us) {
            for to in rules.man_moves.iter().filter_map(|&way| geometry.next(from, seen_by(us, way))) {
                if !occupied.contains(to) {
                    moves.push(quiet(from, to, crowning_row.contains(to)));
                }
            }
        }
        let exhausted = self.exhausted_king();
        for from in placement.kings_of(us).into_iter().filter(|&king| Some(king) != exhausted) {
            for &way in rules.king_moves {
                let mut at = from;
                while let Some(to) = geometry.next(at, way).filter(|&to| !occupied.contains(to)) {
                    moves.push(quiet(from, to, false));
                    at = to;
                    if rules.king_range == KingRange::Short {
                        break;
                    }
                }
            }
        }
        moves
    }
}

fn quiet(from: Square, to: Square, promotes: bool) -> Move {
    Move { from, to, captured: SquareSet::EMPTY, promotes, jumps: Vec::new() }
}

/// Directions are written for White; Black's are turned round.
fn seen_by(color: Color, way: Direction) -> Direction {
    match color {
        Color::White => way,
        Color::Black => way.reverse(),
    }
}

/// One jump on the way of a capture, as it was made.
#[derive(Clone, Copy)]
struct Leap {
    over: Square,
    way: Direction,
    /// The square next to the captured piece.
    nearest: Square,
    /// Where the piece came down: `nearest` or beyond.
    to: Square,
}

/// The search for the captures of one position.
struct Captures<'a> {
    geometry: &'a Geometry,
    rules: &'a Ruleset,
    us: Color,
    theirs: SquareSet,
    their_kings: SquareSet,
    crowning_row: SquareSet,
    /// All pieces but the one that captures.
    others: SquareSet,
    started_as: Kind,
    from: Square,
    leaps: Vec<Leap>,
    captured: SquareSet,
    best: u64,
    found: Vec<Move>,
}

impl<'a> Captures<'a> {
    /// The captures that the variant's priority leaves.
    fn of(position: &'a Position) -> Vec<Move> {
        let (geometry, rules, us) = (&position.variant().geometry, &position.variant().rules, position.turn());
        let placement = position.placement();
        let mut search = Captures {
            geometry,
            rules,
            us,
            theirs: placement.of(!us),
            their_kings: placement.kings_of(!us),
            crowning_row: geometry.home_row(!us),
            others: placement.occupied(),
            started_as: Kind::Man,
            from: Square::new(0),
            leaps: Vec::new(),
            captured: SquareSet::EMPTY,
            best: 0,
            found: Vec::new(),
        };
        for (started_as, pieces) in [(Kind::Man, placement.men_of(us)), (Kind::King, placement.kings_of(us))] {
            for from in pieces {
                search.started_as = started_as;
                search.from = from;
                search.others = placement.occupied().without(from);
                search.go_on(from, started_as, false);
            }
        }
        search.found
    }

    /// Takes all jumps that the piece can make from `at`. Returns whether there was one.
    fn go_on(&mut self, at: Square, kind: Kind, promotes: bool) -> bool {
        let rules = self.rules;
        let (ways, takes): (Directions, SquareSet) = match kind {
            Kind::Man if !rules.man_takes_king => (rules.man_captures, self.theirs - self.their_kings),
            Kind::Man => (rules.man_captures, self.theirs),
            Kind::King => (rules.king_captures, self.theirs),
        };
        let mut any = false;
        for &way in ways {
            let way = if kind == Kind::Man { seen_by(self.us, way) } else { way };
            if self.leaps.last().is_some_and(|last| self.is_barred(last, way)) {
                continue;
            }
            let Some(over) = self.first_piece(at, way, kind) else { continue };
            if !takes.contains(over) || self.captured.contains(over) {
                continue;
            }
            any |= self.jump(over, way, kind, promotes);
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
            while !self.stands(next) {
                next = self.geometry.next(next, way)?;
            }
        }
        self.stands(next).then_some(next)
    }

    /// Is there a piece in the way?
    fn stands(&self, square: Square) -> bool {
        let gone = self.rules.removal == Removal::AtOnce && self.captured.contains(square);
        self.others.contains(square) && !gone
    }

    /// Jumps over one piece and goes on from every square where the piece may come down. Returns whether there was one.
    fn jump(&mut self, over: Square, way: Direction, kind: Kind, promotes: bool) -> bool {
        let flies = kind == Kind::King
            && self.rules.king_range == KingRange::Flying
            && self.rules.king_landing == KingLanding::AnyBehind;
        let Some(nearest) = self.geometry.next(over, way).filter(|&to| !self.stands(to)) else { return false };
        self.captured.insert(over);
        let mut ends = Vec::new();
        let mut goes_on = false;
        let mut landing = Some(nearest);
        while let Some(to) = landing.filter(|&to| !self.stands(to)) {
            self.leaps.push(Leap { over, way, nearest, to });
            if self.land(to, kind, promotes) {
                goes_on = true;
            } else {
                ends.push(to);
            }
            self.leaps.pop();
            landing = if flies { self.geometry.next(to, way) } else { None };
        }
        if !goes_on {
            for to in ends {
                self.leaps.push(Leap { over, way, nearest, to });
                self.finish(to, kind, promotes);
                self.leaps.pop();
            }
        }
        self.captured.remove(over);
        true
    }

    /// The piece has come down: crowns it where the rules say so, and goes on. Returns whether it could.
    fn land(&mut self, to: Square, kind: Kind, promotes: bool) -> bool {
        if kind == Kind::Man && self.crowning_row.contains(to) {
            match self.rules.promotion_in_capture {
                PromotionInCapture::WhereTheMoveEnds => {}
                PromotionInCapture::EndsTheMove => return false,
                PromotionInCapture::GoesOnAsKing => return self.go_on(to, Kind::King, true),
            }
        }
        self.go_on(to, kind, promotes)
    }

    /// A capture is complete: keeps it if none that was found has priority over it.
    fn finish(&mut self, to: Square, kind: Kind, promotes: bool) {
        let key = self.priority();
        if key < self.best {
            return;
        }
        if key > self.best {
            self.best = key;
            self.found.clear();
        }
        let promotes = promotes || (kind == Kind::Man && self.crowning_row.contains(to));
        let ply = Move { from: self.from, to, captured: self.captured, promotes, jumps: self.jumps() };
        match self.found.iter().position(|known| *known == ply) {
            Some(known) if self.long_text(&ply) < self.long_text(&self.found[known]) => self.found[known] = ply,
            Some(_) => {}
            None => self.found.push(ply),
        }
    }

    /// The criteria of the variant as one number, the first criterion in the highest bits.
    fn priority(&self) -> u64 {
        // A side has at most 30 pieces; sixteen bits hold every criterion, and no variant has more than four.
        const BITS: u32 = 16;
        let pieces = self.leaps.len() as u64;
        let kings = (self.captured & self.their_kings).len() as u64;
        self.rules.priority.iter().fold(0, |key, criterion| {
            let value = match criterion {
                Criterion::MostPieces => pieces,
                Criterion::MostKings => kings,
                Criterion::TakenByKing => u64::from(self.started_as == Kind::King),
                Criterion::KingsFirst => {
                    let bit = |leap: &Leap| u64::from(self.their_kings.contains(leap.over));
                    self.leaps.iter().take(BITS as usize).fold(0, |bits, leap| bits << 1 | bit(leap))
                }
                // A king is worth just less than two men: with at most 30 kings, 1.97 orders all sums right.
                Criterion::HighestValue => 100 * (pieces - kings) + 197 * kings,
            };
            key << BITS | value
        })
    }

    /// The jumps as the long notation names them: on a straight line the square next to the piece, at a turn the turn.
    fn jumps(&self) -> Vec<Jump> {
        let named = |(index, leap): (usize, &Leap)| {
            let straight = self.leaps.get(index + 1).is_some_and(|next| next.way == leap.way);
            Jump { over: leap.over, to: if straight { leap.nearest } else { leap.to } }
        };
        self.leaps.iter().enumerate().map(named).collect()
    }

    fn long_text(&self, ply: &Move) -> String {
        ply.jumps.iter().map(|jump| self.geometry.name(jump.to)).collect::<Vec<_>>().join("x")
    }
}
