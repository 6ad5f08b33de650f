//! Interprets the clock lever: the side to move, the side of the clock where White sits, and the times.
//!
//! A press lowers the player's own side of the lever, so the high side is to move. Left and right refer to the clock. Each
//! game learns White's side from its first press: the colour that has just moved has pressed. A fixed side is impossible,
//! because White plays on the right of a turned board.

use draughts::Color;
use draughts_pdn::clock::{ClockTime, Clocks};

use crate::protocol::{ClockTimes, Lever};

/// Confidence in the side of the clock where White sits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SideConfidence {
    /// Derived from the time that ran before the first move.
    Assumed,
    /// Derived from a press after a move.
    Confirmed,
}

/// Clock lever of one board.
#[derive(Clone, Debug, Default)]
pub struct LeverTracker {
    last_reading: Option<ClockTimes>,
    right_side: Option<(Color, SideConfidence)>,
    contradictions: u32,
    /// Number of consecutive presses that contradict the sides unless they are late.
    doubts: u32,
    is_notified: bool,
    confirmations: u32,
}

impl LeverTracker {
    /// Records a reading. Returns whether the lever moved since the previous one.
    pub fn update(&mut self, times: ClockTimes) -> bool {
        let pressed = self.last_reading.is_some_and(|last| last.lever() != times.lever());
        self.last_reading = Some(times);
        pressed
    }

    /// Forgets the last reading, so that the next one shows no press.
    pub fn reset_reading(&mut self) {
        self.last_reading = None;
    }

    /// Returns the last reading.
    pub fn last_reading(&self) -> Option<&ClockTimes> {
        self.last_reading.as_ref()
    }

    /// Forgets the sides for a new game, because the players may have changed seats.
    pub fn reset_sides(&mut self) {
        *self = LeverTracker { last_reading: self.last_reading, ..LeverTracker::default() };
    }

    /// Returns the player on the right of the clock, if known.
    pub fn right_player(&self) -> Option<Color> {
        self.right_side.map(|(color, _)| color)
    }

    /// Returns the side to move for a lever position.
    pub fn turn(&self, lever: Lever) -> Option<Color> {
        let (right, _) = self.right_side?;
        Some(match lever {
            Lever::RightHigh => right,
            Lever::LeftHigh => !right,
        })
    }

    /// Returns the side to move by the last reading.
    pub fn turn_now(&self) -> Option<Color> {
        self.turn(self.last_reading?.lever())
    }

    /// Guesses the sides before the first move: the running time is that of `to_move`.
    pub fn assume_sides(&mut self, to_move: Color) {
        if let Some(last) = &self.last_reading
            && self.right_side.is_none_or(|(_, trust)| trust == SideConfidence::Assumed)
        {
            self.right_side = Some((right_player(last.lever(), to_move), SideConfidence::Assumed));
        }
    }

    /// Learns the sides from a press after a move of `mover`. Hurried players sometimes press wrongly, so contradictions change
    /// confirmed sides only when they clearly outnumber the confirmations. Returns `true` for the first such change of a game.
    pub fn learn_sides(&mut self, mover: Color) -> bool {
        const MAX_CONTRADICTIONS: u32 = 1;
        /// Limit of the confirmations that are counted.
        const SURE: u32 = 3;
        let Some(last) = &self.last_reading else { return false };
        let right = right_player(last.lever(), !mover);
        self.doubts = 0;
        match self.right_side {
            Some((known, SideConfidence::Confirmed)) if known != right => {
                if self.confirmations > 0 {
                    self.confirmations -= 1;
                    return false;
                }
                self.contradictions += 1;
                if self.contradictions > MAX_CONTRADICTIONS {
                    return self.change_sides(right);
                }
            }
            Some((known, SideConfidence::Confirmed)) if known == right => {
                self.confirmations = (self.confirmations + 1).min(SURE);
                self.contradictions = 0;
            }
            _ => self.right_side = Some((right, SideConfidence::Confirmed)),
        }
        false
    }

    /// Learns the sides from a press after a move of `mover` that may also be the late press of the opponent, whose move `mover` has
    /// answered. Only several such presses in a row change known sides. Returns `true` for the first such change of a game.
    pub fn learn_sides_from_late_press(&mut self, mover: Color) -> bool {
        const MAX_DOUBTS_ASSUMED: u32 = 1;
        const MAX_DOUBTS_CONFIRMED: u32 = 4;
        let Some(last) = &self.last_reading else { return false };
        let right = right_player(last.lever(), !mover);
        let (known, max_doubts) = match self.right_side {
            None => {
                self.right_side = Some((right, SideConfidence::Assumed));
                return false;
            }
            Some((known, SideConfidence::Assumed)) => (known, MAX_DOUBTS_ASSUMED),
            Some((known, SideConfidence::Confirmed)) => (known, MAX_DOUBTS_CONFIRMED),
        };
        self.doubts = if known == right { 0 } else { self.doubts + 1 };
        self.doubts > max_doubts && self.change_sides(right)
    }

    /// Changes the sides. Returns whether they were confirmed, and this is their first change in the game.
    fn change_sides(&mut self, right: Color) -> bool {
        let were_confirmed = matches!(self.right_side, Some((_, SideConfidence::Confirmed)));
        self.right_side = Some((right, SideConfidence::Confirmed));
        (self.confirmations, self.contradictions, self.doubts) = (0, 0, 0);
        were_confirmed && !std::mem::replace(&mut self.is_notified, true)
    }

    /// Returns the times of both players and the running side; `None` while White's side is unknown.
    pub fn clocks(&self, times: &ClockTimes) -> Option<Clocks> {
        let [white, black] = self.seconds(times)?.map(|seconds| Some(ClockTime(seconds)));
        Some(Clocks { white, black, running: self.turn(times.lever()).filter(|_| times.is_running()) })
    }

    /// Returns the times of White and Black in seconds.
    pub fn seconds(&self, times: &ClockTimes) -> Option<[u32; 2]> {
        let (right, _) = self.right_side?;
        let [left, right_time] = [times.left.total_seconds(), times.right.total_seconds()];
        Some(if right == Color::White { [right_time, left] } else { [left, right_time] })
    }
}

/// Returns the player on the right of the clock when `to_move` is to move.
fn right_player(lever: Lever, to_move: Color) -> Color {
    match lever {
        Lever::RightHigh => to_move,
        Lever::LeftHigh => !to_move,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ClockSide, ClockStatus};
    use Color::{Black, White};

    /// Creates a lever on whose left side White sits, and whose right side is high after White's press.
    fn lever() -> LeverTracker {
        let mut lever = LeverTracker::default();
        lever.update(reading(Lever::LeftHigh));
        lever.assume_sides(White);
        lever
    }

    fn reading(lever: Lever) -> ClockTimes {
        let side = ClockSide { hours: 1, ..ClockSide::default() };
        let high = if lever == Lever::RightHigh { ClockStatus::RIGHT_HIGH } else { 0 };
        ClockTimes { left: side, right: side, status: ClockStatus(ClockStatus::RUNNING | high) }
    }

    fn press(lever: &mut LeverTracker, by: Color) {
        lever.update(reading(if by == White { Lever::RightHigh } else { Lever::LeftHigh }));
    }

    #[test]
    fn late_presses_keep_known_sides() {
        let mut lever = lever();
        // Black has answered White's ply when White presses, which looks like a press of Black.
        press(&mut lever, White);
        assert!(!lever.learn_sides_from_late_press(Black));
        assert_eq!(lever.right_player(), Some(Black), "as assumed");
        press(&mut lever, Black);
        assert!(!lever.learn_sides(Black));
        for _ in 0..20 {
            for _ in 0..3 {
                press(&mut lever, White);
                assert!(!lever.learn_sides_from_late_press(Black));
            }
            press(&mut lever, Black);
            assert!(!lever.learn_sides(Black));
        }
        assert_eq!(lever.right_player(), Some(Black));
    }

    #[test]
    fn many_contrary_presses_change_sides_once() {
        let mut lever = lever();
        lever.assume_sides(Black);
        press(&mut lever, White);
        let changes = |lever: &mut LeverTracker| lever.learn_sides_from_late_press(White);
        lever.assume_sides(White);
        assert_eq!(lever.right_player(), Some(White), "assumed wrongly");
        assert!(!changes(&mut lever) && !changes(&mut lever), "an assumption changes without a notice");
        assert_eq!(lever.right_player(), Some(Black));
        press(&mut lever, Black);
        let changed: Vec<bool> = (0..6).map(|_| lever.learn_sides_from_late_press(White)).collect();
        assert_eq!(changed, [false, false, false, false, true, false]);
        assert_eq!(lever.right_player(), Some(White));
    }

    #[test]
    fn press_after_single_ply_confirms_sides_at_once() {
        let mut lever = lever();
        press(&mut lever, Black);
        assert!(!lever.learn_sides(White));
        assert_eq!(lever.right_player(), Some(White));
        press(&mut lever, White);
        assert!(!lever.learn_sides(White) && lever.learn_sides(White), "two more contradict it");
        assert_eq!(lever.right_player(), Some(Black));
        lever.reset_sides();
        assert_eq!((lever.right_player(), lever.last_reading().is_some()), (None, true));
    }
}
