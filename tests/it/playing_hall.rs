//! A hall of simulated boards of four game types at ports, with the recorder and its page server: real processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use damcast::engine::livefile::LiveFileContents;
use draughts::{Position, Variant};
use draughts_pdn::game::{Entry, Game, MoveEntry, MoveNumber};
use draughts_pdn::{notation, writer};
use rustix::process::Signal;

use crate::daemon::Station;
use crate::generated_games::Dice;
use crate::program::{damcast, free_address};
use crate::pty::wait_until;
use crate::serve::{Server, serve};
use crate::simulated_lines::Boards;

/// Speed of the boards relative to life.
const SPEED: &str = "20";
/// International, Russian, Canadian (144 squares), Turkish (pieces on all squares).
const GAME_TYPES: [&str; 4] = ["20", "25", "27", "30"];
/// Maximum number of plies of a game.
const PLIES: usize = 140;

/// Boards, their recorder and their pages.
pub struct Hall {
    folder: tempfile::TempDir,
    pub boards: Boards,
    pub station: Station,
    /// Address of the pages, for every server that is started.
    pub address: String,
    pub server: Option<Server>,
}

/// Returns games of random legal moves.
fn random_games(variant: &'static Variant, count: usize, seed: u64) -> Vec<Vec<String>> {
    let mut dice = Dice(seed);
    let game = |_| {
        let (mut moves, mut position) = (Vec::new(), Position::start(variant));
        for _ in 0..PLIES {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let played = &legal[dice.roll(legal.len())];
            moves.push(notation::write(variant, played, &legal));
            position = position.play(played);
        }
        moves
    };
    (0..count).map(game).collect()
}

/// Returns the seed for the games of a game type, by its index in [`GAME_TYPES`].
fn seed(game_type: usize) -> u64 {
    77 + game_type as u64
}

/// Returns games as a PDN file.
fn pdn(variant: &'static Variant, games: &[Vec<String>]) -> String {
    let entry = |(text, ply): (&String, u32)| {
        let number = (ply % 2 == 0).then_some(MoveNumber { value: ply / 2 + 1, ellipsis: false });
        Entry::Move(MoveEntry { number, ..MoveEntry::new(text.as_str()) })
    };
    let game = |moves: &Vec<String>| {
        let mut game = Game::default();
        game.tags.set("GameType", variant.game_type.tag_value());
        game.entries = moves.iter().zip(0..).map(entry).collect();
        game
    };
    writer::write(&games.iter().map(game).collect::<Vec<_>>(), writer::Style::Compact)
}

fn station_command(config: &Path) -> Command {
    let mut command = damcast(&["run", "--config", config.to_str().unwrap()]);
    command.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("RUNTIME_DIRECTORY");
    command
}

impl Hall {
    pub fn begin(boards: usize) -> Hall {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (mut scenario, directory) = (String::new(), path("recordings"));
        let mut config =
            format!("[station]\ndirectory = {directory:?}\nsync = \"lazy\"\n[public]\nprofile = \"standard\"\n");
        let each = boards.div_ceil(GAME_TYPES.len());
        for (index, game_type) in GAME_TYPES.iter().enumerate() {
            let variant = Variant::from_tag(game_type).unwrap();
            fs::write(path(&format!("{game_type}.pdn")), pdn(variant, &random_games(variant, each, seed(index))))
                .unwrap();
        }
        fs::create_dir(path("ports")).unwrap();
        for index in 0..boards {
            let (name, game_type) = (format!("board-{}", index + 1), GAME_TYPES[index % GAME_TYPES.len()]);
            let game = index / GAME_TYPES.len() + 1;
            scenario += &format!(
                "[[line]]\nname = {name:?}\nboard = [{{ pdn = {:?}, games = [{game}], clock = \"1500+5\" }}]\n",
                path(&format!("{game_type}.pdn"))
            );
            config += &format!(
                "[[line]]\nname = {name:?}\nport = {:?}\ngame-type = \"{game_type}\"\ntime-scale = {SPEED}.0\n",
                path("ports").join(&name)
            );
            config += &format!(
                "[line.tags]\nEvent = \"Open\"\nRound = \"3\"\nBoard = \"{0}\"\nWhite = \"White {0}\"\nBlack = \"Black {0}\"\n",
                index + 1
            );
        }
        fs::write(path("scenario.toml"), scenario).unwrap();
        let ports = path("ports").display().to_string();
        let scenario = path("scenario.toml").display().to_string();
        let boards = Boards::serve(&["--scenario", &scenario, "--ports", &ports, "--speed", SPEED]);
        wait_until("the last port", || {
            fs::read_dir(path("ports")).unwrap().count() == config.matches("[[line]]").count()
        });
        // A free address that is used again later.
        let address = free_address();
        config += &format!("[serve]\naddress = {address:?}\n");
        fs::write(path("damcast.toml"), config).unwrap();
        let station = Station::spawn(station_command(&path("damcast.toml")));
        let mut hall = Hall { folder, boards, station, address, server: None };
        let all = fs::read_dir(hall.folder.path().join("ports")).unwrap().count();
        wait_until("a move of every board", || {
            hall.read("public/events.ndjson").matches("\"type\":\"game\"").count() == all
        });
        hall.serve();
        hall
    }

    /// Starts a station at the same ports with another folder, beside its own.
    pub fn start_in(&self, directory: &str) -> Station {
        let config = fs::read_to_string(self.folder.path().join("damcast.toml")).unwrap();
        let other = format!("directory = {:?}", self.folder.path().join(directory));
        let config = config.replace(&format!("directory = {:?}", self.folder.path().join("recordings")), &other);
        let file = self.folder.path().join(format!("{directory}.toml"));
        fs::write(&file, config).unwrap();
        Station::spawn(station_command(&file))
    }

    /// Kills the station and starts it again, at the same ports and with its folder.
    pub fn restart(&mut self) {
        self.station.signal(Signal::KILL);
        self.station = Station::spawn(station_command(&self.folder.path().join("damcast.toml")));
    }

    /// Starts the server, also again.
    pub fn serve(&mut self) {
        self.server = Some(serve(&self.folder.path().join("damcast.toml")));
    }

    /// Keeps its folder for inspection.
    pub fn save_folder(self) -> PathBuf {
        self.folder.keep()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn live(&self, board: &str, game: u32) -> LiveFileContents {
        let text = self.read(&format!("live/{board}-{game}.pdn"));
        LiveFileContents::parse(game, &text).unwrap_or_else(|| panic!("the live file of {board}: {text}"))
    }

    /// Returns the moves that the players of a board are to play, by its number.
    pub fn played(&self, board: usize) -> Vec<String> {
        let index = board - 1;
        let variant = Variant::from_tag(GAME_TYPES[index % GAME_TYPES.len()]).unwrap();
        let games = random_games(variant, index / GAME_TYPES.len() + 1, seed(index % GAME_TYPES.len()));
        games.into_iter().next_back().unwrap()
    }
}
