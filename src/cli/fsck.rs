//! `damcast fsck`: checks that a folder matches its logs.
//!
//! ```text
//! live/a-1.pdn: wrong: it differs from the log: it was changed outside damcast; damcast rebuild puts this one aside
//! recordings: 4 lines, 6 logs (3.2 MB), 12 games, 1840 events: 1 wrong, 0 to be mended by the next start
//! ```
//!
//! Exit codes: 0: no errors; 1: errors; 2: the folder cannot be read.

use std::path::PathBuf;
use std::process::ExitCode;

use damcast::station::folder::fsck::{self, FsckReport, Severity};

use super::input::{ProgressNotice, json_text};
use super::output::print_line;
use super::usage_error;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 nothing is wrong; 1 something is; 2 the folder cannot be read.

Examples:
  damcast fsck recordings                      also beside a running station
  damcast fsck --json recordings | jq .        for programs")]
pub struct Arguments {
    /// Directory of a station, with log/, live/ and public/.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Print notes: findings that need no action.
    #[arg(long)]
    notes: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

/// Prints the findings.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let shown = arguments.directory.display();
    let waiting = ProgressNotice::with(format!("reading {shown}"));
    let checked = fsck::check(&arguments.directory);
    drop(waiting);
    let report = match checked {
        Ok(report) => report,
        Err(error) => {
            return Ok(usage_error(format_args!("{shown}: {error}; is this the directory of a station?")));
        }
    };
    let shown_level = |level| arguments.notes || level > Severity::Note;
    for finding in report.findings.iter().filter(|finding| shown_level(finding.severity)) {
        let file = finding.file.display().to_string();
        if arguments.json {
            print_line(format_args!(
                "{{\"level\":\"{}\",\"file\":{},\"what\":{},\"advice\":{}}}",
                finding.severity,
                json_text(&file),
                json_text(&finding.message),
                json_text(finding.advice),
            ))?;
        } else {
            let advice = if finding.advice.is_empty() { String::new() } else { format!("; {}", finding.advice) };
            print_line(format_args!("{file}: {}: {}{advice}", finding.severity, finding.message))?;
        }
    }
    let summary = if arguments.json { as_json(&report) } else { as_text(&shown.to_string(), &report) };
    print_line(&summary)?;
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_text(shown: &str, report: &FsckReport) -> String {
    let FsckReport { holder: station, lines, logs, bytes, games, events, .. } = report;
    let station =
        station.as_ref().map(|owner| format!("; a station{owner} records here, what it is just writing is not judged"));
    let verdict = match (report.count(Severity::Error), report.count(Severity::SelfHealing)) {
        (0, 0) => "clean".to_owned(),
        (wrong, mended) => format!("{wrong} wrong, {mended} to be mended by the next start"),
    };
    let megabytes = *bytes as f64 / 1e6;
    format!(
        "{shown}: {lines} lines, {logs} logs ({megabytes:.1} MB), {games} games, {events} events: {verdict}{}",
        station.unwrap_or_default()
    )
}

fn as_json(report: &FsckReport) -> String {
    let FsckReport { holder: station, lines, logs, bytes, games, events, .. } = report;
    format!(
        "{{\"clean\":{},\"wrong\":{},\"mended\":{},\"station\":{},\"lines\":{lines},\"logs\":{logs},\"bytes\":{bytes},\
         \"games\":{games},\"events\":{events}}}",
        report.is_clean(),
        report.count(Severity::Error),
        report.count(Severity::SelfHealing),
        station.is_some(),
    )
}
