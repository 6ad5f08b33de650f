//! What those who listen are told beside the file of a game: what is likely, what the clock shows, how the board is.
//!
//! | told | when |
//! |---|---|
//! | likely moves | they are others than before |
//! | the clock | another side's time runs, or a time is otherwise than counting on from the last one gives |
//! | the state | it changed; what may pass in a moment, after it has lasted |
//!
//! A listener who counts the running clock down by himself is right to [`CLOCK_TOLERANCE_S`] seconds, with an event or two a ply instead
//! of one a second. Only a game that has a file is told of.

use super::board_model::BoardModel;
use super::clock::TableClock;
use super::game_sequence::GameSequence;
use crate::engine::millis::Millis;
use crate::engine::session::{Condition, Effect, LiveUpdate, notes};
use draughts::{Color, Move, Position};
use draughts_pdn::clock::{ClockTime, Clocks};

/// Readings are whole seconds and up to a second old; links delay them.
const CLOCK_TOLERANCE_S: u32 = 2;
/// A board that is asked for its memory, or whose cable is plugged in again, is back within this.
const ABSENCE_DELAY: Millis = Millis::seconds(5);

/// What listeners were told last.
#[derive(Clone, Debug)]
pub(super) struct LiveUpdateTracker {
    /// What is likely, and from what that text was made.
    likely_moves: Vec<String>,
    expected: Option<(Position, Vec<Move>)>,
    /// What the clock shows, and when that was so.
    clocks: Option<(Millis, Clocks)>,
    state: Condition,
    /// Since when the board is not heard.
    absent_since: Option<Millis>,
}

impl Default for LiveUpdateTracker {
    fn default() -> LiveUpdateTracker {
        LiveUpdateTracker {
            likely_moves: Vec::new(),
            expected: None,
            clocks: None,
            state: Condition::Playing,
            absent_since: None,
        }
    }
}

impl LiveUpdateTracker {
    /// What is told to be likely.
    pub fn likely_moves(&self) -> &[String] {
        &self.likely_moves
    }

    /// The board is heard, or not any more.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        self.absent_since = if up { None } else { self.absent_since.or(Some(now)) };
    }

    /// Listeners read the clocks behind an entry of the game.
    pub fn note_entry_clocks(&mut self, now: Millis, clocks: Clocks) {
        self.clocks = Some((now, clocks));
    }

    /// When the board has been away for so long that it is told.
    fn absence_due(&self) -> Option<Millis> {
        self.absent_since.map(|since| since + ABSENCE_DELAY)
    }

    /// When listeners are to be told something though nothing happens.
    pub fn update_due(&self, play: &GameSequence) -> Option<Millis> {
        let is_told = self.state == Condition::NoConnection;
        self.absence_due().filter(|_| play.open_game().is_some() && !is_told)
    }

    /// What listeners do not know yet; `condition`: of the table now.
    pub fn updates(
        &mut self,
        now: Millis,
        board: &BoardModel,
        clock: &TableClock,
        play: &GameSequence,
        condition: Condition,
    ) -> Vec<Effect> {
        let mut asides = Vec::new();
        asides.extend(self.likely_update(board, play).map(LiveUpdate::LikelyMoves));
        if play.open_game().is_some() {
            asides.extend(self.clock_update(now, board, clock).map(LiveUpdate::Clock));
            asides.extend(self.state_update(now, board, condition).map(LiveUpdate::State));
        } else {
            self.clocks = None;
            self.state = Condition::Playing;
        }
        asides.into_iter().map(Effect::LiveUpdate).collect()
    }

    /// What is expected to be published next, when that has changed.
    fn likely_update(&mut self, board: &BoardModel, play: &GameSequence) -> Option<Vec<String>> {
        let provisional = match play.game() {
            Some(game) if board.is_link_up() && game.result.is_none() => {
                let expected = (*game.recogniser.position(), game.recogniser.expected().to_vec());
                if self.expected.as_ref() == Some(&expected) {
                    return None;
                }
                let provisional = notes::line_of_play(&expected.0, &expected.1);
                self.expected = Some(expected);
                provisional
            }
            _ => {
                self.expected = None;
                Vec::new()
            }
        };
        if provisional == self.likely_moves {
            return None;
        }
        self.likely_moves.clone_from(&provisional);
        Some(provisional)
    }

    fn clock_update(&mut self, now: Millis, board: &BoardModel, clock: &TableClock) -> Option<Clocks> {
        let clocks = clock.clocks(now)?;
        if !board.is_link_up() || self.is_current(now, &clocks) {
            return None;
        }
        self.clocks = Some((now, clocks));
        Some(clocks)
    }

    fn state_update(&mut self, now: Millis, board: &BoardModel, condition: Condition) -> Option<Condition> {
        let state = match self.absence_due() {
            Some(at) if at <= now => Condition::NoConnection,
            // Whatever it was when it was last heard.
            Some(_) => return None,
            // It was never heard.
            None if !board.is_link_up() => return None,
            None => condition,
        };
        (std::mem::replace(&mut self.state, state) != state).then_some(state)
    }

    /// Does somebody who counts on know what the clock shows?
    fn is_current(&self, now: Millis, clocks: &Clocks) -> bool {
        let Some((at, sent)) = &self.clocks else { return false };
        let passed = u32::try_from((now - *at).0 / 1000).unwrap_or(u32::MAX);
        let is_near = |color: Color, sent: Option<ClockTime>, shown: Option<ClockTime>| {
            let ran = if clocks.running == Some(color) { passed } else { 0 };
            sent.zip(shown)
                .is_some_and(|(sent, shown)| sent.0.saturating_sub(ran).abs_diff(shown.0) <= CLOCK_TOLERANCE_S)
        };
        sent.running == clocks.running
            && is_near(Color::White, sent.white, clocks.white)
            && is_near(Color::Black, sent.black, clocks.black)
    }
}
