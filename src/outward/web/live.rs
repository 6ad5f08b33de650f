//! `GET /events` with `Accept: text/event-stream`: what happens, to one page, for as long as it is open.
//!
//! | event | data |
//! |---|---|
//! | `hello` | first: `now`, the clock of the server in ms since 1970 |
//! | `board` | the whole state of a board after an event; its id is `generation.seq` |
//! | `snapshot` | all boards, where what was missed is not known any more |
//! | `round` | who plays whom may be another now: the page is fetched anew |
//! | `beat` | every [`BEAT`]: `now`, and `seq`, the last event there is |
//!
//! At most four writes a second. Of the board that the page follows every event is sent, of the others the last one of each write:
//! each says the whole state, so nothing is lost but steps in between. What all get is one buffer that they share.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

use super::state::{Missed, ShownHall};

/// How often a page hears that it is still connected.
pub const BEAT: Duration = Duration::from_secs(15);
/// Writes to one viewer are no closer together.
const PACE: Duration = Duration::from_millis(250);

/// The clock of the server, in ms since 1970.
pub fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// One who watches.
struct Viewer {
    hall: watch::Receiver<Arc<ShownHall>>,
    generation: String,
    /// All until this one was sent.
    sent: u64,
    /// The board that the page follows.
    follows: Option<String>,
    now: fn() -> i64,
    /// What goes out next.
    ready: Option<Bytes>,
    wrote: Instant,
    /// Put off with each write: that is cheaper than a new one.
    beat: Pin<Box<Sleep>>,
    _counted: Counted,
}

/// Counts a viewer for as long as he is there.
struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What is sent next, and the viewer behind it; `None`: the server ends.
type NextWrite = dyn Future<Output = Option<(Viewer, Bytes)>> + Send;

/// The body of the answer.
pub struct LiveBody(Pin<Box<NextWrite>>);

impl LiveBody {
    /// For a page that has all until `last` (`generation.seq`) and follows a board. `jitter` in ms keeps viewers from coming back
    /// all at once. `viewers` counts those who are there. `now`: the clock of the server.
    pub fn new(
        hall: watch::Receiver<Arc<ShownHall>>,
        last: Option<&str>,
        follows: Option<String>,
        jitter: u64,
        viewers: Arc<AtomicU64>,
        now: fn() -> i64,
    ) -> LiveBody {
        viewers.fetch_add(1, Ordering::Relaxed);
        let shown = hall.borrow().clone();
        let mut first = format!("retry: {}\nevent: hello\ndata: {{\"now\":{}}}\n\n", 1500 + jitter, now()).into_bytes();
        let missed = last.map_or(Missed::TooMuch, |last| shown.missed(last));
        first.extend(changes(&shown, missed, follows.as_deref()));
        let begun = Instant::now();
        let beat = Box::pin(sleep_until(begun + BEAT));
        let viewer = Viewer {
            generation: shown.generation.clone(),
            sent: shown.seq,
            hall,
            follows,
            now,
            ready: Some(first.into()),
            wrote: begun,
            beat,
            _counted: Counted(viewers),
        };
        LiveBody(Box::pin(viewer.next()))
    }
}

/// What of it goes to a page: of each board the last frame, as it has the whole state, and all of the board that the page follows.
fn changes(hall: &ShownHall, missed: Missed<'_>, follows: Option<&str>) -> Bytes {
    let Missed::Frames(frames) = missed else { return hall.snapshot() };
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

impl Viewer {
    /// What is sent next, and the viewer behind it; `None`: the server ends.
    async fn next(mut self) -> Option<(Viewer, Bytes)> {
        if let Some(ready) = self.ready.take() {
            return Some((self, ready));
        }
        loop {
            tokio::select! {
                changed = self.hall.changed() => changed.ok()?,
                () = &mut self.beat => {
                    let seq = self.hall.borrow().seq;
                    let beat = format!("event: beat\ndata: {{\"now\":{},\"seq\":{seq}}}\n\n", (self.now)());
                    return Some(self.writes(beat.into_bytes().into()));
                }
            }
            if self.wrote.elapsed() < PACE {
                sleep_until(self.wrote + PACE).await;
            }
            let hall = self.hall.borrow_and_update().clone();
            let missed = if hall.generation == self.generation { hall.behind(self.sent) } else { Missed::TooMuch };
            self.sent = hall.seq;
            hall.generation.clone_into(&mut self.generation);
            let bytes = changes(&hall, missed, self.follows.as_deref());
            if !bytes.is_empty() {
                return Some(self.writes(bytes));
            }
        }
    }

    fn writes(mut self, bytes: Bytes) -> (Viewer, Bytes) {
        self.wrote = Instant::now();
        self.beat.as_mut().reset(self.wrote + BEAT);
        (self, bytes)
    }
}

impl HttpBody for LiveBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.as_mut().poll(context).map(|next| {
            let (viewer, bytes) = next?;
            self.0 = Box::pin(viewer.next());
            Some(Ok(Frame::data(bytes)))
        })
    }
}
