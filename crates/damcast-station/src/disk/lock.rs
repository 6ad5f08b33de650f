//! Allows one station per folder: the file `damcast.lock` is locked as long as it is open.
//!
//! The system releases the lock when the process ends for any reason, so a crash leaves no lock behind. The file contains the process id,
//! for people.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::folder::owner_for;
use super::real::{open_regular, open_to_read};

/// Name of the lock file.
const LOCK_FILE: &str = "damcast.lock";

/// Reason why a folder cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The lock file cannot be used.
    #[error("{path}: {error}")]
    Disk {
        /// Path of the lock file.
        path: PathBuf,
        /// I/O error.
        error: io::Error,
    },
    /// Another station holds the lock.
    #[error("{directory}: another damcast{owner} records into this directory; stop it, or use another directory")]
    Locked {
        /// Folder.
        directory: PathBuf,
        /// Holder, if known: ` (process 1234)`.
        owner: String,
    },
}

/// Lock on a folder, released when dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if another process holds the lock or the disk fails.
    pub fn acquire(directory: &Path) -> Result<Lock, LockError> {
        let path = directory.join(LOCK_FILE);
        let disk = |error| LockError::Disk { path: path.clone(), error };
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = match open_regular(&path, &mut options) {
            // A lock file of another user can be locked without write permission.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open_to_read(&path).map_err(disk)?,
            opened => opened.map_err(disk)?,
        };
        if let Some((user, group)) = owner_for(directory).filter(|_| is_new) {
            rustix::fs::fchown(&file, Some(user), Some(group)).map_err(|error| disk(error.into()))?;
        }
        match file.try_lock() {
            Ok(()) => {
                // The process id is for people only: a full disk must not prevent the start.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                Ok(Lock { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                Err(LockError::Locked { directory: directory.to_owned(), owner: owner(&mut file) })
            }
            Err(TryLockError::Error(error)) => Err(disk(error)),
        }
    }

    /// Returns the holder of the folder's lock as ` (process 1234)`, empty if unknown; `None` if no station runs there. Leaves nothing
    /// locked.
    pub fn find_holder(directory: &Path) -> Option<String> {
        let mut file = open_to_read(&directory.join(LOCK_FILE)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(owner(&mut file)),
            _ => None,
        }
    }
}

/// Describes the owner of the lock, for messages only.
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
