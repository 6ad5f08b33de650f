//! `damcast desk`: the page at which operators and arbiters work, by a process of its own.
//!
//! ```text
//!   control socket ◂─ station ─▸ what the station told last, in a watch channel ─▸ states (GET /api/states) ─▸ page
//!                  ◂─ station ◂─ routes (POST /api/request) ◂─ guard ◂─ listener ◂───────────────────────────── page
//! ```
//!
//! Guarantees:
//!
//! * The desk is a user with fewer rights: it asks the station over the control socket by the same typed requests as `damcast ctl`, and
//!   each says who asks. It has no state but who has logged in.
//! * A request needs the cookie of a session **and** the secret that only its page has. Where it comes from is checked first (`guard`).
//! * An arbiter gives results, names and rounds; the desk and the station both see to that.
//!
//! | file | subject |
//! |---|---|
//! | `guard` | which requests are answered at all |
//! | `sessions` | who has logged in |
//! | `passwords` | names and passwords in a file |
//! | `station` | the control socket: asked, and watched |
//! | `states` | what pages are told again and again |
//! | `numbers` | `/metrics` and `/healthz`, for programs that watch |
//! | `viewers` | where viewers reach their pages, with a code for phones |
//! | `pictures` | boards as they stand beside what is published |
//! | `page`, `words` | the HTML and the words, in each language; everything else is done by `assets/*.js` |
//! | `routes` | which address is answered by what |

mod access;
mod diagrams;
mod metrics;
mod page;
pub mod passwords;
mod routes;
mod sessions;
mod state_stream;
mod station_client;
mod texts;
mod viewers;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::web::hosts::AllowedHosts;
use super::web::listener::{self, ConnectionCounts, Limits};

/// Connections at once: a few people have a few pages each.
const MAX_CONNECTIONS: usize = 256;

/// What a desk is told.
#[derive(Debug)]
pub struct DeskOptions {
    /// Where the control socket may be, the likeliest first.
    pub sockets: Vec<PathBuf>,
    /// Who may log in by name and password.
    pub password_file: Option<PathBuf>,
    /// Names by which it may be asked for, besides addresses, localhost and `machine`.
    pub hosts: Vec<String>,
    /// The name of this machine.
    pub machine: Option<String>,
    /// Proxies in front of it.
    pub trusted_proxies: Vec<IpAddr>,
    /// Other machines can reach it, so everybody but this machine comes by a proxy and TLS.
    pub is_public: bool,
    /// Where the pages for viewers say how they are.
    pub viewers_file: Option<PathBuf>,
    /// Where viewers reach them, if the configuration says it.
    pub viewers: Option<String>,
    /// Where programs ask for numbers and health.
    pub metrics: Option<std::net::TcpListener>,
}

/// Serves the desk until `stop` is done.
///
/// # Errors
///
/// When the thread that watches the station cannot be started.
pub async fn serve(listener: TcpListener, options: DeskOptions, stop: impl Future<Output = ()>) -> std::io::Result<()> {
    let limits = Limits { connections: MAX_CONNECTIONS, trusted_proxies: options.trusted_proxies.clone() };
    let door = access::AccessPolicy {
        hosts: AllowedHosts::new(options.machine.as_deref(), &options.hosts),
        trusted_proxies: options.trusted_proxies,
        is_public: options.is_public,
    };
    let station = station_client::StationClient::spawn(options.sockets)?;
    let hosts = AllowedHosts::new(options.machine.as_deref(), &options.hosts);
    let numbers = options.metrics.map(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    });
    let (numbers, of_numbers) = (numbers.transpose()?, limits.clone());
    let numbers = async {
        match numbers {
            Some(listener) => {
                let routes = metrics::router(station.clone(), hosts);
                listener::listen(listener, routes, of_numbers, Arc::new(ConnectionCounts::default())).await;
            }
            None => std::future::pending().await,
        }
    };
    let desk =
        routes::DeskSite::new(door, station.clone(), options.password_file, options.viewers_file, options.viewers);
    tokio::select! {
        () = listener::listen(listener, routes::router(desk), limits, Arc::new(ConnectionCounts::default())) => {}
        () = numbers => {}
        () = stop => {}
    }
    Ok(())
}
