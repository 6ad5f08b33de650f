//! Work beside the lines: evaluates alarms, checks the disk and notifies the service manager.
//!
//! The watchdog is fed only while every line and every thread that writes make progress. If one hangs for [`MAX_WATCHDOG_PERIODS`], the
//! service manager restarts the station; the logs have everything. A disk that stalls for half a minute, as memory cards do, is waited
//! for: a new process would wait for the same disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use damcast_control::overview::{AlarmView, DiskView};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tracing::{error, info};

use crate::config::AlarmConfig;
use crate::file_problems::{self, FileProblem, FileProblems};
use crate::heartbeat::Heartbeats;
use crate::line::LineReport;
use crate::operate::alarm::Alarms;
use crate::operate::alarm::hook::AlarmCommand;
use crate::operate::notify::ServiceManager;
use crate::operate::observer;

/// Interval of the alarm evaluation.
const ALARM_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the disk check.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Time without a heartbeat after which a task counts as hanging.
pub const MAX_SILENCE: Duration = Duration::from_secs(8);
/// Shortest such time: lines beat every second, and three missed beats are no accident.
const MIN_STALL: Duration = Duration::from_secs(3);
/// Number of watchdog periods after which a task that makes no progress is ended, with the station.
const MAX_WATCHDOG_PERIODS: u32 = 3;
/// Extension requested from the manager while lines are being opened, and its total limit.
const EXTENSION_INTERVAL: Duration = Duration::from_secs(30);
const MAX_OPENING_TIME: Duration = Duration::from_secs(300);

/// Evaluates alarms until their receiver is gone.
pub async fn watch_boards(
    config: watch::Receiver<AlarmConfig>,
    rows: watch::Receiver<Vec<LineReport>>,
    (problems, pulses): (FileProblems, Heartbeats),
    disk: watch::Receiver<Option<DiskView>>,
    raised: watch::Sender<Vec<AlarmView>>,
) {
    let hook = AlarmCommand::spawn(config.clone());
    let mut alarms = Alarms::default();
    let mut ticks = ticks(ALARM_INTERVAL);
    while !raised.is_closed() {
        ticks.tick().await;
        let now = observer::now();
        let mut problems = problems.current();
        problems.extend(pulses.stalled(MAX_SILENCE).into_iter().map(stalled_task));
        let boards = {
            let rows = rows.borrow();
            problems.extend(rows.iter().filter_map(disk_fault));
            problems.extend(rows.iter().filter_map(excess_input));
            observer::boards(&rows, now)
        };
        let (config, disk) = (config.borrow().clone(), *disk.borrow());
        for event in alarms.evaluate(&config, &boards, &problems, disk, now) {
            hook.send(event);
        }
        raised.send_if_modified(|old| {
            let new = alarms.raised();
            let is_other = *old != new;
            *old = new;
            is_other
        });
    }
}

/// Returns the problem of a line, or of a thread that publication depends on, that makes no progress.
fn stalled_task((name, silent): (String, Duration)) -> FileProblem {
    let silent = silent.as_secs();
    match name.strip_prefix(super::lines::LINE_PREFIX) {
        Some(line) => FileProblem {
            kind: file_problems::DISK_FAULT_ALARM,
            path: None,
            board: Some(line.to_owned()),
            since: None,
            text: format!(
                "the line has not gone on for {silent} s; does its disk not answer? What its board says waits in the port"
            ),
        },
        None => FileProblem {
            kind: file_problems::PUBLICATION_ALARM,
            text: format!("{name} has not gone on for {silent} s; does a disk not answer?"),
            path: Some(name),
            board: None,
            since: None,
        },
    }
}

/// Returns the disk fault of a line.
pub fn disk_fault(row: &LineReport) -> Option<FileProblem> {
    Some(line_problem(row, file_problems::DISK_FAULT_ALARM, row.fault.clone()?))
}

/// Returns the problem of a port that sends more than boards can.
fn excess_input(row: &LineReport) -> Option<FileProblem> {
    let text = "its port says more than boards can, and is heard in part only; look at its cable, its speed and what is plugged in";
    row.has_excess_input.then(|| line_problem(row, "babble", text.to_owned()))
}

fn line_problem(row: &LineReport, kind: &'static str, text: String) -> FileProblem {
    FileProblem { kind, path: None, board: Some(row.name.clone()), since: None, text }
}

/// Checks the disk until the receiver is gone. A disk that hangs blocks only this task.
pub async fn watch_disk(directory: PathBuf, disk: watch::Sender<Option<DiskView>>) {
    let mut ticks = ticks(CHECK_INTERVAL);
    while !disk.is_closed() {
        ticks.tick().await;
        let directory = directory.clone();
        if let Ok(space) = tokio::task::spawn_blocking(move || observer::disk(&directory)).await {
            disk.send_replace(space);
        }
    }
}

/// Reports the state to the service manager; never returns.
pub async fn report_to_service_manager(
    manager: Arc<ServiceManager>,
    heartbeats: Heartbeats,
    mut rows: watch::Receiver<Vec<LineReport>>,
) {
    let watchdog = manager.watchdog();
    let noticed_after = watchdog.map_or(MIN_STALL * 5, |watchdog| (watchdog / 2).max(MIN_STALL));
    let ended_after = watchdog.map_or(Duration::MAX, |watchdog| (watchdog * MAX_WATCHDOG_PERIODS).max(MIN_STALL));
    let period = watchdog.map_or(ALARM_INTERVAL, |watchdog| (watchdog / 4).min(ALARM_INTERVAL));
    let started = Instant::now();
    let (mut is_ready, mut notified, mut hanging) = (false, String::new(), Vec::new());
    loop {
        if !is_ready {
            if rows.borrow().iter().all(|row| row.was_opened) {
                is_ready = manager.send(&["READY=1"]);
            } else if started.elapsed() < MAX_OPENING_TIME {
                manager.send(&[&format!("EXTEND_TIMEOUT_USEC={}", EXTENSION_INTERVAL.as_micros())]);
            }
        }
        let status = status(&rows.borrow_and_update());
        if status != notified && manager.send(&[&format!("STATUS={status}")]) {
            notified = status;
        }
        let stalled = heartbeats.stalled(noticed_after);
        let names: Vec<String> = stalled.iter().map(|(name, _)| name.clone()).collect();
        if names != hanging {
            match names.is_empty() {
                true => info!("everything goes on again"),
                false => error!("no progress for seconds: {}; is a disk slow, or gone?", names.join(", ")),
            }
            hanging = names;
        }
        if stalled.iter().all(|(_, silent)| *silent <= ended_after) {
            manager.send(&["WATCHDOG=1"]);
        }
        // Report changes at once, but limit their rate.
        tokio::time::sleep(period / 2).await;
        let _ = timeout(period / 2, rows.changed()).await;
    }
}

/// Returns a status line: `4 boards: 3 playing, 1 waiting; 132 plies`.
fn status(rows: &[LineReport]) -> String {
    let mut states: Vec<(&str, usize)> = Vec::new();
    let (mut boards, mut plies) = (0, 0);
    for board in observer::board_rows(rows) {
        boards += 1;
        plies += board.status.plies;
        match states.iter_mut().find(|(state, _)| *state == board.state()) {
            Some((_, count)) => *count += 1,
            None => states.push((board.state(), 1)),
        }
    }
    let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let noun = if boards == 1 { "board" } else { "boards" };
    format!("{boards} {noun}: {}; {plies} plies", states.join(", "))
}

fn ticks(period: Duration) -> tokio::time::Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
