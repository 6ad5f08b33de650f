//! Channels from the lines to the threads that write.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use damcast_engine::session::Output;
use tokio::sync::oneshot;

use super::log_writer::{LogWork, LogWriter};
use super::message::{RecordingId, ReportFn, WriterMessage};
use crate::disk::Durability;
use crate::journal::Journal;
use crate::journal::witness::Witnesses;
use crate::live_files::LineFiles;

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

/// Sender of messages to the writer thread; each line has a clone.
#[derive(Clone)]
pub struct Committer {
    sender: mpsc::Sender<WriterMessage>,
    /// Sender of work to the thread that writes the logs; `None` if the lines do it themselves.
    log_sender: Option<mpsc::Sender<LogWork>>,
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
        Committer { sender, log_sender: None, last: Arc::default(), announced, witnesses }
    }

    /// Gives the writing of the logs to a thread, which must be started. Without it, a line writes its log itself.
    pub fn start_log_writer(&mut self) -> LogWriter {
        let (log_sender, inbox) = mpsc::channel();
        self.log_sender = Some(log_sender);
        LogWriter { inbox, writer: self.sender.clone() }
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
        let message = WriterMessage::Publish { id, publications, upto, durability };
        match durability {
            Durability::Safe => self.send(message),
            Durability::Lazy => self.send_to_log(LogWork::Then(message)),
        }
    }

    /// Requests a notice when the log of a recording is durable up to `upto`, and what it published until now is reported. Without a notice
    /// the receiver waits as long as the disk refuses the data.
    pub(super) fn when_durable(&self, id: RecordingId, upto: u64) -> Result<oneshot::Receiver<()>, WriterStopped> {
        let (done, notice) = oneshot::channel();
        // With `sync = "lazy"`, publications go through the thread that writes the logs, and must come first.
        self.send_to_log(LogWork::Then(WriterMessage::Durable { id, upto, done }))?;
        Ok(notice)
    }

    /// Writes the new records of a log to its file.
    pub(super) fn write_records(&self, journal: &Arc<Journal>) {
        if !journal.queue() {
            // If the thread has ended, the next publication reports that.
            let _ = self.send_to_log(LogWork::Records(Arc::clone(journal)));
        }
    }

    /// Writes publications to the live files, after their records.
    pub(super) fn write_lines(
        &self,
        journal: &Arc<Journal>,
        files: &Arc<Mutex<LineFiles>>,
        publications: Vec<Output>,
    ) -> Result<(), WriterStopped> {
        let (journal, files) = (Arc::clone(journal), Arc::clone(files));
        self.send_to_log(LogWork::Lines { journal, files, publications })
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
        let message = WriterMessage::Finish { folder_and_line: log.display().to_string(), done };
        self.send_to_log(LogWork::Then(message))?;
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

    fn send_to_log(&self, work: LogWork) -> Result<(), WriterStopped> {
        match &self.log_sender {
            Some(log_sender) => log_sender.send(work).map_err(|_| WriterStopped),
            None => {
                work.run(&self.sender);
                Ok(())
            }
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
