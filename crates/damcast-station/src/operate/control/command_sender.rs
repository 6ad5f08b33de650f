//! Sends commands to the station and waits for the answers.

use std::time::Duration;

use damcast_control::{Reply, Uptime};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{Commands, StationCommand};

/// Extra time for the answer to a request that started just before its deadline.
pub(super) const COMPLETION_GRACE: Duration = Duration::from_millis(500);

/// Sends a command to the station and waits for its answer. `command`: makes the command from the sender of the answer.
pub(in crate::operate) async fn send_command<T>(
    commands: &Commands,
    until: Uptime,
    command: impl FnOnce(oneshot::Sender<T>) -> StationCommand,
) -> Result<T, Reply> {
    let (answer, receiver) = oneshot::channel();
    match commands.try_send(command(answer)) {
        Ok(()) => {}
        Err(mpsc::error::TrySendError::Full(_)) => {
            return Err(Reply::error("the station has too much to do; try again"));
        }
        Err(mpsc::error::TrySendError::Closed(_)) => return Err(Reply::error("the station is stopping")),
    }
    match timeout(until.remaining() + COMPLETION_GRACE, receiver).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(Reply::unknown("the line ended before it could answer; see `damcast status`")),
        Err(_) => Err(Reply::unknown(
            "no answer: the line hangs, on its disk perhaps. What was asked is done already or will not be done; see \
             `damcast status`",
        )),
    }
}
