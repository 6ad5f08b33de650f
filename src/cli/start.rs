//! `damcast start`: recorder, pages and desk for an evening, as processes of one command, for people who edit no file.
//!
//! ```text
//!   damcast start ─┬─ damcast serve    pages, at the first free port from that of the configuration on
//!                  ├─ damcast entry    the same
//!                  ├─ damcast desk     the same
//!                  └─ damcast run      records into ./recordings
//! ```
//!
//! The first start writes a `damcast.toml` of two lines, looks for boards and notes them in `recordings/setup.toml`. A later start goes on
//! with both. A process that ends by mistake is started again; all end with this one, whatever ends it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use damcast::control::client::Client;
use damcast::control::{ClientRequest, Role, SOCKET_NAME};
use damcast::outward::desk::{own_address, terminal_code};
use damcast::station::config::{Config, DeskConfig, EntryPageConfig, LOCAL_FILE, ServeConfig, Sources, setup};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::output::{self, print_error, print_line};
use super::run::stop_signal;
use super::{init, tournament, usage_error};

/// Text of the configuration that the first start writes.
const FIRST_CONFIG: &str = "\
# Written by `damcast start`, which records into this folder. Boards and names that are set at the desk are in recordings/setup.toml.
# config/damcast.toml of damcast explains all settings.
[station]
directory = \"recordings\"
";
/// File in the folder of the recordings for the messages of the processes.
const MESSAGES_FILE: &str = "messages.log";
/// Length of that file in bytes beyond which a start begins it anew.
const MAX_MESSAGES_LEN: u64 = 16 << 20;
/// Number of ports that are tried.
const MAX_PORTS: u16 = 100;
/// Time limit for a process to say that it is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(20);
/// Time limit for a process to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);
/// Shortest and longest pause before a process is started again.
const RESTART_PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];
/// Interval at which the start of the station is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "It needs no configuration and no administrator. docs/club.md leads through an evening.

Exit codes: 0 ended by Ctrl-C; 1 it cannot start; 2 the configuration in this folder is wrong.

Examples:
  damcast start                         records in this folder, or goes on there
  damcast start --directory ~/tuesday   in another one")]
pub struct Arguments {
    /// Folder for the configuration and the recordings.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    directory: PathBuf,
    /// Port at which to look for a board, besides those of board makers; `*` stands for any characters. Repeatable.
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<String>,
    /// Speed of simulated boards, as a multiple of real time.
    #[arg(long, value_name = "FACTOR", hide = true)]
    time_scale: Option<f64>,
}

/// Starts the processes, and ends them at SIGINT or SIGTERM.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let file = arguments.directory.join(LOCAL_FILE);
    if !file.exists() {
        setup::replace_file(&file, FIRST_CONFIG).with_context(|| file.display().to_string())?;
    }
    let (config, mistake) = match Config::load_for_start(&file) {
        Ok(loaded) => loaded,
        Err(errors) => return Ok(usage_error(errors)),
    };
    let socket = config.control.socket.clone().unwrap_or_else(|| config.directory.join(SOCKET_NAME));
    if Client::connect(vec![socket.clone()]).is_ok() {
        print_error(format_args!("damcast: a station records into {} already", config.directory.display()));
        return Ok(ExitCode::FAILURE);
    }
    fs::create_dir_all(&config.directory).with_context(|| config.directory.display().to_string())?;
    let evening = Evening { messages: config.directory.join(MESSAGES_FILE), file, socket, config };
    if fs::metadata(&evening.messages).is_ok_and(|data| data.len() > MAX_MESSAGES_LEN) {
        fs::remove_file(&evening.messages)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    let outcome = runtime.block_on(async {
        let stop = stop_signal().context("signals")?;
        if let Some(mistake) = mistake {
            print_error(format_args!("damcast: setup.toml is wrong and is ignored:\n{mistake}\n"));
        }
        evening.hold(arguments, stop).await
    });
    // A thread that reads the keyboard cannot be ended.
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}

/// What all processes of the command share.
struct Evening {
    file: PathBuf,
    messages: PathBuf,
    socket: PathBuf,
    config: Config,
}

impl Evening {
    /// Starts the processes, and ends them when `stop` completes.
    async fn hold(&self, arguments: &Arguments, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
        let (ending, ended) = watch::channel(false);
        let mut services = tokio::task::JoinSet::new();
        let wanted = ServeConfig::load(&self.file)?.address;
        let (serve, child, pages) =
            self.spawn_at_free_port(wanted, |address| self.service("serve", Some(address))).await?;
        services.spawn(serve.keep(child, ended.clone()));
        let own = own_address();
        let reach =
            SocketAddr::new(own.filter(|_| pages.ip().is_unspecified()).unwrap_or(local(pages.ip())), pages.port());
        let wanted = EntryPageConfig::load(&self.file)?.address;
        let (entry, child, tables) =
            self.spawn_at_free_port(wanted, |address| self.service("entry", Some(address))).await?;
        services.spawn(entry.keep(child, ended.clone()));
        let tables =
            SocketAddr::new(own.filter(|_| tables.ip().is_unspecified()).unwrap_or(local(tables.ip())), tables.port());
        let desk = |address| {
            let mut service = self.service("desk", Some(address));
            service.environment.push(("DAMCAST_DESK_VIEWERS", format!("http://{reach}/")));
            service.environment.push(("DAMCAST_DESK_ENTRY", format!("http://{tables}/")));
            service
        };
        let (desk, child, address) = self.spawn_at_free_port(DeskConfig::load(&self.file)?.address, desk).await?;
        services.spawn(desk.keep(child, ended.clone()));
        let desk_address = format!("http://{address}");
        print_line(format_args!("pages http://{reach}"))?;
        print_line(format_args!("desk {desk_address}"))?;
        print_line(format_args!("tables without boards http://{tables}"))?;
        if self.config.lines.is_empty() {
            self.find_boards(arguments).await?;
        }
        let mut station = self.service("run", None);
        if !arguments.ports.is_empty() {
            station.environment.push(("DAMCAST_STATION_PORTS", absolute_patterns(&arguments.ports)?.join(" ")));
        }
        let mut child = station.spawn()?;
        self.wait_for_station(&mut child).await?;
        services.spawn(station.keep(child, ended));
        self.greet(&reach, &desk_address)?;
        tokio::select! {
            () = stop => {}
            shown = self.renew_link(&desk_address) => shown?,
        }
        print_line("ending ...")?;
        ending.send_replace(true);
        while services.join_next().await.is_some() {}
        print_line(format_args!("the games are in {}", self.config.directory.join("live").display()))
            .context("standard output")
    }

    /// Starts a process at an address, or at the next free port after it.
    async fn spawn_at_free_port(
        &self,
        mut wanted: SocketAddr,
        service: impl Fn(SocketAddr) -> Service,
    ) -> anyhow::Result<(Service, Child, SocketAddr)> {
        let last = wanted.port().saturating_add(MAX_PORTS);
        loop {
            let address = free_address(wanted, last)?;
            let service = service(address);
            match service.spawn_ready().await {
                Ok(child) => return Ok((service, child, address)),
                // Another program took the port in this moment.
                Err(_) if TcpListener::bind(address).is_err() && address.port() < last => {
                    wanted.set_port(address.port() + 1);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn service(&self, verb: &'static str, address: Option<SocketAddr>) -> Service {
        let mut arguments: Vec<OsString> = vec![verb.into(), "--config".into(), self.file.clone().into()];
        arguments.extend(["--end-with".into(), std::process::id().to_string().into()]);
        arguments.extend(address.into_iter().flat_map(|address| ["--address".into(), address.to_string().into()]));
        Service { verb, arguments, environment: Vec::new(), messages: self.messages.clone() }
    }

    /// Looks for boards, and notes those that answer.
    async fn find_boards(&self, arguments: &Arguments) -> anyhow::Result<()> {
        let (patterns, time_scale) = (absolute_patterns(&arguments.ports)?, arguments.time_scale);
        let found = tokio::task::spawn_blocking(move || init::find_boards(&patterns, time_scale)).await??;
        if found.is_empty() {
            return Ok(print_line("no board was found; plug one in and start again, or add tables at the desk")?);
        }
        for line in &found {
            print_line(format_args!("{}: {}, at {}", line.name, line.remark, line.port))?;
        }
        let contents = serde_json::json!({ "line": found.iter().map(init::line_contents).collect::<Vec<_>>() });
        let text = setup::to_text(&contents).map_err(anyhow::Error::msg)?;
        let sources = Sources::from_file(&self.file)?;
        let file = sources.setup_file().context("the configuration names no folder")?;
        sources.with_setup(&file, text.clone()).read_for_recording()?;
        setup::replace_file(&file, &text).with_context(|| file.display().to_string())
    }

    async fn wait_for_station(&self, child: &mut Child) -> anyhow::Result<()> {
        let until = Instant::now() + READY_TIMEOUT;
        while Client::connect(vec![self.socket.clone()]).is_err() {
            let is_over = child.try_wait()?.is_some() || Instant::now() >= until;
            ensure!(!is_over, "the station does not start; {} says why", self.messages.display());
            sleep(CHECK_INTERVAL).await;
        }
        Ok(())
    }

    /// Prints how to go on. The login link is for the terminal alone, because whoever has it may change everything.
    fn greet(&self, pages: &SocketAddr, desk: &str) -> anyhow::Result<()> {
        let is_terminal = std::io::stdout().is_terminal();
        if is_terminal && !pages.ip().is_loopback() {
            let code = terminal_code(&format!("http://{pages}/")).unwrap_or_default();
            output::write_control(&format!("{code}\n"))?;
        }
        print_line(format_args!("messages of the programs: {}", self.messages.display()))?;
        match is_terminal {
            true => self.print_link(desk)?,
            false => print_line("`damcast ctl login` in this folder prints a link to log in at the desk")?,
        }
        Ok(print_line("Ctrl-C ends the recording")?)
    }

    fn print_link(&self, desk: &str) -> anyhow::Result<()> {
        let request = ClientRequest::Login { name: tournament::user(), role: Role::Operator };
        let patience = request.timeout();
        let reply =
            Client::connect(vec![self.socket.clone()]).and_then(|mut client| client.request(request, patience, |_| {}));
        match reply.map(|reply| (reply.code, reply.error)) {
            Ok((Some(code), _)) => {
                print_line(format_args!(
                    "log in at {desk}/?code={code} (once, within a minute; Enter makes another link)"
                ))?;
            }
            Ok((None, why)) => print_error(format_args!("damcast: no login link: {}", why.unwrap_or_default())),
            Err(error) => print_error(format_args!("damcast: no login link: {error}")),
        }
        Ok(())
    }

    /// Prints another login link whenever somebody presses Enter.
    async fn renew_link(&self, desk: &str) -> anyhow::Result<()> {
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            return std::future::pending().await;
        }
        let (pressed, mut presses) = mpsc::channel(1);
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                if line.is_err() || pressed.blocking_send(()).is_err() {
                    return;
                }
            }
        });
        while presses.recv().await.is_some() {
            self.print_link(desk)?;
        }
        // The keyboard is gone; recording goes on.
        std::future::pending().await
    }
}

/// Process of the command.
struct Service {
    verb: &'static str,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, String)>,
    messages: PathBuf,
}

impl Service {
    fn spawn(&self) -> anyhow::Result<Child> {
        let messages = open_messages(&self.messages)?;
        let mut command = Command::new(std::env::current_exe().context("the path of this program")?);
        command.args(&self.arguments).envs(self.environment.iter().cloned());
        // Of its own group, so that Ctrl-C reaches this process alone, which then ends all.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(messages).process_group(0).kill_on_drop(true);
        command.spawn().with_context(|| format!("damcast {}", self.verb))
    }

    /// Starts the process and waits for its first line, which says that it is ready.
    async fn spawn_ready(&self) -> anyhow::Result<Child> {
        let mut child = self.spawn()?;
        let mut line = String::new();
        if let Some(output) = &mut child.stdout {
            let mut output = BufReader::new(output);
            let _ = timeout(READY_TIMEOUT, output.read_line(&mut line)).await;
        }
        ensure!(!line.is_empty(), "damcast {} does not start; {} says why", self.verb, self.messages.display());
        Ok(child)
    }

    /// Starts the process again whenever it ends, until `ending` is true; then ends it.
    async fn keep(self, mut child: Child, mut ending: watch::Receiver<bool>) {
        let [shortest, longest] = RESTART_PAUSES;
        let mut pause = shortest;
        loop {
            let began = Instant::now();
            let ended = tokio::select! {
                ended = child.wait() => Some(ended),
                () = becomes_true(&mut ending) => None,
            };
            let Some(ended) = ended else { return stop(&mut child).await };
            let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
            print_error(format_args!("damcast {} has ended ({how}); it is started again", self.verb));
            if began.elapsed() > longest {
                pause = shortest;
            }
            loop {
                tokio::select! {
                    () = sleep(pause) => {}
                    () = becomes_true(&mut ending) => return,
                }
                pause = (pause * 2).min(longest);
                match self.spawn() {
                    Ok(next) => {
                        child = next;
                        break;
                    }
                    Err(error) => print_error(format_args!("damcast {}: {error:#}", self.verb)),
                }
            }
        }
    }
}

/// Completes when the value is true, or can become so no more.
async fn becomes_true(value: &mut watch::Receiver<bool>) {
    let _ = value.wait_for(|value| *value).await;
}

/// Asks a process to end, and kills it if it does not.
async fn stop(child: &mut Child) {
    let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(pid) = pid {
        let _ = kill_process(pid, Signal::TERM);
    }
    if timeout(STOP_TIMEOUT, child.wait()).await.is_err() {
        let _ = child.kill().await;
    }
}

fn open_messages(path: &Path) -> anyhow::Result<File> {
    OpenOptions::new().append(true).create(true).open(path).with_context(|| path.display().to_string())
}

/// Returns the address with the first free port from its own to the last one.
fn free_address(wanted: SocketAddr, last: u16) -> anyhow::Result<SocketAddr> {
    let mut addresses = (wanted.port()..=last).map(|port| SocketAddr::new(wanted.ip(), port));
    let free = addresses.find(|address| TcpListener::bind(address).is_ok());
    free.with_context(|| format!("no port from {} to {last} of {} is free", wanted.port(), wanted.ip()))
}

/// Returns patterns of ports that hold in every folder.
fn absolute_patterns(patterns: &[String]) -> anyhow::Result<Vec<String>> {
    patterns.iter().map(|pattern| Ok(std::path::absolute(pattern)?.display().to_string())).collect()
}

/// Returns the address at which this machine reaches a listener.
fn local(listens: IpAddr) -> IpAddr {
    if listens.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { listens }
}
