//! Logs much longer than the memory that may be taken: all that reads logs reads them one record at a time.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use damcast::bytelog::{self, Kind, Record};
use rustix::process::Signal;

use crate::daemon::Place;
use crate::program::run;

/// More text than the memory that any of these may take.
const LOG_BYTES: usize = 72 << 20;
const MOST_MEMORY_KIB: u64 = 64 << 10;

/// The recording of a game, with so many remarks between its records that its log has [`LOG_BYTES`].
fn long_log(path: &Path, opened: &str, games_before: u32) {
    let log = bytelog::read(&fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let mut header = log.header.clone();
    header.line = Some("a".to_owned());
    header.opened = Some(opened.parse().unwrap());
    header.other.retain(|(key, _)| key != "continues");
    header.other.push(("continues".to_owned(), "no".to_owned()));
    header.other.push(("games-before".to_owned(), games_before.to_string()));
    let mut file = BufWriter::new(File::create(path).unwrap());
    file.write_all(header.to_text().as_bytes()).unwrap();
    let remark = "nothing of interest ".repeat(200);
    let remarks = LOG_BYTES / remark.len() / log.records.len() + 1;
    for record in &log.records {
        file.write_all(record.to_line().as_bytes()).unwrap();
        let line = Record::new(record.at, Kind::Note(remark.clone())).to_line();
        (0..remarks).for_each(|_| file.write_all(line.as_bytes()).unwrap());
    }
    file.flush().unwrap();
    assert!(fs::metadata(path).unwrap().len() > LOG_BYTES as u64);
}

/// Runs a verb that can have no more memory than it may take. Gives its exit code and what it printed.
fn limited(arguments: &[&str]) -> (i32, String) {
    let script = format!("ulimit -v {MOST_MEMORY_KIB}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_damcast")]).args(arguments).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let out = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap_or_else(|| panic!("{arguments:?}: {said}")), out)
}

#[test]
fn logs_longer_than_memory_are_started_from_and_read() {
    let place = Place::new(&["a"]);
    let recordings = place.path("recordings");
    fs::create_dir_all(recordings.join("log")).unwrap();
    let (old, log) = (recordings.join("log/a-1.log"), recordings.join("log/a-2.log"));
    long_log(&old, "2026-11-20T09:30:00.000+01:00", 0);
    long_log(&log, "2026-11-21T09:30:00.000+01:00", 1);
    let games = |text: &str| text.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>();
    let (code, out) = limited(&["replay", log.to_str().unwrap()]);
    assert_eq!((code, games(&out)), (0, games(&run(&["replay", "tests/data/replay/ideal.log"]).out)));
    assert_eq!(limited(&["log", "verify", recordings.to_str().unwrap()]).0, 0);
    let config = fs::read_to_string(place.path("damcast.toml")).unwrap();
    fs::write(place.path("damcast.toml"), format!("[log]\ncompress = true\n{config}")).unwrap();

    let mut station = place.start();
    station.wait_for("recording");
    station.wait_for("a-2.log was compressed");
    let status = fs::read_to_string(format!("/proc/{}/status", station.process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MOST_MEMORY_KIB, "a start took {peak} kiB");
    assert!(station.signal(Signal::TERM).success());
    assert!(!old.exists() && !log.exists(), "a game that is over needs no log");

    let (recordings, other) = (recordings.to_str().unwrap(), place.path("other"));
    for arguments in [
        &["log", "verify", recordings][..],
        &["log", "list", recordings],
        &["fsck", recordings],
        &["rebuild", recordings, "--into", other.to_str().unwrap()],
        &["log", "extract", recordings, "--line", "a", "--game", "2"],
    ] {
        let (code, out) = limited(arguments);
        assert_eq!(code, 0, "{arguments:?}: {}", &out[..out.len().min(1_000)]);
    }
    assert_eq!(fs::read_to_string(other.join("live/a-2.pdn")).unwrap(), place.live("a-2.pdn"));
}
