//! The tests of the whole, in one binary.

mod games;
mod perft;
mod records;
