//! Pieces touched without need: adjusted, nudged, removed by mistake, knocked over. All of them are put back.

use super::Hand;
use crate::faults::Fault;
use crate::script::Ply;
use crate::truth::PlyId;

impl Hand {
    /// Adjusts one to three pieces before the ply. Returns the time at which this is done.
    pub(super) fn adjust(&mut self, id: PlyId, at: u64) -> u64 {
        let mut at = at;
        if !self.draw_fault(Fault::Adjust) {
            return at;
        }
        for _ in 0..self.rng.between(1, 3) {
            let pieces = self.planned_board.occupied(at);
            let Some(field) = self.rng.pick(&pieces).copied() else { return at };
            let end = at + self.rng.between(100, 600);
            self.lift_and_replace(field, at, end);
            self.irregular(at, Some(id), Fault::Adjust, Some(field), end);
            at = end + self.rng.between(100, 400);
        }
        at
    }

    /// Touches the moved piece again after the press.
    pub(super) fn nudge(&mut self, id: PlyId, ply: &Ply, after: u64) {
        let strikes = self.draw_fault(Fault::Nudge);
        let start = after + self.rng.between(100, 800);
        let end = start + self.rng.between(100, 500);
        if strikes && self.planned_board.code(ply.to) != 0 {
            self.lift_and_replace(ply.to, start, end);
            self.irregular(start, Some(id), Fault::Nudge, Some(ply.to), end);
        }
    }

    /// Knocks over four to seven nearby pieces, which are put back one by one. The first may be put on a wrong square and stay there for
    /// some seconds after all others are back.
    pub(super) fn knock(&mut self, id: PlyId, at: u64) -> u64 {
        let mut pieces = self.planned_board.occupied(at);
        let Some(centre) = self.rng.pick(&pieces).copied() else { return at };
        pieces.sort_by_key(|field| (self.planned_board.distance(centre, *field), *field));
        pieces.truncate(self.rng.between(4, 7) as usize);
        let mut fallen: Vec<(u8, u8, bool)> = pieces
            .iter()
            .map(|field| (*field, self.planned_board.code(*field), self.planned_board.is_flaky(*field)))
            .collect();
        for (field, _, _) in &fallen {
            let when = at + self.rng.between(0, 150);
            self.put(when, *field, 0, false);
        }
        let end = at + self.rng.between(10_000, 20_000);
        self.rng.shuffle(&mut fallen);
        let gap = (end - at) / (fallen.len() as u64 + 1);
        let wrongly = self.draw_fault(Fault::KnockedWrongly);
        let mut last = end;
        for (index, (field, code, flaky)) in fallen.iter().enumerate() {
            let when = at + gap * (index as u64 + 2);
            let mut room = self.planned_board.room_around(at, *field);
            room.retain(|near| !pieces.contains(near) && self.planned_board.is_played_on(*near));
            let near = self.rng.pick(&room).copied();
            if let (0, true, Some(near)) = (index, wrongly, near) {
                let right = end + self.rng.between(4_000, 15_000);
                self.visit(near, *code, when, right - 300);
                self.put(right, *field, *code, *flaky);
                self.irregular(when, Some(id), Fault::KnockedWrongly, Some(near), right);
                last = right;
            } else {
                self.put(when, *field, *code, *flaky);
            }
        }
        self.irregular(at, Some(id), Fault::Knocked, Some(centre), last);
        last
    }

    /// Removes one piece that was not captured, and puts it back later. Returns the time at which it is off.
    pub(super) fn remove_extra(&mut self, id: PlyId, ply: &Ply, next: Option<&Ply>, at: u64) -> u64 {
        if ply.captured.is_empty() || !self.draw_fault(Fault::ExtraRemoved) {
            return at;
        }
        let mut pieces = self.planned_board.occupied(at);
        pieces.retain(|field| {
            !ply.fields().contains(field)
                && !next.is_some_and(|next| next.fields().contains(field))
                && self.leftovers.iter().all(|left| left.field != *field)
        });
        pieces.sort_by_key(|field| {
            (
                ply.captured.iter().map(|captured_field| self.planned_board.distance(*captured_field, *field)).min(),
                *field,
            )
        });
        let Some(field) = pieces.first().copied() else { return at };
        let start = at + self.hand_time(self.profile.remove_ms);
        let end = start + self.rng.between(1_500, 8_000);
        self.lift_and_replace(field, start, end);
        self.irregular(start, Some(id), Fault::ExtraRemoved, Some(field), end);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnTiming;
    use super::super::stage::*;
    use super::*;
    use crate::motion::{Action, Motion};
    use crate::profile::NoiseProfile;
    use crate::random::Rng;
    use crate::table::PlannedBoard;

    #[test]
    fn needlessly_touched_piece_returns_to_square() {
        let after = |fault: Fault, seed: u64| {
            let mut profile = NoiseProfile::only(fault, 1.0);
            profile.set_rate(Fault::KnockedWrongly, 0.5);
            let mut hand = hand(profile, seed);
            hand.play(ID, &double(), TurnTiming::at(0), None);
            (hand.planned_board().codes().to_vec(), deeds(&mut hand).len())
        };
        let (plain, least) = after(Fault::LandingMissed, 1);
        for fault in [Fault::Adjust, Fault::Nudge, Fault::ExtraRemoved, Fault::Knocked] {
            for seed in 0..50 {
                let (codes, deeds) = after(fault, seed);
                assert!(codes == plain && deeds > least, "{fault} {seed}");
            }
        }
    }

    #[test]
    fn fallen_pieces_return_one_first_on_wrong_field() {
        let mut profile = NoiseProfile::only(Fault::Knocked, 1.0);
        profile.set_rate(Fault::KnockedWrongly, 1.0);
        let mut codes = vec![0; 100];
        (0..25).for_each(|piece| codes[20 * (piece / 5) + 2 * (piece % 5) + 1] = 1);
        let mut wrong = 0;
        for seed in 0..50 {
            let mut hand = Hand::new(profile.clone(), PlannedBoard::new(10, codes.clone()), Rng::new(seed));
            hand.knock(ID, 1_000);
            let mut motions = hand.take_motions();
            motions.sort_by_key(|motion| motion.at_ms);
            let put = |motion: &Motion| match motion.action {
                Action::Put { field, sensor_state: contact } => Some((motion.at_ms, field, contact.code)),
                _ => None,
            };
            let put: Vec<_> = motions.iter().filter_map(put).collect();
            let fallen: Vec<u8> = put.iter().take_while(|put| put.2 == 0).map(|put| put.1).collect();
            assert!((4..=7).contains(&fallen.len()), "seed {seed}: {fallen:?}");
            let up_again = put.iter().filter(|put| put.2 != 0);
            let elsewhere = up_again.clone().find(|put| !fallen.contains(&put.1));
            let (last, others) =
                up_again.clone().map(|put| put.0).fold((0, 0), |(last, before), at| (at, last.max(before)));
            let Some(elsewhere) = elsewhere else {
                assert!((11_000..=21_000).contains(&last), "seed {seed}: {put:?}");
                continue;
            };
            wrong += 1;
            assert!((11_000..=21_000).contains(&others), "seed {seed}: {put:?}");
            assert!((4_000..=15_500).contains(&(last - others)), "seed {seed}: {put:?}");
            assert!(
                hand.planned_board().is_played_on(elsewhere.1) && codes[usize::from(elsewhere.1)] == 0,
                "seed {seed}"
            );
        }
        assert!(wrong > 25, "{wrong}");
    }
}
