//! `damcast run`: runs the station until it receives a stop signal.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use damcast::station::config::{Config, DEFAULT_PATH};
use damcast::station::line::Uptime;
use damcast::station::operate::control::{ClientRequest, Commands, StationCommand};
use damcast::station::operate::{logging, supervisor};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tracing::info;

use super::EXIT_USAGE;
use super::output::print_error;

/// What hangs in the end is left after this: a disk that does not answer must not keep the process.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A wire at 9600 baud keeps no core busy; more threads would do nothing but be there.
const MAX_WORKERS: usize = 4;
/// Threads that wait for a disk: the one that writes, the one of the public files, and lines that are opened, which wait for
/// each other beyond that. With the workers fewer than the service may have.
const MAX_BLOCKING_THREADS: usize = 32;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 stopped by a signal, all is written; 1 it cannot start (the folder, or another station in it); 2 the configuration
is wrong, not only an outlet.

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

/// Records until SIGINT or SIGTERM; SIGHUP reads the configuration again. A configuration that is wrong ends it at once, with
/// exit code 2.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match Config::load_for_recording(&arguments.config) {
        Ok(config) => config,
        Err(error) => {
            print_error(format_args!("damcast: {error}"));
            return Ok(ExitCode::from(EXIT_USAGE));
        }
    };
    let levels = logging::init();
    let path = arguments.config.clone();
    let mut outside = supervisor::StationIo::new(watch::Sender::default());
    outside.levels = levels;
    outside.load_config = Some(Arc::new(move || Config::load_for_recording(&path).map_err(|error| error.to_string())));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(cores.min(MAX_WORKERS)).max_blocking_threads(MAX_BLOCKING_THREADS).enable_all();
    let runtime = runtime.build().context("the runtime")?;
    let outcome = runtime.block_on(async {
        let stop = stop_signal().context("signals")?;
        reload_on_hangup(outside.commands()).context("signals")?;
        supervisor::run(config, outside, stop).await?;
        info!("stopped");
        Ok(ExitCode::SUCCESS)
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    outcome
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

/// From now on SIGHUP has the configuration read again. What becomes of it is told in the messages of the program.
fn reload_on_hangup(commands: Commands) -> std::io::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let (answer, reply_receiver) = oneshot::channel();
            let until = Uptime::after(ClientRequest::Reload { until: None }.timeout());
            if commands
                .send(StationCommand::Reload { requester: "SIGHUP".to_owned(), deadline: until, answer })
                .await
                .is_err()
            {
                return;
            }
            // One after the other: signals that come meanwhile are one.
            let _ = reply_receiver.await;
        }
    });
    Ok(())
}
