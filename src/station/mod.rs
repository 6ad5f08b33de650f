//! One line at work: port, core, log and files, in one task.
//!
//! ```text
//!   link ──▸ bytes ──▸ journal ──▸ Line::handle ──▸ outputs ──▸ link (bytes for the board)
//!   deadline ─▸ tick ─────────────────┘                ├─────▸ journal made durable, then feed
//!   shutdown ─▸ link down                              └─────▸ journal (notes), operator (notices)
//! ```
//!
//! The record of an input is in the log before the core takes it; the log is durable before a line made of it is
//! published. What the core does because time passed has no input, so a `.` record tells a replay how far time had gone.
//! Stopping is a link that goes down.

mod clock;
mod opening;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::{debug, info, warn};

use crate::bytelog::{Kind, Record};
use crate::config::LineConfig;
use crate::feed::{self, Feeds};
use crate::journal::Journal;
use crate::link::{Link, LinkEvent, Ports};
use crate::millis::Millis;
use crate::playback;
use crate::round::Teller;
use crate::session::{BusAddress, Effect, Input, Line, Output, Status};
use clock::Clock;
use opening::Opened;

pub use opening::{Folders, OpeningError};

/// Between two ticks passes at least this, whatever the core asks for: the shell never spins.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// A link that is said to be dead though bytes came within this is left alone: a busy machine may have kept the bytes of a
/// board that is played faster than time.
const SURELY_QUIET: Duration = Duration::from_secs(3);

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
    /// Its log cannot be written.
    #[error("the log {path} cannot be written: {error}")]
    Log {
        /// The log.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// A live file cannot be written.
    #[error("the live file cannot be written: {0}")]
    Feed(io::Error),
    /// A bug.
    #[error("a thread of the line broke: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// Runs a line until `shutdown` is true.
///
/// # Errors
///
/// When the disk fails. What was published stays right: opening the line again completes it from the log.
pub async fn run(
    config: LineConfig,
    folders: Folders,
    ports: Ports,
    mut shutdown: watch::Receiver<bool>,
    reporter: Reporter,
    teller: Teller,
) -> Result<Ending, StationError> {
    let mut station = Station::open(config, folders, ports, reporter, teller).await?;
    loop {
        station.report();
        if station.is_outdated && !station.line.has_open_game() {
            station.stop().await?;
            return Ok(Ending::Reopen);
        }
        let deadline = station.next_tick();
        tokio::select! {
            () = told_to_stop(&mut shutdown) => {
                station.stop().await?;
                return Ok(Ending::Stopped);
            }
            event = station.link.next() => station.on_link(event).await?,
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => station.on_tick().await?,
        }
    }
}

/// Done when the station is to stop, or nobody is left who could tell it so.
pub async fn told_to_stop(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|&stop| stop).await;
}

/// What a line publishes: when, of which board, and what.
type Publication = (Millis, Option<BusAddress>, Effect);

struct Station {
    name: String,
    line: Line,
    link: Link,
    /// The board that is known to be at the open port.
    board: Option<String>,
    clock: Clock,
    journal: Journal,
    /// Away only while a thread writes it.
    feeds: Option<Feeds>,
    is_outdated: bool,
    last_tick: Option<Instant>,
    reporter: Reporter,
    /// The moment from which the times of the line count.
    epoch: DateTime<FixedOffset>,
    /// Who makes the public files.
    teller: Teller,
}

impl Station {
    async fn open(
        config: LineConfig,
        folders: Folders,
        ports: Ports,
        reporter: Reporter,
        teller: Teller,
    ) -> Result<Station, StationError> {
        let (name, address) = (config.name.clone(), config.port.clone());
        let board = config.board().map(str::to_owned);
        let opened = tokio::task::spawn_blocking(move || opening::open(&config, &folders)).await??;
        let Opened { line, clock, journal, feeds, is_outdated, notices, epoch, games, header } = opened;
        teller.opened(&name, header, games);
        info!(line = name, log = %journal.path().display(), port = %address, "recording");
        let link = Link::new(address, board, ports);
        let mut station = Station {
            name,
            line,
            link,
            board: None,
            clock,
            journal,
            feeds: Some(feeds),
            is_outdated,
            last_tick: None,
            reporter,
            epoch,
            teller,
        };
        for notice in notices {
            station.tell(0, &notice)?;
        }
        Ok(station)
    }

    fn next_tick(&self) -> Option<Instant> {
        let wanted = self.clock.instant(self.line.deadline()?);
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

    /// Closes the log. Nothing is published but what was due.
    async fn stop(&mut self) -> Result<(), StationError> {
        if self.link.is_up() {
            self.take(Kind::LinkDown).await?;
        }
        let log = self.journal.file();
        tokio::task::spawn_blocking(move || log.sync_data()).await?.map_err(self.log_error())
    }

    /// One thing that happened: into the log, into the core, and what the core makes of it to where it belongs.
    async fn take(&mut self, kind: Kind) -> Result<(), StationError> {
        let mut next = Some(kind);
        while let Some(kind) = next.take() {
            let now = self.clock.now();
            let Some(input) = playback::input(&kind) else { continue };
            let is_tick = input == Input::Tick;
            if !is_tick {
                self.log(now, kind)?;
            }
            let outputs = self.line.handle(self.clock.of_line(now), input);
            if is_tick && outputs.iter().any(|output| feed::is_publication(&output.effect)) {
                self.log(now, Kind::Tick)?;
            }
            let was_up = self.link.is_up();
            self.carry_out(now, outputs).await?;
            if was_up && !self.link.is_up() {
                next = Some(Kind::LinkDown);
            }
        }
        Ok(())
    }

    /// Does what the core wants done. The link may be down then.
    async fn carry_out(&mut self, now: u64, outputs: Vec<Output>) -> Result<(), StationError> {
        let mut publications = Vec::new();
        for Output { at, board, effect } in outputs {
            match effect {
                Effect::Send(bytes) if self.link.is_up() => {
                    self.log(now, Kind::ToBoard(bytes.clone()))?;
                    if let Err(reason) = self.link.send(&bytes).await {
                        self.tell_link_is_down(reason);
                    }
                }
                // What is provisional is part of the status.
                Effect::Send(_) | Effect::Provisional(_) => {}
                Effect::Reopen { board } => self.reopen(board.as_deref()),
                Effect::Notice(text) => self.tell(now, &playback::about(board, &text))?,
                Effect::Note(text) => {
                    let text = playback::about(board, &text);
                    debug!(line = self.name, "{text}");
                    self.log(now, Kind::Note(text))?;
                }
                Effect::Open { .. } | Effect::Append(_) | Effect::Result(_) => publications.push((at, board, effect)),
            }
        }
        if !publications.is_empty() {
            self.publish(now, publications).await?;
        }
        Ok(())
    }

    /// The log first, durably; then the files; both off the executor, because disks can be slow.
    async fn publish(&mut self, now: u64, publications: Vec<Publication>) -> Result<(), StationError> {
        let Some(mut feeds) = self.feeds.take() else { return Err(StationError::Feed(io::Error::other("no feed"))) };
        let log = self.journal.file();
        let work = move || {
            if let Err(error) = log.sync_data() {
                return (feeds, publications, Err(error), Ok(Vec::new()));
            }
            let publish = |(_, board, effect): &Publication| feeds.publish(*board, effect).transpose();
            let told = publications.iter().filter_map(publish).collect::<io::Result<_>>();
            let told = told.and_then(|told: Vec<String>| feeds.sync().map(|()| told));
            (feeds, publications, Ok(()), told)
        };
        let (feeds, publications, log, told) = tokio::task::spawn_blocking(work).await?;
        self.feeds = Some(feeds);
        log.map_err(self.log_error())?;
        if told.is_ok() {
            for (at, board, effect) in publications {
                self.teller.published(&self.name, board, playback::moment(self.epoch, at), effect);
            }
        }
        for notice in told.map_err(StationError::Feed)? {
            self.tell(now, &notice)?;
        }
        Ok(())
    }

    fn log(&mut self, at: u64, kind: Kind) -> Result<(), StationError> {
        self.journal.write(&Record::new(at, kind)).map_err(self.log_error())
    }

    /// Tells the operator.
    fn tell(&mut self, at: u64, notice: &str) -> Result<(), StationError> {
        warn!(line = self.name, "{notice}");
        self.log(at, Kind::Note(notice.to_owned()))
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

    fn log_error(&self) -> impl Fn(io::Error) -> StationError + use<> {
        let path = self.journal.path().display().to_string();
        move |error| StationError::Log { path: path.clone(), error }
    }

    fn report(&mut self) {
        let status = self.line.status();
        if status.board.is_some() && status.board != self.board {
            self.board.clone_from(&status.board);
            status.board.iter().filter(|_| status.is_admitted).for_each(|board| self.link.carries(board));
        }
        let live_file =
            |board: Option<BusAddress>| self.feeds.as_ref().and_then(|feeds| feeds.path(board)).map(ToOwned::to_owned);
        let boards = self.line.boards().into_iter();
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
