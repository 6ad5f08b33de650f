//! What the pages for viewers say of themselves, for those who look after the station: `viewers`, how many watch, and more.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// Where the service writes it, every few seconds.
pub const STATE_FILE: &str = "/run/damcast-web/state.json";
/// What is older than this: the pages do not run.
const STALE: Duration = Duration::from_secs(20);

/// What stands in such a file; `None`: the pages do not run, or say nothing.
pub fn read_state(file: &Path) -> Option<Value> {
    let state: Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    let written = UNIX_EPOCH.checked_add(Duration::from_millis(state["written"].as_u64()?))?;
    let is_new = SystemTime::now().duration_since(written).is_ok_and(|age| age < STALE);
    is_new.then_some(state)
}
