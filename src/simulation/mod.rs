//! Games on simulated boards: rules and PDN turned into motions for `hardware-sim`, and boards played against the recorder.
//!
//! `hardware-sim` knows boards, clocks, wires and hands, and nothing of draughts; this module knows which field a square is
//! and which pieces a move takes. Used by `boardsim`, by `damcast demo` and by the tests.

pub mod benchmark;
pub mod chronicle;
pub mod collection;
pub mod day;
pub mod door;
pub mod drive;
pub mod faults;
pub mod games;
pub mod goals;
pub mod hall;
pub mod lineup;
pub mod misplay;
pub mod peers;
pub mod port;
pub mod report;
pub mod scenario;
pub mod score;
pub mod script;
pub mod serve;
pub mod soak;
pub mod tournament;
