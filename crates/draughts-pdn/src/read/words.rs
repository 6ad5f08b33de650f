//! Words of the movetext: move numbers, moves, results and others, distinguished by their first characters.
//!
//! A result may look like a move (`1-1`, `4-6`), and a move number like a square (`12.`). People also add blanks, omit separators, and
//! write `x` for any separator:
//!
//! | text | meaning |
//! |---|---|
//! | `12.` `12...` `12. ...` | a number; dots after a blank are a separate ellipsis |
//! | `32-28` `01-07` `32 - 28` `28x19` `28:19` `28X19x10` `a3-b4` `A3:C5` | a move |
//! | `a3b4` `3228` | a move without separators |
//! | `1-0` `1/2-1/2` `½-½` `1 1/2 - 1/2` `1+ - 1-` `0.98-1.02` | a result |
//! | `-` `--` | an unknown move |
//! | `!` `?!` `(?)` | a strength |
//! | `<42,29,14,31>` | captured squares, as in the 3.1 proposal |
//!
//! `4-6` is a move here; only the end of the game can show that it was a result ([`super::syntax`]).
//!
//! Sources: PDN 3.0, chapters "PDN Grammars", "Result tag", "PDN 3.1 Proposals".

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of, satisfy};
use nom::combinator::{not, opt, peek, recognize, verify};
use nom::multi::{many0_count, many1_count};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

/// Kind of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Word {
    /// `12.` or `12...`
    Number,
    /// Squares, with or without separators.
    Move,
    /// A known form of a result that cannot be a move.
    Result,
    /// `...`
    Ellipsis,
    /// `-`
    Unknown,
    /// `!?` or `(!?)`
    Strength,
    /// `<42,29>`
    Captured,
    /// `$1`
    Nag,
    /// `*`
    Star,
    /// None of the other kinds.
    Junk,
}

/// Maximum length of a word in bytes; a longer one is junk and is split.
pub const MAX_WORD_LEN: usize = 512;

/// Returns the kind and length in bytes of the word at the start of a text, which must not be empty.
///
/// Looks at no more than [`MAX_WORD_LEN`] bytes and two following characters.
pub fn word(text: &str) -> (Word, usize) {
    if let Some(length) = plain_move(text.as_bytes()) {
        return (Word::Move, length);
    }
    if let Some(length) = plain_number(text.as_bytes()) {
        return (Word::Number, length);
    }
    let text = truncated_to_word(text);
    let parsed = match text.as_bytes()[0] {
        b'0'..=b'9' => alt((
            result.map(|found| (Word::Result, found)),
            number.map(|found| (Word::Number, found)),
            squares.map(|found| (Word::Move, found)),
            digits_only.map(|found| (Word::Move, found)),
        ))
        .parse(text),
        b'a'..=b'l' | b'A'..=b'L' => squares.map(|found| (Word::Move, found)).parse(text),
        b'.' => recognize((tag(".."), take_while1(|c| c == '.'))).map(|found| (Word::Ellipsis, found)).parse(text),
        b'!' | b'?' => take_while1(is_strength).map(|found| (Word::Strength, found)).parse(text),
        b'(' => recognize(delimited(char('('), take_while1(is_strength), char(')')))
            .map(|found| (Word::Strength, found))
            .parse(text),
        b'$' => recognize((char('$'), take_while_m_n(1, 9, |c: char| c.is_ascii_digit())))
            .map(|found| (Word::Nag, found))
            .parse(text),
        b'*' => tag("*").map(|found| (Word::Star, found)).parse(text),
        b'<' => captured.map(|found| (Word::Captured, found)).parse(text),
        _ => alt((
            result.map(|found| (Word::Result, found)),
            unknown_move.map(|found| (Word::Unknown, found)),
            tag("…").map(|found| (Word::Ellipsis, found)),
        ))
        .parse(text),
    };
    match parsed {
        Ok((_, (word, found))) => (word, found.len()),
        Err(_) => (Word::Junk, junk(text)),
    }
}

/// Matches `32-28`, `28x19`, `5-10` followed by a blank: nearly every word of most files.
fn plain_move(bytes: &[u8]) -> Option<usize> {
    let square = |at: usize| match (bytes.get(at)?, bytes.get(at + 1)?) {
        (b'1'..=b'9', b'0'..=b'9') => Some(2),
        (b'1'..=b'9', b'-' | b'x' | b':' | b' ' | b'\n' | b'\r') => Some(1),
        _ => None,
    };
    let first = square(0)?;
    if !matches!(bytes.get(first)?, b'-' | b'x' | b':') {
        return None;
    }
    let length = first + 1 + square(first + 1)?;
    let ends = matches!(bytes.get(length)?, b' ' | b'\n' | b'\r');
    // `1-1 ` is a result.
    (ends && (length > 3 || bytes[0] != bytes[2])).then_some(length)
}

/// Matches `12. `, or `12.` directly followed by a plain move.
fn plain_number(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) || bytes.get(digits) != Some(&b'.') {
        return None;
    }
    let length = digits + 1;
    let is_plain = matches!(bytes.get(length)?, b' ' | b'\n' | b'\r') || plain_move(&bytes[length..]).is_some();
    is_plain.then_some(length)
}

fn truncated_to_word(text: &str) -> &str {
    let mut end = text.len().min(MAX_WORD_LEN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn is_strength(c: char) -> bool {
    matches!(c, '!' | '?')
}

/// Matches a limited number of blanks inside a move or a result, including line breaks.
fn blanks(text: &str) -> IResult<&str, &str> {
    take_while_m_n(0, 8, |c: char| matches!(c, ' ' | '\t' | '\r' | '\n')).parse(text)
}

/// Matches if no following character would extend the word.
fn boundary(text: &str) -> IResult<&str, ()> {
    not(satisfy(|c| c.is_alphanumeric() || matches!(c, '/' | ':' | '-' | '×' | '½' | '_'))).parse(text)
}

/// Matches `12.`, `12...`, `12…`.
fn number(text: &str) -> IResult<&str, &str> {
    recognize((take_while_m_n(1, 6, |c: char| c.is_ascii_digit()), alt((take_while_m_n(1, 8, |c| c == '.'), tag("…")))))
        .parse(text)
}

fn unknown_move(text: &str) -> IResult<&str, &str> {
    recognize(terminated(alt((tag("--"), tag("-"), tag("–"))), boundary)).parse(text)
}

fn captured(text: &str) -> IResult<&str, &str> {
    let next = (blanks, char(','), blanks, square);
    recognize((char('<'), blanks, square, many0_count(next), blanks, char('>'))).parse(text)
}

/// Matches `7`, `07`, `32` that is not part of a longer number.
fn numeric_square(text: &str) -> IResult<&str, &str> {
    terminated(take_while_m_n(1, 2, |c: char| c.is_ascii_digit()), not(satisfy(|c| c.is_ascii_digit()))).parse(text)
}

/// Matches `a3`, `J8`, `l12`.
fn algebraic_square(text: &str) -> IResult<&str, &str> {
    let file = satisfy(|c| matches!(c.to_ascii_lowercase(), 'a'..='l'));
    let rank = alt((recognize((char('1'), one_of("012"))), recognize(one_of("123456789"))));
    recognize((file, rank)).parse(text)
}

fn square(text: &str) -> IResult<&str, &str> {
    alt((numeric_square, algebraic_square)).parse(text)
}

fn capture_sign(text: &str) -> IResult<&str, char> {
    satisfy(|c| matches!(c, 'x' | 'X' | ':' | '×')).parse(text)
}

fn step_sign(text: &str) -> IResult<&str, char> {
    satisfy(|c| matches!(c, '-' | '–' | '−')).parse(text)
}

fn sign(text: &str) -> IResult<&str, char> {
    alt((capture_sign, step_sign)).parse(text)
}

/// Matches a whole move. Blanks may surround the first separator and capture signs, unless a number follows.
fn squares(text: &str) -> IResult<&str, &str> {
    let not_a_number = |text| terminated(square, peek(not(char('.')))).parse(text);
    let spaced = |text| preceded((blanks, sign, blanks), not_a_number).parse(text);
    let spaced_capture = |text| preceded((blanks, capture_sign, blanks), not_a_number).parse(text);
    let tight = |text| preceded(sign, square).parse(text);
    let separated = recognize((square, alt((tight, spaced)), many0_count(alt((tight, spaced_capture)))));
    let glued = recognize((algebraic_square, many1_count(algebraic_square)));
    terminated(alt((separated, glued)), boundary).parse(text)
}

/// Matches `3228`: squares without a separator.
fn digits_only(text: &str) -> IResult<&str, &str> {
    let end = not(alt((char('.'), sign)));
    terminated(take_while_m_n(3, 4, |c: char| c.is_ascii_digit()), (boundary, end)).parse(text)
}

/// Matches a result that cannot be a move.
fn result(text: &str) -> IResult<&str, &str> {
    let plain = alt((
        tag("1/2-1/2"),
        tag("½-½"),
        tag("1-0"),
        tag("0-1"),
        tag("2-0"),
        tag("0-2"),
        tag("1-1"),
        tag("0-0"),
        tag("1+ - 1-"),
        tag("1- - 1+"),
    ));
    let score = recognize((halves, blanks, char('-'), blanks, halves));
    let decimals = recognize((decimal, char('-'), decimal));
    terminated(alt((plain, score, decimals)), boundary).parse(text)
}

/// Matches `1 1/2`, `1½`, `1/2`: a number of points with a half.
fn halves(text: &str) -> IResult<&str, &str> {
    let half = alt((tag("1/2"), tag("½")));
    recognize((opt(terminated(satisfy(|c| c.is_ascii_digit()), blanks_before_half)), half)).parse(text)
}

fn blanks_before_half(text: &str) -> IResult<&str, &str> {
    terminated(blanks, peek(alt((tag("1/2"), tag("½"))))).parse(text)
}

/// Matches `0.5`, `-0.98`, `1.02`.
fn decimal(text: &str) -> IResult<&str, &str> {
    let digits = |text| take_while1(|c: char| c.is_ascii_digit()).parse(text);
    let places = verify(digits, |places: &str| places == "5" || places.len() == 2);
    recognize((opt(char('-')), take_while_m_n(1, 2, |c: char| c.is_ascii_digit()), char('.'), places)).parse(text)
}

/// Returns the length of a text that is not a word: up to the next blank or sign that may begin another token.
fn junk(text: &str) -> usize {
    let mut characters = text.chars();
    let first = characters.next().unwrap_or(' ');
    let delimits = |c: char| c.is_whitespace() || "{}[]()$*;\"/".contains(c);
    if delimits(first) {
        return first.len_utf8();
    }
    let rest: IResult<&str, &str> = take_while(|c: char| !delimits(c)).parse(characters.as_str());
    first.len_utf8() + rest.map_or(0, |(_, more)| more.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Word, length: usize) {
        assert_eq!(word(text), (expected, length), "{text}");
    }

    #[test]
    fn distinguishes_words() {
        for text in [
            "32-28",
            "01-07",
            "32- 28",
            "32 - 28",
            "32 -28",
            "28x19",
            "28:19",
            "28X19x10",
            "a3-b4",
            "A3:C5",
            "a3b4",
            "3228",
            "47x38x24x13x36",
            "i8-j7",
            "4-6",
            "24x24",
            "30 x 19 x 10",
            "b6:d4:b2",
            "1-10",
            "11-1",
            "1-18",
            "23x05",
        ] {
            check(text, Word::Move, text.len());
            for rest in [" 18-23", "! 18-23", "{x}", ")", "*", "\n"] {
                check(&format!("{text}{rest}"), Word::Move, text.len());
            }
        }
        for text in [
            "1-0",
            "0-1",
            "2-0",
            "1-1",
            "0-0",
            "1/2-1/2",
            "½-½",
            "1 1/2 - 1/2",
            "1/2 - 1 1/2",
            "1+ - 1-",
            "0.98-1.02",
            "-0.98-1.02",
            "0.5-0.5",
        ] {
            check(text, Word::Result, text.len());
            check(&format!("{text}\n[Event"), Word::Result, text.len());
        }
        for text in ["1.", "12...", "012.", "7…"] {
            check(text, Word::Number, text.len());
            check(&format!("{text}32-28"), Word::Number, text.len());
            check(&format!("{text} 2-0"), Word::Number, text.len());
            check(&format!("{text}01-07 20-24"), Word::Number, text.len());
        }
        check("... 7-12", Word::Ellipsis, 3);
        check("- -", Word::Unknown, 1);
        check("(!?!!!) 2.", Word::Strength, 7);
        check("!17x22", Word::Strength, 1);
        check("(18-23)", Word::Junk, 1);
        check("<42, 29, 14, 31>", Word::Captured, 16);
        check("$7 ", Word::Nag, 2);
        check("**", Word::Star, 1);
    }

    #[test]
    fn move_does_not_swallow_neighbour() {
        check("32-28 - 17-22", Word::Move, 5);
        check("32-28 17-22", Word::Move, 5);
        check("32-28 12. 17-22", Word::Move, 5);
        check("32 - 42. 33-29", Word::Junk, 2);
        check("1.2-0", Word::Number, 2);
    }

    #[test]
    fn junk_ends_at_next_blank() {
        check("Ronde 3", Word::Junk, 5);
        check("} x", Word::Junk, 1);
        check("<br>", Word::Junk, 4);
        check("12345678901 2", Word::Junk, 11);
        check("\u{fffd}\u{fffd} 2", Word::Junk, 6);
        check(&"1".repeat(2000), Word::Junk, MAX_WORD_LEN);
    }
}
