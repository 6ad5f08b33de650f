//! Contents of a file: tags, moves, positions, clocks and other values, each with its own parser and writer.

pub mod clock;
pub mod fen;
pub mod game;
mod move_text;
pub mod notation;
pub mod tag;
pub mod tag_values;
pub mod time_control;
