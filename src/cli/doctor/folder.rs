//! Checks the folder of the recordings: whether it is writable, its free space, and how long a write takes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use super::DoctorReport;
use super::machine::Machine;

/// Number of timed writes; the slowest counts.
const WRITE_COUNT: usize = 5;

/// Checks the folder.
pub fn check(machine: &Machine, directory: &Path, free_mib: u64, slowest_ms: u64, report: &mut DoctorReport) {
    let subject = directory.display().to_string();
    // The station creates a missing folder, so check its nearest existing ancestor.
    let existing = directory.ancestors().find(|folder| machine.exists(folder) && !folder.as_os_str().is_empty());
    let existing = machine.path(existing.unwrap_or(Path::new(".")));
    let mounts = machine.read("/proc/mounts").unwrap_or_default();
    if let Some(mount) = read_only_mount(&mounts, directory) {
        let remedy = format!(
            "`sudo mount -o remount,rw {mount}`; if that fails the disk or card is at its end: use another one (`dmesg` says more)"
        );
        report.problem("folder", &subject, format!("the disk at {mount} can only be read"), remedy);
        return;
    }
    match free(&existing) {
        Ok(free) if free < free_mib => report.problem(
            "disk",
            &subject,
            format!("{free} MiB are free, {free_mib} should be"),
            "delete what is not needed, or name another disk with `directory`; a day of a board takes about 4 MB, of a bus of 64 boards about 45",
        ),
        Ok(free) => report.ok("disk", format!("{free} MiB are free in {subject}")),
        Err(error) => report.skip("disk", error.to_string()),
    }
    match slowest_write(&existing) {
        Ok(slowest) if slowest >= u128::from(slowest_ms) => report.problem(
            "disk",
            &subject,
            format!("a durable write took {slowest} ms, {slowest_ms} are too many: every move waits for one"),
            "use another disk (cheap SD cards and USB sticks are slow), or end the program that writes so much",
        ),
        Ok(slowest) => report.ok("disk", format!("the slowest of {WRITE_COUNT} durable writes took {slowest} ms")),
        Err(error) if is_full(&error) => report.problem(
            "disk",
            &subject,
            format!("it is full: {error}"),
            "delete what is not needed (`sudo du -xh / | sort -h | tail` shows the largest folders), or name another disk with \
             `directory`; a station that runs keeps everything in memory meanwhile and goes on by itself",
        ),
        Err(error) => report.problem(
            "folder",
            &subject,
            format!("it cannot be written: {error}"),
            "give it to the user who records (`sudo chown -R USER FOLDER`), or name another one with `directory`; for what the \
             service alone may write: sudo damcast doctor",
        ),
    }
}

/// Whether the disk or the user's quota is full.
fn is_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

/// Returns the mount point of a folder if it is mounted read-only.
fn read_only_mount(mounts: &str, directory: &Path) -> Option<String> {
    let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let mount = |line: &str| {
        let mut parts = line.split(' ');
        let (_, point, _, options) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_read_only = options.split(',').any(|option| option == "ro");
        directory.starts_with(point).then(|| (point.to_owned(), is_read_only))
    };
    // Of several mounts at one place the last counts.
    let (point, is_read_only) = mounts.lines().filter_map(mount).max_by_key(|(point, _)| point.len())?;
    is_read_only.then_some(point)
}

/// Returns the space available to users other than root, in MiB.
fn free(folder: &Path) -> std::io::Result<u64> {
    let data = rustix::fs::statvfs(folder)?;
    Ok(data.f_bavail.saturating_mul(data.f_frsize) / (1024 * 1024))
}

/// Writes and syncs a temporary file several times; returns the slowest time in ms.
fn slowest_write(folder: &Path) -> std::io::Result<u128> {
    let path = folder.join(format!(".damcast-doctor-{}", std::process::id()));
    let timed = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let mut slowest = 0;
        for _ in 0..WRITE_COUNT {
            let began = Instant::now();
            file.write_all(&[b'.'; 64])?;
            file.sync_data()?;
            slowest = slowest.max(began.elapsed().as_millis());
        }
        Ok(slowest)
    };
    let outcome = timed();
    // The file may not have been created.
    let _ = fs::remove_file(&path);
    outcome
}
