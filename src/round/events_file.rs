//! `events.ndjson` on the disk: what it holds, and what is appended.
//!
//! ```text
//!   log/events.order ──┐
//!                      ├─▸ what the file says, line by line      the order is written first, then the events
//!   logs of the lines ─┘
//! ```
//!
//! | the file, after a crash or whatever happened to it | what becomes of it |
//! |---|---|
//! | is the beginning of what it should say, cut anywhere | the rest is appended |
//! | is not there | it is written, without the events of games whose logs were removed |
//! | has lines that the order lacks | the order is completed from them |
//! | the same with bytes zero, as a loss of power leaves it | these are written first |
//! | is anything else: somebody changed it | it is kept as `events.ndjson.aside-1`, and written again |
//!
//! The same holds while a station runs: a file that was taken away, cut or replaced is opened anew within seconds.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::order;
use crate::broadcast::events::{Event, Key, Place};
use crate::disk::{self, Disk, Durability, File, Growing};

/// The name of the file.
pub const EVENTS: &str = "events.ndjson";
/// The name of its order, beside the logs.
pub const EVENTS_ORDER: &str = "events.order";
/// So much is written at once: what the disk does not take of it must have room in memory.
const PIECE: usize = 1 << 20;
/// So many events are told at once; they have less than a megabyte.
const BATCH: usize = 2_000;

/// All events of each stream.
pub type Streams = BTreeMap<Key, Vec<Event>>;

/// The file of events.
pub struct EventsFile {
    folder: PathBuf,
    order: PathBuf,
    open: Option<Open>,
}

struct Open {
    events: Growing,
    order: Growing,
    /// The lines of the file.
    seq: u64,
    /// How many events of each stream are told.
    told: BTreeMap<Key, u64>,
}

impl EventsFile {
    /// The file in a folder, and its order in another. They are opened when they are needed.
    pub fn new(public: &Path, log: &Path) -> EventsFile {
        EventsFile { folder: public.to_owned(), order: log.join(EVENTS_ORDER), open: None }
    }

    /// Was it opened?
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// How many events of a stream are told.
    pub fn told(&self, stream: &Key) -> u64 {
        let told = self.open.as_ref().and_then(|open| open.told.get(stream));
        told.copied().unwrap_or(0)
    }

    /// Is it to be made again, and are events among those told that nothing is known of here?
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn needs_more(&self, disk: &dyn Disk, streams: &Streams) -> io::Result<bool> {
        let (mut places, _) = order::read(&read(disk, &self.order)?.unwrap_or_default());
        let is_known = places.iter().all(|place| line(1, place, streams).is_some());
        if self.is_open() || is_known {
            return Ok(false);
        }
        let Some(content) = read(disk, &self.folder.join(EVENTS))? else { return Ok(true) };
        complete_order(&mut places, &content, streams);
        Ok(lack(&content, &places, streams).is_err())
    }

    /// Opens it, and completes it up to what was told before. Returns what the operator should know.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn open(&mut self, disk: &dyn Disk, streams: &Streams) -> io::Result<Vec<String>> {
        let mut notices = Vec::new();
        let path = self.folder.join(EVENTS);
        let shown = path.display();
        let order_text = read(disk, &self.order)?;
        let (before, right) = order::read(order_text.as_deref().unwrap_or_default());
        let mut found = read(disk, &path)?;
        let mut places = before.clone();
        if let Some(content) = &found {
            complete_order(&mut places, content, streams);
            if let Err(seq) = lack(content, &places, streams) {
                let aside = disk::put_aside(disk, &path)?;
                notices.push(format!(
                    "{shown} is not what the logs say from line {seq} on: somebody has changed it; it is kept as {aside}"
                ));
                (found, places) = (None, before.clone());
            }
        }
        if found.is_none() {
            places.retain(|place| line(1, place, streams).is_some());
            if !before.is_empty() {
                notices.push(format!("{shown} was missing and has been written again"));
            }
            if before.len() > places.len() {
                let gone = before.len() - places.len();
                notices.push(format!("{shown} lacks {gone} events of games whose logs are not there any more"));
            }
        }
        let is_whole_order = places == before && right == order_text.as_ref().map_or(0, Vec::len);
        if !is_whole_order || order_text.is_none() {
            let text: String = (1..).zip(&places).map(|(seq, place)| order::record(seq, place)).collect();
            disk::replace(disk, &self.order, text.as_bytes(), Durability::Safe)?;
        }
        let lack = lack(found.as_deref().unwrap_or_default(), &places, streams);
        let lack = lack.map_err(|seq| io::Error::other(format!("line {seq} of events.ndjson is not its own")))?;
        let file = if found.is_some() { disk.open(&path)? } else { create(disk, &path)? };
        if let Some((at, bytes)) = lack.lost {
            file.write_at(&bytes, at)?;
            file.sync()?;
            notices.push(format!("{} bytes of {shown} that a loss of power took have been written again", bytes.len()));
        }
        let mut events = Growing::new(file)?;
        for piece in lack.rest.chunks(PIECE) {
            write(&mut events, piece)?;
        }
        let order = Growing::new(disk.open(&self.order)?)?;
        let seq = places.len() as u64;
        let told = places.into_iter().map(|place| (place.key(), place.n)).collect();
        self.open = Some(Open { events, order, seq, told });
        Ok(notices)
    }

    /// Have the file and its order still their names, and the length that was written? What the disk has not taken yet is
    /// no reason to doubt it. If not, it is opened anew when it is needed. Returns the name of the file that is not.
    pub fn look_after(&mut self) -> Option<&'static str> {
        let open = self.open.as_ref()?;
        let is_there = |file: &Growing, path: &Path| !file.is_whole() || file.file().is_at(path, file.length());
        let lost = match () {
            () if !is_there(&open.events, &self.folder.join(EVENTS)) => EVENTS,
            () if !is_there(&open.order, &self.order) => EVENTS_ORDER,
            () => return None,
        };
        self.open = None;
        Some(lost)
    }

    /// Tells events. Each must follow those of its game that are told.
    ///
    /// # Errors
    ///
    /// When the disk does not take all of it; what is missing follows the next time.
    pub fn tell(&mut self, events: &[Event], durability: Durability) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Err(io::Error::other("the file of events is not open")) };
        open.order.catch_up()?;
        open.events.catch_up()?;
        events.chunks(BATCH).try_for_each(|batch| open.tell(batch, durability))
    }
}

impl Open {
    fn tell(&mut self, events: &[Event], durability: Durability) -> io::Result<()> {
        let (mut records, mut lines) = (String::new(), String::new());
        for event in events {
            let place = event.place();
            self.seq += 1;
            records.push_str(&order::record(self.seq, &place));
            lines.push_str(&event.line(self.seq));
            lines.push('\n');
            self.told.insert(place.key(), place.n);
        }
        // Whatever fails from here on waits in memory; an event is not told before its place in the order is written.
        let fault = push(&mut self.order, records.as_bytes())?;
        let fault = match fault {
            None if durability == Durability::Safe => self.order.file().sync().err(),
            fault => fault,
        };
        if let Some(fault) = fault {
            self.events.wait(lines.as_bytes()).map_err(io::Error::other)?;
            return Err(fault);
        }
        write(&mut self.events, lines.as_bytes())?;
        if durability == Durability::Safe { self.events.file().sync() } else { Ok(()) }
    }
}

fn read(disk: &dyn Disk, path: &Path) -> io::Result<Option<Vec<u8>>> {
    match disk.read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn create(disk: &dyn Disk, path: &Path) -> io::Result<Arc<dyn File>> {
    let file = disk.create(path)?;
    disk.sync_folder(disk::folder_of(path))?;
    Ok(file)
}

fn push(file: &mut Growing, bytes: &[u8]) -> io::Result<Option<io::Error>> {
    file.push(bytes).map_err(io::Error::other)
}

fn write(file: &mut Growing, bytes: &[u8]) -> io::Result<()> {
    push(file, bytes)?.map_or(Ok(()), Err)
}

/// Takes from the file what the order lacks, as far as each line says what it is, and is the next of its game.
pub fn complete_order(places: &mut Vec<Place>, content: &[u8], streams: &Streams) {
    let mut told: BTreeMap<Key, u64> = BTreeMap::new();
    for place in places.iter() {
        told.insert(place.key(), place.n);
    }
    for line in content.split_inclusive(|&byte| byte == b'\n').skip(places.len()) {
        let seq = places.len() as u64 + 1;
        let place = match line.strip_suffix(b"\n") {
            Some(whole) => order::place_of_event(whole),
            // A line that was cut off: which of those that may follow begins so?
            None => {
                let next = |(key, events): (&Key, &Vec<Event>)| {
                    let told = told.get(key).copied().unwrap_or(0);
                    let event = events.get(usize::try_from(told).ok()?)?;
                    event.line(seq).as_bytes().starts_with(line).then(|| event.place())
                };
                streams.iter().find_map(next)
            }
        };
        let Some(place) = place else { return };
        let known = told.entry(place.key()).or_insert(0);
        if place.n != *known + 1 {
            return;
        }
        *known = place.n;
        places.push(place);
    }
}

/// What a file of events lacks.
#[derive(Default, Debug)]
pub struct Lack {
    /// Bytes that are zero and should not be, as a loss of power leaves them: where they begin, and what should stand there.
    pub lost: Option<(u64, Vec<u8>)>,
    /// What is to follow its end.
    pub rest: Vec<u8>,
    /// So many events are not in it to their end.
    pub missing: usize,
    /// So many of its lines are of games whose logs are not known; they are believed as they stand.
    pub unknown: usize,
}

/// What a file of events lacks.
///
/// # Errors
///
/// When it is not the beginning of what it should say: the number of the first line that is something else, or that has no
/// place in the order.
pub fn lack(content: &[u8], places: &[Place], streams: &Streams) -> Result<Lack, u64> {
    let mut lack = Lack::default();
    // Where the next line begins; what should stand from the first lost byte on, and so much of it that the last is in it.
    let (mut begin, mut lost, mut count) = (0, None::<(usize, Vec<u8>)>, 0);
    for (seq, place) in (1..).zip(places) {
        let there = content.get(begin..).unwrap_or_default();
        let Some(expected) = line(seq, place, streams) else {
            let end = there.iter().position(|&byte| byte == b'\n').ok_or(seq)?;
            lost.iter_mut().for_each(|(_, right)| right.extend_from_slice(&there[..=end]));
            lack.unknown += 1;
            begin += end + 1;
            continue;
        };
        let expected = expected.as_bytes();
        let there = &there[..expected.len().min(there.len())];
        let right = lost.as_ref().map_or(0, |(_, right)| right.len());
        for (at, _) in there.iter().zip(expected).enumerate().filter(|(_, (found, right))| found != right) {
            if there.get(at) != Some(&0) {
                return Err(seq);
            }
            let (start, _) = lost.get_or_insert((begin + at, Vec::new()));
            count = begin + at + 1 - *start;
        }
        if let Some((start, bytes)) = &mut lost {
            let from = if right == 0 { start.saturating_sub(begin) } else { 0 };
            bytes.extend_from_slice(&expected[from..]);
        }
        lack.rest.extend_from_slice(&expected[there.len()..]);
        lack.missing += usize::from(there.len() < expected.len());
        begin += expected.len();
    }
    if content.len() > begin {
        return Err(places.len() as u64 + 1);
    }
    lack.lost = lost.map(|(start, mut bytes)| {
        bytes.truncate(count);
        (start as u64, bytes)
    });
    Ok(lack)
}

/// A line of the file with its LF, if the event is known.
pub fn line(seq: u64, place: &Place, streams: &Streams) -> Option<String> {
    let events = streams.get(&place.key())?;
    let event = events.get(usize::try_from(place.n.checked_sub(1)?).ok()?)?;
    Some(event.line(seq) + "\n")
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::broadcast::events::Stream;
    use crate::broadcast::{Board, Change, Delay, GameRecord, events};
    use crate::disk::RealDisk;
    use crate::rules::Variant;

    fn key(board: &str) -> Key {
        (board.to_owned(), 3, Stream::Game)
    }

    const LINES: [&str; 3] = ["1. 32-28", "19-23", "2. 28x19"];

    fn streams(lines: &[&str]) -> Streams {
        let at = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
        let mut game = GameRecord::new(3, at, Variant::international());
        lines.iter().for_each(|line| game.take(at, Change::Line((*line).to_owned())));
        let board = |name: &str| Board::new(name, Variant::international(), Vec::new());
        let events = |name: &str| events::events(&board(name), &game, Delay::NONE.view(&game, at), 0);
        ["a", "b"].map(|name| (key(name), events(name))).into()
    }

    /// A folder in which these lines of a game were told of two boards, in turn.
    fn told() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let streams = streams(&LINES);
        let mut file = EventsFile::new(folder.path(), folder.path());
        assert!(file.open(&RealDisk, &streams).unwrap().is_empty());
        for n in 0..4 {
            for board in ["b", "a"] {
                file.tell(&streams[&key(board)][n..=n], Durability::Lazy).unwrap();
            }
        }
        let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
        (folder, text)
    }

    #[test]
    fn what_was_told_is_completed_wherever_it_was_cut() {
        let (folder, whole) = told();
        let path = folder.path().join("events.ndjson");
        assert!(whole.starts_with("{\"seq\":1,") && whole.matches("\"board\":\"a\"").count() == 4, "{whole}");
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut file = EventsFile::new(folder.path(), folder.path());
            assert_eq!(file.open(&RealDisk, &streams(&LINES)).unwrap(), [""; 0]);
            assert_eq!(file.told(&key("a")), 4);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{cut}");
        }
        std::fs::remove_file(&path).unwrap();
        let notices = EventsFile::new(folder.path(), folder.path()).open(&RealDisk, &streams(&LINES)).unwrap();
        assert!(notices[0].contains("was missing"), "{notices:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        // And when the logs of a board are gone, too.
        std::fs::remove_file(&path).unwrap();
        let mut of_b = streams(&LINES);
        of_b.remove(&key("a"));
        let notices = EventsFile::new(folder.path(), folder.path()).open(&RealDisk, &of_b).unwrap();
        assert!(notices[1].contains("lacks 4 events of games whose logs are not there"), "{notices:?}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), text.matches("\"board\":\"b\"").count()), (4, 4), "{text}");
        assert!(text.lines().last().unwrap().starts_with("{\"seq\":4,"), "{text}");
    }

    #[test]
    fn an_order_that_lacks_its_end_is_completed_from_the_file() {
        let (folder, whole) = told();
        let path = folder.path().join("events.order");
        let order = std::fs::read(&path).unwrap();
        for cut in (0..order.len()).step_by(7) {
            std::fs::write(&path, &order[..cut]).unwrap();
            for end in [whole.len(), whole.len() - 9] {
                std::fs::write(folder.path().join("events.ndjson"), &whole[..end]).unwrap();
                EventsFile::new(folder.path(), folder.path()).open(&RealDisk, &streams(&LINES)).unwrap();
                assert_eq!(std::fs::read(&path).unwrap(), order, "{cut} {end}");
                assert_eq!(std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap(), whole);
            }
        }
    }

    #[test]
    fn any_number_of_events_can_be_told() {
        let folder = tempfile::tempdir().unwrap();
        let streams = streams(&LINES);
        let mut file = EventsFile::new(folder.path(), folder.path());
        file.open(&RealDisk, &streams).unwrap();
        let many = vec![streams[&key("a")][0].clone(); 150_000];
        file.tell(&many, Durability::Lazy).unwrap();
        let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
        assert!(text.len() > 17 << 20 && text.lines().count() == many.len(), "{}", text.len());
    }

    #[test]
    fn a_file_that_was_changed_is_kept_and_written_again() {
        let (folder, whole) = told();
        let changed = whole.replacen("32-28", "33-28", 1);
        std::fs::write(folder.path().join("events.ndjson"), &changed).unwrap();
        let mut file = EventsFile::new(folder.path(), folder.path());
        let notices = file.open(&RealDisk, &streams(&LINES)).unwrap();
        assert!(notices[0].contains("is not what the logs say from line 3 on"), "{notices:?}");
        assert!(notices[0].contains("kept as events.ndjson.aside-1"), "{notices:?}");
        let longer = streams(&["1. 32-28", "19-23", "2. 28x19", "14x23"]);
        file.tell(&longer[&key("a")][4..], Durability::Safe).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let text = read("events.ndjson");
        assert!(text.starts_with(&whole) && text.contains("\"seq\":9,"), "{text}");
        assert_eq!(read("events.ndjson.aside-1"), changed);
        // One that is longer than it should be, as well.
        std::fs::write(folder.path().join("events.ndjson"), text.clone() + "a remark\n").unwrap();
        EventsFile::new(folder.path(), folder.path()).open(&RealDisk, &longer).unwrap();
        assert_eq!((read("events.ndjson"), read("events.ndjson.aside-2")), (text.clone(), text + "a remark\n"));
    }

    #[test]
    fn zeros_that_a_loss_of_power_left_are_mended_in_place() {
        let (folder, whole) = told();
        let path = folder.path().join("events.ndjson");
        let order = std::fs::read(folder.path().join("events.order")).unwrap();
        for (from, to) in
            (0..whole.len()).step_by(41).flat_map(|from| [(from, whole.len()), (from, (from + 40).min(whole.len()))])
        {
            let mut lost = whole.clone().into_bytes();
            lost[from..to].fill(0);
            std::fs::write(&path, &lost).unwrap();
            let notices = EventsFile::new(folder.path(), folder.path()).open(&RealDisk, &streams(&LINES)).unwrap();
            assert!(notices.len() == 1 && notices[0].contains("that a loss of power took"), "{from}: {notices:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{from}..{to}");
            // The end of the order may be gone, too.
            std::fs::write(&path, &lost).unwrap();
            std::fs::write(folder.path().join("events.order"), &order[..order.len() - 9]).unwrap();
            let mut file = EventsFile::new(folder.path(), folder.path());
            file.open(&RealDisk, &streams(&LINES)).unwrap();
            let told: u64 = ["a", "b"].map(|board| file.told(&key(board))).iter().sum();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(whole.starts_with(&text) && text.lines().count() as u64 == told, "{from}..{to}: {text}");
            std::fs::write(folder.path().join("events.order"), &order).unwrap();
            for aside in 1.. {
                if std::fs::remove_file(folder.path().join(format!("events.ndjson.aside-{aside}"))).is_err() {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_file_that_was_taken_away_cut_or_replaced_is_noticed() {
        let (folder, whole) = told();
        let path = folder.path().join("events.ndjson");
        let mut file = EventsFile::new(folder.path(), folder.path());
        let mut open = || file.open(&RealDisk, &streams(&LINES)).unwrap();
        open();
        assert_eq!(file.look_after(), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(file.look_after(), Some(EVENTS));
        assert_eq!(file.look_after(), None, "it is told once, and is to be opened");
        for what in ["other", &whole[..whole.len() / 2]] {
            file.open(&RealDisk, &streams(&LINES)).unwrap();
            assert_eq!((std::fs::read_to_string(&path).unwrap(), file.look_after()), (whole.clone(), None));
            std::fs::write(&path, what).unwrap();
            assert_eq!(file.look_after(), Some(EVENTS));
        }
        file.open(&RealDisk, &streams(&LINES)).unwrap();
        std::fs::remove_file(folder.path().join("events.order")).unwrap();
        assert_eq!(file.look_after(), Some(EVENTS_ORDER));
        file.open(&RealDisk, &streams(&LINES)).unwrap();
        assert!(folder.path().join("events.order").exists() && file.told(&key("a")) == 4);
    }
}
