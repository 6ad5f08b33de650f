//! `GET /events` with `Accept: text/event-stream`: stream of events for one page, or for a program, while it is open.
//!
//! Programs may also follow the lines themselves: [`event_lines`](super::event_lines).
//!
//! | event | to | data |
//! |---|---|---|
//! | `hello` | all | first: `now`, the clock of the server in ms since 1970 |
//! | `recorder` | pages | `silent_since`: since when the recorder gives no sign of life, in ms since 1970; null if it does again |
//! | `beat` | all | every [`HEARTBEAT_INTERVAL`]: `now`, and `seq`, the last event there is |
//! | `parts` | pages | parts of the page that have changed, as pairs of key and HTML; its id is that of the view |
//! | `again` | pages | the view of the page is unknown: load the page again |
//! | `board` | programs | the whole state of a board after an event; its id is `generation.seq` |
//! | `snapshot` | programs | all boards, if the missed events are gone |
//! | `round` | programs | pairings may have changed |
//!
//! At most six writes a second, and six renderings of a page for each of its readers. To a program, a write has every event of the board
//! that it follows, and the last one of each other board: an event has the whole state, so only intermediate steps are skipped. Readers of
//! the same page share the buffer of a write.
//!
//! The length of the answer is unknown, so it ends with its connection. The listener passes the connection itself to the
//! stream once the request is answered: an idle viewer costs a small task and no buffers.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::event_lines::LineFeed;
use super::page_store::{LOAD_AGAIN, PageStore};
use super::pages::address::PageAddress;
use super::state::{MissedFrames, ViewerHall};
use super::view::View;

/// Interval between beats.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Shortest interval between writes to one viewer.
const MIN_SEND_INTERVAL: Duration = Duration::from_millis(150);

/// Returns the server's time, in ms since 1970.
pub fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// Stream of one viewer, before it owns the connection.
#[derive(Clone)]
pub struct LiveStream {
    views: watch::Receiver<Arc<View>>,
    feed: Feed,
    /// First bytes of the stream.
    first: Bytes,
    /// Counts the stream while it is open.
    viewers: Arc<()>,
    now: fn() -> i64,
}

/// Source of the events of a stream, with the position up to which they were sent.
#[derive(Clone)]
pub enum Feed {
    /// Changes of a page.
    Page {
        /// Address of the page.
        address: Arc<PageAddress>,
        /// Maker of the changes.
        pages: Arc<PageStore>,
        /// Number of the view that the reader has.
        sent: u64,
        /// Time that the last event `recorder` gave the reader, in ms since 1970.
        silent_since: Option<i64>,
    },
    /// States of boards, for programs.
    Boards {
        /// Board of which every event is sent.
        follows: Option<String>,
        /// Generation of the last event that was sent.
        generation: String,
        /// Number of times that the events had begun anew then.
        restarts: u64,
        /// Last event that was sent.
        sent: u64,
    },
    /// Lines of the file, for programs.
    Lines(LineFeed),
}

impl Feed {
    /// Creates the feed of a page whose reader has the view `last`, and returns the first bytes.
    pub fn page(view: &View, address: PageAddress, pages: Arc<PageStore>, last: Option<&str>) -> (Feed, Bytes) {
        let changes = last.and_then(|last| pages.step_of(last)).map(|from| pages.changes(&address, from));
        let (first, view) = match &changes {
            Some((first, view)) => (&**first, &**view),
            None => (LOAD_AGAIN.as_bytes(), view),
        };
        let first = [&recorder(view.silent_since), first].concat().into();
        (Feed::Page { address: Arc::new(address), pages, sent: view.step, silent_since: view.silent_since }, first)
    }

    /// Creates the feed of a program that has all events up to `last` (`generation.seq`), and returns the first bytes.
    pub fn boards(view: &View, follows: Option<String>, last: Option<&str>) -> (Feed, Bytes) {
        let hall = &view.hall;
        let first = changes(hall, last.and_then(|last| hall.missed(last)), follows.as_deref());
        let (generation, restarts, sent) = (hall.generation.clone(), hall.restarts, hall.seq);
        (Feed::Boards { follows, generation, restarts, sent }, first)
    }

    /// Returns what is new in a view, and whether more is there already; `None` ends the stream.
    fn next(&mut self, view: &View) -> Option<(Bytes, bool)> {
        let bytes = match self {
            Feed::Lines(lines) => return lines.next(&view.hall),
            Feed::Page { address, pages, sent, silent_since } => {
                let (changes, view) = pages.changes(address, *sent);
                *sent = view.step;
                if std::mem::replace(silent_since, view.silent_since) == view.silent_since {
                    changes
                } else {
                    [&recorder(view.silent_since), &*changes].concat().into()
                }
            }
            Feed::Boards { follows, generation, restarts, sent } => {
                let hall = &view.hall;
                let is_same = hall.generation == *generation && hall.restarts == *restarts;
                let missed = hall.frames_after(*sent).filter(|_| is_same);
                (*sent, *restarts) = (hall.seq, hall.restarts);
                hall.generation.clone_into(generation);
                changes(hall, missed, follows.as_deref())
            }
        };
        Some((bytes, false))
    }

    /// Returns the beat of a reader. That of a page has the identifier of the view that the reader has.
    fn beat(&self, view: &View, now: i64) -> Bytes {
        let id = match self {
            Feed::Lines(lines) => return lines.beat(view, now),
            Feed::Page { sent, .. } if *sent == view.step => format!("id: {}\n", view.id()),
            _ => String::new(),
        };
        format!("{id}event: beat\ndata: {{\"now\":{now},\"seq\":{}}}\n\n", view.hall.seq).into()
    }
}

/// Returns the event that says since when the recorder is silent.
fn recorder(silent_since: Option<i64>) -> Vec<u8> {
    format!("event: recorder\ndata: {}\n\n", serde_json::json!({ "silent_since": silent_since })).into_bytes()
}

/// Selects the frames for a program: all of the board that it follows, the last one of each other board. Returns a snapshot if frames are
/// missing.
fn changes(hall: &ViewerHall, missed: Option<MissedFrames<'_>>, follows: Option<&str>) -> Bytes {
    let Some(frames) = missed else { return hall.snapshot() };
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
        [one] => one.clone(),
        _ => wanted.iter().rev().map(|bytes| &bytes[..]).collect::<Vec<_>>().concat().into(),
    }
}

impl LiveStream {
    /// Creates a stream. `jitter`, in ms, spreads reconnections. Copies of `viewers` are counted; `now` is the clock of the server.
    pub fn new(
        views: watch::Receiver<Arc<View>>,
        (feed, first): (Feed, Bytes),
        jitter: u64,
        viewers: Arc<()>,
        now: fn() -> i64,
    ) -> LiveStream {
        let hello = format!("retry: {}\nevent: hello\ndata: {{\"now\":{}}}\n\n", 1500 + jitter, now());
        LiveStream { views, feed, first: [hello.as_bytes(), &first].concat().into(), viewers, now }
    }

    /// Creates a stream of lines. Its reader counts as no viewer.
    pub fn lines(views: watch::Receiver<Arc<View>>, lines: LineFeed, now: fn() -> i64) -> LiveStream {
        let first = lines.beat(&views.borrow(), now());
        LiveStream { first, views, feed: Feed::Lines(lines), viewers: Arc::default(), now }
    }

    /// Sends the head of the answer and then events, until the viewer leaves or the server stops.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the connection.
    pub async fn send(self, head: Vec<u8>, connection: impl AsyncRead + AsyncWrite) -> io::Result<()> {
        let LiveStream { mut views, mut feed, first, viewers: _counted, now } = self;
        tokio::pin!(connection);
        connection.write_all(&[&head, &first[..]].concat()).await?;
        drop((head, first));
        let (is_line_feed, is_page) = (matches!(feed, Feed::Lines(_)), matches!(feed, Feed::Page { .. }));
        let mut wrote = Instant::now();
        // Reset with each write, which is cheaper than a new timer.
        let beat = sleep_until(wrote + HEARTBEAT_INTERVAL);
        tokio::pin!(beat);
        loop {
            let mut nothing = [0];
            let is_beat = tokio::select! {
                biased;
                changed = views.changed() => match changed {
                    Ok(()) => false,
                    Err(_) => return Ok(()),
                },
                () = &mut beat => true,
                // The viewer has left: viewers send nothing.
                read = connection.read(&mut nothing) => return read.map(drop),
            };
            let bytes = if is_beat {
                feed.beat(&views.borrow(), now())
            } else {
                sleep_until(wrote + MIN_SEND_INTERVAL).await;
                let view = views.borrow_and_update().clone();
                loop {
                    match feed.next(&view) {
                        Some((bytes, true)) => connection.write_all(&bytes).await?,
                        Some((bytes, false)) => break bytes,
                        None => return Ok(()),
                    }
                }
            };
            if bytes.is_empty() && is_page {
                // The page was rendered although nothing has changed in it: the next rendering waits as after a write.
                wrote = Instant::now();
            }
            if !bytes.is_empty() {
                connection.write_all(&bytes).await?;
                wrote = Instant::now();
                // Lines say nothing of the recorder: its age follows at a steady interval.
                if !is_line_feed || is_beat {
                    beat.as_mut().reset(wrote + HEARTBEAT_INTERVAL);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::hall_of;
    use super::*;

    /// The folder of the outlet is replaced by an older copy, which goes on with other lines under the same generation.
    #[test]
    fn program_gets_all_boards_after_restored_copy() {
        let game = |board: &str| {
            format!(
                "{{\"board\":\"{board}\",\"game\":1,\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{}},\"fen\":\"W:W31:B1\"}}"
            )
        };
        let view = |hall: ViewerHall| View::new(hall, Arc::default(), None, (0, 1));
        let before = hall_of(&[game("a"), game("b")]);
        let (mut feed, _) = Feed::boards(&view(before.clone()), None, None);
        let mut restored = before.begun_anew();
        for (seq, board) in (1..).zip(["a", "c", "d"]) {
            restored.apply(seq, Some("g"), &format!("{}\n", game(board)), 1000);
        }
        let mut next = |hall: &ViewerHall| feed.next(&view(hall.clone())).unwrap().0;
        assert_eq!(next(&restored), restored.snapshot());
        assert!(next(&restored).is_empty());
    }
}
