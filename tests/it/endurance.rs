//! Logs much longer than the memory that may be taken: all that reads logs reads them one record at a time.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use damcast::broadcast::Moment;
use damcast::bytelog::{self, Header, Kind, Mode, Record};
use damcast::calendar;
use damcast::disk::RealDisk;
use damcast::feed::is_publication;
use damcast::journal::Journal;
use damcast::journal::history::{self, History};
use damcast::millis::Millis;
use damcast::playback::{self, Chain};
use damcast::session::{Effect, Line};
use hardware_sim::bus::{BusWorld, Happening};
use hardware_sim::line_faults::LineFaults;
use hardware_sim::profile::Profile;
use rustix::process::Signal;

use crate::bus::Bus;
use crate::daemon::{self, Place};
use crate::games::playable;
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

/// The most memory that a station has had, in KiB.
fn peak(station: &daemon::Station) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", station.process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
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
    let peak = peak(&station);
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

/// A station on a bus in virtual time: a line that goes on from the logs of its folder, and the log that it writes.
struct Station {
    line: Line,
    journal: Journal,
    shift: Millis,
    /// The time of the world when the log was opened.
    opened: u64,
}

impl Station {
    fn open(folder: &Path, base: Moment, opened: u64) -> Station {
        let History { logs, next, .. } = History::read(&RealDisk, folder, "hall").unwrap();
        let now = Some(calendar::moment(base, Millis(opened)));
        let text = |text: &str| Some(text.to_owned());
        let mut header = Header { line: text("hall"), game_type: text("20"), opened: now, ..Header::default() };
        header.mode = Some(Mode::Bus);
        let last = playback::play(logs, None).unwrap().last;
        let continues = if last.is_some() { "yes" } else { "no" };
        header.other.push(("continues".to_owned(), continues.to_owned()));
        let (line, shift) = match last {
            Some(Chain { mut line, calendar, end, .. }) => {
                let shift = playback::go_on(&mut line, &mut calendar.unwrap(), end, &header);
                (line, shift)
            }
            None => (Line::new(playback::settings(&header, None).unwrap().0), Millis::ZERO),
        };
        let journal = Journal::create(&RealDisk, &history::path(folder, "hall", next), &header).unwrap();
        Station { line, journal, shift, opened }
    }

    fn deadline(&self) -> Option<u64> {
        self.line.deadline().map(|at| (at - self.shift).0 + self.opened)
    }

    /// One thing that happened, as the recorder of a station takes it.
    fn take(&mut self, now: u64, kind: Kind, world: &mut BusWorld) {
        let at = now - self.opened;
        let write = |kind| self.journal.write(&Record::new(at, kind));
        let input = playback::input(&kind).unwrap();
        let is_tick = kind == Kind::Tick;
        if !is_tick {
            write(kind);
        }
        let outputs = self.line.handle(self.shift + Millis(at), input);
        if outputs.iter().any(|output| is_publication(&output.effect)) {
            if is_tick {
                write(Kind::Tick);
            }
            self.journal.write_held();
        }
        for output in outputs {
            match output.effect {
                Effect::Send(bytes) => {
                    world.host((output.at - self.shift).0 + self.opened, &bytes);
                    write(Kind::ToBoard(bytes));
                }
                Effect::Notice(text) | Effect::Note(text) => write(Kind::Note(text)),
                _ => {}
            }
        }
    }

    fn record(mut self, world: &mut BusWorld, until: u64) {
        // What came while nobody listened is lost.
        world.advance(self.opened);
        self.take(self.opened, Kind::LinkUp, world);
        loop {
            let next = world.next_time().into_iter().chain(self.deadline()).min();
            let Some(next) = next.filter(|&next| next <= until) else { break };
            for (now, happening) in world.advance(next) {
                let kind = match happening {
                    Happening::Bytes(bytes) => Kind::FromBoard(bytes),
                    Happening::Unplugged => Kind::LinkDown,
                    Happening::Plugged => Kind::LinkUp,
                };
                self.take(now, kind, world);
            }
            if self.deadline().is_some_and(|at| at <= next) {
                self.take(next, Kind::Tick, world);
            }
        }
        self.journal.settle().unwrap();
    }
}

/// An event of some days on a bus, a game a day on each board, the station killed in the middle of each day and left alone for the
/// rest of it. Returns how long it was recorded, in milliseconds.
fn event(folder: &Path, days: u64, boards: usize, plies: usize, idle: u64) -> u64 {
    let base = Moment::parse_from_rfc3339("2026-11-01T09:00:00.000+01:00").unwrap();
    let mut recorded = 0;
    for day in 0..days {
        let bus = Bus::new(&playable("international"), boards, plies);
        let mut world = bus.played(Profile::club(), 1 + day * boards as u64, LineFaults::none()).world();
        let (base, kill, end) = (base + TimeDelta::days(day as i64), world.end_ms() / 2, world.end_ms() + idle);
        Station::open(folder, base, 0).record(&mut world, kill);
        Station::open(folder, base, kill + 3_000).record(&mut world, end);
        recorded += end;
        println!("day {}: {} bytes of log in {} s", day + 1, bytes(folder), recorded / 1_000);
    }
    recorded
}

fn bytes(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// A station starts after the event, and its folder is checked and made anew, all with little memory.
fn start_after(days: u64, boards: usize, plies: usize, idle: u64) {
    let place = Place::new(&[]);
    let (directory, port) = (place.path("recordings"), place.path("hall"));
    let log = directory.join("log");
    fs::create_dir_all(&log).unwrap();
    let recorded = event(&log, days, boards, plies, idle);
    let nine_days = bytes(&log) as f64 * 9.0 * 86_400_000.0 / recorded as f64;
    println!("{boards} boards: {:.0} bytes a second, {:.2} GB in nine days", nine_days / 777_600.0, nine_days / 1e9);
    assert!(nine_days < 0.5e9, "{nine_days}");
    let text = format!(
        "[station]\ndirectory = {directory:?}\n[[line]]\nname = \"hall\"\nport = {port:?}\nmode = \"bus\"\ngame-type = \"20\"\n"
    );
    fs::write(place.path("damcast.toml"), text).unwrap();
    let mut station = place.start();
    let begun = Instant::now();
    while !station.said().contains("recording") {
        assert!(begun.elapsed() < Duration::from_secs(3_600), "{}", station.said());
        std::thread::sleep(Duration::from_millis(20));
    }
    let (took, peak) = (begun.elapsed(), peak(&station));
    println!("a start takes {:.1} s and {:.1} MiB", took.as_secs_f64(), peak as f64 / 1024.0);
    assert!(peak < MOST_MEMORY_KIB, "a start took {peak} kiB");
    assert!(station.signal(Signal::TERM).success());
    let directory = directory.to_str().unwrap();
    for arguments in [&["fsck", directory][..], &["rebuild", directory], &["log", "verify", directory]] {
        let (code, out) = limited(arguments);
        println!("{}: {}", arguments.join(" "), out.lines().last().unwrap_or_default());
        assert_eq!(code, 0, "{arguments:?}: {}", &out[..out.len().min(1_000)]);
    }
}

#[test]
fn a_station_starts_after_an_event_with_little_memory() {
    start_after(2, 3, 6, 60_000);
}

/// `cargo test --profile proof --test it -- --ignored --nocapture nine_days`: what the log of an event of nine days has, and what a
/// start after it takes.
#[test]
#[ignore = "it takes a quarter of an hour"]
fn a_station_starts_after_nine_days_of_64_boards_with_little_memory() {
    start_after(9, 64, 60, 3_600_000);
}
