//! One durable write for many lines: the ends of all logs that are to be made durable now, in one file.
//!
//! ```text
//!   hall-1-3.log  ......▒▒▒▒      ▒ written, not yet synced
//!   hall-2-3.log  ....▒▒
//!                    │  └────┐
//!   commits       [ head | fragment | fragment | ..............reserved ]      one durable write
//! ```
//!
//! Sixty-four boards that move at once would cost sixty-four syncs of logs; so the new ends of their logs go into this one
//! file, together, and that is synced. When it is nearly full the logs themselves are synced, and it begins anew.
//!
//! After a loss of power a log may lack its end, or have something else there: a start puts back what is here
//! ([`Commits::open`], [`restore`]). After a crash of the process alone nothing is missing, and what is here is there
//! already. A log never has anything else at a place, so a fragment from long ago does no harm.
//!
//! A commit is written as whole blocks, the one in which the last commit ended among them: that goes to the disk in one
//! operation, past the system's memory. A commit that failed is written again, at the same place, with what has come since: a
//! system that has it in memory believes that the disk has it, and a sync alone would do nothing.
//!
//! # Format
//!
//! A head `damcast commits 1\n`, 4 bytes of generation, then fragments, each of: length of what follows the checksum (4
//! bytes), CRC-32C of what follows it (4), generation (4), place in the log (8), length of the log's name (2), name, bytes.
//! Numbers are little-endian. A fragment of another generation, or a wrong checksum, is the end: it is left from before.
//! Zeros behind the last fragment fill its block.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crc::{CRC_32_ISCSI, Crc};

use crate::station::disk::{BLOCK_SIZE, Disk, File, parent_folder};

/// What the commits of a station have space for. A ply of a board has about 200 bytes of log.
pub const COMMITS_SIZE: u64 = 4 << 20;

const HEADER_LEN: &[u8] = b"damcast commits 1\n";
const FIRST_OFFSET: u64 = HEADER_LEN.len() as u64 + 4;
/// Length, checksum.
const FRAME_LEN: usize = 8;
/// Generation, place, length of the name.
const FIXED_LEN: usize = 14;
const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// The new end of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The name of the log in its folder.
    pub log: String,
    /// Where in the log it begins.
    pub offset: u64,
    /// What stands there.
    pub bytes: Vec<u8>,
}

/// The commits of a station.
pub struct Commits {
    file: Arc<dyn File>,
    size: u64,
    /// How long the file is.
    length: u64,
    generation: u32,
    end: u64,
    /// What the block in which it ends holds before the end.
    last_block: Vec<u8>,
    /// Its head is durable.
    is_header_durable: bool,
}

impl Commits {
    /// Opens the commits of a folder, or begins them, with space for so many bytes. Returns what logs may lack, in order.
    ///
    /// # Errors
    ///
    /// As the disk says. A file that is none of ours is an error too, `InvalidData`: it is not overwritten.
    pub fn open(disk: &dyn Disk, path: &Path, size: u64) -> io::Result<(Commits, Vec<Fragment>)> {
        let (file, content) = match disk.read(path) {
            Ok(content) => (disk.open(path)?, content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (disk.create(path)?, Vec::new()),
            Err(error) => return Err(error),
        };
        let head = &content[..HEADER_LEN.len().min(content.len())];
        // A loss of power may leave a file that has its length and no content.
        let is_blank = content.iter().all(|&byte| byte == 0);
        if !is_blank && !HEADER_LEN.starts_with(head) {
            let what = format!("{} is not a commits file of damcast", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let (generation, fragments) = read(&content);
        let end = FIRST_OFFSET + fragments.iter().map(|fragment| frame(generation, fragment).len() as u64).sum::<u64>();
        let is_begun = !is_blank && content.len() >= FIRST_OFFSET as usize;
        let last_block = content.get(block_start(end)..end as usize).unwrap_or_default().to_vec();
        let mut commits = Commits { file, size, length: 0, generation, end, last_block, is_header_durable: is_begun };
        commits.allocate(content.len() as u64);
        commits.note_length();
        // A head that was found may stand in memory alone, after a start whose sync failed; so it is written again, and with
        // another generation, because something that is no fragment any more may follow it.
        if fragments.is_empty() {
            if is_begun {
                commits.restart()?;
            } else {
                commits.write_header()?;
            }
            disk.sync_folder(parent_folder(path))?;
        }
        Ok((commits, fragments))
    }

    /// A place of a file that was written once is written again without a change of the file's length or map, which would have
    /// to be made durable too; and it can be written when the disk is full. Without, it works too.
    fn allocate(&self, length: u64) {
        let missing = self.size.saturating_sub(length) as usize;
        if missing > 0 && self.file.reserve(self.size).is_ok() {
            let _ = self.file.write_at(&vec![0; missing], length);
        }
    }

    /// Has this path still this file, and did nobody make it shorter or longer?
    pub fn is_still_at(&self, path: &Path) -> bool {
        self.file.is_at(path, self.length)
    }

    /// What they have space for.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Is there room for these?
    pub fn has_room(&self, fragments: &[Fragment]) -> bool {
        let bytes: usize =
            fragments.iter().map(|fragment| FRAME_LEN + FIXED_LEN + fragment.log.len() + fragment.bytes.len()).sum();
        self.end + bytes as u64 <= self.size
    }

    /// Makes the ends of logs durable, all at once.
    ///
    /// # Errors
    ///
    /// As the disk says; nothing that follows from these bytes may be published then.
    pub fn commit(&mut self, fragments: &[Fragment]) -> io::Result<()> {
        if !self.is_header_durable {
            self.write_header()?;
        }
        let at = block_start(self.end);
        let mut blocks = self.last_block.clone();
        fragments.iter().for_each(|fragment| blocks.extend(frame(self.generation, fragment)));
        let end = at + blocks.len();
        blocks.resize(blocks.len().next_multiple_of(BLOCK_SIZE), 0);
        let written = self.file.write_blocks_durably(&blocks, at as u64);
        self.note_length();
        written?;
        self.end = end as u64;
        self.last_block = blocks.get(block_start(self.end) - at..end - at).unwrap_or_default().to_vec();
        Ok(())
    }

    /// Is there anything in it?
    pub fn is_empty(&self) -> bool {
        self.end == FIRST_OFFSET
    }

    /// Is it time to begin settling the logs?
    pub fn is_half_full(&self) -> bool {
        self.end > self.size / 2
    }

    /// Is it time to settle the logs and begin anew?
    pub fn is_nearly_full(&self) -> bool {
        self.end > self.size / 4 * 3
    }

    /// Begins anew. Every log has been synced.
    ///
    /// # Errors
    ///
    /// As the disk says. The next commit tries it again.
    pub fn restart(&mut self) -> io::Result<()> {
        (self.generation, self.end) = (self.generation.wrapping_add(1), FIRST_OFFSET);
        self.write_header()
    }

    /// Writes the head. As long as it is not known which head the disk has, nothing counts that follows it.
    fn write_header(&mut self) -> io::Result<()> {
        self.is_header_durable = false;
        self.last_block = [HEADER_LEN, &self.generation.to_le_bytes()].concat();
        let written = self.file.write_at(&self.last_block, 0);
        self.note_length();
        written?;
        self.file.sync()?;
        self.is_header_durable = true;
        Ok(())
    }

    /// It never gets shorter, unless somebody else does that.
    fn note_length(&mut self) {
        self.length = self.file.length().map_or(self.length, |length| self.length.max(length));
    }
}

/// Where the block begins that this place is in.
fn block_start(place: u64) -> usize {
    place as usize / BLOCK_SIZE * BLOCK_SIZE
}

/// What the commits hold, for who only looks on. Nothing when there are none.
///
/// # Errors
///
/// As the disk says.
pub fn fragments(disk: &dyn Disk, path: &Path) -> io::Result<Vec<Fragment>> {
    match disk.read(path) {
        Ok(content) if content.starts_with(HEADER_LEN) => Ok(read(&content).1),
        Ok(_) => Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The end of a log, from where the commits have something of it.
pub struct LogTail {
    /// Where in the log it begins.
    pub offset: u64,
    /// What the log has there.
    on_disk: Vec<u8>,
    /// The same with what the commits have.
    pub restored: Vec<u8>,
    /// Where the log ends and where in it the commits go on, if something is missing between the two.
    gap: Option<(u64, u64)>,
}

impl LogTail {
    /// Reads the end of a log and lays over it what the commits have of it. What stands before that is not read.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn read<'f>(
        disk: &dyn Disk,
        path: &Path,
        fragments: impl Iterator<Item = &'f Fragment> + Clone,
    ) -> io::Result<LogTail> {
        let at = fragments.clone().map(|fragment| fragment.offset).min().unwrap_or(u64::MAX).min(disk.length(path)?);
        let mut found = Vec::new();
        disk.reader(path, at)?.read_to_end(&mut found)?;
        let mut end = LogTail { offset: at, restored: found.clone(), on_disk: found, gap: None };
        for fragment in fragments {
            let place = (fragment.offset - at) as usize;
            if place > end.restored.len() {
                end.gap = Some((at + end.restored.len() as u64, fragment.offset));
                break;
            }
            let after = place + fragment.bytes.len();
            end.restored.resize(end.restored.len().max(after), 0);
            end.restored[place..after].copy_from_slice(&fragment.bytes);
        }
        Ok(end)
    }
}

/// Puts back what logs lack. Returns what was done, for the operator.
///
/// # Errors
///
/// As the disk says. What was put back until then is right.
pub fn restore(disk: &dyn Disk, folder: &Path, fragments: &[Fragment]) -> io::Result<Vec<String>> {
    let mut of_logs: BTreeMap<&str, Vec<&Fragment>> = BTreeMap::new();
    for fragment in fragments {
        of_logs.entry(&fragment.log).or_default().push(fragment);
    }
    let mut told = Vec::new();
    for (name, fragments) in of_logs {
        let path = folder.join(name);
        let LogTail { offset: at, on_disk: found, restored: whole, gap } =
            match LogTail::read(disk, &path, fragments.iter().copied()) {
                // The name of a log is durable before it is written to; so it was moved away by somebody.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                end => end?,
            };
        if let Some((end, next)) = gap {
            told.push(format!("{name} ends at byte {end}, and byte {next} is the next that is known"));
        }
        let file = disk.open(&path)?;
        // Also what is there already: perhaps it stands in memory alone, after a sync that failed.
        file.write_at(&whole, at)?;
        file.sync()?;
        if let Some(first) = (0..whole.len()).find(|at| found.get(*at) != whole.get(*at)) {
            told.push(format!("{name} lacked its end; {} bytes were put back from the commits", whole.len() - first));
        }
    }
    Ok(told)
}

fn frame(generation: u32, fragment: &Fragment) -> Vec<u8> {
    let name = fragment.log.as_bytes();
    let mut body = Vec::with_capacity(FIXED_LEN + name.len() + fragment.bytes.len());
    body.extend(generation.to_le_bytes());
    body.extend(fragment.offset.to_le_bytes());
    body.extend((name.len() as u16).to_le_bytes());
    body.extend(name);
    body.extend(&fragment.bytes);
    let mut frame = Vec::with_capacity(FRAME_LEN + body.len());
    frame.extend((body.len() as u32).to_le_bytes());
    frame.extend(CHECKSUM.checksum(&body).to_le_bytes());
    frame.extend(body);
    frame
}

/// The generation and the fragments of it that are whole.
fn read(content: &[u8]) -> (u32, Vec<Fragment>) {
    let Some((generation, mut rest)) = content.get(HEADER_LEN.len()..).and_then(number) else { return (1, Vec::new()) };
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
    let fragment = Fragment { log, offset: u64::from_le_bytes(*at), bytes: content.to_vec() };
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
    use crate::station::disk::RealDisk;

    fn fragment(log: &str, at: u64, text: &str) -> Fragment {
        Fragment { log: log.into(), offset: at, bytes: text.into() }
    }

    #[test]
    fn finds_commits_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        let open = || Commits::open(&RealDisk, &path, 1 << 12).unwrap();
        let (mut commits, found) = open();
        assert!(found.is_empty() && commits.is_empty());
        let all =
            [fragment("a-1.log", 10, "one\n"), fragment("b-1.log", 0, "two\n"), fragment("a-1.log", 14, "three\n")];
        commits.commit(&all[..2]).unwrap();
        commits.commit(&all[2..]).unwrap();
        let (mut commits, found) = open();
        assert_eq!(found, all);
        commits.restart().unwrap();
        commits.commit(&[fragment("c-1.log", 0, "x")]).unwrap();
        let (commits, found) = open();
        assert_eq!(found, [fragment("c-1.log", 0, "x")], "older generations are passed over");
        assert!(commits.has_room(&[fragment("d", 0, &"x".repeat(4000))]));
        assert!(!commits.has_room(&[fragment("d", 0, &"x".repeat(4096))]) && !commits.is_nearly_full());
    }

    #[test]
    fn damaged_or_cut_file_yields_whole_commits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        let all = [fragment("a-1.log", 10, "one\n"), fragment("b-1.log", 0, "two\n")];
        Commits::open(&RealDisk, &path, 1 << 12).unwrap().0.commit(&all).unwrap();
        let whole = fs::read(&path).unwrap();
        let end = FIRST_OFFSET as usize + all.iter().map(|fragment| frame(1, fragment).len()).sum::<usize>();
        for cut in 0..end {
            let (_, found) = read(&whole[..cut]);
            assert!(all.starts_with(&found) && found.len() < all.len(), "{cut}: {found:?}");
            let mut damaged = whole[..end].to_vec();
            for bit in 0..8 {
                damaged[cut] ^= 1 << bit;
                if cut >= FIRST_OFFSET as usize {
                    let (_, found) = read(&damaged);
                    assert!(all.starts_with(&found) && found.len() < all.len(), "{cut}: {found:?}");
                }
                damaged[cut] ^= 1 << bit;
            }
        }
    }

    #[test]
    fn log_regains_missing_records() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a-1.log");
        let fragments = [fragment("a-1.log", 4, " one"), fragment("a-1.log", 8, " two"), fragment("gone.log", 0, "x")];
        for there in ["head", "head one", "head on", "head one two", "head\0\0\0\0 two", "head one two three"] {
            fs::write(&log, there).unwrap();
            let told = restore(&RealDisk, folder.path(), &fragments).unwrap();
            let is_whole = there.starts_with("head one two");
            let text = fs::read_to_string(&log).unwrap();
            assert_eq!(text, if is_whole { there } else { "head one two" });
            assert_eq!(told.is_empty(), is_whole, "{told:?}");
        }
        let told = restore(&RealDisk, folder.path(), &[fragment("a-1.log", 99, "x")]).unwrap();
        assert!(told[0].contains("byte 99 is the next that is known"), "{told:?}");
    }

    #[test]
    fn does_not_overwrite_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        fs::write(&path, "a letter").unwrap();
        let error = Commits::open(&RealDisk, &path, COMMITS_SIZE).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter");
    }
}
