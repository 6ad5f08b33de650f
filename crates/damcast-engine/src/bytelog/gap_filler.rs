//! Fills the gap that lost bytes leave in a log, so that later bytes keep their offset and remain readable.
//!
//! ```text
//! 61250 < 8e00051f00 ;a81a4e50
//! # lost: 4096 bytes
//! 61250 = down ;1c2a4a3e                  traffic unknown, so the link counts as down
//! 61250 = up ;5b0c3f5d
//! ####################
//! 63020 < 8d0020002100 ;0f1e2d3c
//! ```

use super::line::{LogLine, parse_line};
use super::record::{Record, RecordKind};

/// Key of the comment with the number of lost bytes.
pub(super) const KEY_LOST: &str = "lost";
/// Length of a filler line in bytes, including its LF.
const FILL: usize = 100;

/// Returns lines of exactly `length` bytes for the place of lost bytes. `before`: the complete line above the gap.
/// Below about twenty bytes the lines omit the notice of the loss.
pub fn filler(before: &[u8], length: usize) -> Vec<u8> {
    let lost = format!("# {KEY_LOST}: {length} bytes\n");
    let unheard = match std::str::from_utf8(before).map(parse_line) {
        Ok(Ok(LogLine::Record(record))) => [RecordKind::LinkDown, RecordKind::LinkUp]
            .map(|kind| Record::new(record.end_time(), kind).to_line())
            .concat(),
        _ => String::new(),
    };
    let texts = [lost.clone() + &unheard, lost, String::new()];
    let mut bytes = texts.into_iter().find(|text| text.len() <= length).unwrap_or_default().into_bytes();
    while bytes.len() < length {
        let line = FILL.min(length - bytes.len());
        bytes.extend(std::iter::repeat_n(b'#', line - 1));
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::{LogProblem, read};
    use super::*;

    #[test]
    fn filled_hole_has_lost_length_and_log_continues() {
        for length in 0..700 {
            let filled = filler(b"40 < 8e00051f00", length);
            assert_eq!(filled.len(), length);
            let log = [b"0 = up\n40 < 8e00051f00\n".as_slice(), &filled, b"50 .\n"].concat();
            let log = read(&log).unwrap();
            assert_eq!(log.records.last(), Some(&Record::new(50, RecordKind::Tick)), "{length}");
            let records = if length < 65 { 3 } else { 5 };
            assert!(log.records.len() == records || (50..70).contains(&length), "{length}: {:?}", log.records);
            let is_reported = log.problems == [LogProblem::BytesLost { line: 3, bytes: length as u64 }];
            assert_eq!(is_reported, length >= 17, "{length}: {:?}", log.problems);
        }
        // A record of idle answers ends later than its own time.
        let record_text = b"100 ~ 40g40G40-02".as_slice();
        let Ok(LogLine::Record(record)) = parse_line(std::str::from_utf8(record_text).unwrap()) else {
            panic!("no record")
        };
        assert!(record.end_time() > 100);
        let log = [
            b"0 = up\n",
            record_text,
            b"\n",
            &filler(record_text, 200),
            format!("{} .\n", record.end_time()).as_bytes(),
        ]
        .concat();
        assert_eq!(read(&log).unwrap().records.len(), 5);
        // No record precedes the gap.
        assert!(!String::from_utf8(filler(b"# line: a", 200)).unwrap().contains('='));
    }
}
