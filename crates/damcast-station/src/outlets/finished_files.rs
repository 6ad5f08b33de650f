//! Live files of games that have no writer: restores those that readers miss.
//!
//! The writer of a game's file verifies that file only ([`crate::feed`]). A folder or a file that is removed later is missed here,
//! and made again from the logs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use damcast_engine::playback::PlayedGame;
use tracing::warn;

use super::RoundBoards;
use crate::disk::{self, ManagedDir, RealDisk};
use crate::file_problems::ProblemReport;
use crate::live_files::{self, reconcile};

/// Interval of the checks. Only a file that is missing twice counts: its writer may be creating it.
const CHECK_INTERVAL: Duration = Duration::from_secs(4);

/// Checks the folder of the live files.
pub struct FinishedLiveFiles {
    folder: ManagedDir,
    log: PathBuf,
    checked_at: Instant,
    /// Lines with files that were missing at the last check.
    missing: BTreeSet<String>,
}

impl FinishedLiveFiles {
    /// Returns the checker of a station's folder.
    pub fn new(directory: &Path) -> FinishedLiveFiles {
        FinishedLiveFiles {
            folder: ManagedDir::new(directory.join("live")),
            log: directory.join("log"),
            checked_at: Instant::now(),
            missing: BTreeSet::new(),
        }
    }

    /// Checks that all files are there, and makes the missing ones. Returns the problems it found.
    pub fn verify(&mut self, round_boards: &RoundBoards) -> Vec<ProblemReport> {
        let mut found = Vec::new();
        match self.folder.ensure() {
            Ok(false) => {}
            Ok(true) => found.push(ProblemReport::new("live", "the folder was removed; it is created again")),
            Err(error) => return vec![ProblemReport::new("live", format!("it cannot be made: {error}"))],
        }
        if let Err(error) = disk::may_write(self.folder.path()) {
            self.missing.clear();
            return vec![ProblemReport::unwritable("live", &error)];
        }
        // A write through an open file may be refused later. A file that another program put in its place stays.
        for (board, game) in round_boards.boards().filter_map(|board| Some((board, board.games.last()?))) {
            let file = live_files::current_path(self.folder.path(), &board.name, game.number());
            if game.closed_at().is_none()
                && let Err(error) = disk::if_found(disk::may_write(&file))
            {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                found.push(ProblemReport::unwritable(format!("live/{name}"), &error));
            }
        }
        if self.checked_at.elapsed() < CHECK_INTERVAL {
            return found;
        }
        self.checked_at = Instant::now();
        let names: BTreeSet<String> = match fs::read_dir(self.folder.path()) {
            Ok(entries) => entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect(),
            Err(_) => return found,
        };
        // A recovered file has taken the place of another.
        let is_missing = |board: &str, game: u32| {
            let own = [".pdn", ".recovered-1.pdn"].map(|ending| format!("{board}-{game}{ending}"));
            own.iter().all(|name| !names.contains(name))
        };
        let lines = round_boards.lines().into_iter().filter(|line| {
            let of_board = |board: &damcast_engine::broadcast::Board| {
                board.games.iter().any(|game| is_missing(&board.name, game.number()))
            };
            round_boards.line_boards(line).any(of_board)
        });
        let missing: BTreeSet<String> = lines.collect();
        for line in missing.intersection(&self.missing) {
            found.extend(rebuild_missing(&self.log, self.folder.path(), line, is_missing));
        }
        self.missing = missing;
        found
    }
}

/// Makes the missing live files of a line from its logs.
fn rebuild_missing(log: &Path, live: &Path, line: &str, is_missing: impl Fn(&str, u32) -> bool) -> Vec<ProblemReport> {
    let mut found = Vec::new();
    let make = |game: PlayedGame| {
        let prefix = live_files::file_prefix(line, game.board, game.name.as_deref());
        if is_missing(&prefix, game.number()) {
            let file = format!("live/{prefix}-{}.pdn", game.number());
            let outcome = match reconcile::reconcile(&RealDisk, live, &prefix, &game.file) {
                Ok(_) => "it was removed; it is written again from the log".to_owned(),
                Err(error) => format!("it was removed and cannot be written again: {error}"),
            };
            warn!(line, "{file}: {outcome}");
            found.push(ProblemReport::new(file, outcome));
        }
    };
    if let Err(error) = super::read_line_logs(log, line, make) {
        warn!(line, "live files are missing, and the logs cannot be read: {error}");
    }
    found
}
