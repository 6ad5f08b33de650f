//! What a table tells people: its state, what it doubts, what it expects to be played, pieces that mean a result.

use super::{Stage, Table};
use crate::millis::Millis;
use crate::recognition::Clock;
use crate::rules::SquareSet;
use crate::session::{Condition, Effect, Status, account};

/// How long a board must have been quiet in doubt before the operator is told.
const DOUBT: Millis = Millis::seconds(5);

impl Table {
    /// The state for people.
    pub fn status(&self) -> Status {
        let clocks = self.clock.last().and_then(|times| self.clock.seconds(times));
        let clocks = clocks.filter(|_| self.clock_state != Clock::None);
        match &self.stage {
            Stage::Playing(game) => {
                let (condition, state) = match game.recogniser.doubt() {
                    _ if !self.linked => (Condition::NoConnection, "no connection".to_owned()),
                    Some(doubt) => (Condition::Unexplained, format!("unexplained: {}", self.names(doubt.squares))),
                    None if game.number().is_none() => (Condition::Ready, "ready".to_owned()),
                    None if self.is_stopped() => (Condition::ClockStopped, "clock stopped".to_owned()),
                    None => (Condition::Playing, "playing".to_owned()),
                };
                let doubt = game.recogniser.doubt().filter(|_| self.linked);
                Status {
                    condition,
                    state,
                    misses_clock: self.misses_clock(),
                    game: game.number(),
                    plies: game.recogniser.plies(),
                    last: game.last().map(str::to_owned),
                    clocks,
                    provisional: self.listeners.provisional().to_vec(),
                    doubt: doubt.map(|doubt| account::doubt(&doubt, self.settings.variant)),
                    ..Status::default()
                }
            }
            Stage::Waiting | Stage::Over => {
                let over = matches!(self.stage, Stage::Over);
                let (condition, state) = match (self.linked, over) {
                    (false, _) => (Condition::NoConnection, "no connection"),
                    (true, true) => (Condition::Over, "over"),
                    (true, false) => (Condition::Waiting, "waiting for the start position"),
                };
                let game = over.then_some(self.games);
                let wrong_start = self.wrong_start();
                Status { condition, state: state.to_owned(), wrong_start, game, clocks, ..Status::default() }
            }
        }
    }

    /// What is wrong with a board that is nearly set up, if the operator was told and it still stands so.
    fn wrong_start(&self) -> Option<String> {
        let told = self.told.filter(|told| !told.is_empty() && self.linked)?;
        let (wrong, words) = self.wrong_for_start();
        (wrong == told).then_some(words)
    }

    /// A game is going on, and its clock is not heard of though there is one.
    fn misses_clock(&self) -> bool {
        let is_expected = || self.settings.tags.iter().any(|(tag, _)| tag.starts_with("TimeControl"));
        self.linked && self.has_open_game() && self.clock_state == Clock::None && (self.had_clock || is_expected())
    }

    /// What the operator is to know about draws and the like.
    pub(super) fn news(&mut self) -> Vec<Effect> {
        match &mut self.stage {
            Stage::Playing(game) => game.news(),
            Stage::Waiting | Stage::Over => Vec::new(),
        }
    }

    /// When the operator is told that nothing explains the board, or that moves are made with the clock stopped.
    pub(super) fn doubts_at(&self) -> Option<Millis> {
        let Stage::Playing(game) = &self.stage else { return None };
        if self.told_doubt || !self.linked || game.recogniser.is_settled() {
            return None;
        }
        let since = match game.recogniser.doubt() {
            Some(doubt) => doubt.quiet_since,
            None if self.is_stopped() => self.last_change,
            None => return None,
        };
        Some(since + DOUBT)
    }

    pub(super) fn tell_doubt(&mut self, now: Millis) -> Vec<Effect> {
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        if game.recogniser.is_settled() {
            self.told_doubt = false;
        }
        if self.doubts_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let notice = match game.recogniser.doubt() {
            Some(doubt) if !self.is_stopped() => {
                let doubt = account::doubt(&doubt, self.settings.variant);
                let (squares, readings) = (doubt.squares.join(", "), doubt.readings.join("; or "));
                format!("no legal move explains the board; it differs on {squares}; closest: {readings}")
            }
            _ => "pieces are moved while the clock stands; nothing is recorded until it runs".to_owned(),
        };
        self.told_doubt = true;
        vec![Effect::Notice(notice)]
    }

    pub(super) fn tell_result_pieces(&mut self, now: Millis) -> Option<Effect> {
        let lying = self.sensors.result_pieces();
        self.result_pieces.tells_at(lying, self.last_change).filter(|&at| at <= now)?;
        let (format, is_playing) = (self.settings.variant.result_format, self.has_open_game());
        self.result_pieces.tell(lying.to_vec(), format, is_playing).map(Effect::Notice)
    }

    fn names(&self, squares: SquareSet) -> String {
        let geometry = &self.settings.variant.geometry;
        account::names(geometry, squares).join(", ")
    }
}
