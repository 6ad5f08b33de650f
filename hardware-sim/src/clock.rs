//! The clock: two times, a lever, and the lag after which a board receives changes.
//!
//! ```text
//!   left side            right side            the player who presses pushes his own side of the lever down;
//!  [ 1:19:50 ]  \____   [ 1:20:00 ]            the side that is high is to move and its time runs
//! ```
//!
//! [`SimClock::reading`] is what the clock shows now, [`SimClock::board_reading`] is the board's last received state. A change (press,
//! start, stop, unplugging) reaches the board 0.15 to 0.95 s later. Until then the board has the old state, with its time frozen at the
//! moment of the change, because a time that was never shown must not be reported.
//!
//! Invariants: time only counts down, except for increments at a press and a host's set-and-run; at zero the flag falls and the side stays
//! at zero; pressing a side that is already down has no effect.

use crate::random::{Rng, Span};
use std::collections::VecDeque;

/// One side of the clock, seen from its front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ClockSide {
    /// Side of the left player.
    #[default]
    Left,
    /// Side of the right player.
    Right,
}

impl ClockSide {
    /// Returns the other side.
    pub fn other(self) -> ClockSide {
        match self {
            ClockSide::Left => ClockSide::Right,
            ClockSide::Right => ClockSide::Left,
        }
    }
}

/// Base time and increment per move, in seconds; written `4800+60`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControl {
    /// Time for the whole game, per side.
    pub base_s: u32,
    /// Time added at each press.
    pub increment_s: u32,
}

/// A text that is not of the form `SECONDS` or `SECONDS+SECONDS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeControlError(String);

impl std::fmt::Display for TimeControlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "time control {:?}: write seconds, or seconds+increment as in 4800+60", self.0)
    }
}

impl std::error::Error for TimeControlError {}

impl std::str::FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let number = |part: &str| part.trim().parse().map_err(|_| TimeControlError(text.to_string()));
        Ok(TimeControl { base_s: number(base)?, increment_s: number(increment)? })
    }
}

impl std::fmt::Display for TimeControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}+{}", self.base_s, self.increment_s)
    }
}

/// Reading of a clock at one moment. Seconds are rounded up, as displays do: a fresh clock shows its full time for a second.
///
/// The default is the reading of a board without a clock on its cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockReading {
    /// Time of the left player.
    pub left_s: u64,
    /// Time of the right player.
    pub right_s: u64,
    /// Whether the left flag has fallen; that side stays at zero.
    pub has_left_flag: bool,
    /// Whether the right flag has fallen; that side stays at zero.
    pub has_right_flag: bool,
    /// Whether the control has an increment (the time-per-move indicator in both hour bytes).
    pub has_increment: bool,
    /// Side whose lever is high: it is to move.
    pub high: ClockSide,
    /// Whether a time is running.
    pub is_running: bool,
    /// Whether the clock is connected to the board's cable.
    pub is_connected: bool,
}

/// A clock with its cable. All times are milliseconds of the virtual clock and must not decrease from call to call.
#[derive(Debug, Clone)]
pub struct SimClock {
    control: TimeControl,
    state: State,
    board_state: State,
    pending: VecDeque<Change>,
    lag: Span,
    rng: Rng,
    text: Option<String>,
    beep_until_ms: u64,
}

impl SimClock {
    /// Creates a stopped clock with full times, whose changes reach the board after a lag drawn from `lag`.
    pub fn new(control: TimeControl, high: ClockSide, lag: Span, rng: Rng) -> SimClock {
        let state = State::new(control, high);
        SimClock {
            control,
            state,
            board_state: state,
            pending: VecDeque::new(),
            lag,
            rng,
            text: None,
            beep_until_ms: 0,
        }
    }

    /// Pushes `side`'s end of the lever down. Returns `false`, without effect, if it was already down. If the clock is running, adds the
    /// presser's increment.
    pub fn press(&mut self, now: u64, side: ClockSide) -> bool {
        if self.state.high != side {
            return false;
        }
        let increment = u64::from(self.control.increment_s) * 1000;
        self.change(now, |state| {
            if state.running && !state.has_fallen(side) {
                *state.time_mut(side) += increment;
            }
            state.high = side.other();
        });
        true
    }

    /// Starts the time of the side that is high.
    pub fn start(&mut self, now: u64) {
        self.change(now, |state| state.running = true);
    }

    /// Stops both times; the lever keeps its position.
    pub fn stop(&mut self, now: u64) {
        self.change(now, |state| state.running = false);
    }

    /// Connects or disconnects the cable. The times continue to run.
    pub fn connect(&mut self, now: u64, connected: bool) {
        self.change(now, |state| state.connected = connected);
    }

    /// Prepares a new game: full times, stopped, `high` to move.
    pub fn reset(&mut self, now: u64, control: TimeControl, high: ClockSide) {
        self.control = control;
        self.change(now, |state| {
            *state = State { since_ms: now, connected: state.connected, ..State::new(control, high) };
        });
    }

    /// Sets both times, in seconds, as the host's set-and-run command does; `run` starts or stops the clock.
    pub fn set_times(&mut self, now: u64, left_s: u64, right_s: u64, run: bool) {
        self.change(now, |state| {
            state.left_ms = left_s * 1000;
            state.right_ms = right_s * 1000;
            state.running = run;
        });
    }

    /// Shows a text instead of the times, or the times again (`None`). The clock continues to run behind the text.
    pub fn show(&mut self, text: Option<String>) {
        self.text = text;
    }

    /// Returns the text that a host has put on the display.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Beeps for `for_ms` milliseconds from now on.
    pub fn beep(&mut self, now: u64, for_ms: u64) {
        self.beep_until_ms = now + for_ms;
    }

    /// Whether the clock is beeping.
    pub fn is_beeping(&self, now: u64) -> bool {
        now < self.beep_until_ms
    }

    /// Returns the current reading, ignoring any text on the display.
    pub fn reading(&self, now: u64) -> ClockReading {
        self.state.to_reading(now, self.control)
    }

    /// Returns the exact times (left, right) in milliseconds.
    pub fn times_ms(&self, now: u64) -> (u64, u64) {
        let at = self.state.at(now);
        (at.left_ms, at.right_ms)
    }

    /// Returns the reading that the board has received.
    pub fn board_reading(&self, now: u64) -> ClockReading {
        let until = self.pending.front().map_or(now, |change| change.at_ms.min(now));
        self.board_state.to_reading(until, self.control)
    }

    /// Returns the time at which the board receives the next change.
    pub fn next_time(&self) -> Option<u64> {
        self.pending.front().map(|change| change.due_ms)
    }

    /// Delivers one change due by `now` to the board. If the lever moved, the change contains the stopped side and its time in seconds.
    /// Call until it returns `None`.
    pub fn next_change(&mut self, now: u64) -> Option<LeverChange> {
        self.pending.front().filter(|change| change.due_ms <= now)?;
        let change = self.pending.pop_front()?;
        let before = self.board_state;
        self.board_state = change.state;
        let lever = before.high != change.state.high && change.state.connected;
        let stopped = before.high;
        Some(LeverChange { stopped_side: lever.then(|| (stopped, change.state.time_of(stopped).div_ceil(1000))) })
    }

    fn change(&mut self, now: u64, how: impl FnOnce(&mut State)) {
        let mut state = self.state.at(now);
        how(&mut state);
        self.state = state;
        let earliest = self.pending.back().map_or(0, |last| last.due_ms);
        let due_ms = (now + self.rng.span(self.lag)).max(earliest);
        // Bound the queue for boards that nobody polls: a real lever cannot move so often, so deliver the oldest change at once.
        if self.pending.len() >= 64
            && let Some(oldest) = self.pending.pop_front()
        {
            self.board_state = oldest.state;
        }
        self.pending.push_back(Change { due_ms, at_ms: now, state });
    }
}

/// One change of the clock, as received by the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeverChange {
    /// Side that just stopped and its time in seconds, if the lever moved; the event memory stores both.
    pub stopped_side: Option<(ClockSide, u64)>,
}

#[derive(Debug, Clone)]
struct Change {
    due_ms: u64,
    at_ms: u64,
    state: State,
}

/// The times at `since_ms`, and the side running from then on.
#[derive(Debug, Clone, Copy)]
struct State {
    left_ms: u64,
    right_ms: u64,
    high: ClockSide,
    running: bool,
    connected: bool,
    since_ms: u64,
}

impl State {
    fn new(control: TimeControl, high: ClockSide) -> State {
        let ms = u64::from(control.base_s) * 1000;
        State { left_ms: ms, right_ms: ms, high, running: false, connected: true, since_ms: 0 }
    }

    fn at(self, now: u64) -> State {
        let mut state = self;
        if state.running {
            let gone = now.saturating_sub(state.since_ms);
            let time = state.time_mut(self.high);
            *time = time.saturating_sub(gone);
        }
        state.since_ms = now.max(self.since_ms);
        state
    }

    fn time_of(&self, side: ClockSide) -> u64 {
        match side {
            ClockSide::Left => self.left_ms,
            ClockSide::Right => self.right_ms,
        }
    }

    fn time_mut(&mut self, side: ClockSide) -> &mut u64 {
        match side {
            ClockSide::Left => &mut self.left_ms,
            ClockSide::Right => &mut self.right_ms,
        }
    }

    fn has_fallen(&self, side: ClockSide) -> bool {
        self.time_of(side) == 0
    }

    fn to_reading(self, now: u64, control: TimeControl) -> ClockReading {
        let at = self.at(now);
        ClockReading {
            left_s: at.left_ms.div_ceil(1000),
            right_s: at.right_ms.div_ceil(1000),
            has_left_flag: at.has_fallen(ClockSide::Left),
            has_right_flag: at.has_fallen(ClockSide::Right),
            has_increment: control.increment_s > 0,
            high: at.high,
            is_running: at.running,
            is_connected: at.connected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str, lag: Span) -> SimClock {
        SimClock::new(text.parse().unwrap(), ClockSide::Left, lag, Rng::new(1))
    }

    #[test]
    fn writes_time_controls_with_plus() {
        assert_eq!("4800+60".parse(), Ok(TimeControl { base_s: 4800, increment_s: 60 }));
        assert_eq!("300".parse(), Ok(TimeControl { base_s: 300, increment_s: 0 }));
        assert!("80 min".parse::<TimeControl>().is_err());
        assert_eq!(TimeControl { base_s: 300, increment_s: 2 }.to_string(), "300+2");
    }

    #[test]
    fn plays_game_on_clock() {
        let mut clock = clock("4800+60", Span::just(0));
        assert!(!clock.press(0, ClockSide::Right), "the side that is down cannot be pressed");
        clock.start(1000);
        assert_eq!(clock.reading(11_500).left_s, 4790, "10.5 s gone, seconds round up");
        assert!(clock.press(11_500, ClockSide::Left));
        let reading = clock.reading(12_500);
        assert_eq!((reading.left_s, reading.right_s), (4850, 4799), "60 s added at the press");
        assert_eq!((reading.high, reading.is_running), (ClockSide::Right, true));
        clock.stop(13_000);
        assert_eq!(clock.reading(99_000).right_s, 4799);
        assert_eq!(clock.times_ms(99_000), (4_849_500, 4_798_500));
    }

    #[test]
    fn flag_falls_once_and_stays() {
        let mut clock = clock("5+3", Span::just(0));
        clock.start(0);
        assert!(!clock.reading(4_999).has_left_flag);
        assert!(clock.reading(5_000).has_left_flag);
        clock.press(6_000, ClockSide::Left);
        let reading = clock.reading(6_500);
        assert_eq!(
            (reading.left_s, reading.has_left_flag, reading.right_s),
            (0, true, 5),
            "no increment after the flag"
        );
    }

    #[test]
    fn board_lags_and_reports_only_shown_times() {
        let mut clock = clock("300+0", Span::new(150, 950));
        clock.start(0);
        while clock.next_change(1000).is_some() {}
        clock.press(10_400, ClockSide::Left);
        let due = clock.next_time().unwrap();
        assert!((10_550..=11_350).contains(&due));
        assert_eq!(clock.board_reading(due - 1).left_s, 290, "frozen at the press: 289.6 s");
        assert_eq!(clock.board_reading(due - 1).high, ClockSide::Left);
        assert_eq!(clock.next_change(due - 1), None);
        assert_eq!(clock.next_change(due), Some(LeverChange { stopped_side: Some((ClockSide::Left, 290)) }));
        assert_eq!(clock.board_reading(due).high, ClockSide::Right);
        assert_eq!(clock.next_change(due), None);
    }

    #[test]
    fn double_change_inside_lag_arrives_in_order() {
        let mut clock = clock("300+0", Span::new(150, 950));
        clock.start(0);
        for k in 0..200 {
            let side = if k % 2 == 0 { ClockSide::Left } else { ClockSide::Right };
            assert!(clock.press(1000 + k * 7, side));
        }
        let mut seen = Vec::new();
        while let Some(due) = clock.next_time() {
            clock.next_change(due);
            seen.push((due, clock.board_reading(due).high));
        }
        assert!(seen.is_sorted_by_key(|(due, _)| *due));
        assert_eq!(seen.last().map(|last| last.1), Some(ClockSide::Left));
    }

    #[test]
    fn unplugged_clock_runs_on() {
        let mut clock = clock("300+0", Span::just(100));
        clock.start(0);
        clock.connect(10_000, false);
        while clock.next_change(10_100).is_some() {}
        assert!(!clock.board_reading(10_100).is_connected);
        clock.connect(20_000, true);
        while clock.next_change(20_100).is_some() {}
        assert_eq!(clock.board_reading(20_100).left_s, 280);
    }
}
