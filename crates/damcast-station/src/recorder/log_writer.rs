//! Writes the logs of all lines, so that no line waits for a disk.
//!
//! ```text
//!   line's task:  record in memory ─▸ core ─▸ publications
//!                      │                          │ lazy              │ safe
//!   this thread:   log file  ◂────────────── log file, live files     │
//!                                                 ▾                   ▾
//!                                          the thread that makes things durable
//! ```
//!
//! While a disk stalls, lines go on: boards are read, asked and understood, and what follows from it is published when the disk answers.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use damcast_engine::session::Output;

use super::message::WriterMessage;
use crate::journal::Journal;
use crate::live_files::LineFiles;
use crate::locks::lock;

/// Longest time between two heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Work for the thread that writes the logs.
pub(super) enum LogWork {
    /// The log has new records.
    Records(Arc<Journal>),
    /// Lines that readers may see before they are durable.
    Lines { journal: Arc<Journal>, files: Arc<Mutex<LineFiles>>, publications: Vec<Output> },
    /// Message that must follow the work before it.
    Then(WriterMessage),
}

impl LogWork {
    /// Does the work. Messages go to the thread that makes things durable; if it has ended, the lines notice that themselves.
    pub(super) fn run(self, writer: &mpsc::Sender<WriterMessage>) {
        match self {
            LogWork::Records(journal) => {
                journal.unqueue();
                journal.write_out();
            }
            LogWork::Lines { journal, files, publications } => {
                journal.write_out();
                let mut files = lock(&files);
                publications.iter().for_each(|publication| files.write(publication.board, &publication.effect));
            }
            LogWork::Then(message) => drop(writer.send(message)),
        }
    }
}

/// Thread that writes the logs.
pub struct LogWriter {
    pub(super) inbox: mpsc::Receiver<LogWork>,
    pub(super) writer: mpsc::Sender<WriterMessage>,
}

impl LogWriter {
    /// Runs until the last line is gone. Calls `beat` at least every second while the disk answers.
    pub fn run(self, beat: impl Fn()) {
        loop {
            beat();
            match self.inbox.recv_timeout(HEARTBEAT_INTERVAL) {
                Ok(work) => work.run(&self.writer),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}
