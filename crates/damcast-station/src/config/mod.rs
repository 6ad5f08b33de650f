//! Configuration of a station: its boards and the folders of their games.
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
//! This is the minimum; `config/damcast.toml` explains every key. Reading returns a valid configuration, or all errors with file,
//! line and key; a partly invalid one starts nothing. The core checks its own settings ([`LineSettings::set`]), as for a log.
//!
//! | file | subject |
//! |---|---|
//! | [`keys`] | all keys, one row each, with the type of the value |
//! | [`mod@reference`] | purpose and default of each key: the annotated file |
//! | [`sources`] | the file, its drop-ins, the environment and `setup.toml`, merged |
//! | [`setup`] | `setup.toml`, and the keys that it may set |
//! | `document`, `value` | texts with locations, read key by key |
//! | [`schema`], [`show`] | the JSON Schema; the effective configuration |

mod bus;
mod deliver;
mod desk;
mod document;
pub mod draft;
mod entry;
mod hub;
pub mod keys;
mod operation;
mod outlet;
pub mod reference;
pub mod schema;
mod serve;
pub mod setup;
pub mod show;
pub mod sources;
mod value;

use std::path::{Path, PathBuf};

use damcast_control::escape;
use damcast_engine::broadcast::Delay;
use damcast_engine::bytelog::{BoardHeader, Header, Mode};
use damcast_engine::session::{self, BusAddress, LineSettings};

use crate::disk::Durability;
use crate::link::PortAddress;

pub use deliver::{DeliverConfig, DeliveryConfig};
pub use desk::DeskConfig;
use document::SourceLine;
pub use document::{ConfigError, ConfigErrors, ConfigLocation};
pub use entry::{EntryConfig, EntryPageConfig};
pub use hub::{HallConfig, HallSource, HubConfig};
use keys::Section;
pub use operation::{AlarmConfig, ControlConfig, TournamentConfig};
pub use outlet::{OutletConfig, PUBLIC, SuspendedOutlet};
pub use serve::ServeConfig;
pub use sources::{SocketCandidates, Sources};
use value::{ConfigTable, Value};

/// Path of the configuration of an installed station.
pub const DEFAULT_PATH: &str = "/etc/damcast/damcast.toml";
/// Name of the configuration that `damcast start` writes; `status` and `ctl` look for it in the current folder.
pub const LOCAL_FILE: &str = "damcast.toml";

/// Maximum length of a name, which becomes part of file names.
const MAX_NAME_LEN: usize = 64;
/// Tags that the recorder writes itself.
const RESERVED_TAGS: [&str; 5] = ["GameType", "Result", "FEN", "SetUp", "Date"];

/// Configuration of a station.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Folder of logs and live files.
    pub directory: PathBuf,
    /// Lines, in the order of the file.
    pub lines: Vec<LineConfig>,
    /// Name of the station in events; `None` for the previous name or that of the machine.
    pub name: Option<String>,
    /// Valid outlets, `public` first if it is valid.
    pub outlets: Vec<OutletConfig>,
    /// Outlets with invalid tables; always empty unless read with [`Config::load_for_recording`].
    pub suspended_outlets: Vec<SuspendedOutlet>,
    /// Whether a line of a live file is durable before readers see it.
    pub durability: Durability,
    /// Access for operators.
    pub control: ControlConfig,
    /// Access for the page of tables without electronic boards.
    pub entry: EntryConfig,
    /// Boards of a tournament.
    pub tournament: TournamentConfig,
    /// Alarm settings.
    pub alarm: AlarmConfig,
    /// Patterns of ports at which the desk looks for boards, besides the USB ports.
    pub port_patterns: Vec<String>,
}

/// Configuration of a line.
#[derive(Clone, PartialEq, Debug)]
pub struct LineConfig {
    /// Name and prefix of its files.
    pub name: String,
    /// Address of the port; `None` for a board without electronics.
    pub port: Option<PortAddress>,
    /// One board, a bus with several, or a board without electronics.
    pub mode: Mode,
    /// Speed of the board as a multiple of real time; 1 for boards that people play on.
    pub time_scale: f64,
    /// Value of the PDN tag `GameType`.
    pub game_type: String,
    /// Tags of its games.
    pub tags: Vec<(String, String)>,
    /// Core settings that differ from the defaults.
    pub settings: Vec<(String, String)>,
    /// Boards expected on a bus.
    pub boards: Vec<BoardConfig>,
    /// Log settings.
    pub logs: LogConfig,
}

/// Log settings of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LogConfig {
    /// Age in hours at which a chain of logs ends, as soon as no game is running; 0 for no limit.
    pub rotate_hours: u32,
    /// Whether the logs of ended chains are compressed.
    pub compress: bool,
    /// Days to keep a chain after its end; 0 for ever.
    pub keep_days: u32,
}

/// Board of a bus.
#[derive(Clone, PartialEq, Debug)]
pub struct BoardConfig {
    /// Address: the number in its serial number.
    pub address: BusAddress,
    /// Prefix of its files.
    pub name: String,
    /// Value of the PDN tag `GameType`, if it differs from the line's.
    pub game_type: Option<String>,
    /// Tags of its games, which extend or replace those of the line; an empty value removes a tag.
    pub tags: Vec<(String, String)>,
    /// Core settings that differ from the line's.
    pub settings: Vec<(String, String)>,
}

impl LineConfig {
    /// Returns the address of the port, or how the moves come without one.
    pub fn port_name(&self) -> String {
        self.port.as_ref().map_or_else(|| "entered by hand".to_owned(), PortAddress::to_string)
    }

    /// Returns the serial number of the line's board, if configured.
    pub fn board(&self) -> Option<&str> {
        self.settings.iter().rev().find(|(key, _)| key == "board").map(|(_, number)| number.as_str())
    }

    /// Returns the header of a log of this line, without its opening.
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
    /// Reads a configuration file with its drop-ins, the environment and `setup.toml`.
    ///
    /// # Errors
    ///
    /// Returns all errors: unreadable files and invalid content.
    pub fn load(path: &Path) -> Result<Config, ConfigErrors> {
        Sources::load(path)?.read()
    }

    /// Reads a configuration for recording: suspends outlets with invalid tables.
    ///
    /// # Errors
    ///
    /// Returns all errors except those of outlets.
    pub fn load_for_recording(path: &Path) -> Result<Config, ConfigErrors> {
        Sources::load(path)?.read_for_recording()
    }

    /// Reads a configuration for a start. Ignores `setup.toml` if it alone is wrong, and returns its errors as well.
    ///
    /// # Errors
    ///
    /// Returns all other errors except those of outlets.
    pub fn load_for_start(path: &Path) -> Result<(Config, Option<ConfigErrors>), ConfigErrors> {
        match Config::load_for_recording(path) {
            Ok(config) => Ok((config, None)),
            Err(errors) => match Sources::from_file(path)?.with_environment(environment()).read_for_recording() {
                Ok(config) => Ok((config, Some(errors))),
                Err(_) => Err(errors),
            },
        }
    }

    /// Returns what is allowed and still looks like a typing error: a tag that nearly has the name of a known one, and the name of a port of
    /// Windows. A station records with it; only a check reports it.
    pub fn likely_typos(&self) -> Vec<String> {
        let mut found = Vec::new();
        for line in &self.lines {
            let tags = line.tags.iter().chain(line.boards.iter().flat_map(|board| &board.tags));
            for (tag, _) in tags {
                if let Some(meant) = meant_tag(tag) {
                    found.push(format!("{}: the tag `{tag}`: did you mean `{meant}`?", line.name));
                }
            }
            if let Some(PortAddress::Serial(path)) = &line.port
                && let Some(name) = path.file_name().and_then(|name| name.to_str())
                && is_windows_port(name)
            {
                let example = "\"serial:/dev/ttyUSB0\"; `damcast ports` lists them";
                found.push(format!(
                    "{}: {name} is a port of Windows; here a port is a path such as {example}",
                    line.name
                ));
            }
        }
        found.dedup();
        found
    }

    /// Whether an outlet is delayed; then other users of the machine must not read the recordings.
    pub fn has_delay(&self) -> bool {
        self.outlets.iter().any(|outlet| outlet.delay != Delay::NO_DELAY)
            || self.suspended_outlets.iter().any(|held| held.has_delay)
    }

    /// Resolves relative paths against a folder.
    fn with_base(mut self, base: &Path) -> Config {
        let place = |path: &mut PathBuf| *path = base.join(&*path);
        place(&mut self.directory);
        self.control.socket.iter_mut().chain(&mut self.entry.socket).for_each(place);
        self.port_patterns.iter_mut().for_each(|pattern| *pattern = base.join(&*pattern).display().to_string());
        for line in &mut self.lines {
            match &mut line.port {
                Some(PortAddress::Serial(path)) => place(path),
                Some(PortAddress::Any(patterns)) => {
                    patterns.iter_mut().for_each(|path| *path = base.join(&*path).display().to_string());
                }
                Some(PortAddress::Usb(_) | PortAddress::Tcp(_) | PortAddress::Rfc2217 { .. }) | None => {}
            }
        }
        // A program without a slash is searched in `PATH`.
        if let Some(program) = self.alarm.command.first_mut().filter(|program| program.contains('/')) {
            *program = base.join(&*program).display().to_string();
        }
        self
    }

    /// Reads the text of a configuration. `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors.
    pub fn read(file: &str, text: &str) -> Result<Config, ConfigErrors> {
        Sources::from_text(file, text).read()
    }
}

/// Tags of the standard that a configuration may set.
const KNOWN_TAGS: [&str; 14] = [
    "Event",
    "Site",
    "Round",
    "White",
    "Black",
    "WhiteTitle",
    "BlackTitle",
    "WhiteRating",
    "BlackRating",
    "WhiteTeam",
    "BlackTeam",
    "TimeControl",
    "Annotator",
    "Section",
];

/// Returns the known tag that a name nearly is; `None` if it is known, or like none.
fn meant_tag(name: &str) -> Option<&'static str> {
    if KNOWN_TAGS.contains(&name) {
        return None;
    }
    let is_near = |known: &&str| known.eq_ignore_ascii_case(name) || known.len() > 4 && value::is_typo(known, name);
    KNOWN_TAGS.into_iter().find(is_near)
}

/// Whether this is the name of a serial port of Windows, such as `COM3`.
fn is_windows_port(name: &str) -> bool {
    let digits = name.get(..3).filter(|start| start.eq_ignore_ascii_case("COM")).and_then(|_| name.get(3..));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Returns the environment variables that are valid UTF-8.
pub fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// Treatment of invalid outlets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InvalidOutlets {
    /// The whole configuration is refused.
    Refuse,
    /// The station records, and these outlets are suspended.
    Suspend,
}

/// Reads the outermost table and records its errors; returns `None` if it is invalid. `of_outlets`: errors of outlets in the environment.
fn read_config(
    mut top: ConfigTable,
    of_outlets: Vec<(String, ConfigError)>,
    when_outlets_are_wrong: InvalidOutlets,
) -> Option<Config> {
    let station =
        top.required("station", "{ directory = \"recordings\" }", |value| value.clone().table(Section::Station));
    let StationTable { directory, name, tags: station_tags, durability, port_patterns } =
        station.map(read_station).unwrap_or_default();
    let recognition = read_recognition(top.section(Section::Recognition)).unwrap_or_default();
    let (outlets, mut held) = outlet::read(&mut top, of_outlets);
    if when_outlets_are_wrong == InvalidOutlets::Refuse {
        // They record their errors.
        serve::read(top.clone());
        desk::read(top.clone());
        deliver::read(top.clone());
        entry::read_page(top.clone());
        if hub::directory(&top).is_some() {
            hub::read(top.clone());
        }
        held.drain(..).flat_map(|held| held.errors.0).for_each(|error| top.record(error));
    }
    // Recording does not use the tables of the pages, the desk, the hub and deliveries.
    for table in ["serve", "desk", "hub", "deliver"] {
        top.take(table);
    }
    let logs = read_logs(top.section(Section::Log));
    let control = operation::read_control(top.section(Section::Control));
    let entry = entry::read(top.section(Section::Entry));
    let tournament = operation::read_tournament(top.section(Section::Tournament));
    let alarm = operation::read_alarm(top.section(Section::Alarm));
    let lines = top.take("line");
    let mut seen = UniqueValues::default();
    let mut configs = Vec::new();
    match lines.map(|lines| lines.tables(Section::Line)) {
        Some(Ok(lines)) => {
            configs.extend(lines.into_iter().map(|line| read_line(line, &station_tags, &recognition, &mut seen)));
        }
        Some(Err(error)) => top.record(error),
        None => {}
    }
    top.reject_unknown();
    let lines = configs.into_iter().collect::<Option<Vec<LineConfig>>>()?;
    let lines = lines.into_iter().map(|line| LineConfig { logs, ..line }).collect();
    Some(Config {
        directory: directory?,
        lines,
        name,
        outlets,
        suspended_outlets: held,
        durability,
        control,
        entry,
        tournament,
        alarm,
        port_patterns,
    })
}

type Pairs = Vec<(String, String)>;

/// Contents of `[station]`.
#[derive(Default)]
struct StationTable {
    directory: Option<PathBuf>,
    name: Option<String>,
    tags: Pairs,
    durability: Durability,
    port_patterns: Vec<String>,
}

fn read_station(mut station: ConfigTable) -> StationTable {
    let directory = station.required("directory", "\"recordings\"", |directory| match directory.string()? {
        "" => Err(directory.error("`directory` is empty; \".\" is the folder of the configuration")),
        path => Ok(path.into()),
    });
    let name = station.read("name", |name| match name.string()? {
        word if outlet::is_name(word, MAX_NAME_LEN) => Ok(word.to_owned()),
        _ => Err(name.error(format!(
            "`name` is a plain word: 1 to {MAX_NAME_LEN} letters, digits, `-`, `_` and `.`, no `.` in front"
        ))),
    });
    let tags = station.read("tags", |tags| read_tags(tags, "[station.tags]")).unwrap_or_default();
    let durability = read_durability(&mut station);
    let port_patterns = station.read("ports", Value::strings);
    station.reject_unknown();
    StationTable { directory, name, tags, durability, port_patterns: port_patterns.unwrap_or_default() }
}

/// Reads the recognition settings of all lines. They are checked with the default game, because they do not depend on it.
fn read_recognition(mut table: ConfigTable) -> Option<Pairs> {
    let settings = default_settings(session::DEFAULT_GAME_TYPE);
    let mut settings = settings.map_err(|error| table.record(table.error(error))).ok()?;
    let known: Vec<&str> = ["preset"].into_iter().chain(settings.recognition.keys()).collect();
    let mut pairs = Pairs::new();
    for key in known {
        table.read(key, |value| set(&mut settings, value, &mut pairs));
    }
    table.reject_unknown();
    Some(pairs)
}

fn read_logs(mut table: ConfigTable) -> LogConfig {
    let logs = LogConfig {
        rotate_hours: table.whole("rotate-hours").unwrap_or_default() as u32,
        compress: table.switch("compress").unwrap_or_default(),
        keep_days: table.whole("keep-days").unwrap_or_default() as u32,
    };
    table.reject_unknown();
    logs
}

fn read_durability(table: &mut ConfigTable) -> Durability {
    if table.choice("sync") == Some("lazy") { Durability::Lazy } else { Durability::Safe }
}

/// Values that must be unique.
#[derive(Default)]
struct UniqueValues {
    names: Vec<(String, SourceLine)>,
    buses: Vec<(String, SourceLine)>,
    /// Port addresses and their locations.
    ports: Vec<(PortAddress, SourceLine)>,
    /// Board names and their locations.
    boards: Vec<(String, SourceLine)>,
    /// Location of a port choice without a board.
    choice: Option<SourceLine>,
}

fn read_line(
    mut table: ConfigTable,
    station_tags: &[(String, String)],
    recognition: &[(String, String)],
    seen: &mut UniqueValues,
) -> Option<LineConfig> {
    let mode = table.read("mode", bus::read_mode).unwrap_or_default();
    let name = table.required("name", "\"board-1\"", |value| {
        let name = read_name(value, seen)?;
        if mode == Mode::Bus {
            bus::check_bus_unique(value, seen)?;
        }
        Ok(name)
    });
    let port = match mode {
        Mode::Entry => {
            reject_hardware_keys(&mut table);
            None
        }
        Mode::Single | Mode::Bus => Some(
            table.required("port", "\"serial:/dev/ttyACM0\"", |value| Ok((read_port(value, seen)?, value.clone()))),
        ),
    };
    // On a bus `board` lists the boards; otherwise it is the serial number of the only board.
    let boards = if mode == Mode::Bus { table.take("board") } else { None };
    let game = table.required("game-type", "\"20\"", |value| {
        let core = default_settings(value.string()?).map_err(|error| value.error(error))?;
        Ok((value.string()?.trim().to_owned(), core))
    });
    let (game_type, core) = game.unzip();
    // Continue, so that errors of other keys are reported as well.
    let mut core = core.or_else(|| default_settings(session::DEFAULT_GAME_TYPE).ok())?;
    let time_scale = table.number("time-scale").unwrap_or(1.0);
    let mut settings = recognition.to_vec();
    for key in LineSettings::KEYS.into_iter().chain(LineSettings::BUS_KEYS) {
        table.read(key, |value| {
            set(&mut core, value, &mut settings)?;
            if key == "board" { check_board_unique(value, seen) } else { Ok(()) }
        });
    }
    if let Some(Some((port, value))) = &port
        && core.board.is_none()
        && !port.is_one_port()
        && let Err(error) = check_choice_unique(value, seen)
    {
        table.record(error);
    }
    let boards = boards.map(|boards| bus::read_boards(boards, name.as_deref().unwrap_or_default(), &core, seen));
    let boards = boards.and_then(|boards| boards.map_err(|error| table.record(error)).ok()).unwrap_or_default();
    let own_tags = table.read("tags", |tags| read_tags(tags, "[line.tags]")).unwrap_or_default();
    let mut tags = station_tags.to_vec();
    tags.retain(|(tag, _)| own_tags.iter().all(|(own, _)| own != tag));
    tags.extend(own_tags);
    tags.retain(|(_, value)| !value.is_empty());
    table.reject_unknown();
    Some(LineConfig {
        name: name?,
        port: match port {
            Some(port) => Some(port?.0),
            None => None,
        },
        mode,
        time_scale,
        game_type: game_type?,
        tags,
        settings,
        boards,
        logs: LogConfig::default(),
    })
}

/// Refuses the keys that concern electronics on a line without any.
fn reject_hardware_keys(table: &mut ConfigTable) {
    const OF_GAME: [&str; 3] = ["turkish-promotion", "thai-removal", "thai-reversal"];
    let of_board = LineSettings::KEYS.into_iter().chain(LineSettings::BUS_KEYS).filter(|key| !OF_GAME.contains(key));
    for key in std::iter::once("port").chain(of_board) {
        table.read(key, |value| -> Result<(), ConfigError> {
            Err(value
                .error(format!("`{key}` is for a board with electronics; `mode = \"entry\"` has none: leave it away")))
        });
    }
}

fn read_name(value: &Value, seen: &mut UniqueValues) -> Result<String, ConfigError> {
    let name = value.string()?;
    if !outlet::is_name(name, MAX_NAME_LEN) {
        return Err(value.error(format!(
            "`name` becomes the name of files: 1 to {MAX_NAME_LEN} letters, digits, `-`, `_` and `.`, no `.` in front"
        )));
    }
    // Some file systems ignore case.
    if let Some((_, spot)) = seen.names.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        let line = value.line_for_message(spot);
        return Err(value.error(format!("the name `{name}` is taken by the [[line]] with its name in {line}")));
    }
    if let Some((bus, spot)) = seen.buses.iter().find(|(bus, _)| bus::is_default_board_name(bus, name)) {
        let line = value.line_for_message(spot);
        return Err(value.error(format!(
            "the name `{name}` is that of a board of the bus `{bus}` in {line}; its files would get mixed up with these"
        )));
    }
    seen.names.push((name.to_owned(), value.source_line()));
    Ok(name.to_owned())
}

fn read_port(value: &Value, seen: &mut UniqueValues) -> Result<PortAddress, ConfigError> {
    let port: PortAddress = value.string()?.parse().map_err(|error| value.error(error))?;
    if !port.is_one_port() {
        return Ok(port);
    }
    if let Some((_, spot)) = seen.ports.iter().find(|(other, _)| other.is_same_port(&port)) {
        let line = value.line_for_message(spot);
        return Err(value.error(format!("the port {port} is used already, in {line}; a board has one line")));
    }
    seen.ports.push((port.clone(), value.source_line()));
    Ok(port)
}

fn check_board_unique(value: &Value, seen: &mut UniqueValues) -> Result<(), ConfigError> {
    let board = value.string()?.trim_start_matches('0').to_owned();
    if let Some((_, spot)) = seen.boards.iter().find(|(other, _)| *other == board) {
        let line = value.line_for_message(spot);
        return Err(value.error(format!("this board belongs to another [[line]] already, in {line}")));
    }
    seen.boards.push((board, value.source_line()));
    Ok(())
}

/// Refuses two lines that accept any board: they would record each other's games.
fn check_choice_unique(port: &Value, seen: &mut UniqueValues) -> Result<(), ConfigError> {
    if let Some(spot) = seen.choice.replace(port.source_line()) {
        let line = port.line_for_message(&spot);
        return Err(port.error(format!(
            "this may be the same port as that in {line}; give each [[line]] its `board`, a serial number"
        )));
    }
    Ok(())
}

fn read_tags(tags: &Value, title: &str) -> Result<Pairs, ConfigError> {
    let mut pairs = Pairs::new();
    for tag in tags.entries(title)? {
        let name = tag.key.as_str();
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return Err(tag.error(format!("`{name}` is no name of a PDN tag: a letter, then letters, digits and `_`")));
        }
        if RESERVED_TAGS.contains(&name) {
            return Err(tag.error(format!("the tag `{name}` is written by the recorder itself")));
        }
        let value = tag.scalar()?;
        if value.contains(escape::is_control) {
            return Err(tag.error(format!(
                "the tag `{name}` has a control character in it, or one that turns the order of writing; a tag is one line of text"
            )));
        }
        pairs.push((name.to_owned(), value.trim().to_owned()));
    }
    Ok(pairs)
}

fn default_settings(game_type: &str) -> Result<LineSettings, String> {
    let header = Header { game_type: Some(game_type.to_owned()), ..Header::default() };
    LineSettings::from_header(&header, None).map(|(settings, _)| settings).map_err(|error| error.to_string())
}

/// Sets one key, and adds it to `pairs` if it changes a setting.
fn set(settings: &mut LineSettings, value: &Value, pairs: &mut Pairs) -> Result<(), ConfigError> {
    let before = settings.clone();
    let text = value.scalar()?;
    settings.set(&value.key, &text).map_err(|error| value.error(error))?;
    if *settings != before {
        pairs.push((value.key.clone(), text));
    }
    Ok(())
}
