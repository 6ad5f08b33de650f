//! The recorder of one line: bytes and times in, lines of PDN and bytes for the board out.
//!
//! ```text
//!            Input                                          Output
//!   bytes, link up/down ─▸┌──────────────────────────────┐─▸ bytes for the board
//!   operator's request  ─▸│ Line                         │─▸ a game opens; a line of its file; its result
//!                         │  framer ▸ sensors, lever     │─▸ a notice for the operator
//!   time ────────────────▸│        ▸ table ▸ recogniser  │
//!                         └──────────────────────────────┘─▸ deadline: call me again then
//! ```
//!
//! # Invariants
//!
//! - [`Line::handle`] first lives through every deadline that has passed, each at its own time, and only then takes the
//!   input. What comes out depends on the inputs and their times alone, never on how often or how late it was called, nor
//!   on how the bytes were cut into reads. That is why a log replays to the same file, byte for byte.
//! - Nothing from outside is an error here: it becomes noise, an unknown, or a notice.
//! - No clock, no file, no port, no randomness.

mod settings;

pub use settings::{CodeMap, LineSettings, OrientationSetting, SettingError};

use crate::millis::Millis;

/// What can happen to a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// The port is open.
    LinkUp,
    /// The port is gone, or the station stops, or a log ends.
    LinkDown,
    /// Bytes from the board, as one read returned them.
    Bytes(Vec<u8>),
    /// An operator's request, as on the command line: `result 2-0`, `start`, `start W:W31:B1`.
    Operator(String),
    /// Nothing but time.
    Tick,
}

/// What a line wants done, in order, each with the time it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// When.
    pub at: Millis,
    /// What.
    pub effect: Effect,
}

/// What a line wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Send these bytes to the board.
    Send(Vec<u8>),
    /// A game has its first move: its file begins. Games of a line count from 1.
    Open {
        /// The number of the game on this line.
        game: u32,
    },
    /// Append one line, given without its LF, to the file of the game opened last.
    Append(String),
    /// Overwrite the value of the Result tag of the game opened last, at equal length
    /// ([`crate::pdn::live::overwrite_result`]).
    Result(String),
    /// Tell the operator.
    Notice(String),
    /// Keep this in the log: why something was published.
    Note(String),
}

/// One line: a board on a wire, and the game on it.
pub struct Line {
    settings: LineSettings,
    now: Millis,
}

impl Line {
    /// A line that has not been opened yet.
    pub fn new(settings: LineSettings) -> Line {
        Line { settings, now: Millis::ZERO }
    }

    /// Takes an input that happened at `now`. Times never decrease; an earlier one counts as the latest.
    pub fn handle(&mut self, now: Millis, _input: Input) -> Vec<Output> {
        self.now = self.now.max(now);
        let _ = &self.settings;
        Vec::new()
    }

    /// When this line wants to be called again even if nothing happens.
    pub fn deadline(&self) -> Option<Millis> {
        None
    }

    /// Is a game going on whose file is not complete?
    pub fn has_open_game(&self) -> bool {
        false
    }

    /// How many games have been opened so far.
    pub fn games_opened(&self) -> u32 {
        0
    }

    /// The state of the line for people: one row of a table.
    pub fn status(&self) -> Status {
        Status::default()
    }
}

/// The state of a line for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// In words: `waiting for the start position (missing 31, 32)`, `playing`, `unexplained since 12 s`, `ended`.
    pub state: String,
    /// The number of the game that is going on or was the last.
    pub game: Option<u32>,
    /// Plies of that game, hidden ones included.
    pub plies: u32,
    /// The last line of movetext, without its clock comment.
    pub last: Option<String>,
    /// White's and Black's remaining time in seconds, where known.
    pub clocks: Option<[u32; 2]>,
}
