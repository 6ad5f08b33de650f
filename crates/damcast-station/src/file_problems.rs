//! Problems with the station's files, reported by the component that owns each file.
//!
//! ```text
//!   the public files ── ProblemReporter::report ──┐
//!   the live files ──── ProblemReporter::report ──┤──▸ FileProblems ──▸ alarms, status, /healthz
//!   the logs ────────── ProblemReporter::report ──┘
//! ```
//!
//! Recording continues despite these problems. Each component reports a file that is gone, replaced or unwritable, even if it repairs
//! the file at once. A report is shown for at least [`DISPLAY_TIME`], so that readers who poll every second see it.
//!
//! Invariants: a report never waits for a disk; a problem keeps the time of its first report. Absent on purpose: the repair.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset, Local, SubsecRound};

use crate::locks::lock;

/// Time that a solved problem is shown after its last report.
pub const DISPLAY_TIME: Duration = Duration::from_secs(5);

/// Alarm: publication is paused, in part or completely, so readers miss data.
pub const PUBLICATION_ALARM: &str = "publication";

/// Alarm: the disk rejects writes, or another program changed recorded files.
pub const DISK_FAULT_ALARM: &str = "disk-fault";

/// Problem with one file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProblemReport {
    /// Name of the board's files; `None` if the problem concerns no particular board.
    pub board: Option<String>,
    /// Path relative to the station's folder.
    pub file: String,
    /// Problem and remedy.
    pub message: String,
}

impl ProblemReport {
    /// Creates the report of a problem that concerns no particular board.
    pub fn new(file: impl Into<String>, message: impl Into<String>) -> ProblemReport {
        ProblemReport { board: None, file: file.into(), message: message.into() }
    }

    /// Creates the report of a file that cannot be written.
    pub fn unwritable(file: impl Into<String>, error: &io::Error) -> ProblemReport {
        ProblemReport::new(file, format!("it cannot be written: {error}; `damcast doctor` says what to do"))
    }
}

/// Problems with the files of a folder, or of one board in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileProblem {
    /// Name of the alarm.
    pub kind: &'static str,
    /// Reported folder or file, relative to the station's folder.
    pub path: Option<String>,
    /// Board.
    pub board: Option<String>,
    /// Start, if known.
    pub since: Option<DateTime<FixedOffset>>,
    /// Files, each with its problem.
    pub text: String,
}

/// Maximum number of files listed in one message.
const MAX_LISTED_FILES: usize = 4;

/// All problems with a station's files.
#[derive(Clone, Default)]
pub struct FileProblems(Arc<Mutex<ReportMap>>);

type ReportMap = BTreeMap<ReportKey, FileReports>;
/// Reports of each file, by board and name.
type FileReports = BTreeMap<(Option<String>, String), ActiveReport>;

/// Alarm and files.
type ReportKey = (&'static str, String);

struct ActiveReport {
    message: String,
    since: DateTime<FixedOffset>,
    /// Time of the last report.
    reported_at: Instant,
    /// Whether the problem is solved and still shown.
    is_resolved: bool,
}

/// Reporter of problems with some files.
#[derive(Clone)]
pub struct ProblemReporter {
    problems: FileProblems,
    key: ReportKey,
}

impl FileProblems {
    /// Creates a reporter for a folder or file; its problems raise alarms of this kind.
    pub fn reporter(&self, kind: &'static str, place: &str) -> ProblemReporter {
        ProblemReporter { problems: self.clone(), key: (kind, place.to_owned()) }
    }

    /// Returns all problems shown at this time: for each folder one per board, and one for no board.
    pub fn current(&self) -> Vec<FileProblem> {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Vec<FileProblem> {
        let mut all = lock(&self.0);
        let mut problems: Vec<FileProblem> = Vec::new();
        for ((kind, place), files) in all.iter_mut() {
            files.retain(|_, report| report.is_shown(now));
            let mut of_boards: BTreeMap<&Option<String>, Vec<(&str, &ActiveReport)>> = BTreeMap::new();
            for ((board, file), report) in files.iter() {
                of_boards.entry(board).or_default().push((file, report));
            }
            for (board, files) in of_boards {
                let named =
                    files.iter().take(MAX_LISTED_FILES).map(|(file, report)| format!("{file}: {}", report.message));
                let mut text = named.collect::<Vec<_>>().join("; ");
                if let Some(more @ 1..) = files.len().checked_sub(MAX_LISTED_FILES) {
                    text += &format!("; and {more} files more");
                }
                let since = files.iter().map(|(_, report)| report.since).min();
                problems.push(FileProblem { kind, path: Some(place.clone()), board: board.clone(), since, text });
            }
        }
        problems
    }
}

impl ActiveReport {
    fn is_shown(&self, now: Instant) -> bool {
        !self.is_resolved || now.saturating_duration_since(self.reported_at) < DISPLAY_TIME
    }
}

impl ProblemReporter {
    /// Replaces the reported problems with these.
    pub fn report(&self, found: impl IntoIterator<Item = ProblemReport>) {
        self.report_at(found, Instant::now());
    }

    fn report_at(&self, found: impl IntoIterator<Item = ProblemReport>, now: Instant) {
        let mut all = lock(&self.problems.0);
        let files = all.entry(self.key.clone()).or_default();
        files.retain(|_, report| report.is_shown(now));
        files.values_mut().for_each(|report| report.is_resolved = true);
        for ProblemReport { board, file, message: problem } in found {
            let key = (board, file);
            let since =
                files.get(&key).map_or_else(|| Local::now().fixed_offset().trunc_subsecs(3), |report| report.since);
            files.insert(key, ActiveReport { message: problem, since, reported_at: now, is_resolved: false });
        }
    }

    /// Removes all problems of this reporter.
    pub fn clear(&self) {
        lock(&self.problems.0).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(board: Option<&str>, file: &str, problem: &str) -> ProblemReport {
        ProblemReport { board: board.map(str::to_owned), file: file.to_owned(), message: problem.to_owned() }
    }

    #[test]
    fn solved_problem_is_shown_briefly_with_time() {
        let problems = FileProblems::default();
        let (watch, start) = (problems.reporter(PUBLICATION_ALARM, "public"), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        watch.report_at([finding(None, "public/games.pdn", "it is gone")], after(0));
        let first = problems.at(after(1));
        assert_eq!((first.len(), first[0].text.as_str()), (1, "public/games.pdn: it is gone"));
        watch.report_at([finding(None, "public/games.pdn", "still gone")], after(2));
        watch.report_at([], after(3));
        let second = problems.at(after(6));
        assert_eq!((second[0].text.as_str(), second[0].since), ("public/games.pdn: still gone", first[0].since));
        assert_eq!(problems.at(after(7)), []);
        // A lasting problem is shown however rarely it is reported.
        watch.report_at([finding(None, "public/games.pdn", "gone again")], after(10));
        assert_eq!(problems.at(after(1000)).len(), 1);
        watch.clear();
        assert_eq!(problems.at(after(1000)), []);
    }

    #[test]
    fn board_problems_are_separate() {
        let problems = FileProblems::default();
        let files = (0..6).map(|n| finding(None, &format!("public/archive/a-{n}.pdn"), "it is gone"));
        let held = finding(Some("board-3"), "public/games.pdn", "this game stands still");
        problems.reporter(PUBLICATION_ALARM, "public").report(files.chain([held]));
        problems.reporter(PUBLICATION_ALARM, "other").report([]);
        let report = problems.current();
        assert_eq!(report.len(), 2, "{report:?}");
        assert!(report[0].board.is_none() && report[0].text.ends_with("; and 2 files more"), "{report:?}");
        assert_eq!(report[1].board.as_deref(), Some("board-3"));
    }
}
