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

use std::path::PathBuf;
use std::process::ExitCode;

use damcast::config::Config;
use damcast::control::client::{Client, ClientError};
use damcast::control::{SERVICE_SOCKET, SOCKET};

/// No station answers.
const NOBODY: u8 = 3;
/// This user may not speak with it.
const FORBIDDEN: u8 = 4;
/// It is not known whether it was done.
pub const UNKNOWN: u8 = 5;
/// Where a service has its configuration.
const SERVICE_CONFIG: &str = "/etc/damcast/damcast.toml";

/// Which station.
#[derive(clap::Args)]
pub struct Where {
    /// Its control socket.
    #[arg(long, value_name = "FILE", global = true)]
    socket: Option<PathBuf>,
    /// Its configuration; for a station that is no service.
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "socket")]
    config: Option<PathBuf>,
}

impl Where {
    /// Connects, or says why not and gives the exit code for it.
    pub fn connect(&self) -> Result<Client, ExitCode> {
        Client::connect(self.sockets()?).map_err(|error| explain(&error))
    }

    /// Where to look, the likeliest first.
    fn sockets(&self) -> Result<Vec<PathBuf>, ExitCode> {
        if let Some(socket) = &self.socket {
            return Ok(vec![socket.clone()]);
        }
        let of = |config: Config| config.control.socket.unwrap_or_else(|| config.directory.join(SOCKET));
        let service = PathBuf::from(SERVICE_SOCKET);
        match &self.config {
            Some(file) => match Config::load(file) {
                Ok(config) if config.control.socket.is_some() => Ok(vec![of(config)]),
                Ok(config) => Ok(vec![of(config), service]),
                Err(error) => {
                    eprintln!("damcast: {error}");
                    Err(ExitCode::from(super::USAGE))
                }
            },
            None => {
                let configured = Config::load(SERVICE_CONFIG.as_ref()).ok().and_then(|config| config.control.socket);
                Ok(configured.into_iter().chain([service]).collect())
            }
        }
    }
}

/// Says why there is no answer, and gives the exit code for it.
pub fn explain(error: &ClientError) -> ExitCode {
    eprintln!("damcast: {error}");
    match error {
        ClientError::Nobody(_) => ExitCode::from(NOBODY),
        ClientError::Forbidden(_) => ExitCode::from(FORBIDDEN),
        ClientError::Broken { .. } => ExitCode::FAILURE,
    }
}
