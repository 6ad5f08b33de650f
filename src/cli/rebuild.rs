//! `damcast rebuild`: rebuilds all outputs of a folder from its logs.
//!
//! Exit codes: 0: done; 1: failed, for example because a station runs there.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use damcast::station::disk::Lock;
use damcast::station::folder::rebuild;

use super::input::ProgressNotice;
use super::output::print_line;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 done; 1 it cannot be done, for example because a station runs there; 2 a wrong argument.

Examples:
  damcast rebuild recordings                   completes what is missing, puts aside what differs
  damcast rebuild recordings --into copy       makes all files anew, elsewhere"
)]
pub struct Arguments {
    /// Directory of a station, with its logs in log/.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Write live/ and public/ into this directory instead.
    #[arg(long, value_name = "OTHER")]
    into: Option<PathBuf>,
}

/// Rebuilds the files, and reports each that was missing or wrong.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { directory, into } = arguments;
    let target = into.as_ref().unwrap_or(directory);
    anyhow::ensure!(directory.join("log").is_dir(), "{}: there is no log/ here", directory.display());
    std::fs::create_dir_all(target).with_context(|| target.display().to_string())?;
    let _lock = Lock::acquire(target)?;
    let waiting = ProgressNotice::with(format!("rebuilding {}", target.display()));
    let done = rebuild::rebuild(directory, into.as_deref()).with_context(|| directory.display().to_string())?;
    drop(waiting);
    done.iter().try_for_each(print_line)?;
    if done.is_empty() {
        print_line(format_args!("{}: everything is what the logs say", directory.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
