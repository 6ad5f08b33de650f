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
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use chrono::Local;

use super::{GameRecords, LineLogs, StationFolder, live_file};
use crate::engine::broadcast::events::{EventId, StreamKey};
use crate::engine::broadcast::snapshot::{BoardSelection, Snapshot};
use crate::engine::broadcast::{Board, Delay, WallTime, documents};
use crate::engine::bytelog::{Header, LogFault, LogProblem};
use crate::engine::playback::PlayedGame;
use crate::engine::profile::{self, ReaderProfile};
use crate::engine::session::LineSettings;
use crate::station::disk::{self, Lock, RealDisk};
use crate::station::journal::chain::{self, Digest};
use crate::station::outlets::{
    self, ArchivedGame, EventIdReader, EventStreams, EventsGap, EventsMismatch, GENERATIONS_FILE, PendingEvents,
    PlannedOutlet, Plans, RoundBoards,
};
use crate::station::tournament_log::{TOURNAMENT_FILE, TournamentLog};
use draughts_pdn::problem::{Level as ProblemLevel, Problem};

/// The files of an outlet that are replaced as a whole.
const SNAPSHOTS: [(&str, BoardSelection); 2] =
    [("games.pdn", BoardSelection::All), ("started.pdn", BoardSelection::Started)];

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

/// Something about a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FsckFinding {
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
    pub fn count(&self, level: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == level).count()
    }

    fn add(&mut self, level: Severity, file: impl Into<PathBuf>, what: impl Into<String>, advice: &'static str) {
        self.findings.push(FsckFinding { severity: level, file: file.into(), message: what.into(), advice });
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

    /// It is read from a byte on.
    fn from(&self, byte: u64) -> io::Result<Box<dyn BufRead + '_>> {
        let Some((mut file, length)) = self.0.as_ref().map(|(file, length)| (file, *length)) else {
            return Ok(Box::new(io::empty()));
        };
        file.seek(SeekFrom::Start(byte))?;
        Ok(Box::new(BufReader::new(file.take(length.saturating_sub(byte)))))
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
    let mut station = Lock::find_holder(directory);
    let found = FolderContents::read(directory)?;
    // What is said of live files waits until it is known whether a station runs.
    let (mut live, mut records) = (LiveFileCheck::default(), GameRecords::new());
    let folder = StationFolder::read_with(directory, |line, game| {
        live.check(&found, &super::file_prefix(line, &game), &game);
        if let Some(record) = outlets::record(&game) {
            records.entry(line.to_owned()).or_default().push((game.board, record));
        }
    })?;
    station = station.or_else(|| Lock::find_holder(directory));
    let now = Local::now().fixed_offset();
    let mut report =
        FsckReport { holder: station, lines: folder.lines.len(), games: live.games, ..FsckReport::default() };
    for problem in &folder.plans.problems {
        report.add(
            Severity::Error,
            "log",
            problem.clone(),
            "put the file aside; the station writes another when it starts",
        );
    }
    for problem in &folder.generations.problems {
        let advice = "the next start writes it again, from what the lines of events carry";
        report.add(Severity::Error, Path::new("log").join(GENERATIONS_FILE), problem.clone(), advice);
    }
    let damage = match TournamentLog::read(&RealDisk, &directory.join("log")) {
        Ok(log) => log.damage().map(str::to_owned).or_else(|| log.store().tournament().err()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(damage) = &damage {
        let advice =
            "put a copy of it there and start the station again; until then nothing of the tournament can be changed";
        report.add(Severity::Error, Path::new("log").join(TOURNAMENT_FILE), damage.clone(), advice);
    }
    for (path, what) in found.not_regular.iter().chain(&folder.not_logs) {
        report.add(Severity::Error, path, what.as_str(), "a station does not read it, nor write into it");
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
            report.add(Severity::Note, directory, what, "");
            explained.extend(found.files.keys().filter(|file| file.starts_with(directory)).cloned());
            continue;
        }
        explained.extend(check_outlet(&seating, &found, outlet, now, &mut report)?);
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
                let is_snapshot = SNAPSHOTS.iter().any(|(name, _)| is_one(name));
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
            let level = if Some(log.file.number) == last { Severity::SelfHealing } else { Severity::Note };
            report.add(level, &path, damage.to_string(), "");
        } else if let Some(damage) = &summary.damage {
            let what = format!("{damage}; {} records before it are used", summary.records);
            report.add(
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
                    report.add(Severity::Note, &path, format!("{problem}: a crash; nothing was published of it"), "");
                }
                _ => report.add(Severity::Note, &path, problem.to_string(), ""),
            }
        }
        if header.line.as_deref().is_some_and(|named| named != line.name) {
            let what = format!("it is of the line {}", header.line.as_deref().unwrap_or_default());
            report.add(Severity::Error, &path, what, "give the file its own name again");
        }
        let Some(opened) = header.opened else {
            // A start that was cut off in the middle of the head.
            let (level, advice) =
                if summary.records == 0 { (Severity::Note, "") } else { (Severity::Error, "restore it") };
            report.add(level, &path, "it does not say when it was opened, so it is not used", advice);
            continue;
        };
        match before {
            Some(_) if !is_next => {
                let what = format!("the log before it, {}-{}.log, is missing", line.name, log.file.number - 1);
                report.add(
                    Severity::Error,
                    &path,
                    what,
                    "restore it; the games that it holds part of are not complete",
                );
            }
            Some(header) if header.opened > Some(opened) => {
                report.add(
                    Severity::Error,
                    &path,
                    "it was opened before the log before it",
                    "restore the files from a copy",
                );
            }
            None if header.continues() == Some(true) => {
                report.add(
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
            report.add(Severity::Error, relative(&log.file.path), what, advice);
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
            let mut add = |level, what: String, advice| {
                self.findings.push(FsckFinding { severity: level, file: (*path).clone(), message: what, advice });
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
            if let Some(flaw) = first_problem(ReaderProfile::Standard, &bytes[..whole]).filter(|_| is_held) {
                let what = format!("it is not strict PDN: {flaw}");
                add(Severity::Error, what, "this is a fault of damcast; please report it");
            }
        }
    }
}

/// Returns the files of an outlet that are what they should be, or were found wanting.
fn check_outlet(
    seating: &RoundBoards,
    found: &FolderContents,
    outlet: &FoundOutlet,
    now: WallTime,
    report: &mut FsckReport,
) -> io::Result<BTreeSet<PathBuf>> {
    let mut explained = BTreeSet::new();
    check_events(seating, outlet, now, report, &mut explained)?;
    if seating.plans.current().is_none() {
        let is_of_it = |path: &&PathBuf| path.starts_with(&outlet.planned.directory);
        if found.files.keys().any(|path| is_of_it(&path)) {
            let what = "there is no plan of the round, log/round-K.plan, so the public files cannot be checked";
            report.add(Severity::Error, &outlet.planned.directory, what, "start the station once; it writes the plan");
        }
        return Ok(found.files.keys().filter(is_of_it).cloned().collect());
    }
    check_archive(seating, outlet, found, now, report, &mut explained);
    check_rounds(seating, found, outlet, now, report, &mut explained);
    let PlannedOutlet { delay, profile, .. } = outlet.planned;
    let tournament = seating.history().tournament(seating.history().visible_records(delay, now));
    let places = outlets::current_entries(seating, &tournament, delay, now);
    for (name, which) in SNAPSHOTS {
        let name = outlet.path(name);
        explained.insert(name.clone());
        let Some(bytes) = found.snapshots.get(&name) else {
            report.add(Severity::SelfHealing, &name, "it is not there", "");
            continue;
        };
        if let Some(flaw) = first_problem(profile, bytes) {
            let what = format!("readers of the profile {profile} would stumble: {flaw}");
            report.add(Severity::Error, &name, what, "damcast rebuild puts it aside and writes it again");
        }
        let text = Snapshot::from_entries(&places, which, profile).text;
        if text.as_bytes() == bytes.as_slice() || report.holder.is_some() {
            continue;
        }
        if outlet.planned.is_suspended {
            let what = "its outlet is held back by the configuration: it stays as it was";
            report.add(Severity::Note, &name, what, "");
        } else {
            report.add(Severity::SelfHealing, &name, "it is not what the logs say now", "");
        }
    }
    Ok(explained)
}

fn check_events(
    seating: &RoundBoards,
    found: &FoundOutlet,
    now: WallTime,
    report: &mut FsckReport,
    explained: &mut BTreeSet<PathBuf>,
) -> io::Result<()> {
    let boards: Vec<&Board> = seating.boards().collect();
    let (order, name) = (found.order(), found.path(outlets::EVENTS_FILE));
    explained.insert(name.clone());
    let mut places = EventIdReader::new(found.order.from(0)?);
    while places.next_id()?.is_some() {}
    let (count, right) = (places.count, places.valid_bytes);
    let length = found.order.0.as_ref().map_or(0, |(_, length)| *length);
    let is_being_written = || -> io::Result<bool> {
        let mut rest = Vec::new();
        found.order.from(right)?.read_until(b'\n', &mut rest)?;
        Ok(report.holder.is_some() && !rest.ends_with(b"\n"))
    };
    if right < length && !is_being_written()? {
        let what = format!("line {} and what follows it are not right", count + 1);
        report.add(Severity::SelfHealing, &order, what, "");
    }
    let mut generations = seating.generations.clone();
    if generations.learn_origins(&found.planned.name, found.events.from(0)?)? {
        let what = format!("it does not have the generation that the lines of {} carry", name.display());
        report.add(Severity::SelfHealing, Path::new("log").join(GENERATIONS_FILE), what, "");
    }
    let origins = generations.origins_of(&found.planned.name);
    let (mut written, mut strange): (BTreeMap<StreamKey, u64>, Option<String>) = (BTreeMap::new(), None);
    let each = |_, place: &EventId| {
        let known = written.entry(place.key()).or_insert(0);
        if place.n != *known + 1 {
            let what = || format!("event {} of game {} of {} follows event {known}", place.n, place.game, place.board);
            strange.get_or_insert_with(what);
        }
        *known = place.n;
        report.events += 1;
    };
    let compared = outlets::compare(
        found.order.from(0)?,
        found.events.from(0)?,
        &mut EventStreams::new(seating.boards(), seating.history(), origins),
        each,
    )?;
    if let Some(what) = strange {
        report.add(Severity::Error, order, what, "put the file aside with events.ndjson; both are made again");
        return Ok(());
    }
    let lack = match compared {
        Ok(lack) => lack,
        Err(_) if generations.is_former(&found.planned.name, found.events.from(0)?)? => {
            report.add(Severity::SelfHealing, &name, "it is of an earlier generation", "");
            return Ok(());
        }
        Err(EventsMismatch { seq, event_id: place }) => {
            let what = match place {
                Some(place) if place.board.is_empty() => {
                    format!("line {seq} is not what the record of the tournament says")
                }
                Some(place) => format!("line {seq} is not what the log of {} says", place.board),
                None => format!("line {seq} and what follows it are in no log"),
            };
            report.add(Severity::Error, &name, what, "the next start puts it aside and writes it again");
            return Ok(());
        }
    };
    if let Some((from, to)) = lack.zeroed {
        let what = format!("from byte {from} on {} bytes are zero: a loss of power", to - from);
        report.add(Severity::SelfHealing, &name, what, "");
    }
    let EventsGap { missing_count: mut missing, unknown_count: unknown, .. } = lack;
    if unknown > 0 {
        report.add(Severity::Note, &name, format!("{unknown} events are of games whose logs are not here"), "");
    }
    if seating.plans.current().is_some() && report.holder.is_none() && !found.planned.is_suspended {
        let written = |stream: &StreamKey| written.get(stream).copied().unwrap_or(0);
        let told = (seating.history(), generations.names(&found.planned.name));
        missing += PendingEvents::new(&boards, told, found.planned.delay, now, written).remaining();
        if seating.history().names_version(found.planned.delay, now) > told.1 {
            report.add(Severity::SelfHealing, &name, "it has names that are not told any more", "");
        }
    }
    if missing > 0 && report.holder.is_none() {
        report.add(Severity::SelfHealing, &name, format!("{missing} events are not told yet"), "");
    }
    Ok(())
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
                    severity: Severity::SelfHealing,
                    file: name.clone(),
                    message: "it lacks what was corrected since".to_owned(),
                    advice: "",
                }));
            }
            Some(_) => {
                let what = "it is not what the logs say";
                report.add(Severity::Error, &name, what, "damcast rebuild puts it aside and writes it again");
            }
            None if shown.contains(&path) && report.holder.is_none() && !outlet.planned.is_suspended => {
                report.add(Severity::SelfHealing, &name, "it is not there", "");
            }
            None => {}
        }
        if let Some(flaw) = first_problem(ReaderProfile::Standard, text.as_bytes()) {
            report.add(
                Severity::Error,
                &name,
                format!("it is not strict PDN: {flaw}"),
                "this is a fault of damcast; please report it",
            );
        }
    }
}

/// The files of rounds.
fn check_rounds(
    seating: &RoundBoards,
    found: &FolderContents,
    outlet: &FoundOutlet,
    now: WallTime,
    report: &mut FsckReport,
    explained: &mut BTreeSet<PathBuf>,
) {
    let PlannedOutlet { delay, profile, .. } = outlet.planned;
    let tournament = seating.history().tournament(seating.history().visible_records(delay, now));
    let seen = seating.history().visible_records(delay, now);
    let texts = [documents::tournament_document(&tournament), documents::standings_document(&tournament)];
    for (name, text) in outlets::DOCUMENT_FILES.into_iter().zip(texts).filter(|_| seen > 0) {
        let name = outlet.path(name);
        let what = match found.files.get(&name) {
            Some(digest) if *digest == Digest::from_bytes(text.as_bytes()) => None,
            Some(_) => Some("it is not what the record of the tournament says now"),
            None => Some("it is not there"),
        };
        explained.insert(name.clone());
        if let Some(what) = what.filter(|_| report.holder.is_none() && !outlet.planned.is_suspended) {
            report.add(Severity::SelfHealing, &name, what, "");
        }
    }
    let games = outlets::games_of_pairings(seating, &tournament);
    for round in outlets::rounds(&tournament) {
        let places = outlets::round_entries(seating, &games, &tournament, round, (delay, now));
        for (name, which) in SNAPSHOTS {
            let name = outlet.path(format!("round/{round}/{name}"));
            explained.insert(name.clone());
            let text = Snapshot::from_entries(&places, which, profile).text;
            let what = match found.files.get(&name) {
                Some(digest) if *digest == Digest::from_bytes(text.as_bytes()) => continue,
                Some(_) => "it is not what the logs say now",
                None => "it is not there",
            };
            if report.holder.is_none() && !outlet.planned.is_suspended {
                report.add(Severity::SelfHealing, &name, what, "");
            }
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
            report.add(Severity::Note, directory, what, "");
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
                report.add(Severity::SelfHealing, path, "it was being written when the station was killed", "");
            }
        } else if name.contains(".aside-") {
            report.add(Severity::Note, path, "it was put aside by damcast", "");
        } else if is_from_older_log(folder, &name) {
            report.add(Severity::Note, path, "the log of this game is not here any more, so it cannot be checked", "");
        } else {
            report.add(
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
            report.add(Severity::Error, name, what, "chmod o-rwx; the station does it when it starts");
        }
    }
}
