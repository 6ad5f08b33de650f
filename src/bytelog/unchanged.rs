//! What brings nothing, in few bytes: boards of a bus that were asked what has changed and answered "nothing", whose clock shows and
//! whose fields bear what they did when they were asked before, and pings that nobody answered.
//!
//! ```text
//!   3 > 8308010c                             12 ~ 40g40G40-02
//!   12 < 850006080114                             │  │  └ 1027 was pinged 2 ms later, and did not answer
//!   14 > 8308020d                                 │  └ the next board, 1026: its answer came 10 ms later
//!   22 < 850006080215                             └ board 1025 answered at the record's own time
//!   24 > 87080312
//! ```
//!
//! A bus asks some seventy times a second, day and night, and nearly always nothing has happened: written out that is 4 kB a
//! second. Nothing of it is left out here: each byte of each answer and its millisecond can be told from the record, so a replay
//! hears what the recorder heard. Only the questions are not repeated; a replay asks its own.
//!
//! Each board begins with three digits to the base of 64, `0-9a-zA-Z-_`: 16 times its address, and a number that says what
//! follows. All waits count from what was told before, in milliseconds.
//!
//! | number | follows | meaning |
//! |---|---|---|
//! | 0 to 12 | | nothing has changed; its answer came in one piece, after so long |
//! | 13 | the wait, two digits | the same, after longer |
//! | 14 | the wait, two digits | it was pinged after that, and did not answer |
//! | 15 | a letter; how many pieces, a digit; of each its wait and its bytes, two digits each; data | its answer |
//!
//! | letter | answer | data |
//! |---|---|---|
//! | `n` | nothing has changed | |
//! | `c` | its clock | seven bytes, two digits each |
//! | `b`, `d` | its fields, its 50 dark fields | how many, two digits; then a digit for two fields, 8 times the first and the second |
//!
//! Logs of earlier versions have this as `-`, which is read as well: boards as four hexadecimal digits of their address on the wire,
//! then their wait, a digit to the base of 36 or `z` and two of them; or in brackets the bytes of each piece, a digit, and its wait.

use std::collections::BTreeMap;

use super::record::{Kind, Record};
use crate::protocol::bus::SMALLEST_ANSWER;
use crate::protocol::clock::CLOCK_DATA;
use crate::protocol::framer::{HEADER, MAX_MESSAGE};
use crate::protocol::{
    BusAddress, BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage, ClockReport, MessageId, PieceCode,
};

/// A record of this kind tells of no longer than this, in milliseconds.
const LONGEST: u64 = 1_000;
/// The digits, to the base of 64.
const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
/// The largest number of two digits.
const TWO_DIGITS: u64 = 64 * 64 - 1;
/// What follows the address of a board: up to [`SHORT`] its wait.
const SHORT: u64 = 12;
const LONG: u64 = 13;
const SILENT: u64 = 14;
const IN_FULL: u64 = 15;
/// The codes of fields that have room in half a digit.
const CODES: u8 = 8;
/// Of so many boards it is known what they said last; a noisy line must not make up new ones for ever.
const MOST_BOARDS: usize = 256;
/// In more pieces no answer is packed.
const MOST_PIECES: usize = 63;

/// A board that had nothing to tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unchanged {
    /// The board.
    pub board: BusAddress,
    /// What it says, that was known before.
    pub answer: BusAnswer,
    /// What reads brought of its answer. No byte at all: it was pinged and did not answer.
    pub pieces: Vec<Piece>,
}

/// What one read brought of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// How many milliseconds after the piece before it, or after the time of the record.
    pub wait: u64,
    /// How many bytes.
    pub bytes: usize,
}

/// Nothing has changed.
const NOTHING: BusAnswer = BusAnswer::Changes(Vec::new());

impl Unchanged {
    fn nothing(board: BusAddress, wait: u64) -> Unchanged {
        Unchanged { board, answer: NOTHING, pieces: vec![Piece { wait, bytes: SMALLEST_ANSWER }] }
    }

    fn silent(board: BusAddress, wait: u64) -> Unchanged {
        Unchanged { board, answer: NOTHING, pieces: vec![Piece { wait, bytes: 0 }] }
    }

    fn bytes(&self) -> Vec<u8> {
        BusMessage { from: self.board, answer: self.answer.clone() }.encode()
    }
}

/// The letter that stands for an answer; `None` if there is no room for it.
fn letter(answer: &BusAnswer) -> Option<u8> {
    let has_room = |codes: &[PieceCode]| codes.len() as u64 <= TWO_DIGITS && codes.iter().all(|code| code.0 < CODES);
    match answer {
        BusAnswer::Changes(data) if data.is_empty() => Some(b'n'),
        BusAnswer::Clock(_) => Some(b'c'),
        BusAnswer::Board(codes) if has_room(codes) => Some(b'b'),
        BusAnswer::Board50Black(codes) if has_room(codes) => Some(b'd'),
        _ => None,
    }
}

/// Adds boards to the text of a record.
pub(super) fn append(text: &mut String, boards: &[Unchanged]) {
    for unchanged in boards {
        let Unchanged { board, answer, pieces } = unchanged;
        let [high, low] = board.to_wire();
        let address = u64::from(high) << 7 | u64::from(low);
        let mut begin = |number| push(text, address << 4 | number, 3);
        match pieces.as_slice() {
            [Piece { wait, bytes: 0 }] => {
                begin(SILENT);
                push(text, *wait, 2);
            }
            [Piece { wait: wait @ ..=SHORT, bytes: SMALLEST_ANSWER }] if *answer == NOTHING => begin(*wait),
            [Piece { wait, bytes: SMALLEST_ANSWER }] if *answer == NOTHING => {
                begin(LONG);
                push(text, *wait, 2);
            }
            pieces => {
                begin(IN_FULL);
                text.push(letter(answer).unwrap_or(b'n').into());
                push(text, pieces.len() as u64, 1);
                for Piece { wait, bytes } in pieces {
                    push(text, *wait, 2);
                    push(text, *bytes as u64, 2);
                }
                append_data(text, answer);
            }
        }
    }
}

fn append_data(text: &mut String, answer: &BusAnswer) {
    match answer {
        BusAnswer::Clock(report) => report.encode().iter().for_each(|byte| push(text, (*byte).into(), 2)),
        BusAnswer::Board(codes) | BusAnswer::Board50Black(codes) => {
            push(text, codes.len() as u64, 2);
            for pair in codes.chunks(2) {
                let second = pair.get(1).map_or(0, |code| code.0);
                push(text, u64::from(pair[0].0 * CODES + second), 1);
            }
        }
        _ => {}
    }
}

/// Adds a number of so many digits. None that is packed is larger.
fn push(text: &mut String, number: u64, digits: u32) {
    for place in (0..digits).rev() {
        text.push(char::from(DIGITS[(number >> (6 * place)) as usize % DIGITS.len()]));
    }
}

/// Reads the text of a record.
///
/// # Errors
///
/// The byte of the text at which it is none.
pub(super) fn decode(text: &str) -> Result<Vec<Unchanged>, usize> {
    all(text, decode_board)
}

/// Reads the text of a record of earlier versions.
///
/// # Errors
///
/// As [`decode`].
pub(super) fn decode_old(text: &str) -> Result<Vec<Unchanged>, usize> {
    all(text, decode_old_board)
}

fn all(text: &str, board: impl Fn(&str) -> Option<(Unchanged, &str)>) -> Result<Vec<Unchanged>, usize> {
    let mut rest = text;
    let mut boards = Vec::new();
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let (board, after) = board(rest).ok_or(at)?;
        boards.push(board);
        rest = after;
    }
    if boards.is_empty() { Err(0) } else { Ok(boards) }
}

/// Takes a number of so many digits.
fn take(text: &str, digits: usize) -> Option<(u64, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let value = |digit: u8| DIGITS.iter().position(|&one| one == digit).map(|value| value as u64);
    let number = number.bytes().try_fold(0, |number, digit| Some(number * 64 + value(digit)?))?;
    Some((number, rest))
}

fn decode_board(text: &str) -> Option<(Unchanged, &str)> {
    let (first, rest) = take(text, 3)?;
    let address = first >> 4;
    let board = BusAddress::from_wire([(address >> 7) as u8, (address & 0x7f) as u8]);
    let number = first & 0xf;
    if number <= SHORT {
        return Some((Unchanged::nothing(board, number), rest));
    }
    if number < IN_FULL {
        let (wait, rest) = take(rest, 2)?;
        let is_right = number == SILENT || wait > SHORT;
        let unchanged = if number == SILENT { Unchanged::silent } else { Unchanged::nothing };
        return is_right.then(|| (unchanged(board, wait), rest));
    }
    let (letter, rest) = rest.split_at_checked(1)?;
    let (count, mut rest) = take(rest, 1)?;
    let mut pieces = Vec::new();
    for _ in 0..count {
        let (wait, after) = take(rest, 2)?;
        let (bytes, after) = take(after, 2)?;
        pieces.push(Piece { wait, bytes: bytes as usize });
        rest = after;
    }
    let (answer, rest) = decode_data(letter, rest)?;
    let unchanged = Unchanged { board, answer, pieces };
    // Every answer is written in one way.
    let is_short = unchanged.answer == NOTHING && unchanged.pieces.len() == 1;
    let is_whole = unchanged.pieces.iter().map(|piece| piece.bytes).sum::<usize>() == unchanged.bytes().len();
    let is_right = is_whole && !is_short && unchanged.pieces.iter().all(|piece| piece.bytes > 0);
    is_right.then_some((unchanged, rest))
}

fn decode_data<'a>(letter: &str, text: &'a str) -> Option<(BusAnswer, &'a str)> {
    match letter {
        "n" => Some((NOTHING, text)),
        "c" => {
            let (mut data, mut rest) = ([0; CLOCK_DATA], text);
            for byte in &mut data {
                let (value, after) = take(rest, 2)?;
                *byte = u8::try_from(value).ok().filter(|byte| *byte < 0x80)?;
                rest = after;
            }
            let report = ClockReport::decode(data);
            (report.encode() == data).then_some((BusAnswer::Clock(report), rest))
        }
        "b" | "d" => {
            let (count, mut rest) = take(text, 2)?;
            let mut codes = Vec::new();
            while (codes.len() as u64) < count {
                let (pair, after) = take(rest, 1)?;
                let [first, second] = [pair as u8 / CODES, pair as u8 % CODES];
                codes.push(PieceCode(first));
                match (codes.len() as u64) < count {
                    true => codes.push(PieceCode(second)),
                    false if second != 0 => return None,
                    false => {}
                }
                rest = after;
            }
            let answer = if letter == "b" { BusAnswer::Board(codes) } else { BusAnswer::Board50Black(codes) };
            Some((answer, rest))
        }
        _ => None,
    }
}

fn decode_old_board(text: &str) -> Option<(Unchanged, &str)> {
    let (address, rest) = text.split_at_checked(4)?;
    let board = match *super::hex::decode(address).ok()? {
        [high @ 0..0x80, low @ 0..0x80] => BusAddress::from_wire([high, low]),
        _ => return None,
    };
    let Some(mut rest) = rest.strip_prefix('(') else {
        let (wait, rest) = decode_wait(rest)?;
        return Some((Unchanged::nothing(board, wait), rest));
    };
    let mut pieces = Vec::new();
    loop {
        if let Some(rest) = rest.strip_prefix(')') {
            let bytes: usize = pieces.iter().map(|piece: &Piece| piece.bytes).sum();
            let is_silent = pieces.len() == 1 && bytes == 0;
            let is_answer = bytes == SMALLEST_ANSWER && pieces.iter().all(|piece| piece.bytes > 0);
            return (is_silent || is_answer).then_some((Unchanged { board, answer: NOTHING, pieces }, rest));
        }
        let (bytes, after) = decode_digit(rest)?;
        let (wait, after) = decode_wait(after)?;
        pieces.push(Piece { wait, bytes: bytes as usize });
        rest = after;
    }
}

fn decode_wait(text: &str) -> Option<(u64, &str)> {
    let (first, rest) = decode_digit(text)?;
    if first < 35 {
        return Some((first, rest));
    }
    let (high, rest) = decode_digit(rest)?;
    let (low, rest) = decode_digit(rest)?;
    Some((high * 36 + low, rest))
}

/// Digits are small, so that every wait is written in one way.
fn decode_digit(text: &str) -> Option<(u64, &str)> {
    let character = text.chars().next().filter(|character| !character.is_ascii_uppercase())?;
    Some((character.to_digit(36)?.into(), &text[character.len_utf8()..]))
}

/// When the last of it happened, for a record of this time.
pub(super) fn end(at: u64, boards: &[Unchanged]) -> u64 {
    boards.iter().flat_map(|board| &board.pieces).fold(at, |at, piece| at.saturating_add(piece.wait))
}

/// The records that these boards would have had without being packed, but for the questions that were answered.
pub(super) fn unpacked(mut at: u64, boards: Vec<Unchanged>) -> impl Iterator<Item = Record> {
    boards.into_iter().flat_map(move |unchanged| {
        let answer = unchanged.bytes();
        let (mut now, mut from) = (at, 0);
        at = end(at, std::slice::from_ref(&unchanged));
        let board = unchanged.board;
        unchanged.pieces.into_iter().map(move |Piece { wait, bytes }| {
            now = now.saturating_add(wait);
            let part = answer.get(from..from + bytes).unwrap_or_default();
            from += bytes;
            Record::new(
                now,
                match bytes {
                    0 => Kind::ToBoard(BusCommand::Ping.encode(board).to_vec()),
                    _ => Kind::FromBoard(part.to_vec()),
                },
            )
        })
    })
}

/// Packs the records of a bus as they come.
///
/// What is held back is written before any other record, and after a second at the latest; before anything is published it has
/// to be asked for ([`Packing::flush`]), because it may be the reason.
#[derive(Debug, Default)]
pub struct Packing {
    /// Boards that had nothing to tell: when the record of them begins, when it ends, and which.
    unchanged: Option<(u64, u64, Vec<Unchanged>)>,
    /// A question that was sent and is not answered yet.
    question: Option<(u64, BusCommand, BusAddress)>,
    /// Reads that are the beginning of an answer which may bring nothing.
    begun: Vec<(u64, Vec<u8>)>,
    /// What boards said when they were asked for their fields and their clocks.
    said: BTreeMap<BusAddress, Said>,
}

/// What a board said.
#[derive(Debug, Default)]
struct Said {
    clock: Option<BusAnswer>,
    fields: Option<BusAnswer>,
}

impl Packing {
    /// Takes the next record; returns what is to be written now, in order.
    pub fn push(&mut self, record: Record) -> Vec<Record> {
        let mut ready = Vec::new();
        if self.due().is_some_and(|due| due <= record.at) {
            ready.extend(self.take_unchanged());
        }
        if self.due().is_some_and(|due| due <= record.at) {
            ready.extend(self.flush());
        }
        match record.kind {
            Kind::ToBoard(ref bytes) if self.begun.is_empty() => {
                let question = <[u8; 4]>::try_from(bytes.as_slice()).ok().and_then(BusCommand::decode);
                match self.question.take() {
                    Some((at, BusCommand::Ping, board)) if board != BusAddress::ALL => {
                        self.add(board, NOTHING, &[(at, 0)]);
                    }
                    Some(unanswered) => ready.extend(self.take_unchanged().into_iter().chain([asked(unanswered)])),
                    None => {}
                }
                match question {
                    Some((command, board)) => self.question = Some((record.at, command, board)),
                    None => ready.extend(self.take_unchanged().into_iter().chain([record])),
                }
            }
            Kind::FromBoard(bytes) => {
                self.begun.push((record.at, bytes));
                let heard: Vec<u8> = self.begun.iter().flat_map(|(_, bytes)| bytes).copied().collect();
                match self.what_is_said(&heard) {
                    Some(Some(BusMessage { from, answer })) => {
                        self.question = None;
                        let pieces = self.begun.drain(..).map(|(at, bytes)| (at, bytes.len()));
                        let pieces: Vec<_> = pieces.filter(|(_, bytes)| *bytes > 0).collect();
                        self.add(from, answer, &pieces);
                    }
                    Some(None) => {}
                    None => ready.extend(self.flush()),
                }
            }
            _ => ready.extend(self.flush().into_iter().chain([record])),
        }
        ready
    }

    /// All that is held back, in order.
    pub fn flush(&mut self) -> Vec<Record> {
        let unchanged = self.take_unchanged();
        let question = self.question.take().map(asked);
        let begun = std::mem::take(&mut self.begun).into_iter();
        let begun = begun.map(|(at, bytes)| Record::new(at, Kind::FromBoard(bytes)));
        unchanged.into_iter().chain(question).chain(begun).collect()
    }

    /// When the oldest of what is held back happened.
    pub fn since(&self) -> Option<u64> {
        let unchanged = self.unchanged.as_ref().map(|(from, ..)| *from);
        let question = self.question.map(|(at, ..)| at);
        unchanged.or(question).or(self.begun.first().map(|(at, _)| *at))
    }

    /// When that has been held back for long enough.
    pub fn due(&self) -> Option<u64> {
        Some(self.since()?.saturating_add(LONGEST))
    }

    /// What is said with these bytes, if it brings nothing. `Some(None)`: they may be the beginning of that; `None`: they are
    /// something else.
    fn what_is_said(&mut self, heard: &[u8]) -> Option<Option<BusMessage>> {
        let is_asked = |id: MessageId, board: BusAddress| {
            self.question.is_none_or(|(_, command, asked)| {
                asked == board && command.answer() == Some(id) && command != BusCommand::RepeatChanges
            })
        };
        let mut decoder = BusDecoder::new();
        let items = decoder.feed(heard);
        let [BusItem::Message(message)] = items.as_slice() else {
            return (items.is_empty() && may_bring_nothing(heard)).then_some(None);
        };
        let is_all = message.encode() == heard;
        if !is_all || letter(&message.answer).is_none() {
            return None;
        }
        let is_asked = is_asked(message.answer.id(), message.from) && self.begun.len() <= MOST_PIECES;
        let brings_nothing = message.answer == NOTHING || !self.is_new(message);
        (is_asked && brings_nothing).then(|| Some(message.clone()))
    }

    /// Is it other than what this board said before?
    fn is_new(&mut self, message: &BusMessage) -> bool {
        if self.said.len() >= MOST_BOARDS && !self.said.contains_key(&message.from) {
            return true;
        }
        let said = self.said.entry(message.from).or_default();
        let said = if matches!(message.answer, BusAnswer::Clock(_)) { &mut said.clock } else { &mut said.fields };
        said.replace(message.answer.clone()).as_ref() != Some(&message.answer)
    }

    fn add(&mut self, board: BusAddress, answer: BusAnswer, pieces: &[(u64, usize)]) {
        let Some((first, _)) = pieces.first() else { return };
        let (_, end, boards) = self.unchanged.get_or_insert((*first, *first, Vec::new()));
        let piece = |&(at, bytes): &(u64, usize)| {
            let wait = at.saturating_sub(*end);
            *end = at;
            Piece { wait, bytes }
        };
        let pieces = pieces.iter().map(piece).collect();
        boards.push(Unchanged { board, answer, pieces });
    }

    fn take_unchanged(&mut self) -> Option<Record> {
        self.unchanged.take().map(|(from, _, boards)| Record::new(from, Kind::Unchanged(boards)))
    }
}

fn asked((at, command, board): (u64, BusCommand, BusAddress)) -> Record {
    Record::new(at, Kind::ToBoard(command.encode(board).to_vec()))
}

/// Is this the beginning of an answer that may bring nothing? Changes that are some are known by their length.
fn may_bring_nothing(heard: &[u8]) -> bool {
    let nothing = BusMessage { from: BusAddress::ALL, answer: NOTHING }.encode();
    match heard {
        [] | [0x83 | 0x84 | 0x8a] => true,
        [0x83 | 0x84 | 0x8a, ..] => heard.len() < MAX_MESSAGE,
        _ => nothing.starts_with(&heard[..heard.len().min(HEADER)]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bytelog::{Line, parse_line};

    fn answer(board: BusAddress) -> Vec<u8> {
        BusMessage { from: board, answer: NOTHING }.encode()
    }

    fn board(number: u16) -> BusAddress {
        BusAddress::new(number).unwrap()
    }

    fn sent(at: u64, command: BusCommand, to: u16) -> Record {
        Record::new(at, Kind::ToBoard(command.encode(board(to)).to_vec()))
    }

    fn heard(at: u64, bytes: &[u8]) -> Record {
        Record::new(at, Kind::FromBoard(bytes.to_vec()))
    }

    fn pack(records: Vec<Record>) -> Vec<Record> {
        let mut packing = Packing::default();
        let mut packed: Vec<Record> = records.into_iter().flat_map(|record| packing.push(record)).collect();
        packed.extend(packing.flush());
        packed
    }

    /// What a replay takes from records.
    fn replayed(records: &[Record]) -> Vec<Record> {
        let all = records.iter().cloned().flat_map(Record::unpacked);
        all.filter(|record| !matches!(record.kind, Kind::ToBoard(_))).collect()
    }

    #[test]
    fn boards_that_have_nothing_to_tell_are_one_record() {
        let records = vec![
            sent(3, BusCommand::SendChanges, 1025),
            heard(12, &answer(board(1025))),
            sent(14, BusCommand::SendChanges, 1026),
            heard(20, &answer(board(1026))[..4]),
            heard(22, &answer(board(1026))[4..]),
            sent(24, BusCommand::Ping, 1027),
            sent(90, BusCommand::SendChanges, 1025),
            heard(99, &answer(board(1025))),
            sent(101, BusCommand::SendClock, 1025),
            heard(110, &[0x84, 0x00]),
        ];
        let packed = pack(records.clone());
        let lines: Vec<String> = packed.iter().map(Record::to_line).collect();
        assert!(lines[0].starts_with("12 ~ 40g40Ln20804020240-0240t1b ;"), "{lines:?}");
        assert!(lines[1].starts_with("101 > ") && lines[2].starts_with("110 < 8400 ;"), "{lines:?}");
        assert_eq!(replayed(&packed), replayed(&records));
        assert_eq!(packed[0].end(), 99);
    }

    #[test]
    fn nothing_is_held_for_longer_than_a_second_or_past_another_record() {
        let mut packing = Packing::default();
        assert_eq!(packing.push(heard(100, &answer(board(7)))), []);
        assert_eq!((packing.since(), packing.due()), (Some(100), Some(1_100)));
        assert_eq!(packing.push(heard(1_099, &answer(board(7)))), []);
        let written = packing.push(heard(1_100, &answer(board(7))));
        assert_eq!(written.iter().map(|record| (record.at, record.end())).collect::<Vec<_>>(), [(100, 1_099)]);
        assert_eq!(packing.push(sent(1_110, BusCommand::SendChanges, 7)), []);
        let written = packing.push(Record::new(1_120, Kind::Tick));
        assert_eq!(written.iter().map(|record| record.at).collect::<Vec<_>>(), [1_100, 1_110, 1_120]);
        assert_eq!(packing.since(), None);
    }

    /// What says the same as before is small, and what is new is not held back.
    #[test]
    fn a_clock_and_fields_that_are_as_before_are_packed() {
        let says = |answer: &BusAnswer| BusMessage { from: board(1025), answer: answer.clone() }.encode();
        let codes = |code: u8| (0..50).map(|field| PieceCode(if field < 20 { code } else { 0 })).collect();
        let clock = BusAnswer::Clock(ClockReport::decode([0, 0x59, 0x30, 0, 0x59, 0x30, 0x20]));
        let (one, two) = (BusAnswer::Board(codes(1)), BusAnswer::Board(codes(4)));
        let kings = BusAnswer::Board(codes(9));
        let mut records = Vec::new();
        for (at, (command, answer)) in [
            (BusCommand::SendClock, &clock),
            (BusCommand::SendBoard, &one),
            (BusCommand::SendChanges, &NOTHING),
            (BusCommand::SendClock, &clock),
            (BusCommand::SendBoard, &one),
            (BusCommand::SendBoard, &two),
            (BusCommand::SendBoard, &two),
            (BusCommand::SendBoard, &kings),
            (BusCommand::SendBoard, &kings),
        ]
        .into_iter()
        .enumerate()
        {
            let (at, bytes) = (100 * at as u64, says(answer));
            let cut = bytes.len() / 2;
            records.extend([sent(at, command, 1025), heard(at + 50, &bytes[..cut]), heard(at + 60, &bytes[cut..])]);
        }
        let packed = pack(records.clone());
        let kinds: String = packed.iter().map(|record| record.kind.mark()).collect();
        assert_eq!(kinds, "><<><<~><<~><<><<", "{packed:?}");
        assert_eq!(replayed(&packed), replayed(&records));
        for record in &packed {
            assert_eq!(parse_line(&record.to_line()), Ok(Line::Record(record.clone())));
        }
    }

    #[test]
    fn what_is_no_such_record_is_refused() {
        for (text, at) in [
            ("", 0),
            ("40", 0),
            ("40g4", 3),
            ("40t0c", 0),
            ("40-0", 0),
            ("40vn10006", 0),
            ("40vn200040103", 0),
            ("40vn20004010", 0),
            ("40vn2000600000", 0),
            ("40vx20004", 0),
            ("40vb1000800", 0),
            ("40vb10007011", 0),
            ("40 ", 0),
            ("40é", 0),
        ] {
            assert_eq!(decode(text), Err(at), "{text}");
        }
    }

    #[test]
    fn records_of_earlier_versions_are_read() {
        let line = "12 - 080100802(4822)0803(02)0801z23";
        let Ok(Line::Record(record)) = parse_line(line) else { panic!("{line}") };
        assert!(record.to_line().starts_with("12 ~ 40g40Ln20804020240-0240t1b ;"));
        for (text, at) in [
            ("", 0),
            ("0801", 0),
            ("08010080", 5),
            ("8801a", 0),
            ("0801A", 0),
            ("0801(5a)", 0),
            ("0801(0a6b)", 0),
            ("0801(6a", 0),
            ("0801zz", 0),
            ("08 1a", 0),
            ("080é", 0),
        ] {
            assert_eq!(decode_old(text), Err(at), "{text}");
        }
    }

    /// What a bus says: answers that bring nothing, in pieces, damaged, unasked; pings in vain; anything else.
    fn any_bus() -> impl Strategy<Value = Vec<Record>> {
        let address = || 1_u16..5;
        let event = prop_oneof![
            8 => (address(), 1..15_u64).prop_map(|(to, wait)| vec![
                (0, Kind::ToBoard(BusCommand::SendChanges.encode(board(to)).to_vec())),
                (wait, Kind::FromBoard(answer(board(to)))),
            ]),
            2 => (address(), 0..6_usize, 0..60_u64).prop_map(|(to, cut, wait)| vec![
                (wait, Kind::FromBoard(answer(board(to))[..cut].to_vec())),
                (wait, Kind::FromBoard(answer(board(to))[cut..].to_vec())),
            ]),
            4 => (address(), 0..2_u8, 0..13_usize, any::<bool>()).prop_map(|(to, code, cut, is_clock)| {
                let (command, answer) = match is_clock {
                    true => (BusCommand::SendClock, BusAnswer::Clock(ClockReport::decode([0, 0x59, 0x30, 0, 0, code, 0x20]))),
                    false => (BusCommand::SendBoard, BusAnswer::Board(vec![PieceCode(code * 7); 11])),
                };
                let bytes = BusMessage { from: board(to), answer }.encode();
                vec![
                    (0, Kind::ToBoard(command.encode(board(to)).to_vec())),
                    (9, Kind::FromBoard(bytes[..cut].to_vec())),
                    (3, Kind::FromBoard(bytes[cut..].to_vec())),
                ]
            }),
            2 => (address(), 0..5_usize, any::<u8>()).prop_map(|(to, at, byte)| {
                let mut bytes = answer(board(to));
                bytes[at] = byte;
                vec![(3, Kind::FromBoard(bytes))]
            }),
            2 => (0..=5_u16, 0..BusCommand::ALL.len()).prop_map(|(to, command)| vec![
                (2, Kind::ToBoard(BusCommand::ALL[command].encode(BusAddress::new(to).unwrap_or(BusAddress::ALL)).to_vec())),
            ]),
            1 => prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| vec![(1, Kind::FromBoard(bytes))]),
            1 => prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| vec![(1, Kind::ToBoard(bytes))]),
            1 => (0..3_000_u64).prop_map(|wait| vec![(wait, Kind::Tick)]),
            1 => Just(vec![(5, Kind::LinkDown), (700, Kind::LinkUp)]),
            1 => Just(vec![(0, Kind::Note("a note".to_owned()))]),
        ];
        prop::collection::vec(event, 0..60).prop_map(|events| {
            let mut at = 0;
            let records = events.into_iter().flatten().map(|(wait, kind)| {
                at += wait;
                Record::new(at, kind)
            });
            records.collect()
        })
    }

    proptest! {
        /// A replay hears the same bytes at the same times, and nothing is held back for long.
        #[test]
        fn a_packed_log_replays_like_the_log(records in any_bus()) {
            let packed = pack(records.clone());
            let mut before = 0;
            for record in &packed {
                prop_assert!(record.at >= before, "{:?}", packed);
                prop_assert!(record.end() - record.at < LONGEST);
                before = record.end();
                prop_assert_eq!(parse_line(&record.to_line()), Ok(Line::Record(record.clone())));
            }
            // A read that brought nothing tells nothing.
            let is_empty = |record: &Record| matches!(&record.kind, Kind::FromBoard(bytes) if bytes.is_empty());
            let told = |records: &[Record]| {
                replayed(records).into_iter().filter(|record| !is_empty(record)).collect::<Vec<_>>()
            };
            prop_assert_eq!(told(&packed), told(&records));
        }

        #[test]
        fn no_text_is_too_strange(text in "[0-9a-z()A-Z é]{0,20}", new in "(40[vZ][nbcd][0-3]|0[0-9]){0,4}[0-9a-zA-Z_é-]{0,20}") {
            for boards in [decode(&text), decode_old(&text), decode(&new)].into_iter().flatten() {
                let mut again = String::new();
                append(&mut again, &boards);
                prop_assert_eq!(decode(&again), Ok(boards));
            }
        }
    }
}
