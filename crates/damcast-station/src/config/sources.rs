//! Sources of a configuration: its file, the folder of drop-ins beside it, and the environment.
//!
//! ```text
//!   /etc/damcast/damcast.toml             the file
//!   /etc/damcast/damcast.d/*.toml         override it, in the order of their names
//!   DAMCAST_PUBLIC_DELAY=60               overrides both: DAMCAST_, the table, the key
//!   DAMCAST_LINE_BOARD_1_PORT=...         for a [[line]], [[outlet]] or [[deliver]] with its name; letters and digits, else _
//!   DAMCAST_STATION_TAGS_Event=...        tag names keep their case
//!   DIRECTORY/setup.toml                  overrides all; the desk writes it
//! ```
//!
//! Relative paths are resolved against the folder of the file, or against the state directory of the service, `/var/lib/damcast`, if
//! the file is under `/etc`.
//!
//! The last source wins. A drop-in that names a `[[line]]` of an earlier file changes its keys; another name adds a line. Every value
//! keeps its source, which errors name.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::{ConfigDiagnostics, ConfigError, ConfigErrors, Document};
use super::keys::{KEYS, Section, ValueKind};
use super::operation::read_engine;
use super::setup;
use super::value::ConfigTable;
use super::{Config, InvalidOutlets, read_config};

/// State directory of the service.
const SERVICE_STATE_DIRECTORY: &str = "/var/lib/damcast";
/// Prefix of environment variables.
const VARIABLE_PREFIX: &str = "DAMCAST_";

/// Texts of a configuration; later ones override earlier ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    files: Vec<Source>,
    environment: Vec<(String, String)>,
    /// Contents of `setup.toml`, which may set only some keys.
    setup: Option<Source>,
    /// Base of relative paths.
    base: PathBuf,
}

/// Possible locations of a station's control socket, according to its configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SocketCandidates {
    /// Configured socket.
    pub socket: Option<PathBuf>,
    /// Folder of the recordings.
    pub directory: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Source {
    name: String,
    text: String,
}

impl Sources {
    /// Creates sources of one text.
    pub fn from_text(name: &str, text: &str) -> Sources {
        let files = vec![Source { name: name.to_owned(), text: text.to_owned() }];
        Sources { files, environment: Vec::new(), setup: None, base: PathBuf::new() }
    }

    /// Reads a file and the `*.toml` files in the folder of the same name with the extension `.d`.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be read.
    pub fn from_file(path: &Path) -> Result<Sources, ConfigErrors> {
        let mut files = vec![read(path)?];
        let folder = path.with_extension("d");
        if folder.is_dir() {
            let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
            let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
            paths.sort();
            for path in paths {
                files.push(read(&path)?);
            }
        }
        Ok(Sources { files, environment: Vec::new(), setup: None, base: base(path) })
    }

    /// Reads all sources of a station: the file, its drop-ins, the environment and `setup.toml`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub fn load(path: &Path) -> Result<Sources, ConfigErrors> {
        let sources = Sources::from_file(path)?.with_environment(super::environment());
        let Some(file) = sources.setup_file() else { return Ok(sources) };
        match fs::read_to_string(&file) {
            Ok(text) => Ok(sources.with_setup(&file, text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(sources),
            Err(error) => Err(unreadable(&file, &error)),
        }
    }

    /// Returns the path of `setup.toml`; `None` if no source names the folder of the recordings.
    pub fn setup_file(&self) -> Option<PathBuf> {
        Some(self.socket_candidates().directory?.join(setup::FILE_NAME))
    }

    /// Replaces the contents of `setup.toml`.
    #[must_use]
    pub fn with_setup(mut self, file: &Path, text: String) -> Sources {
        self.setup = Some(Source { name: file.display().to_string(), text });
        self
    }

    /// Adds environment variables; ignores those of other programs.
    #[must_use]
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Sources {
        self.environment = variables.into_iter().filter(|(name, _)| is_damcast_variable(name)).collect();
        self.environment.sort();
        self
    }

    /// Returns the names of the files and variables.
    pub fn names(&self) -> Vec<&str> {
        let variables = self.environment.iter().map(|(name, _)| name.as_str());
        let setup = self.setup.iter().map(|setup| setup.name.as_str());
        self.files.iter().map(|file| file.name.as_str()).chain(variables).chain(setup).collect()
    }

    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// Returns all errors.
    pub fn read(&self) -> Result<Config, ConfigErrors> {
        self.read_with(InvalidOutlets::Refuse)
    }

    /// Reads the configuration for recording: errors of an outlet only suspend that outlet ([`Config::suspended_outlets`]).
    ///
    /// # Errors
    ///
    /// Returns all errors except those of outlets.
    pub fn read_for_recording(&self) -> Result<Config, ConfigErrors> {
        self.read_with(InvalidOutlets::Suspend)
    }

    fn read_with(&self, outlets: InvalidOutlets) -> Result<Config, ConfigErrors> {
        let read = self.with_tables(|table, of_outlets| read_config(table, of_outlets, outlets));
        read.map(|config| config.with_base(&self.base))
    }

    /// Returns the possible sockets of a running station, even if the configuration has become invalid since its start.
    pub fn socket_candidates(&self) -> SocketCandidates {
        let complaints = ConfigDiagnostics::default();
        let mut table = self.merge_files(&complaints);
        let mut path = |section: Section, key: &str| {
            // A variable takes precedence, even if the tables are invalid.
            let variable = format!("{VARIABLE_PREFIX}{}_{}", upper(section.as_str()), upper(key));
            let set = self.environment.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.clone());
            let written = || table.table(section).ok()?.take(key)?.string().ok().map(str::to_owned);
            set.or_else(written).filter(|path| !path.is_empty()).map(|path| self.base.join(path))
        };
        SocketCandidates { socket: path(Section::Control, "socket"), directory: path(Section::Station, "directory") }
    }

    /// Returns the command of the program that pairs Swiss rounds; empty if there is none.
    ///
    /// # Errors
    ///
    /// Returns all errors: a file is not TOML, or `engine` of `[tournament]` is invalid.
    pub fn pairing_engine(&self) -> Result<Vec<String>, ConfigErrors> {
        self.with_tables(|mut top, _| {
            Some(top.section(Section::Tournament).read("engine", read_engine).unwrap_or_default())
        })
    }

    /// Whether a source sets any key of this table. In the installed file some tables contain only comments.
    pub fn sets_table(&self, section: Section) -> bool {
        let has_keys = |mut top: ConfigTable| match section.is_array() {
            true => top.take(section.as_str()).is_some(),
            false => top.section(section).values().next().is_some(),
        };
        self.with_tables(|top, _| Some(has_keys(top))).unwrap_or(false)
    }

    /// Returns the base of relative paths.
    pub fn base(&self) -> &Path {
        &self.base
    }

    fn merge_files<'d>(&'d self, complaints: &'d ConfigDiagnostics) -> ConfigTable<'d> {
        let tables = self.files.iter().map(|file| Document::new(&file.name, &file.text, complaints));
        let mut tables = tables.map(ConfigTable::outermost);
        let mut table = tables.next().unwrap_or_else(|| ConfigTable::outermost(Document::new("", "", complaints)));
        tables.for_each(|later| table.overlay(later));
        table
    }

    /// Merges the texts and passes the table to `reader`, which records errors and returns `None` if it has no value. Also passes the
    /// errors of variables of outlets, each with the name of its outlet.
    pub(super) fn with_tables<T>(
        &self,
        reader: impl FnOnce(ConfigTable, Vec<(String, ConfigError)>) -> Option<T>,
    ) -> Result<T, ConfigErrors> {
        let complaints = ConfigDiagnostics::default();
        let names = self.names();
        let mut overrides = Vec::new();
        let read = {
            let mut table = self.merge_files(&complaints);
            // After a syntax error the rest of the content is unknown.
            if complaints.is_empty() {
                let names = [Section::Line, Section::Outlet, Section::Deliver]
                    .map(|section| (section, names_of(&table, section)));
                let mut of_outlets = Vec::new();
                for (name, value) in &self.environment {
                    match as_toml(name, value, &names) {
                        Ok(text) => overrides.push((name, text)),
                        Err((Some(outlet), error)) => of_outlets.push((outlet, error)),
                        Err((None, error)) => drop(complaints.record::<()>(Err(error))),
                    }
                }
                for (name, text) in &overrides {
                    table.overlay(ConfigTable::outermost(Document::new(name, text, &complaints)));
                }
                if let Some(Source { name, text }) = &self.setup {
                    let set = ConfigTable::outermost(Document::new(name, text, &complaints));
                    setup::refuse_others(&set);
                    table.overlay(set);
                }
                reader(table, of_outlets)
            } else {
                None
            }
        };
        complaints.into_result(&names, read)
    }
}

/// Returns the base of relative paths for a configuration file.
fn base(path: &Path) -> PathBuf {
    if !path.starts_with("/etc") {
        return path.parent().unwrap_or(Path::new("")).to_owned();
    }
    let state_directory = std::env::var("STATE_DIRECTORY").ok();
    let of_service =
        state_directory.as_deref().and_then(|folders| folders.split(':').next()).filter(|folder| !folder.is_empty());
    PathBuf::from(of_service.unwrap_or(SERVICE_STATE_DIRECTORY))
}

fn read(path: &Path) -> Result<Source, ConfigErrors> {
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(Source { name: path.display().to_string(), text })
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigErrors {
    let file = path.display().to_string();
    let remedy = match error.kind() {
        std::io::ErrorKind::NotFound => "; `damcast init` writes a configuration",
        std::io::ErrorKind::PermissionDenied => "; who runs damcast must be allowed to read it",
        _ => "",
    };
    ConfigErrors::from(ConfigError { file, message: format!("{error}{remedy}"), location: None })
}

/// Whether the variable names a table of the configuration.
fn is_damcast_variable(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(VARIABLE_PREFIX) else { return false };
    tables().any(|section| rest.strip_prefix(&upper(section.as_str())).is_some_and(|rest| rest.starts_with('_')))
}

fn tables() -> impl Iterator<Item = Section> {
    Section::ALL.into_iter().filter(|section| section.parent().is_none())
}

fn upper(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// Returns the names of the lines or outlets of a table.
fn names_of(table: &ConfigTable, section: Section) -> Vec<String> {
    let mut table = table.clone();
    let Some(Ok(tables)) = table.take(section.as_str()).map(|value| value.tables(section)) else {
        return Vec::new();
    };
    let name = |mut table: ConfigTable| table.take("name").and_then(|name| name.string().ok().map(str::to_owned));
    tables.into_iter().filter_map(name).collect()
}

/// Converts a variable to TOML. Errors in a variable of an outlet affect only that outlet.
fn as_toml(
    variable: &str,
    value: &str,
    names: &[(Section, Vec<String>)],
) -> Result<String, (Option<String>, ConfigError)> {
    let refuse = |message: String| ConfigError { file: variable.to_owned(), message, location: None };
    let rest = variable.strip_prefix(VARIABLE_PREFIX).unwrap_or_default();
    let of_table =
        tables().find_map(|section| Some((section, rest.strip_prefix(&upper(section.as_str()))?.strip_prefix('_')?)));
    let Some((section, mut rest)) = of_table else { return Err((None, refuse("names no table".to_owned()))) };
    let mut outlet = (section == Section::Public).then(|| section.as_str().to_owned());
    let mut named = None;
    if let Some((_, names)) = names.iter().find(|(of, _)| *of == section) {
        let found = names.iter().filter_map(|name| Some((name, rest.strip_prefix(&upper(name))?.strip_prefix('_')?)));
        let Some((name, key)) = found.max_by_key(|(name, _)| name.len()) else {
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let names = if names.is_empty() { "is none".to_owned() } else { format!("are {names}") };
            let error = refuse(format!(
                "names no {section}; there {names}; capital letters, and `_` for all that is no letter or digit"
            ));
            return Err(((section == Section::Outlet).then(|| variable.to_owned()), error));
        };
        named = Some(name);
        outlet = (section == Section::Outlet).then(|| name.clone());
        rest = key;
    }
    let head = match named {
        Some(name) => format!("{}\nname = {}\n", section.title(), toml::Value::String(name.clone())),
        None => format!("{}\n", section.title()),
    };
    if let (Some(_), Some(tag)) = (section.tags_title(), rest.strip_prefix("TAGS_")) {
        let [tag, value] = [tag, value].map(|text| toml::Value::String(text.to_owned()));
        return Ok(format!("{head}tags.{tag} = {value}\n"));
    }
    let Some(key) = section.keys().find(|key| upper(key.name) == rest) else {
        let known: Vec<String> = section.keys().map(|key| upper(key.name)).collect();
        let error = refuse(format!("unknown key `{rest}` of {section}; its keys are {}", known.join(", ")));
        return Err((outlet, error));
    };
    Ok(format!("{head}{} = {}\n", key.name, ValueKind::to_toml(key.kind, value)))
}

/// Returns the variable of a key, for documentation: `DAMCAST_PUBLIC_DELAY`, or `DAMCAST_LINE_NAME_PORT` for a line.
pub fn variable(section: Section, key: &str) -> Option<String> {
    let is_known = KEYS.iter().any(|known| known.section == section && known.name == key);
    let name = if section.is_array() { "NAME_" } else { "" };
    (is_known && section.parent().is_none())
        .then(|| format!("{VARIABLE_PREFIX}{}_{name}{}", upper(section.as_str()), upper(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_paths_start_at_state_folder() {
        assert_eq!(base(Path::new("evening.toml")), Path::new(""));
        assert_eq!(base(Path::new("conf/evening.toml")), Path::new("conf"));
        assert_eq!(base(Path::new("/srv/evening.toml")), Path::new("/srv"));
        // Recordings never go below /etc.
        assert_eq!(base(Path::new("/etc/damcast/damcast.toml")), Path::new(SERVICE_STATE_DIRECTORY));
    }
}
