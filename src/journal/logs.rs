//! All logs of a folder, and the one place where the bytes of a log are read.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::disk::{self, Durability, RealDisk};

/// A log by its name, `LINE-NUMBER.log`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LogFile {
    /// The line that its name tells.
    pub line: String,
    /// Its number among the logs of the line, from 1.
    pub number: u32,
    /// Where it is.
    pub path: PathBuf,
}

/// What a log is called that was compressed: its name and this.
pub const COMPRESSED: &str = ".gz";

/// The logs of a folder by line and number. Of a log that is there twice, compressed and not, the one that is not.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<LogFile>> {
    let mut logs: Vec<LogFile> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some((line, number)) = name.to_str().and_then(parts) else { continue };
        logs.push(LogFile { line: line.to_owned(), number, path: folder.join(&name) });
    }
    // `.log` stands before `.log.gz`.
    logs.sort();
    logs.dedup_by(|later, first| (&later.line, later.number) == (&first.line, first.number));
    Ok(logs)
}

/// Line and number of a log's name.
fn parts(name: &str) -> Option<(&str, u32)> {
    let (line, number) = name.strip_suffix(COMPRESSED).unwrap_or(name).strip_suffix(".log")?.rsplit_once('-')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    Some((line, number.parse().ok().filter(|_| is_number && !line.is_empty())?))
}

/// All that a log holds, compressed or not.
///
/// # Errors
///
/// As the disk says; `InvalidData` when a compressed log is damaged.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    if !is_compressed(path) {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    let damaged = |error| io::Error::new(io::ErrorKind::InvalidData, format!("the compressed log is damaged: {error}"));
    GzDecoder::new(bytes.as_slice()).read_to_end(&mut text).map_err(damaged)?;
    Ok(text)
}

/// Is it compressed, by its name?
pub fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == &COMPRESSED[1..])
}

/// Compresses a log: the new file is durable before the old one is removed.
///
/// # Errors
///
/// As the disk says; the log is as it was then, or there twice.
pub fn compress(path: &Path) -> io::Result<()> {
    let text = fs::read(path)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&text)?;
    let bytes = encoder.finish()?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(COMPRESSED);
    let compressed = path.with_file_name(name);
    disk::replace(&RealDisk, &compressed, &bytes, Durability::Safe)?;
    if read(&compressed)? != text {
        return Err(io::Error::other(format!("{} does not hold what was compressed", compressed.display())));
    }
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(parts("hall-1-12.log"), Some(("hall-1", 12)));
        assert_eq!(parts("hall-1-12.log.gz"), Some(("hall-1", 12)));
        for other in ["a.log", "a-01.log", "a-x.log", "-1.log", "a-1.pdn", "a-1.recovered-1.pdn", "a-99999999999.log"] {
            assert_eq!(parts(other), None, "{other}");
        }
    }

    #[test]
    fn a_compressed_log_is_read_like_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-1.log");
        let text = "0 < 8d000a21200021200008 ;766262bb\n".repeat(500);
        fs::write(&path, &text).unwrap();
        compress(&path).unwrap();
        let found = list(folder.path()).unwrap();
        assert_eq!((found.len(), found[0].number), (1, 1));
        assert_eq!(read(&found[0].path).unwrap(), text.as_bytes());
        let bytes = fs::read(&found[0].path).unwrap();
        assert!(bytes.len() * 5 < text.len() && !path.exists());
        fs::write(&found[0].path, &bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(read(&found[0].path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // A crash before the old one was removed: nothing is there twice.
        fs::write(&path, &text).unwrap();
        assert_eq!(list(folder.path()).unwrap().into_iter().map(|log| log.path).collect::<Vec<_>>(), [path]);
    }
}
