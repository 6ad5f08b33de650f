//! Decodes clock messages: one message id with three meanings.
//!
//! The board forwards seven bytes from the clock. They are times, or the acknowledgement of a clock command if an hour
//! nibble is the impossible hour 10, or invalid if no clock is connected. An acknowledgement read as a time would
//! publish wrong clock times, so the meaning is decided once, here, and is part of the type.
//!
//! ```text
//!   b3        b4       b5        b6       b7       b8        b9
//!   right h   right m  right s   left h   left m   left s    status
//!   .sttffff  BCD      BCD       as right                    ..!wwblr
//!
//!   hour byte: bits 0-3 hours, bit 4 flag fallen, bit 5 time per move, bit 6 flag shown
//!   status:    bit 0 running, bit 1 lever, bit 2 battery low, bits 3-4 "whose turn", bit 5 no clock
//!   ack:       (b3 & 0x0f == 0x0a) or (b6 & 0x0f == 0x0a)
//! ```
//!
//! Left and right are seen from the front of the clock; the session determines which of them is White. Bits 3 and 4 are
//! preserved but not interpreted: recordings from real hardware have them the other way round than some editions of the
//! header. Bit 1, the lever, matched the side whose time counts down in 1,549 of 1,549 messages.
//!
//! Sources: protocol header, "BwTime" and "clock ack"; recordings from hardware for the meaning of bit 1.

/// Number of data bytes in a clock message.
pub const CLOCK_DATA: usize = 7;

/// Decoded clock message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockReport {
    /// Times of both sides and the state of the clock.
    Times(ClockTimes),
    /// Acknowledgement of a command, or a message that the clock sends by itself, for example a pressed button.
    Ack(ClockAck),
    /// Status bit 5: no clock is connected, the times are invalid.
    NoClock,
    /// Neither an acknowledgement nor a time: a nibble beyond 9, or a minute or second beyond 59. Contains the data
    /// bytes as received.
    Invalid([u8; CLOCK_DATA]),
}

impl ClockReport {
    /// Decodes seven data bytes. Bytes are 0x00..=0x7f, as on the wire.
    pub fn decode(data: [u8; CLOCK_DATA]) -> ClockReport {
        let [b3, b4, b5, b6, b7, b8, b9] = data;
        if b3 & 0x0f == ACK_NIBBLE || b6 & 0x0f == ACK_NIBBLE {
            return ClockReport::Ack(ClockAck([
                b4 & 0x7f | b6 << 3 & 0x80,
                b5 & 0x7f | b6 << 2 & 0x80,
                b7 & 0x7f | b3 << 3 & 0x80,
                b8 & 0x7f | b3 << 2 & 0x80,
            ]));
        }
        let status = ClockStatus(b9);
        if status.0 & ClockStatus::NO_CLOCK != 0 {
            return ClockReport::NoClock;
        }
        match (ClockSide::decode([b6, b7, b8]), ClockSide::decode([b3, b4, b5])) {
            (Some(left), Some(right)) => ClockReport::Times(ClockTimes { left, right, status }),
            _ => ClockReport::Invalid(data),
        }
    }

    /// Returns the seven data bytes, for tests and simulated boards.
    pub fn encode(&self) -> [u8; CLOCK_DATA] {
        match *self {
            ClockReport::Times(ClockTimes { left, right, status }) => {
                let ([b3, b4, b5], [b6, b7, b8]) = (right.encode(), left.encode());
                [b3, b4, b5, b6, b7, b8, status.0]
            }
            ClockReport::Ack(ClockAck([ack0, ack1, ack2, ack3])) => [
                ACK_NIBBLE | ack2 >> 3 & 0x10 | ack3 >> 2 & 0x20,
                ack0 & 0x7f,
                ack1 & 0x7f,
                ACK_NIBBLE | ack0 >> 3 & 0x10 | ack1 >> 2 & 0x20,
                ack2 & 0x7f,
                ack3 & 0x7f,
                0,
            ],
            ClockReport::NoClock => [0, 0, 0, 0, 0, 0, ClockStatus::NO_CLOCK],
            ClockReport::Invalid(data) => data,
        }
    }

    /// Whether the message contains a reading, or shows that no clock is connected. Acknowledgements, invalid times and
    /// the all-zero message after a clock command contain no reading.
    pub fn is_reading(&self) -> bool {
        match self {
            ClockReport::Times(times) => !times.is_all_zero(),
            ClockReport::NoClock => true,
            ClockReport::Ack(_) | ClockReport::Invalid(_) => false,
        }
    }
}

/// Times of both sides. They lag the display by up to a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockTimes {
    /// Left side of the clock, seen from its front.
    pub left: ClockSide,
    /// Right side of the clock, seen from its front.
    pub right: ClockSide,
    /// Status byte; bit 5 (no clock) is never set here.
    pub status: ClockStatus,
}

impl ClockTimes {
    /// Whether a time is running.
    pub fn is_running(&self) -> bool {
        self.status.0 & ClockStatus::RUNNING != 0
    }

    /// Returns the position of the lever: the high side is to move, and only its time can be running.
    pub fn lever(&self) -> Lever {
        if self.status.0 & ClockStatus::RIGHT_HIGH != 0 { Lever::RightHigh } else { Lever::LeftHigh }
    }

    /// Whether the clock's battery is low.
    pub fn is_battery_low(&self) -> bool {
        self.status.0 & ClockStatus::BATTERY_LOW != 0
    }

    /// Whether all seven bytes are zero. Clocks send this right after a clock command; it is no reading.
    pub fn is_all_zero(&self) -> bool {
        ClockReport::Times(*self).encode() == [0; CLOCK_DATA]
    }
}

/// Reading of one side of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClockSide {
    /// Hours, 0..=9: one digit on the wire.
    pub hours: u8,
    /// Minutes, 0..=59.
    pub minutes: u8,
    /// Seconds, 0..=59.
    pub seconds: u8,
    /// Whether the flag fell and the clock is blocked at zero.
    pub is_flag_fallen: bool,
    /// Whether the time-per-move indicator is on. With an increment it is on during the whole game.
    pub is_time_per_move: bool,
    /// Whether the flag is shown; the clock may still run.
    pub is_flag_shown: bool,
}

impl ClockSide {
    /// Returns the reading in seconds: 0..=35999.
    pub fn total_seconds(&self) -> u32 {
        (u32::from(self.hours) * 60 + u32::from(self.minutes)) * 60 + u32::from(self.seconds)
    }

    fn decode([hours, minutes, seconds]: [u8; 3]) -> Option<ClockSide> {
        Some(ClockSide {
            hours: Some(hours & 0x0f).filter(|&hours| hours <= 9)?,
            minutes: sexagesimal(minutes)?,
            seconds: sexagesimal(seconds)?,
            is_flag_fallen: hours & FLAG_FALLEN != 0,
            is_time_per_move: hours & TIME_PER_MOVE != 0,
            is_flag_shown: hours & FLAG_SHOWN != 0,
        })
    }

    fn encode(self) -> [u8; 3] {
        let flag = |set, bit| if set { bit } else { 0 };
        let flags = flag(self.is_flag_fallen, FLAG_FALLEN)
            | flag(self.is_time_per_move, TIME_PER_MOVE)
            | flag(self.is_flag_shown, FLAG_SHOWN);
        [flags | self.hours.min(9), bcd(self.minutes), bcd(self.seconds)]
    }
}

/// Status byte of a clock message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClockStatus(pub u8);

impl ClockStatus {
    /// Bit 0: a time is running.
    pub const RUNNING: u8 = 0x01;
    /// Bit 1: the lever is high on the right player's side.
    pub const RIGHT_HIGH: u8 = 0x02;
    /// Bit 2: the clock's battery is low.
    pub const BATTERY_LOW: u8 = 0x04;
    /// Bit 5: no clock is connected.
    pub const NO_CLOCK: u8 = 0x20;
}

/// Lever of the clock. Pressing lowers the player's own side, so the high side is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lever {
    /// Right side high: the right player is to move.
    RightHigh,
    /// Left side high: the left player is to move.
    LeftHigh,
}

/// Acknowledgement: the bytes ack0 to ack3, with their top bits restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockAck(pub [u8; 4]);

/// Impossible hour that marks an acknowledgement.
const ACK_NIBBLE: u8 = 0x0a;
const FLAG_FALLEN: u8 = 0x10;
const TIME_PER_MOVE: u8 = 0x20;
const FLAG_SHOWN: u8 = 0x40;

/// Converts two BCD digits to minutes or seconds. `None` if a nibble is no digit or the number is beyond 59.
pub(super) fn sexagesimal(byte: u8) -> Option<u8> {
    let (tens, ones) = (byte >> 4, byte & 0x0f);
    (tens <= 5 && ones <= 9).then_some(tens * 10 + ones)
}

/// Converts minutes or seconds to a BCD byte. Numbers beyond 59 become 59.
pub(super) fn bcd(number: u8) -> u8 {
    let number = number.min(59);
    ((number / 10) << 4) | (number % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side(hours: u8, minutes: u8, seconds: u8) -> ClockSide {
        ClockSide { hours, minutes, seconds, ..ClockSide::default() }
    }

    #[track_caller]
    fn check(data: [u8; 7], expected: ClockReport) {
        assert_eq!(ClockReport::decode(data), expected, "{data:02x?}");
        assert_eq!(ClockReport::decode(expected.encode()), expected, "{expected:?}");
    }

    #[test]
    fn reads_times() {
        // Right 1:27:40, left 0:59:08, lever high on the right, running.
        let status = ClockStatus(0x03);
        let times = ClockTimes { left: side(0, 59, 8), right: side(1, 27, 40), status };
        check([0x01, 0x27, 0x40, 0x00, 0x59, 0x08, 0x03], ClockReport::Times(times));
        assert!(times.is_running() && !times.is_battery_low() && times.lever() == Lever::RightHigh);
        assert_eq!(times.right.total_seconds(), 5260);

        // The flags of the hour bytes, each alone and together with hours.
        let right = ClockSide { is_time_per_move: true, ..side(2, 0, 0) };
        let left = ClockSide { is_flag_fallen: true, is_time_per_move: true, ..side(0, 0, 0) };
        let times = ClockTimes { left, right, status: ClockStatus(0x04) };
        check([0x22, 0x00, 0x00, 0x30, 0x00, 0x00, 0x04], ClockReport::Times(times));
        assert!(!times.is_running() && times.is_battery_low() && times.lever() == Lever::LeftHigh);
        let right = ClockSide { is_flag_shown: true, ..side(9, 59, 59) };
        let times = ClockTimes { left: side(0, 0, 1), right, status: ClockStatus(0x19) };
        check([0x49, 0x59, 0x59, 0x00, 0x00, 0x01, 0x19], ClockReport::Times(times));
    }

    #[test]
    fn distinguishes_no_clock_and_zero_from_times() {
        check([0, 0, 0, 0, 0, 0, 0x20], ClockReport::NoClock);
        assert_eq!(ClockReport::decode([0x01, 0x27, 0x40, 0x00, 0x59, 0x08, 0x21]), ClockReport::NoClock);
        // Data without a clock need not be valid times.
        assert_eq!(ClockReport::decode([0x0f, 0x7f, 0x7f, 0x0f, 0x7f, 0x7f, 0x20]), ClockReport::NoClock);

        let zero = |data| matches!(ClockReport::decode(data), ClockReport::Times(times) if times.is_all_zero());
        assert!(zero([0; 7]));
        for byte in 0..7 {
            let mut data = [0; 7];
            data[byte] = 1;
            assert!(!zero(data), "byte {byte}");
        }
    }

    #[test]
    fn impossible_times_are_garbled() {
        for (byte, value) in
            [(0, 0x0b), (0, 0x0f), (1, 0x60), (1, 0x0a), (2, 0x5a), (3, 0x0c), (4, 0x7f), (5, 0x6f), (5, 0x1b)]
        {
            let mut data = [0x01, 0x27, 0x40, 0x00, 0x59, 0x08, 0x03];
            data[byte] = value;
            check(data, ClockReport::Invalid(data));
        }
    }

    #[test]
    fn reads_acknowledgements() {
        // b6 bit 5 is the top bit of ack1, b6 bit 4 that of ack0, b3 bits 5 and 4 those of ack3 and ack2.
        for (data, ack) in [
            ([0x0a, 0x10, 0x01, 0x0a, 0x00, 0x00, 0x00], [0x10, 0x01, 0x00, 0x00]),
            ([0x0a, 0x40, 0x0a, 0x0a, 0x00, 0x00, 0x00], [0x40, 0x0a, 0x00, 0x00]),
            // Version 9.1: the top bit of ack2 travels in b3.
            ([0x1a, 0x10, 0x09, 0x0a, 0x11, 0x00, 0x00], [0x10, 0x09, 0x91, 0x00]),
            ([0x0a, 0x10, 0x01, 0x2a, 0x00, 0x00, 0x00], [0x10, 0x81, 0x00, 0x00]),
            ([0x0a, 0x10, 0x7f, 0x2a, 0x00, 0x00, 0x00], [0x10, 0xff, 0x00, 0x00]),
            ([0x2a, 0x01, 0x02, 0x1a, 0x03, 0x04, 0x00], [0x81, 0x02, 0x03, 0x84]),
            ([0x0a, 0x10, 0x08, 0x2a, 0x00, 0x31, 0x00], [0x10, 0x88, 0x00, 0x31]),
        ] {
            check(data, ClockReport::Ack(ClockAck(ack)));
        }
        // One of the two nibbles is enough, even if the other side or the status contradict it.
        assert!(matches!(ClockReport::decode([0x01, 0x10, 0x01, 0x0a, 0, 0, 0x20]), ClockReport::Ack(_)));
        assert!(matches!(ClockReport::decode([0x4a, 0x10, 0x01, 0x02, 0, 0, 0x03]), ClockReport::Ack(_)));
    }

    proptest! {
        #[test]
        fn decode_encode_roundtrip(data in prop::array::uniform7(0u8..0x80)) {
            let report = ClockReport::decode(data);
            prop_assert_eq!(ClockReport::decode(report.encode()), report);
            if let ClockReport::Times(times) = report {
                prop_assert_eq!(report.encode(), data);
                prop_assert!(times.left.total_seconds() < 36_000 && times.right.total_seconds() < 36_000);
            }
        }

        #[test]
        fn acknowledgement_roundtrip(ack in any::<[u8; 4]>()) {
            let report = ClockReport::Ack(ClockAck(ack));
            prop_assert!(report.encode().iter().all(|&byte| byte < 0x80));
            prop_assert_eq!(ClockReport::decode(report.encode()), report);
        }
    }
}
