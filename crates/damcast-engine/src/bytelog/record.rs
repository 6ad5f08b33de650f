//! One timed event of a line.

use chrono::{DateTime, FixedOffset, SecondsFormat};

use super::idle_answer::{self, AnswerPart, IdleAnswer};
use super::{checksum, hex};
use crate::protocol::BusCommand;

/// Timed event of a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Milliseconds since the line was opened.
    pub at: u64,
    /// Kind of event and its data.
    pub kind: RecordKind,
}

/// Kind of event on a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `<`: bytes from the board.
    FromBoard(Vec<u8>),
    /// `>`: bytes to the board.
    ToBoard(Vec<u8>),
    /// `= up`: link up.
    LinkUp,
    /// `= down`: link down.
    LinkDown,
    /// `!`: operator request, as on the command line.
    Operator(String),
    /// `?`: recorder's note.
    Note(String),
    /// `.`: passage of time without an event.
    Tick,
    /// `@`: machine clock from this time on, after it was set or the machine slept. Whole milliseconds.
    ClockSet(DateTime<FixedOffset>),
    /// `~`: successive boards of a bus without news.
    IdleAnswers(Vec<IdleAnswer>),
    /// Record of a later version: its mark and the rest of the line. Replays ignore it; rewriting preserves it.
    Other(char, String),
}

impl Record {
    /// Creates a record.
    pub fn new(at: u64, kind: RecordKind) -> Record {
        Record { at, kind }
    }

    /// Returns the record as one line of a log, with its checksum and LF. Control characters in text become spaces, so
    /// that no text can end the line.
    pub fn to_line(&self) -> String {
        let mut line = format!("{} {}", self.at, self.kind.mark());
        match &self.kind {
            RecordKind::FromBoard(bytes) | RecordKind::ToBoard(bytes) if bytes.is_empty() => {}
            RecordKind::FromBoard(bytes) | RecordKind::ToBoard(bytes) => {
                line.push(' ');
                hex::append_hex(&mut line, bytes);
            }
            RecordKind::LinkUp => line.push_str(" up"),
            RecordKind::LinkDown => line.push_str(" down"),
            RecordKind::Operator(text) | RecordKind::Note(text) | RecordKind::Other(_, text) if text.is_empty() => {}
            RecordKind::Operator(text) | RecordKind::Note(text) | RecordKind::Other(_, text) => {
                line.push(' ');
                line.extend(printable(text));
            }
            RecordKind::Tick => {}
            RecordKind::IdleAnswers(boards) => {
                line.push(' ');
                idle_answer::append(&mut line, boards);
            }
            RecordKind::ClockSet(shown) => {
                line.push(' ');
                line.push_str(&shown.to_rfc3339_opts(SecondsFormat::Millis, false));
            }
        }
        checksum::append(&mut line);
        line.push('\n');
        line
    }

    /// Returns the time of the last event in the record, in milliseconds since the line was opened. Only idle answers
    /// end later than the record's own time.
    pub fn end_time(&self) -> u64 {
        match &self.kind {
            RecordKind::IdleAnswers(boards) => idle_answer::end_time(self.at, boards),
            _ => self.at,
        }
    }

    /// Returns the events of the record, each at its own time. Idle answers become one record per read or unanswered
    /// ping.
    pub fn expand(self) -> impl Iterator<Item = Record> {
        let (packed, plain) = match self.kind {
            RecordKind::IdleAnswers(boards) => (Some(unpack(self.at, boards)), None),
            _ => (None, Some(self)),
        };
        packed.into_iter().flatten().chain(plain)
    }
}

impl RecordKind {
    /// Returns the mark of this kind in a log.
    pub fn mark(&self) -> char {
        match self {
            RecordKind::FromBoard(_) => '<',
            RecordKind::ToBoard(_) => '>',
            RecordKind::LinkUp | RecordKind::LinkDown => '=',
            RecordKind::Operator(_) => '!',
            RecordKind::Note(_) => '?',
            RecordKind::Tick => '.',
            RecordKind::IdleAnswers(_) => '~',
            RecordKind::ClockSet(_) => '@',
            RecordKind::Other(mark, _) => *mark,
        }
    }
}

/// Returns the equivalent unpacked records, without the questions that were answered.
fn unpack(mut at: u64, boards: Vec<IdleAnswer>) -> impl Iterator<Item = Record> {
    boards.into_iter().flat_map(move |unchanged| {
        let answer = unchanged.bytes();
        let (mut now, mut from) = (at, 0);
        at = idle_answer::end_time(at, std::slice::from_ref(&unchanged));
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

/// Returns the characters of a text, with control characters replaced by spaces.
pub(super) fn printable(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().map(|character| if character.is_control() { ' ' } else { character })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_every_kind_as_line() {
        let shown = DateTime::parse_from_rfc3339("2026-11-21T09:30:06.250+01:00").unwrap();
        for (at, kind, line) in [
            (0, RecordKind::LinkUp, "0 = up ;15b53040\n"),
            (15592, RecordKind::LinkDown, "15592 = down ;9e8131bf\n"),
            (0, RecordKind::ToBoard(vec![0x40]), "0 > 40 ;da59fab6\n"),
            (1040, RecordKind::FromBoard(vec![0x8e, 0x00, 0x05, 0x1f, 0x00]), "1040 < 8e00051f00 ;12efc721\n"),
            (2000, RecordKind::Operator("result 2-0".into()), "2000 ! result 2-0 ;65171f59\n"),
            (2100, RecordKind::Operator("names a ;12345678 / b".into()), "2100 ! names a ;12345678 / b ;3f88372d\n"),
            (5300, RecordKind::Tick, "5300 . ;cf4793f4\n"),
            (6000, RecordKind::ClockSet(shown), "6000 @ 2026-11-21T09:30:06.250+01:00 ;a457c192\n"),
        ] {
            assert_eq!(Record::new(at, kind).to_line(), line);
        }
    }

    #[test]
    fn text_cannot_end_line() {
        let line = Record::new(7, RecordKind::Note("a\n8 < ff\r\t\u{0}\u{85}b".into())).to_line();
        assert!(line.starts_with("7 ? a 8 < ff    b ;"), "{line}");
        assert_eq!(line.matches('\n').count(), 1);
    }
}
