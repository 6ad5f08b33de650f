//! The live file of a game: written line by line while others read it.
//!
//! ```text
//! [Date "2026.11.21"]
//! [GameType "20"]
//! [Result "*"]            last tag; the newlines behind it are a reserve
//!                         so that the longest result of the game can be written over `*` at equal length
//!
//!
//! 1. 32-28 {[%clock w1:29:49 B1:30:00]}
//! 19-23 {[%clock W1:29:49 b1:29:53]}
//! *
//! ```
//!
//! A line once written stays; the Result tag alone is overwritten, once, when the game has ended. The file is valid PDN 3.0
//! after every line.

use crate::rules::{ResultFormat, Variant};

/// The tag that holds the result, before the result is known.
const RESULT_TAG: &str = "[Result \"*\"]";

/// The lines of a new file, without their LF: the tags, Result last, its reserve, and the empty line before the moves.
pub fn header(variant: &Variant, tags: &[(String, String)]) -> Vec<String> {
    let mut lines: Vec<String> = tags.iter().map(|(name, value)| tag(name, value)).collect();
    lines.push(tag("GameType", &variant.game_type.tag_value()));
    lines.push(RESULT_TAG.to_owned());
    lines.extend(std::iter::repeat_n(String::new(), reserve(variant.result_format) + 1));
    lines
}

/// How many newlines stand ready to be overwritten by the longest result.
fn reserve(format: ResultFormat) -> usize {
    let longest = format.values().iter().map(|value| value.len()).max().unwrap_or(1);
    longest - 1
}

fn tag(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]")
}

/// Where and with what a live file is overwritten when its result is known: the offset of the first byte, and the bytes.
/// `None` when the file has no unwritten Result tag, or its reserve is too small.
pub fn overwrite_result(file: &[u8], result: &str) -> Option<(usize, Vec<u8>)> {
    let tag = format!("{RESULT_TAG}\n");
    let start = file.windows(tag.len()).position(|bytes| bytes == tag.as_bytes())?;
    let newlines = file[start + RESULT_TAG.len()..].iter().take_while(|&&byte| byte == b'\n').count();
    let grows_by = result.len().checked_sub(1)?;
    if newlines < grows_by + 2 {
        return None;
    }
    let mut bytes = format!("[Result \"{result}\"]").into_bytes();
    bytes.resize(RESULT_TAG.len() + newlines, b'\n');
    Some((start, bytes))
}
