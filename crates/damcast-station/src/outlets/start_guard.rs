//! Keeps recording when the publication cannot start.
//!
//! A station that is killed for its memory while it makes its public files would be killed again by each restart, and record nothing. So
//! it counts the starts in a row that ended before the public files were written. After some of them it records first, and makes the
//! public files after a pause, which doubles with each such start.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tracing::error;

use crate::config::PUBLIC;
use crate::file_problems::{ProblemReport, ProblemReporter};
use crate::heartbeat::Heartbeat;

/// Name of the file with the count, in the station's folder. It exists only until the public files are written.
const COUNT_FILE: &str = "unfinished-starts";
/// Number of unfinished starts without a pause: cables and power may fail at any moment.
const TOLERATED: u32 = 5;
const MIN_PAUSE: Duration = Duration::from_secs(30);
const MAX_PAUSE: Duration = Duration::from_secs(3_600);
/// Interval for checking whether the station stops.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// A start whose public files are not written yet.
pub struct StartGuard {
    path: PathBuf,
    /// Number of unfinished starts in a row before this one.
    unfinished: u32,
}

impl StartGuard {
    /// Counts a start of the station that records into this folder. If the count cannot be written, there is no pause.
    pub fn begin(directory: &Path) -> StartGuard {
        let path = directory.join(COUNT_FILE);
        let unfinished: u32 = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let _ = fs::write(&path, format!("{}\n", unfinished.saturating_add(1)));
        StartGuard { path, unfinished }
    }

    /// Waits for the end of the pause, with an alarm. Returns whether the station still runs.
    pub fn wait(&self, reporter: &ProblemReporter, heartbeat: &Heartbeat, stop: &watch::Receiver<bool>) -> bool {
        let (start, pause, unfinished) = (Instant::now(), self.pause(), self.unfinished);
        if !pause.is_zero() {
            error!(
                "the last {unfinished} starts ended before the public files were written; boards are recorded first"
            );
        }
        while start.elapsed() < pause {
            if *stop.borrow() {
                return false;
            }
            heartbeat.beat();
            let left = pause.saturating_sub(start.elapsed()).as_secs() + 1;
            let problem = format!(
                "the last {unfinished} starts ended before the public files were written, perhaps for want of memory (MemoryMax= of the \
                 service); boards are recorded, and the public files follow in {left} s"
            );
            reporter.report([ProblemReport::new(PUBLIC, problem)]);
            std::thread::sleep(STOP_CHECK_INTERVAL);
        }
        true
    }

    /// Returns how long the public files have to wait.
    fn pause(&self) -> Duration {
        match self.unfinished.checked_sub(TOLERATED) {
            None => Duration::ZERO,
            Some(more) => MIN_PAUSE.saturating_mul(1 << more.min(16)).min(MAX_PAUSE),
        }
    }

    /// Ends the count: the public files are written, or the station was stopped.
    pub fn finish(self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_grows_with_unfinished_starts_alone() {
        let folder = tempfile::tempdir().unwrap();
        let pauses: Vec<u64> = (0..16).map(|_| StartGuard::begin(folder.path()).pause().as_secs()).collect();
        assert_eq!(pauses, [0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600, 3_600]);
        StartGuard::begin(folder.path()).finish();
        assert_eq!(StartGuard::begin(folder.path()).unfinished, 0);
        fs::write(folder.path().join(COUNT_FILE), "many").unwrap();
        assert_eq!(StartGuard::begin(folder.path()).pause(), Duration::ZERO);
    }
}
