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
use crate::engine::recognition::evidence::{BasePosition, Chronology, Evidence, Facts, Occupancy, PieceTransfers};
use crate::engine::recognition::tuning::{weights, work};
use crate::engine::recognition::verdict::ClockState;
use draughts::{Color, Move, Position, Square, SquareSet};

/// A legal sequence that explains what is seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The plies, at least one.
    pub plies: Vec<Move>,
    /// So many plies came behind them that legal ones do not explain.
    pub unexplained_plies: usize,
    /// Pieces captured by them that still stand on the board.
    pub leftover: SquareSet,
    /// Squares that are wrong: a piece missing or too many. At most one.
    pub mismatched: SquareSet,
    /// The higher, the likelier; comparable within one search.
    pub score: i32,
}

impl Explanation {
    /// How many plies were played by it.
    pub fn total_plies(&self) -> usize {
        self.plies.len() + self.unexplained_plies
    }

    /// Does it leave nothing unexplained?
    pub fn is_exact(&self) -> bool {
        self.leftover.is_empty() && self.mismatched.is_empty()
    }
}

/// What the search starts from.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// The position that is known, and what counts as evidence since.
    pub base: &'a BasePosition,
    /// What happened on the squares.
    pub evidence: &'a Evidence,
    /// Squares known to differ from the position for a known reason.
    pub anomalies: SquareSet,
    /// How many presses of the lever belong to the plies that are sought; `None`: they tell nothing.
    pub presses: Option<usize>,
    /// Is the press of the ply before them missing, so that the lever is out of step with the turn?
    pub is_press_missing: bool,
    /// Was the board not heard for a while, so that presses and changes may have been missed?
    pub has_gap: bool,
}

/// All of a question but its presses: two questions that are equal in it have the same explanations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SearchKey {
    base: BasePosition,
    generation: u64,
    occupancy: Occupancy,
    anomalies: SquareSet,
    has_gap: bool,
}

impl<'a> SearchQuery<'a> {
    /// Which plies have been played since what is published?
    pub fn from_facts(facts: &'a Facts) -> SearchQuery<'a> {
        SearchQuery {
            base: facts.published.base(),
            evidence: &facts.evidence,
            anomalies: facts.published.anomalies().squares(),
            presses: (facts.clock != ClockState::None).then_some(facts.presses.len()),
            is_press_missing: facts.presses.is_missing(),
            has_gap: facts.missed_events.has_gap(),
        }
    }

    fn key(&self) -> SearchKey {
        let SearchQuery { base, evidence, anomalies, has_gap: gap, presses: _, is_press_missing: _ } = *self;
        SearchKey {
            base: *base,
            generation: evidence.generation(),
            occupancy: *evidence.occupancy(),
            anomalies,
            has_gap: gap,
        }
    }
}

/// All explanations up to one ply deeper than the shallowest exact one, the best first.
/// With at most so many plies, and so much work, from which what is done is taken off.
pub fn explain(question: &SearchQuery, most_plies: usize, work: &mut u32) -> Vec<Explanation> {
    SearchResult::search(question, most_plies, work).rank(question)
}

/// The explanations of what the squares show, before presses are weighed: a press changes how likely an explanation is, never whether
/// it is one.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// What they are the explanations of.
    key: SearchKey,
    /// In the order of the search; their scores leave the presses out.
    found: Vec<Explanation>,
    /// So many plies were tried.
    searched_plies: usize,
    /// So many would have been.
    requested_plies: usize,
    /// The work was used up.
    is_cut: bool,
}

impl SearchResult {
    /// Looks for them.
    pub fn search(question: &SearchQuery, most_plies: usize, work: &mut u32) -> SearchResult {
        let of = question.key();
        let nothing = SearchResult {
            key: of,
            found: Vec::new(),
            searched_plies: most_plies,
            requested_plies: most_plies,
            is_cut: false,
        };
        if !is_in_reach(question, &[SquareSet::EMPTY; 2], &question.base.position, most_plies) {
            return nothing;
        }
        let mut traffic = question.evidence.transfers_since(question.base.evidence_start);
        // Where a piece was missing or too many, a hand has been.
        question.anomalies.into_iter().for_each(|square| traffic.mark_unknown(square));
        let chronology = Chronology::new(question.evidence, question.base.evidence_start);
        let mut search = Search {
            query: question,
            rests: chronology.rests() - question.anomalies - question.base.passed_squares,
            touched: question.evidence.touched_since(question.base.evidence_start) | question.anomalies,
            transfers: traffic,
            chronology,
            work_left: *work,
            landed_unseen: 0,
            plies: Vec::new(),
            captured: [SquareSet::EMPTY; 2],
            found: Vec::new(),
        };
        let mut findings = nothing;
        let mut depth = 1;
        while depth <= findings.searched_plies {
            let before = search.found.len();
            search.extend(&question.base.position, depth, Millis::ZERO, None);
            if search.work_left == 0 {
                // Among explanations of this length there may be better ones.
                search.found.truncate(before);
                findings.is_cut = true;
                break;
            }
            findings.searched_plies = next_depth(&search.found, question, most_plies);
            depth += 1;
        }
        *work = search.work_left;
        SearchResult { found: search.found, ..findings }
    }

    /// Are these all that there are to this question? It may differ in its presses from the one they were looked for.
    pub fn covers(&self, question: &SearchQuery) -> bool {
        self.key == question.key()
            && !self.is_cut
            && next_depth(&self.found, question, self.requested_plies) <= self.searched_plies
    }

    /// The explanations, the best first, as the presses of a question have it.
    pub fn rank(&self, question: &SearchQuery) -> Vec<Explanation> {
        let deepest = next_depth(&self.found, question, self.requested_plies);
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
fn next_depth(found: &[Explanation], question: &SearchQuery, most_plies: usize) -> usize {
    let is_good = |found: &&Explanation| {
        found.is_exact() && found.score + presses_cost(question, found.plies.len()) >= weights::GOOD_SCORE
    };
    let shallowest = found.iter().filter(is_good).map(|found| found.plies.len()).min();
    shallowest.map_or(most_plies, |plies| (plies + 1).min(most_plies))
}

/// What it costs that so many plies were played with the presses that were heard.
fn presses_cost(question: &SearchQuery, plies: usize) -> i32 {
    let needed = plies as i32 - i32::from(question.is_press_missing);
    let short = question.presses.map_or(0, |presses| needed - presses as i32);
    let pair = if question.has_gap { weights::PRESSES_MISSED } else { weights::PRESSES };
    pair * short.div_euclid(2).abs() + weights::PRESS_PENDING * short.rem_euclid(2)
}

/// Can `depth` more plies put a piece on every square that shows one too many? Each ply brings one piece of its colour to one
/// square; pieces that the plies before have `captured` may still stand, and one square may be wrong. This is what keeps the
/// search short on a board that no play explains.
fn is_in_reach(question: &SearchQuery, captured: &[SquareSet; 2], position: &Position, depth: usize) -> bool {
    let wrong = question.evidence.contradictions(position.placement()) - question.anomalies;
    let beyond = |color: Color| {
        let plies = if color == position.turn() { depth.div_ceil(2) } else { depth / 2 };
        let arrived = (wrong & question.evidence.occupancy().squares_of(color)) - captured[color.index()];
        arrived.len().saturating_sub(plies)
    };
    beyond(Color::White) + beyond(Color::Black) <= 1
}

struct Search<'a> {
    query: &'a SearchQuery<'a>,
    touched: SquareSet,
    transfers: PieceTransfers,
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
    fn extend(&mut self, position: &Position, depth: usize, landed: Millis, unseen: Option<Square>) {
        if !is_in_reach(self.query, &self.captured, position, depth) {
            return;
        }
        if depth == 0 {
            self.check_end(position);
            return;
        }
        let Some(legal) = position.legal_moves_bounded(&mut self.work_left) else { return };
        self.work_left = self.work_left.saturating_sub(work::MIN_POSITION_COST + legal.len() as u32);
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
            self.work_left = self.work_left.saturating_sub(self.chronology.cost());
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
            self.extend(&next, depth - 1, landed, unseen);
            self.landed_unseen -= cost;
            self.plies.pop();
            self.captured = before;
        }
    }

    /// Was a piece of this colour seen to leave where this move starts, and to arrive where it ends? `Some` if it may have been
    /// played, with the square where it landed unseen. A circular capture shows on the pieces it takes. After a gap a hand on
    /// one end is enough: the other may have been touched twice.
    fn touches(&self, ply: &Move, color: Color) -> Option<Option<Square>> {
        let [from, to] = if self.query.has_gap {
            [ply.from(), ply.to()].map(|square| self.touched.contains(square))
        } else {
            [self.transfers.has_left(ply.from(), color), self.transfers.has_arrived(ply.to(), color)]
        };
        if ply.from() == ply.to() {
            return (!(ply.captured() & self.touched).is_empty()).then_some(None);
        }
        match (from, to) {
            (true, true) => Some(None),
            (true, false) | (false, true) if self.query.has_gap => Some(None),
            // Captured at once; but if nobody saw it leave either, nothing speaks for it.
            (true, false) if !self.query.evidence.is_flickering(ply.from()) => Some(Some(ply.to())),
            _ => None,
        }
    }

    /// Does the position at the end of the sequence match what is seen, but for what is excusable?
    fn check_end(&mut self, end: &Position) {
        let sight = self.query.evidence.occupancy();
        let wrong = self.query.evidence.contradictions(end.placement()) - self.query.anomalies;
        let standing = |color: Color| wrong & self.captured[color.index()] & sight.squares_of(color);
        let left = (standing(Color::White) | standing(Color::Black)) - end.placement().occupied();
        let odd = wrong - left;
        let replaced =
            odd & end.placement().occupied() & (sight.squares_of(Color::White) | sight.squares_of(Color::Black));
        if odd.len() > 1 || !replaced.is_empty() {
            return;
        }
        let score = self.score(left, odd) + self.unseen(left | odd);
        // Of those that agree in all that decides, the best is enough: on a board full of kings there are thousands.
        let is_like = |other: &Explanation| {
            other.plies.len() == self.plies.len()
                && other.plies[0] == self.plies[0]
                && (other.leftover.is_empty(), other.mismatched.is_empty()) == (left.is_empty(), odd.is_empty())
        };
        if let Some(known) = self.found.iter().position(is_like) {
            if self.found[known].score >= score {
                return;
            }
            self.found.remove(known);
        }
        self.found.push(Explanation {
            plies: self.plies.clone(),
            unexplained_plies: 0,
            leftover: left,
            mismatched: odd,
            score,
        });
    }

    fn score(&self, left: SquareSet, odd: SquareSet) -> i32 {
        let sight = self.query.evidence.occupancy();
        let mut score = weights::LEFTOVER_CAPTURED * left.len() as i32 + self.landed_unseen;
        score += odd.into_iter().map(|square| self.mismatch_cost(square)).sum::<i32>();
        let guessed = |to: Square| {
            let (first, second) = (self.query.base.position.turn(), !self.query.base.position.turn());
            let mover = if self.plies.len().is_multiple_of(2) { second } else { first };
            self.query.evidence.is_flickering(to)
                && sight.color(to).is_none()
                && !self.transfers.was_seen_arriving(to, mover)
        };
        if self.plies.last().map(Move::to).is_some_and(guessed) {
            score += weights::FLICKERS_EMPTY;
        }
        score + weights::RESTED * self.rests_unexplained() as i32 + self.path_seen()
    }

    /// How much it costs that this square is wrong.
    fn mismatch_cost(&self, square: Square) -> i32 {
        match self.query.evidence.occupancy().color(square) {
            None => weights::MISMATCHED_SQUARE,
            Some(_) if self.is_displaced_capture(square) => weights::LEFTOVER_CAPTURED,
            Some(color) if self.captured[color.index()].is_empty() => weights::ODD_PIECE,
            Some(_) => weights::MISMATCHED_SQUARE,
        }
    }

    /// Is this a piece of a colour that the last ply captured, beside a square where it did?
    fn is_displaced_capture(&self, square: Square) -> bool {
        let Some(last) = self.plies.last() else { return false };
        let geometry = &self.query.base.position.variant().geometry;
        let captor = if self.plies.len().is_multiple_of(2) {
            !self.query.base.position.turn()
        } else {
            self.query.base.position.turn()
        };
        let (row, column) = geometry.row_and_column(square);
        let is_near = |taken: Square| {
            let (other_row, other_column) = geometry.row_and_column(taken);
            row.abs_diff(other_row).max(column.abs_diff(other_column)) == 1
        };
        self.query.evidence.occupancy().color(square) == Some(!captor) && last.captured().into_iter().any(is_near)
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
        let tolerated = wrong | self.query.anomalies;
        weights::UNSEEN * self.chronology.count_unseen(&self.query.base.position, &self.plies, tolerated) as i32
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
    use crate::engine::recognition::tuning::counts;

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

    fn base_and_evidence(reports: &[(u64, &str, Option<Color>)]) -> (BasePosition, Evidence) {
        let (position, evidence) = evidence(reports);
        let since = Evidence::new(Occupancy::default(), Millis::ZERO).next_seq_no();
        (BasePosition { position, evidence_start: since, passed_squares: SquareSet::EMPTY }, evidence)
    }

    #[test]
    fn press_after_search_matches_full_search() {
        let mut weighed = 0;
        for count in 1..=REPORTS.len() {
            let (base, evidence) = base_and_evidence(&REPORTS[..count]);
            let ask = |presses, press_missing, gap| SearchQuery {
                base: &base,
                evidence: &evidence,
                anomalies: SquareSet::EMPTY,
                presses,
                is_press_missing: press_missing,
                has_gap: gap,
            };
            let fresh = |question: &SearchQuery| explain(question, counts::MAX_PLIES, &mut work::MAX_SEARCH.clone());
            let all = [None, Some(0), Some(1), Some(2), Some(3), Some(7)];
            for (gap, before, after) in
                [false, true].into_iter().flat_map(|gap| all.iter().flat_map(move |a| all.map(|b| (gap, *a, b))))
            {
                let findings =
                    SearchResult::search(&ask(before, false, gap), counts::MAX_PLIES, &mut work::MAX_SEARCH.clone());
                for press_missing in [false, true] {
                    let question = ask(after, press_missing, gap);
                    if findings.covers(&question) {
                        assert_eq!(
                            findings.rank(&question),
                            fresh(&question),
                            "{count} reports, {before:?}, {after:?}"
                        );
                        weighed += 1;
                    }
                }
            }
            let pressed = ask(Some(1), false, false);
            assert!(
                SearchResult::search(&ask(Some(0), false, false), counts::MAX_PLIES, &mut work::MAX_SEARCH.clone())
                    .covers(&pressed)
            );
        }
        assert!(weighed > 500, "{weighed}");
    }

    #[test]
    fn repeats_truncated_search() {
        let (base, evidence) = base_and_evidence(&REPORTS);
        let question = SearchQuery {
            base: &base,
            evidence: &evidence,
            anomalies: SquareSet::EMPTY,
            presses: Some(4),
            is_press_missing: false,
            has_gap: false,
        };
        assert!(!SearchResult::search(&question, counts::MAX_PLIES, &mut 10).covers(&question));
        assert!(SearchResult::search(&question, counts::MAX_PLIES, &mut work::MAX_SEARCH.clone()).covers(&question));
    }
}
