//! Thread that follows the events of the outlet and owns their state; other tasks receive copies.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use tokio::sync::watch;

use super::files::{EVENTS_FILE, open_in_outlet};
use super::state::ViewerHall;
use crate::follow::{EventLine, FollowEvent, Follower, Progress};

/// Longest wait for an event; the stop flag is checked after each.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Largest number of lines read in one step.
const MAX_BATCH: usize = 4096;

/// Handle that ends the thread.
pub struct EventReaderHandle(Arc<AtomicBool>);

impl EventReaderHandle {
    /// Makes the thread end soon.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Drop for EventReaderHandle {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Follows the events of a folder. The first state appears after all present lines are read.
pub fn spawn(outlet: PathBuf, hall: watch::Sender<Arc<ViewerHall>>, now: fn() -> i64) -> io::Result<EventReaderHandle> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    std::thread::Builder::new().name("events".to_owned()).spawn(move || {
        let mut reader = EventReader {
            lag: file_lag(&outlet),
            follower: Follower::new(outlet.join(EVENTS_FILE), Progress::default()).refusing_links(),
            hall: ViewerHall::default(),
            is_caught_up: false,
            now,
        };
        while !stopped.load(Ordering::Relaxed) {
            reader.step(&hall);
        }
    })?;
    Ok(EventReaderHandle(stop))
}

struct EventReader {
    follower: Follower,
    hall: ViewerHall,
    /// Delay of the outlet in ms; estimates when lines present at the start were published.
    lag: i64,
    is_caught_up: bool,
    now: fn() -> i64,
}

impl EventReader {
    /// Waits for lines, reads at most [`MAX_BATCH`], and publishes the state; the first time only after all present lines are read.
    fn step(&mut self, shown: &watch::Sender<Arc<ViewerHall>>) {
        let mut next = match self.follower.next(STOP_POLL_INTERVAL) {
            Ok(Some(news)) => Some(news),
            Ok(None) => {
                self.caught_up(shown);
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "the events cannot be read");
                self.caught_up(shown);
                std::thread::sleep(STOP_POLL_INTERVAL);
                return;
            }
        };
        let mut taken = 0;
        while let Some(news) = next.take() {
            self.apply_event(news);
            taken += 1;
            if taken < MAX_BATCH {
                // The next wait reports read errors.
                next = self.follower.poll().ok().flatten();
            }
        }
        if taken < MAX_BATCH {
            self.is_caught_up = true;
        }
        if self.is_caught_up {
            shown.send_replace(Arc::new(self.hall.clone()));
        }
    }

    fn caught_up(&mut self, shown: &watch::Sender<Arc<ViewerHall>>) {
        if !std::mem::replace(&mut self.is_caught_up, true) {
            shown.send_replace(Arc::new(self.hall.clone()));
        }
    }

    fn apply_event(&mut self, news: FollowEvent) {
        match news {
            FollowEvent::Line(EventLine { seq, generation, station, text }) => {
                let now = (self.now)();
                let heard =
                    if self.is_caught_up { now } else { event_time(&text).map_or(now, |at| (at + self.lag).min(now)) };
                self.hall.apply(seq, generation.as_deref(), station.as_deref(), &text, heard);
            }
            FollowEvent::Restarted { generation, reason: why } => {
                tracing::info!(?generation, ?why, "the events begin anew");
                self.hall = ViewerHall::default();
            }
            FollowEvent::Damaged { seq, problem: what } => tracing::warn!(seq, what, "a line of the events is none"),
            FollowEvent::FileMissing => tracing::info!("there is no file of events; waiting for it"),
            FollowEvent::Truncated { lines } => tracing::info!(lines, "the events were cut; waiting for the rest"),
            FollowEvent::Resumed => tracing::info!("the events are there again"),
        }
    }
}

/// Returns the time of an event, in ms since 1970.
fn event_time(line: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct TimedEvent {
        at: String,
    }
    let event: TimedEvent = serde_json::from_str(line).ok()?;
    Some(chrono::DateTime::parse_from_rfc3339(&event.at).ok()?.timestamp_millis())
}

/// Returns the time from the last event to the last write of the file: the delay of this outlet.
fn file_lag(outlet: &std::path::Path) -> i64 {
    let read = || {
        let file = open_in_outlet(outlet, EVENTS_FILE).ok()?;
        let there = file.metadata().ok()?;
        let written = i64::try_from(there.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()?;
        let last = last_line(&file, there.len()).ok()?;
        Some(written - event_time(&last)?)
    };
    /// Largest delay of an outlet, see `delay` in the configuration.
    const MAX_DELAY: i64 = 86_400_000;
    read().filter(|lag| (0..=MAX_DELAY).contains(lag)).unwrap_or(0)
}

/// Returns the last complete line of a file.
fn last_line(file: &std::fs::File, length: u64) -> io::Result<String> {
    use std::os::unix::fs::FileExt;
    let begin = length.saturating_sub(64 << 10);
    let mut end = vec![0; (length - begin) as usize];
    file.read_exact_at(&mut end, begin)?;
    let text = String::from_utf8_lossy(&end);
    Ok(text.trim_end().rsplit('\n').next().unwrap_or_default().to_owned())
}
