//! Reads a log line by line, including one cut short by a crash.
//!
//! After a loss of power the last line may be incomplete. This is expected: the line is cut and reported. All other
//! faults are errors with line and column, because a replay that skips unreadable records could publish a different
//! game.
//!
//! | last line | result |
//! |---|---|
//! | has its LF and is valid | read |
//! | has no LF, but a valid checksum | read: nothing is missing |
//! | has no LF and no valid checksum | cut, even if it looks complete: its end may be missing |
//! | has its LF and cannot be parsed | cut |
//! | has its LF and a wrong checksum | error, as on any other line: the line was changed, not torn |

use std::io::{self, BufRead, Read};

use super::checksum;
use super::gap_filler::KEY_LOST;
use super::header::{Header, SEAL_KEY, Seal};
use super::line::{LineError, LogFault, LogLine, parse_line, verify_checksum, without_end};
use super::record::{Record, RecordKind};
use super::summary::{LogError, LogProblem, LogSummary};

/// Byte log in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteLog {
    /// Lines before the first record.
    pub header: Header,
    /// Records in order; times never decrease.
    pub records: Vec<Record>,
    /// Problems that did not prevent the reading.
    pub problems: Vec<LogProblem>,
}

impl ByteLog {
    /// Returns the log as text, each record with its checksum.
    pub fn to_text(&self) -> String {
        let mut text = self.header.to_text();
        text.extend(self.records.iter().map(Record::to_line));
        text
    }
}

/// Reads a whole log.
///
/// # Errors
///
/// Returns the first fault, except a torn last line, which is a [`LogProblem`].
pub fn read(text: &[u8]) -> Result<ByteLog, LogError> {
    match read_valid_prefix(text) {
        (log, None) => Ok(log),
        (_, Some(error)) => Err(error),
    }
}

/// Reads the valid lines of a log up to the first fault; returns that fault as well.
pub fn read_valid_prefix(text: &[u8]) -> (ByteLog, Option<LogError>) {
    let mut log = ByteLog::default();
    // Reading from memory cannot fail.
    let Ok(mut records) = LogRecords::new(text) else { return (log, None) };
    while let Ok(Some(record)) = records.next_record() {
        log.records.push(record);
    }
    let LogRecords { reader, summary, .. } = records;
    (log.header, log.problems) = (reader.into_header(), summary.problems);
    (log, summary.damage)
}

/// Reads the records of a log one at a time up to the first fault. Holds at most one line in memory.
#[derive(Debug)]
pub struct LogRecords<R> {
    source: R,
    reader: LogReader,
    line: Vec<u8>,
    /// First record, already read together with the header.
    first_record: Option<Record>,
    summary: LogSummary,
    is_over: bool,
}

impl<R: BufRead> LogRecords<R> {
    /// Reads the header of a log.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the source. Faults of the log itself appear in [`LogRecords::summary`].
    pub fn new(source: R) -> io::Result<LogRecords<R>> {
        let (reader, summary) = (LogReader::new(), LogSummary::default());
        let mut records = LogRecords { source, reader, line: Vec::new(), first_record: None, summary, is_over: false };
        records.first_record = records.read_next()?;
        records.reader.check_header();
        if records.header().is_changed {
            let problem = if records.ends_in_header() { LogProblem::HeaderTorn } else { LogProblem::HeaderChanged };
            records.summary.problems.push(problem);
        }
        Ok(records)
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        self.reader.header()
    }

    /// Whether the log ends before its first record, and a checksum of its header that was written whole is undamaged.
    fn ends_in_header(&self) -> bool {
        let is_torn_at =
            |at| matches!(self.summary.problems.last(), Some(LogProblem::TornEnd { line, .. }) if *line == at);
        let is_sealed = self.reader.is_seal_whole || is_torn_at(SEAL_LINE);
        self.first_record.is_none() && self.summary.damage.is_none() && is_sealed
    }

    /// Returns the next record; `None` at the end or at the first fault.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the source.
    pub fn next_record(&mut self) -> io::Result<Option<Record>> {
        match self.first_record.take() {
            Some(record) => Ok(Some(record)),
            None => self.read_next(),
        }
    }

    /// Returns the summary so far; complete after the last record.
    pub fn summary(&self) -> &LogSummary {
        &self.summary
    }

    /// Reads the log to its end and returns its summary.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the source.
    pub fn into_summary(mut self) -> io::Result<LogSummary> {
        while self.next_record()?.is_some() {}
        Ok(self.summary)
    }

    fn read_next(&mut self) -> io::Result<Option<Record>> {
        while !self.is_over {
            let (bytes, is_ended) = match self.read_line() {
                // Data that cannot be decompressed is damage of the log, like a wrong checksum.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    let fault = LogFault::Decompression(error.to_string());
                    self.stop_at(LogError { line: self.reader.lines() + 1, column: 1, fault });
                    break;
                }
                read => read?,
            };
            if bytes == 0 {
                self.is_over = true;
                break;
            }
            self.summary.bytes += bytes as u64;
            let result = if bytes > self.line.len() {
                self.reader.skip_line(&self.line)
            } else {
                self.reader.push_bytes(&self.line)
            };
            let may_be_torn = is_torn(&self.line, &result);
            if may_be_torn && (!is_ended || self.source.fill_buf()?.is_empty()) {
                self.summary.problems.push(LogProblem::TornEnd { line: self.reader.lines(), bytes });
                self.is_over = true;
                break;
            }
            match result {
                Ok(LogLine::Record(record)) => {
                    self.summary.records += 1;
                    self.summary.end_time = record.end_time();
                    if let RecordKind::ClockSet(shown) = record.kind {
                        self.summary.clock_set.push((record.at, shown));
                    }
                    return Ok(Some(record));
                }
                Ok(LogLine::Header { key, value }) if key == KEY_LOST => {
                    let bytes = value.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
                    self.summary.problems.push(LogProblem::BytesLost { line: self.reader.lines(), bytes });
                }
                Ok(_) => {}
                Err(error) => self.stop_at(error),
            }
        }
        Ok(None)
    }

    fn stop_at(&mut self, damage: LogError) {
        self.summary.damage = Some(damage);
        self.is_over = true;
    }

    /// Reads the next line, keeping at most [`MAX_LINE_LEN`] bytes. Returns its length in bytes, and whether it ends
    /// with LF.
    fn read_line(&mut self) -> io::Result<(usize, bool)> {
        self.line.clear();
        let mut bytes = (&mut self.source).take(MAX_LINE_LEN).read_until(b'\n', &mut self.line)?;
        let mut is_ended = self.line.ends_with(b"\n");
        while !is_ended {
            let more = self.source.fill_buf()?;
            if more.is_empty() {
                break;
            }
            let end = more.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let count = end.unwrap_or(more.len());
            is_ended = end.is_some();
            self.source.consume(count);
            bytes += count;
        }
        Ok((bytes, is_ended))
    }
}

/// Maximum length of a kept line in bytes. Real records have a few thousand; longer lines are damage, for example the
/// zeros that a loss of power leaves.
const MAX_LINE_LEN: u64 = 4 << 20;

/// Number of the line with the checksum of the header.
const SEAL_LINE: usize = 2;

/// Parses the lines of a log as they arrive and checks that they are consistent.
#[derive(Clone, Debug, Default)]
pub struct LogReader {
    header: Header,
    /// Checksum of the header, until the first record.
    seal: Option<Seal>,
    /// Whether the header has a checksum in its place, undamaged.
    is_seal_whole: bool,
    /// Lines of the header that the checksum covers, until the first record.
    header_text: String,
    lines: usize,
    last: Option<u64>,
}

impl LogReader {
    /// Creates a reader in front of the first line.
    pub fn new() -> LogReader {
        LogReader::default()
    }

    /// Reads the next line, with or without its LF or CRLF. An erroneous line counts as empty, so callers may continue.
    ///
    /// # Errors
    ///
    /// Returns a fault of the line itself or of its order.
    pub fn push_line(&mut self, line: &str) -> Result<LogLine, LogError> {
        self.lines += 1;
        let number = self.lines;
        let error = |LineError { column, fault }| LogError { line: number, column, fault };
        let parsed = parse_line(line).map_err(error)?;
        let seal = if matches!(parsed, LogLine::Record(_)) { None } else { Seal::parse(without_end(line)) };
        match seal {
            Some(seal) if number == SEAL_LINE => {
                self.seal = Some(seal);
                return Ok(LogLine::Comment);
            }
            // It was moved.
            Some(Seal::Whole(_)) if self.last.is_none() => self.seal = Some(Seal::Damaged),
            _ => {}
        }
        // A record whose first digit was damaged into "#" would pass for a comment.
        let remark =
            matches!(parsed, LogLine::Comment) || self.last.is_some() && matches!(parsed, LogLine::Header { .. });
        if remark {
            verify_checksum(without_end(line)).map_err(error)?;
        }
        match &parsed {
            LogLine::Header { key, .. } if self.last.is_some() && Header::affects_replay(key) => {
                return Err(error(LineError { column: 1, fault: LogFault::LateHeader(key.clone()) }));
            }
            LogLine::Header { .. } if self.last.is_some() => {}
            // The checksum, moved and damaged: it is no other line of the header.
            LogLine::Header { key, .. } if key.starts_with(SEAL_KEY) => self.seal = Some(Seal::Damaged),
            LogLine::Header { key, value } => {
                let column = line.find(':').map_or(1, |colon| line[..colon].chars().count() + 3);
                self.header.set(key, value).map_err(|fault| error(LineError { column, fault: fault.into() }))?;
            }
            LogLine::Record(record) => {
                self.check_header();
                if let Some(before) = self.last.filter(|before| *before > record.at) {
                    return Err(error(LineError {
                        column: 1,
                        fault: LogFault::TimeGoesBack { before, now: record.at },
                    }));
                }
                self.last = Some(record.end_time());
            }
            LogLine::Title | LogLine::Comment | LogLine::Empty => {}
        }
        if self.last.is_none() {
            self.header_text.push_str(without_end(line));
            self.header_text.push('\n');
        }
        Ok(parsed)
    }

    /// Compares the header with its checksum, if it has one.
    fn check_header(&mut self) {
        let computed = checksum::crc32c(&std::mem::take(&mut self.header_text));
        if let Some(seal) = self.seal.take() {
            self.is_seal_whole = matches!(seal, Seal::Whole(_));
            self.header.is_changed = seal != Seal::Whole(computed);
        }
    }

    /// Reads the next line as bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`push_line`](Self::push_line), and an error if the bytes are not UTF-8.
    pub fn push_bytes(&mut self, line: &[u8]) -> Result<LogLine, LogError> {
        match std::str::from_utf8(line) {
            Ok(text) => self.push_line(text).map_err(|error| match line.iter().position(|&byte| byte == 0) {
                Some(at) => LogError { column: at + 1, fault: LogFault::ZeroBytes, ..error },
                None => error,
            }),
            Err(error) => {
                self.lines += 1;
                let before = line.get(..error.valid_up_to()).unwrap_or_default();
                let column = String::from_utf8_lossy(before).chars().count() + 1;
                Err(LogError { line: self.lines, column, fault: LogFault::NotUtf8 })
            }
        }
    }

    /// Skips a line that is too long to parse, and returns its fault.
    fn skip_line(&mut self, begin: &[u8]) -> Result<LogLine, LogError> {
        self.lines += 1;
        let fault = if begin.contains(&0) { LogFault::ZeroBytes } else { LogFault::TooLong };
        Err(LogError { line: self.lines, column: 1, fault })
    }

    /// Returns the header, as far as it was read.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the header.
    pub fn into_header(self) -> Header {
        self.header
    }

    /// Returns the number of lines read.
    pub fn lines(&self) -> usize {
        self.lines
    }
}

/// Whether the last line of a log is incomplete, according to the table above.
fn is_torn(bytes: &[u8], result: &Result<LogLine, LogError>) -> bool {
    let ended = bytes.ends_with(b"\n");
    match result {
        Ok(LogLine::Record(_)) if !ended => {
            std::str::from_utf8(bytes).is_ok_and(|line| checksum::split(without_end(line)).1.is_none())
        }
        Ok(LogLine::Empty) => false,
        Ok(_) => !ended,
        Err(LogError { fault: LogFault::Checksum { .. } | LogFault::Format(_), .. }) => !ended,
        Err(LogError {
            fault: LogFault::TimeGoesBack { .. } | LogFault::LateHeader(_) | LogFault::Header(_), ..
        }) => !ended,
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOG: &str = "\
# damcast byte log 1
# line: hall-a-3
# opened: 2026-11-21T09:30:00.000+01:00
# game-type: 20
# mode: single
# tag-White: A. Schwarzman
# tag-Black: R. Boomstra
# set-settle: 600
# made-by: hand
0 = up
3 > 40
25 < 930005010b

1040 < 8e00051f00 ;12efc721
1040 ? nobody minds
2000 ! result 2-0
2500 % of a later version
5300 .
5300 = down
";

    #[test]
    fn moved_and_damaged_checksum_is_no_line_of_header() {
        let log = read_valid_prefix(b"#head 12 of line:1\n# tag-White: A\n").0;
        assert_eq!((log.header.is_changed, log.problems.as_slice()), (true, &[LogProblem::HeaderChanged][..]));
        let text = log.to_text();
        assert!(!text.contains("of line"), "{text}");
        assert_eq!(read(text.as_bytes()).unwrap().problems, []);
    }

    #[test]
    fn checksum_of_header_finds_each_change() {
        let plain = read(LOG.as_bytes()).unwrap().header;
        let seal = plain.to_sealed_text();
        assert_eq!(
            seal.lines()
                .filter(|line| !line.starts_with("# head "))
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
            plain.to_text()
        );
        let records = [Record::new(0, RecordKind::LinkUp), Record::new(5, RecordKind::Tick)];
        let whole = seal.clone() + &records.map(|record| record.to_line()).concat();
        let (log, damage) = read_valid_prefix(whole.as_bytes());
        assert_eq!((&log.header, log.problems, damage), (&plain, Vec::new(), None));
        for at in 0..seal.len() {
            let mut changed = whole.clone().into_bytes();
            changed[at] ^= 4;
            let (log, damage) = read_valid_prefix(&changed);
            assert!(damage.is_some() || log.header.is_changed && log.problems.len() == 1, "{at}: {:?}", log.header);
            assert!(damage.is_some() || !log.records.is_empty(), "{at}");
        }
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        for (one, other) in (2..lines.len()).flat_map(|one| (1..one).map(move |other| (one, other))) {
            let mut swapped = lines.clone();
            swapped.swap(one, other);
            let (log, damage) = read_valid_prefix(swapped.concat().as_bytes());
            assert!(log.header.is_changed || damage.is_some() && one > lines.len() - 3, "{one} {other}");
        }
    }

    #[test]
    fn header_cut_before_first_record_is_torn_not_changed() {
        let header = read(LOG.as_bytes()).unwrap().header;
        let seal = header.to_sealed_text();
        let lines: Vec<usize> = seal.match_indices('\n').map(|(at, _)| at + 1).collect();
        for at in 0..seal.len() {
            let (log, damage) = read_valid_prefix(&seal.as_bytes()[..at]);
            assert_eq!(damage, None, "{at}");
            assert!(!log.problems.contains(&LogProblem::HeaderChanged), "{at}: {:?}", log.problems);
            let is_complete = at + 1 == seal.len();
            assert!(
                at < lines[1] || is_complete || log.problems.contains(&LogProblem::HeaderTorn),
                "{at}: {:?}",
                log.problems
            );
        }
        // A record follows, so the lines were there.
        for at in &lines[1..lines.len() - 1] {
            let text = format!("{}{}", &seal[..*at], Record::new(0, RecordKind::LinkUp).to_line());
            assert_eq!(read_valid_prefix(text.as_bytes()).0.problems, [LogProblem::HeaderChanged], "{at}");
        }
        // A damaged checksum is no sign of a cut.
        let damaged = seal.replacen(&seal[lines[0] + 8..lines[0] + 10], "zz", 1);
        assert_eq!(read_valid_prefix(damaged.as_bytes()).0.problems, [LogProblem::HeaderChanged]);
    }

    fn kinds(log: &ByteLog) -> Vec<(u64, RecordKind)> {
        log.records.iter().map(|record| (record.at, record.kind.clone())).collect()
    }

    #[test]
    fn reads_log() {
        let log = read(LOG.as_bytes()).unwrap();
        assert_eq!(log.header.line.as_deref(), Some("hall-a-3"));
        assert_eq!(log.header.opened.unwrap().to_rfc3339(), "2026-11-21T09:30:00+01:00");
        assert_eq!(log.header.game_type.as_deref(), Some("20"));
        assert_eq!(log.header.mode, Some(super::super::Mode::Single));
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(log.header.tags, [pair("White", "A. Schwarzman"), pair("Black", "R. Boomstra")]);
        assert_eq!(log.header.settings, [pair("settle", "600")]);
        assert_eq!(log.header.other, [pair("made-by", "hand")]);
        assert_eq!(
            kinds(&log),
            [
                (0, RecordKind::LinkUp),
                (3, RecordKind::ToBoard(vec![0x40])),
                (25, RecordKind::FromBoard(vec![0x93, 0x00, 0x05, 0x01, 0x0b])),
                (1040, RecordKind::FromBoard(vec![0x8e, 0x00, 0x05, 0x1f, 0x00])),
                (1040, RecordKind::Note("nobody minds".into())),
                (2000, RecordKind::Operator("result 2-0".into())),
                (2500, RecordKind::Other('%', "of a later version".into())),
                (5300, RecordKind::Tick),
                (5300, RecordKind::LinkDown),
            ]
        );
        assert_eq!(log.problems, []);
        assert_eq!(read(LOG.replace('\n', "\r\n").as_bytes()), Ok(log));
    }

    #[test]
    fn drops_unterminated_line() {
        let zeros = vec![0; MAX_LINE_LEN as usize + 3];
        let log = [b"0 = up\n".as_slice(), &zeros].concat();
        let mut records = LogRecords::new(log.as_slice()).unwrap();
        assert_eq!(records.next_record().unwrap(), Some(Record::new(0, RecordKind::LinkUp)));
        assert_eq!(records.next_record().unwrap(), None);
        assert_eq!(records.summary().problems, [LogProblem::TornEnd { line: 2, bytes: zeros.len() }]);
        assert!(records.line.capacity() < 2 * zeros.len(), "{}", records.line.capacity());
        let error = read(&[log.as_slice(), b"\n1 .\n"].concat()).unwrap_err();
        assert_eq!((error.line, error.fault), (2, LogFault::ZeroBytes));
        let error = read(&[&vec![b'x'; MAX_LINE_LEN as usize + 3], b"\n1 .\n".as_slice()].concat()).unwrap_err();
        assert_eq!((error.line, error.fault), (1, LogFault::TooLong));
    }

    #[test]
    fn yields_records_one_by_one_until_error() {
        let text = b"# line: a\n0 = up\n5 .\n4 .\n6 .\n";
        let mut records = LogRecords::new(text.as_slice()).unwrap();
        assert_eq!(records.header().line.as_deref(), Some("a"));
        assert_eq!(records.next_record().unwrap(), Some(Record::new(0, RecordKind::LinkUp)));
        assert_eq!(records.next_record().unwrap(), Some(Record::new(5, RecordKind::Tick)));
        assert_eq!(records.next_record().unwrap(), None);
        let summary = records.into_summary().unwrap();
        assert_eq!((summary.records, summary.end_time, summary.damage.map(|damage| damage.line)), (2, 5, Some(4)));
    }

    #[test]
    fn empty_log_is_valid() {
        assert_eq!(read(b""), Ok(ByteLog::default()));
        assert_eq!(read(b"\n\n"), Ok(ByteLog::default()));
    }

    #[track_caller]
    fn refuse(text: &str, message: &str) {
        let error = read(text.as_bytes()).expect_err(text).to_string();
        assert!(error.starts_with(message), "{error}");
    }

    #[test]
    fn errors_name_place() {
        refuse("# damcast byte log 2\n0 = up\n", "line 1, column 1: this is a byte log of format \"2\"");
        refuse("# damcast byte log 2\n", "line 1, column 1: this is a byte log of format \"2\"");
        refuse("# mode: both\n0 = up\n", "line 1, column 9: \"both\" is no mode");
        refuse("# opened: now\n", "line 1, column 11: \"now\" is no moment");
        refuse("0 = up\n1 < zz\n2 = down\n", "line 2, column 5: 'z' is no hexadecimal digit");
        refuse(
            "0 = up\r\n\r\n5 .\r\n4 .\r\n6 .\r\n",
            "line 4, column 1: the time 4 is before that of the record above it, 5",
        );
        refuse("0 = up\n5 .\n4 .\n", "line 3, column 1: the time 4 is before");
        refuse("0 = up\n# game-type: 20\n1 .\n", "line 2, column 1: \"# game-type:\" has to stand before");
        refuse("1040 < 8e00051f01 ;12efc721\n2000 .\n", "line 1, column 20: the checksum is 12efc721");
        refuse("[Event \"?\"]\n[White \"?\"]\n", "line 1, column 1: a record starts with its time");
        let error = read(b"0 = up\n1 ? \xff\n2 .\n").unwrap_err();
        assert_eq!((error.line, error.column, error.fault), (2, 5, LogFault::NotUtf8));
    }

    #[test]
    fn changed_last_record_differs_from_torn_one() {
        refuse("0 = up\n1040 < 8e00051f01 ;12efc721\n", "line 2, column 20: the checksum is 12efc721");
    }

    #[test]
    fn remarks_and_unknown_keys_may_stand_anywhere() {
        let log = read(b"0 = up\n# here the arbiter came\n# weather: rain\n1 .\n").unwrap();
        assert_eq!(log.records.len(), 2);
        assert_eq!(log.problems, []);
    }

    #[test]
    fn cuts_and_reports_torn_end() {
        for (torn, records) in [
            (&b"1040 < 8e00051f00"[..], 1),
            (b"1040 < 8e00", 1),
            (b"1040 < 8e00051f00 ;12ef", 1),
            (b"1040 < 8e00051f00 ;12efc722", 1),
            (b"10", 1),
            (b"1", 1),
            (b"1040 ! names \xc3", 1),
            (b"\0\0\0\0\0\0", 1),
            (b"1040 < 8e000\n", 1),
            (b"\0\0\0\n", 1),
            (b"# tag-Whi", 1),
        ] {
            let text = [b"0 = up\n", torn].concat();
            let log = read(&text).unwrap();
            assert_eq!(log.records.len(), records, "{}", torn.escape_ascii());
            assert_eq!(log.problems, [LogProblem::TornEnd { line: 2, bytes: torn.len() }], "{}", torn.escape_ascii());
        }
        let problem = LogProblem::TornEnd { line: 2, bytes: 11 }.to_string();
        assert_eq!(problem, "line 2: the log ends in the middle of a line; its last 11 bytes were left out");
        // Only the LF is missing, as the checksum proves.
        let log = read(b"0 = up\n1040 < 8e00051f00 ;12efc721").unwrap();
        assert_eq!((log.records.len(), log.problems.len()), (2, 0));
    }

    /// Wherever a log is torn, the lines above are read, and nothing else.
    #[test]
    fn torn_log_is_prefix() {
        let whole = read(LOG.as_bytes()).unwrap();
        let text = whole.to_text();
        for cut in 0..text.len() {
            let log = read(&text.as_bytes()[..cut]).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
            assert!(whole.records.starts_with(&log.records), "cut at {cut}");
            let lines_left = text[..cut].matches('\n').count();
            let records_left = lines_left.saturating_sub(9);
            assert!(log.records.len() == records_left || text[cut..].starts_with('\n'), "cut at {cut}");
        }
    }

    #[test]
    fn continues_after_error() {
        let mut reader = LogReader::new();
        reader.push_line("# game-type: 25").unwrap();
        reader.push_line("5 .").unwrap();
        assert_eq!(reader.push_line("4 .").unwrap_err().line, 3);
        assert_eq!(reader.push_line("6 = up"), Ok(LogLine::Record(Record::new(6, RecordKind::LinkUp))));
        assert_eq!((reader.header().game_type.as_deref(), reader.lines()), (Some("25"), 4));
    }

    /// Reads external recordings: every `*.log` in `logs` of the folder named by `DAMCAST_CORPUS`.
    #[test]
    fn foreign_recordings_roundtrip() {
        let Some(corpus) = std::env::var_os("DAMCAST_CORPUS") else { return };
        let folder = std::path::Path::new(&corpus).join("logs");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "log") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let log = read(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(log.problems, [], "{}", path.display());
            let records: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            assert_eq!(log.records.len(), records.len(), "{}", path.display());
            for (record, line) in log.records.iter().zip(records) {
                assert!(checksum::split(line).1.is_some(), "{}: {line} has no checksum", path.display());
                assert_eq!(record.to_line().trim_end(), line, "{}", path.display());
            }
            count += 1;
        }
        assert!(count > 0, "no logs there");
    }

    fn any_log() -> impl Strategy<Value = ByteLog> {
        let kind = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..12).prop_map(RecordKind::FromBoard),
            r"\PC{0,12}".prop_map(RecordKind::Operator),
            Just(RecordKind::LinkUp),
            Just(RecordKind::Tick),
        ];
        let value = || "[!-~é]{1,5}( [!-~é]{1,5})?";
        let records = prop::collection::vec((0u64..5000, kind), 0..20);
        (records, prop::option::of(value()), prop::collection::btree_map("[A-Z][a-z]{0,5}", value(), 0..4)).prop_map(
            |(steps, line, tags)| {
                let mut at = 0;
                let records = steps.into_iter().map(|(wait, kind)| {
                    at += wait;
                    Record::new(at, kind)
                });
                let header = Header { line, tags: tags.into_iter().collect(), ..Header::default() };
                ByteLog { records: records.collect(), header, problems: Vec::new() }
            },
        )
    }

    proptest! {
        #[test]
        fn log_roundtrip(log in any_log()) {
            prop_assert_eq!(read(log.to_text().as_bytes()), Ok(log));
        }

        #[test]
        fn reads_arbitrary_files(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
        }

        /// One damaged byte among the records causes an error or a problem, or changes nothing. Text records are
        /// excluded: if the damaged checksum becomes part of the text, the record is accepted as one without a
        /// checksum.
        #[test]
        fn detects_any_damage(log in any_log(), place in any::<prop::sample::Index>(), flip in 1u8..=255) {
            let is_text = |record: &Record| matches!(record.kind, RecordKind::Operator(_));
            let mut log = ByteLog { records: log.records.into_iter().filter(|record| !is_text(record)).collect(), ..log };
            log.records.push(Record::new(1_000_000, RecordKind::Tick));
            let mut bytes = log.to_text().into_bytes();
            let start = log.header.to_text().len();
            let at = start + place.index(bytes.len() - start);
            bytes[at] ^= flip;
            if let Ok(damaged) = read(&bytes) {
                prop_assert!(damaged.records == log.records || !damaged.problems.is_empty(), "{}", bytes.escape_ascii());
            }
        }
    }
}
