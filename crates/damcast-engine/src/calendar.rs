//! Converts times of a line to wall-clock time.
//!
//! ```text
//!   line       0 ..... 1003 .............. 28800000 ...
//!   machine    1970    │ its clock is set: `1003 @ 2026-11-21T09:30:00.000+01:00`
//!   calendar   1970 ...│ 2026-11-21 09:30:00 ....... 17:29:59 ...
//! ```
//!
//! Times of a line never jump, but the clock of the machine may be set, and a sleeping machine wakes up later. A new
//! clock reading applies from the time it is noticed; earlier times keep their wall-clock time.
//!
//! Invariant: the result depends on the time and the readings up to it, never on when the conversion is requested.

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::millis::Millis;

/// Wall-clock times of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calendar {
    /// Start of each epoch and the wall-clock time of line time 0 within it. Never empty, ascending.
    epochs: Vec<(Millis, DateTime<FixedOffset>)>,
}

impl Calendar {
    /// Creates the calendar of a line whose time 0 is `opened`.
    pub fn new(opened: DateTime<FixedOffset>) -> Calendar {
        Calendar { epochs: vec![(Millis::ZERO, opened)] }
    }

    /// Records that the machine clock shows `shown` from time `at` on. `at` never decreases between calls.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.epochs.retain(|(from, _)| *from < at);
        self.epochs.push((at, epoch(at, shown)));
    }

    /// Returns the wall-clock time of a line time.
    pub fn moment(&self, at: Millis) -> DateTime<FixedOffset> {
        let index = self.epochs.partition_point(|(from, _)| *from <= at).saturating_sub(1);
        self.epochs.get(index).map_or_else(DateTime::default, |(_, epoch)| moment(*epoch, at))
    }

    /// Returns the wall-clock time of line time 0 in the current epoch.
    pub fn epoch(&self) -> DateTime<FixedOffset> {
        self.epochs.last().map_or_else(DateTime::default, |(_, epoch)| *epoch)
    }

    /// Returns the start of the current epoch.
    pub fn epoch_start(&self) -> Millis {
        self.epochs.last().map_or(Millis::ZERO, |(from, _)| *from)
    }
}

/// Returns the wall-clock time of `at`, counted from `epoch`.
pub fn moment(epoch: DateTime<FixedOffset>, at: Millis) -> DateTime<FixedOffset> {
    let span = i64::try_from(at.0).ok().and_then(TimeDelta::try_milliseconds);
    span.and_then(|span| epoch.checked_add_signed(span)).unwrap_or(epoch)
}

/// Returns the wall-clock time of time 0, given the wall-clock time of `at`.
pub fn epoch(at: Millis, shown: DateTime<FixedOffset>) -> DateTime<FixedOffset> {
    let span = i64::try_from(at.0).ok().and_then(TimeDelta::try_milliseconds);
    span.and_then(|span| shown.checked_sub_signed(span)).unwrap_or(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339(text).unwrap()
    }

    #[test]
    fn reading_applies_from_reading_time() {
        let mut calendar = Calendar::new(parse("1970-01-01T00:00:05Z"));
        assert_eq!(calendar.moment(Millis(2_000)), parse("1970-01-01T00:00:07Z"));
        calendar.set_clock(Millis(1_003), parse("2026-11-21T09:30:00.000+01:00"));
        assert_eq!(calendar.moment(Millis(1_002)), parse("1970-01-01T00:00:06.002Z"));
        assert_eq!(calendar.moment(Millis(1_003)), parse("2026-11-21T09:30:00.000+01:00"));
        assert_eq!(calendar.moment(Millis(61_003)), parse("2026-11-21T09:31:00.000+01:00"));
        calendar.set_clock(Millis(1_003), parse("2026-11-21T08:30:00Z"));
        assert_eq!(calendar.epoch(), parse("2026-11-21T08:29:58.997Z"), "the later reading of one time counts");
    }
}
