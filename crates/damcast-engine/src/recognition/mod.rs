//! Recognition: derives moves and positions from the squares and the lever.
//!
//! Hands hover, slide, adjust and make mistakes; boards report late, twice or not at all. A settled placement
//! identifies a move. The lever and the order of events determine *when* to accept it and, after a gap, *which* of
//! several interpretations is right.
//!
//! ```text
//!   squares, lever ─▸ evidence: Facts ─▸ search: legal plies from the published position to the current board
//!                          │                 ▾
//!                          └─────────▸ decide: publish now, or wait? ─▸ Verdict: a ply, or a setup
//! ```
//!
//! | file | subject |
//! |---|---|
//! | `evidence` | events on the squares and presses of the lever; start with `facts.rs` |
//! | `search` | legal plies that explain them, or the closest interpretations; start with `explain.rs` |
//! | `decide` | acceptance of explanations, and fallbacks without one; start with `recogniser.rs` |
//! | [`verdict`] | decisions and their reasons |
//! | [`wait`] | conditions that a decision waits for |
//! | [`rationale`] | evidence of a decision, for people |
//! | [`settings`] | configurable times, with their reasons |
//! | `tuning` | all other times, weights and counts, with their reasons |
//!
//! Invariants: a published ply is legal in the published position; only the first ply of an explanation is published
//! before everything is evaluated again; a board dump confirms everything before publication, unless the board does not
//! answer. Depends only on [`draughts`] and [`crate::millis`]: no wire protocol, no notation.

mod decide;
mod evidence;
pub mod rationale;
mod search;
pub mod settings;
mod tuning;
pub mod verdict;
pub mod wait;

pub use decide::{LikelyPresser, Recogniser, UnexplainedBoard};
pub use evidence::{GapEvidence, Occupancy, SensedPiece};
pub use rationale::Rationale;
pub use search::{Interpretation, MissingMovesEnd, MissingMovesQuery};
pub use settings::{Pace, Settings};
pub use verdict::{ClockState, PressId, Reason, Rule, Verdict};
pub use wait::Wait;
