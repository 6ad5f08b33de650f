//! Follows the events of an outlet: `events.ndjson`, line by line, over restarts and whatever becomes of the file.
//!
//! It is for programs beside the station: pages, couriers. It knows nothing of a station but the file: lines of JSON, of which each has
//! `seq`, counted from 1, and since there are generations `gen` and `station` (`docs/events.md`). What a program has, it keeps as a
//! [`Progress`]; with that a follower goes on later, and a line comes neither twice nor never:
//!
//! ```no_run
//! use std::time::Duration;
//! use damcast::outward::follow::{Follower, FollowEvent, Progress};
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
//! | what becomes of the file | what is said |
//! |---|---|
//! | it grows | [`FollowEvent::Line`], for whole lines only |
//! | it is taken away | [`FollowEvent::FileMissing`], once |
//! | it has fewer lines than were read | [`FollowEvent::Truncated`], once; the station may be about to write it again |
//! | it is there again, or another file is in its place, and says all that was read | [`FollowEvent::Resumed`] |
//! | it says something else than was read: another generation, or a copy that was numbered again | [`FollowEvent::Restarted`], then all its lines |
//! | its next line is no event | [`FollowEvent::Damaged`], once; it is read again when the file changes |
//!
//! What was read and what stands there are compared by the SHA-256 of all lines: when a follower begins, and when the file is another
//! one or shorter, or its next line is not the next ([`Follower::recheck`] for more often).
//!
//! Invariants: memory is bounded by one line ([`MAX_LINE_LEN`]); nobody waits in a loop that is busy; nothing is written. Growth is
//! heard of from the system (inotify), and looked for once in a while all the same.

mod file_watch;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use file_watch::FileWatch;

/// No line of a file of events is longer, in bytes.
pub const MAX_LINE_LEN: usize = 1 << 20;
/// So much is read at once.
const CHUNK_SIZE: usize = 64 << 10;

/// How far a follower has come: the first `seq` lines, of which the last has this generation.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// The generation that the last line names; `None` where it names none.
    pub generation: Option<String>,
    /// How many lines were read: the `seq` of the last. 0: none.
    pub seq: u64,
    /// The SHA-256 of these lines, each with its LF; `None`: it is not known, and only the last line is compared.
    pub sha256: Option<[u8; 32]>,
}

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventLine {
    /// Its number in the file, from 1.
    pub seq: u64,
    /// The generation that it names.
    pub generation: Option<String>,
    /// The station that it names.
    pub station: Option<String>,
    /// All of it, with its LF: one JSON object.
    pub text: String,
}

/// Why a file is read from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestartReason {
    /// It names another generation.
    OtherGeneration,
    /// It says something else under the same numbers, perhaps because an older copy was put back and went on.
    OtherLines,
}

/// What a follower has to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FollowEvent {
    /// The next event.
    Line(EventLine),
    /// There is no file, or none any more.
    FileMissing,
    /// It has only so many lines now, fewer than were read.
    Truncated {
        /// Whole lines.
        lines: u64,
    },
    /// After [`FollowEvent::FileMissing`] or [`FollowEvent::Truncated`], or in place of the file that was read: a file that says all of it. Reading goes on.
    Resumed,
    /// What was read is not what stands there: it is to be forgotten, and all lines come, from the first.
    Restarted {
        /// The generation that the last of the compared lines names now.
        generation: Option<String>,
        /// Why.
        reason: RestartReason,
    },
    /// The next line is no event.
    Damaged {
        /// The number that it should have.
        seq: u64,
        /// What is wrong with it.
        problem: String,
    },
}

/// Follows a file of events.
pub struct Follower {
    path: PathBuf,
    read_state: ReadState,
    open: Option<OpenFile>,
    /// What was read of the file behind what was had.
    buffered: Vec<u8>,
    /// What was said last of a file that is not as it should be.
    fault: Option<FileFault>,
    file_watch: FileWatch,
}

/// What was read.
struct ReadState {
    position: Progress,
    /// Of the lines; `None` until they were seen in the file.
    hash: Option<Sha256>,
    /// How many bytes they are, in the file that is open.
    bytes: u64,
}

struct OpenFile {
    file: File,
    id: (u64, u64),
    /// Was what it says compared with what was read?
    is_compared: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum FileFault {
    Gone,
    Cut(FileStamp),
    Damaged(FileStamp),
}

/// The state of a file: another as soon as anything was done to it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    id: (u64, u64),
    length: u64,
    changed_at: (i64, i64),
}

/// What a line says of itself.
#[derive(Deserialize)]
struct LineHeader {
    seq: u64,
    r#gen: Option<String>,
    station: Option<String>,
}

impl Follower {
    /// Follows a file, which need not be there yet, from behind what was read before; [`Progress::default`] for all of it. A link
    /// is followed, too.
    pub fn new(path: impl Into<PathBuf>, from: Progress) -> Follower {
        let path = path.into();
        let hash = (from.seq == 0).then(Sha256::new);
        Follower {
            file_watch: FileWatch::new(&path),
            path,
            read_state: ReadState { position: from, hash, bytes: 0 },
            open: None,
            buffered: Vec::new(),
            fault: None,
        }
    }

    /// The same without the help of the system: the file is looked at every so often.
    #[must_use]
    pub fn polling(mut self, every: Duration) -> Follower {
        self.file_watch = FileWatch::polling(every);
        self
    }

    /// How far it has come. Who has made durable what was handed out keeps this beside it.
    pub fn position(&self) -> Progress {
        let mut position = self.read_state.position.clone();
        if let Some(hash) = &self.read_state.hash {
            position.sha256 = Some(hash.clone().finalize().into());
        }
        position
    }

    /// What was read is compared with the whole file again before the next line: also what changed without becoming shorter is found.
    pub fn recheck(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_compared = self.read_state.position.seq == 0;
        }
    }

    /// The next news, for which it waits so long; `None`: there is none.
    ///
    /// # Errors
    ///
    /// When the file may not be read, is no regular file, or the disk fails. It can be asked again.
    pub fn next(&mut self, patience: Duration) -> io::Result<Option<FollowEvent>> {
        let end = Instant::now() + patience;
        loop {
            if let Some(news) = self.poll()? {
                return Ok(Some(news));
            }
            // What happens after this wakes the waiting; what happened before is seen now.
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

    /// The next news, if there is any now.
    ///
    /// # Errors
    ///
    /// As [`Follower::next`].
    pub fn poll(&mut self) -> io::Result<Option<FollowEvent>> {
        let Some(stamp) = self.stat()? else {
            self.open = None;
            self.buffered.clear();
            let is_new = self.fault.replace(FileFault::Gone) != Some(FileFault::Gone);
            return Ok(is_new.then_some(FollowEvent::FileMissing));
        };
        if [Some(FileFault::Cut(stamp)), Some(FileFault::Damaged(stamp))].contains(&self.fault) {
            // Nothing was done to it since.
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

    /// Is what was read known to stand in the file?
    fn is_compared(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.is_compared)
    }

    /// The state of the file now; `None`: there is none.
    fn stat(&self) -> io::Result<Option<FileStamp>> {
        match fs::metadata(&self.path) {
            Ok(there) if there.is_file() => Ok(Some(FileStamp::from_metadata(&there))),
            Ok(_) => Err(self.error(io::ErrorKind::InvalidInput, "it is no regular file")),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.error(error.kind(), error)),
        }
    }

    /// `None`: somebody took it away in this moment.
    fn open_file(&self) -> io::Result<Option<File>> {
        // A pipe in its place is not waited for.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&self.path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.error(error.kind(), error)),
        }
    }

    fn error(&self, kind: io::ErrorKind, message: impl std::fmt::Display) -> io::Error {
        io::Error::new(kind, format!("{}: {message}", self.path.display()))
    }

    /// Compares what was read with what the file says, from its beginning. Of a file that has less than that nothing is read.
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
            // What is behind its end in this moment comes when it is asked again.
            let room = usize::try_from(stamp.length.saturating_sub(next)).unwrap_or(CHUNK_SIZE).min(CHUNK_SIZE);
            if room == 0 || searched > MAX_LINE_LEN {
                // A line that is not whole yet is read again, for it may change until it is.
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
                // Somebody may have written another file over it.
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

/// The beginning of a file.
struct Prefix {
    /// How many whole lines it has, at most as many as were asked for.
    lines: u64,
    /// How many bytes they are.
    bytes: u64,
    hash: Sha256,
    /// From where to where the last of them stands.
    last: (u64, u64),
}

impl Prefix {
    fn read(file: &File, most: u64) -> io::Result<Prefix> {
        let mut prefix = Prefix { lines: 0, bytes: 0, hash: Sha256::new(), last: (0, 0) };
        let (mut piece, mut at) = (vec![0; CHUNK_SIZE], 0_u64);
        // The hash of what follows the last whole line counts only when that line is whole.
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

/// What the line between two places says of itself; `None`: it is no event.
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

/// The folder that a file is in.
fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
