//! `damcast serve`: pages for viewers, from one outlet, in a separate process.
//!
//! ```text
//!                                                                                 ┌▸ routes ─▸ a page
//!   public/events.ndjson ─▸ event_reader (a thread) ─▸ View, in a watch channel ─▸ page_store
//!   public/alive.json ───────────┘                                                └▸ live (GET /events) ─▸ its parts that change
//! ```
//!
//! Guarantees:
//!
//! * No page, header or count reveals more than the outlet. The process reads only the folder of the outlet, and writes at most the
//!   configured state file.
//! * GET and HEAD only. No cookie is set, read or logged; requests change nothing.
//! * A page is a function of the outlet's events up to one of them, of the recorder's signs of life, and of the time: the last day is over, boards
//!   take turns. It shows one [`view`]. It is complete without a script. With it, `GET /events` sends the parts that another view
//!   changes, made by the same code: an open page is what a page loaded now would be, also after an interruption.
//! * The cost of each client has bounds ([`listener`], [`live`]).
//! * Memory grows with the boards, and little with the games: the moves of an earlier game are in the file alone.
//!
//! | file | subject |
//! |---|---|
//! | `event_reader` | thread that reads the events and makes views |
//! | [`state`] | state of the outlet: events in, views out; pure |
//! | [`plan`], [`next_games`] | pairings and standings, and the next games of the boards, from the same events |
//! | [`event_facts`] | name, days, schedule and other facts of the event |
//! | [`view`] | all that pages show at one moment |
//! | [`pages`], `diagram`, `texts` | HTML, boards as SVG, languages; functions of the view |
//! | [`page_store`] | pages as answers, and what changes in them |
//! | `assets` | scripts and styles, embedded |
//! | `picture` | positions as PNG |
//! | [`live`], [`event_lines`], [`files`] | the stream of events, lines for programs, the files of the outlet |
//! | `pdn_readers` | programs that read PDN files regularly, for the operator |
//! | `stored_games` | games that are over, read from the file of events when asked for |
//! | [`static_pages`], `static_names` | the pages as plain files, and the names of these |
//! | `hosts`, `origin`, [`listener`] | allowed host names; where a request comes from; connections and their bounds |
//! | `routes` | routes and their answers |
//!
//! The operators' page, [`desk`](super::desk), is another process behind the same listener.

pub(super) mod assets;
pub(super) mod diagram;
pub mod event_facts;
pub mod event_lines;
pub(crate) mod event_reader;
pub mod files;
pub(super) mod hosts;
pub mod listener;
pub mod live;
pub mod next_games;
pub(crate) mod origin;
pub mod page_store;
pub mod pages;
mod pdn_readers;
mod picture;
pub mod plan;
pub(super) mod routes;
pub mod state;
mod static_names;
pub mod static_pages;
mod stored_games;
pub(super) mod texts;
pub mod view;

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::state_file::replace_state;

pub use texts::Language;

/// Interval between writes of the state file.
const STATE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest time before the pages start, even if more lines are unread.
const MAX_STARTUP_READ: Duration = Duration::from_secs(30);

/// Options of the pages' server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Folder of the outlet.
    pub outlet: PathBuf,
    /// Host names of the pages, besides addresses, localhost and `machine`.
    pub hosts: Vec<String>,
    /// Host name of this machine.
    pub machine: Option<String>,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Largest number of connections.
    pub connections: usize,
    /// State file, for the operator.
    pub state_file: Option<PathBuf>,
    /// Whether pages poll, behind a cache, instead of keeping a stream open.
    pub is_polled: bool,
    /// Language of pages whose address has none; `None` leaves it to the browser.
    pub language: Option<Language>,
    /// Clock of the server, in ms since 1970: [`live::now`].
    pub now: fn() -> i64,
}

/// Serves pages until `stop` completes.
///
/// # Errors
///
/// Returns an error if the thread that reads the outlet cannot be started, or the listener has no address.
pub async fn serve(
    listener: TcpListener,
    options: ServeOptions,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let (views, read) = watch::channel(Arc::default());
    let files = Arc::new(files::OutletFiles::new(options.outlet.clone()));
    let sign = Arc::new(AtomicI64::new(0));
    event_reader::spawn(options.outlet.clone(), files.clone(), views, sign.clone(), options.now)?;
    let (shown, mut reader) = watch::channel(Arc::default());
    let counts = Arc::new(listener::ConnectionCounts::default());
    let site = Arc::new(routes::Site::new(&options, files, reader.clone(), sign));
    let limits =
        listener::Limits { connections: options.connections, trusted_proxies: options.trusted_proxies.clone() };
    let address = listener.local_addr()?;
    let state = write_state(&options, address, site.clone(), counts.clone());
    // The reader of the outlet ends with the task that receives its views.
    let mut publisher = JoinSet::new();
    publisher.spawn(publish_views(read, shown));
    tokio::pin!(stop);
    // Wait for the first state: pages of a partly read outlet would be wrong.
    tokio::select! {
        _ = tokio::time::timeout(MAX_STARTUP_READ, reader.changed()) => {}
        () = &mut stop => return Ok(()),
    }
    tokio::select! {
        () = listener::listen(listener, routes::router(site), limits, counts) => {}
        () = state => {}
        () = &mut stop => {}
    }
    Ok(())
}

/// Forwards each view to the viewers, until the reader ends. Waking a viewer from another thread costs a system call; from a task
/// it costs none.
async fn publish_views(mut read: watch::Receiver<Arc<view::View>>, shown: watch::Sender<Arc<view::View>>) {
    while read.changed().await.is_ok() {
        let view = read.borrow_and_update().clone();
        shown.send_replace(view);
    }
}

/// Writes the state file every [`STATE_INTERVAL`]; never completes.
async fn write_state(
    options: &ServeOptions,
    address: SocketAddr,
    site: Arc<routes::Site>,
    counts: Arc<listener::ConnectionCounts>,
) {
    let ServeOptions { state_file: Some(file), outlet, now, .. } = options else { return std::future::pending().await };
    let since = now();
    let mut had_trouble = false;
    loop {
        let state = {
            let hall = &site.views.borrow().hall;
            let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
            let (readers, alarms) = site.readers.report(hall, now());
            json!({
                "since": since, "written": now(), "outlet": outlet.display().to_string(), "address": address,
                "generation": hall.generation, "seq": hall.seq,
                "viewers": site.count_viewers(), "connections": count(&counts.open),
                "refused": count(&counts.refused), "displaced": count(&counts.displaced),
                "readers": readers, "alarms": alarms,
            })
        };
        let written = replace_state(file, &format!("{state}\n"));
        if let (Err(error), false) = (&written, had_trouble) {
            tracing::warn!(file = %file.display(), %error, "the state cannot be written");
        }
        had_trouble = written.is_err();
        tokio::time::sleep(STATE_INTERVAL).await;
    }
}

/// Compresses bytes as gzip; level 9 makes them as small as possible, for data that is compressed once.
pub(super) fn compress(level: u32, bytes: &[u8]) -> Bytes {
    let mut packer = GzEncoder::new(Vec::new(), Compression::new(level));
    // Writing to a Vec cannot fail.
    let _ = packer.write_all(bytes);
    exact(packer.finish().unwrap_or_default())
}

/// Shares bytes without the spare room of their vector.
pub(super) fn exact(bytes: Vec<u8>) -> Bytes {
    bytes.into_boxed_slice().into()
}
