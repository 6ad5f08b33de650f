//! Checks that the alarm command exists and is executable.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use damcast::station::config::Config;

use super::DoctorReport;
use super::machine::Machine;

/// Search path of a service for programs named without a folder.
const FOLDERS: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/// Remedy: how to test the whole way to the person who is called.
const TEST_COMMAND: &str = "`damcast ctl alarm-test` has the running station call it, as its own user";

/// Checks the command without running it, because that would call a person.
pub fn check(machine: &Machine, config: &Config, report: &mut DoctorReport) {
    let Some(program) = config.alarm.command.first() else { return };
    let is_program = |path: &Path| {
        let data = std::fs::metadata(machine.path(path));
        data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    let is_there = match program.contains('/') {
        true => is_program(Path::new(program)),
        false => FOLDERS.iter().any(|folder| is_program(&Path::new(folder).join(program))),
    };
    if is_there {
        report.ok("alarm command", format!("{program} is there; {TEST_COMMAND}"));
    } else {
        let message = "there is no such program, or it may not be run: no problem is reported";
        let remedy =
            format!("name one in `command` of [alarm], with its whole path, and `chmod +x` it; then {TEST_COMMAND}");
        report.problem("alarm command", program, message, remedy);
    }
}
