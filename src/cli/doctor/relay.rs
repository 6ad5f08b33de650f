//! Polls the public file twice, as the relay of lidraughts does, and compares the answers.

use std::time::Duration;

use draughts_pdn::profile::polls;

use super::DoctorReport;
use super::publication::check_answer;

/// Checks an address over two polls, `interval` apart.
pub fn check(place: &str, interval: Duration, report: &mut DoctorReport) {
    let before = report.faults.len();
    let Some(first) = check_answer(place, report) else { return };
    std::thread::sleep(interval);
    let is_readable = report.faults.len() == before;
    // The second answer has the same problems as the first.
    let mut found_later = DoctorReport::default();
    let second = check_answer(place, &mut found_later);
    if is_readable || second.is_none() {
        report.faults.extend(found_later.faults);
    }
    let Some(second) = second else { return };
    for difference in polls::compare(&first.body, &second.body) {
        report.problem("relay", place, difference.message, difference.remedy);
    }
    if report.faults.len() == before {
        let text =
            format!("{place} gives lidraughts the same games in the same order, {} s apart", interval.as_secs_f32());
        report.ok("relay", text);
    }
}
