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
pub const LISTENS: Millis = Millis(1_200);
/// Rounds without anything new after which all have been heard.
const QUIET_ROUNDS: u32 = 2;
/// After so many rounds it is given up for this time, whatever was heard: noise is no board.
const MOST_ROUNDS: u32 = 24;
/// How long after all have been heard it begins anew.
const AGAIN: Millis = Millis::seconds(60);
/// The same while games are going on.
const AGAIN_PLAYING: Millis = Millis::seconds(600);

/// What discovery does at the moment.
#[derive(Clone, Debug)]
enum Step {
    /// Nothing, until then.
    Resting(Millis),
    /// Boards are told to ignore the next ping; these have not been yet.
    Silencing(VecDeque<BusAddress>),
    /// The ping to all was sent.
    Listening,
}

/// The search for boards.
#[derive(Clone, Debug)]
pub struct Discovery {
    step: Step,
    rounds: u32,
    quiet_rounds: u32,
    /// It was due while games were going on, and has waited for its time.
    is_put_off: bool,
    /// Was anything new heard in this round?
    is_quiet: bool,
}

/// What discovery wants to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// This board shall ignore the next ping.
    Silence(BusAddress),
    /// A ping to all.
    All,
}

impl Discovery {
    /// A search that begins then.
    pub fn at(due: Millis) -> Discovery {
        Discovery { step: Step::Resting(due), rounds: 0, quiet_rounds: 0, is_put_off: false, is_quiet: true }
    }

    /// When it has something to do.
    pub fn due(&self) -> Option<Millis> {
        match &self.step {
            Step::Resting(due) => Some(*due),
            Step::Silencing(_) => Some(Millis::ZERO),
            Step::Listening => None,
        }
    }

    /// Have all boards been heard that there are?
    pub fn is_resting(&self) -> bool {
        matches!(self.step, Step::Resting(_)) && self.rounds == 0
    }

    /// Is the line used for nothing else?
    pub fn is_listening(&self) -> bool {
        matches!(self.step, Step::Listening)
    }

    /// What to send now. `here`: the boards that are known and answer. With games going on, a search is put off.
    pub fn ask(&mut self, now: Millis, here: impl Iterator<Item = BusAddress>, is_playing: bool) -> Option<Ask> {
        if let Step::Resting(due) = self.step {
            if due > now {
                return None;
            }
            if is_playing && self.rounds == 0 && !std::mem::replace(&mut self.is_put_off, true) {
                self.step = Step::Resting(due + AGAIN_PLAYING - AGAIN);
                return None;
            }
            self.rounds += 1;
            self.step = Step::Silencing(here.collect());
        }
        let Step::Silencing(boards) = &mut self.step else { return None };
        if let Some(board) = boards.pop_front() {
            return Some(Ask::Silence(board));
        }
        self.is_quiet = true;
        self.step = Step::Listening;
        Some(Ask::All)
    }

    /// An address that was not known, or a collision: another round will be needed.
    pub fn heard_something(&mut self) {
        self.is_quiet = false;
    }

    /// The time of listening is over.
    pub fn round_is_over(&mut self, now: Millis) {
        self.quiet_rounds = if self.is_quiet { self.quiet_rounds + 1 } else { 0 };
        *self = if self.quiet_rounds >= QUIET_ROUNDS || self.rounds >= MOST_ROUNDS {
            Discovery::at(now + AGAIN)
        } else {
            Discovery { step: Step::Resting(now), ..self.clone() }
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
        let mut search = Discovery::at(Millis(100));
        let here = || [board(5), board(7)].into_iter();
        assert_eq!(search.ask(Millis(99), here(), false), None);
        let mut now = Millis(100);
        for (is_loud, rests) in [(true, 0), (false, 0), (true, 0), (false, 0), (false, 60_000)] {
            assert_eq!(search.ask(now, here(), false), Some(Ask::Silence(board(5))));
            assert_eq!(search.ask(now, here(), false), Some(Ask::Silence(board(7))));
            assert_eq!(search.ask(now, here(), false), Some(Ask::All));
            assert!(search.is_listening() && search.due().is_none());
            if is_loud {
                search.heard_something();
            }
            now = now + LISTENS;
            search.round_is_over(now);
            assert_eq!(search.due(), Some(now + Millis(rests)));
        }
    }

    #[test]
    fn games_delay_and_noise_ends_discovery() {
        let mut search = Discovery::at(Millis(0));
        assert_eq!(search.ask(Millis(0), [].into_iter(), true), None);
        assert_eq!(search.due(), Some(Millis::seconds(540)));
        let mut now = Millis::seconds(540);
        for _ in 0..MOST_ROUNDS {
            assert_eq!(search.ask(now, [].into_iter(), true), Some(Ask::All));
            search.heard_something();
            search.round_is_over(now);
        }
        assert_eq!(search.due(), Some(now + AGAIN));
        now = now + AGAIN;
        assert_eq!(search.ask(now, [].into_iter(), false), Some(Ask::All));
    }
}
