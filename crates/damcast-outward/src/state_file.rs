//! State file of the viewers' pages, which operators read: the number of viewers, the address and other members.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// Path of the state file, which the service writes every few seconds.
pub const STATE_FILE_PATH: &str = "/run/damcast-web/state.json";
/// Age of the state from which the pages count as silent.
const MAX_AGE: Duration = Duration::from_secs(20);

/// State of the viewers' pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PagesState {
    /// The pages run; content of the state file.
    Running(Value),
    /// The pages have not reported for this time: they hang, or were killed.
    Silent(Duration),
}

impl PagesState {
    /// Returns the number of viewers, while the pages run.
    pub fn viewers(&self) -> Option<u64> {
        match self {
            PagesState::Running(state) => state["viewers"].as_u64(),
            PagesState::Silent(_) => None,
        }
    }
}

/// Reads a state file; `None` if it is missing or invalid: the pages do not run, or have had no request.
pub fn read_state(file: &Path) -> Option<PagesState> {
    let state: Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    let written = UNIX_EPOCH.checked_add(Duration::from_millis(state["written"].as_u64()?))?;
    let age = SystemTime::now().duration_since(written).unwrap_or_default();
    Some(if age < MAX_AGE { PagesState::Running(state) } else { PagesState::Silent(age) })
}
