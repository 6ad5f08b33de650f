//! How the verbs that speak with a running station find it, and what their exit codes mean.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | the station did not do it, or the connection broke |
//! | 2 | the command line is wrong |
//! | 3 | no station answers |
//! | 4 | this user may not speak with it |
//! | 5 | it is not known whether the station did it |

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use damcast::station::config::{self, DEFAULT_PATH, DeskConfig, SocketCandidates, Sources};
use damcast::station::operate::control::client::{Client, ClientError};
use damcast::station::operate::control::{SERVICE_SOCKET_PATH, SOCKET_NAME};

use super::output::print_error;

/// No station answers.
const EXIT_NO_STATION: u8 = 3;
/// This user may not speak with it.
const EXIT_FORBIDDEN: u8 = 4;
/// It is not known whether it was done.
pub const EXIT_OUTCOME_UNKNOWN: u8 = 5;

/// Which station.
#[derive(clap::Args)]
pub struct StationOptions {
    /// The control socket of the station.
    #[arg(long, value_name = "FILE", global = true)]
    socket: Option<PathBuf>,
    /// The configuration of the station, if it is not the installed service.
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "socket")]
    config: Option<PathBuf>,
}

impl StationOptions {
    /// Connects, or says why not and gives the exit code for it.
    pub fn connect(&self) -> Result<Client, ExitCode> {
        Client::connect(self.sockets()?).map_err(|error| explain(&error))
    }

    /// Where the desk is, as far as the configuration tells.
    pub fn desk_address(&self) -> String {
        let file = self.config.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
        match DeskConfig::load(file) {
            // One that other machines reach has a proxy in front, and names.
            Ok(DeskConfig { address, hosts, .. }) if !address.ip().is_loopback() && !hosts.is_empty() => {
                format!("https://{}/", hosts[0])
            }
            Ok(DeskConfig { address, .. }) => format!("http://{address}/"),
            Err(_) => "http://127.0.0.1:8081/".to_owned(),
        }
    }

    /// Where to look, the likeliest first. A mistake in the configuration is told, and the station that runs is found all the same.
    fn sockets(&self) -> Result<Vec<PathBuf>, ExitCode> {
        if let Some(socket) = &self.socket {
            return Ok(vec![socket.clone()]);
        }
        let service = PathBuf::from(SERVICE_SOCKET_PATH);
        let (file, is_named) = match &self.config {
            Some(file) => (file.as_path(), true),
            None => (Path::new(DEFAULT_PATH), false),
        };
        let sources = match Sources::from_file(file) {
            Ok(sources) => sources.with_environment(config::environment()),
            // Who may not read it, or has none, may speak with the service nevertheless.
            Err(_) if !is_named => return Ok(vec![service]),
            Err(error) => {
                print_error(format_args!("damcast: {error}"));
                return Err(ExitCode::from(super::EXIT_USAGE));
            }
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

/// Says why there is no answer, and gives the exit code for it.
pub fn explain(error: &ClientError) -> ExitCode {
    print_error(format_args!("damcast: {error}"));
    match error {
        ClientError::NoStation(_) => ExitCode::from(EXIT_NO_STATION),
        ClientError::Forbidden(_) => ExitCode::from(EXIT_FORBIDDEN),
        ClientError::Broken { .. } => ExitCode::FAILURE,
    }
}
