//! Order of events on the squares, and whether it fits a sequence of plies.
//!
//! A placement shows which plies were played, but rarely in which order; the reports add the order. The changes since a
//! point form a sequence of placements, one between every two reports:
//!
//! ```text
//!   position ─▸ placement ─▸ placement ─▸ placement ─▸ ... ─▸ current board
//!                  after 12-18?      after 37-32?
//! ```
//!
//! Each ply must land after its predecessor, and the position after it should have been seen at some time. Reports of
//! one scan may come in any order. Changes seen only in a dump have no time, so they contradict nothing.

use draughts::{Color, Move, Position, Square, SquareSet};

use super::occupancy::{Occupancy, SensedPiece};
use super::squares::{ChangeSource, Evidence, SeqNo, SquareChange};
use crate::millis::Millis;
use crate::recognition::tuning::{counts, times};

/// Contents of the squares between two changes.
#[derive(Clone, Copy, Debug)]
struct OccupancySpan {
    occupancy: Occupancy,
    from: Millis,
    seq_no: SeqNo,
}

/// Order of events since a point in the sequence.
#[derive(Clone, Debug)]
pub struct Chronology<'a> {
    changes: Vec<&'a SquareChange>,
    spans: Vec<OccupancySpan>,
    /// Squares with unknown contents at some time: a dump showed a change, or they flicker.
    uncertain: SquareSet,
    /// Squares with an unreported change shown by a dump.
    unreported: SquareSet,
    /// Squares that changed more often than a hand can cause.
    flickering: SquareSet,
}

impl<'a> Chronology<'a> {
    /// Creates the chronology of changes after `since`.
    pub fn new(evidence: &'a Evidence, since: SeqNo) -> Chronology<'a> {
        let changes: Vec<&SquareChange> = evidence.changes_since(since).collect();
        let mut sight = *evidence.occupancy();
        for change in changes.iter().rev() {
            sight.put(change.square, change.before.map(|color| SensedPiece { color, is_king: false }));
        }
        let mut spans = vec![OccupancySpan { occupancy: sight, from: Millis::ZERO, seq_no: since }];
        let mut unreported = SquareSet::EMPTY;
        for change in &changes {
            sight.put(change.square, change.after.map(|color| SensedPiece { color, is_king: false }));
            spans.push(OccupancySpan { occupancy: sight, from: change.at, seq_no: change.seq_no });
            if change.source == ChangeSource::Dump {
                unreported.insert(change.square);
            }
        }
        let flickering = flickering(&changes);
        Chronology { changes, spans, uncertain: flickering | unreported, unreported, flickering }
    }

    /// Returns the cost of a query, in moves examined.
    pub fn cost(&self) -> u32 {
        self.changes.len() as u32 / 32
    }

    /// Returns the squares with an unreported change shown by a dump.
    pub fn unreported(&self) -> SquareSet {
        self.unreported
    }

    /// Returns the squares where a piece landed, stayed while the opponent's hand was on the board, and left: a ply
    /// ended there, with or without a press.
    pub fn rests(&self) -> SquareSet {
        let mut rests = SquareSet::EMPTY;
        for (index, arrival) in self.changes.iter().enumerate() {
            let Some(color) = arrival.after else { continue };
            let square = arrival.square;
            let later = &self.changes[index + 1..];
            let Some(stay) = later.iter().position(|change| change.square == square) else { continue };
            let stood = later[stay].at >= arrival.at + times::MIN_REST && !self.uncertain.contains(square);
            let theirs = |change: &&SquareChange| change.before.or(change.after) == Some(!color);
            if stood && later[..stay].iter().any(theirs) {
                rests.insert(square);
            }
        }
        rests
    }

    /// Returns the landing time of a ply of a colour, not before `after`; exactly `after` if unknown. `None` if the
    /// order is wrong: the piece only landed earlier, or before it was lifted.
    pub fn landing(&self, ply: &Move, color: Color, after: Millis) -> Option<Millis> {
        let (from, to) = (ply.from(), ply.to());
        let mut arrivals = self.changes.iter().filter(|change| change.square == to && change.after == Some(color));
        if self.unreported.contains(to) {
            // The piece landed at an unknown time before the dump.
            let in_time = arrivals.next_back().is_none_or(|last| last.at + times::SCAN >= after);
            return in_time.then_some(after);
        }
        let mut departures = self.changes.iter().filter(|change| change.square == from && change.before == Some(color));
        let lifted =
            departures.next().filter(|_| from != to && !self.unreported.contains(from)).map(|change| change.at);
        // A piece that returned after a long absence landed at its return.
        let mut left_at = None;
        let mut gone_until = Millis::ZERO;
        for change in self.changes.iter().filter(|change| change.square == to) {
            match change.after {
                Some(_) if left_at.is_some_and(|left| change.at > left + times::MAX_PIECE_AWAY) => {
                    gone_until = change.at
                }
                Some(_) => {}
                None => left_at = Some(change.at),
            }
        }
        let mut arrivals = arrivals.filter(|change| change.at >= gone_until);
        let earliest = lifted.map_or(after, |lifted| lifted.max(after));
        let Some(first) = arrivals.next() else { return Some(after) };
        // A flickering piece landed when first seen, or when seen after an absence longer than its flickering.
        let landings = arrivals.filter(|arrival| !self.flickering.contains(to) || self.was_gone(arrival));
        let fitting = std::iter::once(first).chain(landings).find(|arrival| arrival.at + times::SCAN >= earliest)?;
        Some(fitting.at.max(after))
    }

    /// Whether the square was empty before this arrival for longer than flickering lasts.
    fn was_gone(&self, arrival: &SquareChange) -> bool {
        let mut before = self.changes.iter().rev().filter(|change| change.square == arrival.square);
        let left = before.find(|change| change.seq_no < arrival.seq_no);
        left.is_some_and(|left| arrival.at >= left.at + times::MIN_GONE_TIME)
    }

    /// Returns the number of intermediate positions that were never seen. `tolerated`: squares that may always be
    /// wrong.
    pub fn count_unseen(&self, base: &Position, plies: &[Move], tolerated: SquareSet) -> usize {
        let mut position = *base;
        let mut scene = 0;
        let mut unseen = 0;
        for pair in plies.windows(2) {
            let [ply, reply] = pair else { continue };
            position = position.play(ply);
            // The opponent's hand may come before the captured pieces are removed, and pieces are removed first.
            let moving = SquareSet::from_iter([reply.from(), reply.to()]) | reply.captured() | ply.captured();
            let excused = tolerated | moving | self.uncertain;
            let shows = |scene: &OccupancySpan| {
                (scene.occupancy.differs_from_placement(position.placement()) - excused).is_empty()
            };
            match self.spans[scene..].iter().position(shows) {
                Some(later) => scene += later,
                None => unseen += 1,
            }
        }
        unseen
    }

    /// Whether the position after a ply was seen before a point, except for a piece in the opponent's hand.
    pub fn shows_after(&self, base: &Position, ply: &Move, before: SeqNo, tolerated: SquareSet) -> bool {
        let next = base.play(ply);
        let excused = tolerated | self.uncertain;
        let mut scenes = self.spans.iter().filter(|scene| scene.seq_no < before);
        scenes.any(|scene| {
            let wrong = scene.occupancy.differs_from_placement(next.placement()) - excused;
            let in_hand = next.placement().pieces_of(next.turn()) & wrong;
            wrong == in_hand && in_hand.len() <= 1
        })
    }

    /// Whether a square showed a colour at some time up to a point.
    pub fn was_seen(&self, square: Square, color: Color, until: SeqNo) -> bool {
        let mut scenes = self.spans.iter().take_while(|scene| scene.seq_no <= until);
        scenes.any(|scene| scene.occupancy.color(square) == Some(color))
    }

    /// Returns the placements that stood for at least `span`, latest first, each with its end time. Excludes the
    /// current placement.
    pub fn lasting_spans(&self, span: Millis, max_count: usize) -> Vec<(Occupancy, SeqNo, Millis)> {
        let pairs = self.spans.windows(2).rev();
        let stood = pairs.filter(|pair| pair[1].from >= pair[0].from + span);
        stood.take(max_count).map(|pair| (pair[0].occupancy, pair[0].seq_no, pair[1].from)).collect()
    }

    /// Returns the placements that stood for a while in the `window` before a time, longest first, with their
    /// durations. One of them is the position committed by a press reported at that time.
    pub fn lasting_spans_before(
        &self,
        at: Millis,
        window: Millis,
        max_count: usize,
    ) -> Vec<(Occupancy, SeqNo, Millis)> {
        let mut standing: Vec<(Millis, Occupancy, SeqNo)> = Vec::new();
        for (index, scene) in self.spans.iter().enumerate() {
            let until = self.spans.get(index + 1).map_or(at + window, |next| next.from);
            let (from, to) = (scene.from.max(at - window), until.min(at + times::PRESS_EARLY));
            if to >= from + times::MIN_STANDING_TIME {
                standing.push((to - from, scene.occupancy, scene.seq_no));
            }
        }
        standing.sort_by_key(|(span, _, moment)| (std::cmp::Reverse(*span), std::cmp::Reverse(*moment)));
        standing.into_iter().take(max_count).map(|(span, sight, moment)| (sight, moment, span)).collect()
    }
}

/// Returns the squares that changed more often than a hand can cause.
fn flickering(changes: &[&SquareChange]) -> SquareSet {
    let mut flickering = SquareSet::EMPTY;
    if changes.len() < counts::FLICKER_CHANGES {
        return flickering;
    }
    // Last piece on each square, and the times of its arrivals and departures, latest first.
    let mut traces = [(None, [None; counts::FLICKER_CHANGES]); Square::MAX_COUNT];
    for change in changes {
        let piece = change.after.or(change.before);
        let (last, times) = &mut traces[change.square.index()];
        if *last != piece {
            (*last, *times) = (piece, [None; counts::FLICKER_CHANGES]);
        }
        times.rotate_right(1);
        times[0] = Some(change.at);
        if times[counts::FLICKER_CHANGES - 1].is_some_and(|first: Millis| change.at - first <= times::FLICKER_SPAN) {
            flickering.insert(change.square);
        }
    }
    flickering
}

#[cfg(test)]
pub(in crate::recognition) mod tests {
    use super::*;
    use draughts::Variant;

    /// Returns the start position of an international game and the evidence of these reports (time, square, colour).
    pub fn evidence(reports: &[(u64, &str, Option<Color>)]) -> (Position, Evidence) {
        let start = Position::start(Variant::from_tag("20").unwrap());
        let mut sight = Occupancy::default();
        for color in Color::BOTH {
            for square in start.placement().pieces_of(color) {
                sight.put(square, Some(SensedPiece { color, is_king: false }));
            }
        }
        let mut evidence = Evidence::new(sight, Millis::ZERO);
        for (at, name, color) in reports {
            let square = start.variant().geometry.square(name).unwrap();
            let seen = color.map(|color| SensedPiece { color, is_king: false });
            evidence.observe(Millis(*at), square, seen, ChangeSource::Report);
        }
        (start, evidence)
    }

    fn ply(position: &Position, from: &str, to: &str) -> Move {
        let geometry = &position.variant().geometry;
        let is_it = |ply: &&Move| geometry.name(ply.from()) == from && geometry.name(ply.to()) == to;
        position.legal_moves().iter().find(is_it).unwrap().clone()
    }

    const WHITE: Option<Color> = Some(Color::White);
    const BLACK: Option<Color> = Some(Color::Black);

    #[test]
    fn reply_lands_after_ply() {
        let (start, evidence) =
            evidence(&[(1_000, "32", None), (1_400, "28", WHITE), (5_000, "19", None), (5_400, "23", BLACK)]);
        let since = Evidence::new(Occupancy::default(), Millis::ZERO).next_seq_no();
        let chronology = Chronology::new(&evidence, since);
        let first = ply(&start, "32", "28");
        let landed = chronology.landing(&first, Color::White, Millis::ZERO);
        assert_eq!(landed, Some(Millis(1_400)));
        let reply = ply(&start.play(&first), "19", "23");
        assert_eq!(chronology.landing(&reply, Color::Black, Millis(1_400)), Some(Millis(5_400)));
        assert_eq!(chronology.landing(&first, Color::White, Millis(5_400)), None, "it had come down long before");
        assert_eq!(chronology.count_unseen(&start, &[first, reply], SquareSet::EMPTY), 0);
    }

    #[test]
    fn piece_is_rested_if_untouched_during_opponent_move() {
        let moves = [(1_000, "32", None), (1_400, "28", WHITE), (2_000, "19", None), (2_300, "23", BLACK)];
        let since = Evidence::new(Occupancy::default(), Millis::ZERO).next_seq_no();
        let (start, rested) = evidence(&[&moves[..], &[(3_000, "28", None), (3_300, "22", WHITE)]].concat());
        let square = start.variant().geometry.square("28").unwrap();
        assert_eq!(Chronology::new(&rested, since).rests(), SquareSet::from_iter([square]));
        let (_, slid) = evidence(&[&moves[..2], &[(1_700, "28", None), (1_800, "22", WHITE)], &moves[2..]].concat());
        assert!(Chronology::new(&slid, since).rests().is_empty());
    }

    #[test]
    fn finds_position_at_press() {
        let (start, evidence) = evidence(&[(1_000, "32", None), (1_400, "28", WHITE), (3_000, "19", None)]);
        let chronology = Chronology::new(&evidence, Evidence::new(Occupancy::default(), Millis::ZERO).next_seq_no());
        let standing = chronology.lasting_spans_before(Millis(2_000), Millis(900), 3);
        let next = start.play(&ply(&start, "32", "28"));
        assert!(standing[0].0.differs_from_placement(next.placement()).is_empty());
    }
}
