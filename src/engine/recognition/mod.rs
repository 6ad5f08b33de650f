//! Recognition: which move, or which position, do the squares and the lever show?
//!
//! Hands hover, slide, adjust and forget; boards report late, twice or not at all. A settled placement identifies a move;
//! the lever and the order of events decide *when* to believe it and, after a gap, *which* of several readings is meant.
//!
//! ```text
//!   squares, lever ─▸ evidence: Facts ─▸ search: which legal plies lead from the published position to what is seen?
//!                          │                 ▾
//!                          └─────────▸ decide: is it time to say so? ─▸ Verdict: a ply, or a setup
//! ```
//!
//! | file | subject |
//! |---|---|
//! | `evidence` | what was seen on the squares and heard of the lever; begin with `facts.rs` |
//! | `search` | which legal plies explain it, and what comes closest where none do; begin with `explain.rs` |
//! | `decide` | when an explanation is believed, and what is done when there is none; begin with `recogniser.rs` |
//! | [`verdict`] | what is decided, and why |
//! | [`wait`] | what a decision waits for |
//! | [`rationale`] | the evidence of a decision, for people |
//! | [`settings`] | the times that can be set, with their reasons |
//! | `measures` | all other times, weights and counts, with what speaks for each |
//!
//! Invariants: a published ply is legal in the published position; only the first ply of an explanation is published, then
//! everything is judged anew; nothing is published that a whole board dump has not confirmed, unless the board does not
//! answer. Names [`draughts`] and [`crate::engine::millis`] only: no wire, no notation.

mod decide;
mod evidence;
pub mod rationale;
mod search;
pub mod settings;
mod tuning;
pub mod verdict;
pub mod wait;

pub use decide::{Recogniser, UnexplainedBoard};
pub use evidence::{Occupancy, SensedPiece};
pub use rationale::Rationale;
pub use search::Interpretation;
pub use settings::{Pace, Settings};
pub use verdict::{ClockState, PressId, Reason, Rule, Verdict};
pub use wait::Wait;
