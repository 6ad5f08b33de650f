//! Embedded commands of comments, including clocks: `{[%clock w1:19:50 B1:20:00]}`.
//!
//! | command | meaning |
//! |---|---|
//! | `[%clock w1:19:50 B1:20:00]` | both clocks; a capital letter marks the running one |
//! | `[%clock 0:49:11]` | the clock of the side that moved; read, never written |
//! | `[%clk 1:55:21]` `[%mct ...]` | the clock of the side that moved: time left, time used |
//! | `[%egt ...]` `[%emt ...]` | time used in the game, for the move |
//! | any other | preserved as written |
//!
//! After White's move Black's clock runs. If both letters are small, both clocks are stopped.
//!
//! Source: PDN 3.0, chapter "Embedded commands"; its damaged pattern is restored here.

use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while_m_n, take_while1};
use nom::character::complete::{char, multispace0, one_of};
use nom::combinator::{all_consuming, map_opt, opt};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use draughts::Color;

/// A time on a clock, in whole seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClockTime(pub u32);

impl ClockTime {
    /// Longest time that `H:MM:SS` with two digits for hours can express.
    pub const MAX: ClockTime = ClockTime(100 * 3600 - 1);

    /// Parses `h:mm:ss`; `None` for any other text.
    pub fn parse(text: &str) -> Option<ClockTime> {
        all_consuming(time).parse(text).ok().map(|(_, time)| time)
    }
}

/// Writes `h:mm:ss`, hours without a leading zero.
impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.min(ClockTime::MAX.0);
        write!(f, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

/// Both clocks, as in `[%clock ...]`.
///
/// # Examples
///
/// ```
/// use draughts::Color;
/// use draughts_pdn::clock::{ClockTime, Clocks};
///
/// let clocks = Clocks::from_comment("in book [%clock w1:19:50 B1:20:00]", Color::White).unwrap();
/// assert_eq!((clocks.white, clocks.running), (Some(ClockTime(4790)), Some(Color::Black)));
/// assert_eq!(clocks.to_string(), "[%clock w1:19:50 B1:20:00]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clocks {
    /// White's clock.
    pub white: Option<ClockTime>,
    /// Black's clock.
    pub black: Option<ClockTime>,
    /// Side whose clock runs.
    pub running: Option<Color>,
}

impl Clocks {
    /// Returns the clocks in a comment. A time without a letter belongs to `mover`, the side that made the move before the comment.
    pub fn from_comment(comment: &str, mover: Color) -> Option<Clocks> {
        commands(comment).find_map(|command| match command.name {
            "clock" => clock_value(command.value, mover),
            "clk" => {
                let (_, time) = all_consuming(time).parse(command.value.trim()).ok()?;
                Some(Clocks { running: Some(!mover), ..Clocks::from_one(mover, time) })
            }
            _ => None,
        })
    }

    fn from_one(color: Color, time: ClockTime) -> Clocks {
        match color {
            Color::White => Clocks { white: Some(time), ..Clocks::default() },
            Color::Black => Clocks { black: Some(time), ..Clocks::default() },
        }
    }
}

/// Writes the command, `[%clock w1:19:50 B1:20:00]`: White first, one blank, nothing before the bracket. Empty if neither clock is known.
impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |color, small: char| if self.running == Some(color) { small.to_ascii_uppercase() } else { small };
        let (white, black) = (letter(Color::White, 'w'), letter(Color::Black, 'b'));
        match (self.white, self.black) {
            (Some(w), Some(b)) => write!(f, "[%clock {white}{w} {black}{b}]"),
            (Some(w), None) => write!(f, "[%clock {white}{w}]"),
            (None, Some(b)) => write!(f, "[%clock {black}{b}]"),
            (None, None) => Ok(()),
        }
    }
}

/// A command of a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmbeddedCommand<'a> {
    /// Word after `[%`.
    pub name: &'a str,
    /// Text between the name and the bracket.
    pub value: &'a str,
    /// The whole command, brackets included.
    pub text: &'a str,
}

/// Returns the commands of a comment, in order.
pub fn commands(comment: &str) -> impl Iterator<Item = EmbeddedCommand<'_>> {
    let mut rest = comment;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find("[%")?;
            rest = &rest[at..];
            let end = rest.find(']')?;
            let text = &rest[..=end];
            let inner = &rest[2..end];
            rest = &rest[end + 1..];
            let length = match inner.as_bytes() {
                // The standard's pattern requires no blank after this name.
                [b'c', b'l', b'o', b'c', b'k', b'w' | b'W' | b'b' | b'B', b'0'..=b'9', ..] => "clock".len(),
                _ => inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len()),
            };
            if length > 0 {
                return Some(EmbeddedCommand { name: &inner[..length], value: inner[length..].trim(), text });
            }
        }
    })
}

/// Parses the value of `[%clock`.
fn clock_value(value: &str, mover: Color) -> Option<Clocks> {
    let lettered = |text| (one_of("wWbB"), time).parse(text);
    let two = |text| (lettered, opt(preceded(multispace0, lettered))).parse(text);
    type Lettered = (char, ClockTime);
    let parsed: IResult<&str, (Lettered, Option<Lettered>)> =
        all_consuming(delimited(multispace0, two, multispace0)).parse(value);
    let Ok((_, (first, second))) = parsed else {
        let (_, time) = all_consuming(delimited(multispace0, time, multispace0)).parse(value).ok()?;
        return Some(Clocks { running: Some(!mover), ..Clocks::from_one(mover, time) });
    };
    let mut clocks = Clocks::default();
    for (letter, time) in [Some(first), second].into_iter().flatten() {
        let color = if letter.eq_ignore_ascii_case(&'w') { Color::White } else { Color::Black };
        match color {
            Color::White => clocks.white = Some(time),
            Color::Black => clocks.black = Some(time),
        }
        if letter.is_ascii_uppercase() {
            clocks.running = Some(color);
        }
    }
    Some(clocks)
}

/// Parses `1:19:50`, and forms found in files: `0:9:5`, `0:0:9.56`, `1.19.50`.
fn time(text: &str) -> IResult<&str, ClockTime> {
    let digits =
        |least, max| map_opt(take_while_m_n(least, max, |c: char| c.is_ascii_digit()), |d: &str| d.parse::<u32>().ok());
    let colon = |text| alt((char(':'), char('.'))).parse(text);
    let fraction = opt((char('.'), take_while1(|c: char| c.is_ascii_digit())));
    let parts = (digits(1, 2), colon, digits(1, 2), colon, digits(1, 2), fraction);
    map_opt(parts, |(hours, _, minutes, _, seconds, _)| {
        (minutes < 60 && seconds < 60).then_some(ClockTime(hours * 3600 + minutes * 60 + seconds))
    })
    .parse(text)
}

/// Whether this comment is one clock command in exactly the form that every known reader accepts.
pub fn is_plain_clock(comment: &str) -> bool {
    let plain_time = |text| {
        let two = |text| take_while_m_n(2, 2, |c: char| c.is_ascii_digit()).parse(text);
        (take_while_m_n(1, 2, |c: char| c.is_ascii_digit()), char(':'), two, char(':'), two).parse(text)
    };
    let parsed: IResult<&str, _> =
        all_consuming((tag("[%clock "), one_of("wW"), plain_time, char(' '), one_of("bB"), plain_time, char(']')))
            .parse(comment);
    parsed.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(comment: &str, white: Option<u32>, black: Option<u32>, running: Option<Color>) {
        let expected = Clocks { white: white.map(ClockTime), black: black.map(ClockTime), running };
        assert_eq!(Clocks::from_comment(comment, Color::White), Some(expected), "{comment}");
    }

    #[test]
    fn parses_every_form() {
        let black = Some(Color::Black);
        check("[%clock w1:19:50 B1:20:00]", Some(4790), Some(4800), black);
        check("[%clock B0:00:03 w0:00:10]", Some(10), Some(3), black);
        check("[%clock w0:00:10b0:00:03 ]", Some(10), Some(3), None);
        check("[%clock W0:00:10]", Some(10), None, Some(Color::White));
        check("words [%clock 0:49:11] words", Some(2951), None, black);
        check("[%clk 1:05:23]", Some(3923), None, black);
        check("[%eval 3][%clk 1:05:23]", Some(3923), None, black);
    }

    #[test]
    fn rejects_invalid_clocks() {
        for comment in
            ["", "[%clock]", "[%clock w1:60:00]", "[%clock x1:00:00]", "[%egt 0:0:9.56]", "[%", "[%%clk 0:00:01]"]
        {
            assert_eq!(Clocks::from_comment(comment, Color::White), None, "{comment}");
        }
    }

    #[test]
    fn writes_plain_form() {
        let clocks = Clocks { white: Some(ClockTime(4790)), black: Some(ClockTime(4800)), running: Some(Color::Black) };
        assert_eq!(clocks.to_string(), "[%clock w1:19:50 B1:20:00]");
        assert!(is_plain_clock(&clocks.to_string()));
        assert!(!is_plain_clock("[%clock w1:19:50 B1:20:00 ]"));
        assert_eq!(Clocks::from_comment(&clocks.to_string(), Color::White), Some(clocks));
    }

    #[test]
    fn finds_unknown_commands() {
        let found: Vec<_> = commands("a [%csl Rd4] b[%drgnode 0 1][% x][%cal]").map(|c| (c.name, c.value)).collect();
        assert_eq!(found, [("csl", "Rd4"), ("drgnode", "0 1"), ("cal", "")]);
    }
}
