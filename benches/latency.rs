//! Measures the latency from the last byte of a board to the published line, compared with minimal programs.
//!
//! ```text
//! cargo bench --bench latency                    all of it
//! cargo bench --bench latency -- safe sync       these alone
//! cargo bench --bench latency -- watched         the station alone and beside viewers of its pages, in turn
//! cargo bench --bench latency -- delivered       the station alone, and beside a hub and a delivery of its files
//! DAMCAST_BEFORE=old/damcast cargo bench --bench latency -- before    the station and an older one, in turn
//! ```
//!
//! Boards on pseudo-terminals play the opening of a recorded game with shortened pauses. A ply is published when its player presses the
//! clock. The latency runs from the moment the last byte of that message can be read to the moment inotify reports that the live file has
//! grown. A press without a line within [`PRESS_TIMEOUT`] is reported as missing. Boards answer requests during the wait: if a dump is
//! under way when the clock is pressed, the ply is published after that dump.
//!
//! | | program |
//! |---|---|
//! | `null` | reads through the station's link and runtime, and appends a line of 45 bytes to a file |
//! | `log` | `null` with a log: writes the record of the bytes first |
//! | `lazy` | the station with `sync = "lazy"`: log, core, live file |
//! | `sync` | `log` with a thread that makes the record durable before it appends the line, as the station does |
//! | `safe` | the station by default: the log is durable before the line is visible |
//! | `fdatasync` | 45 bytes appended to a file and made durable: at the presses of `safe`, before and after them in turn |
//! | `separate` | `fdatasync` for 64 files, one after the other |
//! | `together` | 64 boards press at the same moment: until the last of the 64 lines is visible, for `safe` and for `null` |
//! | `watched` | `lazy` and `safe` beside `damcast serve` (nice 10, as its unit says) with 2,000 viewers of all boards, of whom 5 % never
//! read; the process that plays the viewers runs only on an idle processor (`chrt --idle`), because in a hall phones do that work |
//! | `delivered` | `lazy` and `safe` beside `damcast hub` and `damcast deliver` (nice 10), which copy the files of the station |
//!
//! Times depend on the machine and its load; the ratios of one run, printed at the end, are what counts. Runs alternate.

#![allow(clippy::unwrap_used, reason = "a measurement that meets what it did not expect should stop there")]

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use damcast::engine::bytelog::{self, Record, RecordKind};
use damcast::station::disk::{self, Disk, RealDisk};
use damcast::station::link::{Link, LinkEvent, PortAddress, Ports};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/pty.rs"]
mod pty;
use pty::Pty;
#[path = "common/runs.rs"]
mod runs;
use runs::Runs;
#[allow(dead_code, reason = "the bench of the viewers uses more of it")]
#[path = "common/watchers.rs"]
mod watchers;
use watchers::Watchers;

/// Speed of play, as a multiple of real time. At a much higher speed the pauses of the measurement would
/// count as a silent clock.
const SCALE: f64 = 6.0;
/// Maximum pause in the game, in ms of the board's time: long enough for the position to be confirmed.
const MAX_PAUSE_MS: u64 = 1_200;
/// Time limit for the line after a press.
const PRESS_TIMEOUT: Duration = Duration::from_millis(150);
/// Time without other work during a wait, so that the measured program has the machine to itself.
const IDLE_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// Number of plies; those before the first whole move are not measured, because they create the file.
const PLIES: usize = 24;
/// Number of boards that press one after the other, of many; the rest are not measured singly.
const SEQUENTIAL_BOARDS: usize = 24;
const WARM_UP_PLIES: usize = 2;
/// Number of boards of a round.
const ROUND_BOARDS: usize = 64;
/// Numbers of boards that are measured.
const HALLS: [usize; 3] = [1, ROUND_BOARDS, 256];
/// Number of runs of each program.
const ROUNDS: usize = 3;
/// Pause between a press and a sync, or the next press: for one board (on a quiet disk) and for many.
const PRESS_GAP: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(2)];
/// Measured programs.
const PROGRAMS: [&str; 5] = ["null", "log", "lazy", "sync", "safe"];
/// Times that are shown as ratios: those of a program, and of another one.
const RATIOS: [[&str; 2]; 4] = [["lazy", "null"], ["log", "null"], ["safe", "fdatasync"], ["sync", "fdatasync"]];
/// Programs measured beside viewers.
const PROGRAMS_IN_SETTINGS: [&str; 2] = ["lazy", "safe"];
/// Number of viewers, and of those who never read.
const VIEWERS: (usize, usize) = (2_000, 100);
/// Space that `sync` reserves for durable records, in bytes.
const SPACE: usize = 4 << 20;
const LINE: &[u8] = b"12. 37-32 {[%clock w1:29:20 B1:29:33]}.......\n";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, least, program, files @ ..] = arguments.as_slice()
        && least == "--least"
    {
        return run_minimal(program, files);
    }
    if let [_, watch, address] = arguments.as_slice()
        && watch == "--watch"
    {
        return run_viewers(address);
    }
    let named: Vec<&String> = arguments.iter().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted = |program: &str| named.is_empty() || named.iter().any(|name| *name == program);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    if named.is_empty() || named.iter().any(|name| *name == "watched") {
        compare(Setting::Alone, Setting::Watched);
    }
    if named.is_empty() || named.iter().any(|name| *name == "delivered") {
        compare(Setting::Alone, Setting::Delivered);
    }
    if named.iter().any(|name| *name == "before") {
        compare(Setting::Before, Setting::Alone);
    }
    if named.iter().all(|name| ["watched", "delivered", "before"].contains(&name.as_str())) && !named.is_empty() {
        return;
    }
    let mut found = Timings::default();
    for _ in 0..ROUNDS {
        for boards in HALLS {
            for program in PROGRAMS.into_iter().filter(|program| is_wanted(program)) {
                let RunTimings { single, simultaneous, fdatasync } = measure(program, boards, Setting::Alone);
                found.add(program, boards, single);
                if program == "safe" {
                    found.add("fdatasync", boards, fdatasync);
                }
                if boards == ROUND_BOARDS && program == "null" {
                    found.simultaneous_read.push(simultaneous);
                } else if boards == ROUND_BOARDS && program == "safe" {
                    found.simultaneous.push(simultaneous);
                }
            }
        }
        if is_wanted("separate") {
            found.separate_files.push(separate_files_times(folder.path(), 12));
        }
    }
    found.print();
}

/// Times of all programs.
#[derive(Default)]
struct Timings {
    /// Times of single presses, by number of boards and program.
    single: BTreeMap<(usize, &'static str), Runs>,
    simultaneous: Runs,
    /// Times of all boards together for the program `null`.
    simultaneous_read: Runs,
    separate_files: Runs,
}

impl Timings {
    fn add(&mut self, program: &'static str, boards: usize, times: Vec<f64>) {
        self.single.entry((boards, program)).or_default().push(times);
    }

    fn print(&self) {
        println!("{:<22} {:>8} {:>10} {:>10} {:>10} {:>10}", "", "times", "p10 us", "p50 us", "p90 us", "p99 us");
        let row = |name: &str, runs: &Runs| {
            let [p10, p50, p90, p99] = [0.1, 0.5, 0.9, 0.99].map(|share| runs.at(share));
            println!("{name:<22} {:>8} {p10:>10.1} {p50:>10.1} {p90:>10.1} {p99:>10.1}", runs.count());
        };
        for ((boards, program), runs) in &self.single {
            row(&format!("{program}, {boards} boards"), runs);
        }
        row("separate", &self.separate_files);
        row("together", &self.simultaneous);
        row("together, null", &self.simultaneous_read);
        println!("\nratios, and those of single runs");
        for boards in HALLS {
            for [one, other] in RATIOS {
                if let (Some(runs), Some(others)) = (self.single.get(&(boards, one)), self.single.get(&(boards, other)))
                {
                    runs.print_ratios(&format!("{one} / {other}, {boards} boards"), others);
                }
            }
        }
        let separate = self.separate_files.at(0.5);
        println!(
            "{ROUND_BOARDS} boards at once: together / separate {:.3} (together, null / separate {:.3})",
            self.simultaneous.at(0.5) / separate,
            self.simultaneous_read.at(0.5) / separate
        );
    }
}

/// Runs a minimal program: reads and appends a line; with a log; with a durable log.
fn run_minimal(program: &str, files: &[String]) {
    let committer = (program == "sync").then(|| {
        let (sender, receiver) = mpsc::channel::<(String, File)>();
        let space = vec![0; SPACE];
        fs::write("commits", space).unwrap();
        let commits = OpenOptions::new().write(true).open("commits").unwrap();
        commits.sync_all().unwrap();
        let commits = RealDisk.open(Path::new("commits")).unwrap();
        std::thread::spawn(move || commit(&*commits, &receiver));
        sender
    });
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        for pair in files.chunks(2) {
            let [port, file] = pair else { continue };
            let mut link = Link::new(port.parse::<PortAddress>().unwrap(), None, Ports::default());
            let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
            let mut log = OpenOptions::new().append(true).create(true).open(format!("{port}.log")).unwrap();
            let (has_log, committer) = (program != "null", committer.clone());
            tokio::spawn(async move {
                loop {
                    match link.next().await {
                        LinkEvent::Bytes(bytes) => {
                            let record = Record::new(0, RecordKind::FromBoard(bytes)).to_line();
                            if has_log {
                                log.write_all(record.as_bytes()).unwrap();
                            }
                            match &committer {
                                Some(committer) => committer.send((record, file.try_clone().unwrap())).unwrap(),
                                None => file.write_all(LINE).unwrap(),
                            }
                        }
                        // The boards wait for the first byte of a station.
                        LinkEvent::Up => drop(link.send(b"@").await),
                        _ => {}
                    }
                }
            });
        }
        // The links run until the program is killed.
        std::future::pending::<()>().await;
    });
}

/// Makes all pending records durable with one sync, and appends a line for each.
fn commit(commits: &dyn disk::File, receiver: &mpsc::Receiver<(String, File)>) {
    let mut end = 0;
    while let Ok(first) = receiver.recv() {
        let all: Vec<(String, File)> = std::iter::once(first).chain(receiver.try_iter()).collect();
        let mut blocks: Vec<u8> = all.iter().flat_map(|(record, _)| record.bytes()).collect();
        blocks.resize(blocks.len().next_multiple_of(disk::BLOCK_SIZE), 0);
        end = if end as usize + blocks.len() > SPACE { 0 } else { end };
        commits.write_blocks_durably(&blocks, end).unwrap();
        end += blocks.len() as u64;
        all.into_iter().for_each(|(_, mut file)| file.write_all(LINE).unwrap());
    }
}

/// Message of the recording.
struct ScriptMessage {
    at: u64,
    bytes: Vec<u8>,
    is_press: bool,
}

fn script() -> Vec<ScriptMessage> {
    let log = bytelog::read(&fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let (mut script, mut lever, mut times) = (Vec::new(), None, None);
    let (mut at, mut before) = (0, 0);
    for record in log.records {
        let RecordKind::FromBoard(mut bytes) = record.kind else { continue };
        // Positions are sent on request.
        if bytes.first() == Some(&0x86) {
            continue;
        }
        let mut is_press = false;
        if let [0x8d, _, _, ref mut shown @ .., status] = *bytes.as_mut_slice() {
            is_press = lever.is_some_and(|lever| lever != status);
            // Readings between two presses are not needed. Time runs differently here, so the clock always shows the same.
            if lever.is_some() && !is_press {
                continue;
            }
            lever = Some(status);
            let first = times.get_or_insert_with(|| shown.to_vec());
            shown.copy_from_slice(first);
        }
        at += (record.at - before).min(MAX_PAUSE_MS);
        before = record.at;
        script.push(ScriptMessage { at, bytes, is_press });
    }
    // The first change of the lever starts the clock.
    let last =
        script.iter().enumerate().filter(|(_, message)| message.is_press).nth(PLIES).map_or(script.len(), |(at, _)| at);
    script.truncate(last + 1);
    script
}

fn start_position() -> Vec<u8> {
    let log = bytelog::read(&fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let dump = |kind: RecordKind| if let RecordKind::FromBoard(bytes) = kind { Some(bytes) } else { None };
    log.records.into_iter().filter_map(|record| dump(record.kind)).find(|bytes| bytes[0] == 0x86).unwrap()
}

/// Measured program, killed when dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Times of one run, in microseconds.
#[derive(Default)]
struct RunTimings {
    /// Times of single presses.
    single: Vec<f64>,
    /// Times of all boards together.
    simultaneous: Vec<f64>,
    /// Times of a sync between two presses.
    fdatasync: Vec<f64>,
}

/// Circumstances in which a station is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    Alone,
    /// Beside viewers of its pages.
    Watched,
    /// Beside a hub that copies its files, and a delivery of them.
    Delivered,
    /// The older program that `DAMCAST_BEFORE` names, alone.
    Before,
}

impl Setting {
    fn name(self) -> &'static str {
        match self {
            Setting::Alone => "alone",
            Setting::Watched => "beside 2,000 viewers",
            Setting::Delivered => "beside hub and deliver",
            Setting::Before => "older program",
        }
    }
}

/// Measures the station in two settings, in turn.
fn compare(first: Setting, second: Setting) {
    for boards in HALLS {
        for program in PROGRAMS_IN_SETTINGS {
            let mut times = [Runs::default(), Runs::default()];
            for _ in 0..ROUNDS {
                for (setting, times) in [first, second].into_iter().zip(&mut times) {
                    times.push(measure(program, boards, setting).single);
                }
            }
            let [before, beside] = times;
            println!("{program}, {boards} boards: {} times", before.count());
            beside.print_ratios(&format!("{program} {} / {}, {boards} boards", second.name(), first.name()), &before);
        }
    }
}

/// Plays the viewers of a page until the process is killed.
fn run_viewers(address: &str) {
    let (count, unread) = VIEWERS;
    let mut watchers = Watchers::connect(address, "/events", count, unread);
    watchers.read_until_quiet();
    println!("all are there");
    loop {
        watchers.read(|_, _| ());
    }
}

/// Starts a hub that copies a station's folder, and a delivery of the files.
fn deliver(folder: &Path) -> [Program; 2] {
    let (hall, text) = (folder.join("recordings/public"), "[[deliver]]\nname = \"copy\"\noutlet = \"public\"\n");
    let copy = format!("command = [\"cp\", \"-r\", {hall:?}, {:?}]\n", folder.join("delivered"));
    let hub = format!("[[hub.hall]]\nname = \"hall\"\nfolder = {hall:?}\n");
    let station = fs::read_to_string(folder.join("damcast.toml")).unwrap();
    fs::write(folder.join("outward.toml"), station + text + &copy + &hub).unwrap();
    ["hub", "deliver"].map(|program| {
        let mut command = Command::new("nice");
        command.args(["-n", "10", env!("CARGO_BIN_EXE_damcast"), program, "--config", "outward.toml"]);
        Program(command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    })
}

/// Starts the pages of a station's folder, and their viewers.
fn watch(folder: &Path) -> [Program; 2] {
    let (config, outlet) = (folder.join("serve.toml"), folder.join("recordings/public"));
    fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {outlet:?}\n")).unwrap();
    let begin = |scheduling: [&str; 3], program: &Path, arguments: &[&str]| {
        let mut command = Command::new(scheduling[0]);
        command.args(&scheduling[1..]).arg(program).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        (Program(child), said)
    };
    let config = config.to_string_lossy();
    let (pages, said) =
        begin(["nice", "-n", "10"], Path::new(env!("CARGO_BIN_EXE_damcast")), &["serve", "--config", &config]);
    let address = said.trim().strip_prefix("viewers: http://").and_then(|rest| rest.strip_suffix('/')).unwrap();
    let (viewers, said) = begin(["chrt", "--idle", "0"], &std::env::current_exe().unwrap(), &["--watch", address]);
    assert_eq!(said, "all are there\n");
    [pages, viewers]
}

/// Plays on `boards` boards.
fn measure(program: &str, boards: usize, setting: Setting) -> RunTimings {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| folder.path().join(name);
    let live = path("recordings/live");
    fs::create_dir_all(&live).unwrap();
    let names: Vec<String> = (0..boards).map(|board| format!("b{board}")).collect();
    let mut ptys: Vec<Pty> = names.iter().map(|name| Pty::plug_in(&path(name))).collect();
    let _program = start(program, folder.path(), &names, setting);
    ptys.iter_mut().for_each(Pty::wait_for_the_station);
    let _beside = match setting {
        Setting::Watched => Some(watch(folder.path())),
        Setting::Delivered => Some(deliver(folder.path())),
        Setting::Alone | Setting::Before => None,
    };
    let mut hall = MeasuredHall {
        ptys,
        positions: vec![start_position(); boards],
        files: names.iter().map(|name| format!("{name}-1.pdn")).collect(),
        watcher: Watcher::new(&live),
        durable: (program == "safe").then(|| new_file(folder.path(), "durable")),
        presses: 0,
        single_presses: 0,
        timings: RunTimings::default(),
        missing: Vec::new(),
    };
    let start = Instant::now();
    // Time spent on presses so far, by which the boards run late.
    let mut late = Duration::ZERO;
    for message in script() {
        let due = Duration::from_secs_f64(message.at as f64 / 1000.0 / SCALE);
        loop {
            answer_dump_requests(&mut hall.ptys, &hall.positions);
            if start.elapsed() >= due + late {
                break;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        if message.is_press {
            let begin = Instant::now();
            hall.press(&message.bytes);
            late += begin.elapsed();
        } else {
            hall.send(&message.bytes);
        }
    }
    let is_copied = || path("hub/hall/hall/events.ndjson").exists() && path("delivered/events.ndjson").exists();
    assert!(setting != Setting::Delivered || is_copied(), "neither the hub nor the delivery has the files");
    for press in hall.missing {
        println!("{program}, {boards} boards: not seen in time: press {press}");
    }
    hall.timings
}

/// Boards that play, and the times of their presses.
struct MeasuredHall {
    ptys: Vec<Pty>,
    positions: Vec<Vec<u8>>,
    /// Names of the live files.
    files: Vec<String>,
    watcher: Watcher,
    /// A file that is synced between two presses.
    durable: Option<File>,
    presses: usize,
    single_presses: usize,
    timings: RunTimings,
    /// Presses whose ply was not seen in time.
    missing: Vec<String>,
}

impl MeasuredHall {
    /// Sends a message from all boards.
    fn send(&mut self, message: &[u8]) {
        for (pty, position) in self.ptys.iter_mut().zip(&mut self.positions) {
            if let [0x8e, _, _, field, piece] = *message {
                position[3 + usize::from(field)] = piece;
            }
            pty.send(message);
        }
    }

    /// Presses the clocks of all boards: together, or some of them one after the other.
    fn press(&mut self, message: &[u8]) {
        self.presses += 1;
        if self.files.len() > 1 && self.presses.is_multiple_of(2) {
            return self.press_together(message);
        }
        for board in 0..self.files.len().min(SEQUENTIAL_BOARDS) {
            self.single_presses += 1;
            if self.single_presses.is_multiple_of(2) {
                self.sync();
                self.press_one(board, message);
            } else {
                self.press_one(board, message);
                self.sync();
            }
        }
        self.ptys.iter_mut().skip(SEQUENTIAL_BOARDS).for_each(|pty| pty.send(message));
    }

    fn press_together(&mut self, message: &[u8]) {
        self.watcher.skip_growth();
        let pressed = Instant::now();
        self.ptys.iter_mut().for_each(|pty| pty.send(message));
        match self.watcher.wait_for(&self.files, || answer_dump_requests(&mut self.ptys, &self.positions)) {
            Ok(seen) if self.is_warm() => self.timings.simultaneous.push((seen - pressed).as_secs_f64() * 1e6),
            Err(files) if self.is_warm() => {
                self.missing.push(format!("{}, of all at once, in {}", self.presses, files.join(" ")));
            }
            _ => {}
        }
    }

    fn press_one(&mut self, board: usize, message: &[u8]) {
        std::thread::sleep(self.rest());
        self.watcher.skip_growth();
        let pressed = Instant::now();
        self.ptys[board].send(message);
        let file = std::slice::from_ref(&self.files[board]);
        match self.watcher.wait_for(file, || answer_dump_requests(&mut self.ptys, &self.positions)) {
            Ok(seen) if self.is_warm() => self.timings.single.push((seen - pressed).as_secs_f64() * 1e6),
            Err(_) if self.is_warm() => self.missing.push(format!("{}, alone, in {}", self.presses, file[0])),
            _ => {}
        }
    }

    /// Measures a sync of the disk.
    fn sync(&mut self) {
        let (rest, is_warm) = (self.rest(), self.is_warm());
        if let Some(durable) = &mut self.durable {
            std::thread::sleep(rest);
            let took = append_and_sync(durable);
            self.timings.fdatasync.extend(is_warm.then_some(took));
        }
    }

    /// Whether presses count.
    fn is_warm(&self) -> bool {
        self.presses > WARM_UP_PLIES + 1
    }

    /// Pause before a press.
    fn rest(&self) -> Duration {
        PRESS_GAP[usize::from(self.files.len() > 1)]
    }
}

/// Answers the dump requests to each board.
fn answer_dump_requests(ptys: &mut [Pty], positions: &[Vec<u8>]) {
    for (pty, position) in ptys.iter_mut().zip(positions) {
        let asked = pty.receive().iter().filter(|&&byte| byte == 0x42).count();
        (0..asked).for_each(|_| pty.send(position));
    }
}

fn start(program: &str, folder: &Path, names: &[String], setting: Setting) -> Program {
    let mut command = if !["lazy", "safe"].contains(&program) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--least", program]);
        for name in names {
            command.arg(folder.join(name)).arg(folder.join(format!("recordings/live/{name}-1.pdn")));
        }
        command
    } else {
        let mut config = format!("[station]\ndirectory = \"recordings\"\nsync = {program:?}\n");
        for name in names {
            let port = folder.join(name);
            config +=
                &format!("[[line]]\nname = {name:?}\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {SCALE}\n");
        }
        fs::write(folder.join("damcast.toml"), config).unwrap();
        let station = match setting {
            Setting::Before => std::env::var_os("DAMCAST_BEFORE").expect("DAMCAST_BEFORE names the older program"),
            Setting::Alone | Setting::Watched | Setting::Delivered => env!("CARGO_BIN_EXE_damcast").into(),
        };
        let mut command = Command::new(station);
        command.args(["run", "--config", "damcast.toml"]);
        command
    };
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    Program(command.spawn().unwrap())
}

/// Watches files for growth.
struct Watcher(OwnedFd);

impl Watcher {
    fn new(folder: &Path) -> Watcher {
        let watcher = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
        inotify::add_watch(&watcher, folder, inotify::WatchFlags::MODIFY).unwrap();
        Watcher(watcher)
    }

    /// Discards pending notifications.
    fn skip_growth(&self) {
        while !self.grown_files().is_empty() {}
    }

    /// Returns the names of files that have grown.
    fn grown_files(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 8192];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        let mut names = Vec::new();
        while let Ok(event) = reader.next() {
            names.extend(event.file_name().map(|name| name.to_string_lossy().into_owned()));
            if reader.is_buffer_empty() {
                break;
            }
        }
        names
    }

    /// Returns the time at which the last of these files grew, or else the files that did not. `meanwhile` lets the boards answer during
    /// the wait.
    fn wait_for(&self, files: &[String], mut meanwhile: impl FnMut()) -> Result<Instant, Vec<String>> {
        let mut missing: Vec<&String> = files.iter().collect();
        let mut last = Instant::now();
        loop {
            if poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&IDLE_TIME)).unwrap() == 0 {
                if last.elapsed() >= PRESS_TIMEOUT {
                    return Err(missing.into_iter().cloned().collect());
                }
                meanwhile();
                continue;
            }
            last = Instant::now();
            let names = self.grown_files();
            missing.retain(|file| !names.contains(file));
            if missing.is_empty() {
                return Ok(last);
            }
        }
    }
}

fn new_file(folder: &Path, name: &str) -> File {
    OpenOptions::new().append(true).create(true).open(folder.join(name)).unwrap()
}

fn micros(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6
}

/// Returns the time to append a line and make it durable.
fn append_and_sync(file: &mut File) -> f64 {
    micros(|| {
        file.write_all(LINE).unwrap();
        file.sync_data().unwrap();
    })
}

/// Returns the times to append a line to each file, each made durable by itself.
fn separate_files_times(folder: &Path, times: usize) -> Vec<f64> {
    let files: Vec<PathBuf> = (0..ROUND_BOARDS).map(|file| PathBuf::from(format!("{file}"))).collect();
    let mut files: Vec<File> = files.iter().map(|name| new_file(folder, name.to_str().unwrap())).collect();
    let mut all = || {
        std::thread::sleep(Duration::from_millis(2));
        micros(|| {
            for file in &mut files {
                file.write_all(LINE).unwrap();
                file.sync_data().unwrap();
            }
        })
    };
    (0..times).map(|_| all()).collect()
}
