//! `[entry]`: tables without electronic boards. The station makes a socket for them; `damcast entry` serves their page. A mistake in the
//! keys of the page stops nothing else.
//!
//! ```toml
//! [entry]
//! address = "0.0.0.0:8082"
//! ```

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use damcast_control::entry::{SERVICE_SOCKET_PATH, SOCKET_NAME};

use super::document::ConfigErrors;
use super::keys::Section;
use super::outlet;
use super::serve;
use super::sources::{SocketCandidates, Sources};
use super::value::ConfigTable;

/// Default address of the page.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 8082);

/// Access for the page of tables without electronic boards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryConfig {
    /// Path of the socket; `None` for `entry.sock` beside the control socket.
    pub socket: Option<PathBuf>,
    /// Group that may open the socket; `None` for that of its folder.
    pub group: Option<String>,
}

/// Settings of the page of tables without electronic boards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPageConfig {
    /// Address that the page listens on.
    pub address: SocketAddr,
    /// Accepted host names.
    pub hosts: Vec<String>,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Possible paths of the entry socket, the likeliest first.
    pub sockets: Vec<PathBuf>,
}

impl EntryPageConfig {
    /// Reads the settings of the page from a configuration; its other tables may be invalid or missing.
    ///
    /// # Errors
    ///
    /// Returns all errors: a file cannot be read or is not TOML, or `[entry]` is invalid.
    pub fn load(path: &Path) -> Result<EntryPageConfig, ConfigErrors> {
        let sources = Sources::from_file(path)?.with_environment(super::environment());
        let config = sources.with_tables(|top, _| Some(read_page(top)))?;
        let SocketCandidates { socket, directory } = sources.socket_candidates();
        let configured = config.sockets.into_iter().map(|socket| sources.base().join(socket));
        let beside = socket.map(|socket| socket.with_file_name(SOCKET_NAME));
        let in_folder = directory.map(|directory| directory.join(SOCKET_NAME));
        let all = configured.chain(beside).chain(in_folder).chain([SERVICE_SOCKET_PATH.into()]);
        Ok(EntryPageConfig { sockets: all.collect(), ..config })
    }
}

/// Reads the keys of the page and records their errors.
pub(super) fn read_page(mut top: ConfigTable) -> EntryPageConfig {
    let mut table = top.section(Section::Entry);
    let address = table.read("address", |value| {
        let wrong = "`address` is an address of this machine with a port, as in \"0.0.0.0:8082\"";
        value.string()?.parse().map_err(|_| value.error(wrong))
    });
    let hosts = table.read("hosts", serve::hosts);
    let trusted_proxies = table.read("trusted-proxies", serve::proxies);
    let socket = table.take("socket").and_then(|socket| socket.string().ok().map(PathBuf::from));
    table.take("group");
    table.reject_unknown();
    EntryPageConfig {
        address: address.unwrap_or(DEFAULT_ADDRESS),
        hosts: hosts.unwrap_or_default(),
        trusted_proxies: trusted_proxies.unwrap_or_default(),
        sockets: socket.into_iter().collect(),
    }
}

/// Reads the keys of the station and records their errors.
pub(super) fn read(mut table: ConfigTable) -> EntryConfig {
    let socket = table.read("socket", super::operation::read_socket);
    let group = table.read("group", outlet::read_group);
    // The page reads these.
    for key in ["address", "hosts", "trusted-proxies"] {
        table.take(key);
    }
    table.reject_unknown();
    EntryConfig { socket, group }
}
