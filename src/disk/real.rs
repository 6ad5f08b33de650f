//! The disk of this machine.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::{Disk, File};

/// The disk of this machine.
#[derive(Clone, Copy, Default, Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(io::Result::transpose).collect()
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        Ok(Arc::new(RealFile(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Arc::new(RealFile(file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        fs::File::open(folder)?.sync_all()
    }
}

/// A file, open at its end.
struct RealFile(fs::File);

impl File for RealFile {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match (&self.0).write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = RealDisk.create(&path).unwrap();
        assert_eq!(file.append(b"hello").unwrap(), 5);
        file.append(b"!").unwrap();
        file.sync().unwrap();
        RealDisk.sync_folder(folder.path()).unwrap();
        assert_eq!((RealDisk.read(&path).unwrap(), file.length().unwrap()), (b"hello!".to_vec(), 6));
        assert_eq!(RealDisk.create(&path).err().unwrap().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(RealDisk.list(folder.path()).unwrap(), ["a"]);
    }
}
