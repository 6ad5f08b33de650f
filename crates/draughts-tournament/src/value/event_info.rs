//! Facts about an event as a whole, and what they may be.

use std::fmt;
use std::str::FromStr;

use draughts_pdn::problem::quote;
use serde::{Deserialize, Serialize};

use crate::is_invisible;

/// Maximum number of moments in a schedule.
const MAX_MOMENTS: usize = 64;
/// Maximum lengths in characters: of a text on one line, of a description or an address, and of the report.
const MAX_TEXT_LEN: usize = 200;
const MAX_DESCRIPTION_LEN: usize = 500;
const MAX_REPORT_LEN: usize = 4_000;

/// Facts about an event. An unknown text is empty.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventInfo {
    /// Name of the event.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Place of the event.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// Organising federation, as `NED`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// First day, as `2027-07-10` if the date was readable.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub start: String,
    /// Last day, as `2027-07-10` if the date was readable.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub end: String,
    /// Name of the chief arbiter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arbiter: String,
    /// Time control, as the pairing program writes it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub time_control: String,
    /// Name of the organiser.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub organiser: String,
    /// System and other rules in a sentence, as `Swiss system, 9 rounds`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// Web address of the video stream.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stream: String,
    /// Web address of the regulations.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub regulations: String,
    /// Web address of the event's own site.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub website: String,
    /// Moments that were announced, in the order of time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedule: Vec<ScheduledMoment>,
    /// Text about the event after its end; it may have several lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub report: String,
}

/// Announced moment of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledMoment {
    /// Time of the moment.
    pub at: EventTime,
    /// Name of the moment, as `Round 1`.
    pub name: String,
}

/// Minute of the calendar with the offset of the event's clocks from UTC, as `2027-07-10T14:00:00+02:00`.
///
/// # Examples
///
/// ```
/// use draughts_tournament::EventTime;
/// let time: EventTime = "2027-07-10T14:00+02:00".parse().unwrap();
/// assert_eq!(time.to_string(), "2027-07-10T14:00:00+02:00");
/// assert_eq!(time.utc_minutes(), "2027-07-10T12:00Z".parse::<EventTime>().unwrap().utc_minutes());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventTime {
    /// Minutes since 1970 on the clocks of the event.
    local: i64,
    /// Minutes that these clocks are ahead of UTC.
    offset: i64,
}

serde_as_text!(EventTime);

impl EventTime {
    /// Returns the minutes since 1970 in UTC.
    pub fn utc_minutes(self) -> i64 {
        self.local - self.offset
    }
}

impl fmt::Display for EventTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.local.div_euclid(24 * 60));
        let minute = self.local.rem_euclid(24 * 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{:02}:{:02}:00", minute / 60, minute % 60)?;
        let sign = if self.offset < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", self.offset.abs() / 60, self.offset.abs() % 60)
    }
}

impl FromStr for EventTime {
    type Err = String;

    fn from_str(text: &str) -> Result<EventTime, String> {
        parse_time(text).ok_or_else(|| {
            format!(
                "invalid time {}: expected date, time and offset from UTC, as in 2027-07-10T14:00+02:00",
                quote(text)
            )
        })
    }
}

fn parse_time(text: &str) -> Option<EventTime> {
    let (date, rest) = text.split_once('T')?;
    let (clock, offset) = match rest.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let at = rest.find(['+', '-'])?;
            let minutes = parse_clock(&rest[at + 1..])?;
            (&rest[..at], if rest[at..].starts_with('-') { -minutes } else { minutes })
        }
    };
    let minute = parse_clock(clock.strip_suffix(":00").filter(|short| short.len() == 5).unwrap_or(clock))?;
    // The clocks of the world are between UTC-12 and UTC+14.
    let is_known = (-12 * 60..=14 * 60).contains(&offset);
    Some(EventTime { local: parse_day(date)? * 24 * 60 + minute, offset }).filter(|_| is_known)
}

/// Parses hours and minutes, as `14:00`. Returns the minutes.
fn parse_clock(text: &str) -> Option<i64> {
    let (hour, minute) = (digits(text.get(..2)?)?, digits(text.get(3..)?)?);
    let is_clock = text.len() == 5 && text.as_bytes()[2] == b':' && hour < 24 && minute < 60;
    is_clock.then_some(hour * 60 + minute)
}

fn digits(text: &str) -> Option<i64> {
    Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// Returns a day as `2027-07-10`, also from `2027/07/10` of TRF and `2027.07.10` of PDN; any other text as it is.
pub(crate) fn iso_day(text: &str) -> String {
    let day = text.replace(['/', '.'], "-");
    if is_day(&day) { day } else { text.to_owned() }
}

/// Whether a text is a day, as `2027-07-10`.
pub(crate) fn is_day(text: &str) -> bool {
    parse_day(text).is_some()
}

/// Parses a day, as `2027-07-10`. Returns the days since 1970.
fn parse_day(text: &str) -> Option<i64> {
    let (year, month, day) = (digits(text.get(..4)?)?, digits(text.get(5..7)?)?, digits(text.get(8..)?)?);
    let has_form = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    let is_day = (1970..=9999).contains(&year) && (1..=12).contains(&month);
    let days = (has_form && is_day).then(|| days_since_1970(year, month, day))?;
    // A 30 February is another day.
    (date_of(days) == (year, month, day)).then_some(days)
}

/// Returns the days from 1 January 1970. A year begins in March here, so that the day of a leap year is its last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before_month = (153 * month + 2) / 5;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + before_month + day - 719_469
}

/// Returns year, month and day of a number of days from 1 January 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    // The first guess is at most one year late.
    let mut year = 1970 + days.div_euclid(365);
    while days_since_1970(year, 3, 1) > days {
        year -= 1;
    }
    let in_year = days - days_since_1970(year, 3, 1);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

impl EventInfo {
    /// Names of the facts that are a text on one line, in their order.
    pub(crate) const FACTS: [&str; 12] = [
        "name",
        "site",
        "federation",
        "start",
        "end",
        "arbiter",
        "time-control",
        "organiser",
        "format",
        "stream",
        "regulations",
        "website",
    ];

    /// Names of the facts that files of pairing programs have no place for; all others come first.
    pub(crate) fn further_facts() -> &'static [&'static str] {
        &EventInfo::FACTS[7..]
    }

    /// Returns the facts in their order.
    pub(crate) fn facts(&self) -> [&String; 12] {
        let EventInfo { name, site, federation, start, end, arbiter, time_control, .. } = self;
        let EventInfo { organiser, format, stream, regulations, website, .. } = self;
        [name, site, federation, start, end, arbiter, time_control, organiser, format, stream, regulations, website]
    }

    /// Mutable access to the facts in their order.
    pub(crate) fn facts_mut(&mut self) -> [&mut String; 12] {
        let EventInfo { name, site, federation, start, end, arbiter, time_control, .. } = self;
        let EventInfo { organiser, format, stream, regulations, website, .. } = self;
        [name, site, federation, start, end, arbiter, time_control, organiser, format, stream, regulations, website]
    }

    /// Sets a fact or the report; an empty value removes it.
    ///
    /// # Errors
    ///
    /// Returns a message with the fact if its name is unknown, or its value is none for it.
    pub(crate) fn set_fact(&mut self, fact: &str, value: &str) -> Result<(), String> {
        let value = value.trim();
        let place = match EventInfo::FACTS.iter().position(|known| *known == fact) {
            Some(at) => &mut *self.facts_mut()[at],
            None if fact == "report" => &mut self.report,
            None => {
                let names = EventInfo::FACTS.join(", ");
                return Err(format!("{} is no fact of an event; there are {names}, report", quote(fact)));
            }
        };
        check_fact(fact, value)?;
        value.clone_into(place);
        Ok(())
    }

    /// Replaces the schedule; its moments get the order of time.
    ///
    /// # Errors
    ///
    /// Returns a message if there are too many moments, or a name is invalid.
    pub(crate) fn set_schedule(&mut self, moments: &[ScheduledMoment]) -> Result<(), String> {
        if moments.len() > MAX_MOMENTS {
            return Err(format!(
                "the schedule has {} moments; {MAX_MOMENTS} are the most: leave out some",
                moments.len()
            ));
        }
        let trimmed =
            |moment: &ScheduledMoment| ScheduledMoment { name: moment.name.trim().to_owned(), ..moment.clone() };
        let mut moments: Vec<ScheduledMoment> = moments.iter().map(trimmed).collect();
        for ScheduledMoment { at, name } in &moments {
            if name.is_empty() {
                return Err(format!("the moment at {at} has no name: write one, as in {at} Round 1"));
            }
            check_text(&format!("name of the moment at {at}"), name, MAX_TEXT_LEN, false)?;
        }
        moments.sort_by_key(|moment| moment.at.utc_minutes());
        moments.dedup();
        self.schedule = moments;
        Ok(())
    }

    /// Checks the facts that depend on each other.
    ///
    /// # Errors
    ///
    /// Returns a message if the event ends before it begins.
    pub(crate) fn check_days(&self) -> Result<(), String> {
        match (parse_day(&self.start), parse_day(&self.end)) {
            (Some(start), Some(end)) if end < start => {
                Err(format!("the end {} is before the start {}: correct one of them", self.end, self.start))
            }
            _ => Ok(()),
        }
    }
}

/// Checks the value of a fact; an empty value is that of an unknown fact.
pub(crate) fn check_fact(fact: &str, value: &str) -> Result<(), String> {
    match fact {
        "start" | "end" if !value.is_empty() && parse_day(value).is_none() => {
            Err(format!("invalid {fact} {}: expected a day, as in 2027-07-10", quote(value)))
        }
        "stream" | "regulations" | "website" if !value.is_empty() => {
            check_text(fact, value, MAX_DESCRIPTION_LEN, false)?;
            if is_web_address(value) {
                return Ok(());
            }
            Err(format!(
                "invalid {fact} {}: expected a web address that begins with https:// or http:// and has no blanks",
                quote(value)
            ))
        }
        "format" => check_text(fact, value, MAX_DESCRIPTION_LEN, false),
        "report" => check_text(fact, value, MAX_REPORT_LEN, true),
        _ => check_text(fact, value, MAX_TEXT_LEN, false),
    }
}

/// Whether a text is an address of the web, which a page may link to.
pub fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || is_invisible(c) || "\"<>\\".contains(c);
    rest.starts_with(|c: char| c.is_alphanumeric() || c == '[') && !rest.contains(is_odd)
}

fn check_text(fact: &str, text: &str, max_len: usize, may_break: bool) -> Result<(), String> {
    let length = text.chars().count();
    if length > max_len {
        return Err(format!("the {fact} has {length} characters; {max_len} are the most: shorten it"));
    }
    let is_odd = |c: char| (c.is_control() && !(may_break && c == '\n')) || is_invisible(c);
    match text.chars().find(|c| is_odd(*c)) {
        Some(c) => Err(format!("the {fact} has the invisible character U+{:04X}: remove it", u32::from(c))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let mut days = 0;
        for year in 1970..2120 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (length, month) in lengths.into_iter().zip(1..) {
                for day in 1..=length {
                    assert_eq!(parse_day(&format!("{year}-{month:02}-{day:02}")), Some(days));
                    assert_eq!(date_of(days), (year, month, day));
                    days += 1;
                }
                assert_eq!(parse_day(&format!("{year}-{month:02}-{:02}", length + 1)), None);
            }
        }
    }

    #[test]
    fn times_have_an_offset_and_one_form() {
        for (text, expected) in [
            ("2027-07-10T14:00+02:00", "2027-07-10T14:00:00+02:00"),
            ("2027-07-10T14:00:00-03:30", "2027-07-10T14:00:00-03:30"),
            ("2028-02-29T23:59Z", "2028-02-29T23:59:00+00:00"),
        ] {
            let time: EventTime = text.parse().unwrap();
            assert_eq!(time.to_string(), expected);
            assert_eq!(expected.parse(), Ok(time));
        }
        for text in [
            "",
            "T",
            "2027-07-10",
            "2027-07-10T14:00",
            "2027-07-10T14:00:01Z",
            "2027-07-10T24:00Z",
            "2027-07-10T1:00Z",
            "2027-07-10T+1:00Z",
            "2027-02-29T10:00Z",
            "2027-07-10T10:00+15:00",
            "2027-07-10T10:00+2:00",
            "é027-07-10T10:00Z",
            "2027-07-10T1é:0Z",
        ] {
            let error = text.parse::<EventTime>().unwrap_err();
            assert!(error.starts_with("invalid time ") && error.contains("2027-07-10T14:00+02:00"), "{text}: {error}");
        }
    }

    #[test]
    fn web_addresses_have_a_scheme_and_no_blanks() {
        for text in ["https://example.org/a?b=c#d", "http://[::1]:8080/", "https://дамки.рф"] {
            assert!(is_web_address(text), "{text}");
        }
        for text in
            ["", "https://", "javascript:alert(1)", "//example.org", "https:// a", "https://a b", "https://a\"b"]
        {
            assert!(!is_web_address(text), "{text}");
        }
    }
}
