//! Checks the groups of a service and the access of their members to recordings, station and public files.

use damcast::station::config::{Config, PUBLIC};

use super::machine::Machine;
use super::{DoctorReport, ports};

/// Group that reads all recordings, without delay.
const RECORDINGS_GROUP: &str = "damcast";
/// Group that may send requests to the station.
const CONTROL_GROUP: &str = "damcast-ctl";
/// Group that reads the public files.
const WEB_GROUP: &str = "damcast-web";
/// Users that web servers run as.
const WEB_SERVERS: [&str; 7] = ["www-data", "nginx", "http", "apache", "caddy", "lighttpd", "httpd"];
/// Mode bits of a folder that its group reads and whose new files get that group (setgid).
const SHARED_MODE: u32 = 0o2050;

/// Checks the groups of outlets and, if a service is installed, its own groups.
pub fn check(machine: &Machine, config: Option<&Config>, user: Option<&str>, report: &mut DoctorReport) {
    if let Some(config) = config {
        check_outlets(machine, config, user, report);
    }
    check_service(machine, config, report);
}

/// Checks that the group of each outlet exists and that the station may assign the folder to it.
fn check_outlets(machine: &Machine, config: &Config, user: Option<&str>, report: &mut DoctorReport) {
    let groups = machine.groups();
    let (user_name, number, members_of) = ports::recording_user(machine, user);
    for outlet in &config.outlets {
        let Some(group) = &outlet.group else { continue };
        let subject = format!("outlet {}", outlet.name);
        let Some((_, id, members)) = groups.iter().find(|(name, ..)| name == group) else {
            let remedy = format!(
                "`sudo groupadd --system {group} && sudo usermod -aG {group} {user_name}`, then start damcast again"
            );
            report.problem("groups", &subject, format!("there is no group {group} on this machine"), remedy);
            continue;
        };
        if number != Some(0) && !members_of.contains(id) && !members.contains(&user_name) {
            let message =
                format!("{user_name} is not in the group {group}, so it cannot give the folder to that group");
            let remedy = format!("`sudo usermod -aG {group} {user_name}`, then start damcast again");
            report.problem("groups", &subject, message, remedy);
            continue;
        }
        let folder = config.directory.join(&outlet.directory);
        match machine.access(&folder) {
            Some((mode, _, of_group)) if of_group != *id || mode & SHARED_MODE != SHARED_MODE => report.problem(
                "groups",
                &subject,
                format!("{} is not for the group {group}: its readers cannot read it", folder.display()),
                format!(
                    "a station that starts gives it to them; by hand: `sudo chgrp -R {group} {0} && sudo chmod 2750 {0} {0}/archive`",
                    folder.display()
                ),
            ),
            _ => report.ok("groups", format!("the outlet {} is for the group {group}", outlet.name)),
        }
    }
}

fn check_service(machine: &Machine, config: Option<&Config>, report: &mut DoctorReport) {
    let groups = machine.groups();
    let group = |name: &str| groups.iter().find(|(group, ..)| group == name);
    let Some((_, _, readers)) = group(RECORDINGS_GROUP) else { return };
    let before = report.faults.len();
    for (name, purpose) in
        [(CONTROL_GROUP, "who may use `damcast status` and `damcast ctl`"), (WEB_GROUP, "a web server")]
    {
        if group(name).is_none() {
            report.problem(
                "groups",
                name,
                format!("there is no such group, for {purpose}"),
                "`sudo systemd-sysusers damcast.conf && sudo systemctl restart damcast`; or install the package again",
            );
        }
    }
    let speaks =
        |member: &str| group(CONTROL_GROUP).is_some_and(|(_, _, members)| members.iter().any(|name| name == member));
    for member in readers.iter().filter(|member| !member.is_empty() && *member != RECORDINGS_GROUP) {
        if WEB_SERVERS.contains(&member.as_str()) {
            report.problem(
                "groups",
                member,
                format!("it is in the group {RECORDINGS_GROUP} and may read all games without their delay"),
                format!(
                    "`sudo usermod -aG {WEB_GROUP} {member} && sudo gpasswd -d {member} {RECORDINGS_GROUP}`, then restart the web server: \
                     {WEB_GROUP} reads the public files alone"
                ),
            );
        } else if !speaks(member) {
            report.ok(
                "groups",
                format!(
                    "{member} may read all recordings; to use `damcast ctl`: `sudo usermod -aG {CONTROL_GROUP} {member}`"
                ),
            );
        }
    }
    let of_web = |config: &&Config| config.outlets.iter().all(|outlet| outlet.name != PUBLIC || outlet.group.is_none());
    let public = config.filter(of_web).map(|config| config.directory.join(PUBLIC));
    let found = public.as_deref().and_then(|public| Some((public, machine.access(public)?)));
    if let (Some((public, (mode, _, of_group))), Some((_, web, _))) = (found, group(WEB_GROUP))
        && (of_group != *web || mode & SHARED_MODE != SHARED_MODE)
    {
        let folder = public.display();
        report.problem(
            "groups",
            &folder.to_string(),
            format!("it is not for the group {WEB_GROUP}: a web server cannot read what is published"),
            format!(
                "`sudo systemd-tmpfiles --create damcast.conf`; for a folder of your own `sudo chgrp -R {WEB_GROUP} {folder} && sudo \
                 chmod 2750 {folder} {folder}/archive`. If no web server reads it on this machine, leave it"
            ),
        );
    }
    if report.faults.len() == before {
        report.ok("groups", "who may read and who may ask is as it should be");
    }
}
