//! One line's core with its log and its files: what happened goes in, what is to be sent comes out, and what is published
//! is durable before anybody sees it.
//!
//! ```text
//!                    line's task                     │        one thread for all lines
//!   what happened ─▸ log file ─▸ Line::begin ─▸ ─────┼─▸ Writer: the ends of all logs that wait, one sync
//!                               Line::finish         │      └─▸ live files ─▸ WriterReport::Published
//!                                    ▾               │
//!                              for the board         │      a fault of the disk: it waits, and is tried again
//! ```
//!
//! A line does not wait for the disk. What it publishes while a sync is under way goes with the next one, together with
//! what the others have: sixty-four boards that move at once cost two syncs, not sixty-four.
//!
//! Invariants: the record of an input is in the log before the core takes it, but for answers of a bus that bring nothing: these
//! are held back for up to a second, and are in the log before anything is published; no line of a file is seen before the
//! records that it was made of are durable (unless [`Durability::Lazy`] was asked for: then after they are written, and
//! durable a moment later); files are written in the order of publication. Absent on purpose: the time of day, ports, a
//! runtime; a disk is what [`crate::station::disk::Disk`] says, and a test can be one.

mod committer;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::engine::bytelog::{Record, RecordKind};
use crate::engine::millis::Millis;
use crate::engine::session::request::Request;
use crate::engine::session::{BusAddress, Effect, Input, Line, Output};
use crate::station::disk::Durability;
use crate::station::journal::Journal;
use crate::station::live_files::LineFiles;

pub use committer::{Committer, FlushTimeout, LineId, WriterStopped};
pub use writer::{COMMITS_FILE, Writer};

/// What a line publishes.
#[derive(Clone, PartialEq, Debug)]
pub struct Publication {
    /// When, in the time of the line.
    pub at: Millis,
    /// On which board of a bus.
    pub board: Option<BusAddress>,
    /// What.
    pub effect: Effect,
}

/// What a line is told of its files.
#[derive(Clone, PartialEq, Debug)]
pub enum WriterReport {
    /// This is durable, and was given to the live files then.
    Published(Vec<Publication>, Instant),
    /// These are the files of the games that were opened last.
    FilesOpened(Vec<(Option<BusAddress>, PathBuf)>),
    /// These live files were taken away, changed or replaced; what belongs into them stands in others now, or is made again.
    FilesReplaced(Vec<PathBuf>),
    /// Something that the operator should know.
    Notice(String),
    /// The disk fails. The recording goes on; what waits follows when the fault is over.
    Fault(String),
    /// The fault is over, and nothing is missing.
    Recovered,
}

/// A line that is recorded.
pub struct Recorder {
    line: Line,
    shift: Millis,
    journal: Arc<Journal>,
    files: Arc<Mutex<LineFiles>>,
    durability: Durability,
    committer: Committer,
    id: LineId,
    /// The live files have it, and the thread that writes was not told yet.
    unsent: Vec<Publication>,
}

impl Recorder {
    /// Begins to record. `shift`: the time of the line when its log was opened. `tell` is called by the thread that writes,
    /// and must not wait.
    ///
    /// # Errors
    ///
    /// When that thread has ended.
    pub fn new(
        line: Line,
        shift: Millis,
        journal: Journal,
        line_files: LineFiles,
        durability: Durability,
        committer: Committer,
        tell: impl Fn(WriterReport) + Send + 'static,
    ) -> Result<Recorder, WriterStopped> {
        let (journal, line_files) = (Arc::new(journal), Arc::new(Mutex::new(line_files)));
        let id = committer.open(Arc::clone(&journal), Arc::clone(&line_files), Box::new(tell))?;
        Ok(Recorder { line, shift, journal, files: line_files, durability, committer, id, unsent: Vec::new() })
    }

    /// Something happened: into the log, into the core; what the core publishes is on its way then. Returns what else is
    /// to be done.
    ///
    /// # Errors
    ///
    /// When the thread that writes has ended. The log has what happened.
    pub fn handle(&mut self, at: u64, input: Input) -> Result<Vec<Output>, WriterStopped> {
        let mut others = self.handle_until_publication(at, input, |_| {})?;
        others.extend(self.finish_handling(|_| {})?);
        Ok(others)
    }

    /// The same as far as [`Line::handle_until_publication`] goes. `on_effect` hears of everything that the core wants done, before it is done.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn handle_until_publication(
        &mut self,
        at: u64,
        input: Input,
        on_effect: impl FnMut(&Effect),
    ) -> Result<Vec<Output>, WriterStopped> {
        if self.durability == Durability::Safe && self.line.has_complete_ply() {
            self.committer.prewake();
        }
        let now = self.shift + Millis(at);
        let mut outputs = Vec::new();
        if input == Input::Tick {
            outputs = self.line.advance_to(now);
            if !outputs.iter().any(|output| output.effect.is_publication()) {
                return self.publish(outputs, on_effect);
            }
            // What is published because time passed has no input; a replay has to know how far time had gone.
        }
        self.write(at, input.to_record());
        outputs.extend(self.line.handle_until_publication(now, input));
        self.publish(outputs, on_effect)
    }

    /// What would come of a request. It is tried on a copy of the core: nothing of it is in the log, sent or published.
    pub fn dry_run(&self, at: u64, request: Request) -> Vec<Output> {
        self.line.clone().handle(self.shift + Millis(at), Input::Request(request))
    }

    /// Is there something left for [`Recorder::finish_handling`]?
    pub fn has_unread_input(&self) -> bool {
        self.line.is_unfinished()
    }

    /// What [`Recorder::handle_until_publication`] has left: to be done before anything else.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn finish_handling(&mut self, on_effect: impl FnMut(&Effect)) -> Result<Vec<Output>, WriterStopped> {
        let outputs = self.line.finish_handling();
        self.publish(outputs, on_effect)
    }

    /// What the core publishes goes on its way. Returns the rest.
    fn publish(&mut self, outputs: Vec<Output>, on_effect: impl FnMut(&Effect)) -> Result<Vec<Output>, WriterStopped> {
        outputs.iter().map(|output| &output.effect).for_each(on_effect);
        let (published, rest): (Vec<Output>, Vec<Output>) =
            outputs.into_iter().partition(|output| output.effect.is_publication());
        if !published.is_empty() {
            self.journal.flush_packed();
        }
        let publication = |Output { at, board, effect }| Publication { at, board, effect };
        let published: Vec<Publication> = published.into_iter().map(publication).collect();
        let is_lazy = self.durability == Durability::Lazy;
        if is_lazy && !published.is_empty() {
            let mut line_files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            published.iter().for_each(|publication| line_files.write(publication.board, &publication.effect));
        }
        self.unsent.extend(published);
        // A lazy line is in its file: to tell of it would only keep its readers waiting.
        let may_wait = is_lazy && self.line.is_unfinished();
        if !self.unsent.is_empty() && !may_wait {
            let publications = std::mem::take(&mut self.unsent);
            self.committer.publish(self.id, publications, self.journal.end(), self.durability)?;
        }
        Ok(rest)
    }

    /// Adds a record that the core has not to know of: what was sent, a note.
    pub fn write(&self, at: u64, kind: RecordKind) {
        self.journal.write(&Record::new(at, kind));
    }

    /// Writes what of the log is held back, if it is time. Returns when it is otherwise, in the time of the log.
    pub fn flush_due(&self, now: u64) -> Option<u64> {
        let due = self.journal.flush_due()?;
        if due <= now {
            self.journal.flush_packed();
        }
        (due > now).then_some(due)
    }

    /// Does so much wait for the disk that no more should be taken from the board?
    pub fn is_backlogged(&self) -> bool {
        self.journal.is_backlogged()
    }

    /// The core, to be asked.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The log.
    pub fn log(&self) -> &Path {
        self.journal.path()
    }
}
