//! Input of the board: turns bytes from a host into commands, at once or from a buffer.
//!
//! A command is one byte in single-board mode, except two that contain their length, and four bytes on a bus. A byte with its top bit set
//! can only start a bus command, so a lost byte costs one command and not the next.

use super::{COMMAND_BUFFER_SIZE, Mode, SimBoard, bus};
use crate::wire;

/// Age after which an incomplete command is discarded, in microseconds.
const STALE_COMMAND_US: u64 = 500_000;

impl SimBoard {
    /// Handles one byte from the host. On a bus the board selects commands from all bytes on the wire; a single board buffers bytes until
    /// it has finished the previous command.
    pub(super) fn on_host_byte(&mut self, now: u64, byte: u8) {
        if self.mode == Mode::Bus && self.buffer.is_empty() {
            let Some(command) = self.collect(now, byte) else { return };
            if matches!(command.as_slice(), [0x80..=0xff, ..]) || self.line_free_us <= now {
                self.dispatch(now, &command);
            } else {
                command.into_iter().for_each(|byte| self.buffer_byte(byte));
            }
        } else {
            self.buffer_byte(byte);
        }
    }

    /// Whether these bytes are one complete bus command for another board, with no incomplete command before them.
    pub(super) fn can_ignore(&self, bytes: &[u8]) -> bool {
        let is_idle = self.arriving.is_empty() && self.buffer.is_empty() && self.command.is_empty();
        let for_another = |high: u8, low: u8| {
            high < 0x80 && low < 0x80 && ![[0, 0], wire::address_bytes(self.options.address())].contains(&[high, low])
        };
        self.mode == Mode::Bus
            && is_idle
            && matches!(bytes, [0x80..=0xff, high, low, 0..=0x7f] if for_another(*high, *low))
    }

    fn buffer_byte(&mut self, byte: u8) {
        if self.buffer.len() < COMMAND_BUFFER_SIZE {
            self.buffer.push_back(byte);
        } else {
            self.dropped_bytes += 1;
        }
    }

    /// Handles one byte of a command, taken from the buffer while the line is free.
    pub(super) fn on_command_byte(&mut self, now: u64, byte: u8) {
        if let Some(command) = self.collect(now, byte) {
            self.dispatch(now, &command);
        }
    }

    /// Collects bytes until a command is complete. A byte with its top bit set always starts a bus command.
    fn collect(&mut self, now: u64, byte: u8) -> Option<Vec<u8>> {
        if byte >= 0x80 || now.saturating_sub(self.command_us) > STALE_COMMAND_US {
            self.command.clear();
        }
        self.command_us = now;
        self.command.push(byte);
        let whole = match self.command.as_slice() {
            [0x80..=0xff, ..] => bus::COMMAND_LEN,
            [0x2b | 0x60, size, ..] => 2 + usize::from(*size),
            [0x2b | 0x60] => 2,
            _ => 1,
        };
        (self.command.len() >= whole).then(|| std::mem::take(&mut self.command))
    }

    fn dispatch(&mut self, now: u64, command: &[u8]) {
        match command {
            [0x80..=0xff, ..] => self.on_bus_command(now, command),
            [first, ..] => self.execute_command(now, *first, command),
            [] => {}
        }
    }
}
