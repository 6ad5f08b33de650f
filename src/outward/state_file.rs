//! What the pages for viewers say of themselves, for those who look after the station: `viewers`, how many watch, and more.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// Where the service writes it, every few seconds.
pub const STATE_FILE_PATH: &str = "/run/damcast-web/state.json";
/// What is older than this: the pages do not answer.
const MAX_AGE: Duration = Duration::from_secs(20);

/// How the pages are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PagesState {
    /// They run; what they say of themselves.
    Running(Value),
    /// They have said nothing for so long: they hang, or were killed.
    Silent(Duration),
}

impl PagesState {
    /// How many watch, while they run.
    pub fn viewers(&self) -> Option<u64> {
        match self {
            PagesState::Running(state) => state["viewers"].as_u64(),
            PagesState::Silent(_) => None,
        }
    }
}

/// What stands in such a file; `None`: there is none, so the pages do not run (or nobody has asked for them yet).
pub fn read_state(file: &Path) -> Option<PagesState> {
    let state: Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    let written = UNIX_EPOCH.checked_add(Duration::from_millis(state["written"].as_u64()?))?;
    let age = SystemTime::now().duration_since(written).unwrap_or_default();
    Some(if age < MAX_AGE { PagesState::Running(state) } else { PagesState::Silent(age) })
}
