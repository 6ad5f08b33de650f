//! `[desk]`: the page for operators and arbiters, and the metrics. Only `damcast desk` uses it, so a mistake in it stops nothing else.
//! That command needs only the location of the station from the rest of a configuration.
//!
//! ```toml
//! [desk]
//! address = "127.0.0.1:8081"
//! password-file = "/etc/damcast/desk-passwords"
//! ```

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::document::{ConfigError, ConfigErrors};
use super::keys::Section;
use super::sources::Sources;
use super::value::{ConfigTable, Value};
use super::{environment, serve};

/// Settings of the desk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeskConfig {
    /// Address that the desk listens on.
    pub address: SocketAddr,
    /// File of the names and passwords that may log in.
    pub password_file: Option<PathBuf>,
    /// Accepted host names.
    pub hosts: Vec<String>,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Address that serves metrics.
    pub metrics: Option<SocketAddr>,
    /// Address of the viewers' pages.
    pub viewers: Option<String>,
    /// Address of the page of tables without electronic boards.
    pub entry: Option<String>,
    /// Command of the program that pairs Swiss rounds; empty if there is none.
    pub engine: Vec<String>,
    /// Control socket of the station, if configured.
    pub socket: Option<PathBuf>,
    /// Folder of the station, if configured.
    pub directory: Option<PathBuf>,
}

/// Default address of the desk.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(LOOPBACK, 8081);
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Maximum length of the viewers' address in bytes; longer ones make QR codes that cannot be read from afar.
const MAX_VIEWERS_LEN: usize = 200;

impl DeskConfig {
    /// Reads the desk's settings from a configuration; its other tables may be invalid or missing.
    ///
    /// # Errors
    ///
    /// Returns all errors: a file cannot be read or is not TOML, or `[desk]` is invalid.
    pub fn load(path: &Path) -> Result<DeskConfig, ConfigErrors> {
        DeskConfig::from_sources(&Sources::from_file(path)?.with_environment(environment()))
    }

    /// Reads the desk's settings from sources.
    ///
    /// # Errors
    ///
    /// Returns the errors listed at [`DeskConfig::load`].
    pub fn from_sources(sources: &Sources) -> Result<DeskConfig, ConfigErrors> {
        let whereabouts = sources.socket_candidates();
        let engine = sources.pairing_engine()?;
        let read = sources.with_tables(|top, _| Some(read(top)));
        read.map(|config| DeskConfig {
            password_file: config.password_file.map(|file| sources.base().join(file)),
            engine,
            socket: whereabouts.socket,
            directory: whereabouts.directory,
            ..config
        })
    }
}

/// Parses a listen address; a port alone means the loopback address.
fn parse_listen_address(value: &Value, example: &str) -> Result<SocketAddr, ConfigError> {
    let wrong = format!("`{}` is an address of this machine with a port, as in \"{example}\"", value.key);
    let text = value.string()?;
    let of_loopback = text.parse().map(|port| SocketAddr::new(LOOPBACK, port));
    of_loopback.or_else(|_| text.parse()).map_err(|_| value.error(wrong))
}

/// Reads the address of a page for people.
fn page_address(value: &Value, example: &str) -> Result<String, ConfigError> {
    let address = value.string()?;
    let rest = ["http://", "https://"].iter().find_map(|scheme| address.strip_prefix(scheme));
    let is_plain = address.len() <= MAX_VIEWERS_LEN && address.bytes().all(|byte| byte.is_ascii_graphic());
    match rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '['))
        && is_plain
    {
        true => Ok(address.to_owned()),
        false => Err(value.error(format!("`{}` is the address of the page, as in \"{example}\"", value.key))),
    }
}

/// Reads the table and records its errors.
pub(super) fn read(mut top: ConfigTable) -> DeskConfig {
    let mut table = top.section(Section::Desk);
    let password_file = table.read("password-file", |value| match value.string()? {
        "" => Err(value.error("`password-file` is the path of a file")),
        file => Ok(PathBuf::from(file)),
    });
    let hosts = table.read("hosts", serve::hosts);
    let trusted_proxies = table.read("trusted-proxies", serve::proxies).unwrap_or_default();
    let is_shielded = password_file.is_some() && !trusted_proxies.is_empty();
    let address = table.read("address", |value| {
        let address = parse_listen_address(value, "127.0.0.1:8081")?;
        if address.ip().is_loopback() || is_shielded {
            return Ok(address);
        }
        Err(value.error(format!(
            "other machines can reach {address}, and users of the desk can change what is published: that needs \
             `password-file`, and `trusted-proxies` with the proxy in front that speaks TLS (docs/desk.md); without them the address \
             is one of loopback, as in \"127.0.0.1:8081\""
        )))
    });
    let metrics = table.read("metrics", |value| parse_listen_address(value, "127.0.0.1:9377"));
    let viewers = table.read("viewers", |value| page_address(value, "http://192.168.1.5:8080/"));
    let entry = table.read("entry", |value| page_address(value, "http://192.168.1.5:8082/"));
    table.reject_unknown();
    DeskConfig {
        address: address.unwrap_or(DEFAULT_ADDRESS),
        password_file,
        hosts: hosts.unwrap_or_default(),
        trusted_proxies,
        metrics,
        viewers,
        entry,
        engine: Vec::new(),
        socket: None,
        directory: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<DeskConfig, String> {
        DeskConfig::from_sources(&Sources::from_text("x.toml", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn desk_is_local_unless_shielded() {
        let none = of("").unwrap();
        assert_eq!((none.address, none.metrics, none.password_file), (DEFAULT_ADDRESS, None, None));
        let open = "[desk]\naddress = \"0.0.0.0:8081\"\n";
        for keys in ["", "password-file = \"p\"\n", "trusted-proxies = [\"127.0.0.1\"]\n"] {
            let error = of(&format!("{open}{keys}")).unwrap_err();
            assert!(error.contains("x.toml:2") && error.contains("password-file"), "{error}");
        }
        let shielded = of(&format!("{open}password-file = \"p\"\ntrusted-proxies = [\"127.0.0.1\"]\n")).unwrap();
        assert_eq!(shielded.address.to_string(), "0.0.0.0:8081");
        assert!(of("[desk]\naddress = \"[::1]:1\"\n").is_ok());
    }

    #[test]
    fn desk_needs_no_other_key_and_finds_station() {
        let config = of("[station]\ndirectory = \"r\"\nnonsense = 1\n[serve]\nx = 1\n").unwrap();
        assert!(config.directory.is_some_and(|directory| directory.ends_with("r")));
    }

    #[test]
    fn a_port_alone_is_of_this_machine() {
        let config = of("[desk]\nmetrics = \"9377\"\n").unwrap();
        assert_eq!(config.metrics.map(|address| address.to_string()).as_deref(), Some("127.0.0.1:9377"));
    }

    #[test]
    fn viewer_address_is_configurable() {
        let config = of("[desk]\nviewers = \"https://live.example.org/\"\n").unwrap();
        assert_eq!(config.viewers.as_deref(), Some("https://live.example.org/"));
    }

    #[test]
    fn engine_is_that_of_tournament() {
        let config = of("[tournament]\nboards = 7\nengine = [\"python3\", \"pair me.py\"]\n").unwrap();
        assert_eq!(config.engine, ["python3", "pair me.py"]);
        for value in ["[]", "[\"\"]", "\"bbpPairings\""] {
            let error = of(&format!("[tournament]\nengine = {value}\n")).unwrap_err();
            assert!(error.contains("`engine`") && error.contains("x.toml:2"), "{error}");
        }
    }

    #[test]
    fn mistake_is_reported_with_place() {
        for (pair, message) in [
            ("address = \"80810\"", "`address` is an address"),
            ("metrics = \"localhost\"", "`metrics` is an address"),
            ("metrics = \"99999\"", "`metrics` is an address"),
            ("metrics = 9377", "`metrics`"),
            ("viewers = \"live.example.org\"", "`viewers` is the address of the page"),
            ("viewers = \"http://\"", "`viewers` is the address of the page"),
            ("hosts = [\"http://x\"]", "without port and path"),
            ("password-file = \"\"", "path of a file"),
            ("passwords = \"x\"", "unknown key `passwords`"),
        ] {
            let error = of(&format!("[desk]\n{pair}\n")).unwrap_err();
            assert!(error.contains(message) && error.contains("x.toml:2"), "{error}");
        }
    }
}
