//! What a table makes of its clock: whose time runs, which press belongs to which ply, and how long silence is no gap.
//!
//! ```text
//! report ──▸ ClockTruth (good readings) ──▸ ClockWatch (lever, sides) ──▸ press, running, stopped ──▸ the recogniser
//! ```

use std::collections::VecDeque;

use super::known_board::KnownBoard;
use crate::engine::millis::Millis;
use crate::engine::protocol::{ClockReport, ClockTimes};
use crate::engine::recognition::{Clock, PressId, Recogniser};
use crate::engine::session::clock_truth::{ClockNotices, ClockTruth};
use crate::engine::session::lever::ClockWatch;
use crate::engine::session::{Effect, LineSettings};
use draughts::Color;
use draughts_pdn::clock::Clocks;

/// Clock readings that are kept for plies that are recognised late.
const MOST_READINGS: usize = 64;
/// A running clock is heard every second.
const DEAF: Millis = Millis(2_500);

/// How a report of the clock came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reported {
    /// It is one of those that tell the times.
    Times,
    /// The board noticed a press by itself: it is not merely found that the lever was moved once.
    Press,
}

/// The clock of one table.
#[derive(Clone, Debug)]
pub(super) struct TableClock {
    watch: ClockWatch,
    truth: ClockTruth,
    notices: ClockNotices,
    state: Clock,
    /// Its times are those of both sides in this game.
    is_sure: bool,
    presses: u32,
    readings: VecDeque<(PressId, ClockTimes)>,
    /// It has told its time.
    was_there: bool,
}

impl TableClock {
    /// A clock of which nothing is known yet.
    pub fn new(settings: &LineSettings) -> TableClock {
        let control = settings.tags.iter().find(|(tag, _)| tag == "TimeControl").map(|(_, value)| value.as_str());
        TableClock {
            watch: ClockWatch::default(),
            truth: ClockTruth::new(control),
            notices: ClockNotices::default(),
            state: Clock::None,
            is_sure: true,
            presses: 0,
            readings: VecDeque::new(),
            was_there: false,
        }
    }

    /// A game begins: the players may have changed sides, flags are up, and what stopped the clock before is no matter of it.
    pub fn begin_game(&mut self) {
        if self.is_stopped() {
            self.state = Clock::Stopped { since: None };
        }
        self.watch.forget_sides();
        self.notices.new_game();
    }

    /// A new game has begun that was not heard: its clock was set and started, nobody knows how.
    pub fn forget_game(&mut self) {
        self.truth.forget();
        self.is_sure = false;
        if self.is_there() {
            self.state = Clock::Stopped { since: None };
        }
    }

    /// What it showed before is nothing to judge its next reading by.
    pub fn forget_reading(&mut self) {
        self.truth.forget();
    }

    /// Are the times that are told from now on those of both sides? As long as one of them is not, there is nothing to judge the
    /// next reading by.
    pub fn trust(&mut self, is_sure: bool) {
        if !(is_sure && self.is_sure) {
            self.truth.forget();
        }
        self.is_sure = is_sure;
    }

    /// Before the first move the time of this colour runs. Returns whose time runs then.
    pub fn assume(&mut self, turn: Color) -> Option<Color> {
        self.watch.assume(turn);
        self.watch.turn_now()
    }

    /// It said something; `recogniser`: of the game that is going on.
    pub fn take(
        &mut self,
        now: Millis,
        report: &ClockReport,
        how: Reported,
        mut recogniser: Option<&mut Recogniser>,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        match report {
            ClockReport::NoClock => {
                let had_one = self.is_there();
                effects.extend(self.notices.no_clock(had_one).map(Effect::Notice));
                self.truth.forget();
                self.state = Clock::None;
            }
            ClockReport::Times(times) if !times.is_all_zero() => {
                self.was_there = true;
                let plies = recogniser.as_ref().map_or(0, |recogniser| recogniser.plies());
                let judged = self.truth.judge(now, *times, plies);
                if judged.afresh {
                    self.watch.forget_reading();
                }
                for times in judged.good {
                    effects.extend(self.read(now, times, how, recogniser.as_deref_mut()));
                }
            }
            // All zero: right after a clock command. Acknowledgements and garbled readings tell no time.
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Garbled(_) => {}
        }
        if let Some(recogniser) = recogniser {
            recogniser.clock(self.state);
        }
        effects
    }

    /// A good reading.
    fn read(
        &mut self,
        now: Millis,
        times: ClockTimes,
        how: Reported,
        recogniser: Option<&mut Recogniser>,
    ) -> Vec<Effect> {
        let is_pressed = self.watch.read(times);
        let ran = self.state == Clock::Running;
        self.state = match (times.running(), self.state) {
            (true, _) => Clock::Running,
            (false, Clock::Running) => Clock::Stopped { since: Some(now) },
            (false, Clock::Stopped { since }) => Clock::Stopped { since },
            (false, Clock::None) => Clock::Stopped { since: None },
        };
        let Some(recogniser) = recogniser else { return Vec::new() };
        let notices = self.notices.reading(&times, self.watch.right_player());
        let mut effects: Vec<Effect> = notices.into_iter().map(Effect::Notice).collect();
        if how == Reported::Press {
            recogniser.see_lever();
        }
        let opening = recogniser.plies() == 0;
        let untouched = !is_pressed && !recogniser.is_touched() && !recogniser.is_pressed_for();
        if times.running() && opening && (!ran || untouched) {
            recogniser.lever_means(self.assume(recogniser.position().turn()));
        }
        // A press that starts the clock completes no ply.
        if is_pressed && (ran || !opening) {
            if let Some(mover) = recogniser.likely_presser(now)
                && self.watch.learn(mover)
            {
                effects.push(Effect::Notice(
                    "the clock's sides are not as they were learned; are White and Black at the right sides?"
                        .to_owned(),
                ));
            }
            recogniser.press(now, self.press(times), self.watch.turn_now());
        }
        recogniser.see_lever();
        effects
    }

    /// Counts a press, and keeps what the clock showed then, if that is sure.
    fn press(&mut self, times: ClockTimes) -> PressId {
        self.presses += 1;
        let id = PressId(self.presses);
        if self.readings.len() == MOST_READINGS {
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
    pub fn state(&self) -> Clock {
        self.state
    }

    /// Is the time of a side running, as far as is known?
    pub fn is_running(&self) -> bool {
        self.state == Clock::Running
    }

    /// Is it there, and no time runs?
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, Clock::Stopped { .. })
    }

    /// Is one connected, as far as is known?
    pub fn is_there(&self) -> bool {
        self.state != Clock::None
    }

    /// Has one told its time?
    pub fn was_there(&self) -> bool {
        self.was_there
    }

    /// From when on silence of the board means that it is not heard.
    pub fn deaf_at(&self, board: &KnownBoard) -> Option<Millis> {
        self.is_running().then_some(board.heard_at() + DEAF)
    }

    /// White's and Black's time in seconds, as it showed them last.
    pub fn seconds(&self) -> Option<[u32; 2]> {
        let seconds = self.watch.last().and_then(|times| self.watch.seconds(times));
        seconds.filter(|_| self.is_there())
    }

    /// What it shows, if that is sure.
    pub fn clocks(&self, now: Millis) -> Option<Clocks> {
        self.certain_reading(now).and_then(|times| self.watch.clocks(times))
    }

    /// What it showed when a ply was pressed for, or shows now, if that is sure.
    pub fn clocks_of(&self, press: Option<PressId>, now: Millis) -> Option<Clocks> {
        let at_press = press.and_then(|press| self.readings.iter().find(|(id, _)| *id == press));
        let times = at_press.map(|(_, times)| times).or(self.certain_reading(now))?;
        self.watch.clocks(times)
    }

    fn certain_reading(&self, now: Millis) -> Option<&ClockTimes> {
        let is_certain = self.is_there() && self.is_sure && self.truth.is_certain(now);
        self.watch.last().filter(|_| is_certain)
    }
}
