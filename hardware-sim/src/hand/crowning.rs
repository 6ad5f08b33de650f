//! Crowning: how the kings of a set look to the board, and when a man becomes one.

use super::Hand;
use crate::faults::Fault;
use crate::profile::NoiseProfile;
use crate::random::Rng;
use crate::script::Ply;
use crate::truth::PlyId;

/// How kings of this set look to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crown {
    /// A piece of its own with its own code.
    Piece,
    /// A second disc on top: still a man for the board.
    Stacked,
    /// A second disc on top that makes the king flicker.
    Flaky,
}

impl Crown {
    /// Which of them a table has.
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
    /// Makes the piece that has landed a king, if the script says so. Returns when that is done.
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
