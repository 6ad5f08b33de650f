//! The station is killed at an operation that changes a file, or such operations fail, while it records three boards.
//!
//! A library that is loaded into it (`preload.c`, compiled here with `cc`) counts writes, syncs, and changes of names below its directory,
//! and hits the k-th. Checks after the next start:
//!
//! - the earlier content of a live file is a prefix of its present content, the Result tag masked;
//! - every live file equals a replay of its logs, byte for byte, and no file counts as changed outside damcast;
//! - the earlier events of outlets are a prefix of the present ones, each under its generation, and `fsck` finds nothing;
//! - if operations failed: every byte from a board is in the logs.
//!
//! `scripts/kill-everywhere` runs it for every k.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use damcast::engine::bytelog::{self, ByteLog, LogInput, RecordKind};
use damcast::engine::playback;
use rustix::process::{Pid, Signal, kill_process};

use crate::boards::Process;
use crate::hall::assert_clean;
use crate::program::{damcast, preload};
use crate::pty::{Board, Pty, TIMEOUT, wait_until};
use crate::recorded_session::{env_step, is_beginning};

/// Speed of the boards relative to people: a session takes a second.
const SPEED: f64 = 400.0;
const LINES: [(&str, &str); 3] = [("a", "ideal"), ("b", "calm"), ("c", "club")];
/// Plies of a session, on all boards together.
const PLIES: usize = 120;
/// Maximum time of a session that does not reach all plies.
const MAX_SESSION_TIME: Duration = Duration::from_secs(8);

const ENOSPC: i32 = 28;
const EIO: i32 = 5;

/// A fault and the operation at which it occurs.
#[derive(Clone, Copy, Debug)]
pub struct FaultPoint {
    pub at: usize,
    pub count: usize,
    /// Error number; 0 kills the process.
    pub errno: i32,
    /// Whether half of a write is done first.
    pub is_partial_write: bool,
}

impl FaultPoint {
    /// Makes a command load the library, for the recordings below a folder.
    pub fn set(&self, command: &mut Command, folder: &Path) {
        // The system resolves links in the paths of open files.
        let under = fs::canonicalize(folder).unwrap().join("recordings");
        command.env("LD_PRELOAD", library().unwrap()).env("DAMCAST_UNDER", under);
        command.env("DAMCAST_AT", self.at.to_string()).env("DAMCAST_COUNT", self.count.to_string());
        command.env("DAMCAST_ERRNO", self.errno.to_string());
        command.env("DAMCAST_HALF", u8::from(self.is_partial_write).to_string());
        command.env("DAMCAST_REPORT", folder.join("report"));
    }
}

/// Returns the library; `None` without a compiler.
pub fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY.get_or_init(|| preload("preload")).as_deref()
}

/// Returns a recording without most clock readings, which would be most of its records.
fn recording(name: &str) -> ByteLog {
    let mut log = bytelog::read(&fs::read(format!("tests/data/replay/{name}.log")).unwrap()).unwrap();
    let mut last = 0;
    let mut count = 0;
    log.records.retain(|record| match &record.kind {
        RecordKind::FromBoard(bytes) if bytes.first() == Some(&0x8d) && bytes.len() == 10 => {
            let status = bytes[9];
            count += 1;
            let is_new = status != std::mem::replace(&mut last, status);
            is_new || count % 6 == 0
        }
        _ => true,
    });
    log
}

/// A folder with three boards and the station that records them.
struct Session {
    folder: tempfile::TempDir,
    boards: Vec<(Pty, Board)>,
}

impl Session {
    fn new() -> Session {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut config =
            "[station]\ndirectory = \"recordings\"\n[[outlet]]\nname = \"hall\"\ndelay-plies = 1\n".to_owned();
        let mut boards = Vec::new();
        for (line, name) in LINES {
            let port = folder.path().join(line);
            boards.push((Pty::plug_in(&port), Board::new(&recording(name), SPEED)));
            config +=
                &format!("[[line]]\nname = {line:?}\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {SPEED}\n");
        }
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        Session { folder, boards }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the station; its output goes to a file.
    fn start(&self, hit: Option<FaultPoint>) -> Process {
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        let log_file = fs::OpenOptions::new().create(true).append(true).open(self.path("said")).unwrap();
        command.current_dir(self.folder.path()).stdout(Stdio::null()).stderr(log_file);
        if let Some(hit) = hit {
            hit.set(&mut command, self.folder.path());
        }
        Process(command.spawn().unwrap())
    }

    /// Plays until all plies are published, or the station has ended. Returns whether the station is still running.
    fn play(&mut self, Process(station): &mut Process) -> bool {
        let opening = Instant::now();
        // Bytes that a board sends before the port is open are lost.
        while self.boards.iter_mut().any(|(pty, _)| pty.received.is_empty() && pty.receive().is_empty()) {
            if station.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(opening.elapsed() < TIMEOUT, "{}", fs::read_to_string(self.path("said")).unwrap());
            std::thread::sleep(Duration::from_millis(1));
        }
        let start = Instant::now();
        let mut count = 0;
        while station.try_wait().unwrap().is_none() {
            let now = (start.elapsed().as_secs_f64() * 1000.0 * SPEED) as u64;
            self.boards.iter_mut().for_each(|(pty, board)| board.advance(pty, now));
            count += 1;
            if count % 16 == 0 && (self.plies() >= PLIES || start.elapsed() > MAX_SESSION_TIME) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    fn live(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let folder = self.path("recordings/live");
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    /// Returns the events of the outlets, and their generations.
    fn outlet_events(&self) -> [Vec<u8>; 3] {
        ["public/events.ndjson", "public-hall/events.ndjson", "log/events.order"]
            .map(|name| fs::read(self.path("recordings").join(name)).unwrap_or_default())
    }

    fn plies(&self) -> usize {
        let entries =
            |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).lines().filter(|line| line.contains("[%clock")).count();
        self.live().values().map(entries).sum()
    }

    /// Returns the logs of a line, in order.
    fn logs(&self, line: &str) -> Vec<LogInput<'static>> {
        let names = fs::read_dir(self.path("recordings/log")).into_iter().flatten();
        let mut logs: Vec<(u32, PathBuf)> = names
            .map(|entry| entry.unwrap().path())
            .filter_map(|path| {
                let name = path.file_name()?.to_str()?.strip_prefix(line)?.strip_prefix('-')?;
                Some((name.strip_suffix(".log")?.parse().ok()?, path))
            })
            .collect();
        logs.sort();
        let read =
            |(_, path): (u32, PathBuf)| LogInput::from_text(path.display().to_string(), fs::read(&path).unwrap());
        // A log without a complete header has no content.
        logs.into_iter().map(read).filter(|log| log.header.opened.is_some()).collect()
    }

    /// Asserts that live files and logs agree.
    fn check(&self, case: &str) {
        let output = fs::read_to_string(self.path("said")).unwrap();
        assert!(!output.contains("panicked") && !output.contains("a bug"), "{case}: {output}");
        let live = self.live();
        let mut made = BTreeMap::new();
        for (line, _) in LINES {
            for game in playback::play(self.logs(line), None).unwrap().games {
                made.insert(
                    self.path("recordings/live").join(format!("{line}-{}.pdn", game.number())),
                    game.file.bytes(),
                );
            }
        }
        assert_eq!(live.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>(), "{case}: {output}");
        for (path, bytes) in live {
            let (live, made) = (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&made[&path]));
            assert_eq!(live, made, "{case}: {}: {output}", path.display());
        }
    }

    fn end(&self, mut station: Process, case: &str) {
        kill_process(Pid::from_child(&station.0), Signal::TERM).unwrap();
        wait_until(&format!("{case}: the end of the station"), || station.0.try_wait().unwrap().is_some());
    }

    fn output_count(&self, words: &str) -> usize {
        fs::read_to_string(self.path("said")).unwrap().matches(words).count()
    }

    /// Starts the station once more, lets it recover, and stops it.
    fn recover(&self, case: &str) {
        let before = self.output_count(": recording line=");
        let station = self.start(None);
        wait_until(&format!("{case}: three lines recording"), || self.output_count(": recording line=") >= before + 3);
        self.end(station, case);
    }
}

impl Drop for Session {
    /// Keeps the folder of a failed test for inspection.
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("kept: {}", self.folder.path().display());
            self.folder.disable_cleanup(true);
        }
    }
}

/// Returns the number of operations of a session.
fn operations() -> usize {
    let mut session = Session::new();
    let hit = FaultPoint { at: usize::MAX >> 1, count: 1, errno: 0, is_partial_write: false };
    let mut station = session.start(Some(hit));
    assert!(session.play(&mut station));
    let output = fs::read_to_string(session.path("said")).unwrap();
    assert!(session.plies() >= PLIES, "{} plies: {output}", session.plies());
    session.end(station, "no fault");
    session.check("no fault");
    fs::read_to_string(session.path("report")).unwrap().trim().parse().unwrap()
}

fn kill(at: usize, half: bool) {
    let case = format!("killed at operation {at}{}", if half { ", after half of it" } else { "" });
    let mut session = Session::new();
    let mut station = session.start(Some(FaultPoint { at, count: 1, errno: 0, is_partial_write: half }));
    if session.play(&mut station) {
        session.end(station, &case);
    }
    let (before, events_before) = (session.live(), session.outlet_events());
    session.recover(&case);
    let after = session.live();
    for (before, after) in events_before.iter().zip(session.outlet_events()) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(after.starts_with(before), "{case}: events before and after:\n{}\n{}", text(before), text(&after));
    }
    assert_clean(&session.path("recordings"), &case);
    for (path, before) in before {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (path, after) = (path.display(), &after[&path]);
        assert!(is_beginning(&before, after), "{case}: {path}\n{}\n{}", text(&before), text(after));
    }
    session.check(&case);
}

fn fail(at: usize, count: usize, errno: i32) {
    let case = format!("error {errno} in operations {at} to {}", at + count);
    let mut session = Session::new();
    let mut station = session.start(Some(FaultPoint { at, count, errno, is_partial_write: false }));
    let goes_on = session.play(&mut station);
    if goes_on {
        let board_bytes: Vec<Vec<u8>> = session.boards.iter().map(|(_, board)| board.sent.clone()).collect();
        let bytes = |line: &str| -> Vec<u8> {
            let read = |log: LogInput| bytelog::read_valid_prefix(&fs::read(log.name).unwrap()).0.records;
            let records = session.logs(line).into_iter().flat_map(read);
            let bytes =
                records.map(|record| if let RecordKind::FromBoard(bytes) = record.kind { bytes } else { Vec::new() });
            bytes.flatten().collect()
        };
        for ((line, _), board_bytes) in LINES.iter().zip(&board_bytes) {
            wait_until(&format!("{case}: all bytes of {line}"), || bytes(line).len() >= board_bytes.len());
            assert!(bytes(line) == *board_bytes, "{case}: {line} has other bytes than its board said");
        }
        session.end(station, &case);
    } else {
        // The directory was unusable at the start: the station reports that and ends.
        session.recover(&case);
    }
    session.check(&case);
}

/// Runs every case on this many threads; sessions mostly wait.
pub fn each<T: Copy + Sync>(cases: &[T], threads: usize, run: impl Fn(T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(*case);
                }
            });
        }
    });
}

/// Returns every `step`th operation of a session from `first` on; none without a compiler.
fn places(first: usize, step: usize) -> Vec<usize> {
    if library().is_none() {
        println!("there is no `cc`: nobody was killed");
        return Vec::new();
    }
    let operations = operations();
    println!("a session has {operations} operations");
    (first..operations + 20).step_by(step).collect()
}

fn kill_at(places: &[usize], threads: usize) {
    let kills: Vec<(usize, bool)> = places.iter().flat_map(|&at| [(at, false), (at, true)]).collect();
    each(&kills, threads, |(at, half)| kill(at, half));
    println!("{} kills: nothing lost, nothing taken back", kills.len());
}

fn fail_at(places: &[usize], threads: usize) {
    let faults: Vec<(usize, i32)> = places.iter().flat_map(|&at| [(at, ENOSPC), (at, EIO)]).collect();
    each(&faults, threads, |(at, errno)| fail(at, if at % 2 == 0 { 1 } else { 40 }, errno));
    println!("{} faults: nothing missing", faults.len());
}

#[test]
fn sampled_kill_or_fault_loses_nothing() {
    let places = places(30, 331);
    kill_at(&places, 4);
    fail_at(&places, 4);
}

#[test]
#[ignore = "half an hour: every operation; scripts/kill-everywhere"]
fn kill_anywhere_loses_nothing() {
    kill_at(&places(0, env_step()), 6);
}

#[test]
#[ignore = "half an hour: every operation; scripts/kill-everywhere"]
fn fault_anywhere_loses_nothing() {
    fail_at(&places(0, env_step()), 6);
}

#[test]
fn patience_is_longer_than_session() {
    assert!(TIMEOUT > 2 * MAX_SESSION_TIME);
}
