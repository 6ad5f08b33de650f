//! Allows one station per folder: the folder and the file `damcast.lock` in it are locked as long as they are open.
//!
//! The lock on the folder holds even if the file is removed. The file holds on network file systems, which cannot lock a folder; it contains
//! the process id, for people. The system releases both when the process ends for any reason, so a crash leaves no lock behind.

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
    _folder: File,
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
        let locked = |owner| LockError::Locked { directory: directory.to_owned(), owner };
        let folder = File::open(directory).map_err(disk)?;
        if let Err(TryLockError::WouldBlock) = folder.try_lock() {
            return Err(locked(open_to_read(&path).map_or(String::new(), |mut file| owner(&mut file))));
        }
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
                Ok(Lock { _folder: folder, _file: file })
            }
            Err(TryLockError::WouldBlock) => Err(locked(owner(&mut file))),
            Err(TryLockError::Error(error)) => Err(disk(error)),
        }
    }

    /// Returns the holder of the folder's lock as ` (process 1234)`, empty if unknown; `None` if no station runs there. Leaves nothing
    /// locked.
    pub fn find_holder(directory: &Path) -> Option<String> {
        let is_locked = |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let mut file = open_to_read(&directory.join(LOCK_FILE)).ok();
        let is_held =
            File::open(directory).is_ok_and(|folder| is_locked(&folder)) || file.as_ref().is_some_and(is_locked);
        is_held.then(|| file.as_mut().map_or(String::new(), owner))
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
        std::fs::remove_file(folder.path().join(LOCK_FILE)).unwrap();
        assert!(
            matches!(Lock::acquire(folder.path()), Err(LockError::Locked { .. })),
            "the file is gone, the station is not"
        );
        assert_eq!(Lock::find_holder(folder.path()), Some(String::new()));
        drop(lock);
        assert_eq!(Lock::find_holder(folder.path()), None);
        Lock::acquire(folder.path()).unwrap();
    }
}
