//! Single-board mode: commands of one byte (two are longer), answered at once.

use super::{Mode, SimBoard};
use crate::scanner::ScanMode;
use crate::wire::{self, id};

impl SimBoard {
    /// Handles a complete command of single-board mode. On a bus it makes the board leave bus mode and is obeyed.
    pub(super) fn execute_command(&mut self, now: u64, code: u8, command: &[u8]) {
        let known = matches!(code, 0x40..=0x47 | 0x49..=0x4e | 0x50..=0x55 | 0x60 | 0x2b);
        if !known || self.options.ignored_commands.contains(&code) || self.mode == Mode::BootLoader {
            return;
        }
        if self.mode == Mode::Bus {
            self.enter(Mode::Idle);
        }
        match code {
            0x40 => self.enter(Mode::Idle),
            0x41 => {
                let time = wire::bw_time(&self.clock_reading(now));
                self.queue.push_back(time);
            }
            0x42 => self.queue.push_back(wire::message(id::BOARD_DUMP, self.scanner.image())),
            0x43 => self.enter(Mode::Update),
            0x44 => self.enter(Mode::UpdateBoard),
            0x45 => self.queue_message(id::SERIAL_NUMBER, format!("{:05}", self.options.serial % 100_000).as_bytes()),
            0x46 => self.queue.push_back(wire::bus_address(self.options.address())),
            0x47 => self.queue.push_back(wire::message(id::TRADEMARK, self.options.trademark.as_bytes())),
            0x49 => {
                let memory = self.memory.download();
                self.queue_message(id::EEPROM_MOVES, &memory);
            }
            0x4a => self.enter(Mode::Bus),
            0x4b => self.enter(Mode::UpdateNice),
            // 87 %, 9:30 left, on for 2:15, no standby, not charging.
            0x4c => self.queue_message(id::BATTERY_STATUS, &[87, 9, 30, 2, 15, 0, 0, 0, 0]),
            0x4d => self.queue_message(id::VERSION, &[self.options.version.0, self.options.version.1]),
            0x4e => self.enter(Mode::BootLoader),
            0x50 => self.dump_half(id::BOARD_DUMP_50_BLACK, true),
            0x51 => self.scanner.set_mode(now, ScanMode::Dark),
            0x52 => self.dump_half(id::BOARD_DUMP_50_WHITE, false),
            0x53 => self.scanner.set_mode(now, ScanMode::Light),
            0x54 => self.scanner.set_mode(now, ScanMode::All),
            0x55 => self.queue_message(
                id::LONG_SERIAL_NUMBER,
                format!("{:010}", self.options.long_serial % 10_000_000_000).as_bytes(),
            ),
            0x2b => self.clock_command(now, command),
            _ => {}
        }
        if matches!(code, 0x43 | 0x4b) {
            self.skip_ticks(now);
        }
    }

    fn queue_message(&mut self, id: u8, data: &[u8]) {
        self.queue.push_back(wire::message(id, data));
    }

    fn dump_half(&mut self, id: u8, dark: bool) {
        if let Some(squares) = self.half_image(dark) {
            self.queue_message(id, &squares);
        }
    }
}
