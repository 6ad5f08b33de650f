//! What stood on the board and may be a position that somebody gave up to his opponent, though nothing legal explains it.
//!
//! | witness | what speaks for it |
//! |---|---|
//! | the lever | it stood when the lever was pressed, or may have: a press is heard of late |
//! | quiet | it was settled for a while, and unexplained |
//! | a hand | it stood for a while before the next hand came, and nobody pressed |

use super::{Clock, Recogniser};
use crate::engine::millis::Millis;
use crate::engine::recognition::Wait;
use crate::engine::recognition::evidence::chronology::Chronology;
use crate::engine::recognition::evidence::sight::{Seen, Sight};
use crate::engine::recognition::evidence::squares::Moment;
use crate::engine::recognition::measures::{counts, times};
use draughts::{Color, Position};

/// A placement that nothing explained, and that may be a position that was given up to the opponent.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub sight: Sight,
    pub at: Moment,
    /// Who was to move then, where the lever tells.
    pub turn: Option<Color>,
    /// Presses before it, since the published position.
    pub presses: usize,
    pub witness: Witness,
}

impl Snapshot {
    /// Does it show this position, as far as it tells?
    pub fn is_of(&self, position: &Position) -> bool {
        self.turn.is_none_or(|turn| turn == position.turn())
            && self.sight.differs_from_placement(position.placement()).is_empty()
    }
}

/// What speaks for a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Witness {
    /// It stood when the lever was pressed, or may have: a press is heard of late.
    Lever {
        /// It stood for a small part of that time only.
        briefly: bool,
    },
    /// It was settled, and unexplained.
    Quiet,
    /// It stood for a while, and nobody pressed.
    Hand,
}

impl Recogniser {
    /// What stood on the board when the lever was pressed: one of these is the position that was given up.
    pub(super) fn standing_at_presses(&self) -> Vec<Snapshot> {
        let Some(turn) = self.presses.turn().filter(|_| !self.gap) else { return Vec::new() };
        let chronology = Chronology::new(&self.evidence, self.since);
        let count = self.presses.len();
        let mut standing = Vec::new();
        for (index, at) in self.presses.times().enumerate().skip(count.saturating_sub(counts::PRESSES_LOOKED_AT)) {
            let presses = index + 1;
            let turn = if (count - presses).is_multiple_of(2) { turn } else { !turn };
            for (sight, at, span) in chronology.standing_before(at, times::PRESS_LAG, counts::SIGHTS_OF_A_PRESS) {
                let witness = Witness::Lever { briefly: span < times::BRIEF };
                let Some(sight) = self.plausible(&chronology, &sight, at) else { continue };
                standing.push(Snapshot { sight, at, turn: Some(turn), presses, witness });
            }
        }
        standing
    }

    /// What stood on the board for a while before the opponent's hand came, though nobody pressed.
    pub(super) fn standing_unpressed(&self) -> Vec<Snapshot> {
        if self.presses.turn().is_none() || self.gap || self.clock == Clock::None {
            return Vec::new();
        }
        let chronology = Chronology::new(&self.evidence, self.since);
        let mut standing = Vec::new();
        for (sight, at, until) in chronology.standing(times::RESTS, counts::SIGHTS_UNPRESSED) {
            let presses = self.presses.times().take_while(|&pressed| pressed <= until).count();
            let Some(sight) = self.plausible(&chronology, &sight, at) else { continue };
            standing.push(Snapshot { sight, at, turn: None, presses, witness: Witness::Hand });
        }
        standing
    }

    /// A sight of a moment with the pieces that flickered in their places and without what was known to be wrong; `None` if a
    /// ply or two do not leave it.
    fn plausible(&self, chronology: &Chronology, sight: &Sight, at: Moment) -> Option<Sight> {
        let seen = |square, color| chronology.was_seen(square, color, at);
        let sight = self.without_anomalies(&self.evidence.steady(sight, seen), at);
        let gained = |color: Color| sight.of(color).len() > self.base.placement().of(color).len();
        let wrong = sight.differs_from_placement(self.base.placement()).len();
        ((1..=counts::CHAOS_SQUARES).contains(&wrong) && !Color::BOTH.into_iter().any(gained)).then_some(sight)
    }

    /// A sight without the captured pieces that somebody forgot to take off.
    pub(super) fn without_captured(&self, sight: &Sight) -> Sight {
        let mut without = *sight;
        for anomaly in self.anomalies.iter().filter(|anomaly| anomaly.captured && anomaly.until.is_none()) {
            without.put(anomaly.square, None);
        }
        without
    }

    /// A sight of a moment as it would be without what was known to be wrong then.
    fn without_anomalies(&self, sight: &Sight, at: Moment) -> Sight {
        let mut without = *sight;
        for anomaly in self.anomalies.iter().filter(|anomaly| anomaly.until.is_none_or(|until| at < until)) {
            let color = self.base.placement().color(anomaly.square);
            without.put(anomaly.square, color.map(|color| Seen { color, crowned: false }));
        }
        without
    }

    /// Remembers what is settled and unexplained.
    pub(super) fn take_snapshot(&mut self, now: Millis) {
        let given_up = !self.presses.is_empty() || self.clock == Clock::None;
        let wait = if self.is_played_on() { Millis(self.settings.settle_ms) } else { times::STANDS };
        let stands_at = self.evidence.last_change() + wait;
        if !given_up || (self.presses.is_empty() && self.is_chaos()) {
            return;
        }
        if now < stands_at || !self.is_confirmed() {
            self.wake_at(now, Some(stands_at), Wait::Quiet);
            return;
        }
        let at = self.evidence.moment();
        let sight = self.without_anomalies(&self.evidence.steady(self.sight(), |_, _| true), at);
        let (turn, presses) = (self.presses.turn(), self.presses.len());
        let known = |snapshot: &&mut Snapshot| snapshot.sight.differs_from(&sight).is_empty();
        if let Some(snapshot) = self.snapshots.iter_mut().find(known) {
            // Pressed again with nothing moved: a ply that left no trace on the board.
            (snapshot.turn, snapshot.presses, snapshot.at) = (turn, presses, at);
            return;
        }
        if self.snapshots.len() == counts::MOST_SNAPSHOTS {
            self.snapshots.remove(0);
        }
        self.snapshots.push(Snapshot { sight, at, turn, presses, witness: Witness::Quiet });
    }

    /// So many of the presses that count for what was settled belong to what is published now.
    pub(super) fn take_presses_off_snapshots(&mut self, presses: usize) {
        for snapshot in &mut self.snapshots {
            snapshot.presses = snapshot.presses.saturating_sub(presses);
        }
    }
}
