//! Outlets: folders for readers, each with its own delay, profile and group. `[public]` is the first, each `[[outlet]]` another.
//!
//! ```toml
//! [public]                  # the outlet `public`, in public/
//! delay = 900               # fifteen minutes
//!
//! [[outlet]]
//! name = "hall"             # in public-hall/
//! group = "damcast-hall"    # for the screen in the hall alone, at once
//! ```
//!
//! An invalid table affects only its outlet: `damcast config check` refuses the file, and `damcast run` records but suspends that
//! outlet ([`SuspendedOutlet`]).

use std::path::{Component, Path, PathBuf};

use damcast_engine::broadcast::Delay;
use draughts_pdn::profile::ReaderProfile;

use super::document::SourceLine;
use super::document::{ConfigError, ConfigErrors};
use super::keys::Section;
use super::read_durability;
use super::value::{ConfigTable, Value, is_typo};
use crate::disk::Durability;

/// Name and folder of the outlet that always exists.
pub const PUBLIC: &str = "public";

/// Maximum length of a name, which becomes part of file names.
const MAX_NAME_LEN: usize = 32;
/// Maximum length of a group name on Linux.
const MAX_GROUP_LEN: usize = 32;
/// Names in the station's directory that no outlet may have.
const RESERVED_NAMES: [&str; 5] = ["log", "live", "commits", "damcast.lock", "control.sock"];

/// Folder for some readers, made from the games: `events.ndjson`, `games.pdn`, `started.pdn`, `archive/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutletConfig {
    /// Name.
    pub name: String,
    /// Folder, relative to the station's directory.
    pub directory: PathBuf,
    /// Reader profile of `games.pdn` and `started.pdn`.
    pub profile: ReaderProfile,
    /// Delay behind the recording.
    pub delay: Delay,
    /// Whether its files become durable at once.
    pub durability: Durability,
    /// Group that may read it; `None` leaves the permissions alone.
    pub group: Option<String>,
}

impl Default for OutletConfig {
    /// Returns the outlet `public` without any settings.
    fn default() -> OutletConfig {
        OutletConfig {
            name: PUBLIC.to_owned(),
            directory: PUBLIC.into(),
            profile: ReaderProfile::Lidraughts,
            delay: Delay::NO_DELAY,
            durability: Durability::default(),
            group: None,
        }
    }
}

/// Outlet with an invalid table: its files stay unchanged until the table is corrected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuspendedOutlet {
    /// Name, or the location of the table if it has none.
    pub name: String,
    /// Folder, relative to the station's directory, if known.
    pub directory: PathBuf,
    /// Whether the outlet is meant to be delayed.
    pub has_delay: bool,
    /// Errors of its table.
    pub errors: ConfigErrors,
}

impl SuspendedOutlet {
    /// Describes the errors in one line.
    pub fn reason(&self) -> String {
        let ConfigErrors(errors) = &self.errors;
        let first =
            errors.first().map_or(String::new(), |ConfigError { file, message, location: place }| match place {
                Some(place) => format!("{file}:{}: {message}", place.line),
                None => format!("{file}: {message}"),
            });
        match errors.len() {
            0 | 1 => first,
            more => format!("{first} (and {} more)", more - 1),
        }
    }
}

/// Returns the default folder of an outlet.
pub(super) fn default_directory(name: &str) -> PathBuf {
    if name == PUBLIC { PUBLIC.into() } else { format!("{PUBLIC}-{name}").into() }
}

/// Reads `[public]` and all `[[outlet]]` separately: returns the valid ones, `public` first, and the invalid ones. `beside`: errors of
/// environment variables, by outlet name.
pub(super) fn read(
    top: &mut ConfigTable,
    beside: Vec<(String, ConfigError)>,
) -> (Vec<OutletConfig>, Vec<SuspendedOutlet>) {
    let mut outlets = OutletTables { beside, ..OutletTables::default() };
    let public = top.table(Section::Public);
    outlets.add(top, public, Some(PUBLIC));
    match top.take("outlet").map(|value| value.tables(Section::Outlet)) {
        Some(Ok(tables)) => tables.into_iter().for_each(|table| outlets.add(top, Ok(table), None)),
        Some(Err(error)) => outlets.add(top, Err(error), None),
        None => {}
    }
    // Variables for outlets that do not exist.
    for (name, error) in std::mem::take(&mut outlets.beside) {
        outlets.suspend(name, None, true, vec![error]);
    }
    (outlets.valid, outlets.suspended)
}

#[derive(Default)]
struct OutletTables {
    valid: Vec<OutletConfig>,
    suspended: Vec<SuspendedOutlet>,
    /// Names and folders that must be unique, with their locations.
    names: Vec<(String, SourceLine)>,
    folders: Vec<(PathBuf, SourceLine)>,
    beside: Vec<(String, ConfigError)>,
}

impl OutletTables {
    /// Reads one table. `name`: fixed name of the outlet.
    fn add(&mut self, top: &ConfigTable, table: Result<ConfigTable, ConfigError>, name: Option<&str>) {
        let text = |key: &'static str| table.as_ref().ok()?.values().find(|value| value.key == key)?.string().ok();
        let spot = table.as_ref().map_or_else(|error| error.source_line(), |table| Some(table.source_line()));
        let shown = match (name.or(text("name")), spot) {
            (Some(name), _) => name.to_owned(),
            (None, Some(spot)) => format!("outlet ({spot})"),
            (None, None) => "outlet".to_owned(),
        };
        let directory = text("directory").filter(|_| name.is_none()).map(PathBuf::from);
        let names_delay = |key: &str| key.contains("delay") || is_typo("delay", key) || is_typo("delay-plies", key);
        let is_delay = |value: &Value| names_delay(&value.key) && value.scalar().ok().as_deref() != Some("0");
        let has_delay = table.as_ref().map_or(true, |table| table.values().any(is_delay));
        let (read, mut errors) = top.scoped(|| match table {
            Ok(table) => self.read_table(table, name),
            Err(error) => {
                top.record(error);
                None
            }
        });
        let beside = std::mem::take(&mut self.beside);
        let (own, others) = beside.into_iter().partition::<Vec<_>, _>(|(of, _)| *of == shown);
        self.beside = others;
        errors.extend(own.into_iter().map(|(_, error)| error));
        match read {
            Some(outlet) if errors.is_empty() => self.valid.push(outlet),
            _ => self.suspend(shown, directory, has_delay, errors),
        }
    }

    fn suspend(&mut self, name: String, directory: Option<PathBuf>, has_delay: bool, errors: Vec<ConfigError>) {
        let directory = directory.unwrap_or_else(|| default_directory(&name));
        // A suspended outlet must not share the name or the folder of a valid one.
        let is_taken = self.valid.iter().any(|other| other.name == name || other.directory == directory);
        let name = if is_taken { format!("{name} (again)") } else { name };
        let directory = if is_taken { PathBuf::from(&name) } else { directory };
        self.suspended.push(SuspendedOutlet { name, directory, has_delay, errors: ConfigErrors(errors) });
    }

    fn read_table(&mut self, mut table: ConfigTable, fixed: Option<&str>) -> Option<OutletConfig> {
        let spot = table.source_line();
        let default = OutletConfig::default();
        let (name, directory) = match fixed {
            Some(name) => {
                self.names.push((name.to_owned(), spot.clone()));
                (Some(name.to_owned()), None)
            }
            None => (
                table.required("name", "\"world\"", |value| self.read_name(value)),
                table.read("directory", |value| read_directory(value)),
            ),
        };
        let of_folder = directory.is_some();
        let profile = table.read("profile", |value| value.string()?.parse().map_err(|error| value.error(error)));
        let seconds = table.whole("delay").unwrap_or_default() as u32;
        let plies = table.whole("delay-plies").unwrap_or_default() as u32;
        let durability = read_durability(&mut table);
        let group = table.read("group", read_group);
        let name = name?;
        let directory = directory.unwrap_or_else(|| default_directory(&name));
        if let Some((other, at)) = self.folders.iter().find(|(other, _)| overlaps(other, &directory)) {
            let subject = if of_folder { "`directory`" } else { "its folder" };
            table.record(table.error(format!(
                "{subject} {} and {}, the folder of the outlet in {at}, are one, or one is in the other; give each outlet a \
                 `directory` of its own",
                directory.display(),
                other.display()
            )));
        } else {
            self.folders.push((directory.clone(), spot));
        }
        table.reject_unknown();
        Some(OutletConfig {
            name,
            directory,
            profile: profile.unwrap_or(default.profile),
            delay: Delay { seconds, plies },
            durability,
            group,
        })
    }

    fn read_name(&mut self, value: &Value) -> Result<String, ConfigError> {
        let name = value.string()?;
        if !is_name(name, MAX_NAME_LEN) {
            return Err(value.error(format!(
                "`name` becomes part of names of files: 1 to {MAX_NAME_LEN} letters, digits, `-`, `_` and `.`, no `.` in front"
            )));
        }
        if let Some((_, spot)) = self.names.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
            let line = value.line_for_message(spot);
            let other =
                if name.eq_ignore_ascii_case(PUBLIC) { "that of [public]".into() } else { format!("taken, in {line}") };
            return Err(value.error(format!("the `name` `{name}` is {other}; give this outlet another")));
        }
        self.names.push((name.to_owned(), value.source_line()));
        Ok(name.to_owned())
    }
}

/// Whether the name has only letters, digits, `-`, `_` and `.`, and no leading `.`.
pub(super) fn is_name(name: &str, longest: usize) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= longest && !name.starts_with('.') && name.bytes().all(is_safe)
}

fn read_directory(value: &Value) -> Result<PathBuf, ConfigError> {
    let path = Path::new(value.string()?);
    let is_plain = |part: Component| match part {
        Component::Normal(name) => name.to_str().is_some_and(|name| is_name(name, 255)),
        _ => false,
    };
    if path.as_os_str().is_empty() || !path.components().all(is_plain) {
        return Err(value.error(
            "`directory` is a folder in that of the station, like \"public-world\": names of letters, digits, `-`, `_` and `.`, with \
             `/` between them; readers elsewhere get the files from there",
        ));
    }
    let first = path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    if let Some(own) =
        RESERVED_NAMES.iter().find(|own| first.as_ref().is_some_and(|first| first.eq_ignore_ascii_case(own)))
    {
        return Err(
            value.error(format!("`directory` lies in `{own}`, which is the station's own; give the outlet another"))
        );
    }
    Ok(path.components().collect())
}

pub(super) fn read_group(value: &Value) -> Result<String, ConfigError> {
    let name = value.string()?;
    if is_name(name, MAX_GROUP_LEN) && !name.starts_with('-') {
        return Ok(name.to_owned());
    }
    Err(value.error(format!("`group` is the name of a group of this machine, of at most {MAX_GROUP_LEN} letters")))
}

/// Whether two folders are equal or one contains the other. Ignores case, as some file systems do.
fn overlaps(one: &Path, other: &Path) -> bool {
    let lower = |path: &Path| PathBuf::from(path.to_string_lossy().to_ascii_lowercase());
    let (one, other) = (lower(one), lower(other));
    one.starts_with(&other) || other.starts_with(&one)
}
