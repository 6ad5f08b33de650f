//! Station: starts, commands, reconfigures and stops all lines together.
//!
//! ```text
//!                 ┌── control socket ──▸ commands ─┐            ┌─▸ service manager: ready, watchdog
//!   signals ──────┴────────────────────▸ commands ─┤            ├─▸ alarms ──▸ a command
//!                                                  ▾            │
//!   configuration ──▸ supervisor ──▸ lines (restart ▸ line) ────┴─▸ rows ──▸ overview ──▸ status, /metrics
//! ```
//!
//! Each line is its own task and shares only the folder with the others. If one fails because of its disk or a bug, it is reopened
//! after a doubling wait, without effect on the others. A lock on the folder excludes a second station: two recorders that number
//! the same files would damage both recordings.
//!
//! The socket, an address and the service manager are not needed for recording: without them the station records and logs what is
//! missing.

mod lines;
mod monitor;
mod restart;

use std::fs;
use std::future::Future;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use damcast_control::Uptime;
use damcast_control::logins::LoginCodes;
use damcast_control::overview::{OutletView, ReloadView};
use damcast_engine::bytelog::Mode;
use damcast_engine::session::request::OperatorCommand;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use tracing::{error, info, warn};

use crate::config::Config;
use crate::counters::Counters;
use crate::disk::{self, Disk, Lock, LockError, RealDisk, make_folder};
use crate::file_problems::{self, FileProblem, FileProblems, ProblemReport};
use crate::heartbeat::Heartbeats;
use crate::journal::{UnwrittenTail, commits};
use crate::line::{Folders, LineReport, Storage};
use crate::link::Ports;
use crate::operate::alarm::hook;
use crate::operate::control::desk_addresses::DeskAddresses;
use crate::operate::control::server::{self, MetricsSource, Server, ServerContext};
use crate::operate::control::{AuditLog, Commands, StationCommand};
use crate::operate::entry_codes::EntryCodes;
use crate::operate::entry_server::{self, EntryContext};
use crate::operate::limits;
use crate::operate::logging::Levels;
use crate::operate::metrics;
use crate::operate::notify::ServiceManager;
use crate::operate::observer::{self, Observer, StartTime, TournamentStatus};
use crate::operate::tournament_actor::{self, TournamentDeps, TournamentHandle};
use crate::outlets;
use crate::recorder::{COMMITS_FILE, Writer};
use lines::{Lines, PendingAnswer, Queues, SharedDeps};

/// Maximum number of waiting commands. Each operator sends one at a time and waits for its answer.
const MAX_PENDING_COMMANDS: usize = 64;
/// Longest time of a line to answer new settings; after it the line counts as hanging.
const LINE_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time of lines to close their logs at the end. A hanging one is abandoned; its log has everything.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Reason why a station cannot start or ended.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// The folder cannot be used.
    #[error("{path}: {error}")]
    Folder {
        /// Path of the folder or a file in it.
        path: PathBuf,
        /// I/O error.
        error: io::Error,
    },
    /// Another station uses the folder.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The disk did not accept all data before the end.
    #[error("stopped, but the disk did not take all that was recorded; lost: {0}")]
    DataLost(String),
    /// A bug. The logs have the recording; the next start continues from them.
    #[error("the thread that writes the files has ended: {0}")]
    Broken(String),
}

/// Reads the configuration again, or returns its errors.
pub type ConfigLoader = Arc<dyn Fn() -> Result<Config, String> + Send + Sync>;

/// Inputs and outputs of a station other than boards and files.
pub struct StationIo {
    /// Receives a row for each line, in the order of the configuration, with its latest state.
    pub reports: watch::Sender<Vec<LineReport>>,
    /// Source of the configuration; `None` if it cannot be reloaded.
    pub load_config: Option<ConfigLoader>,
    /// Log levels.
    pub levels: Levels,
    /// Login codes for the desk.
    pub logins: LoginCodes,
    /// Errors of `setup.toml`, which the station therefore ignores.
    pub setup_mistake: Option<String>,
    /// Configuration file; `None` if there is none.
    pub config_file: Option<PathBuf>,
    commands: Commands,
    inbox: mpsc::Receiver<StationCommand>,
}

impl StationIo {
    /// Creates a station that is controlled only by its socket.
    pub fn new(reports: watch::Sender<Vec<LineReport>>) -> StationIo {
        let (commands, inbox) = mpsc::channel(MAX_PENDING_COMMANDS);
        StationIo {
            reports,
            load_config: None,
            levels: Levels::fixed(),
            logins: LoginCodes::default(),
            setup_mistake: None,
            config_file: None,
            commands,
            inbox,
        }
    }

    /// Returns the sender of commands to the station.
    pub fn commands(&self) -> Commands {
        self.commands.clone()
    }
}

/// Runs a station until `shutdown` completes, then ends all lines.
///
/// # Errors
///
/// Returns an error if the station cannot start, the writer thread ends, or the disk does not accept all data before the end. Failures of
/// lines never end it.
pub async fn run(
    config: Config,
    outside: StationIo,
    shutdown: impl Future<Output = ()>,
) -> Result<(), SupervisorError> {
    let folders = Folders { log: config.directory.join("log"), live: config.directory.join("live") };
    make_folder(&folders.log).map_err(|error| SupervisorError::Folder { path: folders.log.clone(), error })?;
    // Unwritten files wait; the logs have everything.
    if let Err(error) = make_folder(&folders.live) {
        error!("{}: {error}; recording goes on without live files", folders.live.display());
    }
    let _lock = Lock::acquire(&config.directory)?;
    let problems = FileProblems::default();
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let of_logs = problems.reporter(file_problems::DISK_FAULT_ALARM, "log");
    let (mut committer, writer, notices) =
        Writer::open(&disk, &config.directory, &folders.log, commits::COMMITS_SIZE, of_logs)
            .map_err(|error| SupervisorError::Folder { path: config.directory.join(COMMITS_FILE), error })?;
    notices.iter().for_each(|notice| warn!("{notice}"));
    // All these folders and files exist at this point.
    if config.has_delay() {
        let findings = restrict_access(&config.directory).into_iter().map(|(folder, error)| {
            let problem = format!("everybody on this machine may read it before the delay is over: {error}");
            error!("{}: {problem}", folder.display());
            let file = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ProblemReport::new(file, problem)
        });
        // Use a separate key: the owners of the files in these folders report under their own.
        problems.reporter(file_problems::PUBLICATION_ALARM, "files that wait for a delay").report(findings);
    }
    let log_writer = committer.start_log_writer();
    let storage = Storage { disk, folders, committer, durability: config.durability };
    let heartbeats = Heartbeats::default();
    let pulse = heartbeats.pulse("the thread that writes");
    let mut writing = tokio::task::spawn_blocking(move || writer.run(|| pulse.beat()));
    let pulse = heartbeats.pulse("the thread that writes the logs");
    let mut logging = tokio::task::spawn_blocking(move || log_writer.run(|| pulse.beat()));
    let mut station = Station::start(config, storage, (heartbeats, problems), &outside);
    let mut inbox = outside.inbox;
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            // Only a bug ends these threads. A new process continues from the logs.
            ended = &mut writing => {
                return Err(SupervisorError::Broken(ended.err().map(|bug| bug.to_string()).unwrap_or_default()));
            }
            ended = &mut logging => {
                return Err(SupervisorError::Broken(ended.err().map(|bug| bug.to_string()).unwrap_or_default()));
            }
            Some(command) = inbox.recv() => station.handle_command(command).await,
            Some(name) = station.lines.next_end() => info!(line = name, "this line has ended"),
        }
    }
    let untaken: Vec<String> = station.stop(writing).await.iter().map(UnwrittenTail::to_string).collect();
    if untaken.is_empty() { Ok(()) } else { Err(SupervisorError::DataLost(untaken.join("; "))) }
}

/// Denies other users access to data that outlets show only after a delay: the logs, the commits and the live files. Returns the paths that
/// stay accessible, and the reasons.
fn restrict_access(directory: &Path) -> Vec<(PathBuf, io::Error)> {
    let mut open = Vec::new();
    for folder in ["log", COMMITS_FILE, "live"].map(|name| directory.join(name)) {
        let keep = || {
            let mut permissions = fs::metadata(&folder)?.permissions();
            // A service may not set the setgid bit, not even where it is set already.
            if permissions.mode() & 0o007 == 0 {
                return Ok(());
            }
            permissions.set_mode(permissions.mode() & !0o007);
            fs::set_permissions(&folder, permissions)
        };
        if let Err(error) = disk::if_found(keep()) {
            open.push((folder, error));
        }
    }
    open
}

/// Running station.
struct Station {
    config: Config,
    lines: Lines,
    load_config: Option<ConfigLoader>,
    manager: Arc<ServiceManager>,
    stop: watch::Sender<bool>,
    alarm: watch::Sender<crate::config::AlarmConfig>,
    reload: watch::Sender<Option<ReloadView>>,
    outlets: watch::Sender<Vec<OutletView>>,
    heartbeats: Heartbeats,
    public_files: JoinHandle<()>,
    outlet_handle: outlets::OutletHandle,
    tournament: TournamentHandle,
    tournament_thread: JoinHandle<()>,
    background_tasks: Vec<AbortHandle>,
    /// Server, which ends before the lines.
    server: Option<Server>,
    /// Server of the entry socket, once there is a board without electronics.
    entry_server: Option<Server>,
    entry_context: EntryContext,
}

impl Station {
    fn start(
        config: Config,
        storage: Storage,
        (heartbeats, problems): (Heartbeats, FileProblems),
        outside: &StationIo,
    ) -> Station {
        let manager = service_manager();
        allow_files(&config);
        let counters = Counters::default();
        let (stop, stopped) = watch::channel(false);
        let (alarm, alarm_config) = watch::channel(config.alarm.clone());
        let (raised, alarms) = watch::channel(Vec::new());
        let mistake = outside.setup_mistake.clone().map(|text| {
            error!("ignoring setup.toml, because it is wrong: {text}");
            ReloadView { at: observer::now(), ok: false, text: vec![text] }
        });
        let (reload, reloaded) = watch::channel(mistake);
        let (outlets, shown) = watch::channel(outlet_views(&config));
        let (disk_sender, disk) = watch::channel(None);
        let (tournament_sender, tournament_status) = watch::channel(TournamentStatus::default());
        let rows = outside.reports.subscribe();
        let observer = Observer {
            directory: config.directory.clone(),
            rows: rows.clone(),
            counters: counters.clone(),
            problems: problems.clone(),
            alarms,
            disk: disk.clone(),
            reload: reloaded,
            outlets: shown,
            office: tournament_status,
            started: StartTime::now(),
        };
        let (tournament, inbox) = tournament_actor::channel();
        let metrics = Arc::new(OnceLock::new());
        let (codes, problem) = EntryCodes::open(&config.directory);
        problem.iter().for_each(|problem| error!("{problem}"));
        let (observer, commands, codes) = (observer, outside.commands(), Arc::new(codes));
        let entry_context = EntryContext { observer: observer.clone(), commands, codes: Arc::clone(&codes) };
        let server = serve_control(&config, server_context(&observer, outside, &tournament, &metrics, codes));
        let pulse = heartbeats.pulse("the public files");
        let opening = (outlets::MAX_OPENING_TIME, storage.committer.witnesses().clone(), stopped.clone());
        let (game_reports, public_files) = outlets::spawn(&config, pulse, &problems, opening);
        let outlet_handle = game_reports.clone().with_listener(tournament.listener());
        // The tournament service must not hold a sender to itself, or its channel would never close.
        let deps = tournament_deps(&storage, outside, &problems, tournament_sender);
        let tournament_thread = tournament_actor::spawn(&config, inbox, game_reports, deps);
        let mut lines = Lines::new(SharedDeps {
            storage,
            ports: Ports::default(),
            stop: stopped,
            rows: outside.reports.clone(),
            outlets: outlet_handle.clone(),
            counters,
            problems: problems.clone(),
            heartbeats: heartbeats.clone(),
        });
        let _ = metrics.set(metrics_source(observer, heartbeats.clone(), lines.queues()));
        lines.configure(&config);
        let background_tasks = [
            tokio::spawn(monitor::watch_boards(
                alarm_config,
                rows.clone(),
                (problems, heartbeats.clone()),
                disk,
                raised,
            )),
            tokio::spawn(monitor::watch_disk(config.directory.clone(), disk_sender)),
            tokio::spawn(monitor::report_to_service_manager(Arc::clone(&manager), heartbeats.clone(), rows)),
        ];
        let mut station = Station {
            config,
            lines,
            load_config: outside.load_config.clone(),
            manager,
            stop,
            alarm,
            reload,
            outlets,
            heartbeats,
            public_files,
            outlet_handle,
            tournament,
            tournament_thread,
            background_tasks: background_tasks.map(|task| task.abort_handle()).into(),
            server,
            entry_server: None,
            entry_context,
        };
        station.serve_entry();
        station
    }

    /// Opens the entry socket if there is a board without electronics, or a code for a board that was switched to entry.
    fn serve_entry(&mut self) {
        let is_needed = self.config.lines.iter().any(|line| line.mode == Mode::Entry);
        if is_needed || !self.entry_context.codes.is_empty() {
            self.open_entry_socket();
        }
    }

    fn open_entry_socket(&mut self) {
        if self.entry_server.is_some() {
            return;
        }
        let path = entry_socket_path(&self.config);
        match entry_server::serve(&path, self.config.entry.group.as_deref(), self.entry_context.clone()) {
            Ok(server) => {
                info!("the page of tables without electronic boards reaches this station at {}", path.display());
                self.entry_server = Some(server);
            }
            Err(why) => {
                error!("there is no entry socket, the page of tables without electronic boards does not work: {why}")
            }
        }
    }

    async fn handle_command(&mut self, command: StationCommand) {
        match command {
            StationCommand::Request { board, command: board_command, context: asked, answer } => {
                // The phones of a board that is switched to entry need it.
                if board_command == OperatorCommand::SwitchEntry(true) && !asked.is_dry_run {
                    self.open_entry_socket();
                }
                self.lines.request(&board, board_command, asked, answer)
            }
            StationCommand::MissingMoves { board, answer } => self.lines.missing_moves(&board, answer),
            StationCommand::Reload { requester, deadline, answer } => match expired(&requester, "reload", deadline) {
                Some(why) => drop(answer.send(Err(why))),
                None => self.reload(&requester, answer).await,
            },
            StationCommand::AlarmTest { requester, deadline, answer } => {
                if let Some(why) = expired(&requester, "alarm-test", deadline) {
                    let _ = answer.send(Err(why));
                    return;
                }
                info!("request of {requester}: alarm-test");
                let config = self.alarm.borrow().clone();
                // The command may take long; nothing waits for it.
                tokio::spawn(async move { answer.send(hook::run_test(&config).await) });
            }
        }
    }

    /// Reloads the configuration. Keeps the old one if the new one is invalid.
    async fn reload(&mut self, requester: &str, answer: oneshot::Sender<Result<Vec<String>, String>>) {
        info!("request of {requester}: reload");
        self.manager.send_reloading();
        let loaded = match self.load_config.clone() {
            None => Err("this station has no configuration file".to_owned()),
            Some(load) => {
                let loaded = tokio::task::spawn_blocking(move || load()).await;
                loaded.unwrap_or_else(|bug| Err(format!("a bug: {bug}")))
            }
        };
        match loaded.and_then(|config| self.check_outlets(config)) {
            Err(why) => {
                error!("the new configuration is wrong, the old one stays: {why}");
                let text = vec![why.clone()];
                self.reload.send_replace(Some(ReloadView { at: observer::now(), ok: false, text }));
                let _ = answer.send(Err(why));
            }
            Ok(config) => {
                let (mut messages, lines) = self.configure(config);
                let reload = self.reload.clone();
                // Lines may take long; other commands do not wait for them.
                tokio::spawn(async move {
                    messages.extend(collect_answers(lines).await);
                    if messages.is_empty() {
                        messages.push("nothing has changed".to_owned());
                    }
                    info!("the configuration was read again: {}", messages.join("; "));
                    reload.send_replace(Some(ReloadView { at: observer::now(), ok: true, text: messages.clone() }));
                    let _ = answer.send(Ok(messages));
                });
            }
        }
        self.manager.send(&["READY=1"]);
    }

    /// Refuses a configuration that suspends an outlet: a typing error must not suspend outlets that work.
    fn check_outlets(&self, new: Config) -> Result<Config, String> {
        let is_suspended = |name: &str| self.config.suspended_outlets.iter().any(|held| held.name == name);
        let wrong = new.suspended_outlets.iter().filter(|held| !is_suspended(&held.name));
        let errors: Vec<String> = wrong.map(|held| held.errors.to_string()).collect();
        if errors.is_empty() { Ok(new) } else { Err(errors.join("\n\n")) }
    }

    /// Applies a configuration as far as possible while the station runs.
    fn configure(&mut self, mut new: Config) -> (Vec<String>, Vec<PendingAnswer>) {
        let mut messages = Vec::new();
        let old = &self.config;
        let mut keep = |key: &str, is_same: bool| {
            if !is_same {
                messages.push(format!("`{key}`: needs a restart of damcast; the old value stays"));
            }
        };
        keep("[station] directory", new.directory == old.directory);
        keep("[station] name", new.name == old.name);
        keep("[station] sync", new.durability == old.durability);
        keep("[control] socket", new.control == old.control);
        keep("[entry]", new.entry == old.entry);
        new.directory.clone_from(&old.directory);
        new.name.clone_from(&old.name);
        new.durability = old.durability;
        new.control.clone_from(&old.control);
        new.entry.clone_from(&old.entry);
        allow_files(&new);
        if new.alarm != old.alarm {
            messages.push("[alarm]: new settings".to_owned());
            self.alarm.send_replace(new.alarm.clone());
        }
        for outlet in &new.outlets {
            match old.outlets.iter().find(|before| before.name == outlet.name) {
                Some(before) if before == outlet => {}
                Some(_) => messages.push(format!("outlet {}: new settings", outlet.name)),
                None => messages.push(format!("outlet {}: it is shown from now on", outlet.name)),
            }
        }
        let stays = |name: &str| {
            new.outlets.iter().any(|outlet| outlet.name == name)
                || new.suspended_outlets.iter().any(|held| held.name == name)
        };
        for outlet in old.outlets.iter().filter(|outlet| !stays(&outlet.name)) {
            messages.push(format!("outlet {}: it is no longer updated; its files stay", outlet.name));
        }
        for held in &new.suspended_outlets {
            messages.push(format!("outlet {}: still held back: {}", held.name, held.reason()));
        }
        let open = if new.has_delay() { restrict_access(&new.directory) } else { Vec::new() };
        for (folder, error) in open {
            messages.push(format!(
                "{}: everybody on this machine may read it before the delay is over: {error}",
                folder.display()
            ));
        }
        self.outlets.send_replace(outlet_views(&new));
        if new != *old {
            self.outlet_handle.configured(&new);
            self.tournament.configured(&new);
        }
        let (begun, lines) = self.lines.configure(&new);
        messages.extend(begun.into_iter().map(|name| format!("{name}: a new line")));
        self.config = new;
        self.serve_entry();
        (messages, lines)
    }

    /// Stops the station. Returns the log ends that the disk did not accept.
    async fn stop(mut self, writing: JoinHandle<Vec<UnwrittenTail>>) -> Vec<UnwrittenTail> {
        info!("stopping");
        self.manager.send(&["STOPPING=1", "STATUS=stopping"]);
        (self.server, self.entry_server) = (None, None);
        self.stop.send_replace(true);
        self.background_tasks.iter().for_each(AbortHandle::abort);
        let lines = timeout(STOP_TIMEOUT, async { while self.lines.next_end().await.is_some() {} }).await;
        if lines.is_err() {
            let hanging: Vec<String> =
                self.heartbeats.stalled(STOP_TIMEOUT / 2).into_iter().map(|(name, _)| name).collect();
            error!("not stopped in time, and left as they are: {}", hanging.join(", "));
        }
        // Drop the last senders to the writer threads, so that these end.
        drop((self.lines, self.outlet_handle, self.tournament));
        if timeout(STOP_TIMEOUT, self.tournament_thread).await.is_err() {
            error!("the tournament office was not closed in time; its record has what was answered");
        }
        let untaken = timeout(STOP_TIMEOUT, writing).await;
        match &untaken {
            Ok(Ok(_)) => {}
            Ok(Err(bug)) => error!("the thread that writes: {bug}"),
            Err(_) => error!("the disk does not answer; what it lacks is in the logs as far as they could be written"),
        }
        match timeout(STOP_TIMEOUT, self.public_files).await {
            Ok(Ok(())) => {}
            Ok(Err(bug)) => error!("the public files: {bug}"),
            Err(_) => error!("the public files were not written in time; the next start makes them from the logs"),
        }
        untaken.ok().and_then(Result::ok).unwrap_or_default()
    }
}

/// Logs a request that is too late. Returns the reason of its refusal.
fn expired(requester: &str, request: &str, deadline: Uptime) -> Option<String> {
    let why = deadline.expired_message()?;
    warn!("request of {requester}: {request}: {why}");
    Some(why)
}

fn service_manager() -> Arc<ServiceManager> {
    Arc::new(ServiceManager::from_env().unwrap_or_else(|why| {
        warn!("cannot notify the service manager: {why}");
        ServiceManager::absent()
    }))
}

fn server_context(
    observer: &Observer,
    outside: &StationIo,
    tournament: &TournamentHandle,
    metrics: &Arc<OnceLock<MetricsSource>>,
    entry_codes: Arc<EntryCodes>,
) -> ServerContext {
    ServerContext {
        observer: observer.clone(),
        commands: outside.commands(),
        levels: outside.levels.clone(),
        tournament: tournament.clone(),
        long_requests: Arc::new(Semaphore::new(1)),
        login_codes: outside.logins.clone(),
        metrics: Arc::clone(metrics),
        entry_codes,
        audit_log: AuditLog::default(),
        config_file: outside.config_file.clone(),
        setup_turn: Arc::default(),
        desk_addresses: DeskAddresses::default(),
    }
}

fn tournament_deps(
    storage: &Storage,
    outside: &StationIo,
    problems: &FileProblems,
    shown: watch::Sender<TournamentStatus>,
) -> TournamentDeps {
    let commands = outside.commands();
    TournamentDeps {
        disk: Arc::clone(&storage.disk),
        witnesses: storage.committer.witnesses().clone(),
        rows: outside.reports.subscribe(),
        send_to_line: Box::new(move |board, command, context, answer| {
            commands.try_send(StationCommand::Request { board, command, context, answer }).is_ok()
        }),
        shown,
        problems: problems.reporter(file_problems::DISK_FAULT_ALARM, tournament_actor::RECORD_FILE),
    }
}

fn metrics_source(observer: Observer, heartbeats: Heartbeats, queues: Queues) -> MetricsSource {
    let observed = observer.clone();
    MetricsSource {
        text: Box::new(move || metrics::metrics_text(&observer, &queues.pending_commands())),
        health_problems: Box::new(move || health_problems(&observed, &heartbeats)),
    }
}

/// Returns the answers of lines to new settings. A line without an answer hangs or has ended.
async fn collect_answers(lines: Vec<PendingAnswer>) -> Vec<String> {
    let mut messages = Vec::new();
    let end = tokio::time::Instant::now() + LINE_TIMEOUT;
    for (name, answer) in lines {
        match tokio::time::timeout_at(end, answer).await {
            Ok(Ok(Some(text))) => messages.push(format!("{name}: {text}")),
            Ok(Ok(None)) => {}
            Ok(Err(_)) => messages.push(format!("{name}: has ended or cannot be reached; see `damcast status`")),
            Err(_) => messages.push(format!("{name}: does not answer; it hangs, or is being opened")),
        }
    }
    messages
}

fn outlet_views(config: &Config) -> Vec<OutletView> {
    let shown = config.outlets.iter().map(|outlet| OutletView {
        name: outlet.name.clone(),
        directory: outlet.directory.clone(),
        profile: Some(outlet.profile.to_string()),
        delay_s: Some(outlet.delay.seconds),
        delay_plies: Some(outlet.delay.plies),
        group: outlet.group.clone(),
        held: None,
    });
    let held = config.suspended_outlets.iter().map(|held| OutletView {
        name: held.name.clone(),
        directory: held.directory.clone(),
        held: Some(held.reason()),
        ..OutletView::default()
    });
    shown.chain(held).collect()
}

fn allow_files(config: &Config) {
    let boards: usize = config.lines.iter().map(|line| line.boards.len().max(1)).sum();
    if let Err(why) = limits::allow_files(limits::files_needed(boards)) {
        warn!("{why}");
    }
}

fn serve_control(config: &Config, desk: ServerContext) -> Option<Server> {
    let path = socket_path(config);
    match server::serve(&path, desk) {
        Ok(server) => {
            info!("operators reach this station at {}", path.display());
            Some(server)
        }
        Err(why) => {
            error!("there is no control socket, `damcast status` and `ctl` do not work: {why}");
            None
        }
    }
}

/// Returns the path of the control socket: as configured, or in the runtime folder of the service, or in the folder of the recordings.
pub fn socket_path(config: &Config) -> PathBuf {
    let runtime = || std::env::var("RUNTIME_DIRECTORY").ok().filter(|folders| !folders.is_empty());
    let of_service = || runtime().map(|folders| Path::new(folders.split(':').next().unwrap_or_default()).to_owned());
    let folder = || of_service().unwrap_or_else(|| config.directory.clone());
    config.control.socket.clone().unwrap_or_else(|| folder().join(damcast_control::SOCKET_NAME))
}

/// Returns the path of the entry socket: as configured, in the second runtime folder of the service, or beside the control socket.
pub fn entry_socket_path(config: &Config) -> PathBuf {
    let beside = || socket_path(config).with_file_name(damcast_control::entry::SOCKET_NAME);
    let folders = std::env::var("RUNTIME_DIRECTORY").ok();
    let second = folders.as_deref().and_then(|folders| folders.split(':').nth(1)).filter(|folder| !folder.is_empty());
    let of_service = second.map(|folder| Path::new(folder).join(damcast_control::entry::SOCKET_NAME));
    config.entry.socket.clone().or(of_service).unwrap_or_else(beside)
}

/// Returns the health problems: none if every line is running without a stall and has no other problem.
fn health_problems(observer: &Observer, heartbeats: &Heartbeats) -> Vec<String> {
    let (broken, faults): (Vec<String>, Vec<FileProblem>) = {
        let rows = observer.rows.borrow();
        let broken = rows.iter().filter(|row| row.is_broken).map(|row| format!("line {}", row.name));
        (broken.collect(), rows.iter().filter_map(monitor::disk_fault).collect())
    };
    let file_problems = faults.into_iter().chain(observer.problems.current()).map(
        |FileProblem { kind, board, text, .. }| match board {
            Some(board) => format!("{kind} of {board}: {text}"),
            None => format!("{kind}: {text}"),
        },
    );
    let hanging = heartbeats.stalled(monitor::MAX_SILENCE).into_iter().map(|(name, _)| name);
    broken.into_iter().chain(hanging).chain(file_problems).collect()
}
