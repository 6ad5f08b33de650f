//! Boards play, the station is killed at any time and started again, and others read all the while.
//!
//! | reader | action | expectation |
//! |---|---|---|
//! | by bytes | reads the new part of a live file whenever it grows | the bytes read stay a prefix of the file |
//! | `tail -F` | the program, on the live files of the first boards | the same |
//! | a poll | reads the whole `games.pdn`, as often as it can | a file that passes its profile; its games are those of the live files, and
//! only grow |
//!
//! The Result tag is masked, because its value is overwritten once in place. Times of kills are drawn from a seed. Every other kill falls
//! into or right after the start of the station, the others into its work, half of them right after a line was written.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use damcast::engine::bytelog::{self, ByteLog};
use draughts_pdn::profile::{self, ReaderProfile};
use draughts_pdn::strict;
use rustix::process::{Pid, Signal, kill_process};

use crate::boards::Process;
use crate::program::{damcast, run};
use crate::pty::{Board, Pty, TIMEOUT};
use crate::recorded_session::is_beginning;

/// Boards whose files `tail -F` follows.
const TAILED: usize = 2;
/// Maximum working time of a station before it is killed.
const WORK: Duration = Duration::from_millis(800);
/// Every fourth station is killed within this time after the next line of any file; also the maximum wait for that line.
const MAX_EARLY_KILL: Duration = Duration::from_millis(40);
const MAX_WAIT: Duration = Duration::from_secs(5);
/// One in this many stations must publish something before it is killed.
const MIN_WORKING_SHARE: usize = 6;
/// Minimum number of lines of each board at the end; each also needs one more line after the storm.
const LINES: usize = 12;
/// Recordings that a board plays in turn: games that differ from their first moves on.
const GAMES: [&str; 3] = ["ideal", "calm", "club"];

/// Parameters of a storm.
#[derive(Clone, Copy)]
struct Storm {
    boards: usize,
    kills: usize,
    /// Speed of the boards relative to people.
    speed: f64,
    seed: u64,
}

/// A board and its port.
struct BoardSeat {
    pty: Pty,
    board: Board,
    games: usize,
    started_at: Instant,
}

/// A folder with boards, and the station that records them.
struct Hall {
    folder: tempfile::TempDir,
    recordings: Vec<ByteLog>,
    seats: Vec<BoardSeat>,
    speed: f64,
}

impl Hall {
    fn new(storm: Storm) -> Hall {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir_all(folder.path().join("recordings/live")).unwrap();
        let read = |name| bytelog::read(&fs::read(format!("tests/data/replay/{name}.log")).unwrap()).unwrap();
        let recordings: Vec<ByteLog> = GAMES.into_iter().map(read).collect();
        let mut config = "[station]\ndirectory = \"recordings\"\n".to_owned();
        let mut seats = Vec::new();
        let speed = storm.speed;
        for board in 0..storm.boards {
            let port = folder.path().join(format!("port-{board}"));
            let pty = Pty::plug_in(&port);
            seats.push(BoardSeat {
                pty,
                board: Board::new(&recordings[0], speed),
                games: 1,
                started_at: Instant::now(),
            });
            config +=
                &format!("[[line]]\nname = \"b{board}\"\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {speed}\n");
        }
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        Hall { folder, recordings, seats, speed }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    fn start(&self) -> Process {
        let log_file = fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("said")).unwrap();
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        Process(command.current_dir(self.folder.path()).stdout(Stdio::null()).stderr(log_file).spawn().unwrap())
    }

    /// Plays until `enough` holds. After each game a board gets its pieces put back and plays the next one.
    fn play(&mut self, mut enough: impl FnMut(&mut Hall) -> bool) {
        while !enough(self) {
            for seat in &mut self.seats {
                if seat.board.is_over() {
                    seat.board.restart(&self.recordings[seat.games % GAMES.len()]);
                    (seat.games, seat.started_at) = (seat.games + 1, Instant::now());
                }
                let now = (seat.started_at.elapsed().as_secs_f64() * 1000.0 * self.speed) as u64;
                seat.board.advance(&mut seat.pty, now);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn play_for(&mut self, span: Duration) {
        let start = Instant::now();
        self.play(|_| start.elapsed() >= span);
    }

    /// Returns the time of a start, until the station has opened all ports, as its queries show.
    fn time_of_a_start(&mut self) -> Duration {
        let mut station = self.start();
        self.seats.iter_mut().for_each(|seat| seat.pty.received.clear());
        let start = Instant::now();
        self.play(|hall| {
            assert!(start.elapsed() < TIMEOUT, "{}", hall.output());
            hall.seats.iter().all(|seat| !seat.pty.received.is_empty())
        });
        station.kill();
        start.elapsed()
    }

    /// Runs a station from the first moves until each board has a game, and kills it: a game played only while no station runs is unknown.
    fn begin(&mut self) {
        let (mut station, begun, mut count) = (self.start(), Instant::now(), 0);
        while self.seats.iter().any(|seat| seat.pty.received.is_empty()) {
            assert!(begun.elapsed() < TIMEOUT, "{}", self.output());
            self.seats.iter_mut().for_each(|seat| seat.board.answer(&mut seat.pty));
            std::thread::sleep(Duration::from_millis(2));
        }
        self.seats.iter_mut().for_each(|seat| seat.started_at = Instant::now());
        self.play(|hall| {
            assert!(begun.elapsed() < 2 * TIMEOUT, "{}", hall.output());
            count += 1;
            count % 10 == 0 && (0..hall.seats.len()).all(|board| hall.path(&format!("live/b{board}-1.pdn")).exists())
        });
        station.kill();
    }

    /// Returns the number of lines in all live files.
    fn lines(&self) -> usize {
        let files = fs::read_dir(self.path("live")).unwrap();
        files.map(|file| text(&fs::read(file.unwrap().path()).unwrap()).lines().count()).sum()
    }

    fn output(&self) -> String {
        fs::read_to_string(self.folder.path().join("said")).unwrap()
    }
}

impl Drop for Hall {
    /// Keeps the folder of a failed test for inspection.
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("kept: {}", self.folder.path().display());
            self.folder.disable_cleanup(true);
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Live files, followed by their new bytes.
struct ByBytes {
    folder: PathBuf,
    read: BTreeMap<PathBuf, Vec<u8>>,
    reads: usize,
    /// Number of times the end of a file was inside a line.
    torn: usize,
}

impl ByBytes {
    fn new(folder: PathBuf) -> ByBytes {
        ByBytes { folder, read: BTreeMap::new(), reads: 0, torn: 0 }
    }

    fn follow(&mut self) {
        for entry in fs::read_dir(&self.folder).unwrap() {
            let path = entry.unwrap().path();
            let read = self.read.entry(path.clone()).or_default();
            let mut file = fs::File::open(&path).unwrap();
            file.seek(SeekFrom::Start(read.len() as u64)).unwrap();
            if file.read_to_end(read).unwrap() > 0 {
                self.reads += 1;
                self.torn += usize::from(read.last() != Some(&b'\n'));
            }
        }
    }

    /// Asserts that the bytes read are a prefix of each file.
    fn check(&self) {
        for (path, read) in &self.read {
            let now = fs::read(path).unwrap();
            assert!(is_beginning(read, &now), "{}: {:?}\nis\n{:?}", path.display(), text(read), text(&now));
        }
    }
}

/// `tail -F` on a file that may not exist yet.
struct Tail {
    process: Process,
    of: PathBuf,
    to: PathBuf,
}

impl Tail {
    fn new(of: PathBuf, to: PathBuf) -> Tail {
        let mut command = Command::new("tail");
        command.args(["-q", "-n", "+1", "-s", "0.05", "-F"]).arg(&of).stderr(Stdio::null());
        let child: Child = command.stdout(fs::File::create(&to).unwrap()).spawn().unwrap();
        Tail { process: Process(child), of, to }
    }

    /// Asserts that it has printed the file exactly once.
    fn check(mut self) {
        let file = fs::read(&self.of).unwrap();
        let start = Instant::now();
        while fs::metadata(&self.to).unwrap().len() < file.len() as u64 && start.elapsed() < TIMEOUT {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.process.kill();
        let seen = fs::read(&self.to).unwrap();
        assert!(is_beginning(&seen, &file) && seen.len() == file.len(), "{}\nis\n{}", text(&seen), text(&file));
    }
}

/// A site that polls `games.pdn`.
struct Poll {
    folder: PathBuf,
    last: String,
    /// The game shown of each board, and the words of its movetext.
    shown: BTreeMap<usize, (u32, Vec<String>)>,
    others: usize,
}

impl Poll {
    fn new(folder: PathBuf) -> Poll {
        Poll { folder, last: String::new(), shown: BTreeMap::new(), others: 0 }
    }

    fn check(&mut self) {
        let Ok(now) = fs::read_to_string(self.folder.join("public/games.pdn")) else { return };
        if now == self.last {
            return;
        }
        assert_eq!(profile::check(ReaderProfile::Lidraughts, now.as_bytes(), None), [], "{now}");
        for (board, game) in now.split("\n\n[").enumerate() {
            let movetext = game.split_once("]\n\n").map(|(_, movetext)| movetext).unwrap_or_default();
            let words: Vec<String> =
                movetext.split_whitespace().filter(|word| *word != "*").map(str::to_owned).collect();
            let (number, before) = self.shown.remove(&board).unwrap_or((1, Vec::new()));
            // The game with more moves, or a later one; the live file already has all of it.
            let later = (number..).take_while(|&of| of == 1 || self.live(board, of).exists());
            let mut candidates = later.filter(|&of| of > number || words.starts_with(&before));
            let found = candidates.find(|&of| settled_words(&self.live(board, of)).starts_with(&words));
            let found = found.unwrap_or_else(|| panic!("b{board}, game {number}: {before:?}\nbecame\n{words:?}"));
            self.shown.insert(board, (found, words));
        }
        self.others += 1;
        self.last = now;
    }

    fn live(&self, board: usize, game: u32) -> PathBuf {
        self.folder.join(format!("live/b{board}-{game}.pdn"))
    }
}

/// Returns the movetext of a live file from its first ply to the first setup after it, in words.
fn settled_words(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let movetext = text.lines().skip_while(|line| line.starts_with('[') || line.is_empty());
    let plies = movetext.skip_while(|line| line.starts_with("/FEN")).take_while(|line| !line.starts_with("/FEN"));
    plies.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Numbers from a seed (xorshift64*).
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % end.max(1)
    }
}

/// Reads until stopped, and once more.
fn reading(stop: &AtomicBool, pause: Duration, mut look: impl FnMut()) {
    while !stop.load(Ordering::Relaxed) {
        look();
        std::thread::sleep(pause);
    }
    look();
}

/// Course of the kills.
struct KillRun {
    live: PathBuf,
    /// Files of the last kill, which are read whole.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Number of lines after the last kill.
    lines: usize,
    /// Number of kills after which the files had grown.
    at_work: usize,
    random: RandomNumbers,
    /// Time that a start takes.
    start: Duration,
}

impl KillRun {
    /// Starts a station and kills it: while it starts, shortly after that, or after it has published something.
    fn kill_once(&mut self, hall: &mut Hall, kill: usize) {
        if kill.is_multiple_of(25) {
            self.start = hall.time_of_a_start();
        }
        let mut station = hall.start();
        let mut within = |span: Duration| Duration::from_micros(self.random.below(span.as_micros() as u64));
        match kill % 4 {
            0 | 2 => hall.play_for(within(2 * self.start)),
            1 => hall.play_for(self.start + within(WORK)),
            _ => {
                let (span, started_at, mut count) = (within(MAX_EARLY_KILL), Instant::now(), 0);
                hall.play(|hall| {
                    count += 1;
                    count % 10 == 0 && (hall.lines() > self.lines || started_at.elapsed() > MAX_WAIT)
                });
                hall.play_for(span);
            }
        }
        station.kill();
    }

    /// Asserts that no file has lost anything since the last kill, and counts the lines.
    fn check_files(&mut self) {
        for entry in fs::read_dir(&self.live).unwrap() {
            let path = entry.unwrap().path();
            let now = fs::read(&path).unwrap();
            let before = self.files.insert(path.clone(), now).unwrap_or_default();
            let now = &self.files[&path];
            assert!(is_beginning(&before, now), "{}: {:?}\nis\n{:?}", path.display(), text(&before), text(now));
        }
        let now = self.files.values().map(|file| text(file).lines().count()).sum();
        self.at_work += usize::from(now > std::mem::replace(&mut self.lines, now));
    }
}

impl Storm {
    fn run(self) {
        let mut hall = Hall::new(self);
        let (live, root) = (hall.path("live"), hall.path(""));
        let tail = |board| Tail::new(live.join(format!("b{board}-1.pdn")), root.join(format!("../tail-{board}")));
        let tails: Vec<Tail> = (0..TAILED.min(self.boards)).map(tail).collect();
        let (mut by_bytes, mut poll) = (ByBytes::new(live.clone()), Poll::new(root.clone()));
        let mut kills = KillRun {
            live,
            files: BTreeMap::new(),
            lines: 0,
            at_work: 0,
            random: RandomNumbers(self.seed),
            start: Duration::ZERO,
        };
        let stop = AtomicBool::new(false);
        let started_at = Instant::now();
        std::thread::scope(|scope| {
            let stops = StopsReaders(&stop);
            let followed = scope.spawn(|| reading(&stop, Duration::from_millis(5), || by_bytes.follow()));
            let polled = scope.spawn(|| reading(&stop, Duration::from_millis(10), || poll.check()));
            hall.begin();
            for kill in 0..self.kills {
                kills.kill_once(&mut hall, kill);
                kills.check_files();
                assert!(!followed.is_finished() && !polled.is_finished(), "a reader has failed");
            }
            let at_work = kills.at_work;
            assert!(
                at_work >= self.kills / MIN_WORKING_SHARE,
                "only {at_work} of {} stations had published anything when they were killed: {}",
                self.kills,
                hall.output()
            );
            self.play_in_calm(&mut hall);
            drop(stops);
        });
        by_bytes.check();
        tails.into_iter().for_each(Tail::check);
        let said = hall.output();
        for fault in ["panicked", "a bug", "changed outside damcast"] {
            assert!(!said.contains(fault), "{said}");
        }
        let (lines, prefixes) = check_read_files(&by_bytes.read);
        let checked = run(&["fsck", root.to_str().unwrap()]).done();
        println!(
            "{} boards, {} kills in {:.0?}, {} of them after new lines, {} in all; in the end {lines} lines in {} files; by bytes \
             {} reads, {} of them torn; games.pdn was {} files; {prefixes} beginnings are strict; fsck: {}",
            self.boards,
            self.kills,
            started_at.elapsed(),
            kills.at_work,
            kills.lines,
            by_bytes.read.len(),
            by_bytes.reads,
            by_bytes.torn,
            poll.others,
            checked.lines().last().unwrap_or_default(),
        );
    }

    /// Plays after the last kill until all boards have gone on, and stops the station.
    fn play_in_calm(&self, hall: &mut Hall) {
        let mut station = hall.start();
        let (calm, before) = (Instant::now(), hall.lines());
        let wanted = (before + self.boards).max(LINES * self.boards);
        let mut count = 0;
        hall.play(|hall| {
            count += 1;
            count % 50 == 0 && (hall.lines() >= wanted || calm.elapsed() > TIMEOUT)
        });
        assert!(hall.lines() >= wanted, "{before} lines became {}, not {wanted}: {}", hall.lines(), hall.output());
        kill_process(Pid::from_child(&station.0), Signal::TERM).unwrap();
        hall.play(|_| station.0.try_wait().unwrap().is_some());
    }
}

/// Checks the files that a reader has read; returns the number of their lines and of the strict prefixes.
fn check_read_files(files: &BTreeMap<PathBuf, Vec<u8>>) -> (usize, usize) {
    let (mut lines, mut prefixes) = (0, 0);
    for (path, read) in files {
        assert!(!path.display().to_string().contains("recovered"), "{}", path.display());
        lines += text(read).lines().count();
        prefixes += every_beginning_is_strict(path, read);
    }
    (lines, prefixes)
}

/// Stops the readers when dropped, also after a panic.
struct StopsReaders<'stop>(&'stop AtomicBool);

impl Drop for StopsReaders<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Asserts that each prefix of a file that ends with a line is strict PDN; returns their number.
fn every_beginning_is_strict(path: &Path, read: &[u8]) -> usize {
    let ends = (1..=read.len()).filter(|&end| read[end - 1] == b'\n');
    let check = |end| {
        let problems = strict::check_bytes(&read[..end], None);
        assert!(problems.is_empty(), "{}: the first {end} bytes: {problems:?}", path.display());
    };
    ends.map(check).count()
}

/// Returns a number from the environment, or its default.
fn wanted(name: &str, else_: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(else_)
}

#[test]
fn event_stream_survives_kills() {
    Storm { boards: 4, kills: 8, speed: 40.0, seed: 1 }.run();
}

#[test]
#[ignore = "minutes: 500 kills with readers; scripts/kill-storm"]
fn event_stream_survives_500_kills() {
    let kills = wanted("DAMCAST_KILLS", 500);
    Storm { boards: 6, kills, speed: 40.0, seed: 2 }.run();
}

/// In parts, each in its own folder: a start plays all logs of a game, and a thousand kills in one chain are unrealistic.
#[test]
#[ignore = "half an hour: 2,000 kills of 64 boards; scripts/kill-storm"]
fn kills_never_retract_moves() {
    const PART: usize = 50;
    let kills = wanted("DAMCAST_KILLS", 2000);
    for (seed, done) in (3..).zip((0..kills).step_by(PART)) {
        Storm { boards: 64, kills: PART.min(kills - done), speed: 20.0, seed }.run();
    }
}
