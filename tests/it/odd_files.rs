//! Links, pipes and folders in place of a station's files: nothing hangs, nothing is written through a link, and the obstacle is named.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

use crate::boards::Process;
use crate::program::{assert_contains, damcast, run};
use crate::pty::wait_until;

/// A folder with the configuration of an absent board.
struct StationFolder(tempfile::TempDir);

impl StationFolder {
    fn new() -> StationFolder {
        let folder = tempfile::tempdir().unwrap();
        let config = "[station]\ndirectory = \"recordings\"\n\
                      [[line]]\nname = \"a\"\nport = \"/dev/no-such-port\"\ngame-type = \"20\"\n";
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        for name in ["log", "live", "public"] {
            fs::create_dir_all(folder.path().join("recordings").join(name)).unwrap();
        }
        StationFolder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("recordings").join(name)
    }

    fn output(&self) -> String {
        fs::read_to_string(self.0.path().join("said")).unwrap()
    }

    fn start(&self) -> Process {
        let log_file = File::create(self.0.path().join("said")).unwrap();
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        Process(command.current_dir(self.0.path()).stdout(Stdio::null()).stderr(log_file).spawn().unwrap())
    }

    /// Waits until the line has a log, ends the station, and returns its exit status.
    fn record(&self, log: &str) -> ExitStatus {
        let mut station = self.start();
        let has_head = || fs::read_to_string(self.path(log)).is_ok_and(|text| text.contains("# opened: "));
        wait_until("a log with a head", has_head);
        kill_process(Pid::from_child(&station.0), Signal::TERM).unwrap();
        wait_until("the end", || station.0.try_wait().unwrap().is_some());
        station.0.wait().unwrap()
    }
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
}

#[test]
fn linked_lock_is_refused_and_target_stays() {
    let place = StationFolder::new();
    let precious = place.0.path().join("precious");
    fs::write(&precious, "do not touch").unwrap();
    symlink(&precious, place.path("damcast.lock")).unwrap();
    let mut station = place.start();
    wait_until("the end", || station.0.try_wait().unwrap().is_some());
    assert_ne!(station.0.wait().unwrap().code(), Some(0));
    assert!(place.output().contains("damcast.lock is a symbolic link"), "{}", place.output());
    assert_eq!(fs::read_to_string(&precious).unwrap(), "do not touch");
}

#[test]
fn fifo_does_not_block_start_or_stop() {
    for (name, log) in
        [("commits", "log/a-1.log"), ("public/events.ndjson", "log/a-1.log"), ("log/a-1.log", "log/a-2.log")]
    {
        let place = StationFolder::new();
        pipe(&place.path(name));
        assert_eq!(place.record(log).code(), Some(0), "{name}: {}", place.output());
        assert!(place.output().contains(&format!("{name} is no regular file")), "{name}: {}", place.output());
    }
}

#[test]
fn link_is_not_written_through_and_recording_continues() {
    for name in ["commits", "log/a-1.log", "log/events.order"] {
        for is_there in [false, true] {
            let place = StationFolder::new();
            let precious = place.0.path().join("precious");
            if is_there {
                fs::write(&precious, "do not touch").unwrap();
            }
            symlink(&precious, place.path(name)).unwrap();
            let log = if name == "log/a-1.log" { "log/a-2.log" } else { "log/a-1.log" };
            assert_eq!(place.record(log).code(), Some(0), "{name}: {}", place.output());
            assert!(place.output().contains(&format!("{name} is a symbolic link")), "{name}: {}", place.output());
            let found = fs::read_to_string(&precious).unwrap_or_default();
            assert_eq!(found, if is_there { "do not touch" } else { "" }, "{name}");
        }
    }
}

#[test]
fn folder_is_checked_and_rebuilt_without_fifos_and_links() {
    let place = StationFolder::new();
    assert_eq!(place.record("log/a-1.log").code(), Some(0));
    let recordings = place.path("");
    let recordings = recordings.to_str().unwrap();
    pipe(&place.path("live/a-7.pdn"));
    let report = run(&["fsck", recordings]);
    assert_eq!(report.code, 1, "{}", report.err);
    assert_contains(&report.out, &["live/a-7.pdn", "no regular file"]);
    fs::remove_file(place.path("live/a-7.pdn")).unwrap();
    assert_eq!(run(&["rebuild", recordings]).code, 0);
    // A user with write access to the folder must not redirect root elsewhere.
    let elsewhere = place.0.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    for name in ["live", "public", "public/archive"] {
        let (own, kept) = (place.path(name), place.0.path().join("kept"));
        fs::rename(&own, &kept).unwrap();
        symlink(&elsewhere, &own).unwrap();
        let rebuilt = run(&["rebuild", recordings]);
        assert_ne!(rebuilt.code, 0, "{name}: {}", rebuilt.out);
        assert!(rebuilt.err.contains(&format!("{name} is a symbolic link")), "{name}: {}", rebuilt.err);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{name}");
        fs::remove_file(&own).unwrap();
        fs::rename(&kept, &own).unwrap();
    }
}
