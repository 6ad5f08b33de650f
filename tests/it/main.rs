//! The tests of the whole, in one binary.
// A helper of a test may give up as the test itself may.
#![allow(clippy::unwrap_used)]

mod architecture;
mod config;
mod line_cmd;
mod program;
mod replay_cmd;
