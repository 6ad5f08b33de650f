//! `damcast config` from the command line.

use std::fs;

use crate::program::{assert_contains, damcast, run};

const VALID: &str = "[station]\ndirectory = \"r\"\n[[line]]\nname = \"a\"\nport = \"any\"\ngame-type = \"20\"\n";

#[test]
fn summarizes_valid_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damcast.toml");
    fs::write(&file, VALID).unwrap();
    let file = file.display().to_string();
    let checked = run(&["config", "check", "--config", &file]);
    assert_eq!((checked.code, checked.err.as_str()), (0, ""));
    let summary = format!("1 line with 1 board; recordings go to {}", folder.path().join("r").display());
    assert_eq!(checked.out, format!("{file}: right\n{summary}\n  a: game 20 at any\n"));
    let shown = damcast(&["config", "show", "--config", &file]).env("DAMCAST_PUBLIC_DELAY", "900").output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.lines().any(|line| line.starts_with("delay = 900 ") && line.ends_with("# DAMCAST_PUBLIC_DELAY:2")),
        "{shown}"
    );
}

/// A station records with these; the check before the round reports them, all at once.
#[test]
fn reports_likely_typos() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damcast.toml");
    let tags = "[line.tags]\nWithe = \"A\"\nblack = \"B\"\nEvnt = \"C\"\nWhiteTeam = \"D\"\nCoach = \"E\"\n";
    fs::write(&file, VALID.replace("\"any\"", "\"COM3\"") + tags).unwrap();
    let checked = run(&["config", "check", "--config", &file.display().to_string()]);
    assert_eq!(checked.code, 2, "{}", checked.err);
    assert_contains(
        &checked.err,
        &[
            "a: the tag `Withe`: did you mean `White`?",
            "a: the tag `black`: did you mean `Black`?",
            "a: the tag `Evnt`: did you mean `Event`?",
            "a: COM3 is a port of Windows",
            "4 mistakes",
        ],
    );
    assert!(damcast::station::config::Config::load(&file).is_ok(), "a station starts with it");
}

/// A udev link and its device are one port, and a board has one line.
#[test]
fn reports_one_port_under_two_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("ttyUSB0"), "").unwrap();
    std::os::unix::fs::symlink("ttyUSB0", path("by-path")).unwrap();
    let second = "[[line]]\nname = \"b\"\nport = \"by-path\"\ngame-type = \"20\"\n";
    let check = |text: String| {
        fs::write(path("damcast.toml"), text).unwrap();
        run(&["config", "check", "--config", &path("damcast.toml").display().to_string()])
    };
    check(VALID.replace("\"any\"", "\"serial:ttyUSB0\"") + second)
        .fails(2, "the lines `a` and `b` have the same port, ");
    // A port of a server box, with telnet and without.
    let second = "[[line]]\nname = \"b\"\nport = \"rfc2217://BOX:4001\"\ngame-type = \"20\"\n";
    let checked = check(VALID.replace("\"any\"", "\"tcp://box:4001\"") + second);
    assert_contains(&checked.err, &["the port rfc2217://BOX:4001?baud=9600 is used already, in line 5"]);
}

#[test]
fn relative_paths_start_at_configuration_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("conf")).unwrap();
    fs::create_dir_all(folder.path().join("elsewhere")).unwrap();
    let text =
        VALID.replace("\"any\"", "\"ports/board\"") + "[alarm]\ncommand = [\"./call\"]\n[control]\nsocket = \"s\"\n";
    fs::write(folder.path().join("conf/damcast.toml"), text).unwrap();
    let check = |config: &str| {
        let mut command = damcast(&["config", "check", "--config", config]);
        command.current_dir(folder.path().join("elsewhere")).output().unwrap().stdout
    };
    let said = String::from_utf8(check("../conf/damcast.toml")).unwrap();
    assert!(said.contains("recordings go to ../conf/r\n  a: game 20 at serial:../conf/ports/board\n"), "{said}");
    let config = damcast::station::config::Config::load(&folder.path().join("conf/damcast.toml")).unwrap();
    assert_eq!(config.control.socket.unwrap(), folder.path().join("conf/s"));
    assert_eq!(config.alarm.command, [folder.path().join("conf/./call").display().to_string()]);
}

#[test]
fn reports_all_mistakes_of_wrong_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damcast.toml");
    fs::write(&file, VALID.replace("any", "bluetooth:x").replace("\"20\"", "\"99\"")).unwrap();
    let file = file.display().to_string();
    let checked = run(&["config", "check", "--config", &file]);
    assert_eq!((checked.code, checked.out.as_str()), (2, ""));
    assert_contains(&checked.err, &[":5:8: `bluetooth:`", "  |        ^^^", ":6:13: game type: game type 99"]);
    assert_contains(&checked.err, &["damcast: 2 mistakes"]);
    run(&["config", "check", "--config", "/nowhere/damcast.toml"]).fails(2, "`damcast init` writes a configuration");
}

#[test]
fn schema_is_json() {
    let schema = run(&["config", "schema"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.out).unwrap();
    assert_eq!(schema["properties"]["line"]["minItems"], 1);
}

#[test]
fn escapes_terminal_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damcast.toml");
    let text = r#"[station]
directory = "r"
"\u001b[2Jdirectory\u202e" = 1
[[line]]
name = "a"
port = "/dev/ttyACM0"
game-type = "20"
"#;
    std::fs::write(&file, text).unwrap();
    let checked = run(&["config", "check", "--config", file.to_str().unwrap()]);
    assert!(checked.err.contains(r"unknown key `\u001b[2Jdirectory\u202e`"), "{}", checked.err);
    let missing = run(&["replay", "no\u{1b}[2Jlog\u{202e}"]);
    assert!(missing.err.contains(r"no\u001b[2Jlog\u202e"), "{}", missing.err);
    for run in [checked, missing] {
        assert_ne!(run.code, 0);
        assert!(!run.err.contains(['\u{1b}', '\u{202e}']) && !run.out.contains('\u{1b}'), "{:?}", run.err);
    }
}
