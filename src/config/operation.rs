//! How a running station is reached and watched: `[control]`, `[metrics]`, `[alarm]`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::document::{ConfigError, Table, Value};

/// Where operators reach the station.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ControlConfig {
    /// The socket; `None`: `control.sock` in the runtime folder of the service, else in the folder of the station.
    pub socket: Option<PathBuf>,
}

/// Where programs ask how the station is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MetricsConfig {
    /// The address; `None`: nowhere.
    pub address: Option<SocketAddr>,
}

/// When a command is run because a board needs the operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlarmConfig {
    /// The program and its arguments; empty: none.
    pub command: Vec<String>,
    /// How long it may take.
    pub time_limit: Duration,
    /// How long a board may be silent.
    pub silent: Duration,
    /// How long a board may be unexplained.
    pub unexplained: Duration,
    /// How long a start position may be incomplete.
    pub wrong_start: Duration,
    /// How long a clock may be missing.
    pub clock_missing: Duration,
    /// Less space on the disk than this many bytes is low.
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

pub(super) fn read_control(value: Value) -> Result<ControlConfig, ConfigError> {
    let mut table = value.table("[control]")?;
    let mut control = ControlConfig::default();
    if let Some(socket) = table.take("socket") {
        let path = socket.string()?;
        // The system's addresses of sockets have 108 bytes, the last of them a zero.
        if path.is_empty() || path.len() > 107 || path.contains('\0') {
            return Err(socket.error("`socket` is the path of a file, of at most 107 bytes"));
        }
        control.socket = Some(path.into());
    }
    table.finish()?;
    Ok(control)
}

pub(super) fn read_metrics(value: Value) -> Result<MetricsConfig, ConfigError> {
    let mut table = value.table("[metrics]")?;
    let mut metrics = MetricsConfig::default();
    if let Some(address) = table.take("address") {
        let parsed = address.string()?.parse();
        metrics.address = Some(parsed.map_err(|_| {
            address.error("`address` is an address of this machine with a port, as in \"127.0.0.1:9377\"")
        })?);
    }
    table.finish()?;
    Ok(metrics)
}

pub(super) fn read_alarm(value: Value) -> Result<AlarmConfig, ConfigError> {
    let mut table = value.table("[alarm]")?;
    let mut alarm = AlarmConfig::default();
    if let Some(command) = table.take("command") {
        alarm.command = command.strings()?;
        if alarm.command.first().is_some_and(String::is_empty) {
            return Err(command.error("the first of `command` is the program to run"));
        }
    }
    /// A day: more is a mistake.
    const LONGEST: u64 = 86_400;
    let seconds = |table: &mut Table, key, least, default: &mut Duration| {
        let whole = read_whole(table, key, least, LONGEST)?;
        *default = whole.map_or(*default, Duration::from_secs);
        Ok(())
    };
    seconds(&mut table, "time-limit", 1, &mut alarm.time_limit)?;
    seconds(&mut table, "silent", 1, &mut alarm.silent)?;
    seconds(&mut table, "unexplained", 1, &mut alarm.unexplained)?;
    seconds(&mut table, "wrong-start", 1, &mut alarm.wrong_start)?;
    seconds(&mut table, "clock-missing", 1, &mut alarm.clock_missing)?;
    if let Some(megabytes) = read_whole(&mut table, "disk-low", 0, 1_000_000_000)? {
        alarm.disk_low = megabytes * MEGABYTE;
    }
    table.finish()?;
    Ok(alarm)
}

/// A whole number between two others, if the key is there.
fn read_whole(table: &mut Table, key: &str, least: u64, most: u64) -> Result<Option<u64>, ConfigError> {
    let Some(value) = table.take(key) else { return Ok(None) };
    let number = value.number()?;
    if number.fract() == 0.0 && (least as f64..=most as f64).contains(&number) {
        Ok(Some(number as u64))
    } else {
        Err(value.error(format!("`{key}` is a whole number from {least} to {most}")))
    }
}
