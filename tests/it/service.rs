//! The files of the installed station (unit, rules, user, package), and the help of each verb.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{assert_contains, run};

const UNIT: &str = "systemd/damcast.service";

/// Maximum exposure, in tenths, in `systemd-analyze security`.
const EXPOSURE: &str = "--threshold=15";

/// The unit of the pages, and its maximum exposure in tenths.
const PAGES: (&str, &str) = ("systemd/damcast-web.service", "--threshold=5");

/// Runs systemd-analyze; `None`, with a message, if it is not installed.
fn analyze(arguments: &[&str]) -> Option<(bool, String)> {
    match Command::new("systemd-analyze").args(arguments).output() {
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            Some((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
        }
        Err(error) => {
            println!("systemd-analyze cannot be run ({error}): the unit is NOT verified");
            None
        }
    }
}

/// Writes the unit into a folder, with an existing program.
fn unit_with_program(folder: &Path) -> String {
    let text = fs::read_to_string(UNIT).unwrap().replace("/usr/bin/damcast", env!("CARGO_BIN_EXE_damcast"));
    let path = folder.join("damcast.service");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Returns the scripts of the package, which do not start this service by default: `postinst` and `prerm`.
fn scripts_that_do_not_enable(service: &str) -> [String; 2] {
    let scripts = ["postinst", "prerm"].map(|name| fs::read_to_string(format!("packaging/debian/{name}")).unwrap());
    let enables = |line: &str| line.trim().starts_with("systemctl enable") && line.contains(service);
    assert!(!scripts[0].lines().any(enables), "{service}");
    scripts
}

#[test]
fn systemd_accepts_unit() {
    let folder = tempfile::tempdir().unwrap();
    let Some((is_right, text)) = analyze(&["verify", &unit_with_program(folder.path())]) else { return };
    // Ignores messages about other units of the machine.
    let about_us: Vec<&str> = text.lines().filter(|line| line.contains("damcast")).collect();
    assert!(about_us.is_empty() && (is_right || !text.contains("damcast")), "{text}");
}

#[test]
fn unit_exposes_little() {
    let Some((is_right, text)) = analyze(&["security", "--offline=true", "--no-pager", EXPOSURE, UNIT]) else { return };
    let verdict = text.lines().find(|line| line.contains("Overall exposure level")).unwrap_or("no verdict");
    println!("{verdict}");
    assert!(is_right, "{verdict}\n{text}");
}

#[test]
fn pages_expose_less_and_yield_to_recorder() {
    let unit = fs::read_to_string(PAGES.0).unwrap();
    let has = |line: &str| unit.lines().any(|found| found == line);
    let lines =
        "User=damcast-web PrivateNetwork=yes Nice=10 Requires=damcast-web.socket Type=notify ProtectSystem=strict";
    for line in lines.split(' ') {
        assert!(has(line), "{line}");
    }
    let scripts = scripts_that_do_not_enable("damcast-web");
    assert!(scripts[1].contains("systemctl stop damcast-web.socket"));
    assert!(fs::read_to_string("systemd/damcast.sysusers").unwrap().contains("u damcast-web"));
    let Some((is_right, text)) = analyze(&["security", "--offline=true", "--no-pager", PAGES.1, PAGES.0]) else {
        return;
    };
    let verdict = text.lines().find(|line| line.contains("Overall exposure level")).unwrap_or("no verdict");
    assert!(is_right, "{verdict}\n{text}");
    let folder = tempfile::tempdir().unwrap();
    for name in ["damcast-web.service", "damcast-web.socket"] {
        let text = fs::read_to_string(format!("systemd/{name}")).unwrap();
        fs::write(folder.path().join(name), text.replace("/usr/bin/damcast", env!("CARGO_BIN_EXE_damcast"))).unwrap();
    }
    let service = folder.path().join("damcast-web.service").display().to_string();
    let Some((_, text)) = analyze(&["verify", &service]) else { return };
    let about_us: Vec<&str> = text.lines().filter(|line| line.contains("damcast")).collect();
    assert!(about_us.is_empty(), "{text}");
}

#[test]
fn desk_queries_station_and_reads_no_file_of_station() {
    const DESK: &str = "systemd/damcast-desk.service";
    let unit = fs::read_to_string(DESK).unwrap();
    let lines = "User=damcast-desk SupplementaryGroups=damcast-ctl InaccessiblePaths=-/var/lib/damcast/recordings \
        Nice=10 Type=notify ProtectSystem=strict";
    for line in lines.split(' ') {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    let scripts = scripts_that_do_not_enable("damcast-desk");
    assert!(scripts[1].contains("damcast-desk.service"));
    assert!(fs::read_to_string("systemd/damcast.sysusers").unwrap().contains("m damcast-desk damcast-ctl"));
    assert!(fs::read_to_string("Cargo.toml").unwrap().contains(DESK));
    let Some((is_right, text)) = analyze(&["security", "--offline=true", "--no-pager", EXPOSURE, DESK]) else { return };
    assert!(is_right, "{text}");
    let folder = tempfile::tempdir().unwrap();
    let service = folder.path().join("damcast-desk.service");
    fs::write(&service, unit.replace("/usr/bin/damcast", env!("CARGO_BIN_EXE_damcast"))).unwrap();
    let Some((_, text)) = analyze(&["verify", &service.display().to_string()]) else { return };
    assert!(text.lines().all(|line| !line.contains("damcast")), "{text}");
}

#[test]
fn entry_page_reaches_its_socket_alone() {
    const ENTRY: &str = "systemd/damcast-entry.service";
    let unit = fs::read_to_string(ENTRY).unwrap();
    let lines = ["User=damcast-entry", "Nice=10", "Type=notify", "ProtectSystem=strict"];
    for line in lines.into_iter().chain(["InaccessiblePaths=-/var/lib/damcast/recordings -/run/damcast"]) {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    assert!(!unit.contains("damcast-ctl"), "the control socket is not for this page");
    let scripts = scripts_that_do_not_enable("damcast-entry");
    assert!(scripts[1].contains("damcast-entry.service"));
    assert!(fs::read_to_string("systemd/damcast.sysusers").unwrap().contains("u damcast-entry"));
    assert!(
        fs::read_to_string("systemd/damcast.tmpfiles")
            .unwrap()
            .contains("/run/damcast-entry 2750 damcast damcast-entry")
    );
    assert!(fs::read_to_string("Cargo.toml").unwrap().contains(ENTRY));
    let Some((is_right, text)) = analyze(&["security", "--offline=true", "--no-pager", EXPOSURE, ENTRY]) else {
        return;
    };
    assert!(is_right, "{text}");
}

#[test]
fn deliveries_read_public_files_and_own_secrets() {
    const DELIVER: &str = "systemd/damcast-deliver.service";
    let unit = fs::read_to_string(DELIVER).unwrap();
    let lines = "User=damcast-deliver SupplementaryGroups=damcast-web Nice=10 Type=notify ProtectSystem=strict StateDirectoryMode=0700";
    for line in lines.split(' ') {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    let hidden = unit.lines().find(|line| line.starts_with("InaccessiblePaths=")).unwrap();
    assert_contains(hidden, &["/run/damcast ", "/run/damcast-entry ", "recordings/log ", "recordings/live"]);
    let scripts = scripts_that_do_not_enable("damcast-deliver");
    assert!(scripts[1].contains("damcast-deliver.service"));
    assert!(fs::read_to_string("systemd/damcast.sysusers").unwrap().contains("m damcast-deliver damcast-web"));
    let manifest = fs::read_to_string("Cargo.toml").unwrap();
    assert!(manifest.contains(DELIVER));
    for hook in fs::read_dir("packaging/deliver").unwrap().map(|entry| entry.unwrap().path()) {
        let lines = fs::read_to_string(&hook).unwrap().lines().count();
        assert!(lines <= 15, "{}: {lines} lines", hook.display());
        let name = hook.file_name().unwrap().to_str().unwrap();
        assert!(
            manifest.contains(&format!("\"/etc/damcast/deliver/{name}\"")),
            "{name} is no file of the configuration"
        );
    }
    let Some((is_right, text)) = analyze(&["security", "--offline=true", "--no-pager", EXPOSURE, DELIVER]) else {
        return;
    };
    assert!(is_right, "{text}");
    let folder = tempfile::tempdir().unwrap();
    let service = folder.path().join("damcast-deliver.service");
    fs::write(&service, unit.replace("/usr/bin/damcast", env!("CARGO_BIN_EXE_damcast"))).unwrap();
    let Some((_, text)) = analyze(&["verify", &service.display().to_string()]) else { return };
    assert!(text.lines().all(|line| !line.contains("damcast")), "{text}");
}

#[test]
fn hub_reads_public_files_and_writes_own_folder() {
    const HUB: &str = "systemd/damcast-hub.service";
    let unit = fs::read_to_string(HUB).unwrap();
    let lines = "User=damcast-hub SupplementaryGroups=damcast-web Nice=10 Type=notify ProtectSystem=strict ReadWritePaths=-/var/lib/damcast/hub";
    for line in lines.split(' ') {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    let hidden = unit.lines().find(|line| line.starts_with("InaccessiblePaths=")).unwrap();
    assert_contains(hidden, &["/run/damcast ", "/run/damcast-entry ", "recordings/log ", "recordings/live"]);
    let scripts = scripts_that_do_not_enable("damcast-hub");
    assert!(scripts[1].contains("damcast-hub.service"));
    assert!(fs::read_to_string("systemd/damcast.sysusers").unwrap().contains("m damcast-hub damcast-web"));
    assert!(
        fs::read_to_string("systemd/damcast.tmpfiles")
            .unwrap()
            .contains("/var/lib/damcast/hub 2750 damcast-hub damcast-web")
    );
    assert!(fs::read_to_string("Cargo.toml").unwrap().contains(HUB));
    let Some((is_right, text)) = analyze(&["security", "--offline=true", "--no-pager", EXPOSURE, HUB]) else { return };
    assert!(is_right, "{text}");
}

#[test]
fn unit_may_open_boards_for_any_driver_loaded_at_start() {
    let unit = fs::read_to_string(UNIT).unwrap();
    let has = |line: &str| unit.lines().any(|found| found == line);
    // Driver names are resolved when the service starts; numbers are not.
    for device in ["char-188", "char-166", "char-4"] {
        assert!(has(&format!("DeviceAllow={device} rw")), "{device}");
    }
    for line in [
        "DevicePolicy=closed",
        "PrivateDevices=no",
        "SupplementaryGroups=dialout",
        "Restart=always",
        "Environment=RUNTIME_DIRECTORY=/run/damcast:/run/damcast-entry",
        "ReadWritePaths=-/run/damcast",
        "ReadWritePaths=-/run/damcast-entry",
        "StateDirectoryMode=0751",
        // With private users the requester's identity would be lost.
        "PrivateUsers=no",
        "StateDirectory=damcast",
        "Type=notify",
        "WatchdogSec=20s",
        "ExecReload=/bin/kill -HUP $MAINPID",
    ] {
        assert!(has(line), "{line}");
    }
    let rules = fs::read_to_string("systemd/61-damcast.rules").unwrap();
    assert_contains(&rules, &["ID_MM_DEVICE_IGNORE", "GROUP=\"dialout\"", "latency_timer", "power/control"]);
}

#[test]
fn package_contains_all_named_files() {
    let manifest: toml::Table = fs::read_to_string("Cargo.toml").unwrap().parse().unwrap();
    let package = &manifest["package"]["metadata"]["deb"];
    for asset in package["assets"].as_array().unwrap() {
        let source = asset[0].as_str().unwrap();
        let is_built = source.starts_with("target/") || source.starts_with("packaging/pages/");
        let folder = Path::new(source).parent().unwrap();
        let exists = if source.contains('*') { folder.is_dir() } else { Path::new(source).exists() };
        assert!(is_built || exists, "{source}");
    }
    for script in ["postinst", "prerm", "postrm"] {
        let path = Path::new(package["maintainer-scripts"].as_str().unwrap()).join(script);
        assert!(fs::read_to_string(&path).unwrap().contains("set -e"), "{}", path.display());
    }
}

#[test]
fn every_verb_help_has_examples_and_exit_codes() {
    let help = run(&["help"]);
    let verbs = help.out.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let verbs: Vec<&str> = verbs.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert!(verbs.len() > 10, "{}", help.out);
    for verb in verbs.into_iter().filter(|verb| *verb != "help") {
        let help = run(&[verb, "--help"]);
        assert_eq!(help.code, 0, "{verb}");
        assert!(help.out.contains("Exit codes:"), "`damcast {verb} --help` names no exit codes");
        assert!(help.out.contains("Example"), "`damcast {verb} --help` has no example");
    }
}

#[test]
fn walkthrough_has_ten_existing_commands() {
    let page = fs::read_to_string("docs/operator.md").unwrap();
    let block = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let commands: Vec<&str> = block.lines().collect();
    assert!((5..=10).contains(&commands.len()), "{commands:#?}");
    for command in commands {
        let words: Vec<&str> = command.trim_start_matches("sudo ").split_whitespace().collect();
        if words[0].starts_with("./") {
            assert!(Path::new(words[0]).exists(), "{command}");
        }
        if words[0] == "damcast" {
            let help = run(&[words[1], "--help"]).out;
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "`damcast {}` has no {option}", words[1]);
            }
        }
    }
}
