//! How a game ends on a table: by a result that the operator gives, by a side that has no move, or by the next game.

use super::{Stage, Table};
use crate::millis::Millis;
use crate::pdn::clock::ClockTime;
use crate::pdn::live;
use crate::recognition::Clock;
use crate::rules::Color;
use crate::session::Effect;
use crate::session::game::Game;

/// How long a given result waits for the last plies to be recognised.
pub(super) const RESULT_WAITS: Millis = Millis::seconds(10);
/// How long a position without a move must stand before the game is over: a move may be taken back.
const LAST_MOVE_STANDS: Millis = Millis::seconds(6);

impl Table {
    /// When a game is over whose position has no move: the last one may still be taken back. Where only the limit on moves of
    /// one king is in the way, or the organiser has results of their own, that is for the arbiter.
    pub(super) fn ends_without_moves_at(&self) -> Option<Millis> {
        let Stage::Playing(game) = &self.stage else { return None };
        let recogniser = &game.recogniser;
        let over = game.number().is_some() && recogniser.is_settled() && self.won_without_moves(game).is_some();
        over.then(|| recogniser.quiet_since() + LAST_MOVE_STANDS)
    }

    /// A side that is to move and has no move has lost.
    pub(super) fn end_without_moves(&mut self, now: Millis) -> Vec<Effect> {
        if self.ends_without_moves_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let position = *game.recogniser.position();
        let Some((winner, result)) = self.won_without_moves(game) else { return Vec::new() };
        let mut effects = self.close(game, Some(result));
        effects.push(Effect::Notice(format!("the game is over: {} has no move, {winner} wins", position.turn())));
        self.stage = Stage::Over;
        effects
    }

    /// The side that has won because the other, to move, has no move; and that result.
    pub(super) fn won_without_moves(&self, game: &Game) -> Option<(Color, &'static str)> {
        let position = game.recogniser.position();
        let format = live::result_format(self.settings.variant, &self.settings.tags)?;
        let winner = position.winner().filter(|_| position.exhausted_king().is_none())?;
        Some((winner, format.win(winner)))
    }

    pub(super) fn apply_result(&mut self, now: Millis) -> Vec<Effect> {
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let Some((result, given)) = &game.result else { return Vec::new() };
        if !game.recogniser.is_settled() && now < *given + RESULT_WAITS {
            return Vec::new();
        }
        let effects = self.close(game, Some(result));
        self.stage = Stage::Over;
        effects
    }

    /// The end of a game's file. What the clock shows then is kept for the archive.
    pub(super) fn close(&self, game: &Game, result: Option<&str>) -> Vec<Effect> {
        let mut effects = game.close(result);
        let seconds = self.clock.last().and_then(|times| self.clock.seconds(times));
        if let Some([white, black]) = seconds.filter(|_| game.number().is_some() && self.clock_state != Clock::None) {
            let [white, black] = [white, black].map(ClockTime);
            effects.push(Effect::Note(format!("the clock at the end: White {white}, Black {black}")));
        }
        effects
    }
}
