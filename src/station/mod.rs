//! One line at work: port, core, log and files, in one task.
//!
//! ```text
//!   link ──▸ bytes ──▸ Recorder::take ──▸ outputs ──▸ link (bytes for the board)
//!   deadline ─▸ tick ─────┘      │            └─────▸ log (notes), operator (notices)
//!   shutdown ─▸ link down        └─▸ what is published: the thread that writes ─▸ Told ─▸ operator, public files
//! ```
//!
//! Stopping is a link that goes down. A disk that fails stops nothing: what happens waits in memory, and only when there is
//! too much of it are no more bytes taken from the port.

mod clock;
pub mod opening;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::Local;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{debug, error, info, warn};

use crate::bytelog::Kind;
use crate::config::LineConfig;
use crate::disk::{Disk, Durability};
use crate::journal::tidy::{self, Keeping};
use crate::link::{Link, LinkEvent, Ports};
use crate::playback;
use crate::recorder::{Committer, Gone, Recorder, Told, Unfinished};
use crate::round::Teller;
use crate::session::{BusAddress, Effect, Output, Status};
use clock::Clock;
use opening::Opened;

pub use opening::{Folders, OpeningError};

/// Between two ticks passes at least this, whatever the core asks for: the shell never spins.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// A link that is said to be dead though bytes came within this is left alone: a busy machine may have kept the bytes of a
/// board that is played faster than time.
const SURELY_QUIET: Duration = Duration::from_secs(3);

/// A line that ends waits so long for a disk that fails, and then gives up what is only in memory.
const LONGEST_FINISH: Duration = Duration::from_secs(10);
/// A line for whose bytes there is no memory left looks again after this whether there is.
const MEMORY_AGAIN: Duration = Duration::from_millis(100);

/// What the lines of a station share.
#[derive(Clone)]
pub struct Storage {
    /// Where everything is.
    pub disk: Arc<dyn Disk>,
    /// The folders.
    pub folders: Folders,
    /// Who makes logs durable and writes live files.
    pub committer: Committer,
    /// Whether a line of a live file is durable before anybody sees it.
    pub durability: Durability,
}

/// What is known about a line, for people and for pages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineReport {
    /// The name of the line.
    pub name: String,
    /// Why nothing comes from the board; `None` when the port is open.
    pub no_link: Option<String>,
    /// What the core says.
    pub status: Status,
    /// The file of the game that was opened last.
    pub live_file: Option<PathBuf>,
    /// The boards of a bus, by ascending address; empty where one board has the line for itself.
    pub boards: Vec<BoardReport>,
    /// What is wrong with the disk; `None` when nothing is.
    pub fault: Option<String>,
}

/// What is known about a board of a bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardReport {
    /// Its address.
    pub address: BusAddress,
    /// What the core says.
    pub status: Status,
    /// The file of the game that was opened last on it.
    pub live_file: Option<PathBuf>,
}

/// Where a line tells what is known about it: its row of a table that others watch.
#[derive(Clone)]
pub struct Reporter {
    rows: watch::Sender<Vec<LineReport>>,
    row: usize,
}

impl Reporter {
    /// The reporter of this row.
    pub fn new(rows: watch::Sender<Vec<LineReport>>, row: usize) -> Reporter {
        Reporter { rows, row }
    }

    /// The line is not running.
    pub fn broken(&self, reason: String) {
        self.update(|row| row.no_link = Some(reason));
    }

    /// Changes the row. Those who watch wake up only if it is another one then.
    fn update(&self, change: impl FnOnce(&mut LineReport)) {
        self.rows.send_if_modified(|rows| {
            let Some(row) = rows.get_mut(self.row) else { return false };
            let before = row.clone();
            change(row);
            *row != before
        });
    }
}

/// How a line ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It was told to stop.
    Stopped,
    /// It is to be opened again at once: the game is over that had to be played with older settings.
    Reopen,
}

/// Why a line cannot go on. It is opened again then.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// It could not be opened.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Its log could not be ended.
    #[error(transparent)]
    Unfinished(#[from] Unfinished),
    /// A bug.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// A bug.
    #[error("a thread of the line broke: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// Runs a line until `shutdown` is true.
///
/// # Errors
///
/// When it cannot be opened or ended. What was published stays right: opening the line again completes it from the log.
pub async fn run(
    config: LineConfig,
    storage: Storage,
    ports: Ports,
    mut shutdown: watch::Receiver<bool>,
    reporter: Reporter,
    teller: Teller,
) -> Result<Ending, StationError> {
    let mut station = Station::open(config, storage, ports, reporter, teller).await?;
    loop {
        station.report();
        let is_over = station.is_outdated || station.rotate_at.is_some_and(|at| Instant::now() >= at);
        if is_over && !station.recorder.line().has_open_game() {
            station.stop().await?;
            return Ok(Ending::Reopen);
        }
        let deadline = station.next_tick();
        let is_full = station.recorder.is_full();
        tokio::select! {
            () = told_to_stop(&mut shutdown) => {
                station.stop().await?;
                return Ok(Ending::Stopped);
            }
            event = station.link.next(), if !is_full => station.on_link(event).await?,
            () = sleep(MEMORY_AGAIN), if is_full => {}
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => station.on_tick().await?,
            Some(told) = station.told.recv() => station.on_told(told),
        }
    }
}

fn keeping(config: &LineConfig) -> Keeping {
    Keeping { compress: config.logs.compress, keep_days: config.logs.keep_days }
}

/// Compresses and removes logs that are not needed any more, while the line records. A fault of the disk is no reason to stop.
fn tidy_logs(line: String, logs: PathBuf, keeping: Keeping) {
    tokio::task::spawn_blocking(move || match tidy::tidy(&logs, &line, keeping, Local::now().fixed_offset()) {
        Ok(done) => done.iter().for_each(|done| info!(line, "{done}")),
        Err(error) => warn!(line, "the logs are not compressed or removed: {error}"),
    });
}

/// Done when the station is to stop, or nobody is left who could tell it so.
pub async fn told_to_stop(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|&stop| stop).await;
}

struct Station {
    name: String,
    recorder: Recorder,
    committer: Committer,
    link: Link,
    /// The board that is known to be at the open port.
    board: Option<String>,
    clock: Clock,
    is_outdated: bool,
    /// When its chain of logs has become old.
    rotate_at: Option<Instant>,
    last_tick: Option<Instant>,
    reporter: Reporter,
    /// What the thread that writes has to say.
    told: mpsc::UnboundedReceiver<Told>,
    /// The files of the games that were opened last.
    live_files: BTreeMap<Option<BusAddress>, PathBuf>,
}

impl Station {
    async fn open(
        config: LineConfig,
        storage: Storage,
        ports: Ports,
        reporter: Reporter,
        teller: Teller,
    ) -> Result<Station, StationError> {
        let (name, address) = (config.name.clone(), config.port.clone());
        let (board, scale) = (config.board().map(str::to_owned), config.time_scale);
        let Storage { disk, folders, committer, durability } = storage;
        let earlier = (committer.clone(), folders.log.join(&name));
        let (rotation, keeping, logs) = (opening::rotation(&config), keeping(&config), folders.log.clone());
        let open = move || -> Result<Opened, StationError> {
            // A recording that a bug has ended may still be written.
            earlier.0.finish(&earlier.1, LONGEST_FINISH)?;
            Ok(opening::open(&config, &folders, &disk, Local::now().fixed_offset())?)
        };
        let Opened { line, shift, journal, feeds, is_outdated, notices, epoch, games, header } =
            tokio::task::spawn_blocking(open).await??;
        let clock = Clock::start(scale, shift);
        let age = Local::now().fixed_offset() - epoch;
        let rotate_at = rotation.map(|longest| Instant::now() + (longest - age).to_std().unwrap_or_default());
        tidy_logs(name.clone(), logs, keeping);
        teller.opened(&name, header, games);
        info!(line = name, log = %journal.path().display(), port = %address, "recording");
        let live_files = feeds.paths().into_iter().collect();
        let (to_station, told) = mpsc::unbounded_channel();
        let line_name = name.clone();
        let tell = move |told| match told {
            Told::Published(publications) => {
                for publication in publications {
                    let at = playback::moment(epoch, publication.at);
                    teller.published(&line_name, publication.board, at, publication.effect);
                }
            }
            // A station that has ended does not want to know.
            other => drop(to_station.send(other)),
        };
        let recorder = Recorder::new(line, shift, journal, feeds, durability, committer.clone(), tell)?;
        let link = Link::new(address, board, ports);
        let station = Station {
            name,
            recorder,
            committer,
            link,
            board: None,
            clock,
            is_outdated,
            rotate_at,
            last_tick: None,
            reporter,
            told,
            live_files,
        };
        notices.iter().for_each(|notice| station.tell(0, notice));
        Ok(station)
    }

    /// What the thread that writes says.
    fn on_told(&mut self, told: Told) {
        let now = self.clock.now();
        match told {
            Told::Notice(notice) => self.tell(now, &notice),
            Told::Fault(fault) => {
                error!(line = self.name, "{fault}");
                self.recorder.write(now, Kind::Note(fault.clone()));
                self.reporter.update(|row| row.fault = Some(fault));
            }
            Told::Healed => {
                let healed = "the disk is in order again; nothing is missing";
                self.tell(now, healed);
                self.reporter.update(|row| row.fault = None);
            }
            Told::LiveFiles(files) => self.live_files = files.into_iter().collect(),
            Told::Published(_) => {}
        }
    }

    fn next_tick(&self) -> Option<Instant> {
        let wanted = self.clock.instant(self.recorder.line().deadline()?);
        Some(self.last_tick.map_or(wanted, |last| wanted.max(last + SHORTEST_TICK)))
    }

    async fn on_tick(&mut self) -> Result<(), StationError> {
        self.last_tick = Some(Instant::now());
        self.take(Kind::Tick).await
    }

    async fn on_link(&mut self, event: LinkEvent) -> Result<(), StationError> {
        match event {
            LinkEvent::Up => {
                info!(line = self.name, "the port is open ({})", self.link.place());
                self.board = None;
                self.reporter.update(|row| row.no_link = None);
                self.take(Kind::LinkUp).await
            }
            LinkEvent::Bytes(bytes) => self.take(Kind::FromBoard(bytes)).await,
            LinkEvent::Waiting(reason) => {
                warn!(line = self.name, "waiting for the port: {reason}");
                self.reporter.update(|row| row.no_link = Some(reason));
                Ok(())
            }
            LinkEvent::Down(reason) => {
                self.tell_link_is_down(reason);
                self.take(Kind::LinkDown).await
            }
        }
    }

    /// Ends the recording. Nothing is published but what was due.
    async fn stop(&mut self) -> Result<(), StationError> {
        if self.link.is_up() {
            self.take(Kind::LinkDown).await?;
        }
        let committer = self.committer.clone();
        let log = self.recorder.log().with_file_name(&self.name);
        let finished = tokio::task::spawn_blocking(move || committer.finish(&log, LONGEST_FINISH)).await?;
        while let Ok(told) = self.told.try_recv() {
            if let Told::Notice(text) | Told::Fault(text) = told {
                warn!(line = self.name, "{text}");
            }
        }
        Ok(finished?)
    }

    /// One thing that happened: to the recorder, and what it wants done to where it belongs.
    async fn take(&mut self, kind: Kind) -> Result<(), StationError> {
        let mut next = Some(kind);
        while let Some(kind) = next.take() {
            let now = self.clock.now();
            let outputs = self.recorder.take(now, kind)?;
            let was_up = self.link.is_up();
            self.carry_out(now, outputs).await;
            if was_up && !self.link.is_up() {
                next = Some(Kind::LinkDown);
            }
        }
        Ok(())
    }

    /// Does what the core wants done. The link may be down then.
    async fn carry_out(&mut self, now: u64, outputs: Vec<Output>) {
        for Output { board, effect, .. } in outputs {
            match effect {
                Effect::Send(bytes) if self.link.is_up() => {
                    self.recorder.write(now, Kind::ToBoard(bytes.clone()));
                    if let Err(reason) = self.link.send(&bytes).await {
                        self.tell_link_is_down(reason);
                    }
                }
                // What is provisional is part of the status.
                Effect::Send(_) | Effect::Provisional(_) => {}
                Effect::Reopen { board } => self.reopen(board.as_deref()),
                Effect::Notice(text) | Effect::Refused(text) => self.tell(now, &playback::about(board, &text)),
                Effect::Note(text) => {
                    let text = playback::about(board, &text);
                    debug!(line = self.name, "{text}");
                    self.recorder.write(now, Kind::Note(text));
                }
                // The recorder has kept what is published.
                Effect::Open { .. } | Effect::Append(_) | Effect::Result(_) => {}
            }
        }
    }

    /// Tells the operator.
    fn tell(&self, at: u64, notice: &str) {
        warn!(line = self.name, "{notice}");
        self.recorder.write(at, Kind::Note(notice.to_owned()));
    }

    /// Gives up the open port: another board is at it, or none that answers.
    fn reopen(&mut self, board: Option<&str>) {
        if !self.link.is_up() || board.is_none() && self.link.quiet_for() < SURELY_QUIET {
            return;
        }
        let place = self.link.place();
        self.link.reopen(board);
        self.tell_link_is_down(match board {
            Some(board) => format!("{place} carries board {board}"),
            None => format!("nothing answers at {place}; opening it again"),
        });
    }

    fn tell_link_is_down(&self, reason: String) {
        warn!(line = self.name, "the link is down: {reason}");
        self.reporter.update(|row| row.no_link = Some(reason));
    }

    fn report(&mut self) {
        let line = self.recorder.line();
        let status = line.status();
        if status.board.is_some() && status.board != self.board {
            self.board.clone_from(&status.board);
            status.board.iter().filter(|_| status.is_admitted).for_each(|board| self.link.carries(board));
        }
        let live_file = |board: Option<BusAddress>| self.live_files.get(&board).cloned();
        let boards = line.boards().into_iter();
        let boards =
            boards.map(|(address, status)| BoardReport { address, status, live_file: live_file(Some(address)) });
        let (boards, live_file) = (boards.collect(), live_file(None));
        self.reporter.update(|row| {
            row.status = status;
            row.live_file = live_file;
            row.boards = boards;
        });
    }
}
