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
//! | `games.pdn`, `started.pdn` | what the logs say at some moment, with the delay; the profile's readers take it |
//! | the folder | no file that nobody explains; with a delay, nothing of `live/` and `log/` is everybody's to read |
//!
//! A file that lacks its end is no fault: the logs come first, and a start of the station completes it. Beside a running
//! station nothing else is different, because files are read before the logs that they are made of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use chrono::Local;

use super::{Folder, LineOfLogs, live_file};
use crate::broadcast::events::Key;
use crate::broadcast::snapshot::{Boards, Snapshot};
use crate::broadcast::{Board, Delay, Moment};
use crate::bytelog::{Fault, Header, Problem as LogProblem};
use crate::disk::{self, Disk, Lock, RealDisk};
use crate::journal::chain;
use crate::pdn::problem::{Level as ProblemLevel, Problem};
use crate::pdn::profile::{self, Profile};
use crate::playback::{self, CONTINUES, Game};
use crate::round::{self, Lack, Plan, Plans, Seating};

/// At how many moments a snapshot is looked for at most, from the latest on: some days of a hall.
const MOST_MOMENTS: usize = 20_000;

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Worth knowing; nothing is to be done.
    Note,
    /// The next start of the station mends it.
    Mended,
    /// Somebody has to look at it.
    Wrong,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Note => "note",
            Level::Mended => "mended",
            Level::Wrong => "wrong",
        })
    }
}

/// Something about a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// Which file, from the folder on.
    pub file: PathBuf,
    /// What.
    pub what: String,
    /// What to do; empty for nothing.
    pub advice: &'static str,
}

/// What was found in a folder.
#[derive(Debug, Default)]
pub struct Report {
    /// A station that runs there: ` (process 1234)`, as far as that is known.
    pub station: Option<String>,
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
    pub findings: Vec<Finding>,
}

impl Report {
    /// Is nothing wrong?
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.level < Level::Wrong)
    }

    /// How many findings are of a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    fn add(&mut self, level: Level, file: impl Into<PathBuf>, what: impl Into<String>, advice: &'static str) {
        self.findings.push(Finding { level, file: file.into(), what: what.into(), advice });
    }
}

/// What stands in a folder beside the logs, read before them.
struct Found {
    /// The files of `live/` and `public/`, by their path from the folder on.
    files: BTreeMap<PathBuf, Vec<u8>>,
    order: Vec<u8>,
    /// What is no file at all, each with what it is.
    odd: Vec<(PathBuf, String)>,
}

/// Checks the folder of a station. Nothing is changed.
///
/// # Errors
///
/// When it cannot be read.
pub fn check(directory: &Path) -> io::Result<Report> {
    if !directory.join("log").is_dir() {
        fs::read_dir(directory)?;
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no folder log/ in it"));
    }
    let mut station = Lock::holder(directory);
    let found = Found::read(directory)?;
    let folder = Folder::read(directory)?;
    station = station.or_else(|| Lock::holder(directory));
    let now = Local::now().fixed_offset();
    let mut report = Report { station, lines: folder.lines.len(), ..Report::default() };
    for problem in &folder.plans.problems {
        report.add(
            Level::Wrong,
            "log",
            problem.clone(),
            "put the file aside; the station writes another when it starts",
        );
    }
    for (path, what) in found.odd.iter().chain(&folder.odd) {
        report.add(Level::Wrong, path, what.as_str(), "a station does not read it, nor write into it");
    }
    folder.lines.iter().for_each(|line| check_logs(line, &mut report));
    check_chains(&folder, &mut report)?;
    let mut explained = check_live(&folder, &found, &mut report);
    let seating = folder.seating();
    let now = seating.latest.map_or(now, |latest| latest.max(now));
    explained.extend(check_public(&folder, &seating, &found, now, &mut report));
    check_strangers(&found, &explained, &folder, &mut report);
    check_modes(&folder, &mut report);
    report.findings.sort_by(|a, b| (&a.file, b.level).cmp(&(&b.file, a.level)));
    Ok(report)
}

impl Found {
    fn read(directory: &Path) -> io::Result<Found> {
        let (mut files, mut odd) = (BTreeMap::new(), Vec::new());
        for folder in ["live", "public", "public/archive"] {
            let entries = match fs::read_dir(directory.join(folder)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    continue;
                }
                match RealDisk.read(&entry.path()) {
                    Err(error) if disk::is_odd(&error) => {
                        odd.push((Path::new(folder).join(entry.file_name()), error.to_string()));
                    }
                    Ok(bytes) => drop(files.insert(Path::new(folder).join(entry.file_name()), bytes)),
                    // A file that was replaced in this very moment.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        let order = match RealDisk.read(&directory.join("log/events.order")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) if disk::is_odd(&error) => {
                odd.push(("log/events.order".into(), error.to_string()));
                Vec::new()
            }
            order => order?,
        };
        Ok(Found { files, order, odd })
    }

    fn get(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        self.files.get(path.as_ref()).map(Vec::as_slice)
    }
}

fn relative(path: &Path) -> PathBuf {
    Path::new("log").join(path.file_name().unwrap_or_default())
}

fn check_logs(line: &LineOfLogs, report: &mut Report) {
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
        if let Some(damage) = summary.damage.as_ref().filter(|damage| damage.fault == Fault::Hole) {
            // There is no copy of what never reached a disk.
            let level = if Some(log.file.number) == last { Level::Mended } else { Level::Note };
            report.add(level, &path, damage.to_string(), "");
        } else if let Some(damage) = &summary.damage {
            let what = format!("{damage}; {} records before it are used", summary.records);
            report.add(Level::Wrong, &path, what, "restore the file from a copy; what follows the damage is not used");
        }
        for problem in &summary.problems {
            let is_last = Some(log.file.number) == last && report.station.is_some();
            match problem {
                LogProblem::TornEnd { .. } if is_last => {}
                LogProblem::TornEnd { .. } => {
                    report.add(Level::Note, &path, format!("{problem}: a crash; nothing was published of it"), "");
                }
                _ => report.add(Level::Note, &path, problem.to_string(), ""),
            }
        }
        if header.line.as_deref().is_some_and(|named| named != line.name) {
            let what = format!("it is of the line {}", header.line.as_deref().unwrap_or_default());
            report.add(Level::Wrong, &path, what, "give the file its own name again");
        }
        let Some(opened) = header.opened else {
            // A start that was cut off in the middle of the head.
            let (level, advice) = if summary.records == 0 { (Level::Note, "") } else { (Level::Wrong, "restore it") };
            report.add(level, &path, "it does not say when it was opened, so it is not used", advice);
            continue;
        };
        match before {
            Some(_) if !is_next => {
                let what = format!("the log before it, {}-{}.log, is missing", line.name, log.file.number - 1);
                report.add(Level::Wrong, &path, what, "restore it; the games that it holds part of are not complete");
            }
            Some(header) if header.opened > Some(opened) => {
                report.add(
                    Level::Wrong,
                    &path,
                    "it was opened before the log before it",
                    "restore the files from a copy",
                );
            }
            None if playback::key(header, CONTINUES) == Some("yes") => {
                report.add(Level::Wrong, &path, "it goes on from a log that is not there", "restore the log before it");
            }
            _ => {}
        }
        before = Some(header);
    }
    if let Err(error) = &line.played {
        report.add(
            Level::Wrong,
            format!("log/{}", line.name),
            format!("the logs cannot be played: {error}"),
            "see the logs",
        );
    }
}

/// Each log but the last is what the one behind it says of it.
fn check_chains(folder: &Folder, report: &mut Report) -> io::Result<()> {
    let claims = chain::claims(&folder.directory.join("log"))?;
    for log in folder.lines.iter().flat_map(|line| &line.logs) {
        let end = log.end.as_ref().map(|(at, bytes)| (*at, &bytes[..]));
        if let Some(what) = chain::difference(&log.file, end, &claims) {
            let advice = "restore the file from a copy; its games may be made otherwise than they were published";
            report.add(Level::Wrong, relative(&log.file.path), what, advice);
        }
    }
    Ok(())
}

/// The first thing that a reader of a profile would stumble over.
fn flaw(profile: Profile, bytes: &[u8]) -> Option<Problem> {
    let problems = profile::check(profile, bytes, None);
    problems.into_iter().find(|problem| problem.level == ProblemLevel::Error)
}

/// What a file is to the game that it should hold.
enum Likeness {
    Same,
    /// So many bytes are missing, or its result.
    Beginning(usize),
    Other,
}

fn likeness(found: &[u8], game: &Game) -> Likeness {
    let whole = game.bytes();
    if found == whole {
        Likeness::Same
    } else if whole.starts_with(found) || game.appended().starts_with(found) {
        Likeness::Beginning(whole.len() - found.len())
    } else {
        Likeness::Other
    }
}

/// Returns the files that belong to a game.
fn check_live(folder: &Folder, found: &Found, report: &mut Report) -> BTreeSet<PathBuf> {
    let mut explained = BTreeSet::new();
    let mut games: BTreeMap<PathBuf, (String, &Game)> = BTreeMap::new();
    for (prefix, game) in folder.games() {
        report.games += 1;
        games.insert(Path::new("live").join(live_file(&prefix, game.number)), (prefix, game));
    }
    for (own, (prefix, game)) in games {
        let recovered =
            (1..).map(|count| Path::new("live").join(format!("{prefix}-{}.recovered-{count}.pdn", game.number)));
        let recovered: Vec<PathBuf> = recovered.take_while(|path| found.files.contains_key(path)).collect();
        let all: Vec<&PathBuf> = std::iter::once(&own).chain(&recovered).collect();
        let mut is_held = false;
        for (index, path) in all.iter().enumerate() {
            explained.insert((*path).clone());
            let is_last = index + 1 == all.len();
            let Some(bytes) = found.get(path) else {
                let is_young = report.station.is_some();
                if !is_young {
                    report.add(Level::Mended, *path, "it is not there; the log has its game", "");
                }
                continue;
            };
            match likeness(bytes, game) {
                Likeness::Same | Likeness::Beginning(_) if is_held => {
                    let what = "the game is in a file before it as well";
                    report.add(Level::Wrong, *path, what, "damcast rebuild puts it aside");
                }
                Likeness::Same => is_held = true,
                Likeness::Beginning(missing) => {
                    is_held = true;
                    if report.station.is_none() {
                        report.add(
                            Level::Mended,
                            *path,
                            format!("it lacks its last {missing} bytes, or its result"),
                            "",
                        );
                    }
                }
                Likeness::Other if is_last => {
                    let what = "it is not what the log says: somebody has changed it";
                    report.add(
                        Level::Wrong,
                        *path,
                        what,
                        "the next start goes on in a recovered file; damcast rebuild puts this one aside",
                    );
                }
                Likeness::Other => {
                    let what = "somebody has changed it; the recovered file beside it has taken its place";
                    report.add(Level::Note, *path, what, "");
                }
            }
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            if let Some(flaw) = flaw(Profile::Standard, &bytes[..whole]).filter(|_| is_held) {
                report.add(
                    Level::Wrong,
                    *path,
                    format!("it is not strict PDN: {flaw}"),
                    "this is a fault of damcast; please report it",
                );
            }
        }
    }
    explained
}

/// Returns the files of `public/` that are what they should be, or were found wanting.
fn check_public(
    folder: &Folder,
    seating: &Seating,
    found: &Found,
    now: Moment,
    report: &mut Report,
) -> BTreeSet<PathBuf> {
    let mut explained = BTreeSet::new();
    check_events(seating, found, now, report, &mut explained);
    let Some(plan) = seating.plans.current() else {
        if found.files.keys().any(|path| path.starts_with("public")) {
            let what = "there is no plan of the round, log/round-K.plan, so the public files cannot be checked";
            report.add(Level::Wrong, "public", what, "start the station once; it writes the plan");
        }
        return found.files.keys().filter(|path| path.starts_with("public")).cloned().collect();
    };
    check_archive(seating, plan, found, now, report, &mut explained);
    let profile = plan.public.profile;
    for (name, which) in [("public/games.pdn", Boards::All), ("public/started.pdn", Boards::Started)] {
        explained.insert(name.into());
        let Some(bytes) = found.get(name) else {
            report.add(Level::Mended, name, "it is not there", "");
            continue;
        };
        if let Some(flaw) = flaw(profile, bytes) {
            let what = format!("readers of the profile {profile} would stumble: {flaw}");
            report.add(Level::Wrong, name, what, "damcast rebuild puts it aside and writes it again");
        }
        match snapshot_moment(folder, seating, which, bytes, now) {
            Some(is_current) if is_current || report.station.is_some() => {}
            Some(_) => report.add(Level::Mended, name, "it is what the logs said at an earlier moment", ""),
            None => {
                let what = "it is not what the logs say, nor was it at any moment";
                report.add(Level::Wrong, name, what, "damcast rebuild puts it aside and writes it again");
            }
        }
    }
    explained
}

fn check_events(seating: &Seating, found: &Found, now: Moment, report: &mut Report, explained: &mut BTreeSet<PathBuf>) {
    let boards: Vec<&Board> = seating.boards().collect();
    let streams = round::all_events(seating);
    let (mut places, right) = round::read_order(&found.order);
    let order = "log/events.order";
    let rest = found.order.get(right..).unwrap_or_default();
    let is_being_written = report.station.is_some() && !rest.contains(&b'\n');
    if !rest.is_empty() && !is_being_written {
        let what = format!("line {} and what follows it are not right", places.len() + 1);
        report.add(Level::Mended, order, what, "");
    }
    let name = format!("public/{}", round::EVENTS);
    explained.insert(name.clone().into());
    let content = found.get(&name).unwrap_or_default();
    round::complete_order(&mut places, content, &streams);
    report.events = places.len();
    let mut told: BTreeMap<Key, u64> = BTreeMap::new();
    for place in &places {
        let known = told.entry(place.key()).or_insert(0);
        if place.n != *known + 1 {
            let what = format!("event {} of game {} of {} follows event {known}", place.n, place.game, place.board);
            report.add(Level::Wrong, order, what, "put the file aside with events.ndjson; both are made again");
            return;
        }
        *known = place.n;
    }
    let lack = match round::lack(content, &places, &streams) {
        Ok(lack) => lack,
        Err(seq) => {
            let place = usize::try_from(seq - 1).ok().and_then(|index| places.get(index));
            let what = match place {
                Some(place) => format!("line {seq} is not what the log of {} says", place.board),
                None => format!("line {seq} and what follows it are in no log"),
            };
            report.add(Level::Wrong, &name, what, "the next start puts it aside and writes it again");
            return;
        }
    };
    if let Some((at, bytes)) = &lack.lost {
        let what = format!("from byte {at} on {} bytes are zero: a loss of power", bytes.len());
        report.add(Level::Mended, &name, what, "");
    }
    let Lack { mut missing, unknown, .. } = lack;
    if unknown > 0 {
        report.add(Level::Note, &name, format!("{unknown} events are of games whose logs are not here"), "");
    }
    if let Some(plan) = seating.plans.current().filter(|_| report.station.is_none()) {
        let told = |stream: &Key| told.get(stream).copied().unwrap_or(0);
        missing += round::untold(&boards, plan.public.events.delay, now, told).len();
    }
    if missing > 0 && report.station.is_none() {
        report.add(Level::Mended, &name, format!("{missing} events are not told yet"), "");
    }
}

fn check_archive(
    seating: &Seating,
    plan: &Plan,
    found: &Found,
    now: Moment,
    report: &mut Report,
    explained: &mut BTreeSet<PathBuf>,
) {
    let due = |delay| round::archived(seating, delay, now, &BTreeMap::new());
    let shown: BTreeSet<PathBuf> = due(plan.public.archive.delay).into_iter().map(|(path, ..)| path).collect();
    for (path, text, ..) in due(Delay::NONE) {
        let name = Path::new("public").join(&path);
        explained.insert(name.clone());
        match found.get(&name) {
            Some(bytes) if bytes == text.as_bytes() => {}
            Some(_) => {
                let what = "it is not what the logs say";
                report.add(Level::Wrong, &name, what, "damcast rebuild puts it aside and writes it again");
            }
            None if shown.contains(&path) && report.station.is_none() => {
                report.add(Level::Mended, &name, "it is not there", "");
            }
            None => {}
        }
        if let Some(flaw) = flaw(Profile::Standard, text.as_bytes()) {
            report.add(
                Level::Wrong,
                &name,
                format!("it is not strict PDN: {flaw}"),
                "this is a fault of damcast; please report it",
            );
        }
    }
}

/// Whether a snapshot is what the logs say now. `None`: it is not, and was not at any moment.
fn snapshot_moment(folder: &Folder, seating: &Seating, which: Boards, bytes: &[u8], now: Moment) -> Option<bool> {
    let is_it = |seating: &Seating, plan: &Plan, delay: Delay, moment: Moment| {
        let boards: Vec<&Board> = seating.boards().collect();
        Snapshot::of(&boards, which, plan.public.profile, delay, moment).text.as_bytes() == bytes
    };
    let delay = |plan: &Plan| if which == Boards::All { plan.public.games.delay } else { plan.public.started.delay };
    let plan = seating.plans.current()?;
    if is_it(seating, plan, delay(plan), now) {
        return Some(true);
    }
    for moment in moments(seating, delay(plan)) {
        if is_it(seating, plan, delay(plan), moment) {
            return Some(false);
        }
    }
    // A station that was killed before it wrote what its new configuration says.
    let mut plans: Plans = seating.plans.clone();
    plans.all.pop();
    let earlier = folder.seating_by(plans);
    let plan = earlier.plans.current()?;
    let mut moments = moments(&earlier, delay(plan)).into_iter();
    moments.any(|moment| is_it(&earlier, plan, delay(plan), moment)).then_some(false)
}

/// The moments at which something more may be seen, the latest first.
fn moments(seating: &Seating, delay: Delay) -> Vec<Moment> {
    let mut moments = Vec::new();
    for (_, game) in seating.games() {
        let entries = game.entries().iter().map(|entry| entry.at);
        moments.extend(entries.chain(game.closed()).chain(game.result().map(|(at, _)| at)).map(|at| delay.due(at)));
    }
    moments.sort_unstable();
    moments.dedup();
    moments.reverse();
    moments.truncate(MOST_MOMENTS);
    // Before anything was played.
    moments.push(Moment::default());
    moments
}

/// Files that nobody explains.
fn check_strangers(found: &Found, explained: &BTreeSet<PathBuf>, folder: &Folder, report: &mut Report) {
    for path in found.files.keys().filter(|path| !explained.contains(*path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".new") {
            if report.station.is_none() {
                report.add(Level::Mended, path, "it was being written when the station was killed", "");
            }
        } else if name.starts_with("events.recovered-") {
            report.add(Level::Note, path, "an earlier version went on in it; public/events.ndjson has all events", "");
        } else if name.contains(".aside-") {
            report.add(Level::Note, path, "it was put aside by damcast", "");
        } else if is_of_an_older_log(folder, &name) {
            report.add(Level::Note, path, "the log of this game is not here any more, so it cannot be checked", "");
        } else {
            report.add(
                Level::Wrong,
                path,
                "no log knows of this file",
                "put it elsewhere; this folder is read by others",
            );
        }
    }
}

/// Is this the file of a game that was played before the first log that is here?
fn is_of_an_older_log(folder: &Folder, name: &str) -> bool {
    let Some((prefix, number)) = name.split('.').next().and_then(|stem| stem.rsplit_once('-')) else { return false };
    let Ok(number) = number.parse::<u32>() else { return false };
    folder.lines.iter().any(|line| {
        let Some(first) = line.logs.first().filter(|log| log.file.number > 1) else { return false };
        let Ok((settings, _)) = playback::settings(&first.header, None) else { return false };
        let before = if prefix == line.name {
            settings.games_before
        } else {
            let of_boards = settings.boards.iter().map(|(address, board)| {
                (crate::feed::prefix(&line.name, Some(*address), board.name.as_deref()), board.games_before)
            });
            of_boards.filter(|(name, _)| name == prefix).map(|(_, before)| before).max().unwrap_or(0)
        };
        number <= before
    })
}

/// With a delay, what is not delayed is not everybody's.
fn check_modes(folder: &Folder, report: &mut Report) {
    if !folder.plans.current().is_some_and(|plan| plan.public.has_delay()) {
        return;
    }
    for name in ["live", "log"] {
        let mode = fs::metadata(folder.directory.join(name)).map(|metadata| metadata.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o007 != 0) {
            let what = "the public files have a delay, and everybody on this machine can read what is not delayed";
            report.add(Level::Wrong, name, what, "chmod o-rwx; the station does it when it starts");
        }
    }
}
