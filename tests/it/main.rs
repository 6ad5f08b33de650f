//! The tests of the whole, in one binary: one test binary links once.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

mod architecture;
mod boards;
mod config;
mod daemon;
mod dependencies;
mod draws;
mod fen;
mod games;
mod geometry;
mod line_cmd;
mod notation;
mod pdn;
mod pdn_commands;
mod pdn_corpus;
mod perft;
mod program;
mod pty;
mod random_positions;
mod recordings;
mod records;
mod replay_cmd;
mod rule_book;
mod simulation;
mod telling;
