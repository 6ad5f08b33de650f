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
mod order;
mod report;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::{debug, info, warn};

use crate::bytelog::{Kind, Mode, Record};
use crate::config::LineConfig;
use crate::counters::LineCounters;
use crate::feed::{self, Feeds};
use crate::journal::Journal;
use crate::link::{Link, LinkEvent, Ports};
use crate::millis::Millis;
use crate::playback;
use crate::pulse::Pulse;
use crate::round::Teller;
use crate::session::{BusAddress, Damage, Effect, Input, Line, Output, account};
use clock::Clock;
use opening::Opened;

pub use opening::{Folders, OpeningError};
pub use order::{Answer, Inbox, Order, orders};
pub use report::{BoardReport, LineReport, Reporter};

/// Between two ticks passes at least this, whatever the core asks for: the shell never spins.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// A link that is said to be dead though bytes came within this is left alone: a busy machine may have kept the bytes of a
/// board that is played faster than time.
const SURELY_QUIET: Duration = Duration::from_secs(3);

/// A line shows at least so often that it goes on.
const BEAT: Duration = Duration::from_secs(1);

/// How a line ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// It was told to stop.
    Stopped,
    /// The configuration has it no more, and no game is going on.
    Retired,
    /// It is to be opened again at once: the game is over that had to be played with older settings, or there are new ones.
    Reopen(Option<Box<LineConfig>>),
}

/// What a line works with, and where it tells and is told things. It is the same each time the line is opened.
#[derive(Clone)]
pub struct Surroundings {
    /// Where its files are.
    pub folders: Folders,
    /// Which ports other lines have.
    pub ports: Ports,
    /// True when it is to stop.
    pub stop: watch::Receiver<bool>,
    /// What is known about it.
    pub reporter: Reporter,
    /// Who makes the public files.
    pub teller: Teller,
    /// What it is told by operators.
    pub orders: Inbox,
    /// What it counts.
    pub counters: Arc<LineCounters>,
    /// That it goes on.
    pub pulse: Pulse,
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
pub async fn run(config: LineConfig, surroundings: Surroundings) -> Result<Ending, StationError> {
    let mut stop = surroundings.stop.clone();
    let orders = surroundings.orders.clone();
    let pulse = surroundings.pulse.clone();
    pulse.beat();
    let mut station = Station::open(config, surroundings).await?;
    let mut beats = tokio::time::interval(BEAT);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        pulse.beat();
        station.report();
        if let Some(ending) = station.ending() {
            station.stop().await?;
            return Ok(ending);
        }
        let deadline = station.next_tick();
        tokio::select! {
            () = told_to_stop(&mut stop) => {
                station.stop().await?;
                return Ok(Ending::Stopped);
            }
            event = station.link.next() => station.on_link(event).await?,
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => station.on_tick().await?,
            order = orders.next() => station.on_order(order).await?,
            _ = beats.tick() => {}
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
    config: LineConfig,
    /// What the configuration says of it now, if that waits for the end of its games.
    next: Option<Box<LineConfig>>,
    /// The configuration has it no more.
    is_retiring: bool,
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
    counters: Arc<LineCounters>,
    /// What of the core's counts has been counted.
    damage: Damage,
}

impl Station {
    async fn open(config: LineConfig, surroundings: Surroundings) -> Result<Station, StationError> {
        let Surroundings { folders, ports, reporter, teller, counters, .. } = surroundings;
        let (name, address) = (config.name.clone(), config.port.clone());
        let board = config.board().map(str::to_owned);
        let wanted = config.clone();
        let opened = tokio::task::spawn_blocking(move || opening::open(&wanted, &folders)).await??;
        let Opened { line, clock, journal, feeds, is_outdated, notices, epoch, games } = opened;
        teller.opened(&name, games);
        info!(line = name, log = %journal.path().display(), port = %address, "recording");
        let link = Link::new(address, board, ports);
        let damage = line.damage();
        let mut station = Station {
            config,
            next: None,
            is_retiring: false,
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
            counters,
            damage,
        };
        let (port, is_bus) = (station.config.port.to_string(), station.config.mode == Mode::Bus);
        station.reporter.update(|row| {
            (row.port, row.is_bus) = (port, is_bus);
            row.is_broken = false;
            row.is_opened = true;
            row.no_link = Some("not opened yet".to_owned());
        });
        station.report_pending();
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

    /// How it ends, if it is time for that: new settings are taken when nothing of a game can be lost by it. A new port alone
    /// is taken as soon as nobody answers at the old one.
    fn ending(&mut self) -> Option<Ending> {
        if self.is_retiring && !self.line.has_open_game() {
            return Some(Ending::Retired);
        }
        if self.is_outdated && !self.line.has_open_game() {
            return Some(Ending::Reopen(self.next.take()));
        }
        let next = self.next.as_ref()?;
        let only_port = **next == LineConfig { port: next.port.clone(), ..self.config.clone() };
        let may_begin = self.line.may_begin_anew() || only_port && !self.link.is_up();
        if may_begin { Some(Ending::Reopen(self.next.take())) } else { None }
    }

    async fn on_order(&mut self, order: Order) -> Result<(), StationError> {
        match order {
            Order::Request { text, asker, answer } => {
                let done = self.on_request(text, &asker).await?;
                // Who asked may have gone.
                let _ = answer.send(done);
            }
            Order::Configure { config, answer } => {
                let _ = answer.send(self.configure(config));
            }
            Order::Retire { answer } => {
                self.is_retiring = true;
                let ends = if self.line.has_open_game() { "ends when its game is over" } else { "ends" };
                let _ = answer.send(Some(ends.to_owned()));
            }
        }
        self.report_pending();
        Ok(())
    }

    /// Who asks for what stands in the log before it is done.
    async fn on_request(&mut self, text: String, asker: &str) -> Result<Answer, StationError> {
        info!(line = self.name, "request of {asker}: {text}");
        self.counters.requests.add(1);
        let now = self.clock.now();
        self.log(now, Kind::Note(format!("request of {asker}")))?;
        let mut answer = Answer::default();
        self.take_and_tell(Kind::Operator(text), |effect| match effect {
            Effect::Refused(why) => answer.refused = Some(why.clone()),
            Effect::Notice(notice) => answer.told.push(notice.clone()),
            Effect::Append(line) => answer.written.push(line.clone()),
            _ => {}
        })
        .await?;
        Ok(answer)
    }

    /// The configuration was read again. What becomes of it, in words.
    fn configure(&mut self, config: Box<LineConfig>) -> Option<String> {
        let was_retiring = std::mem::take(&mut self.is_retiring);
        if *config == self.config {
            let took_back = self.next.take().is_some() || was_retiring;
            return took_back.then(|| "stays as it is".to_owned());
        }
        self.next = Some(config);
        let waits = "new settings, from its next game on";
        Some(if self.line.may_begin_anew() { "new settings".to_owned() } else { waits.to_owned() })
    }

    fn report_pending(&self) {
        let pending = match (self.is_retiring, self.is_outdated || self.next.is_some()) {
            (true, _) => Some("ends when its game is over"),
            (false, true) => Some("new settings hold from the next game on"),
            (false, false) => None,
        };
        self.reporter.update(|row| row.pending = pending.map(str::to_owned));
    }

    async fn on_link(&mut self, event: LinkEvent) -> Result<(), StationError> {
        match event {
            LinkEvent::Up => {
                info!(line = self.name, "the port is open ({})", self.link.place());
                self.counters.connects.add(1);
                self.board = None;
                self.reporter.update(|row| row.no_link = None);
                self.take(Kind::LinkUp).await
            }
            LinkEvent::Bytes(bytes) => {
                self.counters.bytes_in.add(bytes.len() as u64);
                self.take(Kind::FromBoard(bytes)).await
            }
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
        self.take_and_tell(kind, |_| {}).await
    }

    /// The same; `told` hears of everything that the core wants done.
    async fn take_and_tell(&mut self, kind: Kind, mut told: impl FnMut(&Effect)) -> Result<(), StationError> {
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
            outputs.iter().for_each(|output| told(&output.effect));
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
                    self.counters.bytes_out.add(bytes.len() as u64);
                    if let Err(reason) = self.link.send(&bytes).await {
                        self.tell_link_is_down(reason);
                    }
                }
                // What is provisional is part of the status.
                Effect::Send(_) | Effect::Provisional(_) => {}
                Effect::Reopen { board } => self.reopen(board.as_deref()),
                Effect::Notice(text) | Effect::Refused(text) => self.tell_of(now, board, &text)?,
                Effect::Note(text) => {
                    if let Some(quiet) = account::quiet(&text) {
                        self.counters.delay.count(Duration::from_millis(quiet.0));
                    }
                    let text = playback::about(board, &text);
                    debug!(line = self.name, "{text}");
                    self.log(now, Kind::Note(text))?;
                }
                Effect::Open { .. } | Effect::Append(_) | Effect::Result(_) => publications.push((at, board, effect)),
            }
        }
        if !publications.is_empty() {
            let begun = Instant::now();
            publications.iter().for_each(|(_, _, effect)| self.count(effect));
            self.publish(now, publications).await?;
            self.counters.publishing.count(begun.elapsed());
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

    fn count(&self, effect: &Effect) {
        let Effect::Append(line) = effect else { return };
        match line.chars().next() {
            Some('/') => self.counters.setups.add(1),
            // The tags, the empty lines behind them, and the end.
            Some('[' | '*') | None => {}
            Some(_) => self.counters.plies.add(1),
        }
    }

    fn log(&mut self, at: u64, kind: Kind) -> Result<(), StationError> {
        self.journal.write(&Record::new(at, kind)).map_err(self.log_error())
    }

    /// Tells the operator.
    fn tell(&mut self, at: u64, notice: &str) -> Result<(), StationError> {
        self.tell_of(at, None, notice)
    }

    /// Tells the operator something of a board.
    fn tell_of(&mut self, at: u64, board: Option<BusAddress>, notice: &str) -> Result<(), StationError> {
        let of_board = |address| self.line.boards().into_iter().find(|(other, _)| *other == address);
        let status = board.and_then(of_board).map_or_else(|| self.line.status(), |(_, status)| status);
        let (game, ply) = (status.game, status.game.map(|_| status.plies));
        let text = playback::about(board, notice);
        warn!(line = self.name, board = board.map(BusAddress::number), game, ply, "{text}");
        self.log(at, Kind::Note(text))
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
        let damage = self.line.damage();
        self.counters.noise_bytes.add(damage.noise_bytes - self.damage.noise_bytes);
        self.counters.bad_checksums.add(damage.bad_checksums - self.damage.bad_checksums);
        self.damage = damage;
        if status.board.is_some() && status.board != self.board {
            self.board.clone_from(&status.board);
            status.board.iter().filter(|_| status.is_admitted).for_each(|board| self.link.carries(board));
        }
        let live_file =
            |board: Option<BusAddress>| self.feeds.as_ref().and_then(|feeds| feeds.path(board)).map(ToOwned::to_owned);
        let boards = self.line.boards().into_iter();
        let named =
            |address| self.config.boards.iter().find(|board| board.address == address).map(|board| &*board.name);
        let boards = boards.map(|(address, status)| BoardReport {
            address,
            name: feed::prefix(&self.name, Some(address), named(address)),
            status,
            since: None,
            live_file: live_file(Some(address)),
        });
        let (boards, live_file) = (boards.collect(), live_file(None));
        self.reporter.update(|row| {
            row.status = status;
            row.live_file = live_file;
            row.boards = boards;
        });
    }
}
