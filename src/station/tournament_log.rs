//! The record of a tournament on disk: `log/tournament.ndjson`, a line a record, that only ever grows.
//!
//! ```text
//! {"version":1,"at":"2027-07-10T09:30:00.000+02:00","by":"jan","request":"8f3c2a9be01d44c7","saw":0,"what":"import swiss.trf","reason":"",
//!  "changes":[{"entity":"player 1","old":{},"new":{"name":"Sijbrands, Ton",..}},..],"crc":"9a0f12c3"}
//! ```
//!
//! | a line | is |
//! |---|---|
//! | with its last member and the right checksum | a record |
//! | without its last member, or with zeros where the power took blocks | of a request that was never done: passed over |
//! | with its last member and another checksum, or of a version that does not follow | damage: what stands before it counts, and nothing is written |
//!
//! `crc` is the last member, the CRC-32C of what stands before `,"crc"`. A record is durable before anybody is told that it was done.

use std::io;
use std::path::{Path, PathBuf};

use crc::{CRC_32_ISCSI, Crc};
use serde::{Deserialize, Serialize};

use crate::engine::tournament::{Amendment, Book, Conflict, Fields, TournamentRecord};
use crate::station::disk::{self, Disk};

/// The name of the file, beside the logs.
pub const TOURNAMENT: &str = "tournament.ndjson";

const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
/// What stands before the checksum, and behind it.
const MARK: &str = ",\"crc\":\"";
const END: &str = "\"}";
/// How many digits a checksum has.
const DIGITS: usize = 8;

/// The record of a folder.
#[derive(Clone, Debug, Default)]
pub struct TournamentLog {
    path: PathBuf,
    book: Book,
    records: Vec<TournamentRecord>,
    /// Where the file is damaged, and how.
    damage: Option<String>,
    /// Does the file end within a line?
    is_torn: bool,
    is_there: bool,
}

/// Why something was not done, or may not have been.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// The request does not fit.
    #[error("{0}")]
    Conflict(Conflict),
    /// The record is damaged.
    #[error("{0}; put a copy of the file there, or `damcast fsck` says more")]
    Damaged(String),
    /// The disk does not take it: it was not done.
    #[error("{path}: {error}; nothing was changed")]
    Disk {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The disk took it, but does not make it durable.
    #[error(
        "{path}: {error}; it is not known whether the change will last: look at `damcast tournament show` and ask again"
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// A line as JSON has it; what a later version adds is passed over.
#[derive(Serialize, Deserialize)]
struct Line {
    version: u64,
    at: String,
    by: String,
    request: String,
    saw: u64,
    what: String,
    #[serde(default)]
    reason: String,
    changes: Vec<LineChange>,
}

#[derive(Serialize, Deserialize)]
struct LineChange {
    entity: String,
    old: Fields,
    new: Fields,
}

/// A record as its line, with the LF.
fn to_line(record: &TournamentRecord) -> io::Result<String> {
    let TournamentRecord { version, at, by, request, saw, what, reason, changes } = record.clone();
    let change = |Amendment { entity, old, new }| LineChange { entity: entity.to_string(), old, new };
    let changes = changes.into_iter().map(change).collect();
    let mut text = serde_json::to_string(&Line { version, at, by, request, saw, what, reason, changes })?;
    text.pop();
    let checksum = CHECKSUM.checksum(text.as_bytes());
    Ok(format!("{text}{MARK}{checksum:08x}{END}\n"))
}

/// What a line is.
enum Read {
    Record(TournamentRecord),
    Undone,
    Damaged(&'static str),
}

fn read_line(line: &[u8]) -> Read {
    let Some(text) = std::str::from_utf8(line).ok().filter(|text| !text.contains('\0')) else {
        // Zeros, and a character that is cut with the line.
        return if line.contains(&0) || !line.ends_with(END.as_bytes()) {
            Read::Undone
        } else {
            Read::Damaged("it is no text")
        };
    };
    let split = || {
        let (text, digits) = text.strip_suffix(END)?.split_at_checked(text.len().checked_sub(END.len() + DIGITS)?)?;
        Some((text.strip_suffix(MARK)?, u32::from_str_radix(digits, 16).ok()?))
    };
    let Some((text, checksum)) = split() else { return Read::Undone };
    if CHECKSUM.checksum(text.as_bytes()) != checksum {
        return Read::Damaged("its checksum is another");
    }
    let Ok(Line { version, at, by, request, saw, what, reason, changes }) = serde_json::from_str(&format!("{text}}}"))
    else {
        return Read::Damaged("it is no record that this version of damcast knows");
    };
    // Kinds of a later version are passed over.
    let change = |LineChange { entity, old, new }| Some(Amendment { entity: entity.parse().ok()?, old, new });
    let changes = changes.into_iter().filter_map(change).collect();
    Read::Record(TournamentRecord { version, at, by, request, saw, what, reason, changes })
}

impl TournamentLog {
    /// Reads the record of a folder of logs. One that is not there has nothing in it.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn read(disk: &dyn Disk, folder: &Path) -> io::Result<TournamentLog> {
        let path = folder.join(TOURNAMENT);
        let bytes = match disk.read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(TournamentLog { path, ..TournamentLog::default() });
            }
            bytes => bytes?,
        };
        let is_torn = bytes.last().is_some_and(|byte| *byte != b'\n');
        let mut log = TournamentLog { path, is_torn, is_there: true, ..TournamentLog::default() };
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            let damage = match read_line(line) {
                Read::Undone => continue,
                Read::Damaged(what) => what.to_owned(),
                Read::Record(record) => match log.book.apply(&record) {
                    Ok(()) => {
                        log.records.push(record);
                        continue;
                    }
                    Err(conflict) => conflict.to_string(),
                },
            };
            log.damage = Some(format!("{}, line {number}: {damage}", log.path.display()));
            break;
        }
        Ok(log)
    }

    /// What the records say.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The records, the oldest first.
    pub fn records(&self) -> &[TournamentRecord] {
        &self.records
    }

    /// Where the file is damaged, and how. What stands before that counts.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Writes a record and makes it durable.
    ///
    /// # Errors
    ///
    /// When it does not fit what is there, the file is damaged, or the disk fails.
    pub fn write(&mut self, disk: &dyn Disk, record: &TournamentRecord) -> Result<(), TournamentError> {
        if let Some(damage) = &self.damage {
            return Err(TournamentError::Damaged(damage.clone()));
        }
        let mut book = self.book.clone();
        book.apply(record).map_err(TournamentError::Conflict)?;
        let path = self.path.clone();
        let not_done = |error| TournamentError::Disk { path: path.clone(), error };
        let line = to_line(record).map_err(not_done)?;
        let file = if self.is_there { disk.open(&self.path) } else { disk.create(&self.path) }.map_err(not_done)?;
        self.is_there = true;
        // What a crash left stays a line of its own.
        let text = if self.is_torn { format!("\n{line}") } else { line };
        if let Err((taken, error)) = disk::append_all(&*file, text.as_bytes()) {
            self.is_torn |= taken > 0;
            // A record that lacks nothing but its end of line counts.
            let is_whole = taken + 1 >= text.len();
            return Err(if is_whole { TournamentError::Unknown { path, error } } else { not_done(error) });
        }
        self.is_torn = false;
        let durable = file.sync().and_then(|()| disk.sync_folder(disk::folder_of(&self.path)));
        self.book = book;
        self.records.push(record.clone());
        durable.map_err(|error| TournamentError::Unknown { path, error })
    }
}
