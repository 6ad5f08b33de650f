//! `damcast deliver`: runs commands that carry the files of outlets elsewhere, in a process of its own.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use damcast::outward::deliver::{self, DeliverOptions, Delivery};
use damcast::outward::web::Language;
use damcast::station::config::{DEFAULT_PATH, DeliverConfig, DeliveryConfig};
use damcast::station::operate::logging;

use super::output::{print_error, print_line};
use super::parent::ParentOptions;
use super::run::stop_signal;
use super::serve::notify_ready;
use super::usage_error;

/// Time limit for blocked tasks at shutdown; a disk that does not answer must not keep the process alive.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "It runs the command of each [[deliver]] of the configuration when files of its outlet have changed, and knows no protocol
itself. docs/delivery.md has commands for rsync, lftp, rclone and curl.

Exit codes: 0 stopped by a signal, or --once has delivered; 1 it cannot start, or --once has failed; 2 [[deliver]] is wrong.

Examples:
  damcast deliver                                      the installed configuration
  damcast deliver --config damcast.toml                another one
  sudo -u damcast-deliver damcast deliver --once club-site   all files of one delivery, now"
)]
pub struct Arguments {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    parent: ParentOptions,
    /// Deliver all files of this delivery once, and show the last words of its command.
    #[arg(long, value_name = "NAME")]
    once: Option<String>,
}

/// Delivers until SIGINT or SIGTERM, or once.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match DeliverConfig::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(usage_error(error)),
    };
    let DeliverConfig { deliveries, directory, state_file, language } = config;
    // systemd sets these variables for a service.
    let of_service = |name: &str| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let directory = of_service("STATE_DIRECTORY").unwrap_or(directory);
    let state_file = of_service("RUNTIME_DIRECTORY").map_or(state_file, |folder| folder.join("state.json"));
    let known: Vec<&str> = deliveries.iter().map(|delivery| delivery.name.as_str()).collect();
    if known.is_empty() {
        let message =
            "no [[deliver]] in the configuration: add one with `name`, `outlet` and `command` (docs/delivery.md)";
        return Ok(usage_error(message));
    }
    if let Some(name) = arguments.once.as_deref().filter(|name| !known.contains(name)) {
        return Ok(usage_error(format!("no delivery {name:?}; the configuration has {}", known.join(", "))));
    }
    arguments.parent.apply_below_recorder()?;
    logging::init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    let code = runtime.block_on(async {
        let stop = stop_signal().context("signals")?;
        if let Some(name) = &arguments.once {
            let chosen = deliveries.into_iter().find(|delivery| delivery.name == *name).context("the delivery")?;
            return tokio::select! {
                code = once(to_delivery(chosen, language), &directory) => code,
                () = stop => Ok(ExitCode::FAILURE),
            };
        }
        for delivery in &deliveries {
            print_line(format_args!("delivery {}: {}", delivery.name, delivery.folder.display()))?;
        }
        notify_ready();
        let options = DeliverOptions {
            deliveries: deliveries.into_iter().map(|delivery| to_delivery(delivery, language)).collect(),
            state_file: state_file.clone(),
            directory: directory.clone(),
        };
        let folder = format!("the folder {} of the deliveries", directory.display());
        deliver::deliver(options, stop).await.context(folder)?;
        Ok(ExitCode::SUCCESS)
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    code
}

/// Delivers all files once, and prints the last words of the command.
async fn once(delivery: Delivery, directory: &std::path::Path) -> anyhow::Result<ExitCode> {
    let name = delivery.name.clone();
    let mut printed = Ok(());
    let delivered = deliver::deliver_once(delivery, directory, |count, words| {
        let words = words.map_or(String::new(), |words| format!(": {words}"));
        let line = print_line(format_args!("{name}: {count} files{words}"));
        if printed.is_ok() {
            printed = line;
        }
    });
    match delivered.await {
        Ok(count) => {
            printed?;
            print_line(format_args!("{name}: delivered, {count} files in all"))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            print_error(format_args!("damcast: delivery {name}: {why}"));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Converts the settings of a delivery. `language`: code of the language of pages.
fn to_delivery(config: DeliveryConfig, language: Option<&str>) -> Delivery {
    let DeliveryConfig { name, folder, command, every, time_limit, has_pages } = config;
    let language = language.and_then(Language::from_code).unwrap_or(Language::En);
    Delivery { name, folder, command, every, time_limit, pages: has_pages.then_some(language) }
}
