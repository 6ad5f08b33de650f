//! Combines two sources of one clock: presses among the board's changes, and requested readings.
//!
//! | source | content | missing |
//! |---|---|---|
//! | event of the memory | stopped side and its time: the lever moved on a running clock | other time, whether it still runs |
//! | reading | both times, the lever, whether the clock runs | its exact time; it may be a second old |
//!
//! Combined, they yield the readings of a board on its own line. The time of the other side is exact too, because that side
//! has been stopped since its own last press.

use crate::millis::Millis;
use crate::protocol::changes::TimeSide;
use crate::protocol::{ClockReport, ClockSide, ClockStatus, ClockTimes, Lever};

/// Age limit of a press that overrides a contradicting reading; boards send readings up to a second old.
const MAX_AGE: Millis = Millis(1_500);

/// Time of an event: hours, minutes, seconds.
pub type Time = [u8; 3];

/// Known state of a clock, from events and readings.
#[derive(Clone, Debug, Default)]
pub struct EventClock {
    last_sides: Option<ClockTimes>,
    pressed_at: Option<Millis>,
    read_at: Option<Millis>,
    last_running_at: Option<Millis>,
    /// Whether presses may be missing, so that the side to move is unknown.
    is_lever_old: bool,
    /// Whether the time of the left and right side may have been reset since its last report.
    may_be_reset: [bool; 2],
}

impl EventClock {
    /// Handles a press of `side`, which stopped at `time`. Returns the equivalent readings.
    ///
    /// A clock that was last seen stopped must have been started in between, with the lever on the other side. Boards do not
    /// report this start, so it is inserted; otherwise the press would look like the start. The same applies if the lever was
    /// already on this side when last seen: it has been moved back in between.
    ///
    /// `is_begun`: a piece has moved, so the press completes a ply. Before the first ply a press only sets the lever, and a
    /// reading shows whether the clock runs. Before the first reading the time of the other side is unknown, but the lever is
    /// known.
    pub fn press(&mut self, now: Millis, side: TimeSide, time: Time, is_begun: bool) -> Vec<ClockReport> {
        let [hours, minutes, seconds] = time;
        let lever = match side {
            TimeSide::Left => ClockStatus::RIGHT_HIGH,
            TimeSide::Right => 0,
        };
        let known = self.last_sides;
        let before = known.unwrap_or_else(|| {
            let shown = ClockSide { hours, minutes, seconds, ..ClockSide::default() };
            self.may_be_reset = [true; 2];
            ClockTimes { left: shown, right: shown, status: ClockStatus(lever ^ ClockStatus::RIGHT_HIGH) }
        });
        let mut times = before;
        let stopped = match side {
            TimeSide::Left => &mut times.left,
            TimeSide::Right => &mut times.right,
        };
        (stopped.hours, stopped.minutes, stopped.seconds) = (hours, minutes, seconds);
        self.may_be_reset[usize::from(side == TimeSide::Right)] = false;
        times.status = ClockStatus(times.status.0 & !ClockStatus::RIGHT_HIGH | lever);
        self.pressed_at = Some(now);
        let is_missed = std::mem::take(&mut self.is_lever_old) && before.lever() == times.lever();
        if !before.is_running() && !is_begun {
            self.last_sides = Some(times);
            return vec![ClockReport::Times(times)];
        }
        times.status = ClockStatus(times.status.0 | ClockStatus::RUNNING);
        self.last_sides = Some(times);
        self.last_running_at = Some(now);
        let shown = if is_missed { times } else { before };
        let started = ClockTimes { status: ClockStatus(times.status.0 ^ ClockStatus::RIGHT_HIGH), ..shown };
        let started = (!before.is_running() || is_missed).then_some(ClockReport::Times(started));
        started.into_iter().chain([ClockReport::Times(times)]).collect()
    }

    /// Handles a reading. Returns it with its effective time: a clock found stopped may have stopped at any time since it last
    /// ran. `None` if the reading is outdated or contains nothing.
    pub fn reading(&mut self, now: Millis, report: ClockReport) -> Option<(Millis, ClockReport)> {
        let times = match report {
            ClockReport::Times(times) if !times.is_all_zero() => times,
            ClockReport::NoClock => {
                *self = EventClock { read_at: Some(now), ..EventClock::default() };
                return Some((now, report));
            }
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Invalid(_) => return None,
        };
        self.read_at = Some(now);
        let contradicts = self.last_sides.is_some_and(|last| last.lever() != times.lever());
        if contradicts && self.pressed_at.is_some_and(|pressed| now - pressed < MAX_AGE) {
            return None;
        }
        self.last_sides = Some(times);
        self.is_lever_old = false;
        self.may_be_reset = [false; 2];
        if times.is_running() {
            self.last_running_at = Some(now);
            return Some((now, report));
        }
        Some((self.last_running_at.unwrap_or(now), report))
    }

    /// Returns the last reading, for the replay of a game on the same clock.
    pub fn last_reading(&self, now: Millis) -> Option<ClockReport> {
        self.age(now).and(self.last_sides).map(ClockReport::Times)
    }

    /// Resets the clock for a new game whose clock setting was not observed; the clock was stopped then.
    pub fn new_game(&mut self) {
        if let Some(times) = &mut self.last_sides {
            times.status = ClockStatus(times.status.0 & !ClockStatus::RUNNING);
            self.may_be_reset = [true; 2];
        }
    }

    /// Records a power loss of the board, which may have missed presses.
    pub fn note_power_loss(&mut self) {
        self.is_lever_old = true;
    }

    /// Whether a reading shows the lever on another side than known.
    pub fn is_elsewhere(&self, report: ClockReport) -> bool {
        let ClockReport::Times(times) = report else { return false };
        !times.is_all_zero() && self.last_sides.is_some_and(|last| last.lever() != times.lever())
    }

    /// Whether the lever was set before the first ply and not read since, so that the clock may run.
    pub fn has_possible_start(&self) -> bool {
        !self.is_running() && self.pressed_at > self.read_at
    }

    /// Whether the times of both sides belong to this game.
    pub fn is_sure(&self) -> bool {
        self.may_be_reset == [false; 2]
    }

    /// Returns the expected times of the left and right side at `now`, in seconds; one of them is counted down.
    pub fn sides(&self, now: Millis) -> Option<[u32; 2]> {
        let times = self.last_sides.filter(|_| self.is_sure())?;
        let known_at = self.read_at.max(self.pressed_at)?;
        let gone = if times.is_running() { ((now - known_at).0 / 1_000) as u32 } else { 0 };
        let [left, right] = [times.left.total_seconds(), times.right.total_seconds()];
        Some(match times.lever() {
            Lever::LeftHigh => [left.saturating_sub(gone), right],
            Lever::RightHigh => [left, right.saturating_sub(gone)],
        })
    }

    /// Returns the side pressed last, whose lever is down.
    pub fn last_pressed(&self) -> Option<TimeSide> {
        self.last_sides.map(|times| match times.lever() {
            Lever::LeftHigh => TimeSide::Right,
            Lever::RightHigh => TimeSide::Left,
        })
    }

    /// Returns the time since the last reading; `None` without a reading.
    pub fn age(&self, now: Millis) -> Option<Millis> {
        self.read_at.map(|read| now - read)
    }

    /// Whether the clock is running, as far as known.
    pub fn is_running(&self) -> bool {
        self.last_sides.is_some_and(|times| times.is_running())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(left: u8, right: u8, status: u8) -> ClockReport {
        let side = |seconds| ClockSide { minutes: 10, seconds, ..ClockSide::default() };
        ClockReport::Times(ClockTimes { left: side(left), right: side(right), status: ClockStatus(status) })
    }

    fn seen(reports: &[ClockReport]) -> Vec<(u8, u8, Lever, bool)> {
        let seen = |report: &ClockReport| {
            let ClockReport::Times(times) = report else { panic!("{report:?}") };
            (times.left.seconds, times.right.seconds, times.lever(), times.is_running())
        };
        reports.iter().map(seen).collect()
    }

    #[test]
    fn press_reports_one_time_and_keeps_other() {
        let mut clock = EventClock::default();
        clock.reading(Millis(10), times(30, 40, 0x00));
        let after = clock.press(Millis(20), TimeSide::Left, [0, 10, 25], true);
        assert_eq!(seen(&after), [(30, 40, Lever::LeftHigh, true), (25, 40, Lever::RightHigh, true)], "it was started");
        let after = clock.press(Millis(30), TimeSide::Right, [0, 10, 35], true);
        assert_eq!(seen(&after), [(25, 35, Lever::LeftHigh, true)]);
    }

    #[test]
    fn stopped_clock_starts_unseen() {
        let mut clock = EventClock::default();
        clock.reading(Millis(10), times(30, 30, 0x00));
        let after = clock.press(Millis(20), TimeSide::Right, [0, 10, 25], true);
        assert_eq!(seen(&after), [(30, 30, Lever::RightHigh, true), (30, 25, Lever::LeftHigh, true)]);
        // A reading that arrives before the report shows a running clock: one press, not two.
        clock.reading(Millis(30), times(25, 25, 0x03));
        let after = clock.press(Millis(40), TimeSide::Left, [0, 10, 25], true);
        assert_eq!(seen(&after), [(25, 25, Lever::RightHigh, true)]);
    }

    #[test]
    fn press_before_first_ply_only_sets_lever() {
        let mut clock = EventClock::default();
        clock.reading(Millis(10), times(30, 30, 0x02));
        let after = clock.press(Millis(20), TimeSide::Right, [0, 10, 30], false);
        assert_eq!(seen(&after), [(30, 30, Lever::LeftHigh, false)]);
        assert!(clock.has_possible_start());
        clock.reading(Millis(30), times(30, 30, 0x01));
        assert!(!clock.has_possible_start());
        // Again, but without a reading before the press of the first ply.
        clock.press(Millis(40), TimeSide::Left, [0, 10, 30], false);
        clock.new_game();
        clock.press(Millis(50), TimeSide::Right, [0, 10, 30], false);
        let after = clock.press(Millis(60), TimeSide::Left, [0, 10, 25], true);
        assert_eq!(seen(&after), [(30, 30, Lever::LeftHigh, true), (25, 30, Lever::RightHigh, true)]);
    }

    #[test]
    fn lever_is_known_before_clock_reading() {
        let mut clock = EventClock::default();
        let after = clock.press(Millis(5), TimeSide::Right, [0, 10, 30], false);
        assert_eq!(seen(&after), [(30, 30, Lever::LeftHigh, false)]);
        let after = clock.press(Millis(6), TimeSide::Left, [0, 10, 25], true);
        assert_eq!(seen(&after), [(30, 30, Lever::LeftHigh, true), (25, 30, Lever::RightHigh, true)]);
        assert!(clock.is_sure() && clock.age(Millis(7)).is_none());
        let mut clock = EventClock::default();
        let after = clock.press(Millis(6), TimeSide::Left, [0, 10, 25], true);
        assert_eq!(seen(&after), [(25, 25, Lever::LeftHigh, true), (25, 25, Lever::RightHigh, true)]);
        assert!(!clock.is_sure() && clock.sides(Millis(7)).is_none(), "the right side's time is not known");
    }

    #[test]
    fn press_after_missed_press_counts_twice() {
        let mut clock = EventClock::default();
        clock.reading(Millis(0), times(30, 40, 0x03));
        clock.note_power_loss();
        // The right side was running; the left side stops next.
        let after = clock.press(Millis(60_000), TimeSide::Left, [0, 9, 50], true);
        assert_eq!(seen(&after), [(50, 40, Lever::LeftHigh, true), (50, 40, Lever::RightHigh, true)]);
        assert_eq!(clock.press(Millis(70_000), TimeSide::Right, [0, 9, 30], true).len(), 1);
        clock.note_power_loss();
        assert_eq!(clock.press(Millis(80_000), TimeSide::Left, [0, 9, 20], true).len(), 1, "as it should be");
    }

    #[test]
    fn reading_before_press_is_no_press_back() {
        let mut clock = EventClock::default();
        clock.reading(Millis(0), times(30, 40, 0x01));
        clock.press(Millis(1_000), TimeSide::Left, [0, 10, 25], true);
        assert_eq!(clock.reading(Millis(1_100), times(25, 40, 0x01)), None);
        assert_eq!(clock.reading(Millis(2_000), times(25, 39, 0x03)), Some((Millis(2_000), times(25, 39, 0x03))));
        // Long after the press, the reading counts: the event was lost.
        assert!(clock.reading(Millis(9_000), times(24, 33, 0x01)).is_some());
    }

    #[test]
    fn stopped_clock_stopped_when_last_seen_running() {
        let mut clock = EventClock::default();
        assert_eq!(clock.reading(Millis(0), times(30, 40, 0x00)).map(|(at, _)| at), Some(Millis(0)));
        clock.reading(Millis(10), times(30, 40, 0x01));
        assert_eq!(clock.reading(Millis(5_000), times(30, 36, 0x00)).map(|(at, _)| at), Some(Millis(10)));
    }

    #[test]
    fn running_side_loses_elapsed_time() {
        let mut clock = EventClock::default();
        assert_eq!(clock.sides(Millis(0)), None);
        clock.reading(Millis(0), times(30, 40, 0x00));
        assert_eq!(clock.sides(Millis(9_000)), Some([630, 640]), "it stands");
        clock.reading(Millis(10_000), times(30, 40, 0x03));
        assert_eq!(clock.sides(Millis(17_500)), Some([630, 633]));
        clock.press(Millis(20_000), TimeSide::Right, [0, 10, 25], true);
        assert_eq!(clock.sides(Millis(22_000)), Some([628, 625]));
    }

    #[test]
    fn clock_set_for_new_game_needs_both_sides() {
        let mut clock = EventClock::default();
        clock.reading(Millis(0), times(30, 40, 0x01));
        clock.new_game();
        assert!(!clock.is_running() && !clock.is_sure());
        let after = clock.press(Millis(9_000), TimeSide::Left, [1, 20, 50], true);
        assert_eq!(after.len(), 2, "it was started");
        assert!(!clock.is_sure());
        clock.press(Millis(19_000), TimeSide::Right, [1, 20, 40], true);
        assert!(clock.is_sure());
    }

    #[test]
    fn no_clock_gives_no_times() {
        let mut clock = EventClock::default();
        clock.reading(Millis(10), times(30, 40, 0x01));
        assert_eq!(clock.reading(Millis(20), ClockReport::NoClock), Some((Millis(20), ClockReport::NoClock)));
        assert!(!clock.is_running() && clock.age(Millis(25)) == Some(Millis(5)));
    }
}
