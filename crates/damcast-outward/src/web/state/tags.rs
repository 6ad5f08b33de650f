//! Tags of a game: all of them, or those that a stored game keeps in memory.

use std::collections::BTreeMap;

/// Tags of a stored game that stay in memory: those that pages show without its moves, and `FEN`.
const KEPT_TAGS: [&str; 15] = [
    "Event",
    "Site",
    "Round",
    "Board",
    "FEN",
    "White",
    "WhiteTitle",
    "WhiteCountry",
    "WhiteRating",
    "WhiteTeam",
    "Black",
    "BlackTitle",
    "BlackCountry",
    "BlackRating",
    "BlackTeam",
];

/// Tags of a game by name.
#[derive(Clone, Debug)]
pub enum ViewerTags {
    /// All tags.
    All(BTreeMap<String, String>),
    /// Tags of a stored game, in the order of `KEPT_TAGS`.
    Kept(Box<[Option<Box<str>>; KEPT_TAGS.len()]>),
}

impl Default for ViewerTags {
    fn default() -> ViewerTags {
        ViewerTags::All(BTreeMap::new())
    }
}

impl ViewerTags {
    /// Returns the value of a tag. A stored game has those of `KEPT_TAGS` only.
    pub fn get(&self, name: &str) -> Option<&str> {
        match self {
            ViewerTags::All(tags) => tags.get(name).map(String::as_str),
            ViewerTags::Kept(values) => values[place(name)?].as_deref(),
        }
    }

    /// Replaces all tags.
    pub(super) fn replace(&mut self, tags: BTreeMap<String, String>) {
        let is_all = matches!(self, ViewerTags::All(_));
        *self = ViewerTags::All(tags);
        if !is_all {
            self.keep_shown();
        }
    }

    /// Changes a tag; removes it without a value.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        match (self, value) {
            (ViewerTags::All(tags), Some(value)) => drop(tags.insert(name.to_owned(), value)),
            (ViewerTags::All(tags), None) => drop(tags.remove(name)),
            (ViewerTags::Kept(values), value) => {
                if let Some(index) = place(name) {
                    values[index] = value.map(String::into_boxed_str);
                }
            }
        }
    }

    /// Drops the tags that are not in `KEPT_TAGS`.
    pub(super) fn keep_shown(&mut self) {
        if let ViewerTags::All(tags) = self {
            let kept = KEPT_TAGS.map(|name| tags.remove(name).map(String::into_boxed_str));
            *self = ViewerTags::Kept(Box::new(kept));
        }
    }
}

fn place(name: &str) -> Option<usize> {
    KEPT_TAGS.iter().position(|kept| *kept == name)
}
