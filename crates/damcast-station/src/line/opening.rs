//! Opens a line: plays its old logs, completes its files and opens its next log.
//!
//! ```text
//!   log/NAME-1..K ──▸ playback ──▸ the line as it was    ──▸ continues, if a game may still be running
//!                          └─────▸ its games, byte for byte ──▸ reconcile with live/NAME-G.pdn, live/NAME-ADDRESS-G.pdn
//!   log/NAME-K+1  ◂── header: opened, settings, continues: yes | no
//! ```
//!
//! The `opened` times have the order of the logs: none is earlier than the end of the previous log, even if the machine's clock was
//! set back or a simulated board ran faster than real time. If the clock shows another time, the header records that as well.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, SecondsFormat, SubsecRound, TimeDelta};
use damcast_engine::broadcast::Shelf;
use damcast_engine::bytelog::{
    Header, KEY_CLOCK, KEY_CONTINUES, KEY_DATES_FROM, KEY_GAMES_BEFORE, KEY_LATE_START, LogInput, Mode,
};
use damcast_engine::calendar::Calendar;
use damcast_engine::millis::Millis;
use damcast_engine::playback::{self, LogChain, PlaybackError, PlaybackResult, PlayedGame};
use damcast_engine::session::request::{OperatorCommand, Request};
use damcast_engine::session::{BusAddress, HeaderSettingsError, Line, LineSettings};

use super::clock;
use crate::config::LineConfig;
use crate::disk::{self, Disk};
use crate::journal::Journal;
use crate::journal::chain::{self, KEY_PREVIOUS_LOG, PreviousLog};
use crate::journal::history::{self, LogHistory};
use crate::live_files::{self, LineFiles, reconcile};
use crate::outlets::OpenedGames;
use crate::outlets::published::{self, PublishedFolders, PublishedGames};

/// Maximum size of a chain, in bytes, before it ends where no game needs it. A start plays at most this and one game. A day of one board
/// has about 4 MB, which is played in a fraction of a second.
const MAX_CHAIN_LEN: u64 = 16 << 20;

/// Shortest time between the end of a log and the next, equal to [`playback::MIN_LOG_GAP`].
const MIN_LOG_GAP: TimeDelta = TimeDelta::milliseconds(playback::MIN_LOG_GAP.0.cast_signed());

/// Folders that hold the files of all lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folders {
    /// Folder of the logs.
    pub log: PathBuf,
    /// Folder of the live files.
    pub live: PathBuf,
}

/// Reason why a line cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// Logs or files cannot be read or written.
    #[error("{action}: {error}")]
    Disk {
        /// Failed action.
        action: String,
        /// I/O error.
        error: io::Error,
    },
    /// The configuration has settings that the core cannot play.
    #[error(transparent)]
    Settings(#[from] HeaderSettingsError),
}

/// Line that is ready to run.
pub struct OpenedLine {
    /// Core, in its state at the end of the last log.
    pub line: Line,
    /// Time of the line when the new log was opened.
    pub shift: Millis,
    /// New log.
    pub journal: Journal,
    /// Live files.
    pub files: LineFiles,
    /// Whether the settings are older than the configuration, because a game began with them.
    pub is_outdated: bool,
    /// Notices for the operator.
    pub notices: Vec<String>,
    /// Converts times of the line to dates.
    pub calendar: Calendar,
    /// Games so far.
    pub games: OpenedGames,
    /// Header of the chain that continues or begins.
    pub header: Header,
    /// Operator requests that the new chain must repeat.
    pub carried: Vec<Request>,
}

/// Opens a line; `now` is the date, `shelf` the storage of games that are over. Blocks on the disk. No other task may be writing the line's
/// files.
///
/// # Errors
///
/// Returns an error if the disk fails or the configuration has settings that the core cannot play.
pub fn open(
    config: &LineConfig,
    folders: &Folders,
    disk: &Arc<dyn Disk>,
    shelf: Option<&Arc<dyn Shelf>>,
    now: DateTime<FixedOffset>,
) -> Result<OpenedLine, OpeningError> {
    let history = LogHistory::read(&**disk, &folders.log, &config.name).map_err(failed(&folders.log))?;
    let LogHistory { mut logs, last, next, problems: mut notices } = history;
    published::mend_heads(&mut logs, Some(&config.header()));
    let is_incomplete = !notices.is_empty();
    // Each earlier log was closed before the next was created.
    let before = match last {
        Some(number) => close(&**disk, &history::path(&folders.log, &config.name, number), number, &mut notices)?,
        None => None,
    };
    let last_opening = logs.iter().filter_map(|log| log.header.opened).max();
    let mut games = GamesOfLogs::new(config, folders, &**disk, shelf, &logs);
    let (played, is_in_doubt) = games.play(logs, is_incomplete, &mut notices)?;
    let FoundGames { numbers, opened: opened_games, last_of_board, unfinished, .. } = games.found;
    // The digest of a damaged log would contradict the copy that replaces it.
    let before = before.filter(|_| !is_in_doubt);
    let bytes = played.logs.iter().map(|(_, summary)| summary.bytes).sum();

    let last_games = last_games(config, folders, &**disk, numbers).unwrap_or_else(|(known, error)| {
        let live = folders.live.display();
        notices.push(format!("{live}: {error}; only the logs say how many games there were before"));
        known
    });

    let end = |chain: &LogChain| chain.calendar.as_ref().map(|calendar| calendar.moment(chain.end_time));
    let last_end = played.last_chain.as_ref().and_then(end).max(last_opening);
    let opened = opening_time(now, last_end);
    // Simulated boards run ahead of the clock.
    let shown = (config.time_scale == 1.0 && opened - now > clock::MIN_CLOCK_JUMP).then_some(now);
    let is_orphaned = played.last_chain.is_none() && !opened_games.stored.is_empty();
    let next_step = decide_chain(config, played.last_chain, bytes, now)?;
    notices.extend(next_step.notice());
    let is_outdated = matches!(next_step, ChainDecision::Continue { is_outdated: true, .. });
    let goes_on = matches!(next_step, ChainDecision::Continue { .. });
    let mut carried = Vec::new();
    let (line, chain_header, header, shift, calendar) = match next_step {
        ChainDecision::Continue { chain, .. } => {
            let mut header = log_header(chain.header.clone(), opened, shown, "yes", before, &last_games);
            note_doubt(&mut header, is_in_doubt);
            let LogChain { mut line, header: chain_header, calendar, end_time: end } = *chain;
            let mut calendar = calendar.unwrap_or_else(|| Calendar::new(opened));
            let shift = playback::continue_line(&mut line, &mut calendar, end, &header);
            (line, chain_header, header, shift, calendar)
        }
        ChainDecision::Begin { carried: of_last, .. } => {
            carried = of_last;
            // A log that begins no chain keeps the games of unplayable logs visible.
            let continues = if is_orphaned { "yes" } else { "no" };
            let mut header = log_header(config.header(), opened, shown, continues, before, &last_games);
            put(&mut header.other, KEY_DATES_FROM, &rfc3339(clock::dates_from()));
            put(&mut header.other, KEY_LATE_START, "yes");
            note_doubt(&mut header, is_in_doubt);
            let line = Line::new(LineSettings::from_header(&header, None)?.0);
            (line, header.clone(), header, Millis::ZERO, Calendar::new(shown.unwrap_or(opened)))
        }
    };
    let names =
        header.boards.iter().filter_map(|(&address, board)| Some((BusAddress::new(address)?, board.name.clone()?)));
    let mut files = LineFiles::new(Arc::clone(disk), folders.live.clone(), config.name.clone(), names.collect());
    unfinished.iter().for_each(|game| files.repair(game.board, game.name.as_deref(), &game.file, false));
    // A running game goes on as the logs have it.
    let last = last_of_board.values().map(|(logged, published)| if goes_on { logged } else { published });
    last.for_each(|game| files.repair(game.board, game.name.as_deref(), &game.file, goes_on));
    notices.extend(files.take_notices());
    let path = history::path(&folders.log, &config.name, next);
    let journal = Journal::create(&**disk, &path, &header).map_err(failed(&path))?;
    if !journal.is_reserved() {
        notices.push(format!("no space could be reserved for {}; on a full disk it waits in memory", path.display()));
    }
    let (games, header) = (opened_games, chain_header);
    Ok(OpenedLine { line, shift, journal, files, is_outdated, notices, calendar, games, header, carried })
}

/// The logs of a line, played for its games. A game leaves memory as soon as the next one of its board has begun, so that a start needs no
/// more memory after thousands of games.
struct GamesOfLogs<'d> {
    disk: &'d dyn Disk,
    folders: &'d Folders,
    line: &'d str,
    shelf: Option<&'d Arc<dyn Shelf>>,
    published: PublishedGames<'d, 'd>,
    found: FoundGames,
}

/// Games of the logs of a line.
#[derive(Default)]
struct FoundGames {
    /// Number of each board's last game.
    numbers: LastGames,
    opened: OpenedGames,
    /// Last game of each board, as the logs have it and as it was published. Its file is not completed yet.
    last_of_board: BTreeMap<Option<BusAddress>, (PlayedGame, PlayedGame)>,
    /// Other games whose files the disk refused.
    unfinished: Vec<PlayedGame>,
    /// Notices about the files.
    notices: Vec<String>,
}

impl<'d> GamesOfLogs<'d> {
    fn new(
        config: &'d LineConfig,
        folders: &'d Folders,
        disk: &'d dyn Disk,
        shelf: Option<&'d Arc<dyn Shelf>>,
        logs: &[LogInput<'d>],
    ) -> GamesOfLogs<'d> {
        let line = &config.name;
        let places = PublishedFolders { disk, log: &folders.log, live: &folders.live };
        let published = PublishedGames::new(places, line, logs);
        GamesOfLogs { disk, folders, line, shelf, published, found: FoundGames::default() }
    }

    /// Plays the logs, and completes the files of all games but the last ones. Logs without a clear order are left as they are.
    /// `is_incomplete`: whether logs are missing or unreadable. Also returns whether the logs are in doubt.
    fn play(
        &mut self,
        logs: Vec<LogInput<'_>>,
        is_incomplete: bool,
        notices: &mut Vec<String>,
    ) -> Result<(PlaybackResult, bool), OpeningError> {
        self.published.is_incomplete |= is_incomplete;
        let mut is_played = true;
        let played = match playback::play_each_game(logs, |game| self.add(game)) {
            Ok(played) => played,
            Err(PlaybackError::Unreadable { name, kind, error }) => {
                return Err(OpeningError::Disk { action: name, error: io::Error::new(kind, error) });
            }
            Err(error) => {
                notices.push(format!("the earlier logs cannot be played and are left as they are: {error}"));
                is_played = false;
                self.found = FoundGames::default();
                self.published.give_up_logs();
                PlaybackResult::default()
            }
        };
        notices.extend(played.logs.iter().flat_map(|(name, summary)| history::problems(name, summary)));
        for game in self.published.missing() {
            count(&mut self.found.numbers, game.board, game.number());
            self.found.opened.add(&game, self.shelf);
        }
        self.found.opened.stored.sort_by_key(|(_, game)| game.number());
        notices.append(&mut self.found.notices);
        let standing = &self.published.standing;
        notices.extend(standing.iter().map(|game| format!("{}: {}", game.file().display(), published::STANDING)));
        let is_last_damaged = played.logs.last().is_some_and(|(_, log)| published::damage(log).is_some());
        let is_in_doubt = is_incomplete || !is_played || is_last_damaged || !standing.is_empty();
        Ok((played, is_in_doubt))
    }

    /// Adds the next game of its board, and brings the file of the game before it up to the logs. A file that cannot be written does not
    /// prevent recording: it waits.
    fn add(&mut self, game: PlayedGame) {
        let found = &mut self.found;
        count(&mut found.numbers, game.board, game.number());
        let published = self.published.settle(game.clone());
        found.opened.add(&published, self.shelf);
        let Some((_, before)) = found.last_of_board.insert(game.board, (game, published)) else { return };
        let prefix = live_files::file_prefix(self.line, before.board, before.name.as_deref());
        match reconcile::reconcile(self.disk, &self.folders.live, &prefix, &before.file) {
            Ok((_, notice)) => found.notices.extend(notice),
            Err(_) => found.unfinished.push(before),
        }
    }
}

fn count(last: &mut LastGames, board: Option<BusAddress>, number: u32) {
    let known = last.entry(board).or_insert(0);
    *known = number.max(*known);
}

/// Returns the number of each board's last game according to its logs, `last`, and the files. If the files cannot be listed, returns the
/// numbers from the logs and the error.
fn last_games(
    config: &LineConfig,
    folders: &Folders,
    disk: &dyn Disk,
    mut last: LastGames,
) -> Result<LastGames, (LastGames, io::Error)> {
    // Read only the names: a hall that plays for days has thousands of files, and each line lists them.
    let names = match disk::if_found(disk.list(&folders.live)) {
        Ok(names) => names.unwrap_or_default(),
        Err(error) => return Err((last, error)),
    };
    for number in history::numbers(&names, &config.name, ".pdn") {
        count(&mut last, None, number);
    }
    for board in &config.boards {
        for number in history::numbers(&names, &board.name, ".pdn") {
            count(&mut last, Some(board.address), number);
        }
    }
    for (address, number) in history::board_log_numbers(&names, &config.name, ".pdn") {
        if let Some(address) = BusAddress::new(address) {
            count(&mut last, Some(address), number);
        }
    }
    Ok(last)
}

type LastGames = BTreeMap<Option<BusAddress>, u32>;

/// Relation of the next log to the last chain.
enum ChainDecision {
    /// Next part of the last chain.
    Continue { chain: Box<LogChain>, is_outdated: bool },
    /// First log of a new chain.
    Begin { gives_up_a_game: bool, carried: Vec<Request> },
}

impl ChainDecision {
    fn notice(&self) -> Option<String> {
        match self {
            ChainDecision::Continue { is_outdated: true, .. } => Some(
                "the settings or tags of this line have changed; they hold as soon as its game has ended".to_owned(),
            ),
            ChainDecision::Begin { gives_up_a_game: true, .. } => {
                Some("this line plays another game than before; the game that was going on stays unfinished".to_owned())
            }
            ChainDecision::Continue { .. } | ChainDecision::Begin { .. } => None,
        }
    }
}

/// Decides whether the last chain continues. A game keeps its first settings until its end, unless the mode or the variant changes.
fn decide_chain(
    config: &LineConfig,
    chain: Option<LogChain>,
    bytes: u64,
    now: DateTime<FixedOffset>,
) -> Result<ChainDecision, HeaderSettingsError> {
    let wanted = LineSettings::from_header(&config.header(), None)?.0.without_history();
    let Some(chain) = chain.map(Box::new) else {
        return Ok(ChainDecision::Begin { gives_up_a_game: false, carried: Vec::new() });
    };
    let had = LineSettings::from_header(&chain.header, None)?.0.without_history();
    let is_outdated = had != wanted;
    let is_playing = chain.line.has_open_game();
    let opened = chain.calendar.as_ref().map(Calendar::epoch);
    let is_old = opened.zip(rotation(config)).is_some_and(|(opened, longest)| now - opened >= longest);
    let is_old = is_old || chain.line.rotation_requested();
    Ok(if !is_outdated && (is_playing || bytes < MAX_CHAIN_LEN && !is_old) {
        ChainDecision::Continue { chain, is_outdated: false }
    } else if is_playing && had.mode == wanted.mode && had.variant.game_type == wanted.variant.game_type {
        ChainDecision::Continue { chain, is_outdated: true }
    } else {
        ChainDecision::Begin {
            gives_up_a_game: is_playing,
            carried: requests_to_carry_over(&chain.line, &had, &wanted),
        }
    })
}

/// Returns the operator requests of the last chain that also hold for the next; a changed setting replaces them.
fn requests_to_carry_over(line: &Line, had: &LineSettings, wanted: &LineSettings) -> Vec<Request> {
    let players = |settings: &LineSettings| {
        let is_player = |(tag, _): &&(String, String)| tag == "White" || tag == "Black";
        settings.tags.iter().filter(is_player).cloned().collect::<Vec<_>>()
    };
    let still_holds = |request: &Request| {
        let of_board = |settings: &LineSettings| {
            request.target.address().map_or_else(|| settings.clone(), |board| settings.for_board(board))
        };
        let (had, wanted) = (of_board(had), of_board(wanted));
        match request.command {
            OperatorCommand::SetPairing(_) => true,
            OperatorCommand::Names { .. } => players(&had) == players(&wanted),
            _ => had.orientation == wanted.orientation,
        }
    };
    line.pending_requests().into_iter().filter(still_holds).collect()
}

/// Returns the age at which a chain of a line ends; `None` for no limit.
pub fn rotation(config: &LineConfig) -> Option<TimeDelta> {
    let hours = config.logs.rotate_hours;
    (hours > 0).then(|| TimeDelta::hours(hours.into()))
}

/// Creates the header of the next log. `shown`: time that the clock showed at its opening, where that differs.
fn log_header(
    mut header: Header,
    opened: DateTime<FixedOffset>,
    shown: Option<DateTime<FixedOffset>>,
    continues: &str,
    before: Option<PreviousLog>,
    games: &BTreeMap<Option<BusAddress>, u32>,
) -> Header {
    (header.opened, header.is_changed) = (Some(opened), false);
    header.other.retain(|(key, _)| key != KEY_CLOCK);
    if let Some(shown) = shown {
        put(&mut header.other, KEY_CLOCK, &rfc3339(shown));
    }
    put(&mut header.other, KEY_CONTINUES, continues);
    header.other.retain(|(known, _)| known != KEY_PREVIOUS_LOG);
    if let Some(before) = before {
        put(&mut header.other, KEY_PREVIOUS_LOG, &before.to_string());
    }
    if header.mode != Some(Mode::Bus) {
        put(&mut header.other, KEY_GAMES_BEFORE, &games.get(&None).copied().unwrap_or(0).to_string());
        return header;
    }
    for (board, number) in games {
        let Some(board) = board else { continue };
        put(&mut header.boards.entry(board.number()).or_default().other, KEY_GAMES_BEFORE, &number.to_string());
    }
    header
}

fn put(other: &mut Vec<(String, String)>, key: &str, value: &str) {
    other.retain(|(known, _)| known != key);
    other.push((key.to_owned(), value.to_owned()));
}

/// Notes whether a log before this one was damaged: the next start may not see it.
fn note_doubt(header: &mut Header, is_in_doubt: bool) {
    header.other.retain(|(key, _)| key != published::KEY_IN_DOUBT);
    if is_in_doubt {
        put(&mut header.other, published::KEY_IN_DOUBT, "yes");
    }
}

fn rfc3339(moment: DateTime<FixedOffset>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, false)
}

/// Returns the current time in whole milliseconds, but later than everything logged so far.
fn opening_time(now: DateTime<FixedOffset>, last_end: Option<DateTime<FixedOffset>>) -> DateTime<FixedOffset> {
    let now = now.trunc_subsecs(3);
    let earliest = last_end.and_then(|end| end.checked_add_signed(MIN_LOG_GAP));
    // Use today's offset for a pause in a game, also across a change of daylight saving time.
    earliest.map_or(now, |earliest| earliest.with_timezone(now.offset()).max(now))
}

/// Closes the last log. A log that this station may not write is used as it is.
fn close(
    disk: &dyn Disk,
    path: &Path,
    number: u32,
    notices: &mut Vec<String>,
) -> Result<Option<PreviousLog>, OpeningError> {
    match chain::close(disk, path, number) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied || disk::is_not_regular_file(&error) => {
            notices.push(format!("{}: {error}; it is read, and the next log begins", path.display()));
            Ok(None)
        }
        closed => closed.map(Some).map_err(failed(path)),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> OpeningError {
    let shown_path = path.display().to_string();
    move |error| OpeningError::Disk { action: shown_path.clone(), error }
}
