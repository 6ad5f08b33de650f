//! Report about a line for operators and pages: its latest state and since when it lasts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, FixedOffset, Local, SubsecRound};
use damcast_engine::millis::Millis;
use damcast_engine::session::{BusAddress, Condition, Status};
use tokio::sync::watch;

/// Report about a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineReport {
    /// Name of the line.
    pub name: String,
    /// Address of the port.
    pub port: String,
    /// Whether the line is a bus with several boards.
    pub is_bus: bool,
    /// Whether people enter the moves of the line, which has no board.
    pub is_entry: bool,
    /// Reason why no bytes come from the board; `None` when the port is open.
    pub no_link: Option<String>,
    /// Whether the line was opened since the start of the station, or the attempt failed.
    pub was_opened: bool,
    /// Whether the line is down because of a disk error or a bug; it is retried.
    pub is_broken: bool,
    /// Changes that wait for the end of the line's games.
    pub pending: Option<String>,
    /// Status of the core.
    pub status: Status,
    /// Reason why the next entry waits.
    pub wait_status: Option<WaitStatus>,
    /// Start of the current [`LineReport::condition`] or of a breakdown of the line.
    pub since: Option<DateTime<FixedOffset>>,
    /// File of the most recently opened game.
    pub live_file: Option<PathBuf>,
    /// Boards of a bus, by ascending address; empty for a line with one board.
    pub boards: Vec<BoardReport>,
    /// Problem with the disk; `None` if there is none.
    pub fault: Option<String>,
    /// Whether the port sends more than boards can.
    pub has_excess_input: bool,
}

/// Report about a board of a bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardReport {
    /// Bus address.
    pub address: BusAddress,
    /// Prefix of the names of the board's files.
    pub name: String,
    /// Status of the core.
    pub status: Status,
    /// Reason why the next entry waits.
    pub wait_status: Option<WaitStatus>,
    /// Start of its current condition.
    pub since: Option<DateTime<FixedOffset>>,
    /// File of its most recently opened game.
    pub live_file: Option<PathBuf>,
}

/// Reason and remaining time of an entry that has waited for at least two seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitStatus {
    /// Name of a [`recognition::Wait`](damcast_engine::recognition::Wait).
    pub reason: &'static str,
    /// Longest remaining time, in seconds.
    pub seconds: u64,
}

impl WaitStatus {
    /// Shortest wait that is shown; players press the clock within it after most plies.
    const MIN_SHOWN_WAIT: Millis = Millis::seconds(2);

    /// Returns the wait at a time of the line; `None` if there is none to show.
    pub fn at(now: Millis, status: &Status) -> Option<WaitStatus> {
        let waiting = status.pending_entry.filter(|waiting| now >= waiting.quiet_since + WaitStatus::MIN_SHOWN_WAIT)?;
        let left = waiting.due - now;
        Some(WaitStatus { reason: waiting.wait.as_str(), seconds: left.0.div_ceil(1_000) })
    }
}

impl LineReport {
    /// Returns the condition of the line: without a link, that there is no connection.
    pub fn condition(&self) -> Condition {
        if self.no_link.is_some() { Condition::NoConnection } else { self.status.condition }
    }
}

/// Updates a line's row in the table of reports.
#[derive(Clone)]
pub struct Reporter {
    rows: watch::Sender<Vec<LineReport>>,
    name: String,
    /// Index of the row at the last update; rows move when the configuration changes.
    index: Arc<AtomicUsize>,
}

impl Reporter {
    /// Creates the reporter of the row with this name.
    pub fn new(rows: watch::Sender<Vec<LineReport>>, name: &str) -> Reporter {
        Reporter { rows, name: name.to_owned(), index: Arc::default() }
    }

    /// Marks the line as broken.
    pub fn set_broken(&self, reason: String) {
        self.update(|row| {
            row.no_link = Some(reason);
            row.is_broken = true;
            row.was_opened = true;
        });
    }

    /// Changes the row and its start times. Watchers wake up only if the row differs afterwards.
    pub fn update(&self, change: impl FnOnce(&mut LineReport)) {
        self.rows.send_if_modified(|rows| {
            let is_own = |row: &LineReport| row.name == self.name;
            let last = Some(self.index.load(Ordering::Relaxed)).filter(|index| rows.get(*index).is_some_and(is_own));
            let Some(index) = last.or_else(|| rows.iter().position(is_own)) else { return false };
            self.index.store(index, Ordering::Relaxed);
            let row = &mut rows[index];
            let before = row.clone();
            change(row);
            let now = || Some(Local::now().fixed_offset().trunc_subsecs(3));
            let is_same = before.condition() == row.condition() && before.is_broken == row.is_broken;
            row.since = before.since.filter(|_| is_same).or_else(now);
            for board in &mut row.boards {
                let old = before.boards.iter().find(|old| old.address == board.address);
                let old = old.filter(|old| old.status.condition == board.status.condition);
                board.since = old.and_then(|old| old.since).or_else(now);
            }
            *row != before
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reporter_finds_row_after_rows_moved() {
        let row = |name: &str| LineReport { name: name.to_owned(), ..LineReport::default() };
        let (rows, seen) = watch::channel(vec![row("a"), row("b"), row("c")]);
        let reporter = Reporter::new(rows.clone(), "b");
        let broken =
            || seen.borrow().iter().filter(|row| row.is_broken).map(|row| row.name.clone()).collect::<Vec<_>>();
        for order in [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]] {
            rows.send_replace(order.map(row).into());
            reporter.set_broken("a test".to_owned());
            assert_eq!(broken(), ["b"], "{order:?}");
        }
        rows.send_replace(vec![row("a")]);
        reporter.set_broken("a test".to_owned());
        assert!(broken().is_empty(), "a line that is gone has no row");
    }
}
