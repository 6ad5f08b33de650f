//! The value of the tags TimeControl, TimeControlWhite and TimeControlBlack.
//!
//! | value | meaning |
//! |---|---|
//! | `40/7200:3600` | 40 moves in two hours, then an hour for the rest |
//! | `4800+60` | 80 minutes, plus one minute for each move |
//! | `40/7200:3600+60` | both, one after the other |
//! | `*120` | an hourglass of two minutes |
//! | `?` `-` | unknown; no time control |
//!
//! Source: PDN 3.0, section "TimeControl Tag", with INCREMENTAL as the tags page has it.

use std::fmt;
use std::str::FromStr;

use nom::branch::alt;
use nom::bytes::complete::take_while_m_n;
use nom::character::complete::char;
use nom::combinator::{all_consuming, map_opt};
use nom::multi::separated_list1;
use nom::sequence::{preceded, separated_pair};
use nom::{IResult, Parser};

/// Time that the players have.
///
/// # Examples
///
/// ```
/// use draughts_pdn::time_control::{Period, TimeControl};
///
/// let control: TimeControl = "4800+60".parse().unwrap();
/// assert_eq!(control, TimeControl::Periods(vec![Period::Increment { seconds: 4800, increment: 60 }]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// `?`
    Unknown,
    /// `-`: a game without clocks.
    NoTime,
    /// Consecutive periods; at least one.
    Periods(Vec<Period>),
}

/// A period of a time control, with times in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Period {
    /// A number of moves within a time.
    Moves {
        /// Number of moves.
        moves: u32,
        /// Time for these moves.
        seconds: u32,
    },
    /// The rest of the game within a time.
    SuddenDeath {
        /// Time for the rest of the game.
        seconds: u32,
    },
    /// An initial time, increased with each move.
    Increment {
        /// Initial time.
        seconds: u32,
        /// Time added for each move.
        increment: u32,
    },
    /// One player gains the time that the other uses.
    Hourglass {
        /// Initial time.
        seconds: u32,
    },
}

/// A text that is not a time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no time control: expected periods in seconds such as 40/7200:3600 or 4800+60, or *120, ? or -")]
pub struct TimeControlError(pub String);

/// Maximum number of periods; no real time control has more.
const MAX_PERIODS: usize = 20;

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        match text {
            "?" => return Ok(TimeControl::Unknown),
            "-" => return Ok(TimeControl::NoTime),
            _ => {}
        }
        let parsed: IResult<&str, Vec<Period>> = all_consuming(separated_list1(char(':'), period)).parse(text);
        match parsed {
            Ok((_, periods)) if periods.len() <= MAX_PERIODS => Ok(TimeControl::Periods(periods)),
            _ => Err(TimeControlError(text.chars().take(80).collect())),
        }
    }
}

fn period(text: &str) -> IResult<&str, Period> {
    alt((
        separated_pair(number, char('/'), number).map(|(moves, seconds)| Period::Moves { moves, seconds }),
        separated_pair(number, char('+'), number).map(|(seconds, increment)| Period::Increment { seconds, increment }),
        preceded(char('*'), number).map(|seconds| Period::Hourglass { seconds }),
        number.map(|seconds| Period::SuddenDeath { seconds }),
    ))
    .parse(text)
}

fn number(text: &str) -> IResult<&str, u32> {
    map_opt(take_while_m_n(1, 9, |c: char| c.is_ascii_digit()), |digits: &str| digits.parse().ok()).parse(text)
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Unknown => f.write_str("?"),
            TimeControl::NoTime => f.write_str("-"),
            TimeControl::Periods(periods) => {
                for (index, period) in periods.iter().enumerate() {
                    write!(f, "{}{period}", if index == 0 { "" } else { ":" })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Period::Moves { moves, seconds } => write!(f, "{moves}/{seconds}"),
            Period::SuddenDeath { seconds } => write!(f, "{seconds}"),
            Period::Increment { seconds, increment } => write!(f, "{seconds}+{increment}"),
            Period::Hourglass { seconds } => write!(f, "*{seconds}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_standard_roundtrip() {
        for text in ["40/7200:3600", "4800+60", "40/7200:3600+60", "40/7200:20/2400:600+5", "*120", "?", "-", "0"] {
            assert_eq!(text.parse::<TimeControl>().map(|control| control.to_string()), Ok(text.to_owned()));
        }
        let control = "40/7200:3600+60".parse();
        let periods =
            vec![Period::Moves { moves: 40, seconds: 7200 }, Period::Increment { seconds: 3600, increment: 60 }];
        assert_eq!(control, Ok(TimeControl::Periods(periods)));
    }

    #[test]
    fn refuses_other_values() {
        for text in ["", "40/", "/7200", "1 h", "4800 + 60", "40/7200:", "?:60", "99999999999", "-1", "1++2", "*"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        assert!(vec!["1"; 1000].join(":").parse::<TimeControl>().is_err());
    }
}
