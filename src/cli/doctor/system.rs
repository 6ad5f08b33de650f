//! Checks the machine: programs in the way, the clock, limits, memory, power.

use chrono::Local;
use damcast::station::config::Config;
use damcast::station::line::dates_from;
use damcast::station::operate::limits;

use super::DoctorReport;
use super::machine::Machine;

/// Programs that synchronise the clock.
const CLOCK_KEEPERS: [&str; 4] = ["chronyd", "ntpd", "ntpd-ng", "openntpd"];
/// File that systemd-timesyncd creates once the clock is synchronised.
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";
/// Minimum memory of any machine.
const MIN_MEMORY_KIB: u64 = 64 * 1024;
/// File in which a Raspberry Pi reports problems of its power supply.
const THROTTLED: &str = "/sys/devices/platform/soc/soc:firmware/get_throttled";

/// Checks the machine.
pub fn check(machine: &Machine, config: Option<&Config>, report: &mut DoctorReport) {
    let processes = machine.processes();
    if processes.is_empty() {
        report.skip("programs", "no process can be seen");
    }
    if let Some(brltty) = processes.iter().find(|process| process.name == "brltty") {
        report.problem(
            "brltty",
            &format!("process {}", brltty.id),
            "the driver for Braille displays takes USB adapters for its own",
            "where no Braille display is used: `sudo apt remove brltty`, then plug the board in again",
        );
    }
    let keeper = processes.iter().find(|process| CLOCK_KEEPERS.contains(&process.name.as_str()));
    let shown = Local::now();
    if machine.is_local() && shown < dates_from() {
        report.problem(
            "clock",
            "the clock of the machine",
            format!("it was never set: it shows {}; games have no date until it is", shown.format("%Y-%m-%d %H:%M")),
            "`sudo date -s '2026-11-21 13:45'`, or a network and `sudo timedatectl set-ntp true`; a station that runs goes on, and \
             its games have their dates from then on",
        );
    } else if machine.exists(SYNCHRONIZED) || keeper.is_some() {
        report.ok("clock", "the clock of the machine is kept right");
    } else {
        report.problem(
            "clock",
            "the clock of the machine",
            "nothing keeps it right, or it was never set: dates of games and times of logs may be wrong",
            "`sudo timedatectl set-ntp true` and a network; without a network set it by hand before the round: `sudo date -s \
             '2026-11-21 13:45'`",
        );
    }
    check_limits(machine, config, report);
    let memory = machine.read("/proc/meminfo").unwrap_or_default();
    let available = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let available = available.and_then(|text| text.trim().split(' ').next()?.parse::<u64>().ok());
    if let Some(available) = available.filter(|&available| available < MIN_MEMORY_KIB) {
        report.problem(
            "memory",
            "the machine",
            format!("only {} MiB of memory are free", available / 1024),
            "end other programs (`top` shows the largest), or start the machine again before the round",
        );
    }
    let throttled = machine.read(THROTTLED).map(|text| text.trim_start_matches("0x").to_owned());
    if let Some(throttled) = throttled.filter(|text| !text.chars().all(|digit| digit == '0')) {
        report.problem(
            "power",
            "the Raspberry Pi",
            format!("its power supply is or was too weak (throttled={throttled}): USB boards drop out then"),
            "use the power supply made for it, and a hub with a supply of its own for the boards",
        );
    }
}

fn check_limits(machine: &Machine, config: Option<&Config>, report: &mut DoctorReport) {
    let limits = machine.read("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    // Read the hard limit: the station raises its soft limit to it.
    let Some(most) = line.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok()) else {
        report.skip("limits", "they cannot be read");
        return;
    };
    let boards = |config: &Config| config.lines.iter().map(|line| line.boards.len().max(1)).sum();
    let needed = limits::files_needed(config.map_or(0, boards));
    if most < needed {
        report.problem(
            "limits",
            "open files",
            format!("{most} are allowed, {needed} may be needed"),
            format!("`ulimit -Hn {needed}` as root before `damcast run`; for the service: LimitNOFILE={needed} (systemctl edit damcast)"),
        );
    } else {
        report.ok("limits", format!("{most} open files are allowed, {needed} may be needed"));
    }
}
