//! `damcast serve`: pages for everybody who wants to watch, from one outlet, by a process of its own.
//!
//! ```text
//!   public/events.ndjson ─▸ watching (a thread: follow, apply) ─▸ ShownHall, in a watch channel ─┬▸ routes ─▸ pages
//!   public/games.pdn, … ────────────────────────────────────────────────────────────────────────┤
//!                                                       listener ─▸ routes ─▸ live (GET /events) ┘
//! ```
//!
//! Guarantees:
//!
//! * What the outlet has not told, no answer tells: not in a page, a header or a count. The process reads the folder of the outlet and
//!   nothing else, and writes at most the state file it is told to.
//! * GET and HEAD only. No cookie is set, read or logged; nothing that comes in changes anything.
//! * A page is complete without a script. With one, `GET /events` keeps it up to date, resumed without a hole after any break.
//! * What anybody may cost is bounded ([`listener`], [`live`]).
//!
//! | file | subject |
//! |---|---|
//! | [`state`] | what the outlet has told: events in, views out; pure |
//! | [`plan`] | who plays whom in games without moves, from the files of the outlet |
//! | [`pages`], `diagram`, `words` | HTML, boards as SVG, languages; functions of the state |
//! | `assets` | scripts and styles, embedded |
//! | [`live`], [`files`] | the stream of events, the files of the outlet |
//! | `hosts`, [`listener`] | which names the pages may be asked for by; connections and their bounds |
//! | `routes` | which address is answered by what |
//!
//! The operators' page, [`desk`](super::desk), is another process behind the same listener.

pub(super) mod assets;
pub(super) mod diagram;
mod event_reader;
pub mod files;
pub(super) mod hosts;
pub mod listener;
pub mod live;
pub mod pages;
pub mod plan;
pub(super) mod routes;
pub mod state;
pub(super) mod texts;

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use texts::Language;

/// How often the state file is written.
const STATE_INTERVAL: Duration = Duration::from_secs(5);
/// The pages are up at the latest after this, whatever there is to read.
const MAX_STARTUP_READ: Duration = Duration::from_secs(30);

/// What a server of pages is told.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The folder of the outlet.
    pub outlet: PathBuf,
    /// Names by which the pages may be asked for, besides addresses, localhost and `machine`.
    pub hosts: Vec<String>,
    /// The name of this machine.
    pub machine: Option<String>,
    /// Proxies in front of it.
    pub trusted_proxies: Vec<IpAddr>,
    /// Connections at once.
    pub connections: usize,
    /// Where it writes how it is, for the operator.
    pub state_file: Option<PathBuf>,
    /// The clock of the server, in ms since 1970: [`live::now`].
    pub now: fn() -> i64,
}

/// Serves pages until `stop` is done.
///
/// # Errors
///
/// When the thread that reads the outlet cannot be started, or the listener has no address.
pub async fn serve(
    listener: TcpListener,
    options: ServeOptions,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let (hall, read) = watch::channel(Arc::default());
    let watching = event_reader::spawn(options.outlet.clone(), hall, options.now)?;
    let (shown, mut reader) = watch::channel(Arc::default());
    let viewers = Arc::new(AtomicU64::new(0));
    let counts = Arc::new(listener::ConnectionCounts::default());
    let site = routes::Site::new(&options, reader.clone(), viewers.clone());
    let limits =
        listener::Limits { connections: options.connections, trusted_proxies: options.trusted_proxies.clone() };
    let address = listener.local_addr()?;
    let state = write_state(&options, address, reader.clone(), viewers, counts.clone());
    tokio::spawn(publish_states(read, shown));
    tokio::pin!(stop);
    // Nobody gets a page of half an outlet.
    tokio::select! {
        _ = tokio::time::timeout(MAX_STARTUP_READ, reader.changed()) => {}
        () = &mut stop => return Ok(()),
    }
    tokio::select! {
        () = listener::listen(listener, routes::router(site), limits, counts) => {}
        () = state => {}
        () = &mut stop => {}
    }
    watching.stop();
    Ok(())
}

/// Hands each state on to the viewers: one of them that is woken by another thread costs a system call, here they cost none. Done when
/// the reader has ended.
async fn publish_states(
    mut read: watch::Receiver<Arc<state::ViewerHall>>,
    shown: watch::Sender<Arc<state::ViewerHall>>,
) {
    while read.changed().await.is_ok() {
        let hall = read.borrow_and_update().clone();
        shown.send_replace(hall);
    }
}

/// Writes how the server is, again and again; never done.
async fn write_state(
    options: &ServeOptions,
    address: SocketAddr,
    hall: watch::Receiver<Arc<state::ViewerHall>>,
    viewers: Arc<AtomicU64>,
    counts: Arc<listener::ConnectionCounts>,
) {
    let ServeOptions { state_file: Some(file), outlet, now, .. } = options else { return std::future::pending().await };
    let since = now();
    let mut had_trouble = false;
    loop {
        let text = {
            let hall = hall.borrow();
            let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
            json!({
                "since": since, "written": now(), "outlet": outlet.display().to_string(), "address": address,
                "generation": hall.generation, "seq": hall.seq,
                "viewers": count(&viewers), "connections": count(&counts.open),
                "refused": count(&counts.refused), "displaced": count(&counts.displaced),
            })
            .to_string()
        };
        let new = file.with_extension("new");
        // Whoever looks after the station may read it, whatever other files are for.
        let all = std::fs::Permissions::from_mode(0o644);
        let written = std::fs::write(&new, text + "\n").and_then(|()| std::fs::set_permissions(&new, all));
        let written = written.and_then(|()| std::fs::rename(&new, file));
        if let (Err(error), false) = (&written, had_trouble) {
            tracing::warn!(file = %file.display(), %error, "the state cannot be written");
        }
        had_trouble = written.is_err();
        tokio::time::sleep(STATE_INTERVAL).await;
    }
}

/// Bytes as gzip packs them.
pub(super) fn compress(bytes: &[u8]) -> Bytes {
    compress_at(Compression::new(6), bytes)
}

/// The same as small as can be, of what is packed once.
pub(super) fn compress_best(bytes: &[u8]) -> Bytes {
    compress_at(Compression::best(), bytes)
}

fn compress_at(level: Compression, bytes: &[u8]) -> Bytes {
    let mut packer = GzEncoder::new(Vec::new(), level);
    // A Vec takes everything.
    let _ = packer.write_all(bytes);
    packer.finish().unwrap_or_default().into()
}
