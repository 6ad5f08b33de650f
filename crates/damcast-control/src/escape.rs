//! Escapes outside text for display, so that it cannot control the terminal or reverse the text beside it.
//!
//! A serial number, a name or an unknown key can hold anything. Control characters are written as in JSON and TOML: `\u001b`, `\u202e`. So
//! escaped JSON or TOML keeps its meaning.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether the character controls the display: a control character, a line separator or a bidirectional mark.
pub fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Escapes the control characters of a text, except line ends and tabs.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    let is_shown = |character: char| matches!(character, '\n' | '\t') || !is_control(character);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_shown(character) {
            true => escaped.push(character),
            // Writing to a string never fails.
            false => drop(write!(escaped, "\\u{:04x}", u32::from(character))),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_control_characters_and_keeps_rest() {
        for plain in ["", "Sijbrands, T.\n\tWiersma, H.\n", "Ш. Вирный", "한국어 עברית é", "a\u{200b}b"]
        {
            assert!(matches!(escape_text(plain), Cow::Borrowed(same) if same == plain));
        }
        assert_eq!(escape_text("\u{1b}[2J12345\r\u{7}"), "\\u001b[2J12345\\u000d\\u0007");
        assert_eq!(escape_text("a\u{202e}b\u{2028}c\u{2069}\u{9b}0m"), "a\\u202eb\\u2028c\\u2069\\u009b0m");
    }

    proptest::proptest! {
        #[test]
        fn no_control_character_remains(input: String) {
            let shown = escape_text(&input);
            proptest::prop_assert!(shown.chars().all(|character| matches!(character, '\n' | '\t') || !is_control(character)));
        }
    }
}
