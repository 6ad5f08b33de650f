//! Commands from a host to a single board.
//!
//! A command is one byte. A board in single-board mode accepts any of them at any time. Its command buffer has ten bytes,
//! so hosts wait for each answer.
//!
//! **Some commands of the protocol are absent on purpose.** 0x4e starts the board's boot loader, which waits for new
//! firmware. Sending it by mistake disables the board for the rest of the game. 0x2b sets the clock and 0x60 the lights,
//! which belong to the players. This type cannot express them.
//!
//! Invariants: no encoded byte has its top bit set (such a byte would switch the board to bus mode);
//! `Command::decode(&c.encode())` returns `c`.
//!
//! Source: protocol header, "commands to board".

/// Command to a single board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// 0x40. Enters idle mode, without spontaneous updates.
    Reset,
    /// 0x41. Requests one clock message.
    SendClock,
    /// 0x42. Requests one board dump.
    SendBoard,
    /// 0x43. Enters update mode: field updates, and the clock at least every second.
    SendUpdate,
    /// 0x44. Enters update mode without the clock.
    SendUpdateBoard,
    /// 0x45. Requests the serial number.
    ReturnSerialNumber,
    /// 0x46. Requests the bus address.
    ReturnBusAddress,
    /// 0x47. Requests the trademark text.
    SendTrademark,
    /// 0x49. Requests the whole event memory, which takes up to eight seconds on the line.
    SendEepromMoves,
    /// 0x4a. Enters bus mode.
    ToBusMode,
    /// 0x4b. Enters update mode with the clock only when it changes.
    SendUpdateNice,
    /// 0x4c. Requests the battery status of a Bluetooth board.
    SendBatteryStatus,
    /// 0x4d. Requests the firmware version.
    SendVersion,
    /// 0x50. Requests a dump of the dark fields of a 10x10 board.
    SendBoard50Black,
    /// 0x51. Scans the dark fields only. **Writes the board's EEPROM**: send only if the configuration requires it.
    Scan50Black,
    /// 0x52. Requests a dump of the light fields of a 10x10 board.
    SendBoard50White,
    /// 0x53. Scans the light fields only. **Writes the board's EEPROM**: send only if the configuration requires it.
    Scan50White,
    /// 0x54. Scans all fields. **Writes the board's EEPROM**: send only if the configuration requires it.
    Scan100,
    /// 0x55. Requests the long serial number.
    ReturnLongSerialNumber,
}

/// Result of decoding the start of a host's byte stream, for simulated boards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decoded {
    /// Complete command.
    Command {
        /// Decoded command.
        command: Command,
        /// Length of the command in bytes.
        used: usize,
    },
    /// Incomplete command: wait for more bytes.
    Incomplete,
    /// Unknown command: drop `used` bytes and continue. This includes the boot loader's code and bus commands.
    Unknown {
        /// Number of bytes to drop.
        used: usize,
    },
}

impl Command {
    /// Returns the bytes to send.
    pub fn encode(&self) -> Vec<u8> {
        COMMANDS.iter().filter(|(_, command)| command == self).map(|&(code, _)| code).collect()
    }

    /// Decodes the first command in `bytes`.
    pub fn decode(bytes: &[u8]) -> Decoded {
        let Some(first) = bytes.first() else { return Decoded::Incomplete };
        match COMMANDS.iter().find(|(code, _)| code == first) {
            Some(&(_, command)) => Decoded::Command { command, used: 1 },
            None => Decoded::Unknown { used: 1 },
        }
    }
}

const COMMANDS: [(u8, Command); 19] = [
    (0x40, Command::Reset),
    (0x41, Command::SendClock),
    (0x42, Command::SendBoard),
    (0x43, Command::SendUpdate),
    (0x44, Command::SendUpdateBoard),
    (0x45, Command::ReturnSerialNumber),
    (0x46, Command::ReturnBusAddress),
    (0x47, Command::SendTrademark),
    (0x49, Command::SendEepromMoves),
    (0x4a, Command::ToBusMode),
    (0x4b, Command::SendUpdateNice),
    (0x4c, Command::SendBatteryStatus),
    (0x4d, Command::SendVersion),
    (0x50, Command::SendBoard50Black),
    (0x51, Command::Scan50Black),
    (0x52, Command::SendBoard50White),
    (0x53, Command::Scan50White),
    (0x54, Command::Scan100),
    (0x55, Command::ReturnLongSerialNumber),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_documented_codes() {
        use Command::*;
        for (code, command) in [
            (0x40, Reset),
            (0x41, SendClock),
            (0x42, SendBoard),
            (0x43, SendUpdate),
            (0x44, SendUpdateBoard),
            (0x45, ReturnSerialNumber),
            (0x46, ReturnBusAddress),
            (0x47, SendTrademark),
            (0x49, SendEepromMoves),
            (0x4a, ToBusMode),
            (0x4b, SendUpdateNice),
            (0x4c, SendBatteryStatus),
            (0x4d, SendVersion),
            (0x50, SendBoard50Black),
            (0x51, Scan50Black),
            (0x52, SendBoard50White),
            (0x53, Scan50White),
            (0x54, Scan100),
            (0x55, ReturnLongSerialNumber),
        ] {
            assert_eq!(command.encode(), [code], "{command:?}");
            assert_eq!(Command::decode(&[code, 0x40]), Decoded::Command { command, used: 1 }, "{command:?}");
        }
    }

    #[test]
    fn other_bytes_are_unknown() {
        let known = (0..=0xff).filter(|&code| Command::decode(&[code]) != Decoded::Unknown { used: 1 });
        assert_eq!(known.count(), COMMANDS.len());
        // Clock, lights, boot loader and bus commands cannot be expressed.
        for code in [0x2b, 0x60, 0x4e, 0x48, 0x4f, 0x56, 0x00, 0x7f, 0x81, 0xff] {
            assert_eq!(Command::decode(&[code]), Decoded::Unknown { used: 1 }, "{code:02x}");
        }
        assert_eq!(Command::decode(&[]), Decoded::Incomplete);
    }
}
