//! Replays logs into the core and builds the resulting live files in memory.
//!
//! Playback does the work of the station without a port or a disk. `damcast replay`, `damcast line` and the start of a
//! station after a crash all use it, so they produce identical games.
//!
//! `chain.rs` plays the logs of a line in sequence; `game.rs` holds the results. [`Input::from_record`] interprets
//! records, [`LineSettings::from_header`] interprets headers.
//!
//! Invariants: equal logs give equal bytes; an unclosed log ends with its link down at its last record; times of a
//! chain never decrease; logs are read one record at a time, so memory holds the games but not the log. Out of scope:
//! files, clocks, and any evaluation of the recording.

mod chain;
mod game;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

pub use chain::{
    LogChain, MIN_LOG_GAP, PlaybackResult, TimeJump, calendar, continue_line, play, play_each_game, play_with_notices,
    shift, split_chains,
};
pub use game::{PlayedGame, PublishedEvent};

use crate::calendar::Calendar;
use crate::livefile::LiveFileContents;
use crate::millis::Millis;
use crate::session::{BusAddress, Effect, HeaderSettingsError, Input, Line, LineSettings, Output};
use game::PublicationTimes;

/// Reason why logs cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// Header with impossible settings.
    #[error(transparent)]
    Header(#[from] HeaderSettingsError),
    /// Implausible time.
    #[error("{name}: {0}", name = .1)]
    TimeJump(TimeJump, String),
    /// Log that cannot be read to its end.
    #[error("{name}: {error}")]
    Unreadable {
        /// Name of the log.
        name: String,
        /// Kind of I/O error.
        kind: io::ErrorKind,
        /// Description of the error.
        error: String,
    },
    /// Log without an opening time among several logs.
    #[error("{0}: a log without \"# opened:\" cannot be put in order with others; replay it alone")]
    MissingOpenTime(String),
    /// Logs of different lines.
    #[error("{first} is of line {first_line:?} but {other} of line {other_line:?}; replay one line at a time")]
    DifferentLines {
        /// Name of the first log.
        first: String,
        /// Line of the first log.
        first_line: String,
        /// Name of the other log.
        other: String,
        /// Line of the other log.
        other_line: String,
    },
}

/// Line during playback, with the files it produces.
pub struct Playback {
    line: Line,
    /// Names that the settings use for the files of boards.
    names: BTreeMap<BusAddress, String>,
    /// Wall-clock times of the line, if the log has them.
    calendar: Option<Calendar>,
    /// Games in the order of their opening.
    pub games: Vec<PlayedGame>,
    /// Messages for the operator, with their times.
    pub notices: Vec<(Millis, String)>,
}

impl Playback {
    /// Creates a line that is not open yet.
    pub fn new(settings: LineSettings) -> Playback {
        let name = |(&address, board): (&BusAddress, &LineSettings)| Some((address, board.name.clone()?));
        let names = settings.boards.iter().filter_map(name).collect();
        let calendar = settings.opened.map(Calendar::new);
        Playback { line: Line::new(settings), names, calendar, games: Vec::new(), notices: Vec::new() }
    }

    /// Passes one input to the line and applies its effects to the files in memory.
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
                Effect::MovesInserted(moves) => {
                    if let Some(game) = self.last_game(board) {
                        game.insertions.push((at, *moves));
                    }
                }
                Effect::GameEnded { result, is_given } => {
                    if let Some(game) = self.last_game(board) {
                        game.is_result_given = is_given;
                        (game.file.is_ended, game.file.result, game.times.ended_at) = (true, result, at);
                    }
                }
                Effect::Notice(text) | Effect::Info(text) | Effect::Refused(text) | Effect::AlreadyDone(text) => {
                    self.notices.push((at, prefix_board(board, &text)))
                }
                Effect::LiveUpdate(update) => {
                    if let Some(game) = self.last_game(board).filter(|game| !game.file.is_ended) {
                        game.live_updates.push((at, update));
                    }
                }
                Effect::Send(_) | Effect::Note(_) | Effect::LookUpGame(_) | Effect::Reopen { .. } => {}
            }
        }
    }

    fn last_game(&mut self, board: Option<BusAddress>) -> Option<&mut PlayedGame> {
        self.games.iter_mut().rev().find(|game| game.board == board)
    }

    /// Removes and returns the games that cannot change, because their boards have started another.
    fn take_finished(&mut self) -> Vec<PlayedGame> {
        let games = std::mem::take(&mut self.games);
        let mut later = BTreeSet::new();
        let is_past: Vec<bool> = games.iter().rev().map(|game| !later.insert(game.board)).collect();
        let (past, last): (Vec<_>, Vec<_>) =
            games.into_iter().zip(is_past.into_iter().rev()).partition(|(_, is_past)| *is_past);
        self.games.extend(last.into_iter().map(|(game, _)| game));
        past.into_iter().map(|(game, _)| game).collect()
    }

    /// Returns the line in its current state.
    pub fn into_line(self) -> Line {
        self.line
    }
}

/// Prefixes a text with the board that it concerns, if any.
pub fn prefix_board(board: Option<BusAddress>, text: &str) -> String {
    board.map_or_else(|| text.to_owned(), |board| format!("board {board}: {text}"))
}
