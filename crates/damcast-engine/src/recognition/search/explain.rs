//! Finds legal plies that lead from a position to the current board.
//!
//! Iterative deepening over legal sequences. A move is tried only if both its squares were touched. This keeps six
//! plies cheap and removes most ambiguity: in 29 of 100 real positions the placement alone does not determine the first
//! of three unseen plies.
//!
//! A ply must not land before its predecessor ([`Chronology`]).
//!
//! An explanation may have blemishes: captured pieces still on the board, one wrong square, a missing press. Each costs
//! the logarithm of its odds, so explanations and other interpretations of the board are comparable.

use draughts::{Color, Move, Position, Square, SquareSet};

use crate::millis::Millis;
use crate::recognition::evidence::{BasePosition, Chronology, Evidence, Facts, Occupancy, PieceTransfers};
use crate::recognition::tuning::{weights, work};
use crate::recognition::verdict::ClockState;

/// Legal sequence that explains the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// Plies, at least one.
    pub plies: Vec<Move>,
    /// Number of later plies that legal play does not explain.
    pub unexplained_plies: usize,
    /// Pieces captured by the plies that are still on the board.
    pub leftover: SquareSet,
    /// Wrong squares: a piece missing or too many. At most one.
    pub mismatched: SquareSet,
    /// Number of squares on which a piece rested while the opponent moved, although no ply ends there.
    pub unexplained_rests: usize,
    /// Score; higher is likelier. Comparable within one search.
    pub score: i32,
}

impl Explanation {
    /// Returns the number of plies played.
    pub fn total_plies(&self) -> usize {
        self.plies.len() + self.unexplained_plies
    }

    /// Whether the plies explain the board exactly.
    pub fn is_exact(&self) -> bool {
        self.leftover.is_empty() && self.mismatched.is_empty()
    }
}

/// Input of the search.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// Known position, and the evidence that counts since.
    pub base: &'a BasePosition,
    /// Events on the squares.
    pub evidence: &'a Evidence,
    /// Squares that differ from the position for a known reason.
    pub anomalies: SquareSet,
    /// Number of lever presses for the plies; `None` if presses are not informative.
    pub presses: Option<usize>,
    /// Whether the press of the preceding ply is missing, so that the lever is out of step with the turn.
    pub is_press_missing: bool,
    /// Whether an outage may have hidden presses and changes.
    pub has_gap: bool,
}

/// Query without its presses: queries with equal keys have the same explanations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SearchKey {
    base: BasePosition,
    generation: u64,
    occupancy: Occupancy,
    anomalies: SquareSet,
    has_gap: bool,
}

impl<'a> SearchQuery<'a> {
    /// Creates the query for plies since the published position.
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

/// Returns all explanations up to one ply deeper than the shallowest exact one, best first. At most `most_plies` plies
/// long; subtracts the work done from `work`.
pub fn explain(question: &SearchQuery, most_plies: usize, work: &mut u32) -> Vec<Explanation> {
    SearchResult::search(question, most_plies, work).rank(question)
}

/// Explanations of the squares without the weight of presses: a press affects the likelihood of an explanation, never
/// its validity.
#[derive(Clone, Debug)]
pub struct SearchResult {
    key: SearchKey,
    /// Explanations in search order, with scores that exclude presses.
    found: Vec<Explanation>,
    searched_plies: usize,
    requested_plies: usize,
    /// Whether the work limit ended the search.
    is_cut: bool,
}

impl SearchResult {
    /// Searches for explanations.
    pub fn search(question: &SearchQuery, most_plies: usize, work: &mut u32) -> SearchResult {
        let (key, searched_plies, requested_plies) = (question.key(), most_plies, most_plies);
        let nothing = SearchResult { key, found: Vec::new(), searched_plies, requested_plies, is_cut: false };
        if !is_in_reach(question, &[SquareSet::EMPTY; 2], &question.base.position, most_plies) {
            return nothing;
        }
        let mut traffic = question.evidence.transfers_since(question.base.evidence_start);
        // A hand has touched every square with a missing or surplus piece.
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
                // Better explanations of this length may be missing.
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

    /// Whether the result is complete for this query, which may have other presses than the searched one.
    pub fn covers(&self, question: &SearchQuery) -> bool {
        self.key == question.key()
            && !self.is_cut
            && next_depth(&self.found, question, self.requested_plies) <= self.searched_plies
    }

    /// Returns the explanations, best first, weighted by the presses of the query.
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

/// Returns the number of plies to search, given the explanations so far: one more than the shallowest good exact
/// explanation. One that leaves a rest unexplained is not believed before longer ones were tried.
fn next_depth(found: &[Explanation], question: &SearchQuery, most_plies: usize) -> usize {
    let is_good = |found: &&Explanation| {
        found.is_exact()
            && found.unexplained_rests == 0
            && found.score + presses_cost(question, found.plies.len()) >= weights::GOOD_SCORE
    };
    let shallowest = found.iter().filter(is_good).map(|found| found.plies.len()).min();
    shallowest.map_or(most_plies, |plies| (plies + 1).min(most_plies))
}

/// Returns the cost of playing `plies` plies with the reported presses.
fn presses_cost(question: &SearchQuery, plies: usize) -> i32 {
    let needed = plies as i32 - i32::from(question.is_press_missing);
    let short = question.presses.map_or(0, |presses| needed - presses as i32);
    let pair = if question.has_gap { weights::PRESSES_MISSED } else { weights::PRESSES };
    pair * short.div_euclid(2).abs() + weights::PRESS_PENDING * short.rem_euclid(2)
}

/// Whether `depth` more plies can fill every square that shows a surplus piece. Each ply brings one piece of its colour
/// to one square. Pieces in `captured` may still be on the board, and one square may be wrong. This keeps the search
/// short on an unexplained board.
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
    /// Result of [`Chronology::rests`].
    rests: SquareSet,
    chronology: Chronology<'a>,
    work_left: u32,
    /// Cost of plies whose landing was not seen.
    landed_unseen: i32,
    plies: Vec<Move>,
    captured: [SquareSet; 2],
    found: Vec<Explanation>,
}

impl Search<'_> {
    /// Tries all sequences of exactly `depth` more plies. `landed`: landing time of the previous ply; `unseen`: its
    /// square if the landing was not seen, in which case this ply must capture it.
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
            // Skip plies that clearly landed before their predecessor.
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

    /// Whether a piece of this colour was seen to leave the start of this move and to arrive at its end. Returns `Some`
    /// if the move is possible, with its end square if the landing was not seen. A circular capture shows by the
    /// captured pieces. After a gap a touch on one end is enough, because the other may have been touched twice.
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
            // The piece was captured at once. If its departure was not seen either, there is no evidence for the move.
            (true, false) if !self.query.evidence.is_flickering(ply.from()) => Some(Some(ply.to())),
            _ => None,
        }
    }

    /// Records the sequence if its final position matches the board, apart from excusable differences.
    fn check_end(&mut self, end: &Position) {
        let sight = self.query.evidence.occupancy();
        let wrong = self.query.evidence.contradictions(end.placement()) - self.query.anomalies;
        let standing = |color: Color| wrong & self.captured[color.index()] & sight.squares_of(color);
        let leftover = (standing(Color::White) | standing(Color::Black)) - end.placement().occupied();
        let mismatched = wrong - leftover;
        let replaced =
            mismatched & end.placement().occupied() & (sight.squares_of(Color::White) | sight.squares_of(Color::Black));
        if mismatched.len() > 1 || !replaced.is_empty() {
            return;
        }
        let score = self.score(leftover, mismatched) + self.unseen(leftover | mismatched);
        // Keep only the best of equivalent explanations: boards full of kings have thousands.
        let is_like = |other: &Explanation| {
            other.plies.len() == self.plies.len()
                && other.plies[0] == self.plies[0]
                && (other.leftover.is_empty(), other.mismatched.is_empty())
                    == (leftover.is_empty(), mismatched.is_empty())
        };
        if let Some(known) = self.found.iter().position(is_like) {
            if self.found[known].score >= score {
                return;
            }
            self.found.remove(known);
        }
        let plies = self.plies.clone();
        let unexplained_rests = self.rests_unexplained();
        self.found.push(Explanation { plies, unexplained_plies: 0, leftover, mismatched, unexplained_rests, score });
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

    /// Returns the cost of a wrong square.
    fn mismatch_cost(&self, square: Square) -> i32 {
        match self.query.evidence.occupancy().color(square) {
            None => weights::MISMATCHED_SQUARE,
            Some(_) if self.is_displaced_capture(square) => weights::LEFTOVER_CAPTURED,
            Some(color) if self.captured[color.index()].is_empty() => weights::ODD_PIECE,
            Some(_) => weights::MISMATCHED_SQUARE,
        }
    }

    /// Whether the piece has the colour captured by the last ply, and is next to a captured square.
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
    use crate::recognition::evidence::tests::evidence;
    use crate::recognition::tuning::counts;

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
    fn unexplained_rest_makes_search_go_deeper() {
        let plain = [(1_000, "32", None), (4_000, "27", Some(Color::White))];
        // The piece rested on 28 while the opponent lifted and replaced a piece.
        let rested = [
            plain[0],
            (1_400, "28", Some(Color::White)),
            (2_500, "19", None),
            (3_000, "19", Some(Color::Black)),
            (3_500, "28", None),
            plain[1],
        ];
        for (reports, searched) in [(&plain[..], 2), (&rested[..], counts::MAX_PLIES)] {
            let (base, evidence) = base_and_evidence(reports);
            let question = SearchQuery {
                base: &base,
                evidence: &evidence,
                anomalies: SquareSet::EMPTY,
                presses: Some(1),
                is_press_missing: false,
                has_gap: false,
            };
            let found = SearchResult::search(&question, counts::MAX_PLIES, &mut work::MAX_SEARCH.clone());
            assert!(found.found.iter().any(|found| found.is_exact() && found.plies.len() == 1));
            assert_eq!(found.searched_plies, searched);
        }
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
