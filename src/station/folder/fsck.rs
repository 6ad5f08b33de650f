//! The check of a round's folder: whether all that was made of the logs is what the logs say.
//!
//! | of | what must hold |
//! |---|---|
//! | logs | each is whole, or torn at its end by a crash; none is missing between others; they follow each other in time; each has \
//!   the length and the checksum that the next one says |
//! | live files | each is what its log says, or the beginning of it; strict PDN, replayed move by move |
//! | recovered files | each takes the place of one that somebody changed, and the last of them is what the log says |
//! | events | gapless from 1, each what its log says, in the order that was kept |
//! | archive | what the logs say, with the tags of the round in which the game ended |
//! | `games.pdn`, `started.pdn` | what the logs say now, with the delay; the profile's readers take it |
//! | the folder | no file that nobody explains; with a delay, nothing of `live/` and `log/` is everybody's to read |
//!
//! A file that lacks its end is no fault: the logs come first, and a start of the station completes it. Beside a running
//! station nothing else is different, because files are read before the logs that they are made of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use chrono::Local;

use super::{GameRecords, LineLogs, StationFolder, live_file};
use crate::engine::broadcast::events::{Generation, StreamKey};
use crate::engine::broadcast::{Board, Delay, WallTime};
use crate::engine::bytelog::{Header, LogFault, LogProblem};
use crate::engine::playback::PlayedGame;
use crate::engine::profile::{self, ReaderProfile};
use crate::engine::session::LineSettings;
use crate::station::disk::{self, Lock, RealDisk};
use crate::station::journal::chain::{self, Digest};
use crate::station::journal::commits;
use crate::station::journal::witness::Witnesses;
use crate::station::outlets::{
    self, ArchivedGame, Comparison, EventOrder, EventStreams, PendingEvents, PlannedOutlet, Plans, RoundBoards,
};
use crate::station::recorder::COMMITS_FILE;
use crate::station::tournament_log::{TOURNAMENT_FILE, TournamentLog};
use draughts_pdn::problem::{Level as ProblemLevel, Problem};

/// Files of an outlet whose text is checked for its readers.
const SNAPSHOTS: [&str; 2] = ["games.pdn", "started.pdn"];

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; nothing is to be done.
    Note,
    /// The next start of the station mends it.
    SelfHealing,
    /// Somebody has to look at it.
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
    /// A live file that somebody has changed, and whose place a recovered file has taken.
    SupersededLiveFile,
    /// A file of events.
    Events,
    /// A file of the archive.
    Archive,
    /// A file of an outlet that is replaced as a whole.
    PublicFile,
    /// A file in a folder for readers that nothing explains.
    UnknownFile,
    /// A folder, or something that is no file.
    StationFolder,
}

impl FindingKind {
    /// Whether the file is one that is made from the logs.
    pub fn is_output(self) -> bool {
        use FindingKind::{Archive, Events, LiveFile, PublicFile, UnknownFile};
        matches!(self, LiveFile | Events | Archive | PublicFile | UnknownFile)
    }
}

/// Something about a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FsckFinding {
    /// Its subject.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// Which file, from the folder on.
    pub file: PathBuf,
    /// What.
    pub message: String,
    /// What to do; empty for nothing.
    pub advice: &'static str,
}

/// What was found in a folder.
#[derive(Debug, Default)]
pub struct FsckReport {
    /// A station that runs there: ` (process 1234)`, as far as that is known.
    pub holder: Option<String>,
    /// Lines, by their logs.
    pub lines: usize,
    /// Logs.
    pub logs: usize,
    /// Bytes in them.
    pub bytes: u64,
    /// Games that they make.
    pub games: usize,
    /// Events that were told.
    pub events: usize,
    /// What is to be said, by file.
    pub findings: Vec<FsckFinding>,
}

impl FsckReport {
    /// Is nothing wrong?
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity < Severity::Error)
    }

    /// How many findings are of a level.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    fn add(
        &mut self,
        kind: FindingKind,
        severity: Severity,
        file: impl Into<PathBuf>,
        what: impl Into<String>,
        advice: &'static str,
    ) {
        self.findings.push(FsckFinding { kind, severity, file: file.into(), message: what.into(), advice });
    }
}

/// What stands in a folder beside the logs, looked at before they are read.
struct FolderContents {
    /// The files of `live/` and the outlets, by their path from the folder on.
    files: BTreeMap<PathBuf, Digest>,
    /// What the snapshots hold.
    snapshots: BTreeMap<PathBuf, Vec<u8>>,
    outlets: Vec<FoundOutlet>,
    /// What is no file at all, each with what it is.
    not_regular: Vec<(PathBuf, String)>,
}

/// An outlet, and its files that grow.
struct FoundOutlet {
    planned: PlannedOutlet,
    events: GrowingFileSnapshot,
    order: GrowingFileSnapshot,
}

impl FoundOutlet {
    /// A file of it, by its path from the station's folder on.
    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.planned.directory.join(name)
    }

    /// The order of its events, by its path from the station's folder on.
    fn order(&self) -> PathBuf {
        Path::new("log").join(outlets::order_file(&self.planned.name))
    }
}

/// A file that grows, as long as it was; `None`: it was not there.
struct GrowingFileSnapshot(Option<(File, u64)>);

impl GrowingFileSnapshot {
    fn open(path: &Path) -> io::Result<GrowingFileSnapshot> {
        match disk::open_to_read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(GrowingFileSnapshot(None)),
            file => {
                let file = file?;
                let length = file.metadata()?.len();
                Ok(GrowingFileSnapshot(Some((file, length))))
            }
        }
    }

    /// Returns its length; 0 if it was not there.
    fn length(&self) -> u64 {
        self.0.as_ref().map_or(0, |(_, length)| *length)
    }

    /// Returns a reader from a byte on, which shares its position with no other.
    fn from(&self, byte: u64) -> Box<dyn BufRead + '_> {
        match &self.0 {
            None => Box::new(io::empty()),
            Some((file, end)) => Box::new(BufReader::new(Piece { file, at: byte, end: *end })),
        }
    }
}

/// Part of a file that is read.
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

/// Checks the folder of a station. Nothing is changed.
///
/// # Errors
///
/// When it cannot be read.
pub fn check(directory: &Path) -> io::Result<FsckReport> {
    if !directory.join("log").is_dir() {
        fs::read_dir(directory)?;
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no folder log/ in it"));
    }
    let mut holder = Lock::find_holder(directory);
    // Read first, so that the files are ahead of them.
    let witnesses = commits::witnesses(&RealDisk, &directory.join(COMMITS_FILE))?;
    let found = FolderContents::read(directory)?;
    // What is said of live files waits until it is known whether a station runs.
    let (mut live, mut records) = (LiveFileCheck::default(), GameRecords::new());
    let folder = StationFolder::read_with(directory, |line, game| {
        live.check(&found, &super::file_prefix(line, &game), &game);
        if let Some(record) = outlets::record(&game) {
            records.entry(line.to_owned()).or_default().push((game.board, record));
        }
    })?;
    holder = holder.or_else(|| Lock::find_holder(directory));
    let now = Local::now().fixed_offset();
    let mut report =
        FsckReport { holder: holder, lines: folder.lines.len(), games: live.games, ..FsckReport::default() };
    for problem in &folder.plans.problems {
        report.add(
            FindingKind::Plan,
            Severity::Error,
            "log",
            problem.clone(),
            "put the file aside; the station writes another when it starts",
        );
    }
    if let Some(missing) = folder.plans.clone().set_witnesses(witnesses.clone()) {
        report.add(
            FindingKind::Plan,
            Severity::Error,
            "log",
            missing,
            "put a copy of it there; until then nothing is shown",
        );
    }
    let damage = match TournamentLog::read_witnessed(&RealDisk, &directory.join("log"), witnesses.clone()) {
        Ok(log) => log.damage().map(str::to_owned).or_else(|| log.store().tournament().err()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(damage) = &damage {
        let advice =
            "put a copy of it there and start the station again; until then nothing of the tournament can be changed";
        report.add(
            FindingKind::Record,
            Severity::Error,
            Path::new("log").join(TOURNAMENT_FILE),
            damage.clone(),
            advice,
        );
    }
    for (path, what) in found.not_regular.iter().chain(&folder.not_logs) {
        report.add(
            FindingKind::StationFolder,
            Severity::Error,
            path,
            what.as_str(),
            "a station does not read it, nor write into it",
        );
    }
    folder.lines.iter().for_each(|line| check_logs(line, &mut report));
    check_chains(&folder, &mut report)?;
    let LiveFileCheck { findings, known_files: mut explained, .. } = live;
    // A station that runs is about to complete them.
    let is_told = |finding: &FsckFinding| finding.severity != Severity::SelfHealing || report.holder.is_none();
    report.findings.extend(findings.into_iter().filter(is_told));
    let seating = folder.round_boards(records);
    let now = seating.latest_time.map_or(now, |latest| latest.max(now));
    for outlet in &found.outlets {
        if damage.is_some() {
            let directory = &outlet.planned.directory;
            let what = "while the record of the tournament is damaged it stays as it is, and is not checked";
            report.add(FindingKind::StationFolder, Severity::Note, directory, what, "");
            explained.extend(found.files.keys().filter(|file| file.starts_with(directory)).cloned());
            continue;
        }
        explained.extend(check_outlet(&seating, &found, (outlet, &witnesses), now, &mut report)?);
    }
    check_former_outlets(&folder, &mut report);
    check_unknown_files(&found, &explained, &folder, &mut report);
    check_modes(&folder, &mut report);
    report.findings.sort_by(|a, b| (&a.file, b.severity).cmp(&(&b.file, a.severity)));
    Ok(report)
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
            folders.extend(folders_in(directory, &planned.directory.join("round"))?);
            let mut outlet =
                FoundOutlet { planned, events: GrowingFileSnapshot(None), order: GrowingFileSnapshot(None) };
            // The order has the events before their file.
            outlet.events = grows(outlet.path(outlets::EVENTS_FILE))?;
            outlet.order = grows(outlet.order())?;
            outlets.push(outlet);
        }
        for folder in folders {
            let entries = match fs::read_dir(directory.join(&folder)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    continue;
                }
                let path = folder.join(entry.file_name());
                let is_one = |name: &str| outlets.iter().any(|outlet| path == outlet.path(name));
                let is_snapshot = SNAPSHOTS.iter().any(|name| is_one(name));
                let is_events = is_one(outlets::EVENTS_FILE);
                match disk::open_to_read(&entry.path()) {
                    // It is told already.
                    Err(error) if disk::is_not_regular_file(&error) && odd.iter().any(|(known, _)| *known == path) => {}
                    Err(error) if disk::is_not_regular_file(&error) => odd.push((path, error.to_string())),
                    Ok(mut file) if is_snapshot => {
                        let mut bytes = Vec::new();
                        file.read_to_end(&mut bytes)?;
                        files.insert(path.clone(), Digest::from_bytes(&bytes));
                        snapshots.insert(path, bytes);
                    }
                    // It is read when it is compared.
                    Ok(_) if is_events => drop(files.insert(path, Digest::default())),
                    Ok(mut file) => drop(files.insert(path, Digest::compute(|piece| file.read(piece))?)),
                    // A file that was replaced in this very moment.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(FolderContents { files, snapshots, outlets, not_regular: odd })
    }
}

/// The folders in a folder, by their path from the station's on.
fn folders_in(directory: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(folder.join(entry.file_name()));
        }
    }
    Ok(folders)
}

fn relative(path: &Path) -> PathBuf {
    Path::new("log").join(path.file_name().unwrap_or_default())
}

fn check_logs(line: &LineLogs, report: &mut FsckReport) {
    let mut before: Option<&Header> = None;
    // A log that nothing can be read of is there all the same.
    let mut number_before = None;
    let last = line.logs.last().map(|log| log.file.number);
    for log in &line.logs {
        let path = relative(&log.file.path);
        let (header, summary) = (&log.header, &log.summary);
        let is_next = number_before.is_none_or(|before| before + 1 == log.file.number);
        number_before = Some(log.file.number);
        report.logs += 1;
        report.bytes += summary.bytes;
        if let Some(damage) = summary.damage.as_ref().filter(|damage| damage.fault == LogFault::ZeroBytes) {
            // There is no copy of what never reached a disk.
            let severity = if Some(log.file.number) == last { Severity::SelfHealing } else { Severity::Note };
            report.add(FindingKind::Log, severity, &path, damage.to_string(), "");
        } else if let Some(damage) = &summary.damage {
            let what = format!("{damage}; {} records before it are used", summary.records);
            report.add(
                FindingKind::Log,
                Severity::Error,
                &path,
                what,
                "restore the file from a copy; what follows the damage is not used",
            );
        }
        for problem in &summary.problems {
            let is_last = Some(log.file.number) == last && report.holder.is_some();
            match problem {
                LogProblem::TornEnd { .. } if is_last => {}
                LogProblem::TornEnd { .. } => {
                    report.add(
                        FindingKind::Log,
                        Severity::Note,
                        &path,
                        format!("{problem}: a crash; nothing was published of it"),
                        "",
                    );
                }
                _ => report.add(FindingKind::Log, Severity::Note, &path, problem.to_string(), ""),
            }
        }
        if header.line.as_deref().is_some_and(|named| named != line.name) {
            let what = format!("it is of the line {}", header.line.as_deref().unwrap_or_default());
            report.add(FindingKind::Log, Severity::Error, &path, what, "give the file its own name again");
        }
        let Some(opened) = header.opened else {
            // A start that was cut off in the middle of the head.
            let (severity, advice) =
                if summary.records == 0 { (Severity::Note, "") } else { (Severity::Error, "restore it") };
            report.add(
                FindingKind::Log,
                severity,
                &path,
                "it does not say when it was opened, so it is not used",
                advice,
            );
            continue;
        };
        match before {
            Some(_) if !is_next => {
                let what = format!("the log before it, {}-{}.log, is missing", line.name, log.file.number - 1);
                report.add(
                    FindingKind::Log,
                    Severity::Error,
                    &path,
                    what,
                    "restore it; the games that it holds part of are not complete",
                );
            }
            Some(header) if header.opened > Some(opened) => {
                report.add(
                    FindingKind::Log,
                    Severity::Error,
                    &path,
                    "it was opened before the log before it",
                    "restore the files from a copy",
                );
            }
            None if header.continues() == Some(true) => {
                report.add(
                    FindingKind::Log,
                    Severity::Error,
                    &path,
                    "it goes on from a log that is not there",
                    "restore the log before it",
                );
            }
            _ => {}
        }
        before = Some(header);
    }
    if let Err(error) = &line.playback {
        report.add(
            FindingKind::Log,
            Severity::Error,
            format!("log/{}", line.name),
            format!("the logs cannot be played: {error}"),
            "see the logs",
        );
    }
}

/// Each log but the last is what the one behind it says of it.
fn check_chains(folder: &StationFolder, report: &mut FsckReport) -> io::Result<()> {
    let claims = chain::previous_logs(&folder.directory.join("log"))?;
    for log in folder.lines.iter().flat_map(|line| &line.logs) {
        let end = log.commits_tail.as_ref().map(|(at, bytes)| (*at, &bytes[..]));
        if let Some(what) = chain::difference(&log.file, end, &claims) {
            let advice = "restore the file from a copy; its games may be made otherwise than they were published";
            report.add(FindingKind::Log, Severity::Error, relative(&log.file.path), what, advice);
        }
    }
    Ok(())
}

/// The first thing that a reader of a profile would stumble over.
fn first_problem(profile: ReaderProfile, bytes: &[u8]) -> Option<Problem> {
    let problems = profile::check(profile, bytes, None);
    problems.into_iter().find(|problem| problem.level == ProblemLevel::Error)
}

/// What a file is to the game that it should hold.
enum FileMatch {
    Identical,
    /// So many bytes are missing, or its result.
    Prefix(usize),
    Different,
}

/// How a file is like its game; and what then stands in it.
fn match_file(found: &Digest, game: &PlayedGame) -> (FileMatch, Vec<u8>) {
    let (mut whole, appended) = (game.file.bytes(), game.file.body_bytes());
    let length = usize::try_from(found.length).unwrap_or(usize::MAX);
    let begins = |all: &[u8]| all.get(..length).is_some_and(|beginning| Digest::from_bytes(beginning) == *found);
    let missing = whole.len().saturating_sub(length);
    if begins(&whole) {
        whole.truncate(length);
        (if missing == 0 { FileMatch::Identical } else { FileMatch::Prefix(missing) }, whole)
    } else if begins(&appended) {
        (FileMatch::Prefix(missing), appended[..length].to_vec())
    } else {
        (FileMatch::Different, Vec::new())
    }
}

/// What live files were found to be, game by game.
#[derive(Default)]
struct LiveFileCheck {
    games: usize,
    findings: Vec<FsckFinding>,
    /// The files that belong to a game.
    known_files: BTreeSet<PathBuf>,
}

impl LiveFileCheck {
    fn check(&mut self, found: &FolderContents, prefix: &str, game: &PlayedGame) {
        self.games += 1;
        let own = live_file(prefix, game.number());
        let recovered =
            (1..).map(|count| Path::new("live").join(format!("{prefix}-{}.recovered-{count}.pdn", game.number())));
        let recovered: Vec<PathBuf> = recovered.take_while(|path| found.files.contains_key(path)).collect();
        let all: Vec<&PathBuf> = std::iter::once(&own).chain(&recovered).collect();
        let mut is_held = false;
        for (index, path) in all.iter().enumerate() {
            let mut add = |severity, what: String, advice| {
                let kind = match severity {
                    Severity::Note => FindingKind::SupersededLiveFile,
                    _ => FindingKind::LiveFile,
                };
                self.findings.push(FsckFinding { kind, severity, file: (*path).clone(), message: what, advice });
            };
            self.known_files.insert((*path).clone());
            let is_last = index + 1 == all.len();
            let Some(digest) = found.files.get(*path) else {
                add(Severity::SelfHealing, "it is not there; the log has its game".to_owned(), "");
                continue;
            };
            let (likeness, bytes) = match_file(digest, game);
            match likeness {
                FileMatch::Identical | FileMatch::Prefix(_) if is_held => {
                    let what = "the game is in a file before it as well".to_owned();
                    add(Severity::Error, what, "damcast rebuild puts it aside");
                }
                FileMatch::Identical => is_held = true,
                FileMatch::Prefix(missing) => {
                    is_held = true;
                    add(Severity::SelfHealing, format!("it lacks its last {missing} bytes, or its result"), "");
                }
                FileMatch::Different if is_last => {
                    let what = "it is not what the log says: somebody has changed it".to_owned();
                    let advice = "the next start goes on in a recovered file; damcast rebuild puts this one aside";
                    add(Severity::Error, what, advice);
                }
                FileMatch::Different => {
                    let what = "somebody has changed it; the recovered file beside it has taken its place".to_owned();
                    add(Severity::Note, what, "");
                }
            }
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            if let Some(first_error) = first_problem(ReaderProfile::Standard, &bytes[..whole]).filter(|_| is_held) {
                let what = format!("it is not strict PDN: {first_error}");
                add(Severity::Error, what, "this is a fault of damcast; please report it");
            }
        }
    }
}

/// Returns the files of an outlet that are what they should be, or were found wanting.
fn check_outlet(
    seating: &RoundBoards,
    found: &FolderContents,
    (outlet, witnesses): (&FoundOutlet, &Witnesses),
    now: WallTime,
    report: &mut FsckReport,
) -> io::Result<BTreeSet<PathBuf>> {
    let mut explained = BTreeSet::from([outlet.path(outlets::EVENTS_FILE)]);
    check_events(seating, (outlet, witnesses), now, report)?;
    if seating.plans.current().is_none() {
        let is_of_it = |path: &&PathBuf| path.starts_with(&outlet.planned.directory);
        if found.files.keys().any(|path| is_of_it(&path)) {
            let what = "there is no plan of the round, log/round-K.plan, so the public files cannot be checked";
            report.add(
                FindingKind::StationFolder,
                Severity::Error,
                &outlet.planned.directory,
                what,
                "start the station once; it writes the plan",
            );
        }
        return Ok(found.files.keys().filter(is_of_it).cloned().collect());
    }
    check_archive(seating, outlet, found, now, report, &mut explained);
    check_public_files(seating, outlet, found, now, report, &mut explained);
    Ok(explained)
}

/// Compares the files that are replaced as a whole with what they should be now.

fn check_public_files(
    seating: &RoundBoards,
    outlet: &FoundOutlet,
    found: &FolderContents,
    now: WallTime,
    report: &mut FsckReport,
    explained: &mut BTreeSet<PathBuf>,
) {
    let PlannedOutlet { profile, is_suspended, .. } = outlet.planned;
    for file in outlets::files(seating, &outlet.planned, now) {
        let name = outlet.path(&file.path);
        if let Some(problem) = found.snapshots.get(&name).and_then(|bytes| first_problem(profile, bytes)) {
            let what = format!("readers of the profile {profile} would stumble: {problem}");
            let advice = "damcast rebuild puts it aside and writes it again";
            report.add(FindingKind::PublicFile, Severity::Error, &name, what, advice);
        }
        let what = match found.files.get(&name) {
            Some(digest) if *digest == Digest::from_bytes(file.text().as_bytes()) => None,
            Some(_) => Some("it is not what the logs say now"),
            None => Some("it is not there"),
        };
        if let Some(what) = what.filter(|_| report.holder.is_none()) {
            let held = "its outlet is held back by the configuration: it stays as it was";
            let (severity, what) = if is_suspended { (Severity::Note, held) } else { (Severity::SelfHealing, what) };
            report.add(FindingKind::PublicFile, severity, &name, what, "");
        }
        explained.insert(name);
    }
}

fn check_events(
    seating: &RoundBoards,
    (found, witnesses): (&FoundOutlet, &Witnesses),
    now: WallTime,
    report: &mut FsckReport,
) -> io::Result<()> {
    let outlet = &found.planned;
    let name = found.path(outlets::EVENTS_FILE);
    let read = || EventOrder::read(&outlet.name, found.order.from(0), found.events.from(0), witnesses);
    let names = seating.history().names_version(outlet.delay, now);
    let (mut written, mut missing) = (BTreeMap::new(), 0);
    let mut generation = Generation { id: String::new(), station: String::new(), names };
    if let Some(order) = read()? {
        generation = order.generation.clone();
        let Some(order) = check_order(found, order, report)? else { return Ok(()) };
        let mut streams = EventStreams::new(seating.boards(), seating.history(), &generation);
        let mut again = read()?;
        let compared = match &mut again {
            Some(order) => outlets::compare(order, found.events.from(0), &mut streams, |_, _| {})?,
            None => Comparison::Other { line: 1, event: None },
        };
        match compared {
            Comparison::Beginning { right, missing: of_order, unknown } => {
                missing = of_order;
                if unknown > 0 {
                    let what = format!("{unknown} events are of games whose logs are not here");
                    report.add(FindingKind::Events, Severity::Note, &name, what, "");
                }
                if right < found.events.length() {
                    let what = format!("from byte {right} on bytes are zero: a loss of power");
                    report.add(FindingKind::Events, Severity::SelfHealing, &name, what, "");
                }
            }
            Comparison::Other { .. } if is_of_another_generation(found, &generation, witnesses)? => {
                report.add(
                    FindingKind::Events,
                    Severity::SelfHealing,
                    &name,
                    "it is of another generation than its order",
                    "",
                );
                return Ok(());
            }
            Comparison::Other { line, event } => {
                let what = match event {
                    Some(event) if event.board.is_empty() => {
                        format!("line {line} is not what the record of the tournament says")
                    }
                    Some(event) => format!("line {line} is not what the log of {} says", event.board),
                    None => format!("line {line} and what follows it are in no log"),
                };
                report.add(
                    FindingKind::Events,
                    Severity::Error,
                    &name,
                    what,
                    "the next start puts it aside and writes it again",
                );
                return Ok(());
            }
        }
        written = order.written;
    } else if found.events.length() > 0 {
        let advice = "the next start puts it aside and writes it again";
        report.add(FindingKind::Events, Severity::Error, &name, "line 1 and what follows it are in no log", advice);
        return Ok(());
    } else if found.order.length() > 0 {
        report.add(
            FindingKind::Order,
            Severity::SelfHealing,
            found.order(),
            "it does not say of which generation it is",
            "",
        );
    }
    if seating.plans.current().is_some() && report.holder.is_none() && !outlet.is_suspended {
        let boards: Vec<&Board> = seating.boards().collect();
        let written = |stream: &StreamKey| written.get(stream).copied().unwrap_or(0);
        missing +=
            PendingEvents::new(&boards, (seating.history(), &generation), outlet.delay, now, written).remaining();
        if generation.names < names {
            report.add(FindingKind::Events, Severity::SelfHealing, &name, "it has names that are hidden now", "");
        }
    }
    if missing > 0 && report.holder.is_none() {
        report.add(FindingKind::Events, Severity::SelfHealing, &name, format!("{missing} events are not told yet"), "");
    }
    Ok(())
}

/// Reads an order to its end. Returns `None` if nothing can be said of its events.
fn check_order<'o>(
    found: &FoundOutlet,
    mut order: EventOrder<'o>,
    report: &mut FsckReport,
) -> io::Result<Option<EventOrder<'o>>> {
    let mut strange: Option<String> = None;
    let mut last: BTreeMap<StreamKey, u64> = BTreeMap::new();
    while let Some(event) = order.next_event()? {
        let known = last.insert(event.key(), event.n).unwrap_or(0);
        if event.n != known + 1 {
            let what = || format!("event {} of game {} of {} follows event {known}", event.n, event.game, event.board);
            strange.get_or_insert_with(what);
        }
        report.events += 1;
    }
    if let Some(what) = strange {
        let advice = "put the file aside with events.ndjson; both are made again";
        report.add(FindingKind::Order, Severity::Error, found.order(), what, advice);
        return Ok(None);
    }
    if let Err(mismatch) = order.check_witness() {
        if order.has_generation {
            let advice = "put a copy of it there; until then nothing is shown in its outlet";
            report.add(FindingKind::Order, Severity::Error, found.order(), mismatch.to_string(), advice);
            return Ok(None);
        }
        report.add(
            FindingKind::Order,
            Severity::SelfHealing,
            found.order(),
            format!("{mismatch}; the events begin another generation"),
            "",
        );
        return Ok(Some(order));
    }
    let is_being_written = || -> io::Result<bool> {
        let mut rest = Vec::new();
        found.order.from(order.right).read_until(b'\n', &mut rest)?;
        Ok(report.holder.is_some() && !rest.ends_with(b"\n"))
    };
    if !order.is_whole(found.order.length()) && !is_being_written()? {
        let what = match order.recovered {
            0 => format!("what follows event {} is not right", order.seq),
            count => format!("it lacks {count} events that stand in {}", outlets::EVENTS_FILE),
        };
        report.add(FindingKind::Order, Severity::SelfHealing, found.order(), what, "");
    }
    Ok(Some(order))
}

/// Whether the lines of a file say that they are of another generation.
fn is_of_another_generation(found: &FoundOutlet, generation: &Generation, witnesses: &Witnesses) -> io::Result<bool> {
    let lines = EventOrder::read(&found.planned.name, Box::new(io::empty()), found.events.from(0), witnesses)?;
    Ok(lines.is_some_and(|lines| lines.generation.id != generation.id))
}

fn check_archive(
    seating: &RoundBoards,
    outlet: &FoundOutlet,
    found: &FolderContents,
    now: WallTime,
    report: &mut FsckReport,
    explained: &mut BTreeSet<PathBuf>,
) {
    let none = BTreeMap::new();
    let due = |delay| outlets::archived_games(seating, delay, now, &none);
    let shown: BTreeSet<PathBuf> = due(outlet.planned.delay).map(|of| of.path).collect();
    for ArchivedGame { path, text, prior_texts: earlier, .. } in due(Delay::NO_DELAY) {
        let name = outlet.path(&path);
        explained.insert(name.clone());
        match found.files.get(&name) {
            Some(digest) if *digest == Digest::from_bytes(text.as_bytes()) => {}
            // A correction may not be seen yet.
            Some(digest) if earlier.iter().any(|text| *digest == Digest::from_bytes(text.as_bytes())) => {
                let lacks = !outlet.planned.has_delay() && report.holder.is_none() && !outlet.planned.is_suspended;
                report.findings.extend(lacks.then(|| FsckFinding {
                    kind: FindingKind::Archive,
                    severity: Severity::SelfHealing,
                    file: name.clone(),
                    message: "it lacks what was corrected since".to_owned(),
                    advice: "",
                }));
            }
            Some(_) => {
                let what = "it is not what the logs say";
                report.add(
                    FindingKind::Archive,
                    Severity::Error,
                    &name,
                    what,
                    "damcast rebuild puts it aside and writes it again",
                );
            }
            None if shown.contains(&path) && report.holder.is_none() && !outlet.planned.is_suspended => {
                report.add(FindingKind::Archive, Severity::SelfHealing, &name, "it is not there", "");
            }
            None => {}
        }
        if let Some(first_error) = first_problem(ReaderProfile::Standard, text.as_bytes()) {
            report.add(
                FindingKind::Archive,
                Severity::Error,
                &name,
                format!("it is not strict PDN: {first_error}"),
                "this is a fault of damcast; please report it",
            );
        }
    }
}

/// Folders of outlets that there are no more: what was shown there stays.
fn check_former_outlets(folder: &StationFolder, report: &mut FsckReport) {
    let current = super::outlets(&folder.plans);
    let former = folder.plans.all.iter().flat_map(|plan| &plan.outlets);
    let former: BTreeSet<&PathBuf> = former.map(|outlet| &outlet.directory).collect();
    let is_current = |directory: &Path| current.iter().any(|outlet| outlet.directory == directory);
    for directory in former.into_iter().filter(|directory| !is_current(directory)) {
        if folder.directory.join(directory).is_dir() {
            let what = "it is of an outlet that the configuration does not have any more, so it is not checked";
            report.add(FindingKind::StationFolder, Severity::Note, directory, what, "");
        }
    }
}

/// Files that nobody explains.
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
                report.add(
                    FindingKind::UnknownFile,
                    Severity::SelfHealing,
                    path,
                    "it was being written when the station was killed",
                    "",
                );
            }
        } else if name.contains(".aside-") {
            report.add(FindingKind::UnknownFile, Severity::Note, path, "it was put aside by damcast", "");
        } else if is_from_older_log(folder, &name) {
            report.add(
                FindingKind::UnknownFile,
                Severity::Note,
                path,
                "the log of this game is not here any more, so it cannot be checked",
                "",
            );
        } else {
            report.add(
                FindingKind::UnknownFile,
                Severity::Error,
                path,
                "no log knows of this file",
                "put it elsewhere; this folder is read by others",
            );
        }
    }
}

/// Is this the file of a game that was played before the first log that is here?
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
                (
                    crate::station::live_files::file_prefix(&line.name, Some(*address), board.name.as_deref()),
                    board.games_before,
                )
            });
            of_boards.filter(|(name, _)| name == prefix).map(|(_, before)| before).max().unwrap_or(0)
        };
        number <= before
    })
}

/// With a delay, what is not delayed is not everybody's.
fn check_modes(folder: &StationFolder, report: &mut FsckReport) {
    if !folder.plans.current().is_some_and(|plan| plan.outlets.iter().any(PlannedOutlet::has_delay)) {
        return;
    }
    for name in ["live", "log"] {
        let mode = fs::metadata(folder.directory.join(name)).map(|metadata| metadata.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o007 != 0) {
            let what = "the public files have a delay, and everybody on this machine can read what is not delayed";
            report.add(
                FindingKind::StationFolder,
                Severity::Error,
                name,
                what,
                "chmod o-rwx; the station does it when it starts",
            );
        }
    }
}
