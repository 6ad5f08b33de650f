//! Witnesses: known lengths of files of chained lines, which reveal that a file lost its end.
//!
//! ```text
//!   log/tournament.ndjson   [ line | line | line | line ]
//!                                                       └ name, length, chained checksum ─▸ commits
//! ```
//!
//! The writer of such a file sets the witness after a sync. The thread that writes the commits adds new witnesses to the next commit, and
//! every few seconds. So a file shorter than its witness was truncated, by another program or a broken disk.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::chained::ChainedChecksum;
use crate::disk::{self, Disk, Durability, File, append_all, parent_folder};
use crate::locks::lock;

/// Durable end of a file of chained lines.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Witness {
    /// Length of the file in bytes.
    pub length: u64,
    /// Checksum of its last line.
    pub checksum: ChainedChecksum,
}

/// Difference between a file and its witness.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WitnessMismatch {
    /// The end of the file is missing.
    #[error(
        "its end is missing: {found} bytes of it are right, and it had {known} bytes; a copy of at least {known} bytes is needed"
    )]
    Shorter {
        /// Length of the correct part.
        found: u64,
        /// Length in the witness.
        known: u64,
    },
    /// The file has other lines than those that were written.
    #[error("it has other lines than those that were written up to byte {known}; a copy with those is needed")]
    Different {
        /// Length in the witness.
        known: u64,
    },
}

impl Witness {
    /// Compares a file with its witness. `ends`: end of each line, with the checksum up to there.
    ///
    /// # Errors
    ///
    /// Returns [`WitnessMismatch`] if the file lacks lines of its witness or has others.
    pub fn check(&self, ends: impl Iterator<Item = Witness>) -> Result<(), WitnessMismatch> {
        let mut found = 0;
        for end in ends {
            if end == *self {
                return Ok(());
            }
            found = end.length;
        }
        let known = self.length;
        if found < known {
            return Err(WitnessMismatch::Shorter { found, known });
        }
        Err(WitnessMismatch::Different { known })
    }
}

/// Witnesses of a station's files, by file name.
#[derive(Clone, Default, Debug)]
pub struct Witnesses(Arc<Mutex<BTreeMap<String, Witness>>>);

impl Witnesses {
    /// Creates the witnesses from those that were read.
    pub fn new(known: BTreeMap<String, Witness>) -> Witnesses {
        Witnesses(Arc::new(Mutex::new(known)))
    }

    /// Returns the witness of a file.
    pub fn get(&self, file: &str) -> Option<Witness> {
        lock(&self.0).get(file).copied()
    }

    /// Records that a file is durable up to this end.
    pub fn set(&self, file: &str, witness: Witness) {
        lock(&self.0).insert(file.to_owned(), witness);
    }

    /// Removes the witnesses of these files.
    pub fn forget(&self, is_forgotten: impl Fn(&str) -> bool) {
        lock(&self.0).retain(|file, _| !is_forgotten(file));
    }

    /// Returns a copy of all witnesses.
    pub fn all(&self) -> BTreeMap<String, Witness> {
        lock(&self.0).clone()
    }
}

/// A growing file of chained lines: the tournament's record, or an order of events.
///
/// A failed append is repeated once, by replacing the whole file: after a failed sync the kernel may believe that the disk has the pages,
/// and a second sync would do nothing.
#[derive(Clone)]
pub struct WitnessedFile {
    path: PathBuf,
    /// Name of the witness.
    name: String,
    witnesses: Witnesses,
    file: Option<Arc<dyn File>>,
    end: Witness,
    /// Whether the file may differ from its lines up to `end`, or have them in the page cache only.
    is_doubtful: bool,
    is_synced: bool,
}

impl fmt::Debug for WitnessedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WitnessedFile").field("path", &self.path).field("end", &self.end).finish_non_exhaustive()
    }
}

/// Failure of an append.
#[derive(Debug)]
pub struct AppendError {
    /// Cause.
    pub error: io::Error,
    /// Whether the line may still be in the file after a restart.
    pub may_be_there: bool,
}

impl WitnessedFile {
    /// Creates a file whose lines were read up to `end`. `is_whole`: whether it ends there.
    pub fn new(path: PathBuf, name: String, witnesses: Witnesses, end: Witness, is_whole: bool) -> WitnessedFile {
        WitnessedFile { path, name, witnesses, file: None, end, is_doubtful: !is_whole, is_synced: false }
    }

    /// Returns the end of its lines.
    pub fn end(&self) -> Witness {
        self.end
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still names this file, with the written length.
    pub fn is_there(&self) -> bool {
        self.file.as_ref().is_none_or(|file| match file.length() {
            // A failed append may have left bytes after the end.
            Ok(length) if self.is_doubtful && length > self.end.length => file.is_at(&self.path, length),
            _ => file.is_at(&self.path, self.end.length),
        })
    }

    /// Whether all lines are durable.
    pub fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Appends lines, of which the last one has this checksum.
    ///
    /// # Errors
    ///
    /// Returns [`AppendError`] if neither the append nor a replacement of the file succeeds.
    pub fn append(
        &mut self,
        disk: &dyn Disk,
        lines: &str,
        checksum: ChainedChecksum,
        durability: Durability,
    ) -> Result<(), AppendError> {
        let end = Witness { length: self.end.length + lines.len() as u64, checksum };
        let mut is_replaced = false;
        let appended = match self.is_doubtful {
            true => None,
            false => Some(self.try_to_append(disk, lines, durability)),
        };
        if !matches!(appended, Some(Ok(()))) {
            self.is_doubtful = true;
            if let Err(error) = self.replace(disk, lines) {
                let may_be_there = matches!(&appended, Some(Err((true, _))));
                let error = appended.and_then(Result::err).map_or(error, |(_, error)| error);
                return Err(AppendError { error, may_be_there });
            }
            is_replaced = true;
        }
        self.end = end;
        self.is_synced = durability == Durability::Safe || is_replaced;
        self.note();
        Ok(())
    }

    /// Makes the appended lines durable.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn sync(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if !self.is_synced {
            let synced = match self.is_doubtful {
                true => Err(io::Error::other("it may lack something")),
                false => self.open(disk).and_then(|file| file.sync()),
            };
            if synced.is_err() {
                self.is_doubtful = true;
                self.replace(disk, "")?;
            }
            self.is_synced = true;
        }
        self.note();
        Ok(())
    }

    fn note(&self) {
        if self.is_synced && self.end.length > 0 {
            self.witnesses.set(&self.name, self.end);
        }
    }

    fn open(&mut self, disk: &dyn Disk) -> io::Result<&Arc<dyn File>> {
        if self.file.is_none() {
            let file = match disk.open(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.end.length == 0 => {
                    disk.create(&self.path)?
                }
                file => file?,
            };
            // A killed start may have made the file without making its name durable.
            disk.sync_folder(parent_folder(&self.path))?;
            self.file = Some(file);
        }
        self.file.as_ref().ok_or_else(|| io::Error::other("it is not open"))
    }

    /// Appends lines; an error includes whether all of them were written.
    fn try_to_append(&mut self, disk: &dyn Disk, lines: &str, durability: Durability) -> Result<(), (bool, io::Error)> {
        let file = self.open(disk).map_err(|error| (false, error))?;
        // A line that lacks only its LF counts.
        append_all(&**file, lines.as_bytes()).map_err(|(taken, error)| (taken + 1 >= lines.len(), error))?;
        if durability == Durability::Safe { file.sync().map_err(|error| (true, error)) } else { Ok(()) }
    }

    /// Replaces the file, durably: its lines up to the end, and the new ones.
    fn replace(&mut self, disk: &dyn Disk, lines: &str) -> io::Result<()> {
        let mut content = disk::if_found(disk.read(&self.path))?.unwrap_or_default();
        let length = usize::try_from(self.end.length).unwrap_or(usize::MAX);
        if content.len() < length {
            return Err(io::Error::other("it was shortened outside damcast"));
        }
        content.truncate(length);
        content.extend_from_slice(lines.as_bytes());
        disk::replace(disk, &self.path, &content, Durability::Safe)?;
        (self.file, self.is_doubtful) = (Some(disk.open(&self.path)?), false);
        Ok(())
    }
}
