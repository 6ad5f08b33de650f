//! Runs the alarm command with one line of JSON on its standard input.
//!
//! ```text
//! {"event":"raised","kind":"silent","board":"board-3","since":"2026-11-21T14:02:11.000+01:00","text":"...","at":"..."}
//! ```
//!
//! Invariants: nothing waits for the command; it gets events in order; if it takes too long, it is killed with all its child
//! processes; events that cannot be queued are dropped with a log message.

use damcast_control::hook::{HookCall, HookKind};
use damcast_control::overview::AlarmView;
use tokio::sync::{mpsc, watch};
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
    let call = HookCall {
        command: &config.command,
        variables: &[],
        input: &line,
        time_limit: config.time_limit,
        kind: HookKind::Detached,
    };
    call.run().await.map(drop).map_err(|error| error.to_string())
}
