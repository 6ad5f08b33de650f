//! Measures `damcast hub` beside `curl`, which writes the same lines into files.
//!
//! ```text
//! cargo bench --bench hub            10 halls of 64 boards, a ply a board in 10 s, for 30 s; then a day of 64 boards for a new hub
//! cargo bench --bench hub -- 4 10    4 halls for 10 s
//! ```
//!
//! | figure | of the hub | beside it |
//! |---|---|---|
//! | processor | time a line, with its curl processes; then again while each ply also changes the hall's `games.pdn` | `curl -N URL >> FILE`, one process a hall |
//! | delay | from the append to a hall's file until the line is in the joined file | until it is in the file of that `curl` |
//! | a day | from the start of the hub until it has joined all lines | `curl URL > FILE` |
//!
//! The pages of each hall (`damcast serve`) are processes of their own and not counted.

#![allow(clippy::unwrap_used, reason = "a measurement that meets what it did not expect should stop there")]

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BOARDS: u64 = 64;
/// Moves of each game.
const MOVES: &str = "1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 16-21 5. 41-37 21-26";
/// Time between two plies of a board.
const PLY_INTERVAL: Duration = Duration::from_secs(10);
/// Lines of a day: three games of 110 plies on each board, each with two live updates.
const LINES_OF_DAY: u64 = BOARDS * 3 * 110 * 3;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |index: usize, default: u64| arguments.get(index).map_or(default, |text| text.parse().unwrap());
    let (count, span) = (number(0, 10), Duration::from_secs(number(1, 30)));
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    follow(&folder.path().join("lines"), count, span, false);
    follow(&folder.path().join("games"), count, span, true);
    take_day(folder.path());
}

/// A process that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Outlet with the pages that serve it.
struct Hall {
    outlet: PathBuf,
    events: File,
    generation: String,
    seq: u64,
    address: String,
    _pages: Running,
}

impl Hall {
    fn start(folder: &Path, index: u64, lines: u64) -> Hall {
        let outlet = folder.join(format!("hall-{index}"));
        fs::create_dir_all(&outlet).unwrap();
        let events = OpenOptions::new().append(true).create(true).open(outlet.join("events.ndjson")).unwrap();
        let config = folder.join(format!("hall-{index}.toml"));
        fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {outlet:?}\n")).unwrap();
        let mut hall = Hall {
            outlet,
            events,
            generation: format!("{index:016x}"),
            seq: 0,
            address: String::new(),
            _pages: Running(idle()),
        };
        for board in 0..BOARDS {
            hall.append(&format!("\"board\":\"board-{board}\",\"game\":1,\"n\":1,\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{}},\"fen\":\"W:W31:B1\""));
        }
        for line in hall.seq..lines {
            hall.append(&ply(line));
        }
        let mut pages =
            damcast(&["serve", "--config", config.to_str().unwrap()]).stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(pages.stdout.take().unwrap()).read_line(&mut first).unwrap();
        hall.address = first.trim().strip_prefix("viewers: ").unwrap().trim_end_matches('/').to_owned();
        hall._pages = Running(pages);
        hall
    }

    /// Replaces the file of games: 64 games, the last of which names the ply.
    fn write_games(&self) {
        let game = |white: u64| {
            format!("[White \"{white}\"]\n[Black \"B\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n{MOVES} *\n\n")
        };
        let games: String = (1..BOARDS).chain([self.seq]).map(game).collect();
        let new = self.outlet.join("games.new");
        fs::write(&new, games).unwrap();
        fs::rename(new, self.outlet.join("games.pdn")).unwrap();
    }

    fn append(&mut self, members: &str) {
        self.seq += 1;
        let line = format!(
            "{{\"seq\":{},\"gen\":\"{}\",\"station\":\"hall\",\"at\":\"2026-11-21T09:31:02.120+01:00\",{members}}}\n",
            self.seq, self.generation
        );
        self.events.write_all(line.as_bytes()).unwrap();
    }
}

/// Returns the members of a line about a ply.
fn ply(number: u64) -> String {
    let board = number % BOARDS;
    format!(
        "\"board\":\"board-{board}\",\"game\":1,\"n\":{},\"type\":\"move\",\"ply\":{number},\"number\":{number},\"side\":\"white\",\
         \"move\":\"32-28\",\"clock\":{{\"white\":1790,\"black\":1800,\"running\":\"black\"}},\
         \"fen\":\"B:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1-20\"",
        number / BOARDS + 2
    )
}

fn idle() -> Child {
    Command::new("true").spawn().unwrap()
}

fn damcast(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
    command
        .args(arguments)
        .env_remove("NOTIFY_SOCKET")
        .env_remove("RUNTIME_DIRECTORY")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Starts a hub of halls in a folder.
fn hub(folder: &Path, halls: &[Hall]) -> Running {
    let config = folder.join("hub.toml");
    let table =
        |(hall, index): (&Hall, usize)| format!("[[hub.hall]]\nname = \"hall-{index}\"\nurl = \"{}\"\n", hall.address);
    fs::write(&config, halls.iter().zip(0..).map(table).collect::<String>()).unwrap();
    Running(damcast(&["hub", "--config", config.to_str().unwrap()]).stdout(Stdio::null()).spawn().unwrap())
}

/// File that grows, read from where the last reading ended.
struct Tail {
    path: PathBuf,
    at: u64,
    lines: u64,
}

impl Tail {
    fn of(path: PathBuf) -> Tail {
        Tail { path, at: 0, lines: 0 }
    }

    /// Returns the number of lines about plies and games.
    fn count(&mut self) -> u64 {
        use std::os::unix::fs::FileExt;
        let Ok(file) = File::open(&self.path) else { return 0 };
        let length = file.metadata().unwrap().len();
        let mut bytes = vec![0; (length - self.at) as usize];
        file.read_exact_at(&mut bytes, self.at).unwrap();
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        self.lines += text.lines().filter(|line| line.contains("\"board\":")).count() as u64;
        self.at += whole as u64;
        self.lines
    }
}

/// Returns the processor time of processes with their children, also of those that have ended, in seconds.
fn processor(roots: &[u32]) -> f64 {
    let mut nanoseconds = 0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let Ok(stat) = fs::read_to_string(path.join("stat")) else { continue };
        let Some(fields) = stat.rsplit(')').next().map(|rest| rest.split_whitespace().collect::<Vec<_>>()) else {
            continue;
        };
        let is_root = roots.iter().any(|root| entry.file_name() == root.to_string().as_str());
        if is_root {
            // Children that have ended, in hundredths of a second.
            nanoseconds += fields[13..15].iter().map(|ticks| ticks.parse::<u64>().unwrap() * 10_000_000).sum::<u64>();
        } else if !roots.iter().any(|root| fields[1] == root.to_string()) {
            continue;
        }
        // Each thread has its exact time.
        for task in fs::read_dir(path.join("task")).into_iter().flatten().flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            nanoseconds += text.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    nanoseconds as f64 / 1e9
}

/// Lets plies come to all halls for a time; with `has_games` each also changes the file of games.
fn follow(folder: &Path, count: u64, span: Duration, has_games: bool) {
    fs::create_dir_all(folder).unwrap();
    let mut halls: Vec<Hall> = (0..count).map(|index| Hall::start(folder, index, BOARDS)).collect();
    let hub = hub(folder, &halls);
    let curls: Vec<Running> = halls
        .iter()
        .zip(0..)
        .map(|(hall, index)| {
            let file = File::create(folder.join(format!("curl-{index}"))).unwrap();
            let address = format!("{}/events?from=1&follow", hall.address);
            Running(Command::new("curl").args(["-sN", &address]).stdout(file).spawn().unwrap())
        })
        .collect();
    let mut joined = Tail::of(folder.join("hub/events.ndjson"));
    let mut plain: Vec<Tail> = (0..count).map(|index| Tail::of(folder.join(format!("curl-{index}")))).collect();
    let first = count * BOARDS;
    wait("the first lines", || joined.count() == first && plain.iter_mut().map(Tail::count).sum::<u64>() == first);
    let curl_ids: Vec<u32> = curls.iter().map(|curl| curl.0.id()).collect();
    let before = [processor(&[hub.0.id()]), processor(&curl_ids)];
    let interval = PLY_INTERVAL / u32::try_from(BOARDS * count).unwrap();
    let (begun, mut sent) = (Instant::now(), Vec::new());
    let mut delays: [Vec<f64>; 2] = Default::default();
    while begun.elapsed() < span || delays.iter().any(|delays| delays.len() < sent.len()) {
        if begun.elapsed() < span && begun.elapsed() >= interval * sent.len() as u32 {
            let number = sent.len() as u64;
            let hall = &mut halls[(number % count) as usize];
            hall.append(&ply(number));
            if has_games {
                hall.write_games();
            }
            sent.push(Instant::now());
        }
        let counts = [joined.count(), plain.iter_mut().map(Tail::count).sum()];
        for (delays, lines) in delays.iter_mut().zip(counts) {
            while (delays.len() as u64) < lines - first {
                delays.push(sent[delays.len()].elapsed().as_secs_f64() * 1000.0);
            }
        }
        assert!(begun.elapsed() < span + PATIENCE, "lines are missing");
        std::thread::sleep(Duration::from_micros(500));
    }
    let after = [processor(&[hub.0.id()]), processor(&curl_ids)];
    let lines = sent.len();
    let games = if has_games { ", each with a changed games.pdn" } else { "" };
    println!("{count} halls of {BOARDS} boards, {lines} lines in {} s{games}", span.as_secs());
    let [of_hub, of_curl] = [0, 1].map(|index| (after[index] - before[index]) * 1e6 / lines as f64);
    println!("processor a line     hub {of_hub:.0} µs, curl {of_curl:.0} µs: {:.1}", of_hub / of_curl);
    let p99 = |delays: &mut Vec<f64>| {
        delays.sort_by(f64::total_cmp);
        delays[(delays.len() - 1) * 99 / 100]
    };
    let [of_hub, of_curl] = delays.each_mut().map(p99);
    println!("delay, p99           hub {of_hub:.0} ms, curl {of_curl:.0} ms: {:.1}", of_hub / of_curl);
}

/// Lets a new hub take the lines of a day.
fn take_day(folder: &Path) {
    let folder = folder.join("day");
    fs::create_dir_all(&folder).unwrap();
    let halls = [Hall::start(&folder, 0, LINES_OF_DAY)];
    let fetched = folder.join("fetched");
    let begun = Instant::now();
    let output = File::create(&fetched).unwrap();
    let address = format!("{}/events", halls[0].address);
    assert!(Command::new("curl").args(["-s", &address]).stdout(output).status().unwrap().success());
    let of_curl = begun.elapsed();
    assert_eq!(Tail::of(fetched.clone()).count(), LINES_OF_DAY);
    let begun = Instant::now();
    let _hub = hub(&folder, &halls);
    let mut joined = Tail::of(folder.join("hub/events.ndjson"));
    wait("the lines of the day", || joined.count() == LINES_OF_DAY);
    let (of_hub, size) = (begun.elapsed(), fs::metadata(&fetched).unwrap().len());
    println!(
        "a day, {LINES_OF_DAY} lines  hub {:.2} s, curl {:.2} s for {} MB: {:.1}",
        of_hub.as_secs_f64(),
        of_curl.as_secs_f64(),
        size >> 20,
        of_hub.as_secs_f64() / of_curl.as_secs_f64()
    );
}

fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
