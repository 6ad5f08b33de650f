//! The order of an outlet's events: the one fact about its `events.ndjson` that no log of a line has.
//!
//! ```text
//!   0 + 8f3c2a9be01d44c7 hall-a 17 ;0f129ac3     generation, station, version of the tournament whose hidden names apply (0: none)
//!   1 + hall-1 1 1 5be9c210 ;9a0f12c3            number of the event (`seq`), board, game, number in its stream, CRC-32C of its line
//!   2 + hall-1 1 ~1 e0a1b2c3 ;1b0c77d2           a live update
//!   3 + = 0 =1 00c4d5e6 ;c0ffee12                an event of the tournament
//!   4 + = 0 %1 7be1a9f0 ;5e11ba5e                a change of the published tournament
//!   5 + = 0 @1 90ab12cd ;0ddba11e                a list of all boards
//! ```
//!
//! The checksum of a line, without its LF, proves what was published under a number: where the logs say something else, the line of the
//! file stays if it has this checksum, otherwise another generation begins. Records of earlier versions have none.
//!
//! `log/events.order`; of another outlet `log/events-NAME.order`. Each checksum is chained to the previous one
//! ([`crate::journal::chained`]). A record is durable before its line is written, so the file of events never has more lines
//! unless the order was damaged: then whole lines, which name their events, complete it ([`EventOrder`]).
//!
//! A generation belongs to one outlet of one station and is random, so generation and number identify a line for ever. An order that is
//! replaced, because lines change or are missing, begins another generation.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, BufRead, Read};

use damcast_engine::broadcast::events::{EventId, Generation, Stream, StreamKey};
use serde::Deserialize;

use crate::config::PUBLIC;
use crate::journal::chained::{CHECKSUM, ChainedChecksum, DIGITS};
use crate::journal::witness::{Witness, WitnessMismatch, Witnesses};

/// Maximum length of a record, in bytes.
const MAX_RECORD_LEN: u64 = 4_096;
/// Maximum length of a line of events, in bytes.
const MAX_LINE_LEN: u64 = 1 << 20;
/// Maximum length of the name of a station.
const MAX_STATION_NAME_LEN: usize = 64;
/// Name of a station whose machine has no name.
const DEFAULT_STATION_NAME: &str = "station";
/// Mark before the number of a live update.
const LIVE_UPDATE_MARK: &str = "~";
/// Mark before the number of an event of a tournament, and word in place of a board.
const TOURNAMENT_MARK: &str = "=";
/// Marks before the numbers of events, by stream; those of a game have none.
const MARKS: [(&str, Stream); 4] = [
    (LIVE_UPDATE_MARK, Stream::LiveUpdate),
    (TOURNAMENT_MARK, Stream::Tournament),
    ("%", Stream::Change),
    ("@", Stream::Boards),
];

/// Returns the name of the order of an outlet's events, in the folder of the logs.
pub fn order_file(outlet: &str) -> String {
    if outlet == PUBLIC { "events.order".to_owned() } else { format!("events-{outlet}.order") }
}

/// Whether this is the name of an order of an outlet's events.
pub fn is_order_file(name: &str) -> bool {
    name == order_file(PUBLIC) || name.starts_with("events-") && name.ends_with(".order")
}

/// Returns the name under which an order has its witness: an order of another generation is another file.
pub fn witness_name(outlet: &str, generation: &str) -> String {
    format!("{} {generation}", order_file(outlet))
}

/// Returns record 0.
pub fn first_record(generation: &Generation) -> (String, ChainedChecksum) {
    let Generation { id, station, names } = generation;
    let mut text = format!("0 + {id} {station} {names}");
    let checksum = seal(&mut text, ChainedChecksum::default());
    (text, checksum)
}

/// Returns the checksum of a published line, given with or without its LF.
pub fn line_checksum(line: &[u8]) -> u32 {
    CHECKSUM.checksum(line.strip_suffix(b"\n").unwrap_or(line))
}

/// Returns the record of an event. `line`: checksum of its line.
pub fn record(seq: u64, event: &EventId, line: Option<u32>, before: ChainedChecksum) -> (String, ChainedChecksum) {
    let mut text = String::new();
    let checksum = write_record(&mut text, seq, event, line, before);
    (text, checksum)
}

/// Replaces `text` by the record of an event.
fn write_record(
    text: &mut String,
    seq: u64,
    EventId { board, game, stream, n }: &EventId,
    line: Option<u32>,
    before: ChainedChecksum,
) -> ChainedChecksum {
    let mark = MARKS.iter().find(|(_, known)| known == stream).map_or("", |(mark, _)| mark);
    let board = if stream.is_of_board() { board.as_str() } else { TOURNAMENT_MARK };
    text.clear();
    // Writing to a text cannot fail.
    let _ = write!(text, "{seq} + {board} {game} {mark}{n}");
    if let Some(line) = line {
        let _ = write!(text, " {line:08x}");
    }
    seal(text, before)
}

/// Appends the checksum of a record and its LF.
fn seal(text: &mut String, before: ChainedChecksum) -> ChainedChecksum {
    let checksum = before.next(text.as_bytes());
    let _ = writeln!(text, " ;{checksum}");
    checksum
}

/// Returns 64 random bits, as 16 digits.
///
/// # Errors
///
/// Returns an error if the system has no random numbers.
pub fn random_name() -> io::Result<String> {
    let mut bytes = [0; 8];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(format!("{:016x}", u64::from_ne_bytes(bytes)))
}

/// Returns the name of this machine, reduced to a plain word.
pub fn machine_name() -> String {
    plain_word(&rustix::system::uname().nodename().to_string_lossy())
}

fn plain_word(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.trim_start_matches('.').chars().map(plain).take(MAX_STATION_NAME_LEN).collect();
    if name.is_empty() { DEFAULT_STATION_NAME.to_owned() } else { name }
}

/// Source of bytes, read to its end.
type Source<'d> = Box<dyn BufRead + 'd>;

/// Order of an outlet's events, read record by record as far as it is correct, then completed from whole lines of events.
pub struct EventOrder<'d> {
    order: Source<'d>,
    lines: Source<'d>,
    buffer: Vec<u8>,
    /// Record of the last event.
    record: String,
    /// Generation of all lines.
    pub generation: Generation,
    /// Whether record 0 is there; if not, the generation is that of the lines.
    pub has_generation: bool,
    /// Number of events so far.
    pub seq: u64,
    /// Number of events that the order lacks.
    pub recovered: u64,
    /// Checksum of the line of the last event; `None` in records of earlier versions.
    pub line: Option<u32>,
    /// Whether events that the order lacks get a checksum.
    has_checksums: bool,
    /// Last event of each stream so far.
    pub written: BTreeMap<StreamKey, u64>,
    /// First event that does not follow the event before it of its stream, with the number of that one.
    pub first_misplaced: Option<(EventId, u64)>,
    /// End of the order with all events so far.
    pub end: Witness,
    /// Number of correct bytes of the file.
    pub right: u64,
    witness: Option<Witness>,
    is_confirmed: bool,
    is_recovering: bool,
}

impl<'d> EventOrder<'d> {
    /// Starts reading an order and the lines that it orders. Returns `None` if neither names a generation.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn read(
        outlet: &str,
        mut order: Source<'d>,
        mut lines: Source<'d>,
        witnesses: &Witnesses,
    ) -> io::Result<Option<EventOrder<'d>>> {
        let mut buffer = Vec::new();
        read_line(&mut order, MAX_RECORD_LEN, &mut buffer)?;
        let found = parse_first(&buffer);
        let (has_generation, right) = (found.is_some(), found.as_ref().map_or(0, |_| buffer.len() as u64));
        let generation = match found {
            Some(generation) => generation,
            None => {
                let mut line = Vec::new();
                read_line(&mut lines, MAX_LINE_LEN, &mut line)?;
                let Some(generation) = generation_of_line(&line) else { return Ok(None) };
                lines = Box::new(io::Cursor::new(line).chain(lines));
                generation
            }
        };
        let (first, checksum) = first_record(&generation);
        let end = Witness { length: first.len() as u64, checksum };
        let witness = witnesses.get(&witness_name(outlet, &generation.id));
        Ok(Some(EventOrder {
            order,
            lines,
            buffer,
            record: String::new(),
            generation,
            has_generation,
            seq: 0,
            recovered: 0,
            line: None,
            has_checksums: true,
            written: BTreeMap::new(),
            first_misplaced: None,
            end,
            right,
            witness,
            is_confirmed: witness.is_none_or(|witness| witness == end),
            is_recovering: !has_generation,
        }))
    }

    /// Returns the next event; `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn next_event(&mut self) -> io::Result<Option<EventId>> {
        let (seq, before) = (self.seq + 1, self.end.checksum);
        let mut next = None;
        if !self.is_recovering {
            read_line(&mut self.order, MAX_RECORD_LEN, &mut self.buffer)?;
            next = parse_record(&self.buffer, seq).and_then(|(event, line)| {
                let checksum = write_record(&mut self.record, seq, &event, line, before);
                // Only the exact bytes of the record count.
                (self.record.as_bytes() == self.buffer).then_some((event, line, checksum))
            });
            match &next {
                Some((_, line, _)) => {
                    self.right += self.buffer.len() as u64;
                    self.has_checksums = line.is_some();
                    read_line(&mut self.lines, MAX_LINE_LEN, &mut self.buffer)?;
                }
                None => self.is_recovering = true,
            }
        }
        if next.is_none() {
            read_line(&mut self.lines, MAX_LINE_LEN, &mut self.buffer)?;
            let event = self.buffer.strip_suffix(b"\n").and_then(|line| self.parse_line(line, seq));
            next = event.map(|event| {
                let line = self.has_checksums.then(|| line_checksum(&self.buffer));
                let checksum = write_record(&mut self.record, seq, &event, line, before);
                (event, line, checksum)
            });
            self.recovered += u64::from(next.is_some());
        }
        let Some((event, line, checksum)) = next else { return Ok(None) };
        (self.seq, self.line) = (seq, line);
        self.end = Witness { length: self.end.length + self.record.len() as u64, checksum };
        self.is_confirmed |= self.witness == Some(self.end);
        let known = self.written.insert(event.key(), event.n).unwrap_or(0);
        if event.n != known + 1 && self.first_misplaced.is_none() {
            self.first_misplaced = Some((event.clone(), known));
        }
        Ok(Some(event))
    }

    /// Whether a line may be that of the last event: it has the checksum of the published one, if that is known.
    pub fn may_be(&self, line: &[u8]) -> bool {
        self.line.is_none_or(|published| published == line_checksum(line))
    }

    /// Returns the event of a line if it is the next one of this generation and of its stream.
    fn parse_line(&self, line: &[u8], seq: u64) -> Option<EventId> {
        let LineHead { seq: own, r#gen: generation, board, game, n, p, t, c, b } = serde_json::from_slice(line).ok()?;
        let counts = [
            (Stream::Game, n),
            (Stream::LiveUpdate, p),
            (Stream::Tournament, t),
            (Stream::Change, c),
            (Stream::Boards, b),
        ];
        let mut known = counts.into_iter().filter_map(|(stream, n)| Some((stream, n?)));
        let (Some((stream, n)), None) = (known.next(), known.next()) else { return None };
        let is_next = own == seq && generation == self.generation.id;
        // A correction of a tag belongs to the tournament, although it names a board.
        let (board, game) = if stream.is_of_board() { (board, game) } else { (None, None) };
        let event = EventId { board: board.unwrap_or_default(), game: game.unwrap_or_default(), stream, n };
        let last = self.written.get(&event.key()).copied().unwrap_or(0);
        Some(event).filter(|_| is_next && n == last + 1)
    }

    /// Whether the order that was read equals the file, byte for byte. `length`: length of the file.
    pub fn is_whole(&self, length: u64) -> bool {
        self.has_generation && self.recovered == 0 && self.right == length
    }

    /// Compares the order that was read with its witness.
    ///
    /// # Errors
    ///
    /// Returns [`WitnessMismatch`] if the order lacks its end or is another one.
    pub fn check_witness(&self) -> Result<(), WitnessMismatch> {
        match self.witness {
            Some(witness) if !self.is_confirmed => witness.check(std::iter::once(self.end)),
            _ => Ok(()),
        }
    }
}

/// Members of a line that identify its event.
#[derive(Deserialize)]
struct LineHead {
    seq: u64,
    r#gen: String,
    board: Option<String>,
    game: Option<u32>,
    n: Option<u64>,
    p: Option<u64>,
    t: Option<u64>,
    c: Option<u64>,
    b: Option<u64>,
}

/// Members of a line that name its origin.
#[derive(Deserialize)]
struct LineOrigin {
    r#gen: String,
    station: String,
}

/// Returns the generation of a line; its hidden names are not known.
fn generation_of_line(line: &[u8]) -> Option<Generation> {
    let LineOrigin { r#gen: id, station } = serde_json::from_slice(line).ok()?;
    let is_word = |word: &str| !word.is_empty() && plain_word(word) == word;
    (is_word(&id) && is_word(&station)).then_some(Generation { id, station, names: 0 })
}

fn read_line(source: &mut impl BufRead, max_len: u64, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    source.take(max_len).read_until(b'\n', line).map(drop)
}

/// Returns the words of a record between its mark and its checksum.
fn words(line: &[u8], seq: u64) -> Option<Vec<&str>> {
    let (text, _) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.rsplit_once(" ;")?;
    let mut words = text.split(' ');
    let is_it = words.next()?.parse() == Ok(seq) && words.next()? == "+";
    is_it.then(|| words.collect())
}

fn parse_first(line: &[u8]) -> Option<Generation> {
    let [id, station, names] = words(line, 0)?[..] else { return None };
    let generation = Generation { id: id.to_owned(), station: station.to_owned(), names: names.parse().ok()? };
    (first_record(&generation).0.as_bytes() == line).then_some(generation)
}

/// Returns the event of a record and the checksum of its line.
fn parse_record(line: &[u8], seq: u64) -> Option<(EventId, Option<u32>)> {
    let (board, game, n, line) = match words(line, seq)?[..] {
        [board, game, n] => (board, game, n, None),
        [board, game, n, line] if line.len() == DIGITS => (board, game, n, Some(u32::from_str_radix(line, 16).ok()?)),
        _ => return None,
    };
    let marked = MARKS.into_iter().find_map(|(mark, stream)| Some((stream, n.strip_prefix(mark)?)));
    let (stream, n) = marked.unwrap_or((Stream::Game, n));
    let board = if stream.is_of_board() { board } else { "" };
    Some((EventId { board: board.to_owned(), game: game.parse().ok()?, stream, n: n.parse().ok()? }, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(board: &str, game: u32, stream: Stream, n: u64) -> EventId {
        EventId { board: board.to_owned(), game, stream, n }
    }

    fn generation() -> Generation {
        Generation { id: "8f3c2a9be01d44c7".to_owned(), station: "hall-a".to_owned(), names: 17 }
    }

    /// Returns the records of events whose lines have these checksums.
    fn written_with(events: &[EventId], line: impl Fn(usize) -> Option<u32>) -> Vec<String> {
        let (first, mut checksum) = first_record(&generation());
        let rest = (1..).zip(events).map(|(seq, event)| {
            let (text, next) = record(seq, event, line(seq as usize - 1), checksum);
            checksum = next;
            text
        });
        [first].into_iter().chain(rest.collect::<Vec<_>>()).collect()
    }

    /// Returns the records of an earlier version.
    fn written(events: &[EventId]) -> Vec<String> {
        written_with(events, |_| None)
    }

    fn events() -> [EventId; 6] {
        [
            event("hall-1", 1, Stream::Game, 1),
            event("b", 12, Stream::Game, 1),
            event("hall-1", 1, Stream::LiveUpdate, 1),
            event("", 0, Stream::Tournament, 1),
            event("", 0, Stream::Change, 1),
            event("", 0, Stream::Boards, 1),
        ]
    }

    fn read<'d>(order: &'d [u8], lines: &'d [u8], witnesses: &Witnesses) -> Option<(Vec<EventId>, EventOrder<'d>)> {
        let mut order = EventOrder::read(PUBLIC, Box::new(order), Box::new(lines), witnesses).unwrap()?;
        let mut all = Vec::new();
        while let Some(event) = order.next_event().unwrap() {
            all.push(event);
        }
        Some((all, order))
    }

    #[test]
    fn order_is_read_as_far_as_it_is_right() {
        for version in [written(&events()), written_with(&events(), |index| Some(index as u32 * 77))] {
            check_cuts(&version);
        }
    }

    fn check_cuts(lines: &[String]) {
        let (events, text) = (events(), lines.concat());
        for cut in 0..=text.len() {
            let ends = lines.iter().scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            });
            let whole = ends.take_while(|&end| end <= cut).count();
            let found = read(&text.as_bytes()[..cut], b"", &Witnesses::default());
            let found = found.map(|(all, order)| (all, order.is_whole(cut as u64), order.generation));
            let is_whole = whole > 0 && lines[..whole].concat().len() == cut;
            assert_eq!(found, (whole > 0).then(|| (events[..whole - 1].to_vec(), is_whole, generation())), "{cut}");
        }
        let changed = text.replacen("12", "13", 1);
        assert!(read(changed.as_bytes(), b"", &Witnesses::default()).unwrap().0.len() < 4);
    }

    #[test]
    fn whole_lines_complete_an_order() {
        let lines: String = [(1, "hall-1", 1, "n"), (2, "b", 12, "n"), (3, "hall-1", 1, "p")]
            .map(|(seq, board, game, stream)| {
                let head = format!("\"seq\":{seq},\"gen\":\"{}\",\"station\":\"hall-a\"", generation().id);
                format!("{{{head},\"board\":\"{board}\",\"game\":{game},\"{stream}\":1}}\n")
            })
            .concat()
            + &[(4, "t"), (5, "c"), (6, "b")]
                .map(|(seq, count)| {
                    let generation = generation().id;
                    format!("{{\"seq\":{seq},\"gen\":\"{generation}\",\"station\":\"hall-a\",\"{count}\":1}}\n")
                })
                .concat()
            + "{\"seq\":7";
        let checksums: Vec<u32> = lines.lines().map(|line| line_checksum(line.as_bytes())).collect();
        let records = written_with(&events(), |index| Some(checksums[index]));
        let text = records.concat();
        let witnesses = Witnesses::default();
        let (_, whole) = read(text.as_bytes(), b"", &witnesses).unwrap();
        witnesses.set(&witness_name(PUBLIC, &generation().id), whole.end);
        for count in 1..=6 {
            let cut = records[..count].concat();
            let (all, order) = read(cut.as_bytes(), lines.as_bytes(), &witnesses).unwrap();
            assert_eq!((all.as_slice(), order.recovered), (events().as_slice(), 7 - count as u64));
            assert_eq!((order.end, order.check_witness()), (whole.end, Ok(())));
            let (all, order) = read(cut.as_bytes(), b"", &witnesses).unwrap();
            let (found, known) = (cut.len() as u64, text.len() as u64);
            assert_eq!((all.len(), order.check_witness()), (count - 1, Err(WitnessMismatch::Shorter { found, known })));
        }
        // Without record 0 the lines have everything except the version of the hidden names.
        let (all, order) = read(b"", lines.as_bytes(), &Witnesses::default()).unwrap();
        assert_eq!(
            (all.as_slice(), &order.generation),
            (events().as_slice(), &Generation { names: 0, ..generation() })
        );
        let other = lines.replacen("hall-1", "hall-2", 1);
        assert_eq!(read(b"", other.as_bytes(), &Witnesses::default()).unwrap().0[0].board, "hall-2");
        assert!(read(b"x", b"x", &Witnesses::default()).is_none());
    }

    #[test]
    fn machine_name_becomes_plain_word() {
        for (name, expected) in [("hall-a", "hall-a"), ("Jan's PC", "Jan-s-PC"), ("", "station"), ("..x", "x")] {
            assert_eq!(plain_word(name), expected);
        }
    }
}
