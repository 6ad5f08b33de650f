#![allow(missing_docs, clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

mod fen;
mod notation;
mod perft;
mod random_positions;
mod readme;
#[path = "../common/records.rs"]
mod records;
mod rule_book;

mod setups {
    pub use draughts_pdn::fen::read;
}
