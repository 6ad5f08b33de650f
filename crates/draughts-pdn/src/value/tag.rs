//! Parses and writes the text of one tag: `[White "Wiersma, Harm"]`.
//!
//! | strict in writing | liberal in reading |
//! |---|---|
//! | a name of letters, digits and `_` that begins with a capital | any name, including blanks and foreign languages |
//! | `"` in a value as `\"` | unescaped quotes, a missing quote or bracket |
//!
//! Source: PDN 3.0, chapters "PDN Tags" and "PDN Grammars" (IDENTIFIER, STRING).

use nom::bytes::complete::take_while;
use nom::character::complete::{char, multispace0, satisfy};
use nom::combinator::recognize;
use nom::{IResult, Parser};

/// Parts of a tag.
///
/// # Examples
///
/// ```
/// use draughts_pdn::tag;
///
/// let parts = tag::parts("[White \"Wiersma, \\\"Harm\\\"\"]");
/// assert_eq!((parts.name.as_str(), parts.value.as_str()), ("White", "Wiersma, \"Harm\""));
/// assert_eq!(tag::write(&parts.name, &parts.value), "[White \"Wiersma, \\\"Harm\\\"\"]");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagParts {
    /// Text before the first quote, without surrounding blanks.
    pub name: String,
    /// Value, with escapes resolved and line breaks as blanks.
    pub value: String,
    /// All deviations from the standard.
    pub flaws: Vec<TagFlaw>,
}

/// Deviation of a tag from the standard's form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TagFlaw {
    /// Name that is not an identifier with a capital first letter.
    Name,
    /// Missing value.
    NoValue,
    /// Quote inside the value without a backslash.
    BareQuote,
    /// Missing closing quote or bracket.
    Unclosed,
    /// Line break in the value.
    LineBreak,
    /// Missing opening bracket.
    Unopened,
}

/// Whether this is a name by the standard: `[A-Z][a-zA-Z0-9_]*`.
pub fn is_identifier(name: &str) -> bool {
    let parsed: IResult<&str, &str> = identifier(name);
    matches!(parsed, Ok(("", _)))
}

fn identifier(text: &str) -> IResult<&str, &str> {
    recognize((satisfy(|c| c.is_ascii_uppercase()), take_while(|c: char| c.is_ascii_alphanumeric() || c == '_')))
        .parse(text)
}

/// Splits the text of a tag into its parts.
pub fn parts(text: &str) -> TagParts {
    if let Some(parts) = plain(text) {
        return parts;
    }
    let mut flaws = Vec::new();
    let inner = text.strip_prefix('[').unwrap_or_else(|| {
        flaws.push(TagFlaw::Unopened);
        text
    });
    let (inner, closed) = match inner.strip_suffix(']') {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let (name, quoted) = match inner.split_once('"') {
        Some((name, quoted)) => (name, Some(quoted.trim_end())),
        None => (inner, None),
    };
    let is_odd_blank = |c: char| c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n' | '\r');
    let has_odd_blank = name.contains(is_odd_blank);
    let name = name.trim();
    if !is_identifier(name) || has_odd_blank {
        flaws.push(TagFlaw::Name);
    }
    let value = match quoted {
        None => {
            flaws.push(TagFlaw::NoValue);
            String::new()
        }
        Some(quoted) => {
            let (value, ended) = match quoted.strip_suffix('"') {
                Some(value) => (value, true),
                None => (quoted, false),
            };
            if !ended || !closed {
                flaws.push(TagFlaw::Unclosed);
            }
            unescaped(value, &mut flaws)
        }
    };
    TagParts { name: name.to_owned(), value, flaws }
}

/// Parses the common case in one pass: `[Name "value"]` without escapes.
fn plain(text: &str) -> Option<TagParts> {
    let parsed: IResult<&str, (char, &str, &str, char)> = (char('['), identifier, multispace0, char('"')).parse(text);
    let (rest, (_, name, _, _)) = parsed.ok()?;
    let value = rest.strip_suffix("\"]")?;
    let is_plain = !value.bytes().any(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r'));
    is_plain.then(|| TagParts { name: name.to_owned(), value: value.to_owned(), flaws: Vec::new() })
}

fn unescaped(text: &str, flaws: &mut Vec<TagFlaw>) -> String {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let flaw = match c {
            '\\' if characters.peek() == Some(&'"') => {
                characters.next();
                value.push('"');
                continue;
            }
            '\r' if characters.peek() == Some(&'\n') => continue,
            '\r' | '\n' => {
                value.push(' ');
                TagFlaw::LineBreak
            }
            '"' => {
                value.push('"');
                TagFlaw::BareQuote
            }
            _ => {
                value.push(c);
                continue;
            }
        };
        if !flaws.contains(&flaw) {
            flaws.push(flaw);
        }
    }
    value
}

/// Returns a tag as the standard writes it. The name must be an identifier.
pub fn write(name: &str, value: &str) -> String {
    let mut text = String::new();
    push(&mut text, name, value);
    text
}

/// Appends the text of [`write()`].
pub(crate) fn push(text: &mut String, name: &str, value: &str) {
    text.extend(["[", name, " \""]);
    let mut parts = value.split('"');
    text.extend(parts.next());
    parts.for_each(|part| text.extend(["\\\"", part]));
    // A backslash at the end would escape the closing quote; the standard has no way to write one.
    text.push_str(if value.ends_with('\\') { " \"]" } else { "\"]" });
}

/// Returns a value that every known reader accepts: readers that split games or tags at brackets lose all tags after a `]`.
///
/// # Examples
///
/// ```
/// assert_eq!(draughts_pdn::tag::reader_safe("Boomstra [2]\n"), "Boomstra (2) ");
/// ```
pub fn reader_safe(value: &str) -> String {
    let replace = |c: char| match c {
        ']' => ')',
        '[' => '(',
        c if c.is_control() => ' ',
        c => c,
    };
    value.chars().map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str, value: &str, flaws: &[TagFlaw]) {
        assert_eq!(parts(text), TagParts { name: name.into(), value: value.into(), flaws: flaws.to_vec() }, "{text}");
    }

    #[test]
    fn splits_tags() {
        check(r#"[White "Wiersma, Harm"]"#, "White", "Wiersma, Harm", &[]);
        check(r#"[Event       "x" ]"#, "Event", "x", &[]);
        check(r#"[A "b \"c\""]"#, "A", "b \"c\"", &[]);
        check(r#"[A "b "c" d"]"#, "A", "b \"c\" d", &[TagFlaw::BareQuote]);
        check("[Empty]", "Empty", "", &[TagFlaw::NoValue]);
        check("[A \"b", "A", "b", &[TagFlaw::Unclosed]);
        check("[A \"b]", "A", "b", &[TagFlaw::Unclosed]);
        check("[A \"b\r\nc\"]", "A", "b c", &[TagFlaw::LineBreak]);
        check("[Heure blanche \"0:10:00\"]", "Heure blanche", "0:10:00", &[TagFlaw::Name]);
        check("[", "", "", &[TagFlaw::Name, TagFlaw::NoValue]);
    }

    #[test]
    fn write_read_roundtrip() {
        for value in ["", "x", "a \"quoted\" name", "Й", "back\\slash"] {
            check(&write("A", value), "A", value, &[]);
        }
    }
}
