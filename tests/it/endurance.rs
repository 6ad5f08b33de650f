//! Logs much larger than the memory allowed: every reader of logs reads them one record at a time.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use damcast::engine::broadcast::WallTime;
use damcast::engine::bytelog::{self, Mode, Record, RecordKind};
use damcast::engine::calendar;
use damcast::engine::millis::Millis;
use damcast::engine::session::{Effect, Input, Line};
use damcast::simulation::script;
use damcast::station::config::{Config, LineConfig};
use damcast::station::disk::{Disk, RealDisk};
use damcast::station::journal::Journal;
use damcast::station::line::Folders;
use damcast::station::line::opening::{self, OpenedLine};
use draughts::Position;
use hardware_sim::bus::{BusWorld, HostEvent};
use hardware_sim::faults::Fault;
use hardware_sim::line_faults::LineFaults;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Span;
use hardware_sim::seat::SeatConfig;
use hardware_sim::world::World;
use rustix::process::Signal;

use crate::bus::Bus;
use crate::daemon::{self, StationFolder};
use crate::games::playable;
use crate::program::{assert_contains, peak_memory, run, run_measured};
use crate::pty::wait_until;

/// Size of a log: more than the memory that any of these programs may use.
const LOG_BYTES: usize = 72 << 20;
const MAX_MEMORY_KIB: u64 = 64 << 10;

/// Writes the recording of a game with so many remarks between its records that its log has [`LOG_BYTES`].
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
        let line = Record::new(record.at, RecordKind::Note(remark.clone())).to_line();
        (0..remarks).for_each(|_| file.write_all(line.as_bytes()).unwrap());
    }
    file.flush().unwrap();
    assert!(fs::metadata(path).unwrap().len() > LOG_BYTES as u64);
}

/// Runs a verb with limited memory. Returns its exit code and output.
fn limited(arguments: &[&str]) -> (i32, String) {
    let script = format!("ulimit -v {MAX_MEMORY_KIB}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_damcast")]).args(arguments).stdin(Stdio::null());
    // The limit counts addresses. Each thread of glibc reserves many for its own arena, and asks again whenever they are refused.
    command.env("MALLOC_ARENA_MAX", "1");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let out = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap_or_else(|| panic!("{arguments:?}: {text}")), out)
}

#[test]
fn starts_from_logs_larger_than_memory() {
    let place = StationFolder::new(&["a"]);
    let recordings = place.path("recordings");
    fs::create_dir_all(recordings.join("log")).unwrap();
    let (old, log) = (recordings.join("log/a-1.log"), recordings.join("log/a-2.log"));
    long_log(&old, "2026-11-20T09:30:00.000+01:00", 0);
    long_log(&log, "2026-11-21T09:30:00.000+01:00", 1);
    let games = |text: &str| text.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>();
    let (code, out) = limited(&["replay", log.to_str().unwrap()]);
    assert_eq!((code, games(&out)), (0, games(&run(&["replay", "tests/data/replay/ideal.log"]).out)));
    assert_eq!(limited(&["log", "verify", recordings.to_str().unwrap()]).0, 0);
    place.prepend_config("[log]\ncompress = true\n");

    let mut station = place.start();
    station.wait_for(": recording line=");
    station.wait_for("a-2.log was compressed");
    let peak = peak_memory(station.process.id());
    assert!(peak < MAX_MEMORY_KIB, "a start took {peak} kiB");
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

/// Memory of the verbs and of a station's start after many games, whose events together exceed the memory.
#[test]
fn large_folder_needs_little_memory() {
    let lines = ["a", "b", "c", "d", "e", "f"];
    let place = StationFolder::new(&lines);
    let log = place.path("recordings/log");
    fs::create_dir_all(&log).unwrap();
    let recording = bytelog::read(&fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let records: String = recording.records.iter().map(Record::to_line).collect();
    let base = WallTime::parse_from_rfc3339("2026-11-01T09:00:00.000+01:00").unwrap();
    for line in lines {
        for game in 0..80 {
            let mut header = recording.header.clone();
            header.line = Some(line.to_owned());
            header.opened = Some(base + TimeDelta::hours(game));
            header.other.retain(|(key, _)| key != "continues");
            let other = [("continues", "no".to_owned()), ("games-before", game.to_string())];
            header.other.extend(other.map(|(key, value)| (key.to_owned(), value)));
            fs::write(log.join(format!("{line}-{}.log", game + 1)), header.to_text() + &records).unwrap();
        }
    }
    let verb = |arguments: &[&str]| {
        let (code, out) = limited(arguments);
        assert_eq!(code, 0, "{arguments:?}: {}", &out[..out.len().min(1_000)]);
        out
    };
    // The first start makes the plan of the round.
    let start = || {
        let mut station = place.start();
        wait_until("a public file", || place.path("recordings/public/games.pdn").exists());
        assert!(station.signal(Signal::TERM).success());
    };
    start();
    let (recordings, other) = (place.path("recordings"), place.path("other"));
    let recordings = recordings.to_str().unwrap();
    verb(&["rebuild", recordings]);
    let events = fs::metadata(place.path("recordings/public/events.ndjson")).unwrap().len();
    assert!(events > 16 << 20, "{events}");
    assert_contains(&verb(&["fsck", recordings]), &["480 games", ": clean"]);
    verb(&["rebuild", recordings, "--into", other.to_str().unwrap()]);
    let read = |folder: &str| fs::read(place.path(folder).join("public/events.ndjson")).unwrap();
    assert!(read("recordings") == read("other"), "the events are made otherwise");
    let mut station = place.start();
    wait_until("the events to be read", || station_has_opened(&station, "events.ndjson"));
    let peak = peak_memory(station.process.id());
    assert!(station.signal(Signal::TERM).success());
    assert!(peak < MAX_MEMORY_KIB, "a start took {peak} kiB");
}

/// Whether a station has a file of this name open.
pub fn station_has_opened(station: &daemon::Station, name: &str) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", station.process.id())) else { return false };
    open.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|path| path.ends_with(name)))
}

/// The boards and players of a line.
trait LinePlayers {
    fn next(&self) -> Option<u64>;
    fn advance_to(&mut self, now: u64) -> Vec<(u64, RecordKind)>;
    fn describe(&mut self, now: u64, bytes: &[u8]);
    fn finish(&self) -> u64;
}

impl LinePlayers for BusWorld {
    fn next(&self) -> Option<u64> {
        self.next_time()
    }

    fn advance_to(&mut self, now: u64) -> Vec<(u64, RecordKind)> {
        let kind = |happening| match happening {
            HostEvent::Bytes(bytes) => RecordKind::FromBoard(bytes),
            HostEvent::Unplugged => RecordKind::LinkDown,
            HostEvent::Plugged => RecordKind::LinkUp,
        };
        self.advance(now).into_iter().map(|(at, happening)| (at, kind(happening))).collect()
    }

    fn describe(&mut self, now: u64, bytes: &[u8]) {
        self.receive(now, bytes);
    }

    fn finish(&self) -> u64 {
        self.end_ms()
    }
}

impl LinePlayers for World {
    fn next(&self) -> Option<u64> {
        self.next_time()
    }

    fn advance_to(&mut self, now: u64) -> Vec<(u64, RecordKind)> {
        self.advance(now).into_iter().map(|(at, bytes)| (at, RecordKind::FromBoard(bytes))).collect()
    }

    fn describe(&mut self, now: u64, bytes: &[u8]) {
        self.receive(now, bytes);
    }

    fn finish(&self) -> u64 {
        self.end_ms()
    }
}

/// A line in virtual time: it continues from the logs of its folder, or starts anew as a station does, and writes the next log.
struct Recording {
    line: Line,
    journal: Journal,
    shift: Millis,
    /// World time when the log was opened.
    opened: u64,
}

impl Recording {
    fn open(config: &LineConfig, folders: &Folders, base: WallTime, opened: u64) -> Recording {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let now = calendar::moment(base, Millis(opened));
        let OpenedLine { line, journal, shift, .. } = opening::open(config, folders, &disk, None, now).unwrap();
        Recording { line, journal, shift, opened }
    }

    fn deadline(&self) -> Option<u64> {
        self.line.deadline().map(|at| at.0.saturating_sub(self.shift.0) + self.opened)
    }

    /// Handles one event as the recorder of a station does.
    fn apply_event(&mut self, now: u64, kind: RecordKind, hands: &mut dyn LinePlayers) {
        let at = now - self.opened;
        let write = |kind| self.journal.write(&Record::new(at, kind));
        let input = Input::from_record(&kind).unwrap().unwrap();
        let is_tick = kind == RecordKind::Tick;
        if !is_tick {
            write(kind);
        }
        let outputs = self.line.handle(self.shift + Millis(at), input);
        if outputs.iter().any(|output| output.effect.is_publication()) {
            if is_tick {
                write(RecordKind::Tick);
            }
            self.journal.flush_packed();
            self.journal.write_out();
        }
        for output in outputs {
            match output.effect {
                Effect::Send(bytes) => {
                    hands.describe(output.at.0.saturating_sub(self.shift.0) + self.opened, &bytes);
                    write(RecordKind::ToBoard(bytes));
                }
                Effect::Notice(text) | Effect::Note(text) => write(RecordKind::Note(text)),
                _ => {}
            }
        }
    }

    fn record(mut self, hands: &mut dyn LinePlayers, until: u64) {
        // Bytes that arrived without a listener are lost.
        hands.advance_to(self.opened);
        self.apply_event(self.opened, RecordKind::LinkUp, hands);
        loop {
            let next = hands.next().into_iter().chain(self.deadline()).min();
            let Some(next) = next.filter(|&next| next <= until) else { break };
            for (now, kind) in hands.advance_to(next) {
                self.apply_event(now, kind, hands);
            }
            if self.deadline().is_some_and(|at| at <= next) {
                self.apply_event(next, RecordKind::Tick, hands);
            }
        }
        self.journal.sync().unwrap();
    }
}

/// An event of some days: boards on a bus, others alone, rounds each day.
struct EventPlan {
    days: u64,
    on_a_bus: usize,
    alone: usize,
    rounds: u64,
    plies: usize,
    /// Time of a ply, in milliseconds.
    think: Span,
    /// The rest of each day, in milliseconds.
    idle: u64,
}

impl EventPlan {
    fn profile(&self) -> NoiseProfile {
        let mut profile = NoiseProfile::club();
        profile.think_ms = self.think;
        profile.set_rate(Fault::Reset, 1.0);
        profile
    }

    /// Returns the players of a round on a line.
    fn hands(&self, line: &LineConfig, round: u64) -> Box<dyn LinePlayers> {
        let games = playable("international");
        let seed = 1 + round * (self.on_a_bus + self.alone) as u64;
        if line.mode == Mode::Bus {
            let mut games = games;
            let count = games.len();
            games.rotate_left((round as usize * self.on_a_bus) % count);
            return Box::new(
                Bus::new(&games, self.on_a_bus, self.plies).played(self.profile(), seed, LineFaults::none()).world(),
            );
        }
        let number: usize = line.name.rsplit('-').next().unwrap().parse().unwrap();
        let from_the_start: Vec<_> =
            games.iter().filter(|game| game.start == Position::start(game.start.variant())).collect();
        let game = from_the_start[(round as usize * self.alone + number) % from_the_start.len()];
        let moves = &game.moves[..game.moves.len().min(self.plies)];
        let (profile, seed) = (self.profile(), seed + (self.on_a_bus + number) as u64);
        let control = Some("4800+60".parse().unwrap());
        let script = script::game(&game.start, moves, control, &profile, seed).rotated(number % 2 == 1);
        Box::new(World::new(SeatConfig::new(10, 10, script, profile, seed)).unwrap())
    }

    /// Records a line: the station is killed in the middle of the first round of each day, and stopped after each round. Only the beginning
    /// of each night is recorded. Returns the measured number of log bytes for nine whole days.
    fn record(&self, line: &LineConfig, folders: &Folders) -> f64 {
        let base = WallTime::parse_from_rfc3339("2026-11-01T09:00:00.000+01:00").unwrap();
        // Seconds and bytes of rounds, and of idle time.
        let (mut played, mut idle) = ((0.0, 0.0), (0.0, 0.0));
        let record = |hands: &mut dyn LinePlayers, base, begin: u64, end: u64, sum: &mut (f64, f64)| {
            let before = bytes(&folders.log);
            Recording::open(line, folders, base, begin).record(hands, end);
            sum.0 += (end - begin) as f64 / 1_000.0;
            sum.1 += (bytes(&folders.log) - before) as f64;
        };
        for day in 0..self.days {
            let mut base = base + TimeDelta::days(day as i64);
            for round in 0..self.rounds {
                let mut hands = self.hands(line, day * self.rounds + round);
                let (mut begin, mut end) = (0, hands.finish() + 60_000);
                if round == 0 {
                    let kill = hands.finish() / 2;
                    record(&mut *hands, base, begin, kill, &mut played);
                    begin = kill + 3_000;
                }
                record(&mut *hands, base, begin, end, &mut played);
                if round + 1 == self.rounds {
                    record(&mut *hands, base, end + 3_000, end + 3_000 + self.idle, &mut idle);
                    end += 3_000 + self.idle;
                }
                base += TimeDelta::milliseconds(end as i64 + 1_000);
            }
        }
        let rest = 86_400.0 - played.0 / self.days as f64;
        let day = played.1 / self.days as f64 + rest * idle.1 / idle.0;
        if line.mode == Mode::Bus || line.name.ends_with("-1") {
            let rates = [played, idle].map(|(seconds, bytes)| bytes / seconds);
            println!(
                "{}: {:.0} s of play a day, {:.0} bytes a second; else {:.0} bytes a second: {:.1} MB a day, {:.3} GB in nine days",
                line.name,
                played.0 / self.days as f64,
                rates[0],
                rates[1],
                day / 1e6,
                9.0 * day / 1e9
            );
        }
        9.0 * day
    }
}

fn bytes(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// A group of processes with a common memory limit, as in the shipped unit; `None`, with a message, on a machine that does not allow it.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    fn new(most: u64) -> Option<MemoryGroup> {
        let name = format!("damcast-test-{}", std::process::id());
        let kinds = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        let made = kinds.iter().find_map(|(root, limit)| {
            let group = MemoryGroup(Path::new(root).join(&name));
            fs::create_dir(&group.0).ok()?;
            fs::write(group.0.join(limit), most.to_string()).ok()?;
            Some(group)
        });
        if made.is_none() {
            println!("this machine lets us make no memory group: the start in 256 MiB is NOT tried");
        }
        made
    }

    /// Returns the peak memory of its processes, including the system's file cache for them.
    fn peak(&self) -> String {
        let read = |name| fs::read_to_string(self.0.join(name)).ok();
        read("memory.max_usage_in_bytes").or_else(|| read("memory.peak")).unwrap_or_default().trim().to_owned()
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Starts a station and waits until it records all its lines and has its public files. Returns the time taken and its peak in KiB.
fn start(place: &StationFolder, lines: usize, group: Option<&MemoryGroup>) -> (Duration, u64) {
    let started_at = Instant::now();
    let mut station = place.start_with(|command| {
        let Some(group) = group else { return };
        let config = command.get_args().map(|word| word.to_owned()).collect::<Vec<_>>();
        let script = format!("echo $$ > {:?} && exec \"$0\" \"$@\"", group.0.join("cgroup.procs"));
        let mut inside = Command::new("sh");
        inside.args(["-c", &script, env!("CARGO_BIN_EXE_damcast")]).args(config);
        *command = inside;
    });
    let is_open = |station: &daemon::Station| {
        station.output().matches("recording line=").count() >= lines && station_has_opened(station, "events.ndjson")
    };
    while !is_open(&station) {
        assert!(started_at.elapsed() < Duration::from_secs(3_600), "{}", station.output());
        assert!(station.process.try_wait().unwrap().is_none(), "{}", station.output());
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = started_at.elapsed();
    let peak = peak_memory(station.process.id());
    assert!(station.signal(Signal::TERM).success());
    (took, peak)
}

/// Runs a verb and measures it. Returns the last line of its output.
fn measured(arguments: &[&str]) -> String {
    let started_at = Instant::now();
    let (out, peak) = run_measured(arguments);
    let (took, mebibytes) = (started_at.elapsed().as_secs_f64(), peak as f64 / 1024.0);
    let last = out.lines().last().unwrap_or_default().to_owned();
    println!("{}: {took:.1} s, {mebibytes:.1} MiB: {last}", arguments[0]);
    assert!(peak < MAX_MEMORY_KIB, "{arguments:?} took {peak} kiB");
    last
}

/// Copies the logs of an event to another folder. Their size after nine days is unknown.
fn copy_logs(from: &Path, to: &Path) -> Vec<f64> {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    Vec::new()
}

/// Starts a station after the event, checks its folder and rebuilds it, all with little memory.
fn check_after_event(event: &EventPlan) {
    let started_at = Instant::now();
    let place = StationFolder::new(&[]);
    let (directory, log) = (place.path("recordings"), place.path("recordings/log"));
    fs::create_dir_all(&log).unwrap();
    fs::create_dir_all(directory.join("live")).unwrap();
    let line = |name: &str, mode: &str| {
        let port = place.path(name);
        format!("[[line]]\nname = {name:?}\nport = {port:?}\ngame-type = \"20\"\n{mode}")
    };
    // More boards than lidraughts accepts in one file.
    let mut text =
        format!("[log]\ncompress = true\n[public]\nprofile = \"standard\"\n[station]\ndirectory = {directory:?}\n");
    text += &line("hall", "mode = \"bus\"\n");
    (1..=event.alone).for_each(|number| text += &line(&format!("alone-{number}"), ""));
    fs::write(place.path("damcast.toml"), &text).unwrap();
    let config = Config::load(&place.path("damcast.toml")).unwrap();
    let folders = Folders { log: log.clone(), live: directory.join("live") };
    let lines = config.lines.len();
    let nine_days: Vec<f64> = match std::env::var_os("DAMCAST_EVENT") {
        Some(recorded) => copy_logs(Path::new(&recorded), &log),
        None => config.lines.iter().map(|line| event.record(line, &folders)).collect(),
    };
    println!("the folder: {:.1} MB of logs", bytes(&log) as f64 / 1e6);
    if let Some(kept) = std::env::var_os("DAMCAST_KEEP_EVENT") {
        copy_logs(&log, Path::new(&kept));
    }
    let (took, peak) = start(&place, lines, None);
    println!("the first start: {:.1} s, {:.1} MiB", took.as_secs_f64(), peak as f64 / 1024.0);
    assert!(peak < MAX_MEMORY_KIB, "a start took {peak} kiB");
    let directory = directory.to_str().unwrap();
    measured(&["rebuild", directory]);
    measured(&["fsck", directory]);
    for name in ["live", "public"] {
        fs::rename(place.path("recordings").join(name), place.path(name)).unwrap();
    }
    measured(&["rebuild", directory]);
    let events = |folder: &str| fs::read(place.path(folder).join("public/events.ndjson")).unwrap();
    assert!(events("recordings") == events("."), "the events are made otherwise");
    println!("{:.1} MB of events", events(".").len() as f64 / 1e6);
    assert!(measured(&["fsck", directory]).contains("clean"));
    measured(&["log", "verify", directory]);
    let group = MemoryGroup::new(256 << 20);
    let (took, peak) = start(&place, lines, group.as_ref());
    println!("a start in a group of 256 MiB: {:.1} s, {:.1} MiB", took.as_secs_f64(), peak as f64 / 1024.0);
    group
        .iter()
        .for_each(|group| println!("the group had at most {} bytes, files that were read among them", group.peak()));
    assert!(peak < MAX_MEMORY_KIB, "a start took {peak} kiB");
    if event.days > 2 {
        // Ended chains are removed: all their games are played to verify that they have ended.
        fs::write(place.path("damcast.toml"), text.replace("[log]\n", "[log]\nkeep-days = 1\n")).unwrap();
        let station = place.start();
        while !station.output().contains("was removed") {
            assert!(started_at.elapsed() < Duration::from_secs(7_200), "{}", station.output());
            std::thread::sleep(Duration::from_millis(20));
        }
        let peak = self::peak_memory(station.process.id());
        println!("a start that tidies: {:.1} MiB", peak as f64 / 1024.0);
        assert!(peak < MAX_MEMORY_KIB, "to tidy took {peak} kiB");
    }
    for (line, bytes) in config.lines.iter().zip(nine_days) {
        assert!(bytes < 0.5e9, "nine days of {} have {:.2} GB of log, more than was wanted", line.name, bytes / 1e9);
    }
}

#[test]
fn start_after_event_needs_little_memory() {
    let think = NoiseProfile::club().think_ms;
    check_after_event(&EventPlan { days: 2, on_a_bus: 3, alone: 1, rounds: 1, plies: 6, think, idle: 60_000 });
}

/// `cargo test --profile proof --test it -- --ignored --nocapture nine_days`: log size of an event of nine days, and the cost of a start
/// after it, of checking its folder and of rebuilding it. `DAMCAST_KEEP_EVENT=FOLDER` keeps the logs; `DAMCAST_EVENT=FOLDER` uses those of
/// an earlier run, because writing them takes most of the half hour.
#[test]
#[ignore = "nine days of 80 boards, or as many as DAMCAST_DAYS says: half an hour"]
fn start_after_nine_days_of_80_boards_needs_little_memory() {
    let days = std::env::var("DAMCAST_DAYS").map_or(9, |days| days.parse().unwrap());
    let think = Span::new(20_000, 100_000);
    check_after_event(&EventPlan { days, on_a_bus: 64, alone: 16, rounds: 2, plies: 100, think, idle: 1_800_000 });
}

#[test]
fn idle_bus_has_small_log() {
    let place = StationFolder::new(&[]);
    let (directory, log) = (place.path("recordings"), place.path("recordings/log"));
    fs::create_dir_all(&log).unwrap();
    fs::create_dir_all(directory.join("live")).unwrap();
    let port = place.path("hall");
    let text = format!(
        "[station]\ndirectory = {directory:?}\n[[line]]\nname = \"hall\"\nport = {port:?}\ngame-type = \"20\"\nmode = \"bus\"\n"
    );
    fs::write(place.path("damcast.toml"), &text).unwrap();
    let config = Config::load(&place.path("damcast.toml")).unwrap();
    let folders = Folders { log: log.clone(), live: directory.join("live") };
    let base = WallTime::parse_from_rfc3339("2026-11-01T09:00:00.000+01:00").unwrap();
    let hands = Bus::new(&playable("international"), 64, 2).played(NoiseProfile::club(), 1, LineFaults::none());
    let mut hands = hands.world();
    let end = hands.end_ms() + 60_000;
    Recording::open(&config.lines[0], &folders, base, 0).record(&mut hands, end);
    let before = bytes(&log);
    Recording::open(&config.lines[0], &folders, base, end).record(&mut hands, end + 600_000);
    // With two records for each clock reading and each dump the rate was 1,226 bytes per second.
    let rate = (bytes(&log) - before) / 600;
    println!("a bus of 64 boards on which nobody plays: {rate} bytes a second");
    assert!(rate < 560, "{rate}");
}
