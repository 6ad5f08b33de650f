//! Which boards are on the bus?
//!
//! A ping to all is answered by every board at a random moment within 1100 ms, so two answers may collide. The boards that
//! are known are told to be silent first; so each round has fewer to answer, until nobody is left who could.
//!
//! ```text
//!           each board that is here          1.2 s of listening            each address that was heard
//!   due ──▸ Silencing: "ignore the next" ──▸ Listening: ping to all ──┬──▸ pinged for itself, then the next round
//!    ▴                                                                │
//!    └──────────── two rounds without a new address or a collision ───┘
//! ```
//!
//! Nothing else can be asked while a round listens. That loses nothing, because boards keep their changes; but it costs
//! more than a second, so with games going on rounds are rare.

use std::collections::VecDeque;

use crate::engine::millis::Millis;
use crate::engine::protocol::BusAddress;

/// A board answers a ping to all within 1100 ms, and its answer takes six more, and a converter may hold it back.
pub const PING_WINDOW: Millis = Millis(1_200);
/// Rounds without anything new after which all have been heard.
const QUIET_ROUNDS: u32 = 2;
/// After so many rounds it is given up for this time, whatever was heard: noise is no board.
const MAX_ROUNDS: u32 = 24;
/// How long after all have been heard it begins anew.
const RETRY_INTERVAL: Millis = Millis::seconds(60);
/// The same while games are going on.
const RETRY_INTERVAL_PLAYING: Millis = Millis::seconds(600);

/// What discovery does at the moment.
#[derive(Clone, Debug)]
enum DiscoveryState {
    /// Nothing, until then.
    Idle(Millis),
    /// Boards are told to ignore the next ping; these have not been yet.
    Muting(VecDeque<BusAddress>),
    /// The ping to all was sent.
    Listening,
}

/// The search for boards.
#[derive(Clone, Debug)]
pub struct Discovery {
    state: DiscoveryState,
    rounds: u32,
    quiet_rounds: u32,
    /// It was due while games were going on, and has waited for its time.
    is_postponed: bool,
    /// Was anything new heard in this round?
    is_quiet: bool,
}

/// What discovery wants to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PingAction {
    /// This board shall ignore the next ping.
    MuteBoard(BusAddress),
    /// A ping to all.
    PingAll,
}

impl Discovery {
    /// A search that begins then.
    pub fn starting_at(due: Millis) -> Discovery {
        Discovery { state: DiscoveryState::Idle(due), rounds: 0, quiet_rounds: 0, is_postponed: false, is_quiet: true }
    }

    /// When it has something to do.
    pub fn due(&self) -> Option<Millis> {
        match &self.state {
            DiscoveryState::Idle(due) => Some(*due),
            DiscoveryState::Muting(_) => Some(Millis::ZERO),
            DiscoveryState::Listening => None,
        }
    }

    /// Have all boards been heard that there are?
    pub fn is_resting(&self) -> bool {
        matches!(self.state, DiscoveryState::Idle(_)) && self.rounds == 0
    }

    /// Is the line used for nothing else?
    pub fn is_listening(&self) -> bool {
        matches!(self.state, DiscoveryState::Listening)
    }

    /// What to send now. `here`: the boards that are known and answer. With games going on, a search is put off.
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

    /// An address that was not known, or a collision: another round will be needed.
    pub fn on_answer(&mut self) {
        self.is_quiet = false;
    }

    /// The time of listening is over.
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
