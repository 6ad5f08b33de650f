//! What the head of a log says of the log before it, so that one which was cut or changed afterwards is known by the next.
//!
//! ```text
//!   # log-before: 3 48213 12efc721      its number, its length in bytes, and the CRC-32C of all of them
//! ```
//!
//! A log that was ended is never written to again, so what is said of it holds for ever, compressed or not. Older logs do not say
//! it, and nothing follows from that.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::Path;

use crc::{CRC_32_ISCSI, Crc};

use super::holes;
use super::logs::{self, LogFile};
use crate::engine::bytelog::Header;
use crate::station::disk::{Disk, File};

/// The key of a log's head that says what the log before it was.
pub const KEY_PREVIOUS_LOG: &str = "log-before";

const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
/// So much is read at once.
const CHUNK_SIZE: usize = 1 << 16;

/// A log when it was ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PreviousLog {
    /// Its number among the logs of its line.
    pub number: u32,
    /// What it held.
    pub content: Digest,
}

/// What distinguishes the content of a log from any other.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Digest {
    /// Its length in bytes.
    pub length: u64,
    /// The CRC-32C of all of them.
    pub checksum: u32,
}

impl PreviousLog {
    /// What the next log is to say of one that was ended.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn from_log(file: &dyn File, number: u32) -> io::Result<PreviousLog> {
        Ok(PreviousLog { number, content: Digest::from_file(file)?.0 })
    }

    /// What a head says of the log before; `None` when it does not say it.
    pub fn of(header: &Header) -> Option<PreviousLog> {
        let mut words = header.get(KEY_PREVIOUS_LOG)?.split(' ');
        let (number, length) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let checksum = u32::from_str_radix(words.next()?, 16).ok()?;
        words.next().is_none().then_some(PreviousLog { number, content: Digest { length, checksum } })
    }

    /// What is wrong with the log, if it is not what it was; `length` is how long it is, and `checksum` what it holds, if that is
    /// known.
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
                "somebody has added to it: it had {was} bytes when the next log was begun, and has {length}"
            ));
        }
        let is_other = checksum.is_some_and(|checksum| checksum != self.content.checksum);
        is_other.then(|| "somebody has changed it since the next log was begun".to_owned())
    }
}

impl fmt::Display for PreviousLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:08x}", self.number, self.content.length, self.content.checksum)
    }
}

impl Digest {
    /// Of what a reader gives: how many bytes it has put where it was told, none at the end.
    ///
    /// # Errors
    ///
    /// As the reader says.
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

    /// Of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Digest {
        Digest { length: bytes.len() as u64, checksum: CHECKSUM.checksum(bytes) }
    }

    /// Of an open file; and whether zeros stand in it.
    ///
    /// # Errors
    ///
    /// As the disk says.
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

/// What the logs of a folder say of those before them, by line and number.
pub type PreviousLogs = BTreeMap<(String, u32), PreviousLog>;

/// What the logs of a folder say of those before them. Logs that cannot be read say nothing.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn previous_logs(folder: &Path) -> io::Result<PreviousLogs> {
    let read_previous = |file: LogFile| {
        let before = PreviousLog::of(&logs::named(&file).ok()?.header)?;
        Some(((file.line, before.number), before))
    };
    Ok(logs::list(folder)?.into_iter().filter_map(read_previous).collect())
}

/// What is wrong with a log by what the next one says of it. `end`: where the log goes on otherwise than its file has it, and how:
/// what the commits have of it. What cannot be read at all is not told here.
pub fn difference(file: &LogFile, end: Option<(u64, &[u8])>, claims: &PreviousLogs) -> Option<String> {
    let before = claims.get(&(file.line.clone(), file.number))?;
    let (at, end) = end.unwrap_or((u64::MAX, &[]));
    let mut source = logs::open(&file.path).ok()?.take(at).chain(end);
    let found = Digest::compute(|piece| source.read(piece)).ok()?;
    before.difference(found.length, Some(found.checksum))
}

/// Ends a log for good, and returns what the next one is to say of it. Holes in it are filled ([`holes`]). What is made of it from now on must not outlive it, so it
/// is durable then; space that it did not need is given back.
///
/// # Errors
///
/// As the disk says.
pub fn close(disk: &dyn Disk, path: &Path, number: u32) -> io::Result<PreviousLog> {
    let file = disk.open(path)?;
    if let Err(error) = file.sync() {
        // Its pages count as clean now, and the sync of the next try would do nothing.
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
    // Space that stays taken does no harm.
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
    use crate::station::disk::RealDisk;

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
        assert!(before.difference(10, Some(1)).unwrap().starts_with("somebody has added to it"));
        assert!(before.difference(9, Some(1)).unwrap().starts_with("somebody has changed it"));
    }
}
