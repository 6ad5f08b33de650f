//! The tests of the whole, in one binary: one test binary links once.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

mod architecture;
mod boards;
mod bus;
mod clock;
mod config;
mod daemon;
mod dependencies;
mod dialogue;
mod draws;
mod endings;
mod fen;
mod fuzz;
mod games;
mod geometry;
mod line_cmd;
mod line_program;
mod network;
mod notation;
mod operator;
mod outages;
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
mod replug;
mod rule_book;
mod simulated_lines;
mod simulation;
mod telling;
