//! Simulated boards on pseudo-terminals, played by the program `boardsim` and recorded by `damcast run`: real processes, ports and files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use damcast::simulation::games::SourceGame;
use draughts::Position;
use draughts_pdn::notation;

use crate::games::playable;
use crate::program::damcast;
use crate::pty::wait_until;

/// At higher speeds the threads of a busy machine would wake later than hands rest.
const SPEED: u32 = 40;

/// A process that is killed when the test ends.
pub struct Process(pub Child);

impl Process {
    /// Kills the process and waits for its end.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the moves of a game as its file has them.
pub fn moves(game: &SourceGame) -> Vec<String> {
    let mut position = game.start;
    let mut moves = Vec::new();
    for ply in &game.moves {
        moves.push(notation::write(position.variant(), ply, &position.legal_moves()));
        position = position.play(ply);
    }
    moves
}

/// Returns a line of movetext without its number and comment.
pub fn bare_entry(line: &str) -> &str {
    let line = line.split(" {").next().unwrap_or_default();
    if line.starts_with('/') { line } else { line.rsplit(' ').next().unwrap_or_default() }
}

/// Returns the movetext of a live file: moves and setups, without numbers and comments.
pub fn recorded(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('[') && *line != "*");
    lines.map(|line| bare_entry(line).to_owned()).collect()
}

fn boardsim(pdn: &Path, link: &Path, seed: usize) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boardsim"));
    command.args(["play", "--speed", &SPEED.to_string(), "--seed", &seed.to_string(), "--clock", "4800+60"]);
    if seed % 2 == 1 {
        command.arg("--turned");
    }
    command.arg("--pdn").arg(pdn).arg("--link").arg(link).stdout(Stdio::null());
    Process(command.spawn().expect("boardsim starts"))
}

#[test]
fn records_games_on_ports_move_for_move() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let is_whole = |game: &SourceGame| game.start == Position::start(game.start.variant());
    let mut games: Vec<SourceGame> = playable("international").into_iter().filter(is_whole).collect();
    games.extend(crate::games::corpus("international", "real").into_iter().flatten().filter(is_whole));
    // The opening and the middle of each game: a whole game would take a minute.
    games.iter_mut().for_each(|game| game.moves.truncate(60));
    games.retain(|game| game.moves.len() >= 30);
    games.truncate(10);
    assert!(games.len() >= 3, "only {} games", games.len());

    let mut config = "[station]\ndirectory = \"recordings\"\n".to_owned();
    let mut boards = Vec::new();
    for (index, game) in games.iter().enumerate() {
        let (name, pdn) = (format!("board-{index}"), path(&format!("{index}.pdn")));
        fs::write(&pdn, format!("[GameType \"20\"]\n\n{} *\n", moves(game).join(" "))).unwrap();
        boards.push(boardsim(&pdn, &path(&name), index));
        wait_until("the port is there", || path(&name).exists());
        let port = path(&name);
        config.push_str(&format!("[[line]]\nname = \"{name}\"\nport = \"{}\"\n", port.display()));
        config.push_str(&format!("game-type = \"20\"\ntime-scale = {SPEED}\n"));
    }
    fs::write(path("damcast.toml"), config).unwrap();
    let mut command = damcast(&["run", "--config", "damcast.toml"]);
    let station = Process(command.current_dir(folder.path()).stderr(Stdio::null()).spawn().unwrap());

    for (index, game) in games.iter().enumerate() {
        let live = path(&format!("recordings/live/board-{index}-1.pdn"));
        let played = moves(game);
        // A wrong entry is shown at once.
        wait_until(&format!("{} is recorded", game.name), || {
            let found = recorded(&live);
            found.len() >= played.len() || !played.starts_with(&found)
        });
        assert_eq!(recorded(&live), played, "{}", game.name);
    }
    drop(station);
    for index in 0..games.len() {
        let log = path(&format!("recordings/log/board-{index}-1.log"));
        let replayed = crate::program::run(&["replay", &log.display().to_string()]);
        let live = fs::read_to_string(path(&format!("recordings/live/board-{index}-1.pdn"))).unwrap();
        assert_eq!(replayed.out, live, "board-{index}");
    }
}
