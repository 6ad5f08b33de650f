//! Played games: the contents of their live files, and the publication time of each piece.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::calendar::Calendar;
use crate::inserted_moves::InsertedMoves;
use crate::livefile::{Entry, GameHeader, LiveFileContents};
use crate::millis::Millis;
use crate::session::{BusAddress, LiveUpdate};

/// Game with the contents of its live file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// Board on the bus; `None` for a single board.
    pub board: Option<BusAddress>,
    /// Name that the settings use for the board's files.
    pub name: Option<String>,
    /// Contents of the live file.
    pub file: LiveFileContents,
    /// Whether the operator entered the result and the board has not shown it.
    pub is_result_given: bool,
    /// Index of the chain of logs that has the game, among those played.
    pub chain: usize,
    /// Whether the logs lost a part of the game, so that nothing more of it is published.
    pub is_standing: bool,
    /// Moves added in place of setups, with their times; not part of the file.
    pub(super) insertions: Vec<(Millis, InsertedMoves)>,
    /// Live updates with their times; not part of the file.
    pub(super) live_updates: Vec<(Millis, LiveUpdate)>,
    pub(super) times: PublicationTimes,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct PublicationTimes {
    /// Calendar of these times; `None` if the logs have no opening time.
    pub(super) calendar: Option<Arc<Calendar>>,
    pub(super) opened_at: Millis,
    /// Times of the entries, in their order.
    pub(super) entry_times: Vec<Millis>,
    pub(super) ended_at: Millis,
}

/// Published piece of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PublishedEvent<'game> {
    /// Opening of the file.
    GameOpened(&'game GameHeader),
    /// Ply or setup.
    Entry(&'game Entry),
    /// End of the game, with its result.
    GameEnded(Option<&'game str>),
    /// Moves added in place of setups; not part of the file.
    MovesInserted(&'game InsertedMoves),
    /// Live update; not part of the file.
    LiveUpdate(&'game LiveUpdate),
}

impl PlayedGame {
    /// Creates a game with this file and no times.
    pub fn new(file: LiveFileContents) -> PlayedGame {
        PlayedGame {
            board: None,
            name: None,
            file,
            is_result_given: false,
            chain: 0,
            is_standing: false,
            insertions: Vec::new(),
            live_updates: Vec::new(),
            times: PublicationTimes::default(),
        }
    }

    /// Returns the game number, counted per board from 1.
    pub fn number(&self) -> u32 {
        self.file.header.game
    }

    /// Returns the game with the content of its live file, which the logs lack or contradict. Entries that the logs have too keep their
    /// times; the others were written by `written`. The game stands still.
    #[must_use]
    pub fn as_published(&self, file: LiveFileContents, written: DateTime<FixedOffset>) -> PlayedGame {
        let mut game = self.clone();
        let GameHeader { pairing_id, continued_game, is_entered, .. } = self.file.header.clone();
        let header = GameHeader { pairing_id, continued_game, is_entered, ..file.header };
        game.file = LiveFileContents { header, ..file };
        let known = self.file.entries.iter().zip(&game.file.entries).take_while(|(one, other)| one == other).count();
        game.times.entry_times.truncate(known);
        let last = game.times.entry_times.last().copied().unwrap_or(game.times.opened_at);
        let epoch = self.times.calendar.as_ref().map_or(written, |calendar| calendar.epoch());
        let at = Millis(u64::try_from((written - epoch).num_milliseconds()).unwrap_or(0)).max(last);
        game.times.entry_times.resize(game.file.entries.len(), at);
        if !self.file.is_ended || known < game.file.entries.len() {
            game.times.ended_at = at;
        }
        game.times.ended_at = game.times.ended_at.max(at.min(game.times.entry_times.last().copied().unwrap_or(at)));
        game.live_updates.clear();
        game.insertions.retain(|(_, moves)| moves.recorded as usize <= known);
        game.is_standing = true;
        game
    }

    /// Returns a game that the logs lack, with the content of its live file, written by `written`. It stands still.
    pub fn published(board: Option<BusAddress>, file: LiveFileContents, written: DateTime<FixedOffset>) -> PlayedGame {
        let calendar = Some(Arc::new(Calendar::new(written)));
        let entry_times = vec![Millis::ZERO; file.entries.len()];
        let times = PublicationTimes { calendar, entry_times, ..PublicationTimes::default() };
        PlayedGame { board, times, is_standing: true, ..PlayedGame::new(file) }
    }

    /// Returns the published pieces of the file with their times, in order, with inserted moves before the end, followed by the
    /// live updates.
    /// Empty if the logs have no opening time.
    pub fn published_events(&self) -> Vec<(DateTime<FixedOffset>, PublishedEvent<'_>)> {
        let Some(calendar) = &self.times.calendar else { return Vec::new() };
        let LiveFileContents { header: opening, entries, is_ended, result } = &self.file;
        let opened = [(self.times.opened_at, PublishedEvent::GameOpened(opening))];
        let entries = self.times.entry_times.iter().zip(entries).map(|(at, entry)| (*at, PublishedEvent::Entry(entry)));
        let inserted = self.insertions.iter().map(|(at, moves)| (*at, PublishedEvent::MovesInserted(moves)));
        let ended = is_ended.then(|| (self.times.ended_at, PublishedEvent::GameEnded(result.as_deref())));
        let asides = self.live_updates.iter().map(|(at, update)| (*at, PublishedEvent::LiveUpdate(update)));
        let all = opened.into_iter().chain(entries).chain(inserted).chain(ended).chain(asides);
        all.map(|(at, published)| (calendar.moment(at), published)).collect()
    }
}
