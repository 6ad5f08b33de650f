//! Check of a round's folder: whether all derived files agree with the logs.
//!
//! | of | condition |
//! |---|---|
//! | logs | each is whole, or torn at its end by a crash; no number is missing; they are in order of time; each has the length and the checksum in the next one |
//! | live files | each equals its log's game, or is a prefix of it; strict PDN, replayed move by move |
//! | recovered files | each replaces a live file that another program changed; the last one agrees with the log |
//! | events | gapless from 1, each as in its log, in the stored order |
//! | archive | agrees with the logs, with the tags of the round in which the game ended |
//! | `alive.json` | anything |
//! | `games.pdn`, `started.pdn` | agree with the logs, with the delay; valid for the profile's readers |
//! | the folder | no unknown file; with a delay, nothing of `live/` and `log/` is readable by everybody |
//!
//! A file that lacks its end is no fault: the logs come first, and a start of the station completes it. The check works beside a running
//! station, because files are read before the logs that they depend on.

mod events;
mod logs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use chrono::Local;
use damcast_engine::broadcast::events::{EventId, Generation, Stream, StreamKey};
use damcast_engine::broadcast::snapshot::first_problem;
use damcast_engine::broadcast::{Board, Delay, WallTime};
use damcast_engine::bytelog::{Header, LogFault, LogProblem};
use damcast_engine::playback::PlayedGame;
use damcast_engine::session::LineSettings;
use draughts_pdn::profile::ReaderProfile;

use super::{LineGames, LineLog, LineLogs, StationFolder, live_file};
use crate::disk::{self, Lock, RealDisk};
use crate::journal::chain::{self, Digest};
use crate::journal::commits;
use crate::journal::witness::Witnesses;
use crate::outlets::{
    self, ArchivedGame, Comparison, EventOrder, EventStreams, PendingEvents, PlannedOutlet, Plans, RoundBoards,
    ShelfFile,
};
use crate::recorder::COMMITS_FILE;
use crate::tournament_log::{TOURNAMENT_FILE, TournamentLog};

/// Files of an outlet whose text is checked for its readers.
const SNAPSHOTS: [&str; 2] = ["games.pdn", "started.pdn"];

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Information; no action is needed.
    Note,
    /// The next start of the station repairs it.
    SelfHealing,
    /// An operator has to look at it.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::SelfHealing => "mended",
            Severity::Error => "wrong",
        })
    }
}

/// Subject of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// A log of a line.
    Log,
    /// The tournament's record.
    Record,
    /// A plan.
    Plan,
    /// The order of an outlet's events.
    Order,
    /// A live file.
    LiveFile,
    /// Live file that another program changed; a recovered file replaces it.
    SupersededLiveFile,
    /// A file of events.
    Events,
    /// A file of the archive.
    Archive,
    /// A file of an outlet that is replaced as a whole.
    PublicFile,
    /// An unknown file in a folder for readers.
    UnknownFile,
    /// A folder, or something that is not a regular file.
    StationFolder,
}

impl FindingKind {
    /// Whether the file is made from the logs.
    pub fn is_output(self) -> bool {
        use FindingKind::{Archive, Events, LiveFile, PublicFile, UnknownFile};
        matches!(self, LiveFile | Events | Archive | PublicFile | UnknownFile)
    }
}

/// A finding of the check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FsckFinding {
    /// Subject of the finding.
    pub kind: FindingKind,
    /// Severity of the finding.
    pub severity: Severity,
    /// Path of the file in the folder.
    pub file: PathBuf,
    /// Description of the problem.
    pub message: String,
    /// Advice for the operator; empty if no action is needed.
    pub advice: &'static str,
}

/// Result of checking a folder.
#[derive(Debug, Default)]
pub struct FsckReport {
    /// Running station in the folder: ` (process 1234)`, or empty if its process is unknown.
    pub holder: Option<String>,
    /// Number of lines with logs.
    pub lines: usize,
    /// Number of logs.
    pub logs: usize,
    /// Number of bytes in the logs.
    pub bytes: u64,
    /// Number of games in the logs.
    pub games: usize,
    /// Number of published events.
    pub events: usize,
    /// Findings by file.
    pub findings: Vec<FsckFinding>,
}

impl FsckReport {
    /// Whether there are no problems.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity < Severity::Error)
    }

    /// Returns the number of findings with a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    fn add(
        &mut self,
        kind: FindingKind,
        severity: Severity,
        file: impl Into<PathBuf>,
        problem: impl Into<String>,
        advice: &'static str,
    ) {
        self.findings.push(FsckFinding { kind, severity, file: file.into(), message: problem.into(), advice });
    }

    fn note(&mut self, kind: FindingKind, file: impl Into<PathBuf>, problem: impl Into<String>) {
        self.add(kind, Severity::Note, file, problem, "");
    }

    fn mended(&mut self, kind: FindingKind, file: impl Into<PathBuf>, problem: impl Into<String>) {
        self.add(kind, Severity::SelfHealing, file, problem, "");
    }

    fn error(&mut self, kind: FindingKind, file: impl Into<PathBuf>, problem: impl Into<String>, advice: &'static str) {
        self.add(kind, Severity::Error, file, problem, advice);
    }
}

/// Content of a folder beside the logs, collected before the logs are read.
struct FolderContents {
    /// Files of `live/` and the outlets, by their path in the folder.
    files: BTreeMap<PathBuf, Digest>,
    /// Bytes of the snapshots.
    snapshots: BTreeMap<PathBuf, Vec<u8>>,
    outlets: Vec<FoundOutlet>,
    /// Entries that are not regular files, each with its kind.
    not_regular: Vec<(PathBuf, String)>,
}

/// An outlet with its growing files.
struct FoundOutlet {
    planned: PlannedOutlet,
    events: GrowingFileSnapshot,
    order: GrowingFileSnapshot,
}

impl FoundOutlet {
    /// Returns the path of a file of the outlet, from the station's folder.
    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.planned.directory.join(name)
    }

    /// Returns the path of the order of its events, from the station's folder.
    fn order(&self) -> PathBuf {
        Path::new("log").join(outlets::order_file(&self.planned.name))
    }
}

/// A growing file with its length at the time of opening; `None` if it was missing.
struct GrowingFileSnapshot(Option<(File, u64)>);

impl GrowingFileSnapshot {
    fn open(path: &Path) -> io::Result<GrowingFileSnapshot> {
        let Some(file) = disk::if_found(disk::open_to_read(path))? else { return Ok(GrowingFileSnapshot(None)) };
        let length = file.metadata()?.len();
        Ok(GrowingFileSnapshot(Some((file, length))))
    }

    /// Returns the length; 0 if the file was missing.
    fn length(&self) -> u64 {
        self.0.as_ref().map_or(0, |(_, length)| *length)
    }

    /// Returns a reader from a byte on, with its own position.
    fn from(&self, byte: u64) -> Box<dyn BufRead + '_> {
        match &self.0 {
            None => Box::new(io::empty()),
            Some((file, end)) => Box::new(BufReader::new(Piece { file, at: byte, end: *end })),
        }
    }
}

/// A part of a file, as a reader.
struct Piece<'f> {
    file: &'f File,
    at: u64,
    end: u64,
}

impl Read for Piece<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.file.read_at(&mut buffer[..most], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Checks the folder of a station without changing it.
///
/// # Errors
///
/// Returns an error if the folder cannot be read.
pub fn check(directory: &Path) -> io::Result<FsckReport> {
    if !directory.join("log").is_dir() {
        fs::read_dir(directory)?;
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no folder log/ in it"));
    }
    let mut holder = Lock::find_holder(directory);
    // Witnesses are read first, so that the files are ahead of them.
    let witnesses = commits::witnesses(&RealDisk, &directory.join(COMMITS_FILE))?;
    let found = FolderContents::read(directory)?;
    // Findings about live files depend on whether a station runs, which is not known yet.
    let (mut live, mut games) = (logs::LiveFileCheck::default(), LineGames::new());
    let shelf = ShelfFile::create_outside();
    let folder = StationFolder::read_with(directory, |line, game| {
        live.check(&found, &super::file_prefix(line, &game), &game);
        outlets::add_stored(games.entry(line.to_owned()).or_default(), &game, shelf.as_ref());
    })?;
    holder = holder.or_else(|| Lock::find_holder(directory));
    let now = Local::now().fixed_offset();
    let mut report = FsckReport { holder, lines: folder.lines.len(), games: live.games, ..FsckReport::default() };
    check_plans(&folder, &witnesses, &mut report);
    let is_damaged = check_record(directory, &witnesses, &mut report);
    for (path, what) in found.not_regular.iter().chain(&folder.not_logs) {
        report.error(FindingKind::StationFolder, path, what.as_str(), "a station does not read it, nor write into it");
    }
    folder.lines.iter().for_each(|line| logs::check_logs(line, &mut report));
    logs::check_chains(&folder, &mut report)?;
    let logs::LiveFileCheck { findings, known_files: mut explained, .. } = live;
    // A running station is about to complete them.
    let is_due = |finding: &FsckFinding| finding.severity != Severity::SelfHealing || report.holder.is_none();
    report.findings.extend(findings.into_iter().filter(is_due));
    let round_boards = folder.round_boards(games, shelf);
    let now = round_boards.latest_time.map_or(now, |latest| latest.max(now));
    for outlet in &found.outlets {
        if is_damaged {
            let directory = &outlet.planned.directory;
            let what = "while the record of the tournament is damaged it stays as it is, and is not checked";
            report.note(FindingKind::StationFolder, directory, what);
            explained.extend(found.files.keys().filter(|file| file.starts_with(directory)).cloned());
            continue;
        }
        let holder = report.holder.clone();
        let new_check = || OutletCheck {
            outlet,
            round_boards: &round_boards,
            found: &found,
            witnesses: &witnesses,
            now,
            report: FsckReport { holder: holder.clone(), ..FsckReport::default() },
            explained: BTreeSet::new(),
        };
        for check in check_outlet(new_check)? {
            report.events += check.report.events;
            report.findings.extend(check.report.findings);
            explained.extend(check.explained);
        }
    }
    check_former_outlets(&folder, &mut report);
    check_unknown_files(&found, &explained, &folder, &mut report);
    check_modes(&folder, &mut report);
    report.findings.sort_by(|a, b| (&a.file, b.severity).cmp(&(&b.file, a.severity)));
    Ok(report)
}

fn check_plans(folder: &StationFolder, witnesses: &Witnesses, report: &mut FsckReport) {
    for problem in &folder.plans.problems {
        let advice = "put the file aside; the station writes another when it starts";
        report.error(FindingKind::Plan, "log", problem, advice);
    }
    if let Some(missing) = folder.plans.clone().set_witnesses(witnesses.clone()) {
        report.error(FindingKind::Plan, "log", missing, "put a copy of it there; until then nothing is shown");
    }
}

/// Checks the record of the tournament. Returns whether it is damaged.
fn check_record(directory: &Path, witnesses: &Witnesses, report: &mut FsckReport) -> bool {
    let damage = match TournamentLog::read_witnessed(&RealDisk, &directory.join("log"), witnesses.clone()) {
        Ok(log) => log.damage().map(str::to_owned),
        Err(error) => Some(error.to_string()),
    };
    let Some(damage) = damage else { return false };
    let advice =
        "put a copy of it there and start the station again; until then nothing of the tournament can be changed";
    report.error(FindingKind::Record, Path::new("log").join(TOURNAMENT_FILE), damage, advice);
    true
}

impl FolderContents {
    fn read(directory: &Path) -> io::Result<FolderContents> {
        let (mut files, mut snapshots, mut odd) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut grows = |name: PathBuf| match GrowingFileSnapshot::open(&directory.join(&name)) {
            Err(error) if disk::is_not_regular_file(&error) => {
                odd.push((name, error.to_string()));
                Ok(GrowingFileSnapshot(None))
            }
            file => file,
        };
        let plans = Plans::read(&RealDisk, &directory.join("log"))?;
        let (mut outlets, mut folders) = (Vec::new(), vec![PathBuf::from("live")]);
        for planned in super::outlets(&plans) {
            folders.extend([planned.directory.clone(), planned.directory.join("archive")]);
            for numbered in [outlets::ROUNDS_FOLDER, outlets::PARTS_FOLDER] {
                folders.extend(folders_in(directory, &planned.directory.join(numbered))?);
            }
            let mut outlet =
                FoundOutlet { planned, events: GrowingFileSnapshot(None), order: GrowingFileSnapshot(None) };
            // The order has each event before the file has it.
            outlet.events = grows(outlet.path(outlets::EVENTS_FILE))?;
            outlet.order = grows(outlet.order())?;
            outlets.push(outlet);
        }
        for folder in folders {
            for entry in entries(&directory.join(&folder))? {
                if entry.file_type()?.is_dir() {
                    continue;
                }
                let path = folder.join(entry.file_name());
                let is_one = |name: &str| outlets.iter().any(|outlet| path == outlet.path(name));
                let is_snapshot = SNAPSHOTS.iter().any(|name| is_one(name));
                let is_events = is_one(outlets::EVENTS_FILE);
                // No log knows when the station ran.
                if is_one(outlets::ALIVE_FILE) {
                    continue;
                }
                match disk::if_found(disk::open_to_read(&entry.path())) {
                    // Reported already.
                    Err(error) if disk::is_not_regular_file(&error) && odd.iter().any(|(known, _)| *known == path) => {}
                    Err(error) if disk::is_not_regular_file(&error) => odd.push((path, error.to_string())),
                    Ok(Some(mut file)) if is_snapshot => {
                        let mut bytes = Vec::new();
                        file.read_to_end(&mut bytes)?;
                        files.insert(path.clone(), Digest::from_bytes(&bytes));
                        snapshots.insert(path, bytes);
                    }
                    // Read during the comparison.
                    Ok(Some(_)) if is_events => drop(files.insert(path, Digest::default())),
                    Ok(Some(mut file)) => drop(files.insert(path, Digest::compute(|piece| file.read(piece))?)),
                    // The file was replaced at this very moment.
                    Ok(None) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(FolderContents { files, snapshots, outlets, not_regular: odd })
    }
}

/// Returns the entries of a folder; none if it is missing.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    disk::if_found(fs::read_dir(folder))?.into_iter().flatten().collect()
}

/// Returns the folders in a folder, by their path from the station's.
fn folders_in(directory: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in entries(&directory.join(folder))? {
        if entry.file_type()?.is_dir() {
            folders.push(folder.join(entry.file_name()));
        }
    }
    Ok(folders)
}

fn relative(path: &Path) -> PathBuf {
    Path::new("log").join(path.file_name().unwrap_or_default())
}

/// Checks an outlet: its events, and on another thread its other files. `new_check` makes a check without findings.
fn check_outlet<'c>(new_check: impl Fn() -> OutletCheck<'c> + Sync) -> io::Result<[OutletCheck<'c>; 2]> {
    let check_files = || {
        let mut check = new_check();
        check.check_files().map(|()| check)
    };
    let mut events = new_check();
    let (checked, files) = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, check_files).ok();
        let checked = events.check_events();
        // If no thread can be spawned, this one checks all.
        let files = thread.map_or_else(check_files, |thread| thread.join().unwrap_or_else(|bug| resume_unwind(bug)));
        (checked, files)
    });
    checked?;
    Ok([events, files?])
}

/// Check of the events of an outlet, or of its other files.
struct OutletCheck<'c> {
    outlet: &'c FoundOutlet,
    round_boards: &'c RoundBoards,
    found: &'c FolderContents,
    witnesses: &'c Witnesses,
    now: WallTime,
    report: FsckReport,
    /// Files of the outlet that are correct or were reported.
    explained: BTreeSet<PathBuf>,
}

impl OutletCheck<'_> {
    /// Checks the archive, and the files that are replaced as a whole.
    fn check_files(&mut self) -> io::Result<()> {
        self.explained.insert(self.outlet.path(outlets::EVENTS_FILE));
        if self.round_boards.plans.current().is_some() {
            self.check_archive()?;
            return self.check_public_files();
        }
        let directory = &self.outlet.planned.directory;
        self.explained.extend(self.found.files.keys().filter(|path| path.starts_with(directory)).cloned());
        if self.found.files.keys().any(|path| path.starts_with(directory)) {
            let message = "there is no plan of the round, log/round-K.plan, so the public files cannot be checked";
            let advice = "start the station once; it writes the plan";
            self.report.error(FindingKind::StationFolder, directory, message, advice);
        }
        Ok(())
    }

    /// Compares the files that are replaced as a whole with their expected text.
    fn check_public_files(&mut self) -> io::Result<()> {
        let PlannedOutlet { profile, is_suspended, .. } = self.outlet.planned;
        for file in outlets::files(self.round_boards, &self.outlet.planned, self.now)? {
            let name = self.outlet.path(&file.path);
            if let Some(problem) = self.found.snapshots.get(&name).and_then(|bytes| first_problem(profile, bytes)) {
                let what = format!("readers of the profile {profile} cannot read it: {problem}");
                let advice = "damcast rebuild puts it aside and writes it again";
                self.report.error(FindingKind::PublicFile, &name, what, advice);
            }
            let what = match self.found.files.get(&name) {
                Some(digest) if *digest == Digest::from_bytes(file.text()?.as_bytes()) => None,
                Some(_) => Some("it is not what the logs say now"),
                None => Some("it is not there"),
            };
            if let Some(what) = what.filter(|_| self.report.holder.is_none()) {
                let held = "its outlet is held back by the configuration: it stays as it was";
                match is_suspended {
                    true => self.report.note(FindingKind::PublicFile, &name, held),
                    false => self.report.mended(FindingKind::PublicFile, &name, what),
                }
            }
            self.explained.insert(name);
        }
        Ok(())
    }

    fn check_archive(&mut self) -> io::Result<()> {
        let none = BTreeMap::new();
        let PlannedOutlet { delay, is_suspended, .. } = self.outlet.planned;
        let due = |delay| outlets::archived_games(self.round_boards, delay, self.now, &none);
        // Without a delay all of them are shown.
        let delayed = self.outlet.planned.has_delay().then(|| due(delay).map(|archived| Ok(archived?.path)));
        let shown: Option<BTreeSet<PathBuf>> = delayed.map(Iterator::collect::<io::Result<_>>).transpose()?;
        let is_shown = |path: &PathBuf| shown.as_ref().is_none_or(|shown| shown.contains(path));
        let is_expected = self.report.holder.is_none() && !is_suspended;
        for archived in due(Delay::NO_DELAY) {
            let ArchivedGame { path, text, prior_texts: earlier, .. } = archived?;
            let name = self.outlet.path(&path);
            self.explained.insert(name.clone());
            let found = self.found.files.get(&name);
            let is = |text: &String| found == Some(&Digest::from_bytes(text.as_bytes()));
            match found {
                Some(_) if is(&text) => {}
                Some(_) if earlier.iter().any(is) => {
                    // A correction may not be visible yet.
                    let is_visible = !self.outlet.planned.has_delay();
                    if is_expected && is_visible {
                        self.report.mended(FindingKind::Archive, &name, "it lacks what was corrected since");
                    }
                }
                Some(_) => {
                    let advice = "damcast rebuild puts it aside and writes it again";
                    self.report.error(FindingKind::Archive, &name, "it is not what the logs say", advice);
                }
                None if is_expected && is_shown(&path) => {
                    self.report.mended(FindingKind::Archive, &name, "it is not there");
                }
                None => {}
            }
            if let Some(first_error) = first_problem(ReaderProfile::Standard, text.as_bytes()) {
                let what = format!("it is not strict PDN: {first_error}");
                self.report.error(FindingKind::Archive, &name, what, "this is a fault of damcast; please report it");
            }
        }
        Ok(())
    }
}

/// Reports folders of outlets that are not configured: their files stay.
fn check_former_outlets(folder: &StationFolder, report: &mut FsckReport) {
    let current = super::outlets(&folder.plans);
    let former = folder.plans.all.iter().flat_map(|plan| &plan.outlets);
    let former: BTreeSet<&PathBuf> = former.map(|outlet| &outlet.directory).collect();
    let is_current = |directory: &Path| current.iter().any(|outlet| outlet.directory == directory);
    for directory in former.into_iter().filter(|directory| !is_current(directory)) {
        if folder.directory.join(directory).is_dir() {
            let message = "its outlet is no longer in the configuration, so it is not checked";
            report.note(FindingKind::StationFolder, directory, message);
        }
    }
}

/// Reports unknown files.
fn check_unknown_files(
    found: &FolderContents,
    explained: &BTreeSet<PathBuf>,
    folder: &StationFolder,
    report: &mut FsckReport,
) {
    for path in found.files.keys().filter(|path| !explained.contains(*path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".new") {
            if report.holder.is_none() {
                report.mended(FindingKind::UnknownFile, path, "it was being written when the station was killed");
            }
        } else if name.contains(".aside-") {
            report.note(FindingKind::UnknownFile, path, "it was put aside by damcast");
        } else if is_from_older_log(folder, &name) {
            report.note(FindingKind::UnknownFile, path, "the log of this game is missing, so it cannot be checked");
        } else {
            report.error(
                FindingKind::UnknownFile,
                path,
                "no log knows of this file",
                "put it elsewhere; this folder is read by others",
            );
        }
    }
}

/// Whether the file belongs to a game from before the first log in the folder.
fn is_from_older_log(folder: &StationFolder, name: &str) -> bool {
    let Some((prefix, number)) = name.split('.').next().and_then(|stem| stem.rsplit_once('-')) else { return false };
    let Ok(number) = number.parse::<u32>() else { return false };
    folder.lines.iter().any(|line| {
        let Some(first) = line.logs.first().filter(|log| log.file.number > 1) else { return false };
        let Ok((settings, _)) = LineSettings::from_header(&first.header, None) else { return false };
        let before = if prefix == line.name {
            settings.games_before
        } else {
            let of_boards = settings.boards.iter().map(|(address, board)| {
                (crate::live_files::file_prefix(&line.name, Some(*address), board.name.as_deref()), board.games_before)
            });
            of_boards.filter(|(name, _)| name == prefix).map(|(_, before)| before).max().unwrap_or(0)
        };
        number <= before
    })
}

/// With a delay, files without it must not be readable by everybody.
fn check_modes(folder: &StationFolder, report: &mut FsckReport) {
    if !folder.plans.current().is_some_and(|plan| plan.outlets.iter().any(PlannedOutlet::has_delay)) {
        return;
    }
    for name in ["live", "log"] {
        let mode = fs::metadata(folder.directory.join(name)).map(|metadata| metadata.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o007 != 0) {
            let message = "the public files have a delay, and everybody on this machine can read what is not delayed";
            report.error(FindingKind::StationFolder, name, message, "chmod o-rwx; the station does it when it starts");
        }
    }
}
