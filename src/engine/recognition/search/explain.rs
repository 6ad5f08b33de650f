//! Which legal plies lead from a position to what is seen?
//!
//! A depth-first search over legal sequences, one ply deeper at a time, in which a move is tried only if hands were seen
//! on both of its squares. That constraint keeps six plies cheap and removes most ambiguity: in 29 of 100 real positions
//! the first of three unseen plies cannot be told from the placement alone.
//!
//! Nor may a ply have landed before the ply in front of it ([`Chronology`]).
//!
//! An explanation need not be clean: captured pieces may still be standing, one square may be wrong, a press may be missing.
//! What that costs is the logarithm of its odds, so that explanations, and other readings of the board, can be compared.

use crate::engine::millis::Millis;
use crate::engine::recognition::evidence::{Base, Chronology, Evidence, Facts, Sight, Traffic};
use crate::engine::recognition::measures::{weights, work};
use crate::engine::recognition::verdict::Clock;
use draughts::{Color, Move, Position, Square, SquareSet};

/// A legal sequence that explains what is seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The plies, at least one.
    pub plies: Vec<Move>,
    /// So many plies came behind them that legal ones do not explain.
    pub behind: usize,
    /// Pieces captured by them that still stand on the board.
    pub left: SquareSet,
    /// Squares that are wrong: a piece missing or too many. At most one.
    pub odd: SquareSet,
    /// The higher, the likelier; comparable within one search.
    pub score: i32,
}

impl Explanation {
    /// How many plies were played by it.
    pub fn count(&self) -> usize {
        self.plies.len() + self.behind
    }

    /// Does it leave nothing unexplained?
    pub fn is_exact(&self) -> bool {
        self.left.is_empty() && self.odd.is_empty()
    }
}

/// What the search starts from.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The position that is known, and what counts as evidence since.
    pub base: &'a Base,
    /// What happened on the squares.
    pub evidence: &'a Evidence,
    /// Squares known to differ from the position for a known reason.
    pub anomalies: SquareSet,
    /// How many presses of the lever belong to the plies that are sought; `None`: they tell nothing.
    pub presses: Option<usize>,
    /// Is the press of the ply before them missing, so that the lever is out of step with the turn?
    pub press_missing: bool,
    /// Was the board not heard for a while, so that presses and changes may have been missed?
    pub gap: bool,
}

/// All of a question but its presses: two questions that are equal in it have the same explanations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Squares {
    base: Base,
    generation: u64,
    sight: Sight,
    anomalies: SquareSet,
    gap: bool,
}

impl<'a> Question<'a> {
    /// Which plies have been played since what is published?
    pub fn of(facts: &'a Facts) -> Question<'a> {
        Question {
            base: facts.published.base(),
            evidence: &facts.evidence,
            anomalies: facts.published.anomalies().squares(),
            presses: (facts.clock != Clock::None).then_some(facts.presses.len()),
            press_missing: facts.presses.is_missing(),
            gap: facts.unheard.has_gap(),
        }
    }

    fn squares(&self) -> Squares {
        let Question { base, evidence, anomalies, gap, presses: _, press_missing: _ } = *self;
        Squares { base: *base, generation: evidence.generation(), sight: *evidence.sight(), anomalies, gap }
    }
}

/// All explanations up to one ply deeper than the shallowest exact one, the best first.
/// With at most so many plies, and so much work, from which what is done is taken off.
pub fn explain(question: &Question, most_plies: usize, work: &mut u32) -> Vec<Explanation> {
    Findings::seek(question, most_plies, work).weigh(question)
}

/// The explanations of what the squares show, before presses are weighed: a press changes how likely an explanation is, never whether
/// it is one.
#[derive(Clone, Debug)]
pub struct Findings {
    /// What they are the explanations of.
    of: Squares,
    /// In the order of the search; their scores leave the presses out.
    found: Vec<Explanation>,
    /// So many plies were tried.
    deepest: usize,
    /// So many would have been.
    most_plies: usize,
    /// The work was used up.
    is_cut: bool,
}

impl Findings {
    /// Looks for them.
    pub fn seek(question: &Question, most_plies: usize, work: &mut u32) -> Findings {
        let of = question.squares();
        let nothing = Findings { of, found: Vec::new(), deepest: most_plies, most_plies, is_cut: false };
        if !is_in_reach(question, &[SquareSet::EMPTY; 2], &question.base.position, most_plies) {
            return nothing;
        }
        let mut traffic = question.evidence.traffic_since(question.base.since);
        // Where a piece was missing or too many, a hand has been.
        question.anomalies.into_iter().for_each(|square| traffic.blur(square));
        let chronology = Chronology::new(question.evidence, question.base.since);
        let mut search = Search {
            question,
            rests: chronology.rests() - question.anomalies - question.base.passed,
            touched: question.evidence.touched_since(question.base.since) | question.anomalies,
            traffic,
            chronology,
            work_left: *work,
            landed_unseen: 0,
            plies: Vec::new(),
            captured: [SquareSet::EMPTY; 2],
            found: Vec::new(),
        };
        let mut findings = nothing;
        let mut depth = 1;
        while depth <= findings.deepest {
            let before = search.found.len();
            search.descend(&question.base.position, depth, Millis::ZERO, None);
            if search.work_left == 0 {
                // Among explanations of this length there may be better ones.
                search.found.truncate(before);
                findings.is_cut = true;
                break;
            }
            findings.deepest = deepest(&search.found, question, most_plies);
            depth += 1;
        }
        *work = search.work_left;
        Findings { found: search.found, ..findings }
    }

    /// Are these all that there are to this question? It may differ in its presses from the one they were looked for.
    pub fn suffice(&self, question: &Question) -> bool {
        self.of == question.squares() && !self.is_cut && deepest(&self.found, question, self.most_plies) <= self.deepest
    }

    /// The explanations, the best first, as the presses of a question have it.
    pub fn weigh(&self, question: &Question) -> Vec<Explanation> {
        let deepest = deepest(&self.found, question, self.most_plies);
        let fitting = self.found.iter().filter(|found| found.plies.len() <= deepest);
        let weigh = |found: &Explanation| {
            let score = found.score + presses_cost(question, found.plies.len());
            Explanation { score, ..found.clone() }
        };
        let mut explanations: Vec<Explanation> = fitting.map(weigh).collect();
        explanations.sort_by_key(|explanation| std::cmp::Reverse(explanation.score));
        explanations
    }
}

/// How many plies are to be tried, by what was found with fewer: one more than the shallowest exact explanation has, if it is a
/// good one.
fn deepest(found: &[Explanation], question: &Question, most_plies: usize) -> usize {
    let is_good = |found: &&Explanation| {
        found.is_exact() && found.score + presses_cost(question, found.plies.len()) >= weights::CREDIBLE
    };
    let shallowest = found.iter().filter(is_good).map(|found| found.plies.len()).min();
    shallowest.map_or(most_plies, |plies| (plies + 1).min(most_plies))
}

/// What it costs that so many plies were played with the presses that were heard.
fn presses_cost(question: &Question, plies: usize) -> i32 {
    let needed = plies as i32 - i32::from(question.press_missing);
    let short = question.presses.map_or(0, |presses| needed - presses as i32);
    let pair = if question.gap { weights::PRESSES_UNHEARD } else { weights::PRESSES };
    pair * short.div_euclid(2).abs() + weights::PRESS_PENDING * short.rem_euclid(2)
}

/// Can `depth` more plies put a piece on every square that shows one too many? Each ply brings one piece of its colour to one
/// square; pieces that the plies before have `captured` may still stand, and one square may be wrong. This is what keeps the
/// search short on a board that no play explains.
fn is_in_reach(question: &Question, captured: &[SquareSet; 2], position: &Position, depth: usize) -> bool {
    let wrong = question.evidence.contradictions(position.placement()) - question.anomalies;
    let beyond = |color: Color| {
        let plies = if color == position.turn() { depth.div_ceil(2) } else { depth / 2 };
        let arrived = (wrong & question.evidence.sight().of(color)) - captured[color.index()];
        arrived.len().saturating_sub(plies)
    };
    beyond(Color::White) + beyond(Color::Black) <= 1
}

struct Search<'a> {
    question: &'a Question<'a>,
    touched: SquareSet,
    traffic: Traffic,
    /// See [`Chronology::rests`].
    rests: SquareSet,
    chronology: Chronology<'a>,
    work_left: u32,
    /// What it costs that some of the plies landed unseen.
    landed_unseen: i32,
    plies: Vec<Move>,
    /// What the plies have captured, by the colour of the pieces.
    captured: [SquareSet; 2],
    found: Vec<Explanation>,
}

impl Search<'_> {
    /// Tries all sequences of exactly `depth` more plies. The one before them landed at `landed`; if nobody saw it land, on
    /// `unseen`, it must have been captured at once.
    fn descend(&mut self, position: &Position, depth: usize, landed: Millis, unseen: Option<Square>) {
        if !is_in_reach(self.question, &self.captured, position, depth) {
            return;
        }
        if depth == 0 {
            self.judge(position);
            return;
        }
        let Some(legal) = position.legal_moves_within(&mut self.work_left) else { return };
        self.work_left = self.work_left.saturating_sub(work::OF_A_POSITION + legal.len() as u32);
        for ply in legal {
            if self.work_left == 0 {
                return;
            }
            if unseen.is_some_and(|square| !ply.captured().contains(square)) {
                continue;
            }
            let Some(unseen) = self.touches(&ply, position.turn()) else { continue };
            if unseen.is_some() && depth == 1 {
                continue;
            }
            // A ply that came down clearly before the ply in front of it was not played after it.
            self.work_left = self.work_left.saturating_sub(self.chronology.weight());
            let Some(landed) = self.chronology.landing(&ply, position.turn(), landed) else { continue };
            let cost = match unseen {
                None => 0,
                Some(_) if ply.is_capture() => weights::CAPTURED_IN_HASTE,
                Some(_) => weights::LANDED_UNSEEN,
            };
            let next = position.play(&ply);
            let theirs = (!position.turn()).index();
            let before = self.captured;
            self.captured[theirs] |= ply.captured();
            self.plies.push(ply);
            self.landed_unseen += cost;
            self.descend(&next, depth - 1, landed, unseen);
            self.landed_unseen -= cost;
            self.plies.pop();
            self.captured = before;
        }
    }

    /// Was a piece of this colour seen to leave where this move starts, and to arrive where it ends? `Some` if it may have been
    /// played, with the square where it landed unseen. A circular capture shows on the pieces it takes. After a gap a hand on
    /// one end is enough: the other may have been touched twice.
    fn touches(&self, ply: &Move, color: Color) -> Option<Option<Square>> {
        let [from, to] = if self.question.gap {
            [ply.from(), ply.to()].map(|square| self.touched.contains(square))
        } else {
            [self.traffic.has_left(ply.from(), color), self.traffic.has_arrived(ply.to(), color)]
        };
        if ply.from() == ply.to() {
            return (!(ply.captured() & self.touched).is_empty()).then_some(None);
        }
        match (from, to) {
            (true, true) => Some(None),
            (true, false) | (false, true) if self.question.gap => Some(None),
            // Captured at once; but if nobody saw it leave either, nothing speaks for it.
            (true, false) if !self.question.evidence.is_flickering(ply.from()) => Some(Some(ply.to())),
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
        self.found.push(Explanation { plies: self.plies.clone(), behind: 0, left, odd, score });
    }

    fn score(&self, left: SquareSet, odd: SquareSet) -> i32 {
        let sight = self.question.evidence.sight();
        let mut score = weights::LEFT * left.len() as i32 + self.landed_unseen;
        score += odd.into_iter().map(|square| self.odd_costs(square)).sum::<i32>();
        let guessed = |to: Square| {
            let (first, second) = (self.question.base.position.turn(), !self.question.base.position.turn());
            let mover = if self.plies.len().is_multiple_of(2) { second } else { first };
            self.question.evidence.is_flickering(to)
                && sight.color(to).is_none()
                && !self.traffic.was_seen_arriving(to, mover)
        };
        if self.plies.last().map(Move::to).is_some_and(guessed) {
            score += weights::FLICKERS_EMPTY;
        }
        score + weights::RESTED * self.rests_unexplained() as i32 + self.path_seen()
    }

    /// How much it costs that this square is wrong.
    fn odd_costs(&self, square: Square) -> i32 {
        match self.question.evidence.sight().color(square) {
            None => weights::ODD,
            Some(_) if self.is_aside(square) => weights::LEFT,
            Some(color) if self.captured[color.index()].is_empty() => weights::ODD_PIECE,
            Some(_) => weights::ODD,
        }
    }

    /// Is this a piece of a colour that the last ply captured, beside a square where it did?
    fn is_aside(&self, square: Square) -> bool {
        let Some(last) = self.plies.last() else { return false };
        let geometry = &self.question.base.position.variant().geometry;
        let captor = if self.plies.len().is_multiple_of(2) {
            !self.question.base.position.turn()
        } else {
            self.question.base.position.turn()
        };
        let (row, column) = geometry.row_and_column(square);
        let is_near = |taken: Square| {
            let (other_row, other_column) = geometry.row_and_column(taken);
            row.abs_diff(other_row).max(column.abs_diff(other_column)) == 1
        };
        self.question.evidence.sight().color(square) == Some(!captor) && last.captured().into_iter().any(is_near)
    }

    fn rests_unexplained(&self) -> usize {
        let mut rests = self.rests;
        for ply in &self.plies {
            rests = rests - ply.squares();
        }
        rests.len()
    }

    fn unseen(&self, wrong: SquareSet) -> i32 {
        if self.plies.len() < 2 {
            return 0;
        }
        let tolerated = wrong | self.question.anomalies;
        weights::UNSEEN * self.chronology.unseen(&self.question.base.position, &self.plies, tolerated) as i32
    }

    fn path_seen(&self) -> i32 {
        let via = |ply: &Move| ply.jumps().split_last().map_or(Vec::new(), |(_, via)| via.to_vec());
        let squares: Vec<_> = self.plies.iter().flat_map(via).collect();
        if squares.is_empty() {
            return 0;
        }
        let seen = squares.iter().filter(|jump| self.touched.contains(jump.to)).count();
        weights::PATH_SEEN * seen as i32 / squares.len() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::recognition::evidence::tests::evidence;
    use crate::engine::recognition::measures::counts;

    const REPORTS: [(u64, &str, Option<Color>); 9] = [
        (1_000, "32", None),
        (2_000, "28", Some(Color::White)),
        (3_000, "19", None),
        (4_000, "23", Some(Color::Black)),
        (5_000, "28", None),
        (6_000, "19", Some(Color::White)),
        (7_000, "23", None),
        (8_000, "14", None),
        (9_000, "23", Some(Color::Black)),
    ];

    fn base_and_evidence(reports: &[(u64, &str, Option<Color>)]) -> (Base, Evidence) {
        let (position, evidence) = evidence(reports);
        let since = Evidence::new(Sight::default(), Millis::ZERO).moment();
        (Base { position, since, passed: SquareSet::EMPTY }, evidence)
    }

    #[test]
    fn press_after_search_matches_full_search() {
        let mut weighed = 0;
        for count in 1..=REPORTS.len() {
            let (base, evidence) = base_and_evidence(&REPORTS[..count]);
            let ask = |presses, press_missing, gap| Question {
                base: &base,
                evidence: &evidence,
                anomalies: SquareSet::EMPTY,
                presses,
                press_missing,
                gap,
            };
            let fresh = |question: &Question| explain(question, counts::DEEPEST, &mut work::MOST.clone());
            let all = [None, Some(0), Some(1), Some(2), Some(3), Some(7)];
            for (gap, before, after) in
                [false, true].into_iter().flat_map(|gap| all.iter().flat_map(move |a| all.map(|b| (gap, *a, b))))
            {
                let findings = Findings::seek(&ask(before, false, gap), counts::DEEPEST, &mut work::MOST.clone());
                for press_missing in [false, true] {
                    let question = ask(after, press_missing, gap);
                    if findings.suffice(&question) {
                        assert_eq!(
                            findings.weigh(&question),
                            fresh(&question),
                            "{count} reports, {before:?}, {after:?}"
                        );
                        weighed += 1;
                    }
                }
            }
            let pressed = ask(Some(1), false, false);
            assert!(
                Findings::seek(&ask(Some(0), false, false), counts::DEEPEST, &mut work::MOST.clone()).suffice(&pressed)
            );
        }
        assert!(weighed > 500, "{weighed}");
    }

    #[test]
    fn repeats_truncated_search() {
        let (base, evidence) = base_and_evidence(&REPORTS);
        let question = Question {
            base: &base,
            evidence: &evidence,
            anomalies: SquareSet::EMPTY,
            presses: Some(4),
            press_missing: false,
            gap: false,
        };
        assert!(!Findings::seek(&question, counts::DEEPEST, &mut 10).suffice(&question));
        assert!(Findings::seek(&question, counts::DEEPEST, &mut work::MOST.clone()).suffice(&question));
    }
}
