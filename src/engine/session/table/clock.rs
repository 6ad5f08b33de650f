//! What a table makes of its clock: whose time runs, which press belongs to which ply, and how long silence is no gap.
//!
//! ```text
//! report ──▸ ClockTruth (good readings) ──▸ ClockWatch (lever, sides) ──▸ press, running, stopped ──▸ the recogniser
//! ```

use super::{Stage, Table};
use crate::engine::millis::Millis;
use crate::engine::protocol::{ClockReport, ClockTimes};
use crate::engine::recognition::{Clock, PressId};
use crate::engine::session::Effect;

/// Clock readings that are kept for plies that are recognised late.
const MOST_READINGS: usize = 64;
/// A running clock is heard every second.
const DEAF: Millis = Millis(2_500);

impl Table {
    /// A new game has begun that was not heard: its clock was set and started, nobody knows how.
    pub fn forget_clock(&mut self) {
        self.truth.forget();
        self.is_clock_sure = false;
        if self.clock_state != Clock::None {
            self.clock_state = Clock::Stopped { since: None };
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.clock(self.clock_state);
        }
    }

    /// The board tells of a press that it noticed itself: it is not merely found that the lever was moved once.
    pub fn pressed(&mut self, now: Millis, reports: &[ClockReport]) -> Vec<Effect> {
        self.is_press_told = true;
        let effects = reports.iter().flat_map(|report| self.clock(now, report)).collect();
        self.is_press_told = false;
        effects
    }

    /// Are the times that are told from now on those of both sides? As long as one of them is not, there is nothing to judge the
    /// next reading by.
    pub fn trust_clock(&mut self, is_sure: bool) {
        if !(is_sure && self.is_clock_sure) {
            self.truth.forget();
        }
        self.is_clock_sure = is_sure;
    }

    /// Has a ply been begun, in a game or outside of one? Before that a lever that moves completes none.
    pub fn is_begun(&self) -> bool {
        match &self.stage {
            Stage::Playing(game) => game.recogniser.plies() > 0 || game.recogniser.is_touched(),
            Stage::Waiting | Stage::Over => false,
        }
    }

    /// The clock said something.
    pub fn clock(&mut self, now: Millis, report: &ClockReport) -> Vec<Effect> {
        let mut effects = Vec::new();
        match report {
            ClockReport::NoClock => {
                let had_one = self.clock_state != Clock::None;
                effects.extend(self.clock_notices.no_clock(had_one).map(Effect::Notice));
                self.truth.forget();
                self.clock_state = Clock::None;
            }
            ClockReport::Times(times) if !times.is_all_zero() => {
                self.had_clock = true;
                let plies = if let Stage::Playing(game) = &self.stage { game.recogniser.plies() } else { 0 };
                let judged = self.truth.judge(now, *times, plies);
                if judged.afresh {
                    self.clock.forget_reading();
                }
                for times in judged.good {
                    effects.extend(self.clock_times(now, times));
                }
            }
            // All zero: right after a clock command. Acknowledgements and garbled readings tell no time.
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Garbled(_) => {}
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.clock(self.clock_state);
        }
        effects
    }

    fn clock_times(&mut self, now: Millis, times: ClockTimes) -> Vec<Effect> {
        let news = self.clock.read(times);
        let ran = self.clock_state == Clock::Running;
        self.clock_state = match (times.running(), self.clock_state) {
            (true, _) => Clock::Running,
            (false, Clock::Running) => Clock::Stopped { since: Some(now) },
            (false, Clock::Stopped { since }) => Clock::Stopped { since },
            (false, Clock::None) => Clock::Stopped { since: None },
        };
        let Stage::Playing(game) = &mut self.stage else { return Vec::new() };
        let told = self.clock_notices.reading(&times, self.clock.right_player());
        let mut effects: Vec<Effect> = told.into_iter().map(Effect::Notice).collect();
        let recogniser = &mut game.recogniser;
        if self.is_press_told {
            recogniser.see_lever();
        }
        let opening = recogniser.plies() == 0;
        let untouched = !news.pressed && !recogniser.is_touched() && !recogniser.is_pressed_for();
        if times.running() && opening && (!ran || untouched) {
            self.clock.assume(recogniser.position().turn());
            recogniser.lever_means(self.clock.turn_now());
        }
        // A press that starts the clock completes no ply.
        if news.pressed && (ran || !opening) {
            if let Some(mover) = recogniser.likely_presser(now)
                && self.clock.learn(mover)
            {
                effects.push(Effect::Notice(
                    "the clock's sides are not as they were learned; are White and Black at the right sides?"
                        .to_owned(),
                ));
            }
            self.presses += 1;
            let id = PressId(self.presses);
            if self.readings.len() == MOST_READINGS {
                self.readings.pop_front();
            }
            if self.is_clock_sure {
                self.readings.push_back((id, times));
            }
            recogniser.press(now, id, self.clock.turn_now());
        }
        recogniser.see_lever();
        effects
    }

    /// Is the time of a side running, as far as is known?
    pub fn runs_clock(&self) -> bool {
        self.clock_state == Clock::Running
    }

    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.clock_state, Clock::Stopped { .. })
    }

    /// From when on silence means that the board is not heard.
    pub fn deaf_at(&self) -> Option<Millis> {
        self.runs_clock().then_some(self.heard_at + DEAF)
    }
}
