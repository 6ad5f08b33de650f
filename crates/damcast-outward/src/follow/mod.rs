//! Follows the events of an outlet, `events.ndjson`, line by line, across restarts and changes of the file.
//!
//! For programs beside the station, such as the viewers' pages. The module depends on the file format alone: each line is a JSON object
//! with `seq`, counted from 1; `gen` and `station` are optional (`docs/events.md`). A program that stores the [`Progress`] can
//! continue later without losing or repeating a line:
//!
//! ```no_run
//! use std::time::Duration;
//! use damcast_outward::follow::{Follower, FollowEvent, Progress};
//!
//! let mut follower = Follower::new("recordings/public/events.ndjson", Progress::default());
//! loop {
//!     match follower.next(Duration::from_secs(60))? {
//!         Some(FollowEvent::Line(line)) => print!("{}", line.text),
//!         Some(FollowEvent::Restarted { .. }) => println!("forget what came so far"),
//!         Some(other) => eprintln!("{other:?}"),
//!         None => eprintln!("nothing for a minute"),
//!     }
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | the file | event |
//! |---|---|
//! | grows | [`FollowEvent::Line`], for whole lines only |
//! | is missing | [`FollowEvent::FileMissing`], once |
//! | has fewer lines than were read | [`FollowEvent::Truncated`], once; the station may be about to write it again |
//! | is there again, or was replaced, and has all lines that were read | [`FollowEvent::Resumed`] |
//! | has other lines: another generation, or a restored copy with the same numbers | [`FollowEvent::Restarted`], then all its lines |
//! | has an invalid next line | [`FollowEvent::Damaged`], once; the line is read again when the file changes |
//!
//! The follower compares the SHA-256 of all lines that it has read with the file: at its start, if the file is replaced, if it becomes
//! shorter than these lines, and if the next line is invalid. [`Follower::recheck`] requests a further comparison.
//!
//! Invariants: memory is bounded by one line ([`MAX_LINE_LEN`]); no busy loops; nothing is written. inotify ends a wait when the file
//! grows; a waiting follower also checks the file once a second.

mod file_watch;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use file_watch::FileWatch;

/// Longest line of a file of events, in bytes.
pub const MAX_LINE_LEN: usize = 1 << 20;
/// Size of one read, in bytes.
const CHUNK_SIZE: usize = 64 << 10;

/// Progress of a follower: the first `seq` lines of the file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Generation of the last line read; `None` if that line has none.
    pub generation: Option<String>,
    /// Number of lines read, which is the `seq` of the last; 0 if none were read.
    pub seq: u64,
    /// SHA-256 of these lines, each with its LF; if `None`, only the last line is compared.
    pub sha256: Option<[u8; 32]>,
}

/// Line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventLine {
    /// Number in the file, from 1.
    pub seq: u64,
    /// Generation in the line.
    pub generation: Option<String>,
    /// Station in the line.
    pub station: Option<String>,
    /// Whole line with its LF: one JSON object.
    pub text: String,
}

/// Reason for reading a file from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestartReason {
    /// The file has another generation.
    OtherGeneration,
    /// The file has other lines with the same numbers, perhaps because an older copy was restored and continued.
    OtherLines,
}

/// Event of a followed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FollowEvent {
    /// Next line.
    Line(EventLine),
    /// The file is missing.
    FileMissing,
    /// The file has fewer lines than were read.
    Truncated {
        /// Number of whole lines in the file.
        lines: u64,
    },
    /// The file has all lines that were read, after it was missing, truncated or replaced. The next lines follow.
    Resumed,
    /// The file has other lines than were read: discard them. All lines follow, from the first.
    Restarted {
        /// Generation of the last compared line in the file.
        generation: Option<String>,
        /// Reason.
        reason: RestartReason,
    },
    /// The next line is invalid.
    Damaged {
        /// Number that the line should have.
        seq: u64,
        /// Problem of the line.
        problem: String,
    },
}

/// Follower of a file of events.
pub struct Follower {
    path: PathBuf,
    refuses_links: bool,
    read_state: ReadState,
    open: Option<OpenFile>,
    /// Bytes of the file after the last line that was returned.
    buffered: Vec<u8>,
    /// Last reported fault of the file; `None` if it has none.
    fault: Option<FileFault>,
    file_watch: FileWatch,
}

/// Lines that were read.
struct ReadState {
    position: Progress,
    /// SHA-256 of the lines; `None` until the file was compared.
    hash: Option<Sha256>,
    /// Length of the lines in the open file, in bytes; 0 until that file was compared.
    bytes: u64,
}

struct OpenFile {
    file: File,
    id: (u64, u64),
    /// Whether the file was compared with the lines that were read.
    is_compared: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum FileFault {
    Gone,
    Cut(FileStamp),
    Damaged(FileStamp),
}

/// Identity, length and time of change of a file; any change of the file makes another stamp.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    id: (u64, u64),
    length: u64,
    changed_at: (i64, i64),
}

/// Members that identify a line.
#[derive(Deserialize)]
struct LineHeader {
    seq: u64,
    r#gen: Option<String>,
    station: Option<String>,
}

impl Follower {
    /// Creates a follower that continues after `from`; [`Progress::default`] starts with the first line. The file may be missing, or
    /// a link.
    pub fn new(path: impl Into<PathBuf>, from: Progress) -> Follower {
        let path = path.into();
        let hash = (from.seq == 0).then(Sha256::new);
        Follower {
            file_watch: FileWatch::new(&path),
            path,
            refuses_links: false,
            read_state: ReadState { position: from, hash, bytes: 0 },
            open: None,
            buffered: Vec::new(),
            fault: None,
        }
    }

    /// Refuses a link in place of the file.
    #[must_use]
    pub fn refusing_links(mut self) -> Follower {
        self.refuses_links = true;
        self
    }

    /// Checks the file at this interval, without inotify.
    #[must_use]
    pub fn polling(mut self, every: Duration) -> Follower {
        self.file_watch = FileWatch::polling(every);
        self
    }

    /// Returns the progress. Store it beside the lines that were returned, once they are durable.
    pub fn progress(&self) -> Progress {
        let mut position = self.read_state.position.clone();
        if let Some(hash) = &self.read_state.hash {
            position.sha256 = Some(hash.clone().finalize().into());
        }
        position
    }

    /// Makes the next call compare all lines read with the file. This finds changes that did not make the file shorter.
    pub fn recheck(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_compared = self.read_state.position.seq == 0;
        }
    }

    /// Waits for the next event, for at most `patience`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::InvalidInput`] if the path leads to no regular file, and any other I/O error. A later call may succeed.
    pub fn next(&mut self, patience: Duration) -> io::Result<Option<FollowEvent>> {
        let end = Instant::now() + patience;
        loop {
            if let Some(news) = self.poll()? {
                return Ok(Some(news));
            }
            // Later changes end the wait; the second `poll` finds changes between the first one and this call.
            self.file_watch.arm(&self.path);
            if let Some(news) = self.poll()? {
                return Ok(Some(news));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.file_watch.wait(left)?;
        }
    }

    /// Returns the next event without waiting.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Follower::next`].
    pub fn poll(&mut self) -> io::Result<Option<FollowEvent>> {
        let Some(stamp) = self.stat()? else {
            self.open = None;
            self.buffered.clear();
            let is_new = self.fault.replace(FileFault::Gone) != Some(FileFault::Gone);
            return Ok(is_new.then_some(FollowEvent::FileMissing));
        };
        if [Some(FileFault::Cut(stamp)), Some(FileFault::Damaged(stamp))].contains(&self.fault) {
            // The file has not changed since the report.
            return Ok(None);
        }
        let is_first = self.open.is_none() && self.fault.is_none();
        if self.open.as_ref().is_none_or(|open| open.id != stamp.id) {
            let Some(file) = self.open_file()? else { return Ok(None) };
            self.open = Some(OpenFile { file, id: stamp.id, is_compared: self.read_state.position.seq == 0 });
            self.buffered.clear();
            self.read_state.bytes = 0;
        }
        let Some(open) = &mut self.open else { return Ok(None) };
        if stamp.length < self.read_state.bytes {
            open.is_compared = false;
        }
        if !open.is_compared {
            self.buffered.clear();
            let news = self.compare(stamp, is_first)?;
            if news.is_some() || !self.is_compared() {
                return Ok(news);
            }
        }
        self.read_line(stamp)
    }

    /// Whether the open file has the lines that were read.
    fn is_compared(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.is_compared)
    }

    /// Returns the stamp of the file; `None` if the file is missing.
    fn stat(&self) -> io::Result<Option<FileStamp>> {
        match if self.refuses_links { fs::symlink_metadata(&self.path) } else { fs::metadata(&self.path) } {
            Ok(there) if there.is_file() => Ok(Some(FileStamp::from_metadata(&there))),
            Ok(_) => Err(self.error(io::ErrorKind::InvalidInput, "it is no regular file")),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.error(error.kind(), error)),
        }
    }

    /// Opens the file; `None` if it is missing.
    fn open_file(&self) -> io::Result<Option<File>> {
        // Opening a pipe in place of the file must not block.
        let mut flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        flags.set(rustix::fs::OFlags::NOFOLLOW, self.refuses_links);
        match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&self.path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.error(error.kind(), error)),
        }
    }

    fn error(&self, kind: io::ErrorKind, message: impl std::fmt::Display) -> io::Error {
        io::Error::new(kind, format!("{}: {message}", self.path.display()))
    }

    /// Compares the lines read with the beginning of the file. A file with fewer lines of the same generation stays unread.
    fn compare(&mut self, stamp: FileStamp, is_first: bool) -> io::Result<Option<FollowEvent>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let position = &self.read_state.position;
        let Prefix { lines, bytes, hash, last } = Prefix::read(&open.file, position.seq)?;
        let head = read_line_header(&open.file, last)?;
        let generation = head.as_ref().and_then(|head| head.r#gen.clone());
        let is_other = generation.is_some() && position.generation.is_some() && generation != position.generation;
        let why = if is_other { RestartReason::OtherGeneration } else { RestartReason::OtherLines };
        if lines < position.seq && !is_other {
            open.is_compared = false;
            let previous_fault = self.fault.replace(FileFault::Cut(stamp));
            return Ok((!matches!(previous_fault, Some(FileFault::Cut(_)))).then_some(FollowEvent::Truncated { lines }));
        }
        let known = self.read_state.hash.clone().map(|hash| hash.finalize().into()).or(position.sha256);
        let found: [u8; 32] = hash.clone().finalize().into();
        let is_it = match known {
            Some(known) => known == found,
            None => head.is_some_and(|head| head.seq == position.seq) && generation == position.generation,
        };
        open.is_compared = true;
        let had_trouble = self.fault.take().is_some();
        if is_it && !is_other {
            let was_other = std::mem::replace(&mut self.read_state.bytes, bytes) == 0 && !is_first;
            self.read_state.hash = Some(hash);
            return Ok((had_trouble || was_other).then_some(FollowEvent::Resumed));
        }
        self.read_state = ReadState { position: Progress::default(), hash: Some(Sha256::new()), bytes: 0 };
        Ok(Some(FollowEvent::Restarted { generation, reason: why }))
    }

    fn read_line(&mut self, stamp: FileStamp) -> io::Result<Option<FollowEvent>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let mut searched = 0;
        let end = loop {
            if let Some(at) = self.buffered[searched..].iter().position(|&byte| byte == b'\n') {
                break searched + at + 1;
            }
            searched = self.buffered.len();
            let next = self.read_state.bytes + searched as u64;
            // The next call reads bytes after `stamp.length`.
            let room = usize::try_from(stamp.length.saturating_sub(next)).unwrap_or(CHUNK_SIZE).min(CHUNK_SIZE);
            if room == 0 || searched > MAX_LINE_LEN {
                // Discard an incomplete line: it may change until its LF is written.
                self.buffered = Vec::new();
                let message = || format!("it is longer than {MAX_LINE_LEN} bytes");
                return if searched > MAX_LINE_LEN { Ok(self.damaged(stamp, message())) } else { Ok(None) };
            }
            self.buffered.resize(searched + room, 0);
            let count = open.file.read_at(&mut self.buffered[searched..], next)?;
            self.buffered.truncate(searched + count);
            if count == 0 {
                self.buffered = Vec::new();
                return Ok(None);
            }
        };
        let seq = self.read_state.position.seq + 1;
        let head = serde_json::from_slice::<LineHeader>(&self.buffered[..end]).map_err(|error| error.to_string());
        let head = head.and_then(|head| match head.seq {
            same if same == seq => Ok(head),
            other => Err(format!("its number is {other}")),
        });
        let text = std::str::from_utf8(&self.buffered[..end]).map(str::to_owned).map_err(|error| error.to_string());
        match head.and_then(|head| Ok((head, text?))) {
            Ok((head, text)) => {
                self.fault = None;
                if let Some(hash) = &mut self.read_state.hash {
                    hash.update(&text);
                }
                self.buffered.drain(..end);
                self.read_state.bytes += end as u64;
                let LineHeader { r#gen, station, .. } = head;
                self.read_state.position = Progress { generation: r#gen.clone(), seq, sha256: None };
                Ok(Some(FollowEvent::Line(EventLine { seq, generation: r#gen, station, text })))
            }
            Err(message) => {
                self.buffered.clear();
                let previous_fault = self.fault.take();
                // Another file may have been written over this one.
                if seq > 1 {
                    let news = self.compare(stamp, true)?;
                    if news.is_some() || !self.is_compared() {
                        return Ok(news);
                    }
                }
                self.fault = previous_fault;
                Ok(self.damaged(stamp, message))
            }
        }
    }

    fn damaged(&mut self, stamp: FileStamp, message: String) -> Option<FollowEvent> {
        let seq = self.read_state.position.seq + 1;
        let is_new = !matches!(self.fault, Some(FileFault::Damaged(_)));
        self.fault = Some(FileFault::Damaged(stamp));
        is_new.then_some(FollowEvent::Damaged { seq, problem: message })
    }
}

impl FileStamp {
    fn from_metadata(there: &fs::Metadata) -> FileStamp {
        let changed_at = (there.ctime(), there.ctime_nsec());
        FileStamp { id: (there.dev(), there.ino()), length: there.len(), changed_at }
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// First whole lines of a file.
struct Prefix {
    /// Number of lines, at most the requested number.
    lines: u64,
    /// Length of the lines in bytes.
    bytes: u64,
    hash: Sha256,
    /// Start and end of the last line, in bytes.
    last: (u64, u64),
}

impl Prefix {
    fn read(file: &File, most: u64) -> io::Result<Prefix> {
        let mut prefix = Prefix { lines: 0, bytes: 0, hash: Sha256::new(), last: (0, 0) };
        let (mut piece, mut at) = (vec![0; CHUNK_SIZE], 0_u64);
        // Includes bytes of an incomplete line; `prefix.hash` covers whole lines only.
        let mut hash = Sha256::new();
        while prefix.lines < most {
            let count = file.read_at(&mut piece, at)?;
            if count == 0 {
                break;
            }
            let mut begin = 0;
            while let Some(end) = piece[begin..count].iter().position(|&byte| byte == b'\n').map(|end| begin + end + 1)
            {
                hash.update(&piece[begin..end]);
                begin = end;
                prefix.lines += 1;
                prefix.last = (prefix.bytes, at + end as u64);
                prefix.bytes = at + end as u64;
                if prefix.lines == most {
                    break;
                }
            }
            if prefix.lines == most {
                break;
            }
            if begin > 0 {
                prefix.hash = hash.clone();
            }
            hash.update(&piece[begin..count]);
            at += count as u64;
        }
        if prefix.lines == most {
            prefix.hash = hash;
        }
        Ok(prefix)
    }
}

/// Returns the header of the line between two offsets; `None` if the line is invalid.
fn read_line_header(file: &File, (from, to): (u64, u64)) -> io::Result<Option<LineHeader>> {
    let length = usize::try_from(to - from).unwrap_or(usize::MAX);
    if length > MAX_LINE_LEN {
        return Ok(None);
    }
    let mut line = vec![0; length];
    match file.read_exact_at(&mut line, from) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(|()| serde_json::from_slice(&line).ok()),
    }
}

/// Returns the folder of a file.
fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
