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

use super::committer::{Committer, LineId, Message, Tell};
use super::{Publication, WriterReport};
use crate::engine::session::Effect;
use crate::station::disk::{self, Disk, Durability, folder_of};
use crate::station::feed::Feeds;
use crate::station::journal::commits::{self, Commits, CommitsContent, Fragment};
use crate::station::journal::witness::Witnesses;
use crate::station::journal::{Journal, Untaken, saving};
use crate::station::trouble::{Finding, SHOWN, Watch};

/// The name of the file of commits, beside the folders of logs and live files.
pub const COMMITS: &str = "commits";
/// It shows at least so often that it goes on.
const BEAT: Duration = Duration::from_secs(1);
/// What was not published yet is durable within this.
const SWEEP: Duration = Duration::from_secs(3);
/// A disk that failed is tried again after this.
const AGAIN: Duration = Duration::from_millis(500);
/// What is told beside the files is made durable within this, or with the next line of a file.
const COMPANY: Duration = Duration::from_millis(50);
/// Who waits for a line is not kept from reading it: nothing else is done for so long.
const READERS_FIRST: Duration = Duration::from_millis(1);
/// A line learns within this what was published, whatever else there is to be done.
const LONGEST_UNTOLD: Duration = Duration::from_millis(20);
/// What was announced is looked out for so long: waking this thread takes as long as all the rest of its way.
const LOOKOUT: Duration = Duration::from_micros(250);
/// Live files that cannot be written keep the end of a recording waiting for so long: its log has everything.
const LONGEST_FOR_FILES: Duration = Duration::from_secs(3);

/// The thread's work.
pub struct Writer {
    inbox: mpsc::Receiver<Message>,
    /// Something was announced that has not been heard yet.
    announced: Arc<AtomicBool>,
    disk: Arc<dyn Disk>,
    /// Where the commits are.
    path: PathBuf,
    /// Where the logs are.
    logs: PathBuf,
    /// Who hears what is the matter with the commits, and with what may not be written.
    watch: Watch,
    commits: Commits,
    /// Why the commits, which somebody has removed or changed, are not begun anew yet: what goes there is lost with the power.
    adrift: Option<String>,
    recordings: BTreeMap<LineId, Recording>,
    /// Those with something to be done.
    busy: BTreeSet<LineId>,
    /// When it is to be done.
    due: Option<Instant>,
    /// Lines for which something was done, and which do not know it yet.
    untold: BTreeSet<LineId>,
    /// Since when there are some.
    untold_since: Instant,
    /// When something was done last.
    done_at: Instant,
    /// Those with something that the disk did not do.
    stuck: BTreeSet<LineId>,
    /// Those whose logs are to be synced one after the other.
    unsettled: Vec<LineId>,
    /// All of them were to be, since the commits began anew.
    is_settling: bool,
    /// Why the commits cannot be written.
    fault: Option<String>,
}

struct Recording {
    journal: Arc<Journal>,
    feeds: Arc<Mutex<Feeds>>,
    tell: Tell,
    /// What is published as soon as the log is durable up to `upto`.
    waiting: Vec<(Publication, Durability)>,
    upto: u64,
    /// What was given to the live files, and when; the line does not know it yet.
    published: Vec<(Vec<Publication>, Instant)>,
    told_fault: Option<String>,
    /// What was done when the log was looked after and had lost its file, and when: it is told for a while.
    saved: Option<(String, Instant)>,
    /// Why the log, which has lost its file, is not saved yet.
    adrift: Option<String>,
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
        watch: Watch,
    ) -> io::Result<(Committer, Writer, Vec<String>)> {
        let mut notices = saving::take_up(&**disk, logs)?;
        let path = directory.join(COMMITS);
        let (mut commits, fragments) = match Commits::open(&**disk, &path, size) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData || disk::is_odd(&error) => {
                let kept = disk::put_aside(&**disk, &path)?;
                notices.push(format!("{error}; it is kept as {kept}"));
                Commits::open(&**disk, &path, size)?
            }
            // Another user has made it, in a folder that is ours: what it says is put back all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let content = commits::contents(&**disk, &path);
                let unread =
                    content.as_ref().err().map(|error| format!(", and not read ({error})")).unwrap_or_default();
                let kept = disk::put_aside(&**disk, &path)?;
                notices
                    .push(format!("{}: it cannot be written ({error}){unread}; it is kept as {kept}", path.display()));
                let CommitsContent { fragments, witnesses } = content.unwrap_or_default();
                (Commits::open_with(&**disk, &path, size, Some(Witnesses::new(witnesses)))?.0, fragments)
            }
            other => other?,
        };
        notices.extend(commits::put_back(&**disk, logs, &fragments)?);
        if !commits.is_empty() {
            commits.begin_anew()?;
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
            watch,
            commits,
            adrift: None,
            recordings: BTreeMap::new(),
            busy: BTreeSet::new(),
            due: None,
            untold: BTreeSet::new(),
            untold_since: Instant::now(),
            done_at: Instant::now(),
            stuck: BTreeSet::new(),
            unsettled: Vec::new(),
            is_settling: false,
            fault: None,
        };
        Ok((Committer::new(sender, announced, witnesses), writer, notices))
    }

    /// Works until the last line is gone. `beat` is called at least every second as long as the disk answers. Returns what the
    /// disk has not taken, and what is lost therefore.
    pub fn run(mut self, beat: impl Fn()) -> Vec<Untaken> {
        let (mut swept, mut tried) = (Instant::now(), Instant::now());
        loop {
            let wait = match (self.unsettled.is_empty(), self.stuck.is_empty()) {
                _ if !self.untold.is_empty() => READERS_FIRST.saturating_sub(self.done_at.elapsed()),
                (false, _) => Duration::ZERO,
                (true, true) => SWEEP.saturating_sub(swept.elapsed()),
                (true, false) => AGAIN.saturating_sub(tried.elapsed()),
            };
            let due = self.due.map_or(BEAT, |due| due.saturating_duration_since(Instant::now()));
            beat();
            match self.inbox.recv_timeout(wait.min(due).min(BEAT)) {
                Ok(message) => {
                    let is_announced = matches!(message, Message::Announce);
                    self.hear(message);
                    if is_announced {
                        self.look_out();
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) if self.is_due() => {}
                Err(mpsc::RecvTimeoutError::Timeout) if !self.untold.is_empty() => {
                    if self.done_at.elapsed() >= READERS_FIRST {
                        self.tell_next();
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) if self.settle_next() => {}
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if !self.stuck.is_empty() && tried.elapsed() >= AGAIN {
                        self.try_again();
                        tried = Instant::now();
                    }
                    if swept.elapsed() >= SWEEP {
                        self.sweep();
                        swept = Instant::now();
                    }
                }
            }
            if self.is_due() {
                self.publish();
            }
            if !self.untold.is_empty() && self.untold_since.elapsed() > LONGEST_UNTOLD {
                while self.tell_next() {}
            }
        }
        self.turn();
        self.settle_all();
        self.make_durable(&[]);
        self.recordings.values().filter_map(|recording| recording.journal.untaken()).collect()
    }

    /// Waits without sleeping for what was announced.
    fn look_out(&mut self) {
        let end = Instant::now() + LOOKOUT;
        while !self.is_due() && Instant::now() < end {
            match self.inbox.try_recv() {
                Ok(message) => self.hear(message),
                Err(mpsc::TryRecvError::Empty) => std::thread::yield_now(),
                Err(mpsc::TryRecvError::Disconnected) => return,
            }
        }
    }

    fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// Does what lines have asked for, and reports it to them.
    pub fn turn(&mut self) {
        self.publish();
        while self.tell_next() {}
    }

    /// Does what lines have asked for: readers see every line before any report is sent.
    fn publish(&mut self) {
        while let Ok(message) = self.inbox.try_recv() {
            self.hear(message);
        }
        self.due = None;
        let is_waiting = |recording: &Recording| !recording.waiting.is_empty() && !recording.is_durable();
        let waiting: Vec<LineId> = self.busy.iter().copied().filter(|id| self.is(*id, is_waiting)).collect();
        self.make_durable(&waiting);
        for (_, recording) in self.recordings.iter_mut().filter(|(id, _)| self.busy.contains(id)) {
            recording.publish();
        }
        self.done_at = Instant::now();
        if self.untold.is_empty() {
            self.untold_since = self.done_at;
        }
        self.untold.append(&mut self.busy);
    }

    /// Tells the next line of what was done for it, and looks after its files. Returns whether there was one.
    fn tell_next(&mut self) -> bool {
        let Some(id) = self.untold.pop_first() else { return false };
        let Some(recording) = self.recordings.get_mut(&id) else { return true };
        if !recording.finish.is_empty() {
            // The file is not open for long any more.
            recording.look_after_log(&*self.disk, &self.path);
        }
        recording.tell_published();
        recording.tell_fault(self.fault.as_deref());
        if recording.is_finished() {
            self.recordings.remove(&id);
            self.stuck.remove(&id);
        } else if recording.is_stuck() {
            self.stuck.insert(id);
        } else {
            self.stuck.remove(&id);
        }
        true
    }

    /// Does what the disk did not do before, as far as it does it now.
    pub fn try_again(&mut self) {
        self.busy.append(&mut self.stuck);
        for recording in self.busy.iter().filter_map(|id| self.recordings.get(id)) {
            let _ = recording.journal.settle();
            recording.feeds().catch_up();
        }
        self.turn();
    }

    /// Syncs all logs. Returns whether the disk did it.
    pub fn settle_all(&mut self) -> bool {
        let ids: Vec<LineId> = self.recordings.keys().copied().collect();
        ids.into_iter().filter(|&id| !self.settle(id)).count() == 0
    }

    /// Syncs the next log that is to be synced. Returns whether there was one.
    fn settle_next(&mut self) -> bool {
        let Some(id) = self.unsettled.pop() else { return false };
        self.settle(id);
        true
    }

    fn settle(&mut self, id: LineId) -> bool {
        let Some(recording) = self.recordings.get_mut(&id) else { return true };
        let settled = recording.journal.settle().is_ok();
        recording.tell_fault(self.fault.as_deref());
        if !settled {
            self.stuck.insert(id);
        }
        settled
    }

    fn hear(&mut self, message: Message) {
        let now = Instant::now();
        if !matches!(message, Message::Announce) {
            let due = if message.may_wait() { now + COMPANY } else { now };
            self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
        }
        match message {
            Message::Announce => self.announced.store(false, Ordering::Relaxed),
            Message::Open { id, journal, feeds, tell } => {
                let recording = Recording {
                    journal,
                    feeds,
                    tell,
                    waiting: Vec::new(),
                    upto: 0,
                    published: Vec::new(),
                    told_fault: None,
                    saved: None,
                    adrift: None,
                    finish: Vec::new(),
                    finish_since: None,
                };
                // It may have something that the disk did not do.
                self.busy.insert(id);
                self.recordings.insert(id, recording);
            }
            Message::Publish { id, publications, upto, durability } => {
                if let Some(recording) = self.recordings.get_mut(&id) {
                    recording.waiting.extend(publications.into_iter().map(|publication| (publication, durability)));
                    recording.upto = upto;
                    self.busy.insert(id);
                }
            }
            Message::Finish { folder_and_line, done } => {
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
    pub fn sweep(&mut self) {
        self.look_after();
        self.recordings.values().for_each(|recording| recording.feeds().doubt());
        if self.untold.is_empty() {
            self.untold_since = Instant::now();
        }
        self.untold.extend(self.recordings.keys());
        let (troubled, others): (Vec<LineId>, Vec<LineId>) = self
            .recordings
            .keys()
            .copied()
            .partition(|&id| self.is(id, |recording| recording.journal.fault().is_some()));
        self.make_durable(&others);
        self.unsettled.retain(|id| !troubled.contains(id));
        self.unsettled.extend(troubled);
        if self.commits.is_half_full() && !self.is_settling {
            self.is_settling = true;
            self.unsettled.extend(others);
        }
    }

    /// Looks whether the logs and the commits are still where they belong, and makes them whole again if not.
    fn look_after(&mut self) {
        for recording in self.recordings.values_mut() {
            recording.look_after_log(&*self.disk, &self.path);
            recording.tell_fault(self.fault.as_deref());
        }
        let mut found = self.unwritable();
        found.extend(self.look_after_commits());
        self.watch.tell(found);
    }

    /// What of the logs and the commits may not be written any more. The files that are open go on, and what comes next does not.
    fn unwritable(&self) -> Vec<Finding> {
        let logs = self.recordings.values().map(|recording| recording.journal.path());
        let paths = [self.logs.as_path(), self.path.as_path()].into_iter().chain(logs);
        let told = paths.filter_map(|path| match self.disk.may_write(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let what = format!("it may not be written ({error}); `damcast doctor` says what to do");
                Some(self.finding(path, what))
            }
            _ => None,
        });
        told.collect()
    }

    fn finding(&self, path: &Path, what: String) -> Finding {
        let from_here = path.strip_prefix(folder_of(&self.path)).unwrap_or(path);
        Finding { board: None, file: from_here.display().to_string(), what }
    }

    /// Begins the commits anew if somebody has removed or changed them. Returns what was found.
    fn look_after_commits(&mut self) -> Option<Finding> {
        if self.adrift.is_none() && self.commits.is_at(&self.path) {
            return None;
        }
        // What nobody finds any more must not be what a log needs.
        let begun = match self.settle_all() {
            true => self.begin_commits(),
            false => Err(io::Error::other("the logs cannot be synced")),
        };
        let path = self.path.display();
        let what = match begun {
            Ok(what) => {
                let what = format!("{what}; they begin anew, and nothing is missing");
                warn!("{path}: {what}");
                self.adrift = None;
                what
            }
            Err(error) => {
                let adrift = format!("somebody has removed or changed {path}, and they cannot be begun anew: {error}");
                if self.adrift.is_none() {
                    warn!("{adrift}; trying again");
                }
                self.adrift = Some(adrift);
                format!("somebody has removed or changed them, and they cannot be begun anew: {error}; trying again")
            }
        };
        Some(self.finding(&self.path, what))
    }

    /// Begins the commits in a file of their name. Every log has been synced.
    fn begin_commits(&mut self) -> io::Result<String> {
        self.disk.make_folder(folder_of(&self.path))?;
        let what = match disk::put_aside(&*self.disk, &self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => "somebody has removed them".to_owned(),
            aside => format!("somebody has changed them; what stood there is {}", aside?),
        };
        let (size, witnesses) = (self.commits.size(), self.commits.witnesses().clone());
        self.commits = Commits::open_with(&*self.disk, &self.path, size, Some(witnesses))?.0;
        Ok(what)
    }

    fn is(&self, id: LineId, what: impl Fn(&Recording) -> bool) -> bool {
        self.recordings.get(&id).is_some_and(what)
    }

    /// Makes durable what the logs of these lines have, for all at once.
    fn make_durable(&mut self, ids: &[LineId]) {
        let pending = |id: &LineId| Some((*id, self.recordings.get(id)?.journal.pending()?));
        let (ids, fragments): (Vec<LineId>, Vec<Fragment>) = ids.iter().filter_map(pending).unzip();
        if fragments.is_empty() && !self.commits.has_new_witnesses() {
            return;
        }
        if self.commits.is_nearly_full() || !self.commits.has_room(&fragments) {
            self.begin_anew();
        }
        let committed = match &self.adrift {
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
                    let _ = journal.settle();
                }
            }
        }
    }

    fn begin_anew(&mut self) {
        if !self.commits.is_empty() && self.settle_all() {
            // The next commit tries it again.
            let _ = self.commits.begin_anew();
            self.is_settling = false;
        }
    }
}

impl Recording {
    /// Looks whether the log is still where it belongs, and saves it if not. `commits`: where they are.
    fn look_after_log(&mut self, disk: &dyn Disk, commits: &Path) {
        let known = || commits::contents(disk, commits).unwrap_or_default().fragments;
        self.adrift = None;
        match self.journal.look_after(disk, known) {
            Ok(Some(saved)) => self.saved = Some((saved, Instant::now())),
            Ok(None) => {}
            Err(error) => {
                let log = self.journal.path().display();
                let what = "has lost its file, and what was recorded cannot be saved yet";
                (self.saved, self.adrift) = (None, Some(format!("{log} {what} ({error}); do not stop the station")));
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
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        let publish = |(publication, durability): (Publication, Durability)| {
            if durability == Durability::Safe {
                feeds.publish(publication.board, &publication.effect);
            }
            publication
        };
        let published: Vec<Publication> = self.waiting.drain(..).map(publish).collect();
        if !published.is_empty() {
            self.published.push((published, Instant::now()));
        }
    }

    fn tell_published(&mut self) {
        let published = std::mem::take(&mut self.published);
        let publications = published.iter().flat_map(|(publications, _)| publications);
        let opens = publications.into_iter().any(|publication| matches!(publication.effect, Effect::Opened(_)));
        let mut feeds = self.feeds();
        feeds.look_after();
        let (notices, lost) = (feeds.take_notices(), feeds.take_lost());
        // Notices are of other files, mostly.
        let paths = (opens || !notices.is_empty()).then(|| feeds.paths());
        drop(feeds);
        notices.into_iter().for_each(|notice| (self.tell)(WriterReport::Notice(notice)));
        published.into_iter().for_each(|(publications, at)| (self.tell)(WriterReport::Published(publications, at)));
        if let Some(paths) = paths {
            (self.tell)(WriterReport::LiveFiles(paths));
        }
        if !lost.is_empty() {
            (self.tell)(WriterReport::Lost(lost));
        }
    }

    fn tell_fault(&mut self, commits: Option<&str>) {
        let mut faults = Vec::new();
        if let Some(error) = self.journal.fault() {
            faults.push(format!("the log cannot be written ({error}), what happens is kept in memory"));
        }
        if let Some(error) = commits.filter(|_| !self.waiting.is_empty()) {
            faults.push(format!("nothing can be made durable ({error}), so nothing is published"));
        }
        if let Some(error) = self.feeds().fault() {
            faults.push(format!(
                "the live files cannot be written ({error}), they are completed later; `damcast doctor` says what to do"
            ));
        }
        // Saved or not: somebody has to know that it happened.
        self.saved.take_if(|(_, at)| at.elapsed() >= SHOWN);
        let saved = self.saved.iter().map(|(saved, _)| saved);
        let mut told: Vec<String> = saved.chain(&self.adrift).cloned().collect();
        let is_of_the_log = !told.is_empty();
        if !faults.is_empty() {
            told.push(format!("the disk fails: {}; trying again", faults.join("; ")));
        }
        let fault = told.join("; ");
        match (&self.told_fault, fault.is_empty()) {
            (before, false) if before.is_none() || is_of_the_log && before.as_ref() != Some(&fault) => {
                (self.tell)(WriterReport::Fault(fault.clone()));
                self.told_fault = Some(fault);
            }
            (Some(_), true) => {
                (self.tell)(WriterReport::Healed);
                self.told_fault = None;
            }
            _ => {}
        }
    }

    fn is_stuck(&self) -> bool {
        !self.waiting.is_empty() || self.told_fault.is_some() || !self.finish.is_empty()
    }

    /// Ends it, if that is wanted and possible.
    fn is_finished(&mut self) -> bool {
        if self.finish.is_empty() || !self.waiting.is_empty() || self.adrift.is_some() || self.journal.settle().is_err()
        {
            return false;
        }
        // What the disk has refused follows for a while; after that the next start completes the file, and nothing waits.
        let mut feeds = self.feeds();
        feeds.catch_up();
        let is_young = self.finish_since.is_some_and(|since| since.elapsed() < LONGEST_FOR_FILES);
        if feeds.fault().is_some() && is_young {
            return false;
        }
        drop(feeds);
        self.journal.release();
        true
    }

    fn feeds(&self) -> MutexGuard<'_, Feeds> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Is this the path of a log of a line? Its path begins like that, and `-NUMBER.log` follows.
fn is_log_of(path: &Path, folder_and_line: &str) -> bool {
    let path = path.display().to_string();
    let number = path.strip_prefix(folder_and_line).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".log"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
