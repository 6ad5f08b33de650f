//! One durable write for many lines: the ends of all logs that are to be made durable now, in one file.
//!
//! ```text
//!   hall-1-3.log  ......▒▒▒▒      ▒ written, not yet synced
//!   hall-2-3.log  ....▒▒
//!                    │  └────┐
//!   commits       [ head | fragment | fragment | ..............reserved ]      one write, one sync
//! ```
//!
//! Sixty-four boards that move at once would cost sixty-four syncs of logs; so the new ends of their logs go into this one
//! file, together, and that is synced. When it is nearly full the logs themselves are synced, and it begins anew.
//!
//! After a loss of power a log may lack its end: a start puts back what is here ([`Commits::open`]). After a crash of the
//! process alone nothing is missing, and what is here is there already.
//!
//! # Format
//!
//! A head `damcast commits 1\n`, 4 bytes of generation, then fragments, each of: length of what follows the checksum (4
//! bytes), CRC-32C of what follows it (4), generation (4), place in the log (8), length of the log's name (2), name, bytes.
//! Numbers are little-endian. A fragment of another generation, or a wrong checksum, is the end: it is left from before.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crc::{CRC_32_ISCSI, Crc};

use crate::disk::{Disk, File, folder_of};

/// What a commits file has space for. A ply of a board has about 200 bytes of log.
pub const SIZE: u64 = 4 << 20;

const HEAD: &[u8] = b"damcast commits 1\n";
const START: u64 = HEAD.len() as u64 + 4;
/// Length, checksum.
const FRAME: usize = 8;
/// Generation, place, length of the name.
const FIXED: usize = 14;
const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// The new end of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The name of the log in its folder.
    pub log: String,
    /// Where in the log it begins.
    pub at: u64,
    /// What stands there.
    pub bytes: Vec<u8>,
}

/// The commits of a station.
pub struct Commits {
    file: Arc<dyn File>,
    generation: u32,
    end: u64,
}

impl Commits {
    /// Opens the commits of a folder, or begins them. Returns what logs may lack, in order.
    ///
    /// # Errors
    ///
    /// As the disk says. A file that is none of ours is an error too: it is not overwritten.
    pub fn open(disk: &dyn Disk, path: &Path) -> io::Result<(Commits, Vec<Fragment>)> {
        let (file, content) = match disk.read(path) {
            Ok(content) => (disk.open(path)?, content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (disk.create(path)?, Vec::new()),
            Err(error) => return Err(error),
        };
        if !content.starts_with(&HEAD[..HEAD.len().min(content.len())]) {
            let what = format!("{} is not a commits file of damcast; move it away", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let (generation, fragments) = read(&content);
        let mut commits = Commits { file, generation, end: START };
        // Without a reserve it works too, but not on a full disk.
        let _ = commits.file.reserve(SIZE);
        if content.len() < START as usize {
            commits.begin(1)?;
            disk.sync_folder(folder_of(path))?;
        } else {
            commits.end =
                START + fragments.iter().map(|fragment| frame(generation, fragment).len() as u64).sum::<u64>();
        }
        Ok((commits, fragments))
    }

    /// Makes the ends of logs durable, all at once. The caller has written them to the logs already.
    ///
    /// # Errors
    ///
    /// As the disk says; nothing that follows from these bytes may be published then.
    pub fn commit(&mut self, fragments: &[Fragment]) -> io::Result<()> {
        let mut bytes = Vec::new();
        fragments.iter().for_each(|fragment| bytes.extend(frame(self.generation, fragment)));
        self.file.write_at(&bytes, self.end)?;
        self.file.sync()?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Has it room for no more than one large commit?
    pub fn is_nearly_full(&self) -> bool {
        self.end > SIZE * 3 / 4
    }

    /// Begins anew. Every log has been synced.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn begin_anew(&mut self) -> io::Result<()> {
        self.begin(self.generation.wrapping_add(1))
    }

    fn begin(&mut self, generation: u32) -> io::Result<()> {
        self.file.write_at(&[HEAD, &generation.to_le_bytes()].concat(), 0)?;
        self.file.sync()?;
        (self.generation, self.end) = (generation, START);
        Ok(())
    }
}

/// Puts back what a log lacks. Returns whether it lacked anything.
///
/// # Errors
///
/// As the disk says, or when the log lacks more than the fragments hold.
pub fn put_back(disk: &dyn Disk, folder: &Path, fragment: &Fragment) -> io::Result<bool> {
    let path = folder.join(&fragment.log);
    let file = match disk.open(&path) {
        Ok(file) => file,
        // The name of a log is durable before it is written to; so it was moved away by somebody.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let there = file.length()?;
    let Some(skip) = there.checked_sub(fragment.at) else {
        let what =
            format!("{} ends at byte {there}, {} bytes before what was committed", fragment.log, fragment.at - there);
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
    };
    let rest = fragment.bytes.get(skip as usize..).unwrap_or_default();
    let mut left = rest;
    while !left.is_empty() {
        let taken = file.append(left)?;
        left = &left[taken.min(left.len())..];
    }
    Ok(!rest.is_empty())
}

fn frame(generation: u32, fragment: &Fragment) -> Vec<u8> {
    let name = fragment.log.as_bytes();
    let mut body = Vec::with_capacity(FIXED + name.len() + fragment.bytes.len());
    body.extend(generation.to_le_bytes());
    body.extend(fragment.at.to_le_bytes());
    body.extend((name.len() as u16).to_le_bytes());
    body.extend(name);
    body.extend(&fragment.bytes);
    let mut frame = Vec::with_capacity(FRAME + body.len());
    frame.extend((body.len() as u32).to_le_bytes());
    frame.extend(CHECKSUM.checksum(&body).to_le_bytes());
    frame.extend(body);
    frame
}

/// The generation and the fragments of it that are whole.
fn read(content: &[u8]) -> (u32, Vec<Fragment>) {
    let Some((generation, mut rest)) = content.get(HEAD.len()..).and_then(number) else { return (1, Vec::new()) };
    let mut fragments = Vec::new();
    while let Some((fragment, after)) = read_fragment(generation, rest) {
        fragments.push(fragment);
        rest = after;
    }
    (generation, fragments)
}

fn read_fragment(generation: u32, bytes: &[u8]) -> Option<(Fragment, &[u8])> {
    let (length, bytes) = number(bytes)?;
    let (checksum, bytes) = number(bytes)?;
    let (body, after) = bytes.split_at_checked(length as usize)?;
    if CHECKSUM.checksum(body) != checksum {
        return None;
    }
    let (own, body) = number(body)?;
    let (at, body) = body.split_first_chunk::<8>()?;
    let (name_length, body) = body.split_first_chunk::<2>()?;
    let (name, content) = body.split_at_checked(u16::from_le_bytes(*name_length).into())?;
    let log = std::str::from_utf8(name).ok()?.to_owned();
    let fragment = Fragment { log, at: u64::from_le_bytes(*at), bytes: content.to_vec() };
    (own == generation).then_some((fragment, after))
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::RealDisk;

    fn fragment(log: &str, at: u64, text: &str) -> Fragment {
        Fragment { log: log.into(), at, bytes: text.into() }
    }

    #[test]
    fn what_was_committed_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        let (mut commits, found) = Commits::open(&RealDisk, &path).unwrap();
        assert_eq!(found, []);
        let all =
            [fragment("a-1.log", 10, "one\n"), fragment("b-1.log", 0, "two\n"), fragment("a-1.log", 14, "three\n")];
        commits.commit(&all[..2]).unwrap();
        commits.commit(&all[2..]).unwrap();
        let (mut commits, found) = Commits::open(&RealDisk, &path).unwrap();
        assert_eq!(found, all);
        commits.begin_anew().unwrap();
        commits.commit(&[fragment("c-1.log", 0, "x")]).unwrap();
        let (_, found) = Commits::open(&RealDisk, &path).unwrap();
        assert_eq!(found, [fragment("c-1.log", 0, "x")], "older generations are passed over");
    }

    #[test]
    fn a_file_that_was_cut_or_damaged_anywhere_gives_what_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        let all = [fragment("a-1.log", 10, "one\n"), fragment("b-1.log", 0, "two\n")];
        Commits::open(&RealDisk, &path).unwrap().0.commit(&all).unwrap();
        let whole = fs::read(&path).unwrap();
        let end = START as usize + all.iter().map(|fragment| frame(1, fragment).len()).sum::<usize>();
        for cut in 0..end {
            let (_, found) = read(&whole[..cut]);
            assert!(all.starts_with(&found) && found.len() < all.len(), "{cut}: {found:?}");
            let mut damaged = whole[..end].to_vec();
            for bit in 0..8 {
                damaged[cut] ^= 1 << bit;
                if cut >= START as usize {
                    let (_, found) = read(&damaged);
                    assert!(all.starts_with(&found) && found.len() < all.len(), "{cut}: {found:?}");
                }
                damaged[cut] ^= 1 << bit;
            }
        }
    }

    #[test]
    fn a_log_gets_back_what_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a-1.log");
        let put_back = |fragment: &Fragment| put_back(&RealDisk, folder.path(), fragment);
        for there in ["head", "head one", "head one two"] {
            fs::write(&log, there).unwrap();
            let lacked = put_back(&fragment("a-1.log", 4, " one two")).unwrap();
            assert_eq!((fs::read_to_string(&log).unwrap().as_str(), lacked), ("head one two", there != "head one two"));
        }
        assert_eq!(put_back(&fragment("a-1.log", 99, "x")).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(!put_back(&fragment("gone-1.log", 0, "x")).unwrap());
    }

    #[test]
    fn another_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        fs::write(&path, "a letter").unwrap();
        assert!(Commits::open(&RealDisk, &path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter");
    }
}
