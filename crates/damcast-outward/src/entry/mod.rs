//! `damcast entry`: the page on which people enter the moves of tables without electronic boards.
//!
//! ```text
//!   phone ── code of the QR sheet ──▸ cookie
//!     │ ply, with its game and number
//!     ▾
//!   damcast entry ── entry socket ──▸ station: checks the code, writes the ply to the log
//! ```
//!
//! The process keeps nothing: a cookie holds the code, the station checks it with each request, and every request names its place in the
//! game. So a repeated request, a second phone or a restart of the process does no harm.
//!
//! | file | subject |
//! |---|---|
//! | `site` | routes, cookies, access |
//! | `station` | connections to the entry socket |
//! | `view` | a table as the page needs it: position, legal moves, picture |
//! | `page`, `texts` | HTML and texts in each language; works without a script |

pub(crate) mod page;
mod site;
mod station;
mod texts;
mod view;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;

use crate::web::hosts::AllowedHosts;
use crate::web::listener::{self, ConnectionCounts, Limits};

/// Largest number of connections: two phones a table, each with a few.
const MAX_CONNECTIONS: usize = 512;

/// Options of the page.
#[derive(Debug)]
pub struct EntryOptions {
    /// Possible paths of the entry socket, the likeliest first.
    pub sockets: Vec<PathBuf>,
    /// Accepted host names.
    pub hosts: Vec<String>,
    /// Name of this machine, which is accepted as well.
    pub machine: Option<String>,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
}

/// Serves the page until `stop` completes.
///
/// # Errors
///
/// Returns an error if the listener fails.
pub async fn serve(
    listener: TcpListener,
    options: EntryOptions,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let limits = Limits { connections: MAX_CONNECTIONS, trusted_proxies: options.trusted_proxies.clone() };
    let site = site::EntrySite {
        hosts: AllowedHosts::new(options.machine.as_deref(), &options.hosts),
        trusted_proxies: options.trusted_proxies,
        station: station::Station::new(options.sockets),
        page: page::EntryPage::new(),
    };
    tokio::select! {
        () = listener::listen(listener, site::router(Arc::new(site)), limits, Arc::new(ConnectionCounts::default())) => {}
        () = stop => {}
    }
    Ok(())
}
