//! Single events that a board reports after the fact.

use crate::protocol::PieceCode;
use crate::protocol::changes::MemoryEvent;

/// Event that a board reports after the fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DelayedEvent {
    /// Event from the board's memory.
    Memory(MemoryEvent),
    /// Contents of all fields by number after the board was switched on or restarted, however they came about.
    FullBoard(Vec<PieceCode>),
}
