//! Fast path for plain text, which makes up nearly all of most files.
//!
//! ```text
//! [Name "value"]   12.   12...   32-28   28x19!   c3-d4   {comment}   (   )   $1   2-0   *
//! ```
//!
//! [`super::lexer`] and [`super::syntax`] know every dialect and must consider every possibility. This loop knows one form of each token.
//! It stops at the first text of another form, or whose meaning depends on text outside the window; the slow path then reads that one
//! token. Only speed depends on the path taken: events and places are identical, which a test below checks over texts of all dialects.
//!
//! It is fast because each byte is visited once, nothing is copied, a place costs one addition, and the compiler knows the sink that
//! receives the events.

use memchr::memchr;

use super::lexer::{Lexer, MAX_TOKEN_LEN, TextCursor, is_plain};
use super::problem::Location;
use super::syntax::{Event, Sink, Syntax, WrittenMove, is_comment_blank, one_line};
use super::words::MAX_WORD_LEN;
use crate::game::{MoveNumber, Termination};

impl Syntax {
    /// Handles the plain tokens at the start of the window, and advances the window behind them. `STRICT`: only tokens that show all of
    /// their form in their event are plain, so a result is not, nor a number without a move.
    pub(super) fn plain<S: FnMut(Location, Event<'_>), const STRICT: bool>(
        &mut self,
        lexer: &mut Lexer,
        window: &mut &str,
        sink: &mut S,
    ) {
        if lexer.is_mid_token() || !self.is_settled() || STRICT && self.number.is_some() {
            return;
        }
        let TextCursor { offset, line, origin } = lexer.cursor;
        let mut point = Point { text: window, at: 0, line, origin: origin.wrapping_sub(offset) };
        let mut spaced = lexer.has_space_before | point.skip_blanks();
        let mut last_line = lexer.last_line;
        let mut number = self.number.take();
        // Where the number stands: a strict caller sees it as a token unless its move is plain.
        let mut before_number = (point, spaced, last_line);
        loop {
            // Numbers, moves and tags are handled here, other tokens in `plain_other`.
            let rest = point.rest();
            let mut next = point;
            if let Some((length, found)) = plain_number(rest) {
                if number.is_some() {
                    break;
                }
                number = Some((found, point.location()));
                before_number = (point, spaced, last_line);
                next.at += length;
                last_line = point.line;
                spaced = next.skip_blanks();
            } else if let Some(length) = plain_move(rest) {
                next.at += length;
                next.skip_blanks();
                if !is_unrelated_to_move(next.rest()) {
                    break;
                }
                self.game.body = true;
                let number = number.take().map(|(number, _)| number);
                let text = point.text_of(length);
                sink(point.location(), Event::Move(WrittenMove { number, text, strength: None, captured: None }));
                last_line = point.line;
                spaced = true;
            } else if rest.first() == Some(&b'[') {
                if number.is_some() || self.game.body {
                    break;
                }
                let Some(after) = self.plain_tag(point, last_line, sink) else { break };
                next = after;
                last_line = next.line;
                spaced = next.skip_blanks();
            } else {
                if STRICT && (number.is_some() && !matches!(rest.first(), Some(b'0'..=b'9' | b'a'..=b'l'))) {
                    break;
                }
                self.number = number;
                let Some(after) = self.plain_other::<STRICT>(point, spaced, sink) else { break };
                number = self.number;
                next = after;
                last_line = next.line;
                spaced = next.skip_blanks();
            }
            point = next;
        }
        if STRICT && number.take().is_some() {
            (point, spaced, last_line) = before_number;
        }
        self.number = number;
        let offset = offset + point.at as u64;
        let origin = point.origin.wrapping_add(lexer.cursor.offset);
        lexer.cursor = TextCursor { offset, line: point.line, origin };
        lexer.last_line = last_line;
        lexer.has_space_before = spaced;
        *window = &window[point.at..];
    }

    /// Handles one token. `None` if it is not plain; then nothing has changed.
    fn plain_other<'a, const STRICT: bool>(
        &mut self,
        point: Point<'a>,
        spaced: bool,
        sink: &mut Sink<'_>,
    ) -> Option<Point<'a>> {
        let rest = point.rest();
        let place = point.location();
        match *rest.first()? {
            b'{' => {
                let end = memchr(b'}', &rest[..rest.len().min(MAX_TOKEN_LEN)])?;
                self.game.comments = true;
                let text = &point.text_of(end)[1..];
                if is_plain(text.as_bytes()) {
                    sink(place, Event::Comment(text.trim_matches(is_comment_blank)));
                    return Some(point.after_ascii(end + 1));
                }
                sink(place, Event::Comment(&one_line(text)));
                Some(point.after(end + 1))
            }
            b'0'..=b'9' => {
                if let Some(length) = long_move(rest) {
                    return self.plain_ply(point, length, sink);
                }
                let length = plain_result(rest)?;
                if self.depth > 0 || STRICT {
                    return None;
                }
                self.end_game(Termination::Result(point.text_of(length).to_owned()), place, sink);
                Some(point.after_ascii(length))
            }
            b'a'..=b'l' => self.plain_ply(point, long_move(rest)?, sink),
            b'(' if self.number.is_none() && !matches!(rest.get(1)?, b'!' | b'?') => {
                self.game.body = true;
                self.depth += 1;
                sink(place, Event::Open);
                Some(point.after_ascii(1))
            }
            b')' if self.number.is_none() && self.depth > 0 => {
                self.depth -= 1;
                sink(place, Event::Close);
                Some(point.after_ascii(1))
            }
            b'$' => {
                let (length, nag) = match *rest {
                    [_, one @ b'0'..=b'9', b' ' | b'\n' | b'\r' | b')', ..] => (2, u32::from(one - b'0')),
                    [_, ten @ b'0'..=b'9', one @ b'0'..=b'9', b' ' | b'\n' | b'\r' | b')', ..] => {
                        (3, 10 * u32::from(ten - b'0') + u32::from(one - b'0'))
                    }
                    _ => return None,
                };
                self.game.body = true;
                sink(place, Event::Nag(nag));
                Some(point.after_ascii(length))
            }
            b'*' if spaced && self.depth == 0 && !(STRICT && self.is_between_games()) => {
                self.end_game(Termination::Star, place, sink);
                Some(point.after_ascii(1))
            }
            _ => None,
        }
    }

    /// Handles a move with an optional strength, if the following text neither belongs to it nor changes its meaning.
    fn plain_ply<'a>(&mut self, point: Point<'a>, length: usize, sink: &mut Sink<'_>) -> Option<Point<'a>> {
        let rest = point.rest();
        let strength = rest[length..].iter().take(4).take_while(|byte| matches!(byte, b'!' | b'?')).count();
        let end = length + strength;
        let mut next = point.after_ascii(end);
        let is_apart = next.skip_blanks();
        if strength > 3 || !is_unrelated_to_move(next.rest()) || !(is_apart || next.rest()[0] == b')') {
            return None;
        }
        self.game.body = true;
        let written = WrittenMove {
            number: self.number.take().map(|(number, _)| number),
            text: point.text_of(length),
            strength: (strength > 0).then(|| &point.text_of(end)[length..]),
            captured: None,
        };
        sink(point.location(), Event::Move(written));
        Some(point.after_ascii(end))
    }

    #[inline(always)]
    fn plain_tag<'a, S: FnMut(Location, Event<'_>)>(
        &mut self,
        point: Point<'a>,
        last_line: u64,
        sink: &mut S,
    ) -> Option<Point<'a>> {
        let rest = point.rest();
        let rest = &rest[..rest.len().min(MAX_TOKEN_LEN)];
        if !rest.get(1)?.is_ascii_uppercase() {
            return None;
        }
        let name_end = 2 + rest[2..].iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
        let value_start = match rest[name_end..] {
            [b' ', b'"', ..] => name_end + 2,
            [b'"', ..] => name_end + 1,
            _ => name_end + rest[name_end..].iter().position(|byte| *byte != b' ')? + 1,
        };
        if rest[value_start - 1] != b'"' {
            return None;
        }
        let plain = plain_value(&rest[value_start..]);
        let mut value_end = value_start + plain;
        let is_ascii = rest.get(value_end)?.is_ascii();
        if !is_ascii {
            value_end += rest[value_end..].iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r'))?;
        }
        let [b'"', b']', ..] = rest[value_end..] else { return None };
        let (name, value) = (&point.text_of(name_end)[1..], &point.text_of(value_end)[value_start..]);
        let place = point.location();
        if place.line > last_line + 1 && self.game.has_tag(name) {
            return None;
        }
        self.game.on_tag(name, value);
        sink(place, Event::Tag { name, value });
        Some(if is_ascii { point.after_ascii(value_end + 2) } else { point.after(value_end + 2) })
    }
}

/// Whether the text here neither belongs to the move before it nor turns it into a result.
#[inline(always)]
fn is_unrelated_to_move(rest: &[u8]) -> bool {
    match *rest {
        [b'0'..=b'9' | b'a'..=b'l' | b'{' | b')' | b'$' | b'*', ..] => true,
        [b'(', next, ..] => !matches!(next, b'!' | b'?'),
        _ => false,
    }
}

/// A position in the window.
#[derive(Clone, Copy)]
struct Point<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    /// As in [`TextCursor`], counted from the start of the window.
    origin: u64,
}

impl<'a> Point<'a> {
    #[inline(always)]
    fn location(self) -> Location {
        Location { line: self.line, column: (self.at as u64).wrapping_sub(self.origin) }
    }

    /// Returns the bytes from here on.
    #[inline(always)]
    fn rest(self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Returns `length` bytes from here on, which must end between two characters.
    #[inline(always)]
    fn text_of(self, length: usize) -> &'a str {
        &self.text[self.at..self.at + length]
    }

    #[inline(always)]
    fn after_ascii(self, length: usize) -> Point<'a> {
        Point { at: self.at + length, ..self }
    }

    fn after(self, length: usize) -> Point<'a> {
        let mut reached = TextCursor { offset: self.at as u64, line: self.line, origin: self.origin };
        reached.pass(&self.rest()[..length], false);
        Point { at: self.at + length, line: reached.line, origin: reached.origin, ..self }
    }

    /// Skips plain blanks and line ends. Returns whether there were any.
    #[inline(always)]
    fn skip_blanks(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let start = self.at;
        loop {
            match bytes.get(self.at) {
                Some(b' ') => self.at += 1,
                Some(b'\n') => {
                    self.line += 1;
                    self.origin = self.at as u64;
                    self.at += 1;
                }
                Some(b'\r') if bytes.get(self.at + 1) == Some(&b'\n') => self.at += 1,
                _ => return self.at > start,
            }
        }
    }
}

/// Matches `32-28`, `7-12`, `28x9`, `1-6`, `c3-d4` followed by a blank: two squares that are not a result (`1-1`).
#[inline(always)]
fn plain_move(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'1'..=b'9', b'0'..=b'9', b'-' | b'x' | b':', b'1'..=b'9', b'0'..=b'9', b' ' | b'\n' | b'\r', ..] => Some(5),
        [b'1'..=b'9', b'-' | b'x' | b':', b'1'..=b'9', b'0'..=b'9', b' ' | b'\n' | b'\r', ..] => Some(4),
        [b'1'..=b'9', b'0'..=b'9', b'-' | b'x' | b':', b'1'..=b'9', b' ' | b'\n' | b'\r', ..] => Some(4),
        [from @ b'1'..=b'9', b'-' | b'x' | b':', to @ b'1'..=b'9', b' ' | b'\n' | b'\r', ..] if from != to => Some(3),
        [b'a'..=b'l', b'1'..=b'9', b'-' | b'x' | b':', b'a'..=b'l', b'1'..=b'9', b' ' | b'\n' | b'\r', ..] => Some(5),
        _ => None,
    }
}

/// Matches a move of any number of squares followed by a blank, a strength or a parenthesis.
fn long_move(rest: &[u8]) -> Option<usize> {
    let mut length = plain_square(rest)?;
    while let b'-' | b'x' | b':' = rest.get(length)? {
        length += 1;
        length += plain_square(&rest[length..])?;
    }
    // Three characters may be a result.
    (4..MAX_WORD_LEN).contains(&length).then_some(())?;
    matches!(rest.get(length)?, b' ' | b'\n' | b'\r' | b'!' | b'?' | b')').then_some(length)
}

fn plain_square(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'1'..=b'9', b'0'..=b'9', ..] => Some(2),
        [b'1'..=b'9', ..] => Some(1),
        [b'a'..=b'l', b'1'..=b'9', ..] => Some(2),
        _ => None,
    }
}

/// Matches `12.` or `12...` followed by a blank or a plain move.
#[inline(always)]
fn plain_number(rest: &[u8]) -> Option<(usize, MoveNumber)> {
    let digit = |byte: u8| u32::from(byte - b'0');
    let (digits, value) = match *rest {
        [one @ b'0'..=b'9', b'.', ..] => (1, digit(one)),
        [ten @ b'0'..=b'9', one @ b'0'..=b'9', b'.', ..] => (2, 10 * digit(ten) + digit(one)),
        [hundred @ b'0'..=b'9', ten @ b'0'..=b'9', one @ b'0'..=b'9', b'.', ..] => {
            (3, 100 * digit(hundred) + 10 * digit(ten) + digit(one))
        }
        _ => return None,
    };
    let after = &rest[digits + 1..];
    match after {
        [b' ' | b'\n' | b'\r' | b'a'..=b'l', ..] => Some((digits + 1, MoveNumber { value, ellipsis: false })),
        [b'.', b'.', b' ' | b'\n' | b'\r', ..] => Some((digits + 3, MoveNumber { value, ellipsis: true })),
        _ => plain_move(after).map(|_| (digits + 1, MoveNumber { value, ellipsis: false })),
    }
}

/// Matches `2-0`, `1/2-1/2` and similar results followed by a blank.
fn plain_result(rest: &[u8]) -> Option<usize> {
    let length = match rest {
        [b'2' | b'1', b'-', b'0', ..] | [b'0', b'-', b'2' | b'1' | b'0', ..] | [b'1', b'-', b'1', ..] => 3,
        [b'1', b'/', b'2', b'-', b'1', b'/', b'2', ..] => 7,
        _ => return None,
    };
    matches!(rest.get(length)?, b' ' | b'\n' | b'\r').then_some(length)
}

/// Returns the number of bytes before the first quote, backslash, control character or non-ASCII byte. Checks eight bytes at a time: the
/// highest bit of each byte in the sum decides.
#[inline(always)]
fn plain_value(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHEST: u64 = ONES << 7;
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let quote = is_zero(word ^ (ONES * b'"' as u64));
        let backslash = is_zero(word ^ (ONES * b'\\' as u64));
        let control = word.wrapping_sub(ONES * b' ' as u64) & !word;
        let found = (quote | backslash | control | word) & HIGHEST;
        if found != 0 {
            return 8 * index + found.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |byte: &u8| matches!(byte, b' '..=0x7f) && !matches!(byte, b'"' | b'\\');
    8 * chunks.len() + rest.iter().take_while(|byte| is_plain(byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lexer::InputState;

    /// Returns the events of a text with their places, and its problems. Problems may precede a move that is still pending.
    fn events(text: &str, is_plain_allowed: bool) -> (Vec<String>, Vec<String>) {
        let (mut events, mut problems) = (Vec::new(), Vec::new());
        let mut sink = |place: Location, event: Event<'_>| match event {
            Event::Problem(problem) => problems.push(problem.to_string()),
            event => events.push(format!("{place} {event:?}")),
        };
        let (mut lexer, mut syntax, mut window) = (Lexer::default(), Syntax::default(), text);
        loop {
            if is_plain_allowed {
                syntax.plain::<_, false>(&mut lexer, &mut window, &mut sink);
            }
            let Some(token) = lexer.next(&mut window, InputState::Complete) else { break };
            syntax.token(&token, &mut sink);
        }
        syntax.finish(lexer.location(), &mut sink);
        problems.sort();
        (events, problems)
    }

    const PIECES: &[&str] = &[
        "[Event \"x\"]",
        "[Result \"4-6\"]",
        "[White \"Й\"]",
        "[A  \"b\\\"c\"]",
        "[B \"c",
        "[C\"d\"]",
        "[Event \"]\"]",
        "1.",
        "12.",
        "1...",
        "007.",
        "123.",
        "32-28",
        "7-12",
        "1-6",
        "1-1",
        "4-6",
        "28x19",
        "28:9",
        "c3-d4",
        "a3:c5:e7",
        "28x19x10",
        "01-07",
        "3228",
        "2-0",
        "1-0",
        "0-0",
        "1/2-1/2",
        "1 1/2 - 1/2",
        "!",
        "?!",
        "!!!!",
        "(!)",
        "(",
        ")",
        "*",
        "$1",
        "$12",
        "$123",
        "{a}",
        "{ a\nb }",
        "{é\r\n\r\nü}",
        "; x\n",
        "% y\n",
        "/FEN \"W:W1:B2\"/",
        "-",
        "...",
        "junk",
        "9junk",
        "]",
        "}",
        "{",
        "x",
        "<7>",
        "\\n",
        "0.98-1.02",
        "\u{feff}",
        "\u{a0}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn fast_path_matches_slow_path(
            pieces in prop::collection::vec(
                (prop::sample::select(PIECES), prop::sample::select(&["", " ", " ", " ", "\n", "\r\n", "\r", "\n\n", "  ", "\t"][..])),
                0..40,
            ),
        ) {
            let text: String = pieces.iter().flat_map(|(piece, blank)| [*piece, *blank]).collect();
            prop_assert_eq!(events(&text, true), events(&text, false), "{}", text);
        }
    }
}
