//! How a game ends on a table: by a result that the operator gives, by a side that has no move, or by the next game.

use super::{Stage, Table};
use crate::engine::millis::Millis;
use crate::engine::recognition::Clock;
use crate::engine::roster;
use crate::engine::session::Effect;
use crate::engine::session::game::Game;
use draughts::Color;
use draughts_pdn::clock::ClockTime;

/// How long a given result waits for the last plies to be recognised.
pub(super) const RESULT_WAITS: Millis = Millis::seconds(10);
/// How long a position without a move must stand before the game is over: a move may be taken back.
const LAST_MOVE_STANDS: Millis = Millis::seconds(6);

impl Table {
    /// When the game will be over because the side that is to move has no move.
    pub(super) fn ends_without_moves_at(&self) -> Option<Millis> {
        let Stage::Playing(game) = &self.stage else { return None };
        let stands = game.number().is_some() && game.recogniser.is_settled();
        self.won_without_moves(game).filter(|_| stands).map(|_| game.recogniser.quiet_since() + LAST_MOVE_STANDS)
    }

    /// A side that is to move and has no move has lost.
    pub(super) fn end_without_moves(&mut self, now: Millis) -> Vec<Effect> {
        let is_over = self.ends_without_moves_at().is_some_and(|at| at <= now);
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let Some((winner, result)) = self.won_without_moves(game).filter(|_| is_over) else { return Vec::new() };
        let loser = game.recogniser.position().turn();
        let mut effects = self.close(game, Some(result));
        effects.push(Effect::News(format!("the game is over: {loser} has no move, {winner} wins")));
        self.stage = Stage::Over;
        effects
    }

    /// Who has won because the other side, to move, has no move, and how that is written. Where only the limit on moves of one
    /// king is in the way, or the organiser has results of their own, that is for the arbiter.
    pub(super) fn won_without_moves(&self, game: &Game) -> Option<(Color, &'static str)> {
        let position = game.recogniser.position();
        let winner = game.recogniser.winner().filter(|_| position.exhausted_king().is_none())?;
        let format = roster::result_format(self.settings.variant, &self.settings.tags)?;
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
        let mut effects: Vec<Effect> = game.close(result).into_iter().collect();
        let seconds = self.clock.last().and_then(|times| self.clock.seconds(times));
        if let Some([white, black]) = seconds.filter(|_| game.number().is_some() && self.clock_state != Clock::None) {
            let [white, black] = [white, black].map(ClockTime);
            effects.push(Effect::Note(format!("the clock at the end: White {white}, Black {black}")));
        }
        effects
    }
}
