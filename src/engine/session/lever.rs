//! Clock truth: whose time runs, which side of the clock is White's, and what it showed.
//!
//! The player who presses pushes his own side of the lever down, so the side that is high is to move. Left and right are
//! the clock's; which of them is White is learned once a game, from the first press: the colour that has just moved
//! pressed. It cannot be hard-wired: on a turned board White plays on the right.

use crate::engine::protocol::{ClockTimes, Lever};
use draughts::Color;
use draughts_pdn::clock::{ClockTime, Clocks};

/// How sure it is which side of the clock is White's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SideConfidence {
    /// From whose time ran before the first move.
    Assumed,
    /// From a press after a move.
    Confirmed,
}

/// The clock of one board.
#[derive(Clone, Debug, Default)]
pub struct LeverTracker {
    last_reading: Option<ClockTimes>,
    right_side: Option<(Color, SideConfidence)>,
    contradictions: u32,
    is_notified: bool,
    confirmations: u32,
}

impl LeverTracker {
    /// Takes a reading. Returns whether the lever was moved since the last one.
    pub fn update(&mut self, times: ClockTimes) -> bool {
        let pressed = self.last_reading.is_some_and(|last| last.lever() != times.lever());
        self.last_reading = Some(times);
        pressed
    }

    /// The last reading was none: the next one shows no press.
    pub fn reset_reading(&mut self) {
        self.last_reading = None;
    }

    /// The last reading.
    pub fn last_reading(&self) -> Option<&ClockTimes> {
        self.last_reading.as_ref()
    }

    /// A new game: the players may have changed sides.
    pub fn reset_sides(&mut self) {
        self.right_side = None;
        self.contradictions = 0;
        self.is_notified = false;
        self.confirmations = 0;
    }

    /// Who sits at the right of the clock, where that is known.
    pub fn right_player(&self) -> Option<Color> {
        self.right_side.map(|(color, _)| color)
    }

    /// Whose time runs, or would run, by a position of the lever.
    pub fn turn(&self, lever: Lever) -> Option<Color> {
        let (right, _) = self.right_side?;
        Some(match lever {
            Lever::RightHigh => right,
            Lever::LeftHigh => !right,
        })
    }

    /// Whose time runs now.
    pub fn turn_now(&self) -> Option<Color> {
        self.turn(self.last_reading?.lever())
    }

    /// Before the first move this colour's time runs: a first guess at the sides.
    pub fn assume_sides(&mut self, to_move: Color) {
        if let Some(last) = &self.last_reading
            && self.right_side.is_none_or(|(_, trust)| trust == SideConfidence::Assumed)
        {
            self.right_side = Some((right_player(last.lever(), to_move), SideConfidence::Assumed));
        }
    }

    /// This colour has moved and the lever was pressed: learns the sides. When what was learned before has been contradicted
    /// so much more often than confirmed that the new meaning counts (hands in haste deceive now and then), returns whether
    /// that is news in this game.
    pub fn learn_sides(&mut self, mover: Color) -> bool {
        const MAX_CONTRADICTIONS: u32 = 1;
        /// Confirmations that are remembered.
        const SURE: u32 = 3;
        let Some(last) = &self.last_reading else { return false };
        let right = right_player(last.lever(), !mover);
        match self.right_side {
            Some((known, SideConfidence::Confirmed)) if known != right => {
                if self.confirmations > 0 {
                    self.confirmations -= 1;
                    return false;
                }
                self.contradictions += 1;
                if self.contradictions > MAX_CONTRADICTIONS {
                    self.contradictions = 0;
                    self.right_side = Some((right, SideConfidence::Confirmed));
                    return !std::mem::replace(&mut self.is_notified, true);
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

    /// What both sides show by a reading, and whose time runs. `None` while it is not known which side is White's.
    pub fn clocks(&self, times: &ClockTimes) -> Option<Clocks> {
        let [white, black] = self.seconds(times)?.map(|seconds| Some(ClockTime(seconds)));
        Some(Clocks { white, black, running: self.turn(times.lever()).filter(|_| times.is_running()) })
    }

    /// White's and Black's time in seconds.
    pub fn seconds(&self, times: &ClockTimes) -> Option<[u32; 2]> {
        let (right, _) = self.right_side?;
        let [left, right_time] = [times.left.total_seconds(), times.right.total_seconds()];
        Some(if right == Color::White { [right_time, left] } else { [left, right_time] })
    }
}

/// Who sits at the right of the clock, when this colour is to move.
fn right_player(lever: Lever, to_move: Color) -> Color {
    match lever {
        Lever::RightHigh => to_move,
        Lever::LeftHigh => !to_move,
    }
}
