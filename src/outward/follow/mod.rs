//! Follows the events of an outlet: `events.ndjson`, line by line, over restarts and whatever becomes of the file.
//!
//! It is for programs beside the station: pages, couriers. It knows nothing of a station but the file: lines of JSON, of which each has
//! `seq`, counted from 1, and since there are generations `gen` and `station` (`docs/events.md`). What a program has, it keeps as a
//! [`Progress`]; with that a follower goes on later, and a line comes neither twice nor never:
//!
//! ```no_run
//! use std::time::Duration;
//! use damcast::outward::follow::{Follower, News, Progress};
//!
//! let mut follower = Follower::new("recordings/public/events.ndjson", Progress::default());
//! loop {
//!     match follower.next(Duration::from_secs(60))? {
//!         Some(News::Line(line)) => print!("{}", line.text),
//!         Some(News::Anew { .. }) => println!("forget what came so far"),
//!         Some(other) => eprintln!("{other:?}"),
//!         None => eprintln!("nothing for a minute"),
//!     }
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | what becomes of the file | what is said |
//! |---|---|
//! | it grows | [`News::Line`], for whole lines only |
//! | it is taken away | [`News::Gone`], once |
//! | it has fewer lines than were read | [`News::Cut`], once; the station may be about to write it again |
//! | it is there again, or another file is in its place, and says all that was read | [`News::Same`] |
//! | it says something else than was read: another generation, or a copy that was numbered again | [`News::Anew`], then all its lines |
//! | its next line is no event | [`News::Damaged`], once; it is read again when the file changes |
//!
//! What was read and what stands there are compared by the SHA-256 of all lines: when a follower begins, and when the file is another
//! one or shorter, or its next line is not the next ([`Follower::check`] for more often).
//!
//! Invariants: memory is bounded by one line ([`LONGEST_LINE`]); nobody waits in a loop that is busy; nothing is written. Growth is
//! heard of from the system (inotify), and looked for once in a while all the same.

mod waiting;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use waiting::GrowthWatch;

/// No line of a file of events is longer, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;
/// So much is read at once.
const PIECE: usize = 64 << 10;

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
pub enum News {
    /// The next event.
    Line(EventLine),
    /// There is no file, or none any more.
    Gone,
    /// It has only so many lines now, fewer than were read.
    Cut {
        /// Whole lines.
        lines: u64,
    },
    /// After [`News::Gone`] or [`News::Cut`], or in place of the file that was read: a file that says all of it. Reading goes on.
    Same,
    /// What was read is not what stands there: it is to be forgotten, and all lines come, from the first.
    Anew {
        /// The generation that the last of the compared lines names now.
        generation: Option<String>,
        /// Why.
        why: RestartReason,
    },
    /// The next line is no event.
    Damaged {
        /// The number that it should have.
        seq: u64,
        /// What is wrong with it.
        what: String,
    },
}

/// Follows a file of events.
pub struct Follower {
    path: PathBuf,
    had: Had,
    open: Option<Opened>,
    /// What was read of the file behind what was had.
    ahead: Vec<u8>,
    /// What was said last of a file that is not as it should be.
    trouble: Option<Trouble>,
    waiting: GrowthWatch,
}

/// What was read.
struct Had {
    position: Progress,
    /// Of the lines; `None` until they were seen in the file.
    hash: Option<Sha256>,
    /// How many bytes they are, in the file that is open.
    bytes: u64,
}

struct Opened {
    file: File,
    id: (u64, u64),
    /// Was what it says compared with what was read?
    is_compared: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum Trouble {
    Gone,
    Cut(Stamp),
    Damaged(Stamp),
}

/// The state of a file: another as soon as anything was done to it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    id: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

/// What a line says of itself.
#[derive(Deserialize)]
struct Head {
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
            waiting: GrowthWatch::new(&path),
            path,
            had: Had { position: from, hash, bytes: 0 },
            open: None,
            ahead: Vec::new(),
            trouble: None,
        }
    }

    /// The same without the help of the system: the file is looked at every so often.
    #[must_use]
    pub fn polling(mut self, every: Duration) -> Follower {
        self.waiting = GrowthWatch::polling(every);
        self
    }

    /// How far it has come. Who has made durable what was handed out keeps this beside it.
    pub fn position(&self) -> Progress {
        let mut position = self.had.position.clone();
        if let Some(hash) = &self.had.hash {
            position.sha256 = Some(hash.clone().finalize().into());
        }
        position
    }

    /// What was read is compared with the whole file again before the next line: also what changed without becoming shorter is found.
    pub fn check(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_compared = self.had.position.seq == 0;
        }
    }

    /// The next news, for which it waits so long; `None`: there is none.
    ///
    /// # Errors
    ///
    /// When the file may not be read, is no regular file, or the disk fails. It can be asked again.
    pub fn next(&mut self, patience: Duration) -> io::Result<Option<News>> {
        let end = Instant::now() + patience;
        loop {
            if let Some(news) = self.poll()? {
                return Ok(Some(news));
            }
            // What happens after this wakes the waiting; what happened before is seen now.
            self.waiting.begin(&self.path);
            if let Some(news) = self.poll()? {
                return Ok(Some(news));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.waiting.wait(left)?;
        }
    }

    /// The next news, if there is any now.
    ///
    /// # Errors
    ///
    /// As [`Follower::next`].
    pub fn poll(&mut self) -> io::Result<Option<News>> {
        let Some(stamp) = self.look()? else {
            self.open = None;
            self.ahead.clear();
            let is_new = self.trouble.replace(Trouble::Gone) != Some(Trouble::Gone);
            return Ok(is_new.then_some(News::Gone));
        };
        if [Some(Trouble::Cut(stamp)), Some(Trouble::Damaged(stamp))].contains(&self.trouble) {
            // Nothing was done to it since.
            return Ok(None);
        }
        let is_first = self.open.is_none() && self.trouble.is_none();
        if self.open.as_ref().is_none_or(|open| open.id != stamp.id) {
            let Some(file) = self.open_file()? else { return Ok(None) };
            self.open = Some(Opened { file, id: stamp.id, is_compared: self.had.position.seq == 0 });
            self.ahead.clear();
            self.had.bytes = 0;
        }
        let Some(open) = &mut self.open else { return Ok(None) };
        if stamp.length < self.had.bytes {
            open.is_compared = false;
        }
        if !open.is_compared {
            self.ahead.clear();
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
    fn look(&self) -> io::Result<Option<Stamp>> {
        match fs::metadata(&self.path) {
            Ok(there) if there.is_file() => Ok(Some(Stamp::of(&there))),
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

    fn error(&self, kind: io::ErrorKind, what: impl std::fmt::Display) -> io::Error {
        io::Error::new(kind, format!("{}: {what}", self.path.display()))
    }

    /// Compares what was read with what the file says, from its beginning. Of a file that has less than that nothing is read.
    fn compare(&mut self, stamp: Stamp, is_first: bool) -> io::Result<Option<News>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let position = &self.had.position;
        let Prefix { lines, bytes, hash, last } = Prefix::read(&open.file, position.seq)?;
        let head = read_head(&open.file, last)?;
        let generation = head.as_ref().and_then(|head| head.r#gen.clone());
        let is_other = generation.is_some() && position.generation.is_some() && generation != position.generation;
        let why = if is_other { RestartReason::OtherGeneration } else { RestartReason::OtherLines };
        if lines < position.seq && !is_other {
            open.is_compared = false;
            let told = self.trouble.replace(Trouble::Cut(stamp));
            return Ok((!matches!(told, Some(Trouble::Cut(_)))).then_some(News::Cut { lines }));
        }
        let known = self.had.hash.clone().map(|hash| hash.finalize().into()).or(position.sha256);
        let found: [u8; 32] = hash.clone().finalize().into();
        let is_it = match known {
            Some(known) => known == found,
            None => head.is_some_and(|head| head.seq == position.seq) && generation == position.generation,
        };
        open.is_compared = true;
        let had_trouble = self.trouble.take().is_some();
        if is_it && !is_other {
            let was_other = std::mem::replace(&mut self.had.bytes, bytes) == 0 && !is_first;
            self.had.hash = Some(hash);
            return Ok((had_trouble || was_other).then_some(News::Same));
        }
        self.had = Had { position: Progress::default(), hash: Some(Sha256::new()), bytes: 0 };
        Ok(Some(News::Anew { generation, why }))
    }

    fn read_line(&mut self, stamp: Stamp) -> io::Result<Option<News>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let mut searched = 0;
        let end = loop {
            if let Some(at) = self.ahead[searched..].iter().position(|&byte| byte == b'\n') {
                break searched + at + 1;
            }
            searched = self.ahead.len();
            let next = self.had.bytes + searched as u64;
            // What is behind its end in this moment comes when it is asked again.
            let room = usize::try_from(stamp.length.saturating_sub(next)).unwrap_or(PIECE).min(PIECE);
            if room == 0 || searched > LONGEST_LINE {
                // A line that is not whole yet is read again, for it may change until it is.
                self.ahead = Vec::new();
                let what = || format!("it is longer than {LONGEST_LINE} bytes");
                return if searched > LONGEST_LINE { Ok(self.damaged(stamp, what())) } else { Ok(None) };
            }
            self.ahead.resize(searched + room, 0);
            let count = open.file.read_at(&mut self.ahead[searched..], next)?;
            self.ahead.truncate(searched + count);
            if count == 0 {
                self.ahead = Vec::new();
                return Ok(None);
            }
        };
        let seq = self.had.position.seq + 1;
        let head = serde_json::from_slice::<Head>(&self.ahead[..end]).map_err(|error| error.to_string());
        let head = head.and_then(|head| match head.seq {
            same if same == seq => Ok(head),
            other => Err(format!("its number is {other}")),
        });
        let text = std::str::from_utf8(&self.ahead[..end]).map(str::to_owned).map_err(|error| error.to_string());
        match head.and_then(|head| Ok((head, text?))) {
            Ok((head, text)) => {
                self.trouble = None;
                if let Some(hash) = &mut self.had.hash {
                    hash.update(&text);
                }
                self.ahead.drain(..end);
                self.had.bytes += end as u64;
                let Head { r#gen, station, .. } = head;
                self.had.position = Progress { generation: r#gen.clone(), seq, sha256: None };
                Ok(Some(News::Line(EventLine { seq, generation: r#gen, station, text })))
            }
            Err(what) => {
                self.ahead.clear();
                let told = self.trouble.take();
                // Somebody may have written another file over it.
                if seq > 1 {
                    let news = self.compare(stamp, true)?;
                    if news.is_some() || !self.is_compared() {
                        return Ok(news);
                    }
                }
                self.trouble = told;
                Ok(self.damaged(stamp, what))
            }
        }
    }

    fn damaged(&mut self, stamp: Stamp, what: String) -> Option<News> {
        let seq = self.had.position.seq + 1;
        let is_new = !matches!(self.trouble, Some(Trouble::Damaged(_)));
        self.trouble = Some(Trouble::Damaged(stamp));
        is_new.then_some(News::Damaged { seq, what })
    }
}

impl Stamp {
    fn of(there: &fs::Metadata) -> Stamp {
        let changed = (there.ctime(), there.ctime_nsec());
        Stamp { id: (there.dev(), there.ino()), length: there.len(), changed }
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
        let (mut piece, mut at) = (vec![0; PIECE], 0_u64);
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
fn read_head(file: &File, (from, to): (u64, u64)) -> io::Result<Option<Head>> {
    let length = usize::try_from(to - from).unwrap_or(usize::MAX);
    if length > LONGEST_LINE {
        return Ok(None);
    }
    let mut line = vec![0; length];
    match file.read_exact_at(&mut line, from) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(|()| serde_json::from_slice(&line).ok()),
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
