//! Pages of an outlet as plain files, written before they are delivered: `pages = true`.
//!
//! A thread of its own renders them, so that a large event delays no other delivery.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::{oneshot, watch};

use crate::web::static_pages::{self, StaticOptions};
use crate::web::{Language, live};

/// Writer of the pages; ends when it is dropped.
pub struct PageWriter {
    _stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
    /// Reason why the pages could not be written last time.
    trouble: watch::Receiver<Option<Arc<str>>>,
}

impl PageWriter {
    /// Starts a writer of the pages of an outlet into a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn spawn(outlet: PathBuf, into: PathBuf, language: Language) -> io::Result<PageWriter> {
        let options = StaticOptions { outlet, into, language, now: live::now };
        let (stop, stopped) = oneshot::channel::<()>();
        let (reason, trouble) = watch::channel(None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("pages".to_owned()).spawn(move || {
            let words = |error: &io::Error| Some(Arc::from(error.to_string()));
            let until = async { drop(stopped.await) };
            let renewed = static_pages::renew(options, until, |renewal| {
                reason.send_replace(renewal.as_ref().err().and_then(words));
            });
            if let Err(error) = runtime.block_on(renewed) {
                reason.send_replace(words(&error));
            }
        })?;
        Ok(PageWriter { _stop: stop, thread, trouble })
    }

    /// Whether the writer has given up.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Returns the reason why the pages could not be written last time.
    pub fn trouble(&self) -> Option<Arc<str>> {
        self.trouble.borrow().clone()
    }
}

/// Writes the pages of an outlet once.
///
/// # Errors
///
/// Returns any I/O error.
pub async fn write_once(outlet: PathBuf, into: PathBuf, language: Language) -> io::Result<()> {
    static_pages::write_once(StaticOptions { outlet, into, language, now: live::now }).await.map(drop)
}
