//! What a board tells afterwards, thing by thing.

use crate::engine::protocol::PieceCode;
use crate::engine::protocol::changes::MemoryEvent;

/// One thing that a board tells afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DelayedEvent {
    /// This happened.
    Memory(MemoryEvent),
    /// The board was switched on, or restarted: this stands on its fields, by their numbers, however that came about.
    FullBoard(Vec<PieceCode>),
}
