//! Splits text into tokens with their places. Lookahead is at most [`MAX_TOKEN_LEN`] bytes; a longer token is truncated and flagged once.
//!
//! ```text
//! window of text ──▸ skip blanks ──▸ { } comment   ; comment   % comment   [ ] tag   / / setup   ( ) variation   or a word
//! ```
//!
//! The caller owns the text and shows a window of it that may still grow ([`InputState::MayGrow`]); `None` requests a longer window. The
//! tokens do not depend on the windows: a token is returned only if its end is visible or cannot depend on later text.

use memchr::{memchr, memchr2, memchr2_iter};

use super::problem::Location;
use super::words::{self, Word};

/// Maximum length of a comment, tag or setup in bytes. The longest comment in all known collections has 4 kB.
pub const MAX_TOKEN_LEN: usize = 64 * 1024;

/// Maximum length of a setup in bytes; 72 squares need less than 400.
const MAX_SETUP_LEN: usize = 4 * 1024;

/// Number of bytes that decide whether a slash begins a setup: `/`, blanks, `FEN`.
const MAX_FEN_PREFIX_LEN: usize = 16;

/// A piece of text with its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// Kind of token.
    pub kind: TokenKind,
    /// Complete text, brackets and braces included.
    pub text: &'a str,
    /// Place of the first character.
    pub location: Location,
    /// Whether a blank or the start of the text precedes it.
    pub has_space_before: bool,
    /// Whether an empty line precedes it.
    pub is_after_empty_line: bool,
    /// Problem with its extent.
    pub flaw: Option<TokenFlaw>,
}

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TokenKind {
    /// `[Name "value"]`
    Tag,
    /// `{...}`
    Comment,
    /// `; ...` to the end of the line.
    LineComment,
    /// `% ...` to the end of the line; usually at the start of one.
    PercentLine,
    /// `/FEN "..."/`
    Setup,
    /// `(`
    Open,
    /// `)`
    Close,
    /// A word of the movetext.
    Word(Word),
}

/// Problem with the extent of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TokenFlaw {
    /// Missing end: a tag or setup then ends with its line, a comment with the text.
    Unclosed,
    /// Longer than [`MAX_TOKEN_LEN`]; the rest is skipped.
    TooLong,
}

/// Whether more text may follow the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputState {
    /// More text may follow.
    MayGrow,
    /// The window reaches the end of the text.
    Complete,
}

/// State between tokens: the position, and the kind of text being skipped.
///
/// # Examples
///
/// ```
/// use draughts_pdn::lexer::{InputState, Lexer};
///
/// let (mut lexer, mut window) = (Lexer::default(), "[White \"?\"] {none}");
/// let mut tokens = Vec::new();
/// while let Some(token) = lexer.next(&mut window, InputState::Complete) {
///     tokens.push(token.text);
/// }
/// assert_eq!(tokens, ["[White \"?\"]", "{none}"]);
/// ```
#[derive(Clone, Debug)]
pub struct Lexer {
    /// Start of the window.
    pub(super) cursor: TextCursor,
    /// Whether the last character was a carriage return; a line feed after it belongs to the same line end.
    pub(super) is_after_cr: bool,
    pub(super) has_space_before: bool,
    /// Line in which the last token ended.
    pub(super) last_line: u64,
    skipping: Option<Skip>,
    /// First blank that is not a blank by the standard, with its place.
    odd_blank: Option<(Location, char)>,
}

/// A position in a text. Its form makes advancing over ASCII one addition: a column is the distance from the origin of its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextCursor {
    /// Offset in bytes of the text, from 0.
    pub offset: u64,
    /// Line, from 1.
    pub line: u64,
    /// Offset of the line end before this line, plus the number of bytes in the line that begin no character.
    pub origin: u64,
}

impl TextCursor {
    pub(super) fn location(self) -> Location {
        Location { line: self.line, column: self.offset.wrapping_sub(self.origin) }
    }

    /// Advances over bytes. `after_cr`: whether a carriage return precedes them.
    pub(super) fn pass(&mut self, bytes: &[u8], after_cr: bool) {
        let start = self.offset;
        self.offset += bytes.len() as u64;
        if is_plain(bytes) {
            return;
        }
        let mut line_start = 0;
        for at in memchr2_iter(b'\n', b'\r', bytes) {
            let is_second_half = bytes[at] == b'\n' && if at == 0 { after_cr } else { bytes[at - 1] == b'\r' };
            self.line += u64::from(!is_second_half);
            self.origin = start + at as u64;
            line_start = at + 1;
        }
        // Continuation bytes of UTF-8 begin no character.
        let continuations = bytes[line_start..].iter().filter(|byte| **byte & 0xC0 == 0x80).count();
        self.origin = self.origin.wrapping_add(continuations as u64);
    }
}

/// Converts byte offsets of a text to places; fast for ascending offsets.
///
/// # Examples
///
/// ```
/// use draughts_pdn::lexer::Locator;
///
/// let text = "é!\r\n1. 32-28";
/// let mut places = Locator::new(text);
/// assert_eq!(places.at(text.find('!').unwrap()).to_string(), "1:2");
/// assert_eq!(places.at(text.find("32").unwrap()).to_string(), "2:4");
/// ```
#[derive(Clone, Debug)]
pub struct Locator<'t> {
    text: &'t str,
    cursor: TextCursor,
    cursor_offset: usize,
}

impl Locator<'_> {
    /// Creates the locator of a text.
    pub fn new(text: &str) -> Locator<'_> {
        Locator { text, cursor: Lexer::default().cursor, cursor_offset: 0 }
    }

    /// Returns the place of the byte at an offset; offsets beyond the end count as the end.
    pub fn at(&mut self, offset: usize) -> Location {
        let offset = offset.min(self.text.len());
        if offset < self.cursor_offset {
            (self.cursor, self.cursor_offset) = (Lexer::default().cursor, 0);
        }
        let after_cr = self.text.as_bytes()[..self.cursor_offset].last() == Some(&b'\r');
        self.cursor.pass(&self.text.as_bytes()[self.cursor_offset..offset], after_cr);
        self.cursor_offset = offset;
        self.cursor.location()
    }
}

/// Whether all bytes are ASCII without line ends and other control characters, so that bytes equal columns.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |is_plain, byte| is_plain & matches!(byte, b' '..=0x7f))
}

/// Kind of an overlong token whose rest is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skip {
    ToBrace,
    ToLineEnd,
}

impl Default for Lexer {
    fn default() -> Lexer {
        // Line end before the first line.
        let reached = TextCursor { offset: 0, line: 1, origin: u64::MAX };
        Lexer {
            cursor: reached,
            is_after_cr: false,
            has_space_before: true,
            last_line: 1,
            skipping: None,
            odd_blank: None,
        }
    }
}

/// Extent of a token.
enum Extent {
    /// Length in bytes.
    Bytes(usize, Option<TokenFlaw>),
    /// The window is too short to decide.
    Unknown,
}

impl Lexer {
    /// Creates a lexer at the start of this line, within a file.
    pub(super) fn at_line(line: u64) -> Lexer {
        // Only the very start of a file has offset 0.
        Lexer { cursor: TextCursor { offset: 1, line, origin: 0 }, last_line: line, ..Lexer::default() }
    }

    /// Returns the place of the start of the window.
    pub fn location(&self) -> Location {
        self.cursor.location()
    }

    /// Returns the place after this part of the window.
    pub(super) fn location_after(&self, text: &str) -> Location {
        let mut reached = self.cursor;
        reached.pass(text.as_bytes(), self.is_after_cr);
        reached.location()
    }

    /// Returns the first blank so far that is not a blank by the standard, except a byte order mark at the very start.
    pub(super) fn odd_blank(&self) -> Option<(Location, char)> {
        self.odd_blank
    }

    pub(super) fn set_odd_blank(&mut self, found: Option<(Location, char)>) {
        self.odd_blank = found;
    }

    /// Whether the position is within an overlong token, or between the two bytes of a line end.
    pub(super) fn is_mid_token(&self) -> bool {
        self.skipping.is_some() || self.is_after_cr
    }

    /// Whether a token can begin behind this text: it is blank. If so, advances behind it.
    pub(super) fn is_at_token(&mut self, mut text: &str) -> bool {
        let is_blank = self.skipping.is_none() && text.chars().all(is_blank);
        is_blank && self.skip(&mut text).is_some()
    }

    /// Returns the next token and advances the window behind it; `None` if the window cannot decide more.
    pub fn next<'a>(&mut self, window: &mut &'a str, input: InputState) -> Option<Token<'a>> {
        self.skip(window)?;
        let text = *window;
        let &first = text.as_bytes().first()?;
        let extent = match first {
            b'{' => (TokenKind::Comment, braces(text, input)),
            b';' => (TokenKind::LineComment, line(text, input)),
            b'%' => (TokenKind::PercentLine, line(text, input)),
            b'[' => (TokenKind::Tag, tag(text, input)),
            b'/' => match setup(text, input) {
                Some(extent) => (TokenKind::Setup, extent),
                None => word(text, input),
            },
            b')' => (TokenKind::Close, Extent::Bytes(1, None)),
            _ => word(text, input),
        };
        let (kind, Extent::Bytes(length, flaw)) = extent else { return None };
        let (place, spaced) = (self.location(), self.has_space_before);
        let (kind, length) = match kind {
            TokenKind::Word(Word::Junk) if place.column == 1 => damaged_tag(text).unwrap_or((kind, length)),
            kind => (kind, length),
        };
        let after_empty_line = place.line > self.last_line + 1;
        let token = Token {
            kind,
            text: &text[..length],
            location: place,
            has_space_before: spaced,
            is_after_empty_line: after_empty_line,
            flaw,
        };
        if flaw == Some(TokenFlaw::TooLong) {
            self.skipping = Some(if kind == TokenKind::Comment { Skip::ToBrace } else { Skip::ToLineEnd });
        }
        self.advance(token.text);
        self.last_line = self.cursor.line;
        self.has_space_before = false;
        *window = &text[length..];
        Some(token)
    }

    /// Skips blanks and the rest of an overlong token. `None` if that used up the window.
    fn skip(&mut self, window: &mut &str) -> Option<()> {
        if let Some(skip) = self.skipping {
            let end = match skip {
                Skip::ToBrace => memchr(b'}', window.as_bytes()).map(|at| at + 1),
                Skip::ToLineEnd => memchr2(b'\n', b'\r', window.as_bytes()),
            };
            let end = end.inspect(|_| self.skipping = None);
            self.advance_over(window, end.unwrap_or(window.len()));
            end?;
        }
        // Most blanks are single blanks and line ends; check others character by character.
        let plain = window.bytes().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
        let blanks = plain + window[plain..].find(|c: char| !is_blank(c)).unwrap_or(window.len() - plain);
        if blanks > plain && self.odd_blank.is_none() {
            self.odd_blank = self.find_odd_blank(&window[..blanks]);
        }
        if blanks > 0 {
            self.has_space_before = true;
            self.advance_over(window, blanks);
        }
        Some(())
    }

    #[cold]
    fn find_odd_blank(&self, blanks: &str) -> Option<(Location, char)> {
        let is_mark = |at| self.cursor.offset == 0 && at == 0 && blanks.starts_with('\u{feff}');
        let odd = blanks.char_indices().find(|&(at, c)| !matches!(c, ' ' | '\n' | '\r' | '\t') && !is_mark(at));
        odd.map(|(at, c)| (self.location_after(&blanks[..at]), c))
    }

    fn advance_over(&mut self, window: &mut &str, length: usize) {
        self.advance(&window[..length]);
        *window = &window[length..];
    }

    /// Advances the position behind a text.
    fn advance(&mut self, text: &str) {
        if let Some(last) = text.as_bytes().last() {
            self.cursor.pass(text.as_bytes(), self.is_after_cr);
            self.is_after_cr = *last == b'\r';
        }
    }
}

/// Whether the character is a blank in any file seen, including the no-break space and a stray byte order mark.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{a0}' | '\u{feff}' | '\u{1a}')
}

/// Returns a word, or the parenthesis that opens a variation.
fn word(text: &str, input: InputState) -> (TokenKind, Extent) {
    // Two characters more than the longest word, because the following text may matter.
    if input == InputState::MayGrow && text.len() < words::MAX_WORD_LEN + 8 {
        return (TokenKind::Word(Word::Junk), Extent::Unknown);
    }
    match words::word(text) {
        (Word::Junk, _) if text.starts_with('(') => (TokenKind::Open, Extent::Bytes(1, None)),
        (word, length) => (TokenKind::Word(word), Extent::Bytes(length, None)),
    }
}

/// Recognises a tag without its opening bracket: a line that begins with a name, ends with a quote and a bracket or with a bracket, and is
/// not longer than a word. Its words would otherwise be read as moves.
fn damaged_tag(text: &str) -> Option<(TokenKind, usize)> {
    let seen = &text.as_bytes()[..text.len().min(words::MAX_WORD_LEN)];
    let line = memchr2(b'\n', b'\r', seen).unwrap_or(if text.len() == seen.len() { seen.len() } else { return None });
    let line = text.get(..line)?.trim_end_matches([' ', '\t']);
    let is_tag = line.starts_with(|c: char| c.is_ascii_alphabetic())
        && line.ends_with(']')
        && line.contains('"')
        && !line.contains(['[', '{', '}', ';']);
    is_tag.then_some((TokenKind::Tag, line.len()))
}

fn braces(text: &str, input: InputState) -> Extent {
    match memchr(b'}', &text.as_bytes()[..text.len().min(MAX_TOKEN_LEN)]) {
        Some(at) => Extent::Bytes(at + 1, None),
        None if text.len() >= MAX_TOKEN_LEN => {
            Extent::Bytes(floor_boundary(text, MAX_TOKEN_LEN), Some(TokenFlaw::TooLong))
        }
        None if input == InputState::Complete => Extent::Bytes(text.len(), Some(TokenFlaw::Unclosed)),
        None => Extent::Unknown,
    }
}

fn line(text: &str, input: InputState) -> Extent {
    match memchr2(b'\n', b'\r', &text.as_bytes()[..text.len().min(MAX_TOKEN_LEN)]) {
        Some(at) => Extent::Bytes(at, None),
        None if text.len() >= MAX_TOKEN_LEN => {
            Extent::Bytes(floor_boundary(text, MAX_TOKEN_LEN), Some(TokenFlaw::TooLong))
        }
        None if input == InputState::Complete => Extent::Bytes(text.len(), None),
        None => Extent::Unknown,
    }
}

/// Returns the extent of `/FEN "..."/`; `None` if the slash begins no setup. A setup that is not closed ends where another token begins, or
/// with its line.
fn setup(text: &str, input: InputState) -> Option<Extent> {
    let bytes = text.as_bytes();
    let seen = &bytes[..bytes.len().min(MAX_SETUP_LEN)];
    if input == InputState::MayGrow && seen.len() < MAX_FEN_PREFIX_LEN {
        return Some(Extent::Unknown);
    }
    if !starts_with_fen_word(text) && !is_bare_fen(bytes) {
        return None;
    }
    let end = seen[1..].iter().position(|byte| matches!(byte, b'/' | b'[' | b'{')).map(|at| at + 1);
    match end {
        Some(at) if seen[at] == b'/' => return Some(Extent::Bytes(at + 1, None)),
        None if input == InputState::MayGrow && seen.len() < MAX_SETUP_LEN => return Some(Extent::Unknown),
        _ => {}
    }
    let seen = &seen[..end.unwrap_or(seen.len())];
    let line = seen.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(seen.len());
    Some(Extent::Bytes(floor_boundary(text, line), Some(TokenFlaw::Unclosed)))
}

fn starts_with_fen_word(text: &str) -> bool {
    let name = text[1..].trim_start();
    let blanks = text.len() - 1 - name.len();
    blanks + 4 <= MAX_FEN_PREFIX_LEN && name.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("FEN"))
}

/// Whether the text is `/W:W31:B1,2/`, a setup without its word and quotes.
fn is_bare_fen(bytes: &[u8]) -> bool {
    matches!(bytes, [b'/', b'W' | b'B' | b'w' | b'b' | b'?', b':', ..])
}

/// Returns the extent of a tag, which ends at the bracket after the closing quote. If the value contains quotes, the closing one must be
/// guessed: the first one followed by a bracket, or an escaped one if there is no other in the line. A tag without an end ends with its
/// line, unless its value continues in the next.
fn tag(text: &str, input: InputState) -> Extent {
    let bytes = text.as_bytes();
    let seen = &bytes[..bytes.len().min(MAX_TOKEN_LEN)];
    let cut = || {
        if seen.len() == MAX_TOKEN_LEN {
            Extent::Bytes(floor_boundary(text, MAX_TOKEN_LEN), Some(TokenFlaw::TooLong))
        } else if input == InputState::Complete {
            Extent::Bytes(seen.len(), Some(TokenFlaw::Unclosed))
        } else {
            Extent::Unknown
        }
    };
    // The name.
    let Some(mut at) = seen.iter().skip(1).position(|byte| matches!(byte, b'"' | b']' | b'[' | b'\n' | b'\r')) else {
        return cut();
    };
    at += 1;
    match seen[at] {
        b'"' => {}
        b']' => return Extent::Bytes(at + 1, None),
        _ => return Extent::Bytes(at, Some(TokenFlaw::Unclosed)),
    }
    // The value.
    let mut behind_escaped = None;
    loop {
        at += 1;
        match seen.get(at) {
            None => match (behind_escaped, cut()) {
                (Some(end), Extent::Bytes(..)) => return Extent::Bytes(end, None),
                (_, cut) => return cut,
            },
            Some(b'\\') if seen.get(at + 1) == Some(&b'"') => {
                at += 1;
                if behind_escaped.is_none() {
                    behind_escaped = bracket_after(seen, at);
                }
            }
            // A backslash or quote at the very end of the window: the following text decides.
            Some(b'"') => match bracket_after(seen, at) {
                Some(end) => return Extent::Bytes(end, None),
                None => {
                    let next = seen[at + 1..].iter().position(|byte| !matches!(byte, b' ' | b'\t'));
                    match next.map(|next| at + 1 + next) {
                        None => {}
                        Some(next) if matches!(seen[next], b'\n' | b'\r') => {
                            return Extent::Bytes(at + 1, Some(TokenFlaw::Unclosed));
                        }
                        Some(_) => {}
                    }
                }
            },
            Some(b'\n' | b'\r') => {
                if let Some(end) = behind_escaped {
                    return Extent::Bytes(end, None);
                }
                let crlf = usize::from(seen[at..].starts_with(b"\r\n"));
                match seen.get(at + 1 + crlf) {
                    None if input == InputState::MayGrow && seen.len() < MAX_TOKEN_LEN => return Extent::Unknown,
                    None | Some(b'\n' | b'\r' | b'[') => return Extent::Bytes(at, Some(TokenFlaw::Unclosed)),
                    Some(_) => at += crlf,
                }
            }
            Some(_) => {}
        }
    }
}

/// Returns the end of the bracket after a quote and blanks.
fn bracket_after(bytes: &[u8], quote: usize) -> Option<usize> {
    let blanks = bytes[quote + 1..].iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let at = quote + 1 + blanks;
    (bytes[at] == b']').then_some(at + 1)
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let (mut lexer, mut window) = (Lexer::default(), text);
        std::iter::from_fn(|| lexer.next(&mut window, InputState::Complete)).collect()
    }

    #[test]
    fn tokens_have_positions() {
        let text = "\u{feff}[White \"Й\"] [Black \"b\"]\r\n% line\r1.32-28! {a\nb} (18-23) /FEN \"B::\"/ *";
        let found: Vec<_> = tokens(text).iter().map(|token| (token.text, token.location.to_string())).collect();
        let expected = [
            ("[White \"Й\"]", "1:2"),
            ("[Black \"b\"]", "1:14"),
            ("% line", "2:1"),
            ("1.", "3:1"),
            ("32-28", "3:3"),
            ("!", "3:8"),
            ("{a\nb}", "3:10"),
            ("(", "4:4"),
            ("18-23", "4:5"),
            (")", "4:10"),
            ("/FEN \"B::\"/", "4:12"),
            ("*", "4:24"),
        ];
        assert_eq!(found, expected.map(|(text, place)| (text, place.to_owned())));
    }

    #[test]
    fn tag_ends_at_expected_place() {
        for (text, tag, flaw) in [
            (r#"[A "b"]c"#, r#"[A "b"]"#, None),
            (r#"[A   "b"  ] c"#, r#"[A   "b"  ]"#, None),
            (r#"[A "b \"c\""] d"#, r#"[A "b \"c\""]"#, None),
            (r#"[A "b "c" d"] e"#, r#"[A "b "c" d"]"#, None),
            (r#"[A "C:\"] d"#, r#"[A "C:\"]"#, None),
            ("[A \"C:\\\"]\n[B \"c\"]", "[A \"C:\\\"]", None),
            ("[A \"b\n[B \"c\"]", "[A \"b", Some(TokenFlaw::Unclosed)),
            ("[A \"b]\n[B \"c\"]", "[A \"b]", Some(TokenFlaw::Unclosed)),
            ("[A \"b\nc\"] d", "[A \"b\nc\"]", None),
            ("[Empty]\n", "[Empty]", None),
            ("[[A \"b\"]", "[", Some(TokenFlaw::Unclosed)),
        ] {
            let first = tokens(text)[0];
            assert_eq!((first.text, first.flaw), (tag, flaw), "{text}");
        }
    }

    #[test]
    fn truncates_unbounded_tokens() {
        for (open, close) in [("{", "} "), ("[A \"", "\n"), (";", "\n"), ("%", "\n")] {
            let text = format!("{open}{}{close}32-28", "x".repeat(10_000_000));
            let found = tokens(&text);
            assert_eq!(found.len(), 2, "{open}");
            assert_eq!((found[0].text.len(), found[0].flaw), (MAX_TOKEN_LEN, Some(TokenFlaw::TooLong)));
            assert_eq!(found[1].text, "32-28");
        }
    }

    #[test]
    fn windows_do_not_change_tokens() {
        let text = "[A \"b\"c\"]\r\n[D \"e\\\"]\r\n1. 32 - 28!? {x} (18-23 $1) 3228 ; rest\r\n/FEN \"W:W1:B2\"/ 1 1/2 - 1/2 %\r\n% x";
        let whole: Vec<_> =
            tokens(text).iter().map(|token| (token.kind, token.text.to_owned(), token.location)).collect();
        for size in 1..text.len() {
            let (mut lexer, mut found) = (Lexer::default(), Vec::new());
            let (mut done, mut shown) = (0, 0);
            while shown < text.len() || done < text.len() {
                shown = (shown + size).min(text.len());
                if !text.is_char_boundary(shown) {
                    continue;
                }
                let input = if shown == text.len() { InputState::Complete } else { InputState::MayGrow };
                let mut window = &text[done..shown];
                while let Some(token) = lexer.next(&mut window, input) {
                    found.push((token.kind, token.text.to_owned(), token.location));
                }
                done = shown - window.len();
                if shown == text.len() {
                    break;
                }
            }
            assert_eq!(found, whole, "windows of {size}");
        }
    }
}
