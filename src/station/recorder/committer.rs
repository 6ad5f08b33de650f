//! The way from the lines to the thread that writes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use super::{Publication, WriterReport};
use crate::engine::session::Effect;
use crate::station::disk::Durability;
use crate::station::journal::Journal;
use crate::station::journal::witness::Witnesses;
use crate::station::live_files::LineFiles;

/// A recording, from the opening of its log to its end.
pub type LineId = u64;

/// How a line is told.
pub type ReportFn = Box<dyn Fn(WriterReport) + Send>;

/// The thread that writes has ended, by a bug; nothing can be published any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the thread that writes the files has ended")]
pub struct WriterStopped;

/// A recording could not be brought to its end in time, because the disk fails.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{log} could not be written to its end within {limit:?}")]
pub struct FlushTimeout {
    log: String,
    limit: Duration,
}

/// What the thread is told.
pub(super) enum WriterMessage {
    Open {
        id: LineId,
        journal: Arc<Journal>,
        files: Arc<Mutex<LineFiles>>,
        report: ReportFn,
    },
    /// Something may be to be published in a moment.
    Announce,
    Publish {
        id: LineId,
        publications: Vec<Publication>,
        upto: u64,
        durability: Durability,
    },
    Finish {
        folder_and_line: String,
        done: mpsc::Sender<()>,
    },
}

impl WriterMessage {
    /// Does no line of a file wait for it?
    pub(super) fn is_deferrable(&self) -> bool {
        let WriterMessage::Publish { publications, durability, .. } = self else { return false };
        let is_aside = |publication: &Publication| matches!(publication.effect, Effect::LiveUpdate(_));
        *durability == Durability::Lazy || publications.iter().all(is_aside)
    }
}

/// A line's end of the way.
#[derive(Clone)]
pub struct Committer {
    sender: mpsc::Sender<WriterMessage>,
    last: Arc<AtomicU64>,
    /// The thread has not heard yet what was announced: once is enough, also while a disk keeps it for hours.
    announced: Arc<AtomicBool>,
    witnesses: Witnesses,
}

impl Committer {
    /// Whoever hears [`Message::Announce`] clears `announced`.
    pub(super) fn new(
        sender: mpsc::Sender<WriterMessage>,
        announced: Arc<AtomicBool>,
        witnesses: Witnesses,
    ) -> Committer {
        Committer { sender, last: Arc::default(), announced, witnesses }
    }

    /// Witnesses of the station's files, which the thread puts into the commits.
    pub fn witnesses(&self) -> &Witnesses {
        &self.witnesses
    }

    pub(super) fn open(
        &self,
        journal: Arc<Journal>,
        line_files: Arc<Mutex<LineFiles>>,
        tell: ReportFn,
    ) -> Result<LineId, WriterStopped> {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        self.send(WriterMessage::Open { id, journal, files: line_files, report: tell })?;
        Ok(id)
    }

    pub(super) fn publish(
        &self,
        id: LineId,
        publications: Vec<Publication>,
        upto: u64,
        durability: Durability,
    ) -> Result<(), WriterStopped> {
        self.send(WriterMessage::Publish { id, publications, upto, durability })
    }

    /// There may be something to publish in a moment: the thread is woken while the reason for it is still written down and
    /// looked at.
    pub(super) fn prewake(&self) {
        if !self.announced.swap(true, Ordering::Relaxed) {
            // If it has ended, who publishes is told so.
            let _ = self.send(WriterMessage::Announce);
        }
    }

    /// Asks for the end of whatever recordings there are of this line, with all that it had to publish; `log` is how the
    /// paths of its logs begin. When they are on the disk, and nothing of them is written any more, the receiver is told
    /// that nobody is left to tell it anything.
    ///
    /// # Errors
    ///
    /// When the thread has ended.
    pub fn request_finish(&self, log: &Path) -> Result<mpsc::Receiver<()>, WriterStopped> {
        let (done, answer) = mpsc::channel();
        self.send(WriterMessage::Finish { folder_and_line: log.display().to_string(), done })?;
        Ok(answer)
    }

    /// The same, and waits for it.
    ///
    /// # Errors
    ///
    /// When the disk fails for longer than `limit`, or the thread has ended.
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
