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
//! | is anything else: somebody changed it | it stays as it is; `events.recovered-1.ndjson` takes its place, and goes on |

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
/// How often the file may be changed by others before somebody has to look at the folder.
const MOST_RECOVERED: u32 = 100;
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

    /// Opens it, and completes it up to what was told before. Returns what the operator should know.
    ///
    /// # Errors
    ///
    /// As the disk says, or when every name is taken.
    pub fn open(&mut self, disk: &dyn Disk, streams: &Streams) -> io::Result<Vec<String>> {
        let mut notices = Vec::new();
        let order_text = read(disk, &self.order)?;
        let (mut places, right) = order::read(order_text.as_deref().unwrap_or_default());
        for (path, is_own) in names(&self.folder) {
            let found = read(disk, &path)?;
            let content = found.as_deref().unwrap_or_default();
            let before = places.clone();
            if found.is_none() {
                places.retain(|place| line(1, place, streams).is_some());
            }
            let gone = before.len() - places.len();
            complete_order(&mut places, content, streams);
            let Some(rest) = rest(content, &places, streams) else {
                places = before;
                continue;
            };
            let is_whole_order = places == before && right == order_text.as_ref().map_or(0, Vec::len);
            if !is_whole_order || order_text.is_none() {
                let text: String = (1..).zip(&places).map(|(seq, place)| order::record(seq, place)).collect();
                disk::replace(disk, &self.order, text.as_bytes(), Durability::Safe)?;
            }
            let shown = path.display();
            let file = match found {
                Some(_) => disk.open(&path)?,
                None => create(disk, &path)?,
            };
            if !is_own {
                notices
                    .push(format!("events.ndjson was changed by somebody and is left as it is; events go to {shown}"));
            } else if found.is_none() && !before.is_empty() {
                notices.push(format!("{shown} was missing and has been written again"));
            }
            if gone > 0 {
                notices.push(format!("{shown} lacks {gone} events of games whose logs are not there any more"));
            }
            let mut events = Growing::new(file)?;
            for piece in rest.as_bytes().chunks(PIECE) {
                write(&mut events, piece)?;
            }
            let order = Growing::new(disk.open(&self.order)?)?;
            let mut told = BTreeMap::new();
            let seq = places.len() as u64;
            for place in places {
                told.insert(place.key(), place.n);
            }
            self.open = Some(Open { events, order, seq, told });
            return Ok(notices);
        }
        Err(io::Error::other(format!(
            "events.ndjson and {MOST_RECOVERED} recovered files beside it were changed by others"
        )))
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

/// The names that the file may have: its own, and those to use when somebody changed that.
fn names(folder: &Path) -> impl Iterator<Item = (PathBuf, bool)> + '_ {
    let recovered = |count| (folder.join(format!("events.recovered-{count}.ndjson")), false);
    std::iter::once((folder.join(EVENTS), true)).chain((1..=MOST_RECOVERED).map(recovered))
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

/// What the file lacks; `None` when it is not the beginning of what it should say. A line of a board whose logs are not
/// known is believed as it stands.
fn rest(content: &[u8], places: &[Place], streams: &Streams) -> Option<String> {
    let mut found = content.split_inclusive(|&byte| byte == b'\n');
    let mut rest = String::new();
    for (seq, place) in (1..).zip(places) {
        let expected = line(seq, place, streams);
        match (found.next(), expected) {
            (Some(line), Some(expected)) => {
                let missing = expected.as_bytes().strip_prefix(line)?;
                rest.push_str(std::str::from_utf8(missing).ok()?);
            }
            (Some(line), None) if line.ends_with(b"\n") => {}
            (None, Some(expected)) => rest.push_str(&expected),
            (_, None) => return None,
        }
    }
    found.next().is_none().then_some(rest)
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
    fn a_file_that_was_changed_is_left_as_it_is() {
        let (folder, whole) = told();
        let changed = whole.replacen("32-28", "33-28", 1);
        std::fs::write(folder.path().join("events.ndjson"), &changed).unwrap();
        let mut file = EventsFile::new(folder.path(), folder.path());
        let notices = file.open(&RealDisk, &streams(&LINES)).unwrap();
        assert!(notices[0].contains("was changed by somebody"), "{notices:?}");
        let longer = streams(&["1. 32-28", "19-23", "2. 28x19", "14x23"]);
        file.tell(&longer[&key("a")][4..], Durability::Safe).unwrap();
        let text = std::fs::read_to_string(folder.path().join("events.recovered-1.ndjson")).unwrap();
        assert!(text.starts_with(&whole) && text.contains("\"seq\":9,"), "{text}");
        assert_eq!(std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap(), changed);
    }
}
