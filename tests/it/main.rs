//! The tests of the whole, in one binary.

mod pdn_corpus;
