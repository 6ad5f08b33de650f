//! `setup.toml` in the folder of the recordings. The desk and `damcast start` write it, so people need not edit a file.
//!
//! ```toml
//! [station.tags]
//! Event = "Club evening"
//!
//! [[line]]
//! name = "board-1"
//! port = "serial:/dev/ttyACM0"
//! game-type = "20"
//! ```
//!
//! It counts more than every other source, and may set few keys: those of lines and boards, of the event and of the tournament. It names
//! no command, folder, network address or file of passwords, because people at the desk write it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::document::ConfigError;
use super::keys::Section;
use super::value::{ConfigTable, Value};
use crate::link::PortAddress;

/// Name of the file.
pub const FILE_NAME: &str = "setup.toml";

/// First lines of the file.
const HEAD: &str =
    "# Set at the desk or by `damcast start`. This file counts more than the configuration beside it.\n\n";

/// Keys that the file may set.
const KEYS: &[(Section, &[&str])] = &[
    (Section::Station, &["tags"]),
    (Section::Tournament, &["boards", "open-when-set-up"]),
    (Section::Line, &["name", "mode", "port", "board", "game-type", "orientation", "codes", "time-scale", "tags"]),
    (Section::Board, &["address", "name", "game-type", "orientation", "codes", "tags"]),
];

/// Records an error for every key that the file may not set.
pub(super) fn refuse_others(top: &ConfigTable) {
    for value in top.values() {
        match KEYS.iter().find(|(section, _)| section.as_str() == value.key) {
            Some((section, _)) if section.is_array() => {
                // A value that is no table is refused by its reader.
                let tables = value.clone().tables(*section).unwrap_or_default();
                tables.iter().for_each(|table| refuse_keys(table, *section));
            }
            Some((section, _)) => {
                if let Ok(table) = value.clone().table(*section) {
                    refuse_keys(&table, *section);
                }
            }
            None => top.record(refusal(value)),
        }
    }
}

fn refuse_keys(table: &ConfigTable, section: Section) {
    let known = KEYS.iter().find(|(of, _)| *of == section).map_or(&[][..], |(_, keys)| keys);
    for value in table.values() {
        if !known.contains(&value.key.as_str()) {
            table.record(refusal(value));
        } else if value.key == "port" && value.string().is_ok_and(is_network_address) {
            table.record(value.error(format!(
                "a port of {FILE_NAME} is one of this machine; [[line]] of the configuration names others"
            )));
        } else if section == Section::Line && value.key == "board" {
            // A serial number, or the boards of a bus.
            let boards = value.clone().tables(Section::Board).unwrap_or_default();
            boards.iter().for_each(|board| refuse_keys(board, Section::Board));
        }
    }
}

fn refusal(value: &Value) -> ConfigError {
    value.error(format!("{FILE_NAME} may not set `{}`: the configuration does that", value.key))
}

/// Whether a port is reached over a network.
fn is_network_address(port: &str) -> bool {
    matches!(port.parse(), Ok(PortAddress::Tcp(_) | PortAddress::Rfc2217 { .. }))
}

/// Returns the text of the file for its contents, tables and arrays as in the file.
///
/// # Errors
///
/// Returns an error if the contents have no form in TOML, such as `null`.
pub fn to_text(contents: &serde_json::Value) -> Result<String, String> {
    let text = toml::to_string(contents).map_err(|error| format!("this cannot be written as {FILE_NAME}: {error}"))?;
    Ok(format!("{HEAD}{text}"))
}

/// Reads the contents of the file, tables and arrays as in the file.
///
/// # Errors
///
/// Returns an error if the text is not TOML.
pub fn from_text(text: &str) -> Result<serde_json::Value, String> {
    toml::from_str(text).map_err(|error| format!("{FILE_NAME}: {error}"))
}

/// Replaces a file, so that a reader, or the next start after a crash, sees either the old or the new contents.
///
/// # Errors
///
/// Returns an error of the disk; the old contents are then still there.
pub fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let new = path.with_extension("toml.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::config::{Config, ConfigErrors, Sources};

    const MAIN: &str = "[station]\ndirectory = \"r\"\ntags.Event = \"Cup\"\ntags.Site = \"Here\"\n\
                        [[line]]\nname = \"board-1\"\nport = \"/dev/a\"\ngame-type = \"20\"\n";

    fn read(setup: &str) -> Result<Config, ConfigErrors> {
        let sources = Sources::from_text("damcast.toml", MAIN);
        let file = sources.setup_file().unwrap();
        assert_eq!(file, PathBuf::from("r/setup.toml"));
        sources.with_setup(&file, setup.to_owned()).read()
    }

    #[test]
    fn overrides_lines_and_adds_some() {
        let contents = json!({
            "station": {"tags": {"Event": "Club \"evening\""}},
            "tournament": {"boards": ["board-2", "board-1"]},
            "line": [
                {"name": "board-1", "game-type": "25"},
                {"name": "board-2", "port": "serial:/dev/b", "game-type": "25", "tags": {"Annotator": "x"}},
            ],
        });
        let text = to_text(&contents).unwrap();
        assert_eq!(from_text(&text).unwrap(), contents);
        let config = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let lines: Vec<_> = config.lines.iter().map(|line| (line.name.as_str(), line.game_type.as_str())).collect();
        assert_eq!(lines, [("board-1", "25"), ("board-2", "25")]);
        assert_eq!(config.lines[0].port.as_ref().unwrap().to_string(), "serial:/dev/a");
        let tags: Vec<_> = config.lines[0].tags.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(tags, ["Club \"evening\"", "Here"]);
        assert_eq!(config.tournament.boards, ["board-2", "board-1"]);
    }

    #[test]
    fn sets_no_command_folder_or_address() {
        for (setup, key) in [
            ("[station]\ndirectory = \"/etc\"", "directory"),
            ("[alarm]\ncommand = [\"sh\"]", "alarm"),
            ("[[deliver]]\ncommand = [\"sh\"]", "deliver"),
            ("[desk]\npassword-file = \"x\"", "desk"),
            ("[serve]\ntrusted-proxies = []", "serve"),
            ("[public]\ndelay = 0", "public"),
            ("[[outlet]]\nname = \"x\"", "outlet"),
            ("[[line]]\nname = \"board-1\"\nconnect = \"clock\"", "connect"),
        ] {
            let error = read(setup).unwrap_err().to_string();
            assert!(error.contains(&format!("setup.toml may not set `{key}`")), "{error}");
            assert!(error.starts_with("r/setup.toml:"), "{error}");
        }
        for port in ["tcp://10.0.0.7:4001", "rfc2217://10.0.0.7:4001"] {
            let error = read(&format!("[[line]]\nname = \"board-1\"\nport = \"{port}\"")).unwrap_err().to_string();
            assert!(error.contains("one of this machine"), "{error}");
        }
    }

    #[test]
    fn replaces_file_as_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/setup.toml");
        for text in ["one", "two"] {
            replace_file(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 1);
    }
}
