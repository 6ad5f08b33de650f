//! Packs bus records without news into one record ([`IdleAnswer`]) as they arrive.

use std::collections::BTreeMap;

use super::idle_answer::{
    AnswerPart, IdleAnswer, MAX_ANSWER_READS, MAX_BOARDS, MAX_RECORD_SPAN, NO_CHANGES, answer_letter,
};
use super::record::{Record, RecordKind};
use crate::protocol::framer::{HEADER_LEN, MAX_MESSAGE};
use crate::protocol::{BusAddress, BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage, MessageId};

/// Packs the records of a bus as they arrive.
///
/// Pending records are returned before any other record, and after one second at the latest. Callers must
/// [`flush`](IdlePacker::flush) before publishing anything, because a pending record may be its cause.
#[derive(Debug, Default)]
pub struct IdlePacker {
    /// Boards without news, after the start and the end of their record in milliseconds.
    idle_boards: Option<(u64, u64, Vec<IdleAnswer>)>,
    /// Question without an answer so far.
    pending_question: Option<(u64, BusCommand, BusAddress)>,
    /// Reads that form the start of an answer, possibly one without news.
    partial_answer: Vec<(u64, Vec<u8>)>,
    /// Latest answers about fields and clock, by board.
    last_answers: BTreeMap<BusAddress, LastAnswers>,
}

/// Latest answers of a board.
#[derive(Debug, Default)]
struct LastAnswers {
    clock: Option<BusAnswer>,
    fields: Option<BusAnswer>,
}

impl IdlePacker {
    /// Adds the next record; returns the records to be written now, in order.
    pub fn push(&mut self, record: Record) -> Vec<Record> {
        let mut ready = Vec::new();
        if self.flush_due().is_some_and(|due| due <= record.at) {
            ready.extend(self.take_idle_record());
        }
        if self.flush_due().is_some_and(|due| due <= record.at) {
            ready.extend(self.flush());
        }
        match record.kind {
            RecordKind::ToBoard(ref bytes) if self.partial_answer.is_empty() => {
                let question = <[u8; 4]>::try_from(bytes.as_slice()).ok().and_then(BusCommand::decode);
                match self.pending_question.take() {
                    Some((at, BusCommand::Ping, board)) if board != BusAddress::ALL => {
                        self.add(board, NO_CHANGES, &[(at, 0)]);
                    }
                    Some(unanswered) => {
                        ready.extend(self.take_idle_record().into_iter().chain([question_record(unanswered)]))
                    }
                    None => {}
                }
                match question {
                    Some((command, board)) => self.pending_question = Some((record.at, command, board)),
                    None => ready.extend(self.take_idle_record().into_iter().chain([record])),
                }
            }
            RecordKind::FromBoard(bytes) => {
                self.partial_answer.push((record.at, bytes));
                let heard: Vec<u8> = self.partial_answer.iter().flat_map(|(_, bytes)| bytes).copied().collect();
                match self.idle_answer(&heard) {
                    Some(Some(BusMessage { from, answer })) => {
                        self.pending_question = None;
                        let pieces = self.partial_answer.drain(..).map(|(at, bytes)| (at, bytes.len()));
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

    /// Returns all pending records, in order.
    pub fn flush(&mut self) -> Vec<Record> {
        let unchanged = self.take_idle_record();
        let question = self.pending_question.take().map(question_record);
        let begun = std::mem::take(&mut self.partial_answer).into_iter();
        let begun = begun.map(|(at, bytes)| Record::new(at, RecordKind::FromBoard(bytes)));
        unchanged.into_iter().chain(question).chain(begun).collect()
    }

    /// Returns the time of the oldest pending record.
    pub fn oldest(&self) -> Option<u64> {
        let unchanged = self.idle_boards.as_ref().map(|(from, ..)| *from);
        let question = self.pending_question.map(|(at, ..)| at);
        unchanged.or(question).or(self.partial_answer.first().map(|(at, _)| *at))
    }

    /// Returns the time at which the pending records must be written.
    pub fn flush_due(&self) -> Option<u64> {
        Some(self.oldest()?.saturating_add(MAX_RECORD_SPAN))
    }

    /// Decodes an answer without news. `Some(None)` if the bytes may be the start of one; `None` if they are anything
    /// else.
    fn idle_answer(&mut self, received: &[u8]) -> Option<Option<BusMessage>> {
        let is_asked = |id: MessageId, board: BusAddress| {
            self.pending_question.is_none_or(|(_, command, asked_board)| {
                asked_board == board && command.answer() == Some(id) && command != BusCommand::RepeatChanges
            })
        };
        let mut decoder = BusDecoder::new();
        let items = decoder.feed(received);
        let [BusItem::Message(message)] = items.as_slice() else {
            return (items.is_empty() && may_be_idle(received)).then_some(None);
        };
        let is_all = message.encode() == received;
        if !is_all || answer_letter(&message.answer).is_none() {
            return None;
        }
        let is_asked = is_asked(message.answer.id(), message.from) && self.partial_answer.len() <= MAX_ANSWER_READS;
        let brings_nothing = message.answer == NO_CHANGES || !self.is_new(message);
        (is_asked && brings_nothing).then(|| Some(message.clone()))
    }

    /// Whether the answer differs from the previous one of the board; stores it.
    fn is_new(&mut self, message: &BusMessage) -> bool {
        if self.last_answers.len() >= MAX_BOARDS && !self.last_answers.contains_key(&message.from) {
            return true;
        }
        let said = self.last_answers.entry(message.from).or_default();
        let said = if matches!(message.answer, BusAnswer::Clock(_)) { &mut said.clock } else { &mut said.fields };
        said.replace(message.answer.clone()).as_ref() != Some(&message.answer)
    }

    fn add(&mut self, board: BusAddress, answer: BusAnswer, pieces: &[(u64, usize)]) {
        let Some((first, _)) = pieces.first() else { return };
        let (_, end, boards) = self.idle_boards.get_or_insert((*first, *first, Vec::new()));
        let piece = |&(at, bytes): &(u64, usize)| {
            let wait = at.saturating_sub(*end);
            *end = at;
            AnswerPart { wait, bytes }
        };
        let pieces = pieces.iter().map(piece).collect();
        boards.push(IdleAnswer { board, answer, reads: pieces });
    }

    fn take_idle_record(&mut self) -> Option<Record> {
        self.idle_boards.take().map(|(from, _, boards)| Record::new(from, RecordKind::IdleAnswers(boards)))
    }
}

fn question_record((at, command, board): (u64, BusCommand, BusAddress)) -> Record {
    Record::new(at, RecordKind::ToBoard(command.encode(board).to_vec()))
}

/// Whether the bytes may start an answer without news. The length field reveals nonempty changes.
fn may_be_idle(heard: &[u8]) -> bool {
    let nothing = BusMessage { from: BusAddress::ALL, answer: NO_CHANGES }.encode();
    match heard {
        [] | [0x83 | 0x84 | 0x8a] => true,
        [0x83 | 0x84 | 0x8a, ..] => heard.len() < MAX_MESSAGE,
        _ => nothing.starts_with(&heard[..heard.len().min(HEADER_LEN)]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bytelog::idle_answer::{append, decode};
    use crate::bytelog::{LogLine, parse_line};
    use crate::protocol::{ClockReport, PieceCode};

    fn answer(board: BusAddress) -> Vec<u8> {
        BusMessage { from: board, answer: NO_CHANGES }.encode()
    }

    fn board(number: u16) -> BusAddress {
        BusAddress::new(number).unwrap()
    }

    fn sent(at: u64, command: BusCommand, to: u16) -> Record {
        Record::new(at, RecordKind::ToBoard(command.encode(board(to)).to_vec()))
    }

    fn heard(at: u64, bytes: &[u8]) -> Record {
        Record::new(at, RecordKind::FromBoard(bytes.to_vec()))
    }

    fn pack(records: Vec<Record>) -> Vec<Record> {
        let mut packing = IdlePacker::default();
        let mut packed: Vec<Record> = records.into_iter().flat_map(|record| packing.push(record)).collect();
        packed.extend(packing.flush());
        packed
    }

    /// Returns the records that a replay reads from the log.
    fn replayed(records: &[Record]) -> Vec<Record> {
        let all = records.iter().cloned().flat_map(Record::expand);
        all.filter(|record| !matches!(record.kind, RecordKind::ToBoard(_))).collect()
    }

    #[test]
    fn idle_boards_pack_into_one_record() {
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
        assert_eq!(packed[0].end_time(), 99);
    }

    #[test]
    fn holds_at_most_one_second_and_never_past_other_record() {
        let mut packing = IdlePacker::default();
        assert_eq!(packing.push(heard(100, &answer(board(7)))), []);
        assert_eq!((packing.oldest(), packing.flush_due()), (Some(100), Some(1_100)));
        assert_eq!(packing.push(heard(1_099, &answer(board(7)))), []);
        let written = packing.push(heard(1_100, &answer(board(7))));
        assert_eq!(written.iter().map(|record| (record.at, record.end_time())).collect::<Vec<_>>(), [(100, 1_099)]);
        assert_eq!(packing.push(sent(1_110, BusCommand::SendChanges, 7)), []);
        let written = packing.push(Record::new(1_120, RecordKind::Tick));
        assert_eq!(written.iter().map(|record| record.at).collect::<Vec<_>>(), [1_100, 1_110, 1_120]);
        assert_eq!(packing.oldest(), None);
    }

    /// Repeated answers take few bytes, and news passes without delay.
    #[test]
    fn packs_unchanged_clock_and_fields() {
        let encode_answer = |answer: &BusAnswer| BusMessage { from: board(1025), answer: answer.clone() }.encode();
        let codes = |code: u8| (0..50).map(|field| PieceCode(if field < 20 { code } else { 0 })).collect();
        let clock = BusAnswer::Clock(ClockReport::decode([0, 0x59, 0x30, 0, 0x59, 0x30, 0x20]));
        let (one, two) = (BusAnswer::Board(codes(1)), BusAnswer::Board(codes(4)));
        let kings = BusAnswer::Board(codes(9));
        let mut records = Vec::new();
        for (at, (command, answer)) in [
            (BusCommand::SendClock, &clock),
            (BusCommand::SendBoard, &one),
            (BusCommand::SendChanges, &NO_CHANGES),
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
            let (at, bytes) = (100 * at as u64, encode_answer(answer));
            let cut = bytes.len() / 2;
            records.extend([sent(at, command, 1025), heard(at + 50, &bytes[..cut]), heard(at + 60, &bytes[cut..])]);
        }
        let packed = pack(records.clone());
        let kinds: String = packed.iter().map(|record| record.kind.mark()).collect();
        assert_eq!(kinds, "><<><<~><<~><<><<", "{packed:?}");
        assert_eq!(replayed(&packed), replayed(&records));
        for record in &packed {
            assert_eq!(parse_line(&record.to_line()), Ok(LogLine::Record(record.clone())));
        }
    }

    /// Generates bus traffic: answers without news, in pieces, damaged or unasked; unanswered pings; anything else.
    fn any_bus() -> impl Strategy<Value = Vec<Record>> {
        let address = || 1_u16..5;
        let event = prop_oneof![
            8 => (address(), 1..15_u64).prop_map(|(to, wait)| vec![
                (0, RecordKind::ToBoard(BusCommand::SendChanges.encode(board(to)).to_vec())),
                (wait, RecordKind::FromBoard(answer(board(to)))),
            ]),
            2 => (address(), 0..6_usize, 0..60_u64).prop_map(|(to, cut, wait)| vec![
                (wait, RecordKind::FromBoard(answer(board(to))[..cut].to_vec())),
                (wait, RecordKind::FromBoard(answer(board(to))[cut..].to_vec())),
            ]),
            4 => (address(), 0..2_u8, 0..13_usize, any::<bool>()).prop_map(|(to, code, cut, is_clock)| {
                let (command, answer) = match is_clock {
                    true => (BusCommand::SendClock, BusAnswer::Clock(ClockReport::decode([0, 0x59, 0x30, 0, 0, code, 0x20]))),
                    false => (BusCommand::SendBoard, BusAnswer::Board(vec![PieceCode(code * 7); 11])),
                };
                let bytes = BusMessage { from: board(to), answer }.encode();
                vec![
                    (0, RecordKind::ToBoard(command.encode(board(to)).to_vec())),
                    (9, RecordKind::FromBoard(bytes[..cut].to_vec())),
                    (3, RecordKind::FromBoard(bytes[cut..].to_vec())),
                ]
            }),
            2 => (address(), 0..5_usize, any::<u8>()).prop_map(|(to, at, byte)| {
                let mut bytes = answer(board(to));
                bytes[at] = byte;
                vec![(3, RecordKind::FromBoard(bytes))]
            }),
            2 => (0..=5_u16, 0..BusCommand::ALL.len()).prop_map(|(to, command)| vec![
                (2, RecordKind::ToBoard(BusCommand::ALL[command].encode(BusAddress::new(to).unwrap_or(BusAddress::ALL)).to_vec())),
            ]),
            1 => prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| vec![(1, RecordKind::FromBoard(bytes))]),
            1 => prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| vec![(1, RecordKind::ToBoard(bytes))]),
            1 => (0..3_000_u64).prop_map(|wait| vec![(wait, RecordKind::Tick)]),
            1 => Just(vec![(5, RecordKind::LinkDown), (700, RecordKind::LinkUp)]),
            1 => Just(vec![(0, RecordKind::Note("a note".to_owned()))]),
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
        /// A replay receives the same bytes at the same times, and nothing stays pending for long.
        #[test]
        fn packed_log_replays_like_log(records in any_bus()) {
            let packed = pack(records.clone());
            let mut before = 0;
            for record in &packed {
                prop_assert!(record.at >= before, "{:?}", packed);
                prop_assert!(record.end_time() - record.at < MAX_RECORD_SPAN);
                before = record.end_time();
                prop_assert_eq!(parse_line(&record.to_line()), Ok(LogLine::Record(record.clone())));
            }
            // An empty read carries no information.
            let is_empty = |record: &Record| matches!(&record.kind, RecordKind::FromBoard(bytes) if bytes.is_empty());
            let replayed_events = |records: &[Record]| {
                replayed(records).into_iter().filter(|record| !is_empty(record)).collect::<Vec<_>>()
            };
            prop_assert_eq!(replayed_events(&packed), replayed_events(&records));
        }

        #[test]
        fn packs_arbitrary_text(text in "(40[vZ][nbcd][0-3]|0[0-9]){0,4}[0-9a-zA-Z_é-]{0,20}") {
            if let Ok(boards) = decode(&text) {
                let mut repacked = String::new();
                append(&mut repacked, &boards);
                prop_assert_eq!(decode(&repacked), Ok(boards));
            }
        }
    }
}
