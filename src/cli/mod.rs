//! The verbs of the program, one a file: arguments in, exit code out.

pub mod moves;
pub mod perft;
