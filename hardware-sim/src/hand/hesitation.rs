//! Hesitation: a piece is put down elsewhere first, or a whole ply is played, pressed and taken back.

use super::Hand;
use crate::faults::Fault;
use crate::motion::{Action, Motion};
use crate::script::Ply;
use crate::truth::{Event, PlyId};

impl Hand {
    /// Puts the lifted piece on another field for a while. Returns the time at which it is lifted again.
    pub(super) fn hesitate(&mut self, id: Option<PlyId>, ply: &Ply, piece: u8, at: u64) -> u64 {
        let strikes = self.draw_fault(Fault::Hesitation);
        let room: Vec<u8> = ply
            .hesitate_on
            .iter()
            .copied()
            .filter(|field| {
                self.planned_board.code(*field) == 0 && self.planned_board.ready_ms(*field) <= at && *field != ply.to
            })
            .collect();
        let Some(field) = self.rng.pick(&room).copied().filter(|_| strikes && id.is_some()) else { return at };
        let start = at + self.hand_time(self.profile.move_ms);
        let end = start + self.rng.between(300, 2_500);
        self.visit(field, piece, start, end);
        self.irregular(start, id, Fault::Hesitation, Some(field), end);
        end
    }

    /// Plays a wrong ply, presses, and puts everything back. Returns the time from which the right ply may begin.
    pub(super) fn take_back(&mut self, id: PlyId, wrong: &Ply, at: u64) -> u64 {
        if self.planned_board.code(wrong.from) == 0 {
            return at;
        }
        let at = self.wait_for(&wrong.fields(), at);
        let before: Vec<(u8, u8, bool)> = (wrong.fields().into_iter())
            .map(|field| (field, self.planned_board.code(field), self.planned_board.is_flaky(field)))
            .collect();
        let played = self.carry(None, wrong, at).settled_ms;
        let pressed = played + self.hand_time(self.profile.press_ms);
        let mut back = pressed + self.rng.between(1_000, 4_000);
        if self.has_clock {
            self.motions.push(Motion { at_ms: pressed, action: Action::Press { player: wrong.player, ply: None } });
        }
        self.note(pressed, Event::WrongPly(id));
        self.put(back, wrong.to, 0, false);
        for (field, code, flaky) in before {
            if self.planned_board.code(field) != code {
                back += self.hand_time(self.profile.move_ms);
                self.put(back, field, code, flaky);
            }
        }
        self.note(back, Event::TakenBack(id));
        self.irregular(at, Some(id), Fault::TakenBack, Some(wrong.to), back);
        if self.has_clock {
            back += self.hand_time(self.profile.press_ms);
            self.motions
                .push(Motion { at_ms: back, action: Action::Press { player: wrong.player.other(), ply: None } });
        }
        back + self.rng.between(800, 5_000)
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
    fn retracted_ply_leaves_no_trace() {
        let wrong = Ply { crown: Some(7), ..double() };
        let right = Ply { wrong_first: Some(Box::new(wrong)), ..Ply::quiet(Player::White, 90, 81) };
        let deeds = played(Fault::TakenBack, &right);
        assert_eq!(deeds.iter().filter(|deed| deed.0 == 255).count(), 3);
        assert_eq!(deeds[deeds.len() - 3..], [(90, 0), (81, 7), (255, 0)]);
        let mut hand = hand(NoiseProfile::only(Fault::TakenBack, 1.0), 3);
        hand.play(ID, &right, TurnTiming::at(0), None);
        assert_eq!([63, 54, 34, 23, 81].map(|field| hand.planned_board().code(field)), [1, 4, 4, 0, 7]);
    }
}
