//! The tournament service of a running station, in its own thread: no line, request or reader waits for its disk.
//!
//! ```text
//!   lines ── games begin, grow, end ──┐                     ┌─▸ log/tournament.ndjson ─▸ outlets
//!   arbiter ── requests ──────────────┼─▸ service ─▸ record ┤
//!   rows ── boards, serial numbers ───┘                     └─▸ `pairing` to the lines: the pairing of their next game
//! ```
//!
//! The pairing of a board always follows from the record: after a start, a crash or a swapped cable the service compares and sends it
//! again. A line logs the pairing that it received, so a game has its pairing even without the service.

mod seen_board;
mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use damcast_control::Uptime;
use damcast_control::tournament::{RoundSnapshot, TournamentHistoryEntry, TournamentRequest, TournamentSnapshot};
use damcast_engine::session::BusAddress;
use damcast_engine::session::request::{BoardPairing, OperatorCommand};
use draughts_tournament::documents;
use draughts_tournament::{
    BoardAssignment, BoardGame, BoardGames, EngineFile, NextRound, NextRoundChoices, RoundState, Tournament,
    TournamentCommand, TournamentRecord, TournamentSection, format_pairing_key, is_action, only_section,
    parse_pairing_key, undone_versions,
};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

use crate::config::{Config, TournamentConfig};
use crate::disk::Disk;
use crate::file_problems::{ProblemReport, ProblemReporter};
use crate::journal::witness::Witnesses;
use crate::line::{LineReport, RequestContext, RequestOutcome};
use crate::live_files;
use crate::operate::observer::{self, TournamentStatus};
use crate::outlets::{self, GameLifecycle, LifecycleChange, OutletHandle};
use crate::tournament_service::{ResultRequester, ResultTarget, ServiceError, ServiceOutcome, TournamentService};
use seen_board::SeenBoard;

/// Maximum interval between two looks at the boards.
const TICK_INTERVAL: Duration = Duration::from_millis(200);
/// Minimum interval between two looks at the boards because games began or ended. A request is followed by a look at once.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// Minimum pause between two such looks, as a multiple of the time of the last look: looks at many boards take long.
const PAUSE_AFTER_LOOK: u32 = 9;
/// Record of the tournament, relative to the station's folder.
pub const RECORD_FILE: &str = "log/tournament.ndjson";
/// Time after which a pairing that could not be sent to its board is sent again.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Time within which a line has to accept its pairing.
const LINE_TIMEOUT: Duration = Duration::from_secs(5);

/// Options of a request.
#[derive(Clone, Debug)]
pub struct RequestOptions {
    /// Whether the request is confirmed.
    pub is_confirmed: bool,
    /// Reason given by the requester.
    pub reason: String,
    /// Whether to show the effects without changing anything.
    pub is_dry_run: bool,
    /// Whether the requester has seen the running game of the board.
    pub has_seen_game: bool,
}

/// Query to the tournament service.
#[derive(Debug)]
pub enum TournamentQuery {
    /// A request of an arbiter.
    Request(TournamentRequest),
    /// Asks whether a result is for a running game of the board; then its line ends the game.
    Result {
        /// Name of the board.
        board: String,
        /// The result.
        result: String,
        /// Options; a confirmed result counts even if the board shows another one.
        options: RequestOptions,
    },
    /// Reports that the last game of the board continues: it has no result.
    GameResumed {
        /// Name of the board.
        board: String,
        /// Whether to show the effects without changing anything.
        dry_run: bool,
    },
    /// Asks whether names are for a game that has begun.
    Names {
        /// Name of the board.
        board: String,
        /// Player of White.
        white: String,
        /// Player of Black.
        black: String,
        /// Whether to show the effects without changing anything.
        dry_run: bool,
    },
    /// Requests the state and the history of the tournament.
    Show,
    /// Requests the file of a section for a program that pairs Swiss rounds.
    PairingFile {
        /// Name of the section; `None` for the only one.
        section: Option<String>,
        /// Choices of the arbiter.
        choices: NextRoundChoices,
    },
}

/// Answer of the tournament service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TournamentReply {
    /// The query was executed.
    Done {
        /// Messages for the requester.
        messages: Vec<String>,
        /// Version of the tournament afterwards.
        version: u64,
    },
    /// The query was refused, for this reason.
    Refused(String),
    /// The query is for the line.
    ForLine,
    /// The tournament.
    Shown(Box<TournamentSnapshot>),
    /// A file for a program that pairs Swiss rounds, and the version of the tournament in it.
    PairingFile(Box<EngineFile>, u64),
}

/// Maximum number of actions in a snapshot.
const MAX_HISTORY: usize = 200;

enum ActorMessage {
    GameEvent(GameLifecycle),
    Query { question: Box<TournamentQuery>, by: String, answer: oneshot::Sender<TournamentReply> },
    Configured(Vec<String>, TournamentConfig),
}

/// Sends queries to the tournament service.
#[derive(Clone)]
pub struct TournamentHandle(mpsc::Sender<ActorMessage>);

impl TournamentHandle {
    /// Sends a query. The answer arrives after its execution.
    pub fn query(&self, question: TournamentQuery, by: String) -> oneshot::Receiver<TournamentReply> {
        let (answer, receiver) = oneshot::channel();
        // A service that has ended does not answer.
        let _ = self.0.send(ActorMessage::Query { question: Box::new(question), by, answer });
        receiver
    }

    /// Reports that the configuration was read again.
    pub fn configured(&self, config: &Config) {
        let _ = self.0.send(ActorMessage::Configured(lines(config), config.tournament.clone()));
    }

    /// Returns the listener that receives changes of games.
    pub fn listener(&self) -> Arc<dyn Fn(GameLifecycle) + Send + Sync> {
        let sender = self.0.clone();
        Arc::new(move |news| drop(sender.send(ActorMessage::GameEvent(news))))
    }
}

fn lines(config: &Config) -> Vec<String> {
    config.lines.iter().map(|line| line.name.clone()).collect()
}

/// Sends a request of the service to the line of a board.
pub type SendToLine =
    Box<dyn Fn(String, OperatorCommand, RequestContext, oneshot::Sender<RequestOutcome>) -> bool + Send>;

/// Dependencies of the service.
pub struct TournamentDeps {
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// Witnesses of the station's files.
    pub witnesses: Witnesses,
    /// Reports of the lines, with their boards.
    pub rows: watch::Receiver<Vec<LineReport>>,
    /// Sends a line the pairing of one of its boards. Returns `false` if the line is too busy.
    pub send_to_line: SendToLine,
    /// Status for `ctl status`.
    pub shown: watch::Sender<TournamentStatus>,
    /// Reports that the record cannot be written.
    pub problems: ProblemReporter,
}

/// Returns a handle for queries, and the inbox from which the service reads them.
pub fn channel() -> (TournamentHandle, TournamentInbox) {
    let (sender, receiver) = mpsc::channel();
    (TournamentHandle(sender), TournamentInbox(receiver))
}

/// Messages for the service.
pub struct TournamentInbox(mpsc::Receiver<ActorMessage>);

/// Spawns the service of a station. The thread ends when all handles are dropped.
pub fn spawn(
    config: &Config,
    inbox: TournamentInbox,
    outlet_handle: OutletHandle,
    deps: TournamentDeps,
) -> JoinHandle<()> {
    let folder = config.directory.join("log");
    let lines = lines(config);
    let config = config.tournament.clone();
    tokio::task::spawn_blocking(move || match open(&deps, &folder) {
        Ok(mut office) => {
            office.configure(config.boards.clone(), config.first_board);
            if let Some(damage) = office.log().damage() {
                error!("the record of the tournament is damaged: {damage}; what stands before that counts");
            }
            let mut work = TournamentActor {
                service: office,
                folder,
                lines,
                outlets: outlet_handle,
                deps,
                file_names: BTreeMap::new(),
                requesters: BTreeMap::new(),
                confirmed_pairings: BTreeMap::new(),
                sent_pairings: BTreeMap::new(),
                pending_pairings: BTreeMap::new(),
                opens_when_set_up: config.opens_when_set_up,
                seen_boards: Vec::new(),
                has_old_games: false,
                record_failure: None,
            };
            work.run(&inbox.0);
        }
        Err(why) => {
            error!("the record of the tournament cannot be read, and nothing of it can be changed: {why}");
            // No round is open, then.
            deps.shown
                .send_replace(TournamentStatus { open_rounds: Some(BTreeMap::new()), ..TournamentStatus::default() });
            // Results of running games are for their lines.
            while let Ok(message) = inbox.0.recv() {
                if let ActorMessage::Query { question, answer, .. } = message {
                    let _ = answer.send(match *question {
                        TournamentQuery::Request(_) | TournamentQuery::Show | TournamentQuery::PairingFile { .. } => {
                            TournamentReply::Refused(format!("log/tournament.ndjson: {why}"))
                        }
                        _ => TournamentReply::ForLine,
                    });
                }
            }
        }
    })
}

fn open(deps: &TournamentDeps, folder: &Path) -> io::Result<TournamentService> {
    TournamentService::open_witnessed(Arc::clone(&deps.disk), folder, deps.witnesses.clone())
}

struct TournamentActor {
    service: TournamentService,
    folder: PathBuf,
    lines: Vec<String>,
    outlets: OutletHandle,
    deps: TournamentDeps,
    /// Stem of the file names of each board.
    file_names: BTreeMap<(String, Option<BusAddress>), String>,
    /// Person who last requested a result of a board's running game.
    requesters: BTreeMap<String, ResultRequester>,
    /// Pairing of each board's next game as its line reports it, once the line has been opened.
    confirmed_pairings: BTreeMap<String, Option<Arc<BoardPairing>>>,
    /// Pairings sent since the start, which the line may not report yet.
    sent_pairings: BTreeMap<String, Option<BoardPairing>>,
    /// Pairings being sent, with the time of sending and the receiver of the answer.
    pending_pairings: BTreeMap<String, (Option<BoardPairing>, Instant, oneshot::Receiver<RequestOutcome>)>,
    /// Whether rounds open by themselves.
    opens_when_set_up: bool,
    /// Boards as the last look found them.
    seen_boards: Vec<SeenBoard>,
    /// Whether games of earlier chains of logs are loaded.
    has_old_games: bool,
    /// Message of the last attempt to write the record; `None` if it succeeded.
    record_failure: Option<String>,
}

impl TournamentActor {
    fn run(&mut self, inbox: &mpsc::Receiver<ActorMessage>) {
        let (mut is_due, mut is_settled) = (true, false);
        let mut last_look = Instant::now();
        let mut next_look = last_look;
        let mut pause = LOOK_INTERVAL;
        loop {
            match inbox.recv_timeout(next_look.saturating_duration_since(Instant::now())) {
                Ok(ActorMessage::GameEvent(news)) => {
                    // The board may be a new one of a bus.
                    if !self.knows_board_of(&news) {
                        is_due |= self.update_boards();
                    }
                    if self.on_game_event(news) {
                        is_due = true;
                        next_look = next_look.min(last_look + pause);
                    }
                }
                Ok(ActorMessage::Configured(lines, config)) => {
                    // A new line may have logs of earlier games.
                    self.has_old_games &= lines == self.lines;
                    self.lines = lines;
                    self.opens_when_set_up = config.opens_when_set_up;
                    self.service.configure(config.boards, config.first_board);
                    // Boards that are as before may have other numbers.
                    self.seen_boards.clear();
                    (is_due, next_look) = (true, last_look);
                }
                Ok(ActorMessage::Query { question, by, answer }) => {
                    is_due |= self.update_boards();
                    if is_due {
                        // The question may be about a result that a board has published before.
                        self.apply_board_results();
                    }
                    let reply = self.answer(*question, &by);
                    self.publish_status();
                    let _ = answer.send(reply);
                    (is_due, next_look) = (true, last_look);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // One look serves all messages of its interval: many boards begin together.
            if Instant::now() < next_look {
                continue;
            }
            let begin = Instant::now();
            is_due |= self.update_boards() | self.open_ready_round();
            if is_due {
                // A result that its line has acknowledged is tried until it is in the record.
                is_due = !self.apply_board_results();
                self.publish_status();
                is_settled = false;
            }
            if !is_settled {
                is_settled = self.send_pairings();
            }
            last_look = Instant::now();
            pause = LOOK_INTERVAL.max((last_look - begin) * PAUSE_AFTER_LOOK);
            next_look = last_look + TICK_INTERVAL;
        }
    }

    /// Whether the board of a change has a name already.
    fn knows_board_of(&self, news: &GameLifecycle) -> bool {
        match news.change {
            LifecycleChange::LineOpened(_) => false,
            LifecycleChange::EntryAdded => true,
            _ => self.file_names.contains_key(&(news.line.clone(), news.board)),
        }
    }

    /// Applies a change of a game. Returns whether it may have consequences.
    fn on_game_event(&mut self, news: GameLifecycle) -> bool {
        let names = &self.file_names;
        self.service.on_game_event(news, |line, address| named_pairing(names, line, address))
    }

    /// Updates the boards. Returns whether the boards, the pairings that they have, or a shown result changed.
    fn update_boards(&mut self) -> bool {
        let rows = self.deps.rows.borrow();
        let mut seen = self.seen_boards.iter();
        if observer::board_rows(&rows).all(|row| seen.next().is_some_and(|seen| seen.is_of(&row)))
            && seen.next().is_none()
        {
            return false;
        }
        self.seen_boards = observer::board_rows(&rows).map(|row| SeenBoard::new(&row)).collect();
        drop(rows);
        let (mut offers, mut boards, mut pairings) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        self.file_names.clear();
        for seen in &self.seen_boards {
            let name = &seen.board.name;
            offers.extend(seen.proposed_result.clone().map(|result| (name.clone(), result)));
            pairings.extend(seen.pairing.clone().map(|pairing| (name.clone(), pairing)));
            self.file_names.insert((seen.line.clone(), seen.address), name.clone());
            boards.push(seen.board.clone());
        }
        let has_other_pairing = pairings != self.confirmed_pairings;
        self.confirmed_pairings = pairings;
        self.service.set_proposed(offers) | self.service.set_boards(boards) | has_other_pairing
    }

    /// Opens the next round once all its boards are set up. Returns whether a round was opened.
    fn open_ready_round(&mut self) -> bool {
        if !self.opens_when_set_up || self.service.log().records().is_empty() {
            return false;
        }
        let next = self.service.next_rounds();
        let ready = self.seen_boards.iter().filter(|seen| seen.is_ready).map(|seen| seen.board.name.as_str());
        let ready: BTreeSet<&str> = ready.collect();
        let set_up = next
            .into_iter()
            .find(|next| !next.boards.is_empty() && next.boards.iter().all(|board| ready.contains(board.as_str())));
        let Some(NextRound { section, round, .. }) = set_up else { return false };
        let matter =
            TournamentCommand::SetRoundState { round, to: RoundState::Open.name().to_owned(), section: Some(section) };
        // The round before has its results, and may stay open.
        let request = TournamentRequest { confirm: true, ..matter.into() };
        let answer = self.answer(TournamentQuery::Request(request), "the boards, which are set up");
        if let TournamentReply::Refused(why) = &answer {
            warn!("round {round} is not opened: {why}");
        }
        true
    }

    /// Loads games from logs that no line has opened, once there is a tournament that they may belong to.
    fn load_old_games(&mut self) {
        if std::mem::replace(&mut self.has_old_games, true) {
            return;
        }
        for line in &self.lines {
            let names = &self.file_names;
            let name = |address| named_pairing(names, line, address);
            let (office, mut is_known) = (&mut self.service, BTreeMap::new());
            let read = outlets::read_line_logs(&self.folder, line, |game| {
                let board = name(game.board);
                is_known.insert((board.clone(), game.number()), outlets::recorded_game(board, &game));
            });
            if let Err(why) = read {
                warn!(line, "the games of earlier logs cannot be read: {why}");
            }
            is_known.into_values().for_each(|game| office.games_mut().insert_if_new(game));
        }
    }

    fn answer(&mut self, question: TournamentQuery, by: &str) -> TournamentReply {
        let request = match question {
            TournamentQuery::Result { board, result, options } => match self.result_request(board, result, options, by)
            {
                Ok(request) => request,
                Err(reply) => return reply,
            },
            TournamentQuery::GameResumed { board, dry_run } => {
                self.load_old_games();
                let Some(game) = self.service.games().last(&board).map(|game| game.number) else {
                    return TournamentReply::ForLine;
                };
                if !self.service.has_result(&board) {
                    return TournamentReply::ForLine;
                }
                let (board, game, result) = (Some(board), Some(game), "*".to_owned());
                let matter = TournamentCommand::Result {
                    board,
                    game,
                    pairing: None,
                    section: None,
                    result,
                    kind: None,
                    correct: true,
                };
                TournamentRequest { confirm: true, reason: "the game goes on".to_owned(), dry_run, ..matter.into() }
            }
            TournamentQuery::Names { board, .. } if !self.service.is_playing(&board) => {
                return self
                    .service
                    .has_names_of_its_own(&board)
                    .map_or(TournamentReply::ForLine, TournamentReply::Refused);
            }
            TournamentQuery::Names { board, white, black, dry_run } => TournamentRequest {
                dry_run,
                ..TournamentCommand::SetPlayers { board, game: None, white, black }.into()
            },
            TournamentQuery::Request(request) => request,
            TournamentQuery::Show => return self.snapshot(),
            TournamentQuery::PairingFile { section, choices } => {
                return self.pairing_file(section.as_deref(), &choices);
            }
        };
        self.load_old_games();
        let dry = if request.dry_run { ", a dry run" } else { "" };
        info!("request of {by}: {}{dry}", request.command.describe());
        match self.service.execute(&request, by) {
            Ok(done) => {
                let mut messages = done.notes.clone();
                messages.extend(done.messages.iter().cloned());
                self.publish(done);
                TournamentReply::Done { messages, version: self.service.log().version() }
            }
            Err(refusal) => {
                let why = refusal.to_string();
                info!("refused: {}", why.lines().next().unwrap_or_default());
                TournamentReply::Refused(why)
            }
        }
    }

    /// Returns the request that sets the result of a finished game of a board.
    ///
    /// # Errors
    ///
    /// Returns the reply if the result is for the line, or if two games of the board may be meant.
    fn result_request(
        &mut self,
        board: String,
        result: String,
        options: RequestOptions,
        by: &str,
    ) -> Result<TournamentRequest, TournamentReply> {
        let RequestOptions { is_confirmed: confirm, reason, is_dry_run: dry_run, has_seen_game } = options;
        let game = match self.service.result_target(&board) {
            ResultTarget::Either { waiting, running } if !has_seen_game => {
                return Err(TournamentReply::Refused(format!(
                    "{board} has two games of pairings without a result: game {waiting} is over, and game {running} goes on. Give the result \
                     of game {waiting} first: `damcast ctl result {board} {result} --game {waiting}`"
                )));
            }
            ResultTarget::RunningGame | ResultTarget::Either { .. } => {
                if !dry_run && self.service.is_playing(&board) {
                    self.requesters.insert(board, ResultRequester { by: by.to_owned(), reason });
                }
                return Err(TournamentReply::ForLine);
            }
            ResultTarget::FinishedGame(game) => game,
        };
        let (board, pairing, section, kind) = (Some(board), None, None, None);
        let command = TournamentCommand::Result { board, game, pairing, section, result, kind, correct: false };
        Ok(TournamentRequest { confirm, reason, dry_run, ..command.into() })
    }

    /// Writes the file of a section for a program that pairs Swiss rounds. The requester runs it.
    fn pairing_file(&self, section: Option<&str>, choices: &NextRoundChoices) -> TournamentReply {
        let section = only_section(self.service.tournament(), section);
        match section.and_then(|section| EngineFile::new(section, choices)) {
            Ok(file) => TournamentReply::PairingFile(Box::new(file), self.service.log().version()),
            Err(why) => TournamentReply::Refused(why),
        }
    }

    fn snapshot(&self) -> TournamentReply {
        let tournament = self.service.tournament();
        let log = self.service.log();
        let undone = undone_versions(log.records());
        let history_entry = |record: &TournamentRecord| TournamentHistoryEntry {
            is_undone: undone.contains(&record.version),
            can_undo: is_action(record) && !undone.contains(&record.version),
            version: record.version,
            at: record.at.clone(),
            by: record.by.clone(),
            what: record.action.clone(),
            reason: record.reason.clone(),
        };
        let rounds = |section: &TournamentSection| {
            let of = |round| RoundSnapshot {
                section: section.name.clone(),
                round,
                state: section.state_of(round).name().to_owned(),
            };
            (1..=section.last_round()).map(of).collect::<Vec<_>>()
        };
        let left_out = log.records().len().saturating_sub(MAX_HISTORY);
        TournamentReply::Shown(Box::new(TournamentSnapshot {
            version: log.version(),
            tournament: documents::tournament_document(tournament),
            standings: documents::standings_document(tournament),
            rounds: tournament.sections.iter().flat_map(rounds).collect(),
            history: log.records()[left_out..].iter().map(history_entry).collect(),
            featured: tournament.featured.clone(),
            free_games: self.free_games(),
        }))
    }

    fn publish(&mut self, done: ServiceOutcome) {
        if let Some(record) = done.record {
            self.outlets.tournament_record(record);
        }
    }

    /// Returns `false` if the record cannot be written at present.
    fn apply_board_results(&mut self) -> bool {
        if self.service.log().records().is_empty() {
            return true;
        }
        self.load_old_games();
        let failure = match self.service.apply_board_results(&self.requesters) {
            Ok(done) => {
                done.messages.iter().for_each(|message| info!("{message}"));
                self.publish(done);
                None
            }
            Err(why @ ServiceError::Record(_)) => Some(why.to_string()),
            Err(why) => {
                warn!("the tournament lacks what the boards have shown: {why}");
                None
            }
        };
        let message = failure
            .map(|why| format!("what the boards have shown is not in the tournament yet, and is tried again: {why}"));
        if message != self.record_failure {
            message.iter().for_each(|message| warn!("{message}"));
            self.record_failure.clone_from(&message);
        }
        let is_written = message.is_none();
        self.deps.problems.report(message.map(|message| ProblemReport::new(RECORD_FILE, message)));
        is_written
    }

    /// Sends each board its pairing if it differs from the last one sent. Returns whether all boards have theirs.
    fn send_pairings(&mut self) -> bool {
        for (board, (pairing, since, mut answer)) in std::mem::take(&mut self.pending_pairings) {
            match answer.try_recv() {
                Ok(RequestOutcome { refusal: None, .. }) => drop(self.sent_pairings.insert(board, pairing)),
                Ok(RequestOutcome { refusal: Some(why), .. }) => {
                    warn!("{board} did not receive its pairing: {why}; retrying")
                }
                Err(oneshot::error::TryRecvError::Empty) if since.elapsed() < LINE_TIMEOUT + RETRY_INTERVAL => {
                    self.pending_pairings.insert(board, (pairing, since, answer));
                }
                Err(_) => {}
            }
        }
        let tournament = self.service.tournament();
        let due = pairings_due(
            tournament,
            self.service.games(),
            self.confirmed_pairings.keys().map(|board| (board.as_str(), self.known_pairings(board))),
        );
        let is_settled = due.is_empty() && self.pending_pairings.is_empty();
        for (board, pairing) in due {
            if !self.confirmed_pairings.contains_key(&board) || self.pending_pairings.contains_key(&board) {
                continue;
            }
            let (answer, receiver) = oneshot::channel();
            let asked = RequestContext {
                requester: "the tournament".to_owned(),
                deadline: Uptime::after(LINE_TIMEOUT),
                is_confirmed: false,
                is_dry_run: false,
            };
            let command = OperatorCommand::SetPairing(pairing.clone());
            if (self.deps.send_to_line)(board.clone(), command, asked, answer) {
                self.pending_pairings.insert(board, (pairing, Instant::now(), receiver));
            }
        }
        is_settled
    }

    /// Returns the pairing of a board's next games.
    fn known_pairings(&self, board: &str) -> Option<&BoardPairing> {
        let says = || self.confirmed_pairings.get(board).and_then(Option::as_deref);
        self.sent_pairings.get(board).map_or_else(says, Option::as_ref)
    }
}

fn named_pairing(
    names: &BTreeMap<(String, Option<BusAddress>), String>,
    line: &str,
    address: Option<BusAddress>,
) -> String {
    let known = names.get(&(line.to_owned(), address)).cloned();
    known.unwrap_or_else(|| live_files::file_prefix(line, address, None))
}

/// Returns the pairings to send: that of each board in an open round, if the board has another one. `known`: last pairing that each board
/// of the station received. A board plays no pairing if its pairing has a result or its game already, or if its round was closed.
pub fn pairings_due<'b>(
    tournament: &Tournament,
    games: &BoardGames,
    known: impl Iterator<Item = (&'b str, Option<&'b BoardPairing>)>,
) -> BTreeMap<String, Option<BoardPairing>> {
    let seat = |seat: BoardAssignment| {
        let only_from = games.next_number(tournament, &seat);
        let pairing = BoardPairing { id: format_pairing_key(seat.pairing), tags: seat.tags, only_from };
        (seat.board, only_from.map(|_| pairing))
    };
    let mut due: BTreeMap<String, Option<BoardPairing>> =
        tournament.board_assignments().into_iter().map(seat).collect();
    for (board, known) in known {
        let key = known.and_then(|pairing| parse_pairing_key(&pairing.id));
        if key.is_some_and(|key| tournament.pairing(key.0).is_some()) {
            due.entry(board.to_owned()).or_default();
        }
        // The line gives a pairing with one game to no second game.
        let is_used = known.is_some_and(|known| {
            let is_its = |game: &BoardGame| game.pairing.as_ref() == Some(&known.id);
            known.only_from.is_some_and(|from| games.of_board(board).any(|game| game.number >= from && is_its(game)))
        });
        if due.get(board).is_some_and(|pairing| pairing.as_ref() == known || pairing.is_none() && is_used) {
            due.remove(board);
        }
    }
    due
}
