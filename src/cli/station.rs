//! Connection to a running station, and the exit codes of the verbs that use it.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | the station refused or failed, or the connection broke |
//! | 2 | the command line is wrong |
//! | 3 | no station answers |
//! | 4 | this user may not send requests to the station |
//! | 5 | the outcome is unknown |

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use damcast::control::client::{Client, ClientError};
use damcast::control::{SERVICE_SOCKET_PATH, SOCKET_NAME};
use damcast::outward::deliver::report::{DeliveriesState, read_reports};
use damcast::station::config::{
    self, DEFAULT_PATH, DeliverConfig, DeskConfig, HubConfig, LOCAL_FILE, SocketCandidates, Sources,
};

use super::output::print_error;

/// Exit code if no station answers.
const EXIT_NO_STATION: u8 = 3;
/// Exit code if this user may not send requests to the station.
const EXIT_FORBIDDEN: u8 = 4;
/// Exit code if the outcome is unknown.
pub const EXIT_OUTCOME_UNKNOWN: u8 = 5;

/// Options that select the station.
#[derive(clap::Args)]
pub struct StationOptions {
    /// Control socket of the station.
    #[arg(long, value_name = "FILE", global = true)]
    socket: Option<PathBuf>,
    /// Configuration of the station, if it is not the installed service.
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "socket")]
    config: Option<PathBuf>,
}

impl StationOptions {
    /// Connects, or prints the reason and returns the exit code for it.
    pub fn connect(&self) -> Result<Client, ExitCode> {
        Client::connect(self.sockets()?).map_err(|error| explain(&error))
    }

    /// Returns the address of the desk, or its default if the configuration cannot be read.
    pub fn desk_address(&self) -> String {
        match DeskConfig::load(self.file().0) {
            // A desk that other machines reach is behind a proxy, under a host name.
            Ok(DeskConfig { address, hosts, .. }) if !address.ip().is_loopback() && !hosts.is_empty() => {
                format!("https://{}/", hosts[0])
            }
            Ok(DeskConfig { address, .. }) => format!("http://{address}/"),
            Err(_) => "http://127.0.0.1:8081/".to_owned(),
        }
    }

    /// Returns the state of the deliveries; `None` if there are none.
    pub fn deliveries(&self) -> Option<DeliveriesState> {
        read_reports(&DeliverConfig::load(self.file().0).ok()?.state_file)
    }

    /// Returns the state file of the hub; `None` if there is no hub.
    pub fn hub_file(&self) -> Option<PathBuf> {
        Some(HubConfig::load(self.file().0).ok()?.state_file)
    }

    /// Returns the configuration, and whether it is that of a station of one's own: the one that was named, or that of `damcast start` in
    /// the current folder.
    fn file(&self) -> (&Path, bool) {
        match &self.config {
            Some(file) => (file, true),
            None if Path::new(LOCAL_FILE).exists() => (Path::new(LOCAL_FILE), true),
            None => (Path::new(DEFAULT_PATH), false),
        }
    }

    /// Returns the possible sockets, the likeliest first. Prints a mistake in the configuration, and still finds a running station.
    fn sockets(&self) -> Result<Vec<PathBuf>, ExitCode> {
        if let Some(socket) = &self.socket {
            return Ok(vec![socket.clone()]);
        }
        let service = PathBuf::from(SERVICE_SOCKET_PATH);
        let (file, is_named) = self.file();
        let sources = match Sources::from_file(file) {
            Ok(sources) => sources.with_environment(config::environment()),
            // Without a readable configuration the service may still be reachable.
            Err(_) if !is_named => return Ok(vec![service]),
            Err(error) => return Err(super::usage_error(error)),
        };
        if let Err(error) = sources.read() {
            let then = match sources.read_for_recording() {
                Ok(_) => "a station that reads it records, and shows nothing new in the outlet that is named here",
                Err(_) => "a station that runs keeps the old one",
            };
            print_error(format_args!("damcast: the configuration is wrong; {then}\n{error}\n"));
        }
        let SocketCandidates { socket, directory } = sources.socket_candidates();
        let beside = directory.filter(|_| is_named && socket.is_none()).map(|directory| directory.join(SOCKET_NAME));
        let service = Some(service).filter(|_| socket.is_none() || !is_named);
        Ok(socket.into_iter().chain(beside).chain(service).collect())
    }
}

/// Prints the reason for a missing answer and returns the exit code for it.
pub fn explain(error: &ClientError) -> ExitCode {
    print_error(format_args!("damcast: {error}"));
    match error {
        ClientError::NoStation(_) => ExitCode::from(EXIT_NO_STATION),
        ClientError::Forbidden(_) => ExitCode::from(EXIT_FORBIDDEN),
        ClientError::Broken { .. } => ExitCode::FAILURE,
    }
}
