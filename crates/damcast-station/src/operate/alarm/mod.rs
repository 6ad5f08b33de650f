//! Alarms for boards that need attention.
//!
//! | alarm | raised if this lasts for the time in `[alarm]` |
//! |---|---|
//! | `silent` | the port is missing, the board does not answer, or another board is in its place |
//! | `unexplained` | no legal move explains the position on the board |
//! | `wrong-start` | the board is nearly set up for a game |
//! | `clock-missing` | a game continues without the clock that it had, or that its time control requires |
//! | `broken` | the line cannot be opened, or a bug; it is retried |
//! | `babble` | the port sends more than boards can: noise, a wrong speed, another device |
//! | `disk-fault` | the disk refuses the line's data, which waits in memory; or a log or `commits` was removed, changed or made read-only |
//! | `publication` | a file of `public/` or `live/` is gone, replaced or unwritable, or its profile holds a game back |
//! | `disk-low` | the station's disk has little free space |
//!
//! Each alarm is raised once and ends once; shorter conditions raise none. [`hook`] runs the alarm command.
//!
//! Invariants: the input is an overview and its time; nothing here waits.

pub mod hook;

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use damcast_control::overview::{AlarmView, BoardView, DiskView};
use serde::Serialize;

use crate::config::AlarmConfig;
use crate::file_problems::FileProblem;

/// Factor on the low-space limit that ends the alarm, so that temporary files do not raise it twice.
const DISK_RECOVERY_MARGIN: f64 = 1.1;

/// Kind of an alarm, its board, and its folder or file.
type AlarmKey = (&'static str, Option<String>, Option<String>);

/// Change of an alarm.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AlarmEvent {
    /// `raised` or `over`; `test` for a test of the command.
    pub event: &'static str,
    /// Alarm.
    #[serde(flatten)]
    pub alarm: AlarmView,
    /// Time of the change.
    pub at: DateTime<FixedOffset>,
}

/// State of all alarms.
#[derive(Default)]
pub struct Alarms {
    /// Start of each condition, raised or not.
    since: BTreeMap<AlarmKey, DateTime<FixedOffset>>,
    raised: BTreeMap<AlarmKey, AlarmView>,
}

/// Condition that may raise an alarm.
struct AlarmCandidate {
    key: AlarmKey,
    /// Start, if known.
    since: Option<DateTime<FixedOffset>>,
    /// Duration after which the alarm is raised.
    limit: Duration,
    text: String,
}

impl Alarms {
    /// Evaluates a station; `problems` are those of its files. Returns the changes.
    pub fn evaluate(
        &mut self,
        config: &AlarmConfig,
        boards: &[BoardView],
        problems: &[FileProblem],
        disk: Option<DiskView>,
        now: DateTime<FixedOffset>,
    ) -> Vec<AlarmEvent> {
        let mut symptoms: Vec<AlarmCandidate> =
            boards.iter().flat_map(|board| board_candidates(config, board)).collect();
        symptoms.extend(problems.iter().map(|FileProblem { kind, path: place, board, since, text }| AlarmCandidate {
            key: (kind, board.clone(), place.clone()),
            since: *since,
            limit: Duration::ZERO,
            text: text.clone(),
        }));
        symptoms.extend(self.disk_candidate(config, disk));
        let mut events = self.clear_resolved(&symptoms, now);
        for AlarmCandidate { key, since, limit, text } in symptoms {
            let first = self.since.entry(key.clone()).or_insert(now);
            *first = since.unwrap_or(*first);
            let lasts = (now - *first).to_std().unwrap_or_default();
            if let Some(raised) = self.raised.get_mut(&key) {
                raised.text = text;
            } else if lasts >= limit {
                let (kind, board, place) = key.clone();
                let alarm = AlarmView { kind: kind.to_owned(), board, place, since: *first, text };
                self.raised.insert(key, alarm.clone());
                events.push(AlarmEvent { event: "raised", alarm, at: now });
            }
        }
        events
    }

    /// Returns all raised alarms, in order.
    pub fn raised(&self) -> Vec<AlarmView> {
        self.raised.values().cloned().collect()
    }

    /// Removes conditions that are over. Returns events for the alarms among them.
    fn clear_resolved(&mut self, symptoms: &[AlarmCandidate], now: DateTime<FixedOffset>) -> Vec<AlarmEvent> {
        let is_there = |key: &AlarmKey| symptoms.iter().any(|symptom| symptom.key == *key);
        self.since.retain(|key, _| is_there(key));
        let mut events = Vec::new();
        self.raised.retain(|key, alarm| {
            if !is_there(key) {
                events.push(AlarmEvent { event: "over", alarm: alarm.clone(), at: now });
            }
            is_there(key)
        });
        events
    }

    fn disk_candidate(&self, config: &AlarmConfig, disk: Option<DiskView>) -> Option<AlarmCandidate> {
        let key = ("disk-low", None, None);
        let again = if self.raised.contains_key(&key) { DISK_RECOVERY_MARGIN } else { 1.0 };
        let free = disk.map(|disk| disk.free_bytes).filter(|&free| (free as f64) < config.disk_low as f64 * again)?;
        let text = format!("the disk has {} MB left; recording ends when it is full", free / 1_000_000);
        Some(AlarmCandidate { key, since: None, limit: Duration::ZERO, text })
    }
}

fn board_candidates(config: &AlarmConfig, board: &BoardView) -> Vec<AlarmCandidate> {
    let symptom =
        |kind, since, limit, text| AlarmCandidate { key: (kind, Some(board.name.clone()), None), since, limit, text };
    let mut symptoms = Vec::new();
    match board.state.as_str() {
        "broken" => {
            let text = format!("its line cannot go on: {}", board.text);
            symptoms.push(symptom("broken", None, Duration::ZERO, text));
        }
        "no-connection" | "no-answer" | "other-board" => {
            let text = format!("nothing comes from the board: {}", board.text);
            // The cause of the silence may change, so the start of the silence counts.
            symptoms.push(symptom("silent", None, config.silent, text));
        }
        "unexplained" => {
            let doubt = board.unexplained.clone().unwrap_or_default();
            let text = doubt.describe();
            symptoms.push(symptom("unexplained", board.since, config.unexplained, text));
        }
        _ => {}
    }
    if let Some(words) = &board.wrong_start {
        let text = format!("the start position is not complete: {words}");
        symptoms.push(symptom("wrong-start", None, config.wrong_start, text));
    }
    if board.clock_missing {
        let text = "the game goes on and no clock tells its time".to_owned();
        symptoms.push(symptom("clock-missing", None, config.clock_missing, text));
    }
    symptoms
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::line::LineReport;
    use crate::operate::observer::{self, now};
    use damcast_control::overview::UnexplainedView;

    fn board(state: &str) -> BoardView {
        let row = LineReport { name: "a".into(), ..LineReport::default() };
        let view = observer::boards(&[row], now()).remove(0);
        BoardView { state: state.into(), text: "in words".into(), since: None, ..view }
    }

    /// Evaluates the board at each of these seconds. Returns the events with their times.
    fn alarm_events(at: &[(i64, BoardView)]) -> Vec<(i64, &'static str, String)> {
        let (start, config) = (now(), AlarmConfig::default());
        let mut alarms = Alarms::default();
        let mut all = Vec::new();
        for (second, board) in at {
            let now = start + TimeDelta::seconds(*second);
            let events = alarms.evaluate(&config, std::slice::from_ref(board), &[], None, now);
            all.extend(events.into_iter().map(|event| (*second, event.event, event.alarm.kind)));
        }
        all
    }

    #[test]
    fn lasting_problem_is_reported_at_start_and_end() {
        let times = [(0, "no-connection"), (29, "no-answer"), (30, "no-answer"), (31, "other-board"), (50, "playing")];
        let boards = times.map(|(second, state)| (second, board(state)));
        assert_eq!(alarm_events(&boards), [(30, "raised", "silent".into()), (50, "over", "silent".into())]);
    }

    #[test]
    fn intermittent_problem_raises_no_alarm() {
        let times = [(0, "no-answer"), (29, "playing"), (30, "no-answer"), (59, "no-answer"), (60, "playing")];
        assert_eq!(alarm_events(&times.map(|(second, state)| (second, board(state)))), []);
    }

    #[test]
    fn reports_each_other_problem() {
        let wrong = BoardView { wrong_start: Some("white man missing on 31".into()), ..board("waiting") };
        let no_clock = BoardView { clock_missing: true, ..board("playing") };
        let broken = board("broken");
        for (view, kind, limit) in [(wrong, "wrong-start", 60), (no_clock, "clock-missing", 60), (broken, "broken", 0)]
        {
            let events = alarm_events(&[(0, view.clone()), (limit, view), (limit + 1, board("ready"))]);
            assert_eq!(events, [(limit, "raised", kind.into()), (limit + 1, "over", kind.into())]);
        }
    }

    #[test]
    fn unexplained_board_is_reported_with_known_facts_only() {
        let text = |squares: &[&str], readings: &[&str]| {
            let strings = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
            let doubt = Some(UnexplainedView { squares: strings(squares), interpretations: strings(readings) });
            let symptoms =
                board_candidates(&AlarmConfig::default(), &BoardView { unexplained: doubt, ..board("unexplained") });
            symptoms.into_iter().map(|symptom| symptom.text).collect::<Vec<_>>().join("|")
        };
        let whole = "no legal move explains the board; it differs on 19, 24; closest: 24x19; or setup";
        assert_eq!(text(&["19", "24"], &["24x19", "setup"]), whole);
        assert_eq!(text(&["19"], &[]), "no legal move explains the board; it differs on 19");
        assert_eq!(text(&[], &[]), "no legal move explains the board");
    }

    #[test]
    fn disk_at_limit_alerts_once() {
        let config = AlarmConfig::default();
        let mut alarms = Alarms::default();
        let raised_alarms = [600, 499, 501, 499, 600].map(|megabytes| {
            let disk = DiskView { free_bytes: megabytes * 1_000_000, total_bytes: 1 << 40 };
            alarms.evaluate(&config, &[], &[], Some(disk), now()).len()
        });
        assert_eq!(raised_alarms, [0, 1, 0, 0, 1]);
    }

    #[test]
    fn failing_disk_alerts_once_per_line_and_on_recovery() {
        let config = AlarmConfig::default();
        let mut alarms = Alarms::default();
        let fault = |line: &str| FileProblem {
            kind: "disk-fault",
            path: None,
            board: Some(line.to_owned()),
            since: None,
            text: "the disk fails".to_owned(),
        };
        let raised_alarms = [vec![fault("a")], vec![fault("a"), fault("b")], vec![fault("b")], vec![]].map(|faults| {
            let events = alarms.evaluate(&config, &[], &faults, None, now());
            let word = |event: &AlarmEvent| format!("{} {}", event.event, event.alarm.board.as_deref().unwrap_or("-"));
            events.iter().map(word).collect::<Vec<_>>().join(", ")
        });
        assert_eq!(raised_alarms, ["raised a", "raised b", "over a", "over b"]);
    }
}
