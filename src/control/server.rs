//! The side of the station: clients are let in, heard, and answered.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::peer::Peer;
use super::socket::Socket;
use super::{Command, Commands, Reply, Request, SocketError};
use crate::logging::Levels;
use crate::overview::Observer;

/// Clients at a time. Another one is told so and sent away.
pub const MOST_CLIENTS: usize = 16;
/// A client that asks nothing for so long is sent away.
const IDLE: Duration = Duration::from_secs(60);
/// No request is longer.
const LONGEST_REQUEST: u64 = 64 << 10;
/// A client that does not take its answer within this is sent away.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// A line answers within this, or hangs.
const LINE_TIME: Duration = Duration::from_secs(10);
/// A reload waits for every line at once.
const RELOAD_TIME: Duration = Duration::from_secs(30);
/// When the system gives no connections it is asked again after this.
const AGAIN: Duration = Duration::from_millis(200);
/// How often a watching client is told at most, and at least.
const SHORTEST_WATCH: Duration = Duration::from_millis(50);
const LONGEST_WATCH: Duration = Duration::from_secs(1);

/// What clients may ask about and ask for.
#[derive(Clone)]
pub struct Desk {
    /// The state of the station.
    pub observer: Observer,
    /// What it can be told to do.
    pub commands: Commands,
    /// Which messages are shown.
    pub levels: Levels,
}

/// A socket that is served. It ends, and its file goes, when it is dropped.
pub struct Server {
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Begins to serve. To be called before lines are opened: see `Socket::open`.
///
/// # Errors
///
/// When there can be no socket.
pub fn serve(path: &Path, desk: Desk) -> Result<Server, SocketError> {
    let socket = Socket::open(path)?;
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    let task = tokio::spawn(async move {
        // Clients are tasks of this one: they end with it.
        let mut clients = tokio::task::JoinSet::new();
        loop {
            let stream = tokio::select! {
                accepted = socket.listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        warn!("the control socket: {error}");
                        sleep(AGAIN).await;
                        continue;
                    }
                },
                Some(_) = clients.join_next(), if !clients.is_empty() => continue,
            };
            let place = Arc::clone(&places).try_acquire_owned();
            let (desk, path) = (desk.clone(), socket.path.clone());
            clients.spawn(async move {
                let (reader, mut writer) = stream.into_split();
                let stream: &UnixStream = reader.as_ref();
                let peer = stream.peer_cred().map(Peer::of);
                let refusal = match (&place, &peer) {
                    (Err(_), _) => Some("too many clients are connected; try again in a minute".to_owned()),
                    (_, Err(error)) => Some(format!("the system does not tell who you are: {error}")),
                    (Ok(_), Ok(peer)) if !peer.may_speak(&path) => {
                        warn!("the control socket: refused {}", peer.in_words());
                        Some("you may not speak with this station; ask its user, or root".to_owned())
                    }
                    (Ok(_), Ok(_)) => None,
                };
                let _ = match (refusal, peer) {
                    (None, Ok(peer)) => converse(reader, &mut writer, &peer, &desk).await,
                    (why, _) => send(&mut writer, &Reply::error(why.unwrap_or_default())).await,
                };
            });
        }
    });
    Ok(Server { task })
}

type Writer = tokio::net::unix::OwnedWriteHalf;

async fn converse(reader: OwnedReadHalf, writer: &mut Writer, peer: &Peer, desk: &Desk) -> std::io::Result<()> {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut reader).take(LONGEST_REQUEST);
        let Ok(read) = timeout(IDLE, limited.read_until(b'\n', &mut line)).await else {
            return send(writer, &Reply::error("nothing was asked for a minute")).await;
        };
        if read? == 0 {
            return Ok(());
        }
        if line.len() as u64 >= LONGEST_REQUEST {
            return send(writer, &Reply::error("this request is too long")).await;
        }
        match serde_json::from_slice::<Request>(&line) {
            Ok(Request::Watch { interval_ms }) => return watch(&mut reader, writer, desk, interval_ms).await,
            Ok(request) => {
                let reply = answer(request, peer, desk).await;
                send(writer, &reply).await?;
            }
            Err(error) => send(writer, &Reply::error(format!("this is no request: {error}"))).await?,
        }
    }
}

async fn answer(request: Request, peer: &Peer, desk: &Desk) -> Reply {
    match request {
        Request::Status {} | Request::Watch { .. } => status(desk),
        Request::LogLevel { filter: None } => Reply::done(vec![desk.levels.current()]),
        Request::LogLevel { filter: Some(filter) } => {
            info!("request of {}: log-level {filter}", peer.in_words());
            match desk.levels.add(&filter) {
                Ok(levels) => Reply::done(vec![levels]),
                Err(error) => Reply::error(error),
            }
        }
        Request::Reload {} => {
            let (answer, told) = oneshot::channel();
            let command = Command::Reload { asker: peer.in_words(), answer };
            match ask(desk, command, told, RELOAD_TIME).await {
                Ok(Ok(told)) => Reply::done(told),
                Ok(Err(error)) | Err(error) => Reply::error(error),
            }
        }
        Request::Request { board, request, .. } => {
            let (answer, told) = oneshot::channel();
            let command = Command::Request { board, request, asker: peer.in_words(), answer };
            match ask(desk, command, told, LINE_TIME).await {
                Ok(answer) => answer.into(),
                Err(error) => Reply::error(error),
            }
        }
    }
}

async fn ask<T>(desk: &Desk, command: Command, told: oneshot::Receiver<T>, limit: Duration) -> Result<T, String> {
    match desk.commands.try_send(command) {
        Ok(()) => {}
        Err(mpsc::error::TrySendError::Full(_)) => return Err("the station has too much to do; try again".to_owned()),
        Err(mpsc::error::TrySendError::Closed(_)) => return Err("the station is stopping".to_owned()),
    }
    match timeout(limit, told).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err("the line ended before it could answer; see `damcast status`".to_owned()),
        Err(_) => Err(format!(
            "no answer for {} s: the line hangs, on its disk perhaps; what was asked may still be done",
            limit.as_secs()
        )),
    }
}

fn status(desk: &Desk) -> Reply {
    Reply { ok: true, status: Some(Box::new(desk.observer.overview())), ..Reply::default() }
}

/// Tells the state again and again until the client goes, or says anything.
async fn watch(
    reader: &mut BufReader<OwnedReadHalf>,
    writer: &mut Writer,
    desk: &Desk,
    interval_ms: Option<u64>,
) -> std::io::Result<()> {
    let shortest = Duration::from_millis(interval_ms.unwrap_or(0)).clamp(SHORTEST_WATCH, Duration::from_secs(60));
    let mut rows = desk.observer.rows.clone();
    let mut nothing = [0; 1];
    loop {
        rows.mark_unchanged();
        send(writer, &status(desk)).await?;
        let next = async {
            sleep(shortest).await;
            // A station that stops tells no more changes; the next write says so.
            let _ = timeout(LONGEST_WATCH.max(shortest) - shortest, rows.changed()).await;
        };
        tokio::select! {
            () = next => {}
            _ = reader.read(&mut nothing) => return Ok(()),
        }
    }
}

async fn send(writer: &mut Writer, reply: &Reply) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    timeout(ANSWER_TIME, writer.write_all(&line)).await?
}
