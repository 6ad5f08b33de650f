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

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytelog::{Header, Summary};
use crate::disk::{self, Disk, RealDisk};
use crate::feed;
use crate::journal::commits::{self, LogEnd};
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
    /// What has the name of a log and is none, each with what it is.
    pub odd: Vec<(PathBuf, String)>,
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
    /// Its head.
    pub header: Header,
    /// What it was found to be.
    pub summary: Summary,
    /// Where its end in the commits begins, and all that stands there. A loss of power has left it there alone, perhaps.
    end: Option<(u64, Arc<[u8]>)>,
}

impl LogOfLine {
    /// The log, to be read from its head on.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn named(&self) -> io::Result<NamedLog<'static>> {
        let Some((at, end)) = self.end.clone() else { return logs::named(&self.file) };
        let path = self.file.path.clone();
        NamedLog::open(path.display().to_string(), move || {
            let head = RealDisk.reader(&path, 0)?.take(at);
            Ok(Box::new(head.chain(Cursor::new(Arc::clone(&end)))))
        })
    }
}

impl Folder {
    /// Reads the logs of a station's folder and plays them.
    ///
    /// # Errors
    ///
    /// When the folder or a log cannot be read at all.
    pub fn read(directory: &Path) -> io::Result<Folder> {
        let folder = directory.join("log");
        let (mut lines, mut odd): (Vec<LineOfLogs>, Vec<_>) = (Vec::new(), Vec::new());
        // The ends of logs that a loss of power has left in the commits alone; read first, so that the logs are ahead of them.
        let ends = commits::fragments(&RealDisk, &directory.join(COMMITS))?;
        for file in logs::list(&folder)? {
            if let Some(error) = disk::open_to_read(&file.path).err().filter(disk::is_odd) {
                odd.push((Path::new("log").join(file.path.file_name().unwrap_or_default()), error.to_string()));
                continue;
            }
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let ends = ends.iter().filter(|end| end.log == name);
            let end = match ends.clone().next() {
                Some(_) => Some(LogEnd::read(&RealDisk, &file.path, ends)?).map(|end| (end.at, end.whole.into())),
                None => None,
            };
            let (header, summary) = (Header::default(), Summary::default());
            let mut log = LogOfLine { file, header, summary, end };
            log.header = log.named()?.header;
            match lines.last_mut().filter(|line| line.name == log.file.line) {
                Some(line) => line.logs.push(log),
                None => {
                    let name = log.file.line.clone();
                    lines.push(LineOfLogs { name, logs: vec![log], played: Ok(Played::default()) });
                }
            }
        }
        for line in &mut lines {
            line.play()?;
        }
        Ok(Folder { directory: directory.to_owned(), lines, plans: Plans::read(&RealDisk, &folder)?, odd })
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
    /// Plays the logs that can be put in order, and reads the others for what they are.
    fn play(&mut self) -> io::Result<()> {
        let playable = self.logs.iter().filter(|log| log.header.opened.is_some()).map(LogOfLine::named);
        self.played = playback::play(playable.collect::<io::Result<_>>()?, None);
        if let Err(PlaybackError::Unreadable { name, kind, error }) = &self.played {
            return Err(io::Error::new(*kind, format!("{name}: {error}")));
        }
        for log in &mut self.logs {
            let name = log.file.path.display().to_string();
            let read = self.played.iter().flat_map(|played| &played.logs).find(|(read, _)| *read == name);
            log.summary = match read {
                Some((_, summary)) => summary.clone(),
                None => log.named()?.records()?.into_summary()?,
            };
        }
        Ok(())
    }
}

/// The file of a game in `live/`.
fn live_file(prefix: &str, game: u32) -> String {
    format!("{prefix}-{game}.pdn")
}
