//! The side of the station: clients are let in, heard, and answered.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::logins::Logins;
use super::peer::Peer;
use super::places::{ClientPlace, ClientPlaces};
use super::socket::Socket;
use super::{Asking, ClientRequest, Commands, Deeds, Person, Reply, SeenBoard, SocketError, StationCommand};
use crate::engine::session::request::Wish;
use crate::station::escape;
use crate::station::line::{Asked, Uptime};
use crate::station::office::TournamentRequest;
use crate::station::operate::arbiter::{OfficeAnswer, OfficeDoor, OfficeQuestion};
use crate::station::operate::logging::Levels;
use crate::station::operate::overview::Observer;

/// A client that asks nothing for so long is sent away.
const IDLE: Duration = Duration::from_secs(60);
/// And one that has just come after this: whoever connects has something to ask.
const IDLE_AT_FIRST: Duration = Duration::from_secs(10);
/// Between two answers to one client passes at least this, whatever it asks.
const BETWEEN: Duration = Duration::from_millis(10);
/// A client that is told that it asks too often is not heard for so long.
const PAUSE: Duration = Duration::from_millis(500);
/// No request is longer.
const LONGEST_REQUEST: u64 = 64 << 10;
/// But for a file: of 4 MiB, each byte of which may take two in JSON, and some that are escaped.
const LONGEST_IMPORT: u64 = 12 << 20;
/// With what such a request begins.
const OF_A_TOURNAMENT: &[u8] = b"{\"do\":\"tournament\"";
/// Nor what is wished of a board: a FEN of 144 squares has 600 characters.
const LONGEST_WISH: usize = 2000;
/// A client that does not take its answer within this is sent away.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// No request is wanted for longer than this from when it is read, whatever its client says.
const LONGEST_WANTED: Duration = Duration::from_secs(60);
/// What was begun at the last moment is answered within this.
const BEGUN: Duration = Duration::from_millis(500);
/// The office says within this whether a result is for it.
const OFFICE_TIME: Duration = Duration::from_secs(3);
/// When the system gives no connections it is asked again after this.
const AGAIN: Duration = Duration::from_millis(200);
/// How often a watching client is told at most, and at least.
const SHORTEST_WATCH: Duration = Duration::from_millis(50);
const LONGEST_WATCH: Duration = Duration::from_secs(1);

/// What programs that watch a station ask.
pub struct Numbers {
    /// What it counts, in the text format of Prometheus.
    pub text: Box<dyn Fn() -> String + Send + Sync>,
    /// What is not well with it.
    pub ills: Box<dyn Fn() -> Vec<String> + Send + Sync>,
}

/// What clients may ask about and ask for.
#[derive(Clone)]
pub struct Desk {
    /// The state of the station.
    pub observer: Observer,
    /// What it can be told to do.
    pub commands: Commands,
    /// Which messages are shown.
    pub levels: Levels,
    /// The tournament.
    pub office: OfficeDoor,
    /// Whoever asks something long has to wait for who does so now.
    pub long: Arc<Semaphore>,
    /// Its numbers and its health, once its lines are there.
    pub numbers: Arc<OnceLock<Numbers>>,
    /// Codes with which people can log in at the desk.
    pub logins: Logins,
    /// What was asked.
    pub deeds: Deeds,
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
    let places = ClientPlaces::default();
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
            let (desk, path, places) = (desk.clone(), socket.path.clone(), places.clone());
            clients.spawn(async move {
                let (reader, mut writer) = stream.into_split();
                let stream: &UnixStream = reader.as_ref();
                let peer = stream.peer_cred().map(Peer::of);
                let guest = match peer {
                    Err(error) => Err(format!("the system does not tell who you are: {error}")),
                    Ok(peer) if !peer.may_speak(&path) => {
                        warn!("the control socket: refused {}", peer.in_words());
                        Err("you may not speak with this station; ask its user, or root".to_owned())
                    }
                    Ok(peer) => places.take(&peer).map(|place| (peer, place)).map_err(str::to_owned),
                };
                let _ = match guest {
                    Ok((peer, place)) => converse(reader, &mut writer, &peer, &place, &desk).await,
                    Err(why) => send(&mut writer, &Reply::error(why)).await,
                };
            });
        }
    });
    Ok(Server { task })
}

type Writer = tokio::net::unix::OwnedWriteHalf;

async fn converse(
    reader: OwnedReadHalf,
    writer: &mut Writer,
    peer: &Peer,
    place: &ClientPlace,
    desk: &Desk,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(reader);
    let (mut line, mut idle) = (Vec::new(), IDLE_AT_FIRST);
    loop {
        line.clear();
        let mut limited = (&mut reader).take(LONGEST_REQUEST);
        let Ok(read) = timeout(idle, limited.read_until(b'\n', &mut line)).await else {
            let why = format!("nothing was asked for {} s", idle.as_secs());
            return send(writer, &Reply::error(why)).await;
        };
        idle = IDLE;
        sleep(BETWEEN).await;
        if read? == 0 {
            return Ok(());
        }
        let mut permit = None;
        if line.len() as u64 >= LONGEST_REQUEST && line.starts_with(OF_A_TOURNAMENT) {
            // A file to be imported: one at a time, so that nobody fills the memory.
            permit = timeout(IDLE, desk.long.clone().acquire_owned()).await.ok().and_then(Result::ok);
            let room = if permit.is_some() { LONGEST_IMPORT - LONGEST_REQUEST } else { 0 };
            let mut limited = (&mut reader).take(room);
            let read = timeout(IDLE, limited.read_until(b'\n', &mut line)).await;
            if !matches!(read, Ok(Ok(_))) || !line.ends_with(b"\n") {
                return send(writer, &Reply::error("this request is too long")).await;
            }
        } else if line.len() as u64 >= LONGEST_REQUEST {
            return send(writer, &Reply::error("this request is too long")).await;
        }
        match serde_json::from_slice::<Asking>(&line) {
            Ok(Asking { request: ClientRequest::Watch { interval_ms }, .. }) => {
                return watch(&mut reader, writer, desk, interval_ms).await;
            }
            Ok(Asking { request: ClientRequest::Status {}, .. }) => send(writer, &status(desk)).await?,
            Ok(Asking { request: ClientRequest::Numbers {}, .. }) => send(writer, &numbers(desk)).await?,
            Ok(asking) => match place.turn(Instant::now()) {
                Some(wait) => {
                    sleep(wait).await;
                    let reply = answer(asking, peer, desk).await;
                    send(writer, &reply).await?;
                }
                None => {
                    sleep(PAUSE).await;
                    let why = "not done: too many requests of this user; one a second is taken, and more after a rest";
                    send(writer, &Reply::error(why)).await?;
                }
            },
            Err(error) => send(writer, &Reply::error(format!("this is no request: {error}"))).await?,
        }
        if permit.take().is_some() {
            line = Vec::new();
        }
    }
}

/// Answers, if whoever asks may, and keeps it in mind.
async fn answer(asking: Asking, peer: &Peer, desk: &Desk) -> Reply {
    let Asking { who, request } = asking;
    let asker = match &who {
        Some(person) => format!("{person}, {}", peer.in_words()),
        None => peer.in_words(),
    };
    if let Some(person) = &who {
        let may = person.check().and_then(|()| match request.is_for(person.role) {
            true => Ok(()),
            false => Err(format!("an {} may not ask this; results, names and rounds are his", person.role.name())),
        });
        if let Err(why) = may {
            warn!("the control socket: refused to {}: {why}", peer.in_words());
            return Reply::error(why);
        }
    }
    let deed = (!request.is_question()).then(|| request.in_words());
    let board = match &request {
        ClientRequest::Request { board, .. } => Some(board.clone()),
        _ => None,
    };
    let reply = obey(request, &asker, desk).await;
    if let Some(what) = deed {
        let by = who.as_ref().or(reply.person.as_ref()).map_or(asker, Person::to_string);
        desk.deeds.add(by, what, board, &reply);
    }
    reply
}

async fn obey(request: ClientRequest, asker: &str, desk: &Desk) -> Reply {
    let patience = request.patience();
    let wanted = |until: Option<Uptime>| until.unwrap_or(Uptime::after(patience)).min(Uptime::after(LONGEST_WANTED));
    match request {
        ClientRequest::Status {} | ClientRequest::Watch { .. } => status(desk),
        ClientRequest::Numbers {} => numbers(desk),
        ClientRequest::LogLevel { filter: None, .. } => Reply::done(vec![desk.levels.current()]),
        ClientRequest::LogLevel { filter: Some(filter), until } => {
            if let Some(why) = wanted(until).too_late() {
                warn!("request of {asker}: log-level {filter}: {why}");
                return Reply::error(why);
            }
            info!("request of {asker}: log-level {filter}");
            match desk.levels.add(&filter) {
                Ok(levels) => Reply::done(vec![levels]),
                Err(error) => Reply::error(error),
            }
        }
        ClientRequest::AlarmTest { until } => {
            let (answer, told) = oneshot::channel();
            let until = wanted(until);
            match ask(desk, StationCommand::AlarmTest { asker: asker.to_owned(), until, answer }, told, until).await {
                Ok(Ok(told)) => Reply::done(vec![told]),
                Ok(Err(error)) => Reply::error(error),
                Err(reply) => reply,
            }
        }
        ClientRequest::Reload { until } => {
            let (answer, told) = oneshot::channel();
            let until = wanted(until);
            let command = StationCommand::Reload { asker: asker.to_owned(), until, answer };
            match ask(desk, command, told, until).await {
                Ok(Ok(told)) => Reply::done(told),
                Ok(Err(error)) => Reply::error(error),
                Err(reply) => reply,
            }
        }
        ClientRequest::Login { name, role } => {
            let person = Person { name, role };
            match person.check().and_then(|()| desk.logins.issue(person.clone(), Instant::now())) {
                Ok(code) => {
                    info!("request of {asker}: a code for {person} to log in at the desk");
                    Reply { code: Some(code), ..Reply::done(Vec::new()) }
                }
                Err(why) => Reply::error(why),
            }
        }
        ClientRequest::Redeem { code, address } => match desk.logins.redeem(&code, address, Instant::now()) {
            Ok(person) => {
                info!("request of {asker}: {person} has logged in from {address}");
                Reply { person: Some(person), ..Reply::done(Vec::new()) }
            }
            Err(why) => {
                warn!("request of {asker}: a login from {address} failed: {why}");
                Reply::error(why)
            }
        },
        ClientRequest::ShowTournament {} => {
            match timeout(OFFICE_TIME, desk.office.ask(OfficeQuestion::Show, asker.to_owned())).await {
                Ok(Ok(answer)) => reply_of(answer),
                _ => Reply::error("the tournament office does not answer; its disk hangs, perhaps"),
            }
        }
        ClientRequest::Deeds {} => Reply { deeds: desk.deeds.all(), ..Reply::done(Vec::new()) },
        ClientRequest::Tournament { request, until } => of_tournament(desk, *request, wanted(until), asker).await,
        ClientRequest::Request { board, request, sure, reason, saw, dry_run, until } => {
            let wish = match wish(&request) {
                Ok(wish) => wish,
                Err(why) => return Reply::error(why),
            };
            if let Some(why) = saw.and_then(|saw| has_changed(desk, &board, saw)) {
                return Reply::error(why);
            }
            let until = wanted(until);
            if let Some(reply) = of_office(desk, &board, &wish, Way { sure, reason, dry_run }, asker).await {
                return reply;
            }
            let (answer, told) = oneshot::channel();
            let asked = Asked { by: asker.to_owned(), until, is_sure: sure, is_trial: dry_run };
            let goes_on = matches!(wish, Wish::Continue(_)).then(|| desk.observer.board_called(&board)).flatten();
            let command = StationCommand::Request { board, wish, asked, answer };
            let mut reply: Reply = match ask(desk, command, told, until).await {
                Ok(answer) => answer.into(),
                Err(reply) => return reply,
            };
            if let Some(board) = goes_on.filter(|_| reply.ok) {
                let question = OfficeQuestion::Continued { board, dry_run };
                match timeout(until.left() + BEGUN, desk.office.ask(question, asker.to_owned())).await {
                    Ok(Ok(OfficeAnswer::Done { told, .. })) => reply.told.extend(told),
                    Ok(Ok(OfficeAnswer::Refused(why))) => reply.told.push(format!("its result stays: {why}")),
                    Ok(Ok(OfficeAnswer::OfLine | OfficeAnswer::Shown(_))) => {}
                    Ok(Err(_)) | Err(_) => reply.told.push(
                        "whether its result was taken back is not known: `damcast tournament show` says it".to_owned(),
                    ),
                }
            }
            reply
        }
    }
}

/// Has something been played at a board since somebody looked? What is said of that.
fn has_changed(desk: &Desk, board: &str, saw: SeenBoard) -> Option<String> {
    let name = desk.observer.board_called(board)?;
    let now = desk.observer.overview().boards.into_iter().find(|board| board.name == name)?;
    (saw != SeenBoard { game: now.game, plies: now.plies }).then(|| {
        let game = now.game.map_or("no game".to_owned(), |game| format!("game {game}, {} plies", now.plies));
        let last = now.last.map_or(String::new(), |last| format!(", the last {last}"));
        format!("{name} has changed since you looked: {game}{last}; look at it, and ask again")
    })
}

/// How something is asked.
struct Way {
    /// It is meant so.
    sure: bool,
    /// Why.
    reason: String,
    /// Only what would come of it is asked.
    dry_run: bool,
}

/// A result or names for a game that is over, or that has begun, are for the tournament office. `None`: it is for the line.
async fn of_office(desk: &Desk, board: &str, wish: &Wish, way: Way, asker: &str) -> Option<Reply> {
    let Way { sure, reason, dry_run } = way;
    let board = desk.observer.board_called(board)?;
    let question = match wish {
        Wish::Result(result) => OfficeQuestion::Result { board, result: result.clone(), sure, reason, dry_run },
        Wish::Names { white, black } => {
            OfficeQuestion::Names { board, white: white.clone(), black: black.clone(), dry_run }
        }
        _ => return None,
    };
    // A line ends its game though the office has something else to do.
    match timeout(OFFICE_TIME, desk.office.ask(question, asker.to_owned())).await {
        Ok(Ok(OfficeAnswer::OfLine)) | Ok(Err(_)) | Err(_) => None,
        Ok(Ok(answer)) => Some(reply_of(answer)),
    }
}

fn reply_of(answer: OfficeAnswer) -> Reply {
    match answer {
        OfficeAnswer::Done { told, version } => Reply { version: Some(version), ..Reply::done(told) },
        OfficeAnswer::Refused(why) => Reply::error(why),
        OfficeAnswer::OfLine => Reply::error("no game is going on"),
        OfficeAnswer::Shown(shown) => {
            Reply { version: Some(shown.version), tournament: Some(shown), ..Reply::done(Vec::new()) }
        }
    }
}

async fn of_tournament(desk: &Desk, request: TournamentRequest, until: Uptime, asker: &str) -> Reply {
    if let Some(why) = until.too_late() {
        return Reply::error(why);
    }
    let told = desk.office.ask(OfficeQuestion::Request(request), asker.to_owned());
    match timeout(until.left() + BEGUN, told).await {
        Ok(Ok(answer)) => reply_of(answer),
        Ok(Err(_)) => Reply::unknown("the station is stopping; see `damcast tournament show --history`"),
        Err(_) => Reply::unknown(
            "no answer: its disk hangs, perhaps; `damcast tournament show --history` says whether it was done",
        ),
    }
}

/// What an operator wishes of a board.
fn wish(text: &str) -> Result<Wish, String> {
    // The log keeps it as one line of text; what it would change must not be obeyed.
    if text.contains(escape::is_obeyed) || text.chars().count() > LONGEST_WISH {
        return Err(format!(
            "a request is one line of at most {LONGEST_WISH} characters, without control characters and marks that turn the \
             order of writing"
        ));
    }
    match text.parse() {
        Ok(Wish::Names { white, black }) => Wish::names(&white, &black).map_err(|error| error.to_string()),
        Ok(Wish::Remembered(_)) => Err("`remembered` is what the station says, not what it is asked".to_owned()),
        wish => wish.map_err(|error| error.to_string()),
    }
}

async fn ask<T>(desk: &Desk, command: StationCommand, told: oneshot::Receiver<T>, until: Uptime) -> Result<T, Reply> {
    match desk.commands.try_send(command) {
        Ok(()) => {}
        Err(mpsc::error::TrySendError::Full(_)) => {
            return Err(Reply::error("the station has too much to do; try again"));
        }
        Err(mpsc::error::TrySendError::Closed(_)) => return Err(Reply::error("the station is stopping")),
    }
    match timeout(until.left() + BEGUN, told).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(Reply::unknown("the line ended before it could answer; see `damcast status`")),
        Err(_) => Err(Reply::unknown(
            "no answer: the line hangs, on its disk perhaps. What was asked is done already or will not be done; see \
             `damcast status`",
        )),
    }
}

fn status(desk: &Desk) -> Reply {
    Reply { ok: true, status: Some(Box::new(desk.observer.overview())), ..Reply::default() }
}

fn numbers(desk: &Desk) -> Reply {
    match desk.numbers.get() {
        Some(Numbers { text, ills }) => Reply { numbers: Some(text()), ..Reply::done(ills()) },
        None => Reply::error("the station is starting"),
    }
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
