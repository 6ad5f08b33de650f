//! All lines of a station: started, restarted when one breaks, stopped together.
//!
//! Each line is a task of its own and shares nothing with the others but the folder; when one cannot go on (its disk
//! fails, or a bug), it is opened again after a wait that doubles, and the others do not notice. A lock on the folder keeps a
//! second station out of it: two recorders that number the same files would ruin both.

use std::fs;
use std::future::Future;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{error, info, warn};

use crate::config::{Config, LineConfig};
use crate::disk::{Disk, Lock, LockError, RealDisk};
use crate::journal::commits;
use crate::link::{PortAddress, Ports};
use crate::recorder::{COMMITS, Writer};
use crate::round::{self, Teller};
use crate::station::{self, Ending, Folders, LineReport, Reporter, Storage};

/// The first wait before a line is opened again.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// The longest: a disk that has room again is used again within this.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A line that ran for so long was in order; its next wait is the shortest again.
const IN_ORDER: Duration = Duration::from_secs(60);

/// Why a station cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// Its folder cannot be used.
    #[error("{path}: {error}")]
    Folder {
        /// The folder, or what is in it.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Another station uses it.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// A bug. What was recorded is in the logs; the next start goes on from there.
    #[error("the thread that writes the files has ended: {0}")]
    Broken(String),
}

/// Runs a station until `shutdown` is done, then ends all lines in good order. `reports` gets one row for each line, in
/// the order of the configuration, and always has the latest state.
///
/// # Errors
///
/// When the station cannot start. Once it has, no trouble of a line or of the disk ends it.
pub async fn run(
    config: Config,
    shutdown: impl Future<Output = ()>,
    reports: watch::Sender<Vec<LineReport>>,
) -> Result<(), SupervisorError> {
    let folders = Folders { log: config.directory.join("log"), live: config.directory.join("live") };
    for folder in [&folders.log, &folders.live] {
        fs::create_dir_all(folder).map_err(|error| SupervisorError::Folder { path: folder.clone(), error })?;
    }
    let _lock = Lock::take(&config.directory)?;
    if config.public.has_delay() {
        for folder in [&folders.log, &folders.live] {
            keep_private(folder).map_err(|error| SupervisorError::Folder { path: folder.clone(), error })?;
        }
    }
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (committer, writer, notices) = Writer::open(&*disk, &config.directory, &folders.log, commits::SIZE)
        .map_err(|error| SupervisorError::Folder { path: config.directory.join(COMMITS), error })?;
    notices.iter().for_each(|notice| warn!("{notice}"));
    let mut writing = tokio::task::spawn_blocking(move || writer.run());
    let storage = Storage { disk, folders, committer, durability: config.durability };

    let row = |line: &LineConfig| LineReport {
        name: line.name.clone(),
        no_link: Some("not opened yet".to_owned()),
        ..LineReport::default()
    };
    reports.send_replace(config.lines.iter().map(row).collect());
    let ports = Ports::default();
    for line in &config.lines {
        if let PortAddress::Serial(path) = &line.port {
            ports.reserve(path);
        }
    }
    let (stop, stopped) = watch::channel(false);
    let (teller, public_files) = round::begin(&config);
    let mut tasks = JoinSet::new();
    for (row, line) in config.lines.into_iter().enumerate() {
        let reporter = Reporter::new(reports.clone(), row);
        tasks.spawn(keep_running(line, storage.clone(), ports.clone(), stopped.clone(), reporter, teller.clone()));
    }
    tokio::select! {
        () = shutdown => {}
        // Only a bug ends it. A new process begins where this one has come to.
        ended = &mut writing => return Err(SupervisorError::Broken(ended.err().map(|bug| bug.to_string()).unwrap_or_default())),
    }
    info!("stopping");
    stop.send_replace(true);
    while tasks.join_next().await.is_some() {}
    drop(storage);
    if let Err(bug) = writing.await {
        error!("the thread that writes: {bug}");
    }
    drop(teller);
    if let Err(bug) = public_files.await {
        error!("the public files: {bug}");
    }
    Ok(())
}

/// What the public files show later is not for everybody on this machine to read now.
fn keep_private(folder: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(folder)?.permissions();
    permissions.set_mode(permissions.mode() & !0o007);
    fs::set_permissions(folder, permissions)
}

/// Runs a line, again and again if need be.
async fn keep_running(
    line: LineConfig,
    storage: Storage,
    ports: Ports,
    mut stop: watch::Receiver<bool>,
    reporter: Reporter,
    teller: Teller,
) {
    let mut wait = SHORTEST_WAIT;
    loop {
        let started = Instant::now();
        let broken = |reason: String| {
            error!(line = line.name, "{reason}; trying again in {wait:?}");
            reporter.broken(reason);
        };
        // A task of its own, so that a panic is an error here and not an end.
        let station =
            station::run(line.clone(), storage.clone(), ports.clone(), stop.clone(), reporter.clone(), teller.clone());
        let task = tokio::spawn(station);
        match task.await {
            Ok(Ok(Ending::Stopped)) => return,
            Ok(Ok(Ending::Reopen)) => continue,
            Ok(Err(error)) => broken(error.to_string()),
            Err(panic) => broken(format!("a bug: {panic}")),
        }
        if started.elapsed() > IN_ORDER {
            wait = SHORTEST_WAIT;
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = station::told_to_stop(&mut stop) => return,
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
