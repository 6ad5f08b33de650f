//! Portable draughts notation: how positions, moves and games are written and read. Names [`crate::rules`] only.

pub mod fen;
pub mod live;
pub mod notation;
