//! Format of the text files in `tests/data`: records separated by blank lines, one `key value` per line. Tests of several packages read
//! them; each supplies its own FEN reader, `setups::read`.
//!
//! ```text
//! position turkish-s5            a record's first key says what it is
//! game-type 30,W,8,8,A0,0
//! fen W:Wa1:BKh8
//! ```

use std::path::{Path, PathBuf};

use draughts::ruleset::{PromotionInCapture, Removal};
use draughts::{Position, RuleChoices, Variant};

use crate::setups::read as read_setup;

/// One record: keys and values of its lines, in order.
pub struct Record {
    lines: Vec<(String, String)>,
}

impl Record {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.lines.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a key that every record of the file must have.
    pub fn require(&self, key: &str) -> &str {
        self.get(key).unwrap_or_else(|| panic!("a record without `{key}`: {:?}", self.lines))
    }

    /// Returns the words of a key's value; empty if the key is missing.
    pub fn words(&self, key: &str) -> impl Iterator<Item = &str> {
        self.get(key).unwrap_or("").split_whitespace()
    }

    /// Returns the variant that `game-type` and `choice` name.
    pub fn variant(&self) -> &'static Variant {
        let mut choices = RuleChoices::default();
        match self.get("choice") {
            None => {}
            Some("turkish-promotion goes-on-as-king") => {
                choices.turkish_promotion = Some(PromotionInCapture::ContinuesAsKing);
            }
            Some("turkish-promotion ends-the-move") => {
                choices.turkish_promotion = Some(PromotionInCapture::EndsTheMove);
            }
            Some("thai-reversal forbidden") => choices.thai_reversal = Some(false),
            Some("thai-removal after-the-move") => choices.thai_removal = Some(Removal::AfterMove),
            Some(other) => panic!("unknown choice `{other}`"),
        }
        Variant::new(self.require("game-type").parse().unwrap(), choices)
    }

    /// Returns the position of `fen`, or the start of the game without one.
    pub fn position(&self) -> Position {
        let variant = self.variant();
        match self.get("fen") {
            None => Position::start(variant),
            Some(text) => Position::new(variant, read_setup(variant, text).unwrap()).unwrap(),
        }
    }
}

/// Returns the records of a text.
pub fn records(text: &str) -> Vec<Record> {
    let line = |line: &str| {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        (key.to_owned(), value.trim().to_owned())
    };
    let comment = |line: &&str| !line.starts_with('#');
    text.split("\n\n")
        .map(|block| Record { lines: block.lines().filter(comment).map(line).collect() })
        .filter(|record| !record.lines.is_empty())
        .collect()
}

/// Returns the text files of a folder of this package, by name.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no data in {}", folder.display());
    files
}
