//! Checks the units of the recorder and its pages: installed, started with the machine, and with valid tables.

use std::net::IpAddr;
use std::path::Path;

use damcast::outward::state_file::{PagesState, STATE_FILE_PATH, read_hub_alarms, read_state};
use damcast::station::config::keys::Section;
use damcast::station::config::{
    ConfigErrors, DeliverConfig, DeskConfig, EntryPageConfig, HallSource, HubConfig, ServeConfig, Sources, environment,
};

use super::DoctorReport;
use super::deliver;
use super::machine::Machine;

/// Folders of systemd units, of packages and of operators.
const FOLDERS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

/// Unit of the package, and the target whose folder links to it if it starts with the machine.
struct Unit {
    name: &'static str,
    wanted_by: &'static str,
    /// Consequence of the unit not starting.
    consequence: &'static str,
    /// Tables that only this unit reads: a table that is filled in shows that the unit is wanted.
    config_tables: &'static [Section],
}

const RECORDER: Unit = Unit {
    name: "damcast.service",
    wanted_by: "multi-user.target.wants",
    consequence: "nothing is recorded after the machine has started again",
    config_tables: &[],
};
const PAGES: Unit = Unit {
    name: "damcast-web.socket",
    wanted_by: "sockets.target.wants",
    consequence: "there are no pages for viewers",
    config_tables: &[Section::Serve],
};
const DESK: Unit = Unit {
    name: "damcast-desk.service",
    wanted_by: "multi-user.target.wants",
    consequence: "there is no operator's page, and there are no numbers for programs that watch",
    config_tables: &[Section::Desk],
};

const ENTRY: Unit = Unit {
    name: "damcast-entry.service",
    wanted_by: "multi-user.target.wants",
    consequence: "nobody can enter moves at the tables without electronic boards",
    config_tables: &[Section::Entry],
};

const DELIVER: Unit = Unit {
    name: "damcast-deliver.service",
    wanted_by: "multi-user.target.wants",
    consequence: "nothing is delivered to other machines",
    config_tables: &[Section::Deliver],
};

const HUB: Unit = Unit {
    name: "damcast-hub.service",
    wanted_by: "multi-user.target.wants",
    consequence: "the halls are not joined",
    config_tables: &[Section::Hub],
};

/// Checks the units and their tables of the configuration.
pub fn check(machine: &Machine, config: &Path, report: &mut DoctorReport) {
    // Another check reports an unreadable configuration.
    let sources = Sources::from_file(config).ok().map(|sources| sources.with_environment(environment()));
    check_installed(machine, &RECORDER, sources.as_ref(), report);
    if check_installed(machine, &PAGES, sources.as_ref(), report) {
        check_config("[serve]", ServeConfig::load(config).map(drop), report);
        match read_state(&machine.path(STATE_FILE_PATH)) {
            None => report.ok("pages", "no request since they were started"),
            Some(PagesState::Silent(span)) => report.problem(
                "pages",
                PAGES.name,
                format!("they have said nothing for {} s: they hang, or were killed", span.as_secs()),
                "`sudo systemctl restart damcast-web`; `journalctl -u damcast-web` says more",
            ),
            Some(state) => report.ok("pages", format!("viewers now: {}", state.viewers().unwrap_or(0))),
        }
    }
    if check_installed(machine, &DESK, sources.as_ref(), report) {
        check_config("[desk]", DeskConfig::load(config).map(drop), report);
    }
    if check_installed(machine, &ENTRY, sources.as_ref(), report) {
        check_config("[entry]", EntryPageConfig::load(config).map(drop), report);
    }
    check_hub(machine, config, sources.as_ref(), report);
    let deliveries = DeliverConfig::load(config);
    if check_installed(machine, &DELIVER, sources.as_ref(), report) {
        check_config("[[deliver]]", deliveries.clone().map(drop), report);
    }
    if let Ok(deliveries) = &deliveries {
        deliver::check(machine, deliveries, report);
    }
}

/// Checks the hub, if there is one: its unit, its halls, and whether names of players and moves go through other networks unprotected.
fn check_hub(machine: &Machine, config: &Path, sources: Option<&Sources>, report: &mut DoctorReport) {
    if !sources.is_some_and(|sources| sources.sets_table(Section::Hub)) {
        return;
    }
    check_installed(machine, &HUB, sources, report);
    let hub = HubConfig::load(config);
    check_config("[hub]", hub.clone().map(drop), report);
    let Ok(hub) = hub else { return };
    for hall in &hub.halls {
        if let HallSource::Url { url, .. } = &hall.source
            && let Some(host) = public_host(url)
        {
            let message = format!("{url} is plain http to {host}: on the way anybody may change what the hall says");
            let remedy = "use https://, or the tunnel of docs/halls.md";
            report.problem("halls", &hall.name, message, remedy);
        }
    }
    let alarms = read_hub_alarms(&machine.path(&hub.state_file));
    for alarm in &alarms {
        let place = alarm.place.as_deref().unwrap_or("hub");
        report.problem("halls", place, alarm.text.clone(), "docs/halls.md lists what may happen");
    }
    if alarms.is_empty() {
        report.ok("halls", format!("{} halls: no problem is known", hub.halls.len()));
    }
}

/// Returns the host of an address with plain http that is not of a private network.
fn public_host(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("http://")?.split('/').next()?;
    let host = rest
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
        .unwrap_or_else(|| rest.split(':').next().unwrap_or(rest));
    let is_private = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        // A name without a dot, or of the local network.
        Err(_) => {
            !host.contains('.') || host.ends_with(".local") || host.ends_with(".lan") || host.ends_with(".internal")
        }
    };
    (!is_private).then_some(host)
}

/// Checks whether the unit is installed and starts with the machine.
fn check_installed(machine: &Machine, unit: &Unit, sources: Option<&Sources>, report: &mut DoctorReport) -> bool {
    let Unit { name, wanted_by, consequence: lack, config_tables: tables } = unit;
    if !FOLDERS.iter().any(|folder| machine.exists(Path::new(folder).join(name))) {
        return false;
    }
    let is_enabled = machine.is_link(Path::new(FOLDERS[0]).join(wanted_by).join(name));
    let enable = format!("`sudo systemctl enable --now {name}`");
    let filled = sources.and_then(|sources| tables.iter().find(|table| sources.sets_table(**table)));
    match (is_enabled, filled) {
        (true, _) => report.ok("units", format!("{name} starts with the machine")),
        (false, None) => report.ok("units", format!("{name} is not enabled: {lack}; {enable} if you want it")),
        (false, Some(table)) => {
            let message = format!("{} is configured, and {name} is not enabled: {lack}", table.title());
            report.problem("units", name, message, enable);
        }
    }
    is_enabled
}

/// Checks the table of a process that starts.
fn check_config(table: &str, read: Result<(), ConfigErrors>, report: &mut DoctorReport) {
    let Some(first) = read.err().and_then(|errors| errors.0.into_iter().next()) else { return };
    let place = first.location.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
    report.problem(
        "configuration",
        table,
        format!("{place}{}", first.message),
        "the station records all the same, but the process that reads this table does not start: `damcast config check` shows all that is wrong, with its place",
    );
}

#[cfg(test)]
mod tests {
    use super::public_host;

    #[test]
    fn plain_http_is_for_private_networks() {
        for private in [
            "https://live.example.org",
            "http://laptop-2.local:8080",
            "http://laptop-2:8080/x",
            "http://192.168.1.7:8080",
            "http://127.0.0.1:9102",
            "http://[fe80::1]:8080",
        ] {
            assert_eq!(public_host(private), None, "{private}");
        }
        assert_eq!(public_host("http://live.example.org:8080/a"), Some("live.example.org"));
        assert_eq!(public_host("http://203.0.113.7"), Some("203.0.113.7"));
        assert_eq!(public_host("http://[2001:db8::1]:8080"), Some("2001:db8::1"));
    }
}
