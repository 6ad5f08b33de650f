//! Stores finished games in a temporary file without a name, so that memory does not grow with the number of games. The system removes the
//! file when the process ends. The next start makes another from the logs.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use damcast_engine::broadcast::{Shelf, ShelfPlace};

use crate::locks::lock;

/// The file.
#[derive(Debug)]
pub struct ShelfFile {
    file: File,
    /// Length of the used part.
    length: Mutex<u64>,
}

impl ShelfFile {
    /// Creates the file in the first of these folders that allows it. If none does, returns `None`: games stay in memory.
    pub fn create(folders: &[&Path]) -> Option<Arc<dyn Shelf>> {
        let file = folders.iter().find_map(|folder| tempfile::tempfile_in(folder).ok())?;
        Some(Arc::new(ShelfFile { file, length: Mutex::new(0) }))
    }

    /// Creates the file for a command that must not write into the folder of a station.
    pub fn create_outside() -> Option<Arc<dyn Shelf>> {
        // /tmp may itself be in memory.
        ShelfFile::create(&[Path::new("/var/tmp"), &std::env::temp_dir()])
    }
}

impl Shelf for ShelfFile {
    fn put(&self, bytes: &[u8]) -> Option<ShelfPlace> {
        let mut length = lock(&self.length);
        let place = ShelfPlace { at: *length, length: bytes.len() };
        // A full disk may take a part: the next game overwrites it.
        self.file.write_all_at(bytes, place.at).ok()?;
        *length += bytes.len() as u64;
        Some(place)
    }

    fn get(&self, place: ShelfPlace) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; place.length];
        self.file.read_exact_at(&mut bytes, place.at)?;
        Ok(bytes)
    }
}
