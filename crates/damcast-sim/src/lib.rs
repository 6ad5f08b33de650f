//! Games on simulated boards: turns rules and PDN into motions for `hardware-sim`, and runs boards against the recorder.
//!
//! `hardware-sim` simulates boards, clocks, wires and hands without knowing draughts; this module maps squares to fields and moves to
//! pieces. Used by `boardsim`, by `damcast demo` and by the tests.

pub mod alignment;
pub mod baselines;
pub mod benchmark;
pub mod collection;
pub mod day;
pub mod drive;
pub mod faults;
pub mod game_score;
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
