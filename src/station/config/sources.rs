//! Where a configuration comes from: its file, the folder of drop-ins beside it, and the environment.
//!
//! ```text
//!   /etc/damcast/damcast.toml             the file
//!   /etc/damcast/damcast.d/*.toml         laid over it, in the order of their names
//!   DAMCAST_PUBLIC_DELAY=60               laid over those: DAMCAST_, the table, the key
//!   DAMCAST_LINE_BOARD_1_PORT=...         of a [[line]] or an [[outlet]] its name too; letters and digits, all else is _
//!   DAMCAST_STATION_TAGS_Event=...        tags in their own letters
//! ```
//!
//! Relative paths in all of them count from the folder of the file; from the state directory of the service, `/var/lib/damcast`,
//! where the file is under `/etc`.
//!
//! The last one counts. A drop-in that names a `[[line]]` of an earlier file changes its keys; another name adds a line.
//! Every value keeps the place it comes from, and complaints name that.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::{ConfigDiagnostics, ConfigError, ConfigErrors, Document};
use super::keys::{KEYS, Section, ValueKind};
use super::value::ConfigTable;
use super::{Config, InvalidOutlets, read_config};

/// Where the service keeps its state.
const SERVICE_STATE_DIRECTORY: &str = "/var/lib/damcast";
/// What the names of variables begin with.
const VARIABLE_PREFIX: &str = "DAMCAST_";

/// The texts of a configuration, later ones laid over earlier ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    files: Vec<Source>,
    environment: Vec<(String, String)>,
    /// Where relative paths count from.
    base: PathBuf,
}

/// Where the control socket of a station may be, as far as its configuration tells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SocketCandidates {
    /// The socket that is named.
    pub socket: Option<PathBuf>,
    /// The folder of the recordings.
    pub directory: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Source {
    name: String,
    text: String,
}

impl Sources {
    /// One text.
    pub fn from_text(name: &str, text: &str) -> Sources {
        let files = vec![Source { name: name.to_owned(), text: text.to_owned() }];
        Sources { files, environment: Vec::new(), base: PathBuf::new() }
    }

    /// A file, and the files `*.toml` in the folder beside it whose name ends in `.d` instead.
    ///
    /// # Errors
    ///
    /// When one of them cannot be read.
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
        Ok(Sources { files, environment: Vec::new(), base: base(path) })
    }

    /// With environment variables; those of other programs are left alone.
    #[must_use]
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Sources {
        self.environment = variables.into_iter().filter(|(name, _)| is_damcast_variable(name)).collect();
        self.environment.sort();
        self
    }

    /// The names of the files, and of the variables that count.
    pub fn names(&self) -> Vec<&str> {
        let variables = self.environment.iter().map(|(name, _)| name.as_str());
        self.files.iter().map(|file| file.name.as_str()).chain(variables).collect()
    }

    /// The configuration.
    ///
    /// # Errors
    ///
    /// All that is wrong.
    pub fn read(&self) -> Result<Config, ConfigErrors> {
        self.read_with(InvalidOutlets::Refuse)
    }

    /// The configuration, to record with: what is wrong with an outlet alone holds that outlet back ([`Config::suspended_outlets`]), and
    /// nothing else.
    ///
    /// # Errors
    ///
    /// All that is wrong with the rest.
    pub fn read_for_recording(&self) -> Result<Config, ConfigErrors> {
        self.read_with(InvalidOutlets::Suspend)
    }

    fn read_with(&self, outlets: InvalidOutlets) -> Result<Config, ConfigErrors> {
        let read = self.with_tables(|table, of_outlets| read_config(table, of_outlets, outlets));
        read.map(|config| config.with_base(&self.base))
    }

    /// Where the station is that was started with an earlier state of this configuration, perhaps: whatever is wrong with it now.
    pub fn socket_candidates(&self) -> SocketCandidates {
        let complaints = ConfigDiagnostics::default();
        let mut documents = self.files.iter().map(|file| Document::new(&file.name, &file.text, &complaints));
        let Some(mut table) = documents.next().map(Document::parse) else { return SocketCandidates::default() };
        for document in documents {
            table.overlay(document.parse());
        }
        let mut path = |section: Section, title: &'static str, key: &str| {
            // A variable counts, and needs no other table to be understood.
            let variable = format!("{VARIABLE_PREFIX}{}_{}", upper(section.as_str()), upper(key));
            let set = self.environment.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.clone());
            let written = || {
                let mut table = table.take(section.as_str())?.table(title).ok()?;
                table.take(key)?.string().ok().map(str::to_owned)
            };
            set.or_else(written).filter(|path| !path.is_empty()).map(|path| self.base.join(path))
        };
        let socket = path(Section::Control, "[control]", "socket");
        SocketCandidates { socket, directory: path(Section::Station, "[station]", "directory") }
    }

    /// Does it set any key of this table? The installed file has tables in which every key is a comment.
    pub fn sets_table(&self, section: Section) -> bool {
        let has_keys = |mut top: ConfigTable| {
            let table = top.take(section.as_str()).and_then(|value| value.table(section.title()).ok());
            table.is_some_and(|table| table.values().next().is_some())
        };
        self.with_tables(|top, _| Some(has_keys(top))).unwrap_or(false)
    }

    /// Where relative paths count from.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Lays the texts over one another, and gives the table to a reader that notes what is wrong and may have nothing
    /// then. It gets what is wrong with variables of outlets, too, each with the name of its outlet.
    pub(super) fn with_tables<T>(
        &self,
        reader: impl FnOnce(ConfigTable, Vec<(String, ConfigError)>) -> Option<T>,
    ) -> Result<T, ConfigErrors> {
        let complaints = ConfigDiagnostics::default();
        let names = self.names();
        let mut overrides = Vec::new();
        let read = {
            let mut documents = self.files.iter().map(|file| Document::new(&file.name, &file.text, &complaints));
            let first = documents.next().unwrap_or(Document::new("", "", &complaints));
            let mut table = first.parse();
            for document in documents {
                table.overlay(document.parse());
            }
            // Of a text that is no TOML nobody knows what else it says.
            if first.has_no_errors() {
                let names = [Section::Line, Section::Outlet].map(|section| (section, names_of(&table, section)));
                let mut of_outlets = Vec::new();
                for (name, value) in &self.environment {
                    match as_toml(name, value, &names) {
                        Ok(text) => overrides.push((name, text)),
                        Err((Some(outlet), error)) => of_outlets.push((outlet, error)),
                        Err((None, error)) => drop(complaints.record::<()>(Err(error))),
                    }
                }
                for (name, text) in &overrides {
                    table.overlay(Document::new(name, text, &complaints).parse());
                }
                reader(table, of_outlets)
            } else {
                None
            }
        };
        complaints.into_result(&names, read)
    }
}

/// Where relative paths of a configuration count from.
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

/// A variable that names a table of the configuration.
fn is_damcast_variable(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(VARIABLE_PREFIX) else { return false };
    tables().any(|section| rest.strip_prefix(&upper(section.as_str())).is_some_and(|rest| rest.starts_with('_')))
}

fn tables() -> impl Iterator<Item = Section> {
    Section::ALL.into_iter().filter(|section| *section != Section::Board)
}

fn upper(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// The lines or the outlets of a table, by name.
fn names_of(table: &ConfigTable, section: Section) -> Vec<String> {
    let mut table = table.clone();
    let Some(Ok(tables)) = table.take(section.as_str()).map(|value| value.tables(section.title())) else {
        return Vec::new();
    };
    let name = |mut table: ConfigTable| table.take("name").and_then(|name| name.string().ok().map(str::to_owned));
    tables.into_iter().filter_map(name).collect()
}

/// A variable as a text of TOML. What is wrong with one of an outlet is wrong with that outlet alone.
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

/// The variable that sets a key, for documentation: `DAMCAST_PUBLIC_DELAY`; of a line `DAMCAST_LINE_NAME_PORT`.
pub fn variable(section: Section, key: &str) -> Option<String> {
    let is_known = KEYS.iter().any(|known| known.section == section && known.name == key);
    let name = if section.is_array() { "NAME_" } else { "" };
    (is_known && section != Section::Board)
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
        // Nothing is recorded below /etc.
        assert_eq!(base(Path::new("/etc/damcast/damcast.toml")), Path::new(SERVICE_STATE_DIRECTORY));
    }
}
