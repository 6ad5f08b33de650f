//! Checks the deliveries: their commands exist, others cannot read their secrets, and none of them fails.

use std::path::Path;

use damcast::outward::deliver::report::{DeliveriesState, read_reports};
use damcast::station::config::{DeliverConfig, DeliveryConfig};

use super::DoctorReport;
use super::machine::Machine;

/// Ends of the names of files that are no secrets.
const PUBLIC_ENDS: [&str; 2] = [".pub", ".crt"];

/// Checks the commands without running them, and reads the state of the running deliveries.
pub fn check(machine: &Machine, config: &DeliverConfig, report: &mut DoctorReport) {
    for delivery in &config.deliveries {
        check_command(machine, delivery, report);
    }
    match read_reports(&machine.path(&config.state_file)) {
        None if config.deliveries.is_empty() => {}
        None => report.ok("deliveries", "`damcast deliver` does not run"),
        Some(state) => {
            let try_it =
                "`sudo -u damcast-deliver damcast deliver --once NAME` tries it; docs/delivery.md lists causes";
            for problem in state.problems() {
                report.problem("deliveries", "damcast deliver", problem, try_it);
            }
            let DeliveriesState::Running(reports) = state else { return };
            for delivery in reports.iter().filter(|delivery| !delivery.is_failing()) {
                report.ok("deliveries", format!("{}: {}", delivery.name, delivery.describe()));
            }
        }
    }
}

fn check_command(machine: &Machine, delivery: &DeliveryConfig, report: &mut DoctorReport) {
    let Some((program, arguments)) = delivery.command.split_first() else { return };
    if !machine.has_program(program) {
        let message = format!("{program}: there is no such program, or it may not be run: nothing is delivered");
        let remedy = "name one in `command` of [[deliver]], with its whole path, and `chmod +x` it";
        report.problem("delivery command", &delivery.name, message, remedy);
    }
    for file in arguments.iter().filter(|argument| argument.starts_with('/')) {
        let is_public = PUBLIC_ENDS.iter().any(|end| file.ends_with(end));
        match machine.access(Path::new(file)) {
            Some((mode, ..)) if mode & 0o170_004 == 0o100_004 && !is_public => {
                let message = format!("everybody on this machine can read {file}");
                let remedy =
                    format!("if it has a password: `sudo chown damcast-deliver {file}; sudo chmod 600 {file}`");
                report.problem("delivery secret", &delivery.name, message, remedy);
            }
            _ => {}
        }
    }
}
