//! The files of an outlet on the disk: written when they differ from what stands there.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use tracing::{info, warn};

use super::boards::Seating;
use super::events_file::{BATCH, EVENTS, EventsFile};
use super::order::order_file;
use super::plan::PlannedOutlet;
use super::rounds;
use super::streams::{Streams, Unwritten};
use super::withheld;
use crate::engine::broadcast::events::{GameEvent, Generation};
use crate::engine::broadcast::snapshot::{Boards, Snapshot, SnapshotPlace};
use crate::engine::broadcast::{Board, Delay, GameRecord, Moment, View, Withheld, archive, documents};
use crate::engine::tournament::Tournament;
use crate::station::config::OutletConfig;
use crate::station::disk::{self, Disk, Durability, Kept, Stamp};
use crate::station::journal::witness::Witnesses;
use crate::station::trouble::Finding;

/// The file with all boards.
const GAMES: &str = "games.pdn";
/// The file with those that have a move.
const STARTED: &str = "started.pdn";
/// What is known of a tournament, and its standings.
pub const DOCUMENTS: [&str; 2] = ["tournament.json", "standings.json"];
/// The folder of the rounds, in that of the outlet.
const ROUNDS: &str = "round";
/// What is in the name of a file that was put aside.
const ASIDE: &str = ".aside-";
/// The folder of the games that are over, in that of the outlet.
const ARCHIVE: &str = "archive";

/// The files of an outlet.
pub struct Outlet {
    disk: Box<dyn Disk>,
    /// What they are made by.
    planned: PlannedOutlet,
    durability: Durability,
    /// Who may read it; `None`: whom its folder lets.
    group: Option<String>,
    /// `archive/`, and the folder that it is in.
    folders: [Kept; 2],
    log: PathBuf,
    snapshots: [Replaced; 2],
    /// The files of rounds, by their number.
    rounds: BTreeMap<u32, RoundFiles>,
    /// The tournament as it may be seen, after so many records.
    tournament: (usize, Tournament),
    /// After how many records its documents were made.
    documents_of: usize,
    events: EventsFile,
    /// The names that nobody is told any more.
    withheld: Withheld,
    /// No file that was put aside has one of them.
    is_swept: bool,
    /// The games in the archive, each with what it has there.
    archived: BTreeMap<(String, u32), ArchivedState>,
    /// How the files that are written as a whole were left, by their path in the outlet.
    left: BTreeMap<PathBuf, Stamp>,
    /// Those of them that somebody has done something to since.
    touched: BTreeSet<PathBuf>,
    /// The boards that are shown to their last sure move only.
    held: Vec<String>,
    /// The fault of the disk that the operator was told of.
    fault: Option<String>,
    /// What was found wrong since it was asked for last, and mended.
    mended: Vec<Finding>,
    is_made: bool,
}

/// The files of a round.
struct RoundFiles {
    /// `round/N`, and the folder that it is in.
    folders: [Kept; 2],
    snapshots: [Replaced; 2],
    /// What they were made of last.
    made_of: Option<Vec<Shape>>,
}

/// As much of a place as can change: how much of the game may be seen.
type Shape = (Option<(String, u32, usize, bool, bool, usize)>, Option<String>);

/// A file that is replaced as a whole.
#[derive(Default)]
struct Replaced {
    name: PathBuf,
    which: Boards,
    text: Option<String>,
    /// What was last found wrong with it.
    flaw: Option<String>,
}

impl Outlet {
    /// An outlet of a station's directory, made durable in this way.
    pub fn new(
        disk: Box<dyn Disk>,
        directory: &Path,
        planned: PlannedOutlet,
        (durability, witnesses): (Durability, Witnesses),
    ) -> Outlet {
        let (log, folder) = (directory.join("log"), directory.join(&planned.directory));
        let events = EventsFile::new(&planned.name, &folder, &log, witnesses);
        Outlet {
            disk,
            planned,
            durability,
            group: None,
            folders: [folder.join(ARCHIVE), folder].map(Kept::new),
            log,
            snapshots: snapshots(Path::new("")),
            rounds: BTreeMap::new(),
            tournament: (0, Tournament::default()),
            documents_of: 0,
            events,
            withheld: Withheld::default(),
            is_swept: false,
            archived: BTreeMap::new(),
            left: BTreeMap::new(),
            touched: BTreeSet::new(),
            held: Vec::new(),
            fault: None,
            mended: Vec::new(),
            is_made: false,
        }
    }

    /// As the configuration of a station says.
    pub fn of_config(disk: Box<dyn Disk>, directory: &Path, config: &OutletConfig, witnesses: Witnesses) -> Outlet {
        let mut outlet = Outlet::new(disk, directory, PlannedOutlet::new(config), (config.durability, witnesses));
        outlet.configure(config);
        outlet
    }

    /// From now on files are written so. Its name and its folder stay.
    pub fn configure(&mut self, config: &OutletConfig) {
        (self.planned, self.durability) = (PlannedOutlet::new(config), config.durability);
        self.group.clone_from(&config.group);
        let rounds = self.rounds.values_mut().flat_map(|round| &mut round.folders);
        self.folders.iter_mut().chain(rounds).for_each(|folder| folder.set_group(config.group.as_deref()));
    }

    /// What its files are made by.
    pub fn planned(&self) -> &PlannedOutlet {
        &self.planned
    }

    /// Does the archive of it lack this game, or may it not be shown in full yet?
    pub fn is_behind(&self, board: &str, game: u32) -> bool {
        self.planned.has_delay() || !self.folders[1].path().join(archive_file(board, game)).exists()
    }

    /// Writes what may be seen of the boards. Returns whether the disk took it; if not, the operator has been told.
    pub fn write(&mut self, seating: &mut Seating, now: Moment) -> bool {
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
    pub fn try_to_write(&mut self, seating: &mut Seating, now: Moment) -> io::Result<()> {
        self.hold_folders()?;
        if !self.is_made {
            self.remove_what_was_being_written()?;
            self.is_made = true;
        }
        // What is made of a plan must not outlive it.
        seating.plans.save(self.disk.as_ref(), &self.log).map_err(about("log/round-K.plan"))?;
        let events = self.tell_events(seating, now).map_err(about(EVENTS));
        // Nothing is shown as long as an order lacks its end.
        if events.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::InvalidData) {
            return events;
        }
        let swept = self.sweep();
        let archive = self.archive(seating, now);
        let snapshots = self.show(seating, now);
        let rounds = self.show_rounds(seating, now);
        self.touched.clear();
        events.and(swept).and(archive).and(snapshots).and(rounds)
    }

    fn show(&mut self, seating: &Seating, now: Moment) -> io::Result<()> {
        let seen = seating.course().seen(self.planned.delay, now);
        if seen != self.tournament.0 {
            self.tournament = (seen, seating.course().tournament(seen));
        }
        let mut done = self.show_documents();
        for index in [0, 1] {
            let places = rounds::current_places(seating, &self.tournament.1, self.planned.delay, now);
            let mut file = std::mem::take(&mut self.snapshots[index]);
            let replaced = self.replace(&mut file, &places).map_err(about(&file.name.to_string_lossy()));
            self.snapshots[index] = file;
            done = done.and(replaced);
        }
        done
    }

    /// What is known of the tournament, for programs and pages.
    fn show_documents(&mut self) -> io::Result<()> {
        let (seen, tournament) = &self.tournament;
        let is_touched = DOCUMENTS.iter().any(|name| self.touched.contains(Path::new(name)));
        if *seen == 0 || self.documents_of == *seen && !is_touched {
            return Ok(());
        }
        let (seen, texts) =
            (*seen, [documents::tournament_document(tournament), documents::standings_document(tournament)]);
        for (name, text) in DOCUMENTS.into_iter().zip(texts) {
            self.put(Path::new(name), &text, |_| false).map_err(about(name))?;
        }
        self.documents_of = seen;
        Ok(())
    }

    /// Each round has its files for ever: an address never changes its round under its reader.
    fn show_rounds(&mut self, seating: &Seating, now: Moment) -> io::Result<()> {
        let shown = rounds::rounds(&self.tournament.1);
        if shown.is_empty() {
            return Ok(());
        }
        let games = rounds::games_of_pairings(seating, &self.tournament.1);
        let mut done = Ok(());
        for number in shown {
            let mut files = self.rounds.remove(&number).unwrap_or_else(|| self.files_of_round(number));
            done = done.and(self.show_round(&mut files, seating, &games, number, now));
            self.rounds.insert(number, files);
        }
        done
    }

    fn files_of_round(&self, number: u32) -> RoundFiles {
        let folder = Path::new(ROUNDS).join(number.to_string());
        let mut folders =
            [folder.clone(), PathBuf::from(ROUNDS)].map(|part| Kept::new(self.folders[1].path().join(part)));
        folders.iter_mut().for_each(|folder| folder.set_group(self.group.as_deref()));
        RoundFiles { folders, snapshots: snapshots(&folder), made_of: None }
    }

    fn show_round(
        &mut self,
        files: &mut RoundFiles,
        seating: &Seating,
        games: &BTreeMap<String, Vec<(&Board, &GameRecord)>>,
        number: u32,
        now: Moment,
    ) -> io::Result<()> {
        let delay = self.planned.delay;
        let places = rounds::places_of_round(seating, games, &self.tournament.1, number, (delay, now));
        let shape: Vec<Shape> = places.iter().map(shape).collect();
        let is_touched = files.snapshots.iter().any(|file| self.touched.contains(&file.name));
        if files.made_of.as_ref() == Some(&shape) && !is_touched {
            return Ok(());
        }
        files.folders.iter_mut().rev().try_for_each(|folder| folder.hold().map(drop))?;
        for file in &mut files.snapshots {
            self.replace(file, &places).map_err(about(&file.name.to_string_lossy()))?;
        }
        files.made_of = Some(shape);
        Ok(())
    }

    /// Looks whether everything is still as it was left. What is not is written anew by the next [`Outlet::write`]; returns
    /// whether there is something.
    pub fn look_after(&mut self) -> bool {
        if !self.is_made {
            return false;
        }
        // Should one not be to be made, the next write says so.
        let mut is_lost = self.folders.iter().any(|folder| !folder.path().is_dir());
        if let Some(path) = self.events.verify(self.disk.as_ref()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = if name == EVENTS { self.shown_file(EVENTS) } else { format!("log/{name}") };
            self.mend(file, "it was taken away, cut or replaced by somebody, and is written again from the logs");
            is_lost = true;
        }
        let directory = self.folders[1].path();
        let touched = self.left.iter().filter(|(path, left)| disk::stamp(&directory.join(path)) != Some(**left));
        self.touched = touched.map(|(path, _)| path.clone()).collect();
        let touched = &self.touched;
        self.archived.retain(|(board, game), _| !touched.contains(&archive_file(board, *game)));
        is_lost || !self.touched.is_empty()
    }

    /// What is the matter with the files now, and what was and is mended.
    pub fn findings(&mut self) -> Vec<Finding> {
        let mut found = std::mem::take(&mut self.mended);
        found.extend(self.is_made.then(|| not_to_be_written(&self.log, &order_file(&self.planned.name))).flatten());
        let mut add = |board: Option<&str>, file: &str, what: String| {
            found.push(Finding { board: board.map(str::to_owned), file: self.shown_file(file), what });
        };
        if let Some(why) = self.folders.iter().rev().find_map(Kept::unread) {
            add(None, "", format!("its readers cannot read it: {why}"));
        }
        if let Some(fault) = &self.fault {
            add(None, "", fault.clone());
        } else if self.is_made {
            // What is not to be written now is told before there is something to write.
            let directory = self.folders[1].path();
            for name in ["", ARCHIVE, EVENTS] {
                if let Err(error) = disk::may_write(&directory.join(name)) {
                    add(None, name, format!("it cannot be written: {error}; `damcast doctor` says what to do"));
                }
            }
        }
        for file in self.snapshots.iter().chain(self.rounds.values().flat_map(|round| &round.snapshots)) {
            if let Some(flaw) = &file.flaw {
                add(
                    None,
                    &file.name.to_string_lossy(),
                    format!("it stands still, for its readers would stumble at {flaw}"),
                );
            }
        }
        let profile = self.planned.profile;
        for board in &self.held {
            let what = format!(
                "this game stands still: a setup follows, which readers of the profile {profile} cannot take; live/ has \
                 all of it, and the next game is shown again"
            );
            add(Some(board), "games.pdn", what);
        }
        found
    }

    fn mend(&mut self, file: String, what: &str) {
        warn!("{file}: {what}");
        self.mended.push(Finding { board: None, file, what: what.to_owned() });
    }

    /// A file of it, or its folder, as operators know it.
    fn shown_file(&self, file: &str) -> String {
        let shown = self.shown();
        if file.is_empty() { shown } else { format!("{shown}/{file}") }
    }

    fn shown(&self) -> String {
        self.planned.directory.display().to_string()
    }

    fn hold_folders(&mut self) -> io::Result<()> {
        // The outer one first.
        for index in [1, 0] {
            let name = self.shown_file(if index == 1 { "" } else { ARCHIVE });
            let folder = &mut self.folders[index];
            if folder.hold().map_err(about(&name))? {
                self.mend(name, "the folder was taken away by somebody, and is made again");
            }
        }
        Ok(())
    }

    /// A station that was killed may have left the new text of a file that it was about to replace.
    fn remove_what_was_being_written(&self) -> io::Result<()> {
        for folder in self.all_folders()? {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.ends_with(".new")) {
                self.disk.remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Files that were put aside in this folder have the names of their time: those that nobody is told any more are removed with them.
    fn sweep(&mut self) -> io::Result<()> {
        if self.is_swept || self.withheld.names().next().is_none() {
            return Ok(());
        }
        for folder in self.all_folders()? {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.contains(ASIDE)) {
                let path = folder.join(&name);
                if withheld::is_in(&self.withheld, self.disk.reader(&path, 0)?)? {
                    self.disk.remove(&path)?;
                    warn!("{} had a name that nobody is told any more, and is removed", path.display());
                }
            }
        }
        self.is_swept = true;
        Ok(())
    }

    /// Its folder, that of the archive, and those of rounds.
    fn all_folders(&self) -> io::Result<Vec<PathBuf>> {
        let rounds = self.folders[1].path().join(ROUNDS);
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

    /// Closes the file of events, if its lines are to have another generation: other names are hidden, or the station has
    /// another name.
    fn restart_events(&mut self, seating: &Seating, now: Moment) {
        let since = seating.course().names_since(self.planned.delay, now);
        let Some(generation) = self.events.generation() else { return };
        let is_renamed = seating.station.as_ref().is_some_and(|station| *station != generation.station);
        if generation.names < since || is_renamed {
            info!("{}: the events begin anew under another generation", self.shown());
            self.events.close();
        }
    }

    /// From now on the names that are hidden in this version of the tournament are hidden.
    fn hide_names(&mut self, seating: &Seating, names: u64) {
        let withheld = &seating.course().telling(names).withheld;
        if *withheld != self.withheld {
            self.withheld.clone_from(withheld);
            self.is_swept = false;
        }
    }

    fn tell_events(&mut self, seating: &mut Seating, now: Moment) -> io::Result<()> {
        self.restart_events(seating, now);
        let names = seating.course().names_since(self.planned.delay, now);
        if !self.events.is_open() {
            self.hide_names(seating, names);
            let disk = self.disk.as_ref();
            if self.events.needs_more(disk, |generation| streams_of(seating, generation))? {
                super::add_earlier_games(seating, &self.log);
            }
            let seating: &Seating = seating;
            let station = seating.station.as_deref();
            let notices = self.events.open(disk, (station, names), |generation| streams_of(seating, generation))?;
            notices.into_iter().for_each(|notice| warn!("{notice}"));
        }
        let Some(generation) = self.events.generation().cloned() else { return Ok(()) };
        self.hide_names(seating, generation.names);
        let disk = self.disk.as_ref();
        let boards: Vec<&Board> = seating.boards().collect();
        let told = (seating.course(), &generation);
        let mut new = Unwritten::new(&boards, told, self.planned.delay, now, |stream| self.events.written(stream));
        loop {
            let some: Vec<GameEvent> = new.by_ref().take(BATCH).collect();
            self.events.write(disk, &some, self.durability)?;
            if some.len() < BATCH {
                return Ok(());
            }
        }
    }

    fn archive(&mut self, seating: &mut Seating, now: Moment) -> io::Result<()> {
        let is_archived = |path: &PathBuf| path.starts_with(ARCHIVE);
        if self.touched.iter().any(is_archived) {
            super::add_earlier_games(seating, &self.log);
        }
        let there = self.archived.clone();
        for Archived { path, text, earlier, game, state } in archived(seating, self.planned.delay, now, &there) {
            let was = |found: &[u8]| earlier.iter().any(|text| text.as_bytes() == found);
            self.put(&path, &text, was).map_err(about(&path.to_string_lossy()))?;
            self.archived.insert(game, state);
        }
        Ok(())
    }

    /// Writes a file as a whole, unless it says this already. One that somebody has changed is kept beside it. `was`: did it say that
    /// before?
    fn put(&mut self, name: &Path, text: &str, was: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        let path = self.folders[1].path().join(name);
        let is_it = |found: &Option<Vec<u8>>| found.as_deref() == Some(text.as_bytes());
        let (mut stamp, mut found) = (disk::stamp(&path), self.disk.read(&path).ok());
        if !is_it(&found) {
            // Looked at or not: what stands there is not what was left.
            let is_other = self.left.get(name).is_some_and(|left| disk::stamp(&path) != Some(*left));
            let is_touched = self.touched.remove(name) || is_other;
            // At a start: a game that was over stays as it was published, whatever its logs say now; only its result may be new.
            let is_known = self.left.contains_key(name)
                || found.as_deref() == Some(archive::without_result(text).as_bytes())
                || found.as_deref().is_some_and(was);
            let aside = match found {
                Some(found) if withheld::is_in(&self.withheld, found.as_slice())? => None,
                Some(_) if name.starts_with(ARCHIVE) && (is_touched || !is_known) => {
                    disk::put_aside(self.disk.as_ref(), &path).map(Some).or_else(|error| match error.kind() {
                        io::ErrorKind::NotFound => Ok(None),
                        _ => Err(error),
                    })?
                }
                _ => None,
            };
            disk::replace(self.disk.as_ref(), &path, text.as_bytes(), self.durability)?;
            let kept = aside.as_ref().map(|aside| format!(" (it is kept as {aside})")).unwrap_or_default();
            let file = self.shown_file(&name.display().to_string());
            if is_touched {
                let what = format!("it was taken away or changed by somebody{kept}, and is written again");
                self.mend(file, &what);
            } else if aside.is_some() {
                self.mend(file, &format!("it is not what the logs say{kept}, and is written again"));
            }
            (stamp, found) = (disk::stamp(&path), self.disk.read(&path).ok());
        }
        // Who does something to it in this moment is not to be missed.
        let Some(stamp) = stamp.filter(|_| is_it(&found)) else {
            self.left.remove(name);
            return Err(io::Error::new(io::ErrorKind::NotFound, "somebody took it away while it was written"));
        };
        self.left.insert(name.to_owned(), stamp);
        Ok(())
    }

    fn replace(&mut self, file: &mut Replaced, places: &[SnapshotPlace]) -> io::Result<()> {
        let (shown, profile) = (self.shown(), self.planned.profile);
        let snapshot = Snapshot::of_places(places, file.which, profile);
        if file.name == Path::new(GAMES) && snapshot.held != self.held {
            for board in snapshot.held.iter().filter(|board| !self.held.contains(board)) {
                warn!(
                    line = board,
                    "{shown} shows this game up to its last sure move, or not at all if it began with Black to \
                     move: readers of the profile {profile} cannot take the rest; live/ has all of it"
                );
            }
            self.held.clone_from(&snapshot.held);
        }
        let is_touched = self.touched.contains(&file.name);
        if file.text.as_ref() == Some(&snapshot.text) && !is_touched {
            return Ok(());
        }
        if let Some(flaw) = snapshot.flaw() {
            let flaw = flaw.to_string();
            if file.flaw.as_ref() != Some(&flaw) {
                warn!(
                    "{shown}/{} is not published, the last good one stays; its readers would stumble at {flaw}",
                    file.name.display()
                );
                file.flaw = Some(flaw);
            }
        } else {
            file.flaw = None;
            file.text = Some(snapshot.text);
        }
        // Until it is written it is not what stands there.
        let Some(text) = file.text.take() else { return Ok(()) };
        self.put(&file.name, &text, |_| false)?;
        file.text = Some(text);
        Ok(())
    }
}

fn streams_of<'s>(seating: &'s Seating, generation: &Generation) -> Streams<'s> {
    Streams::new(seating.boards(), seating.course(), generation)
}

/// The two files of all boards in a folder, from that of the outlet on.
fn snapshots(folder: &Path) -> [Replaced; 2] {
    [(GAMES, Boards::All), (STARTED, Boards::Started)].map(|(name, which)| Replaced {
        name: folder.join(name),
        which,
        text: None,
        flaw: None,
    })
}

fn shape(place: &SnapshotPlace) -> Shape {
    let shown = place.shown.map(|(game, view)| {
        let has_result = view.result.is_some();
        let corrections = view.corrections.len();
        (place.board.name.clone(), game.number(), view.entries.len(), view.is_closed, has_result, corrections)
    });
    let tags = || place.board.tags.iter().map(|(name, value)| format!("{name}={value};")).collect::<String>();
    let before = shown.is_none().then(|| format!("{}{:?}", tags(), place.result));
    (shown, before)
}

/// Says which file it is that the disk does not take.
fn about(name: &str) -> impl Fn(io::Error) -> io::Error + use<'_> {
    move |error| io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// A file of the logs' folder that may not be written any more.
pub(super) fn not_to_be_written(log: &Path, name: &str) -> Option<Finding> {
    let error = disk::may_write(&log.join(name)).err()?;
    let what = format!("it cannot be written: {error}; `damcast doctor` says what to do");
    Some(Finding { board: None, file: format!("log/{name}"), what })
}

/// The file of a game in the archive, by its path in the outlet.
fn archive_file(board: &str, game: u32) -> PathBuf {
    Path::new(ARCHIVE).join(format!("{board}-{game}.pdn"))
}

/// What the archive has of a game: its result, and how many corrections.
pub type ArchivedState = (Option<String>, usize);

/// A file of the archive.
pub struct Archived {
    /// Its path in the outlet.
    pub path: PathBuf,
    /// What stands in it.
    pub text: String,
    /// What stood in it before something was corrected.
    pub earlier: Vec<String>,
    /// Its game: board and number.
    pub game: (String, u32),
    /// What it has.
    pub state: ArchivedState,
}

/// The files of the archive that may be seen, but for those that are there already.
pub fn archived<'s>(
    seating: &'s Seating,
    delay: Delay,
    now: Moment,
    there: &'s BTreeMap<(String, u32), ArchivedState>,
) -> impl Iterator<Item = Archived> + 's {
    seating.games().filter_map(move |(board, game)| {
        let view = delay.view(game, now);
        let closed = game.closed().filter(|_| view.is_closed)?;
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
        let parts = board.parts(game);
        let first = parts.first().map_or(game.number(), |first| first.number());
        let planned = seating.board_at(board, closed);
        let texts = |part: &GameRecord| -> Vec<String> {
            let view = delay.view(part, now);
            let of = |count: usize| View { corrections: &view.corrections[..count], ..view };
            (0..=view.corrections.len()).map(|count| archive::text(&planned, part, of(count))).collect()
        };
        let mut earlier: Vec<String> = parts.into_iter().flat_map(texts).collect();
        let text = earlier.pop()?;
        Some(Archived { path: archive_file(&board.name, first), text, earlier, game: key, state })
    })
}
