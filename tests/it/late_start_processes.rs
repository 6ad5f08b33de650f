//! Games that began before `damcast run`, or whose beginning it lost: real processes, ports and files.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use damcast::engine::playback::PublishedEvent;
use damcast::engine::session::Effect;
use damcast::station::config::Config;
use damcast::station::folder::StationFolder;
use damcast::station::folder::fsck::{self, Severity};
use damcast::station::outlets::Outlets;

use crate::boards::{Process, recorded};
use crate::program::{Run, assert_contains, damcast, run};
use crate::pty::wait_until;
use crate::simulated_lines::Boards;

const SPEED: &str = "20";

/// Boards that are played from the start, with or without a listener.
struct Event {
    folder: tempfile::TempDir,
    boards: Boards,
    /// The name of each board's files, and the moves played on it.
    games: Vec<(String, Vec<String>)>,
    is_bus: bool,
}

impl Event {
    fn open(kind: &[&str], plies: &str) -> Event {
        let folder = tempfile::tempdir().unwrap();
        let ports = folder.path().display().to_string();
        let common = ["--at-once", "--speed", SPEED, "--seed", "7", "--plies", plies, "--ports", &ports];
        let boards = Boards::serve(&[kind, &common].concat());
        let is_bus = kind[0] == "--bus";
        let count = if is_bus { boards.next("line")["boards"].as_u64().unwrap() } else { 1 };
        let games = (0..count).map(|_| {
            let (board, moves) = boards.next_board();
            (if is_bus { format!("hall-{}", board["address"]) } else { "board-1".to_owned() }, moves)
        });
        let games = games.collect();
        let port = boards.next("port")["port"].as_str().unwrap().to_owned();
        let (name, mode) = if is_bus { ("hall", "mode = \"bus\"\nbus-answer-ms = 5000\n") } else { ("board-1", "") };
        let config = format!(
            "[station]\ndirectory = \"recordings\"\n[[line]]\nname = {name:?}\nport = {port:?}\ngame-type = \"20\"\n\
             time-scale = {SPEED}\n{mode}"
        );
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        Event { folder, boards, games, is_bus }
    }

    /// Waits for this many presses on all boards together.
    fn wait_for_presses(&self, count: usize) {
        let pressed = |_: &usize| self.boards.next("truth")["event"] == "pressed";
        assert_eq!((0..100_000).filter(pressed).take(count).count(), count);
    }

    fn start(&self) -> Process {
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        Process(command.current_dir(self.folder.path()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    fn recorded(&self, board: &str) -> Vec<String> {
        recorded(&self.path(&format!("live/{board}-1.pdn")))
    }

    fn request(&self, arguments: &[&str]) -> Run {
        let socket = self.path("control.sock").display().to_string();
        run(&[&arguments[..1], &["--socket", &socket], &arguments[1..]].concat())
    }

    /// Waits until every game is complete in its file, and compares it with a replay of the logs.
    fn assert_complete(&self, station: Process) {
        for (name, moves) in &self.games {
            wait_until(&format!("all plies of {name}"), || self.recorded(name).len() >= moves.len());
            assert_eq!(&self.recorded(name), moves, "{name}");
        }
        drop(station);
        self.assert_replayed();
    }

    fn assert_replayed(&self) {
        let mut logs: Vec<PathBuf> =
            fs::read_dir(self.path("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
        logs.retain(|log| log.extension().is_some_and(|extension| extension == "log"));
        logs.sort();
        let logs: Vec<String> = logs.iter().map(|log| log.display().to_string()).collect();
        for (name, _) in &self.games {
            let board = self.is_bus.then(|| ["--board", name.strip_prefix("hall-").unwrap()]);
            let arguments = ["replay"].into_iter().chain(board.into_iter().flatten());
            let replayed = run(&arguments.chain(logs.iter().map(String::as_str)).collect::<Vec<_>>());
            let live = fs::read_to_string(self.path(&format!("live/{name}-1.pdn"))).unwrap();
            assert_eq!(replayed.out, live, "{name}: {}", replayed.err);
        }
        run(&["fsck", &self.path("").display().to_string()]).done();
    }
}

impl Event {
    /// Asserts that each state is valid. A killed station leaves its last write, which may be behind any line of any board, even if many
    /// were published at one time. A state that was never visible is a fault.
    fn assert_states_valid(&self) {
        let text = fs::read_to_string(self.folder.path().join("damcast.toml")).unwrap();
        let mut config = Config::read("damcast.toml", &text).unwrap();
        let other = tempfile::tempdir().unwrap();
        config.directory = other.path().to_owned();
        fs::create_dir(other.path().join("log")).unwrap();
        // The known boards keep their places.
        for entry in fs::read_dir(self.path("log")).unwrap().map(Result::unwrap) {
            if entry.path().extension().is_some_and(|extension| extension == "plan") {
                fs::copy(entry.path(), other.path().join("log").join(entry.file_name())).unwrap();
            }
        }
        let folder = StationFolder::read(&self.path("")).unwrap();
        let line = &folder.lines[0];
        let mut round = Outlets::new(&config);
        round.opened(&line.name, &line.logs[0].header, Vec::new());
        let mut changes = Vec::new();
        for (game, late) in line.playback.as_ref().unwrap().games.iter().zip(0..) {
            for (at, published) in game.published_events() {
                let effect = match published {
                    PublishedEvent::GameOpened(opening) => Effect::GameOpened(Box::new(opening.clone())),
                    PublishedEvent::Entry(entry) => Effect::Entry { entry: Box::new(entry.clone()), reason: None },
                    PublishedEvent::GameEnded(result) => {
                        Effect::GameEnded { result: result.map(str::to_owned), is_given: false }
                    }
                    PublishedEvent::MovesInserted(_) | PublishedEvent::LiveUpdate(_) => continue,
                };
                // Each board's events are a little later than those of the board before.
                changes.push((at + chrono::TimeDelta::milliseconds(300 * late), at, game.board, effect));
            }
        }
        changes.sort_by_key(|(change_time, ..)| *change_time);
        let wrong = || -> Vec<String> {
            let found = fsck::check(&self.path("")).unwrap().findings;
            let wrong = found.into_iter().filter(|finding| finding.severity == Severity::Error);
            wrong.map(|finding| format!("{}: {}", finding.file.display(), finding.message)).collect()
        };
        let files = ["public/games.pdn", "public/started.pdn"];
        let mut states = BTreeSet::new();
        for (change_time, at, board, effect) in changes {
            let shown = format!("{effect:?}");
            round.published(&line.name, board, at, effect);
            round.write(change_time);
            let state = files.map(|file| fs::read_to_string(other.path().join(file)).unwrap());
            if states.insert(state.clone()) {
                files.iter().zip(&state).for_each(|(file, text)| fs::write(self.path(file), text).unwrap());
                assert_eq!(wrong(), [""; 0], "behind {shown}: {}", state[0]);
            }
        }
        let plies: usize = self.games.iter().map(|(_, moves)| moves.len()).sum();
        assert!(states.len() >= plies, "{} states", states.len());
        // The check finds a move that was not played, and one missing in the middle.
        let [whole, _] = states.into_iter().max_by_key(|[text, _]| text.len()).unwrap();
        let ply = &self.games[0].1[2];
        for instead in ["1-2", ""] {
            fs::write(self.path(files[0]), whole.replacen(ply, instead, 1)).unwrap();
            let found = fsck::check(&self.path("")).unwrap().findings;
            assert!(found.iter().any(|finding| finding.message == "it is not what the logs say now"), "{found:?}");
        }
    }
}

#[test]
fn unseen_start_is_recorded_from_first_move() {
    let event = Event::open(&["--single", "1"], "24");
    event.wait_for_presses(9);
    let station = event.start();
    event.assert_complete(station);
}

#[test]
fn unseen_starts_on_bus_are_recorded_from_first_moves() {
    let event = Event::open(&["--bus", "3"], "26");
    // More plies than the few up to which a newly switched-on board is trusted.
    event.wait_for_presses(33);
    let station = event.start();
    event.assert_complete(station);
    event.assert_states_valid();
}

/// Killed, and the power fails: unsynced data is lost, including the starts of the games.
#[test]
fn power_loss_without_start_positions_loses_no_game() {
    for kind in [&["--single", "1"], &["--bus", "3"]] {
        let event = Event::open(kind, "26");
        let mut station = event.start();
        let log = event.path(if event.is_bus { "log/hall-1.log" } else { "log/board-1-1.log" });
        wait_until("the start positions", || {
            let text = fs::read_to_string(&log).unwrap_or_default();
            text.matches("is set up").count() >= event.games.len()
        });
        station.kill();
        let text = fs::read_to_string(&log).unwrap();
        let lost = text.find(" < ").expect("the boards have spoken");
        let kept = text[..lost].rfind('\n').unwrap() + 1;
        fs::write(&log, &text[..kept]).unwrap();
        fs::remove_dir_all(event.path("live")).unwrap();
        let _ = fs::remove_file(event.path("log/commits"));
        event.wait_for_presses(12 * event.games.len());
        let station = event.start();
        event.assert_complete(station);
    }
}

/// A station's computer is lost and another one replaces it: the boards of a bus repeat no report, only their memory.
#[test]
fn replacement_station_has_bus_games_from_first_moves() {
    let event = Event::open(&["--bus", "2"], "26");
    let mut station = event.start();
    event.wait_for_presses(12);
    station.kill();
    fs::remove_dir_all(event.path("")).unwrap();
    event.wait_for_presses(12);
    let station = event.start();
    event.assert_complete(station);
}

#[test]
fn operator_accepts_offer_once() {
    for kind in [&["--single", "1"], &["--bus", "1"]] {
        let event = Event::open(kind, "20");
        let (name, moves) = &event.games[0];
        event.wait_for_presses(moves.len());
        let mut station = event.start();
        let is_offered = || event.request(&["status"]).out.contains("offers a game from its memory");
        wait_until("the offer", is_offered);
        assert_eq!(event.recorded(name), Vec::<String>::new(), "nobody plays on");
        event.request(&["ctl", "start", name, "--from-memory"]).done();
        wait_until("the game", || event.recorded(name).len() >= moves.len());
        assert_eq!(&event.recorded(name), moves);
        let shown = || fs::read_to_string(event.path("public/games.pdn")).unwrap_or_default();
        wait_until("the public game", || shown().contains(moves.last().unwrap()));
        event.request(&["ctl", "start", name, "--from-memory"]).fails(1, "has no game to be published");
        station.kill();
        event.assert_replayed();
        event.assert_states_valid();
        if event.is_bus {
            // Its start tag is where the game was published; no command returns the part before it.
            continue;
        }
        // The logs are lost and the live file is not: the memory has no date, and the game is known.
        fs::remove_dir_all(event.path("log")).unwrap();
        let _station = event.start();
        let log = || fs::read_to_string(event.path(&format!("log/{name}-1.log"))).unwrap_or_default();
        wait_until("that the game is found", || log().contains("remembered known"));
        assert!(!is_offered() && !log().contains("it is published as soon as play goes on"), "{}", log());
        event.request(&["ctl", "start", name, "--from-memory"]).fails(1, &format!("{name}-1.pdn"));
    }
}

/// Boards without memory commands: 49 requests the memory of a single board, 86 of one on a bus.
#[test]
fn without_memory_game_continues_from_position() {
    for (kind, ignored) in
        [(&["--single", "1", "--ignore", "0x49"], "single"), (&["--bus", "2", "--ignore", "0x86"], "bus")]
    {
        let event = Event::open(kind, "40");
        // The station that received the reports of the bus.
        let mut lost = event.start();
        event.wait_for_presses(8 * event.games.len());
        lost.kill();
        let _ = fs::remove_dir_all(event.path(""));
        let station = event.start();
        for (name, moves) in &event.games {
            let is_over = || event.recorded(name).last() == moves.last();
            wait_until(&format!("the end of {name}"), is_over);
            let entries = event.recorded(name);
            assert!(moves.ends_with(&entries) && entries.len() >= 15, "{ignored}, {name}: {entries:?} of {moves:?}");
            assert_contains(&fs::read_to_string(event.path(&format!("live/{name}-1.pdn"))).unwrap(), &["[FEN \""]);
        }
        drop(station);
        event.assert_replayed();
    }
}
