//! The outlets: folders for readers, each with its own delay, profile and group. `[public]` is the first, each `[[outlet]]` another.
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
//! What is wrong with one of these tables is wrong with that outlet alone: `damcast config check` refuses the file, and
//! `damcast run` records all the same and holds that outlet back ([`SuspendedOutlet`]).

use std::path::{Component, Path, PathBuf};

use super::document::{ConfigError, ConfigErrors};
use super::operation::integer_between;
use super::read_durability;
use super::value::{ConfigTable, SourceLine, Value, is_typo};
use crate::engine::broadcast::Delay;
use crate::engine::profile::ReaderProfile;
use crate::station::disk::Durability;

/// The name of the outlet that is always there, and its folder.
pub const PUBLIC: &str = "public";

/// A name becomes part of names of files.
const MAX_NAME_LEN: usize = 32;
/// The system allows no longer name of a group.
const MAX_GROUP_LEN: usize = 32;
/// What a station has in its directory, which no outlet may be.
const RESERVED_NAMES: [&str; 5] = ["log", "live", "commits", "damcast.lock", "control.sock"];

/// A folder for some readers, made from the games: `events.ndjson`, `games.pdn`, `started.pdn`, `archive/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutletConfig {
    /// Its name.
    pub name: String,
    /// Its folder, from the station's directory on.
    pub directory: PathBuf,
    /// Whose readers `games.pdn` and `started.pdn` are written for.
    pub profile: ReaderProfile,
    /// How much later than the recording it shows something.
    pub delay: Delay,
    /// Whether its files are made durable at once.
    pub durability: Durability,
    /// The group that may read it; `None`: whoever the folder lets.
    pub group: Option<String>,
}

impl Default for OutletConfig {
    /// The outlet `public` of a configuration that says nothing of it.
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

/// An outlet whose table is wrong: its files stay as they are until that is mended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuspendedOutlet {
    /// Its name; of one that has none the place of its table.
    pub name: String,
    /// Its folder, from the station's directory on, as far as that is known.
    pub directory: PathBuf,
    /// Is it meant to show something later than it was recorded?
    pub has_delay: bool,
    /// All that is wrong with it.
    pub errors: ConfigErrors,
}

impl SuspendedOutlet {
    /// What is wrong with it, in one line.
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

/// The folder of an outlet that names none.
pub(super) fn default_directory(name: &str) -> PathBuf {
    if name == PUBLIC { PUBLIC.into() } else { format!("{PUBLIC}-{name}").into() }
}

/// Reads `[public]` and all `[[outlet]]`, each by itself: those that are right, `public` first, and those that are not.
/// `beside`: what is wrong with them in the environment, by the name of the outlet.
pub(super) fn read(
    top: &mut ConfigTable,
    beside: Vec<(String, ConfigError)>,
) -> (Vec<OutletConfig>, Vec<SuspendedOutlet>) {
    let mut outlets = OutletTables { beside, ..OutletTables::default() };
    let public = top.table(PUBLIC, "[public]");
    outlets.add(top, public, Some(PUBLIC));
    match top.take("outlet").map(|value| value.tables("[[outlet]]")) {
        Some(Ok(tables)) => tables.into_iter().for_each(|table| outlets.add(top, Ok(table), None)),
        Some(Err(error)) => outlets.add(top, Err(error), None),
        None => {}
    }
    // Variables that name an outlet which is not there.
    for (name, error) in std::mem::take(&mut outlets.beside) {
        outlets.suspend(name, None, true, vec![error]);
    }
    (outlets.valid, outlets.suspended)
}

#[derive(Default)]
struct OutletTables {
    valid: Vec<OutletConfig>,
    suspended: Vec<SuspendedOutlet>,
    /// What must not come twice: names and folders, each with its place.
    names: Vec<(String, SourceLine)>,
    folders: Vec<(PathBuf, SourceLine)>,
    beside: Vec<(String, ConfigError)>,
}

impl OutletTables {
    /// Reads one table. `name`: it has no other.
    fn add(&mut self, top: &ConfigTable, table: Result<ConfigTable, ConfigError>, name: Option<&str>) {
        let read_outlet = match &table {
            Ok(table) => table.values().find(|value| value.key == "name").and_then(|value| value.string().ok()),
            Err(_) => None,
        };
        let spot = table.as_ref().map_or_else(|error| error.source_line(), |table| Some(table.source_line()));
        let shown = name.or(read_outlet).map(str::to_owned);
        let shown =
            shown.or_else(|| spot.map(|spot| format!("outlet ({spot})"))).unwrap_or_else(|| "outlet".to_owned());
        let directory = match &table {
            Ok(table) => table.values().find(|value| value.key == "directory").and_then(|value| value.string().ok()),
            Err(_) => None,
        };
        let directory = directory.filter(|_| name.is_none()).map(PathBuf::from);
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
        // What has the name or the folder of another is none of those.
        let is_taken = self.valid.iter().any(|other| other.name == name || other.directory == directory);
        let name = if is_taken { format!("{name} (again)") } else { name };
        let directory = if is_taken { PathBuf::from(&name) } else { directory };
        self.suspended.push(SuspendedOutlet { name, directory, has_delay, errors: ConfigErrors(errors) });
    }

    fn read_table(&mut self, mut table: ConfigTable, fixed: Option<&str>) -> Option<OutletConfig> {
        /// A day: more is a mistake.
        const MAX_DELAY: u64 = 86_400;
        /// More plies than a game has.
        const MAX_DELAY_PLIES: u64 = 1000;
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
        let seconds = table.read("delay", |value| integer_between(value, 0, MAX_DELAY));
        let plies = table.read("delay-plies", |value| integer_between(value, 0, MAX_DELAY_PLIES));
        let durability = table.read("sync", read_durability);
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
            delay: Delay { seconds: seconds.unwrap_or(0) as u32, plies: plies.unwrap_or(0) as u32 },
            durability: durability.unwrap_or_default(),
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

/// Is it made of letters, digits, `-`, `_` and `.`, with no `.` in front?
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

fn read_group(value: &Value) -> Result<String, ConfigError> {
    let name = value.string()?;
    if is_name(name, MAX_GROUP_LEN) && !name.starts_with('-') {
        return Ok(name.to_owned());
    }
    Err(value.error(format!("`group` is the name of a group of this machine, of at most {MAX_GROUP_LEN} letters")))
}

/// Are two folders the same, or is one in the other? Some disks do not tell capital letters from small ones.
fn overlaps(one: &Path, other: &Path) -> bool {
    let lower = |path: &Path| PathBuf::from(path.to_string_lossy().to_ascii_lowercase());
    let (one, other) = (lower(one), lower(other));
    one.starts_with(&other) || other.starts_with(&one)
}
