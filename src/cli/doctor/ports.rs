//! Checks each port: exists, may be opened, is free, and how its chip is set up.

use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use damcast::station::config::Config;
use damcast::station::link::address::Host;
use damcast::station::link::{PortAddress, ports};

use super::DoctorReport;
use super::machine::{Machine, Tty};

/// Folders of udev rules.
const RULES: [&str; 3] = ["/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"];
/// Possible paths of the installed unit.
const UNITS: [&str; 3] = [
    "/etc/systemd/system/damcast.service",
    "/usr/lib/systemd/system/damcast.service",
    "/lib/systemd/system/damcast.service",
];
/// Vendor and product id of a board's own chip, and the prefix of its manufacturer's name.
const BOARD_CHIP: (&str, &str, &str) = ("045b", "8111", "DGT");
/// Groups of serial ports on different systems.
const PORT_GROUPS: [&str; 3] = ["dialout", "uucp", "plugdev"];
/// Folder of pseudo-terminals.
const PSEUDO_TERMINALS: &str = "/dev/pts";
/// Program that simulates boards.
const SIMULATOR: &str = "boardsim";
/// Time limit for a serial-port server in the same building.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum latency timer of a chip; a longer one delays every move.
const MAX_LATENCY_MS: u32 = 1;

/// Checks every port of the configuration.
pub fn check(machine: &Machine, config: Option<&Config>, user: Option<&str>, report: &mut DoctorReport) {
    let ttys = machine.ttys();
    let is_makers = |tty: &Tty| tty.usb.as_ref().is_some_and(|usb| is_manufacturer_port(usb));
    let mut devices: Vec<PathBuf> =
        ttys.iter().filter(|tty| is_makers(tty)).map(|tty| Path::new("/dev").join(&tty.name)).collect();
    for line in config.into_iter().flat_map(|config| &config.lines) {
        let Some(port) = &line.port else { continue };
        match port {
            PortAddress::Serial(path) => match machine.device(path) {
                Some(device) => devices.push(device),
                None => report.problem(
                    "port",
                    &format!("{} ({})", path.display(), line.name),
                    "there is no such port",
                    "plug the board in and switch it on; `damcast ports` shows where it is; /dev/serial/by-path names stay the same",
                ),
            },
            PortAddress::Usb(_) | PortAddress::Any(_) => {
                let fits = |tty: &&Tty| tty.usb.as_ref().is_some_and(|usb| fits(port, usb, &tty.name));
                let fitting: Vec<PathBuf> = ttys.iter().filter(fits).map(|tty| Path::new("/dev").join(&tty.name)).collect();
                if fitting.is_empty() {
                    let message = "no port that it could mean is there";
                    let remedy = "plug the board in and switch it on; `damcast ports` lists the ports";
                    report.problem("port", &format!("{port} ({})", line.name), message, remedy);
                }
                devices.extend(fitting);
            }
            PortAddress::Tcp(host) | PortAddress::Rfc2217 { host, .. } => check_host(machine, host, report),
        }
    }
    if machine.is_local() {
        let lines = config.into_iter().flat_map(|config| &config.lines);
        let lines = lines.filter_map(|line| Some((line.name.as_str(), line.port.as_ref()?)));
        for [one, other, device] in ports::shared_devices(lines) {
            let message = format!("the lines {one} and {other} mean the same port, under two names");
            report.problem(
                "port",
                &device,
                message,
                "give each [[line]] the port of its own board; `damcast ports` lists them",
            );
        }
    }
    devices.sort();
    devices.dedup();
    for device in &devices {
        let before = report.faults.len();
        check_access(machine, device, user, report);
        check_holders(machine, device, report);
        let name = device.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(tty) = ttys.iter().find(|tty| tty.name == name) {
            check_chip(machine, tty, report);
            check_modem_manager(machine, tty, report);
        }
        if report.faults.len() == before {
            report.ok("port", format!("{} can be used", device.display()));
        }
    }
    let has_usb = ttys.iter().any(|tty| tty.usb.is_some() && devices.contains(&Path::new("/dev").join(&tty.name)));
    if has_usb && !has_rules(machine) {
        report.problem(
            "udev",
            "61-damcast.rules",
            "the rules for boards are not installed: names change, and other programs may take the ports",
            "install the package, or copy systemd/61-damcast.rules to /etc/udev/rules.d and run `udevadm control --reload && \
             udevadm trigger`",
        );
    }
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_default().trim().to_owned()
}

fn is_manufacturer_port(usb: &Path) -> bool {
    let id = (read(usb, "idVendor"), read(usb, "idProduct"));
    (id.0.as_str(), id.1.as_str()) == (BOARD_CHIP.0, BOARD_CHIP.1)
        || read(usb, "manufacturer").starts_with(BOARD_CHIP.2)
}

/// Whether an address that leaves a choice matches this port.
fn fits(port: &PortAddress, usb: &Path, name: &str) -> bool {
    match port {
        PortAddress::Usb(id) => {
            let is_id = read(usb, "idVendor") == format!("{:04x}", id.vendor)
                && read(usb, "idProduct") == format!("{:04x}", id.product);
            is_id && id.serial.as_ref().is_none_or(|serial| read(usb, "serial") == *serial)
        }
        PortAddress::Any(patterns) if patterns.is_empty() => is_manufacturer_port(usb),
        PortAddress::Any(patterns) => {
            let begins =
                |pattern: &String| format!("/dev/{name}").starts_with(pattern.split('*').next().unwrap_or_default());
            patterns.iter().any(begins)
        }
        _ => false,
    }
}

/// Checks that the recording user may open the device.
fn check_access(machine: &Machine, device: &Path, user: Option<&str>, report: &mut DoctorReport) {
    let Some((mode, owner, group)) = machine.access(device) else { return };
    let groups = machine.groups();
    let (user_name, number, theirs) = recording_user(machine, user);
    let is_root = number == Some(0);
    let is_allowed = mode & 0o006 == 0o006
        || (mode & 0o060 == 0o060 && theirs.contains(&group))
        || (mode & 0o600 == 0o600 && number == Some(owner));
    if is_root || is_allowed {
        return;
    }
    let group = groups.iter().find(|(_, id, _)| *id == group).map_or(group.to_string(), |(name, ..)| name.clone());
    let shown = device.display().to_string();
    let message = format!("{user_name} may not open it: it is for the group `{group}`");
    let remedy = if device.starts_with(PSEUDO_TERMINALS) {
        format!(
            "it is no board but a pseudo-terminal: start the program at its other end (boardsim) as the user {user_name}"
        )
    } else if !PORT_GROUPS.contains(&group.as_str()) {
        // A board is no reason to put a user into a group like root.
        format!(
            "plug it in again with the rules of the package installed, which give it to the group `{}`; now: `sudo chgrp {} \
             {shown} && sudo chmod 660 {shown}`",
            PORT_GROUPS[0], PORT_GROUPS[0]
        )
    } else {
        format!(
            "`sudo usermod -aG {group} {user_name}`, then log in again; for the service: SupplementaryGroups={group}"
        )
    };
    report.problem("permission", &shown, message, remedy);
}

/// Returns the recording user with number and groups: the named user, that of the service, or the current one.
pub fn recording_user(machine: &Machine, user: Option<&str>) -> (String, Option<u32>, Vec<u32>) {
    match user {
        Some(name) => lookup_user(machine, name),
        None => service(machine).unwrap_or_else(|| {
            let name = machine.user_name(rustix::process::getuid().as_raw()).unwrap_or_else(|| "you".to_owned());
            lookup_user(machine, &name)
        }),
    }
}

/// Returns a user with number and groups.
fn lookup_user(machine: &Machine, name: &str) -> (String, Option<u32>, Vec<u32>) {
    let user = machine.user(name);
    let of = |(_, _, members): &&(String, u32, Vec<String>)| members.iter().any(|member| member == name);
    let mut groups: Vec<u32> = machine.groups().iter().filter(of).map(|(_, id, _)| *id).collect();
    groups.extend(user.map(|(_, group)| group));
    (name.to_owned(), user.map(|(id, _)| id), groups)
}

/// Returns the user of the installed service: its own user, with the groups that the unit names.
fn service(machine: &Machine) -> Option<(String, Option<u32>, Vec<u32>)> {
    let unit = UNITS.iter().find_map(|unit| machine.read(unit))?;
    let names =
        unit.lines().filter_map(|line| line.strip_prefix("SupplementaryGroups=")).flat_map(str::split_whitespace);
    let names: Vec<&str> = names.collect();
    let groups = machine.groups().into_iter().filter(|(name, ..)| names.contains(&name.as_str()));
    Some(("damcast".to_owned(), None, groups.map(|(_, id, _)| id).collect()))
}

fn check_holders(machine: &Machine, device: &Path, report: &mut DoctorReport) {
    for process in machine.holders(device) {
        if process.name == "damcast" {
            report.ok("port", format!("{}: damcast has it (process {})", device.display(), process.id));
            continue;
        }
        if process.name == SIMULATOR {
            let message =
                format!("{}: a simulated board is at it ({SIMULATOR}, process {})", device.display(), process.id);
            report.ok("port", message);
            continue;
        }
        report.problem(
            "port in use",
            &device.display().to_string(),
            format!("another program has it: {} (process {})", process.name, process.id),
            format!("close {}; `sudo kill {}` ends it", process.name, process.id),
        );
    }
}

/// Checks the settings of a USB port's chip.
fn check_chip(machine: &Machine, tty: &Tty, report: &mut DoctorReport) {
    let name = format!("/dev/{}", tty.name);
    let latency = machine.read(format!("/sys/class/tty/{}/device/latency_timer", tty.name));
    if let Some(latency) = latency.and_then(|text| text.parse::<u32>().ok()).filter(|&latency| latency > MAX_LATENCY_MS)
    {
        report.problem(
            "latency timer",
            &name,
            format!("the adapter keeps bytes back for {latency} ms: on a bus each question takes that much longer"),
            format!(
                "the rules of the package set it to 1; now: `echo 1 | sudo tee /sys/class/tty/{}/device/latency_timer`",
                tty.name
            ),
        );
    }
    let Some(usb) = &tty.usb else { return };
    if read(usb, "power/control") == "auto" {
        report.problem(
            "autosuspend",
            &name,
            "the system may switch the port off while nobody moves",
            format!("the rules of the package keep it on; now: `echo on | sudo tee {}/power/control`", usb.display()),
        );
    }
}

/// Checks that ModemManager ignores the port; it sends modem commands to every new port.
fn check_modem_manager(machine: &Machine, tty: &Tty, report: &mut DoctorReport) {
    let Some(manager) = machine.processes().into_iter().find(|process| process.name == "ModemManager") else { return };
    let number = machine.read(format!("/sys/class/tty/{}/dev", tty.name)).unwrap_or_default();
    let known = machine.read(format!("/run/udev/data/c{number}"));
    let is_ignored = match &known {
        Some(known) => known.contains("ID_MM_DEVICE_IGNORE=1"),
        None => has_rules(machine),
    };
    if !is_ignored {
        report.problem(
            "ModemManager",
            &format!("/dev/{}", tty.name),
            format!("ModemManager (process {}) tries every new port and speaks to the board as to a modem", manager.id),
            "`sudo systemctl disable --now ModemManager` where no modem is used; or a rule of udev with \
             ENV{ID_MM_DEVICE_IGNORE}=\"1\", as in 61-damcast.rules",
        );
    }
}

fn has_rules(machine: &Machine) -> bool {
    let is_ours = |folder: &str| machine.list(folder).iter().any(|name| name.ends_with("-damcast.rules"));
    RULES.iter().any(|folder| is_ours(folder))
}

fn check_host(machine: &Machine, host: &Host, report: &mut DoctorReport) {
    if !machine.is_local() {
        report.skip("network", format!("{host}: this is another machine"));
        return;
    }
    let connected =
        (host.name.as_str(), host.port).to_socket_addrs().map_err(|error| error.to_string()).and_then(|all| {
            let mut last = "the name has no address".to_owned();
            for address in all {
                match TcpStream::connect_timeout(&address, NETWORK_TIMEOUT) {
                    Ok(_) => return Ok(()),
                    Err(error) => last = error.to_string(),
                }
            }
            Err(last)
        });
    match connected {
        Ok(()) => report.ok("network", format!("{host} answers")),
        Err(error) => report.problem(
            "network",
            &host.to_string(),
            format!("the serial-port server does not answer: {error}"),
            "is it switched on, and in the same network? `ping` its address; many take one connection only: is a station running?",
        ),
    }
}
