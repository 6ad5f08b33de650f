//! Problems with the station's files, reported by the component that owns each file.
//!
//! ```text
//!   the public files ── Watch::tell ──┐
//!   the live files ──── Watch::tell ──┤──▸ Troubles ──▸ alarms, status, /healthz
//!   the logs ────────── Watch::tell ──┘
//! ```
//!
//! Recording goes on whatever is reported here; but what nobody reports looks well. So whoever finds a file gone, replaced or not to
//! be written says so, also when he mends it at once: it is shown for [`DISPLAY_TIME`] at least, so that whoever asks every second
//! hears of it.
//!
//! Invariants: a report never waits for a disk; a trouble keeps the moment of its first report. Absent on purpose: what
//! is done about it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset, Local, SubsecRound};

/// A trouble that is over is shown for so long after its last report.
pub const DISPLAY_TIME: Duration = Duration::from_secs(5);

/// Publication stands still, in part or as a whole: what everybody should see is not there.
pub const PUBLICATION_ALARM: &str = "publication";

/// The disk does not take what is recorded, or somebody has done something to what it was written into.
pub const DISK_FAULT_ALARM: &str = "disk-fault";

/// What is the matter with one file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProblemReport {
    /// The board that it is about, by the name of its files; `None`: it is about no board more than about others.
    pub board: Option<String>,
    /// The file, from the station's folder on.
    pub file: String,
    /// What is wrong, and what is or has to be done about it.
    pub message: String,
}

/// What is the matter with the files of a folder, or with those of a board there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileProblem {
    /// The alarm that it is.
    pub kind: &'static str,
    /// The folder or file that somebody looks after, from the station's folder on.
    pub path: Option<String>,
    /// The board.
    pub board: Option<String>,
    /// Since when, where that is known.
    pub since: Option<DateTime<FixedOffset>>,
    /// The files, each with what is wrong with it.
    pub text: String,
}

/// So many files are named in a text; more say the same.
const MAX_LISTED_FILES: usize = 4;

/// All that is the matter with a station's files.
#[derive(Clone, Default)]
pub struct FileProblems(Arc<Mutex<ReportMap>>);

type ReportMap = BTreeMap<ReportKey, FileReports>;
/// What is reported of each file, by board and name.
type FileReports = BTreeMap<(Option<String>, String), ActiveReport>;

/// Which alarm, and of which files.
type ReportKey = (&'static str, String);

struct ActiveReport {
    message: String,
    since: DateTime<FixedOffset>,
    /// When it was reported last.
    reported_at: Instant,
    /// It is over, and only shown.
    is_resolved: bool,
}

/// One who looks after some files.
#[derive(Clone)]
pub struct ProblemReporter {
    problems: FileProblems,
    key: ReportKey,
}

impl FileProblems {
    /// Somebody begins to look after a folder or a file; what he finds is an alarm of this kind.
    pub fn reporter(&self, kind: &'static str, place: &str) -> ProblemReporter {
        ProblemReporter { problems: self.clone(), key: (kind, place.to_owned()) }
    }

    /// All that is the matter now: of each folder one for each board, and one for what is about no board.
    pub fn current(&self) -> Vec<FileProblem> {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Vec<FileProblem> {
        let mut all = self.lock();
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

    fn lock(&self) -> MutexGuard<'_, ReportMap> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveReport {
    fn is_shown(&self, now: Instant) -> bool {
        !self.is_resolved || now.saturating_duration_since(self.reported_at) < DISPLAY_TIME
    }
}

impl ProblemReporter {
    /// This is the matter with the files now, and nothing else.
    pub fn report(&self, found: impl IntoIterator<Item = ProblemReport>) {
        self.report_at(found, Instant::now());
    }

    fn report_at(&self, found: impl IntoIterator<Item = ProblemReport>, now: Instant) {
        let mut all = self.problems.lock();
        let files = all.entry(self.key.clone()).or_default();
        files.retain(|_, report| report.is_shown(now));
        files.values_mut().for_each(|report| report.is_resolved = true);
        for ProblemReport { board, file, message: problem } in found {
            let since = || Local::now().fixed_offset().trunc_subsecs(3);
            let report = files.entry((board, file)).or_insert_with(|| ActiveReport {
                message: String::new(),
                since: since(),
                reported_at: now,
                is_resolved: false,
            });
            *report = ActiveReport { message: problem, since: report.since, reported_at: now, is_resolved: false };
        }
    }

    /// Nothing of what it looked after is wanted any more.
    pub fn clear(&self) {
        self.problems.lock().remove(&self.key);
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
        // What lasts is shown for as long as it does, however seldom it is reported.
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
