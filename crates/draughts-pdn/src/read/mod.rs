//! Reads games of any dialect in a stream: bytes, text, words, events, games.

pub mod encoding;
pub mod lexer;
mod plain;
pub mod problem;
pub mod reader;
pub mod scan;
pub mod syntax;
pub mod words;
