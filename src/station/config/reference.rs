//! The annotated configuration, `config/damcast.toml`: what each key is for, and its default.
//!
//! It is part of the program, so what an operator reads in an editor's help, in `damcast config show`, and in the file
//! that `damcast init` writes is always the same text.
//!
//! ```text
//! [public]                                      the table
//! # How many seconds later everything is shown  what the next key is for
//! # delay = 0                                   the key with its default, or with an example
//! ```

use super::keys::{KEYS, Key, Section};

/// The text of the reference.
pub const REFERENCE_TEXT: &str = include_str!("../../../config/damcast.toml");

/// A key as the reference shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceKey {
    /// The table.
    pub section: Section,
    /// The key.
    pub name: String,
    /// The value that is shown: the default, or an example.
    pub value: String,
    /// What it is for.
    pub description: String,
    /// The line of the reference, from 1.
    pub line: usize,
}

/// All keys of the reference, in its order; those that no row knows as well.
pub fn entries() -> Vec<ReferenceKey> {
    let (mut entries, mut about, mut section) = (Vec::new(), Vec::new(), None);
    for (index, line) in REFERENCE_TEXT.lines().enumerate() {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        if let Some(found) = Section::ALL.into_iter().find(|section| bare == section.title()) {
            section = Some(found);
            about.clear();
        } else if let (Some(section), Some((name, value))) = (section, pair(bare)) {
            let about = std::mem::take(&mut about).join(" ");
            entries.push(ReferenceKey {
                section,
                name: name.to_owned(),
                value: value.to_owned(),
                description: about,
                line: index + 1,
            });
        } else if bare.starts_with('[') && bare.ends_with(']') {
            // A table of tags.
            section = None;
        } else if line.starts_with('#') {
            about.push(line.trim_start_matches('#').trim());
        } else {
            about.clear();
        }
    }
    entries
}

/// The key as the reference shows it. A key of a board that is one of a line as well is explained there.
pub fn entry(key: &Key) -> Option<ReferenceKey> {
    let mut all = entries();
    let of = |section: Section| move |entry: &ReferenceKey| entry.section == section && entry.name == key.name;
    let at = all.iter().position(of(key.section)).or_else(|| all.iter().position(of(Section::Line)))?;
    let about = match all[at].description.as_str() {
        "" => {
            all.iter().find(|entry| of(Section::Line)(entry)).map_or(String::new(), |entry| entry.description.clone())
        }
        about => about.to_owned(),
    };
    Some(ReferenceKey { description: about, ..all.swap_remove(at) })
}

/// The default of a key, in TOML, if it has one.
pub fn default(key: &Key) -> Option<String> {
    (key.if_missing == super::keys::MissingKey::Default).then(|| entry(key)).flatten().map(|entry| entry.value)
}

/// `key = value`, the key in the letters that keys have. Sentences have no such beginning.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" = ")?;
    let is_key = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_key.then_some((name, value))
}

/// The keys that are in the table of keys and not in the reference, or the other way round: none.
pub fn differences() -> Vec<String> {
    let entries = entries();
    let missing =
        KEYS.iter().filter(|key| !entries.iter().any(|entry| entry.section == key.section && entry.name == key.name));
    let missing = missing.map(|key| format!("{} `{}` is not in config/damcast.toml", key.section, key.name));
    let unknown =
        entries.iter().filter(|entry| !KEYS.iter().any(|key| entry.section == key.section && entry.name == key.name));
    let unknown = unknown.map(|entry| {
        format!("config/damcast.toml:{}: {} `{}` is not in the table of keys", entry.line, entry.section, entry.name)
    });
    missing.chain(unknown).collect()
}
