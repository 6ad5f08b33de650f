//! `[[deliver]]`: commands that carry the files of an outlet elsewhere. Only `damcast deliver` uses it, so a mistake in it stops nothing
//! else.
//!
//! ```toml
//! [[deliver]]
//! name = "club-site"
//! command = ["/etc/damcast/deliver/rsync", "club@example.org:live/"]
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::document::{ConfigError, ConfigErrors, SourceLine};
use super::keys::Section;
use super::sources::Sources;
use super::value::{ConfigTable, Value};
use super::{environment, outlet, serve};

/// Maximum length of a name, which becomes part of file names.
const MAX_NAME_LEN: usize = 32;
/// Memory of the service.
const SERVICE_DIRECTORY: &str = "/var/lib/damcast-deliver";
/// State file of the service.
const SERVICE_STATE_FILE: &str = "/run/damcast-deliver/state.json";
/// Memory without a service, in the folder of the configuration.
const LOCAL_DIRECTORY: &str = "deliver";

/// All deliveries of a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliverConfig {
    /// Deliveries, in the order of the file.
    pub deliveries: Vec<DeliveryConfig>,
    /// Folder that remembers what is delivered.
    pub directory: PathBuf,
    /// State file for operators.
    pub state_file: PathBuf,
    /// Code of the language of pages, from `[serve]`; `None` without one.
    pub language: Option<&'static str>,
}

/// Delivery of an outlet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryConfig {
    /// Name.
    pub name: String,
    /// Folder of the outlet.
    pub folder: PathBuf,
    /// Program and its arguments.
    pub command: Vec<String>,
    /// Shortest time between two starts of the command.
    pub every: Duration,
    /// Time limit of the command.
    pub time_limit: Duration,
    /// Whether the pages of the outlet are delivered, in place of its files.
    pub has_pages: bool,
}

impl DeliverConfig {
    /// Reads the deliveries from a configuration; its other tables may be invalid or missing.
    ///
    /// # Errors
    ///
    /// Returns all errors: a file cannot be read or is not TOML, or a `[[deliver]]` is invalid.
    pub fn load(path: &Path) -> Result<DeliverConfig, ConfigErrors> {
        let sources = Sources::from_file(path)?.with_environment(environment());
        let config = DeliverConfig::from_sources(&sources)?;
        Ok(match path.starts_with("/etc") {
            true => {
                DeliverConfig { directory: SERVICE_DIRECTORY.into(), state_file: SERVICE_STATE_FILE.into(), ..config }
            }
            false => config,
        })
    }

    /// Reads the deliveries from sources.
    ///
    /// # Errors
    ///
    /// Returns the errors listed at [`DeliverConfig::load`].
    pub fn from_sources(sources: &Sources) -> Result<DeliverConfig, ConfigErrors> {
        let (mut deliveries, language) = sources.with_tables(|top, _| {
            // Mistakes in [serve] stop the pages only.
            let (serve, _) = top.scoped(|| serve::read(top.clone()));
            Some((read(top), serve.and_then(|serve| serve.language)))
        })?;
        for delivery in &mut deliveries {
            delivery.folder = sources.base().join(&delivery.folder);
            // A program without a slash is searched in `PATH`.
            if let Some(program) = delivery.command.first_mut().filter(|program| program.contains('/')) {
                *program = sources.base().join(&*program).display().to_string();
            }
        }
        let directory = sources.base().join(LOCAL_DIRECTORY);
        Ok(DeliverConfig { deliveries, state_file: directory.join("state.json"), directory, language })
    }
}

/// Reads all tables and records their errors.
pub(super) fn read(mut top: ConfigTable) -> Vec<DeliveryConfig> {
    let tables = match top.take(Section::Deliver.as_str()).map(|value| value.tables(Section::Deliver)) {
        Some(Ok(tables)) => tables,
        Some(Err(error)) => {
            top.record(error);
            return Vec::new();
        }
        None => return Vec::new(),
    };
    let mut names = Vec::new();
    tables.into_iter().filter_map(|table| read_delivery(&top, table, &mut names)).collect()
}

fn read_delivery(
    top: &ConfigTable,
    mut table: ConfigTable,
    names: &mut Vec<(String, SourceLine)>,
) -> Option<DeliveryConfig> {
    let name = table.required("name", "\"club-site\"", |value| read_name(value, names));
    let folder = match table.take("outlet") {
        None => Ok(serve::recording_directory(top).join(outlet::PUBLIC)),
        Some(value) => serve::folder(top, &value),
    };
    let folder = folder.map_err(|error| table.record(error)).ok();
    let example = "[\"/etc/damcast/deliver/rsync\", \"club@example.org:live/\"]";
    let command = table.required("command", example, |value| match value.strings()? {
        command if command.first().is_none_or(String::is_empty) => {
            Err(value.error(format!("the first of `command` is the program to run, as in {example}")))
        }
        command => Ok(command),
    });
    let every = table.whole("every").unwrap_or(5);
    let time_limit = table.whole("time-limit").unwrap_or(60);
    let has_pages = table.switch("pages").unwrap_or_default();
    table.reject_unknown();
    Some(DeliveryConfig {
        name: name?,
        folder: folder?,
        command: command?,
        every: Duration::from_secs(every),
        time_limit: Duration::from_secs(time_limit),
        has_pages,
    })
}

fn read_name(value: &Value, names: &mut Vec<(String, SourceLine)>) -> Result<String, ConfigError> {
    let name = value.string()?;
    if !outlet::is_name(name, MAX_NAME_LEN) {
        return Err(value.error(format!(
            "`name` becomes part of names of files: 1 to {MAX_NAME_LEN} letters, digits, `-`, `_` and `.`, no `.` in front"
        )));
    }
    if let Some((_, spot)) = names.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        let line = value.line_for_message(spot);
        return Err(value.error(format!("the `name` `{name}` is taken, in {line}; give this delivery another")));
    }
    names.push((name.to_owned(), value.source_line()));
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<DeliveryConfig>, String> {
        let read = DeliverConfig::from_sources(&Sources::from_text("x.toml", text));
        read.map(|config| config.deliveries).map_err(|error| error.to_string())
    }

    #[test]
    fn table_alone_is_valid() {
        assert_eq!(of(""), Ok(Vec::new()));
        let both = "[[deliver]]\nname = \"a\"\ncommand = [\"rsync\", \"x\"]\n\
                    [[deliver]]\nname = \"b\"\noutlet = \"/srv/x\"\ncommand = [\"./hook\"]\nevery = 60\ntime-limit = 5\n";
        let [one, other] = &of(both).unwrap()[..] else { panic!("two") };
        assert_eq!((one.name.as_str(), one.folder.as_path()), ("a", Path::new("recordings/public")));
        assert_eq!((one.every, one.time_limit), (Duration::from_secs(5), Duration::from_secs(60)));
        assert_eq!(one.command, ["rsync", "x"]);
        assert_eq!((other.folder.as_path(), other.every), (Path::new("/srv/x"), Duration::from_secs(60)));
    }

    #[test]
    fn finds_outlet_despite_other_mistakes() {
        let station = "[station]\ndirectory = \"r\"\nnonsense = 1\n[[outlet]]\nname = \"world\"\ndirectory = \"far\"\n";
        let table = "[[deliver]]\nname = \"a\"\noutlet = \"world\"\ncommand = [\"x\"]\n";
        assert_eq!(of(&format!("{station}{table}")).unwrap()[0].folder, Path::new("r/far"));
    }

    #[test]
    fn mistake_is_reported_with_place() {
        for (pairs, message) in [
            ("command = [\"x\"]", "[[deliver]] needs the key `name`"),
            ("name = \"a\"", "[[deliver]] needs the key `command`"),
            ("name = \"a\"\ncommand = []", "the first of `command`"),
            ("name = \"a\"\ncommand = \"x y\"", "a list of strings"),
            ("name = \"../a\"\ncommand = [\"x\"]", "becomes part of names of files"),
            ("name = \"a\"\ncommand = [\"x\"]\nevery = 0", "`every`"),
            ("name = \"a\"\ncommand = [\"x\"]\noutlet = \"a b\"", "`outlet`"),
            ("name = \"a\"\ncommand = [\"x\"]\npassword = \"b\"", "unknown key `password`"),
            ("name = \"a\"\ncommand = [\"x\"]\n[[deliver]]\nname = \"A\"\ncommand = [\"x\"]", "is taken"),
        ] {
            let error = of(&format!("[[deliver]]\n{pairs}\n")).unwrap_err();
            assert!(error.contains(message) && error.contains("x.toml:"), "{pairs}: {error}");
        }
    }
}
