//! `events.ndjson` on the disk: what it holds, and what is appended.
//!
//! ```text
//!   log/events.order ──┐
//!   log/generations ───┼─▸ what the file says, line by line      generation and order are written first, then the events
//!   logs of the lines ─┘
//! ```
//!
//! | the file, after a crash or whatever happened to it | what becomes of it |
//! |---|---|
//! | is the beginning of what it should say, cut anywhere | the rest is appended |
//! | is not there | it is written, without the events of games whose logs were removed; if it lacks some, under a new generation |
//! | has lines that the order lacks | the order is completed from them |
//! | the same with bytes zero, as a loss of power leaves it | these are written first |
//! | is anything else: somebody changed it, or it is of an earlier generation | it is kept as `events.ndjson.aside-1`, and written again |
//! | the same, with the name of somebody who wishes not to be named | it is removed, and written again |
//!
//! The same holds while a station runs: a file that was taken away, cut or replaced is opened anew within seconds.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::generations::{GENERATIONS_FILE, Generations};
use super::hidden_names;
use super::order::{self, EventIdReader};
use super::streams::EventStreams;
use crate::engine::broadcast::events::{EventId, EventOrigins, GameEvent, StreamKey};
use crate::station::config::PUBLIC;
use crate::station::disk::{self, AppendBuffer, Disk, Durability, File};

/// The name of the file.
pub const EVENTS_FILE: &str = "events.ndjson";
/// The name of the order of an outlet's events, beside the logs.
pub fn order_file(outlet: &str) -> String {
    if outlet == PUBLIC { "events.order".to_owned() } else { format!("events-{outlet}.order") }
}

/// So much is written at once: what the disk does not take of it must have room in memory.
const CHUNK_SIZE: usize = 1 << 20;
/// So many events are written at once; they have less than a megabyte.
pub const MAX_BATCH: usize = 2_000;
/// No line of the file is longer.
const MAX_LINE_LEN: u64 = 1 << 20;

/// The file of events.
pub struct EventsFile {
    outlet: String,
    folder: PathBuf,
    order: PathBuf,
    log: PathBuf,
    open: Option<OpenEvents>,
}

struct OpenEvents {
    events: AppendBuffer,
    order: AppendBuffer,
    /// The lines of the file.
    seq: u64,
    /// How many events of each stream are written.
    written: BTreeMap<StreamKey, u64>,
    /// Where the lines come from.
    origins: EventOrigins,
}

impl EventsFile {
    /// The file of an outlet in its folder, and its order in another. They are opened when they are needed.
    pub fn new(outlet: &str, folder: &Path, log: &Path) -> EventsFile {
        let order = log.join(order_file(outlet));
        EventsFile { outlet: outlet.to_owned(), folder: folder.to_owned(), order, log: log.to_owned(), open: None }
    }

    /// Was it opened?
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// How many events of a stream are written.
    pub fn written(&self, stream: &StreamKey) -> u64 {
        let written = self.open.as_ref().and_then(|open| open.written.get(stream));
        written.copied().unwrap_or(0)
    }

    /// Is it to be made again, though it has events of which nothing is known here?
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn is_incomplete(&self, disk: &dyn Disk, streams: &mut EventStreams) -> io::Result<bool> {
        if self.is_open() {
            return Ok(false);
        }
        let mut places = EventIdReader::new(read(disk, &self.order)?.0);
        let mut is_known = true;
        while let Some(place) = places.next_id()?.filter(|_| is_known) {
            is_known = streams.contains(&place);
        }
        if is_known {
            return Ok(false);
        }
        match read(disk, &self.folder.join(EVENTS_FILE))? {
            (_, None) => Ok(true),
            (content, _) => Ok(compare(read(disk, &self.order)?.0, content, streams, |_, _| {})?.is_err()),
        }
    }

    /// What its lines carry is taken for known where nothing else is. Returns what the operator should know.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn learn_origins(&self, disk: &dyn Disk, generations: &mut Generations) -> io::Result<Option<String>> {
        let path = self.folder.join(EVENTS_FILE);
        let is_named = generations.learn_origins(&self.outlet, read(disk, &path)?.0)?;
        let notice = || {
            format!("log/{GENERATIONS_FILE} lacked what the lines of {} carry, and is written again", path.display())
        };
        Ok(is_named.then(notice))
    }

    /// Opens it, and completes it up to what was written before. Returns what the operator should know.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn open(
        &mut self,
        disk: &dyn Disk,
        streams: &mut EventStreams,
        generations: &mut Generations,
    ) -> io::Result<Vec<String>> {
        let mut notices = Vec::new();
        let path = self.folder.join(EVENTS_FILE);
        let shown = path.display();
        let order = || Ok::<_, io::Error>(read(disk, &self.order)?.0);
        let (_, order_length) = read(disk, &self.order)?;
        let (content, length) = read(disk, &path)?;
        let mut found = None;
        if length.is_some() {
            match compare(order()?, content, streams, |_, _| {})? {
                Ok(lack) => found = Some(lack),
                Err(_) if hidden_names::file_contains_name(streams.hidden_names(), read(disk, &path)?.0)? => {
                    disk.remove(&path)?;
                    notices.push(format!(
                        "{shown} had a name that nobody is told any more, and is written again without it"
                    ));
                }
                Err(EventsMismatch { seq, .. }) => {
                    let aside = disk::move_aside(disk, &path)?;
                    notices.push(format!(
                        "{shown} is not what the logs say from line {seq} on: somebody has changed it; it is kept as {aside}"
                    ));
                }
            }
        }
        let (is_whole_order, lack) = match found {
            Some(lack) => (lack.written == lack.ordered && order_length == Some(lack.valid_order_bytes), lack),
            None => {
                let (mut places, mut lack) = (EventIdReader::new(order()?), EventsGap::default());
                while let Some(place) = places.next_id()? {
                    lack.written += u64::from(streams.contains(&place));
                }
                if places.count > 0 {
                    notices.push(format!("{shown} was missing and has been written again"));
                }
                if places.count > lack.written {
                    let gone = places.count - lack.written;
                    notices.push(format!("{shown} lacks {gone} events of games whose logs are not there any more"));
                }
                // What was written before may have other numbers now: nobody must take the one for the other.
                if places.count > lack.written || order_length.is_none() {
                    streams.origins = generations.restart(disk, &self.log, &self.outlet)?;
                }
                (places.count == lack.written && order_length == Some(places.valid_bytes), lack)
            }
        };
        let is_found = lack.length.is_some();
        if !is_whole_order {
            disk::replace_with(disk, &self.order, Durability::Safe, |append| {
                let mut text = String::new();
                let mut record = |seq, place: &EventId| {
                    text.push_str(&order::record(seq, place));
                    if text.len() < CHUNK_SIZE { Ok(()) } else { append(std::mem::take(&mut text).as_bytes()) }
                };
                if is_found {
                    let mut done = Ok(());
                    let copy = |seq, place: &EventId| {
                        if done.is_ok() {
                            done = record(seq, place);
                        }
                    };
                    compare(order()?, read(disk, &path)?.0, streams, copy)?.map_err(EventsMismatch::changed)?;
                    done?;
                } else {
                    let (mut places, mut seq) = (EventIdReader::new(order()?), 0);
                    while let Some(place) = places.next_id()? {
                        if streams.contains(&place) {
                            seq += 1;
                            record(seq, &place)?;
                        }
                    }
                }
                append(text.as_bytes())
            })?;
        }
        let file = if is_found { disk.open(&path)? } else { create(disk, &path)? };
        let mut events = AppendBuffer::new(Arc::clone(&file))?;
        let mut written = BTreeMap::new();
        let mut seq = 0;
        let mut places = EventIdReader::new(order()?);
        let mut missing = GapWriter { file: &file, events: &mut events, gap: &lack, at: 0, buffer: Vec::new() };
        let mut content = LineSource::new(if is_found { read(disk, &path)?.0 } else { Box::new(io::empty()) });
        // Nothing has to be made where nothing is missing.
        let is_whole = lack.zeroed.is_none() && lack.missing_count == 0 && is_found;
        while let Some(place) = places.next_id()? {
            seq += 1;
            if !is_whole {
                match streams.line(seq, &place) {
                    Some(line) => {
                        content.consume(line.len())?;
                        missing.write(line.as_bytes())?;
                    }
                    None => missing.skip(content.consume_line()?.len()),
                }
            }
            written.insert(place.key(), place.n);
        }
        missing.finish()?;
        if let Some((from, to)) = lack.zeroed {
            notices.push(format!("{} bytes of {shown} that a loss of power took have been written again", to - from));
        }
        let origins = generations.ensure(disk, &self.log, &self.outlet, seq + 1)?;
        let order = AppendBuffer::new(disk.open(&self.order)?)?;
        self.open = Some(OpenEvents { events, order, seq, written, origins });
        Ok(notices)
    }

    /// Lines of before are to be told otherwise: it is opened anew when it is needed.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Have the file and its order still their names, and the length that was written? What the disk has not taken yet is
    /// no reason to doubt it. If not, it is opened anew when it is needed. Returns the file that is not.
    pub fn verify(&mut self) -> Option<PathBuf> {
        let open = self.open.as_ref()?;
        let is_there = |file: &AppendBuffer, path: &Path| !file.is_flushed() || file.file().is_at(path, file.length());
        let events = self.folder.join(EVENTS_FILE);
        let lost = match () {
            () if !is_there(&open.events, &events) => events,
            () if !is_there(&open.order, &self.order) => self.order.clone(),
            () => return None,
        };
        self.open = None;
        Some(lost)
    }

    /// Writes events. Each must follow the written ones of its game.
    ///
    /// # Errors
    ///
    /// When the disk does not take all of it; what is missing follows the next time.
    pub fn write(&mut self, events: &[GameEvent], durability: Durability) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Err(io::Error::other("the file of events is not open")) };
        open.order.flush()?;
        open.events.flush()?;
        events.chunks(MAX_BATCH).try_for_each(|batch| open.append(batch, durability))
    }
}

impl OpenEvents {
    fn append(&mut self, events: &[GameEvent], durability: Durability) -> io::Result<()> {
        let (mut records, mut lines) = (String::new(), String::new());
        for event in events {
            let place = event.id();
            self.seq += 1;
            records.push_str(&order::record(self.seq, &place));
            lines.push_str(&event.line(self.seq, self.origins.origin_of(self.seq)));
            lines.push('\n');
            self.written.insert(place.key(), place.n);
        }
        // Whatever fails from here on waits in memory; an event is written only behind its place in the order.
        let fault = push(&mut self.order, records.as_bytes())?;
        let fault = match fault {
            None if durability == Durability::Safe => self.order.file().sync().err(),
            fault => fault,
        };
        if let Some(fault) = fault {
            self.events.enqueue(lines.as_bytes()).map_err(io::Error::other)?;
            return Err(fault);
        }
        write(&mut self.events, lines.as_bytes())?;
        if durability == Durability::Safe { self.events.file().sync() } else { Ok(()) }
    }
}

/// A file to be read, and its length; of one that is not there nothing, and none.
fn read<'d>(disk: &'d dyn Disk, path: &Path) -> io::Result<(Box<dyn BufRead + 'd>, Option<u64>)> {
    match disk.reader(path, 0) {
        Ok(reader) => Ok((reader, Some(disk.length(path)?))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((Box::new(io::empty()), None)),
        Err(error) => Err(error),
    }
}

fn create(disk: &dyn Disk, path: &Path) -> io::Result<Arc<dyn File>> {
    let file = disk.create(path)?;
    disk.sync_folder(disk::parent_folder(path))?;
    Ok(file)
}

fn push(file: &mut AppendBuffer, bytes: &[u8]) -> io::Result<Option<io::Error>> {
    file.push(bytes).map_err(io::Error::other)
}

fn write(file: &mut AppendBuffer, bytes: &[u8]) -> io::Result<()> {
    push(file, bytes)?.map_or(Ok(()), Err)
}

/// A file of events that is read from its beginning to its end.
struct LineSource<R> {
    source: R,
    /// What was looked at and not taken.
    peeked: Vec<u8>,
    /// How many bytes were taken.
    consumed: u64,
}

impl<R: BufRead> LineSource<R> {
    fn new(source: R) -> LineSource<R> {
        LineSource { source, peeked: Vec::new(), consumed: 0 }
    }

    /// The next line with its LF, or what there is of it, without taking it.
    fn line(&mut self) -> io::Result<&[u8]> {
        if !self.peeked.contains(&b'\n') {
            let room = MAX_LINE_LEN.saturating_sub(self.peeked.len() as u64);
            self.source.by_ref().take(room).read_until(b'\n', &mut self.peeked)?;
        }
        let end = self.peeked.iter().position(|&byte| byte == b'\n').map_or(self.peeked.len(), |end| end + 1);
        Ok(&self.peeked[..end])
    }

    fn consume_line(&mut self) -> io::Result<Vec<u8>> {
        let length = self.line()?.len();
        self.consume(length)
    }

    /// The next so many bytes, or what is left.
    fn consume(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if self.peeked.len() < length {
            let missing = (length - self.peeked.len()) as u64;
            self.source.by_ref().take(missing).read_to_end(&mut self.peeked)?;
        }
        let rest = self.peeked.split_off(length.min(self.peeked.len()));
        self.consumed += self.peeked.len() as u64;
        Ok(std::mem::replace(&mut self.peeked, rest))
    }
}

/// What a file of events is, beside what it should be.
#[derive(Clone, Copy, Default, Debug)]
pub struct EventsGap {
    /// How many events were written, by the order and by the lines of the file that it lacks.
    pub written: u64,
    /// How many of them are in the order.
    pub ordered: u64,
    /// How many bytes of the order tell of those.
    pub valid_order_bytes: u64,
    /// How long the file is; `None` when it is to be written anew.
    length: Option<u64>,
    /// From where to where bytes are zero that should not be, as a loss of power leaves them; between them others may be right.
    pub zeroed: Option<(u64, u64)>,
    /// So many events are not in it to their end.
    pub missing_count: u64,
    /// So many of its lines are of games whose logs are not known; they are believed as they stand.
    pub unknown_count: u64,
}

/// A file of events is not the beginning of what it should say.
#[derive(Debug)]
pub struct EventsMismatch {
    /// The number of the first line that is something else, or that has no place in the order.
    pub seq: u64,
    /// Which event it should be.
    pub event_id: Option<EventId>,
}

impl EventsMismatch {
    fn changed(self) -> io::Error {
        io::Error::other(format!("line {} of events.ndjson is not its own", self.seq))
    }
}

/// Holds a file of events against its order and what the logs say, line by line. What the order lacks is taken from the file, as far as
/// each line says what it is, and is the next of its game. `each` gets the number and the place of every line.
///
/// # Errors
///
/// As the disk says; inside, when it is not the beginning of what it should say.
pub fn compare(
    order: impl BufRead,
    content: impl BufRead,
    streams: &mut EventStreams,
    mut each: impl FnMut(u64, &EventId),
) -> io::Result<Result<EventsGap, EventsMismatch>> {
    let (mut places, mut content) = (EventIdReader::new(order), LineSource::new(content));
    let mut written: BTreeMap<StreamKey, u64> = BTreeMap::new();
    let mut lack = EventsGap::default();
    // Where the next line begins.
    let mut begin = 0;
    for seq in 1.. {
        let place = match places.next_id()? {
            Some(place) => place,
            None => match identify_line(content.line()?, seq, &written, streams) {
                Some(place) => place,
                None => break,
            },
        };
        lack.written = seq;
        each(seq, &place);
        written.insert(place.key(), place.n);
        let not_its_own = |place| Ok(Err(EventsMismatch { seq, event_id: Some(place) }));
        let Some(expected) = streams.line(seq, &place) else {
            let there = content.consume_line()?;
            if !there.ends_with(b"\n") {
                return not_its_own(place);
            }
            lack.unknown_count += 1;
            begin += there.len() as u64;
            continue;
        };
        let there = content.consume(expected.len())?;
        for (at, found, _) in (0..)
            .zip(&there)
            .zip(expected.as_bytes())
            .map(|((at, found), right)| (at, found, right))
            .filter(|(_, found, right)| found != right)
        {
            if *found != 0 {
                return not_its_own(place);
            }
            let at: u64 = begin + at;
            lack.zeroed = Some((lack.zeroed.map_or(at, |(from, _)| from), at + 1));
        }
        lack.missing_count += u64::from(there.len() < expected.len());
        begin += expected.len() as u64;
    }
    if !content.line()?.is_empty() {
        return Ok(Err(EventsMismatch { seq: lack.written + 1, event_id: None }));
    }
    (lack.ordered, lack.valid_order_bytes, lack.length) = (places.count, places.valid_bytes, Some(content.consumed));
    Ok(Ok(lack))
}

/// Which event a line is that the order lacks: it says what it is, and is the next of its game.
fn identify_line(line: &[u8], seq: u64, written: &BTreeMap<StreamKey, u64>, streams: &EventStreams) -> Option<EventId> {
    let place = match line.strip_suffix(b"\n") {
        Some(whole) => order::event_id(whole)?,
        None if line.is_empty() => return None,
        // A line that was cut off: which of those that may follow begins so?
        None => streams.first_starting_with(seq, line, written)?,
    };
    (place.n == written.get(&place.key()).copied().unwrap_or(0) + 1).then_some(place)
}

/// Writes what a file lacks, while all that it should say goes by.
struct GapWriter<'f> {
    file: &'f Arc<dyn File>,
    events: &'f mut AppendBuffer,
    gap: &'f EventsGap,
    at: u64,
    /// What is to follow its end, and was not written yet.
    buffer: Vec<u8>,
}

impl GapWriter<'_> {
    /// This goes by, and is there.
    fn skip(&mut self, length: usize) {
        self.at += length as u64;
    }

    /// This goes by; of it is written what is not there.
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let (begin, end) = (self.at, self.at + line.len() as u64);
        self.at = end;
        let part = |from: u64, to: u64| {
            &line[(from.clamp(begin, end) - begin) as usize..(to.clamp(begin, end) - begin) as usize]
        };
        if let Some((from, to)) = self.gap.zeroed {
            let lost = part(from, to);
            if !lost.is_empty() {
                self.file.write_at(lost, from.max(begin))?;
            }
        }
        self.buffer.extend_from_slice(part(self.gap.length.unwrap_or(0), u64::MAX));
        if self.buffer.len() < CHUNK_SIZE { Ok(()) } else { self.append() }
    }

    fn append(&mut self) -> io::Result<()> {
        if self.gap.zeroed.is_some() {
            self.file.sync()?;
        }
        write(self.events, &std::mem::take(&mut self.buffer))
    }

    fn finish(mut self) -> io::Result<()> {
        match self.buffer.is_empty() && self.gap.zeroed.is_none() {
            true => Ok(()),
            false => self.append(),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::engine::broadcast::events::Stream;
    use crate::engine::broadcast::{Board, Delay, GameChange, GameRecord, TournamentHistory, events};
    use crate::engine::livefile::{GameHeader, LiveFileContents};
    use crate::station::disk::RealDisk;
    use draughts::Variant;

    fn key(board: &str) -> StreamKey {
        (board.to_owned(), 3, Stream::Game)
    }

    const LINES: [&str; 3] = ["1. 32-28", "19-23", "2. 28x19"];

    /// Two boards on which this game was played.
    fn boards(lines: &[&str]) -> [Board; 2] {
        let at = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
        let variant = Variant::international();
        let opening = GameHeader { game: 3, variant, tags: Vec::new(), pairing_id: None, continued_game: None };
        let text = opening.header_lines().join("\n") + "\n" + &lines.join("\n");
        let mut game = GameRecord::new(opening, at);
        let entries = LiveFileContents::parse(3, &text).unwrap().entries;
        entries.into_iter().for_each(|entry| game.apply(at, GameChange::Entry(entry)));
        let board =
            |name: &str| Board { games: vec![game.clone()], ..Board::new(name, Variant::international(), Vec::new()) };
        ["a", "b"].map(board)
    }

    fn events(lines: &[&str], name: &str) -> Vec<GameEvent> {
        let boards = boards(lines);
        let board = boards.iter().find(|board| board.name == name).unwrap();
        let game = &board.games[0];
        events::events(board, game, Delay::NO_DELAY.view(game, game.last_change_at()), 0)
    }

    fn open(file: &mut EventsFile, boards: &[Board]) -> Vec<String> {
        let mut generations = generations(&file.log);
        let course = TournamentHistory::default();
        let mut streams = EventStreams::new(boards, &course, generations.origins_of(&file.outlet));
        file.open(&RealDisk, &mut streams, &mut generations).unwrap()
    }

    /// Those of a station.
    fn generations(log: &Path) -> Generations {
        Generations::read(&RealDisk, log).unwrap().set_station(Some("hall"))
    }

    /// A folder in which these lines of a game were written for two boards, in turn.
    fn written() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path());
        assert!(open(&mut file, &boards(&LINES)).is_empty());
        for n in 0..4 {
            for board in ["b", "a"] {
                file.write(&events(&LINES, board)[n..=n], Durability::Lazy).unwrap();
            }
        }
        let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
        (folder, text)
    }

    #[test]
    fn completes_events_cut_anywhere() {
        let (folder, whole) = written();
        let path = folder.path().join("events.ndjson");
        assert!(whole.starts_with("{\"seq\":1,") && whole.matches("\"board\":\"a\"").count() == 4, "{whole}");
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path());
            assert_eq!(open(&mut file, &boards(&LINES)), [""; 0]);
            assert_eq!(file.written(&key("a")), 4);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{cut}");
        }
        std::fs::remove_file(&path).unwrap();
        let notices = open(&mut EventsFile::new(PUBLIC, folder.path(), folder.path()), &boards(&LINES));
        assert!(notices[0].contains("was missing"), "{notices:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        // And when the logs of a board are gone, too.
        std::fs::remove_file(&path).unwrap();
        let notices = open(&mut EventsFile::new(PUBLIC, folder.path(), folder.path()), &boards(&LINES)[1..]);
        assert!(notices[1].contains("lacks 4 events of games whose logs are not there"), "{notices:?}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), text.matches("\"board\":\"b\"").count()), (4, 4), "{text}");
        assert!(text.lines().last().unwrap().starts_with("{\"seq\":4,"), "{text}");
    }

    #[test]
    fn completes_truncated_order_from_file() {
        let (folder, whole) = written();
        let path = folder.path().join("events.order");
        let order = std::fs::read(&path).unwrap();
        for cut in (0..order.len()).step_by(7) {
            std::fs::write(&path, &order[..cut]).unwrap();
            for end in [whole.len(), whole.len() - 9] {
                std::fs::write(folder.path().join("events.ndjson"), &whole[..end]).unwrap();
                open(&mut EventsFile::new(PUBLIC, folder.path(), folder.path()), &boards(&LINES));
                assert_eq!(std::fs::read(&path).unwrap(), order, "{cut} {end}");
                assert_eq!(std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap(), whole);
            }
        }
    }

    #[test]
    fn accepts_any_number_of_events() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path());
        open(&mut file, &boards(&LINES));
        let many = vec![events(&LINES, "a")[0].clone(); 150_000];
        file.write(&many, Durability::Lazy).unwrap();
        let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
        assert!(text.len() > 17 << 20 && text.lines().count() == many.len(), "{}", text.len());
    }

    #[test]
    fn changed_file_is_kept_and_rewritten() {
        let (folder, whole) = written();
        let changed = whole.replacen("32-28", "33-28", 1);
        std::fs::write(folder.path().join("events.ndjson"), &changed).unwrap();
        let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path());
        let notices = open(&mut file, &boards(&LINES));
        assert!(notices[0].contains("is not what the logs say from line 3 on"), "{notices:?}");
        assert!(notices[0].contains("kept as events.ndjson.aside-1"), "{notices:?}");
        let longer = ["1. 32-28", "19-23", "2. 28x19", "14x23"];
        file.write(&events(&longer, "a")[4..], Durability::Safe).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let text = read("events.ndjson");
        assert!(text.starts_with(&whole) && text.contains("\"seq\":9,"), "{text}");
        assert_eq!(read("events.ndjson.aside-1"), changed);
        // One that is longer than it should be, as well.
        std::fs::write(folder.path().join("events.ndjson"), text.clone() + "a remark\n").unwrap();
        open(&mut EventsFile::new(PUBLIC, folder.path(), folder.path()), &boards(&longer));
        assert_eq!((read("events.ndjson"), read("events.ndjson.aside-2")), (text.clone(), text + "a remark\n"));
    }

    #[test]
    fn repairs_zeros_in_place() {
        let (folder, whole) = written();
        let path = folder.path().join("events.ndjson");
        let order = std::fs::read(folder.path().join("events.order")).unwrap();
        for (from, to) in
            (0..whole.len()).step_by(41).flat_map(|from| [(from, whole.len()), (from, (from + 40).min(whole.len()))])
        {
            let mut lost = whole.clone().into_bytes();
            lost[from..to].fill(0);
            std::fs::write(&path, &lost).unwrap();
            let notices = open(&mut EventsFile::new(PUBLIC, folder.path(), folder.path()), &boards(&LINES));
            assert!(notices.len() == 1 && notices[0].contains("that a loss of power took"), "{from}: {notices:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{from}..{to}");
            // The end of the order may be gone, too.
            std::fs::write(&path, &lost).unwrap();
            std::fs::write(folder.path().join("events.order"), &order[..order.len() - 9]).unwrap();
            let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path());
            open(&mut file, &boards(&LINES));
            let written: u64 = ["a", "b"].map(|board| file.written(&key(board))).iter().sum();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(whole.starts_with(&text) && text.lines().count() as u64 == written, "{from}..{to}: {text}");
            std::fs::write(folder.path().join("events.order"), &order).unwrap();
            for aside in 1.. {
                if std::fs::remove_file(folder.path().join(format!("events.ndjson.aside-{aside}"))).is_err() {
                    break;
                }
            }
        }
    }

    #[test]
    fn removed_cut_or_replaced_file_is_noticed() {
        let (folder, whole) = written();
        let path = folder.path().join("events.ndjson");
        let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path());
        open(&mut file, &boards(&LINES));
        assert_eq!(file.verify(), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(file.verify(), Some(folder.path().join(EVENTS_FILE)));
        assert_eq!(file.verify(), None, "it is told once, and is to be opened");
        for what in ["other", &whole[..whole.len() / 2]] {
            open(&mut file, &boards(&LINES));
            assert_eq!((std::fs::read_to_string(&path).unwrap(), file.verify()), (whole.clone(), None));
            std::fs::write(&path, what).unwrap();
            assert_eq!(file.verify(), Some(folder.path().join(EVENTS_FILE)));
        }
        open(&mut file, &boards(&LINES));
        std::fs::remove_file(folder.path().join("events.order")).unwrap();
        assert_eq!(file.verify(), Some(folder.path().join("events.order")));
        open(&mut file, &boards(&LINES));
        assert!(folder.path().join("events.order").exists() && file.written(&key("a")) == 4);
    }
}
