//! Stream of states for the pages, one JSON object per line: `GET /api/states`.
//!
//! | member | |
//! |---|---|
//! | `now` | time of the desk, in ms since 1970 |
//! | `status` | state of the station, as `damcast status --json` prints it; `null` before the first |
//! | `trouble` | reason why the station does not answer; the state is old then |
//! | `viewers` | state of the viewers' pages, if known |
//! | `silent` | whether the viewers' pages have stopped reporting |
//! | `deliveries` | reports of the deliveries, or their `silent` seconds; `null` if there are none |
//! | `here` | users with an open page, `name` and `role` |
//!
//! The desk sends a line after each change of the state, and at least every [`HEARTBEAT_INTERVAL`]. A page that receives nothing for longer
//! has lost its connection. The stream ends with the session.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::site::DeskSite;
use super::station_client::StationState;
use crate::deliver::report::{DeliveriesState, read_reports};
use crate::state_file::{PagesState, read_state};
use crate::web::live::now;

/// Longest interval between lines.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Shortest interval between lines.
const MIN_SEND_INTERVAL: Duration = Duration::from_millis(300);

/// Body of the answer: lines as they are written.
pub struct StateLines(mpsc::Receiver<Bytes>);

impl HttpBody for StateLines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|line| line.map(|line| Ok(Frame::data(line))))
    }
}

/// Writes the lines for a session.
pub fn lines(desk: Arc<DeskSite>, session: u64) -> StateLines {
    let (sender, lines) = mpsc::channel(1);
    tokio::spawn(async move {
        desk.sessions.count_page(session, true, Instant::now());
        let mut station_state = desk.station.state();
        while desk.sessions.is_valid(session, Instant::now()) {
            let state = station_state.borrow_and_update().clone();
            let line = line(&desk, &state);
            // A slow page receives the newest state when it is ready.
            if sender.send(line).await.is_err() {
                break;
            }
            tokio::select! {
                () = sender.closed() => break,
                () = tokio::time::sleep(MIN_SEND_INTERVAL) => {}
            }
            tokio::select! {
                () = sender.closed() => break,
                _ = tokio::time::timeout(HEARTBEAT_INTERVAL, station_state.changed()) => {}
            }
        }
        desk.sessions.count_page(session, false, Instant::now());
    });
    StateLines(lines)
}

fn line(desk: &DeskSite, station_state: &StationState) -> Bytes {
    let mut here = Vec::new();
    for session in desk.sessions.all(Instant::now()).into_iter().filter(|session| session.pages > 0) {
        if !here.contains(&session.person) {
            here.push(session.person);
        }
    }
    let pages = desk.state_files.viewers.as_deref().and_then(read_state);
    let status = station_state.state.as_deref().map(|status| {
        let mut status = status.clone();
        status.alarms.extend(desk.state_files.alarms());
        status
    });
    let (viewers, silent) = viewer_status(pages);
    let deliveries = desk.state_files.deliveries.as_deref().and_then(read_reports).map(|state| match state {
        DeliveriesState::Running(reports) => json!(reports),
        DeliveriesState::Silent(silent) => json!([{"silent": silent.as_secs()}]),
    });
    let line = json!({"now": now(), "status": status, "trouble": station_state.error, "viewers": viewers, "silent": silent, "deliveries": deliveries, "here": here});
    format!("{line}\n").into()
}

/// Returns the state of the viewers' pages, and whether they have stopped reporting.
fn viewer_status(state: Option<PagesState>) -> (Option<Value>, bool) {
    match state {
        Some(PagesState::Running(state)) => (Some(state), false),
        Some(PagesState::Silent(_)) => (None, true),
        None => (None, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_silent_only_after_first_report() {
        assert_eq!(viewer_status(None), (None, false));
        assert_eq!(viewer_status(Some(PagesState::Silent(HEARTBEAT_INTERVAL))), (None, true));
        assert_eq!(viewer_status(Some(PagesState::Running(json!({})))), (Some(json!({})), false));
    }
}
