//! Text from outside before people see it: nothing in it steers their terminal, or turns round what stands beside it.
//!
//! A serial number, a name, an unknown key can hold anything. What would be obeyed and not shown, is shown as JSON and TOML write
//! it: `\u001b`, `\u202e`. So a text in one of them still says the same.

use std::borrow::Cow;
use std::fmt::Write;

/// Is it obeyed and not shown: a control character, a line separator, or a mark that turns the order of writing?
pub fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A text of several lines, with nothing in it that is obeyed but ends of lines and tabs.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    let is_shown = |character: char| matches!(character, '\n' | '\t') || !is_control(character);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_shown(character) {
            true => escaped.push(character),
            // A string takes everything.
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
