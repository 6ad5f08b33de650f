//! State file of the deliveries, which operators read: one report for each delivery.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{Local, TimeZone};
use serde::{Deserialize, Serialize};

use crate::state_file::read_aged;

/// State of a delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// The last call succeeded, or there was none yet.
    Fresh,
    /// The command runs.
    Running,
    /// The last call failed.
    Failing,
}

/// Report of a delivery.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeliveryReport {
    /// Name of the delivery.
    pub name: String,
    /// State.
    pub state: DeliveryState,
    /// Time at which the state began, in milliseconds since 1970.
    pub since: u64,
    /// Time of the last success, in milliseconds since 1970.
    pub delivered: Option<u64>,
    /// Number of files that wait.
    pub waiting: usize,
    /// Last words of the command, or the reason of a failure.
    pub words: Option<String>,
}

impl DeliveryReport {
    /// Creates the report of a delivery that has not begun.
    pub fn new(name: &str) -> DeliveryReport {
        let name = name.to_owned();
        DeliveryReport { name, state: DeliveryState::Fresh, since: now(), delivered: None, waiting: 0, words: None }
    }

    /// Changes the state; one that continues keeps its beginning.
    pub fn set_state(&mut self, state: DeliveryState) {
        if self.state != state {
            self.state = state;
            self.since = now();
        }
    }

    /// Whether the last call failed.
    pub fn is_failing(&self) -> bool {
        self.state == DeliveryState::Failing
    }

    /// Describes the state for people.
    pub fn describe(&self) -> String {
        let words = self.words.as_ref().map_or(String::new(), |words| format!(": {words}"));
        match self.state {
            DeliveryState::Fresh => "fresh".to_owned(),
            DeliveryState::Running => format!("running since {}", clock(self.since)),
            DeliveryState::Failing => format!("failing since {}{words}", clock(self.since)),
        }
    }
}

/// State of all deliveries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeliveriesState {
    /// The process runs.
    Running(Vec<DeliveryReport>),
    /// The process has not reported for this time: it hangs, or was killed.
    Silent(Duration),
}

impl DeliveriesState {
    /// Returns the names of deliveries that fail, without words of other machines.
    pub fn failing(&self) -> Vec<String> {
        match self {
            DeliveriesState::Silent(_) => vec!["deliveries are silent".to_owned()],
            DeliveriesState::Running(reports) => {
                let failing = reports.iter().filter(|report| report.is_failing());
                failing.map(|report| format!("delivery {} fails", report.name)).collect()
            }
        }
    }

    /// Returns a message for each problem.
    pub fn problems(&self) -> Vec<String> {
        match self {
            DeliveriesState::Silent(silent) => {
                vec![format!("deliveries: no report for {} s; restart `damcast deliver`", silent.as_secs())]
            }
            DeliveriesState::Running(reports) => {
                let failing = reports.iter().filter(|report| report.is_failing());
                failing.map(|report| format!("delivery {}: {}", report.name, report.describe())).collect()
            }
        }
    }
}

/// Reads a state file; `None` if it is missing or invalid: there are no deliveries.
pub fn read_reports(file: &Path) -> Option<DeliveriesState> {
    let (mut state, silent) = read_aged(file)?;
    Some(match silent {
        Some(silent) => DeliveriesState::Silent(silent),
        None => DeliveriesState::Running(serde_json::from_value(state["deliveries"].take()).ok()?),
    })
}

/// Returns the content of the state file.
pub fn write_reports(reports: &[DeliveryReport]) -> String {
    format!("{}\n", serde_json::json!({ "written": now(), "deliveries": reports }))
}

/// Returns the time in milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the local time of day, with the date if it is not today.
fn clock(at: u64) -> String {
    let Some(at) = i64::try_from(at).ok().and_then(|at| Local.timestamp_millis_opt(at).single()) else {
        return "an unknown time".to_owned();
    };
    let is_today = at.date_naive() == Local::now().date_naive();
    at.format(if is_today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_survive_file_and_silence_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        assert_eq!(read_reports(&file), None);
        let mut report = DeliveryReport::new("club");
        assert_eq!(report.describe(), "fresh");
        report.set_state(DeliveryState::Failing);
        report.words = Some("no route".to_owned());
        std::fs::write(&file, write_reports(std::slice::from_ref(&report))).unwrap();
        let state = read_reports(&file).unwrap();
        assert_eq!(state, DeliveriesState::Running(vec![report]));
        let [problem] = &state.problems()[..] else { panic!("one problem") };
        assert!(problem.starts_with("delivery club: failing since ") && problem.ends_with(": no route"), "{problem}");
        std::fs::write(&file, "{\"written\":1,\"deliveries\":[]}").unwrap();
        assert!(read_reports(&file).unwrap().problems()[0].contains("no report for"));
        std::fs::write(&file, "nonsense").unwrap();
        assert_eq!(read_reports(&file), None);
    }

    #[test]
    fn continuing_state_keeps_its_beginning() {
        let mut report = DeliveryReport { since: 5, ..DeliveryReport::new("a") };
        report.set_state(DeliveryState::Fresh);
        assert_eq!(report.since, 5);
        report.set_state(DeliveryState::Running);
        assert!(report.since > 5);
    }
}
