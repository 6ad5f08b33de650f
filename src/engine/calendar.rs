//! Which moment on the wall a time of a line is.
//!
//! ```text
//!   line       0 ..... 1003 .............. 28800000 ...
//!   machine    1970    │ somebody sets its clock: `1003 @ 2026-11-21T09:30:00.000+01:00`
//!   calendar   1970 ...│ 2026-11-21 09:30:00 ....... 17:29:59 ...
//! ```
//!
//! The times of a line never jump; the clock of its machine may be set, and a machine that sleeps wakes up later. From the
//! moment at which that is noticed the new reading counts, and what was before keeps the moment that it had.
//!
//! Invariant: a moment depends on the time alone, never on when it is asked for.

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::engine::millis::Millis;

/// The moments of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calendar {
    /// From which time on, and the moment from which the times count then. Never empty, in the order of time.
    epochs: Vec<(Millis, DateTime<FixedOffset>)>,
}

impl Calendar {
    /// The calendar of a line whose time 0 is this moment.
    pub fn new(opened: DateTime<FixedOffset>) -> Calendar {
        Calendar { epochs: vec![(Millis::ZERO, opened)] }
    }

    /// From a time on the clock of the machine shows this. Times never decrease.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.epochs.retain(|(from, _)| *from < at);
        self.epochs.push((at, epoch(at, shown)));
    }

    /// The moment that a time is.
    pub fn moment(&self, at: Millis) -> DateTime<FixedOffset> {
        let index = self.epochs.partition_point(|(from, _)| *from <= at).saturating_sub(1);
        self.epochs.get(index).map_or_else(DateTime::default, |(_, epoch)| moment(*epoch, at))
    }

    /// The moment from which the times count now.
    pub fn epoch(&self) -> DateTime<FixedOffset> {
        self.epochs.last().map_or_else(DateTime::default, |(_, epoch)| *epoch)
    }

    /// The time from which on it shows what it shows now.
    pub fn epoch_start(&self) -> Millis {
        self.epochs.last().map_or(Millis::ZERO, |(from, _)| *from)
    }
}

/// The moment that a time is which counts from `epoch`.
pub fn moment(epoch: DateTime<FixedOffset>, at: Millis) -> DateTime<FixedOffset> {
    let span = i64::try_from(at.0).ok().and_then(TimeDelta::try_milliseconds);
    span.and_then(|span| epoch.checked_add_signed(span)).unwrap_or(epoch)
}

/// The moment from which times count, if `shown` is the moment of one of them.
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
