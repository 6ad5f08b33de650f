//! The tournament office: it alone changes the record of a tournament. What an arbiter asks becomes one record, durable before
//! anybody is told, and everything that follows from it for games and boards is in that record.
//!
//! ```text
//!   request ─▸ admitted? ─▸ the tournament as it would be ─▸ who sits where ─▸ what games lack ─▸ one record ─▸ answer
//!              (done already, older version seen)
//! ```
//!
//! The verbs of `damcast tournament` use it on a folder, a station that runs has one for its own ([`operate::tournament_actor`]).
//!
//! [`operate::tournament_actor`]: crate::station::operate::tournament_actor

mod command;
mod lookup;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Local, SecondsFormat};
use draughts_pdn::tag_values::{self, Outcome};
use draughts_pdn::{Level, Problem};

use crate::engine::broadcast::WallTime;
use crate::engine::livefile::LiveFileContents;
use crate::engine::score_sheet::missing_moves;
use crate::engine::session::BusAddress;
use crate::engine::tournament::{
    self as model, BoardGame, ChangeReview, Conflict, EntityChange, EntityKind, Fields, Format, HIDDEN_NAME, Id, MOVES,
    OfficialResult, PairingKey, Points, ResultReason, RoundState, Scoring, Tournament, TournamentRecord,
    TournamentSection,
};
use crate::station::disk::Disk;
use crate::station::journal::witness::Witnesses;
use crate::station::outlets::{self, GameLifecycle};
use crate::station::tournament_log::{TournamentError, TournamentLog};

pub use command::{TournamentCommand, TournamentRequest};
pub use lookup::only_section;
use lookup::{describe_choices, find_player, find_players, no_player};

/// So many things that are wrong with a file are said: a screen full.
const MOST_SHOWN: usize = 20;

/// Fields of which no answer says anything: where a pairing is played is seen where it is played, and the name of one who wishes not to be
/// named is nobody's business.
const HIDDEN_FIELDS: [&str; 2] = ["at", "formerly"];

/// What follows when somebody wishes not to be named, or is to be named again.
const EVENTS_RESTARTED: &str = "the events of all outlets begin anew under another generation, with the names that are to be shown; live files stay as \
                         they are";

/// What the answer to a dry run ends with.
pub const DRY_RUN: &str = "nothing was changed: this was a dry run";

/// What became of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServiceOutcome {
    /// What there is to say.
    pub messages: Vec<String>,
    /// What was strange about a file.
    pub notes: Vec<String>,
    /// The record that was written.
    pub record: Option<TournamentRecord>,
}

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// It cannot be done so; what is wrong, each thing for itself, and in the end what that means.
    #[error("{}", .0.join("\n"))]
    Invalid(Vec<String>),
    /// It was made of an older version, or was done already.
    #[error("{0}")]
    Conflict(Conflict),
    /// The disk, or the record.
    #[error(transparent)]
    Record(#[from] TournamentError),
}

impl From<String> for ServiceError {
    fn from(why: String) -> ServiceError {
        ServiceError::Invalid(vec![why])
    }
}

/// Who has asked for the result of a game that goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultRequester {
    /// The person.
    pub by: String,
    /// Why, if that was said.
    pub reason: String,
}

/// A record that is to be written.
struct RecordDraft {
    /// What its answer begins with.
    subject: String,
    what: String,
    reason: String,
    request: String,
    saw: u64,
    by: String,
    dry_run: bool,
}

/// A board of the station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StationBoard {
    /// What the names of its files begin with.
    pub name: String,
    /// The serial number that its line has heard last, if any.
    pub serial: Option<String>,
    /// Its link is up.
    pub is_connected: bool,
}

/// The office.
pub struct TournamentService {
    disk: Arc<dyn Disk>,
    log: TournamentLog,
    /// Where the live files are.
    live: PathBuf,
    /// What boards have recorded.
    games: BTreeMap<(String, u32), BoardGame>,
    /// The boards of the station in their order.
    boards: Vec<StationBoard>,
    /// The serial number that the line of each board has heard last, and the how manieth that was to be heard.
    last_serials: BTreeMap<String, (String, u64)>,
    /// The boards by number, as the configuration has them: a name, or `serial:` and a number. Empty: in their order.
    configured_boards: Vec<String>,
    /// So many games of a file are read.
    most_games: Option<usize>,
    /// What time it is; `None`: what the clock of the machine shows.
    now: Option<WallTime>,
}

/// Where a board is by the log of its line, and by the record of the tournament: what its line hears since is newer than both.
const FROM_LOG: u64 = 0;
const FROM_RECORD: u64 = 1;

/// What stands before a serial number in the list of boards.
pub const SERIAL: &str = "serial:";

impl TournamentService {
    /// The office of a station's folder of logs.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> io::Result<TournamentService> {
        TournamentService::open_witnessed(disk, folder, Witnesses::default())
    }

    /// Opens the office, and compares its record with its witness.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn open_witnessed(disk: Arc<dyn Disk>, folder: &Path, witnesses: Witnesses) -> io::Result<TournamentService> {
        let log = TournamentLog::read_witnessed(&*disk, folder, witnesses)?;
        let (games, boards, tables) = (BTreeMap::new(), Vec::new(), Vec::new());
        let live = folder.with_file_name("live");
        Ok(TournamentService {
            disk,
            log,
            live,
            games,
            boards,
            last_serials: BTreeMap::new(),
            configured_boards: tables,
            most_games: None,
            now: None,
        })
    }

    /// Its record.
    pub fn log(&self) -> &TournamentLog {
        &self.log
    }

    /// From now on it is this moment, for records of simulated time.
    pub fn set_now(&mut self, now: WallTime) {
        self.now = Some(now);
    }

    /// Hears what becomes of games. `name`: what the names of the files of a board begin with. Returns whether something may follow from it.
    pub fn on_game_event(&mut self, news: GameLifecycle, name: impl Fn(&str, Option<BusAddress>) -> String) -> bool {
        match news {
            GameLifecycle::LineOpened { line, games } => {
                for (address, game) in games {
                    self.set_game(BoardGame { board: name(&line, address), ..game });
                }
                true
            }
            GameLifecycle::Started { line, board, game } => {
                self.set_game(BoardGame { board: name(&line, board), ..*game });
                true
            }
            GameLifecycle::EntryAdded { line, board } => {
                if let Some(game) = self.last_game(&name(&line, board)) {
                    game.entries += 1;
                    // It is shown otherwise from its first move on.
                    return game.entries == 1;
                }
                false
            }
            GameLifecycle::Ended { line, board, result, is_operator_result: is_given } => {
                if let Some(game) = self.last_game(&name(&line, board)) {
                    (game.is_over, game.result, game.is_result_given) = (true, result, is_given);
                }
                true
            }
        }
    }

    /// The tournament as it is known.
    ///
    /// # Errors
    ///
    /// When the record cannot be understood.
    pub fn tournament(&self) -> Result<Tournament, String> {
        self.log.store().tournament().map_err(|why| format!("the record of the tournament cannot be understood: {why}"))
    }

    /// What the configuration says: the boards by number, and how many games of a file the readers of an outlet take.
    pub fn configure(&mut self, tables: Vec<String>, most_games: Option<usize>) {
        (self.configured_boards, self.most_games) = (tables, most_games);
        // Where boards were before a restart stands in the record.
        let Ok(tournament) = self.tournament() else { return };
        for seat in tournament.board_assignments() {
            let of_round = tournament.pairing(seat.pairing.0).filter(|(_, pairing)| pairing.board_name == seat.board);
            let number = of_round.and_then(|(_, pairing)| pairing.board);
            let table = number.and_then(|number| self.configured_boards.get((number as usize).checked_sub(1)?));
            if let Some(serial) = table.and_then(|table| table.strip_prefix(SERIAL)) {
                self.last_serials.entry(seat.board).or_insert((serial.to_owned(), FROM_RECORD));
            }
        }
    }

    /// The boards of the station in their order. Returns whether that is new.
    pub fn set_boards(&mut self, mut boards: Vec<StationBoard>) -> bool {
        // A line that is not connected has the board that it had, unless that is elsewhere now: cables are swapped one after the other.
        let mut last = self.last_serials.values().map(|(_, when)| *when).max().unwrap_or(0).max(FROM_RECORD);
        for board in &boards {
            let Some(serial) = &board.serial else { continue };
            if !board.is_connected {
                // Its log says so, which may be long ago.
                self.last_serials.entry(board.name.clone()).or_insert((serial.clone(), FROM_LOG));
            } else if self.last_serials.get(&board.name).is_none_or(|(known, _)| known != serial) {
                last += 1;
                self.last_serials.insert(board.name.clone(), (serial.clone(), last));
            }
        }
        let connected: Vec<String> =
            boards.iter().filter(|board| board.is_connected).map(|board| board.name.clone()).collect();
        for board in &mut boards {
            let Some((serial, when)) = self.last_serials.get(&board.name) else { continue };
            let is_elsewhere = self.last_serials.iter().any(|(name, (other, other_when))| {
                other == serial && (connected.contains(name), other_when) > (connected.contains(&board.name), when)
            });
            board.serial = Some(serial.clone()).filter(|_| !is_elsewhere);
        }
        let named = |boards: &[StationBoard]| -> Vec<(String, Option<String>)> {
            boards.iter().map(|board| (board.name.clone(), board.serial.clone())).collect()
        };
        let is_new = named(&self.boards) != named(&boards);
        self.boards = boards;
        is_new
    }

    /// A game of a board, as far as it is recorded.
    pub fn set_game(&mut self, game: BoardGame) {
        self.games.insert((game.board.clone(), game.number), game);
    }

    /// A game of a log that is not written any more, unless it is known.
    pub fn add_game(&mut self, game: BoardGame) {
        self.games.entry((game.board.clone(), game.number)).or_insert(game);
    }

    /// Has a board of this name recorded a game?
    pub fn has_games(&self, board: &str) -> bool {
        self.game(board, None).is_ok()
    }

    /// Has the last game of a board a result that is shown?
    pub fn has_result(&mut self, board: &str) -> bool {
        let Ok(tournament) = self.tournament() else { return false };
        let game = self.last_game(board).map(|game| &*game);
        game.is_some_and(|game| current_result(&tournament, game) != "*")
    }

    /// The game of a pairing that was begun last.
    pub fn last_game_of(&self, tournament: &Tournament, key: PairingKey) -> Option<&BoardGame> {
        let counts = |game: &&BoardGame| tournament.pairing_of(game) == Some(key) && !tournament.is_replayed(game);
        self.games.values().rfind(counts)
    }

    /// The game of a board that was begun last.
    pub fn last_game_at(&self, board: &str) -> Option<&BoardGame> {
        self.game(board, None).ok()
    }

    /// The pairing of an open round that a board shows: that of the game which is played or was played last there, else what is to be
    /// played. None while a game goes on that is one of no pairing.
    pub fn pairing_at(
        &self,
        tournament: &Tournament,
        seats: &[model::BoardAssignment],
        seat: &model::BoardAssignment,
    ) -> Option<PairingKey> {
        let Some(game) = self.last_game_at(&seat.board).filter(|game| game.entries > 0) else {
            return Some(seat.pairing);
        };
        let is_seated = |key: &PairingKey| seats.iter().any(|seat| seat.pairing.0 == key.0);
        match tournament.pairing_of(game).filter(|key| tournament.pairing(key.0).is_some()) {
            None => game.is_over.then_some(seat.pairing),
            Some(key) if is_seated(&key) && key.0 != seat.pairing.0 && !tournament.is_replayed(game) => Some(key),
            Some(_) => Some(seat.pairing),
        }
    }

    /// The last game of a board.
    pub fn last_game(&mut self, board: &str) -> Option<&mut BoardGame> {
        let of = (board.to_owned(), 0)..=(board.to_owned(), u32::MAX);
        self.games.range_mut(of).next_back().map(|(_, game)| game)
    }

    /// Does this game go on?
    pub fn is_ongoing(&self, board: &str, number: u32) -> bool {
        self.games.get(&(board.to_owned(), number)).is_some_and(|game| !game.is_over)
    }

    /// Is a game going on at this board that has a move?
    pub fn is_playing(&mut self, board: &str) -> bool {
        self.last_game(board).is_some_and(|game| !game.is_over)
    }

    /// Why the players of a board's next game are not for whoever asks to say: it is one of a pairing that waits for its game.
    pub fn has_names_of_its_own(&self, board: &str) -> Option<String> {
        let tournament = self.tournament().ok()?;
        let seat = tournament.board_assignments().into_iter().find(|seat| seat.board == board)?;
        let (_, pairing) = tournament.pairing(seat.pairing.0)?;
        pairing.result.is_none().then(|| named_by_tournament(&format!("the next game of {board}")))
    }

    /// The name of the board with this number.
    pub fn board_with(&self, number: u32) -> Option<String> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        if self.configured_boards.is_empty() {
            return self.boards.get(index).map(|board| board.name.clone());
        }
        let table = self.configured_boards.get(index)?;
        let is_it = |board: &&StationBoard| match table.strip_prefix(SERIAL) {
            Some(serial) => board.serial.as_deref() == Some(serial),
            None => board.name == *table,
        };
        self.boards.iter().find(is_it).map(|board| board.name.clone())
    }

    /// Does what is asked, and makes it durable.
    ///
    /// # Errors
    ///
    /// When it cannot be done; then nothing has changed.
    pub fn execute(&mut self, request: &TournamentRequest, by: &str) -> Result<ServiceOutcome, ServiceError> {
        let saw = request.if_version.unwrap_or(self.log.store().version());
        let name = match &request.request_id {
            Some(name) => name.clone(),
            None => outlets::random_name().map_err(|error| error.to_string())?,
        };
        match self.log.store().check_request(&name, saw) {
            Err(Conflict::Duplicate(version)) => return self.duplicate_outcome(&name, version, &request.command),
            Err(conflict) => return Err(ServiceError::Conflict(conflict)),
            Ok(()) => {}
        }
        let before = self.tournament()?;
        let mut after = before.clone();
        let mut done = self.apply(&request.command, request.confirm, &mut after)?;
        self.derive_board_changes(&mut after);
        let effects = self.review(request, (&before, &after), &mut done)?;
        let what = request.command.describe();
        let subject = match &request.command {
            TournamentCommand::Import { name, .. } => name.clone(),
            _ => what.clone(),
        };
        let (reason, dry_run) = (request.reason.clone(), request.dry_run);
        let wanted = RecordDraft { subject, what, reason, request: name, saw, by: by.to_owned(), dry_run };
        self.write(wanted, (&before, &after), &mut done)?;
        done.messages.extend(effects);
        Ok(done)
    }

    /// What there is to say to a request whose name was used before: by itself, or by another one.
    fn duplicate_outcome(
        &self,
        name: &str,
        version: u64,
        matter: &TournamentCommand,
    ) -> Result<ServiceOutcome, ServiceError> {
        let words = matter.describe();
        let first =
            self.log.records().iter().find(|record| record.version == version).map(|record| record.action.as_str());
        if let Some(first) = first.filter(|first| *first != words) {
            let why = format!(
                "{words}: nothing was done, for the request {name} was another one: {first}, as version {version}; give this one a name of its own"
            );
            return Err(why.into());
        }
        let before = self.tournament()?;
        let mut after = before.clone();
        // Two files may have one name.
        let is_other = matches!(matter, TournamentCommand::Import { .. })
            && self.apply(matter, true, &mut after).is_ok()
            && after != before;
        let more =
            "what the file says is not what is known now: if it is another file, give the request a name of its own";
        let told = [format!("{words}: done already, as version {version}")];
        Ok(ServiceOutcome {
            messages: told.into_iter().chain(is_other.then(|| more.to_owned())).collect(),
            ..ServiceOutcome::default()
        })
    }

    /// Refuses what would harm readers, asks again what may not be meant, and returns what follows for readers.
    fn review(
        &self,
        request: &TournamentRequest,
        (before, after): (&Tournament, &Tournament),
        done: &mut ServiceOutcome,
    ) -> Result<Vec<String>, ServiceError> {
        let games: Vec<&BoardGame> = self.games.values().collect();
        let ChangeReview { errors: mut refused, confirmations: asked, effects: told } =
            model::review_change(before, after, &games, self.most_games);
        // Whoever corrects has been asked.
        let is_meant = request.confirm || matches!(request.command, TournamentCommand::Result { correct: true, .. });
        let with_hint = |mut lines: Vec<String>, last: &str| {
            let others = lines.len().saturating_sub(MOST_SHOWN);
            lines.truncate(MOST_SHOWN);
            lines.extend((others > 0).then(|| format!("and {others} more")));
            lines.push(last.to_owned());
            Err(ServiceError::Invalid(lines))
        };
        if !refused.is_empty() {
            refused.dedup();
            return with_hint(refused, "nothing was changed");
        }
        if asked.is_empty() || is_meant {
            return Ok(told);
        }
        if !request.dry_run {
            return with_hint(asked, "nothing was changed; if it is meant so, ask again with --confirm");
        }
        done.notes.extend(asked.into_iter().map(|asked| format!("{asked}: this needs --confirm")));
        Ok(told)
    }

    /// What follows from what boards have shown since: games of pairings get their names, boards that were swapped their pairings.
    /// A result that an operator gave to a game that went on is the official one, unless an arbiter has said another thing of it.
    /// Nothing is written if there is nothing. `askers`: who has last asked for a result of a board.
    ///
    /// # Errors
    ///
    /// As [`TournamentService::execute`].
    pub fn apply_board_results(
        &mut self,
        askers: &BTreeMap<String, ResultRequester>,
    ) -> Result<ServiceOutcome, ServiceError> {
        let before = self.tournament()?;
        if before.sections.is_empty() && before.games.is_empty() {
            return Ok(ServiceOutcome::default());
        }
        let mut after = before.clone();
        let is_judged = |game: &BoardGame| {
            before.corrected(&game.board, game.number).is_some_and(|known| known.tags.contains_key("Result"))
        };
        let earlier = |game: &'_ BoardGame| Some((game.board.clone(), game.continues?));
        let went_on: BTreeSet<(String, u32)> = self.games.values().filter_map(earlier).collect();
        let is_over = |game: &BoardGame| !went_on.contains(&(game.board.clone(), game.number));
        let is_given = |game: &&BoardGame| game.is_result_given && !is_judged(game) && is_over(game);
        let given = self.games.values().filter(is_given);
        let given: Vec<&BoardGame> = given.collect();
        self.clear_results_of_resumed_games(&mut after);
        let taken = after.apply_board_results(&given);
        self.derive_board_changes(&mut after);
        if after == before {
            return Ok(ServiceOutcome::default());
        }
        let is_taken = |game: &&&BoardGame| after.pairing_of(game).is_some_and(|key| taken.contains(&key.0));
        let asker = given.iter().find(is_taken).and_then(|game| askers.get(&game.board).cloned());
        let ResultRequester { by, reason } =
            asker.unwrap_or_else(|| ResultRequester { by: "damcast".to_owned(), reason: String::new() });
        let name = outlets::random_name().map_err(|error| error.to_string())?;
        let changes = self.log.store().changes_to(&after);
        let first = describe_changes("boards", &changes, &before, &after).lines().next().map(str::to_owned);
        let wanted = RecordDraft {
            subject: "boards".to_owned(),
            what: first.unwrap_or_else(|| "what the boards have shown".to_owned()),
            reason,
            request: name,
            saw: self.log.store().version(),
            by,
            dry_run: false,
        };
        let mut done = ServiceOutcome::default();
        self.write(wanted, (&before, &after), &mut done)?;
        Ok(done)
    }

    /// A game that goes on has no result any more. Whoever was killed before that was written down makes it up.
    fn clear_results_of_resumed_games(&self, after: &mut Tournament) {
        let earlier = |game: &BoardGame| self.games.get(&(game.board.clone(), game.continues?));
        for earlier in self.games.values().filter_map(earlier) {
            let shown = current_result(after, earlier);
            if shown == "*" {
                continue;
            }
            // What an arbiter has said since stays.
            let key = after.pairing_of(earlier);
            if let Some(key) = key.filter(|key| after.result_tag(*key, earlier.format).as_deref() == Some(&shown)) {
                after.clear_result(key);
            }
            after.correct(earlier, [("Result".to_owned(), "*".to_owned())]);
        }
    }

    /// The round that comes next in a section whose open round has all its results, with its boards; none if one of its pairings has no
    /// board of the station.
    pub fn next_rounds(&self) -> Vec<(String, u32, Vec<String>)> {
        let Ok(tournament) = self.tournament() else { return Vec::new() };
        let next = |section: &TournamentSection| {
            let lacks = |round: u32| section.round(round).iter().any(|pairing| pairing.is_awaited());
            if section.open_round().is_some_and(lacks) {
                return None;
            }
            let begun = |round: &u32| section.state_of(*round) >= RoundState::Open || !lacks(*round);
            let number = (1..=section.last_round()).find(|round| !begun(round) && !section.round(*round).is_empty())?;
            let played = |pairing: &&model::Pairing| pairing.white.is_some() && pairing.black.is_some();
            let boards = section.round(number).into_iter().zip(1..).filter(|(pairing, _)| played(pairing));
            let boards = boards.map(|(pairing, place)| self.board_with(pairing.board.unwrap_or(place)));
            Some((section.name.clone(), number, boards.collect::<Option<Vec<String>>>()?))
        };
        tournament.sections.iter().filter_map(next).collect()
    }

    /// Everything that follows from a tournament for boards and games.
    fn derive_board_changes(&self, after: &mut Tournament) {
        let open = |section: &TournamentSection| section.open_round().map(|round| (section.id, round));
        let published = |section: &TournamentSection| {
            let of = section.rounds.iter().filter(|round| round.state == RoundState::Published);
            of.map(|round| (section.id, round.number)).collect::<Vec<_>>()
        };
        if !self.boards.is_empty() {
            let mut rounds: Vec<(Id, u32)> = after.sections.iter().filter_map(open).collect();
            let boards: BTreeMap<u32, String> = after
                .sections
                .iter()
                .flat_map(|section| &section.pairings)
                .flat_map(|pairing| pairing.board)
                .chain(1..=self.boards.len() as u32)
                .filter_map(|number| Some((number, self.board_with(number)?)))
                .collect();
            let board = |number: u32| boards.get(&number).cloned();
            after.assign_boards(&rounds, board);
            rounds = after.sections.iter().flat_map(published).collect();
            for round in rounds {
                after.assign_boards(&[round], board);
            }
        }
        after.clear_deferrals();
        let games: Vec<&BoardGame> = self.games.values().collect();
        after.update_corrections(&games);
    }

    fn write(
        &mut self,
        wanted: RecordDraft,
        (before, after): (&Tournament, &Tournament),
        done: &mut ServiceOutcome,
    ) -> Result<(), ServiceError> {
        let RecordDraft { subject, what, reason, request, saw, by, dry_run } = wanted;
        let changes = self.log.store().changes_to(after);
        if changes.is_empty() {
            done.messages.push(format!("{subject}: nothing is new"));
            return Ok(());
        }
        done.messages.extend(describe_changes(&subject, &changes, before, after).lines().map(str::to_owned));
        if dry_run {
            let games: Vec<&BoardGame> = self.games.values().collect();
            done.messages.extend(model::audiences(before, after, &games));
            done.messages.push(DRY_RUN.to_owned());
            return Ok(());
        }
        let now = self.now.unwrap_or_else(|| Local::now().fixed_offset());
        let at = now.to_rfc3339_opts(SecondsFormat::Millis, false);
        let version = self.log.store().version() + 1;
        let record = TournamentRecord { version, at, by, request, base_version: saw, action: what, reason, changes };
        self.log.write(&*self.disk, &record)?;
        done.record = Some(record);
        Ok(())
    }

    fn apply(
        &self,
        matter: &TournamentCommand,
        sure: bool,
        after: &mut Tournament,
    ) -> Result<ServiceOutcome, ServiceError> {
        let mut done = ServiceOutcome::default();
        match matter {
            TournamentCommand::Import { name, text, bytes, format, columns, scoring, section } => {
                let told = Some(scoring.as_str()).filter(|told| !told.is_empty()).map(Scoring::parse).transpose()?;
                let format = format.as_deref().map(str::parse::<Format>).transpose()?;
                if let Some(section) = section {
                    check_section(section)?;
                }
                let of_file = if *bytes { bytes_of(text)? } else { text.as_bytes().to_vec() };
                let merged = model::read(&of_file, format, columns)
                    .and_then(|mut sheet| {
                        told.into_iter().for_each(|scoring| sheet.override_scoring(scoring));
                        model::merge(after, section.as_deref(), &sheet)
                    })
                    .map_err(|problems| ServiceError::Invalid(complaints(name, &problems)))?;
                let known = merged.tournament.sections.iter().find(|known| known.name == merged.section);
                if let (Some(told), Some(known)) = (told, known.map(|known| known.scoring))
                    && !known.same_game_points(&told)
                {
                    return Err(format!(
                        "the section {} counts {known} already: --scoring is for a new one",
                        merged.section
                    )
                    .into());
                }
                done.notes = merged.notes.iter().map(|note| format!("{name}:{note}")).collect();
                *after = merged.tournament;
            }
            TournamentCommand::RoundRobin { section, double } => {
                let name = only_section(after, section.as_deref())?.name.clone();
                *after = model::pair_round_robin(after, &name, *double)?;
            }
            TournamentCommand::SetRoundState { round, to, section } => {
                let to: RoundState = to.parse()?;
                let missing = missing_results(after, section.as_deref(), *round);
                if to == RoundState::Closed && !missing.is_empty() && !sure {
                    let mut why = missing;
                    why.push(format!(
                        "round {round} is not closed: these results are missing; --confirm closes it all the same"
                    ));
                    return Err(ServiceError::Invalid(why));
                }
                done.messages = after.set_round_state(section.as_deref(), *round, to)?;
                if to == RoundState::Closed {
                    done.messages.extend(played_later(after, section.as_deref(), *round));
                }
                if to == RoundState::Open {
                    self.derive_board_changes(after);
                    let seats = after.board_assignments();
                    let of_round = |seat: &&model::BoardAssignment| {
                        after.pairing(seat.pairing.0).is_some_and(|(_, of)| of.round == *round)
                    };
                    let early = seats.iter().filter(of_round).filter_map(|seat| self.unassigned_game(after, seat));
                    done.messages.extend(early.map(|BoardGame { board, number, .. }| {
                        format!("{board}, game {number}, began before: `damcast ctl adopt {board}` if it is a game of this round")
                    }));
                }
            }
            TournamentCommand::Result { .. } => done.messages = self.give_result(matter, after)?,
            TournamentCommand::SetPlayers { board, game, white, black } => {
                let game = self.game(board, *game)?;
                if after.pairing_of(game).is_some_and(|key| after.pairing(key.0).is_some()) {
                    return Err(named_by_tournament(&format!("{board}, game {}", game.number)).into());
                }
                let names = [("White", white), ("Black", black)].map(|(tag, name)| (tag.to_owned(), name.clone()));
                after.correct(game, names);
                done.messages.extend([white, black].into_iter().filter_map(|name| model::pdn_replacement(name)));
                done.messages.push(format!("{white} and {black} are the players of {board}, game {}", game.number));
            }
            TournamentCommand::Adopt { board, game, pairing, section } => {
                let game = self.game(board, *game)?;
                let key = match pairing {
                    Some(called) => {
                        let id = after.find_pairing(called, section.as_deref())?;
                        (id, after.pairing(id).and_then(|(_, pairing)| pairing.next_stage()))
                    }
                    None => {
                        let seat = after.board_assignments().into_iter().find(|seat| seat.board == *board);
                        let why =
                            || format!("{board} plays nothing in an open round: say with --pairing which, as 3.2");
                        seat.ok_or_else(why)?.pairing
                    }
                };
                let old = after.pairing_of(game).filter(|old| after.pairing(old.0).is_some());
                if old.is_some_and(|old| old != key) && !sure {
                    let why = format!(
                        "{} is a game of another pairing: --confirm makes it one of this",
                        describe_game(after, game)
                    );
                    return Err(why.into());
                }
                if after.is_replayed(game) {
                    if let Some(other) = self.last_game_of(after, key) {
                        let why = format!(
                            "{} counts for this pairing: `damcast ctl replay` first",
                            describe_game(after, other)
                        );
                        return Err(why.into());
                    }
                    after.undo_replay(&self.parts_of(game), key);
                }
                for part in self.parts_of(game) {
                    after.assign_game(part, key);
                }
                let (of, encounter) = after.pairing(key.0).ok_or_else(|| "this pairing is gone".to_owned())?;
                let names = [encounter.white, encounter.black].map(|id| of.name_of(id));
                done.messages.push(format!(
                    "{board}, game {}, is the game of round {}, {} - {}",
                    game.number, encounter.round, names[0], names[1]
                ));
            }
            TournamentCommand::AddMoves { board, game, name, text } => {
                let game = self.game(board, *game)?;
                let moves = self.missing_moves(game, name, text)?;
                let was = after.corrected(&game.board, game.number).and_then(|known| known.tags.get(MOVES));
                if moves.is_empty() && was.is_none_or(|was| was.value.is_empty()) {
                    return Err(
                        format!("{name} has no moves, and none were added to {board}, game {}", game.number).into()
                    );
                }
                done.messages.push(match moves.as_str() {
                    "" => format!("{}: what was added is taken back", describe_game(after, game)),
                    moves => format!("{}: {moves} are added; its live file stays as it is", describe_game(after, game)),
                });
                after.correct(game, [(MOVES.to_owned(), moves)]);
            }
            TournamentCommand::Substitute { pairing, player, substitute: by, section } => {
                let id = after.find_pairing(pairing, section.as_deref())?;
                done.messages.push(substitute(after, id, player, by, sure)?);
            }
            TournamentCommand::Postpone { pairing, section, undo } => {
                let id = after.find_pairing(pairing, section.as_deref())?;
                let was_begun = self.games.values().any(|game| after.pairing_of(game).is_some_and(|key| key.0 == id));
                let later = if was_begun { model::Deferral::Adjourned } else { model::Deferral::Postponed };
                let called = self.without_result(after, id)?;
                after.set_deferral(id, (!undo).then_some(later), "");
                let how = if *undo { "played with its round" } else { later.name() };
                done.messages.push(format!("{called} is {how}"));
            }
            TournamentCommand::PlayOnBoard { pairing, board, section } => {
                let id = after.find_pairing(pairing, section.as_deref())?;
                let called = self.without_result(after, id)?;
                if !self.boards.iter().any(|known| known.name == *board) {
                    return Err(format!("there is no board {board}").into());
                }
                if let Some((of, other)) = after.elsewhere().find(|(_, of)| of.board_override == *board && of.id != id)
                {
                    let names = [other.white, other.black].map(|id| of.name_of(id));
                    return Err(
                        format!("{board} is to play {} - {} of round {}", names[0], names[1], other.round).into()
                    );
                }
                let later = after.pairing(id).and_then(|(_, pairing)| pairing.deferral);
                after.set_deferral(id, later, board);
                done.messages.push(format!(
                    "{called} is the next game of {board}, whatever round is open, until it has a result"
                ));
            }
            TournamentCommand::Replay { pairing, section } => {
                let id = after.find_pairing(pairing, section.as_deref())?;
                let of_pairing = |game: &&BoardGame| {
                    after.pairing_of(game).is_some_and(|key| key.0 == id) && !after.is_replayed(game)
                };
                let game = self.games.values().rfind(of_pairing).filter(|game| game.is_over);
                let why = || format!("pairing {pairing} has no game that is over; what goes on can be given a result");
                let game = game.ok_or_else(why)?;
                let key = after.pairing_of(game).unwrap_or((id, None));
                let called = describe_game(after, game);
                for part in self.parts_of(game) {
                    after.replay(part, key);
                }
                let is_open = after.board_assignments().iter().any(|seat| seat.pairing.0 == id);
                if !is_open {
                    after.set_deferral(id, Some(model::Deferral::Postponed), "");
                }
                done.messages.push(format!("{called}: it does not count any more, and is played again"));
                done.messages.extend((!is_open).then(|| format!("`damcast ctl play-on {pairing} BOARD` says where")));
            }
            TournamentCommand::RenamePlayer { player, name, section } => {
                check_name(name)?;
                done.messages.extend(model::pdn_replacement(name));
                let (of, id) = find_player(after, section.as_deref(), player)?;
                let of = after.sections.iter_mut().find(|known| known.id == of);
                if let Some(one) = of.and_then(|of| of.players.iter_mut().find(|known| known.id == id)) {
                    let is_other = one.is_hidden() != (name == HIDDEN_NAME);
                    one.rename(name);
                    done.messages.extend(is_other.then(|| EVENTS_RESTARTED.to_owned()));
                }
            }
        }
        Ok(done)
    }

    /// A game that was ended by mistake and went on is one game: all its parts, in their order.
    fn parts_of<'o>(&'o self, game: &'o BoardGame) -> Vec<&'o BoardGame> {
        let of_board = |part: &&BoardGame| part.board == game.board;
        let before = |part: &&'o BoardGame| self.games.get(&(part.board.clone(), part.continues?));
        let after = |part: &&'o BoardGame| {
            let goes_on = |later: &&BoardGame| later.continues == Some(part.number);
            self.games.values().filter(of_board).find(goes_on)
        };
        let mut parts: Vec<&BoardGame> = std::iter::successors(Some(game), before).collect();
        parts.reverse();
        parts.extend(std::iter::successors(after(&game), after));
        parts
    }

    /// What a pairing is called that may be played still.
    fn without_result(&self, after: &Tournament, id: Id) -> Result<String, String> {
        let (section, pairing) = after.pairing(id).ok_or_else(|| "this pairing is gone".to_owned())?;
        let names = [pairing.white, pairing.black].map(|id| section.name_of(id));
        let called = format!("round {}, {} - {}", pairing.round, names[0], names[1]);
        match pairing.result {
            None => Ok(called),
            Some(_) => {
                Err(format!("{called} has a result: `damcast ctl replay` plays it again, or take it back first"))
            }
        }
    }

    /// The game that goes on at a board of a round and is one of no pairing: it may have begun a moment too early.
    pub fn unassigned_game(&self, tournament: &Tournament, seat: &model::BoardAssignment) -> Option<&BoardGame> {
        let game = self.last_game_at(&seat.board).filter(|game| !game.is_over)?;
        tournament.pairing_of(game).is_none().then_some(game)
    }

    fn game(&self, board: &str, number: Option<u32>) -> Result<&BoardGame, String> {
        if let Some(number) = number {
            let found = self.games.get(&(board.to_owned(), number));
            return found.ok_or_else(|| format!("there is no game {number} of {board}"));
        }
        let of = (board.to_owned(), 0)..=(board.to_owned(), u32::MAX);
        let found = self.games.range(of).next_back().map(|(_, game)| game);
        found.ok_or_else(|| format!("{board} has no game yet"))
    }

    /// The game of a board that a result is for: the last one that is over and has none, else the last one.
    fn game_awaiting_result(&self, after: &Tournament, board: &str) -> Result<&BoardGame, String> {
        let of = (board.to_owned(), 0)..=(board.to_owned(), u32::MAX);
        let over = || self.games.range(of.clone()).rev().map(|(_, game)| game).filter(|game| game.is_over);
        let lacks = |game: &&BoardGame| current_result(after, game) == "*";
        let last = over().next().ok_or_else(|| format!("{board} has no game that is over"))?;
        // A game long ago that was broken off is not what is meant.
        Ok(over().take(2).find(lacks).unwrap_or(last))
    }

    /// The moves of a text that a game lacks.
    fn missing_moves(&self, game: &BoardGame, name: &str, text: &str) -> Result<String, String> {
        let (board, number) = (&game.board, game.number);
        if !game.is_over {
            return Err(format!("{board}, game {number}, goes on: moves are added to a game that is over"));
        }
        let later = self.games.values().find(|later| later.board == *board && later.continues == Some(number));
        if let Some(later) = later {
            return Err(format!("{board}, game {number}, went on as game {}: add them to that", later.number));
        }
        // One that was ended by mistake and went on has several files.
        let before = |game: &&BoardGame| self.games.get(&(board.clone(), game.continues?));
        let parts: Vec<&BoardGame> = std::iter::successors(Some(game), before).collect();
        let mut recorded = self.recorded(game)?;
        for part in parts.into_iter().skip(1) {
            let mut earlier = self.recorded(part)?;
            let end = earlier.entries.last().map_or(earlier.header.start(), |entry| entry.kind.position_after());
            // Where it went on from another position the sheet has no moves between.
            if end.setup() != recorded.header.start().setup() {
                break;
            }
            earlier.entries.append(&mut recorded.entries);
            recorded = earlier;
        }
        missing_moves(&recorded, text).map_err(|problem| format!("{name}:{problem}"))
    }

    /// What the live file of a game has.
    fn recorded(&self, game: &BoardGame) -> Result<LiveFileContents, String> {
        let file = self.live.join(format!("{}-{}.pdn", game.board, game.number));
        let unread = |why: String| format!("{}: {why}; nothing was changed", file.display());
        let bytes = self.disk.read(&file).map_err(|error| unread(error.to_string()))?;
        let contents = LiveFileContents::parse(game.number, &String::from_utf8_lossy(&bytes));
        contents.ok_or_else(|| unread("it is no live file; `damcast fsck` says more".to_owned()))
    }

    /// A pairing counts, and not the board that is named beside it; what is said where that is another one.
    fn note_other_board(&self, after: &Tournament, (name, id): (&str, Id), board: &str) -> Option<String> {
        let called = |id: Id| {
            let (section, of) = after.pairing(id)?;
            let names = [of.white, of.black].map(|id| section.name_of(id));
            Some(format!("round {}, {} - {}", of.round, names[0], names[1]))
        };
        let counts =
            |game: &&BoardGame| after.pairing_of(game).is_some_and(|key| key.0 == id) && !after.is_replayed(game);
        let games: Vec<&BoardGame> = self.games.values().filter(counts).collect();
        let place = match games.last() {
            Some(game) => game.board.as_str(),
            None => after.pairing(id).map_or("", |(_, pairing)| after.board_of(pairing)),
        };
        if place == board || games.iter().any(|game| game.board == board) {
            return None;
        }
        let of_game = self.game(board, None).ok().and_then(|game| after.pairing_of(game));
        let of_board = of_game.map(|key| key.0).or_else(|| {
            after.board_assignments().into_iter().find(|seat| seat.board == board).map(|seat| seat.pairing.0)
        });
        let means = of_board.and_then(called).map_or("no game of the tournament".to_owned(), |called| called);
        let place = if place.is_empty() { "on no board of the station" } else { &format!("on {place}") };
        Some(format!(
            "warning: the pairing counts, not the board: {board} means {means}, and pairing {name} is {}, {place}",
            called(id).unwrap_or_default()
        ))
    }

    fn give_result(&self, matter: &TournamentCommand, after: &mut Tournament) -> Result<Vec<String>, ServiceError> {
        let TournamentCommand::Result { board, game, pairing, section, result, kind: why, correct } = matter else {
            return Ok(Vec::new());
        };
        let why = match why.as_deref() {
            None => None,
            Some(word) => Some(ResultReason::ALL.into_iter().find(|known| known.name() == word).ok_or_else(|| {
                let known: Vec<&str> = ResultReason::ALL.iter().map(|reason| reason.name()).collect();
                format!("`{word}` is no reason of a result; there are {}", known.join(", "))
            })?),
        };
        let game = match (pairing, board) {
            (Some(_), _) => None,
            (None, Some(board)) => Some(match game {
                Some(_) => self.game(board, *game)?,
                None => self.game_awaiting_result(after, board)?,
            }),
            (None, None) => return Err("say of which board or pairing".to_owned().into()),
        };
        if let Some(game) = game.filter(|game| !game.is_over) {
            let why = format!(
                "{}, game {}, goes on: `damcast ctl result {} {result}` ends it",
                game.board, game.number, game.board
            );
            return Err(why.into());
        }
        let mut other_board = None;
        let key = match (pairing, game) {
            (Some(name), _) => {
                let id = after.find_pairing(name, section.as_deref())?;
                other_board = board.as_deref().and_then(|board| self.note_other_board(after, (name, id), board));
                Some((id, None))
            }
            (None, Some(game)) => after.pairing_of(game).filter(|key| after.pairing(key.0).is_some()),
            (None, None) => None,
        };
        let Some(key) = key else {
            let Some(game) = game else { return Ok(Vec::new()) };
            let none = (result == "*").then(|| result.clone());
            let value = none.or_else(|| tag_values::parse_result_words(game.format, result)).ok_or_else(|| {
                let known = game.format.map_or("any plain text".to_owned(), |format| format.describe());
                format!("`{result}` is not a result of this game; its results are {known}")
            })?;
            let was = current_result(after, game);
            check_correction(&describe_game(after, game), &was, &value, *correct)?;
            let told = format!("{}: {value} (was {was})", describe_game(after, game));
            after.correct(game, [("Result".to_owned(), value)]);
            return Ok(vec![told]);
        };
        let (of, encounter) = after.pairing(key.0).ok_or_else(|| "this pairing is gone".to_owned())?;
        let scoring = of.scoring;
        let called = match game {
            Some(game) => describe_game(after, game),
            None => {
                let board = encounter.board.map_or(String::new(), |board| format!(", board {board}"));
                let names = (of.name_of(encounter.white), of.name_of(encounter.black));
                format!("round {}{board}, {} - {}", encounter.round, names.0, names.1)
            }
        };
        let given =
            |white: Points, black: Points, reason| Some(OfficialResult { white, black, reason: why.unwrap_or(reason) });
        let literal = result
            .split_once('-')
            .and_then(|(white, black)| Some((Points::parse(white.trim())?, Points::parse(black.trim())?)));
        // By his decision each side may have points of its own.
        let is_decision = matches!(why, Some(ResultReason::Arbiter | ResultReason::NotPlayed | ResultReason::Bye));
        let decided = literal.filter(|(white, black)| is_decision && scoring.allows(*white) && scoring.allows(*black));
        let new = match Outcome::parse(result).filter(|_| decided.is_none()) {
            Some(Outcome::Open) => None,
            Some(Outcome::WhiteWins) => given(scoring.win, scoring.loss, ResultReason::Played),
            Some(Outcome::BlackWins) => given(scoring.loss, scoring.win, ResultReason::Played),
            Some(Outcome::Draw) => given(scoring.draw, scoring.draw, ResultReason::Played),
            Some(Outcome::BothLose) => given(scoring.loss, scoring.loss, ResultReason::BothLost),
            None => match (ResultReason::of_draw(result), literal) {
                (Some(plus), _) => given(scoring.draw, scoring.draw, plus),
                (None, Some((white, black))) => given(white, black, ResultReason::Played),
                (None, None) => {
                    return Err(format!("`{result}` is no result, as 2-0, 1-1, 0-2, 12-0, or * for none").into());
                }
            },
        };
        let new = match new {
            // A game of a micro-match is counted as one.
            Some(new) if key.1.is_none() || encounter.has_one_player() => {
                Some(encounter.validated_result(new, &scoring).map_err(|why| format!("{called}: {why}"))?)
            }
            new => new,
        };
        let text = |official: Option<OfficialResult>| {
            official.map_or("*".to_owned(), |official| {
                let how = if official.reason == ResultReason::Played { "" } else { official.reason.name() };
                format!("{}-{} {how}", official.white, official.black).trim_end().to_owned()
            })
        };
        let old = encounter.result;
        if old.is_some() && old != new {
            check_correction(&called, &text(old), &text(new), *correct)?;
        }
        let told = format!("{called}: {} (was {})", text(new), text(old));
        if let (Some(stage), Some(outcome)) =
            (key.1, Outcome::parse(result).filter(|outcome| *outcome != Outcome::Open))
        {
            after.set_outcome((key.0, Some(stage)), outcome, true);
        } else {
            match new {
                Some(_) => after.set_official(key.0, new),
                None => after.clear_result(key),
            }
            let of_pairing = |game: &&BoardGame| {
                after.pairing_of(game).is_some_and(|of| of.0 == key.0 && (key.1.is_none() || of.1 == key.1))
            };
            // What was taken back is not shown any more, whatever the live file says.
            if let Some(game) = self.games.values().rfind(of_pairing).filter(|_| new.is_none()) {
                after.correct(game, [("Result".to_owned(), "*".to_owned())]);
            }
        }
        Ok([told].into_iter().chain(other_board).collect())
    }
}

/// The result of a game as it is shown now.
fn current_result(tournament: &Tournament, game: &BoardGame) -> String {
    let corrected = tournament.corrected(&game.board, game.number).and_then(|known| known.tags.get("Result"));
    corrected.map(|tag| tag.value.clone()).or_else(|| game.result.clone()).unwrap_or_else(|| "*".to_owned())
}

fn check_correction(called: &str, old: &str, new: &str, correct: bool) -> Result<(), ServiceError> {
    if old != "*" && old != new && !correct {
        return Err(format!("{called} has the result {old} already: --correct makes it {new}").into());
    }
    Ok(())
}

/// `board-2, game 1, Sijbrands - Wiersma, 45 plies`.
fn describe_game(tournament: &Tournament, game: &BoardGame) -> String {
    let corrected = tournament.corrected(&game.board, game.number);
    let name = |side: &str| {
        let corrected = corrected.and_then(|known| known.tags.get(side)).map(|tag| tag.value.clone());
        corrected.or_else(|| game.tag(side).map(str::to_owned)).unwrap_or_else(|| "?".to_owned())
    };
    let plies = if game.entries == 1 { "1 ply" } else { &format!("{} plies", game.entries) };
    format!("{}, game {}, {} - {}, {plies}", game.board, game.number, name("White"), name("Black"))
}

/// A file as the text of a request: itself, or a character for each byte.
pub fn text_of(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (error.as_bytes().iter().copied().map(char::from).collect(), true),
    }
}

fn bytes_of(text: &str) -> Result<Vec<u8>, String> {
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>();
    bytes.ok_or_else(|| "a file that is sent as bytes has characters up to U+00FF".to_owned())
}

/// Why nobody else says who plays.
fn named_by_tournament(game: &str) -> String {
    format!(
        "{game} is a game of the tournament and has its names from there: `damcast ctl rename-player OLD NEW` mends a name, `damcast ctl \
         substitute` or an import of the pairings who plays"
    )
}

/// Somebody plays a pairing instead of another.
fn substitute(after: &mut Tournament, pairing: Id, player: &str, by: &str, sure: bool) -> Result<String, String> {
    let gone = || "this pairing is gone".to_owned();
    let section = after.pairing(pairing).ok_or_else(gone)?.0.id;
    let next = after.sections.iter().flat_map(|of| &of.players).map(|player| player.id.0).max().unwrap_or(0) + 1;
    let section = after.sections.iter_mut().find(|of| of.id == section).ok_or_else(gone)?;
    let team_of = |section: &TournamentSection, id: Id| section.player(id).and_then(|player| player.team);
    let pairs = |section: &TournamentSection, id: Id| {
        section.pairings.iter().any(|known| known.id == pairing && [known.white, known.black].contains(&Some(id)))
    };
    // Of several with this name the one who plays is meant.
    let old = match find_players(section, player).as_slice() {
        [] => Err(no_player(player)),
        [one] => Ok(*one),
        several => several
            .iter()
            .copied()
            .find(|id| pairs(section, *id))
            .ok_or_else(|| describe_choices(section, several, player)),
    }?;
    let team = team_of(section, old);
    let new = match find_players(section, by).as_slice() {
        [one] => *one,
        several @ [_, ..] => return Err(describe_choices(section, several, by)),
        [] if !sure => {
            return Err(format!("{by} is no player of {}: with --confirm he becomes one", section.name));
        }
        [] => {
            check_name(by)?;
            let id = Id(next);
            section.players.push(model::Player { id, name: by.to_owned(), team, ..model::Player::default() });
            id
        }
    };
    let told = format!("{} plays for {}", section.name_of(Some(new)), section.name_of(Some(old)));
    if !after.substitute(pairing, old, new) {
        return Err(format!("{player} does not play this pairing"));
    }
    Ok(told)
}

fn missing_results(tournament: &Tournament, of: Option<&str>, round: u32) -> Vec<String> {
    let asked = tournament.sections.iter().filter(|section| of.is_none_or(|name| section.name == name));
    let missing = |section: &TournamentSection| -> Vec<String> {
        let open = section.round(round).into_iter().filter(|pairing| pairing.is_awaited());
        let line = |pairing: &model::Pairing| {
            let board = pairing.board.map_or("-".to_owned(), |board| board.to_string());
            format!("board {board}: {} - {}", section.name_of(pairing.white), section.name_of(pairing.black))
        };
        open.map(line).collect()
    };
    asked.flat_map(missing).collect()
}

/// The pairings of a round that are played later, each as a line.
fn played_later(tournament: &Tournament, of: Option<&str>, round: u32) -> Vec<String> {
    let asked = tournament.sections.iter().filter(|section| of.is_none_or(|name| section.name == name));
    let all = asked.flat_map(|section| section.round(round).into_iter().map(move |pairing| (section, pairing)));
    let line = |(section, pairing): (&TournamentSection, &model::Pairing)| {
        let how = pairing.deferral.filter(|_| pairing.result.is_none())?.name();
        let board = pairing.board.map_or("-".to_owned(), |board| board.to_string());
        Some(format!("board {board}: {} - {} is {how}", section.name_of(pairing.white), section.name_of(pairing.black)))
    };
    all.filter_map(line).collect()
}

fn check_section(name: &str) -> Result<(), String> {
    let is_plain = !name.is_empty() && name.chars().count() <= 64 && !name.chars().any(char::is_control);
    if is_plain { Ok(()) } else { Err("a section has a name of 1 to 64 characters".to_owned()) }
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = name.chars().count() <= 200 && name.chars().any(char::is_alphanumeric);
    let is_odd = |c: char| c.is_control() || model::is_unseen(c);
    if is_plain && !name.chars().any(is_odd) {
        return Ok(());
    }
    Err("a name has 1 to 200 characters, letters or digits among them, and none that cannot be seen".to_owned())
}

/// All that is wrong with a file, the errors first: they are why it is refused.
fn complaints(name: &str, problems: &[Problem]) -> Vec<String> {
    let (errors, others): (Vec<_>, Vec<_>) = problems.iter().partition(|problem| problem.level == Level::Error);
    let all = errors.len() + others.len();
    let shown = errors.into_iter().chain(others).take(MOST_SHOWN);
    let mut lines: Vec<String> = shown.map(|problem| format!("{name}:{problem}")).collect();
    if all > MOST_SHOWN {
        lines.push(format!("{name}: and {} more", all - MOST_SHOWN));
    }
    lines.push("nothing of the file was taken over".to_owned());
    lines
}

/// What changes: how many things are new, and each thing that becomes another.
pub fn describe_changes(subject: &str, changes: &[EntityChange], before: &Tournament, after: &Tournament) -> String {
    let mut new: Vec<String> = Vec::new();
    for (kind, one, many) in [
        (EntityKind::Section, "section", "sections"),
        (EntityKind::Team, "team", "teams"),
        (EntityKind::Player, "player", "players"),
        (EntityKind::Match, "match", "matches"),
        (EntityKind::Pairing, "pairing", "pairings"),
        (EntityKind::Bye, "bye", "byes"),
        (EntityKind::Adjustment, "adjustment", "adjustments"),
    ] {
        // What has a new section field was not there before.
        let is_new = |change: &&EntityChange| {
            change.entity.kind == kind
                && change.old.is_empty()
                && change.new.contains_key(if kind == EntityKind::Section { "name" } else { "section" })
        };
        match changes.iter().filter(is_new).count() {
            0 => {}
            1 => new.push(format!("1 {one}")),
            count => new.push(format!("{count} {many}")),
        }
    }
    let mut text = String::new();
    match new.len() {
        0 => {}
        1 if new[0].starts_with("1 ") => text = format!("{subject}: {} is new\n", new[0]),
        _ => text = format!("{subject}: {} are new\n", new.join(", ")),
    }
    for change in changes {
        let is_added =
            change.old.is_empty() && (change.new.contains_key("section") || change.entity.kind == EntityKind::Section);
        if is_added
            || change.entity.kind == EntityKind::Round
            || change.entity.kind == EntityKind::Event && change.old.is_empty()
        {
            continue;
        }
        let what = named(change, after).or_else(|| named(change, before)).unwrap_or_else(|| change.entity.to_string());
        let shown = |of: &Fields, name: &str| of.get(name).cloned().unwrap_or_else(|| "nothing".to_owned());
        let fields: Vec<String> = if change.entity.kind == EntityKind::Game {
            let was = |tag: &str| match change.old.get(&format!("{}{tag}", model::TAG)) {
                Some(old) if !old.is_empty() => old.clone(),
                Some(_) => "nothing".to_owned(),
                None => shown(&change.new, &format!("{}{tag}", model::ORIGINAL_PREFIX)),
            };
            let is = |value: &str| if value.is_empty() { "nothing".to_owned() } else { value.to_owned() };
            change.tags().into_iter().map(|(tag, value)| format!("{tag} {} (was {})", is(value), was(tag))).collect()
        } else {
            let names: BTreeSet<&String> = change
                .old
                .keys()
                .chain(change.new.keys())
                .filter(|name| !HIDDEN_FIELDS.contains(&name.as_str()))
                .collect();
            let field =
                |name: &String| format!("{name} {} (was {})", shown(&change.new, name), shown(&change.old, name));
            names.into_iter().map(field).collect()
        };
        if !fields.is_empty() {
            let _ = writeln!(text, "{what}: {}", fields.join(", "));
        }
    }
    text
}

/// What people call the thing that changes.
fn named(change: &EntityChange, tournament: &Tournament) -> Option<String> {
    let id = change.entity.id;
    if change.entity.kind == EntityKind::Game {
        let game = tournament.games.iter().find(|game| game.id == id)?;
        return Some(format!("{}, game {}", game.board, game.number));
    }
    tournament.sections.iter().find_map(|section| match change.entity.kind {
        EntityKind::Player => section.player(id).map(|player| player.name.clone()),
        EntityKind::Team => section.team(id).map(|team| team.name.clone()),
        EntityKind::Pairing => section.pairings.iter().find(|pairing| pairing.id == id).map(|pairing| {
            let board = pairing.board.map_or(String::new(), |board| format!(", board {board}"));
            format!(
                "round {}{board}, {} - {}",
                pairing.round,
                section.name_of(pairing.white),
                section.name_of(pairing.black)
            )
        }),
        EntityKind::Bye => section
            .byes
            .iter()
            .find(|bye| bye.id == id)
            .map(|bye| format!("round {}, {}", bye.round, section.name_of(Some(bye.player)))),
        _ => None,
    })
}
