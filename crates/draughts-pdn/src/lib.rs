#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! | for | use |
//! |---|---|
//! | games of a text, or of a stream of bytes | [`reader::read`], [`Reader`]; a [`Game`] contains tags and entries as written |
//! | the meaning of the moves | [`Replay`]: a game played by its rules, with all its problems |
//! | check of a file | [`Checker`] plays any dialect in a stream; [`strict::StrictChecker`] requires PDN 3.0 to the letter |
//! | check of a large file on several cores | [`parts`] |
//! | check by the rules of a known reader, such as lidraughts | [`profile::check`] |
//! | conversion to PDN 3.0 | [`standard()`], then [`writer::write`] |
//! | one move, one position | [`notation`], [`fen`] |
//! | clocks, dates, results, time controls | [`clock`], [`tag_values`], [`time_control`] |
//! | files too large for memory, events and tokens | [`scan::Scanner`], [`lexer::Lexer`] |
//!
//! Reading never fails as a whole: it returns the games found, and a bounded list of [`Problem`]s with their places
//! ([`Problems::MAX_COUNT`]). No input panics or recurses, and memory does not grow with the file.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod check;
pub mod profile;
mod read;
mod value;
mod write;

pub use check::{checked, infer, parts, replay, strict};
pub use read::{encoding, lexer, problem, reader, scan, syntax, words};
pub use value::{clock, fen, game, notation, tag, tag_values, time_control};
pub use write::{pdn2, renumber, standard, writer};

/// The rules, in the version that this library uses.
pub use draughts;

pub use checked::Checker;
pub use encoding::Encoding;
pub use game::{Entry, Game, Tags};
pub use problem::{Level, Location, Problem, ProblemKind, Problems};
pub use reader::{LocatedGame, Reader};
pub use replay::Replay;
pub use standard::standard;
pub use writer::Style;
