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
pub mod events;
mod hidden_names;
mod insertions;
pub mod record;
pub mod shelf;
pub mod snapshot;
pub mod tournament_history;

pub use delay::{Delay, VisibleGame};
pub use hidden_names::HiddenNames;
pub use record::{
    Correction, GameChange, GameRecord, Insertion, LiveUpdateContent, LiveUpdateLog, RecordedEntry, RecordedUpdate,
};
pub use shelf::{Shelf, ShelfPlace, StoredGame, VisibleExtent};
pub use tournament_history::{TournamentEvents, TournamentHistory};

use std::io;
use std::sync::Arc;

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
    pub games: Vec<StoredGame>,
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
            // The logs lost a game that was published under this number.
            GameChange::Opened(opening) if self.stands_at(opening.game) => {}
            GameChange::Opened(opening) => self.push(GameRecord::new(opening, at)),
            change => {
                let is_aside = matches!(change, GameChange::LiveUpdate(_));
                // A live update outside a running game belongs to no game.
                let is_accepted = |game: &&mut StoredGame| !is_aside || game.closed_at().is_none();
                if let Some(game) = self.games.last_mut().filter(is_accepted) {
                    game.apply(at, change);
                }
            }
        }
    }

    /// Whether a game that stands still has this number or a later one.
    fn stands_at(&self, number: u32) -> bool {
        self.games.last().is_some_and(|last| last.is_standing() && last.number() >= number)
    }

    /// Adds a game, which may continue one that was ended by mistake.
    pub fn push(&mut self, game: impl Into<StoredGame>) {
        let mut game = game.into();
        let earlier = |known: &&StoredGame| game.continued_game() == Some(known.number());
        // A game that is continued is in memory, so loading cannot fail.
        if let Some(earlier) = self.games.iter().rfind(earlier).and_then(|earlier| earlier.load().ok()) {
            game.continue_from(&earlier);
        }
        self.games.push(game);
    }

    /// Writes finished games to a shelf, except the last one: readers see it until the next game has a move.
    pub fn shelve(&mut self, shelf: &Arc<dyn Shelf>) {
        let continued: Vec<u32> = self.games.iter().filter_map(StoredGame::continued_game).collect();
        let before_last = self.games.len().saturating_sub(1);
        let is_alone = |game: &&mut StoredGame| !continued.contains(&game.number());
        self.games[..before_last].iter_mut().filter(is_alone).for_each(|game| game.shelve(shelf));
    }

    /// Returns the parts of a game that was ended by mistake and continued, with `game` as the last part; `game` alone if there is no other
    /// part.
    pub fn game_parts<'b>(&'b self, game: &'b StoredGame) -> Vec<&'b StoredGame> {
        let before = |game: &&'b StoredGame| {
            let number = game.continued_game()?;
            self.games.iter().rfind(|known| known.number() == number)
        };
        let mut parts: Vec<&StoredGame> = std::iter::successors(Some(game), before).collect();
        parts.reverse();
        parts
    }

    /// Returns the game that continues one that was ended by mistake.
    pub fn next_part(&self, game: &StoredGame) -> Option<&StoredGame> {
        self.games.iter().find(|later| later.continued_game() == Some(game.number()))
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
    ///
    /// # Errors
    ///
    /// Returns errors as [`StoredGame::load`] does.
    pub fn visible_game(&self, delay: Delay, now: WallTime) -> io::Result<Option<PartlyVisibleGame<'_>>> {
        self.last_visible_game(delay, now, |_| true)
    }

    /// Returns the last of some games with a visible part at a moment, with that part.
    ///
    /// # Errors
    ///
    /// Returns errors as [`StoredGame::load`] does.
    pub fn last_visible_game(
        &self,
        delay: Delay,
        now: WallTime,
        is_candidate: impl Fn(&StoredGame) -> bool,
    ) -> io::Result<Option<PartlyVisibleGame<'_>>> {
        let shown = self.games.iter().rev().filter(|game| game.number() > self.hidden_games);
        for game in shown.filter(|game| is_candidate(game)) {
            let extent = game.visible_extent(delay, now)?;
            if extent.entries > 0 {
                return Ok(Some(PartlyVisibleGame { game, extent, delay, now }));
            }
        }
        Ok(None)
    }
}

/// A game with the extent of its visible part at a moment.
#[derive(Clone, Copy, Debug)]
pub struct PartlyVisibleGame<'b> {
    /// The game.
    pub game: &'b StoredGame,
    /// Extent of the visible part.
    pub extent: VisibleExtent,
    /// Delay of the readers.
    pub delay: Delay,
    /// The moment.
    pub now: WallTime,
}
