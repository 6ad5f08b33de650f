//! One line, kept running: opened, and opened again when it breaks.
//!
//! ```text
//!   open ──▸ run ── stop, retire ──▸ end
//!    ▴        ├─── new settings ──▸ open at once
//!    └─ wait ◂┴─── disk, bug        the wait doubles; orders are heard meanwhile
//! ```

use std::time::Duration;

use tokio::time::Instant;
use tracing::error;

use crate::station::config::LineConfig;
use crate::station::line::{self, Answer, LineEnd, Order, Surroundings};

/// The first wait before a line is opened again.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// The longest: a disk that has room again is used again within this.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A line that ran for so long was in order; its next wait is the shortest again.
const IN_ORDER: Duration = Duration::from_secs(60);
/// A line that waits shows so often that it does.
const BEAT: Duration = Duration::from_secs(1);

/// Runs a line, again and again if need be, until it is told to stop or to retire.
pub async fn keep_running(mut line: LineConfig, surroundings: Surroundings) {
    let mut wait = SHORTEST_WAIT;
    loop {
        let started = Instant::now();
        // A task of its own, so that a panic is an error here and not an end.
        let task = tokio::spawn(line::run(line.clone(), surroundings.clone()));
        let reason = match task.await {
            Ok(Ok(LineEnd::Stopped | LineEnd::Retired)) => return,
            Ok(Ok(LineEnd::Reopen(next))) => {
                line = next.map_or(line, |next| *next);
                continue;
            }
            Ok(Err(error)) => error.to_string(),
            Err(panic) => format!("a bug: {panic}"),
        };
        if started.elapsed() > IN_ORDER {
            wait = SHORTEST_WAIT;
        }
        error!(line = line.name, "{reason}; trying again in {wait:?}");
        surroundings.counters.failures.add(1);
        surroundings.reporter.broken(reason.clone());
        match wait_for(wait, &mut line, &surroundings, &reason).await {
            Waited::Again => wait = (wait * 2).min(LONGEST_WAIT),
            Waited::Configured => wait = SHORTEST_WAIT,
            Waited::End => return,
        }
    }
}

enum Waited {
    Again,
    /// It has other settings, which may be what it needs.
    Configured,
    End,
}

async fn wait_for(wait: Duration, line: &mut LineConfig, surroundings: &Surroundings, reason: &str) -> Waited {
    let mut stop = surroundings.stop.clone();
    let end = Instant::now() + wait;
    let mut beats = tokio::time::interval(BEAT);
    loop {
        surroundings.pulse.beat();
        tokio::select! {
            () = tokio::time::sleep_until(end) => return Waited::Again,
            () = line::told_to_stop(&mut stop) => return Waited::End,
            _ = beats.tick() => {}
            order = surroundings.orders.next() => match order {
                Order::Request { answer, .. } => {
                    let _ = answer.send(Answer::refused(format!("the line is not running: {reason}")));
                }
                Order::Configure { config, answer } => {
                    let is_new = *config != *line;
                    *line = *config;
                    let _ = answer.send(is_new.then(|| "new settings".to_owned()));
                    if is_new {
                        return Waited::Configured;
                    }
                }
                Order::Retire { answer } => {
                    let _ = answer.send(Some("ends".to_owned()));
                    return Waited::End;
                }
            },
        }
    }
}
