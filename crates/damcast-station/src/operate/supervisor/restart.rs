//! Runs one line and reopens it when it fails.
//!
//! ```text
//!   open ──▸ run ── stop, remove ──▸ end
//!    ▴        ├─── new settings ──▸ open at once
//!    └─ wait ◂┴─── disk, bug        the wait doubles; commands are handled meanwhile
//! ```

use std::time::Duration;

use tokio::time::Instant;
use tracing::error;

use crate::config::LineConfig;
use crate::line::{self, LineCommand, LineDeps, LineExit, RequestOutcome};

/// Shortest wait before a line is reopened.
const MIN_WAIT: Duration = Duration::from_millis(100);
/// Longest wait: a disk that has room again is used after it.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Time after which a running line counts as stable; its next wait is the shortest again.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Heartbeat interval of a waiting line.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Runs a line, with restarts, until it is stopped or removed.
pub async fn run_with_restarts(mut line: LineConfig, deps: LineDeps) {
    let mut wait = MIN_WAIT;
    loop {
        let started = Instant::now();
        // A separate task turns a panic into an error.
        let task = tokio::spawn(line::run(line.clone(), deps.clone()));
        let reason = match task.await {
            Ok(Ok(LineExit::Stopped | LineExit::Removed)) => return,
            Ok(Ok(LineExit::Reopen(next))) => {
                line = next.map_or(line, |next| *next);
                continue;
            }
            Ok(Err(error)) => error.to_string(),
            Err(panic) => format!("a bug: {panic}"),
        };
        if started.elapsed() > STABLE_AFTER {
            wait = MIN_WAIT;
        }
        error!(line = line.name, "{reason}; trying again in {wait:?}");
        deps.counters.restarts.add(1);
        deps.reporter.set_broken(reason.clone());
        match wait_for(wait, &mut line, &deps, &reason).await {
            RestartCause::Retry => wait = (wait * 2).min(MAX_WAIT),
            RestartCause::Configured => wait = MIN_WAIT,
            RestartCause::End => return,
        }
    }
}

enum RestartCause {
    Retry,
    /// New settings arrived, which may solve the problem.
    Configured,
    End,
}

async fn wait_for(wait: Duration, line: &mut LineConfig, deps: &LineDeps, reason: &str) -> RestartCause {
    let mut stop = deps.stop.clone();
    let end = Instant::now() + wait;
    let mut beats = tokio::time::interval(HEARTBEAT_INTERVAL);
    loop {
        deps.heartbeat.beat();
        tokio::select! {
            () = tokio::time::sleep_until(end) => return RestartCause::Retry,
            () = line::stop_requested(&mut stop) => return RestartCause::End,
            _ = beats.tick() => {}
            order = deps.commands.next() => match order {
                LineCommand::Request { answer, .. } => {
                    let _ = answer.send(RequestOutcome::refused(format!("the line is not running: {reason}")));
                }
                LineCommand::MissingMoves { answer, .. } => {
                    let _ = answer.send(Err(format!("the line is not running: {reason}")));
                }
                LineCommand::Configure { config, answer } => {
                    let is_new = *config != *line;
                    *line = *config;
                    let _ = answer.send(is_new.then(|| "new settings".to_owned()));
                    if is_new {
                        return RestartCause::Configured;
                    }
                }
                LineCommand::Remove { answer } => {
                    let _ = answer.send(Some("ends".to_owned()));
                    return RestartCause::End;
                }
            },
        }
    }
}
