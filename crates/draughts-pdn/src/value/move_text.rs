//! Text of a move, stored in place.

use std::fmt;
use std::ops::Deref;

/// Text of a move or of its strength. Nearly every one is short and needs no allocation.
///
/// # Examples
///
/// ```
/// use draughts_pdn::game::MoveText;
///
/// let text = MoveText::from("47x38x24x13x36x47");
/// assert_eq!((&text[..5], text.split('x').count()), ("47x38", 6));
/// ```
#[derive(Clone)]
pub struct MoveText(Stored);

/// Number of bytes stored in place: `47x38x24x13x36` has as many.
const SHORT: usize = 14;

#[derive(Clone)]
enum Stored {
    Short { length: u8, bytes: [u8; SHORT] },
    // The second box keeps a move, and so every entry of a game, small.
    Long(Box<Box<str>>),
}

impl MoveText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // The bytes were copied from texts.
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Returns the bytes of the text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Stored::Short { length, bytes } => &bytes[..usize::from(*length)],
            Stored::Long(text) => text.as_bytes(),
        }
    }

    /// Joins parts to one text.
    #[inline]
    pub(crate) fn concat(parts: &[&str]) -> MoveText {
        let mut bytes = [0; SHORT];
        let mut length = 0;
        for part in parts {
            let Some(place) = bytes.get_mut(length..length + part.len()) else {
                return MoveText(Stored::Long(Box::new(parts.concat().into())));
            };
            place.copy_from_slice(part.as_bytes());
            length += part.len();
        }
        MoveText(Stored::Short { length: length as u8, bytes })
    }
}

impl Deref for MoveText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<T> for MoveText {
    fn eq(&self, other: &T) -> bool {
        self.as_bytes() == other.as_ref().as_bytes()
    }
}

impl Eq for MoveText {}

impl AsRef<str> for MoveText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<&str> for MoveText {
    #[inline(always)]
    fn from(text: &str) -> MoveText {
        let mut bytes = [0; SHORT];
        let from = text.as_bytes();
        // Copying a known number of bytes needs no call.
        match from.len() {
            5 => bytes[..5].copy_from_slice(&from[..5]),
            4 => bytes[..4].copy_from_slice(&from[..4]),
            _ => return MoveText::concat(&[text]),
        }
        MoveText(Stored::Short { length: from.len() as u8, bytes })
    }
}

impl From<String> for MoveText {
    fn from(text: String) -> MoveText {
        text.as_str().into()
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
