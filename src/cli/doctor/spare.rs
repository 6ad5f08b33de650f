//! Checks a spare: the copy of a station's folder on this machine.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use damcast::station::folder::fsck::{self, Severity};

use super::DoctorReport;

/// Age from which a copy is too old: the example copies every ten seconds.
const MAX_AGE: Duration = Duration::from_secs(120);

/// Checks age and content of a copy.
pub fn check(directory: &Path, report: &mut DoctorReport) {
    let shown = directory.display().to_string();
    match newest(directory) {
        Err(error) => {
            let remedy = "name the folder that has log/ and commits of the other machine (docs/spare.md)";
            report.problem("spare", &shown, format!("it cannot be read: {error}"), remedy);
            return;
        }
        Ok(None) => {
            let message = "it has no log: nothing was copied yet";
            report.problem("spare", &shown, message, "start the copying on the other machine (docs/spare.md)");
            return;
        }
        Ok(Some(newest)) => {
            let age = SystemTime::now().duration_since(newest).unwrap_or_default();
            if age > MAX_AGE {
                let message = format!("the copy is {} s old", age.as_secs());
                let remedy = "`systemctl status damcast-spare.timer` on the other machine; its recorder must run, and the clocks must agree";
                report.problem("spare", &shown, message, remedy);
            } else {
                report.ok("spare", format!("the copy is {} s old", age.as_secs()));
            }
        }
    }
    if !directory.join("commits").is_file() {
        report.problem("spare", &shown, "the file commits is missing", "copy it before the folder log (docs/spare.md)");
    }
    match fsck::check(directory) {
        Err(error) => report.problem("spare", &shown, error.to_string(), "`damcast fsck` says more"),
        Ok(found) => {
            if let Some(holder) = &found.holder {
                report.ok("spare", format!("a station{holder} records here: it was taken over"));
            }
            for finding in found.findings.iter().filter(|finding| finding.severity == Severity::Error) {
                let file = finding.file.display().to_string();
                report.problem("spare", &file, finding.message.clone(), "let the other machine copy again");
            }
            if found.is_clean() {
                report.ok("spare", format!("{} lines and {} games are right", found.lines, found.games));
            }
        }
    }
}

/// Returns the time of the newest file of a copy; `None` if there is no log.
fn newest(directory: &Path) -> io::Result<Option<SystemTime>> {
    let mut newest = None;
    for entry in fs::read_dir(directory.join("log"))? {
        newest = newest.max(Some(entry?.metadata()?.modified()?));
    }
    let beside =
        ["commits", "alive.json"].map(|name| fs::metadata(directory.join(name)).and_then(|data| data.modified()));
    Ok(newest.map(|newest| beside.into_iter().flatten().fold(newest, SystemTime::max)))
}
