//! The disk of this machine.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::{FallocateFlags, OFlags, fallocate};
use rustix::io::Errno;

use super::folder::{make_folder, may_write, owner_for};
use super::{BLOCK_SIZE, Disk, File, NotRegularFile, parent_folder};

use crate::locks::lock;

/// Bytes read at a time from a long file.
const CHUNK_SIZE: usize = 64 << 10;

/// The disk of this machine.
#[derive(Clone, Copy, Default, Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        open_to_read(path)?.read_to_end(&mut content)?;
        Ok(content)
    }

    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn BufRead>> {
        let mut file = open_to_read(path)?;
        if from > 0 {
            file.seek(SeekFrom::Start(from))?;
        }
        Ok(Box::new(BufReader::with_capacity(CHUNK_SIZE, file)))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(io::Result::transpose).collect()
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        may_write(path)
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(path)?;
        if let Some((user, group)) = owner_for(parent_folder(path)) {
            rustix::fs::fchown(&file, Some(user), Some(group))?;
        }
        apply_group_mode(&file, parent_folder(path))?;
        Ok(Arc::new(RealFile::new(path, file)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = open_regular(path, OpenOptions::new().read(true).append(true))?;
        let (owner, folder) = (file.metadata()?.uid(), fs::metadata(parent_folder(path))?.uid());
        if owner != folder && owner != rustix::process::geteuid().as_raw() {
            return Err(not_regular_file(path, "a file of another user"));
        }
        Ok(Arc::new(RealFile::new(path, file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        make_folder(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        fs::File::open(folder)?.sync_all()
    }
}

/// Makes a file readable by its group if the folder is shared with that group, whatever the umask.
fn apply_group_mode(file: &fs::File, folder: &Path) -> io::Result<()> {
    const GROUP_READABLE_MODE: u32 = 0o2040;
    let mode = file.metadata()?.mode();
    if mode & 0o040 == 0 && fs::metadata(folder)?.mode() & GROUP_READABLE_MODE == GROUP_READABLE_MODE {
        file.set_permissions(fs::Permissions::from_mode(mode & 0o7777 | 0o040))?;
    }
    Ok(())
}

/// Refuses a folder that is a symbolic link: another user may have chosen its target.
///
/// # Errors
///
/// Returns a [`NotRegularFile`] if the folder is a link.
pub fn refuse_link(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(there) if there.is_symlink() => Err(not_regular_file(folder, "a symbolic link")),
        _ => Ok(()),
    }
}

/// Opens a file of a station for reading: only a regular file, never through a link, and without blocking.
///
/// # Errors
///
/// Returns `NotFound`, a [`NotRegularFile`] or any I/O error.
pub fn open_to_read(path: &Path) -> io::Result<fs::File> {
    open_regular(path, OpenOptions::new().read(true))
}

/// Opens a file of a station: only a regular file, never through a link, and without blocking.
pub(super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    match options.custom_flags(flags).open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(not_regular_file(path, "no regular file")),
        Err(error) => Err(match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::LOOP) => not_regular_file(path, "a symbolic link"),
            Some(Errno::NXIO | Errno::ISDIR) => not_regular_file(path, "no regular file"),
            _ => error,
        }),
    }
}

fn not_regular_file(path: &Path, file_kind: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, NotRegularFile { path: path.to_owned(), kind: file_kind })
}

/// File open for appending. Writes at an offset use a second descriptor, because an append descriptor always writes at the end.
struct RealFile {
    path: PathBuf,
    end: fs::File,
    positioned: Mutex<Option<fs::File>>,
    direct: Mutex<DirectIo>,
}

/// State of direct I/O, which bypasses the page cache: one operation instead of a write and a sync.
enum DirectIo {
    NotTried,
    Open(fs::File),
    /// The file system has no direct I/O.
    Missing,
}

impl RealFile {
    fn new(path: &Path, end: fs::File) -> RealFile {
        let (path, positioned, direct) = (path.to_owned(), Mutex::new(None), Mutex::new(DirectIo::NotTried));
        RealFile { path, end, positioned, direct }
    }

    /// Opens this file again, even if its name belongs to another file.
    fn reopen(&self, options: &OpenOptions) -> io::Result<fs::File> {
        match options.open(format!("/proc/self/fd/{}", self.end.as_raw_fd())) {
            // `/proc` is not mounted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => options.open(&self.path),
            opened => opened,
        }
    }

    /// Writes blocks durably by direct I/O. Returns whether the file system supports it.
    fn write_directly(&self, blocks: &[u8], at: u64) -> io::Result<bool> {
        let mut direct = lock(&self.direct);
        if matches!(*direct, DirectIo::NotTried) {
            let flags = (OFlags::DIRECT | OFlags::DSYNC).bits().cast_signed();
            let opened = self.reopen(OpenOptions::new().write(true).custom_flags(flags));
            *direct = opened.map_or(DirectIo::Missing, DirectIo::Open);
        }
        let DirectIo::Open(file) = &*direct else { return Ok(false) };
        match file.write_all_at(Aligned::new(blocks).as_slice(), at) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                *direct = DirectIo::Missing;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// Bytes at an address that direct I/O accepts: a multiple of [`BLOCK_SIZE`].
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    fn new(content: &[u8]) -> Aligned {
        let mut bytes = vec![0; content.len() + BLOCK_SIZE];
        let start = bytes.as_ptr().align_offset(BLOCK_SIZE);
        if let Some(place) = bytes.get_mut(start..start + content.len()) {
            place.copy_from_slice(content);
        }
        Aligned { bytes, start, length: content.len() }
    }

    fn as_slice(&self) -> &[u8] {
        self.bytes.get(self.start..self.start + self.length).unwrap_or_default()
    }
}

impl File for RealFile {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match (&self.end).write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut anywhere = lock(&self.positioned);
        let file = match anywhere.take() {
            Some(file) => file,
            None => self.reopen(OpenOptions::new().write(true))?,
        };
        anywhere.insert(file).write_all_at(bytes, at)
    }

    fn write_blocks_durably(&self, blocks: &[u8], at: u64) -> io::Result<()> {
        if self.write_directly(blocks, at)? {
            return Ok(());
        }
        self.write_at(blocks, at)?;
        self.sync()
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        loop {
            match self.end.read_at(bytes, at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.end.metadata()?.len())
    }

    fn sync(&self) -> io::Result<()> {
        self.end.sync_data()
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        Ok(fallocate(&self.end, FallocateFlags::KEEP_SIZE, 0, bytes)?)
    }

    fn is_at(&self, path: &Path, length: u64) -> bool {
        match (self.end.metadata(), fs::symlink_metadata(path)) {
            (Ok(own), Ok(there)) => (own.dev(), own.ino(), own.len()) == (there.dev(), there.ino(), length),
            (_, Err(error)) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            (Err(_), Ok(_)) => true,
        }
    }

    fn release(&self) -> io::Result<()> {
        self.end.set_len(self.length()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocates_blocks_with_and_without_disk_support() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, vec![b'.'; 3 * BLOCK_SIZE]).unwrap();
        let file = RealFile::new(&path, OpenOptions::new().append(true).open(&path).unwrap());
        file.write_blocks_durably(&vec![b'a'; BLOCK_SIZE], BLOCK_SIZE as u64).unwrap();
        *file.direct.lock().unwrap() = DirectIo::Missing;
        file.write_blocks_durably(&vec![b'b'; BLOCK_SIZE], 2 * BLOCK_SIZE as u64).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [b'.', b'a', b'b'].map(|byte| vec![byte; BLOCK_SIZE]).concat());
        // Bytes that direct I/O refuses are written by the fallback.
        *file.direct.lock().unwrap() = DirectIo::NotTried;
        file.write_blocks_durably(b"odd", 1).unwrap();
        assert!(fs::read(&path).unwrap().starts_with(b".odd."));
        assert_eq!(Aligned::new(b"here").as_slice(), b"here");
        assert_eq!(Aligned::new(b"here").as_slice().as_ptr().align_offset(BLOCK_SIZE), 0);
    }

    #[test]
    fn file_grows_at_end_and_is_writable_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = RealDisk.create(&path).unwrap();
        // Some file systems of test machines cannot reserve space.
        let can_reserve = file.reserve(1 << 16).is_ok();
        assert_eq!(file.append(b"hello").unwrap(), 5);
        file.write_at(b"J", 0).unwrap();
        file.append(b"!").unwrap();
        file.sync().unwrap();
        RealDisk.sync_folder(folder.path()).unwrap();
        assert_eq!((RealDisk.read(&path).unwrap(), file.length().unwrap()), (b"Jello!".to_vec(), 6));
        let blocks = || fs::metadata(&path).unwrap().blocks() * 512;
        assert!(!can_reserve || blocks() >= 1 << 16, "{}", blocks());
        file.release().unwrap();
        assert!(blocks() < 1 << 16 && file.length().unwrap() == 6, "{}", blocks());
        assert!(file.is_at(&path, 6) && !file.is_at(&path, 7) && !file.is_at(&folder.path().join("b"), 6));
        assert_eq!(RealDisk.create(&path).err().unwrap().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(RealDisk.list(folder.path()).unwrap(), ["a"]);
    }
}
