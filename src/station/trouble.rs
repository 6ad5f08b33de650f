//! What is the matter with a station's files: those who look after them report it, until it is over.
//!
//! ```text
//!   the public files ── Watch::tell ──┐
//!   the live files ──── Watch::tell ──┤──▸ Troubles ──▸ alarms, status, /healthz
//!   the logs ────────── Watch::tell ──┘
//! ```
//!
//! Recording goes on whatever is reported here; but what nobody reports looks well. So whoever finds a file gone, replaced or not to
//! be written says so, also when he mends it at once: it is shown for [`SHOWN`] at least, so that whoever asks every second
//! hears of it.
//!
//! Invariants: a report never waits for a disk; a trouble keeps the moment of its first report. Absent on purpose: what
//! is done about it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset, Local, SubsecRound};

/// A trouble that is over is shown for so long after its last report.
pub const SHOWN: Duration = Duration::from_secs(5);

/// Publication stands still, in part or as a whole: what everybody should see is not there.
pub const PUBLICATION: &str = "publication";

/// The disk does not take what is recorded, or somebody has done something to what it was written into.
pub const DISK_FAULT: &str = "disk-fault";

/// What is the matter with one file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// The board that it is about, by the name of its files; `None`: it is about no board more than about others.
    pub board: Option<String>,
    /// The file, from the station's folder on.
    pub file: String,
    /// What is wrong, and what is or has to be done about it.
    pub what: String,
}

/// What is the matter with the files of a folder, or with those of a board there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// The alarm that it is.
    pub kind: &'static str,
    /// The folder or file that somebody looks after, from the station's folder on.
    pub place: Option<String>,
    /// The board.
    pub board: Option<String>,
    /// Since when, where that is known.
    pub since: Option<DateTime<FixedOffset>>,
    /// The files, each with what is wrong with it.
    pub text: String,
}

/// So many files are named in a text; more say the same.
const MOST_NAMED: usize = 4;

/// All that is the matter with a station's files.
#[derive(Clone, Default)]
pub struct Troubles(Arc<Mutex<All>>);

type All = BTreeMap<Place, Files>;
/// What is reported of each file, by board and name.
type Files = BTreeMap<(Option<String>, String), Report>;

/// Which alarm, and of which files.
type Place = (&'static str, String);

struct Report {
    what: String,
    since: DateTime<FixedOffset>,
    /// When it was reported last.
    at: Instant,
    /// It is over, and only shown.
    is_over: bool,
}

/// One who looks after some files.
#[derive(Clone)]
pub struct Watch {
    troubles: Troubles,
    place: Place,
}

impl Troubles {
    /// Somebody begins to look after a folder or a file; what he finds is an alarm of this kind.
    pub fn watch(&self, kind: &'static str, place: &str) -> Watch {
        Watch { troubles: self.clone(), place: (kind, place.to_owned()) }
    }

    /// All that is the matter now: of each folder one for each board, and one for what is about no board.
    pub fn now(&self) -> Vec<Trouble> {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Vec<Trouble> {
        let mut all = self.lock();
        let mut troubles: Vec<Trouble> = Vec::new();
        for ((kind, place), files) in all.iter_mut() {
            files.retain(|_, report| report.is_shown(now));
            let mut of_boards: BTreeMap<&Option<String>, Vec<(&str, &Report)>> = BTreeMap::new();
            for ((board, file), report) in files.iter() {
                of_boards.entry(board).or_default().push((file, report));
            }
            for (board, files) in of_boards {
                let named = files.iter().take(MOST_NAMED).map(|(file, report)| format!("{file}: {}", report.what));
                let mut text = named.collect::<Vec<_>>().join("; ");
                if let Some(more @ 1..) = files.len().checked_sub(MOST_NAMED) {
                    text += &format!("; and {more} files more");
                }
                let since = files.iter().map(|(_, report)| report.since).min();
                troubles.push(Trouble { kind, place: Some(place.clone()), board: board.clone(), since, text });
            }
        }
        troubles
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Report {
    fn is_shown(&self, now: Instant) -> bool {
        !self.is_over || now.saturating_duration_since(self.at) < SHOWN
    }
}

impl Watch {
    /// This is the matter with the files now, and nothing else.
    pub fn tell(&self, found: impl IntoIterator<Item = Finding>) {
        self.tell_at(found, Instant::now());
    }

    fn tell_at(&self, found: impl IntoIterator<Item = Finding>, now: Instant) {
        let mut all = self.troubles.lock();
        let files = all.entry(self.place.clone()).or_default();
        files.retain(|_, report| report.is_shown(now));
        files.values_mut().for_each(|report| report.is_over = true);
        for Finding { board, file, what } in found {
            let since = || Local::now().fixed_offset().trunc_subsecs(3);
            let report = files.entry((board, file)).or_insert_with(|| Report {
                what: String::new(),
                since: since(),
                at: now,
                is_over: false,
            });
            *report = Report { what, since: report.since, at: now, is_over: false };
        }
    }

    /// Nothing of what it looked after is wanted any more.
    pub fn end(&self) {
        self.troubles.lock().remove(&self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(board: Option<&str>, file: &str, what: &str) -> Finding {
        Finding { board: board.map(str::to_owned), file: file.to_owned(), what: what.to_owned() }
    }

    #[test]
    fn solved_problem_is_shown_briefly_with_time() {
        let troubles = Troubles::default();
        let (watch, start) = (troubles.watch(PUBLICATION, "public"), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        watch.tell_at([finding(None, "public/games.pdn", "it is gone")], after(0));
        let first = troubles.at(after(1));
        assert_eq!((first.len(), first[0].text.as_str()), (1, "public/games.pdn: it is gone"));
        watch.tell_at([finding(None, "public/games.pdn", "still gone")], after(2));
        watch.tell_at([], after(3));
        let second = troubles.at(after(6));
        assert_eq!((second[0].text.as_str(), second[0].since), ("public/games.pdn: still gone", first[0].since));
        assert_eq!(troubles.at(after(7)), []);
        // What lasts is shown for as long as it does, however seldom it is reported.
        watch.tell_at([finding(None, "public/games.pdn", "gone again")], after(10));
        assert_eq!(troubles.at(after(1000)).len(), 1);
        watch.end();
        assert_eq!(troubles.at(after(1000)), []);
    }

    #[test]
    fn board_problems_are_separate() {
        let troubles = Troubles::default();
        let files = (0..6).map(|n| finding(None, &format!("public/archive/a-{n}.pdn"), "it is gone"));
        let held = finding(Some("board-3"), "public/games.pdn", "this game stands still");
        troubles.watch(PUBLICATION, "public").tell(files.chain([held]));
        troubles.watch(PUBLICATION, "other").tell([]);
        let report = troubles.now();
        assert_eq!(report.len(), 2, "{report:?}");
        assert!(report[0].board.is_none() && report[0].text.ends_with("; and 2 files more"), "{report:?}");
        assert_eq!(report[1].board.as_deref(), Some("board-3"));
    }
}
