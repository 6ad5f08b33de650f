//! What those who listen are told beside the file of a game: what is likely, what the clock shows, how the board is.
//!
//! | told | when |
//! |---|---|
//! | likely moves | they are others than before |
//! | the clock | another side's time runs, or a time is otherwise than counting on from the last one gives |
//! | the state | it changed; what may pass in a moment, after it has lasted |
//!
//! A listener who counts the running clock down by himself is right to [`SLACK_S`] seconds, with an event or two a ply instead
//! of one a second. Only a game that has a file is told of.

use super::clock::TableClock;
use super::known_board::KnownBoard;
use super::play::Play;
use crate::engine::millis::Millis;
use crate::engine::session::{Aside, Condition, Effect, account};
use draughts::{Color, Move, Position};
use draughts_pdn::clock::{ClockTime, Clocks};

/// Readings are whole seconds and up to a second old; links delay them.
const SLACK_S: u32 = 2;
/// A board that is asked for its memory, or whose cable is plugged in again, is back within this.
const AWAY: Millis = Millis::seconds(5);

/// What listeners were told last.
#[derive(Clone, Debug)]
pub(super) struct Listeners {
    /// What is likely, and from what that text was made.
    provisional: Vec<String>,
    expected: Option<(Position, Vec<Move>)>,
    /// What the clock shows, and when that was so.
    clocks: Option<(Millis, Clocks)>,
    state: Condition,
    /// Since when the board is not heard.
    away_since: Option<Millis>,
}

impl Default for Listeners {
    fn default() -> Listeners {
        Listeners { provisional: Vec::new(), expected: None, clocks: None, state: Condition::Playing, away_since: None }
    }
}

impl Listeners {
    /// What is told to be likely.
    pub fn provisional(&self) -> &[String] {
        &self.provisional
    }

    /// The board is heard, or not any more.
    pub fn link(&mut self, now: Millis, up: bool) {
        self.away_since = if up { None } else { self.away_since.or(Some(now)) };
    }

    /// Listeners read the clocks behind an entry of the game.
    pub fn have_read(&mut self, now: Millis, clocks: Clocks) {
        self.clocks = Some((now, clocks));
    }

    /// When the board has been away for so long that it is told.
    fn away_at(&self) -> Option<Millis> {
        self.away_since.map(|since| since + AWAY)
    }

    /// When listeners are to be told something though nothing happens.
    pub fn tell_at(&self, play: &Play) -> Option<Millis> {
        let is_told = self.state == Condition::NoConnection;
        self.away_at().filter(|_| play.open_game().is_some() && !is_told)
    }

    /// What listeners do not know yet; `condition`: of the table now.
    pub fn tell(
        &mut self,
        now: Millis,
        board: &KnownBoard,
        clock: &TableClock,
        play: &Play,
        condition: Condition,
    ) -> Vec<Effect> {
        let mut asides = Vec::new();
        asides.extend(self.tell_likely(board, play).map(Aside::Provisional));
        if play.open_game().is_some() {
            asides.extend(self.tell_clocks(now, board, clock).map(Aside::Clock));
            asides.extend(self.tell_state(now, board, condition).map(Aside::State));
        } else {
            self.clocks = None;
            self.state = Condition::Playing;
        }
        asides.into_iter().map(Effect::Aside).collect()
    }

    /// What is expected to be published next, when that has changed.
    fn tell_likely(&mut self, board: &KnownBoard, play: &Play) -> Option<Vec<String>> {
        let provisional = match play.game() {
            Some(game) if board.is_linked() && game.result.is_none() => {
                let expected = (*game.recogniser.position(), game.recogniser.expected().to_vec());
                if self.expected.as_ref() == Some(&expected) {
                    return None;
                }
                let provisional = account::line_of_play(&expected.0, &expected.1);
                self.expected = Some(expected);
                provisional
            }
            _ => {
                self.expected = None;
                Vec::new()
            }
        };
        if provisional == self.provisional {
            return None;
        }
        self.provisional.clone_from(&provisional);
        Some(provisional)
    }

    fn tell_clocks(&mut self, now: Millis, board: &KnownBoard, clock: &TableClock) -> Option<Clocks> {
        let clocks = clock.clocks(now)?;
        if !board.is_linked() || self.know(now, &clocks) {
            return None;
        }
        self.clocks = Some((now, clocks));
        Some(clocks)
    }

    fn tell_state(&mut self, now: Millis, board: &KnownBoard, condition: Condition) -> Option<Condition> {
        let state = match self.away_at() {
            Some(at) if at <= now => Condition::NoConnection,
            // Whatever it was when it was last heard.
            Some(_) => return None,
            // It was never heard.
            None if !board.is_linked() => return None,
            None => condition,
        };
        (std::mem::replace(&mut self.state, state) != state).then_some(state)
    }

    /// Does somebody who counts on know what the clock shows?
    fn know(&self, now: Millis, clocks: &Clocks) -> bool {
        let Some((at, sent)) = &self.clocks else { return false };
        let passed = u32::try_from((now - *at).0 / 1000).unwrap_or(u32::MAX);
        let is_near = |color: Color, sent: Option<ClockTime>, shown: Option<ClockTime>| {
            let ran = if clocks.running == Some(color) { passed } else { 0 };
            sent.zip(shown).is_some_and(|(sent, shown)| sent.0.saturating_sub(ran).abs_diff(shown.0) <= SLACK_S)
        };
        sent.running == clocks.running
            && is_near(Color::White, sent.white, clocks.white)
            && is_near(Color::Black, sent.black, clocks.black)
    }
}
