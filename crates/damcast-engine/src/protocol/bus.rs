//! Protocol for several boards on one line: commands with an address, answers with an address and a checksum.
//!
//! On a bus a board sends only answers, so two boards never send at once, except after a ping to all.
//!
//! ```text
//!   command   code, address high, address low, checksum                          four bytes
//!   answer    id | 0x80, length high, length low, address high, address low, data ..., checksum
//!
//!   checksum = the sum of all bytes before it & 0x7f; the length counts every byte of the answer
//! ```
//!
//! | command | answer | data of the answer |
//! |---|---|---|
//! | 0x81 send the clock | 0x84 | 7, as in single-board mode |
//! | 0x82 send the board | 0x83 | one code per field |
//! | 0x83 send changes | 0x85 | [events](super::changes) since the previous 0x83 |
//! | 0x84 repeat changes | 0x85 | previous answer to 0x83: changes are sent once, so this command recovers a damaged answer |
//! | 0x85 start a game | 0x88, some 70 ms later | none |
//! | 0x86 send all since the start | 0x86 | [events](super::changes) since the start tag, without those pending for 0x83 |
//! | 0x87 ping | 0x87 | none; after a ping to address 0 every board answers at a random time within 1100 ms |
//! | 0x88 end bus mode, 0x89 reset | none | |
//! | 0x8a ignore the next ping | 0x87 | none; the board does not answer the next ping to address 0 |
//! | 0x8b send version | 0x89 | 2 |
//! | 0x8c send the 50 dark fields | 0x8a | 50 codes |
//! | 0x8d send all | 0x85, 0x84, 0x83 | one answer after the other |
//!
//! The framing equals that of a single board, but the ids differ: 0x86 is a board dump in one mode and the event memory
//! in the other. The mode of the line therefore selects the decoder.
//!
//! Invariants: no input causes a panic, an error or unlimited growth; the division into reads never affects the output;
//! an answer with a wrong checksum is never a message. It is still reported, because the host must repeat its question.
//! After a ping to all it indicates a collision.
//!
//! Source: protocol header, "bus mode".

use super::clock::{CLOCK_DATA, ClockReport};
use super::framer::{Frame, Framed, Framer, HEADER_LEN, Noise};
use super::message::{BusAddress, PieceCode, UnknownReason, Version};
use super::message_id::MessageId;

/// Length of a command in bytes.
pub const COMMAND_LEN: usize = 4;
/// Length of an answer without data in bytes: header, address and checksum.
pub const MIN_ANSWER_LEN: usize = HEADER_LEN + 3;

/// Returns the sum of the bytes modulo 128, because the wire carries seven bits.
pub fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte)) & 0x7f
}

/// Command to the boards of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BusCommand {
    /// 0x81. Requests the clock times.
    SendClock,
    /// 0x82. Requests all fields.
    SendBoard,
    /// 0x83. Requests the events since the previous such command.
    SendChanges,
    /// 0x84. Requests the last answer to [`BusCommand::SendChanges`] again.
    RepeatChanges,
    /// 0x85. Writes a start tag and all pieces to the board's memory.
    SetStartGame,
    /// 0x86. Requests all events since the start tag, without those pending for [`BusCommand::SendChanges`].
    SendFromStart,
    /// 0x87. Requests a sign of presence. At [`BusAddress::ALL`] every board answers at a random time within 1100 ms.
    Ping,
    /// 0x88. Leaves bus mode.
    EndBusMode,
    /// 0x89. Restarts the board as after power-up; takes some seconds.
    Reset,
    /// 0x8a. Requests an answer now and suppresses the answer to the next ping to all.
    IgnoreNextPing,
    /// 0x8b. Requests the firmware version.
    SendVersion,
    /// 0x8c. Requests the 50 dark fields of a 10x10 board.
    SendBoard50Black,
    /// 0x8d. Requests changes, clock and board, one answer after the other.
    SendAll,
}

impl BusCommand {
    /// All commands, in the order of their codes.
    pub const ALL: [BusCommand; 13] = [
        BusCommand::SendClock,
        BusCommand::SendBoard,
        BusCommand::SendChanges,
        BusCommand::RepeatChanges,
        BusCommand::SetStartGame,
        BusCommand::SendFromStart,
        BusCommand::Ping,
        BusCommand::EndBusMode,
        BusCommand::Reset,
        BusCommand::IgnoreNextPing,
        BusCommand::SendVersion,
        BusCommand::SendBoard50Black,
        BusCommand::SendAll,
    ];

    /// Returns the code on the wire, 0x81..=0x8d.
    pub fn code(self) -> u8 {
        match self {
            BusCommand::SendClock => 0x81,
            BusCommand::SendBoard => 0x82,
            BusCommand::SendChanges => 0x83,
            BusCommand::RepeatChanges => 0x84,
            BusCommand::SetStartGame => 0x85,
            BusCommand::SendFromStart => 0x86,
            BusCommand::Ping => 0x87,
            BusCommand::EndBusMode => 0x88,
            BusCommand::Reset => 0x89,
            BusCommand::IgnoreNextPing => 0x8a,
            BusCommand::SendVersion => 0x8b,
            BusCommand::SendBoard50Black => 0x8c,
            BusCommand::SendAll => 0x8d,
        }
    }

    /// Returns the bytes of the command for one board, or for all at [`BusAddress::ALL`].
    pub fn encode(self, to: BusAddress) -> [u8; COMMAND_LEN] {
        let [high, low] = to.to_wire();
        let code = self.code();
        [code, high, low, checksum(&[code, high, low])]
    }

    /// Returns the id of the expected answer; `None` for none or several answers.
    pub fn answer(self) -> Option<MessageId> {
        match self {
            BusCommand::SendClock => Some(id::CLOCK),
            BusCommand::SendBoard => Some(id::BOARD),
            BusCommand::SendChanges | BusCommand::RepeatChanges => Some(id::CHANGES),
            BusCommand::SetStartGame => Some(id::START_WRITTEN),
            BusCommand::SendFromStart => Some(id::FROM_START),
            BusCommand::Ping | BusCommand::IgnoreNextPing => Some(id::PING),
            BusCommand::SendVersion => Some(id::VERSION),
            BusCommand::SendBoard50Black => Some(id::BOARD_50_BLACK),
            BusCommand::EndBusMode | BusCommand::Reset | BusCommand::SendAll => None,
        }
    }

    /// Decodes the bytes of a host, for simulated boards and tests. `None` if the code or the checksum is wrong.
    pub fn decode([code, high, low, sum]: [u8; COMMAND_LEN]) -> Option<(BusCommand, BusAddress)> {
        let command = BusCommand::ALL.into_iter().find(|command| command.code() == code)?;
        let is_right = high < 0x80 && low < 0x80 && sum == checksum(&[code, high, low]);
        is_right.then(|| (command, BusAddress::from_wire([high, low])))
    }
}

/// Message from a board on a bus.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BusMessage {
    /// Address of the sender.
    pub from: BusAddress,
    /// Content of the message.
    pub answer: BusAnswer,
}

/// Answer to a [`BusCommand`]. Every byte of a decoded answer is 0x00..=0x7f.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BusAnswer {
    /// 0x83. All fields, field 0 first; any number of them.
    Board(Vec<PieceCode>),
    /// 0x84. Clock report.
    Clock(ClockReport),
    /// 0x85. Undecoded events, for [`changes::decode`](super::changes::decode).
    Changes(Vec<u8>),
    /// 0x86. Undecoded events since the start tag.
    FromStart(Vec<u8>),
    /// 0x87. Sign of presence.
    Ping,
    /// 0x88. Confirmation that the start tag is written.
    StartWritten,
    /// 0x89. Firmware version.
    Version(Version),
    /// 0x8a. Dark fields of a 10x10 board: 50 codes.
    Board50Black(Vec<PieceCode>),
    /// Answer with a correct checksum and unknown content.
    Unknown {
        /// Id of the answer.
        id: MessageId,
        /// Bytes between the address and the checksum.
        data: Vec<u8>,
        /// Reason why the content is unknown.
        reason: UnknownReason,
    },
}

/// Ids of answers, without the start bit.
mod id {
    use super::MessageId;

    pub const BOARD: MessageId = MessageId(0x03);
    pub const CLOCK: MessageId = MessageId(0x04);
    pub const CHANGES: MessageId = MessageId(0x05);
    pub const FROM_START: MessageId = MessageId(0x06);
    pub const PING: MessageId = MessageId(0x07);
    pub const START_WRITTEN: MessageId = MessageId(0x08);
    pub const VERSION: MessageId = MessageId(0x09);
    pub const BOARD_50_BLACK: MessageId = MessageId(0x0a);
}

impl BusMessage {
    /// Returns the bytes of the message, for tests and tools.
    pub fn encode(&self) -> Vec<u8> {
        let data: Vec<u8> = match &self.answer {
            BusAnswer::Board(codes) | BusAnswer::Board50Black(codes) => codes.iter().map(|code| code.0).collect(),
            BusAnswer::Clock(report) => report.encode().to_vec(),
            BusAnswer::Changes(data) | BusAnswer::FromStart(data) | BusAnswer::Unknown { data, .. } => data.clone(),
            BusAnswer::Ping | BusAnswer::StartWritten => Vec::new(),
            BusAnswer::Version(Version { main, sub }) => vec![*main, *sub],
        };
        // The data of the frame include the address and the checksum.
        let with_room_for_the_sum = self.from.to_wire().into_iter().chain(data).chain([0]);
        let mut bytes = Frame::new(self.answer.id(), with_room_for_the_sum).encode();
        if let Some((last, before)) = bytes.split_last_mut() {
            *last = checksum(before);
        }
        bytes
    }
}

impl BusAnswer {
    /// Returns the id of the answer.
    pub fn id(&self) -> MessageId {
        match self {
            BusAnswer::Board(_) => id::BOARD,
            BusAnswer::Clock(_) => id::CLOCK,
            BusAnswer::Changes(_) => id::CHANGES,
            BusAnswer::FromStart(_) => id::FROM_START,
            BusAnswer::Ping => id::PING,
            BusAnswer::StartWritten => id::START_WRITTEN,
            BusAnswer::Version(_) => id::VERSION,
            BusAnswer::Board50Black(_) => id::BOARD_50_BLACK,
            BusAnswer::Unknown { id, .. } => *id,
        }
    }

    fn decode(id: MessageId, data: &[u8]) -> BusAnswer {
        let pieces = || data.iter().copied().map(PieceCode).collect();
        let size = |expected| UnknownReason::Size { expected };
        let known = match id {
            id::BOARD => Ok(BusAnswer::Board(pieces())),
            id::CLOCK => <[u8; CLOCK_DATA]>::try_from(data)
                .map(|data| BusAnswer::Clock(ClockReport::decode(data)))
                .map_err(|_| size(CLOCK_DATA)),
            id::CHANGES => Ok(BusAnswer::Changes(data.to_vec())),
            id::FROM_START => Ok(BusAnswer::FromStart(data.to_vec())),
            id::PING if data.is_empty() => Ok(BusAnswer::Ping),
            id::START_WRITTEN if data.is_empty() => Ok(BusAnswer::StartWritten),
            id::PING | id::START_WRITTEN => Err(size(0)),
            id::VERSION => match *data {
                [main, sub] => Ok(BusAnswer::Version(Version { main, sub })),
                _ => Err(size(2)),
            },
            id::BOARD_50_BLACK if data.len() == 50 => Ok(BusAnswer::Board50Black(pieces())),
            id::BOARD_50_BLACK => Err(size(50)),
            _ => Err(UnknownReason::Id),
        };
        known.unwrap_or_else(|reason| BusAnswer::Unknown { id, data: data.to_vec(), reason })
    }
}

/// Item decoded from the bytes of a bus.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BusItem {
    /// Message from a board.
    Message(BusMessage),
    /// Damaged answer, or collision of two answers.
    BadChecksum {
        /// Id in the header.
        id: MessageId,
        /// Length of the answer in bytes.
        bytes: usize,
    },
    /// Bytes outside any message.
    Noise(Noise),
}

/// Decoder from bytes to answers.
#[derive(Clone, Debug, Default)]
pub struct BusDecoder {
    framer: Framer,
}

impl BusDecoder {
    /// Creates a decoder that expects the start of a message.
    pub fn new() -> BusDecoder {
        BusDecoder::default()
    }

    /// Decodes one byte into at most one item, so callers can handle each answer before the next byte.
    pub fn push(&mut self, byte: u8) -> Option<BusItem> {
        self.framer.push(byte).map(|framed| match framed {
            Framed::Frame(frame) => decode(&frame),
            Framed::Noise(noise) => BusItem::Noise(noise),
        })
    }

    /// Decodes the bytes of one read; returns the items in order of completion.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<BusItem> {
        bytes.iter().filter_map(|&byte| self.push(byte)).collect()
    }

    /// Drops the partial answer after the link was lost. Returns the dropped bytes.
    pub fn reset(&mut self) -> Option<Noise> {
        self.framer.reset()
    }

    /// Returns the number of missing bytes of the partial answer, as far as known; `None` without a partial answer.
    pub fn missing_bytes(&self) -> Option<usize> {
        self.framer.missing_bytes()
    }
}

fn decode(frame: &Frame) -> BusItem {
    let bad = BusItem::BadChecksum { id: frame.id(), bytes: HEADER_LEN + frame.data().len() };
    let [high, low, data @ .., sum] = frame.data() else { return bad };
    if *sum != checksum(frame.encode().split_last().map_or(&[], |(_, before)| before)) {
        return bad;
    }
    let from = BusAddress::from_wire([*high, *low]);
    BusItem::Message(BusMessage { from, answer: BusAnswer::decode(frame.id(), data) })
}

#[cfg(test)]
mod tests {
    use super::super::clock::{ClockSide, ClockStatus, ClockTimes};
    use super::super::framer::NoiseKind;
    use super::*;
    use proptest::prelude::*;

    fn address(number: u16) -> BusAddress {
        BusAddress::new(number).unwrap()
    }

    #[test]
    fn encodes_every_command() {
        use BusCommand::*;
        // Example of the protocol page: 81 10 06 17. 10 06 is 16 * 128 + 6 = 2054.
        for (command, to, bytes) in [
            (SendClock, 2054, [0x81, 0x10, 0x06, 0x17]),
            (SendBoard, 2054, [0x82, 0x10, 0x06, 0x18]),
            (SendChanges, 1025, [0x83, 0x08, 0x01, 0x0c]),
            (RepeatChanges, 1025, [0x84, 0x08, 0x01, 0x0d]),
            (SetStartGame, 1025, [0x85, 0x08, 0x01, 0x0e]),
            (SendFromStart, 1025, [0x86, 0x08, 0x01, 0x0f]),
            (Ping, 1025, [0x87, 0x08, 0x01, 0x10]),
            (Ping, 0, [0x87, 0x00, 0x00, 0x07]),
            (EndBusMode, 0, [0x88, 0x00, 0x00, 0x08]),
            (Reset, 0, [0x89, 0x00, 0x00, 0x09]),
            (IgnoreNextPing, 1025, [0x8a, 0x08, 0x01, 0x13]),
            (SendVersion, 1025, [0x8b, 0x08, 0x01, 0x14]),
            (SendBoard50Black, 1025, [0x8c, 0x08, 0x01, 0x15]),
            (SendAll, 16383, [0x8d, 0x7f, 0x7f, 0x0b]),
        ] {
            assert_eq!(command.encode(address(to)), bytes, "{command:?}");
            assert_eq!(BusCommand::decode(bytes), Some((command, address(to))));
        }
    }

    #[test]
    fn rejects_invalid_commands() {
        for bytes in
            [[0x80, 0, 0, 0], [0x8e, 0, 0, 0x0e], [0x42, 0, 0, 0x42], [0x87, 0, 0, 8], [0x87, 0x80, 0, 7], [0; 4]]
        {
            assert_eq!(BusCommand::decode(bytes), None, "{bytes:02x?}");
        }
    }

    /// Checks that the bytes, copied from the protocol page, decode to this answer of board 1025, and back.
    #[track_caller]
    fn check(bytes: &[u8], answer: BusAnswer) {
        let message = BusMessage { from: address(1025), answer };
        assert_eq!(BusDecoder::new().feed(bytes), [BusItem::Message(message.clone())], "{bytes:02x?}");
        assert_eq!(message.encode(), bytes, "{message:?}");
    }

    #[test]
    fn decodes_answers_of_six_and_eight_bytes() {
        check(&[0x87, 0x00, 0x06, 0x08, 0x01, 0x16], BusAnswer::Ping);
        check(&[0x88, 0x00, 0x06, 0x08, 0x01, 0x17], BusAnswer::StartWritten);
        check(&[0x89, 0x00, 0x08, 0x08, 0x01, 0x01, 0x02, 0x1d], BusAnswer::Version(Version { main: 1, sub: 2 }));
    }

    #[test]
    fn decodes_changes_and_memory() {
        check(&[0x85, 0x00, 0x06, 0x08, 0x01, 0x14], BusAnswer::Changes(vec![]));
        // A man from field 67 to 56, and the press: 1:29:55 on the left.
        let events = [0x41, 0x38, 0x50, 0x43, 0x71, 0x29, 0x55];
        let bytes = [&[0x85, 0x00, 0x0d, 0x08, 0x01][..], &events, &[0x16]].concat();
        check(&bytes, BusAnswer::Changes(events.to_vec()));
        // The memory: the start tag, a white man on 68, then the move.
        let events = [0x7b, 0x41, 0x44, 0x41, 0x39, 0x50, 0x44, 0x6b];
        let bytes = [&[0x86, 0x00, 0x0e, 0x08, 0x01][..], &events, &[0x16]].concat();
        check(&bytes, BusAnswer::FromStart(events.to_vec()));
    }

    #[test]
    fn decodes_clock() {
        // 1:29:53 on the right, 1:30:00 on the left; running, the left side high.
        let bytes = [0x84, 0x00, 0x0d, 0x08, 0x01, 0x01, 0x29, 0x53, 0x01, 0x30, 0x00, 0x09, 0x51];
        let side = |hours, minutes, seconds| ClockSide { hours, minutes, seconds, ..ClockSide::default() };
        let times = ClockTimes { left: side(1, 30, 0), right: side(1, 29, 53), status: ClockStatus(0x09) };
        check(&bytes, BusAnswer::Clock(ClockReport::Times(times)));
        let none = [0x84, 0x00, 0x0d, 0x08, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3a];
        check(&none, BusAnswer::Clock(ClockReport::NoClock));
    }

    #[test]
    fn decodes_boards_of_every_size() {
        let codes = |codes: &[u8]| codes.iter().copied().map(PieceCode).collect::<Vec<_>>();
        let mut fields = [0_u8; 100];
        (fields[1], fields[98], fields[45], fields[54]) = (4, 1, 7, 10);
        // 106 bytes: 83 + 00 + 6a + 08 + 01 + 4 + 1 + 7 + 10 = 0x10c, of which 0x0c stays.
        let bytes = [&[0x83, 0x00, 0x6a, 0x08, 0x01][..], &fields, &[0x0c]].concat();
        check(&bytes, BusAnswer::Board(codes(&fields)));
        let small = [1_u8; 64];
        check(&[&[0x83, 0x00, 0x46, 0x08, 0x01][..], &small, &[0x12]].concat(), BusAnswer::Board(codes(&small)));
        let dark = [4_u8; 50];
        check(&[&[0x8a, 0x00, 0x38, 0x08, 0x01][..], &dark, &[0x13]].concat(), BusAnswer::Board50Black(codes(&dark)));
    }

    #[test]
    fn keeps_unknown_bytes() {
        let unknown = |id, data: &[u8], reason| BusAnswer::Unknown { id: MessageId(id), data: data.to_vec(), reason };
        let size = |expected| UnknownReason::Size { expected };
        check(&[0x8e, 0x00, 0x08, 0x08, 0x01, 0x1f, 0x01, 0x3f], unknown(0x0e, &[0x1f, 0x01], UnknownReason::Id));
        check(&[0x87, 0x00, 0x07, 0x08, 0x01, 0x05, 0x1c], unknown(0x07, &[0x05], size(0)));
        check(&[0x89, 0x00, 0x07, 0x08, 0x01, 0x05, 0x1e], unknown(0x09, &[0x05], size(2)));
        check(&[0x84, 0x00, 0x07, 0x08, 0x01, 0x05, 0x19], unknown(0x04, &[0x05], size(7)));
        check(&[0x8a, 0x00, 0x07, 0x08, 0x01, 0x05, 0x1f], unknown(0x0a, &[0x05], size(50)));
    }

    #[test]
    fn reports_damage_and_finds_next_answer() {
        let bad = |id, bytes| BusItem::BadChecksum { id: MessageId(id), bytes };
        let ping = || BusItem::Message(BusMessage { from: address(1025), answer: BusAnswer::Ping });
        let good = [0x87, 0x00, 0x06, 0x08, 0x01, 0x16];
        for (damaged, items) in [
            (&[0x85, 0x00, 0x08, 0x08, 0x01, 0x41, 0x38, 0x10][..], vec![bad(0x05, 8)]),
            // Too short for an address and a checksum.
            (&[0x85, 0x00, 0x05, 0x08, 0x01], vec![bad(0x05, 5)]),
            (&[0x85, 0x00, 0x03], vec![bad(0x05, 3)]),
            // A lost byte, and a doubled one.
            (
                &[0x85, 0x00, 0x08, 0x08, 0x41, 0x38, 0x0f],
                vec![BusItem::Noise(Noise { bytes: 7, kind: NoiseKind::Interrupted })],
            ),
            (
                &[0x85, 0x00, 0x08, 0x08, 0x01, 0x01, 0x41, 0x38, 0x0f],
                vec![bad(0x05, 8), BusItem::Noise(Noise { bytes: 1, kind: NoiseKind::Stray })],
            ),
        ] {
            let bytes = [damaged, &good].concat();
            let expected = items.into_iter().chain([ping()]).collect::<Vec<_>>();
            assert_eq!(BusDecoder::new().feed(&bytes), expected, "{damaged:02x?}");
        }
    }

    #[test]
    fn flipped_bit_or_lost_byte_leaves_no_answer() {
        let good = [0x85, 0x00, 0x0d, 0x08, 0x01, 0x41, 0x38, 0x50, 0x43, 0x71, 0x29, 0x55, 0x16];
        let messages = |bytes: &[u8]| {
            let items = BusDecoder::new().feed(bytes);
            items.into_iter().filter(|item| matches!(item, BusItem::Message(_))).count()
        };
        assert_eq!(messages(&good), 1);
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut flipped = good;
                flipped[at] ^= 1 << bit;
                // Another id has another sum, so this also holds for the first byte.
                assert_eq!(messages(&flipped), 0, "bit {bit} of byte {at}");
            }
            let lost = [&good[..at], &good[at + 1..]].concat();
            assert_eq!(messages(&lost), 0, "byte {at} lost");
        }
    }

    #[test]
    fn knows_missing_bytes_of_answer() {
        let mut decoder = BusDecoder::new();
        assert_eq!(decoder.missing_bytes(), None);
        for (byte, missing) in
            [(0x87, Some(2)), (0x00, Some(1)), (0x06, Some(3)), (0x08, Some(2)), (0x01, Some(1)), (0x16, None)]
        {
            decoder.push(byte);
            assert_eq!(decoder.missing_bytes(), missing);
        }
    }

    fn any_answer() -> impl Strategy<Value = BusAnswer> {
        let codes = |count| prop::collection::vec((0_u8..0x80).prop_map(PieceCode), count);
        let data = || prop::collection::vec(0_u8..0x80, 0..300);
        prop_oneof![
            codes(0..=144).prop_map(BusAnswer::Board),
            codes(50..=50).prop_map(BusAnswer::Board50Black),
            prop::array::uniform7(0_u8..0x80).prop_map(|data| BusAnswer::Clock(ClockReport::decode(data))),
            data().prop_map(BusAnswer::Changes),
            data().prop_map(BusAnswer::FromStart),
            Just(BusAnswer::Ping),
            Just(BusAnswer::StartWritten),
            (0_u8..0x80, 0_u8..0x80).prop_map(|(main, sub)| BusAnswer::Version(Version { main, sub })),
        ]
    }

    fn any_message() -> impl Strategy<Value = BusMessage> {
        (0..=BusAddress::MAX, any_answer()).prop_map(|(from, answer)| BusMessage { from: address(from), answer })
    }

    /// Generates a mixture of complete answers, damaged answers and noise.
    fn wire() -> impl Strategy<Value = Vec<u8>> {
        let whole = any_message().prop_map(|message| message.encode());
        let damaged = (any_message(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(message, at, byte)| {
            let mut bytes = message.encode();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        });
        let part = prop_oneof![whole, damaged, prop::collection::vec(any::<u8>(), 0..10)];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn answer_roundtrip(message in any_message()) {
            // An acknowledgement of a clock preserves only its four bytes.
            let bytes = message.encode();
            let items = BusDecoder::new().feed(&bytes);
            let [BusItem::Message(read)] = items.as_slice() else { return Err(TestCaseError::fail(format!("{items:?}"))) };
            prop_assert_eq!(read.encode(), bytes);
            prop_assert_eq!(read, &message);
        }

        #[test]
        fn command_roundtrip(index in 0..BusCommand::ALL.len(), to in 0..=BusAddress::MAX) {
            let command = BusCommand::ALL[index];
            prop_assert_eq!(BusCommand::decode(command.encode(address(to))), Some((command, address(to))));
        }

        #[test]
        fn chunking_never_changes_result(bytes in wire(), sizes in prop::collection::vec(1_usize..7, 1..10)) {
            let expected = BusDecoder::new().feed(&bytes);
            let mut decoder = BusDecoder::new();
            let mut found = Vec::new();
            let mut rest = bytes.as_slice();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                found.extend(decoder.feed(chunk));
                rest = after;
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn finds_answer_after_any_bytes(garbage in prop::collection::vec(any::<u8>(), 0..300), message in any_message()) {
            let mut decoder = BusDecoder::new();
            decoder.feed(&garbage);
            prop_assert_eq!(decoder.feed(&message.encode()).pop(), Some(BusItem::Message(message)));
        }
    }
}
