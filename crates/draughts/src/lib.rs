//! Draughts: squares, pieces, variants, positions and legal moves. Names no other module.
//!
//! Variants are rows of data ([`variant`]); one generator ([`movegen`]) reads them. Everything here is seen from White's
//! side of the board; how a square is *called* is the business of [`geometry`] alone.
//!
//! Absent on purpose: notation (PDN), sensors, clocks, time.

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
mod rows;
pub mod ruleset;
mod square;
mod tag;
mod variant;

pub use draws::{Claim, Count, DrawRule, History};
pub use game_type::{GameType, Notation, NotationKind};
pub use geometry::{Direction, Geometry};
pub use moves::{Jump, Move};
pub use perft::perft;
pub use piece::{Color, Kind, Piece};
pub use position::{Placement, Position, PositionError, Setup};
pub use results::ResultFormat;
pub use ruleset::{RuleChoices, Ruleset};
pub use square::{Square, SquareSet, Squares};
pub use tag::GameTypeError;
pub use variant::Variant;
