//! One line at work: port, core, log and files, in one task.
//!
//! ```text
//!   link ──▸ bytes ──▸ Recorder::handle ──▸ outputs ──▸ link (bytes for the board)
//!   deadline ─▸ tick ─────┘       │             └─────▸ log (notes), operator (notices)
//!   shutdown ─▸ link down         └─▸ publications: writer thread ─▸ WriterReport ─▸ operator, public files
//! ```
//!
//! Stopping takes the link down. If the disk fails, data waits in memory; when too much waits, the line stops reading the port.

mod clock;
mod command;
mod effects;
mod in_flight;
pub mod opening;
mod rate_limit;
mod report;
mod requests;
mod tidy;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{Local, SubsecRound};
use damcast_engine::bytelog::{Mode, RecordKind};
use damcast_engine::calendar::Calendar;
use damcast_engine::millis::Millis;
use damcast_engine::session::request::Request;
use damcast_engine::session::{BusAddress, Effect, Input, LineErrors, Output};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{error, info, warn};

use crate::config::{LineConfig, LogConfig};
use crate::counters::LineCounters;
use crate::disk::{Disk, Durability};
use crate::file_problems::{self, FileProblems, ProblemReport, ProblemReporter};
use crate::heartbeat::Heartbeat;
use crate::link::{Link, LinkEvent, Ports};
use crate::live_files;
use crate::locks::lock;
use crate::outlets::OutletHandle;
use crate::recorder::{Committer, FlushTimeout, Recorder, WriterReport, WriterStopped};
use clock::{LogClock, WallClock};
use effects::count;
use in_flight::InFlight;
use opening::OpenedLine;
use rate_limit::RateLimit;

pub use clock::dates_from;
pub use command::{CommandInbox, CommandSender, LineCommand, RequestContext, RequestOutcome, command_channel};
pub use opening::{Folders, OpeningError};
pub use report::{BoardReport, LineReport, Reporter, WaitStatus};

/// Shortest time between two ticks, so that the loop never spins.
const MIN_TICK: Duration = Duration::from_millis(1);

/// Longest wait of an ending line for a failing disk; data in memory is lost after it.
const MAX_FINISH_TIME: Duration = Duration::from_secs(10);
/// Interval for checking whether memory is free again for bytes of the line.
const MEMORY_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of reads in a row before the line does its other work.
const MAX_READS_IN_A_ROW: u32 = 64;

/// Pause after a line that is written without a sync, so that waiting readers get the processor.
const READER_GRACE: Duration = Duration::from_millis(1);

/// Resources shared by the lines of a station.
#[derive(Clone)]
pub struct Storage {
    /// Disk that holds all files.
    pub disk: Arc<dyn Disk>,
    /// Folders of logs and live files.
    pub folders: Folders,
    /// Makes logs durable and writes live files.
    pub committer: Committer,
    /// Whether a line of a live file is durable before readers see it.
    pub durability: Durability,
}

/// Longest time between two heartbeats of a line.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time that a line waits for others to open.
const MAX_PERMIT_WAIT: Duration = Duration::from_secs(30);
/// Longest delay until the status shows a change that no file shows. Reporting each byte would delay the next board.
const REPORT_DELAY: Duration = Duration::from_millis(100);

/// Reason why a line ended.
#[derive(Clone, PartialEq, Debug)]
pub enum LineExit {
    /// The station stopped it.
    Stopped,
    /// The configuration no longer lists it, and no game is running.
    Removed,
    /// Request to reopen it at once: with new settings, or because the game that needed older settings is over.
    Reopen(Option<Box<LineConfig>>),
}

/// Dependencies of a line; each opening of the line gets the same.
#[derive(Clone)]
pub struct LineDeps {
    /// Files and their writer.
    pub storage: Storage,
    /// Ports used by other lines.
    pub ports: Ports,
    /// Becomes true when the line must stop.
    pub stop: watch::Receiver<bool>,
    /// Publishes the report about the line.
    pub reporter: Reporter,
    /// Writes the public files.
    pub outlets: OutletHandle,
    /// Commands from operators.
    pub commands: CommandInbox,
    /// Counters of the line.
    pub counters: Arc<LineCounters>,
    /// Collects problems with the line's files.
    pub problems: FileProblems,
    /// Heartbeat of the line.
    pub heartbeat: Heartbeat,
    /// Permits to open a line, one for each processor. Lines that play their old logs one after the other are sooner at their boards, and
    /// need less memory, than lines that all do so at once.
    pub openings: Arc<Semaphore>,
}

/// Reason why a line cannot continue; it is reopened then.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// Opening failed.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The log could not be completed.
    #[error(transparent)]
    Unfinished(#[from] FlushTimeout),
    /// The writer thread has ended, by a bug.
    #[error(transparent)]
    WriterStopped(#[from] WriterStopped),
    /// A thread panicked, by a bug.
    #[error("a thread of the line broke: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// Runs a line until `deps.stop` is true.
///
/// # Errors
///
/// Returns an error if the line cannot be opened or ended. Published data stays right: the next opening completes it from the log.
pub async fn run(config: LineConfig, deps: LineDeps) -> Result<LineExit, StationError> {
    let mut stop = deps.stop.clone();
    let orders = deps.commands.clone();
    let pulse = deps.heartbeat.clone();
    pulse.beat();
    let permit = permit_to_open(Arc::clone(&deps.openings), &pulse, &mut stop).await;
    if *stop.borrow() {
        return Ok(LineExit::Stopped);
    }
    let mut station = LineTask::open(config, deps).await?;
    drop(permit);
    station.reissue_requests().await?;
    let mut beats = tokio::time::interval(HEARTBEAT_INTERVAL);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut heard_in_a_row = 0;
    loop {
        pulse.beat();
        station.check_wall_clock().await?;
        let reports_at = station.report_if_due();
        if let Some(ending) = station.due_exit() {
            station.stop().await?;
            return Ok(ending);
        }
        let deadline = station.next_tick();
        let held_until = station.flush_due();
        let is_full = station.recorder.is_backlogged();
        let quiet_until = station.rate_limit.resume_at(Instant::now());
        let listens = !is_full && heard_in_a_row < MAX_READS_IN_A_ROW && quiet_until.is_none();
        heard_in_a_row += 1;
        tokio::select! {
            // Reads bytes first, so that a press of the clock never waits.
            biased;
            event = station.link.next(), if listens => {
                station.on_link(event).await?;
                continue;
            }
            () = stop_requested(&mut stop) => {
                station.stop().await?;
                return Ok(LineExit::Stopped);
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => station.on_tick().await?,
            Some(report) = station.from_writer.recv() => station.on_writer(report),
            order = orders.next() => station.on_command(order).await?,
            () = sleep_until(reports_at.unwrap_or_else(Instant::now)), if reports_at.is_some() => {}
            () = sleep_until(held_until.unwrap_or_else(Instant::now)), if held_until.is_some() => {}
            _ = beats.tick() => {}
            () = sleep(MEMORY_RETRY_INTERVAL), if is_full => {}
            () = sleep_until(quiet_until.unwrap_or_else(Instant::now)), if quiet_until.is_some() => {}
            () = std::future::ready(()), if !is_full && !listens && quiet_until.is_none() => {}
        }
        heard_in_a_row = 0;
    }
}

/// Waits for the permit to open a line: for [`MAX_PERMIT_WAIT`] at most, because a disk that does not answer may hold all permits.
async fn permit_to_open(
    openings: Arc<Semaphore>,
    pulse: &Heartbeat,
    stop: &mut watch::Receiver<bool>,
) -> Option<OwnedSemaphorePermit> {
    let (permit, latest) = (openings.acquire_owned(), sleep(MAX_PERMIT_WAIT));
    tokio::pin!(permit, latest);
    loop {
        pulse.beat();
        tokio::select! {
            permit = &mut permit => return permit.ok(),
            () = &mut latest => return None,
            () = stop_requested(stop) => return None,
            () = sleep(HEARTBEAT_INTERVAL) => {}
        }
    }
}

/// Compresses and removes logs that are no longer needed, while the line records. A disk error does not stop the line.
fn tidy_logs(line: String, folder: PathBuf, config: LogConfig) {
    tokio::task::spawn_blocking(move || match tidy::tidy(&folder, &line, config, Local::now().fixed_offset()) {
        Ok(done) => done.iter().for_each(|done| info!(line, "{done}")),
        Err(error) => warn!(line, "the logs are not compressed or removed: {error}"),
    });
}

/// Returns when the station stops, or when the sender is gone.
pub async fn stop_requested(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|&stop| stop).await;
}

struct LineTask {
    config: LineConfig,
    /// Folder of the live files.
    live_folder: PathBuf,
    /// New configuration that waits for the end of the games.
    pending_config: Option<Box<LineConfig>>,
    /// Whether the configuration no longer lists the line.
    is_removed: bool,
    name: String,
    recorder: Recorder,
    committer: Committer,
    link: Link,
    /// Board known to be at the open port.
    board: Option<String>,
    clock: LogClock,
    /// Limits the input of the port.
    rate_limit: RateLimit,
    wall_clock: WallClock,
    /// Converts times of the line to dates; shared with the writer thread.
    calendar: Arc<Mutex<Calendar>>,
    /// Time of the line when its log was opened.
    shift: Millis,
    is_outdated: bool,
    /// Operator requests of the previous chain that this chain must repeat.
    pending_requests: Vec<Request>,
    /// Instant at which the chain of logs becomes too old.
    rotate_at: Option<Instant>,
    last_tick: Option<Instant>,
    reporter: Reporter,
    /// Instant of the next status report.
    report_due: Instant,
    /// Reports of the writer thread.
    from_writer: mpsc::UnboundedReceiver<WriterReport>,
    in_flight: Arc<InFlight>,
    /// Whether a line is durable before readers see it.
    durability: Durability,
    /// Files of the most recently opened games.
    live_files: BTreeMap<Option<BusAddress>, PathBuf>,
    /// Reports live files that are not where they should be.
    file_problems: ProblemReporter,
    counters: Arc<LineCounters>,
    /// Line errors of the core that the counters already include.
    line_errors: LineErrors,
}

/// Passes published effects of a line on to the outlets; used by the writer thread.
struct Publisher {
    name: String,
    durability: Durability,
    in_flight: Arc<InFlight>,
    counters: Arc<LineCounters>,
    calendar: Arc<Mutex<Calendar>>,
    outlets: OutletHandle,
}

impl Publisher {
    fn published(&self, publications: Vec<Output>, published_at: std::time::Instant) {
        for Output { board, at, effect } in publications {
            let begun = self.in_flight.confirm_oldest();
            // Live updates wait to be batched and lazy lines wait for nothing, so neither is measured.
            let waited = self.durability == Durability::Safe && !matches!(effect, Effect::LiveUpdate(_));
            if let Some(begun) = begun.filter(|_| waited) {
                self.counters.publish_time.count(published_at.saturating_duration_since(begun));
            }
            let at = lock(&self.calendar).moment(at);
            self.outlets.published(&self.name, board, at, effect);
        }
    }
}

impl LineTask {
    async fn open(config: LineConfig, deps: LineDeps) -> Result<LineTask, StationError> {
        let LineDeps { storage, ports, reporter, outlets, counters, problems, .. } = deps;
        let Storage { disk, folders, committer, durability } = storage;
        let name = config.name.clone();
        let (live_folder, log_folder) = (folders.live.clone(), folders.log.clone());
        // Start watching here: the clock may be set while the old logs are played.
        let (wall_clock, opened_at) = (WallClock::start(), Local::now().fixed_offset());
        let (wanted, earlier, shelf) = (config.clone(), committer.clone(), outlets.shelf());
        let open = move || -> Result<OpenedLine, StationError> {
            // A recording that ended by a bug may still be written.
            earlier.finish(&folders.log.join(&wanted.name), MAX_FINISH_TIME)?;
            Ok(opening::open(&wanted, &folders, &disk, shelf.as_ref(), opened_at)?)
        };
        let opened = tokio::task::spawn_blocking(open).await??;
        let OpenedLine { line, shift, journal, files, is_outdated, notices, calendar, games, header, carried } = opened;
        let clock = LogClock::start(config.time_scale, shift);
        let rate_limit = RateLimit::new(config.time_scale, Instant::now());
        let age = opened_at - calendar.epoch();
        let rotation = opening::rotation(&config);
        let rotate_at = rotation.map(|longest| Instant::now() + (longest - age).to_std().unwrap_or_default());
        tidy_logs(name.clone(), log_folder, config.logs);
        outlets.line_opened(&name, header, games);
        info!(line = name, log = %journal.path().display(), port = %config.port_name(), "recording");
        let (live_files, line_errors) = (files.paths().into_iter().collect(), line.line_errors());
        let in_flight = Arc::new(InFlight::default());
        let calendar = Arc::new(Mutex::new(calendar));
        let (to_line, from_writer) = mpsc::unbounded_channel();
        let publisher = Publisher {
            name: name.clone(),
            durability,
            in_flight: Arc::clone(&in_flight),
            counters: Arc::clone(&counters),
            calendar: Arc::clone(&calendar),
            outlets,
        };
        let report = move |report| match report {
            WriterReport::Published(publications, at) => publisher.published(publications, at),
            // A line that has ended needs no reports.
            other => drop(to_line.send(other)),
        };
        let recorder = Recorder::new(line, shift, journal, files, durability, committer.clone(), report)?;
        let file_problems = problems.reporter(file_problems::PUBLICATION_ALARM, &format!("live/{name}"));
        let link = Link::new(config.port.clone(), config.board().map(str::to_owned), ports);
        let mut task = LineTask {
            config,
            live_folder,
            pending_config: None,
            is_removed: false,
            name,
            recorder,
            committer,
            link,
            board: None,
            clock,
            rate_limit,
            wall_clock,
            calendar,
            shift,
            is_outdated,
            pending_requests: carried,
            rotate_at,
            last_tick: None,
            reporter,
            report_due: Instant::now(),
            from_writer,
            in_flight,
            durability,
            live_files,
            file_problems,
            counters,
            line_errors,
        };
        task.report_opened(&notices);
        Ok(task)
    }

    /// Reports that the line is open, and the notices of its opening.
    fn report_opened(&mut self, notices: &[String]) {
        // Readers of the status must see the content of the log before they see the line as open.
        self.report();
        self.reporter.update(|row| {
            (row.port, row.is_bus) = (self.config.port_name(), self.config.mode == Mode::Bus);
            row.is_entry = self.config.mode == Mode::Entry;
            row.is_broken = false;
            row.was_opened = true;
            row.no_link = self.config.port.as_ref().map(|_| "not opened yet".to_owned());
        });
        self.report_pending();
        self.report_files(&[]);
        notices.iter().for_each(|notice| self.warn(0, notice));
    }

    /// Logs a jump of the machine's clock and applies it.
    async fn check_wall_clock(&mut self) -> Result<(), StationError> {
        let Some(jump) = self.wall_clock.jump() else { return Ok(()) };
        let at = self.shift + Millis(self.clock.now());
        let expected = lock(&self.calendar).moment(at);
        let shown = (expected + jump).with_timezone(&Local).fixed_offset().trunc_subsecs(3);
        self.feed(Input::ClockSet(shown)).await
    }

    /// Handles a report of the writer thread.
    fn on_writer(&mut self, report: WriterReport) {
        let now = self.clock.now();
        match report {
            WriterReport::Notice(notice) => self.warn(now, &notice),
            WriterReport::Fault(fault) => {
                error!(line = self.name, "{fault}");
                self.recorder.write(now, RecordKind::Note(fault.clone()));
                self.reporter.update(|row| row.fault = Some(fault));
            }
            WriterReport::Recovered => {
                let healed = "the disk is in order again";
                self.info(now, healed);
                self.reporter.update(|row| row.fault = None);
            }
            WriterReport::FilesOpened(files) => {
                self.live_files = files.into_iter().collect();
                self.report_files(&[]);
            }
            WriterReport::FilesReplaced(files) => self.report_files(&files),
            WriterReport::Published(..) => {}
        }
    }

    /// Reports problems with the live files: `lost` ones, and games that continue in files under other names.
    fn report_files(&self, lost: &[PathBuf]) {
        let finding = |path: &PathBuf, problem: String| {
            let file = format!("live/{}", path.file_name().unwrap_or_default().to_string_lossy());
            ProblemReport::new(file, problem)
        };
        let elsewhere = self.live_files.values().filter(|path| live_files::is_recovered(path)).map(|path| {
            let problem = "the game is in this file, because the file with its own name was changed outside damcast: readers of that \
                        file do not see it";
            finding(path, problem.to_owned())
        });
        let elsewhere: Vec<ProblemReport> = elsewhere.collect();
        let lost =
            lost.iter().map(|path| finding(path, "it was removed, changed or replaced outside damcast".to_owned()));
        self.file_problems.report(elsewhere.iter().cloned().chain(lost));
        // The loss is over: the game has another file, or a new one under the same name.
        self.file_problems.report(elsewhere);
    }

    fn next_tick(&self) -> Option<Instant> {
        let wanted = self.clock.instant(self.recorder.line().deadline()?);
        Some(self.last_tick.map_or(wanted, |last| wanted.max(last + MIN_TICK)))
    }

    /// Writes buffered log data that is due. Returns when the next is due.
    fn flush_due(&mut self) -> Option<Instant> {
        let due = self.recorder.flush_due(self.clock.now())?;
        Some(self.clock.instant_of(due))
    }

    async fn on_tick(&mut self) -> Result<(), StationError> {
        self.last_tick = Some(Instant::now());
        self.feed(Input::Tick).await
    }

    /// Returns how the line must end, if it is time. New settings wait until no game can be lost by them; a new port alone is used as soon
    /// as the link is down.
    fn due_exit(&mut self) -> Option<LineExit> {
        if self.is_removed && !self.recorder.line().has_open_game() {
            return Some(LineExit::Removed);
        }
        let line = self.recorder.line();
        let is_old = self.rotate_at.is_some_and(|at| Instant::now() >= at) || line.rotation_requested();
        if (self.is_outdated || is_old) && line.can_restart() {
            return Some(LineExit::Reopen(self.pending_config.take()));
        }
        let next = self.pending_config.as_ref()?;
        let only_port = **next == LineConfig { port: next.port.clone(), ..self.config.clone() };
        let may_begin = self.recorder.line().can_restart() || only_port && !self.link.is_up();
        if may_begin { Some(LineExit::Reopen(self.pending_config.take())) } else { None }
    }

    /// Repeats the operator requests that were made under the old settings, so that this log has them.
    async fn reissue_requests(&mut self) -> Result<(), StationError> {
        for request in std::mem::take(&mut self.pending_requests) {
            info!(line = self.name, "as asked before the settings changed: {request}");
            self.recorder.write(self.clock.now(), RecordKind::Note("asked before the settings changed".to_owned()));
            self.feed(Input::Request(request)).await?;
        }
        Ok(())
    }

    /// Applies a new configuration. Returns a description of the outcome.
    fn configure(&mut self, config: Box<LineConfig>) -> Option<String> {
        let was_retiring = std::mem::take(&mut self.is_removed);
        if *config == self.config {
            let took_back = self.pending_config.take().is_some() || was_retiring;
            return took_back.then(|| "stays as it is".to_owned());
        }
        self.pending_config = Some(config);
        let waits = "new settings, from its next game on";
        Some(if self.recorder.line().can_restart() { "new settings".to_owned() } else { waits.to_owned() })
    }

    fn report_pending(&self) {
        let pending = match (self.is_removed, self.is_outdated || self.pending_config.is_some()) {
            (true, _) => Some("ends when its game is over"),
            (false, true) => Some("new settings hold from the next game on"),
            (false, false) => None,
        };
        self.reporter.update(|row| row.pending = pending.map(str::to_owned));
    }

    async fn on_link(&mut self, event: LinkEvent) -> Result<(), StationError> {
        if !matches!(event, LinkEvent::Bytes(_)) {
            self.report_due = Instant::now();
        }
        match event {
            LinkEvent::Up => {
                info!(line = self.name, "the port is open ({})", self.link.port_name());
                self.counters.connects.add(1);
                self.board = None;
                self.reporter.update(|row| row.no_link = None);
                self.feed(Input::LinkUp).await
            }
            LinkEvent::Bytes(bytes) => {
                self.counters.bytes_in.add(bytes.len() as u64);
                self.rate_limit.record(bytes.len(), Instant::now());
                self.feed(Input::Bytes(bytes)).await
            }
            LinkEvent::OpenFailed(reason) => {
                warn!(line = self.name, "waiting for the port: {reason}");
                self.reporter.update(|row| row.no_link = Some(reason));
                Ok(())
            }
            LinkEvent::Down(reason) => {
                self.warn_link_down(reason);
                self.feed(Input::LinkDown).await
            }
        }
    }

    /// Ends the recording. Publishes only entries that are due.
    async fn stop(&mut self) -> Result<(), StationError> {
        if self.link.is_up() {
            // Run due work first, so that the end is the last record of the log.
            self.feed(Input::Tick).await?;
            self.feed(Input::LinkDown).await?;
        }
        let committer = self.committer.clone();
        let log = self.recorder.log().with_file_name(&self.name);
        let finished = tokio::task::spawn_blocking(move || committer.finish(&log, MAX_FINISH_TIME)).await?;
        while let Ok(report) = self.from_writer.try_recv() {
            if let WriterReport::Notice(text) | WriterReport::Fault(text) = report {
                warn!(line = self.name, "{text}");
            }
        }
        Ok(finished?)
    }

    /// Passes an input to the recorder and applies its outputs.
    async fn feed(&mut self, input: Input) -> Result<(), StationError> {
        self.feed_with(input, |_| {}).await
    }

    /// Like [`LineTask::feed`]; also calls `on_effect` for each effect of the core.
    async fn feed_with(&mut self, input: Input, mut on_effect: impl FnMut(&Effect)) -> Result<(), StationError> {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let now = match input {
                Input::ClockSet(shown) => {
                    // Records of earlier times keep their dates.
                    let now = self.clock.next_time();
                    lock(&self.calendar).set_clock(self.shift + Millis(now), shown);
                    now
                }
                _ => self.clock.now(),
            };
            let (counters, underway, reports_at) = (&self.counters, &self.in_flight, &mut self.report_due);
            let mut hear_of = |effect: &Effect| {
                count(counters, underway, effect);
                if effect.changes_file() {
                    // The status follows a moment after the file.
                    *reports_at = Instant::now();
                }
                on_effect(effect);
            };
            let mut outputs = self.recorder.handle_until_publication(now, input, &mut hear_of)?;
            if self.recorder.has_unread_input() {
                match self.durability {
                    Durability::Safe => underway.wait_until_empty().await,
                    Durability::Lazy => sleep(READER_GRACE).await,
                }
                outputs.extend(self.recorder.finish_handling(&mut hear_of)?);
            }
            let was_up = self.link.is_up();
            inputs.extend(self.apply_outputs(now, outputs).await);
            if was_up && !self.link.is_up() {
                inputs.push_back(Input::LinkDown);
            }
        }
        Ok(())
    }

    /// Reports the status, unless a report was sent a moment ago: then returns when the next is due.
    fn report_if_due(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if self.report_due > now {
            return Some(self.report_due);
        }
        self.report_due = now + REPORT_DELAY;
        self.report();
        None
    }

    fn report(&mut self) {
        let now = self.shift + Millis(self.clock.now());
        let line = self.recorder.line();
        let (status, damage) = (line.status(), line.line_errors());
        self.counters.noise_bytes.add(damage.noise_bytes - self.line_errors.noise_bytes);
        self.counters.bad_checksums.add(damage.bad_checksums - self.line_errors.bad_checksums);
        self.line_errors = damage;
        if status.board.is_some() && status.board != self.board {
            self.board.clone_from(&status.board);
            status.board.iter().filter(|_| status.is_admitted).for_each(|board| self.link.confirm_board(board));
        }
        let live_file = |board: Option<BusAddress>| self.live_files.get(&board).cloned();
        let boards = line.boards().into_iter();
        let boards = boards.map(|(address, status)| BoardReport {
            address,
            name: self.board_name(Some(address)),
            wait_status: WaitStatus::at(now, &status),
            status,
            since: None,
            live_file: live_file(Some(address)),
        });
        let (boards, live_file) = (boards.collect(), live_file(None));
        let babbles = self.rate_limit.is_exceeded(Instant::now());
        self.reporter.update(|row| {
            row.has_excess_input = babbles;
            row.wait_status = WaitStatus::at(now, &status);
            row.status = status;
            row.live_file = live_file;
            row.boards = boards;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heartbeat::Heartbeats;

    #[tokio::test(start_paused = true)]
    async fn line_opens_in_turn_or_after_longest_wait() {
        let (openings, pulse) = (Arc::new(Semaphore::new(1)), Heartbeats::default().pulse("line a"));
        let (stop, mut stopped) = watch::channel(false);
        let held = permit_to_open(Arc::clone(&openings), &pulse, &mut stopped).await;
        let start = Instant::now();
        assert!(held.is_some() && permit_to_open(Arc::clone(&openings), &pulse, &mut stopped).await.is_none());
        assert_eq!(start.elapsed(), MAX_PERMIT_WAIT);
        stop.send_replace(true);
        assert!(permit_to_open(Arc::clone(&openings), &pulse, &mut stopped).await.is_none());
        assert_eq!(start.elapsed(), MAX_PERMIT_WAIT, "a line that must stop waits for nothing");
        drop(held);
        stop.send_replace(false);
        assert!(permit_to_open(openings, &pulse, &mut stopped).await.is_some());
    }
}
