//! State of the hub for operators, in a file that `damcast status`, `doctor` and the desk read.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use damcast_control::overview::AlarmView;
use serde::Serialize;
use serde_json::json;

use crate::state_file::{HALL, replace_state, wall_time};
use crate::web::view::OutletDelay;

/// Returns the time, in ms since 1970.
pub(super) fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// Time after which a generation is no longer said to take turns with another.
const TURN_TIME: Duration = Duration::from_secs(600);
/// Number of past generations of a hall that are remembered.
const MAX_PAST: usize = 8;

/// Earlier generations of a hall, by which two stations under one address are noticed.
#[derive(Default, Debug)]
pub(super) struct PastGenerations {
    /// The last one last.
    past: Vec<String>,
    /// Time of the last change.
    changed: Option<Instant>,
}

impl PastGenerations {
    /// Adds the generation that ends at this time.
    pub fn add(&mut self, ended: String, now: Instant) {
        self.past.push(ended);
        self.past.drain(..self.past.len().saturating_sub(MAX_PAST));
        self.changed = Some(now);
    }

    /// Whether the current generation was there before another one, and has come back less than [`TURN_TIME`] ago.
    pub fn alternates(&self, current: Option<&String>, now: Instant) -> bool {
        let is_recent = self.changed.is_some_and(|changed| now.duration_since(changed) < TURN_TIME);
        is_recent && current.is_some_and(|current| self.past.contains(current))
    }
}

/// State of a hall.
#[derive(Debug, Serialize)]
pub(super) struct HallState {
    name: String,
    place: String,
    /// `here`, `away`, or `unknown` until it was heard or for 20 seconds.
    state: &'static str,
    /// Time at which this state began, in ms since 1970.
    since: i64,
    /// Generation of the copy.
    pub generation: Option<String>,
    /// Number of the last copied line.
    pub seq: u64,
    /// Age of the recorder's last sign of life when the hall was last heard.
    #[serde(skip)]
    pub recorder_age: Option<Duration>,
    /// Delay of the hall's outlet; `None` before its first sign of life.
    #[serde(flatten)]
    pub delay: Option<OutletDelay>,
    /// Reason why the hall cannot be heard.
    pub problem: Option<String>,
    /// Event that a person must look at.
    pub alarm: Option<String>,
    /// Whether two generations take turns: two stations under one address.
    pub alternates: bool,
    /// Files that are not taken, and why.
    pub refused_files: BTreeMap<String, String>,
}

impl HallState {
    pub fn new(name: &str, place: String) -> HallState {
        HallState {
            name: name.to_owned(),
            place,
            state: "unknown",
            since: now(),
            generation: None,
            seq: 0,
            recorder_age: None,
            delay: None,
            problem: None,
            alarm: None,
            alternates: false,
            refused_files: BTreeMap::new(),
        }
    }

    /// Notes whether the hall is here.
    pub fn set_here(&mut self, is_here: bool) {
        let state = if is_here { "here" } else { "away" };
        if self.state != state {
            (self.state, self.since) = (state, now());
        }
    }
}

/// State of the hub.
#[derive(Debug, Serialize)]
pub(super) struct HubState<'a> {
    pub since: i64,
    pub directory: String,
    pub generation: String,
    pub seq: u64,
    pub halls: Vec<&'a HallState>,
    pub mismatches: &'a [String],
    /// Number of games in `games.pdn`, if its reader does not read as many.
    pub too_many_games: Option<usize>,
    pub disk_error: Option<&'a str>,
}

impl HubState<'_> {
    /// Returns what is wrong. An alarm about a hall begins with its state.
    fn alarms(&self) -> Vec<AlarmView> {
        let mut alarms = Vec::new();
        for hall in &self.halls {
            let HallState { name, place, .. } = hall;
            let mut add = |kind: &str, text: String| {
                let since = wall_time(hall.since);
                alarms.push(AlarmView { kind: kind.to_owned(), board: None, place: Some(name.clone()), since, text });
            };
            if hall.state == "away" {
                let reason = hall.problem.as_deref().unwrap_or("its recorder gives no sign of life");
                add(
                    HALL_AWAY,
                    format!("{reason}; its boards keep their last positions. Is the station on, and {place} right?"),
                );
            } else if let Some(problem) = &hall.problem {
                add(HALL, problem.clone());
            }
            if hall.alternates {
                add(HALL, format!("two stations take turns at {place}; stop one of them"));
            }
            if let Some(alarm) = &hall.alarm {
                add(HALL, alarm.clone());
            }
            for (file, problem) in &hall.refused_files {
                add(HALL, format!("{file} is not taken, the last good one stays: {problem}"));
            }
        }
        let mut add = |text: String| {
            alarms.push(AlarmView {
                kind: HALL.to_owned(),
                board: None,
                place: None,
                since: wall_time(self.since),
                text,
            });
        };
        self.mismatches.iter().for_each(|mismatch| add(mismatch.clone()));
        self.too_many_games.iter().for_each(|games| {
            add(format!("games.pdn has {games} games, more than its reader takes; give readers /hall/NAME/games.pdn of each hall"));
        });
        self.disk_error.iter().for_each(|error| add(format!("the hub cannot write: {error}")));
        alarms
    }
}

/// Alarm: nothing is heard of a hall.
const HALL_AWAY: &str = "hall-away";

pub(super) fn write(file: &Path, state: &HubState<'_>) -> io::Result<()> {
    let mut value = json!(state);
    value["written"] = now().into();
    value["alarms"] = json!(state.alarms());
    replace_state(file, &format!("{value}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_over_once_one_generation_stays() {
        let [a, b] = ["a", "b"].map(str::to_owned);
        let (begun, mut past) = (Instant::now(), PastGenerations::default());
        let at = |seconds: u64| begun + Duration::from_secs(seconds);
        assert!(!past.alternates(Some(&a), at(0)));
        past.add(a.clone(), at(0));
        assert!(!past.alternates(Some(&b), at(1)), "a takeover");
        past.add(b.clone(), at(2));
        assert!(past.alternates(Some(&a), at(2)) && past.alternates(Some(&a), at(601)));
        assert!(!past.alternates(Some(&a), at(602)) && !past.alternates(None, at(3)));
        // They take turns again.
        past.add(a, at(5000));
        assert!(past.alternates(Some(&b), at(5599)) && !past.alternates(Some(&b), at(5600)));
    }
}
