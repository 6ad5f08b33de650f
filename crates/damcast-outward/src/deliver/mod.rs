//! `damcast deliver`: runs a command for each delivery when the files of its outlet have changed. The command carries them elsewhere; this
//! program has no network of its own.
//!
//! ```text
//!   outlet ── image ──▸ target: changes ── schedule ──▸ command ──▸ report ──▸ state file
//! ```
//!
//! | file | subject |
//! |---|---|
//! | `image` | names and stamps of all files of a folder |
//! | `target` | files that the target has, and what it lacks |
//! | `schedule` | when the command may run |
//! | `pages` | the pages as files, if they are delivered |
//! | `courier` | one delivery |
//! | `report` | state of the deliveries, for operators |
//!
//! Invariants: deliveries do not wait for each other; a command never runs twice at once; a name is passed again until a call with it
//! succeeds; a file that vanishes from the outlet is passed by its name; an outlet without files removes nothing.

mod courier;
mod image;
mod pages;
pub mod report;
mod schedule;
mod target;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::state_file::replace_state;
use crate::web::Language;
use courier::{Courier, Reporter};
use report::{DeliveryReport, write_reports};

/// Longest interval between two writes of the state file.
const STATE_INTERVAL: Duration = Duration::from_secs(5);
/// Shortest interval between two writes of the state file.
const MIN_STATE_INTERVAL: Duration = Duration::from_millis(300);

/// Delivery of an outlet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Name.
    pub name: String,
    /// Folder of the outlet.
    pub folder: PathBuf,
    /// Program and its arguments.
    pub command: Vec<String>,
    /// Shortest time between two starts of the command.
    pub every: Duration,
    /// Time limit of the command.
    pub time_limit: Duration,
    /// Language of the pages that are delivered in place of the outlet's files; `None` for the files.
    pub pages: Option<Language>,
}

/// Options of the deliveries.
#[derive(Clone, Debug)]
pub struct DeliverOptions {
    /// Deliveries.
    pub deliveries: Vec<Delivery>,
    /// Folder that remembers what is delivered.
    pub directory: PathBuf,
    /// State file for operators.
    pub state_file: PathBuf,
}

/// Delivers until `stop` completes, then kills running commands and removes the state file.
///
/// # Errors
///
/// Returns an error if the folder of the deliveries cannot be used.
pub async fn deliver(options: DeliverOptions, stop: impl Future<Output = ()>) -> io::Result<()> {
    fs::create_dir_all(&options.directory)?;
    let reports = options.deliveries.iter().map(|delivery| DeliveryReport::new(&delivery.name)).collect();
    let (sender, receiver) = watch::channel(reports);
    let mut tasks = JoinSet::new();
    for (index, delivery) in options.deliveries.into_iter().enumerate() {
        let courier = Courier::open(absolute(delivery)?, &options.directory)?;
        tasks.spawn(courier.run(Reporter::new(sender.clone(), index)));
    }
    tokio::select! {
        () = write_state(&options.state_file, receiver) => {}
        () = stop => {}
    }
    // Dropping a call kills its command.
    tasks.shutdown().await;
    // The file may be missing because it could not be written.
    let _ = fs::remove_file(&options.state_file);
    Ok(())
}

/// Delivers all files of one outlet once. Returns their number; calls `progress` after each call with the number of names and the last words
/// of the command.
///
/// # Errors
///
/// Returns the reason if the folder of the deliveries cannot be used or the command fails.
pub async fn deliver_once(
    delivery: Delivery,
    directory: &Path,
    progress: impl FnMut(usize, Option<&str>),
) -> Result<usize, String> {
    let of_folder = |error: io::Error| format!("the folder {} of the deliveries: {error}", directory.display());
    fs::create_dir_all(directory).map_err(of_folder)?;
    let mut courier = absolute(delivery).and_then(|delivery| Courier::open(delivery, directory)).map_err(of_folder)?;
    courier.run_once(progress).await
}

/// Makes the folder absolute, because a command may change its own folder.
fn absolute(delivery: Delivery) -> io::Result<Delivery> {
    Ok(Delivery { folder: std::path::absolute(&delivery.folder)?, ..delivery })
}

/// Writes the state file after each change and every [`STATE_INTERVAL`].
async fn write_state(file: &Path, mut reports: watch::Receiver<Vec<DeliveryReport>>) {
    let mut had_trouble = false;
    loop {
        let text = write_reports(&reports.borrow_and_update());
        let written = replace_state(file, &text);
        if let (Err(error), false) = (&written, had_trouble) {
            tracing::warn!(file = %file.display(), %error, "the state cannot be written");
        }
        had_trouble = written.is_err();
        sleep(MIN_STATE_INTERVAL).await;
        if let Ok(Err(_)) = timeout(STATE_INTERVAL, reports.changed()).await {
            return;
        }
    }
}
