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
//! Where a write or a sync fails, the file is written anew as a whole, once, with the record ([`WitnessedFile`]).
//!
//! `crc` is the last member, chained to that of the record before ([`crate::station::journal::chained`]). A record is durable before
//! its request is answered, and then the commits witness how long the file is: a file that lost its end is damaged.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::tournament::{Conflict, EntityChange, EntityStore, Fields, TournamentRecord};
use crate::station::disk::{Disk, Durability};
use crate::station::journal::chained::{ChainedChecksum, SealError};
use crate::station::journal::witness::{Witness, WitnessedFile, Witnesses};

/// The name of the file, beside the logs.
pub const TOURNAMENT_FILE: &str = "tournament.ndjson";
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
    /// Whether it lacks its end.
    is_cut: bool,
    /// Whether the last record lacks its LF.
    is_unended: bool,
    file: Option<WitnessedFile>,
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

/// Returns a record as its line, with the LF, and its checksum.
fn to_line(record: &TournamentRecord, before: ChainedChecksum) -> io::Result<(String, ChainedChecksum)> {
    let TournamentRecord { version, at, by, request, base_version: saw, action: what, reason, changes } =
        record.clone();
    let change = |EntityChange { entity, old, new }| LineChange { entity: entity.to_string(), old, new };
    let changes = changes.into_iter().map(change).collect();
    Ok(before.seal(&serde_json::to_string(&RecordLine { version, at, by, request, saw, what, reason, changes })?))
}

/// What a line is.
enum LineKind {
    Record(TournamentRecord, ChainedChecksum),
    Unfinished,
    Damaged(&'static str),
}

fn read_line(line: &[u8], before: ChainedChecksum) -> LineKind {
    if has_zeroed_blocks(line) {
        return LineKind::Unfinished;
    }
    let is_whole = is_complete_line(line);
    let Ok(text) = std::str::from_utf8(line) else {
        // A character that is cut with the line.
        return if is_whole { LineKind::Damaged("it is no text") } else { LineKind::Unfinished };
    };
    let (object, checksum) = match before.unseal(text) {
        Err(SealError::Missing) if !is_whole => return LineKind::Unfinished,
        Err(SealError::Missing) => return LineKind::Damaged("its checksum is none"),
        Err(SealError::Different) => return LineKind::Damaged("its checksum is another"),
        Ok(read) => read,
    };
    let Ok(RecordLine { version, at, by, request, saw, what, reason, changes }) = serde_json::from_str(&object) else {
        return LineKind::Damaged("it is no record that this version of damcast knows");
    };
    // Kinds of a later version are passed over.
    let change = |LineChange { entity, old, new }| Some(EntityChange { entity: entity.parse().ok()?, old, new });
    let changes = changes.into_iter().filter_map(change).collect();
    LineKind::Record(
        TournamentRecord { version, at, by, request, base_version: saw, action: what, reason, changes },
        checksum,
    )
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
        TournamentLog::read_witnessed(disk, folder, Witnesses::default())
    }

    /// Reads the record, and compares it with its witness; new ones are noted there.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn read_witnessed(disk: &dyn Disk, folder: &Path, witnesses: Witnesses) -> io::Result<TournamentLog> {
        let path = folder.join(TOURNAMENT_FILE);
        let bytes = match disk.read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        let mut log = TournamentLog { path: path.clone(), ..TournamentLog::default() };
        let (mut at, mut ends) = (0, vec![Witness::default()]);
        for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
            at += line.len() as u64;
            let end = ends.last().copied().unwrap_or_default();
            let damage = match read_line(line.strip_suffix(b"\n").unwrap_or(line), end.checksum) {
                LineKind::Unfinished => continue,
                LineKind::Damaged(what) => what.to_owned(),
                LineKind::Record(record, checksum) => match log.store.apply(&record) {
                    Ok(()) => {
                        log.records.push(record);
                        log.is_unended = !line.ends_with(b"\n");
                        ends.push(Witness { length: at, checksum });
                        continue;
                    }
                    Err(conflict) => conflict.to_string(),
                },
            };
            log.damage = Some(format!("{}, line {number}: {damage}", log.path.display()));
            break;
        }
        let end = ends.last().copied().unwrap_or_default();
        let missing = witnesses.get(TOURNAMENT_FILE).and_then(|witness| witness.check(ends.into_iter()).err());
        if let (Some(missing), None) = (missing, &log.damage) {
            (log.damage, log.is_cut) = (Some(format!("{}: {missing}", log.path.display())), true);
        }
        let is_whole = end.length == bytes.len() as u64;
        log.file = Some(WitnessedFile::new(path, TOURNAMENT_FILE.to_owned(), witnesses, end, is_whole));
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

    /// Whether the file lacks its end, by its witness.
    pub fn is_cut(&self) -> bool {
        self.is_cut
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
        let Some(file) = &mut self.file else { return Err(not_done(io::Error::other("it was not read"))) };
        let (line, checksum) = to_line(record, file.end().checksum).map_err(not_done)?;
        let line = if self.is_unended { format!("\n{line}") } else { line };
        file.append(disk, &line, checksum, Durability::Safe).map_err(|failed| match failed.may_be_there {
            true => TournamentError::OutcomeUnknown { path: path.clone(), error: failed.error },
            false => not_done(failed.error),
        })?;
        self.is_unended = false;
        self.store = book;
        self.records.push(record.clone());
        Ok(())
    }
}
