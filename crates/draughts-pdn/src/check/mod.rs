//! Checks games against the rules, and files against the letter of the standard.

pub mod checked;
pub mod infer;
pub mod replay;
pub mod strict;
mod tape;
