//! `events.ndjson` on the disk: its content, and how lines are appended.
//!
//! ```text
//!   log/events.order ──┐
//!   logs of the lines ─┼─▸ what the file says, line by line      a place in the order is durable before its line is written
//!   log/tournament.ndjson
//! ```
//!
//! | the file, after a crash or damage | action |
//! |---|---|
//! | a prefix of the expected text, or different in zeros alone, as a loss of power leaves them | rewritten from there on |
//! | missing | written again; without events of games whose logs were removed, under a new generation |
//! | has lines that differ from the logs, but the order has their checksums | those lines stay, and nothing is added to their streams |
//! | anything else | kept as `events.ndjson.aside-1` (removed if it has a hidden name), and written again |
//!
//! A file that is written again begins another generation unless the order proves that each number has its line again.
//!
//! | the order | action |
//! |---|---|
//! | lacks its end, or is missing | completed from whole lines of the file, which name their events |
//! | of another station, or with names that are hidden now | replaced under a new generation |
//! | missing together with the file | the events begin under a new generation |
//! | shorter than its witness, and the lines do not complete it | nothing is written until the operator restores a copy |
//!
//! A running station reopens a file that was removed, cut or replaced within seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use damcast_engine::broadcast::events::{EventId, GameEvent, Generation, StreamKey};

use super::order::{self, EventOrder};
use super::streams::EventStreams;
use crate::disk::{self, AppendBuffer, Disk, Durability, File};
use crate::journal::witness::{WitnessedFile, Witnesses};

/// Name of the file.
pub const EVENTS_FILE: &str = "events.ndjson";
/// Bytes written at once; an append that fails keeps them in memory.
const CHUNK_SIZE: usize = 1 << 20;
/// Number of events written at once; together they have less than a megabyte.
pub const MAX_BATCH: usize = 2_000;
/// Maximum length of a line of the file, in bytes.
const MAX_LINE_LEN: u64 = 1 << 20;
/// Time within which the order is synced if the outlet itself is not synced.
const LAZY_SYNC_INTERVAL: Duration = Duration::from_secs(10);

/// The file of events.
pub struct EventsFile {
    outlet: String,
    folder: PathBuf,
    order: PathBuf,
    witnesses: Witnesses,
    open: Option<OpenEvents>,
}

struct OpenEvents {
    events: AppendBuffer,
    order: WitnessedFile,
    generation: Generation,
    /// Number of lines.
    seq: u64,
    /// Last written event of each stream.
    written: BTreeMap<StreamKey, u64>,
    /// Streams whose published lines differ from the logs: nothing is added to them.
    standing: BTreeSet<StreamKey>,
    /// Time of the first record that may not be durable.
    unsynced_since: Option<Instant>,
}

/// State in which the order and the file were found.
struct Survey {
    /// Generation of the lines from this opening on.
    generation: Generation,
    /// Whether the generation differs from the one on the disk.
    is_new: bool,
    /// Number of events in the order.
    ordered: u64,
    /// Number of ordered events found in logs or records.
    known: u64,
    /// Number of events that were missing in the order.
    recovered: u64,
    /// Whether the order needs no change.
    is_whole: bool,
}

impl EventsFile {
    /// Returns the file of an outlet in its folder, with its order in `log`. Both are opened when they are needed.
    pub fn new(outlet: &str, folder: &Path, log: &Path, witnesses: Witnesses) -> EventsFile {
        let order = log.join(order::order_file(outlet));
        EventsFile { outlet: outlet.to_owned(), folder: folder.to_owned(), order, witnesses, open: None }
    }

    /// Whether the file is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the generation of the lines, if the file is open.
    pub fn generation(&self) -> Option<&Generation> {
        self.open.as_ref().map(|open| &open.generation)
    }

    /// Returns the number of written events of a stream.
    pub fn written(&self, stream: &StreamKey) -> u64 {
        let Some(open) = self.open.as_ref().filter(|open| !open.standing.contains(stream)) else {
            return if self.is_open() { u64::MAX } else { 0 };
        };
        open.written.get(stream).copied().unwrap_or(0)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(EVENTS_FILE)
    }

    /// Reads the order; events missing in it come from the lines of the file.
    fn read_order<'d>(&self, disk: &'d dyn Disk) -> io::Result<Option<EventOrder<'d>>> {
        let (order, lines) = (read(disk, &self.order)?.0, read(disk, &self.path())?.0);
        EventOrder::read(&self.outlet, order, lines, &self.witnesses)
    }

    /// Whether the file has to be written again although it has events of games that `streams` lacks.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn is_incomplete<'s>(
        &self,
        disk: &dyn Disk,
        streams: impl FnOnce(&Generation) -> EventStreams<'s>,
    ) -> io::Result<bool> {
        let Some(mut order) = self.read_order(disk)?.filter(|_| !self.is_open()) else { return Ok(false) };
        let mut streams = streams(&order.generation);
        let mut is_known = true;
        while let Some(event) = order.next_event()?.filter(|_| is_known) {
            is_known = streams.contains(&event)?;
        }
        if is_known {
            return Ok(false);
        }
        let (content, length) = read(disk, &self.path())?;
        let Some(mut order) = self.read_order(disk)?.filter(|_| length.is_some()) else { return Ok(true) };
        Ok(matches!(compare(&mut order, content, &mut streams, |_, _| {})?, Comparison::Other { .. }))
    }

    /// Opens the file and completes it up to the written events. `station`: configured name of the station; `names`: version of the
    /// tournament whose hidden names apply. Returns messages for the operator.
    ///
    /// # Errors
    ///
    /// Returns any I/O error, and `InvalidData` if the order is shorter than its witness.
    pub fn open<'s>(
        &mut self,
        disk: &dyn Disk,
        (station, names): (Option<&str>, u64),
        streams: impl Fn(&Generation) -> EventStreams<'s>,
    ) -> io::Result<Vec<String>> {
        let mut notices = Vec::new();
        let path = self.path();
        let mut survey = self.survey(disk, (station, names), &streams)?;
        let mut streams = streams(&survey.generation);
        let (_, length) = read(disk, &path)?;
        let mut right = self.keep_or_move_aside(disk, &survey, &mut streams, &mut notices)?;
        let is_found = right.is_some();
        if survey.recovered > 0 {
            let (order, count) = (self.order.display(), survey.recovered);
            notices.push(format!("{order} lacked {count} events, and is completed from {}", path.display()));
        }
        if !is_found {
            let gone = survey.ordered - survey.known;
            if length.is_none() && survey.ordered > 0 {
                notices.push(format!("{} was missing and has been written again", path.display()));
            }
            if gone > 0 {
                let what = "events of games whose logs are missing";
                notices.push(format!("{} lacks {gone} {what}", path.display()));
            }
            // A new generation keeps readers from confusing old and new lines.
            if !survey.is_new && (gone > 0 || !self.is_proven(disk, length.is_some(), &mut streams)?) {
                survey.renew()?;
                streams.generation.clone_from(&survey.generation);
            }
        }
        if survey.is_new || !survey.is_whole {
            self.replace_order(disk, &survey, &mut streams)?;
        }
        let file = if is_found { disk.open(&path)? } else { create(disk, &path)? };
        let mut events = AppendBuffer::new(Arc::clone(&file))?;
        let length = events.length();
        let lines = read(disk, &self.order)?.0;
        let mut order = EventOrder::read(&self.outlet, lines, Box::new(io::empty()), &self.witnesses)?
            .ok_or_else(|| io::Error::other(format!("{} was changed just now", self.order.display())))?;
        let right = right.take().unwrap_or(0);
        let mut gap =
            GapWriter { file: &file, events: &mut events, right, length, at: 0, chunk: Vec::new(), is_new: false };
        let mut content = LineSource::new(if is_found { read(disk, &path)?.0 } else { Box::new(io::empty()) });
        let mut standing = BTreeSet::new();
        while let Some(event) = order.next_event()? {
            match streams.line(order.seq, &event)? {
                Some(line) if order.may_be(line.as_bytes()) => {
                    content.take(line.len())?;
                    gap.write(line.as_bytes())?;
                }
                other => {
                    standing.extend(other.map(|_| event.key()));
                    gap.skip(content.consume_line()?.len());
                }
            }
        }
        gap.finish()?;
        if right < length {
            let lost = length - right;
            notices.push(format!(
                "{} was zero behind byte {right}, as a loss of power leaves it; {lost} bytes have been written again",
                path.display()
            ));
        }
        let (seq, written, end) = (order.seq, order.written, order.end);
        let name = order::witness_name(&self.outlet, &survey.generation.id);
        let of_outlet = order::witness_name(&self.outlet, "");
        self.witnesses.forget(|file| file.starts_with(&of_outlet) && file != name);
        let mut order = WitnessedFile::new(self.order.clone(), name, self.witnesses.clone(), end, true);
        order.sync(disk)?;
        let generation = survey.generation;
        self.open = Some(OpenEvents { events, order, generation, seq, written, standing, unsynced_since: None });
        Ok(notices)
    }

    /// Whether each number gets the line again that was published under it. `is_doubtful`: whether a record without the checksum of its
    /// line proves nothing.
    fn is_proven(&self, disk: &dyn Disk, is_doubtful: bool, streams: &mut EventStreams<'_>) -> io::Result<bool> {
        let Some(mut order) = self.read_order(disk)? else { return Ok(false) };
        while let Some(event) = order.next_event()? {
            let line = streams.line(order.seq, &event)?;
            if order.line.is_none() && is_doubtful || line.is_none_or(|line| !order.may_be(line.as_bytes())) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the order once, and decides under which generation the events continue.
    fn survey<'s>(
        &self,
        disk: &dyn Disk,
        (station, names): (Option<&str>, u64),
        streams: &impl Fn(&Generation) -> EventStreams<'s>,
    ) -> io::Result<Survey> {
        let length = read(disk, &self.order)?.1;
        let Some(mut order) = self.read_order(disk)? else {
            let station = station.map_or_else(order::machine_name, str::to_owned);
            let generation = Generation { id: order::random_name()?, station, names };
            return Ok(Survey { generation, is_new: true, ordered: 0, known: 0, recovered: 0, is_whole: false });
        };
        let found = order.generation.clone();
        let station = station.unwrap_or(&found.station);
        let generation = Generation { names: names.max(found.names), station: station.to_owned(), ..found.clone() };
        let (streams, mut known) = (streams(&generation), 0);
        while let Some(event) = order.next_event()? {
            known += u64::from(streams.contains(&event)?);
        }
        let mut survey = Survey {
            generation,
            is_new: false,
            ordered: order.seq,
            known,
            recovered: order.recovered,
            is_whole: order.is_whole(length.unwrap_or(0)),
        };
        let checked = order.check_witness();
        if let (Err(mismatch), true) = (&checked, order.has_generation) {
            let what = format!("{}: {mismatch}: put it there, and the station goes on with it", self.order.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        if survey.generation != found || checked.is_err() {
            survey.renew()?;
        }
        Ok(survey)
    }

    /// Returns the length of the correct part of the file. If the whole file has to be written again, moves it aside and returns `None`.
    fn keep_or_move_aside(
        &self,
        disk: &dyn Disk,
        survey: &Survey,
        streams: &mut EventStreams<'_>,
        notices: &mut Vec<String>,
    ) -> io::Result<Option<u64>> {
        let path = self.path();
        let (content, length) = read(disk, &path)?;
        let Some(length) = length else { return Ok(None) };
        let what = if survey.is_new && length == 0 {
            return Ok(Some(0));
        } else if survey.is_new {
            "begins anew under another generation".to_owned()
        } else {
            let Some(mut order) = self.read_order(disk)? else { return Ok(None) };
            match compare(&mut order, content, streams, |_, _| {})? {
                Comparison::Beginning { right, .. } => return Ok(Some(right)),
                Comparison::Other { line, .. } => {
                    format!("differs from the logs from line {line} on: it was changed outside damcast")
                }
            }
        };
        let shown = path.display();
        if streams.hidden_names().is_in(read(disk, &path)?.0)? {
            disk.remove(&path)?;
            notices.push(format!("{shown} had a hidden name, and is written again without it"));
        } else {
            let aside = disk::move_aside(disk, &path)?;
            notices.push(format!("{shown} {what}; it is kept as {aside}"));
        }
        Ok(None)
    }

    /// Writes a new order, durably: as it was read, or under another generation without events that are not known.
    fn replace_order(&self, disk: &dyn Disk, survey: &Survey, streams: &mut EventStreams<'_>) -> io::Result<()> {
        let mut old = self.read_order(disk)?;
        disk::replace_with(disk, &self.order, Durability::Safe, |append| {
            let (mut text, mut checksum) = order::first_record(&survey.generation);
            let mut seq = 0;
            while let Some((old, event)) = next_event(&mut old)? {
                let line = match survey.is_new {
                    false => old.line,
                    true => match streams.line(seq + 1, &event)? {
                        Some(line) => Some(order::line_checksum(line.as_bytes())),
                        None => continue,
                    },
                };
                seq += 1;
                let (record, next) = order::record(seq, &event, line, checksum);
                checksum = next;
                text.push_str(&record);
                if text.len() >= CHUNK_SIZE {
                    append(std::mem::take(&mut text).as_bytes())?;
                }
            }
            append(text.as_bytes())
        })
    }

    /// Closes the file; the next write opens it again.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Checks that the file and its order have their names and lengths; bytes that wait for the disk do not count. If not, closes the file
    /// and returns the path that has changed.
    pub fn verify(&mut self, disk: &dyn Disk) -> Option<PathBuf> {
        let path = self.path();
        let open = self.open.as_mut()?;
        let lost = match () {
            () if open.events.is_flushed() && !open.events.file().is_at(&path, open.events.length()) => path,
            () if !open.order.is_there() => self.order.clone(),
            () => {
                if open.unsynced_since.is_some_and(|since| since.elapsed() >= LAZY_SYNC_INTERVAL) {
                    // A failed sync is repeated later.
                    open.unsynced_since = open.order.sync(disk).err().map(|_| Instant::now());
                }
                return None;
            }
        };
        self.open = None;
        Some(lost)
    }

    /// Writes events. Each must follow the written ones of its game.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; missing events follow with the next call.
    pub fn write(&mut self, disk: &dyn Disk, events: &[GameEvent], durability: Durability) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Err(io::Error::other("the file of events is not open")) };
        open.events.flush()?;
        events.chunks(MAX_BATCH).try_for_each(|batch| open.append(disk, batch, durability))
    }
}

impl Survey {
    fn renew(&mut self) -> io::Result<()> {
        self.generation.id = order::random_name()?;
        self.is_new = true;
        Ok(())
    }
}

impl OpenEvents {
    fn append(&mut self, disk: &dyn Disk, events: &[GameEvent], durability: Durability) -> io::Result<()> {
        let (mut records, mut lines) = (String::new(), String::new());
        let (mut seq, mut checksum) = (self.seq, self.order.end().checksum);
        for event in events {
            seq += 1;
            let line = event.line(seq, &self.generation);
            let line_checksum = order::line_checksum(line.as_bytes());
            let (record, next) = order::record(seq, &event.id(), Some(line_checksum), checksum);
            checksum = next;
            records.push_str(&record);
            lines.push_str(&line);
            lines.push('\n');
        }
        self.order.append(disk, &records, checksum, durability).map_err(|failed| {
            io::Error::new(failed.error.kind(), format!("{}: {}", self.order.path().display(), failed.error))
        })?;
        self.seq = seq;
        self.written.extend(events.iter().map(|event| (event.id().key(), event.id().n)));
        if !self.order.is_synced() {
            self.unsynced_since.get_or_insert_with(Instant::now);
        }
        // Lines that the disk refuses wait in memory.
        if let Some(fault) = self.events.push(lines.as_bytes()).map_err(io::Error::other)? {
            return Err(fault);
        }
        if durability == Durability::Safe { self.events.file().sync() } else { Ok(()) }
    }
}

/// Returns the next event of an order, with the order.
fn next_event<'o, 'd>(order: &'o mut Option<EventOrder<'d>>) -> io::Result<Option<(&'o EventOrder<'d>, EventId)>> {
    let Some(order) = order else { return Ok(None) };
    let event = order.next_event()?;
    Ok(event.map(|event| (&*order, event)))
}

/// Opens a file for reading, and returns its length; a missing file is empty, with the length `None`.
fn read<'d>(disk: &'d dyn Disk, path: &Path) -> io::Result<(Box<dyn BufRead + 'd>, Option<u64>)> {
    match disk::if_found(disk.reader(path, 0))? {
        Some(reader) => Ok((reader, Some(disk.length(path)?))),
        None => Ok((Box::new(io::empty()), None)),
    }
}

fn create(disk: &dyn Disk, path: &Path) -> io::Result<Arc<dyn File>> {
    let file = disk.create(path)?;
    disk.sync_folder(disk::parent_folder(path))?;
    Ok(file)
}

/// A file of events, read from its beginning to its end.
struct LineSource<R> {
    source: R,
    /// Bytes that were read ahead and not consumed.
    next: Vec<u8>,
}

impl<R: BufRead> LineSource<R> {
    fn new(source: R) -> LineSource<R> {
        LineSource { source, next: Vec::new() }
    }

    /// Consumes the next line with its LF, or the rest of the file.
    fn consume_line(&mut self) -> io::Result<Vec<u8>> {
        if !self.next.contains(&b'\n') {
            let room = MAX_LINE_LEN.saturating_sub(self.next.len() as u64);
            self.source.by_ref().take(room).read_until(b'\n', &mut self.next)?;
        }
        let end = self.next.iter().position(|&byte| byte == b'\n').map_or(self.next.len(), |end| end + 1);
        self.take(end)
    }

    /// Consumes up to `length` bytes.
    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if self.next.len() < length {
            let missing = (length - self.next.len()) as u64;
            self.source.by_ref().take(missing).read_to_end(&mut self.next)?;
        }
        let rest = self.next.split_off(length.min(self.next.len()));
        Ok(std::mem::replace(&mut self.next, rest))
    }
}

/// Result of comparing a file of events with its expected text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The file is a prefix of the expected text; after `right` bytes it may have zeros, as a loss of power leaves them.
    Beginning {
        /// Number of correct bytes.
        right: u64,
        /// Number of events of the order that are missing or incomplete in the file.
        missing: u64,
        /// Number of lines whose logs are not known or differ from the published line; they count as correct.
        unknown: u64,
    },
    /// The file has other text.
    Other {
        /// Number of the first line that differs.
        line: u64,
        /// Event expected on that line; `None` after the last event.
        event: Option<EventId>,
    },
}

/// Compares a file of events with its order and the logs, line by line. Calls `each` with the number of every event and the event.
///
/// # Errors
///
/// Returns any I/O error.
pub fn compare(
    order: &mut EventOrder<'_>,
    content: impl BufRead,
    streams: &mut EventStreams<'_>,
    mut each: impl FnMut(u64, &EventId),
) -> io::Result<Comparison> {
    let mut content = LineSource::new(content);
    let (mut begin, mut right, mut missing, mut unknown) = (0, None, 0, 0);
    while let Some(event) = order.next_event()? {
        let line = order.seq;
        each(line, &event);
        let other = |event| Ok(Comparison::Other { line, event: Some(event) });
        let Some(expected) = streams.line(line, &event)?.filter(|line| order.may_be(line.as_bytes())) else {
            let found = content.consume_line()?;
            if !found.ends_with(b"\n") || !order.may_be(&found) {
                return other(event);
            }
            unknown += 1;
            begin += found.len() as u64;
            continue;
        };
        let found = content.take(expected.len())?;
        let differs = |(found, right): (&u8, &u8)| found != right;
        if found.iter().zip(expected.as_bytes()).any(|(found, right)| found != right && *found != 0) {
            return other(event);
        }
        if let Some(at) = found.iter().zip(expected.as_bytes()).position(differs) {
            right.get_or_insert(begin + at as u64);
        }
        missing += u64::from(found.len() < expected.len());
        begin += found.len() as u64;
    }
    if !content.consume_line()?.is_empty() {
        return Ok(Comparison::Other { line: order.seq + 1, event: None });
    }
    Ok(Comparison::Beginning { right: right.unwrap_or(begin), missing, unknown })
}

/// Writes the missing parts of a file while passing through its expected text.
struct GapWriter<'f> {
    file: &'f Arc<dyn File>,
    events: &'f mut AppendBuffer,
    /// Number of correct bytes of the file.
    right: u64,
    /// Length of the file.
    length: u64,
    at: u64,
    /// Bytes to append to the file.
    chunk: Vec<u8>,
    /// Whether a gap was filled and is not synced yet.
    is_new: bool,
}

impl GapWriter<'_> {
    /// Skips bytes that are present.
    fn skip(&mut self, length: usize) {
        self.at += length as u64;
    }

    /// Passes a line, and writes its missing part.
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let begin = self.at;
        self.skip(line.len());
        let part = |from: u64, to: u64| {
            let index = |at: u64| at.clamp(begin, begin + line.len() as u64) - begin;
            line.get(index(from) as usize..index(to) as usize).unwrap_or_default()
        };
        let lost = part(self.right, self.length);
        if !lost.is_empty() {
            self.file.write_at(lost, self.right.max(begin))?;
            self.is_new = true;
        }
        self.chunk.extend_from_slice(part(self.length, u64::MAX));
        if self.chunk.len() < CHUNK_SIZE { Ok(()) } else { self.append() }
    }

    fn append(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_new) {
            self.file.sync()?;
        }
        self.events.push(&std::mem::take(&mut self.chunk)).map_err(io::Error::other)?.map_or(Ok(()), Err)
    }

    fn finish(mut self) -> io::Result<()> {
        if self.chunk.is_empty() && !self.is_new { Ok(()) } else { self.append() }
    }
}

#[cfg(test)]
mod tests;
