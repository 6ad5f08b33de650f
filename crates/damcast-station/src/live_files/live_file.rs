//! One live file and its content.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, File, append_all};

/// Maximum number of recovered files of one game.
const MAX_RECOVERED_FILES: u32 = 100;

/// Bytes reserved for a file, so that it grows on a full disk. A game of 150 plies with clock times has 6 kB.
const RESERVED_SPACE: u64 = 16 << 10;

/// Live file, open at its end.
pub struct LiveFile {
    pub(super) path: PathBuf,
    pub(super) file: Arc<dyn File>,
    /// Number of its game.
    pub(super) number: u32,
    /// Content written so far.
    pub(super) content: Vec<u8>,
    /// Whether a sync failed: written data can be read but may not be on the disk.
    is_unconfirmed: bool,
}

impl LiveFile {
    /// Creates the file of a game under the first free name. Returns a notice if that is not the regular name.
    pub(super) fn create(
        disk: &dyn Disk,
        folder: &Path,
        line: &str,
        number: u32,
    ) -> io::Result<(LiveFile, Option<String>)> {
        for path in names(folder, line, number) {
            match disk.create(&path) {
                Ok(file) => {
                    let own = name(folder, line, number);
                    let notice = (path != own)
                        .then(|| format!("{} exists; game {number} goes to {}", own.display(), path.display()));
                    // Without a reservation the file grows while the disk has space.
                    let _ = file.reserve(RESERVED_SPACE);
                    return Ok((LiveFile::new(path, file, number, Vec::new()), notice));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(too_many_files_error(folder, line, number))
    }

    /// Opens a file that has this content.
    pub(super) fn open(disk: &dyn Disk, path: &Path, number: u32, content: Vec<u8>) -> io::Result<LiveFile> {
        Ok(LiveFile::new(path.to_owned(), disk.open(path)?, number, content))
    }

    fn new(path: PathBuf, file: Arc<dyn File>, number: u32, content: Vec<u8>) -> LiveFile {
        LiveFile { path, file, number, content, is_unconfirmed: false }
    }

    /// Writes at the end; an error includes the number of bytes written.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        let result = append_all(&*self.file, bytes);
        let taken = result.as_ref().map_or_else(|(taken, _)| *taken, |()| bytes.len());
        self.content.extend_from_slice(&bytes[..taken]);
        result
    }

    /// Overwrites the Result tag. Syncs the lines before it first, because they must not be lost when the tag is there.
    pub(super) fn overwrite(&mut self, at: usize, tag: &[u8]) -> io::Result<()> {
        if self.is_unconfirmed {
            self.file.write_at(&self.content, 0)?;
        }
        self.is_unconfirmed = true;
        self.file.sync()?;
        self.is_unconfirmed = false;
        self.file.write_at(tag, at as u64)?;
        if let Some(written) = self.content.get_mut(at..at + tag.len()) {
            written.copy_from_slice(tag);
        }
        Ok(())
    }

    /// Whether another program changed the length of the file. `false` if that cannot be determined.
    pub(super) fn length_changed(&self) -> bool {
        self.file.length().is_ok_and(|length| length != self.content.len() as u64)
    }

    /// Whether the file still has its name and its length.
    pub(super) fn is_intact(&self) -> bool {
        self.file.is_at(&self.path, self.content.len() as u64)
    }
}

/// Whether this is the name of a file that replaces a changed live file.
pub fn is_recovered(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(".recovered-"))
}

/// Returns the regular name of a game's file.
pub(super) fn name(folder: &Path, line: &str, number: u32) -> PathBuf {
    folder.join(format!("{line}-{number}.pdn"))
}

/// Returns the possible names of a game's file: the regular one, then those used if another file has it.
pub(super) fn names<'a>(folder: &'a Path, line: &'a str, number: u32) -> impl Iterator<Item = PathBuf> + 'a {
    let recovered = move |count| folder.join(format!("{line}-{number}.recovered-{count}.pdn"));
    std::iter::once(name(folder, line, number)).chain((1..=MAX_RECOVERED_FILES).map(recovered))
}

/// Returns the path of a game's current file: the last recovered one, or the regular one even if it does not exist.
pub fn current_path(folder: &Path, line: &str, number: u32) -> PathBuf {
    let others = names(folder, line, number).skip(1);
    others.take_while(|path| path.exists()).last().unwrap_or_else(|| name(folder, line, number))
}

pub(super) fn too_many_files_error(folder: &Path, line: &str, number: u32) -> io::Error {
    let own = name(folder, line, number);
    io::Error::other(format!(
        "{} and {MAX_RECOVERED_FILES} recovered files beside it were changed by others",
        own.display()
    ))
}
