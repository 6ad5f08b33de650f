//! Folders as values: files by their relative path.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use damcast::station::outlets::ALIVE_FILE;

/// The files of a folder.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Reads the regular files of a folder; skips sockets, and `alive.json`, which is made of no log: it changes while a station runs.
pub fn read(folder: &Path) -> Files {
    let mut files = Files::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            let inner = read(&entry.path());
            files.extend(inner.into_iter().map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else if kind.is_file() && name != ALIVE_FILE {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    files
}

/// Writes files into a folder, beside the existing ones.
pub fn write(folder: &Path, files: &Files) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
