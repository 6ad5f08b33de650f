//! Writes games as PDN 3.0, with byte-for-byte stable output.
//!
//! | style | layout |
//! |---|---|
//! | [`Style::Compact`] | movetext wrapped before column 80, never inside a token; a comment is wrapped between its words, never inside a command |
//! | [`Style::Live`] | one ply per line, followed by its clock; a setup on its own line |
//!
//! [`crate::standard()`] decides the form of moves, separators and numbers; the writer writes what it receives. It replaces text that no
//! reader could read back: a `}` inside a comment becomes `)`, a line break a blank, an unknown move or other text in place of a move a
//! comment, and a strength `*` the glyph `$7`. If a move has captured squares, it writes them as in the proposal for PDN 3.1; no other
//! output deviates from 3.0.
//!
//! Invariants: the text reads back as the same game; every game ends with ` *`; the file is UTF-8 with LF; the blank line after the tags
//! and between games is truly empty (splitters depend on it).
//!
//! Sources: PDN 3.0, chapter "PDN Grammars", restrictions 1 to 5; chapter "PDN Examples" for both styles.

use std::borrow::Cow;

use crate::game::{Entry, Game, MoveEntry};
use crate::notation;
use crate::tag;

/// Layout of the movetext.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Style, reader, writer};
///
/// let (games, _) = reader::read("1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 *");
/// assert_eq!(writer::write(&games, Style::Live), "1. 32-28 {[%clock w1:19:50 B1:20:00]}\n19-23\n*\n");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Style {
    /// Wrapped before column 80.
    #[default]
    Compact,
    /// One ply per line.
    Live,
}

/// Maximum line length of the compact style; a longer token exceeds it.
const MAX_LINE_LEN: usize = 79;

/// Returns all games as one file.
pub fn write(games: &[Game], style: Style) -> String {
    let mut text = String::new();
    // "A game can not be empty": skip games without content.
    for game in games.iter().filter(|game| !game.tags.is_empty() || !game.entries.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        write_game(&mut text, game, style);
    }
    text
}

/// Appends one game, with its terminator and a line break.
pub fn write_game(text: &mut String, game: &Game, style: Style) {
    for tag in game.tags.iter() {
        let value = match tag.value.contains(['\n', '\r']) {
            true => tag.value.replace(['\n', '\r'], " ").into(),
            false => Cow::from(&tag.value),
        };
        tag::push(text, &tag_name(&tag.name), &value);
        text.push('\n');
    }
    if !game.tags.is_empty() {
        text.push('\n');
    }
    // A move with half of its number has about eight characters.
    text.reserve(8 * game.entries.len().min(1000));
    let mut lines = Lines { text, column: 0, last: Last::Break };
    let mut depth = 0_usize;
    for entry in &game.entries {
        if style == Style::Live && depth == 0 && matches!(entry, Entry::Move(_) | Entry::Setup(_)) {
            lines.line_break();
        }
        let wrap = if style == Style::Compact || depth > 0 { Wrap::Yes } else { Wrap::No };
        match entry {
            Entry::Move(ply) => lines.ply(ply, wrap),
            Entry::Setup(fen) => lines.token(&setup(fen), wrap),
            Entry::Comment(comment) => lines.comment(comment, wrap),
            Entry::Nag(nag) => lines.token(&format!("${}", nag % 1_000_000_000), wrap),
            Entry::Open => {
                depth += 1;
                lines.token("(", wrap);
            }
            Entry::Close => {
                depth = depth.saturating_sub(1);
                lines.token(")", wrap);
            }
        }
    }
    if style == Style::Live {
        lines.line_break();
    }
    lines.token("*", Wrap::Yes);
    text.push('\n');
}

/// Returns a move with number and strength, as in a file: `12. 32-28!`.
pub fn ply_text(ply: &MoveEntry) -> String {
    let mut text = String::with_capacity(16 + ply.text.len());
    push_ply(&mut text, ply, |text| text.push_str(&ply.text));
    text
}

/// Appends a move whose squares `push` appends.
fn push_ply(text: &mut String, ply: &MoveEntry, push: impl FnOnce(&mut String)) {
    if let Some(number) = ply.number {
        let (mut digits, mut at, mut rest) = ([b'0'; 10], 10, number.value);
        while at == 10 || rest > 0 {
            at -= 1;
            digits[at] += (rest % 10) as u8;
            rest /= 10;
        }
        text.extend(digits[at..].iter().map(|&digit| char::from(digit)));
        text.push_str(if number.ellipsis { "... " } else { ". " });
    }
    push(text);
    text.push_str(ply.strength.as_deref().filter(|strength| is_strength(strength)).unwrap_or(""));
}

/// Returns a setup as in a file.
pub fn setup(fen: &str) -> String {
    format!("/FEN \"{}\"/", fen.replace(['"', '/', '\n', '\r'], ""))
}

/// Returns a comment as in a file, without line breaks.
pub fn comment(text: &str) -> String {
    format!("{{{}}}", comment_line(text))
}

/// Returns a name that readers accept: the given one, or its valid characters.
pub(super) fn tag_name(name: &str) -> Cow<'_, str> {
    if tag::is_identifier(name) {
        return name.into();
    }
    let mut clean = String::new();
    let mut is_first = true;
    for c in name.chars() {
        match c {
            'a'..='z' if is_first => clean.push(c.to_ascii_uppercase()),
            c if c.is_ascii_alphanumeric() || c == '_' => clean.push(c),
            _ => {
                is_first = true;
                continue;
            }
        }
        is_first = false;
    }
    let clean = clean.trim_start_matches(|c: char| !c.is_ascii_uppercase());
    if clean.is_empty() { "Unnamed".into() } else { clean.to_owned().into() }
}

fn is_strength(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    !inner.is_empty() && inner.bytes().all(|byte| matches!(byte, b'!' | b'?'))
}

/// Returns a comment in one line, without what would end it.
pub(super) fn comment_line(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(crate::syntax::is_comment_blank);
    match text.contains(['\n', '\r', '}']) {
        true => text.replace(['\n', '\r'], " ").replace('}', ")").into(),
        false => text.into(),
    }
}

/// Returns the words of a [`comment_line`], which may be on separate lines. Blanks inside a command, and runs of blanks, belong to
/// their word.
pub(super) fn comment_words(line: &str) -> impl Iterator<Item = &str> {
    let bytes = line.as_bytes();
    let (mut is_command, mut start, mut at) = (false, 0, 0);
    let mut is_over = false;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let (byte, next) = (bytes[at], bytes.get(at + 1));
            is_command = (is_command || byte == b'[' && next == Some(&b'%')) && byte != b']';
            let is_lone = at > start
                && !matches!(bytes[at - 1], b' ' | b'\t')
                && !matches!(next, Some(b' ' | b'\t' | b'%') | None);
            at += 1;
            if byte == b' ' && !is_command && is_lone {
                return Some(&line[std::mem::replace(&mut start, at)..at - 1]);
            }
        }
        (!std::mem::replace(&mut is_over, true)).then(|| &line[start..])
    })
}

fn count_characters(text: &str) -> usize {
    text.chars().count()
}

/// Whether a line may end before this token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrap {
    Yes,
    No,
}

/// Kind of the last token in the text so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Break,
    Token,
}

/// Lays out tokens in lines.
struct Lines<'t> {
    text: &'t mut String,
    column: usize,
    last: Last,
}

impl Lines<'_> {
    fn line_break(&mut self) {
        if self.last == Last::Token {
            self.text.push('\n');
            self.column = 0;
            self.last = Last::Break;
        }
    }

    fn token(&mut self, token: &str, wrap: Wrap) {
        self.token_from(wrap, count_characters, |text| text.push_str(token));
    }

    /// Adds the token that `push` appends, whose length `measure` returns.
    fn token_from(&mut self, wrap: Wrap, measure: fn(&str) -> usize, push: impl FnOnce(&mut String)) {
        let has_before = self.last == Last::Token;
        let separator = self.text.len();
        if has_before {
            self.text.push(' ');
        }
        let start = self.text.len();
        push(self.text);
        let length = measure(&self.text[start..]);
        if has_before && wrap == Wrap::Yes && self.column + 1 + length > MAX_LINE_LEN {
            self.text.replace_range(separator..start, "\n");
            self.column = length;
        } else {
            self.column += usize::from(has_before) + length;
        }
        self.last = Last::Token;
    }

    fn ply(&mut self, ply: &MoveEntry, wrap: Wrap) {
        if !notation::is_move(ply.text.as_bytes()) {
            self.comment(&ply_text(ply), wrap);
            return;
        }
        // All of it is ASCII: its bytes are its characters.
        let squares = ply.text.as_bytes().iter().map(|&byte| char::from(byte));
        self.token_from(wrap, str::len, |text| push_ply(text, ply, |text| text.extend(squares)));
        if let Some(captured) = ply.captured.as_deref().filter(|captured| notation::is_list(captured)) {
            self.token(&format!("<{captured}>"), wrap);
        }
        if let Some(strength) = ply.strength.as_deref().filter(|strength| !is_strength(strength)) {
            match crate::syntax::nag_of(strength) {
                Some(nag) => self.token(&format!("${nag}"), wrap),
                None => self.comment(strength, wrap),
            }
        }
    }

    fn comment(&mut self, comment: &str, wrap: Wrap) {
        let line = comment_line(comment);
        let mut words = comment_words(&line).peekable();
        let mut open = "{";
        while let Some(word) = words.next() {
            let close = if words.peek().is_none() { "}" } else { "" };
            self.token_from(wrap, count_characters, |text| text.extend([open, word, close]));
            open = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::MoveNumber;

    #[test]
    fn refuses_unreadable_output() {
        let mut game = Game::default();
        game.tags.set("Heure blanche", "a \"b\"\nc");
        let number = Some(MoveNumber { value: 41, ellipsis: false });
        game.entries = vec![
            Entry::Comment("a } b\r\nc".into()),
            Entry::Move(MoveEntry { number, strength: Some("*".into()), ..MoveEntry::new("32-28") }),
            Entry::Move(MoveEntry::new("-")),
            Entry::Setup("B:\"W1/:B2".into()),
        ];
        let expected = "[HeureBlanche \"a \\\"b\\\" c\"]\n\n{a ) b  c} 41. 32-28 $7 {-} /FEN \"B:W1:B2\"/ *\n";
        assert_eq!(write(&[game], Style::Compact), expected);
    }

    #[test]
    fn words_of_comment_make_its_line() {
        let words = |line: &'static str| comment_words(line).collect::<Vec<_>>();
        assert_eq!(words(""), [""]);
        assert_eq!(words("a good move"), ["a", "good", "move"]);
        assert_eq!(words("a  b %x [%clock w1 B2] c"), ["a  b %x", "[%clock w1 B2]", "c"]);
        assert_eq!(words("é\t b [%open to the end"), ["é\t b", "[%open to the end"]);
        for text in [" a  b ", "[ x] y %z  [%c ] ]", "} a\r\nb\n{", "- - -", "[%a b] c [%d"] {
            let line = comment_line(text);
            assert_eq!(comment_words(&line).collect::<Vec<_>>().join(" "), line);
        }
    }

    #[test]
    fn lines_stay_below_80_and_commands_stay_whole() {
        let long = format!("[%clock w1:19:50 B1:20:00] {} [%csl Rd4 Gb2] %x", "word ".repeat(40));
        let game = Game { entries: vec![Entry::Comment(long.clone()); 3], ..Game::default() };
        let text = write(std::slice::from_ref(&game), Style::Compact);
        assert!(text.lines().all(|line| line.len() < 80 && !line.starts_with('%')), "{text}");
        assert_eq!(text.matches("[%clock w1:19:50 B1:20:00]").count(), 3);
        assert_eq!(crate::reader::read(&text).0, [Game { entries: vec![Entry::Comment(long); 3], ..Game::default() }]);
    }
}
