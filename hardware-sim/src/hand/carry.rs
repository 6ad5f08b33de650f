//! The move itself: a piece is lifted, lands once or several times, and the captured pieces are removed.
//!
//! ```text
//!   captured pieces leave   First: before the piece is lifted   During: each after its jump   After: when it has come to rest
//! ```
//!
//! Invariant: no piece lands on another. Under rules that remove pieces one by one, the moving piece may land on a captured one's field.
//! That captured piece is removed first and never forgotten.

use super::Hand;
use crate::faults::Fault;
use crate::motion::{Action, Motion};
use crate::scanner::SensorState;
use crate::script::Ply;
use crate::truth::PlyId;

pub(super) struct MoveTiming {
    /// Time of the first touch.
    pub touched_ms: u64,
    /// Time at which the piece comes to rest.
    pub landed_ms: u64,
    /// Time at which the last captured piece is removed.
    pub settled_ms: u64,
    /// Whether the lever is pressed before `settled_ms`.
    pub early_press: bool,
    /// Whether the opponent touches a piece before `settled_ms`.
    pub overlap: bool,
}

/// Time at which captured pieces leave the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    First,
    During,
    After,
}

impl Hand {
    /// Carries out the move itself: lifts, lands, removes captured pieces.
    pub(super) fn carry(&mut self, id: Option<PlyId>, ply: &Ply, start_ms: u64) -> MoveTiming {
        let plain = id.is_none();
        let mut at = start_ms;
        let captures = !ply.captured.is_empty();
        let (early_press, overlap) = self.draw_haste(captures && !plain);
        let order = self.draw_order(captures && !plain && !early_press);
        let mut waiting = ply.captured.clone();
        if self.draw_fault(Fault::RemovalReversed) && !plain && waiting.len() > 1 {
            waiting.reverse();
            self.irregular(at, id, Fault::RemovalReversed, None, at);
        }
        if captures && !plain && self.draw_fault(Fault::Forgotten) {
            self.leave_one_captured(id, ply, &mut waiting, at);
        }

        let touched_ms = at;
        if order == Order::First {
            self.irregular(at, id, Fault::CapturedFirst, None, at);
            for (index, field) in std::mem::take(&mut waiting).into_iter().enumerate() {
                at += if index == 0 { 0 } else { self.hand_time(self.profile.remove_ms) };
                at = self.take_off(id, field, at, ply);
            }
            at += self.hand_time(self.profile.move_ms);
        }
        let piece = self.planned_board.code(ply.from);
        let flaky = self.planned_board.is_flaky(ply.from);
        self.put(at, ply.from, 0, false);
        at = self.hold(id, ply, at);
        at = self.hesitate(id, ply, piece, at);

        let path = ply.path();
        let last = path.len() - 2;
        for (leg, step) in path.windows(2).enumerate() {
            let &[a, b] = step else { continue };
            let travel = self.hand_time(self.profile.move_ms);
            self.slide(id, ply, (a, b), piece, (at, at + travel));
            at += travel;
            let rests = leg < last && (plain || !self.draw_fault(Fault::LandingMissed));
            if (rests || leg == last)
                && let Some(index) = waiting.iter().position(|field| *field == b)
            {
                // Where pieces are removed one by one, a capture may land on the field of a piece it captured earlier.
                let field = waiting.remove(index);
                at = self.take_off(id, field, at, ply) + self.hand_time(self.profile.remove_ms);
            }
            if rests {
                at = at.max(self.planned_board.ready_ms(b));
                self.put(at, b, piece, false);
            }
            if leg == last {
                self.place(id, at, ply.to, piece, flaky);
            }
            let jumped = ply.captured.get(leg).copied();
            if order == Order::During
                && let Some(index) = waiting.iter().position(|field| Some(*field) == jumped)
            {
                let field = waiting.remove(index);
                at += self.hand_time(self.profile.remove_ms);
                at = self.take_off(id, field, at, ply);
                self.irregular(at, id, Fault::CapturedDuring, Some(field), at);
            }
            if leg < last {
                at += self.rng.span(self.profile.dwell_ms);
                if rests {
                    self.put(at, b, 0, false);
                } else {
                    self.irregular(at, id, Fault::LandingMissed, Some(b), at);
                }
            }
        }

        let landed_ms = at;
        let mut second_hand = !waiting.is_empty() && self.uses_both_hands(id, at);
        for field in waiting {
            let removal = self.hand_time(self.profile.remove_ms);
            at += if std::mem::take(&mut second_hand) { removal.min(60) } else { removal };
            at = self.take_off(id, field, at, ply);
        }
        MoveTiming { touched_ms, landed_ms, settled_ms: at, early_press, overlap }
    }

    /// Removes a captured piece from the board; another field may detect it on its way.
    fn take_off(&mut self, id: Option<PlyId>, field: u8, at: u64, ply: &Ply) -> u64 {
        let code = self.planned_board.code(field);
        self.put(at, field, 0, false);
        if id.is_none() {
            return at;
        }
        let (blinks, is_put_aside) = (self.draw_fault(Fault::Blink), self.draw_fault(Fault::PutAside));
        let mut room = self.planned_board.room_around(at, field);
        room.retain(|near| !ply.fields().contains(near));
        let Some(near) = self.rng.pick(&room).copied() else { return at };
        if is_put_aside {
            let start = at + self.rng.between(60, 200);
            let end = start + self.rng.between(2_000, 20_000);
            self.visit(near, code, start, end);
            self.irregular(start, id, Fault::PutAside, Some(near), end);
        } else if blinks {
            let start = at + self.rng.between(40, 120);
            let end = start + self.rng.between(80, 350);
            self.visit(near, code, start, end);
            self.irregular(start, id, Fault::Blink, Some(near), end);
            return end;
        }
        at
    }

    fn slide(&mut self, id: Option<PlyId>, ply: &Ply, (a, b): (u8, u8), piece: u8, (from_ms, to_ms): (u64, u64)) {
        let mut fields = self.planned_board.between(a, b);
        fields.retain(|field| {
            self.planned_board.code(*field) == 0
                && self.planned_board.ready_ms(*field) <= from_ms
                && !ply.captured.contains(field)
        });
        if fields.is_empty() || !self.draw_fault(Fault::Slide) || id.is_none() {
            return;
        }
        let step = (to_ms - from_ms) / (fields.len() as u64 + 1);
        for (index, field) in fields.iter().enumerate() {
            let start = from_ms + step / 2 + step * index as u64;
            self.visit(*field, piece, start, start + step * 9 / 10);
        }
        self.irregular(from_ms, id, Fault::Slide, fields.first().copied(), to_ms);
    }

    /// Puts the moved piece down on its final field, possibly so badly that it flickers.
    pub(super) fn place(&mut self, id: Option<PlyId>, at: u64, field: u8, code: u8, flaky: bool) {
        let badly = self.draw_fault(Fault::Flicker) && id.is_some();
        let percent = self.rng.between(10, 50) as u8;
        let until = at + self.rng.between(3_000, 60_000);
        if badly || (flaky && id.is_some()) {
            let contact = SensorState { code, flicker_percent: percent, flicker_until_ms: until };
            self.motions.push(Motion { at_ms: at, action: Action::Put { field, sensor_state: contact } });
            self.planned_board.set(at, field, code, flaky);
            let fault = if badly { Fault::Flicker } else { Fault::CrownFlaky };
            self.irregular(at, id, fault, Some(field), until);
        } else {
            self.put(at, field, code, flaky);
        }
    }

    fn draw_order(&mut self, captures: bool) -> Order {
        let (first, during) = (self.profile.rate(Fault::CapturedFirst), self.profile.rate(Fault::CapturedDuring));
        let draw = self.rng.unit();
        match draw {
            _ if !captures => Order::After,
            _ if draw < first => Order::First,
            _ if draw < first + during => Order::During,
            _ => Order::After,
        }
    }

    /// Draws whether the lever is pressed before the captured pieces are removed, and whether the opponent also touches a piece before
    /// that.
    fn draw_haste(&mut self, captures: bool) -> (bool, bool) {
        let draw = self.rng.unit();
        let overlap = self.profile.rate(Fault::Overlap);
        let early = self.profile.rate(Fault::EarlyPress).max(overlap);
        let possible = captures && self.has_clock;
        (possible && draw < early, possible && draw < overlap)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnTiming;
    use super::super::stage::*;
    use super::*;
    use crate::profile::NoiseProfile;
    use crate::random::Rng;
    use crate::script::Player;
    use crate::table::PlannedBoard;

    #[test]
    fn captured_pieces_leave_first_during_or_reversed() {
        assert_eq!(played(Fault::CapturedFirst, &double())[..3], [(54, 0), (34, 0), (63, 0)]);
        assert_eq!(
            played(Fault::CapturedDuring, &double()),
            [(63, 0), (45, 1), (54, 0), (45, 0), (23, 1), (34, 0), (255, 0)]
        );
        assert_eq!(played(Fault::RemovalReversed, &double())[4..6], [(34, 0), (54, 0)]);
    }

    #[test]
    fn missed_landing_is_unseen() {
        assert_eq!(played(Fault::LandingMissed, &double()), [(63, 0), (23, 1), (54, 0), (34, 0), (255, 0)]);
    }

    #[test]
    fn capture_removes_piece_from_landing_square_first() {
        // A Turkish king goes up over 64, left over 43, down over 51, and right over 63 to the field of the first captured piece.
        let mut codes = vec![0; 100];
        for (field, code) in [(84, 7), (64, 4), (43, 4), (51, 4), (63, 4)] {
            codes[field] = code;
        }
        let round = Ply::capture(Player::White, &[84, 44, 41, 61, 64], &[64, 43, 51, 63]);
        for seed in 0..50 {
            for (name, profile) in
                [("ideal", NoiseProfile::ideal()), ("forgets", NoiseProfile::only(Fault::Forgotten, 1.0))]
            {
                let mut hand = Hand::new(profile, PlannedBoard::new(10, codes.clone()), Rng::new(seed));
                hand.play(ID, &round, TurnTiming::at(0), None);
                assert_eq!(
                    [84, 44, 41, 61, 64].map(|field| hand.planned_board().code(field)),
                    [0, 0, 0, 0, 7],
                    "{name} {seed}"
                );
                let put: Vec<_> = deeds(&mut hand).into_iter().filter(|deed| deed.0 == 64).collect();
                assert_eq!(put, [(64, 0), (64, 7)], "{name} {seed}");
            }
        }
    }

    #[test]
    fn slide_touches_fields_in_order() {
        // 90 81 72 63 54 45: men stand on 63 and 54, so the slide touches only 81 and 72.
        let slide = Ply::quiet(Player::White, 90, 45);
        assert_eq!(played(Fault::Slide, &slide), [(90, 0), (81, 7), (81, 0), (72, 7), (72, 0), (45, 7), (255, 0)]);
    }
}
