//! The clock's cable at the board: commands to the clock, their acks, and the times at which clock messages are due.

use super::{Mode, SimBoard, TICK_US};
use crate::clock::{ClockReading, SimClock};
use crate::wire::{self, id};

/// Codes of the commands in a clock message.
const SEGMENTS: u8 = 0x01;
const ICONS: u8 = 0x02;
const END_DISPLAY: u8 = 0x03;
const BUTTON: u8 = 0x08;
const VERSION: u8 = 0x09;
const SET_AND_RUN: u8 = 0x0a;
const BEEP: u8 = 0x0b;
const ASCII: u8 = 0x0c;

/// First and second byte of acks.
const DONE: u8 = 0x10;
const ERROR: u8 = 0x40;
const NOT_IN_MODE_23: u8 = 0x90;

/// Length of one beep unit, in milliseconds.
const BEEP_UNIT_MS: u64 = 64;

impl SimBoard {
    /// Handles `2b size 03 command ... 00`. The clock obeys in every mode; the board forwards the ack only in modes with clock messages.
    pub(super) fn clock_command(&mut self, now: u64, command: &[u8]) {
        let [0x2b, _, 0x03, code, data @ .., 0x00] = command else { return };
        if !self.clock_reading(now).is_connected {
            return;
        }
        let (Some(clock), now_ms) = (self.clock.as_mut(), now / 1000) else { return };
        let ack = match (*code, data) {
            (SET_AND_RUN, _) if !self.options.is_clock_in_mode_23 => [DONE, NOT_IN_MODE_23, 0, 0],
            (VERSION, []) => [DONE, VERSION, self.options.clock_version, 0],
            (code, data) => [if execute(clock, now_ms, code, data) { DONE } else { ERROR }, code, 0, 0],
        };
        let due = now + self.rng.span(self.options.ack_ms) * 1000;
        self.answer_ack(now, due, ack);
        if self.rng.chance(self.options.zero_after_command) && self.sends_clock() {
            let zero = wire::message(id::BW_TIME, &[0; 7]);
            self.answers.push_back((due + 30_000, zero));
        }
    }

    pub(super) fn answer_ack(&mut self, now: u64, due: u64, ack: [u8; 4]) {
        let reading = self.clock_reading(now);
        if self.sends_clock() && reading.is_connected && self.is_powered {
            let due = self.answers.back().map_or(due, |(last, _)| due.max(*last));
            self.answers.push_back((due, wire::clock_ack(ack, wire::status(&reading))));
        }
    }

    pub(super) fn report_clock(&mut self, now: u64, always: bool) {
        if !self.sends_clock() {
            return;
        }
        let time = wire::bw_time(&self.clock_reading(now));
        if self.last_clock_message.as_ref() != Some(&time) || always {
            self.last_clock_message = Some(time.clone());
            self.queue.push_back(time);
        }
    }

    pub(super) fn clock_reading(&self, now: u64) -> ClockReading {
        self.clock.as_ref().map_or(ClockReading::default(), |clock: &SimClock| clock.board_reading(now / 1000))
    }

    fn sends_clock(&self) -> bool {
        matches!(self.mode, Mode::Update | Mode::UpdateNice)
    }

    /// Whether the once-a-second message is due. Without a clock nothing can change, so none is sent.
    pub(super) fn ticks(&self) -> bool {
        match self.mode {
            Mode::Update => true,
            Mode::UpdateNice => self.clock.is_some(),
            _ => false,
        }
    }

    pub(super) fn skip_ticks(&mut self, now: u64) {
        let missed_ticks = now.saturating_sub(self.next_tick_us).div_ceil(TICK_US);
        self.next_tick_us += missed_ticks * TICK_US;
    }
}

/// Executes a command at the clock; `false` if the command is invalid.
fn execute(clock: &mut SimClock, now_ms: u64, code: u8, data: &[u8]) -> bool {
    match (code, data) {
        (SET_AND_RUN, [lh @ 0..=9, lm @ 0..=59, ls @ 0..=59, rh @ 0..=9, rm @ 0..=59, rs @ 0..=59, flags]) => {
            let seconds = |h: &u8, m: &u8, s: &u8| u64::from(*h) * 3600 + u64::from(*m) * 60 + u64::from(*s);
            // Bits 0 and 1: the left, the right time runs; bit 2: pause.
            let run = flags & 0x03 != 0 && flags & 0x04 == 0;
            clock.set_times(now_ms, seconds(lh, lm, ls), seconds(rh, rm, rs), run);
        }
        (ASCII, [text @ .., beep]) if text.len() == 8 => {
            clock.show(Some(text.iter().map(|byte| char::from(byte & 0x7f)).collect()));
            clock.beep(now_ms, u64::from(*beep) * BEEP_UNIT_MS);
        }
        // The mapping of segments to letters does not matter to any reader.
        (SEGMENTS, [_, ..]) => clock.show(Some("segments".to_string())),
        (END_DISPLAY, []) => clock.show(None),
        (BEEP, [units]) => clock.beep(now_ms, u64::from(*units) * BEEP_UNIT_MS),
        (ICONS, [_, ..]) | (BUTTON, []) => {}
        _ => return false,
    }
    true
}
