//! `[serve]`: the pages for viewers. Only `damcast serve` uses it, so a mistake in it stops nothing else.
//!
//! ```toml
//! [serve]
//! address = "0.0.0.0:8080"
//! outlet = "public"
//! ```

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::document::{ConfigError, ConfigErrors};
use super::hub::HUB;
use super::keys::Section;
use super::sources::Sources;
use super::value::{ConfigTable, Value};
use super::{environment, hub, outlet};

/// Settings of the viewers' pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServeConfig {
    /// Address that the pages listen on; a socket of the service manager replaces it.
    pub address: SocketAddr,
    /// Folder of the outlet.
    pub folder: PathBuf,
    /// Accepted host names.
    pub hosts: Vec<String>,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Whether pages poll instead of keeping a stream open.
    pub is_polled: bool,
    /// Code of the language of the pages; `None` leaves it to the browser.
    pub language: Option<&'static str>,
}

/// Default folder of the recordings, as in the installed configuration.
const DEFAULT_DIRECTORY: &str = "recordings";
/// Maximum length of a host name.
const MAX_HOST_LEN: usize = 253;

impl ServeConfig {
    /// Reads the settings of the pages from a configuration; its other tables may be invalid or missing.
    ///
    /// # Errors
    ///
    /// Returns all errors: a file cannot be read or is not TOML, or `[serve]` is invalid.
    pub fn load(path: &Path) -> Result<ServeConfig, ConfigErrors> {
        ServeConfig::from_sources(&Sources::from_file(path)?.with_environment(environment()))
    }

    /// Reads the settings of the pages from sources.
    ///
    /// # Errors
    ///
    /// Returns the errors listed at [`ServeConfig::load`].
    pub fn from_sources(sources: &Sources) -> Result<ServeConfig, ConfigErrors> {
        let read = sources.with_tables(|top, _| read(top));
        read.map(|config| ServeConfig { folder: sources.base().join(&config.folder), ..config })
    }
}

/// Reads the table and records its errors.
pub(super) fn read(mut top: ConfigTable) -> Option<ServeConfig> {
    let mut table = top.section(Section::Serve);
    let address = table.read("address", |value| {
        let wrong = "`address` is an address of this machine with a port, as in \"0.0.0.0:8080\"";
        value.string()?.parse().map_err(|_| value.error(wrong))
    });
    let hosts = table.read("hosts", hosts);
    let trusted_proxies = table.read("trusted-proxies", proxies);
    let is_polled = table.choice("live") == Some("poll");
    let language = table.choice("language");
    let folder = match table.take("outlet") {
        None => Ok(recording_directory(&top).join(outlet::PUBLIC)),
        Some(value) => folder(&top, &value),
    };
    let folder = folder.map_err(|error| top.record(error)).ok();
    table.reject_unknown();
    Some(ServeConfig {
        address: address.unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 8080)),
        folder: folder?,
        hosts: hosts.unwrap_or_default(),
        trusted_proxies: trusted_proxies.unwrap_or_default(),
        is_polled,
        language,
    })
}

/// Returns the folder of the recordings, the default if it is missing or invalid.
pub(super) fn recording_directory(top: &ConfigTable) -> PathBuf {
    let mut top = top.clone();
    let directory = top
        .table(Section::Station)
        .ok()
        .and_then(|mut station| Some(station.take("directory")?.string().ok()?.to_owned()));
    directory.filter(|directory| !directory.is_empty()).unwrap_or_else(|| DEFAULT_DIRECTORY.to_owned()).into()
}

/// Returns the folder of an outlet, given by its name or as a path.
pub(super) fn folder(top: &ConfigTable, value: &Value) -> Result<PathBuf, ConfigError> {
    let name = value.string()?;
    if name.contains('/') {
        return Ok(name.into());
    }
    if let Some(directory) = hub::directory(top).filter(|_| name == HUB) {
        return Ok(directory);
    }
    let mut other = top.clone();
    let has_station = other.take("station").is_some();
    // Ignore outlet errors here: only names and folders are needed.
    let (known, _) = top.scoped(|| {
        let (right, held) = outlet::read(&mut other, Vec::new());
        let right = right.into_iter().map(|outlet| (outlet.name, outlet.directory));
        right.chain(held.into_iter().map(|held| (held.name, held.directory))).collect::<Vec<_>>()
    });
    match known.iter().find(|(known, _)| known == name) {
        Some((_, directory)) => Ok(recording_directory(top).join(directory)),
        None if !has_station && outlet::is_name(name, 32) => {
            Ok(recording_directory(top).join(outlet::default_directory(name)))
        }
        None => {
            let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
            Err(value.error(format!(
                "`outlet` is the name of an outlet, or the path of a folder; there is {}, not {name:?}",
                names.join(", ")
            )))
        }
    }
}

/// Reads the accepted host names.
pub(super) fn hosts(value: &Value) -> Result<Vec<String>, ConfigError> {
    let names = value.strings()?;
    if let Some(wrong) = names.iter().find(|name| !is_host(name)) {
        let message = "a name without port and path, as in \"live.example.org\"";
        return Err(value.error(format!("`hosts` lists names that people may use; {wrong:?} is not {message}")));
    }
    Ok(names)
}

/// Reads the addresses of trusted proxies.
pub(super) fn proxies(value: &Value) -> Result<Vec<IpAddr>, ConfigError> {
    let wrong = "`trusted-proxies` lists addresses, as in [\"127.0.0.1\"]";
    let all = value.strings().map_err(|_| value.error(wrong))?;
    all.iter().map(|address| address.parse().map_err(|_| value.error(wrong))).collect()
}

fn is_host(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !name.is_empty() && name.len() <= MAX_HOST_LEN && name.bytes().all(is_plain) && !name.starts_with(['.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<ServeConfig, String> {
        ServeConfig::from_sources(&Sources::from_text("x.toml", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn table_alone_is_valid_and_optional() {
        let all = of("").unwrap();
        assert_eq!((all.address.to_string(), all.folder), ("0.0.0.0:8080".into(), "recordings/public".into()));
        assert_eq!(of("[serve]\noutlet = \"world\"\n").unwrap().folder, Path::new("recordings/public-world"));
        assert_eq!(of("[serve]\noutlet = \"/srv/x\"\n").unwrap().folder, Path::new("/srv/x"));
    }

    #[test]
    fn finds_outlet_despite_other_mistakes() {
        let station = "[station]\ndirectory = \"r\"\nnonsense = 1\n[public]\ndelay = \"soon\"\n[[outlet]]\nname = \"world\"\n\
                       directory = \"far\"\n";
        assert_eq!(of(station).unwrap().folder, Path::new("r/public"));
        let world = format!("{station}[serve]\noutlet = \"world\"\n");
        assert_eq!(of(&world).unwrap().folder, Path::new("r/far"));
        let other = of(&format!("{station}[serve]\noutlet = \"hall\"\n")).unwrap_err();
        assert!(other.contains("there is `world`, `public`, not \"hall\"") && other.contains("x.toml:10"), "{other}");
    }

    #[test]
    fn mistake_is_reported_with_place() {
        for (pair, message) in [
            ("address = \"8080\"", "`address` is an address"),
            ("hosts = [\"http://x\"]", "without port and path"),
            ("hosts = \"x\"", "a list of strings"),
            ("trusted-proxies = [\"proxy\"]", "lists addresses"),
            ("adress = \"0.0.0.0:1\"", "unknown key `adress`"),
            ("outlet = 5", "`outlet`"),
            ("live = \"push\"", "`live`"),
            ("language = \"de\"", "`language`"),
        ] {
            let error = of(&format!("[serve]\n{pair}\n")).unwrap_err();
            assert!(error.contains(message) && error.contains("x.toml:2"), "{error}");
        }
    }
}
