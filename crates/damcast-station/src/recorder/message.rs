//! Messages to the writer thread.

use std::sync::{Arc, Mutex, mpsc};

use damcast_engine::session::{Effect, Output};
use tokio::sync::oneshot;

use super::WriterReport;
use crate::disk::Durability;
use crate::journal::Journal;
use crate::live_files::LineFiles;

/// Id of a recording, from the opening of its log to its end.
pub type RecordingId = u64;

/// Callback that receives the writer's reports for a line.
pub type ReportFn = Box<dyn Fn(WriterReport) + Send>;

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
    /// Request for a notice when the log is durable up to `upto`, and the publications before it are reported.
    Durable {
        id: RecordingId,
        upto: u64,
        done: oneshot::Sender<()>,
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
