//! The thread that makes logs durable and writes live files, for all lines of a station.
//!
//! ```text
//!   loop:  take everything that lines have handed over until now
//!          their logs' ends ─▸ commits: one durable write          fails: each log is synced by itself
//!          what follows from them ─▸ live files                    fails: it waits, and is tried again
//!          nothing more has come for a moment: lines are told of it, and their files are looked after
//!   who tells listeners only, and no file, waits a moment for company: no line of a file waits for a sync of such things
//!   who announces a line wakes the thread, so that it is there when the line comes
//!   every few seconds:    the same with the ends of all logs; a log that cannot be written is tried by itself;
//!                         logs and commits that are not where they belong are saved
//!   commits half full:    the logs themselves are synced, one at a time, while nothing else is to be done
//!   commits nearly full:  all of them are synced that have grown since, and the commits begin anew
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tracing::{info, warn};

use super::committer::{Committer, LineId, ReportFn, WriterMessage};
use super::{Publication, WriterReport};
use crate::engine::session::Effect;
use crate::station::disk::{self, Disk, Durability, parent_folder};
use crate::station::file_problems::{DISPLAY_TIME, ProblemReport, ProblemReporter};
use crate::station::journal::commits::{self, Commits, CommitsContent, Fragment};
use crate::station::journal::witness::Witnesses;
use crate::station::journal::{Journal, UnwrittenTail, rescue};
use crate::station::live_files::LineFiles;

/// The name of the file of commits, beside the folders of logs and live files.
pub const COMMITS_FILE: &str = "commits";
/// It shows at least so often that it goes on.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// What was not published yet is durable within this.
const IDLE_SYNC_INTERVAL: Duration = Duration::from_secs(3);
/// A disk that failed is tried again after this.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// What is told beside the files is made durable within this, or with the next line of a file.
const UPDATE_BATCH_DELAY: Duration = Duration::from_millis(50);
/// Who waits for a line is not kept from reading it: nothing else is done for so long.
const READER_GRACE: Duration = Duration::from_millis(1);
/// A line learns within this what was published, whatever else there is to be done.
const MAX_REPORT_DELAY: Duration = Duration::from_millis(20);
/// What was announced is looked out for so long: waking this thread takes as long as all the rest of its way.
const SPIN_TIME: Duration = Duration::from_micros(250);
/// Live files that cannot be written keep the end of a recording waiting for so long: its log has everything.
const MAX_FILE_WAIT: Duration = Duration::from_secs(3);

/// The thread's work.
pub struct Writer {
    inbox: mpsc::Receiver<WriterMessage>,
    /// Something was announced that has not been heard yet.
    announced: Arc<AtomicBool>,
    disk: Arc<dyn Disk>,
    /// Where the commits are.
    path: PathBuf,
    /// Where the logs are.
    logs: PathBuf,
    /// Who hears what is the matter with the commits, and with what may not be written.
    reporter: ProblemReporter,
    commits: Commits,
    /// Why the commits, which somebody has removed or changed, are not begun anew yet: what goes there is lost with the power.
    commits_problem: Option<String>,
    recordings: BTreeMap<LineId, Recording>,
    /// Those with something to be done.
    busy: BTreeSet<LineId>,
    /// When it is to be done.
    due: Option<Instant>,
    /// Lines for which something was done, and which do not know it yet.
    unreported: BTreeSet<LineId>,
    /// Since when there are some.
    unreported_since: Instant,
    /// When something was done last.
    last_done: Instant,
    /// Those with something that the disk did not do.
    failed: BTreeSet<LineId>,
    /// Those whose logs are to be synced one after the other.
    unsynced: Vec<LineId>,
    /// All of them were to be, since the commits began anew.
    is_syncing_all: bool,
    /// Why the commits cannot be written.
    fault: Option<String>,
}

struct Recording {
    journal: Arc<Journal>,
    files: Arc<Mutex<LineFiles>>,
    report: ReportFn,
    /// What is published as soon as the log is durable up to `upto`.
    pending: Vec<(Publication, Durability)>,
    upto: u64,
    /// What was given to the live files, and when; the line does not know it yet.
    published: Vec<(Vec<Publication>, Instant)>,
    reported_fault: Option<String>,
    /// What was done when the log was looked after and had lost its file, and when: it is told for a while.
    rescue_notice: Option<(String, Instant)>,
    /// Why the log, which has lost its file, is not saved yet.
    log_problem: Option<String>,
    /// Who waits for its end, which is when this is gone.
    finish: Vec<mpsc::Sender<()>>,
    /// Since when.
    finish_since: Option<Instant>,
}

impl Writer {
    /// Puts back what the logs of a station lack after a crash, and begins. `directory` has the commits, `logs` the logs; `watch`
    /// hears what becomes of both. Returns what the operator should know, too.
    ///
    /// # Errors
    ///
    /// When the disk cannot be used at all.
    pub fn open(
        disk: &Arc<dyn Disk>,
        directory: &Path,
        logs: &Path,
        size: u64,
        watch: ProblemReporter,
    ) -> io::Result<(Committer, Writer, Vec<String>)> {
        let mut notices = rescue::finish_rescue(&**disk, logs)?;
        let path = directory.join(COMMITS_FILE);
        let (mut commits, fragments) = match Commits::open(&**disk, &path, size) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData || disk::is_not_regular_file(&error) => {
                let kept = disk::move_aside(&**disk, &path)?;
                notices.push(format!("{error}; it is kept as {kept}"));
                Commits::open(&**disk, &path, size)?
            }
            // Another user has made it, in a folder that is ours: what it says is put back all the same.
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
            reporter: watch,
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

    /// Works until the last line is gone. `beat` is called at least every second as long as the disk answers. Returns what the
    /// disk has not taken, and what is lost therefore.
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

    /// Waits without sleeping for what was announced.
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

    /// Does what lines have asked for, and reports it to them.
    pub fn run_once(&mut self) {
        self.publish();
        while self.report_next() {}
    }

    /// Does what lines have asked for: readers see every line before any report is sent.
    fn publish(&mut self) {
        while let Ok(message) = self.inbox.try_recv() {
            self.on_message(message);
        }
        self.due = None;
        let is_waiting = |recording: &Recording| !recording.pending.is_empty() && !recording.is_durable();
        let waiting: Vec<LineId> = self.busy.iter().copied().filter(|id| self.is(*id, is_waiting)).collect();
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

    /// Tells the next line of what was done for it, and looks after its files. Returns whether there was one.
    fn report_next(&mut self) -> bool {
        let Some(id) = self.unreported.pop_first() else { return false };
        let Some(recording) = self.recordings.get_mut(&id) else { return true };
        if !recording.finish.is_empty() {
            // The file is not open for long any more.
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

    /// Does what the disk did not do before, as far as it does it now.
    pub fn retry_failed(&mut self) {
        self.busy.append(&mut self.failed);
        for recording in self.busy.iter().filter_map(|id| self.recordings.get(id)) {
            let _ = recording.journal.sync();
            recording.files().flush();
        }
        self.run_once();
    }

    /// Syncs all logs. Returns whether the disk did it.
    pub fn sync_all(&mut self) -> bool {
        let ids: Vec<LineId> = self.recordings.keys().copied().collect();
        ids.into_iter().filter(|&id| !self.sync(id)).count() == 0
    }

    /// Syncs the next log that is to be synced. Returns whether there was one.
    fn sync_next(&mut self) -> bool {
        let Some(id) = self.unsynced.pop() else { return false };
        self.sync(id);
        true
    }

    fn sync(&mut self, id: LineId) -> bool {
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
                    published: Vec::new(),
                    reported_fault: None,
                    rescue_notice: None,
                    log_problem: None,
                    finish: Vec::new(),
                    finish_since: None,
                };
                // It may have something that the disk did not do.
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

    /// Makes durable what has come, published or not, and has all live files looked after.
    pub fn sync_idle(&mut self) {
        self.verify_files();
        self.recordings.values().for_each(|recording| recording.files().mark_unverified());
        if self.unreported.is_empty() {
            self.unreported_since = Instant::now();
        }
        self.unreported.extend(self.recordings.keys());
        let (troubled, others): (Vec<LineId>, Vec<LineId>) = self
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

    /// Looks whether the logs and the commits are still where they belong, and makes them whole again if not.
    fn verify_files(&mut self) {
        for recording in self.recordings.values_mut() {
            recording.verify_log(&*self.disk, &self.path);
            recording.report_fault(self.fault.as_deref());
        }
        let mut found = self.unwritable();
        found.extend(self.verify_commits());
        self.reporter.report(found);
    }

    /// What of the logs and the commits may not be written any more. The files that are open go on, and what comes next does not.
    fn unwritable(&self) -> Vec<ProblemReport> {
        let logs = self.recordings.values().map(|recording| recording.journal.path());
        let paths = [self.logs.as_path(), self.path.as_path()].into_iter().chain(logs);
        let findings = paths.filter_map(|path| match self.disk.may_write(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let message = format!("it may not be written ({error}); `damcast doctor` says what to do");
                Some(self.finding(path, message))
            }
            _ => None,
        });
        findings.collect()
    }

    fn finding(&self, path: &Path, problem: String) -> ProblemReport {
        let from_here = path.strip_prefix(parent_folder(&self.path)).unwrap_or(path);
        ProblemReport { board: None, file: from_here.display().to_string(), message: problem }
    }

    /// Begins the commits anew if somebody has removed or changed them. Returns what was found.
    fn verify_commits(&mut self) -> Option<ProblemReport> {
        if self.commits_problem.is_none() && self.commits.is_still_at(&self.path) {
            return None;
        }
        // What nobody finds any more must not be what a log needs.
        let begun = match self.sync_all() {
            true => self.create_commits(),
            false => Err(io::Error::other("the logs cannot be synced")),
        };
        let path = self.path.display();
        let message = match begun {
            Ok(message) => {
                let message = format!("{message}; they begin anew, and nothing is missing");
                warn!("{path}: {message}");
                self.commits_problem = None;
                message
            }
            Err(error) => {
                let adrift = format!("somebody has removed or changed {path}, and they cannot be begun anew: {error}");
                if self.commits_problem.is_none() {
                    warn!("{adrift}; trying again");
                }
                self.commits_problem = Some(adrift);
                format!("somebody has removed or changed them, and they cannot be begun anew: {error}; trying again")
            }
        };
        Some(self.finding(&self.path, message))
    }

    /// Begins the commits in a file of their name. Every log has been synced.
    fn create_commits(&mut self) -> io::Result<String> {
        self.disk.make_folder(parent_folder(&self.path))?;
        let message = match disk::move_aside(&*self.disk, &self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => "somebody has removed them".to_owned(),
            aside => format!("somebody has changed them; what stood there is {}", aside?),
        };
        let (size, witnesses) = (self.commits.size(), self.commits.witnesses().clone());
        self.commits = Commits::open_with(&*self.disk, &self.path, size, Some(witnesses))?.0;
        Ok(message)
    }

    fn is(&self, id: LineId, predicate: impl Fn(&Recording) -> bool) -> bool {
        self.recordings.get(&id).is_some_and(predicate)
    }

    /// Makes durable what the logs of these lines have, for all at once.
    fn make_durable(&mut self, ids: &[LineId]) {
        let pending = |id: &LineId| Some((*id, self.recordings.get(id)?.journal.pending()?));
        let (ids, fragments): (Vec<LineId>, Vec<Fragment>) = ids.iter().filter_map(pending).unzip();
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
                    // A journal keeps what was wrong.
                    let _ = journal.sync();
                }
            }
        }
    }

    fn restart_commits(&mut self) {
        if !self.commits.is_empty() && self.sync_all() {
            // The next commit tries it again.
            let _ = self.commits.restart();
            self.is_syncing_all = false;
        }
    }
}

impl Recording {
    /// Looks whether the log is still where it belongs, and saves it if not. `commits`: where they are.
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

    fn is_durable(&self) -> bool {
        self.journal.durable() >= self.upto
    }

    fn publish(&mut self) {
        if !self.is_durable() {
            return;
        }
        let mut line_files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let publish = |(publication, durability): (Publication, Durability)| {
            if durability == Durability::Safe {
                line_files.write(publication.board, &publication.effect);
            }
            publication
        };
        let published: Vec<Publication> = self.pending.drain(..).map(publish).collect();
        if !published.is_empty() {
            self.published.push((published, Instant::now()));
        }
    }

    fn report_published(&mut self) {
        let published = std::mem::take(&mut self.published);
        let publications = published.iter().flat_map(|(publications, _)| publications);
        let opens = publications.into_iter().any(|publication| matches!(publication.effect, Effect::GameOpened(_)));
        let mut line_files = self.files();
        line_files.verify();
        let (notices, lost) = (line_files.take_notices(), line_files.take_replaced());
        // Notices are of other files, mostly.
        let paths = (opens || !notices.is_empty()).then(|| line_files.paths());
        drop(line_files);
        notices.into_iter().for_each(|notice| (self.report)(WriterReport::Notice(notice)));
        published.into_iter().for_each(|(publications, at)| (self.report)(WriterReport::Published(publications, at)));
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
        if let Some(error) = commits.filter(|_| !self.pending.is_empty()) {
            faults.push(format!("nothing can be made durable ({error}), so nothing is published"));
        }
        if let Some(error) = self.files().fault() {
            faults.push(format!(
                "the live files cannot be written ({error}), they are completed later; `damcast doctor` says what to do"
            ));
        }
        // Saved or not: somebody has to know that it happened.
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
        !self.pending.is_empty() || self.reported_fault.is_some() || !self.finish.is_empty()
    }

    /// Ends it, if that is wanted and possible.
    fn is_finished(&mut self) -> bool {
        if self.finish.is_empty()
            || !self.pending.is_empty()
            || self.log_problem.is_some()
            || self.journal.sync().is_err()
        {
            return false;
        }
        // What the disk has refused follows for a while; after that the next start completes the file, and nothing waits.
        let mut line_files = self.files();
        line_files.flush();
        let is_young = self.finish_since.is_some_and(|since| since.elapsed() < MAX_FILE_WAIT);
        if line_files.fault().is_some() && is_young {
            return false;
        }
        drop(line_files);
        self.journal.release();
        true
    }

    fn files(&self) -> MutexGuard<'_, LineFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Is this the path of a log of a line? Its path begins like that, and `-NUMBER.log` follows.
fn is_log_of(path: &Path, folder_and_line: &str) -> bool {
    let path = path.display().to_string();
    let number = path.strip_prefix(folder_and_line).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".log"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
