//! Checks that the recording user may write every file of the station.
//!
//! The check runs as that user, because root may write everything. A `rebuild` or a `run` as root, or a restored copy, leaves files that
//! the service cannot write.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use damcast::station::config::Config;
use damcast::station::disk::may_write;
use damcast::station::outlets::EVENTS_FILE;
use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::{DoctorReport, ports};

/// Number of files listed in one message.
const MAX_LISTED_FILES: usize = 3;

/// File that the station cannot use as it must.
#[derive(Serialize, Deserialize)]
pub struct Refused {
    path: PathBuf,
    /// Error text of the system.
    reason: String,
    /// Error number of the system.
    code: i32,
}

/// Checks all files of the station.
pub fn check(machine: &Machine, config: &Config, user: Option<&str>, report: &mut DoctorReport) {
    let directory = config.directory.as_path();
    let outlets: Vec<PathBuf> = config.outlets.iter().map(|outlet| outlet.directory.clone()).collect();
    if !directory.is_dir() {
        return;
    }
    if !machine.is_local() {
        return report.skip("files", "this is another machine");
    }
    let (user_name, number, _) = ports::recording_user(machine, user);
    let owner = fs::metadata(directory).map(|there| (there.uid(), there.gid())).ok();
    // A service with a dynamic user owns its files by the number of their owner.
    let (number, group) = match machine.user(&user_name).or(owner) {
        Some((user, group)) => (number.unwrap_or(user), group),
        None => return report.skip("files", format!("there is no user {user_name}")),
    };
    let refused = match check_as_user((number, group), directory, &outlets) {
        Ok(refused) => refused,
        Err(error) => return report.skip("files", format!("it could not be tried as {user_name}: {error}")),
    };
    let mut by_reason: BTreeMap<(i32, String), Vec<PathBuf>> = BTreeMap::new();
    for Refused { path, reason: why, code } in refused {
        by_reason.entry((code, why)).or_default().push(path);
    }
    if by_reason.is_empty() {
        return report.ok("files", format!("{user_name} may write everything in {}", directory.display()));
    }
    for ((code, why), paths) in by_reason {
        let Some(first) = paths.first() else { continue };
        let named: Vec<String> = paths.iter().take(MAX_LISTED_FILES).map(|path| path.display().to_string()).collect();
        let more = paths.len().saturating_sub(MAX_LISTED_FILES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!("{user_name} may not write {}{more}: {why}", named.join(", "));
        report.problem(
            "files",
            &directory.display().to_string(),
            message,
            remedy(&user_name, number, code, directory, first),
        );
    }
}

/// Returns the command that solves the problem.
fn remedy(user_name: &str, number: u32, code: i32, directory: &Path, path: &Path) -> String {
    let shown = directory.display();
    if code == rustix::io::Errno::ROFS.raw_os_error() {
        return "the disk can only be read: `sudo mount -o remount,rw` the place where it is; if that fails it is at its end".to_owned();
    }
    if code == rustix::io::Errno::PERM.raw_os_error() {
        return format!("it is locked: `sudo chattr -R -i {shown}`");
    }
    match fs::metadata(path) {
        Ok(there) if there.uid() != number => {
            format!("`sudo chown -R {user_name}: {shown}`; a station that runs goes on by itself then")
        }
        Ok(_) => format!("`sudo chmod -R u+rwX {shown}`; a station that runs goes on by itself then"),
        Err(_) => format!("let {user_name} pass through the folders above it: `namei -l {shown}` shows who may"),
    }
}

/// Returns the files that this user may not write. Root runs the check as that user.
fn check_as_user((user, group): (u32, u32), directory: &Path, outlets: &[PathBuf]) -> io::Result<Vec<Refused>> {
    let own = rustix::process::geteuid();
    if !own.is_root() || user == own.as_raw() {
        return Ok(refused_files(directory, outlets));
    }
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.args(["doctor", "--try-files"]).arg(directory);
    for outlet in outlets {
        command.arg("--try-outlet").arg(outlet);
    }
    let output = command.uid(user).gid(group).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the files that the current user cannot use as the station must.
pub fn refused_files(directory: &Path, outlets: &[PathBuf]) -> Vec<Refused> {
    let mut refused = Vec::new();
    let mut add = |path: &Path, outcome: io::Result<()>| match outcome {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let (why, code) = (error.kind().to_string(), error.raw_os_error().unwrap_or(0));
            refused.push(Refused { path: path.to_owned(), reason: why, code });
        }
        _ => {}
    };
    let [logs, live] = ["log", "live"].map(|name| directory.join(name));
    let shown = outlets.iter().flat_map(|outlet| [directory.join(outlet), directory.join(outlet).join("archive")]);
    for folder in [directory.to_owned(), logs.clone(), live.clone()].iter().chain(&shown.collect::<Vec<_>>()) {
        add(folder, may_write(folder).and_then(|()| fs::read_dir(folder).map(drop)));
    }
    let own = ["commits", "damcast.lock"].map(PathBuf::from).into_iter();
    for name in own.chain(outlets.iter().map(|outlet| outlet.join(EVENTS_FILE))) {
        let path = directory.join(name);
        add(&path, may_write(&path));
    }
    for (folder, ending) in [(&logs, ".log"), (&logs, ".plan"), (&logs, ".order"), (&live, ".pdn")] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_file() && entry.file_name().to_string_lossy().ends_with(ending) {
                add(&path, may_write(&path).and_then(|()| fs::File::open(&path).map(drop)));
            }
        }
    }
    refused
}
