//! What a table makes of its clock: whose time runs, which press belongs to which ply, and how long silence is no gap.
//!
//! ```text
//! report ──▸ ClockTruth (good readings) ──▸ ClockWatch (lever, sides) ──▸ press, running, stopped ──▸ the recogniser
//! ```

use std::collections::VecDeque;

use super::board_model::BoardModel;
use crate::engine::millis::Millis;
use crate::engine::protocol::{ClockReport, ClockTimes};
use crate::engine::recognition::{ClockState, PressId, Recogniser};
use crate::engine::session::clock_filter::{ClockFilter, ClockNotices};
use crate::engine::session::lever::LeverTracker;
use crate::engine::session::{Effect, LineSettings};
use draughts::Color;
use draughts_pdn::clock::Clocks;

/// Clock readings that are kept for plies that are recognised late.
const MAX_READINGS: usize = 64;
/// A running clock is heard every second.
const MAX_CLOCK_SILENCE: Millis = Millis(2_500);

/// How a report of the clock came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClockReportSource {
    /// It is one of those that tell the times.
    Times,
    /// The board noticed a press by itself: it is not merely found that the lever was moved once.
    Press,
}

/// The clock of one table.
#[derive(Clone, Debug)]
pub(super) struct TableClock {
    lever: LeverTracker,
    filter: ClockFilter,
    notices: ClockNotices,
    state: ClockState,
    /// Its times are those of both sides in this game.
    is_sure: bool,
    presses: u32,
    readings: VecDeque<(PressId, ClockTimes)>,
    /// It has told its time.
    has_been_read: bool,
}

impl TableClock {
    /// A clock of which nothing is known yet.
    pub fn new(settings: &LineSettings) -> TableClock {
        let control = settings.tags.iter().find(|(tag, _)| tag == "TimeControl").map(|(_, value)| value.as_str());
        TableClock {
            lever: LeverTracker::default(),
            filter: ClockFilter::new(control),
            notices: ClockNotices::default(),
            state: ClockState::None,
            is_sure: true,
            presses: 0,
            readings: VecDeque::new(),
            has_been_read: false,
        }
    }

    /// A game begins: the players may have changed sides, flags are up, and what stopped the clock before is no matter of it.
    pub fn begin_game(&mut self) {
        if self.is_stopped() {
            self.state = ClockState::Stopped { since: None };
        }
        self.lever.reset_sides();
        self.notices.new_game();
    }

    /// A new game has begun that was not heard: its clock was set and started, nobody knows how.
    pub fn reset_unseen_game(&mut self) {
        self.filter.reset();
        self.is_sure = false;
        if self.is_there() {
            self.state = ClockState::Stopped { since: None };
        }
    }

    /// What it showed before is nothing to judge its next reading by.
    pub fn reset_reading(&mut self) {
        self.filter.reset();
    }

    /// Are the times that are told from now on those of both sides? As long as one of them is not, there is nothing to judge the
    /// next reading by.
    pub fn trust(&mut self, is_sure: bool) {
        if !(is_sure && self.is_sure) {
            self.filter.reset();
        }
        self.is_sure = is_sure;
    }

    /// Before the first move the time of this colour runs. Returns whose time runs then.
    pub fn assume(&mut self, turn: Color) -> Option<Color> {
        self.lever.assume_sides(turn);
        self.lever.turn_now()
    }

    /// It said something; `recogniser`: of the game that is going on.
    pub fn on_report(
        &mut self,
        now: Millis,
        report: &ClockReport,
        how: ClockReportSource,
        mut recogniser: Option<&mut Recogniser>,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        match report {
            ClockReport::NoClock => {
                let had_one = self.is_there();
                effects.extend(self.notices.no_clock(had_one).map(Effect::Notice));
                self.filter.reset();
                self.state = ClockState::None;
            }
            ClockReport::Times(times) if !times.is_all_zero() => {
                self.has_been_read = true;
                let plies = recogniser.as_ref().map_or(0, |recogniser| recogniser.plies());
                let judged = self.filter.check(now, *times, plies);
                if judged.was_reset {
                    self.lever.reset_reading();
                }
                for times in judged.good {
                    effects.extend(self.on_reading(now, times, how, recogniser.as_deref_mut()));
                }
            }
            // All zero: right after a clock command. Acknowledgements and garbled readings tell no time.
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Invalid(_) => {}
        }
        if let Some(recogniser) = recogniser {
            recogniser.set_clock(self.state);
        }
        effects
    }

    /// A good reading.
    fn on_reading(
        &mut self,
        now: Millis,
        times: ClockTimes,
        how: ClockReportSource,
        recogniser: Option<&mut Recogniser>,
    ) -> Vec<Effect> {
        let is_pressed = self.lever.update(times);
        let ran = self.state == ClockState::Running;
        self.state = match (times.is_running(), self.state) {
            (true, _) => ClockState::Running,
            (false, ClockState::Running) => ClockState::Stopped { since: Some(now) },
            (false, ClockState::Stopped { since }) => ClockState::Stopped { since },
            (false, ClockState::None) => ClockState::Stopped { since: None },
        };
        let Some(recogniser) = recogniser else { return Vec::new() };
        let notices = self.notices.reading(&times, self.lever.right_player());
        let mut effects: Vec<Effect> = notices.into_iter().map(Effect::Notice).collect();
        if how == ClockReportSource::Press {
            recogniser.lever_observed();
        }
        let opening = recogniser.plies() == 0;
        let untouched = !is_pressed && !recogniser.is_touched() && !recogniser.has_presses();
        if times.is_running() && opening && (!ran || untouched) {
            recogniser.set_lever_turn(self.assume(recogniser.position().turn()));
        }
        // A press that starts the clock completes no ply.
        if is_pressed && (ran || !opening) {
            if let Some(mover) = recogniser.likely_presser(now)
                && self.lever.learn_sides(mover)
            {
                effects.push(Effect::Notice(
                    "the clock's sides are not as they were learned; are White and Black at the right sides?"
                        .to_owned(),
                ));
            }
            recogniser.on_press(now, self.press(times), self.lever.turn_now());
        }
        recogniser.lever_observed();
        effects
    }

    /// Counts a press, and keeps what the clock showed then, if that is sure.
    fn press(&mut self, times: ClockTimes) -> PressId {
        self.presses += 1;
        let id = PressId(self.presses);
        if self.readings.len() == MAX_READINGS {
            self.readings.pop_front();
        }
        if self.is_sure {
            self.readings.push_back((id, times));
        }
        id
    }

    /// How often it was pressed.
    pub fn presses(&self) -> u32 {
        self.presses
    }

    /// What is known of it.
    pub fn state(&self) -> ClockState {
        self.state
    }

    /// Is the time of a side running, as far as is known?
    pub fn is_running(&self) -> bool {
        self.state == ClockState::Running
    }

    /// Is it there, and no time runs?
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, ClockState::Stopped { .. })
    }

    /// Is one connected, as far as is known?
    pub fn is_there(&self) -> bool {
        self.state != ClockState::None
    }

    /// Has one told its time?
    pub fn has_been_read(&self) -> bool {
        self.has_been_read
    }

    /// From when on silence of the board means that it is not heard.
    pub fn silence_due(&self, board: &BoardModel) -> Option<Millis> {
        self.is_running().then_some(board.heard_at() + MAX_CLOCK_SILENCE)
    }

    /// White's and Black's time in seconds, as it showed them last.
    pub fn seconds(&self) -> Option<[u32; 2]> {
        let seconds = self.lever.last_reading().and_then(|times| self.lever.seconds(times));
        seconds.filter(|_| self.is_there())
    }

    /// What it shows, if that is sure.
    pub fn clocks(&self, now: Millis) -> Option<Clocks> {
        self.certain_reading(now).and_then(|times| self.lever.clocks(times))
    }

    /// What it showed when a ply was pressed for, or shows now, if that is sure.
    pub fn clocks_at_press(&self, press: Option<PressId>, now: Millis) -> Option<Clocks> {
        let at_press = press.and_then(|press| self.readings.iter().find(|(id, _)| *id == press));
        let times = at_press.map(|(_, times)| times).or(self.certain_reading(now))?;
        self.lever.clocks(times)
    }

    fn certain_reading(&self, now: Millis) -> Option<&ClockTimes> {
        let is_certain = self.is_there() && self.is_sure && self.filter.is_certain(now);
        self.lever.last_reading().filter(|_| is_certain)
    }
}
