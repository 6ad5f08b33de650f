//! The configuration: which boards there are, and where their games go.
//!
//! ```toml
//! [station]
//! directory = "recordings"
//!
//! [[line]]
//! name = "board-1"
//! port = "serial:/dev/ttyACM0"
//! game-type = "20"
//! ```
//!
//! This is its smallest form; `config/damcast.toml` shows and explains every key. A configuration is right as a whole or
//! it is an error that names file, line and key; nothing is started from a half of one. What the core obeys is checked by
//! the core ([`LineSettings::set`]), the same way as for a log.

mod bus;
mod document;
mod public;

use std::path::{Path, PathBuf};

use crate::bytelog::{BoardHeader, Header, Mode};
use crate::link::PortAddress;
use crate::playback;
use crate::session::{BusAddress, LineSettings};

pub use document::{ConfigError, Place};
use document::{Document, Table, Value};
pub use public::{OutputConfig, PublicConfig};

/// Names become names of files.
const LONGEST_NAME: usize = 64;
/// Faster than this the rounding of a millisecond becomes seconds of the game.
const LARGEST_TIME_SCALE: f64 = 10_000.0;
/// Tags that the recorder writes itself.
const OWN_TAGS: [&str; 5] = ["GameType", "Result", "FEN", "SetUp", "Date"];

/// A station.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Where logs and live files go.
    pub directory: PathBuf,
    /// The lines, in the order of the file.
    pub lines: Vec<LineConfig>,
    /// What everybody may see.
    pub public: PublicConfig,
}

/// A line.
#[derive(Clone, PartialEq, Debug)]
pub struct LineConfig {
    /// Its name; the names of its files begin with it.
    pub name: String,
    /// Where the board is.
    pub port: PortAddress,
    /// One board on the line, or a bus with many.
    pub mode: Mode,
    /// How many times faster than the clock on the wall the board is played; 1 for boards that people play on.
    pub time_scale: f64,
    /// The value of the PDN tag `GameType`.
    pub game_type: String,
    /// Tags of its games.
    pub tags: Vec<(String, String)>,
    /// What the core obeys, as far as it is not the default.
    pub settings: Vec<(String, String)>,
    /// The boards that are expected on a bus.
    pub boards: Vec<BoardConfig>,
}

/// A board of a bus.
#[derive(Clone, PartialEq, Debug)]
pub struct BoardConfig {
    /// Its address: the number in its serial number.
    pub address: BusAddress,
    /// The names of its files begin with it.
    pub name: String,
    /// The value of the PDN tag `GameType`, if it is another than that of the line.
    pub game_type: Option<String>,
    /// Tags of its games, beyond those of the line or instead of them; an empty value takes a tag away.
    pub tags: Vec<(String, String)>,
    /// What the core obeys, as far as it differs from the line.
    pub settings: Vec<(String, String)>,
}

impl LineConfig {
    /// The serial number of the board that belongs to the line, if one does.
    pub fn board(&self) -> Option<&str> {
        self.settings.iter().rev().find(|(key, _)| key == "board").map(|(_, number)| number.as_str())
    }

    /// The head of a log of this line, without its opening.
    pub fn header(&self) -> Header {
        Header {
            line: Some(self.name.clone()),
            game_type: Some(self.game_type.clone()),
            mode: Some(self.mode),
            tags: self.tags.clone(),
            settings: self.settings.clone(),
            boards: self.boards.iter().map(|board| (board.address.number(), board.header())).collect(),
            ..Header::default()
        }
    }
}

impl BoardConfig {
    fn header(&self) -> BoardHeader {
        BoardHeader {
            name: Some(self.name.clone()),
            game_type: self.game_type.clone(),
            tags: self.tags.clone(),
            settings: self.settings.clone(),
            ..BoardHeader::default()
        }
    }
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or anything in it is wrong.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let file = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Config::read(&file, &text),
            Err(error) => Err(ConfigError { file, message: error.to_string(), place: None }),
        }
    }

    /// Reads the text of a configuration. `file` is what messages call it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn read(file: &str, text: &str) -> Result<Config, ConfigError> {
        let mut top = Document::new(file, text).parse()?;
        let mut station = top.require("station", "{ directory = \"recordings\" }")?.table("[station]")?;
        let (directory, station_tags) = read_station(&mut station)?;
        station.finish()?;
        let recognition = top.take("recognition").map(|value| value.table("[recognition]")).transpose()?;
        let recognition = recognition.map(read_recognition).transpose()?.unwrap_or_default();
        let public = top.take("public").map(|value| value.table("[public]")).transpose()?;
        let public = public.map(public::read).transpose()?.unwrap_or_default();
        let lines = top.take("line").map(|value| value.tables("[[line]]")).transpose()?.unwrap_or_default();
        if lines.is_empty() {
            return Err(top.error("there is no [[line]]; each board needs one, with name, port and game-type".into()));
        }
        let mut seen = Seen::default();
        let lines = lines.into_iter().map(|line| read_line(line, &station_tags, &recognition, &mut seen));
        let lines = lines.collect::<Result<_, _>>()?;
        top.finish()?;
        Ok(Config { directory, lines, public })
    }
}

type Pairs = Vec<(String, String)>;

fn read_station(station: &mut Table) -> Result<(PathBuf, Pairs), ConfigError> {
    let directory = station.require("directory", "\"recordings\"")?;
    if directory.string()?.is_empty() {
        return Err(directory.error("`directory` is empty; \".\" is the current directory"));
    }
    let tags = station.take("tags").map(|tags| read_tags(tags, "[station.tags]")).transpose()?.unwrap_or_default();
    Ok((directory.string()?.into(), tags))
}

/// Settings of all lines. The game does not matter to them, so any will do to check them.
fn read_recognition(table: Table) -> Result<Pairs, ConfigError> {
    let mut settings = default_settings(playback::DEFAULT_GAME_TYPE).map_err(|error| table.error(error))?;
    let known: Vec<&str> = ["preset"].into_iter().chain(settings.recognition.keys()).collect();
    let mut table = table;
    let mut pairs = Pairs::new();
    for key in known {
        let Some(value) = table.take(key) else { continue };
        set(&mut settings, &value, &mut pairs)?;
    }
    table.finish()?;
    Ok(pairs)
}

/// What must not come twice.
#[derive(Default)]
struct Seen {
    names: Vec<(String, usize)>,
    buses: Vec<(String, usize)>,
    /// Address and line of those that name one port.
    ports: Vec<(PortAddress, usize)>,
    /// Board and line of those that name a board.
    boards: Vec<(String, usize)>,
    /// The line of a choice of ports without a board.
    choice: Option<usize>,
}

fn read_line(
    mut table: Table,
    station_tags: &[(String, String)],
    recognition: &[(String, String)],
    seen: &mut Seen,
) -> Result<LineConfig, ConfigError> {
    let named = table.require("name", "\"board-1\"")?;
    let name = read_name(&named, seen)?;
    let port_value = table.require("port", "\"serial:/dev/ttyACM0\"")?;
    let port = read_port(&port_value, seen)?;
    let mode = table.take("mode").map(|value| bus::read_mode(&value)).transpose()?.unwrap_or_default();
    if mode == Mode::Bus {
        bus::see_bus(&named, seen)?;
    }
    // Of a bus these are its boards; otherwise it is a setting, the serial number of the only one.
    let boards = if mode == Mode::Bus { table.take("board") } else { None };
    let game_type = table.require("game-type", "\"20\"")?;
    let mut core = default_settings(game_type.string()?).map_err(|error| game_type.error(error))?;
    let game_type = game_type.string()?.trim().to_owned();
    let time_scale = table.take("time-scale").map(|value| read_time_scale(&value)).transpose()?.unwrap_or(1.0);
    let mut settings = recognition.to_vec();
    for key in LineSettings::KEYS.into_iter().chain(LineSettings::BUS_KEYS) {
        let Some(value) = table.take(key) else { continue };
        set(&mut core, &value, &mut settings)?;
        if key == "board" {
            see_board(&value, seen)?;
        }
    }
    if core.board.is_none() && !port.is_one_port() {
        see_choice(&port_value, seen)?;
    }
    let boards = boards.map(|boards| bus::read_boards(boards, &name, &core, seen)).transpose()?;
    let own_tags = table.take("tags").map(|tags| read_tags(tags, "[line.tags]")).transpose()?.unwrap_or_default();
    let mut tags = station_tags.to_vec();
    tags.retain(|(tag, _)| own_tags.iter().all(|(own, _)| own != tag));
    tags.extend(own_tags);
    tags.retain(|(_, value)| !value.is_empty());
    table.finish()?;
    Ok(LineConfig { name, port, mode, time_scale, game_type, tags, settings, boards: boards.unwrap_or_default() })
}

fn read_name(value: &Value, seen: &mut Seen) -> Result<String, ConfigError> {
    let name = value.string()?;
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.len() > LONGEST_NAME || name.starts_with('.') || !name.bytes().all(is_safe) {
        return Err(value.error(format!(
            "`name` becomes the name of files: 1 to {LONGEST_NAME} letters, digits, `-`, `_` and `.`, no `.` in front"
        )));
    }
    // Some disks do not tell capital letters from small ones.
    if let Some((_, line)) = seen.names.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        return Err(value.error(format!("the name `{name}` is taken by the [[line]] with its name in line {line}")));
    }
    if let Some((bus, line)) = seen.buses.iter().find(|(bus, _)| bus::is_board_of(bus, name)) {
        return Err(value.error(format!(
            "the name `{name}` is that of a board of the bus `{bus}` in line {line}; its files would get mixed up with these"
        )));
    }
    seen.names.push((name.to_owned(), value.line()));
    Ok(name.to_owned())
}

fn read_port(value: &Value, seen: &mut Seen) -> Result<PortAddress, ConfigError> {
    let port: PortAddress = value.string()?.parse().map_err(|error| value.error(error))?;
    if !port.is_one_port() {
        return Ok(port);
    }
    if let Some((_, line)) = seen.ports.iter().find(|(other, _)| *other == port) {
        return Err(value.error(format!("the port {port} is used already, in line {line}; a board has one line")));
    }
    seen.ports.push((port.clone(), value.line()));
    Ok(port)
}

fn see_board(value: &Value, seen: &mut Seen) -> Result<(), ConfigError> {
    let board = value.string()?.trim_start_matches('0').to_owned();
    if let Some((_, line)) = seen.boards.iter().find(|(other, _)| *other == board) {
        return Err(value.error(format!("this board belongs to another [[line]] already, in line {line}")));
    }
    seen.boards.push((board, value.line()));
    Ok(())
}

/// Two lines that take whichever board is there would record each other's games.
fn see_choice(port: &Value, seen: &mut Seen) -> Result<(), ConfigError> {
    if let Some(line) = seen.choice.replace(port.line()) {
        return Err(port.error(format!(
            "this may be the same port as that in line {line}; give each [[line]] its `board`, a serial number"
        )));
    }
    Ok(())
}

fn read_time_scale(value: &Value) -> Result<f64, ConfigError> {
    let scale = value.number()?;
    let is_possible = scale > 0.0 && scale <= LARGEST_TIME_SCALE;
    let message = || value.error(format!("`time-scale` is a number above 0, at most {LARGEST_TIME_SCALE}"));
    if is_possible { Ok(scale) } else { Err(message()) }
}

fn read_tags(tags: Value, title: &'static str) -> Result<Pairs, ConfigError> {
    let mut pairs = Pairs::new();
    for tag in tags.table(title)?.into_values() {
        let name = tag.key.as_str();
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return Err(tag.error(format!("`{name}` is no name of a PDN tag: a letter, then letters, digits and `_`")));
        }
        if OWN_TAGS.contains(&name) {
            return Err(tag.error(format!("the tag `{name}` is written by the recorder itself")));
        }
        let value = tag.scalar()?;
        if value.chars().any(char::is_control) {
            return Err(tag.error(format!("the tag `{name}` has a control character in it; a tag is one line of text")));
        }
        pairs.push((name.to_owned(), value.trim().to_owned()));
    }
    Ok(pairs)
}

fn default_settings(game_type: &str) -> Result<LineSettings, String> {
    let header = Header { game_type: Some(game_type.to_owned()), ..Header::default() };
    playback::settings(&header, None).map(|(settings, _)| settings).map_err(|error| error.to_string())
}

/// Sets one key, and keeps it in `pairs` if that changes anything.
fn set(settings: &mut LineSettings, value: &Value, pairs: &mut Pairs) -> Result<(), ConfigError> {
    let before = settings.clone();
    let text = value.scalar()?;
    settings.set(&value.key, &text).map_err(|error| value.error(error))?;
    if *settings != before {
        pairs.push((value.key.clone(), text));
    }
    Ok(())
}
