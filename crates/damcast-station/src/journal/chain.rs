//! Digest of the previous log in the head of a log: shows whether that log was cut or changed later.
//!
//! ```text
//!   # log-before: 3 48213 12efc721      its number, its length in bytes, and the CRC-32C of all of them
//! ```
//!
//! A finished log is never written to again, so its digest stays valid, compressed or not. Logs in older formats have no such line; they
//! are not checked.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::Path;

use damcast_engine::bytelog::Header;

use super::chained::CHECKSUM;
use super::holes;
use super::logs::{self, LogFile};
use crate::disk::{Disk, File};

/// Key in a log's head for the digest of the previous log.
pub const KEY_PREVIOUS_LOG: &str = "log-before";

/// Number of bytes read at once.
const CHUNK_SIZE: usize = 1 << 16;

/// Digest of a log when it was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PreviousLog {
    /// Number of the log among those of its line.
    pub number: u32,
    /// Digest of its content.
    pub content: Digest,
}

/// Length and checksum of a log.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Digest {
    /// Length in bytes.
    pub length: u64,
    /// CRC-32C of all bytes.
    pub checksum: u32,
}

impl PreviousLog {
    /// Returns the entry for the next log about a finished one.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn from_log(file: &dyn File, number: u32) -> io::Result<PreviousLog> {
        Ok(PreviousLog { number, content: Digest::from_file(file)?.0 })
    }

    /// Returns the entry of a head about the previous log; `None` if it has none.
    pub fn of(header: &Header) -> Option<PreviousLog> {
        let mut words = header.get(KEY_PREVIOUS_LOG)?.split(' ');
        let (number, length) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let checksum = u32::from_str_radix(words.next()?, 16).ok()?;
        words.next().is_none().then_some(PreviousLog { number, content: Digest { length, checksum } })
    }

    /// Describes how the log differs from the entry, if it does. `length`: current length; `checksum`: current checksum, if known.
    pub fn difference(&self, length: u64, checksum: Option<u32>) -> Option<String> {
        let was = self.content.length;
        if length < was {
            let missing = was - length;
            return Some(format!(
                "it was cut: it had {was} bytes when the next log was begun, and {missing} of them are missing"
            ));
        }
        if length > was {
            return Some(format!(
                "it was extended outside damcast: it had {was} bytes when the next log began, and has {length}"
            ));
        }
        let is_other = checksum.is_some_and(|checksum| checksum != self.content.checksum);
        is_other.then(|| "it was changed outside damcast after the next log began".to_owned())
    }
}

impl fmt::Display for PreviousLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:08x}", self.number, self.content.length, self.content.checksum)
    }
}

impl Digest {
    /// Computes the digest of a source. `read` fills the start of the buffer and returns the number of bytes, 0 at the end.
    ///
    /// # Errors
    ///
    /// Returns any error of the source.
    pub fn compute(mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> io::Result<Digest> {
        let (mut piece, mut length, mut checksum) = (vec![0; CHUNK_SIZE], 0, CHECKSUM.digest());
        loop {
            match read(&mut piece)? {
                0 => return Ok(Digest { length, checksum: checksum.finalize() }),
                count => {
                    checksum.update(piece.get(..count).unwrap_or_default());
                    length += count as u64;
                }
            }
        }
    }

    /// Returns the digest of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Digest {
        Digest { length: bytes.len() as u64, checksum: CHECKSUM.checksum(bytes) }
    }

    /// Returns the digest of an open file, and whether the file contains zeros.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn from_file(file: &dyn File) -> io::Result<(Digest, bool)> {
        let (mut at, mut has_zeros) = (0, false);
        let digest = Digest::compute(|piece| {
            let count = file.read_at(piece, at)?;
            at += count as u64;
            has_zeros |= piece.get(..count).is_some_and(|piece| piece.contains(&0));
            Ok(count)
        })?;
        Ok((digest, has_zeros))
    }
}

/// Entries of the logs of a folder about the previous logs, by line and number.
pub type PreviousLogs = BTreeMap<(String, u32), PreviousLog>;

/// Reads the entries of the logs of a folder about the previous logs. Logs that cannot be read have none.
///
/// # Errors
///
/// Returns an error if the folder cannot be read.
pub fn previous_logs(folder: &Path) -> io::Result<PreviousLogs> {
    let read_previous = |file: LogFile| {
        let before = PreviousLog::of(&logs::named(&file).ok()?.header)?;
        Some(((file.line, before.number), before))
    };
    Ok(logs::list(folder)?.into_iter().filter_map(read_previous).collect())
}

/// Describes how a log differs from the entry in the next log, if it does. `end`: place and bytes of the log's end in the commits, if they
/// differ from the file. Does not report logs that cannot be read at all.
pub fn difference(file: &LogFile, end: Option<(u64, &[u8])>, claims: &PreviousLogs) -> Option<String> {
    let before = claims.get(&(file.line.clone(), file.number))?;
    let (at, end) = end.unwrap_or((u64::MAX, &[]));
    let mut source = logs::open(&file.path).ok()?.take(at).chain(end);
    let found = Digest::compute(|piece| source.read(piece)).ok()?;
    before.difference(found.length, Some(found.checksum))
}

/// Closes a log for good, and returns the entry for the next log. Fills holes in it ([`holes`]). The log is durable then, because
/// everything made from it later must not outlive it. Releases reserved space.
///
/// # Errors
///
/// Returns any I/O error.
pub fn close(disk: &dyn Disk, path: &Path, number: u32) -> io::Result<PreviousLog> {
    let file = disk.open(path)?;
    if let Err(error) = file.sync() {
        // A failed fsync marks the pages clean; a retry would succeed without writing.
        let (mut again, mut at) = (disk.reader(path, 0)?, 0);
        loop {
            let piece = again.fill_buf()?;
            let count = piece.len();
            if count == 0 {
                return Err(error);
            }
            file.write_at(piece, at)?;
            at += count as u64;
            again.consume(count);
        }
    }
    // Space that is not released does no harm.
    let _ = file.release();
    let (content, has_zeros) = Digest::from_file(&*file)?;
    let content = match has_zeros && holes::fill_holes(disk, path)? > 0 {
        true => Digest::from_file(&*file)?.0,
        false => content,
    };
    Ok(PreviousLog { number, content })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    #[test]
    fn next_log_identifies_previous_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-3.log");
        std::fs::write(&path, "123456789").unwrap();
        let before = close(&RealDisk, &path, 3).unwrap();
        assert_eq!(before.to_string(), "3 9 e3069283", "the published check value");
        let header = |text: &str| Header { other: vec![(KEY_PREVIOUS_LOG.into(), text.into())], ..Header::default() };
        assert_eq!(PreviousLog::of(&header(&before.to_string())), Some(before));
        for other in ["", "3", "3 9", "3 9 x", "3 9 e3069283 1", "-3 9 e3069283"] {
            assert_eq!(PreviousLog::of(&header(other)), None, "{other}");
        }
        assert_eq!(before.difference(9, Some(0xe306_9283)), None);
        assert_eq!(before.difference(9, None), None);
        assert!(before.difference(8, None).unwrap().starts_with("it was cut: it had 9 bytes"));
        assert!(before.difference(10, Some(1)).unwrap().starts_with("it was extended outside damcast"));
        assert!(before.difference(9, Some(1)).unwrap().starts_with("it was changed outside damcast"));
    }
}
