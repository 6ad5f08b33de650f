//! The press of the lever: in time, early, late, never, or by mistake.

use super::Hand;
use super::carry::MoveTiming;
use super::unusual::DelayedPress;
use crate::faults::Fault;
use crate::motion::{Action, Motion};
use crate::script::Player;
use crate::truth::PlyId;

impl Hand {
    /// Presses the lever after a ply that is done, not before `earliest`. Returns the time of the press, if any, and the time from which
    /// the opponent thinks.
    pub(super) fn press(
        &mut self,
        id: PlyId,
        by: Player,
        carried: &MoveTiming,
        (done, earliest): (u64, u64),
        delayed: Option<DelayedPress>,
    ) -> (Option<u64>, u64) {
        let forgotten = self.draw_fault(Fault::PressForgotten);
        let late = self.rng.chance(0.5);
        let delay = self.hand_time(self.profile.press_ms);
        if !self.has_clock {
            return (None, done);
        }
        if forgotten && !late {
            self.irregular(done, Some(id), Fault::PressForgotten, None, done);
            return (None, done + self.rng.between(500, 1_500));
        }
        let pressed = if forgotten {
            let pressed = done + self.rng.between(2_000, 8_000);
            self.irregular(done, Some(id), Fault::PressForgotten, None, pressed);
            pressed
        } else if carried.early_press && carried.settled_ms > carried.landed_ms + 40 {
            let gap = (carried.settled_ms - carried.landed_ms) as u32;
            let pressed = (carried.landed_ms + delay / 2).min(carried.landed_ms + u64::from(gap / 2));
            self.irregular(pressed, Some(id), Fault::EarlyPress, None, carried.settled_ms);
            pressed
        } else if let Some(DelayedPress { fault, delay_ms }) = delayed {
            self.irregular(done, Some(id), fault, None, done + delay_ms);
            done + delay_ms
        } else {
            done + delay
        }
        .max(earliest);
        self.motions.push(Motion { at_ms: pressed, action: Action::Press { player: by, ply: Some(id) } });
        (Some(pressed), pressed)
    }

    /// Draws whether a thinking player presses by mistake between two times; the opponent then presses back. Returns the earliest time of a
    /// move.
    pub(super) fn press_by_mistake(&mut self, id: PlyId, by: Player, (from, to): (u64, u64), at: u64) -> u64 {
        let strikes = self.draw_fault(Fault::PressMistaken);
        let start = from + self.rng.below(to.saturating_sub(from).max(1));
        let back = start + self.rng.between(800, 3_000);
        if !strikes || !self.has_clock {
            return at;
        }
        self.motions.push(Motion { at_ms: start, action: Action::Press { player: by, ply: None } });
        self.motions.push(Motion { at_ms: back, action: Action::Press { player: by.other(), ply: None } });
        self.irregular(start, Some(id), Fault::PressMistaken, None, back);
        at.max(back + 200)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TurnTiming;
    use super::super::stage::*;
    use super::*;
    use crate::profile::NoiseProfile;
    use crate::script::Ply;

    #[test]
    fn early_press_precedes_last_capture_removal() {
        let early = played(Fault::EarlyPress, &double());
        assert!(early.iter().position(|deed| *deed == (255, 0)) < early.iter().position(|deed| *deed == (34, 0)));
        let mut hand = hand(NoiseProfile::only(Fault::Overlap, 1.0), 3);
        let reply = Ply::quiet(Player::Black, 9, 18);
        let done = hand.play(ID, &double(), TurnTiming::at(0), Some(&reply));
        let rush = done.next.rush_ms.unwrap();
        assert!(done.pressed_ms.unwrap() < rush && rush < done.settled_ms);
        let conflict = Ply::quiet(Player::Black, 9, 54);
        let mut hand = super::tests::hand(NoiseProfile::only(Fault::Overlap, 1.0), 3);
        assert_eq!(hand.play(ID, &double(), TurnTiming::at(0), Some(&conflict)).next.rush_ms, None);
    }

    #[test]
    fn presses_are_forgotten_late_or_mistaken() {
        let quiet = Ply::quiet(Player::White, 90, 81);
        let late: Vec<Option<u64>> = (0..40)
            .map(|seed| {
                let done = hand(NoiseProfile::only(Fault::PressForgotten, 1.0), seed).play(
                    ID,
                    &quiet,
                    TurnTiming::at(0),
                    None,
                );
                done.pressed_ms.map(|pressed| pressed - done.settled_ms)
            })
            .collect();
        assert!(late.contains(&None) && late.iter().flatten().all(|delay| (2_000..=8_000).contains(delay)));
        assert_eq!(played(Fault::PressMistaken, &quiet), [(255, 0), (255, 0), (90, 0), (81, 7), (255, 0)]);
    }
}
