//! The public form of a round: from the records of its games to the files that broadcasters read.
//!
//! ```text
//!                                  ┌─ snapshot ──▸ games.pdn, started.pdn      replaced as a whole
//!   entries of a game, with times  │
//!   ───────────▸ record ──▸ delay ─┼─ events ────▸ events.ndjson               grows
//!                                  │
//!                                  └─ archive ───▸ archive/NAME-G.pdn          once, when the game is over
//! ```
//!
//! The record of a game has the content of its live file; everything here depends on that and on the times of writing only. So all files of
//! a round can be made again from its logs, with identical bytes.
//!
//! Invariants: a view is a function of the record and a moment ([`delay`]); boards are always in the order of the configuration; no name of
//! a file comes from a player's name. Absent on purpose: files, clocks, and any judgement of moves: only the record is shown.

pub mod archive;
pub mod delay;
pub mod documents;
pub mod events;
mod hidden_names;
mod json;
pub mod record;
pub mod snapshot;
pub mod tournament_history;

pub use delay::{Delay, VisibleGame};
pub use hidden_names::HiddenNames;
pub use record::{Correction, GameChange, GameRecord, LiveUpdateContent, LiveUpdateLog, RecordedEntry, RecordedUpdate};
pub use tournament_history::{TournamentEvents, TournamentHistory};

use chrono::{DateTime, FixedOffset};
use draughts::Variant;
use draughts_pdn::game::Tags;

use crate::game_tags;

/// A time of day with its offset, as in logs and events.
pub type WallTime = DateTime<FixedOffset>;

/// One board of a round, and its games.
#[derive(Clone, Debug)]
pub struct Board {
    /// Name of the board, the stem of its files' names: the line's name, on a bus followed by the address.
    pub name: String,
    /// Variant of draughts that is played.
    pub variant: &'static Variant,
    /// Current tags; the date and the start of a game are the game's own.
    pub tags: Vec<(String, String)>,
    /// Games of the board, in order.
    pub games: Vec<GameRecord>,
    /// Number of games that belong to earlier rounds: they stay in the record but are not visible.
    pub hidden_games: u32,
}

impl Board {
    /// Creates a board without games.
    pub fn new(name: impl Into<String>, variant: &'static Variant, tags: Vec<(String, String)>) -> Board {
        Board { name: name.into(), variant, tags, games: Vec::new(), hidden_games: 0 }
    }

    /// Applies a change to the games of the board.
    pub fn apply(&mut self, at: WallTime, change: GameChange) {
        match change {
            GameChange::Opened(opening) => self.push(GameRecord::new(opening, at)),
            change => {
                let is_aside = matches!(change, GameChange::LiveUpdate(_));
                // A live update outside a running game belongs to no game.
                let is_accepted = |game: &&mut GameRecord| !is_aside || game.closed_at().is_none();
                if let Some(game) = self.games.last_mut().filter(is_accepted) {
                    game.apply(at, change);
                }
            }
        }
    }

    /// Adds a game, which may continue one that was ended by mistake.
    pub fn push(&mut self, mut game: GameRecord) {
        let earlier = |known: &&GameRecord| game.header.continued_game == Some(known.number());
        if let Some(earlier) = self.games.iter().rfind(earlier) {
            game.continue_from(earlier);
        }
        self.games.push(game);
    }

    /// Returns the parts of a game that was ended by mistake and continued, with `game` as the last part; `game` alone if there is no other
    /// part.
    pub fn game_parts<'b>(&'b self, game: &'b GameRecord) -> Vec<&'b GameRecord> {
        let before = |game: &&'b GameRecord| {
            let number = game.header.continued_game?;
            self.games.iter().rfind(|known| known.number() == number)
        };
        let mut parts: Vec<&GameRecord> = std::iter::successors(Some(game), before).collect();
        parts.reverse();
        parts
    }

    /// Returns the game that continues one that was ended by mistake.
    pub fn next_part(&self, game: &GameRecord) -> Option<&GameRecord> {
        self.games.iter().find(|later| later.header.continued_game == Some(game.number()))
    }

    /// Returns the tags of a game, in the standard's order, without its result. A game keeps the tags it began with.
    pub fn tags_of(&self, game: Option<&GameRecord>) -> Tags {
        let Some(game) = game else { return game_tags::ordered_tags(self.variant, &self.tags).into_iter().collect() };
        let mut tags: Tags = game.header.tags.iter().cloned().collect();
        match game.first_header().tag("FEN") {
            Some(fen) => tags.set("FEN", fen),
            None => tags.remove("FEN"),
        };
        tags
    }

    /// Returns the visible game at a moment with its visible part: the last game with a visible part.
    pub fn visible_game(&self, delay: Delay, now: WallTime) -> Option<(&GameRecord, VisibleGame<'_>)> {
        let of_the_round = self.games.iter().rev().filter(|game| game.number() > self.hidden_games);
        let views = of_the_round.map(|game| (game, delay.view(game, now)));
        let mut views = views.filter(|(_, view)| !view.entries.is_empty());
        views.next()
    }
}
