//! Waits until something is done to a file, as far as the system tells; and never for long without looking.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::parent_folder;

/// Where the system tells nothing, the file is looked at so often.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Where it does, all the same: it does not tell of disks of other machines.
const WATCH_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How growth is noticed.
pub struct FileWatch {
    inotify: Option<Inotify>,
    max_wait: Duration,
}

/// What the system tells.
struct Inotify {
    inotify: OwnedFd,
    /// The watch of the file.
    file: Option<i32>,
}

impl FileWatch {
    /// By what the system tells of the file and its folder, where it does.
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

    /// By looking every so often.
    pub fn polling(every: Duration) -> FileWatch {
        FileWatch { inotify: None, max_wait: every }
    }

    /// What happens from now on ends the waiting.
    pub fn arm(&mut self, path: &Path) {
        let Some(system) = &mut self.inotify else { return };
        // A folder or a file that is another one now is watched anew; for one that is watched already this does nothing. One that
        // is not there is found by looking.
        let _ = inotify::add_watch(&system.inotify, parent_folder(path), watch_folder());
        let grows = WatchFlags::MODIFY | WatchFlags::ATTRIB;
        let file = inotify::add_watch(&system.inotify, path, grows).ok();
        if let Some(before) = std::mem::replace(&mut system.file, file).filter(|before| Some(*before) != file) {
            // It may have gone with its file.
            let _ = inotify::remove_watch(&system.inotify, before);
        }
    }

    /// Waits until something has happened, or so long.
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
        // What it was does not matter: the file is looked at.
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
