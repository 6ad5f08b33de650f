//! Facts of the event as pages show them, from the member `event` of `tournament.json`.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, SecondsFormat, TimeDelta};
use draughts_tournament::is_web_address;
use serde::Deserialize;

/// Facts of the event; an unknown text is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ViewerEvent {
    name: String,
    /// Place.
    pub site: String,
    /// First day.
    pub start: String,
    /// Last day.
    pub end: String,
    /// Organising federation.
    pub federation: String,
    /// Chief arbiter.
    pub arbiter: String,
    /// Time control.
    pub time_control: String,
    /// Organiser.
    pub organiser: String,
    /// System and other rules.
    pub format: String,
    stream: String,
    regulations: String,
    website: String,
    /// Text about the event after its end.
    pub report: String,
    schedule: Vec<PlannedMoment>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct PlannedMoment {
    at: String,
    name: String,
}

/// Returns a time in UTC, as `2027-07-10T12:00:00Z`.
pub fn utc_time(at: DateTime<FixedOffset>) -> String {
    at.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Returns a time on the clocks of the event with their zone, as `2027-07-10 14:00 (UTC+2)`.
pub fn local_time(at: DateTime<FixedOffset>) -> String {
    let minutes = at.offset().local_minus_utc() / 60;
    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
    let sign = if minutes < 0 { '−' } else { '+' };
    let zone = match (hours, rest) {
        (0, 0) => "UTC".to_owned(),
        (_, 0) => format!("UTC{sign}{hours}"),
        _ => format!("UTC{sign}{hours}:{rest:02}"),
    };
    format!("{} ({zone})", at.format("%Y-%m-%d %H:%M"))
}

impl ViewerEvent {
    /// Returns the name.
    pub fn name(&self) -> Option<&str> {
        Some(self.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Returns the place.
    pub fn site(&self) -> Option<&str> {
        Some(self.site.as_str()).filter(|site| !site.is_empty())
    }

    /// Returns the moments of the schedule with their names; one without a valid time is left out.
    pub fn schedule(&self) -> impl Iterator<Item = (DateTime<FixedOffset>, &str)> {
        self.schedule.iter().filter_map(|moment| Some((DateTime::parse_from_rfc3339(&moment.at).ok()?, &*moment.name)))
    }

    /// Returns the address of the video stream, of the regulations and of the event's own site; an unsafe one counts as unknown.
    pub fn links(&self) -> [Option<&str>; 3] {
        [&self.stream, &self.regulations, &self.website]
            .map(|address| Some(address.as_str()).filter(|address| is_web_address(address)))
    }

    /// Whether something is known besides the name, the place and the federation, which games have too.
    pub fn is_described(&self) -> bool {
        let facts =
            [&self.start, &self.end, &self.arbiter, &self.time_control, &self.organiser, &self.format, &self.report];
        facts.iter().any(|fact| !fact.is_empty())
            || self.schedule().next().is_some()
            || self.links().iter().any(Option::is_some)
    }

    /// Returns the time at which the last day is over everywhere on the earth, in ms since 1970; `None` without a known day. Without a last day
    /// the first one counts.
    pub fn ends_at(&self) -> Option<i64> {
        let last = Some(&self.end).filter(|end| !end.is_empty()).unwrap_or(&self.start);
        let next = last.parse::<NaiveDate>().ok()?.checked_add_days(chrono::Days::new(1))?;
        Some((next.and_time(NaiveTime::MIN).and_utc() + TimeDelta::hours(12)).timestamp_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: serde_json::Value) -> ViewerEvent {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn moments_have_two_times() {
        let times = ["2027-07-10T14:00:00+02:00", "2027-07-10T14:00:00-03:30", "2027-07-10T14:00:00+00:00", "soon"];
        let schedule = times.map(|at| serde_json::json!({"at": at, "name": "Round 1"}));
        let event = event(serde_json::json!({"schedule": schedule}));
        let shown: Vec<_> = event.schedule().map(|(at, _)| (utc_time(at), local_time(at))).collect();
        let expected = [
            ("2027-07-10T12:00:00Z", "2027-07-10 14:00 (UTC+2)"),
            ("2027-07-10T17:30:00Z", "2027-07-10 14:00 (UTC−3:30)"),
            ("2027-07-10T14:00:00Z", "2027-07-10 14:00 (UTC)"),
        ];
        assert_eq!(shown, expected.map(|(utc, local)| (utc.to_owned(), local.to_owned())));
    }

    #[test]
    fn day_is_over_when_it_is_over_everywhere() {
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
        let is_past = |event: &ViewerEvent, now: i64| event.ends_at().is_some_and(|end| now >= end);
        let two_days = event(serde_json::json!({"start": "2027-07-10", "end": "2027-07-11"}));
        assert!(!is_past(&two_days, at("2027-07-12T11:59:59Z")) && is_past(&two_days, at("2027-07-12T12:00:00Z")));
        let one_day = event(serde_json::json!({"start": "2027-07-10"}));
        assert!(!is_past(&one_day, at("2027-07-11T00:00:00Z")) && is_past(&one_day, at("2027-07-11T12:00:00Z")));
        for unknown in ["", "July", "262142-12-31"] {
            assert!(!is_past(&event(serde_json::json!({"end": unknown})), i64::MAX), "{unknown}");
        }
    }

    #[test]
    fn unsafe_links_are_unknown() {
        let event = event(serde_json::json!({"stream": "javascript:alert(1)", "website": "https://example.org/"}));
        assert_eq!(event.links(), [None, None, Some("https://example.org/")]);
    }
}
