//! What faces outward beside the recorder: are the units there, do they start with the machine, and are their tables right?

use std::path::Path;

use damcast::outward::state_file::{PagesState, STATE_FILE, read_state};
use damcast::station::config::keys::Section;
use damcast::station::config::{ConfigErrors, DeskConfig, ServeConfig, Sources, environment};

use super::Report;
use super::machine::Machine;

/// Where packages and operators put units.
const FOLDERS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

/// A unit of the package, and where systemd notes that it starts with the machine.
struct Unit {
    name: &'static str,
    wanted_by: &'static str,
    /// What nobody has while it does not start.
    lack: &'static str,
    /// The tables that it alone obeys: who fills one wants it.
    tables: &'static [Section],
}

const RECORDER: Unit = Unit {
    name: "damcast.service",
    wanted_by: "multi-user.target.wants",
    lack: "nothing is recorded after the machine has started again",
    tables: &[],
};
const PAGES: Unit = Unit {
    name: "damcast-web.socket",
    wanted_by: "sockets.target.wants",
    lack: "there are no pages for viewers",
    tables: &[Section::Serve],
};
const DESK: Unit = Unit {
    name: "damcast-desk.service",
    wanted_by: "multi-user.target.wants",
    lack: "there is no operator's page, and there are no numbers for programs that watch",
    tables: &[Section::Desk],
};

/// Looks at the units, and at the tables of a configuration that are theirs.
pub fn examine(machine: &Machine, config: &Path, report: &mut Report) {
    // What cannot be read at all is told elsewhere.
    let sources = Sources::of_file(config).ok().map(|sources| sources.with_environment(environment()));
    look(machine, &RECORDER, sources.as_ref(), report);
    if look(machine, &PAGES, sources.as_ref(), report) {
        check("[serve]", ServeConfig::load(config).map(drop), report);
        match read_state(&machine.path(STATE_FILE)) {
            None => report.fine("pages", "nobody has asked for them since they were started"),
            Some(PagesState::Silent(span)) => report.fault(
                "pages",
                PAGES.name,
                format!("they have said nothing for {} s: they hang, or were killed", span.as_secs()),
                "`sudo systemctl restart damcast-web`; `journalctl -u damcast-web` says more",
            ),
            Some(state) => report.fine("pages", format!("viewers now: {}", state.viewers().unwrap_or(0))),
        }
    }
    if look(machine, &DESK, sources.as_ref(), report) {
        check("[desk]", DeskConfig::load(config).map(drop), report);
    }
}

/// Is it installed, and does it start with the machine?
fn look(machine: &Machine, unit: &Unit, sources: Option<&Sources>, report: &mut Report) -> bool {
    let Unit { name, wanted_by, lack, tables } = unit;
    if !FOLDERS.iter().any(|folder| machine.has(Path::new(folder).join(name))) {
        return false;
    }
    let is_enabled = machine.is_link(Path::new(FOLDERS[0]).join(wanted_by).join(name));
    let enable = format!("`sudo systemctl enable --now {name}`");
    let filled = sources.and_then(|sources| tables.iter().find(|table| sources.sets(**table)));
    match (is_enabled, filled) {
        (true, _) => report.fine("units", format!("{name} starts with the machine")),
        (false, None) => report.fine("units", format!("{name} is not enabled: {lack}; {enable} if you want it")),
        (false, Some(table)) => {
            let what = format!("{} is configured, and {name} is not enabled: {lack}", table.title());
            report.fault("units", name, what, enable);
        }
    }
    is_enabled
}

/// The table of a process that is to run must be right.
fn check(table: &str, read: Result<(), ConfigErrors>, report: &mut Report) {
    let Some(first) = read.err().and_then(|errors| errors.0.into_iter().next()) else { return };
    let place = first.place.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
    report.fault(
        "configuration",
        table,
        format!("{place}{}", first.message),
        "the station records all the same, but this page does not start: `damcast config check` shows all that is wrong, with its place",
    );
}
