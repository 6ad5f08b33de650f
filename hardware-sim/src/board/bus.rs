//! Bus mode at one board: selects commands from a shared wire and sends one answer at a time.
//!
//! ```text
//!  wire ─▸ four bytes ─▸ checksum? mine (or 0)? busy? ─▸ waiting ─▸ after 0.5..20 ms ─▸ answer(s)
//!              no: silence      no: silence   yes: lost, counted
//! ```
//!
//! | code | answer |
//! |---|---|
//! | 0x81 clock, 0x82 board, 0x8b version, 0x8c dark squares | 0x84, 0x83, 0x89, 0x8a |
//! | 0x83 changes, 0x84 the same once more | 0x85 |
//! | 0x85 start of game | 0x88 some 70 ms later |
//! | 0x86 from start | 0x86 |
//! | 0x87 ping (address 0: everybody, within 1100 ms), 0x8a ping and skip the next one to everybody | 0x87 |
//! | 0x88 end of bus mode, 0x89 reset (address 0: everybody) | none |
//! | 0x8d everything | 0x85, 0x84, 0x83 |
//!
//! Invariants: the board never sends unasked; each change is sent once, even if the wire loses the answer.

use super::{Mode, SimBoard};
use crate::wire::{self, bus_id};

/// Length of every bus command, in bytes.
pub(super) const COMMAND_LEN: usize = 4;

/// Time limit for answering a ping to all boards, in microseconds, less the 6 ms that the answer itself takes.
const PING_WINDOW_US: u64 = 1_100_000 - 7_000;

/// Maximum time that storing can delay an answer, in microseconds.
const STORING_LIMIT_US: u64 = 20_000;

#[derive(Debug, Clone, Default)]
pub(super) struct BusState {
    /// Start time of the pending answer, and the code of its command.
    pending_answer: Option<(u64, u8)>,
    skips_next_ping: bool,
    last_changes: Vec<u8>,
    /// End of the power-up procedure after a reset: the board neither receives nor sends until then.
    pub(super) reset_until_us: Option<u64>,
}

impl BusState {
    pub(super) fn next_time(&self) -> Option<u64> {
        self.pending_answer.map(|(due, _)| due)
    }
}

impl SimBoard {
    /// Handles a complete bus command. Outside bus mode the command only switches the board to bus mode.
    pub(super) fn on_bus_command(&mut self, now: u64, command: &[u8]) {
        let [code @ 0x81..=0x8d, high, low, sum] = *command else { return };
        if sum != wire::checksum(&command[..3]) || self.mode == Mode::BootLoader {
            return;
        }
        if self.mode != Mode::Bus {
            return self.enter(Mode::Bus);
        }
        let to_all = [high, low] == [0, 0];
        if !to_all && [high, low] != wire::address_bytes(self.options.address()) {
            return;
        }
        if to_all && !matches!(code, 0x87..=0x89) {
            return;
        }
        if self.options.ignored_commands.contains(&code) {
            return;
        }
        if self.bus_state.pending_answer.is_some() || !self.queue.is_empty() || self.line_free_us > now {
            self.dropped_bytes += 1;
            return;
        }
        let due = match code {
            0x87 if to_all => {
                if std::mem::take(&mut self.bus_state.skips_next_ping) {
                    return;
                }
                now + self.rng.below(PING_WINDOW_US)
            }
            0x85 => {
                let pieces = self.pieces();
                self.memory.start_tag(now, &pieces);
                self.store(now);
                now + self.rng.span(self.options.start_game_ms) * 1000
            }
            0x88 => return self.enter(Mode::Idle),
            0x89 => {
                self.enter(Mode::Bus);
                self.bus_state.reset_until_us = Some(now + self.rng.span(self.options.reset_ms) * 1000);
                return;
            }
            _ => self.ready_us(now),
        };
        self.bus_state.skips_next_ping |= code == 0x8a;
        self.bus_state.pending_answer = Some((due, code));
    }

    /// Composes the answer that is due.
    pub(super) fn answer_on_bus(&mut self, now: u64) {
        let Some((_, code)) = self.bus_state.pending_answer.take_if(|(due, _)| *due <= now) else { return };
        match code {
            0x81 => self.answer_clock(now),
            0x82 => self.answer_board(),
            0x83 => self.answer_changes(),
            0x84 => {
                let changes = self.bus_state.last_changes.clone();
                self.answer(bus_id::UPDATE, &changes);
            }
            0x85 => self.answer(bus_id::START_GAME_WRITTEN, &[]),
            0x86 => {
                let events = self.memory.from_start();
                self.answer(bus_id::FROM_START, &events);
            }
            0x8b => self.answer(bus_id::VERSION, &[self.options.version.0, self.options.version.1]),
            0x8c => {
                if let Some(squares) = self.half_image(true) {
                    self.answer(bus_id::BOARD_DUMP_50_BLACK, &squares);
                }
            }
            0x8d => {
                self.answer_changes();
                self.answer_clock(now);
                self.answer_board();
            }
            _ => self.answer(bus_id::PING, &[]),
        }
    }

    /// Ends the power-up procedure after a reset.
    pub(super) fn wake_from_reset(&mut self, now: u64) {
        if self.is_powered && self.bus_state.reset_until_us.is_some_and(|until| until <= now) {
            self.power_off(now);
            self.power_on(now);
        }
    }

    fn answer_changes(&mut self) {
        self.bus_state.last_changes = self.memory.changes();
        let changes = self.bus_state.last_changes.clone();
        self.answer(bus_id::UPDATE, &changes);
    }

    fn answer_clock(&mut self, now: u64) {
        let time = wire::bw_time(&self.clock_reading(now));
        self.answer(bus_id::BW_TIME, &time[3..]);
    }

    fn answer_board(&mut self) {
        let image = self.scanner.image().to_vec();
        self.answer(bus_id::BOARD_DUMP, &image);
    }

    fn answer(&mut self, id: u8, data: &[u8]) {
        self.queue.push_back(wire::bus_message(id, self.options.address(), data));
    }

    /// Returns the earliest time at which the board can answer a command received at `now`.
    fn ready_us(&mut self, now: u64) -> u64 {
        let ready = now + self.rng.span(self.options.answer_us);
        let stored = self.stored_us + self.rng.span(self.options.storing_us);
        if self.stored_us == 0 { ready } else { ready.max(stored.min(now + STORING_LIMIT_US)) }
    }
}
