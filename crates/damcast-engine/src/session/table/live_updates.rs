//! Live updates (likely moves, clock, condition) for event listeners; never written to the game's file.
//!
//! | update | sent when |
//! |---|---|
//! | likely moves | they change |
//! | clock | the running side changes, or a time deviates from the countdown since the last update |
//! | condition | it changes; a possibly brief condition must last first |
//!
//! A listener that counts the running clock down is accurate to [`CLOCK_TOLERANCE_S`] seconds. It receives one or two
//! events per ply instead of one per second. Only games with a file have live updates.

use draughts::{Color, Move, Position};
use draughts_pdn::clock::{ClockTime, Clocks};

use super::board_model::BoardModel;
use super::clock::TableClock;
use super::game_sequence::GameSequence;
use crate::millis::Millis;
use crate::session::{Condition, Effect, LiveUpdate, notes};

/// Tolerated deviation in seconds: readings are whole seconds, up to a second old, and links delay them.
const CLOCK_TOLERANCE_S: u32 = 2;
/// Absence before it is reported; a memory read or a replugged cable takes less.
const ABSENCE_DELAY: Millis = Millis::seconds(5);

/// Last updates sent to listeners.
#[derive(Clone, Debug)]
pub(super) struct LiveUpdateTracker {
    likely_moves: Vec<String>,
    expected: Option<(Position, Vec<Move>)>,
    /// Clock state and its time.
    clocks: Option<(Millis, Clocks)>,
    state: Condition,
    /// Start of the board's absence.
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
    /// Returns the likely moves last sent.
    pub fn likely_moves(&self) -> &[String] {
        &self.likely_moves
    }

    /// Records that the link came up or went down.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        self.absent_since = if up { None } else { self.absent_since.or(Some(now)) };
    }

    /// Records the clock state of an entry, which listeners read there.
    pub fn note_entry_clocks(&mut self, now: Millis, clocks: Clocks) {
        self.clocks = Some((now, clocks));
    }

    /// Returns the time at which the absence is reported.
    fn absence_due(&self) -> Option<Millis> {
        self.absent_since.map(|since| since + ABSENCE_DELAY)
    }

    /// Returns the time of the next update without an event.
    pub fn update_due(&self, play: &GameSequence) -> Option<Millis> {
        let is_absence_sent = self.state == Condition::NoConnection;
        self.absence_due().filter(|_| play.open_game().is_some() && !is_absence_sent)
    }

    /// Returns the updates that listeners lack. `condition`: current condition of the table. `entered`: plies that a person has entered
    /// since the last publication; `None` on a board that reports its moves itself.
    pub fn updates(
        &mut self,
        now: Millis,
        board: &BoardModel,
        clock: &TableClock,
        play: &GameSequence,
        condition: Condition,
        entered: Option<Vec<Move>>,
    ) -> Vec<Effect> {
        let (mut pending_updates, is_entered) = (Vec::new(), entered.is_some());
        pending_updates.extend(self.likely_update(board, play, entered).map(LiveUpdate::LikelyMoves));
        if play.open_game().is_some() {
            pending_updates.extend(self.clock_update(now, board, clock).map(LiveUpdate::Clock));
            pending_updates.extend(self.state_update(now, board, condition, is_entered).map(LiveUpdate::State));
        } else {
            self.clocks = None;
            self.state = Condition::Playing;
        }
        pending_updates.into_iter().map(Effect::LiveUpdate).collect()
    }

    /// Returns the moves expected next, if they have changed.
    fn likely_update(
        &mut self,
        board: &BoardModel,
        play: &GameSequence,
        entered: Option<Vec<Move>>,
    ) -> Option<Vec<String>> {
        let provisional = match play.game() {
            Some(game) if (entered.is_some() || board.is_link_up()) && game.result.is_none() => {
                let moves = entered.unwrap_or_else(|| game.recogniser.expected().to_vec());
                let expected = (*game.recogniser.position(), moves);
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

    fn state_update(
        &mut self,
        now: Millis,
        board: &BoardModel,
        condition: Condition,
        is_entered: bool,
    ) -> Option<Condition> {
        let state = match self.absence_due() {
            // The board is not needed.
            _ if is_entered => condition,
            Some(at) if at <= now => Condition::NoConnection,
            // While the board is absent, the last condition stands.
            Some(_) => return None,
            // The board has never been in reach.
            None if !board.is_link_up() => return None,
            None => condition,
        };
        (std::mem::replace(&mut self.state, state) != state).then_some(state)
    }

    /// Whether a listener's countdown matches the clock.
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
