//! Writes games: PDN 3.0, the dialect of old programs, other names of squares.

pub mod pdn2;
pub mod renumber;
mod resolved;
pub mod standard;
pub mod writer;
