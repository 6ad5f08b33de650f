//! Unwritable files do not stop the log: files and folders of another user, with real processes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use rustix::process::{Signal, geteuid};

use crate::control::{metrics, status};
use crate::daemon::{SPEED, Station, StationFolder, bytes_from_board, moves, recording};
use crate::program::run;
use crate::pty::{Board, Pty, wait_until};

/// The user who records if root runs the tests; otherwise the current user.
const UNPRIVILEGED_USER: u32 = 65534;

fn user() -> u32 {
    if geteuid().is_root() { UNPRIVILEGED_USER } else { geteuid().as_raw() }
}

/// Returns all files and folders under one, including itself.
fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() { found.extend(all(&path)) } else { found.push(path) }
    }
    found
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A station folder owned by the user.
struct UserFolder {
    place: StationFolder,
}

impl UserFolder {
    fn new() -> UserFolder {
        let place = StationFolder::new(&["a"]);
        fs::create_dir(place.path("recordings")).unwrap();
        for path in [place.path("."), place.path("recordings"), place.path("damcast.toml")] {
            chown(path, Some(user()), Some(user())).unwrap();
        }
        UserFolder { place }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path("recordings").join(name)
    }

    /// Returns the problems of its station.
    fn health_problems(&self) -> Vec<String> {
        metrics(&self.path("")).1
    }

    fn plug_in(&self) -> Pty {
        let pty = Pty::plug_in(&self.place.path("a"));
        let port = fs::canonicalize(self.place.path("a")).unwrap();
        chown(port, Some(user()), None).unwrap();
        pty
    }

    /// Starts a station as the user.
    fn start(&self) -> Station {
        self.place.start_with(|command| {
            if geteuid().is_root() {
                command.uid(UNPRIVILEGED_USER).gid(UNPRIVILEGED_USER);
            }
        })
    }

    /// Records four plies and stops the station.
    fn recorded() -> (UserFolder, Board) {
        let home = UserFolder::new();
        let (mut pty, mut board) = (home.plug_in(), Board::new(&recording(), SPEED));
        let mut station = home.start();
        pty.wait_for_the_station();
        board.play(&mut pty, 400_000, || moves(&home.place.live("a-1.pdn")).len() >= 4);
        assert!(station.signal(Signal::TERM).success());
        (home, board)
    }
}

#[test]
fn unwritable_live_file_is_reported_and_log_continues() {
    let (home, mut board) = UserFolder::recorded();
    let live = home.path("live/a-1.pdn");
    set_mode(&live, 0o444);
    let mut pty = home.plug_in();
    let mut station = home.start();
    pty.wait_for_the_station();
    let place = &home.place;
    board.play(&mut pty, 400_000, || bytes_from_board(&place.log("a-2.log")).len() > 100);
    wait_until("the alarm", || {
        let seen = status(place);
        let fault = seen["lines"][0]["fault"].as_str().unwrap_or_default();
        let alarms = seen["alarms"].as_array().unwrap();
        fault.contains("live/a-1.pdn: Permission denied")
            && alarms.iter().any(|alarm| alarm["kind"] == "disk-fault")
            && !home.health_problems().is_empty()
    });
    set_mode(&live, 0o644);
    let before = moves(&place.live("a-1.pdn")).len();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= before + 2);
    station.wait_for("the disk is in order again");
    wait_until("all is well", || home.health_problems().is_empty());
    assert!(station.signal(Signal::TERM).success());
    home.place.assert_clean();
}

/// Somebody copies another file over that of the game: the game continues beside it, and the copy stays theirs.
#[test]
fn replaced_live_file_raises_alarm() {
    let (home, mut board) = UserFolder::recorded();
    let mut pty = home.plug_in();
    let mut station = home.start();
    pty.wait_for_the_station();
    let place = &home.place;
    let played = moves(&place.live("a-1.pdn")).len();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() > played);
    let his = home.path("live/his");
    fs::write(&his, "something else\n").unwrap();
    set_mode(&his, 0o444);
    fs::rename(&his, home.path("live/a-1.pdn")).unwrap();
    let alarms = || status(place)["alarms"].to_string();
    wait_until("the alarm", || alarms().contains("live/a-1.pdn"));
    let recovered = "a-1.recovered-1.pdn";
    wait_until("the game goes on beside it", || moves(&place.live(recovered)).len() > played);
    wait_until("nobody asks for more", || {
        board.answer(&mut pty);
        !alarms().contains("cannot be written")
    });
    // The report about the game's file lasts as long as the game; the station watches the new file.
    set_mode(&home.path("live").join(recovered), 0o444);
    wait_until("the alarm of the new file", || alarms().contains(&format!("live/{recovered}: it cannot be written")));
    set_mode(&home.path("live").join(recovered), 0o644);
    wait_until("it is over", || !alarms().contains("cannot be written"));
    assert_eq!(fs::read_to_string(home.path("live/a-1.pdn")).unwrap(), "something else\n");
    assert!(station.signal(Signal::TERM).success());
}

#[test]
fn live_folder_and_commits_of_other_user_do_not_stop_log() {
    let (home, mut board) = UserFolder::recorded();
    set_mode(&home.path("live"), 0o555);
    set_mode(&home.path("live/a-1.pdn"), 0o444);
    set_mode(&home.path("commits"), 0o444);
    set_mode(&home.path("damcast.lock"), 0o444);
    let mut pty = home.plug_in();
    let mut station = home.start();
    pty.wait_for_the_station();
    let place = &home.place;
    board.play(&mut pty, 400_000, || bytes_from_board(&place.log("a-2.log")).len() > 100);
    assert!(station.output().contains("it is kept as commits.aside-1"), "{}", station.output());
    wait_until("the alarm of the live folder", || {
        let alarms = status(place)["alarms"].to_string();
        alarms.contains("live: it cannot be written")
    });
    // The stop is not delayed either.
    assert!(station.signal(Signal::TERM).success());
    let log = place.log("a-2.log");
    assert_eq!(log.records.last().unwrap().kind, damcast::engine::bytelog::RecordKind::LinkDown);
    set_mode(&home.path("live"), 0o755);
    set_mode(&home.path("live/a-1.pdn"), 0o644);
    let mut station = home.start();
    station.wait_for(": recording line=");
    assert!(station.signal(Signal::TERM).success());
    home.place.assert_clean();
}

#[test]
fn files_created_by_root_belong_to_folder_owner() {
    if !geteuid().is_root() {
        println!("not tried: only root makes files for others");
        return;
    }
    let (home, _board) = UserFolder::recorded();
    for folder in ["live", "public"] {
        fs::remove_dir_all(home.path(folder)).unwrap();
    }
    for file in ["commits", "damcast.lock", "log/events.order"] {
        fs::remove_file(home.path(file)).unwrap();
    }
    run(&["rebuild", home.path("").to_str().unwrap()]).done();
    let of_others = || -> Vec<PathBuf> {
        let paths = all(&home.path("")).into_iter();
        paths.filter(|path| path.symlink_metadata().unwrap().uid() != UNPRIVILEGED_USER).collect()
    };
    assert!(of_others().is_empty(), "{:?}", of_others());
    assert!(home.path("live/a-1.pdn").exists() && home.path("public/events.ndjson").exists());
    // A station that root starts once.
    let mut station = home.place.start();
    station.wait_for(": recording line=");
    wait_until("public files", || home.path("public/games.pdn").exists());
    assert!(station.signal(Signal::TERM).success());
    assert!(of_others().is_empty(), "{:?}", of_others());
    let mut pty = home.plug_in();
    let _station = home.start();
    pty.wait_for_the_station();
}

#[test]
fn doctor_tests_files_as_recording_user_and_names_command() {
    if !geteuid().is_root() {
        println!("not tried: only root asks as another user");
        return;
    }
    let (home, _board) = UserFolder::recorded();
    let faults = || -> Vec<(String, String)> {
        let output = run(&["doctor", "--json", "--user", "nobody", "--config", &home.place.config()]);
        let report: serde_json::Value = serde_json::from_str(&output.out).unwrap();
        let faults = report["faults"].as_array().unwrap().iter().filter(|fault| fault["check"] == "files");
        let word = |fault: &serde_json::Value, key: &str| fault[key].as_str().unwrap().to_owned();
        faults.map(|fault| (word(fault, "what"), word(fault, "remedy"))).collect()
    };
    assert_eq!(faults(), []);
    for name in ["live/a-1.pdn", "commits", "public", "log/a-1.log", "log/round-1.plan"] {
        let path = home.path(name);
        let mode = fs::metadata(&path).unwrap().mode() & 0o777;
        set_mode(&path, mode & 0o755);
        chown(&path, Some(0), Some(0)).unwrap();
        let output = faults();
        assert_eq!(output.len(), 1, "{name}: {output:?}");
        assert!(output[0].0.contains("nobody may not write") && output[0].0.contains(name), "{output:?}");
        let remedy = format!("sudo chown -R nobody: {}", home.place.directory());
        assert!(output[0].1.contains(&remedy), "{output:?}");
        chown(&path, Some(UNPRIVILEGED_USER), Some(UNPRIVILEGED_USER)).unwrap();
        set_mode(&path, 0o444);
        let output = faults();
        assert!(output.len() == 1 && output[0].1.contains("chmod -R u+rwX"), "{name}: {output:?}");
        set_mode(&path, mode);
    }
    assert_eq!(faults(), []);
}
