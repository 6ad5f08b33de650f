//! The tests of the whole, in one binary.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

mod draws;
mod fen;
mod games;
mod geometry;
mod notation;
mod perft;
mod random_positions;
mod records;
mod rule_book;
