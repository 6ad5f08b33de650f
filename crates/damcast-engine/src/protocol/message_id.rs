//! Ids of the messages from a board.

use std::fmt;

/// Message id without the start bit, 0x00..=0x7f.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u8);

impl MessageId {
    /// All fields of the board.
    pub const BOARD_DUMP: MessageId = MessageId(0x06);
    /// Clock times, an acknowledgement, or no clock.
    pub const BW_TIME: MessageId = MessageId(0x0d);
    /// Change of one field.
    pub const FIELD_UPDATE: MessageId = MessageId(0x0e);
    /// Event memory.
    pub const EEPROM_MOVES: MessageId = MessageId(0x0f);
    /// Bus address.
    pub const BUS_ADDRESS: MessageId = MessageId(0x10);
    /// Serial number.
    pub const SERIAL_NUMBER: MessageId = MessageId(0x11);
    /// Trademark text.
    pub const TRADEMARK: MessageId = MessageId(0x12);
    /// Firmware version.
    pub const VERSION: MessageId = MessageId(0x13);
    /// The 50 dark fields of a 10x10 board.
    pub const BOARD_DUMP_50_BLACK: MessageId = MessageId(0x14);
    /// The 50 light fields of a 10x10 board.
    pub const BOARD_DUMP_50_WHITE: MessageId = MessageId(0x15);
    /// Battery status.
    pub const BATTERY_STATUS: MessageId = MessageId(0x20);
    /// Long serial number.
    pub const LONG_SERIAL_NUMBER: MessageId = MessageId(0x22);
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:02x}", self.0)
    }
}
