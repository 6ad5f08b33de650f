//! Typed values of the standard's tags: dates, times, results.
//!
//! | type | strict form | also read |
//! |---|---|---|
//! | [`Date`] | `2007.05.19`, `2007.??.??`, `????.??.??` | `2007-05-19`, `2007/5/9`, `19.5.2007`, `2007` |
//! | [`TagTime`] | `1:59:20`, `1:17` | `1.59.20`, `1.17` |
//! | [`Outcome`] | the result of the game type or of the ResultFormat tag | results of other formats, `½-½`, blanks |
//!
//! Every tag may have the empty value, which means "unknown".
//!
//! Sources: PDN 3.0, chapters "Result tag", "Time and date tags", "Details and Examples".

use std::borrow::Cow;
use std::fmt;

use super::game::Game;
use draughts::ResultFormat;

/// A date whose parts may be unknown. A known month is in 1..=12, a known day in 1..=31.
///
/// # Examples
///
/// ```
/// use draughts_pdn::tag_values::Date;
///
/// let date = Date::liberal("22-11-2026").unwrap();
/// assert_eq!((date.to_string(), date.month), ("2026.11.22".to_owned(), Some(11)));
/// assert_eq!(Date::liberal("2026").unwrap().to_string(), "2026.??.??");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Date {
    /// Four digits.
    pub year: Option<u16>,
    /// From 1.
    pub month: Option<u8>,
    /// From 1.
    pub day: Option<u8>,
}

impl Date {
    /// Parses the strict form, `YYYY.MM.DD` with `?` for unknown parts.
    pub fn strict(text: &str) -> Option<Date> {
        let date = Date::from_parts(&text.split('.').collect::<Vec<_>>())?;
        (date.to_string() == text).then_some(date)
    }

    /// Parses any unambiguous form.
    pub fn liberal(text: &str) -> Option<Date> {
        let text = text.trim().trim_end_matches('.');
        if let Some(date) = Date::strict(text) {
            return Some(date);
        }
        let mut parts: Vec<&str> = text.split(['.', '-', '/']).map(str::trim).collect();
        let is_year = |part: &str| part.len() == 4;
        if parts.len() == 3 && !is_year(parts[0]) && is_year(parts[2]) {
            parts.reverse();
        }
        if parts.is_empty() || parts.len() > 3 || !is_year(parts[0]) {
            return None;
        }
        while parts.len() < 3 {
            parts.push("??");
        }
        Date::from_parts(&parts)
    }

    /// Creates a date from the texts of year, month and day.
    fn from_parts(parts: &[&str]) -> Option<Date> {
        let [year, month, day] = parts else { return None };
        let part = |text: &str, most: u16| -> Option<Option<u16>> {
            if !text.is_empty() && text.bytes().all(|byte| byte == b'?') {
                return Some(None);
            }
            let plain = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            let number: u16 = text.parse().ok().filter(|_| plain)?;
            // Some programs write 00 for unknown.
            match number {
                0 => Some(None),
                number if number <= most => Some(Some(number)),
                _ => None,
            }
        };
        Some(Date {
            year: part(year, 9999)?,
            month: part(month, 12)?.map(|month| month as u8),
            day: part(day, 31)?.map(|day| day as u8),
        })
    }
}

/// Writes the strict form.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let two = |part: Option<u8>| part.map_or_else(|| "??".to_owned(), |part| format!("{part:02}"));
        let year = self.year.map_or_else(|| "????".to_owned(), |year| format!("{year:04}"));
        write!(f, "{year}.{}.{}", two(self.month), two(self.day))
    }
}

/// A time of day or a time used: hours, minutes, and optional seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TagTime {
    /// 0..=99
    pub hours: u8,
    /// 0..=59
    pub minutes: u8,
    /// 0..=59
    pub seconds: Option<u8>,
}

impl TagTime {
    /// Parses `[H]H:MM[:SS]`, and the form with dots instead of colons.
    pub fn parse(text: &str) -> Option<TagTime> {
        let separator = if text.contains(':') { ':' } else { '.' };
        let mut parts = text.trim().split(separator).map(|part| {
            let plain = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u8>().ok().filter(|_| plain)
        });
        let (hours, minutes) = (parts.next()??, parts.next()??);
        let seconds = match parts.next() {
            None => None,
            Some(seconds) => Some(seconds?),
        };
        let fits = minutes < 60 && seconds.is_none_or(|seconds| seconds < 60) && parts.next().is_none();
        fits.then_some(TagTime { hours, minutes, seconds })
    }

    /// Whether this has the form of the tags WhiteTime and BlackTime: `[H]H:MM[:SS]`, or the dots for colons of the standard's own
    /// examples.
    pub fn is_time_used(text: &str) -> bool {
        TagTime::parse(text).is_some() && text.split([':', '.']).skip(1).all(|part| part.len() == 2)
    }

    /// Whether this has the form of the tags Time and UTCTime, `HH:MM:SS`.
    pub fn is_time_of_day(text: &str) -> bool {
        let whole = TagTime::parse(text).is_some_and(|time| time.hours < 24 && time.seconds.is_some());
        whole && text.len() == 8 && text.matches(':').count() == 2
    }
}

/// Writes `H:MM` or `H:MM:SS`.
impl fmt::Display for TagTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02}", self.hours, self.minutes)?;
        match self.seconds {
            Some(seconds) => write!(f, ":{seconds:02}"),
            None => Ok(()),
        }
    }
}

/// Meaning of a result.
///
/// # Examples
///
/// ```
/// use draughts::ResultFormat;
/// use draughts_pdn::tag_values::Outcome;
///
/// assert_eq!(Outcome::parse("½-½"), Some(Outcome::Draw));
/// assert_eq!(Outcome::Draw.as_result(ResultFormat::International), "1-1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// White won.
    WhiteWins,
    /// Black won.
    BlackWins,
    /// A draw.
    Draw,
    /// Both lost.
    BothLose,
    /// Unfinished or unknown.
    Open,
}

impl Outcome {
    /// Parses a result in either notation: `1-0` and `2-0` always mean that White won. `None` for points of another system or for other
    /// text.
    pub fn parse(text: &str) -> Option<Outcome> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        Some(match compact.as_str() {
            "1-0" | "2-0" => Outcome::WhiteWins,
            "0-1" | "0-2" => Outcome::BlackWins,
            "1/2-1/2" | "½-½" | "0.5-0.5" | "1-1" => Outcome::Draw,
            "0-0" => Outcome::BothLose,
            "*" | "" | "?" | "-" => Outcome::Open,
            _ => return None,
        })
    }

    /// Returns the result as the format writes it.
    pub fn as_result(self, format: ResultFormat) -> &'static str {
        let index = match self {
            Outcome::WhiteWins => 0,
            Outcome::BlackWins => 1,
            Outcome::Draw => 2,
            Outcome::BothLose => 3,
            Outcome::Open => return "*",
        };
        format.values()[index]
    }
}

/// Maximum length of a result in a format that the standard does not list, in bytes: the longest one that it lists.
pub const MAX_RESULT_LEN: usize = ResultFormat::Delfts.max_value_len();

/// Parses a result entered by a person and returns it as this format writes it; `None` if the format has no such result. Without a format
/// (one that the standard does not list) any short plain text is a result.
pub fn parse_result_words(format: Option<ResultFormat>, text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '[' | ']') || c == ' ';
    let Some(format) = format else {
        let text = text.trim();
        let is_short = (1..=MAX_RESULT_LEN).contains(&text.len());
        return (is_short && text.chars().all(plain)).then(|| text.to_owned());
    };
    let compact = |text: &str| -> String {
        text.replace('½', "1/2")
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| if c == '–' { '-' } else { c })
            .collect()
    };
    let meant = compact(text);
    if let Some(value) = format.values().iter().find(|value| compact(value) == meant) {
        return Some((*value).to_owned());
    }
    if format.allows(&meant) {
        return Some(meant);
    }
    let outcome = Outcome::parse(&meant).filter(|outcome| *outcome != Outcome::Open)?;
    Some(outcome.as_result(format).to_owned())
}

/// Whether this is a result of one of the standard's two tables, for games of unknown type.
pub fn is_standard_result(text: &str) -> bool {
    [ResultFormat::Default, ResultFormat::International].iter().any(|format| format.values().contains(&text))
}

/// Whether a game with this ResultFormat tag may have this result. `None` if the standard does not list the format, so that any result is
/// allowed.
pub fn fits_result_format(format: &str, result: &str) -> Option<bool> {
    let common = ["1-1", "0-0", "*"];
    let own: &[&str] = match format {
        "Plus draw" => &["2-0", "0-2", "1+ - 1-", "1- - 1+"],
        "Delfts" => &["2-0", "0-2", "1 1/2 - 1/2", "1/2 - 1 1/2"],
        "Goes" => return Some(common.contains(&result) || ["2-0", "0-2"].contains(&result) || is_goes(result)),
        _ => return None,
    };
    Some(common.contains(&result) || own.contains(&result))
}

/// Whether the text has two numbers of points with two decimals that sum to two: `1.02-0.98`, or `-0.98-1.02` as printed in the standard.
fn is_goes(result: &str) -> bool {
    let unsigned = result.strip_prefix('-').unwrap_or(result);
    let points = |text: &str| -> Option<u32> {
        let (whole, decimals) = text.split_once('.')?;
        let plain = whole.len() == 1 && decimals.len() == 2;
        Some(whole.parse::<u32>().ok().filter(|_| plain)? * 100 + decimals.parse::<u32>().ok()?)
    };
    let Some((white, black)) = unsigned.split_once('-') else { return false };
    matches!((points(white), points(black)), (Some(white), Some(black)) if white + black == 200)
}

/// Returns the standard's name for a tag name used by programs in other languages or for other games.
pub fn standard_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "Blanc" | "Blancs" | "Bianco" | "Wit" | "Weiss" | "Weiß" | "P1" => "White",
        "Noir" | "Noirs" | "Nero" | "Zwart" | "Schwarz" | "P2" => "Black",
        "Risultato" | "Résultat" | "Resultat" | "Uitslag" => "Result",
        "Manche" | "Ronde" | "Turno" | "Runde" => "Round",
        "Événement" | "Evénement" | "Evenement" | "Torneo" => "Event",
        "Lieu" | "Luogo" | "Plaats" => "Site",
        "Dati" | "Datum" | "Data" => "Date",
        "Heure blanche" => "WhiteTime",
        "Heure noire" => "BlackTime",
        "Type de jeu" => "GameType",
        "WhiteElo" | "P1Elo" => "WhiteRating",
        "BlackElo" | "P2Elo" => "BlackRating",
        "P1Title" => "WhiteTitle",
        "P2Title" => "BlackTitle",
        "WhiteClock" => "WhiteTime",
        "BlackClock" => "BlackTime",
        _ => return None,
    })
}

/// Returns a value without text that breaks readers: `]`, line breaks, control characters, a backslash before a quote.
pub(crate) fn clean_value(value: &str) -> Cow<'_, str> {
    let mut value = Cow::Borrowed(value);
    if !value.contains(|c: char| matches!(c, '[' | ']' | '\\') || c.is_control()) {
        return value;
    }
    while value.contains("\\\"") {
        value = value.replace("\\\"", "\"").into();
    }
    let clean: String = value
        .chars()
        .map(|c| match c {
            '[' => '(',
            ']' => ')',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    clean.trim_end_matches('\\').to_owned().into()
}

impl Game {
    /// Returns the outcome; `None` if the result belongs to another system.
    pub fn outcome(&self) -> Option<Outcome> {
        Outcome::parse(self.result())
    }

    /// Returns the date of the tag Date.
    pub fn date(&self) -> Option<Date> {
        self.tags.get("Date").and_then(Date::liberal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_roundtrip() {
        for (text, expected) in [
            ("2007.05.19", "2007.05.19"),
            ("2007.??.??", "2007.??.??"),
            ("????.??.??", "????.??.??"),
            ("2003-10-19", "2003.10.19"),
            ("1.1.1965", "1965.01.01"),
            ("2007/5/9", "2007.05.09"),
            ("2007", "2007.??.??"),
            ("1989.00.00", "1989.??.??"),
            ("1950.", "1950.??.??"),
        ] {
            assert_eq!(Date::liberal(text).map(|date| date.to_string()).as_deref(), Some(expected), "{text}");
            assert_eq!(Date::strict(text).is_some(), text == expected, "{text}");
        }
        for text in ["", "2007.13.01", "2004.10.27 - 2004.11.01", "yesterday", "07.05.19", "2007.5.40"] {
            assert_eq!(Date::liberal(text), None, "{text}");
        }
    }

    #[test]
    fn parses_times_in_both_notations() {
        for (text, expected) in
            [("1:59:20", "1:59:20"), ("1.59.20", "1:59:20"), ("1:36", "1:36"), ("2.23", "2:23"), ("00:59", "0:59")]
        {
            assert_eq!(TagTime::parse(text).map(|time| time.to_string()).as_deref(), Some(expected));
        }
        for text in ["", "1", "1:60", "1:2:3:4", "a:b", "1:023"] {
            assert_eq!(TagTime::parse(text), None, "{text}");
        }
        assert!(TagTime::is_time_of_day("23:59:11") && !TagTime::is_time_of_day("24:00:00"));
        assert!(!TagTime::is_time_of_day("3:59:11"));
    }

    #[test]
    fn results_agree_in_both_notations() {
        assert_eq!(Outcome::parse(" 0-1"), Some(Outcome::BlackWins));
        assert_eq!(Outcome::parse("2-0").map(|o| o.as_result(ResultFormat::Default)), Some("1-0"));
        assert_eq!(Outcome::parse("½-½").map(|o| o.as_result(ResultFormat::International)), Some("1-1"));
        assert_eq!(Outcome::parse("4-6"), None);
        assert_eq!(fits_result_format("Goes", "-0.98-1.02"), Some(true));
        assert_eq!(fits_result_format("Goes", "0.98-1.03"), Some(false));
        assert_eq!(fits_result_format("Plus draw", "1+ - 1-"), Some(true));
        assert_eq!(fits_result_format("Delfts", "1-0"), Some(false));
        assert_eq!(fits_result_format("Ten points", "4-6"), None);
    }

    #[test]
    fn operator_input_becomes_game_result() {
        use ResultFormat::{Default, Delfts, Goes, International, PlusDraw};
        for (format, text, written) in [
            (Some(International), "1-0", Some("2-0")),
            (Some(International), "½-½", Some("1-1")),
            (Some(International), "1/2 - 1/2", Some("1-1")),
            (Some(Default), "2-0", Some("1-0")),
            (Some(Default), "0–2", Some("0-1")),
            (Some(Default), "1-1", Some("1/2-1/2")),
            (Some(Default), "0-0", Some("0-0")),
            (Some(Default), "*", Some("*")),
            (Some(Default), "", None),
            (Some(Default), "?", None),
            (Some(Default), "1+ - 1-", None),
            (Some(PlusDraw), "1+-1-", Some("1+ - 1-")),
            (Some(PlusDraw), "0-1", Some("0-2")),
            (Some(PlusDraw), "*", Some("*")),
            (Some(Delfts), "1½-½", Some("1 1/2 - 1/2")),
            (Some(Delfts), "½-½", Some("1-1")),
            (Some(Goes), "1.02 - 0.98", Some("1.02-0.98")),
            (Some(Goes), "1.02-0.99", None),
            (None, " 4-6 ", Some("4-6")),
            (None, "4\"6", None),
            (None, "", None),
            (None, "123456789012", None),
        ] {
            assert_eq!(parse_result_words(format, text).as_deref(), written, "{format:?} {text}");
        }
    }
}
