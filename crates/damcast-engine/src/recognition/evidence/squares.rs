//! Evidence of the squares: current contents, touches with their times, and flickering.

use std::collections::VecDeque;

use draughts::{Color, Placement, Square, SquareSet};

use super::occupancy::{Occupancy, SensedPiece};
use crate::millis::Millis;
use crate::recognition::tuning::{counts, times};

/// Point in the sequence of events on the squares. Finer than time, because one read may contain many reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SeqNo(u64);

#[derive(Clone, Copy, Debug)]
struct SquareHistory {
    /// Times at which the last piece on this square arrived or left, latest first.
    changes: [Option<Millis>; counts::FLICKER_CHANGES],
    /// Color of that piece.
    color: Option<Color>,
    /// Last possible touch: at the last change, or at the end of flickering.
    touched: Option<SeqNo>,
    flickers: Option<Color>,
    /// Color that flickered on this square, and when its absence was noticed. The piece had left earlier.
    gone_since: Option<(Color, SeqNo)>,
}

const EMPTY_HISTORY: SquareHistory = SquareHistory {
    changes: [None; counts::FLICKER_CHANGES],
    color: None,
    touched: None,
    flickers: None,
    gone_since: None,
};

/// Source of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeSource {
    /// Report at the time of the change.
    Report,
    /// Dump: the change happened at an unknown earlier time.
    Dump,
}

/// Change of one square.
#[derive(Clone, Copy, Debug)]
pub struct SquareChange {
    /// Time of the report.
    pub at: Millis,
    /// Point in the sequence after the change.
    pub seq_no: SeqNo,
    /// Square that changed.
    pub square: Square,
    /// Color on the square before the change.
    pub before: Option<Color>,
    /// Color on the square after the change.
    pub after: Option<Color>,
    /// Source of the change.
    pub source: ChangeSource,
}

/// Squares where pieces left and arrived, by colour.
#[derive(Clone, Copy, Default, Debug)]
pub struct PieceTransfers {
    left: [SquareSet; 2],
    arrived: [SquareSet; 2],
    /// Arrivals that were reported or shown by a dump; those of `arrived` may be guesses.
    reported_arrivals: [SquareSet; 2],
}

impl PieceTransfers {
    /// Whether a piece of this colour left this square.
    pub fn has_left(&self, square: Square, color: Color) -> bool {
        self.left[color.index()].contains(square)
    }

    /// Whether a piece of this colour arrived on this square.
    pub fn has_arrived(&self, square: Square, color: Color) -> bool {
        self.arrived[color.index()].contains(square)
    }

    /// Whether a piece of this colour was seen to arrive on this square; excludes guesses.
    pub fn was_seen_arriving(&self, square: Square, color: Color) -> bool {
        self.reported_arrivals[color.index()].contains(square)
    }

    /// Marks a square as touched with unknown effect.
    pub fn mark_unknown(&mut self, square: Square) {
        self.left.iter_mut().chain(&mut self.arrived).for_each(|squares| squares.insert(square));
    }
}

/// Evidence of the squares.
#[derive(Clone, Debug)]
pub struct Evidence {
    occupancy: Occupancy,
    square_histories: [SquareHistory; Square::MAX_COUNT],
    flickering: SquareSet,
    last_change: Millis,
    generation: u64,
    history: VecDeque<SquareChange>,
    /// Whether a board dump has confirmed the contents.
    is_dumped: bool,
    dumped_at: Millis,
    /// Whether reports count as confirmed, because the board never sends a dump.
    trusts_reports: bool,
    /// Whether the codes of this set distinguish kings from men; `None` until a king was seen.
    distinguishes_kings: Option<bool>,
}

impl Evidence {
    /// Creates the evidence of a board with these contents.
    pub fn new(occupancy: Occupancy, now: Millis) -> Evidence {
        Evidence {
            occupancy,
            square_histories: [EMPTY_HISTORY; Square::MAX_COUNT],
            flickering: SquareSet::EMPTY,
            last_change: now,
            generation: 0,
            history: VecDeque::new(),
            is_dumped: true,
            dumped_at: now,
            trusts_reports: false,
            distinguishes_kings: None,
        }
    }

    /// Returns the current contents.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// Returns the time of the last change of a square that does not flicker.
    pub fn last_change(&self) -> Millis {
        self.last_change
    }

    /// Returns a number that grows with every change that explanations depend on.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the point after all events so far.
    pub fn next_seq_no(&self) -> SeqNo {
        SeqNo(self.generation)
    }

    /// Handles the contents of one square, which a dump must confirm. Returns whether its colour changed.
    pub fn observe(&mut self, now: Millis, square: Square, seen: Option<SensedPiece>, source: ChangeSource) -> bool {
        let has_changed = self.put(now, square, seen, source);
        self.is_dumped &= !has_changed || self.is_flickering(square);
        has_changed
    }

    /// Returns the squares whose change a dump shows but no report did.
    pub fn missed(&self, dump: &Occupancy) -> SquareSet {
        self.occupancy.differs_from(dump) - self.flickering
    }

    /// Handles a board dump. `missed`: squares missed by reports, already observed.
    pub fn on_dump(&mut self, now: Millis, dump: &Occupancy, missed: SquareSet) {
        for square in dump.squares_of(Color::White) | dump.squares_of(Color::Black) {
            self.put(now, square, dump.get(square), ChangeSource::Dump);
        }
        self.dumped_at = now;
        self.is_dumped |= missed.is_empty();
    }

    /// Returns the time of the last dump.
    pub fn dumped_at(&self) -> Millis {
        self.dumped_at
    }

    /// Whether a dump has confirmed the contents.
    pub fn is_dumped(&self) -> bool {
        self.is_dumped
    }

    /// Whether the contents are certain.
    pub fn is_confirmed(&self) -> bool {
        self.is_dumped || self.trusts_reports
    }

    /// Marks the contents as uncertain until the next dump.
    pub fn mark_unconfirmed(&mut self) {
        self.is_dumped = false;
    }

    /// Sets whether reports count as confirmed, for boards that never send a dump.
    pub fn trust_reports(&mut self, trusts: bool) {
        self.trusts_reports = trusts;
    }

    /// Whether reports count as confirmed.
    pub fn trusts_reports(&self) -> bool {
        self.trusts_reports
    }

    /// Learns from the known kings on the board whether the codes distinguish them.
    pub fn learn_codes(&mut self, kings: SquareSet) {
        if !kings.is_empty() {
            self.distinguishes_kings = Some(kings == self.occupancy.kings());
        }
    }

    /// Whether the codes of this set distinguish kings from men; `None` until a king was seen.
    pub fn distinguishes_kings(&self) -> Option<bool> {
        self.distinguishes_kings
    }

    fn put(&mut self, now: Millis, square: Square, seen: Option<SensedPiece>, source: ChangeSource) -> bool {
        let before = self.occupancy.color(square);
        let color = seen.map(|seen| seen.color);
        self.occupancy.put(square, seen);
        if before == color {
            return false;
        }
        self.generation += 1;
        let traces = &mut self.square_histories[square.index()];
        if traces.color != color.or(before) {
            // Squares on which pieces are exchanged do not flicker.
            (traces.changes, traces.color) = ([None; counts::FLICKER_CHANGES], color.or(before));
        }
        traces.changes.rotate_right(1);
        traces.changes[0] = Some(now);
        traces.touched = Some(SeqNo(self.generation));
        if self.history.len() == counts::MAX_CHANGES {
            self.history.pop_front();
        }
        let moment = SeqNo(self.generation);
        self.history.push_back(SquareChange { at: now, seq_no: moment, square, before, after: color, source });
        if let Some(other) = traces.flickers.filter(|&other| color.is_some_and(|color| color != other))
            && self.flickering.contains(square)
        {
            traces.gone_since = Some((other, moment));
        }
        let often =
            traces.changes[counts::FLICKER_CHANGES - 1].is_some_and(|oldest| now - oldest <= times::FLICKER_SPAN);
        let between_empty_and_one_color = before.is_none() || color.is_none();
        if often && between_empty_and_one_color {
            traces.flickers = before.or(color);
            self.flickering.insert(square);
        } else if !between_empty_and_one_color {
            self.flickering.remove(square);
        }
        if !self.flickering.contains(square) {
            self.last_change = now;
        }
        true
    }

    /// Notes that hands may have been on the board until now.
    pub fn note_disturbance(&mut self, now: Millis) {
        self.last_change = now;
    }

    /// Ends the flickering of squares that have been quiet long enough. Their contents count from their last change on.
    pub fn expire_flicker(&mut self, now: Millis) {
        for square in self.flickering {
            if self.flickers_until(square).is_none_or(|until| until <= now) {
                self.flickering.remove(square);
                self.generation += 1;
                let traces = &mut self.square_histories[square.index()];
                traces.touched = Some(SeqNo(self.generation));
                if self.occupancy.color(square).is_none() {
                    traces.gone_since = traces.flickers.map(|color| (color, SeqNo(self.generation)));
                }
                self.last_change = self.last_change.max(traces.changes[0].unwrap_or_default());
            }
        }
    }

    /// Returns the time at which the first flickering square will be trusted again.
    pub fn flicker_expires_at(&self) -> Option<Millis> {
        self.flickering.into_iter().filter_map(|square| self.flickers_until(square)).min()
    }

    fn flickers_until(&self, square: Square) -> Option<Millis> {
        let span = if self.occupancy.color(square).is_some() { times::FLICKER_SPAN } else { times::MIN_GONE_TIME };
        Some(self.square_histories[square.index()].changes[0]? + span)
    }

    /// Returns the squares that changed after a point, and flickering ones, which would hide a hand.
    pub fn touched_since(&self, since: SeqNo) -> SquareSet {
        let touched = |(index, traces): (usize, &SquareHistory)| {
            traces.touched.is_some_and(|at| at > since).then(|| Square::new(index as u8))
        };
        let changed: SquareSet = self.square_histories.iter().enumerate().filter_map(touched).collect();
        changed | self.flickering
    }

    /// Returns the departures and arrivals of each colour after a point. Flickering pieces may have done either, as may
    /// any piece whose change was forgotten or shown only by a dump.
    pub fn transfers_since(&self, since: SeqNo) -> PieceTransfers {
        let mut traffic = PieceTransfers::default();
        let mut reported = SquareSet::EMPTY;
        for change in self.changes_since(since) {
            if let Some(color) = change.before {
                traffic.left[color.index()].insert(change.square);
            }
            if let Some(color) = change.after {
                traffic.arrived[color.index()].insert(change.square);
                traffic.reported_arrivals[color.index()].insert(change.square);
            }
            if change.source == ChangeSource::Report {
                reported.insert(change.square);
            } else {
                traffic.mark_unknown(change.square);
            }
        }
        let is_whole = self.history.front().is_none_or(|first| first.seq_no <= since);
        let is_whole = is_whole || self.history.len() < counts::MAX_CHANGES;
        for square in self.touched_since(since) {
            if let Some((color, _)) = self.square_histories[square.index()].gone_since.filter(|(_, at)| *at > since) {
                traffic.left[color.index()].insert(square);
            }
            match self.square_histories[square.index()].flickers.filter(|_| self.is_flickering(square)) {
                Some(color) => {
                    traffic.left[color.index()].insert(square);
                    traffic.arrived[color.index()].insert(square);
                }
                None if is_whole && reported.contains(square) => {}
                None => traffic.mark_unknown(square),
            }
        }
        traffic
    }

    /// Whether this square flickers.
    pub fn is_flickering(&self, square: Square) -> bool {
        self.flickering.contains(square)
    }

    /// Returns the changes after a point, in order, as far as retained.
    pub fn changes_since(&self, since: SeqNo) -> impl DoubleEndedIterator<Item = &SquareChange> {
        let first = self.history.partition_point(|change| change.seq_no <= since);
        self.history.range(first..)
    }

    /// Whether the piece on this square stands firmly, so that its disappearance means a hand lifted it.
    pub fn stands_firmly(&self, now: Millis, square: Square) -> bool {
        let restless = self.square_histories[square.index()].changes[counts::RESTLESS_CHANGES - 1]
            .is_some_and(|at| now - at < times::RESTLESS_SPAN);
        !restless && !self.flickering.contains(square) && self.occupancy.color(square).is_some()
    }

    /// Returns the occupancy with each flickering piece restored, if `stood` accepts it.
    pub fn without_flicker(&self, sight: &Occupancy, stood: impl Fn(Square, Color) -> bool) -> Occupancy {
        let mut steady = *sight;
        for square in self.flickering {
            let flickers = self.square_histories[square.index()].flickers.filter(|&color| stood(square, color));
            if let (None, Some(color)) = (sight.color(square), flickers) {
                steady.put(square, Some(SensedPiece { color, is_king: false }));
            }
        }
        steady
    }

    /// Returns the squares that contradict a placement; a flickering square contradicts only a foreign colour.
    pub fn contradictions(&self, placement: &Placement) -> SquareSet {
        let differences = self.occupancy.differs_from_placement(placement);
        // Fast path: this runs many times for each received byte, and pieces rarely flicker.
        if (differences & self.flickering).is_empty() {
            return differences;
        }
        let excused = |square: &Square| {
            let expected = placement.color(*square);
            expected.is_none() || expected == self.square_histories[square.index()].flickers
        };
        differences - (differences & self.flickering).into_iter().filter(excused).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAN: Option<SensedPiece> = Some(SensedPiece { color: Color::White, is_king: false });

    #[test]
    fn flickering_square_contradicts_nothing() {
        let square = Square::new(7);
        let mut evidence = Evidence::new(Occupancy::default(), Millis(0));
        for change in 1..=6 {
            evidence.observe(
                Millis(change * 400),
                square,
                if change % 2 == 1 { MAN } else { None },
                ChangeSource::Report,
            );
        }
        assert_eq!(evidence.last_change(), Millis(1600), "from the fifth change on it flickers");
        let mut with_man = Placement::EMPTY;
        with_man.put(square, Some(draughts::Piece { color: Color::White, kind: draughts::PieceKind::Man }));
        assert!(evidence.contradictions(&with_man).is_empty());
        assert!(evidence.contradictions(&Placement::EMPTY).is_empty());
        evidence.expire_flicker(Millis(2400 + 6000));
        assert_eq!(evidence.contradictions(&with_man).len(), 1);
    }
}
