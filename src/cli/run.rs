//! `damcast run`: the station, until it is told to stop.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use damcast::config::{Config, DEFAULT_PATH};
use damcast::supervisor;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing::info;
use tracing_subscriber::EnvFilter;

use super::USAGE;

/// What is asked.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 stopped by a signal, in good order; 1 it cannot start (the folder, another station in it); 2 the configuration
is wrong.

Examples:
  damcast run                           the installed configuration
  damcast run --config damcast.toml     another one
  RUST_LOG=damcast=debug damcast run    with more to read"
)]
pub struct Arguments {
    /// The configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
}

/// Records until SIGINT or SIGTERM. A configuration that is wrong ends it at once, with exit code 2.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match Config::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("damcast: {error}");
            return Ok(ExitCode::from(USAGE));
        }
    };
    log_to_stderr();
    tokio::runtime::Runtime::new().context("the runtime")?.block_on(async {
        let stop = stop_signal().context("signals")?;
        supervisor::run(config, stop, watch::Sender::default()).await?;
        info!("stopped");
        Ok(ExitCode::SUCCESS)
    })
}

/// Messages go to standard error; `RUST_LOG=damcast=debug` shows more of them.
fn log_to_stderr() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let ansi = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(ansi).init();
}

/// Done when somebody wants the station to stop. Listens from now on, not from when it is waited for.
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
