//! Channel from the lines to the writer thread.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use damcast_engine::session::{Effect, Output};

use super::WriterReport;
use crate::disk::Durability;
use crate::journal::Journal;
use crate::journal::witness::Witnesses;
use crate::live_files::LineFiles;

/// Id of a recording, from the opening of its log to its end.
pub type RecordingId = u64;

/// Callback that receives the writer's reports for a line.
pub type ReportFn = Box<dyn Fn(WriterReport) + Send>;

/// Error: the writer thread has ended, by a bug; nothing can be published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the thread that writes the files has ended")]
pub struct WriterStopped;

/// Error: a recording could not be completed in time, because the disk fails.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{log} could not be written to its end within {limit:?}")]
pub struct FlushTimeout {
    log: String,
    limit: Duration,
}

/// Message to the writer thread.
pub(super) enum WriterMessage {
    Open {
        id: RecordingId,
        journal: Arc<Journal>,
        files: Arc<Mutex<LineFiles>>,
        report: ReportFn,
    },
    /// Wakes the thread: a publication may follow in a moment.
    Announce,
    Publish {
        id: RecordingId,
        publications: Vec<Output>,
        upto: u64,
        durability: Durability,
    },
    Finish {
        folder_and_line: String,
        done: mpsc::Sender<()>,
    },
}

impl WriterMessage {
    /// Whether no line of a file waits for it.
    pub(super) fn is_deferrable(&self) -> bool {
        let WriterMessage::Publish { publications, durability, .. } = self else { return false };
        let is_aside = |publication: &Output| matches!(publication.effect, Effect::LiveUpdate(_));
        *durability == Durability::Lazy || publications.iter().all(is_aside)
    }
}

/// Sender of messages to the writer thread; each line has a clone.
#[derive(Clone)]
pub struct Committer {
    sender: mpsc::Sender<WriterMessage>,
    last: Arc<AtomicU64>,
    /// Whether an announcement is still unread. One is enough, even while a disk blocks the thread for hours.
    announced: Arc<AtomicBool>,
    witnesses: Witnesses,
}

impl Committer {
    /// Creates a committer. The writer thread clears `announced` when it reads the announcement.
    pub(super) fn new(
        sender: mpsc::Sender<WriterMessage>,
        announced: Arc<AtomicBool>,
        witnesses: Witnesses,
    ) -> Committer {
        Committer { sender, last: Arc::default(), announced, witnesses }
    }

    /// Returns the witnesses of the station's files, which the writer puts into the commits.
    pub fn witnesses(&self) -> &Witnesses {
        &self.witnesses
    }

    pub(super) fn open(
        &self,
        journal: Arc<Journal>,
        line_files: Arc<Mutex<LineFiles>>,
        tell: ReportFn,
    ) -> Result<RecordingId, WriterStopped> {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        self.send(WriterMessage::Open { id, journal, files: line_files, report: tell })?;
        Ok(id)
    }

    pub(super) fn publish(
        &self,
        id: RecordingId,
        publications: Vec<Output>,
        upto: u64,
        durability: Durability,
    ) -> Result<(), WriterStopped> {
        self.send(WriterMessage::Publish { id, publications, upto, durability })
    }

    /// Wakes the thread early, while the input is still being logged and handled, because a publication may follow.
    pub(super) fn prewake(&self) {
        if !self.announced.swap(true, Ordering::Relaxed) {
            // If the thread has ended, the next publication reports that.
            let _ = self.send(WriterMessage::Announce);
        }
    }

    /// Requests the end of all recordings of a line, with everything that it has to publish; `log` is the common prefix of the paths of its
    /// logs. The channel disconnects when they are durable and none of their files is being written.
    ///
    /// # Errors
    ///
    /// Returns an error if the thread has ended.
    pub fn request_finish(&self, log: &Path) -> Result<mpsc::Receiver<()>, WriterStopped> {
        let (done, answer) = mpsc::channel();
        self.send(WriterMessage::Finish { folder_and_line: log.display().to_string(), done })?;
        Ok(answer)
    }

    /// Requests the end as [`Committer::request_finish`] does, and waits for it.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk fails for longer than `limit`, or the thread has ended.
    pub fn finish(&self, log: &Path, limit: Duration) -> Result<(), FlushTimeout> {
        let unfinished = || FlushTimeout { log: log.display().to_string(), limit };
        let answer = self.request_finish(log).map_err(|WriterStopped| unfinished())?;
        match answer.recv_timeout(limit) {
            Err(mpsc::RecvTimeoutError::Timeout) => Err(unfinished()),
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => Ok(()),
        }
    }

    fn send(&self, message: WriterMessage) -> Result<(), WriterStopped> {
        self.sender.send(message).map_err(|_| WriterStopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_announcement_waits_once() {
        let (sender, inbox) = mpsc::channel();
        let announced = Arc::new(AtomicBool::new(false));
        let committer = Committer::new(sender, Arc::clone(&announced), Witnesses::default());
        (0..1000).for_each(|_| committer.clone().prewake());
        assert_eq!(inbox.try_iter().count(), 1);
        announced.store(false, Ordering::Relaxed);
        committer.prewake();
        assert_eq!(inbox.try_iter().count(), 1);
    }
}
