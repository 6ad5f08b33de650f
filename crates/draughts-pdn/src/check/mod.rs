//! Checks games against the rules, and files against the letter of the standard.

pub mod checked;
mod fen_form;
mod game_form;
pub mod infer;
pub mod parts;
pub mod replay;
pub mod strict;
mod tape;
