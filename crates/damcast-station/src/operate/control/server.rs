//! Server side of the control socket: accepts clients and answers their requests.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use damcast_control::logins::LoginCodes;
use damcast_control::tournament::TournamentRequest;
use damcast_control::{BoardVersion, ClientMessage, ClientRequest, DeskUser, Reply, Uptime, escape};
use damcast_engine::session::request::OperatorCommand;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::client_slots::{ClientSlot, ClientSlots};
use super::command_sender::{COMPLETION_GRACE, send_command};
use super::desk_addresses::DeskAddresses;
use super::peer::Peer;
use super::socket::Socket;
use super::{AuditLog, Commands, SocketError, StationCommand, missing_moves};
use crate::line::RequestContext;
use crate::operate::entry_codes::EntryCodes;
use crate::operate::logging::Levels;
use crate::operate::observer::Observer;
use crate::operate::setup;
use crate::operate::tournament_actor::{RequestOptions, TournamentHandle, TournamentQuery, TournamentReply};

const NO_CONFIG_FILE: &str = "this station has no configuration file";
/// Idle time after which a client is disconnected.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Idle time of a new client, which connects because it has a request.
const FIRST_IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Shortest time between two answers to one client.
const MIN_ANSWER_INTERVAL: Duration = Duration::from_millis(10);
/// Pause in reading from a client that exceeded its rate.
const THROTTLE_PAUSE: Duration = Duration::from_millis(500);
/// Maximum length of a request in bytes.
const MAX_REQUEST_LEN: u64 = 64 << 10;
/// Maximum length of an import: a file of 4 MiB, whose bytes may take two or more in JSON.
const MAX_IMPORT_LEN: u64 = 12 << 20;
/// Maximum length of a board command in characters; a FEN of 144 squares has 600.
const MAX_COMMAND_LEN: usize = 2000;
/// Time after which a client that does not read its answer is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Latest deadline after reading a request, whatever the client requests.
const MAX_DEADLINE: Duration = Duration::from_secs(60);
/// Longest wait for the tournament service to decide whether it handles a result.
const TOURNAMENT_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval of retries if the system cannot accept connections.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
/// Shortest and longest interval of reports to a watching client.
const MIN_WATCH_INTERVAL: Duration = Duration::from_millis(50);
const MAX_WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Data for monitoring programs.
pub struct MetricsSource {
    /// Returns the metrics in the text format of Prometheus.
    pub text: Box<dyn Fn() -> String + Send + Sync>,
    /// Returns the health problems.
    pub health_problems: Box<dyn Fn() -> Vec<String> + Send + Sync>,
}

/// Parts of the station that clients can access.
#[derive(Clone)]
pub struct ServerContext {
    /// State of the station.
    pub observer: Observer,
    /// Commands to the station.
    pub commands: Commands,
    /// Log levels.
    pub levels: Levels,
    /// Tournament.
    pub tournament: TournamentHandle,
    /// Permit for long requests, one at a time.
    pub long_requests: Arc<Semaphore>,
    /// Metrics and health, set once the lines exist.
    pub metrics: Arc<OnceLock<MetricsSource>>,
    /// Login codes for the desk.
    pub login_codes: LoginCodes,
    /// Codes for the page of boards without electronics.
    pub entry_codes: Arc<EntryCodes>,
    /// Audit log.
    pub audit_log: AuditLog,
    /// Configuration of the station, beside which the desk sets things; `None` if there is no file.
    pub config_file: Option<PathBuf>,
    /// Turn of those who set things.
    pub setup_turn: Arc<tokio::sync::Mutex<()>>,
    /// Addresses of the desks that watch the station.
    pub desk_addresses: DeskAddresses,
}

/// Running server; it ends and its file is removed when dropped.
pub struct Server {
    _task: JoinSet<()>,
}

impl Server {
    /// Starts a server that runs until it is dropped.
    pub(in crate::operate) fn spawn(serve: impl Future<Output = ()> + Send + 'static) -> Server {
        let mut task = JoinSet::new();
        task.spawn(serve);
        Server { _task: task }
    }
}

/// Starts the server. Must be called before lines are opened: see `Socket::open`.
///
/// # Errors
///
/// Returns an error if the socket cannot be created.
pub fn serve(path: &Path, desk: ServerContext) -> Result<Server, SocketError> {
    let socket = Socket::open(path)?;
    let places = ClientSlots::default();
    Ok(Server::spawn(async move {
        // Client tasks belong to this task and end with it.
        let mut clients = JoinSet::new();
        loop {
            let stream = tokio::select! {
                accepted = socket.listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        warn!("the control socket: {error}");
                        sleep(RETRY_INTERVAL).await;
                        continue;
                    }
                },
                Some(_) = clients.join_next(), if !clients.is_empty() => continue,
            };
            let (desk, path, places) = (desk.clone(), socket.path.clone(), places.clone());
            clients.spawn(async move {
                let (reader, mut writer) = stream.into_split();
                let stream: &UnixStream = reader.as_ref();
                let peer = stream.peer_cred().map(Peer::from_credentials);
                let guest = match peer {
                    Err(error) => Err(format!("the system does not tell who you are: {error}")),
                    Ok(peer) if !peer.is_allowed(&path) => {
                        warn!("the control socket: refused {}", peer.describe());
                        Err("you may not speak with this station; ask its user, or root".to_owned())
                    }
                    Ok(peer) => places.acquire(&peer).map(|place| (peer, place)).map_err(str::to_owned),
                };
                let _ = match guest {
                    Ok((peer, place)) => serve_client(reader, &mut writer, &peer, &place, &desk).await,
                    Err(why) => send(&mut writer, &Reply::error(why)).await,
                };
            });
        }
    }))
}

type Writer = tokio::net::unix::OwnedWriteHalf;

async fn serve_client(
    reader: OwnedReadHalf,
    writer: &mut Writer,
    peer: &Peer,
    place: &ClientSlot,
    desk: &ServerContext,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(reader);
    let (mut line, mut idle) = (Vec::new(), FIRST_IDLE_TIMEOUT);
    loop {
        line.clear();
        let mut limited = (&mut reader).take(MAX_REQUEST_LEN);
        let Ok(read) = timeout(idle, limited.read_until(b'\n', &mut line)).await else {
            let why = format!("nothing was asked for {} s", idle.as_secs());
            return send(writer, &Reply::error(why)).await;
        };
        idle = IDLE_TIMEOUT;
        sleep(MIN_ANSWER_INTERVAL).await;
        if read? == 0 {
            return Ok(());
        }
        let mut permit = None;
        let is_long = line.len() as u64 >= MAX_REQUEST_LEN;
        if is_long && kind(&line).as_deref() == Some("tournament") {
            // Imports are read one at a time, so that they cannot fill the memory.
            permit = timeout(IDLE_TIMEOUT, desk.long_requests.clone().acquire_owned()).await.ok().and_then(Result::ok);
            let room = if permit.is_some() { MAX_IMPORT_LEN - MAX_REQUEST_LEN } else { 0 };
            let mut limited = (&mut reader).take(room);
            let read = timeout(IDLE_TIMEOUT, limited.read_until(b'\n', &mut line)).await;
            if !matches!(read, Ok(Ok(_))) || !line.ends_with(b"\n") {
                return send(writer, &Reply::error("this request is too long")).await;
            }
        } else if is_long {
            return send(writer, &Reply::error("this request is too long")).await;
        }
        match serde_json::from_slice::<ClientMessage>(&line) {
            Ok(ClientMessage { request: ClientRequest::Watch { interval_ms, desk: address }, .. }) => {
                let _shown = address.map(|address| desk.desk_addresses.add(address));
                return watch(&mut reader, writer, desk, interval_ms).await;
            }
            Ok(ClientMessage { request: ClientRequest::Status {}, .. }) => send(writer, &status_reply(desk)).await?,
            Ok(ClientMessage { request: ClientRequest::Metrics {}, .. }) => send(writer, &metrics_reply(desk)).await?,
            Ok(asking) => match place.wait_time(&asking.request, Instant::now()) {
                Some(wait) => {
                    sleep(wait).await;
                    let reply = answer(asking, peer, desk).await;
                    send(writer, &reply).await?;
                }
                None => {
                    sleep(THROTTLE_PAUSE).await;
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

/// Returns the member `do` of a request whose beginning this is; `None` if it is not there.
fn kind(beginning: &[u8]) -> Option<String> {
    /// The value once it is read: the rest of the request is missing.
    struct Kind<'k>(&'k mut Option<String>);
    impl<'de> Visitor<'de> for Kind<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a request")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
            while let Some(name) = members.next_key::<String>()? {
                if name == "do" {
                    *self.0 = Some(members.next_value()?);
                    break;
                }
                members.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut found = None;
    // What is missing behind the member is no fault.
    let _ = serde_json::Deserializer::from_slice(beginning).deserialize_map(Kind(&mut found));
    found
}

/// Answers a request if the user may send it, and adds it to the audit log unless it is a query.
async fn answer(asking: ClientMessage, peer: &Peer, desk: &ServerContext) -> Reply {
    let ClientMessage { user: desk_user, request } = asking;
    let requester = match &desk_user {
        Some(person) => format!("{person}, {}", peer.describe()),
        None => peer.describe(),
    };
    if let Some(person) = &desk_user {
        let may = person.check().and_then(|()| match request.is_allowed_for(person.role) {
            true => Ok(()),
            false => Err(format!("an {} may not ask this; results, names and rounds are his", person.role.as_str())),
        });
        if let Err(why) = may {
            warn!("the control socket: refused to {}: {why}", peer.describe());
            return Reply::error(why);
        }
    }
    let deed = (!request.is_query()).then(|| request.describe());
    let board = match &request {
        ClientRequest::Request { board, .. } => Some(board.clone()),
        _ => None,
    };
    let reply = execute(request, &requester, desk).await;
    if let Some(action) = deed {
        let by = desk_user.as_ref().or(reply.person.as_ref()).map_or(requester, DeskUser::to_string);
        desk.audit_log.add(by, action, board, &reply);
    }
    reply
}

async fn execute(request: ClientRequest, asker: &str, desk: &ServerContext) -> Reply {
    let patience = request.timeout();
    let wanted = |until: Option<Uptime>| until.unwrap_or(Uptime::after(patience)).min(Uptime::after(MAX_DEADLINE));
    match request {
        ClientRequest::Status {} | ClientRequest::Watch { .. } => status_reply(desk),
        ClientRequest::Metrics {} => metrics_reply(desk),
        ClientRequest::LogLevel { filter: None, .. } => Reply::done(vec![desk.levels.current()]),
        ClientRequest::LogLevel { filter: Some(filter), until } => set_log_level(desk, &filter, wanted(until), asker),
        ClientRequest::AlarmTest { until } => {
            let (requester, deadline) = (asker.to_owned(), wanted(until));
            let command = |answer| StationCommand::AlarmTest { requester, deadline, answer };
            let answer = send_command(&desk.commands, deadline, command).await;
            station_reply(answer.map(|answer| answer.map(|message| vec![message])))
        }
        ClientRequest::Reload { until } => {
            let (requester, deadline) = (asker.to_owned(), wanted(until));
            let command = |answer| StationCommand::Reload { requester, deadline, answer };
            station_reply(send_command(&desk.commands, deadline, command).await)
        }
        ClientRequest::Login { name, role } => issue_login_code(desk, DeskUser { name, role }, asker),
        ClientRequest::Redeem { code, address } => redeem_login_code(desk, &code, address, asker),
        ClientRequest::EntryCode { board, round } => issue_entry_code(desk, board, round, asker).await,
        ClientRequest::RevokeEntryCode { board } => revoke_entry_codes(desk, board, asker).await,
        ClientRequest::ShowTournament {} | ClientRequest::PairingFile { .. } => {
            let question = match request {
                ClientRequest::PairingFile { section, choices } => TournamentQuery::PairingFile { section, choices },
                _ => TournamentQuery::Show,
            };
            let shown = query_tournament(desk, question, TOURNAMENT_TIMEOUT, asker).await;
            shown.map_or_else(
                || Reply::error("the tournament office does not answer; its disk hangs, perhaps"),
                tournament_reply,
            )
        }
        ClientRequest::OfferMoves { board } => missing_moves::offer(&desk.commands, board, wanted(None)).await,
        ClientRequest::ShowSetup {} => show_setup(desk).await,
        ClientRequest::SetUp { seen, contents, dry_run, until } => {
            set_up(desk, seen, contents, dry_run, wanted(until), asker).await
        }
        ClientRequest::AuditLog {} => Reply { audit_log: desk.audit_log.all(), ..Reply::done(Vec::new()) },
        ClientRequest::Tournament { request, until } => handle_tournament(desk, *request, wanted(until), asker).await,
        ClientRequest::Request { board, request, confirm, reason, if_seen, dry_run, until } => {
            let command = match parse_command(&request) {
                Ok(command) => command,
                Err(why) => return Reply::error(why),
            };
            if let Some(why) = if_seen.and_then(|seen| has_changed(desk, &board, seen)) {
                return Reply::error(why);
            }
            let has_seen_game = if_seen.is_some();
            let options = RequestOptions { is_confirmed: confirm, reason, is_dry_run: dry_run, has_seen_game };
            handle_board_request(desk, board, command, options, wanted(until), asker).await
        }
    }
}

async fn show_setup(desk: &ServerContext) -> Reply {
    let Some(config) = desk.config_file.clone() else { return Reply::error(NO_CONFIG_FILE) };
    match tokio::task::spawn_blocking(move || setup::show(&config)).await {
        Ok(Ok(view)) => Reply { setup: Some(Box::new(view)), ..Reply::done(Vec::new()) },
        Ok(Err(why)) => Reply::error(why),
        Err(bug) => Reply::error(format!("a bug: {bug}")),
    }
}

/// Writes what the desk sets, then reads the configuration again.
async fn set_up(
    desk: &ServerContext,
    seen: serde_json::Value,
    contents: serde_json::Value,
    is_dry_run: bool,
    until: Uptime,
    asker: &str,
) -> Reply {
    let Some(config) = desk.config_file.clone() else { return Reply::error(NO_CONFIG_FILE) };
    // Two of them never check against the same old contents.
    let _turn = desk.setup_turn.lock().await;
    if let Some(why) = until.expired_message() {
        warn!("request of {asker}: set-up: {why}");
        return Reply::error(why);
    }
    let write = move || {
        let checked = setup::check(&config, &seen, &contents)?;
        if is_dry_run { Ok(()) } else { checked.write() }
    };
    match tokio::task::spawn_blocking(write).await {
        Ok(Ok(())) if is_dry_run => Reply::done(Vec::new()),
        Ok(Ok(())) => {
            info!("request of {asker}: set-up");
            let requester = asker.to_owned();
            let command = |answer| StationCommand::Reload { requester, deadline: until, answer };
            station_reply(send_command(&desk.commands, until, command).await)
        }
        Ok(Err(why)) => Reply::error(why),
        Err(bug) => Reply::error(format!("a bug: {bug}")),
    }
}

fn set_log_level(desk: &ServerContext, filter: &str, until: Uptime, asker: &str) -> Reply {
    if let Some(why) = until.expired_message() {
        warn!("request of {asker}: log-level {filter}: {why}");
        return Reply::error(why);
    }
    info!("request of {asker}: log-level {filter}");
    match desk.levels.add(filter) {
        Ok(levels) => Reply::done(vec![levels]),
        Err(error) => Reply::error(error),
    }
}

fn issue_login_code(desk: &ServerContext, person: DeskUser, asker: &str) -> Reply {
    match person.check().and_then(|()| desk.login_codes.issue(person.clone(), Instant::now())) {
        Ok(code) => {
            info!("request of {asker}: a code for {person} to log in at the desk");
            Reply { code: Some(code), desk: desk.desk_addresses.last(), ..Reply::done(Vec::new()) }
        }
        Err(why) => Reply::error(why),
    }
}

fn redeem_login_code(desk: &ServerContext, code: &str, address: IpAddr, asker: &str) -> Reply {
    match desk.login_codes.redeem(code, address, Instant::now()) {
        Ok(person) => {
            info!("request of {asker}: {person} has logged in from {address}");
            Reply { person: Some(person), ..Reply::done(Vec::new()) }
        }
        Err(why) => {
            warn!("request of {asker}: a login from {address} failed: {why}");
            Reply::error(why)
        }
    }
}

/// Makes a code for the page of a board without electronics: for this round, or for the open round of the board.
async fn issue_entry_code(desk: &ServerContext, board: String, round: Option<u32>, asker: &str) -> Reply {
    let Some(rounds) = desk.observer.open_rounds() else { return Reply::error("the station is starting; try again") };
    if !desk.observer.is_entry_board(&board) {
        return Reply::error(format!(
            "{board} is no board whose moves are entered by hand: a [[line]] with mode = \"entry\", or one that `damcast ctl entry {board} on` has switched"
        ));
    }
    let round = round.or(rounds.get(&board).copied());
    let (codes, name) = (Arc::clone(&desk.entry_codes), board.clone());
    let issued = tokio::task::spawn_blocking(move || codes.issue(&name, round)).await;
    match issued.unwrap_or_else(|bug| Err(format!("a bug: {bug}"))) {
        Ok(code) => {
            let of_round = round.map_or(", outside rounds".to_owned(), |round| format!(" in round {round}"));
            info!("request of {asker}: a code to enter the moves of {board}{of_round}");
            let message =
                format!("use this code to enter the moves of {board}{of_round}; it replaces the earlier code");
            Reply { code: Some(code), ..Reply::done(vec![message]) }
        }
        Err(why) => Reply::error(why),
    }
}

async fn revoke_entry_codes(desk: &ServerContext, board: String, asker: &str) -> Reply {
    let (codes, name) = (Arc::clone(&desk.entry_codes), board.clone());
    let revoked = tokio::task::spawn_blocking(move || codes.revoke(&name)).await;
    match revoked.unwrap_or_else(|bug| Err(format!("a bug: {bug}"))) {
        Ok(count) => {
            info!("request of {asker}: revoked all codes of {board}");
            Reply::done(vec![format!("{board}: {count} codes revoked")])
        }
        Err(why) => Reply::error(why),
    }
}

/// Sends a request about a board to the tournament service or to its line.
async fn handle_board_request(
    desk: &ServerContext,
    board: String,
    command: OperatorCommand,
    options: RequestOptions,
    until: Uptime,
    asker: &str,
) -> Reply {
    if let Some(reply) = try_tournament(desk, &board, &command, &options, asker).await {
        return reply;
    }
    let RequestOptions { is_confirmed, is_dry_run, .. } = options;
    let context = RequestContext { requester: asker.to_owned(), deadline: until, is_confirmed, is_dry_run };
    let resumed = match command {
        OperatorCommand::Continue(_) => desk.observer.find_board(&board),
        _ => None,
    };
    let command = |answer| StationCommand::Request { board, command, context, answer };
    let mut reply: Reply = match send_command(&desk.commands, until, command).await {
        Ok(answer) => answer.into(),
        Err(reply) => return reply,
    };
    let Some(board) = resumed.filter(|_| reply.ok) else { return reply };
    let question = TournamentQuery::GameResumed { board, dry_run: is_dry_run };
    match query_tournament(desk, question, until.remaining() + COMPLETION_GRACE, asker).await {
        Some(TournamentReply::Done { messages, .. }) => reply.messages.extend(messages),
        Some(TournamentReply::Refused(why)) => reply.messages.push(format!("its result stays: {why}")),
        Some(TournamentReply::ForLine | TournamentReply::Shown(_) | TournamentReply::PairingFile(..)) => {}
        None => reply
            .messages
            .push("whether its result was taken back is not known: `damcast tournament show` says it".to_owned()),
    }
    reply
}

/// Returns a message if moves were played at a board since the requester saw it.
fn has_changed(desk: &ServerContext, board: &str, saw: BoardVersion) -> Option<String> {
    let name = desk.observer.find_board(board)?;
    let now = desk.observer.overview().boards.into_iter().find(|board| board.name == name)?;
    (saw != BoardVersion { game: now.game, plies: now.plies }).then(|| {
        let game = now.game.map_or("no game".to_owned(), |game| format!("game {game}, {} plies", now.plies));
        let last = now.last.map_or(String::new(), |last| format!(", the last {last}"));
        format!("{name} has changed since you looked: {game}{last}; look at it, and ask again")
    })
}

/// Sends a result or names of a past or running game to the tournament service. Returns `None` if the request is for the line.
async fn try_tournament(
    desk: &ServerContext,
    board: &str,
    command: &OperatorCommand,
    options: &RequestOptions,
    requester: &str,
) -> Option<Reply> {
    let board = desk.observer.find_board(board)?;
    let question = match command {
        OperatorCommand::Result(result) => {
            TournamentQuery::Result { board, result: result.clone(), options: options.clone() }
        }
        OperatorCommand::Names { white, black } => {
            let dry_run = options.is_dry_run;
            TournamentQuery::Names { board, white: white.clone(), black: black.clone(), dry_run }
        }
        _ => return None,
    };
    // The line can end its game even if the tournament service is busy.
    match query_tournament(desk, question, TOURNAMENT_TIMEOUT, requester).await? {
        TournamentReply::ForLine => None,
        answer => Some(tournament_reply(answer)),
    }
}

/// Returns the answer of the tournament service; `None` if there is none in time.
async fn query_tournament(
    desk: &ServerContext,
    question: TournamentQuery,
    longest: Duration,
    requester: &str,
) -> Option<TournamentReply> {
    timeout(longest, desk.tournament.query(question, requester.to_owned())).await.ok()?.ok()
}

fn tournament_reply(answer: TournamentReply) -> Reply {
    match answer {
        TournamentReply::Done { messages, version } => Reply { version: Some(version), ..Reply::done(messages) },
        TournamentReply::Refused(why) => Reply::error(why),
        TournamentReply::ForLine => Reply::error("no game is going on"),
        TournamentReply::PairingFile(file, version) => {
            Reply { version: Some(version), pairing_file: Some(file), ..Reply::done(Vec::new()) }
        }
        TournamentReply::Shown(shown) => {
            Reply { version: Some(shown.version), tournament: Some(shown), ..Reply::done(Vec::new()) }
        }
    }
}

async fn handle_tournament(desk: &ServerContext, request: TournamentRequest, until: Uptime, requester: &str) -> Reply {
    if let Some(why) = until.expired_message() {
        return Reply::error(why);
    }
    let outcome = desk.tournament.query(TournamentQuery::Request(request), requester.to_owned());
    match timeout(until.remaining() + COMPLETION_GRACE, outcome).await {
        Ok(Ok(answer)) => tournament_reply(answer),
        Ok(Err(_)) => Reply::unknown("the station is stopping; see `damcast tournament show --history`"),
        Err(_) => Reply::unknown(
            "no answer: its disk hangs, perhaps; `damcast tournament show --history` says whether it was done",
        ),
    }
}

/// Parses an operator request to a board.
fn parse_command(text: &str) -> Result<OperatorCommand, String> {
    // The log stores it as one line of text, so control characters are refused.
    if text.contains(escape::is_control) || text.chars().count() > MAX_COMMAND_LEN {
        return Err(format!(
            "a request is one line of at most {MAX_COMMAND_LEN} characters, without control characters and marks that turn the \
             order of writing"
        ));
    }
    match text.parse() {
        Ok(OperatorCommand::Names { white, black }) => {
            OperatorCommand::names(&white, &black).map_err(|error| error.to_string())
        }
        Ok(OperatorCommand::GameLookup(_)) => {
            Err("`remembered` is what the station says, not what it is asked".to_owned())
        }
        command => command.map_err(|error| error.to_string()),
    }
}

fn station_reply(answer: Result<Result<Vec<String>, String>, Reply>) -> Reply {
    match answer {
        Ok(Ok(messages)) => Reply::done(messages),
        Ok(Err(error)) => Reply::error(error),
        Err(reply) => reply,
    }
}

fn status_reply(desk: &ServerContext) -> Reply {
    Reply { ok: true, status: Some(Box::new(desk.observer.overview())), ..Reply::default() }
}

fn metrics_reply(desk: &ServerContext) -> Reply {
    match desk.metrics.get() {
        Some(MetricsSource { text, health_problems: ills }) => Reply { metrics: Some(text()), ..Reply::done(ills()) },
        None => Reply::error("the station is starting"),
    }
}

/// Sends the state repeatedly until the client disconnects or sends anything.
async fn watch(
    reader: &mut BufReader<OwnedReadHalf>,
    writer: &mut Writer,
    desk: &ServerContext,
    interval_ms: Option<u64>,
) -> std::io::Result<()> {
    let shortest = Duration::from_millis(interval_ms.unwrap_or(0)).clamp(MIN_WATCH_INTERVAL, Duration::from_secs(60));
    let mut rows = desk.observer.rows.clone();
    let mut nothing = [0; 1];
    loop {
        rows.mark_unchanged();
        send(writer, &status_reply(desk)).await?;
        let next = async {
            sleep(shortest).await;
            // If the station stops, there are no more changes; the next write fails.
            let _ = timeout(MAX_WATCH_INTERVAL.max(shortest) - shortest, rows.changed()).await;
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
    timeout(WRITE_TIMEOUT, writer.write_all(&line)).await?
}
