//! The wire: encoding of a board's messages, and their duration.
//!
//! ```text
//! id | 0x80 , length bits 13..7 , length bits 6..0 , data ...        the length counts the three header bytes
//! ```
//!
//! Only the first byte of a message has its top bit set. A byte takes ten bit times at 9600 baud, about 1.042 ms. Messages never
//! interleave.
//!
//! This encoder is written from the protocol page alone and, on purpose, shares nothing with any reader of the protocol: if one of them
//! misreads a page, the other exposes the error.

use crate::clock::{ClockReading, ClockSide};

/// Message ids, without the top bit that marks the start of a message.
pub mod id {
    /// One piece code per field.
    pub const BOARD_DUMP: u8 = 0x06;
    /// Clock times, a clock ack, or "no clock".
    pub const BW_TIME: u8 = 0x0d;
    /// One field changed.
    pub const FIELD_UPDATE: u8 = 0x0e;
    /// The event memory, oldest first.
    pub const EEPROM_MOVES: u8 = 0x0f;
    /// The 14-bit bus address.
    pub const BUS_ADDRESS: u8 = 0x10;
    /// Five digits.
    pub const SERIAL_NUMBER: u8 = 0x11;
    /// Text.
    pub const TRADEMARK: u8 = 0x12;
    /// Main and sub version.
    pub const VERSION: u8 = 0x13;
    /// The dark squares of a 10x10 board.
    pub const BOARD_DUMP_50_BLACK: u8 = 0x14;
    /// The light squares of a 10x10 board.
    pub const BOARD_DUMP_50_WHITE: u8 = 0x15;
    /// Charge and times of the battery.
    pub const BATTERY_STATUS: u8 = 0x20;
    /// Ten digits.
    pub const LONG_SERIAL_NUMBER: u8 = 0x22;
}

/// Ids of the answers on a bus, without the top bit. They differ from the messages with the same number above.
pub mod bus_id {
    /// One piece code per field.
    pub const BOARD_DUMP: u8 = 0x03;
    /// Clock times.
    pub const BW_TIME: u8 = 0x04;
    /// Events since the last request for them.
    pub const UPDATE: u8 = 0x05;
    /// Events since the start tag.
    pub const FROM_START: u8 = 0x06;
    /// Presence of the board.
    pub const PING: u8 = 0x07;
    /// Confirmation that the start tag is in the memory.
    pub const START_GAME_WRITTEN: u8 = 0x08;
    /// Main and sub version.
    pub const VERSION: u8 = 0x09;
    /// The dark squares of a 10x10 board.
    pub const BOARD_DUMP_50_BLACK: u8 = 0x0a;
}

/// Returns the time that `bytes` bytes take on the line, in microseconds: ten bits each at 9600 baud.
pub fn line_us(bytes: usize) -> u64 {
    bytes as u64 * 10_000_000 / 9_600
}

/// Encodes a complete message: header and data. Clears the top bit of data bytes, and truncates data beyond the largest message (16383
/// bytes in all), which is the limit of the format.
pub fn message(id: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() + 3).min(0x3fff);
    let mut bytes = Vec::with_capacity(length);
    bytes.extend([id | 0x80, (length >> 7) as u8, (length & 0x7f) as u8]);
    bytes.extend(data.iter().take(length - 3).map(|byte| byte & 0x7f));
    bytes
}

/// Encodes a complete answer on a bus: header, address, data and checksum, all included in the length.
pub fn bus_message(id: u8, address: u16, data: &[u8]) -> Vec<u8> {
    let length = (data.len() + 6).min(0x3fff);
    let mut bytes = Vec::with_capacity(length);
    bytes.extend([id | 0x80, (length >> 7) as u8, (length & 0x7f) as u8]);
    bytes.extend(address_bytes(address));
    bytes.extend(data.iter().take(length - 6).map(|byte| byte & 0x7f));
    bytes.push(checksum(&bytes));
    bytes
}

/// Returns the checksum that follows these bytes on a bus: their sum in seven bits.
pub fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f
}

/// Encodes "field `field` now holds `code`" (0 = now empty).
pub fn field_update(field: u8, code: u8) -> Vec<u8> {
    message(id::FIELD_UPDATE, &[field, code])
}

/// Encodes clock times: the right player's bytes first, then the left player's, then the status byte. A disconnected clock gives zeros and
/// only status bit 5.
///
/// Status bits 3 and 4 are as recorded from real hardware: bit 4 goes with bit 1 (the right side is high), bit 3 with the left side.
pub fn bw_time(reading: &ClockReading) -> Vec<u8> {
    if !reading.is_connected {
        return message(id::BW_TIME, &[0, 0, 0, 0, 0, 0, status(reading)]);
    }
    let [rh, rm, rs] = side(reading.right_s, reading.has_right_flag, reading.has_increment);
    let [lh, lm, ls] = side(reading.left_s, reading.has_left_flag, reading.has_increment);
    message(id::BW_TIME, &[rh, rm, rs, lh, lm, ls, status(reading)])
}

/// Returns the status byte of clock times and acks.
pub fn status(reading: &ClockReading) -> u8 {
    if !reading.is_connected {
        return 0x20;
    }
    let lever = match reading.high {
        ClockSide::Right => 0x02 | 0x10,
        ClockSide::Left => 0x08,
    };
    lever | u8::from(reading.is_running)
}

/// Encodes the clock's answer to a command, in the form of clock times. The low nibble of both hour bytes is 0xa, and the upper nibbles of
/// the hour bytes contain the top bits of the four ack bytes.
pub fn clock_ack(ack: [u8; 4], status: u8) -> Vec<u8> {
    let top = |byte: u8, bit: u8| (byte >> 7) << bit;
    let b3 = 0x0a | top(ack[2], 4) | top(ack[3], 5);
    let b6 = 0x0a | top(ack[0], 4) | top(ack[1], 5);
    message(id::BW_TIME, &[b3, ack[0], ack[1], b6, ack[2], ack[3], status])
}

/// Encodes a 14-bit bus address, high seven bits first.
pub fn bus_address(address: u16) -> Vec<u8> {
    message(id::BUS_ADDRESS, &address_bytes(address))
}

/// Largest address on a bus; 0 addresses all boards.
pub const LAST_ADDRESS: u16 = 0x3fff;

/// Returns the two address bytes of the protocol: 1025 = 8 * 128 + 1 is `08 01`.
pub fn address_bytes(address: u16) -> [u8; 2] {
    [(address >> 7) as u8 & 0x7f, address as u8 & 0x7f]
}

/// Encodes one player's hours with their flag bits, minutes and seconds as binary-coded decimals.
fn side(seconds: u64, flag: bool, increment: bool) -> [u8; 3] {
    // The hours have one digit: 9:59:59 is the largest time that the clock can send.
    let seconds = seconds.min(9 * 3600 + 59 * 60 + 59);
    let hours = (seconds / 3600) as u8 | u8::from(flag) << 4 | u8::from(increment) << 5;
    [hours, bcd((seconds / 60 % 60) as u8), bcd((seconds % 60) as u8)]
}

/// Encodes two decimal digits in one byte.
pub(crate) fn bcd(value: u8) -> u8 {
    (value / 10) << 4 | (value % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> ClockReading {
        ClockReading { left_s: 5400, right_s: 5400, is_connected: true, ..ClockReading::default() }
    }

    #[test]
    fn clock_times_match_recordings() {
        // 1:30:00 each, stopped, left side high; then running; then right side high and a second gone on the left.
        assert_eq!(bw_time(&reading()), [0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x30, 0, 0x08]);
        assert_eq!(bw_time(&ClockReading { is_running: true, ..reading() })[9], 0x09);
        let pressed = ClockReading { is_running: true, left_s: 5399, high: ClockSide::Right, ..reading() };
        assert_eq!(bw_time(&pressed), [0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x59, 0x13]);
    }

    #[test]
    fn flag_bits_of_hour_bytes() {
        let with_increment = ClockReading { has_increment: true, left_s: 4860, ..reading() };
        assert_eq!(bw_time(&with_increment)[3..9], [0x21, 0x30, 0, 0x21, 0x21, 0]);
        let fallen = ClockReading { has_right_flag: true, right_s: 0, ..with_increment };
        assert_eq!(bw_time(&fallen)[3..6], [0x30, 0, 0]);
        assert_eq!(bw_time(&ClockReading { left_s: 1_000_000, ..reading() })[6..9], [9, 0x59, 0x59]);
    }

    #[test]
    fn no_clock_is_status_bit_five() {
        assert_eq!(
            bw_time(&ClockReading { is_connected: false, is_running: true, ..reading() }),
            [0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0x20]
        );
    }

    #[test]
    fn acks_carry_top_bits_in_hour_bytes() {
        // Version 2.2 of a clock, in answer to command 9.
        assert_eq!(clock_ack([0x10, 0x09, 0x22, 0], 0), [0x8d, 0, 0x0a, 0x0a, 0x10, 0x09, 0x0a, 0x22, 0, 0]);
        // Unsolicited: button, run (0x88 has its top bit in bit 5 of the left hour byte).
        assert_eq!(clock_ack([0x10, 0x88, 0, 0x33], 8), [0x8d, 0, 0x0a, 0x0a, 0x10, 0x08, 0x2a, 0, 0x33, 8]);
    }

    #[test]
    fn length_includes_header() {
        assert_eq!(field_update(63, 0), [0x8e, 0, 5, 0x3f, 0]);
        assert_eq!(message(id::BOARD_DUMP, &[0; 100])[..3], [0x86, 0, 0x67]);
        assert_eq!(message(id::EEPROM_MOVES, &[0; 0x1f00])[..3], [0x8f, 0x3e, 0x03]);
        assert_eq!(message(id::EEPROM_MOVES, &[0xff; 20_000]).len(), 0x3fff);
        assert_eq!(bus_address(1025), [0x90, 0, 5, 8, 1]);
    }

    #[test]
    fn byte_takes_over_one_millisecond() {
        assert_eq!(line_us(1), 1041);
        assert_eq!(line_us(103), 107_291);
    }
}
