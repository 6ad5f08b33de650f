//! Unusual hands: habits that no named profile has. They draw from their own generator, so that a rate of 0 changes no other draw.

use super::Hand;
use crate::faults::Fault;
use crate::script::Ply;
use crate::truth::PlyId;

/// A press that follows its ply late, and the reason.
#[derive(Debug, Clone, Copy)]
pub(super) struct DelayedPress {
    pub fault: Fault,
    pub delay_ms: u64,
}

impl Hand {
    fn is_unusual(&mut self, fault: Fault) -> bool {
        let rate = self.profile.rate(fault);
        self.unusual_rng.chance(rate)
    }

    /// Holds the lifted piece in the hand. Returns the time at which the hand moves on.
    pub(super) fn hold(&mut self, id: Option<PlyId>, ply: &Ply, at: u64) -> u64 {
        if id.is_none() || !self.is_unusual(Fault::HeldPiece) {
            return at;
        }
        let end = at + self.unusual_rng.between(4_000, 25_000);
        self.irregular(at, id, Fault::HeldPiece, Some(ply.from), end);
        end
    }

    /// Draws whether the second hand removes a captured piece while the first one puts the moved piece down.
    pub(super) fn uses_both_hands(&mut self, id: Option<PlyId>, at: u64) -> bool {
        let strikes = id.is_some() && self.is_unusual(Fault::BothHands);
        if strikes {
            self.irregular(at, id, Fault::BothHands, None, at);
        }
        strikes
    }

    /// Adjusts four to twelve pieces before the ply. Returns the time at which this is done.
    pub(super) fn adjust_many(&mut self, id: PlyId, at: u64) -> u64 {
        let mut at = at;
        if !self.is_unusual(Fault::AdjustMany) {
            return at;
        }
        for _ in 0..self.unusual_rng.between(4, 12) {
            let pieces = self.planned_board.occupied(at);
            let Some(field) = self.unusual_rng.pick(&pieces).copied() else { return at };
            let end = at + self.unusual_rng.between(100, 600);
            self.lift_and_replace(field, at, end);
            self.irregular(at, Some(id), Fault::AdjustMany, Some(field), end);
            // Each third piece is lifted while the one before it is still in the other hand.
            at = if self.unusual_rng.chance(0.33) {
                at + (end - at) / 2
            } else {
                end + self.unusual_rng.between(50, 400)
            };
        }
        at
    }

    /// Lifts and replaces the piece of the ply and others before the ply. Returns the time at which this is done.
    pub(super) fn fidget(&mut self, id: PlyId, ply: &Ply, at: u64) -> u64 {
        let mut at = at;
        if !self.is_unusual(Fault::Fidget) {
            return at;
        }
        for _ in 0..self.unusual_rng.between(2, 6) {
            let pieces = self.planned_board.occupied(at);
            let other = self.unusual_rng.pick(&pieces).copied();
            let own = Some(ply.from).filter(|field| pieces.contains(field) && self.unusual_rng.chance(0.5));
            let Some(field) = own.or(other) else { return at };
            let end = at + self.unusual_rng.between(150, 1_500);
            self.lift_and_replace(field, at, end);
            self.irregular(at, Some(id), Fault::Fidget, Some(field), end);
            at = end + self.unusual_rng.between(100, 1_000);
        }
        at
    }

    /// Pushes the piece of the ply and others to adjacent squares and back. Returns the time at which the ply may begin.
    pub(super) fn push_about(&mut self, id: PlyId, ply: &Ply, at: u64) -> u64 {
        let mut at = at;
        if !self.is_unusual(Fault::PushedAbout) {
            return at;
        }
        for _ in 0..self.unusual_rng.between(1, 3) {
            let pieces = self.planned_board.occupied(at);
            let other = self.unusual_rng.pick(&pieces).copied();
            let own = Some(ply.from).filter(|field| pieces.contains(field) && self.unusual_rng.chance(0.6));
            let Some(field) = own.or(other) else { return at };
            let (code, flaky) = (self.planned_board.code(field), self.planned_board.is_flaky(field));
            let mut room = self.planned_board.room_around(at, field);
            room.retain(|near| self.planned_board.is_played_on(*near));
            self.unusual_rng.shuffle(&mut room);
            room.truncate(self.unusual_rng.between(1, 2) as usize);
            let start = at;
            self.put(at, field, 0, false);
            for near in room {
                let from = at + self.unusual_rng.between(150, 500);
                at = from + self.unusual_rng.between(300, 2_500);
                self.visit(near, code, from, at);
            }
            at += self.unusual_rng.between(150, 800);
            self.put(at, field, code, flaky);
            self.irregular(start, Some(id), Fault::PushedAbout, Some(field), at);
            at += self.unusual_rng.between(200, 1_500);
        }
        at + self.unusual_rng.between(1_000, 8_000)
    }

    /// Scatters pieces near the end of the ply, between its end and its press, and puts them back after the press. Leaves the fields of
    /// both plies alone.
    pub(super) fn scatter(&mut self, id: PlyId, ply: &Ply, next: Option<&Ply>, (done, pressed): (u64, u64)) {
        if !self.is_unusual(Fault::PiecesScattered) {
            return;
        }
        let mut pieces = self.planned_board.occupied(done);
        let next_fields = next.map(Ply::fields).unwrap_or_default();
        pieces.retain(|field| {
            !ply.fields().contains(field)
                && !next_fields.contains(field)
                && self.leftovers.iter().all(|left| left.field != *field)
        });
        pieces.sort_by_key(|field| (self.planned_board.distance(ply.to, *field), *field));
        pieces.truncate(self.unusual_rng.between(2, 5) as usize);
        for field in pieces {
            let start = done + self.unusual_rng.between(0, 150);
            let end = start.max(pressed) + self.unusual_rng.between(300, 4_000);
            self.lift_and_replace(field, start, end);
            self.irregular(start, Some(id), Fault::PiecesScattered, Some(field), end);
        }
    }

    /// Draws how much later than the press the piece is crowned; `None`: no later than usual.
    pub(super) fn delay_crowning(&mut self, ply: &Ply) -> Option<u64> {
        (ply.crown.is_some() && self.is_unusual(Fault::CrownLate)).then(|| self.unusual_rng.between(3_000, 15_000))
    }

    /// Draws whether the press follows late. `has_reply`: whether the opponent moves afterwards.
    pub(super) fn delay_press(&mut self, has_reply: bool) -> Option<DelayedPress> {
        let replied = self.is_unusual(Fault::ReplyBeforePress) && has_reply;
        let offers = self.is_unusual(Fault::DrawOffer);
        if replied {
            return Some(DelayedPress {
                fault: Fault::ReplyBeforePress,
                delay_ms: self.unusual_rng.between(1_200, 3_500),
            });
        }
        offers.then(|| DelayedPress { fault: Fault::DrawOffer, delay_ms: self.unusual_rng.between(4_000, 15_000) })
    }

    /// Returns the time at which the opponent touches a piece before the delayed press, if they do.
    pub(super) fn early_reply(&mut self, delayed: Option<DelayedPress>, (done, pressed): (u64, u64)) -> Option<u64> {
        let at = done + self.unusual_rng.between(150, 900);
        delayed.filter(|delayed| delayed.fault == Fault::ReplyBeforePress && at < pressed).map(|_| at)
    }

    /// Forgets captured pieces that were left on the board, because they were removed with the others.
    pub fn forget_leftovers(&mut self) {
        self.leftovers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnTiming;
    use super::super::stage::*;
    use super::*;
    use crate::motion::{Action, Motion};
    use crate::profile::NoiseProfile;
    use crate::script::Player;

    #[test]
    fn held_piece_lands_late() {
        let mut hand = hand(NoiseProfile::only(Fault::HeldPiece, 1.0), 3);
        let done = hand.play(ID, &double(), TurnTiming::at(0), None);
        assert!((4_000..32_000).contains(&(done.settled_ms - done.touched_ms)), "{done:?}");
        assert_eq!(deeds(&mut hand)[..2], [(63, 0), (45, 1)]);
    }

    #[test]
    fn reply_precedes_press_and_presses_keep_order() {
        let reply = Ply::quiet(Player::Black, 9, 18);
        for seed in 0..30 {
            let mut hand = hand(NoiseProfile::only(Fault::ReplyBeforePress, 1.0), seed);
            let first = hand.play(ID, &double(), TurnTiming::at(0), Some(&reply));
            let second = hand.play(PlyId { ply: 1, ..ID }, &reply, first.next, None);
            assert!(first.settled_ms < second.touched_ms, "{seed}");
            assert!(second.touched_ms < first.pressed_ms.unwrap(), "{seed}");
            assert!(first.pressed_ms < second.pressed_ms, "{seed}");
        }
    }

    #[test]
    fn fidgeted_pieces_return_to_their_fields() {
        for fault in [Fault::AdjustMany, Fault::Fidget, Fault::PushedAbout] {
            let mut hand = hand(NoiseProfile::only(fault, 1.0), 5);
            hand.play(ID, &Ply::quiet(Player::White, 90, 81), TurnTiming::at(0), None);
            assert_eq!([63, 54, 34, 9, 90, 81].map(|field| hand.planned_board().code(field)), [1, 4, 4, 4, 0, 7]);
            assert!(deeds(&mut hand).len() > 6, "{fault}");
        }
    }

    #[test]
    fn scattered_pieces_return_after_press_and_spare_next_ply() {
        let reply = Ply::quiet(Player::Black, 9, 18);
        for seed in 0..30 {
            let mut hand = hand(NoiseProfile::only(Fault::PiecesScattered, 1.0), seed);
            let done = hand.play(ID, &Ply::quiet(Player::White, 90, 81), TurnTiming::at(0), Some(&reply));
            assert_eq!([63, 54, 34, 9, 90, 81].map(|field| hand.planned_board().code(field)), [1, 4, 4, 4, 0, 7]);
            let motions = hand.take_motions();
            let back = |motion: &&Motion| matches!(motion.action, Action::Put { field, ref sensor_state } if sensor_state.code != 0 && field != 81);
            let back: Vec<u64> = motions.iter().filter(back).map(|motion| motion.at_ms).collect();
            assert!((2..=3).contains(&back.len()), "{seed}");
            assert!(back.iter().all(|&at| at > done.pressed_ms.unwrap()), "{seed}");
            let is_spared = |motion: &Motion| !matches!(motion.action, Action::Put { field: 9 | 18, .. });
            assert!(motions.iter().all(is_spared), "{seed}");
        }
    }

    #[test]
    fn late_crown_follows_press_by_seconds() {
        let crowning = Ply { crown: Some(7), ..Ply::quiet(Player::White, 63, 5) };
        let mut hand = hand(NoiseProfile::only(Fault::CrownLate, 1.0), 3);
        let done = hand.play(ID, &crowning, TurnTiming::at(0), None);
        assert!(done.settled_ms >= done.pressed_ms.unwrap() + 3_000);
    }

    #[test]
    fn second_hand_removes_piece_at_landing() {
        let mut hand = hand(NoiseProfile::only(Fault::BothHands, 1.0), 3);
        hand.play(ID, &double(), TurnTiming::at(0), None);
        let motions = hand.take_motions();
        let at = |wanted: (u8, u8)| {
            let is_it = |motion: &&Motion| matches!(&motion.action, Action::Put { field, sensor_state } if (*field, sensor_state.code) == wanted);
            motions.iter().find(is_it).unwrap().at_ms
        };
        assert!(at((54, 0)) <= at((23, 1)) + 60);
    }

    #[test]
    fn offer_of_draw_delays_press() {
        let mut hand = hand(NoiseProfile::only(Fault::DrawOffer, 1.0), 3);
        let done = hand.play(ID, &double(), TurnTiming::at(0), None);
        assert!(done.pressed_ms.unwrap() >= done.settled_ms + 4_000);
    }
}
