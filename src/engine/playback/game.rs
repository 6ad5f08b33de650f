//! Games as they were played: what their live files hold, and when each piece was published.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::engine::calendar::Calendar;
use crate::engine::livefile::{Contents, Entry, Opening};
use crate::engine::millis::Millis;
use crate::engine::session::{Aside, BusAddress};

/// A game, and what its live file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// On which board of a bus; `None` where one board has the line for itself.
    pub board: Option<BusAddress>,
    /// What the settings of its board call its files, if anything.
    pub name: Option<String>,
    /// What its live file holds.
    pub file: Contents,
    /// The operator gave its result; the board has not shown it.
    pub is_result_given: bool,
    /// What was told beside its file, each with its time.
    pub(super) asides: Vec<(Millis, Aside)>,
    pub(super) times: Times,
}

/// When a game was published, piece by piece.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Times {
    /// Which moments the others are; `None` for logs that do not say when they were opened.
    pub(super) calendar: Option<Arc<Calendar>>,
    pub(super) opened: Millis,
    /// Of each entry.
    pub(super) entries: Vec<Millis>,
    pub(super) ended: Millis,
}

/// A piece of a game that was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PublishedPart<'game> {
    /// Its file was begun.
    Opened(&'game Opening),
    /// A ply or a setup.
    Entry(&'game Entry),
    /// It was over, with this result.
    Ended(Option<&'game str>),
    /// This was told beside its file.
    Aside(&'game Aside),
}

impl PlayedGame {
    /// A game with this file.
    pub fn new(file: Contents) -> PlayedGame {
        PlayedGame {
            board: None,
            name: None,
            file,
            is_result_given: false,
            asides: Vec::new(),
            times: Times::default(),
        }
    }

    /// Its number on its board, from 1.
    pub fn number(&self) -> u32 {
        self.file.opening.game
    }

    /// What was published of it and when, in order; behind that what was told beside it, in order. Empty when the logs do not
    /// say when that was.
    pub fn history(&self) -> Vec<(DateTime<FixedOffset>, PublishedPart<'_>)> {
        let Some(calendar) = &self.times.calendar else { return Vec::new() };
        let Contents { opening, entries, is_ended, result } = &self.file;
        let opened = [(self.times.opened, PublishedPart::Opened(opening))];
        let entries = self.times.entries.iter().zip(entries).map(|(at, entry)| (*at, PublishedPart::Entry(entry)));
        let ended = is_ended.then(|| (self.times.ended, PublishedPart::Ended(result.as_deref())));
        let asides = self.asides.iter().map(|(at, aside)| (*at, PublishedPart::Aside(aside)));
        let all = opened.into_iter().chain(entries).chain(ended).chain(asides);
        all.map(|(at, published)| (calendar.moment(at), published)).collect()
    }
}
