//! The folder of a round, read as a whole: its logs, and the files derived from them.
//!
//! ```text
//!   log/NAME-K.log ──▸ playback ──▸ games ──▸ live/NAME-G.pdn          byte for byte
//!   log/round-K.plan ─────────────────┤
//!   log/events.order ─────────────────┴─────▸ public/events.ndjson, archive/NAME-G.pdn, games.pdn, started.pdn
//!   log/events-OUTLET.order ────────────────▸ the same of each other outlet
//! ```
//!
//! Everything outside `log/` is a function of its content. [`fsck`] compares the two and changes nothing; [`rebuild`] makes the derived
//! files from the logs; [`takeover`] prepares a copy on another machine.
//!
//! Invariants: code here writes only the order of events into `log/`, and [`takeover`] the ends of logs; logs are read by [`crate::journal::logs`]. Absent on
//! purpose: the configuration, which is not needed to read a folder.

pub mod extract;
pub mod fsck;
pub mod rebuild;
pub mod takeover;

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use damcast_engine::broadcast::{Shelf, TournamentHistory};
use damcast_engine::bytelog::{Header, LogInput, LogSummary};
use damcast_engine::playback::{self, PlaybackError, PlaybackResult, PlayedGame};
use draughts_tournament::BoardGame;

use crate::config::OutletConfig;
use crate::disk::{self, Disk, RealDisk};
use crate::journal::commits::{self, LogTail};
use crate::journal::logs::{self, LogFile};
use crate::live_files;
use crate::locks::lock;
use crate::outlets::published::{self, PublishedFolders, PublishedGames, StandingGame};
use crate::outlets::{self, PlannedOutlet, Plans, RoundBoards, StoredGames};
use crate::recorder::COMMITS_FILE;
use crate::tournament_log::TournamentLog;

/// The logs of a station's folder.
pub struct StationFolder {
    /// Path of the folder.
    pub directory: PathBuf,
    /// Lines by name.
    pub lines: Vec<LineLogs>,
    /// Plans of its rounds.
    pub plans: Plans,
    /// Tournament whose games were played.
    pub history: TournamentHistory,
    /// Entries with the name of a log that are no regular files, each with its kind.
    pub not_logs: Vec<(PathBuf, String)>,
}

/// The logs of a line.
pub struct LineLogs {
    /// Name of the line.
    pub name: String,
    /// Logs by number.
    pub logs: Vec<LineLog>,
    /// Result of playing back all chains, without the final state of the line, which takes more memory than its games.
    pub playback: Result<PlaybackResult, PlaybackError>,
    /// Head of the log that began the last chain.
    chain: Option<Header>,
    /// Games that the logs lost a part of.
    pub standing: Vec<StandingGame>,
}

/// A log that was read.
pub struct LineLog {
    /// The file.
    pub file: LogFile,
    /// Header of the log.
    pub header: Header,
    /// Summary of reading the log.
    pub summary: LogSummary,
    /// Position and bytes of the log's end in the commits. After a loss of power they may be there only.
    commits_tail: Option<(u64, Arc<[u8]>)>,
}

impl LineLog {
    /// Whether the log has bytes but does not say when it was opened.
    fn is_unplayable(&self) -> bool {
        let has_bytes = || self.file.path.metadata().is_ok_and(|metadata| metadata.len() > 0);
        self.header.opened.is_none() && has_bytes()
    }

    /// Opens the log for reading from its head on.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn open_input(&self) -> io::Result<LogInput<'static>> {
        let Some((at, end)) = self.commits_tail.clone() else { return logs::named(&self.file) };
        let path = self.file.path.clone();
        LogInput::open(path.display().to_string(), move || {
            let head = RealDisk.reader(&path, 0)?.take(at);
            Ok(Box::new(head.chain(Cursor::new(Arc::clone(&end)))))
        })
    }
}

impl StationFolder {
    /// Reads the logs of a station's folder and plays them back.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder or a log cannot be read at all.
    pub fn read(directory: &Path) -> io::Result<StationFolder> {
        let mut folder = StationFolder::read_headers(directory)?;
        folder.lines.iter_mut().try_for_each(|line| line.play(|logs| playback::play(logs, None)))?;
        Ok(folder)
    }

    /// Reads a folder with more games than fit into memory: calls `each` with every game and the name of its line, and stores no games in
    /// the lines. Lines are played back side by side, on all cores; the games of a line come in their order, one game after the other.
    ///
    /// # Errors
    ///
    /// Returns errors as [`StationFolder::read`] does.
    pub fn read_with(directory: &Path, each: impl FnMut(&str, PlayedGame) + Send) -> io::Result<StationFolder> {
        let mut folder = StationFolder::read_headers(directory)?;
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let others = cores.min(folder.lines.len()).saturating_sub(1);
        let (plans, each, lines) = (&folder.plans, Mutex::new(each), Mutex::new(folder.lines.iter_mut()));
        let next_line = || lock(&lines).next();
        let play_lines = || -> io::Result<()> {
            while let Some(line) = next_line() {
                let name = line.name.clone();
                line.play_published(directory, plans, |game| lock(&each)(&name, game))?;
            }
            Ok(())
        };
        std::thread::scope(|scope| -> io::Result<()> {
            // If a thread cannot be spawned, the other threads play all lines.
            let threads = (0..others).map_while(|_| std::thread::Builder::new().spawn_scoped(scope, play_lines).ok());
            let threads: Vec<_> = threads.collect();
            let own = play_lines();
            let ended = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|bug| resume_unwind(bug)));
            std::iter::once(own).chain(ended).collect()
        })?;
        Ok(folder)
    }

    /// Returns the logs of a station's folder with their heads.
    fn read_headers(directory: &Path) -> io::Result<StationFolder> {
        let folder = directory.join("log");
        let (mut lines, mut odd): (Vec<LineLogs>, Vec<_>) = (Vec::new(), Vec::new());
        // After a loss of power the commits may have ends of logs that the logs lack; read them first, so that the logs are ahead.
        let ends = commits::contents(&RealDisk, &directory.join(COMMITS_FILE))?.fragments;
        for file in logs::list(&folder)? {
            if let Some(error) = disk::open_to_read(&file.path).err().filter(disk::is_not_regular_file) {
                odd.push((Path::new("log").join(file.path.file_name().unwrap_or_default()), error.to_string()));
                continue;
            }
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let ends = ends.iter().filter(|end| end.log == name);
            let end = match ends.clone().next() {
                Some(_) => {
                    Some(LogTail::read(&RealDisk, &file.path, ends)?).map(|end| (end.offset, end.restored.into()))
                }
                None => None,
            };
            let (header, summary) = (Header::default(), LogSummary::default());
            let mut log = LineLog { file, header, summary, commits_tail: end };
            log.header = log.open_input()?.header;
            match lines.last_mut().filter(|line| line.name == log.file.line) {
                Some(line) => line.logs.push(log),
                None => {
                    let name = log.file.line.clone();
                    lines.push(LineLogs {
                        name,
                        logs: vec![log],
                        playback: Ok(PlaybackResult::default()),
                        chain: None,
                        standing: Vec::new(),
                    });
                }
            }
        }
        let plans = Plans::read(&RealDisk, &folder)?;
        let record = TournamentLog::read(&RealDisk, &folder)?;
        let tournament_history = TournamentHistory::from_records(record.records());
        Ok(StationFolder { directory: directory.to_owned(), lines, plans, history: tournament_history, not_logs: odd })
    }

    /// Returns the boards of the round in their order, with these games of each line. `shelf`: storage of games that are over.
    pub fn round_boards(&self, mut games: LineGames, shelf: Option<Arc<dyn Shelf>>) -> RoundBoards {
        let mut seating = RoundBoards::new(self.plans.clone()).with_shelf(shelf);
        seating.set_history(self.history.clone());
        for line in &self.lines {
            if line.playback.is_err() {
                continue;
            }
            if let Some(header) = &line.chain {
                seating.line_opened(&line.name, header, games.remove(&line.name).unwrap_or_default());
            }
        }
        seating
    }
}

/// Returns the games that the boards of a folder have recorded, as a tournament needs them.
///
/// # Errors
///
/// Returns any I/O error.
pub fn recorded_games(directory: &Path) -> io::Result<Vec<BoardGame>> {
    let mut games = Vec::new();
    StationFolder::read_with(directory, |line, game| {
        games.push(outlets::recorded_game(file_prefix(line, &game), &game))
    })?;
    Ok(games)
}

/// Games by line.
pub type LineGames = BTreeMap<String, StoredGames>;

impl LineLogs {
    /// Plays back the logs and calls `each` with every game as it was published, also with those that the logs lost.
    fn play_published(&mut self, directory: &Path, plans: &Plans, mut each: impl FnMut(PlayedGame)) -> io::Result<()> {
        let (log, live) = (directory.join("log"), directory.join("live"));
        let (name, mut standing) = (self.name.clone(), Vec::new());
        let is_incomplete = self.logs.iter().any(LineLog::is_unplayable);
        self.play(|mut logs| {
            published::mend_heads(&mut logs, plans.head(&name));
            let folders = PublishedFolders { disk: &RealDisk, log: &log, live: &live };
            let mut games = PublishedGames::new(folders, &name, &logs);
            games.is_incomplete |= is_incomplete;
            let played = playback::play_each_game(logs, |game| each(games.settle(game)));
            games.missing().into_iter().for_each(&mut each);
            standing = games.standing;
            played
        })?;
        self.standing = standing;
        Ok(())
    }

    /// Plays back the logs that have a clear order, and reads the others one by one.
    fn play(
        &mut self,
        play: impl FnOnce(Vec<LogInput<'static>>) -> Result<PlaybackResult, PlaybackError>,
    ) -> io::Result<()> {
        let playable = self.logs.iter().filter(|log| log.header.opened.is_some()).map(LineLog::open_input);
        self.playback = play(playable.collect::<io::Result<_>>()?);
        if let Err(PlaybackError::Unreadable { name, kind, error }) = &self.playback {
            return Err(io::Error::new(*kind, format!("{name}: {error}")));
        }
        self.chain = self.playback.as_mut().ok().and_then(|played| played.last_chain.take()).map(|chain| chain.header);
        for log in &mut self.logs {
            let name = log.file.path.display().to_string();
            let read = self.playback.iter().flat_map(|played| &played.logs).find(|(read, _)| *read == name);
            log.summary = match read {
                Some((_, summary)) => summary.clone(),
                None => log.open_input()?.records()?.into_summary()?,
            };
        }
        Ok(())
    }
}

/// Returns the outlets of a folder; without a plan, the default one.
fn outlets(plans: &Plans) -> Vec<PlannedOutlet> {
    let planned = plans.current().map(|plan| plan.outlets.clone());
    planned.unwrap_or_else(|| vec![PlannedOutlet::new(&OutletConfig::default())])
}

/// Returns the stem of the names of a game's files.
fn file_prefix(line: &str, game: &PlayedGame) -> String {
    live_files::file_prefix(line, game.board, game.name.as_deref())
}

/// Returns the path of a game's file in the folder.
fn live_file(prefix: &str, game: u32) -> PathBuf {
    Path::new("live").join(format!("{prefix}-{game}.pdn"))
}
