//! `events.ndjson` on the disk: what it holds of each game, and what is appended.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::broadcast::events::Event;
use crate::disk::{self, Disk, Growing};

/// The file of events.
pub struct EventsFile {
    path: PathBuf,
    open: Option<Open>,
}

struct Open {
    file: Growing,
    /// The lines of the file.
    seq: u64,
    /// How many events of each game stand in it.
    written: BTreeMap<(String, u32), u64>,
}

impl EventsFile {
    /// The file in a folder. It is opened when it is needed.
    pub fn new(path: PathBuf) -> EventsFile {
        EventsFile { path, open: None }
    }

    /// Appends what a game has more than the file says of it. Returns whether there was anything.
    ///
    /// # Errors
    ///
    /// When the disk does not take it; what is missing follows the next time.
    pub fn complete(&mut self, disk: &dyn Disk, board: &str, game: u32, events: &[Event]) -> io::Result<bool> {
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(Open::read(disk, &self.path)?),
        };
        open.file.catch_up()?;
        let key = (board.to_owned(), game);
        let written = open.written.get(&key).copied().unwrap_or(0);
        let mut lines = String::new();
        for event in events.iter().skip(usize::try_from(written).unwrap_or(usize::MAX)) {
            open.seq += 1;
            lines.push_str(&event.line(open.seq));
            lines.push('\n');
        }
        if lines.is_empty() {
            return Ok(false);
        }
        open.written.insert(key, events.len() as u64);
        match open.file.push(lines.as_bytes()) {
            Ok(None) => Ok(true),
            Ok(Some(fault)) => Err(fault),
            Err(too_much) => Err(io::Error::other(too_much)),
        }
    }

    /// Makes durable what was appended.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn sync(&self) -> io::Result<()> {
        self.open.as_ref().map_or(Ok(()), |open| open.file.file().sync())
    }
}

impl Open {
    fn read(disk: &dyn Disk, path: &Path) -> io::Result<Open> {
        let content = match disk.read(path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = disk.create(path)?;
                disk.sync_folder(disk::folder_of(path))?;
                return Ok(Open { file: Growing::new(file)?, seq: 0, written: BTreeMap::new() });
            }
            Err(error) => return Err(error),
        };
        let mut file = Growing::new(disk.open(path)?)?;
        let (mut seq, mut written) = (0, BTreeMap::new());
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            seq += 1;
            if let Some((key, n)) = line.strip_suffix(b"\n").and_then(place) {
                written.insert(key, n);
            }
        }
        if content.last().is_some_and(|&byte| byte != b'\n') {
            // A crash cut the last line off. What it said is said again, in a line of its own.
            if let Some(fault) = file.push(b"\n").map_err(io::Error::other)? {
                return Err(fault);
            }
        }
        Ok(Open { file, seq, written })
    }
}

/// Which event of which game a line is.
fn place(line: &[u8]) -> Option<((String, u32), u64)> {
    let line = std::str::from_utf8(line).ok()?;
    let number = |name: &str| -> Option<u64> {
        let at = line.find(name)? + name.len();
        let digits = line[at..].split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    // Names of boards need no escapes, and these members stand before all others.
    let board = line.split("\"board\":\"").nth(1)?.split('"').next()?;
    Some(((board.to_owned(), u32::try_from(number("\"game\":")?).ok()?), number("\"n\":")?))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::broadcast::{Board, Change, Delay, GameRecord, events};
    use crate::disk::RealDisk;
    use crate::rules::Variant;

    fn told(lines: &[&str]) -> Vec<Event> {
        let at = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
        let mut game = GameRecord::new(3, at);
        lines.iter().for_each(|line| game.take(at, Change::Line((*line).to_owned())));
        let board = Board::new("a", Variant::international(), Vec::new());
        events::events(&board, &game, Delay::NONE.view(&game, at))
    }

    #[test]
    fn what_is_there_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.ndjson");
        let mut file = EventsFile::new(path.clone());
        assert!(file.complete(&RealDisk, "a", 3, &told(&["1. 32-28"])).unwrap());
        assert!(!file.complete(&RealDisk, "a", 3, &told(&["1. 32-28"])).unwrap());
        let whole = told(&["1. 32-28", "19-23", "2. 28x19"]);
        let mut again = EventsFile::new(path.clone());
        assert!(again.complete(&RealDisk, "a", 3, &whole).unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        let seqs = text.lines().map(|line| line.split(',').next().unwrap()).collect::<Vec<_>>();
        assert_eq!(seqs, ["{\"seq\":1", "{\"seq\":2", "{\"seq\":3", "{\"seq\":4"]);
    }

    #[test]
    fn a_line_that_was_cut_is_said_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.ndjson");
        let all = told(&["1. 32-28"]);
        let whole = format!("{}\n{}\n", all[0].line(1), all[1].line(2));
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            EventsFile::new(path.clone()).complete(&RealDisk, "a", 3, &all).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with(&whole[..cut]), "{cut}");
            let read = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            let types: Vec<String> = read.map(|event| event["type"].as_str().unwrap().to_owned()).collect();
            // A line that lacks nothing but its end may stand twice; its `n` says that it is the same.
            assert_eq!(types.last().map(String::as_str), Some("move"), "{cut}: {text}");
            assert!(types.len() <= 3 && types[0] == "game", "{cut}: {text}");
        }
    }
}
