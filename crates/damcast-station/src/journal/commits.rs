//! One durable write for many lines: the new ends of all logs, in one file.
//!
//! ```text
//!   hall-1-3.log  ......▒▒▒▒      ▒ written, not yet synced
//!   hall-2-3.log  ....▒▒
//!                    │  └────┐
//!   commits       [ head | fragment | fragment | ..............reserved ]      one durable write
//! ```
//!
//! Sixty-four boards with moves at the same time would need sixty-four syncs of logs. Instead, the new ends of their logs go into this file
//! together, and only this file is synced. When it is nearly full, the logs themselves are synced, and the file begins anew.
//!
//! After a loss of power a log may lack its end, or have wrong bytes there: a start restores it from here ([`Commits::open`], [`restore`]).
//! After a crash of the process alone the logs are complete. The bytes at a place of a log never change, so an old fragment does no harm.
//!
//! The file has the witnesses of other files as well ([`super::witness`]). When the commits begin anew, one fragment for each witness
//! follows the head; fragments of logs are dropped.
//!
//! A commit consists of whole blocks, including the block in which the last commit ended: it goes to the disk in one operation that
//! bypasses the page cache. A failed commit is written again, at the same place, with all later bytes: the kernel may believe that the disk
//! has the cached pages, and a sync alone would do nothing.
//!
//! # Format
//!
//! A head `damcast commits 2\n`, 4 bytes of generation, then fragments, each of: length of what follows the checksum (4 bytes), CRC-32C of
//! what follows it (4), generation (4), kind (1), place in the file (8), length of its name (2), name, bytes. Kind 0 is the end of a log;
//! kind 1 a witness, whose place is the length of the file, and whose bytes are its checksum. Numbers are little-endian. A fragment of
//! another generation or with a wrong checksum is a remainder, and marks the end. Zeros after the last fragment fill its block.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::chained::{CHECKSUM, ChainedChecksum};
use super::witness::{Witness, Witnesses};
use crate::disk::{self, BLOCK_SIZE, Disk, File, parent_folder};

/// Size of the commits of a station, in bytes. A ply of a board has about 200 bytes of log.
pub const COMMITS_SIZE: u64 = 4 << 20;

const HEADER_LEN: &[u8] = b"damcast commits 2\n";
const FIRST_OFFSET: u64 = HEADER_LEN.len() as u64 + 4;
/// Length, checksum.
const FRAME_LEN: usize = 8;
/// Generation, kind, place, length of the name.
const FIXED_LEN: usize = 15;
/// Length of a checksum.
const CHECKSUM_LEN: usize = 4;
/// Kind of a fragment that is the end of a log.
const KIND_LOG: u8 = 0;
/// Kind of a fragment that is a witness.
const KIND_WITNESS: u8 = 1;

/// The new end of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// Name of the log in its folder.
    pub log: String,
    /// Position of the fragment in the log.
    pub offset: u64,
    /// Bytes at that position.
    pub bytes: Vec<u8>,
}

/// Content of a file of commits.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CommitsContent {
    /// Ends of logs, in order.
    pub fragments: Vec<Fragment>,
    /// Last witness of each file.
    pub witnesses: BTreeMap<String, Witness>,
}

/// The commits of a station.
pub struct Commits {
    file: Arc<dyn File>,
    size: u64,
    /// Length of the file.
    length: u64,
    generation: u32,
    end: u64,
    /// Content of the last block before the end of the commits.
    last_block: Vec<u8>,
    /// Whether the head is durable.
    is_header_durable: bool,
    /// Current witnesses.
    witnesses: Witnesses,
    /// Witnesses that are durable in this file.
    committed: BTreeMap<String, Witness>,
    /// End of the head and of the witnesses after it.
    begun: u64,
}

impl Commits {
    /// Opens the commits of a folder, or creates them with `size` bytes of space. Returns fragments that logs may lack, in order.
    ///
    /// # Errors
    ///
    /// Returns any I/O error. A file in another format is `InvalidData` and is not overwritten.
    pub fn open(disk: &dyn Disk, path: &Path, size: u64) -> io::Result<(Commits, Vec<Fragment>)> {
        Commits::open_with(disk, path, size, None)
    }

    /// Opens the commits for these witnesses; `None` for those in the file.
    ///
    /// # Errors
    ///
    /// Returns errors as [`Commits::open`] does.
    pub fn open_with(
        disk: &dyn Disk,
        path: &Path,
        size: u64,
        witnesses: Option<Witnesses>,
    ) -> io::Result<(Commits, Vec<Fragment>)> {
        let (file, content) = match disk::if_found(disk.read(path))? {
            Some(content) => (disk.open(path)?, content),
            None => (disk.create(path)?, Vec::new()),
        };
        let head = &content[..HEADER_LEN.len().min(content.len())];
        // A loss of power may leave a file with its length and no content.
        let is_blank = content.iter().all(|&byte| byte == 0);
        if !is_blank && !HEADER_LEN.starts_with(head) {
            let what = format!("{} is not a commits file of damcast", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let (generation, end, CommitsContent { fragments, witnesses: found }) = read(&content);
        let witnesses = witnesses.unwrap_or_else(|| Witnesses::new(found.clone()));
        let is_begun = !is_blank && content.len() >= FIRST_OFFSET as usize;
        let last_block = content.get(block_start(end)..end as usize).unwrap_or_default().to_vec();
        let mut commits = Commits {
            file,
            size,
            length: 0,
            generation,
            end,
            last_block,
            is_header_durable: is_begun,
            witnesses,
            committed: found,
            begun: FIRST_OFFSET,
        };
        commits.allocate(content.len() as u64);
        commits.note_length();
        // The head may be in the page cache only, after a start whose sync failed. So it is written again, with another generation, because
        // remainders may follow it.
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

    /// Reserves space and writes it once. Later writes change neither the length nor the block map of the file, which would have to be
    /// durable as well; and they succeed on a full disk. Failure is harmless.
    fn allocate(&self, length: u64) {
        let missing = self.size.saturating_sub(length) as usize;
        if missing > 0 && self.file.reserve(self.size).is_ok() {
            let _ = self.file.write_at(&vec![0; missing], length);
        }
    }

    /// Whether this path still names this file, with the expected length.
    pub fn is_still_at(&self, path: &Path) -> bool {
        self.file.is_at(path, self.length)
    }

    /// Returns the size of the space.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the witnesses of the station's files.
    pub fn witnesses(&self) -> &Witnesses {
        &self.witnesses
    }

    /// Returns the witnesses that are not durable in this file.
    fn new_witnesses(&self) -> BTreeMap<String, Witness> {
        let mut all = self.witnesses.all();
        all.retain(|file, witness| self.committed.get(file) != Some(witness));
        all
    }

    /// Whether there are witnesses that are not durable in this file.
    pub fn has_new_witnesses(&self) -> bool {
        !self.new_witnesses().is_empty()
    }

    /// Whether there is room for these fragments and for the new witnesses.
    pub fn has_room(&self, fragments: &[Fragment]) -> bool {
        let witnesses = self.new_witnesses().into_keys().map(|file| FRAME_LEN + FIXED_LEN + file.len() + CHECKSUM_LEN);
        let bytes: usize =
            fragments.iter().map(|fragment| FRAME_LEN + FIXED_LEN + fragment.log.len() + fragment.bytes.len()).sum();
        let bytes = bytes + witnesses.sum::<usize>();
        self.end + bytes as u64 <= self.size
    }

    /// Makes the ends of logs and the new witnesses durable, all at once.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; then nothing derived from these bytes may be published.
    pub fn commit(&mut self, fragments: &[Fragment]) -> io::Result<()> {
        if !self.is_header_durable {
            self.write_header()?;
        }
        let at = block_start(self.end);
        let mut blocks = self.last_block.clone();
        fragments.iter().for_each(|fragment| blocks.extend(frame(self.generation, fragment)));
        let witnesses = self.new_witnesses();
        blocks.extend(witnesses.iter().flat_map(|(file, witness)| witness_frame(self.generation, file, witness)));
        let end = at + blocks.len();
        blocks.resize(blocks.len().next_multiple_of(BLOCK_SIZE), 0);
        let written = self.file.write_blocks_durably(&blocks, at as u64);
        self.note_length();
        written?;
        self.end = end as u64;
        self.last_block = blocks.get(block_start(self.end) - at..end - at).unwrap_or_default().to_vec();
        self.committed.extend(witnesses);
        Ok(())
    }

    /// Whether the file has only the witnesses that it began with.
    pub fn is_empty(&self) -> bool {
        self.end == self.begun
    }

    /// Whether it is time to start syncing the logs.
    pub fn is_half_full(&self) -> bool {
        self.end > self.size / 2
    }

    /// Whether it is time to sync all logs and begin anew.
    pub fn is_nearly_full(&self) -> bool {
        self.end > self.size / 4 * 3
    }

    /// Begins anew, with one fragment for each witness. Every log must be synced.
    ///
    /// # Errors
    ///
    /// Returns any I/O error. The next commit tries again.
    pub fn restart(&mut self) -> io::Result<()> {
        self.generation = self.generation.wrapping_add(1);
        self.write_header()
    }

    /// Writes the head and all witnesses. Until they are durable the head on the disk is unknown, so later fragments do not count.
    fn write_header(&mut self) -> io::Result<()> {
        self.is_header_durable = false;
        let witnesses = self.witnesses.all();
        let mut blocks = [HEADER_LEN, &self.generation.to_le_bytes()].concat();
        blocks.extend(witnesses.iter().flat_map(|(file, witness)| witness_frame(self.generation, file, witness)));
        (self.begun, self.end) = (blocks.len() as u64, blocks.len() as u64);
        self.last_block = blocks.get(block_start(self.end)..).unwrap_or_default().to_vec();
        let written = self.file.write_at(&blocks, 0);
        self.note_length();
        written?;
        self.file.sync()?;
        self.committed = witnesses;
        self.is_header_durable = true;
        Ok(())
    }

    /// Updates the known length. Only a change from outside makes the file shorter.
    fn note_length(&mut self) {
        self.length = self.file.length().map_or(self.length, |length| self.length.max(length));
    }
}

/// Returns the start of the block that contains this position.
fn block_start(place: u64) -> usize {
    place as usize / BLOCK_SIZE * BLOCK_SIZE
}

/// Returns the content of the commits without changing them; empty if there is no such file.
///
/// # Errors
///
/// Returns any I/O error.
pub fn contents(disk: &dyn Disk, path: &Path) -> io::Result<CommitsContent> {
    let content = disk::if_found(disk.read(path))?.filter(|content| content.starts_with(HEADER_LEN));
    Ok(content.map_or_else(CommitsContent::default, |content| read(&content).2))
}

/// Returns the witnesses in a file of commits; none if there is no such file.
///
/// # Errors
///
/// Returns any I/O error.
pub fn witnesses(disk: &dyn Disk, path: &Path) -> io::Result<Witnesses> {
    Ok(Witnesses::new(contents(disk, path)?.witnesses))
}

/// The end of a log, from the first byte that the commits have.
pub struct LogTail {
    /// Position in the log.
    pub offset: u64,
    /// Bytes of the log from there.
    on_disk: Vec<u8>,
    /// Bytes of the log with those of the commits applied.
    pub restored: Vec<u8>,
    /// End of the log and start of the next fragment, if bytes are missing in between.
    gap: Option<(u64, u64)>,
}

impl LogTail {
    /// Reads the end of a log and applies the commits to it. Bytes before that are not read.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
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

/// Restores missing ends of logs. Returns messages for the operator.
///
/// # Errors
///
/// Returns any I/O error. Ends restored until then are correct.
pub fn restore(disk: &dyn Disk, folder: &Path, fragments: &[Fragment]) -> io::Result<Vec<String>> {
    let mut of_logs: BTreeMap<&str, Vec<&Fragment>> = BTreeMap::new();
    for fragment in fragments {
        of_logs.entry(&fragment.log).or_default().push(fragment);
    }
    let mut messages = Vec::new();
    for (name, fragments) in of_logs {
        let path = folder.join(name);
        let tail = disk::if_found(LogTail::read(disk, &path, fragments.iter().copied()))?;
        // A log's name is durable before its first record, so a missing log was moved or deleted.
        let Some(LogTail { offset: at, on_disk: found, restored: whole, gap }) = tail else { continue };
        if let Some((end, next)) = gap {
            messages.push(format!("{name} ends at byte {end}, and byte {next} is the next that is known"));
        }
        let file = disk.open(&path)?;
        // Write known bytes as well: after a failed sync they may be in the page cache only.
        file.write_at(&whole, at)?;
        file.sync()?;
        if let Some(first) = (0..whole.len()).find(|at| found.get(*at) != whole.get(*at)) {
            messages
                .push(format!("{name} lacked its end; {} bytes were put back from the commits", whole.len() - first));
        }
    }
    Ok(messages)
}

fn frame(generation: u32, Fragment { log, offset, bytes }: &Fragment) -> Vec<u8> {
    frame_of(generation, KIND_LOG, log, *offset, bytes)
}

fn witness_frame(generation: u32, file: &str, witness: &Witness) -> Vec<u8> {
    frame_of(generation, KIND_WITNESS, file, witness.length, &witness.checksum.0.to_le_bytes())
}

fn frame_of(generation: u32, kind: u8, name: &str, at: u64, bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(FIXED_LEN + name.len() + bytes.len());
    body.extend(generation.to_le_bytes());
    body.push(kind);
    body.extend(at.to_le_bytes());
    body.extend((name.len() as u16).to_le_bytes());
    body.extend(name.as_bytes());
    body.extend(bytes);
    let mut frame = Vec::with_capacity(FRAME_LEN + body.len());
    frame.extend((body.len() as u32).to_le_bytes());
    frame.extend(CHECKSUM.checksum(&body).to_le_bytes());
    frame.extend(body);
    frame
}

/// Returns the generation, the end of the valid part, and its content.
fn read(content: &[u8]) -> (u32, u64, CommitsContent) {
    let mut found = CommitsContent::default();
    let Some((generation, mut rest)) = content.get(HEADER_LEN.len()..).and_then(number) else {
        return (1, FIRST_OFFSET, found);
    };
    while let Some((kind, fragment, after)) = read_fragment(generation, rest) {
        rest = after;
        let Fragment { log, offset, bytes } = fragment;
        match kind {
            KIND_WITNESS => {
                let checksum = bytes.first_chunk::<CHECKSUM_LEN>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                found.witnesses.insert(log, Witness { length: offset, checksum: ChainedChecksum(checksum) });
            }
            _ => found.fragments.push(Fragment { log, offset, bytes }),
        }
    }
    (generation, (content.len() - rest.len()) as u64, found)
}

fn read_fragment(generation: u32, bytes: &[u8]) -> Option<(u8, Fragment, &[u8])> {
    let (length, bytes) = number(bytes)?;
    let (checksum, bytes) = number(bytes)?;
    let (body, after) = bytes.split_at_checked(length as usize)?;
    if CHECKSUM.checksum(body) != checksum {
        return None;
    }
    let (own, body) = number(body)?;
    let (kind, body) = body.split_first()?;
    let (at, body) = body.split_first_chunk::<8>()?;
    let (name_length, body) = body.split_first_chunk::<2>()?;
    let (name, content) = body.split_at_checked(u16::from_le_bytes(*name_length).into())?;
    let log = std::str::from_utf8(name).ok()?.to_owned();
    let fragment = Fragment { log, offset: u64::from_le_bytes(*at), bytes: content.to_vec() };
    (own == generation).then_some((*kind, fragment, after))
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
    fn nearly_full_commits_restart_with_one_fragment_per_witness() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commits");
        let (mut commits, _) = Commits::open(&RealDisk, &path, 1 << 12).unwrap();
        let witness = |length: u64| Witness { length, checksum: ChainedChecksum(length as u32 * 7) };
        let mut length = 0;
        while !commits.is_nearly_full() {
            length += 1;
            commits.witnesses().set("tournament.ndjson", witness(length));
            commits.witnesses().set("events.order 8f3c2a9be01d44c7", witness(2 * length));
            assert!(commits.has_new_witnesses());
            commits.commit(&[fragment("a-1.log", length, "x")]).unwrap();
            assert!(!commits.has_new_witnesses() && !commits.is_empty());
        }
        commits.restart().unwrap();
        assert!(commits.is_empty() && !commits.has_new_witnesses());
        let all = BTreeMap::from([
            ("events.order 8f3c2a9be01d44c7".to_owned(), witness(2 * length)),
            ("tournament.ndjson".to_owned(), witness(length)),
        ]);
        let content = contents(&RealDisk, &path).unwrap();
        assert_eq!(content, CommitsContent { fragments: Vec::new(), witnesses: all.clone() });
        let frames: usize = all.iter().map(|(file, witness)| witness_frame(2, file, witness).len()).sum();
        assert_eq!(commits.end, FIRST_OFFSET + frames as u64);
        // Witnesses survive a start, and the removal of the file.
        let (commits, found) = Commits::open(&RealDisk, &path, 1 << 12).unwrap();
        assert_eq!((found.len(), commits.witnesses().all()), (0, all.clone()));
        fs::remove_file(&path).unwrap();
        Commits::open_with(&RealDisk, &path, 1 << 12, Some(commits.witnesses().clone())).unwrap();
        assert_eq!(contents(&RealDisk, &path).unwrap().witnesses, all);
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
            let found = read(&whole[..cut]).2.fragments;
            assert!(all.starts_with(&found) && found.len() < all.len(), "{cut}: {found:?}");
            let mut damaged = whole[..end].to_vec();
            for bit in 0..8 {
                damaged[cut] ^= 1 << bit;
                if cut >= FIRST_OFFSET as usize {
                    let found = read(&damaged).2.fragments;
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
            let messages = restore(&RealDisk, folder.path(), &fragments).unwrap();
            let is_whole = there.starts_with("head one two");
            let text = fs::read_to_string(&log).unwrap();
            assert_eq!(text, if is_whole { there } else { "head one two" });
            assert_eq!(messages.is_empty(), is_whole, "{messages:?}");
        }
        let messages = restore(&RealDisk, folder.path(), &[fragment("a-1.log", 99, "x")]).unwrap();
        assert!(messages[0].contains("byte 99 is the next that is known"), "{messages:?}");
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
