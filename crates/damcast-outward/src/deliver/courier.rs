//! Delivery of one outlet: looks for changes, and runs the command with their names.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use damcast_control::hook::{HookCall, HookKind};
use rustix::fs::{FlockOperation, flock};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::Delivery;
use super::image::{self, FolderImage};
use super::pages::{self, PageWriter};
use super::report::{self, DeliveryReport, DeliveryState};
use super::schedule::Schedule;
use super::target::Target;

/// Shortest interval between two looks at a folder.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Factor by which the pause between two looks is longer than a look, so that a large outlet costs little.
const PAUSE_FACTOR: u32 = 50;
/// Time after which a folder counts as one that does not answer.
const LOOK_TIMEOUT: Duration = Duration::from_secs(20);
/// Interval between two attempts to become the only one that delivers.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// Reports of all deliveries, with the place of one of them.
#[derive(Clone)]
pub struct Reporter {
    reports: watch::Sender<Vec<DeliveryReport>>,
    index: usize,
}

impl Reporter {
    /// Creates the reporter of a delivery.
    pub fn new(reports: watch::Sender<Vec<DeliveryReport>>, index: usize) -> Reporter {
        Reporter { reports, index }
    }

    fn change(&self, change: impl FnOnce(&mut DeliveryReport)) {
        self.reports.send_if_modified(|reports| {
            let Some(report) = reports.get_mut(self.index) else { return false };
            let before = report.clone();
            change(report);
            *report != before
        });
    }
}

/// Delivery with its memory.
pub struct Courier {
    delivery: Delivery,
    target: Target,
    /// File whose lock shows that a command of this delivery runs.
    lock: PathBuf,
    /// Folder that is delivered: the outlet, or its pages.
    folder: PathBuf,
}

impl Courier {
    /// Opens the memory of a delivery in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be used.
    pub fn open(delivery: Delivery, directory: &Path) -> io::Result<Courier> {
        let of = |extension: &str| directory.join(format!("{}.{extension}", delivery.name));
        let (target, lock) = (Target::open(&of("sent"))?, of("lock"));
        File::options().create(true).append(true).open(&lock)?;
        let folder = match delivery.pages {
            Some(_) => std::path::absolute(of("pages"))?,
            None => delivery.folder.clone(),
        };
        Ok(Courier { delivery, target, lock, folder })
    }

    /// Delivers until the task is dropped.
    pub async fn run(mut self, reporter: Reporter) {
        let mut schedule = Schedule::new(self.delivery.every);
        let mut pages = None;
        loop {
            let begin = Instant::now();
            let look = match self.write_pages(&mut pages) {
                Ok(()) => self.look(&reporter).await,
                Err(error) => Err(format!("the pages cannot be written: {error}")),
            };
            let took = begin.elapsed();
            match look {
                Ok(image) => self.deliver_changes(&image, &mut schedule, &reporter).await,
                Err(error) => self.report_failure(&error, &reporter),
            }
            sleep(CHECK_INTERVAL.max(took * PAUSE_FACTOR).max(schedule.wait(Instant::now()))).await;
        }
    }

    /// Delivers all files once. Returns their number; calls `progress` with the last words of each call.
    ///
    /// # Errors
    ///
    /// Returns the reason of the first failure.
    pub async fn run_once(&mut self, mut progress: impl FnMut(usize, Option<&str>)) -> Result<usize, String> {
        if let Some(language) = self.delivery.pages {
            let written = pages::write_once(self.delivery.folder.clone(), self.folder.clone(), language).await;
            written.map_err(|error| format!("the pages cannot be written: {error}"))?;
        }
        let folder = self.folder.clone();
        let image =
            tokio::task::spawn_blocking(move || image::read(&folder)).await.map_err(|error| error.to_string())?;
        let image = self.checked(image)?;
        let names = self.target.changes(&image);
        for batch in names.chunks(Target::MAX_BATCH) {
            let words = self.call(batch, &image).await?;
            progress(batch.len(), words.as_deref());
        }
        Ok(names.len())
    }

    /// Starts the writer of the pages, if they are delivered. Returns its trouble as an error. A call after its end starts another writer.
    fn write_pages(&self, writer: &mut Option<PageWriter>) -> Result<(), String> {
        let Some(language) = self.delivery.pages else { return Ok(()) };
        let running = match writer.take() {
            Some(running) => running,
            None => PageWriter::spawn(self.delivery.folder.clone(), self.folder.clone(), language)
                .map_err(|error| error.to_string())?,
        };
        let (has_ended, trouble) = (running.has_ended(), running.trouble());
        if !has_ended {
            *writer = Some(running);
        }
        trouble.map_or(Ok(()), |trouble| Err(trouble.to_string()))
    }

    /// Reads the folder. Reports a folder that does not answer, and waits for it.
    async fn look(&self, reporter: &Reporter) -> Result<FolderImage, String> {
        let folder = self.folder.clone();
        let mut look = tokio::task::spawn_blocking(move || image::read(&folder));
        let looked = match timeout(LOOK_TIMEOUT, &mut look).await {
            Ok(looked) => looked,
            Err(_) => {
                let text = format!("{} does not answer; check the disk", self.folder.display());
                self.report_failure(&text, reporter);
                look.await
            }
        };
        self.checked(looked.map_err(|error| error.to_string())?)
    }

    /// Refuses a folder that would empty the target by mistake.
    fn checked(&self, image: io::Result<FolderImage>) -> Result<FolderImage, String> {
        let folder = self.folder.display();
        let image = image.map_err(|error| format!("{folder}: {error}; nothing is delivered until it can be read"))?;
        if image.is_empty() {
            return Err(format!("{folder}: no files; nothing is removed at the target until there are some"));
        }
        Ok(image)
    }

    async fn deliver_changes(&mut self, image: &FolderImage, schedule: &mut Schedule, reporter: &Reporter) {
        let changes = self.target.changes(image);
        let was_failing = reporter.reports.borrow().get(reporter.index).is_some_and(DeliveryReport::is_failing);
        reporter.change(|report| {
            report.waiting = changes.len();
            if changes.is_empty() {
                report.set_state(DeliveryState::Fresh);
            }
        });
        if changes.is_empty() || !schedule.wait(Instant::now()).is_zero() {
            return;
        }
        if !was_failing {
            reporter.change(|report| report.set_state(DeliveryState::Running));
        }
        let (batch, begin) = (Target::batch(&changes), Instant::now());
        match self.call(batch, image).await {
            Ok(words) => {
                // Deliver the rest at once.
                if batch.len() == changes.len() {
                    schedule.succeed(begin);
                } else {
                    schedule.go_on();
                }
                if was_failing {
                    info!(delivery = self.delivery.name, "delivery {} works again", self.delivery.name);
                }
                reporter.change(|report| {
                    report.set_state(DeliveryState::Fresh);
                    report.delivered = Some(report::now());
                    report.waiting = changes.len() - batch.len();
                    report.words = words;
                });
            }
            Err(error) => {
                schedule.fail(Instant::now(), jitter());
                self.report_failure(&error, reporter);
            }
        }
    }

    fn report_failure(&self, error: &str, reporter: &Reporter) {
        let is_new = reporter.reports.borrow().get(reporter.index).is_none_or(|report| !report.is_failing());
        if is_new {
            warn!(delivery = self.delivery.name, "delivery {}: {error}", self.delivery.name);
        }
        reporter.change(|report| {
            report.set_state(DeliveryState::Failing);
            report.words = Some(error.to_owned());
        });
    }

    /// Runs the command with these names. Returns its last words.
    async fn call(&mut self, names: &[String], image: &FolderImage) -> Result<Option<String>, String> {
        let _lock = self.lock().await?;
        let of_list = |error: io::Error| format!("the list of delivered files cannot be written: {error}");
        self.target.begin(names).map_err(of_list)?;
        let input: String = names.iter().map(|name| format!("{name}\n")).collect();
        let call = HookCall {
            command: &self.delivery.command,
            variables: &[
                ("DAMCAST_FOLDER", self.folder.as_os_str()),
                ("DAMCAST_DELIVERY", OsStr::new(&self.delivery.name)),
            ],
            input: input.as_bytes(),
            time_limit: self.delivery.time_limit,
            kind: HookKind::Contained,
        };
        let words = call.run().await.map_err(|error| error.to_string())?;
        self.target.complete(names, image).map_err(of_list)?;
        Ok(words)
    }

    /// Waits until no other process runs a command of this delivery.
    async fn lock(&self) -> Result<File, String> {
        let place = |error: io::Error| format!("{}: {error}", self.lock.display());
        let file = File::open(&self.lock).map_err(place)?;
        let begin = Instant::now();
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if begin.elapsed() > self.delivery.time_limit {
                return Err(
                    "another `damcast deliver` runs the command of this delivery; stop one of the two".to_owned()
                );
            }
            sleep(LOCK_INTERVAL).await;
        }
        Ok(file)
    }
}

/// Returns a random number from 0 to 1.
fn jitter() -> f64 {
    let mut bytes = [0; 4];
    // Without random numbers the pause is the longest.
    let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}
