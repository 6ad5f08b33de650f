//! Waits for changes of a file, by inotify or by polling. Each wait is short, so the caller also finds changes that inotify misses.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::parent_folder;

/// Interval between checks of the file without inotify.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Interval between checks of the file with inotify, which does not report what other machines do on network file systems (inotify(7)).
const WATCH_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Watch of a file and its folder.
pub struct FileWatch {
    inotify: Option<Inotify>,
    max_wait: Duration,
}

/// Queue of inotify events.
struct Inotify {
    inotify: OwnedFd,
    /// Watch descriptor of the file; `None` if the file is missing.
    file: Option<i32>,
}

impl FileWatch {
    /// Creates a watch by inotify. Polls instead if the system has no inotify, or cannot watch the existing folder.
    pub fn new(path: &Path) -> FileWatch {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
        let is_watched = |inotify: &OwnedFd| inotify::add_watch(inotify, parent_folder(path), watch_folder()).is_ok();
        match inotify {
            Some(inotify) if is_watched(&inotify) || !parent_folder(path).exists() => {
                FileWatch { inotify: Some(Inotify { inotify, file: None }), max_wait: WATCH_CHECK_INTERVAL }
            }
            _ => FileWatch::polling(POLL_INTERVAL),
        }
    }

    /// Creates a watch without inotify; each wait ends after this time at the latest.
    pub fn polling(every: Duration) -> FileWatch {
        FileWatch { inotify: None, max_wait: every }
    }

    /// Makes later changes end the next [`FileWatch::wait`].
    pub fn arm(&mut self, path: &Path) {
        let Some(system) = &mut self.inotify else { return };
        // Adding a watch again has no effect unless the path leads to another file. A missing path gets no watch, but the next
        // wait ends after `max_wait`.
        let _ = inotify::add_watch(&system.inotify, parent_folder(path), watch_folder());
        let grows = WatchFlags::MODIFY | WatchFlags::ATTRIB;
        let file = inotify::add_watch(&system.inotify, path, grows).ok();
        if let Some(before) = std::mem::replace(&mut system.file, file).filter(|before| Some(*before) != file) {
            // Fails if the file was deleted: the kernel has removed its watch.
            let _ = inotify::remove_watch(&system.inotify, before);
        }
    }

    /// Waits for a change, for at most `patience`. May return earlier without a change.
    pub fn wait(&mut self, patience: Duration) -> io::Result<()> {
        let patience = patience.min(self.max_wait);
        let Some(system) = &self.inotify else {
            std::thread::sleep(patience);
            return Ok(());
        };
        let timeout = Timespec { tv_sec: patience.as_secs().cast_signed(), tv_nsec: patience.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&system.inotify, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        // The caller checks the file, so the events themselves are discarded.
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&system.inotify, &mut buffer);
        while reader.next().is_ok() {}
        Ok(())
    }
}

fn watch_folder() -> WatchFlags {
    WatchFlags::CREATE
        | WatchFlags::MOVED_TO
        | WatchFlags::MOVED_FROM
        | WatchFlags::DELETE
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
}
