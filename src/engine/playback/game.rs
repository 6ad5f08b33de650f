//! Games as they were played: what their live files hold, and when each piece was published.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::engine::calendar::Calendar;
use crate::engine::livefile::{Entry, GameHeader, LiveFileContents};
use crate::engine::millis::Millis;
use crate::engine::session::{BusAddress, LiveUpdate};

/// A game, and what its live file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// On which board of a bus; `None` where one board has the line for itself.
    pub board: Option<BusAddress>,
    /// What the settings of its board call its files, if anything.
    pub name: Option<String>,
    /// What its live file holds.
    pub file: LiveFileContents,
    /// The operator gave its result; the board has not shown it.
    pub is_result_given: bool,
    /// What was told beside its file, each with its time.
    pub(super) live_updates: Vec<(Millis, LiveUpdate)>,
    pub(super) times: PublicationTimes,
}

/// When a game was published, piece by piece.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct PublicationTimes {
    /// Which moments the others are; `None` for logs that do not say when they were opened.
    pub(super) calendar: Option<Arc<Calendar>>,
    pub(super) opened_at: Millis,
    /// Of each entry.
    pub(super) entry_times: Vec<Millis>,
    pub(super) ended_at: Millis,
}

/// A piece of a game that was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PublishedEvent<'game> {
    /// Its file was begun.
    GameOpened(&'game GameHeader),
    /// A ply or a setup.
    Entry(&'game Entry),
    /// It was over, with this result.
    GameEnded(Option<&'game str>),
    /// This was told beside its file.
    LiveUpdate(&'game LiveUpdate),
}

impl PlayedGame {
    /// A game with this file.
    pub fn new(file: LiveFileContents) -> PlayedGame {
        PlayedGame {
            board: None,
            name: None,
            file,
            is_result_given: false,
            live_updates: Vec::new(),
            times: PublicationTimes::default(),
        }
    }

    /// Its number on its board, from 1.
    pub fn number(&self) -> u32 {
        self.file.header.game
    }

    /// What was published of it and when, in order; behind that what was told beside it, in order. Empty when the logs do not
    /// say when that was.
    pub fn published_events(&self) -> Vec<(DateTime<FixedOffset>, PublishedEvent<'_>)> {
        let Some(calendar) = &self.times.calendar else { return Vec::new() };
        let LiveFileContents { header: opening, entries, is_ended, result } = &self.file;
        let opened = [(self.times.opened_at, PublishedEvent::GameOpened(opening))];
        let entries = self.times.entry_times.iter().zip(entries).map(|(at, entry)| (*at, PublishedEvent::Entry(entry)));
        let ended = is_ended.then(|| (self.times.ended_at, PublishedEvent::GameEnded(result.as_deref())));
        let asides = self.live_updates.iter().map(|(at, aside)| (*at, PublishedEvent::LiveUpdate(aside)));
        let all = opened.into_iter().chain(entries).chain(ended).chain(asides);
        all.map(|(at, published)| (calendar.moment(at), published)).collect()
    }
}
