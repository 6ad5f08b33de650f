//! Thread that follows the events of the outlet and owns their state; other tasks receive copies, as views.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde::Deserialize;
use tokio::sync::watch;

use super::files::{EVENTS_FILE, OutletFiles, open_in_outlet};
use super::plan::ViewerPlan;
use super::state::{ViewerHall, time_of};
use super::view::{OutletDelay, View, featured, is_past};
use crate::follow::{EventLine, FollowEvent, Follower, Progress};

/// Longest wait for an event; the sign of life and the receivers are checked after each.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Age of the last sign of the recorder after which it counts as silent; it gives one every 5 seconds.
const MAX_SIGN_AGE: Duration = Duration::from_secs(11);
/// Largest number of lines read in one step.
const MAX_BATCH: usize = 4096;
/// Number of lines in one step from which on the station is still writing a new file of events.
const MIN_BURST: usize = 64;
/// Time without such a step after which a new file of events is whole.
const BURST_PAUSE: Duration = Duration::from_secs(1);
/// Time after which a new file of events is shown even if the station is still writing it.
const MAX_BURST: Duration = Duration::from_secs(10);
/// Lateness in ms, beyond the delay of the outlet, above which a line was held up on its way.
const MAX_LATENESS: i64 = 10_000;

/// Follows a folder until `views` has no receivers. The first view appears after all present lines are read. `sign` receives the time of
/// the recorder's last sign of life, in ms since 1970.
pub fn spawn(
    outlet: PathBuf,
    files: Arc<OutletFiles>,
    views: watch::Sender<Arc<View>>,
    sign: Arc<AtomicI64>,
    now: fn() -> i64,
) -> io::Result<()> {
    std::thread::Builder::new().name("events".to_owned()).spawn(move || {
        let mut reader = EventReader {
            lag: file_lag(&outlet),
            lags: HashMap::new(),
            live_halls: HashSet::new(),
            follower: Follower::new(outlet.join(EVENTS_FILE), Progress::default()).refusing_links(),
            hall: ViewerHall::default(),
            files,
            sign: RecorderSign { published: sign, ..RecorderSign::default() },
            started_at: Instant::now(),
            view: Arc::default(),
            is_caught_up: false,
            rewritten: None,
            unreadable_since: None,
            is_read: true,
            now,
        };
        while !views.is_closed() {
            reader.step(&views);
        }
    })?;
    Ok(())
}

struct EventReader {
    follower: Follower,
    hall: ViewerHall,
    files: Arc<OutletFiles>,
    sign: RecorderSign,
    started_at: Instant,
    /// Last published view.
    view: Arc<View>,
    /// Delay of the outlet in ms, when this began: lines of a whole file were published after it.
    lag: i64,
    /// Delay of each hall in ms, from its last line of a game that was read live, or from the hub. An outlet of one hall has no name.
    lags: HashMap<String, i64>,
    /// Halls with live updates, which an outlet with a delay in plies has not: its lines come late by any time.
    live_halls: HashSet<String>,
    is_caught_up: bool,
    /// Times at which a new generation began, and at which [`MIN_BURST`] of its lines last came in one step; `None` once it is read.
    rewritten: Option<(Instant, Instant)>,
    /// Time since which the events cannot be read.
    unreadable_since: Option<Instant>,
    /// Whether the last step could read the events.
    is_read: bool,
    now: fn() -> i64,
}

impl EventReader {
    /// Waits for lines, reads at most [`MAX_BATCH`], and publishes a view if something has changed; the first one only after all present
    /// lines are read.
    fn step(&mut self, views: &watch::Sender<Arc<View>>) {
        let mut next = self.follower.next(POLL_INTERVAL);
        let mut batch = Vec::new();
        while let Ok(Some(news)) = next {
            batch.push(news);
            // The next wait reports read errors.
            next = if batch.len() < MAX_BATCH { self.follower.poll().or(Ok(None)) } else { Ok(None) };
        }
        let is_alone = batch.len() == 1;
        let taken = batch.len();
        batch.into_iter().for_each(|news| self.apply_event(news, is_alone));
        if let Err(error) = next {
            if std::mem::take(&mut self.is_read) {
                tracing::warn!(%error, "the events cannot be read");
                self.unreadable_since.get_or_insert_with(Instant::now);
            }
            std::thread::sleep(POLL_INTERVAL);
        } else if !std::mem::replace(&mut self.is_read, true) {
            self.unreadable_since = None;
        } else if !self.is_caught_up && taken < MAX_BATCH && self.is_whole(taken) {
            self.is_caught_up = true;
            self.rewritten = None;
            return self.publish(true, views);
        }
        if self.is_caught_up {
            self.publish(taken > 0, views);
        }
    }

    /// Whether a new file of events is whole: the station writes a large one in parts.
    fn is_whole(&mut self, taken: usize) -> bool {
        let Some((begun, busy)) = &mut self.rewritten else { return true };
        if taken >= MIN_BURST {
            *busy = Instant::now();
        }
        busy.elapsed() >= BURST_PAUSE || begun.elapsed() >= MAX_BURST
    }

    /// Publishes a view if the events, the recorder's signs of life, the delay or the featured board have changed, or the event is over.
    fn publish(&mut self, has_news: bool, views: &watch::Sender<Arc<View>>) {
        let now = (self.now)();
        let unread = self.unreadable_since.map(|since| since.elapsed()).filter(|age| *age > MAX_SIGN_AGE);
        let unread = unread.map(|age| self.view.silent_since.unwrap_or(before(now, age)));
        let silent_since = self.sign.silent_since(&self.files, now, self.started_at).or(unread);
        let is_same = || {
            silent_since == self.view.silent_since
                && self.sign.delay == self.view.delay
                && featured(&self.view.hall, &self.view.plan, now) == self.view.featured.as_deref()
                && is_past(&self.view.plan, now) == self.view.is_past
        };
        if has_news || !is_same() {
            let is_planned = self.hall.plan_key() == self.view.hall.plan_key();
            let plan = if is_planned { self.view.plan.clone() } else { Arc::new(ViewerPlan::of_halls(&self.hall)) };
            let step = self.view.step + 1;
            let mut view = View::new(self.hall.clone(), plan, silent_since, (now, step));
            view.delay = self.sign.delay;
            self.view = Arc::new(view);
            views.send_replace(self.view.clone());
        }
    }

    /// Applies news of the file; `is_alone`: it was the only one of its step.
    fn apply_event(&mut self, news: FollowEvent, is_alone: bool) {
        match news {
            FollowEvent::Line(EventLine { seq, generation, text, .. }) => {
                self.unreadable_since = None;
                let now = (self.now)();
                let event = TimedEvent::parse(&text);
                self.lags.extend(event.iter().filter_map(|event| Some((event.hall.clone(), event.told_delay?))));
                self.live_halls
                    .extend(event.iter().filter(|event| event.is_live_update).map(|event| event.hall.clone()));
                let lag = event.as_ref().and_then(|event| self.lags.get(&event.hall)).copied().unwrap_or(self.lag);
                let delay =
                    event.as_ref().filter(|event| event.is_delayed).map(|event| now - event.at).filter(is_delay);
                // Lines that were held up come together. Single late lines come from an outlet whose delay has changed.
                let is_live = event.as_ref().is_some_and(|event| self.live_halls.contains(&event.hall));
                let is_late = delay.is_some_and(|delay| delay > lag + MAX_LATENESS) && !is_alone && is_live;
                let heard = match event {
                    Some(event) if !self.is_caught_up || is_late => (event.at + lag).min(now),
                    Some(event) => {
                        self.lags.extend(delay.map(|delay| (event.hall, delay)));
                        now
                    }
                    None => now,
                };
                self.hall.apply(seq, generation.as_deref(), &text, heard);
            }
            FollowEvent::Restarted { generation, reason: why } => {
                tracing::info!(?generation, ?why, "the events begin anew");
                self.hall = self.hall.begun_anew();
                // Keep the present view until the new file is read: its lines are not new.
                self.is_caught_up = false;
                self.rewritten = Some((Instant::now(), Instant::now()));
                self.unreadable_since = None;
            }
            FollowEvent::Damaged { seq, problem: what } => {
                tracing::warn!(seq, what, "invalid line in the file of events");
                self.unreadable_since.get_or_insert_with(Instant::now);
            }
            // With the file the sign of life is gone, which tells that the pages may be old.
            FollowEvent::FileMissing => tracing::info!("there is no file of events; waiting for it"),
            FollowEvent::Truncated { lines } => {
                tracing::info!(lines, "the events were cut; waiting for the rest");
                self.unreadable_since.get_or_insert_with(Instant::now);
            }
            FollowEvent::Resumed => {
                tracing::info!("the events are there again");
                self.unreadable_since = None;
            }
        }
    }
}

/// Returns the time of an age, in ms since 1970.
fn before(now: i64, age: Duration) -> i64 {
    now - i64::try_from(age.as_millis()).unwrap_or(0)
}

/// Last sign of the recorder, in `alive.json`.
#[derive(Default)]
pub struct RecorderSign {
    text: Vec<u8>,
    /// Time at which the file last changed; `None` without the file.
    changed_at: Option<Instant>,
    /// Delay of the outlet, as the last sign says.
    pub delay: OutletDelay,
    /// Time since which the recorder is silent, in ms since 1970.
    silent_since: Option<i64>,
    /// Time of the last sign, in ms since 1970, for other threads; 0 without one.
    published: Arc<AtomicI64>,
}

impl RecorderSign {
    /// Returns the age of the last sign; `None` if there was none since the first call. While the file cannot be read, the age of the last
    /// sign counts.
    pub fn age(&mut self, files: &OutletFiles) -> Option<Duration> {
        if let Some((text, modified)) = files.sign().filter(|(text, _)| *text != self.text) {
            // The first sign may be an old one; later the time of this machine does not matter.
            let age = modified.elapsed().unwrap_or_default().min(Duration::from_secs(86_400 * 365));
            let is_first = self.changed_at.is_none();
            self.changed_at = Instant::now().checked_sub(age).filter(|_| is_first).or(Some(Instant::now()));
            self.delay = serde_json::from_slice(&text).unwrap_or_default();
            self.text = text;
        }
        Some(self.changed_at?.elapsed())
    }

    /// Returns the time since which the recorder is silent, in ms since 1970; `None` while it gives signs. Without a sign since `started_at`, the
    /// recorder is silent since then.
    fn silent_since(&mut self, files: &OutletFiles, now: i64, started_at: Instant) -> Option<i64> {
        let last = self.age(files);
        let age = last.unwrap_or_else(|| started_at.elapsed());
        let since = before(now, age);
        if last.is_some() {
            self.published.store(since, Ordering::Relaxed);
        }
        self.silent_since = (age > MAX_SIGN_AGE).then(|| self.silent_since.unwrap_or(since));
        self.silent_since
    }
}

/// Time and origin of an event.
struct TimedEvent {
    /// In ms since 1970.
    at: i64,
    /// Empty in an outlet of one hall.
    hall: String,
    /// Whether an outlet with a delay publishes it late. Lines about pairings, boards and halls, and corrections, are published at once.
    is_delayed: bool,
    is_live_update: bool,
    /// Delay of a hall in ms, as the hub tells it; `None` in other lines, and for a delay in plies, which lasts for no fixed time.
    told_delay: Option<i64>,
}

impl TimedEvent {
    fn parse(line: &str) -> Option<TimedEvent> {
        #[derive(Deserialize)]
        struct Members {
            at: String,
            board: Option<String>,
            #[serde(default)]
            hall: String,
            p: Option<u64>,
            r#type: String,
            #[serde(default)]
            delay_s: u32,
            #[serde(default)]
            delay_plies: u32,
        }
        let members: Members = serde_json::from_str(line).ok()?;
        let told_delay =
            (members.r#type == "hall" && members.delay_plies == 0).then(|| 1000 * i64::from(members.delay_s));
        Some(TimedEvent {
            at: time_of(&members.at)?,
            is_delayed: members.board.is_some() && members.r#type != "tag-correction",
            is_live_update: members.p.is_some(),
            hall: members.hall,
            told_delay,
        })
    }
}

/// Returns the time from the last event to the last write of the file: the delay of this outlet.
fn file_lag(outlet: &std::path::Path) -> i64 {
    let read = || {
        let file = open_in_outlet(outlet, EVENTS_FILE).ok()?;
        let there = file.metadata().ok()?;
        let written = i64::try_from(there.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()?;
        let last = last_line(&file, there.len()).ok()?;
        Some(written - TimedEvent::parse(&last)?.at)
    };
    read().filter(is_delay).unwrap_or(0)
}

/// Whether an outlet may have this delay, in ms; see `delay` in the configuration.
fn is_delay(lag: &i64) -> bool {
    (0..=86_400_000).contains(lag)
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
