//! Commands from a host to a single board.
//!
//! Most commands are one byte; the two longer ones contain their own size. A board in single-board mode accepts any of
//! them at any time. Its command buffer has ten bytes, so hosts wait for each answer.
//!
//! **One command of the protocol is absent on purpose.** 0x4e starts the board's boot loader, which waits for new
//! firmware. Sending it by mistake disables the board for the rest of the game. This type cannot express it, and a
//! simulated board decodes it as [`Decoded::Unknown`], like any unknown code.
//!
//! ```text
//!   single     code
//!   clock      2b  size  03  command  data...  00         size counts what follows it
//!   lights     60  04    pattern  from  to  00
//! ```
//!
//! Invariants: no encoded byte has its top bit set (such a byte would switch the board to bus mode);
//! `Command::decode(&c.encode())` returns `c`.
//!
//! Source: protocol header, "commands to board" and "clock commands".

use super::message::Field;

/// Command to a single board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// 0x60. Sets the lights of a Revelation II.
    SetLeds {
        /// Light pattern; 0 switches the lights off.
        pattern: u8,
        /// First field.
        from: Field,
        /// Second field.
        to: Field,
    },
    /// 0x2b. Sends a command to the clock, which acknowledges it; only in a mode that sends the clock.
    Clock(ClockCommand),
}

/// Command to the clock connected to the board. After sending one, wait up to two seconds for its acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClockCommand {
    /// 0x01. Lights segments of the display.
    Display {
        /// Segments of the six characters, in wire order.
        segments: [u8; 6],
        /// Dots, colons and the two ones.
        icons: u8,
        /// Beep: 3 for on, 1 for off.
        beep: u8,
    },
    /// 0x02. Lights icons: eight bytes, the last three of them unused.
    Icons([u8; 8]),
    /// 0x03. Returns to the display of times.
    EndDisplay,
    /// 0x08. Requests the pressed button.
    Button,
    /// 0x09. Requests the clock version.
    Version,
    /// 0x0a. Sets both times, and runs or pauses the clock. Only in mode 23.
    SetAndRun {
        /// Time of the left side.
        left: TimeSetting,
        /// Time of the right side.
        right: TimeSetting,
        /// Flags: bit 0 left counts down, bit 1 right counts down, bit 2 paused, bit 3 the lever changes sides.
        flags: u8,
    },
    /// 0x0b. Beeps for this many units of 64 ms.
    Beep(u8),
    /// 0x0c. Shows eight ASCII characters on a DGT 3000.
    Text {
        /// Characters, padded with spaces.
        text: [u8; 8],
        /// Duration of the beep; 0 for none.
        beep: u8,
    },
    /// Undocumented command.
    Other {
        /// Code of the command.
        command: u8,
        /// Bytes between the code and the closing zero.
        data: Vec<u8>,
    },
}

/// Clock time to be set, in wire form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimeSetting {
    /// Hours in the low nibble; bit 4 selects counting up.
    pub hours: u8,
    /// Minutes, as sent.
    pub minutes: u8,
    /// Seconds, as sent.
    pub seconds: u8,
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
        let mut bytes = match self {
            Command::SetLeds { pattern, from, to } => vec![SET_LEDS, 0x04, *pattern, from.0, to.0, 0x00],
            Command::Clock(command) => command.encode(),
            single => {
                SINGLE_BYTE_COMMANDS.iter().filter(|(_, command)| command == single).map(|&(code, _)| code).collect()
            }
        };
        for byte in &mut bytes {
            *byte &= 0x7f;
        }
        bytes
    }

    /// Decodes the first command in `bytes`.
    pub fn decode(bytes: &[u8]) -> Decoded {
        match bytes {
            [] => Decoded::Incomplete,
            [SET_LEDS | CLOCK_MESSAGE] => Decoded::Incomplete,
            [SET_LEDS, 0x04, rest @ ..] => match rest {
                &[pattern, from, to, 0x00, ..] => Decoded::Command {
                    command: Command::SetLeds { pattern, from: Field(from), to: Field(to) },
                    used: 6,
                },
                [_, _, _, _, ..] => Decoded::Unknown { used: 6 },
                _ => Decoded::Incomplete,
            },
            // The smallest clock message is `03 command 00`.
            [CLOCK_MESSAGE, size @ 0x03..=0x7f, rest @ ..] => {
                let (size, used) = (usize::from(*size), usize::from(*size) + 2);
                match rest.get(..size) {
                    None => Decoded::Incomplete,
                    Some(&[CLOCK_START, command, ref data @ .., CLOCK_END]) => {
                        Decoded::Command { command: Command::Clock(ClockCommand::decode(command, data)), used }
                    }
                    Some(_) => Decoded::Unknown { used },
                }
            }
            [code, ..] => match SINGLE_BYTE_COMMANDS.iter().find(|(known, _)| known == code) {
                Some((_, command)) => Decoded::Command { command: command.clone(), used: 1 },
                None => Decoded::Unknown { used: 1 },
            },
        }
    }
}

impl ClockCommand {
    /// Maximum number of data bytes in a clock command: its size byte has seven bits.
    pub const MAX_DATA: usize = 0x7f - 3;

    /// Creates a [`ClockCommand::Text`] of eight characters: truncated or padded, with spaces for anything but
    /// printable ASCII.
    pub fn text(text: &str, beep: u8) -> ClockCommand {
        let mut bytes = [b' '; 8];
        for (byte, character) in bytes.iter_mut().zip(text.chars()) {
            *byte = if character.is_ascii_graphic() { character as u8 } else { b' ' };
        }
        ClockCommand::Text { text: bytes, beep }
    }

    /// Returns the code of the command, which its acknowledgement repeats.
    pub fn code(&self) -> u8 {
        match self {
            ClockCommand::Display { .. } => 0x01,
            ClockCommand::Icons(_) => 0x02,
            ClockCommand::EndDisplay => 0x03,
            ClockCommand::Button => 0x08,
            ClockCommand::Version => 0x09,
            ClockCommand::SetAndRun { .. } => 0x0a,
            ClockCommand::Beep(_) => 0x0b,
            ClockCommand::Text { .. } => 0x0c,
            ClockCommand::Other { command, .. } => *command,
        }
    }

    fn encode(&self) -> Vec<u8> {
        let data = match self {
            ClockCommand::Display { segments, icons, beep } => [&segments[..], &[*icons, *beep]].concat(),
            ClockCommand::Icons(icons) => icons.to_vec(),
            ClockCommand::EndDisplay | ClockCommand::Button | ClockCommand::Version => Vec::new(),
            ClockCommand::SetAndRun { left, right, flags } => {
                vec![left.hours, left.minutes, left.seconds, right.hours, right.minutes, right.seconds, *flags]
            }
            ClockCommand::Beep(units) => vec![*units],
            ClockCommand::Text { text, beep } => [&text[..], &[*beep]].concat(),
            ClockCommand::Other { data, .. } => data.iter().copied().take(ClockCommand::MAX_DATA).collect(),
        };
        let mut bytes = vec![CLOCK_MESSAGE, data.len() as u8 + 3, CLOCK_START, self.code()];
        bytes.extend(data);
        bytes.push(CLOCK_END);
        bytes
    }

    fn decode(command: u8, data: &[u8]) -> ClockCommand {
        match (command, data) {
            (0x01, &[c, b, a, f, e, d, icons, beep]) => {
                ClockCommand::Display { segments: [c, b, a, f, e, d], icons, beep }
            }
            (0x02, &[a, b, c, d, e, f, g, h]) => ClockCommand::Icons([a, b, c, d, e, f, g, h]),
            (0x03, []) => ClockCommand::EndDisplay,
            (0x08, []) => ClockCommand::Button,
            (0x09, []) => ClockCommand::Version,
            (0x0a, &[lh, lm, ls, rh, rm, rs, flags]) => ClockCommand::SetAndRun {
                left: TimeSetting { hours: lh, minutes: lm, seconds: ls },
                right: TimeSetting { hours: rh, minutes: rm, seconds: rs },
                flags,
            },
            (0x0b, &[units]) => ClockCommand::Beep(units),
            (0x0c, &[a, b, c, d, e, f, g, h, beep]) => ClockCommand::Text { text: [a, b, c, d, e, f, g, h], beep },
            _ => ClockCommand::Other { command, data: data.to_vec() },
        }
    }
}

const SET_LEDS: u8 = 0x60;
const CLOCK_MESSAGE: u8 = 0x2b;
const CLOCK_START: u8 = 0x03;
const CLOCK_END: u8 = 0x00;

/// One-byte commands with their codes.
const SINGLE_BYTE_COMMANDS: [(u8, Command); 19] = [
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
    use proptest::prelude::*;

    /// Checks that the bytes decode to the command and back, and that every proper prefix is incomplete.
    #[track_caller]
    fn check(bytes: &[u8], command: Command) {
        assert_eq!(command.encode(), bytes, "{command:?}");
        let used = bytes.len();
        assert_eq!(Command::decode(bytes), Decoded::Command { command: command.clone(), used });
        for cut in 0..used {
            assert_eq!(Command::decode(&bytes[..cut]), Decoded::Incomplete, "{cut} bytes of {bytes:02x?}");
        }
        let more = [bytes, &[0x40]].concat();
        assert_eq!(Command::decode(&more), Decoded::Command { command, used });
    }

    #[test]
    fn commands_of_one_byte() {
        check(&[0x40], Command::Reset);
        check(&[0x41], Command::SendClock);
        check(&[0x42], Command::SendBoard);
        check(&[0x43], Command::SendUpdate);
        check(&[0x44], Command::SendUpdateBoard);
        check(&[0x45], Command::ReturnSerialNumber);
        check(&[0x46], Command::ReturnBusAddress);
        check(&[0x47], Command::SendTrademark);
        check(&[0x49], Command::SendEepromMoves);
        check(&[0x4a], Command::ToBusMode);
        check(&[0x4b], Command::SendUpdateNice);
        check(&[0x4c], Command::SendBatteryStatus);
        check(&[0x4d], Command::SendVersion);
        check(&[0x50], Command::SendBoard50Black);
        check(&[0x51], Command::Scan50Black);
        check(&[0x52], Command::SendBoard50White);
        check(&[0x53], Command::Scan50White);
        check(&[0x54], Command::Scan100);
        check(&[0x55], Command::ReturnLongSerialNumber);
    }

    #[test]
    fn lights() {
        check(&[0x60, 0x04, 0x01, 0x0c, 0x1c, 0x00], Command::SetLeds { pattern: 1, from: Field(12), to: Field(28) });
    }

    #[test]
    fn clock_commands() {
        let check = |bytes: &[u8], command| check(bytes, Command::Clock(command));
        check(
            &[0x2b, 0x0b, 0x03, 0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x12, 0x03, 0x00],
            ClockCommand::Display { segments: [1, 2, 3, 4, 5, 6], icons: 0x12, beep: 3 },
        );
        check(
            &[0x2b, 0x0b, 0x03, 0x02, 0x01, 0x02, 0x03, 0x04, 0x05, 0x00, 0x00, 0x00, 0x00],
            ClockCommand::Icons([1, 2, 3, 4, 5, 0, 0, 0]),
        );
        check(&[0x2b, 0x03, 0x03, 0x03, 0x00], ClockCommand::EndDisplay);
        check(&[0x2b, 0x03, 0x03, 0x08, 0x00], ClockCommand::Button);
        check(&[0x2b, 0x03, 0x03, 0x09, 0x00], ClockCommand::Version);
        check(
            &[0x2b, 0x0a, 0x03, 0x0a, 0x01, 0x14, 0x00, 0x01, 0x13, 0x3b, 0x06, 0x00],
            ClockCommand::SetAndRun {
                left: TimeSetting { hours: 1, minutes: 20, seconds: 0 },
                right: TimeSetting { hours: 1, minutes: 19, seconds: 59 },
                flags: 6,
            },
        );
        check(&[0x2b, 0x04, 0x03, 0x0b, 0x05, 0x00], ClockCommand::Beep(5));
        check(
            &[0x2b, 0x0c, 0x03, 0x0c, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x20, 0x20, 0x01, 0x00],
            ClockCommand::text("Hello", 1),
        );
        check(&[0x2b, 0x05, 0x03, 0x0d, 0x01, 0x02, 0x00], ClockCommand::Other { command: 0x0d, data: vec![1, 2] });
        // A known code with an unexpected size is not decoded as the known command.
        check(&[0x2b, 0x03, 0x03, 0x0b, 0x00], ClockCommand::Other { command: 0x0b, data: vec![] });
    }

    #[test]
    fn texts_are_cut_padded_and_cleaned() {
        assert_eq!(ClockCommand::text("32-28é\n7890", 0), ClockCommand::Text { text: *b"32-28  7", beep: 0 });
    }

    #[test]
    fn drops_invalid_commands_within_bounds() {
        let unknown =
            |bytes: &[u8], used| assert_eq!(Command::decode(bytes), Decoded::Unknown { used }, "{bytes:02x?}");
        // The boot loader, unknown codes and bus commands cannot be expressed.
        for code in [0x4e, 0x48, 0x4f, 0x56, 0x00, 0x7f, 0x81, 0xff] {
            unknown(&[code], 1);
        }
        unknown(&[0x60, 0x05, 0, 0, 0, 0], 1);
        unknown(&[0x60, 0x04, 1, 2, 3, 4], 6);
        unknown(&[0x2b, 0x02, 0x03, 0x09], 1);
        unknown(&[0x2b, 0x83, 0x03, 0x09, 0x00], 1);
        unknown(&[0x2b, 0x03, 0x04, 0x09, 0x00], 5);
        unknown(&[0x2b, 0x03, 0x03, 0x09, 0x01], 5);
    }

    fn any_command() -> impl Strategy<Value = Command> {
        let seven = || 0u8..0x80;
        let time =
            (seven(), seven(), seven()).prop_map(|(hours, minutes, seconds)| TimeSetting { hours, minutes, seconds });
        let clock = prop_oneof![
            (prop::array::uniform6(seven()), seven(), seven())
                .prop_map(|(segments, icons, beep)| ClockCommand::Display { segments, icons, beep }),
            prop::array::uniform8(seven()).prop_map(ClockCommand::Icons),
            Just(ClockCommand::EndDisplay),
            Just(ClockCommand::Button),
            Just(ClockCommand::Version),
            (time.clone(), time, seven()).prop_map(|(left, right, flags)| ClockCommand::SetAndRun {
                left,
                right,
                flags
            }),
            seven().prop_map(ClockCommand::Beep),
            (prop::array::uniform8(seven()), seven()).prop_map(|(text, beep)| ClockCommand::Text { text, beep }),
            (0x10u8..0x80, prop::collection::vec(seven(), 0..=ClockCommand::MAX_DATA))
                .prop_map(|(command, data)| ClockCommand::Other { command, data }),
        ];
        prop_oneof![
            (0..SINGLE_BYTE_COMMANDS.len()).prop_map(|index| SINGLE_BYTE_COMMANDS[index].1.clone()),
            (seven(), seven(), seven()).prop_map(|(pattern, from, to)| Command::SetLeds {
                pattern,
                from: Field(from),
                to: Field(to)
            }),
            clock.prop_map(Command::Clock),
        ]
    }

    proptest! {
        #[test]
        fn command_roundtrip(command in any_command()) {
            let bytes = command.encode();
            prop_assert!(bytes.iter().all(|&byte| byte < 0x80));
            prop_assert_eq!(Command::decode(&bytes), Decoded::Command { used: bytes.len(), command });
        }

        #[test]
        fn reads_arbitrary_host_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut rest = bytes.as_slice();
            loop {
                match Command::decode(rest) {
                    Decoded::Incomplete => break,
                    Decoded::Command { used, .. } | Decoded::Unknown { used } => {
                        prop_assert!(0 < used && used <= rest.len());
                        rest = &rest[used..];
                    }
                }
            }
            // The remaining bytes are shorter than the longest command.
            prop_assert!(rest.len() < 2 + 0x7f);
        }

        #[test]
        fn extreme_values_never_reach_wire(pattern in any::<u8>(), data in prop::collection::vec(any::<u8>(), 0..300)) {
            let leds = Command::SetLeds { pattern, from: Field(pattern), to: Field(pattern) };
            prop_assert!(leds.encode().iter().all(|&byte| byte < 0x80));
            let clock = Command::Clock(ClockCommand::Other { command: pattern, data });
            prop_assert!(clock.encode().iter().all(|&byte| byte < 0x80));
            let decoded = matches!(Command::decode(&clock.encode()), Decoded::Command { .. });
            prop_assert!(decoded);
        }
    }
}
