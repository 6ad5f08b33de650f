//! State of a line and its boards, for people and programs.

use std::sync::Arc;

use draughts::{Move, Placement, Setup, Variant};

use super::notes;
use super::request::{AddedMoves, BoardPairing};
use crate::millis::Millis;
use crate::recognition::{self, MissingMovesQuery};

/// Condition of a board for programs: one word of a fixed list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Condition {
    /// The port is closed.
    #[default]
    NoConnection,
    /// The port is open, but the board does not answer.
    NoAnswer,
    /// An unexpected board answers.
    OtherBoard,
    /// The line reads the moves that were played while the board was out of reach.
    CatchingUp,
    /// No game has begun, and the board does not show the start position.
    Waiting,
    /// The board shows the start position.
    Ready,
    /// A game is running.
    Playing,
    /// A game is running, and its clock is stopped.
    ClockStopped,
    /// A game is running or starting, its clock is not stopped, and no legal move has explained the board for some seconds.
    Unexplained,
    /// The game is over.
    Over,
}

impl Condition {
    /// All conditions, in the order in which they usually occur.
    pub const ALL: [Condition; 10] = [
        Condition::NoConnection,
        Condition::NoAnswer,
        Condition::OtherBoard,
        Condition::CatchingUp,
        Condition::Waiting,
        Condition::Ready,
        Condition::Playing,
        Condition::ClockStopped,
        Condition::Unexplained,
        Condition::Over,
    ];

    /// Returns the word for programs: lower-case letters and `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::NoConnection => "no-connection",
            Condition::NoAnswer => "no-answer",
            Condition::OtherBoard => "other-board",
            Condition::CatchingUp => "catching-up",
            Condition::Waiting => "waiting",
            Condition::Ready => "ready",
            Condition::Playing => "playing",
            Condition::ClockStopped => "clock-stopped",
            Condition::Unexplained => "unexplained",
            Condition::Over => "over",
        }
    }

    /// Returns the words for people.
    pub fn describe(self) -> &'static str {
        match self {
            Condition::NoConnection => "no connection",
            Condition::NoAnswer => "no answer",
            Condition::OtherBoard => "not the board expected",
            Condition::CatchingUp => "catching up",
            Condition::Waiting => "waiting for the start position",
            Condition::ClockStopped => "clock stopped",
            Condition::Ready | Condition::Playing | Condition::Unexplained | Condition::Over => self.as_str(),
        }
    }
}

/// Counts of unusable bytes since the line was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineErrors {
    /// Bytes that belong to no message.
    pub noise_bytes: u64,
    /// Bus answers with a wrong checksum.
    pub bad_checksums: u64,
}

/// State of a line or a board for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// Condition in one word.
    pub condition: Condition,
    /// Whether the operator holds publication.
    pub is_held: bool,
    /// Problem of a board that is almost set up for a game and has not changed for a while.
    pub start_problem: Option<String>,
    /// Whether a running game lacks clock times although a clock sent some earlier or the time control implies a clock.
    pub clock_missing: bool,
    /// Serial number of the board, if reported since the link came up.
    pub board: Option<String>,
    /// Whether the board is the expected one; `true` if no particular board is expected.
    pub is_admitted: bool,
    /// Description: `waiting for the start position (missing 31, 32)`, `playing`, `unexplained since 12 s`, `ended`.
    pub state: String,
    /// Number of the running or last game.
    pub game: Option<u32>,
    /// Whether that game has an incomplete file.
    pub has_open_game: bool,
    /// Pairing that the line received for games that begin later.
    pub pairing: Option<Arc<BoardPairing>>,
    /// Whether the clock reports a running time.
    pub is_clock_running: bool,
    /// Players of White and Black, if known: those in the file of that game, or of the next game.
    pub players: [Option<String>; 2],
    /// Plies of that game, including hidden ones.
    pub plies: u32,
    /// Last line of movetext, without its clock comment.
    pub last_line: Option<String>,
    /// Remaining times of White and Black in seconds, if known.
    pub clocks: Option<[u32; 2]>,
    /// Likely but not final moves, as in [`LiveUpdate::LikelyMoves`](super::LiveUpdate::LikelyMoves).
    pub likely_moves: Vec<String>,
    /// Next entry and the event it waits for; `None` if no entry is expected.
    pub pending_entry: Option<PendingEntry>,
    /// Result proposed by a sign on the board, for an operator to confirm.
    pub proposed_result: Option<String>,
    /// Details of an unexplained board; `Some` in the condition [`Condition::Unexplained`].
    pub unexplained: Option<UnexplainedStatus>,
    /// Contents of the squares; `None` if unknown.
    pub squares: Option<BoardSquares>,
    /// State of a game that people enter; `None` on a board that reports its moves itself, unless it was switched to entry.
    pub entry: Option<EntryStatus>,
    /// Places of the running game at which moves are missing: number of entries before each, as in
    /// [`AddedMoves::after`].
    pub missing_moves: Vec<u32>,
}

/// Place of a running game at which moves are missing.
#[derive(Clone, Debug)]
pub struct MissingMovesPlace {
    /// Number of the game.
    pub game: u32,
    /// Number of entries before the moves.
    pub after: u32,
    /// Search for the moves.
    pub query: MissingMovesQuery,
}

impl MissingMovesPlace {
    /// Returns legal sequences for the place, likeliest first, in the notation of the file. The search takes up to a second.
    pub fn offers(&self) -> Vec<String> {
        let none = || AddedMoves::NONE.to_owned();
        let text = |plies: &Vec<Move>| match plies.is_empty() {
            true => none(),
            false => notes::line_of_play(&self.query.start, plies).join(" "),
        };
        self.query.offers().iter().map(text).collect()
    }
}

/// State of a game that people enter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryStatus {
    /// Whether entered plies count; `false` after the end of the game for which a board was switched to entry.
    pub is_on: bool,
    /// Value of the PDN tag `GameType`.
    pub game_type: String,
    /// Number of the running or last game, or of the first that can begin.
    pub game: u32,
    /// Entered plies in the notation of the file; `?` for plies that a setup hides.
    pub plies: Vec<String>,
    /// Whether the last of the plies is not published yet.
    pub is_pending: bool,
    /// Position after the plies.
    pub fen: String,
    /// Result that the players claim.
    pub claim: Option<String>,
    /// Result with which the game ended.
    pub result: Option<String>,
}

/// Contents of the squares of a board, and the published position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardSquares {
    /// Variant of the game.
    pub variant: &'static Variant,
    /// Sensed pieces; kings as far as the piece codes distinguish them.
    pub sensed: Placement,
    /// Last published position of the running game.
    pub published: Option<Setup>,
}

/// Reason why the next entry of a game waits, with times of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingEntry {
    /// Event that the entry waits for.
    pub wait: recognition::Wait,
    /// Time of the last activity on the board.
    pub quiet_since: Millis,
    /// Time of publication if the event does not occur.
    pub due: Millis,
}

/// Details of a board that no legal move explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnexplainedStatus {
    /// Start of the unexplained period, in the time of the line.
    pub since: Millis,
    /// Squares that differ from the published position, in the notation of the variant.
    pub squares: Vec<String>,
    /// Closest explanations, best first: moves (`32-28 19-23`), each with the squares that would still be wrong, and `setup`
    /// last. At most three; empty until the board has been quiet for a moment.
    pub interpretations: Vec<String>,
}
