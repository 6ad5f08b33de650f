//! Files that have the name of somebody who wishes not to be named.

use std::io::{self, Read};

use crate::engine::broadcast::Withheld;

/// So much of a file is looked at at once.
const PIECE: u64 = 1 << 16;

/// Has a file a name that nobody is told any more?
///
/// # Errors
///
/// As its source says.
pub fn is_in(withheld: &Withheld, mut source: impl Read) -> io::Result<bool> {
    let names: Vec<Vec<u8>> = withheld.names().flat_map(spellings).collect();
    let Some(longest) = names.iter().map(Vec::len).max() else { return Ok(false) };
    let mut piece = Vec::new();
    loop {
        let is_read = source.by_ref().take(PIECE).read_to_end(&mut piece)? > 0;
        if names.iter().any(|name| piece.windows(name.len()).any(|part| part == name)) {
            return Ok(true);
        }
        if !is_read {
            return Ok(false);
        }
        // A name may go on in the next piece.
        piece.drain(..piece.len().saturating_sub(longest));
    }
}

/// A name as files have it: as it is, and as it stands in JSON and in tags of PDN.
fn spellings(name: &str) -> [Vec<u8>; 2] {
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    [name.to_owned(), quoted].map(String::into_bytes)
}
