//! `damcast config`, as a person runs it.

use std::fs;

use crate::program::{damcast, run};

const RIGHT: &str = "[station]\ndirectory = \"r\"\n[[line]]\nname = \"a\"\nport = \"any\"\ngame-type = \"20\"\n";

#[test]
fn a_right_one_is_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damcast.toml");
    fs::write(&file, RIGHT).unwrap();
    let file = file.display().to_string();
    let checked = run(&["config", "check", "--config", &file]);
    assert_eq!((checked.code, checked.err.as_str()), (0, ""));
    assert_eq!(checked.out, format!("{file}: right\n1 line with 1 board; recordings go to r\n  a: game 20 at any\n"));
    let shown = damcast(&["config", "show", "--config", &file]).env("DAMCAST_PUBLIC_DELAY", "900").output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.lines().any(|line| line.starts_with("delay = 900 ") && line.ends_with("# DAMCAST_PUBLIC_DELAY:2")),
        "{shown}"
    );
}

#[test]
fn a_wrong_one_is_told_with_all_that_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damcast.toml");
    fs::write(&file, RIGHT.replace("any", "bluetooth:x").replace("\"20\"", "\"99\"")).unwrap();
    let file = file.display().to_string();
    let checked = run(&["config", "check", "--config", &file]);
    assert_eq!((checked.code, checked.out.as_str()), (2, ""));
    for part in [
        ":5:8: `bluetooth:`",
        "  |        ^^^",
        ":6:13: game type: game type 99",
        "damcast: 2 mistakes; nothing is started from this",
    ] {
        assert!(checked.err.contains(part), "{part}\n{}", checked.err);
    }
    let missing = run(&["config", "check", "--config", "/nowhere/damcast.toml"]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("`damcast init` writes a configuration"), "{}", missing.err);
}

#[test]
fn the_schema_is_json() {
    let schema = run(&["config", "schema"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.out).unwrap();
    assert_eq!(schema["properties"]["line"]["minItems"], 1);
}
