//! Writer thread: makes logs durable and writes live files for all lines of a station.
//!
//! ```text
//!   loop:  receive everything that lines have sent
//!          ends of their logs ─▸ commits: one durable write        fails: each log is synced by itself
//!          publications ─▸ live files                             fails: data waits and is retried
//!          after a moment without messages: reports to the lines, check of their files
//!   live updates go to no file and are batched for a moment: no line of a file waits for their sync
//!   an announcement wakes the thread, so that it is running when the publication arrives
//!   every few seconds:    the loop with the ends of all logs; a log that cannot be written is retried alone;
//!                         logs and commits that were moved or removed are rescued
//!   commits half full:    the logs themselves are synced, one at a time, when idle
//!   commits nearly full:  all logs that have grown since are synced, and the commits restart
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use damcast_engine::session::{Effect, Output};
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::WriterReport;
use super::committer::Committer;
use super::message::{RecordingId, ReportFn, WriterMessage};
use crate::disk::{self, Disk, Durability, parent_folder};
use crate::file_problems::{DISPLAY_TIME, ProblemReport, ProblemReporter};
use crate::journal::commits::{self, Commits, CommitsContent, Fragment};
use crate::journal::witness::Witnesses;
use crate::journal::{Journal, UnwrittenTail, rescue};
use crate::live_files::LineFiles;
use crate::locks::lock;

/// Name of the commits file, beside the folders of logs and live files.
pub const COMMITS_FILE: &str = "commits";
/// Longest time between two heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// Interval at which unpublished data becomes durable.
const IDLE_SYNC_INTERVAL: Duration = Duration::from_secs(3);
/// Interval of retries after a disk failure.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Longest delay until live updates become durable, unless a line of a file is synced earlier.
const UPDATE_BATCH_DELAY: Duration = Duration::from_millis(50);
/// Pause after writing, so that waiting readers get the processor.
const READER_GRACE: Duration = Duration::from_millis(1);
/// Longest delay of a report to a line, whatever else there is to do.
const MAX_REPORT_DELAY: Duration = Duration::from_millis(20);
/// Time to spin after an announcement: waking this thread takes as long as the rest of a publication.
const SPIN_TIME: Duration = Duration::from_micros(250);
/// Longest time that unwritable live files delay the end of a recording; its log has everything.
const MAX_FILE_WAIT: Duration = Duration::from_secs(3);

/// State of the writer thread.
pub struct Writer {
    inbox: mpsc::Receiver<WriterMessage>,
    /// Whether an announcement is unread.
    announced: Arc<AtomicBool>,
    disk: Arc<dyn Disk>,
    /// Path of the commits.
    path: PathBuf,
    /// Folder of the logs.
    logs: PathBuf,
    /// Reports problems with the commits and with unwritable files.
    reporter: ProblemReporter,
    commits: Commits,
    /// Reason why removed or changed commits are not created again yet; until then a loss of power loses commits.
    commits_problem: Option<String>,
    recordings: BTreeMap<RecordingId, Recording>,
    /// Recordings with work to do.
    busy: BTreeSet<RecordingId>,
    /// Due time of the work.
    due: Option<Instant>,
    /// Recordings with unreported results.
    unreported: BTreeSet<RecordingId>,
    /// Time of the oldest unreported result.
    unreported_since: Instant,
    /// Time of the last work.
    last_done: Instant,
    /// Recordings with work that the disk refused.
    failed: BTreeSet<RecordingId>,
    /// Recordings whose logs will be synced one by one.
    unsynced: Vec<RecordingId>,
    /// Whether a sync of all logs was started since the commits restarted.
    is_syncing_all: bool,
    /// Reason why the commits cannot be written.
    fault: Option<String>,
}

struct Recording {
    journal: Arc<Journal>,
    files: Arc<Mutex<LineFiles>>,
    report: ReportFn,
    /// Publications that wait until the log is durable up to `upto`.
    pending: Vec<(Output, Durability)>,
    upto: u64,
    /// Notices that wait until the log is durable up to a position.
    awaited: Vec<(u64, oneshot::Sender<()>)>,
    /// Notices that are sent once the publications before them are reported.
    notices: Vec<oneshot::Sender<()>>,
    /// Publications in the live files that are not yet reported to the line, with the time of writing.
    published: Vec<(Vec<Output>, Instant)>,
    reported_fault: Option<String>,
    /// Notice about a rescue of the log and its time; it is shown for a while.
    rescue_notice: Option<(String, Instant)>,
    /// Reason why the log, which has lost its file, is not rescued yet.
    log_problem: Option<String>,
    /// Senders that are dropped when the recording has ended, for those who wait for it.
    finish: Vec<mpsc::Sender<()>>,
    /// Time of the request to end.
    finish_since: Option<Instant>,
}

impl Writer {
    /// Restores log bytes lost in a crash, and creates the writer. `directory` holds the commits, a file of `size` bytes, `logs` the logs;
    /// `reporter` collects problems with both. Also returns notices for the operator.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk is unusable.
    pub fn open(
        disk: &Arc<dyn Disk>,
        directory: &Path,
        logs: &Path,
        size: u64,
        reporter: ProblemReporter,
    ) -> io::Result<(Committer, Writer, Vec<String>)> {
        let mut notices = rescue::finish_rescue(&**disk, logs)?;
        let path = directory.join(COMMITS_FILE);
        let (mut commits, fragments) = match Commits::open(&**disk, &path, size) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData || disk::is_not_regular_file(&error) => {
                let kept = disk::move_aside(&**disk, &path)?;
                notices.push(format!("{error}; it is kept as {kept}"));
                Commits::open(&**disk, &path, size)?
            }
            // The commits of another user in our folder: their content is restored nevertheless.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let content = commits::contents(&**disk, &path);
                let unread =
                    content.as_ref().err().map(|error| format!(", and not read ({error})")).unwrap_or_default();
                let kept = disk::move_aside(&**disk, &path)?;
                notices
                    .push(format!("{}: it cannot be written ({error}){unread}; it is kept as {kept}", path.display()));
                let CommitsContent { fragments, witnesses } = content.unwrap_or_default();
                (Commits::open_with(&**disk, &path, size, Some(Witnesses::new(witnesses)))?.0, fragments)
            }
            other => other?,
        };
        notices.extend(commits::restore(&**disk, logs, &fragments)?);
        if !commits.is_empty() {
            commits.restart()?;
        }
        let (sender, inbox) = mpsc::channel();
        let announced = Arc::new(AtomicBool::new(false));
        let witnesses = commits.witnesses().clone();
        let writer = Writer {
            inbox,
            announced: Arc::clone(&announced),
            disk: Arc::clone(disk),
            path,
            logs: logs.to_owned(),
            reporter,
            commits,
            commits_problem: None,
            recordings: BTreeMap::new(),
            busy: BTreeSet::new(),
            due: None,
            unreported: BTreeSet::new(),
            unreported_since: Instant::now(),
            last_done: Instant::now(),
            failed: BTreeSet::new(),
            unsynced: Vec::new(),
            is_syncing_all: false,
            fault: None,
        };
        Ok((Committer::new(sender, announced, witnesses), writer, notices))
    }

    /// Runs until the last line is gone. Calls `beat` at least every second while the disk answers. Returns the log ends that the disk did
    /// not accept, which are lost.
    pub fn run(mut self, beat: impl Fn()) -> Vec<UnwrittenTail> {
        let (mut swept, mut tried) = (Instant::now(), Instant::now());
        loop {
            let wait = match (self.unsynced.is_empty(), self.failed.is_empty()) {
                _ if !self.unreported.is_empty() => READER_GRACE.saturating_sub(self.last_done.elapsed()),
                (false, _) => Duration::ZERO,
                (true, true) => IDLE_SYNC_INTERVAL.saturating_sub(swept.elapsed()),
                (true, false) => RETRY_INTERVAL.saturating_sub(tried.elapsed()),
            };
            let due = self.due.map_or(HEARTBEAT_INTERVAL, |due| due.saturating_duration_since(Instant::now()));
            beat();
            match self.inbox.recv_timeout(wait.min(due).min(HEARTBEAT_INTERVAL)) {
                Ok(message) => {
                    let is_announced = matches!(message, WriterMessage::Announce);
                    self.on_message(message);
                    if is_announced {
                        self.spin();
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) if self.is_due() => {}
                Err(mpsc::RecvTimeoutError::Timeout) if !self.unreported.is_empty() => {
                    if self.last_done.elapsed() >= READER_GRACE {
                        self.report_next();
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) if self.sync_next() => {}
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if !self.failed.is_empty() && tried.elapsed() >= RETRY_INTERVAL {
                        self.retry_failed();
                        tried = Instant::now();
                    }
                    if swept.elapsed() >= IDLE_SYNC_INTERVAL {
                        self.sync_idle();
                        swept = Instant::now();
                    }
                }
            }
            if self.is_due() {
                self.publish();
            }
            if !self.unreported.is_empty() && self.unreported_since.elapsed() > MAX_REPORT_DELAY {
                while self.report_next() {}
            }
        }
        self.run_once();
        self.sync_all();
        self.make_durable(&[]);
        self.recordings.values().filter_map(|recording| recording.journal.unwritten()).collect()
    }

    /// Waits for the announced publication without sleeping.
    fn spin(&mut self) {
        let end = Instant::now() + SPIN_TIME;
        while !self.is_due() && Instant::now() < end {
            match self.inbox.try_recv() {
                Ok(message) => self.on_message(message),
                Err(mpsc::TryRecvError::Empty) => std::thread::yield_now(),
                Err(mpsc::TryRecvError::Disconnected) => return,
            }
        }
    }

    fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// Does the work of all received messages and reports it.
    pub fn run_once(&mut self) {
        self.publish();
        while self.report_next() {}
    }

    /// Does the work of all received messages: readers see every line before any report is sent.
    fn publish(&mut self) {
        while let Ok(message) = self.inbox.try_recv() {
            self.on_message(message);
        }
        self.due = None;
        let is_waiting = |recording: &Recording| recording.is_awaited() && !recording.is_durable();
        let waiting: Vec<RecordingId> = self.busy.iter().copied().filter(|id| self.is(*id, is_waiting)).collect();
        self.make_durable(&waiting);
        for (_, recording) in self.recordings.iter_mut().filter(|(id, _)| self.busy.contains(id)) {
            recording.publish();
        }
        self.last_done = Instant::now();
        if self.unreported.is_empty() {
            self.unreported_since = self.last_done;
        }
        self.unreported.append(&mut self.busy);
    }

    /// Reports its results to the next line and checks its files. Returns whether there was one.
    fn report_next(&mut self) -> bool {
        let Some(id) = self.unreported.pop_first() else { return false };
        let Some(recording) = self.recordings.get_mut(&id) else { return true };
        if !recording.finish.is_empty() {
            // Last check, because the file is closed soon.
            recording.verify_log(&*self.disk, &self.path);
        }
        recording.report_published();
        recording.report_fault(self.fault.as_deref());
        if recording.is_finished() {
            self.recordings.remove(&id);
            self.failed.remove(&id);
        } else if recording.has_failed() {
            self.failed.insert(id);
        } else {
            self.failed.remove(&id);
        }
        true
    }

    /// Retries the work that the disk refused.
    pub fn retry_failed(&mut self) {
        self.busy.append(&mut self.failed);
        for recording in self.busy.iter().filter_map(|id| self.recordings.get(id)) {
            let _ = recording.journal.sync();
            lock(&recording.files).flush();
        }
        self.run_once();
    }

    /// Syncs all logs. Returns whether that succeeded.
    pub fn sync_all(&mut self) -> bool {
        let ids: Vec<RecordingId> = self.recordings.keys().copied().collect();
        ids.into_iter().filter(|&id| !self.sync(id)).count() == 0
    }

    /// Syncs the next log in the queue. Returns whether there was one.
    fn sync_next(&mut self) -> bool {
        let Some(id) = self.unsynced.pop() else { return false };
        self.sync(id);
        true
    }

    fn sync(&mut self, id: RecordingId) -> bool {
        let Some(recording) = self.recordings.get_mut(&id) else { return true };
        let settled = recording.journal.sync().is_ok();
        recording.report_fault(self.fault.as_deref());
        if !settled {
            self.failed.insert(id);
        }
        settled
    }

    fn on_message(&mut self, message: WriterMessage) {
        let now = Instant::now();
        if !matches!(message, WriterMessage::Announce) {
            let due = if message.is_deferrable() { now + UPDATE_BATCH_DELAY } else { now };
            self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
        }
        match message {
            WriterMessage::Announce => self.announced.store(false, Ordering::Relaxed),
            WriterMessage::Open { id, journal, files: line_files, report: tell } => {
                let recording = Recording {
                    journal,
                    files: line_files,
                    report: tell,
                    pending: Vec::new(),
                    upto: 0,
                    awaited: Vec::new(),
                    notices: Vec::new(),
                    published: Vec::new(),
                    reported_fault: None,
                    rescue_notice: None,
                    log_problem: None,
                    finish: Vec::new(),
                    finish_since: None,
                };
                // The recording may already have work that the disk refused.
                self.busy.insert(id);
                self.recordings.insert(id, recording);
            }
            WriterMessage::Publish { id, publications, upto, durability } => {
                if let Some(recording) = self.recordings.get_mut(&id) {
                    recording.pending.extend(publications.into_iter().map(|publication| (publication, durability)));
                    recording.upto = upto;
                    self.busy.insert(id);
                }
            }
            WriterMessage::Durable { id, upto, done } => {
                if let Some(recording) = self.recordings.get_mut(&id) {
                    recording.awaited.push((upto, done));
                    self.busy.insert(id);
                }
            }
            WriterMessage::Finish { folder_and_line, done } => {
                let is_of_it = |recording: &Recording| is_log_of(recording.journal.path(), &folder_and_line);
                for (id, recording) in self.recordings.iter_mut().filter(|(_, recording)| is_of_it(recording)) {
                    recording.finish.push(done.clone());
                    recording.finish_since.get_or_insert(now);
                    self.busy.insert(*id);
                }
            }
        }
    }

    /// Makes all received data durable, published or not, and marks all live files for verification.
    pub fn sync_idle(&mut self) {
        self.verify_files();
        self.recordings.values().for_each(|recording| lock(&recording.files).mark_unverified());
        if self.unreported.is_empty() {
            self.unreported_since = Instant::now();
        }
        self.unreported.extend(self.recordings.keys());
        let (troubled, others): (Vec<RecordingId>, Vec<RecordingId>) = self
            .recordings
            .keys()
            .copied()
            .partition(|&id| self.is(id, |recording| recording.journal.fault().is_some()));
        self.make_durable(&others);
        self.unsynced.retain(|id| !troubled.contains(id));
        self.unsynced.extend(troubled);
        if self.commits.is_half_full() && !self.is_syncing_all {
            self.is_syncing_all = true;
            self.unsynced.extend(others);
        }
    }

    /// Checks that logs and commits are where they belong, and restores them if not.
    fn verify_files(&mut self) {
        for recording in self.recordings.values_mut() {
            recording.verify_log(&*self.disk, &self.path);
            recording.report_fault(self.fault.as_deref());
        }
        let mut found = self.unwritable();
        found.extend(self.verify_commits());
        self.reporter.report(found);
    }

    /// Returns the logs and commits that have become read-only. Open files stay usable, but the next ones will fail.
    fn unwritable(&self) -> Vec<ProblemReport> {
        let logs = self.recordings.values().map(|recording| recording.journal.path());
        let paths = [self.logs.as_path(), self.path.as_path()].into_iter().chain(logs);
        let findings = paths.filter_map(|path| {
            let error = disk::if_found(self.disk.may_write(path)).err()?;
            Some(self.finding(path, format!("it may not be written ({error}); `damcast doctor` says what to do")))
        });
        findings.collect()
    }

    fn finding(&self, path: &Path, problem: String) -> ProblemReport {
        let from_here = path.strip_prefix(parent_folder(&self.path)).unwrap_or(path);
        ProblemReport::new(from_here.display().to_string(), problem)
    }

    /// Creates the commits again if they were removed or changed. Returns the problem found.
    fn verify_commits(&mut self) -> Option<ProblemReport> {
        if self.commits_problem.is_none() && self.commits.is_still_at(&self.path) {
            return None;
        }
        // Sync the logs first: none may depend on commits that are gone.
        let begun = match self.sync_all() {
            true => self.create_commits(),
            false => Err(io::Error::other("the logs cannot be synced")),
        };
        let path = self.path.display();
        let message = match begun {
            Ok(message) => {
                let message = format!("{message}; they were created again, and nothing is missing");
                warn!("{path}: {message}");
                self.commits_problem = None;
                message
            }
            Err(error) => {
                let adrift =
                    format!("{path} was removed or changed outside damcast and cannot be created again: {error}");
                if self.commits_problem.is_none() {
                    warn!("{adrift}; trying again");
                }
                self.commits_problem = Some(adrift);
                format!(
                    "they were removed or changed outside damcast and cannot be created again: {error}; trying again"
                )
            }
        };
        Some(self.finding(&self.path, message))
    }

    /// Creates the commits file. Every log must be synced.
    fn create_commits(&mut self) -> io::Result<String> {
        self.disk.make_folder(parent_folder(&self.path))?;
        let message = match disk::if_found(disk::move_aside(&*self.disk, &self.path))? {
            None => "they were removed outside damcast".to_owned(),
            Some(aside) => format!("they were changed outside damcast; the changed file is {aside}"),
        };
        let (size, witnesses) = (self.commits.size(), self.commits.witnesses().clone());
        self.commits = Commits::open_with(&*self.disk, &self.path, size, Some(witnesses))?.0;
        Ok(message)
    }

    fn is(&self, id: RecordingId, predicate: impl Fn(&Recording) -> bool) -> bool {
        self.recordings.get(&id).is_some_and(predicate)
    }

    /// Makes the pending log data of these lines durable, all at once.
    fn make_durable(&mut self, ids: &[RecordingId]) {
        let pending = |id: &RecordingId| Some((*id, self.recordings.get(id)?.journal.pending()?));
        let (ids, fragments): (Vec<RecordingId>, Vec<Fragment>) = ids.iter().filter_map(pending).unzip();
        if fragments.is_empty() && !self.commits.has_new_witnesses() {
            return;
        }
        if self.commits.is_nearly_full() || !self.commits.has_room(&fragments) {
            self.restart_commits();
        }
        let committed = match &self.commits_problem {
            Some(adrift) => Err(io::Error::other(adrift.clone())),
            None if self.commits.has_room(&fragments) => self.commits.commit(&fragments),
            None => {
                Err(io::Error::new(io::ErrorKind::StorageFull, "the logs have more than the commits have room for"))
            }
        };
        let journals = ids.iter().zip(&fragments).filter_map(|(id, fragment)| {
            let recording = self.recordings.get(id)?;
            Some((&recording.journal, fragment))
        });
        match committed {
            Ok(()) => {
                if self.fault.take().is_some() {
                    info!("the commits can be written again");
                }
                journals.for_each(|(journal, fragment)| journal.committed(fragment));
            }
            Err(error) => {
                if self.fault.is_none() {
                    warn!("the commits cannot be written: {error}; every log is synced by itself");
                }
                self.fault = Some(error.to_string());
                for (journal, _) in journals {
                    // The journal remembers the error.
                    let _ = journal.sync();
                }
            }
        }
    }

    fn restart_commits(&mut self) {
        if !self.commits.is_empty() && self.sync_all() {
            // The next commit retries it.
            let _ = self.commits.restart();
            self.is_syncing_all = false;
        }
    }
}

impl Recording {
    /// Checks that the log is where it belongs, and rescues it if not. `commits`: path of the commits.
    fn verify_log(&mut self, disk: &dyn Disk, commits: &Path) {
        let known = || commits::contents(disk, commits).unwrap_or_default().fragments;
        self.log_problem = None;
        match self.journal.verify_file(disk, known) {
            Ok(Some(saved)) => self.rescue_notice = Some((saved, Instant::now())),
            Ok(None) => {}
            Err(error) => {
                let log = self.journal.path().display();
                let message = "has lost its file, and what was recorded cannot be saved yet";
                (self.rescue_notice, self.log_problem) =
                    (None, Some(format!("{log} {message} ({error}); do not stop the station")));
            }
        }
    }

    /// Whether publications or notices wait for the log.
    fn is_awaited(&self) -> bool {
        !self.pending.is_empty() || !self.awaited.is_empty()
    }

    /// Whether the log is durable as far as publications and notices wait for it.
    fn is_durable(&self) -> bool {
        let durable = self.journal.durable();
        durable >= self.upto && self.awaited.iter().all(|(upto, _)| durable >= *upto)
    }

    fn publish(&mut self) {
        if !self.is_durable() {
            return;
        }
        self.notices.extend(self.awaited.drain(..).map(|(_, done)| done));
        if !self.pending.is_empty() {
            // A line appears only after its records are in the log.
            self.journal.write_out();
        }
        let mut line_files = lock(&self.files);
        let publish = |(publication, durability): (Output, Durability)| {
            if durability == Durability::Safe {
                line_files.write(publication.board, &publication.effect);
            }
            publication
        };
        let published: Vec<Output> = self.pending.drain(..).map(publish).collect();
        if !published.is_empty() {
            self.published.push((published, Instant::now()));
        }
    }

    fn report_published(&mut self) {
        let published = std::mem::take(&mut self.published);
        let publications = published.iter().flat_map(|(publications, _)| publications);
        let opens = publications.into_iter().any(|publication| matches!(publication.effect, Effect::GameOpened(_)));
        let mut line_files = lock(&self.files);
        line_files.verify();
        let (notices, lost) = (line_files.take_notices(), line_files.take_replaced());
        // Most notices are about other files.
        let paths = (opens || !notices.is_empty()).then(|| line_files.paths());
        drop(line_files);
        notices.into_iter().for_each(|notice| (self.report)(WriterReport::Notice(notice)));
        published.into_iter().for_each(|(publications, at)| (self.report)(WriterReport::Published(publications, at)));
        for done in self.notices.drain(..) {
            // The requester may be gone.
            let _ = done.send(());
        }
        if let Some(paths) = paths {
            (self.report)(WriterReport::FilesOpened(paths));
        }
        if !lost.is_empty() {
            (self.report)(WriterReport::FilesReplaced(lost));
        }
    }

    fn report_fault(&mut self, commits: Option<&str>) {
        let mut faults = Vec::new();
        if let Some(error) = self.journal.fault() {
            faults.push(format!("the log cannot be written ({error}), what happens is kept in memory"));
        }
        if let Some(error) = commits.filter(|_| self.is_awaited()) {
            faults.push(format!("nothing can be made durable ({error}), so nothing is published"));
        }
        if let Some(error) = lock(&self.files).fault() {
            faults.push(format!(
                "the live files cannot be written ({error}), they are completed later; `damcast doctor` says what to do"
            ));
        }
        // The loss is reported whether the log was rescued or not.
        self.rescue_notice.take_if(|(_, at)| at.elapsed() >= DISPLAY_TIME);
        let saved = self.rescue_notice.iter().map(|(saved, _)| saved);
        let mut messages: Vec<String> = saved.chain(&self.log_problem).cloned().collect();
        let is_of_the_log = !messages.is_empty();
        if !faults.is_empty() {
            messages.push(format!("the disk fails: {}; trying again", faults.join("; ")));
        }
        let fault = messages.join("; ");
        match (&self.reported_fault, fault.is_empty()) {
            (before, false) if before.is_none() || is_of_the_log && before.as_ref() != Some(&fault) => {
                (self.report)(WriterReport::Fault(fault.clone()));
                self.reported_fault = Some(fault);
            }
            (Some(_), true) => {
                (self.report)(WriterReport::Recovered);
                self.reported_fault = None;
            }
            _ => {}
        }
    }

    fn has_failed(&self) -> bool {
        self.is_awaited() || self.reported_fault.is_some() || !self.finish.is_empty()
    }

    /// Closes the files if the end is requested and possible. Returns whether the recording has ended.
    fn is_finished(&mut self) -> bool {
        if self.finish.is_empty()
            || !self.pending.is_empty()
            || self.log_problem.is_some()
            || self.journal.sync().is_err()
        {
            return false;
        }
        // Retry for a while; after that the next start completes the file from the log.
        let mut line_files = lock(&self.files);
        line_files.flush();
        let is_young = self.finish_since.is_some_and(|since| since.elapsed() < MAX_FILE_WAIT);
        if line_files.fault().is_some() && is_young {
            return false;
        }
        drop(line_files);
        self.journal.release();
        true
    }
}

/// Whether this is the path of a log of a line: the prefix, then `-NUMBER.log`.
fn is_log_of(path: &Path, folder_and_line: &str) -> bool {
    let path = path.display().to_string();
    let number = path.strip_prefix(folder_and_line).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".log"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
