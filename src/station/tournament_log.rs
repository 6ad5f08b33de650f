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
//! | that ends before its last member does, or with zeros where the power took blocks | of a request that was never done: passed over |
//! | with its last member and another checksum, or of a version that does not follow | damage: what stands before it counts, and nothing is written |
//!
//! Where a sync fails, the system may have lost what was written, though it can be read: then the file is written anew as a whole, with the
//! records that were done, before anything else is.
//!
//! `crc` is the last member, the CRC-32C of what stands before `,"crc"`. A record is durable before anybody is told that it was done.

use std::io;
use std::path::{Path, PathBuf};

use crc::{CRC_32_ISCSI, Crc};
use serde::{Deserialize, Serialize};

use crate::engine::tournament::{Conflict, EntityChange, EntityStore, Fields, TournamentRecord};
use crate::station::disk::{self, Disk, Durability};

/// The name of the file, beside the logs.
pub const TOURNAMENT_FILE: &str = "tournament.ndjson";

const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
/// What stands before the checksum, and behind it.
const CHECKSUM_MARK: &str = ",\"crc\":\"";
const LINE_END: &str = "\"}";
/// How many digits a checksum has.
const CHECKSUM_DIGITS: usize = 8;
/// The smallest block that a loss of power takes.
const MIN_BLOCK_SIZE: usize = 512;

/// The record of a folder.
#[derive(Clone, Debug, Default)]
pub struct TournamentLog {
    path: PathBuf,
    store: EntityStore,
    records: Vec<TournamentRecord>,
    /// Where the file is damaged, and how.
    damage: Option<String>,
    /// Does the file end within a line?
    is_torn: bool,
    exists: bool,
    /// How long it is with the records that were done.
    length: usize,
    /// It may have one more on this disk, of a request that was not done.
    may_have_extra_record: bool,
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
    OutcomeUnknown {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// A line as JSON has it; what a later version adds is passed over.
#[derive(Serialize, Deserialize)]
struct RecordLine {
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
    let TournamentRecord { version, at, by, request, base_version: saw, action: what, reason, changes } =
        record.clone();
    let change = |EntityChange { entity, old, new }| LineChange { entity: entity.to_string(), old, new };
    let changes = changes.into_iter().map(change).collect();
    let mut text = serde_json::to_string(&RecordLine { version, at, by, request, saw, what, reason, changes })?;
    text.pop();
    let checksum = CHECKSUM.checksum(text.as_bytes());
    Ok(format!("{text}{CHECKSUM_MARK}{checksum:08x}{LINE_END}\n"))
}

/// What a line is.
enum LineKind {
    Record(TournamentRecord),
    Unfinished,
    Damaged(&'static str),
}

fn read_line(line: &[u8]) -> LineKind {
    if has_zeroed_blocks(line) {
        return LineKind::Unfinished;
    }
    let is_whole = is_complete_line(line);
    let Ok(text) = std::str::from_utf8(line) else {
        // A character that is cut with the line.
        return if is_whole { LineKind::Damaged("it is no text") } else { LineKind::Unfinished };
    };
    let split = || {
        let (text, digits) =
            text.strip_suffix(LINE_END)?.split_at_checked(text.len().checked_sub(LINE_END.len() + CHECKSUM_DIGITS)?)?;
        Some((text.strip_suffix(CHECKSUM_MARK)?, u32::from_str_radix(digits, 16).ok()?))
    };
    let Some((text, checksum)) = split() else {
        return if is_whole { LineKind::Damaged("its checksum is none") } else { LineKind::Unfinished };
    };
    if CHECKSUM.checksum(text.as_bytes()) != checksum {
        return LineKind::Damaged("its checksum is another");
    }
    let Ok(RecordLine { version, at, by, request, saw, what, reason, changes }) =
        serde_json::from_str(&format!("{text}}}"))
    else {
        return LineKind::Damaged("it is no record that this version of damcast knows");
    };
    // Kinds of a later version are passed over.
    let change = |LineChange { entity, old, new }| Some(EntityChange { entity: entity.parse().ok()?, old, new });
    let changes = changes.into_iter().filter_map(change).collect();
    LineKind::Record(TournamentRecord { version, at, by, request, base_version: saw, action: what, reason, changes })
}

/// Are there zeros where a loss of power took blocks? They are long, or go on beyond the line.
fn has_zeroed_blocks(line: &[u8]) -> bool {
    let goes_beyond = line.first() == Some(&0) || line.last() == Some(&0);
    goes_beyond || line.split(|byte| *byte != 0).any(|zeros| zeros.len() >= MIN_BLOCK_SIZE)
}

/// Was this line written to its end? Then it is a record, or damaged. The mark itself may have a wrong byte.
fn is_complete_line(line: &[u8]) -> bool {
    let is_mark =
        |bytes: &[u8]| bytes.iter().zip(CHECKSUM_MARK.as_bytes()).filter(|(found, mark)| found != mark).count() <= 1;
    let mark = line.windows(CHECKSUM_MARK.len()).rposition(is_mark);
    mark.is_some_and(|at| line.len() >= at + CHECKSUM_MARK.len() + CHECKSUM_DIGITS + LINE_END.len())
}

impl TournamentLog {
    /// Reads the record of a folder of logs. One that is not there has nothing in it.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn read(disk: &dyn Disk, folder: &Path) -> io::Result<TournamentLog> {
        let path = folder.join(TOURNAMENT_FILE);
        let bytes = match disk.read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(TournamentLog { path, ..TournamentLog::default() });
            }
            bytes => bytes?,
        };
        let is_torn = bytes.last().is_some_and(|byte| *byte != b'\n');
        let mut log = TournamentLog { path, is_torn, exists: true, length: bytes.len(), ..TournamentLog::default() };
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            let damage = match read_line(line) {
                LineKind::Unfinished => continue,
                LineKind::Damaged(what) => what.to_owned(),
                LineKind::Record(record) => match log.store.apply(&record) {
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
    pub fn store(&self) -> &EntityStore {
        &self.store
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
        let mut book = self.store.clone();
        book.apply(record).map_err(TournamentError::Conflict)?;
        let path = self.path.clone();
        let not_done = |error| TournamentError::Disk { path: path.clone(), error };
        let line = to_line(record).map_err(not_done)?;
        self.rewrite_if_uncertain(disk).map_err(not_done)?;
        let file = if self.exists { disk.open(&self.path) } else { disk.create(&self.path) }.map_err(not_done)?;
        self.exists = true;
        // What a crash left stays a line of its own.
        let text = if self.is_torn { format!("\n{line}") } else { line };
        let durable = match disk::append_all(&*file, text.as_bytes()) {
            // A record that lacks nothing but its end of line counts.
            Err((taken, error)) if taken + 1 < text.len() => {
                self.is_torn |= taken > 0;
                self.length += taken;
                return Err(not_done(error));
            }
            Err((_, error)) => Err(error),
            Ok(()) => file.sync().and_then(|()| disk.sync_folder(disk::parent_folder(&self.path))),
        };
        if let Err(error) = durable {
            self.may_have_extra_record = true;
            return Err(match self.rewrite_if_uncertain(disk) {
                Ok(()) => not_done(error),
                Err(_) => TournamentError::OutcomeUnknown { path, error },
            });
        }
        self.is_torn = false;
        self.length += text.len();
        self.store = book;
        self.records.push(record.clone());
        Ok(())
    }

    /// Writes the file anew if it may have a record that was not done.
    fn rewrite_if_uncertain(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if self.may_have_extra_record {
            let mut bytes = disk.read(&self.path)?;
            bytes.truncate(self.length);
            disk::replace(disk, &self.path, &bytes, Durability::Safe)?;
            self.may_have_extra_record = false;
        }
        Ok(())
    }
}
