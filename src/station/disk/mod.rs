//! Disk operations of the station: few enough that a test can replace the disk and simulate power loss.
//!
//! | operation | who needs it | after a loss of power, without a sync |
//! |---|---|---|
//! | create, remove, rename | logs, live files, snapshots | the name may be the old one |
//! | append | logs, live files | the end may be missing |
//! | write at a place | the Result tag, the commits | either, also in part |
//! | write blocks durably | the commits | they are there |
//! | reserve, release | logs, live files, commits | nothing is lost: space is no content |
//!
//! Invariants: an operation that failed may have been done in part, and says how far where that matters
//! ([`File::append`]); what was synced stays. Absent on purpose: truncating. Nothing that was written is ever shortened.

mod append_buffer;
mod folder;
mod lock;
mod real;

pub use append_buffer::{AppendBuffer, BufferFull};
pub use folder::{FileStamp, ManagedDir, make_folder, may_write, stamp};
pub use lock::{Lock, LockError};
pub use real::{RealDisk, open_to_read, refuse_link};

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What [`File::write_blocks_durably`] counts in; disks of today have blocks of 512 or 4096 bytes.
pub const BLOCK_SIZE: usize = 4096;

/// A disk.
pub trait Disk: Send + Sync {
    /// All that a file holds.
    ///
    /// # Errors
    ///
    /// `NotFound`, an [`NotRegularFile`], or what the disk says.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// A file to be read piece by piece, from this byte on, however long it is.
    ///
    /// # Errors
    ///
    /// `NotFound`, an [`NotRegularFile`], or what the disk says.
    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn BufRead>>;

    /// How long a file is.
    ///
    /// # Errors
    ///
    /// `NotFound`, or what the disk says.
    fn length(&self, path: &Path) -> io::Result<u64>;

    /// The names in a folder, in no order.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// May this process write here? For a folder: make files in it.
    ///
    /// # Errors
    ///
    /// `NotFound`, or what the disk says.
    fn may_write(&self, path: &Path) -> io::Result<()>;

    /// Begins a file that does not exist yet.
    ///
    /// # Errors
    ///
    /// `AlreadyExists`, or what the disk says.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Opens a file that exists.
    ///
    /// # Errors
    ///
    /// `NotFound`, an [`NotRegularFile`], or what the disk says.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Gives a file another name, in place of a file that may have it.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder, and those that it is in, unless they are there.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;

    /// Makes the names in a folder durable: a new file is durable only when its folder is.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// An open file.
pub trait File: Send + Sync {
    /// Writes at the end, in one write. Returns how many bytes the disk took: all, or fewer when it is full.
    ///
    /// # Errors
    ///
    /// When it took none.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes all bytes at a place.
    ///
    /// # Errors
    ///
    /// When not all could be written; some may have been.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Writes whole blocks of [`BLOCK_SIZE`] bytes at the place of a block, and makes them durable: in one operation where the disk
    /// can do that.
    ///
    /// # Errors
    ///
    /// As the disk says; some may have been written.
    fn write_blocks_durably(&self, blocks: &[u8], at: u64) -> io::Result<()> {
        self.write_at(blocks, at)?;
        self.sync()
    }

    /// Reads what stands at a place, also when the file has lost its name. Returns how many bytes that were: none behind its
    /// end.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize>;

    /// How long it is.
    ///
    /// # Errors
    ///
    /// As the disk says.
    fn length(&self) -> io::Result<u64>;

    /// Makes its content durable.
    ///
    /// # Errors
    ///
    /// As the disk says. What was written since the last sync may be lost then, although it can still be read.
    fn sync(&self) -> io::Result<()>;

    /// Takes space for the file from its start up to so many bytes, so that it can grow on a full disk. Its length stays.
    ///
    /// # Errors
    ///
    /// When there is not so much space, or the disk cannot do it.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Has this path still this file, of this length? Only a sure no is one.
    fn is_at(&self, path: &Path, length: u64) -> bool;

    /// Gives back the space behind its end.
    ///
    /// # Errors
    ///
    /// As the disk says; the space stays taken then.
    fn release(&self) -> io::Result<()>;
}

/// What has the name of a file is none of the station's: it is not read, not written to and not waited for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} is {kind}: put it elsewhere", .path.display())]
pub struct NotRegularFile {
    /// Where it is.
    pub path: PathBuf,
    /// Kind of the entry.
    pub kind: &'static str,
}

/// Is this error an [`NotRegularFile`]?
pub fn is_not_regular_file(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NotRegularFile>())
}

/// Writes all of these bytes at the end of a file, in one write unless the disk takes fewer.
///
/// # Errors
///
/// When not all could be written; how many were, and why no more.
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

/// The folder that a file is in.
pub fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces a file as a whole: readers see the old one or the new one, also after a loss of power.
///
/// # Errors
///
/// As the disk says; the old file stands then.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    replace_with(disk, path, durability, |append| append(bytes))
}

/// The same; `write` appends the new content piece by piece.
///
/// # Errors
///
/// As the disk says, or `write`; the old file stands then.
pub fn replace_with(
    disk: &dyn Disk,
    path: &Path,
    durability: Durability,
    write: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    match disk.remove(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = disk.create(&new)?;
    write(&mut |bytes| append_all(&*file, bytes).map_err(|(_, error)| error))?;
    if durability == Durability::Safe {
        file.sync()?;
    }
    disk.rename(&new, path)?;
    if durability == Durability::Safe { disk.sync_folder(parent_folder(path)) } else { Ok(()) }
}

/// How many files of a name are put aside before somebody has to look at the folder.
const MAX_ASIDE_FILES: u32 = 100;

/// Gives a file another name, so that nothing is lost and its own name is free: `NAME.aside-1`, or the next that is free.
/// Returns that name.
///
/// # Errors
///
/// `NotFound`, when so many were put aside already, or what the disk says.
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

/// When an output is made durable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Durability {
    /// Before the next thing is done.
    #[default]
    Safe,
    /// When the system does it. It can be made anew from the log.
    Lazy,
}
