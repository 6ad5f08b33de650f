#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! | for | use |
//! |---|---|
//! | games of a text, or of a stream of bytes | [`reader::read`], [`Reader`]; a [`Game`] is tags and entries as they are written |
//! | what the moves mean | [`Replay`]: a game played by its rules, with everything that is wrong |
//! | is a file right? | [`Checker`] plays any dialect in a stream; [`strict::StrictChecker`] asks for PDN 3.0 to the letter |
//! | the same game as PDN 3.0 | [`standard()`], then [`writer::write`] |
//! | one move, one position | [`notation`], [`fen`] |
//! | clocks, dates, results, time controls | [`clock`], [`tag_values`], [`time_control`] |
//! | files too large for memory, events and tokens | [`scan::Scanner`], [`lexer::Lexer`] |
//!
//! Reading never fails as a whole: it gives what is there, and [`Problem`]s with their places, so many and no more
//! ([`Problems::MAX_COUNT`]). Whatever the bytes, nothing panics, nothing recurses, and memory does not grow with the file.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod check;
mod read;
mod value;
mod write;

pub use check::{checked, infer, replay, strict};
pub use read::{encoding, lexer, problem, reader, scan, syntax, words};
pub use value::{clock, fen, game, notation, tag, tag_values, time_control};
pub use write::{pdn2, renumber, standard, writer};

/// The rules, in the version that this library plays by.
pub use draughts;

pub use checked::Checker;
pub use encoding::Encoding;
pub use game::{Entry, Game, Tags};
pub use problem::{Level, Location, Problem, Problems};
pub use reader::{LocatedGame, Reader};
pub use replay::Replay;
pub use standard::standard;
pub use writer::Style;
