//! One station at a time in a folder: the file `damcast.lock`, locked for as long as it is open.
//!
//! The system unlocks it when its process ends, however that comes about, so a crash leaves no lock behind. The file holds
//! the number of the process, for people.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::folder::owner_for;
use super::real::{open_regular, open_to_read};

/// The name of the file.
const LOCK_FILE: &str = "damcast.lock";

/// Why a folder cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file cannot be used.
    #[error("{path}: {error}")]
    Disk {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Another station has it.
    #[error("{directory}: another damcast{owner} records into this directory; stop it, or use another directory")]
    Locked {
        /// The folder.
        directory: PathBuf,
        /// Who, if that is known: ` (process 1234)`.
        owner: String,
    },
}

/// A folder that is locked. It is free again when this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a folder.
    ///
    /// # Errors
    ///
    /// When another process has it, or the disk fails.
    pub fn acquire(directory: &Path) -> Result<Lock, LockError> {
        let path = directory.join(LOCK_FILE);
        let disk = |error| LockError::Disk { path: path.clone(), error };
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = match open_regular(&path, &mut options) {
            // Of another user, who was here once: it can be locked all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open_to_read(&path).map_err(disk)?,
            opened => opened.map_err(disk)?,
        };
        if let Some((user, group)) = owner_for(directory).filter(|_| is_new) {
            rustix::fs::fchown(&file, Some(user), Some(group)).map_err(|error| disk(error.into()))?;
        }
        match file.try_lock() {
            Ok(()) => {
                // The number is for people: a full disk, which does not take it, is no reason not to start.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                Ok(Lock { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                Err(LockError::Locked { directory: directory.to_owned(), owner: owner(&mut file) })
            }
            Err(TryLockError::Error(error)) => Err(disk(error)),
        }
    }

    /// Does a station run in this folder? Says which, as far as that is known. Nothing is left locked.
    pub fn find_holder(directory: &Path) -> Option<String> {
        let mut file = open_to_read(&directory.join(LOCK_FILE)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(owner(&mut file)),
            _ => None,
        }
    }
}

/// Owner of the lock, for messages only.
fn owner(file: &mut File) -> String {
    let mut process = String::new();
    let _ = file.read_to_string(&mut process);
    process.trim().parse::<u32>().map_or(String::new(), |process| format!(" (process {process})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Lock::find_holder(folder.path()), None);
        let lock = Lock::acquire(folder.path()).unwrap();
        let me = format!(" (process {})", std::process::id());
        assert!(matches!(Lock::acquire(folder.path()), Err(LockError::Locked { owner, .. }) if owner == me));
        assert_eq!(Lock::find_holder(folder.path()), Some(me));
        drop(lock);
        assert_eq!(Lock::find_holder(folder.path()), None);
        Lock::acquire(folder.path()).unwrap();
    }
}
