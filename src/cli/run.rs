//! `damcast run`: runs the station until it receives a stop signal.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use damcast::control::ClientRequest;
use damcast::control::Uptime;
use damcast::station::config::{Config, DEFAULT_PATH};
use damcast::station::operate::control::{Commands, StationCommand};
use damcast::station::operate::{logging, supervisor};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tracing::info;

use super::parent::ParentOptions;
use super::usage_error;

/// Time limit for blocked tasks at shutdown; a disk that does not answer must not keep the process alive.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of workers; wires at 9600 baud keep no core busy.
const MAX_WORKERS: usize = 4;
/// Maximum number of threads that wait for a disk: the writer, the public files, and the opening of lines, which queue beyond that. With
/// the workers they stay below the thread limit of the service.
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
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    parent: ParentOptions,
}

/// Records until SIGINT or SIGTERM; SIGHUP reads the configuration again. Returns exit code 2 at once if the configuration is wrong.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (config, setup_mistake) = match Config::load_for_start(&arguments.config) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(usage_error(error)),
    };
    arguments.parent.apply()?;
    let levels = logging::init();
    let path = arguments.config.clone();
    let mut outside = supervisor::StationIo::new(watch::Sender::default());
    outside.levels = levels;
    outside.config_file = Some(path.clone());
    outside.setup_mistake = setup_mistake.map(|mistake| mistake.to_string());
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

/// Returns a future that completes on SIGINT or SIGTERM. It listens from this call on, not only from the first poll.
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

/// Reloads the configuration on every SIGHUP. The program's messages report the outcome.
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
            // Wait for each reload, so that signals during it count as one.
            let _ = reply_receiver.await;
        }
    });
    Ok(())
}
