//! Simulated electronic draughts boards.

pub mod board;
pub mod clock;
pub mod memory;
pub mod random;
pub mod scanner;
pub mod wire;
