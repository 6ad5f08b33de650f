//! Lever presses since the published position, and the side whose time runs.
//!
//! A lever has two states, so presses alternate. If its meaning is known, the side to move is more informative than the
//! number of presses. After a forgotten press the opponent cannot press either; after a mistaken press the player
//! presses back. Both change the number of presses by two and leave the lever unchanged.

use draughts::Color;

use crate::millis::Millis;
use crate::recognition::tuning::{counts, times};
use crate::recognition::verdict::{ClockState, PressId};

/// Lever press.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    /// Number assigned by the caller.
    pub id: PressId,
    /// Time of the report.
    pub at: Millis,
}

/// State of the lever, and whether it is in step with the published position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PressState {
    /// Side whose time runs, if known.
    turn: Option<Color>,
    /// Whether the player of the last published ply has not pressed yet.
    is_missing: bool,
    /// Number of consecutive published plies without a press.
    plies_without_press: u32,
}

/// Lever presses since the published position.
#[derive(Clone, Debug, Default)]
pub struct Presses {
    queue: Vec<Press>,
    lever: PressState,
}

impl Presses {
    /// Returns the state of the lever.
    pub fn lever(&self) -> &PressState {
        &self.lever
    }

    /// Returns the side whose time runs, if the meaning of the lever is known.
    pub fn turn(&self) -> Option<Color> {
        self.lever.turn
    }

    /// Sets the side whose time runs, after the meaning of the lever was learned or corrected.
    pub fn set_turn(&mut self, turn: Option<Color>) {
        self.lever.turn = turn;
    }

    /// Whether the player of the last published ply has not pressed yet.
    pub fn is_missing(&self) -> bool {
        self.lever.is_missing
    }

    /// Returns the number of consecutive published plies without a press.
    pub fn plies_without_press(&self) -> u32 {
        self.lever.plies_without_press
    }

    /// Returns the number of presses.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether there are no presses.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether so many presses occurred that play must be continuing.
    pub fn are_many(&self) -> bool {
        self.queue.len() >= counts::MANY_PRESSES
    }

    /// Returns the times of the presses, in order.
    pub fn times(&self) -> impl Iterator<Item = Millis> {
        self.queue.iter().map(|press| press.at)
    }

    /// Returns the last press.
    pub fn last(&self) -> Option<&Press> {
        self.queue.last()
    }

    /// Returns the time of the last press.
    pub fn last_at(&self) -> Option<Millis> {
        self.last().map(|press| press.at)
    }

    /// Records a press while `to_move` is to move in the published position. `turn`: side whose time runs now;
    /// `answered`: whether a ply of that side and its reply are visible. If not, this may be the missing press of the
    /// last published ply.
    pub fn record(&mut self, press: Press, turn: Option<Color>, to_move: Color, answered: bool) {
        self.lever.turn = turn;
        if self.queue.is_empty() && turn == Some(to_move) && !answered {
            (self.lever.is_missing, self.lever.plies_without_press) = (false, 0);
        } else if self.queue.len() < counts::MAX_PRESSES {
            self.queue.push(press);
        }
    }

    /// Whether the player of the last of `plies` plies, the first by `to_move`, has pressed.
    pub fn confirms_last_ply(&self, plies: usize, to_move: Color) -> bool {
        let next = if plies.is_multiple_of(2) { to_move } else { !to_move };
        match self.lever.turn {
            Some(turn) => turn == next && (!self.queue.is_empty() || plies >= 2),
            None => self.queue.len() >= plies,
        }
    }

    /// Whether `to_move` has committed the first of `plies` plies by a press.
    pub fn is_committed(&self, plies: usize, to_move: Color) -> bool {
        !self.queue.is_empty() && (plies >= 2 || self.confirms_last_ply(plies, to_move))
    }

    /// Publishes the first of `plies` plies, committed or not. Removes and returns the press that completed it, if
    /// there was one.
    pub fn publish(&mut self, plies: usize, to_move: Color, clock: ClockState, given_up: bool) -> Option<Press> {
        // Without a clock no press is possible.
        self.lever.plies_without_press =
            if given_up || clock == ClockState::None { 0 } else { self.lever.plies_without_press + 1 };
        let belong = if self.confirms_last_ply(plies, to_move) { plies } else { plies - 1 };
        // Surplus presses came first and were mistakes that were reverted. If presses are missing, the existing ones
        // belong to the last plies.
        let mistaken = self.queue.len().saturating_sub(belong);
        self.queue.drain(..mistaken / 2 * 2);
        let press = (self.queue.len() >= belong && belong > 0 && !self.queue.is_empty()).then(|| self.queue.remove(0));
        self.lever.is_missing = clock == ClockState::Running
            && self.queue.is_empty()
            && match self.lever.turn {
                Some(turn) => turn == to_move,
                None => press.is_none() && !self.lever.is_missing,
            };
        press
    }

    /// Continues from a position set up after this many presses. Removes them and returns the last one.
    pub fn set_up(&mut self, presses: usize) -> Option<Press> {
        (self.lever.is_missing, self.lever.plies_without_press) = (false, 0);
        self.queue.drain(..presses.min(self.queue.len())).next_back()
    }

    /// Drops reverted presses, because the board shows the published position. Returns the time of the next call, if
    /// necessary.
    pub fn clear_reverted(&mut self, now: Millis, to_move: Color) -> Option<Millis> {
        let stands_at = self.last_at()? + times::PRESS_UNDO_WINDOW;
        let in_step = self.lever.turn == Some(to_move);
        if self.queue.len() < 2 && !in_step {
            return None;
        }
        if now < stands_at {
            return Some(stands_at);
        }
        let gone = if in_step { self.queue.len() } else { self.queue.len() / 2 * 2 };
        self.queue.drain(..gone);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn press(id: u32) -> Press {
        Press { id: PressId(id), at: Millis(u64::from(id) * 1_000) }
    }

    /// White is to move; records presses with these sides running afterwards.
    fn after(turns: &[Color]) -> Presses {
        let mut presses = Presses::default();
        for (index, turn) in turns.iter().enumerate() {
            presses.record(press(index as u32 + 1), Some(*turn), White, false);
        }
        presses
    }

    #[test]
    fn press_completes_ply_only_towards_opponent() {
        assert!(after(&[Black]).confirms_last_ply(1, White));
        assert!(!after(&[Black, White]).confirms_last_ply(1, White), "pressed by mistake and back");
        assert!(after(&[Black, White]).confirms_last_ply(2, White));
        assert!(!after(&[]).confirms_last_ply(1, White));
    }

    #[test]
    fn late_press_belongs_to_unanswered_ply() {
        assert!(after(&[White]).is_empty());
        let mut presses = Presses::default();
        presses.record(press(1), Some(White), White, true);
        assert_eq!(presses.len(), 1);
    }

    #[test]
    fn last_of_repeated_presses_counts() {
        let mut presses = after(&[Black, White, Black]);
        assert_eq!(presses.publish(1, White, ClockState::Running, true).map(|press| press.id), Some(PressId(3)));
        assert!(presses.is_empty());
    }

    #[test]
    fn retracted_presses_expire() {
        let mut presses = after(&[Black, White]);
        assert_eq!(presses.clear_reverted(Millis(2_500), White), Some(Millis(5_000)));
        assert_eq!(presses.clear_reverted(Millis(5_000), White), None);
        assert!(presses.is_empty());
    }
}
