//! `damcast entry`: serves the page on which people enter the moves of tables without electronic boards, in a process of its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use damcast::outward::entry::{self, EntryOptions};
use damcast::station::config::{DEFAULT_PATH, EntryPageConfig};
use damcast::station::operate::logging;

use super::output::print_line;
use super::parent::ParentOptions;
use super::run::stop_signal;
use super::serve::{listen, machine, notify_ready, open, viewer_address};
use super::usage_error;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "It speaks with the entry socket of the station, where a code permits the moves of one table, and needs nothing else.
docs/entry.md says how codes come to the tables.

Exit codes: 0 stopped by a signal; 1 it cannot start (the address is taken); 2 [entry] is wrong.

Examples:
  damcast entry                             the installed configuration
  damcast entry --config damcast.toml       another one
  damcast ctl entry-code table-7            a code for a table"
)]
pub struct Arguments {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    parent: ParentOptions,
    /// Address of the page, instead of the configured one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    address: Option<SocketAddr>,
}

/// Serves the page until SIGINT or SIGTERM.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = match EntryPageConfig::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => return Ok(usage_error(error)),
    };
    arguments.parent.apply_below_recorder()?;
    logging::init();
    let address = arguments.address.unwrap_or(config.address);
    let listener = listen(address).with_context(|| {
        format!(
            "the address {address} of the page cannot be had; `address` of [entry] in the configuration names another"
        )
    })?;
    let options = EntryOptions {
        sockets: config.sockets,
        hosts: config.hosts,
        machine: machine(),
        trusted_proxies: config.trusted_proxies,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    runtime.block_on(async {
        let stop = stop_signal().context("signals")?;
        print_line(format_args!("entry: {}", viewer_address(&listener)?))?;
        notify_ready();
        entry::serve(open(listener)?, options, stop).await.context("the page")?;
        Ok(ExitCode::SUCCESS)
    })
}
