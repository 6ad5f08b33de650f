//! Files of the outlet: files that are replaced as a whole, and `events.ndjson`, which grows.
//!
//! Only names of known files and plain names of archived games become part of a path. Links, also to folders, and special
//! files are not opened.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use percent_encoding::percent_decode_str;
use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

use super::state::{LineMark, natural_order};
use super::{compress, exact};
use crate::hex::hex;

/// Name of the file of events.
pub const EVENTS_FILE: &str = "events.ndjson";
/// Name of the file by which the recorder says that it lives.
pub const SIGN_FILE: &str = "alive.json";
/// Largest size of it that is read, in bytes.
const MAX_SIGN_SIZE: u64 = 256;
/// Files that are replaced as a whole, with their content types.
pub const WHOLE_FILES: [(&str, &str); 4] = [
    ("games.pdn", PDN_CONTENT_TYPE),
    ("started.pdn", PDN_CONTENT_TYPE),
    ("standings.json", "application/json"),
    ("tournament.json", "application/json"),
];
/// Folders with a folder of games for each number: rounds, and the parts of a `games.pdn` with more games than its readers take.
pub const NUMBERED_FOLDERS: [&str; 2] = ["round", "part"];
/// Content type of games: plain text, so that browsers show it.
pub const PDN_CONTENT_TYPE: &str = "text/plain; charset=utf-8";
/// Largest file that is read as a whole, in bytes; also the bound of the search for a line of events.
const MAX_FILE_SIZE: u64 = 32 << 20;
/// Size of the pieces in which a file is sent.
const CHUNK_SIZE: u64 = 64 << 10;
/// Time after a change of a folder during which another one may have the same time.
const SETTLING_TIME: Duration = Duration::from_secs(2);
/// Largest number of cached files.
const MAX_CACHED_FILES: usize = 64;
/// Largest size of all cached files, in bytes; a single larger file is cached alone.
const MAX_CACHED_BYTES: usize = 16 << 20;

/// Content of an answer.
#[derive(Clone, Debug)]
pub struct Representation {
    /// Plain bytes.
    pub bytes: Bytes,
    /// Compressed bytes.
    pub compressed: Bytes,
    /// Entity tag.
    pub etag: String,
}

impl Representation {
    /// Compresses bytes.
    pub fn new(bytes: Vec<u8>, etag: String) -> Representation {
        Representation { compressed: compress(6, &bytes), bytes: exact(bytes), etag }
    }

    /// Compresses bytes. The entity tag changes with them only.
    pub fn hashed(bytes: Vec<u8>) -> Representation {
        let etag = format!("\"{}\"", hex(&Sha256::digest(&bytes)[..12]));
        Representation::new(bytes, etag)
    }

    /// Returns the size in memory, in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.compressed.len()
    }
}

/// Reader of an outlet's folder, with a cache.
pub struct OutletFiles {
    folder: PathBuf,
    cache: Mutex<HashMap<String, (FileStamp, Arc<Representation>)>>,
    /// Entity tags of the files last listed, by name.
    tags: Mutex<HashMap<String, (FileStamp, String)>>,
}

/// File of an outlet beside its events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ListedFile {
    /// Path below the folder of the outlet, with `/`; also the path of its address.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Entity tag, with its quotation marks.
    pub etag: String,
}

/// Device, inode, size and time of the last change of a file.
pub type FileStamp = (u64, u64, u64, i64, i64);

impl OutletFiles {
    /// Creates a reader of a folder.
    pub fn new(folder: PathBuf) -> OutletFiles {
        OutletFiles { folder, cache: Mutex::default(), tags: Mutex::default() }
    }

    /// Reads a file that is replaced as a whole. The caller has checked the name.
    pub fn whole(&self, name: &str) -> io::Result<Arc<Representation>> {
        let mut file = open_in_outlet(&self.folder, name)?;
        let there = file.metadata()?;
        let stamp = stamp_of(&there);
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, same)) = kept.get(name).filter(|(other, _)| *other == stamp) {
            return Ok(same.clone());
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_SIZE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let whole = Arc::new(Representation::hashed(bytes));
        kept.remove(name);
        let kept_bytes: usize = kept.values().map(|(_, file)| file.size()).sum();
        if kept.len() >= MAX_CACHED_FILES || kept_bytes + whole.size() > MAX_CACHED_BYTES {
            kept.clear();
        }
        kept.insert(name.to_owned(), (stamp, whole.clone()));
        Ok(whole)
    }

    /// Returns the stamp of a file, which changes with each write; `None` if the file is missing.
    pub fn stamp(&self, name: &str) -> Option<FileStamp> {
        Some(stamp_of(&open_in_outlet(&self.folder, name).ok()?.metadata().ok()?))
    }

    /// Returns a tag that changes when a file beside the events is written. `halls`: halls of a joined outlet.
    pub fn tag(&self, halls: &[String]) -> String {
        let of_halls = halls.iter().map(|hall| format!("hall/{hall}/games.pdn"));
        let names = WHOLE_FILES.iter().map(|(name, _)| (*name).to_owned()).chain(of_halls);
        let mut hasher = Sha256::new();
        for name in names {
            hasher.update(self.stamp(&name).map_or_else(|| "-".to_owned(), |stamp| format!("{stamp:?}")));
        }
        if let Ok(archive) = std::fs::symlink_metadata(self.folder.join("archive")) {
            hasher.update(format!("{:?}", stamp_of(&archive)));
            // A folder may change twice within a tick of its clock.
            let is_settled = archive.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > SETTLING_TIME));
            hasher.update(if is_settled { String::new() } else { self.archive().join("/") });
        }
        hex(&hasher.finalize()[..4])
    }

    /// Returns the last sign of the recorder, and when it was written; `None` without one.
    pub fn sign(&self) -> Option<(Vec<u8>, SystemTime)> {
        let file = open_in_outlet(&self.folder, SIGN_FILE).ok()?;
        let mut text = Vec::new();
        Read::by_ref(&mut &file).take(MAX_SIGN_SIZE).read_to_end(&mut text).ok()?;
        Some((text, file.metadata().ok()?.modified().ok()?))
    }

    /// Returns the files of archived games, in the order of their names: paths in the outlet.
    fn archive(&self) -> Vec<String> {
        let archive = self.folder.join("archive");
        let is_folder = std::fs::symlink_metadata(&archive).is_ok_and(|there| there.is_dir());
        let entries = is_folder.then(|| std::fs::read_dir(&archive).ok()).flatten().into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut files: Vec<String> =
            names.filter(|name| is_archived(name)).map(|name| format!("archive/{name}")).collect();
        files.sort_unstable();
        files
    }

    /// Opens the file of events and returns its length.
    pub fn events(&self) -> io::Result<(File, u64)> {
        let file = open_in_outlet(&self.folder, EVENTS_FILE)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    /// Opens the file of events and finds a line, reading from a mark before it. The line may be the one after the last. Fails with
    /// `NotFound` if the line is missing or of another generation.
    pub fn events_from(&self, mark: LineMark, line: u64, generation: &str) -> io::Result<(File, LineMark)> {
        let (mut file, _) = self.events()?;
        let LineMark { line: first, begin: mut at, mut hash } = mark;
        file.seek(SeekFrom::Start(at))?;
        let mut reader = BufReader::new(file).take(MAX_FILE_SIZE);
        let mut text = Vec::new();
        for _ in first..line {
            text.clear();
            at += reader.read_until(b'\n', &mut text)? as u64;
            hash.update(&text);
        }
        text.clear();
        reader.read_until(b'\n', &mut text)?;
        let head: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let is_it = head["seq"] == line && head["gen"].as_str().unwrap_or_default() == generation;
        // An incomplete line is the one after the last.
        if !is_it && text.ends_with(b"\n") {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok((reader.into_inner().into_inner(), LineMark { line, begin: at, hash }))
    }

    /// Returns the files beside the events, with their sizes and entity tags, in the order of their names.
    pub fn list(&self) -> Vec<ListedFile> {
        let mut names: Vec<String> = WHOLE_FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        for folder in NUMBERED_FOLDERS {
            let numbers = std::fs::read_dir(self.folder.join(folder)).into_iter().flatten().flatten();
            let numbers = numbers.filter_map(|entry| entry.file_name().into_string().ok());
            for number in numbers.filter(|name| is_folder_number(name)) {
                let games = WHOLE_FILES.iter().filter(|(_, kind)| *kind == PDN_CONTENT_TYPE);
                names.extend(games.map(|(name, _)| format!("{folder}/{number}/{name}")));
            }
        }
        names.extend(self.archive());
        names.sort_by_cached_key(|name| natural_order(name));
        let mut known = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *known);
        let mut listed = Vec::new();
        for name in names {
            let Ok(there) = open_in_outlet(&self.folder, &name).and_then(|file| file.metadata()) else { continue };
            let (stamp, size) = (stamp_of(&there), there.len());
            let same = before.get(&name).filter(|(other, _)| *other == stamp).map(|(_, etag)| etag.clone());
            let Some(etag) = same.or_else(|| self.whole(&name).ok().map(|file| file.etag.clone())) else { continue };
            known.insert(name.clone(), (stamp, etag.clone()));
            listed.push(ListedFile { name, size, etag });
        }
        listed
    }
}

fn stamp_of(there: &std::fs::Metadata) -> FileStamp {
    (there.dev(), there.ino(), there.len(), there.mtime(), there.mtime_nsec())
}

/// Returns the content type of a file beside the events of an outlet by its path there; `None` for any other path.
pub fn content_type(path: &str) -> Option<&'static str> {
    let whole = |file: &str| WHOLE_FILES.into_iter().find(|(known, _)| *known == file).map(|(_, kind)| kind);
    match path.split('/').collect::<Vec<_>>()[..] {
        [file] => whole(file),
        ["archive", file] => is_archived(file).then_some(PDN_CONTENT_TYPE),
        [folder, number, file] if NUMBERED_FOLDERS.contains(&folder) && is_folder_number(number) => {
            whole(file).filter(|kind| *kind == PDN_CONTENT_TYPE)
        }
        _ => None,
    }
}

/// Returns the path and the content type of the file of an outlet that the path of an address names, also below a hall.
pub fn named_file(address: &str, is_hall: impl Fn(&str) -> bool) -> Option<(String, &'static str)> {
    let path = percent_decode_str(address.strip_prefix('/')?).decode_utf8().ok()?.into_owned();
    let kind = match path.split('/').collect::<Vec<_>>()[..] {
        ["hall", hall, "games.pdn" | "started.pdn"] if is_hall(hall) => PDN_CONTENT_TYPE,
        _ => content_type(&path)?,
    };
    Some((path, kind))
}

/// Whether a name is that of the folder of a round or a part: one to four digits.
fn is_folder_number(name: &str) -> bool {
    (1..=4).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name is the plain name of an archived game.
fn is_archived(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.starts_with('.') && name.ends_with(".pdn") && name.bytes().all(is_plain)
}

/// Opens a regular file of an outlet. No part of its name below the outlet's folder may be a link.
pub fn open_in_outlet(folder: &Path, name: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut opened = File::open(folder)?;
    for part in name.split('/') {
        if matches!(part, "" | "." | "..") {
            return Err(io::ErrorKind::NotFound.into());
        }
        opened = File::from(rustix::fs::openat(&opened, part, flags, Mode::empty())?);
    }
    if opened.metadata()?.is_file() { Ok(opened) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Part of a file, read in chunks while it is sent.
pub struct FileBody(tokio::io::Take<tokio::fs::File>);

impl FileBody {
    /// Creates a body of `length` bytes from a position.
    pub fn new(mut file: File, from: u64, length: u64) -> io::Result<FileBody> {
        file.seek(SeekFrom::Start(from))?;
        Ok(FileBody(tokio::fs::File::from_std(file).take(length)))
    }
}

impl HttpBody for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let remaining = self.0.limit();
        if remaining == 0 {
            return Poll::Ready(None);
        }
        let mut bytes = vec![0; remaining.min(CHUNK_SIZE) as usize];
        let mut buffer = ReadBuf::new(&mut bytes);
        let read = std::task::ready!(Pin::new(&mut self.0).poll_read(context, &mut buffer));
        let length = buffer.filled().len();
        bytes.truncate(length);
        Poll::Ready(Some(match read {
            // The file was truncated: end the connection, because the announced length is too large.
            Ok(()) if length == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(()) => Ok(Frame::data(bytes.into())),
            Err(error) => Err(error),
        }))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0.limit())
    }
}
