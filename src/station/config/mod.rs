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
//! it is errors that name file, line and key, all of them at once; nothing is started from a half of one. What the core
//! obeys is checked by the core ([`LineSettings::set`]), the same way as for a log.
//!
//! | file | subject |
//! |---|---|
//! | [`keys`] | which keys there are, and what each may be: a row each |
//! | [`mod@reference`] | what each is for, and its default: the annotated file |
//! | [`sources`] | the file, its drop-ins, the environment, laid over one another |
//! | `document`, `value` | texts with places in them, taken apart key by key |
//! | [`schema`], [`show`] | the JSON Schema; the effective configuration |

mod bus;
mod desk;
mod document;
pub mod draft;
pub mod keys;
mod operation;
mod outlet;
pub mod reference;
pub mod schema;
mod serve;
pub mod show;
pub mod sources;
mod value;

use std::path::{Path, PathBuf};

use crate::engine::broadcast::Delay;
use crate::engine::bytelog::{BoardHeader, Header, Mode};

use crate::engine::session::{self, BusAddress, LineSettings};
use crate::station::disk::Durability;
use crate::station::escape;
use crate::station::link::PortAddress;

pub use desk::DeskConfig;
pub use document::{ConfigError, ConfigErrors, ConfigLocation};
pub use operation::{AlarmConfig, ControlConfig, TournamentConfig};
pub use outlet::{OutletConfig, PUBLIC, SuspendedOutlet};
pub use serve::ServeConfig;
pub use sources::{SocketCandidates, Sources};
use value::{ConfigTable, SourceLine, Value};

/// Where the configuration of an installed station is.
pub const DEFAULT_PATH: &str = "/etc/damcast/damcast.toml";

/// Names become names of files.
const MAX_NAME_LEN: usize = 64;
/// Faster than this the rounding of a millisecond becomes seconds of the game.
const MAX_TIME_SCALE: f64 = 10_000.0;
/// Tags that the recorder writes itself.
const RESERVED_TAGS: [&str; 5] = ["GameType", "Result", "FEN", "SetUp", "Date"];

/// A station.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Where logs and live files go.
    pub directory: PathBuf,
    /// The lines, in the order of the file.
    pub lines: Vec<LineConfig>,
    /// What the station is called in events; `None`: as before, or like its machine.
    pub name: Option<String>,
    /// What readers may see: folders, `public` first if it is right.
    pub outlets: Vec<OutletConfig>,
    /// The outlets whose tables are wrong; none, unless the configuration was read to record ([`Config::load_for_recording`]).
    pub suspended_outlets: Vec<SuspendedOutlet>,
    /// Whether a line of a live file is durable before anybody sees it.
    pub durability: Durability,
    /// Where operators reach it.
    pub control: ControlConfig,
    /// Which boards a tournament has.
    pub tournament: TournamentConfig,
    /// When somebody is called.
    pub alarm: AlarmConfig,
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
    /// What becomes of its logs.
    pub logs: LogConfig,
}

/// What becomes of the logs of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LogConfig {
    /// After how many hours a chain of logs ends, as soon as no game goes on; 0: never for its age.
    pub rotate_hours: u32,
    /// Whether the logs of chains that have ended are compressed.
    pub compress: bool,
    /// How many days after its end a chain is kept; 0: for ever.
    pub keep_days: u32,
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
    /// Reads a configuration file with what is laid over it: its drop-ins, the environment.
    ///
    /// # Errors
    ///
    /// When one of them cannot be read, or anything in it is wrong: all that is wrong.
    pub fn load(path: &Path) -> Result<Config, ConfigErrors> {
        Sources::from_file(path)?.with_environment(environment()).read()
    }

    /// The same, to record with: an outlet whose table is wrong is held back, and everything else is as the configuration says.
    ///
    /// # Errors
    ///
    /// When one of the files cannot be read, or anything but an outlet is wrong: all that is wrong with the rest.
    pub fn load_for_recording(path: &Path) -> Result<Config, ConfigErrors> {
        Sources::from_file(path)?.with_environment(environment()).read_for_recording()
    }

    /// Is anything shown later than it was recorded? Then what is not is nobody's business.
    pub fn has_delay(&self) -> bool {
        self.outlets.iter().any(|outlet| outlet.delay != Delay::NO_DELAY)
            || self.suspended_outlets.iter().any(|held| held.has_delay)
    }

    /// The same with its relative paths below a folder.
    fn with_base(mut self, base: &Path) -> Config {
        let place = |path: &mut PathBuf| *path = base.join(&*path);
        place(&mut self.directory);
        self.control.socket.iter_mut().for_each(place);
        for line in &mut self.lines {
            match &mut line.port {
                PortAddress::Serial(path) => place(path),
                PortAddress::Any(patterns) => {
                    patterns.iter_mut().for_each(|path| *path = base.join(&*path).display().to_string());
                }
                PortAddress::Usb(_) | PortAddress::Tcp(_) | PortAddress::Rfc2217 { .. } => {}
            }
        }
        // A program without a slash is looked for where programs are.
        if let Some(program) = self.alarm.command.first_mut().filter(|program| program.contains('/')) {
            *program = base.join(&*program).display().to_string();
        }
        self
    }

    /// Reads the text of a configuration. `file` is what messages call it.
    ///
    /// # Errors
    ///
    /// All that is wrong.
    pub fn read(file: &str, text: &str) -> Result<Config, ConfigErrors> {
        Sources::from_text(file, text).read()
    }
}

/// The environment, as far as it is text.
pub fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// What becomes of the rest when the table of an outlet is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InvalidOutlets {
    /// The configuration is wrong.
    Refuse,
    /// The station records, and these outlets stand still.
    Suspend,
}

/// Reads the outermost table. What is wrong is noted; then there may be no configuration. `of_outlets`: what is wrong with
/// outlets in the environment.
fn read_config(
    mut top: ConfigTable,
    of_outlets: Vec<(String, ConfigError)>,
    when_outlets_are_wrong: InvalidOutlets,
) -> Option<Config> {
    let station = top.required("station", "{ directory = \"recordings\" }", |value| value.clone().table("[station]"));
    let StationTable { directory, name, tags: station_tags, durability } =
        station.map(read_station).unwrap_or_default();
    let recognition = top.read("recognition", |value| read_recognition(value.clone().table("[recognition]")?));
    let (outlets, mut held) = outlet::read(&mut top, of_outlets);
    if when_outlets_are_wrong == InvalidOutlets::Refuse {
        serve::check(&mut top);
        desk::check(&mut top);
        held.drain(..).flat_map(|held| held.errors.0).for_each(|error| top.record(error));
    }
    // Whoever records has nothing to do with the pages and the numbers.
    for table in ["serve", "desk"] {
        top.take(table);
    }
    let logs = top.read("log", |value| read_logs(value.clone().table("[log]")?)).unwrap_or_default();
    let control = top.read("control", |value| operation::read_control(value.clone().table("[control]")?));
    let tournament = top.read("tournament", |value| operation::read_tournament(value.clone().table("[tournament]")?));
    let alarm = top.read("alarm", |value| operation::read_alarm(value.clone().table("[alarm]")?));
    let lines = top.take("line");
    let mut seen = UniqueValues::default();
    let mut configs = Vec::new();
    let recognition = recognition.unwrap_or_default();
    match lines.map(|lines| lines.tables("[[line]]")) {
        Some(Ok(lines)) if !lines.is_empty() => {
            configs.extend(lines.into_iter().map(|line| read_line(line, &station_tags, &recognition, &mut seen)));
        }
        Some(Err(error)) => top.record(error),
        _ => top.record(top.error("there is no [[line]]; each board needs one, with name, port and game-type".into())),
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
        control: control.unwrap_or_default(),
        tournament: tournament.unwrap_or_default(),
        alarm: alarm.unwrap_or_default(),
    })
}

type Pairs = Vec<(String, String)>;

/// What `[station]` says.
#[derive(Default)]
struct StationTable {
    directory: Option<PathBuf>,
    name: Option<String>,
    tags: Pairs,
    durability: Durability,
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
    let durability = station.read("sync", read_durability).unwrap_or_default();
    station.reject_unknown();
    StationTable { directory, name, tags, durability }
}

/// Settings of all lines. The game does not matter to them, so any will do to check them.
fn read_recognition(mut table: ConfigTable) -> Result<Pairs, ConfigError> {
    let mut settings = default_settings(session::DEFAULT_GAME_TYPE).map_err(|error| table.error(error))?;
    let known: Vec<&str> = ["preset"].into_iter().chain(settings.recognition.keys()).collect();
    let mut pairs = Pairs::new();
    for key in known {
        table.read(key, |value| set(&mut settings, value, &mut pairs));
    }
    table.finish()?;
    Ok(pairs)
}

fn read_logs(mut table: ConfigTable) -> Result<LogConfig, ConfigError> {
    /// A year.
    const MAX_ROTATE_HOURS: u64 = 8760;
    /// A hundred years.
    const MAX_KEEP_DAYS: u64 = 36_500;
    let rotate_hours = table.read("rotate-hours", |value| operation::integer_between(value, 0, MAX_ROTATE_HOURS));
    let compress = table.read("compress", |value| match value.scalar()?.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(value.error("`compress` is true or false")),
    });
    let keep_days = table.read("keep-days", |value| operation::integer_between(value, 0, MAX_KEEP_DAYS));
    table.finish()?;
    Ok(LogConfig {
        rotate_hours: rotate_hours.unwrap_or_default() as u32,
        compress: compress.unwrap_or_default(),
        keep_days: keep_days.unwrap_or_default() as u32,
    })
}

fn read_durability(value: &Value) -> Result<Durability, ConfigError> {
    match value.string()? {
        "safe" => Ok(Durability::Safe),
        "lazy" => Ok(Durability::Lazy),
        _ => Err(value.error(format!("`{}` is \"safe\" or \"lazy\"", value.key))),
    }
}

/// What must not come twice.
#[derive(Default)]
struct UniqueValues {
    names: Vec<(String, SourceLine)>,
    buses: Vec<(String, SourceLine)>,
    /// Address and place of those that name one port.
    ports: Vec<(PortAddress, SourceLine)>,
    /// Board and place of those that name a board.
    boards: Vec<(String, SourceLine)>,
    /// The place of a choice of ports without a board.
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
    let port = table.required("port", "\"serial:/dev/ttyACM0\"", |value| Ok((read_port(value, seen)?, value.clone())));
    // Of a bus these are its boards; otherwise it is a setting, the serial number of the only one.
    let boards = if mode == Mode::Bus { table.take("board") } else { None };
    let game = table.required("game-type", "\"20\"", |value| {
        let core = default_settings(value.string()?).map_err(|error| value.error(error))?;
        Ok((value.string()?.trim().to_owned(), core))
    });
    let (game_type, core) = game.unzip();
    // Other keys are complained about as well, whatever is wrong with this one.
    let mut core = core.or_else(|| default_settings(session::DEFAULT_GAME_TYPE).ok())?;
    let time_scale = table.read("time-scale", read_time_scale).unwrap_or(1.0);
    let mut settings = recognition.to_vec();
    for key in LineSettings::KEYS.into_iter().chain(LineSettings::BUS_KEYS) {
        table.read(key, |value| {
            set(&mut core, value, &mut settings)?;
            if key == "board" { check_board_unique(value, seen) } else { Ok(()) }
        });
    }
    if let Some((port, value)) = &port
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
        port: port?.0,
        mode,
        time_scale,
        game_type: game_type?,
        tags,
        settings,
        boards,
        logs: LogConfig::default(),
    })
}

fn read_name(value: &Value, seen: &mut UniqueValues) -> Result<String, ConfigError> {
    let name = value.string()?;
    if !outlet::is_name(name, MAX_NAME_LEN) {
        return Err(value.error(format!(
            "`name` becomes the name of files: 1 to {MAX_NAME_LEN} letters, digits, `-`, `_` and `.`, no `.` in front"
        )));
    }
    // Some disks do not tell capital letters from small ones.
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

/// Two lines that take whichever board is there would record each other's games.
fn check_choice_unique(port: &Value, seen: &mut UniqueValues) -> Result<(), ConfigError> {
    if let Some(spot) = seen.choice.replace(port.source_line()) {
        let line = port.line_for_message(&spot);
        return Err(port.error(format!(
            "this may be the same port as that in {line}; give each [[line]] its `board`, a serial number"
        )));
    }
    Ok(())
}

fn read_time_scale(value: &Value) -> Result<f64, ConfigError> {
    let scale = value.number()?;
    let is_possible = scale > 0.0 && scale <= MAX_TIME_SCALE;
    let message = || value.error(format!("`time-scale` is a number above 0, at most {MAX_TIME_SCALE}"));
    if is_possible { Ok(scale) } else { Err(message()) }
}

fn read_tags(tags: &Value, title: &'static str) -> Result<Pairs, ConfigError> {
    let mut pairs = Pairs::new();
    for tag in tags.clone().table(title)?.into_values() {
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
