//! Formats of names, results and addresses.

use std::borrow::Cow;

use draughts::Color;
use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Longest name on a page, in characters.
const MAX_NAME_LEN: usize = 80;

/// Formats a result, with a dash for the hyphen between its sides.
pub(super) fn score(result: &str) -> String {
    sides(result).map_or_else(|| result.to_owned(), |sides| sides.join("–"))
}

/// Returns one side's part of a result; the whole result if it has no hyphen.
pub(super) fn points(result: &str, color: Color) -> &str {
    sides(result).map_or(result, |sides| sides[color.index()])
}

/// Splits a result into the parts of White and Black; a draw with a plus is `1- - 1+`. `None` if it has no hyphen.
fn sides(result: &str) -> Option<[&str; 2]> {
    let (white, black) = result.split_once(" - ").or_else(|| result.split_once('-'))?;
    Some([white, black])
}

pub(super) fn name(name: Option<&str>) -> Markup {
    html! { bdi { (name.unwrap_or("–")) } }
}

/// Renders a name, with its given names as a part of their own: `Sijbrands`, `, Ton`.
pub(super) fn name_in_parts(text: &str) -> Markup {
    let (family, given) = text.split_at(text.find(", ").unwrap_or(text.len()));
    html! { bdi { (family) @if !given.is_empty() { span.gn { (given) } } } }
}

/// Shortens a text to [`MAX_NAME_LEN`].
pub(super) fn truncated(text: &str) -> Cow<'_, str> {
    shortened(text, MAX_NAME_LEN)
}

/// Shortens a text to a number of characters.
pub(super) fn shortened(text: &str, max_len: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_len) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Isolates a name that is written from right to left, for plain text beside other names. Removes marks of direction.
pub(super) fn isolated(name: &str) -> String {
    // Hebrew to Arabic, and their presentation forms.
    let is_from_right =
        name.chars().any(|c| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'));
    // Remove marks of direction: they would reverse the text after the name.
    let is_mark =
        |c: char| matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let name = name.replace(is_mark, "");
    if is_from_right { format!("\u{2068}{name}\u{2069}") } else { name }
}

/// Characters that a part of a path has as they are, besides letters and digits.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Percent-encodes a part of a path.
pub fn percent_encoded(part: &str) -> String {
    utf8_percent_encode(part, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_does_not_change_direction_of_text_after_it() {
        assert_eq!(isolated("\u{202e}txet \u{2069}x"), "txet x");
        assert_eq!(isolated("\u{200f}\u{646}\u{646}\u{2069}"), "\u{2068}\u{646}\u{646}\u{2069}");
    }

    #[test]
    fn results_are_split_between_their_sides() {
        for (result, white, black, shown) in [
            ("2-0", "2", "0", "2–0"),
            ("1- - 1+", "1-", "1+", "1-–1+"),
            ("1+ - 1-", "1+", "1-", "1+–1-"),
            ("*", "*", "*", "*"),
        ] {
            assert_eq!(
                (points(result, Color::White), points(result, Color::Black), &*score(result)),
                (white, black, shown)
            );
        }
    }
}
