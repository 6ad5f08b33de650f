//! The verbs of the program, one a file: arguments in, exit code out.

pub mod check;
pub mod convert;
mod input;
pub mod moves;
pub mod perft;
pub mod show;
