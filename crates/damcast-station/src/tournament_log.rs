//! The record of a tournament on disk: `log/tournament.ndjson`, one record per line, append-only.
//!
//! ```text
//! {"version":2,"at":"2027-07-10T11:42:07.310+02:00","by":"jan","request_id":"8f3c2a9be01d44c7","command_crc":"51d2a0e7",
//!  "action":"result of pairing 1.1: 2-0","events":[{"result-given":{"pairing":1,"result":{..}}},..],"crc":"9a0f12c3"}
//! ```
//!
//! | a line | is |
//! |---|---|
//! | with its last member and the right checksum | a record |
//! | that ends before its last member, or has zeros where a loss of power erased blocks | of a request that was never executed: skipped |
//! | with its last member and another checksum, an unknown event, or a version out of order | damage: the records before it count, and nothing is written |
//!
//! If a write or a sync fails, the whole file is written anew once, with the record ([`WitnessedFile`]).
//!
//! `crc` is the last member, chained to that of the previous record ([`crate::journal::chained`]). A record is durable before its
//! request is answered; then the commits witness the length of the file. A file that lost its end is damaged.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use draughts_tournament::{Tournament, TournamentRecord};

use crate::disk::{self, Disk, Durability};
use crate::journal::chained::{ChainedChecksum, DIGITS, END, MARK, SealError};
use crate::journal::witness::{Witness, WitnessedFile, Witnesses};

/// Name of the file, beside the logs.
pub const TOURNAMENT_FILE: &str = "tournament.ndjson";

/// Size of the smallest block that a loss of power erases, in bytes.
const BLOCK: usize = 512;

/// The record of a folder, and the resulting tournament.
#[derive(Clone, Debug, Default)]
pub struct TournamentLog {
    path: PathBuf,
    tournament: Tournament,
    records: Vec<TournamentRecord>,
    /// Version made by each request.
    requests: BTreeMap<String, u64>,
    /// Place and kind of the file's damage.
    damage: Option<String>,
    /// Whether the file is shorter than its witness.
    is_cut: bool,
    /// Whether the last record lacks its LF.
    is_unended: bool,
    file: Option<WitnessedFile>,
}

/// Reason why a request or a record does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// The request was executed already, as this version.
    Duplicate(u64),
    /// The requester saw an older version: the current one, and the actions since, each with its version.
    Stale(u64, Vec<(u64, String)>),
    /// The record does not follow the previous one.
    Invalid(String),
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Duplicate(version) => write!(f, "this request was done already, as version {version}"),
            Conflict::Stale(now, since) => {
                match since.as_slice() {
                    [] => write!(f, "the tournament has no such version yet, it is at version {now};")?,
                    _ => f.write_str("the tournament has changed since then:")?,
                }
                since.iter().try_for_each(|(version, action)| write!(f, " version {version}: {action};"))?;
                f.write_str(" look at it, and ask again")
            }
            Conflict::Invalid(reason) => f.write_str(reason),
        }
    }
}

/// Reason why a record was not written, or may not have been.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// The record does not fit.
    #[error("{0}")]
    Conflict(Conflict),
    /// The file is damaged.
    #[error("{0}; put a copy of the file there, or `damcast fsck` says more")]
    Damaged(String),
    /// The disk refused the record: it was not written.
    #[error("{path}: {error}; nothing was changed")]
    Disk {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
    /// The record was written but not made durable.
    #[error(
        "{path}: {error}; it is not known whether the change will last: look at `damcast tournament show` and ask again"
    )]
    OutcomeUnknown {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
}

/// Returns a record as its line, with the LF, and its checksum.
fn to_line(record: &TournamentRecord, before: ChainedChecksum) -> io::Result<(String, ChainedChecksum)> {
    Ok(before.seal(&serde_json::to_string(record)?))
}

/// Kind of a line.
enum LineKind {
    Record(TournamentRecord, ChainedChecksum),
    Unfinished,
    Damaged(&'static str),
}

fn read_line(line: &[u8], before: ChainedChecksum) -> LineKind {
    if has_lost_blocks(line) {
        return LineKind::Unfinished;
    }
    let is_complete = is_complete_line(line);
    let Ok(text) = std::str::from_utf8(line) else {
        // The cut may lie inside a character.
        return if is_complete { LineKind::Damaged("it is no text") } else { LineKind::Unfinished };
    };
    let (object, checksum) = match before.unseal(text) {
        Err(SealError::Missing) if !is_complete => return LineKind::Unfinished,
        Err(SealError::Missing) => return LineKind::Damaged("its checksum is none"),
        Err(SealError::Different) => return LineKind::Damaged("its checksum is another"),
        Ok(read) => read,
    };
    match serde_json::from_str(&object) {
        Ok(record) => LineKind::Record(record, checksum),
        Err(_) => LineKind::Damaged("it is no record that this version of damcast knows"),
    }
}

/// Whether the line has zeros where a loss of power erased blocks: a long run, or one that continues beyond the line.
fn has_lost_blocks(line: &[u8]) -> bool {
    let goes_beyond = line.first() == Some(&0) || line.last() == Some(&0);
    goes_beyond || line.split(|byte| *byte != 0).any(|zeros| zeros.len() >= BLOCK)
}

/// Whether the line was written to its end: then it is a record, or damaged. One byte of the mark itself may be wrong.
fn is_complete_line(line: &[u8]) -> bool {
    let is_mark = |bytes: &[u8]| bytes.iter().zip(MARK.as_bytes()).filter(|(found, mark)| found != mark).count() <= 1;
    let mark = line.windows(MARK.len()).rposition(is_mark);
    mark.is_some_and(|at| line.len() >= at + MARK.len() + DIGITS + END.len())
}

impl TournamentLog {
    /// Reads the record of a folder of logs. A missing file is an empty record.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn read(disk: &dyn Disk, folder: &Path) -> io::Result<TournamentLog> {
        TournamentLog::read_witnessed(disk, folder, Witnesses::default())
    }

    /// Reads the record, and compares it with its witness; stores witnesses of later records there.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn read_witnessed(disk: &dyn Disk, folder: &Path, witnesses: Witnesses) -> io::Result<TournamentLog> {
        let path = folder.join(TOURNAMENT_FILE);
        let bytes = disk::if_found(disk.read(&path))?.unwrap_or_default();
        let mut log = TournamentLog { path: path.clone(), ..TournamentLog::default() };
        let (mut at, mut ends) = (0, vec![Witness::default()]);
        for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
            at += line.len() as u64;
            let end = ends.last().copied().unwrap_or_default();
            let damage = match read_line(line.strip_suffix(b"\n").unwrap_or(line), end.checksum) {
                LineKind::Unfinished => continue,
                LineKind::Damaged(what) => what.to_owned(),
                LineKind::Record(record, checksum) => match log.after(&record) {
                    Ok(tournament) => {
                        log.append(tournament, record);
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

    /// Returns the tournament of all records.
    pub fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// Returns the version of the tournament: the number of records.
    pub fn version(&self) -> u64 {
        self.records.len() as u64
    }

    /// Returns the records, oldest first.
    pub fn records(&self) -> &[TournamentRecord] {
        &self.records
    }

    /// Returns the place and kind of the file's damage. The records before it count.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Whether the file is shorter than its witness.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Checks whether a request may be executed. `base_version`: the version that the requester saw.
    ///
    /// # Errors
    ///
    /// Returns a [`Conflict`] if it was executed before, or the tournament has changed since.
    pub fn check_request(&self, request_id: &str, base_version: u64) -> Result<(), Conflict> {
        match self.requests.get(request_id) {
            Some(version) => Err(Conflict::Duplicate(*version)),
            None if base_version == self.version() => Ok(()),
            None => {
                let since = self.records.iter().filter(|record| record.version > base_version);
                let since = since.map(|record| (record.version, record.action.clone()));
                Err(Conflict::Stale(self.version(), since.collect()))
            }
        }
    }

    /// Returns the tournament with one more record.
    fn after(&self, record: &TournamentRecord) -> Result<Tournament, Conflict> {
        let next = self.version() + 1;
        if record.version != next {
            return Err(Conflict::Invalid(format!("version {} stands where {next} is to be", record.version)));
        }
        if let Some(version) = self.requests.get(&record.request_id) {
            return Err(Conflict::Duplicate(*version));
        }
        let mut tournament = self.tournament.clone();
        for event in &record.events {
            tournament.apply(event).map_err(|misfit| Conflict::Invalid(misfit.to_string()))?;
        }
        Ok(tournament)
    }

    fn append(&mut self, tournament: Tournament, record: TournamentRecord) {
        self.tournament = tournament;
        self.requests.insert(record.request_id.clone(), record.version);
        self.records.push(record);
    }

    /// Writes a record and makes it durable.
    ///
    /// # Errors
    ///
    /// Returns a [`TournamentError`] if the record does not follow, the file is damaged, or the disk fails.
    pub fn write(&mut self, disk: &dyn Disk, record: &TournamentRecord) -> Result<(), TournamentError> {
        if let Some(damage) = &self.damage {
            return Err(TournamentError::Damaged(damage.clone()));
        }
        let tournament = self.after(record).map_err(TournamentError::Conflict)?;
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
        self.append(tournament, record.clone());
        Ok(())
    }
}
