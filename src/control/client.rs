//! The side of the operator: finds the socket of a station and speaks with it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{LONGEST_LINE, Reply, Request};

/// A station answers within this: it waits itself for a line, or for a reload.
const PATIENCE: Duration = Duration::from_secs(40);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No station.
    #[error(
        "no station answers at {}; start one with `damcast run --config FILE` or `systemctl start damcast`, or say with \
         --socket or --config where it is",
        .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" or ")
    )]
    Nobody(Vec<PathBuf>),
    /// Not for this user.
    #[error("{0}: you may not open this socket; only root, the user of the station and its group may: try sudo")]
    Forbidden(PathBuf),
    /// The connection broke, or the station hangs.
    #[error("{path}: {error}")]
    Broken {
        /// The socket.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
}

/// A connection to a station.
pub struct Client {
    path: PathBuf,
    stream: BufReader<UnixStream>,
}

impl Client {
    /// Connects to the first of these sockets at which a station answers.
    ///
    /// # Errors
    ///
    /// When none does.
    pub fn connect(paths: Vec<PathBuf>) -> Result<Client, ClientError> {
        for path in &paths {
            match UnixStream::connect(path) {
                Ok(stream) => return Client::new(path, stream),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(ClientError::Forbidden(path.clone()));
                }
                Err(_) => {}
            }
        }
        Err(ClientError::Nobody(paths))
    }

    fn new(path: &Path, stream: UnixStream) -> Result<Client, ClientError> {
        let broken = |error| ClientError::Broken { path: path.to_owned(), error };
        stream.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(broken)?;
        Ok(Client { path: path.to_owned(), stream: BufReader::new(stream) })
    }

    /// Asks, and takes the answer.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn ask(&mut self, request: &Request) -> Result<Reply, ClientError> {
        let sent = serde_json::to_vec(request).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.stream.get_mut().write_all(&line)
        });
        // Who is sent away is told why, and may read that though writing failed.
        match (sent, self.hear()) {
            (_, Ok(reply)) => Ok(reply),
            (Err(error), Err(_)) => Err(self.broken(error)),
            (Ok(()), Err(error)) => Err(error),
        }
    }

    /// The next answer, of those that come without being asked for one by one.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn hear(&mut self) -> Result<Reply, ClientError> {
        let mut line = Vec::new();
        let read = (&mut self.stream).take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the station ended the connection")),
            Ok(_) => serde_json::from_slice(&line).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("the station has not answered for {} s; does it hang?", PATIENCE.as_secs()),
            )),
            Err(error) => Err(error),
        };
        line.map_err(|error| self.broken(error))
    }

    fn broken(&self, error: io::Error) -> ClientError {
        ClientError::Broken { path: self.path.clone(), error }
    }
}
