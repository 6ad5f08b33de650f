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

use super::record::{Record, RecordKind};
use crate::engine::protocol::bus::MIN_ANSWER_LEN;
use crate::engine::protocol::clock::CLOCK_DATA;
use crate::engine::protocol::{BusAddress, BusAnswer, BusCommand, BusMessage, ClockReport, PieceCode};

/// A record of this kind tells of no longer than this, in milliseconds.
pub(super) const MAX_RECORD_SPAN: u64 = 1_000;
/// The digits, to the base of 64.
const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
/// The largest number of two digits.
pub(super) const TWO_DIGITS: u64 = 64 * 64 - 1;
/// What follows the address of a board: up to [`SHORT`] its wait.
const SHORT: u64 = 12;
const LONG: u64 = 13;
const NO_REPLY: u64 = 14;
const FULL_FIELDS: u64 = 15;
/// The codes of fields that have room in half a digit.
const CODES: u8 = 8;
/// Of so many boards it is known what they said last; a noisy line must not make up new ones for ever.
pub(super) const MAX_BOARDS: usize = 256;
/// In more pieces no answer is packed.
pub(super) const MAX_ANSWER_READS: usize = 63;

/// A board that had nothing to tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IdleAnswer {
    /// The board.
    pub board: BusAddress,
    /// What it says, that was known before.
    pub answer: BusAnswer,
    /// What reads brought of its answer. No byte at all: it was pinged and did not answer.
    pub reads: Vec<AnswerPart>,
}

/// What one read brought of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnswerPart {
    /// How many milliseconds after the piece before it, or after the time of the record.
    pub wait: u64,
    /// How many bytes.
    pub bytes: usize,
}

/// Nothing has changed.
pub(super) const NO_CHANGES: BusAnswer = BusAnswer::Changes(Vec::new());

impl IdleAnswer {
    pub(super) fn no_changes(board: BusAddress, wait: u64) -> IdleAnswer {
        IdleAnswer { board, answer: NO_CHANGES, reads: vec![AnswerPart { wait, bytes: MIN_ANSWER_LEN }] }
    }

    pub(super) fn no_reply(board: BusAddress, wait: u64) -> IdleAnswer {
        IdleAnswer { board, answer: NO_CHANGES, reads: vec![AnswerPart { wait, bytes: 0 }] }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        BusMessage { from: self.board, answer: self.answer.clone() }.encode()
    }
}

/// The letter that stands for an answer; `None` if there is no room for it.
pub(super) fn answer_letter(answer: &BusAnswer) -> Option<u8> {
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
pub(super) fn append(text: &mut String, boards: &[IdleAnswer]) {
    for unchanged in boards {
        let IdleAnswer { board, answer, reads: pieces } = unchanged;
        let [high, low] = board.to_wire();
        let address = u64::from(high) << 7 | u64::from(low);
        let mut begin = |number| push(text, address << 4 | number, 3);
        match pieces.as_slice() {
            [AnswerPart { wait, bytes: 0 }] => {
                begin(NO_REPLY);
                push(text, *wait, 2);
            }
            [AnswerPart { wait: wait @ ..=SHORT, bytes: MIN_ANSWER_LEN }] if *answer == NO_CHANGES => begin(*wait),
            [AnswerPart { wait, bytes: MIN_ANSWER_LEN }] if *answer == NO_CHANGES => {
                begin(LONG);
                push(text, *wait, 2);
            }
            pieces => {
                begin(FULL_FIELDS);
                text.push(answer_letter(answer).unwrap_or(b'n').into());
                push(text, pieces.len() as u64, 1);
                for AnswerPart { wait, bytes } in pieces {
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
pub(super) fn decode(text: &str) -> Result<Vec<IdleAnswer>, usize> {
    let mut rest = text;
    let mut boards = Vec::new();
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let (board, after) = decode_board(rest).ok_or(at)?;
        boards.push(board);
        rest = after;
    }
    if boards.is_empty() { Err(0) } else { Ok(boards) }
}

/// Takes a number of so many digits.
fn parse_number(text: &str, digits: usize) -> Option<(u64, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let value = |digit: u8| DIGITS.iter().position(|&one| one == digit).map(|value| value as u64);
    let number = number.bytes().try_fold(0, |number, digit| Some(number * 64 + value(digit)?))?;
    Some((number, rest))
}

fn decode_board(text: &str) -> Option<(IdleAnswer, &str)> {
    let (first, rest) = parse_number(text, 3)?;
    let address = first >> 4;
    let board = BusAddress::from_wire([(address >> 7) as u8, (address & 0x7f) as u8]);
    let number = first & 0xf;
    if number <= SHORT {
        return Some((IdleAnswer::no_changes(board, number), rest));
    }
    if number < FULL_FIELDS {
        let (wait, rest) = parse_number(rest, 2)?;
        let is_right = number == NO_REPLY || wait > SHORT;
        let unchanged = if number == NO_REPLY { IdleAnswer::no_reply } else { IdleAnswer::no_changes };
        return is_right.then(|| (unchanged(board, wait), rest));
    }
    let (letter, rest) = rest.split_at_checked(1)?;
    let (count, mut rest) = parse_number(rest, 1)?;
    let mut pieces = Vec::new();
    for _ in 0..count {
        let (wait, after) = parse_number(rest, 2)?;
        let (bytes, after) = parse_number(after, 2)?;
        pieces.push(AnswerPart { wait, bytes: bytes as usize });
        rest = after;
    }
    let (answer, rest) = decode_data(letter, rest)?;
    let unchanged = IdleAnswer { board, answer, reads: pieces };
    // Every answer is written in one way.
    let is_short = unchanged.answer == NO_CHANGES && unchanged.reads.len() == 1;
    let is_whole = unchanged.reads.iter().map(|piece| piece.bytes).sum::<usize>() == unchanged.bytes().len();
    let is_right = is_whole && !is_short && unchanged.reads.iter().all(|piece| piece.bytes > 0);
    is_right.then_some((unchanged, rest))
}

fn decode_data<'a>(letter: &str, text: &'a str) -> Option<(BusAnswer, &'a str)> {
    match letter {
        "n" => Some((NO_CHANGES, text)),
        "c" => {
            let (mut data, mut rest) = ([0; CLOCK_DATA], text);
            for byte in &mut data {
                let (value, after) = parse_number(rest, 2)?;
                *byte = u8::try_from(value).ok().filter(|byte| *byte < 0x80)?;
                rest = after;
            }
            let report = ClockReport::decode(data);
            (report.encode() == data).then_some((BusAnswer::Clock(report), rest))
        }
        "b" | "d" => {
            let (count, mut rest) = parse_number(text, 2)?;
            let mut codes = Vec::new();
            while (codes.len() as u64) < count {
                let (pair, after) = parse_number(rest, 1)?;
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

/// When the last of it happened, for a record of this time.
pub(super) fn end_time(at: u64, boards: &[IdleAnswer]) -> u64 {
    boards.iter().flat_map(|board| &board.reads).fold(at, |at, piece| at.saturating_add(piece.wait))
}

/// The records that these boards would have had without being packed, but for the questions that were answered.
pub(super) fn expand(mut at: u64, boards: Vec<IdleAnswer>) -> impl Iterator<Item = Record> {
    boards.into_iter().flat_map(move |unchanged| {
        let answer = unchanged.bytes();
        let (mut now, mut from) = (at, 0);
        at = end_time(at, std::slice::from_ref(&unchanged));
        let board = unchanged.board;
        unchanged.reads.into_iter().map(move |AnswerPart { wait, bytes }| {
            now = now.saturating_add(wait);
            let part = answer.get(from..from + bytes).unwrap_or_default();
            from += bytes;
            Record::new(
                now,
                match bytes {
                    0 => RecordKind::ToBoard(BusCommand::Ping.encode(board).to_vec()),
                    _ => RecordKind::FromBoard(part.to_vec()),
                },
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_invalid_records() {
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
}
