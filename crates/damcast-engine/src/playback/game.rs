//! Played games: the contents of their live files, and the publication time of each piece.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::calendar::Calendar;
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
            live_updates: Vec::new(),
            times: PublicationTimes::default(),
        }
    }

    /// Returns the game number, counted per board from 1.
    pub fn number(&self) -> u32 {
        self.file.header.game
    }

    /// Returns the published pieces of the file with their times, in order, followed by the live updates in order.
    /// Empty if the logs have no opening time.
    pub fn published_events(&self) -> Vec<(DateTime<FixedOffset>, PublishedEvent<'_>)> {
        let Some(calendar) = &self.times.calendar else { return Vec::new() };
        let LiveFileContents { header: opening, entries, is_ended, result } = &self.file;
        let opened = [(self.times.opened_at, PublishedEvent::GameOpened(opening))];
        let entries = self.times.entry_times.iter().zip(entries).map(|(at, entry)| (*at, PublishedEvent::Entry(entry)));
        let ended = is_ended.then(|| (self.times.ended_at, PublishedEvent::GameEnded(result.as_deref())));
        let asides = self.live_updates.iter().map(|(at, update)| (*at, PublishedEvent::LiveUpdate(update)));
        let all = opened.into_iter().chain(entries).chain(ended).chain(asides);
        all.map(|(at, published)| (calendar.moment(at), published)).collect()
    }
}
