//! Forgotten captured pieces: they remain for some plies, but are removed at the latest when they are in the way.

use super::Hand;
use crate::faults::Fault;
use crate::script::Ply;
use crate::truth::{Event, PlyId};

/// A captured piece not yet removed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leftover {
    /// Field of the piece.
    pub field: u8,
    captured_by: PlyId,
    /// Number of plies that it remains.
    plies: u64,
}

impl Hand {
    /// Leaves one of the captured pieces on the board, unless the moving piece lands there.
    pub(super) fn leave_one_captured(&mut self, id: Option<PlyId>, ply: &Ply, waiting: &mut Vec<u8>, at: u64) {
        let Some(id) = id else { return };
        let plies = self.rng.between(0, 4);
        let index = self.rng.below(waiting.len() as u64) as usize;
        if waiting.get(index).is_some_and(|field| !ply.path().contains(field)) {
            let field = waiting.remove(index);
            self.leftovers.push(Leftover { field, captured_by: id, plies });
            self.irregular(at, Some(id), Fault::Forgotten, Some(field), at);
        }
    }

    /// Removes leftovers that are due or in the way of this ply. Returns the time from which the ply may begin.
    pub(super) fn clear_leftovers(&mut self, id: PlyId, ply: &Ply, at: u64) -> u64 {
        let mut at = at;
        let mut needed = ply.fields();
        needed.extend(&ply.hesitate_on);
        needed.extend(ply.wrong_first.iter().flat_map(|wrong| wrong.fields()));
        for step in ply.path().windows(2) {
            needed.extend(self.planned_board.between(step[0], step[1]));
        }
        for left in std::mem::take(&mut self.leftovers) {
            let due = id.game != left.captured_by.game || (id.ply - left.captured_by.ply) as u64 > left.plies;
            if due || needed.contains(&left.field) {
                at = self.wait_for(&[left.field], at) + self.hand_time(self.profile.remove_ms);
                self.put(at, left.field, 0, false);
                self.note(at, Event::LeftoverRemoved { field: left.field });
                at += self.hand_time(self.profile.move_ms);
            } else {
                self.leftovers.push(left);
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnTiming;
    use super::super::stage::*;
    use super::*;
    use crate::profile::NoiseProfile;
    use crate::script::Player;

    #[test]
    fn removes_forgotten_pieces_in_way() {
        let mut hand = hand(NoiseProfile::only(Fault::Forgotten, 1.0), 3);
        let done = hand.play(ID, &double(), TurnTiming::at(0), None);
        let left: Vec<u8> = [54, 34].into_iter().filter(|field| hand.planned_board().code(*field) != 0).collect();
        assert_eq!(left.len(), 1);
        let through = Ply::quiet(Player::Black, 9, left[0]);
        let id = PlyId { ply: 1, ..ID };
        hand.play(id, &through, done.next, None);
        assert_eq!(hand.planned_board().code(left[0]), 4, "the black man stands there now");
        let put: Vec<_> = deeds(&mut hand).into_iter().filter(|deed| deed.0 == left[0]).collect();
        assert_eq!(put, [(left[0], 0), (left[0], 4)]);
    }
}
