//! All logs of a folder, and the only reader of their bytes.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Read};
use std::path::{Path, PathBuf};

use damcast_engine::bytelog::LogInput;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use crate::disk::{Disk, RealDisk, parent_folder};

/// A log with its name, `LINE-NUMBER.log`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LogFile {
    /// Name of the line.
    pub line: String,
    /// Number among the logs of the line, from 1.
    pub number: u32,
    /// Path of the file.
    pub path: PathBuf,
}

/// Suffix of the name of a compressed log.
pub const COMPRESSED_SUFFIX: &str = ".gz";

/// Returns the logs of a folder by line and number. Of a log that is there both compressed and plain, returns the plain one.
///
/// # Errors
///
/// Returns an error if the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<LogFile>> {
    let mut logs: Vec<LogFile> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some((line, number)) = name.to_str().and_then(split_name) else { continue };
        logs.push(LogFile { line: line.to_owned(), number, path: folder.join(&name) });
    }
    // `.log` sorts before `.log.gz`.
    logs.sort();
    logs.dedup_by(|later, first| (&later.line, later.number) == (&first.line, first.number));
    Ok(logs)
}

/// Returns line and number of a log's name.
fn split_name(name: &str) -> Option<(&str, u32)> {
    let (line, number) = name.strip_suffix(COMPRESSED_SUFFIX).unwrap_or(name).strip_suffix(".log")?.rsplit_once('-')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    Some((line, number.parse().ok().filter(|_| is_number && !line.is_empty())?))
}

/// Opens a log for reading, compressed or not.
///
/// # Errors
///
/// Returns any I/O error; while reading, `InvalidData` if a compressed log is damaged.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let source = RealDisk.reader(path, 0)?;
    if is_compressed(path) { Ok(Box::new(BufReader::new(DecompressedLog(GzDecoder::new(source))))) } else { Ok(source) }
}

/// Reader of a compressed log.
struct DecompressedLog<R>(GzDecoder<R>);

impl<R: BufRead> Read for DecompressedLog<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                io::Error::new(io::ErrorKind::InvalidData, format!("the compressed log is damaged: {error}"))
            }
            _ => error,
        })
    }
}

/// Opens a log of a folder for playback.
///
/// # Errors
///
/// Returns any I/O error.
pub fn named(file: &LogFile) -> io::Result<LogInput<'static>> {
    let path = file.path.clone();
    LogInput::open(path.display().to_string(), move || open(&path))
}

/// Whether the log is compressed, by its name.
pub fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == &COMPRESSED_SUFFIX[1..])
}

/// Compresses a log: the new file is durable before the old one is removed.
///
/// # Errors
///
/// Returns any I/O error; then the log is unchanged, or there twice.
pub fn compress(path: &Path) -> io::Result<()> {
    let with_end = |end: &str| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(end);
        path.with_file_name(name)
    };
    let (compressed, new) = (with_end(COMPRESSED_SUFFIX), with_end(&format!("{COMPRESSED_SUFFIX}.new")));
    let mut encoder = GzEncoder::new(BufWriter::new(File::create(&new)?), Compression::default());
    io::copy(&mut open(path)?, &mut encoder)?;
    encoder.finish()?.into_inner().map_err(IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&new, &compressed)?;
    RealDisk.sync_folder(parent_folder(path))?;
    if !have_same_bytes(&mut *open(path)?, &mut *open(&compressed)?)? {
        return Err(io::Error::other(format!("{} does not hold what was compressed", compressed.display())));
    }
    fs::remove_file(path)
}

/// Whether both sources have equal bytes up to their ends.
fn have_same_bytes(one: &mut dyn BufRead, other: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        let (some, others) = (one.fill_buf()?, other.fill_buf()?);
        let count = some.len().min(others.len());
        if some[..count] != others[..count] {
            return Ok(false);
        }
        if count == 0 {
            return Ok(some.is_empty() && others.is_empty());
        }
        one.consume(count);
        other.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_log_names() {
        assert_eq!(split_name("hall-1-12.log"), Some(("hall-1", 12)));
        assert_eq!(split_name("hall-1-12.log.gz"), Some(("hall-1", 12)));
        for other in ["a.log", "a-01.log", "a-x.log", "-1.log", "a-1.pdn", "a-1.recovered-1.pdn", "a-99999999999.log"] {
            assert_eq!(split_name(other), None, "{other}");
        }
    }

    #[test]
    fn reads_compressed_log_like_plain_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-1.log");
        let text = "0 < 8d000a21200021200008 ;766262bb\n".repeat(500);
        fs::write(&path, &text).unwrap();
        compress(&path).unwrap();
        let found = list(folder.path()).unwrap();
        assert_eq!((found.len(), found[0].number), (1, 1));
        let read = |path: &Path| {
            let mut text = String::new();
            open(path).unwrap().read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(&found[0].path).unwrap(), text);
        let bytes = fs::read(&found[0].path).unwrap();
        assert!(bytes.len() * 5 < text.len() && !path.exists());
        fs::write(&found[0].path, &bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(read(&found[0].path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // Crash before the old log was removed: the listing has it once.
        fs::write(&path, &text).unwrap();
        assert_eq!(list(folder.path()).unwrap().into_iter().map(|log| log.path).collect::<Vec<_>>(), [path]);
    }
}
