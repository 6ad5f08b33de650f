//! Client side of the control socket: finds the socket of a station and exchanges messages.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{ClientMessage, MAX_LINE_LEN, Reply, Uptime};

/// Time without an answer after which the operator is informed.
const WAIT_NOTICE_DELAY: Duration = Duration::from_secs(2);
/// Extra time for the answer after a request's deadline, in which the station can report that the outcome is unknown.
const ANSWER_GRACE: Duration = Duration::from_secs(2);
/// Longest silence of a watched station, which reports its state at least every second.
const MAX_WATCH_SILENCE: Duration = Duration::from_secs(15);

/// Reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No station answers.
    #[error(
        "no station answers at {}; start one with `damcast run --config FILE` or `systemctl start damcast`, or say with \
         --socket or --config where it is",
        .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" or ")
    )]
    NoStation(Vec<PathBuf>),
    /// This user may not open the socket.
    #[error(
        "{0}: you may not open this socket; only root, the user of the station and the group of the socket may (damcast-ctl, where \
             damcast is a service): try sudo"
    )]
    Forbidden(PathBuf),
    /// The connection broke, or the station hangs.
    #[error("{path}: {error}")]
    Broken {
        /// Path of the socket.
        path: PathBuf,
        /// I/O error.
        error: io::Error,
    },
}

/// Connection to a station.
pub struct Client(Connection);

/// Connection to a socket of a station: lines of JSON in both directions.
pub(crate) struct Connection {
    path: PathBuf,
    stream: BufReader<UnixStream>,
}

impl Client {
    /// Connects to the first of these sockets at which a station answers.
    ///
    /// # Errors
    ///
    /// Returns an error if none answers.
    pub fn connect(paths: Vec<PathBuf>) -> Result<Client, ClientError> {
        Connection::open(paths).map(Client)
    }

    /// Returns the path of the socket.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Sends a request and returns the answer. The station drops a request that it has not started within `patience`. Calls `waits` once,
    /// after two seconds without an answer, with the remaining time.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no answer. The outcome is unknown then; the request is not started later.
    pub fn request(
        &mut self,
        asking: impl Into<ClientMessage>,
        patience: Duration,
        waits: impl FnMut(Duration),
    ) -> Result<Reply, ClientError> {
        let ClientMessage { user: desk_user, request } = asking.into();
        let asking = ClientMessage { user: desk_user, request: request.with_deadline(Uptime::after(patience)) };
        self.0.exchange(&asking, patience, waits)
    }

    /// Returns the next unsolicited answer.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none.
    pub fn next_reply(&mut self) -> Result<Reply, ClientError> {
        self.0.next_reply_until(Instant::now() + MAX_WATCH_SILENCE, |_| {})
    }
}

impl Connection {
    /// Connects to the first of these sockets at which a station answers.
    pub(crate) fn open(paths: Vec<PathBuf>) -> Result<Connection, ClientError> {
        for path in &paths {
            match UnixStream::connect(path) {
                Ok(stream) => return Connection::new(path, stream),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(ClientError::Forbidden(path.clone()));
                }
                Err(_) => {}
            }
        }
        Err(ClientError::NoStation(paths))
    }

    fn new(path: &Path, stream: UnixStream) -> Result<Connection, ClientError> {
        let broken = |error| ClientError::Broken { path: path.to_owned(), error };
        stream.set_write_timeout(Some(ANSWER_GRACE)).map_err(broken)?;
        Ok(Connection { path: path.to_owned(), stream: BufReader::new(stream) })
    }

    /// Sends a line and returns the answer. Calls `waits` once, after two seconds without an answer, with the rest of `patience`.
    pub(crate) fn exchange<R: DeserializeOwned>(
        &mut self,
        asking: &impl Serialize,
        patience: Duration,
        waits: impl FnMut(Duration),
    ) -> Result<R, ClientError> {
        let until = Instant::now() + patience;
        let sent = serde_json::to_vec(asking).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.stream.get_mut().write_all(&line)
        });
        // The server may have rejected us: read its reason even if the write failed.
        match (sent, self.next_reply_until(until + ANSWER_GRACE, waits)) {
            (_, Ok(reply)) => Ok(reply),
            (Err(error), Err(_)) => Err(self.broken(error)),
            (Ok(()), Err(error)) => Err(error),
        }
    }

    fn next_reply_until<R: DeserializeOwned>(
        &mut self,
        end: Instant,
        mut waits: impl FnMut(Duration),
    ) -> Result<R, ClientError> {
        let began = Instant::now();
        let mut is_wait_reported = false;
        let mut line = Vec::new();
        loop {
            let silent = if is_wait_reported { end } else { end.min(began + WAIT_NOTICE_DELAY) };
            let wait = silent.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let room = (MAX_LINE_LEN - line.len()) as u64;
            let read = self.stream.get_ref().set_read_timeout(Some(wait));
            // Bytes received before the timeout stay in `line`.
            let read = read.and_then(|()| (&mut self.stream).take(room).read_until(b'\n', &mut line));
            let error = match read {
                Ok(0) => io::Error::new(io::ErrorKind::UnexpectedEof, "the station ended the connection"),
                Ok(_) => match serde_json::from_slice(&line) {
                    Ok(reply) => return Ok(reply),
                    Err(error) => error.into(),
                },
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => error,
                Err(_) if Instant::now() < end => {
                    is_wait_reported = true;
                    waits(end.saturating_duration_since(Instant::now()).saturating_sub(ANSWER_GRACE));
                    continue;
                }
                Err(_) => {
                    let words =
                        format!("the station has not answered for {} s; does it hang?", began.elapsed().as_secs());
                    io::Error::new(io::ErrorKind::TimedOut, words)
                }
            };
            return Err(self.broken(error));
        }
    }

    fn broken(&self, error: io::Error) -> ClientError {
        ClientError::Broken { path: self.path.clone(), error }
    }
}
