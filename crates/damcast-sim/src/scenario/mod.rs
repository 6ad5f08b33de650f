//! Scenarios from a TOML file or a command line: boards on lines, their games, and incidents.
//!
//! ```toml
//! [[line]]
//! name = "bus"
//! faults = ["flip=0.001", "wrong-checksum"]
//! board = [{ games = [1] }, { pdn = "evening.pdn", hands = "club", serial = 1026 }]
//! incident = [{ at = 60.0, what = "unplug", for = 5.0, as = "bus-again" }]
//! ```
//!
//! Every key has a default except `what` of an incident; `config/boardsim/evening.toml` explains them all. Times are in seconds of
//! simulated time. Invariants: equal scenarios and seeds give equal boards, games and faults; an impossible value is an error with its
//! place.

mod board;
mod incident;

pub use board::BoardPlan;
pub use incident::IncidentPlan;

use std::collections::VecDeque;
use std::path::Path;

use hardware_sim::bus::{BusConfig, BusWorld};
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::profile::NoiseProfile;
use serde::Deserialize;

use super::faults::FaultSpec;
use super::games::SourceGame;
use board::Library;

/// Scenario with all its lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Scenario {
    /// Speed, as a multiple of real time.
    pub speed: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the boards start at once instead of with a host's first byte.
    pub at_once: bool,
    /// Lines of the scenario.
    pub line: Vec<LinePlan>,
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario { speed: 1.0, seed: 1, at_once: false, line: Vec::new() }
    }
}

/// Line of a scenario.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LinePlan {
    /// Name of the port, a symlink; `line-N` if omitted.
    pub name: String,
    /// TCP port instead of a pseudo-terminal; 0: any free port.
    pub tcp: Option<u16>,
    /// Faults as on the command line, see [`super::faults`].
    pub faults: Vec<String>,
    /// Boards of the line. One board: a line of its own. Several: a bus.
    pub board: Vec<BoardPlan>,
    /// Incidents of the line.
    pub incident: Vec<IncidentPlan>,
}

/// Error for an impossible scenario.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ScenarioError {
    place: String,
    message: String,
}

/// Line that is ready to be served.
#[derive(Debug)]
pub struct ReadyLine {
    /// Name of the line.
    pub name: String,
    /// TCP port of the line; `None`: a pseudo-terminal.
    pub tcp: Option<u16>,
    /// Boards of the line.
    pub world: BusWorld,
    /// Games of each board.
    pub games: Vec<Vec<SourceGame>>,
    /// Names under which the port returns, one per time.
    pub names: VecDeque<Option<String>>,
}

impl Scenario {
    /// Parses a scenario; `file` is its name in errors.
    ///
    /// # Errors
    ///
    /// Returns an error with its place if the text is not TOML or has an unknown key.
    pub fn from_toml(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
        toml::from_str(text).map_err(|error| ScenarioError { place: file.to_owned(), message: error.to_string() })
    }

    /// Creates the lines. Paths of game files are relative to `folder`.
    ///
    /// # Errors
    ///
    /// Names the file that cannot be read, the game that does not exist, or the invalid value.
    pub fn lines(&self, folder: &Path) -> Result<Vec<ReadyLine>, ScenarioError> {
        let mut library = Library::default();
        let mut ready: Vec<ReadyLine> = Vec::new();
        for (index, line) in self.line.iter().enumerate() {
            let name = if line.name.is_empty() { format!("line-{}", index + 1) } else { line.name.clone() };
            if ready.iter().any(|other| other.name == name) {
                return Err(ScenarioError {
                    place: format!("line {name}"),
                    message: "there are two of this name".to_owned(),
                });
            }
            let seed = self.seed.wrapping_add(1_000 * index as u64);
            let made = line.to_line(name.clone(), seed, folder, &mut library);
            ready.push(made.map_err(|problem| ScenarioError { place: format!("line {name}"), message: problem })?);
        }
        Ok(ready)
    }
}

impl LinePlan {
    fn to_line(&self, name: String, seed: u64, folder: &Path, library: &mut Library) -> Result<ReadyLine, String> {
        if name.contains('/') {
            return Err("a name cannot contain a slash".to_owned());
        }
        if self.board.is_empty() {
            return Err("it has no board".to_owned());
        }
        let asked: Vec<FaultSpec> = self.faults.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
        let mut setting = BusConfig::new(Vec::new(), seed);
        let drawn = hardware_sim::bus::serials(self.board.len(), seed);
        let mut played = Vec::new();
        for (index, (board, serial)) in self.board.iter().zip(drawn).enumerate() {
            let place = |message: String| format!("board {}: {message}", index + 1);
            let mut hands: NoiseProfile = parse(&board.hands).map_err(place)?;
            let (mut to_host, mut to_boards) = Default::default();
            asked.iter().for_each(|asked| asked.apply(&mut to_host, &mut to_boards, &mut hands));
            (setting.faults_to_host, setting.faults_to_boards) = (to_host, to_boards);
            let games = board.played(index, folder, library).map_err(place)?;
            let seat = board.seat(&games, hands, serial, seed.wrapping_add(index as u64)).map_err(place)?;
            setting.seats.push(seat);
            played.push(games);
            if board.absent {
                setting.incidents.push(Incident::new(0, IncidentKind::BoardDisconnected(index)));
            }
        }
        let mut names: Vec<(u64, Option<String>)> = Vec::new();
        for (index, incident) in self.incident.iter().enumerate() {
            let known_variant =
                incident.incidents(self.board.len()).map_err(|message| format!("incident {}: {message}", index + 1))?;
            let plugs = known_variant.iter().filter(|incident| incident.kind == IncidentKind::Plug);
            names.extend(plugs.map(|plug| (plug.at_ms, incident.name.clone())));
            setting.incidents.extend(known_variant);
        }
        names.sort_by_key(|(at_ms, _)| *at_ms);
        let names = names.into_iter().map(|(_, name)| name).collect();
        let world = BusWorld::new(setting).map_err(|error| error.to_string())?;
        Ok(ReadyLine { name, tcp: self.tcp, world, games: played, names })
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
    fn scenario_becomes_lines() {
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
        assert_eq!(bus.games[1].iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [10, 10]);
        assert_eq!(bus.names, [Some("again".to_owned())]);
        bus.world.advance(2_000);
        assert!(!bus.world.is_on_line(2) && bus.world.is_on_line(0));
        assert!(!bus.world.seats()[1].board().is_powered());
    }

    #[test]
    fn refuses_impossible_values_with_place() {
        let cases = [
            ("[[line]]\nname = \"a\"", "line a: it has no board"),
            ("[[line]]\nboard = [{ games = [99] }]", "line line-1: board 1: there is no game 99"),
            ("[[line]]\nboard = [{ hands = \"steady\" }]", "board 1: no profile is called"),
            ("[[line]]\nboard = [{}]\nfaults = [\"rain\"]", "rain"),
            ("[[line]]\nboard = [{}]\nincident = [{ what = \"away\", board = 2 }]", "incident 1: board = 2"),
            ("[[line]]\nboard = [{}]\nincident = [{ at = -1, what = \"unplug\" }]", "at = -1"),
            ("[[line]]\nboard = [{}]\nincident = [{ what = \"watchdog\", board = 1, for = 2 }]", "`for` means nothing"),
            ("[[line]]\nboard = [{ answer-ms = -1 }]", "answer-ms = -1"),
            ("[[line]]\nboard = [{ pdn = \"/nowhere.pdn\" }]", "/nowhere.pdn"),
            ("[[line]]\nboard = [{}]\n[[line]]\nname = \"line-1\"\nboard = [{}]", "two of this name"),
            ("lines = 3", "lines"),
        ];
        for (text, expected_problem) in cases {
            let error = lines(text).map(|lines| lines.len()).unwrap_err();
            assert!(error.contains(expected_problem), "{text}: {error}");
        }
    }
}
