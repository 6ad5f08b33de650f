//! Boards on one wire, played by the program `boardsim` and recorded by `damcast run`: real processes, ports and files.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::boards::{Process, recorded};
use crate::program::{damcast, run};
use crate::pty::wait_until;
use crate::simulated_lines::Boards;

/// Speed of the boards, and of the line relative to 9600 baud. Much faster, the program would wait for the machine.
const SPEED: &str = "20";

/// Boards on a bus, and a folder in which they are recorded.
struct Hall {
    folder: tempfile::TempDir,
    boards: Boards,
    /// The name of each board's files, its address, and the moves played on it.
    games: Vec<(String, u64, Vec<String>)>,
    port: String,
}

impl Hall {
    /// Starts boards with these `arguments` of `boardsim`. The first board gets its own name.
    fn open(arguments: &[&str]) -> Hall {
        let folder = tempfile::tempdir().unwrap();
        let ports = folder.path().display().to_string();
        let common = ["--ports", &ports, "--speed", SPEED, "--seed", "7"];
        let boards = Boards::serve(&[arguments, &common].concat());
        let count = boards.next("line")["boards"].as_u64().unwrap();
        let games = (0..count).map(|index| {
            let (board, moves) = boards.next_board();
            let address = board["address"].as_u64().unwrap();
            let name = if index == 0 { "table-1".to_owned() } else { format!("hall-{address}") };
            (name, address, moves)
        });
        let games: Vec<_> = games.collect();
        let port = boards.next("port")["port"].as_str().unwrap().to_owned();
        // A busy machine answers later than a board would, and might miss the second in which boards are searched for.
        let mut config = format!(
            "[station]\ndirectory = \"recordings\"\n[[line]]\nname = \"hall\"\nmode = \"bus\"\nport = {port:?}\n\
             game-type = \"20\"\ntime-scale = {SPEED}\nbus-answer-ms = 5000\n"
        );
        for (name, address, _) in &games {
            config += &format!("[[line.board]]\naddress = {address}\nname = \"{name}\"\n");
        }
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        Hall { folder, boards, games, port }
    }

    fn start(&self) -> Process {
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        Process(command.current_dir(self.folder.path()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    fn live(&self, board: &str) -> PathBuf {
        self.path(&format!("live/{board}-1.pdn"))
    }

    fn wait_for_plies(&self, least: usize) {
        for (name, _, moves) in &self.games {
            let least = least.min(moves.len());
            wait_until(&format!("{least} plies of {name}"), || recorded(&self.live(name)).len() >= least);
        }
    }

    /// Sets names of players, using each of the boards' names.
    fn set_names(&self) {
        let socket = self.path("control.sock").display().to_string();
        let ctl = |arguments: &[&str]| run(&[&["ctl", "--socket", &socket], arguments].concat());
        let second = self.games[1].1.to_string();
        for board in ["table-1".to_owned(), format!("hall/{second}"), format!("hall-{second}")] {
            ctl(&["set-players", &board, "A", "B"]).prints("A and B are the players");
        }
        for (board, words) in [("hall", "is a bus; name one of its boards: "), ("hall/1", "there is no board")] {
            ctl(&["hold", board]).fails(1, words);
        }
        let status = run(&["status", "--json", "--socket", &socket]);
        let status: Value = serde_json::from_str(&status.out).unwrap();
        let names: Vec<&str> =
            status["boards"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
        assert!(self.games.iter().all(|(name, ..)| names.contains(&name.as_str())), "{names:?}");
    }

    /// Waits until every game is complete in its file, and compares it with a replay of the logs.
    fn assert_complete(&self, station: Process, logs: usize) {
        self.wait_for_plies(usize::MAX);
        drop(station);
        let logs: Vec<String> =
            (1..=logs).map(|start| self.path(&format!("log/hall-{start}.log")).display().to_string()).collect();
        for (name, address, moves) in &self.games {
            assert_eq!(&recorded(&self.live(name)), moves, "{name} at {}", self.port);
            let address = address.to_string();
            let arguments = ["replay", "--board", &address].into_iter().chain(logs.iter().map(String::as_str));
            let replayed = run(&arguments.collect::<Vec<_>>());
            assert_eq!(replayed.out, fs::read_to_string(self.live(name)).unwrap(), "{name}: {}", replayed.err);
        }
        assert!(!self.path(&format!("log/hall-{}.log", logs.len() + 1)).exists());
    }
}

#[test]
fn records_games_on_bus_move_for_move() {
    let hall = Hall::open(&["--bus", "4", "--plies", "10"]);
    let station = hall.start();
    hall.wait_for_plies(1);
    hall.set_names();
    hall.assert_complete(station, 1);
}

/// The station is killed in the middle and started again: the boards' memories contain the moves played meanwhile.
#[test]
fn killed_station_recovers_all_games_of_bus() {
    let hall = Hall::open(&["--bus", "3", "--plies", "16", "--at-once"]);
    let station = hall.start();
    hall.wait_for_plies(4);
    drop(station);
    let pressed = |_| hall.boards.next("truth")["event"] == "pressed";
    assert!((0..2_000).filter(|&truth| pressed(truth)).nth(30).is_some(), "some is played while nobody records");
    let station = hall.start();
    hall.assert_complete(station, 2);
}

/// A server keeps the connection open and forwards nothing, while the boards are played on.
#[test]
fn reconnects_dead_bus_connection() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("scenario.toml");
    let text = "[[line]]\nname = \"bus\"\nboard = [{ plies = 12 }, { plies = 12, turned = true }]\n\
                incident = [{ at = 60, what = \"silence\", for = 130 }]\n";
    fs::write(&scenario, text).unwrap();
    let hall = Hall::open(&["--tcp", "0", "--scenario", &scenario.display().to_string()]);
    let station = hall.start();
    hall.wait_for_plies(usize::MAX);
    let log = fs::read_to_string(hall.path("log/hall-1.log")).unwrap();
    assert!(log.matches(" = up").count() >= 2, "the connection was made again");
    hall.assert_complete(station, 1);
}
