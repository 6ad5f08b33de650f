//! `damcast doctor`: finds problems of this machine before the round, with a remedy for each.
//!
//! | file | checks |
//! |---|---|
//! | `ports` | each configured port: exists, may be opened, is free; settings of its chip |
//! | `system` | programs that grab ports, the clock, limits, memory, power |
//! | `folder` | the folder of the recordings: writable, free space, duration of a write |
//! | `pages` | the units of the recorder, the viewers' pages and the desk; the tables of the pages that start |
//! | `groups` | groups that may read or send requests, for an installed service |
//! | `files` | each folder and file of the station: writable by the recording user |
//! | `codes` | the piece codes of the last recordings |
//! | `alarm` | the alarm command exists |
//! | `deliver` | commands and secrets of deliveries; deliveries that fail |
//! | `publication` | the public file, as lidraughts reads it |
//! | `relay` | two polls of the public file, as lidraughts compares them |
//! | `spare` | the copy of another machine, and nothing else |
//!
//! The checks open nothing that a station may have open, and change nothing but a test file in the folder of the recordings. With
//! `--root` they read another machine's `/proc`, `/sys`, `/etc` and `/dev`, copied or made up for a test.

mod alarm;
mod codes;
mod deliver;
mod files;
mod folder;
mod groups;
pub mod machine;
mod pages;
mod ports;
mod publication;
mod relay;
mod spare;
mod system;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use damcast::station::config::{Config, DEFAULT_PATH};
use serde_json::json;

use super::output;
use machine::Machine;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 nothing is wrong; 1 something is; 2 a wrong argument.

Examples:
  sudo damcast doctor                                     as root it also sees who holds a port
  damcast doctor --public http://example.org/games.pdn    what lidraughts would get from there
  damcast doctor --relay https://example.org/games.pdn    the same twice, and whether games keep their places
  damcast doctor --spare /var/lib/damcast/recordings      the copy of another machine
  damcast doctor --json                                   for programs")]
pub struct Arguments {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    /// Check the machine whose /proc, /sys, /etc, /dev and /run are in this folder.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// User who records: by default that of the installed service, else you.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Public file as spectators get it: http://..., a file, or - for standard input.
    #[arg(long, value_name = "URL")]
    public: Option<String>,
    /// Address that lidraughts polls: reads it twice, and compares the games.
    #[arg(long, value_name = "URL")]
    relay: Option<String>,
    /// Milliseconds between the two readings.
    #[arg(long, value_name = "MS", default_value_t = 12_000, hide = true)]
    relay_interval: u64,
    /// Check the copy of another machine's directory here, and nothing else.
    #[arg(long, value_name = "DIR")]
    spare: Option<PathBuf>,
    /// Required free space on the disk, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    free: u64,
    /// List the files of a station's folder that this user may not write. `doctor` runs itself with it as the recording user.
    #[arg(long, value_name = "DIR", hide = true)]
    try_files: Option<PathBuf>,
    /// Folders of the station's outlets.
    #[arg(long, value_name = "DIR", hide = true)]
    try_outlet: Vec<PathBuf>,
    /// Maximum time of a durable write, in milliseconds; each move waits for one.
    #[arg(long, value_name = "MS", default_value_t = 250)]
    slowest_write: u64,
}

/// Runs the checks and prints the findings.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(directory) = &arguments.try_files {
        output::print_line(serde_json::to_string(&files::refused_files(directory, &arguments.try_outlet))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = DoctorReport::default();
    match &arguments.spare {
        Some(directory) => spare::check(directory, &mut report),
        None => check_machine(arguments, &mut report),
    }
    if arguments.json {
        output::print_line(format_args!("{:#}", report.to_json()))?;
    } else {
        output::print(report.to_text())?;
    }
    Ok(if report.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs all checks of a machine that records.
fn check_machine(arguments: &Arguments, report: &mut DoctorReport) {
    let machine = Machine::new(arguments.root.clone());
    let config = match Config::load_for_recording(&arguments.config) {
        Ok(config) => {
            if config.suspended_outlets.is_empty() {
                report.ok("configuration", format!("{} is right", arguments.config.display()));
            }
            for held in &config.suspended_outlets {
                let text =
                    format!("a station records with it, but shows nothing new in this outlet: {}", held.reason());
                let remedy = "mend it (`damcast config check` shows all that is wrong, with its place), then `damcast ctl reload`";
                report.problem("configuration", &format!("outlet {}", held.name), text, remedy);
            }
            Some(config)
        }
        Err(errors) => {
            let (file, first) = (arguments.config.display().to_string(), &errors.0[0]);
            let place = first.location.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
            let text = format!("{place}{}", first.message);
            report.problem(
                "configuration",
                &file,
                text,
                "`damcast config check` shows all that is wrong, with its place",
            );
            None
        }
    };
    ports::check(&machine, config.as_ref(), arguments.user.as_deref(), report);
    system::check(&machine, config.as_ref(), report);
    groups::check(&machine, config.as_ref(), arguments.user.as_deref(), report);
    pages::check(&machine, &arguments.config, report);
    if let Some(config) = &config {
        let directory = &config.directory;
        folder::check(&machine, directory, arguments.free, arguments.slowest_write, report);
        files::check(&machine, config, arguments.user.as_deref(), report);
        codes::check(&machine, config, directory, report);
        publication::check_local(&machine, config, report);
        if let Some(public) = &arguments.public {
            publication::check_public(&machine, public, config, report);
        }
        alarm::check(&machine, config, report);
    }
    if let Some(address) = &arguments.relay {
        relay::check(address, Duration::from_millis(arguments.relay_interval), report);
    }
}

/// Problem that a check found.
struct DoctorProblem {
    check: &'static str,
    subject: String,
    message: String,
    remedy: String,
}

/// Findings of the checks.
#[derive(Default)]
struct DoctorReport {
    faults: Vec<DoctorProblem>,
    fine: Vec<(&'static str, String)>,
    skipped: Vec<(&'static str, String)>,
}

impl DoctorReport {
    /// Adds a problem of the subject, with its remedy.
    fn problem(&mut self, check: &'static str, subject: &str, text: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(DoctorProblem {
            check,
            subject: subject.to_owned(),
            message: text.into(),
            remedy: remedy.into(),
        });
    }

    /// Adds a passed check.
    fn ok(&mut self, check: &'static str, message: impl Into<String>) {
        self.fine.push((check, message.into()));
    }

    /// Adds a check that could not run.
    fn skip(&mut self, check: &'static str, why: impl Into<String>) {
        self.skipped.push((check, why.into()));
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for (check, problem) in &self.fine {
            text += &format!("  ok    {check}: {problem}\n");
        }
        for (check, why) in &self.skipped {
            text += &format!("  -     {check}: not looked at: {why}\n");
        }
        for DoctorProblem { check, subject, message: problem, remedy } in &self.faults {
            text += &format!("\nWRONG   {check}: {subject}: {problem}\n        what to do: {remedy}\n");
        }
        let count = self.faults.len();
        text + &match count {
            0 => "\nNothing is wrong.\n".to_owned(),
            1 => "\n1 thing is wrong.\n".to_owned(),
            _ => format!("\n{count} things are wrong.\n"),
        }
    }

    fn to_json(&self) -> serde_json::Value {
        let faults = self.faults.iter().map(|fault| {
            json!({ "check": fault.check, "subject": fault.subject, "what": fault.message, "remedy": fault.remedy })
        });
        let pairs = |list: &[(&str, String)]| -> Vec<serde_json::Value> {
            list.iter().map(|(check, problem)| json!({ "check": check, "what": problem })).collect()
        };
        json!({
            "faults": faults.collect::<Vec<_>>(),
            "fine": pairs(&self.fine),
            "skipped": pairs(&self.skipped),
        })
    }
}
