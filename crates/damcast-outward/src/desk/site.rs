//! State shared by the routes of the desk.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use damcast_control::logins::LoginAttempts;
use damcast_control::{ClientRequest, Reply};
use tokio::sync::Semaphore;

use super::access::AccessPolicy;
use super::page;
use super::sessions::Sessions;
use super::station_client::StationClient;

/// State of a desk.
pub struct DeskSite {
    pub(super) access_policy: AccessPolicy,
    pub(super) station: Arc<StationClient>,
    pub(super) sessions: Sessions,
    pub(super) viewers_file: Option<PathBuf>,
    pub(super) viewers: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) login_attempts: Mutex<LoginAttempts>,
    /// Permit to check a password: one at a time, because each check is slow by design, against guessing.
    pub(super) hashing: Semaphore,
    pub(super) tournament: CachedReply,
    pub(super) audit_log: CachedReply,
    pub(super) page: page::Page,
}

/// Reply of the station, cached for all pages: the station accepts about one request a second of a user, and many pages need it.
#[derive(Default)]
pub(super) struct CachedReply(tokio::sync::Mutex<Option<(Instant, Arc<Reply>)>>);

/// Lifetime of a cached reply.
const CACHE_TIME: Duration = Duration::from_secs(3);

impl CachedReply {
    pub(super) async fn answer(&self, station: &StationClient, question: ClientRequest) -> Arc<Reply> {
        let mut known = self.0.lock().await;
        if let Some((at, reply)) = &*known
            && at.elapsed() < CACHE_TIME
        {
            return reply.clone();
        }
        let reply = Arc::new(station.request(None, question).await);
        *known = reply.ok.then(|| (Instant::now(), reply.clone()));
        reply
    }

    pub(super) async fn clear(&self) {
        *self.0.lock().await = None;
    }
}

impl DeskSite {
    /// Creates the state of a desk without sessions.
    pub fn new(
        door: AccessPolicy,
        station: Arc<StationClient>,
        password_file: Option<PathBuf>,
        viewers_file: Option<PathBuf>,
        viewers: Option<String>,
    ) -> Arc<DeskSite> {
        Arc::new(DeskSite {
            access_policy: door,
            station,
            sessions: Sessions::default(),
            viewers_file,
            viewers,
            page: page::Page::new(password_file.is_some()),
            password_file,
            login_attempts: Mutex::default(),
            hashing: Semaphore::new(1),
            tournament: CachedReply::default(),
            audit_log: CachedReply::default(),
        })
    }
}
