//! Finds the boards on a bus.
//!
//! Every board answers a ping to all at a random moment within 1100 ms, so two answers may collide. Known boards are muted
//! first. Each round therefore leaves fewer boards to answer, until none remains.
//!
//! ```text
//!           each present board               1.2 s of listening            each address that answered
//!   due ──▸ Muting: "ignore the next" ─────▸ Listening: ping to all ──┬──▸ pinged for itself, then the next round
//!    ▴                                                                │
//!    └──────────── two rounds without a new address or a collision ───┘
//! ```
//!
//! A listening round blocks all other questions. Nothing is lost, because boards store their changes. However, a round
//! takes more than a second, so rounds are rare while games are running.

use std::collections::VecDeque;

use crate::millis::Millis;
use crate::protocol::BusAddress;

/// Listening time of a ping to all: answers start within 1100 ms, take 6 ms, and a converter may delay them.
pub const PING_WINDOW: Millis = Millis(1_200);
/// Rounds without a new address or collision after which discovery is complete.
const QUIET_ROUNDS: u32 = 2;
/// Limit of rounds in one search, because noise can imitate new boards forever.
const MAX_ROUNDS: u32 = 24;
const RETRY_INTERVAL: Millis = Millis::seconds(60);
/// Pause between two searches while games are running.
const RETRY_INTERVAL_PLAYING: Millis = Millis::seconds(600);

#[derive(Clone, Debug)]
enum DiscoveryState {
    /// Inactive until this time.
    Idle(Millis),
    /// Sending the command to ignore the next ping; these boards remain.
    Muting(VecDeque<BusAddress>),
    /// Waiting for answers to the ping to all.
    Listening,
}

/// Search for boards.
#[derive(Clone, Debug)]
pub struct Discovery {
    state: DiscoveryState,
    rounds: u32,
    quiet_rounds: u32,
    /// Whether a due search has been postponed once because of running games.
    is_postponed: bool,
    /// Whether this round has found nothing.
    is_quiet: bool,
}

/// Command that the search sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PingAction {
    /// Makes this board ignore the next ping.
    MuteBoard(BusAddress),
    /// Pings all boards.
    PingAll,
}

impl Discovery {
    /// Creates a search that starts at `due`.
    pub fn starting_at(due: Millis) -> Discovery {
        Discovery { state: DiscoveryState::Idle(due), rounds: 0, quiet_rounds: 0, is_postponed: false, is_quiet: true }
    }

    /// Returns the time of the next action.
    pub fn due(&self) -> Option<Millis> {
        match &self.state {
            DiscoveryState::Idle(due) => Some(*due),
            DiscoveryState::Muting(_) => Some(Millis::ZERO),
            DiscoveryState::Listening => None,
        }
    }

    /// Whether the search is complete until its next start.
    pub fn is_resting(&self) -> bool {
        matches!(self.state, DiscoveryState::Idle(_)) && self.rounds == 0
    }

    /// Whether the search reserves the line.
    pub fn is_listening(&self) -> bool {
        matches!(self.state, DiscoveryState::Listening)
    }

    /// Returns the command to send now. `here`: the known boards that answer. Running games postpone a search.
    pub fn next_action(
        &mut self,
        now: Millis,
        here: impl Iterator<Item = BusAddress>,
        is_playing: bool,
    ) -> Option<PingAction> {
        if let DiscoveryState::Idle(due) = self.state {
            if due > now {
                return None;
            }
            if is_playing && self.rounds == 0 && !std::mem::replace(&mut self.is_postponed, true) {
                self.state = DiscoveryState::Idle(due + RETRY_INTERVAL_PLAYING - RETRY_INTERVAL);
                return None;
            }
            self.rounds += 1;
            self.state = DiscoveryState::Muting(here.collect());
        }
        let DiscoveryState::Muting(boards) = &mut self.state else { return None };
        if let Some(board) = boards.pop_front() {
            return Some(PingAction::MuteBoard(board));
        }
        self.is_quiet = true;
        self.state = DiscoveryState::Listening;
        Some(PingAction::PingAll)
    }

    /// Notes a new address or a collision, which requires another round.
    pub fn on_answer(&mut self) {
        self.is_quiet = false;
    }

    /// Ends a listening round.
    pub fn end_round(&mut self, now: Millis) {
        self.quiet_rounds = if self.is_quiet { self.quiet_rounds + 1 } else { 0 };
        *self = if self.quiet_rounds >= QUIET_ROUNDS || self.rounds >= MAX_ROUNDS {
            Discovery::starting_at(now + RETRY_INTERVAL)
        } else {
            Discovery { state: DiscoveryState::Idle(now), ..self.clone() }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(number: u16) -> BusAddress {
        BusAddress::new(number).unwrap()
    }

    #[test]
    fn rounds_end_after_two_quiet_ones() {
        let mut search = Discovery::starting_at(Millis(100));
        let here = || [board(5), board(7)].into_iter();
        assert_eq!(search.next_action(Millis(99), here(), false), None);
        let mut now = Millis(100);
        for (is_loud, rests) in [(true, 0), (false, 0), (true, 0), (false, 0), (false, 60_000)] {
            assert_eq!(search.next_action(now, here(), false), Some(PingAction::MuteBoard(board(5))));
            assert_eq!(search.next_action(now, here(), false), Some(PingAction::MuteBoard(board(7))));
            assert_eq!(search.next_action(now, here(), false), Some(PingAction::PingAll));
            assert!(search.is_listening() && search.due().is_none());
            if is_loud {
                search.on_answer();
            }
            now = now + PING_WINDOW;
            search.end_round(now);
            assert_eq!(search.due(), Some(now + Millis(rests)));
        }
    }

    #[test]
    fn games_delay_and_noise_ends_discovery() {
        let mut search = Discovery::starting_at(Millis(0));
        assert_eq!(search.next_action(Millis(0), [].into_iter(), true), None);
        assert_eq!(search.due(), Some(Millis::seconds(540)));
        let mut now = Millis::seconds(540);
        for _ in 0..MAX_ROUNDS {
            assert_eq!(search.next_action(now, [].into_iter(), true), Some(PingAction::PingAll));
            search.on_answer();
            search.end_round(now);
        }
        assert_eq!(search.due(), Some(now + RETRY_INTERVAL));
        now = now + RETRY_INTERVAL;
        assert_eq!(search.next_action(now, [].into_iter(), false), Some(PingAction::PingAll));
    }
}
