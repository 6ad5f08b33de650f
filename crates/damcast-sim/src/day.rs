//! Day of a hall in virtual time: simulated boards, the recorder, and all files of a station, on a real disk.
//!
//! ```text
//!   world ── bytes ──▸ log ──▸ Line ──▸ live/ ──▸ round ──▸ public/        64 boards, by the next moment of each
//!     ×      the link of a board goes and comes back
//!     ×      the station is killed, all boards at once: lines of logs, live files and events are torn
//! ```
//!
//! Only ports, tasks and syncs are missing: records, headers, live files and public files are those of a station. A day of 64 boards
//! takes a minute, and [`Day::verify`] checks its files.

mod hall;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use damcast_engine::bytelog::Mode;
use damcast_station::config::{
    AlarmConfig, Config, ControlConfig, EntryConfig, LineConfig, LogConfig, OutletConfig, TournamentConfig,
};
use damcast_station::disk::Durability;
use damcast_station::folder::fsck::{self, Severity};
use damcast_station::folder::rebuild;
use damcast_station::link::PortAddress;
use hardware_sim::clock::TimeControl;
use hardware_sim::profile::NoiseProfile;

use super::games::SourceGame;
pub(crate) use hall::Hall;

/// Parameters of a simulated day.
#[derive(Clone, Debug)]
pub struct Day {
    /// Directory of the recordings.
    pub directory: PathBuf,
    /// Number of boards.
    pub boards: usize,
    /// Number of consecutive games per board.
    pub games: usize,
    /// Hands, clock and wire.
    pub profile: NoiseProfile,
    /// Time control; `None`: no clock is connected.
    pub control: Option<TimeControl>,
    /// Seed of everything random.
    pub seed: u64,
    /// Mean time between outages of a board's link; 0 for never.
    pub outage_every_ms: u64,
    /// Mean time between kills of the station; 0 for never.
    pub kill_every_ms: u64,
    /// Time at which the day ends even if games are running; 0 for never.
    pub until_ms: u64,
    /// Interval at which the public files are written.
    pub write_every_ms: u64,
    /// Outlets, `public` first.
    pub outlets: Vec<OutletConfig>,
}

/// Report of a simulated day.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DayReport {
    /// Duration in virtual time.
    pub ms: u64,
    /// Number of log records.
    pub records: u64,
    /// Number of lines in live files.
    pub lines: u64,
    /// Number of times the public files were written.
    pub writes: u64,
    /// Number of link outages.
    pub outages: u64,
    /// Number of kills of the station.
    pub kills: u64,
}

impl Day {
    /// Returns the configuration of the station.
    pub fn config(&self) -> Config {
        let line = |number: usize| LineConfig {
            name: format!("board-{number}"),
            port: Some(PortAddress::Serial(format!("/dev/simulated-{number}").into())),
            mode: Mode::Single,
            time_scale: 1.0,
            game_type: "20".to_owned(),
            tags: [("Event", "A day"), ("White", "A [b] ../../c"), ("TimeControl", "300+3")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            settings: Vec::new(),
            boards: Vec::new(),
            logs: LogConfig::default(),
        };
        let lines = (1..=self.boards).map(line).collect();
        Config {
            directory: self.directory.clone(),
            lines,
            name: Some("day".to_owned()),
            outlets: self.outlets.clone(),
            suspended_outlets: Vec::new(),
            durability: Durability::Lazy,
            control: ControlConfig::default(),
            entry: EntryConfig::default(),
            tournament: TournamentConfig::default(),
            alarm: AlarmConfig::default(),
            port_patterns: Vec::new(),
        }
    }

    /// Plays and records the day. Calls `watch` whenever the public files are written.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn record(&self, pool: &[SourceGame], watch: impl FnMut(u64)) -> io::Result<DayReport> {
        Hall::new(self, pool)?.play(watch)
    }

    /// Checks the recorded folder: fsck finds nothing, and a rebuild into `other` gives the same files, byte for byte.
    ///
    /// # Errors
    ///
    /// Describes the first difference.
    pub fn verify(&self, other: &Path) -> io::Result<fsck::FsckReport> {
        let report = fsck::check(&self.directory)?;
        if let Some(finding) = report.findings.iter().find(|finding| finding.severity > Severity::Note) {
            return Err(io::Error::other(format!("{}: {}", finding.file.display(), finding.message)));
        }
        rebuild::rebuild(&self.directory, Some(other))?;
        let shown = self.outlets.iter().map(|outlet| outlet.directory.clone());
        for folder in [PathBuf::from("live")].into_iter().chain(shown) {
            let (made, found) = (files(&other.join(&folder))?, files(&self.directory.join(&folder))?);
            let folder = folder.display();
            let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            if names(&made) != names(&found) {
                return Err(io::Error::other(format!("{folder}: other files are made: {:?}", names(&made))));
            }
            for ((name, made), (_, found)) in made.iter().zip(&found) {
                if made != found {
                    return Err(io::Error::other(format!("{folder}/{} is made otherwise", name.display())));
                }
            }
        }
        Ok(report)
    }
}

/// Returns all files below a folder, by relative path.
fn files(folder: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = PathBuf::from(entry.file_name());
        if entry.file_type()?.is_dir() {
            files.extend(self::files(&entry.path())?.into_iter().map(|(path, bytes)| (name.join(path), bytes)));
        } else {
            files.push((name, fs::read(entry.path())?));
        }
    }
    files.sort();
    Ok(files)
}
