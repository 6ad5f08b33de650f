//! A game in PDN: tags in order, then entries in order. Pure data: [`crate::replay`] finds the *meaning* of moves, [`crate::writer`]
//! determines their *layout*.
//!
//! ```text
//! [White "Wiersma, Harm"]                                   tags
//! 1. 32-28! {[%clock w1:19:50 B1:20:00]}                    Move, Comment
//! 19-23 ( 18-23 $2 ) /FEN "W:W28,33:B1,23"/ 19. 35x24 *     Move, Open, Move, Nag, Close, Setup, Move; end
//! ```
//!
//! Variations are not a tree but two entries, [`Entry::Open`] and [`Entry::Close`], in one flat list. A file with a million parentheses
//! therefore needs no deep stack for reading, writing or dropping.

use std::fmt;

pub use super::move_text::MoveText;

/// One game: header, movetext, and the way its text ends.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Game, reader};
///
/// let game: Game = reader::read("[White \"Sijbrands\"] [Result \"2-0\"] 1. 32-28 {why not?} *").0.remove(0);
/// assert_eq!((game.tags.get("White"), game.result()), (Some("Sijbrands"), "2-0"));
/// assert_eq!(game.entries.len(), 2); // a move and a comment
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Game {
    /// Tags, in the order of the file.
    pub tags: Tags,
    /// Everything after the tags, in the order of the file. Opening and closing entries balance.
    pub entries: Vec<Entry>,
    /// Terminator at the end of the text.
    pub end: Termination,
}

/// The way the text of a game ends.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Termination {
    /// No terminator: the next game begins, or the file ends.
    Open,
    /// `*`, the only terminator that PDN 3.0 writes.
    #[default]
    Star,
    /// A result, as in older dialects.
    Result(String),
}

/// Element of the movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A move, or a placeholder for an unknown one.
    Move(MoveEntry),
    /// `/FEN "..."/`: a new position from here on. Contains the value between the quotes. A FEN that changes only the turn (`B::`) is a
    /// null move.
    Setup(String),
    /// A comment without its braces and surrounding blanks; line breaks inside become blanks.
    Comment(String),
    /// A numeric annotation glyph, `$1`.
    Nag(u32),
    /// Start of a variation, which replaces the last move of the enclosing line.
    Open,
    /// End of a variation.
    Close,
}

/// A move as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveEntry {
    /// Number before the move.
    pub number: Option<MoveNumber>,
    /// Squares and separators without blanks, otherwise as written: `32-28`, `47x38x24x13x36`, `a3b4`; [`UNKNOWN`] if the move is not
    /// known.
    pub text: MoveText,
    /// `!`, `??`, `(!?)`, and `*` for a forced move.
    pub strength: Option<MoveText>,
    /// Captured squares that the 3.1 proposal adds to an ambiguous move, without the angle brackets.
    pub captured: Option<MoveText>,
}

/// Placeholder for an unknown move, as in `41. - -`.
pub const UNKNOWN: &str = "-";

impl MoveEntry {
    /// Creates a move without number and strength.
    pub fn new(text: impl Into<MoveText>) -> MoveEntry {
        MoveEntry { number: None, text: text.into(), strength: None, captured: None }
    }

    /// Whether the move is unknown.
    pub fn is_unknown(&self) -> bool {
        self.text == UNKNOWN
    }
}

/// The number before a move: `12.`, or `12...` before a move of the side that moves second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveNumber {
    /// Value of the number.
    pub value: u32,
    /// Whether three dots follow instead of one.
    pub ellipsis: bool,
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, if self.ellipsis { "..." } else { "." })
    }
}

/// Tags in order, with unique names.
///
/// # Examples
///
/// ```
/// use draughts_pdn::Tags;
///
/// let mut tags: Tags = [("White", "Roozenburg"), ("Black", "Kouperman")].into_iter().collect();
/// assert_eq!(tags.set("White", "Deslauriers"), Some("Roozenburg".to_owned()));
/// assert_eq!(tags.iter().map(|tag| tag.value.as_str()).collect::<Vec<_>>(), ["Deslauriers", "Kouperman"]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tags(Vec<Tag>);

/// One tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// Name, as written.
    pub name: String,
    /// Value without its quotes, escapes resolved.
    pub value: String,
}

impl Tags {
    /// Returns the value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
    }

    /// Sets the value of a tag: in place if the tag exists, otherwise at the end. Returns the previous value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) -> Option<String> {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|tag| tag.name == name) {
            Some(tag) => Some(std::mem::replace(&mut tag.value, value)),
            None => {
                self.0.push(Tag { name, value });
                None
            }
        }
    }

    /// Removes a tag. Returns its value.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|tag| tag.name == name)?;
        Some(self.0.remove(at).value)
    }

    /// Returns the tags in order.
    pub fn iter(&self) -> impl Iterator<Item = &Tag> {
        self.0.iter()
    }

    /// Returns the number of tags.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Sets each tag in turn: of two tags with one name the last value remains.
impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Tags {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Tags {
        let mut tags = Tags::default();
        for (name, value) in pairs {
            tags.set(name, value);
        }
        tags
    }
}

impl Game {
    /// Returns the entries of the main line, each with its index in [`Game::entries`].
    pub fn main_line(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let mut depth = 0_usize;
        self.entries.iter().enumerate().filter(move |(_, entry)| {
            let outside = depth == 0;
            match entry {
                Entry::Open => depth += 1,
                Entry::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            outside && !matches!(entry, Entry::Open)
        })
    }

    /// Returns the moves of the main line as written.
    pub fn moves(&self) -> impl Iterator<Item = &MoveEntry> {
        self.main_line().filter_map(|(_, entry)| match entry {
            Entry::Move(ply) => Some(ply),
            _ => None,
        })
    }

    /// Returns the result from the tag; if the tag is missing or `*`, from a result at the end of the text.
    pub fn result(&self) -> &str {
        match (self.tags.get("Result").map(str::trim), &self.end) {
            (None | Some("*" | "" | "?"), Termination::Result(result)) => result,
            (Some(result), _) => result,
            (None, _) => "*",
        }
    }
}
