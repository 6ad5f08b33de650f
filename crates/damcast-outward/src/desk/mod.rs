//! `damcast desk`: the page for operators and arbiters, in a separate process.
//!
//! ```text
//!   control socket ─▸ station_client ─▸ last state, in a watch channel ─▸ state_stream (GET /api/states) ─▸ page
//!   control socket ◂─ station_client ◂─ routes (POST /api/request) ◂─ access ◂─ listener ◂──────────────── page
//! ```
//!
//! Guarantees:
//!
//! * The desk is a user with fewer rights: it sends the station the same typed requests as `damcast ctl`, over the control socket. Each
//!   request names the user. Sessions are the only state of the desk.
//! * A request needs the cookie of a session **and** the secret that only its page has. `access` checks the origin first.
//! * An arbiter may enter results, names and rounds only; the desk and the station both check that.
//!
//! | file | subject |
//! |---|---|
//! | `access` | access control before any route |
//! | `sessions` | users who are logged in |
//! | `passwords` | names and passwords in a file |
//! | `station_client` | requests to the station, and its state |
//! | `state_stream` | stream of states for the pages |
//! | `metrics` | `/metrics` and `/healthz`, for monitoring |
//! | `pairing` | the next round by a pairing program |
//! | `paper` | sheets for the printer |
//! | `viewers` | address of the viewers' pages, with a QR code |
//! | `diagrams` | diagrams of electronic boards and published positions |
//! | `page`, `texts` | HTML and texts in each language; `assets/*.js` fills the page |
//! | `routes` | routes and their answers |

mod access;
mod diagrams;
mod login_queue;
mod metrics;
mod page;
mod pairing;
mod paper;
pub mod passwords;
mod routes;
mod sessions;
mod site;
mod state_stream;
mod station_client;
mod texts;
mod viewers;

pub use viewers::{own_address, terminal_code};

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::state_file::StateFiles;
use super::web::hosts::AllowedHosts;
use super::web::listener::{self, ConnectionCounts, Limits};

/// Largest number of connections: a few users with a few pages each.
const MAX_CONNECTIONS: usize = 256;

/// Options of the desk.
#[derive(Debug)]
pub struct DeskOptions {
    /// Address of the page of tables without electronic boards, for the QR codes of their sheets.
    pub entry: Option<String>,
    /// Address under which people reach the desk, such as `http://127.0.0.1:8081/`.
    pub address: String,
    /// Possible paths of the control socket, the likeliest first.
    pub sockets: Vec<PathBuf>,
    /// File of users with passwords.
    pub password_file: Option<PathBuf>,
    /// Host names of the desk, besides addresses, localhost and `machine`.
    pub hosts: Vec<String>,
    /// Host name of this machine.
    pub machine: Option<String>,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Whether other machines may connect, by a proxy with TLS.
    pub is_public: bool,
    /// State files of the processes beside the station.
    pub state_files: StateFiles,
    /// Address of the viewers' pages, if configured.
    pub viewers: Option<String>,
    /// Command of the program that pairs Swiss rounds; empty if there is none.
    pub engine: Vec<String>,
    /// Address for metrics and health, if configured.
    pub metrics: Option<std::net::TcpListener>,
}

/// Serves the desk until `stop` is done.
///
/// # Errors
///
/// Returns an error if the thread of the station client cannot be started.
pub async fn serve(listener: TcpListener, options: DeskOptions, stop: impl Future<Output = ()>) -> std::io::Result<()> {
    let limits = Limits { connections: MAX_CONNECTIONS, trusted_proxies: options.trusted_proxies.clone() };
    let door = access::AccessPolicy {
        hosts: AllowedHosts::new(options.machine.as_deref(), &options.hosts),
        trusted_proxies: options.trusted_proxies,
        is_public: options.is_public,
    };
    let station = station_client::StationClient::spawn(options.sockets, options.address)?;
    let hosts = AllowedHosts::new(options.machine.as_deref(), &options.hosts);
    let numbers = options.metrics.map(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    });
    let (numbers, of_numbers) = (numbers.transpose()?, limits.clone());
    let state_files = options.state_files.clone();
    let numbers = async {
        match numbers {
            Some(listener) => {
                let routes = metrics::router(station.clone(), hosts, state_files);
                listener::listen(listener, routes, of_numbers, Arc::new(ConnectionCounts::default())).await;
            }
            None => std::future::pending().await,
        }
    };
    let desk = site::DeskSite::new(
        door,
        station.clone(),
        options.password_file,
        options.state_files,
        [options.viewers, options.entry],
        options.engine,
    );
    tokio::select! {
        () = listener::listen(listener, routes::router(desk), limits, Arc::new(ConnectionCounts::default())) => {}
        () = numbers => {}
        () = stop => {}
    }
    Ok(())
}
