//! Kills a running station at any operation while an arbiter opens a round, enters a result and corrects it. After a restart the arbiter
//! repeats the request. All public files must then match those of a station that was never killed: nothing half done, nothing twice.
//!
//! Each of the three stages starts with the folder that the previous one left. `kill_at_syscall.rs` describes how a station is killed;
//! `scripts/kill-everywhere` does it at every operation.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::daemon::{SPEED, Station, StationFolder, moves, recording};
use crate::folders::{self, Files};
use crate::hall::assert_clean;
use crate::kill_at_syscall::{FaultPoint, each, library};
use crate::pty::{Board, Pty, TIMEOUT, wait_until};
use crate::recorded_session::env_step;
use crate::rounds::{ROUNDS, import};

/// Plies played before the result.
const PLIES: usize = 6;

/// A request of an arbiter.
#[derive(Clone, Copy)]
struct ArbiterRequest {
    name: &'static str,
    /// The request, as sent to the socket.
    request: fn() -> Value,
    /// Whether every public file shows the effect.
    is_seen: fn(&StationFolder) -> bool,
}

/// Counts the complete event lines of a kind.
fn count_lines(place: &StationFolder, kind: &str) -> usize {
    let text = place.public("events.ndjson");
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let events = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["type"] == kind).count()
}

const REQUESTS: [ArbiterRequest; 3] = [
    ArbiterRequest {
        name: "a round's opening",
        request: || json!({"do": "tournament", "request": {"command":"set-round-state", "round": 3, "to": "open", "request": "open"}}),
        is_seen: |place| {
            let log = fs::read_dir(place.path("recordings/log")).unwrap().map(|entry| entry.unwrap().path());
            let is_told = |path: &Path| {
                path.file_name().unwrap().to_str().unwrap().starts_with("a-")
                    && String::from_utf8_lossy(&fs::read(path).unwrap()).contains("! pairing 1 {")
            };
            log.into_iter().any(|path| is_told(&path))
                && count_lines(place, "pairing") == 2
                && place.public("round/3/games.pdn").contains("Sijbrands")
        },
    },
    ArbiterRequest {
        name: "a result",
        request: || json!({"do": "request", "board": "a", "request": "result 2-0", "confirm": true}),
        is_seen: |place| {
            let archived = place.public("archive/a-1.pdn");
            archived.contains("[Result \"2-0\"]")
                && place.public("round/3/games.pdn").contains("[Result \"2-0\"]")
                && count_lines(place, "official-result") == 1
                && count_lines(place, "result") == 1
                && place.public("standings.json").contains("\"points\":\"2\"")
        },
    },
    ArbiterRequest {
        name: "a correction",
        request: || {
            json!({"do": "tournament", "request": {
                "command":"result", "board": "a", "game": 1, "result": "0-2", "correct": true, "request": "correct"}})
        },
        is_seen: |place| {
            place.public("archive/a-1.pdn").contains("[Result \"0-2\"]")
                && place.public("round/3/games.pdn").contains("[Result \"0-2\"]")
                && count_lines(place, "official-result") == 2
                && count_lines(place, "tag-correction") == 1
        },
    },
];

/// Starting point of a request, and the public files of a station that is not killed.
struct Stage {
    request: ArbiterRequest,
    files_before: Files,
    board: Board,
    /// Number of operations of the station.
    operations: usize,
    read: BTreeMap<String, Vec<String>>,
}

/// A folder with a station and its board.
struct Hall {
    place: StationFolder,
    pty: Pty,
    board: Board,
    station: Option<Station>,
}

impl Hall {
    fn new(files: &Files, board: &Board) -> Hall {
        let place = StationFolder::new(&["a"]);
        let pty = Pty::plug_in(&place.path("a"));
        fs::create_dir_all(place.path("recordings")).unwrap();
        folders::write(&place.path("recordings"), files);
        Hall { place, pty, board: board.clone(), station: None }
    }

    /// Starts the station; kills it at operation number `at`, halfway through it or before it.
    fn start(&mut self, at: Option<(usize, bool)>) {
        self.station = Some(self.place.start_with(|command| {
            let Some((at, is_partial_write)) = at else { return };
            FaultPoint { at, count: 1, errno: 0, is_partial_write }.set(command, &self.place.path(""));
        }));
    }

    /// Starts the station again if it was killed. Returns whether it was.
    fn restart(&mut self) -> bool {
        let is_gone = self.station.as_mut().is_none_or(|station| station.process.try_wait().unwrap().is_some());
        if is_gone {
            self.start(None);
        }
        is_gone
    }

    /// Repeats a request until it is done and every public file shows it.
    fn request_until_done(&mut self, arbiter_request: ArbiterRequest, case: &str) {
        let mut answer = None;
        wait_until(&format!("{case}: the answer"), || {
            self.restart();
            self.board.answer(&mut self.pty);
            answer = self.is_connected().then(|| request(&self.place, &(arbiter_request.request)())).flatten();
            answer.is_some()
        });
        let answer = answer.unwrap();
        assert_eq!(answer["ok"], true, "{case}: {answer}");
        let seen = |hall: &mut Hall| {
            hall.restart();
            hall.board.answer(&mut hall.pty);
            (arbiter_request.is_seen)(&hall.place)
        };
        let start = std::time::Instant::now();
        while !seen(self) {
            let said = || self.station.as_ref().map_or(String::new(), Station::output);
            assert!(start.elapsed() < TIMEOUT, "{case}: it is not seen: {}", said());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Whether the station has received messages of its board. Earlier requests are refused.
    fn is_connected(&self) -> bool {
        let status = request(&self.place, &json!({"do": "status"}));
        status.is_some_and(|reply| {
            let state = &reply["status"]["boards"][0]["state"];
            state.is_string() && state != "starting" && state != "no-connection"
        })
    }

    /// Stops the station as an operator does, so that everything is written. If it is killed while stopping, stops the next one.
    fn end(&mut self) {
        while !self.station.as_mut().unwrap().signal(Signal::TERM).success() {
            self.start(None);
            self.station.as_ref().unwrap().wait_for(": recording line=");
        }
    }

    fn files(&self) -> Files {
        folders::read(&self.place.path("recordings"))
    }
}

/// Returns the answer of the station; `None` if there is no station, or if it ends before it answers.
fn request(place: &StationFolder, request: &Value) -> Option<Value> {
    let mut stream = UnixStream::connect(place.path("recordings/control.sock")).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(format!("{request}\n").as_bytes()).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

/// Reads the public files of a tournament and its games, without times and numberings, which differ between stations.
fn read(files: &Files) -> BTreeMap<String, Vec<String>> {
    let shown = files.iter().filter(|(name, _)| name.starts_with("public/"));
    shown.map(|(name, bytes)| (name.clone(), plain(name, &String::from_utf8_lossy(bytes)))).collect()
}

fn plain(name: &str, text: &str) -> Vec<String> {
    if !name.ends_with("events.ndjson") {
        return text.lines().map(str::to_owned).collect();
    }
    let mut events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Live updates also depend on the connection. Events of the game and of the tournament have separate orders.
    events.retain(|event| event["p"].is_null());
    events.sort_by_key(|event| (event["t"].as_u64(), event["c"].as_u64(), event["b"].as_u64()));
    for event in &mut events {
        for member in ["seq", "gen", "station", "at"] {
            event.as_object_mut().unwrap().remove(member);
        }
    }
    events.iter().map(Value::to_string).collect()
}

fn stages() -> Vec<Stage> {
    let mut board = Board::new(&recording(), SPEED);
    let mut files = {
        let place = StationFolder::new(&["a"]);
        import(&place, "pairings.csv", ROUNDS).done();
        folders::read(&place.path("recordings"))
    };
    let mut stages = Vec::new();
    for arbiter_request in REQUESTS {
        let mut hall = Hall::new(&files, &board);
        hall.start(Some((usize::MAX >> 1, false)));
        hall.pty.wait_for_the_station();
        hall.request_until_done(arbiter_request, arbiter_request.name);
        hall.end();
        let operations = fs::read_to_string(hall.place.path("report")).unwrap().trim().parse().unwrap();
        let after = hall.files();
        stages.push(Stage { request: arbiter_request, files_before: files, board, operations, read: read(&after) });
        (files, board) = (after, hall.board);
        if stages.len() == 1 {
            let mut hall = Hall::new(&files, &board);
            hall.start(None);
            hall.pty.wait_for_the_station();
            hall.board.play(&mut hall.pty, 400_000, || moves(&hall.place.live("a-1.pdn")).len() >= PLIES);
            hall.end();
            (files, board) = (hall.files(), hall.board);
        }
    }
    stages
}

/// Kills the station of a stage. Returns whether it reached the operation.
fn kill(stage: &Stage, at: usize, half: bool) -> bool {
    let case =
        format!("{}, killed at operation {at}{}", stage.request.name, if half { ", after half of it" } else { "" });
    let mut hall = Hall::new(&stage.files_before, &stage.board);
    hall.start(Some((at, half)));
    hall.request_until_done(stage.request, &case);
    hall.end();
    let is_killed = !hall.place.path("report").exists();
    assert_clean(&hall.place.path("recordings"), &case);
    let read = read(&hall.files());
    assert_eq!(read.keys().collect::<Vec<_>>(), stage.read.keys().collect::<Vec<_>>(), "{case}");
    for (name, lines) in read {
        assert_eq!(lines, stage.read[&name], "{case}: {name}");
    }
    is_killed
}

fn kill_at(first: usize, step: impl Fn(usize) -> usize, threads: usize) {
    if library().is_none() {
        println!("there is no `cc`: nobody was killed");
        return;
    }
    let stages = stages();
    let mut cases: Vec<(&Stage, usize, bool)> = Vec::new();
    for stage in &stages {
        println!("{}: {} operations", stage.request.name, stage.operations);
        let places = (first..stage.operations).step_by(step(stage.operations).max(1));
        cases.extend(places.flat_map(|at| [(stage, at, false), (stage, at, true)]));
    }
    let kills = AtomicUsize::new(0);
    each(&cases, threads, |(stage, at, half)| {
        kills.fetch_add(kill(stage, at, half).into(), Ordering::Relaxed);
    });
    println!("{} kills: nothing half done, nothing twice", kills.load(Ordering::Relaxed));
    assert!(kills.into_inner() > cases.len() / 2);
}

#[test]
fn requests_take_effect_once_over_kill() {
    kill_at(5, |operations| operations / 6, 3);
}

#[test]
#[ignore = "a quarter of an hour: every operation; scripts/kill-everywhere"]
fn requests_take_effect_once_over_kill_anywhere() {
    kill_at(0, |_| env_step(), 6);
}

/// The disk is full for the record of the tournament only, while the arbiter enters a result. The station acknowledges the result, and an
/// alarm stands until the record has it.
#[test]
fn result_reaches_tournament_after_full_disk() {
    const ENOSPC: i32 = 28;
    if library().is_none() {
        println!("there is no `cc`: the disk was never full");
        return;
    }
    let stage = stages().swap_remove(1);
    let start = |hall: &mut Hall, at, count| {
        hall.station = Some(hall.place.start_with(|command| {
            let folder = hall.place.path("");
            FaultPoint { at, count, errno: ENOSPC, is_partial_write: false }.set(command, &folder);
            let record = fs::canonicalize(&folder).unwrap().join("recordings/log/tournament.ndjson");
            command.env("DAMCAST_UNDER", record);
        }));
        wait_until("the board", || {
            hall.board.answer(&mut hall.pty);
            hall.is_connected()
        });
    };
    let mut hall = Hall::new(&stage.files_before, &stage.board);
    start(&mut hall, usize::MAX >> 1, 1);
    hall.end();
    let before = fs::read_to_string(hall.place.path("report")).unwrap().trim().parse().unwrap();

    let mut hall = Hall::new(&stage.files_before, &stage.board);
    start(&mut hall, before, 4);
    let answer = request(&hall.place, &(stage.request.request)()).unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
    let mut status = |words: &str| {
        hall.board.answer(&mut hall.pty);
        let status = request(&hall.place, &json!({"do": "status"}));
        status.is_some_and(|status| status.to_string().contains(words))
    };
    const ALARM: &str = "is not in the tournament yet, and is tried again";
    wait_until("the alarm", || status(ALARM));
    wait_until("the end of the alarm", || !status(ALARM));
    wait_until("the result everywhere", || (stage.request.is_seen)(&hall.place));
    hall.end();
    assert_clean(&hall.place.path("recordings"), "after a full disk");
    assert_eq!(read(&hall.files()), stage.read);
}
