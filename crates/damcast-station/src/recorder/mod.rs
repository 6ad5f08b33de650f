//! Connects a line's core with its log and files: takes inputs, returns outputs, and makes publications durable before readers
//! see them.
//!
//! ```text
//!                    line's task                          │        two threads for all lines
//!   input ─▸ memory ─────────────────────────────────────▸│ LogWriter: the log file
//!              └──▸ Line::handle_until_publication ───────┼─▸ Writer: the ends of all waiting logs, one sync
//!                   Line::finish_handling                 │      └─▸ live files ─▸ WriterReport::Published
//!                        ▾                                │
//!                   bytes for the board                   │      disk fault: data waits and is retried
//! ```
//!
//! A line does not wait for the disk. Publications made during a sync go with the next one, together with those of other
//! lines: sixty-four boards that move at once cost two syncs, not sixty-four.
//!
//! Invariants:
//! - The record of an input is on its way to the log before the core handles it. If the process is killed, the records of the last moment
//!   are lost, and nothing that followed from them was published. Bus answers without news are packed for up to a second, and are in the
//!   log before anything is published.
//! - A line of a file is seen only after its records are in the log and durable; with [`Durability::Lazy`], durable a moment later.
//! - Files are written in the order of publication.
//!
//! Absent on purpose: the time of day, ports, a runtime. A test can replace the [`crate::disk::Disk`].

mod committer;
mod log_writer;
mod message;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::disk::Durability;
use crate::journal::Journal;
use crate::live_files::LineFiles;
use damcast_engine::bytelog::{Record, RecordKind};
use damcast_engine::millis::Millis;
use damcast_engine::session::request::Request;
use damcast_engine::session::{BusAddress, Effect, Input, Line, Output};
use tokio::sync::oneshot;

pub use committer::{Committer, FlushTimeout, WriterStopped};
pub use log_writer::LogWriter;
pub use message::RecordingId;
pub use writer::{COMMITS_FILE, Writer};

/// Report of the writer to a line.
#[derive(Clone, PartialEq, Debug)]
pub enum WriterReport {
    /// Publications that are durable, and the time at which they went to the live files.
    Published(Vec<Output>, Instant),
    /// Files of the most recently opened games.
    FilesOpened(Vec<(Option<BusAddress>, PathBuf)>),
    /// Live files that were removed, changed or replaced; their content is in other files, or is written again.
    FilesReplaced(Vec<PathBuf>),
    /// Notice for the operator.
    Notice(String),
    /// The disk fails. Recording continues in memory, and is written when the fault is over.
    Fault(String),
    /// The fault is over, and nothing is missing.
    Recovered,
}

/// Core, log and files of one line.
pub struct Recorder {
    line: Line,
    shift: Millis,
    journal: Arc<Journal>,
    files: Arc<Mutex<LineFiles>>,
    durability: Durability,
    committer: Committer,
    id: RecordingId,
    /// Publications not yet sent to the writer thread; with `Durability::Lazy` they are on their way to the live files already.
    unsent: Vec<Output>,
}

impl Recorder {
    /// Starts a recording. `shift`: time of the line when its log was opened. The writer thread calls `tell`, which must not block.
    ///
    /// # Errors
    ///
    /// Returns an error if the writer thread has ended.
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

    /// Logs an input, passes it to the core and sends its publications to the writer. Returns the other outputs.
    ///
    /// # Errors
    ///
    /// Returns an error if the writer thread has ended. The input is logged then.
    pub fn handle(&mut self, at: u64, input: Input) -> Result<Vec<Output>, WriterStopped> {
        let mut others = self.handle_until_publication(at, input, |_| {})?;
        others.extend(self.finish_handling(|_| {})?);
        Ok(others)
    }

    /// Handles an input as [`Recorder::handle`] does, but only as far as [`Line::handle_until_publication`]. Calls `on_effect` for each
    /// effect before it is applied.
    ///
    /// # Errors
    ///
    /// Returns an error if the writer thread has ended. The input is logged then.
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
            // Log the tick: a replay needs the time at which it published something.
        }
        self.write(at, input.to_record());
        outputs.extend(self.line.handle_until_publication(now, input));
        self.publish(outputs, on_effect)
    }

    /// Returns the outputs of a request, handled by a copy of the core: nothing is logged, sent or published.
    pub fn dry_run(&self, at: u64, request: Request) -> Vec<Output> {
        self.line.clone().handle(self.shift + Millis(at), Input::Request(request))
    }

    /// Whether [`Recorder::finish_handling`] has work left.
    pub fn has_unread_input(&self) -> bool {
        self.line.is_unfinished()
    }

    /// Does the rest of [`Recorder::handle_until_publication`]; must be called before the next input.
    ///
    /// # Errors
    ///
    /// Returns an error if the writer thread has ended.
    pub fn finish_handling(&mut self, on_effect: impl FnMut(&Effect)) -> Result<Vec<Output>, WriterStopped> {
        let outputs = self.line.finish_handling();
        self.publish(outputs, on_effect)
    }

    /// Sends the publications to the writer. Returns the other outputs.
    fn publish(&mut self, outputs: Vec<Output>, on_effect: impl FnMut(&Effect)) -> Result<Vec<Output>, WriterStopped> {
        outputs.iter().map(|output| &output.effect).for_each(on_effect);
        let (published, rest): (Vec<Output>, Vec<Output>) =
            outputs.into_iter().partition(|output| output.effect.is_publication());
        let is_lazy = self.durability == Durability::Lazy;
        if !published.is_empty() {
            self.journal.flush_packed();
            self.committer.write_records(&self.journal);
            if is_lazy {
                self.committer.write_lines(&self.journal, &self.files, published.clone())?;
            }
        }
        self.unsent.extend(published);
        // A lazy line goes to its file at once; a report would only delay its readers.
        let may_wait = is_lazy && self.line.is_unfinished();
        if !self.unsent.is_empty() && !may_wait {
            let publications = std::mem::take(&mut self.unsent);
            self.committer.publish(self.id, publications, self.journal.end(), self.durability)?;
        }
        Ok(rest)
    }

    /// Adds a record that the core does not need: sent bytes or a note.
    pub fn write(&self, at: u64, kind: RecordKind) {
        self.journal.write(&Record::new(at, kind));
        self.committer.write_records(&self.journal);
    }

    /// Writes buffered log records that are due. Returns when the next are due, in the time of the log.
    pub fn flush_due(&self, now: u64) -> Option<u64> {
        let due = self.journal.flush_due()?;
        if due <= now {
            self.journal.flush_packed();
            self.committer.write_records(&self.journal);
        }
        (due > now).then_some(due)
    }

    /// Returns a function that completes when the records so far are in the log, or the disk has refused them. It blocks on the disk.
    pub fn written(&self) -> impl FnOnce() + Send + 'static {
        let journal = Arc::clone(&self.journal);
        move || journal.write_out()
    }

    /// Returns a receiver that is notified when all records so far are durable, and all publications so far are reported.
    ///
    /// # Errors
    ///
    /// Returns an error if the writer thread has ended.
    pub fn when_durable(&self) -> Result<oneshot::Receiver<()>, WriterStopped> {
        self.journal.flush_packed();
        self.committer.when_durable(self.id, self.journal.end())
    }

    /// Whether so much data waits for the disk that the board must not be read.
    pub fn is_backlogged(&self) -> bool {
        self.journal.is_backlogged()
    }

    /// Returns the core.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Returns the path of the log.
    pub fn log(&self) -> &Path {
        self.journal.path()
    }
}
