//! Control and supervision of a running station: `[control]`, `[tournament]`, `[alarm]`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::document::ConfigError;
use super::value::{ConfigTable, Value};

/// Access for operators.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ControlConfig {
    /// Path of the socket; `None` for `control.sock` in the runtime folder of the service, else in the folder of the station.
    pub socket: Option<PathBuf>,
}

/// Boards of a tournament and the start of its rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TournamentConfig {
    /// Boards by number, from 1: each a name, or `serial:` and a serial number. If empty, the order of the lines applies.
    pub boards: Vec<String>,
    /// Number of the first board in the pairings, from 1.
    pub first_board: u32,
    /// Whether a prepared round opens when all its boards show the start position.
    pub opens_when_set_up: bool,
}

impl Default for TournamentConfig {
    fn default() -> TournamentConfig {
        TournamentConfig { boards: Vec::new(), first_board: 1, opens_when_set_up: false }
    }
}

/// Conditions that run the alarm command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlarmConfig {
    /// Program and its arguments; empty for none.
    pub command: Vec<String>,
    /// Time limit of the command.
    pub time_limit: Duration,
    /// Duration of silence of a board before an alarm.
    pub silent: Duration,
    /// Duration of an unexplained position before an alarm.
    pub unexplained: Duration,
    /// Duration of an incomplete start position before an alarm.
    pub wrong_start: Duration,
    /// Duration without a clock before an alarm.
    pub clock_missing: Duration,
    /// Free disk space in bytes below which an alarm is raised.
    pub disk_low: u64,
}

impl Default for AlarmConfig {
    fn default() -> AlarmConfig {
        AlarmConfig {
            command: Vec::new(),
            time_limit: Duration::from_secs(10),
            silent: Duration::from_secs(30),
            unexplained: Duration::from_secs(30),
            wrong_start: Duration::from_secs(60),
            clock_missing: Duration::from_secs(60),
            disk_low: 500 * MEGABYTE,
        }
    }
}

const MEGABYTE: u64 = 1_000_000;

pub(super) fn read_control(mut table: ConfigTable) -> ControlConfig {
    let socket = table.read("socket", read_socket);
    table.reject_unknown();
    ControlConfig { socket }
}

pub(super) fn read_socket(socket: &Value) -> Result<PathBuf, ConfigError> {
    match socket.string()? {
        // A Unix socket address has 108 bytes, the last of them zero.
        path if path.is_empty() || path.len() > 107 || path.contains('\0') => {
            Err(socket.error("`socket` is the path of a file, of at most 107 bytes"))
        }
        path => Ok(path.into()),
    }
}

pub(super) fn read_tournament(mut table: ConfigTable) -> TournamentConfig {
    let boards = table.read("boards", |value| {
        let boards = value.strings()?;
        let mut seen = BTreeSet::new();
        for board in &boards {
            let word = board.strip_prefix("serial:").unwrap_or(board);
            if word.is_empty() || word.chars().any(|c| c.is_control() || c.is_whitespace()) {
                return Err(
                    value.error(format!("`{}` is no board: a name, or serial: and the number", board.escape_debug()))
                );
            }
            if !seen.insert(board) {
                return Err(value.error(format!("`{board}` has two numbers")));
            }
        }
        Ok(boards)
    });
    let first_board = table.whole("first-board").map_or(1, |number| number as u32);
    let opens_when_set_up = table.switch("open-when-set-up").unwrap_or_default();
    // The desk and `damcast tournament pair` run it.
    table.read("engine", read_engine);
    table.reject_unknown();
    TournamentConfig { boards: boards.unwrap_or_default(), first_board, opens_when_set_up }
}

/// Reads the command of the program that pairs Swiss rounds: the program and its first arguments.
pub(super) fn read_engine(value: &Value) -> Result<Vec<String>, ConfigError> {
    match value.strings()? {
        command if command.first().is_none_or(String::is_empty) => {
            Err(value.error("the first of `engine` is the program to run, as in [\"bbpPairings\"]"))
        }
        command => Ok(command),
    }
}

pub(super) fn read_alarm(mut table: ConfigTable) -> AlarmConfig {
    let mut alarm = AlarmConfig::default();
    let command = table.read("command", |value| match value.strings()? {
        command if command.first().is_some_and(String::is_empty) => {
            Err(value.error("the first of `command` is the program to run"))
        }
        command => Ok(command),
    });
    alarm.command = command.unwrap_or_default();
    for (key, value) in [
        ("time-limit", &mut alarm.time_limit),
        ("silent", &mut alarm.silent),
        ("unexplained", &mut alarm.unexplained),
        ("wrong-start", &mut alarm.wrong_start),
        ("clock-missing", &mut alarm.clock_missing),
    ] {
        if let Some(seconds) = table.whole(key) {
            *value = Duration::from_secs(seconds);
        }
    }
    if let Some(megabytes) = table.whole("disk-low") {
        alarm.disk_low = megabytes * MEGABYTE;
    }
    table.reject_unknown();
    alarm
}
