//! Report about a line, for people and for pages: the latest state and its start time.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, Local, SubsecRound};
use tokio::sync::watch;

use crate::engine::millis::Millis;
use crate::engine::session::{BusAddress, Condition, Status};

/// Report about a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineReport {
    /// The name of the line.
    pub name: String,
    /// Where its boards are.
    pub port: String,
    /// Are there many boards on it?
    pub is_bus: bool,
    /// Why nothing comes from the board; `None` when the port is open.
    pub no_link: Option<String>,
    /// It has been opened since the start, or it was tried in vain.
    pub was_opened: bool,
    /// The line is not running: its disk failed, or a bug. It is tried again.
    pub is_broken: bool,
    /// Changes that wait for the end of the line's games.
    pub pending: Option<String>,
    /// Status of the core.
    pub status: Status,
    /// Reason why the next entry waits.
    pub wait_status: Option<WaitStatus>,
    /// Since when [`LineReport::condition`] is so.
    pub since: Option<DateTime<FixedOffset>>,
    /// The file of the game that was opened last.
    pub live_file: Option<PathBuf>,
    /// The boards of a bus, by ascending address; empty where one board has the line for itself.
    pub boards: Vec<BoardReport>,
    /// Problem with the disk; `None` if there is none.
    pub fault: Option<String>,
    /// Its port says more than boards can.
    pub has_excess_input: bool,
}

/// Report about a board of a bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardReport {
    /// Its address.
    pub address: BusAddress,
    /// Prefix of the names of the board's files.
    pub name: String,
    /// Status of the core.
    pub status: Status,
    /// Reason why the next entry waits.
    pub wait_status: Option<WaitStatus>,
    /// Since when its condition is so.
    pub since: Option<DateTime<FixedOffset>>,
    /// The file of the game that was opened last on it.
    pub live_file: Option<PathBuf>,
}

/// What the next entry of a game waits for, once that has lasted so long that somebody may wonder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitStatus {
    /// For what, in one word of [`recognition::Wait`](crate::engine::recognition::Wait).
    pub reason: &'static str,
    /// For so many seconds more at the most.
    pub seconds: u64,
}

impl WaitStatus {
    /// Nobody wonders sooner: most plies are pressed for in less.
    const MIN_SHOWN_WAIT: Millis = Millis::seconds(2);

    /// What is left at a time of the line.
    pub fn at(now: Millis, status: &Status) -> Option<WaitStatus> {
        let waiting = status.pending_entry.filter(|waiting| now >= waiting.quiet_since + WaitStatus::MIN_SHOWN_WAIT)?;
        let left = waiting.due - now;
        Some(WaitStatus { reason: waiting.wait.as_str(), seconds: left.0.div_ceil(1_000) })
    }
}

impl LineReport {
    /// What is going on, in one word.
    pub fn condition(&self) -> Condition {
        if self.no_link.is_some() { Condition::NoConnection } else { self.status.condition }
    }
}

/// Where a line tells what is known about it: its row of a table that others watch.
#[derive(Clone)]
pub struct Reporter {
    rows: watch::Sender<Vec<LineReport>>,
    name: String,
}

impl Reporter {
    /// The reporter of the row with this name.
    pub fn new(rows: watch::Sender<Vec<LineReport>>, name: &str) -> Reporter {
        Reporter { rows, name: name.to_owned() }
    }

    /// The line is not running.
    pub fn set_broken(&self, reason: String) {
        self.update(|row| {
            row.no_link = Some(reason);
            row.is_broken = true;
            row.was_opened = true;
        });
    }

    /// Changes the row. Those who watch wake up only if it is another one then.
    pub fn update(&self, change: impl FnOnce(&mut LineReport)) {
        self.rows.send_if_modified(|rows| {
            let Some(row) = rows.iter_mut().find(|row| row.name == self.name) else { return false };
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
