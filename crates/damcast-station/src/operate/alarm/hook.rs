//! Runs the alarm command with one line of JSON on its standard input.
//!
//! ```text
//! {"event":"raised","kind":"silent","board":"board-3","since":"2026-11-21T14:02:11.000+01:00","text":"...","at":"..."}
//! ```
//!
//! Invariants: nothing waits for the command; it gets events in order; if it takes too long, it is killed with all its child
//! processes; events that cannot be queued are dropped with a log message.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use damcast_control::overview::AlarmView;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::{info, warn};

use super::AlarmEvent;
use crate::config::AlarmConfig;
use crate::operate::observer;

/// Maximum number of queued alarms. A hall has fewer boards; more at once have one common cause.
const MAX_PENDING_ALARMS: usize = 256;

/// Sender of alarm events.
pub struct AlarmCommand(mpsc::Sender<AlarmEvent>);

impl AlarmCommand {
    /// Spawns a task that runs the command of the latest configuration, one call at a time, until the sender is dropped.
    pub fn spawn(config: watch::Receiver<AlarmConfig>) -> AlarmCommand {
        let (sender, mut events) = mpsc::channel::<AlarmEvent>(MAX_PENDING_ALARMS);
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                let config = config.borrow().clone();
                if config.command.is_empty() {
                    continue;
                }
                if let Err(why) = run_command(&config, &event).await {
                    warn!("the alarm command {}: {why}", config.command.join(" "));
                }
            }
        });
        AlarmCommand(sender)
    }

    /// Queues and logs an event.
    pub fn send(&self, event: AlarmEvent) {
        let AlarmEvent { event: event_kind, alarm, .. } = &event;
        let of = alarm.board.as_deref().unwrap_or("the station");
        match *event_kind {
            "raised" => warn!(board = alarm.board, "alarm {} of {of}: {}", alarm.kind, alarm.text),
            _ => info!(board = alarm.board, "alarm {} of {of} is over", alarm.kind),
        }
        if self.0.try_send(event).is_err() {
            warn!("too many alarms wait for the alarm command; this one is dropped");
        }
    }
}

/// Runs the command with an event `test`. Returns a description of the outcome.
///
/// # Errors
///
/// Returns the reason if no command is configured or it fails.
pub async fn run_test(config: &AlarmConfig) -> Result<String, String> {
    if config.command.is_empty() {
        return Err("no alarm command is configured: `command` in [alarm]".to_owned());
    }
    let now = observer::now();
    let text = "a test: nothing is the matter".to_owned();
    let alarm = AlarmView { kind: "test".to_owned(), board: None, place: None, since: now, text };
    let shown = config.command.join(" ");
    match run_command(config, &AlarmEvent { event: "test", alarm, at: now }).await {
        Ok(()) => Ok(format!("the alarm command was run and ended well: {shown}; has somebody been called?")),
        Err(why) => Err(format!("the alarm command {shown}: {why}")),
    }
}

async fn run_command(config: &AlarmConfig, event: &AlarmEvent) -> Result<(), String> {
    let mut line = serde_json::to_vec(event).map_err(|error| error.to_string())?;
    line.push(b'\n');
    let Some((program, arguments)) = config.command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // The command is not part of the service and must not send notifications for it.
    command.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
    command.process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let ended = timeout(config.time_limit, finish(&mut child, &line)).await;
    match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("it ended with {status}")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => {
            kill_all(&child);
            // Reap the killed process, so that it does not stay a zombie.
            let _ = timeout(Duration::from_secs(1), child.wait()).await;
            Err(format!("it took longer than {} s and was killed", config.time_limit.as_secs()))
        }
    }
}

async fn finish(child: &mut Child, line: &[u8]) -> io::Result<std::process::ExitStatus> {
    if let Some(mut stdin) = child.stdin.take() {
        // A command need not read its input.
        let _ = stdin.write_all(line).await;
    }
    child.wait().await
}

/// Kills the command and its child processes.
fn kill_all(child: &Child) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
