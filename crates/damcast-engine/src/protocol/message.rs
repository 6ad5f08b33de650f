//! Messages from a board to a single host.
//!
//! A [`Frame`] contains an id and bytes; a [`Message`] is its meaning. Decoding never fails. Many firmware versions
//! exist, so a message with an unknown id or an unexpected size is a valid value that can be counted, shown and
//! examined later; it must not end a recording.
//!
//! | id | message | data bytes |
//! |---|---|---|
//! | 0x06 | board dump | one per field: 64, 80, 100, 144 or any other number |
//! | 0x0d | clock | 7 |
//! | 0x0e | field update | 2 |
//! | 0x0f | event memory | any |
//! | 0x10 | bus address | 2 |
//! | 0x11 | serial number | 5 |
//! | 0x12 | trademark | any |
//! | 0x13 | version | 2 |
//! | 0x14, 0x15 | dump of 50 fields | 50 |
//! | 0x20 | battery | 9 |
//! | 0x22 | long serial number | 10 |
//!
//! Invariants: `Message::decode(&m.encode_frame()) == m` for every decoded message; a dump of any size is a dump, and
//! the session checks whether it fits the expected board. Out of scope: the meaning of piece codes (it differs between
//! firmware and sets), and the square of a field.
//!
//! Source: protocol header, "messages from board". The battery message has the size found in real frames, not that of
//! the header.

use std::fmt;

use super::clock::{CLOCK_DATA, ClockReport};
use super::framer::{Frame, FrameCounts, Framed, Framer, Noise};
use super::message_id::MessageId;

/// Sensor of the board: its index in the board's own order, from 0 at the top left when the connector is on the left.
///
/// 0..=63 on 8x8, 0..=99 on 10x10, or 0..=49 over the fields of one colour. The board never turns its numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field(pub u8);

/// Piece on a sensor, in the board's own code: 0 is empty, 13 to 15 are the result pieces, and the other codes depend
/// on the set and the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceCode(pub u8);

impl PieceCode {
    /// Empty field, on every board.
    pub const EMPTY: PieceCode = PieceCode(0);
    /// Result piece "draw".
    pub const DRAW: PieceCode = PieceCode(13);
    /// Result piece "white wins".
    pub const WHITE_WINS: PieceCode = PieceCode(14);
    /// Result piece "black wins".
    pub const BLACK_WINS: PieceCode = PieceCode(15);

    /// Whether the field is empty.
    pub fn is_empty(self) -> bool {
        self == PieceCode::EMPTY
    }
}

/// Address of a board on a bus: 14 bits, the decimal serial number in binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusAddress(u16);

impl BusAddress {
    /// Largest address.
    pub const MAX: u16 = 0x3fff;
    /// Address 0, which addresses all boards.
    pub const ALL: BusAddress = BusAddress(0);

    /// Creates an address; `None` beyond [`MAX`](Self::MAX).
    pub fn new(number: u16) -> Option<BusAddress> {
        (number <= BusAddress::MAX).then_some(BusAddress(number))
    }

    /// Decodes two wire bytes of seven bits, the high one first.
    pub fn from_wire([high, low]: [u8; 2]) -> BusAddress {
        BusAddress(u16::from(high & 0x7f) << 7 | u16::from(low & 0x7f))
    }

    /// Returns the two bytes on the wire, the high one first.
    pub fn to_wire(self) -> [u8; 2] {
        [(self.0 >> 7) as u8, (self.0 & 0x7f) as u8]
    }

    /// Returns the address as a number, 0..=16383.
    pub fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for BusAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Version of the board's firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Number before the point.
    pub main: u8,
    /// Number after the point.
    pub sub: u8,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.main, self.sub)
    }
}

/// Battery of a Bluetooth board. Numbers as sent; 0x7f usually means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BatteryStatus {
    /// Charge in percent.
    pub percent: u8,
    /// Remaining hours and minutes.
    pub time_left: [u8; 2],
    /// Hours and minutes since switching on.
    pub time_on: [u8; 2],
    /// Days, hours and minutes on standby.
    pub standby: [u8; 3],
    /// Status bits such as charging and discharging; not interpreted.
    pub status: u8,
}

/// Message from a board.
///
/// Every byte of a decoded message is 0x00..=0x7f; encoding preserves the low seven bits of other values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// All fields, [`Field`] 0 first. Any number of them; the session knows the expected number.
    BoardDump(Vec<PieceCode>),
    /// Dark fields of a 10x10 board: 50 codes.
    BoardDump50Black(Vec<PieceCode>),
    /// Light fields of a 10x10 board: 50 codes.
    BoardDump50White(Vec<PieceCode>),
    /// Change of a field.
    FieldUpdate {
        /// Field that changed.
        field: Field,
        /// Piece on the field after the change.
        piece: PieceCode,
    },
    /// Clock report.
    Clock(ClockReport),
    /// Undecoded event memory, for [`changes`](super::changes).
    EepromMoves(Vec<u8>),
    /// Bus address of the board.
    BusAddress(BusAddress),
    /// Five characters, digits according to the protocol. Preserved as sent, because any content distinguishes the
    /// board.
    SerialNumber(String),
    /// Ten characters, digits according to the protocol, preserved as sent.
    LongSerialNumber(String),
    /// Text of the manufacturer: ASCII of any length, with line breaks.
    Trademark(String),
    /// Firmware version.
    Version(Version),
    /// Battery of a Bluetooth board.
    BatteryStatus(BatteryStatus),
    /// Message with unknown content.
    Unknown {
        /// Id of the message.
        id: MessageId,
        /// Bytes after the header.
        data: Vec<u8>,
        /// Reason why the content is unknown.
        reason: UnknownReason,
    },
}

/// Reason why the content of a message is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnknownReason {
    /// Undocumented id.
    Id,
    /// Known id with an unexpected number of data bytes.
    Size {
        /// Number of data bytes according to the protocol.
        expected: usize,
    },
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Id => write!(f, "unknown kind of message"),
            UnknownReason::Size { expected } => write!(f, "unexpected size: {expected} data bytes were due"),
        }
    }
}

impl Message {
    /// Decodes a frame of a board in single-board mode.
    pub fn decode(frame: &Frame) -> Message {
        let (id, data) = (frame.id(), frame.data());
        let known = match id {
            MessageId::BOARD_DUMP => Ok(Message::BoardDump(pieces(data))),
            MessageId::BOARD_DUMP_50_BLACK => sized::<50>(data).map(|data| Message::BoardDump50Black(pieces(&data))),
            MessageId::BOARD_DUMP_50_WHITE => sized::<50>(data).map(|data| Message::BoardDump50White(pieces(&data))),
            MessageId::BW_TIME => sized::<CLOCK_DATA>(data).map(|data| Message::Clock(ClockReport::decode(data))),
            MessageId::FIELD_UPDATE => {
                sized(data).map(|[field, piece]| Message::FieldUpdate { field: Field(field), piece: PieceCode(piece) })
            }
            MessageId::EEPROM_MOVES => Ok(Message::EepromMoves(data.to_vec())),
            MessageId::BUS_ADDRESS => sized(data).map(|wire| Message::BusAddress(BusAddress::from_wire(wire))),
            MessageId::SERIAL_NUMBER => sized::<5>(data).map(|data| Message::SerialNumber(text(&data))),
            MessageId::LONG_SERIAL_NUMBER => sized::<10>(data).map(|data| Message::LongSerialNumber(text(&data))),
            MessageId::TRADEMARK => Ok(Message::Trademark(text(data))),
            MessageId::VERSION => sized(data).map(|[main, sub]| Message::Version(Version { main, sub })),
            MessageId::BATTERY_STATUS => sized(data).map(|[percent, h, m, on_h, on_m, by_d, by_h, by_m, status]| {
                Message::BatteryStatus(BatteryStatus {
                    percent,
                    time_left: [h, m],
                    time_on: [on_h, on_m],
                    standby: [by_d, by_h, by_m],
                    status,
                })
            }),
            _ => Err(UnknownReason::Id),
        };
        known.unwrap_or_else(|reason| Message::Unknown { id, data: data.to_vec(), reason })
    }

    /// Returns the message id.
    pub fn id(&self) -> MessageId {
        match self {
            Message::BoardDump(_) => MessageId::BOARD_DUMP,
            Message::BoardDump50Black(_) => MessageId::BOARD_DUMP_50_BLACK,
            Message::BoardDump50White(_) => MessageId::BOARD_DUMP_50_WHITE,
            Message::FieldUpdate { .. } => MessageId::FIELD_UPDATE,
            Message::Clock(_) => MessageId::BW_TIME,
            Message::EepromMoves(_) => MessageId::EEPROM_MOVES,
            Message::BusAddress(_) => MessageId::BUS_ADDRESS,
            Message::SerialNumber(_) => MessageId::SERIAL_NUMBER,
            Message::LongSerialNumber(_) => MessageId::LONG_SERIAL_NUMBER,
            Message::Trademark(_) => MessageId::TRADEMARK,
            Message::Version(_) => MessageId::VERSION,
            Message::BatteryStatus(_) => MessageId::BATTERY_STATUS,
            Message::Unknown { id, .. } => *id,
        }
    }

    /// Returns the frame of the message, for tests and tools.
    pub fn encode_frame(&self) -> Frame {
        let data = match self {
            Message::BoardDump(codes) | Message::BoardDump50Black(codes) | Message::BoardDump50White(codes) => {
                codes.iter().map(|code| code.0).collect()
            }
            Message::FieldUpdate { field, piece } => vec![field.0, piece.0],
            Message::Clock(report) => report.encode().to_vec(),
            Message::EepromMoves(data) | Message::Unknown { data, .. } => data.clone(),
            Message::BusAddress(address) => address.to_wire().to_vec(),
            Message::SerialNumber(text) | Message::LongSerialNumber(text) | Message::Trademark(text) => {
                text.as_bytes().to_vec()
            }
            Message::Version(Version { main, sub }) => vec![*main, *sub],
            Message::BatteryStatus(BatteryStatus { percent, time_left: left, time_on: on, standby, status }) => {
                [&[*percent][..], left, on, standby, &[*status]].concat()
            }
        };
        Frame::new(self.id(), data)
    }

    /// Returns the bytes of the message, for tests and tools.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_frame().encode()
    }
}

/// Item decoded from the bytes of a board in single-board mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DecodedItem {
    /// Message from the board.
    Message(Message),
    /// Bytes outside any message.
    Noise(Noise),
}

/// Decoder from bytes to messages: a [`Framer`] followed by [`Message::decode`].
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    framer: Framer,
}

impl Decoder {
    /// Creates a decoder that expects the start of a message.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Decodes one byte into at most one item, so callers can handle each message before the next byte.
    pub fn push(&mut self, byte: u8) -> Option<DecodedItem> {
        self.framer.push(byte).map(|framed| match framed {
            Framed::Frame(frame) => DecodedItem::Message(Message::decode(&frame)),
            Framed::Noise(noise) => DecodedItem::Noise(noise),
        })
    }

    /// Decodes the bytes of one read; returns the items in order of completion.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<DecodedItem> {
        bytes.iter().filter_map(|&byte| self.push(byte)).collect()
    }

    /// Drops the partial message after the link was lost. Returns the dropped bytes.
    pub fn reset(&mut self) -> Option<Noise> {
        self.framer.reset()
    }

    /// Returns the counts of frames and noise so far.
    pub fn counts(&self) -> FrameCounts {
        self.framer.counts()
    }
}

fn sized<const N: usize>(data: &[u8]) -> Result<[u8; N], UnknownReason> {
    data.try_into().map_err(|_| UnknownReason::Size { expected: N })
}

fn pieces(data: &[u8]) -> Vec<PieceCode> {
    data.iter().copied().map(PieceCode).collect()
}

/// Wire bytes have seven bits, so they are ASCII and convert without loss.
fn text(data: &[u8]) -> String {
    data.iter().map(|&byte| char::from(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::clock::{ClockSide, ClockStatus, ClockTimes};
    use super::super::framer::NoiseKind;
    use super::*;
    use proptest::prelude::*;

    /// Checks that the bytes, copied from the protocol page, decode to this message, and back.
    #[track_caller]
    fn check(bytes: &[u8], message: Message) {
        assert_eq!(Decoder::new().feed(bytes), [DecodedItem::Message(message.clone())], "{bytes:02x?}");
        assert_eq!(message.encode(), bytes, "{message:?}");
    }

    fn dump(head: &[u8], codes: &[u8]) -> Vec<u8> {
        [head, codes].concat()
    }

    #[test]
    fn board_dumps_of_every_size() {
        let codes = |codes: &[u8]| codes.iter().copied().map(PieceCode).collect::<Vec<_>>();
        // 8x8: 67 bytes. Black men (4) on top, white men (1) below, a white king (7) and a black king (10).
        let mut fields = [0u8; 64];
        fields[1] = 4;
        fields[62] = 1;
        fields[0] = 7;
        fields[63] = 10;
        check(&dump(&[0x86, 0x00, 0x43], &fields), Message::BoardDump(codes(&fields)));
        // 10x10: 103 bytes.
        let mut fields = [0u8; 100];
        fields[1] = 4;
        fields[98] = 1;
        check(&dump(&[0x86, 0x00, 0x67], &fields), Message::BoardDump(codes(&fields)));
        // 10x8: 83, 12x12: 147 = 1 * 128 + 19.
        check(&dump(&[0x86, 0x00, 0x53], &[1; 80]), Message::BoardDump(codes(&[1; 80])));
        check(&dump(&[0x86, 0x01, 0x13], &[4; 144]), Message::BoardDump(codes(&[4; 144])));
        // The fields of one colour: 53 bytes.
        let mut fields = [0u8; 50];
        fields[0] = 4;
        fields[49] = 1;
        check(&dump(&[0x94, 0x00, 0x35], &fields), Message::BoardDump50Black(codes(&fields)));
        check(&dump(&[0x95, 0x00, 0x35], &fields), Message::BoardDump50White(codes(&fields)));
    }

    #[test]
    fn field_updates() {
        let update = |field, piece| Message::FieldUpdate { field: Field(field), piece: PieceCode(piece) };
        check(&[0x8e, 0x00, 0x05, 0x1f, 0x00], update(31, 0));
        check(&[0x8e, 0x00, 0x05, 0x1a, 0x01], update(26, 1));
        check(&[0x8e, 0x00, 0x05, 0x63, 0x0a], update(99, 10));
        check(&[0x8e, 0x00, 0x05, 0x00, 0x0d], Message::FieldUpdate { field: Field(0), piece: PieceCode::DRAW });
        assert!(PieceCode(0).is_empty() && !PieceCode(1).is_empty());
    }

    #[test]
    fn clock_messages() {
        let side = |hours, minutes, seconds| ClockSide { hours, minutes, seconds, ..ClockSide::default() };
        let times = ClockTimes { left: side(1, 20, 8), right: side(1, 27, 40), status: ClockStatus(0x08) };
        check(&[0x8d, 0x00, 0x0a, 0x01, 0x27, 0x40, 0x01, 0x20, 0x08, 0x08], Message::Clock(ClockReport::Times(times)));
        check(&[0x8d, 0x00, 0x0a, 0, 0, 0, 0, 0, 0, 0x20], Message::Clock(ClockReport::NoClock));
        check(
            &[0x8d, 0x00, 0x0a, 0x0a, 0x10, 0x01, 0x2a, 0, 0, 0],
            Message::Clock(ClockReport::Ack(super::super::ClockAck([0x10, 0x81, 0, 0]))),
        );
        check(
            &[0x8d, 0x00, 0x0a, 0x01, 0x60, 0x40, 0x01, 0x20, 0x08, 0x08],
            Message::Clock(ClockReport::Invalid([0x01, 0x60, 0x40, 0x01, 0x20, 0x08, 0x08])),
        );
    }

    #[test]
    fn board_properties() {
        check(&[0x90, 0x00, 0x05, 0x08, 0x01], Message::BusAddress(BusAddress(1025)));
        check(&[0x91, 0x00, 0x08, 0x30, 0x31, 0x30, 0x32, 0x35], Message::SerialNumber("01025".into()));
        check(
            &[0xa2, 0x00, 0x0d, 0x33, 0x30, 0x30, 0x30, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35],
            Message::LongSerialNumber("3000012345".into()),
        );
        check(
            &[0x92, 0x00, 0x0c, 0x73, 0x69, 0x6d, 0x75, 0x6c, 0x61, 0x74, 0x65, 0x64],
            Message::Trademark("simulated".into()),
        );
        check(&[0x92, 0x00, 0x03], Message::Trademark(String::new()));
        check(&[0x93, 0x00, 0x05, 0x01, 0x0b], Message::Version(Version { main: 1, sub: 11 }));
        check(
            &[0xa0, 0x00, 0x0c, 0x50, 0x0b, 0x1e, 0x02, 0x05, 0x01, 0x17, 0x3b, 0x02],
            Message::BatteryStatus(BatteryStatus {
                percent: 80,
                time_left: [11, 30],
                time_on: [2, 5],
                standby: [1, 23, 59],
                status: 2,
            }),
        );
    }

    #[test]
    fn passes_event_memory_unchanged() {
        check(&[0x8f, 0x00, 0x06, 0x6a, 0x41, 0x6b], Message::EepromMoves(vec![0x6a, 0x41, 0x6b]));
        // The largest size according to the protocol page: 0x1f03 bytes.
        check(&dump(&[0x8f, 0x3e, 0x03], &[0x7f; 0x1f00]), Message::EepromMoves(vec![0x7f; 0x1f00]));
    }

    #[test]
    fn keeps_unknown_messages_with_reason() {
        let unknown = |id, data: &[u8], reason| Message::Unknown { id: MessageId(id), data: data.to_vec(), reason };
        let size = |expected| UnknownReason::Size { expected };
        check(&[0xa3, 0x00, 0x05, 0x01, 0x02], unknown(0x23, &[1, 2], UnknownReason::Id));
        check(&[0x80, 0x00, 0x03], unknown(0x00, &[], UnknownReason::Id));
        check(&[0x8e, 0x00, 0x06, 0x1f, 0x00, 0x01], unknown(0x0e, &[0x1f, 0, 1], size(2)));
        check(&[0x8e, 0x00, 0x04, 0x1f], unknown(0x0e, &[0x1f], size(2)));
        check(&[0x8d, 0x00, 0x09, 1, 2, 3, 4, 5, 6], unknown(0x0d, &[1, 2, 3, 4, 5, 6], size(7)));
        check(&[0x90, 0x00, 0x03], unknown(0x10, &[], size(2)));
        check(&[0x91, 0x00, 0x07, 0x30, 0x31, 0x30, 0x32], unknown(0x11, b"0102", size(5)));
        check(&[0xa2, 0x00, 0x04, 0x33], unknown(0x22, b"3", size(10)));
        check(&[0x93, 0x00, 0x06, 1, 2, 3], unknown(0x13, &[1, 2, 3], size(2)));
        check(&[0xa0, 0x00, 0x0a, 1, 2, 3, 4, 5, 6, 7], unknown(0x20, &[1, 2, 3, 4, 5, 6, 7], size(9)));
        check(&dump(&[0x94, 0x00, 0x43], &[0; 64]), unknown(0x14, &[0; 64], size(50)));
        check(&dump(&[0x95, 0x00, 0x34], &[0; 49]), unknown(0x15, &[0; 49], size(50)));
        assert_eq!(UnknownReason::Id.to_string(), "unknown kind of message");
        assert_eq!(size(2).to_string(), "unexpected size: 2 data bytes were due");
    }

    #[test]
    fn noise_comes_between_messages_in_order() {
        let version = DecodedItem::Message(Message::Version(Version { main: 1, sub: 2 }));
        let mut decoder = Decoder::new();
        assert_eq!(
            decoder.feed(&[0x00, 0x93, 0x00, 0x05, 0x01, 0x02, 0x8e, 0x00, 0x93, 0x00, 0x05, 0x01, 0x02]),
            [
                DecodedItem::Noise(Noise { bytes: 1, kind: NoiseKind::Stray }),
                version.clone(),
                DecodedItem::Noise(Noise { bytes: 2, kind: NoiseKind::Interrupted }),
                version,
            ]
        );
        assert_eq!(decoder.counts(), FrameCounts { frames: 2, noise_bytes: 3, interrupted: 1 });
        decoder.feed(&[0x8e]);
        assert_eq!(decoder.reset(), Some(Noise { bytes: 1, kind: NoiseKind::Interrupted }));
    }

    #[test]
    fn bus_addresses_have_fourteen_bits() {
        assert_eq!(BusAddress::new(1025).map(BusAddress::to_wire), Some([0x08, 0x01]));
        assert_eq!(BusAddress::new(0x3fff).map(BusAddress::to_wire), Some([0x7f, 0x7f]));
        assert_eq!(BusAddress::new(0x4000), None);
    }

    proptest! {
        #[test]
        fn decode_encode_roundtrip(
            id in prop_oneof![Just(0x0du8), 0u8..0x30, 0u8..0x80],
            data in prop_oneof![
                prop::collection::vec(0u8..0x80, 0..12),
                prop::collection::vec(0u8..0x80, 48..52),
                prop::collection::vec(0u8..0x80, 0..300),
            ],
        ) {
            let frame = Frame::new(MessageId(id), data);
            let message = Message::decode(&frame);
            prop_assert_eq!(message.id(), frame.id());
            prop_assert_eq!(&Message::decode(&message.encode_frame()), &message);
            let items = Decoder::new().feed(&message.encode());
            prop_assert_eq!(items, vec![DecodedItem::Message(message)]);
        }

        #[test]
        fn decodes_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            let mut decoder = Decoder::new();
            for item in decoder.feed(&bytes) {
                if let DecodedItem::Message(message) = item {
                    prop_assert_eq!(&Message::decode(&message.encode_frame()), &message);
                }
            }
        }
    }
}
