//! Entry socket of a running station, for the page of tables without electronic boards. `damcast_control::entry` has its words,
//! `docs/socket.md` explains them.
//!
//! # Invariants
//!
//! - A client can do nothing without a code, and with a code nothing but what it is for: moves and a claim of one board in one round.
//! - A ply is durable before its sender receives an answer.
//! - `look` sends no request to a line.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use damcast_control::Uptime;
use damcast_control::entry::{
    EntryClock, EntryMessage, EntryReply, EntryRequest, EntryState, EntryTable, MAX_REQUEST_LEN, TIMEOUT,
};
use damcast_control::overview::PairingView;
use damcast_engine::session::request::{EnteredPly, OperatorCommand};
use draughts::{Position, Variant};
use draughts_pdn::clock::ClockTime;
use draughts_pdn::fen;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::entry_codes::{CodeError, EntryCodes, INVALID};
use crate::line::{RequestContext, RequestOutcome};
use crate::locks::lock;
use crate::operate::control::{self, Commands, Peer, Server, Socket, SocketError, StationCommand};
use crate::operate::observer::Observer;

/// Maximum number of connections.
const MAX_CLIENTS: usize = 64;
/// Idle time after which a connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Time after which a client that does not read its answer is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval of retries if the system cannot accept connections.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
/// Requests of a board that are accepted at once: the moves of a phone that was offline.
const BURST: u32 = 200;
/// Interval of further requests of a board.
const REQUEST_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum length of a move or a result in bytes.
const MAX_TEXT_LEN: usize = 200;

/// Parts of the station that clients can access.
#[derive(Clone)]
pub struct EntryContext {
    /// State of the station.
    pub observer: Observer,
    /// Commands to the station.
    pub commands: Commands,
    /// Codes of the tables.
    pub codes: Arc<EntryCodes>,
}

#[derive(Clone)]
struct EntryDesk {
    context: EntryContext,
    budgets: Budgets,
}

/// Limits of the requests of each board, whoever sends them: the time at which its budget is full again.
#[derive(Clone, Default)]
struct Budgets(Arc<Mutex<BTreeMap<String, Instant>>>);

/// Starts the server. `group`: group that may open the socket; `None` for the one of its folder.
///
/// # Errors
///
/// Returns an error if the socket cannot be created.
pub fn serve(path: &Path, group: Option<&str>, context: EntryContext) -> Result<Server, SocketError> {
    let socket = Socket::open_for_group(path, group)?;
    let desk = EntryDesk { context, budgets: Budgets::default() };
    let slots = Arc::new(Semaphore::new(MAX_CLIENTS));
    Ok(Server::spawn(async move {
        // Client tasks belong to this task and end with it.
        let mut clients = JoinSet::new();
        loop {
            let stream = tokio::select! {
                accepted = socket.listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        warn!("the entry socket: {error}");
                        sleep(RETRY_INTERVAL).await;
                        continue;
                    }
                },
                Some(_) = clients.join_next(), if !clients.is_empty() => continue,
            };
            let is_allowed =
                stream.peer_cred().map(Peer::from_credentials).is_ok_and(|peer| peer.is_allowed(&socket.path));
            // A client beyond the limit is disconnected.
            if let (true, Ok(slot)) = (is_allowed, Arc::clone(&slots).try_acquire_owned()) {
                let desk = desk.clone();
                clients.spawn(async move {
                    let _slot = slot;
                    if let Err(error) = serve_client(stream, &desk).await {
                        debug!("the entry socket: {error}");
                    }
                });
            }
        }
    }))
}

async fn serve_client(stream: UnixStream, desk: &EntryDesk) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader: BufReader<OwnedReadHalf> = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut reader).take(MAX_REQUEST_LEN as u64);
        let read = timeout(IDLE_TIMEOUT, limited.read_until(b'\n', &mut line)).await;
        match read {
            Ok(Ok(0)) | Err(_) => return Ok(()),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(error),
        }
        if !line.ends_with(b"\n") {
            return send(&mut writer, &EntryReply::error("this request is too long")).await;
        }
        let reply = match serde_json::from_slice::<EntryMessage>(&line) {
            Ok(message) => answer(desk, message).await,
            Err(error) => EntryReply::error(format!("this is no request: {error}")),
        };
        send(&mut writer, &reply).await?;
    }
}

async fn send(writer: &mut tokio::net::unix::OwnedWriteHalf, reply: &EntryReply) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    timeout(WRITE_TIMEOUT, writer.write_all(&line)).await?
}

async fn answer(desk: &EntryDesk, message: EntryMessage) -> EntryReply {
    let EntryMessage { code, address, request } = message;
    let EntryContext { observer, codes, .. } = &desk.context;
    let Some(rounds) = observer.open_rounds() else {
        return EntryReply::try_again("the station is starting; try again in a moment");
    };
    let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let board = match codes.check(&code, address, Instant::now(), |board| rounds.get(board).copied()) {
        Ok(board) => board,
        Err(CodeError::Invalid) => return EntryReply { invalid_code: true, ..EntryReply::error(INVALID) },
        Err(CodeError::Wait(why)) => return EntryReply::try_again(why),
    };
    let reply = match command(request) {
        Ok(None) => EntryReply { ok: true, ..EntryReply::default() },
        Ok(Some(_)) if !desk.budgets.take(&board, Instant::now()) => {
            EntryReply::try_again("too many requests of this table; try again in a moment")
        }
        Ok(Some(command)) => request_line(desk, &board, command, address).await,
        Err(why) => EntryReply::error(why),
    };
    match table(observer, &board, rounds.get(&board).copied()) {
        Some(table) => EntryReply { table: Some(table), ..reply },
        None if reply.ok && !observer.is_entry_board(&board) => {
            EntryReply::error(format!("{board} reports its moves itself; nothing can be entered"))
        }
        None if reply.ok => EntryReply::try_again(format!("{board} is being opened; try again in a moment")),
        None => reply,
    }
}

/// Returns the command of a request; `None` if it only looks.
fn command(request: EntryRequest) -> Result<Option<OperatorCommand>, String> {
    let is_word =
        |text: &str| !text.is_empty() && text.len() <= MAX_TEXT_LEN && text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_place = |game: u32, ply: u32| game > 0 && ply > 0;
    match request {
        EntryRequest::Look {} => Ok(None),
        EntryRequest::Enter { game, ply, notation, clock } => {
            let notation: String = notation.split_whitespace().collect();
            if !is_word(&notation) || !is_place(game, ply) {
                return Err(format!("`{}` is no move: expected squares, as in 32-28", notation.escape_debug()));
            }
            let EntryClock { white, black } = clock.unwrap_or_default();
            let clocks = [white, black].map(|seconds| seconds.map(ClockTime));
            if clocks.iter().flatten().any(|time| *time > ClockTime::MAX) {
                return Err(format!("a clock shows at most {}", ClockTime::MAX));
            }
            Ok(Some(OperatorCommand::Enter(EnteredPly { game, ply, notation, clocks })))
        }
        EntryRequest::TakeBack { game, ply } if is_place(game, ply) => {
            Ok(Some(OperatorCommand::TakeBack { game, ply }))
        }
        EntryRequest::Claim { game, result } if is_word(&result) && is_place(game, 1) => {
            Ok(Some(OperatorCommand::Claim { game, result }))
        }
        EntryRequest::TakeBack { .. } => Err("games and plies count from 1".to_owned()),
        EntryRequest::Claim { .. } => Err("this is no result, such as 2-0".to_owned()),
    }
}

async fn request_line(desk: &EntryDesk, board: &str, command: OperatorCommand, address: IpAddr) -> EntryReply {
    let requester = format!("the table {board}, {address}");
    let deadline = Uptime::after(TIMEOUT);
    let context = RequestContext { requester, deadline, is_confirmed: false, is_dry_run: false };
    let board = board.to_owned();
    let command = |answer| StationCommand::Request { board, command, context, answer };
    match control::send_command::<RequestOutcome>(&desk.context.commands, deadline, command).await {
        Ok(RequestOutcome { refusal: Some(why), .. }) => EntryReply::error(why),
        Ok(RequestOutcome { messages, .. }) => EntryReply { ok: true, messages, ..EntryReply::default() },
        Err(reply) => EntryReply::try_again(reply.error.unwrap_or_default()),
    }
}

impl Budgets {
    /// Counts a request of a board. Returns whether it is within the limit.
    fn take(&self, board: &str, now: Instant) -> bool {
        let mut budgets = lock(&self.0);
        budgets.retain(|_, used_until| *used_until > now);
        let used_until = budgets.get(board).copied().unwrap_or(now).max(now) + REQUEST_INTERVAL;
        let is_left = used_until <= now + REQUEST_INTERVAL * BURST;
        if is_left {
            budgets.insert(board.to_owned(), used_until);
        }
        is_left
    }
}

/// Returns the state of a table; `None` while its line is not open.
fn table(observer: &Observer, board: &str, round: Option<u32>) -> Option<EntryTable> {
    let (view, entry) = observer.entry_board(board)?;
    // Do not use the state of the board: for a moment after a start it is `no-connection`, also when its game is over. A game that is
    // continued has no number before its next move.
    let state = match entry.is_on && (view.is_ongoing || view.game.is_none()) {
        _ if entry.plies.is_empty() => EntryState::Ready,
        true => EntryState::Playing,
        false => EntryState::Over,
    };
    // Before their first move, the players of the next round see the start position.
    let is_next = |pairing: &PairingView| pairing.result.is_none() && !pairing.waits_for_result;
    if state == EntryState::Over && entry.is_on && view.pairing.as_ref().is_some_and(is_next) {
        let start =
            Variant::from_tag(&entry.game_type).map(|variant| fen::write(variant, &Position::start(variant).setup()));
        return Some(EntryTable {
            board: view.name,
            game: entry.game + 1,
            fen: start.unwrap_or(entry.fen),
            gametype: entry.game_type,
            white: view.white,
            black: view.black,
            round,
            state: EntryState::Ready,
            ..EntryTable::default()
        });
    }
    Some(EntryTable {
        board: view.name,
        game: entry.game,
        plies: entry.plies,
        pending: entry.is_pending,
        fen: entry.fen,
        gametype: entry.game_type,
        white: view.white,
        black: view.black,
        result: entry.result,
        claim: entry.claim,
        round,
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_has_burst_and_then_rate_of_its_own() {
        let (budgets, start) = (Budgets::default(), Instant::now());
        let taken = |board: &str, count: u32, at: Instant| (0..count).filter(|_| budgets.take(board, at)).count();
        assert_eq!(taken("table-7", 1_000, start), BURST as usize);
        assert_eq!(taken("table-8", 1, start), 1, "another board is not affected");
        assert_eq!(taken("table-7", 1_000, start + 4 * REQUEST_INTERVAL), 4);
        assert_eq!(taken("table-7", 1_000, start + Duration::from_secs(1_000)), BURST as usize);
    }

    #[test]
    fn requests_become_single_words_of_log() {
        let enter = |notation: &str| {
            command(EntryRequest::Enter { game: 1, ply: 2, notation: notation.to_owned(), clock: None })
        };
        let text = |command: Option<OperatorCommand>| command.map(|command| command.to_string());
        assert_eq!(enter(" 32 - 28 ").map(text), Ok(Some("enter 1 2 32-28".to_owned())));
        assert_eq!(command(EntryRequest::Look {}).map(text), Ok(None));
        for wrong in ["", "32-28\u{202e}", "é", &"1".repeat(300)] {
            assert!(enter(wrong).is_err(), "{wrong}");
        }
        for result in ["", "2-0 w", "2-0\n"] {
            assert!(command(EntryRequest::Claim { game: 1, result: result.to_owned() }).is_err(), "{result}");
        }
        assert!(command(EntryRequest::TakeBack { game: 0, ply: 1 }).is_err());
        let clock = Some(EntryClock { white: Some(360_000), black: None });
        assert!(command(EntryRequest::Enter { game: 1, ply: 1, notation: "32-28".to_owned(), clock }).is_err());
    }
}
