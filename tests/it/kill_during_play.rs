//! The station is killed while eight boards are played on, for minutes of their life, and started again: every game is complete in the end,
//! and every ply has the clock times at which it was pressed.
//!
//! Boards, ports, processes and files are real; only the boards' time runs faster.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::boards::{Process, recorded};
use crate::program::{damcast, run};
use crate::pty::{TIMEOUT, wait_until};
use crate::simulated_lines::Boards;

const BOARDS: usize = 8;
/// Plies of each board in its file before the station is killed.
const PLIES_BEFORE_KILL: usize = 3;
/// Tolerance in seconds: a reading is up to a second old and shows whole seconds.
const CLOCK_TOLERANCE: u64 = 2;

/// Connection of the boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wire {
    Alone,
    Bus,
}

/// A board with the game that is played on it.
struct PlayedBoard {
    /// The name of its files.
    name: String,
    /// Its line, and its index there, as in the boards' reports of the truth.
    line_and_index: (String, u64),
    /// The log of its line, and the text that distinguishes its game there.
    log: String,
    address: Option<String>,
    moves: Vec<String>,
}

struct Hall {
    folder: tempfile::TempDir,
    truth: Boards,
    boards: Vec<PlayedBoard>,
    /// White's and Black's time in milliseconds when each ply was pressed, by board.
    pressed: BTreeMap<(String, u64), Vec<[u64; 2]>>,
}

impl Hall {
    fn open(wire: Wire, plies: usize, speed: u32) -> Hall {
        let folder = tempfile::tempdir().unwrap();
        let (ports, plies, speed) = (folder.path().display().to_string(), plies.to_string(), speed.to_string());
        let (kind, count) = (if wire == Wire::Bus { "--bus" } else { "--single" }, BOARDS.to_string());
        let arguments = [kind, &count, "--plies", &plies, "--ports", &ports, "--speed", &speed, "--seed", "7"];
        let truth = Boards::serve(&[&arguments[..], &["--at-once"]].concat());
        let boards: Vec<PlayedBoard> = (0..BOARDS).map(|_| played(wire, truth.next_board())).collect();
        let mut config = "[station]\ndirectory = \"recordings\"\n".to_owned();
        let mut line = |name: &str, port: &str, more: &str| {
            let port = folder.path().join(port);
            wait_until("the port is there", || port.exists());
            config += &format!(
                "[[line]]\nname = \"{name}\"\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {speed}\n{more}"
            );
        };
        match wire {
            Wire::Alone => boards.iter().for_each(|board| line(&board.name, &board.line_and_index.0, "")),
            // A busy machine answers later than a board would.
            Wire::Bus => line("hall", "bus", "mode = \"bus\"\nbus-answer-ms = 5000\n"),
        }
        for address in boards.iter().filter_map(|board| board.address.as_ref()) {
            config += &format!("[[line.board]]\naddress = {address}\n");
        }
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        Hall { folder, truth, boards, pressed: BTreeMap::new() }
    }

    fn start(&self) -> Process {
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        Process(command.current_dir(self.folder.path()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    fn live(&self, board: &PlayedBoard) -> PathBuf {
        self.path(&format!("live/{}-1.pdn", board.name))
    }

    /// Watches the boards until a condition holds; returns the time on their clock.
    fn watch(&mut self, mut enough: impl FnMut(&Value) -> bool) -> u64 {
        loop {
            let truth = self.truth.next("truth");
            self.note(&truth);
            if enough(&truth) {
                return truth["at_ms"].as_u64().unwrap();
            }
        }
    }

    /// Records all new events; returns the time on the boards' clock.
    fn apply_reports(&mut self) -> u64 {
        let truth_lines: Vec<Value> =
            self.truth.so_far().into_iter().filter(|truth_lines| truth_lines["kind"] == "truth").collect();
        truth_lines.iter().for_each(|truth| self.note(truth));
        truth_lines.last().map_or(0, |truth| truth["at_ms"].as_u64().unwrap())
    }

    fn note(&mut self, truth: &Value) {
        if truth["event"] == "pressed" {
            let seat = (truth["line"].as_str().unwrap().to_owned(), truth["board"].as_u64().unwrap());
            let clocks = ["white_ms", "black_ms"].map(|side| truth[side].as_u64().unwrap());
            self.pressed.entry(seat).or_default().push(clocks);
        }
    }

    fn plies_recorded(&self) -> usize {
        self.boards.iter().map(|board| recorded(&self.live(board)).len()).sum()
    }
}

fn played(wire: Wire, (board, moves): (Value, Vec<String>)) -> PlayedBoard {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let line = text(&board["line"]);
    let address = (wire == Wire::Bus).then(|| board["address"].to_string());
    let name = address.as_ref().map_or_else(|| line.clone(), |address| format!("hall-{address}"));
    let log = if wire == Wire::Bus { "hall".to_owned() } else { line.clone() };
    PlayedBoard { name, line_and_index: (line, board["board"].as_u64().unwrap()), log, address, moves }
}

/// Returns White's and Black's seconds in a line of movetext.
fn clocks(line: &str) -> Option<[u64; 2]> {
    let (_, comment) = line.split_once("{[%clock ")?;
    let mut sides = comment.split_once(']')?.0.split(' ').map(|side| {
        let digits = side.trim_start_matches(char::is_alphabetic).split(':').map(|part| part.parse::<u64>().unwrap());
        digits.fold(0, |seconds, part| seconds * 60 + part)
    });
    Some([sides.next()?, sides.next()?])
}

/// Kills the station while boards are played on for this many seconds of their life.
fn kill(wire: Wire, plies: usize, speed: u32, away_s: u64) {
    let mut hall = Hall::open(wire, plies, speed);
    let mut station = hall.start();
    for board in &hall.boards {
        let file = hall.live(board);
        wait_until(&format!("plies of {}", board.name), || recorded(&file).len() >= PLIES_BEFORE_KILL);
    }
    station.kill();
    let before = hall.plies_recorded();
    let killed_ms = hall.apply_reports();
    let back_ms = hall.watch(|truth| truth["at_ms"].as_u64().unwrap() >= killed_ms + away_s * 1_000);
    let pressed: usize = hall.pressed.values().map(Vec::len).sum();
    assert!(pressed >= before + BOARDS, "{before} plies were recorded, and {pressed} are played: nothing is missed");
    let mut games = BOARDS;
    let station = hall.start();
    hall.watch(|truth| {
        games -= usize::from(truth["event"] == "game-over");
        games == 0
    });
    for board in &hall.boards {
        let (file, since) = (hall.live(board), Instant::now());
        while recorded(&file).len() < board.moves.len() && since.elapsed() < TIMEOUT {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(recorded(&file), board.moves, "{}: {}", board.name, fs::read_to_string(&file).unwrap());
    }
    drop(station);
    for board in &hall.boards {
        let text = fs::read_to_string(hall.live(board)).unwrap();
        let lines: Vec<&str> =
            text.lines().filter(|line| line.contains(['-', 'x']) && !line.starts_with('[')).collect();
        for (line, truly) in lines.iter().zip(&hall.pressed[&board.line_and_index]) {
            let shown = clocks(line).unwrap_or_else(|| panic!("{}: no clock at {line}", board.name));
            let is_true = |side: usize| shown[side].abs_diff(truly[side] / 1_000) <= CLOCK_TOLERANCE;
            assert!(is_true(0) && is_true(1), "{}: {line}, but in truth {truly:?} ms", board.name);
        }
        let logs = [1, 2].map(|start| hall.path(&format!("log/{}-{start}.log", board.log)).display().to_string());
        let mut arguments = vec!["replay"];
        arguments.extend(board.address.iter().flat_map(|address| ["--board", address]));
        arguments.extend(logs.iter().map(String::as_str));
        assert_eq!(run(&arguments).out, text, "{}", board.name);
    }
    println!(
        "{wire:?}: killed at {killed_ms} ms, back at {back_ms}; {before} plies then, {} in the end",
        hall.plies_recorded()
    );
}

#[test]
fn games_continued_during_downtime_are_complete() {
    kill(Wire::Alone, 14, 25, 80);
}

/// cargo test --release --test it kill_during_play -- --ignored --nocapture
#[test]
#[ignore = "ten minutes of the boards' life, a minute and a half of ours"]
fn ten_minutes_without_station_cost_nothing() {
    kill(Wire::Alone, 70, 30, 600);
    kill(Wire::Bus, 70, 20, 600);
}
