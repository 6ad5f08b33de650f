//! `GET /events` with `Accept: text/event-stream`: stream of events for one page, while it is open.
//!
//! | event | data |
//! |---|---|
//! | `hello` | first: `now`, the clock of the server in ms since 1970 |
//! | `board` | the whole state of a board after an event; its id is `generation.seq` |
//! | `snapshot` | all boards, if the missed events are gone |
//! | `round` | pairings may have changed: fetch the page again |
//! | `beat` | every [`HEARTBEAT_INTERVAL`]: `now`, and `seq`, the last event there is |
//!
//! At most four writes of events a second. A write has every event of the board that the page follows, and the last one of each other
//! board: an event has the whole state, so only intermediate steps are skipped. All viewers share the buffer of a single event.
//!
//! The length of the answer is unknown, so it ends with its connection. The listener passes the connection itself to the
//! stream once the request is answered: an idle viewer costs a small task and no buffers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::state::{MissedFrames, ViewerHall};

/// Interval between beats.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// Shortest interval between writes to one viewer.
const MIN_SEND_INTERVAL: Duration = Duration::from_millis(150);

/// Returns the server's time, in ms since 1970.
pub fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// Stream of one viewer, before it owns the connection.
#[derive(Clone)]
pub struct LiveStream {
    hall: watch::Receiver<Arc<ViewerHall>>,
    generation: String,
    /// Last event that was sent.
    sent_until: u64,
    /// Board that the page follows.
    follows: Option<String>,
    /// First bytes of the stream.
    first: Bytes,
    viewers: Arc<AtomicU64>,
    now: fn() -> i64,
}

/// Guard that counts a viewer.
struct ViewerCountGuard(Arc<AtomicU64>);

impl Drop for ViewerCountGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Selects the frames for a page: all of the board that it follows, the last one of each other board. Unavailable frames are
/// replaced by a snapshot.
fn changes(hall: &ViewerHall, missed: MissedFrames<'_>, follows: Option<&str>) -> Bytes {
    let MissedFrames::Frames(frames) = missed else { return hall.snapshot() };
    let mut boards: Vec<&str> = Vec::new();
    let mut wanted: Vec<&Bytes> = Vec::new();
    for frame in frames.rev() {
        let is_last = !boards.contains(&&*frame.board);
        if is_last {
            boards.push(&frame.board);
        }
        if is_last || follows == Some(&*frame.board) {
            wanted.push(&frame.bytes);
        }
    }
    match wanted[..] {
        [] => Bytes::new(),
        [one] => one.clone(),
        _ => {
            let all: Vec<&[u8]> = wanted.iter().rev().map(|bytes| &bytes[..]).collect();
            all.concat().into()
        }
    }
}

impl LiveStream {
    /// Creates the stream of a page that follows a board and has all events up to `last` (`generation.seq`). `jitter`, in ms, spreads
    /// reconnections. `viewers` counts open streams; `now` is the clock of the server.
    pub fn new(
        hall: watch::Receiver<Arc<ViewerHall>>,
        last: Option<&str>,
        follows: Option<String>,
        jitter: u64,
        viewers: Arc<AtomicU64>,
        now: fn() -> i64,
    ) -> LiveStream {
        let shown = hall.borrow().clone();
        let mut first = format!("retry: {}\nevent: hello\ndata: {{\"now\":{}}}\n\n", 1500 + jitter, now()).into_bytes();
        let missed = last.map_or(MissedFrames::Unavailable, |last| shown.missed(last));
        first.extend(changes(&shown, missed, follows.as_deref()));
        let (generation, sent_until) = (shown.generation.clone(), shown.seq);
        LiveStream { hall, generation, sent_until, follows, first: first.into(), viewers, now }
    }

    /// Sends the head of the answer and then events, until the viewer leaves or the server stops.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the connection.
    pub async fn send(self, head: Vec<u8>, connection: impl AsyncRead + AsyncWrite) -> io::Result<()> {
        let LiveStream { mut hall, mut generation, sent_until: mut sent, follows, first, viewers, now } = self;
        viewers.fetch_add(1, Ordering::Relaxed);
        let _counted = ViewerCountGuard(viewers);
        tokio::pin!(connection);
        connection.write_all(&[&head, &first[..]].concat()).await?;
        drop((head, first));
        let mut wrote = Instant::now();
        // Reset with each write, which is cheaper than a new timer.
        let beat = sleep_until(wrote + HEARTBEAT_INTERVAL);
        tokio::pin!(beat);
        loop {
            let mut nothing = [0];
            let bytes = tokio::select! {
                biased;
                changed = hall.changed() => match changed {
                    Ok(()) => None,
                    Err(_) => return Ok(()),
                },
                () = &mut beat => {
                    let seq = hall.borrow().seq;
                    Some(format!("event: beat\ndata: {{\"now\":{},\"seq\":{seq}}}\n\n", now()).into())
                }
                // The viewer has left: viewers send nothing.
                read = connection.read(&mut nothing) => return read.map(drop),
            };
            let bytes = match bytes {
                Some(beat) => beat,
                None => {
                    if wrote.elapsed() < MIN_SEND_INTERVAL {
                        sleep_until(wrote + MIN_SEND_INTERVAL).await;
                    }
                    let shown = hall.borrow_and_update().clone();
                    let missed = if shown.generation == generation {
                        shown.frames_after(sent)
                    } else {
                        MissedFrames::Unavailable
                    };
                    sent = shown.seq;
                    shown.generation.clone_into(&mut generation);
                    changes(&shown, missed, follows.as_deref())
                }
            };
            if !bytes.is_empty() {
                connection.write_all(&bytes).await?;
                wrote = Instant::now();
                beat.as_mut().reset(wrote + HEARTBEAT_INTERVAL);
            }
        }
    }
}
