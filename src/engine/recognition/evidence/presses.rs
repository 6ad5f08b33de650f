//! The lever of the clock since the published position: how often it was moved, and whose time runs.
//!
//! A lever has two states, so presses alternate; where its meaning is known, the side that is to move tells more than the
//! number of presses. When a player forgets to press, his opponent cannot press either; when one presses by mistake, he presses
//! back. Both change the number of presses by two and leave the lever as it was.

use crate::engine::millis::Millis;
use crate::engine::recognition::tuning::{counts, times};
use crate::engine::recognition::verdict::{ClockState, PressId};
use draughts::Color;

/// One press.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    /// As numbered by the caller.
    pub id: PressId,
    /// When it was heard of.
    pub at: Millis,
}

/// What the lever shows, and whether it is in step with what is published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PressState {
    /// Whose time runs, where that is known.
    turn: Option<Color>,
    /// The player of the last published ply has not pressed yet.
    is_missing: bool,
    /// Plies published in a row without a press.
    plies_without_press: u32,
}

/// The lever since the published position.
#[derive(Clone, Debug, Default)]
pub struct Presses {
    queue: Vec<Press>,
    lever: PressState,
}

impl Presses {
    /// What the lever shows, and whether it is in step with what is published.
    pub fn lever(&self) -> &PressState {
        &self.lever
    }

    /// Whose time runs, where the lever's meaning is known.
    pub fn turn(&self) -> Option<Color> {
        self.lever.turn
    }

    /// The lever's meaning has been learned or corrected: whose time runs now.
    pub fn set_turn(&mut self, turn: Option<Color>) {
        self.lever.turn = turn;
    }

    /// The player of the last published ply has not pressed yet.
    pub fn is_missing(&self) -> bool {
        self.lever.is_missing
    }

    /// Plies published in a row without a press.
    pub fn plies_without_press(&self) -> u32 {
        self.lever.plies_without_press
    }

    /// How many there were.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Were there none?
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Were there so many that play goes on, whatever the board shows?
    pub fn are_many(&self) -> bool {
        self.queue.len() >= counts::MANY_PRESSES
    }

    /// When they were heard of, in order.
    pub fn times(&self) -> impl Iterator<Item = Millis> {
        self.queue.iter().map(|press| press.at)
    }

    /// The last one.
    pub fn last(&self) -> Option<&Press> {
        self.queue.last()
    }

    /// When the last one was heard of.
    pub fn last_at(&self) -> Option<Millis> {
        self.last().map(|press| press.at)
    }

    /// The lever was moved while this side was to move in the published position; `turn`: whose time runs now; `answered`: a
    /// ply of this side and its reply can be seen. If they cannot, it may be the missing press of the last published ply.
    pub fn record(&mut self, press: Press, turn: Option<Color>, to_move: Color, answered: bool) {
        self.lever.turn = turn;
        if self.queue.is_empty() && turn == Some(to_move) && !answered {
            (self.lever.is_missing, self.lever.plies_without_press) = (false, 0);
        } else if self.queue.len() < counts::MAX_PRESSES {
            self.queue.push(press);
        }
    }

    /// Has the player of the last of so many plies, of which the first was `to_move`'s, pressed for it?
    pub fn confirms_last_ply(&self, plies: usize, to_move: Color) -> bool {
        let next = if plies.is_multiple_of(2) { to_move } else { !to_move };
        match self.lever.turn {
            Some(turn) => turn == next && (!self.queue.is_empty() || plies >= 2),
            None => self.queue.len() >= plies,
        }
    }

    /// Has the player of the first of so many plies, `to_move`, given it up by pressing?
    pub fn is_committed(&self, plies: usize, to_move: Color) -> bool {
        !self.queue.is_empty() && (plies >= 2 || self.confirms_last_ply(plies, to_move))
    }

    /// The first of so many plies is published, which its player has given up or not: takes the press that completed it, if there
    /// was one.
    pub fn publish(&mut self, plies: usize, to_move: Color, clock: ClockState, given_up: bool) -> Option<Press> {
        // Without a clock nobody can press.
        self.lever.plies_without_press =
            if given_up || clock == ClockState::None { 0 } else { self.lever.plies_without_press + 1 };
        let belong = if self.confirms_last_ply(plies, to_move) { plies } else { plies - 1 };
        // Too many presses: the first ones were mistakes, and taken back. Too few: those that came belong to the last plies.
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

    /// Play goes on from a position that was set up after so many presses. Returns the last of them.
    pub fn set_up(&mut self, presses: usize) -> Option<Press> {
        (self.lever.is_missing, self.lever.plies_without_press) = (false, 0);
        self.queue.drain(..presses.min(self.queue.len())).next_back()
    }

    /// The board shows the published position: presses that were taken back are forgotten. Returns when to ask again.
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

    /// White is to move, and these presses are heard; whose time runs after each.
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
