//! The alarm command, run with one line of JSON on its standard input.
//!
//! ```text
//! {"event":"raised","kind":"silent","board":"board-3","since":"2026-11-21T14:02:11.000+01:00","text":"...","at":"..."}
//! ```
//!
//! Invariants: nothing waits for it; what it is told is in the order in which it happened; a command that takes too long is
//! killed with everything it has started; what it cannot be told in time is dropped, and that is told.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::{info, warn};

use super::AlarmEvent;
use crate::station::config::AlarmConfig;
use crate::station::operate::overview::{self, AlarmView};

/// Alarms that wait for their turn. A hall has fewer boards; more at once is one fault that made them all.
const MAX_PENDING_ALARMS: usize = 256;

/// Where alarms are told.
pub struct AlarmCommand(mpsc::Sender<AlarmEvent>);

impl AlarmCommand {
    /// A hook that runs the command of the latest configuration, one call after the other, as long as it is there.
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

    /// Tells it.
    pub fn send(&self, event: AlarmEvent) {
        let AlarmEvent { event: event_kind, alarm, .. } = &event;
        let of = alarm.board.as_deref().unwrap_or("the station");
        match *event_kind {
            "raised" => warn!(board = alarm.board, "alarm {} of {of}: {}", alarm.kind, alarm.text),
            _ => info!(board = alarm.board, "alarm {} of {of} is over", alarm.kind),
        }
        if self.0.try_send(event).is_err() {
            warn!("too many alarms wait for the alarm command; this one is not told to it");
        }
    }
}

/// Runs the command now, with a line of JSON whose `event` is `test`. Returns what there is to say of it.
///
/// # Errors
///
/// When there is no command, or it does not end well: why.
pub async fn run_test(config: &AlarmConfig) -> Result<String, String> {
    if config.command.is_empty() {
        return Err("no alarm command is configured: `command` in [alarm]".to_owned());
    }
    let now = overview::now();
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
    // It is no part of the service, and must not speak for it.
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
            // It is dead; its end is taken notice of, so that it does not stay a zombie.
            let _ = timeout(Duration::from_secs(1), child.wait()).await;
            Err(format!("it took longer than {} s and was killed", config.time_limit.as_secs()))
        }
    }
}

async fn finish(child: &mut Child, line: &[u8]) -> io::Result<std::process::ExitStatus> {
    if let Some(mut stdin) = child.stdin.take() {
        // A command need not read what it is told.
        let _ = stdin.write_all(line).await;
    }
    child.wait().await
}

/// It, and what it has started.
fn kill_all(child: &Child) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
