//! `[hub]`: the halls of an event that `damcast hub` joins. Only that process uses it, so a mistake in it stops nothing else.
//!
//! ```toml
//! [[hub.hall]]
//! name = "room-1"
//! folder = "recordings/public"
//! [[hub.hall]]
//! name = "room-2"
//! url = "http://laptop-2.local:8080"
//! ```

use std::path::{Component, Path, PathBuf};

use draughts_pdn::profile::ReaderProfile;

use super::document::{ConfigError, ConfigErrors};
use super::environment;
use super::keys::Section;
use super::sources::Sources;
use super::value::{ConfigTable, Value};

/// Name that `[serve]` and others use for the folder of the hub.
pub const HUB: &str = "hub";
/// State file of the service.
const SERVICE_STATE_FILE: &str = "/run/damcast-hub/state.json";
/// Maximum length of a hall's name.
const MAX_NAME_LEN: usize = 32;
/// Maximum length of a hall's address.
const MAX_URL_LEN: usize = 2000;
/// Largest number of halls.
const MAX_HALLS: usize = 64;

/// Settings of the hub.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HubConfig {
    /// Folder of the hub, which is an outlet.
    pub directory: PathBuf,
    /// Reader whose rules the copied files must obey.
    pub profile: ReaderProfile,
    /// State file for operators.
    pub state_file: PathBuf,
    /// Halls in the order of their boards; at least one.
    pub halls: Vec<HallConfig>,
}

/// Hall of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HallConfig {
    /// Name, the first part of the names of its boards.
    pub name: String,
    /// Place of its files.
    pub source: HallSource,
}

/// Place of a hall's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HallSource {
    /// Folder of an outlet on this machine.
    Folder(PathBuf),
    /// Address of the pages of a station or a hub, without a slash at its end.
    Url {
        /// Address.
        url: String,
        /// File with the certificates to trust, in place of those of the system.
        ca: Option<PathBuf>,
    },
}

impl HubConfig {
    /// Reads the settings of the hub from a configuration; its other tables may be invalid or missing.
    ///
    /// # Errors
    ///
    /// Returns all errors: a file cannot be read or is not TOML, or `[hub]` is invalid or has no hall.
    pub fn load(path: &Path) -> Result<HubConfig, ConfigErrors> {
        let sources = Sources::from_file(path)?.with_environment(environment());
        let mut config = sources.with_tables(|top, _| read(top))?;
        let base = sources.base();
        config.directory = base.join(&config.directory);
        config.state_file = match path.starts_with("/etc") {
            true => SERVICE_STATE_FILE.into(),
            false => config.directory.with_extension("state.json"),
        };
        for hall in &mut config.halls {
            match &mut hall.source {
                HallSource::Folder(file) | HallSource::Url { ca: Some(file), .. } => *file = base.join(&file),
                HallSource::Url { ca: None, .. } => {}
            }
        }
        Ok(config)
    }
}

/// Returns the folder of the hub in the configuration's folder; `None` without `[hub]`.
pub(super) fn directory(top: &ConfigTable) -> Option<PathBuf> {
    let mut top = top.clone();
    let mut table = top.take(HUB)?.table(Section::Hub).ok()?;
    let directory = table.take("directory").and_then(|value| value.string().ok().map(PathBuf::from));
    Some(directory.unwrap_or_else(|| HUB.into()))
}

/// Reads the table and records its errors.
pub(super) fn read(mut top: ConfigTable) -> Option<HubConfig> {
    let mut table = top.section(Section::Hub);
    let directory = table.read("directory", |value| match value.string()? {
        "" => Err(value.error("`directory` is a folder for the files of the hub, as \"hub\"")),
        folder => Ok(PathBuf::from(folder)),
    });
    let profile = table.read("profile", |value| value.string()?.parse().map_err(|error| value.error(error)));
    let directory = directory.unwrap_or_else(|| HUB.into());
    let mut halls: Vec<HallConfig> = Vec::new();
    let tables = table.take("hall").map(|value| value.tables(Section::Hall));
    let has_halls = tables.is_some();
    match tables {
        Some(Ok(tables)) => {
            for hall in tables {
                halls.extend(read_hall(hall, &halls, &directory));
            }
        }
        Some(Err(error)) => table.record(error),
        None => {}
    }
    if halls.is_empty() && !has_halls {
        table.record(
            table.error("[hub] needs a table [[hub.hall]] for each hall, with `name` and `url` or `folder`".into()),
        );
    }
    if halls.len() > MAX_HALLS {
        table.record(table.error(format!("[hub] has {} halls; a hub joins at most {MAX_HALLS}", halls.len())));
    }
    table.reject_unknown();
    let state_file = PathBuf::new();
    (!halls.is_empty()).then(|| HubConfig {
        directory,
        state_file,
        profile: profile.unwrap_or(ReaderProfile::Lidraughts),
        halls,
    })
}

fn read_hall(mut table: ConfigTable, others: &[HallConfig], directory: &Path) -> Option<HallConfig> {
    let has_place = table.values().any(|value| matches!(&*value.key, "url" | "folder"));
    let name = table.required("name", "\"room-1\"", |value| read_name(value, others));
    let folder = table.read("folder", |value| read_folder(value, directory));
    let url = table.read("url", read_url);
    let ca = table.read("ca-file", |value| match value.string()? {
        path if path.chars().any(char::is_control) || path.is_empty() => {
            Err(value.error("`ca-file` is the path of a file"))
        }
        path => Ok(PathBuf::from(path)),
    });
    let source = match (folder, url) {
        (Some(_), Some(_)) => {
            table.record(table.error("a hall has `url` or `folder`, not both".into()));
            None
        }
        (Some(folder), None) => Some(HallSource::Folder(folder)),
        (None, Some(url)) => Some(HallSource::Url { url, ca }),
        (None, None) => {
            if !has_place {
                let text = "a hall needs `url`, the address of its pages, as \"http://laptop-2.local:8080\", or `folder`, \
                            an outlet on this machine, as \"recordings/public\"";
                table.record(table.error(text.into()));
            }
            None
        }
    };
    let source = source.filter(|source| match others.iter().find(|other| other.source == *source) {
        Some(other) => {
            let name = &other.name;
            table.record(table.error(format!("this hall has the same place as `{name}`; a station is one hall only")));
            false
        }
        None => true,
    });
    table.reject_unknown();
    Some(HallConfig { name: name?, source: source? })
}

fn read_name(value: &Value, others: &[HallConfig]) -> Result<String, ConfigError> {
    let name = value.string()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() || name.len() > MAX_NAME_LEN || !name.bytes().all(is_plain) {
        return Err(value.error(format!(
            "`name` stands before the names of the hall's boards, with a dot between: 1 to {MAX_NAME_LEN} letters, digits, `-` and `_`"
        )));
    }
    match others.iter().find(|other| other.name.eq_ignore_ascii_case(name)) {
        Some(_) => Err(value.error(format!("the `name` `{name}` is taken; give this hall another"))),
        None => Ok(name.to_owned()),
    }
}

fn read_folder(value: &Value, directory: &Path) -> Result<PathBuf, ConfigError> {
    let folder = Path::new(value.string()?);
    let plain = |path: &Path| path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    if folder.as_os_str().is_empty() {
        return Err(value.error("`folder` is the folder of an outlet on this machine, as \"recordings/public\""));
    }
    if plain(folder) == plain(directory) {
        return Err(value.error("`folder` is the folder of the hub itself; a hall has another"));
    }
    Ok(folder.to_owned())
}

/// Reads the address of a hall's pages.
fn read_url(value: &Value) -> Result<String, ConfigError> {
    let text = value.string()?;
    let wrong = |reason: &str| {
        Err(value.error(format!("`url` is the address of a hall's pages, as \"http://laptop-2.local:8080\"; {reason}")))
    };
    let Some(rest) = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")) else {
        return wrong("it begins with http:// or https://");
    };
    let is_plain =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'\'' | b'<' | b'>' | b'`' | b'{' | b'}');
    if text.len() > MAX_URL_LEN || !text.bytes().all(is_plain) {
        return wrong("it has no spaces, quotation marks, backslashes or control characters");
    }
    let host = rest.split('/').next().unwrap_or_default();
    if host.is_empty() || host.starts_with(['-', ':']) {
        return wrong("it names a machine");
    }
    if host.contains('@') {
        return wrong("it has no user name and no password, which would stand in logs");
    }
    if rest.contains(['?', '#']) {
        return wrong("it has no `?` and no `#`");
    }
    Ok(text.trim_end_matches('/').to_owned())
}
