//! The tests of the whole, in one binary.
mod recordings;
mod simulation;
