//! The tests of the whole, in one binary: one test binary links once.

mod draws;
mod fen;
mod games;
mod geometry;
mod notation;
mod pdn_corpus;
mod perft;
mod random_positions;
mod recordings;
mod records;
mod simulation;
