//! `damcast serve`: serves the pages for viewers from an outlet.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use damcast::outward::web::{self, Language, ServeOptions};
use damcast::station::config::{DEFAULT_PATH, ServeConfig};
use damcast::station::operate::{limits, logging, notify};
use listenfd::ListenFd;
use rustix::process::{Resource, getrlimit};
use socket2::{Domain, Socket, Type};

use super::output::{print_error, print_line};
use super::parent::ParentOptions;
use super::run::stop_signal;
use super::usage_error;

/// Maximum number of connections, if the limit on open files allows them.
const MAX_CONNECTIONS: u64 = 16_384;
/// Length of the queue of new connections: after an outage a whole hall reconnects at once, and a refused client retries only after
/// seconds.
const BACKLOG: i32 = 4096;
/// Number of open files besides connections.
const BASE_FILES: u64 = 128;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "It reads the folder of one outlet, named by [serve] in the configuration, and nothing else. docs/viewers.md says how to put
the pages up.

Exit codes: 0 stopped by a signal; 1 it cannot start (the address is taken); 2 [serve] is wrong.

Examples:
  damcast serve                             the installed configuration
  damcast serve --config damcast.toml       another one
  damcast serve --address 127.0.0.1:0       on a free port of this machine, which it prints"
)]
pub struct Arguments {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    parent: ParentOptions,
    /// Address of the pages, instead of the configured one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    address: Option<SocketAddr>,
}

/// Serves pages until SIGINT or SIGTERM.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match ServeConfig::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(usage_error(error)),
    };
    arguments.parent.apply_below_recorder()?;
    logging::init();
    let listener = match ListenFd::from_env().take_tcp_listener(0).context("the socket of the service manager")? {
        Some(handed) => handed,
        None => bind(arguments.address.unwrap_or(config.address))?,
    };
    let options = ServeOptions {
        // systemd sets the variable for a service.
        state_file: std::env::var_os("RUNTIME_DIRECTORY").map(|folder| PathBuf::from(folder).join("state.json")),
        is_polled: config.is_polled,
        language: config.language.and_then(Language::from_code),
        ..options(config.folder, config.hosts, config.trusted_proxies)
    };
    // With a single thread the pages never take more than one core from the recorder.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    runtime.block_on(async {
        let stop = stop_signal().context("signals")?;
        print_line(format_args!("viewers: {}", viewer_address(&listener)?))?;
        notify_ready();
        web::serve(open(listener)?, options, stop).await.context("the pages")?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Returns options for serving a folder on this machine.
pub fn options(outlet: PathBuf, hosts: Vec<String>, trusted_proxies: Vec<std::net::IpAddr>) -> ServeOptions {
    if let Err(error) = limits::allow_files(MAX_CONNECTIONS + BASE_FILES) {
        tracing::debug!(error, "fewer connections");
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(MAX_CONNECTIONS + BASE_FILES);
    let connections = files.saturating_sub(BASE_FILES).clamp(16, MAX_CONNECTIONS);
    ServeOptions {
        outlet,
        hosts,
        machine: machine(),
        trusted_proxies,
        connections: usize::try_from(connections).unwrap_or(16),
        state_file: None,
        is_polled: false,
        language: None,
        now: web::live::now,
    }
}

/// Opens a listener whose queue holds many connections that come at once.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Opens the listener of the pages.
pub fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    listen(address).with_context(|| {
        format!(
            "the address {address} of the pages cannot be had; `address` of [serve] in the configuration names another"
        )
    })
}

/// Returns the address of a listener for viewers on this machine.
pub fn viewer_address(listener: &TcpListener) -> io::Result<String> {
    let mut address = listener.local_addr()?;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Ok(format!("http://{address}/"))
}

/// Converts the listener for the runtime.
pub fn open(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

/// Tells the service manager, if there is one, that the program answers from here on.
pub fn notify_ready() {
    match notify::ServiceManager::from_env() {
        Ok(manager) => _ = manager.send(&["READY=1"]),
        Err(error) => print_error(format_args!("damcast: {error}")),
    }
}

/// Returns the name of this machine.
pub fn machine() -> Option<String> {
    rustix::system::uname().nodename().to_str().ok().map(str::to_owned)
}
