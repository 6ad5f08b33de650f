//! State files of processes, which operators read. That of the viewers' pages has the number of viewers, the address and other members.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Local};
use damcast_control::overview::{AlarmView, WallTime};
use serde::Deserialize;
use serde_json::Value;

/// Path of the state file, which the service writes every few seconds.
pub const STATE_FILE_PATH: &str = "/run/damcast-web/state.json";
/// Alarm: the hub has another problem with a hall.
pub(crate) const HALL: &str = "hall";
/// Age of the state from which the process counts as silent.
const MAX_AGE: Duration = Duration::from_secs(20);

/// State files of the processes beside a station; `None` for a process that the station does not have.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StateFiles {
    /// File of the viewers' pages.
    pub viewers: Option<PathBuf>,
    /// File of the deliveries.
    pub deliveries: Option<PathBuf>,
    /// File of the hub.
    pub hub: Option<PathBuf>,
}

impl StateFiles {
    /// Returns the alarms of the pages and of the hub.
    pub fn alarms(&self) -> Vec<AlarmView> {
        let pages = self.viewers.as_deref().and_then(read_state);
        let of_hub = self.hub.as_deref().map(read_hub_alarms);
        pages.iter().flat_map(PagesState::alarms).chain(of_hub.into_iter().flatten()).collect()
    }
}

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

    /// Returns the alarms of the pages; none while they are silent.
    pub fn alarms(&self) -> Vec<AlarmView> {
        match self {
            PagesState::Running(state) => Vec::deserialize(&state["alarms"]).unwrap_or_default(),
            PagesState::Silent(_) => Vec::new(),
        }
    }
}

/// Reads a state file; `None` if it is missing or invalid: the pages do not run, or have had no request.
pub fn read_state(file: &Path) -> Option<PagesState> {
    let (state, silent) = read_aged(file)?;
    Some(silent.map_or(PagesState::Running(state), PagesState::Silent))
}

/// Reads the alarms of a hub from its state file; none without a hub.
pub fn read_hub_alarms(file: &Path) -> Vec<AlarmView> {
    match read_aged(file) {
        None => Vec::new(),
        Some((state, None)) => Vec::deserialize(&state["alarms"]).unwrap_or_default(),
        Some((state, Some(silent))) => {
            let text = format!(
                "the hub has said nothing for {} s: it hangs, or was killed. `journalctl -u damcast-hub` says more",
                silent.as_secs()
            );
            let since = wall_time(state["written"].as_i64().unwrap_or_default());
            vec![AlarmView { kind: HALL.to_owned(), board: None, place: None, since, text }]
        }
    }
}

/// Converts ms since 1970.
pub(crate) fn wall_time(ms: i64) -> WallTime {
    let time = DateTime::from_timestamp_millis(ms).unwrap_or_default();
    time.with_timezone(&Local).fixed_offset()
}

/// Reads a state file, and the time without a report if its process is silent; `None` if the file is missing or invalid.
pub(crate) fn read_aged(file: &Path) -> Option<(Value, Option<Duration>)> {
    let state: Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
    let written = UNIX_EPOCH.checked_add(Duration::from_millis(state["written"].as_u64()?))?;
    let age = SystemTime::now().duration_since(written).unwrap_or_default();
    Some((state, Some(age).filter(|age| *age >= MAX_AGE)))
}

/// Replaces a state file, readable for operators whatever the umask.
///
/// # Errors
///
/// Returns any I/O error.
pub(crate) fn replace_state(file: &Path, text: &str) -> io::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, text)?;
    fs::set_permissions(&new, Permissions::from_mode(0o644))?;
    fs::rename(&new, file)
}
