//! Crowning: how the board detects the kings of a set, and when a man becomes a king.

use super::Hand;
use crate::faults::Fault;
use crate::profile::NoiseProfile;
use crate::random::Rng;
use crate::script::Ply;
use crate::truth::PlyId;

/// How the board detects kings of this set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crown {
    /// A separate piece with its own code.
    Piece,
    /// A second disc on top: the board still detects a man.
    Stacked,
    /// A second disc on top that makes the king flicker.
    Flaky,
}

impl Crown {
    /// Draws the kind of kings for a table.
    pub(super) fn draw(profile: &NoiseProfile, rng: &mut Rng) -> Crown {
        let draw = rng.unit();
        let stacked = profile.rate(Fault::CrownStacked);
        if draw < stacked {
            Crown::Stacked
        } else if draw < stacked + profile.rate(Fault::CrownFlaky) {
            Crown::Flaky
        } else {
            Crown::Piece
        }
    }
}

impl Hand {
    /// Crowns the piece that has landed, if the script says so. Returns the time at which this is done.
    pub(super) fn crown_piece(&mut self, id: PlyId, ply: &Ply, at: u64) -> u64 {
        let never = self.draw_fault(Fault::CrownNever);
        let start = at + self.rng.span(self.profile.crown_ms);
        let Some(code) = ply.crown else { return at };
        if never {
            self.irregular(at, Some(id), Fault::CrownNever, Some(ply.to), at);
            return at;
        }
        match self.crown {
            Crown::Piece => {
                let end = start + self.rng.between(200, 500);
                self.put(start, ply.to, 0, false);
                self.put(end, ply.to, code, false);
                end
            }
            Crown::Stacked => {
                self.irregular(start, Some(id), Fault::CrownStacked, Some(ply.to), start);
                self.planned_board.reserve(ply.to, start);
                start
            }
            Crown::Flaky => {
                let man = self.planned_board.code(ply.to);
                self.place(Some(id), start, ply.to, man, true);
                start
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::*;
    use super::*;
    use crate::script::Player;

    #[test]
    fn kings_follow_piece_set() {
        let crowning = Ply { crown: Some(7), ..Ply::quiet(Player::White, 63, 5) };
        assert_eq!(played(Fault::PutAside, &crowning), [(63, 0), (5, 1), (5, 0), (5, 7), (255, 0)]);
        assert_eq!(played(Fault::CrownStacked, &crowning), [(63, 0), (5, 1), (255, 0)]);
        assert_eq!(played(Fault::CrownFlaky, &crowning), [(63, 0), (5, 1), (5, 1), (255, 0)]);
        assert_eq!(played(Fault::CrownNever, &crowning), [(63, 0), (5, 1), (255, 0)]);
        assert_eq!(played(Fault::CrownAfterPress, &crowning), [(63, 0), (5, 1), (255, 0), (5, 0), (5, 7)]);
    }
}
