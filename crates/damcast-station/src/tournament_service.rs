//! Tournament service, the only writer of the tournament log. A request becomes one record, durable before the answer, with all its
//! consequences for games and boards.
//!
//! ```text
//!   request ─▸ duplicate or stale? ─▸ decide ─▸ record ─▸ answer
//!   boards ──▸ apply_board_results ───────────▸ record
//! ```
//!
//! `damcast tournament` uses a service on a folder, a running station has its own ([`operate::tournament_actor`]).
//!
//! [`operate::tournament_actor`]: crate::operate::tournament_actor

mod missing_moves;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Local, SecondsFormat};
use damcast_control::tournament::TournamentRequest;
use damcast_engine::broadcast::WallTime;
use damcast_engine::session::BusAddress;
use draughts_tournament::{
    self as model, BY_BOARDS, BoardAssignment, BoardGame, BoardGames, Boards, Decision, NextRound, Refusal, Tournament,
    TournamentCommand, TournamentRecord, dry_run, names_belong_to_tournament,
};

use crate::disk::Disk;
use crate::journal::chained::CHECKSUM;
use crate::journal::witness::Witnesses;
use crate::outlets::{self, GameLifecycle, LifecycleChange};
use crate::tournament_log::{Conflict, TournamentError, TournamentLog};

/// Last line of the answer to a dry run.
pub const DRY_RUN: &str = "nothing was changed: this was a dry run";

/// Outcome of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServiceOutcome {
    /// Messages for the requester.
    pub messages: Vec<String>,
    /// Oddities of a file.
    pub notes: Vec<String>,
    /// The written record; `None` for a dry run, or if nothing changed.
    pub record: Option<TournamentRecord>,
}

/// Reason why a request was not executed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The request is impossible; each fault, then its consequence.
    #[error("{}", .0.join("\n"))]
    Invalid(Vec<String>),
    /// The request was based on an older version, or was executed already.
    #[error("{0}")]
    Conflict(Conflict),
    /// The disk or the record failed.
    #[error(transparent)]
    Record(#[from] TournamentError),
}

impl From<String> for ServiceError {
    fn from(reason: String) -> ServiceError {
        ServiceError::Invalid(vec![reason])
    }
}

/// Person who requested the result of a running game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultRequester {
    /// Name of the person.
    pub by: String,
    /// Reason given by the person.
    pub reason: String,
}

/// Game that a result for a board is meant for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultTarget {
    /// The running game, or none that the service knows: its line decides.
    RunningGame,
    /// A finished game. Contains its number if a game without a pairing is running; otherwise the board has only finished games.
    FinishedGame(Option<u32>),
    /// The pairing of a finished game waits for its result, and the running game has a pairing as well.
    Either {
        /// Number of the finished game.
        waiting: u32,
        /// Number of the running game.
        running: u32,
    },
}

/// A board of the station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StationBoard {
    /// Name of the board, the stem of its files' names.
    pub name: String,
    /// Last serial number received on its line.
    pub serial: Option<String>,
    /// Whether its link is up.
    pub is_connected: bool,
    /// Whether it is a board; otherwise it stands for the boards of a bus that are not known yet.
    pub is_known: bool,
}

/// The tournament service.
pub struct TournamentService {
    disk: Arc<dyn Disk>,
    log: TournamentLog,
    /// Folder of the live files.
    live: PathBuf,
    games: BoardGames,
    /// Boards of the station in their order.
    boards: Vec<StationBoard>,
    /// Last serial number received per board, with a counter that orders them.
    last_serials: BTreeMap<String, (String, u64)>,
    /// Boards by number as configured: a name, or `serial:` and a number; empty for the order of the boards.
    configured_boards: Vec<String>,
    /// Number of the first board, from 1.
    first_board: u32,
    /// Results that boards show during running games, by board.
    proposed: BTreeMap<String, String>,
    /// Simulated time; `None` for the clock of the machine.
    now: Option<WallTime>,
}

/// Counters of a serial number from the log of a line, and from the record of the tournament. Received numbers count on from these.
const FROM_LOG: u64 = 0;
const FROM_RECORD: u64 = 1;

/// Prefix of a serial number in the list of boards.
pub const SERIAL: &str = "serial:";

impl TournamentService {
    /// Opens the service of a folder of logs.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> io::Result<TournamentService> {
        TournamentService::open_witnessed(disk, folder, Witnesses::default())
    }

    /// Opens the service, and compares its record with its witness.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn open_witnessed(disk: Arc<dyn Disk>, folder: &Path, witnesses: Witnesses) -> io::Result<TournamentService> {
        let log = TournamentLog::read_witnessed(&*disk, folder, witnesses)?;
        Ok(TournamentService {
            disk,
            log,
            live: folder.with_file_name("live"),
            games: BoardGames::default(),
            boards: Vec::new(),
            last_serials: BTreeMap::new(),
            configured_boards: Vec::new(),
            first_board: 1,
            proposed: BTreeMap::new(),
            now: None,
        })
    }

    /// Returns the record.
    pub fn log(&self) -> &TournamentLog {
        &self.log
    }

    /// Returns the tournament.
    pub fn tournament(&self) -> &Tournament {
        self.log.tournament()
    }

    /// Returns the recorded games.
    pub fn games(&self) -> &BoardGames {
        &self.games
    }

    /// Returns the recorded games for additions.
    pub fn games_mut(&mut self) -> &mut BoardGames {
        &mut self.games
    }

    /// Sets the results that boards show during running games. Returns whether they changed.
    pub fn set_proposed(&mut self, proposed: BTreeMap<String, String>) -> bool {
        let is_new = self.proposed != proposed;
        self.proposed = proposed;
        is_new
    }

    /// Returns the result that a board shows during its running game.
    pub fn proposed(&self, board: &str) -> Option<&String> {
        self.proposed.get(board)
    }

    /// Sets the time of records, for simulations.
    pub fn set_now(&mut self, now: WallTime) {
        self.now = Some(now);
    }

    /// Applies an event of a game. `name`: the name of a board by its line and address. Returns whether the event may have consequences.
    pub fn on_game_event(&mut self, news: GameLifecycle, name: impl Fn(&str, Option<BusAddress>) -> String) -> bool {
        let GameLifecycle { line, board, change } = news;
        match change {
            LifecycleChange::LineOpened(games) => {
                for (address, game) in games {
                    self.games.insert(BoardGame { board: name(&line, address), ..game });
                }
                true
            }
            LifecycleChange::Started(game) => {
                self.games.insert(BoardGame { board: name(&line, board), ..*game });
                true
            }
            LifecycleChange::EntryAdded => {
                let Some(game) = self.games.last_mut(&name(&line, board)) else { return false };
                game.entries += 1;
                // A board shows its game from the first move on.
                game.entries == 1
            }
            LifecycleChange::Ended { result, is_operator_result } => {
                if let Some(game) = self.games.last(&name(&line, board)).cloned() {
                    let is_result_given = is_operator_result;
                    self.games.insert(BoardGame { is_over: true, result, is_result_given, ..game });
                }
                true
            }
        }
    }

    /// Applies the configuration: boards by number, and the number of the first one.
    pub fn configure(&mut self, configured_boards: Vec<String>, first_board: u32) {
        (self.configured_boards, self.first_board) = (configured_boards, first_board);
        // The record has the boards from the time before a restart.
        let tournament = self.log.tournament();
        for BoardAssignment { board, pairing, .. } in tournament.board_assignments() {
            let of_round = tournament.pairing(pairing.0).filter(|(_, pairing)| pairing.board_name == board);
            let number = of_round.and_then(|(_, pairing)| pairing.board);
            let configured = number.and_then(|number| self.configured_boards.get(self.index_of(number)?)).cloned();
            if let Some(serial) = configured.as_deref().and_then(|configured| configured.strip_prefix(SERIAL)) {
                self.last_serials.entry(board).or_insert((serial.to_owned(), FROM_RECORD));
            }
        }
    }

    /// Sets the boards of the station in their order. Returns whether they changed.
    pub fn set_boards(&mut self, mut boards: Vec<StationBoard>) -> bool {
        // A line without a link keeps its board, unless that board is elsewhere: cables are swapped one after the other.
        let mut last = self.last_serials.values().map(|(_, when)| *when).max().unwrap_or(0).max(FROM_RECORD);
        for board in &boards {
            let Some(serial) = &board.serial else { continue };
            if !board.is_connected {
                // The number comes from the log of the line, which may be old.
                self.last_serials.entry(board.name.clone()).or_insert((serial.clone(), FROM_LOG));
            } else if self.last_serials.get(&board.name).is_none_or(|(known, _)| known != serial) {
                last += 1;
                self.last_serials.insert(board.name.clone(), (serial.clone(), last));
            }
        }
        // Each serial number is at the board that is connected, or else at the one that reported it last.
        let connected: BTreeSet<&str> =
            boards.iter().filter(|board| board.is_connected).map(|board| board.name.as_str()).collect();
        let mut holders: BTreeMap<&str, (bool, u64)> = BTreeMap::new();
        for (name, (serial, when)) in &self.last_serials {
            let claim = (connected.contains(name.as_str()), *when);
            let holder = holders.entry(serial).or_insert(claim);
            *holder = claim.max(*holder);
        }
        let serial_at = |board: &StationBoard| {
            let (serial, when) = self.last_serials.get(&board.name)?;
            let is_here = holders.get(serial.as_str()) <= Some(&(board.is_connected, *when));
            is_here.then(|| serial.clone())
        };
        let serials: Vec<Option<String>> = boards.iter().map(serial_at).collect();
        for (board, serial) in boards.iter_mut().zip(serials) {
            board.serial = serial;
        }
        let named = |boards: &[StationBoard]| -> Vec<(String, Option<String>)> {
            boards.iter().map(|board| (board.name.clone(), board.serial.clone())).collect()
        };
        let is_new = named(&self.boards) != named(&boards);
        self.boards = boards;
        is_new
    }

    /// Whether the last game of a board has a visible result.
    pub fn has_result(&self, board: &str) -> bool {
        self.games.last(board).is_some_and(|game| self.tournament().shown_result(game) != "*")
    }

    /// Whether a game is running at this board.
    pub fn is_playing(&self, board: &str) -> bool {
        self.games.last(board).is_some_and(|game| !game.is_over)
    }

    /// Explains why a requester may not name the players of a board's next game: it belongs to a pairing that waits for its game.
    pub fn has_names_of_its_own(&self, board: &str) -> Option<String> {
        let tournament = self.tournament();
        let next = tournament.board_assignments().into_iter().find(|next| next.board == board)?;
        self.games.next_number(tournament, &next)?;
        Some(names_belong_to_tournament(&format!("the next game of {board}")))
    }

    /// Returns the target of a result that names a board only.
    pub fn result_target(&self, board: &str) -> ResultTarget {
        let tournament = self.tournament();
        let Some(last) = self.games.last(board) else { return ResultTarget::RunningGame };
        let waiting = self.games.awaiting_official_result(tournament, board);
        match (last.is_over, waiting) {
            (true, _) => ResultTarget::FinishedGame(None),
            (false, None) => ResultTarget::RunningGame,
            (false, Some(waiting)) => {
                let is_of_pairing = tournament.pairing_of(last).is_some_and(|key| tournament.pairing(key.0).is_some());
                let (waiting, running) = (waiting.number, last.number);
                if is_of_pairing {
                    ResultTarget::Either { waiting, running }
                } else {
                    ResultTarget::FinishedGame(Some(waiting))
                }
            }
        }
    }

    /// Returns the place of the board with this number in the list of boards.
    fn index_of(&self, number: u32) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first_board)?).ok()
    }

    /// Returns the names of the boards with the numbers from 1 on.
    pub fn numbered_boards(&self) -> Vec<Option<String>> {
        let mut numbered: Vec<Option<String>> = vec![None; self.first_board.saturating_sub(1) as usize];
        if self.configured_boards.is_empty() {
            // Behind a bus whose boards are not known yet, nobody knows the numbers.
            let mut are_known = true;
            numbered.extend(self.boards.iter().map(|board| {
                are_known &= board.is_known;
                are_known.then(|| board.name.clone())
            }));
            return numbered;
        }
        let names: BTreeSet<&str> = self.boards.iter().map(|board| board.name.as_str()).collect();
        let serials = self.boards.iter().rev().filter_map(|board| Some((board.serial.as_deref()?, &*board.name)));
        let serials: BTreeMap<&str, &str> = serials.collect();
        numbered.extend(self.configured_boards.iter().map(|configured| {
            let found = match configured.strip_prefix(SERIAL) {
                Some(serial) => serials.get(serial),
                None => names.get(configured.as_str()),
            };
            found.map(|name| (*name).to_owned())
        }));
        numbered
    }

    /// Calls `decide` with the state of the boards.
    fn with_boards<T>(&self, decide: impl FnOnce(&Boards) -> T) -> T {
        let names: Vec<String> = self.boards.iter().map(|board| board.name.clone()).collect();
        let by_number = self.numbered_boards();
        let unheard = self.boards.iter().filter(|board| !board.is_connected);
        let unheard: Vec<String> = unheard.map(|board| board.name.clone()).collect();
        decide(&Boards {
            games: &self.games,
            names: &names,
            by_number: &by_number,
            are_listed: !self.configured_boards.is_empty(),
            proposed: &self.proposed,
            unheard: &unheard,
        })
    }

    /// Executes a request and makes it durable.
    ///
    /// # Errors
    ///
    /// Returns a [`ServiceError`] if the request cannot be executed; then nothing has changed.
    pub fn execute(&mut self, request: &TournamentRequest, by: &str) -> Result<ServiceOutcome, ServiceError> {
        let base_version = request.if_version.unwrap_or(self.log.version());
        let request_id = match &request.request_id {
            Some(request_id) => request_id.clone(),
            None => outlets::random_name().map_err(|error| error.to_string())?,
        };
        let command_crc = command_crc(&request.command)?;
        match self.log.check_request(&request_id, base_version) {
            Err(Conflict::Duplicate(version)) => {
                return self.duplicate_outcome(&request_id, version, &request.command, &command_crc);
            }
            Err(conflict) => return Err(ServiceError::Conflict(conflict)),
            Ok(()) => {}
        }
        let command = self.with_checked_moves(&request.command)?;
        let (undoes, outcome) = self.outcome_of(&command, request.confirm)?;
        let (decision, doubts) = accept_doubts(outcome, request.dry_run)?;
        let Decision { events, after, mut messages, mut notes, effects } = decision;
        notes.extend(doubts.into_iter().map(|doubt| format!("{doubt}: this needs --confirm")));
        let record = if request.dry_run && !events.is_empty() {
            let games: Vec<&BoardGame> = self.games.all().collect();
            messages.extend(dry_run(self.tournament(), &after, &games));
            messages.push(DRY_RUN.to_owned());
            None
        } else {
            let (action, reason, by) = (command.describe(), request.reason.clone(), by.to_owned());
            self.write(TournamentRecord {
                by,
                request_id,
                command_crc,
                action,
                reason,
                undoes,
                events,
                ..TournamentRecord::default()
            })?
        };
        messages.extend(effects);
        Ok(ServiceOutcome { messages, notes, record })
    }

    /// Decides a command. Also returns the version of the record that it undoes, if any.
    fn outcome_of(
        &self,
        command: &TournamentCommand,
        confirmed: bool,
    ) -> Result<(Option<u64>, Result<Decision, Refusal>), String> {
        let TournamentCommand::Undo { version, round } = command else {
            return Ok((None, self.with_boards(|boards| model::decide(self.tournament(), boards, command, confirmed))));
        };
        let records = self.log.records();
        let record = model::record_to_undo(records, *version, *round)?;
        let outcome = self.with_boards(|boards| model::decide_undo(records, boards, (record, command)));
        Ok((Some(record.version), outcome))
    }

    /// Answers a request with a known key: a retry, or another command with the same key.
    fn duplicate_outcome(
        &self,
        request_id: &str,
        version: u64,
        command: &TournamentCommand,
        command_crc: &str,
    ) -> Result<ServiceOutcome, ServiceError> {
        let action = command.describe();
        let first = self.log.records().iter().find(|record| record.version == version);
        if let Some(first) = first.filter(|first| first.command_crc != command_crc) {
            let first = &first.action;
            return Err(format!(
                "{action}: nothing was done, for the request {request_id} was another one: {first}, as version {version}; give this one a \
                 name of its own"
            )
            .into());
        }
        Ok(ServiceOutcome {
            messages: vec![format!("{action}: done already, as version {version}")],
            ..ServiceOutcome::default()
        })
    }

    /// Records changes that boards have shown since the last record. Without any, writes nothing. `requesters`: person who last requested a
    /// result, per board.
    ///
    /// # Errors
    ///
    /// Returns errors as [`TournamentService::execute`] does.
    pub fn apply_board_results(
        &mut self,
        requesters: &BTreeMap<String, ResultRequester>,
    ) -> Result<ServiceOutcome, ServiceError> {
        let tournament = self.tournament();
        if tournament.sections.is_empty() && tournament.games.is_empty() {
            return Ok(ServiceOutcome::default());
        }
        let changes = self.with_boards(|boards| model::apply_board_results(tournament, boards));
        let changes = changes.map_err(|misfit| misfit.to_string())?;
        if changes.events.is_empty() {
            return Ok(ServiceOutcome::default());
        }
        let requester = changes.board.and_then(|board| requesters.get(&board).cloned());
        let ResultRequester { by, reason } =
            requester.unwrap_or_else(|| ResultRequester { by: BY_BOARDS.to_owned(), reason: String::new() });
        let request_id = outlets::random_name().map_err(|error| error.to_string())?;
        let action = changes.messages.first().cloned().unwrap_or_else(|| "what the boards have shown".to_owned());
        let events = changes.events;
        let record =
            self.write(TournamentRecord { by, request_id, action, reason, events, ..TournamentRecord::default() })?;
        Ok(ServiceOutcome { messages: changes.messages, notes: Vec::new(), record })
    }

    /// Returns the next round of each section whose open round has all its results.
    pub fn next_rounds(&self) -> Vec<NextRound> {
        self.with_boards(|boards| model::next_rounds(self.tournament(), boards))
    }

    /// Writes a record with its version and time. A record without events is not written.
    fn write(&mut self, mut record: TournamentRecord) -> Result<Option<TournamentRecord>, ServiceError> {
        if record.events.is_empty() {
            return Ok(None);
        }
        let now = self.now.unwrap_or_else(|| Local::now().fixed_offset());
        record.at = now.to_rfc3339_opts(SecondsFormat::Millis, false);
        record.version = self.log.version() + 1;
        self.log.write(&*self.disk, &record)?;
        Ok(Some(record))
    }
}

/// Returns a decision. For a dry run, also returns the questions that need confirmation.
fn accept_doubts(
    outcome: Result<Decision, Refusal>,
    is_dry_run: bool,
) -> Result<(Decision, Vec<String>), ServiceError> {
    match outcome {
        Ok(decision) => Ok((decision, Vec::new())),
        Err(Refusal::Impossible(reasons)) => Err(ServiceError::Invalid(reasons)),
        Err(Refusal::Unconfirmed(doubts, decision)) if is_dry_run => Ok((*decision, doubts)),
        Err(Refusal::Unconfirmed(doubts, _)) => {
            let mut reasons = model::shortened(doubts);
            reasons.push("nothing was changed; if it is meant so, ask again with --confirm".to_owned());
            Err(ServiceError::Invalid(reasons))
        }
    }
}

/// Returns the checksum of a command, which distinguishes a retry from another command.
fn command_crc(command: &TournamentCommand) -> Result<String, String> {
    let text = serde_json::to_string(command).map_err(|error| error.to_string())?;
    Ok(format!("{:08x}", CHECKSUM.checksum(text.as_bytes())))
}
