//! The folder of a round, read as a whole: what its logs say, and what was made of them.
//!
//! ```text
//!   log/NAME-K.log ──▸ playback ──▸ games ──▸ live/NAME-G.pdn          byte for byte
//!   log/round-K.plan ─────────────────┤
//!   log/events.order ─────────────────┴─────▸ public/events.ndjson, archive/NAME-G.pdn, games.pdn, started.pdn
//! ```
//!
//! Everything outside `log/` is a function of what is in it. [`fsck`] holds the two against each other and changes nothing;
//! [`rebuild`] makes the one from the other.
//!
//! Invariants: nothing here writes into `log/` but the order of events; a log is read where all logs are read
//! ([`crate::journal::logs`]). Absent on purpose: the configuration; a folder is understood without it.

pub mod extract;
pub mod fsck;
pub mod rebuild;

use std::io;
use std::path::{Path, PathBuf};

use crate::bytelog::{ByteLog, LogError};
use crate::disk::RealDisk;
use crate::feed;
use crate::journal::commits;
use crate::journal::logs::{self, LogFile};
use crate::playback::{self, Game, NamedLog, PlaybackError, Played};
use crate::recorder::COMMITS;
use crate::round::{Plans, Seating};

/// The folder of a station, as far as it is logs.
pub struct Folder {
    /// Where it is.
    pub directory: PathBuf,
    /// Its lines by name.
    pub lines: Vec<LineOfLogs>,
    /// What its rounds were.
    pub plans: Plans,
}

/// A line by its logs.
pub struct LineOfLogs {
    /// Its name.
    pub name: String,
    /// Its logs by number.
    pub logs: Vec<LogOfLine>,
    /// What they make, all chains.
    pub played: Result<Played, PlaybackError>,
}

/// A log that was read.
pub struct LogOfLine {
    /// The file.
    pub file: LogFile,
    /// Its length.
    pub bytes: u64,
    /// What it says, as far as it is right.
    pub log: ByteLog,
    /// Why it is not right to its end.
    pub damage: Option<LogError>,
    /// Why nothing of it can be read, if it is compressed and damaged.
    pub fault: Option<String>,
}

impl Folder {
    /// Reads the logs of a station's folder and plays them.
    ///
    /// # Errors
    ///
    /// When the folder or a log cannot be read at all.
    pub fn read(directory: &Path) -> io::Result<Folder> {
        let folder = directory.join("log");
        let mut lines: Vec<LineOfLogs> = Vec::new();
        // The ends of logs that a loss of power has left in the commits alone; read first, so that the logs are ahead of them.
        let ends = commits::fragments(&RealDisk, &directory.join(COMMITS))?;
        for file in logs::list(&folder)? {
            let (mut bytes, fault) = match logs::read(&file.path) {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => (Vec::new(), Some(error.to_string())),
                bytes => (bytes?, None),
            };
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ends.iter().filter(|end| end.log == name).for_each(|end| end.lay_over(&mut bytes));
            let (log, damage) = playback::read_longest(&bytes);
            let log = LogOfLine { bytes: bytes.len() as u64, log, damage, fault, file };
            match lines.last_mut().filter(|line| line.name == log.file.line) {
                Some(line) => line.logs.push(log),
                None => {
                    let name = log.file.line.clone();
                    lines.push(LineOfLogs { name, logs: vec![log], played: Ok(Played::default()) });
                }
            }
        }
        for line in &mut lines {
            line.played = playback::play(line.playable(), None);
        }
        Ok(Folder { directory: directory.to_owned(), lines, plans: Plans::read(&RealDisk, &folder)? })
    }

    /// All games by line: the beginning of the name of their files, and the game.
    pub fn games(&self) -> impl Iterator<Item = (String, &Game)> {
        self.lines.iter().flat_map(|line| {
            let games = line.played.iter().flat_map(|played| &played.games);
            games.map(|game| (feed::prefix(&line.name, game.board, game.name.as_deref()), game))
        })
    }

    /// The boards of the round in their order, with all their games.
    pub fn seating(&self) -> Seating {
        self.seating_by(self.plans.clone())
    }

    /// The boards as these plans have them.
    pub fn seating_by(&self, plans: Plans) -> Seating {
        let mut seating = Seating::new(plans);
        for line in &self.lines {
            let Ok(played) = &line.played else { continue };
            if let Some(chain) = &played.last {
                seating.opened(&line.name, &chain.header, &played.games);
            }
        }
        seating
    }
}

impl LineOfLogs {
    /// The logs that can be put in order, for playing them.
    fn playable(&self) -> Vec<NamedLog> {
        let named = |log: &LogOfLine| NamedLog { name: log.file.path.display().to_string(), log: log.log.clone() };
        self.logs.iter().filter(|log| log.log.header.opened.is_some()).map(named).collect()
    }
}

/// The file of a game in `live/`.
fn live_file(prefix: &str, game: u32) -> String {
    format!("{prefix}-{game}.pdn")
}
