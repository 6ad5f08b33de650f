//! Parses one line of a log or of an externally driven line, and reports faults with their column.

use chrono::DateTime;

use super::header::{FORMAT_VERSION, HeaderError, TITLE_PREFIX};
use super::record::{Record, RecordKind};
use super::{checksum, hex, idle_answer};

/// Content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogLine {
    /// `# damcast byte log 1`
    Title,
    /// `# key: value`
    Header {
        /// Text before the colon.
        key: String,
        /// Text after the colon, trimmed.
        value: String,
    },
    /// Other line that starts with `#`, for human readers.
    Comment,
    /// Record.
    Record(Record),
    /// Blank line.
    Empty,
}

/// Fault in a line, with its column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {fault}")]
pub struct LineError {
    /// Column in characters, from 1.
    pub column: usize,
    /// Fault and its remedy.
    pub fault: LogFault,
}

/// Fault in a line of a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogFault {
    /// Unknown format version.
    #[error(
        "this is a byte log of format \"{0}\"; this version reads format {FORMAT_VERSION}: use the version that wrote it"
    )]
    Format(String),
    /// Line without a time at its start.
    #[error("a record starts with its time in milliseconds, as in \"1250 < 8e00051a01\"; other lines start with #")]
    NoTime,
    /// Time beyond 64 bits.
    #[error("the time {0} is too large; times are milliseconds since the line was opened")]
    TimeTooLarge(String),
    /// Time without a kind.
    #[error("the record has no kind; one of < > = ! ? . ~ follows the time")]
    NoKind,
    /// More than one character in place of the kind.
    #[error("\"{0}\" is no kind of record; it is one character, as < > = ! ? . ~ are, and a space after it")]
    LongKind(String),
    /// Invalid hexadecimal digit among the bytes.
    #[error("{0:?} is no hexadecimal digit; bytes are written as in \"8e00051a01\"")]
    InvalidHex(char),
    /// Byte with only one digit.
    #[error("the last byte has only one hexadecimal digit; each has two")]
    OddHex,
    /// Link state other than `up` or `down`.
    #[error("the link is \"up\" or \"down\", not \"{0}\"")]
    Link(String),
    /// Unreadable idle answers.
    #[error("here should be the address of a board and when it answered, as in \"4000\"")]
    InvalidIdleAnswers,
    /// Text after a tick.
    #[error("nothing follows a \".\", but here is \"{0}\"")]
    TrailingText(String),
    /// Invalid time of a clock reading.
    #[error("\"{0}\" is no moment; write date, time and offset, as in \"6000 @ 2026-11-21T09:30:06.000+01:00\"")]
    InvalidClock(String),
    /// Checksum that does not match the record.
    #[error(
        "the checksum is {expected:08x} but the record has {computed:08x}: the record was changed or damaged; \
         restore it from a copy, or remove the checksum if the change was meant"
    )]
    Checksum {
        /// Checksum in the line.
        expected: u32,
        /// Checksum computed from the text.
        computed: u32,
    },
    /// Line longer than any recorder writes.
    #[error("the line is longer than any record; was the file damaged, or is it no byte log?")]
    TooLong,
    /// Compressed log that cannot be decompressed from here on.
    #[error("{0}")]
    Decompression(String),
    /// Zero bytes in place of a line.
    #[error(
        "zeros stand here: a loss of power took what was not durable yet, and nothing had been published of it; the next \
         start of the station marks the place"
    )]
    ZeroBytes,
    /// Line that is not UTF-8.
    #[error("the line is not UTF-8 text; was the file damaged, or is it no byte log?")]
    NotUtf8,
    /// Invalid value of a header key.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Header key that affects a replay, after the first record.
    #[error("\"# {0}:\" has to stand before the first record")]
    LateHeader(String),
    /// Time earlier than that of the previous record.
    #[error("the time {now} is before that of the record above it, {before}; times never decrease")]
    TimeGoesBack {
        /// Time of the previous record.
        before: u64,
        /// Time of this record.
        now: u64,
    },
}

/// Parses one line, with or without its LF or CRLF. [`LogReader`](super::LogReader) additionally checks the order of
/// the lines.
///
/// # Errors
///
/// Returns the fault and its column.
pub fn parse_line(line: &str) -> Result<LogLine, LineError> {
    let line = without_end(line);
    if let Some(text) = line.strip_prefix('#') {
        return hash_line(text.trim()).map_err(|fault| LineError { column: 1, fault });
    }
    if line.trim().is_empty() {
        return Ok(LogLine::Empty);
    }
    record(line).map(LogLine::Record)
}

/// Returns a line without its LF or CRLF.
pub(super) fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn hash_line(text: &str) -> Result<LogLine, LogFault> {
    if let Some(format) = text.strip_prefix(TITLE_PREFIX) {
        let format = format.trim();
        return if format == FORMAT_VERSION.to_string() {
            Ok(LogLine::Title)
        } else {
            Err(LogFault::Format(format.to_owned()))
        };
    }
    Ok(match text.split_once(':') {
        // A name with a control character is damaged; replacing the character by a space would create another name.
        Some((key, value)) if !key.trim().is_empty() && !key.contains(char::is_control) => {
            LogLine::Header { key: key.trim().to_owned(), value: value.trim().to_owned() }
        }
        _ => LogLine::Comment,
    })
}

fn record(line: &str) -> Result<Record, LineError> {
    verify_checksum(line)?;
    let (text, _) = checksum::split(line);
    let fault = |at: usize, fault| error_at(text, at, fault);

    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (time, after_time) = text.split_at(digits);
    if time.is_empty() || !(after_time.is_empty() || after_time.starts_with(' ')) {
        return Err(fault(digits, LogFault::NoTime));
    }
    let Ok(at) = time.parse() else { return Err(fault(0, LogFault::TimeTooLarge(time.to_owned()))) };

    let kind_and_rest = after_time.trim_start_matches(' ');
    let kind_at = text.len() - kind_and_rest.len();
    let (kind, rest) = kind_and_rest.split_once(' ').unwrap_or((kind_and_rest, ""));
    let mut characters = kind.chars();
    let mark = match (characters.next(), characters.next()) {
        (None, _) => return Err(fault(kind_at, LogFault::NoKind)),
        (Some(mark), None) => mark,
        _ => return Err(fault(kind_at, LogFault::LongKind(kind.to_owned()))),
    };

    let rest_at = text.len() - rest.len();
    let word = rest.trim();
    let word_at = rest_at + (rest.len() - rest.trim_start().len());
    // In a record without bytes a damaged checksum mark may become a space; the checksum must not be read as bytes
    // then.
    let written = rest.trim_end();
    let bytes = || {
        hex::decode(written).map_err(|error| match error {
            hex::HexError::Character(at, character) => fault(rest_at + at, LogFault::InvalidHex(character)),
            hex::HexError::OddLength => fault(rest_at + written.len() - 1, LogFault::OddHex),
        })
    };
    let kind = match mark {
        '<' => RecordKind::FromBoard(bytes()?),
        '>' => RecordKind::ToBoard(bytes()?),
        '=' => match word {
            "up" => RecordKind::LinkUp,
            "down" => RecordKind::LinkDown,
            _ => return Err(fault(word_at, LogFault::Link(word.to_owned()))),
        },
        '!' => RecordKind::Operator(rest.to_owned()),
        '?' => RecordKind::Note(rest.to_owned()),
        '.' if word.is_empty() => RecordKind::Tick,
        '.' => return Err(fault(word_at, LogFault::TrailingText(word.to_owned()))),
        '@' => match DateTime::parse_from_rfc3339(word) {
            Ok(shown) => RecordKind::ClockSet(shown),
            Err(_) => return Err(fault(word_at, LogFault::InvalidClock(word.to_owned()))),
        },
        '~' => RecordKind::IdleAnswers(
            idle_answer::decode(word).map_err(|at| fault(word_at + at, LogFault::InvalidIdleAnswers))?,
        ),
        other => RecordKind::Other(other, rest.to_owned()),
    };
    Ok(Record { at, kind })
}

/// Verifies the checksum of a line, if it has one. Columns count characters, as editors do.
pub(super) fn verify_checksum(line: &str) -> Result<(), LineError> {
    let (text, Some(written)) = checksum::split(line) else { return Ok(()) };
    let computed = checksum::crc32c(text);
    let digits_at = line.len() - checksum::DIGIT_COUNT;
    if written == computed {
        Ok(())
    } else {
        Err(error_at(line, digits_at, LogFault::Checksum { expected: written, computed }))
    }
}

fn error_at(text: &str, at: usize, fault: LogFault) -> LineError {
    LineError { column: text.get(..at).unwrap_or(text).chars().count() + 1, fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(line: &str, at: u64, kind: RecordKind) {
        assert_eq!(parse_line(line), Ok(LogLine::Record(Record { at, kind })), "{line:?}");
    }

    #[track_caller]
    fn refuse(line: &str, column: usize, message: &str) {
        let error = parse_line(line).expect_err(line);
        assert_eq!(error.column, column, "{line:?}: {error}");
        assert!(error.fault.to_string().contains(message), "{line:?}: {error}");
    }

    #[test]
    fn reads_every_kind_of_record() {
        let bytes = || vec![0x8e, 0x00, 0x05, 0x1f, 0x00];
        check("0 = up", 0, RecordKind::LinkUp);
        check("5000 = down\n", 5000, RecordKind::LinkDown);
        check("3 > 40", 3, RecordKind::ToBoard(vec![0x40]));
        check("1040 < 8e00051f00 ;12efc721", 1040, RecordKind::FromBoard(bytes()));
        check("1040 < 8e00051f00 ;12EFC721\r\n", 1040, RecordKind::FromBoard(bytes()));
        check("1040 < 8E00051F00\r\n", 1040, RecordKind::FromBoard(bytes()));
        check("2000 ! result 2-0", 2000, RecordKind::Operator("result 2-0".into()));
        check("2000 ! result 2-0 ;65171f59", 2000, RecordKind::Operator("result 2-0".into()));
        check("2100 ! names a ;12345678 / b", 2100, RecordKind::Operator("names a ;12345678 / b".into()));
        check("2100 ! names a ;12345678 / b ;3f88372d", 2100, RecordKind::Operator("names a ;12345678 / b".into()));
        check("9 ? a ;note", 9, RecordKind::Note("a ;note".into()));
        check("9 ?", 9, RecordKind::Note(String::new()));
        check("5300 .", 5300, RecordKind::Tick);
        check("5300 . ;cf4793f4", 5300, RecordKind::Tick);
        let shown = DateTime::parse_from_rfc3339("2026-11-21T09:30:06.250+01:00").unwrap();
        check("6000 @ 2026-11-21T09:30:06.250+01:00", 6000, RecordKind::ClockSet(shown));
        check("5300 % of a later version", 5300, RecordKind::Other('%', "of a later version".into()));
        check("18446744073709551615 .", u64::MAX, RecordKind::Tick);
    }

    #[test]
    fn reads_lines_without_records() {
        let header = |key: &str, value: &str| Ok(LogLine::Header { key: key.into(), value: value.into() });
        assert_eq!(parse_line("# damcast byte log 1"), Ok(LogLine::Title));
        assert_eq!(parse_line("# damcast byte log 1\r\n"), Ok(LogLine::Title));
        assert_eq!(
            parse_line("# opened: 2026-11-21T09:30:00.000+01:00"),
            header("opened", "2026-11-21T09:30:00.000+01:00")
        );
        assert_eq!(parse_line("#game-type:20"), header("game-type", "20"));
        assert_eq!(parse_line("# tag-White:"), header("tag-White", ""));
        assert_eq!(parse_line("# just a remark"), Ok(LogLine::Comment));
        assert_eq!(parse_line("#: x"), Ok(LogLine::Comment));
        assert_eq!(parse_line("#"), Ok(LogLine::Comment));
        for empty in ["", "\n", "\r\n", "  "] {
            assert_eq!(parse_line(empty), Ok(LogLine::Empty));
        }
    }

    #[test]
    fn reports_problem_and_place() {
        refuse("# damcast byte log 2", 1, "format \"2\"; this version reads format 1");
        refuse("[Event \"x\"]", 1, "starts with its time in milliseconds");
        refuse("-5 < 00", 1, "starts with its time");
        refuse("12x < 00", 3, "starts with its time");
        refuse("18446744073709551616 .", 1, "too large");
        refuse("12", 3, "has no kind");
        refuse("12 ", 4, "has no kind");
        refuse("12 <8e", 4, "\"<8e\" is no kind of record");
        refuse("12 < 8e0x", 9, "'x' is no hexadecimal digit");
        refuse("12 < 8e 00", 8, "' ' is no hexadecimal digit");
        refuse("12 < 8é", 7, "'é' is no hexadecimal digit");
        refuse("12 < 8e0", 8, "only one hexadecimal digit");
        refuse("12 = sideways", 6, "not \"sideways\"");
        refuse("12 =", 5, "not \"\"");
        refuse("12 . 5300", 6, "nothing follows");
        refuse("12 @ at nine", 6, "\"at nine\" is no moment");
        refuse("12 @", 5, "is no moment");
        refuse("1040 < 8e00051f01 ;12efc721", 20, "the checksum is 12efc721 but the record has");
        refuse("1041 < 8e00051f00 ;12efc721", 20, "the checksum is 12efc721 but the record has");
        // A checksum that lacks a digit is invalid as checksum and as bytes.
        refuse("1040 < 8e00051f00 ;12efc72", 18, "' ' is no hexadecimal digit");
        // A checksum with a damaged mark is not read as bytes.
        refuse("10000 < \r0ec38bc2", 9, "'\\r' is no hexadecimal digit");
        refuse("10000 <  0ec38bc2", 9, "' ' is no hexadecimal digit");
    }

    pub fn any_kind() -> impl Strategy<Value = RecordKind> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..20);
        let text = || prop_oneof![r"\PC{0,20}", Just("a ;12345678".to_owned()), Just(" ;00000000".to_owned())];
        prop_oneof![
            bytes().prop_map(RecordKind::FromBoard),
            bytes().prop_map(RecordKind::ToBoard),
            Just(RecordKind::LinkUp),
            Just(RecordKind::LinkDown),
            text().prop_map(RecordKind::Operator),
            text().prop_map(RecordKind::Note),
            Just(RecordKind::Tick),
            (0..4_102_444_800_000i64, -14 * 60..14 * 60).prop_map(|(millis, minutes)| {
                let offset = chrono::FixedOffset::east_opt(minutes * 60).unwrap();
                RecordKind::ClockSet(DateTime::from_timestamp_millis(millis).unwrap().with_timezone(&offset))
            }),
            ("[a-z%&*+]", text()).prop_map(|(mark, text)| RecordKind::Other(mark.chars().next().unwrap(), text)),
        ]
    }

    proptest! {
        #[test]
        fn record_roundtrip(at in any::<u64>(), kind in any_kind()) {
            let record = Record { at, kind };
            let line = record.to_line();
            prop_assert_eq!(line.find('\n'), Some(line.len() - 1));
            prop_assert_eq!(parse_line(&line), Ok(LogLine::Record(record)));
        }

        #[test]
        fn changed_character_never_passes(at in 0u64..100_000, kind in any_kind(), place in any::<prop::sample::Index>(), new in "[0-9a-f <>=!?.;]") {
            let line = Record { at, kind }.to_line();
            let body = line.trim_end_matches('\n');
            let old = place.index(body.chars().count());
            let changed: String =
                body.chars().enumerate().map(|(i, c)| if i == old { new.chars().next().unwrap() } else { c }).collect();
            // Damage to the checksum mark itself can turn it into text; all other damage must be detected.
            let intact_mark = changed.len() == body.len() && checksum::split(&changed).1.is_some();
            if changed != body && intact_mark {
                prop_assert!(parse_line(&changed).is_err(), "{} became {}", body, changed);
            }
        }

        #[test]
        fn reads_arbitrary_lines(line in "\\PC{0,40}", record in "[0-9]{1,3} [<>=!?.%@] ?[0-9a-fTZ:é ;]{0,20}") {
            for line in [line, record] {
                if let Err(error) = parse_line(&line) {
                    prop_assert!((1..=line.chars().count() + 1).contains(&error.column));
                }
            }
        }
    }
}
