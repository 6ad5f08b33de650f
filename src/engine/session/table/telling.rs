//! What a table tells people: its state, what it doubts, what it expects to be played, pieces that mean a result.

use super::{Stage, Table};
use crate::engine::millis::Millis;
use crate::engine::recognition::Clock;
use crate::engine::roster;
use crate::engine::session::{Condition, Effect, Status, Waiting, account};
use draughts::SquareSet;

/// How long a board must have been quiet in doubt before the operator is told.
const DOUBT: Millis = Millis::seconds(5);

/// What the operator was told of a board that nothing explains. It begins anew when the board is explained.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum ToldDoubt {
    /// Nothing: a hand may be at work.
    #[default]
    Nothing,
    /// That pieces are moved while the clock stands.
    Moves,
    /// That no legal move explains the board.
    Doubt,
}

impl Table {
    /// What is going on. Here alone it is decided, for the status, the alarms, the messages and whoever listens. What nothing
    /// explains is a doubt only when it has lasted, and while the clock stands it is none: players show each other what
    /// they might have played.
    pub fn condition(&self) -> Condition {
        match &self.stage {
            _ if !self.linked => Condition::NoConnection,
            Stage::Waiting => Condition::Waiting,
            Stage::Over => Condition::Over,
            Stage::Playing(game) if self.is_stopped() => match game.number() {
                Some(_) => Condition::ClockStopped,
                None => Condition::Ready,
            },
            Stage::Playing(game) => match (game.recogniser.doubt(), game.number()) {
                (Some(_), _) if self.told_doubt != ToldDoubt::Nothing => Condition::Unexplained,
                (_, Some(_)) => Condition::Playing,
                (_, None) => Condition::Ready,
            },
        }
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let clocks = self.clock.last().and_then(|times| self.clock.seconds(times));
        let clocks = clocks.filter(|_| self.clock_state != Clock::None);
        let condition = self.condition();
        let state = condition.in_words().to_owned();
        match &self.stage {
            Stage::Playing(game) => {
                let doubt = game.recogniser.doubt().filter(|_| condition == Condition::Unexplained);
                let state = match doubt {
                    Some(doubt) if !doubt.squares.is_empty() => format!("{state}: {}", self.names(doubt.squares)),
                    _ => state,
                };
                Status {
                    condition,
                    state,
                    misses_clock: self.misses_clock(),
                    game: game.number(),
                    players: game.players().unwrap_or_else(|| self.players()),
                    plies: game.recogniser.plies(),
                    last: game.last().map(str::to_owned),
                    clocks,
                    provisional: self.listeners.provisional().to_vec(),
                    waits: game.recogniser.waits().map(|(until, wait)| Waiting {
                        wait,
                        since: game.recogniser.quiet_since(),
                        until,
                    }),
                    doubt: doubt.map(|doubt| account::doubt(&doubt, self.settings.variant)),
                    ..Status::default()
                }
            }
            Stage::Waiting | Stage::Over => {
                let game = matches!(self.stage, Stage::Over).then_some(self.games);
                let wrong_start = self.wrong_start();
                Status { condition, state, wrong_start, game, players: self.players(), clocks, ..Status::default() }
            }
        }
    }

    /// Who plays the next game, where that is known.
    fn players(&self) -> [Option<String>; 2] {
        roster::players(&self.settings.tags)
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
        if self.told_doubt != ToldDoubt::Nothing || !self.linked || game.recogniser.is_settled() {
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
            self.told_doubt = ToldDoubt::Nothing;
        }
        let due = self.doubts_at().is_some_and(|at| at <= now);
        if due {
            self.told_doubt = ToldDoubt::Moves;
        }
        let notice = match self.condition() {
            Condition::Unexplained if self.told_doubt < ToldDoubt::Doubt => {
                self.told_doubt = ToldDoubt::Doubt;
                let doubt = self.status().doubt;
                doubt.map(|doubt| account::in_words(&doubt.squares, &doubt.readings))
            }
            _ if due => Some("pieces are moved while the clock stands; nothing is recorded until it runs".to_owned()),
            _ => None,
        };
        notice.map(Effect::Notice).into_iter().collect()
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
