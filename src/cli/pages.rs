//! `damcast pages`: writes the pages for viewers as plain files, for any web space.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use damcast::outward::web::static_pages::{self, Renewal, StaticOptions};
use damcast::outward::web::{Language, live};
use damcast::station::config::{DEFAULT_PATH, ServeConfig};
use damcast::station::operate::logging;

use super::output::print_line;
use super::parent::lower_priority;
use super::run::stop_signal;
use super::usage_error;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "It reads the folder of one outlet, named by [serve] in the configuration, and writes into DIR only: a new or empty folder, or
one that it wrote before. docs/viewers.md says how to put the files on a web space.

Exit codes: 0 stopped by a signal, or written with --once; 1 DIR cannot be written, or has files of others; 2 [serve] is wrong.

Examples:
  damcast pages --into /srv/www/live                     renews the files until it is stopped
  damcast pages --into site --once --config damcast.toml once, for a script that copies them"
)]
pub struct Arguments {
    /// Folder of the pages.
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    /// Write the files once, then exit.
    #[arg(long)]
    once: bool,
}

/// Writes the pages, once or until SIGINT or SIGTERM.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match ServeConfig::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(usage_error(error)),
    };
    lower_priority();
    logging::init();
    let options = StaticOptions {
        outlet: config.folder,
        into: arguments.into.clone(),
        language: config.language.and_then(Language::from_code).unwrap_or(Language::En),
        now: live::now,
    };
    let place = arguments.into.display();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    runtime.block_on(async {
        if arguments.once {
            let Renewal { files, written, removed } = static_pages::write_once(options).await.context("the pages")?;
            print_line(format_args!("pages: {place} has {files} files: {written} new or changed, {removed} removed"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let stop = stop_signal().context("signals")?;
        let (mut is_first, mut has_trouble) = (true, false);
        let report = |renewal: io::Result<Renewal>| match renewal {
            Ok(Renewal { files, written, removed }) => {
                if std::mem::take(&mut is_first) {
                    // The pages go on without a reader of this line.
                    let _ = print_line(format_args!("pages: {place} has {files} files, and is renewed"));
                }
                tracing::debug!(files, written, removed, "the pages are renewed");
                has_trouble = false;
            }
            Err(error) if has_trouble => tracing::debug!(%error, "the pages still cannot be renewed"),
            Err(error) => {
                tracing::warn!(%error, "the pages cannot be renewed; the next change tries again");
                has_trouble = true;
            }
        };
        static_pages::renew(options, stop, report).await.context("the pages")?;
        Ok(ExitCode::SUCCESS)
    })
}
