//! `damcast run`: real processes, ports (pseudo-terminals) and files.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use damcast::engine::bytelog::{self, ByteLog, RecordKind};
use rustix::process::{Pid, Signal, kill_process};

use crate::hall::Hall;
use crate::program::{damcast, run};
use crate::pty::{Board, Pty, TIMEOUT, wait_until};

/// Speed of the boards relative to people.
pub const SPEED: f64 = 50.0;

/// A folder with a configuration of some lines.
pub struct StationFolder {
    folder: tempfile::TempDir,
}

impl StationFolder {
    /// Creates one line per name; its port is a link of that name.
    pub fn new(lines: &[&str]) -> StationFolder {
        let place = StationFolder { folder: tempfile::tempdir().unwrap() };
        place.configure(lines, SPEED, "");
        place
    }

    pub fn configure(&self, lines: &[&str], speed: f64, more: &str) {
        let mut text = format!("[station]\ndirectory = {:?}\n", self.path("recordings"));
        for name in lines {
            let port = self.path(name);
            text += &format!("[[line]]\nname = {name:?}\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {speed}\n");
            text += more;
        }
        fs::write(self.path("damcast.toml"), text).unwrap();
    }

    /// Puts tables before the configuration.
    pub fn prepend_config(&self, tables: &str) {
        let config = fs::read_to_string(self.path("damcast.toml")).unwrap();
        fs::write(self.path("damcast.toml"), format!("{tables}{config}")).unwrap();
    }

    /// Returns the file of the configuration, as an argument.
    pub fn config(&self) -> String {
        self.path("damcast.toml").display().to_string()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn live(&self, name: &str) -> String {
        fs::read_to_string(self.path("recordings/live").join(name)).unwrap_or_default()
    }

    pub fn log(&self, name: &str) -> ByteLog {
        bytelog::read(&fs::read(self.path("recordings/log").join(name)).unwrap_or_default()).unwrap()
    }

    /// Asserts that the public files match the live file of the only board; a station completes them if needed.
    fn is_shown_as_it_is_published(&self, live: &str) {
        let mut station = self.start();
        station.wait_for(": recording line=");
        assert!(station.signal(Signal::TERM).success());
        for file in ["games.pdn", "started.pdn"] {
            let text = fs::read_to_string(self.path("recordings/public").join(file)).unwrap();
            let shown = text.split_whitespace().filter(|word| word.contains(['-', 'x']) && !word.contains(['[', '"']));
            assert_eq!(shown.collect::<Vec<_>>(), moves(live), "{text}");
        }
        assert_eq!(crate::outlets::event_moves(&self.public("events.ndjson")), moves(live));
    }

    /// Returns the output of `damcast replay` for these logs.
    pub fn replay(&self, logs: &[&str]) -> String {
        let paths: Vec<PathBuf> = logs.iter().map(|log| self.path("recordings/log").join(log)).collect();
        let paths = paths.iter().map(|path| path.to_str().unwrap());
        let replay = run(&["replay"].into_iter().chain(paths).collect::<Vec<_>>());
        assert_eq!(replay.code, 0, "{}", replay.err);
        replay.out
    }

    pub fn start(&self) -> Station {
        self.start_with(|_| {})
    }

    /// Starts a station with a changed command.
    pub fn start_with(&self, change: impl FnOnce(&mut std::process::Command)) -> Station {
        let mut command = damcast(&["run", "--config", &self.config()]);
        command.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("RUNTIME_DIRECTORY");
        change(&mut command);
        Station::spawn(command)
    }
}

/// A running station. Dropping it kills it.
pub struct Station {
    pub process: Child,
    output: Arc<Mutex<String>>,
}

impl Station {
    /// Starts a station.
    pub fn spawn(mut command: std::process::Command) -> Station {
        let mut process = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let output = Arc::new(Mutex::new(String::new()));
        let (stderr, heard) = (process.stderr.take().unwrap(), Arc::clone(&output));
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        Station { process, output }
    }

    /// Starts a station whose messages are discarded.
    pub fn silent(mut command: std::process::Command) -> Station {
        Station { process: command.spawn().unwrap(), output: Arc::default() }
    }

    pub fn output(&self) -> String {
        self.output.lock().unwrap().clone()
    }

    #[track_caller]
    pub fn wait_for(&self, words: &str) {
        wait_until(&format!("{words:?} on standard error; so far: {}", self.output()), || {
            self.output().contains(words)
        });
    }

    pub fn signal(&mut self, signal: Signal) -> ExitStatus {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
        self.wait()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the end of the station", || {
            status = self.process.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Processor time used so far, in ticks of 10 ms.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn kinds(log: &ByteLog) -> Vec<&RecordKind> {
    log.records.iter().map(|record| &record.kind).collect()
}

pub fn bytes_from_board(log: &ByteLog) -> Vec<u8> {
    let bytes = |kind: &RecordKind| if let RecordKind::FromBoard(bytes) = kind { bytes.clone() } else { Vec::new() };
    log.records.iter().flat_map(|record| bytes(&record.kind)).collect()
}

pub fn recording() -> ByteLog {
    bytelog::read(&fs::read("tests/data/replay/ideal.log").unwrap()).unwrap()
}

/// Returns the moves of a live file.
pub fn moves(pdn: &str) -> Vec<String> {
    let movetext = pdn.lines().filter(|line| line.contains(" {[%clock"));
    movetext.map(|line| line.split(" {").next().unwrap().rsplit(' ').next().unwrap().to_owned()).collect()
}

/// Returns the moves that were really played.
pub fn truth() -> Vec<String> {
    let text = fs::read_to_string("tests/data/replay/ideal.json").unwrap();
    let companion: serde_json::Value = serde_json::from_str(&text).unwrap();
    companion["truth"].as_array().unwrap().iter().map(|ply| ply["move"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn waits_for_port_and_survives_port_loss() {
    let place = StationFolder::new(&["a"]);
    let mut station = place.start();
    station.wait_for("waiting for the port: there is no such port");
    for round in 0..3 {
        let mut pty = Pty::plug_in(&place.path("a"));
        pty.wait_for_the_station();
        drop(pty);
        wait_until("the link is down", || {
            kinds(&place.log("a-1.log")).iter().filter(|kind| ***kind == RecordKind::LinkDown).count() == round + 1
        });
    }
    assert!(station.signal(Signal::TERM).success());
    let log = place.log("a-1.log");
    let link = |kind: &&RecordKind| matches!(kind, RecordKind::LinkUp | RecordKind::LinkDown);
    let links: Vec<&RecordKind> = kinds(&log).into_iter().filter(link).collect();
    assert_eq!(links, [&RecordKind::LinkUp, &RecordKind::LinkDown].repeat(3));
    assert!(kinds(&log).iter().any(|kind| matches!(kind, RecordKind::ToBoard(_))));
    assert_eq!(place.replay(&["a-1.log"]), "");
}

#[test]
fn waiting_for_port_costs_nothing() {
    let place = StationFolder::new(&["a", "b"]);
    let station = place.start();
    let mut pty = Pty::plug_in(&place.path("a"));
    pty.wait_for_the_station();
    drop(pty);
    station.wait_for("the link is down");
    // Not a wait for a condition: the span over which the cost is measured.
    let (before, start) = (station.ticks(), Instant::now());
    std::thread::sleep(Duration::from_millis(700));
    let (used, span) = (station.ticks() - before, start.elapsed());
    assert!(used < 20, "{used}0 ms of processor time in {span:?}, with nothing to do");
}

#[test]
fn garbage_is_kept_and_disturbs_nothing() {
    let place = StationFolder::new(&["a", "b"]);
    let mut station = place.start();
    let mut ptys = [Pty::plug_in(&place.path("a")), Pty::plug_in(&place.path("b"))];
    ptys.iter_mut().for_each(Pty::wait_for_the_station);
    let garbage: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    ptys[0].send(&garbage);
    wait_until("all garbage is in the log", || bytes_from_board(&place.log("a-1.log")).len() == garbage.len());
    let version = [0x93, 0x00, 0x05, 0x01, 0x0b];
    ptys[1].send(&version);
    wait_until("the other board is heard", || bytes_from_board(&place.log("b-1.log")) == version);
    assert!(station.signal(Signal::INT).success());
    assert_eq!(bytes_from_board(&place.log("a-1.log")), garbage);
    assert_eq!(kinds(&place.log("a-1.log")).last(), Some(&&RecordKind::LinkDown));
    assert!(!station.output().contains("panic"), "{}", station.output());
}

#[test]
fn path_without_port_is_reported() {
    let place = StationFolder::new(&["a"]);
    fs::write(place.path("a"), "a file").unwrap();
    place.start().wait_for("this is not a serial port");
}

#[test]
fn port_in_use_is_reported() {
    let place = StationFolder::new(&["a"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let _first = place.start();
    pty.wait_for_the_station();
    let other = StationFolder::new(&["a"]);
    std::os::unix::fs::symlink(place.path("a"), other.path("a")).unwrap();
    other.start().wait_for("the port is in use by another program");
}

#[test]
fn two_stations_cannot_share_directory() {
    let place = StationFolder::new(&["a"]);
    let mut first = place.start();
    first.wait_for("waiting for the port");
    let mut second = place.start();
    assert_eq!(second.wait().code(), Some(1));
    second.wait_for(&format!("another damcast (process {}) records into this directory", first.process.id()));
    assert!(first.process.try_wait().unwrap().is_none(), "the first goes on");
    assert!(first.signal(Signal::TERM).success());
    let third = place.start();
    third.wait_for("waiting for the port");
    assert!(place.path("recordings/log/a-2.log").exists() && !place.path("recordings/log/a-3.log").exists());
}

#[test]
fn wrong_configuration_starts_nothing() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "speed = 3\n");
    let refused = run(&["run", "--config", &place.config()]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("damcast.toml:8:1: unknown key `speed` in [[line]]"), "{}", refused.err);
    assert!(refused.err.contains("8 | speed = 3\n  | ^^^^^\n"), "{}", refused.err);
    assert!(!place.path("recordings").exists());
    assert!(run(&["run", "--config", "/nowhere/x.toml"]).err.contains("/nowhere/x.toml: No such file"));
}

#[test]
fn uncreatable_directory_is_reported() {
    let place = StationFolder::new(&["a"]);
    fs::write(place.path("recordings"), "a file").unwrap();
    let mut station = place.start();
    assert_eq!(station.wait().code(), Some(1));
    station.wait_for("recordings/log: ");
}

#[test]
fn published_games_match_log() {
    let mut hall = Hall::start("");
    hall.board.answer(&mut hall.pty);
    hall.play(8);
    hall.stop();
    let live = hall.live(1);
    assert_eq!(moves(&live)[..8], truth()[..8], "{live}\n{}", hall.station.output());
    assert_eq!(hall.place.replay(&["a-1.log"]), live);
}

#[test]
fn killed_station_continues_same_file() {
    let place = StationFolder::new(&["a"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut logs = Vec::new();
    let mut before = String::new();
    for (round, plies) in [4, 8, 12].into_iter().enumerate() {
        let mut station = place.start();
        pty.wait_for_the_station();
        board.answer(&mut pty);
        board.play(&mut pty, 600_000, || moves(&place.live("a-1.pdn")).len() >= plies);
        station.process.kill().unwrap();
        station.wait();
        logs.push(format!("a-{}.log", round + 1));
        let live = place.live("a-1.pdn");
        assert!(live.starts_with(&before), "what was published stays");
        assert!(moves(&live).len() >= plies, "{live}\n{}", station.output());
        before = live;
    }
    assert_eq!(moves(&before)[..12], truth()[..12], "{before}");
    assert_eq!(place.replay(&logs.iter().map(String::as_str).collect::<Vec<_>>()), before);
    assert_eq!(fs::read_dir(place.path("recordings/live")).unwrap().count(), 1);
    place.is_shown_as_it_is_published(&before);
}

#[test]
fn live_file_is_completed_rewritten_or_left_if_changed() {
    let mut hall = Hall::start("");
    hall.play(3);
    hall.stop();
    let Hall { place, pty, .. } = hall;
    drop(pty);
    let (file, whole) = (place.path("recordings/live/a-1.pdn"), place.live("a-1.pdn"));
    let changed = whole.replacen("32-28", "33-28", 1);
    for (damaged, notice) in [
        (Some(&whole[..whole.len() - 30]), "a-1.pdn has been completed with 30 bytes from the log"),
        (None, "a-1.pdn was missing and has been written again"),
        (Some(&*changed), "a-1.pdn was changed outside damcast and is left as it is"),
    ] {
        match damaged {
            Some(text) => fs::write(&file, text).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let station = place.start();
        station.wait_for(notice);
        let expected = if damaged == Some(&changed) { &changed } else { &whole };
        assert_eq!(place.live("a-1.pdn"), *expected);
        station.wait_for("waiting for the port");
    }
    assert_eq!(place.live("a-1.recovered-1.pdn"), whole);
}

#[test]
fn game_keeps_initial_settings() {
    let speed = 8.0 * SPEED;
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], speed, "[line.tags]\nWhite = \"Old\"\n");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), speed);
    let mut station = place.start();
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    assert!(station.signal(Signal::TERM).success());
    place.configure(&["a"], speed, "[line.tags]\nWhite = \"New\"\n");
    let mut station = place.start();
    station.wait_for("have changed; they hold as soon as its game has ended");
    // The recording ends with the pieces set up for the next game.
    board.play(&mut pty, 2_000_000, || place.path("recordings/log/a-3.log").exists());
    assert!(station.signal(Signal::TERM).success());
    let live = place.live("a-1.pdn");
    assert!(live.contains("[White \"Old\"]") && moves(&live).len() > 10, "{live}");
    let next = place.log("a-3.log").header;
    assert_eq!(next.tags, [("White".to_owned(), "New".to_owned())]);
    assert!(next.other.contains(&("continues".to_owned(), "no".to_owned())), "{next:?}");
    assert_eq!(place.replay(&["a-1.log", "a-2.log", "a-3.log"]), live);
}

#[test]
fn ports_does_not_panic() {
    let ports = run(&["ports"]);
    assert!(!ports.err.contains("panicked"), "{}", ports.err);
    assert_eq!(ports.code == 0, Path::new("/sys/class/tty").is_dir());
}

#[test]
fn patience_is_longer_than_games_here() {
    assert!(TIMEOUT.as_secs_f64() * SPEED > 600.0);
}
