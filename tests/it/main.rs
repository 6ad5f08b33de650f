//! The tests of the whole, in one binary.

mod pdn;
mod pdn_commands;
mod pdn_corpus;
