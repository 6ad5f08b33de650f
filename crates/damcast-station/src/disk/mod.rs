//! Disk operations of the station: few enough that a test can replace the disk and simulate power loss.
//!
//! | operation | used for | after a loss of power, without a sync |
//! |---|---|---|
//! | create, remove, rename | logs, live files, snapshots | the name may be the old one |
//! | append | logs, live files | the end may be missing |
//! | write at an offset | the Result tag, the commits | old or new bytes, also in part |
//! | write blocks durably | the commits | the blocks are complete |
//! | reserve, release | logs, live files, commits | nothing is lost: reserved space has no content |
//!
//! Invariants: a failed operation may be done in part, and reports how far where that matters ([`File::append`]); synced data
//! stays. Absent on purpose: truncating. No file is ever shortened.

mod append_buffer;
mod folder;
mod lock;
mod real;

pub use append_buffer::{AppendBuffer, BufferFull};
pub use folder::{FileStamp, ManagedDir, group_id, make_folder, may_write, stamp};
pub use lock::{Lock, LockError};
pub use real::{RealDisk, open_to_read, refuse_link};

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Block size of [`File::write_blocks_durably`] in bytes; disks have blocks of 512 or 4096 bytes.
pub const BLOCK_SIZE: usize = 4096;

/// Disk.
pub trait Disk: Send + Sync {
    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// Returns `NotFound`, a [`NotRegularFile`] or any I/O error.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Opens a file for reading in chunks from byte `from`, whatever its length.
    ///
    /// # Errors
    ///
    /// Returns `NotFound`, a [`NotRegularFile`] or any I/O error.
    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn BufRead>>;

    /// Returns the length of a file in bytes.
    ///
    /// # Errors
    ///
    /// Returns `NotFound` or any I/O error.
    fn length(&self, path: &Path) -> io::Result<u64>;

    /// Returns the names in a folder, unordered.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Checks whether this process may write the file, or create files in the folder.
    ///
    /// # Errors
    ///
    /// Returns `NotFound` or any I/O error.
    fn may_write(&self, path: &Path) -> io::Result<()>;

    /// Creates a file that does not exist yet.
    ///
    /// # Errors
    ///
    /// Returns `AlreadyExists` or any I/O error.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Opens an existing file.
    ///
    /// # Errors
    ///
    /// Returns `NotFound`, a [`NotRegularFile`] or any I/O error.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Renames a file; replaces a file that has the new name.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates a folder and its missing parents.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;

    /// Makes the names in a folder durable: a new file is durable only when its folder is.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// Open file.
pub trait File: Send + Sync {
    /// Writes at the end, in one write. Returns the number of bytes written, fewer than given if the disk is full.
    ///
    /// # Errors
    ///
    /// Returns an error if no bytes were written.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes all bytes at an offset.
    ///
    /// # Errors
    ///
    /// Returns an error if not all bytes were written; some may have been.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Writes whole blocks of [`BLOCK_SIZE`] bytes at the offset of a block, and makes them durable: in one operation if the disk supports
    /// that.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; some blocks may be written.
    fn write_blocks_durably(&self, blocks: &[u8], at: u64) -> io::Result<()> {
        self.write_at(blocks, at)?;
        self.sync()
    }

    /// Reads at an offset, even if the file has lost its name. Returns the number of bytes read, 0 after the end.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize>;

    /// Returns the length in bytes.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn length(&self) -> io::Result<u64>;

    /// Makes the content durable.
    ///
    /// # Errors
    ///
    /// Returns any I/O error. Data written since the last sync may be lost then, although it can still be read.
    fn sync(&self) -> io::Result<()>;

    /// Reserves disk space for the first `bytes` bytes of the file, so that it can grow on a full disk. Does not change the length.
    ///
    /// # Errors
    ///
    /// Returns an error if the space is missing or the disk does not support it.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Whether the path still names this file, with this length. `false` only if that is certain.
    fn is_at(&self, path: &Path, length: u64) -> bool;

    /// Releases the reserved space behind the end.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; the space stays reserved then.
    fn release(&self) -> io::Result<()>;
}

/// Error: the path is not a regular file. The station neither reads, writes nor waits for such an entry.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} is {kind}: put it elsewhere", .path.display())]
pub struct NotRegularFile {
    /// Path of the entry.
    pub path: PathBuf,
    /// Kind of the entry.
    pub kind: &'static str,
}

/// Whether the error is a [`NotRegularFile`].
pub fn is_not_regular_file(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NotRegularFile>())
}

/// Returns `None` instead of a `NotFound` error.
///
/// # Errors
///
/// Returns any other I/O error.
pub fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes all bytes at the end of a file, in one write unless the disk accepts fewer.
///
/// # Errors
///
/// Returns the number of bytes written and the I/O error if not all were.
pub fn append_all(file: &dyn File, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
    let mut taken = 0;
    while taken < bytes.len() {
        match file.append(&bytes[taken..]) {
            Ok(0) => return Err((taken, io::ErrorKind::WriteZero.into())),
            Ok(count) => taken += count.min(bytes.len() - taken),
            Err(error) => return Err((taken, error)),
        }
    }
    Ok(())
}

/// Returns the folder of a file.
pub fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces a file as a whole: readers see the old or the new one, even after a loss of power.
///
/// # Errors
///
/// Returns any I/O error; the old file stays then.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    replace_with(disk, path, durability, |append| append(bytes))
}

/// Like [`replace`]; `write` appends the new content in chunks.
///
/// # Errors
///
/// Returns any I/O error of the disk or of `write`; the old file stays then.
pub fn replace_with(
    disk: &dyn Disk,
    path: &Path,
    durability: Durability,
    write: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    if_found(disk.remove(&new))?;
    let file = disk.create(&new)?;
    write(&mut |bytes| append_all(&*file, bytes).map_err(|(_, error)| error))?;
    if durability == Durability::Safe {
        file.sync()?;
    }
    disk.rename(&new, path)?;
    if durability == Durability::Safe { disk.sync_folder(parent_folder(path)) } else { Ok(()) }
}

/// Maximum number of files of one name that are moved aside.
const MAX_ASIDE_FILES: u32 = 100;

/// Renames a file to the first free `NAME.aside-1`, `NAME.aside-2`, ..., so that nothing is lost and its name becomes free. Returns the new
/// name.
///
/// # Errors
///
/// Returns `NotFound`, an error if all these names are taken, or any I/O error.
pub fn move_aside(disk: &dyn Disk, path: &Path) -> io::Result<String> {
    let folder = parent_folder(path);
    let (name, names) = (path.file_name().unwrap_or_default().to_string_lossy(), disk.list(folder)?);
    let free = (1..=MAX_ASIDE_FILES).map(|count| format!("{name}.aside-{count}")).find(|aside| !names.contains(aside));
    let aside = free.ok_or_else(|| {
        let message =
            format!("{}: {MAX_ASIDE_FILES} files were put aside already; look at them and remove them", path.display());
        io::Error::other(message)
    })?;
    disk.rename(path, &folder.join(&aside))?;
    disk.sync_folder(folder)?;
    Ok(aside)
}

/// Time at which an output becomes durable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Durability {
    /// Before the next step.
    #[default]
    Safe,
    /// As soon as the system writes it; the output can be made again from the log.
    Lazy,
}
