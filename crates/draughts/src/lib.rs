//! Draughts: squares, pieces, variants, positions and legal moves. Names no other module.
//!
//! Variants are rows of data ([`variant`]); one generator ([`movegen`]) reads them. Everything here is seen from White's
//! side of the board; how a square is *called* is the business of [`geometry`] alone.
//!
//! Absent on purpose: notation (PDN), sensors, clocks, time.

pub mod captures;
mod draw_rules;
pub mod draws;
pub mod game_type;
pub mod geometry;
pub mod lookup;
pub mod movegen;
pub mod moves;
pub mod perft;
pub mod piece;
pub mod position;
pub mod results;
mod rows;
pub mod ruleset;
pub mod square;
mod tag;
pub mod variant;

pub use draws::{Claim, Count, DrawRule, History};
pub use game_type::{GameType, Notation, NotationKind};
pub use geometry::{Direction, Geometry};
pub use moves::Move;
pub use piece::{Color, Kind, Piece};
pub use position::{Placement, Position, PositionError, Setup};
pub use results::ResultFormat;
pub use ruleset::{RuleChoices, Ruleset};
pub use square::{Square, SquareSet};
pub use tag::GameTypeError;
pub use variant::Variant;
