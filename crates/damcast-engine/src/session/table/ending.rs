//! Ends of games on a table: by the operator's result, by a side without a legal move, or by the next game.

use draughts::Color;
use draughts_pdn::clock::ClockTime;

use super::Table;
use super::clock::TableClock;
use crate::game_tags;
use crate::millis::Millis;
use crate::session::game::LiveGame;
use crate::session::{Effect, LineSettings};

/// Longest wait of an entered result for the last plies.
const RESULT_DELAY: Millis = Millis::seconds(10);
/// Time for which a position without a legal move must stand to end the game, since the last move may be taken back.
const NO_MOVES_DELAY: Millis = Millis::seconds(6);

impl Table {
    /// Ends the game when the side to move has no legal move and therefore loses.
    pub(super) fn end_without_moves(&mut self, now: Millis) -> Vec<Effect> {
        let Some(game) = self.games.game() else { return Vec::new() };
        let is_over = no_moves_due(game, &self.settings, &self.clock).is_some_and(|at| at <= now);
        let won = blocked_winner(game, &self.settings).filter(|_| is_over);
        let Some((winner, result)) = won else { return Vec::new() };
        let loser = game.recogniser.position().turn();
        let mut effects = close_game(game, &self.clock, Some(result), false);
        effects.push(Effect::Info(format!("the game is over: {loser} has no move, {winner} wins")));
        self.entered.iter_mut().for_each(|typed| typed.set_result(Some(result.to_owned())));
        self.games.end_game();
        effects
    }

    /// Ends the game with the operator's result.
    pub(super) fn apply_result(&mut self, now: Millis) -> Vec<Effect> {
        let Some(game) = self.games.game() else { return Vec::new() };
        let Some((result, _)) = &game.result else { return Vec::new() };
        if !game.recogniser.is_settled() && result_due(game).is_some_and(|at| now < at) {
            return Vec::new();
        }
        let effects = close_game(game, &self.clock, Some(result), true);
        self.entered.iter_mut().for_each(|typed| typed.set_result(Some(result.clone())));
        self.games.end_game();
        effects
    }

    /// Ends the running game without a result because another one begins.
    pub(super) fn close_for_next(&self) -> Vec<Effect> {
        let Some(game) = self.games.game() else { return Vec::new() };
        close_game(game, &self.clock, blocked_winner(game, &self.settings).map(|(_, result)| result), false)
    }
}

/// Returns the time at which the operator's result is applied even if the last plies are unrecognised.
pub(super) fn result_due(game: &LiveGame) -> Option<Millis> {
    game.result.as_ref().map(|(_, given_at)| *given_at + RESULT_DELAY)
}

/// Returns the time at which the game ends because the side to move has no legal move. `None` directly after a setup while
/// the clock runs: the setup may be wrong, and the players show that the game continues.
pub(super) fn no_moves_due(game: &LiveGame, settings: &LineSettings, clock: &TableClock) -> Option<Millis> {
    let stands = game.file_number().is_some() && game.recogniser.is_settled();
    let stands = stands && (game.recogniser.ends_with_ply() || !clock.is_running());
    blocked_winner(game, settings).filter(|_| stands).map(|_| game.recogniser.quiet_since() + NO_MOVES_DELAY)
}

/// Returns the winner and the result text when the side to move has no legal move. `None` if only the limit on moves of one
/// king blocks it, or if the organiser uses custom results: then the arbiter decides.
fn blocked_winner(game: &LiveGame, settings: &LineSettings) -> Option<(Color, &'static str)> {
    let position = game.recogniser.position();
    let winner = game.recogniser.winner().filter(|_| position.exhausted_king().is_none())?;
    let format = game_tags::result_format(settings.variant, &settings.tags)?;
    Some((winner, format.win(winner)))
}

/// Closes the file of a game. The note contains the last clock reading for the archive.
fn close_game(game: &LiveGame, clock: &TableClock, result: Option<&str>, is_given: bool) -> Vec<Effect> {
    let mut effects: Vec<Effect> = game.end_effect(result, is_given).into_iter().collect();
    if let Some(seconds) = clock.seconds().filter(|_| game.file_number().is_some()) {
        let [white, black] = seconds.map(ClockTime);
        effects.push(Effect::Note(format!("the clock at the end: White {white}, Black {black}")));
    }
    effects
}
