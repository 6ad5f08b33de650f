//! Checks that the alarm command exists and is executable.

use damcast::station::config::Config;

use super::DoctorReport;
use super::machine::Machine;

/// Remedy: how to test the whole way to the person who is called.
const TEST_COMMAND: &str = "`damcast ctl alarm-test` has the running station call it, as its own user";

/// Checks the command without running it, because that would call a person.
pub fn check(machine: &Machine, config: &Config, report: &mut DoctorReport) {
    let Some(program) = config.alarm.command.first() else { return };
    if machine.has_program(program) {
        report.ok("alarm command", format!("{program} is there; {TEST_COMMAND}"));
    } else {
        let message = "there is no such program, or it may not be run: no problem is reported";
        let remedy =
            format!("name one in `command` of [alarm], with its whole path, and `chmod +x` it; then {TEST_COMMAND}");
        report.problem("alarm command", program, message, remedy);
    }
}
