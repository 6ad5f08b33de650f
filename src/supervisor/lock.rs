//! The lock on the folder of a station: two recorders that number the same files would ruin both.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use super::SupervisorError;

/// Locks the directory for as long as the file is open; the system unlocks it even after a crash.
pub fn lock(directory: &Path) -> Result<File, SupervisorError> {
    let path = directory.join("damcast.lock");
    let folder_error = |error| SupervisorError::Folder { path: path.clone(), error };
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = options.map_err(folder_error)?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0).map_err(folder_error)?;
            writeln!(file, "{}", std::process::id()).map_err(folder_error)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            // Who it is would be good to know, no more.
            let _ = file.read_to_string(&mut process);
            let owner = process.trim().parse::<u32>().map_or(String::new(), |process| format!(" (process {process})"));
            Err(SupervisorError::Locked { directory: directory.to_owned(), owner })
        }
        Err(TryLockError::Error(error)) => Err(folder_error(error)),
    }
}
