//! Files that have the name of somebody who wishes not to be named.

use std::io::{self, Read};

use crate::engine::broadcast::HiddenNames;

/// So much of a file is looked at at once.
const CHUNK_SIZE: u64 = 1 << 16;
/// Shorter names are parts of many words: of them only a whole text counts.
const MIN_SUBSTRING_LEN: usize = 5;

/// Has a file a name that nobody is told any more?
///
/// # Errors
///
/// As its source says.
pub fn file_contains_name(withheld: &HiddenNames, source: impl Read) -> io::Result<bool> {
    let names: Vec<Vec<u8>> = withheld.names_removed().flat_map(spellings).collect();
    contains_any(&names, source)
}

fn contains_any(names: &[Vec<u8>], mut source: impl Read) -> io::Result<bool> {
    let Some(longest) = names.iter().map(Vec::len).max() else { return Ok(false) };
    let mut piece = Vec::new();
    loop {
        let is_read = source.by_ref().take(CHUNK_SIZE).read_to_end(&mut piece)? > 0;
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
fn spellings(name: &str) -> Vec<Vec<u8>> {
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let all = if name.chars().count() < MIN_SUBSTRING_LEN {
        vec![format!("\"{quoted}\"")]
    } else {
        vec![name.to_owned(), quoted]
    };
    all.into_iter().map(String::into_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains_name(name: &str, text: &str) -> bool {
        contains_any(&spellings(name), text.as_bytes()).unwrap()
    }

    #[test]
    fn finds_name_anywhere_and_short_name_only_whole() {
        for at in [0, 1, 65_530, 65_535, 65_536, 131_070] {
            let text = format!("{}Wiersma, H.{}", "x".repeat(at), "y".repeat(70_000));
            assert!(contains_name("Wiersma, H.", &text), "{at}");
            assert!(!contains_name("Wiersma, J.", &text), "{at}");
        }
        assert!(contains_name("O\"Neil, P", "[White \"O\\\"Neil, P\"]"));
        assert!(contains_name("Ann", "{\"white\":\"Ann\"}") && !contains_name("Ann", "Anniversary"));
        assert!(!contains_any(&[], "x".as_bytes()).unwrap());
    }
}
