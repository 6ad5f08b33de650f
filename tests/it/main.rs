//! The tests of the whole, in one binary.

mod architecture;
mod line_cmd;
mod program;
mod replay_cmd;
