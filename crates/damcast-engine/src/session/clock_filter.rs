//! Separates good clock readings from wrong ones, and creates notices about the clock.
//!
//! Cables have glitches, frames get damaged, and clocks send leftovers of their memory: between 1:26:05 and 1:24:55 a
//! broadcast once showed 12:45:03. Each reading is compared with the previous one:
//!
//! | since the last good reading | verdict |
//! |---|---|
//! | a side lost no more than the elapsed time | good |
//! | a side gained no more than a usual increment | good |
//! | a side gained the time of a period of the time control whose moves are about complete | good |
//! | otherwise | doubtful: buffered until three readings agree over a second and a half, else dropped |
//!
//! A clock that an arbiter has reset is therefore accepted after seconds, and garbage never. While readings are doubtful,
//! the clock is unknown and the clock comment is omitted.
//!
//! Invariants: accepted readings were sent by the board, in its order; the buffer is bounded; the filter has no clock of
//! its own.

use draughts::Color;
use draughts_pdn::time_control::{Period, TimeControl};

use crate::millis::Millis;
use crate::protocol::ClockTimes;

/// Tolerated loss beyond the elapsed time, in seconds: readings lag up to a second, links more.
const TIME_SLACK: u32 = 10;
/// Maximum increment, penalty or bonus for one move, in seconds.
const MAX_INCREMENT: u32 = 120;
/// Distance in moves from the end of a period at which its time may be added: a setup may hide plies.
const NEAR_MOVES: u32 = 3;
/// Agreeing readings that override the known state.
const MIN_AGREEING: usize = 3;
/// Minimum time over which those readings must agree.
const MIN_AGREEMENT_TIME: Millis = Millis(1_500);
/// Limit of buffered readings.
const MAX_DOUBTFUL: usize = 16;
/// Age up to which a reading of a running clock is valid; it sends its time every second.
const MAX_READING_AGE: Millis = Millis::seconds(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TimedReading {
    at: Millis,
    times: ClockTimes,
}

impl TimedReading {
    fn seconds(&self) -> [u32; 2] {
        [self.times.left.total_seconds(), self.times.right.total_seconds()]
    }
}

/// Filter for the readings of one clock.
#[derive(Clone, Debug, Default)]
pub struct ClockFilter {
    /// Periods of the time control, if known.
    periods: Vec<Period>,
    last_good: Option<TimedReading>,
    /// Whether a second reading has agreed with a good one; the very first reading has no reference.
    is_confirmed: bool,
    doubtful: Vec<TimedReading>,
}

/// Outcome of a reading.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FilteredReadings {
    /// Accepted readings in order: none, this one, or this one after the doubtful ones before it.
    pub good: Vec<ClockTimes>,
    /// Whether the earlier readings were wrong, so that they do not show what has happened since.
    pub was_reset: bool,
}

impl ClockFilter {
    /// Creates a filter for the time control of a tag, if it contains one.
    pub fn new(time_control: Option<&str>) -> ClockFilter {
        let periods = match time_control.and_then(|text| text.trim().parse().ok()) {
            Some(TimeControl::Periods(periods)) => periods,
            Some(TimeControl::Unknown | TimeControl::NoTime) | None => Vec::new(),
        };
        ClockFilter { periods, ..ClockFilter::default() }
    }

    /// Checks a reading. `plies`: plies played so far.
    pub fn check(&mut self, now: Millis, times: ClockTimes, plies: u32) -> FilteredReadings {
        let reading = TimedReading { at: now, times };
        if self.last_good.is_none_or(|good| self.is_consistent(&good, &reading, plies)) {
            self.is_confirmed |= self.last_good.is_some();
            self.last_good = Some(reading);
            self.doubtful.clear();
            return FilteredReadings { good: vec![times], was_reset: false };
        }
        if self.doubtful.last().is_some_and(|last| !self.is_consistent(last, &reading, plies)) {
            self.doubtful.clear();
        }
        if self.doubtful.len() == MAX_DOUBTFUL {
            // Keep the first reading for its time; the press may be at any other.
            self.doubtful.remove(1);
        }
        self.doubtful.push(reading);
        let since = self.doubtful.first().map_or(now, |first| first.at);
        if self.doubtful.len() < MIN_AGREEING || now - since < MIN_AGREEMENT_TIME {
            return FilteredReadings::default();
        }
        self.last_good = Some(reading);
        let good = std::mem::take(&mut self.doubtful).into_iter().map(|reading| reading.times).collect();
        FilteredReadings { good, was_reset: !std::mem::replace(&mut self.is_confirmed, true) }
    }

    /// Forgets the readings, since the clock was removed.
    pub fn reset(&mut self) {
        self.last_good = None;
        self.is_confirmed = false;
        self.doubtful.clear();
    }

    /// Whether the last reading still shows the state of the clock.
    pub fn is_certain(&self, now: Millis) -> bool {
        let is_fresh = |good: TimedReading| !good.times.is_running() || now - good.at <= MAX_READING_AGE;
        self.doubtful.is_empty() && self.last_good.is_some_and(is_fresh)
    }

    fn is_consistent(&self, before: &TimedReading, after: &TimedReading, plies: u32) -> bool {
        let passed = u32::try_from((after.at - before.at).0.div_ceil(1000)).unwrap_or(u32::MAX);
        before.seconds().into_iter().zip(after.seconds()).all(|(before, after)| match after.checked_sub(before) {
            None => before - after <= passed.saturating_add(TIME_SLACK),
            Some(gain) => gain <= passed.saturating_add(MAX_INCREMENT) || self.is_new_period(gain, passed, plies),
        })
    }

    /// Whether the gain matches the time of a period that begins about now. Clocks add it at the last move of the previous
    /// period, or when the time of that period is used up.
    fn is_new_period(&self, gain: u32, passed: u32, plies: u32) -> bool {
        let mut made = 0_u32;
        self.periods.windows(2).any(|two| {
            let Period::Moves { moves, .. } = two[0] else { return false };
            made = made.saturating_add(moves);
            let (seconds, increment) = match two[1] {
                Period::Moves { seconds, .. } | Period::SuddenDeath { seconds } | Period::Hourglass { seconds } => {
                    (seconds, 0)
                }
                Period::Increment { seconds, increment } => (seconds, increment),
            };
            let least = seconds.saturating_sub(passed.saturating_add(TIME_SLACK));
            let max_seconds = seconds.saturating_add(increment).saturating_add(TIME_SLACK);
            (least..=max_seconds).contains(&gain) && (plies / 2).abs_diff(made) <= NEAR_MOVES
        })
    }
}

/// Notices about the clock that the operator has received.
#[derive(Clone, Debug, Default)]
pub struct ClockNotices {
    is_no_clock_reported: bool,
    is_battery_reported: bool,
    /// Flag falls reported for the left and right side.
    reported_flags: [bool; 2],
}

impl ClockNotices {
    /// Clears the reported flag falls for a new game.
    pub fn new_game(&mut self) {
        self.reported_flags = [false; 2];
    }

    /// Returns a notice that no clock is connected. `had_one`: whether one was connected until then.
    pub fn no_clock(&mut self, had_one: bool) -> Option<String> {
        let words = if had_one { "the clock is no longer connected" } else { "no clock is connected to the board" };
        let is_news = !std::mem::replace(&mut self.is_no_clock_reported, true) || had_one;
        is_news.then(|| format!("{words}; plies are recorded without times"))
    }

    /// Returns the notices for a good reading. `right`: player on the right of the clock, if known.
    pub fn reading(&mut self, times: &ClockTimes, right: Option<Color>) -> Vec<String> {
        self.is_no_clock_reported = false;
        let mut notices = Vec::new();
        if times.is_battery_low() && !self.is_battery_reported {
            notices.push("the clock's battery is low".to_owned());
        }
        self.is_battery_reported = times.is_battery_low();
        let sides = [(times.left, "left", right.map(|color| !color)), (times.right, "right", right)];
        for (flag, (side, word, color)) in self.reported_flags.iter_mut().zip(sides) {
            let has_fallen = side.is_flag_fallen || side.is_flag_shown && side.total_seconds() == 0;
            if has_fallen && !std::mem::replace(flag, true) {
                notices.push(match color {
                    Some(color) => format!("{color}'s flag has fallen"),
                    None => format!("the flag at the {word} side of the clock has fallen"),
                });
            }
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ClockSide, ClockStatus};
    use proptest::prelude::*;

    fn side(seconds: u32) -> ClockSide {
        let [hours, minutes, seconds] = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|part| part as u8);
        ClockSide { hours, minutes, seconds, ..ClockSide::default() }
    }

    fn clock(left: u32, right: u32) -> ClockTimes {
        ClockTimes { left: side(left), right: side(right), status: ClockStatus(ClockStatus::RUNNING) }
    }

    fn time(text: &str) -> u32 {
        text.split(':').fold(0, |sum, part| sum * 60 + part.parse::<u32>().unwrap())
    }

    /// Checks readings a second apart, after `plies` plies, and which of them are accepted at each step.
    #[track_caller]
    fn check(control: Option<&str>, plies: u32, readings: &[(&str, &str, usize)]) {
        let mut truth = ClockFilter::new(control);
        for (second, (left, right, is_accepted)) in readings.iter().enumerate() {
            let now = Millis::seconds(second as u64);
            let times = truth.check(now, clock(time(left), time(right)), plies);
            assert_eq!(times.good.len(), *is_accepted, "{left} {right} in {readings:?}");
            assert_eq!(truth.is_certain(now), *is_accepted > 0);
        }
    }

    #[test]
    fn drops_implausible_time() {
        check(
            None,
            60,
            &[
                ("1:26:05", "1:10:00", 1),
                ("2:45:03", "1:10:00", 0),
                ("1:26:03", "1:10:00", 1),
                ("1:26:02", "1:10:00", 1),
            ],
        );
        check(None, 0, &[("1:26:05", "1:10:00", 1), ("0:00:00", "0:00:00", 0), ("1:26:03", "1:10:00", 1)]);
    }

    #[test]
    fn accepts_increments() {
        check(None, 10, &[("1:20:00", "1:20:00", 1), ("1:19:30", "1:20:00", 0)]);
        check(None, 10, &[("1:19:30", "1:20:00", 1), ("1:20:29", "1:20:00", 1), ("1:20:29", "1:19:59", 1)]);
    }

    #[test]
    fn accepts_due_bonus_of_30_minutes_at_move_45() {
        let control = Some("45/6300:1800");
        let readings = [("0:04:10", "0:09:00", 1), ("0:34:10", "0:09:00", 1), ("0:34:10", "0:08:59", 1)];
        check(control, 89, &readings);
        let early = [("0:04:10", "0:09:00", 1), ("0:34:10", "0:09:00", 0), ("0:34:10", "0:08:59", 0)];
        check(control, 40, &early);
        check(None, 89, &early);
        let wrong = [("0:04:10", "0:09:00", 1), ("0:54:10", "0:09:00", 0), ("0:04:08", "0:09:00", 1)];
        check(control, 89, &wrong);
    }

    #[test]
    fn accepts_insistent_new_setting() {
        check(
            None,
            0,
            &[
                ("1:20:00", "1:20:00", 1),
                ("2:00:00", "2:00:00", 0),
                ("2:00:00", "2:00:00", 0),
                ("1:59:59", "2:00:00", 3),
            ],
        );
        // It is not accepted if it changes in between.
        check(
            None,
            0,
            &[
                ("1:20:00", "1:20:00", 1),
                ("2:00:00", "2:00:00", 0),
                ("5:00:00", "2:00:00", 0),
                ("2:00:00", "2:00:00", 0),
            ],
        );
    }

    #[test]
    fn discards_unsupported_first_reading() {
        let mut truth = ClockFilter::new(None);
        truth.check(Millis::ZERO, clock(9, 9), 0);
        let judged = (1..4).map(|second| truth.check(Millis::seconds(second), clock(4800, 4800), 0)).last().unwrap();
        assert!(judged.was_reset && judged.good.len() == 3);
        let judged = (4..7).map(|second| truth.check(Millis::seconds(second), clock(9, 9), 0)).last().unwrap();
        assert!(!judged.was_reset && judged.good.len() == 3);
    }

    #[test]
    fn old_reading_of_running_clock_is_uncertain() {
        let mut truth = ClockFilter::new(None);
        truth.check(Millis::ZERO, clock(100, 100), 0);
        assert!(truth.is_certain(Millis::seconds(10)) && !truth.is_certain(Millis::seconds(11)));
        let stopped = ClockTimes { status: ClockStatus(0), ..clock(100, 100) };
        truth.check(Millis::ZERO, stopped, 0);
        assert!(truth.is_certain(Millis::seconds(3600)));
        truth.reset();
        assert!(!truth.is_certain(Millis::ZERO));
    }

    #[test]
    fn notifies_operator_once() {
        let mut notices = ClockNotices::default();
        assert!(notices.no_clock(false).is_some_and(|text| text.starts_with("no clock is connected")));
        assert_eq!(notices.no_clock(false), None);
        let fallen = ClockTimes { left: ClockSide { is_flag_fallen: true, ..side(0) }, ..clock(0, 10) };
        assert_eq!(notices.reading(&fallen, None), ["the flag at the left side of the clock has fallen"]);
        assert_eq!(notices.reading(&fallen, None), [""; 0]);
        notices.new_game();
        assert_eq!(notices.reading(&fallen, Some(Color::White)), ["Black's flag has fallen"]);
        let low = ClockTimes { status: ClockStatus(ClockStatus::BATTERY_LOW), ..clock(5, 10) };
        assert_eq!(notices.reading(&low, None), ["the clock's battery is low"]);
        assert_eq!(notices.reading(&low, None), [""; 0]);
        assert!(notices.no_clock(true).is_some_and(|text| text.starts_with("the clock is no longer connected")));
        assert!(notices.no_clock(true).is_some());
        assert_eq!(notices.no_clock(false), None);
    }

    proptest! {
        /// A game with an increment; some of its readings are damaged beyond anything a game can produce.
        #[test]
        fn never_accepts_garbage_between_good_readings(
            garbage in prop::collection::vec(prop::option::weighted(0.4, (0u32..36_000, 0u32..36_000, 0u8..32)), 1..120),
            increment in 0u32..60,
        ) {
            let mut truth = ClockFilter::new(None);
            let mut sides = [4800_u32, 4800];
            let mut now = Millis::ZERO;
            truth.check(now, clock(sides[0], sides[1]), 20);
            for (second, garbage) in garbage.into_iter().enumerate() {
                now = now + Millis(1000);
                let turn = second / 20 % 2;
                sides[turn] -= 1;
                if second % 20 == 19 {
                    sides[turn] += increment;
                }
                let good = clock(sides[0], sides[1]);
                if let Some((left, right, status)) = garbage {
                    let is_far = |wrong: u32, right: u32| wrong + 300 < right || wrong > right + 300;
                    prop_assume!(is_far(left, sides[0]) || is_far(right, sides[1]));
                    let wrong = ClockTimes { status: ClockStatus(status), ..clock(left, right) };
                    prop_assert_eq!(truth.check(now, wrong, 20).good, vec![]);
                    prop_assert!(!truth.is_certain(now));
                    now = now + Millis(20);
                }
                prop_assert_eq!(truth.check(now, good, 20).good, vec![good]);
            }
        }

        #[test]
        fn accepts_arbitrary_readings(
            readings in prop::collection::vec((0u64..100_000, 0u32..36_000, 0u32..36_000, any::<u32>()), 1..60),
        ) {
            let mut truth = ClockFilter::new(Some("4294/999999999:1:2+999999999:*5"));
            let (mut now, mut accepted) = (Millis::ZERO, 0);
            let sent = readings.len();
            for (pause, left, right, plies) in readings {
                now = now + Millis(pause);
                accepted += truth.check(now, clock(left, right), plies).good.len();
            }
            prop_assert!(accepted <= sent && truth.doubtful.len() <= MAX_DOUBTFUL);
        }
    }
}
