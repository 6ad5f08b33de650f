//! Which legal plies lead from a position to what is seen?
//!
//! A depth-first search over legal sequences, one ply deeper at a time, in which a move is tried only if hands were seen
//! on both of its squares. That constraint keeps six plies cheap and removes most ambiguity: in 29 of 100 real positions
//! the first of three unseen plies cannot be told from the placement alone.
//!
//! An explanation need not be clean: captured pieces may still be standing, and one square may be wrong.

use super::evidence::{Evidence, Moment};
use crate::millis::Millis;
use crate::rules::{Color, Move, Position, SquareSet};

/// The most plies that are explained at once. With more unseen plies only the board's memory can tell.
const DEEPEST: usize = 6;
/// The most work of one search, in moves and jumps looked at: bounds its cost on adversarial boards
/// (`cargo bench --bench recognition`).
const MOST_WORK: u32 = 4_000;
/// What generating the moves of a position costs at least, in moves looked at.
const WORK_OF_A_POSITION: u32 = 8;
/// Two landings this close together may have been reported in the order of the scan, not of the hands.
const SCAN: Millis = Millis(300);

/// Points of the comparison of explanations, in hundredths.
mod points {
    /// For each two presses too many or too few: one was forgotten and the next had no effect, or one was a mistake.
    pub const PRESSES: i32 = -100;
    /// The last ply has not been pressed for yet.
    pub const PRESS_PENDING: i32 = -20;
    /// For each captured piece that still stands.
    pub const LEFT: i32 = -70;
    /// For each square that is wrong.
    pub const ODD: i32 = -120;
    /// If all squares on which a capture came down in between were touched.
    pub const PATH_SEEN: i32 = 20;
    /// For each ply that landed before an earlier one.
    pub const INVERSION: i32 = -100;
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
    /// How many presses of the lever belong to the plies that are sought.
    pub presses: usize,
    /// Is the press of the ply before them missing, so that the lever is out of step with the turn?
    pub press_missing: bool,
}

/// All explanations up to one ply deeper than the shallowest exact one, the best first.
pub fn explain(question: &Question) -> Vec<Explanation> {
    explain_within(question, DEEPEST)
}

/// The same with at most so many plies.
pub fn explain_within(question: &Question, most_plies: usize) -> Vec<Explanation> {
    let mut search = Search {
        question,
        touched: question.evidence.touched_since(question.since),
        work_left: MOST_WORK,
        plies: Vec::new(),
        captured: [SquareSet::EMPTY; 2],
        found: Vec::new(),
    };
    let mut deepest = most_plies;
    for depth in 1..=most_plies {
        if depth > deepest || search.work_left == 0 {
            break;
        }
        search.descend(question.base, depth);
        if deepest == most_plies && search.found.iter().any(Explanation::is_exact) {
            deepest = depth + 1;
        }
    }
    search.found.sort_by_key(|explanation| std::cmp::Reverse(explanation.score));
    search.found
}

struct Search<'a> {
    question: &'a Question<'a>,
    touched: SquareSet,
    work_left: u32,
    plies: Vec<Move>,
    /// What the plies have captured, by the colour of the pieces.
    captured: [SquareSet; 2],
    found: Vec<Explanation>,
}

impl Search<'_> {
    /// Tries all sequences of exactly `depth` more plies.
    fn descend(&mut self, position: &Position, depth: usize) {
        if !self.is_in_reach(position, depth) {
            return;
        }
        if depth == 0 {
            self.judge(position);
            return;
        }
        let Some(legal) = position.legal_moves_within(&mut self.work_left) else { return };
        self.work_left = self.work_left.saturating_sub(WORK_OF_A_POSITION + legal.len() as u32);
        for ply in legal {
            if self.work_left == 0 {
                return;
            }
            if !self.was_touched(&ply) {
                continue;
            }
            let next = position.play(&ply);
            let theirs = (!position.turn()).index();
            let before = self.captured;
            self.captured[theirs] |= ply.captured();
            self.plies.push(ply);
            self.descend(&next, depth - 1);
            self.plies.pop();
            self.captured = before;
        }
    }

    /// Can `depth` more plies put a piece on every square that shows one too many? Each ply brings one piece of its colour to
    /// one square; captured pieces may still stand, and one square may be wrong. This is what keeps the search short on a
    /// board that no play explains.
    fn is_in_reach(&self, position: &Position, depth: usize) -> bool {
        let sight = self.question.evidence.sight();
        let wrong = self.question.evidence.contradictions(position.placement()) - self.question.anomalies;
        let beyond = |color: Color| {
            let plies = if color == position.turn() { depth.div_ceil(2) } else { depth / 2 };
            (wrong & sight.of(color) - self.captured[color.index()]).len().saturating_sub(plies)
        };
        beyond(Color::White) + beyond(Color::Black) <= 1
    }

    /// Were hands seen where this move starts and ends? A circular capture shows on the pieces it takes.
    fn was_touched(&self, ply: &Move) -> bool {
        if ply.from() == ply.to() {
            return !(ply.captured() & self.touched).is_empty();
        }
        self.touched.contains(ply.from()) && self.touched.contains(ply.to())
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
        let score = self.score(left, odd);
        // Of those that agree in all that decides, the best is enough: on a board full of kings there are thousands.
        let is_like = |other: &Explanation| {
            other.plies.len() == self.plies.len()
                && other.plies[0] == self.plies[0]
                && (other.left.is_empty(), other.odd.is_empty()) == (left.is_empty(), odd.is_empty())
        };
        if let Some(known) = self.found.iter().position(is_like) {
            if self.found[known].score >= score {
                return;
            }
            self.found.remove(known);
        }
        self.found.push(Explanation { plies: self.plies.clone(), left, odd, score });
    }

    fn score(&self, left: SquareSet, odd: SquareSet) -> i32 {
        let needed = self.plies.len() as i32 - i32::from(self.question.press_missing);
        let short = needed - self.question.presses as i32;
        let mut score = points::PRESSES * short.div_euclid(2).abs();
        score += points::PRESS_PENDING * short.rem_euclid(2);
        score += points::LEFT * left.len() as i32 + points::ODD * odd.len() as i32;
        score += self.path_seen();
        score + points::INVERSION * self.inversions()
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

    /// How many plies landed clearly before the ply in front of them.
    fn inversions(&self) -> i32 {
        let mut mover = self.question.base.turn();
        let mut latest: Option<Millis> = None;
        let mut inversions = 0;
        for ply in &self.plies {
            let arrival = self.question.evidence.arrival(ply.to(), mover);
            let arrival = arrival.filter(|_| self.touched.contains(ply.to()));
            if let (Some(arrival), Some(before)) = (arrival, latest)
                && arrival + SCAN < before
            {
                inversions += 1;
            }
            latest = latest.max(arrival);
            mover = !mover;
        }
        inversions
    }
}
