//! Threads that bring the lines and files of a hall: one that follows the pages of another station, one that follows a folder of this machine.
//!
//! A thread asks the hub where the copy of its hall ends, and sends what follows. It checks each line; the hub only writes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant, SystemTime};

use super::copied_files::{ARCHIVE, CopiedFile, FILES_DOCUMENT, ListedFiles};
use super::copy::{CopyPosition, read_line};
use crate::curl::{self, FileRequest, LineAnswer};
use crate::follow::{FollowEvent, Follower, Progress, RestartReason};
use crate::hex::hex;
use crate::web::event_lines::Beat;
use crate::web::event_lines::{GENERATION_HEADER, PREFIX_HEADER};
use crate::web::event_reader::RecorderSign;
use crate::web::files::{EVENTS_FILE, OutletFiles};
use crate::web::view::OutletDelay;

/// Largest number of bytes in a batch of lines.
const MAX_BATCH_LEN: usize = 256 << 10;
/// Largest size of a hall's events and files, in bytes.
pub(super) const MAX_HALL_SIZE: u64 = 1 << 30;
/// Interval between looks at the files of a hall that does not say that they have changed.
const FILES_INTERVAL: Duration = Duration::from_secs(60);
/// Interval between looks if files have changed, or could not be had. Longer than the interval of the lines that say whether they have changed
/// again: while they change all the time, one look follows each such line, and no other.
const AGAIN_INTERVAL: Duration = Duration::from_secs(6);
/// Longest wait for an event of a folder.
const FOLDER_PATIENCE: Duration = Duration::from_millis(500);
/// Pause after a hall became too large.
const FULL_PAUSE: Duration = Duration::from_secs(600);
/// Largest number of files that are fetched at once.
const MAX_FETCHED: usize = 200;
/// Longest pause between two attempts: a hall that is back is shown within five seconds.
const MAX_PAUSE: Duration = Duration::from_secs(4);
/// Time after which an answer that stayed open was a good one.
const GOOD_ANSWER: Duration = Duration::from_secs(30);

/// Status of an answer to a name that is not among those of the server.
const WRONG_HOST: u16 = 421;

/// Message of a thread to the hub.
#[derive(Debug)]
pub(super) enum News {
    /// The thread asks where the copy ends.
    Position(SyncSender<CopyPosition>),
    /// The hall has this generation. The hub says its own, or why it does not take the lines.
    Generation(String, SyncSender<Result<String, String>>),
    /// The hall has other lines than the copy: the copy begins anew, with these files.
    Begin(RestartReason, Vec<CopiedFile>),
    /// Lines after a number, and the end of the copy with them.
    Lines(u64, Vec<u8>, Box<CopyPosition>),
    /// The hall was heard.
    Alive(Sign),
    /// Names of all files of the hall, and those that are new.
    Files(Vec<String>, Vec<CopiedFile>),
    /// The files of the hall cannot be had, and why.
    NoFiles(String),
    /// The hall cannot be heard, and why.
    Lost(String),
}

/// Sign of life of a hall.
#[derive(Debug)]
pub(super) struct Sign {
    /// Age of the recorder's last sign; `None` if it gives none.
    pub age: Option<Duration>,
    /// Delay of the hall's outlet.
    pub delay: OutletDelay,
    /// Number of the last line that the hall has; 0 if unknown.
    pub seq: u64,
}

/// Message with the place of its hall in the configuration.
pub(super) type HallNews = (usize, News);

/// Sender of a thread.
#[derive(Clone)]
pub(super) struct NewsSender {
    /// Place of the hall.
    pub hall: usize,
    /// Way to the hub.
    pub hub: SyncSender<HallNews>,
    /// Whether the hub stops.
    pub stop: Arc<AtomicBool>,
    /// Whether the hub could not write lines of the hall: the thread begins again at the end of the copy.
    pub is_unwritten: Arc<AtomicBool>,
}

impl NewsSender {
    fn send(&self, news: News) -> io::Result<()> {
        if self.is_unwritten.swap(false, Ordering::Relaxed) {
            return Err(io::Error::other("its lines cannot be written"));
        }
        self.hub.send((self.hall, news)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn ask<T>(&self, question: impl FnOnce(SyncSender<T>) -> News) -> io::Result<T> {
        let (reply, answer): (SyncSender<T>, Receiver<T>) = mpsc::sync_channel(1);
        self.send(question(reply))?;
        answer.recv().map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Says that the hall cannot be heard, and why. Returns `false` if the hub has stopped.
    fn send_lost(&self, reason: String) -> bool {
        self.hub.send((self.hall, News::Lost(reason))).is_ok()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Asks the hub whether it takes lines of a generation, and returns that of the hub.
    fn check_generation(&self, generation: &str) -> io::Result<String> {
        self.ask(|reply| News::Generation(generation.to_owned(), reply))?.map_err(io::Error::other)
    }

    /// Waits, or ends early if the hub stops.
    fn pause(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.is_stopped() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50).min(pause));
        }
    }
}

/// Lines that were read and not sent yet.
struct Batch {
    /// Number of the last line that was sent.
    sent: u64,
    position: CopyPosition,
    lines: Vec<u8>,
    /// Generation of the hub.
    hub: String,
}

impl Batch {
    fn after(position: CopyPosition, hub: String) -> Batch {
        Batch { sent: position.seq, position, lines: Vec::new(), hub }
    }

    /// Adds the next line.
    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        if self.position.bytes + line.len() as u64 > MAX_HALL_SIZE {
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!("it has more than {} MB; the hub takes no more of it", MAX_HALL_SIZE >> 20),
            ));
        }
        let placed = self.position.add(line).map_err(io::Error::other)?;
        if placed.r#type.as_deref() == Some("hall") && placed.generation.as_ref() == Some(&self.hub) {
            return Err(io::Error::other("it is a hub that has this hub as a hall; take one out of the other's [hub]"));
        }
        self.lines.extend_from_slice(line);
        Ok(())
    }

    fn send(&mut self, sender: &NewsSender) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let after = std::mem::replace(&mut self.sent, self.position.seq);
        sender.send(News::Lines(after, std::mem::take(&mut self.lines), Box::new(self.position.clone())))
    }
}

/// Follows the pages of another station until the hub stops.
pub(super) fn follow_url(url: &str, ca: Option<&Path>, sender: &NewsSender) {
    let hall = UrlHall { url, ca, sender };
    let mut pause = Duration::from_secs(1);
    while !sender.is_stopped() {
        let begun = Instant::now();
        let (reason, is_full) = match hall.follow() {
            Ok(reason) => (reason, false),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && sender.is_stopped() => return,
            Err(error) => (error.to_string(), error.kind() == io::ErrorKind::StorageFull),
        };
        if !sender.send_lost(reason) {
            return;
        }
        if is_full {
            sender.pause(FULL_PAUSE);
        }
        pause = if begun.elapsed() > GOOD_ANSWER { Duration::from_secs(1) } else { pause };
        sender.pause(with_jitter(pause));
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Spreads the attempts of several hubs: between half of a pause and the whole.
fn with_jitter(pause: Duration) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    pause / 2 + (pause / 2).mul_f64(f64::from(now % 1000) / 1000.0)
}

/// Result of opening the stream of a hall.
enum Opened {
    /// Its lines follow.
    Stream(LineAnswer, Box<Batch>),
    /// The hall has other lines than the copy, which begins anew.
    BegunAnew,
    /// There is no stream, and why.
    Refused(String),
}

struct UrlHall<'a> {
    url: &'a str,
    ca: Option<&'a Path>,
    sender: &'a NewsSender,
}

impl UrlHall<'_> {
    /// Opens the stream and follows it to its end; returns why it ended. A copy that begins anew gets its lines at once, because pages show
    /// none of the hall meanwhile.
    fn follow(&self) -> io::Result<String> {
        match self.open()? {
            Opened::Stream(answer, batch) => self.read_stream(answer, *batch),
            Opened::Refused(reason) => Ok(reason),
            Opened::BegunAnew => match self.open()? {
                Opened::Stream(answer, batch) => self.read_stream(answer, *batch),
                Opened::Refused(reason) => Ok(reason),
                Opened::BegunAnew => Ok("the hall has begun another generation again".to_owned()),
            },
        }
    }

    /// Opens the stream once, or begins the copy anew.
    fn open(&self) -> io::Result<Opened> {
        self.sender.is_unwritten.store(false, Ordering::Relaxed);
        let position = self.sender.ask(News::Position)?;
        let known = position.generation.as_ref().map(|generation| format!("gen={generation}&")).unwrap_or_default();
        let address = format!("{}/events?{known}from={}&follow", self.url, position.seq + 1);
        let answer = LineAnswer::open(&address, self.ca)?;
        let head = &answer.head;
        if head.status == WRONG_HOST {
            return Ok(Opened::Refused(format!(
                "it does not answer to the name in {}: write its address, or add the name to `hosts` in its [serve]",
                self.url
            )));
        }
        let Some(generation) = head.header(GENERATION_HEADER).map(str::to_owned) else {
            return Ok(Opened::Refused(format!(
                "the answer is not that of damcast serve (status {}); is the address right?",
                head.status
            )));
        };
        // Before the first event there is no generation.
        let hub = if generation.is_empty() { String::new() } else { self.sender.check_generation(&generation)? };
        match head.status {
            200 => {}
            404 => return self.begin_anew(RestartReason::OtherGeneration),
            409 => {
                let reason = "the hall has fewer lines than the copy: an older copy was restored there, or it starts";
                return Ok(Opened::Refused(reason.to_owned()));
            }
            status => return Ok(Opened::Refused(format!("the answer has the status {status}"))),
        }
        if head.header(PREFIX_HEADER) != Some(&hex(&sha2::Digest::finalize(position.hash.clone()))) {
            return self.begin_anew(RestartReason::OtherLines);
        }
        Ok(Opened::Stream(answer, Box::new(Batch::after(position, hub))))
    }

    /// Begins the copy of the hall anew, with its files.
    fn begin_anew(&self, reason: RestartReason) -> io::Result<Opened> {
        let (_, files) = self.files(&mut ListedFiles::default())?;
        self.sender.send(News::Begin(reason, files))?;
        Ok(Opened::BegunAnew)
    }

    /// Reads lines to the end of the stream, and files beside.
    fn read_stream(&self, mut answer: LineAnswer, batch: Batch) -> io::Result<String> {
        let (changed, changes) = mpsc::sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(|| self.watch_files(changes));
            self.read_lines(&mut answer, batch, changed)
        })?;
        Ok(answer.reason())
    }

    fn read_lines(&self, answer: &mut LineAnswer, mut batch: Batch, changed: SyncSender<()>) -> io::Result<()> {
        let (mut line, mut tag) = (Vec::new(), None);
        let outcome = loop {
            if let Err(error) = read_line(&mut answer.lines, &mut line) {
                break Err(error);
            }
            if line.is_empty() || self.sender.is_stopped() {
                break Ok(());
            }
            if line.starts_with(b"{\"alive\":")
                && let Ok(beat) = serde_json::from_slice::<Beat>(&line)
            {
                // The first tag is that of files which are fetched now.
                if tag.replace(beat.files.clone()).is_some_and(|before| before != beat.files) {
                    let _ = changed.try_send(());
                }
                batch.send(self.sender)?;
                let age = beat.alive.map(Duration::from_millis);
                self.sender.send(News::Alive(Sign { age, delay: beat.delay, seq: beat.seq }))?;
                continue;
            }
            if let Err(error) = batch.add(&line) {
                break Err(error);
            }
            // Send what is there, unless more has come already.
            if answer.lines.buffer().is_empty() || batch.lines.len() > MAX_BATCH_LEN {
                batch.send(self.sender)?;
            }
        };
        batch.send(self.sender)?;
        outcome
    }

    /// Fetches the files of the hall while its lines are read: when the hall says that they have changed, and from time to time.
    fn watch_files(&self, changes: Receiver<()>) {
        let mut listed = ListedFiles::default();
        loop {
            let mut pause = FILES_INTERVAL;
            let news = match self.files(&mut listed) {
                Ok((names, new)) => {
                    // A station writes its files one after the other.
                    if !new.is_empty() || listed.etag.is_none() {
                        pause = AGAIN_INTERVAL;
                    }
                    News::Files(names, new)
                }
                Err(error) => {
                    pause = AGAIN_INTERVAL;
                    News::NoFiles(error.to_string())
                }
            };
            if self.sender.send(news).is_err() || changes.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    /// Returns the names of all files, and the files that are new since `listed`.
    fn files(&self, listed: &mut ListedFiles) -> io::Result<(Vec<String>, Vec<CopiedFile>)> {
        // The files that changed the last time are asked for together with the list.
        let likely = std::mem::take(&mut listed.likely);
        let request = |name: &str, known| FileRequest { url: format!("{}/{name}", self.url), known };
        let mut requests = vec![request(FILES_DOCUMENT, listed.etag.clone())];
        requests.extend(likely.iter().map(|name| request(name, listed.tag(name))));
        let mut answers = curl::get_files(&requests, self.ca)?.into_iter();
        let list = answers.next().ok_or_else(|| io::Error::other("curl ended without an answer"))??;
        let mut wanted = Vec::new();
        if let Some((text, etag)) = list {
            wanted = listed.take_list(&text)?;
            listed.etag = Some(etag);
        }
        let mut new = Vec::new();
        likely.iter().zip(answers).for_each(|(name, answer)| new.extend(listed.take_answer(name, answer)));
        wanted.retain(|name| !new.iter().any(|file| file.name == *name));
        // The files of current games come first; the rest is fetched the next time.
        wanted.sort_by_key(|name| name.contains('/'));
        let rest = wanted.split_off(wanted.len().min(MAX_FETCHED));
        if !wanted.is_empty() {
            let requests: Vec<FileRequest> = wanted.iter().map(|name| request(name, None)).collect();
            let answers = curl::get_files(&requests, self.ca).unwrap_or_default();
            wanted.iter().zip(answers).for_each(|(name, answer)| new.extend(listed.take_answer(name, answer)));
        }
        // A file that could not be fetched is listed again.
        let is_missing = |name: &&String| !new.iter().any(|file| file.name == **name);
        wanted.iter().filter(is_missing).chain(&rest).for_each(|name| listed.forget(name));
        let changed = new.iter().map(|file| file.name.clone()).filter(|name| !name.starts_with(ARCHIVE));
        listed.likely = if new.is_empty() { likely } else { changed.collect() };
        Ok((listed.names(), new))
    }
}

/// Follows the folder of an outlet until the hub stops.
pub(super) fn follow_folder(folder: &Path, sender: &NewsSender) {
    while !sender.is_stopped() {
        let reason = match (FolderHall { folder: folder.to_owned(), sender }).follow() {
            Ok(()) => return,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return,
            Err(error) => error.to_string(),
        };
        if !sender.send_lost(reason) {
            return;
        }
        sender.pause(Duration::from_secs(2));
    }
}

struct FolderHall<'a> {
    folder: PathBuf,
    sender: &'a NewsSender,
}

impl FolderHall<'_> {
    fn follow(&self) -> io::Result<()> {
        self.sender.is_unwritten.store(false, Ordering::Relaxed);
        let position = self.sender.ask(News::Position)?;
        let progress = Progress {
            generation: position.generation.clone(),
            seq: position.seq,
            sha256: Some(sha2::Digest::finalize(position.hash.clone()).into()),
        };
        let mut follower = Follower::new(self.folder.join(EVENTS_FILE), progress).refusing_links();
        let files = OutletFiles::new(self.folder.clone());
        let mut sign = RecorderSign::default();
        let mut listed = ListedFiles::default();
        let mut batch = Batch::after(position, String::new());
        let mut checked = None;
        let (mut looked, mut beat): (Option<Instant>, Option<Instant>) = (None, None);
        // Reason why no line can be read; while there is one, the hub gets no sign of life of the folder.
        let mut fault: Option<String> = None;
        while !self.sender.is_stopped() {
            let mut next = follower.next(FOLDER_PATIENCE)?;
            while let Some(news) = next.take() {
                match news {
                    FollowEvent::Line(line) => {
                        fault = None;
                        if line.generation != checked {
                            batch.hub = self.sender.check_generation(line.generation.as_deref().unwrap_or_default())?;
                            checked = line.generation;
                        }
                        batch.add(line.text.as_bytes())?;
                    }
                    FollowEvent::Restarted { reason, .. } => {
                        fault = None;
                        batch.send(self.sender)?;
                        self.sender
                            .send(News::Begin(reason, self.new_files(&files, &mut ListedFiles::default())?.1))?;
                        batch = Batch::after(CopyPosition::default(), batch.hub);
                    }
                    FollowEvent::FileMissing => {
                        fault = Some("it has no events yet, or no station writes it".to_owned());
                    }
                    FollowEvent::Truncated { lines } => {
                        fault = Some(format!("its file of events has {lines} lines, fewer than the copy"));
                    }
                    FollowEvent::Damaged { seq, problem } => {
                        fault = Some(format!("line {seq} of its events is damaged: {problem}"));
                    }
                    FollowEvent::Resumed => fault = None,
                }
                if batch.lines.len() < MAX_BATCH_LEN {
                    next = follower.poll()?;
                }
            }
            batch.send(self.sender)?;
            if looked.is_none_or(|looked| looked.elapsed() >= Duration::from_secs(1)) {
                looked = Some(Instant::now());
                self.sender.send(match self.new_files(&files, &mut listed) {
                    Ok((names, new)) => News::Files(names, new),
                    Err(error) => News::NoFiles(error.to_string()),
                })?;
            }
            if (fault.is_some() || self.folder.is_dir())
                && beat.is_none_or(|beat| beat.elapsed() >= Duration::from_secs(5))
            {
                beat = Some(Instant::now());
                let news = News::Alive(Sign { age: sign.age(&files), delay: sign.delay, seq: 0 });
                self.sender.send(fault.clone().map_or(news, News::Lost))?;
            }
        }
        Ok(())
    }

    fn new_files(&self, files: &OutletFiles, listed: &mut ListedFiles) -> io::Result<(Vec<String>, Vec<CopiedFile>)> {
        let wanted = listed.take(files.list().into_iter().map(|file| (file.name, file.etag)).collect())?;
        let mut new = Vec::new();
        for name in wanted {
            match files.whole(&name) {
                Ok(file) => new.push(CopiedFile { name, bytes: file.bytes.to_vec() }),
                Err(_) => listed.forget(&name),
            }
        }
        Ok((listed.names(), new))
    }
}
