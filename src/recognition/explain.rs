//! Which legal plies lead from a position to what is seen?
//!
//! A depth-first search over legal sequences, one ply deeper at a time, in which a move is tried only if hands were seen
//! on both of its squares. That constraint keeps six plies cheap and removes most ambiguity: in 29 of 100 real positions
//! the first of three unseen plies cannot be told from the placement alone.
//!
//! Nor may a ply have landed before the ply in front of it ([`super::chronology`]).
//!
//! An explanation need not be clean: captured pieces may still be standing, one square may be wrong, a press may be missing.
//! What that costs is the logarithm of its odds, so that explanations, and other readings of the board, can be compared.

use super::chronology::Chronology;
use super::evidence::{Evidence, Moment};
use crate::millis::Millis;
use crate::rules::{Color, Move, Position, Square, SquareSet};

/// The most plies that are explained at once. With more unseen plies only the board's memory can tell.
const DEEPEST: usize = 6;
/// The most positions looked at from the published position, some microseconds each.
pub const MOST_NODES: usize = 3_000;
/// Where so many explanations fit, none is known.
const MOST_FOUND: usize = 60;
/// With an exact explanation this good, longer ones are not looked for.
pub const CREDIBLE: i32 = -300;

/// Points of the comparison of explanations: hundredths of the natural logarithm of odds.
mod points {
    /// For each two presses too many or too few: one was forgotten and the next had no effect, or one was a mistake.
    pub const PRESSES: i32 = -400;
    /// The same when presses may have gone unheard.
    pub const PRESSES_UNHEARD: i32 = -50;
    /// The last ply has not been pressed for yet.
    pub const PRESS_PENDING: i32 = -80;
    /// For each captured piece that still stands.
    pub const LEFT: i32 = -280;
    /// For each square that is wrong.
    pub const ODD: i32 = -450;
    /// The same for a piece too many: hands take away what does not belong, and rarely add it.
    pub const ODD_PIECE: i32 = -750;
    /// For each ply that nobody saw land because the next one captured it at once.
    pub const LANDED_UNSEEN: i32 = -350;
    /// If all squares on which a capture came down in between were touched.
    pub const PATH_SEEN: i32 = 80;
    /// If the last ply ends on a square that flickers and shows nothing.
    pub const FLICKERS_EMPTY: i32 = -250;
    /// For each position in between that was never seen.
    pub const UNSEEN: i32 = -200;
}

/// A legal sequence that explains what is seen.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The plies, at least one.
    pub plies: Vec<Move>,
    /// Pieces captured by them that still stand on the board.
    pub left: SquareSet,
    /// Squares that are wrong: a piece missing or too many. At most one.
    pub odd: SquareSet,
    /// The higher, the likelier; comparable within one search.
    pub score: i32,
}

impl Explanation {
    /// Does it leave nothing unexplained?
    pub fn is_exact(&self) -> bool {
        self.left.is_empty() && self.odd.is_empty()
    }
}

/// What the search starts from.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The position that is known.
    pub base: &'a Position,
    /// What happened on the squares.
    pub evidence: &'a Evidence,
    /// The moment from which touches count.
    pub since: Moment,
    /// Squares known to differ from the position for a known reason.
    pub anomalies: SquareSet,
    /// How many presses of the lever belong to the plies that are sought; `None`: they tell nothing.
    pub presses: Option<usize>,
    /// Is the press of the ply before them missing, so that the lever is out of step with the turn?
    pub press_missing: bool,
    /// Was the board not heard for a while, so that presses and changes may have been missed?
    pub gap: bool,
    /// The most positions looked at: bounds the cost on adversarial boards.
    pub nodes: usize,
}

/// All explanations up to one ply deeper than the shallowest exact one, the best first.
pub fn explain(question: &Question) -> Vec<Explanation> {
    let mut search = Search {
        question,
        // Where a piece was missing or too many, a hand has been.
        touched: question.evidence.touched_since(question.since) | question.anomalies,
        chronology: Chronology::new(question.evidence, question.since),
        nodes: 0,
        landed_unseen: 0,
        plies: Vec::new(),
        captured: [SquareSet::EMPTY; 2],
        found: Vec::new(),
    };
    let mut deepest = DEEPEST;
    let mut depth = 1;
    while depth <= deepest {
        let before = search.found.len();
        search.descend(question.base, depth, Millis::ZERO, None);
        if search.is_exhausted() {
            // Among explanations of this length there may be better ones.
            search.found.truncate(before);
            break;
        }
        let is_good = |found: &Explanation| found.is_exact() && found.score >= CREDIBLE;
        if deepest == DEEPEST && search.found.iter().any(is_good) {
            deepest = (depth + 1).min(DEEPEST);
        }
        depth += 1;
    }
    search.found.sort_by_key(|explanation| std::cmp::Reverse(explanation.score));
    search.found
}

struct Search<'a> {
    question: &'a Question<'a>,
    touched: SquareSet,
    chronology: Chronology<'a>,
    nodes: usize,
    /// How many of the plies landed unseen.
    landed_unseen: usize,
    plies: Vec<Move>,
    /// What the plies have captured, by the colour of the pieces.
    captured: [SquareSet; 2],
    found: Vec<Explanation>,
}

impl Search<'_> {
    fn is_exhausted(&self) -> bool {
        self.nodes > self.question.nodes || self.found.len() > MOST_FOUND
    }

    /// Tries all sequences of exactly `depth` more plies. The one before them landed at `landed`; if nobody saw it land, on
    /// `unseen`, it must have been captured at once.
    fn descend(&mut self, position: &Position, depth: usize, landed: Millis, unseen: Option<Square>) {
        if depth == 0 {
            self.judge(position);
            return;
        }
        for ply in position.legal_moves() {
            if self.is_exhausted() {
                return;
            }
            if unseen.is_some_and(|square| !ply.captured().contains(square)) {
                continue;
            }
            let Some(unseen) = self.touches(&ply) else { continue };
            if unseen.is_some() && depth == 1 {
                continue;
            }
            // A ply that came down clearly before the ply in front of it was not played after it.
            let Some(landed) = self.chronology.landing(&ply, position.turn(), landed) else { continue };
            self.nodes += 1;
            let next = position.play(&ply);
            let theirs = (!position.turn()).index();
            let before = self.captured;
            self.captured[theirs] |= ply.captured();
            self.plies.push(ply);
            self.landed_unseen += usize::from(unseen.is_some());
            self.descend(&next, depth - 1, landed, unseen);
            self.landed_unseen -= usize::from(unseen.is_some());
            self.plies.pop();
            self.captured = before;
        }
    }

    /// Were hands seen where this move starts and ends? `Some` if it may have been played, with the square where it landed
    /// unseen. A circular capture shows on the pieces it takes. After a gap one end is enough: the other may have been
    /// touched twice.
    fn touches(&self, ply: &Move) -> Option<Option<Square>> {
        let [from, to] = [ply.from(), ply.to()].map(|square| self.touched.contains(square));
        if ply.from() == ply.to() {
            return (!(ply.captured() & self.touched).is_empty()).then_some(None);
        }
        match (from, to) {
            (true, true) => Some(None),
            (true, false) | (false, true) if self.question.gap => Some(None),
            (true, false) => Some(Some(ply.to())),
            _ => None,
        }
    }

    /// Does the position at the end of the sequence match what is seen, but for what is excusable?
    fn judge(&mut self, end: &Position) {
        let sight = self.question.evidence.sight();
        let wrong = self.question.evidence.contradictions(end.placement()) - self.question.anomalies;
        let standing = |color: Color| wrong & self.captured[color.index()] & sight.of(color);
        let left = (standing(Color::White) | standing(Color::Black)) - end.placement().occupied();
        let odd = wrong - left;
        let replaced = odd & end.placement().occupied() & (sight.of(Color::White) | sight.of(Color::Black));
        if odd.len() > 1 || !replaced.is_empty() {
            return;
        }
        let score = self.score(left, odd) + self.unseen(left | odd);
        self.found.push(Explanation { plies: self.plies.clone(), left, odd, score });
    }

    fn score(&self, left: SquareSet, odd: SquareSet) -> i32 {
        let needed = self.plies.len() as i32 - i32::from(self.question.press_missing);
        let short = self.question.presses.map_or(0, |presses| needed - presses as i32);
        let pair = if self.question.gap { points::PRESSES_UNHEARD } else { points::PRESSES };
        let mut score = pair * short.div_euclid(2).abs() + points::PRESS_PENDING * short.rem_euclid(2);
        let sight = self.question.evidence.sight();
        let too_many = (odd & (sight.of(Color::White) | sight.of(Color::Black))).len() as i32;
        let missing = odd.len() as i32 - too_many;
        score += points::LEFT * left.len() as i32 + points::ODD * missing + points::ODD_PIECE * too_many;
        score += points::LANDED_UNSEEN * self.landed_unseen as i32;
        let ends_on = self.plies.last().map(Move::to);
        if ends_on.is_some_and(|to| self.question.evidence.is_flickering(to) && sight.color(to).is_none()) {
            score += points::FLICKERS_EMPTY;
        }
        score + self.path_seen()
    }

    fn unseen(&self, wrong: SquareSet) -> i32 {
        if self.plies.len() < 2 {
            return 0;
        }
        let tolerated = wrong | self.question.anomalies;
        points::UNSEEN * self.chronology.unseen(self.question.base, &self.plies, tolerated) as i32
    }

    fn path_seen(&self) -> i32 {
        let via = |ply: &Move| ply.jumps().split_last().map_or(Vec::new(), |(_, via)| via.to_vec());
        let squares: Vec<_> = self.plies.iter().flat_map(via).collect();
        if squares.is_empty() {
            return 0;
        }
        let seen = squares.iter().filter(|jump| self.touched.contains(jump.to)).count();
        points::PATH_SEEN * seen as i32 / squares.len() as i32
    }
}
