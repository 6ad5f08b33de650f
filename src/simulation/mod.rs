//! Games on simulated boards: rules and PDN turned into motions for `hardware-sim`, and boards played against the recorder.
//!
//! `hardware-sim` knows boards, clocks, wires and hands, and nothing of draughts; this module knows which field a square is
//! and which pieces a move takes. Used by `boardsim`, by `damcast demo` and by the tests.

pub mod alignment;
pub mod baselines;
pub mod benchmark;
pub mod collection;
pub mod day;
pub mod drive;
pub mod faults;
pub mod games;
pub mod goals;
pub mod hall;
pub mod host_port;
pub mod illegal_moves;
pub mod port;
pub mod report;
pub mod scenario;
pub mod score;
pub mod script;
pub mod serve;
pub mod soak;
pub mod tournament;
pub mod trace;
