//! `damcast hub`: joins the halls of an event, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use damcast::outward::hub::{self, HallPlace, HubHall, HubOptions};
use damcast::station::config::{DEFAULT_PATH, HallSource, HubConfig};
use damcast::station::operate::logging;

use super::output::print_line;
use super::parent::ParentOptions;
use super::run::stop_signal;
use super::serve::notify_ready;
use super::usage_error;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "It copies the events and files of each hall of [hub], and joins them in one folder, which is an outlet: serve, deliver and other
hubs read it. docs/halls.md says how several laptops become one event.

Exit codes: 0 stopped by a signal; 1 the folder of the hub cannot be used; 2 [hub] is wrong.

Examples:
  damcast hub                               the installed configuration
  damcast hub --config damcast.toml         another one"
)]
pub struct Arguments {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    parent: ParentOptions,
}

/// Joins halls until SIGINT or SIGTERM.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match HubConfig::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(usage_error(error)),
    };
    arguments.parent.apply_below_recorder()?;
    logging::init();
    let halls = config.halls.into_iter().map(|hall| HubHall {
        name: hall.name,
        place: match hall.source {
            HallSource::Folder(folder) => HallPlace::Folder(folder),
            HallSource::Url { url, ca } => HallPlace::Url { url, ca },
        },
    });
    let options = HubOptions {
        directory: config.directory,
        profile: config.profile,
        halls: halls.collect(),
        // systemd sets the variable for a service.
        state_file: std::env::var_os("RUNTIME_DIRECTORY")
            .map_or(config.state_file, |folder| Path::new(&folder).join("state.json")),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    let stop = Arc::new(AtomicBool::new(false));
    let directory = options.directory.clone();
    runtime.block_on(async {
        let signal = stop_signal().context("signals")?;
        let joining = tokio::task::spawn_blocking({
            let stop = stop.clone();
            move || hub::run(options, &stop)
        });
        print_line(format_args!("hub: {}", directory.display()))?;
        notify_ready();
        tokio::pin!(joining);
        tokio::select! {
            ended = &mut joining => return ended.context("the hub")?.with_context(|| folder_error(&directory)).map(|()| ExitCode::SUCCESS),
            () = signal => stop.store(true, Ordering::Relaxed),
        }
        joining.await.context("the hub")?.with_context(|| folder_error(&directory))?;
        Ok(ExitCode::SUCCESS)
    })
}

fn folder_error(directory: &Path) -> String {
    format!(
        "the folder {} of the hub cannot be used; `directory` of [hub] in the configuration names it",
        directory.display()
    )
}
