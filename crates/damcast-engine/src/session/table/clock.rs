//! Clock of a table: the running side, the assignment of presses to plies, and the silence that counts as a gap.
//!
//! ```text
//! report ──▸ ClockFilter (good readings) ──▸ LeverTracker (lever, sides) ──▸ press, running, stopped ──▸ the recogniser
//! ```

use std::collections::VecDeque;

use draughts::Color;
use draughts_pdn::clock::Clocks;

use super::board_model::BoardModel;
use crate::millis::Millis;
use crate::protocol::{ClockReport, ClockTimes};
use crate::recognition::{ClockState, LikelyPresser, PressId, Recogniser};
use crate::session::clock_filter::{ClockFilter, ClockNotices};
use crate::session::lever::LeverTracker;
use crate::session::{Effect, LineSettings};

/// Clock readings retained for plies that are recognised late.
const MAX_READINGS: usize = 64;
/// Longest silence of a running clock, which reports every second.
const MAX_CLOCK_SILENCE: Millis = Millis(2_500);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClockReportSource {
    /// Message with the times.
    Times,
    /// Press that the board itself noticed, as opposed to a changed lever between two readings.
    Press,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TableClock {
    lever: LeverTracker,
    filter: ClockFilter,
    notices: ClockNotices,
    state: ClockState,
    /// Whether the times of both sides are reliable in this game.
    is_sure: bool,
    presses: u32,
    readings: VecDeque<(PressId, ClockTimes)>,
    /// Whether a clock has sent its times.
    has_been_read: bool,
}

impl TableClock {
    /// Creates a clock without any report yet.
    pub fn new(settings: &LineSettings) -> TableClock {
        let control = settings.tags.iter().find(|(tag, _)| tag == "TimeControl").map(|(_, value)| value.as_str());
        TableClock { filter: ClockFilter::new(control), is_sure: true, ..TableClock::default() }
    }

    /// Resets the clock for a new game: players may have changed sides, and flags and earlier stops no longer count.
    pub fn begin_game(&mut self) {
        if self.is_stopped() {
            self.state = ClockState::Stopped { since: None };
        }
        self.lever.reset_sides();
        self.notices.new_game();
    }

    /// Resets the clock for a game whose start was not observed: the clock was set and started in an unknown way.
    pub fn reset_unseen_game(&mut self) {
        self.filter.reset();
        self.is_sure = false;
        if self.is_there() {
            self.state = ClockState::Stopped { since: None };
        }
    }

    /// Forgets the last reading, so that the next one has no reference.
    pub fn reset_reading(&mut self) {
        self.filter.reset();
    }

    /// Sets whether the times reported from here on are reliable for both sides. Until they are, readings have no reference.
    pub fn trust(&mut self, is_sure: bool) {
        if !(is_sure && self.is_sure) {
            self.filter.reset();
        }
        self.is_sure = is_sure;
    }

    /// Guesses the sides before the first move, when the time of `turn` runs. Returns the running side.
    pub fn assume(&mut self, turn: Color) -> Option<Color> {
        self.lever.assume_sides(turn);
        self.lever.turn_now()
    }

    /// Returns the side whose time runs, if known.
    pub fn turn(&self) -> Option<Color> {
        self.lever.turn_now()
    }

    /// Handles a report. `recogniser`: that of the running game.
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
                let is_late = judged.good.len() > 1;
                for times in judged.good {
                    effects.extend(self.on_reading(now, times, (how, is_late), recogniser.as_deref_mut()));
                }
            }
            // All times are zero right after a clock command. Acknowledgements and invalid readings contain no time.
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Invalid(_) => {}
        }
        if let Some(recogniser) = recogniser {
            recogniser.set_clock(self.state);
        }
        effects
    }

    /// Handles a good reading. `is_late`: whether it was in doubt, so that the board may have changed since.
    fn on_reading(
        &mut self,
        now: Millis,
        times: ClockTimes,
        (how, is_late): (ClockReportSource, bool),
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
            let turn = recogniser.position().turn();
            // If the report of the start is missing, the first ply may have been pressed for.
            let is_after_ply = is_pressed && !is_late && recogniser.has_landed();
            recogniser.set_lever_turn(self.assume(if is_after_ply { !turn } else { turn }));
        }
        // A press that starts the clock completes no ply.
        if is_pressed && (ran || !opening) {
            let have_changed = match recogniser.likely_presser(now) {
                Some(LikelyPresser { player, may_be_late: true }) => self.lever.learn_sides_from_late_press(player),
                Some(LikelyPresser { player, may_be_late: false }) => self.lever.learn_sides(player),
                None => false,
            };
            if have_changed {
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

    /// Counts a press and stores its reading if reliable.
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

    /// Returns the number of presses.
    pub fn presses(&self) -> u32 {
        self.presses
    }

    /// Returns the known state of the clock.
    pub fn state(&self) -> ClockState {
        self.state
    }

    /// Whether the clock is running, as far as known.
    pub fn is_running(&self) -> bool {
        self.state == ClockState::Running
    }

    /// Whether a clock is connected and stopped.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, ClockState::Stopped { .. })
    }

    /// Whether a clock is connected, as far as known.
    pub fn is_there(&self) -> bool {
        self.state != ClockState::None
    }

    /// Whether a clock has sent its times.
    pub fn has_been_read(&self) -> bool {
        self.has_been_read
    }

    /// Returns the time from which silence of the board means that it is out of reach.
    pub fn silence_due(&self, board: &BoardModel) -> Option<Millis> {
        self.is_running().then_some(board.heard_at() + MAX_CLOCK_SILENCE)
    }

    /// Returns the last times of White and Black in seconds.
    pub fn seconds(&self) -> Option<[u32; 2]> {
        let seconds = self.lever.last_reading().and_then(|times| self.lever.seconds(times));
        seconds.filter(|_| self.is_there())
    }

    /// Returns the reading, if reliable.
    pub fn clocks(&self, now: Millis) -> Option<Clocks> {
        self.certain_reading(now).and_then(|times| self.lever.clocks(times))
    }

    /// Returns the reading at the press of a ply, or the current one without a press, if reliable.
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
