#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! | type | what it is |
//! |---|---|
//! | [`Variant`] | a game on its board: [`Geometry`] for squares, lines and names, [`Ruleset`] for the rules |
//! | [`Position`] | pieces, side to move and rule counters: generates legal moves and plays them |
//! | [`Move`] | a legal move: from, to, captured, path |
//! | [`DrawHistory`] | the part of a game that the draw rules look back on |
//!
//! Squares are seen from White's side of the board, whichever side starts. Only [`Geometry`] knows their *names*. The table of games is the
//! file `variant_table.rs`, each constant with its source.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod captures;
mod draw_rules;
pub mod draws;
mod game_type;
mod geometry;
mod lookup;
mod movegen;
mod moves;
mod perft;
mod piece;
mod position;
mod results;
pub mod ruleset;
mod square;
mod tag;
mod variant;
mod variant_table;

pub use draws::{Claim, DrawCount, DrawHistory, DrawRule};
pub use game_type::{GameType, Notation, NotationKind};
pub use geometry::{Direction, Geometry};
pub use moves::{Jump, Move};
pub use perft::perft;
pub use piece::{Color, Piece, PieceKind};
pub use position::{Placement, Position, PositionError, Setup};
pub use results::ResultFormat;
pub use ruleset::{RuleChoices, Ruleset};
pub use square::{Square, SquareSet, Squares};
pub use tag::GameTypeError;
pub use variant::Variant;
