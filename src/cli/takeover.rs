//! `damcast takeover`: prepares the copy of a station's folder, so that this machine continues its games.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use damcast::station::disk::Lock;
use damcast::station::folder::{fsck, takeover};

use super::input::ProgressNotice;
use super::output::print_line;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "The copy has the folder log and the file commits of a station that has stopped or is cut off. The next start continues all games,
under new generations of events, so that no number is given twice. docs/spare.md has all steps.

Exit codes: 0 the station can be started; 1 it cannot be done, or the copy has errors; 2 a wrong argument.

Examples:
  sudo damcast takeover /var/lib/damcast/recordings     then: systemctl start damcast
  damcast doctor --spare DIR                            how old the copy is, and whether it is right"
)]
pub struct Arguments {
    /// Copy of the station's directory, with log/ and commits.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Takes the folder over, and checks it.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { directory } = arguments;
    let shown = directory.display();
    anyhow::ensure!(
        directory.join("log").is_dir(),
        "{shown}: there is no log/ here; name the copy of a station's folder"
    );
    let _lock = Lock::acquire(directory)?;
    let messages = takeover::take_over(directory).with_context(|| shown.to_string())?;
    messages.iter().try_for_each(print_line)?;
    let waiting = ProgressNotice::with(format!("reading {shown}"));
    let report = fsck::check(directory).with_context(|| shown.to_string())?;
    drop(waiting);
    for finding in report.findings.iter().filter(|finding| finding.severity == fsck::Severity::Error) {
        print_line(format_args!("{}: {}", finding.file.display(), finding.message))?;
    }
    let fsck::FsckReport { lines, games, .. } = report;
    if !report.is_clean() {
        let advice = "a start records with it; `damcast fsck` says more";
        print_line(format_args!("{shown}: taken over, {lines} lines, {games} games, with errors: {advice}"))?;
        return Ok(ExitCode::FAILURE);
    }
    print_line(format_args!("{shown}: taken over, {lines} lines, {games} games; start the station"))?;
    Ok(ExitCode::SUCCESS)
}
