//! State shared by the routes of the desk.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use damcast_control::logins::LoginAttempts;

use super::access::AccessPolicy;
use super::login_queue::LoginQueue;
use super::page;
use super::passwords::PasswordChecker;
use super::sessions::Sessions;
use super::station_client::{CachedReply, StationClient};
use crate::state_file::StateFiles;

/// State of a desk.
pub struct DeskSite {
    pub(super) access_policy: AccessPolicy,
    pub(super) station: Arc<StationClient>,
    pub(super) sessions: Sessions,
    pub(super) state_files: StateFiles,
    pub(super) viewers: Option<String>,
    pub(super) entry: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    login_attempts: Mutex<LoginAttempts>,
    /// Checks one password at a time, because each check is slow by design, against guessing.
    pub(super) password_checker: Arc<tokio::sync::Mutex<PasswordChecker>>,
    pub(super) login_queue: LoginQueue,
    /// Permit to try a code: one at a time.
    pub(super) code_turn: tokio::sync::Mutex<()>,
    /// Permit to read a long body: one at a time.
    pub(super) import_turn: tokio::sync::Mutex<()>,
    /// Command of the program that pairs Swiss rounds; empty if there is none.
    pub(super) engine: Vec<String>,
    /// Permit to run it: one at a time.
    pub(super) engine_turn: tokio::sync::Mutex<()>,
    pub(super) tournament: CachedReply,
    pub(super) audit_log: CachedReply,
    pub(super) page: page::Page,
}

impl DeskSite {
    /// Creates the state of a desk without sessions.
    pub fn new(
        door: AccessPolicy,
        station: Arc<StationClient>,
        password_file: Option<PathBuf>,
        state_files: StateFiles,
        [viewers, entry]: [Option<String>; 2],
        engine: Vec<String>,
    ) -> Arc<DeskSite> {
        Arc::new(DeskSite {
            access_policy: door,
            station,
            sessions: Sessions::default(),
            state_files,
            viewers,
            entry,
            page: page::Page::new(password_file.is_some()),
            password_file,
            login_attempts: Mutex::default(),
            password_checker: Arc::default(),
            login_queue: LoginQueue::default(),
            code_turn: tokio::sync::Mutex::default(),
            import_turn: tokio::sync::Mutex::default(),
            engine,
            engine_turn: tokio::sync::Mutex::default(),
            tournament: CachedReply::default(),
            audit_log: CachedReply::default(),
        })
    }

    /// Returns the failed logins.
    pub(super) fn login_attempts(&self) -> MutexGuard<'_, LoginAttempts> {
        self.login_attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
