//! What brings nothing, in few bytes: boards of a bus that were asked what has changed and answered "nothing", and pings that
//! nobody answered.
//!
//! ```text
//!   3 > 8308010c                             12 - 08010080290803(02)
//!   12 < 850006080114                             │   ││
//!   14 > 8308020d                                 │   │└ 0802: the next board ...
//!   21 < 850006080215                             │   └ ... and 9: its answer came 9 ms later
//!   23 > 87080312    a ping, and no answer        └ 0801: board 1025, its address as on the wire; 0: at the record's own time
//! ```
//!
//! A bus asks some seventy times a second, day and night, and nearly always nothing has happened: written out that is 4 kB a
//! second. Nothing of it is left out here: each byte of each answer and its millisecond can be told from the record, so a replay
//! hears what the recorder heard. Only the questions are not repeated; a replay asks its own.
//!
//! | text | meaning |
//! |---|---|
//! | `0801` | the address of a board, as on the wire |
//! | `a` behind it | its answer came, in one piece, so many milliseconds after what was told before |
//! | `(4a2b)` instead | its answer came in pieces: four bytes after `a`, two more after `b` |
//! | `(0a)` instead | it was pinged after so many milliseconds, and did not answer |
//!
//! A wait is a digit to the base of 36 below `z`, or `z` and two such digits.

use super::record::{Kind, Record};
use crate::protocol::bus::SMALLEST_ANSWER;
use crate::protocol::{BusAddress, BusAnswer, BusCommand, BusMessage};

/// A record of this kind tells of no longer than this, in milliseconds.
const LONGEST: u64 = 1_000;
/// The largest wait that one digit tells, and the base of the digits.
const ONE_DIGIT: u64 = 34;
const BASE: u64 = 36;

/// A board that had nothing to tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unchanged {
    /// The board.
    pub board: BusAddress,
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

/// The answer of a board that has nothing to tell.
fn answer(board: BusAddress) -> Vec<u8> {
    BusMessage { from: board, answer: BusAnswer::Changes(Vec::new()) }.encode()
}

/// Adds boards to the text of a record.
pub(super) fn append(text: &mut String, boards: &[Unchanged]) {
    for Unchanged { board, pieces } in boards {
        super::hex::append(text, &board.to_wire());
        match pieces.as_slice() {
            [Piece { wait, bytes: SMALLEST_ANSWER }] => append_wait(text, *wait),
            pieces => {
                text.push('(');
                for Piece { wait, bytes } in pieces {
                    text.push(digit(*bytes as u64));
                    append_wait(text, *wait);
                }
                text.push(')');
            }
        }
    }
}

fn append_wait(text: &mut String, wait: u64) {
    if wait <= ONE_DIGIT {
        return text.push(digit(wait));
    }
    text.push('z');
    // Nothing that is packed waits for longer than a record tells of.
    let wait = wait.min(BASE * BASE - 1);
    text.extend([digit(wait / BASE), digit(wait % BASE)]);
}

fn digit(value: u64) -> char {
    char::from_digit(value as u32, BASE as u32).unwrap_or('0')
}

/// Reads the text of a record.
///
/// # Errors
///
/// The byte of the text at which it is none.
pub(super) fn decode(text: &str) -> Result<Vec<Unchanged>, usize> {
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

fn decode_board(text: &str) -> Option<(Unchanged, &str)> {
    let (address, rest) = text.split_at_checked(4)?;
    let board = match *super::hex::decode(address).ok()? {
        [high @ 0..0x80, low @ 0..0x80] => BusAddress::from_wire([high, low]),
        _ => return None,
    };
    let Some(mut rest) = rest.strip_prefix('(') else {
        let (wait, rest) = decode_wait(rest)?;
        return Some((Unchanged { board, pieces: vec![Piece { wait, bytes: SMALLEST_ANSWER }] }, rest));
    };
    let mut pieces = Vec::new();
    loop {
        if let Some(rest) = rest.strip_prefix(')') {
            let bytes: usize = pieces.iter().map(|piece: &Piece| piece.bytes).sum();
            let is_silent = pieces.len() == 1 && bytes == 0;
            let is_answer = bytes == SMALLEST_ANSWER && pieces.iter().all(|piece| piece.bytes > 0);
            return (is_silent || is_answer).then_some((Unchanged { board, pieces }, rest));
        }
        let (bytes, after) = decode_digit(rest)?;
        let (wait, after) = decode_wait(after)?;
        pieces.push(Piece { wait, bytes: bytes as usize });
        rest = after;
    }
}

fn decode_wait(text: &str) -> Option<(u64, &str)> {
    let (first, rest) = decode_digit(text)?;
    if first <= ONE_DIGIT {
        return Some((first, rest));
    }
    let (high, rest) = decode_digit(rest)?;
    let (low, rest) = decode_digit(rest)?;
    Some((high * BASE + low, rest))
}

/// Digits are small, so that every wait is written in one way.
fn decode_digit(text: &str) -> Option<(u64, &str)> {
    let character = text.chars().next().filter(|character| !character.is_ascii_uppercase())?;
    Some((character.to_digit(BASE as u32)?.into(), &text[character.len_utf8()..]))
}

/// When the last of it happened, for a record of this time.
pub(super) fn end(at: u64, boards: &[Unchanged]) -> u64 {
    boards.iter().flat_map(|board| &board.pieces).fold(at, |at, piece| at.saturating_add(piece.wait))
}

/// The records that these boards would have had without being packed, but for the questions that were answered.
pub(super) fn unpacked(mut at: u64, boards: Vec<Unchanged>) -> impl Iterator<Item = Record> {
    boards.into_iter().flat_map(move |Unchanged { board, pieces }| {
        let answer = answer(board);
        let (mut now, mut from) = (at, 0);
        at = end(at, &[Unchanged { board, pieces: pieces.clone() }]);
        pieces.into_iter().map(move |Piece { wait, bytes }| {
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
                        self.add(board, &[(at, 0)]);
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
                match who_says_nothing(&heard) {
                    Some(Some(board)) if self.may_be_answered_by(board) => {
                        self.question = None;
                        let pieces = self.begun.drain(..).map(|(at, bytes)| (at, bytes.len()));
                        let pieces: Vec<_> = pieces.filter(|(_, bytes)| *bytes > 0).collect();
                        self.add(board, &pieces);
                    }
                    Some(None) => {}
                    _ => ready.extend(self.flush()),
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

    /// Is it this board's turn to answer, or nobody's?
    fn may_be_answered_by(&self, board: BusAddress) -> bool {
        self.question.is_none_or(|(_, command, asked)| command == BusCommand::SendChanges && asked == board)
    }

    fn add(&mut self, board: BusAddress, pieces: &[(u64, usize)]) {
        let Some((first, _)) = pieces.first() else { return };
        let (_, end, boards) = self.unchanged.get_or_insert((*first, *first, Vec::new()));
        let piece = |&(at, bytes): &(u64, usize)| {
            let wait = at.saturating_sub(*end);
            *end = at;
            Piece { wait, bytes }
        };
        let pieces = pieces.iter().map(piece).collect();
        boards.push(Unchanged { board, pieces });
    }

    fn take_unchanged(&mut self) -> Option<Record> {
        self.unchanged.take().map(|(from, _, boards)| Record::new(from, Kind::Unchanged(boards)))
    }
}

fn asked((at, command, board): (u64, BusCommand, BusAddress)) -> Record {
    Record::new(at, Kind::ToBoard(command.encode(board).to_vec()))
}

/// Who says with these bytes that nothing has changed. `Some(None)`: they may be the beginning of that; `None`: they are
/// something else.
fn who_says_nothing(heard: &[u8]) -> Option<Option<BusAddress>> {
    let address = [heard.get(3).copied().unwrap_or(0), heard.get(4).copied().unwrap_or(0)];
    if address.iter().any(|byte| *byte >= 0x80) {
        return None;
    }
    let board = BusAddress::from_wire(address);
    let whole = answer(board);
    if heard == whole {
        return Some(Some(board));
    }
    (heard.len() < whole.len() && whole[..heard.len().min(3)] == heard[..heard.len().min(3)]).then_some(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bytelog::{Line, parse_line};

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
        assert!(lines[0].starts_with("12 - 080100802(4822)0803(02)0801z23 ;"), "{lines:?}");
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

    #[test]
    fn what_is_no_such_record_is_refused() {
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
            assert_eq!(decode(text), Err(at), "{text}");
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
        fn no_text_is_too_strange(text in "[0-9a-z()A-Z é]{0,20}") {
            if let Ok(boards) = decode(&text) {
                let mut again = String::new();
                append(&mut again, &boards);
                prop_assert_eq!(decode(&again), Ok(boards));
            }
        }
    }
}
