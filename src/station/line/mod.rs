//! One line at work: port, core, log and files, in one task.
//!
//! ```text
//!   link ──▸ bytes ──▸ Recorder::take ──▸ outputs ──▸ link (bytes for the board)
//!   deadline ─▸ tick ─────┘      │            └─────▸ log (notes), operator (notices)
//!   shutdown ─▸ link down        └─▸ what is published: the thread that writes ─▸ WriterReport ─▸ operator, public files
//! ```
//!
//! Stopping is a link that goes down. A disk that fails stops nothing: what happens waits in memory, and only when there is
//! too much of it are no more bytes taken from the port.

mod clock;
mod command;
mod effects;
mod in_flight;
pub mod opening;
mod rate_limit;
mod report;
mod tidy;
mod uptime;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{Local, SubsecRound};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{error, info, warn};

use crate::engine::bytelog::{Mode, RecordKind};
use crate::engine::calendar::Calendar;
use crate::engine::millis::Millis;
use crate::engine::session::request::{OperatorCommand, Request};
use crate::engine::session::{BusAddress, Effect, Input, LineErrors};
use crate::station::config::LineConfig;
use crate::station::counters::LineCounters;
use crate::station::disk::{Disk, Durability};
use crate::station::live_files;

use crate::station::file_problems::{self, FileProblems, ProblemReport, ProblemReporter};
use crate::station::heartbeat::Heartbeat;
use crate::station::link::{Link, LinkEvent, Ports};
use crate::station::outlets::OutletHandle;
use crate::station::recorder::{Committer, FlushTimeout, Recorder, WriterReport, WriterStopped};
use clock::{LogClock, WallClock};
use effects::count;
use in_flight::InFlight;
use opening::OpenedLine;
use rate_limit::RateLimit;
use tidy::RetentionPolicy;

pub use clock::dates_from;
pub use command::{CommandInbox, LineCommand, RequestContext, RequestOutcome, command_channel};
pub use opening::{Folders, OpeningError};
pub use report::{BoardReport, LineReport, Reporter, WaitStatus};
pub use uptime::Uptime;

/// Between two ticks passes at least this, whatever the core asks for: the shell never spins.
const MIN_TICK: Duration = Duration::from_millis(1);

/// A line that ends waits so long for a disk that fails, and then gives up what is only in memory.
const MAX_FINISH_TIME: Duration = Duration::from_secs(10);
/// A line for whose bytes there is no memory left looks again after this whether there is.
const MEMORY_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// A port that never rests is left for a moment after so many reads, for whatever else the line has to do.
const MAX_READS_IN_A_ROW: u32 = 64;

/// A lazy line is in its file at once. Who waits for it is not kept from reading it: nothing else is done for so long.
const READER_GRACE: Duration = Duration::from_millis(1);

/// Resources shared by the lines of a station.
#[derive(Clone)]
pub struct Storage {
    /// Where everything is.
    pub disk: Arc<dyn Disk>,
    /// The folders.
    pub folders: Folders,
    /// Makes logs durable and writes live files.
    pub committer: Committer,
    /// Whether a line of a live file is durable before anybody sees it.
    pub durability: Durability,
}

/// A line shows at least so often that it goes on.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// What a board said and no file shows is seen in the status within this: telling it at each byte would keep the next board
/// waiting.
const REPORT_DELAY: Duration = Duration::from_millis(100);

/// How a line ended.
#[derive(Clone, PartialEq, Debug)]
pub enum LineExit {
    /// It was told to stop.
    Stopped,
    /// The configuration has it no more, and no game is going on.
    Removed,
    /// It is to be opened again at once: the game is over that had to be played with older settings, or there are new ones.
    Reopen(Option<Box<LineConfig>>),
}

/// What a line works with, and where it tells and is told things. It is the same each time the line is opened.
#[derive(Clone)]
pub struct LineDeps {
    /// Where its files are, and who writes them.
    pub storage: Storage,
    /// Which ports other lines have.
    pub ports: Ports,
    /// True when it is to stop.
    pub stop: watch::Receiver<bool>,
    /// Report about the line.
    pub reporter: Reporter,
    /// Writes the public files.
    pub outlets: OutletHandle,
    /// Commands from operators.
    pub commands: CommandInbox,
    /// Counters of the line.
    pub counters: Arc<LineCounters>,
    /// Where it says what is the matter with its files.
    pub problems: FileProblems,
    /// That it goes on.
    pub heartbeat: Heartbeat,
}

/// Why a line cannot go on. It is opened again then.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// It could not be opened.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Its log could not be ended.
    #[error(transparent)]
    Unfinished(#[from] FlushTimeout),
    /// A bug.
    #[error(transparent)]
    WriterStopped(#[from] WriterStopped),
    /// A bug.
    #[error("a thread of the line broke: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// Runs a line until `shutdown` is true.
///
/// # Errors
///
/// When it cannot be opened or ended. What was published stays right: opening the line again completes it from the log.
pub async fn run(config: LineConfig, deps: LineDeps) -> Result<LineExit, StationError> {
    let mut stop = deps.stop.clone();
    let orders = deps.commands.clone();
    let pulse = deps.heartbeat.clone();
    pulse.beat();
    let mut station = LineTask::open(config, deps).await?;
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
            // A press is not kept waiting by what would have nothing to say.
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

fn retention_policy(config: &LineConfig) -> RetentionPolicy {
    RetentionPolicy { compress: config.logs.compress, keep_days: config.logs.keep_days }
}

/// Compresses and removes logs that are not needed any more, while the line records. A fault of the disk is no reason to stop.
fn tidy_logs(line: String, logs: PathBuf, keeping: RetentionPolicy) {
    tokio::task::spawn_blocking(move || match tidy::tidy(&logs, &line, keeping, Local::now().fixed_offset()) {
        Ok(done) => done.iter().for_each(|done| info!(line, "{done}")),
        Err(error) => warn!(line, "the logs are not compressed or removed: {error}"),
    });
}

/// Done when the station is to stop, or nobody is left who could tell it so.
pub async fn stop_requested(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|&stop| stop).await;
}

struct LineTask {
    config: LineConfig,
    /// Where the live files are.
    live_folder: PathBuf,
    /// What the configuration says of it now, if that waits for the end of its games.
    pending_config: Option<Box<LineConfig>>,
    /// The configuration has it no more.
    is_removed: bool,
    name: String,
    recorder: Recorder,
    committer: Committer,
    link: Link,
    /// The board that is known to be at the open port.
    board: Option<String>,
    clock: LogClock,
    /// How much its port may say.
    rate_limit: RateLimit,
    wall_clock: WallClock,
    /// Which moments the times of the line are: the thread that writes asks, too.
    calendar: Arc<Mutex<Calendar>>,
    /// The time of the line when its log was opened.
    shift: Millis,
    is_outdated: bool,
    /// What operators asked of the chain before that this one has not heard yet.
    pending_requests: Vec<Request>,
    /// When its chain of logs has become old.
    rotate_at: Option<Instant>,
    last_tick: Option<Instant>,
    reporter: Reporter,
    /// When it is to be told again how the line is.
    report_due: Instant,
    /// What the thread that writes has to say.
    from_writer: mpsc::UnboundedReceiver<WriterReport>,
    in_flight: Arc<InFlight>,
    /// Whether a line is durable before anybody sees it.
    durability: Durability,
    /// The files of the games that were opened last.
    live_files: BTreeMap<Option<BusAddress>, PathBuf>,
    /// Who hears of it when they are not where they should be.
    file_problems: ProblemReporter,
    counters: Arc<LineCounters>,
    /// What of the core's counts has been counted.
    line_errors: LineErrors,
}

impl LineTask {
    async fn open(config: LineConfig, deps: LineDeps) -> Result<LineTask, StationError> {
        let LineDeps { storage, ports, reporter, outlets: outlet_handle, counters, problems: troubles, .. } = deps;
        let Storage { disk, folders, committer, durability } = storage;
        let (name, address) = (config.name.clone(), config.port.clone());
        let board = config.board().map(str::to_owned);
        let (wanted, earlier) = (config.clone(), (committer.clone(), folders.log.join(&name)));
        let live = folders.live.clone();
        let (rotation, keeping, logs) = (opening::rotation(&config), retention_policy(&config), folders.log.clone());
        // A clock that is set while old logs are played has been set since this log was opened.
        let (wall, opened_at) = (WallClock::start(), Local::now().fixed_offset());
        let open = move || -> Result<OpenedLine, StationError> {
            // A recording that a bug has ended may still be written.
            earlier.0.finish(&earlier.1, MAX_FINISH_TIME)?;
            Ok(opening::open(&wanted, &folders, &disk, opened_at)?)
        };
        let OpenedLine {
            line,
            shift,
            journal,
            files: line_files,
            is_outdated,
            notices,
            calendar,
            games,
            header,
            carried,
        } = tokio::task::spawn_blocking(open).await??;
        let clock = LogClock::start(config.time_scale, shift);
        let allowance = RateLimit::new(config.time_scale, Instant::now());
        let age = opened_at - calendar.epoch();
        let rotate_at = rotation.map(|longest| Instant::now() + (longest - age).to_std().unwrap_or_default());
        tidy_logs(name.clone(), logs, keeping);
        outlet_handle.line_opened(&name, header, games);
        info!(line = name, log = %journal.path().display(), port = %address, "recording");
        let (live_files, damage) = (line_files.paths().into_iter().collect(), line.line_errors());
        let underway = Arc::new(InFlight::default());
        let calendar = Arc::new(Mutex::new(calendar));
        let moments = Arc::clone(&calendar);
        let (to_line, from_writer) = mpsc::unbounded_channel();
        let (line_name, begun, counted) = (name.clone(), Arc::clone(&underway), Arc::clone(&counters));
        let tell = move |report| match report {
            WriterReport::Published(publications, published_at) => {
                for publication in publications {
                    let begun = begun.confirm_oldest();
                    // What is told beside the files waits for company, and a lazy line for nothing.
                    let waited = durability == Durability::Safe && !matches!(publication.effect, Effect::LiveUpdate(_));
                    if let Some(begun) = begun.filter(|_| waited) {
                        counted.publish_time.count(published_at.saturating_duration_since(begun));
                    }
                    let at = moments.lock().unwrap_or_else(PoisonError::into_inner).moment(publication.at);
                    outlet_handle.published(&line_name, publication.board, at, publication.effect);
                }
            }
            // A station that has ended does not want to know.
            other => drop(to_line.send(other)),
        };
        let recorder = Recorder::new(line, shift, journal, line_files, durability, committer.clone(), tell)?;
        let watch = troubles.reporter(file_problems::PUBLICATION_ALARM, &format!("live/{name}"));
        let link = Link::new(address, board, ports);
        let mut station = LineTask {
            config,
            live_folder: live,
            pending_config: None,
            is_removed: false,
            name,
            recorder,
            committer,
            link,
            board: None,
            clock,
            rate_limit: allowance,
            wall_clock: wall,
            calendar,
            shift,
            is_outdated,
            pending_requests: carried,
            rotate_at,
            last_tick: None,
            reporter,
            report_due: Instant::now(),
            from_writer,
            in_flight: underway,
            durability,
            live_files,
            file_problems: watch,
            counters,
            line_errors: damage,
        };
        let (port, is_bus) = (station.config.port.to_string(), station.config.mode == Mode::Bus);
        // What its log says is known before anybody sees that it is open.
        station.report();
        station.reporter.update(|row| {
            (row.port, row.is_bus) = (port, is_bus);
            row.is_broken = false;
            row.was_opened = true;
            row.no_link = Some("not opened yet".to_owned());
        });
        station.report_pending();
        station.report_files(&[]);
        notices.iter().for_each(|notice| station.warn(0, notice));
        Ok(station)
    }

    /// A clock that was set has its record, and what follows from it: nobody waits for that.
    async fn check_wall_clock(&mut self) -> Result<(), StationError> {
        let Some(jump) = self.wall_clock.jump() else { return Ok(()) };
        let at = self.shift + Millis(self.clock.now());
        let expected = self.calendar.lock().unwrap_or_else(PoisonError::into_inner).moment(at);
        let shown = (expected + jump).with_timezone(&Local).fixed_offset().trunc_subsecs(3);
        self.feed(Input::ClockSet(shown)).await
    }

    /// What the thread that writes says.
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

    /// What is the matter with the live files: these were lost just now, and games stand elsewhere than readers look for them.
    fn report_files(&self, lost: &[PathBuf]) {
        let finding = |path: &PathBuf, problem: String| {
            let file = format!("live/{}", path.file_name().unwrap_or_default().to_string_lossy());
            ProblemReport { board: None, file, message: problem }
        };
        let elsewhere = self.live_files.values().filter(|path| live_files::is_recovered(path)).map(|path| {
            let problem = "the game stands in this file, for the one with its own name was changed by somebody: readers of that \
                        one see nothing of it";
            finding(path, problem.to_owned())
        });
        let elsewhere: Vec<ProblemReport> = elsewhere.collect();
        let lost =
            lost.iter().map(|path| finding(path, "it was taken away, changed or replaced by somebody".to_owned()));
        self.file_problems.report(elsewhere.iter().cloned().chain(lost));
        // What was lost is over: the game is in another file, or in one of the same name.
        self.file_problems.report(elsewhere);
    }

    fn next_tick(&self) -> Option<Instant> {
        let wanted = self.clock.instant(self.recorder.line().deadline()?);
        Some(self.last_tick.map_or(wanted, |last| wanted.max(last + MIN_TICK)))
    }

    /// Writes what of the log is held back and has to be written; when that has to be done otherwise.
    fn flush_due(&mut self) -> Option<Instant> {
        let due = self.recorder.flush_due(self.clock.now())?;
        Some(self.clock.instant_of(due))
    }

    async fn on_tick(&mut self) -> Result<(), StationError> {
        self.last_tick = Some(Instant::now());
        self.feed(Input::Tick).await
    }

    /// How it ends, if it is time for that: new settings are taken when nothing of a game can be lost by it. A new port alone
    /// is taken as soon as nobody answers at the old one.
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

    async fn on_command(&mut self, order: LineCommand) -> Result<(), StationError> {
        // Who asked for it looks whether it was done.
        self.report_due = Instant::now();
        match order {
            LineCommand::Request { request, context: asked, answer } => {
                let done = self.on_request(request, &asked).await?;
                // Who asked may have gone.
                let _ = answer.send(done);
            }
            LineCommand::Configure { config, answer } => {
                let _ = answer.send(self.configure(config));
            }
            LineCommand::Remove { answer } => {
                self.is_removed = true;
                let ends = if self.recorder.line().has_open_game() { "ends when its game is over" } else { "ends" };
                let _ = answer.send(Some(ends.to_owned()));
            }
        }
        self.report_pending();
        Ok(())
    }

    /// Who asks for what stands in the log before it is done. What comes too late is not done, and that stands there, too.
    async fn on_request(
        &mut self,
        mut request: Request,
        asked: &RequestContext,
    ) -> Result<RequestOutcome, StationError> {
        if let OperatorCommand::Continue(anyway) = &mut request.command {
            *anyway |= asked.is_confirmed;
        }
        let now = self.clock.now();
        let asker = &asked.requester;
        let game = describe_end(&request).and_then(|end| Some((self.running_game(request.target.address())?, end)));
        let unsure = game
            .as_ref()
            .filter(|(game, _)| game.is_clock_running && !asked.is_confirmed)
            .map(|(game, _)| game.running_clock_message());
        let objection = asked.deadline.expired_message().or(unsure);
        if asked.is_dry_run {
            return Ok(objection.map_or_else(|| self.dry_run(now, request, game), RequestOutcome::refused));
        }
        if let Some(why) = objection {
            let note = format!("request of {asker}: {request}: {why}");
            warn!(line = self.name, "{note}");
            self.recorder.write(now, RecordKind::Note(note));
            return Ok(RequestOutcome::refused(why));
        }
        info!(line = self.name, "request of {asker}: {request}");
        self.counters.requests.add(1);
        self.recorder.write(now, RecordKind::Note(format!("request of {asker}")));
        let mut answer = RequestOutcome::default();
        self.feed_with(Input::Request(request), |effect| answer.add_effect(effect)).await?;
        if let Some((game, end)) = game {
            answer.prepend_game_end(&game.description, &end);
        }
        Ok(answer)
    }

    /// What would come of a request. Nobody is told, and nothing is done.
    fn dry_run(&self, now: u64, request: Request, game: Option<(RunningGame, String)>) -> RequestOutcome {
        let mut answer = RequestOutcome::default();
        self.recorder.dry_run(now, request).iter().for_each(|output| answer.add_effect(&output.effect));
        if let Some((game, end)) = game {
            answer.prepend_game_end(&game.description, &end);
        }
        answer
    }

    /// Returns the name of a board of this line.
    fn board_name(&self, address: Option<BusAddress>) -> String {
        let named = self.config.boards.iter().find(|board| Some(board.address) == address);
        live_files::file_prefix(&self.name, address, named.map(|board| board.name.as_str()))
    }

    /// The game that is going on at an address of this line; `None`: none is.
    fn running_game(&self, address: Option<BusAddress>) -> Option<RunningGame> {
        let line = self.recorder.line();
        let status = match address {
            None => line.status(),
            Some(address) => line.boards().into_iter().find(|(other, _)| *other == address)?.1,
        };
        let game = status.game.filter(|_| status.has_open_game)?;
        let mut words = format!("{}, game {game}", self.board_name(address));
        if let [Some(white), Some(black)] = &status.players {
            write!(words, ", {white} - {black}").ok()?;
        }
        write!(words, ", {} plies", status.plies).ok()?;
        Some(RunningGame { description: words, is_clock_running: status.is_clock_running })
    }

    /// Asks for what operators asked for before the settings changed: from then on it stands in this log.
    async fn reissue_requests(&mut self) -> Result<(), StationError> {
        for request in std::mem::take(&mut self.pending_requests) {
            info!(line = self.name, "as asked before the settings changed: {request}");
            self.recorder.write(self.clock.now(), RecordKind::Note("asked before the settings changed".to_owned()));
            self.feed(Input::Request(request)).await?;
        }
        Ok(())
    }

    /// The configuration was read again. What becomes of it, in words.
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

    /// Ends the recording. Nothing is published but what was due.
    async fn stop(&mut self) -> Result<(), StationError> {
        if self.link.is_up() {
            // What was due before the end is asked before it: the log ends with the end.
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

    /// One thing that happened: to the recorder, and what it wants done to where it belongs.
    async fn feed(&mut self, input: Input) -> Result<(), StationError> {
        self.feed_with(input, |_| {}).await
    }

    /// The same; `on_effect` hears of everything that the core wants done.
    async fn feed_with(&mut self, input: Input, mut on_effect: impl FnMut(&Effect)) -> Result<(), StationError> {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let now = match input {
                Input::ClockSet(shown) => {
                    // What is told of earlier times keeps the moments that they had.
                    let now = self.clock.next_time();
                    self.calendar
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .set_clock(self.shift + Millis(now), shown);
                    now
                }
                _ => self.clock.now(),
            };
            let (counters, underway, reports_at) = (&self.counters, &self.in_flight, &mut self.report_due);
            let mut hear_of = |effect: &Effect| {
                count(counters, underway, effect);
                if effect.changes_file() {
                    // Whoever sees it in the file finds it in the status a moment later.
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
            next = self.apply_outputs(now, outputs).await;
            if was_up && !self.link.is_up() {
                next = Some(Input::LinkDown);
            }
        }
        Ok(())
    }

    /// Tells how the line is, unless that was told a moment ago: when it is to be told again.
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

/// A game that is going on, as an operator is told of it.
struct RunningGame {
    /// Its board, number, players and plies.
    description: String,
    /// Its clock runs.
    is_clock_running: bool,
}

impl RunningGame {
    fn running_clock_message(&self) -> String {
        format!(
            "{}: its clock runs, so it is still being played; with `--confirm` the result counts all the same",
            self.description
        )
    }
}

/// How a game ends by a request, in words; `None`: it ends none.
fn describe_end(request: &Request) -> Option<String> {
    match &request.command {
        OperatorCommand::Result(result) => Some(result.clone()),
        OperatorCommand::Resign(side) => Some(format!("{side} resigns")),
        _ => None,
    }
}
