//! What happened on the squares: what is seen now, what was touched and when, what flickers.

use crate::engine::recognition::tuning::{counts, times};
use std::collections::VecDeque;

use super::occupancy::{Occupancy, SensedPiece};
use crate::engine::millis::Millis;
use draughts::{Color, Placement, Square, SquareSet};

/// A point in the order of what happened on the squares. Finer than time: one read may bring many reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SeqNo(u64);

/// What happened on one square.
#[derive(Clone, Copy, Debug)]
struct SquareHistory {
    /// The times at which the piece that was seen here last came or went, latest first.
    changes: [Option<Millis>; counts::FLICKER_CHANGES],
    /// The colour of that piece.
    color: Option<Color>,
    /// When a hand may last have been on it: at its last change, or when it ceased to flicker.
    touched: Option<SeqNo>,
    /// Flickers between empty and this colour.
    flickers: Option<Color>,
    /// A piece of this colour flickered here, and was seen to be gone then. It had left before.
    gone_since: Option<(Color, SeqNo)>,
}

const EMPTY_HISTORY: SquareHistory = SquareHistory {
    changes: [None; counts::FLICKER_CHANGES],
    color: None,
    touched: None,
    flickers: None,
    gone_since: None,
};

/// How a change came to be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeSource {
    /// The board reported it when it happened.
    Report,
    /// Only a dump showed it: it happened at any time before.
    Dump,
}

/// One change of one square.
#[derive(Clone, Copy, Debug)]
pub struct SquareChange {
    /// When it was heard of.
    pub at: Millis,
    /// The moment after it.
    pub seq_no: SeqNo,
    /// Where.
    pub square: Square,
    /// What was seen there before.
    pub before: Option<Color>,
    /// What was seen there from then on.
    pub after: Option<Color>,
    /// How it came to be known.
    pub source: ChangeSource,
}

/// Where pieces left and where they arrived, by their colour.
#[derive(Clone, Copy, Default, Debug)]
pub struct PieceTransfers {
    left: [SquareSet; 2],
    arrived: [SquareSet; 2],
    /// Arrivals that were reported, or shown by a dump; those of `arrived` may be guesses.
    reported_arrivals: [SquareSet; 2],
}

impl PieceTransfers {
    /// Was a piece of this colour seen to leave this square?
    pub fn has_left(&self, square: Square, color: Color) -> bool {
        self.left[color.index()].contains(square)
    }

    /// Was a piece of this colour seen to arrive on this square?
    pub fn has_arrived(&self, square: Square, color: Color) -> bool {
        self.arrived[color.index()].contains(square)
    }

    /// The same, of arrivals that are not guessed.
    pub fn was_seen_arriving(&self, square: Square, color: Color) -> bool {
        self.reported_arrivals[color.index()].contains(square)
    }

    /// A hand was on this square; what it did is not known.
    pub fn mark_unknown(&mut self, square: Square) {
        self.left.iter_mut().chain(&mut self.arrived).for_each(|squares| squares.insert(square));
    }
}

/// The evidence of the squares.
#[derive(Clone, Debug)]
pub struct Evidence {
    occupancy: Occupancy,
    square_histories: [SquareHistory; Square::MAX_COUNT],
    flickering: SquareSet,
    last_change: Millis,
    generation: u64,
    history: VecDeque<SquareChange>,
    /// Has a whole dump shown what is seen?
    is_dumped: bool,
    /// When the last dump came.
    dumped_at: Millis,
    /// The board never sends a dump: what its reports show counts as confirmed.
    trusts_reports: bool,
    /// Do the codes of this set tell kings from men? `None`: no king has been seen yet.
    distinguishes_kings: Option<bool>,
}

impl Evidence {
    /// A board that shows this.
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

    /// What is seen now.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// When a square that does not flicker last changed its colour.
    pub fn last_change(&self) -> Millis {
        self.last_change
    }

    /// Grows whenever something that an explanation depends on has changed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The moment after everything that has happened so far.
    pub fn next_seq_no(&self) -> SeqNo {
        SeqNo(self.generation)
    }

    /// Takes what is seen on one square; a dump has yet to confirm it. Returns whether its colour changed.
    pub fn observe(&mut self, now: Millis, square: Square, seen: Option<SensedPiece>, source: ChangeSource) -> bool {
        let has_changed = self.put(now, square, seen, source);
        self.is_dumped &= !has_changed || self.is_flickering(square);
        has_changed
    }

    /// The squares whose change no report has told, as a dump shows.
    pub fn missed(&self, dump: &Occupancy) -> SquareSet {
        self.occupancy.differs_from(dump) - self.flickering
    }

    /// Takes a dump of the whole board, of which these squares were missed, and have been seen since.
    pub fn on_dump(&mut self, now: Millis, dump: &Occupancy, missed: SquareSet) {
        for square in dump.squares_of(Color::White) | dump.squares_of(Color::Black) {
            self.put(now, square, dump.get(square), ChangeSource::Dump);
        }
        self.dumped_at = now;
        self.is_dumped |= missed.is_empty();
    }

    /// When the last dump came.
    pub fn dumped_at(&self) -> Millis {
        self.dumped_at
    }

    /// Has a dump shown what is seen?
    pub fn is_dumped(&self) -> bool {
        self.is_dumped
    }

    /// Is what is seen known to stand on the board?
    pub fn is_confirmed(&self) -> bool {
        self.is_dumped || self.trusts_reports
    }

    /// What is seen may no longer stand on the board: a dump has to confirm it.
    pub fn mark_unconfirmed(&mut self) {
        self.is_dumped = false;
    }

    /// Does the board never send a dump? Then what its reports show counts as confirmed.
    pub fn trust_reports(&mut self, trusts: bool) {
        self.trusts_reports = trusts;
    }

    /// Does what the reports show count as confirmed?
    pub fn trusts_reports(&self) -> bool {
        self.trusts_reports
    }

    /// These pieces of those that are seen are kings: do their codes say so?
    pub fn learn_codes(&mut self, kings: SquareSet) {
        if !kings.is_empty() {
            self.distinguishes_kings = Some(kings == self.occupancy.kings());
        }
    }

    /// Do the codes of this set tell kings from men? `None`: no king has been seen yet.
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
            // Another piece: squares on which pieces are exchanged do not flicker.
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

    /// Hands may have been on the board until now.
    pub fn note_disturbance(&mut self, now: Millis) {
        self.last_change = now;
    }

    /// Squares that have been quiet long enough are trusted again. What they show counts from their last change on.
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

    /// When the first flickering square will be trusted again.
    pub fn flicker_expires_at(&self) -> Option<Millis> {
        self.flickering.into_iter().filter_map(|square| self.flickers_until(square)).min()
    }

    fn flickers_until(&self, square: Square) -> Option<Millis> {
        let span = if self.occupancy.color(square).is_some() { times::FLICKER_SPAN } else { times::MIN_GONE_TIME };
        Some(self.square_histories[square.index()].changes[0]? + span)
    }

    /// The squares that changed after a moment, and those that flicker: a hand on them would not show.
    pub fn touched_since(&self, since: SeqNo) -> SquareSet {
        let touched = |(index, traces): (usize, &SquareHistory)| {
            traces.touched.is_some_and(|at| at > since).then(|| Square::new(index as u8))
        };
        let changed: SquareSet = self.square_histories.iter().enumerate().filter_map(touched).collect();
        changed | self.flickering
    }

    /// Where pieces of each colour were seen to leave after a moment, and where to arrive. A piece that flickers may have done
    /// either, and so may any piece where a change is no longer remembered, or only a dump has shown one.
    pub fn transfers_since(&self, since: SeqNo) -> PieceTransfers {
        let mut traffic = PieceTransfers::default();
        let mut told = SquareSet::EMPTY;
        for change in self.changes_since(since) {
            if let Some(color) = change.before {
                traffic.left[color.index()].insert(change.square);
            }
            if let Some(color) = change.after {
                traffic.arrived[color.index()].insert(change.square);
                traffic.reported_arrivals[color.index()].insert(change.square);
            }
            if change.source == ChangeSource::Report {
                told.insert(change.square);
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
                None if is_whole && told.contains(square) => {}
                None => traffic.mark_unknown(square),
            }
        }
        traffic
    }

    /// Does this square flicker?
    pub fn is_flickering(&self, square: Square) -> bool {
        self.flickering.contains(square)
    }

    /// What changed after a moment, in order, as far as it is remembered.
    pub fn changes_since(&self, since: SeqNo) -> impl DoubleEndedIterator<Item = &SquareChange> {
        let first = self.history.partition_point(|change| change.seq_no <= since);
        self.history.range(first..)
    }

    /// Does the piece on this square stand firmly? If it goes, a hand has lifted it.
    pub fn stands_firmly(&self, now: Millis, square: Square) -> bool {
        let restless = self.square_histories[square.index()].changes[counts::RESTLESS_CHANGES - 1]
            .is_some_and(|at| now - at < times::RESTLESS_SPAN);
        !restless && !self.flickering.contains(square) && self.occupancy.color(square).is_some()
    }

    /// A sight with every piece that flickers in its place, if it `stood` there at that time.
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

    /// The squares where what is seen contradicts a placement; a flickering square contradicts only a foreign colour.
    pub fn contradictions(&self, placement: &Placement) -> SquareSet {
        let differences = self.occupancy.differs_from_placement(placement);
        // Asked many times for each byte that a board says, and pieces seldom flicker.
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
