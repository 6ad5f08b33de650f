//! Reads and writes `setup.toml` for the desk.
//!
//! The checks stand here, where the file is written: contents are read as the next start would read them, and a line may name only a port
//! that the configuration has already or that this machine has.

use std::fs;
use std::path::{Path, PathBuf};

use damcast_control::{PortView, SetupView};
use serde_json::{Value, json};
use serialport::SerialPortType;

use crate::config::{Config, Sources, setup};
use crate::link::{PortAddress, ports};

/// Contents that may be written.
pub struct CheckedSetup {
    file: PathBuf,
    text: String,
}

/// Reads `setup.toml`. `config`: path of the station's configuration.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub fn show(config: &Path) -> Result<SetupView, String> {
    let loaded = read_sources(config)?;
    let lines = loaded.config.lines.iter().map(|line| line.name.clone()).collect();
    Ok(SetupView { lines, ports: list_ports(&loaded.config), contents: loaded.contents, mistake: loaded.mistake })
}

/// Checks new contents. `seen`: contents that the requester saw.
///
/// # Errors
///
/// Returns an error if the file has other contents by now, or if the new ones are wrong.
pub fn check(config: &Path, seen: &Value, contents: &Value) -> Result<CheckedSetup, String> {
    let loaded = read_sources(config)?;
    if *seen != loaded.contents {
        return Err("somebody has set something since you looked; look again".to_owned());
    }
    let text = setup::to_text(contents)?;
    let new = loaded
        .sources
        .with_setup(&loaded.file, text.clone())
        .read_for_recording()
        .map_err(|errors| errors.to_string())?;
    let found = list_ports(&new);
    for line in &new.lines {
        let Some(wanted) = &line.port else { continue };
        let is_known = loaded.config.lines.iter().any(|before| before.port.as_ref() == Some(wanted));
        let is_found = || found.iter().any(|port| port.port.parse::<PortAddress>().is_ok_and(|port| port == *wanted));
        if !is_known && *wanted != PortAddress::Any(Vec::new()) && !is_found() {
            return Err(format!("{}: this machine has no port {wanted}", line.name));
        }
    }
    Ok(CheckedSetup { file: loaded.file, text })
}

impl CheckedSetup {
    /// Writes the contents.
    ///
    /// # Errors
    ///
    /// Returns an error of the disk; the old contents are then still there.
    pub fn write(&self) -> Result<(), String> {
        setup::replace_file(&self.file, &self.text).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// Configuration with the contents of `setup.toml`.
struct LoadedSetup {
    /// Sources without `setup.toml`.
    sources: Sources,
    file: PathBuf,
    contents: Value,
    mistake: Option<String>,
    config: Config,
}

fn read_sources(path: &Path) -> Result<LoadedSetup, String> {
    let (config, mistake) = Config::load_for_start(path).map_err(|errors| errors.to_string())?;
    let sources =
        Sources::from_file(path).map_err(|errors| errors.to_string())?.with_environment(crate::config::environment());
    let file = sources.setup_file().ok_or("the configuration names no folder")?;
    let contents = match fs::read_to_string(&file) {
        // Contents that are not TOML are replaced as a whole.
        Ok(text) => setup::from_text(&text).unwrap_or_else(|_| json!({})),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => json!({}),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    Ok(LoadedSetup { sources, file, contents, mistake: mistake.map(|errors| errors.to_string()), config })
}

/// Returns the ports of this machine at which a board may be, and those that match `[station] ports`.
fn list_ports(config: &Config) -> Vec<PortView> {
    let (mut found, links) = (Vec::new(), ports::stable_names());
    for port in ports::list().unwrap_or_default() {
        let SerialPortType::UsbPort(usb) = &port.port_type else { continue };
        let path = PathBuf::from(&port.port_name);
        // Names by path are stable as long as the same socket is used.
        let stable =
            links.get(&path).and_then(|links| links.iter().find(|link| link.starts_with("/dev/serial/by-path")));
        let stable = stable.cloned().unwrap_or(path);
        found.push((stable, usb.product.clone(), ports::is_board(usb)));
    }
    let matching = config.port_patterns.iter().flat_map(|pattern| ports::matching_paths(pattern));
    found.extend(matching.map(|path| (path, None, false)));
    let line_at = |path: &Path| {
        let device = fs::canonicalize(path).ok()?;
        let line =
            config.lines.iter().find(|line| line.port.as_ref().and_then(ports::device).as_ref() == Some(&device))?;
        Some(line.name.clone())
    };
    let view = |(path, product, is_board): (PathBuf, Option<String>, bool)| PortView {
        line: line_at(&path),
        port: PortAddress::Serial(path).to_string(),
        product,
        is_board,
    };
    found.into_iter().map(view).collect()
}
