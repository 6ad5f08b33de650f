//! The byte log on disk: events on a line are logged before anything that follows from them is published.
//!
//! ```text
//!   log/NAME-K.log   │ synced                │ written, the system has it │
//!   in memory        ·······│───────────────── tail ─────────────────────│─ what the disk does not take ─│
//!                    │──────────── durable, in the log or in the commits ────────────│
//! ```
//!
//! | order of events for one read | by |
//! |---|---|
//! | 1 the record is in memory, and goes to the file, in one piece | [`Journal::write`], [`Journal::write_out`] |
//! | 2 the core handles the bytes, whether the disk has taken the record or not | recorder |
//! | 3 the end of the log is made durable, if a line is to be published | [`Journal::pending`], [`commits`] |
//! | 4 the line is published | `live_files` |
//! | 5 every few seconds its end is made durable in any case | [`Journal::pending`], [`commits`] |
//! | 6 the log itself is synced, before the commits are full and at its end | [`Journal::sync`] |
//!
//! So the reason for a published ply is always on the disk, and playback of the log repairs a crash between any two steps ([`history`]).
//! After the station has stopped, a log is never written to again: each start opens the next one, which has a digest of the previous one
//! ([`chain`]). A log that loses its file while it is written is saved ([`rescue`]).
//!
//! Recording survives a fault of the disk: bytes that the disk refuses wait in memory, in order, and follow when the fault is over. After a
//! failed sync the kernel believes that its pages are clean although the disk never got them, and the next sync would succeed without
//! writing. So everything since the last successful sync is written again from memory, which retains it until then (the "fsync failures"
//! that PostgreSQL had to handle in 2018).

pub mod chain;
pub mod chained;
pub mod commits;
pub mod history;
pub mod holes;
pub mod logs;
pub mod rescue;
pub mod witness;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use damcast_engine::bytelog::{Header, IdlePacker, Mode, Record};
use damcast_engine::millis::Millis;

use crate::disk::{Disk, File, append_all, parent_folder};
use crate::locks::lock;
use commits::Fragment;

/// Maximum number of bytes that wait for the disk; beyond it the line stops reading its port. A day of one board has about 4 MB.
const MAX_UNWRITTEN: usize = 8 << 20;

/// Maximum number of durable bytes of a log kept in memory, to restore the file if it is truncated; most logs are shorter.
const RETAINED_TAIL: u64 = 512 << 10;

/// Number of bytes by which the buffer of a log's end grows. Doubling the buffer would reserve up to twice as much memory on each line.
const TAIL_STEP: usize = 4 << 10;

/// Space reserved after the end of a board's log, in bytes: a day of one board has about 4 MB.
const RESERVE_PER_BOARD: u64 = 4 << 20;
/// Space reserved after the end of a bus log, which has every answer: more than a day of a bus that is always busy.
const RESERVE_PER_BUS: u64 = 64 << 20;

/// A log that its line writes and the committer makes durable.
pub struct Journal {
    path: PathBuf,
    name: String,
    /// Header of the log.
    header: Vec<u8>,
    reserve_size: u64,
    /// Never locked while the disk works: a line that adds a record must not wait for it.
    state: Mutex<JournalState>,
    /// Locked while the file is written, measured or replaced; taken before `state`.
    file_access: Mutex<()>,
    /// Whether the journal waits for [`Journal::write_out`].
    is_queued: AtomicBool,
}

/// The end of a log that the disk has not accepted: it is lost when the program ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnwrittenTail {
    /// Name of the log.
    pub log: String,
    /// Number of bytes.
    pub bytes: usize,
    /// Time from the first record to the last.
    pub span: Millis,
}

impl fmt::Display for UnwrittenTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnwrittenTail { log, bytes, span } = self;
        write!(f, "the last {bytes} bytes of {log}, recorded in {}.{} s", span.0 / 1000, span.0 % 1000 / 100)
    }
}

struct JournalState {
    file: Arc<dyn File>,
    /// Bytes of the log from `tail_from` to its end.
    tail: Vec<u8>,
    /// Start of `tail`, at most `synced`.
    tail_from: u64,
    /// Length of the durable part of the file.
    synced: u64,
    /// Length of the part written to the file.
    written: u64,
    /// Length of the file at the last check, when it had its name.
    last_length: u64,
    /// Length of the part that is durable, in the file or in the commits.
    durable: u64,
    /// Number of bytes that were reserved.
    reserved: u64,
    /// Whether a sync failed: bytes written since the last successful one may be missing on the disk.
    is_unconfirmed: bool,
    /// Whether the log was saved in a new file whose name is not durable yet.
    is_name_unsynced: bool,
    /// Whether the disk refused the waiting bytes; they are retried by [`Journal::sync`].
    is_refused: bool,
    /// Reason why the disk refuses the waiting bytes.
    fault: Option<String>,
    /// On a bus: packs exchanges without news into one record.
    packer: Option<IdlePacker>,
}

impl JournalState {
    fn end(&self) -> u64 {
        self.tail_from + self.tail.len() as u64
    }

    /// Adds a line at the end.
    fn add(&mut self, record: &Record) {
        let line = record.to_line();
        if self.tail.capacity() - self.tail.len() < line.len() {
            self.tail.reserve_exact(line.len().max(TAIL_STEP));
        }
        self.tail.extend_from_slice(line.as_bytes());
    }

    fn is_settled(&self) -> bool {
        self.synced == self.end()
    }

    /// Drops bytes that a cut is unlikely to reach.
    fn trim_tail(&mut self) {
        let spare = self.synced.saturating_sub(RETAINED_TAIL).saturating_sub(self.tail_from) as usize;
        let rest = self.tail.get(spare..).filter(|_| spare > 0);
        // The tail begins with a whole line.
        if let Some(end) = rest.and_then(|rest| rest.iter().position(|&byte| byte == b'\n')) {
            self.tail.drain(..=spare + end);
            self.tail_from += (spare + end + 1) as u64;
        }
    }

    /// Returns the part of the tail between two positions of the log.
    fn between(&self, from: u64, to: u64) -> &[u8] {
        let index = |place: u64| place.saturating_sub(self.tail_from) as usize;
        self.tail.get(index(from)..index(to)).unwrap_or_default()
    }
}

impl Journal {
    /// Creates a log with its head. The file must not exist yet. The log works without reserved space as well; see
    /// [`Journal::is_reserved`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists or cannot be written.
    pub fn create(disk: &dyn Disk, path: &Path, header: &Header) -> io::Result<Journal> {
        let file = disk.create(path)?;
        let text = header.to_sealed_text();
        let begin = || -> io::Result<()> {
            append_all(&*file, text.as_bytes()).map_err(|(_, error)| error)?;
            file.sync()?;
            disk.sync_folder(parent_folder(path))
        };
        if let Err(error) = begin() {
            // A partial head is useless, and the next try would leave another.
            let _ = disk.remove(path);
            return Err(error);
        }
        let length = text.len() as u64;
        let is_bus = header.mode == Some(Mode::Bus);
        let packing = is_bus.then(IdlePacker::default);
        let state = JournalState {
            file,
            tail: Vec::new(),
            tail_from: length,
            synced: length,
            written: length,
            last_length: length,
            durable: length,
            reserved: 0,
            is_unconfirmed: false,
            is_name_unsynced: false,
            is_refused: false,
            fault: None,
            packer: packing,
        };
        let ahead = if is_bus { RESERVE_PER_BUS } else { RESERVE_PER_BOARD };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let head = text.into_bytes();
        let journal = Journal {
            path: path.to_owned(),
            name,
            header: head,
            reserve_size: ahead,
            state: Mutex::new(state),
            file_access: Mutex::default(),
            is_queued: AtomicBool::new(false),
        };
        journal.reserve();
        Ok(journal)
    }

    /// Adds a record in memory, without waiting for the disk; [`Journal::write_out`] writes it to the file. On a bus, exchanges without news
    /// are packed for up to a second, so that they become one record.
    pub fn write(&self, record: &Record) {
        let mut state = lock(&self.state);
        match &mut state.packer {
            None => state.add(record),
            Some(packing) => {
                let ready = packing.push(record.clone());
                ready.iter().for_each(|record| state.add(record));
            }
        }
    }

    /// Adds the packed exchanges in memory. They may be the reason for a line that is to be published.
    pub fn flush_packed(&self) {
        let mut state = lock(&self.state);
        let ready = state.packer.as_mut().map(IdlePacker::flush).unwrap_or_default();
        ready.iter().for_each(|record| state.add(record));
    }

    /// Writes the records in memory to the file. Bytes that the disk refuses wait for [`Journal::sync`]. Blocks on the disk.
    pub fn write_out(&self) {
        let _access = lock(&self.file_access);
        if !lock(&self.state).is_refused {
            self.write_pending();
        }
    }

    /// Marks the journal as waiting for [`Journal::write_out`]. Returns whether it was so already.
    pub fn queue(&self) -> bool {
        self.is_queued.swap(true, Ordering::Relaxed)
    }

    /// Ends the mark of [`Journal::queue`], before the records are written.
    pub fn unqueue(&self) {
        self.is_queued.store(false, Ordering::Relaxed);
    }

    /// Returns the time of the log at which the packed exchanges have to be written.
    pub fn flush_due(&self) -> Option<u64> {
        lock(&self.state).packer.as_ref().and_then(IdlePacker::flush_due)
    }

    /// Returns the length of the log, including waiting bytes.
    pub fn end(&self) -> u64 {
        lock(&self.state).end()
    }

    /// Returns the end of the log that is not known to be durable.
    pub fn pending(&self) -> Option<Fragment> {
        let state = lock(&self.state);
        let bytes = state.between(state.durable, state.end());
        let fragment = || Fragment { log: self.name.clone(), offset: state.durable, bytes: bytes.to_vec() };
        (!bytes.is_empty()).then(fragment)
    }

    /// Marks a fragment of [`Journal::pending`] as durable.
    pub fn committed(&self, fragment: &Fragment) {
        let mut state = lock(&self.state);
        state.durable = state.durable.max(fragment.offset + fragment.bytes.len() as u64);
    }

    /// Returns the length of the durable part.
    pub fn durable(&self) -> u64 {
        lock(&self.state).durable
    }

    /// Makes the whole file durable.
    ///
    /// # Errors
    ///
    /// Returns any I/O error, and an error if the length of the file was changed from outside; see [`Journal::verify_file`]. Nothing is
    /// lost then; retry later.
    pub fn sync(&self) -> io::Result<()> {
        let access = lock(&self.file_access);
        // Check first: bytes written after a cut would hide the missing ones.
        self.check_length().map_err(|error| self.fail_sync(error))?;
        let (file, unconfirmed, synced) = {
            let state = lock(&self.state);
            let unconfirmed = state.is_unconfirmed.then(|| state.between(state.synced, state.written).to_vec());
            (Arc::clone(&state.file), unconfirmed, state.synced)
        };
        if let Some(again) = unconfirmed
            && let Err(error) = file.write_at(&again, synced)
        {
            lock(&self.state).fault = Some(error.to_string());
            return Err(error);
        }
        if let Some(error) = self.write_pending() {
            return Err(error);
        }
        // The next sync comes when the commits, which are smaller than this space, are full.
        let (reserved, target, is_settled) = {
            let state = lock(&self.state);
            (state.reserved, state.written, state.is_settled())
        };
        if reserved < target + self.reserve_size / 8 * 7 {
            self.reserve();
        }
        if is_settled {
            return Ok(());
        }
        drop(access);
        // More is written during the sync.
        let synced = file.sync();
        let _access = lock(&self.file_access);
        // If the file was cut meanwhile, the bytes in memory are needed.
        synced.and_then(|()| self.check_length()).map_err(|error| self.fail_sync(error))?;
        let mut state = lock(&self.state);
        state.synced = target;
        state.trim_tail();
        state.last_length = state.written;
        state.durable = state.durable.max(target);
        state.is_unconfirmed = false;
        state.fault = None;
        Ok(())
    }

    /// Checks that the file has the written length.
    fn check_length(&self) -> io::Result<()> {
        let (file, written) = self.file();
        match file.length()? == written {
            true => Ok(()),
            false => Err(io::Error::other("its length was changed outside damcast")),
        }
    }

    /// Returns the file and its written length.
    fn file(&self) -> (Arc<dyn File>, u64) {
        let state = lock(&self.state);
        (Arc::clone(&state.file), state.written)
    }

    fn fail_sync(&self, error: io::Error) -> io::Error {
        let mut state = lock(&self.state);
        state.is_unconfirmed = true;
        state.fault = Some(error.to_string());
        error
    }

    /// Whether the whole file is durable.
    pub fn is_synced(&self) -> bool {
        lock(&self.state).is_settled()
    }

    /// Returns the problem of the disk, while bytes wait for it.
    pub fn fault(&self) -> Option<String> {
        lock(&self.state).fault.clone()
    }

    /// Returns the end of the log that is neither in the file nor in the commits; `None` if there is none.
    pub fn unwritten(&self) -> Option<UnwrittenTail> {
        let state = lock(&self.state);
        let from = state.written.max(state.durable);
        let bytes = state.between(from, state.end());
        // The first line may be the rest of a record that was written in part.
        let is_whole = from == state.synced || state.between(from - 1, from) == b"\n";
        let lines = bytes.split(|&byte| byte == b'\n').skip(usize::from(!is_whole));
        let at = |line: &[u8]| std::str::from_utf8(line).ok()?.split(' ').next()?.parse::<u64>().ok();
        let times: Vec<u64> = lines.filter_map(at).collect();
        let span = Millis(times.last().zip(times.first()).map_or(0, |(last, first)| last.saturating_sub(*first)));
        (!bytes.is_empty()).then(|| UnwrittenTail { log: self.name.clone(), bytes: bytes.len(), span })
    }

    /// Whether so many bytes wait that recording should stop.
    pub fn is_backlogged(&self) -> bool {
        let state = lock(&self.state);
        state.end() - state.synced >= MAX_UNWRITTEN as u64
    }

    /// Whether the log has space to grow on a full disk.
    pub fn is_reserved(&self) -> bool {
        lock(&self.state).reserved > 0
    }

    /// Releases unused reserved space. The log must not be written to afterwards.
    pub fn release(&self) {
        let _access = lock(&self.file_access);
        // Space that is not released does no harm.
        let _ = self.file().0.release();
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the waiting bytes. `file_access` must be locked.
    fn write_pending(&self) -> Option<io::Error> {
        let (file, waiting) = {
            let state = lock(&self.state);
            (Arc::clone(&state.file), state.between(state.written, state.end()).to_vec())
        };
        let result = append_all(&*file, &waiting);
        let mut state = lock(&self.state);
        match result {
            Ok(()) => {
                state.written += waiting.len() as u64;
                state.is_refused = false;
                if !state.is_unconfirmed {
                    state.fault = None;
                }
                None
            }
            Err((taken, error)) => {
                state.written += taken as u64;
                state.is_refused = true;
                state.fault = Some(error.to_string());
                Some(error)
            }
        }
    }

    /// Reserves space after the end of the file. `file_access` must be locked.
    fn reserve(&self) {
        let (file, written) = self.file();
        let wanted = written + self.reserve_size;
        if file.reserve(wanted).is_ok() {
            lock(&self.state).reserved = wanted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;
    use damcast_engine::bytelog::{self, RecordKind};

    /// Returns a folder with a new log.
    fn begun(header: &Header) -> (tempfile::TempDir, PathBuf, Journal) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-1.log");
        let journal = Journal::create(&RealDisk, &path, header).unwrap();
        (folder, path, journal)
    }

    fn note(at: u64, text: &str) -> Record {
        Record::new(at, RecordKind::Note(text.to_owned()))
    }

    #[test]
    fn writes_log_on_request_and_syncs_later() {
        let (_folder, path, journal) = begun(&Header::default());
        assert!(Journal::create(&RealDisk, &path, &Header::default()).is_err());
        let begun = journal.end();
        assert!(journal.pending().is_none() && journal.is_synced());
        journal.write(&note(1, "one"));
        journal.write(&note(2, "two"));
        assert_eq!(std::fs::read(&path).unwrap().len() as u64, begun, "the line does not wait for the disk");
        journal.write_out();
        let text = std::fs::read(&path).unwrap();
        let pending = journal.pending().unwrap();
        assert_eq!((pending.offset, pending.bytes.as_slice()), (begun, &text[begun as usize..]));
        journal.committed(&pending);
        assert_eq!((journal.durable(), journal.pending(), journal.is_synced()), (journal.end(), None, false));
        journal.write(&note(3, "three"));
        assert_eq!(journal.pending().unwrap().offset, text.len() as u64);
        journal.sync().unwrap();
        assert!(journal.is_synced() && journal.pending().is_none() && journal.fault().is_none());
        journal.release();
        assert_eq!(bytelog::read(&std::fs::read(&path).unwrap()).unwrap().records.len(), 3);
    }

    fn cut(path: &Path, length: u64) {
        std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
    }

    #[test]
    fn does_not_write_behind_cut_of_log() {
        let (_folder, path, journal) = begun(&Header::default());
        (0..100).for_each(|at| journal.write(&note(at, "settled")));
        journal.sync().unwrap();
        assert_eq!(journal.verify_file(&RealDisk, Vec::new).unwrap(), None);
        let whole = std::fs::read(&path).unwrap();
        cut(&path, whole.len() as u64 / 2);
        (100..103).for_each(|at| journal.write(&note(at, "later")));
        journal.write_out();
        for _ in 0..3 {
            assert!(journal.sync().is_err());
        }
        let done = journal.verify_file(&RealDisk, Vec::new).unwrap().unwrap();
        assert!(done.contains("it was cut or changed outside damcast") && !done.contains("lost"), "{done}");
        let saved = std::fs::read(&path).unwrap();
        assert!(saved.starts_with(&whole) && saved.len() as u64 == journal.end());
        let log = bytelog::read(&saved).unwrap();
        assert_eq!((log.records.len(), log.problems.len()), (103, 0));
        journal.sync().unwrap();
        assert_eq!(journal.verify_file(&RealDisk, Vec::new).unwrap(), None);
    }

    #[test]
    fn reports_loss_of_deep_cut_and_reads_rest() {
        let (_folder, path, journal) = begun(&Header { line: Some("a".to_owned()), ..Header::default() });
        let long = "x".repeat(4_000);
        let mut places = Vec::new();
        for at in 0..400 {
            places.push(journal.end());
            journal.write(&note(at, &long));
        }
        journal.sync().unwrap();
        let whole = std::fs::read(&path).unwrap();
        let known = |from: usize, to: usize| {
            let (from, to) = (places[from], places[to]);
            Fragment { log: "a-1.log".to_owned(), offset: from, bytes: whole[from as usize..to as usize].to_vec() }
        };
        let kept = (RETAINED_TAIL / 4_000) as usize;
        for (length, first) in [(0, None), (places[60] + 7, Some(59)), (places[150], Some(149))] {
            let file = std::fs::read(&path).unwrap();
            assert_eq!(file.len() as u64, journal.end());
            cut(&path, length);
            let fragments = || vec![known(100, 120), known(140, 160), known(398, 399)];
            let done = journal.verify_file(&RealDisk, fragments).unwrap().unwrap();
            assert!(done.contains("bytes of it are lost"), "{done}");
            let saved = std::fs::read(&path).unwrap();
            assert_eq!(saved.len() as u64, journal.end(), "everything keeps its place");
            let log = bytelog::read(&saved).unwrap();
            assert_eq!(log.header.line.as_deref(), Some("a"), "the head is in memory");
            let lost_bytes = |problem: &bytelog::LogProblem| match problem {
                bytelog::LogProblem::BytesLost { bytes, .. } => *bytes,
                _ => 0,
            };
            let lost: u64 = log.problems.iter().map(lost_bytes).sum();
            assert!(done.contains(&format!("; {lost} bytes of it are lost")), "{done} {lost}");
            let times: Vec<u64> =
                log.records.iter().filter(|r| matches!(r.kind, RecordKind::Note(_))).map(|r| r.at).collect();
            let is_there = |at: u64| times.contains(&at);
            let of_file = (0..=first.unwrap_or(0)).filter(|_| first.is_some());
            let all = of_file.chain(100..120).chain(140..160).chain(400 - kept as u64 + 2..400);
            all.for_each(|at| assert!(is_there(at), "{length}: {at} is missing"));
            assert!(
                times.is_sorted() && times.len() < 400 && journal.verify_file(&RealDisk, Vec::new).unwrap().is_none()
            );
            // Restores the file for the next case.
            let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            io::Write::write_all(&mut file, &whole).unwrap();
        }
    }

    #[test]
    fn idle_bus_answers_are_one_record_written_on_request() {
        let (_folder, path, journal) = begun(&Header { mode: Some(Mode::Bus), ..Header::default() });
        let (begun, answer) = (journal.end(), vec![0x85, 0x00, 0x06, 0x08, 0x01, 0x14]);
        for at in [5, 15, 25] {
            journal.write(&Record::new(at - 4, RecordKind::ToBoard(vec![0x83, 0x08, 0x01, 0x0c])));
            journal.write(&Record::new(at, RecordKind::FromBoard(answer.clone())));
        }
        assert_eq!((journal.end(), journal.flush_due()), (begun, Some(1_005)));
        journal.flush_packed();
        assert_eq!(journal.flush_due(), None);
        journal.write_out();
        let records = bytelog::read(&std::fs::read(&path).unwrap()).unwrap().records;
        assert_eq!(records.len(), 1);
        let unpacked: Vec<Record> = records.into_iter().flat_map(Record::expand).collect();
        assert_eq!(unpacked, [5, 15, 25].map(|at| Record::new(at, RecordKind::FromBoard(answer.clone()))));
    }

    #[test]
    fn memory_is_bounded() {
        let (_folder, _, journal) = begun(&Header::default());
        let long = note(1, &"x".repeat(1 << 20));
        for _ in 0..MAX_UNWRITTEN >> 20 {
            assert!(!journal.is_backlogged());
            journal.write(&long);
        }
        assert!(journal.is_backlogged());
        journal.sync().unwrap();
        assert!(!journal.is_backlogged());
    }
}
