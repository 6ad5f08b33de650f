//! What a line waits for: the names of its deadlines.
//!
//! Every moment at which something is done though nothing happens has one of these names, from the decision about a ply to the next
//! question on a bus. So whoever wonders why a line does nothing yet, or why it did something now, has a word to look for.

use crate::engine::millis::Millis;
use crate::engine::recognition;

/// What a line waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineWait {
    /// What the recogniser of a game waits for.
    Recognition(recognition::Wait),
    /// A start position that stands long enough to begin a game.
    Start,
    /// A board that is being set up to be complete; then the operator is told what is wrong.
    SettingUp,
    /// A board that nothing explains to explain itself; then the operator is told.
    Unexplained,
    /// A result piece to be let lie, or pieces in the centre to stand still; then the result is offered.
    ResultSign,
    /// A last move after which the opponent has none to be taken back.
    NoMoveLeft,
    /// A dump after a time in which the board was not heard.
    DumpAfterGap,
    /// The last plies before a result that the operator gave.
    Result,
    /// The board to say what stands on it, because the operator says that it is right.
    Resync,
    /// The board to be heard; then listeners are told that it is away.
    SignOfLife,
    /// An answer of a board.
    Answer,
    /// The time for the next question.
    Question,
    /// Any board of the line to answer; then the port is opened anew.
    Reopening,
}

/// The earliest of several deadlines.
pub fn earliest(deadlines: impl IntoIterator<Item = Option<(Millis, LineWait)>>) -> Option<(Millis, LineWait)> {
    deadlines.into_iter().flatten().min_by_key(|(at, _)| *at)
}

/// A deadline with its name.
pub fn with_name(at: Option<Millis>, wait: LineWait) -> Option<(Millis, LineWait)> {
    at.map(|at| (at, wait))
}
