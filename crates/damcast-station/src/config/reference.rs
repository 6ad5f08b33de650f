//! Annotated configuration `config/damcast.toml`: purpose and default of each key.
//!
//! The program contains it, so an editor's help, `damcast config show` and the file written by `damcast init` have the same text.
//!
//! ```text
//! [public]                                      table
//! # How many seconds later everything is shown  purpose of the next key
//! # delay = 0                                   key with its default or an example
//! ```

use super::keys::{KEYS, Key, Section};

/// Text of the reference.
pub const REFERENCE_TEXT: &str = include_str!("../../../../config/damcast.toml");

/// Key of the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceKey {
    /// Table.
    pub section: Section,
    /// Name.
    pub name: String,
    /// Shown value: the default or an example.
    pub value: String,
    /// Description.
    pub description: String,
    /// Line of the reference, from 1.
    pub line: usize,
}

/// Returns all keys of the reference in order, including those without a row.
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
            // Table of tags.
            section = None;
        } else if line.starts_with('#') {
            about.push(line.trim_start_matches('#').trim());
        } else {
            about.clear();
        }
    }
    entries
}

/// Returns the reference entry of a key. For a board key that a line has as well, returns the line's entry.
pub fn entry(key: &Key) -> Option<ReferenceKey> {
    let all = entries();
    let of = |section: Section| all.iter().find(|entry| entry.section == section && entry.name == key.name);
    let (own, of_line) = (of(key.section), of(Section::Line));
    let mut entry = own.or(of_line)?.clone();
    if entry.description.is_empty() {
        entry.description = of_line.map_or(String::new(), |entry| entry.description.clone());
    }
    Some(entry)
}

/// Returns the default of a key in TOML, if it has one.
pub fn default(key: &Key) -> Option<String> {
    (key.if_missing == super::keys::MissingKey::Default).then(|| entry(key)).flatten().map(|entry| entry.value)
}

/// Splits `key = value`, where the key has only lower-case letters and `-`; sentences never match.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" = ")?;
    let is_key = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_key.then_some((name, value))
}

/// Returns the differences between the table of keys and the reference; none are expected.
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
