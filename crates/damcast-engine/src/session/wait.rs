//! Names of the deadlines of a line.
//!
//! Every action that happens without input has one of these names, from the decision about a ply to the next question on a
//! bus. The name explains why a line is still waiting, or why it acted.

use crate::millis::Millis;
use crate::recognition;

/// Reason why a line waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineWait {
    /// The recogniser of a game waits.
    Recognition(recognition::Wait),
    /// A start position must stand long enough to begin a game.
    Start,
    /// A board being set up must become complete; then the operator receives its errors.
    SettingUp,
    /// An unexplained board must resolve itself; then the operator receives a notice.
    Unexplained,
    /// A result piece, or pieces in the centre, must rest; then the result is proposed.
    ResultSign,
    /// The last move, which leaves the opponent without a legal move, may still be taken back.
    NoMoveLeft,
    /// A dump must arrive after a gap.
    DumpAfterGap,
    /// The last plies must arrive before the operator's result is written.
    Result,
    /// An entered ply may still be taken back.
    TakeBack,
    /// The board must show its contents, because the operator has confirmed them.
    Resync,
    /// The board must report; otherwise listeners receive its absence.
    SignOfLife,
    /// A board must answer.
    Answer,
    /// The next question has its time.
    Question,
    /// Any board of the line must answer; otherwise the port is opened again.
    Reopening,
}

/// Returns the earliest deadline.
pub fn earliest(deadlines: impl IntoIterator<Item = Option<(Millis, LineWait)>>) -> Option<(Millis, LineWait)> {
    deadlines.into_iter().flatten().min_by_key(|(at, _)| *at)
}

/// Pairs a deadline with its name.
pub fn with_name(at: Option<Millis>, wait: LineWait) -> Option<(Millis, LineWait)> {
    at.map(|at| (at, wait))
}
