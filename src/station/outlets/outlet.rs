//! The files of an outlet on the disk: written when they differ from what stands there.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use tracing::{info, warn};

use super::boards::RoundBoards;
use super::events_file::{EVENTS_FILE, EventsFile, MAX_BATCH, order_file};
use super::hidden_names;
use super::plan::PlannedOutlet;
use super::rounds;
use super::streams::{EventStreams, PendingEvents};
use crate::engine::broadcast::events::GameEvent;
use crate::engine::broadcast::snapshot::{BoardSelection, Snapshot, SnapshotEntry};
use crate::engine::broadcast::{Board, Delay, GameRecord, HiddenNames, VisibleGame, WallTime, archive, documents};
use crate::engine::tournament::Tournament;
use crate::station::config::OutletConfig;
use crate::station::disk::{self, Disk, Durability, FileStamp, ManagedDir};
use crate::station::file_problems::ProblemReport;

/// The file with all boards.
const GAMES_FILE: &str = "games.pdn";
/// The file with those that have a move.
const STARTED_FILE: &str = "started.pdn";
/// What is known of a tournament, and its standings.
pub const DOCUMENT_FILES: [&str; 2] = ["tournament.json", "standings.json"];
/// The folder of the rounds, in that of the outlet.
const ROUNDS_FOLDER: &str = "round";
/// What is in the name of a file that was put aside.
const ASIDE_SUFFIX: &str = ".aside-";
/// The folder of the games that are over, in that of the outlet.
const ARCHIVE_FOLDER: &str = "archive";

/// The files of an outlet.
pub struct Outlet {
    disk: Box<dyn Disk>,
    /// What they are made by.
    plan: PlannedOutlet,
    durability: Durability,
    /// Who may read it; `None`: whom its folder lets.
    group: Option<String>,
    /// `archive/`, and the folder that it is in.
    folders: [ManagedDir; 2],
    log: PathBuf,
    snapshots: [SnapshotFile; 2],
    /// The files of rounds, by their number.
    rounds: BTreeMap<u32, RoundFiles>,
    /// The tournament as it may be seen, after so many records.
    tournament: (usize, Tournament),
    /// After how many records its documents were made.
    documents_version: usize,
    events: EventsFile,
    /// The names that nobody is told any more.
    hidden_names: HiddenNames,
    /// No file that was put aside has one of them.
    names_deleted: bool,
    /// The games in the archive, each with what it has there.
    archived: BTreeMap<(String, u32), ArchivedState>,
    /// How the files that are written as a whole were left, by their path in the outlet.
    stamps: BTreeMap<PathBuf, FileStamp>,
    /// Those of them that somebody has done something to since.
    modified: BTreeSet<PathBuf>,
    /// The boards that are shown to their last sure move only.
    truncated_boards: Vec<String>,
    /// The fault of the disk that the operator was told of.
    fault: Option<String>,
    /// What was found wrong since it was asked for last, and mended.
    repaired: Vec<ProblemReport>,
    was_written: bool,
}

/// The files of a round.
struct RoundFiles {
    /// `round/N`, and the folder that it is in.
    folders: [ManagedDir; 2],
    snapshots: [SnapshotFile; 2],
    /// What they were made of last.
    fingerprint: Option<Vec<EntryFingerprint>>,
}

/// As much of a place as can change: how much of the game may be seen.
type EntryFingerprint = (Option<(String, u32, usize, bool, bool, usize)>, Option<String>);

/// A file that is replaced as a whole.
#[derive(Default)]
struct SnapshotFile {
    name: PathBuf,
    which: BoardSelection,
    text: Option<String>,
    /// What was last found wrong with it.
    problem: Option<String>,
}

impl Outlet {
    /// An outlet of a station's directory, made durable in this way.
    pub fn new(disk: Box<dyn Disk>, directory: &Path, plan: PlannedOutlet, durability: Durability) -> Outlet {
        let (log, folder) = (directory.join("log"), directory.join(&plan.directory));
        let events = EventsFile::new(&plan.name, &folder, &log);
        Outlet {
            disk,
            plan,
            durability,
            group: None,
            folders: [folder.join(ARCHIVE_FOLDER), folder].map(ManagedDir::new),
            log,
            snapshots: snapshots(Path::new("")),
            rounds: BTreeMap::new(),
            tournament: (0, Tournament::default()),
            documents_version: 0,
            events,
            hidden_names: HiddenNames::default(),
            names_deleted: false,
            archived: BTreeMap::new(),
            stamps: BTreeMap::new(),
            modified: BTreeSet::new(),
            truncated_boards: Vec::new(),
            fault: None,
            repaired: Vec::new(),
            was_written: false,
        }
    }

    /// As the configuration of a station says.
    pub fn from_config(disk: Box<dyn Disk>, directory: &Path, config: &OutletConfig) -> Outlet {
        let mut outlet = Outlet::new(disk, directory, PlannedOutlet::new(config), config.durability);
        outlet.configure(config);
        outlet
    }

    /// From now on files are written so. Its name and its folder stay.
    pub fn configure(&mut self, config: &OutletConfig) {
        (self.plan, self.durability) = (PlannedOutlet::new(config), config.durability);
        self.group.clone_from(&config.group);
        let rounds = self.rounds.values_mut().flat_map(|round| &mut round.folders);
        self.folders.iter_mut().chain(rounds).for_each(|folder| folder.set_group(config.group.as_deref()));
    }

    /// What its files are made by.
    pub fn plan(&self) -> &PlannedOutlet {
        &self.plan
    }

    /// Does the archive of it lack this game, or may it not be shown in full yet?
    pub fn is_behind(&self, board: &str, game: u32) -> bool {
        self.plan.has_delay() || !self.folders[1].path().join(archive_file(board, game)).exists()
    }

    /// Writes what may be seen of the boards. Returns whether the disk took it; if not, the operator has been told.
    pub fn write(&mut self, seating: &mut RoundBoards, now: WallTime) -> bool {
        match self.try_to_write(seating, now) {
            Ok(()) => {
                if self.fault.take().is_some() {
                    info!("{}: the files of this outlet are written again", self.shown());
                }
                true
            }
            Err(error) => {
                let fault = format!("{error}; it is tried again");
                if self.fault.as_ref() != Some(&fault) {
                    warn!("{}: the files of this outlet cannot be written: {fault}", self.shown());
                    self.fault = Some(fault);
                }
                false
            }
        }
    }

    /// Writes what may be seen of the boards: all of it, whatever is wrong with one file.
    ///
    /// # Errors
    ///
    /// As the disk says of the first of them, with its name; what is missing follows the next time.
    pub fn try_to_write(&mut self, seating: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        self.ensure_folders()?;
        if !self.was_written {
            self.remove_partial_files()?;
            self.was_written = true;
        }
        // What is made of a plan must not outlive it.
        seating.plans.save(self.disk.as_ref(), &self.log).map_err(with_file_name("log/round-K.plan"))?;
        seating.generations.save(self.disk.as_ref(), &self.log).map_err(with_file_name("log/generations"))?;
        let events = self.append_events(seating, now).map_err(with_file_name(EVENTS_FILE));
        let swept = self.delete_hidden_names();
        let archive = self.archive(seating, now);
        let snapshots = self.write_snapshots(seating, now);
        let rounds = self.write_rounds(seating, now);
        self.modified.clear();
        events.and(swept).and(archive).and(snapshots).and(rounds)
    }

    fn write_snapshots(&mut self, seating: &RoundBoards, now: WallTime) -> io::Result<()> {
        let seen = seating.history().visible_records(self.plan.delay, now);
        if seen != self.tournament.0 {
            self.tournament = (seen, seating.history().tournament(seen));
        }
        let mut done = self.write_documents();
        for index in [0, 1] {
            let places = rounds::current_entries(seating, &self.tournament.1, self.plan.delay, now);
            let mut file = std::mem::take(&mut self.snapshots[index]);
            let replaced = self.replace(&mut file, &places).map_err(with_file_name(&file.name.to_string_lossy()));
            self.snapshots[index] = file;
            done = done.and(replaced);
        }
        done
    }

    /// What is known of the tournament, for programs and pages.
    fn write_documents(&mut self) -> io::Result<()> {
        let (seen, tournament) = &self.tournament;
        let is_touched = DOCUMENT_FILES.iter().any(|name| self.modified.contains(Path::new(name)));
        if *seen == 0 || self.documents_version == *seen && !is_touched {
            return Ok(());
        }
        let (seen, texts) =
            (*seen, [documents::tournament_document(tournament), documents::standings_document(tournament)]);
        for (name, text) in DOCUMENT_FILES.into_iter().zip(texts) {
            self.write_if_changed(Path::new(name), &text, |_| false).map_err(with_file_name(name))?;
        }
        self.documents_version = seen;
        Ok(())
    }

    /// Each round has its files for ever: an address never changes its round under its reader.
    fn write_rounds(&mut self, seating: &RoundBoards, now: WallTime) -> io::Result<()> {
        let shown = rounds::rounds(&self.tournament.1);
        if shown.is_empty() {
            return Ok(());
        }
        let games = rounds::games_of_pairings(seating, &self.tournament.1);
        let mut done = Ok(());
        for number in shown {
            let mut files = self.rounds.remove(&number).unwrap_or_else(|| self.files_of_round(number));
            done = done.and(self.write_round(&mut files, seating, &games, number, now));
            self.rounds.insert(number, files);
        }
        done
    }

    fn files_of_round(&self, number: u32) -> RoundFiles {
        let folder = Path::new(ROUNDS_FOLDER).join(number.to_string());
        let mut folders = [folder.clone(), PathBuf::from(ROUNDS_FOLDER)]
            .map(|part| ManagedDir::new(self.folders[1].path().join(part)));
        folders.iter_mut().for_each(|folder| folder.set_group(self.group.as_deref()));
        RoundFiles { folders, snapshots: snapshots(&folder), fingerprint: None }
    }

    fn write_round(
        &mut self,
        files: &mut RoundFiles,
        seating: &RoundBoards,
        games: &BTreeMap<String, Vec<(&Board, &GameRecord)>>,
        number: u32,
        now: WallTime,
    ) -> io::Result<()> {
        let delay = self.plan.delay;
        let places = rounds::round_entries(seating, games, &self.tournament.1, number, (delay, now));
        let shape: Vec<EntryFingerprint> = places.iter().map(entry_fingerprint).collect();
        let is_touched = files.snapshots.iter().any(|file| self.modified.contains(&file.name));
        if files.fingerprint.as_ref() == Some(&shape) && !is_touched {
            return Ok(());
        }
        files.folders.iter_mut().rev().try_for_each(|folder| folder.ensure().map(drop))?;
        for file in &mut files.snapshots {
            self.replace(file, &places).map_err(with_file_name(&file.name.to_string_lossy()))?;
        }
        files.fingerprint = Some(shape);
        Ok(())
    }

    /// Looks whether everything is still as it was left. What is not is written anew by the next [`Outlet::write`]; returns
    /// whether there is something.
    pub fn verify(&mut self) -> bool {
        if !self.was_written {
            return false;
        }
        // Should one not be to be made, the next write says so.
        let mut is_lost = self.folders.iter().any(|folder| !folder.path().is_dir());
        if let Some(path) = self.events.verify() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = if name == EVENTS_FILE { self.display_path(EVENTS_FILE) } else { format!("log/{name}") };
            self.report_repair(
                file,
                "it was taken away, cut or replaced by somebody, and is written again from the logs",
            );
            is_lost = true;
        }
        let directory = self.folders[1].path();
        let touched = self.stamps.iter().filter(|(path, left)| disk::stamp(&directory.join(path)) != Some(**left));
        self.modified = touched.map(|(path, _)| path.clone()).collect();
        let touched = &self.modified;
        self.archived.retain(|(board, game), _| !touched.contains(&archive_file(board, *game)));
        is_lost || !self.modified.is_empty()
    }

    /// What is the matter with the files now, and what was and is mended.
    pub fn findings(&mut self) -> Vec<ProblemReport> {
        let mut found = std::mem::take(&mut self.repaired);
        found.extend(self.was_written.then(|| unwritable_files(&self.log, &order_file(&self.plan.name))).flatten());
        let mut add = |board: Option<&str>, file: &str, what: String| {
            found.push(ProblemReport { board: board.map(str::to_owned), file: self.display_path(file), message: what });
        };
        if let Some(why) = self.folders.iter().rev().find_map(ManagedDir::unread) {
            add(None, "", format!("its readers cannot read it: {why}"));
        }
        if let Some(fault) = &self.fault {
            add(None, "", fault.clone());
        } else if self.was_written {
            // What is not to be written now is told before there is something to write.
            let directory = self.folders[1].path();
            for name in ["", ARCHIVE_FOLDER, EVENTS_FILE] {
                if let Err(error) = disk::may_write(&directory.join(name)) {
                    add(None, name, format!("it cannot be written: {error}; `damcast doctor` says what to do"));
                }
            }
        }
        for file in self.snapshots.iter().chain(self.rounds.values().flat_map(|round| &round.snapshots)) {
            if let Some(flaw) = &file.problem {
                add(
                    None,
                    &file.name.to_string_lossy(),
                    format!("it stands still, for its readers would stumble at {flaw}"),
                );
            }
        }
        let profile = self.plan.profile;
        for board in &self.truncated_boards {
            let what = format!(
                "this game stands still: a setup follows, which readers of the profile {profile} cannot take; live/ has \
                 all of it, and the next game is shown again"
            );
            add(Some(board), "games.pdn", what);
        }
        found
    }

    fn report_repair(&mut self, file: String, what: &str) {
        warn!("{file}: {what}");
        self.repaired.push(ProblemReport { board: None, file, message: what.to_owned() });
    }

    /// A file of it, or its folder, as operators know it.
    fn display_path(&self, file: &str) -> String {
        let shown = self.shown();
        if file.is_empty() { shown } else { format!("{shown}/{file}") }
    }

    fn shown(&self) -> String {
        self.plan.directory.display().to_string()
    }

    fn ensure_folders(&mut self) -> io::Result<()> {
        // The outer one first.
        for index in [1, 0] {
            let name = self.display_path(if index == 1 { "" } else { ARCHIVE_FOLDER });
            let folder = &mut self.folders[index];
            if folder.ensure().map_err(with_file_name(&name))? {
                self.report_repair(name, "the folder was taken away by somebody, and is made again");
            }
        }
        Ok(())
    }

    /// A station that was killed may have left the new text of a file that it was about to replace.
    fn remove_partial_files(&self) -> io::Result<()> {
        for folder in self.all_folders()? {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.ends_with(".new")) {
                self.disk.remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Files that were put aside in this folder have the names of their time: those that nobody is told any more are removed with them.
    fn delete_hidden_names(&mut self) -> io::Result<()> {
        if self.names_deleted || self.hidden_names.names_removed().next().is_none() {
            return Ok(());
        }
        for folder in self.all_folders()? {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.contains(ASIDE_SUFFIX)) {
                let path = folder.join(&name);
                if hidden_names::file_contains_name(&self.hidden_names, self.disk.reader(&path, 0)?)? {
                    self.disk.remove(&path)?;
                    warn!("{} had a name that nobody is told any more, and is removed", path.display());
                }
            }
        }
        self.names_deleted = true;
        Ok(())
    }

    /// Its folder, that of the archive, and those of rounds.
    fn all_folders(&self) -> io::Result<Vec<PathBuf>> {
        let rounds = self.folders[1].path().join(ROUNDS_FOLDER);
        let numbers = match self.disk.list(&rounds) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            names => names?,
        };
        let numbers = numbers.into_iter().filter(|name| name.parse::<u32>().is_ok());
        Ok(self
            .folders
            .iter()
            .map(|folder| folder.path().to_owned())
            .chain(numbers.map(|name| rounds.join(name)))
            .collect())
    }

    /// Somebody wishes not to be named, or is to be named again: what was told is told anew, under another generation.
    fn restart_events(&mut self, seating: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        let since = seating.history().names_version(self.plan.delay, now);
        if seating.generations.names(&self.plan.name) < since {
            seating.generations.restart_with_names(self.disk.as_ref(), &self.log, &self.plan.name, since)?;
            info!("{}: the events begin anew under another generation, with other names", self.shown());
            self.events.close();
            self.names_deleted = false;
        }
        let names = seating.generations.names(&self.plan.name);
        self.hidden_names.clone_from(&seating.history().events_for_version(names).hidden_names);
        Ok(())
    }

    fn append_events(&mut self, seating: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        self.restart_events(seating, now)?;
        if !self.events.is_open() {
            let disk = self.disk.as_ref();
            let adopted = self.events.learn_origins(disk, &mut seating.generations)?;
            seating.generations.save(disk, &self.log)?;
            let origins = seating.generations.origins_of(&self.plan.name);
            let course = seating.history();
            if self.events.is_incomplete(disk, &mut EventStreams::new(seating.boards(), course, origins.clone()))? {
                super::add_earlier_games(seating, &self.log);
            }
            let (boards, course, generations) = seating.boards_and_generations();
            let notices = self.events.open(disk, &mut EventStreams::new(boards, course, origins), generations)?;
            adopted.into_iter().chain(notices).for_each(|notice| warn!("{notice}"));
        }
        let boards: Vec<&Board> = seating.boards().collect();
        let delay = self.plan.delay;
        let told = (seating.history(), seating.generations.names(&self.plan.name));
        let mut new = PendingEvents::new(&boards, told, delay, now, |stream| self.events.written(stream));
        loop {
            let some: Vec<GameEvent> = new.by_ref().take(MAX_BATCH).collect();
            self.events.write(&some, self.durability)?;
            if some.len() < MAX_BATCH {
                return Ok(());
            }
        }
    }

    fn archive(&mut self, seating: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        let is_archived = |path: &PathBuf| path.starts_with(ARCHIVE_FOLDER);
        if self.modified.iter().any(is_archived) {
            super::add_earlier_games(seating, &self.log);
        }
        let there = self.archived.clone();
        for ArchivedGame { path, text, prior_texts: earlier, game, state } in
            archived_games(seating, self.plan.delay, now, &there)
        {
            let was = |found: &[u8]| earlier.iter().any(|text| text.as_bytes() == found);
            self.write_if_changed(&path, &text, was).map_err(with_file_name(&path.to_string_lossy()))?;
            self.archived.insert(game, state);
        }
        Ok(())
    }

    /// Writes a file as a whole, unless it says this already. One that somebody has changed is kept beside it. `was`: did it say that
    /// before?
    fn write_if_changed(&mut self, name: &Path, text: &str, was: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        let path = self.folders[1].path().join(name);
        let is_it = |found: &Option<Vec<u8>>| found.as_deref() == Some(text.as_bytes());
        let (mut stamp, mut found) = (disk::stamp(&path), self.disk.read(&path).ok());
        if !is_it(&found) {
            // Looked at or not: what stands there is not what was left.
            let is_other = self.stamps.get(name).is_some_and(|left| disk::stamp(&path) != Some(*left));
            let is_touched = self.modified.remove(name) || is_other;
            // At a start: a game that was over stays as it was published, whatever its logs say now; only its result may be new.
            let is_known = self.stamps.contains_key(name)
                || found.as_deref() == Some(archive::before_result(text).as_bytes())
                || found.as_deref().is_some_and(was);
            let aside = match found {
                Some(found) if hidden_names::file_contains_name(&self.hidden_names, found.as_slice())? => None,
                Some(_) if name.starts_with(ARCHIVE_FOLDER) && (is_touched || !is_known) => {
                    disk::move_aside(self.disk.as_ref(), &path).map(Some).or_else(|error| match error.kind() {
                        io::ErrorKind::NotFound => Ok(None),
                        _ => Err(error),
                    })?
                }
                _ => None,
            };
            disk::replace(self.disk.as_ref(), &path, text.as_bytes(), self.durability)?;
            let kept = aside.as_ref().map(|aside| format!(" (it is kept as {aside})")).unwrap_or_default();
            let file = self.display_path(&name.display().to_string());
            if is_touched {
                let what = format!("it was taken away or changed by somebody{kept}, and is written again");
                self.report_repair(file, &what);
            } else if aside.is_some() {
                self.report_repair(file, &format!("it is not what the logs say{kept}, and is written again"));
            }
            (stamp, found) = (disk::stamp(&path), self.disk.read(&path).ok());
        }
        // Who does something to it in this moment is not to be missed.
        let Some(stamp) = stamp.filter(|_| is_it(&found)) else {
            self.stamps.remove(name);
            return Err(io::Error::new(io::ErrorKind::NotFound, "somebody took it away while it was written"));
        };
        self.stamps.insert(name.to_owned(), stamp);
        Ok(())
    }

    fn replace(&mut self, file: &mut SnapshotFile, places: &[SnapshotEntry]) -> io::Result<()> {
        let (shown, profile) = (self.shown(), self.plan.profile);
        let snapshot = Snapshot::from_entries(places, file.which, profile);
        if file.name == Path::new(GAMES_FILE) && snapshot.truncated_boards != self.truncated_boards {
            for board in snapshot.truncated_boards.iter().filter(|board| !self.truncated_boards.contains(board)) {
                warn!(
                    line = board,
                    "{shown} shows this game up to its last sure move, or not at all if it began with Black to \
                     move: readers of the profile {profile} cannot take the rest; live/ has all of it"
                );
            }
            self.truncated_boards.clone_from(&snapshot.truncated_boards);
        }
        let is_touched = self.modified.contains(&file.name);
        if file.text.as_ref() == Some(&snapshot.text) && !is_touched {
            return Ok(());
        }
        if let Some(flaw) = snapshot.first_problem() {
            let flaw = flaw.to_string();
            if file.problem.as_ref() != Some(&flaw) {
                warn!(
                    "{shown}/{} is not published, the last good one stays; its readers would stumble at {flaw}",
                    file.name.display()
                );
                file.problem = Some(flaw);
            }
        } else {
            file.problem = None;
            file.text = Some(snapshot.text);
        }
        // Until it is written it is not what stands there.
        let Some(text) = file.text.take() else { return Ok(()) };
        self.write_if_changed(&file.name, &text, |_| false)?;
        file.text = Some(text);
        Ok(())
    }
}

/// The two files of all boards in a folder, from that of the outlet on.
fn snapshots(folder: &Path) -> [SnapshotFile; 2] {
    [(GAMES_FILE, BoardSelection::All), (STARTED_FILE, BoardSelection::Started)].map(|(name, which)| SnapshotFile {
        name: folder.join(name),
        which,
        text: None,
        problem: None,
    })
}

fn entry_fingerprint(place: &SnapshotEntry) -> EntryFingerprint {
    let shown = place.visible_game.map(|(game, view)| {
        let has_result = view.result.is_some();
        let corrections = view.corrections.len();
        (place.board.name.clone(), game.number(), view.entries.len(), view.is_closed, has_result, corrections)
    });
    let tags = || place.board.tags.iter().map(|(name, value)| format!("{name}={value};")).collect::<String>();
    let before = shown.is_none().then(|| format!("{}{:?}", tags(), place.result));
    (shown, before)
}

/// Says which file it is that the disk does not take.
fn with_file_name(name: &str) -> impl Fn(io::Error) -> io::Error + use<'_> {
    move |error| io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// A file of the logs' folder that may not be written any more.
pub(super) fn unwritable_files(log: &Path, name: &str) -> Option<ProblemReport> {
    let error = disk::may_write(&log.join(name)).err()?;
    let what = format!("it cannot be written: {error}; `damcast doctor` says what to do");
    Some(ProblemReport { board: None, file: format!("log/{name}"), message: what })
}

/// The file of a game in the archive, by its path in the outlet.
fn archive_file(board: &str, game: u32) -> PathBuf {
    Path::new(ARCHIVE_FOLDER).join(format!("{board}-{game}.pdn"))
}

/// What the archive has of a game: its result, and how many corrections.
pub type ArchivedState = (Option<String>, usize);

/// A file of the archive.
pub struct ArchivedGame {
    /// Its path in the outlet.
    pub path: PathBuf,
    /// What stands in it.
    pub text: String,
    /// What stood in it before something was corrected.
    pub prior_texts: Vec<String>,
    /// Its game: board and number.
    pub game: (String, u32),
    /// What it has.
    pub state: ArchivedState,
}

/// The files of the archive that may be seen, but for those that are there already.
pub fn archived_games<'s>(
    seating: &'s RoundBoards,
    delay: Delay,
    now: WallTime,
    there: &'s BTreeMap<(String, u32), ArchivedState>,
) -> impl Iterator<Item = ArchivedGame> + 's {
    seating.games().filter_map(move |(board, game)| {
        let view = delay.view(game, now);
        let closed = game.closed_at().filter(|_| view.is_closed)?;
        let key = (board.name.clone(), game.number());
        let state = (view.result.map(str::to_owned), view.corrections.len());
        // Of a result that may not be seen yet the archive says nothing either: it waits for it.
        if there.get(&key) == Some(&state) || view.result != game.result().map(|(_, result)| result) {
            return None;
        }
        // One that was ended by mistake and went on is archived with what followed.
        let is_kept = |later: &GameRecord| {
            let view = delay.view(later, now);
            view.is_closed && view.result == later.result().map(|(_, result)| result)
        };
        if board.next_part(game).is_some_and(is_kept) {
            return None;
        }
        let parts = board.game_parts(game);
        let first = parts.first().map_or(game.number(), |first| first.number());
        let planned = seating.board_at(board, closed);
        let texts = |part: &GameRecord| -> Vec<String> {
            let view = delay.view(part, now);
            let of = |count: usize| VisibleGame { corrections: &view.corrections[..count], ..view };
            (0..=view.corrections.len()).map(|count| archive::archive_text(&planned, part, of(count))).collect()
        };
        let mut earlier: Vec<String> = parts.into_iter().flat_map(texts).collect();
        let text = earlier.pop()?;
        Some(ArchivedGame { path: archive_file(&board.name, first), text, prior_texts: earlier, game: key, state })
    })
}
