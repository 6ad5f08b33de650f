//! The files of an outlet on the disk, written when they differ from their expected text.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use damcast_engine::broadcast::events::{GameEvent, Generation};
use damcast_engine::broadcast::snapshot::Snapshot;
use damcast_engine::broadcast::{Board, Delay, HiddenNames, StoredGame, VisibleGame, WallTime, archive};
use draughts_pdn::Problem;
use tracing::{info, warn};

use super::boards::RoundBoards;
use super::events_file::{EVENTS_FILE, EventsFile, MAX_BATCH};
use super::files::{self, EntryTexts, Fingerprint, GAMES_FILE, PARTS_FOLDER, PublicFile, ROUNDS_FOLDER};
use super::order::order_file;
use super::plan::PlannedOutlet;
use super::rounds::VisibleTournament;
use super::streams::{EventStreams, PendingEvents};
use crate::config::OutletConfig;
use crate::disk::{self, Disk, Durability, FileStamp, ManagedDir};
use crate::file_problems::ProblemReport;
use crate::journal::witness::Witnesses;

/// Part of the name of a file that was moved aside.
const ASIDE_SUFFIX: &str = ".aside-";
/// Folder of the finished games, in that of the outlet.
const ARCHIVE_FOLDER: &str = "archive";

/// The files of an outlet.
pub struct Outlet {
    disk: Box<dyn Disk>,
    /// Settings that the files depend on.
    plan: PlannedOutlet,
    durability: Durability,
    /// Group that may read the outlet; `None` for the permissions of the folder.
    group: Option<String>,
    /// `archive/`, and the folder that contains it.
    folders: [ManagedDir; 2],
    log: PathBuf,
    /// Files that are replaced as a whole, by their path in the outlet.
    shown: BTreeMap<PathBuf, ShownFile>,
    /// Texts of the boards in the files of each folder, by its path in the outlet.
    texts: BTreeMap<PathBuf, EntryTexts>,
    /// Folders of rounds and of parts, by their path in the outlet.
    numbered: BTreeMap<PathBuf, [ManagedDir; 2]>,
    tournament: Rc<VisibleTournament>,
    events: EventsFile,
    /// Names that must not be published.
    hidden_names: HiddenNames,
    /// Whether all files with hidden names that were moved aside are removed.
    names_deleted: bool,
    /// Archived games, each with the state in its file.
    archived: BTreeMap<(String, u32), ArchivedState>,
    /// Stamps of the files that are written as a whole, by their path in the outlet.
    stamps: BTreeMap<PathBuf, FileStamp>,
    /// Files that another program has changed since they were written.
    modified: BTreeSet<PathBuf>,
    /// Boards that are shown up to their last certain move only.
    truncated_boards: Vec<String>,
    /// Fault of the disk that was reported to the operator.
    fault: Option<String>,
    /// Repaired problems since the last [`Outlet::findings`].
    repaired: Vec<ProblemReport>,
    was_written: bool,
    /// Whether the events have all that may be visible.
    has_all_events: bool,
    /// Files that are replaced as a whole, after former ones were last removed.
    cleaned: Option<BTreeSet<PathBuf>>,
}

/// State of a file that is replaced as a whole.
#[derive(Default)]
struct ShownFile {
    /// Fingerprint of the text that was written last.
    fingerprint: Option<Fingerprint>,
    /// Last text without a problem.
    text: Option<String>,
    /// Problem of the current text for its readers.
    problem: Option<String>,
}

impl Outlet {
    /// Returns an outlet in a station's directory, with this durability.
    pub fn new(
        disk: Box<dyn Disk>,
        directory: &Path,
        plan: PlannedOutlet,
        (durability, witnesses): (Durability, Witnesses),
    ) -> Outlet {
        let (log, folder) = (directory.join("log"), directory.join(&plan.directory));
        let events = EventsFile::new(&plan.name, &folder, &log, witnesses);
        Outlet {
            disk,
            plan,
            durability,
            group: None,
            folders: [folder.join(ARCHIVE_FOLDER), folder].map(ManagedDir::new),
            log,
            shown: BTreeMap::new(),
            texts: BTreeMap::new(),
            numbered: BTreeMap::new(),
            tournament: Rc::default(),
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
            has_all_events: false,
            cleaned: None,
        }
    }

    /// Returns an outlet of a station's configuration.
    pub fn from_config(disk: Box<dyn Disk>, directory: &Path, config: &OutletConfig, witnesses: Witnesses) -> Outlet {
        let mut outlet = Outlet::new(disk, directory, PlannedOutlet::new(config), (config.durability, witnesses));
        outlet.configure(config);
        outlet
    }

    /// Applies settings. The name and the folder stay.
    pub fn configure(&mut self, config: &OutletConfig) {
        (self.plan, self.durability) = (PlannedOutlet::new(config), config.durability);
        self.group.clone_from(&config.group);
        let numbered = self.numbered.values_mut().flatten();
        self.folders.iter_mut().chain(numbered).for_each(|folder| folder.set_group(config.group.as_deref()));
    }

    /// Returns the settings that the files depend on.
    pub fn plan(&self) -> &PlannedOutlet {
        &self.plan
    }

    /// Whether the archive lacks this game, or the game may not be fully visible yet.
    pub fn is_behind(&self, board: &str, game: u32) -> bool {
        self.plan.has_delay() || !self.folders[1].path().join(archive_file(board, game)).exists()
    }

    /// Writes everything that may be visible of the boards. Returns whether the disk accepted it; a failure is reported to the operator.
    pub fn write(&mut self, round_boards: &mut RoundBoards, now: WallTime) -> bool {
        match self.try_to_write(round_boards, now) {
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

    /// Writes everything that may be visible of the boards, even if one file fails.
    ///
    /// # Errors
    ///
    /// Returns the first I/O error, with the name of its file; missing parts follow with the next call.
    pub fn try_to_write(&mut self, round_boards: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        self.has_all_events = false;
        self.ensure_folders()?;
        if !self.was_written {
            self.remove_partial_files()?;
            self.was_written = true;
        }
        // Files depend on the plan, so it is made durable first.
        round_boards.plans.save(self.disk.as_ref(), &self.log).map_err(with_file_name("log/round-K.plan"))?;
        let events = self.append_events(round_boards, now).map_err(with_file_name(EVENTS_FILE));
        self.has_all_events = events.is_ok();
        // An order without its end stops all files.
        if events.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::InvalidData) {
            return events;
        }
        let swept = self.delete_hidden_names();
        let archive = self.archive(round_boards, now);
        let shown = self.write_snapshots(round_boards, now);
        self.modified.clear();
        events.and(swept).and(archive).and(shown)
    }

    /// Writes the files that are replaced as a whole, even if one of them fails.
    fn write_snapshots(&mut self, round_boards: &RoundBoards, now: WallTime) -> io::Result<()> {
        let visible = round_boards.history().visible_records(self.plan.delay, now);
        if visible != self.tournament.records {
            self.tournament = Rc::new(VisibleTournament::new(round_boards.history(), visible));
        }
        let mut done = Ok(());
        let files = files::files_of(round_boards, &self.plan, &self.tournament, now)?;
        let (mut shown, mut texts) = (std::mem::take(&mut self.shown), std::mem::take(&mut self.texts));
        for file in files {
            let mut state = shown.remove(&file.path).unwrap_or_default();
            let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
            let mut of_folder = texts.remove(&folder).unwrap_or_default();
            let written = self.show_file(&file, &mut state, &mut of_folder);
            done = done.and(written.map_err(with_file_name(&file.path.to_string_lossy())));
            texts.insert(folder, of_folder);
            self.shown.insert(file.path, state);
        }
        texts.retain(|folder, _| self.shown.contains_key(&folder.join(GAMES_FILE)));
        self.texts = texts;
        done.and(self.remove_former_files(round_boards.history().once_public_rounds()))
    }

    fn show_file(&mut self, file: &PublicFile, state: &mut ShownFile, texts: &mut EntryTexts) -> io::Result<()> {
        let (path, fingerprint) = (&file.path, file.fingerprint());
        if state.fingerprint.as_ref() == Some(&fingerprint) && !self.modified.contains(path) {
            texts.count_unchanged();
            return Ok(());
        }
        // Until the text is written the file has other content.
        state.fingerprint = None;
        self.hold_folder_of(path)?;
        match file.checked_snapshot(texts)? {
            Some((snapshot, problem)) => self.look_at(path, snapshot, problem, state),
            None => state.text = Some(file.text()?),
        }
        if let Some(text) = &state.text {
            self.write_if_changed(path, text, |_| false)?;
        }
        state.fingerprint = Some(fingerprint);
        Ok(())
    }

    /// Creates the folder of a round or a part if the file is in one.
    fn hold_folder_of(&mut self, path: &Path) -> io::Result<()> {
        let folder = path.parent().and_then(|folder| Some((folder, folder.parent()?)));
        let Some((folder, above)) = folder else { return Ok(()) };
        let (outlet, group) = (self.folders[1].path(), self.group.as_deref());
        let folders = self.numbered.entry(folder.to_owned()).or_insert_with(|| {
            let mut folders = [folder, above].map(|part| ManagedDir::new(outlet.join(part)));
            folders.iter_mut().for_each(|folder| folder.set_group(group));
            folders
        });
        folders.iter_mut().rev().try_for_each(|folder| folder.ensure().map(drop))
    }

    /// Stores the text of a snapshot. If its readers cannot parse it, the last good text stays.
    fn look_at(&mut self, path: &Path, snapshot: Snapshot, problem: Option<Problem>, state: &mut ShownFile) {
        let (shown, profile) = (self.shown(), self.plan.profile);
        if path == Path::new(GAMES_FILE) && snapshot.truncated_boards != self.truncated_boards {
            for board in snapshot.truncated_boards.iter().filter(|board| !self.truncated_boards.contains(board)) {
                warn!(
                    line = board,
                    "{shown} shows this game up to its last sure move, or not at all if it began with Black to \
                     move: readers of the profile {profile} cannot take the rest; live/ has all of it"
                );
            }
            self.truncated_boards.clone_from(&snapshot.truncated_boards);
        }
        let Some(problem) = problem.map(|problem| problem.to_string()) else {
            (state.problem, state.text) = (None, Some(snapshot.text));
            return;
        };
        if state.problem.as_ref() != Some(&problem) {
            warn!(
                "{shown}/{} is not published, and the last readable version stays: its readers cannot read {problem}",
                path.display()
            );
            state.problem = Some(problem);
        }
    }

    /// Checks that all files are as they were written. The next [`Outlet::write`] repairs the others; returns whether there are any.
    pub fn verify(&mut self) -> bool {
        if !self.was_written {
            return false;
        }
        // If a folder cannot be made, the next write reports it.
        let mut is_lost = self.folders.iter().any(|folder| !folder.path().is_dir());
        if let Some(path) = self.events.verify(self.disk.as_ref()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = if name == EVENTS_FILE { self.display_path(EVENTS_FILE) } else { format!("log/{name}") };
            self.report_repair(file, "it was removed, cut or replaced; it is written again from the logs");
            is_lost = true;
        }
        let directory = self.folders[1].path();
        let touched = self.stamps.iter().filter(|(path, left)| disk::stamp(&directory.join(path)) != Some(**left));
        self.modified = touched.map(|(path, _)| path.clone()).collect();
        let touched = &self.modified;
        self.archived.retain(|(board, game), _| !touched.contains(&archive_file(board, *game)));
        is_lost || !self.modified.is_empty()
    }

    /// Returns the folder of the outlet if its events have all that may be visible: with a full disk there is no sign of life, because pages
    /// must not call old boards live.
    pub fn current_folder(&self) -> Option<&Path> {
        self.has_all_events.then(|| self.folders[1].path())
    }

    /// Returns the problems of the files, open and repaired.
    pub fn findings(&mut self) -> Vec<ProblemReport> {
        let mut found = std::mem::take(&mut self.repaired);
        found.extend(self.was_written.then(|| unwritable_files(&self.log, &order_file(&self.plan.name))).flatten());
        if let Some(why) = self.folders.iter().rev().find_map(ManagedDir::unread) {
            found.push(ProblemReport::new(self.shown(), format!("its readers cannot read it: {why}")));
        }
        if let Some(fault) = &self.fault {
            found.push(ProblemReport::new(self.shown(), fault.as_str()));
        } else if self.was_written {
            // Report a file that cannot be written even without new content.
            let directory = self.folders[1].path();
            for name in ["", ARCHIVE_FOLDER, EVENTS_FILE] {
                if let Err(error) = disk::may_write(&directory.join(name)) {
                    found.push(ProblemReport::unwritable(self.display_path(name), &error));
                }
            }
        }
        for (path, state) in &self.shown {
            if let Some(problem) = &state.problem {
                let text = format!("it is not updated, because its readers cannot read {problem}");
                found.push(ProblemReport::new(self.display_path(&path.to_string_lossy()), text));
            }
        }
        let profile = self.plan.profile;
        for board in &self.truncated_boards {
            let message = format!(
                "this game is shown up to a setup, which readers of the profile {profile} cannot take: add the missing \
                 moves (`damcast ctl add-moves {board}`), and it goes on; live/ has all of it"
            );
            let file = self.display_path(GAMES_FILE);
            found.push(ProblemReport { board: Some(board.clone()), file, message });
        }
        found
    }

    fn report_repair(&mut self, file: String, what: &str) {
        warn!("{file}: {what}");
        self.repaired.push(ProblemReport::new(file, what));
    }

    /// Returns the path of a file, or of the outlet's folder, as operators know it.
    fn display_path(&self, file: &str) -> String {
        let shown = self.shown();
        if file.is_empty() { shown } else { format!("{shown}/{file}") }
    }

    fn shown(&self) -> String {
        self.plan.directory.display().to_string()
    }

    fn ensure_folders(&mut self) -> io::Result<()> {
        // The outer folder first.
        for index in [1, 0] {
            let name = self.display_path(if index == 1 { "" } else { ARCHIVE_FOLDER });
            let folder = &mut self.folders[index];
            if folder.ensure().map_err(with_file_name(&name))? {
                self.report_repair(name, "the folder was removed; it is created again");
            }
        }
        Ok(())
    }

    /// Removes new texts that a killed station left beside the files it was about to replace.
    fn remove_partial_files(&self) -> io::Result<()> {
        for folder in self.all_folders()? {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.ends_with(".new")) {
                self.disk.remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes files that were moved aside and have hidden names.
    fn delete_hidden_names(&mut self) -> io::Result<()> {
        if self.names_deleted || self.hidden_names.is_empty() {
            return Ok(());
        }
        for folder in self.all_folders()? {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.contains(ASIDE_SUFFIX)) {
                let path = folder.join(&name);
                if self.hidden_names.is_in(self.disk.reader(&path, 0)?)? {
                    self.disk.remove(&path)?;
                    warn!("{} contained a hidden name and was removed", path.display());
                }
            }
        }
        self.names_deleted = true;
        Ok(())
    }

    /// Returns the folder of the outlet, that of the archive, and those of rounds and parts.
    fn all_folders(&self) -> io::Result<Vec<PathBuf>> {
        let mut folders: Vec<PathBuf> = self.folders.iter().map(|folder| folder.path().to_owned()).collect();
        for above in [ROUNDS_FOLDER, PARTS_FOLDER] {
            folders.extend(self.numbers_in(above)?.map(|name| self.folders[1].path().join(above).join(name)));
        }
        Ok(folders)
    }

    /// Returns the names that are numbers in a folder of the outlet.
    fn numbers_in(&self, folder: &str) -> io::Result<impl Iterator<Item = String> + use<>> {
        let names = disk::if_found(self.disk.list(&self.folders[1].path().join(folder)))?.into_iter().flatten();
        Ok(names.filter(|name| name.parse::<u32>().is_ok()))
    }

    /// Removes the files of parts that the outlet no longer has, because it has fewer boards or another profile, and those of rounds whose
    /// opening was undone.
    fn remove_former_files(&mut self, once_public_rounds: &BTreeSet<u32>) -> io::Result<()> {
        if self.cleaned.as_ref().is_some_and(|cleaned| cleaned.iter().eq(self.shown.keys())) {
            return Ok(());
        }
        let rounds = once_public_rounds.iter().map(|round| Path::new(ROUNDS_FOLDER).join(round.to_string()));
        let parts = self.numbers_in(PARTS_FOLDER)?.map(|part| Path::new(PARTS_FOLDER).join(part));
        for folder in rounds.chain(parts).collect::<Vec<_>>() {
            for (name, _) in files::SNAPSHOTS {
                let path = folder.join(name);
                if !self.shown.contains_key(&path) {
                    disk::if_found(self.disk.remove(&self.folders[1].path().join(&path)))?;
                    self.stamps.remove(&path);
                }
            }
        }
        self.cleaned = Some(self.shown.keys().cloned().collect());
        Ok(())
    }

    /// Closes the file of events if its lines need another generation: other names are hidden, or the station has another name.
    fn restart_events(&mut self, round_boards: &RoundBoards, now: WallTime) {
        let since = round_boards.history().names_version(self.plan.delay, now);
        let Some(generation) = self.events.generation() else { return };
        let is_renamed = round_boards.station.as_ref().is_some_and(|station| *station != generation.station);
        if generation.names < since || is_renamed {
            info!("{}: the events begin anew under another generation", self.shown());
            self.events.close();
        }
    }

    /// Hides the names that are hidden in this version of the tournament.
    fn hide_names(&mut self, seating: &RoundBoards, names: u64) {
        let hidden_names = &seating.history().events_for_version(names).hidden_names;
        if *hidden_names != self.hidden_names {
            self.hidden_names.clone_from(hidden_names);
            self.names_deleted = false;
        }
    }

    fn append_events(&mut self, round_boards: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        self.restart_events(round_boards, now);
        let names = round_boards.history().names_version(self.plan.delay, now);
        if !self.events.is_open() {
            self.hide_names(round_boards, names);
            let disk = self.disk.as_ref();
            if self.events.is_incomplete(disk, |generation| streams_of(round_boards, generation))? {
                super::add_earlier_games(round_boards, &self.log);
            }
            let round_boards: &RoundBoards = round_boards;
            let station = round_boards.station.as_deref();
            let notices =
                self.events.open(disk, (station, names), |generation| streams_of(round_boards, generation))?;
            notices.into_iter().for_each(|notice| warn!("{notice}"));
        }
        let Some(generation) = self.events.generation().cloned() else { return Ok(()) };
        self.hide_names(round_boards, generation.names);
        let disk = self.disk.as_ref();
        let boards: Vec<&Board> = round_boards.boards().collect();
        let source = (round_boards.history(), round_boards.plans.board_lists(), &generation);
        let mut new = PendingEvents::new(&boards, source, self.plan.delay, now, |stream| self.events.written(stream))?;
        loop {
            let some = new.by_ref().take(MAX_BATCH).collect::<io::Result<Vec<GameEvent>>>()?;
            self.events.write(disk, &some, self.durability)?;
            if some.len() < MAX_BATCH {
                return Ok(());
            }
        }
    }

    fn archive(&mut self, round_boards: &mut RoundBoards, now: WallTime) -> io::Result<()> {
        let is_archived = |path: &PathBuf| path.starts_with(ARCHIVE_FOLDER);
        if self.modified.iter().any(is_archived) {
            super::add_earlier_games(round_boards, &self.log);
        }
        let there = self.archived.clone();
        for archived in archived_games(round_boards, self.plan.delay, now, &there) {
            let ArchivedGame { path, text, prior_texts: earlier, game, state } = archived?;
            let was = |found: &[u8]| earlier.iter().any(|text| text.as_bytes() == found);
            self.write_if_changed(&path, &text, was).map_err(with_file_name(&path.to_string_lossy()))?;
            self.archived.insert(game, state);
        }
        Ok(())
    }

    /// Writes a file as a whole unless it has this text. A file that another program changed is moved aside. `was`: whether bytes are an
    /// earlier text of the file.
    fn write_if_changed(&mut self, name: &Path, text: &str, was: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        let path = self.folders[1].path().join(name);
        let is_it = |found: &Option<Vec<u8>>| found.as_deref() == Some(text.as_bytes());
        let (mut stamp, mut found) = (disk::stamp(&path), self.disk.read(&path).ok());
        if !is_it(&found) {
            // The stamp differs from the one after the last write.
            let is_other = self.stamps.get(name).is_some_and(|left| disk::stamp(&path) != Some(*left));
            let is_touched = self.modified.remove(name) || is_other;
            // At a start, a finished game stays as it was published, whatever its logs say; only its result may be new.
            let is_known = self.stamps.contains_key(name)
                || found.as_deref() == Some(archive::before_result(text).as_bytes())
                || found.as_deref().is_some_and(was);
            let aside = match found {
                Some(found) if self.hidden_names.is_in(found.as_slice())? => None,
                Some(_) if name.starts_with(ARCHIVE_FOLDER) && (is_touched || !is_known) => {
                    disk::if_found(disk::move_aside(self.disk.as_ref(), &path))?
                }
                _ => None,
            };
            disk::replace(self.disk.as_ref(), &path, text.as_bytes(), self.durability)?;
            let kept = aside.as_ref().map(|aside| format!(" (it is kept as {aside})")).unwrap_or_default();
            let file = self.display_path(&name.display().to_string());
            if is_touched {
                let message = format!("it was removed or changed{kept}; it is written again");
                self.report_repair(file, &message);
            } else if aside.is_some() {
                self.report_repair(file, &format!("it is not what the logs say{kept}, and is written again"));
            }
            (stamp, found) = (disk::stamp(&path), self.disk.read(&path).ok());
        }
        // A change at this very moment must not be missed.
        let Some(stamp) = stamp.filter(|_| is_it(&found)) else {
            self.stamps.remove(name);
            return Err(io::Error::new(io::ErrorKind::NotFound, "it was removed while it was written"));
        };
        self.stamps.insert(name.to_owned(), stamp);
        Ok(())
    }
}

fn streams_of<'s>(seating: &'s RoundBoards, generation: &Generation) -> EventStreams<'s> {
    EventStreams::new(seating.boards(), seating.history(), seating.plans.board_lists(), generation)
}

/// Adds the name of the file to an I/O error.
fn with_file_name(name: &str) -> impl Fn(io::Error) -> io::Error + use<'_> {
    move |error| io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// Returns a report of a file in the logs' folder that is not writable.
pub(super) fn unwritable_files(log: &Path, name: &str) -> Option<ProblemReport> {
    let error = disk::may_write(&log.join(name)).err()?;
    Some(ProblemReport::unwritable(format!("log/{name}"), &error))
}

/// Returns the path in the outlet of a game's archive file.
fn archive_file(board: &str, game: u32) -> PathBuf {
    Path::new(ARCHIVE_FOLDER).join(format!("{board}-{game}.pdn"))
}

/// Archived state of a game: its result, and its number of corrections.
pub type ArchivedState = (Option<String>, usize);

/// A file of the archive.
pub struct ArchivedGame {
    /// Path in the outlet.
    pub path: PathBuf,
    /// Text of the file.
    pub text: String,
    /// Earlier texts of the file, from before corrections.
    pub prior_texts: Vec<String>,
    /// Board and number of the game.
    pub game: (String, u32),
    /// State in the file.
    pub state: ArchivedState,
}

/// Returns the archive files that may be visible and are not written yet; an error if a game that is over cannot be read.
pub fn archived_games<'s>(
    round_boards: &'s RoundBoards,
    delay: Delay,
    now: WallTime,
    there: &'s BTreeMap<(String, u32), ArchivedState>,
) -> impl Iterator<Item = io::Result<ArchivedGame>> + 's {
    let archived = move |(board, game)| archived_game(round_boards, (board, game), (delay, now), there).transpose();
    round_boards.games().filter_map(archived)
}

fn archived_game(
    round_boards: &RoundBoards,
    (board, game): (&Board, &StoredGame),
    (delay, now): (Delay, WallTime),
    there: &BTreeMap<(String, u32), ArchivedState>,
) -> io::Result<Option<ArchivedGame>> {
    let extent = game.visible_extent(delay, now)?;
    let Some(closed) = game.closed_at().filter(|_| extent.is_closed) else { return Ok(None) };
    let key = (board.name.clone(), game.number());
    let state = (game.result().filter(|_| extent.has_result).map(str::to_owned), extent.corrections);
    // The archive waits for a result that may not be visible yet, and leaves out a game without moves and result.
    let is_void = extent.entries == 0 && game.result().is_none();
    if is_void || there.get(&key) == Some(&state) || state.0.as_deref() != game.result() {
        return Ok(None);
    }
    // A game that was ended by mistake and continued is archived with its continuation.
    if let Some(later) = board.next_part(game) {
        let extent = later.visible_extent(delay, now)?;
        if extent.entries > 0 && extent.is_closed && extent.has_result == later.result().is_some() {
            return Ok(None);
        }
    }
    let parts = board.game_parts(game);
    let first = parts.first().map_or(game.number(), |first| first.number());
    let plan = round_boards.board_at(board, closed);
    let mut texts: Vec<String> = Vec::new();
    for part in parts {
        let part = part.load()?;
        let view = delay.view(&part, now);
        let of = |count: usize| VisibleGame { corrections: &view.corrections[..count], ..view };
        texts.extend((0..=view.corrections.len()).map(|count| archive::archive_text(&plan, &part, of(count))));
    }
    let Some(text) = texts.pop() else { return Ok(None) };
    let path = archive_file(&board.name, first);
    Ok(Some(ArchivedGame { path, text, prior_texts: texts, game: key, state }))
}
