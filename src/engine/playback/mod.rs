//! Logs played into the core, and the live files they make, in memory.
//!
//! What the station does with a port and a disk, this does with neither; `damcast replay`, `damcast line` and the start
//! of a station after a crash all go through it, so none of them can see another game than the others.
//!
//! `chain.rs` plays the logs of a line one after the other, `game.rs` is what comes out. What a record means to a line says
//! [`Input::from_record`], what a head means says [`LineSettings::from_header`].
//!
//! Invariants: the same logs give the same bytes; a log that was not closed ends with its link down at its last record;
//! times of a chain never decrease; a log is read one record at a time, so that what is in memory is what the games need and not
//! the log. Absent on purpose: files, clocks, and any judgement of what was recorded.

mod chain;
mod game;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

pub use chain::{
    LogChain, MIN_LOG_GAP, PlaybackResult, TimeJump, calendar, continue_line, play, play_each_game, play_with_notices,
    shift,
};
pub use game::{PlayedGame, PublishedEvent};

use crate::engine::calendar::Calendar;
use crate::engine::livefile::LiveFileContents;
use crate::engine::millis::Millis;
use crate::engine::session::{BusAddress, Effect, HeaderSettingsError, Input, Line, LineSettings, Output};
use game::PublicationTimes;

/// Why logs cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// The head of a log asks for what cannot be done.
    #[error(transparent)]
    Header(#[from] HeaderSettingsError),
    /// A time that can hardly be right.
    #[error("{name}: {0}", name = .1)]
    TimeJump(TimeJump, String),
    /// A log cannot be read to its end.
    #[error("{name}: {error}")]
    Unreadable {
        /// The name of the log.
        name: String,
        /// What kind of fault it is.
        kind: io::ErrorKind,
        /// Why.
        error: String,
    },
    /// Several logs, and one that cannot be put in order.
    #[error("{0}: a log without \"# opened:\" cannot be put in order with others; replay it alone")]
    MissingOpenTime(String),
    /// Logs of different lines.
    #[error("{first} is of line {first_line:?} but {other} of line {other_line:?}; replay one line at a time")]
    DifferentLines {
        /// The name of a log.
        first: String,
        /// Its line.
        first_line: String,
        /// The name of another log.
        other: String,
        /// Its line.
        other_line: String,
    },
}

/// A line being played, and the files it has made.
pub struct Playback {
    line: Line,
    /// What the settings call the files of boards.
    names: BTreeMap<BusAddress, String>,
    /// Which moments its times are, as far as its log says it.
    calendar: Option<Calendar>,
    /// All games, in the order of their opening.
    pub games: Vec<PlayedGame>,
    /// What the operator was told, and when.
    pub notices: Vec<(Millis, String)>,
}

impl Playback {
    /// A line that has not been opened.
    pub fn new(settings: LineSettings) -> Playback {
        let name = |(&address, board): (&BusAddress, &LineSettings)| Some((address, board.name.clone()?));
        let names = settings.boards.iter().filter_map(name).collect();
        let calendar = settings.opened.map(Calendar::new);
        Playback { line: Line::new(settings), names, calendar, games: Vec::new(), notices: Vec::new() }
    }

    /// Hands one input to the line and does to the files in memory what the line wants done to those on disk.
    pub fn apply(&mut self, at: Millis, input: Input) {
        if let Input::ClockSet(shown) = input {
            self.calendar.get_or_insert_with(|| Calendar::new(shown)).set_clock(at, shown);
        }
        for Output { at, board, effect } in self.line.handle(at, input) {
            match effect {
                Effect::GameOpened(opening) => {
                    let name = board.and_then(|board| self.names.get(&board).cloned());
                    let times = PublicationTimes { opened_at: at, ..PublicationTimes::default() };
                    self.games.push(PlayedGame {
                        board,
                        name,
                        times,
                        ..PlayedGame::new(LiveFileContents::new(*opening))
                    });
                }
                Effect::Entry { entry, .. } => {
                    if let Some(game) = self.last_game(board) {
                        game.file.entries.push(*entry);
                        game.times.entry_times.push(at);
                    }
                }
                Effect::GameEnded { result, is_given } => {
                    if let Some(game) = self.last_game(board) {
                        game.is_result_given = is_given;
                        (game.file.is_ended, game.file.result, game.times.ended_at) = (true, result, at);
                    }
                }
                Effect::Notice(text) | Effect::Info(text) | Effect::Refused(text) => {
                    self.notices.push((at, prefix_board(board, &text)))
                }
                Effect::LiveUpdate(aside) => {
                    if let Some(game) = self.last_game(board).filter(|game| !game.file.is_ended) {
                        game.live_updates.push((at, aside));
                    }
                }
                Effect::Send(_) | Effect::Note(_) | Effect::LookUpGame(_) | Effect::Reopen { .. } => {}
            }
        }
    }

    fn last_game(&mut self, board: Option<BusAddress>) -> Option<&mut PlayedGame> {
        self.games.iter_mut().rev().find(|game| game.board == board)
    }

    /// Takes the games that nothing can happen to any more, because their boards have begun another.
    fn take_finished(&mut self) -> Vec<PlayedGame> {
        let games = std::mem::take(&mut self.games);
        let mut later = BTreeSet::new();
        let is_past: Vec<bool> = games.iter().rev().map(|game| !later.insert(game.board)).collect();
        let (past, last): (Vec<_>, Vec<_>) =
            games.into_iter().zip(is_past.into_iter().rev()).partition(|(_, is_past)| *is_past);
        self.games.extend(last.into_iter().map(|(game, _)| game));
        past.into_iter().map(|(game, _)| game).collect()
    }

    /// The line as it is now.
    pub fn into_line(self) -> Line {
        self.line
    }
}

/// A text about a board, or about the line as a whole.
pub fn prefix_board(board: Option<BusAddress>, text: &str) -> String {
    board.map_or_else(|| text.to_owned(), |board| format!("board {board}: {text}"))
}
