//! Portable draughts notation: how positions, moves and games are written and read. Names [`draughts`] only.

pub mod checked;
pub mod clock;
pub mod encoding;
pub mod fen;
pub mod game;
pub mod infer;
pub mod lexer;
pub mod notation;
pub mod pdn2;
mod plain;
pub mod problem;
pub mod reader;
pub mod renumber;
pub mod replay;
pub mod scan;
pub mod standard;
pub mod strict;
pub mod syntax;
pub mod tag;
mod tape;
pub mod time_control;
pub mod values;
pub mod words;
pub mod writer;
