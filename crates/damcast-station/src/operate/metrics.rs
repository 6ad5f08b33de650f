//! Metrics of a station in the text format of Prometheus: returned by the control socket, and served by `damcast desk` at `/metrics`.
//!
//! | name | type | labels | meaning |
//! |---|---|---|---|
//! | `damcast_boards` | gauge | `state` | boards in each state |
//! | `damcast_plies_total`, `damcast_setups_total` | counter | `line` | published entries |
//! | `damcast_recognition_delay_seconds` | histogram | `line` | time the squares had been quiet at publication |
//! | `damcast_publish_seconds` | histogram | `line` | making the log durable and writing the files |
//! | `damcast_received_bytes_total`, `damcast_sent_bytes_total` | counter | `line` | bytes on the wire |
//! | `damcast_noise_bytes_total`, `damcast_checksum_errors_total` | counter | `line` | noise and answers with a wrong checksum |
//! | `damcast_connects_total`, `damcast_failures_total` | counter | `line` | ports opened, lines that broke |
//! | `damcast_requests_total` | counter | `line` | operator requests |
//! | `damcast_orders_waiting` | gauge | `line` | commands that wait for a line |
//! | `damcast_alarms` | gauge | `kind` | raised alarms |
//! | `damcast_disk_free_bytes`, `damcast_disk_size_bytes` | gauge | | space on the disk |
//! | `damcast_uptime_seconds` | gauge | | |
//!
//! Source: Prometheus text exposition format 0.0.4.

use std::fmt::Write as _;

use damcast_control::overview::Overview;
use damcast_engine::session::Condition;

use crate::counters::{Histogram, LineCounters};
use crate::operate::observer::Observer;

/// Kinds of alarms, each reported even when none is raised, so that graphs have a value.
const ALARMS: [&str; 9] = [
    "silent",
    "unexplained",
    "wrong-start",
    "clock-missing",
    "broken",
    "babble",
    "disk-fault",
    "publication",
    "disk-low",
];

/// Returns all metrics as text. `waiting`: number of waiting commands for each line.
pub fn metrics_text(observer: &Observer, waiting: &[(String, usize)]) -> String {
    let overview = observer.overview();
    let lines = observer.counters.all();
    let mut text = String::new();
    states(&mut text, &overview);
    type Count = fn(&LineCounters) -> u64;
    let counters: [(&str, &str, Count); 9] = [
        ("damcast_plies_total", "Plies that were published.", |line| line.plies.get()),
        ("damcast_setups_total", "Setups that were published.", |line| line.setups.get()),
        ("damcast_received_bytes_total", "Bytes from boards.", |line| line.bytes_in.get()),
        ("damcast_sent_bytes_total", "Bytes to boards.", |line| line.bytes_out.get()),
        ("damcast_noise_bytes_total", "Bytes that belong to no message.", |line| line.noise_bytes.get()),
        ("damcast_checksum_errors_total", "Answers with a wrong checksum.", |line| line.bad_checksums.get()),
        ("damcast_connects_total", "How often the port was opened.", |line| line.connects.get()),
        ("damcast_failures_total", "How often the line broke.", |line| line.restarts.get()),
        ("damcast_requests_total", "Requests of operators.", |line| line.requests.get()),
    ];
    for (name, help, count) in counters {
        write_head(&mut text, name, "counter", help);
        for (line, counters) in &lines {
            row(&mut text, name, &[("line", line)], count(counters) as f64);
        }
    }
    type Times = fn(&LineCounters) -> &Histogram;
    let histograms: [(&str, &str, Times); 2] = [
        (
            "damcast_recognition_delay_seconds",
            "How long the squares had been quiet when an entry was published.",
            |line| &line.publish_delay,
        ),
        ("damcast_publish_seconds", "How long the disk took to publish.", |line| &line.publish_time),
    ];
    for (name, help, times) in histograms {
        write_head(&mut text, name, "histogram", help);
        for (line, counters) in &lines {
            histogram(&mut text, name, line, times(counters));
        }
    }
    write_head(&mut text, "damcast_orders_waiting", "gauge", "Requests that wait for a line.");
    for (line, count) in waiting {
        row(&mut text, "damcast_orders_waiting", &[("line", line)], *count as f64);
    }
    text
}

fn states(text: &mut String, overview: &Overview) {
    write_head(text, "damcast_boards", "gauge", "Boards in each state.");
    for state in Condition::ALL.map(Condition::as_str).into_iter().chain(["broken"]) {
        let count = overview.boards.iter().filter(|board| board.state == state).count();
        row(text, "damcast_boards", &[("state", state)], count as f64);
    }
    write_head(text, "damcast_alarms", "gauge", "Alarms that are raised.");
    for kind in ALARMS {
        let count = overview.alarms.iter().filter(|alarm| alarm.kind == kind).count();
        row(text, "damcast_alarms", &[("kind", kind)], count as f64);
    }
    write_head(text, "damcast_uptime_seconds", "gauge", "How long the station has run.");
    row(text, "damcast_uptime_seconds", &[], overview.uptime_s as f64);
    if let Some(disk) = overview.disk {
        write_head(text, "damcast_disk_free_bytes", "gauge", "What of the disk may still be used.");
        row(text, "damcast_disk_free_bytes", &[], disk.free_bytes as f64);
        write_head(text, "damcast_disk_size_bytes", "gauge", "All of the disk.");
        row(text, "damcast_disk_size_bytes", &[], disk.total_bytes as f64);
    }
}

fn histogram(text: &mut String, name: &str, line: &str, times: &Histogram) {
    let buckets = times.buckets();
    for (bound, count) in &buckets {
        let bound = if bound.is_finite() { bound.to_string() } else { "+Inf".to_owned() };
        row(text, &format!("{name}_bucket"), &[("line", line), ("le", &bound)], *count as f64);
    }
    row(text, &format!("{name}_sum"), &[("line", line)], times.seconds());
    let all = buckets.last().map_or(0, |(_, count)| *count);
    row(text, &format!("{name}_count"), &[("line", line)], all as f64);
}

fn write_head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string never fails.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// Adds a row. Names of lines have only letters, digits, `-`, `_` and `.`, so labels need no escapes.
fn row(text: &mut String, name: &str, labels: &[(&str, &str)], value: f64) {
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{value}\"")).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _ = writeln!(text, "{name}{labels} {value}");
}
