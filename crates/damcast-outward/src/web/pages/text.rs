//! Formats of names, results and addresses.

use std::borrow::Cow;

use draughts::Color;
use maud::{Markup, html};

/// Longest name on a page, in characters.
const MAX_NAME_LEN: usize = 80;

/// Formats a result, with a dash for the hyphen.
pub(super) fn score(result: &str) -> String {
    result.replace('-', "–")
}

/// Returns one side's part of a result; the whole result if it has no hyphen.
pub(super) fn points(result: &str, color: Color) -> String {
    let mut sides = result.split('-');
    let (white, black) = (sides.next().unwrap_or_default(), sides.next());
    match black {
        Some(black) => if color == Color::White { white } else { black }.to_owned(),
        None => result.to_owned(),
    }
}

pub(super) fn name(name: Option<&str>) -> Markup {
    html! { bdi { (name.unwrap_or("–")) } }
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
