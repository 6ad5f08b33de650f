//! Rebuilds all outputs of a folder from its logs.
//!
//! | a file | action |
//! |---|---|
//! | agrees with the logs | none |
//! | is a prefix of the expected text; any `games.pdn` and `started.pdn` | it is completed, or replaced |
//! | is missing | it is written |
//! | is anything else | it is moved aside as `NAME.aside-1`, and written |
//!
//! Games whose logs were removed cannot be rebuilt: their outputs stay in place, and are not copied to another folder. Published files are
//! never overwritten or removed, except files with the name of a player who asked to be anonymous. Visibility is that at the time of the
//! rebuild, with the delays of the round's plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::Local;
use damcast_engine::playback::PlayedGame;

use super::fsck::{self, FindingKind, FsckFinding, Severity};
use super::{LineGames, StationFolder, live_file};
use crate::disk::{self, Disk, Durability, RealDisk};
use crate::journal::commits;
use crate::journal::witness::Witnesses;
use crate::outlets::{self, EventOrder, Outlet, Plans, ShelfFile, order_file};
use crate::recorder::COMMITS_FILE;
use crate::tournament_log::{TOURNAMENT_FILE, TournamentLog};

/// Rebuilds the outputs of `directory`, in that folder or in another. Returns the actions, file by file.
///
/// # Errors
///
/// Returns any I/O error, and an error if the logs are damaged: the outputs would be incomplete.
pub fn rebuild(directory: &Path, into: Option<&Path>) -> io::Result<Vec<String>> {
    let target = into.unwrap_or(directory);
    let witnesses = commits::witnesses(&RealDisk, &directory.join(COMMITS_FILE))?;
    let log = directory.join("log");
    let record = TournamentLog::read_witnessed(&RealDisk, &log, witnesses.clone())?;
    let mut plans = Plans::read(&RealDisk, &log)?;
    if let Some(missing) = plans.set_witnesses(witnesses) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{missing}: put it there first")));
    }
    if let Some(damage) = record.damage() {
        let why =
            format!("{damage}: put a copy of the file there first, or what it lacks would be missing in what is made");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let played = StationFolder::read_with(directory, |_, _| {})?;
    if let Some(game) = played.lines.iter().find_map(|line| line.standing.first()) {
        let why = format!(
            "the logs lost a part of {}: put a copy of the log there first that `damcast fsck` names",
            game.file().display()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    // Users who may write into the folder must not lead root elsewhere.
    let planned = super::outlets(&plans);
    let archives = planned.iter().map(|outlet| outlet.directory.join("archive"));
    let folders: Vec<PathBuf> = ["live", "log"].map(PathBuf::from).into_iter().chain(archives).collect();
    for folder in &folders {
        let parts = folder.ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.into_iter().try_for_each(|part| disk::refuse_link(&target.join(part)))?;
    }
    for folder in &folders {
        disk::make_folder(&target.join(folder))?;
    }
    let mut done = Vec::new();
    let shown = planned.iter().map(|outlet| outlet.directory.clone()).collect();
    let mut rebuilder = Rebuilder { target, outlet_folders: shown, messages: &mut done };
    if into.is_none() {
        rebuilder.move_wrong_files_aside(directory)?;
    } else {
        // The order of events and the plans are copied, so that the other folder is complete except for the logs.
        rebuilder.copy_of_log(directory)?;
    }
    let (mut games, mut known, mut written) = (LineGames::new(), BTreeSet::new(), Ok(()));
    // Games of several lines come in any order.
    let (first, mut by_line) = (rebuilder.messages.len(), BTreeMap::<String, Vec<String>>::new());
    let shelf = ShelfFile::create(&[target]);
    let folder = StationFolder::read_with(directory, |line, game| {
        let prefix = super::file_prefix(line, &game);
        if written.is_ok() {
            written = rebuilder.write_live_file(&live_file(&prefix, game.number()), &game);
            by_line.entry(line.to_owned()).or_default().extend(rebuilder.messages.drain(first..));
        }
        outlets::add_stored(games.entry(line.to_owned()).or_default(), &game, shelf.as_ref());
        known.insert((prefix, game.number()));
    })?;
    written?;
    done.extend(folder.lines.iter().filter_map(|line| by_line.remove(&line.name)).flatten());
    let mut seating = folder.round_boards(games, shelf);
    let gone = games_without_logs(directory, planned.iter().map(|outlet| outlet.name.clone()), &known)?;
    done.splice(0..0, gone);
    let now = Local::now().fixed_offset();
    let now = seating.latest_time.map_or(now, |latest| latest.max(now));
    if seating.plans.current().is_none() {
        done.push("public: there is no plan of a round in log/, so the public files are left as they are".to_owned());
        return Ok(done);
    }
    for outlet in planned {
        let folder = outlet.directory.clone();
        let before = names(target, &folder)?;
        let how = (Durability::Safe, commits::witnesses(&RealDisk, &target.join(COMMITS_FILE))?);
        Outlet::new(Box::new(RealDisk), target, outlet, how).try_to_write(&mut seating, now)?;
        let after = names(target, &folder)?;
        done.extend(after.difference(&before).map(|path| format!("{}: written", path.display())));
    }
    Ok(done)
}

/// Returns games with published events whose logs were removed.
fn games_without_logs(
    directory: &Path,
    outlets: impl Iterator<Item = String>,
    known: &BTreeSet<(String, u32)>,
) -> io::Result<Option<String>> {
    let mut gone = BTreeSet::new();
    for outlet in outlets {
        let order = RealDisk.reader(&directory.join("log").join(order_file(&outlet)), 0);
        let Some(order) = disk::if_found(order)? else { continue };
        let order = EventOrder::read(&outlet, order, Box::new(io::empty()), &Witnesses::default())?;
        let Some(mut order) = order else { continue };
        while let Some(event) = order.next_event()? {
            // An event of a tournament belongs to no game.
            gone.extend(Some((event.board, event.game)).filter(|game| !game.0.is_empty() && !known.contains(game)));
        }
    }
    let gone = gone.len();
    let games = if gone == 1 { "game" } else { "games" };
    let text =
        format!("log: there are no logs any more of {gone} {games}; what was made of them stays, and is not made anew");
    Ok((gone > 0).then_some(text))
}

struct Rebuilder<'a> {
    target: &'a Path,
    /// Folders of the outlets, from the target on.
    outlet_folders: Vec<PathBuf>,
    messages: &'a mut Vec<String>,
}

impl Rebuilder<'_> {
    /// Moves files aside that the check reports as wrong.
    fn move_wrong_files_aside(&mut self, directory: &Path) -> io::Result<()> {
        let report = fsck::check(directory)?;
        let is_wrong = |finding: &&FsckFinding| match finding.kind {
            // A recovered file is needed only while the file that it replaces is there.
            FindingKind::SupersededLiveFile => true,
            kind => kind.is_output() && finding.severity == Severity::Error,
        };
        let wrong: BTreeSet<&PathBuf> = report.findings.iter().filter(is_wrong).map(|finding| &finding.file).collect();
        for path in wrong {
            if self.target.join(path).is_file() {
                self.move_aside(path)?;
            }
        }
        for folder in [vec!["live".into()], self.outlet_folders.clone()].concat() {
            for path in names(self.target, &folder)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if name.contains(".recovered-") && !name.contains(".aside-") {
                    self.move_aside(&path)?;
                }
            }
        }
        Ok(())
    }

    fn move_aside(&mut self, path: &Path) -> io::Result<()> {
        let aside = disk::move_aside(&RealDisk, &self.target.join(path))?;
        self.messages.push(format!("{}: it is not what the logs say; put aside as {aside}", path.display()));
        Ok(())
    }

    fn copy_of_log(&mut self, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory.join("log"))? {
            let name = entry?.file_name();
            let text = name.to_string_lossy();
            if text == TOURNAMENT_FILE || text.ends_with(".order") || text.ends_with(".plan") {
                let bytes = RealDisk.read(&directory.join("log").join(&name))?;
                disk::replace(&RealDisk, &self.target.join("log").join(&name), &bytes, Durability::Safe)?;
            }
        }
        Ok(())
    }

    /// Writes or completes the live file of a game.
    fn write_live_file(&mut self, path: &Path, game: &PlayedGame) -> io::Result<()> {
        let (own, whole) = (self.target.join(path), game.file.bytes());
        let Some(found) = disk::if_found(RealDisk.read(&own))? else {
            disk::replace(&RealDisk, &own, &whole, Durability::Safe)?;
            self.messages.push(format!("{}: written", path.display()));
            return Ok(());
        };
        if found == whole {
            return Ok(());
        }
        let appended = game.file.body_bytes();
        let (rest, has_result) = if let Some(rest) = whole.strip_prefix(found.as_slice()) {
            (rest, true)
        } else if let Some(rest) = appended.strip_prefix(found.as_slice()) {
            (rest, false)
        } else {
            self.move_aside(path)?;
            return self.write_live_file(path, game);
        };
        let mut file = OpenOptions::new().append(true).open(&own)?;
        file.write_all(rest)?;
        file.sync_data()?;
        if !has_result {
            // Only the Result tag differs; the file has its final length.
            std::os::unix::fs::FileExt::write_all_at(&OpenOptions::new().write(true).open(&own)?, &whole, 0)?;
            file.sync_data()?;
        }
        self.messages.push(format!("{}: completed with {} bytes", path.display(), rest.len()));
        Ok(())
    }
}

/// Returns the files in a part of a folder, by their path from the folder.
fn names(directory: &Path, part: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory.join(part))? {
        let entry = entry?;
        let path = part.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            names.extend(self::names(directory, &path)?);
        } else {
            names.insert(path);
        }
    }
    Ok(names)
}
