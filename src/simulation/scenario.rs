//! Scenarios: which boards hang on which lines, what is played on them, and what befalls them; from a TOML file or a command line.
//!
//! ```toml
//! [[line]]
//! name = "bus"
//! faults = ["flip=0.001", "wrong-checksum"]
//! board = [{ games = [1] }, { pdn = "evening.pdn", hands = "club", serial = 1026 }]
//! incident = [{ at = 60.0, what = "unplug", for = 5.0, as = "bus-again" }]
//! ```
//!
//! Every key has a default but `what` of an incident; `config/examples/boardsim.toml` explains them all. Times are in seconds of the
//! boards' own life. Invariants: the same scenario and seed give the same boards, games and faults; what cannot be had is
//! refused with the place where it stands.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use hardware_sim::board::{BoardOptions, Numbering};
use hardware_sim::bus::{BusSetting, BusWorld};
use hardware_sim::clock::TimeControl;
use hardware_sim::incident::{Incident, Mishap};
use hardware_sim::profile::Profile;
use hardware_sim::scanner::ScanMode;
use hardware_sim::script::Before;
use hardware_sim::seat::Setting;
use serde::Deserialize;

use super::faults::Asked;
use super::score::Played;
use super::{games, script};
use crate::rules::Variant;

/// All lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Scenario {
    /// How many times as fast as life.
    pub speed: f64,
    /// Everything random comes from it.
    pub seed: u64,
    /// The boards live from the start on, not from a host's first byte.
    pub at_once: bool,
    /// The lines.
    pub line: Vec<LinePlan>,
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario { speed: 1.0, seed: 1, at_once: false, line: Vec::new() }
    }
}

/// One line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LinePlan {
    /// The name of its port, a symlink; `line-N` when there is none.
    pub name: String,
    /// A TCP port instead of a pseudo-terminal; 0: any that is free.
    pub tcp: Option<u16>,
    /// As on the command line, see [`super::faults`].
    pub faults: Vec<String>,
    /// One board: a line of its own. Several: a bus.
    pub board: Vec<BoardPlan>,
    /// What befalls it.
    pub incident: Vec<IncidentPlan>,
}

/// One board and what is played on it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct BoardPlan {
    /// The file with its games; the demonstration's if left out.
    pub pdn: Option<PathBuf>,
    /// Which of them, from 1 (of those that can be played to their end), one after another; the board's own number if empty.
    pub games: Vec<usize>,
    /// Where it begins to count instead, when no games are named: the next ones are dealt out from here.
    #[serde(skip)]
    pub deal: Option<usize>,
    /// The game type, for a file that does not say.
    pub game_type: Option<String>,
    /// Only so many plies of each game.
    pub plies: Option<usize>,
    /// Base time and increment in seconds; `none`: no clock.
    pub clock: String,
    /// How people play: ideal, calm, club or blitz.
    pub hands: String,
    /// The connector is on White's right.
    pub turned: bool,
    /// What stands there before: ready, empty or half.
    pub before: String,
    /// The serial number, which is the bus address, too; drawn if left out.
    pub serial: Option<u32>,
    /// Which squares are scanned: all, dark or light; the dark ones of a board of more than 128, all of others, if left out.
    pub scan: Option<String>,
    /// How half-scanning boards count: all-fields or scanned-fields.
    pub numbering: Option<String>,
    /// Events of earlier games in the memory; 4000 fill it.
    pub old_events: u32,
    /// The board is not there until an incident `back`.
    pub absent: bool,
}

impl Default for BoardPlan {
    fn default() -> BoardPlan {
        BoardPlan {
            pdn: None,
            games: Vec::new(),
            deal: None,
            game_type: None,
            plies: None,
            clock: "4800+60".to_owned(),
            hands: "ideal".to_owned(),
            turned: false,
            before: "ready".to_owned(),
            serial: None,
            scan: None,
            numbering: None,
            old_events: 0,
            absent: false,
        }
    }
}

/// Something that befalls a line or a board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IncidentPlan {
    /// When, in seconds.
    #[serde(default)]
    pub at: f64,
    /// unplug, silence, hold, deafen, babble; power-off, away, watchdog (of a board); or one of their ends: plug, sound, release,
    /// hear, power-on, back.
    pub what: String,
    /// After so many seconds its end comes by itself.
    #[serde(rename = "for")]
    pub lasts: Option<f64>,
    /// Which board, from 1.
    pub board: Option<usize>,
    /// The name under which an unplugged port comes back; another number of a TCP port.
    #[serde(rename = "as")]
    pub name: Option<String>,
}

/// A scenario that cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct ScenarioError {
    place: String,
    what: String,
}

/// One line, ready to be served.
#[derive(Debug)]
pub struct ReadyLine {
    /// Its name.
    pub name: String,
    /// The TCP port at which it is served; a pseudo-terminal if there is none.
    pub tcp: Option<u16>,
    /// The boards.
    pub world: BusWorld,
    /// What is played on each of them.
    pub played: Vec<Vec<Played>>,
    /// The names under which the port comes back, one for each time.
    pub names: VecDeque<Option<String>>,
}

/// Games of files, each file read once.
#[derive(Debug, Default)]
struct Library {
    files: BTreeMap<(Option<PathBuf>, Option<String>), Vec<Played>>,
}

impl Library {
    fn games(&mut self, pdn: Option<&Path>, game_type: Option<&str>) -> Result<&[Played], String> {
        let key = (pdn.map(Path::to_owned), game_type.map(str::to_owned));
        if !self.files.contains_key(&key) {
            let told = game_type.map(Variant::from_tag).transpose().map_err(|error| error.to_string())?;
            let (name, text) = match pdn {
                None => ("the demonstration".to_owned(), games::DEMONSTRATION.to_owned()),
                Some(path) => (path.display().to_string(), read(path)?),
            };
            let played = games::from_pdn(&name, &text, told, None).map_err(|error| error.to_string())?;
            self.files.insert(key.clone(), played);
        }
        Ok(self.files.get(&key).map_or(&[], Vec::as_slice))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect()))
}

impl Scenario {
    /// Reads a scenario; `file` is its name in complaints.
    ///
    /// # Errors
    ///
    /// When it is not TOML, or has a key that does not exist; says where.
    pub fn from_toml(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
        toml::from_str(text).map_err(|error| ScenarioError { place: file.to_owned(), what: error.to_string() })
    }

    /// Makes the lines. Files of games are looked for beside `folder`.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, a game does not exist, or a value has no meaning; says which.
    pub fn lines(&self, folder: &Path) -> Result<Vec<ReadyLine>, ScenarioError> {
        let mut library = Library::default();
        let mut ready: Vec<ReadyLine> = Vec::new();
        for (index, line) in self.line.iter().enumerate() {
            let name = if line.name.is_empty() { format!("line-{}", index + 1) } else { line.name.clone() };
            if ready.iter().any(|other| other.name == name) {
                return Err(ScenarioError {
                    place: format!("line {name}"),
                    what: "there are two of this name".to_owned(),
                });
            }
            let seed = self.seed.wrapping_add(1_000 * index as u64);
            let made = line.ready(name.clone(), seed, folder, &mut library);
            ready.push(made.map_err(|what| ScenarioError { place: format!("line {name}"), what })?);
        }
        Ok(ready)
    }
}

impl LinePlan {
    fn ready(&self, name: String, seed: u64, folder: &Path, library: &mut Library) -> Result<ReadyLine, String> {
        if name.contains('/') {
            return Err("a name cannot contain a slash".to_owned());
        }
        if self.board.is_empty() {
            return Err("it has no board".to_owned());
        }
        let asked: Vec<Asked> = self.faults.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
        let mut setting = BusSetting::new(Vec::new(), seed);
        let drawn = hardware_sim::bus::serials(self.board.len(), seed);
        let mut played = Vec::new();
        for (index, (board, serial)) in self.board.iter().zip(drawn).enumerate() {
            let place = |what: String| format!("board {}: {what}", index + 1);
            let mut hands: Profile = parse(&board.hands).map_err(place)?;
            let (mut to_host, mut to_boards) = Default::default();
            asked.iter().for_each(|asked| asked.apply(&mut to_host, &mut to_boards, &mut hands));
            (setting.to_host, setting.to_boards) = (to_host, to_boards);
            let games = board.played(index, folder, library).map_err(place)?;
            let seat = board.seat(&games, hands, serial, seed.wrapping_add(index as u64)).map_err(place)?;
            setting.seats.push(seat);
            played.push(games);
            if board.absent {
                setting.incidents.push(Incident::new(0, Mishap::Away(index)));
            }
        }
        let mut names: Vec<(u64, Option<String>)> = Vec::new();
        for (index, incident) in self.incident.iter().enumerate() {
            let told =
                incident.incidents(self.board.len()).map_err(|what| format!("incident {}: {what}", index + 1))?;
            let plugs = told.iter().filter(|incident| incident.what == Mishap::Plug);
            names.extend(plugs.map(|plug| (plug.at_ms, incident.name.clone())));
            setting.incidents.extend(told);
        }
        names.sort_by_key(|(at_ms, _)| *at_ms);
        let names = names.into_iter().map(|(_, name)| name).collect();
        let world = BusWorld::new(setting).map_err(|error| error.to_string())?;
        Ok(ReadyLine { name, tcp: self.tcp, world, played, names })
    }
}

impl BoardPlan {
    fn played(&self, index: usize, folder: &Path, library: &mut Library) -> Result<Vec<Played>, String> {
        let pdn = self.pdn.as_ref().map(|pdn| folder.join(pdn));
        let all = library.games(pdn.as_deref(), self.game_type.as_deref())?;
        let wanted = if self.games.is_empty() {
            vec![self.deal.unwrap_or(index) % all.len().max(1) + 1]
        } else {
            self.games.clone()
        };
        let game = |number: usize| {
            let game = number.checked_sub(1).and_then(|index| all.get(index));
            let mut game =
                game.cloned().ok_or_else(|| format!("there is no game {number}; {} can be played", all.len()))?;
            game.moves.truncate(self.plies.unwrap_or(usize::MAX));
            Ok(game)
        };
        wanted.into_iter().map(game).collect()
    }

    fn seat(&self, played: &[Played], hands: Profile, serial: u32, seed: u64) -> Result<Setting, String> {
        let control: Option<TimeControl> = match self.clock.as_str() {
            "none" => None,
            text => Some(parse(text)?),
        };
        let sizes = played.iter().map(|game| {
            let geometry = &game.start.variant().geometry;
            (geometry.height() as u8, geometry.width() as u8)
        });
        let (rows, cols) = sizes.clone().next().ok_or("it has no game")?;
        if sizes.clone().any(|size| size != (rows, cols)) {
            return Err("its games are played on boards of different sizes".to_owned());
        }
        let before = match self.before.as_str() {
            "ready" => Before::Ready,
            "empty" => Before::Empty,
            "half" => Before::Half,
            other => return Err(format!("before = {other:?}: expected ready, empty or half")),
        };
        let scripts = played.iter().enumerate().map(|(index, game)| {
            let script = script::game(&game.start, &game.moves, control, &hands, seed.wrapping_add(index as u64));
            hardware_sim::script::Game { before: before.clone(), ..script.turned(self.turned) }
        });
        let mut setting =
            Setting { rows, cols, games: scripts.collect(), profile: hands, seed, board: None, outages: Vec::new() };
        let mut board =
            BoardOptions { serial: self.serial.unwrap_or(serial), old_events: self.old_events, ..setting.draw_board() };
        board.long_serial = 3_000_000_000 + u64::from(board.serial);
        if !(1..=99_999).contains(&board.serial) {
            return Err(format!("serial = {}: a serial number has five digits", board.serial));
        }
        match self.scan.as_deref() {
            None => {}
            Some("all") => board.scan = ScanMode::All,
            Some("dark") => board.scan = ScanMode::Dark,
            Some("light") => board.scan = ScanMode::Light,
            Some(other) => return Err(format!("scan = {other:?}: expected all, dark or light")),
        }
        match self.numbering.as_deref() {
            None => {}
            Some("all-fields") => board.numbering = Numbering::AllFields,
            Some("scanned-fields") => board.numbering = Numbering::ScannedFields,
            Some(other) => return Err(format!("numbering = {other:?}: expected all-fields or scanned-fields")),
        }
        setting.board = Some(board);
        Ok(setting)
    }
}

impl IncidentPlan {
    fn incidents(&self, boards: usize) -> Result<Vec<Incident>, String> {
        /// A day: longer than any tournament, and far from where times would overflow.
        const LONGEST_S: f64 = 86_400.0;
        let ms = |seconds: f64, name: &str| {
            let fits = (0.0..=LONGEST_S).contains(&seconds);
            fits.then(|| (seconds * 1000.0).round() as u64)
                .ok_or_else(|| format!("{name} = {seconds}: expected 0 to {LONGEST_S} s"))
        };
        let at_ms = ms(self.at, "at")?;
        let lasts_ms = self.lasts.map(|lasts| ms(lasts, "for")).transpose()?;
        let board = || {
            let board = self.board.ok_or_else(|| format!("{} needs `board`", self.what))?;
            let index = board.checked_sub(1).filter(|index| *index < boards);
            index.ok_or_else(|| format!("board = {board}: the line has {boards}"))
        };
        let (begin, end) = match self.what.as_str() {
            "unplug" => (Mishap::Unplug, Some(Mishap::Plug)),
            "plug" => (Mishap::Plug, None),
            "silence" => (Mishap::Silence, Some(Mishap::Sound)),
            "sound" => (Mishap::Sound, None),
            "hold" => (Mishap::Hold, Some(Mishap::Release)),
            "release" => (Mishap::Release, None),
            "deafen" => (Mishap::Deafen, Some(Mishap::Hear)),
            "hear" => (Mishap::Hear, None),
            "power-off" => (Mishap::PowerOff(board()?), Some(Mishap::PowerOn(board()?))),
            "power-on" => (Mishap::PowerOn(board()?), None),
            "away" => (Mishap::Away(board()?), Some(Mishap::Back(board()?))),
            "back" => (Mishap::Back(board()?), None),
            "watchdog" => (Mishap::Watchdog(board()?), None),
            "babble" => return Ok(vec![Incident::new(at_ms, Mishap::Babble(lasts_ms.unwrap_or(1_000) as u32))]),
            other => return Err(format!("what = {other:?}: no such incident")),
        };
        let mut incidents = vec![Incident::new(at_ms, begin)];
        if let Some(lasts_ms) = lasts_ms {
            let end = end.ok_or_else(|| format!("{} has no end, so `for` means nothing", self.what))?;
            incidents.push(Incident::new(at_ms + lasts_ms, end));
        }
        Ok(incidents)
    }
}

fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<ReadyLine>, String> {
        let scenario = Scenario::from_toml("x.toml", text).map_err(|error| error.to_string())?;
        scenario.lines(Path::new(".")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_scenario_becomes_lines() {
        let text = r#"
            seed = 7
            [[line]]
            name = "bus"
            faults = ["flip=0.001", "to-boards:lose@9", "slide=0.5"]
            board = [{ serial = 1025 }, { games = [3, 1], plies = 10, clock = "none", turned = true }, { absent = true }]
            incident = [
                { at = 60, what = "unplug", for = 5, as = "again" },
                { at = 1, what = "power-off", for = 2.5, board = 2 },
            ]
            [[line]]
            tcp = 0
            board = [{ scan = "dark", numbering = "scanned-fields", old-events = 4000 }]
        "#;
        let mut lines = lines(text).unwrap();
        assert_eq!(lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["bus", "line-2"]);
        let bus = &mut lines[0];
        assert_eq!(bus.world.addresses()[0], 1025);
        assert_eq!(bus.played[1].iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [10, 10]);
        assert_eq!(bus.names, [Some("again".to_owned())]);
        bus.world.advance(2_000);
        assert!(!bus.world.is_on_line(2) && bus.world.is_on_line(0));
        assert!(!bus.world.seats()[1].board().is_powered());
    }

    #[test]
    fn what_cannot_be_had_is_refused_with_its_place() {
        let cases = [
            ("[[line]]\nname = \"a\"", "line a: it has no board"),
            ("[[line]]\nboard = [{ games = [99] }]", "line line-1: board 1: there is no game 99"),
            ("[[line]]\nboard = [{ hands = \"steady\" }]", "board 1: no profile is called"),
            ("[[line]]\nboard = [{}]\nfaults = [\"rain\"]", "rain"),
            ("[[line]]\nboard = [{}]\nincident = [{ what = \"away\", board = 2 }]", "incident 1: board = 2"),
            ("[[line]]\nboard = [{}]\nincident = [{ at = -1, what = \"unplug\" }]", "at = -1"),
            ("[[line]]\nboard = [{}]\nincident = [{ what = \"watchdog\", board = 1, for = 2 }]", "`for` means nothing"),
            ("[[line]]\nboard = [{ pdn = \"/nowhere.pdn\" }]", "/nowhere.pdn"),
            ("[[line]]\nboard = [{}]\n[[line]]\nname = \"line-1\"\nboard = [{}]", "two of this name"),
            ("lines = 3", "lines"),
        ];
        for (text, what) in cases {
            let error = lines(text).map(|lines| lines.len()).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
