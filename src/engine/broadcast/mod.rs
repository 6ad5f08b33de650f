//! What a round shows to the world: from the records of its games to the files that broadcasters read.
//!
//! ```text
//!                                  ┌─ snapshot ──▸ games.pdn, started.pdn      replaced as a whole
//!   entries of a game, with times  │
//!   ───────────▸ record ──▸ delay ─┼─ events ────▸ events.ndjson               grows
//!                                  │
//!                                  └─ archive ───▸ archive/NAME-G.pdn          once, when the game is over
//! ```
//!
//! The record of a game is what its live file holds; everything here is made from that and the times at which it was
//! written, and from nothing else. So all files of a round can be made anew from its logs, and are the same then.
//!
//! Invariants: what a view shows at a moment is a function of the record and that moment ([`delay`]); boards stand in the
//! order of the configuration, always; no name of a file comes from a player's name. Absent on purpose: files, clocks, and
//! any judgement of moves: what is not in the record is not shown.

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

use crate::engine::game_tags;
use draughts::Variant;
use draughts_pdn::game::Tags;

/// A moment on the wall, as logs and events have it.
pub type WallTime = DateTime<FixedOffset>;

/// One board of a round, and its games.
#[derive(Clone, Debug)]
pub struct Board {
    /// Its name: the line's, or the line's with the address on a bus. It is the beginning of the names of its files.
    pub name: String,
    /// The game that is played.
    pub variant: &'static Variant,
    /// Its current tags; the date and the start of a game are the game's own.
    pub tags: Vec<(String, String)>,
    /// Its games, in order.
    pub games: Vec<GameRecord>,
    /// How many of its games belong to earlier rounds: they are told and kept, but not shown any more.
    pub hidden_games: u32,
}

impl Board {
    /// A board on which nothing has been played.
    pub fn new(name: impl Into<String>, variant: &'static Variant, tags: Vec<(String, String)>) -> Board {
        Board { name: name.into(), variant, tags, games: Vec::new(), hidden_games: 0 }
    }

    /// Takes what happened to the record of its games.
    pub fn apply(&mut self, at: WallTime, change: GameChange) {
        match change {
            GameChange::Opened(opening) => self.push(GameRecord::new(opening, at)),
            change => {
                let is_aside = matches!(change, GameChange::LiveUpdate(_));
                // What is told before a game has begun, or after it, is told of no game.
                let is_accepted = |game: &&mut GameRecord| !is_aside || game.closed_at().is_none();
                if let Some(game) = self.games.last_mut().filter(is_accepted) {
                    game.apply(at, change);
                }
            }
        }
    }

    /// One more of its games, which may go on from one that was ended by mistake.
    pub fn push(&mut self, mut game: GameRecord) {
        let earlier = |known: &&GameRecord| game.header.continued_game == Some(known.number());
        if let Some(earlier) = self.games.iter().rfind(earlier) {
            game.continue_from(earlier);
        }
        self.games.push(game);
    }

    /// The games, of which the last is this one, that were ended by mistake and went on; it alone, if there is no other.
    pub fn game_parts<'b>(&'b self, game: &'b GameRecord) -> Vec<&'b GameRecord> {
        let before = |game: &&'b GameRecord| {
            let number = game.header.continued_game?;
            self.games.iter().rfind(|known| known.number() == number)
        };
        let mut parts: Vec<&GameRecord> = std::iter::successors(Some(game), before).collect();
        parts.reverse();
        parts
    }

    /// The game that goes on from one that was ended by mistake.
    pub fn next_part(&self, game: &GameRecord) -> Option<&GameRecord> {
        self.games.iter().find(|later| later.header.continued_game == Some(game.number()))
    }

    /// The tags of one of its games, in the standard's order, without its result. A game keeps those with which it began.
    pub fn tags_of(&self, game: Option<&GameRecord>) -> Tags {
        let Some(game) = game else { return game_tags::ordered_tags(self.variant, &self.tags).into_iter().collect() };
        let mut tags: Tags = game.header.tags.iter().cloned().collect();
        match game.first_header().tag("FEN") {
            Some(fen) => tags.set("FEN", fen),
            None => tags.remove("FEN"),
        };
        tags
    }

    /// The game that is shown at a moment, and as much of it as may be seen: the last one of which something may be seen.
    pub fn visible_game(&self, delay: Delay, now: WallTime) -> Option<(&GameRecord, VisibleGame<'_>)> {
        let of_the_round = self.games.iter().rev().filter(|game| game.number() > self.hidden_games);
        let views = of_the_round.map(|game| (game, delay.view(game, now)));
        let mut views = views.filter(|(_, view)| !view.entries.is_empty());
        views.next()
    }
}
