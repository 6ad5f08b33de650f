#![allow(missing_docs, clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

mod examples;
mod geometry;
mod perft;
#[path = "../common/records.rs"]
mod records;
mod setups;
