//! `damcast desk`: serves the page for operators and arbiters, in a process of its own.

use std::io::{IsTerminal, Read};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use damcast::control::{DeskUser, SERVICE_SOCKET_PATH, SOCKET_NAME};
use damcast::outward::desk::{self, DeskOptions, passwords};
use damcast::outward::state_file::{STATE_FILE_PATH, StateFiles};
use damcast::station::config::{DEFAULT_PATH, DeliverConfig, DeskConfig, HubConfig};
use damcast::station::operate::logging;

use super::ctl::RoleArg;
use super::output::{print_error, print_line};
use super::parent::ParentOptions;
use super::run::stop_signal;
use super::serve::{listen, machine, notify_ready, open, viewer_address};
use super::usage_error;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "It speaks with the control socket of the station, and needs nothing else. docs/desk.md says how people log in, and how to put
it up for other machines.

Exit codes: 0 stopped by a signal; 1 it cannot start (the address is taken); 2 [desk] is wrong.

Examples:
  damcast desk                             the installed configuration
  damcast desk --config damcast.toml       another one
  damcast ctl login                        a code with which you can log in, for a minute
  damcast desk hash-password \"M. Bosma\"    a line for the file of passwords"
)]
pub struct Arguments {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    parent: ParentOptions,
    /// Loopback address of the desk, instead of the configured one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    address: Option<SocketAddr>,
    /// State file of the viewers' pages.
    #[arg(long, value_name = "FILE", default_value = STATE_FILE_PATH, hide = true)]
    viewers: PathBuf,
    #[command(subcommand)]
    verb: Option<Subcommand>,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Print a line for the password file; reads the password from standard input.
    HashPassword {
        /// Name of the user.
        name: String,
        /// Role of the user.
        #[arg(long, value_enum, default_value = "operator")]
        role: RoleArg,
    },
}

/// Serves the desk until SIGINT or SIGTERM.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(Subcommand::HashPassword { name, role }) = &arguments.verb {
        return hash_password(DeskUser { name: name.clone(), role: (*role).into() });
    }
    let config = match DeskConfig::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(usage_error(error)),
    };
    let address = arguments.address.unwrap_or(config.address);
    if arguments.address.is_some_and(|address| !address.ip().is_loopback()) {
        let message = "--address is one of loopback; `address` of [desk] names another, with what it needs";
        return Ok(usage_error(message));
    }
    arguments.parent.apply_below_recorder()?;
    logging::init();
    let listener = bind(address)?;
    let numbers = config.metrics.map(|address| {
        TcpListener::bind(address)
            .with_context(|| format!("the address {address} of `metrics` of [desk] cannot be had"))
    });
    let numbers = numbers.transpose()?;
    let options = DeskOptions {
        // A desk that other machines reach is behind a proxy, under a host name.
        address: match config.hosts.first() {
            Some(host) if !address.ip().is_loopback() => format!("https://{host}/"),
            _ => viewer_address(&listener)?,
        },
        sockets: sockets(config.socket.as_deref(), config.directory.as_deref()),
        password_file: config.password_file,
        hosts: config.hosts,
        machine: machine(),
        trusted_proxies: config.trusted_proxies,
        is_public: !address.ip().is_loopback(),
        state_files: StateFiles {
            viewers: Some(arguments.viewers.clone()),
            deliveries: DeliverConfig::load(&arguments.config).ok().map(|config| config.state_file),
            hub: HubConfig::load(&arguments.config).ok().map(|config| config.state_file),
        },
        viewers: config.viewers,
        entry: config.entry,
        engine: config.engine,
        metrics: numbers,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    runtime.block_on(async {
        let stop = stop_signal().context("signals")?;
        print_line(format_args!("operator: {}", viewer_address(&listener)?))?;
        notify_ready();
        desk::serve(open(listener)?, options, stop).await.context("the desk")?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Returns the possible places of the control socket: the configured one, else that in the recordings and that of the service.
fn sockets(socket: Option<&Path>, directory: Option<&Path>) -> Vec<PathBuf> {
    match socket {
        Some(socket) => vec![socket.to_owned()],
        None => directory
            .map(|directory| directory.join(SOCKET_NAME))
            .into_iter()
            .chain([SERVICE_SOCKET_PATH.into()])
            .collect(),
    }
}

/// Opens the listener.
pub fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    // Strangers who connect in masses must not fill the queue: an operator whose connection does not fit waits for a second or more.
    listen(address).with_context(|| {
        format!(
            "the address {address} of the desk cannot be had; `address` of [desk] in the configuration names another"
        )
    })
}

fn hash_password(person: DeskUser) -> anyhow::Result<ExitCode> {
    if std::io::stdin().is_terminal() {
        print_error(format_args!("the password of {person}, and Enter; it is shown as you type:"));
    }
    let mut text = String::new();
    // A longer password is refused.
    let mut limited = std::io::stdin().lock().take(passwords::MAX_PASSWORD_LEN as u64 + 2);
    std::io::BufRead::read_line(&mut std::io::BufReader::new(&mut limited), &mut text).context("standard input")?;
    match passwords::password_line(&person, text.trim_end_matches(['\r', '\n'])) {
        Ok(line) => print_line(line)?,
        Err(why) => bail!("{why}"),
    }
    Ok(ExitCode::SUCCESS)
}
