//! Compact form for bus traffic without news: empty changes, clocks and fields equal to the previous answer, and pings
//! without an answer.
//!
//! ```text
//!   3 > 8308010c                             12 ~ 40g40G40-02
//!   12 < 850006080114                             │  │  └ 1027 was pinged 2 ms later, and did not answer
//!   14 > 8308020d                                 │  └ the next board, 1026: its answer came 10 ms later
//!   22 < 850006080215                             └ board 1025 answered at the record's own time
//!   24 > 87080312
//! ```
//!
//! A bus poll happens some seventy times a second, day and night, and nearly always brings no news; uncompressed that
//! is 4 kB a second. The record preserves every byte of every answer and its millisecond, so a replay receives the same
//! input as the recorder. Only the questions are omitted, because a replay sends its own.
//!
//! Each board starts with three digits to the base of 64, `0-9a-zA-Z-_`: 16 times its address, plus a number that
//! selects the content. All waits are milliseconds since the previous event in the record.
//!
//! | number | follows | meaning |
//! |---|---|---|
//! | 0 to 12 | | no changes; the answer came in one piece, after this wait |
//! | 13 | the wait, two digits | no changes; the answer came in one piece, after a longer wait |
//! | 14 | the wait, two digits | ping without an answer |
//! | 15 | a letter; number of pieces, a digit; per piece its wait and its bytes, two digits each; data | any answer |
//!
//! | letter | answer | data |
//! |---|---|---|
//! | `n` | no changes | |
//! | `c` | clock | seven bytes, two digits each |
//! | `b`, `d` | all fields, 50 dark fields | number of fields, two digits; then a digit for two fields, 8 times the first plus the second |

use crate::protocol::bus::MIN_ANSWER_LEN;
use crate::protocol::clock::CLOCK_DATA;
use crate::protocol::{BusAddress, BusAnswer, BusMessage, ClockReport, PieceCode};

/// Maximum time span of one record, in milliseconds.
pub(super) const MAX_RECORD_SPAN: u64 = 1_000;
const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
/// Largest number of two digits.
pub(super) const TWO_DIGITS: u64 = 64 * 64 - 1;
/// Largest wait that is written as the content number itself.
const SHORT: u64 = 12;
const LONG: u64 = 13;
const NO_REPLY: u64 = 14;
const FULL_FIELDS: u64 = 15;
/// Number of piece codes that fit half a digit.
const CODES: u8 = 8;
/// Maximum number of boards with remembered answers; a noisy line could otherwise invent boards without limit.
pub(super) const MAX_BOARDS: usize = 256;
/// Maximum number of pieces in a packed answer.
pub(super) const MAX_ANSWER_READS: usize = 63;

/// Board without news.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IdleAnswer {
    /// Address of the board.
    pub board: BusAddress,
    /// Answer, equal to the previous answer of the board.
    pub answer: BusAnswer,
    /// Pieces of the answer by read. A single empty piece stands for a ping without an answer.
    pub reads: Vec<AnswerPart>,
}

/// Piece of an answer that one read received.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnswerPart {
    /// Milliseconds since the previous piece, or since the time of the record.
    pub wait: u64,
    /// Number of bytes.
    pub bytes: usize,
}

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

/// Returns the letter of an answer; `None` if it cannot be packed.
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

/// Appends a number with this many digits. All packed numbers fit.
fn push(text: &mut String, number: u64, digits: u32) {
    for place in (0..digits).rev() {
        text.push(char::from(DIGITS[(number >> (6 * place)) as usize % DIGITS.len()]));
    }
}

/// Decodes the text of a record.
///
/// # Errors
///
/// Returns the byte offset of the first invalid board.
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

/// Parses a number with this many digits. Returns it with the remaining text.
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
    // Accepts only the canonical form of each answer.
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

/// Returns the time of the last event in a record that starts at `at`.
pub(super) fn end_time(at: u64, boards: &[IdleAnswer]) -> u64 {
    boards.iter().flat_map(|board| &board.reads).fold(at, |at, piece| at.saturating_add(piece.wait))
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
