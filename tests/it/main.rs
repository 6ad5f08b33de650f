//! The tests of the whole, in one binary.
// A helper of a test may give up as the test itself may.
#![allow(clippy::unwrap_used)]

mod architecture;
mod config;
mod daemon;
mod line_cmd;
mod program;
mod pty;
mod replay_cmd;
